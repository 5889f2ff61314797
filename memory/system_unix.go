//go:build unix

package memory

import (
	"errors"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// openFlags keep an opened file from waiting for a writer and from being a link.
const openFlags = syscall.O_NONBLOCK | syscall.O_NOFOLLOW

// look is a file of the open folder as the system tells it, without following a link.
// Files that are not plain ones, or that cannot be looked at, have no size.
func look(_ *os.Root, folder uintptr, name string) (File, error) {
	var st unix.Stat_t
	for {
		err := unix.Fstatat(int(folder), name, &st, unix.AT_SYMLINK_NOFOLLOW)
		if err == unix.EINTR {
			continue
		}
		if err != nil || st.Mode&unix.S_IFMT != unix.S_IFREG {
			return File{Name: name, Size: -1}, err
		}
		return File{Name: name, Size: st.Size, ModTime: time.Unix(st.Mtim.Unix()), Inode: uint64(st.Ino), Regular: true}, nil
	}
}

// tryLock takes the lock of an open folder without waiting. The lock is on the
// folder itself, so that nothing is left behind, and ends with the process.
func tryLock(root *os.Root) (release func(), held bool, err error) {
	dir, err := root.Open(".")
	if err != nil {
		return nil, false, err
	}
	err = unix.Flock(int(dir.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if err != nil {
		_ = dir.Close()
		if errors.Is(err, unix.EWOULDBLOCK) || errors.Is(err, unix.EINTR) {
			return nil, true, nil
		}
		return nil, false, &os.SyscallError{Syscall: "flock", Err: err}
	}
	return func() { _ = dir.Close() }, false, nil
}

// syncDir makes the names in a folder durable.
func syncDir(root *os.Root) error {
	dir, err := root.Open(".")
	if err != nil {
		return err
	}
	defer dir.Close()
	err = dir.Sync()
	// Some file systems have no such call for folders; their names are durable when they say so.
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOTSUP) {
		return nil
	}
	return err
}

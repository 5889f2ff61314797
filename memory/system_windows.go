package memory

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/windows"
)

const openFlags = 0

// inode is not known: size and time have to do.
func inode(fs.FileInfo) uint64 { return 0 }

// lockName is a file that is there only while a writer is at work: Windows
// removes it with its last handle, however the process ends.
const lockName = ".sayso-lock"

// tryLock takes the lock of an open folder without waiting.
func tryLock(root *os.Root) (release func(), held bool, err error) {
	name, err := windows.UTF16PtrFromString(filepath.Join(root.Name(), lockName))
	if err != nil {
		return nil, false, err
	}
	h, err := windows.CreateFile(name, windows.GENERIC_WRITE, 0, nil, windows.OPEN_ALWAYS,
		windows.FILE_ATTRIBUTE_TEMPORARY|windows.FILE_FLAG_DELETE_ON_CLOSE, 0)
	if err != nil {
		if errors.Is(err, windows.ERROR_SHARING_VIOLATION) || errors.Is(err, windows.ERROR_ACCESS_DENIED) {
			return nil, true, nil
		}
		return nil, false, &os.SyscallError{Syscall: "CreateFile", Err: err}
	}
	return func() { _ = windows.CloseHandle(h) }, false, nil
}

// syncDir has nothing to do: names are durable with the files they name.
func syncDir(*os.Root) error { return nil }

// look is a file of the open folder as the system tells it, without following a link.
// Files that are not plain ones, or that cannot be looked at, have no size.
func look(root *os.Root, _ uintptr, name string) (File, error) {
	info, err := root.Lstat(name)
	if err != nil || !info.Mode().IsRegular() {
		return File{Name: name, Size: -1}, err
	}
	return File{Name: name, Size: info.Size(), ModTime: info.ModTime(), Inode: inode(info), Regular: true}, nil
}

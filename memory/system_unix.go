//go:build unix

package memory

import (
	"io/fs"
	"syscall"
)

// openFlags keep an opened file from waiting for a writer and from being a link.
const openFlags = syscall.O_NONBLOCK | syscall.O_NOFOLLOW

func inode(info fs.FileInfo) uint64 {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(s.Ino)
	}
	return 0
}

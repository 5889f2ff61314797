//go:build unix

package git

import (
	"os"
	"syscall"
)

// owned says whether a file belongs to who runs this process. In what belongs to
// others git has rules of its own (safe.directory).
func owned(info os.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Geteuid()
}

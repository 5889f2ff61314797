package index

import (
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// prefault asks for the memory of a large buffer at once, which is about to be
// filled: taken page by page, each page costs a fault, and for a process that lives
// for some tens of milliseconds these are most of the price of reading an index.
// It is a hint; a kernel that does not know it (before 5.14) changes nothing.
func prefault(b []byte) {
	page := os.Getpagesize()
	if len(b) < 16*page {
		return
	}
	skip := -uintptr(unsafe.Pointer(unsafe.SliceData(b))) & uintptr(page-1)
	n := (len(b) - int(skip)) &^ (page - 1)
	_ = unix.Madvise(b[skip:int(skip)+n], unix.MADV_POPULATE_WRITE)
}

package index

import (
	"io"
	"io/fs"
)

// openFile reads the whole file: Windows does not let a file be replaced while
// another process has it open, and a reader must never be in a writer's way.
func openFile(file string) (backing, int64, error) {
	f, size, err := regular(file)
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	if size > sectionCount*maxSection {
		return nil, 0, &fs.PathError{Op: "read", Path: file, Err: fs.ErrInvalid}
	}
	b := make([]byte, size)
	if _, err := io.ReadFull(f, b); err != nil {
		return nil, 0, err
	}
	return inMemory(b), size, nil
}

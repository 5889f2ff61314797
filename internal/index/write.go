package index

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/natefinch/atomic"
)

// memory is an index that is not, or not yet, in a file.
type memory struct{ *bytes.Reader }

func (memory) Close() error { return nil }

func inMemory(b []byte) memory { return memory{bytes.NewReader(b)} }

// save puts a whole index file in its place: written aside, synced, renamed. Two
// that do it at once do not disturb each other; the last one stays.
func save(file string, data []byte) error {
	dir := filepath.Dir(file)
	if err := os.Mkdir(dir, 0o700); err != nil && !os.IsExist(err) {
		return fmt.Errorf("index not written: %w", err)
	}
	if err := atomic.WriteFile(file, bytes.NewReader(data)); err != nil {
		return fmt.Errorf("index not written: %w", err)
	}
	sweep(file)
	return nil
}

// leftover is the age at which what a killed writer left aside is swept away.
const leftover = time.Hour

// sweep removes what killed writers left beside the file. Ages are taken from
// the file system's own stamps, against that of the file just written.
func sweep(file string) {
	now, err := os.Stat(file)
	if err != nil {
		return
	}
	dir, name := filepath.Split(file)
	list, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range list {
		tail, ours := strings.CutPrefix(e.Name(), name)
		if !ours || tail == "" || strings.Trim(tail, "0123456789") != "" {
			continue
		}
		if i, err := e.Info(); err == nil && i.Mode().IsRegular() && now.ModTime().Sub(i.ModTime()) > leftover {
			_ = os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}

// regular opens a file and says how large it is; anything but a regular file is refused.
func regular(file string) (*os.File, int64, error) {
	info, err := os.Lstat(file)
	if err != nil {
		return nil, 0, err
	}
	if !info.Mode().IsRegular() {
		return nil, 0, &fs.PathError{Op: "open", Path: file, Err: fs.ErrInvalid}
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, 0, err
	}
	info, err = f.Stat()
	if err != nil {
		f.Close()
		return nil, 0, err
	}
	return f, info.Size(), nil
}

package main

import (
	"bytes"
	"os"
	"path/filepath"

	"github.com/natefinch/atomic"
)

// writeOutput writes a file that the user named. A regular file is replaced as
// a whole, and a link's target rather than the link; a device, a pipe or a
// socket is written to, since replacing /dev/null by a file breaks a machine.
func writeOutput(path string, data []byte) error {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	if info, err := os.Stat(path); err != nil || info.Mode().IsRegular() {
		return atomic.WriteFile(path, bytes.NewReader(data))
	}
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if closing := f.Close(); err == nil {
		err = closing
	}
	return err
}

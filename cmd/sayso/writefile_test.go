//go:build !windows

package main

import (
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func TestOutputToADeviceLeavesItADevice(t *testing.T) {
	// A pipe stands for the device: a test must not be able to break the machine.
	pipe := filepath.Join(t.TempDir(), "pipe")
	reader := makePipe(t, pipe)
	if err := writeOutput(pipe, []byte("report")); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(pipe); err != nil || info.Mode()&os.ModeNamedPipe == 0 {
		t.Fatalf("the pipe became %v, %v", info, err)
	}
	if got := <-reader; got != "report" {
		t.Errorf("the pipe gave %q", got)
	}
}

func TestOutputThroughALinkKeepsTheLink(t *testing.T) {
	dir := t.TempDir()
	target, link := filepath.Join(dir, "target"), filepath.Join(dir, "link")
	if err := os.WriteFile(target, []byte("before, and longer"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, link); err != nil {
		t.Fatal(err)
	}
	if err := writeOutput(link, []byte("after")); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v %v", info, err)
	}
	if got, err := os.ReadFile(target); err != nil || string(got) != "after" {
		t.Errorf("the target holds %q, %v", got, err)
	}
}

// makePipe gives a named pipe and what is written to it, once.
func makePipe(t *testing.T, path string) <-chan string {
	t.Helper()
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	out := make(chan string, 1)
	go func() {
		f, err := os.Open(path)
		if err != nil {
			out <- err.Error()
			return
		}
		defer f.Close()
		b, err := io.ReadAll(f)
		if err != nil {
			b = []byte(err.Error())
		}
		out <- string(b)
	}()
	return out
}

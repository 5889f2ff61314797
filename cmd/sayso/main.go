package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"syscall"
	"time"

	"github.com/saysolint/sayso/report"
)

func main() {
	dir, err := os.Getwd()
	if err != nil {
		dir = "." // a folder that was removed under us: git will say so better
	}
	env := Environment{
		Vars:           os.Environ(),
		Dir:            dir,
		Self:           self(os.Args[0]),
		Now:            time.Now,
		StdoutTerminal: isTerminal(os.Stdout),
		StderrTerminal: isTerminal(os.Stderr),
		Width:          terminalWidth(os.Stdout),
	}
	os.Exit(Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr, env))
}

// Environment is what the program takes from the process it runs in.
type Environment struct {
	Vars           []string         // NAME=value, as os.Environ gives them
	Dir            string           // working folder; relative paths of flags start here
	Self           string           // absolute path of this program, as hooks are to call it
	Now            func() time.Time // for the dates of exceptions
	StdoutTerminal bool
	StderrTerminal bool
	Width          int // columns of the terminal, 0 unknown
}

// Main runs the program and returns its exit code: 0 nothing at or above the
// gate, 1 gate met or findings, 2 usage or configuration, 3 incomplete or could not judge.
func Main(args []string, stdin io.Reader, stdout, stderr io.Writer, env Environment) (code int) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	a := newApp(stdin, stdout, stderr, env)
	defer func() {
		if p := recover(); p != nil {
			a.log.Error().Interface("panic", p).Bytes("stack", debug.Stack()).Msg("recovered")
			code = a.fail(internalError(p))
		}
	}()
	root := newRoot(a, onlyCommand(args))
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if err != nil && errors.Is(ctx.Err(), context.Canceled) {
		err = errInterrupted
	}
	if err == nil && a.help.err != nil {
		err = ioError("standard output", plainIOError(a.help.err))
	}
	if err != nil {
		return a.fail(err)
	}
	return a.code
}

// self is the path that hooks are to call: the one this process was found
// under, not what links behind it point to, since a package manager moves the
// target with every version and keeps the link.
func self(arg0 string) string {
	exe, err := os.Executable()
	if err != nil {
		return arg0
	}
	found, err := exec.LookPath(arg0)
	if err != nil {
		return exe
	}
	if found, err = filepath.Abs(found); err != nil {
		return exe
	}
	a, errA := os.Stat(exe)
	b, errB := os.Stat(found)
	if errA != nil || errB != nil || !os.SameFile(a, b) {
		return exe
	}
	return found
}

// isTerminal says whether f is a character device. The null device is one too,
// and what is written there nobody sees.
func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// internalError is what a panic becomes: one line, and the way to report it.
func internalError(p any) error {
	return &userError{
		what: "internal error",
		why:  fmt.Sprint(p),
		hint: "run again with --debug and report what it prints",
		code: report.ExitIncomplete,
	}
}

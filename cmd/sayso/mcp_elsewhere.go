//go:build !mcp

package main

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"

	"github.com/saysolint/sayso/report"
)

// serverProgram is this program built with the tag mcp.
const serverProgram = "sayso-mcp"

// serveMCP hands the streams to the program that has the server.
func (a *app) serveMCP(ctx context.Context) error {
	path, err := a.findServer()
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, path, "mcp", "--repo", a.repo())
	cmd.Stdin, cmd.Stdout, cmd.Stderr = a.stdin, a.stdout, a.stderr
	cmd.Dir, cmd.Env = a.env.Dir, a.env.Vars
	cmd.Cancel = func() error {
		if runtime.GOOS == "windows" {
			return cmd.Process.Kill()
		}
		return cmd.Process.Signal(syscall.SIGTERM)
	}
	if a.debug {
		cmd.Args = append(cmd.Args, "--debug")
	}
	err = cmd.Run()
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &exit) && exit.ExitCode() > 0:
		a.code = exit.ExitCode() // it said why
		return nil
	case err != nil:
		return ioError(serverProgram, plainIOError(err))
	}
	return nil
}

// findServer finds the program beside this one, as it was called and where links lead,
// then on PATH.
func (a *app) findServer() (string, error) {
	name := serverProgram
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	places := []string{filepath.Join(filepath.Dir(a.env.Self), name)}
	if real, err := filepath.EvalSymlinks(a.env.Self); err == nil {
		places = append(places, filepath.Join(filepath.Dir(real), name))
	}
	for _, dir := range filepath.SplitList(a.getenv("PATH")) {
		if filepath.IsAbs(dir) { // never a program of the repository that happens to be the working folder
			places = append(places, filepath.Join(dir, name))
		}
	}
	for _, p := range places {
		if info, err := os.Stat(p); err == nil && info.Mode().IsRegular() && (runtime.GOOS == "windows" || info.Mode()&0o111 != 0) {
			return p, nil
		}
	}
	return "", &userError{
		what: "mcp", why: "the program " + serverProgram + " is neither beside sayso nor on PATH",
		hint: "it comes with each release; go build -tags mcp -o sayso-mcp ./cmd/sayso makes it, go install -tags mcp a sayso that needs no other",
		code: report.ExitIncomplete,
	}
}

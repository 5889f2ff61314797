package main

import (
	"context"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"time"

	"github.com/saysolint/sayso/internal/engine"
	"github.com/saysolint/sayso/internal/git"
	"github.com/saysolint/sayso/internal/reach"
)

// The graphs that --graph takes.
const (
	graphAuto    = "auto"
	graphBuiltIn = engine.BuiltInGraph
)

var graphNames = []string{graphAuto, graphBuiltIn}

// graphTime is how long another program may take to build a graph.
const graphTime = 60 * time.Second

// foreignGraph is the command "entire graph" where it is installed: as a program of
// its own, which needs nothing else, or as a plugin that "entire" finds.
func (a *app) foreignGraph(repo *git.Repo) *engine.Foreign {
	if repo.Root() == "" || repo.Fallback() {
		return nil
	}
	program, drop := a.lookPath("entire-graph"), 1
	if program == "" {
		if program, drop = a.lookPath("entire"), 0; program == "" {
			return nil
		}
	}
	return &engine.Foreign{Name: "entire graph", Graph: func(ctx context.Context, commit string) (*reach.Graph, error) {
		return reach.FromEntire(ctx, func(ctx context.Context, read func(io.Reader) error, args ...string) error {
			return a.stream(ctx, repo.Root(), read, program, args[drop:]...)
		}, repo.Root(), commit)
	}}
}

// lookPath finds a program on the PATH of the environment, "" for none.
func (a *app) lookPath(name string) string {
	if a.getenv("PATH") == "" {
		return ""
	}
	path, err := exec.LookPath(name)
	if err != nil {
		return "" // nor is one that lies in the current folder run
	}
	return path
}

// stream runs a program in dir and hands on its standard output as it comes. It is
// ended when its time is up, or when nobody reads any more.
func (a *app) stream(ctx context.Context, dir string, read func(io.Reader) error, program string, args ...string) error {
	ctx, cancel := context.WithTimeoutCause(ctx, graphTime, fmt.Errorf("took longer than %s", graphTime))
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = dir, a.env.Vars, 2*time.Second
	var said tailWriter
	cmd.Stderr = &said
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	readErr := read(out)
	cause := context.Cause(ctx)
	if readErr != nil {
		cancel()
	}
	err = cmd.Wait()
	complaint := ""
	if said.Len() > 0 {
		complaint = " (" + oneLine(said.String()) + ")"
	}
	switch {
	case cause != nil:
		return cause
	case readErr != nil:
		return fmt.Errorf("%w%s", readErr, complaint)
	case err != nil:
		return fmt.Errorf("%w%s", err, complaint)
	}
	return nil
}

// tailWriter keeps the first bytes of what a program complains of.
type tailWriter struct{ strings.Builder }

func (w *tailWriter) Write(p []byte) (int, error) {
	const most = 400
	if left := most - w.Len(); left > 0 {
		w.Builder.Write(p[:min(left, len(p))])
	}
	return len(p), nil
}

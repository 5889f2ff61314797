//go:build unix

package git

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/saysolint/sayso/internal/git/gittest"
)

// program writes a shell script and returns its path.
func program(t *testing.T, script string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestTheProgramOfFsmonitorIsNotRun(t *testing.T) {
	repo, _ := three(t)
	mark := filepath.Join(t.TempDir(), "mark")
	repo.Git("config", "core.fsmonitor", program(t, "touch '"+mark+"'; exit 1"))
	repo.Write("f", "changed\n")
	repo.Git("status")
	if err := os.Remove(mark); err != nil {
		t.Fatal("git itself does not run it, so this test shows nothing: ", err)
	}
	r := openRepo(t, repo)
	if _, err := r.Run(ctx, nil, "diff-index", "--raw", "HEAD", "--"); err != nil {
		t.Fatal(err)
	}
	p, err := r.Start("diff-index", "--raw", "HEAD", "--")
	if err != nil {
		t.Fatal(err)
	}
	if err := p.End(ctx, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(mark); err == nil {
		t.Error("it was run")
	}
}

// A wrapper that was killed leaves its child behind, with the pipe in its hands.
func TestTheEndOfAWrapperIsNotTheEndOfItsChild(t *testing.T) {
	wrapper := program(t, "sleep 30")
	r := &Repo{git: wrapper, dir: t.TempDir(), env: gittest.Env()}
	within := func(what string, fn func()) {
		began := time.Now()
		fn()
		if took := time.Since(began); took > 15*time.Second {
			t.Errorf("%s took %v", what, took)
		}
	}
	start := func() *Process {
		p, err := r.Start("anything")
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	within("Close", func() { _ = start().Close() })
	within("Kill", func() { start().Kill() })
	within("a read under a guard", func() {
		short, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
		defer cancel()
		p := start()
		release := p.Guard(short)
		defer release()
		_, err := p.Out.ReadByte()
		if err = p.End(short, err); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
	})
	within("Run", func() {
		short, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
		defer cancel()
		if _, err := r.Run(short, nil, "anything"); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
	})
}

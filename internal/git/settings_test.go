package git

import (
	"testing"

	"github.com/saysolint/sayso/internal/git/gittest"
)

func TestRemoteIsTheAddressOfOrigin(t *testing.T) {
	repo := gittest.New(t)
	for _, brief := range []bool{false, true} {
		r, err := Open(ctx, repo.Dir, Options{Env: repo.Env(), Brief: brief})
		if err != nil {
			t.Fatal(err)
		}
		if got, err := r.Remote(ctx); err != nil || got != "" {
			t.Errorf("without one: %q, %v", got, err)
		}
		_ = r.Close()
	}
	repo.Git("config", "remote.origin.url", "https://example.invalid/first")
	repo.Git("config", "--add", "remote.origin.url", "https://example.invalid/last")
	repo.Git("config", "remote.other.url", "https://example.invalid/other")
	repo.Git("config", "commit.cleanup", "scissors")
	for _, brief := range []bool{false, true} {
		r, err := Open(ctx, repo.Dir, Options{Env: repo.Env(), Brief: brief})
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if got, err := r.Remote(ctx); err != nil || got != "https://example.invalid/last" {
				t.Errorf("%q, %v", got, err)
			}
			if o, err := r.ReadCleanOptions(ctx); err != nil || o != (CleanOptions{Mode: "scissors"}) {
				t.Errorf("%+v, %v", o, err)
			}
		}
		_ = r.Close()
	}
}

func TestABriefRepositoryThatNobodyAsksLeavesNoProcess(t *testing.T) {
	repo := gittest.New(t)
	r, err := Open(ctx, repo.Dir, Options{Env: repo.Env(), Brief: true})
	if err != nil {
		t.Fatal(err)
	}
	asked := r.asked.proc
	if err := r.Close(); err != nil || asked.cmd.ProcessState == nil {
		t.Errorf("the process was not waited for, %v", err)
	}
	if _, err := Open(ctx, t.TempDir(), Options{Env: repo.Env(), Brief: true}); err == nil {
		t.Error("opened a folder that is no repository")
	}
}

func TestTheTipOfTheBranchIsFoundWithoutGitWhereverItIs(t *testing.T) {
	repo, h := three(t)
	r := openRepo(t, repo)
	check := func(what, want string) {
		t.Helper()
		if got := r.branchTip(); got != want {
			t.Errorf("%s: %q", what, got)
		}
		if s, err := r.State(ctx); err != nil || s.Head != repo.Git("rev-parse", "HEAD") {
			t.Errorf("%s: %+v, %v", what, s, err)
		}
	}
	check("a loose branch", h[2])
	repo.Git("branch", "main2", h[0])
	repo.Git("pack-refs", "--all")
	check("a packed branch", h[2])
	repo.Git("reset", "-q", "--hard", h[1])
	check("a branch that is loose and packed", h[1])
	repo.Git("checkout", "-q", "--detach", h[0])
	check("no branch", h[0])
	repo.Git("symbolic-ref", "refs/heads/alias", "refs/heads/main2")
	repo.Git("symbolic-ref", "HEAD", "refs/heads/alias")
	check("a branch that stands for another", "")
}

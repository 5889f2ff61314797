package publish

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/saysolint/sayso/internal/git"
	"github.com/saysolint/sayso/internal/git/gittest"
	"github.com/saysolint/sayso/memory"
)

// options are those of a call out of a repository.
func options(t testing.TB, from *gittest.Repo) Options {
	t.Helper()
	repo, err := git.Open(context.Background(), from.Dir, git.Options{Env: from.Env()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = repo.Close() })
	return Options{Repo: repo, Env: from.Env(), Now: func() time.Time { return moment }}
}

// file is the content of an entry's file at a branch.
func file(t testing.TB, repo *gittest.Repo, branch, id string) string {
	t.Helper()
	return repo.Git("show", branch+":"+memory.DefaultFolder+"/"+id+".md") + "\n"
}

func TestPublishToABranchLeavesEverythingElseAlone(t *testing.T) {
	ctx := context.Background()
	repo := gittest.New(t)
	repo.Write("README.md", "hello\n")
	repo.Commit("one")
	repo.Git("branch", "memory")
	repo.Write("README.md", "edited\n")
	before := repo.Git("status", "--porcelain")
	o := options(t, repo)
	a, b := accepted(1), accepted(2)
	r, err := Publish(ctx, Target{Branch: "memory"}, []memory.Arrival{a, b}, o)
	if err != nil {
		t.Fatal(err)
	}
	if r.Files != 2 || r.Commit != repo.Git("rev-parse", "memory") || r.Attempts != 1 || r.Outcomes[0].Fate != memory.Added {
		t.Errorf("%+v", r)
	}
	if file(t, repo, "memory", a.ID) != string(a.Raw) {
		t.Errorf("the file is %q", file(t, repo, "memory", a.ID))
	}
	if got := repo.Git("rev-list", "--count", "main..memory"); got != "1" {
		t.Errorf("%s commits", got)
	}
	if repo.Git("show", "memory:README.md") != "hello" || repo.Git("status", "--porcelain") != before {
		t.Error("something else changed")
	}
	if subject := repo.Git("log", "-1", "--format=%s", "memory"); subject != "Add 2 entries to the memory" {
		t.Errorf("the subject is %q", subject)
	}
	r, err = Publish(ctx, Target{Branch: "memory"}, []memory.Arrival{a, b}, o)
	if err != nil || r.Changed() || r.Commit != "" || repo.Git("rev-list", "--count", "main..memory") != "1" {
		t.Errorf("the second time: %+v, %v", r, err)
	}
	// A new branch begins with the memory alone.
	if _, err := Publish(ctx, Target{Branch: "fresh"}, []memory.Arrival{a}, o); err != nil {
		t.Fatal(err)
	}
	if files := repo.Git("ls-tree", "-r", "--name-only", "fresh"); files != memory.DefaultFolder+"/"+a.ID+".md" {
		t.Errorf("the new branch has %s", files)
	}
}

func TestABranchThatIsCheckedOutIsRefused(t *testing.T) {
	repo := gittest.New(t)
	repo.Write("a", "a\n")
	repo.Commit("one")
	_, err := Publish(context.Background(), Target{Branch: "main"}, []memory.Arrival{accepted(1)}, options(t, repo))
	if !errors.Is(err, ErrTarget) || repo.Git("rev-list", "--count", "main") != "1" {
		t.Errorf("%v", err)
	}
	for _, name := range []string{"", "-f", "a..b", "a b", "x.lock", "/a", "a//b", "@{-1}", "HEAD", "a\x01"} {
		if err := checkBranch(name); err == nil {
			t.Errorf("%q is taken for a branch", name)
		}
	}
	for _, name := range []string{"main", "team/memory", "größe", "v1.2"} {
		if err := checkBranch(name); err != nil {
			t.Errorf("%q: %v", name, err)
		}
	}
}

func TestPublishToAnotherRepository(t *testing.T) {
	ctx := context.Background()
	for _, tt := range []struct {
		name string
		init []string
		far  bool // through a program in the place of ssh, to an address that is no folder
	}{
		{"by its path", nil, false},
		{"over a connection", nil, true},
		{"with long object names", []string{"--object-format=sha256"}, false},
		{"with long object names over a connection", []string{"--object-format=sha256"}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bare := gittest.New(t, append([]string{"--bare"}, tt.init...)...)
			bare.Git("config", "uploadpack.allowFilter", "true")
			repo := gittest.New(t)
			o := options(t, repo)
			to := Target{Remote: bare.Dir, Branch: "main"}
			if tt.far {
				o.Env = append(o.Env, "GIT_SSH_COMMAND="+transport(t, bare.Dir))
				to.Remote = "ssh://git:password@host.invalid/memory.git"
			}
			a, b := accepted(1), accepted(2)
			r, err := Publish(ctx, to, []memory.Arrival{a}, o)
			if err != nil {
				t.Fatal(err)
			}
			if r.Files != 1 || file(t, bare, "main", a.ID) != string(a.Raw) {
				t.Errorf("%+v", r)
			}
			to.Branch = "" // the branch that is checked out there
			r, err = Publish(ctx, to, []memory.Arrival{a, b}, o)
			if err != nil || r.Files != 1 || r.Outcomes[0].Fate != memory.Kept || bare.Git("rev-list", "--count", "main") != "2" {
				t.Errorf("%+v, %v", r, err)
			}
			// Edited there and here, in different fields, since it was published.
			entry := memory.Arrival{ID: a.ID, Raw: a.Raw} // as a store has it: nobody knows a base
			if _, err := Publish(ctx, to, []memory.Arrival{entry}, o); err != nil {
				t.Fatal(err)
			}
			there := bytes.Replace(a.Raw, []byte("kind: fact"), []byte("kind: convention"), 1)
			if _, err := Publish(ctx, to, []memory.Arrival{{ID: a.ID, Raw: there, Base: a.Raw}}, o); err != nil {
				t.Fatal(err)
			}
			entry.Raw = bytes.Replace(a.Raw, []byte("Lesson number 1"), []byte("Lesson number one"), 1)
			r, err = Publish(ctx, to, []memory.Arrival{entry}, o)
			if err != nil || r.Outcomes[0].Fate != memory.Updated || len(r.Outcomes[0].Conflicts) > 0 {
				t.Errorf("%+v, %v", r, err)
			}
			if e := memory.Parse(a.ID, []byte(file(t, bare, "main", a.ID))); e.Title != "Lesson number one" || e.Kind != memory.KindConvention {
				t.Errorf("merged to %+v", e)
			}
			bare.Git("fsck", "--strict")
			if status := repo.Git("status", "--porcelain"); status != "" {
				t.Errorf("the work tree here has %s", status)
			}
			// What is kept beside the caches can be lost, or left half made.
			kept, err := filepath.Glob(filepath.Join(repo.Dir, ".git", "sayso", "publish", "*", "git"))
			if err != nil || len(kept) != 1 {
				t.Fatal(kept, err)
			}
			for _, spoil := range []func() error{
				func() error { return os.RemoveAll(kept[0]) },
				func() error { return os.Remove(filepath.Join(kept[0], readyName)) },
				func() error { return os.RemoveAll(filepath.Join(kept[0], "objects", "pack")) },
				func() error { return os.WriteFile(filepath.Join(kept[0], "config"), []byte("[core\n"), 0o600) },
				func() error { return os.WriteFile(filepath.Join(kept[0], "shallow.lock"), nil, 0o600) },
			} {
				if err := spoil(); err != nil {
					t.Fatal(err)
				}
				if r, err := Publish(ctx, to, []memory.Arrival{b}, o); err != nil || r.Changed() {
					t.Errorf("%+v, %v", r, err)
				}
			}
		})
	}
}

// transport makes a program that connects git with a repository of this machine in
// the place of ssh, and names it.
func transport(t testing.TB, repo string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "connect")
	script := "#!/bin/sh\nfor last in \"$@\"; do :; done\nset -- $last\nexec git \"${1#git-}\" '" + repo + "'\n"
	if err := os.WriteFile(path, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestErrorsOfATargetNameNoPlaceAndNoPassword(t *testing.T) {
	repo := gittest.New(t)
	o := options(t, repo)
	nowhere := filepath.Join(t.TempDir(), "nowhere")
	for _, remote := range []string{nowhere, "https://name:secret@host.invalid/x.git", "ext::sh -c true", "-oProxyCommand=x", "a\nb"} {
		_, err := Publish(context.Background(), Target{Remote: remote, Branch: "main"}, []memory.Arrival{accepted(1)}, o)
		if err == nil || strings.Contains(err.Error(), "secret") || strings.Contains(err.Error(), repo.Dir) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v", remote, err)
		}
	}
	o.Env = append(o.Env, "GIT_COMMITTER_NAME=", "GIT_COMMITTER_EMAIL=")
	if _, err := Publish(context.Background(), Target{Branch: "memory"}, []memory.Arrival{accepted(1)}, o); !errors.Is(err, ErrIdentity) {
		t.Errorf("nobody commits: %v", err)
	}
}

func TestARepositoryThatRefusesIsNotAskedAgain(t *testing.T) {
	bare := gittest.New(t, "--bare")
	hook := filepath.Join(bare.Dir, "hooks", "pre-receive")
	if err := os.MkdirAll(filepath.Dir(hook), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(hook, []byte("#!/bin/sh\necho 'only through a review' >&2\nexit 1\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	_, err := Publish(context.Background(), Target{Remote: bare.Dir, Branch: "main"}, []memory.Arrival{accepted(1)}, options(t, gittest.New(t)))
	if err == nil || !strings.Contains(err.Error(), "only through a review") || time.Since(began) > time.Minute {
		t.Errorf("%v after %v", err, time.Since(began))
	}
}

func TestABranchThatAlwaysMovesIsGivenUpInTime(t *testing.T) {
	_, err := toBranch(context.Background(), moving{}, Target{Branch: "x", Folder: memory.DefaultFolder}, []memory.Arrival{accepted(1)}, Options{Patience: 50 * time.Millisecond})
	if !errors.Is(err, ErrMoving) || !strings.Contains(err.Error(), "it moved") {
		t.Errorf("%v", err)
	}
}

// moving is a branch that is never where it was.
type moving struct{}

func (moving) look(context.Context) (string, error) { return "", nil }
func (moving) read(context.Context, string, []string) (map[string][]byte, error) {
	return nil, nil
}
func (moving) base(context.Context, string, []string) (map[string][]byte, error) { return nil, nil }
func (moving) advance(context.Context, string, string, []memory.Write) (string, string, error) {
	return "", "it moved", nil
}
func (moving) done(context.Context, []memory.Arrival) error { return nil }
func (moving) close()                                       {}

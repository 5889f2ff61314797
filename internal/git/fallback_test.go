package git

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/saysolint/sayso/internal/git/gittest"
)

// openPlain opens a repository as if there were no git executable.
func openPlain(repo *gittest.Repo, env ...string) (*Repo, error) {
	r := &Repo{dir: repo.Dir, env: append(repo.Env(), env...)}
	return r.openFallback()
}

// TestTheFallbackAnswersWhatGitAnswers holds every answer of the fallback
// against git's own.
func TestTheFallbackAnswersWhatGitAnswers(t *testing.T) {
	repo := gittest.New(t)
	repo.Write("a", "1\n")
	repo.Write("d/b", "1\n")
	repo.Write("gone", "1\n")
	if err := os.Symlink("a", filepath.Join(repo.Dir, "link")); err != nil {
		t.Fatal(err)
	}
	repo.Commit("one")
	repo.Write("a", "2\n")
	repo.Remove("gone")
	repo.Remove("link")
	repo.Write("link", "a file now\n")
	if err := os.Chmod(filepath.Join(repo.Dir, "d", "b"), 0o755); err != nil {
		t.Fatal(err)
	}
	repo.Git("config", "i18n.commitEncoding", "ISO-8859-1")
	repo.Commit("caf\xe9\n")
	repo.Git("tag", "-a", "-m", "x", "v1", "HEAD~1")
	linked := repo.At(filepath.Join(filepath.Dir(repo.Dir), "linked"))
	repo.Git("worktree", "add", "-q", linked.Dir, "HEAD~1")
	repo.Git("gc", "-q")
	bare := repo.At(filepath.Join(filepath.Dir(repo.Dir), "bare.git"))
	repo.Git("clone", "-q", "--bare", repo.Dir, bare.Dir)

	for name, at := range map[string]*gittest.Repo{"work tree": repo, "linked": linked, "bare": bare, "folder": repo.At(filepath.Join(repo.Dir, "d"))} {
		t.Run(name, func(t *testing.T) {
			with := openRepo(t, at)
			without, err := openPlain(at)
			if err != nil {
				t.Fatal(err)
			}
			if !without.Fallback() || without.Root() != with.Root() || without.GitDir() != with.GitDir() || without.CommonDir() != with.CommonDir() || without.Bare() != with.Bare() {
				t.Errorf("root %q, git dir %q, common dir %q", without.Root(), without.GitDir(), without.CommonDir())
			}
			for _, rev := range []string{"HEAD", "main", "v1", "main~1", "main^", "v1^{commit}", "main^0", "none", "main~7", with.EmptyTree()} {
				a, errA := with.Commit(ctx, rev)
				b, errB := without.Commit(ctx, rev)
				if (errA == nil) != (errB == nil) {
					t.Errorf("%s: git %v, fallback %v", rev, errA, errB)
				}
				if diff := cmp.Diff(a, b); diff != "" {
					t.Errorf("%s: %s", rev, diff)
				}
			}
			a, _ := with.Tree(ctx, "main")
			b, err := without.Tree(ctx, "main")
			if diff := cmp.Diff(a, b); diff != "" || err != nil {
				t.Errorf("%v %s", err, diff)
			}
			for _, from := range []string{"main~1", ""} {
				x, _ := with.Diff(ctx, from, "main")
				y, err := without.Diff(ctx, from, "main")
				if diff := cmp.Diff(x, y); diff != "" || err != nil || len(x) == 0 {
					t.Errorf("%v %s", err, diff)
				}
			}
			if data, err := without.Blob(ctx, "main:d/b", 2); err != nil || string(data) != "1\n" {
				t.Errorf("%q, %v", data, err)
			}
			if _, err := without.Blob(ctx, "main:d/b", 1); !errors.Is(err, ErrTooLarge) {
				t.Error(err)
			}
			if _, err := without.Blob(ctx, "main:none", 0); !errors.Is(err, ErrUnknown) {
				t.Error(err)
			}
			if n, err := without.Size(ctx, "main:a"); n != 2 || err != nil {
				t.Error(n, err)
			}
			if ok, err := without.Exists(ctx, strings.Repeat("1", 40)); ok || err != nil {
				t.Error(ok, err)
			}
			if list, err := without.Revisions(ctx, nil, RevOptions{}); err != nil || len(list) != 1 {
				t.Error(list, err)
			}
			for _, spec := range []string{"main~1..main", "HEAD@{1}", "abcdef1"} {
				if _, err := without.Revisions(ctx, []string{spec}, RevOptions{}); !errors.Is(err, ErrUnsupported) || !errors.Is(err, ErrNoGit) {
					t.Errorf("%s: %v", spec, err)
				}
			}
			if _, err := without.Run(ctx, nil, "status"); !errors.Is(err, ErrNoGit) {
				t.Error(err)
			}
		})
	}
}

func TestTheFallbackRefusesByNameWhatItWouldAnswerWrongly(t *testing.T) {
	base := t.TempDir()
	origin, _ := three(t)
	origin.Git("config", "uploadpack.allowFilter", "true")
	clone := func(name string, args ...string) *gittest.Repo {
		at := origin.At(filepath.Join(base, name))
		origin.Git(append(append([]string{"clone", "-q"}, args...), "file://"+origin.Dir, at.Dir)...)
		return at
	}
	sparse := clone("sparse")
	sparse.Git("sparse-checkout", "set", "nothing")
	split := clone("split")
	split.Git("update-index", "--split-index")
	shared := origin.At(filepath.Join(base, "shared"))
	origin.Git("clone", "-q", "--shared", origin.Dir, shared.Dir)
	for _, tt := range []struct {
		says string
		repo *gittest.Repo
		env  string
	}{
		{"extensions.objectformat", gittest.New(t, "--object-format=sha256"), ""},
		{"orktree", sparse, ""}, // extensions.worktreeConfig, however git spells it
		{"split index", split, ""},
		{"alternates", shared, ""},
		{"shallow", clone("shallow", "--depth=1"), ""},
		{"promisor", clone("partial", "--filter=blob:none"), ""},
		{"GIT_INDEX_FILE", origin, "GIT_INDEX_FILE=index.lock"},
		{"GIT_DIR", origin, "GIT_DIR=.git"},
	} {
		t.Run(tt.says, func(t *testing.T) {
			_, err := openPlain(tt.repo, tt.env)
			if !errors.Is(err, ErrUnsupported) || !errors.Is(err, ErrNoGit) || !strings.Contains(err.Error(), tt.says) || !strings.Contains(err.Error(), "install git") {
				t.Errorf("%v", err)
			}
		})
	}
	if _, err := openPlain(origin.At(base)); !errors.Is(err, ErrNotRepository) {
		t.Error(err)
	}
	empty, err := openPlain(gittest.New(t))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := empty.Resolve(ctx, "HEAD"); !errors.Is(err, ErrEmpty) {
		t.Error(err)
	}
}

func TestOpenWithoutAnExecutableUsesTheFallback(t *testing.T) {
	repo, h := three(t)
	t.Setenv("PATH", "")
	r, err := Open(ctx, repo.Dir, Options{Env: repo.Env()})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if head, err := r.Resolve(ctx, "HEAD"); err != nil || head != h[2] || !r.Fallback() {
		t.Error(head, err)
	}
}

package git

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/saysolint/sayso/internal/git/gittest"
)

// TestARepositoryIsFoundByItsFilesWhereGitFindsItToo opens each set-up as a hook does
// and as everything else does, which asks git.
func TestARepositoryIsFoundByItsFilesWhereGitFindsItToo(t *testing.T) {
	seed := func(t *testing.T, args ...string) *gittest.Repo {
		r := gittest.New(t, args...)
		r.Write("a/b.txt", "1\n")
		r.Commit("one")
		return r
	}
	add := func(t *testing.T, r *gittest.Repo, text string) {
		t.Helper()
		f, err := os.OpenFile(filepath.Join(r.Dir, ".git", "config"), os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if _, err := f.WriteString(text); err != nil {
			t.Fatal(err)
		}
	}
	must := func(t *testing.T, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	tests := []struct {
		name  string
		plain bool // found without git
		make  func(t *testing.T) (dir string, env []string)
	}{
		{"an ordinary repository", true, func(t *testing.T) (string, []string) { r := seed(t); return r.Dir, r.Env() }},
		{"without a commit", true, func(t *testing.T) (string, []string) { r := gittest.New(t); return r.Dir, r.Env() }},
		{"with remotes, branches and packed references", true, func(t *testing.T) (string, []string) {
			r := seed(t)
			r.Git("remote", "add", "origin", "https://example.invalid/x")
			r.Git("branch", "side")
			r.Git("gc", "-q")
			return r.Dir, r.Env()
		}},
		{"a detached head", true, func(t *testing.T) (string, []string) {
			r := seed(t)
			r.Git("checkout", "-q", "--detach")
			return r.Dir, r.Env()
		}},
		{"a shallow clone", true, func(t *testing.T) (string, []string) {
			r := seed(t)
			r.Write("c", "2\n")
			r.Commit("two")
			c := r.At(filepath.Join(t.TempDir(), "clone"))
			r.Git("clone", "-q", "--depth=1", "file://"+r.Dir, c.Dir)
			return c.Dir, r.Env()
		}},
		{"the environment of a hook", true, func(t *testing.T) (string, []string) {
			r := seed(t)
			return r.Dir, append(r.Env(), "GIT_INDEX_FILE=.git/index", "GIT_PREFIX=a/", "GIT_EDITOR=:", "GIT_AUTHOR_DATE=@1 +0000", "GIT_EXEC_PATH="+r.Git("--exec-path"))
		}},
		{"through a link to the folder", true, func(t *testing.T) (string, []string) {
			r := seed(t)
			link := filepath.Join(t.TempDir(), "link")
			must(t, os.Symlink(r.Dir, link))
			return link, r.Env()
		}},
		{"a folder of the work tree", false, func(t *testing.T) (string, []string) { r := seed(t); return filepath.Join(r.Dir, "a"), r.Env() }},
		{"the .git folder", false, func(t *testing.T) (string, []string) { r := seed(t); return filepath.Join(r.Dir, ".git"), r.Env() }},
		{"a bare repository", false, func(t *testing.T) (string, []string) {
			r := seed(t)
			bare := filepath.Join(t.TempDir(), "bare")
			r.Git("clone", "-q", "--bare", r.Dir, bare)
			return bare, r.Env()
		}},
		{"a .git folder that calls itself bare", false, func(t *testing.T) (string, []string) {
			r := seed(t)
			r.Git("config", "core.bare", "true")
			return r.Dir, r.Env()
		}},
		{"sha256", false, func(t *testing.T) (string, []string) { r := seed(t, "--object-format=sha256"); return r.Dir, r.Env() }},
		{"a linked work tree", false, func(t *testing.T) (string, []string) {
			r := seed(t)
			linked := filepath.Join(t.TempDir(), "linked")
			r.Git("worktree", "add", "-q", linked)
			return linked, r.Env()
		}},
		{"the main work tree beside a linked one", true, func(t *testing.T) (string, []string) {
			r := seed(t)
			r.Git("worktree", "add", "-q", filepath.Join(t.TempDir(), "linked"))
			return r.Dir, r.Env()
		}},
		{"settings for each work tree", false, func(t *testing.T) (string, []string) {
			r := seed(t)
			r.Git("config", "extensions.worktreeConfig", "true")
			r.Git("config", "--worktree", "core.worktree", filepath.Join(r.Dir, "a"))
			return r.Dir, r.Env()
		}},
		{"a work tree elsewhere", false, func(t *testing.T) (string, []string) {
			r := seed(t)
			r.Git("config", "core.worktree", t.TempDir())
			return r.Dir, r.Env()
		}},
		{"a work tree elsewhere, in odd spelling", false, func(t *testing.T) (string, []string) {
			r := seed(t)
			add(t, r, "[CORE] ; x\n WorkTree= \\\n"+t.TempDir()+"\n")
			return r.Dir, r.Env()
		}},
		{"bare is said twice", false, func(t *testing.T) (string, []string) {
			r := seed(t)
			add(t, r, "[core]\n\tbare\n")
			return r.Dir, r.Env()
		}},
		{"bare is not said", false, func(t *testing.T) (string, []string) {
			r := seed(t)
			r.Git("config", "--unset", "core.bare")
			return r.Dir, r.Env()
		}},
		{"a version of the format that nobody knows", false, func(t *testing.T) (string, []string) {
			r := seed(t)
			r.Git("config", "core.repositoryformatversion", "9")
			return r.Dir, r.Env()
		}},
		{"a head that is no reference", false, func(t *testing.T) (string, []string) {
			r := seed(t)
			must(t, os.WriteFile(filepath.Join(r.Dir, ".git", "HEAD"), []byte("nothing\n"), 0o644))
			return r.Dir, r.Env()
		}},
		{"no objects", false, func(t *testing.T) (string, []string) {
			r := seed(t)
			must(t, os.RemoveAll(filepath.Join(r.Dir, ".git", "objects")))
			return r.Dir, r.Env()
		}},
		{"a .git that is a link", false, func(t *testing.T) (string, []string) {
			r := seed(t)
			moved := filepath.Join(t.TempDir(), "moved")
			must(t, os.Rename(filepath.Join(r.Dir, ".git"), moved))
			must(t, os.Symlink(moved, filepath.Join(r.Dir, ".git")))
			return r.Dir, r.Env()
		}},
		{"a .git that is a file", false, func(t *testing.T) (string, []string) {
			r := gittest.New(t, "--separate-git-dir="+filepath.Join(t.TempDir(), "apart"))
			return r.Dir, r.Env()
		}},
		{"GIT_DIR", false, func(t *testing.T) (string, []string) {
			a, b := seed(t), seed(t)
			return a.Dir, append(a.Env(), "GIT_DIR="+filepath.Join(b.Dir, ".git"))
		}},
		{"GIT_WORK_TREE", false, func(t *testing.T) (string, []string) {
			r := seed(t)
			return r.Dir, append(r.Env(), "GIT_DIR=.git", "GIT_WORK_TREE="+filepath.Join(r.Dir, "a"))
		}},
		{"settings on the command line of git", false, func(t *testing.T) (string, []string) {
			r := seed(t)
			return r.Dir, append(r.Env(), "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=core.bare", "GIT_CONFIG_VALUE_0=true")
		}},
		{"harmless settings on the command line of git", true, func(t *testing.T) (string, []string) {
			r := seed(t)
			return r.Dir, append(r.Env(), "GIT_CONFIG_PARAMETERS='user.name=x'")
		}},
		{"no repository", false, func(t *testing.T) (string, []string) { return t.TempDir(), gittest.New(t).Env() }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir, env := tt.make(t)
			long, longErr := Open(ctx, dir, Options{Env: env})
			short, shortErr := Open(ctx, dir, Options{Env: env, Brief: true})
			defer long.Close()
			defer short.Close()
			if (longErr == nil) != (shortErr == nil) || longErr != nil && longErr.Error() != shortErr.Error() {
				t.Fatalf("git says %v, the hook %v", longErr, shortErr)
			}
			where := func(r *Repo) string {
				return strings.Join([]string{r.root, r.gitDir, r.common, r.format, r.shFile}, "\n")
			}
			if where(long) != where(short) || long.Bare() != short.Bare() || long.Shallow() != short.Shallow() {
				t.Errorf("git says\n%s\nthe hook\n%s", where(long), where(short))
			}
			if plain := short.locatePlainly(); plain != (tt.plain && runtime.GOOS != "windows") {
				t.Errorf("found by its files: %v", plain)
			}
		})
	}
}

func TestABlobIsNamedAsGitNamesIt(t *testing.T) {
	for _, format := range []string{"sha1", "sha256"} {
		repo := gittest.New(t, "--object-format="+format)
		for _, content := range []string{"", "x", "x\n", "a\x00b\r\n"} {
			name := repo.Feed(content, "hash-object", "--stdin")
			if !NamesBlob(name, []byte(content)) || NamesBlob(name, []byte(content+"\n")) || NamesBlob(name[1:], []byte(content)) {
				t.Errorf("%s: %q", format, content)
			}
		}
	}
}

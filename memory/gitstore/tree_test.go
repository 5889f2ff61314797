package gitstore

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/saysolint/sayso/internal/git"
	"github.com/saysolint/sayso/memory"
)

// repository makes one and opens it.
func repository(t *testing.T) (string, func(args ...string) string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "main")
	run := func(args ...string) string {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-c", "init.defaultBranch=main", "-c", "user.name=N", "-c", "user.email=n@example.com", "-c", "protocol.file.allow=always"}, args...)...)
		cmd.Dir, cmd.Env = dir, gitEnv()
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	run("init", "-q")
	return dir, run
}

func gitEnv() []string {
	return append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull)
}

func open(t *testing.T, dir string) *git.Repo {
	t.Helper()
	r, err := git.Open(context.Background(), dir, git.Options{Env: gitEnv()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	return r
}

func put(t *testing.T, dir, name, content string) {
	t.Helper()
	path := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

const reviewed = "---\nschemaVersion: 1\ntitle: T\nkind: decision\nreviewState: reviewed\n---\n"

func TestTreeReadsTheEntriesOfARevisionOnly(t *testing.T) {
	ctx := context.Background()
	dir, run := repository(t)
	put(t, dir, ".sayso/memory/a.md", reviewed)
	put(t, dir, ".sayso/memory/deep/b.md", reviewed)
	put(t, dir, ".sayso/memory/notes.txt", "x")
	if err := os.Symlink("a.md", filepath.Join(dir, ".sayso/memory/link.md")); err != nil {
		t.Fatal(err)
	}
	put(t, dir, ".sayso/memory/huge.md", strings.Repeat("x", memory.MaxFileBytes+1))
	run("add", ".")
	run("commit", "-q", "-m", "one")
	put(t, dir, ".sayso/memory/c.md", reviewed)

	r := open(t, dir)
	set, err := memory.Load(ctx, Tree(r, "HEAD", ""))
	if err != nil {
		t.Fatal(err)
	}
	if len(set.Entries) != 2 || set.Entries[0].ID != "a" || !set.Active("a") || set.Entries[0].RelPath != ".sayso/memory/a.md" {
		t.Errorf("read %+v", set.Entries)
	}
	if huge := set.Get("huge"); huge == nil || !huge.Stub || huge.ReviewState != memory.Stale {
		t.Errorf("the large file is %+v", huge)
	}
	if len(set.Skipped) != 2 {
		t.Errorf("skipped %+v", set.Skipped)
	}
	if set, err := memory.Load(ctx, Tree(r, "HEAD", "other")); err != nil || len(set.Entries) != 0 {
		t.Errorf("a folder that is not there: %v, %v", set, err)
	}
	if _, err := memory.Load(ctx, Tree(r, "nowhere", "")); err == nil {
		t.Error("an unknown revision is no error")
	}
	if _, err := memory.Load(ctx, Tree(r, "HEAD", "../x")); err == nil {
		t.Error("a folder outside is no error")
	}
}

func TestWhatAChangeBringsIsProposedWhateverItSays(t *testing.T) {
	ctx := context.Background()
	dir, run := repository(t)
	put(t, dir, ".sayso/memory/kept.md", reviewed)
	put(t, dir, ".sayso/memory/edited.md", reviewed)
	put(t, dir, ".sayso/memory/gone.md", reviewed)
	run("add", ".")
	run("commit", "-q", "-m", "base")
	put(t, dir, ".sayso/memory/edited.md", reviewed+"More.\n")
	put(t, dir, ".sayso/memory/forged.md", strings.Replace(reviewed, "kind", "supersedes: kept\nkind", 1))
	if err := os.Remove(filepath.Join(dir, ".sayso/memory/gone.md")); err != nil {
		t.Fatal(err)
	}
	run("add", "-A")
	run("commit", "-q", "-m", "head")

	r := open(t, dir)
	base, err := memory.Load(ctx, Tree(r, "HEAD~1", ""))
	if err != nil {
		t.Fatal(err)
	}
	head, err := memory.Load(ctx, Tree(r, "HEAD", ""))
	if err != nil {
		t.Fatal(err)
	}
	l := memory.Land(base, head)
	for _, id := range []string{"kept", "edited", "gone"} {
		if !l.InForce.Active(id) {
			t.Errorf("%s is not in force", id)
		}
	}
	if len(l.Pending) != 2 || l.Pending[0].ID != "edited" || l.Pending[1].ID != "forged" {
		t.Fatalf("pending %+v", l.Pending)
	}
	for _, e := range l.Pending {
		if e.ReviewState != memory.Proposed {
			t.Errorf("%s is %s", e.ID, e.ReviewState)
		}
	}
	if len(l.Removed) != 1 || l.Removed[0].ID != "gone" {
		t.Errorf("removed %+v", l.Removed)
	}
}

package checkpoint

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/saysolint/sayso/internal/git"
)

// clone is a repository that a test builds.
type clone struct {
	t    testing.TB
	dir  string
	env  []string
	tick int
}

func newClone(t testing.TB) *clone {
	t.Helper()
	c := &clone{t: t, dir: t.TempDir(), env: []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null",
		"GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=A", "GIT_COMMITTER_EMAIL=a@example.com",
	}}
	c.git("", "init", "-q", "-b", "main")
	return c
}

// git runs git with an input and returns its output. Every call is a minute later.
func (c *clone) git(input string, args ...string) string {
	c.t.Helper()
	if args[0] == "commit" {
		c.tick++
	}
	stamp := fmt.Sprintf("%d +0000", 1767225600+60*c.tick)
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = c.dir, append(c.env, "GIT_AUTHOR_DATE="+stamp, "GIT_COMMITTER_DATE="+stamp)
	cmd.Stdin = strings.NewReader(input)
	out, err := cmd.CombinedOutput()
	if err != nil {
		c.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

// commit changes a file and commits it.
func (c *clone) commit(file, message string) string {
	c.t.Helper()
	path := filepath.Join(c.dir, filepath.FromSlash(file))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		c.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(message), 0o644); err != nil {
		c.t.Fatal(err)
	}
	c.git("", "add", "-A")
	c.git(message, "commit", "-q", "-F", "-")
	return c.git("", "rev-parse", "HEAD")
}

// checkpoints writes files to a branch of checkpoints, in the place of what it held.
func (c *clone) checkpoints(ref string, files map[string]string) {
	c.t.Helper()
	var in strings.Builder
	fmt.Fprintf(&in, "commit %s\ncommitter A <a@example.com> 1767225600 +0000\ndata 10\nCheckpoint\n", ref)
	for name, text := range files {
		fmt.Fprintf(&in, "M 100644 inline %s\ndata %d\n%s\n", name, len(text), text)
	}
	c.git(in.String(), "fast-import", "--quiet", "--force")
}

// lose removes an object from the store.
func (c *clone) lose(object string) {
	c.t.Helper()
	file := filepath.Join(c.dir, ".git", "objects", object[:2], object[2:])
	if err := os.Remove(file); err != nil {
		c.t.Fatal(err)
	}
}

// open opens the repository.
func (c *clone) open() *git.Repo {
	c.t.Helper()
	repo, err := git.Open(context.Background(), c.dir, git.Options{Env: c.env})
	if err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() { repo.Close() })
	return repo
}

// ingest runs Ingest and loads what it wrote.
func (c *clone) ingest(opts Options) (*Result, *Index) {
	c.t.Helper()
	repo := c.open()
	res, err := Ingest(context.Background(), repo, opts)
	if err != nil {
		c.t.Fatal(err)
	}
	ix, err := Load(Dir(repo.CommonDir()))
	if err != nil {
		c.t.Fatal(err)
	}
	return res, ix
}

// lines is JSON Lines.
func lines(list ...string) string { return strings.Join(list, "\n") + "\n" }

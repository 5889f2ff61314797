package gittest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Repo is a repository in a temporary folder.
type Repo struct {
	t   testing.TB
	Dir string
	env []string
}

// Env is an environment in which git behaves the same everywhere: no user or
// system configuration, fixed identity and time, none of the caller's GIT_
// variables. extra entries ("K=V") override it.
func Env(extra ...string) []string {
	var env []string
	for _, kv := range os.Environ() {
		if !strings.HasPrefix(kv, "GIT_") {
			env = append(env, kv)
		}
	}
	return append(append(env,
		"GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=A U Thor", "GIT_AUTHOR_EMAIL=author@example.com", "GIT_AUTHOR_DATE=1700000000 +0100",
		"GIT_COMMITTER_NAME=C O Mitter", "GIT_COMMITTER_EMAIL=committer@example.com", "GIT_COMMITTER_DATE=1700000000 +0000",
		"GIT_CONFIG_COUNT=2", "GIT_CONFIG_KEY_0=gc.auto", "GIT_CONFIG_VALUE_0=0", "GIT_CONFIG_KEY_1=maintenance.auto", "GIT_CONFIG_VALUE_1=false",
		"GIT_ALLOW_PROTOCOL=file", "GIT_TERMINAL_PROMPT=0", "LC_ALL=C"), extra...)
}

// New initialises a repository on branch main; args go to `git init`.
func New(t testing.TB, args ...string) *Repo {
	t.Helper()
	r := &Repo{t: t, Dir: filepath.Join(t.TempDir(), "repo"), env: Env()}
	if err := os.Mkdir(r.Dir, 0o755); err != nil {
		t.Fatal(err)
	}
	r.Git(append([]string{"init", "-q", "--initial-branch=main"}, args...)...)
	return r
}

// At is the repository in dir, which exists.
func (r *Repo) At(dir string) *Repo { return &Repo{t: r.t, Dir: dir, env: r.env} }

// With is the same repository with more environment.
func (r *Repo) With(env ...string) *Repo {
	return &Repo{t: r.t, Dir: r.Dir, env: append(append([]string{}, r.env...), env...)}
}

// Env is the environment that the repository's commands run in.
func (r *Repo) Env() []string { return append([]string{}, r.env...) }

// Git runs git, which must succeed, and returns its output without the last
// line end.
func (r *Repo) Git(args ...string) string {
	r.t.Helper()
	out, err := r.Try(args...)
	if err != nil {
		r.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSuffix(out, "\n")
}

// Try runs git, which may fail, and returns both its outputs.
func (r *Repo) Try(args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = r.Dir, r.env
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// Feed runs git with input, which must succeed, and returns its output without
// the last line end.
func (r *Repo) Feed(input string, args ...string) string {
	r.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env, cmd.Stdin = r.Dir, r.env, strings.NewReader(input)
	out, err := cmd.Output()
	if err != nil {
		r.t.Fatalf("git %s: %v", strings.Join(args, " "), err)
	}
	return strings.TrimSuffix(string(out), "\n")
}

// Write writes a file of the work tree, and its folders.
func (r *Repo) Write(path, content string) {
	r.t.Helper()
	name := filepath.Join(r.Dir, path)
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
		r.t.Fatal(err)
	}
}

// Remove removes a file of the work tree.
func (r *Repo) Remove(path string) {
	r.t.Helper()
	if err := os.Remove(filepath.Join(r.Dir, path)); err != nil {
		r.t.Fatal(err)
	}
}

// Commit stages everything and commits it; the result is the hash.
func (r *Repo) Commit(message string) string {
	r.t.Helper()
	r.Git("add", "-A")
	r.Git("commit", "-q", "--allow-empty", "--allow-empty-message", "--cleanup=verbatim", "-m", message)
	return r.Git("rev-parse", "HEAD")
}

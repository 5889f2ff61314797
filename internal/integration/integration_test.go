//go:build integration && !windows

package integration

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// lie is a message whose claims are false of the staged change that stage makes.
const lie = `feat(store): add a method to the store

Only touches docs/usage.md.
`

// truth is a message that the same change bears out.
const truth = `feat(store): add a method to the store

Changes store/store.go.
`

// wired is one repository wired for one test.
type wired struct {
	t   *testing.T
	dir string
	env []string
}

// wire builds the program and a repository with a little history.
func wire(t *testing.T) *wired {
	t.Helper()
	root := checkout(t)
	bin, home := t.TempDir(), t.TempDir()
	b := &wired{t: t, dir: filepath.Join(t.TempDir(), "orchard")}
	b.env = append(os.Environ(),
		"PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"),
		"GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null", "GIT_TERMINAL_PROMPT=0",
		"PRE_COMMIT_HOME="+filepath.Join(home, "pre-commit"), "NO_COLOR=1", "TERM=dumb",
		"GOMODCACHE="+goEnv(t, "GOMODCACHE"), "GOCACHE="+goEnv(t, "GOCACHE"))
	run(t, root, b.env, "go", "build", "-o", filepath.Join(bin, "sayso"), "./cmd/sayso")
	run(t, root, b.env, "sh", filepath.Join("internal", "docs", "fixture.sh"), b.dir)
	return b
}

// checkout is the folder of go.mod.
func checkout(t *testing.T) string {
	t.Helper()
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	return root
}

func goEnv(t *testing.T, name string) string {
	t.Helper()
	return strings.TrimSpace(run(t, ".", os.Environ(), "go", "env", name))
}

// try runs a command and returns all that it printed and whether it ended well.
func try(dir string, env []string, name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = dir, env
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// run is try for commands that must end well.
func run(t *testing.T, dir string, env []string, name string, args ...string) string {
	t.Helper()
	out, err := try(dir, env, name, args...)
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return out
}

func (b *wired) run(name string, args ...string) string {
	b.t.Helper()
	return run(b.t, b.dir, b.env, name, args...)
}

func (b *wired) write(name, body string) {
	b.t.Helper()
	path := filepath.Join(b.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(body), 0o755); err != nil {
		b.t.Fatal(err)
	}
}

// stage changes source code and stages it.
func (b *wired) stage() {
	b.t.Helper()
	path := filepath.Join(b.dir, "store", "store.go")
	body, err := os.ReadFile(path)
	if err != nil {
		b.t.Fatal(err)
	}
	name := "Close"
	if strings.Contains(string(body), "Close") {
		name = "Close" + strings.Repeat("Again", strings.Count(string(body), ") Close"))
	}
	b.write("store/store.go", string(body)+"\n// "+name+" forgets everything.\nfunc (s *Store) "+name+"() {\n\ts.records = nil\n}\n")
	b.run("git", "add", "store/store.go")
}

func (b *wired) head() string { return strings.TrimSpace(b.run("git", "rev-parse", "HEAD")) }

// commit runs a real git commit and returns all that it printed.
func (b *wired) commit(message string) (string, error) {
	return try(b.dir, b.env, "git", "commit", "-m", strings.TrimSpace(message))
}

// warned says whether an output carries the warning about the lie.
func warned(out string) bool {
	return strings.Contains(strings.ToLower(out), "contradicted") && strings.Contains(out, "Only touches docs/usage.md")
}

// mustWarn commits the lie: the warning has to stand in what git prints, and the
// commit has to be made all the same.
func (b *wired) mustWarn() {
	b.t.Helper()
	before := b.head()
	b.stage()
	out, err := b.commit(lie)
	if err != nil {
		b.t.Fatalf("a warning blocked the commit: %v\n%s", err, out)
	}
	if !warned(out) {
		b.t.Errorf("git commit printed no warning about the false claim:\n%s", out)
	}
	if b.head() == before {
		b.t.Errorf("no commit was made:\n%s", out)
	}
	if got := strings.TrimSpace(b.run("git", "log", "-1", "--format=%B")); got != strings.TrimSpace(lie) {
		b.t.Errorf("the message was changed to %q", got)
	}
}

// mustPass commits the truth: no contradiction may be told.
func (b *wired) mustPass() {
	b.t.Helper()
	b.stage()
	out, err := b.commit(truth)
	if err != nil || strings.Contains(strings.ToLower(out), " contradicted:") {
		b.t.Errorf("an honest commit was not let through in peace: %v\n%s", err, out)
	}
}

// mustBlock commits the lie where the gate is up: git has to refuse it, say why and
// how to get the message back, and the same change with an honest message has to pass.
func (b *wired) mustBlock() {
	b.t.Helper()
	before := b.head()
	b.stage()
	out, err := b.commit(lie)
	if err == nil || b.head() != before {
		b.t.Fatalf("the gate let a false claim through:\n%s", out)
	}
	if !warned(out) || !strings.Contains(out, "git commit") {
		b.t.Errorf("the refusal does not say why, or not how to get the message back:\n%s", out)
	}
	if out, err := b.commit(truth); err != nil {
		b.t.Errorf("the honest message was refused, too: %v\n%s", err, out)
	}
}

func TestLefthook(t *testing.T) {
	b := wire(t)
	b.write("lefthook.yml", "commit-msg:\n  commands:\n    sayso:\n      run: sayso hook run commit-msg {1}\n")
	b.run("lefthook", "install")
	b.mustWarn()
	b.write("lefthook.yml", "commit-msg:\n  commands:\n    sayso:\n      run: sayso hook run commit-msg --fail-on contradicted {1}\n")
	b.run("lefthook", "install")
	b.mustBlock()
}

func TestHusky(t *testing.T) {
	b := wire(t)
	b.write("package.json", "{\"private\": true}\n")
	b.run("husky")
	b.write(".husky/commit-msg", "sayso hook run commit-msg \"$1\"\n")
	b.mustWarn()
	b.mustPass()
	b.write(".husky/commit-msg", "sayso hook run commit-msg --fail-on contradicted \"$1\"\n")
	b.mustBlock()
}

func TestPreCommit(t *testing.T) {
	b := wire(t)
	hooks, rev := snapshot(t, b.env)

	config := func(rest string) {
		b.write(".pre-commit-config.yaml", "default_install_hook_types: [pre-commit, commit-msg, pre-push]\nrepos:\n  - repo: "+hooks+"\n    rev: "+rev+"\n    hooks:\n"+rest)
		b.run("git", "add", ".pre-commit-config.yaml")
	}

	// From source: pre-commit itself builds the hook out of this checkout.
	config("      - id: sayso\n      - id: sayso-pre-push\n")
	b.run("pre-commit", "install", "--install-hooks")
	b.mustWarn()
	b.mustPass()

	remote := filepath.Join(t.TempDir(), "remote.git")
	b.run("git", "init", "-q", "--bare", "--initial-branch=main", remote)
	b.run("git", "push", "-q", "--no-verify", remote, "HEAD~2:refs/heads/main")
	b.run("git", "remote", "add", "origin", remote)
	b.run("git", "fetch", "-q", "origin")
	if out := b.run("git", "push", "origin", "HEAD:refs/heads/main"); !warned(out) {
		t.Errorf("git push printed no warning about the false claim:\n%s", out)
	}

	// The program on the PATH, with the gate up.
	config("      - id: sayso-system\n        args: [--fail-on=contradicted]\n")
	b.mustBlock()
}

// snapshot commits this checkout as it stands, uncommitted changes included, into a
// repository of its own for pre-commit to clone.
func snapshot(t *testing.T, env []string) (dir, rev string) {
	t.Helper()
	root := checkout(t)
	dir = filepath.Join(t.TempDir(), "sayso")
	list := exec.Command("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	list.Dir = root
	names, err := list.Output()
	if err != nil {
		t.Fatalf("this test needs a git checkout of sayso: %v", err)
	}
	for name := range strings.SplitSeq(string(names), "\x00") {
		info, err := os.Lstat(filepath.Join(root, name))
		if name == "" || err != nil || !info.Mode().IsRegular() {
			continue
		}
		body, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, body, info.Mode().Perm()); err != nil {
			t.Fatal(err)
		}
	}
	git := func(args ...string) string {
		return run(t, dir, env, "git", append([]string{"-c", "user.name=Example", "-c", "user.email=example@example.invalid"}, args...)...)
	}
	git("init", "-q", "--initial-branch=main", ".")
	git("add", "-A", "-f", ".")
	git("commit", "-q", "-m", "Snapshot")
	return dir, strings.TrimSpace(git("rev-parse", "HEAD"))
}

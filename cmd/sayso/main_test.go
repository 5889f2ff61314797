package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"sayso": main})
}

// TestScripts runs the program and the real git as a user would, one script a
// behaviour. Scripts have the commands of testscript and:
//
//	fixture DIR   a repository with one commit: docs/prices.md and shop/prices.py
//	lie [DIR]     changes both files in the work tree, stages nothing
//
// The message in $LIE ("Docs only.") is then false, the one in $TRUTH says nothing that is.
func TestScripts(t *testing.T) {
	bin, err := exec.LookPath("sayso")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: filepath.Join("testdata", "script"),
		Setup: func(env *testscript.Env) error {
			home := filepath.Join(env.WorkDir, "home")
			env.Setenv("HOME", home)
			env.Setenv("XDG_CONFIG_HOME", filepath.Join(home, ".config"))
			env.Setenv("GIT_CONFIG_SYSTEM", os.DevNull)
			env.Setenv("GIT_CONFIG_GLOBAL", filepath.Join(home, ".gitconfig"))
			env.Setenv("GIT_CEILING_DIRECTORIES", env.WorkDir)
			env.Setenv("SAYSO_BIN", bin)
			env.Setenv("LIE", "Describe how prices are rounded\n\nDocs only.\n")
			env.Setenv("TRUTH", "Round prices to the next even cent\n")
			env.Setenv("TERM", "dumb")
			// Under the race detector each process would sleep a second before it ends.
			env.Setenv("GORACE", "atexit_sleep_ms=0")
			return write(home, map[string]string{".gitconfig": "[user]\n\tname = N\n\temail = n@example.com\n" +
				"[init]\n\tdefaultBranch = main\n[protocol \"file\"]\n\tallow = always\n[advice]\n\tdetachedHead = false\n"})
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"fixture": func(ts *testscript.TestScript, _ bool, args []string) {
				dir := ts.MkAbs(args[0])
				ts.Check(write(dir, map[string]string{
					"docs/prices.md": "# Prices\n\nPrices are in cents.\n",
					"shop/prices.py": "def total(items):\n    return sum(i.price for i in items)\n",
				}))
				ts.Check(ts.Exec("git", "init", "-q", dir))
				ts.Check(ts.Exec("git", "-C", dir, "add", "."))
				ts.Check(ts.Exec("git", "-C", dir, "commit", "-q", "-m", "Start with prices"))
			},
			"lie": func(ts *testscript.TestScript, _ bool, args []string) {
				dir := ts.MkAbs(".")
				if len(args) > 0 {
					dir = ts.MkAbs(args[0])
				}
				ts.Check(write(dir, map[string]string{
					"docs/prices.md": "# Prices\n\nPrices are in cents. They are rounded to the next even cent.\n",
					"shop/prices.py": "def total(items):\n    cents = sum(i.price * i.count for i in items)\n    if cents % 2:\n        cents += 1\n    return cents\n",
				}))
			},
		},
	})
}

// write writes files below dir.
func write(dir string, files map[string]string) error {
	for name, content := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// environment is a clean one for running Main in-process.
func environment(t *testing.T, dir string, vars ...string) Environment {
	t.Helper()
	env := append([]string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_CONFIG_SYSTEM=" + os.DevNull,
		"GIT_AUTHOR_NAME=N", "GIT_AUTHOR_EMAIL=n@example.com", "GIT_COMMITTER_NAME=N", "GIT_COMMITTER_EMAIL=n@example.com",
	}, vars...)
	return Environment{Vars: env, Dir: dir, Self: "/nowhere/sayso", Now: fixedNow}
}

// run runs Main and returns what it printed.
func run(t *testing.T, env Environment, stdin string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	var out, errOut strings.Builder
	code = Main(args, strings.NewReader(stdin), &out, &errOut, env)
	return out.String(), errOut.String(), code
}

// gitIn runs the real git.
func gitIn(t *testing.T, env Environment, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = env.Dir, env.Vars
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

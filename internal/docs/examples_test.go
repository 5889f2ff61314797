//go:build !windows

package docs

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "write what the program prints into the pages")

// fixtureHead is the last commit of the fixture. It is part of the manual: examples
// name commits by their hash.
const fixtureHead = "f9fd201"

func TestFixtureHasTheSameHashesEverywhere(t *testing.T) {
	dir := fixture(t)
	out, err := exec.Command("git", "-C", dir, "rev-parse", "--short=7", "HEAD").Output()
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.TrimSpace(string(out)); got != fixtureHead {
		t.Errorf("the fixture ends at %s, the manual says %s", got, fixtureHead)
	}
}

func TestExamplesPrintWhatThePagesSay(t *testing.T) {
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	bin := build(t, root)
	pages := manual(t, root)
	made := fixture(t)
	vars := goEnv(t)
	var ran atomic.Int64
	t.Cleanup(func() { // the pages run at the same time, after this function
		if ran.Load() == 0 {
			t.Error("no example was run")
		}
	})
	for _, path := range pages {
		name, err := filepath.Rel(root, path)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(filepath.ToSlash(name), func(t *testing.T) {
			t.Parallel()
			s := &stage{root: root, bin: bin, made: made, goEnv: vars}
			ran.Add(int64(runPage(t, s, path)))
		})
	}
}

// manual lists the pages that may hold examples.
func manual(t *testing.T, root string) []string {
	t.Helper()
	pages := []string{filepath.Join(root, "README.md"), filepath.Join(root, "CONTRIBUTING.md")}
	err := filepath.WalkDir(filepath.Join(root, "docs"), func(path string, entry os.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && strings.HasSuffix(path, ".md") {
			pages = append(pages, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	sort.Strings(pages)
	return pages
}

// build makes the program as a user would and returns the folder it is in.
func build(t *testing.T, root string) string {
	t.Helper()
	bin := t.TempDir()
	cmd := exec.Command("go", "build", "-o", filepath.Join(bin, "sayso"), "./cmd/sayso")
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return bin
}

// goEnv is what the go command goes by.
func goEnv(t *testing.T) map[string]string {
	t.Helper()
	out, err := exec.Command("go", "env", "-json").Output()
	if err != nil {
		t.Fatal(err)
	}
	vars := map[string]string{}
	if err := json.Unmarshal(out, &vars); err != nil {
		t.Fatal(err)
	}
	return vars
}

// fixture builds the repository of the examples.
func fixture(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "orchard")
	if out, err := exec.Command("sh", "fixture.sh", dir).CombinedOutput(); err != nil {
		t.Fatalf("fixture.sh: %v\n%s", err, out)
	}
	return dir
}

// runPage runs the examples of one page and compares, or with -update writes, what
// they print. It returns how many blocks were run.
func runPage(t *testing.T, s *stage, path string) int {
	body, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(body), "\n")
	all, err := blocks(lines)
	if err != nil {
		t.Fatal(err)
	}
	if len(all) == 0 {
		return 0
	}
	s.fixture, s.home = filepath.Join(t.TempDir(), "orchard"), t.TempDir()
	if err := os.CopyFS(s.fixture, os.DirFS(s.made)); err != nil {
		t.Fatal(err)
	}
	ran := 0
	for i := range all {
		if all[i].norun {
			continue
		}
		got := s.run(t, all[i], s.folder(all[i]))
		if *update {
			all[i] = got
		} else {
			compare(t, all[i], got)
		}
		ran++
	}
	if *update {
		if page := strings.Join(render(lines, all), "\n"); page != string(body) {
			if err := os.WriteFile(path, []byte(page), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	return ran
}

// compare reports each command whose output or exit code is not what the page says.
func compare(t *testing.T, want, got block) {
	t.Helper()
	for i := range want.steps {
		said, printed := strings.Join(want.steps[i].output, "\n"), strings.Join(got.steps[i].output, "\n")
		if said != printed {
			t.Errorf("line %d: %s\n-- the page says --\n%s\n-- it printed --\n%s\n-- go test ./internal/docs -update writes it --",
				want.first, strings.Join(want.steps[i].command, "\n"), said, printed)
		}
	}
	if want.exit != got.exit {
		t.Errorf("line %d: the page says exit=%d, the last command ended with %d", want.first, want.exit, got.exit)
	}
}

// stage is what the blocks of one page share.
type stage struct {
	root, bin     string
	made          string // the fixture, built once
	fixture, home string // this page's copy of it, and its home folder
	goEnv         map[string]string
	commands      int
}

// folder is where a block runs.
func (s *stage) folder(b block) string {
	if b.self {
		return s.root
	}
	return s.fixture
}

// run runs the commands of a block and returns the block with what they printed.
func (s *stage) run(t *testing.T, b block, dir string) block {
	t.Helper()
	steps := make([]step, len(b.steps))
	b.exit = 0
	for i, st := range b.steps {
		cmd := exec.Command("sh", "-c", st.shell())
		cmd.Dir = dir
		cmd.Env = s.environment()
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &out
		err := cmd.Run()
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			t.Fatalf("line %d: %s: %v", b.first, st.shell(), err)
		}
		b.exit = cmd.ProcessState.ExitCode()
		steps[i] = step{command: st.command, output: settle(out.String(), map[string]string{
			s.fixture: "~/orchard", s.root: "~/sayso", s.bin: "~/go/bin", s.home: "~",
		})}
	}
	b.steps = steps
	return b
}

// environment is the same on every machine but for the PATH. Each command gets a
// later date, so that commits made by examples have fixed hashes, too.
func (s *stage) environment() []string {
	s.commands++
	date := time.Date(2026, 2, 1, 9, s.commands, 0, 0, time.UTC).Format(time.RFC3339)
	env := []string{
		"PATH=" + s.bin + string(os.PathListSeparator) + os.Getenv("PATH"),
		"HOME=" + s.home, "TMPDIR=" + s.home,
		"LC_ALL=C", "TZ=UTC", "TERM=dumb", "NO_COLOR=1", "COLUMNS=100",
		"GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null", "GIT_EDITOR=true",
	}
	// What is built here shares what the machine has built and fetched already.
	for _, name := range []string{"GOCACHE", "GOMODCACHE", "GOFLAGS", "GOPROXY", "GOTOOLCHAIN"} {
		env = append(env, name+"="+s.goEnv[name])
	}
	for _, who := range []string{"AUTHOR", "COMMITTER"} {
		env = append(env,
			fmt.Sprintf("GIT_%s_NAME=Example", who),
			fmt.Sprintf("GIT_%s_EMAIL=example@example.invalid", who),
			fmt.Sprintf("GIT_%s_DATE=%s", who, date))
	}
	return env
}

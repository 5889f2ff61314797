package index

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/saysolint/sayso/internal/git"
)

// fixture is a bare repository made by one git fast-import stream.
type fixture struct {
	t      testing.TB
	dir    string
	stream bytes.Buffer
	mark   int
	marks  map[string]int // by the name given to commit
	files  map[int]map[string]string
}

func newFixture(t testing.TB) *fixture {
	t.Helper()
	f := &fixture{t: t, dir: filepath.Join(t.TempDir(), "repo.git"), marks: map[string]int{}, files: map[int]map[string]string{}}
	f.git("init", "-q", "--bare", "-b", "main", f.dir)
	return f
}

func testEnv() []string {
	return append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null", "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=A", "GIT_COMMITTER_EMAIL=a@example.com",
		"GIT_AUTHOR_DATE=1700000000 +0000", "GIT_COMMITTER_DATE=1700000000 +0000")
}

func (f *fixture) git(args ...string) string {
	f.t.Helper()
	c := exec.Command("git", args...)
	c.Env = testEnv()
	if f.stream.Len() > 0 && args[0] == "-C" && args[2] == "fast-import" {
		c.Stdin = &f.stream
	}
	if _, err := os.Stat(f.dir); err == nil {
		c.Dir = f.dir
	}
	out, err := c.CombinedOutput()
	if err != nil {
		f.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// commit adds a commit on branch on top of the named parents (none: a root).
// changes maps a path to its content; "-" removes it.
func (f *fixture) commit(name, branch, subject string, parents []string, changes map[string]string) {
	f.mark++
	f.marks[name] = f.mark
	s := &f.stream
	fmt.Fprintf(s, "commit refs/heads/%s\nmark :%d\ncommitter A <a@example.com> %d +0000\ndata %d\n%s\n", branch, f.mark, 1700000000+60*f.mark, len(subject), subject)
	if len(parents) == 0 && f.mark > 1 {
		fmt.Fprintf(s, "from %040d\n", 0)
	}
	tree := map[string]string{}
	for i, p := range parents {
		verb := "merge"
		if i == 0 {
			verb = "from"
			for k, v := range f.files[f.marks[p]] {
				tree[k] = v
			}
		}
		fmt.Fprintf(s, "%s :%d\n", verb, f.marks[p])
	}
	paths := make([]string, 0, len(changes))
	for p := range changes {
		paths = append(paths, p)
	}
	slices.Sort(paths)
	for _, p := range paths {
		if c := changes[p]; c == "-" {
			delete(tree, p)
			fmt.Fprintf(s, "D %s\n", git.Quote(p))
		} else {
			tree[p] = c
			fmt.Fprintf(s, "M 100644 inline %s\ndata %d\n%s\n", git.Quote(p), len(c), c)
		}
	}
	s.WriteByte('\n')
	f.files[f.mark] = tree
}

// load runs the import and returns the hash of every named commit.
func (f *fixture) load() map[string]string {
	f.t.Helper()
	marks := filepath.Join(f.dir, "marks")
	f.git("-C", f.dir, "fast-import", "--quiet", "--force", "--export-marks="+marks)
	data, err := os.ReadFile(marks)
	if err != nil {
		f.t.Fatal(err)
	}
	byMark := map[string]string{}
	for _, line := range strings.Split(strings.TrimSpace(string(data)), "\n") {
		m, h, _ := strings.Cut(line, " ")
		byMark[m] = h
	}
	out := map[string]string{}
	for name, m := range f.marks {
		out[name] = byMark[fmt.Sprintf(":%d", m)]
	}
	return out
}

func (f *fixture) open() *git.Repo {
	f.t.Helper()
	return openRepo(f.t, f.dir)
}

func openRepo(t testing.TB, dir string) *git.Repo {
	t.Helper()
	r, err := git.Open(context.Background(), dir, git.Options{Env: testEnv()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

func mustBuild(t testing.TB, r *git.Repo, o Options) *Index {
	t.Helper()
	ix, err := Build(context.Background(), r, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ix.Close() })
	return ix
}

func mustView(t testing.TB, ix *Index, r *git.Repo, commit string, o AtOptions, names ...string) *View {
	t.Helper()
	v, err := ix.At(context.Background(), r, commit, o)
	if err != nil {
		t.Fatal(err)
	}
	if err := v.Prefetch(context.Background(), names); err != nil {
		t.Fatal(err)
	}
	return v
}

func mustHistory(t testing.TB, v *View) *History {
	t.Helper()
	h, err := v.History(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return h
}

package schemas_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/saysolint/sayso/internal/git"
	"github.com/saysolint/sayso/memory"
	"github.com/saysolint/sayso/report"
	"github.com/saysolint/sayso/sweep"
)

// sweepSchemas makes the schema of what `sayso sweep` writes.
func sweepSchemas(g *generator) map[string]*jsonschema.Schema {
	s := g.schema(reflect.TypeFor[report.Sweep](), "What `sayso sweep --json` writes.")
	s.Properties["schema"].Const = jsonschema.Ptr[any](sweep.Schema)
	return map[string]*jsonschema.Schema{"sweep": s}
}

func TestSweepsFollowTheirSchema(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	run := func(args ...string) string {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=N", "-c", "user.email=n@example.com"}, args...)...)
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
		return string(out)
	}
	write := func(text string) {
		if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		run("add", ".")
		run("commit", "-q", "-m", "Write it")
	}
	run("init", "-q")
	write("one line of some length\nanother line of text\nthe last line of them\n")
	base := run("rev-parse", "HEAD")[:40]
	write("a head\none line of some length\nanother line of words\nthe last line of them\n")
	repo, err := git.Open(ctx, dir, git.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer repo.Close()
	set := memory.NewSet([]memory.Entry{
		{ID: "a", Title: "A", Kind: memory.KindDecision, ReviewState: memory.Reviewed, SourceRefs: []memory.SourceRef{
			{Type: "file", ID: base, Path: "a.txt", LineStart: 1, LineEnd: 3}, {Type: "file", ID: base, Path: "a.txt", LineStart: 1, LineEnd: 1},
			{Type: "file", ID: base, Path: "b.txt", LineStart: 1, LineEnd: 1}, {Type: "commit", ID: "0123456789abcdef"},
		}},
		{ID: "b", Title: "B", Kind: memory.KindFact, ReviewState: memory.Reviewed, Supersedes: "c"},
	}, nil)
	res, err := sweep.Run(ctx, sweep.Input{Repo: repo, Set: set, Folder: memory.DefaultFolder, Now: time.Unix(0, 0)})
	if err != nil {
		t.Fatal(err)
	}
	if len(res.Findings) < 5 {
		t.Errorf("only %d findings to look at", len(res.Findings))
	}
	for _, s := range []report.Sweep{
		{Result: *res},
		{Result: *res, DryRun: true, Applied: []sweep.Applied{{Entry: "a", RelPath: "x/a.md", Action: "reanchor", Reason: "r", Diff: "d"}}},
	} {
		follows(t, "sweep", s)
	}
}

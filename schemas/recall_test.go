package schemas_test

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"reflect"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/saysolint/sayso/internal/git"
	"github.com/saysolint/sayso/memory"
	"github.com/saysolint/sayso/recall"
)

// recallSchemas makes the schemas of what `sayso recall` and `sayso brief` write.
func recallSchemas(g *generator) map[string]*jsonschema.Schema {
	answer := g.schema(reflect.TypeFor[recall.Answer](), "What `sayso recall --json` writes.")
	answer.Properties["schema"].Const = jsonschema.Ptr[any](recall.AnswerSchema)
	hit := answer.Properties["hits"].Items
	hit.Properties["tier"].Enum = anys(recall.Tiers)
	hit.Properties["kind"].Enum = anys(recall.Kinds)
	brief := g.schema(reflect.TypeFor[recall.Brief](), "What `sayso brief --json` writes.")
	brief.Properties["schema"].Const = jsonschema.Ptr[any](recall.BriefSchema)
	return map[string]*jsonschema.Schema{"recall": answer, "brief": brief}
}

func TestAnswersAndBriefsFollowTheirSchemas(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	for _, args := range [][]string{
		{"init", "-q", dir},
		{"-C", dir, "-c", "user.name=N", "-c", "user.email=n@example.com", "commit", "-q", "--allow-empty", "-m", "Bound the cache\n\nIt ate the memory."},
	} {
		cmd := exec.Command("git", args...)
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	repo, err := git.Open(ctx, dir, git.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer repo.Close()
	set := memory.NewSet([]memory.Entry{
		{ID: "a", Title: "Caches have bounds", Kind: memory.KindDecision, ReviewState: memory.Reviewed, Version: 2, StateDate: "2026-01-01"},
		{ID: "b", Title: "Caches have none", Kind: memory.KindDecision, ReviewState: memory.Proposed},
	}, nil)
	for _, m := range []*memory.Set{nil, set} {
		lib, err := recall.Open(ctx, repo, recall.Options{Memory: m})
		if err != nil {
			t.Fatal(err)
		}
		answer, err := lib.Ask(ctx, recall.Question{Text: "why is the cache bounded"}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if want := map[bool]int{true: 1, false: 2}[m == nil]; len(answer.Hits) != want {
			t.Errorf("%d hits, want %d", len(answer.Hits), want)
		}
		follows(t, "recall", answer)
	}
	follows(t, "brief", recall.NewBrief(set, 100))
	follows(t, "brief", recall.NewBrief(memory.NewSet(nil, nil), 1))
}

// follows checks what a command would write against a schema.
func follows(t *testing.T, schema string, v any) {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	if err := validates(compiled(t, schema), data); err != nil {
		t.Errorf("%s: %v\n%s", schema, err, data)
	}
}

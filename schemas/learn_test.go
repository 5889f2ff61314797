package schemas_test

import (
	"context"
	"reflect"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/saysolint/sayso/checks"
	"github.com/saysolint/sayso/internal/learn"
	"github.com/saysolint/sayso/memory"
	"github.com/saysolint/sayso/memory/publish"
)

// learnSchemas makes the schemas of what `sayso learn` and `sayso publish` write.
func learnSchemas(g *generator) map[string]*jsonschema.Schema {
	drafts := g.schema(reflect.TypeFor[learn.Output](), "What `sayso learn --json` writes and `sayso publish --drafts` reads.")
	drafts.Properties["schema"].Const = jsonschema.Ptr[any](learn.Schema)
	draft := drafts.Properties["drafts"].Items
	draft.Properties["mark"].Enum = anys(learn.Marks)
	draft.Properties["near"].Items.Properties["relation"].Enum = anys([]learn.Relation{learn.Same, learn.Similar, learn.Conflict})
	published := g.schema(reflect.TypeFor[publish.Output](), "What `sayso publish --json` writes.")
	published.Properties["schema"].Const = jsonschema.Ptr[any](publish.Schema)
	published.Properties["entries"].Items.Properties["fate"].Enum = anys([]memory.Fate{memory.Added, memory.Updated, memory.Kept, memory.Held})
	published.Properties["target"].Properties["kind"].Enum = anys([]string{"worktree", "branch", "remote"})
	all := map[string]*jsonschema.Schema{"learn": drafts, "publish": published}
	for _, s := range all {
		limitRecords(s)
	}
	return all
}

func TestDraftsAndPublicationsFollowTheirSchemas(t *testing.T) {
	ctx := context.Background()
	at := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	drafts, left := learn.Drafts(learn.Change{
		Commit: "0123456789abcdef0123456789abcdef01234567", Author: "A", At: at,
		Message: "One\n\nDecision: Prices are cents\nSupersedes: gone\nFact: Prices are cents always\n\nSupersedes: x y\n",
		Body:    "```sayso\nscope: x\n```\n",
	}, learn.Options{})
	err := learn.Rule(ctx, drafts, func(context.Context, string) (checks.Judgement, error) {
		return checks.Judgement{Claims: []checks.Finding{{Verdict: checks.Contradicted, Strength: checks.Likely, Check: "scope", Reason: "no", Evidence: []checks.Evidence{{Path: "a", Line: 1}}}}}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	learn.Compare(drafts, memory.NewSet([]memory.Entry{{ID: drafts[0].Entry.ID, Title: "Prices are cents", ReviewState: memory.Reviewed}}, nil))
	out := learn.Output{Schema: learn.Schema, Coverage: learn.Coverage{Failed: []string{}}, Drafts: []learn.Record{}, Left: left}
	var arrivals []memory.Arrival
	for i := range drafts {
		r := drafts[i].Record()
		r.Accepted = &learn.Accepted{By: "R"}
		out.Drafts = append(out.Drafts, r)
		arrivals = append(arrivals, drafts[i].Arrival())
	}
	if len(drafts) != 2 || len(left) == 0 || len(drafts[1].Near) == 0 {
		t.Fatalf("%+v, %+v", drafts, left)
	}
	follows(t, "learn", out)
	follows(t, "learn", learn.Output{Schema: learn.Schema, Coverage: learn.Coverage{Failed: []string{}}, Drafts: []learn.Record{}, Left: []learn.Left{}})

	store, err := memory.Open(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	arrivals = append(arrivals, memory.Arrival{ID: "faulty", Raw: []byte("---\ntitle: a\ntitle: b\n---\n")})
	r, err := publish.Publish(ctx, publish.Target{}, arrivals, publish.Options{Store: store})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range []publish.Result{r, {Target: publish.Target{Remote: "https://a:b@example.com/x.git", Folder: "m"}, Commit: "c", Tip: "t", Attempts: 2}} {
		follows(t, "publish", r.Output([]publish.Left{{ID: "x", Reason: "y"}}, true, "repo"))
	}
}

package recall

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/saysolint/sayso/memory"
)

func TestABriefTellsWhatHoldsWhatChangedAndWhatWaits(t *testing.T) {
	set := memory.NewSet([]memory.Entry{
		{ID: "old", Kind: memory.KindDecision, ReviewState: memory.Reviewed, Title: "Old", StateDate: "2026-01-01"},
		{ID: "new", Kind: memory.KindDecision, ReviewState: memory.Reviewed, Title: "New", Supersedes: "old", Decisions: []string{"Do so"}, StateDate: "2026-02-01"},
		{ID: "fact", Kind: memory.KindFact, ReviewState: memory.Reviewed, Title: "Fact", StateDate: "2026-03-01"},
		{ID: "way", Kind: memory.KindConvention, ReviewState: memory.Reviewed, Title: "Way", StateDate: "2025-01-01"},
		{ID: "late", Kind: memory.KindDecision, ReviewState: memory.Stale, Title: "Late", StateReason: "gone", StateDate: "2026-04-01"},
		{ID: "draft", Kind: memory.KindDecision, ReviewState: memory.Proposed, Title: "Draft", PendingRevision: "new", StateDate: "2026-05-01"},
		{ID: "stub", Stub: true, ReviewState: memory.Stale},
	}, nil)
	b := NewBrief(set, 1000)
	ids := func(items []BriefItem) (out []string) {
		for _, it := range items {
			out = append(out, it.ID)
		}
		return out
	}
	if got := ids(b.InForce); !slices.Equal(got, []string{"new", "way"}) {
		t.Errorf("in force: %v", got)
	}
	if got := ids(b.Changes); !slices.Equal(got, []string{"late", "fact", "new", "old", "way"}) {
		t.Errorf("changes: %v", got)
	}
	if got := ids(b.Pending); !slices.Equal(got, []string{"draft"}) || b.Pending[0].Tag != "draft  v1, pending revision against new" {
		t.Errorf("pending: %+v", b.Pending)
	}
	if b.Changes[3].State != memory.Superseded {
		t.Errorf("what was superseded reads as %s", b.Changes[3].State)
	}
	if b.Coverage.State != "partial" || b.Coverage.Entries.Stubs != 1 || b.Coverage.Entries.InForce != 3 {
		t.Errorf("coverage %+v", b.Coverage)
	}
}

func TestABriefKeepsItsBudget(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var entries []memory.Entry
		for i := range rapid.IntRange(0, 40).Draw(t, "entries") {
			entries = append(entries, memory.Entry{
				ID: fmt.Sprintf("e%d", i), Kind: rapid.SampledFrom(memory.Kinds).Draw(t, "kind"), ReviewState: rapid.SampledFrom(memory.States).Draw(t, "state"),
				Title: rapid.StringN(1, 80, 240).Draw(t, "title"), Goal: rapid.StringN(0, 300, 900).Draw(t, "goal"), StateDate: "2026-01-01",
			})
		}
		budget := rapid.IntRange(0, 2000).Draw(t, "budget")
		b := NewBrief(memory.NewSet(entries, nil), budget)
		sum, n := 0, 0
		for _, part := range [][]BriefItem{b.InForce, b.Changes, b.Pending} {
			for i := range part {
				sum += part[i].tokens()
				n++
			}
		}
		if sum > budget || sum != b.Coverage.Tokens {
			t.Fatalf("%d tokens of %d, told as %d", sum, budget, b.Coverage.Tokens)
		}
		if (b.Coverage.Left > 0) != (b.Coverage.State == "partial") {
			t.Fatalf("%d left out and %s", b.Coverage.Left, b.Coverage.State)
		}
	})
}

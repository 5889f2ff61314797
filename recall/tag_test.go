package recall

import (
	"testing"

	"github.com/saysolint/sayso/memory"
)

func TestTheRevisionLineIsComputedFromTheHistory(t *testing.T) {
	set := memory.NewSet([]memory.Entry{
		{ID: "a", ReviewState: memory.Superseded, Version: 1, Title: "Old", Goal: "x"},
		{ID: "b", ReviewState: memory.Superseded, Version: 1, Supersedes: "a", Title: "Mid", Goal: "x", Decisions: []string{"one"}},
		{ID: "c", ReviewState: memory.Reviewed, Version: 1, Supersedes: "b", Title: "New", Goal: "x", Decisions: []string{"one", "two"}},
		{ID: "said", ReviewState: memory.Reviewed, Version: 3, Supersedes: "gone", LastDeltaSummary: "narrowed to tests"},
		{ID: "bare", ReviewState: memory.Reviewed, Version: 4},
		{ID: "merged", ReviewState: memory.Reviewed, Version: 2, MergedFrom: []string{"a", "b", "said"}, PendingRevision: "c", LastDeltaSummary: "x"},
		{ID: "pending", ReviewState: memory.Proposed, Version: 1, PendingRevision: "c"},
		{ID: "fresh", ReviewState: memory.Reviewed, Version: 1},
		{ID: "loop1", ReviewState: memory.Reviewed, Supersedes: "loop2"},
		{ID: "loop2", ReviewState: memory.Reviewed, Supersedes: "loop1"},
	}, nil)
	delta := memory.Delta(*set.Get("b"), *set.Get("c"))
	if delta == "" {
		t.Fatal("there is no difference to tell")
	}
	for id, want := range map[string]string{
		"fresh":   "",
		"a":       "",
		"c":       "c  v3 — " + delta,
		"said":    "said  v3 — narrowed to tests",
		"bare":    "bare  v4",
		"merged":  "merged  v4 (merged 3 memories)",
		"pending": "pending  v1, pending revision against c",
		"loop1":   "loop1  v2",
	} {
		if got := Tag(set, set.Get(id)); got != want {
			t.Errorf("%s: got %q, want %q", id, got, want)
		}
	}
}

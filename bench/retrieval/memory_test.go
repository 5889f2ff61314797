package retrieval

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/saysolint/sayso/internal/git"
	"github.com/saysolint/sayso/memory"
)

// records is a tree with n decision records about different things.
type records int

var subjects = []string{"cache", "queue", "login", "price", "report", "index", "backup", "mail", "search", "upload", "invoice", "clock", "router", "theme", "export"}

func (n records) Tree(context.Context, string) ([]git.TreeEntry, error) {
	out := []git.TreeEntry{
		{Mode: "100644", Type: "blob", Object: "readme", Path: "README.md"},
		{Mode: "120000", Type: "blob", Object: "link", Path: "docs/adr/link.md"},
		{Mode: "100644", Type: "blob", Object: "gone", Path: "docs/adr/gone.md"},
	}
	for i := range int(n) {
		out = append(out, git.TreeEntry{Mode: "100644", Type: "blob", Object: fmt.Sprint(i), Path: fmt.Sprintf("docs/adr/%04d-record.md", i)})
	}
	return out, nil
}

func (n records) Blob(_ context.Context, object string, _ int64) ([]byte, error) {
	var i int
	if _, err := fmt.Sscan(object, &i); err != nil {
		return nil, git.ErrMissing
	}
	s := subjects[i%len(subjects)]
	return fmt.Appendf(nil, "# Keep the %s simple\n\n## Context\n\nThe %s of the shop is slow because the %s was written by many people in a hurry. Every customer of the %s waits too long for an answer of it.\n\n## Decision\n\nWe rewrite the %s.\n", s, s, s, s, s), nil
}

func TestRecordsAreReadFromFoldersOfDecisions(t *testing.T) {
	docs, err := Records(t.Context(), records(3), "HEAD")
	if err != nil || len(docs) != 3 {
		t.Fatalf("%v: %d documents", err, len(docs))
	}
}

func TestWhatAsksIsNotInTheEntryThatAnswers(t *testing.T) {
	docs, err := Records(t.Context(), records(15), "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	s := NewStore(memory.FromADRs(docs).Entries, 1)
	if len(s.Entries) != 15 || len(s.Questions) != 15 {
		t.Fatalf("%d entries, %d questions", len(s.Entries), len(s.Questions))
	}
	out := 0
	for i, q := range s.Questions {
		e := s.Entries[i]
		if q.Answer != e.ID || q.Holds != (e.ReviewState == memory.Reviewed) {
			t.Errorf("question %d: %+v of %s, %s", i, q, e.ID, e.ReviewState)
		}
		if q.How != ByWords && strings.Contains(strings.Join(strings.Fields(wholeText(&e)), " "), q.Text) {
			t.Errorf("%q is still in its answer", q.Text)
		}
		if !q.Holds {
			out++
		}
	}
	if out != 3 {
		t.Errorf("%d entries do not hold, want every fifth", out)
	}
}

func TestNothingThatDoesNotHoldAnswers(t *testing.T) {
	docs, err := Records(t.Context(), records(15), "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	res, err := MeasureMemory(t.Context(), NewStore(memory.FromADRs(docs).Entries, 1), nil)
	if err != nil {
		t.Fatal(err)
	}
	if res.Leaks != 0 || res.Holding != 12 || res.Questions != 12 || res.Others != 3 {
		t.Errorf("%+v", res)
	}
	if r := res.Rows[0]; r.Name != "best" || r.At10 < 0.9 {
		t.Errorf("records that differ in one word only: %+v", r)
	}
}

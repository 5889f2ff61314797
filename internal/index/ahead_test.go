package index

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestWhatIsReadAheadAnswersAsWhatIsReadLate asks for every commit twice, once
// read ahead and once not, from an index before, between and behind them.
func TestWhatIsReadAheadAnswersAsWhatIsReadLate(t *testing.T) {
	f, c := small(t)
	r := f.open()
	for _, built := range []string{"root", "second", "third", "side2", "top"} {
		for name, commit := range c {
			t.Run(fmt.Sprintf("%s from %s", name, built), func(t *testing.T) {
				late, early := mustBuild(t, r, Options{Commit: c[built]}), mustBuild(t, r, Options{Commit: c[built]})
				defer late.Close()
				defer early.Close()
				early.Ahead(context.Background(), r, commit)
				x := mustView(t, late, r, commit, AtOptions{HistoryAt: commit}, "slugify", "Dial", "Sync")
				y := mustView(t, early, r, commit, AtOptions{HistoryAt: commit}, "slugify", "Dial", "Sync")
				if d := cmp.Diff(pathAnswers(x), pathAnswers(y)); d != "" {
					t.Error(d)
				}
				for _, n := range []string{"slugify", "Dial", "Sync"} {
					a, _ := x.Definitions(n)
					if b, known := y.Definitions(n); !known || !cmp.Equal(a, b) {
						t.Errorf("%s: %v and %v", n, a, b)
					}
				}
				a, b := mustHistory(t, x), mustHistory(t, y)
				if a.Commits() != b.Commits() || a.Word("slug") != b.Word("slug") || a.Touching([]string{"net"}) != b.Touching([]string{"net"}) {
					t.Errorf("history: %d and %d commits", a.Commits(), b.Commits())
				}
			})
		}
	}
}

func TestAStraightLineIsReadWithOneWalk(t *testing.T) {
	f, c := small(t)
	r := f.open()
	ix := mustBuild(t, r, Options{Commit: c["root"]})
	ix.Ahead(context.Background(), r, c["third"])
	if ix.near.proc != nil {
		t.Error("the difference of the trees was asked for as well")
	}
	if o := ix.near.find(c["third"], none, none); o == nil || len(o.files) != 2 {
		t.Errorf("overlay %+v", o)
	}
}

func TestReadingAheadThatIsCutShortCostsNothing(t *testing.T) {
	f, c := small(t)
	r := f.open()
	ix := mustBuild(t, r, Options{Commit: c["root"]})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	ix.Ahead(ctx, r, c["third"])
	v := mustView(t, ix, r, c["third"], AtOptions{HistoryAt: c["third"]})
	if h := mustHistory(t, v); !v.HasFile("scripts/util.py") || h.Commits() != 3 {
		t.Errorf("%d commits", h.Commits())
	}
}

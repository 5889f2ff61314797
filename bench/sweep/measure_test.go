package sweep_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	bench "github.com/saysolint/sayso/bench/sweep"
	"github.com/saysolint/sayso/internal/git"
	"github.com/saysolint/sayso/internal/git/gittest"
)

// function is a function of its own, with words that no other one has.
func function(i int) string {
	return fmt.Sprintf("// compute%03d answers question %d of the catalogue.\nfunc compute%03d(input int) int {\n\tresult%03d := input * %d\n\tresult%03d += offset%03d\n\treturn result%03d\n}\n\n", i, i, i, i, i+7, i, i, i)
}

func TestMeasureKnowsWhereLinesWent(t *testing.T) {
	r := gittest.New(t)
	file := func(from, to int) string {
		var b strings.Builder
		b.WriteString("package a\n\n")
		for i := from; i < to; i++ {
			b.WriteString(function(i))
		}
		return b.String()
	}
	r.Write("stay.go", file(0, 10))
	r.Write("shift.go", file(10, 20))
	r.Write("rename.go", file(20, 30))
	r.Write("delete.go", file(30, 40))
	r.Commit("Begin")
	r.Write("shift.go", "// A line above.\n\n"+file(10, 20))
	r.Git("mv", "rename.go", "renamed.go")
	r.Remove("delete.go")
	r.Commit("Move on")
	repo, err := git.Open(context.Background(), r.Dir, git.Options{Env: r.Env()})
	if err != nil {
		t.Fatal(err)
	}
	defer repo.Close()
	plan := bench.Plan{Seed: 1, Back: []int{1, 100}, Anchors: 12}
	var said []string
	res, err := bench.Measure(context.Background(), []bench.Named{{Name: "made", Repo: repo}}, plan, time.Unix(0, 0), func(s string) { said = append(said, s) })
	if err != nil {
		t.Fatal(err)
	}
	c := res.Total
	if len(res.Rows) != 1 || len(said) != 1 {
		t.Errorf("%d rows and %q: a history of two commits has one pair", len(res.Rows), said)
	}
	// Three of each file: those of delete.go are gone, all others are whole.
	if c.Planted != 12 || c.Unmodified != 9 || c.Unmoved != 3 || c.Within != 3 || c.Across != 3 {
		t.Errorf("blame: %+v", c)
	}
	if c.Precision() != 1 || c.Recall() != 1 || c.FalseFlags() != 0 || c.Dead != 3 || c.DeadFound != 3 {
		t.Errorf("the sweep: %+v\n%s", c, strings.Join(res.Lines(), "\n"))
	}
	again, err := bench.Measure(context.Background(), []bench.Named{{Name: "made", Repo: repo}}, plan, time.Unix(0, 0), func(string) {})
	if err != nil || again.Total != res.Total {
		t.Errorf("another run: %+v, %v", again.Total, err)
	}
}

func TestCostCountsWhatItSweeps(t *testing.T) {
	r := gittest.New(t)
	for i := range 20 {
		r.Write(fmt.Sprintf("f%d.go", i), "package a\n\n"+function(i)+function(i+50))
		r.Commit("Add a file")
	}
	repo, err := git.Open(context.Background(), r.Dir, git.Options{Env: r.Env()})
	if err != nil {
		t.Fatal(err)
	}
	defer repo.Close()
	now := time.Unix(0, 0)
	spent, err := bench.Cost(context.Background(), bench.Named{Name: "made", Repo: repo}, 40, bench.Plan{Seed: 1, Back: []int{19}}, func() time.Time { now = now.Add(time.Second); return now })
	if err != nil {
		t.Fatal(err)
	}
	if spent.Files != 20 || spent.Entries < 20 || spent.Anchors.Total != 2*spent.Entries || spent.Anchors.Intact != spent.Anchors.Total || spent.Seconds != 1 {
		t.Errorf("%+v", spent)
	}
}

func TestWilson(t *testing.T) {
	if lo, hi := bench.Wilson(0, 100); lo != 0 || hi < 0.03 || hi > 0.04 {
		t.Errorf("0 of 100: %f to %f", lo, hi)
	}
	if lo, hi := bench.Wilson(0, 0); lo != 0 || hi != 1 {
		t.Errorf("nothing: %f to %f", lo, hi)
	}
}

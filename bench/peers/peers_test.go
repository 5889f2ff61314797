package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestSyntheticRepositoryIsTheSameEverywhere(t *testing.T) {
	ctx := context.Background()
	s := size{files: 80, commits: 40, behind: 7}
	var tips []string
	for range 2 {
		r, err := plant(ctx, filepath.Join(t.TempDir(), "plant"), s)
		if err != nil {
			t.Fatal(err)
		}
		git := func(args ...string) string {
			out, err := r.git(ctx, nil, args...)
			if err != nil {
				t.Fatal(err)
			}
			return strings.TrimSpace(out)
		}
		if got := git("rev-list", "--count", "refs/tip"); got != "40" {
			t.Errorf("%s commits", got)
		}
		if got := git("rev-list", "--count", "HEAD..refs/tip"); got != "7" {
			t.Errorf("the branch is %s commits behind its tip before the index is built", got)
		}
		if err := r.forward(ctx); err != nil {
			t.Fatal(err)
		}
		if got := len(strings.Fields(git("ls-files"))); got != s.files {
			t.Errorf("%d files", got)
		}
		if err := r.stage(ctx); err != nil {
			t.Fatal(err)
		}
		staged := strings.Fields(git("diff-index", "--cached", "--name-only", "HEAD"))
		message, err := os.ReadFile(r.message)
		if err != nil {
			t.Fatal(err)
		}
		if len(staged) != 2 {
			t.Errorf("staged %v", staged)
		}
		for _, path := range staged {
			if !strings.Contains(string(message), path) {
				t.Errorf("the message does not name %s:\n%s", path, message)
			}
		}
		tips = append(tips, git("rev-parse", "HEAD"))
	}
	if tips[0] != tips[1] {
		t.Errorf("two runs gave %v", tips)
	}
}

func TestMedianOfRuns(t *testing.T) {
	for want, runs := range map[time.Duration][]sample{
		2: {{wall: 3}, {wall: 1}, {wall: 2}},
		3: {{wall: 4}, {wall: 2}},
	} {
		c := contestant{runs: runs}
		if got := c.wall().median; got != want {
			t.Errorf("median of %v is %d, want %d", runs, got, want)
		}
	}
}

func TestBudgetsAreKeptOrMissed(t *testing.T) {
	var out strings.Builder
	broken, err := printBudgets(&out, []budget{
		{what: "fast enough", value: 60, limit: 60, unit: "ms"},
		{what: "too slow", value: 60.1, limit: 60, unit: "ms"},
		{what: "ahead", value: 8, limit: 8, unit: "times", least: true},
		{what: "not ahead", value: 7.9, limit: 8, unit: "times", least: true},
	})
	if err != nil || broken != 2 || strings.Count(out.String(), "MISSED") != 2 {
		t.Errorf("%d broken, %v:\n%s", broken, err, out.String())
	}
}

func TestAPeerThatIsRequiredHasItsOwnBudgetOnly(t *testing.T) {
	hooks := []*contestant{
		{name: "sayso", runs: []sample{{wall: 10}}},
		{name: "commitlint", runs: []sample{{wall: 100}}},
		{name: "gitlint", runs: []sample{{wall: 20}}},
	}
	for require, want := range map[string]int{"": 4, "commitlint": 1, "gitlint": 1} {
		if got := hookBudgets(hooks, require); len(got) != want {
			t.Errorf("require %q: %v", require, got)
		}
	}
	if b := hookBudgets(hooks, "gitlint")[0]; b.met() {
		t.Errorf("twice as fast counts as three times: %v", b)
	}
}

func TestTheFirstHookAfterAPullHasABoundOfItsOwn(t *testing.T) {
	hooks := []*contestant{
		{name: "sayso", runs: []sample{{wall: 50 * time.Millisecond}}},
		{name: firstHook, runs: []sample{{wall: 70 * time.Millisecond}}},
	}
	list := hookBudgets(hooks, "")
	if len(list) != 3 || list[2].met() || list[2].value != 70 {
		t.Errorf("%+v", list)
	}
}

func TestFiguresAreWrittenForPrograms(t *testing.T) {
	path := filepath.Join(t.TempDir(), "figures.json")
	rec := &record{Files: 1, Missing: []string{}}
	rec.add(&contestant{name: "sayso", runs: []sample{
		{wall: 3 * time.Millisecond, cpu: time.Millisecond}, {wall: time.Millisecond, cpu: time.Millisecond, peak: 9}, {wall: 2 * time.Millisecond, cpu: time.Millisecond},
	}})
	if err := rec.write(path, []budget{{what: "speed", value: 7.9, limit: 8, unit: "times", least: true}}); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var got record
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	if p := got.Programs[0]; p.WallMS != (three{1, 2, 3}) || p.Runs != 3 || p.Peak != 9 {
		t.Errorf("%+v", p)
	}
	if b := got.Bounds[0]; b.Holds || b.Kind != "at least" {
		t.Errorf("%+v", b)
	}
}

func TestProgramsThatFailAreErrors(t *testing.T) {
	c := contestant{name: "git", args: []string{"git", "no-such-command"}, dir: t.TempDir(), fine: []int{0}}
	if err := c.once(context.Background(), true); err == nil || len(c.runs) != 0 {
		t.Errorf("got %v and %d runs", err, len(c.runs))
	}
}

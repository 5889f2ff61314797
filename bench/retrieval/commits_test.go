package retrieval

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/saysolint/sayso/internal/git"
)

// history is commits by hash, the newest first.
type history []git.Commit

func (h history) Log(_ context.Context, opts git.LogOptions, yield func(git.LogCommit) error) error {
	for i, c := range h {
		if opts.Max > 0 && i >= opts.Max {
			break
		}
		if err := yield(git.LogCommit{Hash: c.Hash, Parents: c.Parents}); err != nil {
			return err
		}
	}
	return nil
}

func (h history) Commit(_ context.Context, hash string) (*git.Commit, error) {
	i := slices.IndexFunc(h, func(c git.Commit) bool { return c.Hash == hash })
	if i < 0 {
		return nil, git.ErrMissing
	}
	return &h[i], nil
}

func sample() history {
	return history{
		{Hash: "a", Message: "Bound the cache\n\nKeep a thousand rows. It has to be bounded because otherwise a long run eats all the memory of the machine. Tests follow."},
		{Hash: "b", Parents: []string{"c", "d"}, Message: "Merge\n\nThis is no question because merges are nobody's own words about anything."},
		{Hash: "c", Message: "Parse dates in UTC\n\n> quoted because somebody else wrote this sentence long before that"},
		{Hash: "d", Message: "Retry writes\n\nA write that fails is tried again, since the disk of the build servers answers late at night."},
	}
}

func TestTheSentenceThatAsksIsNotInTheTextThatIsSearched(t *testing.T) {
	s, err := Commits(context.Background(), sample(), 0, 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Commits) != 3 || len(s.Questions) != 2 {
		t.Fatalf("%d commits, %d questions", len(s.Commits), len(s.Questions))
	}
	q := s.Questions[0]
	c := s.Commits[q.Answer]
	if c.Hash != "a" || !strings.Contains(q.Text, "because otherwise") || strings.Contains(c.Body, "because") || !strings.Contains(c.Body, "Keep a thousand rows.") || !strings.Contains(c.Body, "Tests follow.") {
		t.Errorf("question %q of %+v", q.Text, c)
	}
	if one, err := Commits(context.Background(), sample(), 0, 1, 1); err != nil || len(one.Questions) != 1 {
		t.Errorf("asked for one question, got %+v, %v", one, err)
	}
}

func TestMeasuringCountsPlaces(t *testing.T) {
	s := &Set{}
	for i := range 30 {
		s.Commits = append(s.Commits, Commit{Hash: fmt.Sprint(i), Subject: fmt.Sprintf("Change part%d", i), Body: "the same words for all of them"})
		s.Questions = append(s.Questions, Question{Text: fmt.Sprintf("part%d", i), Answer: i})
	}
	s.Questions = append(s.Questions, Question{Text: "nobody says this", Answer: 3}) // "this" and no other word of it
	none := func(context.Context, string) ([]int, error) { return nil, nil }
	second := func(_ context.Context, _ string) ([]int, error) { return []int{-1, 3}, nil }
	res, err := MeasureCommits(context.Background(), []*Set{s}, func(*Set) (map[string]Searcher, error) {
		return map[string]Searcher{"none": none, "second": second}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if res.Commits != 30 || res.Questions != 31 {
		t.Errorf("%d commits, %d questions", res.Commits, res.Questions)
	}
	var names []string
	rows := map[string]Row{}
	for _, r := range res.Rows {
		names = append(names, r.Name)
		rows[r.Name] = r
	}
	if want := []string{"recall", "BM25", "substring-AND", "none", "second"}; !slices.Equal(names, want) {
		t.Errorf("rows %v, want %v", names, want)
	}
	if r := rows["recall"]; r.At1 != 30./31 || r.MRR != 30./31 || r.Versus != 0 {
		t.Errorf("recall %+v", r)
	}
	if r := rows["none"]; r.MRR != 0 || r.Low <= 0 || r.High < r.Low {
		t.Errorf("none %+v", r)
	}
	// The answer of the fourth and of the last question stands second.
	if r := rows["second"]; r.At1 != 0 || r.At5 != 2./31 || r.MRR != 1./31 {
		t.Errorf("second %+v", r)
	}
}

package retrieval

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/saysolint/sayso/recall"
)

// Searcher gives the commits of a set that a question finds, the best first.
type Searcher func(ctx context.Context, question string) ([]int, error)

// Row is how one way of searching did.
type Row struct {
	Name   string  `json:"name"`   // recall, BM25, substring-AND, ripgrep
	At1    float64 `json:"at1"`    // share of the questions whose answer is first
	At5    float64 `json:"at5"`    // or among the first five
	At10   float64 `json:"at10"`   // or among the first ten
	MRR    float64 `json:"mrr"`    // mean of 1/place, 0 beyond the tenth place
	Versus float64 `json:"versus"` // MRR of recall less this one's
	Low    float64 `json:"low"`    // lower end of the 95 % interval of that difference
	High   float64 `json:"high"`   // upper end
}

// Result is one measurement.
type Result struct {
	Commits   int   `json:"commits"`   // searched
	Questions int   `json:"questions"` // asked
	Rows      []Row `json:"rows"`      // recall first
}

// MeasureCommits asks all questions of recall's own search, of plain BM25, of substrings, and
// of others by name, in that order.
func MeasureCommits(ctx context.Context, sets []*Set, others func(*Set) (map[string]Searcher, error)) (*Result, error) {
	res := &Result{}
	places := map[string][]float64{} // reciprocal place of every answer
	var names []string
	for _, s := range sets {
		res.Commits += len(s.Commits)
		res.Questions += len(s.Questions)
		ways := map[string]Searcher{"recall": ours(s), "BM25": plainBM25(s), "substring-AND": substrings(s)}
		if others != nil {
			more, err := others(s)
			if err != nil {
				return nil, err
			}
			for n, w := range more {
				ways[n] = w
			}
		}
		names = names[:0]
		for n := range ways {
			names = append(names, n)
		}
		rank := []string{"recall", "BM25", "substring-AND"}
		slices.SortFunc(names, func(a, b string) int {
			i, j := slices.Index(rank, a), slices.Index(rank, b)
			if i < 0 {
				i = len(rank)
			}
			if j < 0 {
				j = len(rank)
			}
			if i != j {
				return i - j
			}
			return map[bool]int{true: -1, false: 1}[a < b]
		})
		for _, n := range names {
			for _, q := range s.Questions {
				found, err := ways[n](ctx, q.Text)
				if err != nil {
					return nil, fmt.Errorf("%s: %w", n, err)
				}
				at := 0.0
				if i := slices.Index(found[:min(len(found), 10)], q.Answer); i >= 0 {
					at = 1 / float64(i+1)
				}
				places[n] = append(places[n], at)
			}
		}
	}
	for _, n := range names {
		r := Row{Name: n}
		for _, p := range places[n] {
			r.MRR += p
			r.At1 += count(p == 1)
			r.At5 += count(p >= 0.2)
			r.At10 += count(p > 0)
		}
		k := float64(max(res.Questions, 1))
		r.MRR, r.At1, r.At5, r.At10 = r.MRR/k, r.At1/k, r.At5/k, r.At10/k
		r.Versus, r.Low, r.High = difference(places["recall"], places[n])
		res.Rows = append(res.Rows, r)
	}
	return res, nil
}

func count(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// ours is the search of package recall over the same texts.
func ours(s *Set) Searcher {
	docs := make([]recall.Document, len(s.Commits))
	for i, c := range s.Commits {
		docs[i] = recall.Document{Kind: recall.KindCommit, Tier: recall.Ledger, ID: c.Hash, Commit: c.Hash, Head: c.Subject, Body: c.Body}
	}
	search := recall.Searcher(docs)
	return func(_ context.Context, question string) ([]int, error) { return search(question), nil }
}

// difference is the mean of a less b over the same questions, with its 95 % interval by the
// percentile bootstrap (Efron 1979): 2,000 draws of as many questions, by a fixed seed.
func difference(a, b []float64) (mean, low, high float64) {
	if len(a) == 0 {
		return 0, 0, 0
	}
	d := make([]float64, len(a))
	for i := range a {
		d[i] = a[i] - b[i]
		mean += d[i]
	}
	mean /= float64(len(d))
	r := rand.New(rand.NewPCG(1, 2))
	const draws = 2000
	means := make([]float64, draws)
	for k := range means {
		for range d {
			means[k] += d[r.IntN(len(d))]
		}
		means[k] /= float64(len(d))
	}
	slices.Sort(means)
	at := func(q float64) float64 { return means[int(math.Round(q*(draws-1)))] }
	return mean, at(0.025), at(0.975)
}

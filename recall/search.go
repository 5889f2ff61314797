package recall

import (
	"cmp"
	"math"
	"slices"
)

// The parameters of BM25 (Robertson and Zaragoza, "The Probabilistic Relevance
// Framework: BM25 and Beyond", 2009), at the usual values.
const (
	bm25K = 1.2
	bm25B = 0.75
)

// found is a document that has terms of the question.
type found struct {
	segment, doc int
	relevance    float64 // BM25
	terms        int     // how many terms of the question it has
}

// search ranks the documents of several segments as if they were in one: the most
// relevant first, of equals the one that comes first.
func search(segments []*Segment, terms []string) []found {
	documents, total := 0, uint64(0)
	for _, s := range segments {
		documents += s.len()
		total += s.total
	}
	if documents == 0 {
		return nil
	}
	average := max(float64(total)/float64(documents), 1)
	scores := make([][]float64, len(segments))
	have := make([][]uint16, len(segments))
	for i, s := range segments {
		scores[i], have[i] = make([]float64, s.len()), make([]uint16, s.len())
	}
	lists := make([][]posting, len(segments))
	for _, t := range terms {
		with := 0
		for i, s := range segments {
			lists[i] = s.postings(t)
			with += len(lists[i])
		}
		idf := math.Log(1 + (float64(documents-with)+0.5)/(float64(with)+0.5))
		for i, list := range lists {
			for _, p := range list {
				f := float64(p.count)
				norm := bm25K * (1 - bm25B + bm25B*float64(segments[i].lengths[p.doc])/average)
				scores[i][p.doc] += idf * f * (bm25K + 1) / (f + norm)
				have[i][p.doc]++
			}
		}
	}
	var out []found
	for i := range scores {
		for n, score := range scores[i] {
			if have[i][n] > 0 {
				out = append(out, found{i, n, score, int(have[i][n])})
			}
		}
	}
	sortFound(out)
	return out
}

func sortFound(list []found) {
	slices.SortFunc(list, func(a, b found) int {
		return cmp.Or(cmp.Compare(b.relevance, a.relevance), a.segment-b.segment, a.doc-b.doc)
	})
}

// fused ranks by several wordings of one question: for each document the sum of what
// every wording finds it worth, as a share of the best that the wording finds (CombSUM:
// Fox and Shaw, "Combination of Multiple Searches", 1994).
func fused(segments []*Segment, wordings [][]string) []found {
	if len(wordings) == 1 {
		return search(segments, wordings[0])
	}
	type key struct{ segment, doc int }
	at := map[key]int{}
	var out []found
	for _, terms := range wordings {
		list := search(segments, terms)
		for _, f := range list {
			f.relevance /= list[0].relevance
			k := key{f.segment, f.doc}
			i, ok := at[k]
			if !ok {
				at[k] = len(out)
				out = append(out, f)
				continue
			}
			out[i].relevance += f.relevance
			out[i].terms = max(out[i].terms, f.terms)
		}
	}
	sortFound(out)
	return out
}

// Searcher indexes documents and gives, for a question, the numbers of those that it
// finds, the most relevant first. It is what Library.Ask chooses its candidates with,
// by itself: measurements ask it.
func Searcher(docs []Document) func(question string) []int {
	segments := []*Segment{newSegment("", nil, docs)}
	return func(question string) []int {
		var out []int
		for _, f := range search(segments, Terms(question)) {
			out = append(out, f.doc)
		}
		return out
	}
}

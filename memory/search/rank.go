package search

import (
	"cmp"
	"encoding/json"
	"math"
	"slices"

	"github.com/saysolint/sayso/memory"
)

// found is a document that has a word of the query.
type found struct {
	doc    int32
	fields uint16  // where, as a bit set
	exact  uint16  // where as it was asked
	way    uint8   // which way of the word counts
	tf     float64 // how often, weighted by field and length, times the worth of the way
}

// Parameters of BM25F (Robertson, Zaragoza, Taylor: Simple BM25 extension to
// multiple weighted fields, CIKM 2004): saturation, length normalisation, and
// what a word is worth by where it stands.
const (
	bmK1 = 1.2
	bmB  = 0.6
)

var bmBoost = [fieldCount]float64{
	fieldID: 3, fieldTitle: 3, fieldGoal: 1.5, fieldDecisions: 1.5, fieldRun: 1, fieldFiles: 1, fieldTags: 2,
	fieldSources: 0.5, fieldNotes: 1, fieldPlan: 0.8, fieldNext: 0.8, fieldApplies: 1,
}

// evaluator answers one request on one snapshot.
type evaluator struct {
	s        *snapshot
	inactive bool // entries that do not hold count too
	err      error
}

// eligible says whether a document takes part at all, in counts as in results:
// what does not hold has no influence on the order of what does.
func (e *evaluator) eligible(i int32) bool {
	return e.s.alive(i) && (e.inactive || e.s.active[i])
}

func (e *evaluator) average() *[fieldCount]float64 {
	if e.inactive {
		return &e.s.average[0]
	}
	return &e.s.average[1]
}

func (e *evaluator) size() int {
	if e.inactive {
		return e.s.live
	}
	return e.s.living
}

// term calls fn for each eligible document of a term, in order.
func (e *evaluator) term(t string, fn func(doc int32, p *posting)) {
	if e.err != nil {
		return
	}
	for k, seg := range []*segment{e.s.base, e.s.over} {
		if seg == nil {
			continue
		}
		list, err := seg.list(t)
		offset := int32(0)
		if k == 1 {
			offset = int32(len(e.s.base.docs))
		}
		if err == nil {
			err = postings(list, len(seg.docs), func(p *posting) {
				if i := offset + int32(p.doc); e.eligible(i) {
					fn(i, p)
				}
			})
		}
		if err != nil {
			e.err = err
			return
		}
	}
}

// find finds the documents that have a word, in order.
func (e *evaluator) find(w *wanted) []found {
	var out []found
	avg := e.average()
	for n := range w.ways {
		way := &w.ways[n]
		var list []found
		if way.all != nil {
			list = e.parts(way.all)
		}
		for _, t := range way.terms {
			var one []found
			e.term(t, func(i int32, p *posting) {
				f := found{doc: i, fields: p.fields, tf: weigh(p, e.s.doc(i), avg)}
				if n == 0 {
					f.exact = p.fields
				}
				one = append(one, f)
			})
			list = union(list, one)
		}
		for i := range list {
			list[i].way = uint8(n)
			list[i].tf *= way.weight
		}
		out = union(out, list)
	}
	return out
}

// parts finds the documents that have every one of several words.
func (e *evaluator) parts(all []wanted) []found {
	var out []found
	for i := range all {
		list := e.find(&all[i])
		if i == 0 {
			out = list
			continue
		}
		both := out[:0]
		k := 0
		for _, f := range out {
			for k < len(list) && list[k].doc < f.doc {
				k++
			}
			if k < len(list) && list[k].doc == f.doc {
				f.fields |= list[k].fields
				f.tf = min(f.tf, list[k].tf)
				both = append(both, f)
			}
		}
		out = both
	}
	for i := range out {
		out[i].exact = 0
	}
	return out
}

// union merges two lists: of a document in both, the better way counts and
// all fields do.
func union(a, b []found) []found {
	if len(a) == 0 {
		return b
	}
	if len(b) == 0 {
		return a
	}
	out := make([]found, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0].doc < b[0].doc:
			out, a = append(out, a[0]), a[1:]
		case a[0].doc > b[0].doc:
			out, b = append(out, b[0]), b[1:]
		default:
			f := a[0]
			f.fields |= b[0].fields
			f.exact |= b[0].exact
			f.tf = max(f.tf, b[0].tf)
			out, a, b = append(out, f), a[1:], b[1:]
		}
	}
	return append(append(out, a...), b...)
}

// weigh is the weighted and length-normalised frequency of BM25F. Conversions
// keep the products from being fused with the sums, which would make results
// differ between processors.
func weigh(p *posting, d *doc, avg *[fieldCount]float64) float64 {
	sum := 0.0
	for f := range fieldCount {
		if p.fields&(1<<f) == 0 {
			continue
		}
		norm := 1.0
		if avg[f] > 0 {
			norm = 1 - bmB + float64(bmB*float64(d.length[f])/avg[f])
		}
		sum += float64(bmBoost[f] * float64(p.counts[f]) / norm)
	}
	return sum
}

// candidate is a document that matches, with what it is worth.
type candidate struct {
	doc    int32
	score  int
	value  float64
	fields uint16
	words  []matched
	factor float64 // of the rerank, 0 for none
	ranks  []int
}

type matched struct {
	word  int // of the query
	found found
	score float64
}

// all finds what has every word of a query. A word counts once a field, twice
// its weight where it stands as it was asked.
func (e *evaluator) all(words []wanted) []candidate {
	var out []candidate
	for n := range words {
		list := e.find(&words[n])
		if e.err != nil {
			return nil
		}
		if n == 0 {
			out = make([]candidate, len(list))
			for i, f := range list {
				out[i] = candidate{doc: f.doc}
				out[i].add(n, f)
			}
			continue
		}
		kept := out[:0]
		k := 0
		for _, c := range out {
			for k < len(list) && list[k].doc < c.doc {
				k++
			}
			if k < len(list) && list[k].doc == c.doc {
				c.add(n, list[k])
				kept = append(kept, c)
			}
		}
		out = kept
		if len(out) == 0 {
			break
		}
	}
	return out
}

func (c *candidate) add(n int, f found) {
	score := 0
	for i := range fieldCount {
		if f.fields&(1<<i) != 0 {
			score += fieldWeights[i]
			if f.exact&(1<<i) != 0 {
				score += fieldWeights[i]
			}
		}
	}
	c.score += score
	c.fields |= f.fields
	c.words = append(c.words, matched{n, f, float64(score)})
}

// bestScale turns relevance into the whole number that a hit carries.
const bestScale = 1000

// best finds what has any word of a query, by BM25F times how much of the query's
// weight is covered.
func (e *evaluator) best(words []wanted) []candidate {
	docs := e.s.docs()
	at := make([]int32, docs) // document to candidate, from 1
	var out []candidate
	total := 0.0
	size := float64(e.size())
	for n := range words {
		list := e.find(&words[n])
		if e.err != nil {
			return nil
		}
		// Related words do not make a rare word common.
		df := 0
		for _, f := range list {
			if !isRelated(&words[n].ways[f.way]) {
				df++
			}
		}
		if df == 0 {
			df = len(list)
		}
		idf := math.Log(1 + (size-float64(df)+0.5)/(float64(df)+0.5))
		total += idf
		for _, f := range list {
			c := at[f.doc]
			if c == 0 {
				out = append(out, candidate{doc: f.doc})
				c = int32(len(out))
				at[f.doc] = c
			}
			score := float64(idf * f.tf * (bmK1 + 1) / (f.tf + bmK1))
			got := &out[c-1]
			got.value += score
			got.factor += float64(idf * words[n].ways[f.way].weight)
			got.fields |= f.fields
			got.words = append(got.words, matched{n, f, score})
		}
	}
	for i := range out {
		c := &out[i]
		covered := 1.0
		if total > 0 {
			covered = c.factor / total
		}
		c.value *= 1 - coverageShare + float64(coverageShare*covered)
		c.factor = 0
		c.quantise()
	}
	return out
}

// coverageShare is how much of a score depends on how much of the query is
// covered: an entry that has one rare word ten times is not what was asked for.
const coverageShare = 0.5

func (c *candidate) quantise() { c.score = max(1, int(math.Round(c.value*bestScale))) }

func isRelated(w *way) bool { return w.weight == relatedWorth }

// order sorts candidates: score, then the newest, then the id. Ids differ, so
// the order is total.
func (s *snapshot) order(list []candidate) {
	slices.SortFunc(list, func(a, b candidate) int {
		da, db := s.doc(a.doc), s.doc(b.doc)
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(db.created, da.created), cmp.Compare(da.id, db.id))
	})
}

// kinds leaves out what is of another kind.
func (s *snapshot) kinds(list []candidate, kinds []memory.Kind) []candidate {
	if len(kinds) == 0 {
		return list
	}
	return slices.DeleteFunc(list, func(c candidate) bool { return !slices.Contains(kinds, s.doc(c.doc).kind) })
}

// Reciprocal rank fusion (Cormack, Clarke, Büttcher, SIGIR 2009) of several rankings
// of the same entries. Only the first fuseDepth of each count.
const (
	fuseK     = 60
	fuseDepth = 100
	fuseScale = 1e6
)

func (s *snapshot) fuse(rankings [][]candidate) []candidate {
	at := map[int32]int{}
	var out []candidate
	for r, list := range rankings {
		for rank, c := range list[:min(len(list), fuseDepth)] {
			i, ok := at[c.doc]
			if !ok {
				i = len(out)
				at[c.doc] = i
				c.value, c.ranks = 0, make([]int, len(rankings))
				if r > 0 { // the words are those of another phrasing
					c.words = nil
				}
				out = append(out, c)
			}
			out[i].fields |= c.fields
			out[i].value += 1 / float64(fuseK+rank+1)
			out[i].ranks[r] = rank + 1
		}
	}
	for i := range out {
		out[i].score = max(1, int(math.Round(out[i].value*fuseScale)))
	}
	return out
}

// rerankDepth is how many candidates a rerank looks at.
const rerankDepth = 20

// rerank looks at the text of the best candidates: words of the query that
// stand close together in one passage speak of the same thing.
func (s *snapshot) rerank(list []candidate, words []wanted) error {
	for i := range list[:min(len(list), rerankDepth)] {
		c := &list[i]
		r, err := s.entry(c.doc)
		if err != nil {
			return err
		}
		c.factor = 1 + float64(rerankShare*closeness(&r, words))
		c.value *= c.factor
		c.quantise()
	}
	s.order(list[:min(len(list), rerankDepth)])
	return nil
}

// rerankShare is the most that a rerank adds to a score, as a share of it.
const rerankShare = 0.5

// entry reads the record of a document.
func (s *snapshot) entry(i int32) (memory.Record, error) {
	var r memory.Record
	js, err := s.record(i)
	if err == nil {
		if json.Unmarshal(js, &r) != nil {
			err = errBroken
		}
	}
	return r, err
}

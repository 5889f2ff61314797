package search

import (
	"cmp"
	"encoding/json"
	"math"
	"math/bits"
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
// multiple weighted fields, CIKM 2004), in its simple form: the fields of an entry count as
// one text in which some words stand several times. Saturation and the normalisation
// by length are higher than usual, as entries differ in length by a hundred times; both were
// chosen on questions of package bench/retrieval, others of which they are reported on.
const (
	bmK1 = 2.0
	bmB  = 0.85
)

var bmBoost = [fieldCount]float64{
	fieldID: 1, fieldTitle: 2, fieldGoal: 1, fieldDecisions: 1, fieldRun: 1, fieldFiles: 1, fieldTags: 1,
	fieldSources: 0.5, fieldNotes: 1, fieldPlan: 1, fieldNext: 1, fieldApplies: 1,
}

// mass is the length of an entry as BM25F sees it. All boosts are multiples of a half,
// so sums of masses are exact in any order.
func (d *doc) mass() float64 {
	sum := 0.0
	for f, n := range d.length {
		sum += float64(bmBoost[f] * float64(n))
	}
	return sum
}

// evaluator answers one request on one snapshot.
type evaluator struct {
	s        *snapshot
	inactive bool // entries that do not hold count too
	// stemsDo leaves the word as it was asked out where it has a stem: whatever has
	// the word has its stem, and what differs is not worth reading both.
	stemsDo bool
	err     error
}

// eligible says whether a document takes part at all, in counts as in results:
// what does not hold has no influence on the order of what does.
func (e *evaluator) eligible(i int32) bool {
	return e.s.alive(i) && (e.inactive || e.s.active[i])
}

// norm is what the frequencies of a document are divided by.
func (e *evaluator) norm(i int32) float64 {
	average := e.s.average[1]
	if e.inactive {
		average = e.s.average[0]
	}
	if average == 0 {
		return 1
	}
	return 1 - bmB + float64(bmB*e.s.mass[i]/average)
}

func (e *evaluator) size() int {
	if e.inactive {
		return e.s.live
	}
	return e.s.living
}

// list are the posting lists of a term in both segments, and how many postings
// they have, those of dead documents among them.
func (e *evaluator) list(t string) (lists [2][]byte, count int) {
	for k, seg := range []*segment{e.s.base, e.s.over} {
		if seg == nil || e.err != nil {
			continue
		}
		lists[k], e.err = seg.list(t)
		count += howMany(lists[k])
	}
	return lists, count
}

// term finds the eligible documents of a term, in order.
func (e *evaluator) term(t string, asAsked bool) []found {
	lists, count := e.list(t)
	if count == 0 || e.err != nil {
		return nil
	}
	out := make([]found, 0, count)
	for k, seg := range []*segment{e.s.base, e.s.over} {
		if seg == nil || e.err != nil {
			continue
		}
		offset := int32(k * len(e.s.base.docs))
		e.err = postings(lists[k], len(seg.docs), func(p *posting) {
			i := offset + int32(p.doc)
			if !e.eligible(i) {
				return
			}
			f := found{doc: i, fields: p.fields, tf: weigh(p) / e.norm(i)}
			if asAsked {
				f.exact = p.fields
			}
			out = append(out, f)
		})
	}
	return out
}

// common says whether more than half of the eligible entries have a form of a word.
// Mostly the number of postings tells; only where those of entries that do not
// take part could tip the scale are they counted one by one.
func (e *evaluator) common(w *wanted) bool {
	half, outside := e.size()/2, e.s.docs()-e.size()
	for _, way := range w.ways {
		for _, t := range way.terms {
			lists, count := e.list(t)
			switch {
			case count <= half:
				continue
			case count-outside > half:
				return true
			}
			n := 0
			for k, seg := range []*segment{e.s.base, e.s.over} {
				if seg != nil && e.err == nil {
					e.err = postings(lists[k], len(seg.docs), func(p *posting) {
						if e.eligible(int32(k*len(e.s.base.docs)) + int32(p.doc)) {
							n++
						}
					})
				}
			}
			if n > half {
				return true
			}
		}
	}
	return false
}

// find finds the documents that have a word, in order.
func (e *evaluator) find(w *wanted) []found {
	var out []found
	for n := range w.ways {
		way := &w.ways[n]
		if n == 0 && e.stemsDo && len(w.ways) > 1 && len(w.ways[1].terms) > 0 && w.ways[1].by == "stem" {
			continue
		}
		var list []found
		if way.all != nil {
			list = e.parts(way.all)
		}
		for _, t := range way.terms {
			list = union(list, e.term(t, n == 0))
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

// weigh is the weighted frequency of BM25F. Conversions keep the products from
// being fused with the sums, which would make results differ between processors.
func weigh(p *posting) float64 {
	sum := 0.0
	for set := p.fields; set != 0; set &= set - 1 {
		f := bits.TrailingZeros16(set)
		sum += float64(bmBoost[f] * float64(p.counts[f]))
	}
	return sum
}

// candidate is a document that matches, with what it is worth.
type candidate struct {
	doc    int32
	score  int
	value  float64
	fields uint16
	factor float64 // of the rerank, 0 for none
	ranks  []int
}

// ranking is what a query found: the best in order, and of how many.
type ranking struct {
	words   []wanted
	lists   [][]found // by word
	best    []candidate
	matched int
	idf     []float64 // by word; nil where scores are weights of fields
}

// depth is how many of what matches are put in order.
const depth = 128

// all finds what has every word of a query. A word counts once a field, twice
// its weight where it stands as it was asked.
func (e *evaluator) all(words []wanted, keep func(int32) bool) ranking {
	out := ranking{words: words}
	var list []candidate
	for n := range words {
		found := e.find(&words[n])
		if e.err != nil {
			return out
		}
		out.lists = append(out.lists, found)
		if n == 0 {
			list = make([]candidate, 0, len(found))
			for i := range found {
				if keep(found[i].doc) {
					list = append(list, candidate{doc: found[i].doc, score: worth(&found[i]), fields: found[i].fields})
				}
			}
			continue
		}
		kept := list[:0]
		k := 0
		for _, c := range list {
			for k < len(found) && found[k].doc < c.doc {
				k++
			}
			if k < len(found) && found[k].doc == c.doc {
				c.score += worth(&found[k])
				c.fields |= found[k].fields
				kept = append(kept, c)
			}
		}
		list = kept
		if len(list) == 0 {
			break
		}
	}
	out.matched, out.best = len(list), e.s.top(list)
	return out
}

// worth is the weight of the fields that a word stands in.
func worth(f *found) int {
	score := 0
	for i, w := range fieldWeights {
		score += w * int(f.fields>>i&1+f.exact>>i&1)
	}
	return score
}

// bestScale turns relevance into the whole number that a hit carries.
const bestScale = 1000

// best finds what has any word of a query, by BM25F. Saturation prefers what has
// more of the words; a factor for how many of them there are was measured and did harm.
func (e *evaluator) best(words []wanted, keep func(int32) bool) ranking {
	out := ranking{words: words}
	e.stemsDo = true
	// Words that most entries have choose nothing and cost most. They count only
	// where there are no others.
	used := make([]bool, len(words))
	any := false
	for n := range words {
		used[n] = e.size() < fewEntries || !e.common(&words[n])
		any = any || used[n]
	}
	at := make([]int32, e.s.docs()) // document to candidate, from 1
	var list []candidate
	size := float64(e.size())
	for n := range words {
		if any && !used[n] {
			out.lists, out.idf = append(out.lists, nil), append(out.idf, 0)
			continue
		}
		found := e.find(&words[n])
		if e.err != nil {
			return out
		}
		// Related words do not make a rare word common.
		df := 0
		for i := range found {
			if !isRelated(&words[n].ways[found[i].way]) {
				df++
			}
		}
		if df == 0 {
			df = len(found)
		}
		idf := math.Log(1 + (size-float64(df)+0.5)/(float64(df)+0.5))
		out.lists, out.idf = append(out.lists, found), append(out.idf, idf)
		for i := range found {
			f := &found[i]
			if !keep(f.doc) {
				continue
			}
			c := at[f.doc]
			if c == 0 {
				list = append(list, candidate{doc: f.doc})
				c = int32(len(list))
				at[f.doc] = c
			}
			got := &list[c-1]
			got.value += saturate(idf, f.tf)
			got.fields |= f.fields
		}
	}
	for i := range list {
		list[i].quantise()
	}
	out.matched, out.best = len(list), e.s.top(list)
	return out
}

// fewEntries is a store in which no word is too common to count.
const fewEntries = 50

// saturate is the BM25 score of one word.
func saturate(idf, tf float64) float64 { return float64(idf * tf * (bmK1 + 1) / (tf + bmK1)) }

func (c *candidate) quantise() { c.score = max(1, int(math.Round(c.value*bestScale))) }

func isRelated(w *way) bool { return w.weight == relatedWorth }

// less is the order of candidates: score, then the newest, then the id. Ids
// differ, so the order is total.
func (s *snapshot) less(a, b *candidate) int {
	if a.score != b.score {
		return cmp.Compare(b.score, a.score)
	}
	da, db := s.doc(a.doc), s.doc(b.doc)
	return cmp.Or(cmp.Compare(db.created, da.created), cmp.Compare(da.id, db.id))
}

func (s *snapshot) order(list []candidate) {
	slices.SortFunc(list, func(a, b candidate) int { return s.less(&a, &b) })
}

// top are the first of a list, in order.
func (s *snapshot) top(list []candidate) []candidate {
	if len(list) <= depth {
		s.order(list)
		return list
	}
	best := slices.Clone(list[:depth])
	s.order(best)
	for i := depth; i < len(list); i++ {
		c := &list[i]
		if s.less(c, &best[depth-1]) > 0 {
			continue
		}
		at, _ := slices.BinarySearchFunc(best, c, func(a candidate, b *candidate) int { return s.less(&a, b) })
		copy(best[at+1:], best[at:depth-1])
		best[at] = *c
	}
	return best
}

// Reciprocal rank fusion (Cormack, Clarke, Büttcher, SIGIR 2009) of several rankings
// of the same entries. Only the first fuseDepth of each count.
const (
	fuseK     = 60
	fuseDepth = 100
	fuseScale = 1e6
)

func (s *snapshot) fuse(rankings []ranking) []candidate {
	at := map[int32]int{}
	var out []candidate
	for r := range rankings {
		list := rankings[r].best
		for rank, c := range list[:min(len(list), fuseDepth)] {
			i, ok := at[c.doc]
			if !ok {
				i = len(out)
				at[c.doc] = i
				c.value, c.ranks = 0, make([]int, len(rankings))
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
	stems := s.stemmer()
	defer stems.put()
	m := newMatcher(words, stems.stemmer)
	for i := range list[:min(len(list), rerankDepth)] {
		c := &list[i]
		r, err := s.entry(c.doc)
		if err != nil {
			return err
		}
		c.factor = 1 + float64(rerankShare*m.closeness(&r, s.doc(c.doc).lang))
		c.value *= c.factor
		c.quantise()
	}
	s.order(list[:min(len(list), rerankDepth)])
	return nil
}

// rerankShare is the most that a rerank adds to a score, as a share of it.
const rerankShare = 0.2

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

package search

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/saysolint/sayso/memory"
)

// Options say where the index of a store is kept.
type Options struct {
	// Cache is the folder of derived files, "" to keep the index in memory only.
	Cache string
	// Key tells the stores of one cache apart: [memory.Store.Key].
	Key string
	// Build names the program: another version may read entries differently,
	// so it makes an index of its own.
	Build string
}

// Freshness is how old a look at the store may be before a [Searcher] looks again.
const Freshness = time.Second

// Searcher searches one store. It keeps the index open and follows the store:
// before it answers, it looks for changes where its last look is a [Freshness] old or
// older. Several goroutines may use one.
type Searcher struct {
	index index

	mu     sync.RWMutex
	now    *snapshot
	looked time.Time
	first  Changes
	fixed  bool // the entries of a revision: they do not change
}

// Open opens a store for searching. now is the time, for the age of files. The
// store is looked at once; the index is written where the cache allows.
func Open(ctx context.Context, store Store, o Options, now time.Time) (*Searcher, error) {
	s := &Searcher{index: index{store: store, build: o.Build}}
	if o.Cache != "" {
		s.index.path = filepath.Join(o.Cache, "memory-"+o.Key)
	}
	ch, err := s.refresh(ctx, now, false)
	if err != nil {
		return nil, err
	}
	s.first = ch
	return s, nil
}

// FromSet searches the entries of a set, as a revision has them.
func FromSet(set *memory.Set) (*Searcher, error) {
	seg, err := build(set.Entries, nil, "")
	if err != nil {
		return nil, err
	}
	snap := settled(seg, nil)
	snap.skipped = len(set.Skipped)
	return &Searcher{now: snap, fixed: true}, nil
}

// Close lets the index go.
func (s *Searcher) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now.close()
	s.now = nil
}

// First says what [Open] found.
func (s *Searcher) First() Changes { return s.first }

// Write writes the index whether or not that is worth it.
func (s *Searcher) Write(ctx context.Context, now time.Time) (Changes, error) {
	return s.refresh(ctx, now, true)
}

// Size is how many entries there are, and how many of them hold.
func (s *Searcher) Size() (entries, active int) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.now == nil {
		return 0, 0
	}
	return s.now.live, s.now.living
}

// Held is an entry that holds, in a list.
type Held struct {
	ID    string
	Title string
	Kind  memory.Kind
}

// Holding are the entries that hold, the newest first, at most limit. now is the
// time, for the age of the last look.
func (s *Searcher) Holding(ctx context.Context, limit int, now time.Time) ([]Held, error) {
	out := []Held{}
	err := s.with(ctx, now, func(snap *snapshot) error {
		out = out[:0] // it may run again
		var list []int32
		for i := range int32(snap.docs()) {
			if snap.alive(i) && snap.active[i] {
				list = append(list, i)
			}
		}
		// An id begins with the time at which it was given.
		slices.SortFunc(list, func(a, b int32) int { return strings.Compare(snap.doc(b).id, snap.doc(a).id) })
		for _, i := range list[:min(limit, len(list))] {
			r, err := snap.entry(i)
			if err != nil {
				return err
			}
			out = append(out, Held{ID: r.ID, Title: r.Title, Kind: r.Kind})
		}
		return nil
	})
	return out, err
}

func (s *Searcher) refresh(ctx context.Context, now time.Time, force bool) (Changes, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fixed {
		return Changes{}, nil
	}
	next, ch, err := s.index.refresh(ctx, s.now, now, force)
	if errors.Is(err, errBroken) { // what is derived is made anew
		next.close()
		s.now = nil
		next, ch, err = s.rebuilt(ctx, now)
	}
	s.now = next
	if err == nil {
		s.looked = now
	}
	return ch, err
}

// rebuilt makes the snapshot without looking at the cache file.
func (s *Searcher) rebuilt(ctx context.Context, now time.Time) (*snapshot, Changes, error) {
	seg, err := build(nil, nil, s.index.build)
	if err != nil {
		return nil, Changes{}, err
	}
	next, ch, err := s.index.refresh(ctx, settled(seg, nil), now, true)
	ch.Rebuilt = true
	return next, ch, err
}

// fresh makes sure that the last look is young enough.
func (s *Searcher) fresh(ctx context.Context, now time.Time) error {
	s.mu.RLock()
	old := !s.fixed && (s.now == nil || now.Sub(s.looked) >= Freshness || now.Before(s.looked))
	s.mu.RUnlock()
	if !old {
		return nil
	}
	_, err := s.refresh(ctx, now, false)
	return err
}

// with runs fn on the current snapshot. An index that turns out to be broken is
// made anew once.
func (s *Searcher) with(ctx context.Context, now time.Time, fn func(*snapshot) error) error {
	if err := s.fresh(ctx, now); err != nil {
		return err
	}
	run := func() error {
		s.mu.RLock()
		defer s.mu.RUnlock()
		if s.now == nil {
			return errors.New("the searcher is closed")
		}
		return fn(s.now)
	}
	err := run()
	if !errors.Is(err, errBroken) || s.fixed {
		return err
	}
	s.mu.Lock()
	s.now.close()
	next, _, err := s.rebuilt(ctx, now)
	s.now = next
	s.mu.Unlock()
	if err != nil {
		return err
	}
	return run()
}

// Search answers a request. now is the time, for the age of the last look.
func (s *Searcher) Search(ctx context.Context, r Request, now time.Time) (SearchResult, error) {
	if err := r.valid(); err != nil {
		return SearchResult{}, err
	}
	var out SearchResult
	err := s.with(ctx, now, func(snap *snapshot) (err error) {
		out, err = snap.search(r)
		return err
	})
	return out, err
}

// Read answers memory_read: one entry, whole. One that does not hold is
// [ErrInactive] unless it is asked for as evidence of the past.
func (s *Searcher) Read(ctx context.Context, in ReadInput, now time.Time) (ReadResult, error) {
	if !memory.ValidID(in.MemoryID) {
		return ReadResult{}, fmt.Errorf("%.60q: %w", in.MemoryID, memory.ErrBadID)
	}
	var out ReadResult
	err := s.with(ctx, now, func(snap *snapshot) error {
		i, ok := snap.byID[in.MemoryID]
		if !ok {
			return fmt.Errorf("%s: %w", in.MemoryID, memory.ErrNoEntry)
		}
		out.Active = snap.active[i]
		if !out.Active {
			out.Marker = marker(snap.doc(i).state, snap.hiddenBy[in.MemoryID])
			if !in.IncludeInactive {
				return fmt.Errorf("%s: %w", in.MemoryID, ErrInactive)
			}
		}
		return s.readFile(ctx, snap, i, &out)
	})
	if err != nil {
		return ReadResult{}, err
	}
	if out.Marker != "" {
		out.Text = out.Marker + "\n\n" + out.Text
	}
	return out, nil
}

// readFile reads the file of an entry: it is the truth, the index is not.
func (s *Searcher) readFile(ctx context.Context, snap *snapshot, i int32, out *ReadResult) error {
	var err error
	d := snap.doc(i)
	if s.fixed {
		out.Entry, err = snap.entry(i)
		return err
	}
	f := memory.File{Name: d.id + ".md", Size: d.stat.size, ModTime: time.Unix(0, d.stat.mtime), Inode: d.stat.inode, Regular: true}
	raw, err := s.index.store.Read(ctx, f, memory.MaxFileBytes)
	if err != nil {
		return fmt.Errorf("%s: %w", d.id, err)
	}
	out.Text = string(raw)
	if sha256.Sum256(raw) == d.hash {
		out.Entry, err = snap.entry(i)
		return err
	}
	// It changed since the last look, which is at most a second ago.
	set, err := s.index.store.LoadFiles(ctx, []memory.File{f})
	if err != nil {
		return err
	}
	e := set.Get(d.id)
	if e == nil {
		return fmt.Errorf("%s: %w", d.id, memory.ErrNoEntry)
	}
	out.Entry = e.Record()
	if out.Active && e.ReviewState != memory.Reviewed {
		return fmt.Errorf("%s: %w", d.id, ErrInactive)
	}
	return nil
}

// Defaults of the engine's own help, where a request does not say. Neither showed a gain
// over BM25F with stems on the questions of package bench/retrieval.
const (
	defaultExpand = false
	defaultRerank = false
)

func orDefault(b *bool, d bool) bool {
	if b != nil {
		return *b
	}
	return d
}

// search answers a valid request.
func (s *snapshot) search(r Request) (SearchResult, error) {
	limit := r.Limit
	if limit == 0 {
		limit = DefaultResults
	}
	limit = min(max(limit, 1), MaxResults)
	e := &evaluator{s: s, inactive: r.IncludeInactive}
	queries := []string{r.Query}
	if r.Mode == ModeExpanded {
		queries = append(queries, r.More...)
	}
	keep := func(i int32) bool { return true }
	if len(r.Kinds) > 0 {
		keep = func(i int32) bool { return slices.Contains(r.Kinds, s.doc(i).kind) }
	}
	var rankings []ranking
	var words []wanted
	for _, q := range queries {
		every := r.Mode == "" || r.Mode == ModeAll
		parsed := s.parse(q, !every)
		words = append(words, parsed...)
		if every {
			rankings = append(rankings, e.all(parsed, keep))
			continue
		}
		if orDefault(r.Expand, defaultExpand) {
			parsed = s.expand(parsed)
		}
		found := e.best(parsed, keep)
		if e.err == nil && orDefault(r.Rerank, defaultRerank) {
			e.err = s.rerank(found.best, parsed)
		}
		rankings = append(rankings, found)
	}
	if e.err != nil {
		return SearchResult{}, e.err
	}
	list, matched := rankings[0].best, rankings[0].matched
	if r.Mode == ModeExpanded {
		list = s.fuse(rankings)
		s.order(list)
		matched = countMatched(rankings, keep)
	}
	out := SearchResult{Query: r.Query, Hits: []Hit{}, Coverage: s.coverage(r)}
	out.Coverage.Matched = matched
	stems := s.stemmer()
	defer stems.put()
	m := newMatcher(words, stems.stemmer)
	for _, c := range list[:min(limit, len(list))] {
		rec, err := s.entry(c.doc)
		if err != nil {
			return SearchResult{}, err
		}
		h := Hit{Entry: rec, Score: c.score, MatchedFields: fieldNames(c.fields), Excerpt: m.excerpt(&rec, s.doc(c.doc).lang)}
		if !s.active[c.doc] {
			h.Marker = marker(s.doc(c.doc).state, s.hiddenBy[rec.ID])
		}
		if r.Explain {
			h.Explain = rankings[0].explain(c)
		}
		out.Hits = append(out.Hits, h)
	}
	out.Coverage.Returned = len(out.Hits)
	out.Coverage.note()
	return out, nil
}

// countMatched counts the documents that any of several queries found.
func countMatched(rankings []ranking, keep func(int32) bool) int {
	docs := map[int32]bool{}
	for _, r := range rankings {
		for _, list := range r.lists {
			for i := range list {
				if keep(list[i].doc) {
					docs[list[i].doc] = true
				}
			}
		}
	}
	return len(docs)
}

// coverage counts what a request looks at.
func (s *snapshot) coverage(r Request) Coverage {
	c := Coverage{Entries: s.live, Skipped: s.skipped}
	if !r.IncludeInactive {
		c.Inactive = s.live - s.living
	}
	c.Searched = c.Entries - c.Inactive
	if len(r.Kinds) == 0 {
		return c
	}
	c.Searched = 0
	for i := range int32(s.docs()) {
		if s.alive(i) && (r.IncludeInactive || s.active[i]) && slices.Contains(r.Kinds, s.doc(i).kind) {
			c.Searched++
		}
	}
	return c
}

// fieldNames are the names of a set of fields, sorted.
func fieldNames(set uint16) []string {
	out := []string{}
	for f, name := range Fields {
		if set&(1<<f) != 0 {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

// explain says which words of a query brought a candidate.
func (r *ranking) explain(c candidate) *Explanation {
	x := &Explanation{Words: []WordMatch{}, Missing: []string{}, Ranks: c.ranks, Reranked: c.factor}
	for n := range r.words {
		w := &r.words[n]
		at, ok := -1, false
		if n < len(r.lists) {
			at, ok = slices.BinarySearchFunc(r.lists[n], c.doc, func(f found, doc int32) int { return cmp.Compare(f.doc, doc) })
		}
		if !ok {
			x.Missing = append(x.Missing, w.word)
			continue
		}
		f := &r.lists[n][at]
		score := float64(worth(f))
		if r.idf != nil {
			score = saturate(r.idf[n], f.tf)
		}
		x.Words = append(x.Words, WordMatch{Word: w.word, By: w.ways[f.way].by, Fields: fieldNames(f.fields), Score: math.Round(score*bestScale) / bestScale})
	}
	return x
}

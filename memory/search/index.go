package search

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/natefinch/atomic"
	"github.com/sourcegraph/conc/pool"

	"github.com/saysolint/sayso/memory"
)

// Store is a folder of entries on disk; *[memory.Store] is one.
type Store interface {
	memory.Files
	// LoadFiles reads the entries of some of the files that List named.
	LoadFiles(ctx context.Context, list []memory.File) (*memory.Set, error)
}

// shard is how many entries are made one segment at a first build, before all
// are merged.
const shard = 2048

// snapshot is all entries at one moment. It does not change.
//
// Documents are numbered through: those of base, then those of over. A document of base
// that was changed or deleted since is dead; its new version is in over.
type snapshot struct {
	base, over *segment // over may be nil
	file       *os.File // what base reads from, nil for memory
	dead       []bool   // by document of base
	byID       map[string]int32
	skipped    int // files that could not be read as entries
	drift      int // how many changes the cache file does not have

	active   []bool            // by document: it holds
	hiddenBy map[string]string // id to the reviewed entry that took its place
	live     int               // entries
	living   int               // entries that hold
	mass     []float64         // by document: its length as BM25F sees it
	average  [2]float64        // of all, and of those that hold
	langs    []language        // that entries are written in
	stems    *sync.Pool        // of *stemmer
}

func (s *snapshot) docs() int {
	n := len(s.base.docs)
	if s.over != nil {
		n += len(s.over.docs)
	}
	return n
}

func (s *snapshot) doc(i int32) *doc {
	if int(i) < len(s.base.docs) {
		return &s.base.docs[i]
	}
	return &s.over.docs[int(i)-len(s.base.docs)]
}

func (s *snapshot) record(i int32) ([]byte, error) {
	if int(i) < len(s.base.docs) {
		return s.base.record(uint32(i))
	}
	return s.over.record(uint32(int(i) - len(s.base.docs)))
}

func (s *snapshot) alive(i int32) bool { return int(i) >= len(s.dead) || !s.dead[i] }

// settle works out what holds, by the one rule that the whole program has for
// it: [memory.Set]. Only entries that say something of others, and those that
// are spoken of, have to be held against each other.
func (s *snapshot) settle() {
	n := s.docs()
	s.byID = make(map[string]int32, n)
	for i := range int32(n) {
		if s.alive(i) {
			s.byID[s.doc(i).id] = i
		}
	}
	spoken := map[int32]bool{}
	for _, i := range s.byID {
		d := s.doc(i)
		if !d.pointing() {
			continue
		}
		spoken[i] = true
		for _, id := range append([]string{d.supersedes}, d.merged...) {
			if t, ok := s.byID[id]; ok {
				spoken[t] = true
			}
		}
	}
	entries := make([]memory.Entry, 0, len(spoken))
	for i := range spoken {
		d := s.doc(i)
		entries = append(entries, memory.Entry{ID: d.id, ReviewState: d.state, Supersedes: d.supersedes, MergedFrom: d.merged})
	}
	set := memory.NewSet(entries, nil)
	s.hiddenBy = map[string]string{}
	s.active = make([]bool, n)
	s.live, s.living = 0, 0
	var sums [2]float64
	s.mass = make([]float64, n)
	var spokenIn [languageCount]bool
	for i := range int32(n) {
		if !s.alive(i) {
			continue
		}
		d := s.doc(i)
		s.active[i] = d.state == memory.Reviewed
		if spoken[i] {
			s.active[i] = set.Active(d.id)
			if by := set.HiddenBy(d.id); by != "" {
				s.hiddenBy[d.id] = by
			}
		}
		s.live++
		spokenIn[d.lang] = true
		s.mass[i] = d.mass()
		sums[0] += s.mass[i]
		if s.active[i] {
			sums[1] += s.mass[i]
			s.living++
		}
	}
	s.langs, s.stems = nil, &sync.Pool{New: func() any { return new(stemmer) }}
	for l, ok := range spokenIn {
		if ok {
			s.langs = append(s.langs, language(l))
		}
	}
	s.average = [2]float64{sums[0] / float64(max(1, s.live)), sums[1] / float64(max(1, s.living))}
}

func (s *snapshot) close() {
	if s != nil && s.file != nil {
		_ = s.file.Close()
	}
}

// index keeps the snapshot of a store up to date.
type index struct {
	store Store
	path  string // of the cache file, "" for none
	build string
}

// load reads the cache file; nil where there is none that can be used.
func (x *index) load() (*segment, *os.File) {
	if x.path == "" {
		return nil, nil
	}
	f, err := os.Open(x.path)
	if err != nil {
		return nil, nil
	}
	info, err := f.Stat()
	if err == nil && info.Mode().IsRegular() {
		if seg, err := openSegment(f, info.Size(), x.build); err == nil {
			return seg, f
		}
	}
	_ = f.Close()
	return nil, nil
}

// Changes says what a look at the store found.
type Changes struct {
	Rebuilt bool // there was no index that could be used
	Changed int  // entries that are new or differ
	Gone    int  // entries that are no more
	Touched int  // files that were read again and say the same
	Written bool // the index was written
	Bytes   int64
	// Failure is why it could not be written, nil where it was or did not have to be.
	Failure error
}

// refresh makes the snapshot of the store as it is now, out of an older one or
// of the cache file. now decides which files are too young to trust their time. With
// force the index is written even where it is not worth it. The older snapshot
// is closed unless it is returned.
func (x *index) refresh(ctx context.Context, old *snapshot, now time.Time, force bool) (*snapshot, Changes, error) {
	var ch Changes
	files, err := x.store.List(ctx)
	if err != nil {
		return old, ch, err
	}
	if old == nil {
		seg, f := x.load()
		if seg == nil {
			ch.Rebuilt, force = true, true
			if seg, err = build(nil, nil, x.build); err != nil {
				return nil, ch, err
			}
		}
		old = settled(seg, f)
	}
	// Which files are as they were?
	kept := make([]bool, old.docs())
	var read []memory.File
	restat := map[int32]stat{}
	skipped := 0
	for _, f := range files {
		id, ok := strings.CutSuffix(f.Name, ".md")
		if strings.HasPrefix(f.Name, ".") {
			continue
		}
		if !ok || !memory.ValidID(id) || !f.Regular {
			skipped++
			continue
		}
		if i, ok := old.byID[id]; ok {
			st := &old.doc(i).stat
			if !st.racy && st.size == f.Size && st.mtime == f.ModTime.UnixNano() && st.inode == f.Inode {
				kept[i] = true
				continue
			}
		}
		read = append(read, f)
	}
	slices.SortFunc(read, func(a, b memory.File) int { return strings.Compare(a.Name, b.Name) })
	stats := make(map[string]stat, len(read))
	for _, f := range read {
		stats[strings.TrimSuffix(f.Name, ".md")] = statOf(f, now)
	}
	// A first build and a large change come in shards, so that not all entries are in memory at once.
	fresh := make([]*segment, (len(read)+shard-1)/shard)
	var unread int
	spilled := make([]*os.File, len(fresh))
	defer func() {
		for _, f := range spilled {
			if f != nil {
				_ = f.Close()
				_ = os.Remove(f.Name())
			}
		}
	}()
	p := pool.New().WithErrors().WithFirstError().WithMaxGoroutines(max(1, runtime.GOMAXPROCS(0)))
	unreadBy, touchedBy := make([]int, len(fresh)), make([][]int32, len(fresh))
	for k := range fresh {
		p.Go(func() error {
			part := read[k*shard : min((k+1)*shard, len(read))]
			set, err := x.store.LoadFiles(ctx, slices.Clone(part))
			if err != nil {
				return err
			}
			unreadBy[k] = len(set.Skipped)
			entries := set.Entries[:0]
			for _, e := range set.Entries {
				if i, ok := old.byID[e.ID]; ok && hex.EncodeToString(old.doc(i).hash[:]) == e.Hash && x.same(old.doc(i), &e) {
					touchedBy[k] = append(touchedBy[k], i)
					continue
				}
				entries = append(entries, e)
			}
			if fresh[k], err = build(entries, stats, x.build); err == nil && len(fresh) > inMemory {
				spilled[k] = x.spill(fresh[k])
			}
			return err
		})
	}
	if err := p.Wait(); err != nil {
		return old, ch, err
	}
	for k := range fresh {
		unread += unreadBy[k]
		ch.Changed += len(fresh[k].docs)
		for _, i := range touchedBy[k] {
			kept[i] = true
			st := stats[old.doc(i).id]
			if was := old.doc(i).stat; st != was {
				restat[i] = st
			}
			ch.Touched++
		}
	}
	gone := 0
	for i := range int32(old.docs()) {
		if old.alive(i) && !kept[i] {
			gone++
		}
	}
	ch.Gone = gone - replaced(old, fresh)
	pending := ch.Changed + ch.Gone + len(restat)
	if pending == 0 && (!force || old.drift == 0 && !ch.Rebuilt) {
		old.skipped = skipped + unread
		return old, ch, nil
	}
	parts := partsOf(old, kept, restat, fresh)
	drift := old.drift + pending
	if force || drift > 32+old.live/200 {
		ch.Written, ch.Bytes, ch.Failure = false, 0, nil
		next, err := x.save(parts)
		switch {
		case errors.Is(err, errBroken):
			return old, ch, err
		case err == nil && next != nil:
			ch.Written, ch.Bytes = x.path != "", next.base.size
			next.skipped = skipped + unread
			old.close()
			return next, ch, nil
		}
		ch.Failure = err
	}
	next, err := x.combine(old, parts)
	if err != nil {
		return old, ch, err
	}
	next.skipped, next.drift = skipped+unread, drift
	return next, ch, nil
}

// inMemory is how many shards of a large change stay in memory until they are merged.
const inMemory = 8

// spill moves a segment that was just built into a file beside the index, so that a
// first build of a very large store does not hold all of it. Where that cannot be done
// it stays where it is: nil.
func (x *index) spill(s *segment) *os.File {
	if x.path == "" || os.MkdirAll(filepath.Dir(x.path), 0o700) != nil {
		return nil
	}
	f, err := os.CreateTemp(filepath.Dir(x.path), filepath.Base(x.path)+".*.tmp")
	if err != nil {
		return nil
	}
	if _, err := io.Copy(f, io.NewSectionReader(s.r, 0, s.size)); err != nil {
		_ = f.Close()
		_ = os.Remove(f.Name())
		return nil
	}
	s.r = f
	return f
}

// same says whether an entry with the same content reads the same: in a Klide
// store the time of the file is part of what it says.
func (x *index) same(d *doc, e *memory.Entry) bool {
	return d.created == e.CreatedAtMs && d.state == e.ReviewState && d.kind == e.Kind
}

func replaced(old *snapshot, fresh []*segment) int {
	n := 0
	for _, s := range fresh {
		for i := range s.docs {
			if _, ok := old.byID[s.docs[i].id]; ok {
				n++
			}
		}
	}
	return n
}

// counted is a segment and which of its documents count, nil for all.
type counted struct {
	*segment
	keep []bool
}

// partsOf are the segments that the next snapshot consists of, the base first. Snapshots
// do not change: a segment with other times is another one over the same bytes.
func partsOf(old *snapshot, kept []bool, restat map[int32]stat, fresh []*segment) []counted {
	var out []counted
	from := int32(0)
	for _, seg := range []*segment{old.base, old.over} {
		if seg == nil {
			continue
		}
		to := from + int32(len(seg.docs))
		next := *seg
		if len(restat) > 0 {
			next.docs = slices.Clone(seg.docs)
			for i, st := range restat {
				if i >= from && i < to {
					next.docs[i-from].stat = st
				}
			}
		}
		out = append(out, counted{&next, kept[from:to]})
		from = to
	}
	for _, s := range fresh {
		out = append(out, counted{s, nil})
	}
	return out
}

// combine makes the next snapshot: base stays, what is new or changed is put
// into one segment over it.
func (x *index) combine(old *snapshot, parts []counted) (*snapshot, error) {
	next := &snapshot{base: parts[0].segment, file: old.file, dead: make([]bool, len(parts[0].docs))}
	for i := range next.dead {
		next.dead[i] = !parts[0].keep[i]
	}
	over, err := x.join(parts[1:])
	if err != nil {
		return nil, err
	}
	if len(next.base.docs) == 0 && over != nil {
		old.close()
		next.base, next.file, over = over, nil, nil
		next.dead = make([]bool, len(next.base.docs))
	}
	next.over = over
	next.settle()
	return next, nil
}

// join merges segments in memory. nil for no documents.
func (x *index) join(parts []counted) (*segment, error) {
	var out strings.Builder
	docs, err := x.mergeTo(&out, parts)
	if err != nil || len(docs) == 0 {
		return nil, err
	}
	return openSegment(strings.NewReader(out.String()), int64(out.Len()), x.build)
}

// mergeTo merges what counts of several segments, ordered by id, and says which
// documents it was.
func (x *index) mergeTo(w io.Writer, parts []counted) ([]doc, error) {
	type origin struct{ part, doc int }
	var list []origin
	for p := range parts {
		for i := range parts[p].docs {
			if parts[p].keep == nil || parts[p].keep[i] {
				list = append(list, origin{p, i})
			}
		}
	}
	slices.SortFunc(list, func(a, b origin) int {
		return strings.Compare(parts[a.part].docs[a.doc].id, parts[b.part].docs[b.doc].id)
	})
	sources := make([]source, len(parts))
	for p := range parts {
		to := make([]int32, len(parts[p].docs))
		for i := range to {
			to[i] = -1
		}
		sources[p] = source{parts[p].segment, to}
	}
	docs := make([]doc, len(list))
	for n, o := range list {
		docs[n] = parts[o.part].docs[o.doc]
		sources[o.part].to[o.doc] = int32(n)
	}
	return docs, merge(w, docs, x.build, sources...)
}

// save writes segments as one: aside, then to its name, so that another process
// reads the old one or the new one. nil where another process put its own there in between. Without
// a place to write to, the segment is in memory.
func (x *index) save(parts []counted) (*snapshot, error) {
	if x.path == "" {
		seg, err := x.join(parts)
		if seg == nil {
			return nil, err
		}
		return settled(seg, nil), nil
	}
	dir := filepath.Dir(x.path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, plain("making the folder of the index", err)
	}
	tmp, err := os.CreateTemp(dir, filepath.Base(x.path)+".*.tmp")
	if err != nil {
		return nil, plain("writing the index", err)
	}
	defer func() { _ = os.Remove(tmp.Name()) }()
	docs, err := x.mergeTo(tmp, parts)
	if err != nil {
		_ = tmp.Close()
		return nil, err
	}
	if err := tmp.Close(); err != nil {
		return nil, plain("writing the index", err)
	}
	if err := atomic.ReplaceFile(tmp.Name(), x.path); err != nil {
		return nil, plain("writing the index", err)
	}
	seg, f := x.load()
	if seg == nil {
		return nil, nil
	}
	if !slices.EqualFunc(seg.docs, docs, func(a, b doc) bool { return a.id == b.id && a.hash == b.hash }) {
		_ = f.Close()
		return nil, nil
	}
	return settled(seg, f), nil
}

func settled(seg *segment, f *os.File) *snapshot {
	s := &snapshot{base: seg, file: f, dead: make([]bool, len(seg.docs))}
	s.settle()
	return s
}

// plain is an error without the path that the system put into it.
func plain(doing string, err error) error {
	var p *os.PathError
	if errors.As(err, &p) {
		return fmt.Errorf("%s: %w", doing, p.Err)
	}
	return fmt.Errorf("%s: %w", doing, err)
}

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
	average  [2][fieldCount]float64
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
	var sums [2][fieldCount]uint64
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
		for f, l := range d.length {
			sums[0][f] += uint64(l)
			if s.active[i] {
				sums[1][f] += uint64(l)
			}
		}
		if s.active[i] {
			s.living++
		}
	}
	for k, count := range []int{s.live, s.living} {
		for f, sum := range sums[k] {
			s.average[k][f] = float64(sum) / float64(max(1, count))
		}
	}
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
			fresh[k], err = build(entries, stats, x.build)
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
	next, err := x.combine(old, kept, restat, fresh)
	if err != nil {
		return old, ch, err
	}
	next.skipped = skipped + unread
	next.drift = old.drift + pending
	if force || next.drift > 32+old.live/200 {
		written, size, err := x.save(next)
		if errors.Is(err, errBroken) {
			next.close()
			return nil, ch, err
		}
		ch.Written, ch.Bytes, ch.Failure = written != nil, size, err
		if written != nil {
			written.skipped, written.drift = next.skipped, 0
			next.close()
			return written, ch, nil
		}
	}
	return next, ch, nil
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

// combine makes the next snapshot: base stays, what is new or changed is put
// into one segment over it.
func (x *index) combine(old *snapshot, kept []bool, restat map[int32]stat, fresh []*segment) (*snapshot, error) {
	next := &snapshot{base: old.base, file: old.file, dead: make([]bool, len(old.base.docs))}
	for i := range next.dead {
		next.dead[i] = old.dead[i] || !kept[i]
	}
	if len(restat) > 0 { // a snapshot does not change
		base := *old.base
		base.docs = slices.Clone(base.docs)
		for i, st := range restat {
			if int(i) < len(base.docs) {
				base.docs[i].stat = st
			}
		}
		next.base = &base
	}
	parts := make([]counted, 0, len(fresh)+1)
	if old.over != nil {
		over := *old.over
		over.docs = slices.Clone(over.docs)
		keep := make([]bool, len(over.docs))
		for i := range over.docs {
			at := int32(i + len(old.base.docs))
			keep[i] = kept[at]
			if st, ok := restat[at]; ok {
				over.docs[i].stat = st
			}
		}
		parts = append(parts, counted{&over, keep})
	}
	for _, s := range fresh {
		parts = append(parts, counted{s, nil})
	}
	if len(next.base.docs) == 0 && len(parts) == 1 && parts[0].keep == nil {
		old.close()
		next.base, next.dead, next.file = parts[0].segment, make([]bool, len(parts[0].docs)), nil
	} else {
		var err error
		if next.over, err = x.join(parts); err != nil {
			return nil, err
		}
	}
	next.settle()
	return next, nil
}

// counted is a segment and which of its documents count, nil for all.
type counted struct {
	*segment
	keep []bool
}

// join merges segments in memory. nil for no documents.
func (x *index) join(parts []counted) (*segment, error) {
	var out strings.Builder
	n, err := x.mergeTo(&out, parts)
	if err != nil || n == 0 {
		return nil, err
	}
	return openSegment(strings.NewReader(out.String()), int64(out.Len()), x.build)
}

// mergeTo merges what counts of several segments, ordered by id, and says how
// many documents it was.
func (x *index) mergeTo(w io.Writer, parts []counted) (int, error) {
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
	return len(docs), merge(w, docs, x.build, sources...)
}

// save writes a snapshot as one segment: aside, then to its name, so that
// another process reads the old one or the new one. Where that cannot be done,
// the snapshot is as good as it was.
func (x *index) save(s *snapshot) (*snapshot, int64, error) {
	parts := []counted{{s.base, make([]bool, len(s.base.docs))}}
	for i := range parts[0].keep {
		parts[0].keep[i] = !s.dead[i]
	}
	if s.over != nil {
		parts = append(parts, counted{s.over, nil})
	}
	if x.path == "" {
		seg, err := x.join(parts)
		if err != nil || seg == nil {
			return nil, 0, err
		}
		return settled(seg, nil), 0, nil
	}
	dir := filepath.Dir(x.path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, 0, plain("making the folder of the index", err)
	}
	tmp, err := os.CreateTemp(dir, filepath.Base(x.path)+".*.tmp")
	if err != nil {
		return nil, 0, plain("writing the index", err)
	}
	defer func() { _ = os.Remove(tmp.Name()) }()
	_, err = x.mergeTo(tmp, parts)
	if err != nil {
		_ = tmp.Close()
		return nil, 0, err
	}
	if err := tmp.Close(); err != nil {
		return nil, 0, plain("writing the index", err)
	}
	if err := atomic.ReplaceFile(tmp.Name(), x.path); err != nil {
		return nil, 0, plain("writing the index", err)
	}
	seg, f := x.load()
	if seg == nil {
		return nil, 0, nil // another process has put its own there
	}
	for i := range seg.docs {
		d := &seg.docs[i]
		if at, ok := s.byID[d.id]; !ok || s.doc(at).hash != d.hash || len(seg.docs) != s.live {
			_ = f.Close()
			return nil, 0, nil
		}
	}
	return settled(seg, f), seg.size, nil
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

package recall

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/natefinch/atomic"

	"github.com/saysolint/sayso/internal/checkpoint"
	"github.com/saysolint/sayso/internal/git"
	"github.com/saysolint/sayso/memory"
)

// DefaultCommits is how many commits, the newest, are indexed.
const DefaultCommits = 50_000

// MaxAhead is how many commits the index may lack before it is built anew. Fewer are
// read beside it.
const MaxAhead = 200

// indexName is the file of the derived index in the folder of derived state.
const indexName = "recall.v1"

// maxIndexBytes is the largest index that is read or written.
const maxIndexBytes = 1 << 30

// ErrNoCoverage is a library that does not know how much of its sources it has: it
// refuses to answer.
var ErrNoCoverage = errors.New("the index has no coverage record: without it nobody can tell what an answer leaves out")

// Options of Open. The zero value works.
type Options struct {
	MaxCommits int         // 0: DefaultCommits
	Memory     *memory.Set // entries that may hold: of a revision, or as they are; nil: the repository has no memory
	Work       *memory.Set // the same as the files of the work tree have it, where Memory is of a revision; else nil
	Rebuild    bool        // do not use the index that is there
}

// Library is everything that can be asked, at one moment.
type Library struct {
	segments []*Segment
	pending  *Segment // of them, the one with entries that have not landed; nil for none
	coverage *Coverage
	// SaveError is why the derived index could not be kept; it works all the same.
	SaveError error
}

// stored is what the derived index says of its sources.
type stored struct {
	Commits     CommitCoverage       `json:"commits"`
	Checkpoints *checkpoint.Coverage `json:"checkpoints"`
	// Refs are the branches that checkpoints were ingested from; nil where that was not done.
	Refs []string `json:"refs"`
	// Extra is how many of the commits come from checkpoints and not from the walk.
	Extra int `json:"extra"`
}

// Open brings the derived index up to date and reads it. Reading creates nothing but the
// index, below the common git folder. A repository without commits, without
// checkpoints and without a memory is an empty library, and no error.
func Open(ctx context.Context, repo *git.Repo, opts Options) (*Library, error) {
	if opts.MaxCommits <= 0 {
		opts.MaxCommits = DefaultCommits
	}
	l := &Library{}
	dir := checkpoint.Dir(repo.CommonDir())
	said, changed, err := fingerprint(dir)
	if err != nil {
		return nil, err
	}
	head, err := repo.Resolve(ctx, "HEAD")
	if errors.Is(err, git.ErrEmpty) || errors.Is(err, git.ErrUnknown) {
		head, err = "", nil // before the first commit
	}
	if err != nil {
		return nil, err
	}
	key := fmt.Sprintf("%d commits, branches; %s", opts.MaxCommits, said)
	var s *Segment
	var st *stored
	if !opts.Rebuild {
		s, st = load(dir, key, changed)
	}
	var newer walked
	if s != nil && st.Commits.Head != head {
		if newer, err = ahead(ctx, repo, st.Commits.Head, head); err != nil {
			return nil, err
		}
		if newer.docs == nil {
			s = nil
		}
	}
	if s == nil {
		if s, st, err = build(ctx, repo, dir, head, key, opts.MaxCommits); err != nil {
			return nil, err
		}
		l.SaveError = save(dir, s)
	}
	c := &Coverage{Commits: st.Commits, Checkpoints: st.Checkpoints}
	refs, err := checkpoint.Refs(ctx, repo)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil: // there may be no git program to ask
		c.unasked = true
	default:
		c.Waiting = !slices.Equal(refs, st.Refs)
	}
	l.segments = append(l.segments, s)
	if len(newer.docs) > 0 {
		l.segments = append(l.segments, newSegment("", nil, newer.docs))
		c.Commits.Head = head
		c.Commits.add(newer)
	}
	c.Commits.Shallow = repo.Shallow()
	if opts.Memory != nil {
		docs := entries(opts.Memory)
		l.segments = append(l.segments, newSegment("", nil, docs))
		c.Entries = entryCoverage(opts.Memory, len(docs))
		if opts.Work != nil {
			waiting := pending(opts.Memory, opts.Work)
			l.pending = newSegment("", nil, waiting)
			l.segments = append(l.segments, l.pending)
			c.Entries.Pending = len(waiting)
		}
	}
	l.coverage = c
	return l, nil
}

// fingerprint tells the states that were ingested from all others, by their names, sizes
// and times, and gives the time of the newest. Each is written aside and renamed.
func fingerprint(dir string) (string, time.Time, error) {
	var newest time.Time
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", newest, bare(err)
	}
	var b strings.Builder
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), "checkpoints-") {
			continue
		}
		info, err := e.Info()
		if err != nil {
			continue // it was removed meanwhile
		}
		fmt.Fprintf(&b, "%s %d %d; ", e.Name(), info.Size(), info.ModTime().UnixNano())
		if info.ModTime().After(newest) {
			newest = info.ModTime()
		}
	}
	return b.String(), newest, nil
}

// bare leaves the path out of an error: no absolute path leaves the process.
func bare(err error) error {
	var pe *os.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}

// racy is how long after a state was written another could be written that looks the
// same, on file systems with coarse times.
const racy = 2 * time.Second

// load reads the derived index, nil where there is none that fits: what was written
// hardly later than the newest state may be of the one before it.
func load(dir, key string, changed time.Time) (*Segment, *stored) {
	name := filepath.Join(dir, indexName)
	info, err := os.Lstat(name)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxIndexBytes || info.ModTime().Before(changed.Add(racy)) {
		return nil, nil
	}
	b, err := os.ReadFile(name)
	if err != nil {
		return nil, nil
	}
	s, err := decodeSegment(b)
	if err != nil || s.key != key {
		return nil, nil
	}
	st := &stored{}
	if json.Unmarshal(s.coverage, st) != nil {
		return nil, nil
	}
	return s, st
}

// save writes the derived index aside and renames it.
func save(dir string, s *Segment) error {
	b := s.encode()
	if len(b) > maxIndexBytes {
		return errors.New("the index is too large to be kept")
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return bare(err)
	}
	name := filepath.Join(dir, indexName)
	if err := atomic.WriteFile(name, bytes.NewReader(b)); err != nil {
		return bare(err)
	}
	return bare(os.Chmod(name, 0o600))
}

// ahead reads the commits that the index lacks. No documents: it has to be built anew,
// because its head is no ancestor any more or too much has come.
func ahead(ctx context.Context, repo *git.Repo, from, to string) (walked, error) {
	if from == "" || to == "" {
		return walked{}, nil
	}
	ok, err := repo.IsAncestor(ctx, from, to)
	if err != nil || !ok {
		return walked{}, ctx.Err()
	}
	w, err := commits(ctx, repo, git.LogOptions{Include: []string{to}, Exclude: []string{from}, Max: MaxAhead})
	if err != nil || w.more {
		return walked{}, ctx.Err()
	}
	return w, nil
}

// build reads everything.
func build(ctx context.Context, repo *git.Repo, dir, head, key string, limit int) (*Segment, *stored, error) {
	st := &stored{}
	var docs []Document
	if head != "" {
		w, err := commits(ctx, repo, git.LogOptions{Include: []string{head}, Max: limit})
		if err != nil {
			return nil, nil, err
		}
		docs = w.docs
		st.Commits = CommitCoverage{Head: head, Limit: limit}
		st.Commits.add(w)
	}
	ix, err := checkpoint.Load(dir)
	switch {
	case errors.Is(err, checkpoint.ErrNoIndex):
	case errors.Is(err, checkpoint.ErrNoCoverage):
		return nil, nil, fmt.Errorf("%w: %w", ErrNoCoverage, err)
	case err != nil:
		return nil, nil, err
	default:
		known := map[string]bool{}
		for i := range docs {
			known[docs[i].ID] = true
		}
		c := ix.Coverage
		st.Checkpoints = &c
		for _, source := range ix.Sources {
			if source.Name == checkpoint.Entire {
				st.Refs = source.Refs
			}
		}
		docs = append(docs, turns(ix, known)...)
		st.Extra = len(known) - st.Commits.Indexed
	}
	data, err := json.Marshal(st)
	if err != nil {
		return nil, nil, err
	}
	return newSegment(key, data, docs), st, ctx.Err()
}

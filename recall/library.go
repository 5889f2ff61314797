package recall

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
	"strings"

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
	Memory     *memory.Set // nil: the repository has no memory
	Rebuild    bool        // do not use the index that is there
}

// Library is everything that can be asked, at one moment.
type Library struct {
	segments []*Segment
	coverage *Coverage
	// SaveError is why the derived index could not be kept; it works all the same.
	SaveError error
}

// stored is what the derived index says of its sources.
type stored struct {
	Commits     CommitCoverage       `json:"commits"`
	Checkpoints *checkpoint.Coverage `json:"checkpoints"`
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
	said, err := fingerprint(dir)
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
	key := fmt.Sprintf("%d commits; %s", opts.MaxCommits, said)
	var s *Segment
	var st *stored
	if !opts.Rebuild {
		s, st = load(dir, key)
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
	}
	l.coverage = c
	return l, nil
}

// fingerprint tells the states that were ingested from all others: names and content.
func fingerprint(dir string) (string, error) {
	names, err := filepath.Glob(filepath.Join(globless(dir), "checkpoints-*"))
	if err != nil {
		return "", err
	}
	slices.Sort(names)
	var b strings.Builder
	for _, n := range names {
		data, err := os.ReadFile(n)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return "", fmt.Errorf("%s: %w", filepath.Base(n), bare(err))
		}
		fmt.Fprintf(&b, "%s %d %08x; ", filepath.Base(n), len(data), crc32.Checksum(data, table))
	}
	return b.String(), nil
}

// globless keeps a path's own characters from being read as a pattern.
func globless(dir string) string {
	return strings.NewReplacer("*", `\*`, "?", `\?`, "[", `\[`, `\`, `\\`).Replace(dir)
}

// bare leaves the path out of an error: no absolute path leaves the process.
func bare(err error) error {
	var pe *os.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}

// load reads the derived index, nil where there is none that fits.
func load(dir, key string) (*Segment, *stored) {
	name := filepath.Join(dir, indexName)
	info, err := os.Lstat(name)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxIndexBytes {
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
		docs = append(docs, turns(ix, known)...)
		st.Extra = len(known) - st.Commits.Indexed
	}
	data, err := json.Marshal(st)
	if err != nil {
		return nil, nil, err
	}
	return newSegment(key, data, docs), st, ctx.Err()
}

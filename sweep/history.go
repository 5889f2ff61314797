package sweep

import (
	"bytes"
	"context"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/saysolint/sayso/internal/git"
)

// version is one content that a path had.
type version struct{ commit, blob string }

// trail follows a path from a commit on through renames.
type trail struct {
	base, path string
	blob       string // what the path held when it was last seen
	now        string // where it is at the end, "" where it was deleted
	live       bool   // the walk has passed the base
}

// maxSources bounds how many files of one commit are read to find out which of
// them a deleted one became.
const maxSources = 40

// walk goes through the history of the revision once, from its beginning, and
// collects the versions of some paths and where some files went.
func (s *sweeper) walk(ctx context.Context, paths map[string]bool, trails []*trail) (map[string][]version, error) {
	versions := map[string][]version{}
	starts := map[string][]*trail{}
	for _, t := range trails {
		t.now = t.path
		starts[t.base] = append(starts[t.base], t)
	}
	live := map[string][]*trail{} // by where the file is
	err := s.repo.Log(ctx, git.LogOptions{Include: []string{s.rev}, Oldest: true, Paths: true}, func(c git.LogCommit) error {
		for _, e := range c.Entries {
			if e.Status != 'D' && paths[e.Path] {
				versions[e.Path] = append(versions[e.Path], version{c.Hash, e.NewBlob})
			}
			moving := live[e.Path]
			if len(moving) == 0 {
				continue
			}
			if e.Status != 'D' {
				for _, t := range moving {
					t.blob = e.NewBlob
				}
				continue
			}
			to, blob, err := s.becomes(ctx, c.Entries, e)
			if err != nil {
				return err
			}
			if to == "" {
				continue // it may come back, as after a revert
			}
			delete(live, e.Path)
			for _, t := range moving {
				t.now, t.blob = to, blob
			}
			live[to] = append(live[to], moving...)
		}
		for _, t := range starts[c.Hash] {
			t.live = true
			live[t.path] = append(live[t.path], t)
		}
		return nil
	})
	return versions, err
}

// becomes is the file that one commit made of one that it deleted: the same
// content, or at least half of it.
func (s *sweeper) becomes(ctx context.Context, entries []git.RawEntry, gone git.RawEntry) (to, blob string, err error) {
	var added []git.RawEntry
	for _, e := range entries {
		if e.Status != 'A' || !strings.HasPrefix(e.NewMode, "100") {
			continue
		}
		if e.NewBlob == gone.OldBlob {
			return e.Path, e.NewBlob, nil
		}
		added = append(added, e)
	}
	// Those that look most like it first.
	likeness := func(e git.RawEntry) int {
		n := 0
		if path.Base(e.Path) == path.Base(gone.Path) {
			n += 2
		}
		if path.Ext(e.Path) == path.Ext(gone.Path) {
			n++
		}
		return n
	}
	slices.SortStableFunc(added, func(a, b git.RawEntry) int { return likeness(b) - likeness(a) })
	old, err := s.doc(ctx, gone.OldBlob)
	if err != nil || old == nil {
		return "", "", err
	}
	best := 0.5
	for _, e := range added[:min(len(added), maxSources)] {
		d, err := s.doc(ctx, e.NewBlob)
		if err != nil {
			return "", "", err
		}
		if d == nil {
			continue
		}
		if share := shared(old, d); share >= best && (share > best || to == "") {
			best, to, blob = share, e.Path, e.NewBlob
		}
	}
	return to, blob, nil
}

// shared is how much of two texts is the same, in lines, against the longer one.
func shared(a, b *doc) float64 {
	count := map[uint64]int{}
	for _, h := range a.loose {
		count[h]++
	}
	n := 0
	for _, h := range b.loose {
		if count[h] > 0 {
			count[h]--
			n++
		}
	}
	return float64(n) / float64(max(1, a.len(), b.len()))
}

// doc reads a blob as lines; nil for what is no text, too large or not there.
func (s *sweeper) doc(ctx context.Context, blob string) (*doc, error) {
	text, _, err := s.text(ctx, blob)
	if text == nil || err != nil {
		return nil, err
	}
	return newDoc(text), nil
}

// text reads a blob; nil for what is no text, too large or not there. gap says
// that it was not read, though it may be text.
func (s *sweeper) text(ctx context.Context, blob string) (text []byte, gap bool, err error) {
	text, err = s.repo.Blob(ctx, blob, maxBlob)
	switch {
	case ctx.Err() != nil:
		return nil, false, context.Cause(ctx)
	case err != nil:
		return nil, true, nil // told in the coverage by whoever asked
	case bytes.IndexByte(text[:min(len(text), 8000)], 0) >= 0:
		return nil, false, nil
	case text == nil:
		text = []byte{}
	}
	return text, false, nil
}

// fromHistory finds what references cite whose id names no object: by the hash of
// the content, else the file as it was when the entry was written.
func (s *sweeper) fromHistory(ctx context.Context, anchors []*anchor) error {
	if len(anchors) == 0 {
		return nil
	}
	// What is still as it was needs no history.
	var rest []*anchor
	for _, a := range anchors {
		want := contentHash(a.ref.ID)
		if f, ok := s.files[a.ref.Path]; ok && want != "" {
			text, _, err := s.text(ctx, s.tree[f].Object)
			if err != nil {
				return err
			}
			if text != nil && a.hasContent(text, want) {
				a.blob, a.out.Base = s.tree[f].Object, s.rev
				continue
			}
		}
		rest = append(rest, a)
	}
	if len(rest) == 0 {
		return nil
	}
	paths := map[string]bool{}
	for _, a := range rest {
		paths[a.ref.Path] = true
	}
	versions, err := s.walk(ctx, paths, nil)
	if err != nil {
		return err
	}
	for _, a := range rest {
		all := versions[a.ref.Path]
		want := contentHash(a.ref.ID)
		if len(all) == 0 {
			a.unread("no commit of the history has the file")
			a.invalid = true
			continue
		}
		found := false
		for i := len(all) - 1; i >= 0 && want != "" && !found; i-- {
			text, _, err := s.text(ctx, all[i].blob)
			if err != nil {
				return err
			}
			if found = text != nil && a.hasContent(text, want); found {
				a.blob, a.out.Base = all[i].blob, all[i].commit
			}
		}
		if found {
			continue
		}
		v, err := s.asOf(ctx, all, s.entries[a.entry].CreatedAtMs)
		if err != nil {
			return err
		}
		if v == nil {
			a.unread("neither its id nor the date of the entry says which version of the file it cites")
			continue
		}
		a.blob, a.out.Base = v.blob, v.commit
	}
	return nil
}

// asOf is the last of some versions that was committed when an entry was written.
func (s *sweeper) asOf(ctx context.Context, all []version, ms int64) (*version, error) {
	if ms == 0 {
		return nil, nil
	}
	at := time.UnixMilli(ms)
	for i := len(all) - 1; i >= 0; i-- {
		c, err := s.repo.Commit(ctx, all[i].commit)
		if err != nil {
			return nil, err
		}
		if !c.Committer.When.After(at) {
			return &all[i], nil
		}
	}
	return nil, nil
}

package sweep

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"slices"
	"strings"

	"github.com/saysolint/sayso/internal/git"
	"github.com/saysolint/sayso/memory"
)

// maxBlob is the size of a file up to which it is read.
const maxBlob = 2 << 20

// anchor is one source reference on its way through a sweep.
type anchor struct {
	entry    int // in the list of swept entries
	index    int // among the references of its entry
	ref      memory.SourceRef
	out      Anchor
	invalid  bool   // what it cites never was: a mistake of the entry
	blob     string // object name of the file as it was cited, "" where unknown
	from, to int    // cited lines, from 0, half open; to is -1 for the whole file
	rough    place  // what the file of the same path gave, until the tree was searched
	passage  *target
	file     *target // the whole cited file, where its path is gone
	said     []string
	gone     []string // names that the entry takes from the passage and that are not in what it became
}

// whole says that the anchor cites a file and not lines of it.
func (a *anchor) whole() bool { return a.to < 0 }

// target is a set of lines that the tree is searched for.
type target struct {
	lines int // different lines
	hits  []hit
}

// hit is a file of the tree that has some of the lines of a target.
type hit struct {
	file  int // in the list of files of the tree
	lines int // different lines of it
}

// anchorsOf lists the references of entries that can be looked at.
func anchorsOf(entries []*memory.Entry) []*anchor {
	var out []*anchor
	for i, e := range entries {
		for k, r := range e.SourceRefs {
			switch {
			case r.Type == "file" && r.Path != "", r.Type == "commit":
			default:
				continue // runs and transcripts are not in the tree
			}
			a := &anchor{entry: i, index: k, ref: r, to: -1, out: Anchor{Ref: r}}
			if r.LineStart > 0 {
				a.from, a.to = r.LineStart-1, max(r.LineStart, r.LineEnd)
			}
			out = append(out, a)
		}
	}
	return out
}

// unread says why an anchor cannot be looked at.
func (a *anchor) unread(why string) {
	a.out.State, a.out.Reason = Unread, why
}

// isHex says whether s can be the name of an object, whole or cut short.
func isHex(s string) bool {
	if len(s) < 7 || len(s) > 64 {
		return false
	}
	for i := range len(s) {
		if c := s[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') && (c < 'A' || c > 'F') {
			return false
		}
	}
	return true
}

// resolve finds the text that each anchor cites. What only the history can tell is
// returned: references by content, and those whose revision is gone.
func (s *sweeper) resolve(ctx context.Context, anchors []*anchor) (later []*anchor, err error) {
	type answer struct{ hash, kind string }
	known := map[string]answer{}
	kindOf := func(object string) (answer, error) {
		if k, ok := known[object]; ok {
			return k, nil
		}
		hash, kind, err := s.repo.Type(ctx, object)
		if errors.Is(err, git.ErrUnknown) || errors.Is(err, git.ErrMissing) {
			err = nil
		}
		if err == nil {
			known[object] = answer{hash, kind}
		}
		return answer{hash, kind}, err
	}
	for _, a := range anchors {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		id := a.ref.ID
		var at answer
		if a.ref.Path != "" && !fs.ValidPath(a.ref.Path) {
			a.unread("its path is none of a repository")
			a.invalid = true
			continue
		}
		if isHex(id) {
			if at, err = kindOf(id); err != nil {
				return nil, err
			}
			if at.kind == "tag" {
				if at, err = kindOf(id + "^{commit}"); err != nil {
					return nil, err
				}
			}
		}
		switch {
		case at.kind == "commit":
			a.out.Base = at.hash
			if a.ref.Path == "" {
				break
			}
			object, kind, err := s.paths.at(ctx, at.hash, a.ref.Path)
			if err != nil {
				return nil, err
			}
			switch kind {
			case "blob":
				a.blob = object
			case "tree":
				a.unread("it cites a folder, and folders are not compared")
			default:
				a.unread("the file is not in the commit that it cites")
				a.invalid = true
			}
		case at.kind == "blob" && a.ref.Path != "":
			a.blob = at.hash
		case a.ref.Type == "commit" && a.ref.Path == "":
			// Checked with the commits.
		default:
			later = append(later, a)
		}
	}
	return later, nil
}

// contentHash is what an id of the form sha256:... names, "" for none.
func contentHash(id string) string {
	h, ok := strings.CutPrefix(strings.ToLower(id), "sha256:")
	if !ok || len(h) != 2*sha256.Size {
		return ""
	}
	return h
}

// hasContent says whether a text, whole or the lines that an anchor cites, has
// the hash that its id names: with the last line end or without it.
func (a *anchor) hasContent(text []byte, want string) bool {
	try := [][]byte{text}
	if a.to > 0 {
		if d := newDoc(text); a.to <= d.len() {
			l := d.lines(a.from, a.to)
			short := []byte(strings.TrimSuffix(strings.TrimSuffix(string(l), "\n"), "\r"))
			try = append(try, l, short, append(slices.Clone(short), '\n'))
		}
	}
	for _, t := range try {
		if sum := sha256.Sum256(t); hex.EncodeToString(sum[:]) == want {
			return true
		}
	}
	return false
}

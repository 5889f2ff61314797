package index

import (
	"context"
	"slices"
	"strings"

	"github.com/saysolint/sayso/internal/text"
)

// maxRecent is how many commits beyond the index are read for one history.
const maxRecent = 200

// said is a commit that the index does not have, taken apart as the postings
// take theirs.
type said struct {
	stems  []string
	scopes []string
	paths  []string
}

// History is what the ancestors of the view's commit said and touched. Commits
// that the index does not have yet are read from git, up to 200 of them; with
// more, or without an index, nothing is known and Commits is 0.
func (v *View) History(ctx context.Context) (*History, error) {
	if v.ix == nil {
		return &History{}, nil
	}
	h := v.ix.past()
	if h == nil {
		return &History{}, nil
	}
	tips := []string{v.histAt}
	if v.histAt == "" {
		var err error
		if tips, err = v.parents(ctx, h); err != nil {
			return nil, err
		}
	}
	var numbers []uint32
	var unknown []string
	for _, t := range tips {
		if n := h.number(t); n != none {
			numbers = append(numbers, n)
		} else {
			unknown = append(unknown, t)
		}
	}
	var extra []said
	seen := map[string]bool{}
	for _, tip := range unknown {
		rows, cut, ok := v.ix.newer.find(tip)
		if !ok {
			var err error
			cut, err = readLog(ctx, v.repo, tip, []string{v.ix.meta.head}, maxRecent, func(r row) { rows = append(rows, r) })
			if err != nil && ctx.Err() != nil {
				return nil, err
			}
			if err != nil {
				return &History{}, nil
			}
		}
		if cut {
			return &History{}, nil
		}
		for _, r := range rows {
			if seen[r.id] {
				continue
			}
			seen[r.id] = true
			if n := h.number(r.id); n != none {
				numbers = append(numbers, n)
				continue
			}
			for _, p := range r.parents {
				if n := h.number(p); n != none {
					numbers = append(numbers, n)
				}
			}
			if len(r.parents) < 2 {
				extra = append(extra, take(r))
			}
		}
	}
	x := newHistory(h, numbers)
	x.extra = extra
	x.commits += len(extra)
	return x, nil
}

// parents is the parents of the view's commit. Those that the index has numbers
// for are enough when it knows the commit: the others are beyond its end.
func (v *View) parents(ctx context.Context, h *past) ([]string, error) {
	if v.commit == "" {
		return nil, nil
	}
	if n := h.number(v.commit); n != none {
		var out []string
		h.eachParent(n, func(p uint32) { out = append(out, h.id(int(p))) })
		return out, nil
	}
	c, err := v.repo.Commit(ctx, v.commit)
	if err != nil {
		return nil, err
	}
	return c.Parents, nil
}

func take(r row) said {
	s := said{paths: r.paths}
	h := text.ParseHeader(r.subject)
	text.EachWord(h.Rest, func(w string) { s.stems = append(s.stems, text.Stem(w)) })
	if len(h.Scopes) > 0 {
		s.scopes = append(s.scopes, anyScope)
	}
	for _, scope := range h.Scopes {
		s.scopes = append(s.scopes, foldScope(scope))
	}
	return s
}

// says reports whether the commit is in the posting of a key.
func (s *said) says(kind byte, key string) bool {
	switch kind {
	case keyWord:
		return slices.Contains(s.stems, key)
	case keyScope:
		return slices.Contains(s.scopes, key)
	case keyNamed:
		return slices.Contains(s.scopes, key) && slices.ContainsFunc(s.paths, func(p string) bool { return namesPath(key, p) })
	case keyEcho:
		return slices.Contains(s.stems, key) && pathsSay(s.paths, key)
	}
	return false
}

// touches reports whether the commit touched something in or below one of dirs.
func (s *said) touches(dirs []string) bool {
	for _, d := range dirs {
		d = strings.TrimSuffix(d, "/")
		for _, p := range s.paths {
			if d == "" || d == "." || p == d || len(p) > len(d) && p[len(d)] == '/' && p[:len(d)] == d {
				return true
			}
		}
	}
	return false
}

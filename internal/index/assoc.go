package index

import (
	"slices"
	"strings"

	"github.com/saysolint/sayso/internal/text"
)

// What words and paths have to do with each other. A word that says where a
// change was made comes back in the paths of the commits that say it: those who
// say "router" touch lib/router. A word that says why does not. The share of the
// two counts, Word and Echo, tells them apart for each project.

// anyScope is the key, among the scopes, of the commits that have one at all.
const anyScope = ""

// Echo counts the ancestors whose subject, less its header, has the stem, and
// which touched a path that has it too, in the name of a folder or a file.
func (x *History) Echo(stem string) int { return x.count(keyEcho, stem) }

// Scoped counts the ancestors that have any header scope or prefix, and those of
// them that touched something in or below one of dirs.
func (x *History) Scoped(dirs []string) (all, touching int) {
	return x.count(keyScope, anyScope), x.countTouching(keyScope, anyScope, dirs)
}

// pathStems keeps the stems of the words in parts of paths, which come again
// with every commit.
type pathStems struct {
	of   map[string][]string
	seen map[string]bool // parts of the commit at hand
}

// each calls fn for the stems in the parts of the paths, each part once.
func (c *pathStems) each(paths []string, fn func(stem string)) {
	if c.of == nil {
		c.of, c.seen = map[string][]string{}, map[string]bool{}
	}
	clear(c.seen)
	for _, p := range paths {
		for p != "" {
			i := strings.LastIndexByte(p, '/')
			part := p[i+1:]
			p = p[:max(i, 0)]
			if c.seen[part] {
				continue
			}
			c.seen[part] = true
			stems, ok := c.of[part]
			if !ok {
				text.EachWord(part, func(w string) { stems = append(stems, text.Stem(w)) })
				c.of[strings.Clone(part)] = stems
			}
			for _, s := range stems {
				fn(s)
			}
		}
	}
}

// pathsSay says whether a path has the stem in one of its parts.
func pathsSay(paths []string, stem string) bool {
	return slices.ContainsFunc(paths, func(p string) (found bool) {
		text.EachWord(p, func(w string) { found = found || text.Stem(w) == stem })
		return found
	})
}

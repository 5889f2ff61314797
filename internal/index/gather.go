package index

import (
	"cmp"
	"slices"
	"sync"

	"github.com/saysolint/sayso/internal/lang"
)

// A build sees the same few hundred thousand names millions of times. Each
// worker numbers the names it meets in a lexicon of its own, so that a name is
// copied once for each worker and not once for each file; the gatherer numbers
// them once more for all, and keeps what files say as plain numbers.

// lexicon is the names that one worker has met.
type lexicon struct {
	ids   map[string]uint32
	seen  []uint32 // per name, the number of the file that had it last
	files uint32

	mu    sync.Mutex
	names []string

	global []uint32 // per name, its number in the gatherer; the gatherer's own
}

func newLexicon() *lexicon { return &lexicon{ids: map[string]uint32{}} }

// number is the number of a name, known or new.
func (x *lexicon) number(name []byte) uint32 {
	n, ok := x.ids[string(name)]
	if !ok {
		n = uint32(len(x.seen))
		s := string(name)
		x.ids[s] = n
		x.seen = append(x.seen, 0)
		x.mu.Lock()
		x.names = append(x.names, s)
		x.mu.Unlock()
	}
	return n
}

// fileFacts is what one file says, in numbers of a lexicon.
type fileFacts struct {
	uses    []uint32
	defs    []lineOf
	imports []lang.Import
}

type lineOf struct{ name, line uint32 }

// scan is the function scan for a build; ok is false when nothing is read.
func (x *lexicon) scan(path string, src []byte) (f fileFacts, ok bool) {
	l := codeOf(path, src)
	if l == nil {
		return f, false
	}
	x.files++
	eachName(l, src, func(w []byte) {
		if n := x.number(w); x.seen[n] != x.files && len(f.uses) < maxFileName {
			x.seen[n] = x.files
			f.uses = append(f.uses, n)
		}
	})
	if l.HasDefs() {
		for _, d := range defsOf(l, src) {
			f.defs = append(f.defs, lineOf{x.number([]byte(d.name)), d.line})
		}
	}
	if l.HasImports() {
		f.imports = l.Imports(src)
	}
	return f, true
}

// gatherer collects what all files say. Files come in ascending order.
type gatherer struct {
	ids   map[string]uint32
	names []string
	uses  []pair
	defs  []defOf
}

type pair struct{ name, file uint32 }

type defOf struct{ name, file, line uint32 }

func (g *gatherer) add(file uint32, x *lexicon, f *fileFacts) {
	x.mu.Lock()
	names := x.names
	x.mu.Unlock()
	for len(x.global) < len(names) {
		s := names[len(x.global)]
		n, ok := g.ids[s]
		if !ok {
			if g.ids == nil {
				g.ids = map[string]uint32{}
			}
			n = uint32(len(g.names))
			g.ids[s] = n
			g.names = append(g.names, s)
		}
		x.global = append(x.global, n)
	}
	for _, u := range f.uses {
		g.uses = append(g.uses, pair{x.global[u], file})
	}
	for _, d := range f.defs {
		g.defs = append(g.defs, defOf{x.global[d.name], file, d.line})
	}
}

// sorted yields the names in order, each with its posting, which is valid until
// the next step.
func (g *gatherer) sorted(yield func(name string, p *posting) bool) {
	// A counting sort by name keeps the order of files within a name.
	starts := make([]uint32, len(g.names)+1)
	for _, u := range g.uses {
		starts[u.name+1]++
	}
	for i := range g.names {
		starts[i+1] += starts[i]
	}
	files := make([]uint32, len(g.uses))
	next := slices.Clone(starts)
	for _, u := range g.uses {
		files[next[u.name]] = u.file
		next[u.name]++
	}
	slices.SortStableFunc(g.defs, func(a, b defOf) int { return cmp.Compare(a.name, b.name) })
	defStart := make([]uint32, len(g.names)+1)
	for _, d := range g.defs {
		defStart[d.name+1]++
	}
	for i := range g.names {
		defStart[i+1] += defStart[i]
	}
	order := make([]uint32, len(g.names))
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortFunc(order, func(a, b uint32) int { return cmp.Compare(g.names[a], g.names[b]) })
	var p posting
	for _, n := range order {
		p.uses = files[starts[n]:starts[n+1]]
		p.defs = p.defs[:0]
		for _, d := range g.defs[defStart[n]:defStart[n+1]] {
			p.defs = append(p.defs, defAt{d.file, d.line})
		}
		if !yield(g.names[n], &p) {
			return
		}
	}
}

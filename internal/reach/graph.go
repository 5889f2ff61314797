package reach

import (
	"slices"
	"sort"
	"strings"

	"github.com/saysolint/sayso/internal/lang"
)

// File is one file of the tree with what it imports.
type File struct {
	Path    string // as in the tree, with slashes
	Imports []lang.Import
}

// Edge is one step of the way from changed files to what depends on them.
type Edge struct {
	Path  string // the file that depends
	On    string // the file, or the folder of the package, that it imports
	Depth int    // 1 for a direct import, 2 for an import of such a file, ...
}

// Graph is the dependency graph of one tree. It does not change after Build.
// Its methods may be called concurrently.
type Graph struct {
	paths []string // sorted
	state []state
	unit  []int32  // index into units of the package that the file belongs to as a whole, -1 for none
	units []string // folders that are imported as a whole (Go packages, Java packages)

	deps [][]uint32 // by file: targets, sorted; a target >= len(paths) is a unit
	back [][]uint32 // by target: files that import it, sorted

	names    []string   // external names, sorted
	external [][]uint32 // by file: indices into names, sorted
	roots    []string   // folders with a package manifest of their own, sorted

	stats Stats
}

type state uint8

const (
	covered   state = iota // its imports were read
	uncovered              // source in a language whose imports are not read
	apart                  // no source: documents, configuration, assets
)

// Stats says how well imports were resolved.
type Stats struct {
	Resolved int // imports that led to a file or package of the tree
	External int // imports of something outside of the tree
	Lost     int // imports that look internal and led nowhere
}

// Stats are the counts of the build.
func (g *Graph) Stats() Stats { return g.stats }

// Len is the number of files.
func (g *Graph) Len() int { return len(g.paths) }

func (g *Graph) index(path string) (int, bool) { return slices.BinarySearch(g.paths, path) }

// Has says whether the file is in the graph and its imports were read: whether
// the graph can speak of it at all.
func (g *Graph) Has(path string) bool {
	i, ok := g.index(path)
	return ok && g.state[i] == covered
}

// NotCovered lists those of the paths that are source files which the graph
// cannot speak of: files it does not hold, and files in a language whose imports are
// not read. Documents, configuration and the like are left out: nothing imports them.
func (g *Graph) NotCovered(paths []string) []string {
	var out []string
	for _, p := range paths {
		i, ok := g.index(p)
		switch {
		case ok && g.state[i] != uncovered:
		case !ok && stateOf(p) == apart:
		default:
			out = append(out, p)
		}
	}
	sort.Strings(out)
	return out
}

// Languages are the names of the languages of the covered files, sorted.
func (g *Graph) Languages() []string {
	seen := map[string]bool{}
	for i, p := range g.paths {
		if g.state[i] == covered {
			seen[lang.ByPath(p, nil).Name()] = true
		}
	}
	delete(seen, "")
	out := make([]string, 0, len(seen))
	for n := range seen {
		out = append(out, n)
	}
	sort.Strings(out)
	return out
}

// Dependents are the files that import one of the given ones, directly or by way
// of others, nearest first, then by path; each file once. At most max edges are
// given (0 for no bound). The given files themselves are left out.
func (g *Graph) Dependents(paths []string, max int) []Edge {
	seen := make([]bool, len(g.paths))
	var level []int
	for _, p := range paths {
		if i, ok := g.index(p); ok && !seen[i] {
			seen[i] = true
			level = append(level, i)
		}
	}
	var out []Edge
	for depth := 1; len(level) > 0; depth++ {
		var next []int
		from := len(out)
		visit := func(target int, on string) {
			for _, f := range g.back[target] {
				if !seen[f] {
					seen[f] = true
					next = append(next, int(f))
					out = append(out, Edge{g.paths[f], on, depth})
				}
			}
		}
		for _, i := range level {
			visit(i, g.paths[i])
			if u := g.unit[i]; u >= 0 {
				visit(len(g.paths)+int(u), g.units[u])
			}
		}
		part := out[from:]
		sort.Slice(part, func(i, j int) bool { return part[i].Path < part[j].Path })
		if max > 0 && len(out) >= max {
			return out[:max]
		}
		level = next
		sort.Ints(level)
	}
	return out
}

// DependsOn lists what the file imports of the tree: files, and folders for
// packages that are imported as a whole (".": the root). Sorted, nil for an unknown file.
func (g *Graph) DependsOn(path string) []string {
	i, ok := g.index(path)
	if !ok {
		return nil
	}
	out := make([]string, 0, len(g.deps[i]))
	for _, t := range g.deps[i] {
		if int(t) < len(g.paths) {
			out = append(out, g.paths[t])
		} else {
			out = append(out, g.units[int(t)-len(g.paths)])
		}
	}
	sort.Strings(out)
	return out
}

// External lists what the file imports from outside of the tree, as written. Sorted.
func (g *Graph) External(path string) []string {
	i, ok := g.index(path)
	if !ok {
		return nil
	}
	out := make([]string, 0, len(g.external[i]))
	for _, n := range g.external[i] {
		out = append(out, g.names[n])
	}
	return out
}

// Component is the unit that a reader would call the file's package: the nearest
// folder with a manifest of its own (package.json, Cargo.toml) below the root for
// JavaScript, TypeScript and Rust, else the file's folder; "." for the root.
func (g *Graph) Component(path string) string {
	dir := dirOf(path)
	switch lang.ByPath(path, nil).Name() {
	case "JavaScript", "TypeScript", "Vue", "Svelte", "Astro", "Rust":
		for d := dir; d != "" && d != "."; d = dirOf(d) {
			if _, ok := slices.BinarySearch(g.roots, d); ok {
				return d
			}
		}
	}
	if dir == "" {
		return "."
	}
	return dir
}

func stateOf(path string) state {
	l := lang.ByPath(path, nil)
	if l.HasImports() {
		return covered
	}
	switch k := lang.KindOf(path); k {
	case lang.Source, lang.Test, lang.Bench, lang.Example:
		switch l.Name() {
		case "", "JSON", "YAML", "TOML", "INI", "XML", "HTML", "CSS", "SCSS", "Markdown", "reStructuredText", "Text", "SQL":
			return apart
		}
		return uncovered
	}
	return apart
}

// dirOf is the folder of a path, "" at the root.
func dirOf(p string) string {
	if i := strings.LastIndexByte(p, '/'); i >= 0 {
		return p[:i]
	}
	return ""
}

// finish sorts the edges and turns them round.
func (g *Graph) finish() {
	g.back = make([][]uint32, len(g.paths)+len(g.units))
	for f, targets := range g.deps {
		for _, t := range targets {
			g.back[t] = append(g.back[t], uint32(f))
		}
	}
}

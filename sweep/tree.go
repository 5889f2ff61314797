package sweep

import (
	"bytes"
	"cmp"
	"context"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/sourcegraph/conc/pool"

	"github.com/saysolint/sayso/internal/git"
	"github.com/saysolint/sayso/internal/lang"
)

// Rules reads what entries demand of a tree: assertions, and decisions in plain
// words. The caller owns the grammar.
type Rules interface {
	// Demands are what an entry demands, each on its own; none for an entry that
	// demands nothing a tree could answer. unread counts demands that could not be
	// understood, with the reason in why.
	Demands(ctx context.Context, e EntryView) (demands []Demand, unread int, why string)
}

// EntryView is what Rules needs of an entry.
type EntryView struct {
	ID, Title string
	Decisions []string
	AppliesTo []string
	Asserts   string
}

// Demand is one thing that an entry demands of a whole tree. File may be called
// from several goroutines, for different files.
type Demand interface {
	// Text is the demand in words, one clause.
	Text() string
	// Wants says whether the content of a file bears on the demand.
	Wants(path string) bool
	// File looks at one file and returns what breaks the demand in it, in order
	// of line. found says that the file has what a demand requires.
	File(path string, content []byte) (breaks []Place, found bool)
	// Tree ends the look: paths are all files of the tree, sorted, and found is how
	// many files had what is required. It returns what breaks the demand as a whole.
	Tree(paths []string, found int) []Place
}

// scan is one pass over the files of the tree: everything that has to be looked
// for is looked for at once, so that each file is read once.
type scan struct {
	lines   map[uint64][]int32 // loose line to the targets that have it
	targets []*target
	names   map[string]int
	counts  map[int]int // files whose lines are to be counted, to their number
	demands []*demanded
	skip    func(path string) bool // files that say nothing about the code: the memory itself
}

type demanded struct {
	entry  int
	demand Demand
	breaks []Place
	found  int
}

// scanned is what a pass found.
type scanned struct {
	code     []Place  // of each name, the first place in a file that is no document; Path "" for none
	anywhere []bool   // of each name, whether any file has it
	unread   []string // files that could not be read, at most a few
	left     int      // how many of those there are
}

// keepHits is how many files are kept for each target.
const keepHits = 4

// scan reads the files: all of them where lines or names are looked for, else
// those that a demand wants.
func (s *sweeper) scan(ctx context.Context, tree []git.TreeEntry, sc *scan) (*scanned, error) {
	out := &scanned{code: make([]Place, len(sc.names)), anywhere: make([]bool, len(sc.names))}
	all := len(sc.names) > 0 || len(sc.lines) > 0
	if !all && len(sc.demands) == 0 && len(sc.counts) == 0 {
		return out, nil
	}
	const chunk = 32
	var mu sync.Mutex
	type partial struct {
		code     map[int]Place
		anywhere []int
	}
	parts := make([]partial, (len(tree)+chunk-1)/chunk)
	p := pool.New().WithContext(ctx).WithCancelOnError().WithMaxGoroutines(max(1, runtime.GOMAXPROCS(0)))
	for from := 0; from < len(tree); from += chunk {
		p.Go(func(ctx context.Context) error {
			part := &parts[from/chunk]
			part.code = map[int]Place{}
			var w fileScan
			for i := from; i < min(from+chunk, len(tree)); i++ {
				f := tree[i]
				if !plainFile(f) || sc.skip != nil && sc.skip(f.Path) {
					continue
				}
				var wanted []*demanded
				for _, d := range sc.demands {
					if d.demand.Wants(f.Path) {
						wanted = append(wanted, d)
					}
				}
				mu.Lock()
				_, counted := sc.counts[i]
				mu.Unlock()
				if !all && !counted && len(wanted) == 0 {
					continue
				}
				text, gap, err := s.text(ctx, f.Object)
				if err != nil {
					return err
				}
				if text == nil {
					if gap {
						mu.Lock()
						out.left++
						out.unread = append(out.unread, f.Path)
						mu.Unlock()
					}
					continue
				}
				w.look(sc, i, f.Path, text, part.code, &part.anywhere)
				mu.Lock()
				if counted {
					sc.counts[i] = lineCount(text)
				}
				for t, n := range w.tally {
					sc.targets[t].hits = keep(sc.targets[t].hits, hit{i, n})
				}
				mu.Unlock()
				for _, d := range wanted {
					breaks, found := d.demand.File(f.Path, text)
					mu.Lock()
					d.breaks = append(d.breaks, breaks...)
					if found {
						d.found++
					}
					mu.Unlock()
				}
			}
			return nil
		})
	}
	if err := p.Wait(); err != nil {
		return nil, err
	}
	for _, part := range parts {
		for _, n := range part.anywhere {
			out.anywhere[n] = true
		}
		for n, place := range part.code {
			if out.code[n].Path == "" {
				out.code[n] = place
			}
		}
	}
	slices.Sort(out.unread)
	var paths []string
	for _, f := range tree {
		paths = append(paths, f.Path)
	}
	for _, d := range sc.demands {
		d.breaks = append(d.breaks, d.demand.Tree(paths, d.found)...)
		slices.SortStableFunc(d.breaks, func(a, b Place) int {
			return cmp.Or(strings.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line))
		})
	}
	return out, nil
}

// lineCount is the number of lines of a text; a final one without an end counts.
func lineCount(text []byte) int {
	n := bytes.Count(text, []byte("\n"))
	if len(text) > 0 && text[len(text)-1] != '\n' {
		n++
	}
	return n
}

// keep adds a hit to the best ones: more lines first, then the earlier path.
func keep(hits []hit, h hit) []hit {
	at, _ := slices.BinarySearchFunc(hits, h, func(a, b hit) int { return cmp.Or(cmp.Compare(b.lines, a.lines), cmp.Compare(a.file, b.file)) })
	if at >= keepHits {
		return hits
	}
	hits = slices.Insert(hits, at, h)
	return hits[:min(len(hits), keepHits)]
}

// fileScan looks at one file at a time; its maps are used again for the next.
type fileScan struct {
	tally map[int32]int
	seen  map[uint64]bool
}

func (w *fileScan) look(sc *scan, file int, name string, text []byte, code map[int]Place, anywhere *[]int) {
	if w.tally == nil {
		w.tally, w.seen = map[int32]int{}, map[uint64]bool{}
	}
	clear(w.tally)
	clear(w.seen)
	if len(sc.lines) > 0 {
		eachLine(text, func(_ int, line []byte) {
			_, loose, weight := hashLine(line)
			if weight < minWeight || w.seen[loose] {
				return
			}
			if targets := sc.lines[loose]; len(targets) > 0 {
				w.seen[loose] = true
				for _, t := range targets {
					w.tally[t]++
				}
			}
		})
	}
	if len(sc.names) == 0 {
		return
	}
	isCode := holdsCode(name)
	found := map[int]int{} // name to where it stands first
	eachToken(text, func(at int, token []byte) {
		n, ok := sc.names[string(token)]
		if !ok {
			return
		}
		if _, again := found[n]; !again {
			found[n] = at
		}
	})
	for n, at := range found {
		*anywhere = append(*anywhere, n)
		if _, known := code[n]; isCode && !known {
			code[n] = placeAt(name, text, at)
		}
	}
}

// holdsCode says whether a name in a file is more than a mention: documents go on
// naming what is long gone.
func holdsCode(name string) bool {
	if l := lang.ByPath(name, nil); l != nil {
		return !l.Document()
	}
	return lang.KindOf(name) != lang.Doc && !strings.HasPrefix(strings.ToLower(path.Base(name)), "change")
}

// placeAt is the line of a file that a byte stands in.
func placeAt(name string, text []byte, at int) Place {
	line, start := 1, 0
	for i := range at {
		if text[i] == '\n' {
			line, start = line+1, i+1
		}
	}
	end := start
	for end < len(text) && text[end] != '\n' {
		end++
	}
	return Place{Path: name, Line: line, Text: clipLine(string(text[start:end]))}
}

// clipLine is a line as a report shows it.
func clipLine(s string) string {
	s = strings.TrimSpace(strings.ToValidUTF8(s, "\uFFFD"))
	if len(s) > 200 {
		s = strings.ToValidUTF8(s[:200], "") + "…"
	}
	return s
}

// plainFile says whether an entry of a tree is a file with content of its own.
func plainFile(f git.TreeEntry) bool {
	return f.Type == "blob" && strings.HasPrefix(f.Mode, "100")
}

package sweep

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/saysolint/sayso/internal/git"
	"github.com/saysolint/sayso/internal/lang"
	"github.com/saysolint/sayso/memory"
)

// Plan says what is drawn.
type Plan struct {
	Seed    uint64
	Back    []int // how many first parents before the last commit references are planted
	Anchors int   // references for each of these
}

// DefaultPlan is what the published figures were made with.
func DefaultPlan() Plan {
	return Plan{Seed: 1, Back: []int{50, 200, 800, 2000}, Anchors: 150}
}

// Repo is what is asked of a repository; *git.Repo has it.
type Repo interface {
	Resolve(ctx context.Context, rev string) (string, error)
	Tree(ctx context.Context, treeish string) ([]git.TreeEntry, error)
	Blob(ctx context.Context, object string, max int64) ([]byte, error)
}

// planted is one passage at an old commit, as an entry cites it.
type planted struct {
	entry    memory.Entry
	path     string
	from, to int      // lines, from 0, half open
	lines    [][]byte // its text
	name     string   // a name of it that the entry speaks of, "" for none
}

const (
	minLines, maxLines = 3, 12
	maxPlantFile       = 200 << 10
	perFile            = 3 // passages of one file at most
)

// plant draws passages of the source files of a commit.
func plant(ctx context.Context, repo Repo, commit string, n int, rng *rand.Rand) ([]planted, error) {
	tree, err := repo.Tree(ctx, commit)
	if err != nil {
		return nil, err
	}
	tree = slices.DeleteFunc(tree, func(f git.TreeEntry) bool {
		if f.Type != "blob" || !strings.HasPrefix(f.Mode, "100") {
			return true
		}
		switch lang.KindOf(f.Path) {
		case lang.Source, lang.Test, lang.Doc, lang.Example, lang.Config, lang.CI:
			return false
		}
		return true
	})
	var out []planted
	for range 20 * n {
		if len(out) == n || len(tree) == 0 {
			break
		}
		f := tree[rng.IntN(len(tree))]
		text, err := repo.Blob(ctx, f.Object, maxPlantFile)
		if err != nil || bytes.IndexByte(text, 0) >= 0 {
			continue
		}
		lines := bytes.Split(bytes.TrimSuffix(text, []byte("\n")), []byte("\n"))
		size := minLines + rng.IntN(maxLines-minLines+1)
		if len(lines) < size {
			continue
		}
		taken := 0
		for _, p := range out {
			if p.path == f.Path {
				taken++
			}
		}
		from := rng.IntN(len(lines) - size + 1)
		p := planted{path: f.Path, from: from, to: from + size, lines: lines[from : from+size]}
		if taken >= perFile || !speaks(p.lines) {
			continue
		}
		p.name = nameOf(f.Path, p.lines)
		p.entry = entry(commit, p, len(out))
		out = append(out, p)
	}
	return out, nil
}

// speaks says whether a passage has enough letters to be told from others: nobody
// cites three closing braces.
func speaks(lines [][]byte) bool {
	n, full := 0, 0
	for _, l := range lines {
		k := 0
		for _, c := range l {
			if c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= 0x80 {
				k++
			}
		}
		if n += k; k >= 6 {
			full++
		}
	}
	return n >= 40 && full >= 2
}

// nameOf is the longest identifier of the code of a passage.
func nameOf(path string, lines [][]byte) string {
	name := ""
	l := lang.ByPath(path, nil)
	if l.Document() {
		return ""
	}
	l.Identifiers(bytes.Join(lines, []byte("\n")), func(id []byte, _ int) {
		if len(id) > len(name) && len(id) >= 6 && len(id) <= 60 {
			name = string(id)
		}
	})
	return name
}

// entry is the decision that cites a passage.
func entry(commit string, p planted, i int) memory.Entry {
	e := memory.Entry{
		ID: fmt.Sprintf("planted-%06d", i), SchemaVersion: 1, Kind: memory.KindDecision, ReviewState: memory.Reviewed, Version: 1,
		Title:      fmt.Sprintf("Decision %d about %s", i, p.path[strings.LastIndexByte(p.path, '/')+1:]),
		SourceRefs: []memory.SourceRef{{Type: "file", ID: commit, Path: p.path, LineStart: p.from + 1, LineEnd: p.to}},
	}
	e.RelPath = ".sayso/memory/" + e.ID + ".md"
	if p.name != "" {
		e.Decisions = []string{"Keep `" + p.name + "` as it is."}
	}
	return e
}

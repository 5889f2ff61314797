package bench

import (
	"bytes"
	"context"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"path"
	"slices"
	"strings"

	"github.com/bluekeyes/go-gitdiff/gitdiff"
)

// Scene is a commit with everything that a rule looks at.
type Scene struct {
	src    *Source
	vocab  *vocabulary
	seed   uint64
	rng    *rand.Rand // reseeded for each rule
	Commit *Commit
	Files  []fileDiff
	text   string   // the whole diff with its paths, lower case
	tree   []string // see paths
	images string   // both images of the touched files, lower case; read when asked for
	lines  struct{ added, removed int }
}

// fileDiff is what the diff shows of one file.
type fileDiff struct {
	path, old      string // equal unless renamed
	status         byte   // A D M R
	added, removed []string
}

// Bounds beyond which a commit is not made a mutant of: nobody could read it.
const (
	maxSceneFiles = 40
	maxSceneBytes = 400_000
)

// newScene reads diff and tree of a commit; nil without an error when it is no
// commit to make mutants of.
func newScene(ctx context.Context, src *Source, vocab *vocabulary, seed uint64, c *Commit) (*Scene, error) {
	if !c.Plain || len(c.Touched) == 0 || len(c.Touched) > 2*maxSceneFiles || len(c.Message) > 6000 || skipSubject().MatchString(subject(c.Message)) {
		return nil, nil
	}
	patch, err := src.Patch(c.Hash, maxSceneBytes)
	if err != nil {
		return nil, err
	}
	if len(patch) == 0 {
		return nil, nil
	}
	files, _, err := gitdiff.Parse(bytes.NewReader(patch))
	if err != nil || len(files) == 0 || len(files) > maxSceneFiles {
		return nil, nil // a diff that cannot be parsed is no material
	}
	s := &Scene{src: src, vocab: vocab, seed: seed, Commit: c, text: strings.ToLower(string(patch))}
	for _, f := range files {
		d := fileDiff{path: f.NewName, old: f.OldName, status: 'M'}
		switch {
		case f.IsNew:
			d.status, d.old = 'A', f.NewName
		case f.IsDelete:
			d.status, d.path = 'D', f.OldName
		case f.IsRename:
			d.status = 'R'
		}
		for _, frag := range f.TextFragments {
			for _, l := range frag.Lines {
				switch l.Op {
				case gitdiff.OpAdd:
					d.added = append(d.added, l.Line)
				case gitdiff.OpDelete:
					d.removed = append(d.removed, l.Line)
				}
			}
		}
		s.lines.added += len(d.added)
		s.lines.removed += len(d.removed)
		s.Files = append(s.Files, d)
	}
	return s, nil
}

// paths is every path of the commit's tree; none where the tree cannot be read.
func (s *Scene) paths() []string {
	if s.tree == nil {
		// A rule that finds no file to draw leaves the commit alone.
		s.tree, _ = s.src.Files(s.Commit.Tree)
	}
	return s.tree
}

// skipSubject matches messages that say nothing of their own.
var skipSubject = lazily(`(?i)^(merge|revert|fixup!|squash!|amend!|wip\b|v?\d+\.\d+|release\b|version \d)`)

// touches says whether the diff has the path, on either side.
func (s *Scene) touches(p string) bool {
	return slices.ContainsFunc(s.Files, func(f fileDiff) bool { return f.path == p || f.old == p })
}

// touchesBase is touches for the last part of a path, without regard to case.
func (s *Scene) touchesBase(base string) bool {
	return slices.ContainsFunc(s.Files, func(f fileDiff) bool {
		return strings.EqualFold(path.Base(f.path), base) || strings.EqualFold(path.Base(f.old), base)
	})
}

// touchesPart says whether a folder or the stem of a file of the diff has this name.
func (s *Scene) touchesPart(name string) bool {
	return slices.ContainsFunc(s.Files, func(f fileDiff) bool { return hasPart(f.path, name) || hasPart(f.old, name) })
}

// hasPart says whether a folder, the base or the stem of the path is name,
// without regard to case and to the difference of - and _.
func hasPart(p, name string) bool {
	name = foldPart(name)
	parts := strings.Split(foldPart(p), "/")
	last := parts[len(parts)-1]
	stem, _, _ := strings.Cut(last, ".")
	return stem == name || slices.Contains(parts, name)
}

func foldPart(s string) string { return strings.ReplaceAll(strings.ToLower(s), "-", "_") }

// says reports whether the diff or the message holds the text, without regard to case.
func (s *Scene) says(text string) bool {
	text = strings.ToLower(text)
	return strings.Contains(s.text, text) || strings.Contains(strings.ToLower(s.Commit.Message), text)
}

// reseed makes the choices of a rule depend on seed, rule and commit alone.
func (s *Scene) reseed(what string) {
	s.rng = rand.New(rand.NewPCG(s.seed, hash64(fmt.Sprint(s.seed, what, s.Commit.Hash))))
}

func hash64(s string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(s))
	return h.Sum64()
}

func pick[T any](rng *rand.Rand, from []T) T { return from[rng.IntN(len(from))] }

// codeLines counts the changed lines of source files (tests left out) that can
// only be code: not blank, not a comment, with the punctuation of a program.
func (s *Scene) codeLines() int {
	n := 0
	for _, f := range s.Files {
		if kindOf(f.path) != kindSource {
			continue
		}
		for _, l := range f.added {
			n += isCode(l)
		}
		for _, l := range f.removed {
			n += isCode(l)
		}
	}
	return n
}

func isCode(line string) int {
	line = strings.TrimSpace(line)
	for _, mark := range []string{"//", "#", "*", "/*", "--", `"""`, "'''", "<!--", ";"} {
		if strings.HasPrefix(line, mark) {
			return 0
		}
	}
	if strings.ContainsAny(line, "(){}=;") && len(line) > 3 {
		return 1
	}
	return 0
}

type fileKind int

const (
	kindOther fileKind = iota
	kindSource
	kindTest
	kindDoc
)

var (
	testPath   = lazily(`(?i)(^|/)(tests?|specs?|__tests__|testdata|fixtures?|e2e|integration(_?tests)?|testing)/|(^|/)(test_[^/]*|conftest\.py|[^/]*([._-](test|spec|tests))\.[^/]*|[^/]*Tests?\.(java|kt|cs|scala))$`)
	docPath    = lazily(`(?i)(^|/)(docs?|site|website)/|\.(md|rst|txt|adoc|markdown)$|(^|/)(readme|changes|changelog|news|history|authors|contributing|license|licence|copying)[^/]*$`)
	sourceExts = listed(".go .py .js .jsx .mjs .cjs .ts .tsx .vue .rs .java .kt .c .h .cc .cpp .hpp .rb .php .sh .swift .cs .scala .lua .pl")
)

func kindOf(p string) fileKind {
	switch {
	case testPath().MatchString(p):
		return kindTest
	case slices.Contains(sourceExts(), strings.ToLower(path.Ext(p))) && !docDir(p):
		return kindSource
	case docPath().MatchString(p):
		return kindDoc
	}
	return kindOther
}

func docDir(p string) bool {
	first, _, _ := strings.Cut(p, "/")
	return slices.Contains([]string{"doc", "docs", "examples", "example"}, strings.ToLower(first))
}

// subject is the first line of a message.
func subject(message string) string {
	line, _, _ := strings.Cut(strings.TrimLeft(message, "\n"), "\n")
	return strings.TrimRight(line, "\r ")
}

// vocabulary is what a history says of its parts.
type vocabulary struct {
	scopes map[string]int // conventional scopes and plain prefixes, as written
}

// prefixed matches a subject that opens with a type or an area.
var prefixed = lazily(`^((?:\[[^\]]*\]\s*)*)([A-Za-z][\w./-]*)(?:\(([^()]+)\))?(!?:\s+)(\S.*)$`)

// types are the words that open a conventional header.
var types = listed("feat fix docs doc test tests chore refactor perf style build ci revert release wip types dx workflow security deps bug feature fixes bugfix hotfix improvement enhancement examples example cleanup")

func newVocabulary(commits []*Commit) *vocabulary {
	v := &vocabulary{scopes: map[string]int{}}
	for _, c := range commits {
		if m := prefixed().FindStringSubmatch(subject(c.Message)); m != nil {
			switch {
			case m[3] != "":
				v.scopes[m[3]]++
			case !slices.Contains(types(), strings.ToLower(m[2])):
				v.scopes[m[2]]++
			}
		}
	}
	return v
}

package checks

import (
	"strings"
	"sync"

	"github.com/saysolint/sayso/change"
	"github.com/saysolint/sayso/claim"
	"github.com/saysolint/sayso/internal/lang"
	"github.com/saysolint/sayso/internal/text"
)

// present is the presence level of a word in the change: 3 on a changed line or
// in a path, 2 in context, 1.5 inside a longer run of letters, 0.5 elsewhere in a touched file, 0 nowhere.
func (x *judging) present(word string) float64 {
	stem := text.Stem(word)
	if c := x.f.Stem(stem); c.Added+c.Removed > 0 || x.f.PathStem(stem) {
		return 3
	} else if c.Context > 0 {
		return 2
	}
	if len(word) >= 4 && x.f.InDiff(word) || len(stem) >= 5 && x.f.InDiff(stem) {
		return 1.5
	}
	if len(word) >= 4 && x.f.InFiles(word) {
		return 0.5
	}
	return 0
}

func nameWords(name string) []string {
	var out []string
	text.EachWord(name, func(w string) {
		if len(w) >= 2 && !(len(w) == 2 && w[0] == 'v') {
			out = append(out, w)
		}
	})
	return out
}

// support is what a whole message has in its favour; it only ever weakens suspicion.
type support struct {
	fileHit    bool // a named file is touched
	docHit     bool
	nameHits   int // named identifiers that stand on changed lines
	nameAbsent int
	style      bool // speaks of formatting, linting, clean-up
	typo       bool
	present    int // subject words that are in the change
	absent     int
	words      []string // the subject's content words
}

var styleWords = words(`lint linter linting lints format formatting formatted whitespace indent indentation style checkstyle gofmt rustfmt fmt clippy prettier
eslint pmd spotbugs nit nits cleanup cleanups clean tidy trailing tabs spaces wording polish misc wip tweak refine sort javadoc review feedback comments suggestions
address addressed various minor small stuff more tweaks`)

// words is set for a variable of the package: made when it is first asked for, since
// what is made before main is paid for by every start of the program.
func words(list string) func() map[string]bool {
	return sync.OnceValue(func() map[string]bool { return set(list) })
}

func set(list string) map[string]bool {
	m := make(map[string]bool)
	for _, w := range strings.Fields(list) {
		m[w] = true
	}
	return m
}

func (x *judging) support() *support {
	if s := x.sup[x.m]; s != nil {
		return s
	}
	s := &support{}
	x.sup[x.m] = s
	m := x.m
	for i := range m.Claims {
		c := &m.Claims[i]
		switch c.Kind {
		case claim.KindPath:
			if _, ok := touched(x.f.Change, strings.Trim(c.Name, "/")); ok && c.Standing == claim.Subject {
				s.fileHit = true
				if !strings.Contains(c.Name, ".") {
					s.docHit = true
				}
			}
		case claim.KindIdentifier:
			n := x.f.Name(c.Name)
			if n.Added+n.Removed > 0 {
				s.nameHits++
			} else if c.Standing == claim.Subject {
				s.nameAbsent++
			}
		}
	}
	if len(m.Statements) > 0 && !m.Options.NoSubject {
		for _, t := range m.Statements[0].Tokens {
			if styleWords()[t.Low] {
				s.style = true
			}
			switch t.Low {
			case "typo", "typos", "spelling", "grammar", "misspelling":
				s.typo = true
			}
			if t.Kind != claim.Word && t.Kind != claim.Name && t.Kind != claim.Code {
				continue
			}
			if claim.Stop()[t.Low] || claim.VerbOf(t.Low) != claim.NoVerb && t.Kind == claim.Word || len(t.Text) < 3 || t.Start < m.RestStart() {
				continue
			}
			if t.Kind == claim.Word && x.projectName(t.Low) {
				continue
			}
			s.words = append(s.words, t.Low)
			if x.present(t.Low) >= 1.5 || t.Kind != claim.Word && x.f.InDiff(t.Low) {
				s.present++
			} else {
				s.absent++
			}
		}
	}
	return s
}

func (x *judging) projectName(low string) bool {
	if x.in.Tree == nil {
		return false
	}
	for _, n := range x.in.Tree.ProjectNames() {
		if n == low {
			return true
		}
	}
	return false
}

// categories says which categories the touched files cover, all of them alike where one flag is set.
type categories struct {
	all                        map[lang.Kind]bool
	onlyDoc, onlyTest, onlyCI  bool
	anyDoc, anyTest, anyCI     bool
	source                     int // changed lines of real code in source files
	testText, ciText, fixtures bool
}

func (x *judging) categories() *categories {
	if x.cat != nil {
		return x.cat
	}
	k := &categories{all: map[lang.Kind]bool{}}
	x.cat = k
	n := 0
	doc, test, ci := 0, 0, 0
	for i := range x.f.Change.Files {
		f := &x.f.Change.Files[i]
		n++
		k.all[f.Kind] = true
		switch f.Kind {
		case lang.Doc:
			doc++
		case lang.Test, lang.Bench:
			test++
		case lang.CI:
			ci++
		}
		low := strings.ToLower(f.Path)
		for _, d := range [...]string{"scripts/", "script/", "tools/", "hack/", "build/", "etc/", ".config/"} {
			if strings.HasPrefix(low, d) {
				k.ciText = true
			}
		}
		if strings.Contains(low, "example") || strings.Contains(low, "playground") || strings.Contains(low, "bench") || strings.Contains(low, "fixture") || strings.Contains(low, "demo") || strings.Contains(low, "sample") {
			k.fixtures = true
		}
	}
	k.onlyDoc, k.onlyTest, k.onlyCI = n > 0 && doc == n, n > 0 && test == n, n > 0 && ci == n
	k.anyDoc, k.anyTest, k.anyCI = doc > 0, test > 0, ci > 0
	k.source = x.f.Code[lang.Source]
	for _, w := range testMarks() {
		if c := x.f.Stem(w.stem); c.Added+c.Removed+c.Context > 0 || x.f.PathStem(w.stem) || len(w.word) > 3 && x.f.InDiff(w.word) {
			k.testText = true
		}
	}
	for _, w := range ciMarks() {
		if c := x.f.Stem(w.stem); c.Added+c.Removed+c.Context > 0 || x.f.PathStem(w.stem) {
			k.ciText = true
		}
	}
	return k
}

// changelogOnly: the change reports on other commits.
func (x *judging) changelogOnly() bool {
	if len(x.f.Change.Files) == 0 {
		return false
	}
	for i := range x.f.Change.Files {
		p := strings.ToLower(x.f.Change.Files[i].Path)
		base := p[strings.LastIndexByte(p, '/')+1:]
		if !(isNewsName(base) || strings.Contains(p, "changelog") || strings.Contains(p, "release-notes") || strings.Contains(p, "relnotes") || strings.Contains(p, ".changeset/") || strings.Contains(p, "newsfragments") || strings.Contains(p, "changes/") || base == "changes.xml") {
			return false
		}
	}
	return true
}

// dirs is the folder of each touched file, once, in order.
func (x *judging) dirs() []string {
	var out []string
	seen := map[string]bool{}
	for i := range x.f.Change.Files {
		f := &x.f.Change.Files[i]
		for _, p := range [...]string{f.Path, f.OldPath} {
			if p == "" {
				continue
			}
			d := ""
			if k := strings.LastIndexByte(p, '/'); k > 0 {
				d = p[:k]
			}
			if d == "" {
				d = p // a file in the root stands for itself
			}
			if !seen[d] {
				seen[d] = true
				out = append(out, d)
			}
		}
	}
	return out
}

// maxNearFiles bounds how many files a question to the history names.
const maxNearFiles = 100

// files is the paths of the touched files, old and new, as far as a question to the history goes.
func (x *judging) files() []string {
	var out []string
	for i := range x.f.Change.Files {
		f := &x.f.Change.Files[i]
		if len(out) >= maxNearFiles {
			break
		}
		out = append(out, f.Path)
		if f.OldPath != "" && f.OldPath != f.Path {
			out = append(out, f.OldPath)
		}
	}
	return out
}

// onlyUnreadable: nothing of the change is text that could be read.
func onlyUnreadable(c *change.Change) (change.Reason, bool) {
	if len(c.Files) == 0 {
		return "", false
	}
	var r change.Reason
	for i := range c.Files {
		if c.Files[i].Unread == "" {
			return "", false
		}
		r = c.Files[i].Unread
	}
	return r, true
}

// mark is a word with its stem, worked out once.
type mark struct{ word, stem string }

func marks(words ...string) func() []mark {
	return sync.OnceValue(func() []mark {
		var out []mark
		for _, w := range words {
			out = append(out, mark{w, text.Stem(w)})
		}
		return out
	})
}

var (
	testMarks = marks("test", "spec", "assert", "bench", "expect", "fuzz", "mock", "fixtur")
	ciMarks   = marks("ci", "workflow", "travis", "appveyor", "codecov", "action", "pipeline", "release", "publish", "deploy", "canary")
)

package checks

import (
	"strings"
	"sync"

	"github.com/saysolint/sayso/change"
	"github.com/saysolint/sayso/claim"
	"github.com/saysolint/sayso/internal/lang"
	"github.com/saysolint/sayso/internal/text"
)

// What check_action.go asks of a diff: how many things of the kind that an
// object names came and went, which definitions were created, which settings were switched.

// tally is how much of something stands on the added and the removed lines.
type tally struct {
	added, removed     int
	addedAt, removedAt change.At // first of each
}

func (t *tally) count(at change.At) {
	if at.Line.Op == '+' {
		if t.added++; t.added == 1 {
			t.addedAt = at
		}
	} else {
		if t.removed++; t.removed == 1 {
			t.removedAt = at
		}
	}
}

// sides is the tally as a verb sees it: what stands on its side, and on the other.
func (t *tally) sides(add bool) (right, other int, otherAt change.At) {
	if add {
		return t.added, t.removed, t.removedAt
	}
	return t.removed, t.added, t.addedAt
}

// eachChanged calls fn for every added and removed line that is not blank.
func (x *judging) eachChanged(fn func(f *change.File, at change.At)) {
	for i := range x.f.Change.Files {
		f := &x.f.Change.Files[i]
		for _, h := range f.Hunks {
			for k := range h.Lines {
				if l := &h.Lines[k]; l.Op != ' ' && strings.TrimSpace(l.Text) != "" {
					fn(f, change.At{File: i, Line: l})
				}
			}
		}
	}
}

// thing is a kind of thing that can be counted in a diff without knowing its name.
type thing uint8

const (
	noThing thing = iota
	comments
	imports
	tests
	code
	prose // of documents
	news  // entries of a changelog
)

var thingNouns = sync.OnceValue(func() map[string]thing {
	return map[string]thing{
		"comment": comments, "comments": comments, "docstring": comments, "docstrings": comments, "javadoc": comments, "javadocs": comments, "jsdoc": comments,
		"import": imports, "imports": imports, "include": imports, "includes": imports,
		"test": tests, "tests": tests, "testcase": tests, "testcases": tests, "spec": tests, "specs": tests, "benchmark": tests, "benchmarks": tests,
		"code": code, "method": code, "methods": code, "function": code, "functions": code, "variable": code, "variables": code, "class": code, "classes": code, "helper": code, "helpers": code,
		"section": prose, "sections": prose, "sentence": prose, "sentences": prose, "paragraph": prose, "mention": prose, "documentation": prose, "docs": prose, "wording": prose, "chapter": prose,
		"changelog": news, "changes": news, "entry": news, "entries": news, "news": news, "history": news,
	}
})

// thingOf is what the head of an object names.
func thingOf(c *claim.Claim) thing { return thingNouns()[thingWord(c)] }

// thingWord is the head of an object: the last of its words, "" where that is a name.
func thingWord(c *claim.Claim) string {
	for i := len(c.Object) - 1; i >= 0; i-- {
		switch t := &c.Object[i]; t.Kind {
		case claim.Word:
			return t.Low
		case claim.Number, claim.Punct:
		default:
			return ""
		}
	}
	return ""
}

// things counts the changed lines that are things of a kind.
func (x *judging) things(s thing) tally {
	var t tally
	x.eachChanged(func(f *change.File, at change.At) {
		l := at.Line
		hit := false
		switch s {
		case comments:
			hit = l.Class == lang.Comment && f.Kind != lang.Doc
		case imports:
			hit = isImport(l.Text)
		case tests:
			hit = opensTest(l.Text) || opensGroup(l.Text)
		case code:
			hit = l.Class == lang.Code && f.Kind != lang.Doc || f.Language != "" && isCommentedOut(l)
		case prose:
			hit = f.Kind == lang.Doc
		case news:
			hit = true
		}
		if hit {
			t.count(at)
		}
	})
	return t
}

// opensGroup: a line that opens a block of tests.
func opensGroup(s string) bool {
	s = strings.TrimSpace(s)
	return strings.HasPrefix(s, "describe(") || strings.HasPrefix(s, "describe ") || strings.HasPrefix(s, "context ") || strings.HasPrefix(s, "class Test") ||
		strings.HasPrefix(s, "void test") || strings.HasPrefix(s, "SECTION(") || strings.HasPrefix(s, "t.Run(") || strings.HasPrefix(s, "rgtest!(") || strings.HasPrefix(s, "static void test")
}

// isImport: a line that takes names from elsewhere, in any language.
func isImport(s string) bool {
	s = strings.TrimSpace(s)
	for _, p := range [...]string{"import ", "from ", "#include", "use ", "using ", "require ", "require(", "require_relative ", "alias "} {
		if strings.HasPrefix(s, p) {
			return true
		}
	}
	if strings.Contains(s, "require(") || strings.Contains(s, "= import(") {
		return true
	}
	// A line of nothing but a quoted path stands in a list of imports (Go).
	return len(s) > 2 && s[0] == '"' && s[len(s)-1] == '"' && strings.Count(s, `"`) == 2
}

// isCommentedOut: a comment that holds a line of code.
func isCommentedOut(l *change.Line) bool {
	if l.Class != lang.Comment {
		return false
	}
	s := strings.TrimRight(strings.TrimSpace(l.Text), " \t")
	return strings.HasSuffix(s, ";") || strings.HasSuffix(s, "{") || strings.HasSuffix(s, "}") || strings.HasSuffix(s, ")") || strings.HasSuffix(s, ",")
}

// written counts the changed lines that hold a name with hyphens or dots in it
// ("--line-width", "unstable-index") as it is written, not as a part of a longer one.
func (x *judging) written(name string) tally {
	var t tally
	x.eachChanged(func(_ *change.File, at change.At) {
		if holdsName(at.Line.Text, name) {
			t.count(at)
		}
	})
	return t
}

func holdsName(s, name string) bool {
	for at := 0; ; {
		i := strings.Index(s[at:], name)
		if i < 0 {
			return false
		}
		i += at
		j := i + len(name)
		if (i == 0 || !nameByte(s[i-1])) && (j == len(s) || !nameByte(s[j])) {
			return true
		}
		at = i + 1
	}
}

func nameByte(c byte) bool { return c == '-' || c == '_' || alphanumeric(c) || c >= 0x80 }

// hyphenated are the names of an object that are no identifiers in code: flags
// and names with a hyphen. Flags come without the dashes before them.
func hyphenated(c *claim.Claim) []string {
	var out []string
	for _, t := range c.Object {
		if t.Kind != claim.Code && t.Kind != claim.Name && t.Kind != claim.Flag && t.Kind != claim.Path {
			continue // a plain word with a hyphen is English ("per-match")
		}
		for _, n := range strings.FieldsFunc(t.Text, func(r rune) bool { return r == '/' || r == ' ' || r == '`' || r == '=' || r == ',' }) {
			n = strings.TrimLeft(n, "-")
			if t.Kind == claim.Path && strings.IndexByte(n, '.') >= 0 {
				continue
			}
			if len(n) >= 5 && (strings.IndexByte(n, '-') > 0 || t.Kind == claim.Flag) {
				out = append(out, n)
			}
		}
	}
	return out
}

// made is a definition that only one side has and whose name is made of the
// object's own words: of the images after the change where after is set.
func (x *judging) made(words []string, after bool) (change.At, string) {
	want := map[string]bool{}
	for _, w := range words {
		if len(w) > 2 && !objectNouns()[w] {
			want[stem(w)] = true
		}
	}
	if len(want) == 0 {
		return change.At{}, ""
	}
	for i := range x.f.Change.Files {
		f := &x.f.Change.Files[i]
		if f.Kind != lang.Source {
			continue
		}
		here, there := f.NewDefs, f.OldDefs
		if !after {
			here, there = there, here
		}
		for k := range here {
			d := &here[k]
			hit := map[string]bool{}
			off, n := false, 0
			text.EachWord(d.Name, func(w string) {
				s := stem(w)
				n++
				if want[s] {
					hit[s] = true
				}
				if removing()[s] || ignoring()[s] || w == "without" || w == "off" || w == "test" {
					off = true
				}
			})
			if off || len(hit) < len(want) || len(hit) == 1 && n > 1 || len(hit)*2 < n || defined(there, d.Name) || x.definedElsewhere(d.Name, i, after) {
				continue
			}
			for _, h := range f.Hunks {
				for m := range h.Lines {
					l := &h.Lines[m]
					if after && l.Op == '+' && l.New == d.Line || !after && l.Op == '-' && l.Old == d.Line {
						return change.At{File: i, Line: l}, d.Name
					}
				}
			}
		}
	}
	return change.At{}, ""
}

func defined(defs []lang.Def, name string) bool {
	for i := range defs {
		if defs[i].Name == name {
			return true
		}
	}
	return false
}

// definedElsewhere: another touched file has the name on the other side, so it only moved.
func (x *judging) definedElsewhere(name string, but int, after bool) bool {
	for i := range x.f.Change.Files {
		f := &x.f.Change.Files[i]
		if i != but && defined(map[bool][]lang.Def{true: f.OldDefs, false: f.NewDefs}[after], name) {
			return true
		}
	}
	return false
}

// workedOn: a line of the other side, or one next to it, has a word of the object
// together with a word that does what the verb says: the program removes the object when it runs.
func (x *judging) workedOn(o object, add bool) bool {
	words := removing()
	op := byte('+')
	if add {
		words, op = ignoring(), '-'
	}
	for i := range x.f.Change.Files {
		for _, h := range x.f.Change.Files[i].Hunks {
			verb, noun := -10, -10
			for k := range h.Lines {
				l := &h.Lines[k]
				if l.Op == op && hasStem(l.Text, words) {
					verb = k
				}
				if l.Op != ' ' && mentions(l.Text, o) {
					noun = k
				}
				if verb >= 0 && noun >= 0 && max(verb, noun)-min(verb, noun) <= 3 {
					return true
				}
			}
		}
	}
	return false
}

func hasStem(s string, stems map[string]bool) bool {
	found := false
	text.EachWord(s, func(w string) { found = found || stems[stem(w)] })
	return found
}

// blanks is the white space of the changed lines where a change is nothing
// else: bytes that came less bytes that went, line ends included, and the same for lines. ok is false where text changed too.
func (x *judging) blanks() (net, lines int, at change.At, ok bool) {
	words := map[string]int{}
	for i := range x.f.Change.Files {
		f := &x.f.Change.Files[i]
		if f.Status != change.Modified || f.Unread != "" {
			return 0, 0, at, false
		}
		for _, h := range f.Hunks {
			for k := range h.Lines {
				l := &h.Lines[k]
				if l.Op == ' ' {
					continue
				}
				packed := packed(l.Text)
				sign := 1
				if l.Op == '-' {
					sign = -1
				}
				net += sign * (len(l.Text) - len(packed) + 1)
				lines += sign
				for _, r := range packed {
					words[string(r)] += sign
				}
				if at.Line == nil {
					at = change.At{File: i, Line: l}
				}
			}
		}
	}
	for _, n := range words {
		if n != 0 {
			return 0, 0, at, false
		}
	}
	return net, lines, at, at.Line != nil
}

func packed(s string) string {
	return strings.Map(func(r rune) rune {
		if r == ' ' || r == '\t' || r == '\r' {
			return -1
		}
		return r
	}, s)
}

// switchWord says which way a literal switches, 0 where it is none.
func switchWord(low string) int {
	switch low {
	case "true", "on", "yes", "enabled", "always":
		return 1
	case "false", "off", "no", "disabled", "never":
		return -1
	}
	return 0
}

// switches counts the literal switches of the object that came or went: a key
// that speaks of it with true, on, false, off ... right behind it. A key that denies by its own
// name (no-color, disableCache) counts the other way round; a line with both kinds of key is left out.
// Tests try both ways and count only where nothing but tests changes.
func (x *judging) switches(o object) (on, off tally) {
	testsToo := x.categories().onlyTest
	x.eachChanged(func(f *change.File, at change.At) {
		if at.Line.Class == lang.Comment || f.Kind == lang.Doc || f.Kind == lang.Test && !testsToo {
			return
		}
		toks := lexemes(at.Line.Text)
		for k, t := range toks {
			low := strings.ToLower(t)
			way := switchWord(low)
			if way == 0 || k < 2 || k+1 < len(toks) && (toks[k+1] == "-" || toks[k+1] == ":" || toks[k+1] == "=") {
				continue
			}
			sep := toks[k-1]
			if sep == `"` || sep == "'" {
				sep = toks[k-2]
			}
			if sep != "=" && sep != ":" && sep != "(" && sep != "=>" && sep != ":=" {
				continue
			}
			key := ""
			for m := k - 2; m >= 0 && m >= k-4; m-- {
				if c := toks[m][0]; c == '_' || alphanumeric(c) {
					key = toks[m]
					for m >= 2 && toks[m-1] == "-" && alphanumeric(toks[m-2][0]) {
						m -= 2
						key = toks[m] + "-" + key
					}
					break
				}
			}
			if key == "" || !mentions(key, o) {
				continue
			}
			negative, plain := negativeKey(at.Line.Text, o, low)
			if negative && plain {
				continue
			}
			if (way > 0) != negative {
				on.count(at)
			} else {
				off.count(at)
			}
		}
	})
	return on, off
}

// silenced counts lines that were put into comments (removed) or taken out of
// them (added), and marks that keep a test from running (added ones count as removed).
func (x *judging) silenced() (t tally, whole bool) {
	testsToo := x.categories().onlyTest
	for _, p := range x.f.Pairs {
		if x.f.Change.Files[p.File].Kind == lang.Test && !testsToo {
			continue // a test no longer asks for what the code does by itself now
		}
		a, b := packed(p.Old.Text), packed(p.New.Text)
		if hasStem(p.New.Text, excusing()) {
			return tally{}, false // "allow_failures" comes back: less is enabled by it, not more
		}
		if u := uncomment(b); u != b && u == a && a != "" {
			t.removed++
			if t.removed == 1 {
				t.removedAt = change.At{File: p.File, Line: p.New}
			}
		} else if u := uncomment(a); u != a && u == b && b != "" {
			t.added++
			if t.added == 1 {
				t.addedAt = change.At{File: p.File, Line: p.New}
			}
		}
	}
	n := t.added + t.removed
	return t, n > 0 && n*2 >= x.f.AddedLines+x.f.RemovedLines-n
}

var excusing = sync.OnceValue(func() map[string]bool {
	return stems("allow failure fail ignore exclude skip disable deny block hide no not false off without")
})

func uncomment(s string) string {
	for _, p := range [...]string{"//", "#", "--", ";;", ";", "%"} {
		if r := strings.TrimPrefix(s, p); r != s {
			return r
		}
	}
	if strings.HasPrefix(s, "/*") && strings.HasSuffix(s, "*/") || strings.HasPrefix(s, "<!--") && strings.HasSuffix(s, "-->") {
		s = strings.TrimPrefix(strings.TrimPrefix(s, "/*"), "<!--")
		return strings.TrimSuffix(strings.TrimSuffix(s, "*/"), "-->")
	}
	return s
}

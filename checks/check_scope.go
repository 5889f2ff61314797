package checks

import (
	"fmt"
	"sort"
	"strings"

	"github.com/saysolint/sayso/change"
	"github.com/saysolint/sayso/claim"
	"github.com/saysolint/sayso/internal/lang"
)

var scopeCheck = Check{
	Doc: Doc{
		ID: "scope", Title: "\"Only touches X\", \"docs only\", \"no functional change\", \"isolated to one package\"", Default: "gate", Since: "0.1",
		Needs: "the list of touched files and their lines, the names of the tree; the dependency graph for \"isolated\"",
		Text: `A statement that confines the change is held against everything that the change touches. "Only touches X" is contradicted by a touched path outside X,
"docs only" and "tests only" by real code lines in program files, "formatting only" by names or numbers that come or go, "no functional change" by a comparison or a constant
that differs on an otherwise equal line. Generated files, lock files and comments follow from the rest and are not held against it.
"No tests were changed" is contradicted by a changed test, a new one left aside. "Isolated to one package" is judged on the dependency graph as well.`,
		Fires: "Only touches files under internal/cache. (cmd/served/main.go changes too)",
		Quiet: "Only `schema/parcel.yaml` is edited by hand; the generated class follows from it.",
	},
	kind:  claim.KindScope,
	judge: judgeScope,
}

func judgeScope(x *judging, c *claim.Claim) outcome {
	if len(x.f.Change.Files) == 0 {
		return neutral("the change touches no file")
	}
	switch c.Class {
	case claim.OnlyDocs, claim.OnlyComments:
		return judgeOnlyDocs(x, c)
	case claim.OnlyTests:
		return judgeOnlyTests(x, c)
	case claim.OnlyFormat:
		return judgeFormatting(x, c)
	case claim.NoFunction:
		return judgeNoFunction(x, c)
	case claim.NoCode:
		return judgeNoCode(x, c)
	case claim.Excludes:
		return judgeExcludes(x, c)
	case claim.Isolated:
		return judgeIsolated(x, c)
	case claim.SingleFile:
		return judgeSingleFile(x, c)
	}
	if len(c.Targets) == 0 {
		return neutral("the statement names no file that it could be held against")
	}
	return judgeOnlyPaths(x, c)
}

func scopeFalse(c *claim.Claim, s float64, reason, fix string, ev ...Evidence) outcome {
	if c.Standing < claim.Own && c.Class == claim.OnlyPaths {
		s -= 0.6
	}
	if c.Statement > 30 || c.Place.Line > 100 {
		s -= 3 // far down in a long text: mostly the message of one of many squashed commits
	}
	return outcome{suspicion: s, reason: reason, fix: fix, evidence: ev}
}

// codeStrength grows with the number of offending lines: one line may be misread, ten are not.
func codeStrength(lines int) float64 {
	switch {
	case lines >= 4:
		return 4.6
	case lines >= 2:
		return 3.4
	}
	return 2.4
}

func judgeOnlyDocs(x *judging, c *claim.Claim) outcome {
	if o, ok := placeOfClass(x, c); ok {
		return o
	}
	n := x.f.Code[lang.Source] + x.f.Code[lang.Test]
	word := "documents"
	if c.Class == claim.OnlyComments {
		word = "comments"
	}
	if n > 0 {
		at := x.firstCode(lang.Source, lang.Test)
		return scopeFalse(c, codeStrength(n), fmt.Sprintf("says that only %s change; %s of code do as well", word, plural(n, "line")),
			"drop the statement, or say what the code does", x.line(at, "a line of code changes", false, codeStrength(n)))
	}
	if !x.f.Complete || anyUnreadText(x) {
		return x.incomplete()
	}
	// Build files, CI and configuration are no documentation either, but such a change is rarely meant to deceive.
	if m := x.f.Code[lang.CI] + x.f.Code[lang.Build] + x.f.Code[lang.Config]; m > 3 {
		at := x.firstCode(lang.CI, lang.Build, lang.Config)
		return scopeFalse(c, 2.0, fmt.Sprintf("says that only %s change; %s of configuration do as well", word, plural(m, "line")), "drop the statement, or name the configuration",
			x.line(at, "a line of configuration changes", false, 2))
	}
	if at, n := programBuild(x); n >= 5 {
		return scopeFalse(c, 2.2, fmt.Sprintf("says that only %s change; %s of a build program do as well", word, plural(n, "line")), "drop the statement, or say what the build does",
			x.line(at, "a line of the build program changes", false, 2.2))
	}
	for k, n := range x.f.Code {
		if k != lang.Doc && n > 0 {
			return neutral("no line of program code changes, but %s of other code do", plural(n, "line"))
		}
	}
	return corroborated(0.95, "no line of code changes", pathEvidence(x, 0))
}

// placeOfClass: "only docs" may mean the folder, and all of the change lies in it.
func placeOfClass(x *judging, c *claim.Claim) (outcome, bool) {
	rest := withoutThe(c.Targets)
	if len(rest) != 1 || rest[0].Kind != claim.Word {
		return outcome{}, false
	}
	for i := range x.f.Change.Files {
		f := &x.f.Change.Files[i]
		if !strings.HasPrefix(f.Path, rest[0].Low+"/") || f.OldPath != "" && !strings.HasPrefix(f.OldPath, rest[0].Low+"/") {
			return outcome{}, false
		}
	}
	return corroborated(0.9, fmt.Sprintf("all of the change lies in the folder %s", quote(rest[0].Low)), pathEvidence(x, 0)), true
}

func judgeOnlyTests(x *judging, c *claim.Claim) outcome {
	if o, ok := placeOfClass(x, c); ok {
		return o
	}
	if n := x.f.Code[lang.Source]; n > 0 {
		return scopeFalse(c, codeStrength(n), fmt.Sprintf("says that only tests change; %s of program code do", plural(n, "line")), "drop the statement, or say what the program does",
			x.line(x.firstCode(lang.Source), "a line of program code changes", false, codeStrength(n)))
	}
	if !x.f.Complete || anyUnreadText(x) {
		return x.incomplete()
	}
	if at, n := programBuild(x); n >= 5 {
		return scopeFalse(c, 2.2, fmt.Sprintf("says that only tests change; %s of a build program do", plural(n, "line")), "drop the statement, or say what the build does",
			x.line(at, "a line of the build program changes", false, 2.2))
	}
	for i := range x.f.Change.Files {
		switch x.f.Change.Files[i].Kind {
		case lang.Test, lang.Bench, lang.Example:
		default:
			return neutral("no program code changes, but not every file is a test")
		}
	}
	return corroborated(0.95, "only test files change", pathEvidence(x, 0))
}

func judgeNoCode(x *judging, c *claim.Claim) outcome {
	if n := x.f.Code[lang.Source]; n > 0 {
		return scopeFalse(c, codeStrength(n), fmt.Sprintf("says that no code changes; %s of program code do", plural(n, "line")), "drop the statement, or say what the code does",
			x.line(x.firstCode(lang.Source), "a line of program code changes", false, codeStrength(n)))
	}
	if !x.f.Complete || anyUnreadText(x) {
		return x.incomplete()
	}
	if n := x.f.Code[lang.Test] + x.f.Code[lang.Bench] + x.f.Code[lang.Example]; n > 0 && !saysProduction(c.Text) {
		return neutral("no line of program code changes, but %s of tests or examples do", plural(n, "line"))
	}
	if _, n := programBuild(x); n > 0 {
		return neutral("no line of program code changes, but %s of a build program do", plural(n, "line"))
	}
	return corroborated(0.9, "no line of program code changes", pathEvidence(x, 0))
}

func saysProduction(s string) bool {
	low := strings.ToLower(s)
	return strings.Contains(low, "production") || strings.Contains(low, "source") || strings.Contains(low, "runtime")
}

// programBuild counts the changed lines of code in build files that are programs (setup.py, build.rs, gulpfile.js).
func programBuild(x *judging) (change.At, int) {
	var at change.At
	n := 0
	for i := range x.f.Change.Files {
		f := &x.f.Change.Files[i]
		if f.Kind != lang.Build {
			continue
		}
		switch strings.ToLower(f.Path[strings.LastIndexByte(f.Path, '.')+1:]) {
		case "py", "js", "mjs", "cjs", "ts", "rs", "rb", "go":
		default:
			continue
		}
		for _, h := range f.Hunks {
			for k := range h.Lines {
				if l := &h.Lines[k]; l.Op != ' ' && l.Class == lang.Code && strings.TrimSpace(l.Text) != "" {
					if n++; at.Line == nil {
						at = change.At{File: i, Line: l}
					}
				}
			}
		}
	}
	return at, n
}

// judgeFormatting: names and numbers neither come nor go in code when only the layout changes.
func judgeFormatting(x *judging, c *claim.Claim) outcome {
	come, at := "", change.At{}
	n := 0
	consider := func(name string, k *change.Count) {
		if k.Net() == 0 {
			return
		}
		a := k.AddedAt
		if k.Net() < 0 {
			a = k.RemovedAt
		}
		if a.Line == nil || a.Line.Class != lang.Code {
			return
		}
		switch x.f.Change.Files[a.File].Kind {
		case lang.Source, lang.Test:
		default:
			return
		}
		n++
		if come == "" || name < come {
			come, at = name, a
		}
	}
	x.f.EachName(consider)
	names := n
	x.f.EachNumber(consider)
	if n > 0 && !(names > 0 && importsOnly(x)) {
		s := 2.4
		if n >= 2 || names == 0 {
			s = 3.4
		}
		return scopeFalse(c, s, fmt.Sprintf("says that only the formatting changes; %s changes as well", quote(come)), "drop the statement, or say what else changes",
			x.line(at, quote(come)+" comes or goes", false, s))
	}
	if !x.f.Complete || anyUnreadText(x) {
		return x.incomplete()
	}
	if n == 0 {
		return corroborated(0.9, "no name and no number of the code comes or goes", pathEvidence(x, 0))
	}
	return neutral("only import lines differ")
}

func importsOnly(x *judging) bool {
	for i := range x.f.Change.Files {
		for _, h := range x.f.Change.Files[i].Hunks {
			for k := range h.Lines {
				l := &h.Lines[k]
				if l.Op == ' ' || l.Class != lang.Code {
					continue
				}
				t := strings.TrimSpace(l.Text)
				if !(strings.HasPrefix(t, "import ") || strings.HasPrefix(t, "from ") || strings.HasPrefix(t, "use ") || strings.HasPrefix(t, "#include") || strings.HasPrefix(t, "\"") || strings.HasPrefix(t, "require")) {
					return false
				}
			}
		}
	}
	return true
}

// judgeNoFunction looks for replaced lines of program code that keep their
// names and differ in an operator of comparison or in a constant. Anything larger may be a refactoring.
func judgeNoFunction(x *judging, c *claim.Claim) outcome {
	type find struct {
		p    change.Pair
		what string
	}
	var found []find
	for _, p := range x.f.Pairs {
		if x.f.Change.Files[p.File].Kind != lang.Source || p.Old.Class != lang.Code || p.New.Class != lang.Code {
			continue
		}
		if what := behaviour(p.Old.Text, p.New.Text); what != "" {
			found = append(found, find{p, what})
		}
	}
	src := x.f.Code[lang.Source]
	if len(found) > 0 && src <= 40 {
		s := 2.6
		if len(found) > 1 || strings.Contains(found[0].what, "comparison") {
			s = 3.3
		}
		p := found[0]
		return scopeFalse(c, s, "says that nothing changes in function, but "+p.what, "drop the statement, or say what behaves differently",
			x.line(change.At{File: p.p.File, Line: p.p.New}, p.what, false, s))
	}
	if at, ok := x.newBehaviour(); ok {
		const s = 2.2
		o := scopeFalse(c, s, "says that nothing changes in function; the subject says otherwise, and the program gains a branch", "drop the statement, or say in the subject that only the form changes",
			x.line(at, "a branch more than before", false, s))
		o.weak = true
		return o
	}
	if !x.f.Complete || anyUnreadText(x) {
		return x.incomplete()
	}
	if src == 0 {
		return corroborated(0.9, "no line of program code changes, apart from moved ones and comments", pathEvidence(x, 0))
	}
	return neutral("whether %s of code keep the behaviour cannot be read from the diff", plural(src, "line"))
}

// newBehaviour: the subject announces a feature or a fix, and program code
// gains a branch and a name: what a change of form has no need of.
func (x *judging) newBehaviour() (change.At, bool) {
	if len(x.m.Statements) == 0 || x.m.Options.NoSubject {
		return change.At{}, false
	}
	sup := x.support()
	if sup.style || sup.typo {
		return change.At{}, false
	}
	announced := false
	switch strings.ToLower(x.m.Header.Type) {
	case "feat", "feature", "fix":
		announced = true
	case "":
		for _, t := range x.m.Statements[0].Tokens {
			if t.Start >= x.m.RestStart() {
				switch t.Low {
				case "fix", "fixes", "fixed", "implement", "support", "allow", "prevent", "handle":
					announced = t.Kind == claim.Word
				}
				break
			}
		}
	}
	if !announced {
		return change.At{}, false
	}
	for _, t := range x.m.Statements[0].Tokens {
		switch t.Low {
		case "name", "names", "naming", "rename", "build", "compile", "compilation", "compiler", "warnings", "types", "typing", "typings", "comment", "docs", "test", "tests", "ci", "refactor", "refactoring", "deprecation", "deprecated":
			return change.At{}, false
		}
	}
	var first change.At
	branches, fresh := 0, false
	for i := range x.f.Change.Files {
		f := &x.f.Change.Files[i]
		if f.Kind != lang.Source {
			continue
		}
		for _, h := range f.Hunks {
			for k := range h.Lines {
				l := &h.Lines[k]
				if l.Op == ' ' || l.Class != lang.Code {
					continue
				}
				for _, w := range lexemes(l.Text) {
					switch w {
					case "if", "elif", "elsif", "unless", "case", "catch", "except", "rescue":
						if l.Op == '-' {
							branches--
							continue
						}
						if branches++; first.Line == nil {
							first = change.At{File: i, Line: l}
						}
					}
					if n := x.f.Name(w); l.Op == '+' && len(w) > 3 && n.Removed+n.Context == 0 {
						fresh = true
					}
				}
			}
		}
	}
	return first, branches > 0 && fresh
}

// behaviour says what differs between two lines that are equal but for a comparison or a number; "" otherwise.
func behaviour(old, new string) string {
	a, b := lexemes(old), lexemes(new)
	if len(a) == 0 || len(b) == 0 {
		return ""
	}
	h := 0
	for h < len(a) && h < len(b) && a[h] == b[h] {
		h++
	}
	t := 0
	for t < len(a)-h && t < len(b)-h && a[len(a)-1-t] == b[len(b)-1-t] {
		t++
	}
	da, db := a[h:len(a)-t], b[h:len(b)-t]
	if h+t < 2 || len(da)+len(db) == 0 || len(da) > 2 || len(db) > 2 {
		return ""
	}
	comp := set("< <= > >= == != === !== && ||")
	all := func(ts []string, ok func(string) bool) bool {
		for _, s := range ts {
			if !ok(s) {
				return false
			}
		}
		return true
	}
	if len(da) == 1 && len(db) == 1 && comp[da[0]] && comp[db[0]] {
		if strings.TrimRight(da[0], "=")+"=" == strings.TrimRight(db[0], "=")+"=" && (da[0][0] == '=' || da[0][0] == '!') {
			return "" // == to ===
		}
		return fmt.Sprintf("a comparison goes from %s to %s", da[0], db[0])
	}
	num := func(s string) bool { return s != "" && s[0] >= '0' && s[0] <= '9' }
	if len(da) == 1 && len(db) == 1 && num(da[0]) && num(db[0]) {
		return fmt.Sprintf("a constant goes from %s to %s", da[0], db[0])
	}
	if len(da) == 0 && len(db) == 2 && all(db[:1], func(s string) bool { return s == "+" || s == "-" }) && num(db[1]) {
		return fmt.Sprintf("%s %s is added to a value", db[0], db[1])
	}
	if len(da) == 1 && len(db) == 1 && (da[0] == "true" && db[0] == "false" || da[0] == "false" && db[0] == "true") {
		return fmt.Sprintf("a value goes from %s to %s", da[0], db[0])
	}
	return ""
}

// lexemes cuts a line of code into words, numbers and operators.
func lexemes(s string) []string {
	var out []string
	for i := 0; i < len(s); {
		c := s[i]
		switch {
		case c == ' ' || c == '\t' || c == '\r':
			i++
		case c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c >= 0x80:
			j := i
			for j < len(s) && (s[j] == '_' || s[j] >= 'a' && s[j] <= 'z' || s[j] >= 'A' && s[j] <= 'Z' || s[j] >= '0' && s[j] <= '9' || s[j] >= 0x80) {
				j++
			}
			out = append(out, s[i:j])
			i = j
		default:
			j := i + 1
			for j < len(s) && j < i+3 && strings.IndexByte("=<>&|", s[j]) >= 0 && strings.IndexByte("=<>!&|", c) >= 0 {
				j++
			}
			out = append(out, s[i:j])
			i = j
		}
	}
	return out
}

func (x *judging) firstCode(kinds ...lang.Kind) change.At {
	for _, k := range kinds {
		if at, ok := x.f.CodeAt[k]; ok {
			return at
		}
	}
	return change.At{}
}

// anyUnreadText: a file that may hold code was not read.
func anyUnreadText(x *judging) bool {
	for i := range x.f.Change.Files {
		switch x.f.Change.Files[i].Unread {
		case "", change.ReasonBinary, change.ReasonLFS:
		default:
			return true
		}
	}
	return false
}

// resolveTargets finds the paths that the words behind a restrictor mean, item by
// item of the list. unknown says that an item means something that is no path of the tree:
// then nothing can be said to lie outside.
func resolveTargets(x *judging, c *claim.Claim) (targets []string, unknown bool) {
	toks := c.Targets
	from := 0
	for i := 0; i <= len(toks); i++ {
		if i < len(toks) && !listBreak(toks[i]) {
			continue
		}
		if i > from {
			found, open := resolveItem(x, toks, from, i)
			targets = append(targets, found...)
			unknown = unknown || open
		}
		from = i + 1
	}
	return targets, unknown
}

func listBreak(t claim.Token) bool {
	return t.Low == "and" || t.Low == "or" || t.Low == "," || t.Low == "&" || t.Low == "plus"
}

func resolveItem(x *judging, toks []claim.Token, from, to int) (targets []string, unknown bool) {
	t := x.in.Tree
	words := 0
	for i := from; i < to; i++ {
		tok := toks[i]
		name := strings.Trim(strings.TrimSuffix(strings.TrimPrefix(tok.Text, "./"), "/**"), "/*`.,:;)")
		slash := strings.Contains(tok.Text, "/")
		if name == "" || tok.Kind == claim.Punct {
			continue
		}
		switch tok.Kind {
		case claim.Path, claim.Code, claim.Name, claim.Word:
		default:
			continue
		}
		if tok.Kind == claim.Word && !claim.Stop()[tok.Low] && !placeNoun()[tok.Low] {
			words++
		}
		alone := tok.Kind == claim.Word && i == to-1 && (i == from || i == from+1 && toks[from].Low == "the")
		place := tok.Kind != claim.Word || dirWord(toks, i, slash)
		if _, ok := touched(x.f.Change, name); ok && (place || alone && t != nil && t.HasDir(name)) {
			targets = append(targets, name)
			continue
		}
		if t == nil {
			unknown = unknown || tok.Kind != claim.Word
			continue
		}
		switch {
		case tok.Kind == claim.Word:
			if place && (t.HasDir(name) || len(t.DirsNamed(name)) > 0) || alone && !claim.Stop()[tok.Low] && t.HasDir(name) {
				targets = append(targets, name)
			}
		case t.HasFile(name) || t.HasDir(name):
			targets = append(targets, name)
		case len(t.FilesNamed(base(name))) > 0 && strings.Contains(name, "."):
			targets = append(targets, name)
		case len(t.DirsNamed(base(name))) > 0:
			targets = append(targets, name)
		case tok.Kind == claim.Code || tok.Kind == claim.Path:
			unknown = true
		}
	}
	return targets, unknown || len(targets) == 0 && words > 0
}

// placeNoun says what kind of place a name is.
var placeNoun = words("file files folder folders directory directories dir package packages module modules crate crates tree path paths source sources subdirectory")

// dirWord: a plain word counts as a folder only where the sentence says so.
func dirWord(toks []claim.Token, i int, slash bool) bool {
	if slash {
		return true
	}
	w := toks[i].Low
	if claim.Stop()[w] && w != "docs" && w != "test" && w != "tests" {
		return false
	}
	next, prev := "", ""
	if i+1 < len(toks) {
		next = toks[i+1].Low
	}
	if i > 0 {
		prev = toks[i-1].Low
	}
	switch next {
	case "directory", "folder", "dir", "tree", "package", "module", "crate", "subdirectory":
		return true
	}
	switch prev {
	case "in", "to", "under", "within", "inside", "outside", "the":
		return next == "" || next == "," || next == "and" || next == "." || next == "or"
	}
	return i == 0 && next == ""
}

func base(p string) string { return p[strings.LastIndexByte(p, '/')+1:] }

func judgeOnlyPaths(x *judging, c *claim.Claim) outcome {
	targets, unknown := resolveTargets(x, c)
	if len(targets) == 0 {
		if unknown && x.in.Tree == nil {
			return unverifiable("the names of the tree could not be read")
		}
		return dropped
	}
	var outside []int
	for i := range x.f.Change.Files {
		f := &x.f.Change.Files[i]
		if !inside(f.Path, targets) || f.OldPath != "" && f.OldPath != f.Path && !inside(f.OldPath, targets) {
			outside = append(outside, i)
		}
	}
	if len(outside) == 0 {
		if len(x.f.Change.Gaps) > 0 && x.f.Change.Gaps[0].Path == "" {
			return x.incomplete()
		}
		return corroborated(0.97, fmt.Sprintf("all %s lie inside %s", plural(len(x.f.Change.Files), "changed file"), quote(strings.Join(targets, ", "))), pathEvidence(x, 0))
	}
	if unknown {
		return neutral("a part of the statement names nothing in the tree")
	}
	s := 1.2
	first := outside[0]
	for _, i := range outside {
		switch x.f.Change.Files[i].Kind {
		case lang.Source, lang.Test, lang.Template, lang.Config, lang.Doc, lang.CI, lang.Example, lang.Bench, lang.Other, lang.Asset:
			if s < 4.2 {
				first = i
			}
			s = 4.2
		case lang.Build:
			if s < 2.4 {
				s, first = 2.4, i
			}
		case lang.Generated, lang.Vendored:
		}
	}
	p := x.f.Change.Files[first].Path
	if isNewsName(strings.ToLower(base(p))) && len(outside) == 1 { // the changelog entry of the change
		s = 1.2
	}
	return scopeFalse(c, s, fmt.Sprintf("confines the change to %s; %s changes too", quote(strings.Join(targets, ", ")), quote(p)),
		fmt.Sprintf("name %s as well, or split the commit", quote(p)),
		x.fileLine(first, fmt.Sprintf("%s lies outside", quote(p)), s))
}

// judgeSingleFile: "single-file change". A second file that is written by a tool
// or reports on the change does not make the statement a lie.
func judgeSingleFile(x *judging, c *claim.Claim) outcome {
	files := x.f.Change.Files
	if len(x.f.Change.Gaps) > 0 && x.f.Change.Gaps[0].Path == "" {
		return x.incomplete()
	}
	if len(files) == 1 {
		return corroborated(0.97, "one file changes", pathEvidence(x, 0))
	}
	var others []int
	for i := range files {
		switch files[i].Kind {
		case lang.Build, lang.Generated, lang.Vendored:
		default:
			if !isNewsName(strings.ToLower(base(files[i].Path))) {
				others = append(others, i)
			}
		}
	}
	if len(others) < 2 {
		return neutral("%s change, and all but one come along with it", plural(len(files), "file"))
	}
	return scopeFalse(c, 4.2, fmt.Sprintf("says one file; %s change", plural(len(files), "file")), "name what changes, or split the commit",
		x.fileLine(others[1], quote(files[others[1]].Path)+" changes as well", 4.2))
}

// fileLine is evidence at the first changed line of a file.
func (x *judging) fileLine(i int, fact string, w float64) Evidence {
	f := &x.f.Change.Files[i]
	for _, h := range f.Hunks {
		for k := range h.Lines {
			if h.Lines[k].Op != ' ' && strings.TrimSpace(h.Lines[k].Text) != "" {
				return x.line(change.At{File: i, Line: &h.Lines[k]}, fact, false, w)
			}
		}
	}
	return Evidence{Fact: fact, Path: f.Path, Weight: w}
}

func inside(path string, targets []string) bool {
	p := strings.ToLower(path)
	for _, t := range targets {
		t = strings.ToLower(t)
		if p == t || strings.HasPrefix(p, t+"/") || strings.HasSuffix(p, "/"+t) || strings.Contains(p, "/"+t+"/") {
			return true
		}
		if b := base(p); !strings.Contains(t, "/") && !strings.Contains(t, ".") && strings.HasPrefix(b, t+".") {
			return true
		}
	}
	return false
}

func judgeExcludes(x *judging, c *claim.Claim) outcome {
	targets, _ := resolveTargets(x, c)
	var named []string
	for _, t := range targets {
		if strings.ContainsAny(t, "/.") {
			named = append(named, t)
		}
	}
	if rest := withoutThe(c.Targets); len(named) == 0 && len(rest) == 1 {
		return judgeExcludedKind(x, rest[0].Low)
	}
	if len(named) == 0 {
		return dropped
	}
	for i := range x.f.Change.Files {
		f := &x.f.Change.Files[i]
		if inside(f.Path, named) {
			return scopeFalse(c, 3.2, fmt.Sprintf("says that %s is not touched; %s is", quote(strings.Join(named, ", ")), quote(f.Path)), "drop the statement, or take the file out of the commit",
				x.fileLine(i, quote(f.Path)+" is touched", 3.2))
		}
	}
	return corroborated(0.9, fmt.Sprintf("%s is not among the changed files", quote(strings.Join(named, ", "))), Evidence{Fact: "no touched path lies there", For: true, Weight: -2})
}

func withoutThe(toks []claim.Token) []claim.Token {
	for len(toks) > 1 && (toks[0].Low == "the" || toks[0].Low == "any" || toks[0].Low == "existing") {
		toks = toks[1:]
	}
	return toks
}

// judgeExcludedKind: "no tests were changed", "does not touch tests".
func judgeExcludedKind(x *judging, word string) outcome {
	kind, what := lang.Test, "test"
	switch word {
	case "tests", "test":
	case "docs", "documentation":
		kind, what = lang.Doc, "document"
	default:
		return dropped
	}
	for i := range x.f.Change.Files {
		if f := &x.f.Change.Files[i]; f.Kind == kind && f.Status != change.Added {
			return outcome{suspicion: 2.6, reason: fmt.Sprintf("says that no %s is touched; %s is", what, quote(f.Path)), fix: "drop the statement, or take the file out of the commit",
				evidence: []Evidence{x.fileLine(i, quote(f.Path)+" is touched", 2.6)}}
		}
	}
	if !x.f.Complete {
		return x.incomplete()
	}
	return corroborated(0.9, fmt.Sprintf("no %s is among the changed files", what), Evidence{Fact: "no touched path is one", For: true, Weight: -2})
}

// judgeIsolated: "isolated to one package".
func judgeIsolated(x *judging, c *claim.Claim) outcome {
	units := map[string]bool{}
	var paths []string
	for i := range x.f.Change.Files {
		f := &x.f.Change.Files[i]
		if f.Kind != lang.Source {
			continue
		}
		paths = append(paths, f.Path)
		u := ""
		if x.in.Graph != nil {
			u = x.in.Graph.Unit(f.Path)
		}
		if u == "" {
			if k := strings.LastIndexByte(f.Path, '/'); k >= 0 {
				u = f.Path[:k]
			}
		}
		units[u] = true
	}
	if len(paths) == 0 {
		return neutral("no program file changes")
	}
	what := "package"
	for _, t := range c.Targets {
		if t.Low == "file" {
			what = "file"
		}
	}
	n := len(units)
	if what == "file" {
		n = len(paths)
	}
	if n > 1 {
		var names []string
		for u := range units {
			names = append(names, u)
		}
		sort.Strings(names)
		return scopeFalse(c, 3.4, fmt.Sprintf("says one %s; %s change", what, plural(n, what)), "name what changes", Evidence{Fact: "touched: " + strings.Join(names[:min(3, len(names))], ", "), Path: paths[0], Weight: 3.4})
	}
	if what == "file" {
		return corroborated(0.9, "one program file changes", Evidence{Fact: quote(paths[0]) + " is the one", For: true, Path: paths[0], Weight: -2})
	}
	if x.in.Graph == nil {
		return unverifiable("no dependency graph (sayso index)")
	}
	deps, known := x.in.Graph.Dependents(paths)
	if !known {
		return unverifiable("the dependency graph does not cover the language of a changed file")
	}
	var outside []string
	for _, d := range deps {
		if !units[x.in.Graph.Unit(d)] {
			outside = append(outside, d)
		}
	}
	if len(outside) == 0 {
		return corroborated(0.9, "one package changes, and nothing outside it depends on it", Evidence{Fact: quote(paths[0]) + " has no dependents outside its package", For: true, Path: paths[0], Weight: -2})
	}
	gone, at := x.publicGone()
	if gone == "" {
		return outcome{verdict: Neutral, reason: fmt.Sprintf("one package changes; %s on it", dependsOutside(len(outside))),
			evidence: []Evidence{{Fact: quote(outside[0]) + " depends on it", Path: outside[0], Side: "tree"}}}
	}
	return scopeFalse(c, 2.4, fmt.Sprintf("says that the change stays in one package; %s changes its form, and %s on the package", quote(gone), dependsOutside(len(outside))),
		"say which callers are affected", x.line(at, quote(gone)+" is exported and changes", false, 2.4), Evidence{Fact: quote(outside[0]) + " depends on the package", Path: outside[0], Side: "tree", Weight: 1})
}

func dependsOutside(files int) string {
	if files == 1 {
		return "1 file outside depends"
	}
	return plural(files, "file") + " outside depend"
}

// publicGone is an exported definition of a program file whose own header is on
// a removed line, and that is then gone or has another signature.
func (x *judging) publicGone() (string, change.At) {
	for i := range x.f.Change.Files {
		f := &x.f.Change.Files[i]
		if f.Kind != lang.Source {
			continue
		}
		removed := map[int]*change.Line{}
		for _, h := range f.Hunks {
			for k := range h.Lines {
				if h.Lines[k].Op == '-' {
					removed[h.Lines[k].Old] = &h.Lines[k]
				}
			}
		}
		if len(removed) == 0 {
			continue
		}
		have := map[string][]uint64{}
		for _, d := range f.NewDefs {
			have[d.Qualified] = append(have[d.Qualified], d.Signature)
		}
		for _, d := range f.OldDefs {
			line := removed[d.Line]
			if line == nil || !d.Exported || !publicKind(d.What) || !strings.Contains(line.Text, d.Name) {
				continue
			}
			sigs := have[d.Qualified]
			same := false
			for _, s := range sigs {
				same = same || s == d.Signature || s == 0 || d.Signature == 0
			}
			if same || len(sigs) == 0 && x.f.Name(d.Name).Added > 0 {
				continue // as it was, or moved to another place
			}
			return d.Name, change.At{File: i, Line: line}
		}
	}
	return "", change.At{}
}

func publicKind(what string) bool {
	switch what {
	case "func", "method", "type", "class", "interface", "struct", "enum", "trait":
		return true
	}
	return false
}

package checks

import (
	"fmt"
	"strings"

	"github.com/saysolint/sayso/change"
	"github.com/saysolint/sayso/claim"
	"github.com/saysolint/sayso/internal/lang"
)

var typeCheck = Check{
	Doc: Doc{
		ID: "type", Title: "The conventional type against the kinds of files and lines changed", Default: "gate", Since: "0.1",
		Needs: "the list of touched files, their lines",
		Text: `"docs:" on a change of program code, "test:" on a change without any test, "feat:" and "perf:" on nothing but documents or tests
do not fit. Comments, help texts inside strings, configuration and moved lines are not program code. "fix:" of nothing but documents or
tests is everyday and left alone, and types with no agreed meaning (chore, build, style) are not judged.`,
		Fires: "docs: clarify how parcels are sorted (a dozen new statements, no document)",
		Quiet: "docs: explain what `--depth` counts (the help text stands in a source file)",
	},
	kind:  claim.KindType,
	judge: judgeType,
}

func judgeType(x *judging, c *claim.Claim) outcome {
	if len(x.f.Change.Files) == 0 {
		return neutral("the change touches no file")
	}
	if r, ok := onlyUnreadable(x.f.Change); ok {
		return unverifiable("nothing of the change can be read as text (%s)", r)
	}
	if typeIsPlace(x, c.Name) {
		return neutral("%s is a folder of the repository as well", quote(c.Whole))
	}
	k := x.categories()
	src := k.source
	s, why := 0.0, ""
	var at change.At
	at = x.f.CodeAt[lang.Source]
	add := func(w float64, format string, a ...any) {
		if w > s {
			s, why = w, fmt.Sprintf(format, a...)
		}
	}
	code := x.f.Code[lang.Source] + x.f.Code[lang.Test] + x.f.Code[lang.Example] + x.f.Code[lang.Bench] + x.f.Code[lang.Config] + x.f.Code[lang.Build] + x.f.Code[lang.CI] + x.f.Code[lang.Template]
	switch c.Name {
	case "doc", "docs":
		switch {
		case k.onlyCI && x.f.Code[lang.CI] > 0 && !k.ciText:
			add(x.w(typeDocsCI), "only CI files change")
		case !k.anyDoc && src >= 10:
			add(x.w(typeDocsCode)*(1+min(1, float64(src)/30)), "no document changes, and %s of program code do", plural(src, "line"))
		case !k.anyDoc && src >= 3:
			add(x.w(typeDocsFewCode), "no document changes, and %s of program code do", plural(src, "line"))
		case !k.anyDoc && src > 0 && x.f.Comments == 0 && !quotesChange(x):
			add(x.w(typeDocsLine), "no document and no comment changes, and %s of program code do", plural(src, "line"))
		case k.anyDoc && src >= 10:
			add(x.w(typeDocsMixed), "%s of program code change as well", plural(src, "line"))
		}
		if s == 0 && src == 0 && (k.onlyDoc || x.f.Comments > 0 && code == 0) {
			return corroborated(0.9, "only documents and comments change")
		}
	case "test", "tests":
		switch {
		case !k.anyTest && !k.testText:
			w := x.w(typeTestNone)
			if src >= 3 {
				w += x.w(typeTestSource)
			}
			add(w, "no test file changes, and no line of the diff speaks of tests")
		case !k.anyTest && src >= 3:
			add(x.w(typeTestSource), "no test file changes")
		}
		if s == 0 && k.onlyTest {
			return corroborated(0.9, "only tests change")
		}
	case "ci":
		if !k.anyCI && !k.ciText {
			w := x.w(typeCINone)
			if src >= 3 {
				w *= 2
			}
			add(w, "no CI file changes, and no line of the diff speaks of CI")
			at = change.At{File: 0}
		}
		if k.onlyCI {
			return corroborated(0.9, "only CI files change")
		}
	case "feat", "feature", "perf", "refactor":
		switch {
		case k.onlyDoc && c.Name == "perf":
			add(x.w(typePerfAllDoc), "only documents change")
		case k.onlyDoc && c.Name != "refactor":
			add(x.w(typeFeatAllDoc), "only documents change")
		case k.onlyDoc:
			add(x.w(typeRefactorDoc), "only documents change")
		case k.onlyTest && !k.fixtures && c.Name == "perf":
			add(x.w(typePerfAllTest), "only tests change")
		case k.onlyTest && !k.fixtures && c.Name != "refactor":
			add(x.w(typeFeatAllTest), "only tests change")
		case k.onlyCI && c.Name != "refactor":
			add(x.w(typeFeatAllCI), "only CI files change")
		}
	case "fix", "bugfix":
		if k.onlyDoc {
			add(x.w(typeFixAllDoc), "only documents change")
		}
	default:
		return neutral("the type %s says nothing that a diff can refute", quote(c.Name))
	}
	if s == 0 || k.onlyDoc && speaksOf(x, docWords()) || k.onlyTest && speaksOf(x, testWordsOfSubject()) {
		if (c.Name == "doc" || c.Name == "docs") && src > 0 {
			return neutral("%s of program code change, which may hold text for people", plural(src, "line"))
		}
		return neutral("nothing speaks against the type")
	}
	if !x.f.Complete {
		return x.incomplete()
	}
	sup := x.support()
	s += x.w(typeBias) + x.w(typeWordPresent)*float64(min(sup.present, 5)) + x.w(typeWordAbsent)*float64(min(sup.absent, 3))*0.5
	if sup.fileHit {
		s += x.w(typeNamedFileHit)
	}
	if sup.docHit {
		s += x.w(typeNamedDocHit)
	}
	if sup.style {
		s += x.w(typeStyleWord)
	}
	if sup.nameHits > 0 {
		s += x.w(typeNameChanged)
	}
	ev := Evidence{Fact: why, Weight: s, Path: firstPath(x.f.Change)}
	if at.Line != nil {
		ev = x.line(at, why, false, s)
	}
	return outcome{
		weak:      !k.anyDoc && src < 3 && (c.Name == "doc" || c.Name == "docs"),
		suspicion: s,
		reason:    fmt.Sprintf("is headed %s, but %s", quote(c.Whole), why),
		fix:       "choose the type that fits the change (" + fittingType(k) + ")",
		evidence:  []Evidence{ev},
	}
}

func fittingType(k *categories) string {
	switch {
	case k.onlyDoc:
		return "docs"
	case k.onlyTest:
		return "test"
	case k.onlyCI:
		return "ci"
	}
	return "feat, fix or refactor"
}

// quotesChange: some changed line of code holds a string, which may be text for people.
func quotesChange(x *judging) bool {
	for i := range x.f.Change.Files {
		for _, h := range x.f.Change.Files[i].Hunks {
			for k := range h.Lines {
				if l := &h.Lines[k]; l.Op != ' ' && strings.ContainsAny(l.Text, "\"'`") {
					return true
				}
			}
		}
	}
	return false
}

// typeIsPlace: "doc: ..." in a repository whose package doc is what changes.
func typeIsPlace(x *judging, name string) bool {
	for i := range x.f.Change.Files {
		f := &x.f.Change.Files[i]
		if f.Kind != lang.Source {
			continue
		}
		for _, part := range strings.Split(f.Path, "/") {
			if strings.EqualFold(part, name) || strings.EqualFold(part, name+"s") {
				return true
			}
		}
	}
	return false
}

var docWords = words("doc docs document documents documented documentation readme guide changelog typo comment comments wording explain describe note link links website")

var testWordsOfSubject = words("test tests testing coverage spec specs fixture fixtures snapshot snapshots benchmark benchmarks")

// speaksOf: the subject itself says that documents, or tests, are what changes.
func speaksOf(x *judging, words map[string]bool) bool {
	if len(x.m.Statements) == 0 {
		return false
	}
	for _, t := range x.m.Statements[0].Tokens {
		if t.Start >= x.m.RestStart() && words[t.Low] {
			return true
		}
	}
	return false
}

package checks

import (
	"strings"

	"github.com/saysolint/sayso/change"
	"github.com/saysolint/sayso/claim"
	"github.com/saysolint/sayso/internal/lang"
)

var testsCheck = Check{
	Doc: Doc{
		ID: "tests", Title: "Tests said to be added", Default: "gate", Since: "0.1",
		Needs: "the list of touched files, the diff",
		Text: `"Added unit tests for ..." is borne out by a line that opens a test, or by new lines in a test file. It is contradicted when no test file is touched
and no added line opens a test or speaks of one. Test helpers, plans ("a follow-up will add tests") and unticked boxes claim nothing.`,
		Fires: "Added unit tests for accents (only src/slug.js changes)",
		Quiet: "Accept tokens; a follow-up will add tests",
	},
	kind:  claim.KindTests,
	judge: judgeTests,
}

func judgeTests(x *judging, c *claim.Claim) outcome {
	added, _, _, _ := testOpenings(x)
	var at *Evidence
	lines := 0
	for i := range x.f.Change.Files {
		f := &x.f.Change.Files[i]
		if f.Kind != lang.Test && f.Kind != lang.Bench {
			continue
		}
		for _, h := range f.Hunks {
			for k := range h.Lines {
				if l := &h.Lines[k]; l.Op == '+' && l.Class == lang.Code {
					lines++
				}
			}
		}
		if at == nil {
			e := Evidence{Fact: quote(f.Path) + " is touched", For: true, Path: f.Path, Weight: -2}
			at = &e
		}
	}
	if added > 0 {
		o := corroborated(0.95, plural(added, "test")+" opened on added lines")
		if at != nil {
			o.evidence = []Evidence{*at}
		}
		return o
	}
	if at != nil && lines > 0 {
		return corroborated(0.85, "lines are added to a test file", *at)
	}
	if at != nil {
		return outcome{verdict: Neutral, reason: "a test file is touched", evidence: []Evidence{*at}}
	}
	if !x.f.Complete || anyUnread(x) {
		return x.incomplete()
	}
	for _, w := range [...]string{"test", "spec", "assert", "expect", "doctest", "snapshot", "fixture", "check"} {
		if n := x.f.Stem(stem(w)); n.Added > 0 || x.f.PathStem(stem(w)) {
			return neutral("the diff speaks of tests")
		}
	}
	if len(x.f.Change.Files) == 0 {
		return neutral("the change touches no file")
	}
	for _, mod := range [...]string{"tests", "test", "Tests", "testing"} {
		if _, ok := x.f.Enclosing[mod]; ok {
			return neutral("lines change inside the tests that a touched file holds")
		}
	}
	if k := x.categories(); (k.anyCI || k.all[lang.Build]) && !onlyNumbersMove(x) {
		return neutral("a test may stand in the CI or build files that change")
	}
	s := 3.3
	if x.f.Code[lang.Source] == 0 {
		s = 2.0
	}
	return outcome{
		suspicion: s,
		reason:    "says that tests are added; no test file is among the " + plural(len(x.f.Change.Files), "changed file") + ", and no added line is a test",
		fix:       "commit the tests, or leave the statement out",
		evidence:  []Evidence{{Fact: "no test file is touched, and no added line opens a test", Path: firstPath(x.f.Change), Weight: s}},
	}
}

// onlyNumbersMove: in the files of the build every line that comes takes the
// place of one that is equal but for its numbers and digests: a dependency steps, and nothing else.
func onlyNumbersMove(x *judging) bool {
	paired := map[*change.Line]bool{}
	for _, p := range x.f.Pairs {
		if withoutNumbers(p.Old.Text) == withoutNumbers(p.New.Text) {
			paired[p.New] = true
		}
	}
	for i := range x.f.Change.Files {
		f := &x.f.Change.Files[i]
		if f.Kind != lang.Build && f.Kind != lang.CI {
			continue
		}
		for _, h := range f.Hunks {
			for k := range h.Lines {
				if l := &h.Lines[k]; l.Op == '+' && strings.TrimSpace(l.Text) != "" && !paired[l] {
					return false
				}
			}
		}
	}
	return true
}

// withoutNumbers is a line without its numbers and without words that hold digits.
func withoutNumbers(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		if !alphanumeric(s[i]) {
			if s[i] != '.' {
				b.WriteByte(s[i])
			}
			i++
			continue
		}
		j, digit := i, false
		for j < len(s) && alphanumeric(s[j]) {
			digit = digit || s[j] >= '0' && s[j] <= '9'
			j++
		}
		if !digit {
			b.WriteString(s[i:j])
		}
		i = j
	}
	return b.String()
}

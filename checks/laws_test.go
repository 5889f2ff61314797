package checks_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/saysolint/sayso/change"
	"github.com/saysolint/sayso/checks"
	"github.com/saysolint/sayso/claim"
)

// phrases are statements of every kind, true and false of what anyDiff draws.
var phrases = []string{
	"Fix a.go", "Add tests", "feat(web): wider margins", "docs: explain the margin", "Remove `oldRow`", "Rename `oldRow` to `newRow`",
	"Bump dabbin from 1.0.1 to 1.0.2", "Only touches web/.", "No functional change.", "Formatting only.", "Only tests are changed.",
	"- Adds `cancelOrder()`", "This change is isolated to one package.", "Fixes: 0123456789ab", "This reverts commit 0123456789ab.",
	"Enable the cache", "Raise the limit to 30", "Sayso-Ignore: path quoted", "Touches nine files", "Adds 12 tests.", "It was slow before.",
	"Does not touch `web/b.py`.", "(cherry picked from commit 0123456789ab)", "Move a.go to web/a.go", "docs only", "Paginate nightly audit logs",
}

// lineOf are lines of the changes that are drawn.
var lineOf = []string{
	"func oldRow() {}", "func newRow() {}", "limit = 20", "limit = 30", "cache: true", "cache: false", "dabbin==1.0.1", "dabbin==1.0.2",
	"// a comment", "", "import os", "func TestRow(t *testing.T) {", "return a > b", "return a >= b", "margin", "\tx()",
}

var fileOf = []string{"a.go", "web/b.py", "web/c.ts", "docs/d.md", "a_test.go", "requirements.txt", ".github/workflows/w.yml", "cfg.yaml", "src/e.rs"}

func anyMessage(t *rapid.T) string {
	parts := rapid.SliceOfN(rapid.OneOf(rapid.SampledFrom(phrases), rapid.StringN(0, 30, 60)), 1, 6).Draw(t, "parts")
	sep := rapid.SampledFrom([]string{"\n", "\n\n", " ", "\n- "}).Draw(t, "separator")
	return strings.Join(parts, sep)
}

func anyDiff(t *rapid.T) string {
	var b strings.Builder
	for _, file := range rapid.SliceOfNDistinct(rapid.SampledFrom(fileOf), 0, 4, rapid.ID[string]).Draw(t, "files") {
		lines := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) string {
			return rapid.SampledFrom([]string{"+", "-", " "}).Draw(t, "side") + rapid.SampledFrom(lineOf).Draw(t, "line")
		}), 1, 8).Draw(t, "lines")
		b.WriteString(edit(file, lines...))
	}
	return b.String()
}

func anyInput(t *rapid.T, tb testing.TB) checks.Input {
	in := checks.Input{Messages: message(anyMessage(t)), Facts: parseDiff(tb, anyDiff(t))}
	if rapid.Bool().Draw(t, "tree") {
		in.Tree = fakeTree{files: fileOf, defs: map[string][]checks.Site{"oldRow": {{Path: "src/e.rs", Line: 2}}}, unknown: rapid.Bool().Draw(t, "no index")}
	}
	if rapid.Bool().Draw(t, "history") {
		in.History = fakeHistory{{scope: "web", dir: "web", times: 70, stems: []string{"audit", "log", "nightli"}}, {dir: "src", times: 60}}
	}
	if rapid.Bool().Draw(t, "graph") {
		in.Graph = fakeGraph{unknown: rapid.Bool().Draw(t, "no graph"), dependents: rapid.SampledFrom([][]string{nil, {"src/e.rs"}}).Draw(t, "dependents")}
	}
	if rapid.Bool().Draw(t, "references") {
		in.References = map[string]checks.Reference{"0123456789ab": {
			Known: rapid.Bool().Draw(t, "known"), Exists: rapid.Bool().Draw(t, "exists"), Ancestor: rapid.Bool().Draw(t, "ancestor"),
			Read: rapid.Bool().Draw(t, "read"), Lines: rapid.IntRange(0, 4).Draw(t, "lines"), Undone: rapid.Float64Range(0, 1).Draw(t, "undone"),
		}}
	}
	return in
}

// lawful holds a judgement against what is true of every one.
func lawful(t interface {
	Helper()
	Errorf(string, ...any)
}, j checks.Judgement) {
	t.Helper()
	unit := func(what string, p float64) {
		if !(p >= 0 && p <= 1) {
			t.Errorf("%s is %v, outside 0..1", what, p)
		}
	}
	unit("the score", j.Score)
	var contradicted, strong, corroborated, unverifiable bool
	judged := 0
	for _, f := range j.Claims {
		unit("the confidence of "+f.Check, f.Confidence)
		if f.Evidence == nil || f.Reason == "" || len(f.Fingerprint) != 16 {
			t.Errorf("a finding with a gap: %+v", f)
		}
		if (f.Strength != "") != (f.Verdict == checks.Contradicted) {
			t.Errorf("%s is %s with strength %q", f.Check, f.Verdict, f.Strength)
		}
		if f.Verdict == checks.Contradicted && len(f.Evidence) == 0 {
			t.Errorf("%s contradicts without evidence: %s", f.Check, f.Reason)
		}
		if f.Verdict == checks.Corroborated && f.Check == "lexical" {
			t.Errorf("shared words vouch for %q", f.Text)
		}
		for _, e := range f.Evidence {
			// A neutral finding may carry evidence that support has outweighed.
			if e.Fact == "" || f.Verdict != checks.Neutral && (e.For && e.Weight > 0 || !e.For && e.Weight < 0) {
				t.Errorf("%s has evidence of the wrong sign: %+v", f.Check, e)
			}
			if e.Line < 0 || e.Line > 0 && e.Path == "" || !utf8.ValidString(e.Text) {
				t.Errorf("%s has evidence without a place: %+v", f.Check, e)
			}
		}
		if f.Verdict != checks.Unverifiable {
			if f.Kind != claim.KindStatement { // words alone are no judgement
				judged++
			}
		}
		switch {
		case f.Verdict == checks.Contradicted && f.Ignored == "":
			contradicted, strong = true, strong || f.Strength == checks.Strong
		case f.Verdict == checks.Corroborated:
			corroborated = true
		case f.Verdict == checks.Unverifiable:
			unverifiable = true
		}
	}
	want := checks.Neutral
	switch {
	case contradicted:
		want = checks.Contradicted
	case corroborated:
		want = checks.Corroborated
	case unverifiable:
		want = checks.Unverifiable
	}
	if j.Verdict != want {
		t.Errorf("the whole is %s, want %s:%s", j.Verdict, want, describe(j))
	}
	strength := checks.Strength("")
	if strong {
		strength = checks.Strong
	} else if contradicted {
		strength = checks.Likely
	}
	if j.Strength != strength {
		t.Errorf("the whole is %q, want %q:%s", j.Strength, strength, describe(j))
	}
	if c := j.Coverage; c.Claims != len(j.Claims) || c.Judged != judged || c.State != "complete" && c.State != "partial" {
		t.Errorf("coverage %+v of %d claims, %d judged", c, len(j.Claims), judged)
	}
	if unverifiable && j.Coverage.State != "partial" {
		t.Errorf("a claim is unverifiable, and the coverage is %s", j.Coverage.State)
	}
	if _, err := json.Marshal(j); err != nil {
		t.Errorf("no JSON: %v", err)
	}
}

func TestEveryJudgementIsLawful(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) { lawful(r, checks.Judge(anyInput(r, t))) })
}

func TestNeedsCoverWhatJudgeAsks(t *testing.T) {
	// What NeedsOf leaves out may be missing without any change of the judgement.
	rapid.Check(t, func(r *rapid.T) {
		in := anyInput(r, t)
		needs := checks.NeedsOf(in)
		want := asJSON(r, checks.Judge(in))
		if !needs.Graph {
			in.Graph = nil
		}
		if len(needs.References) == 0 {
			in.References = nil
		}
		if got := asJSON(r, checks.Judge(in)); got != want {
			r.Errorf("needs are %+v, and yet the judgement differs without the rest:\n%s\n%s", needs, want, got)
		}
	})
}

func asJSON(t *rapid.T, j checks.Judgement) string {
	b, err := json.Marshal(j)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestRemovingSupportNeverLowersTheScore: the same false statement, beside more
// and less that speaks for the message.
func TestRemovingSupportNeverLowersTheScore(t *testing.T) {
	type support struct{ text, diff string }
	supports := []support{
		{"a touched file that the subject names", edit("lamp/wick.go", "+var wick = 1")},
		{"words of the subject on changed lines", edit("lamp/glow.go", "+var folded, labels = 1, 2")},
		{"words of the subject in the context", edit("lamp/dim.go", " var folded, labels = 1, 2", "+var x = 1")},
		{"the name itself in the context", edit("lamp/near.go", " parseLabel(x)", "+var y = 1")},
		{"the name itself on a changed line", edit("lamp/use.go", "+parseLabel(x)")},
	}
	tree := fakeTree{
		files: []string{"label/parse.go", "lamp/wick.go", "lamp/glow.go", "crate/width.go", "lamp/dim.go", "lamp/near.go", "lamp/use.go"},
		defs:  map[string][]checks.Site{"parseLabel": {{Path: "label/parse.go", Line: 3}}},
	}
	messages := []string{
		"Rewrite `parseLabel` for folded labels",
		"Rewrite `parseLabel` for folded labels in lamp/wick.go",
		"Fix folded labels in label/parse.go",
		"fix(label): accept folded labels",
	}
	history := fakeHistory{{scope: "label", dir: "label", times: 40}, {dir: "crate", times: 70}}
	rapid.Check(t, func(r *rapid.T) {
		text := rapid.SampledFrom(messages).Draw(r, "message")
		less, more := widthDiff, widthDiff
		for _, s := range supports {
			inBoth := rapid.Bool().Draw(r, s.text)
			if inBoth || rapid.Bool().Draw(r, "only in one") {
				more += s.diff
			}
			if inBoth {
				less += s.diff
			}
		}
		score := func(diff string) float64 {
			return checks.Judge(checks.Input{Messages: message(text), Facts: parseDiff(t, diff), Tree: tree, History: history}).Score
		}
		if with, without := score(more), score(less); without < with {
			r.Errorf("%q: the score falls from %v to %v without the support", text, with, without)
		}
	})
}

func FuzzJudge(f *testing.F) {
	f.Add("feat(//): x", edit("a.go", "+x"), uint8(7))
	f.Add("Rewrite `parseLabel` in crate/width.go\n\nOnly documentation is changed.", widthDiff, uint8(255))
	f.Add("Revert \"x\"\n\nThis reverts commit 0123456789ab.", remove("a_test.go", "-x"), uint8(3))
	f.Add("fix(*): `` -> ``\n\n- Rename `` to `a`\n- Adds `()`", create("b/é.py", "+é = 1"), uint8(1))
	f.Add("Bump \xff from 1 to 2\x00", "diff --git a/x b/x\nold mode 100644\nnew mode 100755\n", uint8(9))
	for i, p := range phrases {
		f.Add(p+"\n\n"+phrases[(i*7+3)%len(phrases)], edit(fileOf[i%len(fileOf)], "-"+lineOf[i%len(lineOf)], "+"+lineOf[(i+1)%len(lineOf)]), uint8(i*37))
	}
	f.Fuzz(func(t *testing.T, text, diff string, bits uint8) {
		if len(text) > 4<<10 || len(diff) > 16<<10 {
			return
		}
		ch, err := change.Parse(strings.NewReader(diff), change.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		in := checks.Input{Messages: message(text), Facts: change.NewFacts(ch)}
		if bits&1 != 0 {
			in.Tree = fakeTree{files: fileOf, names: []string{"tool"}, unknown: bits&2 != 0, defs: map[string][]checks.Site{"parseLabel": {{Path: "a.go", Line: 1}}}}
		}
		if bits&4 != 0 {
			in.History = fakeHistory{{scope: "web", dir: "web", times: 150, stems: []string{"audit", "log"}}}
		}
		if bits&8 != 0 {
			in.Graph = fakeGraph{unknown: bits&16 != 0}
		}
		if bits&32 != 0 {
			in.References = map[string]checks.Reference{"0123456789ab": {Known: true, Exists: bits&64 != 0, Read: true, Lines: 2}}
		}
		if bits&128 != 0 {
			in.Messages = append(in.Messages, claim.Parse(text, claim.Options{Source: claim.SourceBody, NoSubject: true}))
		}
		begin := time.Now()
		j := checks.Judge(in)
		if d := time.Since(begin); d > 5*time.Second {
			t.Errorf("took %v", d)
		}
		lawful(t, j)
		checks.NeedsOf(in)
	})
}

package checks_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/saysolint/sayso/change"
	"github.com/saysolint/sayso/checks"
)

var (
	widthDiff = edit("crate/width.go", " package crate", " ", "-const margin = 1", "+const margin = 2")
	labelTree = fakeTree{
		files: []string{"crate/width.go", "label/parse.go"},
		defs:  map[string][]checks.Site{"parseLabel": {{Path: "label/parse.go", Line: 3}}},
	}
)

func TestEachVerdictAndStrength(t *testing.T) {
	docs := edit("docs/width.md", " # Width", "+Two fingers.")
	for name, tc := range map[string]struct {
		message  string
		diff     string
		in       checks.Input
		check    string
		verdict  checks.Verdict
		strength checks.Strength
		whole    checks.Verdict
		reason   string
	}{
		"strong: a docs-only message over many lines of code": {
			"Explain the width\n\nOnly documentation is changed.", docs + edit("crate/width.go", "+func a() {", "+\tb := 1", "+\tc(b)", "+\td(b)", "+}"), checks.Input{Tree: labelTree},
			"scope", checks.Contradicted, checks.Strong, checks.Contradicted, "5 lines of code",
		},
		"strong: a docs-only statement in the body over two lines of code": {
			"Explain the width\n\nOnly documentation is changed.", docs + widthDiff, checks.Input{Tree: labelTree},
			"scope", checks.Contradicted, checks.Strong, checks.Contradicted, "2 lines of code",
		},
		"strong: a name that is defined in an untouched file": {
			"Rewrite `parseLabel` for folded labels", widthDiff, checks.Input{Tree: labelTree},
			"identifier", checks.Contradicted, checks.Strong, checks.Contradicted, "label/parse.go",
		},
		"corroborated: a named file is touched": {
			"Widen the margin in crate/width.go", widthDiff, checks.Input{Tree: labelTree},
			"path", checks.Corroborated, "", checks.Corroborated, "among the changed files",
		},
		"neutral: a name that the tree does not know": {
			"Rewrite `parseCrate` for folded labels", widthDiff, checks.Input{Tree: labelTree},
			"identifier", checks.Neutral, "", checks.Neutral, "defined nowhere",
		},
		"unverifiable: no index for a name": {
			"Rewrite `parseLabel` for folded labels", widthDiff, checks.Input{Tree: fakeTree{files: labelTree.files, unknown: true}},
			"identifier", checks.Unverifiable, "", checks.Unverifiable, "no index (sayso index)",
		},
		"unverifiable: no tree for a name": {
			"Rewrite `parseLabel` for folded labels", widthDiff, checks.Input{},
			"identifier", checks.Unverifiable, "", checks.Unverifiable, "no index (sayso index)",
		},
		"unverifiable: no tree for a scope": {
			"fix(label): count from one", widthDiff, checks.Input{},
			"component", checks.Unverifiable, "", checks.Unverifiable, "names of the tree",
		},
		"unverifiable: a revert of a commit that is not here": {
			"Revert \"Widen\"\n\nThis reverts commit 0123456789ab.", widthDiff, checks.Input{},
			"revert", checks.Unverifiable, "", checks.Unverifiable, "not in this repository",
		},
		"unverifiable: a trailer in a history that is not whole": {
			"Widen\n\nFixes: 0123456789ab (\"Narrow\")", widthDiff, checks.Input{References: map[string]checks.Reference{"0123456789ab": {}}},
			"trailer", checks.Unverifiable, "", checks.Unverifiable, "not whole",
		},
		"strong: a trailer that names no commit": {
			"Widen\n\nFixes: 0123456789ab (\"Narrow\")", widthDiff, checks.Input{References: map[string]checks.Reference{"0123456789ab": {Known: true}}},
			"trailer", checks.Contradicted, checks.Strong, checks.Contradicted, "does not exist",
		},
		"likely: a trailer that names a commit of another branch": {
			"Widen\n\nFixes: 0123456789ab (\"Narrow\")", widthDiff, checks.Input{References: map[string]checks.Reference{"0123456789ab": {Known: true, Exists: true}}},
			"trailer", checks.Contradicted, checks.Likely, checks.Contradicted, "not an ancestor",
		},
		"corroborated: a trailer that names an ancestor": {
			"Widen\n\nFixes: 0123456789ab (\"Narrow\")", widthDiff, checks.Input{References: map[string]checks.Reference{"0123456789ab": {Known: true, Exists: true, Ancestor: true}}},
			"trailer", checks.Corroborated, "", checks.Corroborated, "ancestor",
		},
		"unverifiable: isolation without a graph": {
			"Widen the margin\n\nThis change is isolated to one package.", widthDiff, checks.Input{Tree: labelTree},
			"scope", checks.Unverifiable, "", checks.Unverifiable, "no dependency graph",
		},
		"unverifiable: isolation in a language without a graph": {
			"Widen the margin\n\nThis change is isolated to one package.", widthDiff, checks.Input{Tree: labelTree, Graph: fakeGraph{unknown: true}},
			"scope", checks.Unverifiable, "", checks.Unverifiable, "language",
		},
		"corroborated: isolation where nothing depends on it": {
			"Widen the margin\n\nThis change is isolated to one package.", widthDiff, checks.Input{Tree: labelTree, Graph: fakeGraph{}},
			"scope", checks.Corroborated, "", checks.Corroborated, "nothing outside",
		},
		"neutral: isolation where others depend on it": {
			"Widen the margin\n\nThis change is isolated to one package.", widthDiff, checks.Input{Tree: labelTree, Graph: fakeGraph{dependents: []string{"label/parse.go"}}},
			"scope", checks.Neutral, "", checks.Neutral, "outside depends on it",
		},
		"strong: isolation over two packages": {
			"Widen the margin\n\nThis change is isolated to one package.", widthDiff + edit("label/parse.go", "+func more() {}"), checks.Input{Tree: labelTree, Graph: fakeGraph{}},
			"scope", checks.Contradicted, checks.Strong, checks.Contradicted, "2 packages change",
		},
	} {
		t.Run(name, func(t *testing.T) {
			tc.in.Messages, tc.in.Facts = message(tc.message), parseDiff(t, tc.diff)
			j := checks.Judge(tc.in)
			f := find(t, j, tc.check)
			if f.Verdict != tc.verdict || f.Strength != tc.strength || !strings.Contains(f.Reason, tc.reason) {
				t.Errorf("got %s %s (%s), want %s %s (... %s ...)", f.Verdict, f.Strength, f.Reason, tc.verdict, tc.strength, tc.reason)
			}
			if j.Verdict != tc.whole {
				t.Errorf("the whole is %s, want %s:%s", j.Verdict, tc.whole, describe(j))
			}
			if f.Verdict == checks.Contradicted && (len(f.Evidence) == 0 || f.Fix == "" || f.Evidence[0].Fact == "") {
				t.Errorf("a contradiction without evidence or a way out: %+v", f)
			}
			if f.Verdict != checks.Contradicted && f.Fix != "" {
				t.Errorf("a way out of nothing: %q", f.Fix)
			}
		})
	}
}

func TestAnIncompleteChangeNeverContradictsByAbsence(t *testing.T) {
	tree := fakeTree{
		files: []string{"crate/width.go", "label/parse.go", "web/a.go"},
		defs:  map[string][]checks.Site{"parseLabel": {{Path: "label/parse.go", Line: 3}}},
	}
	history := fakeHistory{{scope: "web", dir: "web", times: 80, stems: []string{"audit", "log"}}, {scope: "crate", dir: "crate", times: 80}}
	for _, text := range []string{
		"Rewrite `parseLabel` for folded labels",
		"Fix label/parse.go",
		"Rename `label/parse.go` to `label/read.go`",
		"Add `refundOrder()` to the client",
		"Add `POST /v2/refunds`",
		"feat(web): keep drafts",
		"docs: explain the width",
		"test: cover the width",
		"ci: two machines",
		"Add tests for the width",
		"Bump dabbin from 1.0.1 to 2.0.0",
		"Bump version to 4.2.0",
		"Remove `parseLabel`",
		"Rename `parseLabel` to `readLabel`",
		"Paginate nightly audit log pages",
		"Adds 5 unit tests.",
		"Tidy\n\nFormatting only.",
		"Tidy\n\nNo functional change.",
		"Tidy\n\nOnly documentation is changed.",
		"Tidy\n\nNo code changes.",
	} {
		for _, reason := range []change.Reason{change.ReasonMissing, change.ReasonCorrupt, change.ReasonOversized, change.ReasonCapped} {
			ch := &change.Change{
				Files: []change.File{{Path: "crate/width.go", Status: change.Modified, Unread: reason}},
				Gaps:  []change.Gap{{Path: "crate/width.go", Reason: reason}},
			}
			j := checks.Judge(checks.Input{Messages: message(text), Facts: change.NewFacts(ch), Tree: tree, History: history})
			for _, f := range j.Claims {
				if f.Verdict == checks.Contradicted {
					t.Errorf("%q over a file that is %s: %s contradicts %q: %s", text, reason, f.Check, f.Text, f.Reason)
				}
				if f.Verdict == checks.Corroborated && f.Check != "path" {
					t.Errorf("%q over a file that is %s: %s vouches for %q: %s", text, reason, f.Check, f.Text, f.Reason)
				}
			}
			if j.Coverage.State != "partial" || j.Coverage.Unread != 1 || len(j.Coverage.Missing) != 1 {
				t.Errorf("%q over a file that is %s: coverage is %+v", text, reason, j.Coverage)
			}
		}
	}
}

func TestLevels(t *testing.T) {
	in := checks.Input{Messages: message("Rewrite `parseLabel` for folded labels"), Facts: parseDiff(t, widthDiff), Tree: labelTree}
	if f := find(t, checks.Judge(in), "identifier"); f.Strength != checks.Strong {
		t.Fatalf("by default: %+v", f)
	}
	in.Levels = map[string]string{"identifier": "advisory"}
	if f := find(t, checks.Judge(in), "identifier"); f.Verdict != checks.Contradicted || f.Strength != checks.Likely {
		t.Errorf("advisory: %s %s, want contradicted likely", f.Verdict, f.Strength)
	}
	in.Levels = map[string]string{"identifier": "off"}
	if j := checks.Judge(in); slices.ContainsFunc(j.Claims, func(f checks.Finding) bool { return f.Check == "identifier" }) {
		t.Errorf("off: still judged:%s", describe(j))
	}
	in.Levels = map[string]string{"undisclosed": "off"}
	in.Facts = parseDiff(t, widthDiff+edit(".github/workflows/a.yml", "+on: push"))
	if j := checks.Judge(in); len(j.Observations) != 0 {
		t.Errorf("undisclosed off: %+v", j.Observations)
	}
}

func TestIgnoreLineLiftsAFindingOutOfTheVerdict(t *testing.T) {
	in := checks.Input{Facts: parseDiff(t, widthDiff), Tree: labelTree}
	for _, tc := range []struct{ trailer, ignored string }{
		{"Sayso-Ignore: identifier parseLabel lives in another repository", "parseLabel lives in another repository"},
		{"Sayso-Ignore: identifier", ""}, // no reason: not in force
		{"Sayso-Ignore: all quoted text", "quoted text"},
		{"Sayso-Ignore: path not this one", ""},
	} {
		in.Messages = message("Rewrite `parseLabel` for folded labels\n\n" + tc.trailer)
		j := checks.Judge(in)
		f := find(t, j, "identifier")
		if f.Ignored != tc.ignored {
			t.Errorf("%s: ignored is %q, want %q", tc.trailer, f.Ignored, tc.ignored)
		}
		if f.Verdict != checks.Contradicted {
			t.Errorf("%s: the verdict of the claim is %s: it must stay visible", tc.trailer, f.Verdict)
		}
		if lifted := j.Verdict != checks.Contradicted && j.Strength == ""; lifted != (tc.ignored != "") {
			t.Errorf("%s: the whole is %s %s", tc.trailer, j.Verdict, j.Strength)
		}
		if tc.ignored != "" && j.Score > 0.1 {
			t.Errorf("%s: the score is %v, though the finding is ignored", tc.trailer, j.Score)
		}
	}
}

func TestExceptionLiftsOnlyContradictions(t *testing.T) {
	var asked []string
	in := checks.Input{
		Messages: message("Rewrite `parseLabel` in crate/width.go"), Facts: parseDiff(t, widthDiff), Tree: labelTree,
		Exceptions: func(check string, paths []string) string {
			asked = append(asked, check+" "+strings.Join(paths, ","))
			if check == "identifier" {
				return "generated names"
			}
			return ""
		},
	}
	in.Messages = message("Rewrite `parseLabel` for folded labels\n\nWiden the margin in crate/width.go.")
	j := checks.Judge(in)
	if f := find(t, j, "identifier"); f.Ignored != "generated names" {
		t.Errorf("the contradiction is not lifted: %+v", f)
	}
	if j.Verdict == checks.Contradicted {
		t.Errorf("the whole is contradicted:%s", describe(j))
	}
	if want := []string{"identifier crate/width.go"}; !slices.Equal(asked, want) {
		t.Errorf("asked %q, want %q", asked, want)
	}
}

func TestACorroborationInTheClauseOfAContradictionIsTakenBack(t *testing.T) {
	in := checks.Input{Facts: parseDiff(t, widthDiff), Tree: labelTree}
	in.Messages = message("Rewrite `parseLabel` in crate/width.go\n\nWiden the margin in crate/width.go.")
	j := checks.Judge(in)
	var paths []checks.Finding
	for _, f := range j.Claims {
		if f.Check == "path" {
			paths = append(paths, f)
		}
	}
	if find(t, j, "identifier").Verdict != checks.Contradicted || len(paths) != 2 {
		t.Fatalf("got%s", describe(j))
	}
	if paths[0].Verdict != checks.Neutral || !strings.Contains(paths[0].Reason, "same statement as a contradicted claim") {
		t.Errorf("in the same clause: %s (%s)", paths[0].Verdict, paths[0].Reason)
	}
	if paths[1].Verdict != checks.Corroborated {
		t.Errorf("in another sentence: %s (%s)", paths[1].Verdict, paths[1].Reason)
	}
}

func TestAHeaderIsVouchedForAsAWhole(t *testing.T) {
	in := checks.Input{
		Messages: message("docs(label): explain the folded form"), Tree: labelTree,
		Facts:   parseDiff(t, edit("docs/width.md", " # Width", "+Two fingers.")),
		History: fakeHistory{{scope: "label", dir: "label", times: 30}, {scope: "docs", dir: "docs", times: 30}},
	}
	j := checks.Judge(in)
	if find(t, j, "component").Verdict != checks.Contradicted {
		t.Fatalf("got%s", describe(j))
	}
	if f := find(t, j, "type"); f.Verdict == checks.Corroborated {
		t.Errorf("the type is vouched for beside a false scope: %s", f.Reason)
	}
}

func TestCoverage(t *testing.T) {
	for name, tc := range map[string]struct {
		message string
		in      checks.Input
		gaps    []change.Gap
		state   string
		judged  int
		reasons []string
	}{
		"complete where all was read":              {"Widen crate/width.go", checks.Input{Tree: labelTree}, nil, "complete", 1, nil},
		"complete without an index nobody needs":   {"Widen crate/width.go", checks.Input{}, nil, "complete", 1, nil},
		"complete beside a picture":                {"Widen crate/width.go", checks.Input{Tree: labelTree}, []change.Gap{{Path: "a.png", Reason: change.ReasonBinary}}, "complete", 1, nil},
		"partial where a claim needed the index":   {"Rewrite `parseLabel`", checks.Input{}, nil, "partial", 0, []string{"no index (sayso index)"}},
		"partial where a blob is missing":          {"Widen crate/width.go", checks.Input{Tree: labelTree}, []change.Gap{{Path: "b.go", Reason: change.ReasonMissing}}, "partial", 1, nil},
		"partial where a part could not be read":   {"幅を広げる。これは余白を変更します。\n\n余白が狭すぎたため、表示が切れていました。そのため余白を広げます。", checks.Input{Tree: labelTree}, nil, "partial", -1, nil},
		"partial where the parent is out of sight": {"Widen crate/width.go", checks.Input{Tree: labelTree}, []change.Gap{{Reason: change.ReasonParent}}, "partial", 1, nil},
	} {
		t.Run(name, func(t *testing.T) {
			facts := parseDiff(t, widthDiff)
			facts.Change.Gaps = tc.gaps
			tc.in.Messages, tc.in.Facts = message(tc.message), change.NewFacts(facts.Change)
			c := checks.Judge(tc.in).Coverage
			if c.State != tc.state || c.Files != 1 || tc.judged >= 0 && c.Judged != tc.judged || !slices.Equal(c.Reasons, tc.reasons) {
				t.Errorf("coverage is %+v, want %s, %d judged, %q", c, tc.state, tc.judged, tc.reasons)
			}
			if len(c.Missing) != len(tc.gaps) {
				t.Errorf("missing is %+v, want all of %+v", c.Missing, tc.gaps)
			}
		})
	}
}

func TestAbstaining(t *testing.T) {
	in := checks.Input{Messages: message("Rewrite `parseLabel`"), Facts: parseDiff(t, widthDiff), Tree: labelTree, Abstain: "merge commit"}
	j := checks.Judge(in)
	if j.Abstained != "merge commit" || j.Verdict != checks.Neutral || len(j.Claims) != 0 || j.Claims == nil || j.Observations == nil {
		t.Errorf("got %+v", j)
	}
	in.Abstain, in.Messages = "", message("fixup! Rewrite the label")
	if j := checks.Judge(in); j.Abstained != "fixup commit" || j.Verdict == checks.Contradicted {
		t.Errorf("a fixup: %+v", j)
	}
}

func TestTitleStandsBeforeBody(t *testing.T) {
	title, body := message("Widen crate/width.go")[0], message("Rewrite `parseLabel`.")[0]
	for i := range title.Claims {
		title.Claims[i].Place.Source = "title"
	}
	for i := range body.Claims {
		body.Claims[i].Place.Source = "body"
	}
	in := checks.Input{Facts: parseDiff(t, widthDiff), Tree: labelTree}
	in.Messages = append(in.Messages, body, title)
	j := checks.Judge(in)
	if len(j.Claims) < 2 || j.Claims[0].Place.Source != "title" || j.Claims[len(j.Claims)-1].Place.Source != "body" {
		t.Errorf("got%s", describe(j))
	}
}

func TestJudgingTwiceGivesTheSameBytes(t *testing.T) {
	diff := widthDiff + edit("package.json", " {", `-    "alpha": "1.0.0",`, `+    "beta": "1.2.0",`, `+    "gamma": "1.3.0",`) + edit(".github/workflows/a.yml", "+on: push") +
		edit("lib/a.py", "-def one(): return 10", "+def one(): return 11", "+def two(): return 12")
	text := "feat(web): Bump alpha from 1.0.0 to 2.0.0 in label/parse.go\n\n- Remove `parseLabel` and add `more_rows`\n- Formatting only\n- Only documentation is changed\n- Adds 7 tests in nine files"
	var first string
	for i := range 50 {
		j := checks.Judge(checks.Input{Messages: message(text), Facts: parseDiff(t, diff), Tree: labelTree, History: fakeHistory{{scope: "web", dir: "web", times: 60}}})
		b, err := json.Marshal(j)
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			first = string(b)
		} else if d := cmp.Diff(first, string(b)); d != "" {
			t.Fatalf("run %d differs: %s", i, d)
		}
	}
}

func TestFingerprintsHoldWhereTheTextMoves(t *testing.T) {
	in := checks.Input{Facts: parseDiff(t, widthDiff), Tree: labelTree}
	in.Messages = message("Widen\n\nRewrite   `parseLabel`.")
	a := find(t, checks.Judge(in), "identifier")
	in.Messages = message("Widen\n\nSome more words stand here now.\n\n- Rewrite `parseLabel`.")
	b := find(t, checks.Judge(in), "identifier")
	if a.Fingerprint != b.Fingerprint || len(a.Fingerprint) != 16 {
		t.Errorf("fingerprints are %s and %s", a.Fingerprint, b.Fingerprint)
	}
	in.Messages = message("Widen\n\nRewrite `parseOther`.")
	if c := find(t, checks.Judge(in), "identifier"); c.Fingerprint == a.Fingerprint {
		t.Error("another claim has the same fingerprint")
	}
}

func TestSoftenTakesBackWhatASecondJudgementDoesNotShare(t *testing.T) {
	in := checks.Input{Messages: message("Rewrite `parseLabel`\n\nAdds tests for labels."), Facts: parseDiff(t, widthDiff), Tree: labelTree}
	j := checks.Judge(in)
	soft := checks.Soften(j, func(f checks.Finding) bool { return f.Check == "identifier" }, "true of one commit")
	f := find(t, soft, "identifier")
	if f.Verdict != checks.Neutral || f.Strength != "" || f.Fix != "" || !strings.HasPrefix(f.Reason, "true of one commit: ") {
		t.Errorf("got %+v", f)
	}
	if soft.Verdict != checks.Contradicted || find(t, soft, "tests").Verdict != checks.Contradicted {
		t.Errorf("the other contradiction went:%s", describe(soft))
	}
	none := checks.Soften(j, func(checks.Finding) bool { return true }, "true of one commit")
	if none.Verdict != checks.Neutral || none.Strength != "" || none.Score > 0.5 {
		t.Errorf("nothing is left, and yet %s %s %v", none.Verdict, none.Strength, none.Score)
	}
	if find(t, j, "identifier").Verdict != checks.Contradicted {
		t.Error("the first judgement was changed")
	}
}

func TestDocsSayWhatEveryCheckNeeds(t *testing.T) {
	seen := map[string]bool{}
	for _, d := range checks.Docs() {
		if d.ID == "" || d.Title == "" || d.Text == "" || d.Fires == "" || d.Quiet == "" || d.Needs == "" || d.Since == "" {
			t.Errorf("check %q has a gap in its documentation: %+v", d.ID, d)
		}
		if d.Default != "gate" && d.Default != "advisory" && d.Default != "off" {
			t.Errorf("check %s has level %q", d.ID, d.Default)
		}
		if seen[d.ID] {
			t.Errorf("check %s stands twice", d.ID)
		}
		seen[d.ID] = true
	}
}

func TestNeeds(t *testing.T) {
	for name, tc := range map[string]struct {
		message string
		want    checks.Needs
	}{
		"nothing where the diff settles it":  {"Widen crate/width.go", checks.Needs{}},
		"a name off the diff":                {"Rewrite `parseLabel`", checks.Needs{Tree: true, Names: []string{"parseLabel"}}},
		"two names, sorted":                  {"Rewrite `zebraLabel` and `appleLabel`", checks.Needs{Tree: true, Names: []string{"appleLabel", "zebraLabel"}}},
		"the graph":                          {"Widen `margin`\n\nThis change is isolated to one package.", checks.Needs{Tree: true, Graph: true}},
		"a trailer's commit":                 {"Widen `margin`\n\nFixes: 0123456789ab", checks.Needs{References: []string{"0123456789ab"}}},
		"a revert's commit and its diff":     {"Revert \"Widen\"\n\nThis reverts commit 0123456789ab.", checks.Needs{References: []string{"0123456789ab"}, Diffs: map[string]bool{"0123456789ab": true}}},
		"no look-up of a name of the world":  {"Widen `margin` like `parseLabel`", checks.Needs{}},
		"the tree for a file off the change": {"Widen label/parse.go", checks.Needs{Tree: true}},
	} {
		t.Run(name, func(t *testing.T) {
			if tc.want.Diffs == nil {
				tc.want.Diffs = map[string]bool{}
			}
			got := checks.NeedsOf(checks.Input{Messages: message(tc.message), Facts: parseDiff(t, widthDiff)})
			if d := cmp.Diff(tc.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

package report_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"
	"pgregory.net/rapid"

	"github.com/saysolint/sayso/change"
	"github.com/saysolint/sayso/checks"
	"github.com/saysolint/sayso/claim"
	"github.com/saysolint/sayso/internal/engine"
	"github.com/saysolint/sayso/report"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func render(t testing.TB, format report.Format, run report.Run, results []engine.Result, o report.Options) (string, report.Head) {
	t.Helper()
	var out bytes.Buffer
	w, err := report.NewWriter(&out, format, run, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range results {
		if err := w.Add(r); err != nil {
			t.Fatal(err)
		}
	}
	h, err := w.Close()
	if err != nil {
		t.Fatal(err)
	}
	return out.String(), h
}

func TestFormatsLookAsTheirGoldenFiles(t *testing.T) {
	type variant struct {
		name    string
		format  report.Format
		results []engine.Result
		o       report.Options
	}
	var all []variant
	for _, f := range report.Formats {
		all = append(all,
			variant{string(f), f, sample(), report.Options{Rules: rules()}},
			variant{string(f) + "-hostile", f, hostile(), report.Options{Rules: rules()}},
			variant{string(f) + "-empty", f, nil, report.Options{Rules: rules()}})
	}
	all = append(all,
		variant{"text-verbose", report.Text, sample(), report.Options{Verbose: true}},
		variant{"text-narrow", report.Text, sample(), report.Options{Width: 50}},
		variant{"text-colour", report.Text, sample(), report.Options{Colour: true, Width: 100}},
		variant{"text-clean", report.Text, sample()[1:3], report.Options{Width: 80}},
		variant{"text-incomplete", report.Text, sample()[3:], report.Options{Width: 80}},
		variant{"markdown-verbose", report.MD, sample(), report.Options{Verbose: true}},
		variant{"markdown-budget", report.MD, sample(), report.Options{Budget: 900}},
		variant{"markdown-clean", report.MD, sample()[1:3], report.Options{}},
	)
	for _, v := range all {
		t.Run(v.name, func(t *testing.T) {
			got, _ := render(t, v.format, run(), v.results, v.o)
			file := filepath.Join("testdata", v.name+".golden")
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(string(want), got); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestExitCodes(t *testing.T) {
	finding := func(v checks.Verdict, s checks.Strength, check, ignored string) engine.Result {
		return engine.Result{Kind: "commit", Judgement: checks.Judgement{Claims: []checks.Finding{{Verdict: v, Strength: s, Check: check, Ignored: ignored}}}}
	}
	strong := finding(checks.Contradicted, checks.Strong, "scope", "")
	likely := finding(checks.Contradicted, checks.Likely, "scope", "")
	decision := engine.Result{Decisions: []checks.Held{{Verdict: checks.Contradicted}}}
	excepted := engine.Result{Decisions: []checks.Held{{Verdict: checks.Contradicted, Excepted: "known"}}}
	lifted := engine.Result{Decisions: []checks.Held{{Verdict: checks.Contradicted, Excepted: "known", Lifted: true}}}
	recalled := engine.Result{Decisions: []checks.Held{{Verdict: checks.Unverifiable}}}
	open := finding(checks.Unverifiable, "", "scope", "")
	ignored := finding(checks.Contradicted, checks.Strong, "scope", "known")
	advisory := finding(checks.Contradicted, checks.Strong, "lenient", "")
	fine := finding(checks.Corroborated, "", "scope", "")
	failed := engine.Result{Error: &engine.Failure{Code: "missing"}}
	shallow := engine.Result{Judgement: checks.Judgement{Coverage: checks.Coverage{Missing: []change.Gap{{Reason: change.ReasonParent}}}}}
	oneFile := engine.Result{Judgement: checks.Judgement{Coverage: checks.Coverage{Missing: []change.Gap{{Path: "a", Reason: change.ReasonMissing}}}}}
	merge := engine.Result{Judgement: checks.Judgement{Abstained: "merge commit", Coverage: checks.Coverage{Missing: []change.Gap{{Reason: change.ReasonMerge}}}}}
	for _, c := range []struct {
		name    string
		failOn  string
		results []engine.Result
		want    int
	}{
		{"nothing asked", "contradicted", nil, 0},
		{"all well", "contradicted", []engine.Result{fine}, 0},
		{"strong", "contradicted", []engine.Result{strong}, 1},
		{"strong by default", "", []engine.Result{strong}, 1},
		{"likely is not strong", "contradicted", []engine.Result{likely}, 0},
		{"likely", "likely", []engine.Result{likely}, 1},
		{"likely takes strong with it", "likely", []engine.Result{strong}, 1},
		{"decision is its own word", "contradicted,likely", []engine.Result{decision}, 0},
		{"decision", "decision", []engine.Result{decision}, 1},
		{"an exception of the change itself lifts nothing", "decision", []engine.Result{excepted}, 1},
		{"a lifted decision never gates", "decision", []engine.Result{lifted}, 0},
		{"a recalled entry never gates", "decision,unverifiable", []engine.Result{recalled}, 0},
		{"unverifiable", "unverifiable", []engine.Result{open}, 1},
		{"unverifiable is no failure by default", "contradicted", []engine.Result{open}, 0},
		{"never", "never", []engine.Result{strong, likely, decision, open}, 0},
		{"ignored never gates", "contradicted,likely", []engine.Result{ignored}, 0},
		{"advisory never gates", "contradicted", []engine.Result{advisory}, 0},
		{"failed", "contradicted", []engine.Result{fine, failed}, 3},
		{"failed even with never", "never", []engine.Result{failed}, 3},
		{"the gate goes before failed", "contradicted", []engine.Result{failed, strong}, 1},
		{"missing parent", "contradicted", []engine.Result{shallow}, 3},
		{"one missing file costs that file", "contradicted", []engine.Result{oneFile}, 0},
		{"merge abstains", "contradicted", []engine.Result{merge}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := run()
			r.Advisory = []string{"lenient"}
			r.FailOn = nil
			if c.failOn != "" {
				r.FailOn = strings.Split(c.failOn, ",")
			}
			for _, f := range report.Formats {
				_, h := render(t, f, r, c.results, report.Options{})
				if h.Gate.ExitCode != c.want || h.Gate.Met != (c.want == 1) {
					t.Errorf("%s: exit code %d, met %v, want %d", f, h.Gate.ExitCode, h.Gate.Met, c.want)
				}
				if got := report.ExitCode(report.Report{Head: h}, h.FailOn); got != c.want {
					t.Errorf("%s: ExitCode %d, want %d", f, got, c.want)
				}
			}
		})
	}
}

func TestSummaryCountsEachFindingOnce(t *testing.T) {
	_, h := render(t, report.JSON, run(), sample(), report.Options{})
	want := report.Summary{
		Results: 4, Judged: 2, Abstained: 1, Failed: 1, Claims: 6, Strong: 1, Likely: 1, Corroborated: 1, Neutral: 1, Unverifiable: 1, Ignored: 1,
		NotClaims: 2, Observations: 1, Kinds: []report.Count{{Name: "commit", Count: 4}},
	}
	if d := cmp.Diff(want, h.Summary); d != "" {
		t.Error(d)
	}
	s := h.Summary
	if s.Claims != s.Strong+s.Likely+s.Decisions+s.Corroborated+s.Neutral+s.Unverifiable+s.Ignored {
		t.Error("the kinds of findings do not add up to the claims")
	}
	if h.Coverage.State != "partial" {
		t.Error("a run with a commit that could not be read is complete")
	}
}

// drawn is a result made of hostile pieces.
func drawn(t *rapid.T) engine.Result {
	words := []string{"a", "日本", "\x1b[31m", "\n", "\r\n", "::error::", "##[x]", "@me", "#1", "|", "`", "```", "<b>", "\u202e", "\xff", "\x00", " ", "\t", "e\u0301", "👩‍👩‍👧", "[x](y)", "{0}", "%0A", "\\", "\"", "/", "..", "C:\\", "\u2028", "\u3000", "\u00a0"}
	text := rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom(words), 0, 12).Draw(t, "words"), "")
	})
	num := rapid.SampledFrom([]int{-1, 0, 1, 2, 7, 1000, 1 << 40})
	verdict := rapid.SampledFrom([]checks.Verdict{checks.Corroborated, checks.Contradicted, checks.Neutral, checks.Unverifiable})
	strength := rapid.SampledFrom([]checks.Strength{"", checks.Strong, checks.Likely})
	evidence := rapid.Custom(func(t *rapid.T) checks.Evidence {
		return checks.Evidence{
			Fact: text.Draw(t, "fact"), For: rapid.Bool().Draw(t, "for"), Path: text.Draw(t, "path"), Line: num.Draw(t, "line"),
			Side: rapid.SampledFrom([]string{"", "new", "old", "tree", "history", "\x1b"}).Draw(t, "side"), Text: text.Draw(t, "text"), Weight: rapid.Float64().Draw(t, "weight"),
		}
	})
	finding := rapid.Custom(func(t *rapid.T) checks.Finding {
		return checks.Finding{
			Claim:   claim.Claim{Text: text.Draw(t, "text"), Place: claim.Place{Source: claim.Source(text.Draw(t, "source")), Line: num.Draw(t, "line"), Column: num.Draw(t, "column"), Length: num.Draw(t, "length"), Excerpt: text.Draw(t, "excerpt")}},
			Verdict: verdict.Draw(t, "verdict"), Strength: strength.Draw(t, "strength"), Check: text.Draw(t, "check"), Reason: text.Draw(t, "reason"), Fix: text.Draw(t, "fix"),
			Evidence: rapid.SliceOfN(evidence, 0, 4).Draw(t, "evidence"), Ignored: text.Draw(t, "ignored"), Fingerprint: text.Draw(t, "fingerprint"),
		}
	})
	r := engine.Result{
		ID: text.Draw(t, "id"), Kind: rapid.SampledFrom([]string{"commit", "staged", "pull-request", "transcript", "::x"}).Draw(t, "kind"),
		Base: text.Draw(t, "base"), Subject: text.Draw(t, "subject"), FirstFile: text.Draw(t, "first"), MS: rapid.Float64().Draw(t, "ms"),
		Judgement: checks.Judgement{
			Verdict: verdict.Draw(t, "verdict"), Claims: rapid.SliceOfN(finding, 0, 3).Draw(t, "claims"), Abstained: text.Draw(t, "abstained"),
			Coverage: checks.Coverage{State: rapid.SampledFrom([]string{"complete", "partial"}).Draw(t, "state"), Reasons: []string{text.Draw(t, "reason")}},
		},
		Notes: []string{text.Draw(t, "note")},
	}
	if rapid.Bool().Draw(t, "observes") {
		kind := rapid.OneOf(rapid.SampledFrom([]string{"ci-changed", "\xff", "\xfe"}), text)
		r.Observations = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) checks.Observation {
			return checks.Observation{Check: text.Draw(t, "check"), Kind: kind.Draw(t, "kind"), Text: text.Draw(t, "text"), Path: text.Draw(t, "path"), Line: num.Draw(t, "line")}
		}), 1, 5).Draw(t, "observations")
	}
	if rapid.Bool().Draw(t, "fails") {
		r.Error = &engine.Failure{Code: text.Draw(t, "code"), Message: text.Draw(t, "message"), Hint: text.Draw(t, "hint")}
	}
	return r
}

func drawnOptions(t *rapid.T) report.Options {
	return report.Options{
		Verbose: rapid.Bool().Draw(t, "verbose"), Width: rapid.SampledFrom([]int{0, 10, 40, 80}).Draw(t, "width"),
		Budget: rapid.SampledFrom([]int{0, 0, 500, 2000}).Draw(t, "budget"), Rules: rules(),
	}
}

// A report shown from its JSON is, in every format, byte for byte the report shown at once.
func TestRenderingFromJSONEqualsRenderingDirectly(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		results := rapid.SliceOfN(rapid.Custom(drawn), 0, 3).Draw(rt, "results")
		o := drawnOptions(rt)
		r := run()
		r.Notes = []string{"one\x1b", "two"}
		doc, head := render(t, report.JSON, r, results, o)
		parsed, err := report.Parse([]byte(doc))
		if err != nil {
			rt.Fatalf("%v\n%s", err, doc)
		}
		if got, want := parsed.Gate, head.Gate; got != want {
			rt.Fatalf("gate %+v, want %+v", got, want)
		}
		for _, f := range report.Formats {
			direct, _ := render(t, f, r, results, o)
			var again bytes.Buffer
			if err := report.Render(&again, f, parsed, o); err != nil {
				rt.Fatal(err)
			}
			if d := cmp.Diff(direct, again.String()); d != "" {
				rt.Fatalf("%s: %s", f, d)
			}
		}
	})
}

// Whatever a run is made of, no format hands a terminal, a runner or a forge
// anything that it would obey.
func TestNoFormatLetsHostileTextAct(t *testing.T) {
	law := func(rt interface{ Fatalf(string, ...any) }, results []engine.Result, o report.Options) {
		for _, f := range report.Formats {
			out, _ := render(t, f, run(), results, o)
			if err := inert(f, out); err != nil {
				rt.Fatalf("%s: %v in\n%q", f, err, out)
			}
		}
	}
	law(t, hostile(), report.Options{Verbose: true})
	law(t, hostile(), report.Options{Width: 40})
	rapid.Check(t, func(rt *rapid.T) {
		law(rt, rapid.SliceOfN(rapid.Custom(drawn), 1, 2).Draw(rt, "results"), drawnOptions(rt))
	})
}

func inert(f report.Format, out string) error {
	for i, r := range out {
		if r != '\n' && (r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 || r == 0x202e || r == 0x2066 || r == 0x2028) {
			return fmt.Errorf("character %q at %d", r, i)
		}
	}
	if strings.Contains(out, "##[") || strings.Contains(out, "##vso[") {
		return errors.New("a runner command of the old form")
	}
	for line := range strings.Lines(out) {
		ours := f == report.GitHub && (strings.HasPrefix(line, "::notice ") || strings.HasPrefix(line, "::warning ") || strings.HasPrefix(line, "::error ")) && strings.Count(line, "title=sayso") == 1
		if strings.HasPrefix(strings.TrimSpace(line), "::") != (f == report.GitHub) || f == report.GitHub && !ours {
			return fmt.Errorf("line %q", line)
		}
	}
	switch f {
	case report.JSON, report.SARIF, report.RDJSON, report.GitLab:
		if !json.Valid([]byte(out)) {
			return errors.New("not JSON")
		}
	case report.MD:
		for _, bad := range []string{"@me", "@octocat", "#1", "GH-7", "https://", "www.evil"} {
			if strings.Contains(out, bad) {
				return fmt.Errorf("%q is live", bad)
			}
		}
		return onlyOurMarkup([]byte(out))
	}
	return nil
}

// ourTag is the HTML that the markdown format writes itself.
var ourTag = regexp.MustCompile(`^\s*(</?(details|summary|code|sub|br)>|<summary>[^<>]*</summary>|<details><summary>[a-z0-9 ()]+</summary>)\s*$`)

// onlyOurMarkup parses Markdown as a forge would and looks for what only
// hostile text can have brought in.
func onlyOurMarkup(src []byte) error {
	md := goldmark.New(goldmark.WithExtensions(extension.GFM))
	return ast.Walk(md.Parser().Parse(text.NewReader(src)), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Link, *ast.AutoLink, *ast.Image, *ast.Heading, *ast.ThematicBreak, *ast.Blockquote, *ast.CodeSpan, *ast.CodeBlock:
			return ast.WalkStop, fmt.Errorf("a %s in the document", n.Kind())
		case *ast.List:
			if n.IsOrdered() {
				return ast.WalkStop, errors.New("a numbered list in the document")
			}
		case *ast.Emphasis:
			if n.Level != 2 {
				return ast.WalkStop, errors.New("emphasis in the document")
			}
		case *ast.RawHTML:
			if tag := string(n.Segments.Value(src)); !ourTag.MatchString(tag) {
				return ast.WalkStop, fmt.Errorf("HTML %q in the document", tag)
			}
		case *ast.HTMLBlock:
			if tag := string(n.Lines().Value(src)); !ourTag.MatchString(tag) && !strings.HasPrefix(tag, "<sub>sayso") {
				return ast.WalkStop, fmt.Errorf("HTML block %q in the document", tag)
			}
		}
		return ast.WalkContinue, nil
	})
}

func TestSARIFValidatesAgainstTheOfficialSchema(t *testing.T) {
	check := func(rt interface{ Fatalf(string, ...any) }, results []engine.Result) {
		out, _ := render(t, report.SARIF, run(), results, report.Options{Rules: rules()})
		log, err := sarif.FromString(out)
		if err != nil {
			rt.Fatalf("%v", err)
		}
		for _, r := range log.Runs {
			// Members that the library adds empty while reading, and that its schema refuses so.
			r.Language, r.Tool.Driver.Language, r.NewlineSequences = "en-US", "en-US", []string{"\n"}
		}
		if err := log.Validate(); err != nil {
			rt.Fatalf("%v\n%s", err, out)
		}
		// The library validates what it has read: nothing of ours may have been lost on the way.
		read, err := json.Marshal(log)
		if err != nil {
			rt.Fatalf("%v", err)
		}
		var ours, theirs any
		if err := errors.Join(json.Unmarshal([]byte(out), &ours), json.Unmarshal(read, &theirs)); err != nil {
			rt.Fatalf("%v", err)
		}
		if lost := missing("", ours, theirs); lost != "" {
			rt.Fatalf("not known to SARIF: %s", lost)
		}
	}
	check(t, sample())
	check(t, hostile())
	check(t, nil)
	many := sample()[0]
	check(t, []engine.Result{many, many, many})
}

// missing is the path of the first member of ours that theirs lacks.
func missing(path string, ours, theirs any) string {
	switch o := ours.(type) {
	case map[string]any:
		t, _ := theirs.(map[string]any)
		for k, v := range o {
			if t[k] == nil {
				return path + "/" + k
			}
			if p := missing(path+"/"+k, v, t[k]); p != "" {
				return p
			}
		}
	case []any:
		t, _ := theirs.([]any)
		if len(t) != len(o) {
			return path
		}
		for i := range o {
			if p := missing(fmt.Sprintf("%s/%d", path, i), o[i], t[i]); p != "" {
				return p
			}
		}
	}
	return ""
}

func TestSARIFKeepsTheWorst5000AndSaysSo(t *testing.T) {
	var results []engine.Result
	for i := range 600 {
		claims := make([]checks.Finding, 10)
		for j := range claims {
			v, s := checks.Unverifiable, checks.Strength("")
			if j == 9 {
				v, s = checks.Contradicted, checks.Strong
			}
			claims[j] = checks.Finding{Verdict: v, Strength: s, Check: "scope", Fingerprint: fmt.Sprintf("%016x", i*10+j)}
		}
		results = append(results, engine.Result{ID: fmt.Sprint(i), Kind: "commit", Judgement: checks.Judgement{Claims: claims}})
	}
	out, _ := render(t, report.SARIF, run(), results, report.Options{})
	var log struct {
		Runs []struct {
			Invocations []struct {
				Notes []struct{ Message struct{ Text string } } `json:"toolExecutionNotifications"`
			}
			Results []struct{ Level string }
		}
	}
	if err := json.Unmarshal([]byte(out), &log); err != nil {
		t.Fatal(err)
	}
	got := log.Runs[0].Results
	if len(got) != 5000 || got[0].Level != "error" || got[599].Level != "error" || got[600].Level != "note" {
		t.Errorf("%d results, levels %v %v %v", len(got), got[0], got[599], got[600])
	}
	if notes := log.Runs[0].Invocations[0].Notes; len(notes) != 2 || notes[1].Message.Text != "1000 results left out, the least severe ones: code scanning keeps 5000 of a run." {
		t.Errorf("notifications %+v", notes)
	}
}

func TestFingerprintsAreStableAndNeverTwice(t *testing.T) {
	r := sample()[0]
	again := r
	again.ID = "5555555555555555555555555555555555555555"
	prints := func(results ...engine.Result) []string {
		out, _ := render(t, report.GitLab, run(), results, report.Options{})
		var list []struct{ Fingerprint string }
		if err := json.Unmarshal([]byte(out), &list); err != nil {
			t.Fatal(err)
		}
		var fp []string
		for _, l := range list {
			fp = append(fp, l.Fingerprint)
		}
		return fp
	}
	// The same findings in a commit with another hash, as after a rebase.
	if d := cmp.Diff(prints(r), prints(again)); d != "" {
		t.Error(d)
	}
	seen := map[string]bool{}
	for _, f := range prints(r, again) {
		if seen[f] {
			t.Errorf("%s twice", f)
		}
		seen[f] = true
	}
}

func TestGitHubHoldsBackWhatARunnerWouldDrop(t *testing.T) {
	count := func(n int, v checks.Verdict, s checks.Strength) (r engine.Result) {
		r.Kind = "commit"
		for range n {
			r.Claims = append(r.Claims, checks.Finding{Verdict: v, Strength: s, Check: "scope"})
		}
		return r
	}
	for _, c := range []struct{ strong, likely, open, errors, warnings, notices, held int }{
		{0, 0, 0, 0, 0, 1, 0},
		{10, 10, 9, 10, 10, 10, 0},
		{11, 10, 9, 10, 10, 10, 2}, // the last word takes the place of one notice
		{0, 0, 10, 0, 0, 10, 2},
		{0, 0, 8, 0, 0, 9, 0},
		{100, 50, 30, 10, 10, 10, 90 + 40 + 22},
	} {
		out, _ := render(t, report.GitHub, run(), []engine.Result{count(c.open, checks.Unverifiable, ""), count(c.likely, checks.Contradicted, checks.Likely), count(c.strong, checks.Contradicted, checks.Strong)}, report.Options{})
		lines := "\n" + out
		e, w, n := strings.Count(lines, "\n::error "), strings.Count(lines, "\n::warning "), strings.Count(lines, "\n::notice ")
		if e != c.errors || w != c.warnings || n != c.notices {
			t.Errorf("%+v: %d errors, %d warnings, %d notices", c, e, w, n)
		}
		if !strings.HasPrefix(out, "::notice title=sayso%3A") || !strings.Contains(strings.SplitN(out, "\n", 2)[0], "::coverage: ") {
			t.Errorf("%+v: coverage is not first", c)
		}
		if said := strings.Contains(out, fmt.Sprintf("::%d annotation", c.held)); said != (c.held > 0) || strings.Contains(out, "held back") != (c.held > 0) {
			t.Errorf("%+v: what was held back is not said\n%s", c, out)
		}
		if i, j := strings.Index(out, "::error "), strings.Index(out, "::warning "); i > j && j >= 0 {
			t.Errorf("%+v: a warning before an error", c)
		}
	}
}

func TestMarkdownStaysInItsBudgetAndSaysWhatItCut(t *testing.T) {
	var results []engine.Result
	for range 200 {
		results = append(results, sample()...)
	}
	for _, budget := range []int{2000, 10000, 60000} {
		out, _ := render(t, report.MD, run(), results, report.Options{Budget: budget, Verbose: true})
		if len(out) > budget {
			t.Errorf("%d bytes for a budget of %d", len(out), budget)
		}
		if !strings.Contains(out, "not listed for want of room") {
			t.Errorf("budget %d: silent about the cut", budget)
		}
		if strings.Count(out, "<details>") != strings.Count(out, "</details>") || strings.Count(out, "\n```")%2 != 0 {
			t.Errorf("budget %d: cut inside of a fold or a fence", budget)
		}
	}
}

func TestAnchorIsTheEvidenceLineElseTheFirstChangedFile(t *testing.T) {
	at := func(evidence ...checks.Evidence) string {
		r := engine.Result{Kind: "commit", FirstFile: "first.go", Judgement: checks.Judgement{Claims: []checks.Finding{{Verdict: checks.Contradicted, Strength: checks.Strong, Check: "x", Evidence: evidence}}}}
		out, _ := render(t, report.GitHub, run(), []engine.Result{r}, report.Options{})
		_, rest, _ := strings.Cut(out, "::error ")
		where, _, _ := strings.Cut(rest, ",title=")
		return where
	}
	for _, c := range []struct {
		name     string
		evidence []checks.Evidence
		want     string
	}{
		{"none", nil, "file=first.go,line=1"},
		{"without a path", []checks.Evidence{{Fact: "f"}}, "file=first.go,line=1"},
		{"new side before old", []checks.Evidence{{Path: "o", Line: 3, Side: "old"}, {Path: "n", Line: 4, Side: "new"}}, "file=n,line=4"},
		{"against before for", []checks.Evidence{{Path: "f", Line: 3, Side: "new", For: true}, {Path: "a", Line: 4, Side: "old"}}, "file=a,line=4"},
		{"with a line before without", []checks.Evidence{{Path: "f", Side: "new"}, {Path: "a", Line: 4, Side: "tree"}}, "file=a,line=4"},
		{"absolute", []checks.Evidence{{Path: "/etc/passwd", Line: 1, Side: "new"}}, "file=etc/passwd,line=1"},
		{"upward", []checks.Evidence{{Path: "../../x", Line: 1, Side: "new"}}, "file=x,line=1"},
		{"drive", []checks.Evidence{{Path: `C:\x`, Line: 1, Side: "new"}}, "file=x,line=1"},
		{"comma and colon", []checks.Evidence{{Path: "a,b:c%d", Line: 1, Side: "new"}}, "file=a%2Cb%3Ac%25d,line=1"},
	} {
		if got := at(c.evidence...); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

func TestParseRefusesWhatIsNoReportInOneLine(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"empty", "", "not a JSON report: line 1: unexpected end of JSON input"},
		{"broken", "{\n\"schema\": \"sayso.report/v1\",\n", "not a JSON report: line 3: unexpected end of JSON input"},
		{"other", `{"schema":"else/v3"}`, `the report is of schema "else/v3", this version reads "sayso.report/v1"`},
		{"newer", `{"schema":"sayso.report/v2"}`, `the report is of schema "sayso.report/v2", this version reads "sayso.report/v1"`},
		{"list", `[]`, "not a JSON report: line 1: json: cannot unmarshal array into Go value of type struct { Schema string \"json:\\\"schema\\\"\" }"},
		{"wrong type", "{\"schema\":\"sayso.report/v1\",\n\"results\":3}", "not a report of schema sayso.report/v1: line 2: json: cannot unmarshal number into Go struct field Report.results of type []engine.Result"},
		{"unknown verdict", `{"schema":"sayso.report/v1","results":[{"claims":[{"verdict":"false\n"}]}]}`, `result 1 of the report: claim 1: unknown verdict "false\n"`},
		{"unknown strength", `{"schema":"sayso.report/v1","results":[{"claims":[{"verdict":"contradicted","strength":"x"}]}]}`, `result 1 of the report: claim 1: unknown strength "x"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := report.Parse([]byte(c.in))
			if err == nil || err.Error() != c.want {
				t.Errorf("got  %v\nwant %s", err, c.want)
			}
		})
	}
}

func TestParseDoesNotBelieveTheCountsOfTheFile(t *testing.T) {
	doc, head := render(t, report.JSON, run(), sample(), report.Options{})
	lied := strings.Replace(doc, `"met": true`, `"met": false`, 1)
	lied = strings.Replace(lied, `"strong": 1`, `"strong": 0`, 1)
	if lied == doc {
		t.Fatal("nothing replaced")
	}
	r, err := report.Parse([]byte(lied))
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(head, r.Head); d != "" {
		t.Error(d)
	}
}

func TestNDJSONIsWrittenLineByLine(t *testing.T) {
	var out bytes.Buffer
	w, err := report.NewWriter(&out, report.NDJSON, run(), report.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if out.Len() != 0 {
		t.Error("written before the first result")
	}
	for i, r := range sample() {
		if err := w.Add(r); err != nil {
			t.Fatal(err)
		}
		if got := strings.Count(out.String(), "\n"); got != i+2 {
			t.Errorf("%d lines after result %d", got, i+1)
		}
	}
	if _, err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(out.String(), "\n"); got != 6 {
		t.Errorf("%d lines at the end", got)
	}
}

type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, errors.New("pipe is gone") }

func TestAWriteErrorIsReported(t *testing.T) {
	for _, f := range report.Formats {
		w, err := report.NewWriter(brokenPipe{}, f, run(), report.Options{})
		if err != nil {
			t.Fatal(err)
		}
		err = w.Add(sample()[0])
		if _, err2 := w.Close(); err == nil && err2 == nil {
			t.Errorf("%s: no error", f)
		}
	}
}

func TestUnknownFormat(t *testing.T) {
	if _, err := report.ParseFormat("xml"); err == nil || err.Error() != `unknown format "xml": one of text, json, ndjson, markdown, sarif, github, rdjson, gitlab` {
		t.Errorf("got %v", err)
	}
	if _, err := report.NewWriter(&bytes.Buffer{}, "xml", run(), report.Options{}); err == nil {
		t.Error("a writer of an unknown format")
	}
}

func FuzzParse(f *testing.F) {
	doc, _ := render(f, report.JSON, run(), sample(), report.Options{})
	f.Add([]byte(doc))
	doc, _ = render(f, report.JSON, run(), hostile(), report.Options{})
	f.Add([]byte(doc))
	f.Add([]byte(`{"schema":"sayso.report/v1","results":[{"claims":[{"verdict":"neutral","place":{"line":-1,"column":9e15}}]}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := report.Parse(data)
		if err != nil {
			if strings.ContainsAny(err.Error(), "\n\x1b") {
				t.Fatalf("error %q", err)
			}
			return
		}
		for _, format := range report.Formats {
			var out bytes.Buffer
			if err := report.Render(&out, format, r, report.Options{Verbose: true, Width: 60}); err != nil {
				t.Fatal(err)
			}
			if strings.ContainsRune(out.String(), 0x1b) || strings.Contains(out.String(), "##[") {
				t.Fatalf("%s: %q", format, out.String())
			}
		}
	})
}

func BenchmarkRender(b *testing.B) {
	for _, f := range report.Formats {
		b.Run(string(f), func(b *testing.B) {
			r := sample()[0]
			b.ReportAllocs()
			for b.Loop() {
				w, err := report.NewWriter(&bytes.Buffer{}, f, run(), report.Options{Width: 80, Rules: rules()})
				if err != nil {
					b.Fatal(err)
				}
				for range 100 {
					if err := w.Add(r); err != nil {
						b.Fatal(err)
					}
				}
				if _, err := w.Close(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

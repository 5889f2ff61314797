package report_test

import (
	"strings"
	"testing"

	"github.com/saysolint/sayso/checks"
	"github.com/saysolint/sayso/claim"
	"github.com/saysolint/sayso/internal/engine"
	"github.com/saysolint/sayso/report"
)

func commitWith(j checks.Judgement) engine.Result {
	return engine.Result{ID: "1111111111111111111111111111111111111111", Kind: "commit", Judgement: j}
}

func TestObservationsOfOneKindAreOneLineAndThreeKindsAreShown(t *testing.T) {
	o := func(kind, path string) checks.Observation {
		return checks.Observation{Check: "undisclosed", Kind: kind, Text: kind + " in " + path, Path: path}
	}
	r := commitWith(checks.Judgement{Observations: []checks.Observation{
		o("ci", "a.yml"), o("ci", "b.yml"), o("ci", "c.yml"), o("dep", "go.mod"), o("dep", "go.mod"), o("licence", "LICENSE"), o("tests", "x_test.go"), o("tests", "y_test.go"),
	}})
	got, _ := render(t, report.Text, run(), []engine.Result{r}, report.Options{})
	for _, want := range []string{
		"a.yml: not mentioned: ci in a.yml; 2 more like it, the next in b.yml [undisclosed]\n",
		"go.mod: not mentioned: dep in go.mod; 1 more like it [undisclosed]\n",
		"LICENSE: not mentioned: licence in LICENSE [undisclosed]\n",
		"8 observations; judged 0 of 0 claims (--verbose shows 5 more observations)\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if n := strings.Count(got, "not mentioned"); n != 3 {
		t.Errorf("%d lines of observations", n)
	}
	got, _ = render(t, report.Text, run(), []engine.Result{r}, report.Options{Verbose: true})
	if n := strings.Count(got, "not mentioned"); n != 8 || strings.Contains(got, "--verbose") {
		t.Errorf("%d lines of observations with --verbose:\n%s", n, got)
	}
}

func TestEvidenceDoesNotRepeatTheReason(t *testing.T) {
	const why = `nothing named "web" is touched`
	for _, e := range []struct {
		evidence checks.Evidence
		want     string
		not      string
	}{
		{checks.Evidence{Fact: why, Path: "api/a.go"}, "evidence: api/a.go\n", "evidence: api/a.go: "},
		{checks.Evidence{Fact: "Nothing named web is touched"}, "", "evidence"},
		{checks.Evidence{Fact: "api is", Path: "api/a.go", Line: 3}, "evidence: api/a.go:3: api is\n", ""},
	} {
		r := commitWith(checks.Judgement{Claims: []checks.Finding{{
			Claim: claim.Claim{Text: "web", Place: claim.Place{Source: claim.SourceMessage}}, Verdict: checks.Contradicted, Strength: checks.Likely,
			Check: "component", Reason: "speaks of web, but " + why, Evidence: []checks.Evidence{e.evidence},
		}}})
		for _, f := range []report.Format{report.Text, report.MD} {
			got, _ := render(t, f, run(), []engine.Result{r}, report.Options{})
			if !strings.Contains(got, e.want) || e.not != "" && strings.Contains(got, e.not) {
				t.Errorf("%s: want %q and not %q in\n%s", f, e.want, e.not, got)
			}
		}
	}
}

func TestTheVersionThatTheEvidenceNamesIsUnderlined(t *testing.T) {
	r := commitWith(checks.Judgement{Claims: []checks.Finding{{
		Claim: claim.Claim{Text: "from 1.0.1 to 1.0.2"}, Verdict: checks.Contradicted, Check: "quantity", Reason: "no",
		Evidence: []checks.Evidence{
			{Fact: "it comes from 1.0.1", Path: "Gemfile", Line: 1, Side: "old", Text: `gem "ridge", "1.0.1"`},
			{Fact: "1.0.3 is added here", Path: "Gemfile", Line: 1, Side: "new", Text: `gem "ridge", "1.0.3"`},
		},
	}}})
	got, _ := render(t, report.Text, run(), []engine.Result{r}, report.Options{})
	for _, want := range []string{
		"    1 - gem \"ridge\", \"1.0.1\"\n                      ^~~~~\n",
		"    1 + gem \"ridge\", \"1.0.3\"\n                      ^~~~~\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}

func TestCountsAreWordsForPeople(t *testing.T) {
	results := []engine.Result{
		{ID: "a..b", Kind: "pull-request", Judgement: checks.Judgement{Coverage: checks.Coverage{NotClaim: 1}}},
		commitWith(checks.Judgement{}), commitWith(checks.Judgement{}),
	}
	got, _ := render(t, report.Text, run(), results, report.Options{})
	for _, want := range []string{" in 1 pull request and 2 commits, ", " · 1 sentence that claims nothing; "} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	got, _ = render(t, report.Text, run(), append(results, engine.Result{ID: "x", Kind: "staged"}, engine.Result{ID: "y", Kind: "transcript"}), report.Options{})
	if want := "1 pull request, 1 transcript, 1 staged change and 2 commits"; !strings.Contains(got, want) {
		t.Errorf("no %q in\n%s", want, got)
	}
}

func TestRulesOfSARIFHaveNoBrokenLines(t *testing.T) {
	o := report.Options{Rules: []report.Rule{{ID: "scope", Title: "Statements\nof scope", Text: "First line\nand second.\n\nA paragraph."}}}
	got, _ := render(t, report.SARIF, run(), sample(), o)
	if !strings.Contains(got, `"First line and second. A paragraph."`) || !strings.Contains(got, `"Statements of scope"`) {
		t.Errorf("the lines are not joined:\n%s", got[:min(len(got), 1500)])
	}
}

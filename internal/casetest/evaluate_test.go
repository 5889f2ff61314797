package casetest

import (
	"strings"
	"testing"

	"github.com/saysolint/sayso/checks"
	"github.com/saysolint/sayso/claim"
	"github.com/saysolint/sayso/internal/engine"
)

// finding is a claim at a place. A line of 0 leaves the place out.
func finding(verdict checks.Verdict, check, text string, line, column int) checks.Finding {
	f := checks.Finding{Verdict: verdict, Check: check, Claim: claim.Claim{Text: text}}
	if line > 0 {
		first, _, _ := strings.Cut(text, "\n")
		f.Place = claim.Place{Line: line, Column: column, Length: len([]rune(first))}
	}
	return f
}

func TestEvaluateFiresAndStaysQuiet(t *testing.T) {
	const message = "Fix the lexer\n\nAdds tests for\nempty  input. Ä Äb docs/x.md\r\nTests: `Run()`\n"
	contradicted, corroborated, neutral, unverifiable := checks.Contradicted, checks.Corroborated, checks.Neutral, checks.Unverifiable
	for name, tc := range map[string]struct {
		rule   string
		claims []checks.Finding
		broken bool
	}{
		"contradicted by the named check":              {"contradicted tests | adds tests", []checks.Finding{finding(contradicted, "tests", "Adds tests", 3, 1)}, false},
		"contradicted by one of a list":                {"contradicted scope,tests | adds tests", []checks.Finding{finding(contradicted, "tests", "Adds tests", 3, 1)}, false},
		"contradicted by another check":                {"contradicted tests | adds tests", []checks.Finding{finding(contradicted, "path", "Adds tests", 3, 1)}, true},
		"contradicted elsewhere":                       {"contradicted tests | adds tests", []checks.Finding{finding(contradicted, "tests", "Fix the lexer", 1, 1)}, true},
		"contradicted is needed, neutral is not it":    {"contradicted tests | adds tests", []checks.Finding{finding(neutral, "tests", "Adds tests", 3, 1)}, true},
		"contradicted without any claim":               {"contradicted tests | adds tests", nil, true},
		"contradicted: a longer claim overlaps":        {"contradicted tests | tests", []checks.Finding{finding(contradicted, "tests", "Adds tests for", 3, 1)}, false},
		"contradicted: a shorter claim overlaps":       {"contradicted tests | adds tests for empty", []checks.Finding{finding(contradicted, "tests", "tests", 3, 6)}, false},
		"contradicted: the claim begins a line later":  {"contradicted tests | adds tests for empty", []checks.Finding{finding(contradicted, "tests", "empty", 4, 1)}, false},
		"contradicted: the claim runs over a line end": {"contradicted tests | empty input", []checks.Finding{finding(contradicted, "tests", "tests for\nempty input", 3, 6)}, false},
		"contradicted: columns count code points":      {"contradicted path | docs/x.md", []checks.Finding{finding(contradicted, "path", "docs/x.md", 4, 20)}, false},
		"contradicted: the word before the place":      {"contradicted path | äb", []checks.Finding{finding(contradicted, "path", "docs/x.md", 4, 20)}, true},
		"contradicted: no place, text inside":          {"contradicted tests | adds tests for", []checks.Finding{finding(contradicted, "tests", "TESTS", 0, 0)}, false},
		"contradicted: no place, text around":          {"contradicted tests | tests", []checks.Finding{finding(contradicted, "tests", "Adds  tests", 0, 0)}, false},
		"contradicted: no place, other text":           {"contradicted tests | adds tests", []checks.Finding{finding(contradicted, "tests", "lexer", 0, 0)}, true},
		"contradicted: behind a carriage return":       {"contradicted identifier | Run()", []checks.Finding{finding(contradicted, "identifier", "Run", 5, 9)}, false},

		"not contradicted with other verdicts":       {"not contradicted", []checks.Finding{finding(neutral, "", "Fix", 1, 1), finding(corroborated, "", "lexer", 1, 9), finding(unverifiable, "", "Adds", 3, 1)}, false},
		"not contradicted without claims":            {"not contradicted", nil, false},
		"not contradicted, but something is":         {"not contradicted", []checks.Finding{finding(contradicted, "tests", "tests", 3, 6)}, true},
		"not contradicted here, but there":           {"not contradicted | fix the lexer", []checks.Finding{finding(contradicted, "tests", "tests", 3, 6)}, false},
		"not contradicted here, but it is":           {"not contradicted | fix the lexer", []checks.Finding{finding(contradicted, "purpose", "lexer", 1, 9)}, true},
		"corroborated":                               {"corroborated | adds tests", []checks.Finding{finding(corroborated, "tests", "tests", 3, 6)}, false},
		"corroborated beside a neutral claim":        {"corroborated | adds tests", []checks.Finding{finding(neutral, "", "Adds", 3, 1), finding(corroborated, "tests", "tests", 3, 6)}, false},
		"corroborated, but also contradicted":        {"corroborated | adds tests", []checks.Finding{finding(contradicted, "action", "Adds", 3, 1), finding(corroborated, "tests", "tests", 3, 6)}, true},
		"corroborated, but only neutral":             {"corroborated | adds tests", []checks.Finding{finding(neutral, "tests", "tests", 3, 6)}, true},
		"corroborated elsewhere":                     {"corroborated | adds tests", []checks.Finding{finding(corroborated, "tests", "lexer", 1, 9)}, true},
		"not corroborated, neutral":                  {"not corroborated | adds tests", []checks.Finding{finding(neutral, "tests", "tests", 3, 6)}, false},
		"not corroborated, contradicted":             {"not corroborated | adds tests", []checks.Finding{finding(contradicted, "tests", "tests", 3, 6)}, false},
		"not corroborated, but it is":                {"not corroborated | adds tests", []checks.Finding{finding(corroborated, "tests", "tests", 3, 6)}, true},
		"not corroborated here, but there":           {"not corroborated | adds tests", []checks.Finding{finding(corroborated, "purpose", "lexer", 1, 9)}, false},
		"unverifiable":                               {"unverifiable | adds tests", []checks.Finding{finding(unverifiable, "tests", "tests", 3, 6)}, false},
		"unverifiable, but neutral":                  {"unverifiable | adds tests", []checks.Finding{finding(neutral, "tests", "tests", 3, 6)}, true},
		"unverifiable, but also contradicted":        {"unverifiable | adds tests", []checks.Finding{finding(unverifiable, "tests", "tests", 3, 6), finding(contradicted, "action", "Adds", 3, 1)}, true},
		"unverifiable without a claim":               {"unverifiable | adds tests", nil, true},
		"not a claim without any":                    {"not a claim | adds tests", nil, false},
		"not a claim, claim elsewhere":               {"not a claim | adds tests", []checks.Finding{finding(neutral, "", "lexer", 1, 9)}, false},
		"not a claim, but one touches its last rune": {"not a claim | adds tests", []checks.Finding{finding(neutral, "", "s for", 3, 10)}, true},
		"not a claim, the next begins right after":   {"not a claim | adds tests", []checks.Finding{finding(neutral, "", " for", 3, 11)}, false},
	} {
		t.Run(name, func(t *testing.T) {
			rule, err := parseRule(tc.rule)
			if err != nil {
				t.Fatal(err)
			}
			c := Case{Message: message, Rules: []Rule{rule}}
			got := Evaluate(c, engine.Result{Judgement: checks.Judgement{Claims: tc.claims}})
			if (len(got) > 0) != tc.broken {
				t.Errorf("rule %q: got %q, want broken %v", tc.rule, got, tc.broken)
			}
		})
	}
}

func TestEvaluateNamesRuleClaimVerdictAndReason(t *testing.T) {
	f := finding(checks.Contradicted, "path", "a.go", 1, 5)
	f.Reason = "a.go is untouched"
	c := Case{Message: "Fix a.go\n", Rules: []Rule{{Kind: RuleNotContradicted}, {Kind: RuleNotClaim, Fragment: "Fix"}}}
	got := Evaluate(c, engine.Result{Judgement: checks.Judgement{Claims: []checks.Finding{f}}})
	want := `not contradicted: "a.go" is contradicted by path (a.go is untouched)`
	if len(got) != 1 || got[0] != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestEvaluateOfAFailureBreaksTheCase(t *testing.T) {
	c := Case{Message: "Fix\n", Rules: []Rule{{Kind: RuleNotContradicted}}}
	got := Evaluate(c, engine.Result{Error: &engine.Failure{Code: "missing", Message: "no blob"}})
	if len(got) != 1 || got[0] != "not judged: missing: no blob" {
		t.Errorf("got %q", got)
	}
}

func TestEvaluatePutsHashesWherePlaceholdersStand(t *testing.T) {
	c := Case{Message: "This reverts commit {{before}}. Really.\n", Rules: []Rule{{Kind: RuleNotContradicted, Fragment: "Really"}}}
	at := len("This reverts commit ") + 40 + len(". ") + 1
	got := Evaluate(c, engine.Result{Judgement: checks.Judgement{Claims: []checks.Finding{finding(checks.Contradicted, "revert", "Really", 1, at)}}})
	if len(got) != 1 {
		t.Errorf("the claim behind the hash was not met: %q", got)
	}
}

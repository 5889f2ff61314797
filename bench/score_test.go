package bench

import (
	"bytes"
	"strings"
	"testing"

	"github.com/saysolint/sayso/checks"
	"github.com/saysolint/sayso/claim"
	"github.com/saysolint/sayso/internal/engine"
)

// outcome is a pair whose message has one claim, on its statement or not.
func outcome(label Label, rule Rule, commit string, v checks.Verdict, strength checks.Strength, on bool) Outcome {
	f := checks.Finding{Claim: claim.Claim{Text: "x", Kind: claim.KindPath, Place: claim.Place{Line: 1, Column: 1, Length: 1}}, Verdict: v, Strength: strength, Check: "path"}
	o := Outcome{Pair: Pair{ID: commit + string(label) + string(rule), Repo: "r", Commit: commit, Label: label, Rule: rule, Form: "f", Message: "x\x1b y", Length: 1}}
	o.Result = engine.Result{MS: 2, Judgement: checks.Judgement{Verdict: v, Strength: strength, Claims: []checks.Finding{f}, Coverage: checks.Coverage{State: "complete"}}}
	if on {
		o.On = o.Result.Claims
	}
	return o
}

func TestSummariseCounts(t *testing.T) {
	failed := outcome(Natural, "", "n3", "", "", false)
	failed.Result = engine.Result{Error: &engine.Failure{Code: "missing"}}
	outcomes := []Outcome{
		outcome(Mutant, File, "a", checks.Contradicted, checks.Strong, true),
		outcome(Mutant, File, "b", checks.Contradicted, checks.Likely, false),
		outcome(Mutant, File, "c", checks.Corroborated, "", true),
		outcome(Mutant, File, "d", checks.Neutral, "", true),
		outcome(Mutant, Scope, "a", checks.Contradicted, checks.Strong, true),
		outcome(Mutant, Extra, "a", checks.Neutral, "", true),
		outcome(Original, "", "a", checks.Contradicted, checks.Likely, false),
		outcome(Original, "", "b", checks.Neutral, "", false),
		outcome(Natural, "", "n1", checks.Corroborated, "", false),
		outcome(Natural, "", "n2", checks.Unverifiable, "", false),
		failed,
		outcome(Control, File, "k", checks.Corroborated, "", true),
		outcome(Control, File, "l", checks.Contradicted, checks.Strong, true),
	}
	s := Summarise(outcomes)
	file := s.Rules[0]
	for what, ok := range map[string]bool{
		"strong recall":      file.Strong.K == 1 && file.Strong.N == 4,
		"any recall":         file.Any.K == 2,
		"located":            file.Located.K == 1,
		"vouching":           file.Vouching.K == 1 && s.Vouching.K == 1 && s.Vouching.N == 6,
		"macro leaves extra": s.MacroStrong == (0.25+1)/2 && s.MacroAny == (0.5+1)/2,
		"paired any":         s.PairedPrecisionAny.K == 3 && s.PairedPrecisionAny.N == 6, // a's original beside each of its three mutants
		"paired strong":      s.PairedPrecisionStrong.K == 2 && s.PairedPrecisionStrong.N == 2,
		"originals":          s.Alarms[Original].Any.K == 1 && s.Alarms[Original].Strong.K == 0,
		"natural":            s.Alarms[Natural].Any.K == 0 && s.Alarms[Natural].Any.N == 3,
		"control":            s.Alarms[Control].Any.K == 1 && s.Corroborated.K == 1 && s.Corroborated.N == 2,
		"checkable":          s.Checkable.K == 1 && s.Checkable.N == 3,
		"decided":            s.Decided.K == 1,
		"errors":             s.Errors == 1 && s.Kinds["missing"] == 1,
		"partial":            s.Partial.K == 1,
		"latency":            s.Latency.Median == 2 && s.Latency.Max == 2,
	} {
		if !ok {
			t.Errorf("%s is wrong: %+v", what, s)
		}
	}
	var b bytes.Buffer
	if err := WriteText(&b, s); err != nil || !strings.Contains(b.String(), "mean of the seven") || !strings.Contains(b.String(), "1 COULD NOT BE JUDGED") {
		t.Errorf("%v\n%s", err, b.String())
	}
	for what, want := range map[string]int{"false-alarms": 2, "misses": 3, "finds": 3, "vouched": 1, "errors": 1} {
		b.Reset()
		if err := Explain(&b, outcomes, ExplainOptions{What: what, Limit: 1}); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(b.String(), string(rune('0'+want))+" "+what+"\n") || strings.Count(b.String(), "────") != 1 {
			t.Errorf("%s: %s", what, b.String())
		}
		if strings.Contains(b.String(), "\x1b") {
			t.Errorf("%s: an escape got through", what)
		}
	}
	if err := Explain(&b, outcomes, ExplainOptions{What: "nothing"}); err == nil {
		t.Error("an unknown list was accepted")
	}
}

func TestStandingOnCountsCodePointsAndFollowsLongTexts(t *testing.T) {
	p := Pair{Message: "Ä b\nsee c.go now\n", At: 8, Length: 4} // c.go
	at := func(line, column, length int, text string) bool {
		return len(standingOn(p, []checks.Finding{{Claim: claim.Claim{Text: text, Place: claim.Place{Line: line, Column: column, Length: length}}}})) > 0
	}
	for what, ok := range map[string]bool{
		"same place":     at(2, 5, 4, "c.go"),
		"around it":      at(2, 1, 12, "see c.go now"),
		"before it":      !at(2, 1, 4, "see "),
		"behind it":      !at(2, 9, 4, " now"),
		"other line":     !at(1, 1, 3, "Ä b"),
		"over its line":  at(1, 3, 1, "b\nsee c.go"),
		"no place":       !at(0, 0, 0, "c.go"),
		"line too large": !at(9, 1, 1, "c.go"),
	} {
		if !ok {
			t.Error(what)
		}
	}
}

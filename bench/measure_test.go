package bench

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/saysolint/sayso/checks"
)

func TestMcnemarIsTheSignTest(t *testing.T) {
	for _, tc := range []struct {
		b, c int
		p    float64
	}{{0, 0, 1}, {0, 1, 1}, {0, 5, 0.0625}, {1, 9, 0.021484375}, {5, 5, 1}, {10, 0, 0.001953125}, {0, 10, 0.001953125}} {
		if got := mcnemar(tc.b, tc.c); math.Abs(got-tc.p) > 1e-9 {
			t.Errorf("%d against %d: got %v, want %v", tc.b, tc.c, got, tc.p)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		b, c := rapid.IntRange(0, 400).Draw(t, "b"), rapid.IntRange(0, 400).Draw(t, "c")
		if p := mcnemar(b, c); p < 0 || p > 1 || p != mcnemar(c, b) {
			t.Fatal(p)
		}
	})
}

func TestCompareCountsWhereTheTwoDiffer(t *testing.T) {
	verdict := func(id string, label Label, v checks.Verdict, s checks.Strength) Verdict {
		return Verdict{ID: id, Label: label, Rule: map[Label]Rule{Mutant: File}[label], Verdict: v, Strength: s}
	}
	a := Result{Pairs: []Verdict{
		verdict("1", Mutant, checks.Contradicted, checks.Strong), verdict("2", Mutant, checks.Neutral, ""), verdict("3", Natural, checks.Contradicted, checks.Likely), verdict("4", Natural, checks.Neutral, ""),
		{ID: "5", Label: Natural, Error: "missing"},
	}}
	b := Result{Pairs: []Verdict{
		verdict("1", Mutant, checks.Contradicted, checks.Likely), verdict("2", Mutant, checks.Contradicted, checks.Likely), verdict("3", Natural, checks.Neutral, ""), verdict("5", Natural, checks.Neutral, ""),
		verdict("6", Natural, checks.Neutral, ""),
	}}
	c := Compare(a, b)
	if c.Pairs != 3 || c.OnlyA != 1 || c.OnlyB != 1 {
		t.Errorf("%+v", c)
	}
	got := map[string]Test{}
	for _, r := range c.Rows {
		got[r.Group+" "+r.Strength] = r
	}
	for group, want := range map[string][5]int{"file any": {2, 1, 2, 0, 1}, "file strong": {2, 1, 0, 1, 0}, "the seven rules any": {2, 1, 2, 0, 1}, "natural any": {1, 1, 0, 1, 0}} {
		r := got[group]
		if [5]int{r.N, r.A, r.B, r.OnlyA, r.OnlyB} != want {
			t.Errorf("%s: %+v, want %v", group, r, want)
		}
	}
	if _, ok := got["extra any"]; ok {
		t.Error("a rule without pairs has a row")
	}
}

// scored is a judged pair with a score.
func scored(label Label, rule Rule, repo, commit string, score float64, strength checks.Strength) Outcome {
	v := checks.Neutral
	if strength != "" {
		v = checks.Contradicted
	}
	o := outcome(label, rule, commit, v, strength, true)
	o.Pair.Repo, o.Result.Score = repo, score
	return o
}

func TestCurveMovesTheThresholdDown(t *testing.T) {
	points := curve([]Outcome{
		scored(Mutant, File, "r", "a", 0.9, checks.Strong), scored(Original, "", "r", "a", 0.1, ""),
		scored(Mutant, File, "r", "b", 0.5, ""), scored(Original, "", "r", "b", 0.6, ""),
		scored(Mutant, Extra, "r", "a", 0.95, ""), scored(Natural, "", "r", "n", 0.1, ""),
	})
	want := []CurvePoint{{0.9, 0.5, 1, 1}, {0.6, 0.5, 0.5, 1}, {0.5, 1, 2. / 3, 1}, {0.1, 1, 0.5, 0}}
	if len(points) != len(want) {
		t.Fatalf("%+v", points)
	}
	for i := range want {
		if points[i] != want[i] {
			t.Errorf("point %d: %+v, want %+v", i, points[i], want[i])
		}
	}
	var b bytes.Buffer
	if err := WriteSVG(&b, points); err != nil {
		t.Fatal(err)
	}
	for dec := xml.NewDecoder(&b); ; {
		if _, err := dec.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatalf("the picture is no XML: %v", err)
		}
	}
}

func TestHeldOutRepositoriesGetTheThresholdOfTheOthers(t *testing.T) {
	var outcomes []Outcome
	for i := range 400 { // one in 200 of b's natural commits scores high, and so sets the threshold for a
		score := 0.01
		if i%200 == 0 {
			score = 0.4
		}
		if i == 0 {
			score = 0.7
		}
		if i == 1 {
			score = 0.6
		}
		outcomes = append(outcomes, scored(Natural, "", "b", string(rune('a'+i)), score, ""))
	}
	outcomes = append(outcomes, scored(Mutant, File, "a", "m", 0.5, checks.Likely), scored(Mutant, File, "a", "l", 0.39, ""), scored(Natural, "", "a", "n", 0.01, ""))
	repos := perRepo(outcomes)
	if len(repos) != 2 || repos[0].Repo != "a" || repos[0].Mutants != 2 || repos[0].Recall != 0.5 {
		t.Fatalf("%+v", repos)
	}
	if h := repos[0].HeldOut; h.Threshold != 0.5 && h.Threshold != 0.6 || h.Specificity != 1 {
		t.Errorf("%+v: two of b's commits may lie above", h)
	}
}

func TestReliabilityWeighsAtTheBaseRate(t *testing.T) {
	outcomes := []Outcome{scored(Natural, "", "r", "n", 0, ""), scored(Mutant, File, "r", "m", 1, checks.Strong)}
	r := reliability(outcomes)
	if r.ECE != 0 || r.EvenECE != 0 || len(r.Bins) != 2 || math.Abs(r.Bins[0].Weight-(1-BaseRate)) > 1e-9 || r.Bins[1].False != 1 {
		t.Errorf("a perfect score: %+v", r)
	}
	// Half of the mutants score like the honest ones: calibrated at BaseRate is what remains of it.
	p := BaseRate * 0.5 / (BaseRate*0.5 + 1 - BaseRate)
	outcomes = []Outcome{scored(Natural, "", "r", "n", p, ""), scored(Mutant, File, "r", "m", 1, checks.Strong), scored(Mutant, File, "r", "k", p, "")}
	if r := reliability(outcomes); r.ECE > 1e-9 || r.EvenECE > 1e-9 {
		t.Errorf("calibrated: %+v", r)
	}
	outcomes[0].Result.Score = 0.5
	if r := reliability(outcomes); r.ECE < 0.4 {
		t.Errorf("far off: %+v", r)
	}
}

func TestInUse(t *testing.T) {
	u := inUse(0.5, NewShare(1, 100))
	if want := 0.017 * 0.5 / (0.017*0.5 + 0.983*0.01); math.Abs(u.PPV-want) > 1e-12 || u.PPVLow >= u.PPV {
		t.Errorf("%+v, want %v", u, want)
	}
	for _, r := range u.Requests {
		if want := 1 - math.Pow(0.99, float64(r.Commits)); math.Abs(r.Chance-want) > 1e-12 || r.Low > r.Chance || r.High < r.Chance {
			t.Errorf("%+v, want %v", r, want)
		}
	}
	if u := inUse(0, Share{}); u.PPV != 0 || math.IsNaN(u.PPVLow) {
		t.Errorf("of nothing: %+v", u)
	}
}

// learnable is samples whose claims hang on one number of the table, called by
// the name: false ones have it with a large slope, true ones with a small one.
func learnable(name string) []sample {
	i := termIndex(checks.Shipped(), name)
	var out []sample
	for k := range 200 {
		repo := []string{"a", "b"}[k%2]
		m := sample{ok: true, pair: Pair{ID: "m", Repo: repo, Label: Mutant, Rule: File, Commit: "c"}, clues: []clue{{check: "path", suspicion: 1, on: true, slopes: []slope{{i, 1}}}}}
		n := sample{ok: true, pair: Pair{ID: "n", Repo: repo, Label: Natural, Commit: "d"}}
		if k%10 == 0 {
			n.clues = []clue{{check: "path", suspicion: 1, slopes: []slope{{i, 0.1}}}}
		}
		out = append(out, m, n)
	}
	return out
}

func TestFitRaisesWhatTellsLiesApartAndKeepsSigns(t *testing.T) {
	base := checks.Shipped()
	var raises, lowers string
	for _, x := range base.Terms {
		switch x.Sign {
		case checks.Raises:
			raises = x.Name
		case checks.Lowers:
			lowers = x.Name
		}
	}
	up, err := fitSamples(t.Context(), learnable(raises), base, Training{Seed: 1}.withDefaults())
	if err != nil {
		t.Fatal(err)
	}
	if got, was := term(up.Weights, raises), term(base, raises); got <= was {
		t.Errorf("%s went from %v to %v", raises, was, got)
	}
	down, err := fitSamples(t.Context(), learnable(lowers), base, Training{Seed: 1}.withDefaults())
	if err != nil {
		t.Fatal(err)
	}
	if got := term(down.Weights, lowers); got != 0 {
		t.Errorf("support became %v, which raises suspicion", got)
	}
	if up.Weights.Version != base.Version+1 || up.Report.False != 200 || up.Report.Claims != 220 {
		t.Errorf("version %d, %d of %d claims false", up.Weights.Version, up.Report.False, up.Report.Claims)
	}
	all := up.Report.After[len(up.Report.After)-1]
	if all.Any != 1 || all.Natural.K != 0 {
		t.Errorf("held out: %+v", all)
	}
	last := -1.0
	for i, k := range up.Weights.Calibration.Knots {
		if k.P <= last || k.P >= 1 || i > 0 && up.Weights.Calibration.Knots[i-1].At >= k.At {
			t.Errorf("the calibration does not rise: %v", up.Weights.Calibration.Knots)
		}
		last = k.P
	}
	again, err := fitSamples(t.Context(), learnable(raises), base, Training{Seed: 1}.withDefaults())
	if err != nil {
		t.Fatal(err)
	}
	var one, two bytes.Buffer
	if err := errors.Join(WriteTrainingReport(&one, up.Report, Set{}), WriteTrainingReport(&two, again.Report, Set{})); err != nil || !bytes.Equal(one.Bytes(), two.Bytes()) {
		t.Errorf("the same fit gives other words (%v)", err)
	}
}

func TestKeepingTheWeightsFitsTheCalibrationAlone(t *testing.T) {
	base := checks.Shipped()
	fit, err := fitSamples(t.Context(), learnable("type-bias"), base, Training{Seed: 1, Keep: true}.withDefaults())
	if err != nil {
		t.Fatal(err)
	}
	for i, x := range fit.Weights.Terms {
		if math.Abs(x.Value-base.Terms[i].Value) > 1e-9 {
			t.Errorf("%s went from %v to %v", x.Name, base.Terms[i].Value, x.Value)
		}
	}
	if len(fit.Weights.Calibration.Knots) == 0 || fit.Report.Before[0] != fit.Report.After[0] {
		t.Errorf("%+v", fit.Report)
	}
}

func TestLeftOutCommitsTeachNothing(t *testing.T) {
	base := checks.Shipped()
	fit, err := fitSamples(t.Context(), learnable("type-bias"), base, Training{Seed: 1, LeaveOut: map[string]bool{"d": true}}.withDefaults())
	if err != nil {
		t.Fatal(err)
	}
	if fit.Report.Samples[Natural] != 0 || fit.Report.Samples[Mutant] != 200 {
		t.Errorf("%v", fit.Report.Samples)
	}
}

func TestRewriteTableChangesNumbersAndNothingElse(t *testing.T) {
	source := "package checks\n\n// Why.\nconst shippedVersion = 1\n\nvar shippedCalibration = Calibration{Slope: 1, Offset: 0.9}\n\nvar shippedTerms = [weightCount]Term{\n\tone: {\"one\", Raises, 1.5}, // a note\n}\n"
	w := &checks.Weights{Version: 2, Terms: []checks.Term{{Name: "one", Value: -0.25}}, Calibration: checks.Calibration{Knots: []checks.Knot{{At: -1, P: 0.1}, {At: 2, P: 0.75}}}}
	got, err := RewriteTable([]byte(source), w)
	if err != nil {
		t.Fatal(err)
	}
	want := "package checks\n\n// Why.\nconst shippedVersion = 2\n\nvar shippedCalibration = Calibration{Knots: []Knot{\n\t{-1, 0.1},\n\t{2, 0.75},\n}}\n\nvar shippedTerms = [weightCount]Term{\n\tone: {\"one\", Raises, -0.25}, // a note\n}\n"
	if string(got) != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	w.Calibration = checks.Calibration{Slope: 1, Offset: 0.9}
	w.Version, w.Terms[0].Value = 1, 1.5
	if back, err := RewriteTable(got, w); err != nil || string(back) != source {
		t.Errorf("not the way back (%v):\n%s", err, back)
	}
	for text, terms := range map[string][]checks.Term{source: {{Name: "two"}}, "package checks\n": nil, strings.Replace(source, "one", "two", 2): {{Name: "one"}}} {
		if _, err := RewriteTable([]byte(text), &checks.Weights{Terms: terms}); err == nil {
			t.Errorf("%v was put into\n%s", terms, text)
		}
	}
}

func TestAppendRefusesADrawThatWasScored(t *testing.T) {
	r := Result{Set: Set{Seed: 4, Version: 2, Heads: map[string]string{"r": "h"}}, Score: Summarise(nil)}
	log, err := Append(nil, NewEntry("2020-02-03", "abc", "publish", r))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Append(log, NewEntry("2020-02-04", "abd", "publish", r)); !errors.Is(err, ErrDrawn) {
		t.Errorf("got %v", err)
	}
	r.Set.Seed = 5
	if log, err = Append(log, NewEntry("2020-02-04", "abd", "publish", r)); err != nil {
		t.Fatal(err)
	}
	entries, err := ReadLog(bytes.NewReader(log))
	if err != nil || len(entries) != 2 {
		t.Fatalf("%v %d", err, len(entries))
	}
	var b bytes.Buffer
	if err := WriteLogTable(&b, entries); err != nil || strings.Index(b.String(), "2020-02-04") > strings.Index(b.String(), "2020-02-03") {
		t.Errorf("%v: not newest first\n%s", err, b.String())
	}
	if _, err := Append([]byte("nonsense"), entries[0]); err == nil {
		t.Error("a damaged log was written on")
	}
}

func TestSplitAndItsRepositories(t *testing.T) {
	for text, want := range map[string]string{
		`{"publish":["a/b"],"read":["A/B"]}`: "twice", `{"publish":["b"]}`: "owner/name", `{"publsh":[]}`: "unknown field", `nonsense`: "split",
	} {
		if _, err := ReadSplit(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v", text, err)
		}
	}
	absent, strange := Missing([]string{"a/one", "b/two", "c/three"}, []*Source{{Name: "a+one"}, {Name: "B-Two"}, {Name: "four"}})
	if len(absent) != 1 || absent[0] != "c/three" || len(strange) != 1 || strange[0] != "four" {
		t.Errorf("missing %v, strange %v", absent, strange)
	}
}

func TestAblationAndTrainingOnAHistory(t *testing.T) {
	src := open(t, history(t, t.TempDir(), 40))
	sources := []*Source{src}
	set, err := Generate(t.Context(), sources, Plan{Seed: 1, PerRule: 3, Natural: 5, Control: 8}, nil)
	if err != nil {
		t.Fatal(err)
	}
	opts := JudgeOptions{Dir: t.TempDir(), Workers: 2}
	a, err := Ablate(t.Context(), sources, set, opts, nil)
	if err != nil {
		t.Fatal(err)
	}
	outcomes, err := Judge(t.Context(), sources, set, opts)
	if err != nil {
		t.Fatal(err)
	}
	s := Summarise(outcomes)
	if math.Abs(a.All.Any-s.MacroAny) > 1e-9 || a.All.Natural != s.Alarms[Natural].Any {
		t.Errorf("with everything on it says %+v, the measurement %v %+v", a.All, s.MacroAny, s.Alarms[Natural].Any)
	}
	for _, c := range a.Checks {
		if c.Without.Any > a.All.Any+1e-9 {
			t.Errorf("without %s more is found", c.Check)
		}
		opts.Without = []string{c.Check}
		if c.Check == "scope" {
			outcomes, err := Judge(t.Context(), sources, set, opts)
			if err != nil {
				t.Fatal(err)
			}
			if got := Summarise(outcomes); math.Abs(got.MacroAny-c.Without.Any) > 1e-9 {
				t.Errorf("without scope the measurement says %v, the ablation %v", got.MacroAny, c.Without.Any)
			}
		}
	}
	opts.Without = nil
	fit, err := Train(t.Context(), sources, set, opts, Training{Seed: 1, Epochs: 2})
	if err != nil {
		t.Fatal(err)
	}
	if before := fit.Report.Before[len(fit.Report.Before)-1]; math.Abs(before.Any-s.MacroAny) > 1e-9 || before.Natural != s.Alarms[Natural].Any {
		t.Errorf("before the fit it says %+v, the measurement %v", before, s.MacroAny)
	}
	var b bytes.Buffer
	for _, markdown := range []bool{false, true} {
		if err := WriteAblation(&b, a, markdown); err != nil || strings.Count(b.String(), "undisclosed") == 0 {
			t.Errorf("%v\n%s", err, b.String())
		}
	}
}

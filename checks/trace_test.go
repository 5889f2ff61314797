package checks_test

import (
	"math"
	"regexp"
	"testing"

	"github.com/saysolint/sayso/checks"
)

func TestTheTableIsWhole(t *testing.T) {
	seen := map[string]bool{}
	shape := regexp.MustCompile(`^[a-z]+(-[a-z]+)*$`)
	for i, term := range checks.Shipped().Terms {
		if !shape.MatchString(term.Name) || seen[term.Name] {
			t.Errorf("row %d: the name %q is empty, misshapen or there twice", i, term.Name)
		}
		seen[term.Name] = true
		if term.Sign == checks.Lowers && term.Value > 0 || term.Sign == checks.Raises && term.Value < 0 || math.IsNaN(term.Value) {
			t.Errorf("%s is %v, against its sign", term.Name, term.Value)
		}
	}
}

func TestShippedIsACopy(t *testing.T) {
	w := checks.Shipped()
	w.Terms[0].Value += 5
	if checks.Shipped().Terms[0].Value == w.Terms[0].Value {
		t.Error("the shipped table was changed through a copy of it")
	}
}

// A change of a weight moves the suspicion by the slope that was traced for it.
func TestTracesForetellWhatAnotherTableSays(t *testing.T) {
	in := checks.Input{
		Messages: message("docs: explain the margin"),
		Facts:    parseDiff(t, edit("src/a.go", "+a := f(1)", "+b := f(2)", "+c := f(3)", "+d := f(4)")),
	}
	traces := checks.Traces(in)
	if len(traces) == 0 {
		t.Fatal("nothing is suspected of a docs commit that changes code alone")
	}
	for _, before := range traces {
		for i, slope := range before.Slopes {
			w := checks.Shipped()
			w.Terms[i].Value += 0.05
			in.Weights = w
			found := false
			for _, after := range checks.Traces(in) {
				if after.Check != before.Check || after.Claim.Start != before.Claim.Start {
					continue
				}
				found = true
				if got, want := after.Suspicion-before.Suspicion, 0.05*slope; math.Abs(got-want) > 1e-9 {
					t.Errorf("%s: %s moves it by %v, want %v", before.Check, w.Terms[i].Name, got, want)
				}
			}
			if !found {
				t.Errorf("%s fell silent when %s moved", before.Check, w.Terms[i].Name)
			}
		}
	}
}

func TestAnotherTableDecides(t *testing.T) {
	in := checks.Input{Messages: message("docs: explain the margin"), Facts: parseDiff(t, edit("src/a.go", "+a := f(1)", "+b := f(2)", "+c := f(3)", "+d := f(4)"))}
	w := checks.Shipped()
	for i := range w.Terms {
		if w.Terms[i].Sign == checks.Raises {
			w.Terms[i].Value *= 3
		}
	}
	in.Weights = w
	if j := checks.Judge(in); j.Verdict != checks.Contradicted {
		t.Errorf("with three times the evidence it is %s", j.Verdict)
	}
	w = checks.Shipped()
	for i := range w.Terms {
		if w.Terms[i].Sign == checks.Raises {
			w.Terms[i].Value = 0
		}
	}
	in.Weights = w
	if j := checks.Judge(in); j.Verdict == checks.Contradicted {
		t.Errorf("with no weight for evidence it is %s", j.Verdict)
	}
}

// The calibration rises with suspicion, whatever the table says of it.
func TestKnotsAreJoinedByLines(t *testing.T) {
	in := checks.Input{Messages: message("docs: explain the margin"), Facts: parseDiff(t, edit("src/a.go", "+a := f(1)", "+b := f(2)", "+c := f(3)", "+d := f(4)"))}
	suspicion := checks.Traces(in)[0].Suspicion
	for _, tc := range []struct {
		knots []checks.Knot
		want  float64
	}{
		{[]checks.Knot{{At: suspicion - 1, P: 0.2}, {At: suspicion + 1, P: 0.6}}, 0.4},
		{[]checks.Knot{{At: suspicion + 1, P: 0.2}, {At: suspicion + 2, P: 0.6}}, 0.2},
		{[]checks.Knot{{At: suspicion - 2, P: 0.2}, {At: suspicion - 1, P: 0.6}}, 0.6},
	} {
		w := checks.Shipped()
		w.Calibration.Knots = tc.knots
		in.Weights = w
		if got := checks.Judge(in).Score; math.Abs(got-tc.want) > 1e-3 {
			t.Errorf("knots %v give %v, want %v", tc.knots, got, tc.want)
		}
	}
}

package checks

import "github.com/saysolint/sayso/claim"

// Trace is what one check says against one claim, as a function of the table:
// near the table that it was traced with, the suspicion is
// Suspicion + the sum over i of Slopes[i] * (change of Terms[i].Value).
type Trace struct {
	Check     string
	Claim     *claim.Claim
	Suspicion float64
	Weak      bool            // never more than likely
	Slopes    map[int]float64 // by index in Weights.Terms; those that are not zero
}

// Traces is every suspicion that Judge would weigh, below the thresholds as
// well, in the order of the claims. A fit of the table starts here: the checks
// are asked again with one number moved, and so need not be written twice.
// Suspicion is linear in almost every number; where two of them are multiplied
// the slope holds near the table only.
func Traces(in Input) []Trace {
	if in.Abstain != "" || wholeGap(in.Facts.Change) != "" {
		return nil
	}
	x := newJudging(in)
	base := open(x.weights)
	byKind := checksByKind()
	var out []Trace
	for _, m := range in.Messages {
		x.m, x.cat = m, nil
		for i := range m.Claims {
			c := &m.Claims[i]
			check := byKind[c.Kind]
			if check == nil || in.level(check) == "off" {
				continue
			}
			x.weights, x.asked = base, map[weight]bool{}
			o := x.outcome(check, c)
			asked := x.asked
			x.asked = nil
			if !o.suspects() {
				continue
			}
			t := Trace{Check: check.ID, Claim: c, Suspicion: o.suspicion, Weak: o.weak, Slopes: map[int]float64{}}
			for id := range asked {
				if base.Terms[id].Sign == Fixed {
					continue
				}
				x.weights = base.moved(id, traceStep)
				if moved := x.outcome(check, c); moved.suspects() && moved.suspicion != o.suspicion {
					t.Slopes[int(id)] = (moved.suspicion - o.suspicion) / traceStep
				}
			}
			out = append(out, t)
		}
	}
	return out
}

// traceStep is how far a number is moved to see what hangs on it, in log-odds.
const traceStep = 1.0 / 8

// open is the table with thresholds that nothing stays below, so that no check
// keeps a small suspicion to itself.
func open(w *Weights) *Weights {
	c := *w
	c.Terms = append([]Term(nil), w.Terms...)
	for _, id := range [...]weight{thresholdLikely, purposeLikely} {
		c.Terms[id].Value = -100
	}
	return &c
}

func (w *Weights) moved(id weight, by float64) *Weights {
	c := *w
	c.Terms = append([]Term(nil), w.Terms...)
	c.Terms[id].Value += by
	return &c
}

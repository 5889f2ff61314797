package bench

import "math"

// Reliability says how far the score can be taken at its word. Messages are
// weighed so that BaseRate of the weight lies on mutants of the seven rules and the
// rest on natural commits, which is what the score is a probability of.
type Reliability struct {
	Bins []ReliabilityBin `json:"bins"` // by score, those with messages
	// ECE is the expected calibration error: the mean over the weight of the
	// difference between the mean score of a bin and the share of false messages in it (Naeini,
	// Cooper, Hauskrecht, "Obtaining Well Calibrated Probabilities Using Bayesian Binning", 2015).
	ECE float64 `json:"ece"`
	// EvenECE is the same with half of the weight on either side and the score moved
	// to these odds: the harder question, since at BaseRate almost all weight lies on silence.
	EvenECE float64 `json:"even_ece"`
}

// ReliabilityBin is the messages whose score lies in [From, To).
type ReliabilityBin struct {
	From    float64 `json:"from"`    // lowest score
	To      float64 `json:"to"`      // first score above it
	Mutants int     `json:"mutants"` // falsified messages in it
	Natural int     `json:"natural"` // natural commits in it
	Score   float64 `json:"score"`   // mean, by weight
	False   float64 `json:"false"`   // share of false messages, by weight
	Weight  float64 `json:"weight"`  // 0..1
}

var binEdges = []float64{0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1}

func reliability(outcomes []Outcome) Reliability {
	r := Reliability{Bins: []ReliabilityBin{}}
	r.Bins, r.ECE = bins(outcomes, BaseRate, func(s float64) float64 { return s })
	_, r.EvenECE = bins(outcomes, 0.5, evenOdds)
	return r
}

// evenOdds is a probability at BaseRate moved to where half of the messages are false (Bayes).
func evenOdds(p float64) float64 {
	a, b := p/BaseRate, (1-p)/(1-BaseRate)
	return a / (a + b)
}

// bins sorts the messages by score; rate is the weight of the mutants.
func bins(outcomes []Outcome, rate float64, move func(float64) float64) ([]ReliabilityBin, float64) {
	out := []ReliabilityBin{}
	for i := range len(binEdges) - 1 {
		out = append(out, ReliabilityBin{From: binEdges[i], To: binEdges[i+1]})
	}
	mutants, natural := 0, 0
	counts := func(o *Outcome) (mutant, ok bool) {
		mutant = o.Pair.Label == Mutant && o.Pair.Rule != Extra
		return mutant, (mutant || o.Pair.Label == Natural) && o.Result.Error == nil && o.Result.Abstained == ""
	}
	for i := range outcomes {
		if mutant, ok := counts(&outcomes[i]); ok && mutant {
			mutants++
		} else if ok {
			natural++
		}
	}
	if mutants == 0 || natural == 0 {
		return []ReliabilityBin{}, 0
	}
	for i := range outcomes {
		mutant, ok := counts(&outcomes[i])
		if !ok {
			continue
		}
		p := move(outcomes[i].score())
		k := 0
		for k+2 < len(binEdges) && p >= binEdges[k+1] {
			k++
		}
		b := &out[k]
		w := (1 - rate) / float64(natural)
		if mutant {
			w = rate / float64(mutants)
			b.Mutants++
			b.False += w
		} else {
			b.Natural++
		}
		b.Weight += w
		b.Score += w * p
	}
	ece := 0.0
	kept := []ReliabilityBin{}
	for _, b := range out {
		if b.Weight == 0 {
			continue
		}
		b.Score, b.False = b.Score/b.Weight, b.False/b.Weight
		ece += b.Weight * math.Abs(b.Score-b.False)
		kept = append(kept, b)
	}
	return kept, ece
}

package bench

import (
	"cmp"
	"maps"
	"slices"
)

// CurvePoint is what a threshold on the score alone would give.
type CurvePoint struct {
	Threshold   float64 `json:"threshold"`   // contradicted from this score on
	Recall      float64 `json:"recall"`      // mean over the seven rules
	Precision   float64 `json:"precision"`   // mutants among the flagged, each beside its own original
	Specificity float64 `json:"specificity"` // share of natural commits below it
}

// maxCurve is how many points of a curve are kept.
const maxCurve = 200

// score is that of a pair; 0 where it could not be judged.
func (o *Outcome) score() float64 {
	if o.Result.Error != nil {
		return 0
	}
	return o.Result.Score
}

// sweeper counts what lies at or above a threshold.
type sweeper struct {
	rules     map[Rule][]float64 // scores of mutants, ascending
	paired    []float64          // scores of the seven rules' mutants
	originals []float64          // score of each mutant's original, once for each mutant
	natural   []float64
}

func newSweeper(outcomes []Outcome, keep func(*Outcome) bool) *sweeper {
	s := &sweeper{rules: map[Rule][]float64{}}
	originals := map[string]float64{}
	for i := range outcomes {
		if o := &outcomes[i]; o.Pair.Label == Original {
			originals[o.Pair.Repo+o.Pair.Commit] = o.score()
		}
	}
	for i := range outcomes {
		o := &outcomes[i]
		if !keep(o) {
			continue
		}
		switch o.Pair.Label {
		case Natural:
			s.natural = append(s.natural, o.score())
		case Mutant:
			if o.Pair.Rule == Extra {
				continue
			}
			s.rules[o.Pair.Rule] = append(s.rules[o.Pair.Rule], o.score())
			s.paired = append(s.paired, o.score())
			s.originals = append(s.originals, originals[o.Pair.Repo+o.Pair.Commit])
		}
	}
	for _, list := range s.rules {
		slices.Sort(list)
	}
	slices.Sort(s.paired)
	slices.Sort(s.originals)
	slices.Sort(s.natural)
	return s
}

// above is how many of ascending values are at least t.
func above(values []float64, t float64) int {
	i, _ := slices.BinarySearch(values, t)
	return len(values) - i
}

func (s *sweeper) at(t float64) CurvePoint {
	p := CurvePoint{Threshold: t, Precision: 1, Specificity: 1}
	for _, rule := range slices.Sorted(maps.Keys(s.rules)) { // in order: sums of fractions depend on it
		p.Recall += float64(above(s.rules[rule], t)) / float64(len(s.rules[rule])) / float64(len(s.rules))
	}
	if found, wrong := above(s.paired, t), above(s.originals, t); found+wrong > 0 {
		p.Precision = float64(found) / float64(found+wrong)
	}
	if len(s.natural) > 0 {
		p.Specificity = 1 - float64(above(s.natural, t))/float64(len(s.natural))
	}
	return p
}

// thresholds are the distinct scores, descending.
func (s *sweeper) thresholds() []float64 {
	all := slices.Concat(s.paired, s.originals, s.natural)
	slices.SortFunc(all, func(a, b float64) int { return cmp.Compare(b, a) })
	return slices.Compact(all)
}

// curve is precision and recall for each threshold, thinned to maxCurve points.
func curve(outcomes []Outcome) []CurvePoint {
	s := newSweeper(outcomes, func(*Outcome) bool { return true })
	if len(s.paired) == 0 {
		return []CurvePoint{}
	}
	ts := s.thresholds()
	step := max(1, (len(ts)+maxCurve-1)/maxCurve)
	points := []CurvePoint{}
	for i := 0; i < len(ts); i += step {
		points = append(points, s.at(ts[i]))
	}
	return points
}

// RepoScore is one repository by itself, and held out: judged with the
// threshold on the score that gives a natural specificity of HeldOutSpecificity on all the others.
type RepoScore struct {
	Repo    string  `json:"repo"`    // its name
	Mutants int     `json:"mutants"` // of the seven rules
	Recall  float64 `json:"recall"`  // mean over the rules with pairs, strong and likely
	Strong  float64 `json:"strong"`  // the same, strong alone
	Natural Share   `json:"natural"` // contradicted

	HeldOut CurvePoint `json:"held_out"` // what the threshold of the others gives here
}

// HeldOutSpecificity is the natural specificity that the threshold of a held-out
// repository is chosen for on the others.
const HeldOutSpecificity = 0.995

func perRepo(outcomes []Outcome) []RepoScore {
	repos := map[string]bool{}
	for i := range outcomes {
		repos[outcomes[i].Pair.Repo] = true
	}
	out := []RepoScore{}
	for _, repo := range slices.Sorted(maps.Keys(repos)) {
		r := RepoScore{Repo: repo}
		anys, strongs := map[Rule]*counter{}, map[Rule]*counter{}
		var natural counter
		for i := range outcomes {
			o := &outcomes[i]
			if o.Pair.Repo != repo {
				continue
			}
			any, strong := contradicted(o.Result)
			switch {
			case o.Pair.Label == Natural:
				natural.add(any)
			case o.Pair.Label == Mutant && o.Pair.Rule != Extra:
				r.Mutants++
				counterOf(anys, o.Pair.Rule).add(any)
				counterOf(strongs, o.Pair.Rule).add(strong)
			}
		}
		r.Recall, r.Strong, r.Natural = meanRate(anys), meanRate(strongs), natural.share()
		if len(repos) > 1 {
			others := newSweeper(outcomes, func(o *Outcome) bool { return o.Pair.Repo != repo })
			own := newSweeper(outcomes, func(o *Outcome) bool { return o.Pair.Repo == repo })
			r.HeldOut = own.at(others.thresholdFor(HeldOutSpecificity))
		}
		out = append(out, r)
	}
	return out
}

func meanRate[K cmp.Ordered](m map[K]*counter) float64 {
	sum := 0.0
	for _, k := range slices.Sorted(maps.Keys(m)) {
		sum += m[k].share().Rate
	}
	if len(m) == 0 {
		return 0
	}
	return sum / float64(len(m))
}

// thresholdFor is the lowest score from which on at most 1-specificity of the
// natural messages lie.
func (s *sweeper) thresholdFor(specificity float64) float64 {
	allowed := int((1 - specificity) * float64(len(s.natural)))
	lowest := 1.01
	for _, t := range s.thresholds() {
		if above(s.natural, t) > allowed {
			break
		}
		lowest = t
	}
	return lowest
}

package bench

import (
	"cmp"
	"context"
	"maps"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/saysolint/sayso/checks"
)

// Training refits the numbers of the table of weights on labelled pairs.
//
// The unit is the claim: in a falsified message the claims on the false statement are
// false and the others are left out; every claim of an honest message is true.
// A claim's suspicion is linear in the numbers of the table ([checks.Traces]),
// so this is logistic regression with the table in force as its starting point and its prior.
// It is fitted by AdaGrad (Duchi, Hazan, Singer 2011), one row at a time in a
// shuffled order that the seed decides; after each step a number that crossed
// its sign goes back to zero. Thresholds and calibration come from scores of
// repositories that the fit had not seen.
type Training struct {
	Seed   uint64
	Epochs int     // 0 for 60
	Rate   float64 // of AdaGrad; 0 for 0.15
	Pull   float64 // L2 towards the table in force, at each visit of a row; 0 for 0.006
	Likely float64 // share of honest real commits that may be contradicted; 0 for 0.005
	Strong float64 // and strongly; 0 for 0.001

	Keep     bool            // leave weights and thresholds as they are and fit the calibration alone
	LeaveOut map[string]bool // commits (full hashes) whose honest label reading has shown to be wrong
}

func (t Training) withDefaults() Training {
	t.Epochs = cmp.Or(t.Epochs, 60)
	t.Rate = cmp.Or(t.Rate, 0.15)
	t.Pull = cmp.Or(t.Pull, 0.006)
	t.Likely = cmp.Or(t.Likely, 0.005)
	t.Strong = cmp.Or(t.Strong, 0.001)
	return t
}

// slope is how far a suspicion moves with one number of the table.
type slope struct {
	term int
	by   float64
}

// clue is one claim with its suspicion by the table in force.
type clue struct {
	check     string
	suspicion float64
	weak      bool
	on        bool // on the false statement of a mutant
	slopes    []slope
}

// sample is one judged pair as the fit sees it.
type sample struct {
	pair  Pair
	clues []clue
	ok    bool // judged
}

// Fit is what training made.
type Fit struct {
	Weights *checks.Weights
	Report  TrainingReport
}

// TrainingReport says what a fit was made of and what it gives.
type TrainingReport struct {
	Training Training
	Version  int
	Samples  map[Label]int
	Claims   int       // rows of the regression
	False    int       // of them false
	Before   []HeldOut // the table in force with its thresholds
	After    []HeldOut // fitted without the repository, thresholds from the others
	Terms    []TermChange
	ECE      float64 // of scores of held-out repositories, at BaseRate
	EvenECE  float64
}

// HeldOut is one repository, judged without having been learnt from; the last
// one, without a name, is all of them together.
type HeldOut struct {
	Repo    string
	Any     float64 // mean recall over the seven rules
	Strong  float64
	Natural Share // contradicted
	Sure    Share // strongly
}

// TermChange is one number before and after.
type TermChange struct {
	Name          string
	Before, After float64
	Rows          int // claims that hang on it
}

// Train judges the pairs once, fits the table and sets thresholds and calibration.
func Train(ctx context.Context, sources []*Source, set Set, opts JudgeOptions, t Training) (Fit, error) {
	samples := make([]sample, len(set.Pairs))
	opts.See = func(i int, in checks.Input) {
		samples[i] = sample{pair: set.Pairs[i], clues: cluesOf(set.Pairs[i], in), ok: true}
	}
	if _, err := Judge(ctx, sources, set, opts); err != nil {
		return Fit{}, err
	}
	for i := range samples {
		samples[i].pair = set.Pairs[i]
	}
	base := opts.Weights
	if base == nil {
		base = checks.Shipped()
	}
	return fitSamples(ctx, samples, base, t.withDefaults())
}

func cluesOf(p Pair, in checks.Input) []clue {
	var out []clue
	lines := lineStarts(p.Message)
	for _, t := range checks.Traces(in) {
		c := clue{check: t.Check, suspicion: t.Suspicion, weak: t.Weak}
		if start, end, ok := extent(*t.Claim, lines); ok {
			c.on = p.Length > 0 && start < p.At+p.Length && p.At < end
		}
		for _, i := range slices.Sorted(maps.Keys(t.Slopes)) {
			c.slopes = append(c.slopes, slope{i, t.Slopes[i]})
		}
		out = append(out, c)
	}
	return out
}

// fitSamples is Train without the judging.
func fitSamples(ctx context.Context, samples []sample, base *checks.Weights, t Training) (Fit, error) {
	kept := slices.DeleteFunc(slices.Clone(samples), func(s sample) bool {
		return !s.ok || s.pair.Label != Mutant && t.LeaveOut[s.pair.Commit]
	})
	repos := map[string]bool{}
	report := TrainingReport{Training: t, Version: base.Version + 1, Samples: map[Label]int{}}
	for _, s := range kept {
		repos[s.pair.Repo] = true
		report.Samples[s.pair.Label]++
	}
	names := slices.Sorted(maps.Keys(repos))

	// What the table in force says, and what one says that has not seen the repository.
	before, after := newJury(kept, base, nil), newJury(kept, base, nil)
	for _, repo := range names {
		if err := ctx.Err(); err != nil {
			return Fit{}, err
		}
		if t.Keep {
			break
		}
		moves := t.fit(kept, base, func(s *sample) bool { return s.pair.Repo != repo || len(names) == 1 })
		after.rejudge(kept, base, moves, func(s *sample) bool { return s.pair.Repo == repo })
	}
	likely, strong := term(base, "threshold-likely"), term(base, "threshold-strong")
	for _, repo := range names {
		own := func(s *sample) bool { return s.pair.Repo == repo }
		others := func(s *sample) bool { return s.pair.Repo != repo || len(names) == 1 }
		report.Before = append(report.Before, before.heldOut(kept, repo, own, likely, strong))
		l, s := after.thresholds(kept, others, t)
		if t.Keep {
			l, s = likely, strong
		}
		report.After = append(report.After, after.heldOut(kept, repo, own, l, s))
	}
	everything := func(*sample) bool { return true }
	report.Before = append(report.Before, before.heldOut(kept, "", everything, likely, strong))
	l, s := after.thresholds(kept, everything, t)
	if t.Keep {
		l, s = likely, strong
	}
	report.After = append(report.After, after.heldOut(kept, "", everything, l, s))

	// The table itself: all rows.
	moves := make([]float64, len(base.Terms))
	if !t.Keep {
		moves = t.fit(kept, base, everything)
	}
	w := &checks.Weights{Version: report.Version, Terms: slices.Clone(base.Terms)}
	used := make([]int, len(base.Terms))
	for i := range kept {
		for _, c := range kept[i].clues {
			if _, counts := label(&kept[i], c); !counts {
				continue
			}
			report.Claims++
			if y, _ := label(&kept[i], c); y {
				report.False++
			}
			for _, f := range c.slopes {
				used[f.term]++
			}
		}
	}
	for i := range w.Terms {
		w.Terms[i].Value = roundTo(w.Terms[i].Value+moves[i], 100)
	}
	set := func(name string, v float64) { w.Terms[termIndex(w, name)].Value = roundTo(v, 100) }
	margin := term(base, "purpose-likely") - likely
	set("threshold-likely", l)
	set("threshold-strong", s)
	set("purpose-likely", l+margin)
	w.Calibration = after.calibration(kept, term(base, "no-suspicion"))
	report.ECE, report.EvenECE = after.errors(kept, w.Calibration)
	for i := range w.Terms {
		report.Terms = append(report.Terms, TermChange{w.Terms[i].Name, base.Terms[i].Value, w.Terms[i].Value, used[i]})
	}
	return Fit{w, report}, nil
}

// label says whether a claim is false, and whether anybody knows.
func label(s *sample, c clue) (isFalse, known bool) {
	if s.pair.Label == Mutant {
		return c.on, c.on
	}
	return false, true
}

// fit gives the change of each number of the table.
func (t Training) fit(samples []sample, base *checks.Weights, keep func(*sample) bool) []float64 {
	type row struct {
		y float64
		c *clue
	}
	var rows []row
	for i := range samples {
		if !keep(&samples[i]) {
			continue
		}
		for k := range samples[i].clues {
			c := &samples[i].clues[k]
			if y, known := label(&samples[i], *c); known && len(c.slopes) > 0 {
				v := 0.0
				if y {
					v = 1
				}
				rows = append(rows, row{v, c})
			}
		}
	}
	moves, gathered := make([]float64, len(base.Terms)), make([]float64, len(base.Terms))
	for i := range gathered {
		gathered[i] = 0.01
	}
	rng := rand.New(rand.NewPCG(t.Seed, 0x5a))
	for range t.Epochs {
		rng.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
		for _, r := range rows {
			z := r.c.suspicion
			for _, f := range r.c.slopes {
				z += f.by * moves[f.term]
			}
			miss := 1/(1+math.Exp(-z)) - r.y
			for _, f := range r.c.slopes {
				g := miss*f.by + t.Pull*moves[f.term]
				gathered[f.term] += g * g
				moves[f.term] -= t.Rate * g / math.Sqrt(gathered[f.term])
				value := base.Terms[f.term].Value + moves[f.term]
				switch sign := base.Terms[f.term].Sign; {
				case sign == checks.Raises && value < 0, sign == checks.Lowers && value > 0:
					moves[f.term] = -base.Terms[f.term].Value
				}
			}
		}
	}
	return moves
}

// jury holds what a table says of each sample.
type jury struct {
	any, strong []float64 // the highest suspicion of a claim, less what its check has to bring beyond the threshold
	sum         []float64 // logarithm of the sum of odds; -Inf where nothing is suspected
	margin      float64
}

func newJury(samples []sample, base *checks.Weights, moves []float64) *jury {
	j := &jury{any: make([]float64, len(samples)), strong: make([]float64, len(samples)), sum: make([]float64, len(samples)),
		margin: term(base, "purpose-likely") - term(base, "threshold-likely")}
	j.rejudge(samples, base, moves, func(*sample) bool { return true })
	return j
}

func (j *jury) rejudge(samples []sample, base *checks.Weights, moves []float64, keep func(*sample) bool) {
	likely := term(base, "threshold-likely")
	for i := range samples {
		if !keep(&samples[i]) {
			continue
		}
		any, strong, odds := math.Inf(-1), math.Inf(-1), 0.0
		for _, c := range samples[i].clues {
			z := c.suspicion
			for _, f := range c.slopes {
				if moves != nil {
					z += f.by * moves[f.term]
				}
			}
			mine := z
			if c.check == "purpose" {
				mine -= j.margin
			}
			if (c.check == "purpose" || c.check == "component" && c.weak) && mine < likely {
				continue // the check keeps it to itself
			}
			any = max(any, mine)
			if !c.weak {
				strong = max(strong, mine)
			}
			odds += math.Exp(min(z, 20))
		}
		j.any[i], j.strong[i], j.sum[i] = any, strong, math.Log(odds)
	}
}

// thresholds are the lowest ones that leave enough natural commits in peace.
func (j *jury) thresholds(samples []sample, keep func(*sample) bool, t Training) (likely, strong float64) {
	lowest := func(scores []float64, share float64) float64 {
		var natural []float64
		for i := range samples {
			if keep(&samples[i]) && samples[i].pair.Label == Natural {
				natural = append(natural, scores[i])
			}
		}
		slices.SortFunc(natural, func(a, b float64) int { return cmp.Compare(b, a) })
		allowed := int(share * float64(len(natural)))
		if allowed >= len(natural) {
			return 0
		}
		return max(0, natural[allowed]+0.01) // above the first that is one too many
	}
	likely = lowest(j.any, t.Likely)
	return likely, max(likely, lowest(j.strong, t.Strong))
}

func (j *jury) heldOut(samples []sample, repo string, keep func(*sample) bool, likely, strong float64) HeldOut {
	anys, strongs := map[Rule]*counter{}, map[Rule]*counter{}
	var natural, sure counter
	for i := range samples {
		if !keep(&samples[i]) {
			continue
		}
		a, s := j.any[i] >= likely, j.strong[i] >= strong
		switch p := samples[i].pair; {
		case p.Label == Natural:
			natural.add(a)
			sure.add(s)
		case p.Label == Mutant && p.Rule != Extra:
			counterOf(anys, p.Rule).add(a)
			counterOf(strongs, p.Rule).add(s)
		}
	}
	return HeldOut{repo, meanRate(anys), meanRate(strongs), natural.share(), sure.share()}
}

// minKnot is how many messages a knot of the calibration stands for at least.
const minKnot = 40

// calibration is the isotonic regression of falsehood on suspicion (pool
// adjacent violators; Barlow and others 1972), at BaseRate, with half an honest
// message added to each block, so that no score promises certainty.
func (j *jury) calibration(samples []sample, silent float64) checks.Calibration {
	type block struct{ at, mutants, natural float64 }
	var blocks []block
	mutants, natural := 0.0, 0.0
	for i := range samples {
		b := block{at: max(silent, j.sum[i])}
		switch p := samples[i].pair; {
		case p.Label == Natural:
			b.natural = 1
			natural++
		case p.Label == Mutant && p.Rule != Extra:
			b.mutants = 1
			mutants++
		default:
			continue
		}
		blocks = append(blocks, b)
	}
	if mutants == 0 || natural == 0 {
		return checks.Calibration{Slope: 1, Offset: 0.9}
	}
	slices.SortStableFunc(blocks, func(a, b block) int { return cmp.Compare(a.at, b.at) })
	p := func(b block) float64 {
		f := BaseRate * b.mutants / mutants
		return f / (f + (1-BaseRate)*(b.natural+0.5)/natural)
	}
	merge := func(a, b block) block {
		n, m := a.mutants+a.natural, b.mutants+b.natural
		return block{(a.at*n + b.at*m) / (n + m), a.mutants + b.mutants, a.natural + b.natural}
	}
	var even []block // equal suspicion, then enough messages
	for _, b := range blocks {
		if k := len(even) - 1; k >= 0 && (even[k].at == b.at || even[k].mutants+even[k].natural < minKnot && even[k].at > silent) {
			even[k] = merge(even[k], b)
			continue
		}
		even = append(even, b)
	}
	var pooled []block
	for _, b := range even {
		pooled = append(pooled, b)
		for k := len(pooled) - 1; k > 0 && p(pooled[k-1]) >= p(pooled[k]); k-- {
			pooled = append(pooled[:k-1], merge(pooled[k-1], pooled[k]))
		}
	}
	var c checks.Calibration
	for _, b := range pooled {
		k := checks.Knot{At: roundTo(b.at, 100), P: roundTo(p(b), 10000)}
		if n := len(c.Knots); n > 0 && c.Knots[n-1].At >= k.At {
			c.Knots[n-1].P = k.P // one and the same after rounding
			continue
		}
		c.Knots = append(c.Knots, k)
	}
	return c
}

// errors is the calibration error of the scores, at BaseRate and at even odds.
func (j *jury) errors(samples []sample, c checks.Calibration) (base, even float64) {
	outcomes := make([]Outcome, len(samples))
	for i := range samples {
		outcomes[i].Pair = samples[i].pair
		outcomes[i].Result.Score = c.Probability(j.sum[i])
	}
	r := reliability(outcomes)
	return r.ECE, r.EvenECE
}

func termIndex(w *checks.Weights, name string) int {
	return slices.IndexFunc(w.Terms, func(t checks.Term) bool { return t.Name == name })
}

func term(w *checks.Weights, name string) float64 { return w.Terms[termIndex(w, name)].Value }

func roundTo(v, steps float64) float64 { return math.Round(v*steps) / steps }

// lineStarts are the offsets of the lines of a message, in code points.
func lineStarts(message string) []int {
	starts := []int{0}
	at := 0
	for _, r := range message {
		at++
		if r == '\n' {
			starts = append(starts, at)
		}
	}
	return starts
}

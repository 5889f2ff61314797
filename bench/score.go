package bench

import (
	"cmp"
	"maps"
	"slices"

	"github.com/saysolint/sayso/checks"
	"github.com/saysolint/sayso/claim"
	"github.com/saysolint/sayso/internal/engine"
)

// Score is the measurement of one set of outcomes. "Strong" counts messages
// that are contradicted with strength strong, "any" those with strong or likely.
type Score struct {
	Pairs  int            `json:"pairs"`                 // how many
	Labels map[Label]int  `json:"labels"`                // how many of each
	Errors int            `json:"errors"`                // pairs that could not be judged; they count as not contradicted
	Kinds  map[string]int `json:"error_codes,omitempty"` // why pairs could not be judged

	Rules       []RuleScore `json:"rules"`        // in the order of AllRules, those with pairs
	MacroStrong float64     `json:"macro_strong"` // mean recall over the seven rules, of those with pairs
	MacroAny    float64     `json:"macro_any"`    // the same, strong and likely

	Alarms map[Label]AlarmScore `json:"alarms"` // original, natural, control

	// PairedPrecision is the share of mutants among all contradicted messages
	// when each mutant is put beside its original.
	PairedPrecisionStrong Share `json:"paired_precision_strong"`
	PairedPrecisionAny    Share `json:"paired_precision_any"` // the same, strong and likely

	// Vouching is the share of mutants of which a claim on the false statement is corroborated.
	Vouching Share `json:"vouching"`
	// Corroborated is the share of control pairs of which a claim on the true statement is corroborated.
	Corroborated Share `json:"controls_corroborated"`

	// Checkable is the share of natural messages with a claim that names
	// something to look for (any kind but purpose and statement) and whose
	// verdict is not unverifiable.
	Checkable Share `json:"natural_checkable"`
	// Decided is the share of natural messages with a corroborated or contradicted claim.
	Decided Share `json:"natural_decided"`

	// Claims counts verdicts of the claims of natural messages by kind.
	Claims map[claim.Kind]map[checks.Verdict]int `json:"natural_claims"`
	// Partial is the share of natural messages whose coverage is not complete.
	Partial Share `json:"natural_partial"`

	Latency Latency `json:"latency"` // of the engine, for one pair

	// InUseStrong and InUseAny say what the rates mean for those who meet the verdicts.
	InUseStrong InUse `json:"in_use_strong"`
	InUseAny    InUse `json:"in_use_any"` // the same, strong and likely

	Reliability  Reliability  `json:"reliability"`  // how far the score can be taken at its word
	Curve        []CurvePoint `json:"curve"`        // by descending threshold
	Repositories []RepoScore  `json:"repositories"` // by name
}

// RuleScore is the recall of one rule.
type RuleScore struct {
	Rule     Rule             `json:"rule"`     // which one
	Strong   Share            `json:"strong"`   // contradicted strongly
	Any      Share            `json:"any"`      // contradicted, strongly or likely
	Located  Share            `json:"located"`  // a contradicted claim stands on the false statement
	Vouching Share            `json:"vouching"` // a corroborated claim does
	Forms    map[string]Share `json:"forms"`    // Any by form
	Checks   map[string]int   `json:"checks"`   // checks that contradicted
}

// AlarmScore is how often an honest message is contradicted.
type AlarmScore struct {
	Strong Share            `json:"strong"` // contradicted strongly
	Any    Share            `json:"any"`    // contradicted, strongly or likely
	Checks map[string]int   `json:"checks"` // checks that contradicted, by message
	Repos  map[string]Share `json:"repos"`  // Any by repository
	Rules  map[Rule]Share   `json:"rules,omitempty"`

	Corroborated map[Rule]Share `json:"corroborated,omitempty"` // controls: a claim on the true statement is corroborated
}

// Latency is the milliseconds that the engine took for one pair.
type Latency struct {
	Median float64 `json:"median_ms"` // milliseconds that half of the pairs stay within
	P90    float64 `json:"p90_ms"`    // that 90 of 100 stay within
	P99    float64 `json:"p99_ms"`    // that 99 of 100 stay within
	Max    float64 `json:"max_ms"`    // of the slowest pair
}

// counter collects a share.
type counter struct{ k, n int }

func (c *counter) add(hit bool) {
	c.n++
	if hit {
		c.k++
	}
}

func (c counter) share() Share { return NewShare(c.k, c.n) }

func shares[K cmp.Ordered](m map[K]*counter) map[K]Share {
	out := map[K]Share{}
	for k, c := range m {
		out[k] = c.share()
	}
	return out
}

func counterOf[K comparable](m map[K]*counter, k K) *counter {
	if m[k] == nil {
		m[k] = &counter{}
	}
	return m[k]
}

// contradicted says whether the message is, and whether strongly.
func contradicted(r engine.Result) (any, strong bool) {
	any = r.Error == nil && r.Verdict == checks.Contradicted
	return any, any && r.Strength == checks.Strong
}

func has(fs []checks.Finding, v checks.Verdict) bool {
	return slices.ContainsFunc(fs, func(f checks.Finding) bool { return f.Verdict == v })
}

// deciders are the checks that contradicted a claim of the message.
func deciders(fs []checks.Finding) []string {
	set := map[string]bool{}
	for _, f := range fs {
		if f.Verdict == checks.Contradicted && f.Ignored == "" {
			set[f.Check] = true
		}
	}
	return slices.Sorted(maps.Keys(set))
}

// Summarise turns outcomes into numbers.
func Summarise(outcomes []Outcome) Score {
	s := Score{Pairs: len(outcomes), Labels: map[Label]int{}, Kinds: map[string]int{}, Alarms: map[Label]AlarmScore{}, Claims: map[claim.Kind]map[checks.Verdict]int{}}
	var ms []float64
	originals := map[string]Outcome{}
	for _, o := range outcomes {
		s.Labels[o.Pair.Label]++
		ms = append(ms, o.Result.MS)
		if o.Result.Error != nil {
			s.Errors++
			s.Kinds[o.Result.Error.Code]++
		}
		if o.Pair.Label == Original {
			originals[o.Pair.Repo+o.Pair.Commit] = o
		}
	}
	s.Latency = Latency{Median: quantile(ms, 0.5), P90: quantile(ms, 0.9), P99: quantile(ms, 0.99), Max: quantile(ms, 1)}
	s.rules(outcomes, originals)
	for _, l := range []Label{Original, Natural, Control} {
		s.Alarms[l] = alarms(outcomes, l)
	}
	s.natural(outcomes)
	s.InUseStrong, s.InUseAny = inUse(s.MacroStrong, s.Alarms[Natural].Strong), inUse(s.MacroAny, s.Alarms[Natural].Any)
	s.Reliability, s.Curve, s.Repositories = reliability(outcomes), curve(outcomes), perRepo(outcomes)
	return s
}

func (s *Score) rules(outcomes []Outcome, originals map[string]Outcome) {
	var vouching, pairedStrong, pairedAny counter
	macro := 0
	for _, rule := range AllRules {
		r := RuleScore{Rule: rule, Checks: map[string]int{}}
		var strongs, anys, located, vouched counter
		forms := map[string]*counter{}
		for _, o := range outcomes {
			if o.Pair.Label != Mutant || o.Pair.Rule != rule {
				continue
			}
			any, strong := contradicted(o.Result)
			strongs.add(strong)
			anys.add(any)
			located.add(has(o.On, checks.Contradicted))
			vouched.add(has(o.On, checks.Corroborated))
			vouching.add(has(o.On, checks.Corroborated))
			counterOf(forms, o.Pair.Form).add(any)
			for _, c := range deciders(o.Result.Claims) {
				r.Checks[c]++
			}
			oAny, oStrong := contradicted(originals[o.Pair.Repo+o.Pair.Commit].Result)
			if any {
				pairedAny.add(true)
			}
			if oAny {
				pairedAny.add(false)
			}
			if strong {
				pairedStrong.add(true)
			}
			if oStrong {
				pairedStrong.add(false)
			}
		}
		if anys.n == 0 {
			continue
		}
		r.Strong, r.Any, r.Located, r.Vouching, r.Forms = strongs.share(), anys.share(), located.share(), vouched.share(), shares(forms)
		s.Rules = append(s.Rules, r)
		if slices.Contains(MacroRules, rule) {
			macro++
			s.MacroStrong += r.Strong.Rate
			s.MacroAny += r.Any.Rate
		}
	}
	if macro > 0 {
		s.MacroStrong /= float64(macro)
		s.MacroAny /= float64(macro)
	}
	s.Vouching, s.PairedPrecisionStrong, s.PairedPrecisionAny = vouching.share(), pairedStrong.share(), pairedAny.share()
}

func alarms(outcomes []Outcome, label Label) AlarmScore {
	a := AlarmScore{Checks: map[string]int{}}
	var strongs, anys counter
	repos, rules, vouched := map[string]*counter{}, map[Rule]*counter{}, map[Rule]*counter{}
	for _, o := range outcomes {
		if o.Pair.Label != label {
			continue
		}
		any, strong := contradicted(o.Result)
		strongs.add(strong)
		anys.add(any)
		counterOf(repos, o.Pair.Repo).add(any)
		if o.Pair.Rule != "" {
			counterOf(rules, o.Pair.Rule).add(any)
			counterOf(vouched, o.Pair.Rule).add(has(o.On, checks.Corroborated))
		}
		for _, c := range deciders(o.Result.Claims) {
			a.Checks[c]++
		}
	}
	a.Strong, a.Any, a.Repos, a.Rules, a.Corroborated = strongs.share(), anys.share(), shares(repos), shares(rules), shares(vouched)
	return a
}

func (s *Score) natural(outcomes []Outcome) {
	var checkable, decided, partial, controls counter
	for _, o := range outcomes {
		switch o.Pair.Label {
		case Control:
			controls.add(has(o.On, checks.Corroborated))
		case Natural:
			named := false
			for _, f := range o.Result.Claims {
				if s.Claims[f.Kind] == nil {
					s.Claims[f.Kind] = map[checks.Verdict]int{}
				}
				s.Claims[f.Kind][f.Verdict]++
				named = named || f.Verdict != checks.Unverifiable && f.Kind != claim.KindPurpose && f.Kind != claim.KindStatement
			}
			checkable.add(named)
			decided.add(has(o.Result.Claims, checks.Corroborated) || has(o.Result.Claims, checks.Contradicted))
			partial.add(o.Result.Coverage.State != "complete")
		}
	}
	s.Checkable, s.Decided, s.Partial, s.Corroborated = checkable.share(), decided.share(), partial.share(), controls.share()
}

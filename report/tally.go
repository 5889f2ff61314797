package report

import (
	"cmp"
	"math"
	"slices"

	"github.com/saysolint/sayso/change"
	"github.com/saysolint/sayso/checks"
	"github.com/saysolint/sayso/internal/engine"
)

// maxReasons bounds the different sentences that a run's coverage lists: a
// range of any length is counted in bounded memory.
const maxReasons = 100

// class is what a finding is counted as.
type class int

const (
	classStrong class = iota
	classLikely
	classIgnored
	classUnverifiable
	classNeutral
	classCorroborated
)

func classOf(f checks.Finding) class {
	switch f.Verdict {
	case checks.Contradicted:
		switch {
		case f.Ignored != "":
			return classIgnored
		case f.Strength == checks.Strong:
			return classStrong
		}
		return classLikely
	case checks.Corroborated:
		return classCorroborated
	case checks.Unverifiable:
		return classUnverifiable
	}
	return classNeutral
}

// unread says that a subject could not be read as a whole, so that whatever
// was said of it is not an answer.
func unread(r engine.Result) bool {
	if r.Error != nil {
		return true
	}
	for _, g := range r.Coverage.Missing {
		if g.Path != "" {
			continue
		}
		switch g.Reason {
		case change.ReasonMissing, change.ReasonCorrupt, change.ReasonParent:
			return true
		}
	}
	return false
}

// tally counts results into a head.
type tally struct {
	run       Run
	sum       Summary
	counts    Counts
	cov       Coverage
	partial   bool
	notRead   counter
	missing   counter
	abstained counter
	failed    counter
	reasons   counter
	kinds     counter
	graphs    counter
}

func newTally(run Run) *tally { return &tally{run: run} }

func (t *tally) add(r engine.Result) {
	t.sum.Results++
	t.kinds.add(r.Kind, 1)
	switch {
	case unread(r):
		t.sum.Failed++
		code := "missing"
		if r.Error != nil {
			code = r.Error.Code
		}
		t.failed.add(code, 1)
		t.partial = true
	case r.Abstained != "":
		t.sum.Abstained++
		t.abstained.add(r.Abstained, 1)
	default:
		t.sum.Judged++
	}
	for _, f := range r.Claims {
		t.finding(f)
	}
	for _, h := range r.Decisions {
		t.held(h)
	}
	t.sum.Claims += len(r.Claims)
	t.sum.Observations += len(r.Observations)
	t.sum.NotClaims += r.Coverage.NotClaim
	t.coverage(r.Coverage)
}

func (t *tally) finding(f checks.Finding) {
	gates := f.Ignored == "" && !slices.Contains(t.run.Advisory, f.Check)
	one := func(count, gate *int) {
		*count++
		if gates {
			*gate++
		}
	}
	switch classOf(f) {
	case classStrong:
		one(&t.sum.Strong, &t.counts.Contradicted)
	case classLikely:
		one(&t.sum.Likely, &t.counts.Likely)
	case classUnverifiable:
		one(&t.sum.Unverifiable, &t.counts.Unverifiable)
	case classIgnored:
		t.sum.Ignored++
	case classCorroborated:
		t.sum.Corroborated++
	case classNeutral:
		t.sum.Neutral++
	}
}

// held counts an entry that the change was held against.
func (t *tally) held(h checks.Held) {
	t.sum.Recalled++
	if h.Touched != "" {
		t.sum.Touched++
	}
	if h.Verdict != checks.Contradicted {
		return
	}
	t.sum.Decisions++
	if h.Excepted != "" {
		t.sum.Excepted++
	}
	if !h.Lifted && !slices.Contains(t.run.Advisory, DecisionCheck) {
		t.counts.Decision++
	}
}

func (t *tally) coverage(c checks.Coverage) {
	t.partial = t.partial || c.State == "partial"
	t.cov.Claims += c.Claims
	t.cov.Judged += c.Judged
	t.cov.NotClaims += c.NotClaim
	t.cov.Files += c.Files
	t.cov.UnreadFiles += c.Unread
	for _, n := range c.NotRead {
		t.notRead.add(n, 1)
	}
	for _, g := range c.Missing {
		t.missing.add(string(g.Reason), 1)
	}
	if c.Graph != "" {
		t.graphs.add(c.Graph, 1)
	}
	for _, s := range c.Reasons {
		t.reasons.add(s, 1)
	}
}

func (t *tally) head() Head {
	h := Head{Schema: Schema, Run: t.run, Summary: t.sum, Coverage: t.cov}
	h.FailOn = slices.Clone(h.FailOn)
	if len(h.FailOn) == 0 {
		h.FailOn = []string{"contradicted"}
	}
	h.Summary.Kinds = t.kinds.list()
	if h.Summary.Kinds == nil {
		h.Summary.Kinds = []Count{}
	}
	h.Coverage.State = "complete"
	if t.partial {
		h.Coverage.State = "partial"
	}
	h.Coverage.NotRead = t.notRead.list()
	h.Coverage.Missing = t.missing.list()
	h.Coverage.Abstained = t.abstained.list()
	h.Coverage.Failed = t.failed.list()
	h.Coverage.Graphs = t.graphs.list()
	h.Coverage.Reasons = t.reasons.list()
	h.Coverage.MoreReasons = t.reasons.more
	h.Gate.Counts = t.counts
	h.Gate.ExitCode = h.ExitCode(h.FailOn)
	h.Gate.Met = h.Gate.ExitCode == ExitGate
	return h
}

// counter counts words, at most maxReasons different ones; the rest is counted together.
type counter struct {
	n    map[string]int
	more int
}

func (c *counter) add(name string, n int) {
	if c.n == nil {
		c.n = map[string]int{}
	}
	name = valid(name)
	if _, ok := c.n[name]; !ok && len(c.n) == maxReasons {
		c.more += n
		return
	}
	c.n[name] += n
}

// list is most first, equals by name.
func (c *counter) list() []Count {
	var out []Count
	for name, n := range c.n {
		out = append(out, Count{name, n})
	}
	slices.SortFunc(out, func(a, b Count) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Name, b.Name))
	})
	return out
}

// Normal makes a result what its JSON would come back as: lists never nil,
// numbers that JSON can hold. Text is left: every escaper reads invalid UTF-8
// as JSON does.
func Normal(r engine.Result) engine.Result {
	r.Score, r.MS = finite(r.Score), finite(r.MS)
	claims := make([]checks.Finding, len(r.Claims))
	for i, f := range r.Claims {
		f.Confidence = finite(f.Confidence)
		evidence := make([]checks.Evidence, len(f.Evidence))
		for j, e := range f.Evidence {
			e.Weight = finite(e.Weight)
			evidence[j] = e
		}
		f.Evidence = evidence
		claims[i] = f
	}
	r.Claims = claims
	held := slices.Clone(r.Decisions)
	for i := range held {
		h := &held[i]
		h.Why = append([]string{}, h.Why...)
		h.Evidence = append([]checks.Evidence{}, h.Evidence...)
		for j := range h.Evidence {
			h.Evidence[j].Weight = finite(h.Evidence[j].Weight)
		}
	}
	r.Decisions = held
	if r.Observations == nil {
		r.Observations = []checks.Observation{}
	}
	return r
}

func finite(f float64) float64 {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return 0
	}
	return f
}

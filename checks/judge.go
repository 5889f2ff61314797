package checks

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"sort"
	"strings"

	"github.com/saysolint/sayso/change"
	"github.com/saysolint/sayso/claim"
)

// Doc is what a check says of itself: the source of `sayso explain`, of the
// manual's page and of the rules in SARIF.
type Doc struct {
	ID       string // stable
	Title    string // one line
	Text     string // a paragraph or two
	Fires    string // an example that is contradicted
	Quiet    string // an example that looks alike and is honest
	Needs    string // what it needs to judge: "the diff", "the index", ...
	Default  string // gate, advisory or off
	Since    string // version
	Advisory string // why it is advisory, where it is
}

// Check is one way of looking for evidence.
type Check struct {
	Doc
	kind  claim.Kind
	judge func(x *judging, c *claim.Claim) outcome
}

// All is every check, in the order in which they are documented.
func All() []Check {
	return []Check{scopeCheck, pathCheck, actionCheck, identifierCheck, typeCheck, componentCheck, quantityCheck, testsCheck, revertCheck, trailerCheck, purposeCheck, lexicalCheck, similarityCheck, undisclosedCheck, ciCheck, issueCheck, decisionCheck}
}

// Docs is the documentation of every check.
func Docs() []Doc {
	var out []Doc
	for _, c := range All() {
		out = append(out, c.Doc)
	}
	return out
}

// outcome is what a check makes of a claim.
type outcome struct {
	drop       bool // not a claim after all: the repository does not know the name
	verdict    Verdict
	suspicion  float64 // log-odds that the claim is false; what makes a contradiction is for the thresholds
	reason     string
	fix        string
	evidence   []Evidence
	confidence float64 // of a corroboration
	weak       bool    // never more than likely
	by         string  // id of the check that came to it, where that is not the owner of the claim
}

func neutral(format string, a ...any) outcome {
	return outcome{verdict: Neutral, reason: fmt.Sprintf(format, a...)}
}

func unverifiable(format string, a ...any) outcome {
	return outcome{verdict: Unverifiable, reason: fmt.Sprintf(format, a...)}
}

func corroborated(confidence float64, reason string, ev ...Evidence) outcome {
	return outcome{verdict: Corroborated, confidence: confidence, reason: reason, evidence: ev}
}

var dropped = outcome{drop: true}

// judging is one run of Judge.
type judging struct {
	in  Input
	f   *change.Facts
	m   *claim.Message
	cat *categories
	sup map[*claim.Message]*support

	runs *runCounts // of letters in the change, counted when first asked for

	weights *Weights
	asked   map[weight]bool // gathers the weights that are asked for, where a fit wants to know; else nil
}

func newJudging(in Input) *judging {
	x := &judging{in: in, f: in.Facts, sup: map[*claim.Message]*support{}, weights: in.Weights}
	if x.weights == nil {
		x.weights = &shipped
	}
	return x
}

// Judge holds every claim of the messages against the change.
func Judge(in Input) Judgement {
	j := Judgement{Verdict: Neutral, Claims: []Finding{}, Observations: []Observation{}}
	j.Coverage = coverageOf(in)
	if in.Abstain != "" {
		j.Abstained = in.Abstain
		return j
	}
	x := newJudging(in)
	byKind := checksByKind()
	whole := wholeGap(in.Facts.Change)
	var scores []float64
	for _, m := range in.Messages {
		x.m = m
		x.cat = nil
		from := len(j.Claims)
		starts := map[int]*claim.Claim{}
		for i := range m.Claims {
			c := &m.Claims[i]
			check := byKind[c.Kind]
			if check == nil || in.level(check) == "off" {
				continue
			}
			var o outcome
			if whole != "" {
				o = unverifiable("the change could not be read (%s)", whole)
			} else {
				o = x.outcome(check, c)
			}
			if o.drop {
				continue
			}
			if why, ok := x.hidden(c, o); ok {
				o = unverifiable("%s", why)
			}
			f := x.finding(check, m, c, o)
			starts[len(j.Claims)] = c
			j.Claims = append(j.Claims, f)
			if f.Ignored == "" && o.verdict != Unverifiable {
				scores = append(scores, o.suspicion)
			}
		}
		demote(j.Claims[from:], from, starts)
		j.Coverage.NotClaim += m.NotClaims
		for _, n := range m.NotRead {
			j.Coverage.NotRead = appendOnce(j.Coverage.NotRead, n)
		}
		if m.Special == claim.Fixup && j.Abstained == "" {
			j.Abstained = "fixup commit"
		}
	}
	if in.Levels["undisclosed"] != "off" {
		j.Observations = observe(x)
	}
	x.conclude(&j, scores)
	return j
}

// checksByKind is the check that owns each kind of claim.
func checksByKind() map[claim.Kind]*Check {
	byKind := map[claim.Kind]*Check{}
	all := All()
	for i := range all {
		if all[i].judge != nil {
			byKind[all[i].kind] = &all[i]
		}
	}
	return byKind
}

// outcome asks one check about one claim of x.m.
func (x *judging) outcome(check *Check, c *claim.Claim) outcome {
	o := check.judge(x, c)
	if id, ok := offsets[check.ID]; ok && o.suspects() {
		o.suspicion += x.w(id)
	}
	if x.in.CherryPickLenient(x.m) && o.suspicion > 0 {
		o.suspicion *= 0.6
	}
	return o
}

// suspects says that there is evidence against the claim: whether it is enough is for the thresholds.
func (o *outcome) suspects() bool {
	return !o.drop && o.suspicion != 0 && (o.verdict == "" || o.verdict == Contradicted)
}

// offsets are the weights that move all suspicion of a check whose own steps
// are fixed in its file.
var offsets = map[string]weight{"scope": scopeOffset, "path": pathOffset, "tests": testsOffset, "revert": revertOffset, "trailer": revertOffset}

// hidden says whether an accusation rests on text that a masker of secrets took
// out: on a line with the mark in it, or on the absence of something from a change that has such lines.
func (x *judging) hidden(c *claim.Claim, o outcome) (why string, ok bool) {
	if o.suspicion < x.w(thresholdLikely) || o.verdict != "" && o.verdict != Contradicted {
		return "", false
	}
	switch c.Kind {
	case claim.KindIdentifier, claim.KindQuantity, claim.KindAction, claim.KindTests, claim.KindPurpose:
	default:
		return "", false
	}
	for _, g := range x.f.Change.Gaps {
		if g.Reason != change.ReasonRedacted {
			continue
		}
		for _, e := range o.evidence {
			if e.Path == "" || e.Path == g.Path && strings.Contains(e.Text, change.Redacted) {
				return "text of the change is redacted in " + quote(g.Path), true
			}
		}
	}
	return "", false
}

// wholeGap is why nothing at all of a change could be read, "" where something was.
func wholeGap(c *change.Change) change.Reason {
	if len(c.Files) > 0 {
		return ""
	}
	for _, g := range c.Gaps {
		if g.Path == "" && g.Reason != change.ReasonMerge {
			return g.Reason
		}
	}
	return ""
}

// CherryPickLenient says whether a message says that it was picked from elsewhere.
func (in *Input) CherryPickLenient(m *claim.Message) bool { return m.CherryPick }

func (in *Input) level(c *Check) string {
	if l, ok := in.Levels[c.ID]; ok {
		return l
	}
	return c.Default
}

// finding turns an outcome into a finding, by the thresholds.
func (x *judging) finding(check *Check, m *claim.Message, c *claim.Claim, o outcome) Finding {
	f := Finding{Claim: *c, Check: check.ID, Reason: o.reason, Evidence: o.evidence, Verdict: o.verdict}
	if f.Evidence == nil {
		f.Evidence = []Evidence{}
	}
	if o.by != "" {
		f.Check = o.by
	}
	if o.verdict == Contradicted || o.verdict == "" {
		likely, strong := x.w(thresholdLikely), x.w(thresholdStrong)
		if check.kind == claim.KindPurpose {
			likely = x.w(purposeLikely)
		}
		switch {
		case o.suspicion >= strong && !o.weak && x.in.level(check) != "advisory":
			f.Verdict, f.Strength = Contradicted, Strong
		case o.suspicion >= likely:
			f.Verdict, f.Strength = Contradicted, Likely
		default:
			f.Verdict = Neutral
		}
	}
	switch f.Verdict {
	case Contradicted:
		if m.SquashBody && !c.InHeader && c.Standing != claim.Subject {
			// True, perhaps, of a state between the commits that became one.
			f.Reason += " (left from a squash?)"
		}
		f.Confidence = round(x.calibrate(o.suspicion))
		f.Fix = o.fix
	case Corroborated:
		f.Confidence = round(o.confidence)
	case Neutral:
		f.Confidence = round(1 - x.calibrate(o.suspicion))
	}
	f.Ignored = x.ignored(check)
	if f.Ignored == "" && x.in.Exceptions != nil && f.Verdict == Contradicted {
		f.Ignored = x.in.Exceptions(check.ID, x.paths())
	}
	f.Fingerprint = x.fingerprint(check, c)
	return f
}

// ignored is the reason that a Sayso-Ignore line of the text gives, "" for none.
func (x *judging) ignored(check *Check) (reason string) {
	for _, ig := range x.m.Ignores {
		if ig.Reason != "" && (ig.Check == check.ID || ig.Check == "all") { // without a reason the line is not in force
			reason = ig.Reason
		}
	}
	return reason
}

// fingerprint is the same for the same words under the same check, wherever they stand.
func (x *judging) fingerprint(check *Check, c *claim.Claim) string {
	sum := sha256.Sum256([]byte(check.ID + "\x00" + strings.ToLower(strings.Join(strings.Fields(c.Text), " ")) + "\x00" + c.Name))
	return hex.EncodeToString(sum[:8])
}

func (x *judging) paths() []string {
	var out []string
	for i := range x.f.Change.Files {
		out = append(out, x.f.Change.Files[i].Path)
	}
	return out
}

// demote takes corroborations back that stand in the same clause, or the same
// header, as a contradiction: a statement that is half false is not vouched for.
func demote(fs []Finding, from int, claims map[int]*claim.Claim) {
	for i := range fs {
		if fs[i].Verdict != Contradicted {
			continue
		}
		a := claims[from+i]
		for k := range fs {
			if fs[k].Verdict != Corroborated {
				continue
			}
			b := claims[from+k]
			same := a.InHeader && b.InHeader ||
				a.Statement == b.Statement && a.Statement >= 0 && (a.Clause == b.Clause || a.Clause < 0 || b.Clause < 0 || overlap(a, b))
			if same {
				fs[k].Verdict = Neutral
				fs[k].Reason = "stands in the same statement as a contradicted claim; by itself: " + fs[k].Reason
				fs[k].Confidence = 0.5
			}
		}
	}
}

func overlap(a, b *claim.Claim) bool { return a.Start < b.End && b.Start < a.End }

// conclude fills in the verdict, the strength, the score and the counts.
func (x *judging) conclude(j *Judgement, scores []float64) {
	byPlace(j.Claims)
	any := map[Verdict]bool{}
	for _, f := range j.Claims {
		j.Coverage.Claims++
		if f.Verdict != Unverifiable {
			if f.Kind != claim.KindStatement {
				j.Coverage.Judged++
			}
		} else {
			j.Coverage.Reasons = appendOnce(j.Coverage.Reasons, f.Reason)
		}
		if f.Verdict == Contradicted && f.Ignored != "" {
			continue
		}
		any[f.Verdict] = true
		if f.Verdict == Contradicted && j.Strength != Strong {
			j.Strength = f.Strength
		}
	}
	j.Verdict = worst(any)
	// Sum of odds over the claims: one convinced check is enough, many doubtful ones add up slowly.
	odds := 0.0
	for _, s := range scores {
		if s != 0 {
			odds += math.Exp(min(s, 20))
		}
	}
	if odds > 0 {
		j.Score = round(x.calibrate(math.Log(odds)))
	} else {
		j.Score = round(x.calibrate(x.w(noSuspicion)))
	}
	sortReasons(&j.Coverage)
}

// byPlace sorts findings as a reader meets them.
func byPlace(claims []Finding) {
	sort.SliceStable(claims, func(i, k int) bool {
		a, b := claims[i].Place, claims[k].Place
		if a.Source != b.Source {
			return a.Source > b.Source // title before body
		}
		if a.Line != b.Line {
			return a.Line < b.Line
		}
		return a.Column < b.Column
	})
}

// worst is what a text comes to whose claims have these verdicts.
func worst(any map[Verdict]bool) Verdict {
	for _, v := range []Verdict{Contradicted, Corroborated, Unverifiable} {
		if any[v] {
			return v
		}
	}
	return Neutral
}

// sortReasons ends a coverage: what is missing makes it partial.
func sortReasons(c *Coverage) {
	sort.Strings(c.Reasons)
	sort.Strings(c.NotRead)
	if len(c.Reasons) > 0 || len(c.NotRead) > 0 {
		c.State = "partial"
	}
}

func coverageOf(in Input) Coverage {
	c := Coverage{State: "complete"}
	if in.Graph != nil {
		c.Graph = in.GraphFrom
	}
	c.Files = len(in.Facts.Change.Files)
	for i := range in.Facts.Change.Files {
		if in.Facts.Change.Files[i].Unread != "" {
			c.Unread++
		}
	}
	if c.Files > 0 && c.Unread == c.Files {
		c.State = "partial" // nothing of what the change did could be looked at
	}
	for _, g := range in.Facts.Change.Gaps {
		if g.Reason != change.ReasonMerge {
			c.Missing = append(c.Missing, g)
		}
		switch g.Reason {
		case change.ReasonMissing, change.ReasonCorrupt, change.ReasonCapped, change.ReasonOversized, change.ReasonParent, change.ReasonRedacted:
			c.State = "partial"
		}
	}
	return c
}

func appendOnce(list []string, s string) []string {
	for _, have := range list {
		if have == s {
			return list
		}
	}
	return append(list, s)
}

func round(p float64) float64 { return math.Round(p*1000) / 1000 }

// ---- what several checks share ----

// line is evidence at a place of the diff.
func (x *judging) line(at change.At, fact string, forClaim bool, weight float64) Evidence {
	e := Evidence{Fact: fact, For: forClaim, Path: x.f.Path(at), Weight: weight}
	if at.Line != nil {
		if at.Line.Op == '-' {
			e.Line, e.Side = at.Line.Old, "old"
		} else {
			e.Line, e.Side = at.Line.New, "new"
		}
		e.Text = clip(strings.TrimSpace(at.Line.Text), 200)
	}
	return e
}

func absent(fact string, weight float64) Evidence { return Evidence{Fact: fact, Weight: weight} }

func clip(s string, n int) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	return string(r[:n-1]) + "…"
}

// incomplete is the outcome where absence means nothing because something was not read.
func (x *judging) incomplete() outcome {
	for _, g := range x.f.Change.Gaps {
		switch g.Reason {
		case change.ReasonBinary, change.ReasonLFS, change.ReasonSubmodule, change.ReasonMerge:
			continue
		}
		if g.Reason == change.ReasonRedacted {
			return unverifiable("text of the change is redacted in %s", quote(g.Path))
		}
		where := "part of the change"
		if g.Path != "" {
			where = "a file of the change"
		}
		return unverifiable("%s could not be read (%s)", where, g.Reason)
	}
	return unverifiable("the change is too large to be read whole")
}

func plural(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	if strings.HasSuffix(one, "y") {
		return fmt.Sprintf("%d %sies", n, one[:len(one)-1])
	}
	return fmt.Sprintf("%d %ss", n, one)
}

package learn

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/saysolint/sayso/checks"
	"github.com/saysolint/sayso/memory"
)

// Ruling is what the agreement engine says of the words of a draft, held against
// the change that they came with.
type Ruling struct {
	Verdict  checks.Verdict  `json:"verdict"`            // of the words
	Strength checks.Strength `json:"strength,omitempty"` // only when contradicted
	Check    string          `json:"check,omitempty"`    // id of the check that decided
	Claim    string          `json:"claim,omitempty"`    // the claim that it decided about; empty where the words hold none
	Reason   string          `json:"reason"`             // one plain sentence
	Path     string          `json:"path,omitempty"`     // the place that the reason names
	Line     int             `json:"line,omitempty"`     // of it, from 1
}

// Judge holds words against a change: those of one draft, or for "" the change's own
// text. An error is what keeps all further ones from being judged as well.
type Judge func(ctx context.Context, words string) (checks.Judgement, error)

// Rule judges drafts of one change. What is marked is judged by its own words; a
// suggestion by the text that it was read out of. A draft whose words are contradicted
// is held, and becomes a handoff, which states nothing, unless it is a decision or a
// convention, which state nothing anyway.
func Rule(ctx context.Context, drafts []Draft, judge Judge) error {
	for i := range drafts {
		d := &drafts[i]
		words := d.Quote
		if !d.Mark.Explicit() {
			words = ""
		}
		j, err := judge(ctx, words)
		if err != nil {
			return err
		}
		d.Ruling = rulingOf(j)
		if d.Ruling.Verdict != checks.Contradicted {
			continue
		}
		if err := d.hold(); err != nil {
			d.Warnings = append(d.Warnings, memory.Line(err.Error()))
		}
	}
	return nil
}

// rulingOf is the finding that speaks for a judgement: a contradiction before all else.
func rulingOf(j checks.Judgement) *Ruling {
	order := []checks.Verdict{checks.Contradicted, checks.Corroborated, checks.Neutral, checks.Unverifiable}
	best := -1
	for i, f := range j.Claims {
		if f.Ignored == "" && (best < 0 || slices.Index(order, f.Verdict) < slices.Index(order, j.Claims[best].Verdict)) {
			best = i
		}
	}
	if best < 0 {
		r := &Ruling{Verdict: checks.Neutral, Reason: "there is no claim in it that a diff could answer"}
		if j.Abstained != "" {
			r.Verdict, r.Reason = checks.Unverifiable, "not judged: "+j.Abstained
		}
		return r
	}
	f := j.Claims[best]
	r := &Ruling{Verdict: f.Verdict, Strength: f.Strength, Check: f.Check, Claim: cut(memory.Line(f.Text), 200), Reason: memory.Line(f.Reason)}
	for _, e := range f.Evidence {
		if e.Path != "" && e.For == (f.Verdict == checks.Corroborated) {
			r.Path, r.Line = memory.Line(e.Path), e.Line
			break
		}
	}
	return r
}

// hold makes a draft one that states nothing, and that nobody accepts unseen.
func (d *Draft) hold() error {
	d.Held = "the change contradicts it: " + d.Ruling.Reason
	e := d.Entry.Clone()
	// What is to be done from now on need not be what this change did; what is said to be so has to be.
	if e.Kind != memory.KindDecision && e.Kind != memory.KindConvention {
		e.Kind = memory.KindHandoff
	}
	e.Tags = append(slices.DeleteFunc(e.Tags, func(t string) bool { return t == "contradicted" }), "contradicted")
	e.Notes = strings.TrimSpace(fmt.Sprintf("The change that this came with contradicts it: %s. Find out which of them is right.\n\n%s", strings.TrimSuffix(d.Ruling.Reason, "."), e.Notes))
	d.Entry = e
	return d.finish()
}

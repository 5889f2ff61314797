package action

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"github.com/saysolint/sayso/internal/engine"
	"github.com/saysolint/sayso/report"
)

// HandoverSchema names the shape of what a run that may not write leaves for one
// that may.
const HandoverSchema = "sayso.handover/v1"

// MaxHandover is the largest hand-over that is read.
const MaxHandover = 16 << 20

// Handover is a judged pull request on its way from a run with a fork's token to
// one that may write. Whoever reads it takes nothing in it for granted: it was made
// where the pull request's author has a say.
type Handover struct {
	Schema string          `json:"schema"`
	Repo   string          `json:"repo"`   // owner/name
	Number int             `json:"number"` // of the pull request
	Head   string          `json:"head"`   // commit that was judged
	Base   string          `json:"base"`   // merge base
	Memory string          `json:"memory,omitempty"`
	Report json.RawMessage `json:"report"` // sayso.report/v1
}

// NewHandover packs a publication, with secrets masked: an artifact is read by more
// people than a log.
func NewHandover(p Publication) ([]byte, error) {
	var raw bytes.Buffer
	if _, err := (JSON{W: &raw}).Publish(context.Background(), p); err != nil {
		return nil, fmt.Errorf("hand-over: %w", err)
	}
	return json.Marshal(Handover{HandoverSchema, p.Target.Repo.String(), p.Target.Number, p.Target.Head, p.Target.Base, p.Memory, raw.Bytes()})
}

// ParseHandover reads a hand-over. Only its shape is checked, and its report's.
func ParseHandover(data []byte) (Handover, report.Report, error) {
	var h Handover
	if len(data) > MaxHandover {
		return h, report.Report{}, fmt.Errorf("the hand-over has %d bytes, at most %d are read", len(data), MaxHandover)
	}
	if err := json.Unmarshal(data, &h); err != nil {
		return h, report.Report{}, fmt.Errorf("the hand-over is not JSON: %s", clipRunes(err.Error(), 200))
	}
	switch {
	case h.Schema != HandoverSchema:
		return h, report.Report{}, fmt.Errorf("the hand-over is of schema %.60q, this version reads %q", h.Schema, HandoverSchema)
	case h.Number < 1:
		return h, report.Report{}, fmt.Errorf("the hand-over names no pull request")
	case !isHash(h.Head) || !isHash(h.Base):
		return h, report.Report{}, fmt.Errorf("the hand-over names no commits")
	}
	rep, err := report.Parse(h.Report)
	return h, rep, err
}

// publishHandover says what an earlier run found: as that run's findings, after the
// API has borne out which pull request and which commit they are about.
func (r *Runner) publishHandover(ctx context.Context, done *Done) error {
	e := r.Event
	if len(r.Handover) == 0 {
		done.Mode, done.Why = ModeNone, "the earlier run left nothing to publish"
		return nil
	}
	h, rep, err := ParseHandover(r.Handover)
	if err != nil {
		return err
	}
	if h.Repo != e.Repo.String() {
		return fmt.Errorf("the hand-over is about %.100q, this is %s", h.Repo, e.Repo)
	}
	pr, err := r.Hub.PullRequest(ctx, e.Repo, h.Number)
	if err != nil {
		return err
	}
	switch {
	case e.Head != "" && h.Head != e.Head:
		return fmt.Errorf("the hand-over is about commit %.12s, the run that left it was about %.12s", h.Head, e.Head)
	case e.RunHeadRepo != "" && pr.Head.Repo != (Repo{}) && pr.Head.Repo.String() != e.RunHeadRepo:
		return fmt.Errorf("pull request #%d comes from %s, the run that left the hand-over from %.100q", h.Number, pr.Head.Repo, e.RunHeadRepo)
	case pr.Head.SHA != h.Head:
		done.Why = "the pull request has moved on since: a later run will say it"
		done.Mode = ModeNone
		return nil
	}
	t := r.Target
	t.Number, t.Head, t.Base = pr.Number, h.Head, h.Base
	kept, note := r.kept(ctx, t)
	if note != "" {
		done.Notes = append(done.Notes, note)
	}
	lift(rep.Results, kept.Lifted)
	// Counted again: what the hand-over says of itself is not believed.
	again, err := r.recount(rep)
	if err != nil {
		return err
	}
	p := Publication{Target: t, Report: again, FullAt: t.RunURL, Rules: r.Rules, Learned: kept.Learned, Lifted: kept.Lifted}
	if isHash(h.Memory) {
		p.Memory = h.Memory
	}
	return r.publish(ctx, done, p)
}

// recount makes a report of the results of another, under our own gate and name.
func (r *Runner) recount(rep report.Report) (report.Report, error) {
	rep.Tool, rep.FailOn = r.Tool, r.FailOn
	raw, err := json.Marshal(rep)
	if err != nil {
		return rep, err
	}
	return report.Parse(raw)
}

// collect gathers results.
func collect(into *[]engine.Result) func(engine.Result) error {
	return func(res engine.Result) error {
		*into = append(*into, res)
		return nil
	}
}

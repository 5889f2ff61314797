package action

import (
	"context"
	"errors"
	"fmt"

	"github.com/saysolint/sayso/report"
)

// CheckRunPublisher writes a check run of its own on the head commit, with
// annotations.
type CheckRunPublisher struct {
	API Checks
	// Check is the name, of which a commit should have one; "" is "sayso".
	Check string
	// FailOn are the words of the gate: what meets them concludes in failure.
	FailOn []string
	// NeutralOn are words of the gate that conclude in neutral where they are met and the
	// gate is not. GitHub takes neutral for passed where the check is required; none by
	// default, so that nothing is let through that looks like a warning.
	NeutralOn []string
}

// annotationBatch is how many annotations one request may carry.
const annotationBatch = 50

// maxAnnotations bounds the requests that one check run takes.
const maxAnnotations = 500

// Name is check-run.
func (*CheckRunPublisher) Name() string { return "check-run" }

// Conclusion is failure where the gate is met, neutral where a word of neutralOn is,
// action_required where something that was asked for could not be read under a gate, else
// success: what is unverifiable is counted in the summary and blocks nobody.
func Conclusion(r report.Report, failOn, neutralOn []string) string {
	switch {
	case r.ExitCode(failOn) == report.ExitGate:
		return "failure"
	case len(neutralOn) > 0 && r.ExitCode(neutralOn) == report.ExitGate:
		return "neutral"
	case r.Summary.Failed > 0 && gates(failOn):
		return "action_required"
	}
	return "success"
}

func gates(failOn []string) bool {
	for _, w := range failOn {
		if w != "never" {
			return true
		}
	}
	return false
}

// Publish makes the check run, or brings that of the same run of the job up to date.
// Annotations are appended in batches, each only after the ones before are counted: a
// batch whose answer was lost is not sent twice.
func (c *CheckRunPublisher) Publish(ctx context.Context, p Publication) (Outcome, error) {
	out := Outcome{Publisher: c.Name()}
	name := c.Check
	if name == "" {
		name = "sayso"
	}
	notes, cut := annotationsOf(p)
	text, bodyCut, quiet := body(p, after(commentState{}, p), checkBudget, false)
	out.Cut = cut + bodyCut
	w := CheckRunWrite{
		Name: name, SHA: p.Target.Head, Status: "completed", Conclusion: Conclusion(p.Report, c.FailOn, c.NeutralOn),
		ExternalID: fmt.Sprintf("sayso-%d-%d", p.Target.Run, p.Target.Attempt), Title: checkTitle(p, quiet), Summary: text,
	}
	if webAddress(p.Target.RunURL) {
		w.DetailsURL = p.Target.RunURL
	}
	const rounds = 6
	sent, id := 0, int64(0)
	for n := 0; n < rounds; n++ {
		err := c.step(ctx, p, &w, &id, &sent, notes, &out)
		switch {
		case err == nil && sent >= len(notes):
			out.State = Published
			return out, nil
		case err == nil:
			n--
			continue
		case errors.Is(err, ErrForbidden), errors.Is(err, ErrNotFound):
			out.State, out.Reason = Refused, err.Error()
			return out, nil
		case !errors.Is(err, ErrUnavailable) || n == rounds-1:
			out.State, out.Reason = Failed, err.Error()
			return out, err
		}
		if err := sleep(ctx, backoff(n)); err != nil {
			return out, err
		}
		// Did it arrive all the same?
		if err := c.find(ctx, p, w, &id, &sent); err != nil && ctx.Err() != nil {
			return out, err
		}
	}
	out.State, out.Reason = Failed, "the check run did not settle"
	return out, errors.New(out.Reason)
}

// step sends the next batch: the first with a new check run, the others to it.
func (c *CheckRunPublisher) step(ctx context.Context, p Publication, w *CheckRunWrite, id *int64, sent *int, notes []Annotation, out *Outcome) error {
	if *id == 0 {
		if err := c.find(ctx, p, *w, id, sent); err != nil {
			return err
		}
	}
	if *id != 0 && *sent > len(notes) {
		*sent = len(notes)
	}
	w.Annotations = notes[*sent:min(*sent+annotationBatch, len(notes))]
	var made CheckRun
	var err error
	if *id == 0 {
		made, err = c.API.CreateCheckRun(ctx, p.Target.Repo, *w)
	} else {
		made, err = c.API.UpdateCheckRun(ctx, p.Target.Repo, *id, *w)
	}
	if err != nil {
		return err
	}
	*id, out.URL = made.ID, made.URL
	*sent += len(w.Annotations)
	return nil
}

// find looks for the check run of this run of the job and counts its annotations.
func (c *CheckRunPublisher) find(ctx context.Context, p Publication, w CheckRunWrite, id *int64, sent *int) error {
	list, err := c.API.CheckRuns(ctx, p.Target.Repo, p.Target.Head)
	if err != nil {
		return err
	}
	for _, r := range list.Items {
		if r.Name != w.Name || r.ExternalID != w.ExternalID {
			continue
		}
		n, err := c.API.CountAnnotations(ctx, p.Target.Repo, r.ID)
		if err != nil {
			return err
		}
		*id, *sent = r.ID, n
		return nil
	}
	return nil
}

func checkTitle(p Publication, quiet bool) string {
	if quiet {
		return "nothing needs attention"
	}
	return plain(report.VerdictLine(p.Report.Head), 200)
}

// annotationsOf are the remarks that have a place in the tree, worst first.
func annotationsOf(p Publication) (out []Annotation, cut int) {
	for _, m := range report.Remarks(p.Report) {
		if m.Path == "" || m.Old || m.Ignored != "" {
			continue
		}
		if len(out) == maxAnnotations {
			cut++
			continue
		}
		level := map[string]string{"error": "failure", "warning": "warning"}[m.Level]
		if level == "" {
			level = "notice"
		}
		// GitHub takes 255 bytes of a title and 64 KiB of a message.
		out = append(out, Annotation{Path: plain(m.Path, 1000), Line: max(m.Line, 1), Level: level,
			Title: plain("sayso: "+m.Title, 60), Message: plain(m.Message, 4000)})
	}
	return out, cut
}

package action

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/saysolint/sayso/internal/secret"
	"github.com/saysolint/sayso/report"
)

// This file has the publishers that need no token: they have the findings where the
// comment may not be written.

// Summary writes the summary of a step. The file is the caller's
// (GITHUB_STEP_SUMMARY), which is appended to.
type Summary struct{ W io.Writer }

// Name is summary.
func (Summary) Name() string { return "summary" }

// Publish writes the whole of p in Markdown, within what a step may write.
func (s Summary) Publish(_ context.Context, p Publication) (Outcome, error) {
	text, cut, _ := body(p, after(commentState{}, p), summaryBudget, false)
	return written(Outcome{Publisher: s.Name(), Cut: cut}, s.W, []byte("## sayso\n\n"+text+"\n"))
}

// Annotations writes workflow commands to a job's log.
type Annotations struct{ W io.Writer }

// Name is annotations.
func (Annotations) Name() string { return "annotations" }

// Publish writes at most ten commands of each level, worst first.
func (a Annotations) Publish(_ context.Context, p Publication) (Outcome, error) {
	return render(a.Name(), a.W, report.GitHub, p)
}

// SARIF writes a file for code scanning.
type SARIF struct{ W io.Writer }

// Name is sarif.
func (SARIF) Name() string { return "sarif" }

// Publish writes the report as SARIF 2.1.0.
func (s SARIF) Publish(_ context.Context, p Publication) (Outcome, error) {
	return render(s.Name(), s.W, report.SARIF, p)
}

// JSON writes the report for programs, and for a run that may publish more.
type JSON struct{ W io.Writer }

// Name is json.
func (JSON) Name() string { return "json" }

// Publish writes the report in its own form.
func (j JSON) Publish(_ context.Context, p Publication) (Outcome, error) {
	return render(j.Name(), j.W, report.JSON, p)
}

func render(name string, w io.Writer, f report.Format, p Publication) (Outcome, error) {
	var out bytes.Buffer
	if err := report.Render(&out, f, p.Report, report.Options{Rules: p.Rules}); err != nil {
		return Outcome{Publisher: name, State: Failed, Reason: err.Error()}, err
	}
	// Line by line: no value goes over a line, and no mark may go from one value into
	// another. A mark has no character that any of the formats would have to escape.
	lines := strings.SplitAfter(out.String(), "\n")
	for i, l := range lines {
		lines[i], _ = secret.Mask(l)
	}
	return written(Outcome{Publisher: name}, w, []byte(strings.Join(lines, "")))
}

func written(o Outcome, w io.Writer, text []byte) (Outcome, error) {
	o.State = Published
	if _, err := w.Write(text); err != nil {
		o.State, o.Reason = Failed, err.Error()
		return o, fmt.Errorf("write the %s: %w", o.Publisher, err)
	}
	return o, nil
}

// PublishAll asks each publisher, whatever became of the others. The order is the
// caller's: with those that need no token last, their readers learn from
// Unpublished what could not be shown in its place.
func PublishAll(ctx context.Context, p Publication, all ...Publisher) []Outcome {
	var out []Outcome
	for _, pub := range all {
		at := p
		if lost := Unpublished(out); len(lost) > 0 {
			at.Sections = append(append([]Section(nil), p.Sections...), Section{Title: "Not shown elsewhere", Lines: lost})
		}
		o, err := pub.Publish(ctx, at)
		if err != nil && o.State != Failed {
			o = Outcome{Publisher: pub.Name(), State: Failed}
		}
		if err != nil && o.Reason == "" {
			o.Reason = err.Error()
		}
		o.Publisher = pub.Name()
		out = append(out, o)
	}
	return out
}

// Unpublished says in plain sentences which publishers could not show anything.
func Unpublished(outcomes []Outcome) []string {
	var out []string
	for _, o := range outcomes {
		if o.State == Refused || o.State == Failed {
			out = append(out, strings.TrimSpace("the "+o.Publisher+" could not be published: "+o.Reason))
		}
	}
	return out
}

package main

import (
	"bytes"
	"context"
	"fmt"
	"os"

	"github.com/saysolint/sayso/action"
	"github.com/saysolint/sayso/report"
)

// summaryBudget is what a step's summary may have: GitHub drops one over a megabyte
// as a whole.
const summaryBudget = 1_000_000

// reportPublisher shows a publication in one of the formats of package report, in a
// place of the job that needs no token: the log, the summary, a file.
type reportPublisher struct {
	name   string
	format report.Format
	show   func(p action.Publication, text []byte) error
}

// Name is the publisher's.
func (r *reportPublisher) Name() string { return r.name }

// Publish renders and shows it.
func (r *reportPublisher) Publish(_ context.Context, p action.Publication) (action.Outcome, error) {
	var buf bytes.Buffer
	if err := report.Render(&buf, r.format, p.Report, report.Options{Rules: p.Rules}); err != nil {
		return action.Outcome{Publisher: r.name, State: action.Failed, Reason: err.Error()}, err
	}
	if buf.Len() == 0 {
		return action.Outcome{Publisher: r.name, State: action.Silent}, nil
	}
	if err := r.show(p, buf.Bytes()); err != nil {
		return action.Outcome{Publisher: r.name, State: action.Failed, Reason: err.Error()}, err
	}
	return action.Outcome{Publisher: r.name, State: action.Published}, nil
}

// localPublishers are those that need no token.
func (a *app) localPublishers(f actionFlags) []action.Publisher {
	var all []action.Publisher
	if f.annotate == "true" {
		all = append(all, &reportPublisher{"annotations", "github", func(_ action.Publication, text []byte) error {
			_, err := a.stdout.Write(text)
			return err
		}})
	}
	if path := a.getenv("GITHUB_STEP_SUMMARY"); f.summary == "true" && path != "" {
		all = append(all, &reportPublisher{"summary", report.MD, func(p action.Publication, text []byte) error {
			return appendSummary(path, p, text)
		}})
	}
	if f.sarif != "" {
		all = append(all, &reportPublisher{"sarif", "sarif", func(_ action.Publication, text []byte) error { return a.writeFile(f.sarif, text) }})
	}
	return all
}

// appendSummary adds to the summary of the step, cut at the end of a line.
func appendSummary(path string, p action.Publication, text []byte) error {
	var b bytes.Buffer
	for _, s := range p.Sections {
		fmt.Fprintf(&b, "**%s**\n\n", report.Markdown(s.Title))
		for _, line := range s.Lines {
			fmt.Fprintf(&b, "- %s\n", report.Markdown(line))
		}
		b.WriteByte('\n')
	}
	b.Write(text)
	out := b.Bytes()
	if len(out) > summaryBudget {
		cut := bytes.LastIndexByte(out[:summaryBudget], '\n') + 1
		left := len(out) - cut
		out = fmt.Appendf(out[:cut:cut], "\n%d bytes more are in the log of the run.\n", left)
	}
	file, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY|os.O_CREATE, 0o644)
	if err != nil {
		return plainIOError(err)
	}
	_, err = file.Write(out)
	if cerr := file.Close(); err == nil {
		err = cerr
	}
	return err
}

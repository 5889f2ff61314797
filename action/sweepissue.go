package action

import (
	"context"
	"fmt"
	"strings"
)

// Sweeper looks through the memory.
type Sweeper interface {
	// Sweep goes on from where a cursor says that the last run ended; "" begins anew.
	Sweep(ctx context.Context, cursor string) (Swept, error)
}

// Swept is what a sweep found.
type Swept struct {
	Findings int
	Body     string // Markdown, escaped, with how much was covered
	Cursor   string // where the next run goes on; "" where all was seen
	Code     int    // exit code of the same sweep on the command line
}

// The issue that a sweep keeps up to date.
const (
	sweepLabel = "sayso-sweep"
	sweepTitle = "Memory sweep: entries that need a look"
	sweepMark  = "<!-- sayso:sweep"
	maxIssue   = 60_000 // characters of an issue, below what GitHub takes
)

// sweep looks through the memory and opens, updates or closes one issue about it.
func (r *Runner) sweep(ctx context.Context, done *Done) error {
	if r.Sweeper == nil {
		done.Mode, done.Why = ModeNone, "there is nothing that sweeps the memory"
		return nil
	}
	var issue Issue
	var found bool
	if r.SweepIssue {
		var err error
		if issue, found, err = r.sweepIssue(ctx); err != nil {
			return err
		}
	}
	swept, err := r.Sweeper.Sweep(ctx, cursorOf(issue.Body))
	if err != nil {
		return err
	}
	done.Code = swept.Code
	if len(r.FailOn) == 1 && r.FailOn[0] == "never" && done.Code == 1 {
		done.Code = 0 // findings fail the job only where that was asked for; an unfinished sweep always shows
	}
	done.Notes = append(done.Notes, fmt.Sprintf("the sweep found %s", plural(swept.Findings, "entry")+" to look at"))
	if !r.SweepIssue {
		return nil
	}
	body := fmt.Sprintf("%s cursor=%s -->\n%s", sweepMark, swept.Cursor, swept.Body)
	if len(body) > maxIssue {
		body = cutLines(body, maxIssue) + "\n\nThe rest is in the log of the run."
	}
	repo := r.Event.Repo
	switch {
	case swept.Findings == 0 && swept.Cursor == "" && found:
		_, err = r.Hub.UpdateIssue(ctx, repo, issue.Number, "", body, "closed")
	case swept.Findings == 0 && swept.Cursor == "":
		return nil
	case found:
		_, err = r.Hub.UpdateIssue(ctx, repo, issue.Number, sweepTitle, body, "")
	default:
		_, err = r.Hub.CreateIssue(ctx, repo, sweepTitle, body, []string{sweepLabel})
	}
	return err
}

// sweepIssue finds the open issue that we wrote: its mark counts in nobody else's.
func (r *Runner) sweepIssue(ctx context.Context) (Issue, bool, error) {
	self, err := r.Hub.Self(ctx)
	if err != nil {
		return Issue{}, false, err
	}
	all, err := r.Hub.ListIssues(ctx, r.Event.Repo, "open", sweepLabel)
	if err != nil {
		return Issue{}, false, err
	}
	var found Issue
	for _, i := range all {
		if sameAccount(i.Author, self) && strings.HasPrefix(i.Body, sweepMark) && (found.Number == 0 || i.Number < found.Number) {
			found = i
		}
	}
	return found, found.Number != 0, nil
}

// cursorOf reads where the last sweep ended.
func cursorOf(body string) string {
	rest, ok := strings.CutPrefix(body, sweepMark+" cursor=")
	if !ok {
		return ""
	}
	cursor, _, ok := strings.Cut(rest, " -->")
	if !ok || len(cursor) > 200 || strings.ContainsAny(cursor, " \n\r<>") {
		return ""
	}
	return cursor
}

// cutLines cuts a text at the end of a line.
func cutLines(s string, n int) string {
	if i := strings.LastIndexByte(s[:n], '\n'); i > 0 {
		return s[:i]
	}
	return s[:n]
}

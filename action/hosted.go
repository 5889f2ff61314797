package action

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/sourcegraph/conc/pool"

	"github.com/saysolint/sayso/checks"
)

// askAtOnce is how many questions are asked of the API side by side.
const askAtOnce = 4

// question says what is to be asked of the host about one pull request.
type question struct {
	repo   Repo
	server string
	head   string // whose runs count
	run    int64  // this very workflow run, whose jobs have not ended; 0 outside of Actions
	own    string // name of our own check run
	needs  checks.HostNeeds
}

// ask fetches what only the host knows. What cannot be fetched is a gap in the
// answer and no error: the claims that need it are unverifiable. Only the end of
// the context is an error.
func ask(ctx context.Context, f Facts, q question) (checks.Hosted, error) {
	h := checks.Hosted{Repository: q.repo.String(), Server: q.server, Issues: map[checks.IssueRef]checks.HostedIssue{}}
	var mu sync.Mutex
	p := pool.New().WithMaxGoroutines(askAtOnce).WithContext(ctx)
	if q.needs.Runs {
		p.Go(func(ctx context.Context) error {
			runs, gap := runsOf(ctx, f, q)
			mu.Lock()
			defer mu.Unlock()
			h.Runs, h.RunsGap = runs, gap
			return ctx.Err()
		})
	}
	for _, ref := range q.needs.Issues {
		p.Go(func(ctx context.Context) error {
			found := issueOf(ctx, f, ref)
			mu.Lock()
			defer mu.Unlock()
			h.Issues[ref] = found
			return ctx.Err()
		})
	}
	if err := p.Wait(); err != nil {
		return h, context.Cause(ctx)
	}
	return h, nil
}

// issueOf asks for one issue.
func issueOf(ctx context.Context, f Facts, ref checks.IssueRef) checks.HostedIssue {
	repo, err := ParseRepo(ref.Repository)
	if err != nil || ref.Number == 0 {
		return checks.HostedIssue{Known: true} // no repository and no issue has such a name
	}
	i, err := f.Issue(ctx, repo, ref.Number)
	switch {
	case errors.Is(err, ErrNotFound):
		return checks.HostedIssue{Known: true}
	case err != nil:
		return checks.HostedIssue{Gap: gapOf(err)}
	}
	out := checks.HostedIssue{Known: true, Exists: true, PullRequest: i.PullRequest, Open: i.State == "open"}
	if !strings.EqualFold(i.Repo.String(), ref.Repository) || i.Number != ref.Number {
		out.Moved = fmt.Sprintf("%s#%d", i.Repo, i.Number)
	}
	return out
}

// gapOf is why something is not known, as a plain clause.
func gapOf(err error) string {
	for _, kind := range []error{ErrForbidden, ErrNotFound, ErrLimited, ErrBudget, ErrUnavailable, ErrInvalid} {
		if errors.Is(err, kind) {
			return kind.Error()
		}
	}
	return "it could not be asked for"
}

// runsOf are the check runs and statuses of the newest commit, without our own:
// a run that asks has not ended, and its word for itself is worth nothing.
func runsOf(ctx context.Context, f Facts, q question) (runs []checks.HostedRun, gap string) {
	list, err := f.CheckRuns(ctx, q.repo, q.head)
	switch {
	case err != nil:
		gap, list = "check runs: "+gapOf(err), Listing[CheckRun]{}
	case list.Capped:
		gap = "there are more check runs than the API lists"
	}
	// Of two runs of one name and app the later has the larger id.
	slices.SortFunc(list.Items, func(a, b CheckRun) int { return cmp.Compare(b.ID, a.ID) })
	type key struct{ app, name string }
	seen := map[key]bool{}
	mine := fmt.Sprintf("/actions/runs/%d/", q.run)
	for _, r := range list.Items {
		k := key{r.App, r.Name}
		if r.Name == q.own || q.run != 0 && strings.Contains(r.URL+"/", mine) || seen[k] {
			continue
		}
		seen[k] = true
		runs = append(runs, checks.HostedRun{Name: clipRunes(r.Name, 100), State: runState(r)})
	}
	statuses, err := f.Statuses(ctx, q.repo, q.head)
	switch {
	case err != nil:
		gap, statuses = cmp.Or(gap, "statuses: "+gapOf(err)), Listing[Status]{}
	case statuses.Capped:
		gap = cmp.Or(gap, "there are more statuses than the API lists")
	}
	for _, s := range statuses.Items {
		if s.Context == q.own {
			continue
		}
		state := checks.RunPending
		switch s.State {
		case "success":
			state = checks.RunPassed
		case "failure", "error":
			state = checks.RunFailed
		}
		runs = append(runs, checks.HostedRun{Name: clipRunes(s.Context, 100), State: state})
	}
	slices.SortStableFunc(runs, func(a, b checks.HostedRun) int { return strings.Compare(a.Name, b.Name) })
	return runs, gap
}

// runState is what a check run came to. A run that was cancelled, went stale or
// waits for somebody proves nothing either way.
func runState(r CheckRun) checks.RunState {
	if r.Status != "completed" {
		return checks.RunPending
	}
	switch r.Conclusion {
	case "success", "neutral", "skipped":
		return checks.RunPassed
	case "failure", "timed_out", "startup_failure":
		return checks.RunFailed
	}
	return checks.RunPending
}

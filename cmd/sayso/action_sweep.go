package main

import (
	"bytes"
	"context"
	"errors"
	"time"

	"github.com/saysolint/sayso/action"
	"github.com/saysolint/sayso/change"
	"github.com/saysolint/sayso/internal/git"
	"github.com/saysolint/sayso/memory/gitstore"
	"github.com/saysolint/sayso/report"
	"github.com/saysolint/sayso/sweep"
)

// actionSweepBudget is how long a sweep of the action goes on: the next one takes over
// where it ended.
const actionSweepBudget = 10 * time.Minute

// actionSweeper sweeps the memory of the checkout, which is that of the default branch.
type actionSweeper struct{ *app }

// Sweep is `sayso sweep` from a cursor on.
func (s actionSweeper) Sweep(ctx context.Context, cursor string) (action.Swept, error) {
	repo, err := s.open(ctx, "")
	if err != nil {
		return action.Swept{}, err
	}
	defer repo.Close()
	res, err := s.look(ctx, repo, cursor)
	if errors.Is(err, sweep.ErrShallow) {
		return action.Swept{}, &userError{what: "sweep", why: "the history is cut off here: what is lost and what was never fetched look the same", hint: "give actions/checkout fetch-depth: 0", code: report.ExitIncomplete, err: err}
	}
	if err != nil {
		return action.Swept{}, err
	}
	var body bytes.Buffer
	if err := report.WriteSweep(&body, "markdown", report.Sweep{Result: *res, Tool: s.sweepTool()}, report.Options{}); err != nil {
		return action.Swept{}, ioError("sweep", err)
	}
	return action.Swept{Findings: res.FindingCount(), Body: body.String(), Cursor: res.Coverage.Cursor, Code: res.Exit()}, nil
}

func (s actionSweeper) look(ctx context.Context, repo *git.Repo, cursor string) (*sweep.Result, error) {
	conf, err := s.trustTree(ctx, repo, "HEAD", "HEAD")
	if err != nil {
		return nil, err
	}
	loc, err := gitstore.Locate(ctx, repo, conf.config.Memory, "", s.getenv("HOME"))
	if err != nil {
		return nil, memoryFailure("sweep", err)
	}
	set, err := loc.Store.Load(ctx)
	if err != nil {
		return nil, memoryFailure("sweep", err)
	}
	reader := change.NewReader(repo, change.Limits{})
	defer reader.Close()
	end := s.env.Now().Add(actionSweepBudget)
	return sweep.Run(ctx, sweep.Input{
		Revision: "HEAD", Now: s.env.Now(), After: cursor, MaxAge: 365 * 24 * time.Hour,
		Stop: func() bool { return s.env.Now().After(end) },
		Set:  set, Repo: repo, Changes: reader, Space: loc.Space, Folder: loc.Store.Folder(),
	})
}

package casetest

import (
	"context"
	"fmt"

	"github.com/saysolint/sayso/internal/config"
	"github.com/saysolint/sayso/internal/engine"
	"github.com/saysolint/sayso/internal/git"
)

// Judge runs the engine on a built case, with the case's configuration and an
// index built beforehand.
func Judge(ctx context.Context, c Case, r Repository) (engine.Result, error) {
	opts := engine.Options{BuildIndex: true, Workers: 1}
	if c.Config != nil {
		cfg, err := config.Load(c.Config, checkIDs())
		if err != nil {
			return engine.Result{}, fmt.Errorf("case %s: %w", c.Name, err)
		}
		opts.Config = cfg
	}
	repo, err := git.Open(ctx, r.Dir, git.Options{})
	if err != nil {
		return engine.Result{}, fmt.Errorf("case %s: %w", c.Name, err)
	}
	defer repo.Close()
	e := engine.New(repo, opts)
	defer e.Close()
	return e.Commit(ctx, r.Head, nil), nil
}

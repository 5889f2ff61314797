package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/saysolint/sayso/internal/git"
	"github.com/saysolint/sayso/internal/index"
	"github.com/saysolint/sayso/report"
)

func newIndex(a *app) *cobra.Command {
	var format string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "index",
		Short: "Build or update the caches of this repository",
		Long: `Build or update the caches of this repository: the identifiers of its tree, its
import graph, and what its history says. They live in the git folder, can be
deleted at any time, and are only read by the hook.`,
		Example: "  sayso index",
		Args:    none,
		RunE: func(cmd *cobra.Command, _ []string) error {
			asJSON, err := jsonOnly(cmd, format, asJSON)
			if err != nil {
				return err
			}
			repo, err := a.open(cmd.Context(), "")
			if err != nil {
				return err
			}
			defer repo.Close()
			return a.buildIndex(cmd.Context(), repo, asJSON)
		},
	}
	cmd.Flags().StringVar(&format, "format", "text", "output `FORMAT`: text, json")
	cmd.Flags().BoolVar(&asJSON, "json", false, "the same as --format json")
	return cmd
}

// buildIndex builds or updates the index and says what it holds.
func (a *app) buildIndex(ctx context.Context, repo *git.Repo, asJSON bool) error {
	p := a.newProgress("indexing")
	ix, err := index.Build(ctx, repo, index.Options{Progress: p.report()})
	p.done()
	if err != nil {
		return err
	}
	defer ix.Close()
	if err := ix.SaveError(); err != nil {
		return &userError{
			what: "index", why: "cannot be written: " + err.Error(),
			hint: "everything works without it, slower; see who may write to the git folder", code: report.ExitIncomplete, err: err,
		}
	}
	if asJSON {
		_, err = a.stdout.Write(encodeLine(struct {
			Head    string `json:"head"`
			Files   int    `json:"files"`
			Commits int    `json:"commits"`
			Bytes   int64  `json:"bytes"`
		}{ix.Head(), ix.Files(), ix.Commits(), ix.Size()}))
		return err
	}
	_, err = fmt.Fprintf(a.stdout, "indexed %s and %s at %s\n", count(ix.Files(), "file"), count(ix.Commits(), "commit"), short(ix.Head()))
	return err
}

// count is a number with its noun.
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/saysolint/sayso/internal/checkpoint"
	"github.com/saysolint/sayso/internal/git"
	"github.com/saysolint/sayso/report"
)

func newIngest(a *app) *cobra.Command {
	var opts checkpoint.Options
	var from, format string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "ingest",
		Short: "Read the checkpoints of agents that this repository holds",
		Long: `Read the checkpoints of agents that this repository holds: the commits that name
one in an Entire-Checkpoint trailer, and what the branch entire/checkpoints/v1
keeps of it. What was read lies in the git folder, can be deleted at any time, and
is only read by sayso recall. Secrets are masked on the way in.

With --from, the checkpoints of another tool are read from a JSON document.`,
		Example: "  sayso ingest\n  sayso ingest --no-transcripts\n  sayso ingest --from checkpoints.json",
		Args:    none,
		RunE: func(cmd *cobra.Command, _ []string) error {
			asJSON, err := jsonOnly(cmd, format, asJSON)
			if err != nil {
				return err
			}
			if from != "" && (opts.All || opts.Rebuild || cmd.Flags().Changed("max-commits")) {
				return usageError("ingest", "--from goes with --no-transcripts and --json only", "a document is always read whole")
			}
			if opts.Budget < 0 || cmd.Flags().Changed("max-commits") && opts.Budget == 0 {
				return usageError("ingest", "--max-commits needs a number above 0", "")
			}
			repo, err := a.open(cmd.Context(), "")
			if err != nil {
				return err
			}
			defer repo.Close()
			return a.ingest(cmd.Context(), repo, from, opts, asJSON)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&opts.All, "all", false, "walk every branch, not only the current one")
	f.BoolVar(&opts.NoTranscripts, "no-transcripts", false, "open neither transcripts nor prompts")
	f.IntVar(&opts.Budget, "max-commits", 0, "walk at most `N` commits, the newest (default 1000000)")
	f.BoolVar(&opts.Rebuild, "rebuild", false, "read everything again")
	f.StringVar(&from, "from", "", "read a JSON document of checkpoints from `FILE`, - for standard input")
	f.StringVar(&format, "format", "text", "output `FORMAT`: text, json")
	f.BoolVar(&asJSON, "json", false, "the same as --format json")
	return cmd
}

// ingest reads checkpoints and says what was there, coverage first.
func (a *app) ingest(ctx context.Context, repo *git.Repo, from string, opts checkpoint.Options, asJSON bool) error {
	p := a.newProgress("reading checkpoints")
	opts.Progress = p.report()
	res, err := a.runIngest(ctx, repo, from, opts)
	p.done()
	if err != nil {
		return err
	}
	if asJSON {
		_, err = a.stdout.Write(encodeLine(res.Report()))
		return err
	}
	_, err = io.WriteString(a.stdout, ingestText(res))
	return err
}

func (a *app) runIngest(ctx context.Context, repo *git.Repo, from string, opts checkpoint.Options) (*checkpoint.Result, error) {
	if from == "" {
		return checkpoint.Ingest(ctx, repo, opts)
	}
	in := a.stdin
	if from != "-" {
		f, err := os.Open(from)
		if err != nil {
			return nil, ioError("ingest", err)
		}
		defer f.Close()
		in = f
	}
	doc, err := checkpoint.ParseInput(in)
	if errors.Is(err, checkpoint.ErrInput) {
		return nil, &userError{what: "ingest", why: err.Error(), hint: "sayso config schema ingest-input prints what it may hold", code: report.ExitUsage, err: err}
	}
	if err != nil {
		return nil, ioError("ingest", err)
	}
	return checkpoint.IngestPlain(ctx, repo, doc, opts)
}

// ingestText is a run for people: the coverage, then what was done.
func ingestText(res *checkpoint.Result) string {
	c := &res.Coverage
	var b strings.Builder
	b.WriteString(coverageLine(c) + "\n")
	fmt.Fprintf(&b, "%s walked, %s found", count(c.Commits, "commit"), count(c.Trailers, "trailer"))
	if c.Unnamed > 0 {
		fmt.Fprintf(&b, "; %s that no walked commit names", count(c.Unnamed, "checkpoint"))
	}
	b.WriteString("\n")
	t := c.Transcripts
	var parts []string
	for _, row := range []struct {
		n    int
		what string
	}{{t.Opened, "opened"}, {t.NotAsked, "not asked for"}, {t.Absent, "absent"}, {t.Gone, "gone from the store"}, {t.Unreadable, "unreadable"}} {
		if row.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", row.n, row.what))
		}
	}
	if len(parts) > 0 {
		fmt.Fprintf(&b, "transcripts: %s\n", strings.Join(parts, ", "))
	}
	fmt.Fprintf(&b, "turns: %s, %s", count(c.Intent, "prompt"), count(c.Chat, "assertion"))
	for _, row := range []struct {
		n    int
		what string
	}{{c.Redacted, "with redacted text"}, {c.Repeats, "told before and left out"}, {c.Masked, "secrets masked"}} {
		if row.n > 0 {
			fmt.Fprintf(&b, ", %d %s", row.n, row.what)
		}
	}
	b.WriteString("\n")
	for _, k := range c.Caps {
		fmt.Fprintf(&b, "limit %s (%d) was reached: %d left out or cut\n", k.Name, k.Limit, k.Hits)
	}
	switch {
	case res.Unchanged:
		b.WriteString("unchanged since the last run\n")
	case res.Reused > 0:
		fmt.Fprintf(&b, "read %s, kept %d\n", count(res.Read, "checkpoint"), res.Reused)
	default:
		fmt.Fprintf(&b, "read %s\n", count(res.Read, "checkpoint"))
	}
	return b.String()
}

// coverageLine says in one line how much was there.
func coverageLine(c *checkpoint.Coverage) string {
	if c.Checkpoints == 0 {
		return "coverage: no checkpoints"
	}
	if c.Complete {
		return "coverage: complete, " + count(c.Checkpoints, "checkpoint")
	}
	line := fmt.Sprintf("coverage: partial, %d of %s whole", c.Whole, count(c.Checkpoints, "checkpoint"))
	fields := make([]string, 0, len(c.Missing))
	for f := range c.Missing {
		fields = append(fields, f)
	}
	slices.Sort(fields)
	for _, f := range fields {
		line += fmt.Sprintf(", %d without %s", c.Missing[f], f)
	}
	if c.Skipped > 0 {
		line += fmt.Sprintf(", %s not read", count(c.Skipped, "line"))
	}
	if c.Shallow {
		line += ", the clone is shallow"
	}
	if slices.ContainsFunc(c.Caps, func(k checkpoint.Cap) bool { return k.Name == "commits" }) {
		line += ", older commits not walked"
	}
	return line
}

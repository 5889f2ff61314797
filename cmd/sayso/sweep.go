package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/natefinch/atomic"
	"github.com/spf13/cobra"

	"github.com/saysolint/sayso/change"
	"github.com/saysolint/sayso/report"
	"github.com/saysolint/sayso/sweep"
)

// sweepFlags are the flags of the sweep.
type sweepFlags struct {
	memory   memoryFlags
	since    string
	budget   string
	after    string
	resume   bool
	apply    bool
	dryRun   bool
	by       string
	recalled []string
	maxAge   int
	verbose  bool
}

func newSweep(a *app) *cobra.Command {
	var f sweepFlags
	cmd := &cobra.Command{
		Use:   "sweep [REV]",
		Short: "Find entries of the memory that no longer hold",
		Long: `Hold every entry of the memory against the repository at a revision, HEAD by
default: whether the lines it cites are still there and where they went, whether
the commits it cites are still in the history, whether what it names is still in
the code, and whether entries repeat or contradict each other. Lines that were
edited are no reason to call an entry false.

--apply writes what is beyond doubt into the entries, with the reason and the day,
and shows it as a diff: new places of text that moved unchanged, and the state of
entries of which nothing is left. Everything else is for a person.

Exit codes: 0 nothing found, 1 findings, 3 not everything could be looked at.`,
		Example: `  sayso sweep
  sayso sweep --since v1.4.0 --format markdown
  sayso sweep --budget 30s            # then: sayso sweep --budget 30s --resume
  sayso sweep --apply --dry-run`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			rev := "HEAD"
			if len(args) == 1 {
				rev = args[0]
			}
			return a.sweep(cmd, &f, rev)
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&f.memory.space, "space", "", "the store called `NAME` in the configuration (default: the repository's own)")
	fl.StringVar(&f.memory.format, "format", "text", "output `FORMAT`: text, json, markdown, sarif")
	fl.BoolVar(&f.memory.json, "json", false, "the same as --format json")
	fl.StringVar(&f.since, "since", "", "only entries that changes after `REV` may bear on")
	fl.StringVar(&f.budget, "budget", "", "end after this many entries, or this much time: `500` or 30s")
	fl.StringVar(&f.after, "after", "", "go on behind the entry with this `ID`")
	fl.BoolVar(&f.resume, "resume", false, "go on where the last sweep with a budget ended")
	fl.BoolVar(&f.apply, "apply", false, "write what is beyond doubt into the entries, and show it as a diff")
	fl.BoolVar(&f.dryRun, "dry-run", false, "with --apply: show the diff and write nothing")
	fl.StringVar(&f.by, "by", "", "who applies it (default: git's user.name)")
	fl.StringArrayVar(&f.recalled, "recalled", nil, "a `FILE` with the JSON output of recall, brief or memory search; may be given again")
	fl.IntVar(&f.maxAge, "max-age", 365, "`DAYS` after which an entry that nothing speaks of is old")
	fl.BoolVar(&f.verbose, "verbose", false, "show notes in full, with what differs")
	_ = cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(report.SweepFormats, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func (a *app) sweep(cmd *cobra.Command, f *sweepFlags, rev string) error {
	ctx := cmd.Context()
	format, err := sweepFormat(cmd, f)
	if err != nil {
		return err
	}
	if f.dryRun && !f.apply {
		return usageError("--dry-run", "there is nothing to leave out without --apply", "sayso sweep alone writes nothing")
	}
	in := sweep.Input{Revision: rev, Now: a.env.Now(), Since: f.since, After: f.after, MaxAge: time.Duration(f.maxAge) * 24 * time.Hour}
	if f.maxAge < 1 {
		return usageError("--max-age", "counts days from 1 on", "")
	}
	if err := a.sweepBudget(f, &in); err != nil {
		return err
	}
	if in.Recalled, err = a.recalledIDs(f.recalled); err != nil {
		return err
	}
	// The store's own flags know two formats; this command has more.
	stored := f.memory
	stored.format, stored.json = "text", false
	m, err := a.memory(cmd, &stored)
	if err != nil {
		return err
	}
	defer m.close()
	if in.Set, err = m.Store.Load(ctx); err != nil {
		return memoryError(cmd, err)
	}
	cursor := filepath.Join(m.repo.CommonDir(), "sayso", "sweep-cursor")
	if f.resume {
		if in.After, err = readCursor(cursor, m.Store.Key()); err != nil {
			return err
		}
	}
	reader := change.NewReader(m.repo, change.Limits{})
	defer reader.Close()
	in.Repo, in.Changes, in.Space, in.Folder = m.repo, reader, m.Space, m.Store.Folder()
	res, err := sweep.Run(ctx, in)
	switch {
	case errors.Is(err, sweep.ErrShallow):
		return &userError{what: "sweep", why: "the history is cut off here (a shallow clone): what is lost and what was never fetched look the same", hint: "git fetch --unshallow; in CI fetch-depth: 0", code: report.ExitIncomplete, err: err}
	case err != nil:
		return err
	}
	if f.budget != "" || f.resume {
		// Where the cache cannot be written the cursor in the output is all there is.
		_ = writeCursor(cursor, m.Store.Key(), res.Coverage.Cursor)
	}
	out := report.Sweep{Result: *res, Tool: a.sweepTool()}
	if f.apply {
		if m.Store.ReadOnly() {
			return usageError("--apply", "this store is another program's and never written", "")
		}
		if out.Applied, err = sweep.Apply(ctx, m.Store, in.Set, res, m.reviewer(ctx, f.by), in.Now, f.dryRun); err != nil {
			return memoryError(cmd, err)
		}
		out.DryRun = f.dryRun
	}
	a.code = res.Exit()
	return report.WriteSweep(a.stdout, format, out, report.Options{Verbose: f.verbose, Colour: a.colour(), Width: a.width()})
}

func (a *app) sweepTool() report.Tool {
	v, _ := versionAndRevision()
	return report.Tool{Name: "sayso", Version: v, URL: homePage}
}

func sweepFormat(cmd *cobra.Command, f *sweepFlags) (string, error) {
	if f.memory.json {
		if cmd.Flags().Changed("format") && f.memory.format != "json" {
			return "", usageError(commandName(cmd), "--json and --format "+f.memory.format+" exclude each other", "")
		}
		return "json", nil
	}
	for _, name := range report.SweepFormats {
		if f.memory.format == name {
			return name, nil
		}
	}
	return "", usageError(commandName(cmd), "unknown format "+f.memory.format, "one of text, json, markdown, sarif")
}

// sweepBudget reads a number of entries or a time.
func (a *app) sweepBudget(f *sweepFlags, in *sweep.Input) error {
	if f.after != "" && f.resume {
		return usageError("--after", "says where to begin, as --resume does", "use one of them")
	}
	if f.budget == "" {
		return nil
	}
	if n, err := strconv.Atoi(f.budget); err == nil && n > 0 {
		in.Budget = n
		return nil
	}
	d, err := time.ParseDuration(f.budget)
	if err != nil || d <= 0 {
		return usageError("--budget", "neither a number of entries nor a time: "+f.budget, "such as 500, 30s or 2m")
	}
	end := a.env.Now().Add(d)
	in.Stop = func() bool { return a.env.Now().After(end) }
	return nil
}

// sweepCursor is where a sweep with a budget ended.
type sweepCursor struct {
	Store string `json:"store"`
	After string `json:"after"` // id of the last entry; "" after a sweep that reached the end
}

func readCursor(path, store string) (string, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return "", nil // none was left: from the beginning
	}
	var all []sweepCursor
	if err := json.Unmarshal(data, &all); err != nil {
		return "", nil
	}
	for _, c := range all {
		if c.Store == store {
			return c.After, nil
		}
	}
	return "", nil
}

func writeCursor(path, store, after string) error {
	var all, kept []sweepCursor
	if data, err := os.ReadFile(path); err == nil {
		_ = json.Unmarshal(data, &all)
	}
	for _, c := range all {
		if c.Store != store {
			kept = append(kept, c)
		}
	}
	kept = append(kept, sweepCursor{Store: store, After: after})
	data, err := json.Marshal(kept)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return atomic.WriteFile(path, bytes.NewReader(data))
}

// recalledIDs are the ids of the entries that some outputs of recall hold; nil
// where there is no output.
func (a *app) recalledIDs(files []string) (map[string]bool, error) {
	if len(files) == 0 {
		return nil, nil
	}
	ids := map[string]bool{}
	for _, name := range files {
		data, err := os.ReadFile(a.path(name))
		if err != nil {
			return nil, ioError("--recalled", plainIOError(err))
		}
		var v any
		if err := json.Unmarshal(data, &v); err != nil {
			return nil, usageError("--recalled", fmt.Sprintf("%s is no JSON: %v", name, err), "sayso recall --json writes what is read here")
		}
		collectIDs(v, ids)
	}
	return ids, nil
}

// collectIDs finds every "id" and "entry" of a JSON value: the shapes of recall,
// brief and search differ, and an id that is no entry's does no harm.
func collectIDs(v any, ids map[string]bool) {
	switch v := v.(type) {
	case map[string]any:
		for k, x := range v {
			if s, ok := x.(string); ok && (k == "id" || k == "entry") {
				ids[s] = true
			}
			collectIDs(x, ids)
		}
	case []any:
		for _, x := range v {
			collectIDs(x, ids)
		}
	}
}

package main

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/saysolint/sayso/bench"
	"github.com/saysolint/sayso/report"
)

func newBenchPublish(a *app) *cobra.Command {
	var f benchFlags
	var splitFile, part, logFile, tableFile, commit string
	cmd := &cobra.Command{
		Use:   "publish REPO...",
		Short: "Score the repositories that figures are published from, and log it",
		Long: `Score one part of the split, by default the one that figures are published from,
and append date, commit and result to the log. The repositories have to be exactly
those of the part. A draw that has been scored is refused: take a new seed for
each release, and move a draw that somebody has read to the part for reading.`,
		Example: "  sayso bench publish --seed 20 --natural 6000 repos/*",
		Args:    atLeastOne("the repositories of the part"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.resolve(cmd, []string{"text"}); err != nil {
				return err
			}
			names, err := a.partOf(splitFile, part)
			if err != nil {
				return err
			}
			if commit == "" {
				_, commit = versionAndRevision()
			}
			if commit == "" {
				return usageError("publish", "this build does not know its commit", "name it with --commit")
			}
			log, err := os.ReadFile(a.path(logFile))
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return ioError("publish", err)
			}
			r, err := a.benchOpen(cmd.Context(), &f, args)
			if err != nil {
				return err
			}
			defer r.close()
			absent, strange := bench.Missing(names, r.sources)
			if len(absent)+len(strange) > 0 {
				why := "not exactly the repositories of the part " + part
				if len(absent) > 0 {
					why += "; missing " + strings.Join(absent, ", ")
				}
				if len(strange) > 0 {
					why += "; not of it " + strings.Join(strange, ", ")
				}
				return usageError("publish", why, splitFile+" lists them; folders are called name, owner-name or owner+name")
			}
			if err := a.benchPairs(cmd.Context(), &f, r); err != nil {
				return err
			}
			date := a.env.Now().UTC().Format("2006-01-02")
			if _, err := bench.Append(log, bench.NewEntry(date, commit, part, bench.NewResult(r.set, nil, nil))); err != nil {
				return &userError{what: "publish", why: err.Error(), hint: "a fresh draw needs a fresh --seed", code: report.ExitUsage, err: err}
			}
			outcomes, err := bench.Judge(cmd.Context(), r.sources, r.set, r.options)
			if err != nil {
				return err
			}
			r.bar.done()
			result := bench.NewResult(r.set, outcomes, nil)
			log, err = bench.Append(log, bench.NewEntry(date, commit, part, result))
			if err != nil {
				return err
			}
			entries, err := bench.ReadLog(bytes.NewReader(log))
			if err != nil {
				return err
			}
			var table bytes.Buffer
			if err := bench.WriteLogTable(&table, entries); err != nil {
				return err
			}
			if err := writeOutput(a.path(logFile), log); err != nil {
				return ioError("publish", err)
			}
			if err := writeOutput(a.path(tableFile), table.Bytes()); err != nil {
				return ioError("publish", err)
			}
			return bench.WriteMarkdown(a.stdout, result)
		},
	}
	f.format = "text"
	f.registerPlan(cmd)
	fl := cmd.Flags()
	fl.StringVar(&f.work, "work", "", "keep twin commits and indexes in `DIR` for the next run (default: a temporary folder)")
	fl.IntVar(&f.workers, "workers", 0, "pairs judged at a time (default: as many as there are processors)")
	fl.StringVar(&splitFile, "split", "bench/split.json", "`FILE` that says which repositories are for what")
	fl.StringVar(&part, "part", "publish", "score this `PART`: publish, read, development")
	fl.StringVar(&logFile, "log", "bench/log.jsonl", "append to this `FILE`")
	fl.StringVar(&tableFile, "table", "bench/log.md", "render the log into this `FILE`")
	fl.StringVar(&commit, "commit", "", "`HASH` of the commit of sayso that is measured (default: the one it was built from)")
	return cmd
}

// partOf is the names of one part of a split.
func (a *app) partOf(splitFile, part string) ([]string, error) {
	file, err := os.Open(a.path(splitFile))
	if err != nil {
		return nil, ioError("split", err)
	}
	defer file.Close()
	split, err := bench.ReadSplit(file)
	if err == nil {
		var names []string
		if names, err = split.Part(part); err == nil {
			return names, nil
		}
	}
	return nil, &userError{what: splitFile, why: err.Error(), code: report.ExitUsage, err: err}
}

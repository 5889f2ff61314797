package main

import (
	"bytes"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/saysolint/sayso/bench"
	"github.com/saysolint/sayso/checks"
	"github.com/saysolint/sayso/report"
)

func newBenchTrain(a *app) *cobra.Command {
	var f benchFlags
	var t bench.Training
	var from, table, reportTo, leaveOut string
	cmd := &cobra.Command{
		Use:   "train [REPO...]",
		Short: "Fit the table of weights anew",
		Long: `Fit the table of weights on labelled pairs: evidence can only raise suspicion,
support can only lower it, and every number is held near what it was. Thresholds
and calibration come from repositories that the fit had not seen, one left out at a
time. The same pairs and seed give the same bytes. Train on repositories that no
figure is published from.`,
		Example: "  sayso bench train --from pairs.jsonl ../one ../two --table checks/weights_table.go --report checks/weights.md",
		Args:    cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.resolve(cmd, []string{""}); err != nil {
				return err
			}
			if table == "" {
				return usageError("train", "needs the table to rewrite", "--table checks/weights_table.go")
			}
			source, err := os.ReadFile(a.path(table))
			if err != nil {
				return ioError("train", err)
			}
			if _, err := bench.RewriteTable(source, checks.Shipped()); err != nil {
				return &userError{what: table, why: err.Error(), hint: "name checks/weights_table.go of this program's own source", code: report.ExitUsage, err: err}
			}
			if t.LeaveOut, err = a.hashes(leaveOut); err != nil {
				return err
			}
			r, err := a.benchOpen(cmd.Context(), &f, args)
			if err != nil {
				return err
			}
			defer r.close()
			if err := a.benchTake(cmd.Context(), &f, r, from); err != nil {
				return err
			}
			t.Seed = f.plan.Seed
			fit, err := bench.Train(cmd.Context(), r.sources, r.set, r.options, t)
			if err != nil {
				return err
			}
			r.bar.done()
			now, err := bench.RewriteTable(source, fit.Weights)
			if err != nil {
				return err
			}
			var page bytes.Buffer
			if err := bench.WriteTrainingReport(&page, fit.Report, r.set); err != nil {
				return err
			}
			if err := writeOutput(a.path(table), now); err != nil {
				return ioError("train", err)
			}
			if reportTo != "" && reportTo != "-" {
				if err := writeOutput(a.path(reportTo), page.Bytes()); err != nil {
					return ioError("train", err)
				}
				_, err = fmt.Fprintf(a.stdout, "wrote version %d of the weights\n", fit.Weights.Version)
				return err
			}
			_, err = a.stdout.Write(page.Bytes())
			return err
		},
	}
	f.registerPlan(cmd)
	f.registerJudge(cmd)
	fl := cmd.Flags()
	fl.StringVar(&from, "from", "", "train on the pairs of `FILE` in place of drawing some")
	fl.StringVar(&table, "table", "", "the table to rewrite: `FILE` checks/weights_table.go")
	fl.StringVar(&reportTo, "report", "", "write the training report to `FILE` (default: standard output)")
	fl.StringVar(&leaveOut, "leave-out", "", "leave the commits out whose full hashes `FILE` lists: honest by label, wrong by eye")
	fl.Float64Var(&t.Likely, "likely", 0.005, "`SHARE` of real commits that may be contradicted")
	fl.Float64Var(&t.Strong, "strong", 0.001, "`SHARE` of real commits that may be contradicted strongly")
	fl.BoolVar(&t.Keep, "keep-weights", false, "leave weights and thresholds as they are and fit the calibration alone")
	fl.IntVar(&t.Epochs, "epochs", 60, "passes over the claims")
	fl.Float64Var(&t.Pull, "pull", 0.006, "`STRENGTH` of the pull towards the table in force")
	return cmd
}

// hashes reads one full hash a line; what follows a hash on its line is a note.
func (a *app) hashes(name string) (map[string]bool, error) {
	out := map[string]bool{}
	if name == "" {
		return out, nil
	}
	b, err := os.ReadFile(a.path(name))
	if err != nil {
		return nil, ioError("--leave-out", err)
	}
	for line := range strings.Lines(string(b)) {
		if f := strings.Fields(line); len(f) > 0 && !strings.HasPrefix(f[0], "#") {
			out[f[0]] = true
		}
	}
	return out, nil
}

package main

import (
	"github.com/spf13/cobra"

	"github.com/saysolint/sayso/report"
)

func newRender(a *app) *cobra.Command {
	var f outputFlags
	cmd := &cobra.Command{
		Use:   "render FILE",
		Short: "Render a JSON report again in any format",
		Long: `Render a report that --format json wrote, from FILE or - for standard input. The
exit code is the one of the run that made it, or what --fail-on makes of it.`,
		Example: "  sayso check main..HEAD --json > report.json\n  sayso render report.json --format markdown",
		Args:    exactly(1, "a JSON report, or - for standard input"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.resolve(cmd); err != nil {
				return err
			}
			data, err := a.readInput(cmd.Context(), "render", args[0], report.MaxParse)
			if err != nil {
				return err
			}
			r, err := report.Parse(data)
			if err != nil {
				return usageError("render", args[0]+": "+err.Error(), "sayso check --format json writes one")
			}
			gates := r.FailOn
			if f.failOn != "" {
				if gates, err = f.gates(trust{}); err != nil {
					return err
				}
				r.FailOn = gates
			}
			if err := report.Render(a.stdout, report.Format(f.format), r, a.look(f.verbose)); err != nil {
				return ioError("standard output", err)
			}
			a.code = r.ExitCode(gates)
			return nil
		},
	}
	f.register(cmd, true)
	return cmd
}

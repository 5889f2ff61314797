package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/saysolint/sayso/memory"
	"github.com/saysolint/sayso/report"
)

func newMemoryLint(a *app) *cobra.Command {
	var f memoryFlags
	var fix bool
	cmd := &cobra.Command{
		Use:   "lint",
		Short: "Find what is wrong with the entries of the memory",
		Long: `Find what is wrong with the entries of the memory: files that are not read as they
look, limits that are broken, pointers to nowhere and in circles, secrets. --fix
finishes interrupted writes and touches nothing else.

Exit codes: 0 nothing found, 1 findings.`,
		Example: "  sayso memory lint\n  sayso memory lint --json\n  sayso memory lint --fix",
		Args:    none,
		RunE: func(cmd *cobra.Command, _ []string) error {
			m, err := a.memory(cmd, &f)
			if err != nil {
				return err
			}
			defer m.close()
			var mended []string
			if fix {
				if mended, err = m.Store.Mend(cmd.Context()); err != nil {
					return memoryError(cmd, err)
				}
			}
			set, err := m.Store.Load(cmd.Context())
			if err != nil {
				return memoryError(cmd, err)
			}
			out := memory.LintOutput{
				Schema: memory.LintSchema, Space: m.Space, Folder: m.Store.Folder(), Entries: len(set.Entries), Skipped: len(set.Skipped),
				Mended: orEmpty(mended), Findings: orEmpty(memory.Lint(set, m.Store.Folder())),
			}
			for _, found := range out.Findings {
				if found.Level == "error" {
					out.Errors++
				} else {
					out.Warnings++
				}
			}
			if len(out.Findings) > 0 {
				a.code = report.ExitGate
			}
			if m.json {
				return a.writeJSON(out)
			}
			return a.sayLint(out)
		},
	}
	f.register(cmd)
	cmd.Flags().BoolVar(&fix, "fix", false, "finish interrupted writes first")
	return cmd
}

func (a *app) sayLint(out memory.LintOutput) error {
	lines := []string{fmt.Sprintf("%s: looked at %d entries, %d files are no entries: %d errors, %d warnings", out.Folder, out.Entries, out.Skipped, out.Errors, out.Warnings)}
	for _, id := range out.Mended {
		lines = append(lines, "mended "+id+": superseded")
	}
	for _, f := range out.Findings {
		at := f.RelPath
		if f.Line > 0 {
			at += fmt.Sprintf(":%d", f.Line)
		}
		lines = append(lines, fmt.Sprintf("%s: %s: %s [%s]", at, f.Level, f.Text, f.Rule))
		if f.Fix != "" {
			lines = append(lines, "  fix: "+f.Fix)
		}
	}
	return a.say(lines...)
}

package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/saysolint/sayso/checks"
	"github.com/saysolint/sayso/schemas"
)

func newConfig(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "config",
		Short: "Print the configuration that holds, or a schema",
		Args:  cobra.ArbitraryArgs,
		RunE:  onlySubcommands,
	}
	var base string
	show := &cobra.Command{
		Use:   "show",
		Short: "Print the configuration that holds, with the defaults",
		Long: `Print the configuration that holds in the working tree, with the defaults; with
--base REV the one of that revision, as ranges are judged by.`,
		Example: "  sayso config show\n  sayso config show --base main",
		Args:    none,
		RunE: func(cmd *cobra.Command, _ []string) error {
			repo, err := a.open(cmd.Context(), "")
			if err != nil {
				return err
			}
			defer repo.Close()
			var t trust
			if base == "" {
				t, err = a.trustWorktree(cmd.Context(), repo)
			} else {
				var hash string
				if hash, err = repo.Resolve(cmd.Context(), base); err == nil {
					t, err = a.trustTree(cmd.Context(), repo, hash, base)
				}
			}
			if err != nil {
				return err
			}
			levels := map[string]string{}
			for _, d := range checks.Docs() {
				levels[d.ID] = d.Default
			}
			out, err := t.config.Show(levels)
			if err != nil {
				return err
			}
			_, err = a.stdout.Write(out)
			return err
		},
	}
	show.Flags().StringVar(&base, "base", "", "from the tree of `REV`")
	schema := &cobra.Command{
		Use:       "schema [NAME]",
		Short:     "Print a JSON Schema: " + strings.Join(schemas.Names(), ", "),
		Example:   "  sayso config schema > sayso.schema.json\n  sayso config schema report",
		ValidArgs: schemas.Names(),
		RunE: func(cmd *cobra.Command, args []string) error {
			name := "config"
			if len(args) > 1 {
				return usageError("config schema", "one schema at a time", "")
			}
			if len(args) == 1 {
				name = args[0]
			}
			data, err := schemas.Get(name)
			if err != nil {
				hint := "one of " + strings.Join(schemas.Names(), ", ")
				if near := nearest(name, schemas.Names()); near != "" {
					hint = "did you mean " + near + "?"
				}
				return usageError("config schema", "no schema "+name, hint)
			}
			_, err = a.stdout.Write(data)
			return err
		},
	}
	cmd.AddCommand(show, schema)
	return cmd
}

package main

import (
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	benchsweep "github.com/saysolint/sayso/bench/sweep"
)

func newBenchSweep(a *app) *cobra.Command {
	var format string
	var asJSON bool
	plan := benchsweep.DefaultPlan()
	entries := 0
	cmd := &cobra.Command{
		Use:   "sweep [REPO...]",
		Short: "Measure how well a sweep finds again what entries cite",
		Long: `Measure a sweep on the histories of repositories, this one by default. References
to passages are planted at old commits, drawn by a seed, and swept at HEAD; git
blame -w -M -C, which the sweep does not call, says where the lines really went.
--cost plants that many entries in one go and tells what sweeping them takes.
Nothing is written into a repository.`,
		Example: "  sayso bench sweep\n  sayso bench sweep --back 100,1000 --anchors 200 A B --json\n  sayso bench sweep --cost 10000",
		RunE: func(cmd *cobra.Command, args []string) error {
			asJSON, err := jsonOnly(cmd, format, asJSON)
			if err != nil {
				return err
			}
			if plan.Anchors < 1 || entries < 0 || len(plan.Back) == 0 {
				return usageError(commandName(cmd), "--anchors and --back need something to plant, --cost is not below 0", "")
			}
			for _, n := range plan.Back {
				if n < 1 {
					return usageError("--back", "counts commits before HEAD, from 1 on", "")
				}
			}
			if len(args) == 0 {
				args = []string{""}
			}
			var repos []benchsweep.Named
			for _, dir := range args {
				repo, err := a.open(cmd.Context(), a.path(dir))
				if err != nil {
					return err
				}
				defer func() { _ = repo.Close() }()
				repos = append(repos, benchsweep.Named{Name: repositoryName(dir), Repo: repo})
			}
			if entries > 0 {
				return a.benchSweepCost(cmd, repos, entries, plan, asJSON)
			}
			res, err := benchsweep.Measure(cmd.Context(), repos, plan, a.env.Now(), func(what string) { a.log.Info().Msg(what) })
			if err != nil {
				return err
			}
			if asJSON {
				return a.writeJSON(res)
			}
			return a.say(res.Lines()...)
		},
	}
	fl := cmd.Flags()
	fl.Uint64Var(&plan.Seed, "seed", plan.Seed, "draw with this `SEED`")
	fl.IntSliceVar(&plan.Back, "back", plan.Back, "plant at the commits this many first parents before HEAD: a comma `LIST`")
	fl.IntVar(&plan.Anchors, "anchors", plan.Anchors, "references for each of these commits")
	fl.IntVar(&entries, "cost", 0, "measure the time and memory of sweeping `N` entries instead")
	fl.StringVar(&format, "format", "text", "output `FORMAT`: text, json")
	fl.BoolVar(&asJSON, "json", false, "the same as --format json")
	_ = cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions([]string{"text", "json"}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// benchSweepCost writes what sweeps of many entries take, a JSON value a line.
func (a *app) benchSweepCost(cmd *cobra.Command, repos []benchsweep.Named, entries int, plan benchsweep.Plan, asJSON bool) error {
	for _, r := range repos {
		spent, err := benchsweep.Cost(cmd.Context(), r, entries, plan, a.env.Now)
		if err != nil {
			return err
		}
		if asJSON {
			err = a.writeJSON(spent)
		} else {
			err = a.say(spent.Lines()...)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// repositoryName is what figures call a repository: the name of its folder.
func repositoryName(dir string) string {
	if dir == "" {
		return "this repository"
	}
	name := filepath.Base(filepath.Clean(dir))
	if name == ".git" {
		name = filepath.Base(filepath.Dir(filepath.Clean(dir)))
	}
	return strings.TrimSuffix(name, ".git")
}

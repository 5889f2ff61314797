package main

import (
	"fmt"
	"os"
	"os/exec"

	"github.com/spf13/cobra"

	"github.com/saysolint/sayso/bench/retrieval"
)

func newBenchRecall(a *app) *cobra.Command {
	var format, ripgrep string
	var asJSON bool
	last, questions := 0, 0
	var seed uint64
	cmd := &cobra.Command{
		Use:   "recall [REPO...]",
		Short: "Measure how often a question finds the commit that answers it",
		Long: `Measure how well questions find commits in the histories of repositories, this one
by default. The sentence of a commit's body that gives the reason asks the question,
and is taken out of the text that is searched; the commit is the answer. The same
questions are asked of plain BM25, of a search for substrings, and of ripgrep where
--ripgrep names it. Nothing is written into a repository.`,
		Example: "  sayso bench recall\n  sayso bench recall --ripgrep rg A B --json",
		RunE: func(cmd *cobra.Command, args []string) error {
			asJSON, err := jsonOnly(cmd, format, asJSON)
			if err != nil {
				return err
			}
			if last < 0 || questions < 0 {
				return usageError(commandName(cmd), "--last and --questions are not below 0", "0 is all")
			}
			if ripgrep != "" {
				found, err := exec.LookPath(ripgrep)
				if err != nil {
					return usageError(commandName(cmd), "no program "+ripgrep, "")
				}
				ripgrep = found
			}
			if len(args) == 0 {
				args = []string{""}
			}
			var sets []*retrieval.Set
			for _, dir := range args {
				repo, err := a.open(cmd.Context(), a.path(dir))
				if err != nil {
					return err
				}
				s, err := retrieval.Commits(cmd.Context(), repo, last, questions, seed)
				_ = repo.Close()
				if err != nil {
					return err
				}
				sets = append(sets, s)
			}
			var dirs []string
			defer func() {
				for _, d := range dirs {
					_ = os.RemoveAll(d)
				}
			}()
			res, err := retrieval.MeasureCommits(cmd.Context(), sets, func(s *retrieval.Set) (map[string]retrieval.Searcher, error) {
				if ripgrep == "" {
					return nil, nil
				}
				dir, err := os.MkdirTemp("", "sayso-recall-")
				if err != nil {
					return nil, err
				}
				dirs = append(dirs, dir)
				rg, err := retrieval.Ripgrep(s, ripgrep, dir)
				return map[string]retrieval.Searcher{"ripgrep": rg}, err
			})
			if err != nil {
				return err
			}
			if asJSON {
				return a.writeJSON(res)
			}
			lines := []string{
				fmt.Sprintf("%s about %s", count(res.Questions, "question"), count(res.Commits, "commit")),
				fmt.Sprintf("%-14s  %6s  %6s  %6s  %6s  %s", "", "at 1", "at 5", "at 10", "MRR", "recall's MRR is higher by"),
			}
			for i, r := range res.Rows {
				line := fmt.Sprintf("%-14s  %6.3f  %6.3f  %6.3f  %6.3f", r.Name, r.At1, r.At5, r.At10, r.MRR)
				if i > 0 {
					line += fmt.Sprintf("  %+.3f (%+.3f to %+.3f)", r.Versus, r.Low, r.High)
				}
				lines = append(lines, line)
			}
			return a.say(lines...)
		},
	}
	fl := cmd.Flags()
	fl.IntVar(&last, "last", 0, "read only the newest `N` commits of each repository (default: all)")
	fl.IntVar(&questions, "questions", 500, "ask at most `N` questions of each repository, 0 for all")
	fl.Uint64Var(&seed, "seed", 1, "draw with this `SEED`")
	fl.StringVar(&ripgrep, "ripgrep", "", "compare with this `PROGRAM` as well")
	fl.StringVar(&format, "format", "text", "output `FORMAT`: text, json")
	fl.BoolVar(&asJSON, "json", false, "the same as --format json")
	return cmd
}

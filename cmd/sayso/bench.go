package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/saysolint/sayso/bench"
	"github.com/saysolint/sayso/report"
)

// benchFlags are the flags of the measuring commands.
type benchFlags struct {
	plan    bench.Plan
	last    int
	pairs   string
	work    string
	fresh   bool
	workers int
	without string
	format  string
	json    bool
	output  string
}

func newBench(a *app) *cobra.Command {
	var f benchFlags
	cmd := &cobra.Command{
		Use:   "bench [REPO...]",
		Short: "Measure how often the checks are right and wrong on a history",
		Long: `Measure the checks on the histories of repositories, this one by default: how
often they would contradict an honest commit, and how much of what is false they
find. Real commits are drawn by a seed and some of their messages are falsified
by eight rules; each is judged through a twin commit without a message. Nothing
leaves the machine, nothing is written into a repository, and the same seed
gives the same pairs.`,
		Example: `  sayso bench                               # would it cry wolf here?
  sayso bench explain                       # which honest commits, and why
  sayso bench generate -o pairs.jsonl A B   # labelled pairs to keep
  sayso bench score pairs.jsonl A B --format json -o before.json
  sayso bench compare before.json after.json`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.benchScore(cmd, &f, nil, args)
		},
	}
	f.register(cmd)
	cmd.AddCommand(newBenchGenerate(a), newBenchScore(a), newBenchExplain(a), newBenchShow(a), newBenchCompare(a), newBenchAblation(a), newBenchTrain(a), newBenchPublish(a), newBenchRecall(a), newBenchSweep(a))
	return cmd
}

// register adds the flags of a command that draws and judges.
func (f *benchFlags) register(cmd *cobra.Command) {
	f.registerPlan(cmd)
	cmd.Flags().StringVar(&f.pairs, "pairs", "", "keep the pairs in `FILE`: read where it was drawn alike, else written")
	_ = cmd.MarkFlagFilename("pairs")
	f.registerJudge(cmd)
	f.registerFormat(cmd)
}

func (f *benchFlags) registerPlan(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.Uint64Var(&f.plan.Seed, "seed", 1, "draw with this `SEED`")
	fl.IntVar(&f.plan.PerRule, "per-rule", 250, "falsified messages of each rule")
	fl.IntVar(&f.plan.Natural, "natural", 1000, "real commits with their own message")
	fl.IntVar(&f.plan.Control, "control", 240, "messages with a true statement added")
	fl.IntVar(&f.last, "last", 0, "read only the newest `N` commits of each repository (default: all)")
}

func (f *benchFlags) registerJudge(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringVar(&f.work, "work", "", "keep twin commits and indexes in `DIR` for the next run (default: a temporary folder)")
	fl.BoolVar(&f.fresh, "fresh", false, "throw the indexes of earlier runs away")
	fl.IntVar(&f.workers, "workers", 0, "pairs judged at a time (default: as many as there are processors)")
	fl.StringVar(&f.without, "without", "", "switch the checks of this comma `LIST` off")
	_ = cmd.MarkFlagDirname("work")
	_ = cmd.RegisterFlagCompletionFunc("without", cobra.FixedCompletions(checkIDs(), cobra.ShellCompDirectiveNoFileComp))
}

var benchFormats = []string{"text", "json", "markdown", "svg"}

func (f *benchFlags) registerFormat(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringVar(&f.format, "format", "text", "output `FORMAT`: "+strings.Join(benchFormats, ", "))
	fl.BoolVar(&f.json, "json", false, "the same as --format json")
	fl.StringVarP(&f.output, "output", "o", "", "write to `FILE` instead of standard output")
	_ = cmd.MarkFlagFilename("output")
	_ = cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(benchFormats, cobra.ShellCompDirectiveNoFileComp))
}

// resolve checks the flags against each other and against formats.
func (f *benchFlags) resolve(cmd *cobra.Command, formats []string) error {
	if f.json {
		if cmd.Flags().Changed("format") && f.format != "json" {
			return usageError(commandName(cmd), "--json and --format "+f.format+" exclude each other", "")
		}
		f.format = "json"
	}
	if !slices.Contains(formats, f.format) {
		return usageError(commandName(cmd), "unknown format "+f.format, "one of "+strings.Join(formats, ", "))
	}
	for _, n := range []int{f.plan.PerRule, f.plan.Natural, f.plan.Control, f.last, f.workers} {
		if n < 0 {
			return usageError(commandName(cmd), fmt.Sprintf("%d of anything cannot be drawn", n), "numbers from 0 on")
		}
	}
	for _, id := range f.off() {
		if !slices.Contains(checkIDs(), id) {
			return usageError("--without", "no check is called "+id, "one of "+strings.Join(checkIDs(), ", "))
		}
	}
	return nil
}

// off are the checks that are switched off.
func (f *benchFlags) off() []string {
	return strings.FieldsFunc(f.without, func(r rune) bool { return r == ',' || r == ' ' })
}

// benchRun is what a measuring command works with.
type benchRun struct {
	sources []*bench.Source
	set     bench.Set
	options bench.JudgeOptions
	remove  string // temporary folder
	bar     *progress
}

func (r *benchRun) close() {
	r.bar.done()
	for _, s := range r.sources {
		_ = s.Close() // nothing was asked of it any more
	}
	if r.remove != "" {
		_ = os.RemoveAll(r.remove)
	}
}

// benchOpen opens the repositories and prepares the judging.
func (a *app) benchOpen(ctx context.Context, f *benchFlags, repos []string) (*benchRun, error) {
	r := &benchRun{bar: a.newProgress("pairs judged:")}
	if len(repos) == 0 {
		repos = []string{a.repo()}
	}
	for _, dir := range repos {
		src, err := bench.OpenSource(ctx, a.path(dir), f.last)
		if err != nil {
			r.close()
			return nil, &userError{what: "bench", why: err.Error(), hint: "name git repositories with at least one commit that has a parent", code: report.ExitIncomplete, err: err}
		}
		r.sources = append(r.sources, src)
	}
	r.options = bench.JudgeOptions{Dir: a.path(f.work), Fresh: f.fresh, Workers: f.workers, Without: f.off(), Progress: r.bar.report()}
	if f.work == "" {
		dir, err := os.MkdirTemp("", "sayso-bench-")
		if err != nil {
			r.close()
			return nil, ioError("bench", err)
		}
		r.remove, r.options.Dir = dir, dir
	}
	return r, nil
}

// benchPairs reads the set where it was drawn alike, and draws it otherwise.
func (a *app) benchPairs(ctx context.Context, f *benchFlags, r *benchRun) error {
	if f.pairs != "" {
		switch set, err := readPairs(a.path(f.pairs)); {
		case err == nil && set.DrawnAs(r.sources, f.plan, f.last):
			r.set = set
			return nil
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			return err
		}
	}
	set, err := bench.Generate(ctx, r.sources, f.plan, nil)
	if err != nil {
		return err
	}
	set.Last = f.last
	r.set = set
	if f.pairs != "" {
		return writePairs(a.path(f.pairs), set)
	}
	return nil
}

// benchTake takes the pairs of a file as they are, or those of benchPairs where none is named.
func (a *app) benchTake(ctx context.Context, f *benchFlags, r *benchRun, from string) (err error) {
	if from == "" {
		return a.benchPairs(ctx, f, r)
	}
	r.set, err = readPairs(a.path(from))
	return err
}

func readPairs(name string) (bench.Set, error) {
	file, err := os.Open(name)
	if err != nil {
		return bench.Set{}, ioError("pairs", err)
	}
	defer file.Close()
	set, err := bench.ReadSet(file)
	if err != nil {
		return bench.Set{}, &userError{what: name, why: err.Error(), hint: "sayso bench generate writes pairs", code: report.ExitUsage, err: err}
	}
	return set, nil
}

func writePairs(name string, set bench.Set) error {
	var b bytes.Buffer
	if err := set.Write(&b); err != nil {
		return err
	}
	if err := writeOutput(name, b.Bytes()); err != nil {
		return ioError("pairs", err)
	}
	return nil
}

// write sends what fill writes to --output or to standard output.
func (a *app) benchWrite(f *benchFlags, fill func(io.Writer) error) error {
	var b bytes.Buffer
	if err := fill(&b); err != nil {
		return err
	}
	var err error
	if f.output == "" || f.output == "-" {
		_, err = a.stdout.Write(b.Bytes())
	} else {
		err = writeOutput(a.path(f.output), b.Bytes())
	}
	if err != nil {
		return ioError("bench", err)
	}
	return nil
}

func newBenchGenerate(a *app) *cobra.Command {
	var f benchFlags
	cmd := &cobra.Command{
		Use:   "generate [REPO...]",
		Short: "Draw labelled pairs of a message and a commit",
		Long: `Draw labelled pairs and write them as JSON lines: a head that says what they
were drawn from, then one pair a line. The bytes depend on the repositories, the
seed and the numbers alone.`,
		Example: "  sayso bench generate -o pairs.jsonl ../one ../two",
		Args:    cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.resolve(cmd, []string{""}); err != nil {
				return err
			}
			r, err := a.benchOpen(cmd.Context(), &f, args)
			if err != nil {
				return err
			}
			defer r.close()
			if err := a.benchPairs(cmd.Context(), &f, r); err != nil {
				return err
			}
			return a.benchWrite(&f, r.set.Write)
		},
	}
	f.registerPlan(cmd)
	cmd.Flags().StringVarP(&f.output, "output", "o", "", "write to `FILE` instead of standard output")
	_ = cmd.MarkFlagFilename("output")
	return cmd
}

func newBenchScore(a *app) *cobra.Command {
	var f benchFlags
	cmd := &cobra.Command{
		Use:   "score PAIRS [REPO...]",
		Short: "Judge pairs from a file and score the verdicts",
		Long: `Judge the pairs of a file, as bench generate writes them or as others made them,
and score the verdicts. The repositories are those that the pairs name.`,
		Example: "  sayso bench score pairs.jsonl ../one ../two --format markdown",
		Args:    atLeastOne("a file of pairs"),
		RunE: func(cmd *cobra.Command, args []string) error {
			set, err := readPairs(a.path(args[0]))
			if err != nil {
				return err
			}
			return a.benchScore(cmd, &f, &set, args[1:])
		},
	}
	f.registerJudge(cmd)
	f.registerFormat(cmd)
	return cmd
}

// atLeastOne wants one argument or more.
func atLeastOne(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) > 0 {
			return nil
		}
		return usageError(commandName(cmd), "needs "+what, cmd.CommandPath()+" --help")
	}
}

// benchScore judges the set, drawn where set is nil, and writes the result.
func (a *app) benchScore(cmd *cobra.Command, f *benchFlags, set *bench.Set, repos []string) error {
	if err := f.resolve(cmd, benchFormats); err != nil {
		return err
	}
	r, outcomes, err := a.benchJudge(cmd.Context(), f, set, repos)
	if err != nil {
		return err
	}
	result := bench.NewResult(r.set, outcomes, f.off())
	if result.Score.Errors > 0 {
		a.code = report.ExitIncomplete
	}
	return a.benchShow(f, result)
}

// benchShow writes a result in the format that was asked for.
func (a *app) benchShow(f *benchFlags, result bench.Result) error {
	return a.benchWrite(f, func(w io.Writer) error {
		switch f.format {
		case "json":
			return result.WriteJSON(w)
		case "markdown":
			return bench.WriteMarkdown(w, result)
		case "svg":
			return bench.WriteSVG(w, result.Score.Curve)
		}
		return bench.WriteText(w, result.Score)
	})
}

func newBenchShow(a *app) *cobra.Command {
	var f benchFlags
	cmd := &cobra.Command{
		Use:     "show RESULT",
		Short:   "Print a result again in another format",
		Long:    "Print a result that bench wrote as JSON, in another format and without judging anything again.",
		Example: "  sayso bench show result.json --format svg -o curve.svg",
		Args:    exactly(1, "a result, as bench --format json writes it"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.resolve(cmd, benchFormats); err != nil {
				return err
			}
			result, err := a.readResult(args[0])
			if err != nil {
				return err
			}
			return a.benchShow(&f, result)
		},
	}
	f.registerFormat(cmd)
	return cmd
}

func (a *app) readResult(name string) (bench.Result, error) {
	file, err := os.Open(a.path(name))
	if err != nil {
		return bench.Result{}, ioError("bench", err)
	}
	defer file.Close()
	result, err := bench.ReadResult(file)
	if err != nil {
		return bench.Result{}, &userError{what: name, why: err.Error(), hint: "sayso bench --format json writes results", code: report.ExitUsage, err: err}
	}
	return result, nil
}

// benchJudge opens, draws where set is nil, and judges.
func (a *app) benchJudge(ctx context.Context, f *benchFlags, set *bench.Set, repos []string) (*benchRun, []bench.Outcome, error) {
	r, err := a.benchOpen(ctx, f, repos)
	if err != nil {
		return nil, nil, err
	}
	defer r.close()
	if set != nil {
		r.set = *set
	} else if err := a.benchPairs(ctx, f, r); err != nil {
		return nil, nil, err
	}
	outcomes, err := bench.Judge(ctx, r.sources, r.set, r.options)
	return r, outcomes, err
}

func newBenchExplain(a *app) *cobra.Command {
	var f benchFlags
	var o bench.ExplainOptions
	var rule, from string
	cmd := &cobra.Command{
		Use:   "explain [REPO...]",
		Short: "List false alarms, misses and finds with their evidence",
		Long: `List the pairs that a measurement counts, for reading by eye: the message, the
statement that was changed, and what the checks make of each claim. The default list is the
honest messages that are contradicted. With --json each pair is one line.`,
		Example: `  sayso bench explain
  sayso bench explain --list misses --rule file --limit 20
  sayso bench explain --from pairs.jsonl ../one --list vouched --json`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.resolve(cmd, []string{"text", "json"}); err != nil {
				return err
			}
			if !slices.Contains(bench.Lists, o.What) {
				return usageError("--list", "nothing is called "+o.What, "one of "+strings.Join(bench.Lists, ", "))
			}
			if rule != "" && !slices.Contains(bench.AllRules, bench.Rule(rule)) {
				return usageError("--rule", "no rule is called "+rule, "one of "+joined(bench.AllRules))
			}
			o.Rule, o.JSON = bench.Rule(rule), f.format == "json"
			var set *bench.Set
			if from != "" {
				s, err := readPairs(a.path(from))
				if err != nil {
					return err
				}
				set = &s
			}
			_, outcomes, err := a.benchJudge(cmd.Context(), &f, set, args)
			if err != nil {
				return err
			}
			return a.benchWrite(&f, func(w io.Writer) error { return bench.Explain(w, outcomes, o) })
		},
	}
	f.register(cmd)
	fl := cmd.Flags()
	fl.StringVar(&o.What, "list", "false-alarms", "list `WHAT`: "+strings.Join(bench.Lists, ", "))
	fl.StringVar(&rule, "rule", "", "only pairs of this `RULE`: "+joined(bench.AllRules))
	fl.StringVar(&o.Check, "check", "", "only what this check `ID` contradicted")
	fl.StringVar(&o.Repo, "only", "", "only pairs of the repository with this `NAME`")
	fl.IntVar(&o.Limit, "limit", 0, "at most `N` pairs (default: all)")
	fl.StringVar(&from, "from", "", "judge the pairs of `FILE` in place of drawing some")
	_ = cmd.MarkFlagFilename("from")
	_ = cmd.RegisterFlagCompletionFunc("list", cobra.FixedCompletions(bench.Lists, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func joined[T ~string](list []T) string {
	out := make([]string, len(list))
	for i, v := range list {
		out[i] = string(v)
	}
	return strings.Join(out, ", ")
}

func newBenchCompare(a *app) *cobra.Command {
	var f benchFlags
	cmd := &cobra.Command{
		Use:   "compare FIRST SECOND",
		Short: "Set two results on the same pairs against each other",
		Long: `Set two results against each other that bench wrote as JSON, pair by pair: what
one contradicts and the other does not, and how likely so uneven a split is where
neither is better (McNemar's exact test).`,
		Example: "  sayso bench compare before.json after.json",
		Args:    exactly(2, "two results, as bench --format json writes them"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.resolve(cmd, []string{"text", "json"}); err != nil {
				return err
			}
			var results [2]bench.Result
			for i, name := range args {
				var err error
				if results[i], err = a.readResult(name); err != nil {
					return err
				}
			}
			c := bench.Compare(results[0], results[1])
			return a.benchWrite(&f, func(w io.Writer) error {
				if f.format == "json" {
					_, err := w.Write(encodeLine(c))
					return err
				}
				return bench.WriteComparison(w, c)
			})
		},
	}
	f.registerFormat(cmd)
	return cmd
}

func newBenchAblation(a *app) *cobra.Command {
	var f benchFlags
	var from string
	cmd := &cobra.Command{
		Use:   "ablation [REPO...]",
		Short: "Say what each check adds and what it costs",
		Long: `Judge with all checks, with all but one and with one alone, for each check: what
it finds that no other finds, which honest commits it contradicts, and its time at
the median and at the 99th percentile.`,
		Example: "  sayso bench ablation --pairs pairs.jsonl ../one ../two --format markdown",
		Args:    cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.resolve(cmd, []string{"text", "json", "markdown"}); err != nil {
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
			table, err := bench.Ablate(cmd.Context(), r.sources, r.set, r.options, a.env.Now)
			if err != nil {
				return err
			}
			return a.benchWrite(&f, func(w io.Writer) error {
				if f.format == "json" {
					_, err := w.Write(encodeLine(table))
					return err
				}
				return bench.WriteAblation(w, table, f.format == "markdown")
			})
		},
	}
	f.register(cmd)
	cmd.Flags().StringVar(&from, "from", "", "judge the pairs of `FILE` in place of drawing some")
	_ = cmd.MarkFlagFilename("from")
	return cmd
}

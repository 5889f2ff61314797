package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"time"

	"github.com/saysolint/sayso/bench"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	switch {
	case errors.Is(err, flag.ErrHelp):
		os.Exit(0)
	case err != nil:
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(2)
	}
}

// settings are the flags.
type settings struct {
	plan                        bench.Plan
	last                        int
	pairs, exportTo, importFrom string
	work                        string
	fresh, json                 bool
	workers                     int
	explain                     bench.ExplainOptions
	rule                        string
	labels                      string
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	var s settings
	f := flag.NewFlagSet("bench", flag.ContinueOnError)
	f.SetOutput(stderr)
	f.Uint64Var(&s.plan.Seed, "seed", 1, "draws with this `seed`")
	f.IntVar(&s.plan.PerRule, "per-rule", 250, "mutants of each rule")
	f.IntVar(&s.plan.Natural, "natural", 1000, "uniformly drawn commits")
	f.IntVar(&s.plan.Control, "control", 250, "pairs with a true statement added")
	f.IntVar(&s.last, "last", 0, "reads only the newest `N` commits of each repository")
	f.StringVar(&s.pairs, "pairs", "", "keeps the pairs in this `file`: read when it is there and was drawn alike, else written")
	f.StringVar(&s.exportTo, "export", "", "writes the pairs to this `file` and stops")
	f.StringVar(&s.importFrom, "import", "", "reads the pairs from this `file`")
	f.StringVar(&s.work, "work", filepath.Join(os.TempDir(), "sayso-bench"), "keeps twin stores and their indexes in this `folder`")
	f.BoolVar(&s.fresh, "fresh", false, "throws the indexes of earlier runs away")
	f.BoolVar(&s.json, "json", false, "prints the score as JSON")
	f.IntVar(&s.workers, "workers", 0, "pairs judged at a time; 0 for as many as there are processors")
	f.StringVar(&s.explain.What, "explain", "", "lists false-alarms, misses, finds, vouched or errors instead of the score")
	f.StringVar(&s.rule, "rule", "", "with --explain: only this `rule`")
	f.StringVar(&s.explain.Check, "check", "", "with --explain: only what this `check` contradicted")
	f.StringVar(&s.explain.Repo, "repo", "", "with --explain: only this `repository`")
	f.IntVar(&s.explain.Limit, "limit", 0, "with --explain: at most `N`")
	f.StringVar(&s.labels, "label", "", "judges only pairs with this `label`: mutant, original, natural or control")
	if err := f.Parse(args); err != nil {
		return err
	}
	if f.NArg() == 0 {
		return errors.New("name at least one repository")
	}
	s.explain.Rule = bench.Rule(s.rule)

	var sources []*bench.Source
	for _, dir := range f.Args() {
		src, err := bench.OpenSource(ctx, dir, s.last)
		if err != nil {
			return err
		}
		defer src.Close()
		sources = append(sources, src)
	}
	set, err := s.pairSet(ctx, sources, stderr)
	if err != nil {
		return err
	}
	if s.exportTo != "" {
		return writeSet(s.exportTo, set)
	}
	if s.labels != "" {
		set.Pairs = slices.DeleteFunc(set.Pairs, func(p bench.Pair) bool { return string(p.Label) != s.labels })
	}
	if s.explain.What != "" && s.explain.Rule != "" {
		set.Pairs = slices.DeleteFunc(set.Pairs, func(p bench.Pair) bool { return p.Rule != s.explain.Rule })
	}
	start := time.Now()
	outcomes, err := bench.Judge(ctx, sources, set, bench.JudgeOptions{Dir: s.work, Fresh: s.fresh, Workers: s.workers,
		Progress: func(done, total int) { fmt.Fprintf(stderr, "\r%d of %d pairs", done, total) }})
	if err != nil {
		return err
	}
	fmt.Fprintf(stderr, "\r%d pairs judged in %.1f s\n", len(outcomes), time.Since(start).Seconds())
	switch {
	case s.explain.What != "":
		return bench.Explain(stdout, outcomes, s.explain)
	case s.json:
		enc := json.NewEncoder(stdout)
		enc.SetIndent("", "  ")
		return enc.Encode(bench.Summarise(outcomes))
	}
	return bench.WriteText(stdout, bench.Summarise(outcomes))
}

// pairSet reads or draws the pairs.
func (s settings) pairSet(ctx context.Context, sources []*bench.Source, stderr io.Writer) (bench.Set, error) {
	if s.importFrom != "" {
		return readSet(s.importFrom)
	}
	if s.pairs != "" {
		switch set, err := readSet(s.pairs); {
		case err == nil && s.alike(set, sources):
			return set, nil
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			return bench.Set{}, err
		}
	}
	start := time.Now()
	set, err := bench.Generate(ctx, sources, s.plan, func(name string) {
		fmt.Fprintf(stderr, "drawn from %s after %.1f s\n", name, time.Since(start).Seconds())
	})
	if err != nil {
		return bench.Set{}, err
	}
	set.Last = s.last
	if s.pairs != "" {
		return set, writeSet(s.pairs, set)
	}
	return set, nil
}

// alike says whether drawing again would give the same set.
func (s settings) alike(set bench.Set, sources []*bench.Source) bool {
	for _, src := range sources {
		if set.Heads[src.Name] != src.Head {
			return false
		}
	}
	return len(set.Heads) == len(sources) && set.Seed == s.plan.Seed && set.PerRule == s.plan.PerRule && set.Natural == s.plan.Natural && set.Control == s.plan.Control && set.Last == s.last && set.Version == bench.GeneratorVersion
}

func readSet(name string) (bench.Set, error) {
	file, err := os.Open(name)
	if err != nil {
		return bench.Set{}, err
	}
	defer file.Close()
	set, err := bench.ReadSet(file)
	if err != nil {
		return bench.Set{}, fmt.Errorf("%s: %w", name, err)
	}
	return set, nil
}

func writeSet(name string, set bench.Set) error {
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	if err := set.Write(file); err != nil {
		file.Close()
		return err
	}
	return file.Close()
}

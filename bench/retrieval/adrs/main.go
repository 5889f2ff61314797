package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"

	"github.com/saysolint/sayso/bench/retrieval"
	"github.com/saysolint/sayso/internal/git"
	"github.com/saysolint/sayso/memory"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "adrs:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("adrs", flag.ContinueOnError)
	ripgrep := flags.String("ripgrep", "", "also ask this program")
	asJSON := flags.Bool("json", false, "write JSON")
	seed := flags.Uint64("seed", 1, "which sentences ask")
	if err := flags.Parse(args); err != nil {
		return err
	}
	var drafts []memory.Entry
	for _, dir := range flags.Args() {
		repo, err := git.Open(ctx, dir, git.Options{})
		if err != nil {
			return err
		}
		docs, err := retrieval.Records(ctx, repo, "HEAD")
		_ = repo.Close()
		if err != nil {
			return fmt.Errorf("%s: %w", dir, err)
		}
		d := memory.FromADRs(docs)
		drafts = append(drafts, d.Entries...)
		fmt.Fprintf(os.Stderr, "%s: %d records\n", dir, len(d.Entries))
	}
	res, err := retrieval.MeasureMemory(ctx, retrieval.NewStore(drafts, *seed), func(s *retrieval.Set) (map[string]retrieval.Searcher, error) {
		if *ripgrep == "" {
			return nil, nil
		}
		dir, err := os.MkdirTemp("", "sayso-adrs-")
		if err != nil {
			return nil, err
		}
		context.AfterFunc(ctx, func() { _ = os.RemoveAll(dir) })
		rg, err := retrieval.Ripgrep(s, *ripgrep, dir)
		return map[string]retrieval.Searcher{"ripgrep": rg}, err
	})
	if err != nil {
		return err
	}
	if *asJSON {
		enc := json.NewEncoder(out)
		enc.SetIndent("", "  ")
		return enc.Encode(res)
	}
	fmt.Fprintf(out, "%d entries, %d hold; %d questions with an answer, %d without; %d leaks\n", res.Entries, res.Holding, res.Questions, res.Others, res.Leaks)
	how := retrieval.Asking("none")
	for _, r := range res.Rows {
		if r.How != how {
			how = r.How
			name := string(how)
			if name == "" {
				name = "all questions"
			}
			fmt.Fprintf(out, "\n%-20s %6s %6s %6s %6s   MRR against BM25\n", name, "at 1", "at 5", "at 10", "MRR")
		}
		fmt.Fprintf(out, "%-20s %6.3f %6.3f %6.3f %6.3f   %+.3f (%+.3f to %+.3f)\n", r.Name, r.At1, r.At5, r.At10, r.MRR, r.Versus, r.Low, r.High)
	}
	return nil
}

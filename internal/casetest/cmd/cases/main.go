package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/sourcegraph/conc/iter"

	"github.com/saysolint/sayso/internal/casetest"
	"github.com/saysolint/sayso/internal/engine"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code, err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "cases:", err)
		code = 2
	}
	os.Exit(code)
}

func run(ctx context.Context, args []string, out io.Writer) (int, error) {
	flags := flag.NewFlagSet("cases", flag.ContinueOnError)
	only := flags.String("run", "", "only cases whose name matches this `regexp`")
	verbose := flags.Bool("v", false, "print the claims of the cases that come out right as well")
	workers := flags.Int("j", 2, "cases at a `time`")
	cache := flags.String("cache", filepath.Join(os.TempDir(), "sayso-cases"), "where built repositories are kept")
	if err := flags.Parse(args); err != nil {
		return 2, err
	}
	dir := "internal/casetest/testdata/cases"
	if flags.NArg() > 0 {
		dir = flags.Arg(0)
	}
	match, err := regexp.Compile(*only)
	if err != nil {
		return 2, err
	}
	all, err := casetest.Load(os.DirFS(dir), "*.txtar")
	if err != nil {
		return 2, err
	}
	var cases []casetest.Case
	for _, c := range all {
		if match.MatchString(c.Name) {
			cases = append(cases, c)
		}
	}
	if len(cases) == 0 {
		return 2, fmt.Errorf("no case in %s", dir)
	}

	type outcome struct {
		result engine.Result
		broken []string
	}
	start := time.Now()
	mapper := iter.Mapper[casetest.Case, outcome]{MaxGoroutines: *workers}
	outcomes := mapper.Map(cases, func(c *casetest.Case) outcome {
		r, err := open(ctx, *c, *cache)
		if err != nil {
			return outcome{broken: []string{err.Error()}}
		}
		result, err := casetest.Judge(ctx, *c, r)
		if err != nil {
			return outcome{broken: []string{err.Error()}}
		}
		return outcome{result, casetest.Evaluate(*c, result)}
	})
	failed := 0
	for i, o := range outcomes {
		if len(o.broken) > 0 {
			failed++
		}
		if len(o.broken) > 0 || *verbose {
			write(out, cases[i], o.result, o.broken)
		}
	}
	fmt.Fprintf(out, "%d right, %d wrong, %d ms\n", len(cases)-failed, failed, time.Since(start).Milliseconds())
	if failed > 0 {
		return 1, nil
	}
	return 0, nil
}

// open finds the repository of a case in the cache or builds it there. What an
// earlier run derived from it (the index) is thrown away, so that a change of
// its code is seen.
func open(ctx context.Context, c casetest.Case, cache string) (casetest.Repository, error) {
	dir := filepath.Join(cache, c.Key())
	work := filepath.Join(dir, "tree")
	heads := filepath.Join(dir, "heads")
	if data, err := os.ReadFile(heads); err == nil {
		if head, parent, ok := strings.Cut(strings.TrimSpace(string(data)), " "); ok {
			r := casetest.Repository{Dir: work, Head: head, Parent: parent}
			return r, os.RemoveAll(filepath.Join(work, ".git", "sayso"))
		}
	}
	if err := os.RemoveAll(work); err != nil {
		return casetest.Repository{}, err
	}
	r, err := c.Build(ctx, work)
	if err != nil {
		return casetest.Repository{}, err
	}
	return r, os.WriteFile(heads, []byte(r.Head+" "+r.Parent+"\n"), 0o644)
}

// write prints one case: its name, the broken rules, then a line per claim.
func write(out io.Writer, c casetest.Case, r engine.Result, broken []string) {
	mark := "ok  "
	if len(broken) > 0 {
		mark = "FAIL"
	}
	fmt.Fprintf(out, "%s %s\n", mark, c.Name)
	for _, b := range broken {
		fmt.Fprintf(out, "     ! %s\n", b)
	}
	if r.Abstained != "" {
		fmt.Fprintf(out, "       abstained: %s\n", r.Abstained)
	}
	for _, f := range r.Claims {
		fmt.Fprintf(out, "       %-12s %-10s %d:%d+%d %q by %s %s", f.Verdict, f.Kind, f.Place.Line, f.Place.Column, f.Place.Length, f.Text, f.Check, f.Strength)
		if f.Reason != "" {
			fmt.Fprintf(out, ": %s", f.Reason)
		}
		fmt.Fprintln(out)
		for _, e := range f.Evidence {
			fmt.Fprintf(out, "         %+.2f %s", e.Weight, e.Fact)
			if e.Path != "" {
				fmt.Fprintf(out, " [%s:%d %s]", e.Path, e.Line, e.Side)
			}
			fmt.Fprintln(out)
		}
	}
	for _, m := range r.Coverage.Missing {
		fmt.Fprintf(out, "       missing %s: %s %s\n", m.Path, m.Reason, m.Detail)
	}
}

package bench

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/sourcegraph/conc/pool"

	"github.com/saysolint/sayso/checks"
	"github.com/saysolint/sayso/claim"
	"github.com/saysolint/sayso/internal/config"
	"github.com/saysolint/sayso/internal/engine"
	"github.com/saysolint/sayso/internal/git"
)

// Outcome is a pair with what the engine said of it.
type Outcome struct {
	Pair   Pair
	Result engine.Result
	// On are the findings that stand on the changed or added statement.
	On []checks.Finding
}

// JudgeOptions is how pairs are judged.
type JudgeOptions struct {
	Dir      string          // where twin stores and their indexes are kept between runs
	Fresh    bool            // throw the indexes of earlier runs away
	Workers  int             // pairs at a time; 0 for as many as there are processors
	Without  []string        // ids of checks that are off
	Weights  *checks.Weights // nil: the shipped table
	Progress func(done, total int)
	// See is shown what goes into the checks for the pair at place i of the set.
	// It is called from several goroutines; nil for nobody.
	See func(i int, in checks.Input)
}

// Judge shows every pair to the engine and gives the outcomes in the order of
// the set. Each pair needs its source.
func Judge(ctx context.Context, sources []*Source, set Set, opts JudgeOptions) ([]Outcome, error) {
	byName := map[string]*Source{}
	for _, s := range sources {
		byName[s.Name] = s
	}
	groups := map[string][]int{}
	for i, p := range set.Pairs {
		if byName[p.Repo] == nil {
			return nil, fmt.Errorf("bench: pair %s needs the repository %s, which was not given", p.ID, p.Repo)
		}
		groups[p.Repo] = append(groups[p.Repo], i)
	}
	outcomes := make([]Outcome, len(set.Pairs))
	var done atomic.Int64
	for _, name := range slices.SortedFunc(mapKeys(groups), strings.Compare) {
		if err := judgeSource(ctx, byName[name], set.Pairs, groups[name], outcomes, opts, func() {
			if n := int(done.Add(1)); opts.Progress != nil && n%500 == 0 {
				opts.Progress(n, len(set.Pairs))
			}
		}); err != nil {
			return nil, err
		}
	}
	return outcomes, nil
}

func mapKeys[V any](m map[string]V) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// judgeSource fills outcomes[i] for the pairs of one source.
func judgeSource(ctx context.Context, src *Source, pairs []Pair, which []int, outcomes []Outcome, opts JudgeOptions, tick func()) error {
	var commits []string
	for _, i := range which {
		commits = append(commits, pairs[i].Commit)
	}
	slices.Sort(commits)
	dir := filepath.Join(opts.Dir, fmt.Sprintf("%s-%x", src.Name, hash64(src.Dir)), src.Name+".git")
	if opts.Fresh {
		if err := os.RemoveAll(filepath.Join(dir, "sayso")); err != nil {
			return fmt.Errorf("bench: %w", err)
		}
	}
	twins, err := MakeTwins(ctx, src, slices.Compact(commits), dir)
	if err != nil {
		return err
	}
	repo, err := git.Open(ctx, twins.Dir, git.Options{})
	if err != nil {
		return fmt.Errorf("bench: %s: %w", src.Name, err)
	}
	defer repo.Close()
	workers := cmp.Or(opts.Workers, runtime.NumCPU())
	cfg := config.Default()
	cfg.Checks = map[string]string{}
	for _, id := range opts.Without {
		cfg.Checks[id] = "off"
	}
	e := engine.New(repo, engine.Options{BuildIndex: true, Workers: workers, Config: cfg, Weights: opts.Weights})
	defer e.Close()
	work := pool.New().WithContext(ctx).WithCancelOnError().WithFirstError().WithMaxGoroutines(workers)
	for _, i := range which {
		work.Go(func(ctx context.Context) error {
			if err := ctx.Err(); err != nil {
				return err
			}
			p := pairs[i]
			start := time.Now()
			var see func(checks.Input)
			if opts.See != nil {
				see = func(in checks.Input) { opts.See(i, in) }
			}
			r := e.CommitSeen(ctx, twins.Of[p.Commit], &p.Message, see)
			if r.MS == 0 {
				r.MS = float64(time.Since(start).Microseconds()) / 1000
			}
			o := Outcome{Pair: p, Result: r}
			if p.Length > 0 {
				o.On = standingOn(p, r.Claims)
			}
			outcomes[i] = o
			tick()
			return nil
		})
	}
	return work.Wait()
}

// standingOn are the findings that share a code point with the statement of the
// pair.
func standingOn(p Pair, findings []checks.Finding) []checks.Finding {
	lines := lineStarts(p.Message)
	var out []checks.Finding
	for _, f := range findings {
		start, end, ok := extent(f.Claim, lines)
		if ok && start < p.At+p.Length && p.At < end {
			out = append(out, f)
		}
	}
	return out
}

// extent is where a claim stands, in code points of the message. A text that
// runs over its line is taken at its own length.
func extent(c claim.Claim, lines []int) (start, end int, ok bool) {
	p := c.Place
	if p.Line < 1 || p.Line > len(lines) || p.Column < 1 {
		return 0, 0, false
	}
	start = lines[p.Line-1] + p.Column - 1
	length := p.Length
	if strings.Contains(c.Text, "\n") {
		length = max(length, len([]rune(c.Text)))
	}
	return start, start + length, length > 0
}

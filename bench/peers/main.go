package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// settings are what the flags say.
type settings struct {
	size    size
	rounds  int
	quick   bool
	check   bool
	require string
	program string
	keep    string
	json    string
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "peers:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	s, err := parse(args)
	if err != nil {
		return err
	}
	work := s.keep
	if work == "" {
		if work, err = os.MkdirTemp("", "sayso-peers-"); err != nil {
			return err
		}
		defer os.RemoveAll(work)
	}
	sayso := s.program
	if sayso == "" {
		if sayso, err = build(ctx, work); err != nil {
			return err
		}
	}

	fmt.Fprintf(out, "repository: %d files, %d commits, index up to %d commits behind; %s/%s, %d processors, %d runs each\n",
		s.size.files, s.size.commits, s.size.behind, runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), s.rounds)
	repo, err := plant(ctx, filepath.Join(work, "plant"), s.size)
	if err != nil {
		return err
	}
	var budgets []budget

	cold := &contestant{name: "sayso index, cold", args: []string{sayso, "index"}, dir: repo.dir, fine: []int{0}}
	if err := cold.once(ctx, true); err != nil {
		return err
	}
	bytes, err := cacheSize(repo.dir)
	if err != nil {
		return err
	}
	if err := repo.keepIndex(); err != nil {
		return err
	}
	if err := repo.forward(ctx); err != nil {
		return err
	}
	if err := repo.stage(ctx); err != nil {
		return err
	}

	hooks, missing, err := contestants(repo, sayso, s.require)
	if err != nil {
		return err
	}
	if err := race(ctx, s.rounds, hooks); err != nil {
		return err
	}
	fmt.Fprint(out, "\nthe commit-msg hook\n")
	if err := printTable(out, hooks); err != nil {
		return err
	}
	for _, name := range missing {
		fmt.Fprintf(out, "not run: %s (not installed)\n", name)
	}
	budgets = append(budgets, hookBudgets(hooks, s.require)...)
	rec := &record{Files: s.size.files, Commits: s.size.commits, Behind: s.size.behind, System: runtime.GOOS + "/" + runtime.GOARCH,
		Processors: runtime.NumCPU(), Missing: append([]string{}, missing...)}
	rec.add(hooks...)

	if !s.quick {
		more, err := ranges(ctx, out, rec, repo, sayso, cold, bytes)
		if err != nil {
			return err
		}
		budgets = append(budgets, more...)
	}

	fmt.Fprint(out, "\nbudgets\n")
	broken, err := printBudgets(out, budgets)
	if err != nil {
		return err
	}
	if s.json != "" {
		if err := rec.write(s.json, budgets); err != nil {
			return err
		}
	}
	if s.require != "" && len(missing) > 0 {
		return fmt.Errorf("%s is required and not installed", s.require)
	}
	if broken > 0 && (s.check || s.require != "") {
		return fmt.Errorf("%d budgets are missed", broken)
	}
	return nil
}

// parse reads the flags.
func parse(args []string) (settings, error) {
	var s settings
	flags := flag.NewFlagSet("peers", flag.ContinueOnError)
	flags.IntVar(&s.size.files, "files", 10_000, "files in the tree")
	flags.IntVar(&s.size.commits, "commits", 20_000, "commits in the history")
	flags.IntVar(&s.size.behind, "behind", 100, "commits that the index has not seen")
	flags.IntVar(&s.rounds, "runs", 25, "runs of each program")
	flags.BoolVar(&s.quick, "quick", false, "1,000 files, 2,000 commits, 7 runs, the hook only")
	flags.BoolVar(&s.check, "check", false, "fail when a budget is missed")
	flags.StringVar(&s.require, "require", "", "race this `peer` alone and fail unless the hook beats it as promised: commitlint or gitlint")
	flags.StringVar(&s.program, "sayso", "", "time this `program` in place of a fresh build")
	flags.StringVar(&s.json, "json", "", "write the figures to this `file` as well")
	flags.StringVar(&s.keep, "keep", "", "work in this empty `folder` and leave it there")
	if err := flags.Parse(args); err != nil {
		return s, err
	}
	if s.quick {
		s.size, s.rounds = size{files: 1_000, commits: 2_000, behind: 100}, 7
	}
	if s.size.files < 2*filesPerPackage || s.size.commits <= s.size.behind || s.size.behind < 1 || s.rounds < 1 {
		return s, errors.New("the repository needs 40 files, more commits than the index is behind (at least 1), and a run")
	}
	if s.require != "" && s.require != "commitlint" && s.require != "gitlint" {
		return s, fmt.Errorf("no peer %s: commitlint or gitlint", s.require)
	}
	if s.keep != "" {
		keep, err := filepath.Abs(s.keep)
		if err != nil {
			return s, err
		}
		if entries, err := os.ReadDir(keep); err == nil && len(entries) > 0 {
			return s, fmt.Errorf("%s is not empty", s.keep)
		}
		s.keep = keep
	}
	return s, nil
}

// build makes the program as a release is made.
func build(ctx context.Context, work string) (string, error) {
	path := filepath.Join(work, "sayso")
	if runtime.GOOS == "windows" {
		path += ".exe"
	}
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags=-s -w", "-o", path, "github.com/saysolint/sayso/cmd/sayso")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return path, nil
}

// firstHook is the hook when no hook before it has kept what lies after the index: the
// first one after a pull.
const firstHook = "sayso, first after a pull"

// contestants are the hook and those of its peers that are installed; with require
// the hook and that peer alone.
func contestants(repo *repository, sayso, require string) (all []*contestant, missing []string, err error) {
	hook := contestant{name: "sayso", args: []string{sayso, "hook", "run", "commit-msg", repo.message}, dir: repo.dir, env: hookEnvironment, fine: []int{0}}
	all = append(all, &hook)
	if require == "" {
		first := hook
		first.name, first.before = firstHook, repo.forgetNewer
		all = append(all, &first)
	}
	wanted := func(name string) (string, bool) {
		if require != "" && require != name {
			return "", false
		}
		path, lookErr := exec.LookPath(name)
		if lookErr != nil {
			missing = append(missing, name)
		}
		return path, lookErr == nil
	}
	if path, ok := wanted("commitlint"); ok {
		if err := configureCommitlint(repo, path); err != nil {
			return nil, nil, err
		}
		all = append(all, &contestant{name: "commitlint", args: []string{path, "--edit", repo.message}, dir: repo.dir, fine: []int{0, 1}})
	}
	if path, ok := wanted("gitlint"); ok {
		// The number of findings is its exit code.
		fine := make([]int, 20)
		for i := range fine {
			fine[i] = i
		}
		all = append(all, &contestant{name: "gitlint", args: []string{path, "--staged", "--msg-filename", repo.message}, dir: repo.dir, fine: fine})
	}
	return all, missing, nil
}

// configureCommitlint gives commitlint its usual configuration; the packages are
// found beside the program, through a link that git does not see.
func configureCommitlint(repo *repository, program string) error {
	real, err := filepath.EvalSymlinks(program)
	if err != nil {
		return err
	}
	modules := filepath.Dir(filepath.Dir(filepath.Dir(real))) // node_modules/@commitlint/cli/cli.js
	if filepath.Base(modules) != "node_modules" {
		return fmt.Errorf("commitlint at %s does not lie in a node_modules folder", real)
	}
	if err := os.Symlink(modules, filepath.Join(repo.dir, "node_modules")); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(repo.dir, "commitlint.config.mjs"), []byte("export default { extends: ['@commitlint/config-conventional'] };\n"), 0o644); err != nil {
		return err
	}
	exclude := filepath.Join(repo.dir, ".git", "info", "exclude")
	if err := os.MkdirAll(filepath.Dir(exclude), 0o755); err != nil {
		return err
	}
	return os.WriteFile(exclude, []byte("/node_modules\n/commitlint.config.mjs\n"), 0o644)
}

// hookBudgets are the promises about the hook; with require only the one beside that peer.
func hookBudgets(hooks []*contestant, require string) []budget {
	own := hooks[0].wall().median
	var all []budget
	if require == "" {
		all = append(all,
			budget{what: "hook, median", value: float64(own) / 1e6, limit: 60, unit: "ms"},
			budget{what: "hook, peak memory", value: float64(hooks[0].peak()) / 1e6, limit: 80, unit: "MB"})
	}
	for _, peer := range hooks[1:] {
		if peer.name == firstHook {
			all = append(all, budget{what: "hook, first after a pull, median", value: float64(peer.wall().median) / 1e6, limit: 60, unit: "ms"})
			continue
		}
		if require != "" && require != peer.name {
			continue
		}
		limit := map[string]float64{"commitlint": 8, "gitlint": 3}[peer.name]
		all = append(all, budget{what: "hook beside " + peer.name, value: float64(peer.wall().median) / float64(own), limit: limit, unit: "times faster", least: true})
	}
	return all
}

// ranges times what is not a hook: the index and a thousand commits.
func ranges(ctx context.Context, out io.Writer, rec *record, repo *repository, sayso string, cold *contestant, bytes int64) ([]budget, error) {
	// Each run begins with the index as it was before the pull, and without what a hook kept.
	update := &contestant{name: fmt.Sprintf("sayso index, %d new commits", repo.behind), args: []string{sayso, "index"}, dir: repo.dir, fine: []int{0}, before: repo.oldIndex}
	if err := race(ctx, 7, []*contestant{update}); err != nil {
		return nil, err
	}
	thousand := &contestant{name: "sayso check --last 1000", args: []string{sayso, "check", "--last", "1000", "--format", "json"}, dir: repo.dir, fine: []int{0, 1}}
	hundred := &contestant{name: "sayso check --last 100", args: []string{sayso, "check", "--last", "100", "--format", "json"}, dir: repo.dir, fine: []int{0, 1}}
	if err := race(ctx, 3, []*contestant{thousand, hundred}); err != nil {
		return nil, err
	}
	fmt.Fprint(out, "\nranges and the index\n")
	if err := printTable(out, []*contestant{thousand, hundred, cold, update}); err != nil {
		return nil, err
	}
	rec.add(thousand, hundred, cold, update)
	long, coldWall, updateWall := thousand.wall().median, cold.wall().median, update.wall().median
	return []budget{
		{what: "check --last 1000, median", value: long.Seconds(), limit: 5, unit: "s"},
		{what: "check --last 1000, peak memory", value: float64(thousand.peak()) / 1e6, limit: 250, unit: "MB"},
		{what: "index, cold", value: coldWall.Seconds(), limit: 10, unit: "s"},
		{what: fmt.Sprintf("index, %d new commits", repo.behind), value: float64(updateWall) / float64(time.Millisecond), limit: 200, unit: "ms"},
		{what: "index on disk", value: float64(bytes) / 1e6, limit: 60, unit: "MB"},
	}, nil
}

// cacheSize is what the index takes on disk.
func cacheSize(dir string) (int64, error) {
	var sum int64
	err := filepath.WalkDir(filepath.Join(dir, ".git", "sayso"), func(_ string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		if err == nil {
			sum += info.Size()
		}
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		return 0, fmt.Errorf("sayso index wrote no cache under %s", strings.TrimSuffix(dir, "/")+"/.git/sayso")
	}
	return sum, err
}

package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/saysolint/sayso/checks"
	"github.com/saysolint/sayso/internal/checkpoint"
	"github.com/saysolint/sayso/internal/git"
	"github.com/saysolint/sayso/memory"
	"github.com/saysolint/sayso/memory/gitstore"
	"github.com/saysolint/sayso/recall"
	"github.com/saysolint/sayso/report"
)

// recallFlags are the flags of sayso recall.
type recallFlags struct {
	kinds, tiers, paths, also []string
	since, format             string
	limit, maxCommits         int
	json, explain             bool
	rebuild                   bool
	space                     string
}

func newRecall(a *app) *cobra.Command {
	var f recallFlags
	cmd := &cobra.Command{
		Use:   "recall QUESTION...",
		Short: "Ask what was decided, and why",
		Long: `Ask what was decided, and why. Three sources answer: the reviewed entries of the
memory, the messages of the commits, and what was said in the transcripts that
sayso ingest read. None of them has to exist.

Each answer has whose word it is (REVIEWED, LEDGER, INTENT, CHAT). What a
transcript claims is held against the commit that it sits on. Answers are ordered by
trust before relevance: nothing partial or contradicted stands above what was
verified. The first line says how much of the sources was there.`,
		Example: "  sayso recall why do hooks have a timeout\n  sayso recall --tier LEDGER --since 2026-01-01 retry limit\n  sayso recall --path internal/auth --json token refresh",
		Args: func(cmd *cobra.Command, args []string) error {
			if strings.TrimSpace(strings.Join(args, " ")) == "" {
				return usageError("recall", "needs a question", `sayso recall "why is the cache bounded"`)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.recall(cmd, strings.Join(args, " "), &f)
		},
	}
	fs := cmd.Flags()
	fs.StringSliceVar(&f.kinds, "kind", nil, "only hits of these kinds: entry, commit, turn, or kinds of entries (decision, convention, ...)")
	fs.StringSliceVar(&f.tiers, "tier", nil, "only the word of: REVIEWED, LEDGER, INTENT, CHAT")
	fs.StringVar(&f.since, "since", "", "only what is at most as old as `WHEN`: 2026-01-31, an RFC 3339 time, or an age such as 90d, 6w, 3m, 1y")
	fs.StringSliceVar(&f.paths, "path", nil, "only what touches this file, folder or glob")
	fs.IntVar(&f.limit, "limit", recall.DefaultLimit, fmt.Sprintf("at most `N` hits, 1 to %d", recall.MaxLimit))
	fs.IntVar(&f.maxCommits, "max-commits", recall.DefaultCommits, "search the newest `N` commits")
	fs.BoolVar(&f.rebuild, "rebuild", false, "build the index of messages anew")
	fs.BoolVar(&f.explain, "explain", false, "say how each hit was found and weighed")
	fs.StringVar(&f.space, "space", "", "the store called `NAME` in the configuration (default: the repository's own)")
	fs.StringArrayVar(&f.also, "also", nil, "another `PHRASING` of the question, asked along and fused; may be repeated")
	fs.StringVar(&f.format, "format", "text", "output `FORMAT`: text, json")
	fs.BoolVar(&f.json, "json", false, "the same as --format json")
	return cmd
}

// recall asks and writes the answer.
func (a *app) recall(cmd *cobra.Command, text string, f *recallFlags) error {
	asJSON, err := jsonOnly(cmd, f.format, f.json)
	if err != nil {
		return err
	}
	q, err := a.question(cmd, text, f)
	if err != nil {
		return err
	}
	ctx := cmd.Context()
	repo, err := a.open(ctx, "")
	if err != nil {
		return err
	}
	defer repo.Close()
	conf, err := a.trustWorktree(ctx, repo)
	if err != nil {
		return err
	}
	mem, err := a.memorySet(ctx, "recall", repo, conf, f.space)
	if err != nil {
		return err
	}
	ans, err := a.ask(ctx, repo, conf, mem, q, recall.Options{MaxCommits: f.maxCommits, Rebuild: f.rebuild})
	if err != nil {
		return err
	}
	if asJSON {
		return a.writeJSON(ans)
	}
	return a.sayAnswer(ans, f.explain)
}

// ask opens the sources of a repository and asks them.
func (a *app) ask(ctx context.Context, repo *git.Repo, conf trust, mem known, q recall.Question, opts recall.Options) (*recall.Answer, error) {
	opts.Memory, opts.Work = mem.set, mem.work
	lib, err := recall.Open(ctx, repo, opts)
	if err != nil {
		return nil, recallError(err)
	}
	if lib.SaveError != nil {
		a.log.Debug().Err(lib.SaveError).Msg("the index of messages was not kept")
	}
	eng := a.engine(ctx, repo, conf, false, nil)
	defer eng.Close()
	kept := recall.Keep(repo.CommonDir(), strings.Join([]string{programVersion(), conf.data, conf.rules}, "\x00"), recall.ByEngine(repo, eng))
	ans, err := lib.Ask(ctx, q, kept)
	if err != nil {
		return nil, recallError(err)
	}
	if err := kept.Save(); err != nil {
		a.log.Debug().Err(err).Msg("the rulings were not kept")
	}
	return ans, nil
}

// question checks the flags.
func (a *app) question(cmd *cobra.Command, text string, f *recallFlags) (recall.Question, error) {
	q := recall.Question{Text: text, More: f.also, Kinds: f.kinds, Paths: f.paths, Limit: f.limit}
	var kinds, tiers []string
	for _, k := range recall.Kinds {
		kinds = append(kinds, string(k))
	}
	for _, k := range memory.Kinds {
		kinds = append(kinds, string(k))
	}
	if err := oneOfEach(cmd, "kind", f.kinds, kinds); err != nil {
		return q, err
	}
	for i, t := range f.tiers {
		f.tiers[i] = strings.ToUpper(t)
	}
	for _, t := range recall.Tiers {
		tiers = append(tiers, string(t))
	}
	if err := oneOfEach(cmd, "tier", f.tiers, tiers); err != nil {
		return q, err
	}
	for _, t := range f.tiers {
		q.Tiers = append(q.Tiers, recall.Tier(t))
	}
	if f.limit < 1 || f.limit > recall.MaxLimit {
		return q, usageError("recall", fmt.Sprintf("--limit is %d", f.limit), fmt.Sprintf("a number from 1 to %d", recall.MaxLimit))
	}
	if f.maxCommits < 1 {
		return q, usageError("recall", "--max-commits needs a number above 0", "")
	}
	var err error
	if f.since != "" {
		if q.Since, err = sinceWhen(f.since, a.env.Now()); err != nil {
			return q, usageError("recall", "--since "+f.since+" is no time", "2026-01-31, 2026-01-31T12:00:00Z, 90d, 6w, 3m or 1y")
		}
	}
	return q, nil
}

// sinceWhen reads a day, a time or an age.
func sinceWhen(s string, now time.Time) (time.Time, error) {
	if t, err := time.Parse("2006-01-02", s); err == nil {
		return t, nil
	}
	if t, err := time.Parse(time.RFC3339, s); err == nil {
		return t, nil
	}
	n, err := strconv.Atoi(s[:len(s)-1])
	if err != nil || n < 0 || n > 100_000 {
		return time.Time{}, errors.New("no time")
	}
	switch s[len(s)-1] {
	case 'd':
		return now.AddDate(0, 0, -n), nil
	case 'w':
		return now.AddDate(0, 0, -7*n), nil
	case 'm':
		return now.AddDate(0, -n, 0), nil
	case 'y':
		return now.AddDate(-n, 0, 0), nil
	}
	return time.Time{}, errors.New("no time")
}

// known is a memory as recall and brief read it.
type known struct {
	set  *memory.Set // entries that may hold; nil where there is no memory
	work *memory.Set // as the files of the work tree have it, where set is of a revision; else nil
}

// memorySet is the memory of a repository, empty where it has none: recall and brief work
// without. What git tracks is in force as HEAD has it. What git does not track lands nowhere, and holds
// as it is; so does what another repository keeps.
func (a *app) memorySet(ctx context.Context, what string, repo *git.Repo, conf trust, space string) (known, error) {
	own := space == "" || space == gitstore.RepoSpace
	var k known
	var err error
	if own {
		k.set, err = memory.Load(ctx, gitstore.Tree(repo, "HEAD", conf.config.MemoryFolder()))
		if errors.Is(err, git.ErrEmpty) || errors.Is(err, git.ErrUnknown) {
			k.set, err = memory.NewSet(nil, nil), nil // before the first commit nothing has landed
		}
		if err != nil {
			return known{}, err
		}
	}
	if repo.Root() != "" || !own {
		loc, err := gitstore.Locate(ctx, repo, conf.config.Memory, space, a.getenv("HOME"))
		if err != nil {
			return known{}, memoryFailure(what, err)
		}
		files, err := loc.Store.Load(ctx)
		if err != nil {
			return known{}, memoryFailure(what, err)
		}
		tracked := own && !loc.Shared && (len(k.set.Entries) > 0 || len(k.set.Skipped) > 0)
		if own && !loc.Shared && !tracked {
			if tracked, err = stages(ctx, repo, conf.config.MemoryFolder()); err != nil {
				return known{}, err
			}
		}
		if tracked {
			k.work = files
		} else {
			k.set = files
		}
	}
	if len(k.set.Entries) == 0 && len(k.set.Skipped) == 0 && (k.work == nil || len(k.work.Entries) == 0) {
		return known{}, nil
	}
	return k, nil
}

// stages says whether git's index has files of a folder.
func stages(ctx context.Context, repo *git.Repo, folder string) (bool, error) {
	out, err := repo.Run(ctx, nil, "ls-files", "-z", "--", ":(top,literal)"+folder)
	if errors.Is(err, git.ErrNoGit) {
		return false, nil // HEAD was read without it, and has none
	}
	if err != nil {
		return false, fmt.Errorf("asking git what it tracks of %s: %w", folder, err)
	}
	return len(out) > 0, nil
}

// together is the memory for a brief: what holds, and beside it the entries that have not
// landed, as the proposals that they are.
func (k known) together() *memory.Set {
	if k.set == nil {
		return memory.NewSet(nil, nil)
	}
	if k.work == nil {
		return k.set
	}
	all := slices.Clone(k.set.Entries)
	for _, p := range memory.Land(k.set, k.work).Pending {
		if k.set.Get(p.ID) == nil {
			all = append(all, p)
		}
	}
	return memory.NewSet(all, k.set.Skipped)
}

// recallError puts an error of the derived state into the words of the house.
func recallError(err error) error {
	hint := ""
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case errors.Is(err, recall.ErrLong), errors.Is(err, recall.ErrMany):
		return &userError{what: "recall", why: err.Error(), code: report.ExitUsage, err: err}
	case errors.Is(err, recall.ErrNoCoverage), errors.Is(err, checkpoint.ErrDamaged), errors.Is(err, checkpoint.ErrVersion):
		hint = "sayso ingest --rebuild makes it anew"
	default:
		return err
	}
	return &userError{what: "recall", why: strings.ReplaceAll(err.Error(), "\n", "; "), hint: hint, code: report.ExitIncomplete, err: err}
}

// sayAnswer writes an answer for people: the coverage, then the hits.
func (a *app) sayAnswer(ans *recall.Answer, explain bool) error {
	lines := []string{recallCoverage(&ans.Coverage)}
	for _, r := range ans.Coverage.Reasons {
		lines = append(lines, "  partial: "+r)
	}
	if explain {
		lines = append(lines, "terms: "+strings.Join(ans.Terms, " "))
	}
	if len(ans.Hits) == 0 {
		lines = append(lines, "nothing found")
	}
	marks := map[checks.Verdict]string{checks.Corroborated: "✓ ", checks.Contradicted: "✗ ", checks.Unverifiable: "? ", checks.Neutral: "· "}
	for i := range ans.Hits {
		h := &ans.Hits[i]
		head := h.Title
		if head == "" {
			head = h.Excerpt
		}
		if h.Tag != "" {
			lines = append(lines, "    "+h.Tag)
		}
		lines = append(lines, fmt.Sprintf("%2d. [%-8s] score %.2f  conf %.2f  %s", i+1, h.Tier, h.Score, h.Confidence, oneLine(head)))
		if h.Title != "" && h.Excerpt != h.Title {
			lines = append(lines, "      "+oneLine(h.Excerpt))
		}
		word := string(h.Verdict)
		if h.Verdict == checks.Contradicted || h.Verdict == checks.Unverifiable {
			word = strings.ToUpper(word)
		}
		if h.Strength == checks.Likely {
			word += " (likely)"
		}
		lines = append(lines, "      "+marks[h.Verdict]+word+" — "+oneLine(h.Why))
		if len(h.Partial) > 0 {
			lines = append(lines, "      ◌ partial context: "+oneLine(strings.Join(h.Partial, ", "))+" unavailable")
		}
		lines = append(lines, "      "+oneLine(backing(h)))
		if explain {
			lines = append(lines, fmt.Sprintf("      relevance %.2f of the best, class %d; found %s", h.Relevance, h.Class, strings.Join(h.Found, " ")))
		}
	}
	return a.say(lines...)
}

// backing is where a hit comes from.
func backing(h *recall.Hit) string {
	var parts []string
	if h.Kind == recall.KindEntry {
		parts = append(parts, h.Place)
	}
	if h.Commit != nil {
		c := "commit " + short(h.Commit.Hash)
		if h.Kind == recall.KindTurn && h.Commit.Subject != "" {
			c += " " + h.Commit.Subject
		}
		parts = append(parts, c)
	}
	if h.Kind == recall.KindTurn {
		parts = append(parts, "checkpoint "+h.Checkpoint)
	}
	if !h.Date.IsZero() {
		parts = append(parts, h.Date.Format("2006-01-02"))
	}
	return strings.Join(parts, ", ")
}

// recallCoverage is the coverage in one line.
func recallCoverage(c *recall.Coverage) string {
	parts := []string{}
	if c.Entries == nil {
		parts = append(parts, "no memory")
	} else if c.Entries.InForce == 1 {
		parts = append(parts, "1 entry in force")
	} else {
		parts = append(parts, fmt.Sprintf("%d entries in force", c.Entries.InForce))
	}
	if c.Entries != nil && c.Entries.Pending > 0 {
		parts = append(parts, fmt.Sprintf("%d not landed yet", c.Entries.Pending))
	}
	parts = append(parts, count(c.Commits.Indexed, "commit"))
	if c.Checkpoints == nil {
		parts = append(parts, "no checkpoints")
	} else {
		parts = append(parts, fmt.Sprintf("%d of %s whole", c.Checkpoints.Whole, count(c.Checkpoints.Checkpoints, "checkpoint")))
	}
	if c.Judged > 0 {
		parts = append(parts, fmt.Sprintf("%s judged", count(c.Judged, "claim")), "graph "+c.Graph)
	}
	return "coverage: " + c.State + ", " + strings.Join(parts, ", ")
}

// programVersion tells builds apart whose verdicts may differ.
func programVersion() string {
	v, revision := versionAndRevision()
	return v + " " + revision
}

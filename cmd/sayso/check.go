package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/saysolint/sayso/claim"
	"github.com/saysolint/sayso/internal/engine"
	"github.com/saysolint/sayso/internal/git"
	"github.com/saysolint/sayso/internal/transcript"
	"github.com/saysolint/sayso/report"
)

// maxText is the largest message, title or body that is read.
const maxText = 64 << 20

// checkFlags are the flags of `sayso check`.
type checkFlags struct {
	output      outputFlags
	last        int
	base        string
	staged      bool
	messageFile string
	title       string
	bodyFile    string
	noCommits   bool
	transcript  string
	batch       bool
	graph       string
}

func newCheck(a *app) *cobra.Command {
	var f checkFlags
	cmd := &cobra.Command{
		Use:   "check [REV | A..B | A...B]...",
		Short: "Judge commits, the commit being made, a pull request or a transcript",
		Long: `Judge what a change says against what it did.

Without arguments: the commits of the current branch that its upstream (or the
default branch) lacks; HEAD alone if there are none.

The configuration is read from where it had landed before the change: the merge
base for a range or a pull request, the first parent for one commit, the working
tree for --staged. --base REV overrides it.`,
		Example: `  sayso check                                     # this branch
  sayso check HEAD~3 v1.2..v1.3                   # a commit and a range
  sayso check --last 20 --format json
  sayso check --staged --message-file MSG         # the commit being made; - for standard input
  sayso check main..HEAD --title "Add retries" --body-file body.md
  sayso check --transcript session.jsonl          # an agent's last turn against the working tree
  sayso check --batch < requests.ndjson           # {"id":"1","repo":".","commit":"HEAD"}`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.validate(cmd, args); err != nil {
				return err
			}
			r := &checkRun{app: a, flags: f}
			a.askGraph = !f.batch && f.graph == graphAuto
			switch {
			case f.batch:
				return a.runBatch(cmd.Context())
			case f.transcript != "":
				return r.transcript(cmd.Context(), args)
			case f.staged:
				return r.staged(cmd.Context())
			case f.texts(cmd):
				return r.pullRequest(cmd.Context(), args, cmd)
			}
			return r.commits(cmd.Context(), args)
		},
	}
	fl := cmd.Flags()
	fl.IntVar(&f.last, "last", 0, "judge the last `N` commits")
	fl.StringVar(&f.base, "base", "", "what is new against `REV`, with the configuration of its tree")
	fl.BoolVar(&f.staged, "staged", false, "judge the staged change against --message-file")
	fl.StringVar(&f.messageFile, "message-file", "", "message of the commit being made, from `FILE` or - for standard input")
	fl.StringVar(&f.title, "title", "", "`TITLE` of a pull request, judged against the whole range")
	fl.StringVar(&f.bodyFile, "body-file", "", "body of a pull request, from `FILE` or - for standard input")
	fl.BoolVar(&f.noCommits, "no-commits", false, "with --title or --body-file: leave the messages of the single commits out")
	fl.StringVar(&f.transcript, "transcript", "", "judge the last assistant turn in `FILE`, or - for standard input")
	fl.StringVar(&f.graph, "graph", graphAuto, "dependency `GRAPH`: auto asks \"entire graph\" where that is installed, built-in never does")
	_ = cmd.RegisterFlagCompletionFunc("graph", cobra.FixedCompletions(graphNames, cobra.ShellCompDirectiveNoFileComp))
	fl.BoolVar(&f.batch, "batch", false, "requests from standard input, one JSON object a line; one result a line on standard output")
	f.output.register(cmd, true)
	_ = cmd.MarkFlagFilename("message-file")
	_ = cmd.MarkFlagFilename("body-file")
	_ = cmd.MarkFlagFilename("transcript")
	return cmd
}

// texts says whether the texts of a pull request were given, be they empty.
func (f *checkFlags) texts(cmd *cobra.Command) bool {
	return cmd.Flags().Changed("title") || cmd.Flags().Changed("body-file")
}

// validate refuses combinations of which one half would be silently ignored.
func (f *checkFlags) validate(cmd *cobra.Command, args []string) error {
	if err := f.output.resolve(cmd); err != nil {
		return err
	}
	changed := cmd.Flags().Changed
	exclude := func(a string, others ...string) error {
		if !changed(a) {
			return nil
		}
		for _, b := range others {
			if changed(b) {
				return usageError("check", "--"+a+" and --"+b+" exclude each other", "sayso check --help")
			}
		}
		return nil
	}
	for _, err := range []error{
		exclude("batch", "staged", "transcript", "title", "body-file", "last", "base", "message-file", "no-commits", "format", "json", "fail-on", "verbose", "graph"),
		exclude("transcript", "title", "body-file", "last", "message-file", "no-commits"),
		exclude("staged", "title", "body-file", "last", "no-commits"),
		exclude("last", "title", "body-file", "base"),
	} {
		if err != nil {
			return err
		}
	}
	switch {
	case !slices.Contains(graphNames, f.graph):
		return usageError("check", "unknown graph "+f.graph, "one of "+strings.Join(graphNames, ", "))
	case f.batch && len(args) > 0:
		return usageError("check", "--batch takes its revisions from standard input", "")
	case f.staged && len(args) > 0:
		return usageError("check", "--staged judges the commit being made, not "+args[0], "--base REV compares with another commit than HEAD")
	case f.staged && f.transcript == "" && f.messageFile == "":
		return usageError("check", "--staged needs --message-file", "--message-file FILE, or - for standard input")
	case f.messageFile != "" && !f.staged:
		return usageError("check", "--message-file needs --staged", "sayso check --staged --message-file "+f.messageFile)
	case f.noCommits && !f.texts(cmd):
		return usageError("check", "--no-commits needs --title or --body-file", "")
	case changed("last") && f.last < 1:
		return usageError("check", "--last needs a number above 0", "")
	case changed("last") && len(args) > 0:
		return usageError("check", "--last counts back from HEAD and takes no revision", "sayso check "+args[0]+"~N.."+args[0])
	case f.title != "" && strings.ContainsAny(f.title, "\r\n"):
		return usageError("check", "--title is one line", "put the rest into --body-file")
	}
	return nil
}

// checkRun is one call of `sayso check`.
type checkRun struct {
	*app
	flags checkFlags
}

// group is a run of commits that are judged by the same configuration.
type group struct {
	hashes []string
	trust  trust
	from   []string // the trees that the configuration was read from, where it says the same in all
}

// sources names the trees that the configuration of a run came from.
func sources(groups []group) string {
	const most = 3
	var all []string
	for _, g := range groups {
		for _, from := range g.from {
			if !slices.Contains(all, from) {
				all = append(all, from)
			}
		}
	}
	switch n := len(all); {
	case n < 2:
		return strings.Join(all, "")
	case n > most:
		all = append(all[:most-1], fmt.Sprintf("%d others", n-most+1))
	}
	return strings.Join(all[:len(all)-1], ", ") + " and " + all[len(all)-1]
}

// together is what a run of several configurations is reported under.
func together(groups []group) trust {
	t := groups[0].trust
	t.from = sources(groups)
	for _, g := range groups[1:] {
		t.also = append(t.also, g.trust)
	}
	return t
}

// nothingNew says that there is nothing to judge, which is no failure: a merge
// queue and a second run of a job ask about such ranges.
func nothingNew(specs []string, base string) string {
	if len(specs) == 0 {
		return "nothing to judge: no commit is new against " + oneLine(base)
	}
	return "nothing to judge: no commit in " + oneLine(strings.Join(specs, " ")) + "; A..B holds what B has and A has not"
}

// commits judges commits by their own messages.
func (r *checkRun) commits(ctx context.Context, specs []string) error {
	repo, err := r.open(ctx, "")
	if err != nil {
		return err
	}
	defer repo.Close()
	groups, err := r.plan(ctx, repo, specs)
	if err != nil {
		return revisionError(err, specs, r.flags.base)
	}
	out, err := r.report(&r.flags.output, together(groups))
	if err != nil {
		return err
	}
	if len(groups[0].hashes) == 0 {
		out.w.Note(nothingNew(specs, r.flags.base))
	}
	if err := r.judge(ctx, repo, groups, out); err != nil {
		return err
	}
	return r.finish(out)
}

// judge judges groups of commits in order.
func (r *checkRun) judge(ctx context.Context, repo *git.Repo, groups []group, out *reportWriter) error {
	total, before := 0, 0
	for _, g := range groups {
		total += len(g.hashes)
	}
	p := r.newProgress("judging")
	defer p.done()
	for _, g := range groups {
		var set func(done, total int)
		if f := p.report(); f != nil {
			offset := before
			set = func(done, _ int) { f(offset+done, total) }
		}
		eng := r.engine(ctx, repo, g.trust, true, set)
		err := eng.Commits(ctx, g.hashes, func(res engine.Result) error {
			p.done()
			return out.result(r.withBase(res, g.trust))
		})
		if cerr := eng.Close(); err == nil {
			err = cerr
		}
		if err != nil {
			return err
		}
		before += len(g.hashes)
	}
	return nil
}

// withBase names the tree that the configuration came from where the user chose it.
func (r *checkRun) withBase(res engine.Result, t trust) engine.Result {
	if r.flags.base != "" {
		res.Notes = append(res.Notes, "configuration read from "+t.from+", as --base asks")
	}
	return res
}

// plan turns the arguments into commits, oldest first, each once, in groups by
// the tree that their configuration is trusted from.
func (r *checkRun) plan(ctx context.Context, repo *git.Repo, specs []string) ([]group, error) {
	if len(specs) == 0 {
		hashes, err := repo.Revisions(ctx, nil, git.RevOptions{Last: r.flags.last, Base: r.flags.base})
		if err != nil {
			return nil, err
		}
		if len(hashes) == 0 {
			t, err := r.trustFor(ctx, repo, "HEAD", "HEAD")
			return []group{{nil, t, []string{t.from}}}, err
		}
		t, err := r.trustFor(ctx, repo, hashes[0]+"^", "the first parent of "+short(hashes[0]))
		t.memoryAt = t.tree
		return []group{{hashes, t, []string{t.from}}}, err
	}
	seen := map[string]bool{}
	var groups []group
	for _, spec := range specs {
		hashes, err := repo.Revisions(ctx, []string{spec}, git.RevOptions{})
		if err != nil {
			return nil, err
		}
		fresh := hashes[:0:0]
		for _, h := range hashes {
			if !seen[h] {
				seen[h] = true
				fresh = append(fresh, h)
			}
		}
		if len(fresh) == 0 {
			continue
		}
		rev, from, memoryAt := fresh[0]+"^", "the first parent of "+short(fresh[0]), ""
		if a, b, dots := git.SplitRange(spec); dots != "" {
			base, err := repo.MergeBase(ctx, a, b)
			switch {
			case err == nil:
				rev, from, memoryAt = base, "the merge base "+short(base), base
			case errors.Is(err, git.ErrUnknown):
				rev, from, memoryAt = a, a, a // histories that share nothing: what is new is new against A
			default:
				return nil, err
			}
		}
		t, err := r.trustFor(ctx, repo, rev, from)
		if err != nil {
			return nil, err
		}
		if r.flags.base == "" {
			t.memoryAt = memoryAt
		}
		if n := len(groups); n > 0 && groups[n-1].trust.memoryAt == t.memoryAt && groups[n-1].trust.data == t.data && groups[n-1].trust.rules == t.rules {
			groups[n-1].hashes = append(groups[n-1].hashes, fresh...)
			if !slices.Contains(groups[n-1].from, t.from) {
				groups[n-1].from = append(groups[n-1].from, t.from)
			}
			continue
		}
		groups = append(groups, group{fresh, t, []string{t.from}})
	}
	if len(groups) == 0 {
		_, b, _ := git.SplitRange(specs[0])
		t, err := r.trustFor(ctx, repo, b, b)
		return []group{{nil, t, []string{t.from}}}, err
	}
	return groups, nil
}

// trustFor reads the configuration from rev, or from --base where that was given.
func (r *checkRun) trustFor(ctx context.Context, repo *git.Repo, rev, from string) (trust, error) {
	if r.flags.base == "" {
		return r.trustTree(ctx, repo, rev, from)
	}
	hash, err := repo.Resolve(ctx, r.flags.base)
	if err != nil {
		return trust{}, err
	}
	t, err := r.trustTree(ctx, repo, hash, r.flags.base+" ("+short(hash)+")")
	t.memoryAt = hash
	return t, err
}

// span is the one range that a pull request or a transcript is held against.
type span struct{ base, head string }

// oneRange resolves the range that specs name: A..B and A...B from their merge
// base, one revision as what it did to its first parent. With none, what HEAD
// has that --base lacks.
func (r *checkRun) oneRange(ctx context.Context, repo *git.Repo, specs []string) (span, error) {
	if len(specs) > 1 {
		return span{}, usageError("check", "one range, not "+fmt.Sprint(len(specs)), "sayso check BASE..HEAD")
	}
	a, b, dots := r.flags.base, "HEAD", ".."
	if len(specs) == 1 {
		if a, b, dots = git.SplitRange(specs[0]); dots == "" {
			head, err := repo.Resolve(ctx, specs[0])
			if err != nil {
				return span{}, err
			}
			base, err := repo.Resolve(ctx, head+"^")
			return span{base, head}, err
		}
	}
	head, err := repo.Resolve(ctx, b)
	if err != nil {
		return span{}, err
	}
	base, err := repo.MergeBase(ctx, a, head)
	if err != nil {
		return span{}, err
	}
	return span{base, head}, nil
}

// pullRequest judges title and body against the whole range, and each commit's own message.
func (r *checkRun) pullRequest(ctx context.Context, specs []string, cmd *cobra.Command) error {
	if len(specs) == 0 && r.flags.base == "" {
		return usageError("check", "--title and --body-file need the range that they speak of", "sayso check BASE..HEAD --title TITLE")
	}
	var texts []engine.Text
	if cmd.Flags().Changed("title") {
		texts = append(texts, engine.Text{Source: claim.SourceTitle, Tier: claim.TierIntent, Body: r.flags.title})
	}
	if r.flags.bodyFile != "" {
		data, err := r.readInput(ctx, "--body-file", r.flags.bodyFile, maxText)
		if err != nil {
			return err
		}
		data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
		texts = append(texts, engine.Text{Source: claim.SourceBody, Tier: claim.TierIntent, Body: strings.ToValidUTF8(string(data), "\uFFFD")})
	}
	repo, err := r.open(ctx, "")
	if err != nil {
		return err
	}
	defer repo.Close()
	at, err := r.oneRange(ctx, repo, specs)
	if err != nil {
		return revisionError(err, specs, r.flags.base)
	}
	t, err := r.trustFor(ctx, repo, at.base, "the merge base "+short(at.base))
	if err != nil {
		return err
	}
	t.memoryAt = t.tree
	out, err := r.report(&r.flags.output, t)
	if err != nil {
		return err
	}
	eng := r.engine(ctx, repo, t, true, nil)
	res := eng.Range(ctx, at.base, at.head, "pull-request", texts)
	if err := eng.Close(); err != nil {
		return err
	}
	if err := out.result(r.withBase(res, t)); err != nil {
		return err
	}
	if !r.flags.noCommits {
		hashes, err := repo.Revisions(ctx, []string{at.base + ".." + at.head}, git.RevOptions{})
		if err != nil {
			return err
		}
		if err := r.judge(ctx, repo, []group{{hashes: hashes, trust: t}}, out); err != nil {
			return err
		}
	}
	return r.finish(out)
}

// staged judges the commit being made.
func (r *checkRun) staged(ctx context.Context) error {
	raw, err := r.readInput(ctx, "--message-file", r.flags.messageFile, maxText)
	if err != nil {
		return err
	}
	repo, err := r.open(ctx, "")
	if err != nil {
		return err
	}
	defer repo.Close()
	if err := needWorkTree(repo, "check", "--staged"); err != nil {
		return err
	}
	var t trust
	if r.flags.base != "" {
		t, err = r.trustFor(ctx, repo, "", "")
	} else {
		t, err = r.trustWorktree(ctx, repo)
	}
	if err != nil {
		return err
	}
	out, err := r.report(&r.flags.output, t)
	if err != nil {
		return err
	}
	eng := r.engine(ctx, repo, t, false, nil)
	defer eng.Close()
	res, _, err := r.judgeStaged(ctx, repo, eng, raw, r.flags.base)
	if err != nil {
		return err
	}
	if err := out.result(r.withBase(res, t)); err != nil {
		return err
	}
	return r.finish(out)
}

// transcript judges the last assistant turn against the range, the staged change or the working tree.
func (r *checkRun) transcript(ctx context.Context, specs []string) error {
	turn, err := r.readTurn(ctx, r.flags.transcript)
	if err != nil {
		return err
	}
	repo, err := r.open(ctx, "")
	if err != nil {
		return err
	}
	defer repo.Close()
	var at span
	var t trust
	if len(specs) > 0 || r.flags.base != "" && !r.flags.staged {
		if at, err = r.oneRange(ctx, repo, specs); err != nil {
			return err
		}
		t, err = r.trustFor(ctx, repo, at.base, "the merge base "+short(at.base))
		t.memoryAt = t.tree
	} else if err = needWorkTree(repo, "check", "--transcript without a range"); err != nil {
		return err
	} else if r.flags.base != "" {
		t, err = r.trustFor(ctx, repo, "", "")
	} else {
		t, err = r.trustWorktree(ctx, repo)
	}
	if err != nil {
		return err
	}
	out, err := r.report(&r.flags.output, t)
	if err != nil {
		return err
	}
	eng := r.engine(ctx, repo, t, false, nil)
	defer eng.Close()
	texts := []engine.Text{{Source: claim.SourceTranscript, Tier: claim.TierChat, Body: turn.Text}}
	var res engine.Result
	switch {
	case r.flags.staged:
		res = asTranscript(eng.Staged(ctx, engine.Staged{Message: turn.Text, Base: r.flags.base}))
	case at.head != "":
		res = eng.Range(ctx, at.base, at.head, "transcript", texts)
	default:
		res = eng.Worktree(ctx, texts)
	}
	res.Notes = append(res.Notes, turnNotes(turn)...)
	if err := out.result(r.withBase(res, t)); err != nil {
		return err
	}
	return r.finish(out)
}

// readTurn reads the last assistant turn of a transcript file or standard input.
func (a *app) readTurn(ctx context.Context, name string) (transcript.Turn, error) {
	in, err := a.openInput(ctx, "transcript", name)
	if err != nil {
		return transcript.Turn{}, err
	}
	defer in.Close()
	turn, err := transcript.Read(in, transcript.Limits{})
	if err != nil {
		return turn, &userError{what: "transcript", why: name + ": " + plainIOError(err).Error(), code: report.ExitIncomplete, err: err}
	}
	return turn, nil
}

// turnNotes says what of a transcript was not read.
func turnNotes(t transcript.Turn) []string {
	var notes []string
	if t.Skipped > 0 {
		notes = append(notes, fmt.Sprintf("%d of %d lines of the transcript could not be read", t.Skipped, t.Lines))
	}
	if t.Truncated {
		notes = append(notes, "the turn is very long: only its end was read")
	}
	if t.Redacted > 0 {
		notes = append(notes, fmt.Sprintf("text is redacted in %d places of the turn", t.Redacted))
	}
	return notes
}

// asTranscript marks what was judged as a message as the transcript it is.
func asTranscript(res engine.Result) engine.Result {
	res.Kind = "transcript"
	res = relabel(res, claim.SourceTranscript)
	for i := range res.Claims {
		res.Claims[i].Tier = claim.TierChat
	}
	return res
}

// relabel names the text that the claims were read from.
func relabel(res engine.Result, source claim.Source) engine.Result {
	for i := range res.Claims {
		res.Claims[i].Place.Source = source
	}
	return res
}

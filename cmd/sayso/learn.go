package main

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/saysolint/sayso/change"
	"github.com/saysolint/sayso/checks"
	"github.com/saysolint/sayso/claim"
	"github.com/saysolint/sayso/internal/engine"
	"github.com/saysolint/sayso/internal/git"
	"github.com/saysolint/sayso/internal/learn"
	"github.com/saysolint/sayso/memory"
	"github.com/saysolint/sayso/report"
)

// learnFlags are the flags of sayso learn.
type learnFlags struct {
	memoryFlags
	staged, notes, explicit, propose bool
	messageFile, bodyFile, request   string
	marks                            []string
	last                             int
}

func newLearn(a *app) *cobra.Command {
	var f learnFlags
	cmd := &cobra.Command{
		Use:   "learn [REVISION|RANGE...]",
		Short: "Draft entries of the memory from what changes teach",
		Long: `Draft entries of the memory from what changes teach: from lines of a message that
begin with Decision:, Convention:, Learned:, Failure:, Pattern: or Fact: (and
Supersedes: ID below them), from blocks "sayso" of a pull request's text, from
comments NOTE(decision): ... with --notes; and, as suggestions, where a dependency
takes the place of another, a revert says why, a fix adds a test against the fault's
return, or a decision record is added.

Nothing is written, but with --propose. Each draft says where it comes from, what
the agreement engine says of its words, and which entries say the same or the
opposite. What the change contradicts is never drafted as a fact. Without arguments:
the commits of this branch.`,
		Example: "  sayso learn\n  sayso learn main..HEAD --json >drafts.json\n  sayso learn main..HEAD --body-file pull-request.md --request '#12'\n  sayso learn --staged --message-file .git/COMMIT_EDITMSG --propose",
		Args:    cobra.ArbitraryArgs,
		RunE:    func(cmd *cobra.Command, args []string) error { return a.learn(cmd, args, &f) },
	}
	f.register(cmd)
	s := cmd.Flags()
	s.BoolVar(&f.staged, "staged", false, "what is staged, with the message of --message-file")
	s.StringVar(&f.messageFile, "message-file", "", "message of the commit being made, from `FILE`, - for standard input")
	s.StringVar(&f.bodyFile, "body-file", "", "text of a pull request over the range, from `FILE`, - for standard input")
	s.StringVar(&f.request, "request", "", "`NAME` of the pull request, such as #12, for where drafts come from")
	s.BoolVar(&f.notes, "notes", false, "also comments of the form NOTE(decision): ... that a change adds")
	s.BoolVar(&f.explicit, "explicit", false, "no suggestions: only what was marked")
	s.StringSliceVar(&f.marks, "mark", nil, "only drafts made of these marks: trailer, block, note, dependency, revert, regression, record")
	s.IntVar(&f.last, "last", 0, "of a revision, the newest `N` commits of its history")
	s.BoolVar(&f.propose, "propose", false, "write the drafts into the store as proposed entries")
	return cmd
}

func (a *app) learn(cmd *cobra.Command, args []string, f *learnFlags) error {
	ctx := cmd.Context()
	asJSON, err := jsonOnly(cmd, f.format, f.json)
	if err != nil {
		return err
	}
	var marks []string
	for _, m := range learn.Marks {
		marks = append(marks, string(m))
	}
	switch err := oneOfEach(cmd, "mark", f.marks, marks); {
	case err != nil:
		return err
	case f.staged && (len(args) > 0 || f.bodyFile != ""):
		return usageError("learn", "--staged excludes ranges and --body-file", "")
	case f.messageFile != "" && !f.staged:
		return usageError("learn", "--message-file needs --staged", "")
	case f.staged && f.messageFile == "" && !f.notes && f.explicit:
		return usageError("learn", "without a message nothing is marked", "--message-file .git/COMMIT_EDITMSG")
	case f.bodyFile != "" && len(args) != 1:
		return usageError("learn", "--body-file needs the range that it speaks of", "sayso learn main..HEAD --body-file FILE")
	case f.last < 0:
		return usageError("learn", "--last needs a number above 0", "")
	case f.notes || len(f.marks) == 0:
	case slices.Contains(f.marks, string(learn.MarkNote)):
		f.notes = true
	}
	repo, err := a.open(ctx, "")
	if err != nil {
		return err
	}
	defer repo.Close()
	if f.staged {
		if err := needWorkTree(repo, "learn", "--staged"); err != nil {
			return err
		}
	}
	conf, err := a.trustWorktree(ctx, repo)
	if err != nil {
		return err
	}
	eng := a.engine(ctx, repo, conf, false, nil)
	defer eng.Close()
	reader := change.NewReader(repo, change.Limits{})
	defer reader.Close()
	l := &learner{app: a, flags: f, repo: repo, eng: eng, reader: reader}
	l.out.Coverage.Notes = f.notes
	switch {
	case f.staged:
		err = l.stage(ctx)
	default:
		err = l.commits(ctx, args)
	}
	if err != nil {
		return err
	}
	known, err := a.memorySet(ctx, "learn", repo, conf, f.space)
	if err != nil {
		return err
	}
	set := known.set
	if known.work != nil {
		set = known.work // a draft that has not landed is a duplicate as well
	}
	if set != nil {
		l.out.Coverage.Entries = len(set.Entries)
	}
	learn.Compare(l.drafts, set)
	var wrote memory.Plan
	if f.propose {
		if wrote, err = l.propose(cmd); err != nil {
			return err
		}
	}
	return l.say(asJSON, wrote)
}

// learner gathers drafts.
type learner struct {
	*app
	flags  *learnFlags
	repo   *git.Repo
	eng    *engine.Engine
	reader *change.Reader
	drafts []learn.Draft
	out    learn.Output
}

// commits drafts from commits, and from the text of a pull request over them.
func (l *learner) commits(ctx context.Context, specs []string) error {
	hashes, err := l.repo.Revisions(ctx, specs, git.RevOptions{Last: l.flags.last})
	if err != nil {
		return revisionError(err, specs, "")
	}
	c := &l.out.Coverage
	c.Commits = len(hashes)
	if l.flags.bodyFile != "" {
		if err := l.request(ctx, specs[0]); err != nil {
			return err
		}
	}
	for _, h := range hashes {
		if ctx.Err() != nil {
			return errInterrupted
		}
		commit, err := l.repo.Commit(ctx, h)
		if err != nil {
			c.Failed = append(c.Failed, h+": "+oneLine(err.Error()))
			continue
		}
		in := learn.Change{Commit: h, Author: commit.Author.Name, At: commit.Committer.When, Message: commit.Message, Request: l.flags.request}
		if len(commit.Parents) > 1 {
			c.Merges++ // what it did are its parents' changes
		} else if in.Did, err = l.reader.Commit(ctx, h); err != nil {
			c.Failed = append(c.Failed, h+": "+oneLine(err.Error()))
			in.Did = nil
		}
		if in.Did != nil || len(commit.Parents) > 1 {
			c.Read++
		}
		err = l.draft(ctx, in, func(ctx context.Context, words string) engine.Result {
			if words == "" {
				return l.eng.Commit(ctx, h, nil)
			}
			base := "" // the empty tree
			if len(commit.Parents) > 0 {
				base = commit.Parents[0]
			}
			return l.eng.Range(ctx, base, h, "commit", []engine.Text{{Source: claim.SourceBody, Tier: claim.TierLedger, Body: words}})
		})
		if err != nil {
			return err
		}
	}
	c.Complete = len(c.Failed) == 0
	return nil
}

// request drafts from the text of a pull request over a range.
func (l *learner) request(ctx context.Context, spec string) error {
	data, err := l.readInput(ctx, "--body-file", l.flags.bodyFile, maxText)
	if err != nil {
		return err
	}
	a, b, dots := git.SplitRange(spec)
	if dots == "" {
		a, b = spec+"^", spec
	}
	head, err := l.repo.Resolve(ctx, b)
	if err != nil {
		return revisionError(err, []string{spec}, "")
	}
	base, err := l.repo.MergeBase(ctx, a, head)
	if err != nil {
		return revisionError(err, []string{spec}, "")
	}
	tip, err := l.repo.Commit(ctx, head)
	if err != nil {
		return err
	}
	body := strings.ToValidUTF8(string(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))), "\uFFFD")
	in := learn.Change{Author: tip.Author.Name, At: tip.Committer.When, Body: body, Request: l.flags.request}
	if in.Did, err = l.reader.Range(ctx, base, head); err != nil {
		l.out.Coverage.Failed = append(l.out.Coverage.Failed, spec+": "+oneLine(err.Error()))
		in.Did = nil
	}
	return l.draftAs(ctx, in, learn.Options{Explicit: true}, func(ctx context.Context, words string) engine.Result {
		return l.eng.Range(ctx, base, head, "pull-request", []engine.Text{{Source: claim.SourceBody, Tier: claim.TierIntent, Body: words}})
	})
}

// stage drafts from what is staged.
func (l *learner) stage(ctx context.Context) error {
	message := ""
	if l.flags.messageFile != "" {
		raw, err := l.readInput(ctx, "--message-file", l.flags.messageFile, maxText)
		if err != nil {
			return err
		}
		clean, err := l.repo.ReadCleanOptions(ctx)
		if err != nil {
			return err
		}
		message = git.CleanMessage(raw, clean).Text
	}
	l.out.Coverage.Commits = 1
	in := learn.Change{At: l.env.Now(), Message: message, Request: l.flags.request, Author: (&openMemory{repo: l.repo}).reviewer(ctx, "")}
	did, err := l.reader.Staged(ctx, "HEAD")
	if err != nil {
		return err
	}
	in.Did, l.out.Coverage.Read, l.out.Coverage.Complete = did, 1, true
	return l.draft(ctx, in, func(ctx context.Context, words string) engine.Result {
		if words == "" {
			return l.eng.Staged(ctx, engine.Staged{Message: message, Base: "HEAD"})
		}
		// Under a subject that claims nothing, the words are read as a sentence of a body.
		return l.eng.Staged(ctx, engine.Staged{Message: "-\n\n" + words, Base: "HEAD"})
	})
}

func (l *learner) draft(ctx context.Context, in learn.Change, judge func(context.Context, string) engine.Result) error {
	return l.draftAs(ctx, in, learn.Options{Notes: l.flags.notes, Explicit: l.flags.explicit}, judge)
}

// draftAs drafts from one change and has its drafts judged.
func (l *learner) draftAs(ctx context.Context, in learn.Change, o learn.Options, judge func(context.Context, string) engine.Result) error {
	drafts, left := learn.Drafts(in, o)
	if len(l.flags.marks) > 0 {
		drafts = slices.DeleteFunc(drafts, func(d learn.Draft) bool { return !slices.Contains(l.flags.marks, string(d.Mark)) })
	}
	// The same words in several commits, as after a rebase, have ids of their own: all stay, and are told to be near.
	err := learn.Rule(ctx, drafts, func(ctx context.Context, words string) (checks.Judgement, error) {
		res := judge(ctx, words)
		if ctx.Err() != nil {
			return checks.Judgement{}, errInterrupted
		}
		if res.Error != nil {
			return checks.Judgement{Verdict: checks.Unverifiable, Abstained: oneLine(res.Error.String())}, nil
		}
		return res.Judgement, nil
	})
	l.drafts, l.out.Left = append(l.drafts, drafts...), append(l.out.Left, left...)
	return err
}

// propose writes the drafts into the store.
func (l *learner) propose(cmd *cobra.Command) (memory.Plan, error) {
	m, err := l.memory(cmd, &l.flags.memoryFlags)
	if err != nil {
		return memory.Plan{}, err
	}
	defer m.close()
	var in []memory.Arrival
	for i := range l.drafts {
		in = append(in, l.drafts[i].Arrival())
	}
	p, err := m.Store.Arrive(cmd.Context(), in)
	return p, memoryError(cmd, err)
}

// say writes the drafts.
func (l *learner) say(asJSON bool, wrote memory.Plan) error {
	c := &l.out.Coverage
	c.Failed = orEmpty(c.Failed)
	if !c.Complete {
		l.code = report.ExitIncomplete
	}
	if asJSON {
		l.out.Schema, l.out.Drafts, l.out.Left = learn.Schema, []learn.Record{}, orEmpty(l.out.Left)
		for i := range l.drafts {
			l.out.Drafts = append(l.out.Drafts, l.drafts[i].Record())
		}
		return l.writeJSON(l.out)
	}
	suggested, held := 0, 0
	for _, d := range l.drafts {
		if !d.Mark.Explicit() {
			suggested++
		}
		if d.Held != "" {
			held++
		}
	}
	what := fmt.Sprintf("read %d of %d commits", c.Read, c.Commits)
	if l.flags.staged {
		what = "read what is staged"
	}
	head := fmt.Sprintf("%s: %d drafts, %d marked, %d suggested", what, len(l.drafts), len(l.drafts)-suggested, suggested)
	if held > 0 {
		head += fmt.Sprintf(", %d held back", held)
	}
	lines := []string{head}
	for _, s := range c.Failed {
		lines = append(lines, "not read: "+s)
	}
	for i := range l.drafts {
		lines = append(lines, l.lines(&l.drafts[i])...)
	}
	for _, x := range l.out.Left {
		at := fmt.Sprintf("line %d", x.Line)
		if x.Commit != "" {
			at = short(x.Commit) + " " + at
		}
		lines = append(lines, fmt.Sprintf("left %s: %s (%s)", at, x.Reason, x.Text))
	}
	if l.flags.propose {
		lines = append(lines, fmt.Sprintf("wrote %d proposed entries: sayso memory accept ID", len(wrote.Writes)))
	}
	return l.app.say(lines...)
}

// lines are one draft for people.
func (l *learner) lines(d *learn.Draft) []string {
	word := string(d.Entry.Kind)
	if !d.Mark.Explicit() {
		word += " (suggested)"
	}
	at := string(d.Mark)
	switch {
	case d.Path != "":
		at += fmt.Sprintf(" at %s:%d", d.Path, d.Line)
	case d.Mark.Explicit():
		at += fmt.Sprintf(" in line %d", d.Line)
	}
	switch {
	case d.Commit != "":
		at += " of " + short(d.Commit)
	case d.Request != "":
		at += " of " + d.Request
	}
	lines := []string{"", fmt.Sprintf("%s: %s", word, d.Entry.Title), "  " + d.Entry.ID, "  from: " + at}
	if r := d.Ruling; r != nil {
		line := fmt.Sprintf("  %s: %s", r.Verdict, r.Reason)
		switch {
		case r.Path != "" && r.Line > 0:
			line += fmt.Sprintf(" (%s:%d)", r.Path, r.Line)
		case r.Path != "" && !strings.Contains(r.Reason, r.Path):
			line += " (" + r.Path + ")"
		}
		lines = append(lines, line)
	}
	if d.Held != "" {
		lines = append(lines, "  held back: somebody has to find out which of them is right")
	}
	if d.Entry.Supersedes != "" {
		lines = append(lines, "  supersedes: "+d.Entry.Supersedes)
	}
	if d.Known != nil {
		lines = append(lines, fmt.Sprintf("  in the store already: %s", d.Known.State))
	}
	for _, n := range d.Near {
		lines = append(lines, fmt.Sprintf("  %s: %s %s (%s)", n.Relation, n.ID, n.Title, n.Why))
	}
	for _, s := range d.Masked {
		lines = append(lines, fmt.Sprintf("  masked a secret (%s) in %s, line %d", s.Rule, s.Field, s.Line))
	}
	for _, w := range d.Warnings {
		lines = append(lines, "  warning: "+w)
	}
	return lines
}

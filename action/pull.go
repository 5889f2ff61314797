package action

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/sourcegraph/conc/pool"

	"github.com/saysolint/sayso/change"
	"github.com/saysolint/sayso/checks"
	"github.com/saysolint/sayso/claim"
	"github.com/saysolint/sayso/internal/config"
	"github.com/saysolint/sayso/internal/engine"
	"github.com/saysolint/sayso/internal/git"
	"github.com/saysolint/sayso/memory"
	"github.com/saysolint/sayso/memory/gitstore"
)

// maxCommits is how many commits are read through the API where git cannot: each
// costs a request. The others are named as not judged.
const maxCommits = 50

// reading is a pull request as it was read and judged.
type reading struct {
	pr       PullRequest
	settings Settings
	base     string // merge base
	trusted  Trusted
	results  []engine.Result // the whole, the message of a squash merge, each commit
	messages []string        // of the commits, oldest first, merges left out
	whole    bool            // these are all
	changed  *change.Change  // paths of the whole change at least; nil where not even these are known
	landing  memory.Landing
	notes    []string
}

// pullRequest judges the pull request that the event is about. change edits what
// people have decided, before the judgement; it may be nil.
func (r *Runner) pullRequest(ctx context.Context, done *Done, decide func(*Kept, []engine.Result)) error {
	read, err := r.read(ctx, r.Event.Number)
	if err != nil {
		return err
	}
	t := r.Target
	t.Number, t.Head, t.Base = read.pr.Number, read.pr.Head.SHA, read.base
	if err := r.settle(ctx, read); err != nil {
		return err
	}
	kept, note := r.kept(ctx, t)
	if note != "" {
		read.notes = append(read.notes, note)
	}
	proposals, err := r.draft(ctx, read, kept.Learned)
	if err != nil {
		return err
	}
	kept.Learned = proposals
	if decide != nil {
		decide(&kept, read.results)
	}
	lift(read.results, kept.Lifted)
	rep, err := r.report(read.trusted, read.results, read.notes)
	if err != nil {
		return err
	}
	p := Publication{Target: t, Report: rep, FullAt: t.RunURL, Rules: r.Rules, Learned: kept.Learned, Lifted: kept.Lifted}
	p.Memory = memoryRevision(read)
	p.Sections = read.sections()
	return r.publish(ctx, done, p)
}

// memoryRevision names the memory that a pull request was held against.
func memoryRevision(read *reading) string {
	if read.landing.InForce == nil || len(read.landing.InForce.Entries) == 0 {
		return ""
	}
	return read.base
}

// read reads and judges a pull request: by git, else through the API.
func (r *Runner) read(ctx context.Context, number int) (*reading, error) {
	pr, err := r.Hub.PullRequest(ctx, r.Event.Repo, number)
	if err != nil {
		return nil, err
	}
	if !isHash(pr.Head.SHA) || !isHash(pr.Base.SHA) {
		return nil, fmt.Errorf("pull request %s#%d: the API names no head or base", r.Event.Repo, number)
	}
	read := &reading{pr: pr}
	if read.settings, err = r.Hub.Settings(ctx, r.Event.Repo); err != nil {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		read.settings = Settings{Squash: true}
		read.notes = append(read.notes, "the settings of the repository could not be read: "+gapOf(err))
	}
	if err := r.byGit(ctx, read); err != nil {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if fatal := (*trustError)(nil); errors.As(err, &fatal) {
			return nil, err
		}
		read.results, read.messages, read.whole, read.changed = nil, nil, false, nil
		read.notes = append(read.notes, "read through the API, since git could not: "+clipRunes(err.Error(), 300))
		if err := r.byAPI(ctx, read); err != nil {
			return nil, err
		}
	}
	return read, nil
}

// trustError is a configuration that cannot be read: no other way of reading helps.
type trustError struct{ error }

func (e *trustError) Unwrap() error { return e.error }

// errNoCheckout is why git was not asked.
var errNoCheckout = errors.New("there is no checkout")

// texts are what a pull request says of itself. A program's description quotes
// what others said of other changes.
func texts(pr PullRequest) []engine.Text {
	all := []engine.Text{{Source: claim.SourceTitle, Tier: claim.TierIntent, Body: strings.ToValidUTF8(oneTitle(pr.Title), "\uFFFD")}}
	if !pr.Author.Bot && strings.TrimSpace(pr.Body) != "" {
		all = append(all, engine.Text{Source: claim.SourceBody, Tier: claim.TierIntent, Body: strings.ToValidUTF8(pr.Body, "\uFFFD")})
	}
	return all
}

// oneTitle is a title on its one line.
func oneTitle(s string) string {
	return strings.Join(strings.FieldsFunc(s, func(c rune) bool { return c == '\n' || c == '\r' }), " ")
}

// byGit reads the change by git and judges it.
func (r *Runner) byGit(ctx context.Context, read *reading) error {
	if r.Fetch == nil || r.Open == nil {
		return errNoCheckout
	}
	pr := read.pr
	base, err := r.Fetch.Bring(ctx, pr.Base.SHA, pr.Head.SHA, func(ctx context.Context) (Comparison, error) {
		return r.Hub.Compare(ctx, r.Event.Repo, pr.Base.SHA, pr.Head.SHA)
	})
	if err != nil {
		return err
	}
	read.base = base
	repo, err := r.Open(ctx)
	if err != nil {
		return err
	}
	defer repo.Close()
	if read.trusted, err = r.Trust(ctx, repo, base, "the merge base "+base[:12]); err != nil {
		return &trustError{err}
	}
	judge := read.trusted.Judge
	defer judge.Close()
	res := judge.Range(ctx, base, pr.Head.SHA, "pull-request", texts(pr))
	if res.Error != nil {
		return errors.New(res.Error.String())
	}
	read.results = append(read.results, r.noteBot(pr, res))
	hashes, err := repo.Revisions(ctx, []string{base + ".." + pr.Head.SHA}, git.RevOptions{})
	if err != nil {
		return err
	}
	for _, h := range hashes {
		c, err := repo.Commit(ctx, h)
		if err != nil {
			return err
		}
		if len(c.Parents) < 2 {
			read.messages = append(read.messages, c.Message)
		}
	}
	read.whole = true
	if res, ok := r.squash(ctx, read, func(text engine.Text) engine.Result {
		return judge.Range(ctx, base, pr.Head.SHA, "pull-request", []engine.Text{text})
	}); ok {
		read.results = append(read.results, res)
	}
	if err := judge.Commits(ctx, hashes, func(res engine.Result) error {
		read.results = append(read.results, res)
		return nil
	}); err != nil {
		return err
	}
	return r.landing(ctx, repo, read)
}

func (r *Runner) noteBot(pr PullRequest, res engine.Result) engine.Result {
	if pr.Author.Bot && strings.TrimSpace(pr.Body) != "" {
		res.Notes = append(res.Notes, "the description was written by a program and is not judged: it quotes what others said of other changes")
	}
	return res
}

// squash judges the message that a squash merge would leave, where it says more
// than title and description do.
func (r *Runner) squash(ctx context.Context, read *reading, judge func(engine.Text) engine.Result) (engine.Result, bool) {
	s := PredictSquash(read.settings, read.pr, read.messages, read.whole)
	if s.Why != "" && read.settings.Squash {
		read.notes = append(read.notes, s.Why)
	}
	if s.Message == "" || !s.Own || ctx.Err() != nil {
		return engine.Result{}, false
	}
	res := judge(engine.Text{Source: claim.SourceMessage, Tier: claim.TierLedger, Body: strings.ToValidUTF8(s.Message, "\uFFFD")})
	res.ID = "squash:" + res.ID
	res.Notes = append(res.Notes, "this is the message that squash merging would leave, by the settings of the repository")
	return res, true
}

// landing reads the memory before and after, and the paths that were changed.
func (r *Runner) landing(ctx context.Context, repo *git.Repo, read *reading) error {
	rows, err := repo.Diff(ctx, read.base, read.pr.Head.SHA)
	if err != nil {
		return err
	}
	read.changed = &change.Change{}
	for _, row := range rows {
		read.changed.Files = append(read.changed.Files, change.File{Path: row.Path, OldPath: row.OldPath, Status: change.Status(row.Status)})
	}
	folder := read.trusted.Config.MemoryFolder()
	base, err := memory.Load(ctx, gitstore.Tree(repo, read.base, folder))
	if err != nil {
		read.notes = append(read.notes, "the memory of the base could not be read: "+clipRunes(err.Error(), 300))
		return ctx.Err()
	}
	head, err := memory.Load(ctx, gitstore.Tree(repo, read.pr.Head.SHA, folder))
	if err != nil {
		read.notes = append(read.notes, "the memory of the head could not be read: "+clipRunes(err.Error(), 300))
		return ctx.Err()
	}
	read.landing = memory.Land(base, head)
	return nil
}

// byAPI reads the change through the API and judges it without a tree.
func (r *Runner) byAPI(ctx context.Context, read *reading) error {
	pr, repo := read.pr, r.Event.Repo
	cmp, err := r.Hub.Compare(ctx, repo, pr.Base.SHA, pr.Head.SHA)
	if err != nil {
		return err
	}
	if !isHash(cmp.MergeBase) {
		return fmt.Errorf("pull request %s#%d: the API names no merge base", repo, pr.Number)
	}
	read.base = cmp.MergeBase
	read.trusted = Trusted{Config: config.Default(), From: "the merge base " + read.base[:12]}
	data, err := r.Hub.Content(ctx, repo, config.FileName, read.base)
	switch {
	case err == nil:
		if read.trusted.Config, err = config.Load(data, checkIDs()); err != nil {
			return &trustError{fmt.Errorf("%s of %s: %w", config.FileName, read.trusted.From, err)}
		}
	case !errors.Is(err, ErrNotFound):
		return err
	}
	files, err := r.Hub.PullRequestFiles(ctx, repo, pr.Number)
	if err != nil {
		return err
	}
	opts := engine.Options{Config: read.trusted.Config, Now: r.Now, Log: r.Log}
	id := read.base + ".." + pr.Head.SHA
	judge := func(text ...engine.Text) engine.Result {
		ch, err := changeOf(id, read.base, files) // a judgement may leave files out of it
		if err != nil {
			return failed(id, "pull-request", "internal", err, "")
		}
		read.changed = ch
		return engine.Given(ctx, ch, id, "pull-request", text, opts)
	}
	read.results = append(read.results, r.noteBot(pr, judge(texts(pr)...)))
	if pr.ChangedFiles > len(files.Items) && !files.Capped {
		read.notes = append(read.notes, fmt.Sprintf("the API lists %d of %d changed files", len(files.Items), pr.ChangedFiles))
	}
	commits, err := r.Hub.PullRequestCommits(ctx, repo, pr.Number)
	if err != nil {
		return err
	}
	for _, c := range commits.Items {
		if len(c.Parents) < 2 {
			read.messages = append(read.messages, c.Message)
		}
	}
	read.whole = !commits.Capped && len(commits.Items) >= pr.Commits
	if !read.whole {
		read.notes = append(read.notes, fmt.Sprintf("the API lists %d of %d commits: the others were not judged", len(commits.Items), max(pr.Commits, len(commits.Items)+1)))
	}
	if res, ok := r.squash(ctx, read, func(t engine.Text) engine.Result { return judge(t) }); ok {
		read.results = append(read.results, res)
	}
	results, err := r.commitsByAPI(ctx, commits.Items, opts)
	read.results = append(read.results, results...)
	return err
}

// commitsByAPI judges the newest commits, each a request, several at a time.
func (r *Runner) commitsByAPI(ctx context.Context, commits []Commit, opts engine.Options) ([]engine.Result, error) {
	skip := max(0, len(commits)-maxCommits)
	results := make([]engine.Result, len(commits))
	p := pool.New().WithMaxGoroutines(askAtOnce)
	for i, c := range commits {
		if i < skip {
			results[i] = failed(c.SHA, "commit", "missing", fmt.Errorf("only the newest %d commits are read through the API", maxCommits), "check out the history (fetch-depth: 0), or let the action fetch it")
			continue
		}
		p.Go(func() {
			files, err := r.Hub.CommitFiles(ctx, r.Event.Repo, c.SHA)
			if err != nil {
				results[i] = failed(c.SHA, "commit", "missing", err, "check out the history (fetch-depth: 0), or let the action fetch it")
				return
			}
			parent := ""
			if len(c.Parents) > 0 {
				parent = c.Parents[0]
			}
			ch, err := changeOf(c.SHA, parent, files)
			if err != nil {
				results[i] = failed(c.SHA, "commit", "internal", err, "")
				return
			}
			if len(c.Parents) > 1 {
				ch.Gaps = append(ch.Gaps, change.Gap{Reason: change.ReasonMerge})
			}
			results[i] = engine.Given(ctx, ch, c.SHA, "commit", []engine.Text{{Source: claim.SourceMessage, Tier: claim.TierLedger, Body: strings.ToValidUTF8(c.Message, "\uFFFD")}}, opts)
		})
	}
	p.Wait()
	return results, ctx.Err()
}

func checkIDs() []string {
	var ids []string
	for _, d := range checks.Docs() {
		ids = append(ids, d.ID)
	}
	return ids
}

// settle judges what only GitHub knows of: in the texts of the pull request and in
// the newest commit, whose runs are known.
func (r *Runner) settle(ctx context.Context, read *reading) error {
	type told struct {
		at       int
		messages []*claim.Message
	}
	var all []told
	var asked []*claim.Message
	for i, res := range read.results {
		if res.Error != nil {
			continue
		}
		var ms []*claim.Message
		switch {
		case i == 0:
			for _, t := range texts(read.pr) {
				ms = append(ms, claim.Parse(t.Body, claim.Options{Source: t.Source, Tier: t.Tier, NoSubject: t.Source == claim.SourceBody}))
			}
		case res.Commit == read.pr.Head.SHA && len(read.messages) > 0:
			ms = append(ms, claim.Parse(strings.ToValidUTF8(read.messages[len(read.messages)-1], "\uFFFD"), claim.Options{Source: claim.SourceMessage, Tier: claim.TierLedger}))
		default:
			continue
		}
		all = append(all, told{i, ms})
		asked = append(asked, ms...)
	}
	levels := read.trusted.Config.Checks
	repo, server := r.Event.Repo.String(), serverOf(r.Target)
	needs := checks.NeedsOfHost(asked, levels, repo, server)
	if !needs.Runs && len(needs.Issues) == 0 {
		return nil
	}
	h, err := ask(ctx, r.Hub, question{repo: r.Event.Repo, server: server, head: read.pr.Head.SHA, run: r.Target.Run, own: r.OwnCheck, needs: needs})
	if err != nil {
		return err
	}
	for _, t := range all {
		read.results[t.at].Judgement = checks.Settle(read.results[t.at].Judgement, t.messages, levels, h)
	}
	return nil
}

func serverOf(t Target) string {
	if t.Server == "" {
		return "https://github.com"
	}
	return strings.TrimRight(t.Server, "/")
}

// sections say what stands beside the verdicts.
func (read *reading) sections() []Section {
	var out []Section
	if lines := read.judgeChanged(); len(lines) > 0 {
		out = append(out, Section{Title: "This pull request changes what judges", Lines: lines, Pressing: true})
	}
	if lines := read.memoryChanged(); len(lines) > 0 {
		pressing := len(read.landing.Removed) > 0 || slices.ContainsFunc(read.landing.Pending, func(e memory.Entry) bool { return inForce(read.landing.InForce, e.ID) })
		out = append(out, Section{Title: "This pull request changes the memory", Lines: lines, Pressing: pressing})
	}
	return out
}

// judgeChanged names the changed files that later changes will be judged by.
func (read *reading) judgeChanged() []string {
	if read.changed == nil {
		return nil
	}
	var lines []string
	for _, f := range read.changed.Files {
		for _, name := range []string{config.FileName, ".gitattributes"} {
			if f.Path == name || f.OldPath == name {
				lines = append(lines, name+" is changed here; this pull request is judged by the one of its base")
			}
		}
	}
	slices.Sort(lines)
	return slices.Compact(lines)
}

// maxEntries is how many changed entries are named.
const maxEntries = 20

func (read *reading) memoryChanged() []string {
	var lines []string
	l := read.landing
	for _, e := range l.Pending {
		word := "adds"
		if inForce(l.InForce, e.ID) {
			word = "edits"
		}
		lines = append(lines, fmt.Sprintf("%s %s (%s): %s", word, e.ID, e.Kind, e.Title))
	}
	for _, e := range l.Removed {
		lines = append(lines, fmt.Sprintf("removes %s (%s): %s", e.ID, e.Kind, e.Title))
	}
	if l.InForce == nil && read.changed != nil { // read through the API: paths are all there is
		folder := read.trusted.Config.MemoryFolder() + "/"
		for _, f := range read.changed.Files {
			if strings.HasPrefix(f.Path, folder) || strings.HasPrefix(f.OldPath, folder) {
				lines = append(lines, "changes "+f.Path)
			}
		}
	}
	if more := len(lines) - maxEntries; more > 0 {
		lines = append(lines[:maxEntries], fmt.Sprintf("and %d more", more))
	}
	return lines
}

func inForce(s *memory.Set, id string) bool {
	return s != nil && slices.ContainsFunc(s.Entries, func(e memory.Entry) bool { return e.ID == id })
}

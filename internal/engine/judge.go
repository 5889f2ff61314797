package engine

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/saysolint/sayso/change"
	"github.com/saysolint/sayso/checks"
	"github.com/saysolint/sayso/claim"
	"github.com/saysolint/sayso/internal/config"
	"github.com/saysolint/sayso/internal/git"
	"github.com/saysolint/sayso/internal/index"
)

// subject is what one judgement is about.
type subject struct {
	reader    *change.Reader
	change    *change.Change
	tree      string // the commit whose tree is the post-image, or what a staged change is laid over
	historyAt string // the commit whose history counts, itself included; "" the parents of tree
	texts     []Text
	staged    bool
	ranged    bool
	given     bool // the change was read elsewhere: nothing can be asked of a repository
	bot       bool
	abstain   string
	ahead     *ahead // what is being read already; may be nil
	see       func(checks.Input)
}

// judge is the way of every subject: change, facts, claims, needs, verdict.
func (e *Engine) judge(ctx context.Context, s subject, res *Result) error {
	ch := s.change
	res.Base = ch.Base
	left := e.ignore(ch)
	if left > 0 {
		res.Notes = append(res.Notes, plural(left, "file")+" left out by the configuration")
	}
	if len(ch.Files) > 0 {
		res.FirstFile = ch.Files[0].Path
	}
	in := checks.Input{
		Facts: change.NewFacts(ch), Abstain: s.abstain, Ranged: s.ranged,
		Levels: e.opts.Config.Checks, Scopes: e.opts.Config.Scopes, Matches: config.Match, Weights: e.opts.Weights,
	}
	said := false
	for _, t := range s.texts {
		if strings.TrimSpace(t.Body) == "" {
			continue
		}
		said = true
		if res.Subject == "" {
			res.Subject = firstLine(t.Body)
		}
		in.Messages = append(in.Messages, claim.Parse(t.Body, claim.Options{
			Source: t.Source, Tier: t.Tier, Bot: s.bot,
			NoSubject: t.Source == claim.SourceBody || t.Source == claim.SourceTranscript,
		}))
	}
	for _, m := range in.Messages {
		for _, ig := range m.Ignores {
			if ig.Reason == "" {
				res.Notes = append(res.Notes, "a Sayso-Ignore line without a reason is not in force")
			}
		}
	}
	if !said && in.Abstain == "" {
		in.Abstain = "empty message"
	}
	if len(in.Messages) > 0 && in.Messages[0].Special == claim.Merge && in.Abstain == "" {
		in.Abstain = "merge message"
	}
	for _, g := range ch.Gaps {
		if g.Reason == change.ReasonMerge && in.Abstain == "" {
			in.Abstain = "merge commit"
		}
	}
	if e.opts.Now != nil {
		today := e.opts.Now()
		in.Exceptions = func(check string, paths []string) string {
			if len(paths) == 0 {
				paths = []string{""}
			}
			for _, p := range paths {
				if x, ok := e.opts.Config.ExceptionFor(check, p, ch.Commit, today); ok {
					return x.Reason
				}
			}
			return ""
		}
	}
	if in.Abstain == "" && !s.given {
		if err := e.provide(ctx, s, &in); err != nil {
			return err
		}
	}
	if s.see != nil {
		s.see(in)
	}
	res.Judgement = checks.Judge(in)
	return e.decide(ctx, s, &in, res)
}

// provide fetches what the checks will ask of the tree, the history, the graph and other commits.
func (e *Engine) provide(ctx context.Context, s subject, in *checks.Input) error {
	needs := checks.NeedsOf(*in)
	if len(needs.References) > 0 {
		in.References = map[string]checks.Reference{}
		for _, name := range needs.References {
			ref, err := e.reference(ctx, s, name, needs.Diffs[name], in.Facts)
			if err != nil {
				return err
			}
			in.References[name] = ref
		}
	}
	if !needs.Tree {
		return nil
	}
	opts := index.AtOptions{HistoryAt: s.historyAt, Folder: e.opts.Folder, Remote: e.remote(ctx)}
	if s.staged {
		opts.Patch = patchOf(s.change)
	}
	s.ahead.wait()
	ix := e.index(ctx)
	var v *index.View
	var err error
	if ix != nil {
		v, err = ix.At(ctx, e.repo, s.tree, opts)
	}
	if ix == nil || err != nil {
		v, err = index.ViewOf(ctx, e.repo, s.tree, opts)
	}
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		e.opts.Log.Debug().Err(err).Msg("no tree")
		return nil // the checks that need it say so
	}
	if len(needs.Names) > 0 {
		if err := v.Prefetch(ctx, needs.Names); err != nil && ctx.Err() != nil {
			return ctx.Err()
		}
	}
	in.Tree = tree{v}
	if h, err := v.History(ctx); err == nil && h != nil && h.Commits() > 0 {
		in.History = h
	}
	if needs.Graph {
		return e.provideGraph(ctx, s, v, in)
	}
	return nil
}

// tree adapts a view to what the checks ask.
type tree struct{ *index.View }

// Definitions is where a name is defined.
func (t tree) Definitions(name string) ([]checks.Site, bool) {
	sites, known := t.View.Definitions(name)
	out := make([]checks.Site, len(sites))
	for i, s := range sites {
		out[i] = checks.Site{Path: s.Path, Line: s.Line}
	}
	return out, known
}

// patchOf is what a staged change makes of its base's tree.
func patchOf(ch *change.Change) []index.Entry {
	var out []index.Entry
	for i := range ch.Files {
		f := &ch.Files[i]
		if f.Status == change.Renamed && f.OldPath != f.Path {
			out = append(out, index.Entry{Path: f.OldPath})
		}
		if f.Status == change.Deleted {
			out = append(out, index.Entry{Path: f.Path})
			continue
		}
		e := index.Entry{Path: f.Path, Mode: f.NewMode, Blob: f.NewBlob}
		if len(f.New) > 0 && git.NamesBlob(f.NewBlob, f.New) {
			e.Content = f.New
		}
		out = append(out, e)
	}
	return out
}

// reference answers what the checks ask of a commit that a text names.
func (e *Engine) reference(ctx context.Context, s subject, name string, diff bool, f *change.Facts) (checks.Reference, error) {
	var r checks.Reference
	found, err := e.repo.FindAbbrev(ctx, name)
	switch {
	case err != nil && ctx.Err() != nil:
		return r, ctx.Err()
	case err != nil || len(found) == 0:
		r.Known = err == nil && !e.repo.Shallow() && !e.repo.Partial()
		return r, nil
	}
	r.Known, r.Exists = true, true
	hash := found[0]
	if c, err := e.repo.Commit(ctx, hash); err == nil {
		r.Subject = firstLine(c.Message)
	}
	tip := s.change.Commit
	if tip == "" {
		tip = s.tree
	}
	if tip != "" {
		ok, err := e.repo.IsAncestor(ctx, hash, tip)
		if err != nil {
			if ctx.Err() != nil {
				return r, ctx.Err()
			}
			r.Known = !errors.Is(err, git.ErrMissing)
		}
		r.Ancestor = ok
	}
	if diff {
		named, err := s.reader.Commit(ctx, hash)
		if err != nil {
			return r, ctx.Err()
		}
		r.Read = true
		for _, g := range named.Gaps {
			if g.Reason != change.ReasonBinary && g.Reason != change.ReasonLFS {
				r.Read = false
			}
		}
		r.Lines, r.Undone = change.Undone(named, f.Change)
	}
	return r, nil
}

// ignore takes the files out that the configuration leaves out.
func (e *Engine) ignore(ch *change.Change) int {
	if len(e.opts.Config.Ignore) == 0 {
		return 0
	}
	kept := ch.Files[:0]
	n := 0
	for _, f := range ch.Files {
		if e.opts.Config.Ignored(f.Path) {
			n++
			continue
		}
		kept = append(kept, f)
	}
	ch.Files = kept
	return n
}

// attributes says what the configuration, and else .gitattributes, calls generated
// or vendored; nil where neither speaks of any file.
func (e *Engine) attributes() func(path string) (generated, vendored change.Said) {
	c, a := e.opts.Config, e.opts.Attributes
	if len(c.Generated) == 0 && len(c.Vendored) == 0 && a == nil {
		return nil
	}
	answer := func(ours bool, find func(string) (bool, bool), path string) change.Said {
		if ours {
			return change.Yes
		}
		switch is, said := find(path); {
		case !said:
			return change.Unsaid
		case is:
			return change.Yes
		}
		return change.No
	}
	return func(path string) (generated, vendored change.Said) {
		return answer(c.IsGenerated(path), a.Generated, path), answer(c.IsVendored(path), a.Vendored, path)
	}
}

// isBot knows update bots by the identity of the author, never by text.
func isBot(id string) bool {
	low := strings.ToLower(id)
	for _, b := range [...]string{"dependabot", "renovate", "[bot]", "greenkeeper", "pyup-bot", "snyk-bot", "github-actions", "imgbot", "allcontributors"} {
		if strings.Contains(low, b) {
			return true
		}
	}
	return false
}

func firstLine(s string) string {
	s = strings.TrimSpace(s)
	if i := strings.IndexByte(s, '\n'); i >= 0 {
		s = s[:i]
	}
	s = strings.ToValidUTF8(strings.TrimRight(s, "\r"), "\uFFFD")
	if r := []rune(s); len(r) > 300 {
		s = string(r[:300])
	}
	return s
}

func plural(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + one + "s"
}

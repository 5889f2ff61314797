package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/saysolint/sayso/internal/learn"
	"github.com/saysolint/sayso/memory"
	"github.com/saysolint/sayso/memory/publish"
	"github.com/saysolint/sayso/report"
)

// publishFlags are the flags of sayso publish.
type publishFlags struct {
	memoryFlags
	drafts, remote, branch, folder, message string
	accept                                  []string
	proposed, all, dryRun                   bool
	timeout                                 time.Duration
	review                                  reviewFlags
}

func newPublish(a *app) *cobra.Command {
	var f publishFlags
	cmd := &cobra.Command{
		Use:   "publish [ID...]",
		Short: "Put accepted drafts and entries into a store",
		Long: `Put accepted drafts and entries into a store: that of the work tree, a branch of
this repository (--branch), or a branch of another one (--remote), which is how
several repositories share a memory.

Drafts come from sayso learn --json (--drafts); those that are accepted there, or
here with --accept, are published as reviewed. Entries of this repository's store
are named by their ids, or all that hold with --all.

All of them get there in one commit, or none. No work tree is touched but by the
first form. An entry that is there already is merged field by field; where both
sides changed a field, this side's version becomes a pending revision beside it.
Publishing again changes nothing, and completes what was interrupted. Where others
move the branch meanwhile, it is done anew on top of theirs.`,
		Example: "  sayso learn main..HEAD --json >drafts.json\n  sayso publish --drafts drafts.json --accept all\n  sayso publish --drafts drafts.json --accept ID --branch memory\n  sayso publish --all --remote git@example.com:team/memory.git",
		Args:    cobra.ArbitraryArgs,
		RunE:    func(cmd *cobra.Command, args []string) error { return a.publish(cmd, args, &f) },
	}
	f.register(cmd)
	f.review.register(cmd)
	s := cmd.Flags()
	s.StringVar(&f.drafts, "drafts", "", "what sayso learn --json wrote, from `FILE`, - for standard input")
	s.StringSliceVar(&f.accept, "accept", nil, "accept the draft with this `ID` (may be given again), or all that are not held back")
	s.BoolVar(&f.proposed, "proposed", false, "publish what nobody accepted as well, as proposed")
	s.BoolVar(&f.all, "all", false, "all entries of the store that hold")
	s.StringVar(&f.remote, "remote", "", "another repository: its `ADDRESS`, a path, or the name of a remote")
	s.StringVar(&f.branch, "branch", "", "the branch called `NAME` (with --remote, default: the one checked out there)")
	s.StringVar(&f.folder, "folder", "", "`PATH` of the store in the other repository or branch (default: "+memory.DefaultFolder+")")
	s.StringVar(&f.message, "message", "", "`TEXT` of the commit (default: names the entries)")
	s.BoolVar(&f.dryRun, "dry-run", false, "write nothing, show what would be")
	s.DurationVar(&f.timeout, "timeout", publish.DefaultPatience, "how long a branch that others keep moving is followed")
	return cmd
}

func (a *app) publish(cmd *cobra.Command, args []string, f *publishFlags) error {
	ctx := cmd.Context()
	toBranch := f.remote != "" || f.branch != ""
	switch {
	case len(args) == 0 && f.drafts == "" && !f.all:
		return usageError("publish", "what?", "--drafts FILE, ids of entries, or --all")
	case (len(args) > 0 || f.all) && !toBranch:
		return usageError("publish", "these entries are in the work tree's store already", "name --branch or --remote")
	case f.all && len(args) > 0:
		return usageError("publish", "--all and ids exclude each other", "")
	case len(f.accept) > 0 && f.drafts == "":
		return usageError("publish", "--accept needs --drafts", "sayso memory accept ID accepts an entry of the store")
	case f.folder != "" && !toBranch:
		return usageError("publish", "--folder needs --branch or --remote", "spaces are named in .sayso.yaml")
	case f.timeout <= 0:
		return usageError("publish", "--timeout needs a time above 0", "2m")
	}
	m, err := a.publishStore(cmd, f, toBranch && f.drafts != "" && len(args) == 0 && !f.all)
	if err != nil {
		return err
	}
	defer m.close()
	by := f.review.review(a, cmd, m)
	var arrivals []memory.Arrival
	var left []publish.Left
	if f.drafts != "" {
		if arrivals, left, err = a.draftArrivals(cmd, f, by); err != nil {
			return err
		}
	}
	if len(args) > 0 || f.all {
		more, others, err := entryArrivals(ctx, cmd, m, args, f)
		if err != nil {
			return err
		}
		arrivals, left = append(arrivals, more...), append(left, others...)
	}
	t := publish.Target{Branch: f.branch, Folder: f.folder}
	switch {
	case toBranch && t.Folder == "":
		t.Folder = m.conf.config.MemoryFolder()
		if f.remote != "" {
			t.Folder = memory.DefaultFolder
		}
	case !toBranch:
		t.Folder = m.Store.Folder()
	}
	if f.remote != "" {
		if t.Remote, err = a.remoteAddress(ctx, m, f.remote); err != nil {
			return err
		}
	}
	git, err := a.gitPath()
	if err != nil {
		return err
	}
	r, err := publish.Publish(ctx, t, arrivals, publish.Options{
		Repo: m.repo, Git: git, Env: a.env.Vars, Store: m.Store, Now: a.env.Now, Patience: f.timeout,
		Message: f.message, DryRun: f.dryRun, Log: a.log, Jitter: rand.Int64N,
	})
	if err != nil {
		return publishError(cmd, err)
	}
	out := r.Output(left, f.dryRun, m.Space)
	if m.json {
		err = a.writeJSON(out)
	} else {
		err = a.sayPublished(out, t)
	}
	if err == nil && slices.ContainsFunc(out.Entries, func(p publish.Published) bool { return p.Fate == memory.Held }) {
		a.code = report.ExitIncomplete
	}
	return err
}

// publishStore finds the store, or only the repository where drafts go elsewhere,
// which needs no work tree.
func (a *app) publishStore(cmd *cobra.Command, f *publishFlags, without bool) (*openMemory, error) {
	if !without {
		return a.memory(cmd, &f.memoryFlags)
	}
	asJSON, err := jsonOnly(cmd, f.format, f.json)
	if err != nil {
		return nil, err
	}
	repo, err := a.open(cmd.Context(), "")
	if err != nil {
		return nil, err
	}
	conf, err := a.trustWorktree(cmd.Context(), repo)
	if err != nil {
		_ = repo.Close()
		return nil, err
	}
	return &openMemory{repo: repo, json: asJSON, conf: conf}, nil
}

func publishError(cmd *cobra.Command, err error) error {
	u := &userError{what: commandName(cmd), why: oneLine(err.Error()), code: report.ExitIncomplete, err: err}
	switch {
	case errors.Is(err, publish.ErrTarget), errors.Is(err, publish.ErrIdentity):
		u.code = report.ExitUsage
	case errors.Is(err, memory.ErrReadOnly), errors.Is(err, memory.ErrBadID):
		u.code = report.ExitUsage
	case errors.Is(err, publish.ErrMoving):
		u.hint = "nothing was written; a longer --timeout follows the branch longer"
	}
	return u
}

// draftArrivals are the drafts that are to be published.
func (a *app) draftArrivals(cmd *cobra.Command, f *publishFlags, by memory.Review) (arrivals []memory.Arrival, left []publish.Left, err error) {
	data, err := a.readInput(cmd.Context(), "--drafts", f.drafts, mostExport)
	if err != nil {
		return nil, nil, err
	}
	in, err := learn.Read(data)
	if err != nil {
		return nil, nil, usageError(commandName(cmd), "--drafts: "+err.Error(), "sayso learn --json >FILE")
	}
	for _, id := range f.accept {
		if id != "all" && !slices.ContainsFunc(in.Drafts, func(r learn.Record) bool { return r.ID == id }) {
			return nil, nil, usageError(commandName(cmd), fmt.Sprintf("--accept: no draft is called %.60q", id), "sayso learn shows the ids")
		}
	}
	for i := range in.Drafts {
		d := &in.Drafts[i]
		var accepts *memory.Review
		switch {
		case d.Accepted != nil, slices.Contains(f.accept, d.ID):
			accepts = &by
		case slices.Contains(f.accept, "all") && d.Held == "":
			accepts = &by
		case f.proposed:
		case d.Held != "":
			left = append(left, publish.Left{ID: d.ID, Reason: "held back: " + d.Held})
			continue
		default:
			left = append(left, publish.Left{ID: d.ID, Reason: "nobody accepted it"})
			continue
		}
		x, err := d.Arrival(accepts)
		if err != nil {
			return nil, nil, usageError(commandName(cmd), err.Error(), "")
		}
		arrivals = append(arrivals, x)
	}
	return arrivals, left, nil
}

// entryArrivals are entries of the store.
func entryArrivals(ctx context.Context, cmd *cobra.Command, m *openMemory, ids []string, f *publishFlags) (arrivals []memory.Arrival, left []publish.Left, err error) {
	set, err := m.Store.Load(ctx)
	if err != nil {
		return nil, nil, memoryError(cmd, err)
	}
	if f.all {
		for _, e := range set.Entries {
			if set.Active(e.ID) {
				ids = append(ids, e.ID)
			}
		}
	}
	for i, id := range ids {
		if slices.Contains(ids[:i], id) {
			continue
		}
		e, raw, err := m.Store.Get(ctx, id)
		if err != nil {
			return nil, nil, memoryError(cmd, err)
		}
		if e.ReviewState == memory.Proposed && !f.proposed {
			left = append(left, publish.Left{ID: id, Reason: "nobody accepted it"})
			continue
		}
		arrivals = append(arrivals, memory.Arrival{ID: id, Raw: raw})
	}
	return arrivals, left, nil
}

// remoteAddress is the address that the command line names: a remote of this
// repository by its name, a path from the working folder, or an address as it is.
func (a *app) remoteAddress(ctx context.Context, m *openMemory, name string) (string, error) {
	if !strings.ContainsAny(name, `/:\`) && name != "." && name != ".." {
		out, err := m.repo.Run(ctx, nil, "config", "--get", "remote."+name+".url")
		if url := strings.TrimSpace(string(out)); err == nil && url != "" {
			if !strings.Contains(url, ":") && !filepath.IsAbs(url) && m.repo.Root() != "" {
				url = filepath.Join(m.repo.Root(), filepath.FromSlash(url))
			}
			return url, nil
		}
		return "", usageError("publish", fmt.Sprintf("no remote is called %.60q", name), "git remote -v shows them; a path has a slash in it")
	}
	if strings.HasPrefix(name, "./") || strings.HasPrefix(name, "../") || name == "." || name == ".." || strings.HasPrefix(name, `.\`) {
		return a.path(name), nil
	}
	if !strings.Contains(name, ":") && !filepath.IsAbs(name) {
		return a.path(name), nil
	}
	return name, nil
}

// sayPublished writes a result for people.
func (a *app) sayPublished(out publish.Output, t publish.Target) error {
	counts := map[memory.Fate]int{}
	for _, p := range out.Entries {
		counts[p.Fate]++
	}
	verb := "published to "
	if out.DryRun {
		verb = "would publish to "
	}
	head := fmt.Sprintf("%s%s: %d added, %d updated, %d there already", verb, t, counts[memory.Added], counts[memory.Updated], counts[memory.Kept])
	if n := counts[memory.Held]; n > 0 {
		head += fmt.Sprintf(", %d cannot be there", n)
	}
	if n := len(out.Left); n > 0 {
		head += fmt.Sprintf("; %d left out", n)
	}
	lines := []string{head}
	if out.Commit != nil {
		line := "commit " + *out.Commit
		if out.Attempts > 1 {
			line += fmt.Sprintf(", after the branch had moved %d times", out.Attempts-1)
		}
		lines = append(lines, line)
	}
	for _, p := range out.Entries {
		lines = append(lines, fmt.Sprintf("%-7s  %-10s  %s  %s", p.Fate, p.State, p.ID, p.Title))
		if p.Revision != nil {
			lines = append(lines, fmt.Sprintf("  both changed %s: this version is the pending revision %s", strings.Join(p.Conflicts, ", "), *p.Revision))
		}
		for _, w := range p.Warnings {
			lines = append(lines, "  warning: "+w)
		}
		for _, s := range p.Masked {
			lines = append(lines, fmt.Sprintf("  masked a secret (%s) in %s, line %d: make it invalid where it is used", s.Rule, s.Field, s.Line))
		}
	}
	for _, l := range out.Left {
		lines = append(lines, "left     "+l.ID+": "+l.Reason)
	}
	return a.say(lines...)
}

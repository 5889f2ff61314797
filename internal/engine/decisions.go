package engine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/saysolint/sayso/change"
	"github.com/saysolint/sayso/checks"
	"github.com/saysolint/sayso/checks/assert"
	"github.com/saysolint/sayso/internal/config"
	"github.com/saysolint/sayso/internal/git"
	"github.com/saysolint/sayso/memory"
	"github.com/saysolint/sayso/memory/gitstore"
)

// decisions are the memories of the trees that were asked for. A repository without
// a store costs one look at the top of the tree of each base.
type decisions struct {
	mu     sync.Mutex
	loaded map[string]*loading // by the object name of the store's tree
}

type loading struct {
	once   sync.Once
	memory *checks.Memory
	set    *memory.Set
	module string
	err    error
}

// remember reads the entries that were in force at a revision. Both results are nil where
// there is no store.
func (e *Engine) remember(ctx context.Context, rev string) (*loading, error) {
	folder := e.opts.Config.MemoryFolder()
	if rev == "" || !memory.ValidFolder(folder) {
		return nil, nil
	}
	name, err := e.repo.Folder(ctx, rev, folder)
	switch {
	case errors.Is(err, git.ErrUnknown), errors.Is(err, git.ErrMissing), err == nil && name == "":
		return nil, nil
	case err != nil:
		return nil, err
	}
	e.decided.mu.Lock()
	if e.decided.loaded == nil {
		e.decided.loaded = map[string]*loading{}
	}
	l := e.decided.loaded[name]
	if l == nil {
		l = &loading{}
		e.decided.loaded[name] = l
	}
	e.decided.mu.Unlock()
	l.once.Do(func() {
		if l.set, l.err = memory.Load(ctx, gitstore.Tree(e.repo, rev, folder)); l.err == nil {
			l.memory = checks.Remember(l.set)
		}
		if l.memory != nil && slices.ContainsFunc(l.memory.Rules(), func(r assert.Rule) bool { return r.Subject == assert.Import }) {
			l.module = e.goModule(ctx, rev)
		}
	})
	return l, l.err
}

// goModule is the path of the Go module at the top of a tree, "" for none.
func (e *Engine) goModule(ctx context.Context, rev string) string {
	const most = 1 << 20
	data, err := e.repo.Blob(ctx, rev+":go.mod", most)
	if err != nil {
		return ""
	}
	for line := range strings.SplitSeq(string(data), "\n") {
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), "module "); ok {
			name, _, _ = strings.Cut(name, "//")
			return strings.Trim(strings.TrimSpace(name), `"`)
		}
	}
	return ""
}

// decide holds the change against the memory of its base.
func (e *Engine) decide(ctx context.Context, s subject, in *checks.Input, res *Result) error {
	if e.opts.Config.Level(checks.DecisionID, "gate") == "off" || s.abstain != "" && strings.HasPrefix(s.abstain, "merge") {
		return nil
	}
	if e.repo == nil {
		res.Notes = append(res.Notes, "decisions were not looked at: there is no checkout to read the memory of the base from")
		return nil
	}
	base := e.opts.MemoryAt
	if base == "" {
		base = s.change.Base
	}
	e.pending(ctx, s, res)
	l, err := e.remember(ctx, base)
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		res.Notes = append(res.Notes, "the memory of the base could not be read: "+err.Error())
		return nil
	}
	if l == nil || l.memory == nil {
		return nil
	}
	rules := l.memory.Rules()
	if err := e.wanted(ctx, rules, s.change); err != nil {
		return err
	}
	res.Decisions = checks.Decide(checks.DecisionInput{
		Memory: l.memory, Facts: in.Facts, Messages: in.Messages, Local: e.opts.Local,
		Env: assert.Env{
			Folder: e.opts.Config.MemoryFolder(), GoModule: l.module,
			Remains: e.remains(ctx, s.change),
		},
		Standing: func(id string, paths []string) string {
			if reason := e.opts.Confirmed[id]; reason != "" {
				return reason
			}
			if in.Exceptions != nil {
				return in.Exceptions(checks.DecisionID, paths)
			}
			return ""
		},
	})
	return nil
}

// wanted reads files that only moved, where they came to be under a rule by it.
func (e *Engine) wanted(ctx context.Context, rules []assert.Rule, c *change.Change) error {
	const most = 1 << 20
	for i := range c.Files {
		f := &c.Files[i]
		if f.NewBlob == "" || !slices.ContainsFunc(rules, func(r assert.Rule) bool { return r.Wants(f) }) {
			continue
		}
		data, err := e.repo.Blob(ctx, f.NewBlob, most)
		if err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			continue // the rule says that it could not look
		}
		f.New, f.Old, f.ImagesRead = data, data, true
	}
	return nil
}

// remains answers whether the tree after a change still has what a glob names. The
// tree of the base is listed when that is first asked.
func (e *Engine) remains(ctx context.Context, c *change.Change) func(glob string) (bool, bool) {
	tree := sync.OnceValues(func() ([]git.TreeEntry, error) { return e.repo.Tree(ctx, c.Base) })
	return func(glob string) (there, known bool) {
		rows, err := tree()
		if err != nil || c.Base == "" {
			return false, false
		}
		gone := map[string]bool{}
		for i := range c.Files {
			f := &c.Files[i]
			switch {
			case f.Status == change.Deleted:
				gone[f.Path] = true
			case f.Status == change.Renamed:
				gone[f.OldPath] = true
			}
		}
		for _, row := range rows {
			if !gone[row.Path] && config.Match(glob, row.Path) {
				return true, true
			}
		}
		return false, true
	}
}

// pending names the entries that are not in force: those that the change brings, and, where
// the commit is being made, those of the work tree that git does not have yet.
func (e *Engine) pending(ctx context.Context, s subject, res *Result) {
	folder := e.opts.Config.MemoryFolder()
	var names []string
	seen := map[string]bool{}
	add := func(name string) {
		if id, ok := strings.CutSuffix(name, ".md"); ok && memory.ValidID(id) && !seen[id] {
			seen[id] = true
			names = append(names, id)
		}
	}
	for i := range s.change.Files {
		f := &s.change.Files[i]
		if name, ok := strings.CutPrefix(f.Path, folder+"/"); ok && f.Status != change.Deleted && !strings.Contains(name, "/") {
			add(name)
		}
	}
	if s.staged && e.repo.Root() != "" {
		e.uncommitted(ctx, s, folder, add)
	}
	if len(names) == 0 {
		return
	}
	slices.Sort(names)
	const most = 5
	list := strings.Join(names[:min(len(names), most)], ", ")
	if n := len(names) - most; n > 0 {
		list += fmt.Sprintf(" and %d more", n)
	}
	res.Notes = append(res.Notes, "not yet in force, as the base does not have them so: entries "+list)
}

// uncommitted calls add for the entries of the work tree that its last commit has not.
func (e *Engine) uncommitted(ctx context.Context, s subject, folder string, add func(name string)) {
	list, err := os.ReadDir(filepath.Join(e.repo.Root(), filepath.FromSlash(folder)))
	if err != nil || len(list) == 0 {
		return
	}
	known := map[string]bool{}
	if rows, err := gitstore.Tree(e.repo, s.tree, folder).List(ctx); err == nil {
		for _, row := range rows {
			known[row.Name] = true
		}
	}
	for _, d := range list {
		if d.Type().IsRegular() && !known[d.Name()] {
			add(d.Name())
		}
	}
}

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/saysolint/sayso/internal/git"
	"github.com/saysolint/sayso/mcp"
	"github.com/saysolint/sayso/memory"
	"github.com/saysolint/sayso/memory/gitstore"
	"github.com/saysolint/sayso/memory/search"
	"github.com/saysolint/sayso/recall"
	"github.com/saysolint/sayso/report"
)

// serveMCP serves the repository of the command line until the client goes.
func (a *app) serveMCP(ctx context.Context) error {
	repo, err := a.open(ctx, "")
	if err != nil {
		return err
	}
	b := &mcpBackend{a: a, spaces: map[string]*mcpSpace{}, lock: make(chan struct{}, 1)}
	defer b.close()
	b.private = []string{repo.Root(), repo.CommonDir(), a.repo(), a.getenv("HOME")}
	_ = repo.Close()
	for _, p := range b.private {
		if real, err := filepath.EvalSymlinks(p); err == nil {
			b.private = append(b.private, real)
		}
	}
	version, _ := versionAndRevision()
	server, err := mcp.New(b, mcp.Options{Version: version, Private: b.private})
	if err != nil {
		return err
	}
	return server.Run(ctx, io.NopCloser(a.stdin), keepOpen{a.stdout})
}

// keepOpen is standard output, which is not the server's to close.
type keepOpen struct{ io.Writer }

func (keepOpen) Close() error { return nil }

// mcpBackend answers for one repository. Where its memories are is looked up at most
// once a second; each searcher looks for changes of its store as often.
type mcpBackend struct {
	a       *app
	private []string

	lock   chan struct{} // held while spaces is used; a channel, so that waiting ends with the call
	spaces map[string]*mcpSpace
}

// mcpSpace is one memory.
type mcpSpace struct {
	looked   time.Time
	loc      gitstore.Location
	key      string
	searcher *search.Searcher
}

func (b *mcpBackend) close() {
	for _, s := range b.spaces {
		if s.searcher != nil {
			s.searcher.Close()
		}
	}
}

// enter waits for the lock, but no longer than the call lives.
func (b *mcpBackend) enter(ctx context.Context) error {
	select {
	case b.lock <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (b *mcpBackend) leave() { <-b.lock }

// space is a memory with its searcher, at most a second old.
func (b *mcpBackend) space(ctx context.Context, name string) (*mcpSpace, error) {
	if name == "" {
		name = gitstore.RepoSpace
	}
	if err := b.enter(ctx); err != nil {
		return nil, err
	}
	defer b.leave()
	now := b.a.env.Now()
	old := b.spaces[name]
	if old != nil && now.Sub(old.looked) < search.Freshness && !now.Before(old.looked) {
		return old, nil
	}
	repo, conf, err := b.open(ctx)
	if err != nil {
		return nil, err
	}
	defer repo.Close()
	loc, err := gitstore.Locate(ctx, repo, conf.config.Memory, name, b.a.getenv("HOME"))
	if err != nil {
		return nil, err
	}
	if old != nil && old.key == loc.Store.Key() {
		fresh := *old
		fresh.looked, fresh.loc = now, loc
		b.spaces[name] = &fresh
		return &fresh, nil
	}
	v, revision := versionAndRevision()
	searcher, err := search.Open(ctx, loc.Store, search.Options{
		Cache: filepath.Join(repo.CommonDir(), "sayso"), Key: loc.Store.Key(), Build: v + " " + revision,
	}, now)
	if err != nil {
		return nil, err
	}
	// What another call may still be reading is closed with the server.
	if old != nil {
		b.spaces[name+"\x00"+old.key] = old
	}
	s := &mcpSpace{looked: now, loc: loc, key: loc.Store.Key(), searcher: searcher}
	b.spaces[name] = s
	return s, nil
}

// open opens the repository with its configuration.
func (b *mcpBackend) open(ctx context.Context) (*git.Repo, trust, error) {
	repo, err := b.a.open(ctx, "")
	if err != nil {
		return nil, trust{}, plainly(err)
	}
	conf, err := b.a.trustWorktree(ctx, repo)
	if err != nil {
		_ = repo.Close()
		return nil, trust{}, plainly(err)
	}
	return repo, conf, nil
}

// plainly is an error with its way out in one line.
func plainly(err error) error {
	var u *userError
	if !errors.As(err, &u) {
		u = asUserError(err)
	}
	text := u.what
	if u.why != "" {
		text += ": " + u.why
	}
	if u.hint != "" {
		text += " (" + u.hint + ")"
	}
	return fmt.Errorf("%s", text)
}

func (b *mcpBackend) Search(ctx context.Context, in search.SearchInput) (search.SearchResult, error) {
	s, err := b.space(ctx, "")
	if err != nil {
		return search.SearchResult{}, err
	}
	return s.searcher.Search(ctx, in.Request(), b.a.env.Now())
}

func (b *mcpBackend) Read(ctx context.Context, space string, in search.ReadInput) (search.ReadResult, error) {
	s, err := b.space(ctx, space)
	if err != nil {
		return search.ReadResult{}, err
	}
	return s.searcher.Read(ctx, in, b.a.env.Now())
}

func (b *mcpBackend) Holding(ctx context.Context, limit int) ([]search.Held, error) {
	s, err := b.space(ctx, "")
	if err != nil {
		return nil, err
	}
	return s.searcher.Holding(ctx, limit, b.a.env.Now())
}

func (b *mcpBackend) Recall(ctx context.Context, space string, q recall.Question) (*recall.Answer, error) {
	repo, conf, err := b.open(ctx)
	if err != nil {
		return nil, err
	}
	defer repo.Close()
	mem, err := b.a.memorySet(ctx, "recall", repo, conf, space)
	if err != nil {
		return nil, plainly(err)
	}
	ans, err := b.a.ask(ctx, repo, conf, mem, q, recall.Options{MaxCommits: recall.DefaultCommits})
	if err != nil {
		return nil, plainly(err)
	}
	return ans, nil
}

func (b *mcpBackend) Brief(ctx context.Context, space string, tokens int) (*recall.Brief, error) {
	repo, conf, err := b.open(ctx)
	if err != nil {
		return nil, err
	}
	defer repo.Close()
	mem, err := b.a.memorySet(ctx, "brief", repo, conf, space)
	if err != nil {
		return nil, plainly(err)
	}
	return recall.NewBrief(mem.together(), tokens), nil
}

func (b *mcpBackend) Spaces(ctx context.Context) (mcp.Spaces, error) {
	repo, conf, err := b.open(ctx)
	if err != nil {
		return mcp.Spaces{}, err
	}
	_ = repo.Close()
	names := []string{gitstore.RepoSpace}
	for n := range conf.config.Memory.Spaces {
		if n != gitstore.RepoSpace {
			names = append(names, n)
		}
	}
	slices.Sort(names[1:])
	out := mcp.Spaces{Schema: mcp.SpacesSchema, Spaces: []mcp.Space{}}
	for i, n := range names {
		sp := mcp.Space{Name: n, Own: i == 0}
		s, err := b.space(ctx, n)
		if err == nil {
			sp.ReadOnly, sp.Note = s.loc.Store.ReadOnly(), s.loc.Note
			_, err = s.searcher.Holding(ctx, 0, b.a.env.Now()) // so that the figures are not stale
			sp.Entries, sp.InForce = s.searcher.Size()
		}
		if ctx.Err() != nil {
			return mcp.Spaces{}, ctx.Err()
		}
		if err != nil {
			sp.Note = oneLine(err.Error())
		}
		out.Spaces = append(out.Spaces, sp)
	}
	return out, nil
}

func (b *mcpBackend) Propose(ctx context.Context, space string, draft memory.Entry) (memory.ReceiptOutput, error) {
	s, err := b.space(ctx, space)
	if err != nil {
		return memory.ReceiptOutput{}, err
	}
	r, err := s.loc.Store.Propose(ctx, draft, b.a.env.Now())
	if err != nil {
		return memory.ReceiptOutput{}, err
	}
	return memory.ReceiptOutput{
		Schema: memory.ReceiptSchema, Action: "propose", Space: s.loc.Space, Shared: s.loc.Shared, Entry: r.Entry.Record(),
		Changed: orEmpty(r.Changed), Masked: orEmpty(r.Masked), Warnings: orEmpty(r.Warnings),
	}, nil
}

// CheckMessage runs `sayso check --staged` on the message, on streams of its own.
func (b *mcpBackend) CheckMessage(ctx context.Context, message string) (json.RawMessage, error) {
	var out strings.Builder
	own := newApp(strings.NewReader(message), &out, io.Discard, b.a.env)
	own.repoDir, own.log = b.a.repoDir, b.a.log
	r := &checkRun{app: own, flags: checkFlags{staged: true, messageFile: "-", output: outputFlags{format: string(report.JSON)}}}
	if err := r.staged(ctx); err != nil {
		return nil, plainly(err)
	}
	return json.RawMessage(out.String()), nil
}

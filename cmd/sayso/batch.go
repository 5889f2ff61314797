package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/sourcegraph/conc"

	"github.com/saysolint/sayso/claim"
	"github.com/saysolint/sayso/internal/engine"
	"github.com/saysolint/sayso/internal/git"
	"github.com/saysolint/sayso/report"
)

// The bounds of a batch run.
const (
	batchLine    = 32 << 20 // longest request
	batchWorkers = 2        // requests in flight
	batchRepos   = 8        // repositories kept open
)

// batchRequest is one line of standard input.
type batchRequest struct {
	ID      json.RawMessage `json:"id"`
	Repo    string          `json:"repo"`
	Commit  string          `json:"commit"`
	Base    string          `json:"base"`
	Head    string          `json:"head"`
	Message *string         `json:"message"`
}

// batchError is the result of a request that failed.
type batchError struct {
	ID    string          `json:"id"`
	Error *engine.Failure `json:"error"`
}

// runBatch answers requests until standard input ends. Results come in the
// order of the requests, each flushed; a request that fails costs only itself.
func (a *app) runBatch(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	b := &batch{app: a, repos: newRepoCache(a)}
	defer b.repos.close()

	type job struct {
		line   []byte
		err    error
		answer chan []byte
	}
	work := make(chan job)
	order := make(chan job, batchWorkers) // as they came; its capacity bounds what is in flight
	readErr := make(chan error, 1)

	// The reader is not waited for: it may hang in a read of standard input that
	// nothing can interrupt, after the run was cancelled or its output closed.
	go func() {
		defer close(work)
		defer close(order)
		in := bufio.NewReaderSize(a.stdin, 64<<10)
		for {
			line, err := readRequest(in)
			if err != nil && !errors.Is(err, errLongLine) {
				if err != io.EOF {
					readErr <- err
				}
				return
			}
			if err == nil && len(bytes.TrimSpace(line)) == 0 {
				continue
			}
			j := job{line, err, make(chan []byte, 1)}
			select {
			case order <- j:
			case <-ctx.Done():
				return
			}
			select {
			case work <- j:
			case <-ctx.Done():
				return
			}
		}
	}()

	var workers conc.WaitGroup
	for range batchWorkers {
		workers.Go(func() {
			for {
				select {
				case j, ok := <-work:
					if !ok {
						return
					}
					j.answer <- b.answer(ctx, j.line, j.err)
				case <-ctx.Done():
					return
				}
			}
		})
	}
	defer workers.Wait()
	defer cancel()

	out := bufio.NewWriter(a.stdout)
	for {
		var j job
		var ok bool
		select {
		case j, ok = <-order:
		case <-ctx.Done():
			return ctx.Err()
		}
		if !ok {
			break
		}
		select {
		case line := <-j.answer:
			_, err := out.Write(line)
			if err == nil {
				err = out.Flush()
			}
			if err != nil {
				return ioError("standard output", err)
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	select {
	case err := <-readErr:
		return ioError("standard input", err)
	default:
		return nil
	}
}

var errLongLine = fmt.Errorf("request is over %d bytes", batchLine)

// readRequest reads one line. Of one that is too long the rest is read past.
func readRequest(in *bufio.Reader) ([]byte, error) {
	var line []byte
	long := false
	for {
		part, err := in.ReadSlice('\n')
		if !long {
			if len(line)+len(part) > batchLine {
				line, long = nil, true
			} else {
				line = append(line, part...)
			}
		}
		switch {
		case err == bufio.ErrBufferFull:
			continue
		case err != nil && err != io.EOF:
			return nil, err
		case long:
			return nil, errLongLine
		case err == io.EOF && len(line) == 0:
			return nil, io.EOF
		}
		return line, nil
	}
}

// batch is one batch run.
type batch struct {
	*app
	repos *repoCache
}

// answer is the line of output for one request, with its line end.
func (b *batch) answer(ctx context.Context, line []byte, readErr error) (out []byte) {
	id := ""
	failed := func(f *engine.Failure) []byte {
		f.Message = oneLine(f.Message)
		return encodeLine(batchError{ID: id, Error: f})
	}
	defer func() {
		if p := recover(); p != nil {
			b.log.Error().Interface("panic", p).Str("id", id).Msg("recovered")
			out = failed(&engine.Failure{Code: "internal", Message: fmt.Sprint(p)})
		}
	}()
	if readErr != nil {
		return failed(badRequest(readErr.Error()))
	}
	req, id, err := parseRequest(line)
	if err != nil {
		return failed(badRequest(err.Error()))
	}
	res, err := b.judge(ctx, req)
	if err != nil {
		return failed(failureOf(err))
	}
	if res.Error != nil {
		return failed(res.Error)
	}
	res.ID = id
	return encodeLine(report.Normal(res))
}

func badRequest(message string) *engine.Failure {
	return &engine.Failure{Code: "bad-request", Message: message, Hint: "sayso config schema batch-request prints what a request may hold"}
}

// encodeLine is v as one line of JSON. Nothing that is encoded here can fail:
// the structs hold strings, numbers and booleans only.
func encodeLine(v any) []byte {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(err)
	}
	return buf.Bytes()
}

// parseRequest reads a request. The id comes back also where the rest is wrong.
func parseRequest(line []byte) (req batchRequest, id string, err error) {
	line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
	if err := json.Unmarshal(line, &req); err != nil {
		// One field of a wrong type must not cost the id.
		var only struct{ ID json.RawMessage }
		if json.Unmarshal(line, &only) == nil {
			id, _ = requestID(only.ID)
		}
		return req, id, fmt.Errorf("not a request: %s", strings.TrimPrefix(err.Error(), "json: "))
	}
	if id, err = requestID(req.ID); err != nil {
		return req, id, err
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(line, &fields); err != nil {
		return req, id, fmt.Errorf("not a request: %w", err)
	}
	for name := range fields {
		// Other fields are the caller's own, but a mistyped "message" would have us judge the wrong text.
		if low := strings.ToLower(name); name != "message" && distance(low, "message") <= 1 {
			return req, id, fmt.Errorf("unknown field %q: did you mean %q?", name, "message")
		}
	}
	switch {
	case req.Repo == "":
		return req, id, errors.New("repo is missing")
	case req.Commit != "" && (req.Base != "" || req.Head != ""):
		return req, id, errors.New("either commit, or base and head")
	case req.Commit == "" && (req.Base == "" || req.Head == ""):
		return req, id, errors.New("commit is missing, or base and head")
	case req.Commit == "" && req.Message == nil:
		return req, id, errors.New("message is missing: a range has none of its own")
	}
	return req, id, nil
}

// requestID is the id of a request as a string.
func requestID(raw json.RawMessage) (string, error) {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || string(raw) == "null" {
		return "", errors.New("id is missing")
	}
	if raw[0] == '"' {
		var s string
		err := json.Unmarshal(raw, &s)
		return s, err
	}
	var n json.Number
	if json.Unmarshal(raw, &n) != nil {
		return "", errors.New("id is neither a string nor a number")
	}
	return n.String(), nil
}

// judge answers one request.
func (b *batch) judge(ctx context.Context, req batchRequest) (engine.Result, error) {
	entry, err := b.repos.get(ctx, b.path(req.Repo))
	if err != nil {
		return engine.Result{}, err
	}
	defer b.repos.put(entry)
	if req.Commit != "" {
		hash, err := resolve(ctx, entry.repo, req.Commit)
		if err != nil {
			return engine.Result{}, err
		}
		// The parent is named, not looked up: to look it up the commit would have to be
		// read, and with it the message that must not be looked at.
		eng, err := entry.engine(ctx, b.app, hash+"^", "the first parent of "+short(hash))
		if err != nil {
			return engine.Result{}, err
		}
		return eng.Commit(ctx, hash, req.Message), nil
	}
	head, err := resolve(ctx, entry.repo, req.Head)
	if err != nil {
		return engine.Result{}, err
	}
	base, err := entry.repo.MergeBase(ctx, req.Base, head)
	if err != nil {
		return engine.Result{}, err
	}
	eng, err := entry.engine(ctx, b.app, base, "the merge base "+short(base))
	if err != nil {
		return engine.Result{}, err
	}
	// It speaks of the whole range, as the words of a pull request do and a single commit's do not.
	text := engine.Text{Source: claim.SourceTitle, Tier: claim.TierLedger, Body: *req.Message}
	res := eng.Range(ctx, base, head, "pull-request", []engine.Text{text})
	return relabel(res, claim.SourceMessage), nil
}

// resolve is the full name of a commit, without reading it.
func resolve(ctx context.Context, repo *git.Repo, rev string) (string, error) {
	if isHash(rev) {
		return rev, nil
	}
	if repo.Fallback() {
		return repo.Resolve(ctx, rev)
	}
	hash, _, err := repo.Type(ctx, rev+"^{commit}")
	if errors.Is(err, git.ErrMissing) {
		err = fmt.Errorf("%s: %w", oneLine(rev), git.ErrUnknown)
	}
	return hash, err
}

// repoCache keeps the repositories of a batch open, the last used ones.
type repoCache struct {
	app   *app
	mu    sync.Mutex
	open  map[string]*repoEntry
	order []string // least recently used first
}

// repoEntry is one open repository with an engine for each configuration met.
type repoEntry struct {
	repo *git.Repo
	err  error

	ready   chan struct{} // closed when repo or err is set
	mu      sync.Mutex
	engines map[string]*engine.Engine

	users   int  // guarded by the cache's lock
	evicted bool // guarded by the cache's lock
}

func newRepoCache(a *app) *repoCache {
	return &repoCache{app: a, open: map[string]*repoEntry{}}
}

// get returns an open repository. Give it back with put.
func (c *repoCache) get(ctx context.Context, dir string) (*repoEntry, error) {
	c.mu.Lock()
	e := c.open[dir]
	fresh := e == nil
	if fresh {
		e = &repoEntry{ready: make(chan struct{}), engines: map[string]*engine.Engine{}}
		c.open[dir] = e
	}
	e.users++
	c.touch(dir)
	stale := c.evict(dir)
	c.mu.Unlock()
	for _, s := range stale {
		s.close()
	}
	if fresh {
		e.repo, e.err = c.app.open(ctx, dir)
		close(e.ready)
	}
	<-e.ready
	if e.err != nil {
		err := e.err
		c.mu.Lock()
		if c.open[dir] == e {
			c.remove(dir)
		}
		c.mu.Unlock()
		return nil, err
	}
	return e, nil
}

// put gives a repository back.
func (c *repoCache) put(e *repoEntry) {
	c.mu.Lock()
	e.users--
	last := e.evicted && e.users == 0
	c.mu.Unlock()
	if last {
		e.close()
	}
}

func (c *repoCache) touch(dir string) {
	for i, d := range c.order {
		if d == dir {
			c.order = append(c.order[:i], c.order[i+1:]...)
			break
		}
	}
	c.order = append(c.order, dir)
}

func (c *repoCache) remove(dir string) {
	delete(c.open, dir)
	for i, d := range c.order {
		if d == dir {
			c.order = append(c.order[:i], c.order[i+1:]...)
			break
		}
	}
}

// evict takes repositories over the bound out, but for the one just asked for,
// and returns those that nobody uses; the others are closed by their last user.
func (c *repoCache) evict(but string) (stale []*repoEntry) {
	for i := 0; len(c.order) > batchRepos && i < len(c.order); {
		dir := c.order[i]
		if dir == but {
			i++
			continue
		}
		e := c.open[dir]
		c.remove(dir)
		e.evicted = true
		if e.users == 0 {
			stale = append(stale, e)
		}
	}
	return stale
}

func (c *repoCache) close() {
	for _, e := range c.open {
		<-e.ready
		e.close()
	}
}

// engine is the engine for the configuration of a tree.
func (e *repoEntry) engine(ctx context.Context, a *app, rev, from string) (*engine.Engine, error) {
	t, err := a.trustTree(ctx, e.repo, rev, from)
	if err != nil {
		return nil, err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	key := t.data + "\x00" + t.rules
	eng := e.engines[key]
	if eng == nil {
		eng = a.engine(ctx, e.repo, t, true, nil)
		e.engines[key] = eng
	}
	return eng, nil
}

func (e *repoEntry) close() {
	for _, eng := range e.engines {
		_ = eng.Close()
	}
	if e.repo != nil {
		_ = e.repo.Close()
	}
}

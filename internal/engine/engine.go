package engine

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"

	"github.com/rs/zerolog"
	"github.com/sourcegraph/conc"
	"github.com/sourcegraph/conc/stream"

	"github.com/saysolint/sayso/change"
	"github.com/saysolint/sayso/checks"
	"github.com/saysolint/sayso/claim"
	"github.com/saysolint/sayso/internal/config"
	"github.com/saysolint/sayso/internal/git"
	"github.com/saysolint/sayso/internal/index"
)

// Options of an Engine. The zero value works.
type Options struct {
	Config     *config.Config        // nil: the defaults
	Attributes *config.Attributes    // what .gitattributes says of generated and vendored files; may be nil
	Foreign    *Foreign              // a dependency graph that another program builds; nil: the built-in one
	BuildIndex bool                  // build or update the index when it is missing or behind (never in a hook)
	Workers    int                   // 0: as many as there are processors
	Log        zerolog.Logger        // disabled by default
	Progress   func(done, total int) // called from one goroutine at a time; may be nil
	Now        func() time.Time      // for measured durations and the expiry of exceptions; nil: nothing is measured, no exception holds
	Folder     string                // name of the root folder, for the project's own names
	Weights    *checks.Weights       // nil: the shipped table

	// MemoryAt is the revision whose memory judges every change; "" for the base of each.
	MemoryAt string
	// Local says that the engine judges for the hook on the machine of who makes the commit.
	Local bool
	// Confirmed are exceptions that a person who may do so has confirmed: the id of an entry
	// to the reason.
	Confirmed map[string]string

	// Remote is the address of the remote, likewise. It is asked for once, by the first
	// judgement that needs it; nil: there is none.
	Remote func(ctx context.Context) string
}

// Engine judges texts against the changes of one repository. Safe for concurrent use.
type Engine struct {
	repo *git.Repo
	opts Options

	readers chan *change.Reader

	foreign foreign
	decided decisions

	indexOnce sync.Once
	ix        *index.Index
	ixErr     error

	remoteOnce sync.Once
	address    string

	begunLock sync.Mutex
	begun     *begun // what Begin reads, until Staged takes it
}

// New returns an engine on an open repository. Close it.
func New(repo *git.Repo, opts Options) *Engine {
	if opts.Config == nil {
		opts.Config = config.Default()
	}
	if opts.Workers <= 0 {
		opts.Workers = runtime.GOMAXPROCS(0)
	}
	e := &Engine{repo: repo, opts: opts, readers: make(chan *change.Reader, opts.Workers)}
	for range opts.Workers {
		r := change.NewReader(repo, change.Limits{})
		r.Attributes = e.attributes()
		e.readers <- r
	}
	return e
}

// Close ends the git processes that the engine started. No call may be under way.
func (e *Engine) Close() error {
	if b := e.take(); b != nil {
		b.stop()
	}
	var err error
	for range cap(e.readers) {
		err = errors.Join(err, (<-e.readers).Close())
	}
	if e.ix != nil {
		err = errors.Join(err, e.ix.Close())
	}
	return err
}

// reader lends a Reader; give it back.
func (e *Engine) reader(ctx context.Context) (*change.Reader, func(), error) {
	select {
	case r := <-e.readers:
		return r, func() { e.readers <- r }, nil
	case <-ctx.Done():
		return nil, nil, ctx.Err()
	}
}

// remote asks for the address of the remote once.
func (e *Engine) remote(ctx context.Context) string {
	e.remoteOnce.Do(func() {
		if e.opts.Remote != nil {
			e.address = e.opts.Remote(ctx)
		}
	})
	return e.address
}

// index loads the index once, building it where that is allowed.
func (e *Engine) index(ctx context.Context) *index.Index {
	e.indexOnce.Do(func() {
		if e.opts.BuildIndex {
			e.ix, e.ixErr = index.Build(ctx, e.repo, index.Options{})
		} else {
			e.ix, e.ixErr = index.Load(ctx, e.repo)
		}
		if e.ixErr != nil {
			e.ix = nil
			e.opts.Log.Debug().Err(e.ixErr).Msg("no index")
		}
	})
	return e.ix
}

// Commits judges each commit's own message against its own diff and yields in
// the given order. Memory does not grow with the number of commits.
func (e *Engine) Commits(ctx context.Context, hashes []string, yield func(Result) error) error {
	if len(hashes) > 1 {
		e.index(ctx) // before the workers need it
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s := stream.New().WithMaxGoroutines(e.opts.Workers)
	var failed error
	done := 0
	for _, h := range hashes {
		if ctx.Err() != nil {
			break
		}
		s.Go(func() stream.Callback {
			r := e.Commit(ctx, h, nil)
			return func() {
				if failed != nil || ctx.Err() != nil {
					return
				}
				done++
				if e.opts.Progress != nil {
					e.opts.Progress(done, len(hashes))
				}
				if err := yield(r); err != nil {
					failed = err
					cancel()
				}
			}
		})
	}
	s.Wait()
	if failed != nil {
		return failed
	}
	return ctx.Err()
}

// Commit judges one commit; message nil means its own, otherwise its own is not read.
func (e *Engine) Commit(ctx context.Context, hash string, message *string) Result {
	return e.CommitSeen(ctx, hash, message, nil)
}

// CommitSeen is Commit that also shows what goes into the checks, before they are
// asked and in the same goroutine. Measurements ask the checks again with it. see may be nil.
func (e *Engine) CommitSeen(ctx context.Context, hash string, message *string, see func(checks.Input)) Result {
	return e.timed(Result{ID: hash, Kind: "commit", Commit: hash}, func(res *Result) error {
		r, release, err := e.reader(ctx)
		if err != nil {
			return err
		}
		defer release()
		c, err := e.repo.Commit(ctx, hash)
		if err != nil {
			return err
		}
		res.ID, res.Commit = c.Hash, c.Hash
		text := c.Message
		if message != nil {
			text = *message
		}
		ch, err := r.Commit(ctx, c.Hash)
		if err != nil {
			return err
		}
		sub := subject{
			reader: r, change: ch, tree: c.Hash,
			texts: []Text{{Source: claim.SourceMessage, Tier: claim.TierLedger, Body: text}},
			bot:   isBot(c.Author.Email) || isBot(c.Author.Name),
			see:   see,
		}
		if len(c.Parents) > 1 {
			sub.abstain = "merge commit"
		}
		return e.judge(ctx, sub, res)
	})
}

// Range judges texts against the diff from base (already the merge base) to head.
func (e *Engine) Range(ctx context.Context, base, head, kind string, texts []Text) Result {
	return e.timed(Result{ID: base + ".." + head, Kind: kind}, func(res *Result) error {
		r, release, err := e.reader(ctx)
		if err != nil {
			return err
		}
		defer release()
		ch, err := r.Range(ctx, base, head)
		if err != nil {
			return err
		}
		return e.judge(ctx, subject{reader: r, change: ch, tree: head, historyAt: base, texts: texts, ranged: true}, res)
	})
}

// Given judges texts against a change that was read elsewhere, such as from an API's
// answer, with no repository to ask: what a check would ask of the tree, the history or
// other commits is missing. kind and base as in Range; of a commit, id is its hash.
func Given(ctx context.Context, ch *change.Change, id, kind string, texts []Text, opts Options) Result {
	if opts.Config == nil {
		opts.Config = config.Default()
	}
	e := &Engine{opts: opts}
	res := Result{ID: id, Kind: kind, Commit: ch.Commit}
	return e.timed(res, func(res *Result) error {
		return e.judge(ctx, subject{change: ch, texts: texts, given: true, ranged: kind == "pull-request"}, res)
	})
}

// Staged is the commit being made.
type Staged struct {
	Message    string // already cleaned as git will record it
	AuthorDate string // GIT_AUTHOR_DATE of the hook; with that of HEAD it may be an amend: judge against HEAD and its parent, contradict only what both do
	Base       string // overrides HEAD; "" for HEAD
}

// Begin starts to read the staged change and what is likely to be asked about it, for a
// Staged with this base that follows. Whoever begins early has its message ready late:
// its settings come from git as well. Close ends what nobody came for.
func (e *Engine) Begin(ctx context.Context, base string) {
	b := e.begin(ctx, base)
	e.begunLock.Lock()
	defer e.begunLock.Unlock()
	if e.begun == nil {
		e.begun = b
		return
	}
	b.stop()
}

// take is what Begin left, once.
func (e *Engine) take() *begun {
	e.begunLock.Lock()
	defer e.begunLock.Unlock()
	b := e.begun
	e.begun = nil
	return b
}

// begun is a staged change that is being read.
type begun struct {
	asked   string // Staged.Base
	base    string // the commit that it stands for
	state   git.State
	ahead   *ahead
	cancel  context.CancelFunc
	reading conc.WaitGroup

	reader  *change.Reader
	release func()
	change  *change.Change
	err     error
}

func (e *Engine) begin(ctx context.Context, asked string) *begun {
	sub, cancel := context.WithCancel(ctx)
	b := &begun{asked: asked, base: asked, cancel: cancel, release: func() {}}
	if b.state, b.err = e.repo.State(ctx); b.err != nil {
		return b
	}
	if b.base == "" {
		b.base = b.state.Head
	}
	b.reading.Go(func() {
		var r *change.Reader
		if r, b.release, b.err = e.reader(sub); b.err != nil {
			b.release = func() {}
			return
		}
		b.reader = r
		b.change, b.err = r.Staged(sub, b.base)
	})
	b.ahead = e.lookAhead(ctx, b.base)
	return b
}

// stop ends what is still being read and gives the reader back.
func (b *begun) stop() {
	b.cancel()
	b.reading.Wait()
	if b.ahead != nil {
		b.ahead.stop()
	}
	b.release()
}

// Staged judges the message of the commit being made against the staged diff.
func (e *Engine) Staged(ctx context.Context, s Staged) Result {
	return e.timed(Result{ID: "staged", Kind: "staged"}, func(res *Result) error {
		b := e.take()
		if b != nil && b.asked != s.Base {
			b.stop()
			b = nil
		}
		if b == nil {
			b = e.begin(ctx, s.Base)
		}
		defer b.stop()
		if b.reading.Wait(); b.err != nil {
			return b.err
		}
		r, base, state, ahead := b.reader, b.base, b.state, b.ahead
		texts := []Text{{Source: claim.SourceMessage, Tier: claim.TierLedger, Body: s.Message}}
		against := func(base string, res *Result) (int, error) {
			ch, err := b.change, error(nil)
			if b.change = nil; ch == nil {
				ch, err = r.Staged(ctx, base)
			}
			if err != nil {
				return 0, err
			}
			sub := subject{reader: r, change: ch, tree: base, historyAt: base, texts: texts, staged: true, ahead: ahead}
			if state.Merge {
				sub.abstain = "merge in progress"
			}
			n := len(ch.Files)
			if n == 0 && len(ch.Gaps) > 0 {
				n = unlisted
			}
			return n, e.judge(ctx, sub, res)
		}
		n, err := against(base, res)
		if err != nil || state.Merge || state.Unborn || s.Base != "" || n == unlisted || s.AuthorDate == "" && n > 0 {
			return err
		}
		if n > 0 && ahead.notAmending(s.AuthorDate, base) {
			return nil
		}
		head, err := e.repo.Commit(ctx, base)
		amending := err == nil && git.Amending(s.AuthorDate, head)
		if err != nil || len(head.Parents) > 1 || n > 0 && !amending {
			return err
		}
		// Nothing staged, or the author date is HEAD's: HEAD may be about to be replaced.
		parent := ""
		if len(head.Parents) == 1 {
			parent = head.Parents[0]
		}
		whole := Result{ID: res.ID, Kind: res.Kind}
		if _, err := against(parent, &whole); err != nil {
			res.Notes = append(res.Notes, "the parent of HEAD could not be read: judged against HEAD alone")
			return nil
		}
		if n == 0 && !amending {
			// A new commit that is to be empty, an amend with another date, or nothing
			// staged yet: an accusation has to hold of both.
			*res = soften(*res, whole)
			res.Notes = append(res.Notes, "nothing is staged: judged against HEAD, as an empty commit, and contradicted only where the parent of HEAD contradicts too")
			return nil
		}
		if n == 0 {
			whole.Notes = append(whole.Notes, "nothing is staged: judged as an amend, against the parent of HEAD")
			*res = whole
			return nil
		}
		*res = both(whole, *res)
		return nil
	})
}

// unlisted is the number of files of a change whose files could not be listed.
const unlisted = -1

// ahead is what is read beside the change because most judgements come to need
// it. Whoever needs it anyway finds it read, or reads it.
type ahead struct {
	cancel context.CancelFunc
	tree   conc.WaitGroup
	opened chan struct{} // closed when index is set
	index  *index.Index  // nil where there is none
}

// lookAhead begins to read the tree, the recent history and the author of a commit.
// Call stop.
func (e *Engine) lookAhead(ctx context.Context, base string) *ahead {
	sub, cancel := context.WithCancel(ctx)
	a := &ahead{cancel: cancel, opened: make(chan struct{})}
	if base == "" {
		close(a.opened)
		return a
	}
	a.tree.Go(func() {
		a.index = e.index(ctx)
		close(a.opened)
		if a.index != nil {
			a.index.Ahead(sub, e.repo, base)
		} else {
			_, _ = e.repo.Commit(sub, base)
		}
	})
	return a
}

// notAmending says of a commit whose author date is known without asking git that it
// is not the one that is about to be replaced.
func (a *ahead) notAmending(authorDate, head string) bool {
	<-a.opened
	if a.index == nil {
		return false
	}
	when, known := a.index.Authored(head)
	return known && !git.Amending(authorDate, &git.Commit{Author: git.Signature{When: when}})
}

// wait is for the tree.
func (a *ahead) wait() {
	if a != nil {
		a.tree.Wait()
	}
}

// stop ends what is still being read.
func (a *ahead) stop() {
	a.cancel()
	a.tree.Wait()
}

// both keeps of the first judgement the contradictions that the second shares.
func both(a, b Result) Result {
	a = soften(a, b)
	a.Notes = append(a.Notes, "this may be an amend: judged against the parent of HEAD and against HEAD, contradicted only where both agree")
	return a
}

// soften takes back the contradictions of a that b does not share.
func soften(a, b Result) Result {
	also := map[string]bool{}
	for _, f := range b.Claims {
		if f.Verdict == checks.Contradicted {
			also[f.Fingerprint] = true
		}
	}
	a.Judgement = checks.Soften(a.Judgement, func(f checks.Finding) bool { return !also[f.Fingerprint] },
		"this may be an amend, and against the other base it holds")
	return a
}

// Worktree judges texts against the difference of the working tree (staged and not) from HEAD.
func (e *Engine) Worktree(ctx context.Context, texts []Text) Result {
	return e.timed(Result{ID: "worktree", Kind: "transcript"}, func(res *Result) error {
		r, release, err := e.reader(ctx)
		if err != nil {
			return err
		}
		defer release()
		state, err := e.repo.State(ctx)
		if err != nil {
			return err
		}
		ch, err := r.Worktree(ctx, state.Head)
		if err != nil {
			return err
		}
		return e.judge(ctx, subject{reader: r, change: ch, tree: state.Head, historyAt: state.Head, texts: texts, staged: true}, res)
	})
}

// timed runs one judgement and turns its error into a Failure.
func (e *Engine) timed(res Result, fn func(*Result) error) Result {
	var start time.Time
	if e.opts.Now != nil {
		start = e.opts.Now()
	}
	err := fn(&res)
	if err != nil {
		res = Result{ID: res.ID, Kind: res.Kind, Commit: res.Commit, Error: failure(err)}
	}
	if e.opts.Now != nil {
		res.MS = float64(e.opts.Now().Sub(start).Microseconds()) / 1000
	}
	if res.Claims == nil {
		res.Claims = []checks.Finding{}
	}
	if res.Observations == nil {
		res.Observations = []checks.Observation{}
	}
	return res
}

// failure classifies an error.
func failure(err error) *Failure {
	f := &Failure{Code: "internal", Message: err.Error()}
	switch {
	case errors.Is(err, git.ErrNotRepository):
		f.Code, f.Hint = "not-a-repository", "run it inside a git repository, or name one with --repo"
	case errors.Is(err, git.ErrEmpty):
		f.Code, f.Hint = "empty-repository", "make a first commit"
	case errors.Is(err, git.ErrUnknown):
		f.Code, f.Hint = "unknown-revision", "check the name with `git rev-parse`; in CI fetch the whole history (fetch-depth: 0)"
	case errors.Is(err, git.ErrMissing):
		f.Code, f.Hint = "missing", "fetch what is missing: `git fetch --unshallow`, or `git fetch --refetch` for a partial clone"
	case errors.Is(err, git.ErrIndex):
		f.Code = "corrupt" // the text names the way out
	case errors.Is(err, git.ErrNoWorkTree):
		f.Code = "bad-request"
	case errors.Is(err, git.ErrCorrupt):
		f.Code, f.Hint = "corrupt", "see what `git fsck` says"
	case errors.Is(err, git.ErrNoGit), errors.Is(err, git.ErrUnsupported):
		f.Code, f.Hint = "no-git", "install git"
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		f.Code = "cancelled"
	}
	return f
}

// String is the failure in one line.
func (f *Failure) String() string {
	if f.Hint == "" {
		return f.Message
	}
	return fmt.Sprintf("%s (%s)", f.Message, f.Hint)
}

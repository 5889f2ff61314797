package action

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// StickyComment keeps one comment on a pull request: made when there is something
// to say, changed in place, one line when all is well. It is a Publisher, and the
// Ledger of what people decided.
//
// It works in rounds. Each reads the conversation and the pull request, decides,
// writes at most once and reads again; it ends with a round that finds nothing to
// change. A write whose answer was lost is found by the next round, and of two
// comments that two runs made, every run keeps the one with the lower number. A
// write is decided a moment before it is sent and never repeated, so that an old run
// that was held up cannot put its text over a newer one.
type StickyComment struct {
	API    Comments
	Settle time.Duration // between a write and reading it back; 0: one second
	Rounds int           // most; 0: 8
}

// Name is comment.
func (*StickyComment) Name() string { return "comment" }

// ours is a comment of our own with its state.
type ours struct {
	Comment
	state commentState
}

// own lists our own comments that have a state, oldest first. What others wrote is
// no state, whatever it says.
func (s *StickyComment) own(ctx context.Context, t Target) ([]ours, error) {
	self, err := s.API.Self(ctx)
	if err != nil {
		return nil, err
	}
	all, err := s.API.ListComments(ctx, t.Repo, t.Number)
	if err != nil {
		return nil, err
	}
	var out []ours
	for _, c := range all {
		if self.Login == "" || !strings.EqualFold(c.Author.Login, self.Login) {
			continue
		}
		if state, ok := parseState(c.Body); ok {
			out = append(out, ours{c, state})
		}
	}
	return out, nil
}

// Kept is what people decided on the pull request so far.
func (s *StickyComment) Kept(ctx context.Context, t Target) (Kept, error) {
	own, err := s.own(ctx, t)
	if err != nil {
		return Kept{}, err
	}
	var k Kept
	for _, o := range own {
		k.Lifted = merge(k.Lifted, o.state.Lifted, func(d Dismissal) string { return d.Claim })
		k.Learned = merge(k.Learned, o.state.Learned, func(l Proposal) string { return l.ID })
	}
	return k, nil
}

// errAgain says that another round is wanted.
var errAgain = errors.New("not settled")

// Publish makes the comment say what p says, unless a later run has spoken.
func (s *StickyComment) Publish(ctx context.Context, p Publication) (Outcome, error) {
	out := Outcome{Publisher: s.Name()}
	if p.Target.Number == 0 {
		out.State, out.Reason = Silent, "there is no pull request to comment on"
		return out, nil
	}
	rounds, settle := s.Rounds, s.Settle
	if rounds == 0 {
		rounds = 8
	}
	if settle == 0 {
		settle = time.Second
	}
	wrote, budget := false, commentBudget
	var last error
	for n := range rounds {
		if n > 0 {
			if err := sleep(ctx, max(settle, backoff(n)/4)); err != nil {
				return out, err
			}
		}
		done, changed, err := s.round(ctx, p, &out, budget)
		wrote = wrote || changed
		switch {
		case ctx.Err() != nil:
			out.State = Failed
			return out, context.Cause(ctx)
		case errors.Is(err, ErrForbidden), errors.Is(err, ErrNotFound):
			out.State, out.Reason = Refused, err.Error()
			return out, nil
		case errors.Is(err, ErrInvalid):
			budget /= 2 // too long, by whatever it is counted in
			last = err
		case errors.Is(err, ErrUnavailable), errors.Is(err, errAgain):
			last = err
		case err != nil:
			out.State, out.Reason = Failed, err.Error()
			return out, err
		case done:
			if wrote && out.State == Unchanged {
				out.State = Published
			}
			return out, nil
		}
	}
	out.State = Failed
	if last == nil {
		last = errAgain
	}
	err := fmt.Errorf("the comment on %s#%d did not settle in %d rounds: %w", p.Target.Repo, p.Target.Number, rounds, last)
	out.Reason = err.Error()
	return out, err
}

// round reads, decides and writes at most one text. done: nothing was to be
// changed; changed: something was, and is to be read back.
func (s *StickyComment) round(ctx context.Context, p Publication, out *Outcome, budget int) (done, changed bool, err error) {
	t := p.Target
	own, err := s.own(ctx, t)
	if err != nil {
		return false, false, err
	}
	pr, err := s.API.PullRequest(ctx, t.Repo, t.Number)
	if err != nil {
		return false, false, err
	}
	if len(own) == 0 {
		if pr.Head.SHA != t.Head {
			out.State, out.Reason = Stale, "the pull request has moved on: a later run will say it"
			return true, false, nil
		}
		state := after(commentState{}, p)
		text, cut, quiet := body(p, state, budget, true)
		if quiet {
			out.State, out.Reason = Silent, "nothing needs attention"
			return true, false, nil
		}
		made, err := s.API.CreateComment(ctx, t.Repo, t.Number, state.line()+text)
		out.URL, out.Cut = made.URL, cut
		return false, err == nil, err
	}

	// The newest of ours has the word; the one with the lowest number is the place.
	keep, newest := own[0], own[0]
	for _, o := range own[1:] {
		if o.ID < keep.ID {
			keep = o
		}
		if laterState(o.state, newest.state, pr.Head.SHA) {
			newest = o
		}
	}
	stale, err := s.outdated(ctx, t, newest.state, pr.Head.SHA)
	if err != nil {
		return false, false, err
	}
	want := newest.Body
	out.URL, out.State, out.Reason = keep.URL, Unchanged, ""
	if stale {
		out.State, out.Reason = Stale, "a later run has commented"
	} else {
		prev := newest.state
		for _, o := range own {
			prev.Lifted = merge(o.state.Lifted, prev.Lifted, func(d Dismissal) string { return d.Claim })
		}
		state := after(prev, p)
		text, cut, _ := body(p, state, budget, true)
		want, out.Cut = state.line()+text, cut
	}
	if strings.TrimSpace(keep.Body) != strings.TrimSpace(want) {
		_, err := s.API.UpdateComment(ctx, t.Repo, keep.ID, want)
		if errors.Is(err, ErrNotFound) {
			return false, false, errAgain // somebody deleted it meanwhile
		}
		return false, err == nil, err
	}
	if len(own) == 1 {
		return true, false, nil
	}
	for _, o := range own {
		if o.ID == keep.ID {
			continue
		}
		if err := s.API.DeleteComment(ctx, t.Repo, o.ID); err != nil {
			return false, true, err
		}
	}
	return false, true, nil
}

// laterState orders two states by the head that the pull request has now, then by run.
func laterState(a, b commentState, head string) bool {
	if (a.Head == head) != (b.Head == head) {
		return a.Head == head
	}
	return later(a.Run, a.Attempt, b.Run, b.Attempt)
}

func later(run int64, attempt int, thanRun int64, thanAttempt int) bool {
	return run > thanRun || run == thanRun && attempt > thanAttempt
}

// outdated says that a comment speaks of a later commit, or for a later run, than
// ours.
func (s *StickyComment) outdated(ctx context.Context, t Target, theirs commentState, head string) (bool, error) {
	switch {
	case theirs.Head == t.Head:
		return later(theirs.Run, theirs.Attempt, t.Run, t.Attempt), nil
	case t.Head == head:
		return false, nil
	case theirs.Head == head:
		return true, nil
	}
	how, err := s.API.Compare(ctx, t.Repo, theirs.Head, t.Head)
	switch {
	case errors.Is(err, ErrNotFound), errors.Is(err, ErrInvalid):
		// A commit that was pushed over and collected: only the runs are left to go by.
	case err != nil:
		return false, err
	case how.Status == "ahead":
		return false, nil
	case how.Status == "behind":
		return true, nil
	}
	return later(theirs.Run, theirs.Attempt, t.Run, t.Attempt), nil
}

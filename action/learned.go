package action

import (
	"context"
	"fmt"
	"slices"

	"github.com/saysolint/sayso/internal/config"
	"github.com/saysolint/sayso/internal/git"
)

// Learner drafts what a change teaches and brings what was accepted into the
// memory.
type Learner interface {
	// Draft lists what a change would teach. An id is the same for the same learning
	// across pushes.
	Draft(ctx context.Context, from LearnFrom) ([]Proposal, error)
	// Land makes reviewed entries of accepted learnings, once however often it is
	// asked, and returns the ids of the entries that are new.
	Land(ctx context.Context, from LearnFrom, accepted []Proposal) ([]string, error)
}

// LearnFrom is the change that something is learned from, and who reviewed it.
type LearnFrom struct {
	Repo        Repo
	PullRequest PullRequest
	Base, Head  string
	Commit      string // on the default branch, once it has landed
	Server      string
}

// maxPushed is how many commits of a push are asked for their pull requests.
const maxPushed = 100

// push judges the commits that were pushed. On the default branch it brings home
// what was accepted on their pull requests: a fork's own events may not write.
func (r *Runner) push(ctx context.Context, done *Done) error {
	e := r.Event
	if !isHash(e.After) || isZero(e.After) {
		return fmt.Errorf("push of %s: the event names no commit", clipRunes(e.Ref, 100))
	}
	branch := e.DefaultBranch
	if branch == "" {
		s, err := r.Hub.Settings(ctx, e.Repo)
		if err != nil {
			return err
		}
		branch = s.DefaultBranch
	}
	base, notes := e.Before, []string(nil)
	onDefault := e.Ref == "refs/heads/"+branch
	hashes, err := r.judgeRange(ctx, done, base, e.After, func(err error) (string, error) {
		notes = append(notes, "what the branch pointed to before is not there: judged what is new against "+branch)
		if onDefault {
			return "", err
		}
		return "refs/remotes/origin/" + branch, nil
	}, &notes)
	if err != nil {
		return err
	}
	if onDefault {
		return r.bringHome(ctx, done, hashes)
	}
	return nil
}

// bringHome lands the accepted learnings of the pull requests that commits belong to.
func (r *Runner) bringHome(ctx context.Context, done *Done, hashes []string) error {
	if r.Learner == nil || r.Ledger == nil {
		return nil
	}
	if more := len(hashes) - maxPushed; more > 0 {
		done.Notes = append(done.Notes, fmt.Sprintf("the pull requests of the oldest %d of %d commits were not looked for", more, len(hashes)))
		hashes = hashes[more:]
	}
	seen := map[int]bool{}
	for _, h := range hashes {
		prs, err := r.Hub.PullRequestsOf(ctx, r.Event.Repo, h)
		if err != nil {
			return err
		}
		for _, pr := range prs {
			if seen[pr.Number] || !pr.Merged || pr.Base.Repo != r.Event.Repo {
				continue
			}
			seen[pr.Number] = true
			t := r.Target
			t.Number, t.Head, t.Base = pr.Number, pr.Head.SHA, pr.Base.SHA
			kept, err := r.Ledger.Kept(ctx, t)
			if err != nil {
				return err
			}
			accepted := slices.DeleteFunc(slices.Clone(kept.Learned), func(p Proposal) bool { return p.State != "accepted" })
			if len(accepted) == 0 {
				continue
			}
			landed, err := r.Learner.Land(ctx, LearnFrom{Repo: r.Event.Repo, PullRequest: pr, Base: pr.Base.SHA, Head: pr.Head.SHA, Commit: h, Server: serverOf(r.Target)}, accepted)
			done.Landed = append(done.Landed, landed...)
			if err != nil {
				return fmt.Errorf("learnings of pull request #%d: %w", pr.Number, err)
			}
		}
	}
	return nil
}

// queue judges the commits that a merge queue is about to land. There is no
// description to judge: its pull requests were judged when they were opened.
func (r *Runner) queue(ctx context.Context, done *Done) error {
	e := r.Event
	if !isHash(e.Head) || !isHash(e.Base) {
		return fmt.Errorf("merge group: the event names no head or base")
	}
	var notes []string
	_, err := r.judgeRange(ctx, done, e.Base, e.Head, nil, &notes)
	return err
}

// judgeRange judges commits by their own messages and publishes what it found.
// elsewhere names another base where the first one is not there; nil has none.
func (r *Runner) judgeRange(ctx context.Context, done *Done, base, head string, elsewhere func(error) (string, error), notes *[]string) ([]string, error) {
	if r.Fetch == nil || r.Open == nil {
		return nil, fmt.Errorf("%w: pushes and merge queues are read by git", errNoCheckout)
	}
	mergeBase, err := "", error(errNoBefore)
	if !isZero(base) {
		mergeBase, err = r.Fetch.Bring(ctx, base, head, func(ctx context.Context) (Comparison, error) {
			return r.Hub.Compare(ctx, r.Event.Repo, base, head)
		})
	}
	if err != nil {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if elsewhere == nil {
			return nil, err
		}
		other, oerr := elsewhere(err)
		if oerr != nil {
			return nil, oerr
		}
		if mergeBase, err = r.Fetch.mergeBase(ctx, other, head); err != nil {
			return nil, err
		}
	}
	repo, err := r.Open(ctx)
	if err != nil {
		return nil, err
	}
	defer repo.Close()
	trusted, err := r.Trust(ctx, repo, mergeBase, "the merge base "+mergeBase[:12])
	if err != nil {
		return nil, err
	}
	defer trusted.Judge.Close()
	if trusted.Config == nil {
		trusted.Config = config.Default()
	}
	hashes, err := repo.Revisions(ctx, []string{mergeBase + ".." + head}, git.RevOptions{})
	if err != nil {
		return nil, err
	}
	read := &reading{base: mergeBase, trusted: trusted, notes: *notes}
	err = trusted.Judge.Commits(ctx, hashes, collect(&read.results))
	if err != nil {
		return nil, err
	}
	rep, err := r.report(trusted, read.results, read.notes)
	if err != nil {
		return nil, err
	}
	t := r.Target
	t.Head, t.Base = head, mergeBase
	return hashes, r.publish(ctx, done, Publication{Target: t, Report: rep, FullAt: t.RunURL, Rules: r.Rules})
}

var errNoBefore = fmt.Errorf("the branch is new")

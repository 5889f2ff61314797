package action

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/saysolint/sayso/checks"
	"github.com/saysolint/sayso/internal/engine"
	"github.com/saysolint/sayso/report"
)

// command obeys the commands of the comment that the event is about, and judges the
// pull request again with what they decided.
func (r *Runner) command(ctx context.Context, done *Done) error {
	e := r.Event
	commands := ParseCommands(e.Body)
	if len(commands) == 0 {
		done.Mode, done.Why = ModeNone, "the comment has no command"
		return nil
	}
	may, err := permitted(ctx, r.Hub, e.Repo, e.Commenter)
	if err != nil {
		return err
	}
	if !may {
		done.Why = "the comment's author may not give commands"
		return r.refuse(ctx, done, "Commands are obeyed from people who may write to this repository.")
	}
	var wrong []string
	var good []Command
	for _, c := range commands {
		if c.Wrong != "" {
			wrong = append(wrong, c.Wrong)
			continue
		}
		good = append(good, c)
	}
	if len(good) > 0 {
		err = r.pullRequest(ctx, done, func(k *Kept, results []engine.Result) {
			for _, c := range good {
				if why := apply(k, results, c, e.Commenter.Login); why != "" {
					wrong = append(wrong, why)
				}
			}
		})
		if err != nil {
			return err
		}
	}
	if len(wrong) > 0 {
		line := "Not everything was done: " + strings.Join(unique(wrong), "; ") + ". " + usageLine()
		if len(wrong) == len(commands) {
			line = "Nothing was done: " + strings.Join(unique(wrong), "; ") + ". " + usageLine()
		}
		return r.refuse(ctx, done, line)
	}
	if err := r.Hub.React(ctx, e.Repo, e.Comment, reactionDone); err != nil {
		done.Notes = append(done.Notes, "the commands were obeyed, and no reaction could be put on the comment: "+gapOf(err))
	}
	return ctx.Err()
}

// refuse says in one line, once, why a command was not obeyed.
func (r *Runner) refuse(ctx context.Context, done *Done, line string) error {
	done.Notes = append(done.Notes, line)
	if err := r.Hub.React(ctx, r.Event.Repo, r.Event.Comment, reactionWrong); err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err := answer(ctx, r.Hub, r.Event.Repo, r.Event.Number, r.Event.Comment, line); err != nil {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		done.Notes = append(done.Notes, "the answer could not be written: "+gapOf(err))
	}
	return nil
}

// apply puts one command into what was decided. why is a clause where it cannot be
// obeyed; it holds nothing that a comment said but words of the command's grammar.
func apply(k *Kept, results []engine.Result, c Command, by string) (why string) {
	switch c.Verb {
	case VerbDismiss:
		f, why := contradiction(results, c.Target)
		if why != "" {
			return why
		}
		if f.Check == report.DecisionCheck {
			return "`" + c.Target + "` goes against a decision, which `" + commandUsage[VerbExcept] + "` excepts"
		}
		k.Lifted = replaced(k.Lifted, Dismissal{Claim: f.Fingerprint, By: by, Reason: c.Reason, At: headOf(results)})
	case VerbExcept:
		d := Dismissal{Claim: decisionMark + c.Target, By: by, Reason: c.Reason, At: headOf(results)}
		if !slices.ContainsFunc(results, func(res engine.Result) bool {
			return slices.ContainsFunc(res.Claims, func(f checks.Finding) bool { return f.Verdict == checks.Contradicted && d.covers(f) })
		}) {
			return "nothing here goes against a decision `" + c.Target + "`"
		}
		k.Lifted = replaced(k.Lifted, d)
	case VerbAccept, VerbReject:
		i := slices.IndexFunc(k.Learned, func(p Proposal) bool { return p.ID == c.Target })
		if i < 0 {
			return "there is no learning `" + c.Target + "` here"
		}
		k.Learned = slices.Clone(k.Learned)
		k.Learned[i].By = by
		k.Learned[i].State = "accepted"
		if c.Verb == VerbReject {
			k.Learned[i].State = "rejected"
		}
	}
	return ""
}

// contradiction finds the one contradiction that a fingerprint, or a beginning of
// it, stands for.
func contradiction(results []engine.Result, target string) (found checks.Finding, why string) {
	const shortest = 6
	n := map[string]bool{}
	for _, res := range results {
		for _, f := range res.Claims {
			if f.Verdict == checks.Contradicted && (f.Fingerprint == target || len(target) >= shortest && strings.HasPrefix(f.Fingerprint, target)) {
				found = f
				n[f.Fingerprint] = true
			}
		}
	}
	switch len(n) {
	case 0:
		return found, "there is no contradiction `" + target + "` here"
	case 1:
		return found, ""
	}
	return found, "`" + target + "` begins several contradictions"
}

// replaced adds a dismissal, in the place of an earlier one of the same claim.
func replaced(all []Dismissal, d Dismissal) []Dismissal {
	all = slices.DeleteFunc(slices.Clone(all), func(o Dismissal) bool { return o.Claim == d.Claim })
	return append(all, d)
}

// headOf is the head that results were made of.
func headOf(results []engine.Result) string {
	for _, res := range results {
		if _, head, ok := strings.Cut(res.ID, ".."); ok {
			return head
		}
	}
	return ""
}

func unique(list []string) []string {
	var out []string
	for _, s := range list {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// maxLearnings is how many learnings one pull request proposes.
const maxLearnings = 20

// draft asks what the change would teach, and gives each draft the state that
// people have given it before.
func (r *Runner) draft(ctx context.Context, read *reading, before []Proposal) ([]Proposal, error) {
	if r.Learner == nil {
		return before, nil
	}
	drafts, err := r.Learner.Draft(ctx, LearnFrom{Repo: r.Event.Repo, PullRequest: read.pr, Base: read.base, Head: read.pr.Head.SHA, Server: serverOf(r.Target)})
	if err != nil {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		read.notes = append(read.notes, "what this change would teach could not be worked out: "+clipRunes(err.Error(), 300))
		return before, nil
	}
	for i := range drafts {
		if k := slices.IndexFunc(before, func(p Proposal) bool { return p.ID == drafts[i].ID }); k >= 0 {
			drafts[i].State, drafts[i].By = before[k].State, before[k].By
		}
	}
	if more := len(drafts) - maxLearnings; more > 0 {
		read.notes = append(read.notes, fmt.Sprintf("%d further learnings are not shown", more))
		drafts = drafts[:maxLearnings]
	}
	return drafts, nil
}

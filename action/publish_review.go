package action

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/saysolint/sayso/report"
)

// ReviewPublisher comments on the exact lines that contradict a claim, once for each
// claim of a pull request. It is off unless the caller asks for it: every comment
// notifies people.
type ReviewPublisher struct {
	API Reviews
	Max int // comments of one run; 0: 10. The others are in the comment
}

// reviewMark ends a review comment of ours and names its claim.
const reviewMark = "<!-- sayso:claim "

// Name is review.
func (*ReviewPublisher) Name() string { return "review" }

// Publish posts one review with what no earlier review of ours has said.
func (r *ReviewPublisher) Publish(ctx context.Context, p Publication) (Outcome, error) {
	out := Outcome{Publisher: r.Name(), State: Silent, Reason: "no line is to be commented on"}
	if p.Target.Number == 0 {
		return out, nil
	}
	err := r.publish(ctx, p, &out)
	switch {
	case err == nil:
		return out, nil
	case errors.Is(err, ErrForbidden), errors.Is(err, ErrNotFound), errors.Is(err, ErrInvalid):
		// Invalid: a line that the diff does not show. The comment has the finding.
		out.State, out.Reason = Refused, err.Error()
		return out, nil
	}
	out.State, out.Reason = Failed, err.Error()
	return out, err
}

func (r *ReviewPublisher) publish(ctx context.Context, p Publication, out *Outcome) error {
	most := r.Max
	if most == 0 {
		most = 10
	}
	var wanted []ReviewComment
	said := map[string]bool{}
	for _, m := range report.Remarks(p.Report) {
		if !attention(m) || m.Claim == "" || m.Path == "" || m.Line == 0 {
			continue
		}
		side := "RIGHT"
		if m.Old {
			side = "LEFT"
		}
		mark := fmt.Sprintf("%s%s -->", reviewMark, plain(strings.ReplaceAll(m.Fingerprint, "-", ""), 40))
		wanted = append(wanted, ReviewComment{Path: m.Path, Line: m.Line, Side: side, Body: remark(p.Target, m) + "\n\n" + mark})
	}
	if len(wanted) == 0 {
		return nil
	}
	self, err := r.API.Self(ctx)
	if err != nil {
		return err
	}
	const rounds = 4
	for n := range rounds {
		there, err := r.API.ListReviewComments(ctx, p.Target.Repo, p.Target.Number)
		if err != nil {
			return err
		}
		for _, c := range there {
			if at := strings.LastIndex(c.Body, reviewMark); at >= 0 && strings.EqualFold(c.Author.Login, self.Login) {
				said[strings.TrimSpace(c.Body[at:])] = true
			}
		}
		var fresh []ReviewComment
		for _, w := range wanted {
			if !said[w.Body[strings.LastIndex(w.Body, reviewMark):]] {
				fresh = append(fresh, w)
			}
		}
		if len(fresh) == 0 {
			out.State, out.Reason = Unchanged, ""
			if n > 0 {
				out.State = Published
			}
			return nil
		}
		out.Cut = max(len(fresh)-most, 0)
		err = r.API.CreateReview(ctx, p.Target.Repo, p.Target.Number, p.Target.Head, "sayso: claims that these lines do not bear out.", fresh[:min(len(fresh), most)])
		if err == nil {
			out.State, out.Reason = Published, ""
			return nil
		}
		// Only where it may have arrived all the same, another look and another try.
		if !errors.Is(err, ErrUnavailable) || n == rounds-1 {
			return err
		}
		if err := sleep(ctx, backoff(n)); err != nil {
			return err
		}
	}
	return nil
}

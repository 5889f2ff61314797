package action

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/go-github/v60/github"
)

// CreateComment posts a comment. It is sent once: after an error other than
// ErrForbidden, ErrNotFound or ErrInvalid it may have arrived all the same.
func (c *Client) CreateComment(ctx context.Context, r Repo, number int, body string) (out Comment, err error) {
	err = c.write(ctx, func(ctx context.Context) error {
		made, _, err := c.api.Issues.CreateComment(ctx, r.Owner, r.Name, number, &github.IssueComment{Body: &body})
		if err == nil {
			out = comment(made)
		}
		return err
	})
	return out, c.wrap(ctx, fmt.Sprintf("comment on %s#%d", r, number), err)
}

// UpdateComment replaces the text of a comment. It is sent once: a late repetition
// could put an old text over a newer one.
func (c *Client) UpdateComment(ctx context.Context, r Repo, id int64, body string) (out Comment, err error) {
	err = c.write(ctx, func(ctx context.Context) error {
		made, _, err := c.api.Issues.EditComment(ctx, r.Owner, r.Name, id, &github.IssueComment{Body: &body})
		if err == nil {
			out = comment(made)
		}
		return err
	})
	return out, c.wrap(ctx, fmt.Sprintf("change comment %d of %s", id, r), err)
}

// DeleteComment removes a comment; one that is gone already is removed.
func (c *Client) DeleteComment(ctx context.Context, r Repo, id int64) error {
	err := c.write(ctx, func(ctx context.Context) error {
		_, err := c.api.Issues.DeleteComment(ctx, r.Owner, r.Name, id)
		return err
	})
	if err = c.wrap(ctx, fmt.Sprintf("delete comment %d of %s", id, r), err); errors.Is(err, ErrNotFound) {
		return nil
	}
	return err
}

// React puts a reaction on a comment. The API gives the one that is there already.
func (c *Client) React(ctx context.Context, r Repo, id int64, content string) error {
	err := c.write(ctx, func(ctx context.Context) error {
		_, _, err := c.api.Reactions.CreateIssueCommentReaction(context.WithValue(ctx, repeatable, true), r.Owner, r.Name, id, content)
		return err
	})
	return c.wrap(ctx, fmt.Sprintf("react to comment %d of %s", id, r), err)
}

// CreateCheckRun makes a check run. It is sent once.
func (c *Client) CreateCheckRun(ctx context.Context, r Repo, w CheckRunWrite) (out CheckRun, err error) {
	err = c.write(ctx, func(ctx context.Context) error {
		made, _, err := c.api.Checks.CreateCheckRun(ctx, r.Owner, r.Name, github.CreateCheckRunOptions{
			Name: w.Name, HeadSHA: w.SHA, Status: some(w.Status), Conclusion: some(w.Conclusion),
			ExternalID: some(w.ExternalID), DetailsURL: some(w.DetailsURL), Output: checkOutput(w),
		})
		if err == nil {
			out = checkRun(made)
		}
		return err
	})
	return out, c.wrap(ctx, fmt.Sprintf("create the check run %s of %s@%.10s", w.Name, r, w.SHA), err)
}

// UpdateCheckRun changes a check run and appends its annotations. It is sent once:
// annotations that are sent twice are shown twice.
func (c *Client) UpdateCheckRun(ctx context.Context, r Repo, id int64, w CheckRunWrite) (out CheckRun, err error) {
	err = c.write(ctx, func(ctx context.Context) error {
		made, _, err := c.api.Checks.UpdateCheckRun(ctx, r.Owner, r.Name, id, github.UpdateCheckRunOptions{
			Name: w.Name, Status: some(w.Status), Conclusion: some(w.Conclusion),
			ExternalID: some(w.ExternalID), DetailsURL: some(w.DetailsURL), Output: checkOutput(w),
		})
		if err == nil {
			out = checkRun(made)
		}
		return err
	})
	return out, c.wrap(ctx, fmt.Sprintf("change the check run %s of %s", w.Name, r), err)
}

// CountAnnotations is how many annotations a check run has.
func (c *Client) CountAnnotations(ctx context.Context, r Repo, id int64) (int, error) {
	run, _, err := c.api.Checks.GetCheckRun(context.WithValue(ctx, reserved, true), r.Owner, r.Name, id)
	if err != nil {
		return 0, c.wrap(ctx, fmt.Sprintf("read check run %d of %s", id, r), err)
	}
	return run.GetOutput().GetAnnotationsCount(), nil
}

func checkOutput(w CheckRunWrite) *github.CheckRunOutput {
	if w.Title == "" && w.Summary == "" {
		return nil
	}
	out := &github.CheckRunOutput{Title: &w.Title, Summary: &w.Summary, Text: some(w.Text)}
	for _, a := range w.Annotations {
		out.Annotations = append(out.Annotations, &github.CheckRunAnnotation{
			Path: &a.Path, StartLine: &a.Line, EndLine: &a.Line, AnnotationLevel: &a.Level,
			Title: some(a.Title), Message: &a.Message,
		})
	}
	return out
}

// CreateIssue opens an issue. It is sent once.
func (c *Client) CreateIssue(ctx context.Context, r Repo, title, body string, labels []string) (out Issue, err error) {
	req := &github.IssueRequest{Title: &title, Body: &body}
	if len(labels) > 0 {
		req.Labels = &labels
	}
	err = c.write(ctx, func(ctx context.Context) error {
		made, _, err := c.api.Issues.Create(ctx, r.Owner, r.Name, req)
		if err == nil {
			out = issue(r, made)
		}
		return err
	})
	return out, c.wrap(ctx, "open an issue in "+r.String(), err)
}

// UpdateIssue changes what is not empty.
func (c *Client) UpdateIssue(ctx context.Context, r Repo, number int, title, body, state string) (out Issue, err error) {
	err = c.write(ctx, func(ctx context.Context) error {
		made, _, err := c.api.Issues.Edit(context.WithValue(ctx, repeatable, true), r.Owner, r.Name, number,
			&github.IssueRequest{Title: some(title), Body: some(body), State: some(state)})
		if err == nil {
			out = issue(r, made)
		}
		return err
	})
	return out, c.wrap(ctx, fmt.Sprintf("change issue %s#%d", r, number), err)
}

// CreatePullRequest opens a pull request from a branch of the same repository. The
// API refuses a second one from the same branch: ErrInvalid.
func (c *Client) CreatePullRequest(ctx context.Context, r Repo, title, body, branch, base string) (out PullRequest, err error) {
	err = c.write(ctx, func(ctx context.Context) error {
		made, _, err := c.api.PullRequests.Create(ctx, r.Owner, r.Name, &github.NewPullRequest{Title: &title, Body: &body, Head: &branch, Base: &base})
		if err == nil {
			out = pullRequest(made)
		}
		return err
	})
	err = c.wrap(ctx, fmt.Sprintf("open a pull request from %s in %s", c.clean(branch), r), err)
	if e := (*Error)(nil); errors.As(err, &e) && e.Kind == ErrForbidden {
		e.Way = "let Actions create pull requests in the repository's settings, or use the token of an app"
	}
	return out, err
}

// UpdatePullRequest changes what is not empty.
func (c *Client) UpdatePullRequest(ctx context.Context, r Repo, number int, title, body, state string) (out PullRequest, err error) {
	err = c.write(ctx, func(ctx context.Context) error {
		made, _, err := c.api.PullRequests.Edit(context.WithValue(ctx, repeatable, true), r.Owner, r.Name, number,
			&github.PullRequest{Title: some(title), Body: some(body), State: some(state)})
		if err == nil {
			out = pullRequest(made)
		}
		return err
	})
	return out, c.wrap(ctx, fmt.Sprintf("change pull request %s#%d", r, number), err)
}

// CreateReview posts comments on lines as one review. It is sent once.
func (c *Client) CreateReview(ctx context.Context, r Repo, number int, sha, body string, comments []ReviewComment) error {
	event := "COMMENT"
	req := &github.PullRequestReviewRequest{CommitID: &sha, Body: some(body), Event: &event}
	for _, rc := range comments {
		req.Comments = append(req.Comments, &github.DraftReviewComment{Path: &rc.Path, Line: &rc.Line, Side: some(rc.Side), Body: &rc.Body})
	}
	err := c.write(ctx, func(ctx context.Context) error {
		_, _, err := c.api.PullRequests.CreateReview(ctx, r.Owner, r.Name, number, req)
		return err
	})
	return c.wrap(ctx, fmt.Sprintf("review %s#%d", r, number), err)
}

// some is a field that is sent only where it says something.
func some(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

package action

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/google/go-github/v60/github"
)

// Caps of the API, as its documentation has them.
const (
	maxListedCommits = 250  // of a pull request
	maxListedFiles   = 3000 // of a pull request or a commit
	maxListedRuns    = 1000 // check suites of a commit that are looked at for check runs
)

// emptyBlob is the hash of a file without content.
const emptyBlob = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"

// PullRequest reads a pull request as it is now.
func (c *Client) PullRequest(ctx context.Context, r Repo, number int) (PullRequest, error) {
	p, _, err := c.api.PullRequests.Get(ctx, r.Owner, r.Name, number)
	if err != nil {
		return PullRequest{}, c.wrap(ctx, fmt.Sprintf("read pull request %s#%d", r, number), err)
	}
	return pullRequest(p), nil
}

// PullRequestsOf lists the pull requests that a commit belongs to.
func (c *Client) PullRequestsOf(ctx context.Context, r Repo, sha string) ([]PullRequest, error) {
	list, err := pages(ctx, c, func(ctx context.Context, o github.ListOptions) ([]*github.PullRequest, *github.Response, error) {
		return c.api.PullRequests.ListPullRequestsWithCommit(ctx, r.Owner, r.Name, sha, &o)
	})
	if err != nil {
		return nil, c.wrap(ctx, fmt.Sprintf("list the pull requests of %s@%.10s", r, sha), err)
	}
	return each(list, pullRequest), nil
}

// Settings reads how a repository merges.
func (c *Client) Settings(ctx context.Context, r Repo) (Settings, error) {
	repo, _, err := c.api.Repositories.Get(ctx, r.Owner, r.Name)
	if err != nil {
		return Settings{}, c.wrap(ctx, "read the settings of "+r.String(), err)
	}
	return Settings{
		DefaultBranch: repo.GetDefaultBranch(),
		Private:       repo.GetPrivate(),
		Squash:        repo.AllowSquashMerge == nil || *repo.AllowSquashMerge,
		SquashTitle:   repo.GetSquashMergeCommitTitle(),
		SquashMessage: repo.GetSquashMergeCommitMessage(),
	}, nil
}

// PullRequestCommits lists the commits of a pull request, at most 250.
func (c *Client) PullRequestCommits(ctx context.Context, r Repo, number int) (Listing[Commit], error) {
	list, err := pages(ctx, c, func(ctx context.Context, o github.ListOptions) ([]*github.RepositoryCommit, *github.Response, error) {
		return c.api.PullRequests.ListCommits(ctx, r.Owner, r.Name, number, &o)
	})
	if err != nil {
		return Listing[Commit]{}, c.wrap(ctx, fmt.Sprintf("list the commits of %s#%d", r, number), err)
	}
	return Listing[Commit]{each(list, commit), len(list) >= maxListedCommits}, nil
}

// PullRequestFiles lists the changed files of a pull request, at most 3,000.
func (c *Client) PullRequestFiles(ctx context.Context, r Repo, number int) (Listing[File], error) {
	list, err := pages(ctx, c, func(ctx context.Context, o github.ListOptions) ([]*github.CommitFile, *github.Response, error) {
		return c.api.PullRequests.ListFiles(ctx, r.Owner, r.Name, number, &o)
	})
	if err != nil {
		return Listing[File]{}, c.wrap(ctx, fmt.Sprintf("list the files of %s#%d", r, number), err)
	}
	return Listing[File]{files(list), len(list) >= maxListedFiles}, nil
}

// CommitFiles lists what one commit changed against its first parent, at most
// 3,000 files.
func (c *Client) CommitFiles(ctx context.Context, r Repo, sha string) (Listing[File], error) {
	list, err := pages(ctx, c, func(ctx context.Context, o github.ListOptions) ([]*github.CommitFile, *github.Response, error) {
		commit, resp, err := c.api.Repositories.GetCommit(ctx, r.Owner, r.Name, sha, &o)
		if err != nil {
			return nil, resp, err
		}
		return commit.Files, resp, nil
	})
	if err != nil {
		return Listing[File]{}, c.wrap(ctx, fmt.Sprintf("read commit %s@%.10s", r, sha), err)
	}
	return Listing[File]{files(list), len(list) >= maxListedFiles}, nil
}

// Compare asks how two commits stand to each other.
func (c *Client) Compare(ctx context.Context, r Repo, base, head string) (Comparison, error) {
	// One commit a page: only the head of the answer is wanted.
	cmp, _, err := c.api.Repositories.CompareCommits(ctx, r.Owner, r.Name, base, head, &github.ListOptions{PerPage: 1, Page: 1})
	if err != nil {
		return Comparison{}, c.wrap(ctx, fmt.Sprintf("compare %.10s with %.10s in %s", base, head, r), err)
	}
	return Comparison{
		MergeBase: cmp.GetMergeBaseCommit().GetSHA(),
		Status:    cmp.GetStatus(), AheadBy: cmp.GetAheadBy(), BehindBy: cmp.GetBehindBy(),
	}, nil
}

// Content reads one file at a revision.
func (c *Client) Content(ctx context.Context, r Repo, path, revision string) ([]byte, error) {
	op := fmt.Sprintf("read %s of %s at %.40s", c.clean(path), r, revision)
	if slices.Contains(strings.Split(path, "/"), "..") {
		return nil, &Error{Op: op, Kind: ErrNotFound, Message: "the path leaves the repository"}
	}
	file, _, _, err := c.api.Repositories.GetContents(ctx, r.Owner, r.Name, path, &github.RepositoryContentGetOptions{Ref: revision})
	if err != nil {
		return nil, c.wrap(ctx, op, err)
	}
	if file == nil || file.GetType() != "file" {
		return nil, &Error{Op: op, Kind: ErrNotFound, Message: "it is no file"}
	}
	if file.GetEncoding() == "none" {
		// Over a megabyte: the blob is asked for by its hash.
		body, _, err := c.api.Git.GetBlobRaw(ctx, r.Owner, r.Name, file.GetSHA())
		return body, c.wrap(ctx, op, err)
	}
	body, err := file.GetContent()
	if err != nil {
		return nil, c.wrap(ctx, op, err)
	}
	return []byte(body), nil
}

// Tree lists the paths of all files at a revision.
func (c *Client) Tree(ctx context.Context, r Repo, revision string) (Listing[string], error) {
	tree, _, err := c.api.Git.GetTree(ctx, r.Owner, r.Name, revision, true)
	if err != nil {
		return Listing[string]{}, c.wrap(ctx, fmt.Sprintf("list the files of %s at %.40s", r, revision), err)
	}
	var paths []string
	for _, e := range tree.Entries {
		if e.GetType() == "blob" {
			paths = append(paths, e.GetPath())
		}
	}
	return Listing[string]{paths, tree.GetTruncated()}, nil
}

// CheckRuns lists the newest check run of each name and app at a commit.
func (c *Client) CheckRuns(ctx context.Context, r Repo, sha string) (Listing[CheckRun], error) {
	ctx = context.WithValue(ctx, reserved, true)
	list, err := pages(ctx, c, func(ctx context.Context, o github.ListOptions) ([]*github.CheckRun, *github.Response, error) {
		found, resp, err := c.api.Checks.ListCheckRunsForRef(ctx, r.Owner, r.Name, sha, &github.ListCheckRunsOptions{ListOptions: o})
		if err != nil {
			return nil, resp, err
		}
		return found.CheckRuns, resp, nil
	})
	if err != nil {
		return Listing[CheckRun]{}, c.wrap(ctx, fmt.Sprintf("list the check runs of %s@%.10s", r, sha), err)
	}
	return Listing[CheckRun]{each(list, checkRun), len(list) >= maxListedRuns}, nil
}

// Statuses lists the newest status of each context at a commit.
func (c *Client) Statuses(ctx context.Context, r Repo, sha string) (Listing[Status], error) {
	list, err := pages(ctx, c, func(ctx context.Context, o github.ListOptions) ([]*github.RepoStatus, *github.Response, error) {
		found, resp, err := c.api.Repositories.GetCombinedStatus(ctx, r.Owner, r.Name, sha, &o)
		if err != nil {
			return nil, resp, err
		}
		return found.Statuses, resp, nil
	})
	if err != nil {
		return Listing[Status]{}, c.wrap(ctx, fmt.Sprintf("list the statuses of %s@%.10s", r, sha), err)
	}
	return Listing[Status]{Items: each(list, func(s *github.RepoStatus) Status {
		return Status{s.GetContext(), s.GetState(), s.GetTargetURL()}
	})}, nil
}

// Issue reads an issue or a pull request. One that was moved is followed to where
// it is now.
func (c *Client) Issue(ctx context.Context, r Repo, number int) (Issue, error) {
	i, _, err := c.api.Issues.Get(ctx, r.Owner, r.Name, number)
	if err != nil {
		return Issue{}, c.wrap(ctx, fmt.Sprintf("read issue %s#%d", r, number), err)
	}
	return issue(r, i), nil
}

// PermissionOf asks what an account may do. An account that is no collaborator has
// the permission that everybody has.
func (c *Client) PermissionOf(ctx context.Context, r Repo, login string) (Permission, error) {
	op := fmt.Sprintf("ask what %s may do in %s", c.clean(login), r)
	if !repoWord(strings.TrimSuffix(login, "[bot]")) {
		return PermissionNone, &Error{Op: op, Kind: ErrNotFound, Message: "no account has such a name"}
	}
	level, _, err := c.api.Repositories.GetPermissionLevel(ctx, r.Owner, r.Name, login)
	if err != nil {
		err = c.wrap(ctx, op, err)
		if errors.Is(err, ErrNotFound) {
			return PermissionNone, nil
		}
		return PermissionNone, err
	}
	switch p := Permission(level.GetPermission()); p {
	case PermissionAdmin, PermissionWrite, PermissionRead:
		return p, nil
	}
	return PermissionNone, nil
}

// ListComments lists the conversation of an issue or a pull request, oldest first.
func (c *Client) ListComments(ctx context.Context, r Repo, number int) ([]Comment, error) {
	ctx = context.WithValue(ctx, reserved, true)
	list, err := pages(ctx, c, func(ctx context.Context, o github.ListOptions) ([]*github.IssueComment, *github.Response, error) {
		return c.api.Issues.ListComments(ctx, r.Owner, r.Name, number, &github.IssueListCommentsOptions{ListOptions: o})
	})
	if err != nil {
		return nil, c.wrap(ctx, fmt.Sprintf("list the comments of %s#%d", r, number), err)
	}
	return each(list, comment), nil
}

// ListReviewComments lists the comments on lines of a pull request.
func (c *Client) ListReviewComments(ctx context.Context, r Repo, number int) ([]ReviewComment, error) {
	ctx = context.WithValue(ctx, reserved, true)
	list, err := pages(ctx, c, func(ctx context.Context, o github.ListOptions) ([]*github.PullRequestComment, *github.Response, error) {
		return c.api.PullRequests.ListComments(ctx, r.Owner, r.Name, number, &github.PullRequestListCommentsOptions{ListOptions: o})
	})
	if err != nil {
		return nil, c.wrap(ctx, fmt.Sprintf("list the review comments of %s#%d", r, number), err)
	}
	return each(list, func(p *github.PullRequestComment) ReviewComment {
		return ReviewComment{ID: p.GetID(), Author: account(p.User), Path: p.GetPath(), Line: p.GetLine(), Side: p.GetSide(), Body: p.GetBody()}
	}), nil
}

// ListIssues lists issues, without pull requests.
func (c *Client) ListIssues(ctx context.Context, r Repo, state, label string) ([]Issue, error) {
	var labels []string
	if label != "" {
		labels = []string{label}
	}
	list, err := pages(ctx, c, func(ctx context.Context, o github.ListOptions) ([]*github.Issue, *github.Response, error) {
		return c.api.Issues.ListByRepo(ctx, r.Owner, r.Name, &github.IssueListByRepoOptions{State: state, Labels: labels, ListOptions: o})
	})
	if err != nil {
		return nil, c.wrap(ctx, "list the issues of "+r.String(), err)
	}
	list = slices.DeleteFunc(list, (*github.Issue).IsPullRequest)
	return each(list, func(i *github.Issue) Issue { return issue(r, i) }), nil
}

// PullRequestsFrom lists the open pull requests of a branch of the same repository.
func (c *Client) PullRequestsFrom(ctx context.Context, r Repo, branch string) ([]PullRequest, error) {
	list, err := pages(ctx, c, func(ctx context.Context, o github.ListOptions) ([]*github.PullRequest, *github.Response, error) {
		return c.api.PullRequests.List(ctx, r.Owner, r.Name, &github.PullRequestListOptions{State: "open", Head: r.Owner + ":" + branch, ListOptions: o})
	})
	if err != nil {
		return nil, c.wrap(ctx, fmt.Sprintf("list the pull requests of branch %s in %s", c.clean(branch), r), err)
	}
	return each(list, pullRequest), nil
}

// What the library's values are in the words of this package. Every getter of the
// library is safe on nil: a field that the API left out is the zero value.

func each[A, B any](list []A, f func(A) B) []B {
	out := make([]B, len(list))
	for i, a := range list {
		out[i] = f(a)
	}
	return out
}

func account(u *github.User) Account {
	return Account{ID: u.GetID(), Login: u.GetLogin(), Bot: u.GetType() == "Bot"}
}

func repoOf(r *github.Repository) Repo {
	return Repo{r.GetOwner().GetLogin(), r.GetName()}
}

func pullRequest(p *github.PullRequest) PullRequest {
	out := PullRequest{
		Number: p.GetNumber(), Title: p.GetTitle(), Body: p.GetBody(), State: p.GetState(),
		Draft: p.GetDraft(), Merged: p.GetMerged() || p.MergedAt != nil, MergeCommit: p.GetMergeCommitSHA(), Author: account(p.User),
		Head:    Ref{SHA: p.GetHead().GetSHA(), Name: p.GetHead().GetRef(), Repo: repoOf(p.GetHead().GetRepo())},
		Base:    Ref{SHA: p.GetBase().GetSHA(), Name: p.GetBase().GetRef(), Repo: repoOf(p.GetBase().GetRepo())},
		Commits: p.GetCommits(), ChangedFiles: p.GetChangedFiles(), URL: p.GetHTMLURL(),
	}
	for _, l := range p.Labels {
		out.Labels = append(out.Labels, l.GetName())
	}
	return out
}

func commit(rc *github.RepositoryCommit) Commit {
	out := Commit{SHA: rc.GetSHA(), Message: rc.GetCommit().GetMessage(), Author: account(rc.Author),
		Name: rc.GetCommit().GetAuthor().GetName(), Date: rc.GetCommit().GetAuthor().GetDate().Time}
	for _, p := range rc.Parents {
		out.Parents = append(out.Parents, p.GetSHA())
	}
	return out
}

func checkRun(r *github.CheckRun) CheckRun {
	return CheckRun{ID: r.GetID(), Name: r.GetName(), App: r.GetApp().GetSlug(), Status: r.GetStatus(),
		Conclusion: r.GetConclusion(), ExternalID: r.GetExternalID(), URL: r.GetHTMLURL()}
}

func comment(i *github.IssueComment) Comment {
	return Comment{ID: i.GetID(), Author: account(i.User), Body: i.GetBody(), URL: i.GetHTMLURL(),
		Created: i.GetCreatedAt().Time, Updated: i.GetUpdatedAt().Time}
}

func issue(asked Repo, i *github.Issue) Issue {
	out := Issue{Repo: asked, Number: i.GetNumber(), Title: i.GetTitle(), Body: i.GetBody(), State: i.GetState(),
		PullRequest: i.IsPullRequest(), Author: account(i.User), URL: i.GetHTMLURL()}
	// repository_url ends with the repository that the issue is in now.
	if at := strings.LastIndex(i.GetRepositoryURL(), "/repos/"); at >= 0 {
		if r, err := ParseRepo(i.GetRepositoryURL()[at+len("/repos/"):]); err == nil {
			out.Repo = r
		}
	}
	for _, l := range i.Labels {
		out.Labels = append(out.Labels, l.GetName())
	}
	return out
}

// files are the rows of a list of files, each with whether it says anything. A
// diff that is over GitHub's budget goes on in rows with zero changes and no
// patch, without a word; a binary file looks the same, and so both are taken for
// not read. A renamed file with zero changes is what it says, unless rows before
// it were cut.
func files(list []*github.CommitFile) []File {
	out := make([]File, 0, len(list))
	cut := false
	for _, f := range list {
		row := File{Path: f.GetFilename(), Previous: f.GetPreviousFilename(), Status: f.GetStatus(), SHA: f.GetSHA(),
			Additions: f.GetAdditions(), Deletions: f.GetDeletions(), Patch: f.GetPatch()}
		switch {
		case row.Patch != "":
			row.Truncated = !wholePatch(row)
		case row.Additions+row.Deletions > 0:
			row.Truncated = true
		case row.Status == "renamed", row.Status == "copied", row.Status == "unchanged":
			row.Truncated = cut
		default:
			row.Truncated = row.SHA != emptyBlob
		}
		cut = cut || row.Truncated
		out = append(out, row)
	}
	return out
}

// wholePatch says that a patch has as many lines as its row says: the last ones of
// a long patch are left out without a word.
func wholePatch(f File) bool {
	added, deleted := 0, 0
	for line := range strings.SplitSeq(f.Patch, "\n") {
		switch {
		case strings.HasPrefix(line, "+"):
			added++
		case strings.HasPrefix(line, "-"):
			deleted++
		}
	}
	return added == f.Additions && deleted == f.Deletions
}

package action_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/saysolint/sayso/action"
)

// hub is GitHub in memory, for what Runner decides. That requests and answers are
// those of GitHub is for the server of githubtest.
type hub struct {
	mu       sync.Mutex
	self     action.Account
	prs      map[int]action.PullRequest
	settings action.Settings
	compare  action.Comparison
	files    action.Listing[action.File]
	commits  action.Listing[action.Commit]
	perFile  map[string]action.Listing[action.File]
	content  map[string]string // path@revision
	of       map[string][]int  // commit to pull requests
	runs     []action.CheckRun
	statuses []action.Status
	issues   map[int]action.Issue
	may      map[string]action.Permission
	comments []action.Comment
	reacted  []string
	asked    []string
	fail     map[string]error // by method
}

func (h *hub) ask(method string, args ...any) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.asked = append(h.asked, strings.TrimSpace(method+" "+strings.Trim(fmt.Sprint(args...), "[]")))
	if err := h.fail[method]; err != nil {
		return &action.Error{Op: method, Kind: err}
	}
	return nil
}

func (h *hub) missing(what string) error {
	return &action.Error{Op: what, Kind: action.ErrNotFound, Status: 404}
}

func (h *hub) PullRequest(_ context.Context, _ action.Repo, n int) (action.PullRequest, error) {
	if err := h.ask("PullRequest", n); err != nil {
		return action.PullRequest{}, err
	}
	pr, ok := h.prs[n]
	if !ok {
		return pr, h.missing("pull request")
	}
	return pr, nil
}

func (h *hub) PullRequestsOf(_ context.Context, _ action.Repo, sha string) ([]action.PullRequest, error) {
	var out []action.PullRequest
	for _, n := range h.of[sha] {
		out = append(out, h.prs[n])
	}
	return out, h.ask("PullRequestsOf", sha)
}

func (h *hub) Settings(context.Context, action.Repo) (action.Settings, error) {
	return h.settings, h.ask("Settings")
}

func (h *hub) PullRequestCommits(context.Context, action.Repo, int) (action.Listing[action.Commit], error) {
	return h.commits, h.ask("PullRequestCommits")
}

func (h *hub) PullRequestFiles(context.Context, action.Repo, int) (action.Listing[action.File], error) {
	return h.files, h.ask("PullRequestFiles")
}

func (h *hub) CommitFiles(_ context.Context, _ action.Repo, sha string) (action.Listing[action.File], error) {
	return h.perFile[sha], h.ask("CommitFiles", sha)
}

func (h *hub) Compare(context.Context, action.Repo, string, string) (action.Comparison, error) {
	return h.compare, h.ask("Compare")
}

func (h *hub) Content(_ context.Context, _ action.Repo, path, revision string) ([]byte, error) {
	if err := h.ask("Content", path, revision); err != nil {
		return nil, err
	}
	text, ok := h.content[path+"@"+revision]
	if !ok {
		return nil, h.missing(path)
	}
	return []byte(text), nil
}

func (h *hub) Tree(context.Context, action.Repo, string) (action.Listing[string], error) {
	return action.Listing[string]{}, h.ask("Tree")
}

func (h *hub) CheckRuns(context.Context, action.Repo, string) (action.Listing[action.CheckRun], error) {
	return action.Listing[action.CheckRun]{Items: slices.Clone(h.runs)}, h.ask("CheckRuns")
}

func (h *hub) Statuses(context.Context, action.Repo, string) (action.Listing[action.Status], error) {
	return action.Listing[action.Status]{Items: slices.Clone(h.statuses)}, h.ask("Statuses")
}

func (h *hub) Issue(_ context.Context, r action.Repo, n int) (action.Issue, error) {
	if err := h.ask("Issue", r.String(), n); err != nil {
		return action.Issue{}, err
	}
	i, ok := h.issues[n]
	if !ok {
		return i, h.missing("issue")
	}
	return i, nil
}

func (h *hub) PermissionOf(_ context.Context, _ action.Repo, login string) (action.Permission, error) {
	return h.may[login], h.ask("PermissionOf", login)
}

func (h *hub) Self(context.Context) (action.Account, error) { return h.self, h.ask("Self") }

func (h *hub) ListComments(context.Context, action.Repo, int) ([]action.Comment, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.comments), nil
}

func (h *hub) CreateComment(_ context.Context, _ action.Repo, _ int, body string) (action.Comment, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	c := action.Comment{ID: int64(len(h.comments) + 1), Author: h.self, Body: body}
	h.comments = append(h.comments, c)
	return c, nil
}

func (h *hub) UpdateComment(_ context.Context, _ action.Repo, id int64, body string) (action.Comment, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.comments[id-1].Body = body
	return h.comments[id-1], nil
}

func (h *hub) DeleteComment(context.Context, action.Repo, int64) error { return nil }

func (h *hub) React(_ context.Context, _ action.Repo, comment int64, content string) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.reacted = append(h.reacted, fmt.Sprintf("%d %s", comment, content))
	return nil
}

func (h *hub) ListIssues(_ context.Context, _ action.Repo, state, label string) ([]action.Issue, error) {
	var out []action.Issue
	for _, i := range h.issues {
		if i.State == state && (label == "" || slices.Contains(i.Labels, label)) {
			out = append(out, i)
		}
	}
	return out, h.ask("ListIssues")
}

func (h *hub) CreateIssue(_ context.Context, r action.Repo, title, body string, labels []string) (action.Issue, error) {
	n := 100 + len(h.issues)
	i := action.Issue{Repo: r, Number: n, Title: title, Body: body, State: "open", Author: h.self, Labels: labels}
	if h.issues == nil {
		h.issues = map[int]action.Issue{}
	}
	h.issues[n] = i
	return i, h.ask("CreateIssue")
}

func (h *hub) UpdateIssue(_ context.Context, _ action.Repo, n int, title, body, state string) (action.Issue, error) {
	i := h.issues[n]
	if title != "" {
		i.Title = title
	}
	if body != "" {
		i.Body = body
	}
	if state != "" {
		i.State = state
	}
	h.issues[n] = i
	return i, h.ask("UpdateIssue")
}

func (h *hub) PullRequestsFrom(context.Context, action.Repo, string) ([]action.PullRequest, error) {
	return nil, h.ask("PullRequestsFrom")
}

func (h *hub) CreatePullRequest(context.Context, action.Repo, string, string, string, string) (action.PullRequest, error) {
	return action.PullRequest{}, h.ask("CreatePullRequest")
}

func (h *hub) UpdatePullRequest(context.Context, action.Repo, int, string, string, string) (action.PullRequest, error) {
	return action.PullRequest{}, h.ask("UpdatePullRequest")
}

// count is how often a method was asked.
func (h *hub) count(method string) int {
	n := 0
	for _, a := range h.asked {
		if a == method || strings.HasPrefix(a, method+" ") {
			n++
		}
	}
	return n
}

var _ action.Hub = (*hub)(nil)

// repo is acme/app of the tests.
var repo = action.Repo{Owner: "acme", Name: "app"}

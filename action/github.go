package action

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/saysolint/sayso/report"
)

// Repo names a repository: owner/name.
type Repo struct{ Owner, Name string }

// ParseRepo reads "owner/name", as GITHUB_REPOSITORY has it.
func ParseRepo(s string) (Repo, error) {
	owner, name, ok := strings.Cut(s, "/")
	if !ok || !repoWord(owner) || !repoWord(name) {
		return Repo{}, fmt.Errorf("%.100q is not a repository: owner/name is wanted", s)
	}
	return Repo{owner, name}, nil
}

// repoWord says that a word may stand in the path of an API request as it is.
func repoWord(s string) bool {
	if s == "" || s == "." || s == ".." || len(s) > 100 {
		return false
	}
	for _, c := range []byte(s) {
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_' || c == '.') {
			return false
		}
	}
	return true
}

// String is owner/name.
func (r Repo) String() string { return r.Owner + "/" + r.Name }

// Account is who did something on GitHub.
type Account struct {
	ID    int64
	Login string // an app's ends with "[bot]", which no person's can
	Bot   bool
}

// Ref is one side of a pull request.
type Ref struct {
	SHA  string
	Name string // branch
	Repo Repo   // zero where the fork was deleted
}

// PullRequest is a pull request as it is now, not as an event saw it.
type PullRequest struct {
	Number       int
	Title, Body  string
	State        string // open | closed
	Draft        bool
	Merged       bool
	MergeCommit  string // only meaningful when Merged
	Labels       []string
	Author       Account
	Head, Base   Ref
	Commits      int // as GitHub counts them; lists end at 250
	ChangedFiles int // as GitHub counts them; lists end at 3,000
	URL          string
}

// Fork says that the head lies in another repository than the base, or in none.
func (p PullRequest) Fork() bool { return p.Head.Repo != p.Base.Repo }

// Commit is one commit of a pull request or a comparison.
type Commit struct {
	SHA     string
	Parents []string
	Message string
	Author  Account // zero where the e-mail address belongs to no account
	Name    string  // the author's name as the commit has it
	Date    time.Time
}

// File is one changed file as the REST API gives it.
type File struct {
	Path, Previous       string // Previous: the old name of a renamed file
	Status               string // added, removed, modified, renamed, copied, changed, unchanged
	SHA                  string // of the blob
	Additions, Deletions int
	Patch                string
	Truncated            bool // the row says nothing of the file: past the diff budget, or its patch was left out
}

// Listing is a list that may have ended at a cap of the API.
type Listing[T any] struct {
	Items  []T
	Capped bool // there are more, and the API does not give them
}

// CheckRun is one check run of a commit.
type CheckRun struct {
	ID         int64
	Name       string
	App        string // slug of the app that made it: "github-actions"
	Status     string // queued, in_progress, completed, waiting, requested, pending
	Conclusion string // "" until completed
	ExternalID string
	URL        string
}

// Status is one commit status: the newest of its context.
type Status struct {
	Context string
	State   string // error, failure, pending, success
	URL     string
}

// Issue is an issue or a pull request, as references mean them.
type Issue struct {
	Repo        Repo // where it is now, which differs after a transfer
	Number      int
	Title       string
	Body        string
	State       string // open | closed
	PullRequest bool
	Author      Account
	Labels      []string
	URL         string
}

// Comment is a comment of an issue or a pull request's conversation.
type Comment struct {
	ID      int64
	Author  Account
	Body    string
	URL     string
	Created time.Time
	Updated time.Time
}

// Settings are what of a repository decides which message a merge leaves behind.
// The squash words are GitHub's own: PR_TITLE, COMMIT_OR_PR_TITLE; PR_BODY,
// COMMIT_MESSAGES, BLANK; "" where the token may not see them.
type Settings struct {
	DefaultBranch string
	Private       bool
	Squash        bool // allowed; true where the token may not see it
	SquashTitle   string
	SquashMessage string
}

// Permission is what somebody may do in a repository.
type Permission string

// The permissions, as the API folds the roles: maintain is write, triage is read.
const (
	PermissionAdmin Permission = "admin"
	PermissionWrite Permission = "write"
	PermissionRead  Permission = "read"
	PermissionNone  Permission = "none"
)

// CanWrite says that commands of this person are obeyed.
func (p Permission) CanWrite() bool { return p == PermissionAdmin || p == PermissionWrite }

// Comparison is what the API says of two commits.
type Comparison struct {
	MergeBase string
	Status    string // of head as seen from base: ahead, behind, identical, diverged
	AheadBy   int
	BehindBy  int
}

// The reading side. All are safe for concurrent use. Errors are told apart with
// errors.Is and the kinds below.
type (
	// Reader reads what a pull request says and did.
	Reader interface {
		PullRequest(ctx context.Context, r Repo, number int) (PullRequest, error)
		// PullRequestsOf lists the pull requests that a commit belongs to, its merge commit too.
		PullRequestsOf(ctx context.Context, r Repo, sha string) ([]PullRequest, error)
		Settings(ctx context.Context, r Repo) (Settings, error)
		PullRequestCommits(ctx context.Context, r Repo, number int) (Listing[Commit], error)
		PullRequestFiles(ctx context.Context, r Repo, number int) (Listing[File], error)
		// CommitFiles lists what one commit changed; at most 3,000 files.
		CommitFiles(ctx context.Context, r Repo, sha string) (Listing[File], error)
		Compare(ctx context.Context, r Repo, base, head string) (Comparison, error)
		// Content reads one file at a revision. ErrNotFound where it is none or a folder.
		Content(ctx context.Context, r Repo, path, revision string) ([]byte, error)
		// Tree lists the paths of all files at a revision; Capped for a tree that the API cut.
		Tree(ctx context.Context, r Repo, revision string) (Listing[string], error)
	}

	// Facts reads what only GitHub knows.
	Facts interface {
		CheckRuns(ctx context.Context, r Repo, sha string) (Listing[CheckRun], error)
		Statuses(ctx context.Context, r Repo, sha string) (Listing[Status], error)
		Issue(ctx context.Context, r Repo, number int) (Issue, error)
		PermissionOf(ctx context.Context, r Repo, login string) (Permission, error)
	}
)

// The writing side. Writes of one client happen one after the other.
type (
	// Comments reads and writes the conversation of a pull request or an issue.
	Comments interface {
		// Self is the account that the token writes as.
		Self(ctx context.Context) (Account, error)
		PullRequest(ctx context.Context, r Repo, number int) (PullRequest, error)
		Compare(ctx context.Context, r Repo, base, head string) (Comparison, error)
		ListComments(ctx context.Context, r Repo, number int) ([]Comment, error)
		CreateComment(ctx context.Context, r Repo, number int, body string) (Comment, error)
		UpdateComment(ctx context.Context, r Repo, id int64, body string) (Comment, error)
		DeleteComment(ctx context.Context, r Repo, id int64) error
		// React puts a reaction on a comment: +1, -1, eyes, confused, rocket, ... Doing it twice is doing it once.
		React(ctx context.Context, r Repo, comment int64, content string) error
	}

	// Checks writes check runs.
	Checks interface {
		CheckRuns(ctx context.Context, r Repo, sha string) (Listing[CheckRun], error)
		CreateCheckRun(ctx context.Context, r Repo, c CheckRunWrite) (CheckRun, error)
		UpdateCheckRun(ctx context.Context, r Repo, id int64, c CheckRunWrite) (CheckRun, error)
		// CountAnnotations is how many annotations a check run has.
		CountAnnotations(ctx context.Context, r Repo, id int64) (int, error)
	}

	// Issues keeps one issue or pull request up to date: for the sweep and for learnings.
	Issues interface {
		Self(ctx context.Context) (Account, error)
		// ListIssues lists issues (no pull requests) with a state (open, closed, all) and a label ("": any).
		ListIssues(ctx context.Context, r Repo, state, label string) ([]Issue, error)
		CreateIssue(ctx context.Context, r Repo, title, body string, labels []string) (Issue, error)
		// UpdateIssue changes what is not empty.
		UpdateIssue(ctx context.Context, r Repo, number int, title, body, state string) (Issue, error)
		// PullRequestsFrom lists the open pull requests of a branch of the same repository.
		PullRequestsFrom(ctx context.Context, r Repo, branch string) ([]PullRequest, error)
		CreatePullRequest(ctx context.Context, r Repo, title, body, branch, base string) (PullRequest, error)
		UpdatePullRequest(ctx context.Context, r Repo, number int, title, body, state string) (PullRequest, error)
	}

	// Reviews comments on lines of a pull request.
	Reviews interface {
		Self(ctx context.Context) (Account, error)
		ListReviewComments(ctx context.Context, r Repo, number int) ([]ReviewComment, error)
		// CreateReview posts all comments as one review without a verdict.
		CreateReview(ctx context.Context, r Repo, number int, sha, body string, comments []ReviewComment) error
	}
)

// CheckRunWrite is what is written of a check run. Zero fields are left as they are.
type CheckRunWrite struct {
	Name, SHA   string
	Status      string // in_progress, completed
	Conclusion  string // success, failure, neutral, action_required, skipped
	ExternalID  string
	DetailsURL  string
	Title       string
	Summary     string // Markdown, at most 65,535 characters
	Text        string // likewise
	Annotations []Annotation
}

// Annotation is one message at a line. A write appends at most 50.
type Annotation struct {
	Path    string // relative, as in the tree
	Line    int    // from 1
	Level   string // failure, warning, notice
	Title   string
	Message string
}

// ReviewComment is a comment on one line of a pull request.
type ReviewComment struct {
	ID     int64
	Author Account
	Path   string
	Line   int
	Side   string // RIGHT or LEFT
	Body   string
}

// Kinds of errors of the API. Every error of a Client is one of them, wrapped with
// what was asked for and the way out, or the context's.
var (
	ErrForbidden   = errors.New("not permitted")               // 401 and 403: the token may not
	ErrNotFound    = errors.New("not found")                   // 404 and 410, which also stand for "may not see"
	ErrLimited     = errors.New("rate limit")                  // 403 and 429 that say so, when waiting would take too long
	ErrBudget      = errors.New("request budget used up")      // this run has made as many requests as it may
	ErrUnavailable = errors.New("GitHub could not be reached") // 5xx, network faults, timeouts: after all retries
	ErrInvalid     = errors.New("refused as invalid")          // 400, 409, 422: too long, not there, not mergeable
)

// Error is an answer of the API that was not the one wanted.
type Error struct {
	Op      string // what was asked for: "list comments of acme/app#7"
	Kind    error  // one of the kinds above
	Status  int    // 0 where no answer came
	Message string // GitHub's own, cut, one line, without secrets
	Way     string // the way out, "" where there is none to tell
}

// Error is one line without the token and without the address asked.
func (e *Error) Error() string {
	s := e.Op + ": " + e.Kind.Error()
	if e.Status != 0 {
		s += fmt.Sprintf(" (HTTP %d)", e.Status)
	}
	if e.Message != "" {
		s += ": " + e.Message
	}
	if e.Way != "" {
		s += ": " + e.Way
	}
	return s
}

// Unwrap is the kind.
func (e *Error) Unwrap() error { return e.Kind }

// Target is what a publication is about.
type Target struct {
	Repo    Repo
	Number  int    // pull request; 0 where there is none
	Head    string // the commit that was judged, whole hash; never the merge commit of the event
	Base    string // what it was held against, whole hash
	Run     int64  // GITHUB_RUN_ID, 0 outside of Actions: of two runs the larger is the later
	Attempt int    // GITHUB_RUN_ATTEMPT
	RunURL  string // page of the run, "" outside of Actions
	Server  string // GITHUB_SERVER_URL, for links; "" is https://github.com
}

// Publication is what is to be shown. All text in it is raw: publishers escape.
type Publication struct {
	Target   Target
	Report   report.Report
	Memory   string // revision of the memory that was used, "" where there is none
	FullAt   string // where the whole report is: an address, "" where it is nowhere
	Sections []Section
	Learned  []Proposal
	Lifted   []Dismissal // in addition to those that the comment has kept
	Rules    []report.Rule
}

// Section is a titled list beside the report: changed configuration, facts that
// could not be fetched, the predicted squash message.
type Section struct {
	Title    string
	Lines    []string
	Pressing bool // needs attention by itself: keeps the comment from collapsing, and is not folded
}

// Proposal is a learning that this change suggests.
type Proposal struct {
	ID    string // what commands name
	Kind  string
	Title string
	Body  string
	State string // proposed, accepted, rejected
	By    string // login of who decided
}

// Dismissal lifts one contradiction: it is still shown, folded, with who lifted it.
type Dismissal struct {
	Claim  string `json:"claim"` // fingerprint
	By     string `json:"by"`    // login
	Reason string `json:"reason"`
	At     string `json:"at,omitempty"` // head at the time
}

// Publisher shows a publication in one place. Each works without the others, and
// publishing the same twice is publishing it once.
type Publisher interface {
	// Name is stable and short: comment, check-run, annotations, summary, sarif, json, review.
	Name() string
	// Publish returns an error only where the outcome's state is Failed.
	Publish(ctx context.Context, p Publication) (Outcome, error)
}

// State is how a publication ended.
type State string

// The states.
const (
	Published State = "published" // written
	Unchanged State = "unchanged" // it was there already
	Silent    State = "silent"    // there was nothing to say
	Stale     State = "stale"     // a later run has said something: left alone
	Refused   State = "refused"   // the token may not, or the place does not exist: said elsewhere
	Failed    State = "failed"    // it should have worked
)

// Outcome is how one publisher fared.
type Outcome struct {
	Publisher string `json:"publisher"`
	State     State  `json:"state"`
	URL       string `json:"url,omitempty"`    // where it is to be seen
	Reason    string `json:"reason,omitempty"` // one plain sentence, except where published
	Cut       int    `json:"cut,omitempty"`    // findings and notes left out for want of room
}

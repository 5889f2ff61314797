package action

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Mode is what a run does.
type Mode string

// The modes. Without one chosen, the event decides.
const (
	ModeAuto        Mode = "auto"
	ModePullRequest Mode = "pull-request" // judge a pull request and say it there
	ModeQueue       Mode = "queue"        // judge the commits that a merge queue is about to land
	ModePush        Mode = "push"         // judge what was pushed, and bring accepted learnings home
	ModeCommand     Mode = "command"      // obey a command in a comment
	ModePublish     Mode = "publish"      // say what an earlier run with fewer rights has found
	ModeSweep       Mode = "sweep"        // look through the memory
	ModeNone        Mode = "none"         // the event asks for nothing
)

// Modes are the words that the input `mode` takes.
var Modes = []Mode{ModeAuto, ModePullRequest, ModeQueue, ModePush, ModeCommand, ModePublish, ModeSweep}

// Event is what a workflow was started by. Everything in it is a hint: it was
// frozen when the event happened and is replayed when a job is run again. Title,
// body and labels are therefore not in it.
type Event struct {
	Name   string // GITHUB_EVENT_NAME
	Action string // opened, edited, created, completed ...
	Repo   Repo   // the repository that the workflow runs in

	Number        int    // pull request or issue; 0 where the event is about neither
	OnPullRequest bool   // Number is a pull request
	Head, Base    string // hashes as the event has them
	HeadRef       string // branch of a pull request, reference of a queue

	Before, After string // of a push
	Ref           string // of a push: refs/heads/main
	Deleted       bool   // the push deleted the branch
	DefaultBranch string

	Comment   int64 // id of the comment
	Body      string
	Commenter Account

	Run           int64  // id of the workflow run that completed
	RunEvent      string // and the event that had started it
	RunConclusion string
	RunHeadRepo   string // owner/name
}

// MaxPayload is the largest event payload that is read.
const MaxPayload = 32 << 20

// payload is what of the payloads is used. All of them in one: no two events
// mean different things by one field.
type payload struct {
	Action string `json:"action"`
	Number int    `json:"number"`

	Repository struct {
		FullName      string `json:"full_name"`
		DefaultBranch string `json:"default_branch"`
	} `json:"repository"`

	PullRequest *struct {
		Number int `json:"number"`
		Head   struct {
			SHA string `json:"sha"`
			Ref string `json:"ref"`
		} `json:"head"`
		Base struct {
			SHA string `json:"sha"`
		} `json:"base"`
	} `json:"pull_request"`

	Issue *struct {
		Number      int             `json:"number"`
		PullRequest json.RawMessage `json:"pull_request"`
	} `json:"issue"`
	Comment *struct {
		ID   int64  `json:"id"`
		Body string `json:"body"`
		User struct {
			ID    int64  `json:"id"`
			Login string `json:"login"`
			Type  string `json:"type"`
		} `json:"user"`
	} `json:"comment"`

	MergeGroup *struct {
		HeadSHA string `json:"head_sha"`
		HeadRef string `json:"head_ref"`
		BaseSHA string `json:"base_sha"`
	} `json:"merge_group"`

	Before  string `json:"before"`
	After   string `json:"after"`
	Ref     string `json:"ref"`
	Deleted bool   `json:"deleted"`

	WorkflowRun *struct {
		ID             int64  `json:"id"`
		Event          string `json:"event"`
		Conclusion     string `json:"conclusion"`
		HeadSHA        string `json:"head_sha"`
		HeadRepository struct {
			FullName string `json:"full_name"`
		} `json:"head_repository"`
	} `json:"workflow_run"`
}

// ParseEvent reads an event: its name, the repository as GITHUB_REPOSITORY names
// it ("" takes the payload's) and the payload, which may be empty.
func ParseEvent(name, repository string, data []byte) (Event, error) {
	e := Event{Name: name}
	var p payload
	if len(data) > MaxPayload {
		return e, fmt.Errorf("the payload of event %.60q has %d bytes, at most %d are read", name, len(data), MaxPayload)
	}
	if len(data) > 0 {
		if err := json.Unmarshal(data, &p); err != nil {
			return e, fmt.Errorf("the payload of event %.60q: %w", name, err)
		}
	}
	if repository == "" {
		repository = p.Repository.FullName
	}
	var err error
	if e.Repo, err = ParseRepo(repository); err != nil {
		return e, fmt.Errorf("GITHUB_REPOSITORY: %w", err)
	}
	e.Action, e.Number, e.DefaultBranch = p.Action, p.Number, p.Repository.DefaultBranch
	e.Before, e.After, e.Ref, e.Deleted = p.Before, p.After, p.Ref, p.Deleted
	if p.PullRequest != nil {
		e.OnPullRequest = true
		e.Number = p.PullRequest.Number
		e.Head, e.HeadRef, e.Base = p.PullRequest.Head.SHA, p.PullRequest.Head.Ref, p.PullRequest.Base.SHA
	}
	if p.Issue != nil {
		e.Number = p.Issue.Number
		e.OnPullRequest = len(p.Issue.PullRequest) > 0 && string(p.Issue.PullRequest) != "null"
	}
	if p.Comment != nil {
		u := p.Comment.User
		e.Comment, e.Body = p.Comment.ID, p.Comment.Body
		e.Commenter = Account{ID: u.ID, Login: u.Login, Bot: u.Type == "Bot"}
	}
	if g := p.MergeGroup; g != nil {
		e.Head, e.HeadRef, e.Base = g.HeadSHA, g.HeadRef, g.BaseSHA
	}
	if r := p.WorkflowRun; r != nil {
		e.Run, e.RunEvent, e.RunConclusion = r.ID, r.Event, r.Conclusion
		e.Head, e.RunHeadRepo = r.HeadSHA, r.HeadRepository.FullName
	}
	for what, sha := range map[string]string{"head": e.Head, "base": e.Base, "before": e.Before, "after": e.After} {
		if sha != "" && !isHash(sha) {
			return e, fmt.Errorf("the payload of event %.60q: the %s is no commit hash", name, what)
		}
	}
	return e, nil
}

// judged are the activities of a pull request that change what is to be judged.
var judged = []string{"opened", "edited", "synchronize", "reopened", "ready_for_review"}

// Decide says what a run does: what was chosen, else what the event asks for. why
// is a plain sentence where that is nothing.
func (e Event) Decide(chosen Mode) (mode Mode, why string) {
	switch chosen {
	case "", ModeAuto:
		return e.mode()
	case ModePullRequest, ModeCommand:
		if e.Number == 0 {
			return ModeNone, fmt.Sprintf("mode %s needs a pull request, and the event %.60q is about none", chosen, e.Name)
		}
	}
	return chosen, ""
}

func (e Event) mode() (Mode, string) {
	switch e.Name {
	case "pull_request", "pull_request_target":
		switch {
		case slices.Contains(judged, e.Action):
			return ModePullRequest, ""
		case e.Action == "closed":
			return ModeNone, "the pull request is closed: what was accepted comes home with the push to the default branch"
		}
		return ModeNone, fmt.Sprintf("a pull request that was %.40q says nothing new", e.Action)
	case "merge_group":
		if e.Action == "destroyed" {
			return ModeNone, "the merge group is gone"
		}
		return ModeQueue, ""
	case "push":
		switch {
		case e.Deleted:
			return ModeNone, "the push deletes a branch"
		case strings.HasPrefix(e.Ref, "refs/tags/"):
			return ModeNone, "a tag was pushed"
		}
		return ModePush, ""
	case "issue_comment":
		switch {
		case !e.OnPullRequest:
			return ModeNone, "the comment is not on a pull request"
		case e.Action != "created":
			return ModeNone, "commands are read once, when a comment is written"
		case e.Commenter.Bot:
			return ModeNone, "the comment was written by a program"
		case len(ParseCommands(e.Body)) == 0:
			return ModeNone, "the comment has no command"
		}
		return ModeCommand, ""
	case "workflow_run":
		return ModePublish, ""
	case "schedule", "workflow_dispatch":
		return ModeSweep, ""
	}
	return ModeNone, fmt.Sprintf("the event %.60q asks for nothing", e.Name)
}

// isHash says whether s is a whole object name.
func isHash(s string) bool {
	return (len(s) == 40 || len(s) == 64) && strings.Trim(s, "0123456789abcdef") == ""
}

// isZero says whether a hash stands for no commit: the begin of a new branch.
func isZero(s string) bool { return s == "" || strings.Trim(s, "0") == "" }

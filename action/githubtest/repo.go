package githubtest

import (
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"strings"
	"time"
)

// Repo is one repository. Fill it before the first request, or between requests
// with Server.Change.
type Repo struct {
	Owner, Name   string
	Private       bool
	DefaultBranch string
	NoSquash      bool
	SquashTitle   string // "" is COMMIT_OR_PR_TITLE
	SquashMessage string // "" is COMMIT_MESSAGES
	HideSettings  bool   // what a token without push rights sees
	Installation  int64  // of an app, 0 for none

	Collaborators map[string]string // login → role: admin, maintain, write, triage, read
	Pulls         map[int]*Pull
	Issues        map[int]*Issue
	Commits       map[string]*Commit
	Trees         map[string]map[string]string // revision (branch or hash) → path → content
	CheckRuns     []*CheckRun
	Statuses      map[string][]*Status // by hash
	Comments      []*Comment           // of issues and pull requests
	Reactions     []Reaction
	ReviewNotes   []*ReviewNote
	Moved         *Repo // asked for, it redirects there

	s  *Server
	id int64
}

// Pull is a pull request; its title, body, state and labels are those of an issue.
type Pull struct {
	Issue
	Draft        bool
	Merged       bool
	MergeCommit  string
	Head, Base   string // hashes
	HeadRef      string
	BaseRef      string
	HeadRepo     string // owner/name; "" the same repository; "-" deleted
	CommitList   []string
	Files        []File
	CommitsCount int // 0: as many as CommitList
	FilesCount   int // 0: as many as Files
	Maintainable bool
}

// Issue is an issue.
type Issue struct {
	Number      int
	Title, Body string
	NoBody      bool // the body is null
	State       string
	Labels      []string
	Author      string
	Transferred string // owner/name that it was moved to
	id          int64
	made        time.Time
}

// Commit is a commit.
type Commit struct {
	Parents []string
	Message string
	Author  string // login; "" for one that belongs to no account
	Files   []File
}

// File is a row of a list of files.
type File struct {
	Path, Previous, Status string
	Patch                  string // with @@ lines
	Binary                 bool
	Additions, Deletions   int // counted from Patch where both are 0
	SHA                    string
}

// Comment is a comment of a conversation.
type Comment struct {
	ID       int64
	Issue    int
	Author   string
	Bot      bool
	Body     string
	Made     time.Time
	Edited   time.Time
	Versions []string // all bodies that it had, oldest first
}

// Reaction is somebody's reaction to a comment.
type Reaction struct {
	Comment        int64
	Login, Content string
	id             int64
}

// CheckRun is a check run.
type CheckRun struct {
	ID                     int64
	Name, SHA              string
	App                    string // slug
	Status, Conclusion     string
	ExternalID, DetailsURL string
	Title, Summary, Text   string
	Annotations            []Annotation
	made                   time.Time
}

// Annotation is one of a check run.
type Annotation struct {
	Path      string `json:"path"`
	StartLine int    `json:"start_line"`
	EndLine   int    `json:"end_line"`
	Level     string `json:"annotation_level"`
	Message   string `json:"message"`
	Title     string `json:"title"`
}

// Status is a commit status.
type Status struct{ Context, State, URL string }

// ReviewNote is a comment on a line.
type ReviewNote struct {
	ID     int64
	Pull   int
	Author string
	Bot    bool
	Path   string
	Line   int
	Side   string
	Body   string
	SHA    string
}

// App is a GitHub App; Key is its public key, in PEM.
type App struct {
	ID   int64
	Slug string
	Key  []byte
}

// AddApp makes an app known.
func (s *Server) AddApp(a App) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.apps[a.ID] = &a
}

// AddRepo makes an empty repository.
func (s *Server) AddRepo(owner, name string) *Repo {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := &Repo{
		Owner: owner, Name: name, DefaultBranch: "main",
		Collaborators: map[string]string{owner: "admin"},
		Pulls:         map[int]*Pull{}, Issues: map[int]*Issue{}, Commits: map[string]*Commit{},
		Trees: map[string]map[string]string{}, Statuses: map[string][]*Status{},
		s: s, id: s.next(),
	}
	s.repos[strings.ToLower(owner+"/"+name)] = r
	return r
}

// Change runs f while no request is under way.
func (s *Server) Change(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f()
}

// AddPull adds an open pull request with what is not set made up: hashes, one
// commit, the author.
func (r *Repo) AddPull(p Pull) *Pull {
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	if p.Number == 0 {
		p.Number = len(r.Pulls) + len(r.Issues) + 1
	}
	p.fill(r)
	set := func(s *string, to string) {
		if *s == "" {
			*s = to
		}
	}
	set(&p.Base, Hash(fmt.Sprint(r.Name, p.Number, "base")))
	set(&p.Head, Hash(fmt.Sprint(r.Name, p.Number, "head")))
	set(&p.BaseRef, r.DefaultBranch)
	set(&p.HeadRef, fmt.Sprintf("topic-%d", p.Number))
	if p.CommitList == nil {
		p.CommitList = []string{p.Head}
	}
	parent := p.Base
	for _, sha := range p.CommitList {
		if r.Commits[sha] == nil {
			r.Commits[sha] = &Commit{Parents: []string{parent}, Message: p.Title, Author: p.Author}
		}
		parent = sha
	}
	if r.Commits[p.Base] == nil {
		r.Commits[p.Base] = &Commit{Message: "base"}
	}
	r.Pulls[p.Number] = &p
	return &p
}

// AddIssue adds an issue.
func (r *Repo) AddIssue(i Issue) *Issue {
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	if i.Number == 0 {
		i.Number = len(r.Pulls) + len(r.Issues) + 1
	}
	i.fill(r)
	r.Issues[i.Number] = &i
	return &i
}

// AddComment adds a comment by somebody.
func (r *Repo) AddComment(issue int, author, body string) *Comment {
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	return r.addComment(issue, author, strings.HasSuffix(author, "[bot]"), body)
}

func (r *Repo) addComment(issue int, author string, bot bool, body string) *Comment {
	now := time.Now().UTC()
	c := &Comment{ID: r.s.next(), Issue: issue, Author: author, Bot: bot, Body: body, Made: now, Edited: now, Versions: []string{body}}
	r.Comments = append(r.Comments, c)
	return c
}

// Conversation are the comments of an issue or pull request, oldest first.
func (r *Repo) Conversation(number int) []Comment {
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	var out []Comment
	for _, c := range r.Comments {
		if c.Issue == number {
			out = append(out, *c)
		}
	}
	return out
}

// Runs are the check runs so far.
func (r *Repo) Runs() []CheckRun {
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	var out []CheckRun
	for _, c := range r.CheckRuns {
		out = append(out, *c)
	}
	return out
}

// Push moves a pull request to a new head, a child of the one before.
func (r *Repo) Push(number int, sha string) {
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	p := r.Pulls[number]
	r.Commits[sha] = &Commit{Parents: []string{p.Head}, Message: "more", Author: p.Author}
	p.CommitList = append(p.CommitList, sha)
	p.Head = sha
}

func (i *Issue) fill(r *Repo) {
	i.id, i.made = r.s.next(), time.Now().UTC()
	if i.State == "" {
		i.State = "open"
	}
	if i.Author == "" {
		i.Author = r.Owner
	}
	if i.Title == "" {
		i.Title = fmt.Sprintf("Number %d", i.Number)
	}
}

// find looks for an issue or a pull request as an issue.
func (r *Repo) find(number int) (*Issue, *Pull) {
	if p := r.Pulls[number]; p != nil {
		return &p.Issue, p
	}
	return r.Issues[number], nil
}

// ancestors are a commit and all before it, with their distance.
func (r *Repo) ancestors(sha string) map[string]int {
	seen := map[string]int{sha: 0}
	for queue := []string{sha}; len(queue) > 0; queue = queue[1:] {
		if c := r.Commits[queue[0]]; c != nil {
			for _, p := range c.Parents {
				if _, ok := seen[p]; !ok {
					seen[p] = seen[queue[0]] + 1
					queue = append(queue, p)
				}
			}
		}
	}
	return seen
}

// resolve is the commit that a branch or a hash names, "" for none.
func (r *Repo) resolve(revision string) string {
	if r.Commits[revision] != nil {
		return revision
	}
	for _, p := range r.Pulls {
		if p.HeadRef == revision {
			return p.Head
		}
		if p.BaseRef == revision {
			return p.Base
		}
	}
	return ""
}

// Hash is a commit hash made of a word.
func Hash(word string) string {
	sum := sha1.Sum([]byte(word))
	return hex.EncodeToString(sum[:])
}

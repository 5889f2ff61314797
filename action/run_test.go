package action_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/saysolint/sayso/action"
	"github.com/saysolint/sayso/checks"
	"github.com/saysolint/sayso/internal/config"
	"github.com/saysolint/sayso/internal/engine"
	"github.com/saysolint/sayso/internal/git"
	"github.com/saysolint/sayso/internal/git/gittest"
	"github.com/saysolint/sayso/report"
)

// shown keeps what was published.
type shown struct {
	all []action.Publication
	err error
}

func (s *shown) Name() string { return "test" }

func (s *shown) Publish(_ context.Context, p action.Publication) (action.Outcome, error) {
	s.all = append(s.all, p)
	if s.err != nil {
		return action.Outcome{Publisher: "test", State: action.Failed}, s.err
	}
	return action.Outcome{Publisher: "test", State: action.Published}, nil
}

// ledger remembers in memory.
type ledger struct {
	kept action.Kept
	err  error
}

func (l *ledger) Kept(context.Context, action.Target) (action.Kept, error) { return l.kept, l.err }

// scene is a repository with a pull request, and the run that judges it.
type scene struct {
	t    *testing.T
	git  *gittest.Repo
	hub  *hub
	show *shown
	run  *action.Runner

	base, head string
}

// commit makes a commit of files (path, content; content "" deletes) and returns it.
func (s *scene) commit(message string, files ...string) string {
	s.t.Helper()
	for i := 0; i < len(files); i += 2 {
		if files[i+1] == "" {
			s.git.Git("rm", "-q", files[i])
			continue
		}
		s.git.Write(files[i], files[i+1])
		s.git.Git("add", files[i])
	}
	s.git.Git("commit", "-q", "--allow-empty", "-m", message)
	return strings.TrimSpace(s.git.Git("rev-parse", "HEAD"))
}

// newScene has a base of three commits and an open pull request 7 of two.
func newScene(t *testing.T) *scene {
	t.Helper()
	s := &scene{t: t, git: gittest.New(t), show: &shown{}}
	s.commit("Begin", "main.go", "package main\n\nfunc main() {}\n", "README.md", "# App\n")
	s.commit("Say more", "README.md", "# App\n\nIt runs.\n")
	s.base = s.commit("Say all", "README.md", "# App\n\nIt runs well.\n")
	s.git.Git("checkout", "-q", "-b", "topic")
	s.commit("Add a greeting", "greet.go", "package main\n\n// Greet greets.\nfunc Greet() string { return \"hello\" }\n")
	s.head = s.commit("Call the greeting", "main.go", "package main\n\nfunc main() { println(Greet()) }\n")
	s.hub = &hub{
		self:     action.Account{ID: 41, Login: "github-actions[bot]", Bot: true},
		settings: action.Settings{DefaultBranch: "main", Squash: true, SquashTitle: "PR_TITLE", SquashMessage: "PR_BODY"},
		may:      map[string]action.Permission{"ada": action.PermissionWrite, "eve": action.PermissionRead},
	}
	s.pull("Add a greeting", "It adds `Greet`.")
	s.run = s.runner(s.git.Dir)
	return s
}

// pull is pull request 7 with these words.
func (s *scene) pull(title, body string) {
	s.hub.prs = map[int]action.PullRequest{7: {
		Number: 7, Title: title, Body: body, State: "open", Author: action.Account{ID: 5, Login: "ada"},
		Head: action.Ref{SHA: s.head, Name: "topic", Repo: repo}, Base: action.Ref{SHA: s.base, Name: "main", Repo: repo}, Commits: 2, ChangedFiles: 2,
	}}
}

func (s *scene) runner(dir string) *action.Runner {
	open := func(ctx context.Context) (*git.Repo, error) { return git.Open(ctx, dir, git.Options{Env: s.git.Env()}) }
	return &action.Runner{
		Event:  action.Event{Name: "pull_request", Action: "opened", Repo: repo, Number: 7, OnPullRequest: true},
		Target: action.Target{Repo: repo, Run: 99, Attempt: 1, Server: "https://github.com"},
		Hub:    s.hub, Open: open, Publishers: []action.Publisher{s.show}, OwnCheck: "sayso",
		Fetch: &action.Fetcher{Dir: dir, Env: s.git.Env(), Allowed: true},
		Trust: func(ctx context.Context, r *git.Repo, revision, from string) (action.Trusted, error) {
			c := config.Default()
			if data, err := r.Blob(ctx, revision+":"+config.FileName, config.MaxBytes); err == nil {
				if c, err = config.Load(data, ids()); err != nil {
					return action.Trusted{}, err
				}
			}
			return action.Trusted{Judge: engine.New(r, engine.Options{Config: c}), Config: c, From: from}, nil
		},
		Tool: report.Tool{Name: "sayso", Version: "test"},
		Now:  func() time.Time { return time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC) },
	}
}

func ids() []string {
	var out []string
	for _, d := range checks.Docs() {
		out = append(out, d.ID)
	}
	return out
}

// judge runs and returns what was published last.
func (s *scene) judge() (action.Done, action.Publication) {
	s.t.Helper()
	done, err := s.run.Run(s.t.Context(), action.ModeAuto)
	if err != nil {
		s.t.Fatal(err)
	}
	if len(s.show.all) == 0 {
		s.t.Fatalf("nothing was published: %+v", done)
	}
	return done, s.show.all[len(s.show.all)-1]
}

// contradictions are the words of what is contradicted and not lifted.
func contradictions(p action.Publication) []string {
	var out []string
	for _, res := range p.Report.Results {
		for _, f := range res.Claims {
			if f.Verdict == checks.Contradicted && f.Ignored == "" {
				out = append(out, f.Text)
			}
		}
	}
	return out
}

func kinds(p action.Publication) string {
	var out []string
	for _, res := range p.Report.Results {
		k := res.Kind
		if strings.HasPrefix(res.ID, "squash:") {
			k = "squash"
		}
		if res.Error != nil {
			k += "!"
		}
		out = append(out, k)
	}
	return strings.Join(out, " ")
}

func TestAnHonestPullRequestIsJudgedWholeAndCommitByCommit(t *testing.T) {
	s := newScene(t)
	done, p := s.judge()
	if got := kinds(p); got != "pull-request commit commit" {
		t.Errorf("judged %s", got)
	}
	if c := contradictions(p); len(c) > 0 {
		t.Errorf("contradicted: %q", c)
	}
	if p.Target.Head != s.head || p.Target.Base != s.base || p.Target.Number != 7 {
		t.Errorf("it is about %+v", p.Target)
	}
	if done.Code != 0 {
		t.Errorf("exit code %d", done.Code)
	}
	if n := len(s.hub.asked); n > 3 {
		t.Errorf("%d requests for an honest pull request of a whole checkout: %q", n, s.hub.asked)
	}
}

func TestAFalseClaimFailsTheJobOnlyWhereThatWasChosen(t *testing.T) {
	for failOn, want := range map[string]int{"never": 0, "contradicted": 1} {
		s := newScene(t)
		s.pull("Add a greeting", "This only touches documentation.")
		s.run.FailOn = []string{failOn}
		done, p := s.judge()
		if c := contradictions(p); len(c) != 1 {
			t.Errorf("contradicted: %q", c)
		}
		if done.Code != want {
			t.Errorf("fail-on %s: exit code %d, want %d", failOn, done.Code, want)
		}
	}
}

func TestThePayloadIsNotBelieved(t *testing.T) {
	s := newScene(t)
	s.run.Event.Head = strings.Repeat("a", 40) // frozen when the event happened
	_, p := s.judge()
	if p.Target.Head != s.head {
		t.Errorf("judged %s, the pull request is at %s", p.Target.Head, s.head)
	}
}

func TestAFailingPublisherChangesNeitherCodeNorTheOthers(t *testing.T) {
	s := newScene(t)
	s.pull("Add a greeting", "This only touches documentation.")
	s.run.FailOn = []string{"contradicted"}
	broken := &shown{err: errors.New("HTTP 403")}
	s.run.Publishers = []action.Publisher{broken, s.show}
	done, p := s.judge()
	if done.Code != 1 || len(contradictions(p)) != 1 {
		t.Errorf("exit code %d, published %q", done.Code, contradictions(p))
	}
	if done.Outcomes[0].State != action.Failed || done.Outcomes[1].State != action.Published {
		t.Errorf("outcomes %+v", done.Outcomes)
	}
}

func TestTheMessageOfASquashMergeIsJudgedWhereItSaysMore(t *testing.T) {
	s := newScene(t)
	s.hub.settings.SquashMessage = "COMMIT_MESSAGES"
	_, p := s.judge()
	if got := kinds(p); got != "pull-request squash commit commit" {
		t.Errorf("judged %s", got)
	}
	if subject := p.Report.Results[1].Subject; subject != "Add a greeting (#7)" {
		t.Errorf("foretold %q", subject)
	}
}

func TestTheConfigurationOfTheBaseHoldsAndItsChangeIsReported(t *testing.T) {
	s := newScene(t)
	s.head = s.commit("Quieten", ".sayso.yaml", "checks:\n  scope: off\n")
	s.pull("Add a greeting", "This only touches documentation.")
	_, p := s.judge()
	if len(contradictions(p)) != 1 {
		t.Errorf("a pull request turned its own judge off: %q", contradictions(p))
	}
	if len(p.Sections) != 1 || !p.Sections[0].Pressing || !strings.Contains(p.Sections[0].Lines[0], ".sayso.yaml") {
		t.Errorf("sections %+v", p.Sections)
	}
}

func TestEntriesThatAPullRequestBringsAreReported(t *testing.T) {
	s := newScene(t)
	s.head = s.commit("Record", ".sayso/memory/2026-01-01-use-go.md", "---\nschemaVersion: 1\nkind: decision\nreviewState: reviewed\ntitle: Use Go\n---\n\n# Use Go\n")
	s.pull("Add a greeting", "")
	_, p := s.judge()
	if len(p.Sections) != 1 || p.Sections[0].Pressing || !strings.Contains(strings.Join(p.Sections[0].Lines, "\n"), "adds 2026-01-01-use-go") {
		t.Errorf("sections %+v", p.Sections)
	}
}

func TestABotsDescriptionIsNotItsWord(t *testing.T) {
	s := newScene(t)
	s.pull("Bump things", "This only touches documentation.")
	pr := s.hub.prs[7]
	pr.Author.Bot = true
	s.hub.prs[7] = pr
	_, p := s.judge()
	if c := contradictions(p); len(c) > 0 {
		t.Errorf("contradicted: %q", c)
	}
}

// shallow clones the repository as actions/checkout does: one commit, of a branch.
func (s *scene) shallow() string {
	s.t.Helper()
	dir := filepath.Join(s.t.TempDir(), "shallow")
	s.git.Git("config", "uploadpack.allowAnySHA1InWant", "true")
	s.git.Git("clone", "-q", "--depth=1", "--branch=main", "file://"+s.git.Dir, dir)
	return dir
}

func TestAShallowCheckoutIsDeepenedByWhatIsMissing(t *testing.T) {
	for _, api := range []bool{true, false} {
		t.Run(fmt.Sprintf("with the API %v", api), func(t *testing.T) {
			s := newScene(t)
			s.hub.compare = action.Comparison{MergeBase: s.base, AheadBy: 2}
			if !api {
				s.hub.fail = map[string]error{"Compare": action.ErrUnavailable}
			}
			dir := s.shallow()
			s.run = s.runner(dir)
			_, p := s.judge()
			if got := kinds(p); got != "pull-request commit commit" {
				t.Errorf("judged %s: %v", got, p.Report.Notes)
			}
			if n := s.hub.count("PullRequestFiles"); n > 0 {
				t.Errorf("the API was asked for files")
			}
			count := strings.TrimSpace(s.git.At(dir).Git("rev-list", "--count", s.head))
			if api && count != "3" {
				t.Errorf("%s commits were fetched, 3 are needed", count)
			}
		})
	}
}

// rest makes the API's answers of the pull request out of git.
func (s *scene) rest() {
	s.hub.compare = action.Comparison{MergeBase: s.base, AheadBy: 2}
	patch := func(a, b, path string) string {
		_, text, _ := strings.Cut(s.git.Git("diff", a, b, "--", path), "\n@@")
		return "@@" + text
	}
	greet := action.File{Path: "greet.go", Status: "added", Additions: 4, Patch: patch(s.base, s.head, "greet.go")}
	main := action.File{Path: "main.go", Status: "modified", Additions: 1, Deletions: 1, Patch: patch(s.base, s.head, "main.go")}
	s.hub.files.Items = []action.File{greet, main}
	first := strings.TrimSpace(s.git.Git("rev-parse", s.head+"^"))
	s.hub.commits.Items = []action.Commit{{SHA: first, Parents: []string{s.base}, Message: "Add a greeting"}, {SHA: s.head, Parents: []string{first}, Message: "Call the greeting"}}
	s.hub.perFile = map[string]action.Listing[action.File]{first: {Items: []action.File{greet}}, s.head: {Items: []action.File{main}}}
}

func TestWithoutACheckoutTheAPIIsRead(t *testing.T) {
	s := newScene(t)
	s.rest()
	s.pull("Add a greeting", "This only touches documentation.")
	s.run.Fetch, s.run.Open = nil, nil
	_, p := s.judge()
	if got := kinds(p); got != "pull-request commit commit" {
		t.Errorf("judged %s", got)
	}
	if len(contradictions(p)) != 1 {
		t.Errorf("contradicted: %q", contradictions(p))
	}
	if !slices.ContainsFunc(p.Report.Notes, func(n string) bool { return strings.Contains(n, "read through the API") }) {
		t.Errorf("notes %q", p.Report.Notes)
	}
}

func TestTheAPIIsReadWhereFetchingIsForbidden(t *testing.T) {
	s := newScene(t)
	s.rest()
	s.run = s.runner(s.shallow())
	s.run.Fetch.Allowed = false
	_, p := s.judge()
	if got := kinds(p); got != "pull-request commit commit" || s.hub.count("PullRequestFiles") != 1 {
		t.Errorf("judged %s: %q", got, p.Report.Notes)
	}
}

func TestARowThatTheAPICutIsUnverifiableAndNeverUnchanged(t *testing.T) {
	s := newScene(t)
	s.rest()
	s.pull("Call `Greet` in main.go", "")
	s.hub.files.Items[1] = action.File{Path: "main.go", Status: "modified", Truncated: true}
	s.run.Fetch = nil
	_, p := s.judge()
	if c := contradictions(p); len(c) > 0 {
		t.Errorf("contradicted by what was not read: %q", c)
	}
	whole := p.Report.Results[0]
	if whole.Coverage.State != "partial" || whole.Coverage.Unread != 1 {
		t.Errorf("coverage %+v", whole.Coverage)
	}
}

func TestCommitsBeyondTheListAreNamedAsNotJudged(t *testing.T) {
	s := newScene(t)
	s.rest()
	var many []action.Commit
	for i := range 250 {
		many = append(many, action.Commit{SHA: fmt.Sprintf("%040x", i+1), Parents: []string{s.base}, Message: "Change"})
	}
	s.hub.commits = action.Listing[action.Commit]{Items: many, Capped: true}
	pr := s.hub.prs[7]
	pr.Commits = 1000
	s.hub.prs[7] = pr
	s.run.Fetch = nil
	done, p := s.judge()
	if n := s.hub.count("CommitFiles"); n != 50 {
		t.Errorf("%d commits were read one by one", n)
	}
	if p.Report.Summary.Failed != 200 || done.Code != report.ExitIncomplete {
		t.Errorf("%d commits are said not to be read, exit code %d", p.Report.Summary.Failed, done.Code)
	}
	if !slices.ContainsFunc(p.Report.Notes, func(n string) bool { return strings.Contains(n, "250 of 1000 commits") }) {
		t.Errorf("notes %q", p.Report.Notes)
	}
}

func TestOnlyGitHubSettlesWhatIsSaidOfRunsAndIssues(t *testing.T) {
	s := newScene(t)
	s.pull("Add a greeting", "All tests pass.\n\nFixes #12\n")
	s.hub.runs = []action.CheckRun{
		{ID: 1, Name: "unit tests", App: "github-actions", Status: "completed", Conclusion: "success"},
		{ID: 2, Name: "unit tests", App: "github-actions", Status: "completed", Conclusion: "failure"},
		{ID: 3, Name: "integration tests", App: "github-actions", Status: "in_progress", URL: "https://github.com/acme/app/actions/runs/99/job/3"},
	}
	_, p := s.judge()
	if c := contradictions(p); len(c) != 2 {
		t.Errorf("contradicted: %q of %+v", c, p.Report.Results[0].Claims)
	}
	s.hub.fail = map[string]error{"CheckRuns": action.ErrForbidden, "Issue": action.ErrForbidden}
	_, p = s.judge()
	if c := contradictions(p); len(c) > 0 || p.Report.Results[0].Coverage.State != "partial" {
		t.Errorf("what may not be asked is contradicted: %q", c)
	}
}

// say is a comment of somebody on the pull request.
func (s *scene) say(login, body string) (action.Done, error) {
	s.run.Event = action.Event{Name: "issue_comment", Action: "created", Repo: repo, Number: 7, OnPullRequest: true, Comment: 3, Body: body, Commenter: action.Account{ID: 6, Login: login}}
	s.hub.comments = nil
	s.hub.reacted = nil
	return s.run.Run(s.t.Context(), action.ModeAuto)
}

func TestADismissalLiftsAContradictionAndShowsWho(t *testing.T) {
	s := newScene(t)
	s.pull("Add a greeting", "This only touches documentation.")
	s.run.FailOn = []string{"contradicted"}
	_, p := s.judge()
	var mark string
	for _, f := range p.Report.Results[0].Claims {
		if f.Verdict == checks.Contradicted {
			mark = f.Fingerprint
		}
	}
	done, err := s.say("ada", "/sayso dismiss "+mark+" it is a matter of speaking")
	if err != nil {
		t.Fatal(err)
	}
	p = s.show.all[len(s.show.all)-1]
	if len(contradictions(p)) != 0 || done.Code != 0 {
		t.Errorf("still contradicted: %q, exit code %d", contradictions(p), done.Code)
	}
	want := action.Dismissal{Claim: mark, By: "ada", Reason: "it is a matter of speaking", At: s.head}
	if len(p.Lifted) != 1 || p.Lifted[0] != want {
		t.Errorf("lifted %+v", p.Lifted)
	}
	if !slices.Equal(s.hub.reacted, []string{"3 +1"}) || len(s.hub.comments) > 0 {
		t.Errorf("answered with %q and %+v", s.hub.reacted, s.hub.comments)
	}
	// It survives a push, through what the ledger kept.
	s.run.Ledger = &ledger{kept: action.Kept{Lifted: p.Lifted}}
	s.run.Event = action.Event{Name: "pull_request", Action: "synchronize", Repo: repo, Number: 7, OnPullRequest: true}
	done, p = s.judge()
	if len(contradictions(p)) != 0 || done.Code != 0 {
		t.Errorf("after a push: %q, exit code %d", contradictions(p), done.Code)
	}
}

func TestCommandsThatCannotBeObeyedAreAnsweredOnce(t *testing.T) {
	for name, tt := range map[string]struct{ who, body, want string }{
		"somebody who may only read":    {"eve", "/sayso recheck", "may write"},
		"somebody who is no member":     {"mallory", "/sayso recheck", "may write"},
		"a command that does not exist": {"ada", "/sayso praise", "no such command"},
		"a claim that is not there":     {"ada", "/sayso dismiss 0123456789abcdef because", "no contradiction"},
		"a reason that is missing":      {"ada", "/sayso dismiss 0123456789abcdef", "a reason is wanted"},
		"a learning that is not there":  {"ada", "/sayso accept some-entry", "no learning"},
		"a decision that is not there":  {"ada", "/sayso except some-entry because", "nothing here goes against"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene(t)
			for range 2 { // a job that is run again replays its event
				kept := s.hub.comments
				s.run.Event = action.Event{}
				if _, err := s.say(tt.who, tt.body); err != nil {
					t.Fatal(err)
				}
				s.hub.comments = append(kept, s.hub.comments...)
				if _, err := s.run.Run(t.Context(), action.ModeAuto); err != nil {
					t.Fatal(err)
				}
			}
			if len(s.hub.comments) == 0 || !strings.Contains(s.hub.comments[0].Body, tt.want) {
				t.Errorf("answered %+v", s.hub.comments)
			}
			if !slices.Contains(s.hub.reacted, "3 confused") {
				t.Errorf("reacted %q", s.hub.reacted)
			}
		})
	}
}

func TestAQueueAndAPushAreJudgedCommitByCommit(t *testing.T) {
	for name, e := range map[string]action.Event{
		"merge group":   {Name: "merge_group", Action: "checks_requested"},
		"push":          {Name: "push", Ref: "refs/heads/topic", DefaultBranch: "main"},
		"a new branch":  {Name: "push", Ref: "refs/heads/topic", DefaultBranch: "main", Before: strings.Repeat("0", 40)},
		"a forced push": {Name: "push", Ref: "refs/heads/topic", DefaultBranch: "main", Before: strings.Repeat("ab", 20)},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene(t)
			s.git.Git("update-ref", "refs/remotes/origin/main", s.base)
			e.Repo, e.Head, e.Base, e.After = repo, s.head, s.base, s.head
			if e.Before == "" {
				e.Before = s.base
			}
			s.run.Event = e
			_, p := s.judge()
			if got := kinds(p); got != "commit commit" || p.Target.Number != 0 || p.Target.Head != s.head {
				t.Errorf("judged %s for %+v", got, p.Target)
			}
		})
	}
}

// learner learns one thing.
type learner struct{ landed []string }

func (l *learner) Draft(context.Context, action.LearnFrom) ([]action.Proposal, error) {
	return []action.Proposal{{ID: "use-greet", Kind: "decision", Title: "Use Greet", State: "proposed"}}, nil
}

func (l *learner) Land(_ context.Context, from action.LearnFrom, accepted []action.Proposal) ([]string, error) {
	var out []string
	for _, p := range accepted {
		l.landed = append(l.landed, fmt.Sprintf("%s by %s from #%d", p.ID, p.By, from.PullRequest.Number))
		out = append(out, p.ID)
	}
	return out, nil
}

func TestAnAcceptedLearningComesHomeWithThePush(t *testing.T) {
	s := newScene(t)
	l := &learner{}
	s.run.Learner = l
	if _, err := s.say("ada", "/sayso accept use-greet"); err != nil {
		t.Fatal(err)
	}
	p := s.show.all[0]
	if len(p.Learned) != 1 || p.Learned[0].State != "accepted" || p.Learned[0].By != "ada" {
		t.Fatalf("learned %+v", p.Learned)
	}
	if len(l.landed) > 0 {
		t.Error("it landed before the change did")
	}
	s.run.Ledger = &ledger{kept: action.Kept{Learned: p.Learned}}
	pr := s.hub.prs[7]
	pr.Merged, pr.MergeCommit = true, s.head
	s.hub.prs[7] = pr
	s.hub.of = map[string][]int{s.head: {7}}
	s.run.Event = action.Event{Name: "push", Ref: "refs/heads/main", DefaultBranch: "main", Repo: repo, Before: s.base, After: s.head}
	done, _ := s.judge()
	if !slices.Equal(l.landed, []string{"use-greet by ada from #7"}) || !slices.Equal(done.Landed, []string{"use-greet"}) {
		t.Errorf("landed %q, said %q", l.landed, done.Landed)
	}
}

func TestAHandoverIsPublishedOnlyForTheCommitItIsAbout(t *testing.T) {
	s := newScene(t)
	s.pull("Add a greeting", "This only touches documentation.")
	_, p := s.judge()
	data, err := action.NewHandover(p)
	if err != nil {
		t.Fatal(err)
	}
	publish := func(change func(e *action.Event, data []byte) []byte) (action.Done, error) {
		s.show.all = nil
		e := action.Event{Name: "workflow_run", Action: "completed", Repo: repo, Head: s.head, RunHeadRepo: "acme/app", RunEvent: "pull_request"}
		s.run.Handover = data
		if change != nil {
			s.run.Handover = change(&e, slices.Clone(data))
		}
		s.run.Event = e
		return s.run.Run(t.Context(), action.ModeAuto)
	}
	if _, err := publish(nil); err != nil || len(s.show.all) != 1 || len(contradictions(s.show.all[0])) != 1 {
		t.Fatalf("published %+v: %v", s.show.all, err)
	}
	for name, change := range map[string]func(e *action.Event, data []byte) []byte{
		"another commit": func(e *action.Event, d []byte) []byte { e.Head = strings.Repeat("a", 40); return d },
		"another fork":   func(e *action.Event, d []byte) []byte { e.RunHeadRepo = "mallory/app"; return d },
		"another pull request": func(e *action.Event, d []byte) []byte {
			return []byte(strings.Replace(string(d), `"number":7`, `"number":8`, 1))
		},
		"another repository": func(e *action.Event, d []byte) []byte {
			return []byte(strings.Replace(string(d), `"repo":"acme/app"`, `"repo":"acme/other"`, 1))
		},
		"another schema": func(e *action.Event, d []byte) []byte {
			return []byte(strings.Replace(string(d), "handover/v1", "handover/v9", 1))
		},
		"no JSON":    func(*action.Event, []byte) []byte { return []byte("<html>") },
		"half of it": func(_ *action.Event, d []byte) []byte { return d[:len(d)/2] },
		"a false word": func(_ *action.Event, d []byte) []byte {
			return []byte(strings.Replace(string(d), `"verdict":"contradicted"`, `"verdict":"::error::"`, 1))
		},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := publish(change); err == nil || len(s.show.all) > 0 {
				t.Errorf("published %d: %v", len(s.show.all), err)
			}
		})
	}
}

// sweeper finds what it is told to.
type sweeper struct {
	swept  action.Swept
	cursor string
}

func (w *sweeper) Sweep(_ context.Context, cursor string) (action.Swept, error) {
	w.cursor = cursor
	return w.swept, nil
}

func TestASweepKeepsOneIssueAndClosesItWhenAllIsWell(t *testing.T) {
	s := newScene(t)
	w := &sweeper{swept: action.Swept{Findings: 2, Body: "2 of 9 entries", Cursor: "e4", Code: 3}}
	s.run.Sweeper, s.run.SweepIssue = w, true
	s.run.Event = action.Event{Name: "schedule", Repo: repo}
	// Somebody else's issue with our mark in it is not ours.
	s.hub.issues = map[int]action.Issue{5: {Number: 5, State: "open", Body: "<!-- sayso:sweep cursor=zz -->", Labels: []string{"sayso-sweep"}, Author: action.Account{ID: 6, Login: "eve"}}}
	for i, want := range []string{"", "e4"} {
		done, err := s.run.Run(t.Context(), action.ModeAuto)
		if err != nil {
			t.Fatal(err)
		}
		if w.cursor != want || len(s.hub.issues) != 2 || done.Code != 3 {
			t.Errorf("run %d went on from %q with %d issues, exit code %d", i+1, w.cursor, len(s.hub.issues), done.Code)
		}
	}
	w.swept = action.Swept{Body: "9 of 9 entries"}
	if _, err := s.run.Run(t.Context(), action.ModeAuto); err != nil {
		t.Fatal(err)
	}
	for n, i := range s.hub.issues {
		if n != 5 && i.State != "closed" {
			t.Errorf("issue %d is %s", n, i.State)
		}
		if n == 5 && i.State != "open" {
			t.Error("somebody else's issue was closed")
		}
	}
}

func TestTheTokenIsInNoErrorOfFetching(t *testing.T) {
	s := newScene(t)
	dir := s.shallow()
	s.git.At(dir).Git("remote", "set-url", "origin", "https://x:ghs_verysecret@git.invalid/acme/app")
	f := &action.Fetcher{Dir: dir, Env: append(s.git.Env(), "GIT_ALLOW_PROTOCOL=https"), Server: "https://git.invalid", Token: "ghs_verysecret", Allowed: true}
	_, err := f.Bring(t.Context(), s.base, s.head, func(context.Context) (action.Comparison, error) { return action.Comparison{}, nil })
	if err == nil || strings.Contains(err.Error(), "ghs_verysecret") {
		t.Errorf("fetching from nowhere: %v", err)
	}
}

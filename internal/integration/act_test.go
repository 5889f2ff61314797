//go:build integration && !windows

package integration

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/saysolint/sayso/action/githubtest"
)

// staged is acme/app: a repository with a pull request in it, a GitHub that knows
// of both, and a workflow that act runs on this machine.
type staged struct {
	t      *testing.T
	dir    string // the checkout, as actions/checkout leaves it
	env    []string
	server *githubtest.Server
	repo   *githubtest.Repo
	api    string
	binary string // program that the workflow uses; "" builds the action's checkout

	base, head string
}

const (
	actPull    = 7
	actToken   = "ghs_atokenofajob"
	actionHash = "0123456789abcdef0123456789abcdef01234567"
	cacheStub  = "name: stub\ndescription: keeps nothing\ninputs: {path: {required: false}, key: {required: false}, restore-keys: {required: false}}\nruns:\n  using: composite\n  steps:\n    - shell: bash\n      run: 'true'\n"
)

func stageAct(t *testing.T, build bool) *staged {
	t.Helper()
	root := checkout(t)
	s := &staged{t: t, dir: filepath.Join(t.TempDir(), "app"), server: githubtest.New()}
	s.env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null", "GIT_TERMINAL_PROMPT=0",
		"GIT_AUTHOR_NAME=Ada", "GIT_AUTHOR_EMAIL=ada@example.com", "GIT_COMMITTER_NAME=Ada", "GIT_COMMITTER_EMAIL=ada@example.com")
	if !build {
		s.binary = filepath.Join(t.TempDir(), "sayso")
		run(t, root, s.env, "go", "build", "-o", s.binary, "./cmd/sayso")
	}
	if err := os.Mkdir(s.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	s.git("init", "-q", "--initial-branch=main")
	s.file("main.go", "package main\n\nfunc main() {}\n")
	s.file("README.md", "# App\n")
	s.base = s.commit("Begin")
	s.file("greet.go", "package main\n\n// Greet greets.\nfunc Greet() string { return \"hello\" }\n")
	s.head = s.commit("Add a greeting")

	s.server.AddToken(actToken, githubtest.JobToken())
	s.repo = s.server.AddRepo("acme", "app")
	s.repo.Collaborators["ada"] = "write"
	s.repo.AddPull(githubtest.Pull{Issue: githubtest.Issue{Number: actPull, Title: "Add a greeting", Body: "This only touches documentation.", Author: "ada"},
		Base: s.base, Head: s.head, CommitList: []string{s.head}})
	s.api = s.server.Start(t)
	return s
}

func (s *staged) git(args ...string) string {
	s.t.Helper()
	return strings.TrimSpace(run(s.t, s.dir, s.env, "git", args...))
}

func (s *staged) file(name, text string) {
	s.t.Helper()
	path := filepath.Join(s.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		s.t.Fatal(err)
	}
}

func (s *staged) commit(message string) string {
	s.t.Helper()
	s.git("add", "-A")
	s.git("commit", "-q", "-m", message)
	return s.git("rev-parse", "HEAD")
}

// act runs the workflow for an event and returns the log. with are inputs.
func (s *staged) act(event string, payload any, with ...string) (string, error) {
	s.t.Helper()
	inputs := "          token: " + actToken + "\n"
	if s.binary != "" {
		inputs += "          binary: " + s.binary + "\n"
	}
	for _, w := range with {
		inputs += "          " + w + "\n"
	}
	// The program is asked where GitHub is through the environment, as on GitHub Enterprise.
	workflow := fmt.Sprintf(`on: %s
permissions: {}
jobs:
  sayso:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1 # v7.0.1
      - id: sayso
        uses: saysolint/sayso@%s
        with:
%s      - name: what reached the caller
        if: always()
        env:
          CODE: ${{ steps.sayso.outputs.exit-code }}
          CONTRADICTED: ${{ steps.sayso.outputs.contradicted }}
          MODE: ${{ steps.sayso.outputs.mode }}
          HEAD: ${{ steps.sayso.outputs.head }}
        run: printf 'outputs mode=%%s code=%%s contradicted=%%s head=%%s\n' "$MODE" "$CODE" "$CONTRADICTED" "$HEAD"
`, event, actionHash, inputs)
	s.file(".github/workflows/sayso.yml", workflow)
	raw, err := json.Marshal(payload)
	if err != nil {
		s.t.Fatal(err)
	}
	work := s.t.TempDir()
	eventFile := filepath.Join(work, "event.json")
	stub := filepath.Join(work, "stub")
	for name, text := range map[string]string{eventFile: string(raw), filepath.Join(stub, "action.yml"): cacheStub} {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			s.t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			s.t.Fatal(err)
		}
	}
	local := func(name, folder string) string { return "--local-repository=" + name + "=" + folder }
	args := []string{event, "--eventpath", eventFile, "-P", "ubuntu-latest=-self-hosted", "--pull=false", "--no-cache-server",
		"--env", "GITHUB_API_URL=" + s.api, "--env", "GITHUB_REPOSITORY=acme/app", "-s", "GITHUB_TOKEN=" + actToken,
		local("saysolint/sayso@"+actionHash, checkout(s.t)),
	}
	for _, name := range stubbed(s.t) {
		args = append(args, local(name, stub))
	}
	return try(s.dir, append(s.env, "HOME="+work, "XDG_CACHE_HOME="+filepath.Join(work, "cache"), "GOCACHE="+goEnv(s.t, "GOCACHE"), "GOMODCACHE="+goEnv(s.t, "GOMODCACHE"), "GOFLAGS=-mod=mod", "ACT_LOG_LEVEL=info"), "act", args...)
}

// stubbed are the actions that action.yml uses and no network is asked for.
func stubbed(t *testing.T) []string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(checkout(t), "action.yml"))
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, m := range regexp.MustCompile(`uses: (\S+@[0-9a-f]{40})`).FindAllStringSubmatch(string(data), -1) {
		out = append(out, m[1])
	}
	return out
}

// event is the payload of a pull-request event.
func (s *staged) event(activity string) map[string]any {
	return map[string]any{
		"action": activity, "number": actPull,
		"repository": map[string]any{"full_name": "acme/app", "default_branch": "main", "name": "app", "owner": map[string]any{"login": "acme"}},
		"pull_request": map[string]any{
			"number": actPull, "title": "frozen", "body": "frozen",
			"head": map[string]any{"sha": s.head, "ref": "topic-7"}, "base": map[string]any{"sha": s.base, "ref": "main"},
		},
	}
}

// reached is what later steps were handed.
func (s *staged) reached(out string, err error, want string) {
	s.t.Helper()
	if err != nil {
		s.t.Fatalf("act: %v\n%s", err, out)
	}
	if !strings.Contains(out, "outputs "+want) {
		s.t.Errorf("no %q in\n%s", "outputs "+want, out)
	}
}

// TestActPullRequest judges a pull request from a checkout of this repository: the
// action is installed as anybody's would be that no release matches.
func TestActPullRequest(t *testing.T) {
	s := stageAct(t, true)
	out, err := s.act("pull_request", s.event("opened"))
	s.reached(out, err, "mode=pull-request code=0 contradicted=1 head="+s.head)
	if !strings.Contains(out, "::error") && !strings.Contains(out, "confines the change") {
		t.Errorf("no annotation says what is wrong\n%s", out)
	}
	if !strings.Contains(out, "building from source") {
		t.Errorf("it was not built from the checkout\n%s", out)
	}
	out, err = s.act("pull_request", s.event("edited"), "fail-on: contradicted")
	if err == nil || !strings.Contains(out, "outputs mode=pull-request code=1 contradicted=1") {
		t.Errorf("the job that was to fail ended with %v\n%s", err, out)
	}
	s.server.Verify(t)
}

// TestActCommand obeys a command of somebody who may write, and of nobody else.
func TestActCommand(t *testing.T) {
	s := stageAct(t, false)
	s.repo.Collaborators["eve"] = "read"
	logged := map[string]string{}
	for who, want := range map[string]string{"ada": "mode=command code=0 contradicted=1 head=" + s.head, "eve": "mode=command code=0 contradicted= head="} {
		c := s.repo.AddComment(actPull, who, "/sayso recheck")
		payload := s.event("created")
		delete(payload, "pull_request")
		payload["issue"] = map[string]any{"number": actPull, "pull_request": map[string]any{"url": "x"}}
		payload["comment"] = map[string]any{"id": c.ID, "body": c.Body, "author_association": "MEMBER", "user": map[string]any{"login": who, "id": 1, "type": "User"}}
		out, err := s.act("issue_comment", payload)
		s.reached(out, err, want)
		logged[who] = out
	}
	var answers int
	for _, c := range s.repo.Conversation(actPull) {
		if strings.HasPrefix(c.Body, "<!-- sayso:answer:") {
			answers++
		}
	}
	if answers != 1 {
		t.Errorf("%d answers, one is for somebody who may not give commands\n%s", answers, logged["eve"])
	}
}

// TestActSchedule looks through the memory on a schedule.
func TestActSchedule(t *testing.T) {
	s := stageAct(t, false)
	payload := s.event("")
	delete(payload, "pull_request")
	delete(payload, "action")
	payload["schedule"] = "17 5 * * 1"
	out, err := s.act("schedule", payload)
	s.reached(out, err, "mode=sweep code=0")
	if len(s.repo.Issues) != 0 {
		t.Errorf("a memory without entries has an issue: %+v", s.repo.Issues)
	}
	s.file(".sayso/memory/a-keep.md", "---\nschemaVersion: 1\ndate: 2026-01-02T03:04:05Z\ntitle: Keep the greeting\nkind: decision\nreviewState: reviewed\nsupersedes: nothing-of-this-name\n---\n\n# Keep the greeting\n")
	s.commit("Remember")
	for range 2 {
		out, err = s.act("schedule", payload)
		s.reached(out, err, "mode=sweep code=0")
	}
	if len(s.repo.Issues) != 1 {
		t.Fatalf("%d issues after two sweeps that found the same\n%s", len(s.repo.Issues), out)
	}
	for _, i := range s.repo.Issues {
		if !strings.Contains(i.Body, "nothing-of-this-name") || i.State != "open" {
			t.Errorf("the issue is %+v", i)
		}
	}
}

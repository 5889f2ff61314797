package action_test

import (
	"strings"
	"testing"

	"github.com/saysolint/sayso/action"
	"github.com/saysolint/sayso/action/githubtest"
)

// served is a scene whose GitHub is the server of githubtest.
func served(t *testing.T, token githubtest.Token) (*scene, *githubtest.Server, *githubtest.Repo) {
	t.Helper()
	s := newScene(t)
	server := githubtest.New()
	server.AddToken("job", token)
	r := server.AddRepo("acme", "app")
	r.Collaborators["ada"] = "write"
	r.Collaborators["eve"] = "read"
	r.AddPull(githubtest.Pull{Issue: githubtest.Issue{Number: 7, Title: "Add a greeting", Body: "This only touches documentation.\n\nFixes #99", Author: "ada"}, Base: s.base, Head: s.head})
	c, err := action.NewClient(t.Context(), action.ClientOptions{BaseURL: server.URL(), Transport: server.Transport(), Token: "job", Pause: -1})
	if err != nil {
		t.Fatal(err)
	}
	s.run.Hub = c
	return s, server, r
}

func TestARealClientServesTheRun(t *testing.T) {
	s, server, _ := served(t, githubtest.JobToken())
	_, p := s.judge()
	if c := contradictions(p); len(c) != 2 {
		t.Errorf("contradicted: %q", c)
	}
	if n := len(server.Exchanges()); n > 4 {
		t.Errorf("%d requests", n)
	}
	server.Verify(t)
}

func TestARealClientAnswersWhoMayNotCommand(t *testing.T) {
	s, server, r := served(t, githubtest.JobToken())
	c := r.AddComment(7, "eve", "/sayso recheck")
	for range 2 {
		s.run.Event = action.Event{Name: "issue_comment", Action: "created", Repo: repo, Number: 7, OnPullRequest: true, Comment: c.ID, Body: c.Body, Commenter: action.Account{Login: "eve"}}
		done, err := s.run.Run(t.Context(), action.ModeAuto)
		if err != nil {
			t.Fatal(err)
		}
		if len(done.Notes) != 1 {
			t.Errorf("notes %q", done.Notes)
		}
	}
	all := r.Conversation(7)
	if len(all) != 2 || !strings.Contains(all[1].Body, "may write") {
		t.Errorf("the conversation is %+v", all)
	}
	server.Verify(t)
}

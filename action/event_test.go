package action_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/saysolint/sayso/action"
)

func TestTheEventDecidesWhatIsDone(t *testing.T) {
	sha := strings.Repeat("ab", 20)
	pull := func(activity string) string {
		return fmt.Sprintf(`{"action":%q,"number":7,"pull_request":{"number":7,"head":{"sha":%q,"ref":"topic"},"base":{"sha":%q}}}`, activity, sha, sha)
	}
	comment := func(body, kind, activity string, onPull bool) string {
		link := ""
		if onPull {
			link = `,"pull_request":{"url":"u"}`
		}
		return fmt.Sprintf(`{"action":%q,"issue":{"number":7%s},"comment":{"id":3,"body":%q,"user":{"login":"ada","id":6,"type":%q}}}`, activity, link, body, kind)
	}
	tests := []struct {
		name, event, payload string
		want                 action.Mode
	}{
		{"a pull request is opened", "pull_request", pull("opened"), action.ModePullRequest},
		{"its description is edited", "pull_request", pull("edited"), action.ModePullRequest},
		{"it is pushed to", "pull_request_target", pull("synchronize"), action.ModePullRequest},
		{"it is no draft any more", "pull_request", pull("ready_for_review"), action.ModePullRequest},
		{"it is closed", "pull_request", pull("closed"), action.ModeNone},
		{"it is given a label", "pull_request", pull("labeled"), action.ModeNone},
		{"a merge group", "merge_group", fmt.Sprintf(`{"action":"checks_requested","merge_group":{"head_sha":%q,"base_sha":%q,"head_ref":"refs/heads/q"}}`, sha, sha), action.ModeQueue},
		{"a merge group is gone", "merge_group", `{"action":"destroyed"}`, action.ModeNone},
		{"a push", "push", fmt.Sprintf(`{"ref":"refs/heads/main","before":%q,"after":%q}`, sha, sha), action.ModePush},
		{"a tag", "push", `{"ref":"refs/tags/v1"}`, action.ModeNone},
		{"a branch is deleted", "push", `{"ref":"refs/heads/x","deleted":true}`, action.ModeNone},
		{"a command", "issue_comment", comment("/sayso recheck", "User", "created", true), action.ModeCommand},
		{"a command on an issue", "issue_comment", comment("/sayso recheck", "User", "created", false), action.ModeNone},
		{"a command that was edited in", "issue_comment", comment("/sayso recheck", "User", "edited", true), action.ModeNone},
		{"a program's command", "issue_comment", comment("/sayso recheck", "Bot", "created", true), action.ModeNone},
		{"a comment", "issue_comment", comment("I say so.", "User", "created", true), action.ModeNone},
		{"another run ended", "workflow_run", fmt.Sprintf(`{"action":"completed","workflow_run":{"id":9,"head_sha":%q,"pull_requests":[]}}`, sha), action.ModePublish},
		{"the time has come", "schedule", `{"schedule":"0 5 * * 1"}`, action.ModeSweep},
		{"by hand", "workflow_dispatch", `{}`, action.ModeSweep},
		{"without a payload", "schedule", ``, action.ModeSweep},
		{"something else", "star", `{}`, action.ModeNone},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e, err := action.ParseEvent(tt.event, "acme/app", []byte(tt.payload))
			if err != nil {
				t.Fatal(err)
			}
			got, why := e.Decide(action.ModeAuto)
			if got != tt.want {
				t.Errorf("%s, want %s (%s)", got, tt.want, why)
			}
			if (got == action.ModeNone) != (why != "") {
				t.Errorf("%s says %q", got, why)
			}
		})
	}
}

func TestAModeCanBeChosenWhereTheEventHasWhatItNeeds(t *testing.T) {
	if mode, why := (action.Event{Name: "workflow_dispatch", Repo: repo}).Decide(action.ModePullRequest); mode != action.ModeNone || why == "" {
		t.Errorf("a pull request out of nothing: %s %q", mode, why)
	}
	if mode, _ := (action.Event{Name: "push", Repo: repo}).Decide(action.ModeSweep); mode != action.ModeSweep {
		t.Errorf("chosen sweep, got %s", mode)
	}
}

func TestFaultyPayloadsAreRefused(t *testing.T) {
	for name, tt := range map[string]struct{ repository, payload string }{
		"no JSON":             {"acme/app", "{"},
		"a hash that is none": {"acme/app", `{"pull_request":{"number":7,"head":{"sha":"--upload-pack=x"}}}`},
		"no repository":       {"", `{}`},
		"a path":              {"../..", `{}`},
	} {
		if e, err := action.ParseEvent("pull_request", tt.repository, []byte(tt.payload)); err == nil {
			t.Errorf("%s: read as %+v", name, e)
		}
	}
}

func TestCommandsAreLinesOfTheirOwn(t *testing.T) {
	tests := []struct {
		name, body string
		want       []action.Command
	}{
		{"one", "/sayso recheck", []action.Command{{Verb: action.VerbRecheck}}},
		{"with a reason", "Well.\r\n/sayso dismiss 0123456789abcdef  it   is fine\r\n", []action.Command{{Verb: action.VerbDismiss, Target: "0123456789abcdef", Reason: "it is fine"}}},
		{"several", "/sayso accept a\n/sayso reject b too vague", []action.Command{{Verb: action.VerbAccept, Target: "a"}, {Verb: action.VerbReject, Target: "b", Reason: "too vague"}}},
		{"in a sentence", "Write /sayso recheck to try again", nil},
		{"quoted", "> /sayso recheck", nil},
		{"fenced", "```\n/sayso recheck\n```\n", nil},
		{"after a fence", "```\n/sayso accept a\n```\n/sayso recheck", []action.Command{{Verb: action.VerbRecheck}}},
		{"in a fence with a longer mark", "````\n```\n/sayso recheck\n````", nil},
		{"indented code", "    /sayso recheck", nil},
		{"another word", "/sayson recheck", nil},
		{"a target that is none", "/sayso accept [x](http://e)", []action.Command{{Verb: action.VerbAccept, Wrong: "it is written /sayso accept ID"}}},
		{"nothing", "/sayso", []action.Command{{Wrong: "no command is named"}}},
		{"unknown", "/sayso sing", []action.Command{{Wrong: "there is no such command"}}},
		{"no reason", "/sayso except d", []action.Command{{Verb: action.VerbExcept, Target: "d", Wrong: "a reason is wanted: /sayso except ID reason"}}},
	}
	for _, tt := range tests {
		if got := action.ParseCommands(tt.body); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %+v, want %+v", tt.name, got, tt.want)
		}
	}
	if n := len(action.ParseCommands(strings.Repeat("/sayso recheck\n", 1000))); n > 20 {
		t.Errorf("%d commands of one comment", n)
	}
}

func FuzzParseCommands(f *testing.F) {
	f.Add("/sayso dismiss 0123 reason\n```\n/sayso accept x")
	f.Add("~~~\n/sayso \x00\xff reject a\u202e b")
	f.Fuzz(func(t *testing.T, body string) {
		for _, c := range action.ParseCommands(body) {
			if strings.ContainsAny(c.Target+c.Reason+c.Wrong, "\n\r\x00\x1b") {
				t.Fatalf("control characters in %+v", c)
			}
			if c.Wrong == "" && c.Verb != action.VerbRecheck && c.Target == "" {
				t.Fatalf("obeyed without a target: %+v", c)
			}
		}
	})
}

func FuzzParseEvent(f *testing.F) {
	f.Add("pull_request", `{"action":"opened","pull_request":{"number":1,"head":{"sha":"a"}}}`)
	f.Add("push", `{"before":"0000000000000000000000000000000000000000","ref":"refs/heads/x"}`)
	f.Fuzz(func(t *testing.T, name, payload string) {
		e, err := action.ParseEvent(name, "acme/app", []byte(payload))
		if err != nil {
			return
		}
		for _, h := range []string{e.Head, e.Base, e.Before, e.After} {
			if strings.HasPrefix(h, "-") || strings.ContainsAny(h, " \n") {
				t.Fatalf("%q passes for a hash", h)
			}
		}
		e.Decide(action.ModeAuto)
	})
}

func TestTheMessageOfASquashMergeIsForetold(t *testing.T) {
	pr := action.PullRequest{Number: 7, Title: "Add things", Body: "The body.\r\n"}
	two := []string{"First\n\nWhy.\n", "Second\n"}
	tests := []struct {
		name           string
		title, message string
		commits        []string
		want           string
		own            bool
	}{
		{"title and body", "PR_TITLE", "PR_BODY", two, "Add things (#7)\n\nThe body.\n", false},
		{"title alone", "PR_TITLE", "BLANK", two, "Add things (#7)\n", false},
		{"the commits", "PR_TITLE", "COMMIT_MESSAGES", two, "Add things (#7)\n\n* First\n\nWhy.\n\n* Second\n", true},
		{"the only commit", "COMMIT_OR_PR_TITLE", "COMMIT_MESSAGES", two[:1], "First (#7)\n\nWhy.\n", true},
		{"the title where there are more", "COMMIT_OR_PR_TITLE", "BLANK", two, "Add things (#7)\n", false},
	}
	for _, tt := range tests {
		got := action.PredictSquash(action.Settings{Squash: true, SquashTitle: tt.title, SquashMessage: tt.message}, pr, tt.commits, true)
		if got.Message != tt.want || got.Own != tt.own {
			t.Errorf("%s: %+v, want %q", tt.name, got, tt.want)
		}
	}
	for name, s := range map[string]action.Settings{
		"squashing is off":     {SquashTitle: "PR_TITLE", SquashMessage: "PR_BODY"},
		"the words are hidden": {Squash: true},
	} {
		if got := action.PredictSquash(s, pr, two, true); got.Message != "" || got.Why == "" {
			t.Errorf("%s: %+v", name, got)
		}
	}
	if got := action.PredictSquash(action.Settings{Squash: true, SquashTitle: "PR_TITLE", SquashMessage: "COMMIT_MESSAGES"}, pr, two, false); got.Message != "" {
		t.Errorf("foretold from some of the commits: %+v", got)
	}
}

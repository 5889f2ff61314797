package checks_test

import (
	"strings"
	"testing"

	"github.com/saysolint/sayso/change"
	"github.com/saysolint/sayso/checks"
	"github.com/saysolint/sayso/claim"
)

// hosted judges a body without the host and settles it with.
func hosted(t testing.TB, body string, h checks.Hosted, levels map[string]string) checks.Judgement {
	t.Helper()
	m := claim.Parse(body, claim.Options{Source: claim.SourceBody, Tier: claim.TierIntent, NoSubject: true})
	in := checks.Input{Facts: change.NewFacts(&change.Change{ID: "x"}), Messages: []*claim.Message{m}, Levels: levels}
	return checks.Settle(checks.Judge(in), in.Messages, levels, h)
}

// of is the finding of a check, nil where it has none.
func of(j checks.Judgement, id string) *checks.Finding {
	for i := range j.Claims {
		if j.Claims[i].Check == id {
			return &j.Claims[i]
		}
	}
	return nil
}

func TestOutcomesAreHeldAgainstTheRunsOfTheirKind(t *testing.T) {
	run := func(name string, s checks.RunState) checks.HostedRun { return checks.HostedRun{Name: name, State: s} }
	green := []checks.HostedRun{run("unit tests", checks.RunPassed), run("lint", checks.RunPassed)}
	red := []checks.HostedRun{run("unit tests", checks.RunFailed), run("lint", checks.RunPassed)}
	slow := []checks.HostedRun{run("unit tests", checks.RunPending), run("lint", checks.RunPassed)}
	tests := []struct {
		name, body string
		h          checks.Hosted
		want       checks.Verdict // "": no claim
	}{
		{"a failed test run contradicts", "All tests pass.", checks.Hosted{Runs: red}, checks.Contradicted},
		{"tests that passed bear it out", "All tests pass.", checks.Hosted{Runs: green}, checks.Corroborated},
		{"a run that has not ended proves nothing", "Unit tests pass", checks.Hosted{Runs: slow}, checks.Unverifiable},
		{"without any run nothing is known", "All tests pass.", checks.Hosted{}, checks.Unverifiable},
		{"a failed build is no failed test", "All tests pass.", checks.Hosted{Runs: []checks.HostedRun{run("build", checks.RunFailed)}}, checks.Unverifiable},
		{"runs that could not be fetched", "CI is green.", checks.Hosted{Runs: green, RunsGap: "not permitted"}, checks.Unverifiable},
		{"a known failure counts though others are unknown", "CI is green.", checks.Hosted{Runs: red, RunsGap: "not permitted"}, checks.Contradicted},
		{"ci is all runs", "CI is green.", checks.Hosted{Runs: red}, checks.Contradicted},
		{"ci with a pending run", "All checks are passing", checks.Hosted{Runs: slow}, checks.Unverifiable},
		{"lint beside failed tests", "Lint clean.", checks.Hosted{Runs: red}, checks.Corroborated},
		{"a ticked task is a claim", "- [x] tests pass", checks.Hosted{Runs: red}, checks.Contradicted},
		{"an open task is a plan", "- [ ] tests pass", checks.Hosted{Runs: red}, ""},
		{"a purpose is no claim", "Make the tests pass again.", checks.Hosted{Runs: red}, ""},
		{"a condition is no claim", "Merge when the tests pass.", checks.Hosted{Runs: red}, ""},
		{"one machine is not CI", "All tests pass locally.", checks.Hosted{Runs: red}, ""},
		{"a denial is no claim", "The tests do not pass.", checks.Hosted{Runs: red}, ""},
		{"a sentence with more in it is left alone", "All tests pass except the slow ones.", checks.Hosted{Runs: red}, ""},
		{"latest is no test", "CI is green.", checks.Hosted{Runs: []checks.HostedRun{run("latest", checks.RunPassed)}}, checks.Corroborated},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			j := hosted(t, tt.body, tt.h, nil)
			f := of(j, "ci")
			if f == nil {
				if tt.want != "" {
					t.Fatalf("no claim in %q: %+v", tt.body, j.Claims)
				}
				return
			}
			if f.Verdict != tt.want {
				t.Fatalf("%q is %s (%s), want %q", tt.body, f.Verdict, f.Reason, tt.want)
			}
			if f.Strength == checks.Strong {
				t.Error("a run may fail for its own reasons: never strong")
			}
			if f.Verdict == checks.Contradicted && len(f.Evidence) == 0 {
				t.Error("contradicted without anything to look at")
			}
			if j.Coverage.Claims != len(j.Claims) || j.Coverage.NotClaim < 0 {
				t.Errorf("the coverage counts %d claims and %d others of %d", j.Coverage.Claims, j.Coverage.NotClaim, len(j.Claims))
			}
		})
	}
}

func TestClosingReferencesAreHeldAgainstTheirIssues(t *testing.T) {
	ref := func(n int) checks.IssueRef { return checks.IssueRef{Repository: "acme/app", Number: n} }
	h := checks.Hosted{Repository: "Acme/App", Server: "https://github.com", Issues: map[checks.IssueRef]checks.HostedIssue{
		ref(1):                               {Known: true, Exists: true, Open: true},
		ref(2):                               {Known: true, Exists: true},
		ref(3):                               {Known: true, Exists: true, Open: true, PullRequest: true},
		ref(4):                               {Known: true},
		ref(5):                               {Gap: "not permitted"},
		ref(6):                               {Known: true, Exists: true, Open: true, Moved: "acme/old#9"},
		{Repository: "other/lib", Number: 4}: {Known: true},
	}}
	tests := []struct {
		name, body string
		want       checks.Verdict
	}{
		{"an open issue", "Fixes #1", checks.Corroborated},
		{"a closed issue is no lie", "Closes: #2", checks.Neutral},
		{"a pull request is closed by no keyword", "Resolves #3", checks.Contradicted},
		{"no such issue", "fixes #4", checks.Contradicted},
		{"an issue that could not be asked for", "fixes #5", checks.Unverifiable},
		{"an issue that has moved", "fixes #6", checks.Neutral},
		{"another repository's may be hidden", "Fixes other/lib#4", checks.Unverifiable},
		{"a whole address", "Fixes https://github.com/acme/app/issues/4.", checks.Contradicted},
		{"an address of another server", "Fixes https://git.example.com/acme/app/issues/4", ""},
		{"a mention claims nothing", "Similar to #4", ""},
		{"a word that ends in a keyword", "This prefixes #4", ""},
		{"code is no claim", "`fixes #4`", ""},
		{"a fence is no claim", "```\nfixes #4\n```", ""},
		{"a quotation is somebody else's", "> fixes #4", ""},
		{"a comment is said to nobody", "<!-- fixes #4 -->", ""},
		{"a number that goes on", "fixes #4-beta", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := of(hosted(t, tt.body, h, nil), "issue")
			got := checks.Verdict("")
			if f != nil {
				got = f.Verdict
			}
			if got != tt.want {
				t.Errorf("%q is %q, want %q", tt.body, got, tt.want)
			}
		})
	}
	t.Run("a dead link is worth a word", func(t *testing.T) {
		j := hosted(t, "See https://github.com/acme/app/pull/4 for more.", h, nil)
		if len(j.Observations) != 1 || j.Observations[0].Kind != "dead-link" {
			t.Errorf("observed %+v", j.Observations)
		}
	})
}

func TestSettledChecksCanBeTurnedOffAndIgnored(t *testing.T) {
	h := checks.Hosted{Repository: "acme/app", Server: "https://github.com", Runs: []checks.HostedRun{{Name: "test", State: checks.RunFailed}},
		Issues: map[checks.IssueRef]checks.HostedIssue{{Repository: "acme/app", Number: 4}: {Known: true}}}
	body := "All tests pass.\n\nFixes #4\n"
	if j := hosted(t, body, h, map[string]string{"ci": "off", "issue": "off"}); of(j, "ci") != nil || of(j, "issue") != nil {
		t.Errorf("turned off, and found %+v", j.Claims)
	}
	j := hosted(t, body+"\nSayso-Ignore: ci the runner is broken today\n", h, nil)
	if f := of(j, "ci"); f == nil || f.Ignored == "" {
		t.Errorf("ignored, and found %+v", f)
	}
	if j.Verdict != checks.Contradicted {
		t.Errorf("the other contradiction still holds, and the verdict is %s", j.Verdict)
	}
}

func FuzzSettle(f *testing.F) {
	f.Add("All tests pass.\nFixes #12, closes a/b#3 and https://github.com/a/b/issues/9")
	f.Add("```\nfixes #1\n``")
	f.Add("<!-- \x00 fixes #1 \xff")
	h := checks.Hosted{Repository: "a/b", Server: "https://github.com", Runs: []checks.HostedRun{{Name: "test", State: checks.RunFailed}}}
	f.Fuzz(func(t *testing.T, body string) {
		body = strings.ToValidUTF8(body, "\uFFFD")
		j := hosted(t, body, h, nil)
		for _, c := range j.Claims {
			if c.Place.Line < 1 || c.Place.Column < 1 || c.Fingerprint == "" {
				t.Fatalf("a claim stands nowhere: %+v", c)
			}
		}
		if j.Coverage.NotClaim < 0 || j.Coverage.Claims != len(j.Claims) {
			t.Fatalf("the coverage is %+v of %d claims", j.Coverage, len(j.Claims))
		}
	})
}

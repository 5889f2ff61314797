package action_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/saysolint/sayso/action"
	"github.com/saysolint/sayso/action/githubtest"
	"github.com/saysolint/sayso/checks"
	"github.com/saysolint/sayso/claim"
	"github.com/saysolint/sayso/internal/engine"
	"github.com/saysolint/sayso/report"
)

// reportOf is a report with one contradiction for each text.
func reportOf(t *testing.T, claims ...string) report.Report {
	t.Helper()
	res := engine.Result{ID: "a..b", Kind: "pull-request"}
	for i, text := range claims {
		res.Claims = append(res.Claims, checks.Finding{
			Claim: claim.Claim{Text: text, Place: claim.Place{Source: claim.SourceBody, Line: i + 1, Column: 1}}, Verdict: checks.Contradicted, Strength: checks.Strong, Check: "scope",
			Reason: "no test file changed", Fingerprint: fmt.Sprintf("%016x", len(text)*1000+int(text[0])),
			Evidence: []checks.Evidence{{Fact: "x", Path: "src/a.go", Line: 2 + i, Side: "new"}},
		})
	}
	var buf bytes.Buffer
	w, err := report.NewWriter(&buf, report.JSON, report.Run{Tool: report.Tool{Name: "sayso", Version: "1.2.3"}, FailOn: []string{"contradicted"}}, report.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Add(res)); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := report.Parse(buf.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func publication(t *testing.T, head string, run int64, claims ...string) action.Publication {
	return action.Publication{
		Target: action.Target{Repo: acme, Number: 7, Head: head, Base: githubtest.Hash("appbase"), Run: run, Attempt: 1, RunURL: "https://github.test/run/1", Server: "https://github.test"},
		Report: reportOf(t, claims...),
	}
}

func pull(r *githubtest.Repo) *githubtest.Pull {
	return r.AddPull(githubtest.Pull{Issue: githubtest.Issue{Number: 7}, Files: []githubtest.File{{Path: "src/a.go", Patch: "@@ -1,1 +1,9 @@\n context\n+2\n+3\n+4"}}})
}

func TestTheCommentFollowsThePullRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, r := world(t)
		head := pull(r).Head
		r.AddComment(7, "mallory", "<!-- sayso:state v1 e30 -->\nall is well")
		sticky := &action.StickyComment{API: client(t, s)}
		publish := func(want action.State, pub action.Publication) string {
			t.Helper()
			o, err := sticky.Publish(t.Context(), pub)
			if err != nil || o.State != want {
				t.Fatalf("%+v, %v, want %s", o, err, want)
			}
			all := r.Conversation(7)
			if len(all) > 2 {
				t.Fatalf("%d comments", len(all))
			}
			if len(all) == 1 {
				return ""
			}
			return visible(all[1].Body)
		}
		publish(action.Silent, publication(t, head, 1))
		first := publish(action.Published, publication(t, head, 2, "adds tests"))
		if !strings.Contains(first, "1 claim is contradicted") || !strings.Contains(first, "(https://github.test/acme/app/blob/"+head+"/src/a.go#L2)") {
			t.Errorf("it does not say what is wrong:\n%s", first)
		}
		if again := publish(action.Unchanged, publication(t, head, 2, "adds tests")); again != first {
			t.Errorf("done twice it is another comment:\n%s", again)
		}
		old := publication(t, head, 1, "something old")
		r.Push(7, githubtest.Hash("second"))
		publish(action.Stale, old)
		mended := publish(action.Published, publication(t, githubtest.Hash("second"), 3))
		if !strings.Contains(mended, "nothing needs attention") || !strings.Contains(mended, "mended: “adds tests” (contradicted at <code>"+head[:7]) {
			t.Errorf("what was mended is not shown as mended:\n%s", mended)
		}
		publish(action.Stale, publication(t, head, 9, "an old commit, run again"))
		back := publish(action.Published, publication(t, githubtest.Hash("second"), 4, "adds tests"))
		if strings.Contains(back, "mended:") {
			t.Errorf("what is contradicted again is still called mended:\n%s", back)
		}
		if k := r.Conversation(7)[0]; k.Author != "mallory" || len(k.Versions) != 1 {
			t.Error("somebody else's comment was touched")
		}
	})
}

// visible is a comment without the line for later runs.
func visible(body string) string {
	_, rest, _ := strings.Cut(body, "\n")
	return rest
}

// settled fails unless there is exactly one comment, with the text.
func settled(t *testing.T, r *githubtest.Repo, text string) {
	t.Helper()
	all := r.Conversation(7)
	if len(all) != 1 || !strings.Contains(all[0].Body, text) {
		for _, c := range all {
			t.Logf("comment %d: %s", c.ID, visible(c.Body))
		}
		t.Errorf("%d comments, want one that says %q", len(all), text)
	}
}

func TestEveryCallOfTheCommentMayFail(t *testing.T) {
	calls := []string{"POST /graphql", "GET /repos/*/*/issues/*/comments", "GET /repos/*/*/pulls/*", "POST /repos/*/*/issues/*/comments", "PATCH /repos/*/*/issues/comments/*", "DELETE /repos/*/*/issues/comments/*"}
	for _, match := range calls {
		for _, kind := range githubtest.Kinds {
			for _, times := range []int{1, 2, -1} {
				t.Run(fmt.Sprint(match, " ", kind, " ", times), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						s, r := world(t)
						p := pull(r)
						sticky := &action.StickyComment{API: client(t, s)}
						if match[0] == 'P' && match[1] == 'A' || match[0] == 'D' {
							if _, err := sticky.Publish(t.Context(), publication(t, p.Head, 1, "an older claim")); err != nil {
								t.Fatal(err)
							}
						}
						if match[0] == 'D' {
							// Another run made a second comment at the same time.
							r.AddComment(7, "github-actions[bot]", r.Conversation(7)[0].Body)
						}
						s.Fail(githubtest.Fault{Match: match, Kind: kind, Times: times})
						o, err := (&action.StickyComment{API: client(t, s)}).Publish(t.Context(), publication(t, p.Head, 2, "adds tests"))
						switch o.State {
						case action.Published, action.Unchanged:
							settled(t, r, "adds tests")
						case action.Refused, action.Failed:
							if o.Reason == "" || strings.Contains(o.Reason, jobToken) {
								t.Errorf("no clear message: %+v, %v", o, err)
							}
							if n := len(r.Conversation(7)); match[0] != 'D' && n > 1 {
								t.Errorf("%d comments", n)
							}
						default:
							t.Errorf("%+v, %v", o, err)
						}
						// The next run mends whatever was left.
						s.Heal()
						if o, err := (&action.StickyComment{API: client(t, s)}).Publish(t.Context(), publication(t, p.Head, 3, "adds docs")); err != nil || o.State != action.Published {
							t.Fatalf("the next run: %+v, %v", o, err)
						}
						settled(t, r, "adds docs")
					})
				})
			}
		}
	}
}

func TestARunThatIsKilledLeavesOneCommentToTheNext(t *testing.T) {
	for _, kind := range []githubtest.Kind{githubtest.CallerKilled, githubtest.CallerKilledEnd} {
		for skip := range 8 {
			t.Run(fmt.Sprint(kind, " at call ", skip), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					s, r := world(t)
					p := pull(r)
					ctx, kill := context.WithCancel(t.Context())
					defer kill()
					s.Fail(githubtest.Fault{Kind: kind, Skip: skip, Kill: kill})
					(&action.StickyComment{API: client(t, s)}).Publish(ctx, publication(t, p.Head, 1, "adds tests"))
					if n := len(r.Conversation(7)); n > 1 {
						t.Errorf("%d comments", n)
					}
					s.Heal()
					if o, err := (&action.StickyComment{API: client(t, s)}).Publish(t.Context(), publication(t, p.Head, 2, "adds docs")); err != nil || o.State != action.Published {
						t.Fatalf("%+v, %v", o, err)
					}
					settled(t, r, "adds docs")
				})
			})
		}
	}
}

func TestConcurrentRunsConvergeOnOneComment(t *testing.T) {
	for _, runs := range []int{2, 10} {
		for seed := range 25 {
			t.Run(fmt.Sprint(runs, " runs, order ", seed), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					s, r := world(t)
					p := pull(r)
					var mu sync.Mutex
					dice := rand.New(rand.NewSource(int64(seed)))
					s.Latency = func(*http.Request) time.Duration {
						mu.Lock()
						defer mu.Unlock()
						return time.Duration(dice.Intn(900)) * time.Millisecond
					}
					s.RateLimit = 100000
					var wg sync.WaitGroup
					for run := 1; run <= runs; run++ {
						c := client(t, s)
						pub := publication(t, p.Head, int64(run), fmt.Sprintf("claim of run %d.", run))
						wg.Go(func() {
							if o, err := (&action.StickyComment{API: c}).Publish(t.Context(), pub); err != nil {
								t.Errorf("run %d: %+v, %v", pub.Target.Run, o, err)
							}
						})
					}
					wg.Wait()
					settled(t, r, fmt.Sprintf("claim of run %d.", runs))
				})
			})
		}
	}
}

func TestWithoutPermissionTheFindingsAreShownElsewhere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, r := world(t)
		p := pull(r)
		s.AddToken("ghs_fork", githubtest.ForkToken())
		c := client(t, s, func(o *action.ClientOptions) { o.Token = "ghs_fork" })
		var summary, log, raw, sarif bytes.Buffer
		pub := publication(t, p.Head, 1, "adds tests")
		outcomes := action.PublishAll(t.Context(), pub, &action.StickyComment{API: c}, &action.CheckRunPublisher{API: c}, &action.ReviewPublisher{API: c},
			action.Annotations{W: &log}, action.SARIF{W: &sarif}, action.JSON{W: &raw}, action.Summary{W: &summary})
		for i, want := range []action.State{action.Refused, action.Refused, action.Refused, action.Published, action.Published, action.Published, action.Published} {
			if outcomes[i].State != want {
				t.Errorf("%+v, want %s", outcomes[i], want)
			}
		}
		for name, text := range map[string]string{"summary": summary.String(), "annotations": log.String(), "json": raw.String(), "sarif": sarif.String()} {
			if !strings.Contains(text, "adds tests") {
				t.Errorf("the %s has no findings:\n%s", name, text)
			}
		}
		if !strings.Contains(summary.String(), "the comment could not be published") {
			t.Errorf("the summary does not say what is missing elsewhere:\n%s", summary.String())
		}
	})
}

func TestTheCheckRunCarriesAllAnnotationsOnce(t *testing.T) {
	var many []string
	for i := range 120 {
		many = append(many, fmt.Sprintf("claim %d", i))
	}
	for _, match := range []string{"none", "POST /repos/*/*/check-runs", "PATCH /repos/*/*/check-runs/*", "GET /repos/*/*/commits/*/check-runs"} {
		for _, kind := range []githubtest.Kind{githubtest.Timeout, githubtest.TimeoutAfter, githubtest.ResetAfter, githubtest.ResetMidBody, githubtest.Status500, githubtest.Status502After, githubtest.SecondaryLimit} {
			t.Run(fmt.Sprint(match, " ", kind), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					s, r := world(t)
					p := pull(r)
					if match != "none" {
						s.Fail(githubtest.Fault{Match: match, Kind: kind})
					}
					check := &action.CheckRunPublisher{API: client(t, s), FailOn: []string{"contradicted"}}
					o, err := check.Publish(t.Context(), publication(t, p.Head, 1, many...))
					if err != nil || o.State != action.Published {
						t.Fatalf("%+v, %v", o, err)
					}
					runs := r.Runs()
					if len(runs) != 1 || runs[0].Conclusion != "failure" || runs[0].SHA != p.Head {
						t.Fatalf("%d runs: %+v", len(runs), runs)
					}
					seen := map[string]int{}
					for _, a := range runs[0].Annotations {
						seen[a.Message]++
					}
					if len(seen) != 120 || len(runs[0].Annotations) != 120 {
						t.Errorf("%d annotations, %d different ones, want 120", len(runs[0].Annotations), len(seen))
					}
				})
			})
		}
	}
}

func TestConclusionsAreMappedByName(t *testing.T) {
	bad, good := reportOf(t, "adds tests"), reportOf(t)
	failed := good
	failed.Summary.Failed = 1
	for _, c := range []struct {
		name            string
		report          report.Report
		failOn, neutral []string
		want            string
	}{
		{"nothing wrong", good, []string{"contradicted"}, nil, "success"},
		{"never fails", bad, []string{"never"}, nil, "success"},
		{"the gate is met", bad, []string{"contradicted"}, nil, "failure"},
		{"neutral where it was chosen", bad, []string{"never"}, []string{"contradicted"}, "neutral"},
		{"unread under a gate", failed, []string{"contradicted"}, nil, "action_required"},
		{"unread without one", failed, []string{"never"}, nil, "success"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := action.Conclusion(c.report, c.failOn, c.neutral); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
}

func TestReviewsAreCappedAndSaidOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, r := world(t)
		p := pull(r)
		review := &action.ReviewPublisher{API: client(t, s), Max: 2}
		for round, want := range []int{2, 3, 3} {
			o, err := review.Publish(t.Context(), publication(t, p.Head, 1, "adds tests", "fixes it all", "is fast"))
			if err != nil || o.State == action.Failed || len(r.ReviewNotes) != want {
				t.Fatalf("round %d: %+v, %v, %d comments, want %d", round, o, err, len(r.ReviewNotes), want)
			}
		}
	})
}

func TestAnOverlongCommentIsCutBetweenItems(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, r := world(t)
		p := pull(r)
		var many []string
		for i := range 400 {
			many = append(many, fmt.Sprintf("%d says %s", i, strings.Repeat("ä", 190)))
		}
		pub := publication(t, p.Head, 1, many...)
		pub.FullAt = "https://github.test/run/1"
		o, err := (&action.StickyComment{API: client(t, s)}).Publish(t.Context(), pub)
		if err != nil || o.Cut == 0 {
			t.Fatalf("%+v, %v", o, err)
		}
		text := r.Conversation(7)[0].Body
		if !strings.Contains(text, fmt.Sprintf("**Cut:** %d of the list", o.Cut)) || !strings.Contains(text, "[here](https://github.test/run/1)") || strings.Count(text, "<details>") != strings.Count(text, "</details>") {
			t.Errorf("%s", text[len(text)-800:])
		}
	})
}

// hostile are texts that try to get out of where they are shown.
var hostile = []string{
	"@acme/everyone look #12 acme/app#1 GH-3", "</details><script>alert(1)</script><img src=x onerror=y>", "[click](https://evil.example) ![x](https://evil.example/t.png)",
	"--> <!-- sayso:state v1 e30 -->", "a\n::error::boom\n##[group]x", "| a | b |\n| --- | --- |", "```\nfence", "\x1b[31mred\x1b[0m\u202eevil", "$\\sqrt{x}$ <!-- ", "www.evil.example javascript:alert(1)",
	"ghp_0123456789abcdefghijABCDEFGHIJ012345",
}

func TestHostileTextStaysText(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, r := world(t)
		p := pull(r)
		pub := publication(t, p.Head, 1, hostile...)
		pub.Sections = []action.Section{{Title: hostile[1], Lines: hostile, Pressing: true}}
		pub.FullAt = "https://x/)[y](z"
		for _, h := range hostile {
			pub.Learned = append(pub.Learned, action.Proposal{ID: h, Kind: h, Title: h, Body: h, State: "proposed", By: h})
		}
		for i := range pub.Report.Results[0].Claims {
			pub.Report.Results[0].Claims[i].Evidence[0].Path = hostile[i] + "/(x)[y].go"
		}
		c := client(t, s)
		var summary, log, raw bytes.Buffer
		for _, o := range action.PublishAll(t.Context(), pub, &action.StickyComment{API: c}, &action.CheckRunPublisher{API: c}, action.Summary{W: &summary}, action.Annotations{W: &log}, action.JSON{W: &raw}) {
			if o.State != action.Published {
				t.Errorf("%+v", o)
			}
		}
		if !json.Valid(raw.Bytes()) {
			t.Error("masking broke the JSON")
		}
		texts := map[string]string{"comment": visible(r.Conversation(7)[0].Body), "check": r.Runs()[0].Summary, "summary": summary.String()}
		for name, text := range texts {
			for _, bad := range []string{"@acme", "#12", "<script", "<img", "](https://evil", "<!--", "-->", "\x1b", "\u202e", "```", " www.evil", "javascript:alert(", "ghp_0123", "](z", "\n::", "\n|", "](javascript"} {
				if at := strings.Index(text, bad); at >= 0 {
					t.Errorf("the %s has %q alive: %.120q", name, bad, text[max(at-60, 0):])
				}
			}
		}
		for _, line := range strings.Split(log.String(), "\n") {
			if line != "" && !strings.HasPrefix(line, "::error ") && !strings.HasPrefix(line, "::notice ") && !strings.HasPrefix(line, "::warning ") || strings.Contains(line, "##[") || strings.Contains(line, "ghp_0123") {
				t.Errorf("annotations: %q", line)
			}
		}
	})
}

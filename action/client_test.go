package action_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"github.com/saysolint/sayso/action"
	"github.com/saysolint/sayso/action/githubtest"
)

const jobToken = "ghs_0123456789abcdefghijklmnopqrstuvwxyz"

var acme = action.Repo{Owner: "acme", Name: "app"}

// world is a server with one repository and the token of a job.
func world(t *testing.T) (*githubtest.Server, *githubtest.Repo) {
	s := githubtest.New()
	s.AddToken(jobToken, githubtest.JobToken())
	t.Cleanup(func() { s.Verify(t) })
	return s, s.AddRepo("acme", "app")
}

func client(t *testing.T, s *githubtest.Server, change ...func(*action.ClientOptions)) *action.Client {
	t.Helper()
	o := action.ClientOptions{BaseURL: s.URL(), Token: jobToken, Transport: s.Transport()}
	for _, f := range change {
		f(&o)
	}
	c, err := action.NewClient(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestListsAreReadToTheLastPage(t *testing.T) {
	for _, n := range []int{0, 1, 30, 31, 100, 101, 250, 300} {
		t.Run(fmt.Sprint(n, " commits"), func(t *testing.T) {
			s, r := world(t)
			var shas []string
			for i := range n {
				shas = append(shas, githubtest.Hash(fmt.Sprint("commit ", i)))
			}
			if shas == nil {
				shas = []string{}
			}
			r.AddPull(githubtest.Pull{Issue: githubtest.Issue{Number: 7}, CommitList: shas})
			got, err := client(t, s).PullRequestCommits(t.Context(), acme, 7)
			if err != nil {
				t.Fatal(err)
			}
			if want := min(n, 250); len(got.Items) != want || got.Capped != (n >= 250) {
				t.Fatalf("%d commits, capped %v; want %d", len(got.Items), got.Capped, want)
			}
			for i, c := range got.Items {
				if c.SHA != shas[i] {
					t.Fatalf("commit %d is %s, want %s: the pages are out of order", i, c.SHA, shas[i])
				}
			}
		})
	}
}

func TestRowsThatSayNothingAreTruncated(t *testing.T) {
	s, r := world(t)
	s.DiffLines = 12
	patch := "@@ -1,2 +1,2 @@\n-old\n+new\n context"
	r.AddPull(githubtest.Pull{Issue: githubtest.Issue{Number: 7}, Files: []githubtest.File{
		{Path: "read.go", Patch: patch},
		{Path: "empty.go", Status: "added", SHA: "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"},
		{Path: "moved.go", Previous: "old.go", Status: "renamed"},
		{Path: "binary.png"},
		{Path: "long.go", Patch: patch, Additions: 500, Deletions: 3},
		{Path: "cut.go", Patch: patch + strings.Repeat("\n+x", 20)},
		{Path: "late.go", Previous: "b.go", Status: "renamed"},
	}})
	got, err := client(t, s).PullRequestFiles(t.Context(), acme, 7)
	if err != nil {
		t.Fatal(err)
	}
	var cut []string
	for _, f := range got.Items {
		if f.Truncated {
			cut = append(cut, f.Path)
		}
	}
	if want := []string{"binary.png", "long.go", "cut.go", "late.go"}; !slices.Equal(cut, want) {
		t.Fatalf("truncated: %v, want %v", cut, want)
	}
}

func TestReadsAreTriedAgainAndWritesAreNot(t *testing.T) {
	again := []githubtest.Kind{githubtest.Timeout, githubtest.Reset, githubtest.ResetAfter, githubtest.ResetMidBody, githubtest.Status500, githubtest.Status502}
	for _, kind := range again {
		t.Run(string(kind), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, r := world(t)
				r.AddPull(githubtest.Pull{Issue: githubtest.Issue{Number: 7, Title: "Add a thing"}})
				c := client(t, s)
				s.Fail(githubtest.Fault{Match: "GET /repos/*/*/pulls/*", Kind: kind, Times: 3})
				p, err := c.PullRequest(t.Context(), acme, 7)
				if err != nil || p.Title != "Add a thing" {
					t.Fatalf("%+v, %v", p, err)
				}
				if n := s.Count("GET /repos/*/*/pulls/*"); n != 4 {
					t.Errorf("%d attempts, want 4", n)
				}
				s.Fail(githubtest.Fault{Match: "POST /repos/*/*/issues/*/comments", Kind: kind, Times: -1})
				if _, err := c.CreateComment(t.Context(), acme, 7, "hello"); !errors.Is(err, action.ErrUnavailable) {
					t.Errorf("a comment that failed: %v, want ErrUnavailable", err)
				}
				if n := s.Count("POST /repos/*/*/issues/*/comments"); n != 1 {
					t.Errorf("the comment was sent %d times", n)
				}
			})
		})
	}
}

func TestRateLimitsAreWaitedForAsLongAsPatienceLasts(t *testing.T) {
	for _, c := range []struct {
		kind     githubtest.Kind
		patience time.Duration
		waits    time.Duration // at least; 0: gives up
	}{
		{githubtest.SecondaryLimit, time.Minute, 7 * time.Second},
		{githubtest.SecondaryLimit, time.Second, 0},
		{githubtest.SecondaryBare, 5 * time.Minute, time.Minute},
		{githubtest.SecondaryBare, 30 * time.Second, 0},
		{githubtest.PrimaryLimit, 2 * time.Hour, time.Hour - time.Second},
		{githubtest.PrimaryLimit, 5 * time.Minute, 0},
	} {
		t.Run(fmt.Sprint(c.kind, " with patience for ", c.patience), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, r := world(t)
				r.AddPull(githubtest.Pull{Issue: githubtest.Issue{Number: 7}})
				cl := client(t, s, func(o *action.ClientOptions) { o.Patience = c.patience })
				s.Fail(githubtest.Fault{Kind: c.kind})
				start := time.Now()
				made, err := cl.CreateComment(t.Context(), acme, 7, "hello")
				took := time.Since(start)
				if c.waits == 0 {
					if !errors.Is(err, action.ErrLimited) || took > time.Second {
						t.Fatalf("%v after %s, want ErrLimited at once", err, took)
					}
					return
				}
				if err != nil || made.Body != "hello" || took < c.waits || took > c.waits+time.Minute {
					t.Fatalf("%q, %v after %s, want it posted after %s", made.Body, err, took, c.waits)
				}
				if n := len(r.Conversation(7)); n != 1 {
					t.Errorf("%d comments", n)
				}
			})
		})
	}
}

func TestTheBudgetHoldsBackRequestsForPublishing(t *testing.T) {
	s, r := world(t)
	r.AddPull(githubtest.Pull{Issue: githubtest.Issue{Number: 7}})
	c := client(t, s, func(o *action.ClientOptions) { o.Budget, o.Reserve, o.Pause = 5, 2, -1 })
	for range 3 {
		if _, err := c.PullRequest(t.Context(), acme, 7); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := c.PullRequest(t.Context(), acme, 7); !errors.Is(err, action.ErrBudget) {
		t.Fatalf("the fourth read: %v, want ErrBudget", err)
	}
	for range 2 {
		if _, err := c.CreateComment(t.Context(), acme, 7, "hello"); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := c.CreateComment(t.Context(), acme, 7, "hello"); !errors.Is(err, action.ErrBudget) {
		t.Fatalf("over the whole budget: %v", err)
	}
	if c.Requests() != 5 {
		t.Errorf("%d requests", c.Requests())
	}
}

func TestWhatHasNotChangedCostsNothingOfTheRate(t *testing.T) {
	s, r := world(t)
	r.AddPull(githubtest.Pull{Issue: githubtest.Issue{Number: 7, Title: "One"}})
	c := client(t, s)
	read := func(want string) (status int) {
		t.Helper()
		p, err := c.PullRequest(t.Context(), acme, 7)
		if err != nil || p.Title != want {
			t.Fatalf("%q, %v, want %q", p.Title, err, want)
		}
		all := s.Exchanges()
		return all[len(all)-1].Status
	}
	read("One")
	if status := read("One"); status != http.StatusNotModified {
		t.Errorf("the second read was answered with %d, want 304", status)
	}
	s.Change(func() { r.Pulls[7].Title = "Two" })
	if status := read("Two"); status != http.StatusOK {
		t.Errorf("after a change: %d", status)
	}
}

func TestWritesComeOneAfterTheOtherWithAPause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, r := world(t)
		r.AddPull(githubtest.Pull{Issue: githubtest.Issue{Number: 7}})
		s.Latency = func(*http.Request) time.Duration { return 300 * time.Millisecond }
		c := client(t, s)
		start := time.Now()
		done := make(chan error, 3)
		for range 3 {
			go func() {
				_, err := c.CreateComment(t.Context(), acme, 7, "hello")
				done <- err
			}()
		}
		for range 3 {
			if err := <-done; err != nil {
				t.Fatal(err)
			}
		}
		if took := time.Since(start); took != 3*300*time.Millisecond+2*time.Second {
			t.Errorf("three writes took %s", took)
		}
	})
}

func TestWhoseTokenItIs(t *testing.T) {
	for name, c := range map[string]struct {
		secret string
		token  githubtest.Token
		want   string
	}{
		"a job's":      {jobToken, githubtest.JobToken(), "github-actions[bot]"},
		"an app's":     {"ghs_x", githubtest.Token{Login: "helper[bot]", Bot: true, Installation: true}, "helper[bot]"},
		"a person's":   {"ghp_x", githubtest.Token{Login: "ada"}, "ada"},
		"of old shape": {"v1.x", githubtest.Token{Login: "helper[bot]", Bot: true, Installation: true}, "helper[bot]"},
	} {
		t.Run(name, func(t *testing.T) {
			s, _ := world(t)
			s.AddToken(c.secret, c.token)
			cl := client(t, s, func(o *action.ClientOptions) { o.Token = c.secret })
			self, err := cl.Self(t.Context())
			if err != nil || self.Login != c.want || self.Bot != strings.HasSuffix(c.want, "[bot]") {
				t.Fatalf("%+v, %v", self, err)
			}
			n := cl.Requests()
			if _, err := cl.Self(t.Context()); err != nil || cl.Requests() != n {
				t.Error("it was asked for twice")
			}
		})
	}
}

func TestAnAppWritesAsItself(t *testing.T) {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	public, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	if err != nil {
		t.Fatal(err)
	}
	private := pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)})
	s, r := world(t)
	r.Private, r.Installation = true, 77
	r.AddPull(githubtest.Pull{Issue: githubtest.Issue{Number: 7}})
	s.AddApp(githubtest.App{ID: 5, Slug: "sayso-bot", Key: pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: public})})
	c := client(t, s, func(o *action.ClientOptions) {
		o.Token, o.App = "", &action.App{ID: 5, Repo: acme, Key: private}
	})
	made, err := c.CreateComment(t.Context(), acme, 7, "hello")
	if err != nil || made.Author.Login != "sayso-bot[bot]" || !made.Author.Bot {
		t.Fatalf("%+v, %v", made, err)
	}
	if self, err := c.Self(t.Context()); err != nil || self.Login != "sayso-bot[bot]" {
		t.Errorf("%+v, %v", self, err)
	}

	broken := bytes.Replace(private, []byte("A"), []byte("!"), 20)
	_, err = action.NewClient(t.Context(), action.ClientOptions{BaseURL: s.URL(), Transport: s.Transport(), App: &action.App{ID: 5, Repo: acme, Key: broken}})
	if !errors.Is(err, action.ErrInvalid) || strings.Contains(err.Error(), string(broken[100:140])) {
		t.Errorf("a key that cannot be read: %v", err)
	}
}

func TestErrorsAreOfAKindAndWithoutTheToken(t *testing.T) {
	for kind, want := range map[githubtest.Kind]error{
		githubtest.Forbidden:      action.ErrForbidden,
		githubtest.Gone:           action.ErrNotFound,
		githubtest.TooLong:        action.ErrInvalid,
		githubtest.Status500:      action.ErrUnavailable,
		githubtest.Timeout:        action.ErrUnavailable,
		githubtest.NotJSON:        action.ErrUnavailable,
		githubtest.SecondaryLimit: action.ErrLimited,
		githubtest.PrimaryLimit:   action.ErrLimited,
	} {
		t.Run(string(kind), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, _ := world(t)
				var logged bytes.Buffer
				c := client(t, s, func(o *action.ClientOptions) {
					o.Retries, o.Patience = -1, time.Second
					o.Log = zerolog.New(&logged).Level(zerolog.TraceLevel)
				})
				s.Fail(githubtest.Fault{Kind: kind, Times: -1})
				_, err := c.PullRequest(t.Context(), acme, 7)
				if !errors.Is(err, want) {
					t.Fatalf("%v, want %v", err, want)
				}
				for _, text := range []string{err.Error(), fmt.Sprintf("%+v %#v", err, err), logged.String()} {
					if strings.Contains(text, jobToken) || strings.Contains(err.Error(), "\n") {
						t.Errorf("the token, or a second line, in %q", text)
					}
				}
				if !strings.HasPrefix(err.Error(), "read pull request acme/app#7: ") {
					t.Errorf("it does not say what was asked for: %v", err)
				}
			})
		})
	}
}

func TestTheTokenGoesToOneHostOnly(t *testing.T) {
	s, r := world(t)
	r.AddPull(githubtest.Pull{Issue: githubtest.Issue{Number: 7}})
	var strangers []*http.Request
	c := client(t, s, func(o *action.ClientOptions) {
		o.Transport = roundTrip(func(req *http.Request) (*http.Response, error) {
			if req.URL.Host == "api.github.test" {
				return &http.Response{StatusCode: http.StatusTemporaryRedirect, Header: http.Header{"Location": {"https://elsewhere.example/x"}}, Body: http.NoBody, Request: req}, nil
			}
			strangers = append(strangers, req)
			return nil, errors.New("no such host")
		})
	})
	if _, err := c.PullRequest(t.Context(), acme, 7); err == nil {
		t.Error("a redirect to another host was followed")
	}
	if len(strangers) > 0 {
		t.Errorf("asked another host, with %v", strangers[0].Header)
	}
	for _, base := range []string{"http://ghe.example.com/api/v3", "ftp://x", "https://user:pw@host/", "://", "https://host/?x=1"} {
		if _, err := action.NewClient(t.Context(), action.ClientOptions{BaseURL: base, Token: jobToken}); err == nil {
			t.Errorf("%s was taken", base)
		}
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestAServerOfOnesOwnIsAskedBelowItsBase(t *testing.T) {
	var asked []string
	c, err := action.NewClient(t.Context(), action.ClientOptions{BaseURL: "https://ghe.example.com/api/v3", Token: "ghs_x", Retries: -1,
		Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
			asked = append(asked, r.URL.String())
			return nil, errors.New("refused")
		})})
	if err != nil {
		t.Fatal(err)
	}
	c.Settings(t.Context(), acme)
	c.Self(t.Context())
	if want := []string{"https://ghe.example.com/api/v3/repos/acme/app", "https://ghe.example.com/api/graphql"}; !slices.Equal(asked, want) {
		t.Errorf("asked %v, want %v", asked, want)
	}
}

func TestFactsAreRead(t *testing.T) {
	s, r := world(t)
	ctx := t.Context()
	c := client(t, s)
	p := r.AddPull(githubtest.Pull{Issue: githubtest.Issue{Number: 7, Title: "T", NoBody: true, Labels: []string{"a", "b"}, Author: "ada"}, HeadRepo: "ada/app", Draft: true})
	r.AddPull(githubtest.Pull{Issue: githubtest.Issue{Number: 8}, HeadRepo: "-"})
	r.AddIssue(githubtest.Issue{Number: 3, Title: "Bug", State: "closed"})
	s.AddRepo("acme", "other").AddIssue(githubtest.Issue{Number: 4, Title: "Elsewhere"})
	r.AddIssue(githubtest.Issue{Number: 4, Transferred: "acme/other"})
	r.CheckRuns = append(r.CheckRuns, &githubtest.CheckRun{ID: 1, Name: "test", SHA: p.Head, Status: "completed", Conclusion: "failure"})
	r.Statuses[p.Head] = []*githubtest.Status{{Context: "ci", State: "success", URL: "https://ci.example"}}
	r.Trees[p.Base] = map[string]string{".sayso.yaml": "version: 1\n", "docs/a b#c.md": "x", "big.bin": strings.Repeat("y", 2<<20)}
	r.Collaborators["bea"], r.Collaborators["cy"] = "maintain", "triage"
	r.SquashTitle, r.SquashMessage = "PR_TITLE", "PR_BODY"
	s.AddToken("ghp_ada", githubtest.Token{Login: "ada"})

	pr, err := c.PullRequest(ctx, acme, 7)
	if err != nil || pr.Body != "" || !pr.Draft || !pr.Fork() || pr.Head.Repo.String() != "ada/app" || !slices.Equal(pr.Labels, []string{"a", "b"}) || pr.Author.Login != "ada" {
		t.Errorf("%+v, %v", pr, err)
	}
	if gone, err := c.PullRequest(ctx, acme, 8); err != nil || gone.Head.Repo != (action.Repo{}) || !gone.Fork() {
		t.Errorf("a deleted fork: %+v, %v", gone, err)
	}
	if list, err := c.PullRequestsOf(ctx, acme, p.Head); err != nil || len(list) != 1 || list[0].Number != 7 {
		t.Errorf("%+v, %v", list, err)
	}
	if got, err := c.Settings(ctx, acme); err != nil || got != (action.Settings{DefaultBranch: "main", Squash: true, SquashTitle: "PR_TITLE", SquashMessage: "PR_BODY"}) {
		t.Errorf("%+v, %v", got, err)
	}
	if got, err := c.CheckRuns(ctx, acme, p.Head); err != nil || len(got.Items) != 1 || got.Items[0].Conclusion != "failure" || got.Items[0].App != "github-actions" {
		t.Errorf("%+v, %v", got, err)
	}
	if got, err := c.Statuses(ctx, acme, p.Head); err != nil || len(got.Items) != 1 || got.Items[0].State != "success" {
		t.Errorf("%+v, %v", got, err)
	}
	if got, err := c.Issue(ctx, acme, 3); err != nil || got.State != "closed" || got.PullRequest || got.Repo != acme {
		t.Errorf("%+v, %v", got, err)
	}
	if got, err := c.Issue(ctx, acme, 7); err != nil || !got.PullRequest {
		t.Errorf("%+v, %v", got, err)
	}
	if got, err := c.Issue(ctx, acme, 4); err != nil || got.Repo.Name != "other" || got.Title != "Elsewhere" {
		t.Errorf("a moved issue: %+v, %v", got, err)
	}
	if _, err := c.Issue(ctx, acme, 999); !errors.Is(err, action.ErrNotFound) {
		t.Errorf("no such issue: %v", err)
	}
	for path, want := range r.Trees[p.Base] {
		if got, err := c.Content(ctx, acme, path, p.Base); err != nil || string(got) != want {
			t.Errorf("%s: %d bytes, %v", path, len(got), err)
		}
	}
	for _, path := range []string{"docs", "nothing", "../x"} {
		if _, err := c.Content(ctx, acme, path, p.Base); !errors.Is(err, action.ErrNotFound) {
			t.Errorf("%s: %v", path, err)
		}
	}
	if got, err := c.Tree(ctx, acme, p.Base); err != nil || len(got.Items) != 3 || got.Capped {
		t.Errorf("%+v, %v", got, err)
	}
	for login, want := range map[string]action.Permission{"acme": "admin", "bea": "write", "cy": "read", "ada": "read", "nobody-knows": "none", "a/../b": "none"} {
		if got, err := c.PermissionOf(ctx, acme, login); got != want || err != nil && want != "none" {
			t.Errorf("%s may %s, want %s (%v)", login, got, want, err)
		}
	}
	if got, err := c.Compare(ctx, acme, p.Base, p.Head); err != nil || got.Status != "ahead" || got.MergeBase != p.Base {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := c.PullRequest(ctx, action.Repo{Owner: "acme", Name: "nothing"}, 1); !errors.Is(err, action.ErrNotFound) {
		t.Errorf("no such repository: %v", err)
	}
}

func TestIssuesAndPullRequestsAreWritten(t *testing.T) {
	s, _ := world(t)
	c := client(t, s, func(o *action.ClientOptions) { o.Pause = -1 })
	ctx := t.Context()
	i, err := c.CreateIssue(ctx, acme, "Stale entries", "body", []string{"sayso"})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := c.UpdateIssue(ctx, acme, i.Number, "", "new body", "closed"); err != nil || got.Body != "new body" || got.Title != "Stale entries" || got.State != "closed" {
		t.Errorf("%+v, %v", got, err)
	}
	if got, err := c.ListIssues(ctx, acme, "all", "sayso"); err != nil || len(got) != 1 {
		t.Errorf("%+v, %v", got, err)
	}
	p, err := c.CreatePullRequest(ctx, acme, "Learnings", "b", "sayso/learnings", "main")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.CreatePullRequest(ctx, acme, "Learnings", "b", "sayso/learnings", "main"); !errors.Is(err, action.ErrInvalid) {
		t.Errorf("a second one from the same branch: %v", err)
	}
	if got, err := c.PullRequestsFrom(ctx, acme, "sayso/learnings"); err != nil || len(got) != 1 || got[0].Number != p.Number {
		t.Errorf("%+v, %v", got, err)
	}
	if got, err := c.UpdatePullRequest(ctx, acme, p.Number, "Learnings of May", "", ""); err != nil || got.Title != "Learnings of May" || got.Body != "b" {
		t.Errorf("%+v, %v", got, err)
	}
	k, err := c.CreateComment(ctx, acme, p.Number, "/sayso recheck")
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := c.React(ctx, acme, k.ID, "+1"); err != nil {
			t.Error(err)
		}
	}
	for range 2 {
		if err := c.DeleteComment(ctx, acme, k.ID); err != nil {
			t.Error(err)
		}
	}
}

func TestCancelledCallsReturnAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, r := world(t)
		r.AddPull(githubtest.Pull{Issue: githubtest.Issue{Number: 7}})
		c := client(t, s)
		s.Fail(githubtest.Fault{Kind: githubtest.SecondaryBare, Times: -1})
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		start := time.Now()
		_, err := c.PullRequest(ctx, acme, 7)
		if !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != 10*time.Second {
			t.Errorf("%v after %s", err, time.Since(start))
		}
	})
}

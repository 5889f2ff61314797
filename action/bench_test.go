package action_test

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/saysolint/sayso/action"
	"github.com/saysolint/sayso/internal/git"
	"github.com/saysolint/sayso/internal/git/gittest"
)

// grown is a pull request of many commits and many files, made in one go.
func grown(t testing.TB, commits, files int) (r *gittest.Repo, base, head string) {
	t.Helper()
	r = gittest.New(t)
	var b strings.Builder
	who := func(mark int, message string) {
		fmt.Fprintf(&b, "commit refs/heads/main\nmark :%d\ncommitter C <c@example.com> %d +0000\ndata %d\n%s\n", mark, 1700000000+mark, len(message), message)
	}
	who(1, "Begin")
	fmt.Fprintf(&b, "M 100644 inline main.go\ndata 13\npackage main\n\n")
	for c := range commits {
		who(c+2, fmt.Sprintf("Add part %d\n\nAdds `Part%d`.", c, c))
		for f := range max(1, files/commits) {
			text := fmt.Sprintf("package part\n\n// Part%d is part %d.\nfunc Part%d%s() int { return %d }\n", c, c, c, strings.Repeat("x", f%7), f)
			fmt.Fprintf(&b, "M 100644 inline part%d/file%d.go\ndata %d\n%s\n", c, f, len(text), text)
		}
	}
	r.Feed(b.String(), "fast-import", "--quiet")
	head = r.Git("rev-parse", "refs/heads/main")
	base = r.Git("rev-parse", fmt.Sprintf("refs/heads/main~%d", commits))
	return r, base, head
}

// most is how many requests a pull request may cost that git reads, whatever its size.
const most = 3

func TestTheNumberOfRequestsDoesNotGrowWithThePullRequest(t *testing.T) {
	for _, commits := range []int{1, 30} {
		s := &scene{t: t, show: &shown{}, hub: &hub{settings: action.Settings{Squash: true, SquashTitle: "PR_TITLE", SquashMessage: "COMMIT_MESSAGES"}}}
		s.git, s.base, s.head = grown(t, commits, commits)
		s.pull("Add parts", "Adds parts.")
		s.run = s.runner(s.git.Dir)
		s.judge()
		if n := len(s.hub.asked); n > most {
			t.Errorf("%d commits cost %d requests: %q", commits, n, s.hub.asked)
		}
	}
}

// BenchmarkPullRequest judges whole pull requests that git reads; the metric
// requests is what the API is asked.
func BenchmarkPullRequest(b *testing.B) {
	for _, size := range []struct{ commits, files int }{{1, 1}, {30, 30}, {250, 250}, {1000, 1000}, {30, 3000}} {
		b.Run(fmt.Sprintf("commits=%d/files=%d", size.commits, size.files), func(b *testing.B) {
			r, base, head := grown(b, size.commits, size.files)
			h := &hub{settings: action.Settings{Squash: true, SquashTitle: "PR_TITLE", SquashMessage: "PR_BODY"}, prs: map[int]action.PullRequest{7: {
				Number: 7, Title: "Add parts", Body: "Adds parts.", State: "open", Head: action.Ref{SHA: head, Repo: repo}, Base: action.Ref{SHA: base, Repo: repo},
			}}}
			s := &scene{git: r, hub: h, show: &shown{}}
			runner := s.runner(r.Dir)
			runner.Open = func(ctx context.Context) (*git.Repo, error) {
				return git.Open(ctx, r.Dir, git.Options{Env: r.Env()})
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			b.ResetTimer()
			for range b.N {
				s.show.all = nil
				if _, err := runner.Run(b.Context(), action.ModeAuto); err != nil {
					b.Fatal(err)
				}
			}
			b.StopTimer()
			runtime.ReadMemStats(&after)
			b.ReportMetric(float64(len(h.asked))/float64(b.N), "requests")
			b.ReportMetric(float64(after.Sys)/(1<<20), "MB-sys")
		})
	}
}

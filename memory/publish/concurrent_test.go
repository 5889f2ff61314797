package publish

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/saysolint/sayso/internal/git"
	"github.com/saysolint/sayso/internal/git/gittest"
	"github.com/saysolint/sayso/memory"
)

// TestMain lets the test binary stand in for a publisher: a process of its own,
// which can be many at once and can be killed.
func TestMain(m *testing.M) {
	if os.Getenv("SAYSO_TEST_PUBLISHER") != "" {
		os.Exit(publisher())
	}
	os.Exit(m.Run())
}

// publisher publishes the draft of a number, as its environment says.
func publisher() int {
	ctx := context.Background()
	repo, err := git.Open(ctx, os.Getenv("SAYSO_TEST_FROM"), git.Options{})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer repo.Close()
	t := Target{Remote: os.Getenv("SAYSO_TEST_REMOTE"), Branch: os.Getenv("SAYSO_TEST_BRANCH")}
	var arrivals []memory.Arrival
	for _, f := range strings.Split(os.Getenv("SAYSO_TEST_PUBLISHER"), ",") {
		n, err := strconv.Atoi(f)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		arrivals = append(arrivals, accepted(n))
	}
	o := Options{Repo: repo, Env: os.Environ(), Now: time.Now, Jitter: rand.Int64N, alone: os.Getenv("SAYSO_TEST_ALONE") != ""}
	if t.Remote == "" && t.Branch == "" {
		if o.Store, err = memory.Open(repo.Root(), ""); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	r, err := Publish(ctx, t, arrivals, o)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	fmt.Println(r.Attempts)
	return 0
}

var moment = time.Date(2026, 3, 4, 5, 6, 0, 0, time.UTC)

// accepted is the draft of a number as it is once somebody accepted it.
func accepted(n int) memory.Arrival {
	a, _, err := memory.DraftFile(memory.Entry{Title: fmt.Sprintf("Lesson number %d", n), Kind: memory.KindFact, Notes: strings.Repeat("Why it is so.\n", 20)}, moment)
	if err == nil {
		a.Raw, err = memory.AcceptedFile(a.ID, a.Raw, memory.Review{By: "R", At: moment})
	}
	if err != nil {
		panic(err)
	}
	return a
}

// publishers starts one process for each list of drafts and waits for all.
func publishers(t testing.TB, drafts []string, env func(i int) []string) (attempts []int, took []time.Duration) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	type running struct {
		cmd       *exec.Cmd
		out, errs strings.Builder
		began     time.Time
		took      chan time.Duration
	}
	all := make([]*running, len(drafts))
	for i, d := range drafts {
		r := &running{cmd: exec.Command(self), took: make(chan time.Duration, 1)}
		r.cmd.Env = append(gittest.Env("SAYSO_TEST_PUBLISHER="+d), env(i)...)
		r.cmd.Stdout, r.cmd.Stderr = &r.out, &r.errs
		r.began = time.Now()
		if err := r.cmd.Start(); err != nil {
			t.Fatal(err)
		}
		all[i] = r
		go func() {
			_ = r.cmd.Wait()
			r.took <- time.Since(r.began)
		}()
	}
	for i, r := range all {
		took = append(took, <-r.took)
		if !r.cmd.ProcessState.Success() {
			t.Errorf("publisher %d: %s", i, r.errs.String())
		}
		n, _ := strconv.Atoi(strings.TrimSpace(r.out.String()))
		attempts = append(attempts, n)
	}
	return attempts, took
}

// holdsOnce fails unless a branch has each of the numbers' entries once, each brought
// by one commit, in a history without forks.
func holdsOnce(t testing.TB, bare *gittest.Repo, branch string, n, commits int) {
	t.Helper()
	names := strings.Fields(bare.Git("ls-tree", "--name-only", branch, memory.DefaultFolder+"/"))
	if len(names) != n {
		t.Errorf("%d entries are there, want %d", len(names), n)
	}
	for i := range n {
		if a := accepted(i); !slices.Contains(names, memory.DefaultFolder+"/"+a.ID+".md") {
			t.Errorf("entry %d was lost", i)
		}
	}
	added := strings.Fields(bare.Git("log", "--format=", "--name-only", "--diff-filter=A", branch, "--", memory.DefaultFolder))
	slices.Sort(added)
	if len(added) != n || len(slices.Compact(added)) != n {
		t.Errorf("%d additions of %d entries", len(added), n)
	}
	if merges := bare.Git("rev-list", "--merges", "--count", branch); strings.TrimSpace(merges) != "0" {
		t.Errorf("the history has %s merges", merges)
	}
	if all := strings.TrimSpace(bare.Git("rev-list", "--count", branch)); all != strconv.Itoa(commits) {
		t.Errorf("%s commits, want %d", all, commits)
	}
	bare.Git("fsck", "--strict")
}

// crowd lets n publishers from n repositories publish to one bare repository at
// once, and fails unless each entry got there once.
func crowd(t testing.TB, n int) (attempts []int, took []time.Duration, total time.Duration) {
	t.Helper()
	bare := gittest.New(t, "--bare")
	var drafts, from []string
	for i := range n {
		drafts = append(drafts, strconv.Itoa(i))
		from = append(from, gittest.New(t).Dir)
	}
	began := time.Now()
	attempts, took = publishers(t, drafts, func(i int) []string {
		return []string{"SAYSO_TEST_FROM=" + from[i], "SAYSO_TEST_REMOTE=" + bare.Dir, "SAYSO_TEST_BRANCH=memory"}
	})
	total = time.Since(began)
	holdsOnce(t, bare, "memory", n, n)
	return attempts, took, total
}

func TestManyPublishersToOneRepository(t *testing.T) {
	_, took, total := crowd(t, 12)
	t.Logf("%v in all, the slowest %v", total, slices.Max(took))
}

func TestManyPublishersToABranchOfOneRepository(t *testing.T) {
	repo := gittest.New(t)
	const n = 12
	var drafts []string
	for i := range n {
		drafts = append(drafts, strconv.Itoa(i))
	}
	publishers(t, drafts, func(int) []string {
		return []string{"SAYSO_TEST_FROM=" + repo.Dir, "SAYSO_TEST_BRANCH=memory"}
	})
	holdsOnce(t, repo, "memory", n, n)
}

func TestPublishersOnOtherMachinesFollowTheBranch(t *testing.T) {
	bare := gittest.New(t, "--bare")
	const n = 5
	var drafts, from []string
	for i := range n {
		drafts = append(drafts, strconv.Itoa(i))
		from = append(from, gittest.New(t).Dir)
	}
	attempts, took := publishers(t, drafts, func(i int) []string {
		return []string{"SAYSO_TEST_ALONE=1", "SAYSO_TEST_FROM=" + from[i], "SAYSO_TEST_REMOTE=" + bare.Dir, "SAYSO_TEST_BRANCH=memory"}
	})
	t.Logf("attempts %v, the slowest %v", attempts, slices.Max(took))
	holdsOnce(t, bare, "memory", n, n)
	if slices.Max(attempts) < 2 {
		t.Error("the branch never moved under anybody: nothing is shown")
	}
}

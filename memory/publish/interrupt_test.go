//go:build unix

package publish

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/saysolint/sayso/internal/git/gittest"
	"github.com/saysolint/sayso/memory"
)

// some are the drafts that one call publishes in these tests.
const some = 6

func numbers(n int) string {
	var out []string
	for i := range n {
		out = append(out, strconv.Itoa(i))
	}
	return strings.Join(out, ",")
}

// start starts a publisher of some drafts, through the shell commands of before.
func start(t testing.TB, before string, env ...string) (*exec.Cmd, *bytes.Buffer) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("sh", "-c", before+` exec "$0"`, self)
	cmd.Env = append(gittest.Env("SAYSO_TEST_PUBLISHER="+numbers(some)), env...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, &out
}

// inFolder looks at the store of a work tree: what is there is whole, and it is all or,
// while a journal says what is still to come, a part.
func inFolder(t testing.TB, repo *gittest.Repo) (entries int, journal bool) {
	t.Helper()
	dir := filepath.Join(repo.Dir, filepath.FromSlash(memory.DefaultFolder))
	list, err := os.ReadDir(dir)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	want := map[string][]byte{}
	for i := range some {
		a := accepted(i)
		want[a.ID+".md"] = a.Raw
	}
	for _, f := range list {
		if strings.HasPrefix(f.Name(), ".") {
			journal = journal || f.Name() == ".sayso-journal"
			continue
		}
		raw, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil || want[f.Name()] == nil || !bytes.Equal(raw, want[f.Name()]) {
			t.Fatalf("%s is not what was published: %q, %v", f.Name(), raw, err)
		}
		entries++
	}
	return entries, journal
}

func TestAKilledPublisherLeavesAStoreThatTheNextRunCompletes(t *testing.T) {
	repo := gittest.New(t)
	env := []string{"SAYSO_TEST_FROM=" + repo.Dir}
	cmd, out := start(t, "", env...)
	began := time.Now()
	if err := cmd.Wait(); err != nil {
		t.Fatal(out)
	}
	whole := time.Since(began)
	states := map[string]int{}
	const rounds = 25
	for i := range rounds {
		if err := os.RemoveAll(filepath.Join(repo.Dir, ".sayso")); err != nil {
			t.Fatal(err)
		}
		cmd, _ := start(t, "", env...)
		time.Sleep(whole * time.Duration(i) / rounds)
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		n, journal := inFolder(t, repo)
		switch {
		case n == 0:
			states["none"]++
		case n == some:
			states["all"]++
		case journal:
			states["on the way"]++
		default:
			t.Fatalf("killed after %v: %d of %d entries and no journal", whole*time.Duration(i)/rounds, n, some)
		}
		if i%5 == 0 || n > 0 && n < some {
			cmd, out := start(t, "", env...)
			if err := cmd.Wait(); err != nil {
				t.Fatal(out)
			}
			if n, journal := inFolder(t, repo); n != some || journal {
				t.Fatalf("the next run left %d entries, journal %t", n, journal)
			}
		}
	}
	t.Logf("%d rounds: %v", rounds, states)
}

func TestAKilledPublisherToAnotherRepositoryPublishesAllOrNothing(t *testing.T) {
	bare, repo := gittest.New(t, "--bare"), gittest.New(t)
	env := []string{"SAYSO_TEST_FROM=" + repo.Dir, "SAYSO_TEST_REMOTE=" + bare.Dir, "SAYSO_TEST_BRANCH=memory"}
	count := func() int {
		out, err := bare.Try("ls-tree", "--name-only", "memory", memory.DefaultFolder+"/")
		if err != nil {
			return 0
		}
		return len(strings.Fields(out))
	}
	began := time.Now()
	cmd, out := start(t, "", env...)
	if err := cmd.Wait(); err != nil || count() != some {
		t.Fatal(out, count())
	}
	whole := time.Since(began)
	states := map[int]int{}
	const rounds = 12
	for i := range rounds {
		if count() > 0 {
			bare.Git("update-ref", "-d", "refs/heads/memory")
		}
		cmd, _ := start(t, "", env...)
		time.Sleep(whole * time.Duration(i) / rounds)
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		// A git that was under way may still end its work.
		n := count()
		if n != 0 && n != some {
			t.Fatalf("%d of %d entries", n, some)
		}
		states[n]++
	}
	cmd, out = start(t, "", env...)
	if err := cmd.Wait(); err != nil {
		t.Fatal(out)
	}
	holdsOnce(t, bare, "memory", some, 1)
	t.Logf("%d rounds: entries there after the kill: %v", rounds, states)
}

// TestAFullDiskLeavesNothingHalfWritten lets each process write files of a size at
// most: what is longer fails in the middle, as it does on a full disk.
func TestAFullDiskLeavesNothingHalfWritten(t *testing.T) {
	for blocks := range 12 {
		repo := gittest.New(t)
		env := []string{"SAYSO_TEST_FROM=" + repo.Dir}
		// Units of 512 bytes; the signal is ignored, so that writing fails with an error.
		limit := "trap '' XFSZ; ulimit -f " + strconv.Itoa(blocks) + ";"
		cmd, out := start(t, limit, env...)
		err := cmd.Wait()
		n, journal := inFolder(t, repo)
		if err == nil && n != some || err != nil && n != 0 && !journal {
			t.Errorf("limit %d: %d entries, journal %t, %v: %s", blocks, n, journal, err, out)
		}
		if err != nil && (strings.Contains(out.String(), repo.Dir) || !strings.Contains(out.String(), memory.DefaultFolder)) {
			t.Errorf("limit %d: the error is %s", blocks, out)
		}
		if cmd, out := start(t, "", env...); cmd.Wait() != nil {
			t.Fatal(out)
		}
		if n, journal := inFolder(t, repo); n != some || journal {
			t.Errorf("limit %d: the next run left %d entries, journal %t", blocks, n, journal)
		}
	}
}

func TestAFullDiskUnderABranchMovesItOnlyToWhatIsWhole(t *testing.T) {
	for _, remote := range []bool{false, true} {
		for _, blocks := range []int{0, 1, 2, 4, 8} {
			bare, repo := gittest.New(t, "--bare"), gittest.New(t)
			env := []string{"SAYSO_TEST_FROM=" + repo.Dir, "SAYSO_TEST_BRANCH=memory"}
			at := repo
			if remote {
				env, at = append(env, "SAYSO_TEST_REMOTE="+bare.Dir), bare
			}
			cmd, out := start(t, "trap '' XFSZ; ulimit -f "+strconv.Itoa(blocks)+";", env...)
			err := cmd.Wait()
			names, refErr := at.Try("ls-tree", "--name-only", "memory", memory.DefaultFolder+"/")
			if n := len(strings.Fields(names)); err == nil && n != some || err != nil && refErr == nil {
				t.Errorf("remote %t, limit %d: %v, %v: %s", remote, blocks, err, refErr, out)
			}
			if cmd, out := start(t, "", env...); cmd.Wait() != nil {
				t.Fatalf("remote %t, limit %d: the next run: %s", remote, blocks, out)
			}
			holdsOnce(t, at, "memory", some, 1)
		}
	}
}

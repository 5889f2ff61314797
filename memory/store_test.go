package memory

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// helperEnv turns the test program into a writer of its own process.
const helperEnv = "SAYSO_TEST_WRITER"

func TestMain(m *testing.M) {
	if top := os.Getenv(helperEnv); top != "" {
		os.Exit(writeMany(top, os.Args[1:]))
	}
	os.Exit(m.Run())
}

// writeMany is the helper process: it proposes entries NAME-0 to NAME-N and
// supersedes each by the next, saying after each step that it is done.
func writeMany(top string, args []string) int {
	ctx := context.Background()
	s, err := Open(top, "")
	if err != nil {
		fmt.Println(err)
		return 1
	}
	count, _ := strconv.Atoi(args[1])
	last := ""
	for i := range count {
		at := time.Unix(1700000000+int64(i), 0)
		var r Receipt
		if last == "" {
			if r, err = s.Propose(ctx, Entry{Title: args[0] + "-" + strconv.Itoa(i), Kind: KindFact}, at); err == nil {
				r, err = s.Accept(ctx, r.Entry.ID, Review{At: at})
			}
		} else {
			r, err = s.Supersede(ctx, last, Entry{Title: args[0] + "-" + strconv.Itoa(i), Kind: KindFact}, Review{At: at})
		}
		if err != nil {
			fmt.Println(err)
			return 1
		}
		last = r.Entry.ID
		fmt.Println("done", last)
	}
	return 0
}

func helper(t *testing.T, top, name string, count int) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, name, strconv.Itoa(count))
	cmd.Env = append(os.Environ(), helperEnv+"="+top)
	return cmd
}

func TestWritersInManyProcessesLoseNothing(t *testing.T) {
	s, _ := store(t)
	const writers, each = 6, 8
	var group sync.WaitGroup
	for w := range writers {
		group.Go(func() {
			if out, err := helper(t, s.top, "w"+strconv.Itoa(w), each).CombinedOutput(); err != nil {
				t.Errorf("writer %d: %v\n%s", w, err, out)
			}
		})
	}
	group.Wait()
	set := load(t, s)
	if len(set.Entries) != writers*each || len(set.Skipped) != 0 {
		t.Fatalf("%d entries, skipped %+v", len(set.Entries), set.Skipped)
	}
	active := 0
	for _, e := range set.Entries {
		if set.Active(e.ID) {
			active++
		}
	}
	if active != writers {
		t.Errorf("%d entries hold, want the last of each of %d writers", active, writers)
	}
	if found := Lint(set, s.folder); len(found) > 0 {
		t.Errorf("lint finds %+v", found)
	}
}

func TestOneEntryEditedByManyLosesNoEdit(t *testing.T) {
	ctx := context.Background()
	s, _ := store(t)
	a := must(t)(s.Propose(ctx, Entry{Title: "A", Tags: []string{"t"}}, now))
	must(t)(s.Accept(ctx, a.ID, by))
	var group sync.WaitGroup
	for i := range 12 {
		group.Go(func() {
			if _, err := s.Edit(ctx, a.ID, Patch{Goal: ptr("goal " + strconv.Itoa(i))}); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if e := load(t, s).Get(a.ID); e.Version != 13 {
		t.Errorf("12 edits made version %d", e.Version)
	}
}

func ptr[T any](v T) *T { return &v }

// A writer that is killed at any moment loses nothing that it said was done, and
// leaves nothing half-written; running again mends the rest.
func TestKilledWritersLoseNothing(t *testing.T) {
	for round := range 12 {
		s, dir := store(t)
		cmd := helper(t, s.top, "k", 1000)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		var timer *time.Timer
		var said strings.Builder
		buf := make([]byte, 4096)
		for {
			n, err := out.Read(buf)
			said.Write(buf[:n])
			if timer == nil { // it writes from now on
				timer = time.AfterFunc(time.Duration(1+3*round)*time.Millisecond, func() { _ = cmd.Process.Kill() })
			}
			if err != nil {
				break
			}
		}
		timer.Stop()
		_ = cmd.Wait()

		set := load(t, s)
		for _, e := range set.Entries {
			if !e.Readable() || e.SchemaVersion != 1 {
				t.Fatalf("round %d: %s is half-written: %+v", round, e.ID, e.Faults)
			}
		}
		lines := strings.Split(said.String(), "\n")
		last := ""
		for _, l := range lines[:len(lines)-1] {
			id := strings.TrimPrefix(l, "done ")
			if set.Get(id) == nil {
				t.Fatalf("round %d: %s was written and is gone", round, id)
			}
			last = id
		}
		// At no moment neither the old nor the new one holds.
		active := 0
		for _, e := range set.Entries {
			if set.Active(e.ID) {
				active++
			}
		}
		if last != "" && active != 1 {
			t.Errorf("round %d: %d entries hold", round, active)
		}
		if _, err := s.Mend(context.Background()); err != nil {
			t.Fatal(err)
		}
		if found := Lint(load(t, s), s.folder); len(found) > 0 {
			t.Errorf("round %d: after mending lint finds %+v", round, found)
		}
		if list, _ := os.ReadDir(dir); slices.ContainsFunc(list, func(d fs.DirEntry) bool { return !strings.HasSuffix(d.Name(), ".md") }) {
			t.Errorf("round %d: left behind %v", round, list)
		}
	}
}

// The states that a crash between two steps leaves, one by one.
func TestEachStepOfSupersedingCanBeTheLast(t *testing.T) {
	ctx := context.Background()
	s, dir := store(t)
	a := must(t)(s.Propose(ctx, decision("A"), now))
	must(t)(s.Accept(ctx, a.ID, by))
	oldFile := raw(t, dir, a.ID)
	b := must(t)(s.Supersede(ctx, a.ID, decision("B"), by))
	newFile := raw(t, dir, b.ID)

	// Before the new one has its name: only the old one is there, with what was aside.
	put(t, dir, a.ID, oldFile)
	if err := os.Rename(filepath.Join(dir, b.ID+".md"), filepath.Join(dir, asidePrefix+b.ID+".md")); err != nil {
		t.Fatal(err)
	}
	if set := load(t, s); !set.Active(a.ID) || len(set.Entries) != 1 || len(set.Skipped) != 0 {
		t.Errorf("%+v", set)
	}
	again := must(t)(s.Supersede(ctx, a.ID, decision("B"), by))
	if again.ID != b.ID || raw(t, dir, b.ID) != newFile {
		t.Errorf("running again made %s, not %s", again.ID, b.ID)
	}
	// Before the old one is demoted: the new one hides it, and accepting it again finishes.
	put(t, dir, a.ID, oldFile)
	if set := load(t, s); set.Active(a.ID) || !set.Active(b.ID) {
		t.Error("the old one holds")
	}
	if r, err := s.Accept(ctx, b.ID, by); err != nil || !slices.Equal(r.Changed, []string{a.ID}) {
		t.Errorf("%+v, %v", r, err)
	}
	if load(t, s).Get(a.ID).ReviewState != Superseded {
		t.Error("the old one is not demoted")
	}
}

func TestTwoEntriesOfOneMinuteAndTitleAreTwo(t *testing.T) {
	ctx := context.Background()
	s, _ := store(t)
	a := must(t)(s.Propose(ctx, Entry{Title: "Same", Notes: "one"}, now))
	b := must(t)(s.Propose(ctx, Entry{Title: "Same", Notes: "two"}, now))
	c := must(t)(s.Propose(ctx, Entry{Title: "Same", Notes: "two"}, now))
	if a.ID == b.ID || c.ID != b.ID || len(load(t, s).Entries) != 2 {
		t.Errorf("%s, %s, %s", a.ID, b.ID, c.ID)
	}
	// A name that is taken by other content is never written over.
	s2, dir := store(t)
	put(t, dir, a.ID, "somebody's\n")
	d := must(t)(s2.Propose(ctx, Entry{Title: "Same", Notes: "one"}, now))
	if d.ID != a.ID+"-2" || raw(t, dir, a.ID) != "somebody's\n" {
		t.Errorf("written as %s", d.ID)
	}
}

func TestLinksAndOddFilesNeverLeadOut(t *testing.T) {
	ctx := context.Background()
	out := t.TempDir()
	put(t, out, "secret", "---\nschemaVersion: 1\ntitle: S\nreviewState: reviewed\n---\n")

	s, dir := store(t)
	put(t, dir, "a", "---\nschemaVersion: 1\ntitle: A\n---\n")
	for name, target := range map[string]string{"b.md": filepath.Join(out, "secret.md"), "c.md": "a.md", "d.md": "d.md"} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "e.md"), 0o755); err != nil {
		t.Fatal(err)
	}
	put(t, dir, "no id", "x")
	put(t, dir, ".hidden", "x")
	set := load(t, s)
	if len(set.Entries) != 1 || len(set.Skipped) != 5 {
		t.Errorf("entries %+v, skipped %+v", set.Entries, set.Skipped)
	}
	for _, id := range []string{"b", "c", "d", "e"} {
		if _, _, err := s.Get(ctx, id); !errors.Is(err, ErrNoEntry) {
			t.Errorf("%s: %v", id, err)
		}
		if _, err := s.Accept(ctx, id, by); !errors.Is(err, ErrNoEntry) {
			t.Errorf("accept %s: %v", id, err)
		}
	}
	for _, id := range []string{"", ".", "..", "../secret", "a/b", `a\b`, "a.md", "a\x00", "é", strings.Repeat("a", 181)} {
		if _, _, err := s.Get(ctx, id); !errors.Is(err, ErrBadID) {
			t.Errorf("%q: %v", id, err)
		}
	}

	// A part of the folder that is a link, inside the top or out of it.
	for _, c := range []struct{ link, to string }{{".sayso", out}, {".sayso/memory", out}, {".sayso/memory", "../.git"}} {
		top := t.TempDir()
		if err := os.MkdirAll(filepath.Join(top, ".git"), 0o755); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(c.link, "/") {
			if err := os.Mkdir(filepath.Join(top, ".sayso"), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Symlink(c.to, filepath.Join(top, c.link)); err != nil {
			t.Fatal(err)
		}
		s, err := Open(top, "")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Load(ctx); err == nil || !strings.Contains(err.Error(), "a link") {
			t.Errorf("%s to %s is read: %v", c.link, c.to, err)
		}
		if _, err := s.Propose(ctx, decision("x"), now); err == nil || strings.Contains(err.Error(), top) {
			t.Errorf("%s to %s is written, or named: %v", c.link, c.to, err)
		}
		for _, d := range []string{out, filepath.Join(top, ".git")} {
			if list, _ := os.ReadDir(d); len(list) > 1 {
				t.Errorf("written outside: %v", list)
			}
		}
	}
	for _, folder := range []string{"..", "../x", "/etc", ".", "a/../b", "a//b", `a\b`, ".git", "x/.GIT/y", "a\x00"} {
		if _, err := Open(t.TempDir(), folder); err == nil {
			t.Errorf("folder %q is allowed", folder)
		}
	}
}

func TestAReadOnlyStoreIsReadAndItsErrorsNameNoPlace(t *testing.T) {
	ctx := context.Background()
	s, dir := store(t)
	a := must(t)(s.Propose(ctx, decision("A"), now))
	before, _ := os.ReadDir(dir)
	for _, d := range []string{dir, filepath.Dir(dir)} {
		if err := os.Chmod(d, 0o555); err != nil {
			t.Fatal(err)
		}
		defer os.Chmod(d, 0o755)
	}
	if set := load(t, s); set.Get(a.ID) == nil {
		t.Error("the entry is not read")
	}
	if os.Geteuid() != 0 { // nothing is read-only to the superuser
		if _, err := s.Accept(ctx, a.ID, by); !errors.Is(err, fs.ErrPermission) || strings.Contains(err.Error(), s.top) {
			t.Errorf("accept: %v", err)
		}
		if _, err := s.Propose(ctx, decision("B"), now); !errors.Is(err, fs.ErrPermission) || strings.Contains(err.Error(), s.top) {
			t.Errorf("propose: %v", err)
		}
	}
	if after, _ := os.ReadDir(dir); os.Geteuid() != 0 && len(after) != len(before) {
		t.Errorf("left behind %v", after)
	}
}

func TestWaitingForTheLockEndsWithTheContext(t *testing.T) {
	s, _ := store(t)
	must(t)(s.Propose(context.Background(), decision("A"), now))
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	err := s.write(context.Background(), func(*writer) error {
		_, err := s.Propose(ctx, decision("B"), now)
		return err
	})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
	cancelled, stop := context.WithCancel(context.Background())
	stop()
	if _, err := s.Load(cancelled); !errors.Is(err, context.Canceled) {
		t.Errorf("loading: %v", err)
	}
}

func TestAFileThatAnEditorChangedMeanwhileIsNotWrittenOver(t *testing.T) {
	s, dir := store(t)
	put(t, dir, "a", "---\nschemaVersion: 1\ntitle: A\n---\n")
	err := s.write(context.Background(), func(w *writer) error {
		_, err := w.rewrite("a", func(_ Entry, b []byte) ([]byte, error) {
			put(t, dir, "a", "by hand\n")
			return append(b, "more\n"...), nil
		})
		return err
	})
	if !errors.Is(err, ErrChanged) || raw(t, dir, "a") != "by hand\n" {
		t.Errorf("%v: %q", err, raw(t, dir, "a"))
	}
}

func TestRewritingKeepsTheModeOfAFile(t *testing.T) {
	s, dir := store(t)
	put(t, dir, "a", "---\nschemaVersion: 1\ntitle: A\n---\n")
	path := filepath.Join(dir, "a.md")
	if err := os.Chmod(path, 0o640); err != nil {
		t.Fatal(err)
	}
	must(t)(s.Accept(context.Background(), "a", by))
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}

// BenchmarkWrite writes entries one after another. What the disk takes to make
// them durable is measured beside it, with the same number of the same calls.
func BenchmarkWrite(b *testing.B) {
	draft := Entry{Title: "Prices are integers of cents", Kind: KindDecision, Decisions: []string{"Never floats"}, Notes: strings.Repeat("Because sums of floats do not add up.\n", 16)}
	b.Run("propose", func(b *testing.B) {
		s, _ := store(b)
		for i := 0; b.Loop(); i++ {
			draft.Goal = strconv.Itoa(i)
			if _, err := s.Propose(context.Background(), draft, now); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("only fsyncs", func(b *testing.B) {
		s, _ := store(b)
		draft.Goal = "x"
		content, err := Render(draft)
		if err != nil {
			b.Fatal(err)
		}
		err = s.write(context.Background(), func(w *writer) error {
			for i := 0; b.Loop(); i++ {
				if _, err := w.aside(strconv.Itoa(i), content); err != nil {
					return err
				}
				if err := syncDir(w.root); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			b.Fatal(err)
		}
	})
}

func BenchmarkLoad10000(b *testing.B) {
	s, dir := store(b)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		b.Fatal(err)
	}
	for i := range 10000 {
		e := Entry{Title: "Entry " + strconv.Itoa(i), Kind: KindDecision, Date: "2026-01-02T03:04:05Z", Decisions: []string{"d"}, Notes: strings.Repeat("Some text of the entry. ", 20), Tags: []string{"a"}}
		content, err := Render(e)
		if err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, NewID(now, e.Title, sha256.Sum256(content), 0)+".md"), content, 0o644); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		if set := load(b, s); len(set.Entries) != 10000 {
			b.Fatal(len(set.Entries))
		}
	}
}

func BenchmarkParse(b *testing.B) {
	e := Entry{Title: "Entry", Kind: KindDecision, Date: "2026-01-02T03:04:05Z", Decisions: []string{"d"}, Notes: strings.Repeat("Some text of the entry. ", 20), Tags: []string{"a"}}
	content, err := Render(e)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		Parse("x", content)
	}
}

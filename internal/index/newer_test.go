package index

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rs/zerolog"

	"github.com/saysolint/sayso/internal/git"
)

// watched opens the repository again, and counts the git processes that are started.
func (f *fixture) watched() (r *git.Repo, started func() int) {
	f.t.Helper()
	var log bytes.Buffer
	r, err := git.Open(context.Background(), f.dir, git.Options{Env: testEnv(), Log: zerolog.New(zerolog.SyncWriter(&log))})
	if err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(func() { r.Close() })
	log.Reset()
	return r, func() int { return strings.Count(log.String(), "\n") }
}

func mustLoad(t testing.TB, r *git.Repo) *Index {
	t.Helper()
	ix, err := Load(context.Background(), r)
	if err != nil {
		t.Fatal(err)
	}
	return ix
}

// sameAnswers compares all that a hook asks of a commit.
func sameAnswers(t *testing.T, r *git.Repo, late, early *Index, commit string) {
	t.Helper()
	names := []string{"slugify", "Dial", "Sync"}
	x := mustView(t, late, r, commit, AtOptions{HistoryAt: commit}, names...)
	y := mustView(t, early, r, commit, AtOptions{HistoryAt: commit}, names...)
	if d := cmp.Diff(pathAnswers(x), pathAnswers(y)); d != "" {
		t.Error(d)
	}
	for _, n := range names {
		a, _ := x.Definitions(n)
		if b, known := y.Definitions(n); !known || !cmp.Equal(a, b) {
			t.Errorf("%s: %v and %v", n, a, b)
		}
	}
	a, b := mustHistory(t, x), mustHistory(t, y)
	if a.Commits() != b.Commits() || a.Word("slug") != b.Word("slug") || a.Touching([]string{"net"}) != b.Touching([]string{"net"}) {
		t.Errorf("history: %d and %d commits", a.Commits(), b.Commits())
	}
}

// TestWhatAnEarlierRunKeptAnswersAsGitDoes looks at one commit, closes the index, and
// looks at another one from what was kept: further on, further back, on another branch.
func TestWhatAnEarlierRunKeptAnswersAsGitDoes(t *testing.T) {
	f, c := small(t)
	r := f.open()
	for _, built := range []string{"root", "third", "top"} {
		mustBuild(t, r, Options{Commit: c[built]})
		for first, a := range c {
			for second, b := range c {
				t.Run(fmt.Sprintf("index at %s, %s and then %s", built, first, second), func(t *testing.T) {
					_ = os.Remove(recentFile(r))
					ix := mustLoad(t, r)
					ix.Ahead(context.Background(), r, a)
					ix.Close()
					late, early := mustLoad(t, r), mustLoad(t, r)
					defer late.Close()
					defer early.Close()
					early.Ahead(context.Background(), r, b)
					sameAnswers(t, r, late, early, b)
				})
			}
		}
	}
}

func TestTheSecondRunAtACommitStartsNoProcess(t *testing.T) {
	f, c := small(t)
	r := f.open()
	mustBuild(t, r, Options{Commit: c["root"]})
	first := mustLoad(t, r)
	first.Ahead(context.Background(), r, c["top"])
	first.Close()
	r, started := f.watched()
	second := mustLoad(t, r)
	defer second.Close()
	second.Ahead(context.Background(), r, c["top"])
	v := mustView(t, second, r, c["top"], AtOptions{HistoryAt: c["top"]})
	if n := mustHistory(t, v).Commits(); n != 6 || started() != 0 {
		t.Errorf("%d commits, %d processes", n, started())
	}
	commit, err := r.Commit(context.Background(), c["top"])
	if err != nil {
		t.Fatal(err)
	}
	if when, known := second.Authored(c["top"]); !known || !when.Equal(commit.Author.When) {
		t.Errorf("authored %v, %v; the commit says %v", when, known, commit.Author.When)
	}
}

func TestACommitOnTopOfAKeptOneIsReadAlone(t *testing.T) {
	f, c := small(t)
	r := f.open()
	mustBuild(t, r, Options{Commit: c["root"]})
	first := mustLoad(t, r)
	first.Ahead(context.Background(), r, c["merge"])
	first.Close()
	r, started := f.watched()
	second := mustLoad(t, r)
	defer second.Close()
	second.Ahead(context.Background(), r, c["top"])
	if n := started(); n != 2 { // the walk over one commit, and the commit itself
		t.Errorf("%d processes", n)
	}
	if rows, cut, ok := second.newer.find(c["top"]); !ok || cut || len(rows) != 6 || second.newer.file != "" {
		t.Errorf("%d rows, cut %v, known %v, to be written %q", len(rows), cut, ok, second.newer.file)
	}
}

func TestWhatWasKeptForAnotherIndexOrIsTornIsNotUsed(t *testing.T) {
	f, c := small(t)
	r := f.open()
	mustBuild(t, r, Options{Commit: c["root"]})
	keep := func() []byte {
		ix := mustLoad(t, r)
		ix.Ahead(context.Background(), r, c["top"])
		ix.Close()
		data, err := os.ReadFile(recentFile(r))
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	good := keep()
	ix := mustLoad(t, r)
	defer ix.Close()
	if ix.loadRecent(r, "") == nil {
		t.Fatal("what was kept is not used")
	}
	if ix.loadRecent(r, "another boundary") != nil {
		t.Error("used under another shallow boundary")
	}
	for i := range good {
		torn := bytes.Clone(good)
		torn[i] ^= 0x20
		for _, content := range [][]byte{torn, good[:i]} {
			if _, err := decodeRecent(content, ix.tree, ix.meta.head, ""); err == nil {
				t.Fatalf("byte %d changed or missing, and nobody noticed", i)
			}
		}
	}
	if err := os.Remove(recentFile(r)); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(recentFile(r), 0o700); err != nil {
		t.Fatal(err)
	}
	if ix.loadRecent(r, "") != nil {
		t.Error("a folder was read")
	}
	if err := os.Remove(recentFile(r)); err != nil {
		t.Fatal(err)
	}
	keep()
	mustBuild(t, r, Options{Commit: c["third"]})
	other := mustLoad(t, r)
	defer other.Close()
	if other.loadRecent(r, "") != nil {
		t.Error("what lies after another head was used")
	}
}

func FuzzRecent(f *testing.F) {
	fx, c := small(f)
	r := fx.open()
	ix := mustBuild(f, r, Options{Commit: c["root"]})
	o, err := ix.overlayOf(context.Background(), r, c["top"])
	if err != nil {
		f.Fatal(err)
	}
	whole := (&recent{tip: c["top"], authored: time.Unix(1, 0), files: o.files, rows: []row{{id: c["top"], parents: []string{c["merge"]}, subject: "s", paths: []string{"a/b"}}}}).encode(ix.meta.head, "")
	f.Add(whole[16:])
	f.Fuzz(func(t *testing.T, rest []byte) {
		b := append([]byte(recentMagic), 0, 0, 0, 0, 0, 0, 0, 0)
		le.PutUint32(b[8:], recentVersion)
		le.PutUint32(b[12:], sum(rest)) // made to fit, so that what lies behind it is tried
		got, err := decodeRecent(append(b, rest...), ix.tree, ix.meta.head, "")
		if err != nil {
			return
		}
		again, err := decodeRecent(got.encode(ix.meta.head, ""), ix.tree, ix.meta.head, "")
		if err != nil || again.tip != got.tip || len(again.rows) != len(got.rows) || len(again.files) != len(got.files) || !again.authored.Equal(got.authored) {
			t.Fatalf("%v: %+v came back as %+v", err, got, again)
		}
	})
}

// TestAnIndexExtendedByWhatAHookKeptIsTheOneOfGit extends an index with and without
// what an earlier run kept, at the same commit and before it.
func TestAnIndexExtendedByWhatAHookKeptIsTheOneOfGit(t *testing.T) {
	f, c := small(t)
	r := f.open()
	read := func(seen string) []byte {
		t.Helper()
		for _, path := range []string{fileOf(r), recentFile(r)} {
			if err := os.RemoveAll(path); err != nil {
				t.Fatal(err)
			}
		}
		mustBuild(t, r, Options{Commit: c["root"]})
		if seen != "" {
			ix := mustLoad(t, r)
			ix.Ahead(context.Background(), r, c[seen])
			ix.Close()
			if _, err := os.Stat(recentFile(r)); err != nil {
				t.Fatal(err)
			}
		}
		mustBuild(t, r, Options{Commit: c["top"]})
		data, err := os.ReadFile(fileOf(r))
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	want := read("")
	for _, seen := range []string{"second", "side2", "merge", "top"} {
		if !bytes.Equal(want, read(seen)) {
			t.Errorf("after a hook at %s it is another index", seen)
		}
	}
}

func TestContentAtHandIsNotAskedOfGit(t *testing.T) {
	f, c := small(t)
	r := f.open()
	mustBuild(t, r, Options{Commit: c["top"]})
	blob := f.git("-C", f.dir, "rev-parse", c["second"]+":scripts/util.py")
	entries := []Entry{{Path: "tools/u.py", Mode: "100644", Blob: blob}, {Path: "go.mod", Mode: "100644", Blob: blob}}
	late := mustLoad(t, r)
	defer late.Close()
	x := mustView(t, late, r, c["top"], AtOptions{Patch: entries}, "slugify", "missing")
	r, started := f.watched()
	for i := range entries {
		entries[i].Content = []byte(pyUtil)
	}
	early := mustLoad(t, r)
	defer early.Close()
	y := mustView(t, early, r, c["top"], AtOptions{Patch: entries}, "slugify", "missing")
	if d := cmp.Diff(pathAnswers(x), pathAnswers(y)); d != "" {
		t.Error(d)
	}
	a, _ := x.Definitions("slugify")
	if b, known := y.Definitions("slugify"); !known || len(b) == 0 || !cmp.Equal(a, b) {
		t.Errorf("%v and %v", a, b)
	}
	if n := started(); n != 0 {
		t.Errorf("%d processes", n)
	}
}

package sweep_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/saysolint/sayso/change"
	"github.com/saysolint/sayso/internal/git"
	"github.com/saysolint/sayso/internal/git/gittest"
	"github.com/saysolint/sayso/memory"
	"github.com/saysolint/sayso/sweep"
)

var today = time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)

// run sweeps entries on a repository.
func run(t *testing.T, r *gittest.Repo, in sweep.Input, entries ...memory.Entry) *sweep.Result {
	t.Helper()
	repo, err := git.Open(context.Background(), r.Dir, git.Options{Env: r.Env()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = repo.Close() })
	reader := change.NewReader(repo, change.Limits{})
	t.Cleanup(func() { _ = reader.Close() })
	for i := range entries {
		e := &entries[i]
		e.SchemaVersion, e.Version = 1, max(1, e.Version)
		if e.ReviewState == "" {
			e.ReviewState = memory.Reviewed
		}
		if e.Kind == "" {
			e.Kind = memory.KindDecision
		}
		if e.Title == "" {
			e.Title = "Title of " + e.ID
		}
		e.RelPath = memory.DefaultFolder + "/" + e.ID + ".md"
	}
	in.Repo, in.Changes, in.Set, in.Folder = repo, reader, memory.NewSet(entries, nil), memory.DefaultFolder
	if in.Now.IsZero() {
		in.Now = today
	}
	res, err := sweep.Run(context.Background(), in)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// told are the findings, one a line.
func told(res *sweep.Result) string {
	var b strings.Builder
	for _, f := range res.Findings {
		fmt.Fprintf(&b, "%s %s %s: %s %v\n", f.Level, f.Entry, f.Check, f.Text, f.Others)
	}
	return b.String()
}

func wants(t *testing.T, res *sweep.Result, lines ...string) {
	t.Helper()
	got := told(res)
	for _, l := range lines {
		if !strings.Contains(got, l) {
			t.Errorf("not told: %s\ntold:\n%s", l, got)
		}
	}
	if n := strings.Count(got, "\n"); n != len(lines) {
		t.Errorf("%d lines are told, want %d:\n%s", n, len(lines), got)
	}
}

func check(res *sweep.Result, id string) sweep.Check {
	for _, c := range res.Checks {
		if c.ID == id {
			return c
		}
	}
	return sweep.Check{}
}

func numbered(n int, tag string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%s line %d says something\n", tag, i)
	}
	return b.String()
}

func cites(id, path string, from, to int) []memory.SourceRef {
	return []memory.SourceRef{{Type: "file", ID: id, Path: path, LineStart: from, LineEnd: to}}
}

func TestAFileThatWasRenamedTwiceAndRewrittenIsFollowedThroughHistory(t *testing.T) {
	r := gittest.New(t)
	r.Write("one.txt", numbered(40, "first"))
	base := r.Commit("Add one")
	r.Git("mv", "one.txt", "two.txt")
	r.Write("two.txt", numbered(25, "first")+numbered(15, "second"))
	r.Commit("Rename it and write a part anew")
	edited := strings.ReplaceAll(numbered(25, "first"), "says something", "says something more") + numbered(15, "second")
	edited = strings.Replace(edited, "first line 5 says something more", "first line 5 says something", 1)
	r.Write("two.txt", edited)
	r.Commit("Edit the rest")
	r.Git("mv", "two.txt", "three.txt")
	r.Commit("Rename it again")
	res := run(t, r, sweep.Input{}, memory.Entry{ID: "a", SourceRefs: cites(base, "one.txt", 5, 9)})
	wants(t, res, "note a anchors: one.txt:5-9 has changed: three.txt:5-9 is ")
	if res.Anchors != (sweep.Tally{Total: 1, Drifted: 1}) {
		t.Errorf("%+v", res.Anchors)
	}
}

func TestReferencesByContentAndByDate(t *testing.T) {
	r := gittest.New(t)
	r.Write("a.txt", numbered(10, "a"))
	r.Commit("Add a")
	r.Write("a.txt", "a new first line\n"+numbered(10, "a"))
	r.Commit("Add a line")
	whole := "sha256:" + "0000000000000000000000000000000000000000000000000000000000000000"
	lines := "sha256:" + sum(strings.Join(strings.Split(numbered(10, "a"), "\n")[2:5], "\n")+"\n")
	res := run(t, r, sweep.Input{},
		memory.Entry{ID: "content", SourceRefs: cites(lines, "a.txt", 3, 5)},
		memory.Entry{ID: "date", CreatedAtMs: time.Now().UnixMilli(), SourceRefs: cites("the meeting", "a.txt", 3, 5)},
		memory.Entry{ID: "never", SourceRefs: cites("the meeting", "b.txt", 3, 5)},
		memory.Entry{ID: "unknown", SourceRefs: cites(whole, "a.txt", 3, 5)},
	)
	wants(t, res,
		"note content anchors: a.txt:3-5 is now a.txt:4-6",
		"finding never anchors: b.txt:3-5: no commit of the history has the file",
		"note unknown anchors: a.txt:3-5: neither its id nor the date",
	)
}

func TestARewrittenCommitIsFoundAgainByItsChange(t *testing.T) {
	r := gittest.New(t)
	r.Write("a.txt", "a\n")
	r.Commit("Begin")
	r.Git("checkout", "-q", "-b", "side")
	r.Write("b.txt", "b\n")
	kept := r.Commit("Add b")
	r.Write("c.txt", "c\n")
	dropped := r.Commit("Add c")
	r.Git("checkout", "-q", "main")
	r.Write("a.txt", "a\na\n")
	r.Commit("Go on")
	r.Git("cherry-pick", kept)
	twin := r.Git("rev-parse", "HEAD")
	r.Git("branch", "-q", "-D", "side")
	ref := func(id string) []memory.SourceRef { return []memory.SourceRef{{Type: "commit", ID: id}} }
	res := run(t, r, sweep.Input{},
		memory.Entry{ID: "kept", SourceRefs: ref(kept)},
		memory.Entry{ID: "short", SourceRefs: ref(twin[:10])},
		memory.Entry{ID: "dropped", SourceRefs: ref(dropped)},
		memory.Entry{ID: "unknown", SourceRefs: ref("0123456789abcdef0123456789abcdef01234567")},
	)
	wants(t, res,
		"note kept commits: the commit "+kept[:12]+" is no longer in the history; "+twin[:12]+" makes the same change",
		"finding dropped commits: the commit "+dropped[:12]+" is no longer in the history, and no commit there makes the same change",
		"finding unknown commits: the commit 0123456789ab is not in this repository",
	)
	if c := check(res, "commits"); c.Of != 4 || c.Looked != 4 {
		t.Errorf("%+v", c)
	}
}

func TestWhatACommitTookAwayAndWhatCameBack(t *testing.T) {
	r := gittest.New(t)
	r.Write("a.go", "package a\n\nfunc oldPrice() {}\n\nfunc other() {}\n")
	r.Commit("Begin")
	r.Write("a.go", "package a\n\nfunc newPrice() {}\n\nfunc other() {}\n")
	swap := r.Commit("Use newPrice")
	ref := []memory.SourceRef{{Type: "commit", ID: swap}}
	entries := func() []memory.Entry {
		return []memory.Entry{
			{ID: "a", Title: "Prices", Decisions: []string{"We removed `oldPrice`.", "Prices come from `newPrice`."}, SourceRefs: ref},
			{ID: "b", Title: "Do not use `other` for prices", SourceRefs: ref},
		}
	}
	wants(t, run(t, r, sweep.Input{}, entries()...))
	r.Write("CHANGELOG.md", "newPrice took the place of oldPrice\n")
	r.Write("a.go", "package a\n\nfunc oldPrice() {}\n\nfunc other() {}\n")
	r.Commit("Go back")
	wants(t, run(t, r, sweep.Input{}, entries()...),
		"finding a names: newPrice, which was in a.go in "+swap[:12]+", is not in the code any more; documents still name it",
		"finding a returned: oldPrice, which "+swap[:12]+" took away, is in the code again",
	)
}

func TestEntriesThatSayTheSameOrTheOpposite(t *testing.T) {
	r := gittest.New(t)
	r.Write("go/a.go", "package a\n")
	r.Write("web/a.js", "a()\n")
	r.Commit("Begin")
	res := run(t, r, sweep.Input{},
		memory.Entry{ID: "a1", Title: "Retry every request of the gateway three times with a pause that grows", CreatedAtMs: 1e12},
		memory.Entry{ID: "a2", Title: "Retry every request of the gateway three times with a pause that grows", CreatedAtMs: 2e12},
		memory.Entry{ID: "b1", Title: "Use tabs in generated files", CreatedAtMs: 1e12},
		memory.Entry{ID: "b2", Title: "Never use tabs in generated files", CreatedAtMs: 2e12},
		memory.Entry{ID: "c1", Title: "Prefer sqlite over postgres for tests", CreatedAtMs: 1e12},
		memory.Entry{ID: "c2", Title: "Use postgres instead of sqlite for tests", CreatedAtMs: 2e12},
		memory.Entry{ID: "d1", Title: "Log with zerolog", AppliesTo: []string{"go/**"}},
		memory.Entry{ID: "d2", Title: "Do not log with zerolog", AppliesTo: []string{"web/**"}},
		memory.Entry{ID: "e1", Title: "Quote all names of tables", ReviewState: memory.Proposed},
		memory.Entry{ID: "e2", Title: "Never quote all names of tables"},
	)
	var consistency []string
	for _, f := range res.Findings {
		if f.Check == "duplicates" || f.Check == "conflicts" {
			consistency = append(consistency, fmt.Sprintf("%s %s %s %v", f.Level, f.Check, f.Entry, f.Others))
		}
	}
	want := "finding duplicates a2 [a1]\nfinding conflicts b2 [b1]\nfinding conflicts c2 [c1]"
	if got := strings.Join(consistency, "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestGlobsAndAgeAndRecalls(t *testing.T) {
	r := gittest.New(t)
	r.Write("old/a.go", "package a\n")
	base := r.Commit("Begin")
	r.Git("mv", "old", "new")
	r.Commit("Move it")
	ref := []memory.SourceRef{{Type: "commit", ID: base}}
	res := run(t, r, sweep.Input{Recalled: map[string]bool{"moved": true, "here": true, "planned": true}},
		memory.Entry{ID: "moved", AppliesTo: []string{"old/**"}, SourceRefs: ref, CreatedAtMs: today.UnixMilli()},
		memory.Entry{ID: "here", AppliesTo: []string{"new/**"}, SourceRefs: ref, CreatedAtMs: 1e12},
		memory.Entry{ID: "planned", AppliesTo: []string{"later/**"}, SourceRefs: ref, CreatedAtMs: today.UnixMilli()},
		memory.Entry{ID: "silent", CreatedAtMs: 1e12},
	)
	wants(t, res,
		"finding moved scope: no file matches what it applies to: old/**; in "+base[:12]+" some did",
		"note planned scope: no file matches what it applies to: later/**",
		"note silent recalled: no answer in the record of recalls has it",
		"note silent age: it was written",
	)
}

// forbidden is a rule for the test: a word that no file may have.
type forbidden struct{ word string }

func (f forbidden) Demands(_ context.Context, e sweep.EntryView) ([]sweep.Demand, int, string) {
	switch e.Asserts {
	case "":
		return nil, 0, ""
	case "?":
		return nil, 1, "a question is no rule"
	}
	return []sweep.Demand{forbidden{e.Asserts}}, 0, ""
}
func (f forbidden) Text() string           { return "no " + f.word }
func (f forbidden) Wants(path string) bool { return strings.HasSuffix(path, ".go") }
func (f forbidden) File(path string, content []byte) (breaks []sweep.Place, found bool) {
	for i, l := range strings.Split(string(content), "\n") {
		if strings.Contains(l, f.word) {
			breaks = append(breaks, sweep.Place{Path: path, Line: i + 1, Text: l})
		}
	}
	return breaks, false
}
func (f forbidden) Tree([]string, int) []sweep.Place { return nil }

func TestDemandsAreHeldAgainstTheWholeTree(t *testing.T) {
	r := gittest.New(t)
	r.Write("a.go", "package a\n\nvar _ = unsafe.Pointer(nil)\n")
	r.Write("b.txt", "unsafe\n")
	r.Commit("Begin")
	res := run(t, r, sweep.Input{Rules: forbidden{}},
		memory.Entry{ID: "a", Asserts: "unsafe"}, memory.Entry{ID: "b", Asserts: "reflect"}, memory.Entry{ID: "c", Asserts: "?"}, memory.Entry{ID: "d", Asserts: "unsafe", ReviewState: memory.Proposed})
	wants(t, res, "finding a rules: the tree does not keep it: no unsafe (1 places)", "note d rules: the tree does not keep it: no unsafe (1 places)")
	if c := check(res, "rules"); c.Of != 4 || c.Looked != 3 || c.Outcome != "findings" || len(c.Reasons) != 1 {
		t.Errorf("%+v", c)
	}
	if p := res.Findings[0].Places; len(p) != 1 || p[0].Path != "a.go" || p[0].Line != 3 {
		t.Errorf("%+v", p)
	}
	if c := check(run(t, r, sweep.Input{}, memory.Entry{ID: "a", Asserts: "unsafe"}), "rules"); c.Outcome != "not-run" {
		t.Errorf("without rules: %+v", c)
	}
}

func TestEntriesOutOfForceAndPiecesOfPointersAreCounted(t *testing.T) {
	r := gittest.New(t)
	r.Write("a.go", "package a\n")
	base := r.Commit("Begin")
	r.Remove("a.go")
	r.Write("b.go", "package b\n")
	r.Commit("Replace it")
	gone := cites(base, "a.go", 1, 1)
	res := run(t, r, sweep.Input{},
		memory.Entry{ID: "old", SourceRefs: gone}, memory.Entry{ID: "new", Supersedes: "old"},
		memory.Entry{ID: "stale", SourceRefs: gone, ReviewState: memory.Stale},
		memory.Entry{ID: "handoff", SourceRefs: gone, Kind: memory.KindHandoff},
		memory.Entry{ID: "dangling", Supersedes: "nothing"},
	)
	wants(t, res, "finding dangling succession: nothing, whose place it takes, is not there", "note handoff anchors: a.go:1 is not in the tree any more", "finding old succession: new took its place")
	if res.Coverage.Swept != 3 || res.Coverage.Total != 5 || res.Coverage.Left["it no longer holds: superseded or stale"] != 2 {
		t.Errorf("%+v", res.Coverage)
	}
}

func TestTheClockEndsASweepBetweenGroupsAndTheCursorGoesOn(t *testing.T) {
	r := gittest.New(t)
	r.Write("a.go", "package a\n")
	r.Commit("Begin")
	asked := 0
	res := run(t, r, sweep.Input{Stop: func() bool { asked++; return asked > 0 }}, memory.Entry{ID: "a"}, memory.Entry{ID: "b"})
	if res.Coverage.State != "partial" || res.Coverage.Swept != 0 || res.Exit() != 3 {
		t.Errorf("%+v, exit %d", res.Coverage, res.Exit())
	}
	res = run(t, r, sweep.Input{Budget: 1}, memory.Entry{ID: "a"}, memory.Entry{ID: "b"})
	if res.Coverage.Cursor != "a" || res.Exit() != 3 {
		t.Errorf("%+v, exit %d", res.Coverage, res.Exit())
	}
	res = run(t, r, sweep.Input{Budget: 1, After: "a"}, memory.Entry{ID: "a"}, memory.Entry{ID: "b"})
	if res.Coverage.Cursor != "" || res.Coverage.Swept != 1 || res.Exit() != 0 {
		t.Errorf("%+v, exit %d", res.Coverage, res.Exit())
	}
}

func TestShallowClonesAreRefused(t *testing.T) {
	r := gittest.New(t)
	r.Write("a.go", "package a\n")
	r.Commit("Begin")
	r.Write("a.go", "package a // b\n")
	r.Commit("Go on")
	dir := t.TempDir() + "/s"
	r.Git("clone", "-q", "--depth=1", "file://"+r.Dir, dir)
	repo, err := git.Open(context.Background(), dir, git.Options{Env: r.Env()})
	if err != nil {
		t.Fatal(err)
	}
	defer repo.Close()
	if _, err := sweep.Run(context.Background(), sweep.Input{Repo: repo, Set: memory.NewSet(nil, nil)}); !errors.Is(err, sweep.ErrShallow) {
		t.Errorf("%v", err)
	}
}

func TestHostileReferencesDoNoHarm(t *testing.T) {
	r := gittest.New(t)
	r.Write("a.go", "package a\n")
	base := r.Commit("Begin")
	var refs []memory.SourceRef
	for _, id := range []string{"--help", "HEAD:a.go", base + "\x00", base + "\n" + base, "../../x", strings.Repeat("f", 64), base} {
		for _, path := range []string{"a.go", "../a.go", "/etc/passwd", "a\x1b[2J.go", ":(top)a.go", "a.go\n", strings.Repeat("x/", 500)} {
			refs = append(refs, memory.SourceRef{Type: "file", ID: id, Path: path, LineStart: 1 << 30, LineEnd: -4})
		}
	}
	res := run(t, r, sweep.Input{}, memory.Entry{ID: "a", Title: "T \x1b[2J", SourceRefs: refs})
	if res.Anchors.Total != len(refs) || res.Anchors.Intact+res.Anchors.Moved != 0 {
		t.Errorf("%+v", res.Anchors)
	}
}

func TestTheSameInputGivesTheSameBytes(t *testing.T) {
	r := gittest.New(t)
	var entries []memory.Entry
	for i := range 12 {
		r.Write(fmt.Sprintf("f%d.txt", i), numbered(20, fmt.Sprint("file ", i%4)))
	}
	base := r.Commit("Begin")
	for i := range 12 {
		entries = append(entries, memory.Entry{ID: fmt.Sprintf("e%02d", i), SourceRefs: cites(base, fmt.Sprintf("f%d.txt", i), 3, 6)})
		if i%2 == 0 {
			r.Git("mv", fmt.Sprintf("f%d.txt", i), fmt.Sprintf("g%d.txt", i))
		} else {
			r.Write(fmt.Sprintf("f%d.txt", i), numbered(i, "new")+numbered(20, fmt.Sprint("file ", i%4)))
		}
	}
	r.Commit("Move on")
	var first []byte
	for range 3 {
		got, err := json.Marshal(run(t, r, sweep.Input{}, append([]memory.Entry(nil), entries...)...))
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = got
		}
		if string(got) != string(first) {
			t.Fatalf("%s\n%s", first, got)
		}
	}
}

package index

import (
	"context"
	"errors"
	"os"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const (
	goStore = "package store\n\n// Open is not a use of Phantom.\nfunc Open(path string) *DB { return nil }\n\ntype DB struct{}\n\nfunc (d *DB) Close() error { return nil }\n"
	goMain  = "package main\n\nimport \"example.com/tool/store\"\n\nfunc main() { store.Open(\"max_retries\") }\n"
	pyUtil  = "import os\n\ndef slugify(text):\n    return text.lower()\n"
)

// small is a history with a side branch and a merge:
//
//	root - second - third ------- merge - top
//	             \- side1 - side2 -/
func small(t testing.TB) (*fixture, map[string]string) {
	f := newFixture(t)
	f.commit("root", "main", "Initial import", nil, map[string]string{
		"go.mod": "module example.com/tool/v2\n", "main.go": goMain, "store/db.go": goStore, "README.md": "# Open the Phantom\n",
	})
	f.commit("second", "main", "feat(store): add slug helpers", []string{"root"}, map[string]string{"scripts/util.py": pyUtil})
	f.commit("side1", "side", "net/http: retry dials", []string{"second"}, map[string]string{"net/http/dial.go": "package http\n\nfunc Dial() {}\n"})
	f.commit("third", "main", "fix(store): close files", []string{"second"}, map[string]string{"store/db.go": goStore + "\nfunc Sync() {}\n"})
	f.commit("side2", "side", "docs: tell about dials", []string{"side1"}, map[string]string{"README.md": "# Dials\n"})
	f.commit("merge", "main", "Merge branch side", []string{"third", "side2"}, map[string]string{"net/http/dial.go": "package http\n\nfunc Dial() {}\n"})
	f.commit("top", "main", "feat(cli): drop slug helpers", []string{"merge"}, map[string]string{"scripts/util.py": "-", "cmd/Main_test.go": "package cmd\n\nfunc TestMain() {}\n"})
	return f, f.load()
}

func TestLoadSaysNoneWithoutAnIndexAndWithABrokenOne(t *testing.T) {
	f, _ := small(t)
	r := f.open()
	if _, err := Load(context.Background(), r); !errors.Is(err, ErrNone) {
		t.Fatalf("no file: %v", err)
	}
	ix := mustBuild(t, r, Options{})
	if ix.SaveError() != nil {
		t.Fatal(ix.SaveError())
	}
	data, err := os.ReadFile(fileOf(r))
	if err != nil {
		t.Fatal(err)
	}
	if info, _ := os.Stat(folderOf(r)); info.Mode().Perm() != 0o700 {
		t.Errorf("folder has mode %v", info.Mode())
	}
	foreign := slices.Clone(data)
	foreign[8]++
	for name, content := range map[string][]byte{
		"empty": {}, "torn": data[:len(data)-1], "half": data[:len(data)/2], "longer": append(slices.Clone(data), 0), "foreign version": foreign,
	} {
		if err := os.WriteFile(fileOf(r), content, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Load(context.Background(), r); !errors.Is(err, ErrNone) {
			t.Errorf("%s: %v", name, err)
		}
	}
	again := mustBuild(t, r, Options{})
	if again.Head() != ix.Head() || again.Files() != ix.Files() {
		t.Error("a broken file was not built anew")
	}
}

func TestTreeAtTheHead(t *testing.T) {
	f, c := small(t)
	r := f.open()
	ix := mustBuild(t, r, Options{})
	v := mustView(t, ix, r, c["top"], AtOptions{Remote: "https://example.com/acme/Tool-Box.git"}, "Open", "DB.Close", "DB::Close", "Sync", "slugify", "Phantom", "max_retries", "no-such", "Nowhere", "DB.Nothing", "store.Open")
	wantSites := map[string][]Site{
		"Open": {{"store/db.go", 4}}, "Sync": {{"store/db.go", 10}}, "DB.Close": {{"store/db.go", 8}}, "DB::Close": {{"store/db.go", 8}},
		"slugify": nil, "Phantom": nil, "Nowhere": nil,
	}
	for name, want := range wantSites {
		got, known := v.Definitions(name)
		if !known || !cmp.Equal(got, want) {
			t.Errorf("Definitions(%s) = %v, %v; want %v", name, got, known, want)
		}
	}
	for name, want := range map[string][2]bool{
		"Open": {true, true}, "max_retries": {true, true}, "Phantom": {false, true}, "slugify": {false, true},
		"no-such": {false, false}, "Nowhere": {false, true}, "DB.Nothing": {false, true}, "store.Open": {true, true}, "never asked": {false, false},
	} {
		if o, k := v.Occurs(name); o != want[0] || k != want[1] {
			t.Errorf("Occurs(%s) = %v, %v; want %v", name, o, k, want)
		}
	}
	if got := v.ProjectNames(); !cmp.Equal(got, []string{"tool", "tool-box"}) {
		t.Errorf("ProjectNames() = %v", got)
	}
}

func TestPathsOfCommitsNearAndFar(t *testing.T) {
	f, c := small(t)
	r := f.open()
	ix := mustBuild(t, r, Options{Commit: c["third"]})
	for name, commit := range c {
		v := mustView(t, ix, r, commit, AtOptions{})
		plain, err := ViewOf(context.Background(), r, commit, AtOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if a, b := pathAnswers(v), pathAnswers(plain); !cmp.Equal(a, b) {
			t.Errorf("%s: with and without index differ: %s", name, cmp.Diff(a, b))
		}
		if _, known := plain.Definitions("Open"); known {
			t.Error("a view without an index knows definitions")
		}
	}
	top := mustView(t, ix, r, c["top"], AtOptions{})
	if top.HasFile("scripts/util.py") || top.HasDir("scripts") || !top.HasDir("net") || !top.HasFile("cmd/Main_test.go") {
		t.Error("the top's paths are wrong")
	}
	if got := top.FilesNamed("MAIN.go"); !cmp.Equal(got, []string{"main.go"}) {
		t.Errorf("FilesNamed = %v", got)
	}
	if got := top.FilesStemmed("main"); !cmp.Equal(got, []string{"cmd/Main_test.go", "main.go"}) {
		t.Errorf("FilesStemmed = %v", got)
	}
	if top.HasExtension("py") || !top.HasExtension("md") {
		t.Error("extensions are wrong")
	}
}

func pathAnswers(v *View) map[string]any {
	out := map[string]any{}
	for _, p := range []string{"go.mod", "main.go", "scripts/util.py", "net/http/dial.go", "cmd/Main_test.go", "store", "Main.go", "zz"} {
		out["file "+p] = v.HasFile(p)
		out["dir "+dirOf(p)] = v.HasDir(dirOf(p))
		out["named "+p] = v.FilesNamed(baseOf(p))
		out["blob "+p], _ = v.BlobOf(p)
	}
	for _, d := range []string{"store", "HTTP", "scripts", "cmd", "net", "zz"} {
		out["dirs "+d] = v.DirsNamed(d)
		out["stem "+d] = v.FilesStemmed(d)
		out["ext "+d] = v.HasExtension(d)
	}
	for _, s := range []string{"main", "db", "util", "dial", "readme"} {
		out["stem "+s] = v.FilesStemmed(s)
	}
	for _, e := range []string{"go", "py", "md", "mod"} {
		out["ext "+e] = v.HasExtension(e)
	}
	var all []string
	v.EachPath(func(p string) bool { all = append(all, p); return true })
	out["all"] = all
	out["project"] = v.ProjectNames()
	return out
}

func TestNamesOfCommitsFarFromTheHeadAreThoseOfAnIndexBuiltThere(t *testing.T) {
	f, c := small(t)
	r := f.open()
	names := []string{"Open", "DB.Close", "Sync", "slugify", "Dial", "TestMain", "Phantom", "lower", "main", "text"}
	want := map[string]map[string]answer{}
	for name, commit := range c {
		ix := mustBuild(t, r, Options{Commit: commit})
		want[name] = mustView(t, ix, r, commit, AtOptions{}, names...).names
	}
	for head, commit := range c {
		ix := mustBuild(t, r, Options{Commit: commit})
		for name, at := range c {
			got := mustView(t, ix, r, at, AtOptions{}, names...).names
			if d := cmp.Diff(want[name], got, cmp.AllowUnexported(answer{}), cmp.Transformer("nil", func(s []Site) []Site { return append([]Site{}, s...) })); d != "" {
				t.Errorf("index of %s asked about %s: %s", head, name, d)
			}
		}
	}
}

func TestHistoryCountsAncestorsOnly(t *testing.T) {
	f, c := small(t)
	r := f.open()
	for _, head := range []string{"top", "third", "side2", "root"} {
		ix := mustBuild(t, r, Options{Commit: c[head]})
		for name, want := range map[string][7]int{
			// commits, scope store said+named, word slug, word helper touching scripts, touching store, net/http said
			"root":   {0, 0, 0, 0, 0, 0, 0},
			"second": {1, 0, 0, 0, 0, 1, 0},
			"third":  {2, 1, 0, 1, 1, 1, 0},
			"side1":  {2, 1, 0, 1, 1, 1, 0},
			"side2":  {3, 1, 0, 1, 1, 1, 1},
			"merge":  {5, 2, 1, 1, 1, 2, 1},
			"top":    {5, 2, 1, 1, 1, 2, 1},
		} {
			h := mustHistory(t, mustView(t, ix, r, c[name], AtOptions{}))
			said, named := h.Scope("Store")
			dial, _ := h.Scope("net/http")
			got := [7]int{h.Commits(), said, named, h.Word("slug"), h.WordTouching("helper", []string{"scripts"}), h.Touching([]string{"store"}), dial}
			if got != want {
				t.Errorf("index of %s, history of %s = %v, want %v", head, name, got, want)
			}
		}
	}
}

func TestHistoryOfAStagedChangeHasItsBase(t *testing.T) {
	f, c := small(t)
	r := f.open()
	ix := mustBuild(t, r, Options{})
	blob := f.git("-C", f.dir, "rev-parse", c["second"]+":scripts/util.py")
	v := mustView(t, ix, r, c["top"], AtOptions{HistoryAt: c["top"], Patch: []Entry{{Path: "tools/u.py", Mode: "100644", Blob: blob}, {Path: "main.go"}}}, "slugify", "Open", "main")
	if h := mustHistory(t, v); h.Commits() != 6 || h.Word("slug") != 2 || h.ScopeTouching("cli", []string{"cmd/"}) != 1 {
		t.Errorf("history: %d commits, %d say slug", h.Commits(), h.Word("slug"))
	}
	if got, _ := v.Definitions("slugify"); !cmp.Equal(got, []Site{{"tools/u.py", 3}}) {
		t.Errorf("slugify = %v", got)
	}
	if o, known := v.Occurs("main"); o || !known {
		t.Errorf("main occurs = %v, %v in a tree without main.go", o, known)
	}
	if v.HasFile("main.go") || !v.HasDir("tools") {
		t.Error("the patch is not in the paths")
	}
	empty := mustView(t, ix, r, "", AtOptions{Patch: []Entry{{Path: "u.py", Mode: "100644", Blob: blob}}}, "slugify", "Open")
	if got, known := empty.Definitions("slugify"); !known || !cmp.Equal(got, []Site{{"u.py", 3}}) {
		t.Errorf("first commit: slugify = %v, %v", got, known)
	}
	if got, known := empty.Definitions("Open"); !known || got != nil {
		t.Errorf("first commit: Open = %v, %v", got, known)
	}
	if h := mustHistory(t, empty); h.Commits() != 0 {
		t.Error("the first commit has a history")
	}
}

func TestATwinOfACommitHasTheHistoryOfItsParentsOnly(t *testing.T) {
	f, c := small(t)
	r := f.open()
	ix := mustBuild(t, r, Options{})
	twin := f.git("-C", f.dir, "commit-tree", c["third"]+"^{tree}", "-p", c["second"], "-m", "x")
	h := mustHistory(t, mustView(t, ix, r, twin, AtOptions{}))
	if h.Commits() != 2 || h.Word("close") != 0 {
		t.Errorf("%d commits, close said %d times", h.Commits(), h.Word("close"))
	}
}

func TestStepwiseBuildAnswersAsOneFromNothing(t *testing.T) {
	f, c := small(t)
	r := f.open()
	fresh := mustBuild(t, r, Options{})
	if err := os.Remove(fileOf(r)); err != nil {
		t.Fatal(err)
	}
	var ix *Index
	for _, step := range []string{"root", "second", "side1", "third", "merge", "top"} {
		ix = mustBuild(t, r, Options{Commit: c[step]})
	}
	dump := func(ix *Index) map[string]posting {
		out := map[string]posting{}
		w := walk{t: ix.names}
		for w.next() {
			var p posting
			if err := p.decode(w.body, ix.Files()); err != nil {
				t.Fatal(err)
			}
			out[string(w.name)] = p
		}
		if w.err != nil {
			t.Fatal(w.err)
		}
		return out
	}
	if d := cmp.Diff(dump(fresh), dump(ix), cmp.AllowUnexported(posting{}, defAt{}), cmp.Transformer("nil", func(s []defAt) []defAt { return append([]defAt{}, s...) })); d != "" {
		t.Error(d)
	}
	a, errA := fresh.imports()
	b, errB := ix.imports()
	if errA != nil || errB != nil || !cmp.Equal(a, b) {
		t.Errorf("imports differ: %v %v %s", errA, errB, cmp.Diff(a, b))
	}
	for name, commit := range c {
		x, y := mustHistory(t, mustView(t, fresh, r, commit, AtOptions{})), mustHistory(t, mustView(t, ix, r, commit, AtOptions{}))
		if x.Commits() != y.Commits() || x.Word("dial") != y.Word("dial") || x.Touching([]string{"net"}) != y.Touching([]string{"net"}) {
			t.Errorf("history of %s differs", name)
		}
	}
}

func TestHistoryKeepsTheNewestUpToTheCap(t *testing.T) {
	f, c := small(t)
	r := f.open()
	ix := mustBuild(t, r, Options{Commit: c["third"], MaxCommits: 3})
	if ix.Commits() != 3 {
		t.Errorf("%d commits", ix.Commits())
	}
	ix = mustBuild(t, r, Options{MaxCommits: 3})
	if ix.Commits() != 3 || ix.past().number(c["top"]) == none {
		t.Errorf("%d commits after an update", ix.Commits())
	}
}

func TestBehindCountsCommitsTheIndexLacks(t *testing.T) {
	f, c := small(t)
	r := f.open()
	ix := mustBuild(t, r, Options{Commit: c["third"]})
	ctx := context.Background()
	for name, want := range map[string]int{"third": 0, "second": 0, "side2": 2, "top": 4} {
		if n, known := ix.Behind(ctx, r, c[name]); n != want || !known {
			t.Errorf("Behind(%s) = %d, %v; want %d", name, n, known, want)
		}
	}
	if _, known := ix.Behind(ctx, r, "0000000000000000000000000000000000000001"); known {
		t.Error("an unknown commit has a distance")
	}
}

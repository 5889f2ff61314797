package bench

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// history makes a repository of n commits in dir and returns dir.
func history(t *testing.T, dir string, n int) string {
	t.Helper()
	var b strings.Builder
	put := func(text string) { fmt.Fprintf(&b, "data %d\n%s\n", len(text), text) }
	areas := []string{"lexer", "parser", "printer"}
	for i := range n {
		area := areas[i%3]
		fmt.Fprintf(&b, "commit refs/heads/main\nauthor A <a@example.org> %d +0000\ncommitter A <a@example.org> %d +0000\n", 1700000000+i, 1700000000+i)
		put(fmt.Sprintf("%s: add case%dHandler for input %d\n", area, i, i+100))
		var code strings.Builder
		fmt.Fprintf(&code, "package %s\n", area)
		for k := 0; k <= i; k++ {
			if k%3 == i%3 {
				fmt.Fprintf(&code, "\nfunc case%dHandler(x int) int {\n\treturn x + %d\n}\n", k, k+100)
			}
		}
		fmt.Fprintf(&b, "M 100644 inline %s/%s.go\n", area, area)
		put(code.String())
	}
	b.WriteString("done\n")
	for _, args := range [][]string{{"init", "--quiet", "--template=", "--initial-branch=main"}, {"fast-import", "--quiet", "--done"}} {
		cmd := gitCommand(t.Context(), dir, args...)
		cmd.Stdin = strings.NewReader(b.String())
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %s: %v: %s", args[0], err, out)
		}
	}
	return dir
}

func open(t *testing.T, dir string) *Source {
	t.Helper()
	s, err := OpenSource(context.Background(), dir, 0) // ends in Close, behind the test's own context
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// listing is every file below dir with its size.
func listing(t *testing.T, dir string) map[string]int64 {
	t.Helper()
	out := map[string]int64{}
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		out[p] = info.Size()
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestGenerateDrawsTheSamePairsForASeedAndOthersForAnother(t *testing.T) {
	src := open(t, history(t, t.TempDir(), 60))
	var sets []Set
	for _, seed := range []uint64{7, 7, 8} {
		set, err := Generate(t.Context(), []*Source{src}, Plan{Seed: seed, PerRule: 8, Natural: 10, Control: 10}, nil)
		if err != nil {
			t.Fatal(err)
		}
		sets = append(sets, set)
	}
	if !reflect.DeepEqual(sets[0], sets[1]) {
		t.Error("the same seed gave two sets")
	}
	if reflect.DeepEqual(sets[0].Pairs, sets[2].Pairs) {
		t.Error("two seeds gave the same set")
	}
	count := map[string]int{}
	for _, p := range sets[0].Pairs {
		count[string(p.Label)+" "+string(p.Rule)]++
		if p.Label == Mutant && (p.Message == p.Original || p.Length == 0 || p.Why == "") {
			t.Errorf("mutant without a false statement: %+v", p)
		}
	}
	for _, r := range []Rule{Operation, File, Function, Component, Quantity, Scope, Extra} {
		if count["mutant "+string(r)] == 0 {
			t.Errorf("no mutant by rule %s: %v", r, count)
		}
	}
	if count["natural "] != 10 || count["original "] == 0 || count["control "+string(Scope)] == 0 {
		t.Errorf("samples are %v", count)
	}
}

func TestSetSurvivesWritingAndReading(t *testing.T) {
	src := open(t, history(t, t.TempDir(), 30))
	set, err := Generate(t.Context(), []*Source{src}, Plan{Seed: 1, PerRule: 4, Natural: 4, Control: 4}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := set.Write(&b); err != nil {
		t.Fatal(err)
	}
	got, err := ReadSet(&b)
	if err != nil || !reflect.DeepEqual(got, set) {
		t.Errorf("read back differently (%v):\n%+v\n%+v", err, got, set)
	}
}

func TestReadSetRefusesWhatItCannotJudge(t *testing.T) {
	const good = `{"id":"x","repo":"r","commit":"c","label":"natural","message":"m"}`
	for text, want := range map[string]string{
		`{}`:                          "neither a pair nor the head",
		`{"heads":{}}` + `{"id":"x"}`: "object 2: id, repo, commit",
		``:                            "there are none",
		good + `{"id":"x","repo":"r","commit":"c","label":"lie","message":"m"}`:                             "object 2: the label",
		`{"id":"x","repo":"r","commit":"c","label":"mutant","rule":"luck","message":"m"}`:                   "no rule is called",
		`{"id":"x","repo":"r","commit":"c","label":"mutant","rule":"file","message":"m","at":1,"length":1}`: "outside the message",
		`{"id":"x","repo":"r","commit":"c","label":"natural","message":"m","at":-1}`:                        "outside the message",
		good + `nonsense`: "object 2",
	} {
		if _, err := ReadSet(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", text, err, want)
		}
	}
	if set, err := ReadSet(strings.NewReader(good + "\n" + good)); err != nil || len(set.Pairs) != 2 {
		t.Errorf("pairs without a head: %v %+v", err, set)
	}
}

func TestTwinsHaveTreeParentAndAuthorButNoMessageAndLeaveTheSourceAlone(t *testing.T) {
	dir := history(t, t.TempDir(), 5)
	before := listing(t, dir)
	src := open(t, dir)
	store := filepath.Join(t.TempDir(), "r.git")
	var commits []string
	for _, c := range src.Commits {
		commits = append(commits, c.Hash)
	}
	twins, err := MakeTwins(t.Context(), src, commits, store)
	if err != nil {
		t.Fatal(err)
	}
	for _, hash := range commits {
		show := func(where, what string) string {
			out, err := gitCommand(t.Context(), where, "log", "-1", "--format=%T %P %an %ae %at %ct|%B", what).Output()
			if err != nil {
				t.Fatal(err)
			}
			return strings.TrimSpace(string(out))
		}
		was, _, _ := strings.Cut(show(dir, hash), "|")
		if got := show(store, twins.Of[hash]); got != was+"|" {
			t.Errorf("twin is %q, want %q without a message", got, was)
		}
	}
	if _, err := MakeTwins(t.Context(), src, commits, store); err != nil {
		t.Errorf("a second run failed: %v", err)
	}
	if after := listing(t, dir); !reflect.DeepEqual(before, after) {
		t.Errorf("the source was written to: %v, was %v", after, before)
	}
}

func TestJudgeShowsEveryPairToTheEngineUnderItsTwin(t *testing.T) {
	src := open(t, history(t, t.TempDir(), 40))
	set, err := Generate(t.Context(), []*Source{src}, Plan{Seed: 1, PerRule: 3, Natural: 5, Control: 5}, nil)
	if err != nil {
		t.Fatal(err)
	}
	outcomes, err := Judge(t.Context(), []*Source{src}, set, JudgeOptions{Dir: t.TempDir(), Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	if len(outcomes) != len(set.Pairs) {
		t.Fatalf("%d outcomes of %d pairs", len(outcomes), len(set.Pairs))
	}
	for i, o := range outcomes {
		if o.Pair.ID != set.Pairs[i].ID {
			t.Fatalf("outcome %d is of %s, want %s", i, o.Pair.ID, set.Pairs[i].ID)
		}
		if o.Result.Error != nil {
			t.Fatalf("%s: %+v", o.Pair.ID, o.Result.Error)
		}
		if o.Result.Commit == o.Pair.Commit {
			t.Errorf("%s was judged as itself, where its message can be seen", o.Pair.ID)
		}
	}
	if _, err := Judge(t.Context(), nil, set, JudgeOptions{Dir: t.TempDir()}); err == nil || !strings.Contains(err.Error(), "was not given") {
		t.Errorf("got %v", err)
	}
}

func TestOpenSourceNamesRepositoriesByTheirTellingPart(t *testing.T) {
	for p, want := range map[string]string{"/a/b": "b", "/a/b/.git": "b", "/a/b.git": "b", "/a/x+y/repo": "x+y", "/a/x/repo.git": "x"} {
		if got := sourceName(p); got != want {
			t.Errorf("%s is called %s, want %s", p, got, want)
		}
	}
	if _, err := OpenSource(t.Context(), filepath.Join(t.TempDir()), 0); err == nil {
		t.Error("a folder that is no repository was opened")
	}
}

func TestSourceGoesOnBehindACommitWithMissingObjects(t *testing.T) {
	dir := history(t, t.TempDir(), 6)
	src := open(t, dir)
	if p, err := src.Patch(strings.Repeat("1", 40), 1<<20); err == nil && len(p) > 0 {
		t.Errorf("a commit that does not exist has the patch %q", p)
	}
	if p, err := src.Patch(src.Commits[0].Hash, 1<<20); err != nil || !bytes.Contains(p, []byte("+func case5Handler")) {
		t.Errorf("got %v %q", err, p)
	}
	if p, err := src.Patch(src.Commits[0].Hash, 10); err != nil || p != nil {
		t.Errorf("beyond the limit: got %v %q", err, p)
	}
}

func TestFilesListsWhatGitLists(t *testing.T) {
	dir := history(t, t.TempDir(), 12)
	src := open(t, dir)
	for _, c := range src.Commits {
		out, err := gitCommand(t.Context(), dir, "ls-tree", "-r", "-z", "--name-only", "--full-tree", c.Tree).Output()
		if err != nil {
			t.Fatal(err)
		}
		want := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
		slices.Sort(want)
		got, err := src.Files(c.Tree)
		if err != nil || !slices.Equal(got, want) {
			t.Fatalf("got %v %q, want %q", err, got, want)
		}
	}
	if _, err := src.Files(strings.Repeat("1", 40)); err == nil {
		t.Error("a tree that does not exist was listed")
	}
}

func FuzzParseTree(f *testing.F) {
	f.Add([]byte("100644 a\x00aaaaaaaaaaaaaaaaaaaa40000 b\x00bbbbbbbbbbbbbbbbbbbb"))
	f.Add([]byte("40000 \x00"))
	f.Fuzz(func(t *testing.T, body []byte) {
		entries, err := parseTree(body, 20)
		for _, e := range entries {
			if err == nil && e.tree != "" && len(e.tree) != 40 {
				t.Fatalf("%+v", e)
			}
		}
	})
}

package index

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// exercise asks an index everything that needs no repository.
func exercise(ix *Index) {
	var p posting
	for _, n := range []string{"", "Open", "DB.Close", "zzz", "a"} {
		_, _ = ix.names.lookup(n, &p)
	}
	w := walk{t: ix.names}
	for w.next() {
		_ = p.decode(w.body, ix.Files())
	}
	_, _ = ix.imports()
	v := &View{ix: ix, base: ix.tree, known: true, commit: ix.Head(), memo: &ix.memo}
	_ = v.Prefetch(context.Background(), []string{"Open", "Type.x", "zz"})
	pathAnswers(v)
	if h := ix.past(); h != nil {
		for n := range h.n {
			h.eachParent(uint32(n), func(uint32) {})
			h.number(h.id(n))
		}
		x := newHistory(h, []uint32{0}[:min(h.n, 1)])
		x.Scope("store")
		x.WordTouching("slug", []string{"store", "", "scripts/util.py"})
		for k := range h.keys.n {
			_, _ = h.posting(k, nil)
			if len(x.mask) > 0 {
				h.mark(k, newBitset(h.n))
			}
		}
	}
}

func FuzzOpen(f *testing.F) {
	fx, _ := small(f)
	r := fx.open()
	mustBuild(f, r, Options{})
	data, err := os.ReadFile(fileOf(r))
	if err != nil {
		f.Fatal(err)
	}
	l, err := readLayout(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		f.Fatal(err)
	}
	whole := make([][]byte, sectionCount)
	for i, e := range l {
		whole[i] = data[e.off : e.off+e.n]
		f.Add(uint8(i), whole[i])
		f.Add(uint8(i), []byte{})
		f.Add(uint8(i), whole[i][:len(whole[i])/2])
	}
	f.Fuzz(func(t *testing.T, which uint8, section []byte) {
		// Sums are made to fit, so that what lies behind them is tried.
		var s [sectionCount][]byte
		copy(s[:], whole)
		s[int(which)%sectionCount] = section
		file := encodeFile(&s)
		if ix, err := open(inMemory(file), int64(len(file))); err == nil {
			exercise(ix)
		} else if !errors.Is(err, errBroken) {
			t.Fatalf("error without the cause: %v", err)
		}
		// And as the whole file.
		if ix, err := open(inMemory(section), int64(len(section))); err == nil {
			exercise(ix)
		}
	})
}

func TestAnyFlippedByteIsNoticedOrHarmless(t *testing.T) {
	f, c := small(t)
	r := f.open()
	ix := mustBuild(t, r, Options{})
	want := mustView(t, ix, r, c["top"], AtOptions{}, "Open", "Sync").names
	data, err := os.ReadFile(fileOf(r))
	if err != nil {
		t.Fatal(err)
	}
	for at := range data {
		torn := slices.Clone(data)
		torn[at] ^= 0x41
		ix, err := open(inMemory(torn), int64(len(torn)))
		if err != nil {
			continue
		}
		exercise(ix)
		v := &View{ix: ix, base: ix.tree, known: true, memo: &ix.memo}
		if err := v.Prefetch(context.Background(), []string{"Open", "Sync"}); err != nil {
			t.Fatal(err)
		}
		for n, a := range v.names {
			if a.known && !cmp.Equal(a, want[n], cmp.AllowUnexported(answer{})) {
				t.Fatalf("byte %d: %s = %v, want %v or unknown", at, n, a, want[n])
			}
		}
	}
}

func TestPostingsComeBackAsTheyWerePut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOfDistinct(rapid.StringMatching(`[a-cA-C_]{1,6}`), rapid.ID[string]).Draw(t, "names")
		slices.Sort(names)
		const files = 5000
		number := rapid.Uint32Range(0, files-1)
		all := map[string]posting{}
		var w tableWriter
		for _, n := range names {
			p := posting{uses: rapid.SliceOfDistinct(number, rapid.ID[uint32]).Draw(t, "uses")}
			slices.Sort(p.uses)
			for _, f := range rapid.SliceOf(number).Draw(t, "defs") {
				p.defs = append(p.defs, defAt{f, f % 7})
			}
			slices.SortFunc(p.defs, func(a, b defAt) int { return int(a.file) - int(b.file) })
			w.put([]byte(n), &p)
			if len(p.uses)+len(p.defs) > 0 {
				all[n] = p
			}
		}
		dir, blocks := w.finish()
		tab, err := openTable(dir, bytes.NewReader(blocks), extent{0, uint64(len(blocks)), 0}, files)
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range append(names, "zzz", "", "_0") {
			var p posting
			found, err := tab.lookup(n, &p)
			want, ok := all[n]
			if err != nil || found != ok || ok && !(slices.Equal(p.uses, want.uses) && slices.Equal(p.defs, want.defs)) {
				t.Fatalf("%q: %v %v %v, want %v %v", n, p, found, err, want, ok)
			}
		}
	})
}

// TestHistoryAgainstPlainCounting builds random histories and holds every answer
// against one counted by hand.
func TestHistoryAgainstPlainCounting(t *testing.T) {
	dirs := []string{"a", "a/b", "c", "c/d/e"}
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 60).Draw(t, "commits")
		rows := make([]row, n)
		for i := range rows {
			rows[i].id = fmt.Sprintf("%040x", i+1)
			if i > 0 {
				for range rapid.IntRange(0, 3).Draw(t, "parents") {
					p := rows[rapid.IntRange(0, i-1).Draw(t, "parent")].id
					if !slices.Contains(rows[i].parents, p) {
						rows[i].parents = append(rows[i].parents, p)
					}
				}
			}
			scope := rapid.SampledFrom([]string{"fix(a): ", "feat(D): ", "b: ", ""}).Draw(t, "scope")
			rows[i].subject = scope + strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"alpha", "beta", "gamma"}), 0, 3).Draw(t, "words"), " ")
			for _, d := range rapid.SliceOfDistinct(rapid.SampledFrom(dirs), rapid.ID[string]).Draw(t, "dirs") {
				rows[i].paths = append(rows[i].paths, d+"/f.go")
			}
		}
		// Some of the commits are there when the index is made, the others come later.
		early := rapid.IntRange(0, n).Draw(t, "early")
		b := newPastBuilder(20)
		for _, i := range rapid.Permutation(seq(early)).Draw(t, "order") {
			b.add(rows[i])
		}
		var s [sectionCount][]byte
		b.encodeTo(&s)
		h, err := openPast(s[secCommits], s[secKeys], s[secPosts], 20)
		if err != nil {
			t.Fatal(err)
		}
		var late []row
		for _, i := range rapid.Permutation(seq(n-early)).Draw(t, "late") {
			late = append(late, rows[early+i])
		}
		if early > 0 && len(late) > 0 {
			late = append(late, rows[rapid.IntRange(0, early-1).Draw(t, "again")]) // one it has already changes nothing
		}
		if err := h.extend(late, &s); err != nil {
			t.Fatal(err)
		}
		if h, err = openPast(s[secCommits], s[secKeys], s[secPosts], 20); err != nil {
			t.Fatal(err)
		}
		at := rapid.IntRange(0, n-1).Draw(t, "at")
		ancestor := map[string]bool{}
		var climb func(i int)
		climb = func(i int) {
			for _, p := range rows[i].parents {
				if !ancestor[p] {
					ancestor[p] = true
					for j := range rows {
						if rows[j].id == p {
							climb(j)
						}
					}
				}
			}
		}
		climb(at)
		var parents []uint32
		h.eachParent(h.number(rows[at].id), func(p uint32) { parents = append(parents, p) })
		x := newHistory(h, parents)
		// Half of the commits may as well be ones that the index does not have.
		var touched, said, both, scoped int
		ask := rapid.SliceOfDistinct(rapid.SampledFrom(dirs), rapid.ID[string]).Draw(t, "asked")
		commits := 0
		for _, r := range rows {
			if !ancestor[r.id] || len(r.parents) > 1 {
				continue
			}
			commits++
			one := take(r)
			in := one.touches(ask)
			if in {
				touched++
			}
			if one.says(keyWord, "alpha") {
				said++
				if in {
					both++
				}
			}
			if one.says(keyNamed, "d") {
				scoped++
			}
		}
		_, named := x.Scope("d")
		if got := [5]int{x.Commits(), x.Touching(ask), x.Word("alpha"), x.WordTouching("alpha", ask), named}; got != [5]int{commits, touched, said, both, scoped} {
			t.Fatalf("%v, counted %v", got, [5]int{commits, touched, said, both, scoped})
		}
	})
}

func seq(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

func TestAnUnwritableRepositoryIsIndexedInMemory(t *testing.T) {
	f, c := small(t)
	r := f.open()
	// A file where the folder should be: nobody, not even root, can write there.
	if err := os.WriteFile(folderOf(r), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	ix := mustBuild(t, r, Options{})
	if ix.SaveError() == nil {
		t.Fatal("written into a file")
	}
	v := mustView(t, ix, r, c["second"], AtOptions{}, "slugify")
	if sites, known := v.Definitions("slugify"); !known || len(sites) != 1 {
		t.Errorf("slugify = %v, %v", sites, known)
	}
}

func TestConcurrentBuildsLeaveOneGoodFile(t *testing.T) {
	f, c := small(t)
	tips := []string{"root", "third", "side2", "top"}
	var wg sync.WaitGroup
	for _, name := range tips {
		r := f.open()
		wg.Go(func() {
			ix, err := Build(context.Background(), r, Options{Commit: c[name]})
			if err != nil {
				t.Error(err)
				return
			}
			defer ix.Close()
			if ix.Head() != c[name] {
				t.Errorf("asked for %s, got %s", c[name], ix.Head())
			}
		})
	}
	wg.Wait()
	r := f.open()
	ix, err := Load(context.Background(), r)
	if err != nil {
		t.Fatal(err)
	}
	defer ix.Close()
	list, err := os.ReadDir(folderOf(r))
	if err != nil || len(list) != 1 {
		t.Errorf("left behind: %v %v", list, err)
	}
}

func TestWhatAKilledWriterLeftIsSweptOnceItIsOld(t *testing.T) {
	f, _ := small(t)
	r := f.open()
	if err := os.Mkdir(folderOf(r), 0o700); err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	for name, age := range map[string]time.Duration{"index123": 2 * time.Hour, "index456": 0, "index.note": 9 * time.Hour, "entries": 9 * time.Hour} {
		p := filepath.Join(folderOf(r), name)
		if err := os.WriteFile(p, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(p, now.Add(-age), now.Add(-age)); err != nil {
			t.Fatal(err)
		}
	}
	mustBuild(t, r, Options{})
	var names []string
	list, _ := os.ReadDir(folderOf(r))
	for _, e := range list {
		names = append(names, e.Name())
	}
	if want := []string{"entries", "index", "index.note", "index456"}; !cmp.Equal(names, want) {
		t.Errorf("left: %v, want %v", names, want)
	}
}

func TestAMissingBlobMakesAbsenceUnknown(t *testing.T) {
	f, c := small(t)
	r := f.open()
	f.git("-C", f.dir, "config", "uploadpack.allowFilter", "true")
	whole := mustBuild(t, r, Options{Commit: c["second"]})
	pruned := filepath.Join(t.TempDir(), "pruned.git")
	f.git("clone", "-q", "--bare", "--no-local", "--filter=blob:none", "file://"+f.dir, pruned)
	p := openRepo(t, pruned)
	ix := mustBuild(t, p, Options{})
	v := mustView(t, ix, p, c["top"], AtOptions{}, "Open", "Nowhere")
	if _, known := v.Occurs("Nowhere"); known {
		t.Error("absence is known though no file could be read")
	}
	if !v.HasFile("main.go") {
		t.Error("the paths need no blobs")
	}
	// An index that knows more, looked at from a commit whose new blobs are missing.
	v, err := whole.At(context.Background(), p, c["top"], AtOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := v.Prefetch(context.Background(), []string{"main", "TestMain"}); err != nil {
		t.Fatal(err)
	}
	if o, known := v.Occurs("main"); !o || !known {
		t.Errorf("main: %v, %v: it stands in an unchanged file", o, known)
	}
	if _, known := v.Occurs("TestMain"); known {
		t.Error("TestMain stands in a blob that is missing, and is said to be known")
	}
}

func TestSha256AndHostilePaths(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "r.git")
	f := &fixture{t: t, dir: dir, marks: map[string]int{}, files: map[int]map[string]string{}}
	f.git("init", "-q", "--bare", "--object-format=sha256", "-b", "main", dir)
	odd := []string{"-rf.go", "a \"b\"\n.go", "\xff\xfe.py", ":(glob)*.go", "\x01x/\x02.js", "läufer/Größe_test.go"}
	first := map[string]string{}
	for i, p := range odd {
		first[p] = fmt.Sprintf("package p\n\nfunc Odd%d() {}\n", i)
	}
	f.commit("one", "main", "\x02: \x01 odd \x1b[31m names", nil, first)
	f.commit("two", "main", "feat: more", []string{"one"}, map[string]string{"-rf.go": "-", "new\tfile.go": "package p\n\nfunc Fresh() {}\n"})
	c := f.load()
	r := f.open()
	ix := mustBuild(t, r, Options{Commit: c["one"]})
	v := mustView(t, ix, r, c["two"], AtOptions{}, "Odd0", "Odd1", "Fresh")
	for i, p := range odd {
		if v.HasFile(p) != (i > 0) {
			t.Errorf("HasFile(%q) = %v", p, v.HasFile(p))
		}
	}
	if s, _ := v.Definitions("Fresh"); !cmp.Equal(s, []Site{{"new\tfile.go", 3}}) {
		t.Errorf("Fresh = %v", s)
	}
	if s, _ := v.Definitions("Odd1"); len(s) != 1 || s[0].Path != odd[1] {
		t.Errorf("Odd1 = %v", s)
	}
	if s, known := v.Definitions("Odd0"); s != nil || !known {
		t.Errorf("Odd0 = %v, %v", s, known)
	}
	if got := v.FilesStemmed("grösse"); got != nil {
		t.Errorf("ö is not o: %v", got)
	}
	if got := v.FilesStemmed("GRÖßE"); len(got) != 1 {
		t.Errorf("FilesStemmed(GRÖßE) = %v", got)
	}
	if h := mustHistory(t, v); h.Commits() != 1 || h.Word("odd") != 1 {
		t.Errorf("history: %d", h.Commits())
	}
}

func TestManifestNames(t *testing.T) {
	for _, c := range []struct{ path, text, want string }{
		{"go.mod", "// tool\nmodule example.com/acme/widget/v3\n\ngo 1.26\n", "widget"},
		{"go.mod", "module \"v2\"\n", "v2"},
		{"package.json", `{"name": "@acme/widget", "version": "1.0.0"}`, "widget"},
		{"package.json", `{"name": 5}`, ""},
		{"package.json", `{"name": `, ""},
		{"Cargo.toml", "[workspace]\nname = \"no\"\n[package]\nname = \"widget\" # here\n", "widget"},
		{"pyproject.toml", "[build-system]\nname='x'\n[project]\nname = 'widget'\n", "widget"},
		{"pyproject.toml", "[tool.poetry]\nname = \"widget\"\n", "widget"},
		{"setup.cfg", "[metadata]\nname = widget\n", "widget"},
		{"pom.xml", "<project><parent><artifactId>parent</artifactId></parent><artifactId> widget </artifactId></project>", "widget"},
		{"pom.xml", "<project><!-- ", ""},
		{"widget.gemspec", "", "widget"},
	} {
		if got := manifestName(c.path, []byte(c.text)); got != c.want {
			t.Errorf("%s %q: %q, want %q", c.path, c.text, got, c.want)
		}
	}
	set := addName(addName(addName(nil, "git@example.com:acme/Widget.git"), "/home/x/widget/"), "bad\x1bname")
	if !cmp.Equal(set, []string{"widget"}) {
		t.Errorf("%v", set)
	}
}

func FuzzManifestName(f *testing.F) {
	for _, p := range []string{"go.mod", "package.json", "Cargo.toml", "pyproject.toml", "setup.cfg", "pom.xml", "x.gemspec"} {
		f.Add(p, []byte("[package]\nname = \"x\"\nmodule x\n<project><artifactId>x"))
	}
	f.Fuzz(func(t *testing.T, path string, src []byte) {
		for _, n := range addName(nil, manifestName(path, src)) {
			if strings.ContainsAny(n, "/\n\x1b\x00") || n == "" {
				t.Fatalf("%q", n)
			}
		}
	})
}

func TestScopesNamePaths(t *testing.T) {
	for _, c := range []struct {
		scope, path string
		want        bool
	}{
		{"store", "store/db.go", true}, {"store", "pkg/store.go", true}, {"store", "pkg/store_test.go", true}, {"db", "store/db.go", true},
		{"net/http", "src/net/http/dial.go", true}, {"net/http", "src/net/http.go", true}, {"net/http", "internet/http/x.go", false},
		{"my-lib", "my_lib/x.go", true}, {"sto", "store/db.go", false}, {"db.go", "store/db.go", true}, {"", "a", false},
		{"store", "store-web/db.go", true}, {"store", "pkg/store_lock.go", true}, {"lock", "pkg/store_lock.go", false},
	} {
		if got := namesPath(c.scope, c.path); got != c.want {
			t.Errorf("namesPath(%q, %q) = %v", c.scope, c.path, got)
		}
	}
}

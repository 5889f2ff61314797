package search

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"

	"github.com/saysolint/sayso/memory"
)

var noon = time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)

func entry(id, title string, change ...func(*memory.Entry)) memory.Entry {
	e := memory.Entry{ID: id, Title: title, Kind: memory.KindDecision, ReviewState: memory.Reviewed, SchemaVersion: 1, Version: 1}
	for _, c := range change {
		c(&e)
	}
	return e
}

func goal(s string) func(*memory.Entry)  { return func(e *memory.Entry) { e.Goal = s } }
func notes(s string) func(*memory.Entry) { return func(e *memory.Entry) { e.Notes = s } }
func decided(s ...string) func(*memory.Entry) {
	return func(e *memory.Entry) { e.Decisions = s }
}
func state(s memory.State) func(*memory.Entry) { return func(e *memory.Entry) { e.ReviewState = s } }
func replaces(id string) func(*memory.Entry)   { return func(e *memory.Entry) { e.Supersedes = id } }
func created(ms int64) func(*memory.Entry)     { return func(e *memory.Entry) { e.CreatedAtMs = ms } }

func searcher(t testing.TB, entries ...memory.Entry) *Searcher {
	t.Helper()
	s, err := FromSet(memory.NewSet(entries, nil))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func ids(t testing.TB, s *Searcher, r Request) []string {
	t.Helper()
	out, err := s.Search(t.Context(), r, noon)
	if err != nil {
		t.Fatalf("%q: %v", r.Query, err)
	}
	var list []string
	for _, h := range out.Hits {
		list = append(list, h.Entry.ID)
	}
	return list
}

func TestWordsMatchAsWords(t *testing.T) {
	for _, c := range []struct {
		name, text, query string
		want              bool
	}{
		{"a word is not found inside another", "the category of go code", "cat", false},
		{"a short word stands for itself", "written in Go", "go", true},
		{"case does not count", "décision mémoire", "DÉCISION", true},
		{"decomposed accents are the same letters", norm.NFD.String("décision mémoire"), "mémoire", true},
		{"a decomposed query finds composed text", "mémoire", norm.NFD.String("mémoire"), true},
		{"full-width letters are letters", "Ｃａｃｈｅ", "cache", true},
		{"sharp s is two", "Straße", "STRASSE", true},
		{"a Turkish capital finds the small letter", "İstanbul", "istanbul", true},
		{"a small query finds the Turkish capital", "istanbul", "İstanbul", true},
		{"English endings", "we cache the responses", "caching response", true},
		{"French endings in a French entry", "nous avons décidé que les décisions sont dans le dépôt et pas dans une base", "décision", true},
		{"German endings in a German entry", "wir speichern die Entscheidungen nicht in der Datenbank und das ist gut", "Entscheidung", true},
		{"an identifier as a whole", "call parseHTTPHeader first", "parsehttpheader", true},
		{"a part of an identifier", "call parseHTTPHeader first", "header", true},
		{"an identifier written another way", "call parse_http_header first", "parseHTTPHeader", true},
		{"a part that is not there", "call parseHTTPHeader first", "parseHTTPFooter", false},
		{"a path by its file", "see internal/git/run.go", "run.go", true},
		{"a path as a whole", "see internal/git/run.go.", "internal/git/run.go", true},
		{"a version as a whole", "since v1.2.3", "v1.2.3", true},
		{"another version is another", "since v1.2.3", "v1.2.4", false},
		{"a French article does not hide its word", "l’index du dépôt", "index", true},
		{"a genitive finds its word", "the store of the user", "user's store", true},
		{"a Japanese word inside a run", "設定ファイルの鍵を保存する", "保存", true},
		{"characters in another order are not the word", "設定ファイルの鍵を保存する", "存保", false},
		{"a single character", "設定の鍵", "鍵", true},
		{"a Thai word inside a run", "เก็บการตัดสินใจไว้ในคลัง", "ตัดสินใจ", true},
		{"a language with signs", "rewritten in C++ and C#", "c++", true},
		{"a letter is not that language", "plan C is dead", "c++", false},
		{"every word has to be there", "cache the responses", "cache requests", false},
		{"emoji are no words", "🚀 launch", "🚀 launch", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := ids(t, searcher(t, entry("x", "a title", notes(c.text))), Request{Query: c.query})
			if (len(got) == 1) != c.want {
				t.Errorf("%q in %q: found %v, want %v", c.query, c.text, got, c.want)
			}
		})
	}
}

func TestWordsOfDifferentEntriesDoNotAdd(t *testing.T) {
	s := searcher(t, entry("a", "alpha"), entry("b", "beta"))
	if got := ids(t, s, Request{Query: "alpha beta"}); len(got) != 0 {
		t.Errorf("found %v", got)
	}
	if got := ids(t, s, Request{Query: "alpha beta", Mode: ModeBest}); len(got) != 2 {
		t.Errorf("best match found %v", got)
	}
}

func TestOrderIsByFieldThenTimeThenID(t *testing.T) {
	s := searcher(t,
		entry("notes", "x", notes("cache")), entry("title", "cache"), entry("goal", "x", goal("cache")),
		entry("young", "x", decided("cache"), created(2)), entry("b-old", "x", decided("cache"), created(1)), entry("a-old", "x", decided("cache"), created(1)),
		entry("often", "x", notes(strings.Repeat("cache ", 50))),
	)
	want := []string{"title", "goal", "young", "a-old", "b-old", "notes", "often"}
	if d := cmp.Diff(want, ids(t, s, Request{Query: "cache", Limit: 20})); d != "" {
		t.Error(d)
	}
}

func TestRepeatedDecisionsDoNotAdd(t *testing.T) {
	many := make([]string, 30)
	for i := range many {
		many[i] = "cache"
	}
	out, err := searcher(t, entry("many", "x", decided(many...)), entry("one", "x", decided("cache"))).Search(t.Context(), Request{Query: "cache"}, noon)
	if err != nil || out.Hits[0].Score != out.Hits[1].Score {
		t.Errorf("%v: scores %d and %d", err, out.Hits[0].Score, out.Hits[1].Score)
	}
}

func TestOnlyWhatHoldsIsFound(t *testing.T) {
	s := searcher(t,
		entry("new", "cache in memory", replaces("old")), entry("old", "cache on disk"),
		entry("idea", "cache in the cloud", state(memory.Proposed), replaces("kept")), entry("kept", "cache nothing"),
		entry("past", "cache of paper", state(memory.Stale)),
	)
	for _, m := range Modes {
		got := ids(t, s, Request{Query: "cache", Mode: m, Limit: 20})
		slices.Sort(got)
		if d := cmp.Diff([]string{"kept", "new"}, got); d != "" {
			t.Errorf("%s: %s", m, d)
		}
	}
	out, err := s.Search(t.Context(), Request{Query: "cache", IncludeInactive: true, Limit: 20}, noon)
	if err != nil {
		t.Fatal(err)
	}
	markers := map[string]string{}
	for _, h := range out.Hits {
		markers[h.Entry.ID] = h.Marker
	}
	want := map[string]string{
		"new": "", "kept": "", "old": "[historical evidence: superseded by new]",
		"idea": "[historical evidence: proposed, not reviewed]", "past": "[historical evidence: stale]",
	}
	if d := cmp.Diff(want, markers); d != "" {
		t.Error(d)
	}
}

func TestWhatDoesNotHoldHasNoInfluence(t *testing.T) {
	list := []memory.Entry{entry("a", "cache of names", notes("disk disk")), entry("b", "names on disk"), entry("c", "something else")}
	with := slices.Clone(list)
	for i := range 20 {
		with = append(with, entry(fmt.Sprintf("p%d", i), "cache cache disk "+strings.Repeat("long ", i), state(memory.Proposed)))
	}
	r := Request{Query: "cache names on disk", Mode: ModeBest}
	a, errA := searcher(t, list...).Search(t.Context(), r, noon)
	b, errB := searcher(t, with...).Search(t.Context(), r, noon)
	if d := cmp.Diff(a.Hits, b.Hits); d != "" || errA != nil || errB != nil {
		t.Error(errA, errB, d)
	}
}

func TestKindsAndCoverage(t *testing.T) {
	fact := func(e *memory.Entry) { e.Kind = memory.KindFact }
	var list []memory.Entry
	for i := range 30 {
		list = append(list, entry(fmt.Sprintf("d%02d", i), "cache"))
	}
	list = append(list, entry("f", "cache", fact), entry("p", "cache", state(memory.Proposed)))
	s := searcher(t, list...)
	out, err := s.Search(t.Context(), Request{Query: "cache", Limit: 100}, noon)
	if err != nil {
		t.Fatal(err)
	}
	want := Coverage{Entries: 32, Searched: 31, Inactive: 1, Matched: 31, Returned: 20, Note: "searched 31 of 32 entries, 1 do not hold, showing 20 of 31 matches"}
	if d := cmp.Diff(want, out.Coverage); d != "" {
		t.Error(d)
	}
	if got := ids(t, s, Request{Query: "cache", Kinds: []memory.Kind{memory.KindFact}}); !slices.Equal(got, []string{"f"}) {
		t.Errorf("facts: %v", got)
	}
	if got := ids(t, s, Request{Query: "cache", Limit: -3}); len(got) != 1 {
		t.Errorf("a limit below 1: %v", got)
	}
	if got := ids(t, s, Request{Query: "cache"}); len(got) != DefaultResults {
		t.Errorf("no limit: %v", got)
	}
}

func TestInputIsStrict(t *testing.T) {
	for in, want := range map[string]string{
		`{"query":"x"}`: "",
		`{"query":"x","kinds":["fact","run"],"maxResults":99,"includeInactive":true}`: "",
		`{"query":""}`:                          "query is required",
		`{"query":" -- . "}`:                    "query is required",
		`{}`:                                    "query is required",
		`{"query":"x","kinds":["fact","fact"]}`: "named twice",
		`{"query":"x","kinds":["rumour"]}`:      "unknown kind",
		`{"query":"x","space":"y"}`:             "unknown field",
		`{"query":"x"} {}`:                      "more than one value",
		`{"query":"` + strings.Repeat("a ", 1<<16) + `"}`: "too long",
	} {
		_, err := ParseSearchInput([]byte(in))
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%.60s: %v, want %q", in, err, want)
		}
	}
	for in, want := range map[string]bool{`{"memoryId":"a-b_C9"}`: true, `{"memoryId":"../x"}`: false, `{"memoryId":""}`: false, `{"memoryId":"a","x":1}`: false} {
		if _, err := ParseReadInput([]byte(in)); (err == nil) != want {
			t.Errorf("%s: %v", in, err)
		}
	}
	for in, want := range map[int]int{-1: 1, 0: 1, 7: 7, 21: 20} {
		if got := (SearchInput{Query: "x", MaxResults: &in}).Request().Limit; got != want {
			t.Errorf("maxResults %d is %d, want %d", in, got, want)
		}
	}
}

func TestExcerptIsAroundTheMatch(t *testing.T) {
	far := strings.Repeat("lorem ipsum ", 100)
	for _, c := range []struct {
		name  string
		entry memory.Entry
		query string
		want  string // a part of it
	}{
		{"in the middle of a long text", entry("x", "t", goal(far+"the zebra crosses "+far)), "zebra", "the zebra crosses"},
		{"a stem", entry("x", "t", goal(far+"two zebras cross "+far)), "zebra", "two zebras cross"},
		{"a decision before the goal", entry("x", "t", goal("the zebra of the goal"), decided("nothing", "the zebra of a decision")), "zebra", "zebra of a decision"},
		{"the passage with most words", entry("x", "t", decided("a zebra"), notes("nothing\n\na zebra and a lion\n")), "zebra lion", "a zebra and a lion"},
		{"what it is about where the title matches", entry("x", "zebra", goal("stripes")), "zebra", "stripes"},
		{"the title where there is nothing else", entry("x", "zebra"), "zebra", "zebra"},
		{"terminal escapes are gone", entry("x", "t", goal("a \x1b[31m zebra\x07 crosses")), "zebra", "zebra crosses"},
		{"in Japanese", entry("x", "t", goal(strings.Repeat("設定ファイル", 80)+"鍵を保存する"+strings.Repeat("設定ファイル", 80))), "保存", "保存"},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, err := searcher(t, c.entry).Search(t.Context(), Request{Query: c.query}, noon)
			if err != nil || len(out.Hits) != 1 {
				t.Fatal(err, out)
			}
			got := out.Hits[0].Excerpt
			if !strings.Contains(got, c.want) || utf8.RuneCountInString(got) > MaxExcerpt || strings.ContainsAny(got, "\x1b\n\x07") {
				t.Errorf("excerpt %q, want %q in it", got, c.want)
			}
		})
	}
}

func TestExpandedModeFindsWhatOnePhrasingMisses(t *testing.T) {
	s := searcher(t, entry("a", "sessions live in redis"), entry("b", "prices are cents"), entry("c", "logins last a day"))
	got := ids(t, s, Request{Query: "where are sessions", More: []string{"how long does a login last"}, Mode: ModeExpanded})
	slices.Sort(got)
	if !slices.Contains(got, "a") || !slices.Contains(got, "c") {
		t.Errorf("found %v", got)
	}
}

func TestExplanationNamesWordsAndWays(t *testing.T) {
	on := true
	s := searcher(t, entry("a", "the database of configurations"), entry("b", "unrelated"))
	out, err := s.Search(t.Context(), Request{Query: "db configuration zebra", Mode: ModeBest, Expand: &on, Explain: true}, noon)
	if err != nil || len(out.Hits) != 1 {
		t.Fatal(err, out)
	}
	x := out.Hits[0].Explain
	if len(x.Words) != 2 || x.Words[0].By != "database" || x.Words[1].By != "stem" || !slices.Equal(x.Missing, []string{"zebra"}) {
		t.Errorf("%+v", x)
	}
}

// disk is a store in a folder with an index beside it.
type disk struct {
	*memory.Store
	dir   string
	cache Options
}

func newDisk(t testing.TB) *disk {
	t.Helper()
	top := t.TempDir()
	st, err := memory.Open(top, "mem")
	if err != nil {
		t.Fatal(err)
	}
	d := &disk{st, filepath.Join(top, "mem"), Options{Cache: filepath.Join(t.TempDir(), "sayso"), Key: st.Key(), Build: "test"}}
	if err := os.Mkdir(d.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return d
}

func (d *disk) write(t testing.TB, e memory.Entry, at time.Time) {
	t.Helper()
	raw, err := memory.Render(e)
	if err != nil {
		t.Fatal(err)
	}
	d.raw(t, e.ID+".md", raw, at)
}

func (d *disk) raw(t testing.TB, name string, raw []byte, at time.Time) {
	t.Helper()
	file := filepath.Join(d.dir, name)
	if err := os.WriteFile(file, raw, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(file, at, at); err != nil {
		t.Fatal(err)
	}
}

func (d *disk) open(t testing.TB, now time.Time) *Searcher {
	t.Helper()
	s, err := Open(t.Context(), d, d.cache, now)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

func (d *disk) file() string { return filepath.Join(d.cache.Cache, "memory-"+d.cache.Key) }

func TestIndexFollowsEveryChange(t *testing.T) {
	d := newDisk(t)
	old := noon.Add(-time.Hour)
	d.write(t, entry("a", "alpha"), old)
	d.write(t, entry("b", "beta"), old)
	s := d.open(t, noon)
	if ch := s.First(); !ch.Rebuilt || !ch.Written || ch.Changed != 2 {
		t.Errorf("first look: %+v", ch)
	}
	if ch := d.open(t, noon).First(); ch != (Changes{}) {
		t.Errorf("second look: %+v", ch)
	}
	step := func(name string, want []string, change func()) {
		t.Helper()
		change()
		for who, x := range map[string]*Searcher{"the open one": s, "a new one": d.open(t, noon)} {
			noon := noon
			if who == "the open one" {
				noon = noon.Add(Freshness)
				x.looked = noon.Add(-Freshness)
			}
			out, err := x.Search(t.Context(), Request{Query: "alpha beta gamma", Mode: ModeBest}, noon)
			var got []string
			for _, h := range out.Hits {
				got = append(got, h.Entry.ID+" "+h.Entry.Title)
			}
			slices.Sort(got)
			if d := cmp.Diff(want, got); d != "" || err != nil {
				t.Errorf("%s, %s: %v %s", name, who, err, d)
			}
		}
	}
	step("a new file", []string{"a alpha", "b beta", "c gamma"}, func() { d.write(t, entry("c", "gamma"), old) })
	step("another size", []string{"a alpha beta", "b beta", "c gamma"}, func() { d.write(t, entry("a", "alpha beta"), old) })
	step("the same size at another time", []string{"a alpha gama", "b beta", "c gamma"}, func() { d.write(t, entry("a", "alpha gama"), old.Add(time.Second)) })
	step("a file that goes", []string{"a alpha gama", "c gamma"}, func() { _ = os.Remove(filepath.Join(d.dir, "b.md")) })
	step("an entry that is demoted", []string{"c gamma"}, func() { d.write(t, entry("a", "alpha gama", state(memory.Stale)), old) })
	step("a file that is no entry", []string{"c gamma"}, func() { d.raw(t, "alpha.txt", []byte("alpha"), old) })
	step("a successor", []string{"d gamma two"}, func() { d.write(t, entry("d", "gamma two", replaces("c")), old) })
	step("the successor goes", []string{"c gamma"}, func() { _ = os.Remove(filepath.Join(d.dir, "d.md")) })
	step("a folder that goes", nil, func() { _ = os.RemoveAll(d.dir) })
}

func TestYoungFilesAreHeldAgainstTheirContent(t *testing.T) {
	d := newDisk(t)
	d.write(t, entry("a", "alpha"), noon.Add(-time.Second))
	d.open(t, noon)
	// The same size, the same time, the same inode: only the content tells.
	d.write(t, entry("a", "gamma"), noon.Add(-time.Second))
	if got := ids(t, d.open(t, noon.Add(time.Minute)), Request{Query: "gamma"}); len(got) != 1 {
		t.Errorf("found %v", got)
	}
}

func TestOpenSearcherIsNeverStalerThanASecond(t *testing.T) {
	d := newDisk(t)
	d.write(t, entry("a", "alpha"), noon.Add(-time.Hour))
	s := d.open(t, noon)
	d.write(t, entry("b", "alpha"), noon.Add(-time.Hour))
	for _, c := range []struct {
		after time.Duration
		want  int
	}{{Freshness / 2, 1}, {Freshness, 2}} {
		out, err := s.Search(t.Context(), Request{Query: "alpha"}, noon.Add(c.after))
		if err != nil || len(out.Hits) != c.want {
			t.Errorf("after %v: %v, %d hits, want %d", c.after, err, len(out.Hits), c.want)
		}
	}
}

func TestBrokenIndexIsMadeAnew(t *testing.T) {
	d := newDisk(t)
	for i := range 50 {
		d.write(t, entry(fmt.Sprintf("e%02d", i), "alpha", notes(strings.Repeat(fmt.Sprintf("word%d ", i), 20))), noon.Add(-time.Hour))
	}
	d.open(t, noon)
	good, err := os.ReadFile(d.file())
	if err != nil {
		t.Fatal(err)
	}
	check := func(name string) {
		t.Helper()
		s := d.open(t, noon)
		if got := ids(t, s, Request{Query: "alpha word7"}); !slices.Equal(got, []string{"e07"}) {
			t.Errorf("%s: found %v", name, got)
		}
		s.Close()
		s.now = nil
	}
	for at := 0; at < len(good); at += 97 {
		bad := slices.Clone(good)
		bad[at] ^= 0x55
		if err := os.WriteFile(d.file(), bad, 0o600); err != nil {
			t.Fatal(err)
		}
		check(fmt.Sprintf("byte %d of %d", at, len(good)))
	}
	for name, b := range map[string][]byte{"empty": {}, "cut": good[:len(good)/2], "foreign": []byte(strings.Repeat("foreign ", 100))} {
		if err := os.WriteFile(d.file(), b, 0o600); err != nil {
			t.Fatal(err)
		}
		check(name)
	}
	other := d.cache
	other.Build = "another version"
	s, err := Open(t.Context(), d, other, noon)
	if err != nil || !s.First().Rebuilt {
		t.Errorf("the index of another version was used: %v", err)
	}
	s.Close()
}

func TestWithoutAPlaceForTheIndexTheAnswerIsTheSame(t *testing.T) {
	d := newDisk(t)
	d.write(t, entry("a", "alpha"), noon.Add(-time.Hour))
	if err := os.WriteFile(d.cache.Cache, []byte("in the way"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := d.open(t, noon)
	if got := ids(t, s, Request{Query: "alpha"}); !slices.Equal(got, []string{"a"}) || s.First().Failure == nil {
		t.Errorf("found %v, failure %v", got, s.First().Failure)
	}
	if strings.Contains(s.First().Failure.Error(), d.cache.Cache) {
		t.Errorf("the error names a place on this machine: %v", s.First().Failure)
	}
}

func TestReadGivesTheFileAndRefusesWhatDoesNotHold(t *testing.T) {
	d := newDisk(t)
	d.write(t, entry("new", "alpha", replaces("old")), noon.Add(-time.Hour))
	d.write(t, entry("old", "beta"), noon.Add(-time.Hour))
	s := d.open(t, noon)
	raw, _ := os.ReadFile(filepath.Join(d.dir, "new.md"))
	got, err := s.Read(t.Context(), ReadInput{MemoryID: "new"}, noon)
	if err != nil || got.Text != string(raw) || got.Entry.Title != "alpha" || !got.Active {
		t.Errorf("%v %+v", err, got)
	}
	if _, err := s.Read(t.Context(), ReadInput{MemoryID: "old"}, noon); !errors.Is(err, ErrInactive) {
		t.Errorf("an entry that was superseded: %v", err)
	}
	got, err = s.Read(t.Context(), ReadInput{MemoryID: "old", IncludeInactive: true}, noon)
	if err != nil || !strings.HasPrefix(got.Text, "[historical evidence: superseded by new]\n\n---\n") {
		t.Errorf("%v %q", err, got.Text)
	}
	for id, want := range map[string]error{"none": memory.ErrNoEntry, "NEW": memory.ErrNoEntry, "../old": memory.ErrBadID} {
		if _, err := s.Read(t.Context(), ReadInput{MemoryID: id}, noon); !errors.Is(err, want) {
			t.Errorf("%s: %v", id, err)
		}
	}
	// Changed within the second: what the file says now counts.
	d.write(t, entry("new", "alpha", state(memory.Stale)), noon)
	if _, err := s.Read(t.Context(), ReadInput{MemoryID: "new"}, noon); !errors.Is(err, ErrInactive) {
		t.Errorf("an entry that was demoted just now: %v", err)
	}
}

func TestManyRunsAtOnceShareAnIndex(t *testing.T) {
	d := newDisk(t)
	for i := range 60 {
		d.write(t, entry(fmt.Sprintf("e%02d", i), "alpha"), noon.Add(-time.Hour))
	}
	done := make(chan error, 8)
	for range cap(done) {
		go func() {
			s, err := Open(context.Background(), d, d.cache, noon)
			if err == nil {
				var out SearchResult
				out, err = s.Search(context.Background(), Request{Query: "alpha"}, noon)
				if err == nil && out.Coverage.Matched != 60 {
					err = fmt.Errorf("matched %d", out.Coverage.Matched)
				}
				s.Close()
			}
			done <- err
		}()
	}
	for range cap(done) {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	left, _ := filepath.Glob(filepath.Join(d.cache.Cache, "*"))
	if len(left) != 1 {
		t.Errorf("left behind: %v", left)
	}
}

// vocabulary is small, so that entries share words.
var vocabulary = []string{"cache", "caching", "disk", "parseHTTPHeader", "http", "internal/git", "décision", "保存する", "v1.2", "names", "the"}

func anyEntry(t *rapid.T, id string) memory.Entry {
	words := func(name string) string {
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom(vocabulary), 0, 6).Draw(t, name), " ")
	}
	e := entry(id, "t "+words("title"), goal(words("goal")), notes(words("notes")), decided("x "+words("decision")))
	e.ReviewState = rapid.SampledFrom(memory.States).Draw(t, "state")
	e.Supersedes = rapid.SampledFrom([]string{"", "", "e0", "e1", "e2"}).Draw(t, "supersedes")
	if e.Supersedes == id {
		e.Supersedes = ""
	}
	return e
}

func TestUpdatedIndexEqualsRebuiltOne(t *testing.T) {
	d := newDisk(t)
	old := noon.Add(-time.Hour)
	rapid.Check(t, func(rt *rapid.T) {
		_ = os.RemoveAll(d.dir)
		_ = os.RemoveAll(d.cache.Cache)
		_ = os.Mkdir(d.dir, 0o755)
		var s *Searcher
		var err error
		for step := range rapid.IntRange(1, 4).Draw(rt, "steps") {
			for range rapid.IntRange(0, 5).Draw(rt, "writes") {
				id := fmt.Sprintf("e%d", rapid.IntRange(0, 7).Draw(rt, "id"))
				if rapid.IntRange(0, 3).Draw(rt, "remove") == 0 {
					_ = os.Remove(filepath.Join(d.dir, id+".md"))
					continue
				}
				d.write(t, anyEntry(rt, id), old.Add(time.Duration(step)*time.Second))
			}
			if s == nil {
				s, err = Open(context.Background(), d, d.cache, noon)
			} else {
				_, err = s.refresh(context.Background(), noon, rapid.Bool().Draw(rt, "force"))
			}
			if err != nil {
				rt.Fatal(err)
			}
		}
		defer s.Close()
		fresh, err := Open(context.Background(), d, Options{Build: "test"}, noon)
		if err != nil {
			rt.Fatal(err)
		}
		for _, m := range Modes {
			for _, inactive := range []bool{false, true} {
				r := Request{Query: strings.Join(rapid.SliceOfN(rapid.SampledFrom(vocabulary), 1, 3).Draw(rt, "query"), " "), Mode: m, IncludeInactive: inactive, Limit: 20, Explain: true}
				a, errA := s.Search(context.Background(), r, noon)
				b, errB := fresh.Search(context.Background(), r, noon)
				if d := cmp.Diff(b, a); d != "" || errA != nil || errB != nil {
					rt.Fatalf("%v %v %s", errA, errB, d)
				}
			}
		}
		// Written, it is the same to the byte.
		if _, err := s.Write(context.Background(), noon); err != nil {
			rt.Fatal(err)
		}
		got, _ := os.ReadFile(d.file())
		_ = os.Remove(d.file())
		again, err := Open(context.Background(), d, d.cache, noon)
		if err != nil {
			rt.Fatal(err)
		}
		again.Close()
		want, _ := os.ReadFile(d.file())
		if len(got) > 0 && string(got) != string(want) {
			rt.Fatalf("the updated index has %d bytes, the rebuilt one %d, or others", len(got), len(want))
		}
	})
}

func TestAnIrrelevantEntryDoesNotChangeWhatIsFound(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var list []memory.Entry
		for i := range rapid.IntRange(0, 8).Draw(rt, "entries") {
			e := anyEntry(rt, fmt.Sprintf("e%d", i))
			list = append(list, e)
		}
		r := Request{Query: strings.Join(rapid.SliceOfN(rapid.SampledFrom(vocabulary), 1, 3).Draw(rt, "query"), " "), Limit: 20}
		more := append(slices.Clone(list), entry("zz", "zebras graze", notes("quietly")))
		if d := cmp.Diff(ids(t, searcher(t, list...), r), ids(t, searcher(t, more...), r)); d != "" {
			rt.Fatal(d)
		}
	})
}

func TestOrderIsTotalAndResultsDoNotDependOnTheOrderOfFiles(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var list []memory.Entry
		for i := range rapid.IntRange(2, 8).Draw(rt, "entries") {
			e := anyEntry(rt, fmt.Sprintf("e%d", i))
			e.ReviewState, e.Supersedes = memory.Reviewed, ""
			e.CreatedAtMs = int64(rapid.IntRange(0, 1).Draw(rt, "created"))
			list = append(list, e)
		}
		mode := rapid.SampledFrom(Modes).Draw(rt, "mode")
		r := Request{Query: strings.Join(rapid.SliceOfN(rapid.SampledFrom(vocabulary), 1, 3).Draw(rt, "query"), " "), Limit: 20, Mode: mode}
		a, err := searcher(t, list...).Search(context.Background(), r, noon)
		if err != nil {
			rt.Fatal(err)
		}
		slices.Reverse(list)
		b, _ := searcher(t, list...).Search(context.Background(), r, noon)
		if d := cmp.Diff(a, b); d != "" {
			rt.Fatal(d)
		}
		for i := 1; i < len(a.Hits); i++ {
			p, q := a.Hits[i-1], a.Hits[i]
			if p.Score < q.Score || p.Score == q.Score && (p.Entry.CreatedAtMs < q.Entry.CreatedAtMs || p.Entry.CreatedAtMs == q.Entry.CreatedAtMs && p.Entry.ID >= q.Entry.ID) {
				rt.Fatalf("%s stands before %s", p.Entry.ID, q.Entry.ID)
			}
		}
	})
}

func FuzzSearch(f *testing.F) {
	s := searcher(f, entry("a", "alpha parseHTTPHeader", notes("internal/git/run.go\nCéline’s 設定ファイル C++\x00\xff")), entry("b", "beta", goal("alpha")))
	for _, q := range []string{"alpha", "parse_http", "a/b.c-d_e'f", "設定", "İ ß ﬀ", "\x00\xff", "C++ C#", strings.Repeat("x", 300)} {
		f.Add(q, true)
	}
	f.Fuzz(func(t *testing.T, q string, best bool) {
		r := Request{Query: q, Explain: true}
		if best {
			r.Mode = ModeBest
		}
		a, err := s.Search(context.Background(), r, noon)
		if err != nil {
			if !errors.Is(err, ErrQuery) && !errors.Is(err, ErrLong) {
				t.Fatal(err)
			}
			return
		}
		b, _ := s.Search(context.Background(), r, noon)
		ja, errA := json.Marshal(a)
		jb, errB := json.Marshal(b)
		if string(ja) != string(jb) || errA != nil || errB != nil {
			t.Fatalf("two answers to %q", q)
		}
		for _, h := range a.Hits {
			if h.Score < 1 || len(h.MatchedFields) == 0 || utf8.RuneCountInString(h.Excerpt) > MaxExcerpt || h.Excerpt != memory.Line(h.Excerpt) {
				t.Fatalf("%q: %+v", q, h)
			}
		}
	})
}

// FuzzTerms holds the words of a text against the words of the same text as a question:
// an entry always has the words that it consists of.
func FuzzTerms(f *testing.F) {
	for _, s := range []string{"alpha beta", "parseHTTPHeader_v2", "l’index", "設定ファイル", "ﬁle Ｃａｆé", "a.b.c", "İI ıi", "C++", "x'y z"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r := Request{Query: text}
		if len(text) > 400 || r.valid() != nil {
			return
		}
		out, err := searcher(t, entry("x", "t", notes(text))).Search(context.Background(), r, noon)
		if err != nil || len(out.Hits) != 1 {
			t.Fatalf("%q is not found in itself: %v", text, err)
		}
	})
}

func FuzzSegment(f *testing.F) {
	seg, err := build([]memory.Entry{entry("a", "alpha"), entry("b", "beta alpha", replaces("a"))}, nil, "x")
	if err != nil {
		f.Fatal(err)
	}
	good := make([]byte, seg.size)
	_, _ = seg.r.ReadAt(good, 0)
	f.Add(good)
	f.Add(good[:len(good)-1])
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := openSegment(strings.NewReader(string(data)), int64(len(data)), "x")
		if err != nil {
			return
		}
		snap := settled(s, nil)
		for _, m := range Modes {
			if _, err := snap.search(Request{Query: "alpha beta", Mode: m, IncludeInactive: true}); err != nil && !errors.Is(err, errBroken) {
				t.Fatal(err)
			}
		}
	})
}

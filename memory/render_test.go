package memory

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// hostile is text that tries to be something else.
func hostile() *rapid.Generator[string] {
	pieces := rapid.SampledFrom([]string{
		"word", " ", "\n", "\r", "\r\n", "\u0085", "\u2028", "\u2029", "\x00", "\x1b[31m", "\t", "\xff", "\ufeff", "\U0001fffe", "é", "日本", "---", "...", "# Decisions", "# Goal", "## x", `\# Notes`, `\\# Plan`,
		"- ", "* ", "```", "~~~~", "reviewState: reviewed", ": ", " #", "'", `"`, "{", "[", "&a", "*a", "!!str", "%", "@", "null", "true", "1e0", "2026-01-02", "<<: ", "?", "|", ">", "`",
	})
	return rapid.Custom(func(t *rapid.T) string { return strings.Join(rapid.SliceOfN(pieces, 0, 9).Draw(t, "pieces"), "") })
}

func anyEntry(t *rapid.T) Entry {
	text := hostile()
	lists := rapid.SliceOfN(text, 0, 3)
	id := rapid.StringMatching(`[A-Za-z0-9_-]{2,20}`)
	tags := rapid.SliceOfN(rapid.Map(text, func(s string) string { return cut(Line(s), MaxTag) }), 0, 3)
	return Entry{
		Title: "T" + text.Draw(t, "title"), Kind: rapid.SampledFrom(Kinds).Draw(t, "kind"), ReviewState: rapid.SampledFrom(States).Draw(t, "state"),
		Date: "2026-01-02T03:04:05Z", Tags: tags.Draw(t, "tags"), Goal: text.Draw(t, "goal"), Plan: lists.Draw(t, "plan"), Decisions: lists.Draw(t, "decisions"),
		NextSteps: lists.Draw(t, "next"), Notes: text.Draw(t, "notes"), RunID: text.Draw(t, "run"), Provider: text.Draw(t, "provider"), Model: text.Draw(t, "model"),
		Status: text.Draw(t, "status"), Author: text.Draw(t, "author"), StateReason: text.Draw(t, "reason"), LastDeltaSummary: text.Draw(t, "delta"),
		Supersedes: rapid.OneOf(rapid.Just(""), id).Draw(t, "supersedes"), PendingRevision: rapid.OneOf(rapid.Just(""), id).Draw(t, "pending"),
		MergedFrom: rapid.SliceOfN(id, 0, 3).Draw(t, "merged"), Version: rapid.IntRange(0, 9).Draw(t, "version"), Mode: rapid.SampledFrom(append(Modes, "")).Draw(t, "mode"),
		FilesTouched: rapid.SliceOfN(rapid.StringMatching(`[a-zé .#-]{1,9}(/[a-z"'-]{1,5}){0,2}`).Filter(func(s string) bool { return wrongPath(Line(s)) == "" }), 0, 3).Draw(t, "files"),
		SourceRefs: rapid.SliceOfN(rapid.Custom(func(t *rapid.T) SourceRef {
			return SourceRef{Type: rapid.SampledFrom(SourceTypes).Draw(t, "type"), ID: "i" + text.Draw(t, "id"), Label: text.Draw(t, "label"), LineStart: rapid.IntRange(0, 3).Draw(t, "line")}
		}), 0, 3).Draw(t, "sources"),
		AppliesTo: rapid.SliceOfN(rapid.SampledFrom([]string{"**", "a/*", "{a,b}/c", "it's", "x y", "é/**"}), 0, 3).Draw(t, "globs"),
		Asserts:   rapid.SampledFrom([]string{"", "asserts:\n  - a: 'x'   # kept\n", "asserts: [a, \"b\"]\n", "asserts:\n- |\n  # text\n  more\n"}).Draw(t, "asserts"),
	}
}

// Whatever text an entry holds, what is read back is what was written: no text
// becomes a state, a key, a section, a bullet or a fence.
func TestParseOfRenderIsTheEntry(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := Normalize(anyEntry(t))
		content, err := Render(in)
		if err != nil {
			t.Fatalf("%v", err)
		}
		got := Parse("x", content)
		if len(got.Faults) > 0 {
			t.Fatalf("faults %+v in\n%s", got.Faults, content)
		}
		in.ID, in.CreatedAtMs, got.Hash, got.AssertsLine = "x", got.CreatedAtMs, "", 0
		if d := cmp.Diff(in, got); d != "" {
			t.Fatalf("%s\n%s", d, content)
		}
		again, err := Render(got)
		if err != nil || string(again) != string(content) {
			t.Fatalf("written again as\n%s\nnot\n%s", again, content)
		}
	})
}

// An edit puts in what was asked for and nothing else, or is refused.
func TestEditsDoWhatTheySayOrAreRefused(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		old, next := Normalize(anyEntry(t)), Normalize(anyEntry(t))
		next.ReviewState = old.ReviewState
		content, err := Render(old)
		if err != nil {
			t.Fatal(err)
		}
		if rapid.Bool().Draw(t, "CRLF") {
			content = []byte(strings.ReplaceAll(string(content), "\n", "\r\n"))
		}
		parsed := Parse("x", content)
		out, err := rewritten(parsed, next, content)
		if err != nil {
			t.Fatalf("%v\n%s", err, content)
		}
		if got := Parse("x", out); differ(got, next) {
			t.Fatalf("%s", out)
		}
		back, err := rewritten(Parse("x", out), next, out)
		if err != nil || string(back) != string(out) {
			t.Fatalf("the same edit again changes\n%s\ninto\n%s", out, back)
		}
	})
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("---\nschemaVersion: 1\ntitle: T\nreviewState: reviewed\ntags: [a]\nasserts:\n- x\n---\n# Goal\nG\n"))
	f.Add([]byte("--- \nreviewState: reviewed\n---\n"))
	f.Add([]byte("\xef\xbb\xbf---\r\nreviewState: reviewed\r\n---\r\n"))
	f.Add([]byte("---\nschemaVersion: 1\nreviewState: reviewed\nreviewState: stale\n---\n# Decisions\n- a\n```\n# Notes\n"))
	f.Add([]byte("---\nschemaVersion: 1\nsourceRefs: [{\"sourceType\":\"file\",\"id\":\"x\",\"lineStart\":3}]\nreviewState: reviewed\n? [a]\n: b\n---\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		e := Parse("x", data)
		if e.ReviewState == Reviewed {
			// Read with the plainest eyes, the file must say so once and nowhere else.
			head, _, _ := strings.Cut(strings.TrimPrefix(strings.ReplaceAll(string(data), "\r\n", "\n"), "---\n"), "\n---")
			if strings.Count(head, "reviewState") < 1 || !strings.HasPrefix(string(data), "---") || !e.Readable() || e.SchemaVersion != 1 {
				t.Fatalf("reads as reviewed: %q", data)
			}
		}
		if !slices.Contains(States, e.ReviewState) || !slices.Contains(Kinds, e.Kind) || e.Title == "" || e.Version < 1 || e.CreatedAtMs < 0 {
			t.Fatalf("%+v", e)
		}
		for _, fault := range e.Faults {
			for _, r := range fault.Text {
				if r < ' ' || r == 0x7f {
					t.Fatalf("control character in the fault %q", fault.Text)
				}
			}
			if Rules[fault.Rule] == "" {
				t.Fatalf("no rule %s", fault.Rule)
			}
		}
		if !e.Readable() {
			return
		}
		// An edit of one key leaves everything else as it is read.
		out, err := setKeys(data, setKey{"reviewState", "stale"})
		if err != nil {
			return
		}
		got := Parse("x", out)
		want := e
		want.ReviewState, want.Hash, want.Faults, want.AssertsLine = Stale, got.Hash, got.Faults, got.AssertsLine
		if e.SchemaVersion == 0 {
			want.SchemaVersion = got.SchemaVersion // a file without frontmatter gets one
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Fatalf("%s\n%q\n%q", d, data, out)
		}
		if same, err := setKeys(out, setKey{"reviewState", "stale"}); err != nil || string(same) != string(out) {
			t.Fatalf("the same edit again: %v\n%q\n%q", err, out, same)
		}
		// What is read can be written, or breaks a limit that lint tells of.
		if content, err := Render(e); err == nil {
			again := Parse("x", content)
			if differ(e, again) {
				t.Fatalf("%q is written as %q", data, content)
			}
		}
	})
}

func FuzzID(f *testing.F) {
	f.Add("Décision: nothing", int64(1772600767), "x")
	f.Add("\x00../ß İ ﬁ", int64(0), "")
	f.Fuzz(func(t *testing.T, title string, at int64, salt string) {
		var hash [32]byte
		copy(hash[:], salt)
		id := NewID(time.Unix(at%253402300800, 0), title, hash, len(salt)%3)
		if at%253402300800 >= 0 && !ValidID(id) {
			t.Fatalf("%q", id)
		}
		if s := slug(title); !ValidID(s) || strings.HasPrefix(s, "-") || strings.HasSuffix(s, "-") || len(s) > maxSlug || strings.ToLower(s) != s {
			t.Fatalf("slug %q", s)
		}
		if ValidID(title) && (strings.ContainsAny(title, `/\.: `) || title == "") {
			t.Fatalf("%q is an id", title)
		}
	})
}

func TestSlugs(t *testing.T) {
	for in, want := range map[string]string{
		"Décision: mémoire": "decision-memoire", "  --  ": "note", "日本": "note", "ﬁle №5": "file-no5", "A_b.C": "a-b-c", "": "note",
		strings.Repeat("ab ", 40): strings.TrimSuffix(strings.Repeat("ab-", 20), "-"),
	} {
		if got := slug(in); got != want {
			t.Errorf("slug(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestBodiesCannotForgeSections(t *testing.T) {
	e := Entry{Title: "T", Goal: "G\n# Decisions\n- forged", Plan: []string{"p\n# Decisions\n- forged"}, Notes: "N\n# Decisions\n- forged\n```\n# Goal\n"}
	content, err := Render(e)
	if err != nil {
		t.Fatal(err)
	}
	got := Parse("x", content)
	if len(got.Decisions) != 0 || len(got.Plan) != 1 || got.Goal != "G # Decisions - forged" || got.Notes != "N\n# Decisions\n- forged\n```\n# Goal" {
		t.Errorf("%+v\n%s", got, content)
	}
}

func TestAKeyThatIsNotThereIsPutInsideTheBlock(t *testing.T) {
	s, dir := store(t)
	old := "---\ntitle: Old\ndate: 2025-01-02T03:04:05Z\nschemaVersion: 1\n---\nText\n"
	put(t, dir, "old", old)
	must(t)(s.Supersede(context.Background(), "old", decision("New"), by))
	if got := raw(t, dir, "old"); got != strings.Replace(old, "schemaVersion: 1\n", "schemaVersion: 1\nreviewState: superseded\n", 1) &&
		got != strings.Replace(old, "title: Old\n", "title: Old\nreviewState: superseded\n", 1) {
		t.Errorf("%s", got)
	}
	if e := load(t, s).Get("old"); e.Title != "Old" || e.Date == "" || e.ReviewState != Superseded {
		t.Errorf("%+v", e)
	}
}

func TestEntriesBeyondFiveHundredAreAllThere(t *testing.T) {
	s, dir := store(t)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for i := range 1200 {
		content := "---\nschemaVersion: 1\ntitle: T\nreviewState: reviewed\n---\n"
		if err := os.WriteFile(filepath.Join(dir, "e"+strconv.Itoa(i)+".md"), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if set := load(t, s); len(set.Entries) != 1200 || !set.Active("e0") || !set.Active("e1199") {
		t.Errorf("%d entries", len(set.Entries))
	}
}

// Drafts and exports of an earlier day lack fields that came later.
func TestOldDraftsGetTheDefaults(t *testing.T) {
	d, err := FromExport([]byte(`{"schema":"` + ExportSchema + `","entries":[{"id":"a","title":"T","notes":"N"}]}`))
	if err != nil || len(d.Entries) != 1 {
		t.Fatalf("%+v, %v", d, err)
	}
	s, _ := store(t)
	done, err := s.Import(context.Background(), d, now)
	if err != nil || len(done.Receipts) != 1 {
		t.Fatalf("%+v, %v", done, err)
	}
	e := done.Receipts[0].Entry
	if e.ID != "a" || e.Kind != KindHandoff || e.ReviewState != Proposed || e.Version != 1 || e.Notes != "N" {
		t.Errorf("%+v", e)
	}
	out, err := json.Marshal(e)
	if err != nil || !strings.Contains(string(out), `"tags":[]`) || !strings.Contains(string(out), `"supersedes":null`) || strings.Contains(string(out), `"path"`) {
		t.Errorf("%s, %v", out, err)
	}
	for _, bad := range []string{"", "[]", "{}", `{"schema":"other"}`, `{"schema":"` + ExportSchema + `","entries":[{"id":3}]}`} {
		if _, err := FromExport([]byte(bad)); err == nil {
			t.Errorf("%q is read", bad)
		}
	}
}

func TestVersionsFollowFromTheHistory(t *testing.T) {
	s := NewSet([]Entry{
		{ID: "a", Version: 1, Title: "A"}, {ID: "b", Version: 1, Title: "B", Supersedes: "a"}, {ID: "c", Version: 1, Title: "B", Supersedes: "b", Goal: "g"},
		{ID: "d", Version: 7, Supersedes: "gone"}, {ID: "e", Supersedes: "e"}, {ID: "f", Version: 2},
	}, nil)
	for id, want := range map[string]string{
		"a": "", "b": "b  v2 — title changed", "c": "c  v3 — goal added", "d": "d  v7", "e": "", "f": "f  v2", "nothing": "",
	} {
		if got := s.RevisionOf(id).Tag(id); got != want {
			t.Errorf("%s: %q, want %q", id, got, want)
		}
	}
	if h := s.History("c"); len(h) != 2 || h[0].ID != "b" || h[1].ID != "a" {
		t.Errorf("%+v", h)
	}
}

// Entries of random states and pointers: what is active is reviewed, is hidden
// by nothing reviewed, and where there is a reviewed entry something is active.
func TestSomethingReviewedIsAlwaysActive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 12).Draw(t, "n")
		var entries []Entry
		reviewed := false
		for i := range n {
			e := Entry{ID: strconv.Itoa(i), ReviewState: rapid.SampledFrom(States).Draw(t, "state")}
			if to := rapid.IntRange(-3, n).Draw(t, "to"); to >= 0 {
				e.Supersedes = strconv.Itoa(to)
			}
			for range rapid.IntRange(0, 2).Draw(t, "merged") {
				e.MergedFrom = append(e.MergedFrom, strconv.Itoa(rapid.IntRange(0, n-1).Draw(t, "from")))
			}
			reviewed = reviewed || e.ReviewState == Reviewed
			entries = append(entries, e)
		}
		s := NewSet(entries, nil)
		any := false
		for _, e := range entries {
			if s.Active(e.ID) {
				any = true
				if e.ReviewState != Reviewed {
					t.Fatalf("%s is %s and active", e.ID, e.ReviewState)
				}
			}
			if by := s.HiddenBy(e.ID); by != "" && s.Get(by).ReviewState != Reviewed {
				t.Fatalf("%s is hidden by %s, which is %s", e.ID, by, s.Get(by).ReviewState)
			}
		}
		if reviewed && !any {
			t.Fatalf("nothing is active in %+v", entries)
		}
	})
}

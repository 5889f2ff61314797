package memory

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

var (
	now = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	by  = Review{By: "somebody", At: now}
)

// store is an empty store and its folder.
func store(t testing.TB) (*Store, string) {
	t.Helper()
	top := t.TempDir()
	s, err := Open(top, "")
	if err != nil {
		t.Fatal(err)
	}
	return s, filepath.Join(top, ".sayso", "memory")
}

func decision(title string) Entry { return Entry{Title: title, Kind: KindDecision} }

func load(t testing.TB, s *Store) *Set {
	t.Helper()
	set, err := s.Load(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func must(t testing.TB) func(r Receipt, err error) Entry {
	return func(r Receipt, err error) Entry {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return r.Entry
	}
}

func raw(t testing.TB, dir, id string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, id+".md"))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// put writes a file as somebody with an editor would.
func put(t testing.TB, dir, id, content string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, id+".md"), []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestSupersedingDemotesInPlaceAndHides(t *testing.T) {
	ctx := context.Background()
	s, dir := store(t)
	a := must(t)(s.Propose(ctx, decision("Use floats"), now))
	must(t)(s.Accept(ctx, a.ID, by))
	before := raw(t, dir, a.ID)
	b := must(t)(s.Supersede(ctx, a.ID, decision("Use cents"), by))
	if want := strings.Replace(before, "reviewState: reviewed", "reviewState: superseded", 1); raw(t, dir, a.ID) != want {
		t.Errorf("the old file is\n%s\nwant\n%s", raw(t, dir, a.ID), want)
	}
	if b.Version != 2 || b.Supersedes != a.ID || b.ReviewState != Reviewed || b.LastDeltaSummary != "title changed" {
		t.Errorf("the new entry is %+v", b)
	}
	// By hand back to reviewed: the pointer still holds.
	put(t, dir, a.ID, before)
	set := load(t, s)
	if set.Active(a.ID) || !set.Active(b.ID) || set.State(a.ID) != Superseded {
		t.Errorf("a is active: %v, b: %v", set.Active(a.ID), set.Active(b.ID))
	}
	if demoted, err := s.Mend(ctx); err != nil || !slices.Equal(demoted, []string{a.ID}) {
		t.Errorf("mended %v, %v", demoted, err)
	}
	if demoted, err := s.Mend(ctx); err != nil || len(demoted) > 0 {
		t.Errorf("mended again %v, %v", demoted, err)
	}
	// The place is taken.
	if _, err := s.Supersede(ctx, a.ID, decision("Use both"), by); !errors.Is(err, ErrSuperseded) {
		t.Errorf("superseding twice: %v", err)
	}
}

func TestProposalsDoNothingBeforeTheyAreAccepted(t *testing.T) {
	ctx := context.Background()
	s, dir := store(t)
	a := must(t)(s.Propose(ctx, decision("A"), now))
	must(t)(s.Accept(ctx, a.ID, by))
	before := raw(t, dir, a.ID)
	d := decision("B")
	d.Supersedes, d.ReviewState, d.Reviewer = a.ID, Reviewed, "forged"
	b := must(t)(s.Propose(ctx, d, now))
	if b.ReviewState != Proposed || b.Reviewer != "" || raw(t, dir, a.ID) != before || !load(t, s).Active(a.ID) {
		t.Errorf("the proposal %+v counts", b)
	}
	r, err := s.Accept(ctx, b.ID, by)
	if err != nil || !slices.Equal(r.Changed, []string{b.ID, a.ID}) || r.Entry.Reviewer != "somebody" || r.Entry.StateDate != "2026-03-04" {
		t.Errorf("%+v, %v", r, err)
	}
	if r, err := s.Accept(ctx, b.ID, by); err != nil || len(r.Changed) != 0 {
		t.Errorf("accepting again changed %v, %v", r.Changed, err)
	}
}

func TestRejectedEntriesStayAsStaleFiles(t *testing.T) {
	ctx := context.Background()
	s, _ := store(t)
	a := must(t)(s.Propose(ctx, decision("A"), now))
	e := must(t)(s.Reject(ctx, a.ID, Review{By: "me", At: now, Reason: "not true\nreviewState: reviewed"}))
	if e.ReviewState != Stale || e.StateReason != "not true reviewState: reviewed" {
		t.Errorf("%+v", e)
	}
	if got := load(t, s).Get(a.ID); got == nil || got.ReviewState != Stale {
		t.Errorf("%+v", got)
	}
}

func TestRevisionsAreAcceptedOrDismissedAndBothStay(t *testing.T) {
	ctx := context.Background()
	s, _ := store(t)
	a := must(t)(s.Propose(ctx, Entry{Title: "A", Kind: KindFact, Decisions: []string{"one"}}, now))
	must(t)(s.Accept(ctx, a.ID, by))
	if _, err := s.Revise(ctx, a.ID, Patch{}, now); err == nil {
		t.Error("a revision that changes nothing is no error")
	}
	two := []string{"one", "two"}
	r1 := must(t)(s.Revise(ctx, a.ID, Patch{Decisions: &two}, now))
	r2 := must(t)(s.Revise(ctx, a.ID, Patch{Decisions: &[]string{"three"}}, now.Add(time.Hour)))
	set := load(t, s)
	if !set.Active(a.ID) || r1.PendingRevision != a.ID || r1.ReviewState != Proposed {
		t.Fatalf("%+v", r1)
	}
	if list := set.Revisions(a.ID); len(list) != 2 || list[0].ID != r2.ID {
		t.Errorf("revisions %+v", list)
	}
	if got := set.RevisionOf(r1.ID).Tag(r1.ID); got != r1.ID+"  v1, pending revision against "+a.ID {
		t.Errorf("tag %q", got)
	}
	// By the id of the target: the newest.
	d := must(t)(s.Dismiss(ctx, a.ID, by))
	if d.ID != r2.ID || d.PendingRevision != "" || d.ReviewState != Proposed {
		t.Errorf("dismissed %+v", d)
	}
	got := must(t)(s.Accept(ctx, r1.ID, by))
	if got.Version != 2 || got.Supersedes != a.ID || got.PendingRevision != "" || got.LastDeltaSummary != "decisions +1 -0" {
		t.Errorf("accepted %+v", got)
	}
	set = load(t, s)
	if set.Active(a.ID) || !set.Active(r1.ID) || len(set.Entries) != 3 || set.Get(a.ID).ReviewState != Superseded {
		t.Errorf("%+v", set.Entries)
	}
	if got := set.RevisionOf(r1.ID).Tag(r1.ID); got != r1.ID+"  v2 — decisions +1 -0" {
		t.Errorf("tag %q", got)
	}
	// A revision of what was superseded meanwhile is refused.
	r3 := must(t)(s.Revise(ctx, r1.ID, Patch{Decisions: &[]string{"x"}}, now))
	must(t)(s.Supersede(ctx, r1.ID, decision("B"), by))
	if _, err := s.Accept(ctx, r3.ID, by); !errors.Is(err, ErrSuperseded) {
		t.Errorf("accepted a late revision: %v", err)
	}
	if _, err := s.Dismiss(ctx, a.ID, by); !errors.Is(err, ErrNoRevision) {
		t.Errorf("dismissed nothing: %v", err)
	}
}

func TestMergingKeepsEverything(t *testing.T) {
	ctx := context.Background()
	s, _ := store(t)
	var ids []string
	for i, d := range []string{"one", "two", "one"} {
		e := must(t)(s.Propose(ctx, Entry{
			Title: "T" + d + string(rune('a'+i)), Kind: KindDecision, Decisions: []string{d}, Notes: "N" + d, AppliesTo: []string{d + "/**"}, Tags: []string{d},
			Asserts: "asserts:\n- forbid: {text: " + d + "}\n",
		}, now))
		must(t)(s.Accept(ctx, e.ID, by))
		ids = append(ids, e.ID)
	}
	r, err := s.Merge(ctx, ids, Entry{}, by)
	if err != nil {
		t.Fatal(err)
	}
	e := r.Entry
	if e.Title != "Tonea" || !slices.Equal(e.Decisions, []string{"one", "two"}) || !slices.Equal(e.MergedFrom, ids) || e.Supersedes != ids[0] || e.Version != 2 {
		t.Errorf("%+v", e)
	}
	if e.Asserts != "asserts:\n- forbid: {text: one}\n" || len(r.Warnings) != 2 {
		t.Errorf("asserts %q, warnings %v", e.Asserts, r.Warnings)
	}
	set := load(t, s)
	for _, id := range ids {
		if set.Active(id) || set.Get(id).ReviewState != Superseded {
			t.Errorf("%s is %s", id, set.State(id))
		}
	}
	if got := set.RevisionOf(e.ID).Tag(e.ID); got != e.ID+"  v2 (merged 3 memories)" {
		t.Errorf("tag %q", got)
	}
	for name, list := range map[string][]string{"one": {ids[0]}, "twice": {e.ID, e.ID}, "none there": {e.ID, "nothing"}, "superseded": {ids[0], e.ID}} {
		if _, err := s.Merge(ctx, list, Entry{}, by); err == nil {
			t.Errorf("merging %s is no error", name)
		}
	}
}

func TestEditChangesOnlyTheTouchedLines(t *testing.T) {
	ctx := context.Background()
	s, dir := store(t)
	file := "---\n# by hand\nschemaVersion: 1\ntitle:   'Old'   # spaced\nkind: decision\nweird: [kept]\n\nreviewState: proposed\ntags:\n  - a\n  - b\nasserts:\n  - forbid: {text: x}\n\n    # inside\n---\n\n# Goal\nG one\n\nG two\n\n# Decisions\n\n*  first\n\n# Notes\n\nText.  \n"
	for name, f := range map[string]string{"LF": file, "CRLF": strings.ReplaceAll(file, "\n", "\r\n")} {
		put(t, dir, "e", f)
		if _, err := s.Edit(ctx, "e", Patch{}); err != nil {
			t.Fatal(err)
		}
		if got := raw(t, dir, "e"); got != f {
			t.Errorf("%s: an empty edit made\n%q of\n%q", name, got, f)
		}
		title, status := "New: title", "open"
		e := must(t)(s.Edit(ctx, "e", Patch{Title: &title, Status: &status}))
		want := strings.Replace(file, "title:   'Old'   # spaced\n", "title: \"New: title\"\n", 1)
		want = strings.Replace(want, "schemaVersion: 1\n", "schemaVersion: 1\nstatus: open\n", 1)
		if got := strings.ReplaceAll(raw(t, dir, "e"), "\r\n", "\n"); got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got, want)
		}
		if e.Title != title || e.Version != 1 {
			t.Errorf("%+v", e)
		}
		decisions := []string{"first", "# Notes"}
		must(t)(s.Edit(ctx, "e", Patch{Decisions: &decisions}))
		want = strings.Replace(want, "# Decisions\n\n*  first\n\n", "# Decisions\n\n- first\n- # Notes\n\n", 1)
		if got := strings.ReplaceAll(raw(t, dir, "e"), "\r\n", "\n"); got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got, want)
		}
		if name == "CRLF" && strings.Count(raw(t, dir, "e"), "\n") != strings.Count(raw(t, dir, "e"), "\r\n") {
			t.Errorf("line ends are mixed: %q", raw(t, dir, "e"))
		}
		plan := []string{"p"}
		e = must(t)(s.Edit(ctx, "e", Patch{Plan: &plan, Tags: &[]string{"c"}}))
		if !slices.Equal(e.Plan, plan) || !slices.Equal(e.Tags, []string{"c"}) || e.Notes != "Text." || e.Goal != "G one G two" {
			t.Errorf("%+v", e)
		}
	}
}

func TestEditingAReviewedEntryIsItsNextVersion(t *testing.T) {
	ctx := context.Background()
	s, _ := store(t)
	a := must(t)(s.Propose(ctx, decision("A"), now))
	must(t)(s.Accept(ctx, a.ID, by))
	goal := "Why"
	e := must(t)(s.Edit(ctx, a.ID, Patch{Goal: &goal}))
	if e.Version != 2 || e.LastDeltaSummary != "goal added" || e.ReviewState != Reviewed || e.Goal != "Why" {
		t.Errorf("%+v", e)
	}
}

func TestFilesWithFaultsAreNeverWritten(t *testing.T) {
	ctx := context.Background()
	s, dir := store(t)
	for name, f := range map[string]string{
		"future":    "---\nschemaVersion: 2\ntitle: T\nreviewState: reviewed\n---\n",
		"bom":       "\xef\xbb\xbf---\nschemaVersion: 1\nreviewState: proposed\n---\n",
		"duplicate": "---\nschemaVersion: 1\nreviewState: proposed\nreviewState: reviewed\n---\n",
		"open":      "---\nschemaVersion: 1\n",
	} {
		put(t, dir, name, f)
		title := "x"
		_, err1 := s.Accept(ctx, name, by)
		_, err2 := s.Reject(ctx, name, by)
		_, err3 := s.Edit(ctx, name, Patch{Title: &title})
		_, err4 := s.Supersede(ctx, name, decision("B"), by)
		_, err5 := s.Revise(ctx, name, Patch{Title: &title}, now)
		for i, err := range []error{err1, err2, err3, err4, err5} {
			if !errors.Is(err, ErrFaulty) {
				t.Errorf("%s, call %d: %v", name, i, err)
			}
		}
		if raw(t, dir, name) != f {
			t.Errorf("%s was written", name)
		}
		if load(t, s).Get(name) == nil {
			t.Errorf("%s is not listed", name)
		}
	}
}

func TestAnEntryWithoutFrontmatterCanBeAccepted(t *testing.T) {
	ctx := context.Background()
	s, dir := store(t)
	put(t, dir, "hand", "# Use cents\n\nBecause.\n")
	e := must(t)(s.Accept(ctx, "hand", Review{At: now}))
	if e.ReviewState != Reviewed || e.Title != "Use cents" || !strings.HasSuffix(raw(t, dir, "hand"), "# Use cents\n\nBecause.\n") {
		t.Errorf("%+v\n%s", e, raw(t, dir, "hand"))
	}
}

func TestCirclesAreRefused(t *testing.T) {
	ctx := context.Background()
	s, dir := store(t)
	put(t, dir, "a", "---\nschemaVersion: 1\ntitle: A\nreviewState: proposed\nsupersedes: b\n---\n")
	put(t, dir, "b", "---\nschemaVersion: 1\ntitle: B\nreviewState: reviewed\nsupersedes: a\n---\n")
	put(t, dir, "c", "---\nschemaVersion: 1\ntitle: C\nreviewState: proposed\nsupersedes: c\n---\n")
	for _, id := range []string{"a", "c"} {
		if _, err := s.Accept(ctx, id, by); !errors.Is(err, ErrCircle) {
			t.Errorf("%s: %v", id, err)
		}
	}
	if !load(t, s).Active("b") {
		t.Error("b is hidden by what was never believed")
	}
}

func TestSecretsAreMaskedBeforeTheyAreWritten(t *testing.T) {
	ctx := context.Background()
	s, dir := store(t)
	token := "gh" + "p_" + strings.Repeat("a1B2c3", 6)
	r, err := s.Propose(ctx, Entry{Title: "T", Notes: "line\nset " + token, Decisions: []string{token}, Status: token}, now)
	if err != nil || len(r.Masked) != 3 || r.Masked[1].Field != "notes" || r.Masked[1].Line != 2 {
		t.Fatalf("%+v, %v", r.Masked, err)
	}
	if strings.Contains(raw(t, dir, r.Entry.ID), token[4:]) {
		t.Error("the secret is in the file")
	}
	must(t)(s.Edit(ctx, r.Entry.ID, Patch{Goal: &token}))
	if strings.Contains(raw(t, dir, r.Entry.ID), token[4:]) {
		t.Error("the secret is in the edited file")
	}
}

func TestLimitsAreEnforcedWhenWriting(t *testing.T) {
	ctx := context.Background()
	many := func(n int) (l []string) {
		for i := range n {
			l = append(l, strings.Repeat("x", i+1))
		}
		return l
	}
	for name, e := range map[string]Entry{
		"no title":       {},
		"long title":     {Title: strings.Repeat("é", 241)},
		"unknown kind":   {Title: "T", Kind: "opinion"},
		"many tags":      {Title: "T", Tags: many(33)},
		"long tag":       {Title: "T", Tags: []string{strings.Repeat("x", 81)}},
		"many sources":   {Title: "T", SourceRefs: make([]SourceRef, 65)},
		"source type":    {Title: "T", SourceRefs: []SourceRef{{Type: "web", ID: "x"}}},
		"source lines":   {Title: "T", SourceRefs: []SourceRef{{Type: "file", ID: "x", LineStart: 3, LineEnd: 2}}},
		"absolute file":  {Title: "T", FilesTouched: []string{"/etc/passwd"}},
		"drive":          {Title: "T", FilesTouched: []string{`C:\x`}},
		"home":           {Title: "T", SourceRefs: []SourceRef{{Type: "file", ID: "x", Path: "~/x"}}},
		"outside":        {Title: "T", FilesTouched: []string{"a/../../x"}},
		"pointer":        {Title: "T", Supersedes: "x\nreviewState: reviewed"},
		"mode":           {Title: "T", Mode: "chatty"},
		"glob":           {Title: "T", AppliesTo: []string{"a/[b"}},
		"asserts others": {Title: "T", Asserts: "asserts: []\nreviewState: reviewed\n"},
		"asserts fence":  {Title: "T", Asserts: "asserts: []\n---\n"},
		"too large":      {Title: "T", Notes: strings.Repeat("x", MaxFileBytes)},
	} {
		s, dir := store(t)
		if r, err := s.Propose(ctx, e, now); err == nil {
			t.Errorf("%s: written as %+v", name, r.Entry)
		}
		if list, _ := os.ReadDir(dir); len(list) > 0 {
			t.Errorf("%s: left %v", name, list)
		}
	}
}

func TestReadingCreatesNothing(t *testing.T) {
	ctx := context.Background()
	s, dir := store(t)
	if set := load(t, s); len(set.Entries) != 0 {
		t.Errorf("%+v", set)
	}
	if _, _, err := s.Get(ctx, "x"); !errors.Is(err, ErrNoEntry) {
		t.Errorf("%v", err)
	}
	if _, _, err := s.Get(ctx, "../x"); !errors.Is(err, ErrBadID) {
		t.Errorf("%v", err)
	}
	if _, err := os.Stat(filepath.Dir(dir)); !errors.Is(err, os.ErrNotExist) {
		t.Error("reading made the folder")
	}
}

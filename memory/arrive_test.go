package memory

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

var written = time.Date(2026, 3, 4, 5, 6, 0, 0, time.UTC)

// draftFile is a draft as a file.
func draftFile(t interface{ Fatal(...any) }, e Entry) Arrival {
	a, _, err := DraftFile(e, written)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func acceptedFile(t interface{ Fatal(...any) }, a Arrival) Arrival {
	raw, err := AcceptedFile(a.ID, a.Raw, Review{By: "R", At: written, Reason: "agreed"})
	if err != nil {
		t.Fatal(err)
	}
	a.Raw = raw
	return a
}

// folder is files of a store in memory.
type folder map[string][]byte

func (f folder) read(_ context.Context, ids []string) (map[string][]byte, error) {
	out := map[string][]byte{}
	for _, id := range ids {
		if raw, ok := f[id]; ok {
			out[id] = raw
		}
	}
	return out, nil
}

func (f folder) arrive(t interface{ Fatal(...any) }, in ...Arrival) Plan {
	p, err := Arrive(context.Background(), f.read, in)
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range p.Writes {
		if !bytes.Equal(f[w.ID], w.Old) {
			t.Fatal("a write of ", w.ID, " names another file than the one that is there")
		}
		f[w.ID] = w.New
	}
	return p
}

func (f folder) entry(id string) Entry { return Parse(id, f[id]) }

func TestADraftHasTheSameIDWhoeverAcceptsItAndWhen(t *testing.T) {
	a, b := draftFile(t, Entry{Title: "Prices are cents", ReviewState: Reviewed, Reviewer: "X"}), draftFile(t, Entry{Title: "Prices are cents"})
	if a.ID != b.ID || !bytes.Equal(a.Raw, b.Raw) || Parse(a.ID, a.Raw).ReviewState != Proposed {
		t.Errorf("%s and %s\n%s", a.ID, b.ID, a.Raw)
	}
	ok := acceptedFile(t, a)
	e := Parse(ok.ID, ok.Raw)
	if e.ReviewState != Reviewed || e.Reviewer != "R" || e.StateDate != "2026-03-04" || e.StateReason != "agreed" {
		t.Errorf("accepted: %s", ok.Raw)
	}
	if again := acceptedFile(t, ok); !bytes.Equal(again.Raw, ok.Raw) {
		t.Error("accepting twice changes the file")
	}
	stale := bytes.Replace(a.Raw, []byte("proposed"), []byte("stale"), 1)
	if _, err := AcceptedFile(a.ID, stale, Review{}); err == nil {
		t.Error("a stale entry was accepted")
	}
}

func TestArrivingTwiceChangesNothing(t *testing.T) {
	f := folder{}
	a, b := acceptedFile(t, draftFile(t, Entry{Title: "One"})), draftFile(t, Entry{Title: "Two"})
	p := f.arrive(t, a, b)
	if len(p.Writes) != 2 || p.Outcomes[0].Fate != Added || p.Outcomes[1].Fate != Added || f.entry(a.ID).ReviewState != Reviewed {
		t.Errorf("%+v", p)
	}
	p = f.arrive(t, a, b)
	if len(p.Writes) != 0 || p.Outcomes[0].Fate != Kept || p.Outcomes[1].Fate != Kept {
		t.Errorf("the second time: %+v", p)
	}
}

func TestTheFurtherStateWins(t *testing.T) {
	draft := draftFile(t, Entry{Title: "One"})
	ok := acceptedFile(t, draft)
	gone := Arrival{ID: draft.ID, Raw: bytes.Replace(ok.Raw, []byte("reviewState: reviewed"), []byte("reviewState: stale"), 1)}
	for _, tt := range []struct {
		name         string
		there, comes Arrival
		want         State
		fate         Fate
	}{
		{"accepted here", draft, ok, Reviewed, Updated},
		{"accepted there", ok, draft, Reviewed, Kept},
		{"rejected there", gone, Arrival{ID: ok.ID, Raw: ok.Raw}, Stale, Kept},
		{"rejected here", Arrival{ID: ok.ID, Raw: ok.Raw}, gone, Stale, Updated},
	} {
		f := folder{draft.ID: tt.there.Raw}
		p := f.arrive(t, tt.comes)
		if o := p.Outcomes[0]; o.Fate != tt.fate || f.entry(draft.ID).ReviewState != tt.want || len(o.Conflicts) > 0 {
			t.Errorf("%s: %+v\n%s", tt.name, o, f[draft.ID])
		}
		if p := f.arrive(t, tt.comes); len(p.Writes) != 0 {
			t.Errorf("%s: the second time writes", tt.name)
		}
	}
}

func TestEditsOnBothSidesAreMergedFieldByField(t *testing.T) {
	base := acceptedFile(t, draftFile(t, Entry{Title: "Prices are cents", Tags: []string{"shop", "old"}, Notes: "Why."}))
	edit := func(of, is string) []byte {
		raw := bytes.Replace(base.Raw, []byte(of), []byte(is), 1)
		if bytes.Equal(raw, base.Raw) {
			t.Fatalf("%q is not in the file", of)
		}
		return raw
	}
	f := folder{base.ID: edit("Why.", "Why, and since when.")}
	ours := edit(`tags: ["shop","old"]`, `tags: ["shop","money"]`)
	p := f.arrive(t, Arrival{ID: base.ID, Raw: ours, Base: base.Raw})
	e := f.entry(base.ID)
	if p.Outcomes[0].Fate != Updated || e.Notes != "Why, and since when." || !slices.Equal(e.Tags, []string{"shop", "money"}) || e.Version != 2 {
		t.Errorf("%+v\n%s", p.Outcomes[0], f[base.ID])
	}
	// Both changed the title: theirs stays, ours is not lost.
	f[base.ID] = edit("Prices are cents", "Prices are whole cents")
	in := Arrival{ID: base.ID, Raw: edit("Prices are cents", "Prices are decimals"), Base: base.Raw}
	p = f.arrive(t, in)
	o := p.Outcomes[0]
	if !slices.Equal(o.Conflicts, []string{"title"}) || o.Revision == "" || f.entry(base.ID).Title != "Prices are whole cents" {
		t.Fatalf("%+v", o)
	}
	rev := f.entry(o.Revision)
	if rev.Title != "Prices are decimals" || rev.PendingRevision != base.ID || rev.ReviewState != Proposed {
		t.Errorf("the revision: %s", f[o.Revision])
	}
	if p := f.arrive(t, in); len(p.Writes) != 0 || p.Outcomes[0].Revision != o.Revision {
		t.Errorf("the second time: %+v", p)
	}
	// Dismissed, it does not come back.
	f[o.Revision] = bytes.Replace(f[o.Revision], []byte("reviewState: proposed"), []byte("reviewState: stale"), 1)
	if p := f.arrive(t, in); len(p.Writes) != 0 {
		t.Errorf("after it was dismissed: %+v", p)
	}
}

func TestWithoutACommonVersionNothingIsTakenAway(t *testing.T) {
	a := draftFile(t, Entry{Title: "One", Tags: []string{"a"}, Decisions: []string{"x"}, AppliesTo: []string{"shop/**"}})
	f := folder{a.ID: bytes.Replace(a.Raw, []byte(`tags: ["a"]`), []byte(`tags: ["b"]`), 1)}
	f[a.ID] = bytes.Replace(f[a.ID], []byte("- x\n"), []byte("- y\n"), 1)
	f.arrive(t, Arrival{ID: a.ID, Raw: a.Raw})
	if e := f.entry(a.ID); !slices.Equal(e.Tags, []string{"b", "a"}) || !slices.Equal(e.Decisions, []string{"y", "x"}) {
		t.Errorf("%s", f[a.ID])
	}
	// A draft that nobody changed brings nothing back.
	if p := f.arrive(t, a); len(p.Writes) != 0 {
		t.Errorf("%+v", p)
	}
}

func TestSupersessionIsAppliedOnceTheNewEntryIsReviewed(t *testing.T) {
	old := acceptedFile(t, draftFile(t, Entry{Title: "Prices are floats", Kind: KindDecision}))
	next := draftFile(t, Entry{Title: "Prices are cents", Kind: KindDecision, Supersedes: old.ID})
	f := folder{old.ID: old.Raw}
	f.arrive(t, next)
	if f.entry(old.ID).ReviewState != Reviewed {
		t.Error("a proposal took the place of a reviewed entry")
	}
	p := f.arrive(t, acceptedFile(t, next))
	if len(p.Writes) != 2 || p.Writes[0].ID != next.ID || p.Writes[1].ID != old.ID {
		t.Fatalf("the new entry does not stand before the old one goes: %+v", p.Writes)
	}
	if e := f.entry(next.ID); e.Version != 2 || e.LastDeltaSummary == "" {
		t.Errorf("the next version: %s", f[next.ID])
	}
	if want := bytes.Replace(old.Raw, []byte("reviewState: reviewed"), []byte("reviewState: superseded"), 1); !bytes.Equal(f[old.ID], want) {
		t.Errorf("of the old file more than its state changed:\n%s", f[old.ID])
	}
	if p := f.arrive(t, acceptedFile(t, next)); len(p.Writes) != 0 || len(p.Outcomes[0].Warnings) != 0 {
		t.Errorf("the second time: %+v", p)
	}
	other := acceptedFile(t, draftFile(t, Entry{Title: "Prices are decimals", Supersedes: old.ID}))
	if p := f.arrive(t, other); len(p.Outcomes[0].Warnings) != 1 || !strings.Contains(p.Outcomes[0].Warnings[0], "superseded before") {
		t.Errorf("a second successor is not told: %+v", p.Outcomes)
	}
	lost := acceptedFile(t, draftFile(t, Entry{Title: "Other", Supersedes: "not-there"}))
	if p := f.arrive(t, lost); p.Outcomes[0].Fate != Added || len(p.Outcomes[0].Warnings) != 1 {
		t.Errorf("a missing target: %+v", p.Outcomes)
	}
}

func TestACircleIsLeftProposed(t *testing.T) {
	a := Arrival{ID: "a", Raw: []byte("---\nschemaVersion: 1\ntitle: A\nreviewState: reviewed\nsupersedes: b\n---\n")}
	b := Arrival{ID: "b", Raw: []byte("---\nschemaVersion: 1\ntitle: B\nreviewState: reviewed\nsupersedes: a\n---\n")}
	f := folder{"b": b.Raw}
	p := f.arrive(t, a)
	if f.entry("a").ReviewState != Proposed || f.entry("b").ReviewState != Reviewed || len(p.Outcomes[0].Warnings) != 1 {
		t.Errorf("%+v\n%s", p.Outcomes, f["a"])
	}
}

func TestWhatCannotBeInAStoreDoesNotKeepTheOthersOut(t *testing.T) {
	good := draftFile(t, Entry{Title: "Good"})
	faulty := draftFile(t, Entry{Title: "Faulty there"})
	f := folder{faulty.ID: []byte("---\nkind: decision\nkind: fact\n---\n")}
	p := f.arrive(t, Arrival{ID: "../x", Raw: good.Raw}, Arrival{ID: "later", Raw: []byte("---\nschemaVersion: 9\n---\n")},
		Arrival{ID: "dup", Raw: []byte("---\ntitle: a\ntitle: b\n---\n")}, faulty, good)
	for i, o := range p.Outcomes[:4] {
		if o.Fate != Held && !(i == 3 && o.Fate == Kept) || o.Fate == Held && len(o.Warnings) == 0 {
			t.Errorf("%d: %+v", i, o)
		}
	}
	if len(p.Writes) != 1 || p.Writes[0].ID != good.ID {
		t.Errorf("%+v", p.Writes)
	}
}

func TestSecretsOfArrivalsAreMasked(t *testing.T) {
	const token = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
	f := folder{}
	p := f.arrive(t, Arrival{ID: "a", Raw: []byte("---\nschemaVersion: 1\ntitle: The token\n---\n\nIt is " + token + " now.\n")})
	if bytes.Contains(f["a"], []byte(token)) || len(p.Outcomes[0].Masked) != 1 {
		t.Errorf("%+v\n%s", p.Outcomes, f["a"])
	}
}

func TestLawNothingOfAnArrivalIsLost(t *testing.T) {
	texts := rapid.SliceOfN(rapid.SampledFrom([]string{"use integers", "never floats", "round half up", "ask first", "x"}), 0, 4)
	entry := rapid.Custom(func(t *rapid.T) Entry {
		return Entry{
			Title: rapid.SampledFrom([]string{"Prices", "Rounding", "Taxes"}).Draw(t, "title"), Notes: rapid.SampledFrom([]string{"", "one", "two"}).Draw(t, "notes"),
			Decisions: texts.Draw(t, "decisions"), Tags: texts.Draw(t, "tags"), Goal: rapid.SampledFrom([]string{"", "g", "h"}).Draw(t, "goal"),
			ReviewState: rapid.SampledFrom(States).Draw(t, "state"), Kind: KindDecision, Date: written.Format(time.RFC3339),
		}
	})
	rapid.Check(t, func(t *rapid.T) {
		render := func(e Entry) []byte {
			raw, err := Render(e)
			if err != nil {
				t.Fatal(err)
			}
			return raw
		}
		base, ours, theirs := render(entry.Draw(t, "base")), render(entry.Draw(t, "ours")), render(entry.Draw(t, "theirs"))
		in := Arrival{ID: "a", Raw: ours}
		if rapid.Bool().Draw(t, "known base") {
			in.Base = base
		}
		f := folder{"a": theirs}
		p := f.arrive(t, in)
		var all strings.Builder
		for _, raw := range f {
			all.Write(raw)
		}
		was := Parse("a", base)
		mine := Parse("a", ours)
		for _, s := range append(append([]string{mine.Title, mine.Notes, mine.Goal}, mine.Decisions...), mine.Tags...) {
			unchanged := in.Base != nil && (s == was.Title || s == was.Notes || s == was.Goal || slices.Contains(was.Decisions, s) || slices.Contains(was.Tags, s))
			if !unchanged && !strings.Contains(all.String(), s) {
				t.Fatalf("%q was lost: %+v\n%s", s, p.Outcomes, all.String())
			}
		}
		if e := f.entry("a"); !e.Readable() || rank[e.ReviewState] < rank[Parse("a", theirs).ReviewState] {
			t.Fatalf("the state went back: %s", f["a"])
		}
		if in.Base == nil { // with a base that is no ancestor of what is there now, removing again is right
			if p := f.arrive(t, in); len(p.Writes) != 0 {
				t.Fatalf("the second time writes: %+v", p)
			}
		}
	})
}

func TestSeveralFilesAreWrittenTogether(t *testing.T) {
	ctx := context.Background()
	top := t.TempDir()
	s, err := Open(top, "")
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(top, filepath.FromSlash(DefaultFolder))
	var in []Arrival
	for i := range 3 {
		in = append(in, acceptedFile(t, draftFile(t, Entry{Title: fmt.Sprintf("Lesson %d", i)})))
	}
	would, err := s.Would(ctx, in)
	if err != nil || len(would.Writes) != 3 {
		t.Fatalf("%+v, %v", would, err)
	}
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Error("asking wrote")
	}
	p, err := s.Arrive(ctx, in)
	if err != nil || p.Outcomes[0].Entry.RelPath != DefaultFolder+"/"+in[0].ID+".md" {
		t.Fatalf("%+v, %v", p, err)
	}
	list, err := os.ReadDir(dir)
	if err != nil || len(list) != 3 {
		t.Errorf("%v, %v", list, err)
	}
}

func TestAnInterruptedCallIsFinishedByTheNextWriter(t *testing.T) {
	ctx := context.Background()
	top := t.TempDir()
	s, err := Open(top, "")
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(top, filepath.FromSlash(DefaultFolder))
	old := acceptedFile(t, draftFile(t, Entry{Title: "Old"}))
	if _, err := s.Arrive(ctx, []Arrival{old}); err != nil {
		t.Fatal(err)
	}
	next := acceptedFile(t, draftFile(t, Entry{Title: "Next", Supersedes: old.ID}))
	edited := acceptedFile(t, draftFile(t, Entry{Title: "Edited since"}))
	// What a call leaves that ends right after the journal got its name.
	stop := errors.New("stop")
	err = s.write(ctx, func(w *writer) error {
		p, err := Arrive(ctx, w.files, []Arrival{next, edited})
		if err != nil {
			return err
		}
		at := filepath.Join(dir, journalName)
		if err := w.together(p.Writes); err != nil {
			return err
		}
		// Run it again with the journal caught on its way.
		for _, id := range []string{next.ID, edited.ID} {
			if err := os.Remove(filepath.Join(dir, id+".md")); err != nil {
				return err
			}
		}
		if err := os.WriteFile(filepath.Join(dir, old.ID+".md"), old.Raw, 0o644); err != nil {
			return err
		}
		_, j, err := newJournal(p.Writes)
		if err != nil {
			return err
		}
		if err := os.WriteFile(at, j, 0o644); err != nil {
			return err
		}
		return stop
	})
	if !errors.Is(err, stop) {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, edited.ID+".md"), []byte("mine\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Mend(ctx); err != nil { // any writer
		t.Fatal(err)
	}
	set, err := s.Load(ctx)
	if err != nil || !set.Active(next.ID) || set.Get(old.ID).ReviewState != Superseded {
		t.Errorf("not finished: %+v, %v", set, err)
	}
	if raw, _ := os.ReadFile(filepath.Join(dir, edited.ID+".md")); string(raw) != "mine\n" {
		t.Errorf("a file that was edited since was replaced: %s", raw)
	}
	if _, err := os.Stat(filepath.Join(dir, journalName)); !errors.Is(err, os.ErrNotExist) {
		t.Error("the journal is still there")
	}
	if err := os.WriteFile(filepath.Join(dir, journalName), []byte("{}"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Mend(ctx); err == nil || !strings.Contains(err.Error(), journalName) || strings.Contains(err.Error(), top) {
		t.Errorf("a foreign journal: %v", err)
	}
}

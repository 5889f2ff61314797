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

func TestDecisionRecordsOfEachForm(t *testing.T) {
	for _, c := range []struct{ name, path, text, title, status, goal, decision string }{
		{"Nygard", "doc/adr/0003-use-cents.md", "# 3. Use cents\n\nDate: 2020-01-02\n\n## Status\n\nAccepted\n\n## Context\n\nSums of floats\ndo not add up.\n\nMore.\n\n## Decision\n\nWe keep `int64` cents.\n\n## Consequences\n\nNone.\n",
			"Use cents", "Accepted", "Sums of floats do not add up.", "We keep `int64` cents."},
		{"MADR with frontmatter", "docs/decisions/0003-use-cents.md", "---\nstatus: \"accepted\"\ndate: 2020-01-02\n---\n\n# Use cents\n\n## Context and Problem Statement\n\nWhich type?\n\n## Considered Options\n\n* cents\n* floats\n\n## Decision Outcome\n\nChosen option: \"cents\", because they add up.\n\n### Consequences\n\n* Good, because exact\n",
			"Use cents", "accepted", "Which type?", `Chosen option: "cents", because they add up.`},
		{"log4brains", "docs/adr/20200102-use-cents.md", "# Use cents\n\n- Status: accepted\n- Deciders: someone\n- Date: 2020-01-02\n\n## Context and Problem Statement\n\nWhich type?\n\n## Decision Outcome\n\nCents.\n",
			"Use cents", "accepted", "Which type?", "Cents."},
		{"headings that are underlined", "a.md", "Use cents\n=========\n\nStatus\n------\n\nAccepted\n\nContext\n-------\n\nWhich type?\n\nDecision\n--------\n\nCents.\n",
			"Use cents", "Accepted", "Which type?", "Cents."},
		{"CRLF", "b.md", "# ADR-0003: Use cents\r\n\r\n## Status\r\n\r\nAccepted\r\n\r\n## Context\r\n\r\nWhich type?\r\n\r\n## Decision\r\n\r\nCents.\r\n",
			"Use cents", "Accepted", "Which type?", "Cents."},
	} {
		d := FromADRs([]Document{{Path: c.path, Text: []byte(c.text)}})
		if len(d.Entries) != 1 {
			t.Errorf("%s: %+v", c.name, d)
			continue
		}
		e := d.Entries[0]
		if e.Title != c.title || e.Status != c.status || e.Goal != c.goal || !slices.Equal(e.Decisions, []string{c.decision}) || e.Kind != KindDecision || e.ReviewState != Proposed {
			t.Errorf("%s: %+v", c.name, e)
		}
		if r := e.SourceRefs[0]; r.Path != c.path || r.LineStart != 1 || r.LineEnd != strings.Count(c.text, "\n") || !strings.HasPrefix(r.ID, importMark) {
			t.Errorf("%s: source %+v", c.name, r)
		}
	}
}

func TestRecordsThatAreOutOfForceStaySo(t *testing.T) {
	ctx := context.Background()
	record := func(n, status, more string) Document {
		return Document{Path: "adr/" + n, Text: []byte("# Record " + n[5:6] + "\n\n## Status\n\n" + status + "\n\n## Decision\n\nD of " + n + ".\n\n" + more)}
	}
	docs := []Document{
		record("0001-a.md", "Superseded by [2](0002-b.md)", ""), record("0002-b.md", "Accepted\n\nSupersedes [1](0001-a.md)", ""),
		record("0003-c.md", "Rejected", ""), record("0004-d.md", "Deprecated", ""), record("0005-e.md", "superseded by ADR-0006", ""), record("0006-f.md", "Accepted", ""),
		record("0007-g.md", "Superseded by ADR-0008", ""), record("0008-h.md", "Superseded by ADR-0007", ""),
		{Path: "adr/README.md", Text: []byte("# Index\n\n- one\n")}, {Path: "adr/template.md", Text: []byte("# T\n\n## Decision\n\nX.\n")},
	}
	s, _ := store(t)
	done, err := s.Import(ctx, FromADRs(docs), now)
	if err != nil || len(done.Receipts) != 8 || len(done.Left) != 2 {
		t.Fatalf("%d written, %+v, %v", len(done.Receipts), done.Left, err)
	}
	set := load(t, s)
	by := map[string]Entry{}
	for _, e := range set.Entries {
		by[strings.TrimPrefix(e.Title, "Record ")] = e
		if e.ReviewState == Reviewed {
			t.Errorf("%s is reviewed", e.Title)
		}
	}
	for title, want := range map[string]State{"a": Superseded, "b": Proposed, "c": Stale, "d": Stale, "e": Superseded, "f": Proposed, "g": Superseded, "h": Superseded} {
		if got := by[title]; got.ReviewState != want {
			t.Errorf("%s is %s, want %s", title, got.ReviewState, want)
		}
	}
	if by["b"].Supersedes != by["a"].ID || by["f"].Supersedes != by["e"].ID {
		t.Errorf("pointers %q and %q", by["b"].Supersedes, by["f"].Supersedes)
	}
	again, err := s.Import(ctx, FromADRs(docs), now.Add(time.Hour))
	if err != nil || len(again.Receipts) != 0 || len(again.Known) != 8 {
		t.Errorf("again: %d written, %d known, %v", len(again.Receipts), len(again.Known), err)
	}
	plan, err := s.Plan(ctx, FromADRs(append(docs, record("0009-i.md", "Accepted", ""))), now)
	if err != nil || len(plan.Receipts) != 1 || len(load(t, s).Entries) != 8 {
		t.Errorf("plan: %+v, %v", plan.Receipts, err)
	}
}

func TestRulesBecomeConventionsWithTheirLines(t *testing.T) {
	text := "---\nx: y\n---\n# Guide\n\nSome prose that must not be taken.\n\n## Style\n\n- Never use `float64` for prices,\n  not even in tests.\n- The folder layout\n- Short\n- Commands: run `make test` first.\n  1. Always nested things too.\n\n```sh\n- do not take code\n```\n\n* Prefer `errors.Is`.\n"
	d := FromRules(Document{Path: "AGENTS.md", Text: []byte(text)}, false)
	type got struct {
		title       string
		first, last int
	}
	var list []got
	for _, e := range d.Entries {
		r := e.SourceRefs[0]
		list = append(list, got{e.Decisions[0], r.LineStart, r.LineEnd})
		if e.Kind != KindConvention || e.ReviewState != Proposed || e.Notes != "From the section Guide / Style." || r.Path != "AGENTS.md" {
			t.Errorf("%+v", e)
		}
	}
	want := []got{{"Never use `float64` for prices, not even in tests.", 10, 11}, {"Commands: run `make test` first.", 14, 14}, {"Always nested things too.", 15, 15}}
	if !slices.Equal(list, want) {
		t.Errorf("got %+v", list)
	}
	if len(d.Left) != 3 || d.Left[0].Line != 12 {
		t.Errorf("left %+v", d.Left)
	}
	if all := FromRules(Document{Path: "AGENTS.md", Text: []byte(text)}, true); len(all.Entries) != 4 {
		t.Errorf("all: %+v", all.Entries)
	}
}

func TestKlideStoresAreReadByTheirOwnGrammar(t *testing.T) {
	modified := time.UnixMilli(1700000000000)
	full := "---\nschemaVersion: 1\ndate: 2026-01-02T03:04:05Z\ntitle: Use: cents # really\nkind: Decision\nreviewState: reviewed\ntags: [\"a\",\"b\"]\nsourceRefs: [{\"sourceType\":\"commit\",\"id\":\"0123\"}]\nsupersedes: old\nunknown: x\nmodel:\n---\n\n# Goal\nOne\n\ntwo\n# Other\ndropped\n# Files\n- `a/b.go`\n# Notes\nN\n"
	e := ParseKlide("x", []byte(full), modified)
	if e.Title != "Use: cents # really" || e.Kind != KindDecision || e.ReviewState != Reviewed || !slices.Equal(e.Tags, []string{"a", "b"}) || e.Supersedes != "old" ||
		e.Goal != "One two" || !slices.Equal(e.FilesTouched, []string{"a/b.go"}) || e.Notes != "N" || len(e.SourceRefs) != 1 || e.Date != "2026-01-02T03:04:05Z" {
		t.Errorf("%+v", e)
	}
	for _, c := range []struct {
		name, raw string
		state     State
	}{
		{"no frontmatter", "# Goal\nx\n", Reviewed},
		{"frontmatter without the keys of version 1", "---\ntitle: T\n---\n", Reviewed},
		{"the last of two keys", "---\nreviewState: reviewed\nreviewState: stale\n---\n", Stale},
		{"unknown state", "---\nreviewState: super-seded\n---\n", Stale},
		{"unknown kind", "---\nkind: opinion\n---\n", Stale},
		{"an empty value is passed over", "---\nreviewState:\n---\n", Reviewed},
		{"future version", "---\nschemaVersion: 2\nreviewState: reviewed\n---\n", Stale},
		{"version that is no number", "---\nschemaVersion: 1.0\nreviewState: reviewed\n---\n", Stale},
		{"byte order mark", "\xef\xbb\xbf---\nreviewState: stale\n---\n", Stale},
		{"blank behind the fence", "--- \nreviewState: stale\n---\n", Stale},
		{"fence not closed", "---\nreviewState: stale\n", Stale},
		{"tags that are no JSON", "---\ntags: [a, b]\n---\n", Reviewed},
	} {
		if e := ParseKlide("x", []byte(c.raw), modified); e.ReviewState != c.state {
			t.Errorf("%s: %s, want %s", c.name, e.ReviewState, c.state)
		}
	}
	if e := ParseKlide("x", []byte("text"), modified); e.CreatedAtMs != 1700000000000 || e.Kind != KindHandoff {
		t.Errorf("legacy: %+v", e)
	}
}

func TestKlideStoresAreImportedAsProposalsAndNeverWritten(t *testing.T) {
	ctx := context.Background()
	top := t.TempDir()
	dir := filepath.Join(top, ".klide", "memory")
	put(t, dir, "2026-01-02-0304-new", "---\nschemaVersion: 1\ntitle: New\nkind: decision\nreviewState: reviewed\nsupersedes: 2026-01-01-0000-old\n---\n# Files touched\n- `/home/somebody/x.go`\n- `a.go`\n")
	put(t, dir, "2026-01-01-0000-old", "---\nschemaVersion: 1\ntitle: Old\nkind: decision\nreviewState: superseded\n---\n")
	put(t, dir, "future", "---\nschemaVersion: 3\n---\n")
	k, err := OpenKlide(top, KlideFolder)
	if err != nil {
		t.Fatal(err)
	}
	set := load(t, k)
	if !set.Active("2026-01-02-0304-new") || set.Active("2026-01-01-0000-old") {
		t.Errorf("%+v", set.Entries)
	}
	for name, err := range map[string]error{
		"propose": errOf(k.Propose(ctx, decision("x"), now)), "accept": errOf(k.Accept(ctx, "future", by)), "reject": errOf(k.Reject(ctx, "future", by)),
		"edit": errOf(k.Edit(ctx, "future", Patch{Title: ptr("x")})), "mend": func() error { _, err := k.Mend(ctx); return err }(),
	} {
		if !errors.Is(err, ErrReadOnly) {
			t.Errorf("%s: %v", name, err)
		}
	}
	s, err := Open(top, "")
	if err != nil {
		t.Fatal(err)
	}
	done, err := s.Import(ctx, FromKlide(set), now)
	if err != nil || len(done.Receipts) != 2 || len(done.Left) != 1 {
		t.Fatalf("%+v, %v", done, err)
	}
	got := load(t, s)
	if e := got.Get("2026-01-02-0304-new"); e == nil || e.ReviewState != Proposed || e.Supersedes != "2026-01-01-0000-old" || !slices.Equal(e.FilesTouched, []string{"a.go"}) || e.SourceRefs[0].Path != ".klide/memory/2026-01-02-0304-new.md" {
		t.Errorf("%+v", e)
	}
	if got.Get("2026-01-01-0000-old").ReviewState != Superseded {
		t.Error("what was superseded is back")
	}
	if list, _ := os.ReadDir(dir); len(list) != 3 {
		t.Errorf("the Klide store has %v", list)
	}
}

func errOf(_ Receipt, err error) error { return err }

func TestLintFindsWhatIsWrongAndNothingElse(t *testing.T) {
	s, dir := store(t)
	head := func(more string) string { return "---\nschemaVersion: 1\ntitle: T\nkind: fact\n" + more + "---\n" }
	for id, content := range map[string]string{
		"good":     head("reviewState: reviewed\nsupersedes: older\n"),
		"older":    head("reviewState: superseded\n"),
		"self":     head("reviewState: reviewed\nsupersedes: self\n"),
		"c1":       head("reviewState: reviewed\nsupersedes: c2\n"),
		"c2":       head("reviewState: reviewed\nsupersedes: c1\n"),
		"dangling": head("reviewState: proposed\nsupersedes: gone\n"),
		"crash":    head("reviewState: reviewed\nsupersedes: undone\n"),
		"undone":   head("reviewState: reviewed\n"),
		"twin":     head("reviewState: reviewed\nsupersedes: older\n"),
		"rev":      head("reviewState: proposed\npendingRevision: older\n"),
		"untitled": "---\nschemaVersion: 1\n---\n",
		"future":   "---\nschemaVersion: 2\ntitle: T\n---\n",
		"paths":    head("sourceRefs: [{\"sourceType\":\"file\",\"id\":\"x\",\"path\":\"/etc/x\"}]\nappliesTo: [\"a/[b\"]\n") + "# Files touched\n- `../x`\n",
		"secret":   head("status: gh" + "p_" + strings.Repeat("a1B2c3", 6) + "\n"),
		"Good":     head("reviewState: stale\n"),
		"long":     "---\nschemaVersion: 1\ntitle: " + strings.Repeat("x", 241) + "\ntags: [a, a]\nversion: 0\ndate: yesterday\nweird: 1\n---\n",
	} {
		put(t, dir, id, content)
	}
	put(t, dir, "not an id", "x")
	var got []string
	for _, f := range Lint(load(t, s), s.folder) {
		got = append(got, f.ID+" "+f.Rule+" "+f.Level[:1])
		if Rules[f.Rule] == "" || f.Text == "" || f.RelPath == "" {
			t.Errorf("%+v", f)
		}
	}
	want := []string{
		"c1 circle e", "c2 circle e", "dangling dangling w", "future version e", "good case e", "long date w", "long limit w", "long limit w", "long revision w", "long unknown-key w",
		"not an id.md skipped w", "paths glob e", "paths path w", "paths path w", "rev revision w", "secret secret e", "self self e", "twin two-successors w", "undone unfinished w", "untitled title w",
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

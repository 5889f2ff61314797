package memory

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseReadsEveryField(t *testing.T) {
	raw := `---
schemaVersion: 1
date: 2026-03-04T05:06:07Z
runId: run-7
provider: local
model: small
mode: goal
status: done
title: "Use cents: never floats"
kind: decision
reviewState: reviewed
tags: ["money","prices"]
sourceRefs: [{"sourceType":"file","id":"sha256:00","label":"the sum","path":"shop/prices.py","lineStart":3,"lineEnd":9}]
supersedes: 2026-01-01-0000-floats
version: 3
pendingRevision: other
mergedFrom: [a, b]
lastDeltaSummary: title, decisions
appliesTo: ["shop/**"]
author: somebody
reviewer: somebody else
stateReason: looked at
stateDate: 2026-03-05
# The next list is checked by a machine.
asserts:
  - forbid: {text: 'float\('}   # kept as it is
    in: ["shop/**"]

# end
---
# Goal
Prices that
add up.

# Plan
- one
- two
  goes on
# Decisions
- Cents are integers.
# Files touched
- ` + "`shop/prices.py`" + `
# Next steps
* three
# Notes
Some *Markdown*.

` + "```sh\n# Decisions\n- not one\n```" + `
\# Plan
`
	want := Entry{
		ID: "x", SchemaVersion: 1, Date: "2026-03-04T05:06:07Z", CreatedAtMs: 1772600767000,
		Title: "Use cents: never floats", Kind: KindDecision, ReviewState: Reviewed, Tags: []string{"money", "prices"},
		SourceRefs: []SourceRef{{Type: "file", ID: "sha256:00", Label: "the sum", Path: "shop/prices.py", LineStart: 3, LineEnd: 9}},
		Supersedes: "2026-01-01-0000-floats", RunID: "run-7", Provider: "local", Model: "small", Mode: "goal", Status: "done",
		Version: 3, PendingRevision: "other", MergedFrom: []string{"a", "b"}, LastDeltaSummary: "title, decisions",
		AppliesTo: []string{"shop/**"}, AssertsLine: 25,
		Asserts: "asserts:\n  - forbid: {text: 'float\\('}   # kept as it is\n    in: [\"shop/**\"]\n",
		Author:  "somebody", Reviewer: "somebody else", StateReason: "looked at", StateDate: "2026-03-05",
		Goal: "Prices that add up.", Plan: []string{"one", "two goes on"}, Decisions: []string{"Cents are integers."},
		FilesTouched: []string{"shop/prices.py"}, NextSteps: []string{"three"},
		Notes: "Some *Markdown*.\n\n```sh\n# Decisions\n- not one\n```\n# Plan",
	}
	for name, text := range map[string]string{"LF": raw, "CRLF": strings.ReplaceAll(raw, "\n", "\r\n")} {
		got := Parse("x", []byte(text))
		got.Hash = ""
		got.Asserts = strings.ReplaceAll(got.Asserts, "\r\n", "\n")
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

func TestNothingDoubtfulReadsAsReviewed(t *testing.T) {
	head := "schemaVersion: 1\ntitle: T\nkind: decision\nreviewState: reviewed\n"
	for _, c := range []struct {
		name, raw string
		state     State
		rule      string
	}{
		{"no frontmatter", "# T\n\ntext\n", Proposed, ""},
		{"empty file", "", Proposed, ""},
		{"empty frontmatter", "---\n---\n", Proposed, ""},
		{"frontmatter of comments", "---\n# reviewState: reviewed\n---\n", Proposed, ""},
		{"no state", "---\nschemaVersion: 1\ntitle: T\n---\n", Proposed, ""},
		{"no version", "---\ntitle: T\nreviewState: reviewed\n---\n", Proposed, "version"},
		{"unknown state", "---\nschemaVersion: 1\nreviewState: super-seded\n---\n", Stale, "state"},
		{"state in capitals", "---\nschemaVersion: 1\nreviewState: Reviewed\n---\n", Stale, "state"},
		{"empty state", "---\nschemaVersion: 1\nreviewState:\n---\n", Stale, "value"},
		{"blank state", "---\nschemaVersion: 1\nreviewState: ' '\n---\n", Stale, "value"},
		{"null state", "---\nschemaVersion: 1\nreviewState: ~\n---\n", Stale, "value"},
		{"list for a state", "---\nschemaVersion: 1\nreviewState: [reviewed]\n---\n", Stale, "value"},
		{"unknown kind", "---\nschemaVersion: 1\nkind: experimental\nreviewState: reviewed\n---\n", Stale, "kind"},
		{"empty kind", "---\nschemaVersion: 1\nkind:\nreviewState: reviewed\n---\n", Stale, "value"},
		{"duplicate state", "---\n" + head + "reviewState: reviewed\n---\n", Stale, "duplicate-key"},
		{"duplicate title", "---\n" + head + "title: U\n---\n", Stale, "duplicate-key"},
		{"duplicate key quoted", "---\n" + head + "\"reviewState\": stale\n---\n", Stale, "duplicate-key"},
		{"byte order mark", "\xef\xbb\xbf---\n" + head + "---\n", Stale, "bom"},
		{"blank behind the fence", "--- \n" + head + "---\n", Stale, "fence"},
		{"blank before the fence", " ---\n" + head + "---\n", Stale, "fence"},
		{"line before the fence", "\n---\n" + head + "---\n", Stale, "fence"},
		{"four hyphens", "----\n" + head + "---\n", Stale, "fence"},
		{"word behind the fence", "---yaml\n" + head + "---\n", Stale, "fence"},
		{"fence not closed", "---\n" + head, Stale, "fence"},
		{"closed with a blank", "---\n" + head + "--- \nx\n---\n", Stale, "fence"},
		{"closed with dots", "---\n" + head + "...\n---\n", Stale, "fence"},
		{"anchor", "---\nschemaVersion: 1\ntitle: &a T\nreviewState: reviewed\n---\n", Stale, "anchor"},
		{"alias", "---\nschemaVersion: 1\nstatus: &a reviewed\nreviewState: *a\n---\n", Stale, "anchor"},
		{"anchor in asserts", "---\n" + head + "asserts: [&a x]\n---\n", Stale, "anchor"},
		{"merge key", "---\n" + head + "<<: {reviewState: reviewed}\n---\n", Stale, "unknown-key"},
		{"tag", "---\nschemaVersion: 1\nreviewState: !!str reviewed\n---\n", Stale, "anchor"},
		{"mapping in braces", "---\n{schemaVersion: 1, reviewState: reviewed}\n---\n", Stale, "yaml"},
		{"list", "---\n- reviewState: reviewed\n---\n", Stale, "yaml"},
		{"broken YAML", "---\nreviewState: [reviewed\n---\n", Stale, "yaml"},
		{"key of two words", "---\n" + head + "? [a]\n: b\n---\n", Stale, "yaml"},
		{"NUL", "---\n" + head + "status: a\x00b\n---\n", Stale, "characters"},
		{"NEL in front of a key", "---\nschemaVersion: 1\ntitle: x\u0085reviewState: reviewed\n---\n", Stale, "characters"},
		{"line separator", "---\nschemaVersion: 1\ntitle: x\u2028reviewState: reviewed\n---\n", Stale, "characters"},
		{"lone carriage return", "---\nschemaVersion: 1\ntitle: x\rreviewState: reviewed\n---\n", Stale, "characters"},
		{"not UTF-8", "---\n" + head + "status: \xff\n---\n", Stale, "characters"},
		{"pointer that is no id", "---\n" + head + "supersedes: ../x\n---\n", Stale, "pointer"},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := Parse("x", []byte(c.raw))
			if e.ReviewState != c.state {
				t.Errorf("reads as %s, want %s", e.ReviewState, c.state)
			}
			if got := slices.ContainsFunc(e.Faults, func(f Fault) bool { return f.Rule == c.rule }); got != (c.rule != "") {
				t.Errorf("faults %+v, want rule %q", e.Faults, c.rule)
			}
		})
	}
	if e := Parse("x", []byte("---\n"+head+"---\n")); e.ReviewState != Reviewed || len(e.Faults) != 0 {
		t.Errorf("the entry that all of them are made from reads as %s with %+v", e.ReviewState, e.Faults)
	}
}

func TestOtherVersionsAreInertStubs(t *testing.T) {
	for _, v := range []string{"2", "2.0", "v1", "-1", "1e0", "", `"1"`, "01", "0x1", "1.0", "+1", "[1]", "0", "~"} {
		e := Parse("2026-01-02-0304-x", []byte("---\nschemaVersion: "+v+"\ntitle: The title\nreviewState: reviewed\nsupersedes: other\ntags: [a]\n---\n# Decisions\n- one\n"))
		if !e.Stub || e.ReviewState != Stale || e.Title != "The title" || e.CreatedAtMs == 0 {
			t.Errorf("version %q: %+v", v, e)
		}
		if len(e.Decisions) > 0 || e.Supersedes != "" || len(e.Tags) > 0 {
			t.Errorf("version %q is interpreted: %+v", v, e)
		}
		if s := NewSet([]Entry{e, Parse("other", []byte("---\nschemaVersion: 1\nreviewState: reviewed\n---\n"))}, nil); !s.Active("other") || s.Active(e.ID) {
			t.Errorf("version %q hides another entry or holds itself", v)
		}
	}
}

func TestTitleComesFromTheHeadingWhereThereIsNone(t *testing.T) {
	e := Parse("x", []byte("# Use   cents\n\nBecause.\n\n# Decisions\n- Cents.\n"))
	if e.Title != "Use cents" || e.Notes != "Because." || !slices.Equal(e.Decisions, []string{"Cents."}) {
		t.Errorf("%+v", e)
	}
	if e := Parse("x", []byte("text\n# Not the title\n")); e.Title != "x" || e.Notes != "text\n# Not the title" {
		t.Errorf("%+v", e)
	}
}

func TestOnlyReviewedEntriesHide(t *testing.T) {
	entry := func(id string, s State, supersedes string, merged ...string) Entry {
		return Entry{ID: id, ReviewState: s, Supersedes: supersedes, MergedFrom: merged}
	}
	for _, c := range []struct {
		name    string
		entries []Entry
		active  string
	}{
		{"reviewed hides reviewed", []Entry{entry("a", Reviewed, ""), entry("b", Reviewed, "a")}, "b"},
		{"proposed hides nothing", []Entry{entry("a", Reviewed, ""), entry("b", Proposed, "a")}, "a"},
		{"stale hides nothing", []Entry{entry("a", Reviewed, ""), entry("b", Stale, "a")}, "a"},
		{"superseded without a successor hides nothing", []Entry{entry("a", Reviewed, ""), entry("b", Superseded, "a")}, "a"},
		{"the chain holds when the middle was demoted", []Entry{entry("a", Reviewed, ""), entry("b", Superseded, "a"), entry("c", Reviewed, "b")}, "c"},
		{"the chain ends at what was never believed", []Entry{entry("a", Reviewed, ""), entry("b", Proposed, "a"), entry("c", Reviewed, "b")}, "a c"},
		{"itself", []Entry{entry("a", Reviewed, "a")}, "a"},
		{"a circle of two", []Entry{entry("a", Reviewed, "b"), entry("b", Reviewed, "a")}, "a b"},
		{"a circle and one that takes its place", []Entry{entry("a", Reviewed, "b"), entry("b", Reviewed, "a"), entry("c", Reviewed, "a")}, "b c"},
		{"merged", []Entry{entry("a", Reviewed, ""), entry("b", Reviewed, ""), entry("m", Reviewed, "a", "a", "b")}, "m"},
		{"nowhere", []Entry{entry("a", Reviewed, "z")}, "a"},
	} {
		s := NewSet(c.entries, nil)
		var active []string
		for _, e := range s.Entries {
			if s.Active(e.ID) {
				active = append(active, e.ID)
			}
		}
		if got := strings.Join(active, " "); got != c.active {
			t.Errorf("%s: active are %q, want %q", c.name, got, c.active)
		}
	}
}

package memory

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// This file is what the commands of `sayso memory` write as JSON.

// Names of the shapes; the number changes when a field changes its meaning or goes.
const (
	ListSchema    = "sayso.memory-list/v1"
	ReceiptSchema = "sayso.memory-receipt/v1"
	LintSchema    = "sayso.memory-lint/v1"
	ImportSchema  = "sayso.memory-import/v1"
	ExportSchema  = "sayso.memory-export/v1"
)

// Listed is an entry among the others of its store.
type Listed struct {
	Entry        Record  `json:"entry"`        // as its file has it
	State        State   `json:"state"`        // its state among the others: superseded where a reviewed entry took its place, whatever its file says
	Active       bool    `json:"active"`       // it holds: reviewed, readable, and nothing took its place
	InForce      bool    `json:"inForce"`      // it is active, and what was read had landed
	SupersededBy *string `json:"supersededBy"` // id of the reviewed entry that took its place
	Tag          string  `json:"tag"`          // which version of its subject it is, as one line; empty for a first version
	Faults       int     `json:"faults"`       // how many things are wrong with its file: memory lint names them
}

// ListOutput is what `sayso memory list --json` writes.
type ListOutput struct {
	Schema  string         `json:"schema"`         // name and version of this shape
	Space   string         `json:"space"`          // name of the store
	Folder  string         `json:"folder"`         // of the store, from the top of its repository or space
	Shared  bool           `json:"shared"`         // the store is the main checkout's
	Base    *string        `json:"base"`           // revision that decides what is in force; null: the files as they are
	Note    string         `json:"note,omitempty"` // what a person should know about the choice of the store
	Counts  map[string]int `json:"counts"`         // entries by state among the others, of the whole store
	Total   int            `json:"total"`          // entries that the filters leave
	Entries []Listed       `json:"entries"`        // the newest first
	Skipped []Skipped      `json:"skipped"`        // files of the store that are no entries
}

// ReceiptOutput is what the writing commands write with --json.
type ReceiptOutput struct {
	Schema   string        `json:"schema"`   // name and version of this shape
	Action   string        `json:"action"`   // the command: propose, accept, reject, edit, supersede, merge, revise, dismiss
	Space    string        `json:"space"`    // name of the store
	Shared   bool          `json:"shared"`   // the store is the main checkout's
	Entry    Record        `json:"entry"`    // as it is now
	Changed  []string      `json:"changed"`  // ids of all entries whose files were written
	Masked   []SecretFound `json:"masked"`   // secrets that were masked before anything was written
	Warnings []string      `json:"warnings"` // what was done all the same and deserves a look
}

// LintOutput is what `sayso memory lint --json` writes.
type LintOutput struct {
	Schema   string    `json:"schema"`   // name and version of this shape
	Space    string    `json:"space"`    // name of the store
	Folder   string    `json:"folder"`   // of the store, from the top of its repository or space
	Entries  int       `json:"entries"`  // entries looked at
	Skipped  int       `json:"skipped"`  // files of the store that are no entries
	Errors   int       `json:"errors"`   // findings of level error
	Warnings int       `json:"warnings"` // findings of level warning
	Mended   []string  `json:"mended"`   // ids of entries that --fix demoted
	Findings []Finding `json:"findings"` // by file, line and rule
}

// ImportOutput is what `sayso memory import --json` writes.
type ImportOutput struct {
	Schema  string        `json:"schema"`  // name and version of this shape
	From    string        `json:"from"`    // what was read: klide, adr, rules, json
	Space   string        `json:"space"`   // name of the store
	DryRun  bool          `json:"dryRun"`  // nothing was written
	Written []Record      `json:"written"` // entries that were written, or would be
	Known   []string      `json:"known"`   // ids of entries that were there already
	Left    []Left        `json:"left"`    // what no entry was made of
	Masked  []SecretFound `json:"masked"`  // secrets that were masked before anything was written
}

// ExportOutput is what `sayso memory export --json` writes.
type ExportOutput struct {
	Schema  string   `json:"schema"`  // name and version of this shape
	Space   string   `json:"space"`   // name of the store
	Entries []Record `json:"entries"` // by id
}

// List makes the list of a set. keep says which entries stay, by their state
// among the others; nil keeps all. pending are entries that a change brings
// along: they stand beside those in force. limit 0 is no limit.
func (s *Set) List(pending []Entry, keep func(e *Entry, state State) bool, limit int) ListOutput {
	out := ListOutput{Schema: ListSchema, Counts: map[string]int{}, Entries: []Listed{}, Skipped: list(s.Skipped)}
	for _, st := range States {
		out.Counts[string(st)] = 0
	}
	add := func(e *Entry, l Listed) {
		out.Counts[string(l.State)]++
		if keep == nil || keep(e, l.State) {
			l.Entry, l.Faults = e.Record(), len(e.Faults)
			out.Entries = append(out.Entries, l)
		}
	}
	for i := range s.Entries {
		e := &s.Entries[i]
		add(e, Listed{
			State: s.State(e.ID), Active: s.Active(e.ID), InForce: s.Active(e.ID),
			SupersededBy: orNull(s.HiddenBy(e.ID)), Tag: s.RevisionOf(e.ID).Tag(e.ID),
		})
	}
	for i := range pending {
		add(&pending[i], Listed{State: pending[i].ReviewState})
	}
	slices.SortStableFunc(out.Entries, func(a, b Listed) int {
		return cmp.Or(cmp.Compare(b.Entry.CreatedAtMs, a.Entry.CreatedAtMs), strings.Compare(a.Entry.ID, b.Entry.ID), strings.Compare(string(b.State), string(a.State)))
	})
	out.Total = len(out.Entries)
	if limit > 0 && len(out.Entries) > limit {
		out.Entries = out.Entries[:limit]
	}
	return out
}

// FromExport makes drafts of what `sayso memory export --json` wrote. What was
// reviewed there is proposed here.
func FromExport(data []byte) (Drafted, error) {
	var in struct {
		Schema  string   `json:"schema"`
		Entries []Record `json:"entries"`
	}
	if err := json.Unmarshal(data, &in); err != nil {
		return Drafted{}, fmt.Errorf("not an export of sayso memory: %w", err)
	}
	if in.Schema != ExportSchema {
		return Drafted{}, fmt.Errorf("not an export of sayso memory: schema is %s, not %s", quote(in.Schema), ExportSchema)
	}
	var out Drafted
	for _, r := range in.Entries {
		if !ValidID(r.ID) || r.Stub {
			out.Left = append(out.Left, Left{Path: Line(r.RelPath), Reason: "no entry that can be read"})
			continue
		}
		out.Entries = append(out.Entries, r.entry())
	}
	return out, nil
}

// entry is the entry that a record was made of, as far as the record has it.
func (r Record) entry() Entry {
	text := func(s *string) string {
		if s == nil {
			return ""
		}
		return *s
	}
	e := Entry{
		ID: r.ID, Title: r.Title, Kind: r.Kind, ReviewState: r.ReviewState, Tags: r.Tags, SourceRefs: r.SourceRefs, Supersedes: text(r.Supersedes),
		Goal: r.Goal, Plan: r.Plan, Decisions: r.Decisions, FilesTouched: r.FilesTouched, NextSteps: r.NextSteps, Notes: r.Notes,
		RunID: text(r.RunID), Provider: text(r.Provider), Model: text(r.Model), Mode: text(r.Mode), Status: text(r.Status),
		Version: r.Version, PendingRevision: text(r.PendingRevision), MergedFrom: r.MergedFrom, LastDeltaSummary: text(r.LastDeltaSummary),
		AppliesTo: r.AppliesTo, Asserts: text(r.Asserts), Author: text(r.Author), StateReason: text(r.StateReason), StateDate: text(r.StateDate),
	}
	if d := Parse("x", []byte("---\nschemaVersion: 1\ndate: "+Line(text(r.DateISO))+"\n---\n")); d.Date != "" {
		e.Date = d.Date
	}
	return e
}

// Digest writes entries as one Markdown text, by kind, for people and for files
// that tell agents what holds. Text of entries cannot become markup of its own.
func Digest(entries []Entry) string {
	var b strings.Builder
	b.WriteString("# Project memory\n")
	for _, k := range Kinds {
		first := true
		for _, e := range entries {
			if e.Kind != k {
				continue
			}
			if first {
				fmt.Fprintf(&b, "\n## %s\n\n", k)
				first = false
			}
			fmt.Fprintf(&b, "- **%s** (%s)\n", markdownText(e.Title), e.ID)
			for _, d := range e.Decisions {
				if d != e.Title {
					fmt.Fprintf(&b, "  - %s\n", markdownText(d))
				}
			}
			if len(e.AppliesTo) > 0 {
				fmt.Fprintf(&b, "  - applies to: %s\n", markdownText(strings.Join(e.AppliesTo, ", ")))
			}
		}
	}
	return b.String()
}

// markdownText is text that Markdown shows as it is: its marks are escaped, and a
// mention is no mention.
func markdownText(s string) string {
	var b strings.Builder
	for i, r := range Line(s) {
		switch {
		case r == '@':
			b.WriteString("&#64;")
			continue
		case strings.ContainsRune("\\`*_{}[]<>#|~&!$", r), i == 0 && strings.ContainsRune("-+=", r):
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

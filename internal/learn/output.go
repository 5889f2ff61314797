package learn

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/saysolint/sayso/memory"
)

// Schema is the name and version of [Output].
const Schema = "sayso.learn/v1"

// Output is what `sayso learn --json` writes and `sayso publish --drafts` reads.
type Output struct {
	Schema   string   `json:"schema"`   // name and version of this shape
	Coverage Coverage `json:"coverage"` // how much was looked at
	Drafts   []Record `json:"drafts"`   // in the order of the commits, explicit marks first
	Left     []Left   `json:"left"`     // marks that no draft was made of
}

// Coverage is how much was looked at of what was asked for.
type Coverage struct {
	Complete bool     `json:"complete"` // all that was asked for was read and judged
	Commits  int      `json:"commits"`  // that were asked for; 1 for what is staged
	Read     int      `json:"read"`     // of these, whose changes were read
	Merges   int      `json:"merges"`   // of these, merges, whose messages alone were read
	Failed   []string `json:"failed"`   // commits that could not be read, each with the reason
	Notes    bool     `json:"notes"`    // comments in the code were looked at
	Entries  int      `json:"entries"`  // of the store that the drafts were compared with
}

// Record is a draft as JSON has it.
type Record struct {
	ID         string               `json:"id"`                // of the entry, the same each time that it is drafted
	Suggestion bool                 `json:"suggestion"`        // nobody marked it: it looks like something to learn
	Mark       Mark                 `json:"mark"`              // what it was made of
	Quote      string               `json:"quote"`             // the words that it was made of
	Commit     string               `json:"commit,omitempty"`  // that it comes from; empty for what is staged and for a pull request
	Request    string               `json:"request,omitempty"` // the pull request that it comes from
	Path       string               `json:"path,omitempty"`    // file that the mark is in; empty where it is in the message or text
	Line       int                  `json:"line,omitempty"`    // of the mark in that file, message or text, from 1
	Entry      memory.Record        `json:"entry"`             // the proposed entry
	File       string               `json:"file"`              // the same as the file that it becomes
	Ruling     *Ruling              `json:"ruling"`            // what the agreement engine says of its words; null where it was not asked
	Held       string               `json:"held,omitempty"`    // why it is not accepted together with others
	Near       []Neighbour          `json:"near"`              // entries and drafts that say the same, or the opposite
	Known      *Known               `json:"known"`             // the entry that the store has of the same mark; null for none
	Masked     []memory.SecretFound `json:"masked"`            // secrets that were masked
	Warnings   []string             `json:"warnings"`          // what deserves a look
	Accepted   *Accepted            `json:"accepted"`          // who accepted it; null: nobody yet. sayso learn never fills it in
}

// Accepted is who accepted a draft.
type Accepted struct {
	By     string `json:"by"`               // name
	At     string `json:"at,omitempty"`     // RFC 3339; empty: when it is published
	Reason string `json:"reason,omitempty"` // why
}

// Record is the draft as JSON has it.
func (d *Draft) Record() Record {
	r := Record{
		ID: d.Entry.ID, Suggestion: !d.Mark.Explicit(), Mark: d.Mark, Quote: d.Quote, Commit: d.Commit, Request: d.Request, Path: d.Path, Line: d.Line,
		Entry: d.Entry.Record(), File: string(d.File), Ruling: d.Ruling, Held: d.Held, Near: d.Near, Known: d.Known, Masked: d.Masked, Warnings: d.Warnings,
	}
	if r.Near == nil {
		r.Near = []Neighbour{}
	}
	if r.Masked == nil {
		r.Masked = []memory.SecretFound{}
	}
	if r.Warnings == nil {
		r.Warnings = []string{}
	}
	return r
}

// ErrNotDrafts is a file that sayso learn did not write.
var ErrNotDrafts = errors.New("not the output of sayso learn --json")

// Read reads what `sayso learn --json` wrote, perhaps with drafts accepted in it.
func Read(data []byte) (Output, error) {
	var out Output
	if err := json.Unmarshal(data, &out); err != nil {
		return out, fmt.Errorf("%w: %s", ErrNotDrafts, memory.Line(err.Error()))
	}
	if out.Schema != Schema {
		return out, fmt.Errorf("%w: its schema is %.40q, not %s", ErrNotDrafts, out.Schema, Schema)
	}
	for _, r := range out.Drafts {
		if e := memory.Parse(r.ID, []byte(r.File)); !memory.ValidID(r.ID) || !e.Readable() || e.ReviewState != memory.Proposed {
			return out, fmt.Errorf("%w: draft %.60q is no proposed entry", ErrNotDrafts, r.ID)
		}
	}
	return out, nil
}

// Arrival is a draft for a store: accepted by who is named in it, else by by where that
// is not nil, else proposed.
func (r *Record) Arrival(by *memory.Review) (memory.Arrival, error) {
	a := memory.Arrival{ID: r.ID, Raw: []byte(r.File), Base: []byte(r.File)}
	review := by
	if r.Accepted != nil {
		own := memory.Review{By: r.Accepted.By, Reason: r.Accepted.Reason}
		if by != nil {
			own.At = by.At
		}
		if at, err := time.Parse(time.RFC3339, r.Accepted.At); err == nil {
			own.At = at
		} else if r.Accepted.At != "" {
			return a, fmt.Errorf("draft %s: accepted.at is no RFC 3339 time", r.ID)
		}
		review = &own
	}
	if review == nil {
		return a, nil
	}
	raw, err := memory.AcceptedFile(a.ID, a.Raw, *review)
	a.Raw = raw
	return a, err
}

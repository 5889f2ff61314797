package memory

import (
	"encoding/json"
	"slices"
)

// SchemaVersion is the version of the entry format that this package writes.
// A file that declares another one is an inert stub: listed, never interpreted.
const SchemaVersion = 1

// Kind says what sort of knowledge an entry is.
type Kind string

const (
	KindRun        Kind = "run"
	KindHandoff    Kind = "handoff" // where a file says nothing
	KindDecision   Kind = "decision"
	KindConvention Kind = "convention"
	KindFact       Kind = "fact"
	KindFailure    Kind = "failure"
	KindPattern    Kind = "pattern"
)

// Kinds are all kinds, in the order of the documentation.
var Kinds = []Kind{KindRun, KindHandoff, KindDecision, KindConvention, KindFact, KindFailure, KindPattern}

// State says how far an entry has come in its review.
type State string

const (
	Proposed   State = "proposed"   // written down, believed by nobody yet; where a file says nothing
	Reviewed   State = "reviewed"   // a person stands behind it
	Superseded State = "superseded" // a later reviewed entry took its place
	Stale      State = "stale"      // no longer true, rejected, or not readable without doubt
)

// States are all states, in the order of the life of an entry.
var States = []State{Proposed, Reviewed, Superseded, Stale}

// Modes are the values of the mode key: how the run that left the entry was held.
var Modes = []string{"chat", "plan", "goal"}

// SourceTypes are what a [SourceRef] can point at.
var SourceTypes = []string{"run", "transcript", "commit", "file"}

// Limits of an entry. They are enforced when an entry is written and reported
// by [Lint] when a file that somebody else wrote breaks them.
const (
	MaxIDBytes    = 180
	MaxTitle      = 240 // characters
	MaxTags       = 32
	MaxTag        = 80 // characters
	MaxSourceRefs = 64
	MaxFileBytes  = 1 << 20 // a larger file is a stub
)

// SourceRef is where an entry comes from.
type SourceRef struct {
	Type      string `json:"sourceType"`          // run, transcript, commit or file
	ID        string `json:"id"`                  // name of the run or transcript, hash of the commit, content hash or revision of the file; never empty
	Label     string `json:"label,omitempty"`     // for people
	Path      string `json:"path,omitempty"`      // from the top of the repository, with forward slashes
	LineStart int    `json:"lineStart,omitempty"` // first line, from 1; 0 for none
	LineEnd   int    `json:"lineEnd,omitempty"`   // last line, from 1; 0 for none
}

// Entry is one piece of project memory as it was read from one file. It is a
// value: nothing in it leads back to the disk, and its paths are relative.
//
// ReviewState is the state after every rule of reading was applied: a file
// that says "reviewed" and has a fatal fault reads as stale. Whether a reviewed
// entry still holds also depends on the entries around it: ask [Set.Active].
type Entry struct {
	ID      string // file name without .md: [A-Za-z0-9_-], at most 180 bytes
	RelPath string // from the top of the repository (or of the space), with forward slashes

	SchemaVersion int    // 1; 0 where the file does not say; for stubs what it says, 2 where that is no number
	Date          string // as RFC 3339 in UTC, "" for none
	CreatedAtMs   int64  // Date in milliseconds since 1970; else the time in the id; else 0
	Title         string // never empty: the id where the file has none
	Kind          Kind
	ReviewState   State
	Tags          []string
	SourceRefs    []SourceRef
	Supersedes    string // id of the entry that this one takes the place of, "" for none

	RunID, Provider, Model, Mode, Status string // of the run that left the entry, "" for none

	Version          int      // which version of its subject this is, from 1
	PendingRevision  string   // id of the entry that this one proposes to revise, "" for none
	MergedFrom       []string // ids of the entries that were merged into this one
	LastDeltaSummary string   // what this version changed, "" for none
	AppliesTo        []string // path globs (config.Match's grammar) of what the entry is about; empty: everything
	// Asserts is the assertion list exactly as the file has it, from the line of
	// the key "asserts:" to the last line of its value; "" for none. It is a YAML
	// document of its own. AssertsLine is the line of the key in the file.
	Asserts     string
	AssertsLine int

	Author, Reviewer string // who wrote it down and who accepted it, "" where the file does not say
	StateReason      string // why the state is what it is, "" for none
	StateDate        string // the day it became so, YYYY-MM-DD, "" for none

	Goal         string   // one paragraph
	Plan         []string // one item a bullet, as the rest
	Decisions    []string
	FilesTouched []string // paths from the top of the repository
	NextSteps    []string
	Notes        string // Markdown; also holds what stands under no known heading

	Hash   string  // SHA-256 of the file, hexadecimal
	Stub   bool    // the file is not interpreted: another version of the format, or too large
	Faults []Fault // what is wrong with the file, in order of line
}

// Fault is one thing that is wrong with a file.
type Fault struct {
	Line  int    // from 1; 0 where the fault is not at one line
	Rule  string // id of the rule, see Rules
	Text  string // one clause without control characters
	Fatal bool   // the entry cannot be reviewed as long as it is there
}

// Readable says whether nothing about the file casts doubt on what it says.
func (e *Entry) Readable() bool {
	return !e.Stub && !slices.ContainsFunc(e.Faults, func(f Fault) bool { return f.Fatal })
}

// Clone is a copy that shares no memory with e.
func (e Entry) Clone() Entry {
	e.Tags, e.SourceRefs, e.MergedFrom = slices.Clone(e.Tags), slices.Clone(e.SourceRefs), slices.Clone(e.MergedFrom)
	e.AppliesTo, e.Plan, e.Decisions = slices.Clone(e.AppliesTo), slices.Clone(e.Plan), slices.Clone(e.Decisions)
	e.FilesTouched, e.NextSteps, e.Faults = slices.Clone(e.FilesTouched), slices.Clone(e.NextSteps), slices.Clone(e.Faults)
	return e
}

// Record is an entry as JSON has it: every field of version 1 of the format is
// there, and none that names a place on the machine it was made on.
type Record struct {
	SchemaVersion int         `json:"schemaVersion"` // version of the entry format that the file declares, 0 for none
	ID            string      `json:"id"`            // stable name of the entry: its file name without .md
	RelPath       string      `json:"relPath"`       // file of the entry, from the top of its repository or space
	CreatedAtMs   int64       `json:"createdAtMs"`   // when it was written down, in milliseconds since 1970; 0 where unknown
	DateISO       *string     `json:"dateIso"`       // the same as RFC 3339 in UTC; null where the file has no readable date
	Title         string      `json:"title"`         // one line
	Kind          Kind        `json:"kind"`          // what sort of knowledge it is
	ReviewState   State       `json:"reviewState"`   // how far it has come in its review, after every rule of reading
	Tags          []string    `json:"tags"`          // small hints for retrieval
	SourceRefs    []SourceRef `json:"sourceRefs"`    // where it comes from
	Supersedes    *string     `json:"supersedes"`    // id of the entry that this one takes the place of
	Goal          string      `json:"goal"`          // what was to be reached
	Plan          []string    `json:"plan"`          // steps that were planned
	Decisions     []string    `json:"decisions"`     // what was decided
	FilesTouched  []string    `json:"filesTouched"`  // paths from the top of the repository
	NextSteps     []string    `json:"nextSteps"`     // what is left to do
	Notes         string      `json:"notes"`         // Markdown
	RunID         *string     `json:"runId"`         // the run that left it
	Provider      *string     `json:"provider"`      // whose model ran
	Model         *string     `json:"model"`         // which model ran
	Mode          *string     `json:"mode"`          // how the run was held
	Status        *string     `json:"status"`        // how the run ended, or the status of an imported record

	Version          int      `json:"version"`          // which version of its subject it is, from 1
	PendingRevision  *string  `json:"pendingRevision"`  // id of the entry that it proposes to revise
	MergedFrom       []string `json:"mergedFrom"`       // ids of the entries that were merged into it
	LastDeltaSummary *string  `json:"lastDeltaSummary"` // what this version changed
	AppliesTo        []string `json:"appliesTo"`        // path globs of what it is about; empty: everything
	Asserts          *string  `json:"asserts"`          // the assertion list as the file has it, YAML
	Author           *string  `json:"author"`           // who wrote it down
	Reviewer         *string  `json:"reviewer"`         // who accepted it
	StateReason      *string  `json:"stateReason"`      // why its state is what it is
	StateDate        *string  `json:"stateDate"`        // the day it became so, YYYY-MM-DD
	Stub             bool     `json:"stub"`             // the file is not interpreted: another version of the format, or too large
}

// Record is e as JSON has it.
func (e Entry) Record() Record {
	return Record{
		SchemaVersion: e.SchemaVersion, ID: e.ID, RelPath: e.RelPath, CreatedAtMs: e.CreatedAtMs, DateISO: orNull(e.Date),
		Title: e.Title, Kind: e.Kind, ReviewState: e.ReviewState, Tags: list(e.Tags), SourceRefs: list(e.SourceRefs),
		Supersedes: orNull(e.Supersedes), Goal: e.Goal, Plan: list(e.Plan), Decisions: list(e.Decisions),
		FilesTouched: list(e.FilesTouched), NextSteps: list(e.NextSteps), Notes: e.Notes,
		RunID: orNull(e.RunID), Provider: orNull(e.Provider), Model: orNull(e.Model), Mode: orNull(e.Mode), Status: orNull(e.Status),
		Version: e.Version, PendingRevision: orNull(e.PendingRevision), MergedFrom: list(e.MergedFrom),
		LastDeltaSummary: orNull(e.LastDeltaSummary), AppliesTo: list(e.AppliesTo), Asserts: orNull(e.Asserts),
		Author: orNull(e.Author), Reviewer: orNull(e.Reviewer), StateReason: orNull(e.StateReason), StateDate: orNull(e.StateDate), Stub: e.Stub,
	}
}

// MarshalJSON writes e as its [Record].
func (e Entry) MarshalJSON() ([]byte, error) { return json.Marshal(e.Record()) }

func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// list makes nil an empty list, so that JSON never has null for it.
func list[T any](l []T) []T {
	if l == nil {
		return []T{}
	}
	return l
}

// ValidID says whether s can be the id of an entry: 1 to 180 of the characters
// A-Z a-z 0-9 _ and -. Such a name holds no separator and no dot, so it cannot
// lead out of its folder.
func ValidID(s string) bool {
	if s == "" || len(s) > MaxIDBytes {
		return false
	}
	for i := range len(s) {
		c := s[i]
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '_' && c != '-' {
			return false
		}
	}
	return true
}

package sweep

import "github.com/saysolint/sayso/memory"

// Schema names the shape of [Result].
const Schema = "sayso.sweep/v1"

// Result is what a sweep found. The same repository, revision, store and options
// give the same bytes.
type Result struct {
	Schema   string    `json:"schema"`   // name and version of this shape
	Revision string    `json:"revision"` // full hash of the commit that the entries were held against
	Space    string    `json:"space"`    // name of the store
	Folder   string    `json:"folder"`   // of the store, from the top of its repository or space
	Date     string    `json:"date"`     // day of the sweep, YYYY-MM-DD
	Since    string    `json:"since"`    // full hash that --since named; empty: everything was looked at
	Coverage Coverage  `json:"coverage"` // how much was looked at
	Anchors  Tally     `json:"anchors"`  // what became of the source references
	Checks   []Check   `json:"checks"`   // in the order of the manual
	Findings []Finding `json:"findings"` // by entry, check and place; findings before notes of one entry
}

// Coverage is how much of what should have been looked at was looked at.
type Coverage struct {
	State   string         `json:"state"`   // complete or partial
	Total   int            `json:"total"`   // entries of the store
	Swept   int            `json:"swept"`   // entries held against the revision
	Left    map[string]int `json:"left"`    // entries that were not, by reason
	Reasons []string       `json:"reasons"` // why the state is partial, one clause each; sorted
	Cursor  string         `json:"cursor"`  // id of the last entry that the budget reached: the next sweep goes on behind it; empty when all were reached
}

// Tally counts source references by what became of them.
type Tally struct {
	Total   int `json:"total"`   // references to commits and files in the entries that were swept
	Intact  int `json:"intact"`  // where they were
	Moved   int `json:"moved"`   // the same text, elsewhere
	Drifted int `json:"drifted"` // similar text
	Lost    int `json:"lost"`    // not found any more
	Unread  int `json:"unread"`  // what they cited could not be read
}

// Check is one way of looking at the entries, with its denominators.
type Check struct {
	ID       string   `json:"id"`       // stable name
	What     string   `json:"what"`     // what it asks, one clause
	Outcome  string   `json:"outcome"`  // clean, findings, partial (some of it could not be looked at) or not-run
	Of       int      `json:"of"`       // how many things there were to look at
	Looked   int      `json:"looked"`   // how many were looked at
	Unit     string   `json:"unit"`     // what these are: entries, references, names ...
	Findings int      `json:"findings"` // things that need a person
	Notes    int      `json:"notes"`    // things that do not
	Reasons  []string `json:"reasons"`  // why looked is below of, or why it was not run; sorted
}

// Levels of a [Finding].
const (
	LevelFinding = "finding" // a person should look: exit code 1
	LevelNote    = "note"    // worth knowing; never changes the exit code
)

// Finding is one thing that a check found.
type Finding struct {
	Check   string       `json:"check"`             // id of the check
	Level   string       `json:"level"`             // finding or note
	Entry   string       `json:"entry"`             // id of the entry
	RelPath string       `json:"relPath"`           // its file
	Title   string       `json:"title"`             // its title
	State   memory.State `json:"state"`             // its state among the others
	Text    string       `json:"text"`              // what was found, one clause
	Places  []Place      `json:"places,omitempty"`  // where to look, at most five
	Anchor  *Anchor      `json:"anchor,omitempty"`  // the source reference that it is about
	Others  []string     `json:"others,omitempty"`  // ids of other entries that it is about
	Action  string       `json:"action,omitempty"`  // what --apply would do: reanchor, stale, supersede; empty: nothing
	Advice  string       `json:"advice,omitempty"`  // the way out, one clause
	Line    int          `json:"line,omitempty"`    // of the file of the entry, from 1
	Percent int          `json:"percent,omitempty"` // similarity of near-duplicates, 1 to 100
}

// Place is a line of the tree that was swept.
type Place struct {
	Path string `json:"path"`           // from the top of the repository
	Line int    `json:"line,omitempty"` // from 1; left out for a whole file
	Text string `json:"text,omitempty"` // the line, cut to 200 characters
}

// States of an [Anchor].
const (
	Intact  = "intact"  // the same lines in the same place
	Moved   = "moved"   // the same lines elsewhere: in another place of the file, or in another file
	Drifted = "drifted" // similar lines
	Lost    = "lost"    // nothing similar
	Unread  = "unread"  // what it cited could not be read, see Reason
)

// Anchor is a source reference as the sweep found it.
type Anchor struct {
	Ref        memory.SourceRef `json:"ref"`                 // as the entry has it
	Base       string           `json:"base,omitempty"`      // full hash of the commit at which the reference was read
	State      string           `json:"state"`               // intact, moved, drifted, lost or unread
	Via        string           `json:"via,omitempty"`       // how it was found: same, exact, space (the same but for white space), fuzzy, patch (a commit with the same change)
	Similarity float64          `json:"similarity"`          // 0 to 1
	ID         string           `json:"id,omitempty"`        // of a commit: the reachable one with the same change
	Path       string           `json:"path,omitempty"`      // where it is now
	LineStart  int              `json:"lineStart,omitempty"` // first line, from 1; 0 for a whole file
	LineEnd    int              `json:"lineEnd,omitempty"`   // last line
	Copies     int              `json:"copies,omitempty"`    // further places that have the same lines, where nothing tells which is the one
	Words      []Span           `json:"words,omitempty"`     // what differs, by words; left out where it is too long
	Reason     string           `json:"reason,omitempty"`    // why it could not be read
}

// Exit is the exit code of a result: 1 for findings, else 3 where something was
// left out, else 0.
func (r *Result) Exit() int {
	switch {
	case r.FindingCount() > 0:
		return 1
	case r.Coverage.State != "complete":
		return 3
	}
	return 0
}

// FindingCount is how many findings need a person.
func (r *Result) FindingCount() int {
	n := 0
	for _, f := range r.Findings {
		if f.Level == LevelFinding {
			n++
		}
	}
	return n
}

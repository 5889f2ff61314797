package change

import "github.com/saysolint/sayso/internal/lang"

// Change is what one commit, one staged index or one base..head range did.
type Change struct {
	ID      string   `json:"id"`                // full commit hash, "staged", "worktree", or "<base>..<head>"
	Commit  string   `json:"commit,omitempty"`  // the commit, where it is one
	Base    string   `json:"base"`              // full hash of the commit it was compared with; "" for the empty tree
	Parents []string `json:"parents,omitempty"` // of Commit
	Files   []File   `json:"files"`             // sorted by Path
	Gaps    []Gap    `json:"gaps,omitempty"`    // what could not be read
}

// Gap is one thing that could not be read, and why.
type Gap struct {
	Path   string `json:"path,omitempty"` // "" when it is the whole change
	Reason Reason `json:"reason"`
	Detail string `json:"detail,omitempty"` // one plain clause for people
}

// Reason is why something was not read.
type Reason string

const (
	ReasonMissing   Reason = "missing" // the blob or tree is not in this store (partial clone, shallow boundary)
	ReasonCorrupt   Reason = "corrupt"
	ReasonBinary    Reason = "binary"
	ReasonOversized Reason = "oversized" // larger than the cap for one file
	ReasonCapped    Reason = "capped"    // the change as a whole is larger than the cap
	ReasonLFS       Reason = "lfs"       // an LFS pointer: the content is elsewhere
	ReasonSubmodule Reason = "submodule" // a gitlink: the content is another repository's
	ReasonRedacted  Reason = "redacted"  // REDACTED stands where text was
	ReasonParent    Reason = "parent"    // the parent commit is missing: shallow boundary
	ReasonMerge     Reason = "merge"     // a merge commit: not judged
)

// File is what the change did to one file.
type File struct {
	Path    string `json:"path"`               // the new path; the old one for a deletion
	OldPath string `json:"old_path,omitempty"` // only for a rename or copy
	Status  Status `json:"status"`
	Score   int    `json:"score,omitempty"` // similarity of a rename or copy, 0..100
	OldMode string `json:"old_mode,omitempty"`
	NewMode string `json:"new_mode,omitempty"`
	OldBlob string `json:"old_blob,omitempty"`
	NewBlob string `json:"new_blob,omitempty"`

	Kind     lang.Kind `json:"kind"`
	Language string    `json:"language,omitempty"`

	// Unread is "" when the lines below are the whole truth.
	Unread Reason `json:"unread,omitempty"`

	Added, Removed int    // line counts, whole
	Hunks          []Hunk // with up to three lines of context

	// Old and New are the whole images where they were read and small enough
	// (nil otherwise, also for an added or deleted side). ImagesRead tells nil apart.
	Old, New   []byte `json:"-"`
	ImagesRead bool   `json:"-"`

	// OldDefs and NewDefs are the definitions of both images, in line order.
	OldDefs, NewDefs []lang.Def `json:"-"`
}

// Status is git's status letter.
type Status byte

const (
	Added      Status = 'A'
	Deleted    Status = 'D'
	Modified   Status = 'M'
	Renamed    Status = 'R'
	Copied     Status = 'C'
	TypeChange Status = 'T'
)

// Hunk is a run of changed lines with context around it.
type Hunk struct {
	OldStart, NewStart int // line numbers of the first line on each side, from 1
	Lines              []Line
}

// Line is one line of a hunk.
type Line struct {
	Op       byte   // '+', '-' or ' '
	Old, New int    // line numbers from 1, 0 where the side does not have the line
	Text     string // without the line end; a trailing CR is kept
	Class    lang.LineClass
}

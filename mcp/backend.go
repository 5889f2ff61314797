package mcp

import (
	"context"
	"encoding/json"

	"github.com/saysolint/sayso/memory"
	"github.com/saysolint/sayso/memory/search"
	"github.com/saysolint/sayso/recall"
)

// Backend is the repository that a server speaks for. Several calls run at once.
// Each ends when its context does. What it gives out may be at most a second old.
// Space "" is the repository's own memory; one that is not configured is an error.
type Backend interface {
	// Search finds entries of the repository's own memory.
	Search(ctx context.Context, in search.SearchInput) (search.SearchResult, error)
	// Read is one entry, whole. No such entry is memory.ErrNoEntry, one that does not
	// hold is search.ErrInactive unless it was asked for.
	Read(ctx context.Context, space string, in search.ReadInput) (search.ReadResult, error)
	// Recall answers a question out of entries, commits and transcripts.
	Recall(ctx context.Context, space string, q recall.Question) (*recall.Answer, error)
	// Spaces are the memories that there are.
	Spaces(ctx context.Context) (Spaces, error)
	// Brief sums a memory up within a budget of tokens.
	Brief(ctx context.Context, space string, tokens int) (*recall.Brief, error)
	// Propose writes a draft down as a proposed entry.
	Propose(ctx context.Context, space string, draft memory.Entry) (memory.ReceiptOutput, error)
	// CheckMessage holds a message against the staged change and gives a report in the
	// shape sayso.report/v1.
	CheckMessage(ctx context.Context, message string) (json.RawMessage, error)
	// Holding are the entries of the repository's own memory that hold, the newest first,
	// at most limit.
	Holding(ctx context.Context, limit int) ([]search.Held, error)
}

// SpacesSchema names the shape of Spaces.
const SpacesSchema = "sayso.spaces/v1"

// Spaces is what list_spaces answers.
type Spaces struct {
	Schema string  `json:"schema"` // name and version of this shape
	Spaces []Space `json:"spaces"` // the repository's own first, then by name; never null
}

// Space is one memory.
type Space struct {
	Name     string `json:"name"`           // what the argument space takes
	Own      bool   `json:"own"`            // the repository's own, used where no space is named
	ReadOnly bool   `json:"readOnly"`       // another program keeps it: nothing can be proposed
	Entries  int    `json:"entries"`        // entries of the store
	InForce  int    `json:"inForce"`        // of them, those that hold
	Note     string `json:"note,omitempty"` // what is wrong with it, or to be known of it
}

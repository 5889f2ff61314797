package search

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/saysolint/sayso/memory"
)

// Bounds of the contract.
const (
	DefaultResults = 5
	MaxResults     = 20
	MaxExcerpt     = 240 // characters
	MaxQueryWords  = 256 // different words of one question
	MaxQueryBytes  = 1 << 16
	MaxPhrasings   = 8
)

// Errors of what was asked for.
var (
	ErrQuery    = errors.New("query is required: a word with a letter or a digit")
	ErrLong     = fmt.Errorf("the query is too long: at most %d different words and %d bytes", MaxQueryWords, MaxQueryBytes)
	ErrMany     = fmt.Errorf("too many phrasings: at most %d besides the query", MaxPhrasings)
	ErrInactive = errors.New("it does not hold any more, or not yet: ask for inactive entries to read it as historical evidence")
)

// SearchInput is what memory_search takes.
type SearchInput struct {
	Query           string        `json:"query"`                     // words that must all stand in the same entry
	Kinds           []memory.Kind `json:"kinds,omitempty"`           // only entries of these kinds; empty: all
	MaxResults      *int          `json:"maxResults,omitempty"`      // at most so many hits, 1 to 20, 5 where it is left out; what is outside is brought inside
	IncludeInactive bool          `json:"includeInactive,omitempty"` // also entries that do not hold: proposed, superseded, stale
}

// ReadInput is what memory_read takes.
type ReadInput struct {
	MemoryID        string `json:"memoryId"`                  // id of the entry
	IncludeInactive bool   `json:"includeInactive,omitempty"` // also an entry that does not hold
}

// ParseSearchInput reads the JSON of a [SearchInput] strictly: unknown fields,
// unknown or repeated kinds and a query without a word are errors.
func ParseSearchInput(data []byte) (SearchInput, error) {
	var in SearchInput
	if err := strict(data, &in); err != nil {
		return in, err
	}
	return in, in.Request().valid()
}

// ParseReadInput reads the JSON of a [ReadInput] strictly.
func ParseReadInput(data []byte) (ReadInput, error) {
	var in ReadInput
	if err := strict(data, &in); err != nil {
		return in, err
	}
	if !memory.ValidID(in.MemoryID) {
		return in, memory.ErrBadID
	}
	return in, nil
}

func strict(data []byte, to any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(to); err != nil {
		return fmt.Errorf("input: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("input: more than one value")
	}
	return nil
}

// Request is in as a [Request].
func (in SearchInput) Request() Request {
	r := Request{Query: in.Query, Kinds: in.Kinds, Limit: DefaultResults, IncludeInactive: in.IncludeInactive}
	if in.MaxResults != nil {
		r.Limit = min(max(*in.MaxResults, 1), MaxResults)
	}
	return r
}

// Mode is how the words of a query are held against entries.
type Mode string

const (
	// ModeAll wants every word in the same entry and ranks by the fields that they stand in.
	ModeAll Mode = "all"
	// ModeBest takes entries with any of the words and ranks by BM25F and by how
	// much of the query they cover.
	ModeBest Mode = "best"
	// ModeExpanded ranks several phrasings as ModeBest does and fuses the ranks.
	ModeExpanded Mode = "expanded"
)

// Modes are all modes.
var Modes = []Mode{ModeAll, ModeBest, ModeExpanded}

// Request is a search of one store.
type Request struct {
	Query           string
	More            []string // other phrasings of the same question, for ModeExpanded
	Kinds           []memory.Kind
	Limit           int // 1 to MaxResults, brought inside; 0 is DefaultResults
	IncludeInactive bool
	Mode            Mode // "" is ModeAll
	// Expand and Rerank turn the engine's own help for ModeBest and ModeExpanded on
	// or off; nil is the measured default.
	Expand, Rerank *bool
	Explain        bool // say how each hit came about
}

func (r Request) valid() error {
	if len(r.Query) > MaxQueryBytes {
		return ErrLong
	}
	if len(r.More) > MaxPhrasings {
		return ErrMany
	}
	for i, k := range r.Kinds {
		if !slices.Contains(memory.Kinds, k) {
			return fmt.Errorf("unknown kind %.40q", k)
		}
		if slices.Contains(r.Kinds[:i], k) {
			return fmt.Errorf("kind %s is named twice", k)
		}
	}
	if r.Mode != "" && !slices.Contains(Modes, r.Mode) {
		return fmt.Errorf("unknown mode %.40q", r.Mode)
	}
	for _, q := range append([]string{r.Query}, r.More...) {
		n := 0
		seen := map[string]bool{}
		if len(q) > MaxQueryBytes {
			return ErrLong
		}
		new(tokenizer).each(q, func(t token) {
			n++
			if len(seen) <= MaxQueryWords {
				seen[t.text] = true
			}
		})
		if n == 0 {
			return ErrQuery
		}
		if len(seen) > MaxQueryWords {
			return ErrLong
		}
	}
	return nil
}

// Hit is an entry that was found.
type Hit struct {
	Entry         memory.Record `json:"entry"`             // as its file has it
	Score         int           `json:"score"`             // the higher the better, comparable within one result only
	MatchedFields []string      `json:"matchedFields"`     // fields in which words of the query stand, sorted
	Excerpt       string        `json:"excerpt"`           // the passage around the match, one line, at most 240 characters
	Marker        string        `json:"marker,omitempty"`  // of an entry that does not hold: why, as one line in brackets
	Explain       *Explanation  `json:"explain,omitempty"` // how the hit came about, where that was asked for
}

// Explanation says how a hit came about.
type Explanation struct {
	Words    []WordMatch `json:"words"`              // the words of the query that it has
	Missing  []string    `json:"missing"`            // the words that it has not
	Ranks    []int       `json:"ranks,omitempty"`    // its rank for each phrasing, from 1; 0: not found by it
	Reranked float64     `json:"reranked,omitempty"` // factor by which the rerank changed its score
}

// WordMatch is one word of the query in one entry.
type WordMatch struct {
	Word   string   `json:"word"`   // as it was asked
	By     string   `json:"by"`     // what of it was found: word, stem, parts, or the related word
	Fields []string `json:"fields"` // where, sorted
	Score  float64  `json:"score"`  // what it is worth
}

// Coverage says how much of the store a result speaks of.
type Coverage struct {
	Entries  int    `json:"entries"`  // entries of the store
	Searched int    `json:"searched"` // entries that were looked at: those that hold, and of the kinds that were asked for
	Inactive int    `json:"inactive"` // entries that were left out because they do not hold
	Matched  int    `json:"matched"`  // entries that match
	Returned int    `json:"returned"` // hits of this result
	Skipped  int    `json:"skipped"`  // files of the store that are no entries, or could not be read
	Note     string `json:"note"`     // the same as one line
}

func (c *Coverage) note() {
	parts := []string{fmt.Sprintf("searched %d of %d entries", c.Searched, c.Entries)}
	if c.Inactive > 0 {
		parts = append(parts, fmt.Sprintf("%d do not hold", c.Inactive))
	}
	if c.Returned < c.Matched {
		parts = append(parts, fmt.Sprintf("showing %d of %d matches", c.Returned, c.Matched))
	}
	if c.Skipped > 0 {
		parts = append(parts, fmt.Sprintf("%d files are no entries", c.Skipped))
	}
	c.Note = strings.Join(parts, ", ")
}

// SearchResult is what memory_search answers.
type SearchResult struct {
	Query    string   `json:"query"`    // as it was asked
	Hits     []Hit    `json:"hits"`     // the best first
	Coverage Coverage `json:"coverage"` // how much was looked at
}

// ReadResult is what memory_read answers.
type ReadResult struct {
	Text   string        `json:"text"`             // the file as it is; behind its marker where the entry does not hold
	Entry  memory.Record `json:"entry"`            // the same, parsed
	Active bool          `json:"active"`           // it holds
	Marker string        `json:"marker,omitempty"` // why it does not
}

// marker says of an entry why it is only evidence of the past.
func marker(state memory.State, hiddenBy string) string {
	switch {
	case hiddenBy != "":
		return "[historical evidence: superseded by " + hiddenBy + "]"
	case state == memory.Proposed:
		return "[historical evidence: proposed, not reviewed]"
	}
	return "[historical evidence: " + string(state) + "]"
}

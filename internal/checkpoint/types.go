package checkpoint

import (
	"errors"
	"time"
)

// Errors of Load; test with errors.Is. Each comes with the file and the way out.
var (
	ErrNoIndex    = errors.New("nothing has been ingested")
	ErrNoCoverage = errors.New("the index has no coverage record")
	ErrDamaged    = errors.New("the index is damaged")
	ErrVersion    = errors.New("the index is of another version")
)

// Entire is the source of records that come from Entire's own checkpoints.
const Entire = "entire"

// Fields that a record can lack (Record.Missing, Coverage.Missing).
const (
	MissingCheckpoint = "checkpoint" // no branch holds the checkpoint: all but the commit is missing
	MissingMetadata   = "metadata"   // who, when and what it cost, of at least one session
	MissingTranscript = "transcript" // the transcript of at least one session, or its part
	MissingPrompt     = "prompt"     // the prompts of at least one session
	MissingFiles      = "files"      // the files that a commit changed
	MissingCommit     = "commit"     // a commit that another tool's record names
)

// Index is everything that was ingested.
type Index struct {
	Records  []Record // by Created, then ID, then Source
	Turns    []Turn   // by record, then Order
	Coverage Coverage // of all sources together
	Sources  []Source // by name

	entire *inputs // what Entire's part was made of, nil where there is none
}

// Source is one origin of records.
type Source struct {
	Name     string   // "entire", or what a JSON document calls itself
	Scope    string   // "branch" or "all" for Entire, "" for others
	Head     string   // full hash of the commit that the walk began at, "" for others
	Refs     []string // what Refs gave when it was ingested, for Entire
	Coverage Coverage
}

// Record is the ledger of one checkpoint.
type Record struct {
	ID       string
	Source   string
	Commits  []Commit  // that name it, oldest first; empty only for other tools' records
	Branch   string    // where it was made, "" where the checkpoint does not say
	Agents   []string  // such as "Claude Code", sorted, each once
	Sessions []string  // their identifiers, in the checkpoint's order
	Strategy string    // how it was made, in the maker's word
	Created  time.Time // UTC; of the newest session, else of the oldest commit
	Files    []string  // touched according to the checkpoint, from the root, sorted
	Tokens   Tokens
	Missing  []string // the Missing constants that apply, sorted
}

// Complete says that nothing of the record is missing.
func (r *Record) Complete() bool { return len(r.Missing) == 0 }

// Tokens is what a checkpoint cost.
type Tokens struct {
	Input      int64 `json:"input"`      // new input tokens
	CacheWrite int64 `json:"cacheWrite"` // input tokens written to a cache
	CacheRead  int64 `json:"cacheRead"`  // input tokens read from a cache
	Output     int64 `json:"output"`     // output tokens
	Calls      int64 `json:"calls"`      // calls of the model
}

func (t *Tokens) add(o Tokens) {
	t.Input += o.Input
	t.CacheWrite += o.CacheWrite
	t.CacheRead += o.CacheRead
	t.Output += o.Output
	t.Calls += o.Calls
}

// Commit is one commit that names a checkpoint.
type Commit struct {
	Hash        string // full
	Author      string // name
	Email       string
	Authored    time.Time // UTC, to the second
	Committed   time.Time // UTC, to the second
	Message     string    // whole, at most 64 KiB, secrets masked
	Files       []string  // that it changed against its first parent, from the root, sorted
	FilesGone   bool      // the files could not be read
	MessageCut  bool
	SecretsGone int // secrets masked in Message
}

// Tier is whose word a turn is.
type Tier string

const (
	Intent Tier = "intent" // a person's prompt
	Chat   Tier = "chat"   // an assistant's assertion
)

// Turn is one thing that was said on the way to a checkpoint.
type Turn struct {
	Record   int // of the checkpoint, in Index.Records
	Order    int // in the checkpoint, from 1
	Tier     Tier
	Text     string    // UTF-8, at most 32 KiB, secrets masked; never empty
	Time     time.Time // UTC; zero where the transcript does not say
	Session  string    // identifier, one of Record.Sessions, or ""
	Exchange int       // number of the prompt in its session that it is or answers, from 1; 0 before the first
	Last     bool      // the assistant's last word in its exchange
	Summary  bool      // written about the session afterwards, not said in it
	Place    string    // where it stands: "ab/cdef012345/0/full.jsonl:17", "….json#3" for other tools
	Files    []string  // that were changed right after it, from the root, sorted
	Redacted int       // times that the maker of the checkpoint put REDACTED in its text
	Masked   int       // secrets that were masked when it was ingested
	Cut      bool      // the text was longer: its end was left out
}

// Coverage says how much of what was asked for was there. A zero Coverage is none.
type Coverage struct {
	Complete        bool `json:"complete"`        // nothing is missing and no bound was hit
	WithTranscripts bool `json:"withTranscripts"` // transcripts were asked for

	Commits     int `json:"commits"`     // commits that were walked
	Trailers    int `json:"trailers"`    // checkpoint trailers found on them
	Unnamed     int `json:"unnamed"`     // checkpoints in the branches that no walked commit names; not ingested
	Checkpoints int `json:"checkpoints"` // records: distinct checkpoints that trailers, or another tool's document, name
	Whole       int `json:"whole"`       // records that lack nothing
	Partial     int `json:"partial"`     // records that lack something

	Missing map[string]int `json:"missing"` // for each field how many records lack it

	Sessions    int         `json:"sessions"`    // sessions in the checkpoints
	Transcripts Transcripts `json:"transcripts"` // transcripts of the sessions, by what became of them
	Lines       int         `json:"lines"`       // lines of transcripts that were read
	Skipped     int         `json:"skipped"`     // of them, those that were malformed or too long

	Intent   int `json:"intent"`   // prompts of persons
	Chat     int `json:"chat"`     // assertions of assistants
	Repeats  int `json:"repeats"`  // turns left out because an earlier checkpoint of the session has them
	Redacted int `json:"redacted"` // turns with text that was redacted before
	Masked   int `json:"masked"`   // secrets masked on the way in

	Shallow bool  `json:"shallow"` // the history ends at the boundary of a shallow clone
	Caps    []Cap `json:"caps"`    // bounds that were hit
}

// Transcripts counts transcripts by what became of them.
type Transcripts struct {
	Opened     int `json:"opened"`     // opened and read
	NotAsked   int `json:"notAsked"`   // left alone, because transcripts were not asked for
	Absent     int `json:"absent"`     // sessions without one
	Gone       int `json:"gone"`       // named by the tree, and the object is not in the store
	Unreadable int `json:"unreadable"` // damaged, over the size limit, or of no shape that is known
}

// Cap is a bound that was hit.
type Cap struct {
	Name  string `json:"name"`  // commits, transcript-bytes, transcript-lines, messages, text-bytes
	Limit int    `json:"limit"` // the bound
	Hits  int    `json:"hits"`  // how many things were left out or cut for it
}

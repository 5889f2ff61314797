package recall

import "time"

// Tier is whose word a hit is, as it is printed.
type Tier string

const (
	Reviewed Tier = "REVIEWED" // a memory entry that a person accepted and that holds
	Ledger   Tier = "LEDGER"   // the record of a commit
	Intent   Tier = "INTENT"   // what a person asked an agent for
	Chat     Tier = "CHAT"     // what an assistant asserted
)

// Tiers are all tiers, the most trusted first.
var Tiers = []Tier{Reviewed, Ledger, Intent, Chat}

// Kind is what a hit is made of.
type Kind string

const (
	KindEntry  Kind = "entry"
	KindCommit Kind = "commit"
	KindTurn   Kind = "turn" // of a transcript
)

// Kinds are all kinds.
var Kinds = []Kind{KindEntry, KindCommit, KindTurn}

// Document is one thing that can be found. All of it is text from outside: it is
// valid UTF-8 with its secrets masked, and hostile otherwise.
type Document struct {
	Kind Kind
	Tier Tier
	ID   string    // entry: its id; commit: its full hash; turn: "source:checkpoint#order"
	Sub  string    // entry: its kind in the memory; turn: name of the source
	Head string    // entry: title; commit: subject
	Body string    // entry: goal, decisions and notes; commit: the rest of the message; turn: what was said
	When time.Time // UTC; zero where it is not known

	Commit     string   // full hash that it sits on, "" for none
	Subject    string   // of that commit, "" where it is not known
	Checkpoint string   // id of the checkpoint, "" for none
	Place      string   // where it stands: file of an entry, place in a transcript
	Paths      []string // files that it touched or speaks of, from the root, sorted
	Globs      []string // entry: what it applies to
	Links      []string // entry: ids of the entries that it took the place of
	Partial    []string // what is missing of it, sorted; empty: it is whole
	Tag        string   // entry: its revision line, "" for none
	Reviewer   string   // entry: who accepted it, "" where it does not say
	Pending    bool     // entry: what the work tree has of it has not landed; never in a kept index
}

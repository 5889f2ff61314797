package claim

// Claim is one checkable statement that a change makes about itself.
type Claim struct {
	Text  string `json:"text"` // the words that make it, cut from the source
	Kind  Kind   `json:"kind"`
	Place Place  `json:"place"`
	Tier  Tier   `json:"tier,omitempty"`

	Detail `json:"-"`
}

// Detail is what the grammar found out about a claim, for the check that owns its kind.
type Detail struct {
	Start, End int      // bytes in the source text
	Statement  int      // index into Message.Statements
	Clause     int      // index into its Clauses, -1 where the claim is not of one clause
	Standing   Standing // of the statement
	InHeader   bool     // stands in the type, scope or prefix of the header
	Candidate  bool     // a claim only if the repository knows the name: dropped otherwise

	Verb     Verb   // of the clause
	VerbWord string // as written, lower case
	Relation Relation
	Head     bool   // the name ends its noun phrase: "add `f`", "add the `f` function", not "add `f` support"
	Name     string // path, last part of an identifier, component, type, object name
	Whole    string // the name with its qualifiers, as written
	Shape    Shape  // of an identifier
	From, To string // versions, numbers, or both names of a rename
	Count    int
	Unit     string  // files, tests, version, number
	Class    Class   // of a scope statement
	Targets  []Token // of a scope statement
	Object   []Token // what the verb of an action is about
	Mixed    bool    // an action whose clause also speaks the other way: judged leniently
}

// Relation is how a name stands to the verb of its clause.
type Relation uint8

// Relations, closest first.
const (
	Object   Relation = iota // what the verb is about
	Location                 // in, inside, within, under, on, at
	Of                       // of, for
	Toward                   // to, into
	Origin                   // from
	Means                    // use, call: what the change is made with, right behind the word
	External                 // with, by, via, like, not, when: the world
)

// Shape is what makes a word an identifier.
type Shape uint8

// Shapes, weakest first.
const (
	NoShape Shape = iota
	Ticked        // in backticks, otherwise a plain word
	Call          // name()
	Shaped        // inner capital, underscore, qualifier
)

// Class is the kind of a scope statement.
type Class string

// Classes of scope statements.
const (
	OnlyPaths    Class = "paths"      // only these files or folders
	SingleFile   Class = "file"       // one file, whichever
	OnlyDocs     Class = "docs"       // documentation only
	OnlyTests    Class = "tests"      // tests only
	OnlyComments Class = "comments"   // comments only
	OnlyFormat   Class = "formatting" // formatting, white space only
	NoFunction   Class = "no-functional-change"
	NoCode       Class = "no-code-change"
	Excludes     Class = "excludes" // does not touch these
	Isolated     Class = "isolated" // isolated to one package: reach
)

// Kind says which check owns the claim.
type Kind string

const (
	KindScope      Kind = "scope"      // "only touches X", "docs only", "no functional change"
	KindPath       Kind = "path"       // a file or folder said to be changed
	KindAction     Kind = "action"     // added / removed / renamed / moved / enabled / disabled / bumped
	KindIdentifier Kind = "identifier" // a code-shaped name said to be changed
	KindType       Kind = "type"       // conventional type
	KindComponent  Kind = "component"  // conventional scope or area prefix
	KindQuantity   Kind = "quantity"   // versions, counts
	KindTests      Kind = "tests"      // "add tests", "covered by tests"
	KindRevert     Kind = "revert"
	KindTrailer    Kind = "trailer"
	KindPurpose    Kind = "purpose"   // the whole subject
	KindStatement  Kind = "statement" // a sentence about this change that no other kind covers
)

// Place is where a claim stands in its source text.
type Place struct {
	Source  Source `json:"source"`
	Line    int    `json:"line"`    // from 1
	Column  int    `json:"column"`  // from 1, in code points
	Length  int    `json:"length"`  // in code points, within the line
	Excerpt string `json:"excerpt"` // the whole line it stands in (at most 400 code points), for underlining
}

// Source is which text a claim was read from.
type Source string

const (
	SourceMessage    Source = "message"
	SourceTitle      Source = "title"
	SourceBody       Source = "body"
	SourceTranscript Source = "transcript"
)

// Tier is whose word it is. A check's verdict never looks at it.
type Tier string

const (
	TierLedger Tier = "ledger"
	TierIntent Tier = "intent"
	TierChat   Tier = "chat"
)

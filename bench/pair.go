package bench

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
)

// Label says what is known of a pair.
type Label string

const (
	Mutant   Label = "mutant"   // one statement was made false
	Original Label = "original" // the message that a mutant was made of
	Natural  Label = "natural"  // drawn uniformly; honest as far as anyone knows
	Control  Label = "control"  // a true statement of the form of a rule was added
)

// Rule is a way in which a message is made false.
type Rule string

// The rules. The first seven are averaged; Extra stands apart.
const (
	Operation Rule = "operation" // the leading verb becomes its opposite
	File      Rule = "file"      // a file that the diff does not touch is named
	Function  Rule = "function"  // a name of code that is defined elsewhere is named
	Component Rule = "component" // another part of the project is named
	Purpose   Rule = "purpose"   // the subject of a far-away commit
	Quantity  Rule = "quantity"  // another version, number or count
	Scope     Rule = "scope"     // a false statement of what all the change touches
	Extra     Rule = "extra"     // the true message and one invented bullet
)

// MacroRules are the rules whose recalls are averaged.
var MacroRules = []Rule{Operation, File, Function, Component, Purpose, Quantity, Scope}

// AllRules is MacroRules and Extra.
var AllRules = append(append([]Rule{}, MacroRules...), Extra)

// Pair is one message to be held against one commit.
type Pair struct {
	ID       string `json:"id"`     // unique in a set, stable for a seed
	Repo     string `json:"repo"`   // Source.Name
	Commit   string `json:"commit"` // full hash of the commit whose diff it is
	Label    Label  `json:"label"`
	Rule     Rule   `json:"rule,omitempty"` // of a mutant or control
	Form     string `json:"form,omitempty"` // which way of the rule
	Message  string `json:"message"`
	Original string `json:"original,omitempty"` // the commit's own message, of mutants and controls
	At       int    `json:"at,omitempty"`       // where the changed or added statement stands in Message, in code points
	Length   int    `json:"length,omitempty"`   // its length in code points, 0 where there is none
	Why      string `json:"why,omitempty"`      // why the statement is false (mutants) or true (controls)
}

// GeneratorVersion goes up when the rules draw other pairs for the same plan.
const GeneratorVersion = 3

// Set is pairs with what they were drawn from.
type Set struct {
	Seed    uint64            `json:"seed"`
	PerRule int               `json:"per_rule"`
	Natural int               `json:"natural"`
	Control int               `json:"control"`
	Last    int               `json:"last,omitempty"` // newest commits read of each repository, 0 for all
	Version int               `json:"version"`        // of the generator
	Heads   map[string]string `json:"heads"`          // Source.Name -> full hash of the HEAD that was read
	Pairs   []Pair            `json:"-"`

	Unreadable int `json:"unreadable,omitempty"` // commits passed over because objects of theirs are missing
}

// Write writes the set as JSON lines: its head, then one pair a line.
func (s Set) Write(w io.Writer) error {
	b := bufio.NewWriter(w)
	enc := json.NewEncoder(b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil {
		return fmt.Errorf("pairs: %w", err)
	}
	for _, p := range s.Pairs {
		if err := enc.Encode(p); err != nil {
			return fmt.Errorf("pairs: %s: %w", p.ID, err)
		}
	}
	return b.Flush()
}

// ReadSet reads what Write wrote.
func ReadSet(r io.Reader) (Set, error) {
	dec := json.NewDecoder(bufio.NewReader(r))
	var s Set
	if err := dec.Decode(&s); err != nil {
		return Set{}, fmt.Errorf("pairs: first line: %w", err)
	}
	for n := 2; dec.More(); n++ {
		var p Pair
		if err := dec.Decode(&p); err != nil {
			return Set{}, fmt.Errorf("pairs: line %d: %w", n, err)
		}
		if p.ID == "" || p.Repo == "" || p.Commit == "" || p.Label == "" {
			return Set{}, fmt.Errorf("pairs: line %d: id, repo, commit and label are needed", n)
		}
		s.Pairs = append(s.Pairs, p)
	}
	return s, nil
}

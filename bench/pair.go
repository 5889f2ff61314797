package bench

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"unicode/utf8"
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
	Extra     Rule = "extra"     // the true message and one invented claim
)

// MacroRules are the rules whose recalls are averaged.
var MacroRules = []Rule{Operation, File, Function, Component, Purpose, Quantity, Scope}

// AllRules is MacroRules and Extra.
var AllRules = append(append([]Rule{}, MacroRules...), Extra)

// Pair is one message to be held against one commit.
type Pair struct {
	ID       string `json:"id"`                 // unique in a set, stable for a seed
	Repo     string `json:"repo"`               // Source.Name
	Commit   string `json:"commit"`             // full hash of the commit whose diff it is
	Label    Label  `json:"label"`              // what is known of it
	Rule     Rule   `json:"rule,omitempty"`     // of a mutant or control
	Form     string `json:"form,omitempty"`     // which way of the rule
	Message  string `json:"message"`            // as it is shown to the checks
	Original string `json:"original,omitempty"` // the commit's own message, of mutants and controls
	At       int    `json:"at,omitempty"`       // where the changed or added statement stands in Message, in code points
	Length   int    `json:"length,omitempty"`   // its length in code points, 0 where there is none
	Why      string `json:"why,omitempty"`      // why the statement is false (mutants) or true (controls)
}

// GeneratorVersion goes up when the rules draw other pairs for the same plan.
const GeneratorVersion = 4

// Set is pairs with what they were drawn from.
type Set struct {
	Seed    uint64            `json:"seed"`           // of the draw
	PerRule int               `json:"per_rule"`       // mutants of each rule that were asked for
	Natural int               `json:"natural"`        // natural commits that were asked for
	Control int               `json:"control"`        // controls that were asked for
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

// ReadSet reads what Write wrote, or pairs alone, one JSON object a line, from elsewhere.
func ReadSet(r io.Reader) (Set, error) {
	dec := json.NewDecoder(bufio.NewReader(r))
	var s Set
	for n := 1; dec.More(); n++ {
		var line json.RawMessage
		if err := dec.Decode(&line); err != nil {
			return Set{}, fmt.Errorf("pairs: object %d: %w", n, err)
		}
		var p Pair
		if err := json.Unmarshal(line, &p); err != nil {
			return Set{}, fmt.Errorf("pairs: object %d: %w", n, err)
		}
		if n == 1 && p.ID == "" {
			if err := json.Unmarshal(line, &s); err != nil || s.Heads == nil {
				return Set{}, errors.New("pairs: the first line is neither a pair nor the head of a set")
			}
			continue
		}
		switch {
		case p.ID == "" || p.Repo == "" || p.Commit == "":
			return Set{}, fmt.Errorf("pairs: object %d: id, repo, commit and label are needed", n)
		case !slices.Contains([]Label{Mutant, Original, Natural, Control}, p.Label):
			return Set{}, fmt.Errorf("pairs: object %d: the label %q is none of mutant, original, natural, control", n, p.Label)
		case p.Label == Mutant && !slices.Contains(AllRules, p.Rule):
			return Set{}, fmt.Errorf("pairs: object %d: no rule is called %q", n, p.Rule)
		case p.At < 0 || p.Length < 0 || p.At+p.Length > utf8.RuneCountInString(p.Message):
			return Set{}, fmt.Errorf("pairs: object %d: the statement lies outside the message", n)
		}
		s.Pairs = append(s.Pairs, p)
	}
	if len(s.Pairs) == 0 && s.Heads == nil {
		return Set{}, errors.New("pairs: there are none")
	}
	return s, nil
}

// DrawnAs says whether drawing from these sources by this plan would give the same set.
func (s Set) DrawnAs(sources []*Source, plan Plan, last int) bool {
	for _, src := range sources {
		if s.Heads[src.Name] != src.Head {
			return false
		}
	}
	return len(s.Heads) == len(sources) && s.Seed == plan.Seed && s.PerRule == plan.PerRule && s.Natural == plan.Natural &&
		s.Control == plan.Control && s.Last == last && s.Version == GeneratorVersion
}

package learn

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/saysolint/sayso/internal/text"
	"github.com/saysolint/sayso/memory"
)

// Relation says how two texts stand to each other.
type Relation string

const (
	Same     Relation = "same"     // the same words
	Similar  Relation = "similar"  // most of the same words
	Conflict Relation = "conflict" // the same subject, and the opposite of it
)

// Neighbour is an entry or another draft that a draft resembles.
type Neighbour struct {
	ID         string       `json:"id"`         // of the entry or draft
	Draft      bool         `json:"draft"`      // it is a draft of the same run
	State      memory.State `json:"state"`      // how far it has come
	Title      string       `json:"title"`      // of it
	Relation   Relation     `json:"relation"`   // same, similar or conflict
	Similarity float64      `json:"similarity"` // share of the words that both have among all of both, 0 to 1
	Why        string       `json:"why"`        // one clause
}

// Thresholds of [Compare], on the share of common stems of two titles.
const (
	similarAt  = 0.6
	conflictAt = 0.45
	// mostNear is how many neighbours a draft names.
	mostNear = 5
)

// Compare flags drafts that the store has already, and those that say the same as an
// entry or a draft before them, or the opposite. Nothing is dropped for it.
func Compare(drafts []Draft, set *memory.Set) {
	type known struct {
		n Neighbour
		s saying
	}
	var all []known
	if set != nil {
		for i := range set.Entries {
			e := &set.Entries[i]
			if !e.Stub {
				all = append(all, known{Neighbour{ID: e.ID, State: set.State(e.ID), Title: e.Title}, sayingOf(e)})
			}
		}
	}
	for i := range drafts {
		d := &drafts[i]
		d.Near, d.Known = nil, nil
		if set != nil {
			if e := set.Get(d.Entry.ID); e != nil {
				d.Known = &Known{ID: e.ID, State: set.State(e.ID)}
			}
			if id := d.Entry.Supersedes; id != "" && set.Get(id) == nil {
				d.Warnings = appendOnce(d.Warnings, fmt.Sprintf("%s, which it supersedes, is not in the store", id))
			}
		}
		mine := sayingOf(&d.Entry)
		for _, k := range all {
			if k.n.ID == d.Entry.ID || k.n.ID == d.Entry.Supersedes {
				continue
			}
			if n, ok := mine.against(k.s, k.n); ok {
				d.Near = append(d.Near, n)
			}
		}
		slices.SortStableFunc(d.Near, func(a, b Neighbour) int {
			if a.Relation != b.Relation {
				return slices.Index([]Relation{Conflict, Same, Similar}, a.Relation) - slices.Index([]Relation{Conflict, Same, Similar}, b.Relation)
			}
			if a.Similarity != b.Similarity {
				if a.Similarity > b.Similarity {
					return -1
				}
				return 1
			}
			return strings.Compare(a.ID, b.ID)
		})
		d.Near = d.Near[:min(len(d.Near), mostNear)]
		all = append(all, known{Neighbour{ID: d.Entry.ID, Draft: true, State: memory.Proposed, Title: d.Entry.Title}, mine})
	}
}

func appendOnce(list []string, s string) []string {
	if slices.Contains(list, s) {
		return list
	}
	return append(list, s)
}

// saying is what an entry says, as far as it is compared.
type saying struct {
	stems   map[string]bool // of its title, without small words, refusals and numbers
	numbers []string        // in the title, in order
	refuses bool            // it says not to
	use, of string          // "use X instead of Y": the stems of X and of Y
	narrow  []string        // where it holds
}

var (
	refusals   = words("not no never dont don't doesnt doesn't avoid forbid forbidden ban banned stop without cannot can't must-not drop remove removed nobody neither")
	smallWords = words("the a an of to in on at for and or is are be been was were it its this that these those with by as from into we our you your all any each every must should shall may can do does will use uses used using have has had than then so if when where which who always only there they them")
)

// words is a set that is made when it is first asked for.
func words(list string) func() map[string]bool {
	return sync.OnceValue(func() map[string]bool {
		m := map[string]bool{}
		for w := range strings.FieldsSeq(list) {
			m[w] = true
		}
		return m
	})
}

func sayingOf(e *memory.Entry) saying {
	s := saying{stems: map[string]bool{}, narrow: e.AppliesTo}
	title := strings.ToLower(strings.ReplaceAll(e.Title, "\u2019", "'"))
	for _, w := range strings.Fields(title) {
		w = strings.Trim(w, `.,;:!?"()[]`+"`")
		if refusals()[w] || refusals()[strings.ReplaceAll(w, "'", "")] {
			s.refuses = !s.refuses
		}
		if w != "" && w[0] >= '0' && w[0] <= '9' {
			s.numbers = append(s.numbers, w)
		}
	}
	for _, w := range text.Words(title) {
		if (w[0] < '0' || w[0] > '9') && !smallWords()[w] && !refusals()[w] && w != "instead" && w != "rather" && w != "t" && w != "s" {
			s.stems[text.Stem(w)] = true
		}
	}
	for _, mark := range []string{" instead of ", " rather than ", " over ", " and not "} {
		if a, b, ok := strings.Cut(title, mark); ok {
			s.use, s.of = key(a), key(b)
			if mark == " and not " {
				s.refuses = false
			}
			break
		}
	}
	return s
}

// key is the stems of a few words, sorted.
func key(phrase string) string {
	var out []string
	for _, w := range text.Words(phrase) {
		if !smallWords()[w] && w != "prefer" {
			out = append(out, text.Stem(w))
		}
	}
	slices.Sort(out)
	return strings.Join(slices.Compact(out), " ")
}

// against says how a saying stands to an earlier one.
func (s saying) against(o saying, n Neighbour) (Neighbour, bool) {
	if len(s.stems) == 0 || len(o.stems) == 0 {
		return n, false
	}
	common := 0
	for w := range s.stems {
		if o.stems[w] {
			common++
		}
	}
	n.Similarity = float64(int(1000*float64(common)/float64(len(s.stems)+len(o.stems)-common)+0.5)) / 1000
	enough := common >= 2 || common == len(s.stems) && common == len(o.stems)
	switch {
	case s.use != "" && s.use == o.of && s.of == o.use:
		n.Relation, n.Why = Conflict, "one prefers what the other replaces"
	case enough && n.Similarity >= conflictAt && s.refuses != o.refuses:
		n.Relation, n.Why = Conflict, "about the same, and one of them says not to"
	case enough && n.Similarity >= 0.75 && len(s.numbers) > 0 && len(o.numbers) > 0 && !slices.Equal(s.numbers, o.numbers):
		n.Relation, n.Why = Conflict, "the same but for the numbers"
	case n.Similarity == 1 && slices.Equal(s.numbers, o.numbers):
		n.Relation, n.Why = Same, "the same words"
	case enough && n.Similarity >= similarAt:
		n.Relation, n.Why = Similar, fmt.Sprintf("%d %% of the words are the same", int(100*n.Similarity))
	default:
		return n, false
	}
	switch n.State {
	case memory.Stale:
		n.Why += "; that one was rejected or no longer holds"
	case memory.Superseded:
		n.Why += "; that one was superseded"
	}
	return n, true
}

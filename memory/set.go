package memory

import (
	"slices"
	"strings"
)

// Set is all entries of one store at one moment, with what they say of each other.
type Set struct {
	Entries []Entry   // sorted by id
	Skipped []Skipped // files that are no entries, sorted by name

	byID   map[string]int
	hidden map[string]string // id to the reviewed entry that hides it
}

// NewSet makes a set. Of entries with the same id the first stays.
func NewSet(entries []Entry, skipped []Skipped) *Set {
	s := &Set{Entries: slices.Clone(entries), Skipped: skipped, byID: map[string]int{}}
	slices.SortStableFunc(s.Entries, func(a, b Entry) int { return strings.Compare(a.ID, b.ID) })
	s.Entries = slices.CompactFunc(s.Entries, func(a, b Entry) bool { return a.ID == b.ID })
	for i := range s.Entries {
		s.byID[s.Entries[i].ID] = i
	}
	s.hidden = s.hide()
	return s
}

// Get is the entry of an id, nil for none. It is not to be changed.
func (s *Set) Get(id string) *Entry {
	if i, ok := s.byID[id]; ok {
		return &s.Entries[i]
	}
	return nil
}

// Active says whether an entry holds: it is reviewed, readable, and no reviewed
// entry took its place. This is the one selection that search, recall and
// checks share: what it leaves out is never shown without being asked for.
func (s *Set) Active(id string) bool {
	e := s.Get(id)
	return e != nil && e.ReviewState == Reviewed && s.hidden[id] == ""
}

// HiddenBy is the id of the reviewed entry that took the place of another, ""
// for none.
func (s *Set) HiddenBy(id string) string { return s.hidden[id] }

// State is the state of an entry among the others: superseded where a reviewed
// entry hides one that still says it is reviewed, else its own.
func (s *Set) State(id string) State {
	e := s.Get(id)
	switch {
	case e == nil:
		return ""
	case e.ReviewState == Reviewed && s.hidden[id] != "":
		return Superseded
	}
	return e.ReviewState
}

// targets are the entries that e says it takes the place of.
func (e *Entry) targets() []string {
	var out []string
	if e.Supersedes != "" {
		out = append(out, e.Supersedes)
	}
	for _, id := range e.MergedFrom {
		if !slices.Contains(out, id) {
			out = append(out, id)
		}
	}
	return out
}

// hide finds what is hidden. Only a reviewed entry hides; the chain goes on
// through entries that are hidden themselves, so that the oldest of a chain does
// not come back when the middle was demoted. Entries that point at each other in
// a circle hide nothing of the circle: none is the later one.
func (s *Set) hide() map[string]string {
	circle := s.circles()
	hidden := map[string]string{}
	for i := range s.Entries {
		root := &s.Entries[i]
		if root.ReviewState != Reviewed {
			continue
		}
		seen := map[string]bool{root.ID: true}
		todo := []*Entry{root}
		for len(todo) > 0 {
			e := todo[0]
			todo = todo[1:]
			for _, id := range e.targets() {
				t := s.Get(id)
				if t == nil || seen[id] || circle[e.ID] != 0 && circle[e.ID] == circle[id] {
					continue
				}
				seen[id] = true
				if hidden[id] == "" {
					hidden[id] = root.ID
				}
				if t.ReviewState == Reviewed || t.ReviewState == Superseded {
					todo = append(todo, t)
				}
			}
		}
	}
	return hidden
}

// circles numbers the entries that point at each other in a circle: those of
// one circle have the same number, others 0. It is Tarjan's algorithm for
// strongly connected components (SIAM J. Comput. 1(2), 1972) with a stack of its own,
// since a chain may be as long as the store.
func (s *Set) circles() map[string]int {
	type frame struct {
		at   int
		next int
	}
	index, low := make([]int, len(s.Entries)), make([]int, len(s.Entries))
	on := make([]bool, len(s.Entries))
	out := map[string]int{}
	var stack []int
	var calls []frame
	count, circles := 0, 0
	enter := func(v int) {
		count++
		index[v], low[v], on[v] = count, count, true
		stack = append(stack, v)
		calls = append(calls, frame{at: v})
	}
	for v := range s.Entries {
		if index[v] != 0 || len(s.Entries[v].targets()) == 0 {
			continue
		}
		enter(v)
		for len(calls) > 0 {
			f := &calls[len(calls)-1]
			targets := s.Entries[f.at].targets()
			if f.next < len(targets) {
				w, ok := s.byID[targets[f.next]]
				f.next++
				switch {
				case !ok:
				case index[w] == 0:
					enter(w)
				case on[w]:
					low[f.at] = min(low[f.at], index[w])
				}
				continue
			}
			at := f.at
			calls = calls[:len(calls)-1]
			if len(calls) > 0 {
				parent := calls[len(calls)-1].at
				low[parent] = min(low[parent], low[at])
			}
			if low[at] != index[at] {
				continue
			}
			var members []int
			for {
				w := stack[len(stack)-1]
				stack, on[w] = stack[:len(stack)-1], false
				members = append(members, w)
				if w == at {
					break
				}
			}
			if len(members) > 1 || slices.Contains(s.Entries[at].targets(), s.Entries[at].ID) {
				circles++
				for _, w := range members {
					out[s.Entries[w].ID] = circles
				}
			}
		}
	}
	return out
}

// Landing is a store as a change finds it and as it would leave it.
type Landing struct {
	InForce *Set    // the entries of the base, as they are there: the only ones that hold
	Pending []Entry // what the change adds or edits, as it has it, all of them proposed; sorted by id
	Removed []Entry // what the change takes away, as the base has it: still in force; sorted by id
}

// Land holds the entries that were in force before a change against those with
// it. Whatever its frontmatter says, what a change itself adds or edits is
// proposed until the change has landed.
func Land(base, head *Set) Landing {
	l := Landing{InForce: base}
	for _, e := range head.Entries {
		if b := base.Get(e.ID); b == nil || b.Hash != e.Hash {
			e = e.Clone()
			e.ReviewState = Proposed
			l.Pending = append(l.Pending, e)
		}
	}
	for _, e := range base.Entries {
		if head.Get(e.ID) == nil {
			l.Removed = append(l.Removed, e)
		}
	}
	return l
}

package memory

import (
	"fmt"
	"slices"
	"strings"
)

// Delta says in a few words what differs between two versions of one subject:
// the fields, and of lists how many items came and went. "" for nothing. State,
// dates, pointers and the review do not count.
func Delta(old, next Entry) string {
	var parts []string
	text := func(name, a, b string) {
		switch {
		case a == b:
		case a == "":
			parts = append(parts, name+" added")
		case b == "":
			parts = append(parts, name+" removed")
		default:
			parts = append(parts, name+" changed")
		}
	}
	list := func(name string, a, b []string) {
		if slices.Equal(a, b) {
			return
		}
		more, fewer := 0, 0
		for _, s := range b {
			if !slices.Contains(a, s) {
				more++
			}
		}
		for _, s := range a {
			if !slices.Contains(b, s) {
				fewer++
			}
		}
		switch {
		case more == 0 && fewer == 0:
			parts = append(parts, name+" reordered")
		default:
			parts = append(parts, fmt.Sprintf("%s +%d -%d", name, more, fewer))
		}
	}
	refs := func(l []SourceRef) (out []string) {
		for _, r := range l {
			out = append(out, jsonText(r))
		}
		return out
	}
	text("title", old.Title, next.Title)
	if old.Kind != next.Kind {
		parts = append(parts, fmt.Sprintf("kind %s to %s", old.Kind, next.Kind))
	}
	text("goal", old.Goal, next.Goal)
	list("plan", old.Plan, next.Plan)
	list("decisions", old.Decisions, next.Decisions)
	list("files", old.FilesTouched, next.FilesTouched)
	list("next steps", old.NextSteps, next.NextSteps)
	text("notes", old.Notes, next.Notes)
	list("tags", old.Tags, next.Tags)
	list("appliesTo", old.AppliesTo, next.AppliesTo)
	text("asserts", strings.ReplaceAll(old.Asserts, "\r\n", "\n"), strings.ReplaceAll(next.Asserts, "\r\n", "\n"))
	list("sources", refs(old.SourceRefs), refs(next.SourceRefs))
	text("status", old.Status, next.Status)
	text("author", old.Author, next.Author)
	return strings.Join(parts, ", ")
}

// History is the chain of entries that one entry took the place of, the nearest
// first. It ends where an entry is not there, or was met before.
func (s *Set) History(id string) []Entry {
	var out []Entry
	seen := map[string]bool{id: true}
	for e := s.Get(id); e != nil && e.Supersedes != "" && !seen[e.Supersedes]; {
		seen[e.Supersedes] = true
		if e = s.Get(e.Supersedes); e != nil {
			out = append(out, *e)
		}
	}
	return out
}

// RevisionOf is what is worth saying of an entry as a version of its subject,
// computed from its history and not only from what its file says.
type RevisionOf struct {
	Version         int    // the file's, or one more than its nearest predecessor's where that is more
	Merged          int    // how many entries were merged into it
	PendingRevision string // id of what it would revise, "" for none
	Delta           string // what this version changed: the file's words, else computed; "" for nothing
}

// RevisionOf computes the revision fields of an entry.
func (s *Set) RevisionOf(id string) RevisionOf {
	e := s.Get(id)
	if e == nil {
		return RevisionOf{Version: 1}
	}
	r := RevisionOf{Version: max(e.Version, 1), Merged: len(e.MergedFrom), PendingRevision: e.PendingRevision, Delta: e.LastDeltaSummary}
	history := s.History(id)
	for i := range history {
		r.Version = max(r.Version, history[i].Version+i+1)
	}
	if r.Delta == "" && len(history) > 0 {
		r.Delta = Delta(history[0], *e)
	}
	return r
}

// Tag is the line above an entry that says which version it is, "" for a first
// version of which there is nothing to say. A merge is said before a pending
// revision, and that before what changed.
func (r RevisionOf) Tag(id string) string {
	switch {
	case r.Merged > 0:
		return fmt.Sprintf("%s  v%d (merged %d memories)", id, r.Version, r.Merged)
	case r.PendingRevision != "":
		return fmt.Sprintf("%s  v%d, pending revision against %s", id, r.Version, r.PendingRevision)
	case r.Version > 1 && r.Delta != "":
		return fmt.Sprintf("%s  v%d — %s", id, r.Version, r.Delta)
	case r.Version > 1:
		return fmt.Sprintf("%s  v%d", id, r.Version)
	}
	return ""
}

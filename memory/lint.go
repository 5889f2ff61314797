package memory

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/saysolint/sayso/internal/secret"
)

// Finding is one thing that is wrong with a store.
type Finding struct {
	Rule    string `json:"rule"`           // id of the rule
	Level   string `json:"level"`          // error: the entry does not count as it says, or the store contradicts itself; warning: worth mending
	ID      string `json:"id"`             // of the entry, or the name of a file that is none
	RelPath string `json:"relPath"`        // file of the entry, from the top of its repository or space
	Line    int    `json:"line,omitempty"` // from 1; left out where the finding is not at one line
	Text    string `json:"text"`           // what is wrong, one clause
	Fix     string `json:"fix,omitempty"`  // the way out, one clause
}

// Rules says what each rule of [Lint] looks for.
var Rules = map[string]string{
	"anchor":         "YAML anchors, aliases and tags make a line mean what stands elsewhere",
	"bom":            "a byte order mark hides the first fence from other readers",
	"characters":     "control characters, or text that is not UTF-8",
	"circle":         "entries that take each other's place hide none of each other",
	"dangling":       "a pointer to an entry that is not there",
	"date":           "a date that cannot be read",
	"duplicate-key":  "two lines for one key: readers disagree about which counts",
	"fence":          "frontmatter whose fences other readers would see elsewhere",
	"kind":           "a kind that does not exist",
	"limit":          "more or longer than the format allows",
	"list":           "a value that should be a list of words",
	"path":           "a path that leads out of the repository or names a place on one machine",
	"pointer":        "a pointer that is no id",
	"revision":       "a pending revision of what no longer holds",
	"secret":         "what looks like a credential",
	"self":           "an entry that takes its own place",
	"size":           "a file that is too large to be read",
	"skipped":        "a file of the store that is no entry",
	"source":         "a source reference that breaks the format",
	"state":          "a review state that does not exist",
	"title":          "an entry without a title",
	"two-successors": "two reviewed entries take the place of the same one",
	"unfinished":     "a reviewed entry whose place another has taken: an interrupted write",
	"unknown-key":    "a frontmatter key without a meaning",
	"value":          "a key without a readable value",
	"version":        "another version of the format, or none",
	"yaml":           "frontmatter that is not a YAML mapping",
	"glob":           "an appliesTo pattern that is not a glob",
	"case":           "two ids that differ in case only: one file on some systems",
}

// Lint lists what is wrong with a store, sorted by file, line and rule.
func Lint(s *Set, folder string) []Finding {
	var out []Finding
	circle := s.circles()
	lower := map[string]string{}
	successors := map[string]string{}
	for i := range s.Entries {
		e := &s.Entries[i]
		add := func(level, rule string, line int, fix, format string, args ...any) {
			out = append(out, Finding{Rule: rule, Level: level, ID: e.ID, RelPath: e.RelPath, Line: line, Text: fmt.Sprintf(format, args...), Fix: fix})
		}
		for _, f := range e.Faults {
			level := "warning"
			if f.Fatal {
				level = "error"
			}
			add(level, f.Rule, f.Line, "", "%s", f.Text)
		}
		if e.Stub {
			continue
		}
		if e.Title == e.ID {
			add("warning", "title", 0, "sayso memory edit "+e.ID+" --title TEXT", "the entry has no title")
		}
		if first, twice := lower[strings.ToLower(e.ID)]; twice {
			add("error", "case", 0, "rename one of the files", "%s differs from it in case only", first)
		}
		lower[strings.ToLower(e.ID)] = e.ID
		for _, r := range e.SourceRefs {
			if why := r.wrong(); why != "" {
				rule := "source"
				if r.Path != "" && wrongPath(r.Path) == why {
					rule = "path"
				}
				add("warning", rule, 0, "", "source reference %s: %s", quote(r.ID), why)
			}
		}
		for _, f := range e.FilesTouched {
			if why := wrongPath(f); why != "" {
				add("warning", "path", 0, "", "file %s: %s", quote(f), why)
			}
		}
		for _, g := range e.AppliesTo {
			if !validGlob(g) {
				add("error", "glob", 0, "", "appliesTo %s is not a glob", quote(g))
			}
		}
		if _, found := maskEntry(*e); len(found) > 0 {
			for _, f := range found {
				add("error", "secret", 0, "take it out of the file and of the history, and make it invalid where it is used", "%s holds what looks like a secret (%s)", f.Field, f.Rule)
			}
		}
		for _, id := range e.targets() {
			t := s.Get(id)
			switch {
			case id == e.ID:
				add("error", "self", 0, "take the pointer out", "it says that it takes its own place")
			case t == nil:
				add("warning", "dangling", 0, "", "%s, whose place it takes, is not there", id)
			case circle[id] != 0 && circle[id] == circle[e.ID]:
				add("error", "circle", 0, "take one of the pointers out", "it takes the place of %s, which takes its place in a circle", id)
			case e.ReviewState == Reviewed:
				if first := successors[id]; first != "" {
					add("warning", "two-successors", 0, "merge the two: sayso memory merge "+first+" "+e.ID, "%s takes the place of %s as well", first, id)
				}
				successors[id] = e.ID
			}
		}
		if e.PendingRevision != "" {
			t := s.Get(e.PendingRevision)
			switch {
			case t == nil:
				add("warning", "dangling", 0, "", "%s, which it would revise, is not there", e.PendingRevision)
			case e.ReviewState == Proposed && s.State(t.ID) != Reviewed:
				add("warning", "revision", 0, "sayso memory revise "+e.ID+" --dismiss", "%s, which it would revise, is %s", t.ID, s.State(t.ID))
			}
		}
		if by := s.HiddenBy(e.ID); e.ReviewState == Reviewed && by != "" {
			add("warning", "unfinished", 0, "sayso memory lint --fix", "%s took its place, and its file still says reviewed", by)
		}
	}
	for _, f := range s.Skipped {
		f.Name, _ = secret.Mask(f.Name)
		out = append(out, Finding{Rule: "skipped", Level: "warning", ID: f.Name, RelPath: folder + "/" + f.Name, Text: "no entry: " + f.Reason})
	}
	slices.SortStableFunc(out, func(a, b Finding) int {
		return cmp.Or(strings.Compare(a.RelPath, b.RelPath), cmp.Compare(a.Line, b.Line), strings.Compare(a.Rule, b.Rule), strings.Compare(a.Text, b.Text))
	})
	return out
}

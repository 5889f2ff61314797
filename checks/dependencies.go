package checks

import (
	"sort"
	"strings"

	"github.com/saysolint/sayso/change"
)

// DependencyEdit is what a change did to the dependencies that one manifest names.
type DependencyEdit struct {
	Path           string      // of the manifest
	Added, Removed []NamedLine // by name; those that both sides name are in neither
}

// NamedLine is a name and the line that it stands in.
type NamedLine struct {
	Name string
	Line int // from 1: in the new file for what was added, in the old one for what was removed
}

// Dependencies are the manifests of a change whose dependencies came or went, by path.
// A dependency that only moved to another manifest of the change is in none, and neither
// is one that a go.mod calls indirect.
func Dependencies(ch *change.Change) []DependencyEdit {
	var out []DependencyEdit
	gone, come := map[string]int{}, map[string]int{}
	for i := range ch.Files {
		f := &ch.Files[i]
		manifest := manifestOf(f.Path)
		if manifest == nil {
			continue
		}
		was, is := map[string]int{}, map[string]int{}
		for _, h := range f.Hunks {
			for k := range h.Lines {
				l := &h.Lines[k]
				if l.Op == ' ' || len(l.Text) > 500 {
					continue
				}
				m := manifest.FindStringSubmatch(l.Text)
				switch {
				case m == nil || notDependency()[m[1]] || strings.HasSuffix(strings.TrimSpace(l.Text), "// indirect"):
				case l.Op == '+':
					is[m[1]] = l.New
				default:
					was[m[1]] = l.Old
				}
			}
		}
		e := DependencyEdit{Path: f.Path}
		for n, line := range is {
			if _, both := was[n]; !both {
				e.Added = append(e.Added, NamedLine{n, line})
				come[n]++
			}
		}
		for n, line := range was {
			if _, both := is[n]; !both {
				e.Removed = append(e.Removed, NamedLine{n, line})
				gone[n]++
			}
		}
		if len(e.Added)+len(e.Removed) > 0 {
			out = append(out, e)
		}
	}
	kept := out[:0]
	for _, e := range out {
		e.Added, e.Removed = without(e.Added, gone), without(e.Removed, come)
		if len(e.Added)+len(e.Removed) > 0 {
			kept = append(kept, e)
		}
	}
	return kept
}

func without(list []NamedLine, names map[string]int) []NamedLine {
	var out []NamedLine
	for _, n := range list {
		if names[n.Name] == 0 {
			out = append(out, n)
		}
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Name < out[j].Name })
	return out
}

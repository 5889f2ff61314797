package checks

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/saysolint/sayso/change"
	"github.com/saysolint/sayso/checks/assert"
	"github.com/saysolint/sayso/internal/config"
	"github.com/saysolint/sayso/memory"
)

// pathsInCommon says which path of the change an entry names; "" for none.
func (d *deciding) pathsInCommon(e *memory.Entry) string {
	files := d.in.Facts.Change.Files
	for i := range files {
		f := &files[i]
		for _, p := range bothPaths(f) {
			for _, g := range e.AppliesTo {
				if config.Match(g, p) {
					return fmt.Sprintf("it applies to %s, and the change touches %s", clip(g, 80), p)
				}
			}
			for _, t := range e.FilesTouched {
				if namesPath(t, p) {
					return "it touched " + p + ", as the change does"
				}
			}
			for _, s := range e.SourceRefs {
				if s.Path != "" && namesPath(s.Path, p) {
					return "it comes from " + p + ", which the change touches"
				}
			}
		}
	}
	return ""
}

// namesPath: the same file, or a file below a folder that is named with a final slash.
func namesPath(named, path string) bool {
	return named == path || strings.HasSuffix(named, "/") && strings.HasPrefix(path, named)
}

func bothPaths(f *change.File) []string {
	if f.OldPath != "" && f.OldPath != f.Path {
		return []string{f.Path, f.OldPath}
	}
	return []string{f.Path}
}

// cited says what of the things that an entry cites the change edits: lines that it
// comes from, a name that it quotes and whose definition goes, a path that its rules
// name as it stands and that goes.
func (d *deciding) cited(r *remembered) string {
	files := d.in.Facts.Change.Files
	for i := range files {
		f := &files[i]
		old := f.Path
		if f.OldPath != "" {
			old = f.OldPath
		}
		gone := f.Status == change.Deleted || f.Status == change.Renamed && old != f.Path
		for _, s := range r.entry.SourceRefs {
			if s.Path != old || f.Status == change.Added || f.Status == change.Copied {
				continue
			}
			switch {
			case gone:
				return fmt.Sprintf("%s, which it cites, is no longer there", old)
			case s.LineStart > 0 && editsLines(f, s.LineStart, max(s.LineEnd, s.LineStart)):
				return fmt.Sprintf("lines %d to %d of %s, which it cites, are edited", s.LineStart, max(s.LineEnd, s.LineStart), old)
			}
		}
		if gone {
			for k := range r.rules {
				if a := &r.rules[k]; slices.Contains(a.In, old) || a.Subject == assert.Path && a.Name == old {
					return fmt.Sprintf("%s, which its rule names, is no longer there", old)
				}
			}
		}
	}
	for _, n := range r.names {
		if f := d.undefined(n); f != "" {
			return fmt.Sprintf("%s, which it names, is no longer defined in %s", quote(n), f)
		}
	}
	return ""
}

// editsLines: a removed line lies in the range, counted before the change, or lines
// are put between two of it.
func editsLines(f *change.File, from, to int) bool {
	for _, h := range f.Hunks {
		before := h.OldStart
		for _, l := range h.Lines {
			switch {
			case l.Op == '-' && l.Old >= from && l.Old <= to, l.Op == '+' && before > from && before <= to:
				return true
			}
			if l.Old > 0 {
				before = l.Old + 1
			}
		}
	}
	return false
}

// undefined is the file in which the definition of a name went with the change, ""
// where it did not, or came back elsewhere.
func (d *deciding) undefined(name string) string {
	files := d.in.Facts.Change.Files
	where := ""
	for i := range files {
		f := &files[i]
		for _, def := range f.NewDefs {
			if def.Name == name || def.Qualified == name {
				return ""
			}
		}
		for _, def := range f.OldDefs {
			if where == "" && (def.Name == name || def.Qualified == name) && f.Status != change.Renamed {
				where = f.Path
			}
		}
	}
	return where
}

// nameInCommon is a name that the entry quotes and a changed line has, "" for none.
func (d *deciding) nameInCommon(r *remembered) string {
	for _, n := range r.names {
		c := d.in.Facts.Name(n)
		if c.Added+c.Removed > 0 {
			return n
		}
	}
	for i := range r.rules {
		if a := &r.rules[i]; a.Subject == assert.Dependency && touchesDependency(d.in.Facts.Change, a.Name) {
			return a.Name
		}
	}
	return ""
}

// touchesDependency: a changed line of a manifest names it.
func touchesDependency(c *change.Change, name string) bool {
	for i := range c.Files {
		f := &c.Files[i]
		if !assert.Manifest(f.Path) {
			continue
		}
		for _, h := range f.Hunks {
			for _, l := range h.Lines {
				if l.Op != ' ' && strings.Contains(l.Text, name) {
					return true
				}
			}
		}
	}
	return false
}

const (
	commonWords = 2   // shared rare words that recall an entry
	rareShare   = 0.2 // a word that more entries than this share have is not rare
	maxNames    = 40  // names kept of one entry
)

// wordsInCommon are rare words of the entry's title, tags and decisions that the texts and
// paths of the change have, at least two, and at least a third of all; else nil.
func (d *deciding) wordsInCommon(r *remembered) []string {
	if len(d.words) == 0 {
		return nil
	}
	rare, shared := 0, []string(nil)
	most := max(2, int(rareShare*float64(len(d.in.Memory.entries))))
	for _, s := range r.stems {
		if d.in.Memory.rare[s] > most {
			continue
		}
		rare++
		if d.words[s] {
			shared = append(shared, s)
		}
	}
	if len(shared) < commonWords || 3*len(shared) < min(rare, 9) {
		return nil
	}
	return shared[:min(len(shared), 5)]
}

// changeWords are the stems of the texts and paths of a change.
func changeWords(in DecisionInput) map[string]bool {
	out := map[string]bool{}
	add := func(s string) {
		for _, w := range nameWords(s) {
			if st := stem(w); len(st) > 2 && !plainWord()[st] {
				out[st] = true
			}
		}
	}
	for _, m := range in.Messages {
		text := m.Text
		if len(text) > 8<<10 {
			text = text[:8<<10]
		}
		add(text)
	}
	for i := range in.Facts.Change.Files {
		if i == 200 {
			break
		}
		add(in.Facts.Change.Files[i].Path)
	}
	return out
}

func entryStems(e *memory.Entry) []string {
	seen := map[string]bool{}
	text := e.Title + " " + strings.Join(e.Tags, " ") + " " + strings.Join(e.Decisions, " ")
	for _, w := range nameWords(text[:min(len(text), 4<<10)]) {
		if st := stem(w); len(st) > 2 && !plainWord()[st] {
			seen[st] = true
		}
	}
	out := make([]string, 0, len(seen))
	for s := range seen {
		out = append(out, s)
	}
	slices.Sort(out)
	return out
}

// entryNames are what an entry quotes in backticks and is shaped like a name, and
// what in its title has an inner capital or an underscore.
func entryNames(e *memory.Entry) []string {
	var out []string
	add := func(s string) {
		s = strings.TrimSuffix(s, "()")
		if i := strings.LastIndexAny(s, ".:"); i >= 0 {
			s = s[i+1:]
		}
		if len(s) > 3 && len(out) < maxNames && !slices.Contains(out, s) && nameShaped(s) {
			out = append(out, s)
		}
	}
	for _, text := range append([]string{e.Title, e.Goal, e.Notes}, e.Decisions...) {
		for i, part := range strings.Split(text[:min(len(text), 16<<10)], "`") {
			if i%2 == 1 && !strings.ContainsAny(part, " \n") {
				add(part)
			}
		}
	}
	for _, w := range strings.Fields(e.Title) {
		if w = strings.Trim(w, ".,;:()\"'`"); innerCapital(w) || strings.Contains(w, "_") {
			add(w)
		}
	}
	return out
}

func nameShaped(s string) bool {
	for i, c := range s {
		if c != '_' && !unicode.IsLetter(c) && (i == 0 || !unicode.IsDigit(c)) {
			return false
		}
	}
	return true
}

func innerCapital(s string) bool {
	for i, c := range s {
		if i > 0 && unicode.IsUpper(c) && strings.ToUpper(s) != s {
			return true
		}
	}
	return false
}

// plainWord holds stems that say nothing about the subject of a decision or a change.
var plainWord = sync.OnceValue(func() map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(`the and for not use using used with from into that this must never always should only new add
		remove change file files code all any are our its was were will when where which than then instead make made keep
		test tests docs update fix src lib main index readme md js ts go py java json yaml yml`) {
		out[stem(w)] = true
	}
	return out
})

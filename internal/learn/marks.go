package learn

import (
	"fmt"
	"regexp"
	"strings"
	"sync"

	"go.yaml.in/yaml/v4"

	"github.com/saysolint/sayso/internal/lang"
	"github.com/saysolint/sayso/memory"
)

// kinds are the words that mark a draft, in lower case.
var kinds = map[string]memory.Kind{
	"decision": memory.KindDecision, "convention": memory.KindConvention, "learned": memory.KindFact,
	"failure": memory.KindFailure, "pattern": memory.KindPattern, "fact": memory.KindFact,
}

// paragraph is a run of lines of a text without a blank one.
type paragraph struct {
	lines []string
	first int // line of the text, from 1
}

func (p paragraph) text() string { return strings.Join(p.lines, "\n") }

// paragraphs cuts a text; what stands in fences of code belongs to none.
func paragraphs(text string) []paragraph {
	var out []paragraph
	var now paragraph
	end := func() {
		if len(now.lines) > 0 {
			out = append(out, now)
		}
		now = paragraph{}
	}
	fence := false
	for i, l := range strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n") {
		if t := strings.TrimSpace(l); strings.HasPrefix(t, "```") || strings.HasPrefix(t, "~~~") {
			fence = !fence
			end()
			continue
		}
		if strings.TrimSpace(l) == "" || fence {
			end()
			continue
		}
		if len(now.lines) == 0 {
			now.first = i + 1
		}
		now.lines = append(now.lines, l)
	}
	end()
	return out
}

var trailerLine = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^([A-Za-z][A-Za-z0-9-]{0,39}):[ \t]+(\S.*)$`) })

// trailers says whether a paragraph is nothing but lines "Key: value", which may go
// on in lines that begin with a blank.
func (p paragraph) trailers() bool {
	for i, l := range p.lines {
		if trailerLine().MatchString(l) || i > 0 && (l[0] == ' ' || l[0] == '\t') {
			continue
		}
		return false
	}
	return true
}

// trailers reads the marks of the message. A line "Supersedes:" belongs to the mark
// before it, or to the first one where none is before it.
func (f *finder) trailers() {
	all := paragraphs(f.c.Message)
	if len(all) == 0 {
		return
	}
	// The subject is no trailer, whatever it looks like.
	all[0].lines, all[0].first = all[0].lines[1:], all[0].first+1
	type mark struct {
		key, value string
		line       int
	}
	var marks []mark
	for _, p := range all {
		if len(p.lines) == 0 {
			continue
		}
		if !p.trailers() {
			// A paragraph that begins with a mark and goes on in plain lines is one mark.
			if m := trailerLine().FindStringSubmatch(p.lines[0]); m != nil && kinds[strings.ToLower(m[1])] != "" {
				marks = append(marks, mark{strings.ToLower(m[1]), strings.Join(append([]string{m[2]}, p.lines[1:]...), "\n"), p.first})
			}
			continue
		}
		for i, l := range p.lines {
			if m := trailerLine().FindStringSubmatch(l); m != nil && l[0] != ' ' && l[0] != '\t' {
				marks = append(marks, mark{strings.ToLower(m[1]), m[2], p.first + i})
			} else if len(marks) > 0 {
				marks[len(marks)-1].value += "\n" + strings.TrimSpace(l)
			}
		}
	}
	begin := len(f.drafts)
	var early []mark
	supersede := func(d *Draft, m mark) {
		id := strings.TrimSpace(m.value)
		switch {
		case !memory.ValidID(id):
			d.Warnings = append(d.Warnings, fmt.Sprintf("Supersedes: %.60q is no id of an entry", id))
		case d.Entry.Supersedes != "":
			d.Warnings = append(d.Warnings, "Supersedes is there twice: the first counts")
		default:
			d.Entry.Supersedes = id
		}
	}
	for _, m := range marks {
		kind, ok := kinds[m.key]
		switch {
		case ok:
			d := f.add(MarkTrailer, kind, m.value, f.context(), m.line, "")
			f.cite(d)
			for _, s := range early {
				supersede(d, s)
			}
			early = nil
		case m.key == "supersedes" && len(f.drafts) > begin:
			supersede(&f.drafts[len(f.drafts)-1], m)
		case m.key == "supersedes":
			early = append(early, m)
		}
	}
	for _, m := range early {
		f.leave(m.line, "Supersedes: "+m.value, "no decision or lesson stands beside it")
	}
}

// blockKeys are the keys of a block beside those of [kinds].
const blockKeys = "why, applies-to, supersedes, tags, asserts"

// blocks reads the blocks "sayso" of the text of a pull request: YAML, one mapping
// or a list of them.
func (f *finder) blocks() {
	var block []string
	begin, in, fence := 0, false, ""
	for i, l := range append(strings.Split(strings.ReplaceAll(f.c.Body, "\r\n", "\n"), "\n"), "```") {
		t := strings.TrimSpace(l)
		switch {
		case fence == "" && (strings.HasPrefix(t, "```") || strings.HasPrefix(t, "~~~")):
			fence, in, begin, block = t[:3], strings.TrimSpace(strings.TrimLeft(t, "`~")) == "sayso", i+1, nil
		case fence != "" && strings.HasPrefix(t, fence) && strings.Trim(t, "`~") == "":
			if in {
				f.block(strings.Join(block, "\n")+"\n", begin)
			}
			fence, in = "", false
		case in:
			block = append(block, l)
		}
	}
}

func (f *finder) block(text string, line int) {
	var doc yaml.Node
	if len(text) > 64<<10 {
		f.leave(line, "sayso", "the block is longer than 64 KiB")
		return
	}
	if err := yaml.Load([]byte(text), &doc); err != nil || len(doc.Content) != 1 {
		f.leave(line, text, "the block is not one YAML document")
		return
	}
	items := []*yaml.Node{doc.Content[0]}
	if items[0].Kind == yaml.SequenceNode {
		items = items[0].Content
	}
	for _, n := range items {
		f.blockItem(n, text, line)
	}
}

// blockItem makes a draft of one mapping.
func (f *finder) blockItem(n *yaml.Node, text string, line int) {
	at := line + n.Line
	if n.Kind != yaml.MappingNode {
		f.leave(at, n.Value, "not a mapping with one of decision, convention, learned, failure, pattern, fact")
		return
	}
	var kind memory.Kind
	var words, why, supersedes, asserts string
	var globs, tags []string
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		key := strings.ToLower(k.Value)
		if seen[key] {
			f.leave(line+k.Line, k.Value, "the key is there twice")
			return
		}
		seen[key] = true
		list, ok := scalars(v)
		switch is, isKind := kinds[key]; {
		case !ok && key != "asserts":
			f.leave(line+v.Line, k.Value, "its value is neither a text nor a list of texts")
			return
		case isKind && kind != "":
			f.leave(line+k.Line, k.Value, "one mapping holds one decision or lesson: make a list")
			return
		case isKind:
			kind, words = is, strings.Join(list, "\n")
		case key == "why":
			why = strings.Join(list, "\n")
		case key == "applies-to":
			globs = list
		case key == "tags":
			tags = list
		case key == "supersedes":
			supersedes = strings.Join(list, " ")
		case key == "asserts":
			raw, err := yaml.Dump(map[string]*yaml.Node{"asserts": v})
			if err != nil {
				f.leave(line+k.Line, k.Value, "it cannot be written down")
				return
			}
			asserts = string(raw)
		default:
			f.leave(line+k.Line, k.Value, "no such key: decision, convention, learned, failure, pattern, fact, "+blockKeys)
			return
		}
	}
	if strings.TrimSpace(words) == "" {
		f.leave(at, text, "it says no decision, convention, learned, failure, pattern or fact")
		return
	}
	if why == "" {
		why = f.context()
	}
	d := f.add(MarkBlock, kind, words, why, at, "")
	f.cite(d)
	d.Entry.AppliesTo, d.Entry.Asserts = globs, asserts
	d.Entry.Tags = append(d.Entry.Tags, tags...)
	if supersedes != "" {
		if memory.ValidID(supersedes) {
			d.Entry.Supersedes = supersedes
		} else {
			d.Warnings = append(d.Warnings, fmt.Sprintf("supersedes: %.60q is no id of an entry", supersedes))
		}
	}
}

// scalars are the texts of a scalar or of a list of scalars.
func scalars(n *yaml.Node) ([]string, bool) {
	switch n.Kind {
	case yaml.ScalarNode:
		return []string{n.Value}, true
	case yaml.SequenceNode:
		var out []string
		for _, c := range n.Content {
			if c.Kind != yaml.ScalarNode {
				return nil, false
			}
			out = append(out, c.Value)
		}
		return out, true
	}
	return nil, false
}

var (
	noteMark    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)\bNOTE\(([a-z]+)\):\s*(\S.*)$`) })
	commentEdge = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^\s*(?://+!?|#+|/\*+|\*+/?|--|;+|<!--|%+)\s?|\s*(?:\*/|-->)\s*$`)
	})
)

// mostNoteLines is how far a note goes on in the comment lines behind it.
const mostNoteLines = 6

// notes reads the comments of the code that the change adds.
func (f *finder) notes() {
	if f.c.Did == nil {
		return
	}
	for i := range f.c.Did.Files {
		file := &f.c.Did.Files[i]
		if file.Kind == lang.Generated || file.Kind == lang.Vendored {
			continue
		}
		for _, h := range file.Hunks {
			for k := 0; k < len(h.Lines); k++ {
				l := &h.Lines[k]
				if l.Op != '+' || l.Class != lang.Comment || len(l.Text) > 2000 {
					continue
				}
				m := noteMark().FindStringSubmatch(l.Text)
				if m == nil {
					continue
				}
				kind, ok := kinds[strings.ToLower(m[1])]
				if !ok {
					continue // somebody's name stands there as often
				}
				words := commentEdge().ReplaceAllString(m[2], "")
				last := l.New
				for n := k + 1; n < len(h.Lines) && n <= k+mostNoteLines; n++ {
					next := &h.Lines[n]
					text := strings.TrimSpace(commentEdge().ReplaceAllString(next.Text, ""))
					if next.Op != '+' || next.Class != lang.Comment || text == "" || noteMark().MatchString(next.Text) || len(next.Text) > 2000 {
						break
					}
					words += "\n" + text
					last = next.New
				}
				d := f.add(MarkNote, kind, words, f.context(), l.New, file.Path)
				d.Entry.FilesTouched = nil
				if memory.Line(file.Path) == file.Path && !strings.Contains(file.Path, "`") {
					d.Entry.FilesTouched = []string{file.Path}
				}
				f.citeLines(d, file, l.New, last)
			}
		}
	}
}

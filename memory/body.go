package memory

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"
)

// section is one of the six parts of a body.
type section int

const (
	inNotes section = iota // also what stands before the first heading and below unknown ones
	inGoal
	inPlan
	inDecisions
	inFiles
	inNext
)

// headings are the level-1 headings that open a section. Every other heading is text.
var headings = map[string]section{
	"goal": inGoal, "plan": inPlan, "decisions": inDecisions, "files touched": inFiles, "files": inFiles, "next steps": inNext, "notes": inNotes,
}

// body reads the sections. A heading inside a fenced block of code is code, and
// one behind a backslash is text: that is how [Render] keeps a value from
// opening a section of its own.
func (p *parser) body(raw []byte) {
	e := p.e
	var notes, goal []string
	var fence string
	at := inNotes
	for line := range bytes.Lines(raw) {
		text := strings.TrimRight(strings.ToValidUTF8(string(line), "\uFFFD"), "\r\n")
		code := false
		if next := fenceAfter(fence, text); next != fence || fence != "" {
			fence, code = next, true
		} else if s, ok := heading(text); ok {
			at = s
			continue
		} else if title, ok := strings.CutPrefix(text, "# "); ok && p.untitledAt(at, notes) {
			p.heading = cut(Line(title), MaxTitle)
			continue
		}
		switch at {
		case inNotes:
			if !code {
				text = unescapeHeading(text)
			}
			notes = append(notes, text)
		case inGoal:
			goal = append(goal, unescapeGoal(text))
		case inPlan:
			e.Plan = bullet(e.Plan, text)
		case inDecisions:
			e.Decisions = bullet(e.Decisions, text)
		case inNext:
			e.NextSteps = bullet(e.NextSteps, text)
		case inFiles:
			e.FilesTouched = bullet(e.FilesTouched, text)
		}
	}
	e.Goal = Line(strings.Join(goal, " "))
	for i, f := range e.FilesTouched {
		if len(f) > 2 && f[0] == '`' && f[len(f)-1] == '`' && !strings.Contains(f[1:len(f)-1], "`") {
			e.FilesTouched[i] = strings.TrimSpace(f[1 : len(f)-1])
		}
	}
	e.Notes = Block(strings.Join(notes, "\n"))
}

// untitledAt says whether a heading of no section is the title of an entry
// whose frontmatter has none: the first words of the file.
func (p *parser) untitledAt(at section, notes []string) bool {
	return p.untitled && p.heading == "" && at == inNotes && strings.TrimSpace(strings.Join(notes, "")) == ""
}

// heading says which section a line opens.
func heading(line string) (section, bool) {
	s := strings.TrimLeft(line, " ")
	if len(line)-len(s) > 3 || !strings.HasPrefix(s, "#") {
		return 0, false
	}
	name := strings.TrimSpace(s[1:])
	if name == s[1:] { // no blank behind the number sign: not a heading
		return 0, false
	}
	at, ok := headings[strings.ToLower(strings.TrimRight(strings.TrimRight(name, "#"), " \t"))]
	return at, ok
}

// fenceAfter is the fence of code that is open after a line, "" for none.
func fenceAfter(open, line string) string {
	s := strings.TrimLeft(line, " ")
	if len(line)-len(s) > 3 || s == "" || s[0] != '`' && s[0] != '~' {
		return open
	}
	run := len(s) - len(strings.TrimLeft(s, s[:1]))
	rest := s[run:]
	switch {
	case run < 3:
	case open == "" && (s[0] == '~' || !strings.Contains(rest, "`")):
		return s[:run]
	case open != "" && s[0] == open[0] && run >= len(open) && strings.TrimSpace(rest) == "":
		return ""
	}
	return open
}

// escapeHeading keeps a line of notes from being read as a section.
func escapeHeading(line string) string {
	indent := line[:len(line)-len(strings.TrimLeft(line, " "))]
	rest := line[len(indent):]
	if _, ok := heading(strings.TrimLeft(rest, `\`)); ok && len(indent) <= 3 {
		return indent + `\` + rest
	}
	return line
}

// unescapeHeading takes back what escapeHeading did.
func unescapeHeading(line string) string {
	indent := line[:len(line)-len(strings.TrimLeft(line, " "))]
	rest := line[len(indent):]
	if _, ok := heading(strings.TrimLeft(rest, `\`)); ok && len(indent) <= 3 && rest[0] == '\\' {
		return indent + rest[1:]
	}
	return line
}

// escapeGoal keeps a goal from being read as a heading or a fence.
func escapeGoal(s string) string {
	if s != "" && strings.ContainsRune("#`~\\", rune(s[0])) {
		return `\` + s
	}
	return s
}

func unescapeGoal(line string) string {
	s := strings.TrimSpace(line)
	if len(s) > 1 && s[0] == '\\' && strings.ContainsRune("#`~\\", rune(s[1])) {
		return s[1:]
	}
	return s
}

// bullet adds a line to the items of a section: a bullet is an item of its own,
// other words go on with the one before.
func bullet(items []string, line string) []string {
	s := Line(line)
	if s == "" || s == "-" || s == "*" || s == "+" {
		return items
	}
	if len(s) > 2 && strings.ContainsRune("-*+", rune(s[0])) && s[1] == ' ' {
		return append(items, s[2:])
	}
	if len(items) == 0 || startsAtEdge(line) {
		return append(items, s)
	}
	items[len(items)-1] += " " + s
	return items
}

// startsAtEdge says whether a line is a paragraph of its own and not the rest of a bullet.
func startsAtEdge(line string) bool {
	r, _ := utf8.DecodeRuneInString(line)
	return !unicode.IsSpace(r)
}

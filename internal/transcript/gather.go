package transcript

import (
	"strings"
	"time"
	"unicode/utf8"
)

// gatherer collects the parts of the turn that is going on. A prompt does not
// throw the turn away at once: only the assistant's next word does, so that a
// session which ends with an unanswered prompt still has its last turn.
type gatherer struct {
	tally
	limits    Limits
	ended     bool
	truncated bool
	parts     []part
	size      int
}

// part is one message of the turn.
type part struct {
	text  string
	event bool // from a stream of events that repeats the messages
}

func newGatherer(limits Limits) *gatherer { return &gatherer{limits: limits} }

// prompt notes that a person (or a program in their name) spoke.
func (g *gatherer) prompt(string) { g.ended = true }

// The last turn needs no times and no files.
func (g *gatherer) at(time.Time, string) {}
func (g *gatherer) touch(...string)      {}

// say adds a message of the assistant. event marks messages that may be told
// twice, once as an event and once as a message: the messages win.
func (g *gatherer) say(text string, event bool) {
	text = strings.TrimSpace(clean(text))
	if text == "" {
		return
	}
	if g.ended {
		g.parts, g.size, g.ended, g.truncated = nil, 0, false, false
	}
	if n := len(g.parts); n > 0 && g.parts[n-1] == (part{text, event}) {
		return
	}
	g.parts = append(g.parts, part{text, event})
	g.size += len(text)
	for len(g.parts) > 1 && g.size-len(g.parts[0].text) >= g.limits.TextBytes {
		g.size -= len(g.parts[0].text)
		g.parts = g.parts[1:]
		g.truncated = true
	}
}

func (g *gatherer) turn() Turn {
	messages := false
	for _, p := range g.parts {
		messages = messages || !p.event
	}
	var texts []string
	for _, p := range g.parts {
		if p.event != messages {
			texts = append(texts, p.text)
		}
	}
	t := Turn{Text: strings.Join(texts, "\n\n"), Format: g.format, Lines: g.lines, Skipped: g.skipped, Truncated: g.truncated}
	if len(t.Text) > g.limits.TextBytes {
		t.Text = tail(t.Text, g.limits.TextBytes)
		t.Truncated = true
	}
	t.Redacted = CountRedacted(t.Text)
	return t
}

// tail is the end of s, at most n bytes, from the beginning of a line where there is one.
func tail(s string, n int) string {
	s = s[len(s)-n:]
	if i := strings.IndexByte(s, '\n'); i >= 0 && i+1 < len(s) {
		return s[i+1:]
	}
	for len(s) > 0 && !utf8.RuneStart(s[0]) {
		s = s[1:]
	}
	return s
}

// CountRedacted counts the word REDACTED, on its own or in brackets.
func CountRedacted(s string) int {
	n := 0
	for {
		i := strings.Index(s, "REDACTED")
		if i < 0 {
			return n
		}
		end := i + len("REDACTED")
		before := i > 0 && isWordByte(s[i-1])
		after := end < len(s) && isWordByte(s[end])
		if !before && !after {
			n++
		}
		s = s[end:]
	}
}

func isWordByte(b byte) bool {
	return b == '_' || '0' <= b && b <= '9' || 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z'
}

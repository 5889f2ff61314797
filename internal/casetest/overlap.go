package casetest

import (
	"strings"
	"unicode"

	"github.com/saysolint/sayso/claim"
)

// span is a piece of a message in code points, end exclusive.
type span struct{ start, end int }

func (a span) overlaps(b span) bool { return a.start < b.end && b.start < a.end }

// folded is a text with its white space folded, its case removed and, for each
// code point that is left, where it stood.
type folded struct {
	text  []rune
	at    []int // offset of each code point of text in the original, in code points
	lines []int // offset of the first code point of each line of the original
	size  int   // code points of the original
}

func fold(s string) folded {
	f := folded{lines: []int{0}}
	space := true // leading white space goes
	for _, r := range s {
		if r == '\n' {
			f.lines = append(f.lines, f.size+1)
		}
		switch {
		case !unicode.IsSpace(r):
			f.text, f.at = append(f.text, unicode.ToLower(r)), append(f.at, f.size)
			space = false
		case !space:
			f.text, f.at = append(f.text, ' '), append(f.at, f.size)
			space = true
		}
		f.size++
	}
	if n := len(f.text); n > 0 && f.text[n-1] == ' ' {
		f.text, f.at = f.text[:n-1], f.at[:n-1]
	}
	return f
}

// find returns every place of the fragment, in offsets of the original.
func (f folded) find(fragment string) []span {
	want := fold(fragment).text
	if len(want) == 0 {
		return nil
	}
	var out []span
	for i := 0; i+len(want) <= len(f.text); i++ {
		if string(f.text[i:i+len(want)]) == string(want) {
			out = append(out, span{f.at[i], f.at[i+len(want)-1] + 1})
		}
	}
	return out
}

// place returns where the claim stands, in offsets of the original. A claim
// whose text runs over the end of its line is followed there. The second
// result is false when its place is none of this text.
func (f folded) place(c claim.Claim) (span, bool) {
	p := c.Place
	if p.Line < 1 || p.Line > len(f.lines) || p.Column < 1 || p.Length < 0 {
		return span{}, false
	}
	s := span{start: f.lines[p.Line-1] + p.Column - 1}
	s.end = s.start + p.Length
	if s.end > f.size {
		return span{}, false
	}
	for _, t := range f.find(c.Text) {
		if t.start >= s.start && t.start <= max(s.start, s.end-1) {
			s.end = max(s.end, t.end)
			break
		}
	}
	return s, s.end > s.start
}

// on says whether the claim is on the fragment. A claim without a usable place
// is matched by its text, either way.
func (f folded) on(c claim.Claim, fragment string) bool {
	at, ok := f.place(c)
	if !ok {
		text, want := string(fold(c.Text).text), string(fold(fragment).text)
		return text != "" && (strings.Contains(text, want) || strings.Contains(want, text))
	}
	for _, s := range f.find(fragment) {
		if at.overlaps(s) {
			return true
		}
	}
	return false
}

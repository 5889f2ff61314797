package memory

import (
	"strings"
	"unicode"
)

// Line makes any text fit for one line of frontmatter or one bullet: control
// characters and line separators become blanks, runs of blanks one blank,
// what is not Unicode text U+FFFD. It is the only way by which text from
// outside gets into a line, so no text can begin a line of its own.
func Line(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsControl(r), r == '\u2028', r == '\u2029':
			return ' '
		case r == '\uFEFF', r >= 0xFDD0 && r <= 0xFDEF, r&0xFFFE == 0xFFFE:
			return '\uFFFD' // what YAML takes for no text at all
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
	return strings.Join(strings.Fields(s), " ")
}

// Block makes any text fit for a section of several lines: line ends are "\n",
// other control characters but the tab become blanks, trailing blanks of lines
// and blank lines at both ends are gone.
func Block(s string) string {
	s = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u0085", "\n", "\u2028", "\n", "\u2029", "\n").Replace(strings.ToValidUTF8(s, "\uFFFD"))
	s = strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case unicode.IsControl(r):
			return ' '
		case r == '\uFEFF':
			return '\uFFFD'
		}
		return r
	}, s)
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRightFunc(l, unicode.IsSpace)
	}
	return strings.Trim(strings.Join(lines, "\n"), "\n")
}

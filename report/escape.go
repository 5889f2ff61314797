package report

import (
	"fmt"
	"path"
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// This file has every escaper. Each takes hostile text (any bytes) and gives
// text that its format shows and does not obey. Each states its law; the
// fuzz tests hold it to that law.

// zwsp breaks what would otherwise be read as a mention, a reference, a link
// or a command. It has no width and is not shown.
const zwsp = "\u200b"

// Terminal makes text inert on a terminal and in a CI log. Control characters,
// bidirectional overrides and other invisible formatting are shown as \x1b,
// \n, \u202e; a tab becomes four spaces; invalid bytes become U+FFFD. The result
// is one line. Law: no control or format character survives (zero-width joiners
// excepted, which scripts need), and no "##[" or "##vso[", which runners obey
// anywhere in a line.
func Terminal(s string) string {
	if plainASCII(s) {
		return s
	}
	return strings.Join(terminalRunes(s), "")
}

// terminalRunes is Terminal rune by rune: one piece for each code point of s, so
// that a place in s can be found in the result.
func terminalRunes(s string) []string {
	out := make([]string, 0, len(s))
	hashes, word := 0, false // "##" seen, then only letters since
	for _, r := range s {
		piece := terminalRune(r)
		switch {
		case r == '#':
			hashes, word = hashes+1, true
		case r == '[' && word && hashes >= 2:
			piece, hashes, word = `\x5b`, 0, false
		case !unicode.IsLetter(r) || !word:
			hashes, word = 0, false
		}
		out = append(out, piece)
	}
	return out
}

func terminalRune(r rune) string {
	switch {
	case r == '\t':
		return "    "
	case r == '\n':
		return `\n`
	case r == '\r':
		return `\r`
	case hidden(r):
		if r < 0x100 {
			return fmt.Sprintf(`\x%02x`, r)
		}
		if r > 0xffff {
			return fmt.Sprintf(`\U%08x`, r)
		}
		return fmt.Sprintf(`\u%04x`, r)
	}
	return string(r)
}

// hidden says whether a rune steers a terminal or hides from its reader.
func hidden(r rune) bool {
	switch {
	case r >= 0x20 && r < 0x7f:
		return false
	case r == 0x200c, r == 0x200d:
		return false // joiners: Persian, Indic scripts and emoji need them
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Co)
}

// plainASCII says that Terminal has nothing to do.
func plainASCII(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < 0x20 || s[i] >= 0x7f || s[i] == '#' {
			return false
		}
	}
	return true
}

// inertJSON escapes inside finished JSON what encoding/json leaves as it is:
// DEL, C1 controls, bidirectional and other format characters, and the bracket
// of "##[". They can only stand in strings. Law: the value is unchanged, and no
// such character survives.
func inertJSON(b []byte) []byte {
	s := string(b)
	if plainJSON(s) {
		return b
	}
	var out strings.Builder
	out.Grow(len(s) + 64)
	hashes, word := 0, false
	for _, r := range s {
		switch {
		case r == '#':
			hashes, word = hashes+1, true
		case r == '[' && word && hashes >= 2:
			out.WriteString(`\u005b`)
			hashes, word = 0, false
			continue
		case !unicode.IsLetter(r) || !word:
			hashes, word = 0, false
		}
		switch {
		case r == utf8.RuneError:
			// encoding/json writes an invalid byte as an escape and a real U+FFFD
			// as itself; one spelling for both, so that a report read back is the same.
			out.WriteString(`\ufffd`)
		case r == '\n' || !hidden(r):
			out.WriteRune(r)
		case r > 0xffff:
			r -= 0x10000
			fmt.Fprintf(&out, `\u%04x\u%04x`, 0xd800+(r>>10), 0xdc00+(r&0x3ff))
		default:
			fmt.Fprintf(&out, `\u%04x`, r)
		}
	}
	return []byte(out.String())
}

func plainJSON(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] >= 0x7f || s[i] == '#' {
			return false
		}
	}
	return true
}

// commandData escapes the message of a workflow command, commandProperty the
// value of one of its properties. Line breaks in s are kept as breaks of the
// annotation; other controls are shown. Law: one line, no control character,
// and the runner's own unescaping gives back what Terminal shows.
func commandData(s string) string {
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = Terminal(lines[i])
	}
	return dataEscaper.Replace(strings.Join(lines, "\n"))
}

func commandProperty(s string) string { return propertyEscaper.Replace(Terminal(s)) }

var (
	dataEscaper     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	propertyEscaper = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

// Markdown makes text inert in a line of GitHub-flavoured Markdown, in a table
// cell too: shown as it stands, no markup, no HTML, no link, mention, reference
// or formula. It must not begin a block; callers put a word before it. Law: one
// line; no unescaped markup character; see breakAutolinks.
func Markdown(s string) string {
	var out strings.Builder
	for _, r := range breakAutolinks(Terminal(s)) {
		switch r {
		case '<':
			out.WriteString("&lt;")
		case '>':
			out.WriteString("&gt;")
		case '&':
			out.WriteString("&amp;")
		case '\\', '`', '*', '_', '[', ']', '|', '~', '$', '!', '#', '^', '{', '}':
			out.WriteByte('\\')
			out.WriteRune(r)
		default:
			out.WriteRune(r)
		}
	}
	return out.String()
}

// markdownCode makes text inert in a line of a fenced block. Callers make the
// fence longer than any run of backticks in it ([fence]) and never begin the
// line with it. Law: one line; see breakAutolinks.
func markdownCode(s string) string { return breakAutolinks(Terminal(s)) }

// fence is a run of backticks longer than any in the lines, at least three.
func fence(lines []string) string {
	longest := 2
	for _, l := range lines {
		run := 0
		for i := 0; i < len(l); i++ {
			if l[i] == '`' {
				run++
				longest = max(longest, run)
			} else {
				run = 0
			}
		}
	}
	return strings.Repeat("`", longest+1)
}

// breakAutolinks puts a zero-width space into what forges and their bots act
// on wherever it stands, code included: @name, #123, !123, owner/repo#1, GH-123,
// scheme://, www. Law: none of these is left whole.
func breakAutolinks(s string) string {
	s = autolink().ReplaceAllString(s, "$1"+zwsp)
	return www().ReplaceAllString(s, "$1"+zwsp+".")
}

var (
	autolink = lazily(`([@#!]|(?i:gh-)|(?i:mailto|xmpp|https?|ftp|javascript|data):)`)
	www      = lazily(`(?i)(www)\.`)
)

// sarifText escapes a plain SARIF message: square brackets would make embedded
// links and {0} a placeholder. Law: no unescaped bracket, no placeholder.
func sarifText(s string) string {
	s = sarifEscaper.Replace(Terminal(s))
	return placeholder().ReplaceAllString(s, "{"+zwsp+"$1}")
}

var (
	sarifEscaper = strings.NewReplacer(`\`, `\\`, `[`, `\[`, `]`, `\]`)
	placeholder  = lazily(`\{(\d+)\}`)
)

// relPath makes a path one that stays below the root of the repository,
// whatever it was. Law: never absolute, never upward, "" only for nothing.
func relPath(p string) string {
	if p == "" {
		return ""
	}
	// Invalid bytes as JSON would have them, so that a report read back says the same.
	p = drive().ReplaceAllString(valid(p), "")
	return strings.TrimPrefix(path.Clean("/"+p), "/")
}

var drive = lazily(`^(?:[A-Za-z]:|\\\\[?.]?)[\\/]+`)

// uri is a path as a relative URI reference. Law: printable ASCII, no scheme.
func uri(p string) string {
	p = relPath(p)
	var out strings.Builder
	for i := 0; i < len(p); i++ {
		c := p[i]
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', strings.IndexByte("-._~/@+=", c) >= 0:
			out.WriteByte(c)
		default:
			fmt.Fprintf(&out, "%%%02X", c)
		}
	}
	return out.String()
}

// valid is s with each invalid byte as U+FFFD, as encoding/json writes it.
func valid(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	var out strings.Builder
	for _, r := range s {
		out.WriteRune(r)
	}
	return out.String()
}

// clip cuts text at n code points and says so with an ellipsis.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	seen := 0
	for i := range s {
		if seen == n {
			return s[:i] + "…"
		}
		seen++
	}
	return s
}

// lazily compiles an expression when it is first asked for: a table that is
// compiled at the start of the program is paid for by every commit hook.
func lazily(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}

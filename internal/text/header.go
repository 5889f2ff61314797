package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Header is a commit subject taken apart. Offsets are bytes into the subject.
type Header struct {
	Type     string   // conventional type as written, "" where there is none
	TypeAt   int      // where Type stands
	Scopes   []string // what stands in the brackets, or a plain "area: " prefix; as written
	ScopesAt []int    // where each scope stands
	Prefix   bool     // Scopes came from a plain prefix
	Breaking bool     // "!" before the colon
	Rest     string   // what is left, white space cut at both ends
	RestAt   int      // where Rest stands
}

// conventional holds the types that are read as a conventional-commit type.
// The list follows the Angular convention and what projects add to it in practice.
var conventional = map[string]bool{
	"feat": true, "feature": true, "fix": true, "bugfix": true, "hotfix": true, "doc": true, "docs": true,
	"test": true, "tests": true, "refactor": true, "perf": true, "chore": true, "ci": true, "build": true,
	"style": true, "dx": true, "types": true, "workflow": true, "release": true, "revert": true, "deps": true,
	"wip": true, "improvement": true, "enhance": true, "enhancement": true,
}

// notPrefix holds first words of a subject whose colon does not make an area prefix.
var notPrefix = map[string]bool{
	"revert": true, "merge": true, "note": true, "todo": true, "wip": true, "fixup": true, "squash": true,
	"amend": true, "http": true, "https": true, "issue": true, "pr": true, "bug": true,
	"update": true, "add": true, "fix": true, "re": true, "fixes": true, "closes": true, "warning": true,
	"error": true, "bugfix": true, "hotfix": true, "feature": true, "remove": true, "backport": true,
	"v": true, "version": true, "minor": true, "typo": true, "cleanup": true, "nit": true, "hack": true,
}

// IsConventionalType says whether word, in any case, is a type that ParseHeader knows.
func IsConventionalType(word string) bool { return conventional[strings.ToLower(word)] }

// ParseHeader takes a subject line apart: bracket tags ("[core]"), ticket keys
// ("KEY-123:") and emoji in front are passed over, then comes
// "type(scope)!: rest", or a plain "area: rest" or "a, b: rest", or neither.
// The grammar is Conventional Commits 1.0.0 with the looseness of real histories;
// brackets, colons and exclamation marks may be of full width.
func ParseHeader(subject string) Header {
	at := skipTags(subject)
	h := Header{Rest: strings.TrimSpace(subject[at:]), RestAt: at + leadingBlanks(subject[at:])}
	s := subject[at:]
	colon, wide := headerColon(s)
	if colon < 0 {
		return h
	}
	head, rest := s[:colon], s[colon+wide:]
	set := func() {
		h.RestAt = at + colon + wide + leadingBlanks(rest)
		h.Rest = strings.TrimSpace(rest)
	}
	typ := head
	for _, mark := range [...]string{"!", "！"} {
		if strings.HasSuffix(typ, mark) {
			typ = strings.TrimSuffix(typ, mark)
			h.Breaking = true
			break
		}
	}
	if i, scope, scopeAt := brackets(typ); i > 0 {
		typ = typ[:i]
		if isWordish(typ, 24) && (conventional[strings.ToLower(typ)] || isLower(typ)) {
			h.Type, h.TypeAt = typ, at
			h.addScopes(scope, at+scopeAt)
			set()
			return h
		}
		h.Breaking = false
		return h
	}
	if conventional[strings.ToLower(typ)] {
		h.Type, h.TypeAt = typ, at
		set()
		return h
	}
	h.Breaking = false
	// A plain prefix: up to three short words joined by comma or slash.
	first, _, _ := strings.Cut(strings.ToLower(head), " ")
	if notPrefix[strings.Trim(first, ",")] || len(head) > 48 {
		return h
	}
	parts := strings.Split(head, ",")
	if len(parts) > 4 {
		return h
	}
	for _, p := range parts {
		if !isPrefixWord(strings.TrimSpace(p)) {
			return h
		}
	}
	h.Prefix = true
	h.addScopes(head, at)
	set()
	return h
}

// brackets finds what stands in the round brackets that end s, in either width;
// at is where they open, 0 for none.
func brackets(s string) (at int, inner string, innerAt int) {
	s = strings.TrimRight(s, " ")
	end := strings.TrimSuffix(strings.TrimSuffix(s, ")"), "）")
	if end == s {
		return 0, "", 0
	}
	i, n := strings.IndexByte(end, '('), 1
	if j := strings.Index(end, "（"); j >= 0 && (i < 0 || j < i) {
		i, n = j, len("（")
	}
	if i < 1 {
		return 0, "", 0
	}
	return i, end[i+n:], i + n
}

func (h *Header) addScopes(s string, at int) {
	start := 0
	flush := func(end int) {
		p := s[start:end]
		if t := strings.TrimSpace(p); t != "" {
			h.Scopes = append(h.Scopes, t)
			h.ScopesAt = append(h.ScopesAt, at+start+leadingBlanks(p))
		}
		start = end + 1
	}
	for i := 0; i < len(s); i++ {
		if s[i] == ',' || s[i] == '|' || s[i] == ';' || s[i] == '&' {
			flush(i)
		}
	}
	flush(len(s))
}

// headerColon is the offset and the length of the first colon that is followed
// by a blank (or the end) and has no blank-separated sentence before it; -1 for
// none. The colon of full width, as East Asian keyboards write it, needs no blank
// behind it, nor does one before a letter of those scripts.
func headerColon(s string) (at, length int) {
	for i := 0; i < len(s) && i < 80; i++ {
		switch s[i] {
		case ':':
			if i == 0 {
				return -1, 0
			}
			if i+1 == len(s) || s[i+1] == ' ' || s[i+1] == '\t' {
				return i, 1
			}
			if s[i+1] == ':' || s[i+1] == '/' || s[i-1] == ':' {
				return -1, 0
			}
			if conventional[strings.ToLower(s[:i])] { // "fix:foo"
				return i, 1
			}
			if r, _ := utf8.DecodeRuneInString(s[i+1:]); isCJK(r) {
				return i, 1
			}
			return -1, 0
		case wideColon[0]:
			if strings.HasPrefix(s[i:], wideColon) {
				if i == 0 {
					return -1, 0
				}
				return i, len(wideColon)
			}
		case '`', '"', '\'', '\n':
			return -1, 0
		}
	}
	return -1, 0
}

const wideColon = "："

func skipTags(s string) int {
	i := 0
	for i < len(s) {
		i += leadingBlanks(s[i:])
		rest := s[i:]
		if strings.HasPrefix(rest, "[") {
			if j := strings.IndexByte(rest, ']'); j > 0 && j <= 41 && j+1 < len(rest) {
				i += j + 1
				if strings.HasPrefix(s[i:], ":") {
					i++
				}
				continue
			}
		}
		if strings.HasPrefix(rest, "【") {
			if j := strings.Index(rest, "】"); j > 0 && j <= 60 && j+len("】") < len(rest) {
				i += j + len("】")
				continue
			}
		}
		if n := ticketKey(rest); n > 0 {
			i += n
			continue
		}
		if strings.HasPrefix(rest, ":") { // :emoji_name:
			if j := strings.IndexByte(rest[1:], ':'); j > 0 && j < 32 && isWordish(strings.Trim(rest[1:1+j], "_"), 32) {
				i += j + 2
				continue
			}
		}
		r, n := utf8.DecodeRuneInString(rest)
		if r >= 0x2190 && r != utf8.RuneError && !isCJK(r) && !unicode.IsLetter(r) { // arrows, symbols, emoji
			i += n
			continue
		}
		if r == 0xFEFF || r == 0x200d {
			i += n
			continue
		}
		break
	}
	return i
}

// isCJK keeps letters of East Asian scripts, which lie above the symbols, from being taken for emoji.
func isCJK(r rune) bool {
	return r >= 0x2E80 && r <= 0xD7FF || r >= 0xF900 && r <= 0xFAFF || r >= 0xFF00 && r <= 0xFFEF || r >= 0x20000 && r <= 0x3FFFF
}

// standards look like the key of a ticket and are what the subject is about: "UTF-8 names".
var standards = map[string]bool{"UTF": true, "SHA": true, "ISO": true, "RFC": true, "AES": true, "CVE": true, "CWE": true, "PEP": true, "MD": true, "IEEE": true, "ECMA": true}

// ticketKey is the length of a leading "KEY-123" with an optional colon, dash or comma.
func ticketKey(s string) int {
	i := 0
	for i < len(s) && (s[i] >= 'A' && s[i] <= 'Z' || i > 0 && s[i] >= '0' && s[i] <= '9') {
		i++
	}
	if i < 2 || i >= len(s) || s[i] != '-' || standards[s[:i]] {
		return 0
	}
	j := i + 1
	for j < len(s) && s[j] >= '0' && s[j] <= '9' {
		j++
	}
	if j == i+1 {
		return 0
	}
	for j < len(s) && (s[j] == ':' || s[j] == ',' || s[j] == ' ' || s[j] == '-') {
		j++
	}
	return j
}

// leadingBlanks counts what strings.TrimSpace would cut in front.
func leadingBlanks(s string) int { return len(s) - len(strings.TrimLeftFunc(s, unicode.IsSpace)) }

func isWordish(s string, max int) bool {
	if s == "" || len(s) > max {
		return false
	}
	for i := 0; i < len(s); i++ {
		c := s[i]
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '-' || c == '_' || i > 0 && c >= '0' && c <= '9') {
			return false
		}
	}
	return true
}

func isLower(s string) bool { return s == strings.ToLower(s) }

// isPrefixWord says whether p can be one name of an "area: " prefix.
func isPrefixWord(p string) bool {
	if p == "" || len(p) > 40 {
		return false
	}
	for i := 0; i < len(p); i++ {
		c := p[i]
		ok := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '.' || c == '/' || c == '+' || c == '*' || c == '-' || c == '@' || c >= 0x80
		if !ok {
			return false
		}
	}
	c := p[0]
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == '.' || c == '@' || c == '*'
}

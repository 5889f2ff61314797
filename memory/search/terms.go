package search

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"github.com/saysolint/sayso/internal/text"
)

// maxTerm bounds a term, in bytes: what is longer is data and not a word. Text
// and question are cut alike.
const maxTerm = 96

// tokenKind says what a token is of the text that it was cut from.
type tokenKind uint8

const (
	word   tokenKind = iota // a run of letters and digits
	pair                    // two characters of a script without blanks, or a single one that stands alone
	whole                   // words joined by _ - . / or ': an identifier, a path, a version
	part                    // a part of a word that changes case inside: parse and header of parseHeader
	single                  // one character of a script without blanks
)

// token is one term of a text. from and to are where it stands in the text that
// [tokenizer.each] cut, which is the text in NFKC.
type token struct {
	text     string // folded
	kind     tokenKind
	from, to int
	group    int // tokens of one run without blanks have the same number
}

// tokenizer cuts text into terms. It keeps buffers, so it is not for several
// goroutines at once.
type tokenizer struct {
	group int
	spans [][2]int
}

// each calls fn for every token of a text, in order. The text is brought into
// NFKC first, as full-width letters and decomposed accents are the same word; the
// normal text is returned.
func (t *tokenizer) each(s string, fn func(token)) string {
	s = normal(s)
	for i := 0; i < len(s); {
		class, n := classAt(s, i)
		if class == other || class == mark {
			i += n
			continue
		}
		t.group++
		if class == dense {
			i = t.dense(s, i, fn)
		} else {
			i = t.compound(s, i, fn)
		}
	}
	return s
}

// class is what a character is for the cutting of words.
type class uint8

const (
	other  class = iota
	letter       // also digits
	mark         // belongs to the letter before it
	dense        // a script that writes without blanks between words
)

func classAt(s string, i int) (class, int) {
	if c := s[i]; c < utf8.RuneSelf {
		if asciiWord[c] {
			return letter, 1
		}
		return other, 1
	}
	r, n := utf8.DecodeRuneInString(s[i:])
	switch {
	case r == utf8.RuneError && n == 1:
		return other, 1
	case unicode.IsLetter(r):
		if unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar) {
			return dense, n
		}
		return letter, n
	case unicode.IsNumber(r):
		return letter, n
	case unicode.IsMark(r):
		return mark, n
	case r == 'ー': // lengthens a Katakana vowel; of no script by itself
		return dense, n
	}
	return other, n
}

var asciiWord = func() (t [utf8.RuneSelf]bool) {
	for c := range t {
		t[c] = c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
	}
	return t
}()

// dense cuts a run of a script without blanks into single characters and pairs
// of neighbours: any word of it is found by its pairs.
func (t *tokenizer) dense(s string, i int, fn func(token)) int {
	starts := []int{}
	end := i
	for end < len(s) {
		c, n := classAt(s, end)
		if c == dense {
			starts = append(starts, end)
		} else if c != mark {
			break
		}
		end += n
	}
	starts = append(starts, end)
	for k := range len(starts) - 1 {
		fn(token{text: fold(s[starts[k]:starts[k+1]]), kind: single, from: starts[k], to: starts[k+1], group: t.group})
		if k+2 < len(starts) {
			fn(token{text: fold(s[starts[k]:starts[k+2]]), kind: pair, from: starts[k], to: starts[k+2], group: t.group})
		}
	}
	if len(starts) == 2 { // a single character is a word of its own
		fn(token{text: fold(s[starts[0]:end]), kind: pair, from: starts[0], to: end, group: t.group})
	}
	return end
}

// compound cuts a run of words joined by _ - . / or an apostrophe: the run as a
// whole, each word, and the parts of words that change case inside.
func (t *tokenizer) compound(s string, i int, fn func(token)) int {
	t.spans = t.spans[:0]
	start, end := i, i
	for {
		from := end
		for end < len(s) {
			c, n := classAt(s, end)
			if c != letter && c != mark {
				break
			}
			end += n
		}
		t.spans = append(t.spans, [2]int{from, end})
		n := joiner(s, end)
		if n == 0 {
			break
		}
		end += n
	}
	if n := suffix(s, start, end); n > 0 { // C++, C#
		fn(cut(s, start, end+n, whole, t.group))
		end += n
	} else if len(t.spans) > 1 {
		fn(cut(s, start, end, whole, t.group))
	}
	for _, sp := range t.spans {
		fn(cut(s, sp[0], sp[1], word, t.group))
		if !mixed(s[sp[0]:sp[1]]) {
			continue
		}
		if parts := text.SplitIdentifier(s[sp[0]:sp[1]]); len(parts) > 1 {
			for _, p := range parts {
				fn(token{text: shorten(fold(p)), kind: part, from: sp[0], to: sp[1], group: t.group})
			}
		}
	}
	return end
}

// joiner is the length of what joins two words at i, 0 where nothing does. A
// joiner stands between letters or digits: a full stop at the end of a sentence is none.
func joiner(s string, i int) int {
	if i >= len(s) {
		return 0
	}
	n := 0
	switch s[i] {
	case '_', '-', '.', '/', '\'':
		n = 1
	default:
		if strings.HasPrefix(s[i:], "’") {
			n = len("’")
		}
	}
	if n == 0 || i+n >= len(s) {
		return 0
	}
	if c, _ := classAt(s, i+n); c != letter {
		return 0
	}
	return n
}

// suffix is the length of the "++" or "#" that some names of languages end with.
func suffix(s string, start, end int) int {
	n := 0
	switch {
	case end-start > 2:
		return 0
	case strings.HasPrefix(s[end:], "++"):
		n = 2
	case strings.HasPrefix(s[end:], "#"):
		n = 1
	default:
		return 0
	}
	if end+n < len(s) {
		if c, _ := classAt(s, end+n); c != other {
			return 0
		}
	}
	return n
}

func cut(s string, from, to int, kind tokenKind, group int) token {
	return token{text: shorten(fold(s[from:to])), kind: kind, from: from, to: to, group: group}
}

// mixed says whether a word may change case inside.
func mixed(s string) bool {
	lower, upper := false, false
	for _, r := range s {
		upper = upper || unicode.IsUpper(r)
		lower = lower || unicode.IsLower(r)
	}
	return lower && upper && strings.IndexFunc(s[1:], unicode.IsUpper) >= 0
}

// normal is a text in NFKC.
func normal(s string) string {
	if ascii(s) {
		return s
	}
	return norm.NFKC.String(strings.ToValidUTF8(s, "\uFFFD"))
}

// fold takes case away by Unicode's full folding. The dot that folding leaves of
// a Turkish İ goes, so that it is an i; the typographic apostrophe becomes the plain one.
func fold(s string) string {
	if ascii(s) {
		return strings.ToLower(s)
	}
	s = cases.Fold().String(s)
	s = strings.ReplaceAll(s, "i\u0307", "i")
	return norm.NFKC.String(strings.ReplaceAll(s, "’", "'"))
}

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

func shorten(s string) string {
	if len(s) <= maxTerm {
		return s
	}
	end := maxTerm
	for !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end]
}

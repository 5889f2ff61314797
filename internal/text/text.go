package text

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/english"
)

// Words splits s into lower-cased words: runs of letters and digits that begin
// with a letter, cut at camelCase and acronym boundaries ("HTTPServer2" gives
// http, server2); one-letter parts are left out.
func Words(s string) []string {
	var out []string
	EachWord(s, func(w string) { out = append(out, w) })
	return out
}

// EachWord calls fn for every word that Words would return.
func EachWord(s string, fn func(word string)) {
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if !unicode.IsLetter(r) {
			i += n
			continue
		}
		j := i + n
		for j < len(s) {
			r, n := utf8.DecodeRuneInString(s[j:])
			if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.Is(unicode.Mn, r) {
				break
			}
			j += n
		}
		for _, p := range SplitIdentifier(s[i:j]) {
			if utf8.RuneCountInString(p) > 1 {
				fn(p)
			}
		}
		i = j
	}
}

// SplitIdentifier cuts one identifier at underscores, hyphens and case changes
// and lower-cases the parts: "parseHTTPHeader_v2" gives parse, http, header, v2.
func SplitIdentifier(id string) []string {
	var out []string
	rs := []rune(id)
	start := 0
	flush := func(end int) {
		if end > start {
			out = append(out, strings.ToLower(string(rs[start:end])))
		}
		start = end
	}
	for i, r := range rs {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.Is(unicode.Mn, r):
			flush(i)
			start = i + 1
		case i > start && unicode.IsUpper(r) && !unicode.IsUpper(rs[i-1]):
			flush(i)
		case i > start+1 && unicode.IsLower(r) && unicode.IsUpper(rs[i-1]) && unicode.IsUpper(rs[i-2]):
			flush(i - 1)
		}
	}
	flush(len(rs))
	return out
}

// Stem is the Snowball English stem of a lower-case word. It has to be the same
// on both sides of a comparison, not right: words of other languages pass through it as well.
func Stem(word string) string {
	if len(word) < 4 {
		return word
	}
	env := snowballstem.NewEnv(word)
	english.Stem(env)
	return env.Current()
}

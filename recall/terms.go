package recall

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/saysolint/sayso/internal/text"
)

// maxTerm is the longest term in bytes that is kept: what is longer is a blob of data
// and no word.
const maxTerm = 64

// eachTerm calls fn for every term of a text: the stems of its words, numbers of two
// digits and more, and names with inner structure ("parseHeader", "go.mod",
// "x-request-id") whole beside their parts. Terms are lower case and in NFC.
func eachTerm(s string, fn func(term string)) {
	s = norm.NFC.String(strings.ToValidUTF8(s, "\uFFFD"))
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			i += n
			continue
		}
		start := i
		for i < len(s) {
			r, n := utf8.DecodeRuneInString(s[i:])
			if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.Is(unicode.Mn, r) && !joins(r) {
				break
			}
			i += n
		}
		oneTerm(strings.TrimRight(s[start:i], "._-/"), fn)
	}
}

func joins(r rune) bool { return r == '_' || r == '-' || r == '.' || r == '/' }

// oneTerm emits what one run without blanks gives.
func oneTerm(run string, fn func(string)) {
	parts := 0
	emit := func(p string) {
		parts++
		if len(p) <= maxTerm {
			fn(text.Stem(p))
		}
	}
	for i := 0; i < len(run); {
		r, n := utf8.DecodeRuneInString(run[i:])
		if joins(r) {
			i += n
			continue
		}
		j := i
		for j < len(run) {
			r, n := utf8.DecodeRuneInString(run[j:])
			if joins(r) {
				break
			}
			j += n
		}
		piece := run[i:j]
		if first, _ := utf8.DecodeRuneInString(piece); unicode.IsLetter(first) {
			text.EachWord(piece, emit)
		} else if len(piece) > 1 {
			emit(strings.ToLower(piece))
		}
		i = j
	}
	if parts > 1 && len(run) <= maxTerm {
		fn(strings.ToLower(run))
	}
}

// stop are the words of a question that ask and do not name what is asked for. They
// are dropped from questions only, and only where something else remains.
var stop = sync.OnceValue(func() map[string]bool {
	return words(`a about an and any are as at be because been but by can could did do does for from had has have how
	i if in into is it its may me my no not of on or our shall should so than that the their them then there these they this
	to us was we were what when where which who why will with would you your`)
})

func words(list string) map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(list) {
		m[w] = true
		m[text.Stem(w)] = true
	}
	return m
}

// Terms is what a question is searched by: its terms in the order in which they first
// stand, each once, without the words that only ask.
func Terms(question string) []string {
	var all, kept []string
	seen, asking := map[string]bool{}, stop()
	eachTerm(question, func(t string) {
		if seen[t] {
			return
		}
		seen[t] = true
		all = append(all, t)
		if !asking[t] {
			kept = append(kept, t)
		}
	})
	if len(kept) == 0 {
		return all
	}
	return kept
}

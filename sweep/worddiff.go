package sweep

import (
	"strings"
	"unicode"

	"github.com/sergi/go-diff/diffmatchpatch"
)

// Span is a piece of a word difference.
type Span struct {
	Op   string `json:"op"`   // equal, gone or come
	Text string `json:"text"` // as it stands in the file, line ends included
}

const (
	maxDiffBytes = 8 << 10 // of both passages: a longer difference is not worth reading in a report
	maxSpanEqual = 120     // bytes of equal text that are shown between two differences
)

// wordDiff is what differs between two passages by whole words; nil where they
// are too long for a report. Long equal pieces are cut in their middle.
func wordDiff(old, new []byte) []Span {
	if len(old)+len(new) > maxDiffBytes {
		return nil
	}
	number, words := map[string]rune{}, []string{""}
	runes := func(s string) (out []rune) {
		for _, w := range splitWords(s) {
			r, ok := number[w]
			if !ok {
				r = rune(len(words))
				number[w] = r
				words = append(words, w)
			}
			out = append(out, r)
		}
		return out
	}
	dmp := diffmatchpatch.New()
	dmp.DiffTimeout = 0
	a, b := runes(strings.ToValidUTF8(string(old), "\uFFFD")), runes(strings.ToValidUTF8(string(new), "\uFFFD"))
	ops := map[diffmatchpatch.Operation]string{diffmatchpatch.DiffEqual: "equal", diffmatchpatch.DiffDelete: "gone", diffmatchpatch.DiffInsert: "come"}
	var out []Span
	for _, d := range dmp.DiffMainRunes(a, b, false) {
		var text strings.Builder
		for _, r := range d.Text {
			text.WriteString(words[r])
		}
		s := Span{Op: ops[d.Type], Text: text.String()}
		if s.Op == "equal" && len(s.Text) > maxSpanEqual {
			head, tail := s.Text[:maxSpanEqual/2], s.Text[len(s.Text)-maxSpanEqual/2:]
			s.Text = strings.ToValidUTF8(head, "") + "…" + strings.ToValidUTF8(tail, "")
		}
		out = append(out, s)
	}
	return out
}

// splitWords cuts a text into runs of letters, digits and underscores, runs of
// white space, and single other characters.
func splitWords(s string) []string {
	var out []string
	last, from := -1, 0
	for i, r := range s {
		class := 2
		switch {
		case unicode.IsLetter(r), unicode.IsDigit(r), r == '_', unicode.Is(unicode.Mn, r):
			class = 0
		case unicode.IsSpace(r):
			class = 1
		}
		if i > 0 && (class != last || class == 2) {
			out = append(out, s[from:i])
			from = i
		}
		last = class
	}
	if from < len(s) {
		out = append(out, s[from:])
	}
	return out
}

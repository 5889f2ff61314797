package report

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/sergi/go-diff/diffmatchpatch"
)

// maxDiffWords bounds the work of one word diff; longer lines are shown unmarked.
const maxDiffWords = 400

// wordDiff is which code points of an old and a new line are not in the
// other, by whole words. Both are nil where the lines have too little in common
// for the difference to tell anything.
func wordDiff(old, new string) (gone, come []span) {
	a, b := words(old), words(new)
	if len(a) > maxDiffWords || len(b) > maxDiffWords {
		return nil, nil
	}
	dmp := diffmatchpatch.New()
	dmp.DiffTimeout = 0 // a result must not depend on the speed of the machine
	// Words go in as lines: the library compares lines without cutting into them.
	x, y, lines := dmp.DiffLinesToRunes(strings.Join(a, "\n")+"\n", strings.Join(b, "\n")+"\n")
	diffs := dmp.DiffCharsToLines(dmp.DiffMainRunes(x, y, false), lines)
	oldAt, newAt, same := 0, 0, 0
	for _, d := range diffs {
		n := utf8.RuneCountInString(d.Text) - strings.Count(d.Text, "\n")
		switch d.Type {
		case diffmatchpatch.DiffEqual:
			oldAt, newAt = oldAt+n, newAt+n
			same += utf8.RuneCountInString(strings.Join(strings.Fields(d.Text), ""))
		case diffmatchpatch.DiffDelete:
			gone = append(gone, span{oldAt, oldAt + n})
			oldAt += n
		case diffmatchpatch.DiffInsert:
			come = append(come, span{newAt, newAt + n})
			newAt += n
		}
	}
	if 3*same < max(oldAt, newAt) {
		return nil, nil
	}
	return gone, come
}

// words cuts a line into runs of letters and digits, runs of blanks, and single
// other characters. Line breaks become blanks, so that a word is never two lines.
func words(s string) []string {
	var out []string
	last := 0
	for _, r := range valid(s) {
		class := 3
		switch {
		case r == '\n' || r == '\r':
			r, class = ' ', 2
		case unicode.IsLetter(r), unicode.IsDigit(r), r == '_':
			class = 1
		case unicode.IsSpace(r):
			class = 2
		}
		if class == last && class != 3 {
			out[len(out)-1] += string(r)
		} else {
			out = append(out, string(r))
		}
		last = class
	}
	return out
}

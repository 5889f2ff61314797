package sweep

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/sergi/go-diff/diffmatchpatch"
)

// doc is a text cut into lines, each with two numbers that stand for its
// content: exact is the line without its end, loose the line without white space.
type doc struct {
	text  []byte
	start []int // of each line in text, and one more for the end
	exact []uint64
	loose []uint64
}

// newDoc cuts a text into lines. A final line without a line end counts.
func newDoc(text []byte) *doc {
	n := bytes.Count(text, []byte("\n")) + 1
	d := &doc{text: text, start: make([]int, 0, n+1), exact: make([]uint64, 0, n), loose: make([]uint64, 0, n)}
	eachLine(text, func(at int, line []byte) {
		exact, loose, _ := hashLine(line)
		d.start, d.exact, d.loose = append(d.start, at), append(d.exact, exact), append(d.loose, loose)
	})
	d.start = append(d.start, len(text))
	return d
}

// eachLine calls fn for each line without its end.
func eachLine(text []byte, fn func(at int, line []byte)) {
	for at := 0; at < len(text); {
		end, next := len(text), len(text)
		if i := bytes.IndexByte(text[at:], '\n'); i >= 0 {
			end, next = at+i, at+i+1
		}
		if end > at && text[end-1] == '\r' {
			end--
		}
		fn(at, text[at:end])
		at = next
	}
}

const (
	fnvStart = 14695981039346656037
	fnvPrime = 1099511628211
)

// hashLine is the two numbers of a line (FNV-1a, 64 bits) and how many bytes of
// it are letters or digits.
func hashLine(line []byte) (exact, loose uint64, weight int) {
	exact, loose = fnvStart, fnvStart
	for _, c := range line {
		exact = (exact ^ uint64(c)) * fnvPrime
		if c != ' ' && c != '\t' {
			loose = (loose ^ uint64(c)) * fnvPrime
		}
		if c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= 0x80 {
			weight++
		}
	}
	return exact, loose, weight
}

// len is the number of lines.
func (d *doc) len() int { return len(d.exact) }

// lines is the text of the lines [from, to), counted from 0, with their ends.
func (d *doc) lines(from, to int) []byte { return d.text[d.start[from]:d.start[to]] }

// maxMyers bounds the product of the lengths of two passages that are compared
// line by line without a line that occurs once in both.
const maxMyers = 1 << 22

// align says for each element of a which of b it is, -1 for none, as a
// difference of the two would: the order is kept. It pairs what occurs once on
// both sides first (the patience difference of B. Cohen, longest increasing
// subsequence by piles), and what lies between by the algorithm of Myers
// (Algorithmica 1, 1986).
func align(a, b []uint64) []int {
	m := make([]int, len(a))
	for i := range m {
		m[i] = -1
	}
	alignRange(a, b, 0, len(a), 0, len(b), m, 0)
	return m
}

func alignRange(a, b []uint64, a0, a1, b0, b1 int, m []int, depth int) {
	for a0 < a1 && b0 < b1 && a[a0] == b[b0] {
		m[a0] = b0
		a0, b0 = a0+1, b0+1
	}
	for a0 < a1 && b0 < b1 && a[a1-1] == b[b1-1] {
		a1, b1 = a1-1, b1-1
		m[a1] = b1
	}
	if a0 == a1 || b0 == b1 {
		return
	}
	pairs := uniquePairs(a, b, a0, a1, b0, b1)
	if len(pairs) == 0 || depth > 64 {
		myers(a, b, a0, a1, b0, b1, m)
		return
	}
	for _, p := range pairs {
		m[p[0]] = p[1]
		alignRange(a, b, a0, p[0], b0, p[1], m, depth+1)
		a0, b0 = p[0]+1, p[1]+1
	}
	alignRange(a, b, a0, a1, b0, b1, m, depth+1)
}

// uniquePairs are the longest run of pairs, in order on both sides, of elements
// that occur once in each of the two ranges.
func uniquePairs(a, b []uint64, a0, a1, b0, b1 int) [][2]int {
	type seen struct{ inA, inB, atA, atB int }
	count := make(map[uint64]seen, a1-a0)
	for i := a0; i < a1; i++ {
		s := count[a[i]]
		s.inA, s.atA = s.inA+1, i
		count[a[i]] = s
	}
	for j := b0; j < b1; j++ {
		if s, ok := count[b[j]]; ok {
			s.inB, s.atB = s.inB+1, j
			count[b[j]] = s
		}
	}
	var all [][2]int
	for i := a0; i < a1; i++ {
		if s := count[a[i]]; s.inA == 1 && s.inB == 1 {
			all = append(all, [2]int{i, s.atB})
		}
	}
	if len(all) < 2 {
		return all
	}
	tails := make([]int, 0, len(all)) // index in all of the top of each pile
	back := make([]int, len(all))
	for i, p := range all {
		at, _ := slices.BinarySearchFunc(tails, p[1], func(t, want int) int { return cmp.Compare(all[t][1], want) })
		back[i] = -1
		if at > 0 {
			back[i] = tails[at-1]
		}
		if at == len(tails) {
			tails = append(tails, i)
		} else {
			tails[at] = i
		}
	}
	out := make([][2]int, len(tails))
	for i, k := len(tails)-1, tails[len(tails)-1]; i >= 0; i, k = i-1, back[k] {
		out[i] = all[k]
	}
	return out
}

// myers pairs two ranges by the library's difference over one rune an element.
func myers(a, b []uint64, a0, a1, b0, b1 int, m []int) {
	if (a1-a0)*(b1-b0) > maxMyers {
		return
	}
	number := map[uint64]rune{}
	runes := func(s []uint64) []rune {
		out := make([]rune, len(s))
		for i, h := range s {
			r, ok := number[h]
			if !ok {
				r = rune(len(number) + 1)
				if r >= 0xD800 { // no surrogates: the library makes strings of them
					r += 0x800
				}
				number[h] = r
			}
			out[i] = r
		}
		return out
	}
	dmp := diffmatchpatch.New()
	dmp.DiffTimeout = 0 // a result must not depend on the speed of the machine
	i, j := a0, b0
	for _, d := range dmp.DiffMainRunes(runes(a[a0:a1]), runes(b[b0:b1]), false) {
		n := len([]rune(d.Text))
		switch d.Type {
		case diffmatchpatch.DiffEqual:
			for k := range n {
				m[i+k] = j + k
			}
			i, j = i+n, j+n
		case diffmatchpatch.DiffDelete:
			i += n
		case diffmatchpatch.DiffInsert:
			j += n
		}
	}
}

// occurrences are the places of a sequence in a text, at most max of them.
func occurrences(text, sequence []uint64, max int) []int {
	var out []int
	if len(sequence) == 0 {
		return nil
	}
	for i := 0; i+len(sequence) <= len(text) && len(out) < max; i++ {
		if text[i] == sequence[0] && slices.Equal(text[i:i+len(sequence)], sequence) {
			out = append(out, i)
		}
	}
	return out
}

package sweep

import (
	"bytes"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/sergi/go-diff/diffmatchpatch"
)

// How a passage was found again, from the surest way to the least sure.
const (
	viaSame    = "same"  // the file is the same, byte for byte
	viaExact   = "exact" // the same lines
	viaSpace   = "space" // the same lines but for white space
	viaPatch   = "patch" // a commit with the same change
	viaFuzzy   = "fuzzy" // similar lines between the same neighbours, or where go-diff's matcher finds their ends
	viaNowhere = ""      // not found
	minDrift   = 0.40    // below this similarity a passage is lost: measured, two passages of one language reach 0.3 by chance
	maxWords   = 4 << 10 // bytes of the two passages up to which they are compared letter by letter
	maxSearch  = 256 << 10
)

// place is where a passage of an old text stands in a new one: lines [from, to)
// counted from 0.
type place struct {
	from, to   int
	via        string
	similarity float64 // 1 for the same lines
	mapped     int     // lines of the passage that the alignment found
	certain    bool    // no other place of the new text has the same lines, or its neighbours tell which one it is
}

func (p place) found() bool { return p.via != viaNowhere }

// placeIn finds the lines [from, to) of old in new. rough leaves the fuzzy ways out.
func placeIn(old, new *doc, from, to int, m []int, rough bool) place {
	for _, f := range []struct {
		via      string
		old, new []uint64
	}{{viaExact, old.exact, new.exact}, {viaSpace, old.loose, new.loose}} {
		if at, certain, ok := exactly(f.old, f.new, from, to, m); ok {
			return place{from: at, to: at + to - from, via: f.via, similarity: 1, mapped: to - from, certain: certain}
		}
	}
	p := place{}
	lo, hi := math.MaxInt, -1
	for i := from; i < to; i++ {
		if m[i] >= 0 {
			lo, hi = min(lo, m[i]), max(hi, m[i]+1)
			p.mapped++
		}
	}
	if rough {
		return p
	}
	try := func(a, b int) {
		if a < 0 || b > new.len() || a >= b || b-a > 4*(to-from)+16 {
			return
		}
		if s := similarity(old.lines(from, to), new.lines(a, b)); s > p.similarity {
			p.from, p.to, p.similarity = a, b, s
		}
	}
	shift := 0 // how far the passage went, by the line of it or before it that is nearest to its beginning
	if hi > 0 {
		try(lo, hi)
		for i := from; i < to; i++ {
			if m[i] >= 0 {
				shift = m[i] - i
				break
			}
		}
		try(from+shift, to+shift)
	}
	before, after := -1, new.len()
	for i := from - 1; i >= 0; i-- {
		if m[i] >= 0 {
			before = m[i]
			if hi < 0 {
				shift = m[i] - i
			}
			break
		}
	}
	for i := to; i < old.len(); i++ {
		if m[i] >= 0 {
			after = m[i]
			break
		}
	}
	try(before+1, after)
	if p.similarity < 0.8 {
		if a, b, ok := matchEnds(old, new, from, to, from+shift); ok {
			try(a, b)
		}
	}
	if p.similarity >= minDrift {
		p.via = viaFuzzy
	}
	return p
}

// exactly finds a sequence whose lines all stand in the new text, in order and
// without anything between. Where it stands more than once, or stood more than
// once, the alignment of the whole texts says which one it is, and where that is
// silent the neighbours do.
func exactly(old, new []uint64, from, to int, m []int) (at int, certain, ok bool) {
	want := old[from:to]
	aligned := m[from]
	for i := from; i < to && aligned >= 0; i++ {
		if m[i] != aligned+i-from || new[m[i]] != old[i] {
			aligned = -1
		}
	}
	places := occurrences(new, want, 64)
	switch {
	case len(places) == 0:
		return 0, false, false
	case aligned >= 0:
		return aligned, true, true
	}
	before := occurrences(old, want, 2)
	if len(places) == 1 && len(before) == 1 {
		return places[0], true, true
	}
	// Another passage with the same lines may have kept its place: not this one's.
	taken := map[int]bool{}
	for i, j := range m {
		if j >= 0 && (i < from || i >= to) {
			taken[j] = true
		}
	}
	best, second, where := -1, -1, 0
	for _, p := range places {
		free := true
		for j := p; j < p+to-from && free; j++ {
			free = !taken[j]
		}
		if !free {
			continue
		}
		score := around(old, new, from, to, p)
		if score > best {
			best, second, where = score, best, p
		} else if score > second {
			second = score
		}
	}
	if best < 0 {
		return 0, false, false
	}
	return where, best > second, true
}

// around is how many lines right before and after a passage are the same in both texts.
func around(old, new []uint64, from, to, at int) int {
	n := 0
	for i, j := from-1, at-1; i >= 0 && j >= 0 && n < 8 && old[i] == new[j]; i, j = i-1, j-1 {
		n++
	}
	k := 0
	for i, j := to, at+to-from; i < len(old) && j < len(new) && k < 8 && old[i] == new[j]; i, j = i+1, j+1 {
		k++
	}
	return n + k
}

// matchEnds looks for the beginning and the end of a passage with go-diff's
// matcher, near where it should be.
func matchEnds(old, new *doc, from, to, near int) (a, b int, ok bool) {
	if len(new.text) > maxSearch {
		return 0, 0, false
	}
	passage := strings.TrimSpace(string(old.lines(from, to)))
	text := string(new.text)
	dmp := diffmatchpatch.New()
	dmp.MatchDistance = max(1000, len(text))
	dmp.MatchThreshold = 0.3
	const bits = 32 // what the matcher can take
	head, tail := passage[:min(bits, len(passage))], passage[max(0, len(passage)-bits):]
	if len(head) < 8 {
		return 0, 0, false
	}
	loc := new.start[min(max(near, 0), new.len())]
	start := dmp.MatchMain(text, head, loc)
	if start < 0 {
		return 0, 0, false
	}
	end := dmp.MatchMain(text, tail, min(start+max(0, len(passage)-bits), len(text)))
	if end < start {
		return 0, 0, false
	}
	return new.lineAt(start), new.lineAt(min(end+len(tail)-1, len(text)-1)) + 1, true
}

// lineAt is the line, from 0, that a byte stands in.
func (d *doc) lineAt(at int) int {
	lo, hi := 0, d.len()
	for lo < hi {
		mid := (lo + hi) / 2
		if d.start[mid+1] <= at {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return min(lo, max(0, d.len()-1))
}

// similarity of two passages, 0 to 1: one less the letters that an edit touches,
// by go-diff, against the longer one; of long passages the share of lines that
// both have.
func similarity(a, b []byte) float64 {
	a, b = squeeze(a), squeeze(b)
	if len(a) == 0 || len(b) == 0 {
		return 0
	}
	if bytes.Equal(a, b) {
		return 1
	}
	if len(a)+len(b) > maxWords {
		x, y := newDoc(a), newDoc(b)
		same := 0
		for _, j := range align(x.loose, y.loose) {
			if j >= 0 {
				same++
			}
		}
		return float64(same) / float64(max(x.len(), y.len()))
	}
	dmp := diffmatchpatch.New()
	dmp.DiffTimeout = 0
	x, y := []rune(string(a)), []rune(string(b))
	d := dmp.DiffLevenshtein(dmp.DiffMainRunes(x, y, false))
	return max(0, 1-float64(d)/float64(max(len(x), len(y))))
}

// squeeze takes indentation and the ends of lines out of a passage, and makes it valid.
func squeeze(s []byte) []byte {
	if !utf8.Valid(s) {
		s = bytes.ToValidUTF8(s, []byte("\uFFFD"))
	}
	var out []byte
	eachLine(s, func(_ int, line []byte) {
		if line = bytes.TrimSpace(line); len(line) > 0 {
			out = append(append(out, line...), '\n')
		}
	})
	return out
}

package lang

import (
	"bytes"
	"sort"
)

// Defs are the definitions of src in line order, each with its extent. What
// stands in a comment or a string defines nothing. Local variables are left out;
// functions within functions are not. The result is deterministic, and empty
// for a language without a row for definitions.
func (l *Language) Defs(src []byte) []Def {
	if l == nil || l.defs == noDefs || len(src) == 0 {
		return nil
	}
	if l.defs == markupDefs {
		var out []Def
		eachSection(src, func(sec section) {
			if sec.l == &langJavaScript || sec.l == &langTypeScript {
				for _, d := range sec.l.Defs(src[sec.start:sec.end]) {
					d.Line += sec.line - 1
					d.End += sec.line - 1
					out = append(out, d)
				}
			}
		})
		return out
	}
	d := newDefiner(l, src)
	switch l.defs {
	case goDefs:
		d.golang()
	case pyDefs:
		d.python()
	case jsDefs:
		d.javascript()
	case rustDefs:
		d.rust()
	case wordDefs:
		d.words()
	case typeDefs:
		d.typed()
	case cDefs:
		d.cfamily()
	case endDefs:
		d.ended()
	case shellDefs:
		d.shell()
	case sqlDefs:
		d.sql()
	case lineDefs:
		d.heads()
	}
	for i := range d.out {
		// A string that never closes can end behind the last line end.
		d.out[i].End = min(d.out[i].End, d.last)
	}
	sort.SliceStable(d.out, func(i, j int) bool { return d.out[i].Line < d.out[j].Line })
	return d.out
}

// definer holds one source as tokens without comments, with its brackets paired.
type definer struct {
	l     *Language
	src   []byte
	toks  []Token
	match []int32 // partner of a bracket, -1 for none and for other tokens
	out   []Def
	last  int // number of lines
}

func newDefiner(l *Language, src []byte) *definer {
	d := &definer{l: l, src: src, last: max(1, countLines(src)), toks: make([]Token, 0, len(src)/5+8)}
	s := newScanner(l, src)
	for s.next() {
		if s.tok.Kind != CommentToken {
			d.toks = append(d.toks, s.tok)
		}
	}
	if l.flags&directives != 0 {
		d.preprocess()
	}
	d.pair()
	return d
}

// pair matches brackets. A closing bracket of the wrong kind closes what is
// open up to the nearest of its kind, if there is one within reach.
func (d *definer) pair() {
	d.match = make([]int32, len(d.toks))
	var stack []int32
	var count [3]int
	for i := range d.toks {
		d.match[i] = -1
		if d.toks[i].Kind != Op {
			continue
		}
		c := d.src[d.toks[i].Start]
		switch c {
		case '(', '[', '{':
			stack = append(stack, int32(i))
			count[kindOfBracket(c)]++
		case ')', ']', '}':
			k := kindOfBracket(c)
			if count[k] == 0 {
				continue
			}
			for n := len(stack) - 1; n >= 0; n-- {
				o := stack[n]
				ok := kindOfBracket(d.src[d.toks[o].Start])
				// A brace closes forgotten parentheses, never the other way round.
				if ok != k && k != 2 && ok == 2 {
					break
				}
				stack = stack[:n]
				count[ok]--
				if ok == k {
					d.match[o], d.match[i] = int32(i), o
					break
				}
			}
		}
	}
}

func kindOfBracket(c byte) int {
	switch c {
	case '(', ')':
		return 0
	case '[', ']':
		return 1
	}
	return 2
}

// at is token i's text, "" outside.
func (d *definer) at(i int) string {
	if i < 0 || i >= len(d.toks) {
		return ""
	}
	t := d.toks[i]
	b := d.src[t.Start:t.End]
	if len(b) > 512 {
		b = b[:512]
	}
	return string(b)
}

// is says whether token i is the byte of punctuation c.
func (d *definer) is(i int, c byte) bool {
	return i >= 0 && i < len(d.toks) && d.toks[i].Kind == Op && d.src[d.toks[i].Start] == c
}

func (d *definer) isIdent(i int) bool {
	return i >= 0 && i < len(d.toks) && d.toks[i].Kind == Ident
}

func (d *definer) isWord(i int, w string) bool {
	return d.isIdent(i) && string(d.src[d.toks[i].Start:d.toks[i].End]) == w
}

// arrow says whether tokens i and i+1 are the two bytes given, side by side.
func (d *definer) pairOf(i int, a, b byte) bool {
	return d.is(i, a) && d.is(i+1, b) && d.toks[i].End == d.toks[i+1].Start
}

// partner is the matching bracket, or n when there is none.
func (d *definer) partner(i int) int {
	if i < len(d.match) && d.match[i] >= 0 {
		return int(d.match[i])
	}
	return len(d.toks)
}

// open says whether the bracket at i never closes: no header goes on behind it.
func (d *definer) open(i int) bool { return d.match[i] < 0 }

// over is the token after the bracket group that begins at i.
func (d *definer) over(i int) int {
	if m := d.partner(i); m > i && m < len(d.toks) {
		return m + 1
	}
	return i + 1
}

// lineOf is the line on which token i ends; past the end, the last line.
func (d *definer) lineOf(i int) int {
	if i >= len(d.toks) {
		return d.last
	}
	if i < 0 {
		return 1
	}
	t := d.toks[i]
	if t.Kind != String {
		return t.Line
	}
	return t.Line + bytes.Count(d.src[t.Start:t.End], []byte{'\n'})
}

// first says whether token i is the first on its line.
func (d *definer) first(i int) bool {
	return i == 0 || i < len(d.toks) && d.lineOf(i-1) < d.toks[i].Line
}

func (d *definer) column(i int) int {
	t := d.toks[i]
	return t.Start - (bytes.LastIndexByte(d.src[:t.Start], '\n') + 1)
}

// add puts a definition on the list, from token a to token b.
func (d *definer) add(name, container, what string, a, b int, exported bool, sig uint64) int {
	if name == "" {
		return -1
	}
	q := name
	if container != "" {
		q = container + "." + name
	}
	line, end := d.toks[a].Line, d.lineOf(b)
	if end < line {
		end = line
	}
	d.out = append(d.out, Def{Name: name, Qualified: q, What: what, Line: line, End: end, Exported: exported, Signature: sig})
	return len(d.out) - 1
}

// signature hashes tokens a up to b, b not included, as far as a header goes: an
// unclosed bracket in every header must not make each of them as long as the file.
func (d *definer) signature(a, b int) uint64 {
	h := uint64(14695981039346656037)
	for i := a; i < b && i < len(d.toks) && i < a+4*reach; i++ {
		t := d.toks[i]
		for _, c := range d.src[t.Start:t.End] {
			h = (h ^ uint64(c)) * 1099511628211
		}
		h = (h ^ 0xff) * 1099511628211
	}
	if h == 0 {
		h = 1
	}
	return h
}

// reach is how many tokens a header may have before its body: what is longer is
// no header, and hostile text costs no more than this a token.
const reach = 256

// find is the first token from i on that is one of the bytes of set, with
// bracket groups passed over; -1 where a closing bracket, the end or the reach
// comes first. An opening bracket in set is found, not passed over.
func (d *definer) find(i int, set string) int {
	for n := 0; i < len(d.toks) && n < reach; n++ {
		if d.toks[i].Kind == Op {
			c := d.src[d.toks[i].Start]
			for k := range len(set) {
				if set[k] == c {
					return i
				}
			}
			switch c {
			case '(', '[', '{':
				if d.open(i) {
					return -1
				}
				i = d.over(i)
				continue
			case ')', ']', '}':
				return -1
			}
		}
		i++
	}
	return -1
}

// skipAngles passes over <...> at i, if it is one on a few tokens; else i.
func (d *definer) skipAngles(i int) int {
	if !d.is(i, '<') {
		return i
	}
	depth := 0
	for j := i; j < len(d.toks) && j < i+reach/2; j++ {
		if d.toks[j].Kind != Op {
			continue
		}
		switch d.src[d.toks[j].Start] {
		case '<':
			depth++
		case '>':
			if d.is(j-1, '-') && d.toks[j-1].End == d.toks[j].Start || d.is(j-1, '=') && d.toks[j-1].End == d.toks[j].Start {
				continue
			}
			if depth--; depth == 0 {
				return j + 1
			}
		case '(', '[':
			if d.open(j) {
				return i
			}
			j = d.partner(j)
		case '{':
			if m := d.partner(j); m > j && m < i+reach/2 {
				j = m
			} else {
				return i
			}
		case ';', ')', '}':
			return i
		}
	}
	return i
}

// ends is the last token of a statement that begins at i and has no brace of
// its own that matters: up to ";", or to the end of the line outside of brackets
// unless the next line goes on with it.
func (d *definer) statementEnd(i int) int {
	for n := 0; i < len(d.toks) && n < 4*reach; n++ {
		if d.toks[i].Kind == Op {
			switch d.src[d.toks[i].Start] {
			case ';', ',':
				return i
			case '(', '[', '{':
				if d.open(i) {
					return i
				}
				i = d.partner(i)
			case ')', ']', '}':
				return i - 1
			}
		}
		if i+1 < len(d.toks) && d.toks[i+1].Line > d.lineOf(i) && !d.goesOn(i) {
			return i
		}
		i++
	}
	return min(i, len(d.toks)-1)
}

// goesOn says whether the statement with token i at its line's end continues on
// the next line.
func (d *definer) goesOn(i int) bool {
	if d.toks[i].Kind == Op {
		switch d.src[d.toks[i].Start] {
		case '=', '+', '-', '*', '/', '&', '|', '?', ':', '.', '<', '(', '[', ',', '!', '^', '%':
			return true
		case '>':
			return d.is(i-1, '=') || d.is(i-1, '-')
		}
	}
	if d.toks[i+1].Kind == Op {
		switch d.src[d.toks[i+1].Start] {
		case '.', '+', '-', '*', '/', '&', '|', '?', ':', '=', '<', '>', '%', '^':
			return true
		}
	}
	return false
}

func upperFirst(name string) bool {
	for _, r := range name {
		return 'A' <= r && r <= 'Z' || r >= 0x80 && isUpper(r)
	}
	return false
}

package lang

import (
	"bytes"
	"strings"
)

// Classify says of each line of src what it consists of. The result has one
// entry a line; a final line without line end counts, an empty file has none.
func (l *Language) Classify(src []byte) []LineClass {
	out := make([]LineClass, countLines(src))
	if len(out) == 0 {
		return out
	}
	c := classifier{l: l, src: src, out: out}
	l.Scan(src, c.token)
	c.flush()
	return out
}

func countLines(src []byte) int {
	n := bytes.Count(src, []byte{'\n'})
	if len(src) > 0 && src[len(src)-1] != '\n' {
		n++
	}
	return n
}

type classifier struct {
	l   *Language
	src []byte
	out []LineClass

	// For docstrings: a string that is the whole of a logical line.
	held      Token // such a string, waiting for what follows it
	isHeld    bool
	depth     int
	lastLine  int // line on which the last token of code ended
	continued bool
}

func (c *classifier) token(t Token) {
	doc := c.l != nil && c.l.flags&docstrings != 0
	if doc && c.isHeld {
		if t.Kind == CommentToken || t.Line > c.heldEnd() || c.src[t.Start] == ';' {
			c.flush()
		} else {
			c.isHeld = false
			c.code(c.held)
		}
	}
	if t.Kind == CommentToken {
		c.mark(t, Comment)
		return
	}
	if doc {
		if t.Kind == String && c.depth == 0 && t.Line > c.lastLine && !c.continued {
			c.held, c.isHeld = t, true
			c.lastLine = c.heldEnd()
			return
		}
		if t.Kind == Op {
			switch c.src[t.Start] {
			case '(', '[', '{':
				c.depth++
			case ')', ']', '}':
				if c.depth > 0 {
					c.depth--
				}
			}
		}
		c.continued = t.Kind == Op && c.src[t.Start] == '\\'
		// GraphQL has its descriptions within braces.
		if c.l == &langGraphQL {
			c.depth = 0
		}
	}
	c.code(t)
}

func (c *classifier) heldEnd() int {
	return c.held.Line + bytes.Count(c.src[c.held.Start:c.held.End], []byte{'\n'})
}

// flush takes the string that was held back for a docstring.
func (c *classifier) flush() {
	if c.isHeld {
		c.isHeld = false
		c.mark(c.held, Comment)
	}
}

func (c *classifier) code(t Token) {
	if t.Kind != String {
		c.raise(t.Line, Code)
		c.lastLine = t.Line
		return
	}
	body := c.src[t.Start:t.End]
	n := bytes.Count(body, []byte{'\n'})
	c.raise(t.Line, Code)
	c.lastLine = t.Line + n
	if n == 0 {
		return
	}
	c.raise(t.Line+n, Code)
	if n == 1 {
		return
	}
	// The inside, line by line; short lines go with the majority.
	inner := body[bytes.IndexByte(body, '\n')+1 : bytes.LastIndexByte(body, '\n')]
	prose, code := 0, 0
	eachLine(inner, func(i int, s []byte) {
		switch shapeOf(s) {
		case shapeProse:
			prose++
		case shapeCode:
			code++
		}
	})
	rest := Code
	if prose > code {
		rest = Prose
	}
	eachLine(inner, func(i int, s []byte) {
		switch shapeOf(s) {
		case shapeProse:
			c.raise(t.Line+1+i, Prose)
		case shapeShort:
			c.raise(t.Line+1+i, rest)
		case shapeCode:
			c.raise(t.Line+1+i, Code)
		}
	})
}

// raise gives a line a class unless it has a stronger one: code over prose over comment.
func (c *classifier) raise(line int, k LineClass) {
	if line < 1 || line > len(c.out) {
		return
	}
	if old := c.out[line-1]; rank(k) > rank(old) {
		c.out[line-1] = k
	}
}

func rank(k LineClass) int {
	switch k {
	case Code:
		return 3
	case Prose:
		return 2
	case Comment:
		return 1
	}
	return 0
}

// mark gives all lines of a token that are not white space a class.
func (c *classifier) mark(t Token, k LineClass) {
	eachLine(c.src[t.Start:t.End], func(i int, s []byte) {
		if len(bytes.TrimSpace(s)) > 0 {
			c.raise(t.Line+i, k)
		}
	})
}

func eachLine(b []byte, fn func(i int, line []byte)) {
	for i := 0; ; i++ {
		j := bytes.IndexByte(b, '\n')
		if j < 0 {
			fn(i, b)
			return
		}
		fn(i, b[:j])
		b = b[j+1:]
	}
}

type shape uint8

const (
	shapeBlank shape = iota
	shapeShort       // under three words
	shapeProse
	shapeCode
)

// shapeOf tells a line of help text from a line of a query or a program: words
// of letters against words with other things in them.
func shapeOf(line []byte) shape {
	words, plain := 0, 0
	var first, last []byte
	for len(line) > 0 {
		i := 0
		for i < len(line) && (isSpace(line[i])) {
			i++
		}
		j := i
		for j < len(line) && !isSpace(line[j]) {
			j++
		}
		if j > i {
			w := line[i:j]
			if words == 0 {
				first = w
			}
			last = w
			words++
			if plainWord(w) {
				plain++
			}
		}
		line = line[j:]
	}
	switch {
	case words == 0:
		return shapeBlank
	case queryWord(first) || endsCode(last):
		return shapeCode
	case words < 3:
		return shapeShort
	case plain*10 >= words*7:
		return shapeProse
	}
	return shapeCode
}

func plainWord(w []byte) bool {
	for len(w) > 0 && strings.IndexByte("(\"'*_-`", w[0]) >= 0 {
		w = w[1:]
	}
	for len(w) > 0 && strings.IndexByte(".,:;!?)\"'*_`", w[len(w)-1]) >= 0 {
		w = w[:len(w)-1]
	}
	if len(w) == 0 {
		return false
	}
	for i, c := range w {
		switch {
		case 'a' <= c && c <= 'z', c >= 0x80:
		case 'A' <= c && c <= 'Z':
			// A capital inside is a name, unless all are.
			if i > 0 && !('A' <= w[i-1] && w[i-1] <= 'Z') {
				return false
			}
		case c == '\'' || c == '-':
		default:
			return false
		}
	}
	return true
}

func queryWord(w []byte) bool {
	switch string(w) {
	case "SELECT", "FROM", "WHERE", "INSERT", "UPDATE", "DELETE", "CREATE", "ALTER", "DROP", "JOIN", "LEFT", "INNER", "GROUP", "ORDER", "VALUES", "SET", "AND", "BEGIN", "COMMIT":
		return true
	}
	return false
}

func endsCode(w []byte) bool {
	switch w[len(w)-1] {
	case ';', '{', '}', '=':
		return true
	}
	return false
}

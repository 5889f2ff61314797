package lang

import "bytes"

// TokenKind says what a token is.
type TokenKind uint8

const (
	Op           TokenKind = iota // one byte of punctuation
	Ident                         // an identifier or keyword
	Number                        // a number literal
	String                        // a string, character or regular expression literal, or one stretch of a string with code inside
	CommentToken                  // a comment with its marks
)

// Token is one token of a source file.
type Token struct {
	Kind       TokenKind
	Start, End int // byte offsets
	Line       int // of Start, from 1
}

type byteClass uint8

const (
	bOp byteClass = iota
	bSpace
	bNewline
	bLetter // starts or continues an identifier
	bDigit
	bMark // may open a comment or a string
)

// Scan calls fn for each token in order. It runs in time linear in the length
// of src whatever src holds: what does not close ends at its line or at the end
// of the file. White space is no token.
func (l *Language) Scan(src []byte, fn func(Token)) {
	if l == nil {
		l = &langUnknown
	}
	if l.flags&markup != 0 {
		scanMarkup(src, fn)
		return
	}
	if l.flags&document != 0 {
		scanDocument(src, fn)
		return
	}
	s := newScanner(l, src)
	for s.next() {
		fn(s.tok)
	}
}

// langUnknown reads a file of an unknown language: words, and the comment marks
// that most languages share, at the start of a line only.
var langUnknown = Language{name: "", lines: []string{"//", "#", ";;", "--", "<!--"}, blocks: cBlock, flags: commentStart}

// classes is the byte table, made once.
func (l *Language) classes() *[256]byteClass {
	l.once.Do(func() {
		var t [256]byteClass
		for c := range t {
			switch {
			case c == '\n':
				t[c] = bNewline
			case c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v' || c == 0:
				t[c] = bSpace
			case 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_' || c >= 0x80:
				t[c] = bLetter
			case '0' <= c && c <= '9':
				t[c] = bDigit
			}
		}
		for i := range len(l.extra) {
			t[l.extra[i]] = bLetter
		}
		mark := func(c byte) {
			if t[c] == bOp {
				t[c] = bMark
			}
		}
		for _, s := range l.lines {
			mark(s[0])
		}
		for _, b := range l.blocks {
			mark(b.open[0])
		}
		for _, r := range l.strs {
			mark(r.open[0])
		}
		if l.flags&(charQuotes|rustQuotes) != 0 {
			mark('\'')
		}
		if l.flags&regexLit != 0 {
			mark('/')
		}
		if l.flags&luaLong != 0 {
			mark('[')
		}
		if l.flags&swiftRaw != 0 {
			mark('#')
		}
		if l.flags&(shellHeredoc|rubyHeredoc|phpHeredoc) != 0 {
			mark('<')
		}
		if l.flags&zigLines != 0 {
			mark('\\')
		}
		l.table = &t
	})
	return l.table
}

// scanner walks over one source. Its state is small: no lookahead beyond the
// token at hand, a stack of strings that are interrupted by code.
type scanner struct {
	l     *Language
	src   []byte
	class *[256]byteClass
	pos   int
	line  int
	tok   Token

	prev      Token // the last token that is no comment
	hasPrev   bool
	lineStart int  // offset of the running line
	blank     bool // nothing but white space since lineStart

	open    []interpolation
	pending []heredoc
	failed  [8]int // per string rule: no closing mark before this offset
	noRegex int    // no regular expression closes before this offset
}

type interpolation struct {
	rule  *strRule
	depth int
}

type heredoc struct {
	word   []byte
	indent bool // the closing word may be indented
}

func newScanner(l *Language, src []byte) *scanner {
	s := &scanner{l: l, src: src, class: l.classes(), line: 1, blank: true}
	if bytes.HasPrefix(src, []byte("\xef\xbb\xbf")) {
		s.pos = 3
	}
	if bytes.HasPrefix(src[s.pos:], []byte("#!")) && l.name != "Rust" || l.name == "Rust" && bytes.HasPrefix(src[s.pos:], []byte("#!/")) {
		s.pos = s.lineEnd(s.pos)
		if s.pos > 2 {
			s.blank = false
		}
	}
	return s
}

func (s *scanner) lineEnd(i int) int {
	if j := bytes.IndexByte(s.src[i:], '\n'); j >= 0 {
		return i + j
	}
	return len(s.src)
}

// emit makes the token from start to the end given and moves on.
func (s *scanner) emit(k TokenKind, start, end int) bool {
	s.tok = Token{k, start, end, s.line}
	s.pos = end
	s.blank = false
	if k == String || k == CommentToken {
		if n := bytes.Count(s.src[start:end], []byte{'\n'}); n > 0 {
			s.line += n
			s.lineStart = start + bytes.LastIndexByte(s.src[start:end], '\n') + 1
		}
	}
	if k != CommentToken {
		s.prev, s.hasPrev = s.tok, true
	}
	return true
}

// next moves to the next token; false at the end.
func (s *scanner) next() bool {
	src, class := s.src, s.class
	for s.pos < len(src) {
		i := s.pos
		c := src[i]
		switch class[c] {
		case bSpace:
			s.pos++
		case bNewline:
			s.pos++
			s.line++
			s.lineStart, s.blank = s.pos, true
			if len(s.pending) > 0 && s.heredocBody() {
				return true
			}
		case bLetter:
			j := i + 1
			for j < len(src) && (class[src[j]] == bLetter || class[src[j]] == bDigit) {
				j++
			}
			return s.word(i, j)
		case bDigit:
			return s.emit(Number, i, s.number(i))
		case bMark:
			if s.marked(i, c) {
				return true
			}
		default:
			return s.op(i, c)
		}
	}
	return false
}

// op emits one byte of punctuation, minding the code inside strings.
func (s *scanner) op(i int, c byte) bool {
	if n := len(s.open); n > 0 {
		in := &s.open[n-1]
		switch {
		case c == in.rule.until:
			if in.depth == 0 {
				s.open = s.open[:n-1]
				return s.str(in.rule, i, i+1)
			}
			in.depth--
		case c == '{' && in.rule.until == '}' || c == '(' && in.rule.until == ')':
			in.depth++
		}
	}
	if c == '.' && i+1 < len(s.src) && s.class[s.src[i+1]] == bDigit && !(s.hasPrev && s.prev.End == i && (s.prev.Kind != Op || s.src[s.prev.Start] == '.' || s.src[s.prev.Start] == ')' || s.src[s.prev.Start] == ']')) {
		return s.emit(Number, i, s.number(i))
	}
	return s.emit(Op, i, i+1)
}

// word emits an identifier, or the string that it is the prefix of.
func (s *scanner) word(i, j int) bool {
	src := s.src
	if j < len(src) {
		switch c := src[j]; {
		case c == '"' || c == '\'' || c == '#' && s.l.flags&rustQuotes != 0:
			if j-i <= 3 {
				if end := s.prefixed(i, j); end > 0 {
					return s.emit(String, i, end)
				}
			}
		case s.l.tail != "" && (c == s.l.tail[0] || c == s.l.tail[len(s.l.tail)-1]):
			// "a?b:c" and "x!=y" are no names with a tail.
			if j+1 >= len(src) || src[j+1] != '=' || j+2 < len(src) && (src[j+2] == '=' || src[j+2] == '~') {
				if !(c == '?' && j+1 < len(src) && (s.class[src[j+1]] == bLetter || src[j+1] == ':')) {
					j++
				}
			}
		}
	}
	if s.l.flags&endMark != 0 && j-i == 7 && i == s.lineStart && (j == len(src) || src[j] == '\n' || src[j] == '\r') && string(src[i:j]) == "__END__" {
		return s.emit(CommentToken, i, len(src))
	}
	return s.emit(Ident, i, j)
}

// prefixed is the end of a string that begins with the short word src[i:j], 0 if
// the language has no such prefix.
func (s *scanner) prefixed(i, j int) int {
	src := s.src
	switch {
	case s.l == &langPython:
		for k := i; k < j; k++ {
			switch src[k] {
			case 'r', 'R', 'b', 'B', 'f', 'F', 'u', 'U', 't', 'T':
			default:
				return 0
			}
		}
		for k := range s.l.strs {
			if r := &s.l.strs[k]; hasPrefix(src[j:], r.open) {
				end, ok := s.closeOf(r, k, j+len(r.open))
				if !ok {
					return 0
				}
				return end
			}
		}
	case s.l.flags&rustQuotes != 0:
		if src[j] == '\'' {
			if string(src[i:j]) == "b" {
				return s.charEnd(j)
			}
			return 0
		}
		w := string(src[i:j])
		raw := w == "r" || w == "br" || w == "cr"
		if !raw && (src[j] == '#' || w != "b" && w != "c") {
			return 0
		}
		if !raw {
			end, _ := s.closeOf(&s.l.strs[0], 0, j+1)
			return end
		}
		n := 0
		for j+n < len(src) && src[j+n] == '#' {
			n++
		}
		if j+n >= len(src) || src[j+n] != '"' {
			return 0 // r#ident
		}
		return s.rawEnd(j+n+1, n)
	case s.l.flags&cppRaw != 0 && src[j] == '"' && src[j-1] == 'R':
		k := j + 1
		for k < len(src) && k-j <= 17 && src[k] != '(' && src[k] != '\n' && src[k] != '"' {
			k++
		}
		if k >= len(src) || src[k] != '(' {
			return 0
		}
		stop := append(append([]byte{')'}, src[j+1:k]...), '"')
		if e := bytes.Index(src[k:], stop); e >= 0 {
			return k + e + len(stop)
		}
		return len(src)
	}
	return 0
}

// rawEnd finds the quote with n hashes behind it.
func (s *scanner) rawEnd(i, n int) int {
	for {
		q := bytes.IndexByte(s.src[i:], '"')
		if q < 0 {
			return len(s.src)
		}
		i += q + 1
		k := 0
		for k < n && i+k < len(s.src) && s.src[i+k] == '#' {
			k++
		}
		if k == n {
			return i + n
		}
	}
}

func (s *scanner) number(i int) int {
	src := s.src
	j := i + 1
	for j < len(src) {
		c := src[j]
		switch {
		case s.class[c] == bDigit || c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z':
			j++
		case c == '.' && j+1 < len(src) && s.class[src[j+1]] == bDigit:
			j += 2
		case (c == '+' || c == '-') && j+1 < len(src) && s.class[src[j+1]] == bDigit && exponent(src[i:j]):
			j += 2
		case c == '.' && (j+1 == len(src) || src[j+1] != '.' && s.class[src[j+1]] != bLetter) && s.l == &langGo:
			j++
		case c == '\'' && s.l.flags&directives != 0 && j+1 < len(src) && isHex(src[j+1]):
			j += 2
		default:
			return j
		}
	}
	return j
}

// exponent says whether a number so far ends in the mark of an exponent.
func exponent(b []byte) bool {
	hex := len(b) > 2 && b[0] == '0' && (b[1] == 'x' || b[1] == 'X')
	switch b[len(b)-1] {
	case 'e', 'E':
		return !hex
	case 'p', 'P':
		return hex
	}
	return false
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}

// marked handles a byte that may open a comment or a string; it emits a token in
// any case.
func (s *scanner) marked(i int, c byte) bool {
	src, l := s.src, s.l
	rest := src[i:]
	if l.flags&luaLong != 0 {
		if k := longBracket(rest); k >= 0 {
			return s.emit(String, i, s.longEnd(i, k))
		}
		if hasPrefix(rest, "--") {
			if k := longBracket(rest[2:]); k >= 0 {
				return s.emit(CommentToken, i, s.longEnd(i+2, k))
			}
		}
	}
	for k := range l.blocks {
		b := &l.blocks[k]
		if c == b.open[0] && hasPrefix(rest, b.open) && (!b.lineStart || i == s.lineStart) {
			return s.emit(CommentToken, i, s.blockEnd(b, i+len(b.open)))
		}
	}
	for _, o := range l.lines {
		if c == o[0] && hasPrefix(rest, o) && s.commentHere(i, o) {
			end := s.lineEnd(i)
			if end > i && src[end-1] == '\r' {
				end--
			}
			return s.emit(CommentToken, i, end)
		}
	}
	switch {
	case c == '\'' && l.flags&rustQuotes != 0:
		if e := s.charEnd(i); e > 0 {
			return s.emit(String, i, e)
		}
		return s.emit(Op, i, i+1)
	case c == '\'' && l.flags&charQuotes != 0:
		if e := s.charEnd(i); e > 0 {
			return s.emit(String, i, e)
		}
		return s.emit(Op, i, i+1)
	case c == '#' && l.flags&swiftRaw != 0:
		n := 0
		for n < len(rest) && rest[n] == '#' {
			n++
		}
		if n < len(rest) && rest[n] == '"' {
			return s.emit(String, i, s.rawEnd(i+n+1, n))
		}
		// All hashes at once, so that a long row of them is read once.
		return s.emit(Op, i, i+n)
	case c == '\\' && l.flags&zigLines != 0 && hasPrefix(rest, `\\`):
		return s.emit(String, i, s.lineEnd(i))
	case c == '<' && l.flags&(shellHeredoc|rubyHeredoc|phpHeredoc) != 0:
		if e := s.heredocOpen(i); e > 0 {
			return s.emit(Op, i, e)
		}
	case c == '/' && l.flags&regexLit != 0:
		if e := s.regexEnd(i); e > 0 {
			return s.emit(String, i, e)
		}
	}
	for k := range l.strs {
		r := &l.strs[k]
		if c != r.open[0] || !hasPrefix(rest, r.open) {
			continue
		}
		if l.flags&quoteWord != 0 && i > s.lineStart && s.class[src[i-1]] == bLetter {
			break
		}
		if !r.multi && k < len(s.failed) && s.failed[k] > i {
			break
		}
		end, why := s.stringEnd(r, i+len(r.open))
		switch why {
		case unclosed:
			if !r.multi {
				// An apostrophe in text, say: the line stays readable.
				if k < len(s.failed) {
					s.failed[k] = end
				}
				return s.op(i, c)
			}
		case interrupted:
			s.open = append(s.open, interpolation{rule: r})
		}
		return s.emit(String, i, end)
	}
	return s.op(i, c)
}

// str goes on with a string that code had interrupted; the token begins at
// start, with the mark that closes the code.
func (s *scanner) str(r *strRule, start, from int) bool {
	end, why := s.stringEnd(r, from)
	if why == interrupted {
		s.open = append(s.open, interpolation{rule: r})
	}
	return s.emit(String, start, end)
}

type ending uint8

const (
	closed ending = iota
	unclosed
	interrupted
)

func (s *scanner) closeOf(r *strRule, k, from int) (int, bool) {
	if !r.multi && k < len(s.failed) && s.failed[k] >= from {
		return 0, false
	}
	end, why := s.stringEnd(r, from)
	if why == unclosed && !r.multi {
		if k < len(s.failed) {
			s.failed[k] = end
		}
		return 0, false
	}
	return end, true
}

func (s *scanner) stringEnd(r *strRule, i int) (int, ending) {
	src := s.src
	if r.esc == 0 && r.multi && r.interp == "" && !r.double {
		if e := bytes.Index(src[i:], []byte(r.close)); e >= 0 {
			return i + e + len(r.close), closed
		}
		return len(src), unclosed
	}
	first := r.close[0]
	for i < len(src) {
		switch c := src[i]; {
		case c == r.esc && r.esc != 0:
			i += 2
			if i > len(src) {
				i = len(src)
			} else if src[i-1] == '\r' && i < len(src) && src[i] == '\n' {
				i++
			}
		case c == '\n' && !r.multi:
			return i, unclosed
		case c == first && hasPrefix(src[i:], r.close):
			i += len(r.close)
			if r.double && hasPrefix(src[i:], r.close) {
				i += len(r.close)
				continue
			}
			// Four quotes in a row: the first belongs to the text.
			for len(r.close) == 3 && i < len(src) && src[i] == first {
				i++
			}
			return i, closed
		case r.interp != "" && c == r.interp[0] && hasPrefix(src[i:], r.interp):
			return i + len(r.interp), interrupted
		default:
			i++
		}
	}
	return len(src), unclosed
}

func (s *scanner) blockEnd(b *block, i int) int {
	src := s.src
	if !b.nests {
		if b.lineStart && i > 0 {
			i-- // the end may be at the very next line's start
		}
		e := bytes.Index(src[i:], []byte(b.close))
		if e < 0 {
			return len(src)
		}
		e += i + len(b.close)
		if b.lineStart {
			return s.lineEnd(e)
		}
		return e
	}
	for depth := 1; i < len(src); {
		switch {
		case src[i] == b.close[0] && hasPrefix(src[i:], b.close):
			i += len(b.close)
			if depth--; depth == 0 {
				return i
			}
		case src[i] == b.open[0] && hasPrefix(src[i:], b.open):
			i += len(b.open)
			depth++
		default:
			i++
		}
	}
	return len(src)
}

func (s *scanner) commentHere(i int, open string) bool {
	f := s.l.flags
	if f&commentStart != 0 {
		return s.blank
	}
	if s.l == &langPHP && open == "#" && hasPrefix(s.src[i:], "#[") {
		return false // an attribute
	}
	if i == s.lineStart {
		return true
	}
	p := s.src[i-1]
	if f&hashWord != 0 {
		return p == ' ' || p == '\t' || p == ';' || p == '(' || p == ')' || p == '&' || p == '|' || p == '\r'
	}
	if f&noColonSlash != 0 && p == ':' {
		return false
	}
	if (s.l == &langHaskell || s.l == &langElm) && i+2 < len(s.src) && (s.src[i+2] == '>' || s.src[i+2] == '|') {
		return false
	}
	return true
}

// charEnd is the end of a character literal whose quote is at i, 0 when the
// quote is something else (a lifetime, a digit separator).
func (s *scanner) charEnd(i int) int {
	src := s.src
	limit := min(len(src), i+16)
	j := i + 1
	if j >= limit || src[j] == '\n' || src[j] == '\'' {
		return 0
	}
	if src[j] == '\\' {
		for j += 2; j < limit; j++ {
			if src[j] == '\'' {
				return j + 1
			}
			if src[j] == '\n' {
				return 0
			}
		}
		return 0
	}
	// One character, of up to four bytes; C allows a few.
	wide := 1
	if s.l.flags&directives != 0 {
		wide = 4
	}
	for n := 0; n < wide && j < limit; n++ {
		j++
		for j < limit && src[j]&0xC0 == 0x80 {
			j++
		}
		if j < limit && src[j] == '\'' {
			return j + 1
		}
		if j < limit && src[j] == '\n' {
			return 0
		}
	}
	return 0
}

// regexEnd is the end of a regular expression literal at i, 0 where a slash
// means division or nothing closes on the line.
func (s *scanner) regexEnd(i int) int {
	if i < s.noRegex || !s.valueExpected(i) {
		return 0
	}
	src := s.src
	class := false
	for j := i + 1; j < len(src); j++ {
		switch src[j] {
		case '\n':
			s.noRegex = j
			return 0
		case '\\':
			j++
		case '[':
			class = true
		case ']':
			class = false
		case '/':
			if class {
				continue
			}
			j++
			for j < len(src) && s.class[src[j]] == bLetter {
				j++
			}
			return j
		}
	}
	s.noRegex = len(src)
	return 0
}

// valueExpected says whether an operand may begin at i, by the token before.
func (s *scanner) valueExpected(i int) bool {
	if !s.hasPrev {
		return true
	}
	p := s.prev
	switch p.Kind {
	case Number, String:
		return false
	case Ident:
		switch string(s.src[p.Start:p.End]) {
		case "return", "typeof", "case", "in", "of", "instanceof", "new", "delete", "void", "do", "else", "throw", "yield", "await", "default",
			"and", "or", "not", "if", "unless", "while", "until", "when", "then", "elsif", "puts", "match", "split", "scan", "gsub", "sub":
			return true
		}
		// Ruby: "foo /re/" passes a pattern, "foo / 2" divides.
		return s.l == &langRuby && i > 0 && s.src[i-1] == ' ' && i+1 < len(s.src) && s.src[i+1] != ' ' && s.src[i+1] != '='
	}
	switch s.src[p.Start] {
	case ')', ']':
		return false
	case '}':
		return p.Line != s.line
	}
	return true
}

// heredocOpen reads "<<WORD" and its variants and puts the body on the list; it
// returns the end of the opening.
func (s *scanner) heredocOpen(i int) int {
	src, f := s.src, s.l.flags
	j := i
	for j < len(src) && src[j] == '<' {
		j++
	}
	n := j - i
	if f&phpHeredoc != 0 {
		if n != 3 {
			if n > 3 {
				return j // a row of marks, read once
			}
			return 0
		}
	} else if n != 2 {
		if n > 2 {
			return j // here-string or a row of marks, read once
		}
		return 0
	}
	indent := f&phpHeredoc != 0
	if j < len(src) && (src[j] == '-' || src[j] == '~') {
		indent = true
		j++
	} else if f&rubyHeredoc != 0 {
		// "a <<B" appends: a plain heredoc is told by capitals and a value being expected.
		if s.hasPrev && s.prev.Kind == Ident && s.prev.End == i || j < len(src) && !('A' <= src[j] && src[j] <= 'Z' || src[j] == '"' || src[j] == '\'') {
			return 0
		}
		if !s.valueExpectedLoose(i) {
			return 0
		}
	}
	for f&rubyHeredoc == 0 && j < len(src) && (src[j] == ' ' || src[j] == '\t') && j-i < 12 {
		j++
	}
	quote := byte(0)
	if j < len(src) && (src[j] == '"' || src[j] == '\'' || src[j] == '\\') {
		quote = src[j]
		j++
	}
	w := j
	for j < len(src) && j-w < 64 && (s.class[src[j]] == bLetter || s.class[src[j]] == bDigit) && src[j] != '-' {
		j++
	}
	if j == w || s.class[src[w]] == bDigit {
		return 0
	}
	word := src[w:j]
	if (quote == '"' || quote == '\'') && j < len(src) && src[j] == quote {
		j++
	}
	if len(s.pending) < 16 {
		s.pending = append(s.pending, heredoc{word, indent})
	}
	return j
}

func (s *scanner) valueExpectedLoose(i int) bool {
	if !s.hasPrev {
		return true
	}
	switch s.prev.Kind {
	case Number, String:
		return false
	case Ident:
		return i > 0 && s.src[i-1] == ' '
	}
	c := s.src[s.prev.Start]
	return c != ')' && c != ']' && c != '}'
}

// heredocBody emits the next body that is due, as one string.
func (s *scanner) heredocBody() bool {
	h := s.pending[0]
	s.pending = s.pending[1:]
	start := s.pos
	for i := start; i < len(s.src); {
		end := s.lineEnd(i)
		line := bytes.TrimRight(s.src[i:end], "\r")
		if h.indent {
			line = bytes.TrimLeft(line, " \t")
		}
		if bytes.HasPrefix(line, h.word) {
			rest := line[len(h.word):]
			if len(rest) == 0 || s.l.flags&phpHeredoc != 0 && s.class[rest[0]] != bLetter && s.class[rest[0]] != bDigit {
				stop := i + bytes.Index(s.src[i:end], h.word) + len(h.word)
				if stop == start {
					return false
				}
				return s.emit(String, start, stop)
			}
		}
		i = end + 1
	}
	s.pending = nil
	if start == len(s.src) {
		return false
	}
	return s.emit(String, start, len(s.src))
}

// longBracket is the number of equal signs of a Lua long bracket at the start
// of b, -1 if there is none.
func longBracket(b []byte) int {
	if len(b) < 2 || b[0] != '[' {
		return -1
	}
	k := 1
	for k < len(b) && k < 32 && b[k] == '=' {
		k++
	}
	if k < len(b) && b[k] == '[' {
		return k - 1
	}
	return -1
}

func (s *scanner) longEnd(i, n int) int {
	stop := make([]byte, 0, n+2)
	stop = append(stop, ']')
	for range n {
		stop = append(stop, '=')
	}
	stop = append(stop, ']')
	if e := bytes.Index(s.src[i:], stop); e >= 0 {
		return i + e + len(stop)
	}
	return len(s.src)
}

func hasPrefix(b []byte, p string) bool {
	return len(b) >= len(p) && string(b[:len(p)]) == p
}

// scanDocument gives each line of a document as one comment.
func scanDocument(src []byte, fn func(Token)) {
	line := 1
	for i := 0; i < len(src); line++ {
		end := len(src)
		if j := bytes.IndexByte(src[i:], '\n'); j >= 0 {
			end = i + j
		}
		a, b := i, end
		for a < b && isSpace(src[a]) {
			a++
		}
		for b > a && isSpace(src[b-1]) {
			b--
		}
		if a < b {
			fn(Token{CommentToken, a, b, line})
		}
		i = end + 1
	}
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v' }

// section is a stretch of a markup file in a language of its own.
type section struct {
	l          *Language
	start, end int
	line       int
}

// scanMarkup reads tags and text as words and punctuation, and scripts and
// styles by their own rules. Quotes are no strings here: text has apostrophes.
func scanMarkup(src []byte, fn func(Token)) {
	eachSection(src, func(sec section) {
		s := newScanner(sec.l, src[sec.start:sec.end])
		for s.next() {
			t := s.tok
			t.Start += sec.start
			t.End += sec.start
			t.Line += sec.line - 1
			fn(t)
		}
	})
}

// langTags is markup outside of scripts and styles.
var langTags = Language{blocks: []block{{open: "<!--", close: "-->"}}, extra: "-"}

// eachSection cuts a markup file into its sections, in order.
func eachSection(src []byte, fn func(section)) {
	line, from := 1, 0
	give := func(l *Language, to int) {
		if to > from {
			fn(section{l, from, to, line})
			line += bytes.Count(src[from:to], []byte{'\n'})
			from = to
		}
	}
	for i := 0; i < len(src); {
		j := bytes.IndexByte(src[i:], '<')
		if j < 0 {
			break
		}
		i += j
		if hasPrefix(src[i:], "<!--") {
			e := bytes.Index(src[i+4:], []byte("-->"))
			if e < 0 {
				break
			}
			i += 4 + e + 3
			continue
		}
		name, l := "", (*Language)(nil)
		switch {
		case hasFoldPrefix(src[i:], "<script"):
			name, l = "</script", &langJavaScript
		case hasFoldPrefix(src[i:], "<style"):
			name, l = "</style", &langSCSS
		default:
			i++
			continue
		}
		gt := bytes.IndexByte(src[i:], '>')
		if gt < 0 {
			break
		}
		tag := src[i : i+gt]
		body := i + gt + 1
		if l == &langJavaScript && (bytes.Contains(tag, []byte(`lang="ts`)) || bytes.Contains(tag, []byte(`lang='ts`))) {
			l = &langTypeScript
		}
		if len(tag) > 0 && tag[len(tag)-1] == '/' || bytes.Contains(tag, []byte("json")) || bytes.Contains(tag, []byte("template")) {
			i = body
			continue
		}
		end := indexFold(src[body:], name)
		if end < 0 {
			end = len(src) - body
		}
		give(&langTags, body)
		give(l, body+end)
		i = body + end
		from = i
	}
	give(&langTags, len(src))
}

func hasFoldPrefix(b []byte, p string) bool {
	return len(b) >= len(p) && lowerASCII(string(b[:len(p)])) == p
}

// indexFold finds a closing tag without regard to ASCII case.
func indexFold(b []byte, tag string) int {
	for i := 0; i < len(b); {
		j := bytes.IndexByte(b[i:], '<')
		if j < 0 {
			return -1
		}
		i += j
		if hasFoldPrefix(b[i:], tag) {
			return i
		}
		i++
	}
	return -1
}

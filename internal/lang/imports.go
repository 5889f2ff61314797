package lang

import (
	"bytes"
	"strings"
)

// Imports are the imports, includes and requires of src in line order, as they
// are written, with these conventions:
//
//   - Python: "from .a import b, c" gives ".a.b" and ".a.c", since b may be a
//     module or a name in one; "from a import *" gives "a".
//   - Rust: groups are spread out ("use a::{b, c}" gives "a::b", "a::c"); "mod x;"
//     gives "self::x"; paths that begin with crate:: or super:: count wherever
//     they stand; a #[path = "f.rs"] on a module gives "f.rs".
//   - Java and its kin: "import static" is read without static, a final "*" is kept.
//   - C: Relative is set for quoted includes.
//
// It is empty for a language that HasImports denies.
func (l *Language) Imports(src []byte) []Import {
	if l == nil || l.refs == noRefs || len(src) == 0 {
		return nil
	}
	if l.refs == markupRefs {
		var out []Import
		eachSection(src, func(sec section) {
			if sec.l == &langJavaScript || sec.l == &langTypeScript {
				for _, im := range sec.l.Imports(src[sec.start:sec.end]) {
					im.Line += sec.line - 1
					out = append(out, im)
				}
			}
		})
		return out
	}
	r := &refs{l: l, src: src, s: newScanner(l, src)}
	r.fill()
	switch l.refs {
	case goRefs:
		r.golang()
	case pyRefs:
		r.python()
	case jsRefs:
		r.script()
	case rustRefs:
		r.rust()
	case javaRefs:
		r.java()
	case cRefs:
		r.c()
	case rubyRefs:
		r.ruby()
	}
	return r.out
}

// refs reads tokens with a little lookahead and nothing kept behind it, since
// most files are long and their imports short.
type refs struct {
	l    *Language
	src  []byte
	s    *scanner
	buf  [6]Token // the token at hand and those to come
	n    int
	prev Token
	out  []Import

	inline int // how many modules within the file surround the token at hand
}

func (r *refs) fill() {
	for r.n < len(r.buf) && r.s.next() {
		if r.s.tok.Kind != CommentToken {
			r.buf[r.n] = r.s.tok
			r.n++
		}
	}
}

// step moves on by one token.
func (r *refs) step() {
	if r.n == 0 {
		return
	}
	r.prev = r.buf[0]
	copy(r.buf[:], r.buf[1:r.n])
	r.n--
	r.fill()
}

func (r *refs) text(k int) string {
	if k >= r.n {
		return ""
	}
	b := r.src[r.buf[k].Start:r.buf[k].End]
	if len(b) > 1000 {
		b = b[:1000]
	}
	return string(b)
}

func (r *refs) is(k int, c byte) bool {
	return k < r.n && r.buf[k].Kind == Op && r.src[r.buf[k].Start] == c
}

func (r *refs) word(k int, w string) bool {
	return k < r.n && r.buf[k].Kind == Ident && string(r.src[r.buf[k].Start:r.buf[k].End]) == w
}

func (r *refs) kind(k int) TokenKind {
	if k >= r.n {
		return CommentToken
	}
	return r.buf[k].Kind
}

// first says whether the token at hand is the first on its line.
func (r *refs) first() bool {
	return r.prev.End == 0 && r.prev.Start == 0 || bytes.IndexByte(r.src[r.prev.End:r.buf[0].Start], '\n') >= 0
}

func (r *refs) prevIs(c byte) bool {
	return r.prev.End > 0 && r.prev.Kind == Op && r.src[r.prev.Start] == c
}

func (r *refs) add(path string, line int, relative bool) {
	if path != "" && len(path) <= 500 {
		r.out = append(r.out, Import{Path: path, Line: line, Relative: relative})
	}
}

// literal is a string token without its quotes; "" when it holds code.
func (r *refs) literal(k int) string {
	if r.kind(k) != String {
		return ""
	}
	s := r.text(k)
	s = strings.TrimLeft(s, "rRbBuUfF")
	if len(s) < 2 || s[0] != s[len(s)-1] || strings.ContainsAny(s, "\n\x00") {
		return ""
	}
	return s[1 : len(s)-1]
}

func (r *refs) golang() {
	for r.n > 0 {
		if r.first() || r.prevIs(';') {
			switch {
			case r.word(0, "import"):
				r.step()
				group := r.is(0, '(')
				if group {
					r.step()
				}
				for r.n > 0 && !r.is(0, ')') {
					if p := r.literal(0); p != "" {
						r.add(p, r.buf[0].Line, strings.HasPrefix(p, "."))
						if !group {
							break
						}
					} else if r.kind(0) != Ident && !r.is(0, '.') && !r.is(0, ';') {
						break
					}
					r.step()
				}
			case r.word(0, "func"), r.word(0, "type"), r.word(0, "var"), r.word(0, "const"):
				return // imports come first
			}
		}
		r.step()
	}
}

func (r *refs) python() {
	for r.n > 0 {
		if !r.first() && !r.prevIs(';') && !r.prevIs(':') {
			r.step()
			continue
		}
		line := r.buf[0].Line
		switch {
		case r.word(0, "import"):
			r.step()
			for n := 0; n < 200 && r.kind(0) == Ident; n++ {
				r.add(r.dotted(), line, false)
				if r.word(0, "as") {
					r.step()
					r.step()
				}
				if !r.is(0, ',') {
					break
				}
				r.step()
			}
		case r.word(0, "from"):
			r.step()
			base := ""
			for r.is(0, '.') && len(base) < 50 {
				base += "."
				r.step()
			}
			relative := base != ""
			if !r.word(0, "import") {
				base += r.dotted()
			}
			if !r.word(0, "import") {
				continue
			}
			r.step()
			paren := r.is(0, '(')
			if paren {
				r.step()
			}
			for n := 0; n < 2000 && r.n > 0; n++ {
				if r.is(0, '\\') {
					r.step()
					continue
				}
				if r.is(0, '*') {
					r.add(base, line, relative)
					break
				}
				if r.kind(0) != Ident {
					break
				}
				sep := "."
				if base == "" || base[len(base)-1] == '.' {
					sep = ""
				}
				r.add(base+sep+r.text(0), line, relative)
				r.step()
				if r.word(0, "as") {
					r.step()
					r.step()
				}
				if !r.is(0, ',') {
					break
				}
				r.step()
			}
		default:
			r.step()
		}
	}
}

// dotted reads a.b.c and stops behind it.
func (r *refs) dotted() string {
	var b strings.Builder
	for r.kind(0) == Ident && b.Len() < 500 {
		b.WriteString(r.text(0))
		r.step()
		if !r.is(0, '.') || r.kind(1) != Ident {
			break
		}
		b.WriteByte('.')
		r.step()
	}
	return b.String()
}

func (r *refs) script() {
	for r.n > 0 {
		if r.kind(0) != Ident || r.prevIs('.') {
			r.step()
			continue
		}
		line := r.buf[0].Line
		switch r.text(0) {
		case "require", "import":
			if r.is(1, '(') {
				if p := r.literal(2); p != "" {
					r.module(p, line)
				}
				break
			}
			if r.word(0, "require") {
				break
			}
			if p := r.literal(1); p != "" {
				r.module(p, line)
				break
			}
			r.fromClause(line)
			continue
		case "export":
			if r.is(1, '{') || r.is(1, '*') || r.word(1, "type") && (r.is(2, '{') || r.is(2, '*')) {
				r.fromClause(line)
				continue
			}
		}
		r.step()
	}
}

func (r *refs) module(p string, line int) {
	r.add(p, line, strings.HasPrefix(p, "."))
}

// fromClause looks for from "x" in the statement that begins here.
func (r *refs) fromClause(line int) {
	r.step()
	for n := 0; r.n > 0 && n < 3000; n++ {
		if r.word(0, "from") {
			if p := r.literal(1); p != "" {
				r.module(p, line)
				r.step()
				return
			}
		}
		if r.kind(0) == Op {
			switch r.src[r.buf[0].Start] {
			case '{', '}', ',', '*':
			default:
				return
			}
		} else if r.kind(0) != Ident && r.kind(0) != String {
			return
		} else if r.first() && !r.prevIs('{') && !r.prevIs(',') && !r.word(0, "from") {
			// A new statement: the clause had no "from".
			return
		}
		r.step()
	}
}

func (r *refs) rust() {
	seen := map[string]bool{}
	pathAttr := ""
	// In a module within the file "super" is the file's own module.
	depth, inline := 0, []int(nil)
	for r.n > 0 {
		line := r.buf[0].Line
		r.inline = len(inline)
		switch {
		case r.is(0, '{'):
			depth++
		case r.is(0, '}'):
			depth--
			if n := len(inline); n > 0 && depth <= inline[n-1] {
				inline = inline[:n-1]
			}
		case r.word(0, "mod") && r.kind(1) == Ident && r.is(2, '{') && len(inline) < 100:
			inline = append(inline, depth)
		case r.is(0, '#') && r.is(1, '[') && r.word(2, "path") && r.is(3, '='):
			pathAttr = r.literal(4)
		case r.word(0, "mod") && r.kind(1) == Ident && r.is(2, ';'):
			if pathAttr != "" {
				r.add(pathAttr, line, true)
			} else {
				r.add("self::"+r.text(1), line, true)
			}
			pathAttr = ""
		case r.word(0, "extern") && r.word(1, "crate") && r.kind(2) == Ident:
			r.add(r.text(2), line, false)
		case r.word(0, "use") && !r.prevIs('.'):
			r.step()
			r.use(nil, line, 0)
			continue
		case (r.word(0, "crate") || r.word(0, "super")) && r.is(1, ':') && r.is(2, ':') && !r.prevIs(':'):
			p := r.outer(r.rustPath())
			if !seen[p] && len(seen) < 5000 {
				seen[p] = true
				r.add(p, line, true)
			}
			continue
		case r.word(0, "fn"), r.word(0, "struct"), r.word(0, "mod"):
			pathAttr = ""
		}
		r.step()
	}
}

// outer takes away the supers that only lead to the file's own module.
func (r *refs) outer(p string) string {
	for n := r.inline; n > 0 && (p == "super" || strings.HasPrefix(p, "super::")); n-- {
		p = strings.TrimPrefix(strings.TrimPrefix(p, "super"), "::")
		if !strings.HasPrefix(p, "super") {
			return strings.TrimSuffix("self::"+p, "::")
		}
	}
	return p
}

// rustPath reads a::b::c; the last part may be a name in a module.
func (r *refs) rustPath() string {
	var parts []string
	for r.kind(0) == Ident && len(parts) < 20 {
		parts = append(parts, r.text(0))
		r.step()
		if !r.is(0, ':') || !r.is(1, ':') || r.kind(2) != Ident {
			break
		}
		r.step()
		r.step()
	}
	return strings.Join(parts, "::")
}

// use reads one use tree; depth bounds what a hostile file can nest.
func (r *refs) use(prefix []string, line, depth int) {
	if depth > 12 {
		return
	}
	path := prefix[:len(prefix):len(prefix)]
	emit := func() {
		if n := len(path); n > 0 && path[n-1] == "self" && n > 1 {
			path = path[:n-1]
		}
		if len(path) > 0 && len(path) <= 20 {
			switch path[0] {
			case "crate", "self", "super":
				r.add(r.outer(strings.Join(path, "::")), line, true)
			default:
				r.add(strings.Join(path, "::"), line, false)
			}
		}
	}
	for r.n > 0 {
		switch {
		case r.is(0, ':'):
			r.step()
			continue
		case r.kind(0) == Ident && !r.word(0, "as"):
			if len(path) > len(prefix) && !r.prevIs(':') {
				emit()
				return
			}
			path = append(path, r.text(0))
			r.step()
			continue
		case r.word(0, "as"):
			r.step()
			if r.kind(0) == Ident {
				r.step()
			}
			emit()
			return
		case r.is(0, '*'):
			r.step()
			emit()
			return
		case r.is(0, '{'):
			r.step()
			for n := 0; r.n > 0 && !r.is(0, '}') && !r.is(0, ';') && n < 5000; n++ {
				before := r.buf[0].Start
				r.use(path, line, depth+1)
				if r.is(0, ',') {
					r.step()
				} else if r.n > 0 && r.buf[0].Start == before {
					r.step()
				}
			}
			if r.is(0, '}') {
				r.step()
			}
			return
		default:
			if len(path) > len(prefix) {
				emit()
			}
			return
		}
	}
	if len(path) > len(prefix) {
		emit()
	}
}

func (r *refs) java() {
	for r.n > 0 {
		if r.word(0, "import") && (r.first() || r.prevIs(';')) {
			line := r.buf[0].Line
			r.step()
			if r.word(0, "static") {
				r.step()
			}
			p := r.dotted()
			switch {
			case r.is(0, '.') && (r.is(1, '*') || r.word(1, "_")):
				p += ".*"
			case r.is(0, '.') && r.is(1, '{'):
				// Scala: import a.{b, c => d}
				r.step()
				r.step()
				for n := 0; n < 500 && r.n > 0 && !r.is(0, '}'); n++ {
					if r.kind(0) == Ident && (r.prevIs('{') || r.prevIs(',')) {
						r.add(p+"."+r.text(0), line, false)
					}
					r.step()
				}
				continue
			}
			r.add(p, line, false)
			continue
		}
		if (r.word(0, "class") || r.word(0, "interface") || r.word(0, "fun")) && r.l != &langScala {
			return // imports come first
		}
		r.step()
	}
}

func (r *refs) c() {
	for r.n > 0 {
		if r.is(0, '#') && r.first() && (r.word(1, "include") || r.word(1, "import") || r.word(1, "include_next")) {
			line := r.buf[0].Line
			if p := r.literal(2); p != "" {
				r.add(p, line, true)
			} else if r.is(2, '<') {
				from := r.buf[2].End
				end := bytes.IndexByte(r.src[from:min(len(r.src), from+300)], '>')
				if end > 0 && bytes.IndexByte(r.src[from:from+end], '\n') < 0 {
					r.add(string(r.src[from:from+end]), line, false)
				}
			}
			r.step()
		}
		r.step()
	}
}

func (r *refs) ruby() {
	for r.n > 0 {
		if r.kind(0) == Ident && !r.prevIs('.') {
			k := 1
			if r.is(1, '(') {
				k = 2
			}
			line := r.buf[0].Line
			switch r.text(0) {
			case "require", "load":
				if p := r.literal(k); p != "" {
					r.add(p, line, strings.HasPrefix(p, "."))
				}
			case "require_relative":
				if p := r.literal(k); p != "" {
					r.add(p, line, true)
				}
			case "autoload":
				if r.is(k, ':') && r.is(k+2, ',') {
					if p := r.literal(k + 3); p != "" {
						r.add(p, line, false)
					}
				}
			}
		}
		r.step()
	}
}

package lang

import "strings"

// preprocess takes the directives out of the tokens. Macros become
// definitions. Where the first branch of a conditional leaves a brace open, the
// other branches are left out, since each would open it again.
func (d *definer) preprocess() {
	kept := d.toks[:0]
	type cond struct {
		depth int
		drop  bool // the running branch is left out
		outer bool // an outer branch is
	}
	var stack []cond
	depth := 0
	dropping := func() bool { n := len(stack); return n > 0 && (stack[n-1].drop || stack[n-1].outer) }
	for i := 0; i < len(d.toks); i++ {
		if d.is(i, '#') && (i == 0 || d.lineOf(i-1) < d.toks[i].Line) {
			end := i
			for end+1 < len(d.toks) && (d.toks[end+1].Line == d.lineOf(end) || d.is(end, '\\') || d.toks[end].Kind == String && d.toks[end+1].Line <= d.lineOf(end)) {
				end++
			}
			switch d.at(i + 1) {
			case "define":
				if d.isIdent(i+2) && end >= i+2 && d.l != &langCSharp && !dropping() {
					d.out = append(d.out, Def{Name: d.at(i + 2), Qualified: d.at(i + 2), What: "macro", Line: d.toks[i].Line, End: d.lineOf(end), Exported: true, Signature: d.signature(i, min(end+1, i+40))})
				}
			case "if", "ifdef", "ifndef":
				if len(stack) < 1000 {
					stack = append(stack, cond{depth: depth, outer: dropping()})
				}
			case "else", "elif", "elifdef", "elifndef":
				if n := len(stack); n > 0 && !stack[n-1].outer {
					c := &stack[n-1]
					if depth != c.depth {
						c.drop = true
					}
				}
			case "endif":
				if n := len(stack); n > 0 {
					stack = stack[:n-1]
				}
			}
			i = end
			continue
		}
		if dropping() {
			continue
		}
		if d.is(i, '{') {
			depth++
		} else if d.is(i, '}') {
			depth--
		}
		t := d.toks[i]
		kept = append(kept, t)
	}
	d.toks = kept
}

func (d *definer) cfamily() {
	var stack items
	for i := 0; i < len(d.toks); {
		for len(stack) > 0 && i >= stack.top().end {
			i = max(stack.top().end+1, stack.top().next)
			stack = stack[:len(stack)-1]
		}
		if i >= len(d.toks) {
			return
		}
		next := i + 1
		switch stack.top().kind {
		case inEnum:
			if d.isIdent(i) && (d.is(i-1, '{') || d.is(i-1, ',')) {
				e := d.find(i+1, ",")
				if e < 0 {
					e = min(stack.top().end, len(d.toks))
				}
				d.add(d.at(i), stack.container(), "const", i, e-1, true, 0)
				next = e
			}
		default:
			next = d.cStatement(i, &stack)
		}
		if next <= i {
			next = i + 1
		}
		i = next
	}
}

// cStatement reads one declaration that begins at s.
func (d *definer) cStatement(s int, stack *items) int {
	top := stack.top()
	j := s
	static := false
	// "public:" and the like.
	if d.isIdent(j) && d.is(j+1, ':') && !d.is(j+2, ':') {
		switch d.at(j) {
		case "public", "private", "protected", "signals", "slots":
			return j + 2
		}
	}
	if d.l == &langObjC {
		if next := d.objc(s, stack); next > 0 {
			return next
		}
	}
	typedef := false
	for n := 0; j < len(d.toks) && n < reach; n++ {
		if !d.isIdent(j) {
			if d.toks[j].Kind != Op {
				j++
				continue
			}
			switch c := d.src[d.toks[j].Start]; c {
			case '(':
				if d.isIdent(j-1) && j > s && (d.isWord(j-1, "__attribute__") || d.isWord(j-1, "__declspec") || d.isWord(j-1, "alignas") || d.isWord(j-1, "decltype") || d.isWord(j-1, "explicit") || d.isWord(j-1, "noexcept")) {
					j = d.over(j)
					continue
				}
				if typedef {
					return d.cTypedef(s, j, stack)
				}
				return d.cFunction(s, j, static, stack)
			case '[':
				j = d.over(j)
			case '<':
				if e := d.skipAngles(j); e > j {
					j = e
				} else {
					j++
				}
			case '=':
				if typedef {
					return j + 1
				}
				return d.cVariable(s, j, static, top, stack)
			case ';', ',':
				if typedef {
					return d.cTypedef(s, j, stack)
				}
				return d.cVariable(s, j, static, top, stack)
			case '{':
				// A block of a macro, or a value in braces.
				return d.over(j)
			case '}', ')', ']':
				return j + 1
			default:
				j++
			}
			continue
		}
		switch d.at(j) {
		case "static":
			static = true
		case "typedef":
			typedef = true
		case "template":
			if e := d.skipAngles(j + 1); e > j+1 {
				j = e
				continue
			}
		case "namespace":
			if b := d.find(j+1, "{;="); b > 0 && d.is(b, '{') {
				name := ""
				for k := j + 1; k < b; k++ {
					if d.isIdent(k) && !d.isWord(k, "inline") {
						if name != "" {
							name += "."
						}
						name += d.at(k)
					}
				}
				*stack = append(*stack, item{kind: inSpace, name: name, end: d.partner(b)})
				return b + 1
			} else if b > 0 {
				return d.statementOver(b)
			}
		case "using", "friend", "goto", "return", "static_assert", "_Static_assert":
			if d.isWord(j, "using") && d.isIdent(j+1) && d.is(j+2, '=') {
				if e := d.find(j+2, ";"); e > 0 {
					d.add(d.at(j+1), stack.container(), "type", s, e, true, 0)
					return e + 1
				}
			}
			if e := d.find(j, ";"); e > 0 {
				return e + 1
			}
		case "extern":
			if j+1 < len(d.toks) && d.toks[j+1].Kind == String {
				if d.is(j+2, '{') {
					*stack = append(*stack, item{kind: inSpace, end: d.partner(j + 2)})
					return j + 3
				}
				j++
			} else if e := d.find(j, ";{"); e > 0 && d.is(e, ';') {
				return e + 1
			}
		case "struct", "class", "union", "enum":
			if next := d.cType(s, j, typedef, stack); next > 0 {
				return next
			}
		case "if", "for", "while", "switch", "else", "do", "case", "default":
			return j + 1
		case "operator":
			// operator()(...), operator[](...), operator==(...)
			if d.is(j+1, '(') && d.is(j+2, ')') {
				return d.cFunction(s, j+3, static, stack)
			}
			for k := j + 1; k < j+8; k++ {
				if d.is(k, '(') {
					return d.cFunction(s, k, static, stack)
				}
			}
		}
		j++
	}
	return j
}

func (d *definer) statementOver(b int) int {
	if d.is(b, ';') {
		return b + 1
	}
	if e := d.find(b, ";"); e > 0 {
		return e + 1
	}
	return b + 1
}

// cType handles struct, class, union and enum with a body; 0 if this is none.
func (d *definer) cType(s, j int, typedef bool, stack *items) int {
	w := d.at(j)
	k := j + 1
	if w == "enum" && (d.isWord(k, "class") || d.isWord(k, "struct")) {
		k++
	}
	name := ""
	for n := 0; k < len(d.toks) && n < 200; n++ {
		if d.isIdent(k) {
			if w := d.at(k); w != "final" && w != "alignas" && w != "__attribute__" && w != "__declspec" {
				name = w
			}
			k++
			continue
		}
		switch {
		case d.is(k, '<'):
			e := d.skipAngles(k)
			if e == k {
				return 0
			}
			k = e
		case d.is(k, '(') && (d.isWord(k-1, "__attribute__") || d.isWord(k-1, "__declspec") || d.isWord(k-1, "alignas")), d.is(k, '['):
			k = d.over(k)
		case d.pairOf(k, ':', ':'):
			k += 2
		case d.is(k, ':'):
			b := d.find(k, "{;(=")
			if b < 0 || !d.is(b, '{') {
				return 0
			}
			k = b
		case d.is(k, '{'):
			return d.cBody(s, j, k, w, name, typedef, stack)
		case d.is(k, ';') && !typedef:
			return k + 1
		default:
			return 0
		}
	}
	return 0
}

func (d *definer) cBody(s, j, b int, w, name string, typedef bool, stack *items) int {
	close := d.partner(b)
	end := d.find(close+1, ";")
	if end < 0 || d.lineOf(end) > d.lineOf(close)+3 {
		end = close
	}
	// typedef struct {...} Name, *Pointer;
	alias := ""
	for k := close + 1; k < end; k++ {
		if d.isIdent(k) && !d.is(k-1, '(') && !d.is(k-1, '*') && !d.isWord(k, "__attribute__") {
			alias = d.at(k)
			break
		}
	}
	kind, what := inType, "type"
	if w == "class" {
		what = "class"
	}
	if w == "enum" {
		kind = inEnum
	}
	if typedef && alias != "" {
		d.add(alias, stack.container(), "type", s, end, true, d.signature(j, b))
	}
	if name != "" && name != alias {
		d.add(name, stack.container(), what, s, close, true, d.signature(j, b))
	}
	if !typedef && alias != "" {
		if top := stack.top(); top.kind == inType {
			d.add(alias, stack.container(), "field", s, end, true, 0)
		} else {
			d.add(alias, stack.container(), "var", s, end, true, 0)
		}
	}
	if name == "" {
		name = alias
	}
	if len(*stack) < 1000 {
		*stack = append(*stack, item{kind: kind, name: name, end: close, next: end + 1})
	}
	return b + 1
}

func (d *definer) cTypedef(s, j int, stack *items) int {
	end := d.find(j, ";")
	if d.is(j, ';') {
		end = j
	}
	if end < 0 {
		return j + 1
	}
	name := ""
	if d.is(j, '(') && (d.is(j+1, '*') || d.is(d.over(j), '(')) {
		// typedef int (*name)(int);
		for k := j + 1; k < d.partner(j) && k < j+20; k++ {
			if d.isIdent(k) {
				name = d.at(k)
			}
		}
	} else {
		k := j - 1
		for d.is(k, ']') && d.partner(k) < k {
			k = d.partner(k) - 1
		}
		name = d.at(k)
		if !d.isIdent(k) {
			name = ""
		}
	}
	d.add(name, stack.container(), "type", s, end, true, d.signature(s, end))
	return end + 1
}

// cFunction handles a statement with parentheses at p: a function if a body
// follows.
func (d *definer) cFunction(s, p int, static bool, stack *items) int {
	if d.open(p) {
		return p + 1
	}
	top := stack.top()
	k := p - 1
	after := d.over(p)
	name, container, at := "", stack.container(), k
	switch {
	case d.isIdent(k) && d.isWord(k-1, "operator") && k-1 >= s:
		name, at = "operator "+d.at(k), k-1
	case d.isIdent(k) && !d.isWord(k, "operator"):
		name = d.at(k)
		if d.is(k-1, '~') {
			name, at = "~"+name, k-1
		}
	default:
		for q := k; q >= s && q > k-8; q-- {
			if d.isWord(q, "operator") {
				name, at = "operator", q
				for x := q + 1; x < p; x++ {
					name += d.at(x)
				}
				break
			}
		}
	}
	var outer []string
	for q := at - 1; q-2 >= s && len(outer) < 10 && d.is(q, ':') && d.is(q-1, ':'); {
		q -= 2
		if d.is(q, '>') {
			for n := 0; q > s && n < 60 && !d.is(q, '<'); n++ {
				q--
			}
			q--
		}
		if !d.isIdent(q) {
			break
		}
		outer = append([]string{d.at(q)}, outer...)
		at = q
		q--
	}
	if len(outer) > 0 {
		container = strings.Join(outer, ".")
	}
	// What stands between the parameters and the body.
	q := after
	init := false
	for n := 0; q < len(d.toks) && n < reach; n++ {
		if d.isIdent(q) {
			if at == s && n == 0 && !cTail(d.at(q)) && d.toks[q].Line > d.lineOf(after-1) {
				return q // a macro that stands for itself
			}
			q++
			continue
		}
		if d.toks[q].Kind != Op {
			q++
			continue
		}
		switch d.src[d.toks[q].Start] {
		case ';':
			return q + 1
		case '=':
			// = default, = delete, = 0, or the value of a function pointer.
			if e := d.find(q, ";"); e > 0 {
				return e + 1
			}
			return q + 1
		case '{':
			if init && (d.isIdent(q-1) || d.is(q-1, '>')) {
				q = d.over(q) // a member initialised in braces
				continue
			}
			if name == "" || controlWord(name) || !d.isIdent(at) && !strings.HasPrefix(name, "~") {
				return d.over(q)
			}
			what := "func"
			if len(outer) > 0 && d.l != &langC || top.kind == inType {
				what = "method"
			}
			if strings.HasPrefix(name, "TEST") && at == s {
				// TEST(Suite, Name) {
				var parts []string
				for x := p + 1; x < after-1 && x < p+8; x++ {
					if d.isIdent(x) {
						parts = append(parts, d.at(x))
					}
				}
				if len(parts) > 0 {
					name = parts[len(parts)-1]
					container = strings.Join(parts[:len(parts)-1], ".")
				}
			}
			d.add(name, container, what, s, d.partner(q), !static, d.signature(s, q))
			return d.over(q)
		case ':':
			init = true
			q++
		case '(', '[':
			q = d.over(q)
		case '<':
			if e := d.skipAngles(q); e > q {
				q = e
			} else {
				q++
			}
		case '}', ')', ']':
			return q
		case ',':
			if !init {
				// int a(1), b(2);
				if e := d.find(q, ";"); e > 0 {
					return e + 1
				}
			}
			q++
		default:
			q++
		}
	}
	return after
}

func cTail(w string) bool {
	switch w {
	case "const", "noexcept", "override", "final", "volatile", "try", "requires", "throw", "__attribute__":
		return true
	}
	return false
}

func (d *definer) cVariable(s, j int, static bool, top item, stack *items) int {
	end := j
	if !d.is(j, ';') {
		if e := d.find(j, ";"); e > 0 {
			end = e
		} else {
			return j + 1
		}
	}
	k := j - 1
	for d.is(k, ']') && d.partner(k) < k {
		k = d.partner(k) - 1
	}
	if d.toks[max(k, 0)].Kind == Number && d.is(k-1, ':') {
		k -= 2 // a bit field
	}
	if d.isIdent(k) && k > s && !(d.is(k-1, ':') && d.is(k-2, ':')) {
		what := "var"
		if top.kind == inType {
			what = "field"
		}
		d.add(d.at(k), stack.container(), what, s, end, !static, 0)
	}
	return end + 1
}

// objc handles @interface, @implementation, @protocol and methods; 0 if this is none.
func (d *definer) objc(s int, stack *items) int {
	if d.is(s, '@') && d.isIdent(s+1) {
		switch d.at(s + 1) {
		case "interface", "implementation", "protocol":
			if !d.isIdent(s + 2) {
				return s + 2
			}
			name := d.at(s + 2)
			end := s + 3
			for n := 0; end < len(d.toks) && n < 200000 && !(d.is(end, '@') && d.isWord(end+1, "end")); n++ {
				if d.is(end, '@') && (d.isWord(end+1, "interface") || d.isWord(end+1, "implementation")) {
					break
				}
				end++
			}
			d.add(name, "", "class", s, min(end+1, len(d.toks)-1), true, 0)
			*stack = append((*stack)[:0], item{kind: inType, name: name, end: end})
			j := s + 3
			for j < end && d.toks[j].Line == d.toks[s].Line {
				j++
			}
			return j
		case "property":
			if e := d.find(s, ";"); e > 0 {
				d.add(d.at(e-1), stack.container(), "field", s, e, true, 0)
				return e + 1
			}
		case "end":
			return s + 2
		}
		return s + 2
	}
	if (d.is(s, '-') || d.is(s, '+')) && d.is(s+1, '(') {
		n := d.over(s + 1)
		b := d.find(n, "{;")
		if b < 0 || !d.isIdent(n) {
			return n
		}
		if d.is(b, '{') {
			d.add(d.at(n), stack.container(), "method", s, d.partner(b), true, d.signature(s, b))
			return d.over(b)
		}
		return b + 1
	}
	return 0
}

package lang

import "strings"

// wordRule says what a keyword before a name declares: "" for nothing; body
// says what its braces hold.
func wordRule(l *Language, w string) (what string, body itemKind) {
	switch l {
	case &langKotlin:
		switch w {
		case "fun":
			return "func", inFunc
		case "class", "interface", "object":
			return "class", inType
		case "typealias":
			return "type", inOther
		case "val":
			return "const", inFunc
		case "var":
			return "var", inFunc
		}
	case &langScala:
		switch w {
		case "def":
			return "func", inFunc
		case "class", "trait", "object", "enum":
			return "class", inType
		case "type":
			return "type", inOther
		case "val", "given":
			return "const", inFunc
		case "var":
			return "var", inFunc
		}
	case &langSwift:
		switch w {
		case "func":
			return "func", inFunc
		case "class", "struct", "enum", "protocol", "actor", "extension":
			return "class", inType
		case "typealias", "associatedtype":
			return "type", inOther
		case "let":
			return "const", inFunc
		case "var":
			return "var", inFunc
		}
	case &langPHP:
		switch w {
		case "function":
			return "func", inFunc
		case "class", "interface", "trait", "enum":
			return "class", inType
		case "const":
			return "const", inOther
		case "namespace":
			return "module", inSpace
		}
	case &langZig:
		switch w {
		case "fn":
			return "func", inFunc
		case "const":
			return "const", inType
		case "var":
			return "var", inOther
		}
	case &langProto, &langThrift:
		switch w {
		case "message", "enum", "struct", "union", "exception", "typedef":
			return "type", inType
		case "service":
			return "type", inType
		case "rpc":
			return "func", inFunc
		}
	case &langGraphQL:
		switch w {
		case "type", "input", "interface", "enum", "scalar", "union":
			return "type", inFields
		case "query", "mutation", "subscription", "fragment", "directive":
			return "func", inFunc
		}
	case &langPerl:
		switch w {
		case "sub":
			return "func", inFunc
		case "package":
			return "module", inSpace
		}
	case &langPowerShell:
		switch strings.ToLower(w) {
		case "function", "filter":
			return "func", inFunc
		case "class", "enum":
			return "class", inType
		}
	case &langAwk:
		if w == "function" || w == "func" {
			return "func", inFunc
		}
	case &langSCSS:
		if w == "mixin" || w == "function" {
			return "func", inFunc
		}
	}
	return "", inOther
}

// words reads languages in which a keyword stands before each declared name.
func (d *definer) words() {
	var stack items
	notes := map[int]item{}
	for i := 0; i < len(d.toks); i++ {
		for len(stack) > 0 && i >= stack.top().end {
			stack = stack[:len(stack)-1]
		}
		if d.is(i, '{') {
			n := notes[i]
			if n.kind == inFile {
				n.kind = inOther
			}
			n.end = d.partner(i)
			if len(stack) < 10000 {
				stack = append(stack, n)
			}
			continue
		}
		if !d.isIdent(i) || d.is(i-1, '.') || d.is(i-1, '>') && d.is(i-2, '-') || d.is(i-1, ':') && d.is(i-2, ':') {
			continue
		}
		w := d.at(i)
		if d.l == &langSwift && (w == "init" || w == "deinit") && stack.top().kind == inType && (d.is(i+1, '(') || d.is(i+1, '<') || d.is(i+1, '?') || d.is(i+1, '{')) && !d.is(i-1, '.') {
			d.wordDef(i, i, "func", inFunc, stack, notes)
			continue
		}
		if d.l == &langPHP && len(w) > 1 && w[0] == '$' && stack.top().kind == inType && d.isIdent(i-1) && !d.inParens(i, stack) {
			d.add(w[1:], stack.container(), "field", d.wordHead(i), d.statementEnd(i), !d.wordPrivate(i), 0)
			continue
		}
		what, body := wordRule(d.l, w)
		if what == "" {
			continue
		}
		if (what == "const" || what == "var") && (stack.local() || d.inParens(i, stack)) {
			continue
		}
		d.wordDef(i, i+1, what, body, stack, notes)
	}
}

// inParens says whether token i stands between parentheses that open on its
// line: a primary constructor's parameters, a for clause.
func (d *definer) inParens(i int, stack items) bool {
	for n, depth := 0, 0; i >= 0 && n < 40; n, i = n+1, i-1 {
		if d.is(i, ')') {
			depth++
		}
		if d.is(i, '(') {
			if depth == 0 {
				return true
			}
			depth--
		}
		if d.is(i, '{') || d.is(i, '}') || d.is(i, ';') {
			return false
		}
	}
	return false
}

// wordDef adds the definition of keyword kw whose name is at or behind j.
func (d *definer) wordDef(kw, j int, what string, body itemKind, stack items, notes map[int]item) {
	if d.is(j, '&') {
		j++ // PHP: by reference
	}
	j = d.skipAngles(j)
	name := ""
	k := j
	switch {
	case d.is(j, '`'):
		var parts []string
		for k = j + 1; k < len(d.toks) && k < j+40 && !d.is(k, '`') && d.toks[k].Line == d.toks[j].Line; k++ {
			parts = append(parts, d.at(k))
		}
		name = strings.Join(parts, " ")
		k++
	case d.isIdent(j):
		if what == "class" && d.l == &langKotlin && d.isWord(j, "class") {
			return
		}
		name, k = d.at(j), j+1
		// An extension's receiver, a qualified name: the last part counts.
		for n := 0; n < 20; n++ {
			e := d.skipAngles(k)
			if d.is(e, '?') {
				e++
			}
			switch {
			case d.is(e, '.') && d.isIdent(e+1):
				name, k = d.at(e+1), e+2
				continue
			case d.pairOf(e, ':', ':') && d.isIdent(e+2):
				name, k = d.at(e+2), e+3
				continue
			case d.is(e, '\\') && d.isIdent(e+1):
				name, k = d.at(e+1), e+2
				continue
			}
			break
		}
	case what == "class" && d.l == &langKotlin && d.isWord(kw-1, "companion"):
		name = "Companion"
	default:
		return
	}
	if d.l == &langPHP && what == "class" && (d.is(kw-1, ':') || d.isWord(kw-1, "new")) {
		return
	}
	if d.l == &langZig && what == "const" && !d.zigType(k) {
		body = inFunc
	}
	name = strings.TrimPrefix(name, "$")
	at, eq := d.declBody(k)
	var end, sig int
	switch {
	case at > 0 && !eq:
		end, sig = d.partner(at), at
		notes[at] = item{kind: body, name: name}
	case at > 0:
		sig = at
		if d.is(at+1, '{') {
			end = d.partner(at + 1)
			notes[at+1] = item{kind: body, name: name}
			if body == inOther {
				end = d.statementEnd(at)
			}
		} else {
			end = d.statementEnd(at)
			if d.l == &langZig {
				if b := d.find(at, "{;"); b > 0 && d.is(b, '{') && body == inType {
					notes[b] = item{kind: inType, name: name}
				}
			}
		}
	default:
		end = d.declEnd(k)
		sig = end + 1
	}
	if what == "func" && (stack.top().kind == inType || stack.top().kind == inEnum) {
		what = "method"
	}
	if (what == "var" || what == "const") && stack.top().kind == inType && d.l != &langPHP {
		what = "field"
	}
	var s uint64
	if what != "var" && what != "const" && what != "field" {
		s = d.signature(kw, sig)
	}
	d.add(name, stack.container(), what, d.wordHead(kw), end, !d.wordPrivate(kw), s)
}

func (d *definer) zigType(k int) bool {
	if !d.is(k, '=') {
		return false
	}
	for j := k + 1; j < k+6; j++ {
		if d.isWord(j, "struct") || d.isWord(j, "enum") || d.isWord(j, "union") || d.isWord(j, "opaque") {
			return true
		}
	}
	return false
}

// declBody finds the "{" of the body, or the "=" before it, of a declaration
// whose header goes on at k; -1 if it has neither.
func (d *definer) declBody(k int) (at int, eq bool) {
	for n := 0; k < len(d.toks) && n < reach; n++ {
		if k > 0 && d.toks[k].Line > d.lineOf(k-1) && !d.is(k, '{') && !d.goesOn(k-1) && !(d.isIdent(k) && headWord(d.at(k))) && !d.isWord(k-1, "throws") {
			if d.l != &langPHP && d.l != &langPerl && d.l != &langAwk && d.l != &langZig {
				return -1, false
			}
		}
		if d.toks[k].Kind == Op {
			switch d.src[d.toks[k].Start] {
			case '{':
				return k, false
			case '=':
				if !d.is(k+1, '=') && !d.is(k+1, '>') {
					return k, true
				}
			case '(', '[':
				if d.open(k) {
					return -1, false
				}
				k = d.over(k)
				continue
			case '<':
				if e := d.skipAngles(k); e > k {
					k = e
					continue
				}
			case ';', ')', '}', ']', ',':
				if d.is(k, ',') {
					k++
					continue
				}
				return -1, false
			}
		}
		k++
	}
	return -1, false
}

// declEnd is the last token of a declaration without a body.
func (d *definer) declEnd(k int) int {
	for n := 0; k < len(d.toks) && n < reach; n++ {
		if k > 0 && d.toks[k].Line > d.lineOf(k-1) && !d.goesOn(k-1) {
			return k - 1
		}
		switch {
		case d.is(k, ';'):
			return k
		case d.is(k, '(') || d.is(k, '['):
			k = d.over(k)
		case d.is(k, ')') || d.is(k, '}') || d.is(k, ']'):
			return k - 1
		default:
			k++
		}
	}
	return min(k, len(d.toks)) - 1
}

func headWord(w string) bool {
	switch w {
	case "extends", "with", "where", "implements", "derives", "throws", "rethrows", "constructor", "by", "async", "returns", "use":
		return true
	}
	return false
}

func modifier(w string) bool {
	switch w {
	case "public", "private", "protected", "internal", "open", "abstract", "final", "override", "sealed", "data", "inline", "suspend", "static", "async", "implicit", "lazy", "case", "fileprivate",
		"mutating", "nonmutating", "lateinit", "const", "operator", "infix", "tailrec", "external", "expect", "actual", "inner", "enum", "annotation", "companion", "readonly", "pub", "export", "extern",
		"comptime", "dynamic", "convenience", "required", "indirect", "nonisolated", "weak", "unowned", "value", "fun", "class", "transparent", "opaque", "package", "var",
		"synchronized", "native", "transient", "volatile", "strictfp", "default", "virtual", "partial", "unsafe", "new", "file", "covariant", "late", "factory", "ref", "fixed", "event", "def", "global":
		return true
	}
	return false
}

// wordHead goes back over the modifiers that stand on the same line.
func (d *definer) wordHead(i int) int {
	for n := 0; n < 12 && d.isIdent(i-1) && modifier(d.at(i-1)) && d.toks[i-1].Line == d.toks[i].Line; n++ {
		i--
	}
	return i
}

func (d *definer) wordPrivate(i int) bool {
	h := d.wordHead(i)
	if d.l == &langZig {
		return !d.isWord(h, "pub") && !d.isWord(h, "export")
	}
	for ; h < i; h++ {
		if d.isWord(h, "private") || d.isWord(h, "fileprivate") {
			return true
		}
	}
	return false
}

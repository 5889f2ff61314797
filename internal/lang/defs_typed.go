package lang

import "strings"

// typed reads Java, C#, Dart and Groovy: types hold members, a member's name
// stands before "(", "=", ";" or, for a property, "{". Bodies of functions are
// passed over.
func (d *definer) typed() {
	var stack items
	for i := 0; i < len(d.toks); {
		for len(stack) > 0 && i >= stack.top().end {
			i = stack.top().end + 1
			stack = stack[:len(stack)-1]
		}
		if i >= len(d.toks) {
			return
		}
		if stack.top().kind == inEnum {
			i = d.enumConstants(i, &stack)
			continue
		}
		next := d.typedMember(i, &stack)
		if next <= i {
			next = i + 1
		}
		i = next
	}
}

// enumConstants reads the names up to ";", behind which members follow.
func (d *definer) enumConstants(i int, stack *items) int {
	top := stack.top()
	for i < top.end && i < len(d.toks) {
		switch {
		case d.is(i, ';'):
			(*stack)[len(*stack)-1].kind = inType
			return i + 1
		case d.is(i, '@') && d.isIdent(i+1):
			i += 2
			if d.is(i, '(') {
				i = d.over(i)
			}
		case d.is(i, '['), d.is(i, '('), d.is(i, '{'):
			i = d.over(i)
		case d.isIdent(i) && (d.is(i-1, '{') || d.is(i-1, ',') || d.is(i-1, ']') || d.is(i-1, ')') || d.isIdent(i-1)):
			k := i + 1
			if d.is(k, '(') {
				k = d.over(k)
			}
			if d.is(k, '{') {
				k = d.over(k)
			}
			d.add(d.at(i), top.name, "const", i, k-1, true, 0)
			for k < top.end && k < len(d.toks) && !d.is(k, ',') && !d.is(k, ';') {
				if d.is(k, '(') || d.is(k, '{') || d.is(k, '[') {
					k = d.over(k)
				} else {
					k++
				}
			}
			i = k
			if d.is(i, ',') {
				i++
			}
		default:
			i++
		}
	}
	return max(i, min(top.end, len(d.toks)))
}

func (d *definer) typedMember(s int, stack *items) int {
	top := stack.top()
	j := s
	// Annotations and attributes.
	for n := 0; n < 50; n++ {
		switch {
		case d.is(j, '@') && d.isIdent(j+1) && !d.isWord(j+1, "interface"):
			j += 2
			for d.is(j, '.') && d.isIdent(j+1) {
				j += 2
			}
			if d.is(j, '(') && d.toks[j].Line <= d.toks[j-1].Line+1 {
				j = d.over(j)
			}
			continue
		case d.l == &langCSharp && d.is(j, '['):
			j = d.over(j)
			continue
		}
		break
	}
	head := j
	if j >= len(d.toks) {
		return j
	}
	if d.is(j, '@') && d.isWord(j+1, "interface") {
		j++
	}
	if d.isIdent(j) {
		switch d.at(j) {
		case "import", "package", "using", "export", "library", "part", "extern":
			if d.l == &langGroovy || d.l == &langDart && !d.is(j+1, '{') || d.l != &langGroovy {
				return d.statementEnd(j) + 1
			}
		}
	}
	private, idents := false, 0
	for n := 0; j < len(d.toks) && n < reach; n++ {
		if d.isIdent(j) {
			w := d.at(j)
			if w == "private" {
				private = true
			}
			if typeWord(d.l, w) && d.isIdent(j+1) && !(w == "record" && !d.is(j+2, '(') && !d.is(j+2, '{') && !d.is(j+2, '<') && !d.is(j+2, ':') && !d.is(j+2, ';')) && !d.is(j-1, '.') {
				return d.typedType(head, j, w, private, stack)
			}
			if !modifier(w) || j+1 < len(d.toks) && d.toks[j+1].Kind == Op {
				idents++
			}
			j++
			continue
		}
		if d.toks[j].Kind != Op {
			j++
			continue
		}
		switch d.src[d.toks[j].Start] {
		case '<':
			if e := d.skipAngles(j); e > j {
				j = e
				continue
			}
			j++
		case '(':
			if d.toks[j-min(1, j)].Kind == Op && !d.is(j-1, '>') {
				// A tuple type or an expression.
				j = d.over(j)
				continue
			}
			return d.typedMethod(head, j, idents, private, top, stack)
		case '[':
			j = d.over(j)
		case '=':
			return d.typedField(head, j, idents, private, top, stack)
		case ';':
			return d.typedField(head, j, idents, private, top, stack)
		case '{':
			return d.typedBlock(head, j, idents, private, top, stack)
		case '}', ')', ']':
			return j + 1
		case ',':
			// Several fields in one statement.
			return d.typedField(head, j, idents, private, top, stack)
		default:
			j++
		}
	}
	return j
}

func typeWord(l *Language, w string) bool {
	switch w {
	case "class", "interface", "enum":
		return true
	case "record", "struct", "namespace", "delegate":
		return l == &langCSharp || w == "record" && l == &langJava
	case "trait":
		return l == &langGroovy
	case "mixin", "extension":
		return l == &langDart
	}
	return false
}

func (d *definer) typedType(head, j int, w string, private bool, stack *items) int {
	if w == "delegate" {
		end := d.find(j, ";")
		p := d.find(j, "(")
		if end < 0 || p < 0 {
			return j + 1
		}
		d.add(d.at(p-1), stack.container(), "type", head, end, !private, d.signature(j, end))
		return end + 1
	}
	k := j + 1
	if w == "record" && (d.isWord(k, "struct") || d.isWord(k, "class")) || d.isWord(k, "class") {
		k++
	}
	name := d.at(k)
	for d.is(k+1, '.') && d.isIdent(k+2) {
		k += 2
		name += "." + d.at(k)
		if len(name) > 300 {
			break
		}
	}
	b := d.find(k+1, "{;")
	if b < 0 {
		return k + 1
	}
	kind, what := inType, "class"
	switch w {
	case "enum":
		kind = inEnum
		if d.l == &langCSharp {
			what = "type"
		}
	case "namespace":
		kind, what = inSpace, "module"
	case "interface":
		what = "type"
	}
	if d.is(b, ';') {
		if w == "namespace" {
			// It holds for the rest of the file.
			*stack = append(*stack, item{kind: inSpace, name: name, end: len(d.toks)})
		} else {
			d.add(name, stack.container(), what, head, b, !private, d.signature(j, b))
		}
		return b + 1
	}
	if what != "module" {
		d.add(name, stack.container(), what, head, d.partner(b), !private, d.signature(j, b))
	}
	if len(*stack) < 1000 {
		*stack = append(*stack, item{kind: kind, name: name, end: d.partner(b)})
	}
	return b + 1
}

func (d *definer) typedMethod(head, p, idents int, private bool, top item, stack *items) int {
	k := p - 1
	if d.is(k, '>') {
		// Name<T>(
		for n := 0; k > head && n < 60 && !d.is(k, '<'); n++ {
			k--
		}
		k--
	}
	name := d.at(k)
	after := d.over(p)
	b := d.find(after, "{;=")
	ctor := top.kind == inType && (name == top.name || strings.HasSuffix(top.name, "."+name))
	ok := d.isIdent(k) && !controlWord(name) && (idents >= 2 || ctor || d.isWord(head, "def") || d.isIdent(k-1) || d.is(k-1, '>') || d.is(k-1, ']'))
	if top.kind == inFile && d.l == &langGroovy && idents < 2 && !d.isWord(head, "def") && !d.isIdent(k-1) {
		ok = false
	}
	if d.l == &langGroovy && (b < 0 || d.toks[b].Line > d.lineOf(after-1)+1) {
		ok = false
	}
	if b < 0 {
		return after
	}
	end := b
	switch {
	case d.is(b, '{'):
		end = d.partner(b)
	case d.is(b, '='):
		// An expression body, or a field whose type has parentheses.
		if e := d.find(b, ";"); e > 0 {
			end = e
		}
		if !d.is(b+1, '>') {
			ok = ok && d.l == &langDart
		}
	}
	// A call as a statement ends in ");" without a type before it.
	if ok && d.is(b, ';') && top.kind != inType {
		ok = d.l == &langDart && idents >= 2
	}
	if ok {
		what := "method"
		if top.kind == inFile || top.kind == inSpace {
			what = "func"
		}
		d.add(name, stack.container(), what, head, end, !private && !(d.l == &langDart && strings.HasPrefix(name, "_")), d.signature(head, b))
	}
	if d.is(b, '{') {
		return d.over(b)
	}
	return end + 1
}

func controlWord(w string) bool {
	switch w {
	case "if", "for", "while", "switch", "catch", "return", "new", "synchronized", "foreach", "lock", "using", "throw", "assert", "super", "this", "else", "do", "try", "sizeof", "typeof", "await", "yield":
		return true
	}
	return false
}

func (d *definer) typedField(head, j, idents int, private bool, top item, stack *items) int {
	k := j - 1
	for d.is(k, ']') && d.partner(k) < k {
		k = d.partner(k) - 1
	}
	end := j
	if !d.is(j, ';') {
		end = -1
		if d.l == &langGroovy {
			end = d.statementEnd(j)
		} else if e := d.find(j, ";"); e > 0 {
			end = e
		}
		if end < 0 {
			return j + 1
		}
	}
	if d.isIdent(k) && (idents >= 2 || idents == 1 && (d.isWord(head, "def") || d.is(k-1, ']') || d.is(k-1, '>') || d.l == &langDart && k > head)) && !controlWord(d.at(head)) && (top.kind == inType || d.l == &langDart || d.l == &langGroovy && d.isWord(head, "def")) {
		what := "field"
		if top.kind != inType {
			what = "var"
		}
		d.add(d.at(k), stack.container(), what, head, end, !private, 0)
	}
	return end + 1
}

// typedBlock is a brace straight behind words: a property, an initialiser.
func (d *definer) typedBlock(head, b, idents int, private bool, top item, stack *items) int {
	end := d.partner(b)
	if d.is(end+1, '=') && d.l == &langCSharp {
		if e := d.find(end+1, ";"); e > 0 {
			end = e
		}
	}
	if top.kind == inType && d.isIdent(b-1) && (idents >= 2 || d.at(b-1) == top.name || d.isIdent(b-2) || d.is(b-2, '>') || d.is(b-2, ']')) && !modifier(d.at(b-1)) {
		what := "field"
		if d.l != &langCSharp {
			what = "method"
		}
		d.add(d.at(b-1), stack.container(), what, head, end, !private, d.signature(head, b))
	}
	return end + 1
}

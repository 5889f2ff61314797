package lang

// item is a scope of the brace languages: what kind of body it is, whose, and
// the index of its closing brace.
type item struct {
	kind itemKind
	name string
	end  int
	next int // where to go on after end; 0 for the token after it
}

type itemKind uint8

const (
	inFile itemKind = iota
	inSpace
	inType
	inEnum
	inFields
	inFunc
	inOther
)

// items is a stack of scopes with a floor.
type items []item

func (s items) top() item {
	if len(s) == 0 {
		return item{end: 1 << 62}
	}
	return s[len(s)-1]
}

func (s items) local() bool {
	for i := len(s) - 1; i >= 0; i-- {
		if s[i].kind == inFunc {
			return true
		}
		if s[i].kind == inType || s[i].kind == inSpace {
			return false
		}
	}
	return false
}

// container joins the names of the enclosing types and namespaces.
func (s items) container() string {
	out := ""
	for i := len(s) - 1; i >= 0 && len(out) < 300; i-- {
		if s[i].name == "" || s[i].kind == inFunc || s[i].kind == inOther {
			continue
		}
		if out == "" {
			out = s[i].name
		} else {
			out = s[i].name + "." + out
		}
		if s[i].kind != inSpace && i > 0 && s[i-1].kind == inSpace {
			break
		}
	}
	return out
}

func (d *definer) rust() {
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
		if d.is(i, '(') && stack.top().kind == inFields {
			i = d.over(i) - 1 // pub(crate)
			continue
		}
		if !d.isIdent(i) {
			continue
		}
		top := stack.top()
		if top.kind == inFields || top.kind == inEnum {
			before := d.is(i-1, '{') || d.is(i-1, ',') || d.is(i-1, ']') || d.isWord(i-1, "pub") || d.is(i-1, ')')
			switch {
			case !before || d.isWord(i, "pub"):
			case top.kind == inEnum:
				d.add(d.at(i), top.name, "const", i, max(i, d.find(i+1, ",")-1), true, 0)
				if d.is(i+1, '{') {
					notes[i+1] = item{kind: inFields, name: d.at(i)}
				} else if d.is(i+1, '(') {
					i = d.over(i+1) - 1
				}
			case d.is(i+1, ':'):
				end := d.find(i+1, ",")
				if end < 0 {
					end = min(top.end, len(d.toks)) - 1
				}
				d.add(d.at(i), top.name, "field", i, end, d.rustPub(i), 0)
			}
			continue
		}
		if d.is(i-1, '.') || d.is(i-1, '\'') {
			continue
		}
		w := d.at(i)
		switch w {
		case "fn":
			if !d.isIdent(i + 1) {
				continue
			}
			name := d.at(i + 1)
			what, c := "func", stack.container()
			if top.kind == inType {
				what = "method"
			}
			b := d.find(i+2, "{;")
			h := d.rustHead(i)
			if b < 0 {
				d.add(name, c, what, h, i+1, d.rustPub(i), 0)
				continue
			}
			end := b
			if d.is(b, '{') {
				end = d.partner(b)
				notes[b] = item{kind: inFunc, name: name}
			}
			d.add(name, c, what, h, end, d.rustPub(i) || what == "method" && top.next == 1, d.signature(i, b))
		case "struct", "enum", "union", "trait":
			if !d.isIdent(i+1) || w == "union" && !d.is(i+2, '{') && !d.is(i+2, '<') {
				continue
			}
			b := d.find(i+2, "{;")
			if b < 0 {
				continue
			}
			name, end := d.at(i+1), b
			if d.is(b, '{') {
				end = d.partner(b)
				kind := inFields
				switch w {
				case "enum":
					kind = inEnum
				case "trait":
					kind = inType
				}
				n := item{kind: kind, name: name}
				if w == "trait" && d.rustPub(i) {
					n.next = 1 // its methods are as visible as itself
				}
				notes[b] = n
			}
			d.add(name, stack.rustModule(), "type", d.rustHead(i), end, d.rustPub(i), d.signature(i, b))
		case "impl":
			if b := d.find(i+1, "{;"); b > 0 && d.is(b, '{') && top.kind != inFunc {
				name, trait := d.rustImpl(i+1, b)
				n := item{kind: inType, name: name}
				if trait {
					n.next = 1
				}
				notes[b] = n
			}
		case "mod":
			if d.isIdent(i+1) && (d.is(i+2, '{') || d.is(i+2, ';')) {
				end := i + 2
				if d.is(end, '{') {
					notes[end] = item{kind: inSpace, name: d.at(i + 1)}
					end = d.partner(end)
				}
				d.add(d.at(i+1), stack.rustModule(), "module", d.rustHead(i), end, d.rustPub(i), 0)
			}
		case "macro_rules":
			if d.is(i+1, '!') && d.isIdent(i+2) {
				b := i + 3
				end := d.over(b) - 1
				if d.is(b, '{') {
					notes[b] = item{kind: inFunc}
				}
				d.add(d.at(i+2), "", "macro", i, end, true, 0)
				i = min(end, len(d.toks)) - 1
				if i < b {
					i = b - 1
				}
			}
		case "type":
			if d.isIdent(i+1) && !stack.local() {
				if end := d.find(i+2, ";"); end > 0 {
					d.add(d.at(i+1), stack.container(), "type", d.rustHead(i), end, d.rustPub(i), d.signature(i, end))
				}
			}
		case "const", "static":
			j := i + 1
			if d.isWord(j, "mut") {
				j++
			}
			if d.isIdent(j) && d.is(j+1, ':') && !d.is(j+2, ':') && !stack.local() && d.at(j) != "_" {
				what := "const"
				if j > i+1 {
					what = "var"
				}
				end := d.find(j+1, ";")
				if end < 0 {
					end = j
				}
				d.add(d.at(j), stack.container(), what, d.rustHead(i), end, d.rustPub(i), 0)
			}
		}
	}
}

// rustModule is the container of a type: the enclosing modules alone.
func (s items) rustModule() string {
	out := ""
	for _, it := range s {
		if it.kind == inSpace && len(out) < 300 {
			if out != "" {
				out += "."
			}
			out += it.name
		}
	}
	return out
}

// rustImpl is the type that an impl block between i and b is for.
func (d *definer) rustImpl(i, b int) (name string, trait bool) {
	i = d.skipAngles(i)
	for j := i; j < b; j++ {
		switch {
		case d.isWord(j, "for") && !d.is(j+1, '<'):
			name, trait = "", true
		case d.isWord(j, "where"):
			return name, trait
		case d.is(j, '<'):
			if e := d.skipAngles(j); e > j {
				j = e - 1
			}
		case d.isIdent(j):
			switch w := d.at(j); w {
			case "dyn", "mut", "const", "unsafe":
			default:
				name = w
			}
		}
	}
	return name, trait
}

// rustHead goes back over pub, async and the like.
func (d *definer) rustHead(i int) int {
	for n := 0; n < 8 && i > 0; n++ {
		switch {
		case d.is(i-1, ')') && d.isWord(d.partner(i-1)-1, "pub"):
			i = d.partner(i-1) - 1
		case d.isWord(i-1, "pub"), d.isWord(i-1, "async"), d.isWord(i-1, "unsafe"), d.isWord(i-1, "const"), d.isWord(i-1, "extern"), d.isWord(i-1, "default"), d.isWord(i-1, "auto"):
			i--
		case d.toks[i-1].Kind == String && d.isWord(i-2, "extern"):
			i -= 2
		default:
			return i
		}
	}
	return i
}

func (d *definer) rustPub(i int) bool { h := d.rustHead(i); return d.isWord(h, "pub") }

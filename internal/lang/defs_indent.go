package lang

import "strings"

// python reads defs, classes and the names that modules and classes bind.
func (d *definer) python() {
	type open struct {
		def, col int
		name     string
		class    bool
	}
	var stack []open
	lastEnd := 0 // index of the last token seen
	depth := 0
	for i := 0; i < len(d.toks); i++ {
		outside := depth == 0
		if d.toks[i].Kind == Op {
			switch d.src[d.toks[i].Start] {
			case '(', '[', '{':
				if d.match[i] > int32(i) {
					depth++
				}
			case ')', ']', '}':
				if d.match[i] >= 0 && depth > 0 {
					depth--
				}
			}
		}
		if !outside || !d.first(i) || d.is(i-1, '\\') {
			lastEnd = i
			continue
		}
		col := d.column(i)
		for len(stack) > 0 && col <= stack[len(stack)-1].col {
			d.out[stack[len(stack)-1].def].End = d.lineOf(lastEnd)
			stack = stack[:len(stack)-1]
		}
		container, inFunc := "", false
		for _, o := range stack {
			if container != "" {
				container += "."
			}
			container += o.name
			if len(container) > 400 {
				container = o.name
			}
		}
		if n := len(stack); n > 0 {
			inFunc = !stack[n-1].class
		}
		j := i
		if d.isWord(j, "async") {
			j++
		}
		switch {
		case (d.isWord(j, "def") || j == i && (d.isWord(j, "cdef") || d.isWord(j, "cpdef")) && d.is(j+2, '(')) && d.isIdent(j+1):
			name := d.at(j + 1)
			head := d.find(j+2, ":")
			if d.is(j+2, '(') {
				if k := d.find(d.over(j+2), ":"); k > 0 {
					head = k
				}
			}
			what := "func"
			if len(stack) > 0 && !inFunc {
				what = "method"
			}
			if head < 0 {
				head = j + 2
			}
			n := d.add(name, container, what, i, i, !strings.HasPrefix(name, "_") || strings.HasSuffix(name, "__"), d.signature(j, head))
			stack = append(stack, open{n, col, name, false})
		case d.isWord(i, "class") && d.isIdent(i+1):
			name := d.at(i + 1)
			head := d.find(i+2, ":")
			if head < 0 {
				head = i + 2
			}
			n := d.add(name, container, "class", i, i, !strings.HasPrefix(name, "_"), d.signature(i, head))
			stack = append(stack, open{n, col, name, true})
		case !inFunc && d.isIdent(i) && (d.is(i+1, '=') && !d.is(i+2, '=') || d.is(i+1, ':')) && !pythonWord(d.at(i)) && d.toks[i+1].Line == d.toks[i].Line:
			name, what := d.at(i), "var"
			switch {
			case len(stack) > 0:
				what = "field"
			case name == strings.ToUpper(name):
				what = "const"
			}
			d.add(name, container, what, i, d.pyLineEnd(i), !strings.HasPrefix(name, "_"), 0)
		case !inFunc && d.isWord(i, "type") && d.isIdent(i+1) && (d.is(i+2, '=') || d.is(i+2, '[')):
			d.add(d.at(i+1), container, "type", i, d.pyLineEnd(i), true, 0)
		}
		lastEnd = i
	}
	for _, o := range stack {
		d.out[o.def].End = d.lineOf(len(d.toks) - 1)
	}
}

// pyLineEnd is the last token of the logical line that begins at i.
func (d *definer) pyLineEnd(i int) int {
	for n := 0; i+1 < len(d.toks) && n < 4*reach; n++ {
		if d.toks[i].Kind == Op && d.match[i] > int32(i) {
			i = int(d.match[i])
		}
		if i+1 >= len(d.toks) || d.toks[i+1].Line > d.lineOf(i) && !d.is(i, '\\') {
			return i
		}
		i++
	}
	return min(i, len(d.toks)-1)
}

func pythonWord(w string) bool {
	switch w {
	case "else", "try", "finally", "lambda", "except", "if", "for", "while", "with", "return", "print", "match", "case":
		return true
	}
	return false
}

package lang

import "unicode"

func isUpper(r rune) bool { return unicode.IsUpper(r) }

// golang reads the declarations at the top of a Go file. Go's own parser gives
// the same (a test holds one against the other over the standard library) at a
// tenth of the speed.
func (d *definer) golang() {
	for i := 0; i < len(d.toks); {
		switch {
		case d.isWord(i, "func"):
			i = d.goFunc(i)
		case d.isWord(i, "type"), d.isWord(i, "const"), d.isWord(i, "var"):
			i = d.goDecl(i, d.at(i))
		case d.is(i, '(') || d.is(i, '{') || d.is(i, '['):
			i = d.over(i)
		default:
			i++
		}
	}
}

func (d *definer) goFunc(i int) int {
	j, recv := i+1, ""
	if d.is(j, '(') {
		end := d.partner(j)
		// The receiver's type is the last name outside of its type parameters.
		for k := j + 1; k < end && k < len(d.toks); k++ {
			if d.is(k, '[') {
				k = d.over(k) - 1
				continue
			}
			if d.isIdent(k) {
				recv = d.at(k)
			}
		}
		j = d.over(j)
	}
	if !d.isIdent(j) {
		return i + 1
	}
	name := d.at(j)
	k := j + 1
	if d.is(k, '[') {
		k = d.over(k)
	}
	if !d.is(k, '(') {
		return i + 1
	}
	k = d.over(k)
	// The result, up to the body. A result may be a func, struct or interface type.
	line := d.lineOf(k - 1)
	for k < len(d.toks) {
		switch {
		case d.is(k, '{'):
			if d.isWord(k-1, "struct") || d.isWord(k-1, "interface") {
				k = d.over(k)
				line = d.lineOf(k - 1)
				continue
			}
			what := "func"
			if recv != "" {
				what = "method"
			}
			d.add(name, recv, what, i, d.partner(k), upperFirst(name), d.signature(i, k))
			return d.over(k)
		case d.is(k, '('), d.is(k, '['):
			k = d.over(k)
			line = d.lineOf(k - 1)
		case d.toks[k].Line > line || d.is(k, ';'):
			// Without a body: implemented elsewhere.
			what := "func"
			if recv != "" {
				what = "method"
			}
			d.add(name, recv, what, i, k-1, upperFirst(name), d.signature(i, k))
			return k
		default:
			line = d.lineOf(k)
			k++
		}
	}
	what := "func"
	if recv != "" {
		what = "method"
	}
	d.add(name, recv, what, i, len(d.toks)-1, upperFirst(name), d.signature(i, k))
	return k
}

func (d *definer) goDecl(i int, kw string) int {
	if d.is(i+1, '(') {
		end := d.partner(i + 1)
		for j := i + 2; j < end && j < len(d.toks); {
			j = d.goSpec(j, j, end, kw)
		}
		return d.over(i + 1)
	}
	return d.goSpec(i, i+1, len(d.toks), kw)
}

// goSpec reads one specification that begins at j; from is the token with which
// its extent begins. It returns the token after it.
func (d *definer) goSpec(from, j, end int, kw string) int {
	last := d.goSpecEnd(j, end)
	if !d.isIdent(j) {
		return last + 1
	}
	if kw == "type" {
		name := d.at(j)
		k := j + 1
		// Type parameters, not the length of an array.
		if d.is(k, '[') && d.isIdent(k+1) && (d.isIdent(k+2) || d.is(k+2, ',') || d.is(k+2, '~') || d.is(k+2, '[') || d.find(k+1, ",") > 0) && d.over(k) <= last {
			k = d.over(k)
		}
		if d.is(k, '=') {
			k++
		}
		d.add(name, "", "type", from, last, upperFirst(name), d.signature(j, min(k+1, last+1)))
		switch {
		case d.isWord(k, "struct") && d.is(k+1, '{'):
			d.goFields(name, k+2, d.partner(k+1), false)
		case d.isWord(k, "interface") && d.is(k+1, '{'):
			d.goFields(name, k+2, d.partner(k+1), true)
		}
		return last + 1
	}
	for k := j; k <= last && d.isIdent(k); k += 2 {
		if name := d.at(k); name != "_" {
			d.add(name, "", kw, from, last, upperFirst(name), 0)
		}
		if !d.is(k+1, ',') {
			break
		}
	}
	return last + 1
}

// goSpecEnd is the last token of the statement at j by Go's rule: a line end
// after a name, a literal or a closing bracket ends it.
func (d *definer) goSpecEnd(j, end int) int {
	k := j
	for k < end && k < len(d.toks) {
		if d.is(k, ';') {
			return k
		}
		if d.is(k, '(') || d.is(k, '[') || d.is(k, '{') {
			if m := d.partner(k); m > k && m < len(d.toks) {
				k = m
			}
		}
		if k+1 >= end || k+1 >= len(d.toks) {
			return k
		}
		if d.toks[k+1].Line > d.lineOf(k) && d.goEnds(k) {
			return k
		}
		k++
	}
	return min(k, len(d.toks)) - 1
}

func (d *definer) goEnds(k int) bool {
	if d.toks[k].Kind != Op {
		if d.toks[k].Kind == Ident {
			switch d.at(k) {
			case "struct", "interface", "map", "chan", "func":
				return false
			}
		}
		return true
	}
	switch d.src[d.toks[k].Start] {
	case ')', ']', '}':
		return true
	}
	return false
}

// goEmbedded says whether the field at j is an embedded type with arguments.
func (d *definer) goEmbedded(j, last int) bool {
	if !d.is(j+1, '[') {
		return false
	}
	end := d.over(j + 1)
	return !d.is(j+2, ']') && (end > last || d.toks[end].Kind == String)
}

func (d *definer) goFields(owner string, j, end int, methods bool) {
	for j < end && j < len(d.toks) {
		last := d.goSpecEnd(j, end)
		switch {
		case methods && d.isIdent(j) && d.is(j+1, '(') && d.toks[j+1].Line == d.toks[j].Line:
			name := d.at(j)
			d.add(name, owner, "method", j, last, upperFirst(name), d.signature(j, last+1))
		case !methods && d.isIdent(j) && j < last && !d.is(j+1, '.') && d.toks[j+1].Line == d.toks[j].Line && d.toks[j+1].Kind != String && !d.goEmbedded(j, last):
			for k := j; k <= last && d.isIdent(k); k += 2 {
				name := d.at(k)
				if name != "_" {
					d.add(name, owner, "field", j, last, upperFirst(name), 0)
				}
				if !d.is(k+1, ',') {
					break
				}
			}
		}
		if last < j {
			last = j
		}
		j = last + 1
	}
}

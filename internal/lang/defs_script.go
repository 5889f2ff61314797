package lang

import "strings"

type jsKind uint8

const (
	jsBlock jsKind = iota
	jsFunc
	jsClass
	jsObject
	jsParen
	jsShape // interface or type literal
	jsEnum
	jsSpace // namespace
)

type jsScope struct {
	kind  jsKind
	name  string
	end   int
	local bool // inside a function
}

// jsReader walks over JavaScript or TypeScript once. Handlers that recognise a
// definition leave a note at the brace of its body, so that the walk knows what
// it enters.
type jsReader struct {
	*definer
	body    map[int]jsScope
	scopes  []jsScope
	modules bool // the file has export statements: what lacks one is its own
}

func (d *definer) javascript() {
	r := &jsReader{definer: d, body: map[int]jsScope{}}
	listed := map[string]bool{}
	for i := range d.toks {
		if d.isWord(i, "export") && !d.is(i-1, '.') {
			r.modules = true
			if d.is(i+1, '{') {
				for j := i + 2; j < d.partner(i+1) && j < len(d.toks) && j < i+2000; j++ {
					if d.isIdent(j) {
						listed[d.at(j)] = true
					}
				}
			}
		}
	}
	for i := range d.toks {
		r.step(i)
	}
	for i := range d.out {
		if o := &d.out[i]; listed[o.Name] && o.Name == o.Qualified {
			o.Exported = true
		}
	}
}

func (r *jsReader) top() jsScope {
	if n := len(r.scopes); n > 0 {
		return r.scopes[n-1]
	}
	return jsScope{end: len(r.toks)}
}

func (r *jsReader) step(i int) {
	for n := len(r.scopes); n > 0 && i >= r.scopes[n-1].end; n = len(r.scopes) {
		r.scopes = r.scopes[:n-1]
	}
	t := r.top()
	switch tok := r.toks[i]; tok.Kind {
	case Op:
		switch c := r.src[tok.Start]; c {
		case '(', '[':
			if t.kind == jsClass && c == '[' && r.memberStart(i) {
				r.member(i, t)
			}
			r.push(jsScope{jsParen, t.name, r.partner(i), t.local})
		case '{':
			s, ok := r.body[i]
			if !ok {
				s = jsScope{kind: jsBlock, name: t.name}
				switch {
				case r.pairOf(i-2, '=', '>'):
					s.kind = jsFunc
				case r.objectBrace(i):
					s = jsScope{kind: jsObject}
				}
			}
			s.local = s.kind == jsFunc || t.local
			s.end = r.partner(i)
			r.push(s)
		case '#', '*':
			if t.kind == jsClass && c == '#' && r.memberStart(i) && r.isIdent(i+1) {
				r.member(i, t)
			}
		}
	case Ident, String, Number:
		switch t.kind {
		case jsClass, jsShape:
			if r.memberStart(i) {
				r.member(i, t)
			}
		case jsObject:
			if !t.local && (r.is(i-1, '{') || r.is(i-1, ',')) {
				r.property(i, t)
			}
		case jsEnum:
			if tok.Kind != Number && (r.is(i-1, '{') || r.is(i-1, ',')) {
				r.add(strings.Trim(r.at(i), `"'`), t.name, "const", i, i, true, 0)
			}
		}
		if tok.Kind == Ident {
			r.statement(i, t)
		}
	}
}

func (r *jsReader) push(s jsScope) {
	if len(r.scopes) < 10000 {
		r.scopes = append(r.scopes, s)
	}
}

// objectBrace tells an object literal from a block by what stands before.
func (r *jsReader) objectBrace(i int) bool {
	if i == 0 {
		return false
	}
	p := r.toks[i-1]
	switch p.Kind {
	case Ident:
		switch r.at(i - 1) {
		case "return", "default", "case", "in", "of", "typeof", "yield", "await", "new":
			return true
		}
	case Op:
		switch r.src[p.Start] {
		case '=', '(', ',', ':', '[', '?', '&', '|', '!':
			return true
		}
	}
	return false
}

// fresh says whether token i begins a statement or member: something ended before it.
func (r *jsReader) fresh(i int) bool {
	if i == 0 {
		return true
	}
	p := r.toks[i-1]
	if p.Kind == Op {
		switch r.src[p.Start] {
		case ';', '{', '}':
			return true
		case ')', ']':
			return r.toks[i].Line > r.lineOf(i-1)
		case '>':
			return r.toks[i].Line > r.lineOf(i-1) && !r.is(i-2, '=')
		case ':':
			// After "case x:" or a label.
			return r.toks[i].Line > r.lineOf(i-1)
		}
		return false
	}
	return r.toks[i].Line > r.lineOf(i-1)
}

func (r *jsReader) memberStart(i int) bool {
	if r.is(i-1, '}') || r.is(i-1, '{') || r.is(i-1, ';') || r.is(i-1, ',') && r.top().kind == jsShape {
		return true
	}
	return r.fresh(i) && !r.is(i-1, '.') || r.is(i-1, ')') && r.decorated(i-1)
}

// decorated says whether the parentheses that close at i are a decorator's.
func (r *jsReader) decorated(i int) bool {
	o := r.partner(i)
	return o < i && r.isIdent(o-1) && r.is(o-2, '@')
}

func (r *jsReader) exported(i int) bool {
	for j := i - 1; j >= 0 && j > i-6 && r.isIdent(j); j-- {
		if r.isWord(j, "export") {
			return true
		}
	}
	return !r.modules
}

// head is the token with which the statement of the keyword at i begins:
// "export", "async", "abstract" and the like count in.
func (r *jsReader) head(i int) int {
	for j := i; j > 0 && j > i-6; j-- {
		if !r.isIdent(j-1) || !jsLead(r.at(j-1)) {
			return j
		}
		i = j - 1
	}
	return i
}

func jsLead(w string) bool {
	switch w {
	case "export", "default", "async", "abstract", "declare":
		return true
	}
	return false
}

// statement handles the keywords that begin a declaration, and assignments of
// functions to properties.
func (r *jsReader) statement(i int, t jsScope) {
	if r.is(i-1, '.') || r.is(i+1, ':') && t.kind == jsObject {
		return
	}
	switch w := r.at(i); w {
	case "function":
		r.function(i, t)
	case "class":
		r.class(i, t)
	case "interface":
		if r.isIdent(i+1) && (r.is(i+2, '{') || r.is(i+2, '<') || r.isWord(i+2, "extends")) {
			r.shape(i, "type", t)
		}
	case "enum", "namespace", "module":
		b := i + 2
		for r.is(b, '.') {
			b += 2
		}
		if (r.isIdent(i+1) || r.toks[min(i+1, len(r.toks)-1)].Kind == String) && r.is(b, '{') && t.kind != jsObject {
			k, what := jsSpace, "module"
			if w == "enum" {
				k, what = jsEnum, "type"
			}
			name := strings.Trim(r.at(b-1), `"'`)
			r.body[b] = jsScope{kind: k, name: name}
			r.add(name, t.container(), what, r.head(i), r.partner(b), r.exported(i), r.signature(i, b))
		}
	case "type":
		if r.isIdent(i+1) && (r.is(i+2, '=') || r.is(i+2, '<')) && t.kind != jsParen && t.kind != jsClass && t.kind != jsObject {
			if k := r.skipAngles(i + 2); r.is(k, '=') && !r.is(k+1, '=') {
				end := r.statementEnd(k)
				r.add(r.at(i+1), t.container(), "type", r.head(i), end, r.exported(i), r.signature(i, end+1))
				if r.is(k+1, '{') {
					r.body[k+1] = jsScope{kind: jsShape, name: r.at(i + 1)}
				}
			}
		}
	case "const", "let", "var":
		if r.isIdent(i+1) && !r.isWord(i+1, "enum") {
			r.variable(i, i+1, w, t)
		}
	case "default":
		if r.isWord(i-1, "export") && !r.isWord(i+1, "function") && !r.isWord(i+1, "class") && !r.isWord(i+1, "async") && !r.isWord(i+1, "abstract") && !r.isWord(i+1, "interface") {
			end := r.statementEnd(i + 1)
			if fn, b, e := r.functionValue(i + 1); fn {
				end = e
				if b >= 0 {
					r.body[b] = jsScope{kind: jsFunc, name: "default"}
				}
			}
			r.add("default", "", "const", i-1, end, true, 0)
		}
	default:
		if r.fresh(i) && t.kind != jsClass && t.kind != jsObject && t.kind != jsShape && t.kind != jsEnum {
			r.assignment(i, t)
		}
	}
}

// container is the name that definitions in this scope are qualified with.
func (s jsScope) container() string {
	switch s.kind {
	case jsSpace, jsClass:
		return s.name
	}
	return ""
}

func (r *jsReader) function(i int, t jsScope) {
	j := i + 1
	if r.is(j, '*') {
		j++
	}
	name, k := "", j
	if r.isIdent(j) {
		name, k = r.at(j), j+1
	}
	k = r.skipAngles(k)
	if !r.is(k, '(') {
		return
	}
	b := r.bodyAfter(r.over(k))
	if b >= 0 {
		r.body[b] = jsScope{kind: jsFunc, name: name}
	}
	h := r.head(i)
	isDefault := r.isWord(i-1, "default") || r.isWord(i-2, "default") && r.isWord(i-1, "async")
	if !isDefault && !r.fresh(h) && !r.is(h-1, ')') && !r.isWord(h-1, "else") && (name == "" || r.is(h-1, '=') || r.is(h-1, ':') && !t.local) {
		return // an expression: whatever it is assigned to is the definition
	}
	if name == "" {
		if !isDefault {
			return
		}
		name = "default"
	}
	end := b
	if b >= 0 {
		end = r.partner(b)
	} else {
		end = r.statementEnd(r.partner(k))
	}
	sig := b
	if b < 0 {
		sig = end + 1
	}
	r.add(name, t.container(), "func", h, end, r.exported(i), r.signature(i, sig))
}

// bodyAfter is the brace of a function's body, where k is the token after its
// parameters; -1 if it has none.
func (r *jsReader) bodyAfter(k int) int {
	if r.is(k, '{') {
		return k
	}
	if !r.is(k, ':') {
		return -1
	}
	for j, n := k+1, 0; j < len(r.toks) && n < reach; n++ {
		if r.toks[j].Line > r.lineOf(j-1) && !r.goesOn(j-1) && !r.is(j, '{') {
			return -1
		}
		if r.toks[j].Kind != Op {
			j++
			continue
		}
		switch r.src[r.toks[j].Start] {
		case '{':
			if r.typeBefore(j) {
				j = r.over(j)
				continue
			}
			return j
		case '(', '[':
			j = r.over(j)
		case '<':
			if e := r.skipAngles(j); e > j {
				j = e
			} else {
				j++
			}
		case ';', ')', '}', ']':
			return -1
		default:
			j++
		}
	}
	return -1
}

// typeBefore says whether a brace at j opens a type literal.
func (r *jsReader) typeBefore(j int) bool {
	if r.toks[j-1].Kind != Op {
		return r.isWord(j-1, "is") || r.isWord(j-1, "keyof") || r.isWord(j-1, "extends")
	}
	switch r.src[r.toks[j-1].Start] {
	case ':', '|', '&', '<', ',', '?':
		return true
	case '>':
		return r.is(j-2, '=')
	}
	return false
}

// functionValue says whether the expression at k is a function; body is the
// brace of its body (-1 for an arrow with an expression), end its last token.
func (r *jsReader) functionValue(k int) (is bool, body, end int) {
	if r.isWord(k, "async") && !r.is(k+1, '=') {
		k++
	}
	if r.isWord(k, "function") {
		j := k + 1
		for r.is(j, '*') || r.isIdent(j) {
			j++
		}
		j = r.skipAngles(j)
		if !r.is(j, '(') {
			return false, -1, -1
		}
		b := r.bodyAfter(r.over(j))
		if b < 0 {
			return false, -1, -1
		}
		return true, b, r.partner(b)
	}
	j := r.skipAngles(k)
	switch {
	case r.is(j, '('):
		j = r.over(j)
		if r.is(j, ':') {
			j = r.arrowAfter(j)
		}
	case r.isIdent(j):
		j++
	default:
		return false, -1, -1
	}
	if j < 0 || !r.pairOf(j, '=', '>') {
		return false, -1, -1
	}
	if r.is(j+2, '{') {
		return true, j + 2, r.partner(j + 2)
	}
	if j+2 >= len(r.toks) {
		return false, -1, -1
	}
	return true, -1, r.statementEnd(j + 2)
}

// arrowAfter finds the arrow behind a result type that begins with the colon at j.
func (r *jsReader) arrowAfter(j int) int {
	for n := 0; j < len(r.toks) && n < 120; n++ {
		if r.pairOf(j, '=', '>') {
			return j
		}
		if r.toks[j].Kind == Op {
			switch r.src[r.toks[j].Start] {
			case '(', '[', '{':
				j = r.over(j)
				continue
			case '<':
				if e := r.skipAngles(j); e > j {
					j = e
					continue
				}
			case ';', ',', '=', ')', '}', ']':
				return -1
			}
		}
		j++
	}
	return -1
}

func (r *jsReader) class(i int, t jsScope) {
	if r.is(i+1, ':') || r.is(i+1, '=') || r.is(i+1, '(') || r.is(i+1, ',') || r.is(i+1, ')') {
		return
	}
	name, k := "", i+1
	if r.isIdent(k) && !r.isWord(k, "extends") && !r.isWord(k, "implements") {
		name = r.at(k)
		k++
	}
	b := r.classBody(k)
	if b < 0 {
		return
	}
	h := r.head(i)
	if name == "" && r.isWord(i-1, "default") {
		name = "default"
	}
	statement := r.fresh(h) || r.is(h-1, ')') || r.isWord(i-1, "default")
	if statement && name != "" {
		r.body[b] = jsScope{kind: jsClass, name: name}
		r.add(name, t.container(), "class", h, r.partner(b), r.exported(i), r.signature(i, b))
		return
	}
	if _, noted := r.body[b]; !noted {
		r.body[b] = jsScope{kind: jsClass, name: name}
	}
}

// classBody is the brace of a class whose header goes on at k.
func (r *jsReader) classBody(k int) int {
	for n := 0; k < len(r.toks) && n < reach; n++ {
		if r.toks[k].Kind == Op {
			switch r.src[r.toks[k].Start] {
			case '{':
				return k
			case '(', '[':
				k = r.over(k)
				continue
			case '<':
				if e := r.skipAngles(k); e > k {
					k = e
					continue
				}
			case ';', ')', '}', '=', ']':
				return -1
			}
		}
		k++
	}
	return -1
}

func (r *jsReader) shape(i int, what string, t jsScope) {
	b := r.classBody(i + 2)
	if b < 0 {
		return
	}
	r.body[b] = jsScope{kind: jsShape, name: r.at(i + 1)}
	r.add(r.at(i+1), t.container(), what, r.head(i), r.partner(b), r.exported(i), r.signature(i, b))
}

// variable handles one declarator of const, let or var, and those behind commas.
func (r *jsReader) variable(i, j int, kw string, t jsScope) {
	for n := 0; n < 64 && r.isIdent(j); n++ {
		name, k := r.at(j), j+1
		if r.is(k, '!') {
			k++
		}
		if r.is(k, ':') {
			k = r.initialiser(k + 1)
		}
		from := r.head(i)
		if n > 0 {
			from = j
		}
		what := "var"
		if kw == "const" {
			what = "const"
		}
		if !r.is(k, '=') || r.is(k+1, '=') || r.is(k+1, '>') {
			if !t.local && t.kind != jsParen {
				r.add(name, t.container(), what, from, min(max(j, k-1), len(r.toks)-1), r.exported(i), 0)
			}
			if !r.is(k, ',') {
				return
			}
			j = k + 1
			continue
		}
		end := r.value(name, k+1, t)
		switch fn, _, _ := r.functionValue(k + 1); {
		case fn:
			stop := end + 1
			if _, b, _ := r.functionValue(k + 1); b >= 0 {
				stop = b
			}
			r.add(name, t.container(), "func", from, end, r.exported(i), r.signature(j, stop))
		case r.isWord(k+1, "class"):
			r.add(name, t.container(), "class", from, end, r.exported(i), 0)
		case !t.local && t.kind != jsParen:
			r.add(name, t.container(), what, from, end, r.exported(i), 0)
		}
		if !r.is(end+1, ',') && !r.is(end, ',') {
			return
		}
		j = end + 1
		if r.is(j, ',') {
			j++
		}
	}
}

// value notes what the braces of an assigned value are and returns its last token.
func (r *jsReader) value(name string, k int, t jsScope) int {
	if fn, b, end := r.functionValue(k); fn {
		if b >= 0 {
			r.body[b] = jsScope{kind: jsFunc, name: name}
		}
		return min(end, len(r.toks)-1)
	}
	if r.isWord(k, "class") {
		j := k + 1
		if r.isIdent(j) && !r.isWord(j, "extends") {
			j++
		}
		if b := r.classBody(j); b >= 0 {
			r.body[b] = jsScope{kind: jsClass, name: name}
			return min(r.partner(b), len(r.toks)-1)
		}
	}
	if r.is(k, '{') {
		r.body[k] = jsScope{kind: jsObject, name: name}
	}
	return r.statementEnd(k)
}

// initialiser finds the "=" behind a type annotation at k; or the token that
// ends the annotation.
func (r *jsReader) initialiser(k int) int {
	for n := 0; k < len(r.toks) && n < reach; n++ {
		if k > 0 && r.toks[k].Line > r.lineOf(k-1) && !r.goesOn(k-1) {
			return k
		}
		if r.toks[k].Kind == Op {
			switch r.src[r.toks[k].Start] {
			case '=':
				if r.is(k+1, '>') {
					k += 2
					continue
				}
				return k
			case '(', '[', '{':
				k = r.over(k)
				continue
			case '<':
				if e := r.skipAngles(k); e > k {
					k = e
					continue
				}
			case ';', ',', ')', '}', ']':
				return k
			}
		}
		k++
	}
	return k
}

// assignment handles a.b.c = function ... and exports.name = value.
func (r *jsReader) assignment(i int, t jsScope) {
	k := i + 1
	for n := 0; n < 8 && r.is(k, '.') && r.isIdent(k+1); n++ {
		k += 2
	}
	if k == i+1 || !r.is(k, '=') || r.is(k+1, '=') || r.is(k+1, '>') {
		return
	}
	name := r.at(k - 1)
	var parts []string
	exports := r.isWord(i, "exports") || r.isWord(i, "module") && r.isWord(i+2, "exports")
	for j := i; j < k-1; j += 2 {
		switch w := r.at(j); w {
		case "prototype", "exports", "module", "window", "global", "globalThis", "this", "self":
		default:
			parts = append(parts, w)
		}
	}
	container := strings.Join(parts, ".")
	if r.isWord(i, "this") {
		container = t.name
	}
	fn, b, _ := r.functionValue(k + 1)
	isClass := r.isWord(k+1, "class")
	if name == "exports" || name == "prototype" {
		// module.exports = {...}, Foo.prototype = {...}: the members are what counts.
		if r.is(k+1, '{') {
			r.body[k+1] = jsScope{kind: jsObject, name: container}
		}
		// module.exports = a = b = function ...
		if !fn {
			return
		}
		name = "exports"
	}
	chain := k + 1
	for !fn && !isClass && r.isIdent(chain) {
		// exports = module.exports = createApp: look at the last value.
		c := chain + 1
		for r.is(c, '.') && r.isIdent(c+1) {
			c += 2
		}
		if !r.is(c, '=') || r.is(c+1, '=') || r.is(c+1, '>') || c-chain > 20 {
			break
		}
		chain = c + 1
		fn, b, _ = r.functionValue(chain)
		isClass = r.isWord(chain, "class")
	}
	if !fn && !isClass && (t.local || !exports && t.kind != jsBlock) {
		return
	}
	if !fn && !isClass && !exports {
		return
	}
	end := r.value(name, chain, t)
	what, sig := "const", uint64(0)
	switch {
	case isClass:
		what = "class"
	case fn && container != "":
		what = "method"
	case fn:
		what = "func"
	}
	if fn {
		stop := b
		if b < 0 {
			stop = end + 1
		}
		sig = r.signature(i, stop)
	}
	r.add(name, container, what, i, end, true, sig)
}

// property handles one property of an object literal outside of functions.
func (r *jsReader) property(i int, t jsScope) {
	j := i
	for n := 0; n < 3 && (r.isWord(j, "async") || r.isWord(j, "get") || r.isWord(j, "set")) && j+1 < len(r.toks) && (r.toks[j+1].Kind != Op || r.is(j+1, '*')); n++ {
		j++
		if r.is(j, '*') {
			j++
		}
	}
	if j >= len(r.toks) || r.toks[j].Kind == Op {
		return
	}
	name := strings.Trim(r.at(j), "\"'`")
	k := r.skipAngles(j + 1)
	switch {
	case r.is(k, '('):
		b := r.bodyAfter(r.over(k))
		if b < 0 {
			return
		}
		r.body[b] = jsScope{kind: jsFunc, name: name}
		r.add(name, t.name, "method", i, r.partner(b), true, r.signature(j, b))
	case r.is(k, ':'):
		if fn, b, end := r.functionValue(k + 1); fn {
			stop := b
			if b >= 0 {
				r.body[b] = jsScope{kind: jsFunc, name: name}
			} else {
				stop = end + 1
			}
			r.add(name, t.name, "method", i, end, true, r.signature(j, stop))
		} else if r.is(k+1, '{') {
			r.body[k+1] = jsScope{kind: jsObject, name: name}
		}
	}
}

// member handles one member of a class or interface.
func (r *jsReader) member(i int, t jsScope) {
	j, private := i, false
	for n := 0; n < 8 && r.isIdent(j) && jsModifier(r.at(j)) && j+1 < len(r.toks); n++ {
		// A modifier is one only when a name follows.
		if x := r.toks[j+1]; x.Kind == Op && !r.is(j+1, '#') && !r.is(j+1, '*') && !r.is(j+1, '[') {
			break
		}
		if r.toks[j+1].Line > r.toks[j].Line && !r.isWord(j, "static") && !r.isWord(j, "public") && !r.isWord(j, "private") {
			break
		}
		private = private || r.isWord(j, "private")
		j++
		if r.is(j, '*') {
			j++
		}
	}
	if r.is(j, '#') {
		private = true
		j++
	}
	name, k := "", j+1
	switch {
	case r.is(j, '['):
		// [Symbol.iterator]() and index signatures.
		k = r.over(j)
		if k-j < 3 || r.is(k-3, ':') || r.is(j+2, ':') {
			return
		}
		name = strings.Trim(r.at(k-2), "\"'`")
	case j < len(r.toks) && r.toks[j].Kind != Op:
		name = strings.Trim(r.at(j), "\"'`")
	default:
		return
	}
	switch name {
	case "static":
		if r.is(k, '{') {
			return
		}
	case "function", "return", "if", "for", "while", "switch", "catch":
		if t.kind == jsClass && !r.is(k, '(') {
			return
		}
	}
	if r.is(k, '?') || r.is(k, '!') {
		k++
	}
	k = r.skipAngles(k)
	switch {
	case r.is(k, '('):
		b := r.bodyAfter(r.over(k))
		end := 0
		if b >= 0 {
			r.body[b] = jsScope{kind: jsFunc, name: name}
			end = r.partner(b)
		} else {
			end = r.statementEnd(r.over(k) - 1)
		}
		stop := b
		if b < 0 {
			stop = end + 1
		}
		r.add(name, t.name, "method", i, end, !private, r.signature(j, stop))
	case r.is(k, '=') && t.kind == jsClass && !r.is(k+1, '='), r.is(k, ':'):
		v := k
		if r.is(k, ':') {
			v = r.initialiser(k + 1)
		}
		if t.kind == jsClass && r.is(v, '=') {
			if fn, b, end := r.functionValue(v + 1); fn {
				stop := end + 1
				if b >= 0 {
					r.body[b] = jsScope{kind: jsFunc, name: name}
					stop = b
				}
				r.add(name, t.name, "method", i, end, !private, r.signature(j, stop))
				return
			}
		}
		end := v - 1
		if r.is(v, '=') {
			end = r.statementEnd(v)
		}
		r.add(name, t.name, "field", i, end, !private, 0)
	case t.kind == jsClass && r.toks[j].Kind == Ident && (r.is(k, ';') || k < len(r.toks) && r.toks[k].Line > r.toks[j].Line || r.is(k, '}')):
		r.add(name, t.name, "field", i, k-1, !private, 0)
	}
}

func jsModifier(w string) bool {
	switch w {
	case "public", "private", "protected", "static", "readonly", "async", "get", "set", "abstract", "override", "declare", "accessor":
		return true
	}
	return false
}

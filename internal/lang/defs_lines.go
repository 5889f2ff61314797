package lang

import "strings"

// ended reads Ruby, Elixir, Lua and Julia: a definition ends at the "end" that
// stands under its beginning.
func (d *definer) ended() {
	type open struct {
		def, col int
		name     string
		class    bool
		private  bool
	}
	var stack []open
	for i := 0; i < len(d.toks); i++ {
		if !d.first(i) {
			continue
		}
		col := d.column(i)
		if d.isWord(i, "end") {
			for len(stack) > 0 && col <= stack[len(stack)-1].col {
				d.out[stack[len(stack)-1].def].End = d.toks[i].Line
				stack = stack[:len(stack)-1]
			}
			continue
		}
		// What stands further left than a definition has left it, whatever its end was.
		for len(stack) > 0 && col < stack[len(stack)-1].col {
			d.out[stack[len(stack)-1].def].End = d.lineOf(i - 1)
			stack = stack[:len(stack)-1]
		}
		container, inClass, private := "", false, false
		for _, o := range stack {
			if o.class && len(container) < 300 {
				if container != "" {
					container += "."
				}
				container += o.name
			}
		}
		if n := len(stack); n > 0 {
			inClass, private = stack[n-1].class, stack[n-1].private
		}
		h := d.endedHeader(i, inClass || len(stack) == 0)
		switch {
		case d.l == &langRuby && inClass && (d.isWord(i, "private") || d.isWord(i, "protected") || d.isWord(i, "public")) && (i+1 == len(d.toks) || d.toks[i+1].Line > d.toks[i].Line):
			stack[len(stack)-1].private = !d.isWord(i, "public")
			continue
		case d.l == &langRuby && (d.isWord(i, "attr_accessor") || d.isWord(i, "attr_reader") || d.isWord(i, "attr_writer")):
			for j := i + 1; j < len(d.toks) && j < i+200 && (d.toks[j].Line == d.toks[i].Line || d.is(j-1, ',') || d.is(j-2, ',')); j++ {
				if d.is(j, ':') && d.isIdent(j+1) {
					d.add(d.at(j+1), container, "field", i, i, !private, 0)
				}
			}
			continue
		case h.name == "":
			continue
		}
		if h.container != "" {
			if container != "" && h.container != "self" {
				container += "."
			}
			if h.container != "self" {
				container += h.container
			}
		}
		what := h.what
		if what == "func" && container != "" {
			what = "method"
		}
		last := h.head
		for last+1 < len(d.toks) && d.toks[last+1].Line == d.toks[i].Line {
			last++
		}
		n := d.add(h.name, container, what, i, last, !h.private && !private, h.sig)
		if n < 0 || h.single || d.isWord(last, "end") {
			continue
		}
		stack = append(stack, open{n, col, h.name, h.class, false})
	}
	for _, o := range stack {
		d.out[o.def].End = max(d.out[o.def].Line, d.lineOf(len(d.toks)-1))
	}
}

type endedHead struct {
	name, container, what string
	head                  int // last token of the header
	class, private        bool
	single                bool // one line, no end
	sig                   uint64
}

func (d *definer) endedHeader(i int, declares bool) endedHead {
	line := d.toks[i].Line
	lineSig := func(a int) uint64 {
		b := a
		for b < len(d.toks) && d.toks[b].Line == line {
			b++
		}
		return d.signature(a, b)
	}
	switch d.l {
	case &langRuby:
		j := i
		private := false
		for n := 0; n < 3 && (d.isWord(j, "private") || d.isWord(j, "private_class_method") || d.isWord(j, "module_function") || d.isWord(j, "memoize") || d.isWord(j, "protected") || d.isWord(j, "public")); n++ {
			private = private || d.isWord(j, "private")
			j++
		}
		switch {
		case d.isWord(j, "def"):
			k := j + 1
			c := ""
			if d.isIdent(k) && d.is(k+1, '.') && k+2 < len(d.toks) {
				c = d.at(k)
				k += 2
			}
			name := d.at(k)
			if k < len(d.toks) && d.toks[k].Kind == Op {
				// def ==(other), def [](i)
				name = ""
				for n := k; n < len(d.toks) && d.toks[n].Kind == Op && !d.is(n, '(') && n < k+3; n++ {
					name += d.at(n)
				}
			} else if d.is(k+1, '=') && d.toks[k].End == d.toks[k+1].Start && (d.is(k+2, '(') || d.isIdent(k+2)) {
				name += "="
			}
			e := k + 1
			if d.is(e, '(') {
				e = d.over(e)
			}
			single := d.is(e, '=') && e < len(d.toks) && d.toks[e].Line == line && !strings.HasSuffix(name, "=")
			return endedHead{name: name, container: c, what: "func", head: j, private: private, single: single, sig: lineSig(j)}
		case d.isWord(j, "class") || d.isWord(j, "module"):
			if d.is(j+1, '<') {
				return endedHead{} // class << self
			}
			k := j + 1
			c := ""
			for d.isIdent(k) && d.pairOf(k+1, ':', ':') && len(c) < 300 {
				if c != "" {
					c += "."
				}
				c += d.at(k)
				k += 3
			}
			if !d.isIdent(k) || !upperFirst(d.at(k)) {
				return endedHead{}
			}
			what := "class"
			if d.isWord(j, "module") {
				what = "module"
			}
			single := false
			return endedHead{name: d.at(k), container: c, what: what, head: k, class: true, single: single, sig: lineSig(j)}
		case declares && d.isIdent(j) && upperFirst(d.at(j)) && d.is(j+1, '=') && !d.is(j+2, '=') && !d.is(j+2, '~'):
			return endedHead{name: d.at(j), what: "const", head: d.statementEnd(j), single: true}
		case (d.isWord(j, "define_method") || d.isWord(j, "scope") || d.isWord(j, "alias_method")) && (d.is(j+1, ':') && d.isIdent(j+2) || d.is(j+1, '(') && d.is(j+2, ':') && d.isIdent(j+3)):
			k := j + 2
			if d.is(k, ':') {
				k++
			}
			return endedHead{name: d.at(k), what: "func", head: k, single: true}
		}
	case &langElixir:
		switch w := d.at(i); w {
		case "defmodule", "defprotocol", "defimpl":
			name := d.at(i + 1)
			k := i + 1
			for d.is(k+1, '.') && d.isIdent(k+2) && len(name) < 300 {
				name += "." + d.at(k+2)
				k += 2
			}
			return endedHead{name: name, what: "module", head: k, class: true, sig: lineSig(i)}
		case "def", "defp", "defmacro", "defmacrop", "defguard", "defdelegate", "defguardp":
			if !d.isIdent(i + 1) {
				return endedHead{}
			}
			what := "func"
			if strings.HasPrefix(w, "defmacro") {
				what = "macro"
			}
			// "do:" on the same or the next line, or no body at all.
			single := true
			j := i + 1
			for n := 0; j < len(d.toks) && n < 200; n++ {
				if d.isWord(j, "do") {
					single = d.is(j+1, ':')
					break
				}
				if d.toks[j].Line > line && !d.goesOn(j-1) && !d.isWord(j, "when") {
					break
				}
				if d.is(j, '(') {
					j = d.over(j)
				} else {
					j++
				}
			}
			return endedHead{name: d.at(i + 1), what: what, head: i + 1, private: strings.HasSuffix(w, "p") && w != "defmacro", single: single, sig: lineSig(i)}
		}
	case &langLua:
		j, local := i, false
		if d.isWord(j, "local") {
			local = true
			j++
		}
		if d.isWord(j, "function") && d.isIdent(j+1) {
			c, k := "", j+1
			for (d.is(k+1, '.') || d.is(k+1, ':')) && d.isIdent(k+2) && len(c) < 300 {
				if c != "" {
					c += "."
				}
				c += d.at(k)
				k += 2
			}
			return endedHead{name: d.at(k), container: c, what: "func", head: k, private: local, sig: lineSig(j)}
		}
		if d.isIdent(j) {
			c, k := "", j
			for d.is(k+1, '.') && d.isIdent(k+2) && len(c) < 300 {
				if c != "" {
					c += "."
				}
				c += d.at(k)
				k += 2
			}
			if d.is(k+1, '=') && d.isWord(k+2, "function") {
				return endedHead{name: d.at(k), container: c, what: "func", head: k, private: local, sig: lineSig(j)}
			}
			if declares && d.is(k+1, '=') && !d.is(k+2, '=') && d.column(i) == 0 && local {
				return endedHead{name: d.at(k), what: "var", head: k, private: local, single: true}
			}
		}
	case &langJulia:
		j := i
		if d.isWord(j, "mutable") || d.isWord(j, "abstract") || d.isWord(j, "primitive") {
			j++
		}
		switch d.at(j) {
		case "function", "macro":
			k := j + 1
			for d.is(k+1, '.') && d.isIdent(k+2) {
				k += 2
			}
			if d.isIdent(k) {
				return endedHead{name: d.at(k), what: "func", head: k, sig: lineSig(j)}
			}
		case "struct", "type":
			if d.isIdent(j + 1) {
				return endedHead{name: d.at(j + 1), what: "type", head: j + 1, sig: lineSig(j)}
			}
		case "module":
			if d.isIdent(j + 1) {
				return endedHead{name: d.at(j + 1), what: "module", head: j + 1, class: true}
			}
		case "const":
			if d.isIdent(j+1) && d.is(j+2, '=') {
				return endedHead{name: d.at(j + 1), what: "const", head: d.statementEnd(j + 2), single: true}
			}
		}
	}
	return endedHead{}
}

// shell reads functions, and the variables that a script sets in column 0.
func (d *definer) shell() {
	type open struct{ def, col int }
	var stack []open
	seen := map[string]bool{}
	for i := 0; i < len(d.toks); i++ {
		if !d.first(i) {
			continue
		}
		col := d.column(i)
		if d.is(i, '}') || d.l == &langFish && d.isWord(i, "end") {
			for len(stack) > 0 && col <= stack[len(stack)-1].col {
				d.out[stack[len(stack)-1].def].End = d.toks[i].Line
				stack = stack[:len(stack)-1]
			}
			continue
		}
		j, ok := i, false
		if d.isWord(j, "function") && d.isIdent(j+1) {
			j++
			ok = true
		}
		if !d.isIdent(j) {
			continue
		}
		name, k := d.at(j), j+1
		// Names may have hyphens, dots and colons.
		for k < len(d.toks) && d.toks[k].Start == d.toks[k-1].End && (d.is(k, '-') || d.is(k, '.') || d.is(k, ':')) && d.isIdent(k+1) && d.toks[k+1].Start == d.toks[k].End {
			name += d.at(k) + d.at(k+1)
			k += 2
			if len(name) > 300 {
				break
			}
		}
		if d.is(k, '(') && d.is(k+1, ')') {
			ok = true
			k += 2
		}
		if ok && (d.l == &langFish || d.is(k, '{') || d.is(k, '(')) {
			end := k
			n := d.add(name, "", "func", i, end, true, d.signature(i, k))
			if p := d.partner(k); d.is(k, '{') && p < len(d.toks) && d.toks[p].Line == d.toks[k].Line {
				continue
			}
			if d.is(k, '(') {
				d.out[n].End = d.lineOf(d.partner(k))
				continue
			}
			stack = append(stack, open{n, col})
			continue
		}
		if col == 0 && len(stack) == 0 {
			for d.isWord(j, "export") || d.isWord(j, "readonly") || d.isWord(j, "declare") || d.isWord(j, "typeset") {
				j++
				for d.is(j, '-') && d.isIdent(j+1) {
					j += 2
				}
			}
			if d.isIdent(j) && d.is(j+1, '=') && d.toks[j].End == d.toks[j+1].Start && !seen[d.at(j)] {
				seen[d.at(j)] = true
				d.add(d.at(j), "", "var", i, i, true, 0)
			}
		}
	}
	for _, o := range stack {
		d.out[o.def].End = max(d.out[o.def].Line, d.lineOf(len(d.toks)-1))
	}
}

// sql reads CREATE statements.
func (d *definer) sql() {
	stop := -1 // where the statement at hand ends
	for i := 0; i < len(d.toks); i++ {
		if !d.isIdent(i) || !strings.EqualFold(d.at(i), "create") {
			continue
		}
		what := ""
		j := i + 1
		for n := 0; n < 8 && d.isIdent(j) && what == ""; n++ {
			switch strings.ToLower(d.at(j)) {
			case "table", "view", "type", "schema", "domain", "database":
				what = "type"
			case "function", "procedure", "trigger", "aggregate":
				what = "func"
			case "index", "sequence", "policy", "role", "extension":
				what = "var"
			}
			j++
		}
		if what == "" {
			continue
		}
		for n := 0; n < 4 && d.isIdent(j); n++ {
			switch strings.ToLower(d.at(j)) {
			case "if", "not", "exists", "concurrently":
				j++
				continue
			}
			break
		}
		name, container := strings.Trim(d.at(j), "\"`"), ""
		for n := 0; n < 3 && d.is(j+1, '.') && j+2 < len(d.toks); n++ {
			container, name = name, strings.Trim(d.at(j+2), "\"`")
			j += 2
		}
		if j >= len(d.toks) || d.toks[j].Kind == Op {
			continue
		}
		if stop < j {
			for stop = j; stop < len(d.toks) && !d.is(stop, ';'); stop++ {
				if m := d.partner(stop); d.is(stop, '(') && m < len(d.toks) {
					stop = m
				}
			}
		}
		d.add(name, container, what, i, min(stop, len(d.toks)-1), true, d.signature(i, j+1))
		i = j
	}
}

// heads reads languages whose definitions begin in the first column.
func (d *definer) heads() {
	last := -1 // the running definition, which ends before the next head
	for i := 0; i < len(d.toks); i++ {
		if !d.first(i) {
			continue
		}
		if d.column(i) != 0 {
			continue
		}
		if last >= 0 {
			d.out[last].End = max(d.out[last].Line, d.lineOf(i-1))
			if d.l == &langCMake && hasFoldPrefix(d.src[d.toks[i].Start:], "end") {
				d.out[last].End = d.toks[i].Line
			}
			last = -1
		}
		name, what, end := d.headOf(i)
		if name == "" {
			continue
		}
		if n := len(d.out); n > 0 && d.out[n-1].Name == name && (d.l == &langHaskell || d.l == &langErlang || d.l == &langElm) {
			last = n - 1 // the next equation of the same function
			continue
		}
		n := d.add(name, "", what, i, max(end, i), true, 0)
		if end < 0 {
			last = n
		}
	}
	if last >= 0 {
		d.out[last].End = max(d.out[last].Line, d.lineOf(len(d.toks)-1))
	}
}

// headOf is the name that the line at i defines; end is its last token, -1 when
// it runs to the next head.
func (d *definer) headOf(i int) (name, what string, end int) {
	switch d.l {
	case &langMakefile:
		j := i
		for d.isWord(j, "export") || d.isWord(j, "override") {
			j++
		}
		if !d.isIdent(j) && !d.is(j, '.') {
			return "", "", 0
		}
		s, k := d.toks[j].Start, j
		for k+1 < len(d.toks) && d.toks[k+1].Start == d.toks[k].End && !d.is(k+1, ':') && !d.is(k+1, '=') && !d.is(k+1, '?') && !d.is(k+1, '+') {
			k++
		}
		if k-j > 40 {
			return "", "", 0
		}
		name = string(d.src[s:d.toks[k].End])
		n := k + 1
		for d.is(n, ':') {
			n++
		}
		switch {
		case d.is(n, '=') || (d.is(n, '?') || d.is(n, '+')) && d.is(n+1, '='):
			if d.is(n, '+') {
				return "", "", 0
			}
			return name, "var", d.pyLineEnd(i)
		case n > k+1 && !strings.HasPrefix(name, "."):
			return name, "func", -1
		}
	case &langClojure, &langLisp:
		if d.is(i, '(') && d.isIdent(i+1) && i+2 < len(d.toks) && strings.HasPrefix(d.at(i+1), "def") {
			j := i + 2
			for d.is(j, '^') {
				j += 2
			}
			if d.is(j, '(') {
				j++ // (define (name ...
			}
			if d.isIdent(j) {
				what = "func"
				switch d.at(i + 1) {
				case "def", "defonce", "defvar", "defconst", "defparameter", "defcustom":
					what = "var"
				case "defrecord", "deftype", "defprotocol", "defstruct", "defclass":
					what = "type"
				case "defmacro":
					what = "macro"
				}
				return d.at(j), what, d.partner(i)
			}
		}
	case &langHaskell, &langElm:
		if !d.isIdent(i) {
			return "", "", 0
		}
		switch w := d.at(i); w {
		case "data", "newtype", "type", "class":
			j := i + 1
			for n := 0; n < 60 && j < len(d.toks) && d.toks[j].Line == d.toks[i].Line; n++ {
				if d.isWord(i, "class") && d.pairOf(j, '=', '>') {
					j += 2
					break
				}
				j++
			}
			if d.is(j-1, '>') && d.isIdent(j) {
				return d.at(j), "type", -1
			}
			j = i + 1
			if d.isWord(j, "alias") || d.isWord(j, "family") || d.isWord(j, "instance") {
				j++
			}
			if d.isIdent(j) {
				return d.at(j), "type", -1
			}
		case "module", "import", "instance", "deriving", "infixl", "infixr", "infix", "foreign", "where", "port":
		default:
			if d.pairOf(i+1, ':', ':') || d.l == &langElm && d.is(i+1, ':') {
				return w, "func", -1
			}
			for j, n := i+1, 0; j < len(d.toks) && n < 60 && d.toks[j].Line == d.toks[i].Line; n++ {
				if d.is(j, '=') || d.is(j, '|') {
					return w, "func", -1
				}
				if d.is(j, '(') || d.is(j, '[') || d.is(j, '{') {
					j = d.over(j)
				} else {
					j++
				}
			}
		}
	case &langErlang:
		if d.isIdent(i) && d.is(i+1, '(') {
			return d.at(i), "func", -1
		}
		if d.is(i, '-') && (d.isWord(i+1, "define") || d.isWord(i+1, "record")) && d.is(i+2, '(') && d.isIdent(i+3) {
			return d.at(i + 3), "macro", d.over(i+2) - 1
		}
	case &langOCaml, &langFSharp:
		j := i + 1
		switch d.at(i) {
		case "let", "and", "val", "external":
			for d.isWord(j, "rec") || d.isWord(j, "inline") || d.isWord(j, "mutable") || d.isWord(j, "private") {
				j++
			}
			if d.isIdent(j) && d.at(j) != "_" {
				return d.at(j), "func", -1
			}
		case "type", "module", "exception", "class":
			what = "type"
			if d.isWord(i, "module") {
				what = "module"
			}
			for n := 0; n < 10 && (d.is(j, '\'') || d.isWord(j, "type") || d.isWord(j, "nonrec") || d.is(j, '(')); n++ {
				if d.is(j, '(') {
					j = d.over(j)
				} else if d.is(j, '\'') {
					j += 2
				} else {
					j++
				}
			}
			if d.isIdent(j) {
				return d.at(j), what, -1
			}
		}
	case &langTerraform:
		if d.isIdent(i) {
			j := i + 1
			var parts []string
			for n := 0; n < 3 && j < len(d.toks) && d.toks[j].Kind == String; n++ {
				parts = append(parts, strings.Trim(d.at(j), `"`))
				j++
			}
			if len(parts) > 0 && d.is(j, '{') {
				return parts[len(parts)-1], "var", d.partner(j)
			}
		}
	case &langCMake:
		if w := strings.ToLower(d.at(i)); (w == "function" || w == "macro") && d.is(i+1, '(') && d.isIdent(i+2) {
			return d.at(i + 2), "func", -1
		}
	case &langR:
		if d.isIdent(i) && (d.pairOf(i+1, '<', '-') || d.is(i+1, '=')) {
			j := i + 2
			if d.is(i+1, '<') {
				j = i + 3
			}
			if d.isWord(j, "function") {
				if b := d.over(j + 1); d.is(b, '{') {
					return d.at(i), "func", d.partner(b)
				}
				return d.at(i), "func", -1
			}
			return d.at(i), "var", d.statementEnd(j)
		}
	case &langNim:
		switch d.at(i) {
		case "proc", "func", "method", "iterator", "template", "macro", "converter":
			if d.isIdent(i + 1) {
				return d.at(i + 1), "func", -1
			}
		}
	}
	return "", "", 0
}

package lang

// Identifiers calls fn for each identifier in the code of src, comments and
// string literals left out, keywords and names of one byte as well. Data
// languages (JSON, YAML, TOML) keep their names in strings: there the content
// of a string that is shaped like an identifier counts. Documents have none.
// name is a part of src: copy it to keep it.
func (l *Language) Identifiers(src []byte, fn func(name []byte, line int)) {
	if l != nil && l.flags&document != 0 {
		return
	}
	if l != nil && l.flags&markup != 0 {
		scanMarkup(src, func(t Token) {
			if t.Kind == Ident && t.End-t.Start > 1 && !keyword(src[t.Start:t.End]) {
				fn(src[t.Start:t.End], t.Line)
			}
		})
		return
	}
	if l == nil {
		l = &langUnknown
	}
	s := newScanner(l, src)
	for s.next() {
		t := &s.tok
		switch {
		case t.Kind == Ident:
			if t.End-t.Start > 1 && !keyword(src[t.Start:t.End]) {
				fn(src[t.Start:t.End], t.Line)
			}
		case t.Kind == String && l.flags&dataStrings != 0 && t.End-t.Start > 3 && t.End-t.Start < 100:
			if in := src[t.Start+1 : t.End-1]; identShaped(in) {
				fn(in, t.Line)
			}
		}
	}
}

func identShaped(b []byte) bool {
	for i, c := range b {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', c == '_':
		case ('0' <= c && c <= '9' || c == '-') && i > 0:
		default:
			return false
		}
	}
	return len(b) > 1
}

// keyword holds words that are never names in the languages of the table: an
// index of names has no use for them.
func keyword(b []byte) bool {
	if len(b) > 9 {
		return false
	}
	switch string(b) {
	case "if", "else", "for", "while", "do", "return", "break", "continue", "switch", "case", "default", "in", "is", "as", "not", "and", "or",
		"func", "function", "fn", "def", "end", "class", "struct", "enum", "interface", "trait", "impl", "type", "var", "let", "const", "val", "fun",
		"public", "private", "protected", "static", "final", "void", "int", "bool", "boolean", "char", "long", "double", "float", "string", "byte",
		"import", "from", "package", "use", "pub", "mod", "self", "this", "super", "new", "nil", "null", "None", "true", "false", "True", "False",
		"try", "catch", "except", "finally", "throw", "throws", "raise", "with", "yield", "async", "await", "go", "defer", "range", "map", "chan",
		"elif", "elsif", "then", "fi", "done", "esac", "begin", "module", "require", "include", "export", "extends", "lambda", "pass", "mut", "ref", "match", "where", "unsigned", "undefined", "typeof", "delete", "unless":
		return true
	}
	return false
}

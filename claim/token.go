package claim

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// TokenKind is the kind of a token.
type TokenKind uint8

// The kinds of tokens. A token is never more than one of them: the first that
// fits in the order Code, URL, Ref, Flag, Version, Number, Hash, Path, Name, Word wins.
const (
	Punct   TokenKind = iota
	Word              // a word of prose, hyphens and apostrophes inside
	Name              // code-shaped: parseHeader, res.send, foo::bar, MAX_SIZE, call()
	Code              // the inside of a backtick span
	Path              // has a slash, or looks like a file name
	Number            // 12, 1,000, 30s
	Version           // 1.2.3, v4, ^2.0
	URL               // https://...
	Ref               // #12, GH-12, owner/repo#12
	Hash              // an abbreviated or full object name
	Flag              // --depth, -v
	Mention           // @someone
)

// Token is one token of a text.
type Token struct {
	Kind       TokenKind
	Start, End int    // byte offsets in the source text, backticks and quotes included
	Text       string // what it says: without backticks
	Low        string // Text in lower case
	Quoted     bool   // stands in double quotes
}

// tokenize appends the tokens of text[start:end] to dst. It is linear in the
// length of the span and never fails: what fits nothing becomes Punct.
func tokenize(dst []Token, text string, start, end int) []Token {
	i := start
	quoted := false
	dst = slices.Grow(dst, (end-start)/5+2) // a token to five bytes: rarely too few
	for i < end {
		c := text[i]
		switch {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			i++
		case c == '`':
			n := 1
			for i+n < end && text[i+n] == '`' {
				n++
			}
			// A span is short: looking no further keeps the scan linear.
			close := strings.Index(text[i+n:min(end, i+2*n+200)], text[i:i+n])
			if close <= 0 || close > 200 {
				dst = append(dst, Token{Kind: Punct, Start: i, End: i + n, Text: text[i : i+n], Low: text[i : i+n]})
				i += n
				continue
			}
			inner := strings.TrimSpace(text[i+n : i+n+close])
			dst = append(dst, Token{Kind: Code, Start: i, End: i + n + close + n, Text: inner, Low: lower(inner), Quoted: quoted})
			i += n + close + n
		default:
			j := i
			for j < end && !isBlank(text[j]) && text[j] != '`' {
				j++
			}
			if k := signature(text, i, j, end); k > j {
				for j = k; j < end && !isBlank(text[j]) && text[j] != '`'; {
					j++
				}
			}
			dst, quoted = chunk(dst, text, i, j, quoted)
			i = j
		}
	}
	return dst
}

// signature is the end of a name with a list of parameter types that has blanks
// in it, "Parcels.weigh(Scale, int)", where text[i:j] is its first part; 0 where it is none.
func signature(text string, i, j, end int) int {
	open := strings.IndexByte(text[i:j], '(')
	if open < 3 || strings.IndexByte(text[i+open:j], ')') >= 0 || !identifierLike(text[i:i+open]) {
		return 0
	}
	from := i + open + 1
	close := strings.IndexByte(text[from:min(end, from+200)], ')')
	if close < 1 {
		return 0
	}
	for _, part := range strings.Split(text[from:from+close], ",") {
		words := strings.Fields(part)
		if len(words) > 0 && (words[0] == "final" || words[0] == "const") {
			words = words[1:]
		}
		if len(words) == 0 || len(words) > 2 || !typeLike(words[0]) {
			return 0
		}
	}
	return from + close + 1
}

// typeLike: the name of a type, with brackets, stars and dots about it.
func typeLike(s string) bool {
	t := strings.TrimRight(s, "[].*&?")
	if i := strings.IndexByte(t, '<'); i > 0 && strings.HasSuffix(t, ">") {
		t = t[:i]
	}
	if t == "" || !identifierLike(t) {
		return false
	}
	switch t {
	case "int", "long", "char", "byte", "short", "float", "double", "boolean", "bool", "string", "void", "size_t", "uint", "auto":
		return true
	}
	return t != s && len(t) > 1 || t[0] >= 'A' && t[0] <= 'Z'
}

// maxChunk is the longest run without blanks that is looked into.
const maxChunk = 1000

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// chunk cuts one run without blanks.
func chunk(dst []Token, text string, i, j int, quoted bool) ([]Token, bool) {
	punct := func(a, b int) {
		dst = append(dst, Token{Kind: Punct, Start: a, End: b, Text: text[a:b], Low: text[a:b]})
	}
	// A Markdown link: what it says, and where it leads.
	if m := strings.Index(text[i:j], "]("); m > 0 && strings.Contains(text[i+m:j], "://") {
		dst, quoted = chunk(dst, text, i, i+m+1, quoted)
		return append(dst, Token{Kind: URL, Start: i + m + 1, End: j, Text: text[i+m+1 : j], Low: lower(text[i+m+1 : j]), Quoted: quoted}), quoted
	}
	// Opening punctuation.
	for i < j {
		c := text[i]
		if c == '(' || c == '[' || c == '{' || c == '"' || c == '\'' || c == '*' && !(i+1 < j && text[i+1] == '.') || c == ',' || c == ';' || c == ':' && !isWordByte(at(text, i+1, j)) || c == '!' || c == '?' || c == '<' && !isWordByte(at(text, i+1, j)) || c == '|' {
			if c == '"' {
				quoted = !quoted
			}
			punct(i, i+1)
			i++
			continue
		}
		if r, n := utf8.DecodeRuneInString(text[i:j]); r >= 0x80 && !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			if r == '“' {
				quoted = true
			} else if r == '”' {
				quoted = false
			}
			punct(i, i+n)
			i += n
			continue
		}
		break
	}
	if i >= j {
		return dst, quoted
	}
	// Closing punctuation, to be emitted after the core.
	k := j
	open := strings.Count(text[i:j], "(") - strings.Count(text[i:j], ")") // below 0: a bracket closes that never opened
	for k > i {
		c := text[k-1]
		if c == '.' || c == ',' || c == ';' || c == ':' || c == '!' || c == '?' || c == ']' || c == '}' || c == '"' || c == '\'' || c == '>' && at(text, k-2, j) != '-' && at(text, k-2, j) != '=' || c == '|' {
			k--
			continue
		}
		if c == '*' && k-i > 1 && text[k-2] != '/' && text[k-2] != '.' {
			k--
			continue
		}
		if c == ')' && open < 0 {
			open++
			k--
			continue
		}
		if r, n := utf8.DecodeLastRuneInString(text[i:k]); r >= 0x80 && !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			k -= n
			continue
		}
		break
	}
	if k > i {
		dst = pieces(dst, text, i, k, quoted)
	}
	for k < j {
		_, n := utf8.DecodeRuneInString(text[k:j])
		if text[k] == '"' || strings.HasPrefix(text[k:j], "”") {
			quoted = false
		}
		punct(k, k+n)
		k += n
	}
	return dst, quoted
}

func at(s string, i, end int) byte {
	if i < 0 || i >= end {
		return 0
	}
	return s[i]
}

func isWordByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c >= 0x80
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// pieces cuts a run where scripts without blanks between words need it: at
// punctuation beyond ASCII, and between East Asian letters and ASCII ones
// ("修复parseHeader的崩溃"). Paths with such letters in a name stay whole.
func pieces(dst []Token, text string, i, k int, quoted bool) []Token {
	ascii := true
	for n := i; n < k && ascii; n++ {
		ascii = text[n] < utf8.RuneSelf
	}
	if ascii {
		return core(dst, text, i, k, quoted)
	}
	start := i
	flush := func(end int) {
		if end > start {
			dst = core(dst, text, start, end, quoted)
		}
	}
	var prev rune
	for n := i; n < k; {
		r, size := utf8.DecodeRuneInString(text[n:k])
		switch {
		case r >= utf8.RuneSelf && r != '’' && !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r):
			flush(n)
			dst = append(dst, Token{Kind: Punct, Start: n, End: n + size, Text: text[n : n+size], Low: text[n : n+size]})
			start = n + size
			prev = 0
		case prev != 0 && (eastAsian(r) && asciiWord(prev) || eastAsian(prev) && asciiWord(r)):
			flush(n)
			start = n
			prev = r
		default:
			prev = r
		}
		n += size
	}
	flush(k)
	return dst
}

func eastAsian(r rune) bool { return r >= 0x2E80 || r >= 0x0E00 && r <= 0x0E7F }

func asciiWord(r rune) bool { return r < utf8.RuneSelf && isWordByte(byte(r)) }

// core classifies a run without blanks and outer punctuation.
func core(dst []Token, text string, i, k int, quoted bool) []Token {
	s := text[i:k]
	add := func(kind TokenKind) []Token {
		return append(dst, Token{Kind: kind, Start: i, End: k, Text: s, Low: lower(s), Quoted: quoted})
	}
	if len(s) > maxChunk {
		return add(Word) // no name is that long, and cutting it piece by piece would take forever
	}
	if plainWord(s) {
		return add(Word)
	}
	switch {
	case strings.Contains(s, "://") || strings.HasPrefix(s, "www.") || strings.HasPrefix(s, "mailto:"):
		return add(URL)
	case isRef(s):
		return add(Ref)
	case s[0] == '@' && len(s) > 3 && (innerShape(s[1:]) || strings.Contains(s, "(")) && identifierLike(strings.SplitN(s[1:], "(", 2)[0]):
		return add(Name) // an annotation or a decorator
	case s[0] == '@' && !strings.Contains(s, "/"):
		if strings.IndexByte(s[1:], '@') < 0 && !looksVersion(s[1:]) {
			return add(Mention)
		}
	case len(s) > 1 && s[0] == '-' && (s[1] == '-' && len(s) > 2 || isWordByte(s[1]) && !isDigit(s[1])):
		return add(Flag)
	}
	if at := strings.LastIndexByte(s, '@'); at > 0 && looksVersion(s[at+1:]) {
		// name@1.2.3: two tokens, the name and the version.
		dst = core(dst, text, i, i+at, quoted)
		return append(dst, Token{Kind: Version, Start: i + at + 1, End: k, Text: s[at+1:], Low: lower(s[at+1:]), Quoted: quoted})
	}
	if j := strings.Index(s, "->"); j > 0 && j+2 < len(s) && (looksVersion(s[:j]) || looksNumber(s[:j])) {
		dst = core(dst, text, i, i+j, quoted)
		dst = append(dst, Token{Kind: Punct, Start: i + j, End: i + j + 2, Text: "->", Low: "->"})
		return core(dst, text, i+j+2, k, quoted)
	}
	if strings.Contains(s, "@") && strings.Contains(s, ".") && s[0] != '@' {
		return add(Mention) // an e-mail address
	}
	switch {
	case looksVersion(s):
		return add(Version)
	case looksNumber(s):
		return add(Number)
	case looksHash(s):
		return add(Hash)
	case strings.HasPrefix(s, "->") || strings.HasPrefix(s, "=>"):
		return add(Punct)
	case strings.Contains(s, "/") && !strings.HasPrefix(s, "//"):
		return add(Path)
	case looksFile(s):
		return add(Path)
	case codeShaped(s):
		return add(Name)
	}
	// Something like "foo(bar" or "word,word" or "a+b": cut at odd bytes.
	if j := strings.IndexAny(s, ",;()[]{}\"=<>|+…—–"); j >= 0 && j < len(s)-1 {
		_, n := utf8.DecodeRuneInString(s[j:])
		if s[j] == '>' && j > 0 && s[j-1] == '-' { // an arrow
			j, n = j-1, 2
		}
		if j > 0 {
			dst = core(dst, text, i, i+j, quoted)
		}
		dst = append(dst, Token{Kind: Punct, Start: i + j, End: i + j + n, Text: s[j : j+n], Low: s[j : j+n]})
		if j+n < len(s) {
			return core(dst, text, i+j+n, k, quoted)
		}
		return dst
	}
	return add(Word)
}

// plainWord says whether s is letters with hyphens and apostrophes only and no inner capital.
func plainWord(s string) bool {
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= 'a' && c <= 'z' {
			continue
		}
		if i == 0 && c >= 'A' && c <= 'Z' {
			continue
		}
		if (c == '-' || c == '\'') && i > 0 && i+1 < len(s) {
			continue
		}
		return false
	}
	return s != ""
}

func isRef(s string) bool {
	h := strings.LastIndexByte(s, '#')
	if h >= 0 && h+1 < len(s) {
		for i := h + 1; i < len(s); i++ {
			if !isDigit(s[i]) {
				return false
			}
		}
		return h == 0 || strings.Contains(s[:h], "/") || strings.EqualFold(s[:h], "gh") || strings.EqualFold(s[:h], "pr")
	}
	if len(s) > 3 && strings.EqualFold(s[:3], "gh-") {
		return looksNumber(s[3:])
	}
	return false
}

// looksVersion: optional ^ ~ >= < = v in front, dotted digit groups or "v4",
// with a pre-release or build tail. A lone number is not a version.
func looksVersion(s string) bool {
	t := strings.TrimLeft(s, "^~<>=")
	v := len(t) > 1 && (t[0] == 'v' || t[0] == 'V') && isDigit(t[1])
	if v {
		t = t[1:]
	}
	if t == "" || !isDigit(t[0]) {
		return false
	}
	dots, i := 0, 0
	for i < len(t) && (isDigit(t[i]) || t[i] == '.') {
		if t[i] == '.' {
			dots++
			if i+1 == len(t) {
				return false
			}
			if !isDigit(t[i+1]) {
				break
			}
		}
		i++
	}
	if dots == 0 && !v {
		return false
	}
	if i == len(t) {
		return dots > 0 || v && i <= 4
	}
	switch t[i] {
	case '.': // 2.x, 1.2.*
		return t[i+1:] == "x" || t[i+1:] == "*" || t[i+1:] == "X" || isVersionTail(t[i+1:])
	case '-', '+', 'a', 'b', 'r', 'p', 'd':
		return isVersionTail(t[i:]) && (dots > 0 || v)
	}
	return false
}

func isVersionTail(s string) bool {
	for i := 0; i < len(s); i++ {
		c := s[i]
		if !isWordByte(c) && c != '-' && c != '+' && c != '.' {
			return false
		}
	}
	return s != "" && len(s) < 40
}

// looksNumber: digits with separators, an optional sign, percent or short unit.
func looksNumber(s string) bool {
	t := strings.TrimLeft(s, "+-~")
	if t == "" || !isDigit(t[0]) {
		return false
	}
	i := 0
	for i < len(t) && (isDigit(t[i]) || (t[i] == ',' || t[i] == '_') && i+1 < len(t) && isDigit(t[i+1])) {
		i++
	}
	unit := t[i:]
	if len(unit) > 3 {
		return false
	}
	for j := 0; j < len(unit); j++ {
		c := unit[j]
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '%') {
			return false
		}
	}
	return true
}

func looksHash(s string) bool {
	if len(s) < 7 || len(s) > 64 {
		return false
	}
	digits, letters := 0, 0
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case isDigit(c):
			digits++
		case c >= 'a' && c <= 'f':
			letters++
		default:
			return false
		}
	}
	return digits > 0 && letters > 0
}

// fileExtensions are extensions that make "name.ext" a file in prose even
// where the tree is not at hand. Whether it is one is for the check to say.
var fileExtensions = set(`go py pyi js mjs cjs ts mts cts tsx jsx vue svelte rs java kt kts c h cc cpp cxx hpp hh rb pl pm sh bash
zsh fish ps1 php cs swift scala m mm lua el ex exs erl hs ml mli clj dart zig sql md mdx markdown rst txt adoc html htm css scss less
json jsonc yaml yml toml ini cfg conf xml svg png gif jpg jpeg ico lock mod sum gradle properties proto tf gemspec rake cmake mk
in am ac bat cmd ipynb csv tsv tmpl tpl hbs ejs erb haml slim snap env gyp gypi bzl nix patch diff log pdf exe dll jar so zip gz tar`)

// looksFile: name.ext or .name with a known extension, no brackets.
func looksFile(s string) bool {
	if i := strings.IndexByte(s, ':'); i > 0 && i+1 < len(s) && plainNumber(s[i+1:]) { // main.go:12
		s = s[:i]
	}
	dot := strings.LastIndexByte(s, '.')
	if dot < 0 || dot+1 == len(s) {
		return false
	}
	for i := 0; i < len(s); i++ {
		if c := s[i]; !isWordByte(c) && c != '.' && c != '-' && c != '+' && c != '@' && c != '*' {
			return false
		}
	}
	if dot == 0 {
		return len(s) > 3 && s[1] != '.' && strings.ToLower(s) == s // .gitignore
	}
	return fileExtensions()[lower(s[dot+1:])]
}

// codeShaped: a single name with the shape of code, by its letters alone.
func codeShaped(s string) bool {
	t := s
	if i := strings.IndexByte(t, '('); i > 0 {
		t = t[:i]
		if len(t) > 1 && identifierLike(t) {
			return true
		}
	}
	if !identifierLike(t) {
		return false
	}
	if strings.ContainsAny(t, "$") || strings.Contains(t, "::") {
		return true
	}
	last := t
	if i := strings.LastIndexAny(t, ".#:"); i >= 0 {
		last = t[i+1:]
		if i > 0 && len(t[:i]) > 1 && len(last) > 1 {
			return true
		}
	}
	return innerShape(last)
}

// innerShape: an inner underscore, a lower-case letter or digit before a capital, or two capitals before a lower-case letter after a lower one.
func innerShape(s string) bool {
	t := strings.Trim(s, "_")
	if len(t) < 3 {
		return false
	}
	if strings.HasPrefix(s, "__") && strings.HasSuffix(s, "__") && len(s) > 5 {
		return true
	}
	if strings.IndexByte(t, '_') > 0 {
		return true
	}
	lowUp, capsLow := false, false
	for i := 1; i < len(t); i++ {
		up := t[i] >= 'A' && t[i] <= 'Z'
		prev := t[i-1]
		if up && (prev >= 'a' && prev <= 'z' || isDigit(prev)) {
			lowUp = true
		}
		if i >= 2 && t[i] >= 'a' && t[i] <= 'z' && t[i-1] >= 'A' && t[i-1] <= 'Z' && t[i-2] >= 'A' && t[i-2] <= 'Z' {
			capsLow = true
		}
	}
	if lowUp {
		return true
	}
	// HTTPServer is code; URLs and APIs are words.
	return capsLow && !strings.HasSuffix(t, "s") && len(t) > 5
}

// identifierLike: letters, digits, _ $ and the joints . :: # -> ! ? only, beginning with a letter, _ or $.
func identifierLike(s string) bool {
	if s == "" {
		return false
	}
	for i := 0; i < len(s); i++ {
		c := s[i]
		if isWordByte(c) || c == '$' {
			if i == 0 && isDigit(c) {
				return false
			}
			continue
		}
		switch c {
		case '.', '#', ':':
			if i == 0 && c != '.' && c != '#' || i == len(s)-1 {
				return false
			}
		case '-':
			if i+1 >= len(s) || s[i+1] != '>' {
				return false
			}
		case '>':
			if i == 0 || s[i-1] != '-' {
				return false
			}
		case '!', '?':
			if i != len(s)-1 {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// lower is strings.ToLower without an allocation for text that is lower already;
// a typographic apostrophe becomes a plain one ("don’t" is don't).
func lower(s string) string {
	upper := false
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= 0x80 {
			return strings.ReplaceAll(strings.ToLower(s), "’", "'")
		}
		upper = upper || c >= 'A' && c <= 'Z'
	}
	if upper {
		return strings.ToLower(s)
	}
	return s
}

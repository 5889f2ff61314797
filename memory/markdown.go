package memory

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// What an import needs of Markdown is little: where headings, paragraphs and the items
// of lists stand, and their text without its marks. The reader below goes by the lines, as
// CommonMark describes the blocks; it does not make a document of them. A library
// does more and is linked for every command: its tables were a fifth of what all
// packages take to start, before each commit hook (docs/architecture.md has the
// figures). The tests hold it to that library on a corpus of shapes.
//
// Its limits: definitions of links stand in one line, and lists within quotes within
// lists are told apart by columns alone.

// mdBlock is one heading, paragraph or the first paragraph of a list's item.
type mdBlock struct {
	kind       mdKind
	level      int    // of a heading; 0
	nested     bool   // in a list or a quote
	item       bool   // the first thing in the item of a list
	start, end int    // bytes of the source: from the first letter to the end of the last line of text, its newline left out
	after      int    // the begin of the line behind it
	raw        string // the text with its inline marks, lines joined by newlines
	refs       map[string]bool
}

type mdKind int

const (
	mdHeading mdKind = iota
	mdParagraph
)

// mdReader is where the reader is: the containers that are open and what they hold.
type mdReader struct {
	blocks []mdBlock
	items  []int           // columns that the text of the open list items begins at
	quotes int             // open quotes
	refs   map[string]bool // labels of links that the text defines
	open   int             // index of the open paragraph in blocks, -1 for none
	fresh  bool            // an item was opened and holds nothing yet

	fence     string // the run that opened a fence; "" outside
	fenceCols int    // columns of the containers around it
	html      func(line string) bool
	htmlBlank bool // the block of HTML ends at a blank line
}

var (
	mdATX       = lazily(`^(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$`)
	mdBullet    = lazily(`^([-+*])(?:[ \t]|$)`)
	mdOrdered   = lazily(`^(\d{1,9})[.)](?:[ \t]|$)`)
	mdRule      = lazily(`^(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})$`)
	mdFence     = lazily("^(`{3,}|~{3,})[ \\t]*([^`]*|~.*)$")
	mdUnder     = lazily(`^(=+|-+)[ \t]*$`)
	mdReference = lazily(`^\[((?:[^\]\[\\]|\\.)+)\]:[ \t]*\S+(?:[ \t]+(?:"[^"]*"|'[^']*'|\([^)]*\)))?[ \t]*$`)
	mdTagBlock  = lazily(`(?i)^</?(?:address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|dt|fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|legend|li|link|main|menu|menuitem|nav|noframes|ol|optgroup|option|p|param|search|section|summary|table|tbody|td|tfoot|th|thead|title|tr|track|ul)(?:[ \t>]|/>|$)`)
	mdTagAlone  = lazily(`^(?:<[a-zA-Z][a-zA-Z0-9-]*(?:[ \t]+[a-zA-Z_:][\w.:-]*(?:[ \t]*=[ \t]*(?:"[^"]*"|'[^']*'|[^ \t"'=<>` + "`" + `]+))?)*[ \t]*/?>|</[a-zA-Z][a-zA-Z0-9-]*[ \t]*>)[ \t]*$`)
	mdTagRaw    = lazily(`(?i)^<(script|pre|style|textarea)(?:[ \t>]|$)`)
)

// readMarkdown lists the headings, the paragraphs and the items of a text in their order.
func readMarkdown(src []byte) []mdBlock {
	r := mdReader{open: -1, refs: map[string]bool{}}
	for at := 0; at < len(src); {
		line, next := lineAt(src, at)
		r.line(strings.TrimRight(string(line), "\r\n"), at, next)
		at = next
	}
	return r.blocks
}

// line reads one line that begins at byte at and is followed by byte next.
func (r *mdReader) line(line string, at, next int) {
	pos, col := 0, 0 // bytes taken, columns taken
	blank := strings.TrimSpace(line) == ""
	if r.fence != "" || r.html != nil {
		if r.inside(line, blank) {
			return
		}
	}
	// The containers that go on in this line.
	kept, quotes := 0, 0
	for kept < len(r.items) || quotes < r.quotes {
		w, c := blanks(line[pos:], col)
		if quotes < r.quotes && c < 4 && pos+w < len(line) && line[pos+w] == '>' && (len(r.items) == 0 || kept == len(r.items) || c+col >= 0) {
			pos, col = pos+w+1, col+c+1
			if pos < len(line) && (line[pos] == ' ' || line[pos] == '\t') {
				pos, col = pos+1, col+1
			}
			quotes++
			continue
		}
		if kept < len(r.items) && (blank || col+c >= r.items[kept]) {
			for col < r.items[kept] && pos < len(line) && (line[pos] == ' ' || line[pos] == '\t') {
				_, w := blanks(line[pos:pos+1], col)
				pos, col = pos+1, col+w
			}
			kept++
			continue
		}
		break
	}
	w, indent := blanks(line[pos:], col)
	rest := line[pos+w:]
	if blank || rest == "" {
		r.open = -1
		if quotes < r.quotes { // a blank line ends a quote
			r.quotes = quotes
		}
		if r.fresh && len(r.items) > 0 && kept == len(r.items) {
			r.fresh = false // an item that begins with a blank line
		}
		return
	}
	lazy := r.open >= 0 && (kept < len(r.items) || quotes < r.quotes)
	if lazy && (indent >= 4 || !r.begins(rest, true)) {
		r.more(rest, at+pos+w, at+len(line), next)
		return
	}
	if kept < len(r.items) || quotes < r.quotes {
		r.items, r.quotes, r.open, r.fresh = r.items[:kept], quotes, -1, false
	}
	r.block(line, pos+w, col+indent, indent, at, next)
}

// block reads what begins in a line behind its containers.
func (r *mdReader) block(line string, pos, col, indent, at, next int) {
	for {
		rest := line[pos:]
		if indent >= 4 {
			if r.open >= 0 {
				r.more(rest, at+pos, at+len(line), next)
			}
			r.fresh = r.fresh && r.open >= 0
			return // indented code
		}
		if r.open >= 0 && !r.fresh {
			if m := mdUnder().FindStringSubmatch(rest); m != nil {
				b := &r.blocks[r.open]
				b.kind, b.level, b.after = mdHeading, 1, next
				if m[1][0] == '-' {
					b.level = 2
				}
				r.open = -1
				return
			}
		}
		if mdRule().MatchString(rest) {
			r.open, r.fresh = -1, false
			return
		}
		if m := mdATX().FindStringSubmatch(rest); m != nil {
			text := strings.TrimSpace(m[2])
			if strings.Trim(text, "#") == "" {
				text = ""
			}
			r.add(mdBlock{kind: mdHeading, level: len(m[1]), raw: text, start: at + pos, end: at + len(line), after: next})
			r.open = -1
			return
		}
		if m := mdFence().FindStringSubmatch(rest); m != nil {
			r.fence, r.fenceCols, r.open, r.fresh = m[1], r.column(), -1, false
			return
		}
		if rest[0] == '<' && r.tag(rest) {
			return
		}
		if rest[0] == '>' {
			r.quotes++
			r.open, r.fresh = -1, false
			pos, col = pos+1, col+1
			if pos < len(line) && (line[pos] == ' ' || line[pos] == '\t') {
				pos, col = pos+1, col+1
			}
		} else if mark, ok := r.marker(rest); ok && !(r.open >= 0 && !r.fresh && !interrupts(rest, mark)) {
			pos, col = pos+mark, col+mark
			w, c := blanks(line[pos:], col)
			content := col + c
			if pos+w == len(line) || c > 4 {
				content = col + 1 // nothing follows, or indented code does
				w = min(w, 1)
				c = min(c, 1)
			}
			r.items, r.open, r.fresh = append(r.items, content), -1, true
			pos, col = pos+w, col+c
			if strings.TrimSpace(line[pos:]) == "" {
				return
			}
		} else {
			if r.open >= 0 {
				r.more(rest, at+pos, at+len(line), next)
				return
			}
			if m := mdReference().FindStringSubmatch(rest); m != nil {
				r.refs[mdLabel(m[1])] = true
				return
			}
			r.add(mdBlock{kind: mdParagraph, raw: strings.TrimRight(rest, " \t"), start: at + pos, end: at + len(line), after: next})
			r.open = len(r.blocks) - 1
			return
		}
		w, c := blanks(line[pos:], col)
		if pos+w == len(line) {
			return
		}
		indent = c
		pos, col = pos+w, col+c
	}
}

func (r *mdReader) add(b mdBlock) {
	b.nested, b.item, b.refs = len(r.items) > 0 || r.quotes > 0, r.fresh, r.refs
	r.fresh = false
	r.blocks = append(r.blocks, b)
}

// more is another line of the open paragraph.
func (r *mdReader) more(text string, start, end, next int) {
	b := &r.blocks[r.open]
	b.raw += "\n" + strings.TrimRight(text, " \t")
	b.end, b.after = end, next
}

// column is where the text of the innermost container begins.
func (r *mdReader) column() int {
	if len(r.items) == 0 {
		return 0
	}
	return r.items[len(r.items)-1]
}

// begins says whether a line opens a block that ends a paragraph.
func (r *mdReader) begins(rest string, interrupting bool) bool {
	if mdRule().MatchString(rest) || mdATX().MatchString(rest) || mdFence().MatchString(rest) || rest[0] == '>' {
		return true
	}
	if mark, ok := r.marker(rest); ok {
		return !interrupting || len(r.items) > 0 || interrupts(rest, mark)
	}
	return rest[0] == '<' && (mdTagBlock().MatchString(rest) || mdTagRaw().MatchString(rest) || strings.HasPrefix(rest, "<!--"))
}

// marker is the length of the marker of a list that a line begins with.
func (r *mdReader) marker(rest string) (int, bool) {
	if mdBullet().MatchString(rest) {
		return 1, true
	}
	if m := mdOrdered().FindStringSubmatch(rest); m != nil {
		return len(m[1]) + 1, true
	}
	return 0, false
}

// interrupts: a list begins within a paragraph only with text, and a numbered one with 1.
func interrupts(rest string, mark int) bool {
	return strings.TrimSpace(rest[mark:]) != "" && (mark == 1 || strings.TrimLeft(rest[:mark-1], "0") == "1" || rest[:mark-1] == "1")
}

// inside reads a line within code or HTML; false where a container ended and with it the block.
func (r *mdReader) inside(line string, blank bool) bool {
	if r.fence != "" {
		w, c := blanks(line, 0)
		if !blank && c < r.fenceCols && r.quotes == 0 {
			r.fence = ""
			return false
		}
		text := strings.TrimLeft(line[w:], "> \t")
		run := len(text) - len(strings.TrimLeft(text, r.fence[:1]))
		if run >= len(r.fence) && strings.TrimSpace(text[run:]) == "" {
			r.fence = ""
		}
		return true
	}
	if r.htmlBlank && blank || !r.htmlBlank && r.html(line) {
		r.html = nil
	}
	return true
}

// tag reads the first line of a block of HTML.
func (r *mdReader) tag(rest string) bool {
	ends := func(mark string) func(string) bool {
		return func(line string) bool { return strings.Contains(strings.ToLower(line), mark) }
	}
	r.htmlBlank = false
	switch {
	case strings.HasPrefix(rest, "<!--"):
		r.html = ends("-->")
		rest = rest[4:]
	case strings.HasPrefix(rest, "<?"):
		r.html = ends("?>")
	case strings.HasPrefix(rest, "<![CDATA["):
		r.html = ends("]]>")
	case len(rest) > 2 && rest[1] == '!' && rest[2] >= 'A' && rest[2] <= 'Z':
		r.html = ends(">")
	case mdTagRaw().MatchString(rest):
		r.html = func(line string) bool {
			low := strings.ToLower(line)
			return strings.Contains(low, "</script>") || strings.Contains(low, "</pre>") || strings.Contains(low, "</style>") || strings.Contains(low, "</textarea>")
		}
	case mdTagBlock().MatchString(rest), r.open < 0 && mdTagAlone().MatchString(rest):
		r.html, r.htmlBlank = func(string) bool { return false }, true
	default:
		return false
	}
	r.open, r.fresh = -1, false
	if !r.htmlBlank && r.html(rest) {
		r.html = nil
	}
	return true
}

// blanks are the blanks that a text begins with: their bytes, and their columns, a
// tab going to the next multiple of four.
func blanks(s string, col int) (bytes, columns int) {
	for bytes < len(s) {
		switch s[bytes] {
		case ' ':
			columns++
		case '\t':
			columns += 4 - (col+columns)%4
		default:
			return bytes, columns
		}
		bytes++
	}
	return bytes, columns
}

var (
	mdAutolink = lazily(`^<([A-Za-z][A-Za-z0-9+.-]{1,31}:[^\s<>]*|[\w.!#$%&'*+/=?^{|}~-]+@[\w-]+(?:\.[\w-]+)*)>`)
	mdTag      = lazily(`^<(?:!--(?s:.*?)--|/?[a-zA-Z][^<>]*)>`)
)

// plain is the text of a block without its marks; code keeps its backticks where
// code is set, since they say which words are names.
func (b *mdBlock) plain(code bool) string { return mdInline(b.raw, code, b.refs) }

// mdRun is a run of * or _ that may open or close an emphasis.
type mdRun struct {
	at, left    int // in the output; how many of the marks are left
	mark        byte
	open, close bool
	length      int
}

func mdInline(s string, code bool, refs map[string]bool) string {
	var out []byte
	var runs []mdRun
	var drop [][2]int // of the output
	for i := 0; i < len(s); {
		c := s[i]
		switch {
		case c == '\\' && i+1 < len(s) && isPunct(s[i+1]):
			out = append(out, c, s[i+1])
			i += 2
		case c == '\\' && i+1 < len(s) && s[i+1] == '\n':
			out = append(out, ' ')
			i += 2
		case c == '\n':
			out = append(out, ' ')
			i++
		case c == '`':
			n := runOf(s[i:], c)
			end := closing(s[i+n:], n)
			if end < 0 {
				out = append(out, s[i:i+n]...)
				i += n
				continue
			}
			text := strings.ReplaceAll(s[i+n:i+n+end], "\n", " ")
			if len(text) > 2 && text[0] == ' ' && text[len(text)-1] == ' ' && strings.TrimSpace(text) != "" {
				text = text[1 : len(text)-1]
			}
			if code {
				text = "`" + text + "`"
			}
			out = append(out, text...)
			i += n + end + n
		case c == '<':
			if m := mdAutolink().FindStringSubmatch(s[i:]); m != nil {
				out = append(out, m[1]...)
				i += len(m[0])
			} else if m := mdTag().FindString(s[i:]); m != "" {
				i += len(m)
			} else {
				out = append(out, c)
				i++
			}
		case c == '[' || c == '!' && i+1 < len(s) && s[i+1] == '[':
			from := i + strings.IndexByte(s[i:], '[') + 1
			if text, n := mdLink(s[from:], refs); n > 0 {
				out = append(out, mdInline(text, code, refs)...)
				i = from + n
			} else {
				out = append(out, s[i:from]...)
				i = from
			}
		case c == '*' || c == '_':
			n := runOf(s[i:], c)
			runs = append(runs, flank(s, i, n, len(out)))
			out = append(out, s[i:i+n]...)
			i += n
		default:
			out = append(out, c)
			i++
		}
	}
	// Closers take the nearest opener of their kind (CommonMark 0.31, "process emphasis").
	for c := 0; c < len(runs); c++ {
		for runs[c].close && runs[c].left > 0 {
			o := c - 1
			for ; o >= 0; o-- {
				if r := &runs[o]; r.mark == runs[c].mark && r.open && r.left > 0 && !((r.close || runs[c].open) && (r.length+runs[c].length)%3 == 0 && (r.length%3 != 0 || runs[c].length%3 != 0)) {
					break
				}
			}
			if o < 0 {
				break
			}
			n := 1
			if runs[o].left >= 2 && runs[c].left >= 2 {
				n = 2
			}
			runs[o].left -= n
			drop = append(drop, [2]int{runs[o].at + runs[o].left, n})
			drop = append(drop, [2]int{runs[c].at + runs[c].length - runs[c].left, n})
			runs[c].left -= n
			for k := o + 1; k < c; k++ { // what stands between can pair with nothing outside
				runs[k].open = false
			}
		}
	}
	gone := make([]bool, len(out))
	for _, d := range drop {
		for k := d[0]; k < d[0]+d[1]; k++ {
			gone[k] = true
		}
	}
	kept := out[:0]
	for k, c := range out {
		if !gone[k] {
			kept = append(kept, c)
		}
	}
	return string(kept)
}

// flank says what a run of marks can do, by what stands before and behind it.
func flank(s string, i, n, at int) mdRun {
	before, behind := ' ', ' '
	if i > 0 {
		before, _ = utf8.DecodeLastRuneInString(s[:i])
	}
	if i+n < len(s) {
		behind, _ = utf8.DecodeRuneInString(s[i+n:])
	}
	left := !unicode.IsSpace(behind) && (!isPunctRune(behind) || unicode.IsSpace(before) || isPunctRune(before))
	right := !unicode.IsSpace(before) && (!isPunctRune(before) || unicode.IsSpace(behind) || isPunctRune(behind))
	r := mdRun{at: at, left: n, length: n, mark: s[i], open: left, close: right}
	if s[i] == '_' {
		r.open = left && (!right || isPunctRune(before))
		r.close = right && (!left || isPunctRune(behind))
	}
	return r
}

// mdLabel is a label as labels are compared.
func mdLabel(s string) string { return strings.ToLower(strings.Join(strings.Fields(s), " ")) }

// mdLink reads "text](target)", "text][label]" and "label]" behind an opening bracket:
// the text, and the bytes taken.
func mdLink(s string, refs map[string]bool) (text string, n int) {
	depth := 1
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '`':
			run := runOf(s[i:], '`')
			if end := closing(s[i+run:], run); end >= 0 {
				i += run + end + run - 1
			} else {
				i += run - 1
			}
		case '[':
			depth++
		case ']':
			if depth--; depth > 0 {
				continue
			}
			rest := s[i+1:]
			if target := mdTarget().FindString(rest); target != "" {
				return s[:i], i + 1 + len(target)
			}
			if strings.HasPrefix(rest, "[") {
				if end := strings.IndexByte(rest, ']'); end > 0 {
					if label := rest[1:end]; label == "" && refs[mdLabel(s[:i])] || label != "" && refs[mdLabel(label)] {
						return s[:i], i + 1 + end + 1
					}
				}
			}
			if refs[mdLabel(s[:i])] {
				return s[:i], i + 1
			}
			return "", 0
		}
	}
	return "", 0
}

var mdTarget = lazily(`^\([ \t\n]*(?:<[^<>\n]*>|(?:[^\s()\\]|\\.|\((?:[^\s()\\]|\\.)*\))*)(?:[ \t\n]+(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\((?:[^()\\]|\\.)*\)))?[ \t\n]*\)`)

// closing is where a run of exactly n backticks begins, -1 for nowhere.
func closing(s string, n int) int {
	for i := 0; i < len(s); {
		k := strings.IndexByte(s[i:], '`')
		if k < 0 {
			return -1
		}
		i += k
		run := runOf(s[i:], '`')
		if run == n {
			return i
		}
		i += run
	}
	return -1
}

func runOf(s string, c byte) int {
	n := 0
	for n < len(s) && s[n] == c {
		n++
	}
	return n
}

// isPunct: ASCII punctuation, which a backslash takes the meaning from.
func isPunct(c byte) bool {
	return c >= '!' && c <= '/' || c >= ':' && c <= '@' || c >= '[' && c <= '`' || c >= '{' && c <= '~'
}

func isPunctRune(r rune) bool { return unicode.IsPunct(r) || unicode.IsSymbol(r) }

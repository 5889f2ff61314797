package memory

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// importMark begins the id of a source reference that an import made: the hash
// of what was read, so that a second import of the same text adds nothing.
const importMark = "sha256:"

// Document is a file that entries are drafted from.
type Document struct {
	Path string // from the top of the repository, with forward slashes
	Text []byte
}

// Drafted is what an import made of documents, before anything is written.
type Drafted struct {
	Entries []Entry
	Left    []Left // what no entry was made of

	supersedes map[int]int // draft to the draft that it takes the place of
}

// Left is a part of a document that no entry was made of.
type Left struct {
	Path   string `json:"path"`   // of the document
	Line   int    `json:"line"`   // from 1, 0 for the whole
	Reason string `json:"reason"` // why, one clause
}

func (d Document) source(first, last int, content []byte) SourceRef {
	sum := sha256.Sum256(content)
	return SourceRef{Type: "file", ID: importMark + hex.EncodeToString(sum[:]), Path: d.Path, LineStart: first, LineEnd: last}
}

// FromKlide makes drafts of the entries of a Klide store. They keep their ids,
// so that their pointers still point; what Klide has as reviewed is proposed
// here, what it has out of force stays out of force.
func FromKlide(s *Set) Drafted {
	var out Drafted
	for _, e := range s.Entries {
		if !e.Readable() {
			why := "its file has faults"
			if len(e.Faults) > 0 {
				why = e.Faults[0].Text
			}
			out.Left = append(out.Left, Left{Path: e.RelPath, Reason: why})
			continue
		}
		d := e.Clone()
		if e.ReviewState == Reviewed {
			d.ReviewState = Proposed
		}
		d.FilesTouched = slices.DeleteFunc(d.FilesTouched, func(f string) bool { return wrongPath(f) != "" })
		d.SourceRefs = slices.DeleteFunc(d.SourceRefs, func(r SourceRef) bool { return r.wrong() != "" })
		d.SourceRefs = append([]SourceRef{{Type: "file", ID: importMark + e.Hash, Path: e.RelPath}}, d.SourceRefs[:min(len(d.SourceRefs), MaxSourceRefs-1)]...)
		out.Entries = append(out.Entries, d)
	}
	for _, f := range s.Skipped {
		out.Left = append(out.Left, Left{Path: f.Name, Reason: f.Reason})
	}
	return out
}

// FromADRs makes drafts of architecture decision records: MADR, Nygard's form
// and that of log4brains. Title, status, context, decision and consequences are
// taken from their headings; a record that another one takes the place of is
// superseded, one that is rejected or deprecated is stale, all others are
// proposed whatever their status says.
func FromADRs(docs []Document) Drafted {
	out := Drafted{supersedes: map[int]int{}}
	records := map[string]int{} // name and number of the file to the draft
	type link struct{ from, to string }
	var links []link
	for _, d := range docs {
		if strings.Contains(strings.ToLower(path.Base(d.Path)), "template") {
			out.Left = append(out.Left, Left{Path: d.Path, Reason: "a template"})
			continue
		}
		r, ok := readADR(d)
		if !ok {
			out.Left = append(out.Left, Left{Path: d.Path, Reason: "no decision record: it has no heading that a decision stands under"})
			continue
		}
		at := len(out.Entries)
		out.Entries = append(out.Entries, r.entry)
		base := path.Base(d.Path)
		records[base] = at
		if n := adrNumber(base); n != "" {
			if _, twice := records[n]; !twice {
				records[n] = at
			}
		}
		for _, target := range r.supersededBy {
			links = append(links, link{from: target, to: base})
		}
		for _, target := range r.supersedes {
			links = append(links, link{from: base, to: target})
		}
	}
	for _, l := range links {
		from, okFrom := records[l.from]
		to, okTo := records[l.to]
		if !okFrom || !okTo || from == to {
			continue
		}
		if old := &out.Entries[to]; old.ReviewState == Proposed {
			old.ReviewState = Superseded
		}
		if _, has := out.supersedes[from]; !has {
			out.supersedes[from] = to
		}
	}
	return out
}

// order is the order in which drafts are written: what another one takes the
// place of first, so that it has its id by then.
func (d Drafted) order() []int {
	done := make([]bool, len(d.Entries))
	order := make([]int, 0, len(d.Entries))
	for i := range d.Entries {
		var chain []int
		for at, ok := i, true; ok && !done[at]; at, ok = d.next(at) {
			done[at] = true
			chain = append(chain, at)
		}
		slices.Reverse(chain)
		order = append(order, chain...)
	}
	return order
}

// next is the draft that a draft takes the place of.
func (d Drafted) next(i int) (int, bool) {
	to, ok := d.supersedes[i]
	return to, ok
}

type adr struct {
	entry                    Entry
	supersedes, supersededBy []string // file names or numbers
}

var (
	adrDecision = lazily(`(?i)^(decision( outcome)?|outcome|decision\s*/.*|.*\bdecision\b)$`)
	adrContext  = lazily(`(?i)^(context( and problem statement)?|problem( statement)?|issue|background|motivation)$`)
	adrTitle    = lazily(`(?i)^(?:adr[-_ ]?)?\d{1,5}\s*[.:_)-]+\s*(.+)$`)
	adrLink     = lazily(`(?i)(superseded|replaced|amended)\s+by[^\n]*?(?:\]\(([^)\s]+)\)|\b(?:adr[-_ ]?)?(\d{1,5})\b)|(supersedes|supercedes|replaces)[^\n]*?(?:\]\(([^)\s]+)\)|\b(?:adr[-_ ]?)?(\d{1,5})\b)`)
	adrStatus   = lazily(`(?im)^(?:[-*+]\s*)?(?:\*\*)?status(?:\*\*)?\s*:(?:\*\*)?\s*["']?([^\n"']+)`)
	leadNumber  = lazily(`^(?:adr[-_ ]?)?0*(\d+)`)
	datedName   = lazily(`^\d{4,8}-?\d{2}-?\d{2}`)
)

func adrNumber(base string) string {
	if datedName().MatchString(base) {
		return "" // log4brains: a date, not a number
	}
	if m := leadNumber().FindStringSubmatch(strings.ToLower(base)); m != nil {
		return m[1]
	}
	return ""
}

func readADR(d Document) (adr, bool) {
	body, front := withoutFrontmatter(d.Text)
	secs := markdownSections(body)
	e := Entry{Kind: KindDecision, ReviewState: Proposed, Tags: []string{"adr"}}
	e.SourceRefs = []SourceRef{d.source(1, lastLine(d.Text), d.Text)}
	found := false
	var r adr
	status := ""
	if m := adrStatus().FindStringSubmatch(front); m != nil {
		status = m[1]
	}
	var notes []string
	for i, s := range secs {
		name := strings.TrimSpace(s.title)
		switch {
		case i == 0 && s.level == 0:
			if m := adrStatus().FindStringSubmatch(s.text); m != nil && status == "" {
				status = m[1]
			}
		case e.Title == "" && s.level == 1:
			e.Title = name
			if m := adrTitle().FindStringSubmatch(name); m != nil {
				e.Title = m[1]
			}
			if m := adrStatus().FindStringSubmatch(s.text); m != nil && status == "" {
				status = m[1]
			}
			continue
		case strings.EqualFold(name, "status"):
			if status == "" {
				status = s.text
			}
			continue
		case adrContext().MatchString(name):
			if e.Goal == "" {
				e.Goal = cut(Line(firstParagraph(s.text)), 1000)
			}
		case adrDecision().MatchString(name):
			if len(e.Decisions) == 0 && strings.TrimSpace(s.text) != "" {
				e.Decisions = statements(s.text)
			}
			found = true
		}
		if s.level > 0 {
			notes = append(notes, strings.Repeat("#", max(2, s.level))+" "+name+"\n\n"+strings.TrimSpace(s.text))
		}
	}
	if !found {
		return adr{}, false
	}
	e.Notes = strings.Join(notes, "\n\n")
	if e.Title == "" {
		e.Title = strings.TrimSuffix(path.Base(d.Path), path.Ext(d.Path))
	}
	e.Title = cut(Line(e.Title), MaxTitle)
	e.Status = cut(Line(firstParagraph(status)), 200)
	links := status
	for _, s := range secs {
		if strings.EqualFold(s.title, "status") || strings.EqualFold(s.title, "links") || strings.EqualFold(s.title, "more information") || s.level <= 1 {
			links += "\n" + s.text
		}
	}
	for _, m := range adrLink().FindAllStringSubmatch(links, -1) {
		to := func(link, number string) string {
			if link != "" {
				return path.Base(strings.SplitN(link, "#", 2)[0])
			}
			return strings.TrimLeft(number, "0")
		}
		switch {
		case strings.EqualFold(m[1], "superseded") || strings.EqualFold(m[1], "replaced"):
			r.supersededBy = append(r.supersededBy, to(m[2], m[3]))
		case m[4] != "":
			r.supersedes = append(r.supersedes, to(m[5], m[6]))
		}
	}
	low := strings.ToLower(e.Status)
	switch {
	case strings.HasPrefix(low, "superseded") || strings.HasPrefix(low, "replaced") || len(r.supersededBy) > 0:
		e.ReviewState = Superseded
	case strings.HasPrefix(low, "rejected") || strings.HasPrefix(low, "deprecated") || strings.HasPrefix(low, "withdrawn"):
		e.ReviewState, e.StateReason = Stale, "the record's status: "+e.Status
	}
	r.entry = e
	return r, true
}

// withoutFrontmatter takes YAML frontmatter off a document of another program.
func withoutFrontmatter(raw []byte) (body []byte, front string) {
	raw = []byte(strings.TrimPrefix(string(raw), "\uFEFF"))
	f := splitFile(raw)
	if !f.closed {
		return raw, ""
	}
	return raw[f.body:], string(raw[f.head.start:f.head.end])
}

type mdSection struct {
	level int // of the heading, 0 for what stands before the first
	title string
	text  string
}

// markdownSections cuts a document at its headings.
func markdownSections(src []byte) []mdSection {
	out := []mdSection{{text: string(src)}}
	from := 0 // of the text of the section that is open
	for _, b := range readMarkdown(src) {
		if b.kind != mdHeading || b.nested || b.raw == "" {
			continue
		}
		begin := bytes.LastIndexByte(src[:b.start], '\n') + 1
		out[len(out)-1].text = string(src[from:begin])
		from = b.after
		out = append(out, mdSection{b.level, Line(b.plain(false)), string(src[from:])})
	}
	return out
}

func firstParagraph(s string) string {
	s = strings.TrimSpace(strings.ReplaceAll(s, "\r\n", "\n"))
	first, _, _ := strings.Cut(s, "\n\n")
	return first
}

// statements are the paragraphs and bullets of a text, at most twenty.
func statements(s string) []string {
	var out []string
	for _, b := range readMarkdown([]byte(s)) {
		if t := Line(b.plain(true)); b.kind == mdParagraph && t != "" && len(out) < 20 {
			out = append(out, t)
		}
	}
	return out
}

// ruleWord says that a line tells people what to do: a modal anywhere, or an
// imperative at its beginning (behind a label that ends in a colon).
var ruleWord = lazily(`(?i)\b(?:must|mustn't|never|always|do not|don't|dont|avoid|should|shouldn't|make sure|ensure|forbidden|not allowed|required|prefer)\b|` +
	`^(?:[^:.]{1,40}:\s+)?["'(\x60]?(?:use|keep|write|run|add|put|name|return|wrap|test|follow|handle|update|document|check|read|start|stop|place|store|log|format|commit|rebase|squash|split|move|remove|delete|create|call|pass|set|include|leave|limit|treat|verify|review|no)\b`)

// FromRules makes drafts of the conventions in a file that tells agents and
// people how to work (AGENTS.md, CLAUDE.md, CONTRIBUTING.md): one for each item of
// a list that says what to do, with its lines. all takes every item.
func FromRules(d Document, all bool) Drafted {
	var out Drafted
	body, _ := withoutFrontmatter(d.Text)
	skipped := strings.Count(string(d.Text[:len(d.Text)-len(body)]), "\n")
	lines := newLineTable(body)
	var headings []string
	for _, b := range readMarkdown(body) {
		if b.kind == mdHeading {
			for len(headings) >= b.level {
				headings = headings[:len(headings)-1]
			}
			for len(headings) < b.level-1 {
				headings = append(headings, "")
			}
			headings = append(headings, Line(b.plain(false)))
			continue
		}
		if !b.item {
			continue
		}
		first, last := lines.at(b.start)+skipped, lines.at(max(b.start, b.end-1))+skipped
		words := Line(b.plain(true))
		switch {
		case len(strings.Fields(words)) < 3:
			out.Left = append(out.Left, Left{d.Path, first, "too short to be a rule"})
		case !all && !ruleWord().MatchString(words):
			out.Left = append(out.Left, Left{d.Path, first, "says nothing of what to do"})
		default:
			e := Entry{Kind: KindConvention, ReviewState: Proposed, Title: cut(Line(b.plain(false)), MaxTitle), Decisions: []string{words}, Tags: []string{"imported"}}
			if place := strings.Join(slices.DeleteFunc(slices.Clone(headings), func(s string) bool { return s == "" }), " / "); place != "" {
				e.Notes = "From the section " + place + "."
			}
			ref := d.source(first, last, body[b.start:b.end])
			ref.Label = path.Base(d.Path)
			e.SourceRefs = []SourceRef{ref}
			out.Entries = append(out.Entries, e)
		}
	}
	return out
}

type lineTable []int

func newLineTable(b []byte) lineTable {
	t := lineTable{0}
	for i, c := range b {
		if c == '\n' {
			t = append(t, i+1)
		}
	}
	return t
}

// at is the line of a byte, from 1.
func (t lineTable) at(offset int) int {
	i, found := slices.BinarySearch(t, offset)
	if found {
		return i + 1
	}
	return i
}

func lastLine(b []byte) int {
	return strings.Count(strings.TrimRight(string(b), "\n"), "\n") + 1
}

// lazily compiles an expression when it is first asked for: a table that is
// compiled at the start of the program is paid for by every commit hook.
func lazily(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}

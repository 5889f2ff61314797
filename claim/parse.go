package claim

import (
	"slices"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/saysolint/sayso/internal/text"
)

// Options of Parse.
type Options struct {
	Source    Source
	Tier      Tier
	NoSubject bool // the text has no subject line: a pull-request body, a transcript
	Bot       bool // the author is a known update bot: below the first paragraph it quotes others
}

// Message is a text, read: its header, statements, trailers and claims.
type Message struct {
	Text       string
	Options    Options
	Subject    string // the first line, "" with NoSubject
	Header     text.Header
	Statements []Statement // in order of place
	Trailers   []Trailer
	Claims     []Claim // in order of place
	Special    Special
	CherryPick bool     // says that it was picked or backported from elsewhere
	SquashBody bool     // the body lists the subjects of several commits, as a forge's squash leaves it
	NotRead    []string // parts that were not read and why, sorted: "language"
	NotClaims  int      // statements that claim nothing about this change
	Ignores    []Ignore

	lineStarts []int
	restAt     int
}

// Special marks messages with a form of their own.
type Special string

// The special forms.
const (
	Plain   Special = ""
	Merge   Special = "merge"   // "Merge branch ..."
	Fixup   Special = "fixup"   // fixup!, squash!, amend!
	Revert  Special = "revert"  // Revert "..."
	Release Special = "release" // a bare version, "release 1.2.3": bullets report on other commits
)

// Trailer is one "Key: value" line.
type Trailer struct {
	Key, Value string
	Start, End int // bytes, whole line
	ValueAt    int
}

// Ignore is a "Sayso-Ignore: <check> <reason>" line.
type Ignore struct{ Check, Reason string }

// Standing says how far a statement speaks about this change.
type Standing uint8

// Standings, weakest first.
const (
	Background Standing = iota // the world, the past, a plan, somebody else's words
	Squashed                   // a bullet that lists the commits a squash was made of
	Own                        // a bullet or a sentence about this change
	Subject                    // the subject
)

// Statement is one sentence or bullet.
type Statement struct {
	Start, End int // bytes
	Tokens     []Token
	Standing   Standing
	Bullet     bool
	Foreign    bool // not in a language that has a grammar here: only names are read
	Clauses    []Clause
}

// Clause is a run of tokens with one verb.
type Clause struct {
	From, To int // token indices, half open
	Verb     Verb
	VerbAt   int  // token index of the verb, -1 for none
	Negated  bool // "stop adding", "no longer", "re-add": no polarity
	Sub      bool // subordinate: about the world
}

// Parse reads a text. It never fails; what it cannot read it names in NotRead.
// Cost is linear in the text; beyond 256 KiB the rest is not read and said so.
func Parse(src string, o Options) *Message {
	const cap = 256 << 10
	m := &Message{Text: src, Options: o}
	if len(src) > cap {
		cut := cap
		for cut > cap-utf8.UTFMax && !utf8.RuneStart(src[cut]) {
			cut--
		}
		m.Text = src[:cut]
		m.NotRead = append(m.NotRead, "length")
	}
	m.lineStarts = lineStarts(m.Text)
	p := &parser{m: m}
	p.lines()
	p.special()
	p.maskComments()
	p.fences()
	p.trailers()
	p.mask()
	p.blocks()
	for i := range m.Statements {
		p.standing(&m.Statements[i])
	}
	p.language()
	for i := range m.Statements {
		m.Statements[i].Clauses = clauses(&m.Statements[i], m.restAt)
	}
	m.Claims = extract(m)
	sort.Strings(m.NotRead)
	m.NotRead = slices.Compact(m.NotRead)
	return m
}

// Position is the line, the column (code points) of a byte offset, both from 1.
func (m *Message) Position(offset int) (line, column int) {
	i := sort.SearchInts(m.lineStarts, offset+1) - 1
	return i + 1, utf8.RuneCountInString(m.Text[m.lineStarts[i]:offset]) + 1
}

// PlaceOf turns a span of bytes into a Place; a span over several lines is cut at the end of its first.
func (m *Message) PlaceOf(start, end int) Place {
	line, col := m.Position(start)
	return m.place(line, col, start, end)
}

// place is PlaceOf where line and column of start are known.
func (m *Message) place(line, col, start, end int) Place {
	ls := m.lineStarts[line-1]
	le := len(m.Text)
	if line < len(m.lineStarts) {
		le = m.lineStarts[line] - 1
	}
	whole := strings.TrimRight(m.Text[ls:le], "\r")
	stop := min(end, ls+len(whole))
	length := 0
	if stop > start {
		length = utf8.RuneCountInString(m.Text[start:stop])
	}
	return Place{Source: m.Options.Source, Line: line, Column: col, Length: length, Excerpt: excerpt(whole)}
}

// excerpt is the head of a line, at most 400 code points.
func excerpt(s string) string {
	n := 0
	for i := range s {
		if n == 400 {
			s = s[:i]
			break
		}
		n++
	}
	return valid(s)
}

// valid puts one replacement character in the place of each byte that is no
// UTF-8, so that columns counted in s fit the result as well.
func valid(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return string([]rune(s))
}

func lineStarts(s string) []int {
	out := make([]int, 1, 1+strings.Count(s, "\n"))
	for i := 0; i < len(s); i++ {
		if s[i] == '\n' {
			out = append(out, i+1)
		}
	}
	return out
}

type line struct {
	start, end int // without the line end
	kind       lineKind
	indent     int
}

type lineKind uint8

const (
	prose lineKind = iota
	blank
	skipped // fence, quote, indented code, table, comment, trailer, template
	heading
	bullet
	unticked
)

type parser struct {
	m     *Message
	ls    []line
	src   string // the text with HTML comments blanked out, same length
	text  []byte // the text with all that is not read blanked out, same length
	first int    // index of the first body line
}

func (p *parser) line(i int) string { return p.m.Text[p.ls[i].start:p.ls[i].end] }

// plain is line i without the HTML comments in it.
func (p *parser) plain(i int) string { return p.src[p.ls[i].start:p.ls[i].end] }

func (p *parser) lines() {
	t := p.m.Text
	p.ls = make([]line, 0, len(p.m.lineStarts))
	for i, s := range p.m.lineStarts {
		e := len(t)
		if i+1 < len(p.m.lineStarts) {
			e = p.m.lineStarts[i+1] - 1
		}
		for e > s && t[e-1] == '\r' {
			e--
		}
		p.ls = append(p.ls, line{start: s, end: e})
	}
	if p.m.Options.NoSubject {
		return
	}
	for p.first < len(p.ls) && strings.TrimSpace(p.line(p.first)) == "" {
		p.first++
	}
	if p.first < len(p.ls) {
		p.m.Subject = strings.TrimSpace(p.line(p.first))
		p.m.Header = text.ParseHeader(p.line(p.first))
		p.m.restAt = p.ls[p.first].start + p.m.Header.RestAt
	}
}

func (p *parser) special() {
	m := p.m
	low := strings.TrimPrefix(lower(m.Subject), "\ufeff")
	switch {
	case strings.HasPrefix(low, "merge ") && (strings.Contains(low, "branch") || strings.Contains(low, "pull request") || strings.Contains(low, "merge tag") || strings.Contains(low, "remote") || strings.Contains(low, " into ")):
		m.Special = Merge
	case strings.HasPrefix(low, "fixup! "), strings.HasPrefix(low, "squash! "), strings.HasPrefix(low, "amend! "):
		m.Special = Fixup
	case strings.HasPrefix(lower(m.Header.Rest), "revert ") || strings.HasPrefix(lower(m.Header.Rest), "reverts ") || strings.HasPrefix(lower(m.Header.Rest), "reapply ") || strings.HasPrefix(low, "revert ") || strings.HasPrefix(low, "revert:") || strings.HasPrefix(low, "reverts ") || lower(m.Header.Type) == "revert" || strings.HasPrefix(low, "reapply ") || strings.HasPrefix(low, "reland "):
		m.Special = Revert
	case releaseSubject(low):
		m.Special = Release
	}
}

// releaseSubject: "1.2.3", "v1.2.3", "release 1.2", "prepare for release 2.0", "start version 3".
func releaseSubject(low string) bool {
	f := strings.Fields(low)
	if len(f) == 0 || len(f) > 6 {
		return false
	}
	hasVersion, hasWord := false, false
	for _, w := range f {
		w = strings.Trim(w, "().,:")
		switch {
		case looksVersion(w) || looksNumber(w):
			hasVersion = true
		case strings.Contains(w, "@") && looksVersion(w[strings.LastIndexByte(w, '@')+1:]):
			hasVersion = true
		case w == "release" || w == "version" || w == "prepare" || w == "releasing" || w == "tag" || w == "released" || w == "start":
			hasWord = true
		}
	}
	return hasVersion && (hasWord || len(f) == 1) || len(f) == 1 && len(low) > 4 && lastPartVersion(low)
}

func lastPartVersion(low string) bool { // grep-matcher-0.1.9
	i := strings.LastIndexByte(low, '-')
	return i > 0 && looksVersion(low[i+1:])
}

// trailers finds "Key: value" lines: every one of the last paragraph when that
// paragraph is made of them (git's own rule), elsewhere only the keys that git and
// forges write, and references to issues.
func (p *parser) trailers() {
	last := len(p.ls) - 1
	for last >= 0 && strings.TrimSpace(p.plain(last)) == "" {
		last--
	}
	begin := last
	for begin > 0 && strings.TrimSpace(p.plain(begin-1)) != "" {
		begin--
	}
	all := begin > p.first
	for i := begin; all && i <= last; i++ {
		l := p.plain(i)
		if l != "" && (l[0] == ' ' || l[0] == '\t') && i > begin {
			continue
		}
		key, _, ok := splitTrailer(l)
		if !ok || !(knownTrailer(key) || strings.Contains(key, "-")) {
			all = false
		}
	}
	from := p.first + 1
	if p.m.Options.NoSubject {
		from = 0
	}
	for i := from; i < len(p.ls); i++ {
		if p.ls[i].kind == skipped {
			continue // in a fence
		}
		l := p.plain(i)
		key, at, ok := splitTrailer(l)
		switch {
		case ok && (all && i >= begin || knownTrailer(key) && (!issueKey(key) || referenceLine(l) || hashValue(l[at:]))):
			p.m.Trailers = append(p.m.Trailers, Trailer{Key: key, Value: strings.TrimSpace(l[at:]), Start: p.ls[i].start, End: p.ls[i].end, ValueAt: p.ls[i].start + at})
			p.ls[i].kind = skipped
			if strings.EqualFold(key, "sayso-ignore") {
				check, reason, _ := strings.Cut(strings.TrimSpace(l[at:]), " ")
				p.m.Ignores = append(p.m.Ignores, Ignore{Check: lower(check), Reason: strings.TrimSpace(reason)})
			}
		case referenceLine(l):
			p.m.Trailers = append(p.m.Trailers, Trailer{Value: strings.TrimSpace(l), Start: p.ls[i].start, End: p.ls[i].end, ValueAt: p.ls[i].start})
			p.ls[i].kind = skipped
		case all && i > begin:
			p.ls[i].kind = skipped // continuation
		}
		low := lower(l)
		if strings.Contains(low, "cherry picked from") || strings.Contains(low, "cherry-picked from") || strings.Contains(low, "backport of ") || strings.Contains(low, "backported from") {
			p.m.CherryPick = true
		}
	}
	if low := lower(p.m.Subject); strings.Contains(low, "backport") || strings.Contains(low, "cherry-pick") || strings.Contains(low, "cherry pick") {
		p.m.CherryPick = true
	}
}

func splitTrailer(l string) (key string, at int, ok bool) {
	i := 0
	for i < len(l) && (l[i] >= 'a' && l[i] <= 'z' || l[i] >= 'A' && l[i] <= 'Z' || l[i] == '-' || i > 0 && isDigit(l[i])) {
		i++
	}
	if i < 2 || i > 40 || i >= len(l) || l[i] != ':' {
		return "", 0, false
	}
	j := i + 1
	for j < len(l) && (l[j] == ' ' || l[j] == '\t') {
		j++
	}
	if j == len(l) || j == i+1 {
		return "", 0, false
	}
	return l[:i], j, true
}

func knownTrailer(key string) bool {
	k := lower(key)
	switch k {
	case "fixes", "closes", "close", "refs", "ref", "resolves", "see-also", "cc", "change-id", "issue", "bug", "pr-url", "pr", "link",
		"reverts", "depends-on", "sayso-ignore", "sayso-exception", "backport", "tested-on", "pull-request", "related", "fixed", "closed",
		"agent-logs-url", "copilot-session", "jira", "ticket", "review-url", "reviewed-on", "cq-include-trybots", "differential":
		return true
	}
	return strings.HasSuffix(k, "-by") || strings.HasSuffix(k, "-id") || strings.HasSuffix(k, "-url") || strings.HasSuffix(k, "-checkpoint") || strings.HasSuffix(k, "-session") || strings.HasSuffix(k, "-attribution") || strings.HasSuffix(k, "-metadata")
}

// issueKey: keys that open sentences as well ("Fixed: the race in the parser").
// Outside a block of trailers they need a reference behind them.
func issueKey(key string) bool {
	switch lower(key) {
	case "fixes", "fixed", "closes", "closed", "close", "resolves", "issue", "bug", "pr", "related", "ref", "refs", "link", "backport":
		return true
	}
	return false
}

// hashValue: a trailer's value that begins with an object name.
func hashValue(s string) bool {
	w, _, _ := strings.Cut(strings.TrimPrefix(s, "commit "), " ")
	return looksHash(lower(strings.Trim(w, "`,.;")))
}

// referenceLine: a line that is nothing but a reference to issues or links.
func referenceLine(l string) bool {
	low := strings.Trim(lower(strings.TrimSpace(l)), ".*- ")
	if low == "" {
		return false
	}
	first, rest, _ := strings.Cut(low, " ")
	switch strings.Trim(first, ":") {
	case "close", "closes", "closed", "fix", "fixes", "fixed", "resolve", "resolves", "resolved", "ref", "refs", "see", "related", "issue", "issues", "pr", "bug", "bugs", "part", "addresses", "reference", "references", "replaces", "supersedes", "supercedes", "continues", "relates":
		t := strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(rest, "to "), "of "), "also ")
		found := false
		for _, w := range strings.FieldsFunc(t, func(r rune) bool { return r == ' ' || r == ',' || r == '&' }) {
			w = strings.Trim(w, "().;:[]")
			if w == "" || w == "and" || w == "issue" || w == "issues" || w == "bug" || w == "pr" {
				continue
			}
			if !isRef(w) && !strings.Contains(w, "://") && ticketKey(w) == 0 {
				return false
			}
			found = true
		}
		return found
	}
	if strings.HasPrefix(low, "http://") || strings.HasPrefix(low, "https://") {
		return !strings.Contains(low, " ")
	}
	return isRef(low)
}

func ticketKey(w string) int {
	i := strings.IndexByte(w, '-')
	if i < 2 || i+1 >= len(w) || !looksNumber(w[i+1:]) {
		return 0
	}
	return len(w)
}

// mask decides for each line whether it is read, and blanks out what is not.
func (p *parser) mask() {
	bump := p.m.Options.Bot || bumpSubject(p.m.Subject)
	stopped, paragraphs := false, 0
	conflicts := false
	for i := range p.ls {
		l := &p.ls[i]
		if l.kind == skipped {
			p.blank(l.start, l.end)
			conflicts = false
			continue
		}
		s := p.plain(i)
		t := strings.TrimSpace(s)
		l.indent = len(s) - len(strings.TrimLeft(s, " \t"))
		if i == p.first && !p.m.Options.NoSubject {
			continue
		}
		if t == "" {
			l.kind = blank
			continue
		}
		if i > 0 && p.ls[i-1].kind == blank {
			paragraphs++
		}

		if bump && (paragraphs > 1 || botLine(t)) {
			stopped = true
		}
		if conflicts && (s[0] == ' ' || s[0] == '\t' || s[0] == '#') {
			l.kind = skipped
			p.blank(l.start, l.end)
			continue
		}
		conflicts = false
		if low := lower(t); low == "conflicts:" || low == "# conflicts:" || low == "conflicts" {
			conflicts = true
			l.kind = skipped
			p.blank(l.start, l.end)
			continue
		}
		mark, unt := listMark(t)
		inList := i > 0 && (p.ls[i-1].kind == bullet || p.ls[i-1].indent > 0 && p.ls[i-1].kind == prose)
		switch {
		case stopped || botLine(t):
			stopped = stopped || botLine(t)
			l.kind = skipped
		case t[0] == '>' || t[0] == '|' || strings.HasPrefix(t, "$ ") || strings.HasPrefix(t, "<") && strings.HasSuffix(t, ">"):
			l.kind = skipped
		case strings.HasPrefix(t, "-- ") && strings.HasPrefix(s, "--"):
			l.kind = skipped
		case unt:
			l.kind = unticked
		case mark > 0:
			l.kind = bullet
		case l.indent >= 4 && !inList || s[0] == '\t' && !inList:
			l.kind = skipped
		case t[0] == '#' && strings.TrimLeft(t, "#") != "" && strings.TrimLeft(t, "#")[0] == ' ':
			l.kind = heading
		case boldHeading(t):
			l.kind = heading
		}
		if l.kind == skipped || l.kind == unticked {
			p.blank(l.start, l.end)
		}
	}
}

func (p *parser) blank(a, b int) {
	for i := a; i < b; i++ {
		p.text[i] = ' '
	}
}

// fences skips the lines of fenced blocks, the fences with them. A block ends at
// a fence at least as long as the one that opened it, or with the text.
func (p *parser) fences() {
	from := p.first + 1
	if p.m.Options.NoSubject {
		from = 0
	}
	fence := ""
	for i := from; i < len(p.ls); i++ {
		t := strings.TrimSpace(p.plain(i))
		switch {
		case fence != "":
			if strings.HasPrefix(t, fence) && strings.Trim(t, fence[:1]) == "" {
				fence = ""
			}
		case strings.HasPrefix(t, "```") || strings.HasPrefix(t, "~~~"):
			run := t[:len(t)-len(strings.TrimLeft(t, t[:1]))]
			if !strings.Contains(t[len(run):], run) { // not ```one line```
				fence = run
			}
		default:
			continue
		}
		p.ls[i].kind = skipped
	}
}

// maskComments blanks HTML comments, over several lines too. One that is never
// closed ends with the text.
func (p *parser) maskComments() {
	s := p.m.Text
	p.src, p.text = s, []byte(s)
	for at := 0; ; {
		i := strings.Index(s[at:], "<!--")
		if i < 0 {
			if at > 0 {
				p.src = string(p.text)
			}
			return
		}
		i += at
		j := strings.Index(s[i:], "-->")
		end := len(s)
		if j >= 0 {
			end = i + j + 3
		}
		for k := i; k < end; k++ {
			if s[k] != '\n' && s[k] != '\r' {
				p.text[k] = ' '
			}
		}
		at = end
	}
}

// listMark is the length of a list mark in front of t, and whether it is an unticked task.
func listMark(t string) (int, bool) {
	n := 0
	switch {
	case strings.HasPrefix(t, "- "), strings.HasPrefix(t, "* "), strings.HasPrefix(t, "+ "):
		n = 2
	case strings.HasPrefix(t, "• "), strings.HasPrefix(t, "– "):
		_, k := utf8.DecodeRuneInString(t)
		n = k + 1
	default:
		i := 0
		for i < len(t) && i < 3 && isDigit(t[i]) {
			i++
		}
		if i > 0 && i+1 < len(t) && (t[i] == '.' || t[i] == ')') && t[i+1] == ' ' {
			n = i + 2
		}
	}
	if n == 0 {
		if len(t) > 2 && (t[0] == '-' || t[0] == '*') && t[1] != t[0] && (t[1] >= 'A' && t[1] <= 'Z' || t[1] == '`') && !strings.HasSuffix(t, "*") {
			return 1, false // "-Add x"
		}
		return 0, false
	}
	rest := t[n:]
	if strings.HasPrefix(rest, "[ ]") || strings.HasPrefix(rest, "[]") {
		return n, true
	}
	if strings.HasPrefix(rest, "[x]") || strings.HasPrefix(rest, "[X]") {
		return n + 3, false
	}
	return n, false
}

func boldHeading(t string) bool {
	if len(t) < 60 && strings.HasPrefix(t, "**") && (strings.HasSuffix(t, "**") || strings.HasSuffix(t, "**:") || strings.HasSuffix(t, ":**")) {
		return strings.Count(t, "**") == 2
	}
	return len(t) < 40 && strings.HasSuffix(t, ":") && t[0] >= 'A' && t[0] <= 'Z' && len(strings.Fields(t)) <= 4 && !strings.ContainsAny(t, "`(")
}

func bumpSubject(s string) bool {
	low := lower(text.ParseHeader(s).Rest)
	return (strings.HasPrefix(low, "bump ") || strings.HasPrefix(low, "bumps ")) && strings.Contains(low, " to ") ||
		strings.HasPrefix(low, "bump the ") || strings.HasPrefix(low, "update the requirements") ||
		(strings.HasPrefix(low, "update dependency ") || strings.HasPrefix(low, "update module ")) && toVersion(low) // "update module helpers" is a person's
}

// toVersion: "to v1.2", "to 3".
func toVersion(s string) bool {
	i := strings.LastIndex(s, " to ")
	if i < 0 {
		return false
	}
	f := strings.Fields(s[i+4:])
	if len(f) == 0 {
		return false
	}
	v := strings.TrimLeft(f[0], "v^~>=")
	return v != "" && isDigit(v[0])
}

// botLine says whether a line opens what update bots quote from elsewhere.
func botLine(t string) bool {
	low := lower(strings.Trim(t, "*#_ "))
	switch low {
	case "release notes", "changelog", "commits", "updated-dependencies:", "---", "configuration", "most recent ignore conditions applied to this pull request":
		return low != "changelog" && low != "commits" && low != "configuration" || t == strings.TrimSpace(t) && len(t) < 16
	}
	return strings.HasPrefix(t, "- [Release notes") || strings.HasPrefix(t, "- [Changelog") || strings.HasPrefix(t, "- [Commits") ||
		strings.HasPrefix(low, "updated-dependencies:") || strings.HasPrefix(low, "this pr contains the following updates") || strings.HasPrefix(low, "dependabot ")
}

// blocks makes statements of what is left.
func (p *parser) blocks() {
	m := p.m
	src := string(p.text)
	if !m.Options.NoSubject && p.first < len(p.ls) {
		l := p.ls[p.first]
		st := Statement{Start: l.start, End: l.end, Standing: Subject}
		st.Tokens = tokenize(nil, src, l.start, l.end)
		if len(st.Tokens) > maxTokens {
			st.Tokens = st.Tokens[:maxTokens]
			m.NotRead = append(m.NotRead, "length")
		}
		trimSpan(m.Text, &st)
		m.Statements = append(m.Statements, st)
	}
	var toks []Token
	var section string
	isBullet, squash := false, false
	bulletSection := ""
	star := 0
	for i := p.first; i < len(p.ls); i++ {
		if p.ls[i].kind == bullet && strings.HasPrefix(p.line(i), "* ") {
			star++
		}
	}
	squashBody := star >= 2 && hasPullNumber(m.Subject) && p.firstBodyIsStar()
	m.SquashBody = squashBody || star >= 2 && p.firstBodyIsStar() && p.starsApart()
	flush := func() {
		if len(toks) > 0 {
			p.sentences(toks, isBullet, squash, bulletSection)
		}
		toks = nil
		isBullet, squash = false, false
		bulletSection = section
	}
	start := p.first + 1
	if m.Options.NoSubject {
		start = 0
	}
	continued := start > 0 && start < len(p.ls) && p.ls[start].kind == prose
	for i := start; i < len(p.ls); i++ {
		l := p.ls[i]
		switch l.kind {
		case blank, skipped, unticked:
			flush()
			if l.kind == unticked {
				isBullet = true
				bulletSection = "unticked"
			}
			continued = false
			continue
		case heading:
			flush()
			section = lower(strings.Trim(src[l.start:l.end], "#*: \t\r_"))
			bulletSection = section
			continued = false
			continue
		case bullet:
			flush()
			isBullet = true
			squash = squashBody && strings.HasPrefix(p.line(i), "* ")
			t := strings.TrimLeft(src[l.start:l.end], " \t")
			n, _ := listMark(t)
			toks = tokenize(nil, src, l.start+l.indent+n, l.end)
			continued = false
			continue
		}
		if isBullet && l.indent == 0 && bulletSection != "unticked" {
			// Markdown would continue the list item; commit messages mostly mean a new paragraph,
			// but a lazily wrapped bullet begins in lower case.
			t := strings.TrimSpace(src[l.start:l.end])
			if r, _ := utf8.DecodeRuneInString(t); unicode.IsUpper(r) {
				flush()
			}
		}
		if bulletSection == "unticked" {
			continue // continuation of an unticked task
		}
		toks = tokenize(toks, src, l.start, l.end)
		if continued && len(m.Statements) == 1 {
			// The subject runs on into the next line without a blank line between them.
			st := &m.Statements[0]
			if s := p.line(p.first); len(s) < 90 && !strings.HasSuffix(strings.TrimSpace(s), ".") {
				t := strings.TrimSpace(src[l.start:l.end])
				if r, _ := utf8.DecodeRuneInString(t); unicode.IsLower(r) || r == '`' || r == '(' {
					st.Tokens = append(st.Tokens, toks...)
					st.End = l.end
					toks = nil
					continued = false
					continue
				}
			}
		}
		continued = false
	}
	flush()
}

func (p *parser) firstBodyIsStar() bool {
	for i := p.first + 1; i < len(p.ls); i++ {
		switch p.ls[i].kind {
		case blank, skipped, unticked:
			continue
		case bullet:
			return strings.HasPrefix(p.line(i), "* ")
		}
		return false
	}
	return false
}

// starsApart: at least two bullets with a star stand behind blank lines of their
// own, as a squash writes subjects; a list that a person wrote stands together.
func (p *parser) starsApart() bool {
	n := 0
	for i := p.first + 1; i < len(p.ls); i++ {
		if strings.HasPrefix(p.line(i), "* ") && strings.TrimSpace(p.line(i-1)) == "" {
			n++
		}
	}
	return n >= 2
}

// hasPullNumber: "(#123)" at the end, as forges write on squash.
func hasPullNumber(s string) bool {
	s = strings.TrimSpace(s)
	i := strings.LastIndex(s, "(#")
	return i >= 0 && strings.HasSuffix(s, ")") && looksNumber(s[i+2:len(s)-1])
}

func trimSpan(src string, st *Statement) {
	for st.Start < st.End && isBlank(src[st.Start]) {
		st.Start++
	}
	for st.End > st.Start && isBlank(src[st.End-1]) {
		st.End--
	}
}

// maxTokens is the length of the longest statement: no sentence has more, and
// what looks at all of a statement for each of its clauses stays cheap.
const maxTokens = 1000

// sentences cuts the tokens of one block at sentence ends.
func (p *parser) sentences(toks []Token, bullet, squash bool, section string) {
	start := 0
	cut := func(end int) {
		if end > start {
			st := Statement{Tokens: toks[start:end:end], Bullet: bullet && start == 0, Start: toks[start].Start, End: toks[end-1].End}
			switch {
			case squash:
				st.Standing = Squashed
			case backgroundSection(section):
				st.Standing = Background
			case bullet:
				st.Standing = Own // looked at again in standing
			default:
				st.Standing = Own
			}
			p.m.Statements = append(p.m.Statements, st)
		}
		start = end
	}
	for i, t := range toks {
		if i-start >= maxTokens {
			cut(i)
		}
		if t.Kind != Punct {
			continue
		}
		switch t.Text {
		case ".", "!", "?":
			if i+1 < len(toks) && toks[i+1].Start > t.End {
				if i > 0 && abbreviations()[toks[i-1].Low] {
					continue
				}
				if n := toks[i+1]; opensSentence(n) {
					cut(i + 1)
				}
			}
		case ";":
			cut(i + 1)
		}
	}
	cut(len(toks))
}

func opensSentence(t Token) bool {
	if t.Kind == Code || t.Kind == Punct {
		return true
	}
	r, _ := utf8.DecodeRuneInString(t.Text)
	return !unicode.IsLower(r)
}

func backgroundSection(s string) bool {
	for _, w := range [...]string{"follow-up", "follow up", "followup", "to follow", "future", "todo", "next step", "out of scope", "not in", "not includ", "limitation", "background", "motivation", "context",
		"problem", "why", "before", "current behav", "reproduc", "alternative", "related", "reference", "test plan", "testing", "how to test", "checklist",
		"note", "release note", "question", "remaining", "previous", "root cause", "rationale", "issue", "expected", "actual", "verification", "verified", "validation", "risk", "steps", "unticked"} {
		if strings.Contains(s, w) {
			return s != ""
		}
	}
	return false
}

// standing decides what a statement speaks about.
func (p *parser) standing(st *Statement) {
	if st.Standing == Subject || st.Standing == Squashed || st.Standing == Background {
		return
	}
	toks := st.Tokens
	i := 0
	for i < len(toks) && (toks[i].Kind == Punct) {
		i++
	}
	if i == len(toks) {
		st.Standing = Background
		return
	}
	if planned(toks) {
		st.Standing = Background
		return
	}
	if toks[i].Low == "new" && len(toks)-i <= 12 && i+2 < len(toks) && toks[i+1].Kind == Word && toks[i+2].Kind != Word && toks[i+2].Kind != Punct {
		st.Standing = Own // "New option `--depth`", "New file docs/map.md"
		return
	}
	j, lead := skipLead(toks, i)
	if k := label(toks); k > 0 {
		j = k
	}
	verbFirst := j < len(toks) && toks[j].Kind == Word && VerbOf(toks[j].Low) != NoVerb && !nounHere(toks, j)
	switch {
	case verbFirst:
		st.Standing = Own
	case st.Bullet:
		st.Standing = Own
	case lead == leadThis:
		st.Standing = Own
	default:
		st.Standing = Background
	}
}

// label is the end of a bold label in front of a statement, "**Validation**:"; 0 where there is none.
func label(toks []Token) int {
	k, stars, words := 0, 0, 0
	for k < len(toks) && k < 10 {
		t := toks[k]
		k++
		switch {
		case t.Kind == Punct && t.Text == "*":
			stars++
		case t.Kind == Punct && t.Text == ":" && stars >= 2 && words > 0:
			for k < len(toks) && toks[k].Kind == Punct && toks[k].Text == "*" {
				k++
			}
			return k
		case t.Kind == Word && words < 4 && stars > 0:
			words++
		default:
			return 0
		}
	}
	return 0
}

type leadKind uint8

const (
	noLead   leadKind = iota
	leadWeak          // also, now, we
	leadThis          // this commit
)

// skipLead passes over "this commit also", "we now", "it", "and" and the like.
func skipLead(toks []Token, i int) (int, leadKind) {
	kind := noLead
	for i < len(toks) {
		t := toks[i]
		if t.Kind == Punct && t.Text == "," {
			i++
			continue
		}
		if t.Kind != Word {
			break
		}
		switch t.Low {
		case "this":
			if i+1 < len(toks) {
				switch toks[i+1].Low {
				case "commit", "change", "patch", "pr", "mr", "branch", "series", "changeset", "diff":
					i += 2
					kind = leadThis
					continue
				case "pull", "merge":
					if i+2 < len(toks) && toks[i+2].Low == "request" {
						i += 3
						kind = leadThis
						continue
					}
				}
				if VerbOf(toks[i+1].Low) != NoVerb && strings.HasSuffix(toks[i+1].Low, "s") {
					i++
					kind = leadThis
					continue
				}
			}
			return i, kind
		case "also", "now", "we", "it", "and", "then", "additionally", "finally", "instead", "simply", "just", "i", "further", "furthermore", "first", "second", "to", "do", "let's", "lets", "please", "please,":
			if t.Low == "to" && kind == noLead && i > 0 {
				return i, kind
			}
			if kind == noLead {
				kind = leadWeak
			}
			i++
			continue
		}
		break
	}
	return i, kind
}

// nounHere: a verb form that stands as a noun: "Test coverage is", "Support for", "Use of", "Cache misses".
func nounHere(toks []Token, j int) bool {
	if j+1 >= len(toks) {
		return false
	}
	n := toks[j+1]
	if n.Kind == Word {
		switch n.Low {
		case "is", "are", "was", "were", "has", "have", "had", "does", "can", "should", "will", "of", "which":
			return true
		case "for":
			return toks[j].Low == "support"
		}
	}
	return false
}

// planned: the sentence speaks of a plan, a wish or another change.
func planned(toks []Token) bool {
	for i, t := range toks {
		if t.Kind != Word {
			continue
		}
		switch t.Low {
		case "follow-up", "followup", "follow-ups", "todo", "eventually", "upcoming":
			return true
		case "later":
			if !(i > 0 && toks[i-1].Low == "or") { // "Go 1.22 or later" is no plan
				return true
			}
		case "will":
			return i < 8
		case "future":
			if i > 0 && (toks[i-1].Low == "a" || toks[i-1].Low == "the" || toks[i-1].Low == "in" || toks[i-1].Low == "near") {
				return true
			}
		case "next":
			if i+1 < len(toks) && (toks[i+1].Low == "commit" || toks[i+1].Low == "pr" || toks[i+1].Low == "step" || toks[i+1].Low == "change" || toks[i+1].Low == "patch") {
				return true
			}
		case "should", "would", "could", "might", "must", "need", "needs":
			if i < 4 {
				return true
			}
		case "separate", "subsequent", "previous", "earlier", "another", "following":
			if i+1 < len(toks) && (toks[i+1].Low == "commit" || toks[i+1].Low == "pr" || toks[i+1].Low == "change" || toks[i+1].Low == "patch" || toks[i+1].Low == "pull" || toks[i+1].Low == "commits") {
				return true
			}
		}
	}
	return false
}

// language marks statements whose language has no grammar here.
func (p *parser) language() {
	m := p.m
	foreignWords, englishWords, latin, other := 0, 0, 0, 0
	for _, st := range m.Statements {
		for _, t := range st.Tokens {
			if t.Kind != Word {
				continue
			}
			if english()[t.Low] {
				englishWords++
			} else if foreign()[t.Low] {
				foreignWords++
			}
			for _, r := range t.Text {
				if r < 0x250 {
					latin++
				} else if unicode.IsLetter(r) {
					other++
				}
			}
		}
	}
	whole := other > latin || foreignWords >= 2 && foreignWords > englishWords
	any := false
	for i := range m.Statements {
		st := &m.Statements[i]
		f, e, l, o := 0, 0, 0, 0
		for _, t := range st.Tokens {
			if t.Kind != Word {
				continue
			}
			if english()[t.Low] {
				e++
			} else if foreign()[t.Low] {
				f++
			}
			for _, r := range t.Text {
				if r < 0x250 {
					l++
				} else if unicode.IsLetter(r) {
					o++
				}
			}
		}
		if o > l || (f >= 2 && f > e) || whole && e <= f {
			st.Foreign = true
			any = true
		}
	}
	if any {
		m.NotRead = append(m.NotRead, "language")
	}
}

// clauses cuts a statement at conjunctions that are followed by a verb, and at subordinators.
func clauses(st *Statement, restAt int) []Clause {
	if st.Foreign {
		return []Clause{{From: 0, To: len(st.Tokens), VerbAt: -1, Sub: true}}
	}
	toks := st.Tokens
	var out []Clause
	i := 0
	for i < len(toks) && toks[i].Kind == Punct {
		i++
	}
	begin := i
	if st.Standing == Subject {
		// The header is not part of the first clause, nor is what stands before another colon.
		for begin < len(toks) && toks[begin].Start < restAt {
			begin++
		}
		for k := begin; k < len(toks) && k < i+8; k++ {
			if toks[k].Kind == Punct && toks[k].Text == ":" {
				begin = k + 1
				break
			}
		}
	}
	if k := label(toks); k > begin {
		begin = k
	}
	for begin < len(toks) && toks[begin].Kind == Punct {
		begin++
	}
	j, _ := skipLead(toks, begin)
	j0 := j
	cur := Clause{From: 0, VerbAt: -1}
	setVerb := func(c *Clause, at int) bool {
		if at >= len(toks) || toks[at].Kind != Word {
			return false
		}
		low := toks[at].Low
		if strings.HasPrefix(low, "re-") && VerbOf(low[3:]) != NoVerb {
			c.Verb, c.VerbAt, c.Negated = VerbOf(low[3:]), at, true
			return true
		}
		v := VerbOf(low)
		if low == "new" && at == j0 && at+1 < len(toks) && toks[at+1].Kind != Punct {
			v = VerbAdd // "New `/healthz` route"
		}
		if v == NoVerb || nounHere(toks, at) {
			return false
		}
		c.Verb, c.VerbAt = v, at
		return true
	}
	for j < len(toks) && toks[j].Kind == Word && (strings.HasSuffix(toks[j].Low, "ly") || toks[j].Low == "better" || toks[j].Low == "always") {
		j++
	}
	neg := false
	if j < len(toks) && negators()[toks[j].Low] {
		neg = true
		if VerbOf(toks[j].Low) == NoVerb {
			j++
			if j < len(toks) && toks[j].Low == "longer" {
				j++
			}
		} else if j+1 < len(toks) && VerbOf(toks[j+1].Low) != NoVerb {
			j++
		}
	}
	setVerb(&cur, j)
	cur.Negated = cur.Negated || neg
	for k := max(j+1, begin); k < len(toks); k++ {
		t := toks[k]
		switch {
		case t.Kind == Word && subordinate()[t.Low] && k > begin && !phrasal(toks, k):
			cur.To = k
			out = append(out, cur)
			cur = Clause{From: k, VerbAt: -1, Sub: true}
		case t.Kind == Word && (t.Low == "and" || t.Low == "then" || t.Low == "but") || t.Kind == Punct && (t.Text == "," || t.Text == "&" || t.Text == "+"):
			n := k + 1
			for n < len(toks) && toks[n].Kind == Word && (toks[n].Low == "and" || toks[n].Low == "also" || toks[n].Low == "then" || toks[n].Low == "now" || strings.HasSuffix(toks[n].Low, "ly")) {
				n++
			}
			next := Clause{From: k, VerbAt: -1}
			if n < len(toks) && setVerb(&next, n) && plausibleVerb(toks, k, n, cur) {
				cur.To = k
				out = append(out, cur)
				next.Sub = cur.Sub && !(t.Kind == Punct)
				cur = next
				k = n
			}
		}
	}
	cur.To = len(toks)
	return append(out, cur)
}

// phrasal: subordinators that are something else here: "as well", "so far", "that" after a determiner-like verb.
func phrasal(toks []Token, k int) bool {
	n := ""
	if k+1 < len(toks) {
		n = toks[k+1].Low
	}
	switch toks[k].Low {
	case "as":
		return n == "well" || n == "part" || n == "a" || n == "an"
	case "how", "why", "whether":
		return false
	}
	return false
}

// plausibleVerb guards against nouns in lists: "the add and remove buttons", "reads, writes and updates of".
// The conjunction stands at k, the verb at n.
func plausibleVerb(toks []Token, k, n int, cur Clause) bool {
	if n+1 >= len(toks) {
		return false
	}
	if cur.VerbAt < 0 {
		return false
	}
	if k >= 2 && toks[k].Kind == Word && VerbOf(toks[k-1].Low) != NoVerb && (toks[k-2].Low == "the" || toks[k-2].Low == "a" || toks[k-2].Low == "an") {
		return false
	}
	f := toks[n+1]
	if f.Kind == Punct && f.Text != "\"" && f.Text != "(" && f.Text != "'" && f.Text != "[" {
		return false
	}
	if f.Kind == Word && (f.Low == "of" || f.Low == "and" || f.Low == "or" || f.Low == "in" || f.Low == "is" || f.Low == "are") {
		return false
	}
	// Same mood as the first verb: "Add x and removes y" is rare, "the adds and removes" is not.
	a, b := toks[cur.VerbAt].Low, toks[n].Low
	return mood(a) == mood(b)
}

func mood(w string) byte {
	switch {
	case strings.HasSuffix(w, "ing"):
		return 'g'
	case strings.HasSuffix(w, "ed") || irregular[w] != "" && w != "set" && w != "put" && w != "read" && w != "split" && w != "let":
		return 'd'
	case strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss"):
		return 's'
	}
	return 'i'
}

// RestStart is the byte offset at which the subject's text begins behind its
// header: behind the type, the scopes, the prefix.
func (m *Message) RestStart() int { return m.restAt }

package report

import (
	"bufio"
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/muesli/termenv"

	"github.com/saysolint/sayso/change"
	"github.com/saysolint/sayso/checks"
	"github.com/saysolint/sayso/internal/engine"
)

// Rules of the text format, all kept in this file:
//   - coverage first, the counting sentence last, findings between in the order of the run;
//   - a finding begins with where it stands, as compilers do, so that editors can jump to it;
//   - what a person can look at is quoted: the line of the message, the lines of the diff;
//   - hostile text never begins a line, and passes Terminal or mark;
//   - colour only repeats what the words say.

const (
	minColumns      = 40 // below this, lines are left to the terminal to break
	maxEvidence     = 5  // pieces of evidence printed for one finding
	maxObservations = 3  // kinds of observations printed for one subject
	maxUnread       = 3  // files that could not be read, named for one subject
	maxExcerpt      = 400
)

type textRenderer struct {
	w        *bufio.Writer
	o        Options
	body     bytes.Buffer // findings, kept until the coverage of the run is known
	run      Run
	hidden   int // findings that only --verbose prints
	unsaid   int // observations likewise
	recalled int // entries likewise
}

func newText(w *bufio.Writer, o Options) *textRenderer {
	if o.Width < minColumns {
		o.Width = 0
	}
	return &textRenderer{w: w, o: o}
}

func (t *textRenderer) Start(r Run) error {
	t.run = r
	return nil
}

func (t *textRenderer) Result(r engine.Result) error {
	before := t.body.Len()
	head := t.style(Terminal(subject(r)), bold)
	if r.Subject != "" {
		title := mark(clip(r.Subject, maxExcerpt), nil, max(t.o.Width-width(Terminal(subject(r)))-2, 0), '^')
		head += "  " + title.text
	}
	t.body.WriteString("\n" + head + "\n")
	start := t.body.Len()
	if r.Base != "" && t.o.Verbose {
		t.line("", "compared with ", plain, shortHash(r.Base))
	}
	for _, n := range r.Notes {
		t.line("note: ", "", note, clip(n, 1000))
	}
	t.unread(r.Coverage.Missing)
	if r.Error != nil {
		t.line("could not be judged: ", "", bad, clip(r.Error.Message, 1000))
		if r.Error.Hint != "" {
			t.line("hint: ", "", note, clip(r.Error.Hint, 1000))
		}
	}
	if r.Abstained != "" && t.o.Verbose {
		t.line("not judged: ", "", plain, clip(r.Abstained, 200))
	}
	for _, f := range r.Claims {
		t.finding(f)
	}
	for _, h := range r.Decisions {
		t.held(h)
	}
	t.observations(r.Observations)
	if t.body.Len() == start && !t.o.Verbose {
		t.body.Truncate(before) // nothing to say of this one
	}
	return nil
}

// unread names the files of one subject that could not be read. Pictures and the
// like are everyday and only --verbose names them.
func (t *textRenderer) unread(gaps []change.Gap) {
	shown, left := 0, 0
	for _, g := range gaps {
		switch {
		case g.Path == "" && g.Detail == "", g.Reason == change.ReasonBinary && !t.o.Verbose:
		case shown == maxUnread && !t.o.Verbose:
			left++
		default:
			shown++
			text := string(g.Reason)
			if g.Detail != "" {
				text += ": " + clip(g.Detail, 300)
			}
			if g.Path != "" {
				text = clip(relPath(g.Path), 400) + " (" + text + ")"
			}
			t.line("not read: ", "", note, text)
		}
	}
	if left > 0 {
		t.line("not read: ", "", note, "and "+plural(left, "more file")+" (--verbose)")
	}
}

// observations prints a line for each kind of observation, the first few kinds
// only; with --verbose a line for each.
func (t *textRenderer) observations(all []checks.Observation) {
	groups := make([][]checks.Observation, 0, len(all))
	for _, o := range all {
		last := len(groups) - 1
		if t.o.Verbose || last < 0 || valid(groups[last][0].Kind) != valid(o.Kind) {
			groups = append(groups, []checks.Observation{o})
			continue
		}
		groups[last] = append(groups[last], o)
	}
	for i, g := range groups {
		if i == maxObservations && !t.o.Verbose {
			for _, g := range groups[i:] {
				t.unsaid += len(g)
			}
			return
		}
		t.observation(g)
	}
}

// observation prints observations of one kind as one line, at the place of the first.
func (t *textRenderer) observation(g []checks.Observation) {
	where := at(g[0].Path, g[0].Line)
	if strings.HasPrefix(strings.TrimSpace(where), "::") {
		where = "./" + where // a runner would read it as a command
	}
	if where != "" {
		where += ": "
	}
	more := ""
	if n := len(g) - 1; n > 0 {
		t.unsaid += n
		more = fmt.Sprintf("; %d more like it", n)
		if p := relPath(g[1].Path); p != "" && valid(p) != valid(relPath(g[0].Path)) {
			more += ", the next in " + clip(p, 200)
		}
	}
	t.line(Terminal(where)+"not mentioned: ", "", note, fmt.Sprintf("%s%s [%s]", clip(g[0].Text, 1000), more, clip(g[0].Check, 40)))
}

func (t *textRenderer) finding(f checks.Finding) {
	label := Terminal(fmt.Sprintf("%s: %s: ", place(f.Place), verdict(f)))
	reason := fmt.Sprintf("%s [%s]", clip(f.Reason, 1000), clip(f.Check, 40))
	switch classOf(f) {
	case classUnverifiable:
		if !t.o.Verbose {
			t.line(label, "", note, fmt.Sprintf("\"%s\": %s", clip(f.Text, 100), reason))
			return
		}
		t.line(label, "", note, reason)
	case classIgnored:
		t.line(label, "", note, fmt.Sprintf("%s; ignored: %s", reason, clip(f.Ignored, 300)))
	case classCorroborated, classNeutral:
		if !t.o.Verbose {
			t.hidden++
			return
		}
		t.line(label, "", plain, reason)
	case classLikely:
		t.line(label, "", warn, reason)
	default:
		t.line(label, "", bad, reason)
	}
	t.quote(gutter(f.Place.Line, "|"), gutter(0, "|"), mark(clip(excerpt(f), maxExcerpt), []span{claimSpan(f)}, t.room(), '^'), red)
	t.evidence(f)
	if f.Fix != "" {
		t.line("  fix: ", "", good, clip(f.Fix, 1000))
	}
}

// held prints an entry that the change was held against: what it contradicts and
// what may need review; the others, which are only worth a look, with --verbose.
func (t *textRenderer) held(h checks.Held) {
	contradicted := h.Verdict == checks.Contradicted
	if !contradicted && h.Touched == "" && !t.o.Verbose {
		t.recalled++
		return
	}
	where := heldPlace(h)
	if strings.HasPrefix(strings.TrimSpace(where), "::") {
		where = "./" + where // a runner would read it as a command
	}
	as := plain
	switch {
	case contradicted && h.Lifted:
		as = note
	case contradicted:
		as = bad
	}
	t.line(Terminal(where+": "+heldVerdict(h)+": "), "", as, fmt.Sprintf("%s [%s]", clip(h.Reason, 1000), DecisionCheck))
	t.line("  ", "", plain, heldName(h)+", "+clip(h.ID, 200))
	if h.Touched != "" {
		t.line("  touched: may need review: ", "", note, clip(h.Touched, 500))
	}
	for i, e := range h.Evidence {
		if e.Text == "" || i >= maxEvidence && !t.o.Verbose {
			continue
		}
		where := ""
		if e.Path != "" {
			where = at(e.Path, e.Line)
		}
		t.line("  evidence: ", "", plain, strings.TrimSpace(where))
		text := clip(e.Text, maxExcerpt)
		t.quote(gutter(e.Line, sign(e.Side)), gutter(0, " "), mark(text, found(text, quoted(e.Fact)), t.room(), '^'), yellow)
	}
	if h.Fix != "" && contradicted {
		t.line("  fix: ", "", good, clip(h.Fix, 1000))
	}
	if t.o.Verbose {
		t.line("  recalled: ", "", plain, clip(strings.Join(h.Why, "; "), 500))
	}
}

// evidence prints the facts of a finding with their lines of the diff. Those
// that speak for the claim of a contradiction, and against it of a
// corroboration, are left to --verbose.
func (t *textRenderer) evidence(f checks.Finding) {
	shown, left := 0, 0
	for i, e := range f.Evidence {
		if !t.o.Verbose && e.For && f.Verdict == checks.Contradicted {
			continue
		}
		if shown == maxEvidence && !t.o.Verbose {
			left++
			continue
		}
		shown++
		speaks := "evidence: "
		if f.Verdict == checks.Contradicted && e.For || f.Verdict == checks.Corroborated && !e.For {
			speaks = "but: "
		}
		if line := evidenceLine(f, e); line != "" {
			t.line("  "+speaks, "", plain, line)
		}
		if e.Text == "" {
			continue
		}
		text := clip(e.Text, maxExcerpt)
		t.quote(gutter(e.Line, sign(e.Side)), gutter(0, " "), mark(text, focus(f.Evidence, i, text), t.room(), '^'), yellow)
	}
	if left > 0 {
		t.line("  ", "", plain, fmt.Sprintf("and %s more of evidence (--verbose)", plural(left, "piece")))
	}
}

// version is a number of several parts, as a fact names it.
var version = lazily(`\bv?[0-9]+(?:\.[0-9]+)+(?:[-+.][0-9A-Za-z]+)*`)

// focus is what to underline in a line of the diff: the version that the fact
// names; else the words that changed, where the evidence beside it is the other side
// of the same line; else the first name that the fact quotes and the line has.
func focus(all []checks.Evidence, i int, text string) []span {
	e := all[i]
	if s := found(text, version().FindAllString(e.Fact, -1)); s != nil {
		return s
	}
	if j := i + 1; e.Side == "old" && j < len(all) && pair(e, all[j]) {
		gone, _ := wordDiff(text, clip(all[j].Text, maxExcerpt))
		return gone
	}
	if j := i - 1; e.Side == "new" && j >= 0 && pair(all[j], e) {
		_, come := wordDiff(clip(all[j].Text, maxExcerpt), text)
		return come
	}
	return found(text, quoted(e.Fact))
}

// found is where the first of the names that the text has stands in it.
func found(text string, names []string) []span {
	for _, name := range names {
		if at := strings.Index(text, name); at >= 0 {
			from := utf8.RuneCountInString(text[:at])
			return []span{{from, from + utf8.RuneCountInString(name)}}
		}
	}
	return nil
}

// quoted is what stands between quotation marks or backticks in a fact.
func quoted(fact string) []string {
	var out []string
	for {
		i := strings.IndexAny(fact, "\"`")
		if i < 0 {
			return out
		}
		n := strings.IndexByte(fact[i+1:], fact[i])
		if n < 0 {
			return out
		}
		if n > 0 {
			out = append(out, fact[i+1:i+1+n])
		}
		fact = fact[i+n+2:]
	}
}

func pair(old, new checks.Evidence) bool {
	return old.Side == "old" && new.Side == "new" && old.Path == new.Path && old.Text != "" && new.Text != ""
}

// sign is how a diff marks a side.
func sign(side string) string {
	switch side {
	case "new":
		return "+"
	case "old":
		return "-"
	}
	return "|"
}

// excerpt is the line that a claim stands in, or the claim where it has none.
func excerpt(f checks.Finding) string {
	if f.Place.Excerpt != "" {
		return f.Place.Excerpt
	}
	return f.Text
}

func claimSpan(f checks.Finding) span {
	if f.Place.Excerpt == "" {
		return span{0, utf8.RuneCountInString(f.Text)}
	}
	from := max(f.Place.Column, 1) - 1
	return span{from, from + min(max(f.Place.Length, 1), maxExcerpt)}
}

func (t *textRenderer) End(h Head) error {
	t.w.WriteString(t.style("coverage", bold) + ": ")
	state := plain
	if h.Coverage.State == "partial" {
		state = warn
	}
	line := coverageLine(h)
	rest := wrap("coverage: "+Terminal(line), t.o.Width, 2)
	rest[0] = strings.TrimPrefix(rest[0], "coverage: ")
	if after, ok := strings.CutPrefix(rest[0], h.Coverage.State); ok {
		rest[0] = t.style(h.Coverage.State, state) + after
	}
	t.w.WriteString(strings.Join(rest, "\n") + "\n")
	for _, d := range coverageDetails(h.Coverage) {
		t.w.WriteString(strings.Join(wrap("  - "+Terminal(d), t.o.Width, 4), "\n") + "\n")
	}
	if h.ConfigFrom != "" {
		t.w.WriteString(strings.Join(wrap("  configuration: "+Terminal(clip(h.ConfigFrom, 200)), t.o.Width, 4), "\n") + "\n")
	}
	for _, n := range h.Notes {
		t.w.WriteString(strings.Join(wrap("  note: "+Terminal(clip(n, 1000)), t.o.Width, 4), "\n") + "\n")
	}
	t.w.Write(t.body.Bytes())
	if t.body.Len() > 0 {
		t.w.WriteString("\n")
	}
	closing := closingLine(h)
	var more []string
	if t.hidden > 0 {
		more = append(more, plural(t.hidden, "more claim"))
	}
	if t.unsaid > 0 {
		more = append(more, plural(t.unsaid, "more observation"))
	}
	if t.recalled > 0 {
		more = append(more, fmt.Sprintf("%d more recalled %s", t.recalled, plainPlural(t.recalled, "entry", "entries")))
	}
	if len(more) > 0 {
		closing += fmt.Sprintf(" (--verbose shows %s)", list(more))
	}
	t.w.WriteString(strings.Join(wrap(closing, t.o.Width, 2), "\n") + "\n")
	if g := gateLine(h); g != "" {
		t.w.WriteString(t.style(g, bad) + "\n")
	}
	return nil
}

// room is how wide a quoted line may be beside its gutter.
func (t *textRenderer) room() int {
	if t.o.Width == 0 {
		return 0
	}
	return t.o.Width - width(gutter(1, "|"))
}

// line prints a label in its style and raw text after it, wrapped.
func (t *textRenderer) line(label, prefix string, s style, raw string) {
	indent := 2 + len(label) - len(strings.TrimLeft(label, " "))
	lines := wrap(label+prefix+Terminal(raw), t.o.Width, indent)
	if after, ok := strings.CutPrefix(lines[0], label); ok {
		lines[0] = t.style(label, s) + after
	}
	t.body.WriteString(strings.Join(lines, "\n") + "\n")
}

// quote prints a marked line in its gutter and the carets below it.
func (t *textRenderer) quote(margin, under string, m marked, s style) {
	t.body.WriteString(strings.TrimRight(t.style(margin, faint)+m.text, " ") + "\n")
	if m.under != "" {
		blank := len(m.under) - len(strings.TrimLeft(m.under, " "))
		t.body.WriteString(t.style(under, faint) + m.under[:blank] + t.style(m.under[blank:], s) + "\n")
	}
}

// style is what a piece of text means; colours are of the sixteen that every
// terminal has and its owner has chosen.
type style int

const (
	plain style = iota
	bold
	faint
	bad
	warn
	note
	good
	red
	yellow
)

func (t *textRenderer) style(s string, as style) string {
	if !t.o.Colour || as == plain || s == "" {
		return s
	}
	x := termenv.ANSI.String(s)
	switch as {
	case bold:
		x = x.Bold()
	case faint:
		x = x.Faint()
	case bad:
		x = x.Bold().Foreground(termenv.ANSIRed)
	case warn:
		x = x.Bold().Foreground(termenv.ANSIYellow)
	case note:
		x = x.Foreground(termenv.ANSICyan)
	case good:
		x = x.Foreground(termenv.ANSIGreen)
	case red:
		x = x.Foreground(termenv.ANSIRed)
	case yellow:
		x = x.Foreground(termenv.ANSIYellow)
	}
	return x.String()
}

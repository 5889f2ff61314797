package report

import (
	"bufio"
	"fmt"
	"slices"
	"strings"

	"github.com/saysolint/sayso/checks"
	"github.com/saysolint/sayso/internal/engine"
)

// markdownRenderer writes GitHub-flavoured Markdown for a pull request, a job
// summary or a file: coverage, the counts, a table of what is contradicted, the lines
// behind each row folded, the rest folded. Worst first, so that a budget cuts
// the least.
type markdownRenderer struct {
	w        *bufio.Writer
	opts     Options
	advisory []string
	rows     [severityNote + 1][]mdRow
	failed   []string // finished list items, as all below
	notes    []string
	open     []string // unverifiable
	ignored  []string
	unsaid   []string // observations
	rest     []string // corroborated and neutral
	touched  []string // entries that may need review
	recalled []string // entries that are only worth a look
	hidden   int
}

// mdRow is one contradiction: its table row and the block of lines behind it.
type mdRow struct{ row, block string }

func (m *markdownRenderer) Start(r Run) error {
	m.advisory = r.Advisory
	return nil
}

func (m *markdownRenderer) Result(r engine.Result) error {
	if r.Error != nil {
		s := "**could not be judged:** " + Markdown(subject(r)) + ": " + Markdown(sentence(clip(r.Error.Message, 1000)))
		if r.Error.Hint != "" {
			s += " " + Markdown(sentence(clip(r.Error.Hint, 500)))
		}
		m.failed = append(m.failed, s)
	}
	for _, n := range r.Notes {
		m.notes = append(m.notes, Markdown(subject(r))+": "+Markdown(sentence(clip(n, 1000))))
	}
	for _, f := range r.Claims {
		m.finding(r, f)
	}
	for _, h := range r.Decisions {
		m.held(r, h)
	}
	for _, o := range r.Observations {
		m.unsaid = append(m.unsaid, fmt.Sprintf("%s: %s%s", Markdown(subject(r)), Markdown(sentence(clip(o.Text, 1000))), mdWhere(" ", at(o.Path, o.Line))))
	}
	return nil
}

func (m *markdownRenderer) finding(r engine.Result, f checks.Finding) {
	short := fmt.Sprintf("“%s” (%s of %s): %s", Markdown(clip(f.Text, 200)), Markdown(place(f.Place)), Markdown(subject(r)), Markdown(sentence(clip(f.Reason, 600))))
	switch classOf(f) {
	case classUnverifiable:
		m.open = append(m.open, short)
	case classIgnored:
		m.ignored = append(m.ignored, short+" Ignored: "+Markdown(sentence(clip(f.Ignored, 300))))
	case classCorroborated, classNeutral:
		if !m.opts.Verbose {
			m.hidden++
			return
		}
		m.rest = append(m.rest, "**"+Markdown(string(f.Verdict))+":** "+short)
	default:
		m.rows[severityOf(f, m.advisory)] = append(m.rows[severityOf(f, m.advisory)], mdRow{mdTableRow(r, f), mdBlock(r, f)})
	}
}

// held is an entry that the change was held against: a row where it is
// contradicted, an item where it may need review or is only worth a look.
func (m *markdownRenderer) held(r engine.Result, h checks.Held) {
	name := fmt.Sprintf("%s%s", Markdown(heldName(h)), mdWhere(" ", heldPlace(h)))
	short := fmt.Sprintf("%s, %s: %s", name, Markdown(subject(r)), Markdown(sentence(clip(h.Reason, 600))))
	switch {
	case h.Verdict == checks.Contradicted && h.Lifted:
		m.ignored = append(m.ignored, short+" Excepted: "+Markdown(sentence(clip(h.Excepted, 300))))
	case h.Verdict == checks.Contradicted:
		why := Markdown(sentence(clip(h.Reason, 600)))
		if h.Fix != "" {
			why += " **Fix:** " + Markdown(sentence(clip(h.Fix, 400)))
		}
		path, line := r.FirstFile, 0
		if len(h.Evidence) > 0 && h.Evidence[0].Path != "" {
			path, line = h.Evidence[0].Path, h.Evidence[0].Line
		}
		s := severityError
		if slices.Contains(m.advisory, DecisionCheck) {
			s = severityWarning
		}
		m.rows[s] = append(m.rows[s], mdRow{row: fmt.Sprintf("| **%s** by %s | %s<br>%s | %s | %s |\n",
			Markdown(heldVerdict(h)), DecisionCheck, name, Markdown(subject(r)), why, mdWhere("", at(path, line)))})
	case h.Touched != "":
		m.touched = append(m.touched, fmt.Sprintf("%s, %s: %s", name, Markdown(subject(r)), Markdown(sentence(clip(h.Touched, 600)))))
	case m.opts.Verbose:
		m.recalled = append(m.recalled, "**"+Markdown(string(h.Verdict))+":** "+short)
	}
}

func mdTableRow(r engine.Result, f checks.Finding) string {
	why := Markdown(sentence(clip(f.Reason, 600)))
	if f.Fix != "" {
		why += " **Fix:** " + Markdown(sentence(clip(f.Fix, 400)))
	}
	path, line := anchor(f)
	if path == "" {
		path = r.FirstFile
	}
	return fmt.Sprintf("| **%s** by %s | “%s”<br>%s of %s | %s | %s |\n",
		Markdown(verdict(f)), Markdown(clip(f.Check, 40)), Markdown(clip(f.Text, 200)), Markdown(place(f.Place)), Markdown(subject(r)), why, mdWhere("", at(path, line)))
}

// mdBlock is the line of the message with the claim underlined and the lines of
// the diff, fenced.
func mdBlock(r engine.Result, f checks.Finding) string {
	var lines []string
	quote := func(margin, under string, k marked) {
		lines = append(lines, strings.TrimRight(margin+breakAutolinks(k.text), " "))
		if k.under != "" {
			lines = append(lines, under+k.under)
		}
	}
	quote(gutter(f.Place.Line, "|"), gutter(0, "|"), mark(clip(excerpt(f), maxExcerpt), []span{claimSpan(f)}, 0, '^'))
	shown := 0
	for i, e := range f.Evidence {
		if e.For || shown == maxEvidence {
			continue
		}
		shown++
		if line := evidenceLine(f, e); line != "" {
			lines = append(lines, "evidence: "+markdownCode(line))
		}
		if e.Text != "" {
			text := clip(e.Text, maxExcerpt)
			quote(gutter(e.Line, sign(e.Side)), gutter(0, " "), mark(text, focus(f.Evidence, i, text), 0, '^'))
		}
	}
	bar := fence(lines)
	return fmt.Sprintf("**%s** in %s\n\n%stext\n%s\n%s\n\n", Markdown(verdict(f)), Markdown(subject(r)), bar, strings.Join(lines, "\n"), bar)
}

// mdWhere is a path with its line, set as code. Not in backticks: those have no
// escape inside a table.
func mdWhere(lead, where string) string {
	if where == "" {
		return ""
	}
	return lead + "<code>" + Markdown(clip(where, 400)) + "</code>"
}

func (m *markdownRenderer) End(h Head) error {
	var head, foot strings.Builder
	fmt.Fprintf(&head, "**Coverage:** %s\n\n", Markdown(sentence(coverageLine(h))))
	fmt.Fprintf(&head, "**%s:** %s\n\n", Markdown(toolName(h)), Markdown(sentence(verdictCounts(h.Summary))))
	if g := gateLine(h); g != "" {
		fmt.Fprintf(&head, "**Gate:** %s\n\n", Markdown(sentence(g)))
	}
	fmt.Fprintf(&foot, "<sub>%s %s", Markdown(toolName(h)), Markdown(clip(h.Tool.Version, 60)))
	if h.ConfigFrom != "" {
		fmt.Fprintf(&foot, " · configuration: %s", Markdown(clip(h.ConfigFrom, 200)))
	}
	if m.hidden > 0 {
		fmt.Fprintf(&foot, " · %d corroborated or neutral not listed", m.hidden)
	}
	foot.WriteString("</sub>\n")

	b := budget{left: -1}
	if m.opts.Budget > 0 {
		b.left = max(m.opts.Budget-head.Len()-foot.Len()-len(mdCut(1<<30)), 0)
	}
	m.w.WriteString(head.String())
	rows := m.table(&b)
	m.blocks(&b, rows)
	m.list(&b, "could not be judged", m.failed, true)
	details := make([]string, 0, len(h.Notes)+4)
	for _, d := range coverageDetails(h.Coverage) {
		details = append(details, Markdown(sentence(d)))
	}
	m.list(&b, "not covered", details, true)
	for _, n := range h.Notes {
		m.notes = append(m.notes, Markdown(sentence(clip(n, 1000))))
	}
	m.list(&b, "notes", m.notes, true)
	m.list(&b, "entries that may need review", m.touched, true)
	m.list(&b, "unverifiable", m.open, false)
	m.list(&b, "not mentioned", m.unsaid, false)
	m.list(&b, "ignored", m.ignored, false)
	m.list(&b, "corroborated and neutral", m.rest, false)
	m.list(&b, "recalled entries", m.recalled, false)
	if b.cut > 0 {
		m.w.WriteString(mdCut(b.cut))
	}
	_, err := m.w.WriteString(foot.String())
	return err
}

// table writes the rows that fit and returns them.
func (m *markdownRenderer) table(b *budget) []mdRow {
	const titles = "| verdict | claim | why | where |\n| --- | --- | --- | --- |\n"
	var all, fit []mdRow
	for _, list := range m.rows {
		all = append(all, list...)
	}
	if len(all) == 0 {
		return nil
	}
	if !b.take(titles+"\n", len(all)) {
		return nil
	}
	m.w.WriteString(titles)
	for _, r := range all {
		if b.take(r.row, 1) {
			m.w.WriteString(r.row)
			fit = append(fit, r)
		}
	}
	m.w.WriteString("\n")
	return fit
}

// blocks writes the lines behind the rows, folded. Blocks that do not fit are
// not counted as cut: their rows are there.
func (m *markdownRenderer) blocks(b *budget, rows []mdRow) {
	rows = slices.DeleteFunc(slices.Clone(rows), func(r mdRow) bool { return r.block == "" })
	open, end := mdFold("the lines behind " + plural(len(rows), "contradiction"))
	if len(rows) == 0 || !b.take(open+end+rows[0].block, 0) {
		return
	}
	m.w.WriteString(open)
	for i, r := range rows {
		if i == 0 || b.take(r.block, 0) {
			m.w.WriteString(r.block)
		}
	}
	m.w.WriteString(end)
}

// list writes a titled list, folded unless it is short and pressing.
func (m *markdownRenderer) list(b *budget, title string, entries []string, pressing bool) {
	if len(entries) == 0 {
		return
	}
	open, end := mdFold(fmt.Sprintf("%s (%d)", title, len(entries)))
	if pressing && len(entries) <= 5 {
		open, end = "", "\n"
	}
	if !b.take(open+end, len(entries)) {
		return
	}
	m.w.WriteString(open)
	for _, e := range entries {
		// "Entry" text follows a word of ours, so that it cannot begin a block.
		if line := "- " + itemWord(title) + e + "\n"; b.take(line, 1) {
			m.w.WriteString(line)
		}
	}
	m.w.WriteString(end)
}

// itemWord is the word that a list item begins with.
func itemWord(title string) string {
	switch title {
	case "not covered":
		return "not covered: "
	case "notes":
		return "note: "
	case "unverifiable":
		return "unverifiable: "
	case "not mentioned":
		return "not mentioned: "
	case "ignored":
		return "ignored: "
	case "entries that may need review":
		return "touched: "
	}
	return ""
}

func mdFold(title string) (open, end string) {
	return "<details><summary>" + title + "</summary>\n\n", "\n</details>\n\n"
}

func mdCut(n int) string {
	return fmt.Sprintf("**Cut:** %d not listed for want of room; the json format has all.\n\n", n)
}

func toolName(h Head) string {
	if h.Tool.Name == "" {
		return "sayso"
	}
	return clip(h.Tool.Name, 60)
}

// budget counts down the bytes that may be written; left < 0 is no limit.
type budget struct{ left, cut int }

// take says whether s fits, and counts n entries as cut where it does not.
func (b *budget) take(s string, n int) bool {
	switch {
	case b.left < 0:
	case len(s) <= b.left:
		b.left -= len(s)
	default:
		b.cut += n
		return false
	}
	return true
}

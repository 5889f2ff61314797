package action

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/saysolint/sayso/report"
)

// Budgets of texts, in bytes: a character has at least one, so that GitHub's limits
// of 65,536 and 65,535 characters hold in either count.
const (
	commentBudget = 60000
	summaryBudget = 1000000 // of 1 MiB for a step
	checkBudget   = 60000
)

// stateMark begins the line of a comment that a later run reads.
const stateMark = "<!-- sayso:state v1 "

// Caps of what a comment remembers.
const (
	maxTrail  = 20
	maxOpen   = 100
	maxLifted = 100
	maxState  = 40000 // bytes of the line
)

// commentState is what a comment says to later runs.
type commentState struct {
	Head    string      `json:"head"`
	Run     int64       `json:"run,omitempty"`
	Attempt int         `json:"attempt,omitempty"`
	Open    []openClaim `json:"open,omitempty"`
	Trail   []openClaim `json:"trail,omitempty"` // mended ones, newest last
	Lifted  []Dismissal `json:"lifted,omitempty"`
	Learned []Proposal  `json:"learned,omitempty"`
}

// openClaim is a contradiction that was shown.
type openClaim struct {
	ID     string `json:"id"`
	Claim  string `json:"claim"`
	From   string `json:"from"`             // head that it was first shown at
	Mended string `json:"mended,omitempty"` // head that it was gone at
}

// parseState reads the state of a comment, whose author is to be known to be us.
func parseState(body string) (commentState, bool) {
	var s commentState
	rest, ok := strings.CutPrefix(body, stateMark)
	if !ok {
		return s, false
	}
	coded, _, ok := strings.Cut(rest, " -->")
	if !ok || len(coded) > maxState {
		return s, false
	}
	raw, err := base64.RawURLEncoding.DecodeString(coded)
	if err != nil || json.Unmarshal(raw, &s) != nil {
		return commentState{}, false
	}
	return s, true
}

// line is the state as the first line of a comment. What does not fit is
// forgotten, the oldest of the trail first; what people decided is kept longest.
func (s commentState) line() string {
	for {
		raw, err := json.Marshal(s)
		if err != nil {
			panic(err) // strings and numbers only
		}
		line := stateMark + base64.RawURLEncoding.EncodeToString(raw) + " -->\n"
		switch {
		case len(line) <= maxState:
			return line
		case len(s.Trail) > 0:
			s.Trail = s.Trail[1:]
		case len(s.Open) > 0:
			s.Open = s.Open[:len(s.Open)-1]
		case len(s.Learned) > 0:
			s.Learned = s.Learned[:len(s.Learned)-1]
		default:
			s.Lifted = s.Lifted[:len(s.Lifted)-1]
		}
	}
}

// after is the state of a comment that shows p where prev was shown before. Done
// twice it is the same as done once.
func after(prev commentState, p Publication) commentState {
	s := commentState{Head: p.Target.Head, Run: p.Target.Run, Attempt: p.Target.Attempt, Trail: slices.Clone(prev.Trail)}
	known := map[string]openClaim{}
	for _, o := range prev.Open {
		known[o.ID] = o
	}
	now := map[string]bool{}
	for _, m := range report.Remarks(p.Report) {
		if m.Claim == "" || !attention(m) || now[m.Fingerprint] || len(s.Open) == maxOpen {
			continue
		}
		now[m.Fingerprint] = true
		o, ok := known[m.Fingerprint]
		if !ok {
			o = openClaim{ID: clip(m.Fingerprint, 40), Claim: plain(m.Claim, 120), From: p.Target.Head}
		}
		s.Open = append(s.Open, o)
	}
	// What was lifted is not mended.
	quiet := map[string]bool{}
	for _, m := range report.Remarks(p.Report) {
		if m.Ignored != "" {
			quiet[m.Fingerprint] = true
		}
	}
	for _, o := range prev.Open {
		switch {
		case now[o.ID] || quiet[o.ID]:
		case p.Report.Summary.Failed > 0:
			s.Open = append(s.Open, o) // what could not be read is not mended
		default:
			o.Mended = p.Target.Head
			s.Trail = append(s.Trail, o)
		}
	}
	s.Trail = slices.DeleteFunc(s.Trail, func(o openClaim) bool { return now[o.ID] })
	if extra := len(s.Trail) - maxTrail; extra > 0 {
		s.Trail = s.Trail[extra:]
	}
	s.Lifted = merge(prev.Lifted, p.Lifted, func(d Dismissal) string { return d.Claim })
	if extra := len(s.Lifted) - maxLifted; extra > 0 {
		s.Lifted = s.Lifted[extra:]
	}
	s.Learned = merge(prev.Learned, p.Learned, func(l Proposal) string { return l.ID })
	return s
}

// merge is old with what is new in the place of what has the same key.
func merge[T any](old, fresh []T, key func(T) string) []T {
	at := map[string]int{}
	var out []T
	for _, list := range [][]T{old, fresh} {
		for _, v := range list {
			if i, ok := at[key(v)]; ok {
				out[i] = v
				continue
			}
			at[key(v)] = len(out)
			out = append(out, v)
		}
	}
	return out
}

// attention says that a remark is why a comment is written.
func attention(m report.Remark) bool { return m.Level != "notice" }

// mended titles the retraction trail.
const mended = "Mended"

// section is a titled list of a body; each item is finished Markdown of one line.
type section struct {
	title string // "" for none
	items []string
	fold  bool
}

// body is the text of a comment or summary: the verdict line, what needs
// attention, folded details, coverage, footer. It is cut between items. One that
// collapses where nothing needs attention is the verdict line and what was mended.
func body(p Publication, s commentState, budget int, collapse bool) (text string, cut int, quiet bool) {
	sections, quiet := sections(p, s)
	var head, foot strings.Builder
	head.WriteString(verdictLine(p, s, quiet))
	if quiet && collapse {
		sections = slices.DeleteFunc(sections, func(sec section) bool { return sec.title != mended })
	}
	foot.WriteString(footer(p))
	const word = "**Cut:** %d of the list are left out for want of room.%s\n\n"
	full := ""
	if p.FullAt != "" && webAddress(p.FullAt) {
		full = " The whole report is [here](" + p.FullAt + ")."
	}
	left := budget - head.Len() - foot.Len() - len(word) - len(full) - 10
	var out bytes.Buffer
	for _, sec := range sections {
		open, end := "", "\n"
		switch {
		case sec.fold:
			open, end = fmt.Sprintf("<details><summary>%s (%d)</summary>\n\n", sec.title, len(sec.items)), "\n</details>\n\n"
		case sec.title != "":
			open = "**" + sec.title + "**\n\n"
		}
		var part strings.Builder
		fit := 0
		for _, it := range sec.items {
			if len(open)+len(end)+part.Len()+len(it)+3 > left {
				break
			}
			part.WriteString("- " + it + "\n")
			fit++
		}
		cut += len(sec.items) - fit
		if fit > 0 {
			out.WriteString(open + part.String() + end)
			left -= len(open) + len(end) + part.Len()
		}
	}
	if cut > 0 {
		fmt.Fprintf(&out, word, cut, full)
	}
	return head.String() + out.String() + foot.String(), cut, quiet
}

// verdictLine is the one line at which a reader can stop.
func verdictLine(p Publication, s commentState, quiet bool) string {
	if quiet {
		line := "**sayso:** nothing needs attention at " + short(p.Target.Head) + "."
		if n := len(s.Trail); n > 0 {
			line += fmt.Sprintf(" %s since.", count(n, "contradiction was mended", "contradictions were mended"))
		}
		return line + "\n\n"
	}
	var parts []string
	sum := p.Report.Summary
	add := func(n int, one, many string) {
		if n > 0 {
			parts = append(parts, count(n, one, many))
		}
	}
	add(sum.Strong+sum.Likely, "claim is contradicted by the diff", "claims are contradicted by the diff")
	add(sum.Decisions, "recorded decision is broken", "recorded decisions are broken")
	add(sum.Failed, "subject could not be judged", "subjects could not be judged")
	proposed := 0
	for _, l := range s.Learned {
		if l.State == "proposed" {
			proposed++
		}
	}
	add(proposed, "learning is proposed", "learnings are proposed")
	if len(parts) == 0 {
		parts = append(parts, "something needs a look")
	}
	return "**sayso:** " + strings.Join(parts, ", ") + ".\n\n"
}

func sections(p Publication, s commentState) (out []section, quiet bool) {
	quiet = true
	var pressing, open, lifted, unsaid []string
	for _, m := range report.Remarks(p.Report) {
		item := remark(p.Target, m)
		switch {
		case attention(m):
			pressing, quiet = append(pressing, item), false
		case m.Ignored != "":
			lifted = append(lifted, item+" Lifted: "+md(m.Ignored, 300))
		case m.Claim == "":
			unsaid = append(unsaid, item)
		default:
			open = append(open, item)
		}
	}
	out = append(out, section{items: pressing})
	for _, sec := range p.Sections {
		if sec.Pressing && len(sec.Lines) > 0 {
			quiet = false
			out = append(out, section{title: md(sec.Title, 100), items: lines(sec.Lines)})
		}
	}
	var learned, decided []string
	for _, l := range s.Learned {
		item := fmt.Sprintf("<code>%s</code> %s: %s", md(l.ID, 80), md(l.Kind, 40), md(l.Title, 200))
		if l.Body != "" {
			item += ". " + md(strings.Join(strings.Fields(l.Body), " "), 600)
		}
		if l.State == "proposed" {
			learned = append(learned, item)
			continue
		}
		decided = append(decided, md(l.State, 20)+" by "+md(l.By, 60)+": "+item)
	}
	if len(learned) > 0 {
		quiet = false
		out = append(out, section{title: "Learnings proposed: answer <code>/sayso accept ID</code> or <code>/sayso reject ID reason</code>", items: learned})
	}
	var trail []string
	for _, o := range s.Trail {
		trail = append(trail, fmt.Sprintf("mended: “%s” (contradicted at %s, not any more at %s)", md(o.Claim, 120), short(o.From), short(o.Mended)))
	}
	out = append(out, section{title: mended, items: trail, fold: true},
		section{title: "Learnings decided", items: decided, fold: true},
		section{title: "Unverifiable", items: open, fold: true},
		section{title: "Not mentioned", items: unsaid, fold: true},
		section{title: "Lifted", items: lifted, fold: true})
	for _, sec := range p.Sections {
		if !sec.Pressing && len(sec.Lines) > 0 {
			out = append(out, section{title: md(sec.Title, 100), items: lines(sec.Lines), fold: true})
		}
	}
	coverage := []string{"coverage: " + md(report.CoverageLine(p.Report.Head), 600)}
	for _, d := range report.CoverageDetails(p.Report.Head) {
		coverage = append(coverage, "not covered: "+md(d, 400))
	}
	for _, n := range p.Report.Notes {
		coverage = append(coverage, "note: "+md(n, 600))
	}
	return append(out, section{title: "Coverage", items: coverage, fold: len(coverage) > 3}), quiet
}

// remark is one finding in one line, with a link to the line that bears on it.
func remark(t Target, m report.Remark) string {
	var b strings.Builder
	b.WriteString("**" + md(m.Verdict, 60) + "**")
	if m.Claim != "" {
		fmt.Fprintf(&b, " by %s: “%s” (%s of %s)", md(m.Check, 40), md(m.Claim, 200), md(m.Place, 60), md(m.Subject, 120))
	}
	b.WriteString(": " + md(m.Reason, 600))
	if m.Path != "" {
		sha := t.Head
		if m.Old {
			sha = t.Base
		}
		b.WriteString(" " + lineLink(t, sha, m.Path, m.Line))
	}
	if m.Fix != "" {
		b.WriteString(" **Fix:** " + md(m.Fix, 400))
	}
	if m.Claim != "" && m.Fingerprint != "" && attention(m) {
		b.WriteString(" <sub>" + md(m.Fingerprint, 40) + "</sub>")
	}
	return b.String()
}

func lines(raw []string) []string {
	out := make([]string, len(raw))
	for i, l := range raw {
		out[i] = "note: " + md(l, 600)
	}
	return out
}

// footer says what was judged, against what, and with what.
func footer(p Publication) string {
	s := "<sub>head " + short(p.Target.Head) + " · base " + short(p.Target.Base)
	if p.Memory != "" {
		s += " · memory " + short(p.Memory)
	}
	if p.Report.Tool.Version != "" {
		s += " · sayso " + md(p.Report.Tool.Version, 60)
	}
	return s + "</sub>\n"
}

// webAddress says that an address may stand in a link as it is.
func webAddress(s string) bool {
	if !strings.HasPrefix(s, "https://") && !strings.HasPrefix(s, "http://") || len(s) > 500 {
		return false
	}
	return !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune("()<>[]\\\"'`|", r) })
}

func short(sha string) string { return "<code>" + md(sha[:min(len(sha), 7)], 7) + "</code>" }

func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return itoa(n) + " " + many
}

func itoa(n int) string { return strconv.Itoa(n) }

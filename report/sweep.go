package report

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/muesli/termenv"

	"github.com/saysolint/sayso/sweep"
)

// SweepFormats are the formats of [WriteSweep].
var SweepFormats = []string{"text", "json", "markdown", "sarif"}

// Sweep is a sweep with what was done about it.
type Sweep struct {
	sweep.Result
	Tool    Tool            `json:"tool"`              // what swept
	Applied []sweep.Applied `json:"applied,omitempty"` // entries that --apply wrote, by id; left out without --apply
	DryRun  bool            `json:"dryRun,omitempty"`  // they were not written, only named
}

// WriteSweep writes a sweep: its coverage first, then what was found, worst first,
// then what was applied.
func WriteSweep(w io.Writer, format string, s Sweep, o Options) error {
	var out string
	switch format {
	case "json":
		b, err := encodeIndent(s)
		if err != nil {
			return err
		}
		out = string(b) + "\n"
	case "sarif":
		b, err := encodeIndent(sweepSARIF(s))
		if err != nil {
			return err
		}
		out = string(b) + "\n"
	case "markdown":
		out = sweepMarkdown(s, o)
	case "text":
		out = sweepText(s, o)
	default:
		return fmt.Errorf("unknown format %q: one of %s", format, strings.Join(SweepFormats, ", "))
	}
	_, err := io.WriteString(w, out)
	return err
}

// sweepCoverage is the first line of every sweep.
func sweepCoverage(s Sweep) string {
	c := s.Coverage
	return fmt.Sprintf("coverage: %s · %d of %d entries held against %s · %d findings, %d notes",
		c.State, c.Swept, c.Total, s.Revision[:min(len(s.Revision), 12)], s.FindingCount(), len(s.Findings)-s.FindingCount())
}

// sweepDetails says what was left out and why.
func sweepDetails(s Sweep) []string {
	var out []string
	for _, why := range slices.Sorted(maps.Keys(s.Coverage.Left)) {
		out = append(out, fmt.Sprintf("%d not swept: %s", s.Coverage.Left[why], why))
	}
	if c := s.Coverage.Cursor; c != "" {
		out = append(out, "the rest: --resume, or --after "+c)
	}
	t := s.Anchors
	out = append(out, fmt.Sprintf("references: %d, of these %d intact, %d moved, %d drifted, %d lost, %d unread", t.Total, t.Intact, t.Moved, t.Drifted, t.Lost, t.Unread))
	return out
}

// checkLine is one check with its denominators.
func checkLine(c sweep.Check) string {
	line := fmt.Sprintf("%-10s %-8s %d of %d %s looked at, %d findings, %d notes", c.ID, c.Outcome, c.Looked, c.Of, c.Unit, c.Findings, c.Notes)
	if len(c.Reasons) > 0 {
		line += ": " + strings.Join(c.Reasons, "; ")
	}
	return line
}

func sweepText(s Sweep, o Options) string {
	var b strings.Builder
	profile := termenv.Ascii
	if o.Colour {
		profile = termenv.ANSI
	}
	colour := func(text string, c termenv.ANSIColor) string { return profile.String(text).Foreground(c).String() }
	say := func(indent int, text string) { fmt.Fprintf(&b, "%s%s\n", strings.Repeat(" ", indent), Terminal(text)) }
	say(0, sweepCoverage(s))
	for _, d := range sweepDetails(s) {
		say(2, d)
	}
	for _, c := range s.Checks {
		if o.Verbose || c.Outcome != "clean" {
			say(2, checkLine(c))
		}
	}
	last := ""
	hidden := 0
	for _, f := range s.Findings {
		if f.Level == sweep.LevelNote && !o.Verbose && f.Action == "" {
			hidden++
			continue
		}
		if f.RelPath != last {
			fmt.Fprintf(&b, "\n%s  %s\n", Terminal(f.RelPath), Terminal(clip(f.Title, 120)))
			last = f.RelPath
		}
		mark := colour("✗", termenv.ANSIRed)
		if f.Level == sweep.LevelNote {
			mark = colour("·", termenv.ANSIBlue)
		}
		fmt.Fprintf(&b, "  %s %s [%s]\n", mark, Terminal(f.Text), Terminal(f.Check))
		for _, p := range f.Places {
			if p.Text != "" {
				say(6, fmt.Sprintf("%s:%d: %s", p.Path, p.Line, p.Text))
			}
		}
		if f.Anchor != nil && len(f.Anchor.Words) > 0 && (o.Verbose || f.Level == sweep.LevelFinding) {
			for _, l := range wordLines(f.Anchor.Words, func(s string) string { return colour(Terminal(s), termenv.ANSIRed) }, func(s string) string { return colour(Terminal(s), termenv.ANSIGreen) }, Terminal) {
				fmt.Fprintf(&b, "      | %s\n", l)
			}
		}
		if f.Advice != "" {
			say(6, "way out: "+f.Advice)
		}
	}
	if hidden > 0 {
		fmt.Fprintf(&b, "\n%d notes are not shown: --verbose\n", hidden)
	}
	if len(s.Applied) > 0 {
		if s.DryRun {
			b.WriteString("\nwould be written:\n")
		} else {
			b.WriteString("\nwritten:\n")
		}
		for _, a := range s.Applied {
			say(2, fmt.Sprintf("%s: %s: %s", a.RelPath, a.Action, a.Reason))
		}
		b.WriteString("\n")
		for _, a := range s.Applied {
			for l := range strings.SplitSeq(strings.TrimSuffix(a.Diff, "\n"), "\n") {
				if a.Diff != "" {
					say(0, l)
				}
			}
		}
	}
	return b.String()
}

// wordLines shows a word difference as lines: what went in [-…-], what came in {+…+}.
func wordLines(words []sweep.Span, gone, come, plain func(string) string) []string {
	var b strings.Builder
	for _, w := range words {
		open, end, paint := "", "", plain
		switch w.Op {
		case "gone":
			open, end, paint = "[-", "-]", gone
		case "come":
			open, end, paint = "{+", "+}", come
		}
		for i, part := range strings.Split(w.Text, "\n") {
			if i > 0 {
				b.WriteByte('\n')
			}
			part = strings.ReplaceAll(part, "\t", "    ")
			if part != "" {
				b.WriteString(open + paint(part) + end)
			}
		}
	}
	lines := strings.Split(strings.Trim(b.String(), "\n"), "\n")
	if len(lines) > 20 {
		lines = append(lines[:20], "…")
	}
	return lines
}

func sweepMarkdown(s Sweep, o Options) string {
	var b strings.Builder
	fmt.Fprintf(&b, "**Sweep of the memory** %s\n\n", Markdown(sweepCoverage(s)))
	for _, d := range sweepDetails(s) {
		fmt.Fprintf(&b, "- %s\n", Markdown(d))
	}
	b.WriteString("\n| check | outcome | looked at | findings | notes | left out |\n|---|---|---|---|---|---|\n")
	for _, c := range s.Checks {
		fmt.Fprintf(&b, "| %s | %s | %d of %d %s | %d | %d | %s |\n", Markdown(c.ID), Markdown(c.Outcome), c.Looked, c.Of, Markdown(c.Unit), c.Findings, c.Notes, Markdown(strings.Join(c.Reasons, "; ")))
	}
	last, left := "", 0
	for _, f := range s.Findings {
		if f.Level == sweep.LevelNote && !o.Verbose && f.Action == "" {
			continue
		}
		var one strings.Builder
		if f.RelPath != last {
			fmt.Fprintf(&one, "\n**%s** %s\n\n", Markdown(clip(f.Title, 200)), Markdown(f.RelPath))
		}
		mark := "✗"
		if f.Level == sweep.LevelNote {
			mark = "·"
		}
		fmt.Fprintf(&one, "- %s %s (%s)\n", mark, Markdown(f.Text), Markdown(f.Check))
		for _, p := range f.Places {
			if p.Text != "" {
				fmt.Fprintf(&one, "  - at %s line %d: %s\n", Markdown(p.Path), p.Line, Markdown(p.Text))
			}
		}
		if f.Anchor != nil && len(f.Anchor.Words) > 0 && f.Level == sweep.LevelFinding {
			lines := wordLines(f.Anchor.Words, markdownCode, markdownCode, markdownCode)
			mark := fence(lines)
			fmt.Fprintf(&one, "\n  %s\n", mark)
			for _, l := range lines {
				fmt.Fprintf(&one, "  %s\n", l)
			}
			fmt.Fprintf(&one, "  %s\n\n", mark)
		}
		if f.Advice != "" {
			fmt.Fprintf(&one, "  - way out: %s\n", Markdown(f.Advice))
		}
		if o.Budget > 0 && b.Len()+one.Len() > o.Budget-100 {
			left++
			continue
		}
		last = f.RelPath
		b.WriteString(one.String())
	}
	if left > 0 {
		fmt.Fprintf(&b, "\n%d more are not shown here.\n", left)
	}
	for _, a := range s.Applied {
		fmt.Fprintf(&b, "\n- %s %s: %s\n", Markdown(a.Action), Markdown(a.RelPath), Markdown(a.Reason))
		if a.Diff != "" {
			lines := strings.Split(strings.TrimSuffix(a.Diff, "\n"), "\n")
			for i := range lines {
				lines[i] = markdownCode(lines[i])
			}
			mark := fence(lines)
			fmt.Fprintf(&b, "\n%sdiff\n%s\n%s\n", mark, strings.Join(lines, "\n"), mark)
		}
	}
	return b.String()
}

// sweepSARIF has findings as warnings and notes as notes, at the entry that they
// are about, with the places of the tree beside it.
func sweepSARIF(s Sweep) sarifLog {
	run := sarifRun{ColumnKind: "unicodeCodePoints", Results: []sarifResult{}}
	rules, index := []sarifRule{}, map[string]int{}
	for _, c := range s.Checks {
		index[c.ID] = len(rules)
		r := sarifRule{ID: "sweep/" + c.ID, Name: "sweep/" + c.ID}
		r.ShortDescription.Text, r.FullDescription.Text = sarifText(c.What), sarifText(c.What)
		rules = append(rules, r)
	}
	run.Tool.Driver = sarifDriver{Name: "sayso", Version: Terminal(s.Tool.Version), InformationURI: s.Tool.URL, Rules: rules}
	seen := map[string]int{}
	kept := s.Findings[:min(len(s.Findings), maxSARIF)]
	if len(s.Findings) > maxSARIF { // what needs a person first
		all := slices.Clone(s.Findings)
		slices.SortStableFunc(all, func(a, b sweep.Finding) int { return strings.Compare(a.Level, b.Level) })
		kept = all[:maxSARIF]
	}
	for _, f := range kept {
		level := "warning"
		if f.Level == sweep.LevelNote {
			level = "note"
		}
		sum := sha256.Sum256([]byte(f.Check + "\x00" + f.Entry + "\x00" + fingerprint(f)))
		r := sarifResult{
			RuleID: "sweep/" + f.Check, RuleIndex: index[f.Check], Level: level, Message: sarifMessage{sarifText(clip(f.Text, 1000))},
			PartialFingerprints: map[string]string{"sayso/v1": unique(hex.EncodeToString(sum[:16]), seen)},
			Properties:          map[string]any{"subject": Terminal(clip(f.Entry, 200)), "state": string(f.State)},
		}
		add := func(path string, line int, text string) {
			loc := sarifLocation{Message: &sarifMessage{sarifText(text)}}
			loc.PhysicalLocation.ArtifactLocation.URI = uri(clip(path, 4000))
			loc.PhysicalLocation.Region = sarifRegion{StartLine: max(line, 1)}
			r.Locations = append(r.Locations, loc)
		}
		add(f.RelPath, f.Line, clip(f.Title, 200))
		for _, p := range f.Places {
			add(p.Path, p.Line, clip(p.Text, 200))
		}
		run.Results = append(run.Results, r)
	}
	level := "note"
	if s.Coverage.State != "complete" {
		level = "warning"
	}
	text := sentence(sweepCoverage(s))
	for _, d := range sweepDetails(s) {
		text += " " + sentence(d)
	}
	for _, c := range s.Checks {
		text += " " + sentence(checkLine(c))
	}
	run.Invocations = []sarifInvocation{{
		ExecutionSuccessful: s.Coverage.State == "complete", ExitCode: s.Exit(),
		ToolExecutionNotifications: []sarifNotification{{Level: level, Message: sarifMessage{sarifText(text)}}},
	}}
	return sarifLog{Schema: "https://json.schemastore.org/sarif-2.1.0.json", Version: "2.1.0", Runs: []sarifRun{run}}
}

// fingerprint is what of a finding stays the same while it is the same finding:
// not its text, which has places in it that move.
func fingerprint(f sweep.Finding) string {
	switch {
	case f.Anchor != nil:
		r := f.Anchor.Ref
		return fmt.Sprintf("%s %s %d-%d", r.ID, r.Path, r.LineStart, r.LineEnd)
	case len(f.Others) > 0:
		return strings.Join(f.Others, " ")
	}
	return f.Text
}

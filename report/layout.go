package report

import (
	"fmt"
	"strings"

	"github.com/rivo/uniseg"
)

// width is how many columns of a terminal a string takes.
func width(s string) int { return uniseg.StringWidth(s) }

// span is a run of code points in a line, from 0.
type span struct{ from, to int }

// marked is a line of hostile text made ready for a terminal, and the line of
// carets that goes under it ("" where nothing is marked).
type marked struct{ text, under string }

// mark escapes a line and underlines the spans in it, in order and not
// overlapping, measured on the line as it is shown. With columns > 0 it is cut to that width
// around the first span, with an ellipsis where something is left out.
func mark(line string, spans []span, columns int, lead byte) marked {
	pieces := terminalRunes(line)
	for i := range spans {
		spans[i].from = min(max(spans[i].from, 0), len(pieces))
		spans[i].to = min(max(spans[i].to, spans[i].from), len(pieces))
	}
	from, to := window(pieces, spans, columns)
	var text, under strings.Builder
	if from > 0 {
		text.WriteString("…")
		under.WriteString(" ")
	}
	col := width(text.String())
	next := 0
	for i := from; i < to; {
		for next < len(spans) && (spans[next].to <= i || spans[next].to == spans[next].from) {
			next++
		}
		// A run of pieces that is wholly inside or wholly outside of a span.
		end, in := to, false
		if next < len(spans) {
			if in = spans[next].from <= i; in {
				end = min(to, spans[next].to)
			} else {
				end = min(to, spans[next].from)
			}
		}
		run := strings.Join(pieces[i:end], "")
		text.WriteString(run)
		w := width(text.String()) - col
		col += w
		switch {
		case !in:
			under.WriteString(strings.Repeat(" ", max(w, 0)))
		case w > 0 && spans[next].from >= i:
			under.WriteString(string(lead) + strings.Repeat("~", w-1))
		default:
			under.WriteString(strings.Repeat("~", max(w, 0)))
		}
		i = end
	}
	if to < len(pieces) {
		text.WriteString("…")
	}
	return marked{strings.TrimRight(text.String(), " "), strings.TrimRight(under.String(), " ")}
}

// window is the range of pieces that fits into the columns, with the first
// span in it and a third of the room before it.
func window(pieces []string, spans []span, columns int) (from, to int) {
	if columns <= 0 {
		return 0, len(pieces)
	}
	widths := make([]int, len(pieces))
	total := 0
	for i, p := range pieces {
		widths[i] = width(p)
		total += widths[i]
	}
	if total <= columns {
		return 0, len(pieces)
	}
	room := max(columns-2, 8) // for the two ellipses
	if len(spans) > 0 {
		from = spans[0].from
		for before := 0; from > 0 && before+widths[from-1] <= room/3; from-- {
			before += widths[from-1]
		}
	}
	used := 0
	for to = from; to < len(pieces) && used+widths[to] <= room; to++ {
		used += widths[to]
	}
	// A span near the end leaves room on the right: use it on the left.
	for from > 0 && used+widths[from-1] <= room {
		from--
		used += widths[from]
	}
	return from, to
}

// wrap breaks an escaped line at spaces so that no line is wider than
// columns where a break can help; later lines are indented. It never begins a
// line with what a CI runner would read as a command.
func wrap(s string, columns, indent int) []string {
	if columns <= 0 || width(s) <= columns {
		return []string{s}
	}
	pad := strings.Repeat(" ", indent)
	var out []string
	rest := strings.TrimLeft(s, " ")
	lead := s[:len(s)-len(rest)]
	line, col := "", 0
	for _, word := range strings.Split(rest, " ") {
		w := width(word)
		// Nor with a blank of another kind, behind which such a word could follow.
		if line != "" && len(lead)+col+1+w > columns && strings.TrimSpace(word) != "" && w > 0 && !command(word) {
			out = append(out, lead+line)
			lead, line, col = pad, word, w
			continue
		}
		if line != "" {
			line += " "
			col++
		}
		line += word
		col += w
	}
	return append(out, lead+line)
}

// command says that a runner would obey the word at the beginning of a line,
// where it does not count blanks of any kind.
func command(word string) bool {
	word = strings.TrimSpace(word)
	return strings.HasPrefix(word, "::") || strings.HasPrefix(word, "##")
}

// gutter is the margin of a quoted line: its number, right-aligned, and a sign.
func gutter(line int, sign string) string {
	if line <= 0 {
		return fmt.Sprintf("%5s %s ", "", sign)
	}
	return fmt.Sprintf("%5d %s ", line, sign)
}

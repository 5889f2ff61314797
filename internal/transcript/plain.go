package transcript

import "strings"

// plainTurn reads text. Where lines "user:" and "assistant:" part it, the turn
// is what stands under the last "assistant:"; otherwise it is all of it.
func plainTurn(data []byte, limits Limits) Turn {
	text := clean(string(data))
	g := newGatherer(limits)
	g.format = FormatText
	var said []string
	marked, speaking, tool := false, false, false
	flush := func() {
		if speaking {
			g.say(strings.Join(said, "\n"), false)
		}
		said = said[:0]
	}
	for l := range strings.SplitSeq(text, "\n") {
		g.lines++
		switch role := speaker(l); {
		case role == "user":
			if !marked {
				// What stands before the first mark is nobody's.
				g.format = FormatCursor
			}
			flush()
			g.prompt("")
			marked, speaking, tool = true, false, false
		case role == "assistant":
			if !marked {
				g.format = FormatCursor
			}
			flush()
			marked, speaking, tool = true, true, false
		case !marked:
			said = append(said, l)
		case !speaking:
		case strings.HasPrefix(l, "[Tool call]") || strings.HasPrefix(l, "[Tool result]") || strings.HasPrefix(l, "[Thinking]"):
			tool = true
		case strings.TrimSpace(l) == "":
			tool = false
			said = append(said, "")
		case !tool:
			said = append(said, l)
		}
	}
	speaking = speaking || !marked
	flush()
	return g.turn()
}

// speaker is the role that a line announces, "" for every other line.
func speaker(l string) string {
	switch strings.TrimRight(l, " \t") {
	case "user:", "User:", "human:", "Human:":
		return "user"
	case "assistant:", "Assistant:":
		return "assistant"
	}
	return ""
}

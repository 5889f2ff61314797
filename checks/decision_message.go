package checks

import (
	"strconv"
	"strings"

	"github.com/saysolint/sayso/checks/assert"
	"github.com/saysolint/sayso/claim"
	"github.com/saysolint/sayso/internal/text"
)

// against says that a text of the change announces the opposite of one of the rules: it
// brings what is forbidden, or takes away what is required.
func (d *deciding) against(rules []ruled, h *Held) bool {
	for i := range rules {
		x := &rules[i]
		name := x.rule.Name
		if x.recallOnly || x.rule.Subject == assert.Text || x.rule.Subject == assert.Path && strings.ContainsAny(name, "*?[{") {
			continue
		}
		verbs := brings
		if x.rule.Require {
			verbs = takes
		}
		for _, m := range d.in.Messages {
			line, said, ok := announces(m, verbs, name)
			if !ok {
				continue
			}
			h.Verdict, h.By, h.Rule, h.Line, h.Fix = Contradicted, "message", x.rule.String(), x.line, x.rule.Message
			h.Reason = "the text announces the opposite: " + quote(said)
			h.Evidence = append(h.Evidence, Evidence{Fact: "line " + strconv.Itoa(line) + " of the text says " + quote(said), Text: clip(said, 200)})
			return true
		}
	}
	return false
}

var (
	brings = map[string]bool{"add": true, "adds": true, "added": true, "adopt": true, "adopts": true, "introduce": true, "introduces": true, "introduced": true, "use": true, "uses": true}
	takes  = map[string]bool{"remove": true, "removes": true, "removed": true, "drop": true, "drops": true, "dropped": true, "delete": true, "deletes": true, "deleted": true}
)

// announces: a line of the text begins with one of the verbs, and what follows at once,
// an article or a sort of thing aside, is the name as a whole word.
func announces(m *claim.Message, verbs map[string]bool, name string) (line int, said string, ok bool) {
	for i, l := range strings.Split(m.Text, "\n") {
		rest := strings.TrimLeft(strings.TrimSpace(l), "-*• ")
		if i == 0 {
			if head := text.ParseHeader(rest); head.Rest != "" {
				rest = head.Rest
			}
		}
		words := strings.Fields(rest)
		if len(words) < 2 || len(words) > 40 || !verbs[strings.ToLower(words[0])] {
			continue
		}
		at := 1
		for at < len(words)-1 && between[strings.ToLower(words[at])] {
			at++
		}
		if got := strings.Trim(words[at], "`'\".,;:()"); strings.EqualFold(got, name) && !qualified(words, at) {
			return i + 1, rest, true
		}
	}
	return 0, "", false
}

var between = map[string]bool{"the": true, "a": true, "an": true, "our": true, "dependency": true, "package": true, "library": true, "module": true, "on": true, "of": true}

// qualified: what follows makes the name a part of another thing ("lodash types",
// "lodash to the list of ..."), so that nothing was announced of it.
func qualified(words []string, at int) bool {
	if strings.ContainsAny(words[at][len(words[at])-1:], ".,;:)") || at+1 == len(words) {
		return false
	}
	switch strings.ToLower(words[at+1]) {
	case "for", "as", "in", "instead", "and", "again", "dependency", "package", "library", "everywhere", "because", "so", "v", "which", "(#":
		return false
	}
	return true
}

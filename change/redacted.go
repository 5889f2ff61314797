package change

import (
	"bytes"
	"fmt"
	"strings"
)

// Redacted is the word that maskers of secrets leave where text was.
const Redacted = "REDACTED"

// redacted declares a file in whose changed lines text was masked. A file that
// speaks of redaction in any other spelling ("redact(", "Redacted") is about masking and
// has the word as its subject: nothing was taken out of it.
func (ch *Change) redacted(f *File) {
	n, first := 0, 0
	for _, h := range f.Hunks {
		for i := range h.Lines {
			l := &h.Lines[i]
			if l.Op != ' ' && strings.Contains(l.Text, Redacted) && hasWord([]byte(l.Text), []byte(Redacted)) {
				if n++; first == 0 {
					first = max(l.New, l.Old)
				}
			}
		}
	}
	if n == 0 || speaksOfIt(f) {
		return
	}
	ch.Gaps = append(ch.Gaps, Gap{Path: f.Path, Reason: ReasonRedacted, Detail: fmt.Sprintf("%s stands where text was, first in line %d", Redacted, first)})
}

func speaksOfIt(f *File) bool {
	const other = "edact" // of Redact and redacted
	if bytes.Contains(f.New, []byte(other)) || bytes.Contains(f.Old, []byte(other)) || strings.Contains(f.Path, other) {
		return true
	}
	for _, h := range f.Hunks {
		for i := range h.Lines {
			if strings.Contains(h.Lines[i].Text, other) {
				return true
			}
		}
	}
	return false
}

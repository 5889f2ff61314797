package learn

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/saysolint/sayso/change"
	"github.com/saysolint/sayso/internal/lang"
	"github.com/saysolint/sayso/memory"
)

// mostCited is how many places of a change a draft cites.
const mostCited = 8

// cite names the lines that the change wrote, with the hash of their content: of
// each file the longest run of new lines of code, and of text where there is no code.
func (f *finder) cite(d *Draft) {
	if f.c.Did == nil {
		return
	}
	for _, source := range []bool{true, false} {
		for i := range f.c.Did.Files {
			file := &f.c.Did.Files[i]
			if file.Kind == lang.Generated || file.Kind == lang.Vendored || (file.Kind == lang.Source) != source || len(d.Entry.SourceRefs) > mostCited {
				continue
			}
			if first, last := longestRun(file); first > 0 {
				f.citeLines(d, file, first, last)
			}
		}
		if source && len(d.Entry.SourceRefs) > 1 {
			return
		}
	}
}

// longestRun is the longest run of lines that a change adds to a file, 0 for none.
func longestRun(file *change.File) (first, last int) {
	for _, h := range file.Hunks {
		from, to := 0, 0
		end := func() {
			if from > 0 && to-from > last-first || first == 0 && from > 0 {
				first, last = from, to
			}
			from, to = 0, 0
		}
		for k := range h.Lines {
			l := &h.Lines[k]
			switch {
			case l.Op == '+' && from == 0:
				from, to = l.New, l.New
			case l.Op == '+':
				to = l.New
			case l.Op == ' ':
				end()
			}
		}
		end()
	}
	return first, last
}

// citeLines names lines of the new image of a file, if that was read.
func (f *finder) citeLines(d *Draft, file *change.File, first, last int) {
	id, ok := hashOf(file.New, first, last)
	if !ok || memory.Line(file.Path) != file.Path || strings.Contains(file.Path, "`") {
		return
	}
	d.Entry.SourceRefs = append(d.Entry.SourceRefs, memory.SourceRef{Type: "file", ID: id, Path: file.Path, LineStart: first, LineEnd: last})
}

// hashOf is the hash of some lines of a file with their line ends, as every source
// reference to lines has it.
func hashOf(content []byte, first, last int) (string, bool) {
	start := 0
	for n := 1; n < first; n++ {
		i := bytes.IndexByte(content[start:], '\n')
		if i < 0 {
			return "", false
		}
		start += i + 1
	}
	end := start
	for n := first; n <= last; n++ {
		if end >= len(content) {
			return "", false
		}
		i := bytes.IndexByte(content[end:], '\n')
		if i < 0 {
			end = len(content)
			break
		}
		end += i + 1
	}
	sum := sha256.Sum256(content[start:end])
	return "sha256:" + hex.EncodeToString(sum[:]), end > start
}

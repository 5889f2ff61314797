package mcp

import (
	"bytes"
	"cmp"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
)

// hidden stands where a private path stood.
const hidden = "<repository>"

// scrubber takes paths out of text, the longest first, as they are written and as
// JSON writes them.
func scrubber(private []string) *strings.Replacer {
	var forms []string
	for _, p := range private {
		if len(p) < 2 || !filepath.IsAbs(p) {
			continue
		}
		escaped, _ := json.Marshal(p)
		forms = append(forms, p, filepath.ToSlash(p), string(bytes.Trim(escaped, `"`)))
	}
	slices.SortFunc(forms, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	var pairs []string
	for _, f := range slices.Compact(forms) {
		pairs = append(pairs, f, hidden)
	}
	return strings.NewReplacer(pairs...)
}

// maxError is the longest error in bytes that leaves.
const maxError = 1000

// errorLine is an error as a client reads it: one line, without private paths,
// without what controls a terminal, and of a bearable length.
func (s *Server) errorLine(err error) string {
	text := strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t' || r == '\r':
			return ' '
		case r < ' ' || 0x7f <= r && r <= 0x9f, 0x200e <= r && r <= 0x200f, 0x202a <= r && r <= 0x202e, 0x2066 <= r && r <= 0x2069:
			return '\uFFFD'
		}
		return r
	}, strings.ToValidUTF8(s.scrub.Replace(err.Error()), "\uFFFD"))
	if len(text) > maxError {
		text = strings.ToValidUTF8(text[:maxError], "") + "…"
	}
	return text
}

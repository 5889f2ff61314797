package memory

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"
)

// ErrFaulty is an edit of a file that is not understood without doubt.
var ErrFaulty = errors.New("the file has faults: sayso memory lint names them, mend them by hand")

// setKey is a key and its new value as YAML has it on one line; "" takes the key out.
type setKey struct{ key, value string }

// setKeys changes keys of the frontmatter of a file and leaves every other byte
// as it is. A key that is not there is put where [Keys] has it; a file without
// frontmatter gets one.
func setKeys(raw []byte, sets ...setKey) ([]byte, error) {
	f := splitFile(raw)
	if len(f.faults) > 0 {
		return nil, fmt.Errorf("line %d: %s: %w", f.faults[0].Line, f.faults[0].Text, ErrFaulty)
	}
	eol := "\n"
	if i := bytes.IndexByte(raw, '\n'); i > 0 && raw[i-1] == '\r' {
		eol = "\r\n"
	}
	if !f.closed {
		raw = slices.Concat([]byte("---"+eol+"schemaVersion: 1"+eol+"---"+eol), raw)
		f = splitFile(raw)
	}
	for _, s := range sets {
		head, err := setOne(raw[f.head.start:f.head.end], s, eol)
		if err != nil {
			return nil, err
		}
		raw = slices.Concat(raw[:f.head.start], head, raw[f.head.end:])
		f = splitFile(raw)
	}
	if !f.closed || len(f.faults) > 0 {
		return nil, ErrFaulty
	}
	return raw, nil
}

// setOne changes one key of the lines between the fences.
func setOne(head []byte, s setKey, eol string) ([]byte, error) {
	starts, names, err := keyLines(head)
	if err != nil {
		return nil, err
	}
	line := ""
	if s.value != "" {
		line = s.key + ": " + s.value + eol
		if s.key == "asserts" {
			line = s.value // its own lines, the key with them
		}
	}
	if i := slices.Index(names, s.key); i >= 0 {
		end := len(head)
		if i+1 < len(starts) {
			end = starts[i+1]
		}
		end = trimTrailing(head, starts[i], end)
		return slices.Concat(head[:starts[i]], []byte(line), head[end:]), nil
	}
	if line == "" {
		return head, nil
	}
	// Behind the last key that comes before it in the order of the format.
	at := 0
	for i, n := range names {
		if k := slices.Index(Keys, n); k >= 0 && k < slices.Index(Keys, s.key) {
			end := len(head)
			if i+1 < len(starts) {
				end = starts[i+1]
			}
			at = trimTrailing(head, starts[i], end)
		}
	}
	return slices.Concat(head[:at], []byte(line), head[at:]), nil
}

// keyLines are the keys of the frontmatter with the bytes at which their lines begin.
func keyLines(head []byte) (starts []int, names []string, err error) {
	if onlyComments(head) {
		return nil, nil, nil
	}
	var doc yaml.Node
	if err := yaml.Load(head, &doc); err != nil || len(doc.Content) == 0 {
		return nil, nil, ErrFaulty
	}
	root := doc.Content[0]
	if root.Kind != yaml.MappingNode || root.Style&yaml.FlowStyle != 0 {
		return nil, nil, ErrFaulty
	}
	for i := 0; i+1 < len(root.Content); i += 2 {
		k := root.Content[i]
		if k.Kind != yaml.ScalarNode || k.Column != 1 || slices.Contains(names, k.Value) {
			return nil, nil, ErrFaulty
		}
		starts, names = append(starts, lineStart(head, k.Line)), append(names, k.Value)
	}
	return starts, names, nil
}

// part is a run of lines of a body that belong to one section.
type part struct {
	at         section
	start, end int // bytes of the body, the heading included
	headed     bool
}

// parts cuts a body at its headings.
func parts(body []byte) []part {
	all := []part{{at: inNotes}}
	fence := ""
	for at := 0; at < len(body); {
		line, next := lineAt(body, at)
		text := string(line)
		if f := fenceAfter(fence, text); f != fence || fence != "" {
			fence = f
		} else if s, ok := heading(text); ok {
			all[len(all)-1].end = at
			all = append(all, part{at: s, start: at, headed: true})
		}
		at = next
	}
	all[len(all)-1].end = len(body)
	if all[0].end == 0 {
		all = all[1:]
	}
	return all
}

// setSection puts text in the place of a section and leaves every other byte
// as it is. "" takes the section out.
func setSection(raw []byte, s section, text string) []byte {
	f := splitFile(raw)
	body := raw[f.body:]
	all := parts(body)
	fresh := ""
	if text != "" {
		fresh = fmt.Sprintf("# %s\n\n%s\n", sectionTitles[s], text)
		if bytes.Contains(raw, []byte("\r\n")) {
			fresh = strings.ReplaceAll(fresh, "\n", "\r\n")
		}
	}
	var out bytes.Buffer
	done := false
	put := func() {
		if !done && fresh != "" {
			if b := out.Bytes(); len(b) > 0 && !bytes.HasSuffix(b, []byte("\n")) {
				out.WriteString("\n")
			}
			if b := out.Bytes(); len(b) > 0 && !bytes.HasSuffix(b, []byte("\n\n")) && !bytes.HasSuffix(b, []byte("\n\r\n")) {
				out.WriteString("\n")
			}
			out.WriteString(fresh)
		}
		done = true
	}
	order := func(x section) int { return slices.Index(sectionOrder, x) }
	for _, p := range all {
		switch {
		case p.at == s:
			if s == inNotes && !p.headed && len(bytes.TrimSpace(body[p.start:p.end])) == 0 {
				out.Write(body[p.start:p.end]) // blank lines before the first heading
				continue
			}
			put()
		case p.headed && order(p.at) > order(s):
			put()
			out.Write(body[p.start:p.end])
		default:
			out.Write(body[p.start:p.end])
		}
	}
	put()
	b := out.Bytes()
	if text != "" && bytes.HasSuffix(b, []byte(fresh)) { // no blank line at the end of the file
		b = bytes.TrimSuffix(bytes.TrimSuffix(b, []byte("\n")), []byte("\r"))
	}
	return slices.Concat(raw[:f.body], b)
}

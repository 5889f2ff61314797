package config

import (
	"bytes"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/go-git/go-git/v5/plumbing/format/gitattributes"
)

// Attributes is what one .gitattributes file says of generated and vendored
// files. Where a repository is at hand git's own answer (check-attr) is the
// better one: this reads one file and no macro but those it defines itself.
type Attributes struct {
	rules  []rule
	macros map[string][]gitattributes.Attribute
}

// rule is one line: a glob from the folder of the file, and its attributes.
type rule struct {
	glob  string
	attrs []gitattributes.Attribute
}

const (
	attrGenerated = "linguist-generated"
	attrVendored  = "linguist-vendored"
)

// ParseAttributes reads the content of the .gitattributes file at the root of
// the repository. Lines that cannot be read say nothing, as with git. The answer is
// nil, which says nothing of any file, where the content does not speak of either.
func ParseAttributes(data []byte) *Attributes {
	// Most files of this name speak of line ends alone: nothing is kept of them.
	if !bytes.Contains(data, []byte(attrGenerated)) && !bytes.Contains(data, []byte(attrVendored)) {
		return nil
	}
	a := &Attributes{macros: map[string][]gitattributes.Attribute{}}
	if len(data) > MaxBytes {
		data = data[:bytes.LastIndexByte(data[:MaxBytes], '\n')+1]
	}
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	for raw := range bytes.Lines(data) {
		line := strings.TrimSpace(string(raw))
		// An empty quoted pattern is the one line that the parser below cannot stand.
		if line == "" || line[0] == '#' || strings.HasPrefix(line, `""`) {
			continue
		}
		m, err := gitattributes.ParseAttributesLine(line, nil, true)
		if err != nil {
			continue
		}
		if m.Pattern == nil {
			a.macros[m.Name] = m.Attributes
			continue
		}
		// Matching is doublestar's: the library's own matcher lets earlier lines
		// win when it is asked for two attributes, and fails on a trailing slash.
		if glob := attributeGlob(m.Name); glob != "" {
			a.rules = append(a.rules, rule{glob, m.Attributes})
		}
	}
	return a
}

// Generated says whether the path is marked linguist-generated; said is false
// where no line speaks of it, so that the caller's own conventions hold.
func (a *Attributes) Generated(path string) (generated, said bool) {
	return a.state(path, attrGenerated)
}

// Vendored says whether the path is marked linguist-vendored; said is false
// where no line speaks of it.
func (a *Attributes) Vendored(path string) (vendored, said bool) {
	return a.state(path, attrVendored)
}

// state is the value of a boolean attribute: the last line that speaks of it
// wins, and "!attr" takes back what earlier lines said.
func (a *Attributes) state(path, name string) (set, said bool) {
	if a == nil {
		return false, false
	}
	for i := len(a.rules) - 1; i >= 0; i-- {
		r := a.rules[i]
		v := a.find(r.attrs, name)
		if v == nil {
			continue
		}
		if ok, err := doublestar.Match(r.glob, path); !ok || err != nil {
			continue
		}
		switch {
		case v.IsUnspecified():
			return false, false
		case v.IsValueSet():
			return !strings.EqualFold(v.Value(), "false"), true
		}
		return v.IsSet(), true
	}
	return false, false
}

// find is the last attribute of the line with this name, macros expanded once.
func (a *Attributes) find(attrs []gitattributes.Attribute, name string) gitattributes.Attribute {
	for i := len(attrs) - 1; i >= 0; i-- {
		if attrs[i].Name() == name {
			return attrs[i]
		}
		if !attrs[i].IsSet() {
			continue
		}
		for _, m := range a.macros[attrs[i].Name()] {
			if m.Name() == name {
				return m
			}
		}
	}
	return nil
}

// attributeGlob is a pattern of .gitattributes as a doublestar glob, "" where
// it can match no file: unlike an ignore pattern, one that ends in a slash matches nothing.
func attributeGlob(pattern string) string {
	if strings.HasSuffix(pattern, "/") {
		return ""
	}
	// Braces mean nothing to git.
	pattern = strings.NewReplacer("{", `\{`, "}", `\}`).Replace(pattern)
	if !strings.Contains(pattern, "/") {
		pattern = "**/" + pattern
	}
	pattern = strings.TrimPrefix(pattern, "/")
	if !doublestar.ValidatePattern(pattern) {
		return ""
	}
	return pattern
}

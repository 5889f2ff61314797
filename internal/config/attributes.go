package config

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// Attributes is what one .gitattributes file says of generated and vendored
// files. Where a repository is at hand git's own answer (check-attr) is the
// better one: this reads one file and no macro but those it defines itself.
type Attributes struct {
	rules  []rule
	macros map[string][]attribute
}

// rule is one line: a glob from the folder of the file, and its attributes.
type rule struct {
	glob  string
	attrs []attribute
}

// attribute is one word of a line: "name" sets it, "-name" unsets it, "!name"
// takes back what was said, "name=value" gives it a value.
type attribute struct {
	name  string
	value string
	state byte // '+', '-', '!' or '='
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
	a := &Attributes{macros: map[string][]attribute{}}
	if len(data) > MaxBytes {
		data = data[:bytes.LastIndexByte(data[:MaxBytes], '\n')+1]
	}
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	for raw := range bytes.Lines(data) {
		pattern, attrs, ok := attributeLine(strings.TrimSpace(string(raw)))
		if !ok {
			continue
		}
		if macro, is := strings.CutPrefix(pattern, "[attr]"); is {
			if attributeName(macro) {
				a.macros[macro] = attrs
			}
			continue
		}
		if glob := attributeGlob(pattern); glob != "" {
			a.rules = append(a.rules, rule{glob, attrs})
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
		case v.state == '!':
			return false, false
		case v.state == '=':
			return !strings.EqualFold(v.value, "false"), true
		}
		return v.state == '+', true
	}
	return false, false
}

// find is the last attribute of the line with this name, macros expanded once.
func (a *Attributes) find(attrs []attribute, name string) *attribute {
	for i := len(attrs) - 1; i >= 0; i-- {
		if attrs[i].name == name {
			return &attrs[i]
		}
		if attrs[i].state != '+' {
			continue
		}
		macro := a.macros[attrs[i].name]
		for k := range macro {
			if macro[k].name == name {
				return &macro[k]
			}
		}
	}
	return nil
}

// attributeLine takes a line apart: a pattern, quoted as in C where it begins with
// a quotation mark, and attributes. One attribute that is no name spoils the line, as with git.
func attributeLine(line string) (pattern string, attrs []attribute, ok bool) {
	if line == "" || line[0] == '#' {
		return "", nil, false
	}
	rest := ""
	if line[0] == '"' {
		quoted, err := strconv.QuotedPrefix(line)
		if err != nil {
			return "", nil, false
		}
		if pattern, err = strconv.Unquote(quoted); err != nil {
			return "", nil, false
		}
		rest = line[len(quoted):]
	} else if end := strings.IndexAny(line, " \t\r\v\f"); end >= 0 {
		pattern, rest = line[:end], line[end:]
	} else {
		pattern = line
	}
	if pattern == "" || pattern[0] == '!' {
		return "", nil, false // git refuses negative patterns
	}
	for word := range strings.FieldsSeq(rest) {
		a := attribute{name: word, state: '+'}
		switch {
		case word[0] == '-' || word[0] == '!':
			a.state, a.name = word[0], word[1:]
		case strings.Contains(word, "="):
			a.state = '='
			a.name, a.value, _ = strings.Cut(word, "=")
		}
		if !attributeName(a.name) {
			return "", nil, false
		}
		attrs = append(attrs, a)
	}
	return pattern, attrs, true
}

func attributeName(name string) bool {
	for i := 0; i < len(name); i++ {
		switch c := name[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '.', c == '_', c == '-' && i > 0:
		default:
			return false
		}
	}
	return name != ""
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

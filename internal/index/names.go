package index

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"slices"
	"strings"
)

// isManifest reports whether a file at the root of a tree says what the project
// is called.
func isManifest(path string) bool {
	switch path {
	case "go.mod", "package.json", "Cargo.toml", "pyproject.toml", "setup.cfg", "pom.xml":
		return true
	}
	return !strings.Contains(path, "/") && strings.HasSuffix(path, ".gemspec")
}

// manifestName is the name that a manifest gives, "" when it gives none.
func manifestName(path string, src []byte) string {
	switch path {
	case "go.mod":
		return lastPart(goModule(src))
	case "package.json":
		var m struct {
			Name any `json:"name"`
		}
		if json.Unmarshal(src, &m) != nil {
			return ""
		}
		s, _ := m.Name.(string)
		return lastPart(s)
	case "Cargo.toml":
		return tableValue(src, "name", "package")
	case "pyproject.toml":
		return tableValue(src, "name", "project", "tool.poetry")
	case "setup.cfg":
		return tableValue(src, "name", "metadata")
	case "pom.xml":
		return pomArtifact(src)
	}
	return strings.TrimSuffix(path, ".gemspec")
}

// lastPart is what stands after the last slash, a Go major version passed over.
func lastPart(s string) string {
	s = strings.TrimRight(s, "/")
	base := baseOf(s)
	if dir := dirOf(s); dir != "" && len(base) > 1 && base[0] == 'v' && strings.Trim(base[1:], "0123456789") == "" {
		return baseOf(dir)
	}
	return base
}

func goModule(src []byte) string {
	for line := range bytes.Lines(src) {
		f := strings.Fields(string(line))
		if len(f) >= 2 && f[0] == "module" {
			return strings.Trim(f[1], "\"`")
		}
	}
	return ""
}

// tableValue finds `key = value` directly under one of the [tables] of a TOML or
// INI file; a quoted value loses its quotes.
func tableValue(src []byte, key string, tables ...string) string {
	in := false
	for raw := range bytes.Lines(src) {
		line := strings.TrimSpace(string(raw))
		if strings.HasPrefix(line, "[") {
			name := strings.TrimSpace(strings.Trim(strings.SplitN(line, "#", 2)[0], "[] \t"))
			in = slices.Contains(tables, name)
			continue
		}
		k, v, ok := strings.Cut(line, "=")
		if !in || !ok || strings.TrimSpace(k) != key {
			continue
		}
		v = strings.TrimSpace(v)
		if v != "" && (v[0] == '"' || v[0] == '\'') {
			v, _, _ = strings.Cut(v[1:], v[:1])
			return v
		}
		v, _, _ = strings.Cut(v, "#")
		return strings.TrimSpace(v)
	}
	return ""
}

// pomArtifact is the artifactId of the project itself, not that of its parent.
func pomArtifact(src []byte) string {
	d := xml.NewDecoder(bytes.NewReader(src))
	depth := 0
	for {
		t, err := d.RawToken()
		if err != nil {
			return ""
		}
		switch t := t.(type) {
		case xml.StartElement:
			depth++
			if depth == 2 && t.Name.Local == "artifactId" {
				text, err := d.RawToken()
				if c, ok := text.(xml.CharData); ok && err == nil {
					return strings.TrimSpace(string(c))
				}
				return ""
			}
		case xml.EndElement:
			depth--
		}
	}
}

// addName puts a project name into a set of them: lower case, one line of plain
// text or nothing.
func addName(set []string, name string) []string {
	name = strings.ToLower(strings.TrimSpace(strings.TrimSuffix(strings.TrimSuffix(name, "/"), ".git")))
	if i := strings.LastIndexAny(name, "/:\\"); i >= 0 {
		name = name[i+1:]
	}
	if name == "" || len(name) > 100 || strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return set
	}
	i, ok := slices.BinarySearch(set, name)
	if ok {
		return set
	}
	return slices.Insert(set, i, name)
}

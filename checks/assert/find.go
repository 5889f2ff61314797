package assert

import (
	"bytes"
	"path"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/saysolint/sayso/internal/lang"
)

// Hit is one place where the subject of a rule stands.
type Hit struct {
	Path string
	Line int    // from 1; 0 where the file as a whole is meant
	Text string // the line, without blanks around it
	What string // what was found, as it stands: a dependency with its version, an import, a name
	Old  bool   // the line is one of the image before the change

	key string // hits with the same key stand for each other
}

// Env is what a rule may have to know of the repository beside the files.
type Env struct {
	Folder   string // of the memory: its own files are never looked at; "" for none
	GoModule string // path of the Go module at the top, "" where there is none
	// Remains says whether some file that a glob names is still there after the
	// change; known is false where nobody can tell. nil: nobody can.
	Remains func(glob string) (there, known bool)
}

// Find is where in a file the subject of a rule stands, whether that is
// forbidden or required; scope is not looked at. judged is false where the file's language or form
// cannot answer the question. Rules about paths have no place in a file.
func (r *Rule) Find(file string, src []byte, env Env) (hits []Hit, judged bool) {
	switch r.Subject {
	case Dependency:
		hits, judged = r.findDependency(file, src)
	case Import:
		hits, judged = r.findImport(file, src, env)
	case Identifier:
		hits, judged = r.findIdentifier(file, src)
	case Text:
		hits, judged = r.findText(file, src), true
	}
	if len(hits) > 0 {
		lines := bytes.Split(src, []byte("\n"))
		for i := range hits {
			hits[i].Path = file
			if n := hits[i].Line; n >= 1 && n <= len(lines) {
				hits[i].Text = string(bytes.TrimSpace(lines[n-1]))
			}
		}
	}
	return hits, judged
}

func (r *Rule) findDependency(file string, src []byte) ([]Hit, bool) {
	deps, ok := Dependencies(file, src)
	if !ok {
		return nil, !Manifest(file)
	}
	var hits []Hit
	judged := true
	for _, d := range deps {
		if !d.names(r.Name, file) {
			continue
		}
		if r.version != nil {
			v, known := parseVersion(d.Version)
			if !known {
				judged = false // it is there, in a version that nobody can tell
				continue
			}
			if !r.version.holds(v) {
				continue
			}
		}
		hits = append(hits, Hit{Line: d.Line, What: strings.TrimSpace(d.Name + " " + d.Version), key: strings.ToLower(d.Name)})
	}
	return hits, judged
}

// named are the declared dependencies of a rule's name in any version.
func (r *Rule) named(file string, src []byte) []Dep {
	var out []Dep
	deps, _ := Dependencies(file, src)
	for _, d := range deps {
		if d.names(r.Name, file) {
			out = append(out, d)
		}
	}
	return out
}

func language(file string, src []byte) *lang.Language {
	return lang.ByPath(file, src[:min(len(src), 4096)])
}

func (r *Rule) findImport(file string, src []byte, env Env) ([]Hit, bool) {
	l := language(file, src)
	if !l.HasImports() {
		return nil, l == nil || l.Document() || !l.HasDefs()
	}
	var hits []Hit
	seen := map[int]bool{}
	for _, im := range l.Imports(src) {
		if seen[im.Line] || !r.importMatches(l, file, im, env) {
			continue
		}
		seen[im.Line] = true
		hits = append(hits, Hit{Line: im.Line, What: im.Path, key: r.Name})
	}
	return hits, true
}

// importMatches: the pattern stands for what is written, for the file or package
// that a relative import leads to, or for a package of the Go module at the top; for all
// that lies below as well.
func (r *Rule) importMatches(l *lang.Language, file string, im lang.Import, env Env) bool {
	pattern := strings.Trim(importForm(l, r.Name), "/")
	written := importForm(l, im.Path)
	if below(pattern, strings.Trim(written, "/")) {
		return true
	}
	switch {
	case l.Name() == "Go":
		if rest, ok := strings.CutPrefix(im.Path, env.GoModule+"/"); ok && env.GoModule != "" {
			return below(pattern, rest)
		}
	case strings.HasPrefix(im.Path, "./"), strings.HasPrefix(im.Path, "../"), im.Relative && !strings.HasPrefix(im.Path, "."):
		to := path.Join(path.Dir(file), im.Path)
		return below(pattern, to) || below(pattern, strings.TrimSuffix(to, path.Ext(to)))
	case strings.HasPrefix(im.Path, ".") && l.Name() == "Python":
		dir := path.Dir(file)
		rest := im.Path[1:]
		for strings.HasPrefix(rest, ".") {
			dir, rest = path.Dir(dir), rest[1:]
		}
		to := path.Join(dir, strings.ReplaceAll(rest, ".", "/"))
		return below(pattern, to)
	case l.Name() == "Rust":
		for _, own := range []string{"crate/", "self/"} {
			if rest, ok := strings.CutPrefix(written, own); ok && below(pattern, rest) {
				return true
			}
		}
	}
	return false
}

// importForm writes what separates the parts of a module's name as a slash.
func importForm(l *lang.Language, s string) string {
	switch l.Name() {
	case "Rust", "C++", "Ruby":
		return strings.ReplaceAll(s, "::", "/")
	case "Python", "Java", "Kotlin", "Scala", "Groovy", "C#":
		if !strings.Contains(s, "/") {
			return strings.ReplaceAll(s, ".", "/")
		}
	}
	return s
}

// globs is a doublestar match of a whole name.
func globs(pattern, name string) bool {
	if pattern == name {
		return true
	}
	ok, err := doublestar.Match(pattern, name)
	return ok && err == nil
}

// below says whether a name is what a pattern stands for, or lies below it.
func below(pattern, name string) bool {
	if pattern == "" || name == "" {
		return false
	}
	return globs(pattern, name) || strings.HasPrefix(name, pattern+"/") || globs(pattern+"/**", name)
}

func (r *Rule) findIdentifier(file string, src []byte) ([]Hit, bool) {
	l := language(file, src)
	if l.Document() {
		return nil, true
	}
	var hits []Hit
	if r.As == "defined" {
		if !l.HasDefs() {
			return nil, l == nil
		}
		for _, d := range l.Defs(src) {
			if d.Name == r.Name || d.Qualified == r.Name {
				hits = append(hits, Hit{Line: d.Line, What: r.Name, key: r.Name})
			}
		}
		return hits, true
	}
	if !bytes.Contains(src, []byte(r.last)) {
		return nil, true
	}
	var lines [][]byte
	if r.spelled != nil {
		lines = bytes.Split(src, []byte("\n"))
	}
	taken := map[int]int{}
	l.Identifiers(src, func(name []byte, line int) {
		if string(name) != r.last {
			return
		}
		if r.spelled != nil {
			if line < 1 || line > len(lines) || taken[line] >= len(r.spelled.FindAllIndex(lines[line-1], -1)) {
				return
			}
			taken[line]++
		}
		hits = append(hits, Hit{Line: line, What: r.Name, key: r.Name})
	})
	return hits, true
}

const maxTextLine = 4000 // bytes; longer lines are nobody's writing

func (r *Rule) findText(file string, src []byte) []Hit {
	if bytes.IndexByte(src[:min(len(src), 8000)], 0) >= 0 {
		return nil // not text
	}
	if prefix, _ := r.re.LiteralPrefix(); !bytes.Contains(src, []byte(prefix)) {
		return nil
	}
	var classes []lang.LineClass
	if r.Lines == "code" || r.Lines == "comment" {
		l := language(file, src)
		if l == nil || l.Document() {
			if r.Lines == "comment" {
				return nil
			}
		} else {
			classes = l.Classify(src)
		}
	}
	var hits []Hit
	n := 0
	for rest := src; len(rest) > 0; {
		line := rest
		if i := bytes.IndexByte(rest, '\n'); i >= 0 {
			line, rest = rest[:i], rest[i+1:]
		} else {
			rest = nil
		}
		n++
		if len(line) > maxTextLine {
			continue
		}
		if classes != nil && n <= len(classes) {
			if c := classes[n-1]; r.Lines == "code" && c != lang.Code || r.Lines == "comment" && c != lang.Comment {
				continue
			}
		}
		if m := r.re.Find(bytes.TrimSuffix(line, []byte("\r"))); m != nil {
			hits = append(hits, Hit{Line: n, What: string(m), key: "text"})
		}
	}
	return hits
}

package config

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/bmatcuk/doublestar/v4"
	"go.yaml.in/yaml/v4"
)

// MaxBytes is the largest configuration that is read.
const MaxBytes = 1 << 20

// maxProblems is how many faults one error lists; the rest is counted.
const maxProblems = 20

// Problem is one fault of a configuration.
type Problem struct {
	Line int    // from 1; 0 where the fault is not at one line
	Text string // one clause, without the line
}

// Error lists the faults of a configuration, in order of line.
type Error struct {
	Problems []Problem
	More     int // faults beyond those listed
}

// Error is one line: the faults with their lines, joined by "; ".
func (e *Error) Error() string {
	parts := make([]string, 0, len(e.Problems)+1)
	for _, p := range e.Problems {
		if p.Line > 0 {
			parts = append(parts, fmt.Sprintf("line %d: %s", p.Line, p.Text))
		} else {
			parts = append(parts, p.Text)
		}
	}
	if e.More > 0 {
		parts = append(parts, fmt.Sprintf("and %d more", e.More))
	}
	return strings.Join(parts, "; ")
}

// Load reads a configuration. known are the ids of the checks that exist; nil
// leaves ids unchecked. An empty file is the default. The error, an [*Error],
// lists all faults; it does not name the file, which the caller does.
func Load(data []byte, known []string) (*Config, error) {
	if len(data) > MaxBytes {
		return nil, fault(0, "the file has %d bytes, at most %d are read", len(data), MaxBytes)
	}
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	if err := textual(data); err != nil {
		return nil, err
	}
	var doc yaml.Node
	if err := yaml.Load(data, &doc); err != nil {
		if isEmpty(data) {
			return Default(), nil
		}
		return nil, translate(err)
	}
	if len(doc.Content) == 0 || isNull(doc.Content[0]) {
		return Default(), nil
	}
	w := walker{known: known}
	w.config(doc.Content[0])
	if err := w.err(); err != nil {
		return nil, err
	}
	// The walk has judged every key and value; the strict decoder is the
	// second opinion, and the only one that fills the struct.
	c := Default()
	if err := yaml.Load(data, c, yaml.WithKnownFields(), yaml.WithUniqueKeys()); err != nil {
		return nil, translate(err)
	}
	return c, nil
}

// ParseFailOn reads the comma list of a --fail-on flag.
func ParseFailOn(list string) ([]string, error) {
	var out []string
	for _, w := range strings.Split(list, ",") {
		w = strings.TrimSpace(w)
		if !slices.Contains(FailOnValues, w) {
			return nil, fmt.Errorf("unknown fail-on value %s%s: one of %s", quote(w), didYouMean(w, FailOnValues), strings.Join(FailOnValues, ", "))
		}
		if !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	if len(out) > 1 && slices.Contains(out, "never") {
		return nil, errors.New(`fail-on "never" stands alone`)
	}
	return out, nil
}

// walker judges the parsed file node by node, so that every fault has its line
// and none hides another.
type walker struct {
	known    []string
	problems []Problem
	more     int
}

func (w *walker) fault(n *yaml.Node, format string, args ...any) {
	if len(w.problems) == maxProblems {
		w.more++
		return
	}
	w.problems = append(w.problems, Problem{Line: n.Line, Text: fmt.Sprintf(format, args...)})
}

func (w *walker) err() error {
	if len(w.problems) == 0 {
		return nil
	}
	slices.SortStableFunc(w.problems, func(a, b Problem) int { return a.Line - b.Line })
	return &Error{Problems: w.problems, More: w.more}
}

var (
	configKeys    = []string{"checks", "ignore", "scopes", "generated", "vendored", "exceptions", "fail-on", "memory"}
	exceptionKeys = []string{"check", "paths", "commits", "reason", "until"}
	memoryKeys    = []string{"folder", "spaces"}
)

func (w *walker) config(n *yaml.Node) {
	w.mapping(n, "the file", configKeys, func(key, value *yaml.Node) {
		switch key.Value {
		case "checks":
			w.mapping(value, "checks", nil, func(id, level *yaml.Node) {
				w.check(id)
				w.oneOf(level, "level of check "+quote(id.Value), Levels)
			})
		case "ignore", "generated", "vendored":
			w.globs(value, key.Value)
		case "scopes":
			w.mapping(value, "scopes", nil, func(scope, globs *yaml.Node) {
				w.globs(globs, "scope "+quote(scope.Value))
			})
		case "exceptions":
			w.sequence(value, "exceptions", func(e *yaml.Node) { w.exception(e) })
		case "fail-on":
			w.failOn(value)
		case "memory":
			w.memory(value)
		}
	})
}

func (w *walker) memory(n *yaml.Node) {
	w.mapping(n, "memory", memoryKeys, func(key, value *yaml.Node) {
		if key.Value == "folder" {
			if w.scalar(value, "folder of memory") && !ValidFolder(value.Value) {
				w.fault(value, "folder of memory is %s, not a path from the top of the repository with / and without ..", quote(value.Value))
			}
			return
		}
		w.mapping(value, "spaces of memory", nil, func(name, path *yaml.Node) {
			switch {
			case !ValidSpace(name.Value):
				w.fault(name, "space %s: a name of letters, digits, - and _ is needed, and not repo, which is the repository's own", quote(name.Value))
			case w.scalar(path, "folder of space "+quote(name.Value)) && strings.TrimSpace(path.Value) == "":
				w.fault(path, "the folder of space %s is empty", quote(name.Value))
			}
		})
	})
}

// ValidFolder says whether a path can be the folder of the memory: relative, with
// forward slashes, clean, and neither outside of the repository nor in .git.
func ValidFolder(folder string) bool {
	if folder == "." || !fs.ValidPath(folder) || strings.ContainsAny(folder, "\\:\x00") {
		return false
	}
	return !slices.ContainsFunc(strings.Split(folder, "/"), func(part string) bool { return strings.EqualFold(part, ".git") })
}

// ValidSpace says whether a word can name a space.
func ValidSpace(name string) bool {
	if name == "" || len(name) > 60 || name == "repo" {
		return false
	}
	return strings.Trim(strings.ToLower(name), "abcdefghijklmnopqrstuvwxyz0123456789-_") == ""
}

func (w *walker) failOn(n *yaml.Node) {
	words := 0
	var never *yaml.Node
	w.sequence(n, "fail-on", func(v *yaml.Node) {
		words++
		w.oneOf(v, "fail-on value", FailOnValues)
		if v.Value == "never" {
			never = v
		}
	})
	if never != nil && words > 1 {
		w.fault(never, `fail-on "never" stands alone`)
	}
}

func (w *walker) exception(n *yaml.Node) {
	if isNull(n) {
		w.fault(n, "exception is empty: check, reason and until are needed")
		return
	}
	seen := map[string]bool{}
	ok := w.mapping(n, "exception", exceptionKeys, func(key, value *yaml.Node) {
		seen[key.Value] = true
		switch key.Value {
		case "check":
			if w.scalar(value, "check of an exception") {
				w.check(value)
			}
		case "paths":
			w.globs(value, "paths of an exception")
		case "commits":
			w.sequence(value, "commits of an exception", func(v *yaml.Node) {
				if w.scalar(v, "commit") && !isHash(v.Value) {
					w.fault(v, "commit %s is not a hash of 7 to 64 hexadecimal digits", quote(v.Value))
				}
			})
		case "reason":
			if w.scalar(value, "reason of an exception") && strings.TrimSpace(value.Value) == "" {
				w.fault(value, "reason of an exception is empty")
			}
		case "until":
			if !w.scalar(value, "until of an exception") {
				return
			}
			if _, err := time.Parse(dateForm, value.Value); err != nil {
				w.fault(value, "until %s is not a day as YYYY-MM-DD", quote(value.Value))
			}
		}
	})
	for _, k := range []string{"check", "reason", "until"} {
		if ok && !seen[k] {
			w.fault(n, "exception without %q: check, reason and until are needed", k)
		}
	}
}

// check reports an id that no check has.
func (w *walker) check(n *yaml.Node) {
	if w.known != nil && !slices.Contains(w.known, n.Value) {
		w.fault(n, "unknown check %s%s", quote(n.Value), didYouMean(n.Value, w.known))
	}
}

func (w *walker) globs(n *yaml.Node, what string) {
	w.sequence(n, what, func(v *yaml.Node) {
		if !w.scalar(v, "pattern of "+what) {
			return
		}
		switch {
		case strings.Trim(v.Value, "/ ") == "":
			w.fault(v, "empty pattern in %s", what)
		case strings.HasPrefix(v.Value, "!"):
			w.fault(v, "pattern %s in %s: exclusions with ! are not read", quote(v.Value), what)
		case !doublestar.ValidatePattern(v.Value):
			w.fault(v, "pattern %s in %s is not a glob (an unclosed [ or {?)", quote(v.Value), what)
		}
	})
}

func (w *walker) oneOf(n *yaml.Node, what string, values []string) {
	if w.scalar(n, what) && !slices.Contains(values, n.Value) {
		w.fault(n, "%s is %s%s: one of %s", what, quote(n.Value), didYouMean(n.Value, values), strings.Join(values, ", "))
	}
}

// mapping visits the pairs of a mapping. With keys given, others are faults.
func (w *walker) mapping(n *yaml.Node, what string, keys []string, visit func(key, value *yaml.Node)) bool {
	if !w.plain(n) || isNull(n) {
		return false
	}
	if n.Kind != yaml.MappingNode {
		w.fault(n, "%s is %s, not a mapping (key: value)", what, kindName(n))
		return false
	}
	lines := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if !w.scalar(key, "key of "+what) {
			continue
		}
		if first, twice := lines[key.Value]; twice {
			w.fault(key, "key %s is already at line %d", quote(key.Value), first)
			continue
		}
		lines[key.Value] = key.Line
		if keys != nil && !slices.Contains(keys, key.Value) {
			w.fault(key, "unknown key %s%s", quote(key.Value), didYouMean(key.Value, keys))
			continue
		}
		visit(key, value)
	}
	return true
}

func (w *walker) sequence(n *yaml.Node, what string, visit func(*yaml.Node)) {
	if !w.plain(n) || isNull(n) {
		return
	}
	if n.Kind != yaml.SequenceNode {
		w.fault(n, "%s is %s, not a list (- item)", what, kindName(n))
		return
	}
	for _, item := range n.Content {
		visit(item)
	}
}

func (w *walker) scalar(n *yaml.Node, what string) bool {
	if !w.plain(n) {
		return false
	}
	if n.Kind != yaml.ScalarNode || isNull(n) {
		w.fault(n, "%s is %s, not a word", what, kindName(n))
		return false
	}
	return true
}

// plain refuses anchors, aliases and tags: nothing here needs them, and they
// are how a small file grows into a large one.
func (w *walker) plain(n *yaml.Node) bool {
	switch {
	case n.Kind == yaml.AliasNode:
		w.fault(n, "aliases are not read here: write the value out")
	case n.Anchor != "":
		w.fault(n, "anchors are not read here: write the value out")
	case n.Style&yaml.TaggedStyle != 0:
		w.fault(n, "tags are not read here")
	default:
		return true
	}
	return false
}

func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.Tag == "!!null" }

func kindName(n *yaml.Node) string {
	switch {
	case isNull(n):
		return "empty"
	case n.Kind == yaml.MappingNode:
		return "a mapping"
	case n.Kind == yaml.SequenceNode:
		return "a list"
	case n.Kind == yaml.ScalarNode:
		return "the word " + quote(n.Value)
	}
	return "something else"
}

func isHash(s string) bool {
	if len(s) < 7 || len(s) > 64 {
		return false
	}
	return strings.Trim(s, "0123456789abcdefABCDEF") == ""
}

// textual refuses what the YAML reader would refuse without saying where.
func textual(data []byte) error {
	line := 1
	for i := 0; i < len(data); {
		r, n := utf8.DecodeRune(data[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			return fault(line, "byte 0x%02x is not UTF-8: save the file as UTF-8", data[i])
		case r == '\n':
			line++
		case r < ' ' && r != '\t' && r != '\r', r == 0x7f:
			return fault(line, "control character 0x%02x", r)
		}
		i += n
	}
	return nil
}

// isEmpty says whether the file has nothing but blanks, comments and document marks.
func isEmpty(data []byte) bool {
	for line := range bytes.Lines(data) {
		line = bytes.TrimSpace(line)
		if len(line) > 0 && line[0] != '#' && string(line) != "---" && string(line) != "..." {
			return false
		}
	}
	return true
}

// translate turns an error of the YAML library into ours.
func translate(err error) error {
	if all := (*yaml.LoadErrors)(nil); errors.As(err, &all) && len(all.Errors) > 0 {
		out := &Error{}
		for _, e := range all.Errors {
			if len(out.Problems) == maxProblems {
				out.More++
				continue
			}
			out.Problems = append(out.Problems, Problem{Line: e.Mark.Line, Text: clause(e.Message)})
		}
		return out
	}
	if one := (*yaml.LoadError)(nil); errors.As(err, &one) {
		return fault(one.Mark.Line, "not YAML: %s", clause(one.Message))
	}
	return fault(0, "not YAML: %s", clause(err.Error()))
}

// clause is a message of the library as one short clause without control characters.
func clause(msg string) string {
	msg = strings.TrimPrefix(msg, "yaml: ")
	if strings.Contains(msg, "expected single document") {
		return "more than one document (---): one is read"
	}
	q := strconv.Quote(msg)
	q = strings.ReplaceAll(q[1:len(q)-1], `\"`, `"`)
	return cut(q, 200)
}

func fault(line int, format string, args ...any) error {
	return &Error{Problems: []Problem{{Line: line, Text: fmt.Sprintf(format, args...)}}}
}

// quote quotes what stood in the file, short and with control characters escaped.
func quote(s string) string { return strconv.Quote(cut(s, 60)) }

func cut(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:n]) + "…"
}

package memory

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"
)

// Parse reads the file of the entry id. It never fails: what cannot be read
// without doubt is told in Faults, and a fatal one keeps the entry from being
// reviewed whatever the file says. RelPath is left to the caller.
func Parse(id string, raw []byte) Entry {
	sum := sha256.Sum256(raw)
	e := Entry{
		ID: id, Title: id, Kind: KindHandoff, ReviewState: Proposed, Version: 1,
		Hash: hex.EncodeToString(sum[:]), CreatedAtMs: idTime(id),
	}
	if len(raw) > MaxFileBytes {
		e.Stub, e.ReviewState = true, Stale
		e.fault(0, "size", true, "the file has %d bytes, at most %d are read", len(raw), MaxFileBytes)
		return e
	}
	p := parser{e: &e, untitled: true}
	f := splitFile(raw)
	e.Faults = f.faults
	if f.closed {
		p.frontmatter(raw[f.head.start:f.head.end])
	}
	if e.Stub {
		// Nothing of another version is taken for what this one means by it.
		e = Entry{
			ID: id, Title: e.Title, Date: e.Date, CreatedAtMs: e.CreatedAtMs, Kind: KindHandoff, ReviewState: Stale,
			SchemaVersion: e.SchemaVersion, Version: 1, Stub: true, Hash: e.Hash, Faults: e.Faults,
			Notes: "This entry declares a version of the format that this program does not read.",
		}
		return e
	}
	p.body(raw[f.body:])
	if p.untitled && p.heading != "" {
		e.Title = p.heading
	}
	switch {
	case !e.Readable():
		e.ReviewState = Stale
	case e.ReviewState == Reviewed && e.SchemaVersion == 0:
		e.ReviewState = Proposed
	}
	slices.SortStableFunc(e.Faults, func(a, b Fault) int { return a.Line - b.Line })
	return e
}

func (e *Entry) fault(line int, rule string, fatal bool, format string, args ...any) {
	e.Faults = append(e.Faults, Fault{Line: line, Rule: rule, Fatal: fatal, Text: fmt.Sprintf(format, args...)})
}

// span is a part of a file, in bytes.
type span struct{ start, end int }

// file is where the parts of a file are.
type file struct {
	closed bool // it has frontmatter
	head   span // the lines between the fences
	fence  int  // start of the closing fence
	body   int
	faults []Fault
}

// splitFile finds the fences. They are lines of exactly three hyphens, the
// first one the first line of the file. What looks like a fence and is none is
// a fatal fault: whoever reads it with another rule would read another entry.
func splitFile(raw []byte) file {
	var f file
	fault := func(line int, rule, text string) {
		f.faults = append(f.faults, Fault{Line: line, Rule: rule, Text: text, Fatal: true})
	}
	start := 0
	if bytes.HasPrefix(raw, []byte("\xef\xbb\xbf")) {
		fault(1, "bom", "the file begins with a byte order mark: save it without one")
		start = 3
	}
	at := start
	first, next := lineAt(raw, at)
	if string(first) != "---" {
		if line, n := firstWords(raw[at:]); strings.HasPrefix(strings.TrimSpace(line), "---") {
			fault(n, "fence", "the opening fence is not a first line of exactly ---")
		}
		f.body = start
		return f
	}
	f.head.start = next
	for at, line := next, 2; at < len(raw); line++ {
		text, next := lineAt(raw, at)
		switch t := strings.TrimSpace(string(text)); {
		case string(text) == "---":
			f.closed, f.head.end, f.fence, f.body = true, at, at, next
			return f
		case t == "---" || t == "...":
			fault(line, "fence", "the closing fence is not a line of exactly ---")
		}
		at = next
	}
	fault(1, "fence", "the frontmatter is not closed by a line of exactly ---")
	f.body = start
	return f
}

// lineAt is the line that starts at a byte, without its end, and where the next one starts.
func lineAt(raw []byte, at int) (line []byte, next int) {
	rest := raw[at:]
	if i := bytes.IndexByte(rest, '\n'); i >= 0 {
		return bytes.TrimSuffix(rest[:i], []byte("\r")), at + i + 1
	}
	return rest, len(raw)
}

// firstWords is the first line that is not blank, and its number.
func firstWords(raw []byte) (string, int) {
	n := 0
	for line := range bytes.Lines(raw) {
		n++
		if len(bytes.TrimSpace(line)) > 0 {
			return string(line), n
		}
	}
	return "", 0
}

// parser fills an entry from the nodes of its frontmatter and the lines of its body.
type parser struct {
	e        *Entry
	untitled bool
	heading  string // first heading of the body that names no section
}

// Keys are the frontmatter keys that have a meaning, in the order in which they are written.
var Keys = []string{
	"schemaVersion", "date", "runId", "provider", "model", "mode", "status", "title", "kind", "reviewState", "tags", "sourceRefs", "supersedes",
	"version", "pendingRevision", "mergedFrom", "lastDeltaSummary", "appliesTo", "author", "reviewer", "stateReason", "stateDate", "asserts",
}

func (p *parser) frontmatter(head []byte) {
	e := p.e
	if line, what := untextual(head); what != "" {
		e.fault(line+1, "characters", true, "%s in the frontmatter", what)
		return
	}
	if len(bytes.TrimSpace(head)) == 0 {
		return
	}
	var doc yaml.Node
	if err := yaml.Load(head, &doc); err != nil {
		if onlyComments(head) {
			return
		}
		line, text := yamlFault(err)
		if line > 0 {
			line++
		}
		e.fault(line, "yaml", true, "the frontmatter is not YAML: %s", text)
		return
	}
	if len(doc.Content) == 0 {
		return
	}
	root := doc.Content[0]
	p.plain(root)
	if root.Kind != yaml.MappingNode {
		e.fault(root.Line+1, "yaml", true, "the frontmatter is not a mapping (key: value)")
		return
	}
	if root.Style&yaml.FlowStyle != 0 {
		e.fault(root.Line+1, "yaml", true, "the frontmatter is written in braces: one key a line")
		return
	}
	seen := map[string]*yaml.Node{}
	starts := []int{}
	for i := 0; i+1 < len(root.Content); i += 2 {
		starts = append(starts, root.Content[i].Line)
	}
	for i := 0; i+1 < len(root.Content); i += 2 {
		key, value := root.Content[i], root.Content[i+1]
		if key.Kind != yaml.ScalarNode {
			e.fault(key.Line+1, "yaml", true, "a key is not a word")
			continue
		}
		if first, twice := seen[key.Value]; twice {
			e.fault(key.Line+1, "duplicate-key", true, "key %s is already at line %d", quote(key.Value), first.Line+1)
			continue
		}
		seen[key.Value] = key
		if key.Value == "asserts" {
			next := 0 // to the end
			if i+2 < len(root.Content) {
				next = starts[i/2+1]
			}
			e.Asserts, e.AssertsLine = linesOf(head, key.Line, next), key.Line+1
		}
		p.key(key, value)
	}
	if seen["schemaVersion"] == nil {
		e.fault(0, "version", false, "the frontmatter has no schemaVersion")
	}
}

// key reads one pair.
func (p *parser) key(key, value *yaml.Node) {
	e, line := p.e, key.Line+1
	if !slices.Contains(Keys, key.Value) {
		fatal := key.Tag == "!!merge"
		e.fault(line, "unknown-key", fatal, "unknown key %s%s", quote(key.Value), didYouMean(key.Value, Keys))
		p.clean(value)
		return
	}
	if !p.clean(value) {
		return
	}
	text := func(to *string) {
		if s, ok := p.scalar(key, value, false); ok {
			if *to = Line(s); *to != s {
				e.fault(line, "characters", false, "%s has control characters or blanks around it", key.Value)
			}
		}
	}
	switch key.Value {
	case "schemaVersion":
		p.version(value, line)
	case "date":
		p.date(key, value)
	case "title":
		var title string
		text(&title)
		if title == "" {
			e.fault(line, "title", false, "the title is empty")
			return
		}
		e.Title, p.untitled = title, false
		if n := utf8.RuneCountInString(title); n > MaxTitle {
			e.fault(line, "limit", false, "the title has %d characters, at most %d", n, MaxTitle)
		}
	case "kind":
		if s, ok := p.scalar(key, value, true); ok {
			if !slices.Contains(Kinds, Kind(s)) {
				e.fault(line, "kind", true, "kind is %s%s: one of %s", quote(s), didYouMean(s, strs(Kinds)), strings.Join(strs(Kinds), ", "))
				return
			}
			e.Kind = Kind(s)
		}
	case "reviewState":
		if s, ok := p.scalar(key, value, true); ok {
			if !slices.Contains(States, State(s)) {
				e.fault(line, "state", true, "reviewState is %s%s: one of %s", quote(s), didYouMean(s, strs(States)), strings.Join(strs(States), ", "))
				return
			}
			e.ReviewState = State(s)
		}
	case "mode":
		if s, ok := p.scalar(key, value, false); ok {
			if !slices.Contains(Modes, s) {
				e.fault(line, "mode", false, "mode is %s: one of %s", quote(s), strings.Join(Modes, ", "))
				return
			}
			e.Mode = s
		}
	case "tags":
		e.Tags = p.words(key, value, "tag", MaxTags, MaxTag)
	case "appliesTo":
		e.AppliesTo = p.words(key, value, "glob", 0, 0)
	case "mergedFrom":
		for _, id := range p.words(key, value, "id", 0, 0) {
			if !ValidID(id) {
				e.fault(line, "pointer", true, "mergedFrom names %s, which is no id", quote(id))
				continue
			}
			e.MergedFrom = append(e.MergedFrom, id)
		}
	case "supersedes", "pendingRevision":
		s, ok := p.scalar(key, value, false)
		if !ok {
			return
		}
		if !ValidID(s) {
			e.fault(line, "pointer", true, "%s is %s, which is no id", key.Value, quote(s))
			return
		}
		if key.Value == "supersedes" {
			e.Supersedes = s
		} else {
			e.PendingRevision = s
		}
	case "sourceRefs":
		p.sourceRefs(value)
	case "version":
		s, ok := p.scalar(key, value, false)
		n, err := strconv.Atoi(s)
		if ok && (err != nil || n < 1 || n > 1<<30) {
			e.fault(line, "revision", false, "version is %s, not a number from 1", quote(s))
		} else if ok {
			e.Version = n
		}
	case "stateDate":
		text(&e.StateDate)
		if _, err := time.Parse(time.DateOnly, e.StateDate); err != nil {
			e.fault(line, "date", false, "stateDate is %s, not a day as YYYY-MM-DD", quote(e.StateDate))
			e.StateDate = ""
		}
	case "asserts": // its bytes were taken, its language is not known here
	default:
		text(p.field(key.Value))
	}
}

// field is where the text of a key goes.
func (p *parser) field(key string) *string {
	e := p.e
	switch key {
	case "runId":
		return &e.RunID
	case "provider":
		return &e.Provider
	case "model":
		return &e.Model
	case "status":
		return &e.Status
	case "lastDeltaSummary":
		return &e.LastDeltaSummary
	case "author":
		return &e.Author
	case "reviewer":
		return &e.Reviewer
	}
	return &e.StateReason
}

// version takes the digit 1 and nothing else for this version of the format:
// a reader that rounds, trims or guesses would interpret what it does not know.
func (p *parser) version(n *yaml.Node, line int) {
	e := p.e
	if n.Kind == yaml.ScalarNode && n.Tag == "!!int" && n.Value == "1" {
		e.SchemaVersion = SchemaVersion
		return
	}
	e.Stub, e.SchemaVersion = true, SchemaVersion+1
	if v, err := strconv.Atoi(n.Value); err == nil && n.Kind == yaml.ScalarNode && v != SchemaVersion {
		e.SchemaVersion = v
	}
	e.fault(line, "version", true, "schemaVersion is %s, this program reads %d", quote(n.Value), SchemaVersion)
}

func (p *parser) date(key, value *yaml.Node) {
	s, ok := p.scalar(key, value, false)
	if !ok {
		return
	}
	t, err := time.Parse(time.RFC3339, s)
	if err != nil || t.UnixMilli() < 0 || t.UTC().Year() > 9999 {
		p.e.fault(key.Line+1, "date", false, "date is %s, not a time as 2006-01-02T15:04:05Z", quote(s))
		p.e.CreatedAtMs = 0
		return
	}
	p.e.Date, p.e.CreatedAtMs = t.UTC().Format(time.RFC3339), t.UnixMilli()
}

// words reads a list of words. max and maxWord 0 mean no limit.
func (p *parser) words(key, value *yaml.Node, what string, max, maxWord int) []string {
	if value.Kind != yaml.SequenceNode {
		p.e.fault(key.Line+1, "list", false, "%s is not a list ([a, b])", key.Value)
		return nil
	}
	var out []string
	for _, n := range value.Content {
		s := Line(n.Value)
		if n.Kind != yaml.ScalarNode || s == "" {
			p.e.fault(n.Line+1, "list", false, "a %s of %s is not a word", what, key.Value)
			continue
		}
		if maxWord > 0 && utf8.RuneCountInString(s) > maxWord {
			p.e.fault(n.Line+1, "limit", false, "a %s has %d characters, at most %d", what, utf8.RuneCountInString(s), maxWord)
		}
		if slices.Contains(out, s) {
			p.e.fault(n.Line+1, "limit", false, "%s %s is there twice", what, quote(s))
			continue
		}
		out = append(out, s)
	}
	if max > 0 && len(value.Content) > max {
		p.e.fault(key.Line+1, "limit", false, "%d in %s, at most %d", len(value.Content), key.Value, max)
	}
	return out
}

var sourceKeys = []string{"sourceType", "id", "label", "path", "lineStart", "lineEnd"}

func (p *parser) sourceRefs(value *yaml.Node) {
	e := p.e
	if value.Kind != yaml.SequenceNode {
		e.fault(value.Line+1, "source", false, "sourceRefs is not a list")
		return
	}
	if n := len(value.Content); n > MaxSourceRefs {
		e.fault(value.Line+1, "limit", false, "%d in sourceRefs, at most %d", n, MaxSourceRefs)
	}
	for _, n := range value.Content {
		if n.Kind != yaml.MappingNode {
			e.fault(n.Line+1, "source", false, "a source reference is not a mapping")
			continue
		}
		var s SourceRef
		good, seen := true, map[string]bool{}
		bad := func(at *yaml.Node, format string, args ...any) {
			good = false
			e.fault(at.Line+1, "source", false, format, args...)
		}
		for i := 0; i+1 < len(n.Content); i += 2 {
			k, v := n.Content[i], n.Content[i+1]
			switch {
			case !slices.Contains(sourceKeys, k.Value):
				bad(k, "unknown key %s in a source reference%s", quote(k.Value), didYouMean(k.Value, sourceKeys))
				continue
			case seen[k.Value]:
				bad(k, "key %s is twice in a source reference", quote(k.Value))
				continue
			case v.Kind != yaml.ScalarNode:
				bad(v, "%s of a source reference is not a word", k.Value)
				continue
			}
			seen[k.Value] = true
			switch k.Value {
			case "sourceType":
				if s.Type = v.Value; !slices.Contains(SourceTypes, s.Type) {
					bad(v, "sourceType is %s: one of %s", quote(v.Value), strings.Join(SourceTypes, ", "))
				}
			case "id":
				if s.ID = Line(v.Value); s.ID == "" {
					bad(v, "the id of a source reference is empty")
				}
			case "label":
				s.Label = Line(v.Value)
			case "path":
				s.Path = Line(v.Value)
			default:
				at, err := strconv.Atoi(v.Value)
				if err != nil || at < 1 || at > 1<<30 {
					bad(v, "%s is %s, not a line from 1", k.Value, quote(v.Value))
				}
				if k.Value == "lineStart" {
					s.LineStart = at
				} else {
					s.LineEnd = at
				}
			}
		}
		if !seen["sourceType"] || !seen["id"] {
			bad(n, "a source reference needs sourceType and id")
		}
		if good {
			e.SourceRefs = append(e.SourceRefs, s)
		}
	}
}

// scalar is the value of a key that holds one word. An empty one is a fault,
// and a fatal one where the key decides how far the entry is trusted.
func (p *parser) scalar(key, n *yaml.Node, fatal bool) (string, bool) {
	switch {
	case n.Kind != yaml.ScalarNode:
		p.e.fault(key.Line+1, "value", fatal, "%s is not a word", key.Value)
	case n.Tag == "!!null" || strings.TrimSpace(n.Value) == "":
		p.e.fault(key.Line+1, "value", fatal, "%s is empty", key.Value)
	default:
		return n.Value, true
	}
	return "", false
}

// clean says whether a node and all below it are plain.
func (p *parser) clean(n *yaml.Node) bool {
	if !p.plain(n) {
		return false
	}
	for _, c := range n.Content {
		if !p.clean(c) {
			return false
		}
	}
	return true
}

// plain refuses anchors, aliases and tags: nothing here needs them, and they
// make a line mean what stands elsewhere.
func (p *parser) plain(n *yaml.Node) bool {
	switch {
	case n.Kind == yaml.AliasNode:
		p.e.fault(n.Line+1, "anchor", true, "aliases are not read here: write the value out")
	case n.Anchor != "":
		p.e.fault(n.Line+1, "anchor", true, "anchors are not read here: write the value out")
	case n.Style&yaml.TaggedStyle != 0:
		p.e.fault(n.Line+1, "anchor", true, "tags are not read here")
	default:
		return true
	}
	return false
}

// linesOf is the text from line first (from 1) up to line next, 0 for the end.
// Blank lines and comments at the left edge behind it belong to what follows.
func linesOf(head []byte, first, next int) string {
	start, end := lineStart(head, first), len(head)
	if next > 0 {
		end = lineStart(head, next)
	}
	return string(head[start:trimTrailing(head, start, end)])
}

// lineStart is where a line begins, its number counted from 1.
func lineStart(b []byte, line int) int {
	at := 0
	for ; line > 1 && at < len(b); line-- {
		_, at = lineAt(b, at)
	}
	return at
}

// trimTrailing moves end up over blank lines and comments at the left edge.
func trimTrailing(b []byte, start, end int) int {
	for end > start {
		at := bytes.LastIndexByte(b[start:end-1], '\n') + 1 + start
		line := bytes.TrimSpace(b[at:end])
		if at == start || len(line) > 0 && b[at] != '#' {
			break
		}
		end = at
	}
	return end
}

// untextual names the first thing in the frontmatter that no text file has.
func untextual(b []byte) (line int, what string) {
	line = 1
	for i := 0; i < len(b); {
		r, n := utf8.DecodeRune(b[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			return line, fmt.Sprintf("byte 0x%02x, which is not UTF-8,", b[i])
		case r == '\n':
			line++
		case r < ' ' && r != '\t' && r != '\r', r >= 0x7f && r <= 0x9f, r == '\u2028', r == '\u2029':
			return line, fmt.Sprintf("control character U+%04X", r)
		case r == '\r' && (i+1 == len(b) || b[i+1] != '\n'):
			return line, "a carriage return inside a line"
		}
		i += n
	}
	return 0, ""
}

func onlyComments(b []byte) bool {
	for line := range bytes.Lines(b) {
		if line = bytes.TrimSpace(line); len(line) > 0 && line[0] != '#' {
			return false
		}
	}
	return true
}

// yamlFault is what the YAML library says, as one clause.
func yamlFault(err error) (line int, text string) {
	text = err.Error()
	if all := (*yaml.LoadErrors)(nil); errors.As(err, &all) && len(all.Errors) > 0 {
		line, text = all.Errors[0].Mark.Line, all.Errors[0].Message
	} else if one := (*yaml.LoadError)(nil); errors.As(err, &one) {
		line, text = one.Mark.Line, one.Message
	}
	return line, cut(strings.Trim(strconv.Quote(strings.TrimPrefix(text, "yaml: ")), `"`), 200)
}

// idTime is the time that an id begins with (2006-01-02-1504), 0 for none.
func idTime(id string) int64 {
	const form = "2006-01-02-1504"
	if len(id) < len(form) {
		return 0
	}
	t, err := time.Parse(form, id[:len(form)])
	if err != nil || t.UnixMilli() < 0 {
		return 0
	}
	return t.UnixMilli()
}

// quote quotes what stood in the file, short and with control characters escaped.
func quote(s string) string { return strconv.Quote(cut(strings.ToValidUTF8(s, "\uFFFD"), 60)) }

func cut(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:n-1]) + "…"
}

func strs[T ~string](l []T) []string {
	out := make([]string, len(l))
	for i, s := range l {
		out[i] = string(s)
	}
	return out
}

// didYouMean is a hint at the word of a list that s is a slip of: the same but
// for case, or one a beginning of the other.
func didYouMean(s string, words []string) string {
	for _, w := range words {
		if strings.EqualFold(s, w) || len(s) > 3 && (strings.HasPrefix(w, s) || strings.HasPrefix(s, w)) {
			return fmt.Sprintf(": did you mean %q?", w)
		}
	}
	return ""
}

package memory

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/bmatcuk/doublestar/v4"
)

// Normalize is an entry as a file can hold it: text made fit for its place,
// blanks and doubles dropped, kind and state filled in. [Parse] of what
// [Render] writes gives the same values back.
func Normalize(e Entry) Entry {
	e = e.Clone()
	for _, s := range []*string{&e.Title, &e.RunID, &e.Provider, &e.Model, &e.Status, &e.LastDeltaSummary, &e.Author, &e.Reviewer, &e.StateReason, &e.Goal} {
		*s = Line(*s)
	}
	e.Tags, e.AppliesTo, e.MergedFrom = words(e.Tags, true), words(e.AppliesTo, true), words(e.MergedFrom, true)
	e.Plan, e.Decisions, e.NextSteps = words(e.Plan, false), words(e.Decisions, false), words(e.NextSteps, false)
	e.FilesTouched = words(e.FilesTouched, true)
	if len(e.SourceRefs) == 0 {
		e.SourceRefs = nil
	}
	for i := range e.SourceRefs {
		r := &e.SourceRefs[i]
		r.ID, r.Label, r.Path = Line(r.ID), Line(r.Label), Line(r.Path)
	}
	e.Notes = Block(e.Notes)
	e.SchemaVersion = SchemaVersion
	if e.Kind == "" {
		e.Kind = KindHandoff
	}
	if e.ReviewState == "" {
		e.ReviewState = Proposed
	}
	e.Version = max(e.Version, 1)
	if e.Title == "" {
		e.Title = e.ID
	}
	e.Faults, e.Stub, e.AssertsLine = nil, false, 0
	return e
}

// words are the items of a list that are not empty, each a line. A bullet that
// has nothing but the mark of a bullet in it is empty as well.
func words(list []string, unique bool) []string {
	var out []string
	for _, s := range list {
		if s = Line(s); s == "" || s == "-" || s == "*" || s == "+" || unique && slices.Contains(out, s) {
			continue
		}
		out = append(out, s)
	}
	return out
}

// Validate says what of the limits and grammars of the format an entry breaks,
// all of it in one error; nil for nothing. Writing calls refuse such an entry.
func (e *Entry) Validate() error {
	var errs []error
	bad := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if n := utf8.RuneCountInString(e.Title); n < 1 || n > MaxTitle {
		bad("the title has %d characters, 1 to %d are allowed", n, MaxTitle)
	}
	if !slices.Contains(Kinds, e.Kind) {
		bad("kind is %s: one of %s", quote(string(e.Kind)), strings.Join(strs(Kinds), ", "))
	}
	if !slices.Contains(States, e.ReviewState) {
		bad("state is %s: one of %s", quote(string(e.ReviewState)), strings.Join(strs(States), ", "))
	}
	if e.Mode != "" && !slices.Contains(Modes, e.Mode) {
		bad("mode is %s: one of %s", quote(e.Mode), strings.Join(Modes, ", "))
	}
	if len(e.Tags) > MaxTags {
		bad("%d tags, at most %d", len(e.Tags), MaxTags)
	}
	for _, t := range e.Tags {
		if n := utf8.RuneCountInString(t); n > MaxTag {
			bad("tag %s has %d characters, at most %d", quote(t), n, MaxTag)
		}
	}
	if len(e.SourceRefs) > MaxSourceRefs {
		bad("%d source references, at most %d", len(e.SourceRefs), MaxSourceRefs)
	}
	for _, r := range e.SourceRefs {
		if why := r.wrong(); why != "" {
			bad("source reference %s: %s", quote(r.ID), why)
		}
	}
	for _, f := range e.FilesTouched {
		if why := wrongPath(f); why != "" {
			bad("file %s: %s", quote(f), why)
		}
	}
	for name, id := range map[string]string{"supersedes": e.Supersedes, "pendingRevision": e.PendingRevision} {
		if id != "" && !ValidID(id) {
			bad("%s is %s, which is no id", name, quote(id))
		}
		if id != "" && id == e.ID {
			bad("%s is the entry itself", name)
		}
	}
	for _, id := range e.MergedFrom {
		if !ValidID(id) || id == e.ID {
			bad("mergedFrom names %s", quote(id))
		}
	}
	for _, g := range e.AppliesTo {
		if !validGlob(g) {
			bad("appliesTo %s is not a glob", quote(g))
		}
	}
	if e.Asserts != "" && assertsFault(e.Asserts) != "" {
		bad("asserts: %s", assertsFault(e.Asserts))
	}
	slices.SortFunc(errs, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	return errors.Join(errs...)
}

// wrong says what is wrong with a reference, "" for nothing.
func (r SourceRef) wrong() string {
	switch {
	case !slices.Contains(SourceTypes, r.Type):
		return fmt.Sprintf("sourceType is %s: one of %s", quote(r.Type), strings.Join(SourceTypes, ", "))
	case r.ID == "":
		return "the id is empty"
	case r.LineStart < 0 || r.LineEnd < 0:
		return "a line below 1"
	case r.LineEnd > 0 && (r.LineStart == 0 || r.LineEnd < r.LineStart):
		return "the last line is before the first"
	case r.Path != "":
		return wrongPath(r.Path)
	}
	return ""
}

// wrongPath says why a path cannot be one from the top of a repository. A path
// of the machine must not get into an entry: it means nothing elsewhere and
// tells who wrote it.
func wrongPath(p string) string {
	switch {
	case strings.HasPrefix(p, "/") || strings.HasPrefix(p, "~") || strings.HasPrefix(p, `\\`) || len(p) > 2 && p[1] == ':' && (p[2] == '\\' || p[2] == '/'):
		return "an absolute path: give it from the top of the repository"
	case p == ".." || strings.HasPrefix(path.Clean(strings.ReplaceAll(p, `\`, "/")), "../"):
		return "leads out of the repository"
	case strings.Contains(p, "`"):
		return "holds a backtick"
	}
	return ""
}

// assertsFault says why a text is not one list under the key asserts.
func assertsFault(text string) string {
	e := Parse("x", []byte("---\nschemaVersion: 1\nreviewState: reviewed\n"+text+"---\n"))
	switch {
	case !strings.HasPrefix(text, "asserts:"):
		return "does not begin with the key asserts:"
	case !strings.HasSuffix(text, "\n"):
		return "does not end in a line end"
	case !e.Readable():
		return e.Faults[0].Text
	case e.ReviewState != Reviewed || e.Asserts != text || len(e.Faults) > 0:
		return "holds other keys as well"
	}
	return ""
}

// Render writes an entry as a new file. The entry is normalized first; one that
// breaks the limits is an error and no bytes.
func Render(e Entry) ([]byte, error) {
	e = Normalize(e)
	if err := e.Validate(); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	b.WriteString("---\n")
	for _, key := range Keys {
		if key == "asserts" {
			b.WriteString(e.Asserts)
			continue
		}
		if v := e.value(key); v != "" {
			fmt.Fprintf(&b, "%s: %s\n", key, v)
		}
	}
	b.WriteString("---\n")
	for _, s := range sectionOrder {
		if text := e.sectionText(s); text != "" {
			fmt.Fprintf(&b, "\n# %s\n\n%s", sectionTitles[s], text)
		}
	}
	if b.Len() > MaxFileBytes {
		return nil, fmt.Errorf("the entry has %d bytes, at most %d", b.Len(), MaxFileBytes)
	}
	return b.Bytes(), nil
}

// value is the value of a key as YAML has it on one line, "" where the key is left out.
func (e *Entry) value(key string) string {
	switch key {
	case "schemaVersion":
		return strconv.Itoa(SchemaVersion)
	case "date":
		return e.Date
	case "kind":
		return string(e.Kind)
	case "reviewState":
		return string(e.ReviewState)
	case "title":
		return yamlText(e.Title)
	case "mode":
		return e.Mode
	case "tags":
		return yamlList(e.Tags)
	case "appliesTo":
		return yamlList(e.AppliesTo)
	case "mergedFrom":
		return yamlList(e.MergedFrom)
	case "sourceRefs":
		return yamlList(e.SourceRefs)
	case "supersedes":
		return yamlText(e.Supersedes)
	case "pendingRevision":
		return yamlText(e.PendingRevision)
	case "stateDate":
		return e.StateDate
	case "version":
		if e.Version > 1 {
			return strconv.Itoa(e.Version)
		}
		return ""
	}
	p := parser{e: e}
	return yamlText(*p.field(key))
}

// yamlList is a list on one line, in JSON, which is YAML as well.
func yamlList[T any](list []T) string {
	if len(list) == 0 {
		return ""
	}
	return jsonText(list)
}

func jsonText(v any) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return "" // strings and numbers always encode
	}
	return strings.TrimSpace(b.String())
}

// yamlText is a string as a YAML scalar: as it stands where nobody can take it
// for anything else, in double quotes otherwise.
func yamlText(s string) string {
	if s == "" || plainText(s) {
		return s
	}
	return jsonText(s)
}

func plainText(s string) bool {
	switch strings.ToLower(s) {
	case "null", "true", "false", "yes", "no", "on", "off", "y", "n":
		return false
	}
	before := ' '
	for i, r := range s {
		switch {
		case unicode.IsLetter(r):
		case i == 0:
			return false
		case unicode.IsDigit(r), strings.ContainsRune(" _./()+-,;'!?=<>&%*@", r):
		case r == ':' && i+1 < len(s) && s[i+1] != ' ':
		case r == '#' && before != ' ':
		default:
			return false
		}
		before = r
	}
	return true
}

var (
	sectionOrder  = []section{inGoal, inPlan, inDecisions, inFiles, inNext, inNotes}
	sectionTitles = map[section]string{
		inGoal: "Goal", inPlan: "Plan", inDecisions: "Decisions", inFiles: "Files touched", inNext: "Next steps", inNotes: "Notes",
	}
)

// sectionText is the content of a section with a line end behind it, "" for an empty one.
func (e *Entry) sectionText(s section) string {
	switch s {
	case inGoal:
		if e.Goal != "" {
			return escapeGoal(e.Goal) + "\n"
		}
	case inPlan:
		return bullets(e.Plan, "")
	case inDecisions:
		return bullets(e.Decisions, "")
	case inFiles:
		return bullets(e.FilesTouched, "`")
	case inNext:
		return bullets(e.NextSteps, "")
	case inNotes:
		if e.Notes != "" {
			return escapeNotes(e.Notes) + "\n"
		}
	}
	return ""
}

func bullets(items []string, quote string) string {
	var b strings.Builder
	for _, s := range items {
		fmt.Fprintf(&b, "- %s%s%s\n", quote, s, quote)
	}
	return b.String()
}

// escapeNotes keeps notes in their section. Code in fences is left as it is.
func escapeNotes(notes string) string {
	lines := strings.Split(notes, "\n")
	fence := ""
	for i, l := range lines {
		if next := fenceAfter(fence, l); next != fence || fence != "" {
			fence = next
			continue
		}
		lines[i] = escapeHeading(l)
	}
	return strings.Join(lines, "\n")
}

// NewID is the id of an entry that is written now: the minute in UTC, the words
// of its title in ASCII, and eight digits of the hash of its file, so that two
// branches that write at the same time do not choose the same name. salt tells
// apart what would have the same name all the same; 0 for the first try.
func NewID(at time.Time, title string, hash [32]byte, salt int) string {
	id := at.UTC().Format("2006-01-02-1504") + "-" + slug(title) + "-" + fmt.Sprintf("%x", hash[:4])
	if salt > 0 {
		id += "-" + strconv.Itoa(salt+1)
	}
	return id
}

func validGlob(g string) bool { return doublestar.ValidatePattern(g) && !strings.HasPrefix(g, "!") }

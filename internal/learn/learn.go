package learn

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/saysolint/sayso/change"
	"github.com/saysolint/sayso/internal/lang"
	"github.com/saysolint/sayso/memory"
)

// Change is what drafts are made of: one commit, the staged change, or the text
// of a pull request with all that it did.
type Change struct {
	Commit  string         // full hash; "" for what is staged
	Author  string         // name of who wrote it, "" where unknown
	At      time.Time      // when it was committed; for what is staged: now
	Message string         // of the commit; "" for a pull request
	Body    string         // of the pull request, else ""
	Request string         // the pull request, such as "#12", or ""
	Did     *change.Change // nil where it could not be read
}

// Options say what is looked for.
type Options struct {
	Notes    bool // also comments of the form NOTE(decision): ...
	Explicit bool // nothing but what was marked
}

// Mark says what a draft was made of.
type Mark string

const (
	MarkTrailer    Mark = "trailer"    // a line "Decision: ..." of the message
	MarkBlock      Mark = "block"      // a block "sayso" of the text of a pull request
	MarkNote       Mark = "note"       // a comment "NOTE(decision): ..." that the change adds
	MarkDependency Mark = "dependency" // a dependency took the place of another
	MarkRevert     Mark = "revert"     // a revert that says why
	MarkRegression Mark = "regression" // a fix with a test that keeps the fault away
	MarkRecord     Mark = "record"     // a decision record was added
)

// Marks are all marks, explicit ones first.
var Marks = []Mark{MarkTrailer, MarkBlock, MarkNote, MarkDependency, MarkRevert, MarkRegression, MarkRecord}

// Explicit says whether somebody marked it on purpose.
func (m Mark) Explicit() bool { return m == MarkTrailer || m == MarkBlock || m == MarkNote }

// Draft is a proposed entry with where it comes from.
type Draft struct {
	Entry   memory.Entry // always proposed; its id is the one that it has in every store
	File    []byte       // the entry as a file
	At      time.Time    // of the change
	Mark    Mark
	Quote   string // the words that it was made of, at most 500 characters
	Commit  string // "" for what is staged
	Request string // the pull request, "" for none
	Line    int    // of the message, text or file where the mark is, from 1; 0 where it is in none
	Path    string // of the file where the mark is, "" where it is in the message or text

	Ruling   *Ruling     // what the agreement engine says of its words; nil before [Rule]
	Held     string      // why nobody should accept it together with others, "" for nothing
	Near     []Neighbour // what it resembles, see [Compare]
	Known    *Known      // the entry that the store has of the same mark, nil for none
	Masked   []memory.SecretFound
	Warnings []string
}

// Known is the entry that a store has under the id of a draft.
type Known struct {
	ID    string       `json:"id"`    // of the entry
	State memory.State `json:"state"` // how far it has come
}

// Left is a mark that no draft was made of.
type Left struct {
	Commit string `json:"commit,omitempty"` // where it is; empty for what is staged and for a pull request
	Line   int    `json:"line,omitempty"`   // from 1
	Text   string `json:"text"`             // the mark, at most 120 characters
	Reason string `json:"reason"`           // why not, one clause
}

// Drafts finds what a change teaches, explicit marks first, each in the order of
// its place.
func Drafts(c Change, o Options) (drafts []Draft, left []Left) {
	f := &finder{c: c}
	f.trailers()
	f.blocks()
	if o.Notes {
		f.notes()
	}
	if !o.Explicit {
		f.dependencies()
		f.reverts()
		f.regressions()
		f.records()
	}
	for _, d := range f.drafts {
		if err := d.finish(); err != nil {
			f.leave(d.Line, d.Quote, memory.Line(err.Error()))
			continue
		}
		if i := slices.IndexFunc(drafts, func(o Draft) bool { return o.Entry.ID == d.Entry.ID }); i >= 0 {
			continue // the same words twice
		}
		drafts = append(drafts, d)
	}
	return drafts, f.left
}

type finder struct {
	c      Change
	drafts []Draft
	left   []Left
}

func (f *finder) leave(line int, text, reason string) {
	f.left = append(f.left, Left{Commit: f.c.Commit, Line: line, Text: cut(memory.Line(text), 120), Reason: reason})
}

// add makes a draft of words of a kind. note is Markdown that tells more.
func (f *finder) add(mark Mark, kind memory.Kind, words, note string, line int, path string) *Draft {
	title, rest := split(words)
	e := memory.Entry{
		Title: title, Kind: kind, ReviewState: memory.Proposed, Author: f.c.Author,
		Tags: []string{"learned"}, FilesTouched: f.touched(),
	}
	if !mark.Explicit() {
		e.Tags = append(e.Tags, "suggestion")
	}
	var notes []string
	for _, s := range []string{rest, note} {
		if s = strings.TrimSpace(s); s != "" {
			notes = append(notes, s)
		}
	}
	e.Notes = strings.Join(notes, "\n\n")
	if f.c.Commit != "" {
		e.SourceRefs = append(e.SourceRefs, memory.SourceRef{Type: "commit", ID: f.c.Commit, Label: f.label(mark)})
	}
	f.drafts = append(f.drafts, Draft{
		Entry: e, At: f.c.At, Mark: mark, Quote: cut(memory.Line(words), 500), Commit: f.c.Commit, Request: f.c.Request, Line: line, Path: path,
	})
	return &f.drafts[len(f.drafts)-1]
}

func (f *finder) label(mark Mark) string {
	if f.c.Request != "" {
		return string(mark) + ", pull request " + f.c.Request
	}
	return string(mark)
}

// mostFiles is how many files a draft names.
const mostFiles = 16

// touched are the files that a person wrote, the first ones by path.
func (f *finder) touched() []string {
	var out []string
	if f.c.Did == nil {
		return nil
	}
	for i := range f.c.Did.Files {
		x := &f.c.Did.Files[i]
		if x.Kind == lang.Generated || x.Kind == lang.Vendored || strings.ContainsAny(x.Path, "`\n\r") || memory.Line(x.Path) != x.Path {
			continue
		}
		if out = append(out, x.Path); len(out) == mostFiles {
			break
		}
	}
	return out
}

// finish gives a draft its file and id.
func (d *Draft) finish() error {
	a, masked, err := memory.DraftFile(d.Entry, d.At)
	if err != nil {
		return err
	}
	d.File, d.Masked = a.Raw, masked
	d.Entry = memory.Parse(a.ID, a.Raw)
	return nil
}

// Arrival is the draft as [memory.Arrive] takes it.
func (d *Draft) Arrival() memory.Arrival {
	return memory.Arrival{ID: d.Entry.ID, Raw: d.File, Base: d.File}
}

// split makes a title of words: all of them, or their first sentence, or as much as a
// title holds. The rest is what it lacks.
func split(words string) (title, rest string) {
	words = strings.TrimSpace(words)
	first, more, _ := strings.Cut(words, "\n\n")
	title = memory.Line(first)
	if len([]rune(title)) <= 160 {
		return title, more
	}
	for i := 20; i+1 < len(title); i++ {
		if (title[i] == '.' || title[i] == ';') && title[i+1] == ' ' && len([]rune(title[:i])) <= memory.MaxTitle {
			return title[:i], words
		}
	}
	if len([]rune(title)) <= memory.MaxTitle {
		return title, more
	}
	return cut(title, memory.MaxTitle-3), words
}

// cut is a text of at most n characters and three points.
func cut(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	return strings.TrimSpace(string(r[:n])) + "..."
}

// why is the body of the message as notes, without its trailers.
func (f *finder) why() string {
	var keep []string
	for _, p := range paragraphs(f.c.Message)[min(1, len(paragraphs(f.c.Message))):] {
		if !p.trailers() {
			keep = append(keep, p.text())
		}
	}
	return cut(strings.Join(keep, "\n\n"), 3000)
}

// subject is the first line of the message.
func (f *finder) subject() string {
	s, _, _ := strings.Cut(f.c.Message, "\n")
	return memory.Line(s)
}

// context is where a draft comes from, for people: the subject and what the message
// says beyond it.
func (f *finder) context() string {
	if f.c.Message == "" {
		return ""
	}
	text := fmt.Sprintf("From %q", f.subject())
	if f.c.Commit != "" {
		text += " (" + f.c.Commit[:min(12, len(f.c.Commit))] + ")"
	}
	if why := f.why(); why != "" {
		return text + ":\n\n" + quoteBlock(why)
	}
	return text + "."
}

func quoteBlock(s string) string {
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRight("> "+l, " ")
	}
	return strings.Join(lines, "\n")
}

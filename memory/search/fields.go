package search

import (
	"strconv"
	"strings"

	"github.com/saysolint/sayso/memory"
)

// field is a part of an entry that is searched. Its number is part of the index.
type field uint8

const (
	fieldID field = iota
	fieldTitle
	fieldGoal
	fieldDecisions
	fieldRun
	fieldFiles
	fieldTags
	fieldSources
	fieldNotes
	fieldPlan
	fieldNext
	fieldApplies
	fieldCount
)

// Fields are the names of the searched fields, as [Hit] has them and as a
// [memory.Record] calls them.
var Fields = [fieldCount]string{
	"id", "title", "goal", "decisions", "runId", "filesTouched", "tags", "sourceRefs", "notes", "plan", "nextSteps", "appliesTo",
}

// fieldWeights say what a word is worth by where it stands. A word counts once a
// field: an entry that says the same thing in ten decisions is not ten times as
// relevant. Title to notes follow Klide's weights; what Klide does not search is
// worth what notes are, and globs what files are.
var fieldWeights = [fieldCount]int{
	fieldID: 10, fieldTitle: 10, fieldGoal: 8, fieldDecisions: 7, fieldRun: 6, fieldFiles: 6, fieldTags: 6,
	fieldSources: 5, fieldNotes: 3, fieldPlan: 3, fieldNext: 3, fieldApplies: 6,
}

// eachText calls fn for every searched text of an entry, field by field. The id
// is not among them: it is searched whole and has no words.
func eachText(r *memory.Record, fn func(f field, text string)) {
	list := func(f field, l []string) {
		for _, s := range l {
			fn(f, s)
		}
	}
	fn(fieldTitle, r.Title)
	fn(fieldGoal, r.Goal)
	list(fieldDecisions, r.Decisions)
	if r.RunID != nil {
		fn(fieldRun, *r.RunID)
	}
	list(fieldFiles, r.FilesTouched)
	list(fieldTags, r.Tags)
	for _, s := range r.SourceRefs {
		fn(fieldSources, s.ID)
		fn(fieldSources, s.Label)
		fn(fieldSources, s.Path)
	}
	fn(fieldNotes, r.Notes)
	list(fieldPlan, r.Plan)
	list(fieldNext, r.NextSteps)
	list(fieldApplies, r.AppliesTo)
}

// words are the counts of one entry: how often each term stands in each field.
type words struct {
	counts map[string]*[fieldCount]uint32
	length [fieldCount]uint32 // words a field, compounds counted once
	lang   language
}

// wordsOf counts the terms of an entry: every word as it is, and its stem in the
// language of the entry under that language's name.
func wordsOf(r *memory.Record, stems *stemmer) *words {
	w := &words{counts: map[string]*[fieldCount]uint32{}}
	type seen struct {
		f    field
		term string
		stem bool
	}
	var list []seen
	var guess guesser
	var t tokenizer
	eachText(r, func(f field, text string) {
		t.each(text, func(tok token) {
			list = append(list, seen{f, tok.text, tok.kind == word})
			if tok.kind != part {
				w.length[f]++
			}
			if tok.kind == word && (f == fieldTitle || f == fieldGoal || f == fieldDecisions || f == fieldNotes) {
				guess.word(tok.text)
			}
		})
	})
	w.lang = guess.best()
	add := func(term string, f field) {
		c := w.counts[term]
		if c == nil {
			c = new([fieldCount]uint32)
			w.counts[term] = c
		}
		c[f]++
	}
	for _, s := range list {
		add(exact(s.term), s.f)
		if st := stems.stem(w.lang, s.term); s.stem && st != "" {
			add(stemTerm(w.lang, st), s.f)
		}
	}
	add(exact(strings.ToLower(r.ID)), fieldID)
	w.length[fieldID] = 1
	return w
}

// Terms carry in their first byte what they are, so that one dictionary holds
// all of them: "=" a word as it is, else the language of a stem.
func exact(word string) string { return "=" + word }

func stemTerm(l language, stem string) string { return strconv.Itoa(int(l)) + "~" + stem }

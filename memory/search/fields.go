package search

import (
	"slices"
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

// dictionary numbers the terms of the entries that one segment is built of, and
// remembers which terms a word gives, so that a word that comes again costs a look-up.
type dictionary struct {
	terms  []string
	number map[string]uint32 // of a term
	words  map[string]*wordTerms
	stems  stemmer
	t      tokenizer
	list   []seen
	marks  []uint32
}

// wordTerms are the terms of a word: itself, and from 1 its stem in each language.
type wordTerms [languageCount + 1]uint32

const noTerm = ^uint32(0)

type seen struct {
	word *wordTerms
	text string
	f    field
	stem bool
}

func newDictionary() *dictionary {
	return &dictionary{number: map[string]uint32{}, words: map[string]*wordTerms{}}
}

func (d *dictionary) term(t string) uint32 {
	n, ok := d.number[t]
	if !ok {
		n = uint32(len(d.terms))
		d.terms = append(d.terms, t)
		d.number[t] = n
	}
	return n
}

func (d *dictionary) word(w string) *wordTerms {
	t := d.words[w]
	if t == nil {
		t = new(wordTerms)
		for i := range t {
			t[i] = noTerm
		}
		w = strings.Clone(w)
		t[0] = d.term(exact(w))
		d.words[w] = t
	}
	return t
}

// count cuts an entry into terms: every word as it is, and its stem in the language
// of the entry under that language's name. fn is called once for each term, with how
// often it stands in which field. length is how many words a field has, identifiers
// counted once.
func (d *dictionary) count(r *memory.Record, fn func(term uint32, p *posting)) (length [fieldCount]uint32, lang language) {
	d.list, d.marks = d.list[:0], d.marks[:0]
	var guess guesser
	eachText(r, func(f field, text string) {
		d.t.each(text, func(tok token) {
			d.list = append(d.list, seen{d.word(tok.text), tok.text, f, tok.kind == word || tok.kind == part})
			if tok.kind != part && tok.kind != single {
				length[f]++
			}
			if tok.kind == word && (f == fieldTitle || f == fieldGoal || f == fieldDecisions || f == fieldNotes) {
				guess.word(tok.text)
			}
		})
	})
	lang = guess.best()
	// A term and a field are one number, so that sorting brings equal ones together.
	mark := func(term uint32, f field) { d.marks = append(d.marks, term<<4|uint32(f)) }
	for _, s := range d.list {
		mark(s.word[0], s.f)
		if !s.stem {
			continue
		}
		at := &s.word[1+lang]
		if *at == noTerm {
			if st := d.stems.stem(lang, s.text); st != "" {
				*at = d.term(stemTerm(lang, st))
			}
		}
		if *at != noTerm {
			mark(*at, s.f)
		}
	}
	mark(d.term(exact(strings.ToLower(r.ID))), fieldID)
	length[fieldID] = 1
	slices.Sort(d.marks)
	var p posting
	for i := 0; i < len(d.marks); {
		term := d.marks[i] >> 4
		p.fields = 0
		for i < len(d.marks) && d.marks[i]>>4 == term {
			m, k := d.marks[i], i
			for i < len(d.marks) && d.marks[i] == m {
				i++
			}
			p.fields |= 1 << (m & 15)
			p.counts[m&15] = uint32(i - k)
		}
		fn(term, &p)
	}
	return length, lang
}

// Terms carry in their first byte what they are, so that one dictionary holds
// all of them: "=" a word as it is, else the language of a stem.
func exact(word string) string { return "=" + word }

func stemTerm(l language, stem string) string { return strconv.Itoa(int(l)) + "~" + stem }

package search

import (
	"strings"
	"unicode/utf8"

	"github.com/saysolint/sayso/memory"
)

// matcher says which words of a query a piece of text has.
type matcher struct {
	terms map[string]int // term to the number of its word
	count int
	stems *stemmer
	t     tokenizer
}

func newMatcher(words []wanted, stems *stemmer) *matcher {
	m := &matcher{terms: map[string]int{}, count: len(words), stems: stems}
	var add func(w *wanted, n int)
	add = func(w *wanted, n int) {
		for _, way := range w.ways {
			for _, t := range way.terms {
				if _, ok := m.terms[t]; !ok {
					m.terms[t] = n
				}
			}
			for i := range way.all {
				add(&way.all[i], n)
			}
		}
	}
	for n := range words {
		add(&words[n], n)
	}
	return m
}

// spot is a word of the query in a text.
type spot struct {
	word     int
	from, to int // in the normal text
	at       int // how many words stand before it
}

// spots finds the words of the query in a text of an entry in a language.
func (m *matcher) spots(s string, l language) (string, []spot) {
	var out []spot
	n := 0
	s = m.t.each(s, func(t token) {
		if t.kind != part && t.kind != single {
			n++
		}
		w, ok := m.terms[exact(t.text)]
		if !ok && (t.kind == word || t.kind == part) {
			w, ok = m.terms[m.stems.term(l, t.text)]
		}
		if ok {
			out = append(out, spot{w, t.from, t.to, n})
		}
	})
	return s, out
}

// passages are the texts of an entry that an excerpt is taken from, the most
// telling first.
func passages(r *memory.Record) []string {
	out := append([]string(nil), r.Decisions...)
	out = append(out, r.Goal)
	out = append(out, strings.Split(r.Notes, "\n")...)
	out = append(out, r.Plan...)
	out = append(out, r.NextSteps...)
	return out
}

// excerpt is the passage of an entry that has most words of a query, cut to
// MaxExcerpt characters around them. Where none has any, because they stand in the title,
// the tags or the files, it is what the entry is about.
func (m *matcher) excerpt(r *memory.Record, l language) string {
	best, text := 0, ""
	var at []spot
	for _, p := range passages(r) {
		if strings.TrimSpace(p) == "" {
			continue
		}
		s, spots := m.spots(p, l)
		if n := m.distinct(spots); n > best {
			best, text, at = n, s, spots
			if n == m.count {
				break
			}
		}
	}
	if best == 0 {
		for _, p := range append([]string{r.Goal}, append(append([]string(nil), r.Decisions...), r.Title)...) {
			if memory.Line(p) != "" {
				return window(memory.Line(p), 0)
			}
		}
		return ""
	}
	// The window begins where the most words of the query are within its length.
	from, most := at[0].from, 0
	for i := range at {
		last := at[i].from
		k := i
		for k < len(at) && at[k].to-last <= MaxExcerpt*2/3 {
			k++
		}
		if n := m.distinct(at[i:max(k, i+1)]); n > most {
			from, most = at[i].from, n
		}
	}
	before := memory.Line(text[:from])
	line := memory.Line(text)
	return window(line, min(len(before), len(line)))
}

func (m *matcher) distinct(spots []spot) int {
	var small uint64
	n := 0
	var large map[int]bool
	for _, s := range spots {
		switch {
		case s.word < 64 && small&(1<<s.word) == 0:
			small |= 1 << s.word
			n++
		case s.word >= 64 && !large[s.word]:
			if large == nil {
				large = map[int]bool{}
			}
			large[s.word] = true
			n++
		}
	}
	return n
}

// window cuts a line to MaxExcerpt characters so that byte at is in it, with an
// ellipsis for what is left out.
func window(line string, at int) string {
	if utf8.RuneCountInString(line) <= MaxExcerpt {
		return line
	}
	runes := []rune(line)
	pos := min(utf8.RuneCountInString(line[:at]), len(runes))
	const lead = 60 // characters before the match
	from := max(0, min(pos-lead, len(runes)-(MaxExcerpt-1)))
	if from > 0 { // begin at a word
		for k := from; k < from+20 && k < pos; k++ {
			if runes[k] == ' ' {
				from = k + 1
				break
			}
		}
	}
	room := MaxExcerpt
	head, tail := "", ""
	if from > 0 {
		head, room = "…", room-1
	}
	to := len(runes)
	if to-from > room {
		tail = "…"
		to = from + room - 1
	}
	return head + strings.TrimSpace(string(runes[from:to])) + tail
}

// closeness says how much of a query stands close together in one passage of
// an entry, title included: 0 for words apart, 1 for all of them within a few words.
func (m *matcher) closeness(r *memory.Record, l language) float64 {
	if m.count < 2 {
		return 0
	}
	best := 0.0
	for _, p := range append(passages(r), r.Title) {
		_, at := m.spots(p, l)
		for i := range at {
			k := i
			for k < len(at) && at[k].at-at[i].at <= closeWords {
				k++
			}
			best = max(best, float64(m.distinct(at[i:k])-1)/float64(m.count-1))
		}
	}
	return best
}

// closeWords is how many words apart still is close.
const closeWords = 8

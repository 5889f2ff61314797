package search

import (
	"slices"
	"strings"
)

// wanted is one word of a query: what of it may stand in an entry.
type wanted struct {
	word string
	ways []way // the first that an entry has counts
}

// way is one form in which a word may be found.
type way struct {
	by     string   // word, stem, parts, or the related word itself
	terms  []string // any of these
	all    []wanted // every one of these instead: the parts of an identifier
	weight float64  // what it is worth beside the word itself
}

// Worth of the ways beside that of the word as it was asked. A stem is nearly as
// good, the parts of an identifier say less, a related word much less.
const (
	stemWorth    = 0.9
	partsWorth   = 0.6
	relatedWorth = 0.35
)

// parse cuts a query into its words, each once, in order.
// With apart, the words of an identifier or a path are asked for one by one beside
// the whole.
func (s *snapshot) parse(query string, apart bool) []wanted {
	type run struct {
		whole  string
		words  []token // words and pairs
		second map[string][]string
	}
	var runs []run
	last := -1
	new(tokenizer).each(query, func(t token) {
		if t.group != last {
			runs = append(runs, run{})
			last = t.group
		}
		r := &runs[len(runs)-1]
		switch t.kind {
		case whole:
			r.whole = t.text
		case word, pair:
			r.words = append(r.words, t)
		case part:
			if n := len(r.words); n > 0 && r.words[n-1].kind == word {
				if r.second == nil {
					r.second = map[string][]string{}
				}
				r.second[r.words[n-1].text] = append(r.second[r.words[n-1].text], t.text)
			}
		}
	})
	stems := s.stemmer()
	defer stems.put()
	var out []wanted
	seen := map[string]bool{}
	add := func(w wanted) {
		if !seen[w.word] {
			seen[w.word] = true
			out = append(out, w)
		}
	}
	one := func(t token, parts []string) wanted {
		w := wanted{word: t.text, ways: []way{{by: "word", terms: []string{exact(t.text)}, weight: 1}}}
		if t.kind == pair {
			return w
		}
		w.ways = append(w.ways, way{by: "stem", terms: stems.of(t.text), weight: stemWorth})
		if len(parts) > 1 {
			var all []wanted
			for _, p := range parts {
				all = append(all, stems.plain(p))
			}
			w.ways = append(w.ways, way{by: "parts", all: all, weight: partsWorth})
		}
		return w
	}
	for _, r := range runs {
		if r.whole == "" {
			for _, t := range r.words {
				add(one(t, r.second[t.text]))
			}
			continue
		}
		w := wanted{word: r.whole, ways: []way{{by: "word", terms: []string{exact(r.whole)}, weight: 1}}}
		if stem, ok := strings.CutSuffix(r.whole, "'s"); ok && len(r.words) == 2 {
			w.ways = append(w.ways, way{by: "stem", terms: append(stems.of(stem), exact(stem)), weight: stemWorth})
		}
		var all []wanted
		for _, t := range r.words {
			if len(r.words) == 1 || len(t.text) > 1 || !strings.Contains(r.whole, "'") {
				all = append(all, one(t, r.second[t.text]))
			}
		}
		if apart {
			w.ways = w.ways[:1]
			add(w)
			for _, one := range all {
				add(one)
			}
			continue
		}
		// The name of a language with its sign is not the letter without it.
		if !strings.HasSuffix(r.whole, "#") && !strings.HasSuffix(r.whole, "+") {
			w.ways = append(w.ways, way{by: "parts", all: all, weight: partsWorth})
		}
		add(w)
	}
	return out
}

// stems stems words in the languages that the entries are written in.
type stems struct {
	*stemmer
	s *snapshot
}

func (s *snapshot) stemmer() stems { return stems{s.stems.Get().(*stemmer), s} }
func (st stems) put()              { st.s.stems.Put(st.stemmer) }

// of are the stems of a word in every language of the store, as terms.
func (st stems) of(w string) []string {
	var out []string
	for _, l := range st.s.langs {
		if x := st.stem(l, w); x != "" {
			out = append(out, stemTerm(l, x))
		}
	}
	return out
}

// plain is a word without parts.
func (st stems) plain(p string) wanted {
	return wanted{word: p, ways: []way{
		{by: "word", terms: []string{exact(p)}, weight: 1},
		{by: "stem", terms: st.of(p), weight: stemWorth},
	}}
}

// expand adds related words to those of a query: what is abbreviated, and other
// verbs for the same act.
func (s *snapshot) expand(list []wanted) []wanted {
	stems := s.stemmer()
	defer stems.put()
	out := slices.Clone(list)
	for i := range out {
		for _, rel := range related(stems.stemmer, out[i].word) {
			w := way{by: rel, terms: append([]string{exact(rel)}, stems.of(rel)...), weight: relatedWorth}
			out[i].ways = append(slices.Clone(out[i].ways), w)
		}
	}
	return out
}

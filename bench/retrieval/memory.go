package retrieval

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/saysolint/sayso/internal/git"
	"github.com/saysolint/sayso/memory"
	"github.com/saysolint/sayso/memory/search"
)

// Trees is what is read of a repository with decision records; *git.Repo is one.
type Trees interface {
	Tree(ctx context.Context, treeish string) ([]git.TreeEntry, error)
	Blob(ctx context.Context, object string, max int64) ([]byte, error)
}

// adrFolder is a folder that decision records are usually kept in.
var adrFolder = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(^|/)[^/]*(adrs?|decisions?|decision-records?|architecture[^/]*)(/|$)`)
})

// Records reads the files of a revision that may be decision records: Markdown in a
// folder with such a name. Which of them are is for [memory.FromADRs] to say.
func Records(ctx context.Context, repo Trees, rev string) ([]memory.Document, error) {
	tree, err := repo.Tree(ctx, rev)
	if err != nil {
		return nil, err
	}
	var out []memory.Document
	for _, t := range tree {
		if t.Type != "blob" || t.Mode == "120000" || !strings.EqualFold(path.Ext(t.Path), ".md") || !adrFolder().MatchString(path.Dir(t.Path)) {
			continue
		}
		text, err := repo.Blob(ctx, t.Object, memory.MaxFileBytes)
		if err != nil {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			continue // one that is not there asks no question
		}
		out = append(out, memory.Document{Path: t.Path, Text: text})
	}
	return out, nil
}

// Asking is how a question about an entry was made.
type Asking string

const (
	// BySentence asks with a sentence of the entry, which is taken out of it.
	BySentence Asking = "sentence"
	// ByTitle asks with the title, which is taken out.
	ByTitle Asking = "title"
	// ByWords asks with the three rarest words of a sentence, which is taken out.
	ByWords Asking = "words"
)

// Askings are all of them.
var Askings = []Asking{BySentence, ByTitle, ByWords}

// Store is entries with one question about each. Some entries do not hold: their
// questions must find them nowhere.
type Store struct {
	Entries   []memory.Entry
	Questions []MemoryQuestion
}

// MemoryQuestion is a question that one entry answers.
type MemoryQuestion struct {
	Text   string
	How    Asking
	Answer string // id of the entry
	Holds  bool
}

// NewStore makes a store of drafts: they are taken as reviewed, but every fifth,
// which is proposed, superseded or stale in turn. Entries of which no question
// can be made are searched all the same. The same drafts and seed give the same store.
func NewStore(drafts []memory.Entry, seed uint64) *Store {
	s := &Store{}
	r := rand.New(rand.NewPCG(seed, 0))
	for i, d := range drafts {
		e := d.Clone()
		e.ID = fmt.Sprintf("record-%04d", i)
		e.CreatedAtMs = int64(i)
		e.Supersedes, e.MergedFrom, e.PendingRevision = "", nil, ""
		e.ReviewState = memory.Reviewed
		if i%5 == 4 {
			e.ReviewState = []memory.State{memory.Proposed, memory.Superseded, memory.Stale}[i/5%3]
		}
		// The source of an imported record names its file, and a file its title.
		e.SourceRefs = nil
		s.Entries = append(s.Entries, e)
	}
	rarity := frequencies(s.Entries)
	for i := range s.Entries {
		e := &s.Entries[i]
		q := MemoryQuestion{How: Askings[i%len(Askings)], Answer: e.ID, Holds: e.ReviewState == memory.Reviewed}
		if q.How == ByTitle {
			if len(plainWords(e.Title)) < 2 {
				continue
			}
			q.Text, e.Title = e.Title, "Decision"
			e.Notes = strings.ReplaceAll(e.Notes, q.Text, "")
		} else {
			all := sentences(e)
			if len(all) == 0 {
				continue
			}
			q.Text = all[r.IntN(len(all))]
			take(e, q.Text)
			if q.How == ByWords {
				q.Text = rarest(q.Text, rarity)
			}
		}
		s.Questions = append(s.Questions, q)
	}
	return s
}

// sentences are those of an entry's goal and notes that can ask: neither headings nor
// lists, code or quotes.
func sentences(e *memory.Entry) []string {
	var out []string
	for _, p := range strings.Split(e.Notes, "\n\n") {
		line := strings.TrimSpace(p)
		if line == "" || strings.ContainsAny(line[:1], "#>|`*-+<![") || strings.Contains(line, "```") {
			continue
		}
		for from := 0; from < len(p); {
			to := len(p)
			if at := end().FindStringIndex(p[from:]); at != nil {
				to = from + at[0] + 1
			}
			sentence := strings.TrimSpace(p[from:to])
			if n := len(plainWords(sentence)); n >= leastWords && n <= mostWords && !strings.Contains(sentence, "](") {
				out = append(out, sentence)
			}
			from = to
		}
	}
	return out
}

// take takes a sentence out of every field of an entry. Fields of one line have it with
// its line ends as blanks.
func take(e *memory.Entry, sentence string) {
	line := strings.Join(strings.Fields(sentence), " ")
	e.Notes = strings.ReplaceAll(e.Notes, sentence, "")
	e.Goal = strings.ReplaceAll(e.Goal, line, "")
	for i := range e.Decisions {
		e.Decisions[i] = strings.ReplaceAll(e.Decisions[i], line, "")
	}
}

func frequencies(entries []memory.Entry) map[string]int {
	out := map[string]int{}
	for i := range entries {
		seen := map[string]bool{}
		for _, w := range plainWords(wholeText(&entries[i])) {
			if !seen[w] {
				seen[w] = true
				out[w]++
			}
		}
	}
	return out
}

// rarest are the three words of a sentence that the fewest entries have, but more
// than one: what nobody else says anywhere is a typing error or a name.
func rarest(sentence string, with map[string]int) string {
	words := plainWords(sentence)
	words = slices.DeleteFunc(words, func(w string) bool { return with[w] < 2 || len(w) < 3 })
	slices.SortStableFunc(words, func(a, b string) int { return with[a] - with[b] })
	return strings.Join(slices.Compact(words)[:min(3, len(slices.Compact(words)))], " ")
}

func wholeText(e *memory.Entry) string {
	return strings.Join([]string{e.Title, e.Goal, strings.Join(e.Decisions, "\n"), e.Notes}, "\n")
}

// holding is what holds as the plain ways of searching have it: a title and a text.
func (s *Store) holding() (*Set, []string) {
	set := &Set{}
	var ids []string
	for i := range s.Entries {
		e := &s.Entries[i]
		if e.ReviewState == memory.Reviewed {
			set.Commits = append(set.Commits, Commit{Hash: e.ID, Subject: e.Title, Body: strings.Join([]string{e.Goal, strings.Join(e.Decisions, "\n"), e.Notes}, "\n")})
			ids = append(ids, e.ID)
		}
	}
	return set, ids
}

// MemoryRow is how one way of searching did, for one way of asking or for all.
type MemoryRow struct {
	Row
	How Asking `json:"how"` // "" for all questions
}

// MemoryResult is one measurement of the search of entries.
type MemoryResult struct {
	Entries   int         `json:"entries"`   // of the store
	Holding   int         `json:"holding"`   // of them hold: only those are searched
	Questions int         `json:"questions"` // whose answer holds
	Others    int         `json:"others"`    // whose answer does not hold: nothing may answer them with it
	Leaks     int         `json:"leaks"`     // hits that do not hold, over all questions and ways
	Rows      []MemoryRow `json:"rows"`      // the default of memory search --best first; Versus is against BM25 and is above 0 where a way is better
}

// memoryWays are the ways of the engine that are measured.
var memoryWays = []struct {
	name           string
	mode           search.Mode
	expand, rerank bool
}{
	{"best", search.ModeBest, false, false},
	{"best+rerank", search.ModeBest, false, true},
	{"best+expand", search.ModeBest, true, false},
	{"best+expand+rerank", search.ModeBest, true, true},
	{"all", search.ModeAll, false, false},
}

// MeasureMemory asks all questions of the engine in its modes, of plain BM25, of
// substrings, and of others by name. The plain ways are given what holds only.
func MeasureMemory(ctx context.Context, s *Store, others func(*Set) (map[string]Searcher, error)) (*MemoryResult, error) {
	engine, err := search.FromSet(memory.NewSet(s.Entries, nil))
	if err != nil {
		return nil, err
	}
	defer engine.Close()
	set, ids := s.holding()
	res := &MemoryResult{Entries: len(s.Entries), Holding: len(ids)}
	holds := map[string]bool{}
	for _, id := range ids {
		holds[id] = true
	}
	type way struct {
		name string
		find func(question string) ([]string, error)
	}
	var ways []way
	for _, w := range memoryWays {
		ways = append(ways, way{w.name, func(question string) ([]string, error) {
			out, err := engine.Search(ctx, search.Request{Query: question, Mode: w.mode, Expand: &w.expand, Rerank: &w.rerank, Limit: 10}, time.Time{})
			var found []string
			for _, h := range out.Hits {
				found = append(found, h.Entry.ID)
				if !holds[h.Entry.ID] {
					res.Leaks++
				}
			}
			return found, err
		}})
	}
	plain := map[string]Searcher{"BM25": plainBM25(set), "substring-AND": substrings(set)}
	names := []string{"BM25", "substring-AND"}
	if others != nil {
		more, err := others(set)
		if err != nil {
			return nil, err
		}
		for n, w := range more {
			plain[n] = w
			names = append(names, n)
		}
		slices.Sort(names[2:])
	}
	for _, n := range names {
		ways = append(ways, way{n, func(question string) ([]string, error) {
			at, err := plain[n](ctx, question)
			var found []string
			for _, i := range at[:min(len(at), 10)] {
				found = append(found, ids[i])
			}
			return found, err
		}})
	}
	places := map[string]map[Asking][]float64{}
	for _, w := range ways {
		places[w.name] = map[Asking][]float64{}
		for _, q := range s.Questions {
			if len(plainWords(q.Text)) == 0 {
				continue
			}
			found, err := w.find(q.Text)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", w.name, err)
			}
			if !q.Holds {
				continue
			}
			at := 0.0
			if i := slices.Index(found, q.Answer); i >= 0 {
				at = 1 / float64(i+1)
			}
			places[w.name][""] = append(places[w.name][""], at)
			places[w.name][q.How] = append(places[w.name][q.How], at)
		}
	}
	for _, q := range s.Questions {
		if q.Holds {
			res.Questions++
		} else {
			res.Others++
		}
	}
	for _, how := range append([]Asking{""}, Askings...) {
		for _, w := range ways {
			r := MemoryRow{Row: rate(w.name, places[w.name][how]), How: how}
			r.Versus, r.Low, r.High = difference(places[w.name][how], places["BM25"][how])
			res.Rows = append(res.Rows, r)
		}
	}
	return res, nil
}

// rate counts the reciprocal places of the answers to questions.
func rate(name string, places []float64) Row {
	r := Row{Name: name}
	for _, p := range places {
		r.MRR += p
		r.At1 += count(p == 1)
		r.At5 += count(p >= 0.2)
		r.At10 += count(p > 0)
	}
	k := float64(max(len(places), 1))
	r.MRR, r.At1, r.At5, r.At10 = r.MRR/k, r.At1/k, r.At5/k, r.At10/k
	return r
}

package recall

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/sourcegraph/conc/pool"

	"github.com/saysolint/sayso/checks"
	"github.com/saysolint/sayso/internal/config"
)

// AnswerSchema names the shape of an Answer.
const AnswerSchema = "sayso.recall/v1"

const (
	DefaultLimit = 10
	MaxLimit     = 50
	MaxPhrasings = 8 // besides the question

	candidates = 3       // times the limit are looked at
	leastShare = 1. / 3. // of the best relevance
	excerptMax = 240     // characters

	maxQuestion = 64 << 10 // bytes of one wording
	maxTerms    = 1000     // of all wordings
)

// Errors of what was asked.
var (
	ErrLong = fmt.Errorf("the question is too long: at most %d bytes and %d different terms", maxQuestion, maxTerms)
	ErrMany = fmt.Errorf("too many phrasings: at most %d besides the question", MaxPhrasings)
)

// Question is what is asked, and what may answer.
type Question struct {
	Text  string
	More  []string  // other wordings of it, asked along; at most MaxPhrasings
	Kinds []string  // entry, commit, turn, or a kind of entry in the memory; none: all
	Tiers []Tier    // none: all
	Since time.Time // zero: always
	Paths []string  // files, folders or globs, one of which a hit has to touch; none: all
	Limit int       // 0: DefaultLimit; at most MaxLimit
}

// Answer is what Ask found, the coverage before everything else.
type Answer struct {
	Schema   string   `json:"schema"`   // always sayso.recall/v1
	Coverage Coverage `json:"coverage"` // how much of what could answer was there
	Query    string   `json:"query"`    // the question as asked
	Terms    []string `json:"terms"`    // what was searched for: stems, and names whole and in parts
	Hits     []Hit    `json:"hits"`     // the most trusted first; never null
}

// Hit is one thing that answers.
type Hit struct {
	Tier       Tier            `json:"tier"`               // whose word it is: REVIEWED, LEDGER, INTENT, CHAT
	Kind       Kind            `json:"kind"`               // entry, commit or turn
	ID         string          `json:"id"`                 // of the entry, the full hash of the commit, or source:checkpoint#order
	Title      string          `json:"title"`              // title of the entry or subject of the commit, "" for a turn
	Excerpt    string          `json:"excerpt"`            // at most 240 characters around what was found, on one line
	Verdict    checks.Verdict  `json:"verdict"`            // of what it claims against the commit that it sits on
	Strength   checks.Strength `json:"strength,omitempty"` // of a contradiction: strong or likely
	Why        string          `json:"why"`                // one clause for the verdict
	Class      int             `json:"class"`              // trust class 1 to 5, what hits are ordered by first
	Relevance  float64         `json:"relevance"`          // 0 to 1, the best of all being 1
	Confidence float64         `json:"confidence"`         // 0 to 1, how far it can be believed
	Score      float64         `json:"score"`              // relevance weighed with confidence
	Date       time.Time       `json:"date"`               // when it was said or committed
	Partial    []string        `json:"partial"`            // what is missing of it; never null
	Commit     *Backing        `json:"commit"`             // the commit that it sits on, null for none
	Checkpoint string          `json:"checkpoint"`         // id of the checkpoint, "" for none
	Place      string          `json:"place"`              // file of the entry or place in the transcript, "" for a commit
	Pending    bool            `json:"pending"`            // an entry that has not landed: it is in force once HEAD has it
	Tag        string          `json:"tag"`                // revision line of an entry, "" for a fresh one
	Found      []string        `json:"found"`              // terms of the question that it has; never null
}

// Backing is the commit that a hit sits on.
type Backing struct {
	Hash    string `json:"hash"`    // full
	Subject string `json:"subject"` // "" where it is not known
}

// Ask answers a question. judge may be nil: then no turn is checked, and each is
// unverifiable.
func (l *Library) Ask(ctx context.Context, q Question, judge Judge) (*Answer, error) {
	if l.coverage == nil {
		return nil, ErrNoCoverage
	}
	if q.Limit <= 0 {
		q.Limit = DefaultLimit
	}
	q.Limit = min(q.Limit, MaxLimit)
	if len(q.More) > MaxPhrasings {
		return nil, ErrMany
	}
	a := &Answer{Schema: AnswerSchema, Coverage: *l.coverage, Query: q.Text, Terms: []string{}, Hits: []Hit{}}
	var wordings [][]string
	for _, text := range append([]string{q.Text}, q.More...) {
		if len(text) > maxQuestion {
			return nil, ErrLong
		}
		terms := Terms(text)
		wordings = append(wordings, terms)
		for _, t := range terms {
			if !slices.Contains(a.Terms, t) {
				a.Terms = append(a.Terms, t)
			}
		}
	}
	if len(a.Terms) > maxTerms {
		return nil, ErrLong
	}
	picked := l.candidates(q, wordings)
	rulings, err := l.judge(ctx, picked, judge)
	if err != nil {
		return nil, err
	}
	a.Coverage.Graph = "not needed"
	for i, c := range picked {
		r := rulings[i]
		if c.doc.Kind == KindTurn {
			a.Coverage.Judged++
			if r.Verdict == checks.Unverifiable {
				a.Coverage.Unverified++
			}
			if r.Graph != "" {
				a.Coverage.Graph = r.Graph
			}
		}
		a.Hits = append(a.Hits, hit(c, r, a.Terms))
	}
	order(a.Hits)
	a.Hits = a.Hits[:min(len(a.Hits), q.Limit)]
	a.Coverage.settle()
	return a, nil
}

// candidate is a document that may answer.
type candidate struct {
	doc       Document
	relevance float64 // 0 to 1
}

// candidates are the most relevant documents that the question lets in: at most three
// times its limit, each with at least a third of the best relevance, none with the
// text of another.
func (l *Library) candidates(q Question, wordings [][]string) []candidate {
	var out []candidate
	best := 0.0
	seen := map[string]bool{}
	for _, f := range fused(l.segments, wordings) {
		if best > 0 && f.relevance < best*leastShare || len(out) == candidates*q.Limit {
			break
		}
		d := l.segments[f.segment].document(f.doc)
		d.Pending = l.segments[f.segment] == l.pending
		if !q.admits(&d) {
			continue
		}
		text := string(d.Kind) + "\x00" + d.Head + "\x00" + strings.Join(strings.Fields(d.Body), " ")
		if seen[text] {
			continue
		}
		seen[text] = true
		if best == 0 {
			best = f.relevance
		}
		out = append(out, candidate{doc: d, relevance: f.relevance / best})
	}
	return out
}

// admits says whether the question lets a document answer.
func (q *Question) admits(d *Document) bool {
	if len(q.Kinds) > 0 && !slices.Contains(q.Kinds, string(d.Kind)) && (d.Kind != KindEntry || !slices.Contains(q.Kinds, d.Sub)) {
		return false
	}
	if len(q.Tiers) > 0 && !slices.Contains(q.Tiers, d.Tier) {
		return false
	}
	if !q.Since.IsZero() && d.When.Before(q.Since) {
		return false
	}
	if len(q.Paths) == 0 {
		return true
	}
	for _, want := range q.Paths {
		want = strings.TrimSuffix(strings.TrimPrefix(want, "./"), "/")
		for _, p := range d.Paths {
			if p == want || strings.HasPrefix(p, want+"/") || config.Match(want, p) {
				return true
			}
		}
		for _, g := range d.Globs {
			if config.Match(g, want) {
				return true
			}
		}
	}
	return false
}

// judge holds the turns among the candidates against their commits.
func (l *Library) judge(ctx context.Context, list []candidate, judge Judge) ([]Ruling, error) {
	out := make([]Ruling, len(list))
	p := pool.New().WithContext(ctx).WithMaxGoroutines(4).WithCancelOnError().WithFirstError()
	for i := range list {
		d := &list[i].doc
		switch {
		case d.Kind == KindCommit:
			out[i] = Ruling{Verdict: checks.Corroborated, Why: "it is the commit record"}
		case d.Pending:
			out[i] = Ruling{Verdict: checks.Unverifiable, Why: "it is not in force yet: HEAD does not have it like this", Missing: []string{"commit"}}
		case d.Kind == KindEntry:
			out[i] = Ruling{Verdict: checks.Corroborated, Why: "a person reviewed it"}
			if d.Reviewer != "" {
				out[i].Why = d.Reviewer + " reviewed it"
			}
		case d.Commit == "":
			out[i] = Ruling{Verdict: checks.Unverifiable, Why: "there is no commit to hold it against", Missing: []string{"commit"}}
		case judge == nil:
			out[i] = Ruling{Verdict: checks.Unverifiable, Why: "it was not held against its commit"}
		default:
			p.Go(func(ctx context.Context) error {
				r, err := judge.Judge(ctx, d.Commit, d.Tier, d.Body)
				out[i] = r
				return err
			})
		}
	}
	return out, p.Wait()
}

// hit is a candidate with its ruling.
func hit(c candidate, r Ruling, terms []string) Hit {
	d := &c.doc
	partial := slices.Concat(d.Partial, r.Missing)
	slices.Sort(partial)
	partial = slices.Compact(partial)
	if partial == nil {
		partial = []string{}
	}
	h := Hit{
		Tier: d.Tier, Kind: d.Kind, ID: d.ID, Title: d.Head,
		Verdict: r.Verdict, Strength: r.Strength, Why: r.Why, Class: Class(d.Tier, r.Verdict, len(partial) > 0),
		Relevance: round(c.relevance), Confidence: round(Confidence(d.Tier, r.Verdict, len(partial) > 0)),
		Date: d.When, Partial: partial, Checkpoint: d.Checkpoint, Place: d.Place, Pending: d.Pending, Tag: d.Tag, Found: []string{},
	}
	h.Score = round(Score(c.relevance, Confidence(d.Tier, r.Verdict, len(partial) > 0)))
	if d.Commit != "" {
		h.Commit = &Backing{Hash: d.Commit, Subject: d.Subject}
	}
	has := map[string]bool{}
	eachTerm(d.Head+"\n"+d.Body, func(t string) { has[t] = true })
	for _, t := range terms {
		if has[t] {
			h.Found = append(h.Found, t)
		}
	}
	h.Excerpt = excerpt(d.Body, h.Found)
	if h.Excerpt == "" {
		h.Excerpt = excerpt(d.Head, nil)
	}
	return h
}

// round keeps the last digits of a float, which differ between processors, out of output.
func round(x float64) float64 { return math.Round(x*1e4) / 1e4 }

// excerpt is the line of a text that has the most terms, with what follows, on one line
// and cut around them.
func excerpt(body string, terms []string) string {
	lines := strings.Split(body, "\n")
	want := map[string]bool{}
	for _, t := range terms {
		want[t] = true
	}
	best, most := 0, 0
	for i, l := range lines {
		has := map[string]bool{}
		eachTerm(l, func(t string) {
			if want[t] {
				has[t] = true
			}
		})
		if len(has) > most {
			best, most = i, len(has)
		}
	}
	s := strings.Join(strings.Fields(strings.Join(lines[best:], " ")), " ")
	if utf8.RuneCountInString(s) <= excerptMax {
		return s
	}
	return strings.TrimSpace(string([]rune(s)[:excerptMax-1])) + "…"
}

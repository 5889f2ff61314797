package checks

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/saysolint/sayso/change"
	"github.com/saysolint/sayso/checks/assert"
	"github.com/saysolint/sayso/claim"
	"github.com/saysolint/sayso/memory"
)

// DecisionID is the id of the check that holds a change against the memory.
const DecisionID = "decision"

var decisionCheck = Check{
	Doc: Doc{
		ID: DecisionID, Title: "The change against what was decided", Default: "gate", Since: "0.1",
		Needs: "the memory of the base, the diff",
		Text: `Recalls the reviewed entries of the memory that bear on a change (by the paths that they name, the names and dependencies touched, the words) and holds the change against each.
The assertions of an entry decide: what is forbidden must not newly come, what is required must not go. What broke a rule before the change is not blamed on it, and what only moved is not new. A decision in prose is read where its wording is
plain, and is otherwise shown without a verdict. A message that announces the opposite of a decision is reported as well.

The entries are those of the base: what a change itself adds to the memory does not judge it. Its contradictions count as "decision" for --fail-on, apart from those of the message. See docs/decisions.md.`,
		Fires: "package.json gains lodash, and a reviewed entry says forbid: {dependency: lodash}",
		Quiet: "package.json had lodash before, and the change edits the line below it",
	},
}

// Held is one entry of the memory held against a change.
type Held struct {
	ID    string   `json:"id"`    // of the entry
	Path  string   `json:"path"`  // its file, from the top of the repository
	Line  int      `json:"line"`  // of the rule or sentence that decided, 0 where none did
	Title string   `json:"title"` // of the entry
	Kind  string   `json:"kind"`  // of the entry: decision, convention, fact, ...
	Why   []string `json:"why"`   // why it was recalled, plain clauses; never empty

	Verdict     Verdict    `json:"verdict"`
	By          string     `json:"by,omitempty"`       // what decided: assertion, prose, message; left out where nothing did
	Rule        string     `json:"rule,omitempty"`     // the rule that decided, in one line
	Reason      string     `json:"reason"`             // one plain sentence
	Fix         string     `json:"fix,omitempty"`      // what the rule says to do instead
	Evidence    []Evidence `json:"evidence"`           // never nil
	Touched     string     `json:"touched,omitempty"`  // what of the things that the entry cites is edited: it may need review
	Excepted    string     `json:"excepted,omitempty"` // the reason of an exception; the verdict stays
	Lifted      bool       `json:"lifted,omitempty"`   // the exception lifts the gate
	Fingerprint string     `json:"fingerprint"`        // stable across pushes: 16 hex digits
}

// Memory is what of a project memory is in force, made ready once and held
// against any number of changes. It is read-only afterwards.
type Memory struct {
	entries []remembered
	rare    map[string]int // stems to the entries that have them
}

// remembered is one entry with what can be judged and recalled of it.
type remembered struct {
	entry    memory.Entry
	rules    []assert.Rule
	problems []assert.Problem
	prose    []assert.Sentence
	names    []string // code-shaped names that the text quotes
	stems    []string // of the title, the tags and the decisions; sorted
}

// Remember makes the entries of a set that hold ready. nil where none does.
func Remember(set *memory.Set) *Memory {
	m := &Memory{rare: map[string]int{}}
	for i := range set.Entries {
		e := &set.Entries[i]
		if !set.Active(e.ID) {
			continue
		}
		r := remembered{entry: *e}
		if e.Asserts != "" {
			r.rules, r.problems = assert.Parse(e.Asserts)
			for k := range r.rules {
				r.rules[k] = r.rules[k].Scoped(e.AppliesTo)
				r.rules[k].Line += max(e.AssertsLine, 1) - 1
			}
		}
		if len(r.rules) == 0 && (e.Kind == memory.KindDecision || e.Kind == memory.KindConvention) {
			for _, s := range append([]string{e.Title}, e.Decisions...) {
				r.prose = append(r.prose, assert.Read(s, e.AppliesTo)...)
			}
		}
		r.names, r.stems = entryNames(e), entryStems(e)
		for _, s := range r.stems {
			m.rare[s]++
		}
		m.entries = append(m.entries, r)
	}
	if len(m.entries) == 0 {
		return nil
	}
	return m
}

// Rules are all rules of the memory, for whoever has to fetch what they need.
func (m *Memory) Rules() []assert.Rule {
	var out []assert.Rule
	if m != nil {
		for i := range m.entries {
			out = append(out, m.entries[i].rules...)
			for _, s := range m.entries[i].prose {
				out = append(out, s.Rules...)
			}
		}
	}
	return out
}

// DecisionInput is all that Decide needs.
type DecisionInput struct {
	Memory   *Memory // nil: nothing is in force
	Facts    *change.Facts
	Messages []*claim.Message
	Env      assert.Env
	// Local says that the judge is the hook on the machine of who makes the commit:
	// there an exception that the change itself brings lifts the gate.
	Local bool
	// Standing is the reason of an exception for an entry that stood at the base or that
	// a person who may do so has confirmed, "" for none.
	Standing func(id string, paths []string) string
}

// MaxRecalled is how many entries are recalled for one change. Contradictions and
// entries that may need review are shown beyond that.
const MaxRecalled = 5

// Decide recalls the entries that bear on a change and holds it against each:
// contradicted ones first, then what was judged, then by how much they have to do with it.
func Decide(in DecisionInput) []Held {
	if in.Memory == nil {
		return nil
	}
	d := &deciding{in: in, words: changeWords(in), excepted: exceptions(in.Messages)}
	type scored struct {
		Held
		score float64
	}
	var all []scored
	for i := range in.Memory.entries {
		if h, score := d.hold(&in.Memory.entries[i]); score > 0 {
			all = append(all, scored{h, score})
		}
	}
	slices.SortStableFunc(all, func(a, b scored) int {
		return cmp.Or(cmp.Compare(rankHeld(a.Held), rankHeld(b.Held)), cmp.Compare(b.score, a.score), strings.Compare(a.ID, b.ID))
	})
	var out []Held
	for _, s := range all {
		if len(out) < MaxRecalled || rankHeld(s.Held) < 2 {
			out = append(out, s.Held)
		}
	}
	return out
}

func rankHeld(h Held) int {
	switch {
	case h.Verdict == Contradicted:
		return 0
	case h.Touched != "":
		return 1
	case h.Verdict == Corroborated:
		return 2
	}
	return 3
}

// deciding is one run of Decide.
type deciding struct {
	in       DecisionInput
	words    map[string]bool // stems of the texts and paths of the change
	excepted map[string]string
}

// What an entry has to do with a change, in parts that add up. Below recallAt it
// is not recalled.
const (
	scoreRule  = 4   // a rule of the entry speaks of something that the change does
	scoreCites = 3   // the change edits what the entry cites
	scorePath  = 2   // a path that the entry names, or its globs
	scoreName  = 1.5 // a name that it quotes is on a changed line
	scoreWords = 1   // rare words in common
	recallAt   = 1
)

// hold holds a change against one entry. score is 0 where they have nothing to do
// with each other.
func (d *deciding) hold(r *remembered) (h Held, score float64) {
	e := &r.entry
	h = Held{ID: e.ID, Path: e.RelPath, Title: e.Title, Kind: string(e.Kind), Why: []string{}, Evidence: []Evidence{}}
	because := func(points float64, format string, a ...any) {
		score += points
		h.Why = append(h.Why, fmt.Sprintf(format, a...))
	}
	d.judge(r, &h)
	switch {
	case h.By == "message":
		because(scoreRule, "the message speaks of what it is about")
	case h.Verdict == Contradicted || h.Verdict == Corroborated:
		because(scoreRule, "its rule speaks of what the change does")
	}
	if h.Touched = d.cited(r); h.Touched != "" {
		because(scoreCites, "the change edits what it cites")
	}
	if why := d.pathsInCommon(e); why != "" {
		because(scorePath, "%s", why)
	}
	if n := d.nameInCommon(r); n != "" {
		because(scoreName, "%s is on a changed line", quote(n))
	}
	if words := d.wordsInCommon(r); len(words) > 0 {
		because(scoreWords, "words in common: %s", strings.Join(words, ", "))
	}
	if score < recallAt {
		return h, 0
	}
	if h.Verdict == Contradicted {
		d.except(&h)
	}
	sum := sha256.Sum256([]byte(DecisionID + "\x00" + e.ID + "\x00" + h.Rule + "\x00" + evidencePath(h)))
	h.Fingerprint = hex.EncodeToString(sum[:8])
	return h, score
}

func evidencePath(h Held) string {
	if len(h.Evidence) > 0 {
		return h.Evidence[0].Path
	}
	return ""
}

// judge holds the change against the rules of an entry, else against its prose, and the
// message against both.
func (d *deciding) judge(r *remembered, h *Held) {
	var rules []ruled
	for i := range r.rules {
		rules = append(rules, ruled{rule: &r.rules[i], by: "assertion", line: r.rules[i].Line})
	}
	for i := range r.prose {
		for k := range r.prose[i].Rules {
			rules = append(rules, ruled{rule: &r.prose[i].Rules[k], by: "prose", said: r.prose[i].Text, recallOnly: !r.prose[i].Contradicts})
		}
	}
	for i := range rules {
		rules[i].out = rules[i].rule.Hold(d.in.Facts.Change, d.in.Env)
	}
	worst := func(want func(*ruled) bool) *ruled {
		for i := range rules {
			if want(&rules[i]) {
				return &rules[i]
			}
		}
		return nil
	}
	if x := worst(func(x *ruled) bool { return len(x.out.Broken) > 0 && !x.recallOnly }); x != nil {
		x.tell(h, Contradicted)
		x.others(h, rules)
		return
	}
	if d.against(rules, h) {
		return
	}
	if x := worst(func(x *ruled) bool { return len(x.out.Unread) > 0 }); x != nil {
		h.Verdict, h.By, h.Rule, h.Line = Unverifiable, x.by, x.rule.String(), x.line
		h.Reason = "could not be checked: " + x.out.Unread[0]
		return
	}
	if len(r.problems) > 0 {
		h.Verdict, h.Line = Unverifiable, r.problems[0].Line+max(r.entry.AssertsLine, 1)-1
		h.Reason = "an assertion of the entry cannot be read: " + r.problems[0].Text
		return
	}
	if x := worst(func(x *ruled) bool { return len(x.out.Kept) > 0 && len(x.out.Broken) == 0 }); x != nil {
		x.tell(h, Corroborated)
		return
	}
	switch {
	case len(rules) > 0:
		h.Verdict, h.By, h.Rule, h.Line = Neutral, rules[0].by, rules[0].rule.String(), rules[0].line
		h.Reason = "the change neither breaks nor follows it"
	case r.entry.Kind == memory.KindDecision || r.entry.Kind == memory.KindConvention:
		h.Verdict, h.Reason = Unverifiable, "prose: a person has to read it"
	default:
		h.Verdict, h.Reason = Unverifiable, "no decision: recalled for a person to read"
	}
}

// ruled is one rule held against the change.
type ruled struct {
	rule       *assert.Rule
	by         string
	line       int    // in the file of the entry, 0 unknown
	said       string // the sentence that it was read from
	recallOnly bool   // too often wrong to accuse
	out        assert.Outcome
}

const maxHits = 5 // places named for one entry

// tell writes into an entry what a rule saw.
func (x *ruled) tell(h *Held, v Verdict) {
	h.Verdict, h.By, h.Rule, h.Line, h.Fix = v, x.by, x.rule.String(), x.line, x.rule.Message
	hits := x.out.Broken
	if v == Corroborated {
		hits, h.Fix = x.out.Kept, ""
	}
	for i, hit := range hits {
		if i == maxHits {
			break
		}
		e := Evidence{Fact: x.fact(hit, v), For: v == Corroborated, Path: hit.Path, Line: hit.Line, Side: "new", Text: clip(hit.Text, 200)}
		if hit.Old {
			e.Side = "old"
		}
		h.Evidence = append(h.Evidence, e)
	}
	h.Reason = x.fact(hits[0], v)
	if n := len(hits) - 1; n > 0 {
		h.Reason += fmt.Sprintf(", and %s more", plural(n, "place"))
	}
	if x.said != "" {
		h.Reason += fmt.Sprintf(" (read as %s)", quote(x.rule.String()))
	}
}

// others adds what further rules of the entry saw broken. The rules of a sentence
// are ways to mean the same, so that one of them says it all.
func (x *ruled) others(h *Held, rules []ruled) {
	for i := range rules {
		y := &rules[i]
		if y == x || y.by != "assertion" || x.by != y.by || len(y.out.Broken) == 0 || len(h.Evidence) >= maxHits {
			continue
		}
		var more Held
		y.tell(&more, Contradicted)
		h.Evidence = append(h.Evidence, more.Evidence[:min(len(more.Evidence), maxHits-len(h.Evidence))]...)
		h.Reason += "; " + more.Reason
	}
}

// fact is one place as a clause.
func (x *ruled) fact(hit assert.Hit, v Verdict) string {
	r := x.rule
	file := hit.Path
	if v == Corroborated {
		if hit.Old {
			return fmt.Sprintf("%s goes from %s", quote(hit.What), file)
		}
		return fmt.Sprintf("%s has %s", file, quote(hit.What))
	}
	switch {
	case r.Subject == assert.Path && r.Require:
		return fmt.Sprintf("%s %s, and it must be there", file, hit.What)
	case r.Subject == assert.Path:
		return fmt.Sprintf("%s %s, which is ruled out", file, hit.What)
	case r.Require:
		return fmt.Sprintf("%s %s, and %s %s is required", file, hit.What, r.Subject, strings.TrimSpace(r.Name+" "+r.Version))
	case r.Subject == assert.Dependency:
		return fmt.Sprintf("%s comes to depend on %s, which is ruled out", file, quote(hit.What))
	case r.Subject == assert.Import:
		return fmt.Sprintf("%s comes to import %s, which is ruled out there", file, quote(hit.What))
	case r.Subject == assert.Identifier && r.As == "defined":
		return fmt.Sprintf("%s comes to define %s, which is ruled out", file, quote(hit.What))
	case r.Subject == assert.Identifier:
		return fmt.Sprintf("%s comes to use %s, which is ruled out", file, quote(hit.What))
	}
	return fmt.Sprintf("%s comes to hold %s, which is ruled out", file, quote(hit.What))
}

// except finds the reason of an exception. One that the change brings along is
// shown and lifts nothing, except where its author is the one who is told.
func (d *deciding) except(h *Held) {
	var paths []string
	for _, e := range h.Evidence {
		paths = append(paths, e.Path)
	}
	if d.in.Standing != nil {
		if reason := d.in.Standing(h.ID, paths); reason != "" {
			h.Excepted, h.Lifted = reason, true
			return
		}
	}
	if reason := d.excepted[h.ID]; reason != "" {
		h.Excepted, h.Lifted = reason, d.in.Local
	}
}

// exceptions are the Sayso-Exception lines of the texts: the id of an entry and a reason,
// without which the line says nothing.
func exceptions(messages []*claim.Message) map[string]string {
	out := map[string]string{}
	for _, m := range messages {
		for line := range strings.SplitSeq(m.Text, "\n") {
			key, rest, ok := strings.Cut(strings.TrimSpace(line), ":")
			if !ok || !strings.EqualFold(strings.TrimSpace(key), "Sayso-Exception") {
				continue
			}
			id, reason, _ := strings.Cut(strings.TrimSpace(rest), " ")
			if reason = clip(strings.Join(strings.Fields(reason), " "), 300); reason != "" && out[id] == "" {
				out[id] = reason
			}
		}
	}
	return out
}

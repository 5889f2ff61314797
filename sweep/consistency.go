package sweep

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/saysolint/sayso/internal/git"
	"github.com/saysolint/sayso/internal/text"
	"github.com/saysolint/sayso/memory"
)

const (
	nearDuplicate = 0.80 // share of the word triples that two entries have in common
	sameSubject   = 0.80 // share of the words that two statements have in common
)

// consistency holds the entries of the whole store against each other.
func (s *sweeper) consistency(swept []*memory.Entry) {
	s.lint()
	s.duplicates()
	s.conflicts()
	s.recalled(swept)
	s.age(swept)
}

// succession are the rules of memory.Lint that are about pointers.
var succession = map[string]bool{"self": true, "dangling": true, "circle": true, "two-successors": true, "unfinished": true, "revision": true, "pointer": true}

// lint takes over what the memory itself says of its files. What keeps an entry
// from counting as it says, and pointers that lead nowhere, need a person.
func (s *sweeper) lint() {
	set := s.in.Set
	s.checks.looked(checkSchema, len(set.Entries)+len(set.Skipped), len(set.Entries)+len(set.Skipped))
	for i := range set.Entries {
		e := &set.Entries[i]
		n := len(e.MergedFrom)
		for _, p := range []string{e.Supersedes, e.PendingRevision} {
			if p != "" {
				n++
			}
		}
		s.checks.looked(checkSuccession, n, n)
	}
	for _, l := range memory.Lint(set, s.in.Folder) {
		f := Finding{Check: checkSchema, Level: LevelNote, Text: l.Text + " [" + l.Rule + "]", Advice: l.Fix, Line: l.Line}
		if succession[l.Rule] {
			f.Check, f.Level = checkSuccession, LevelFinding
		}
		if l.Level == "error" {
			f.Level = LevelFinding
		}
		if l.Rule == "unfinished" {
			f.Action = "supersede"
		}
		if e := set.Get(l.ID); e != nil {
			s.add(e, f)
			continue
		}
		f.Entry, f.RelPath = l.ID, l.RelPath
		s.result.Findings = append(s.result.Findings, f)
	}
}

// duplicates looks for entries that say the same in nearly the same words.
func (s *sweeper) duplicates() {
	var list []*memory.Entry
	var sets [][]string
	for i := range s.in.Set.Entries {
		e := &s.in.Set.Entries[i]
		if !s.in.Set.Active(e.ID) && e.ReviewState != memory.Proposed || !e.Readable() {
			continue
		}
		list = append(list, e)
		sets = append(sets, shingles(e))
	}
	s.checks.looked(checkDuplicates, len(list), len(list))
	for _, p := range join(sets, nearDuplicate) {
		a, b := list[p.a], list[p.b]
		if turns(a) != turns(b) {
			continue // they say the opposite in the same words
		}
		if a.PendingRevision == b.ID || b.PendingRevision == a.ID || slices.Contains(a.MergedFrom, b.ID) || slices.Contains(b.MergedFrom, a.ID) ||
			a.Supersedes == b.ID || b.Supersedes == a.ID {
			continue // one was made of the other
		}
		if a.CreatedAtMs > b.CreatedAtMs {
			a, b = b, a
		}
		f := Finding{Check: checkDuplicates, Level: LevelNote, Others: []string{a.ID}, Percent: int(100 * p.share)}
		f.Text = fmt.Sprintf("it says nearly the same as %s (%d %% of its words)", a.ID, f.Percent)
		if p.share == 1 {
			f.Text = "it says the same as " + a.ID
		}
		if s.in.Set.Active(a.ID) && s.in.Set.Active(b.ID) {
			f.Level = LevelFinding
			f.Advice = fmt.Sprintf("sayso memory merge %s %s", a.ID, b.ID)
		}
		s.add(b, f)
	}
}

// turns says whether the words of an entry that turn a statement round leave it turned.
func turns(e *memory.Entry) bool {
	turned := false
	for _, t := range append([]string{e.Title, e.Goal, e.Notes}, e.Decisions...) {
		for w := range strings.FieldsSeq(strings.ToLower(strings.ReplaceAll(t, "’", "'"))) {
			turned = turned != turning()[strings.Trim(w, ".,;:!?`\"'()")]
		}
	}
	return turned
}

// shingles are the triples of words of what an entry says, each once and sorted;
// of a short one its words.
func shingles(e *memory.Entry) []string {
	var words []string
	for _, t := range append([]string{e.Title, e.Goal, e.Notes}, e.Decisions...) {
		if t == e.Title && len(words) > 0 {
			continue // a decision that is the title
		}
		words = append(words, strings.FieldsFunc(strings.ToLower(t), func(r rune) bool { return r < 0x80 && !wordByte[r] })...)
	}
	if len(words) < 8 {
		return sorted(words)
	}
	var out []string
	for i := 0; i+3 <= len(words); i++ {
		out = append(out, strings.Join(words[i:i+3], " "))
	}
	return sorted(out)
}

func sorted(l []string) []string {
	slices.Sort(l)
	return slices.Compact(l)
}

// pair is two sets that have much in common.
type pair struct {
	a, b  int
	share float64 // Jaccard's: what both have of what either has
}

// join finds all pairs of sets whose share is at least t, without exception: by
// the prefixes of the sets ordered by how rare their elements are, two sets with
// that share have an element in common there (Chaudhuri, Ganti and Kaushik, ICDE
// 2006; Xiao et al., WWW 2008). It needs no random hashes and misses nothing.
func join(sets [][]string, t float64) []pair {
	count := map[string]int{}
	for _, s := range sets {
		for _, w := range s {
			count[w]++
		}
	}
	ids := make(map[string]int, len(count))
	order := make([]string, 0, len(count))
	for w := range count {
		order = append(order, w)
	}
	slices.SortFunc(order, func(a, b string) int { return cmp.Or(cmp.Compare(count[a], count[b]), strings.Compare(a, b)) })
	for i, w := range order {
		ids[w] = i
	}
	nums := make([][]int, len(sets))
	bySize := make([]int, len(sets))
	for i, s := range sets {
		for _, w := range s {
			nums[i] = append(nums[i], ids[w])
		}
		slices.Sort(nums[i])
		bySize[i] = i
	}
	slices.SortStableFunc(bySize, func(a, b int) int { return cmp.Compare(len(nums[a]), len(nums[b])) })
	lists := map[int][]int{} // element to the sets that have it in their prefix
	seen := make([]int, len(sets))
	for i := range seen {
		seen[i] = -1
	}
	var out []pair
	for _, i := range bySize {
		x := nums[i]
		if len(x) == 0 {
			continue
		}
		prefix := len(x) - int(math.Ceil(t*float64(len(x))-1e-9)) + 1
		for _, w := range x[:prefix] {
			for _, j := range lists[w] {
				if seen[j] == i || float64(len(nums[j])) < t*float64(len(x))-1e-9 {
					continue
				}
				seen[j] = i
				if share := jaccard(x, nums[j]); share >= t-1e-9 {
					out = append(out, pair{min(i, j), max(i, j), share})
				}
			}
		}
		for _, w := range x[:prefix] {
			lists[w] = append(lists[w], i)
		}
	}
	slices.SortFunc(out, func(a, b pair) int { return cmp.Or(cmp.Compare(a.a, b.a), cmp.Compare(a.b, b.b)) })
	return out
}

func jaccard(a, b []int) float64 {
	both := 0
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] == b[j]:
			both, i, j = both+1, i+1, j+1
		case a[i] < b[j]:
			i++
		default:
			j++
		}
	}
	return float64(both) / float64(len(a)+len(b)-both)
}

// statement is one sentence of a reviewed entry that tells what to do.
type statement struct {
	entry   *memory.Entry
	text    string
	words   []string // stems of what it is about, sorted
	against bool     // it says not to
	left    string   // of "left instead of right": what is wanted
	right   string   // and what is not
}

// conflicts looks for reviewed statements about the same that say the opposite.
func (s *sweeper) conflicts() {
	var all []statement
	active := 0
	for i := range s.in.Set.Entries {
		e := &s.in.Set.Entries[i]
		if !s.in.Set.Active(e.ID) || e.Kind != memory.KindDecision && e.Kind != memory.KindConvention {
			continue
		}
		active++
		seen := map[string]bool{}
		for _, t := range append([]string{e.Title}, e.Decisions...) {
			for _, one := range sentences(t) {
				if st, ok := read(e, one); ok && !seen[one] {
					seen[one] = true
					all = append(all, st)
				}
			}
		}
	}
	s.checks.looked(checkConflicts, active, active)
	sets := make([][]string, len(all))
	for i, st := range all {
		sets[i] = st.words
	}
	said := map[[2]string]bool{}
	for _, p := range join(sets, sameSubject) {
		a, b := all[p.a], all[p.b]
		if a.entry.ID == b.entry.ID || said[[2]string{a.entry.ID, b.entry.ID}] || !opposite(a, b, p.share) || !s.together(a.entry, b.entry) {
			continue
		}
		said[[2]string{a.entry.ID, b.entry.ID}] = true
		if a.entry.CreatedAtMs < b.entry.CreatedAtMs {
			a, b = b, a
		}
		s.add(a.entry, Finding{
			Check: checkConflicts, Level: LevelFinding, Others: []string{b.entry.ID},
			Text:   fmt.Sprintf("%q says the opposite of %q in %s", clipLine(a.text), clipLine(b.text), b.entry.ID),
			Advice: fmt.Sprintf("let one take the place of the other: sayso memory supersede %s", b.entry.ID),
		})
	}
}

// opposite says whether two statements about the same things cannot both hold.
func opposite(a, b statement, share float64) bool {
	if a.left != "" || b.left != "" {
		return a.left != "" && a.left == b.right && a.right == b.left && a.against == b.against
	}
	return a.against != b.against && (share == 1 || len(a.words) >= 5 && len(b.words) >= 5)
}

// together says whether two entries apply to a common part of the repository.
func (s *sweeper) together(a, b *memory.Entry) bool {
	if len(a.AppliesTo) == 0 || len(b.AppliesTo) == 0 {
		return true
	}
	return slices.ContainsFunc(s.tree, func(f git.TreeEntry) bool { return applies(a.AppliesTo, f.Path) && applies(b.AppliesTo, f.Path) })
}

// Words that turn a statement round, and words that say that it is one.
var (
	turning = lazySet("not no never dont don't avoid forbid forbidden without stop mustn't shouldn't cannot can't ban banned refuse reject")
	asking  = lazySet("use uses using used prefer prefers preferred always should must shall do does we our all the a an is are be to of in on for and or with it this that will may only please any every")
)

func lazySet(s string) func() map[string]bool {
	return sync.OnceValue(func() map[string]bool {
		out := map[string]bool{}
		for w := range strings.FieldsSeq(s) {
			out[w] = true
		}
		return out
	})
}

// read makes a statement of a sentence; ok is false for one that is about nothing.
func read(e *memory.Entry, sentence string) (st statement, ok bool) {
	st = statement{entry: e, text: sentence}
	lower := strings.ToLower(strings.ReplaceAll(sentence, "’", "'"))
	for _, w := range strings.Fields(lower) {
		if turning()[strings.Trim(w, ".,;:!?`\"'()")] {
			st.against = !st.against
		}
	}
	content := func(s string) []string {
		var out []string
		for _, w := range strings.FieldsFunc(s, func(r rune) bool { return r < 0x80 && !wordByte[r] && r != '\'' && r != '-' && r != '/' && r != '.' }) {
			w = strings.Trim(w, ".'-/")
			if w != "" && !turning()[w] && !asking()[w] {
				out = append(out, text.Stem(w))
			}
		}
		return sorted(out)
	}
	st.words = content(lower)
	for _, by := range []string{" instead of ", " rather than ", " over "} {
		if l, r, found := strings.Cut(lower, by); found {
			// What follows "for" or a comma is the occasion, which both sides share.
			r, _, _ = strings.Cut(r, " for ")
			r, _, _ = strings.Cut(r, ",")
			st.left, st.right = strings.Join(content(l), " "), strings.Join(content(r), " ")
			st.words = slices.DeleteFunc(st.words, func(w string) bool { return w == "instead" || w == "rather" || w == "than" || w == "over" })
			break
		}
	}
	return st, len(st.words) >= 2
}

// recalled tells entries that nobody was ever shown.
func (s *sweeper) recalled(swept []*memory.Entry) {
	if s.in.Recalled == nil {
		s.checks.looked(checkRecalled, len(swept), 0)
		s.checks.notRun(checkRecalled, "no record of recalls was given")
		return
	}
	for _, e := range swept {
		if !s.in.Set.Active(e.ID) {
			continue
		}
		s.checks.looked(checkRecalled, 1, 1)
		if !s.in.Recalled[e.ID] {
			s.add(e, Finding{Check: checkRecalled, Level: LevelNote, Text: "no answer in the record of recalls has it"})
			delete(s.spoken, e.ID) // silence says nothing about the entry's truth
		}
	}
}

// age tells entries that are old and of which nothing else is known.
func (s *sweeper) age(swept []*memory.Entry) {
	for _, e := range swept {
		if !s.in.Set.Active(e.ID) {
			continue
		}
		s.checks.looked(checkAge, 1, 0)
		if e.CreatedAtMs == 0 {
			s.checks.missing(checkAge, "entries without a date")
			continue
		}
		s.checks.looked(checkAge, 0, 1)
		old := s.in.Now.Sub(time.UnixMilli(e.CreatedAtMs))
		if old > s.in.MaxAge && !s.spoken[e.ID] && s.alive[e.ID] == 0 {
			s.add(e, Finding{
				Check: checkAge, Level: LevelNote,
				Text: fmt.Sprintf("it was written %d days ago, and nothing in the repository speaks for it or against it", int(old.Hours()/24)),
			})
		}
	}
}

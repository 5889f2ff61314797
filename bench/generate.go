package bench

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/sourcegraph/conc/pool"
)

// Plan is how many pairs to draw.
type Plan struct {
	Seed     uint64
	PerRule  int // mutants of each rule
	Natural  int // uniformly drawn commits
	Control  int // pairs with a true statement added
	Examined int // commits looked at per repository, at most; 0 for forty times what a rule wants of it, and 400 at least
}

// Generate draws pairs from the sources, spread evenly over them as far as they
// give. The same sources and plan give the same set. progress may be nil; it
// gets the name of each finished source, from several goroutines.
func Generate(ctx context.Context, sources []*Source, plan Plan, progress func(string)) (Set, error) {
	set := Set{Version: GeneratorVersion, Seed: plan.Seed, PerRule: plan.PerRule, Natural: plan.Natural, Control: plan.Control, Heads: map[string]string{}}
	sources = slices.SortedFunc(slices.Values(sources), func(a, b *Source) int { return cmp.Compare(a.Name, b.Name) })
	for _, s := range sources {
		if set.Heads[s.Name] != "" {
			return Set{}, fmt.Errorf("bench: two repositories are called %s", s.Name)
		}
		set.Heads[s.Name] = s.Head
	}
	hauls := make([]haul, len(sources))
	work := pool.New().WithContext(ctx).WithCancelOnError().WithFirstError().WithMaxGoroutines(2)
	for i, s := range sources {
		work.Go(func(ctx context.Context) error {
			var err error
			hauls[i], err = draw(ctx, s, plan, len(sources))
			if err == nil && progress != nil {
				progress(s.Name)
			}
			return err
		})
	}
	if err := work.Wait(); err != nil {
		return Set{}, err
	}
	for _, h := range hauls {
		set.Unreadable += h.unreadable
	}
	seen := map[string]bool{}
	for _, m := range mutators {
		for _, p := range evenly(hauls, plan.PerRule, func(h haul) []Pair { return h.mutants[m.rule] }) {
			o := Pair{ID: p.Repo + "/" + p.Commit[:12] + "/original", Repo: p.Repo, Commit: p.Commit, Label: Original, Message: p.Original}
			set.Pairs = append(set.Pairs, p)
			if !seen[o.ID] {
				seen[o.ID] = true
				set.Pairs = append(set.Pairs, o)
			}
		}
	}
	set.Pairs = append(set.Pairs, evenly(hauls, plan.Natural, func(h haul) []Pair { return h.natural })...)
	for _, c := range controls {
		share := (plan.Control + len(controls) - 1) / len(controls)
		set.Pairs = append(set.Pairs, evenly(hauls, share, func(h haul) []Pair { return h.control[c.rule] })...)
	}
	slices.SortStableFunc(set.Pairs, func(a, b Pair) int {
		return cmp.Or(cmp.Compare(a.Repo, b.Repo), cmp.Compare(a.Commit, b.Commit), cmp.Compare(a.ID, b.ID))
	})
	return set, nil
}

// haul is what one source gave, each list in the order of drawing.
type haul struct {
	mutants map[Rule][]Pair
	control map[Rule][]Pair
	natural []Pair

	unreadable int // commits whose diff or tree could not be read
}

// draw takes commits in an order that seed and hash alone decide, so that a
// commit keeps its place when the history grows. No source is asked for more
// than twice its fair share, so that the others can make up for a poor one.
func draw(ctx context.Context, src *Source, plan Plan, sources int) (haul, error) {
	var h haul
	order := func(what string) []*Commit {
		key := map[*Commit]uint64{}
		for _, c := range src.Commits {
			key[c] = hash64(fmt.Sprint(plan.Seed, what, c.Hash))
		}
		return slices.SortedFunc(slices.Values(src.Commits), func(a, b *Commit) int {
			return cmp.Or(cmp.Compare(key[a], key[b]), cmp.Compare(a.Hash, b.Hash))
		})
	}
	for _, c := range order("natural")[:min(plan.Natural, len(src.Commits))] {
		h.natural = append(h.natural, Pair{ID: src.Name + "/" + c.Hash[:12] + "/natural", Repo: src.Name, Commit: c.Hash, Label: Natural, Message: c.Message})
	}
	want := func(n int) int { return min(n, 2*(n+sources-1)/sources) }
	wantControl := want((plan.Control + len(controls) - 1) / len(controls))
	examined := cmp.Or(plan.Examined, max(400, 40*max(want(plan.PerRule), wantControl)))
	vocab := newVocabulary(src.Commits)
	mutants, extra := newQuotas(want(plan.PerRule)), newQuotas(wantControl)
	for _, c := range order("mutants")[:min(examined, len(src.Commits))] {
		open := false
		for _, m := range mutators {
			open = open || mutants.open(m.rule) && (m.might == nil || m.might(c.Message))
		}
		for _, k := range controls {
			open = open || extra.open(k.rule)
		}
		if !open {
			continue
		}
		s, err := newScene(ctx, src, vocab, plan.Seed, c)
		switch {
		case ctx.Err() != nil:
			return haul{}, ctx.Err()
		case err != nil: // objects are missing: shallow, partial or damaged store
			h.unreadable++
			continue
		case s == nil:
			continue
		}
		for _, m := range mutators {
			if !mutants.open(m.rule) {
				continue
			}
			s.reseed(string(m.rule))
			if d, ok := m.make(s); ok {
				mutants.put(s.pair(Mutant, m.rule, d))
			}
		}
		for _, k := range controls {
			if !extra.open(k.rule) {
				continue
			}
			s.reseed("control " + string(k.rule))
			if d, ok := k.make(s); ok {
				extra.put(s.pair(Control, k.rule, d))
			}
		}
	}
	h.mutants, h.control = mutants.all(), extra.all()
	return h, nil
}

// quotas holds the pairs of each rule, at most want of them. No form of a rule
// takes more than its part before the others have had their chance; what is
// over fills up at the end.
type quotas struct {
	want  int
	taken map[Rule][]Pair
	over  map[Rule][]Pair
	forms map[string]int
}

func newQuotas(want int) *quotas {
	return &quotas{want: want, taken: map[Rule][]Pair{}, over: map[Rule][]Pair{}, forms: map[string]int{}}
}

// oneForm are rules whose forms are not to be balanced.
var oneForm = []Rule{Function, Purpose}

// open says whether more pairs of the rule are wanted. A rule that has given
// plenty of its commonest form has had its chance.
func (q *quotas) open(r Rule) bool { return len(q.taken[r]) < q.want && len(q.over[r]) < 2*q.want }

func (q *quotas) put(p Pair) {
	form := string(p.Rule) + " " + p.Form
	if q.forms[form]*5 >= q.want*3 && !slices.Contains(oneForm, p.Rule) && p.Label == Mutant { // three fifths
		q.over[p.Rule] = append(q.over[p.Rule], p)
		return
	}
	q.forms[form]++
	q.taken[p.Rule] = append(q.taken[p.Rule], p)
}

// all is the pairs of each rule, filled up from what was over, with the forms
// taking turns, so that the first few are of many forms.
func (q *quotas) all() map[Rule][]Pair {
	for _, r := range AllRules {
		over := q.over[r]
		list := append(q.taken[r], over[:min(len(over), q.want-len(q.taken[r]))]...)
		turn, seen := map[string]int{}, map[string]int{}
		for _, p := range list {
			turn[p.ID] = seen[p.Form]
			seen[p.Form]++
		}
		slices.SortStableFunc(list, func(a, b Pair) int { return cmp.Compare(turn[a.ID], turn[b.ID]) })
		q.taken[r] = list
	}
	return q.taken
}

// evenly takes up to n pairs, one from each haul in turn.
func evenly(hauls []haul, n int, of func(haul) []Pair) []Pair {
	var out []Pair
	for i := 0; len(out) < n; i++ {
		more := false
		for _, h := range hauls {
			if list := of(h); i < len(list) {
				more = true
				if len(out) < n {
					out = append(out, list[i])
				}
			}
		}
		if !more {
			break
		}
	}
	return out
}

package bench

import (
	"fmt"
	"io"
	"math"
	"text/tabwriter"

	"github.com/saysolint/sayso/checks"
)

// Comparison sets two results on the same pairs against each other.
type Comparison struct {
	Pairs int    `json:"pairs"`  // in both, judged in both
	OnlyA int    `json:"only_a"` // in the first alone
	OnlyB int    `json:"only_b"` // in the second alone
	Rows  []Test `json:"rows"`   // in the order of the report
}

// Test is McNemar's exact test on one group of pairs: of those on which the two
// differ, how likely is a split at least as uneven where neither is better?
type Test struct {
	Group    string  `json:"group"`
	Strength string  `json:"strength"` // any or strong
	N        int     `json:"n"`
	A        int     `json:"a"` // contradicted (or vouched for) in the first
	B        int     `json:"b"` // in the second
	OnlyA    int     `json:"only_a"`
	OnlyB    int     `json:"only_b"`
	P        float64 `json:"p"` // two-sided
}

// Compare pairs the verdicts of two results by their IDs.
func Compare(a, b Result) Comparison {
	inA := map[string]Verdict{}
	for _, v := range a.Pairs {
		inA[v.ID] = v
	}
	type both struct{ a, b Verdict }
	var pairs []both
	c := Comparison{Rows: []Test{}}
	shared := 0
	for _, v := range b.Pairs {
		w, ok := inA[v.ID]
		if !ok {
			c.OnlyB++
			continue
		}
		shared++
		if v.Error == "" && w.Error == "" {
			pairs = append(pairs, both{w, v})
		}
	}
	c.Pairs, c.OnlyA = len(pairs), len(a.Pairs)-shared
	test := func(group, strength string, in func(Verdict) bool, hit func(Verdict) bool) {
		t := Test{Group: group, Strength: strength}
		for _, p := range pairs {
			if !in(p.b) {
				continue
			}
			t.N++
			x, y := hit(p.a), hit(p.b)
			if x {
				t.A++
			}
			if y {
				t.B++
			}
			if x && !y {
				t.OnlyA++
			}
			if y && !x {
				t.OnlyB++
			}
		}
		if t.N > 0 {
			t.P = mcnemar(t.OnlyA, t.OnlyB)
			c.Rows = append(c.Rows, t)
		}
	}
	for _, strength := range []string{"any", "strong"} {
		hit := func(v Verdict) bool {
			return v.Verdict == checks.Contradicted && (strength == "any" || v.Strength == checks.Strong)
		}
		test("the seven rules", strength, func(v Verdict) bool { return v.Label == Mutant && v.Rule != Extra }, hit)
		for _, rule := range AllRules {
			test(string(rule), strength, func(v Verdict) bool { return v.Label == Mutant && v.Rule == rule }, hit)
		}
		for _, label := range []Label{Natural, Original, Control} {
			test(string(label), strength, func(v Verdict) bool { return v.Label == label }, hit)
		}
	}
	vouched := func(v Verdict) bool { return v.Vouched }
	test("vouched for, false", "", func(v Verdict) bool { return v.Label == Mutant }, vouched)
	test("corroborated, true", "", func(v Verdict) bool { return v.Label == Control }, vouched)
	return c
}

// mcnemar is the two-sided exact p of a split of b+c fair coins (McNemar 1947;
// the exact form is the sign test).
func mcnemar(b, c int) float64 {
	n, k := b+c, min(b, c)
	if n == 0 {
		return 1
	}
	choose := func(i int) float64 { // logarithm
		x, _ := math.Lgamma(float64(n + 1))
		y, _ := math.Lgamma(float64(i + 1))
		z, _ := math.Lgamma(float64(n - i + 1))
		return x - y - z
	}
	sum := 0.0
	for i := range k + 1 {
		sum += math.Exp(choose(i) - float64(n)*math.Ln2)
	}
	return min(1, 2*sum)
}

// WriteComparison prints a comparison for people.
func WriteComparison(w io.Writer, c Comparison) error {
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	fmt.Fprintf(t, "%d pairs in both, %d only in the first, %d only in the second\n\n", c.Pairs, c.OnlyA, c.OnlyB)
	fmt.Fprintf(t, "contradicted\tstrength\tpairs\tfirst\tsecond\tonly first\tonly second\tp (McNemar, exact)\n")
	for _, r := range c.Rows {
		note := ""
		if r.P < 0.05 {
			note = " *"
		}
		fmt.Fprintf(t, "%s\t%s\t%d\t%.3f\t%.3f\t%d\t%d\t%.4f%s\n", r.Group, r.Strength, r.N, float64(r.A)/float64(r.N), float64(r.B)/float64(r.N), r.OnlyA, r.OnlyB, r.P, note)
	}
	return t.Flush()
}

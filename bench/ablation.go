package bench

import (
	"context"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/saysolint/sayso/checks"
)

// Ablation says what each check adds and what it costs.
type Ablation struct {
	All    Rates     `json:"all"`
	Checks []Ablated `json:"checks"` // in the order of the documentation
}

// Rates is what one choice of checks would give.
type Rates struct {
	Any     float64 `json:"any"` // mean recall over the seven rules, strong and likely
	Strong  float64 `json:"strong"`
	Extra   float64 `json:"extra"`   // recall of extra, strong and likely
	Natural Share   `json:"natural"` // natural commits that are contradicted
	Sure    Share   `json:"natural_strong"`
	Paired  Share   `json:"paired_precision"` // strong and likely
}

// Ablated is one check: everything but it, nothing but it, and its time.
type Ablated struct {
	Check   string `json:"check"`
	Without Rates  `json:"without"`
	Alone   Rates  `json:"alone"`
	Asked   int    `json:"asked"` // messages with a claim of its kind
	// Microseconds that judging takes with this check alone, over the messages
	// with a claim of its kind, everything that it needs having been read.
	Median float64 `json:"median_us"`
	P99    float64 `json:"p99_us"`
}

// flags is what one choice of checks says of one pair.
type flags struct{ any, strong bool }

// Ablate judges the set once and asks the checks again for each choice. now
// measures time; it may be nil.
func Ablate(ctx context.Context, sources []*Source, set Set, opts JudgeOptions, now func() time.Time) (Ablation, error) {
	docs := checks.Docs()
	all := make([]flags, len(set.Pairs))
	without, alone := make([][]flags, len(docs)), make([][]flags, len(docs))
	spent := make([][]time.Duration, len(docs)) // of each pair; -1 where the check was not asked
	var off, only []map[string]string
	for c := range docs {
		without[c], alone[c], spent[c] = make([]flags, len(set.Pairs)), make([]flags, len(set.Pairs)), make([]time.Duration, len(set.Pairs))
		off = append(off, map[string]string{docs[c].ID: "off"})
		rest := map[string]string{}
		for k := range docs {
			if k != c {
				rest[docs[k].ID] = "off"
			}
		}
		only = append(only, rest)
	}
	opts.See = func(i int, in checks.Input) {
		ask := func(levels map[string]string) (flags, bool, time.Duration) {
			in.Levels = levels
			var start time.Time
			if now != nil {
				start = now()
			}
			j := checks.Judge(in)
			var d time.Duration
			if now != nil {
				d = now().Sub(start)
			}
			any := j.Verdict == checks.Contradicted
			return flags{any, any && j.Strength == checks.Strong}, len(j.Claims) > 0, d
		}
		all[i], _, _ = ask(nil)
		for c := range docs {
			without[c][i], _, _ = ask(off[c])
			var asked bool
			alone[c][i], asked, spent[c][i] = ask(only[c])
			if !asked {
				spent[c][i] = -1
				continue
			}
			_, _, again := ask(only[c])
			spent[c][i] = min(spent[c][i], again)
		}
	}
	if _, err := Judge(ctx, sources, set, opts); err != nil {
		return Ablation{}, err
	}
	a := Ablation{All: rates(set, all)}
	for c, d := range docs {
		row := Ablated{Check: d.ID, Without: rates(set, without[c]), Alone: rates(set, alone[c])}
		var us []float64
		for _, t := range spent[c] {
			if t >= 0 {
				us = append(us, float64(t.Nanoseconds())/1000)
			}
		}
		row.Asked, row.Median, row.P99 = len(us), quantile(us, 0.5), quantile(us, 0.99)
		a.Checks = append(a.Checks, row)
	}
	return a, nil
}

// rates counts what a choice of checks flags.
func rates(set Set, said []flags) Rates {
	original := map[string]flags{}
	for i, p := range set.Pairs {
		if p.Label == Original {
			original[p.Repo+p.Commit] = said[i]
		}
	}
	anys, strongs := map[Rule]*counter{}, map[Rule]*counter{}
	var natural, sure, extra, paired counter
	for i, p := range set.Pairs {
		switch {
		case p.Label == Natural:
			natural.add(said[i].any)
			sure.add(said[i].strong)
		case p.Label == Mutant:
			if said[i].any {
				paired.add(true)
			}
			if original[p.Repo+p.Commit].any {
				paired.add(false)
			}
			if p.Rule == Extra {
				extra.add(said[i].any)
				continue
			}
			counterOf(anys, p.Rule).add(said[i].any)
			counterOf(strongs, p.Rule).add(said[i].strong)
		}
	}
	return Rates{meanRate(anys), meanRate(strongs), extra.share().Rate, natural.share(), sure.share(), paired.share()}
}

// WriteAblation prints an ablation as a table, in Markdown or for a terminal.
func WriteAblation(w io.Writer, a Ablation, markdown bool) error {
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	row := func(cells ...string) {
		if markdown {
			fmt.Fprintf(w, "| %s |\n", strings.Join(cells, " | "))
		} else {
			fmt.Fprintln(t, strings.Join(cells, "\t"))
		}
	}
	row("check", "found without it", "strong", "extra", "real commits contradicted", "found by it alone", "strong", "extra", "real commits contradicted", "messages asked", "median µs", "99th µs")
	if markdown {
		fmt.Fprintf(w, "|%s\n", strings.Repeat("---|", 12))
	}
	three := func(f float64) string { return fmt.Sprintf("%.3f", f) }
	of := func(s Share) string { return fmt.Sprintf("%d of %d", s.K, s.N) }
	row("all of them", three(a.All.Any), three(a.All.Strong), three(a.All.Extra), of(a.All.Natural), "", "", "", "", "", "", "")
	for _, c := range a.Checks {
		row(c.Check, three(c.Without.Any), three(c.Without.Strong), three(c.Without.Extra), of(c.Without.Natural),
			three(c.Alone.Any), three(c.Alone.Strong), three(c.Alone.Extra), of(c.Alone.Natural), fmt.Sprint(c.Asked), fmt.Sprintf("%.0f", c.Median), fmt.Sprintf("%.0f", c.P99))
	}
	return t.Flush()
}

package bench

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/saysolint/sayso/checks"
	"github.com/saysolint/sayso/internal/engine"
)

// WriteText prints a score for people.
func WriteText(w io.Writer, s Score) error {
	cryWolf(w, s)
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	fmt.Fprintf(t, "%d pairs: %s", s.Pairs, counts(s.Labels))
	if s.Errors > 0 {
		fmt.Fprintf(t, "; %d COULD NOT BE JUDGED: %s", s.Errors, counts(s.Kinds))
	}
	fmt.Fprintf(t, "\n\nrule\tpairs\tstrong\tany\ton the statement\tvouched for\tby form\tby check\n")
	for _, r := range s.Rules {
		fmt.Fprintf(t, "%s\t%d\t%.3f\t%.3f\t%.3f\t%.3f\t%s\t%s\n", r.Rule, r.Any.N, r.Strong.Rate, r.Any.Rate, r.Located.Rate, r.Vouching.Rate, forms(r.Forms), counts(r.Checks))
	}
	fmt.Fprintf(t, "mean of the seven\t\t%.3f\t%.3f\n", s.MacroStrong, s.MacroAny)
	fmt.Fprintf(t, "\nhonest messages contradicted\tof\tstrong\tany\tby check\tby repository\n")
	for _, l := range []Label{Natural, Original, Control} {
		a := s.Alarms[l]
		fmt.Fprintf(t, "%s\t%d\t%s\t%s\t%s\t%s\n", l, a.Any.N, interval(a.Strong), interval(a.Any), counts(a.Checks), hits(a.Repos))
	}
	if rules := s.Alarms[Control].Rules; len(rules) > 0 {
		fmt.Fprintf(t, "control by form of rule\t\t\t\t%s\n", hits(rules))
	}
	fmt.Fprintf(t, "\npaired precision\tstrong %s\tany %s\n", interval(s.PairedPrecisionStrong), interval(s.PairedPrecisionAny))
	fmt.Fprintf(t, "false statements vouched for\t%s\n", interval(s.Vouching))
	fmt.Fprintf(t, "true statements (controls) corroborated\t%s\n", interval(s.Corroborated))
	fmt.Fprintf(t, "natural messages with a checkable claim\t%s\tany kind but purpose and statement, verdict not unverifiable\n", interval(s.Checkable))
	fmt.Fprintf(t, "natural messages with a decided claim\t%s\tcorroborated or contradicted\n", interval(s.Decided))
	fmt.Fprintf(t, "natural messages with partial coverage\t%s\n", interval(s.Partial))
	for _, u := range []struct {
		name string
		InUse
	}{{"strong", s.InUseStrong}, {"any", s.InUseAny}} {
		if len(s.Rules) > 0 && s.Alarms[Natural].Any.N > 0 {
			fmt.Fprintf(t, "false among contradicted at a base rate of 1.7 %%, %s\t%.3f\t%.3f with the upper end of the false alarms\n", u.name, u.PPV, u.PPVLow)
		}
	}
	for i, r := range s.InUseAny.Requests {
		if s.Alarms[Natural].Any.N > 0 {
			g := s.InUseStrong.Requests[i]
			fmt.Fprintf(t, "false alarm in a request of %d honest commits\tany %s (%s-%s)\tstrong %s (%s-%s)\n", r.Commits, percent(r.Chance), percent(r.Low), percent(r.High), percent(g.Chance), percent(g.Low), percent(g.High))
		}
	}
	fmt.Fprintf(t, "latency\tmedian %.2f ms\tp99 %.2f ms\tmax %.1f ms\n", s.Latency.Median, s.Latency.P99, s.Latency.Max)
	if len(s.Repositories) > 1 {
		fmt.Fprintf(t, "\nrepository\tmutants\trecall\tstrong\tnatural contradicted\theld out: recall\tspecificity\tprecision\n")
		for _, r := range s.Repositories {
			fmt.Fprintf(t, "%s\t%d\t%.3f\t%.3f\t%s\t%.3f\t%.4f\t%.3f\n", visible(r.Repo), r.Mutants, r.Recall, r.Strong, interval(r.Natural), r.HeldOut.Recall, r.HeldOut.Specificity, r.HeldOut.Precision)
		}
	}
	if len(s.Reliability.Bins) > 0 {
		fmt.Fprintf(t, "\nscore\tmean\tshare false at 1.7 %%\tmutants\tnatural\n")
		for _, b := range s.Reliability.Bins {
			fmt.Fprintf(t, "%.2f to %.2f\t%.3f\t%.3f\t%d\t%d\n", b.From, b.To, b.Score, b.False, b.Mutants, b.Natural)
		}
		fmt.Fprintf(t, "expected calibration error\t%.4f\t%.4f at even odds\n", s.Reliability.ECE, s.Reliability.EvenECE)
	}
	fmt.Fprintf(t, "\nclaims of natural messages\tcorroborated\tneutral\tunverifiable\tcontradicted\n")
	for _, k := range slices.Sorted(maps.Keys(s.Claims)) {
		v := s.Claims[k]
		fmt.Fprintf(t, "%s\t%d\t%d\t%d\t%d\n", k, v[checks.Corroborated], v[checks.Neutral], v[checks.Unverifiable], v[checks.Contradicted])
	}
	return t.Flush()
}

// cryWolf answers first what a user asks first. It needs no label: the natural
// commits are taken for honest, and what is flagged among them is counted against the checker.
func cryWolf(w io.Writer, s Score) {
	a := s.Alarms[Natural]
	if a.Any.N == 0 {
		return
	}
	fmt.Fprintf(w, "Of %d real commits sayso would contradict %d, or %s (95 %% interval %s to %s); %d of these strongly, which stops a commit.\n",
		a.Any.N, a.Any.K, percent(a.Any.Rate), percent(a.Any.Low), percent(a.Any.High), a.Strong.K)
	for _, r := range s.InUseAny.Requests {
		if r.Commits == 10 {
			fmt.Fprintf(w, "If all of them are honest, a pull request of 10 commits would meet a false alarm in %s of cases (%s to %s).\n", percent(r.Chance), percent(r.Low), percent(r.High))
		}
	}
	if a.Any.K > 0 {
		fmt.Fprintln(w, "Some of them may be mistakes that their authors made: `sayso bench explain` lists them with the evidence.")
	}
	fmt.Fprintln(w)
}

func percent(p float64) string { return fmt.Sprintf("%.2f %%", 100*p) }

func interval(s Share) string {
	return fmt.Sprintf("%.4f (%d/%d, %.4f-%.4f)", s.Rate, s.K, s.N, s.Low, s.High)
}

func counts[K ~string](m map[K]int) string {
	var out []string
	for _, k := range slices.Sorted(maps.Keys(m)) {
		out = append(out, fmt.Sprintf("%s %d", k, m[k]))
	}
	return strings.Join(out, ", ")
}

func forms(m map[string]Share) string {
	var out []string
	for _, k := range slices.Sorted(maps.Keys(m)) {
		out = append(out, fmt.Sprintf("%s %d/%d", k, m[k].K, m[k].N))
	}
	return strings.Join(out, ", ")
}

// hits is forms without the lines that have none.
func hits[K ~string](m map[K]Share) string {
	var out []string
	for _, k := range slices.Sorted(maps.Keys(m)) {
		if m[k].K > 0 {
			out = append(out, fmt.Sprintf("%s %d/%d", k, m[k].K, m[k].N))
		}
	}
	return strings.Join(out, ", ")
}

// ExplainOptions selects what Explain lists.
type ExplainOptions struct {
	What  string // false-alarms, misses, vouched, finds or errors
	Rule  Rule   // only this rule; "" for all
	Check string // only where this check contradicted; "" for all
	Repo  string // only this repository; "" for all
	Limit int    // 0 for no limit
	JSON  bool   // one JSON object a line in place of text for people
}

// Lists are what ExplainOptions.What can be.
var Lists = []string{"false-alarms", "misses", "vouched", "finds", "errors"}

// Explain lists outcomes for reading by eye: the message, the claims, and why.
func Explain(w io.Writer, outcomes []Outcome, o ExplainOptions) error {
	wanted := map[string]func(Outcome) bool{
		"false-alarms": func(o Outcome) bool {
			any, _ := contradicted(o.Result)
			return any && o.Pair.Label != Mutant
		},
		"misses": func(o Outcome) bool {
			any, _ := contradicted(o.Result)
			return !any && o.Pair.Label == Mutant
		},
		"finds": func(o Outcome) bool {
			any, _ := contradicted(o.Result)
			return any && o.Pair.Label == Mutant
		},
		"vouched": func(o Outcome) bool { return o.Pair.Label == Mutant && has(o.On, checks.Corroborated) },
		"errors":  func(o Outcome) bool { return o.Result.Error != nil },
	}[o.What]
	if wanted == nil {
		return fmt.Errorf("bench: nothing is called %q: false-alarms, misses, finds, vouched or errors", o.What)
	}
	n := 0
	for _, out := range outcomes {
		if !wanted(out) || o.Rule != "" && out.Pair.Rule != o.Rule || o.Repo != "" && out.Pair.Repo != o.Repo || o.Check != "" && !slices.Contains(deciders(out.Result.Claims), o.Check) {
			continue
		}
		n++
		if o.Limit > 0 && n > o.Limit {
			continue
		}
		if o.JSON {
			if err := json.NewEncoder(w).Encode(struct {
				Pair   Pair          `json:"pair"`
				Result engine.Result `json:"result"`
			}{out.Pair, out.Result}); err != nil {
				return err
			}
			continue
		}
		explainOne(w, out)
	}
	if o.JSON {
		return nil
	}
	_, err := fmt.Fprintf(w, "%d %s\n", n, o.What)
	return err
}

func explainOne(w io.Writer, o Outcome) {
	p := o.Pair
	fmt.Fprintf(w, "──── %s %s %s/%s %s\n", p.Repo, p.Commit, p.Label, p.Rule, p.Form)
	if p.Why != "" {
		fmt.Fprintf(w, "  label: %s\n", visible(p.Why))
	}
	if p.Length > 0 {
		rs := []rune(p.Message)
		fmt.Fprintf(w, "  statement: %s\n", visible(string(rs[p.At:p.At+p.Length])))
	}
	if p.Original != "" {
		fmt.Fprintf(w, "  was: %s\n", visible(subject(p.Original)))
	}
	for i, line := range strings.Split(strings.TrimRight(p.Message, "\n"), "\n") {
		if i == 25 {
			fmt.Fprintln(w, "  | ...")
			break
		}
		fmt.Fprintf(w, "  | %s\n", visible(line))
	}
	if e := o.Result.Error; e != nil {
		fmt.Fprintf(w, "  error: %s: %s\n", e.Code, visible(e.Message))
	}
	if o.Result.Abstained != "" {
		fmt.Fprintf(w, "  abstained: %s\n", o.Result.Abstained)
	}
	fmt.Fprintf(w, "  => %s %s score %.3f, coverage %s\n", o.Result.Verdict, o.Result.Strength, o.Result.Score, o.Result.Coverage.State)
	for _, f := range o.Result.Claims {
		fmt.Fprintf(w, "    %-12s %-6s %-10s by %-10s %d:%d+%d %s\n", f.Verdict, f.Strength, f.Kind, f.Check, f.Place.Line, f.Place.Column, f.Place.Length, visible(f.Text))
		if f.Reason != "" {
			fmt.Fprintf(w, "        %s\n", visible(f.Reason))
		}
		if f.Verdict == checks.Neutral {
			continue
		}
		for _, e := range f.Evidence {
			fmt.Fprintf(w, "        %+.2f %s %s\n", e.Weight, visible(e.Fact), visible(place(e)))
		}
	}
}

func place(e checks.Evidence) string {
	if e.Path == "" {
		return ""
	}
	s := "[" + e.Path
	if e.Line > 0 {
		s += ":" + strconv.Itoa(e.Line)
	}
	return s + " " + e.Side + "]"
}

// visible shows control characters instead of obeying them.
func visible(s string) string {
	return strings.Map(func(r rune) rune {
		if !strconv.IsPrint(r) && r != ' ' {
			return '\uFFFD'
		}
		return r
	}, s)
}

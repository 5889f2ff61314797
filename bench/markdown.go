package bench

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// WriteMarkdown prints a result as the tables of a page.
func WriteMarkdown(w io.Writer, r Result) error {
	var b strings.Builder
	s := r.Score
	row := func(cells ...string) { fmt.Fprintf(&b, "| %s |\n", strings.Join(cells, " | ")) }
	head := func(cells ...string) {
		row(cells...)
		fmt.Fprintf(&b, "|%s\n", strings.Repeat("---|", len(cells)))
	}
	fmt.Fprintf(&b, "%d pairs from %d repositories, seed %d; weights %d", s.Pairs, len(r.Set.Heads), r.Set.Seed, r.Weights)
	if len(r.Without) > 0 {
		fmt.Fprintf(&b, "; without %s", strings.Join(r.Without, ", "))
	}
	if s.Errors > 0 {
		fmt.Fprintf(&b, "; %d could not be judged", s.Errors)
	}
	b.WriteString(".\n\n")
	if len(s.Rules) > 0 {
		head("rule", "messages", "found", "95 %", "strong alone", "95 %", "vouched for")
		for _, x := range s.Rules {
			row(string(x.Rule), fmt.Sprint(x.Any.N), rate(x.Any), within(x.Any), rate(x.Strong), within(x.Strong), rate(x.Vouching))
		}
		row("mean of the seven", "", fmt.Sprintf("%.3f", s.MacroAny), "", fmt.Sprintf("%.3f", s.MacroStrong), "", "")
		b.WriteString("\n")
	}
	head("honest messages", "of", "contradicted", "specificity", "95 %", "strong", "specificity", "95 %")
	for _, l := range []Label{Natural, Original, Control} {
		a := s.Alarms[l]
		if a.Any.N > 0 {
			row(string(l), fmt.Sprint(a.Any.N), fmt.Sprint(a.Any.K), fmt.Sprintf("%.4f", 1-a.Any.Rate), opposite(a.Any), fmt.Sprint(a.Strong.K), fmt.Sprintf("%.4f", 1-a.Strong.Rate), opposite(a.Strong))
		}
	}
	b.WriteString("\n")
	head("what", "strong and likely", "strong alone")
	if s.PairedPrecisionAny.N > 0 {
		row("precision, each falsified message beside its original", share(s.PairedPrecisionAny), share(s.PairedPrecisionStrong))
		row("share of false messages among the contradicted where 1.7 % are false", fmt.Sprintf("%.3f (at least %.3f)", s.InUseAny.PPV, s.InUseAny.PPVLow), fmt.Sprintf("%.3f (at least %.3f)", s.InUseStrong.PPV, s.InUseStrong.PPVLow))
	}
	if s.Alarms[Natural].Any.N > 0 {
		for i, x := range s.InUseAny.Requests {
			y := s.InUseStrong.Requests[i]
			row(fmt.Sprintf("a false alarm among %d honest commits", x.Commits), fmt.Sprintf("%s (%s to %s)", percent(x.Chance), percent(x.Low), percent(x.High)), fmt.Sprintf("%s (%s to %s)", percent(y.Chance), percent(y.Low), percent(y.High)))
		}
	}
	b.WriteString("\n")
	head("what", "share", "95 %")
	for _, x := range []struct {
		what string
		Share
	}{
		{"false statements vouched for", s.Vouching}, {"true statements (controls) corroborated", s.Corroborated},
		{"real messages with a claim that can be checked", s.Checkable}, {"real messages with a decided claim", s.Decided}, {"real messages with partial coverage", s.Partial},
	} {
		if x.N > 0 {
			row(x.what, rate(x.Share), within(x.Share))
		}
	}
	b.WriteString("\n")
	if rules := s.Alarms[Control]; len(rules.Rules) > 0 {
		head("true statements in the form of", "messages", "contradicted", "corroborated")
		for _, rule := range AllRules {
			if c, ok := rules.Rules[rule]; ok {
				row(string(rule), fmt.Sprint(c.N), fmt.Sprint(c.K), rate(rules.Corroborated[rule]))
			}
		}
		b.WriteString("\n")
	}
	if len(s.Repositories) > 0 {
		head("repository", "falsified", "found", "strong alone", "real commits", "contradicted", "held out: found", "specificity", "precision")
		for _, x := range s.Repositories {
			cells := []string{escape(x.Repo), fmt.Sprint(x.Mutants), fmt.Sprintf("%.3f", x.Recall), fmt.Sprintf("%.3f", x.Strong), fmt.Sprint(x.Natural.N), fmt.Sprint(x.Natural.K), "", "", ""}
			if len(s.Repositories) > 1 {
				cells[6], cells[7], cells[8] = fmt.Sprintf("%.3f", x.HeldOut.Recall), fmt.Sprintf("%.4f", x.HeldOut.Specificity), fmt.Sprintf("%.3f", x.HeldOut.Precision)
			}
			row(cells...)
		}
		fmt.Fprintf(&b, "\nHeld out: judged by the threshold on the score that leaves %.3f of the real commits of all others in peace.\n\n", HeldOutSpecificity)
	}
	if len(s.Reliability.Bins) > 0 {
		head("score", "mean", "share false where 1.7 % are", "falsified", "real")
		for _, x := range s.Reliability.Bins {
			row(fmt.Sprintf("%.2f to %.2f", x.From, x.To), fmt.Sprintf("%.3f", x.Score), fmt.Sprintf("%.3f", x.False), fmt.Sprint(x.Mutants), fmt.Sprint(x.Natural))
		}
		fmt.Fprintf(&b, "\nExpected calibration error %.4f; %.4f at even odds.\n\n", s.Reliability.ECE, s.Reliability.EvenECE)
	}
	fmt.Fprintf(&b, "Time for one message: median %.1f ms, 90th percentile %.1f ms, 99th %.1f ms.\n", s.Latency.Median, s.Latency.P90, s.Latency.P99)
	if len(r.Set.Heads) > 0 {
		b.WriteString("\nDrawn from: ")
		for i, name := range slices.Sorted(maps.Keys(r.Set.Heads)) {
			if i > 0 {
				b.WriteString(", ")
			}
			fmt.Fprintf(&b, "%s at %.12s", escape(name), r.Set.Heads[name])
		}
		b.WriteString(".\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func rate(s Share) string   { return fmt.Sprintf("%.3f", s.Rate) }
func within(s Share) string { return fmt.Sprintf("%.3f to %.3f", s.Low, s.High) }

// opposite is the interval of what is left of a share.
func opposite(s Share) string { return fmt.Sprintf("%.4f to %.4f", 1-s.High, 1-s.Low) }

func share(s Share) string { return fmt.Sprintf("%.4f (%d of %d; %s)", s.Rate, s.K, s.N, within(s)) }

// escape makes a name harmless in a table of Markdown.
func escape(s string) string {
	return strings.NewReplacer("|", `\|`, "<", "&lt;", "`", "'", "\\", `\\`, "[", `\[`, "*", `\*`, "_", `\_`).Replace(visible(s))
}

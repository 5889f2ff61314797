package sweep

import (
	"fmt"
	"math"
)

// Lines is a result for people, a line each.
func (r *Result) Lines() []string {
	out := []string{fmt.Sprintf("%-28s %6s %8s %11s %9s %9s %11s %10s %9s", "repository", "back", "planted", "unmodified", "precision", "recall", "moved only", "untouched", "flagged")}
	for _, row := range r.Rows {
		out = append(out, line(row.Repository, fmt.Sprint(row.Back), row.Count))
	}
	out = append(out, line("all", "", r.Total))
	t := r.Total
	lo, hi := Wilson(t.Right, t.Claimed)
	out = append(out,
		fmt.Sprintf("precision %s, 95 %% interval %s to %s; %d of the others have the very same text there, written anew", percent(t.Precision()), percent(lo), percent(hi), t.SameText),
	)
	lo, hi = Wilson(t.Found, t.Unmodified)
	out = append(out, fmt.Sprintf("recall %s, %s to %s; unmodified: %d in place, %d moved within the file, %d to another; %d with several equal places left open",
		percent(t.Recall()), percent(lo), percent(hi), t.Unmoved, t.Within, t.Across, t.Undecided))
	lo, hi = Wilson(t.Flagged, t.Untouched)
	out = append(out, fmt.Sprintf("false flags %s, %s to %s; of %d decisions whose passage and name are gone %d are told; of %d whose passage was edited %d",
		percent(t.FalseFlags()), percent(lo), percent(hi), t.Dead, t.DeadFound, t.Edited, t.EditedHit))
	for _, row := range r.Rows {
		for _, m := range row.Misses {
			out = append(out, fmt.Sprintf("%s -%d: %s: %s: sweep: %s; blame: %s", row.Repository, row.Back, m.Kind, m.Cites, m.Says, m.Truth))
		}
	}
	return out
}

func line(name, back string, c Count) string {
	return fmt.Sprintf("%-28.28s %6s %8d %11d %9s %9s %5s %5s %10d %9d", name, back, c.Planted, c.Unmodified,
		percent(c.Precision()), percent(c.Recall()), fmt.Sprint(c.MovedRight), "/"+fmt.Sprint(c.MovedClaimed), c.Untouched, c.Flagged)
}

func percent(f float64) string { return fmt.Sprintf("%.2f %%", 100*f) }

// Wilson is the 95 % score interval of a share (E. B. Wilson, JASA 22, 1927).
func Wilson(k, n int) (lo, hi float64) {
	if n == 0 {
		return 0, 1
	}
	const z = 1.959964
	p, m := float64(k)/float64(n), float64(n)
	mid := (p + z*z/(2*m)) / (1 + z*z/m)
	half := z / (1 + z*z/m) * math.Sqrt(p*(1-p)/m+z*z/(4*m*m))
	return max(0, mid-half), min(1, mid+half)
}

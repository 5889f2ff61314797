package main

import (
	"fmt"
	"io"
	"text/tabwriter"
	"time"
)

// budget is one promise about a measurement.
type budget struct {
	what  string
	value float64
	limit float64
	unit  string
	least bool // the limit is the least that is wanted, not the most
}

func (b budget) met() bool {
	if b.least {
		return b.value >= b.limit
	}
	return b.value <= b.limit
}

// printTable prints the contestants beside each other; ratios are to the first.
func printTable(w io.Writer, all []*contestant) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "program\tmedian\tp5\tp95\tcpu\tpeak memory\ttimes the first\t")
	first, _, _ := all[0].wall()
	for _, c := range all {
		median, low, high := c.wall()
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t%.1f\t\n", c.name, ms(median), ms(low), ms(high), ms(c.cpu()), mb(c.peak()), float64(median)/float64(first))
	}
	return t.Flush()
}

// printBudgets prints each promise and returns how many are broken.
func printBudgets(w io.Writer, all []budget) (int, error) {
	broken := 0
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, b := range all {
		word, bound := "kept", "at most"
		if b.least {
			bound = "at least"
		}
		if !b.met() {
			word = "MISSED"
			broken++
		}
		fmt.Fprintf(t, "%s\t%s\t%.1f %s\t%s %.0f %s\n", word, b.what, b.value, b.unit, bound, b.limit, b.unit)
	}
	return broken, t.Flush()
}

func ms(d time.Duration) string { return fmt.Sprintf("%.1f ms", float64(d)/1e6) }

func mb(bytes int64) string {
	if bytes == 0 {
		return "not told"
	}
	return fmt.Sprintf("%.1f MB", float64(bytes)/1e6)
}

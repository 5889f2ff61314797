package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
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
	fmt.Fprintln(t, "program\tmin\tmedian\tmax\tcpu min\tcpu median\tpeak memory\ttimes the first\t")
	first := all[0].wall().median
	for _, c := range all {
		wall, cpu := c.wall(), c.cpu()
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%.1f\t\n", c.name, ms(wall.min), ms(wall.median), ms(wall.max),
			ms(cpu.min), ms(cpu.median), mb(c.peak()), float64(wall.median)/float64(first))
	}
	return t.Flush()
}

// printBudgets prints each promise and whether it holds, and returns how many do not.
func printBudgets(w io.Writer, all []budget) (int, error) {
	broken := 0
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, b := range all {
		word, bound := "holds", "at most"
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

// record is the measurement as -json writes it. Times are in milliseconds.
type record struct {
	Files      int       `json:"files"`
	Commits    int       `json:"commits"`
	Behind     int       `json:"behind"` // commits that the index had not seen
	System     string    `json:"system"`
	Processors int       `json:"processors"`
	Programs   []program `json:"programs"`
	Missing    []string  `json:"not_run"` // peers that are not installed
	Bounds     []bound   `json:"bounds"`
}

type program struct {
	Name   string `json:"name"`
	Runs   int    `json:"runs"`
	WallMS three  `json:"wall_ms"`
	CPUMS  three  `json:"cpu_ms"`
	Peak   int64  `json:"peak_bytes"` // 0 where the system does not tell
}

type three struct {
	Min    float64 `json:"min"`
	Median float64 `json:"median"`
	Max    float64 `json:"max"`
}

type bound struct {
	What  string  `json:"what"`
	Value float64 `json:"value"`
	Kind  string  `json:"kind"` // "at most" or "at least"
	Limit float64 `json:"limit"`
	Unit  string  `json:"unit"`
	Holds bool    `json:"holds"`
}

func (r *record) add(all ...*contestant) {
	three := func(s spread) three {
		return three{Min: float64(s.min) / 1e6, Median: float64(s.median) / 1e6, Max: float64(s.max) / 1e6}
	}
	for _, c := range all {
		r.Programs = append(r.Programs, program{Name: c.name, Runs: len(c.runs), WallMS: three(c.wall()), CPUMS: three(c.cpu()), Peak: c.peak()})
	}
}

func (r *record) write(path string, budgets []budget) error {
	r.Bounds = []bound{}
	for _, b := range budgets {
		kind := "at most"
		if b.least {
			kind = "at least"
		}
		r.Bounds = append(r.Bounds, bound{What: b.what, Value: b.value, Kind: kind, Limit: b.limit, Unit: b.unit, Holds: b.met()})
	}
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(data, '\n'), 0o644)
}

func ms(d time.Duration) string { return fmt.Sprintf("%.1f ms", float64(d)/1e6) }

func mb(bytes int64) string {
	if bytes == 0 {
		return "not told"
	}
	return fmt.Sprintf("%.1f MB", float64(bytes)/1e6)
}

package bench

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/saysolint/sayso/checks"
)

var (
	tableRow         = lazily(`^(\s*\w+:\s*\{"([a-z-]+)", \w+, )-?[0-9.]+(\}.*)$`)
	tableVersion     = lazily(`(?m)^const shippedVersion = \d+$`)
	tableCalibration = lazily(`(?s)var shippedCalibration = Calibration\{.*?\n?\}\n(\nvar shippedTerms)`)
)

// RewriteTable puts the numbers of w into the source of the table
// (checks/weights_table.go), and leaves its order, its comments and what w does
// not name as they stand. Where comments stand behind rows, gofmt is to be run on it.
func RewriteTable(source []byte, w *checks.Weights) ([]byte, error) {
	values := map[string]float64{}
	for _, t := range w.Terms {
		values[t.Name] = t.Value
	}
	lines := strings.Split(string(source), "\n")
	for i, line := range lines {
		m := tableRow().FindStringSubmatch(line)
		if m == nil {
			continue
		}
		v, ok := values[m[2]]
		if !ok {
			return nil, fmt.Errorf("table: nothing is known of %q", m[2])
		}
		lines[i] = m[1] + strconv.FormatFloat(v, 'f', -1, 64) + m[3]
		delete(values, m[2])
	}
	if len(values) > 0 {
		return nil, fmt.Errorf("table: %d numbers have no row", len(values))
	}
	text := strings.Join(lines, "\n")
	for _, part := range []struct {
		what string
		re   func() bool
		do   func()
	}{
		{"shippedVersion", func() bool { return tableVersion().MatchString(text) }, func() {
			text = tableVersion().ReplaceAllLiteralString(text, fmt.Sprintf("const shippedVersion = %d", w.Version))
		}},
		{"shippedCalibration", func() bool { return tableCalibration().MatchString(text) }, func() {
			text = tableCalibration().ReplaceAllString(text, calibrationSource(w.Calibration)+"$1")
		}},
	} {
		if !part.re() {
			return nil, fmt.Errorf("table: no %s in the form that is written here", part.what)
		}
		part.do()
	}
	return []byte(text), nil
}

func calibrationSource(c checks.Calibration) string {
	if len(c.Knots) == 0 {
		return fmt.Sprintf("var shippedCalibration = Calibration{Slope: %v, Offset: %v}\n", c.Slope, c.Offset)
	}
	var b strings.Builder
	b.WriteString("var shippedCalibration = Calibration{Knots: []Knot{\n")
	for _, k := range c.Knots {
		fmt.Fprintf(&b, "\t{%v, %v},\n", k.At, k.P)
	}
	b.WriteString("}}\n")
	return b.String()
}

// WriteTrainingReport says in Markdown what a fit was made of and what it gives.
func WriteTrainingReport(w io.Writer, r TrainingReport, set Set) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# The weights, version %d\n\n", r.Version)
	fmt.Fprintf(&b, "Written by `sayso bench train`. %d falsified messages, %d originals, %d real commits and %d controls of %d repositories; %d claims with a suspicion, %d of them false.\n",
		r.Samples[Mutant], r.Samples[Original], r.Samples[Natural], r.Samples[Control], len(r.Before)-1, r.Claims, r.False)
	fmt.Fprintf(&b, "Seed %d of the fit and %d of the pairs, %d epochs, rate %v, pull %v towards the table before; %d commits left out because reading showed their label to be wrong.\n\n",
		r.Training.Seed, set.Seed, r.Training.Epochs, r.Training.Rate, r.Training.Pull, len(r.Training.LeaveOut))
	fmt.Fprintf(&b, "## What it gives on repositories that it has not seen\n\nEach repository is judged by a table that was fitted on the others, with thresholds that leave %v (likely) and %v (strong) of the real commits of the others above them. Before: the table and the thresholds that were in force.\n\n",
		r.Training.Likely, r.Training.Strong)
	b.WriteString("| repository | found before | strong | real commits | contradicted | strongly | found after | strong | contradicted | strongly |\n|---|---|---|---|---|---|---|---|---|---|\n")
	for i, x := range r.Before {
		y := r.After[i]
		name := escape(x.Repo)
		if x.Repo == "" {
			name = "all"
		}
		fmt.Fprintf(&b, "| %s | %.3f | %.3f | %d | %d | %d | %.3f | %.3f | %d | %d |\n", name, x.Any, x.Strong, x.Natural.N, x.Natural.K, x.Sure.K, y.Any, y.Strong, y.Natural.K, y.Sure.K)
	}
	fmt.Fprintf(&b, "\nExpected calibration error of the scores of held-out repositories: %.4f where 1.7 %% are false, %.4f at even odds.\n", r.ECE, r.EvenECE)
	if r.Training.Keep {
		b.WriteString("\nWeights and thresholds were left as they are: the calibration alone is new, and all repositories count as seen.\n")
	}
	b.WriteString("\n## The numbers\n\nLog-odds. Claims: how many of the rows hang on the number.\n\n| number | before | after | claims |\n|---|---|---|---|\n")
	for _, t := range r.Terms {
		fmt.Fprintf(&b, "| %s | %v | %v | %d |\n", t.Name, t.Before, t.After, t.Rows)
	}
	_, err := w.Write(b.Bytes())
	return err
}

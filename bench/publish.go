package bench

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// Split says which repositories are for what. A repository is in one part only:
// what anybody has read or learnt from is in no published figure.
type Split struct {
	Publish     []string `json:"publish"`     // owner/name; figures are published from these
	Read        []string `json:"read"`        // real commits that are read and learnt from
	Development []string `json:"development"` // mutants and rules were developed on these
}

// ReadSplit reads and checks a split.
func ReadSplit(r io.Reader) (Split, error) {
	var s Split
	dec := json.NewDecoder(r)
	dec.DisallowUnknownFields()
	if err := dec.Decode(&s); err != nil {
		return Split{}, fmt.Errorf("split: %w", err)
	}
	seen := map[string]bool{}
	for _, name := range slices.Concat(s.Publish, s.Read, s.Development) {
		key := strings.ToLower(name)
		if owner, rest, ok := strings.Cut(name, "/"); !ok || owner == "" || rest == "" || strings.Contains(rest, "/") {
			return Split{}, fmt.Errorf("split: %q is no owner/name", name)
		}
		if seen[key] {
			return Split{}, fmt.Errorf("split: %s is there twice", name)
		}
		seen[key] = true
	}
	return s, nil
}

// Part is the names of one part.
func (s Split) Part(name string) ([]string, error) {
	switch name {
	case "publish":
		return s.Publish, nil
	case "read":
		return s.Read, nil
	case "development":
		return s.Development, nil
	}
	return nil, fmt.Errorf("split: no part is called %q: publish, read or development", name)
}

// Missing is what keeps the sources from being exactly the repositories of a
// part: names that are not there, and sources that do not belong. A source is known by owner+name,
// owner-name or the name alone.
func Missing(part []string, sources []*Source) (absent, strange []string) {
	taken := map[string]bool{}
	for _, name := range part {
		owner, rest, _ := strings.Cut(strings.ToLower(name), "/")
		found := false
		for _, s := range sources {
			if n := strings.ToLower(s.Name); !taken[s.Name] && (n == owner+"+"+rest || n == owner+"-"+rest || n == rest) {
				taken[s.Name], found = true, true
				break
			}
		}
		if !found {
			absent = append(absent, name)
		}
	}
	for _, s := range sources {
		if !taken[s.Name] {
			strange = append(strange, s.Name)
		}
	}
	return absent, strange
}

// Entry is one line of the log of published figures.
type Entry struct {
	Date    string            `json:"date"`   // YYYY-MM-DD
	Commit  string            `json:"commit"` // of this program
	Part    string            `json:"part"`
	Weights int               `json:"weights"`
	Seed    uint64            `json:"seed"`
	Rules   int               `json:"generator"` // version of the rules
	Heads   map[string]string `json:"heads"`
	Score   Score             `json:"score"` // without the curve
}

// NewEntry draws up the entry of a result.
func NewEntry(date, commit, part string, r Result) Entry {
	e := Entry{Date: date, Commit: commit, Part: part, Weights: r.Weights, Seed: r.Set.Seed, Rules: r.Set.Version, Heads: r.Set.Heads, Score: r.Score}
	e.Score.Curve = []CurvePoint{}
	return e
}

// ReadLog reads the entries of a log, oldest first.
func ReadLog(r io.Reader) ([]Entry, error) {
	var out []Entry
	dec := json.NewDecoder(bufio.NewReader(r))
	for dec.More() {
		var e Entry
		if err := dec.Decode(&e); err != nil {
			return nil, fmt.Errorf("log: entry %d: %w", len(out)+1, err)
		}
		out = append(out, e)
	}
	return out, nil
}

// ErrDrawn is the error of a draw that has been scored before: whoever has seen
// its figures may have read it.
var ErrDrawn = errors.New("this draw has been scored before")

// Append adds an entry to the text of a log.
func Append(log []byte, e Entry) ([]byte, error) {
	entries, err := ReadLog(bytes.NewReader(log))
	if err != nil {
		return nil, err
	}
	for _, old := range entries {
		if old.Part == e.Part && old.Seed == e.Seed && old.Rules == e.Rules && maps.Equal(old.Heads, e.Heads) {
			return nil, fmt.Errorf("%w, on %s at %.12s: take another seed", ErrDrawn, old.Date, old.Commit)
		}
	}
	line, err := json.Marshal(e)
	if err != nil {
		return nil, fmt.Errorf("log: %w", err)
	}
	if len(log) > 0 && log[len(log)-1] != '\n' {
		log = append(log, '\n')
	}
	return append(append(slices.Clone(log), line...), '\n'), nil
}

// WriteLogTable renders a log in Markdown, newest first.
func WriteLogTable(w io.Writer, entries []Entry) error {
	var b strings.Builder
	b.WriteString("# Published figures\n\nRendered from log.jsonl by `sayso bench publish`: one row for each time a part was scored. Raw labels: every real commit counts as honest. Intervals are Wilson's, 95 %.\n\n")
	b.WriteString("| date | commit | part | weights, seed | found | strong alone | extra | real commits contradicted | strongly | controls | precision beside the original | vouched for | true corroborated |\n|---|---|---|---|---|---|---|---|---|---|---|---|---|\n")
	sorted := slices.Clone(entries)
	slices.Reverse(sorted)
	slices.SortStableFunc(sorted, func(a, b Entry) int { return cmp.Compare(b.Date, a.Date) })
	of := func(s Share) string {
		return fmt.Sprintf("%d of %d (%s, %s to %s)", s.K, s.N, percent(s.Rate), percent(s.Low), percent(s.High))
	}
	for _, e := range sorted {
		s := e.Score
		extra := ""
		for _, r := range s.Rules {
			if r.Rule == Extra {
				extra = rate(r.Any)
			}
		}
		fmt.Fprintf(&b, "| %s | %.12s | %s | %d, %d | %.3f | %.3f | %s | %s | %s | %s | %.4f | %.3f | %.3f |\n", e.Date, e.Commit, e.Part, e.Weights, e.Seed, s.MacroAny, s.MacroStrong, extra,
			of(s.Alarms[Natural].Any), of(s.Alarms[Natural].Strong), of(s.Alarms[Control].Any), s.PairedPrecisionAny.Rate, s.Vouching.Rate, s.Corroborated.Rate)
	}
	if len(sorted) > 0 {
		e := sorted[0]
		fmt.Fprintf(&b, "\n## The newest, rule by rule\n\n")
		b.WriteString("| rule | messages | found | 95 % | strong alone | 95 % | vouched for |\n|---|---|---|---|---|---|---|\n")
		for _, r := range e.Score.Rules {
			fmt.Fprintf(&b, "| %s | %d | %s | %s | %s | %s | %s |\n", r.Rule, r.Any.N, rate(r.Any), within(r.Any), rate(r.Strong), within(r.Strong), rate(r.Vouching))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

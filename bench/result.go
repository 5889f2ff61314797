package bench

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/saysolint/sayso/checks"
)

// ResultVersion is the version of the form of a Result.
const ResultVersion = 1

// Result is one measurement, whole: what `sayso bench --format json` writes and
// `sayso bench compare` reads.
type Result struct {
	Version int       `json:"version"`           // of this form
	Weights int       `json:"weights"`           // version of the table of weights
	Without []string  `json:"without,omitempty"` // checks that were off
	Set     Set       `json:"set"`               // what the pairs were drawn from
	Score   Score     `json:"score"`             // what the verdicts add up to
	Pairs   []Verdict `json:"pairs"`             // in the order of the set
}

// Verdict is what became of one pair.
type Verdict struct {
	ID       string          `json:"id"`                 // of the pair
	Repo     string          `json:"repo"`               // name of its repository
	Label    Label           `json:"label"`              // of the pair
	Rule     Rule            `json:"rule,omitempty"`     // of a mutant or control
	Verdict  checks.Verdict  `json:"verdict,omitempty"`  // empty where the pair could not be judged
	Strength checks.Strength `json:"strength,omitempty"` // of the contradiction
	Score    float64         `json:"score"`              // probability of being false, as the checks have it
	Vouched  bool            `json:"vouched,omitempty"`  // a claim on the changed or added statement is corroborated
	Error    string          `json:"error,omitempty"`    // code of the failure
}

// NewResult draws up the result of judging a set.
func NewResult(set Set, outcomes []Outcome, without []string) Result {
	r := Result{Version: ResultVersion, Weights: checks.Shipped().Version, Without: without, Set: set, Score: Summarise(outcomes), Pairs: make([]Verdict, 0, len(outcomes))}
	for i := range outcomes {
		o := &outcomes[i]
		v := Verdict{ID: o.Pair.ID, Repo: o.Pair.Repo, Label: o.Pair.Label, Rule: o.Pair.Rule, Vouched: has(o.On, checks.Corroborated)}
		if e := o.Result.Error; e != nil {
			v.Error = e.Code
		} else {
			v.Verdict, v.Strength, v.Score = o.Result.Verdict, o.Result.Strength, o.Result.Score
		}
		r.Pairs = append(r.Pairs, v)
	}
	return r
}

// WriteJSON writes the result, the pairs one a line.
func (r Result) WriteJSON(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	return enc.Encode(r)
}

// ReadResult reads what WriteJSON wrote.
func ReadResult(r io.Reader) (Result, error) {
	var out Result
	if err := json.NewDecoder(r).Decode(&out); err != nil {
		return Result{}, fmt.Errorf("result: %w", err)
	}
	if out.Version != ResultVersion {
		return Result{}, fmt.Errorf("result: version %d, this program reads %d", out.Version, ResultVersion)
	}
	return out, nil
}

package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/saysolint/sayso/checks"
	"github.com/saysolint/sayso/internal/engine"
)

// Schema names the shape of the json format; the number changes when a field
// changes its meaning or goes.
const Schema = "sayso.report/v1"

// DecisionCheck is the id of the check that holds a change against recorded
// decisions; its contradictions are counted and gated apart.
const DecisionCheck = checks.DecisionID

// Exit codes, the same for all formats.
const (
	ExitOK         = 0 // nothing at or above the gate
	ExitGate       = 1 // the gate is met
	ExitUsage      = 2 // usage or configuration; the caller's to use
	ExitIncomplete = 3 // something that was asked for could not be read
)

// Report is the whole of one run.
type Report struct {
	Head
	Results []engine.Result `json:"results"` // in the order of the run; never nil
}

// Head is everything of a report but its results.
type Head struct {
	Schema string `json:"schema"` // name and version of this shape
	Run
	Coverage Coverage `json:"coverage"`
	Summary  Summary  `json:"summary"`
	Gate     Gate     `json:"gate"`
}

// Run is what is known of a run before its first result.
type Run struct {
	Tool       Tool     `json:"tool"`
	FailOn     []string `json:"fail_on"`               // what meets the gate: never, contradicted, likely, decision, unverifiable
	Advisory   []string `json:"advisory,omitempty"`    // ids of checks whose findings never meet the gate
	ConfigFrom string   `json:"config_from,omitempty"` // where the configuration was read from, e.g. "the merge base 0123abc"
	Notes      []string `json:"notes,omitempty"`       // plain sentences about the whole run, e.g. an exception that has expired
}

// Tool is the program that made the report.
type Tool struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	URL     string `json:"url,omitempty"` // its home page
}

// Summary counts the results of a run and the findings in them. Each finding
// is counted once, under its verdict; a contradiction that is ignored is counted
// under ignored alone. Entries of the memory are counted apart.
type Summary struct {
	Results      int     `json:"results"`            // subjects asked for
	Judged       int     `json:"judged"`             // subjects with a verdict
	Abstained    int     `json:"abstained"`          // subjects that are not judged by rule, e.g. merge commits
	Failed       int     `json:"failed"`             // subjects that could not be read
	Claims       int     `json:"claims"`             // the six kinds of findings below together, decisions aside
	Strong       int     `json:"strong"`             // contradicted, strong
	Likely       int     `json:"likely"`             // contradicted, likely
	Decisions    int     `json:"decisions"`          // contradictions of recorded decisions, excepted ones included; no claims
	Excepted     int     `json:"excepted,omitempty"` // those of them for which somebody gave a reason
	Recalled     int     `json:"recalled,omitempty"` // entries of the memory that were recalled for a change
	Touched      int     `json:"touched,omitempty"`  // those of them whose sources the change edits
	Corroborated int     `json:"corroborated"`       // borne out
	Neutral      int     `json:"neutral"`            // checked, nothing found either way
	Unverifiable int     `json:"unverifiable"`       // could not be checked
	Ignored      int     `json:"ignored"`            // contradicted, lifted by a Sayso-Ignore line or an exception
	NotClaims    int     `json:"not_claims"`         // sentences that claim nothing about the change
	Observations int     `json:"observations"`       // things that no claim speaks of
	Kinds        []Count `json:"kinds"`              // subjects by kind: commit, staged, pull-request, transcript
}

// Gate is what the run comes to.
type Gate struct {
	Met      bool   `json:"met"`
	ExitCode int    `json:"exit_code"` // 0 nothing at or above the gate, 1 gate met, 3 incomplete
	Counts   Counts `json:"counts"`
}

// Counts are the findings that can meet the gate, by the word of --fail-on
// that they answer to: neither ignored nor of an advisory check.
type Counts struct {
	Contradicted int `json:"contradicted"` // strong ones
	Likely       int `json:"likely"`
	Decision     int `json:"decision"`
	Unverifiable int `json:"unverifiable"`
}

// Coverage is how much of what the whole run should have checked was checked.
type Coverage struct {
	State       string  `json:"state"`                  // complete | partial
	Claims      int     `json:"claims"`                 // claims read
	Judged      int     `json:"judged"`                 // claims with a verdict other than unverifiable
	NotClaims   int     `json:"not_claims"`             // sentences read that claim nothing about the change
	Files       int     `json:"files"`                  // changed files
	UnreadFiles int     `json:"unread_files"`           // those of them not read, or not whole
	NotRead     []Count `json:"not_read,omitempty"`     // parts of texts not read, e.g. "language"
	Missing     []Count `json:"missing,omitempty"`      // what could not be read of changes, by reason
	Graphs      []Count `json:"graphs,omitempty"`       // where dependency graphs came from, where claims needed one
	Abstained   []Count `json:"abstained,omitempty"`    // subjects not judged by rule, by reason
	Failed      []Count `json:"failed,omitempty"`       // subjects that could not be read, by code
	Reasons     []Count `json:"reasons,omitempty"`      // plain sentences, with the number of subjects that each holds for
	MoreReasons int     `json:"more_reasons,omitempty"` // further sentences, beyond the first hundred different ones
}

// Count is one word or sentence and how often it was counted.
type Count struct {
	Name  string `json:"name"`
	Count int    `json:"count"`
}

// ExitCode is what a run with this head ends with under a list of --fail-on words.
func (h Head) ExitCode(failOn []string) int {
	switch {
	case h.Gate.Counts.meets(failOn):
		return ExitGate
	case h.Summary.Failed > 0:
		return ExitIncomplete
	}
	return ExitOK
}

// ExitCode is what the process should end with: 1 where the gate is met, else 3
// where something that was asked for could not be read, else 0.
func ExitCode(r Report, failOn []string) int { return r.Head.ExitCode(failOn) }

// meets says whether one of the counted findings answers to one of the words.
func (c Counts) meets(failOn []string) bool {
	for _, w := range failOn {
		switch {
		case w == "contradicted" && c.Contradicted > 0,
			// Whoever fails on likely ones fails on the surer ones as well.
			w == "likely" && c.Likely+c.Contradicted > 0,
			w == "decision" && c.Decision > 0,
			w == "unverifiable" && c.Unverifiable > 0:
			return true
		}
	}
	return false
}

// MaxParse is the largest JSON report that Parse reads.
const MaxParse = 256 << 20

// Parse reads a report that the json format wrote. What it returns is safe to
// render: verdicts are known words and numbers are in range. Counts are made
// anew from the results, never believed.
func Parse(data []byte) (Report, error) {
	if len(data) > MaxParse {
		return Report{}, fmt.Errorf("the report has %d bytes, at most %d are read", len(data), MaxParse)
	}
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	var head struct {
		Schema string `json:"schema"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return Report{}, fmt.Errorf("not a JSON report: %s", jsonFault(data, err))
	}
	if head.Schema != Schema {
		return Report{}, fmt.Errorf("the report is of schema %.60q, this version reads %q", head.Schema, Schema)
	}
	var r Report
	if err := json.Unmarshal(data, &r); err != nil {
		return Report{}, fmt.Errorf("not a report of schema %s: %s", Schema, jsonFault(data, err))
	}
	t := newTally(r.Run)
	for i := range r.Results {
		if err := validate(r.Results[i]); err != nil {
			return Report{}, fmt.Errorf("result %d of the report: %w", i+1, err)
		}
		r.Results[i] = Normal(r.Results[i])
		t.add(r.Results[i])
	}
	if r.Results == nil {
		r.Results = []engine.Result{}
	}
	r.Head = t.head()
	return r, nil
}

// jsonFault is an error of encoding/json with the line that it stands in.
func jsonFault(data []byte, err error) string {
	at := int64(-1)
	if e := (*json.SyntaxError)(nil); errors.As(err, &e) {
		at = e.Offset
	} else if e := (*json.UnmarshalTypeError)(nil); errors.As(err, &e) {
		at = e.Offset
	}
	msg := Terminal(clip(err.Error(), 300))
	if at < 0 || at > int64(len(data)) {
		return msg
	}
	return fmt.Sprintf("line %d: %s", bytes.Count(data[:at], []byte("\n"))+1, msg)
}

// validate refuses words that no version of this schema has.
func validate(r engine.Result) error {
	verdicts := []checks.Verdict{checks.Corroborated, checks.Contradicted, checks.Neutral, checks.Unverifiable}
	if r.Verdict != "" && !slices.Contains(verdicts, r.Verdict) {
		return fmt.Errorf("unknown verdict %.60q", r.Verdict)
	}
	for i, f := range r.Claims {
		if !slices.Contains(verdicts, f.Verdict) {
			return fmt.Errorf("claim %d: unknown verdict %.60q", i+1, f.Verdict)
		}
		if f.Strength != "" && f.Strength != checks.Strong && f.Strength != checks.Likely {
			return fmt.Errorf("claim %d: unknown strength %.60q", i+1, f.Strength)
		}
	}
	for i, h := range r.Decisions {
		if !slices.Contains(verdicts, h.Verdict) {
			return fmt.Errorf("decision %d: unknown verdict %.60q", i+1, h.Verdict)
		}
	}
	return nil
}

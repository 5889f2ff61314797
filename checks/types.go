package checks

import (
	"github.com/saysolint/sayso/change"
	"github.com/saysolint/sayso/claim"
)

// Verdict is what the evidence says of a claim.
type Verdict string

const (
	Corroborated Verdict = "corroborated"
	Contradicted Verdict = "contradicted"
	Neutral      Verdict = "neutral"
	Unverifiable Verdict = "unverifiable"
)

// Strength is how sure a contradiction is.
type Strength string

const (
	Strong Strength = "strong"
	Likely Strength = "likely"
)

// Finding is one claim with its verdict.
type Finding struct {
	claim.Claim
	Verdict     Verdict    `json:"verdict"`
	Strength    Strength   `json:"strength,omitempty"` // only when contradicted
	Confidence  float64    `json:"confidence"`         // 0..1, in the verdict given
	Check       string     `json:"check"`              // id of the check that decided
	Reason      string     `json:"reason"`             // one plain sentence
	Fix         string     `json:"fix,omitempty"`      // how to mend the message, for contradictions
	Evidence    []Evidence `json:"evidence"`           // never nil
	Ignored     string     `json:"ignored,omitempty"`  // the reason given by a Sayso-Ignore line or a configured exception
	Fingerprint string     `json:"fingerprint"`        // stable across pushes: 16 hex digits
}

// Evidence is one fact for or against a claim.
type Evidence struct {
	Fact   string  `json:"fact"` // one plain clause, e.g. `no line of the diff contains "parseHeader"`
	For    bool    `json:"for"`  // true: speaks for the claim
	Path   string  `json:"path,omitempty"`
	Line   int     `json:"line,omitempty"` // from 1, on Side
	Side   string  `json:"side,omitempty"` // new, old, tree, history
	Text   string  `json:"text,omitempty"` // the line of the diff, cut at 200 code points
	Weight float64 `json:"weight"`         // log-odds, positive speaks against the claim
}

// Observation is something a reviewer would want to know that no claim speaks of.
type Observation struct {
	Check string `json:"check"` // undisclosed
	Kind  string `json:"kind"`  // dependency-added, dependency-replaced, tests-deleted, tests-skipped, public-api-removed, ci-changed, ...
	Text  string `json:"text"`  // one plain sentence
	Path  string `json:"path,omitempty"`
	Line  int    `json:"line,omitempty"`
}

// Coverage is how much of what should have been checked was checked.
type Coverage struct {
	State    string       `json:"state"`              // complete | partial
	Claims   int          `json:"claims"`             // claims read
	Judged   int          `json:"judged"`             // claims with a verdict other than unverifiable
	NotClaim int          `json:"not_claims"`         // sentences read that claim nothing about this change
	NotRead  []string     `json:"not_read,omitempty"` // parts of the text not read, e.g. "language"
	Files    int          `json:"files"`
	Unread   int          `json:"unread_files"`
	Missing  []change.Gap `json:"missing,omitempty"`
	Graph    string       `json:"graph,omitempty"`   // where the dependency graph came from, where a claim needed one: "built-in", "entire graph"
	Reasons  []string     `json:"reasons,omitempty"` // plain sentences, sorted
}

// Judgement is what Judge makes of one text and one change.
type Judgement struct {
	Verdict      Verdict       `json:"verdict"`
	Strength     Strength      `json:"strength,omitempty"`
	Score        float64       `json:"score"`               // calibrated probability that the text is false of the change, where BaseRate of all texts are
	Abstained    string        `json:"abstained,omitempty"` // why nothing was judged: "merge commit", "merge in progress", "empty message", ...
	Claims       []Finding     `json:"claims"`              // in order of place; never nil
	Observations []Observation `json:"observations"`        // never nil
	Coverage     Coverage      `json:"coverage"`
}

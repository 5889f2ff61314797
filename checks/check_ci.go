package checks

import (
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/saysolint/sayso/claim"
)

var ciCheck = Check{
	Doc: Doc{
		ID: "ci", Title: "What is said of tests and CI, against the check runs", Default: "gate", Since: "0.2",
		Needs: "the check runs and statuses of the head commit, which only sayso action fetches",
		Text: `A sentence that is about nothing but the outcome of tests, of CI or of linters: "all tests pass", "CI is green", "lint clean". On GitHub it is held against the check runs and statuses
of the newest commit. Of tests and linters only those count whose name says that they are one. A failed run contradicts, one that is pending or not there leaves the claim unverifiable. What is said to
hold on somebody's own machine is not judged.

A contradiction is never more than likely: a run can fail for reasons of its own, and how often that happens is not measured.`,
		Fires: "All tests pass. (a check run named test has failed)",
		Quiet: "Make the tests pass again (says what the change is for, not how the runs ended)",
	},
}

// Hosted is what the host of a repository knows of a change and no diff shows.
type Hosted struct {
	Runs    []HostedRun // newest run of each name; the run that asks is not among them
	RunsGap string      // why not all runs are known, a plain clause; "" when they are

	Repository string // owner/name that a bare #N means
	Server     string // https://github.com, for links
	Issues     map[IssueRef]HostedIssue
}

// HostedRun is one check run or status of the newest commit.
type HostedRun struct {
	Name  string
	State RunState
}

// RunState is how a run ended.
type RunState uint8

// The states of runs.
const (
	RunPending RunState = iota
	RunPassed           // success, and what counts as such: neutral, skipped
	RunFailed
)

// Settle judges what only the host knows of, in a judgement of texts that was made
// without it, and returns the judgement with these claims in it. The messages are
// those that were judged, levels the configured ones of the checks.
func Settle(j Judgement, messages []*claim.Message, levels map[string]string, h Hosted) Judgement {
	if j.Abstained != "" {
		return j
	}
	in := Input{Levels: levels}
	j.Claims = append([]Finding{}, j.Claims...)
	j.Observations = append([]Observation{}, j.Observations...)
	for _, m := range messages {
		if in.level(&ciCheck) != "off" {
			for i := range m.Statements {
				if s := &m.Statements[i]; !s.Foreign {
					settleRuns(&j, m, s, h)
				}
			}
		}
		if in.level(&issueCheck) != "off" {
			settleIssues(&j, m, h)
		}
	}
	settled(&j)
	return j
}

// outcomeOf is which runs a sentence speaks of.
type outcomeOf uint8

const (
	ofTests outcomeOf = iota
	ofLint
	ofAll
)

// lazily compiles an expression when it is first asked: a hook never asks.
func lazily(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}

// Sentences that are about an outcome and nothing else, in lower case and without
// their end mark. Anchored at both ends: "make sure that the tests pass" is a plan.
const (
	outcomeLead  = `(?:(?:and|also|now|verified|confirmed|checked)[:,]? (?:that )?)?`
	outcomeTail  = `(?: (?:again|now|cleanly|successfully|on (?:ci|all platforms|linux|macos|windows)|in ci|with (?:no|zero) (?:failures|errors|warnings)))*`
	outcomeGreen = `(?:pass(?:es|ed|ing)?|succeed(?:s|ed)?|(?:is|are|was|were|stays?|remains?) (?:all |still |now |fully )*(?:green|passing|clean|successful|happy|ok))`
)

var outcomes = []struct {
	of outcomeOf
	re func() *regexp.Regexp
}{
	{ofTests, lazily(`^` + outcomeLead + `(?:all |the |our |existing |new |unit |integration |e2e |end-to-end |full |whole |entire |of |\d+ )*(?:tests?|specs?|test suites?|test-suite)(?: suite)?(?: all| still| now)* ` + outcomeGreen + outcomeTail + `$`)},
	{ofTests, lazily(`^` + outcomeLead + `(?:no tests? (?:fail|fails|failed|are failing|is failing)|tests?: (?:pass(?:ed|ing)?|green|ok))` + outcomeTail + `$`)},
	{ofLint, lazily(`^` + outcomeLead + `(?:(?:the |all )*(?:lint|linter|linters|linting|lint checks?)(?: still| now)* (?:` + outcomeGreen + `|clean)|lint(?:er)?[- ](?:clean|free|passes)|no lint(?:er)? (?:errors|warnings|findings|issues))` + outcomeTail + `$`)},
	{ofAll, lazily(`^` + outcomeLead + `(?:the |all |our )*(?:ci|checks|ci checks|builds?|pipelines?|status checks|github actions)(?: still| now)* ` + outcomeGreen + outcomeTail + `$`)},
}

var (
	testRun = lazily(`(?i)(?:^|[^a-z])(?:tests?|testing|specs?|unittests?|pytest|jest|vitest|mocha|junit|e2e|integration)(?:$|[^a-z])`)
	lintRun = lazily(`(?i)(?:^|[^a-z])(?:lint|linter|linters|linting|golangci|eslint|ruff|flake8|clippy|staticcheck|vet|fmt|gofmt|format|style|rubocop|pre-commit)(?:$|[^a-z])`)
	// An open task of a list is a plan, and what holds on one machine is not what CI saw.
	openTask = lazily(`^\s*(?:[-*+]|\d+[.)])\s+\[ ?\]`)
)

// settleRuns judges a sentence if it speaks of the outcome of runs.
func settleRuns(j *Judgement, m *claim.Message, s *claim.Statement, h Hosted) {
	start, end := s.Start, min(s.End, len(m.Text))
	if start >= end || end-start > 200 {
		return
	}
	place := m.PlaceOf(start, end)
	if openTask().MatchString(place.Excerpt) {
		return
	}
	words := strings.ToLower(strings.Join(strings.Fields(m.Text[start:end]), " "))
	words = strings.TrimPrefix(strings.TrimPrefix(words, "[x] "), "- ")
	words = strings.TrimRight(words, ".!;:, ")
	for _, o := range outcomes {
		if o.re().MatchString(words) {
			settleOne(j, m, &ciCheck, start, end, runsOutcome(o.of, h))
			return
		}
	}
}

// runsOutcome holds what is said of runs against the runs there are.
func runsOutcome(of outcomeOf, h Hosted) outcome {
	what, named := "check run", func(string) bool { return true }
	switch of {
	case ofTests:
		what, named = "check run that is named for tests", testRun().MatchString
	case ofLint:
		what, named = "check run that is named for a linter", lintRun().MatchString
	}
	var failed, pending []string
	passed := 0
	for _, r := range h.Runs {
		if !named(r.Name) {
			continue
		}
		switch r.State {
		case RunFailed:
			failed = append(failed, r.Name)
		case RunPending:
			pending = append(pending, r.Name)
		default:
			passed++
		}
	}
	switch {
	case len(failed) > 0:
		o := outcome{verdict: Contradicted, reason: fmt.Sprintf("%s of the newest commit has failed", listed("the check run", "the check runs", failed)),
			fix: "say which runs fail and why, or wait with the claim until they pass"}
		if len(failed) > 1 {
			o.reason = fmt.Sprintf("%s of the newest commit have failed", listed("the check run", "the check runs", failed))
		}
		for _, name := range failed[:min(len(failed), maxListedRuns)] {
			o.evidence = append(o.evidence, Evidence{Fact: "the check run " + quote(name) + " has failed"})
		}
		return o
	case h.RunsGap != "":
		return unverifiable("the check runs of the newest commit are not all known: %s", h.RunsGap)
	case len(pending) > 0:
		return unverifiable("%s of the newest commit has not ended", listed("the check run", "one of the check runs", pending))
	case passed == 0:
		return unverifiable("the newest commit has no %s", what)
	}
	return corroborated(0.9, fmt.Sprintf("%s of the newest commit passed", countOf(passed, what)),
		Evidence{Fact: fmt.Sprintf("%s passed", countOf(passed, what)), For: true})
}

// maxListedRuns is how many names a sentence has.
const maxListedRuns = 5

func listed(one, many string, names []string) string {
	if len(names) == 1 {
		return one + " " + quote(names[0])
	}
	var quoted []string
	for _, n := range names[:min(len(names), maxListedRuns)] {
		quoted = append(quoted, quote(n))
	}
	s := many + " " + strings.Join(quoted, ", ")
	if more := len(names) - maxListedRuns; more > 0 {
		s += fmt.Sprintf(" and %d more", more)
	}
	return s
}

func countOf(n int, what string) string {
	if n == 1 {
		return "the one " + what
	}
	return fmt.Sprintf("all %d of the kind %s", n, what)
}

// settleOne puts a claim with its outcome into the judgement. What was made of the
// same words without the host gives way.
func settleOne(j *Judgement, m *claim.Message, check *Check, start, end int, o outcome) {
	c := claim.Claim{Text: strings.TrimSpace(m.Text[start:end]), Kind: claim.KindStatement, Place: m.PlaceOf(start, end), Tier: m.Options.Tier}
	x := &judging{m: m}
	f := Finding{Claim: c, Check: check.ID, Verdict: o.verdict, Reason: o.reason, Evidence: o.evidence, Confidence: round(o.confidence), Fingerprint: x.fingerprint(check, &c)}
	if f.Evidence == nil {
		f.Evidence = []Evidence{}
	}
	if o.verdict == Contradicted {
		f.Strength, f.Fix, f.Confidence = Likely, o.fix, 0.9
	}
	f.Ignored = x.ignored(check)
	counted := false
	kept := j.Claims[:0]
	for _, old := range j.Claims {
		same := old.Kind == claim.KindStatement && old.Place.Source == c.Place.Source && old.Place.Line == c.Place.Line &&
			old.Place.Column < c.Place.Column+c.Place.Length && c.Place.Column < old.Place.Column+old.Place.Length
		if same && old.Check != ciCheck.ID && old.Check != issueCheck.ID {
			counted = true
			continue
		}
		kept = append(kept, old)
	}
	j.Claims = append(kept, f)
	if !counted && check.ID == ciCheck.ID && j.Coverage.NotClaim > 0 {
		j.Coverage.NotClaim-- // the grammar had taken the sentence for one about the world
	}
}

// settled makes verdict, order and coverage say what the claims now say.
func settled(j *Judgement) {
	byPlace(j.Claims)
	j.Coverage.Claims, j.Coverage.Judged = 0, 0
	j.Verdict, j.Strength = Neutral, ""
	any := map[Verdict]bool{}
	for _, f := range j.Claims {
		j.Coverage.Claims++
		settledHere := f.Check == ciCheck.ID || f.Check == issueCheck.ID
		switch {
		case f.Verdict == Unverifiable:
			if settledHere {
				j.Coverage.Reasons = appendOnce(j.Coverage.Reasons, f.Reason)
			}
		case f.Kind != claim.KindStatement || settledHere:
			j.Coverage.Judged++
		}
		if f.Verdict == Contradicted && f.Ignored != "" {
			continue
		}
		any[f.Verdict] = true
		if f.Verdict == Contradicted && j.Strength != Strong {
			j.Strength = f.Strength
		}
	}
	j.Verdict = worst(any)
	sortReasons(&j.Coverage)
}

// HostNeeds is what a host has to be asked for Settle.
type HostNeeds struct {
	Runs   bool       // the check runs of the newest commit
	Issues []IssueRef // in order of place, each once
}

// NeedsOfHost says what Settle will ask of a host that has this repository at this
// server. Whoever asks first saves the requests for what no text speaks of.
func NeedsOfHost(messages []*claim.Message, levels map[string]string, repository, server string) HostNeeds {
	in := Input{Levels: levels}
	var n HostNeeds
	seen := map[IssueRef]bool{}
	for _, m := range messages {
		if in.level(&ciCheck) != "off" && !n.Runs {
			j := Judgement{}
			for i := range m.Statements {
				settleRuns(&j, m, &m.Statements[i], Hosted{})
			}
			n.Runs = len(j.Claims) > 0
		}
		if in.level(&issueCheck) == "off" {
			continue
		}
		for _, mention := range Mentions(m, repository, server) {
			if !seen[mention.IssueRef] {
				seen[mention.IssueRef] = true
				n.Issues = append(n.Issues, mention.IssueRef)
			}
		}
	}
	return n
}

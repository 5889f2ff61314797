package report_test

import (
	"github.com/saysolint/sayso/change"
	"github.com/saysolint/sayso/checks"
	"github.com/saysolint/sayso/claim"
	"github.com/saysolint/sayso/internal/engine"
	"github.com/saysolint/sayso/report"
)

// run is what the sample runs have in common.
func run() report.Run {
	return report.Run{
		Tool:   report.Tool{Name: "sayso", Version: "1.2.3", URL: "https://example.com/sayso"},
		FailOn: []string{"contradicted"},
	}
}

func rules() []report.Rule {
	return []report.Rule{
		{ID: "scope", Title: "Statements of scope", Text: "Holds \"only touches X\" against the files that changed.", URL: "https://example.com/sayso/scope"},
		{ID: "identifier", Title: "Names said to be changed"},
	}
}

// sample is a run with one result of every kind, in plain words.
func sample() []engine.Result {
	message := func(line, column, length int, excerpt string) claim.Place {
		return claim.Place{Source: claim.SourceMessage, Line: line, Column: column, Length: length, Excerpt: excerpt}
	}
	return []engine.Result{
		{
			ID: "1111111111111111111111111111111111111111", Kind: "commit", Commit: "1111111111111111111111111111111111111111",
			Subject: "fix(parser): accept empty bodies", FirstFile: "cmd/root.go",
			Judgement: checks.Judgement{
				Verdict: checks.Contradicted, Strength: checks.Strong, Score: 0.98,
				Claims: []checks.Finding{
					{
						Claim:   claim.Claim{Text: "fix(parser)", Kind: claim.KindComponent, Place: message(1, 5, 6, "fix(parser): accept empty bodies"), Tier: claim.TierLedger},
						Verdict: checks.Corroborated, Confidence: 0.9, Check: "component", Reason: "2 of 3 changed files are in parser/",
						Evidence:    []checks.Evidence{{Fact: "parser/body.go is in parser/", For: true, Path: "parser/body.go", Line: 3, Side: "new", Text: "func body() {", Weight: -2}},
						Fingerprint: "00000000000000a1",
					},
					{
						Claim:   claim.Claim{Text: "Only touches the parser", Kind: claim.KindScope, Place: message(3, 3, 23, "- Only touches the parser, with no change to the command line."), Tier: claim.TierLedger},
						Verdict: checks.Contradicted, Strength: checks.Strong, Confidence: 0.99, Check: "scope",
						Reason: "1 of 3 changed files lies outside of the parser", Fix: "name the command line as well, or move cmd/root.go to another commit",
						Evidence: []checks.Evidence{
							{Fact: `cmd/root.go is not in the parser: "SilenceUsage" changes`, Path: "cmd/root.go", Line: 41, Side: "old", Text: "\troot.SilenceUsage = false // keep", Weight: 3},
							{Fact: `the same line after the change`, Path: "cmd/root.go", Line: 42, Side: "new", Text: "\troot.SilenceUsage = true // keep", Weight: 3},
							{Fact: "parser/body.go is in the parser", For: true, Path: "parser/body.go", Weight: -1},
						},
						Fingerprint: "00000000000000a2",
					},
					{
						Claim:   claim.Claim{Text: "bump lexer to v2.1.0", Kind: claim.KindQuantity, Place: message(4, 3, 20, "- bump lexer to v2.1.0")},
						Verdict: checks.Contradicted, Strength: checks.Likely, Confidence: 0.8, Check: "quantity",
						Reason: "the diff goes to v2.0.9", Evidence: []checks.Evidence{{Fact: "the version after the change is `v2.0.9`", Path: "go.mod", Line: 7, Side: "new", Text: "\texample.com/lexer v2.0.9", Weight: 2}},
						Fingerprint: "00000000000000a3",
					},
					{
						Claim:   claim.Claim{Text: "parseHeader", Kind: claim.KindIdentifier, Place: message(5, 10, 11, "- rename parseHeader")},
						Verdict: checks.Unverifiable, Check: "identifier", Reason: "no index (sayso index)", Evidence: []checks.Evidence{},
						Fingerprint: "00000000000000a4",
					},
					{
						Claim:   claim.Claim{Text: "adds tests", Kind: claim.KindTests, Place: message(6, 1, 10, "adds tests")},
						Verdict: checks.Contradicted, Strength: checks.Strong, Confidence: 0.97, Check: "tests", Reason: "no test file among the 3 changed files",
						Evidence: []checks.Evidence{}, Ignored: "they are in the next commit", Fingerprint: "00000000000000a5",
					},
				},
				Observations: []checks.Observation{{Check: "undisclosed", Kind: "dependency-added", Text: "go.mod requires example.com/extra for the first time", Path: "go.mod", Line: 9}},
				Coverage:     checks.Coverage{State: "partial", Claims: 5, Judged: 4, NotClaim: 2, Files: 3, Unread: 1, Missing: []change.Gap{{Path: "logo.png", Reason: change.ReasonBinary}}, Reasons: []string{"no index (sayso index)"}},
			},
			MS: 1.25,
		},
		{
			ID: "2222222222222222222222222222222222222222", Kind: "commit", Commit: "2222222222222222222222222222222222222222",
			Subject: "docs: name the flags", FirstFile: "README.md",
			Judgement: checks.Judgement{
				Verdict: checks.Neutral, Score: 0.02,
				Claims: []checks.Finding{{
					Claim:   claim.Claim{Text: "name the flags", Kind: claim.KindPurpose, Place: message(1, 7, 14, "docs: name the flags")},
					Verdict: checks.Neutral, Confidence: 0.6, Check: "purpose", Reason: "nothing found either way", Evidence: []checks.Evidence{}, Fingerprint: "00000000000000b1",
				}},
				Coverage: checks.Coverage{State: "complete", Claims: 1, Judged: 1, Files: 1},
			},
		},
		{
			ID: "3333333333333333333333333333333333333333", Kind: "commit", Commit: "3333333333333333333333333333333333333333",
			Subject:   "Merge branch 'topic'",
			Judgement: checks.Judgement{Verdict: checks.Neutral, Abstained: "merge commit", Coverage: checks.Coverage{State: "complete"}},
		},
		{
			ID: "4444444444444444444444444444444444444444", Kind: "commit", Commit: "4444444444444444444444444444444444444444",
			Error: &engine.Failure{Code: "missing", Message: "its parent is not in this clone", Hint: "git fetch --unshallow"},
		},
	}
}

// hostile is a run whose every text is an attack on some format.
func hostile() []engine.Result {
	const attack = "\x1b]0;t\x07\x1b[31m\u009b2J\r\n::error file=a::b\n##[error]x ##vso[task]y \u202eabc\u2066 @octocat #12 owner/repo#1 GH-7 https://evil.example www.evil.example a@b.example <img src=x onerror=alert(1)> ![x](y) [l](javascript:x) | `code` ``` ~~~ $x$ {0} %0A::warning::z\xff\x00\tend"
	return []engine.Result{{
		ID: "x\n::error::id" + attack, Kind: "batch\n::error::kind", Base: attack, Subject: attack, FirstFile: "/abs/" + attack,
		Judgement: checks.Judgement{
			Verdict: checks.Contradicted, Strength: checks.Strong,
			Claims: []checks.Finding{
				{
					Claim:   claim.Claim{Text: attack, Kind: claim.Kind(attack), Place: claim.Place{Source: claim.Source(attack), Line: -3, Column: 1 << 30, Length: 1 << 30, Excerpt: attack}, Tier: claim.Tier(attack)},
					Verdict: checks.Contradicted, Strength: checks.Strong, Check: attack, Reason: attack, Fix: attack, Fingerprint: attack,
					Evidence: []checks.Evidence{
						{Fact: attack, Path: "C:\\Users\\me\\" + attack, Line: -1, Side: "old", Text: attack},
						{Fact: attack, Path: "../../etc/" + attack, Line: 1 << 40, Side: "new", Text: "::stop-commands::x " + attack},
					},
				},
				{Claim: claim.Claim{Text: attack}, Verdict: checks.Contradicted, Check: attack, Reason: attack, Ignored: attack},
				{Claim: claim.Claim{Text: attack}, Verdict: checks.Unverifiable, Check: attack, Reason: attack},
				{Claim: claim.Claim{Text: attack}, Verdict: checks.Corroborated, Check: attack, Reason: attack},
			},
			Observations: []checks.Observation{{Check: attack, Kind: attack, Text: attack, Path: "/" + attack, Line: 2}},
			Coverage:     checks.Coverage{State: "partial", NotRead: []string{attack}, Missing: []change.Gap{{Reason: change.Reason(attack)}}, Reasons: []string{attack}},
		},
		Notes: []string{attack},
	}, {
		ID: attack, Kind: "commit", Error: &engine.Failure{Code: attack, Message: attack, Hint: attack}, Judgement: checks.Judgement{Abstained: attack},
	}}
}

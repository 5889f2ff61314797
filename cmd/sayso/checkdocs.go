package main

import (
	"github.com/saysolint/sayso/internal/config"
	"github.com/saysolint/sayso/report"
)

// This file is the seam to the documentation that checks carry.

// checkDoc is what a user can read of one check.
type checkDoc struct {
	ID    string
	Title string // one line
	Text  string // paragraphs
	Level string // gate or advisory, unless configured
}

// checkDocs are the checks that exist, in order of the documentation.
func checkDocs() []checkDoc {
	return []checkDoc{
		{ID: "scope", Title: "what the change is said to be limited to", Level: "gate"},
		{ID: "path", Title: "a file or folder said to be changed", Level: "gate"},
		{ID: "action", Title: "added, removed, renamed, moved, enabled, disabled, bumped", Level: "gate"},
		{ID: "identifier", Title: "a name in the code said to be changed, added or removed", Level: "gate"},
		{ID: "type", Title: "the conventional type against the kinds of files and lines changed", Level: "gate"},
		{ID: "component", Title: "the conventional scope or area prefix against the paths touched", Level: "gate"},
		{ID: "quantity", Title: "versions from and to, counts of files, tests and places", Level: "gate"},
		{ID: "tests", Title: "tests said to be added or to cover the change", Level: "gate"},
		{ID: "revert", Title: "a revert is the inverse of the commit it names", Level: "gate"},
		{ID: "trailer", Title: "commits that trailers name exist and are ancestors", Level: "gate"},
		{ID: "purpose", Title: "the whole subject shares nothing with the change", Level: "gate"},
		{ID: "lexical", Title: "words shared with the change weaken suspicion", Level: "gate"},
		{ID: "similarity", Title: "likeness to the change weakens suspicion", Level: "gate"},
		{ID: "undisclosed", Title: "what the change did that no claim speaks of", Level: "advisory"},
	}
}

// checkIDs are the ids that a configuration may name.
func checkIDs() []string {
	var ids []string
	for _, d := range checkDocs() {
		ids = append(ids, d.ID)
	}
	return ids
}

// advisoryChecks are the ids whose findings never meet the gate.
func advisoryChecks(c *config.Config) []string {
	var ids []string
	for _, d := range checkDocs() {
		if c.Level(d.ID, d.Level) == "advisory" {
			ids = append(ids, d.ID)
		}
	}
	return ids
}

// reportRules is the documentation as reports carry it.
func reportRules() []report.Rule {
	var rules []report.Rule
	for _, d := range checkDocs() {
		rules = append(rules, report.Rule{ID: d.ID, Title: d.Title, Text: d.Text})
	}
	return rules
}

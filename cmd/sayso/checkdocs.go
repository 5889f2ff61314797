package main

import (
	"strings"

	"github.com/saysolint/sayso/checks"
	"github.com/saysolint/sayso/internal/config"
	"github.com/saysolint/sayso/report"
)

// checkIDs are the ids that a configuration may name.
func checkIDs() []string {
	var ids []string
	for _, d := range checks.Docs() {
		ids = append(ids, d.ID)
	}
	return ids
}

// advisoryChecks are the ids whose findings never meet the gate.
func advisoryChecks(c *config.Config) []string {
	var ids []string
	for _, d := range checks.Docs() {
		if c.Level(d.ID, d.Default) == "advisory" {
			ids = append(ids, d.ID)
		}
	}
	return ids
}

// joinLines makes each paragraph of a documentation one line: in its source they
// are broken where the source is. An empty line parts paragraphs.
func joinLines(s string) string {
	var paragraphs []string
	for _, p := range strings.Split(s, "\n\n") {
		if p = strings.Join(strings.Fields(p), " "); p != "" {
			paragraphs = append(paragraphs, p)
		}
	}
	return strings.Join(paragraphs, "\n\n")
}

// reportRules is the documentation of the checks as reports carry it.
func reportRules() []report.Rule {
	var rules []report.Rule
	for _, d := range checks.Docs() {
		rules = append(rules, report.Rule{ID: d.ID, Title: d.Title, Text: joinLines(d.Text), URL: homePage + "/blob/main/docs/checks/" + d.ID + ".md"})
	}
	return rules
}

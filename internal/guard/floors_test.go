package guard

import (
	"strings"
	"testing"
)

// floors says on which floor each package stands, in tenths of a floor: a package
// imports only from floors below its own. A row covers the package and what lies
// under it, the longest row wins. The map with its reasons is docs/architecture.md.
var floors = map[string]int{
	"internal/text":   10, // pure functions over strings
	"internal/git":    10,
	"internal/config": 10,
	"internal/secret": 10, // pure functions over strings
	"internal/lang":   15, // languages: over text, under everything that reads source

	"change":              20,
	"claim":               20,
	"memory":              20,
	"internal/transcript": 20,
	"internal/checkpoint": 22, // over transcripts
	"internal/reach":      22, // the dependency graph, over the languages
	"internal/index":      24, // caches: what a tree and a history say

	"checks/assert": 26, // the language of assertions, over changes
	"checks":        30,

	"internal/engine": 35, // the wiring that check, bench, action and mcp share

	"recall":         40,
	"sweep":          40,
	"internal/learn": 40,
	"bench":          40,

	"bench/retrieval": 45, // measures recall
	"bench/sweep":     45, // measures the sweep

	"report": 50,

	"action": 60,
	"mcp":    60,

	"cmd": 70,

	// Beside the house: programs and tests that look at it. Nothing imports them.
	"bench/peers":          80,
	"internal/casetest":    80,
	"internal/docs":        80,
	"internal/guard":       80,
	"internal/integration": 80,
	"internal/tools":       80,

	// Data only.
	"schemas": 0,
}

// floorOf finds the longest row that covers a package.
func floorOf(dir string) (row string, floor int, ok bool) {
	for prefix, at := range floors {
		if (dir == prefix || strings.HasPrefix(dir, prefix+"/")) && len(prefix) >= len(row) {
			row, floor, ok = prefix, at, true
		}
	}
	return row, floor, ok
}

func TestPackagesImportOnlyFromFloorsBelow(t *testing.T) {
	out := run(t, nil, "go", "list", "-f", "{{.ImportPath}}\t{{join .Imports \" \"}}", "./...")
	seen := 0
	for _, line := range lines(out) {
		path, imports, _ := strings.Cut(line, "\t")
		dir := strings.TrimPrefix(path, module+"/")
		row, floor, ok := floorOf(dir)
		if !ok {
			t.Errorf("package %s has no floor: give it a row in the table of this test and a line in docs/architecture.md", dir)
			continue
		}
		seen++
		for imported := range strings.FieldsSeq(imports) {
			below, found := strings.CutPrefix(imported, module+"/")
			if !found {
				continue
			}
			other, at, ok := floorOf(below)
			if ok && other == row {
				continue // the parts of one room know each other
			}
			if ok && at >= floor {
				t.Errorf("%s (floor %.1f) imports %s (floor %.1f): a package imports only from floors below its own", dir, float64(floor)/10, below, float64(at)/10)
			}
		}
	}
	if seen < 5 {
		t.Fatalf("looked at %d packages only", seen)
	}
}

func TestFloorTableKnowsTheDifference(t *testing.T) {
	for dir, want := range map[string]string{
		"internal/git":       "internal/git",
		"internal/gitx":      "",
		"cmd/sayso":          "cmd",
		"internal/index/sub": "internal/index",
	} {
		if row, _, _ := floorOf(dir); row != want {
			t.Errorf("%s is covered by row %q, want %q", dir, row, want)
		}
	}
}

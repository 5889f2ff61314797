package report_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"

	"github.com/saysolint/sayso/memory"
	"github.com/saysolint/sayso/report"
	"github.com/saysolint/sayso/sweep"
)

const nasty = "a\x1b[2J `x` @team #12 <b>|[l](http://e.com)\n## h {0} \u202e\x00"

// nastySweep has text that nobody should trust in every field that has text.
func nastySweep() report.Sweep {
	f := sweep.Finding{
		Check: "anchors", Level: sweep.LevelFinding, Entry: "a", RelPath: ".sayso/memory/a.md", Title: nasty, State: memory.Reviewed, Text: nasty, Advice: nasty,
		Places: []sweep.Place{{Path: nasty, Line: 3, Text: nasty}}, Others: []string{"b"},
		Anchor: &sweep.Anchor{Ref: memory.SourceRef{Type: "file", ID: nasty, Path: nasty}, State: sweep.Drifted, Words: []sweep.Span{{Op: "gone", Text: nasty}, {Op: "come", Text: "```\n" + nasty}}},
	}
	note := f
	note.Level, note.Check, note.Action = sweep.LevelNote, "commits", "reanchor"
	return report.Sweep{
		Result: sweep.Result{
			Schema: sweep.Schema, Revision: strings.Repeat("a", 40), Coverage: sweep.Coverage{State: "partial", Total: 2, Swept: 1, Left: map[string]int{nasty: 1}, Cursor: "a"},
			Checks:   []sweep.Check{{ID: "anchors", What: "w", Outcome: "findings", Of: 2, Looked: 1, Unit: "references", Findings: 1, Reasons: []string{nasty}}, {ID: "commits", What: "w", Outcome: "clean", Unit: "references"}},
			Findings: []sweep.Finding{f, note},
		},
		Tool:    report.Tool{Name: "sayso", Version: "1"},
		Applied: []sweep.Applied{{Entry: "a", RelPath: nasty, Action: "stale", Reason: nasty, Diff: "--- a\n+++ b\n@@ -1,1 +1,1 @@\n-" + nasty + "\n+b\n"}},
	}
}

func TestSweepsAreInertInEveryFormat(t *testing.T) {
	for _, format := range report.SweepFormats {
		for _, verbose := range []bool{false, true} {
			var out bytes.Buffer
			if err := report.WriteSweep(&out, format, nastySweep(), report.Options{Verbose: verbose}); err != nil {
				t.Fatal(err)
			}
			s := out.String()
			if strings.ContainsAny(s, "\x1b\x00\u202e") {
				t.Errorf("%s: control characters:\n%q", format, s)
			}
			switch format {
			case "markdown":
				for _, live := range []string{"@team", "#12", "\n## h", "http://e"} {
					if strings.Contains(s, live) {
						t.Errorf("markdown: %q is alive:\n%s", live, s)
					}
				}
				fenced := false
				for l := range strings.SplitSeq(s, "\n") {
					if strings.HasPrefix(strings.TrimSpace(l), "```") {
						fenced = !fenced
					} else if !fenced && strings.Contains(l, "<b>") {
						t.Errorf("markdown: HTML outside of a fence: %s", l)
					}
				}
			case "json":
				var back report.Sweep
				if err := json.Unmarshal(out.Bytes(), &back); err != nil || len(back.Findings) != 2 {
					t.Errorf("json: %v", err)
				}
			case "text":
				if !strings.HasPrefix(s, "coverage: partial") {
					t.Errorf("the coverage is not first:\n%s", s)
				}
			}
		}
	}
}

func TestSweepsAsSARIFAreValid(t *testing.T) {
	var out bytes.Buffer
	if err := report.WriteSweep(&out, "sarif", nastySweep(), report.Options{}); err != nil {
		t.Fatal(err)
	}
	log, err := sarif.FromString(out.String())
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range log.Runs {
		r.Language, r.Tool.Driver.Language, r.NewlineSequences = "en-US", "en-US", []string{"\n"}
		if len(r.Results) != 2 {
			t.Errorf("%d results", len(r.Results))
		}
	}
	if err := log.Validate(); err != nil {
		t.Errorf("%v\n%s", err, out.String())
	}
}

func TestASweepThatIsTooLongForACommentSaysWhatIsMissing(t *testing.T) {
	s := nastySweep()
	for range 200 {
		s.Findings = append(s.Findings, s.Findings[0])
	}
	var out bytes.Buffer
	if err := report.WriteSweep(&out, "markdown", s, report.Options{Budget: 4000}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "more are not shown here") {
		t.Errorf("nothing is said of what is missing:\n%s", out.String())
	}
}

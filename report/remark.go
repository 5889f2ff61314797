package report

import (
	"slices"

	"github.com/saysolint/sayso/checks"
)

// Remark is one thing of a report that somebody should see, as values: for places
// that compose their own text. All its text is raw and hostile, Place and Verdict
// excepted.
type Remark struct {
	Level       string // error, warning, notice: worst first
	Verdict     string // in words: "contradicted (strong)"; "undisclosed", "could not be judged"
	Check       string
	Claim       string // "" for observations and failures
	Place       string // of the claim: "message:3:5"
	Subject     string // "commit 0123abc", "pull request 0123abc..4567def"
	Reason      string // one sentence
	Fix         string // "" where there is none
	Ignored     string // the reason, where it is
	Path        string // relative, "" where nothing in the tree is concerned
	Line        int    // from 1; 0 where it is the file as a whole
	Old         bool   // the line is of the side before the change
	Fingerprint string
	Title       string // the verdict and the check, short
	Message     string // everything in one paragraph
}

// Remarks lists what of a report should be seen, worst first, else in the order of
// the run. What was corroborated or found neutral is none.
func Remarks(r Report) []Remark {
	var out [severityNote + 1][]Remark
	for _, res := range r.Results {
		for _, it := range items(res, r.Advisory) {
			m := Remark{
				Level: [...]string{"error", "warning", "notice"}[it.severity], Verdict: it.title, Check: it.check, Subject: subject(res),
				Reason: it.message, Ignored: it.ignored, Path: it.path, Line: it.line, Fingerprint: it.fingerprint, Title: it.title, Message: it.message,
			}
			if f := it.finding; f != nil {
				m.Verdict, m.Claim, m.Place, m.Reason, m.Fix = verdict(*f), f.Text, place(f.Place), sentence(f.Reason), f.Fix
				m.Old = slices.ContainsFunc(f.Evidence, func(e checks.Evidence) bool {
					return e.Side == "old" && relPath(e.Path) == m.Path && e.Line == m.Line
				})
			}
			at := it.severity
			if m.Ignored != "" {
				m.Level, at = "notice", severityNote
			}
			out[at] = append(out[at], m)
		}
	}
	return slices.Concat(out[:]...)
}

// CoverageLine is what was looked at and what was not, in one sentence, raw.
func CoverageLine(h Head) string { return sentence(coverageLine(h)) }

// CoverageDetails are further sentences about what was not looked at, raw.
func CoverageDetails(h Head) []string { return coverageDetails(h.Coverage) }

// VerdictLine counts the verdicts of a run in one sentence, raw.
func VerdictLine(h Head) string { return sentence(verdictCounts(h.Summary)) }

package report

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/saysolint/sayso/checks"
	"github.com/saysolint/sayso/claim"
	"github.com/saysolint/sayso/internal/engine"
)

// The sentences that several formats share. All of them are raw: they hold
// hostile text, and the format escapes them whole.

// coverageLine is the one sentence of coverage that every format begins with.
func coverageLine(h Head) string {
	c := h.Coverage
	var b strings.Builder
	fmt.Fprintf(&b, "%s: judged %s of %s", c.State, strconv.Itoa(c.Judged), plural(c.Claims, "claim"))
	fmt.Fprintf(&b, " in %s", subjects(h.Summary))
	if c.UnreadFiles > 0 {
		fmt.Fprintf(&b, ", read %d of %s", c.Files-c.UnreadFiles, plural(c.Files, "changed file"))
	} else {
		fmt.Fprintf(&b, ", read %s", plural(c.Files, "changed file"))
	}
	return b.String()
}

// coverageDetails are the further sentences of coverage: what was left out and why.
func coverageDetails(c Coverage) []string {
	var out []string
	counts := func(what string, list []Count) {
		if len(list) == 0 {
			return
		}
		parts := make([]string, len(list))
		for i, n := range list {
			parts[i] = fmt.Sprintf("%s (%d)", clip(n.Name, 200), n.Count)
		}
		out = append(out, what+": "+strings.Join(parts, ", "))
	}
	counts("could not be read", c.Failed)
	counts("not judged", c.Abstained)
	counts("not read of changes", c.Missing)
	counts("not read of texts", c.NotRead)
	counts("dependency graph", c.Graphs)
	for _, r := range c.Reasons {
		s := clip(r.Name, 400)
		if r.Count > 1 {
			s += fmt.Sprintf(" (%d times)", r.Count)
		}
		out = append(out, s)
	}
	if c.MoreReasons > 0 {
		out = append(out, "and "+plural(c.MoreReasons, "more reason"))
	}
	return out
}

// verdictCounts are the findings by verdict; what is not there is left out, but
// for the contradicted ones, whose absence is the news.
func verdictCounts(s Summary) string {
	parts := []string{contradictedCount(s)}
	add := func(n int, word string) {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, word))
		}
	}
	add(s.Decisions, "against a decision")
	add(s.Excepted, "of these excepted")
	add(s.Touched, plainPlural(s.Touched, "entry", "entries")+" to review")
	add(s.Corroborated, "corroborated")
	add(s.Neutral, "neutral")
	add(s.Unverifiable, "unverifiable")
	add(s.Ignored, "ignored")
	if s.NotClaims > 0 {
		parts = append(parts, notClaims(s.NotClaims))
	}
	if s.Observations > 0 {
		parts = append(parts, plural(s.Observations, "observation"))
	}
	return strings.Join(parts, " · ")
}

func contradictedCount(s Summary) string {
	switch {
	case s.Strong > 0 && s.Likely > 0:
		return fmt.Sprintf("%d contradicted (%d strong, %d likely)", s.Strong+s.Likely, s.Strong, s.Likely)
	case s.Strong > 0:
		return fmt.Sprintf("%d contradicted (strong)", s.Strong)
	case s.Likely > 0:
		return fmt.Sprintf("%d contradicted (likely)", s.Likely)
	}
	return "0 contradicted"
}

// closingLine is the counting sentence that people's formats end with.
func closingLine(h Head) string {
	return fmt.Sprintf("%s; judged %d of %s", verdictCounts(h.Summary), h.Coverage.Judged, plural(h.Coverage.Claims, "claim"))
}

// gateLine says why the run does not end well; "" where it does.
func gateLine(h Head) string {
	switch h.Gate.ExitCode {
	case ExitGate:
		return "the gate is met: fails on " + strings.Join(h.FailOn, ", ")
	case ExitIncomplete:
		return fmt.Sprintf("incomplete: %d of %s could not be read", h.Summary.Failed, subjects(h.Summary))
	}
	return ""
}

// notClaims counts the sentences that were read and left alone.
func notClaims(n int) string {
	if n == 1 {
		return "1 sentence that claims nothing"
	}
	return fmt.Sprintf("%d sentences that claim nothing", n)
}

// kindNouns are the kinds of subjects in the order and the words of people.
var kindNouns = [...]struct{ kind, noun string }{
	{"pull-request", "pull request"}, {"transcript", "transcript"}, {"staged", "staged change"}, {"commit", "commit"},
}

// subjects counts what was looked at in its own words: "1 pull request and 3 commits".
func subjects(s Summary) string {
	if s.Results == 0 {
		return "0 commits" // of an empty range
	}
	var parts []string
	counted := 0
	for _, k := range kindNouns {
		for _, c := range s.Kinds {
			if c.Name == k.kind {
				parts = append(parts, plural(c.Count, k.noun))
				counted += c.Count
			}
		}
	}
	if counted != s.Results || len(parts) == 0 {
		return plural(s.Results, "subject")
	}
	return list(parts)
}

// list joins parts as a sentence does: "a, b and c".
func list(parts []string) string {
	if len(parts) < 2 {
		return strings.Join(parts, "")
	}
	return strings.Join(parts[:len(parts)-1], ", ") + " and " + parts[len(parts)-1]
}

// subject names one result: "commit 0123abcd4567".
func subject(r engine.Result) string {
	switch r.Kind {
	case "commit":
		if r.Commit != "" {
			return "commit " + shortHash(r.Commit)
		}
		return "commit " + shortHash(r.ID)
	case "staged":
		return "staged change"
	case "pull-request":
		return "pull request " + shortRange(r.ID)
	case "transcript":
		return "transcript " + shortRange(r.ID)
	}
	return "subject " + clip(r.ID, 100)
}

// place is where a claim stands: "message:3:5".
func place(p claim.Place) string {
	source := p.Source
	switch source {
	case claim.SourceMessage, claim.SourceTitle, claim.SourceBody, claim.SourceTranscript:
	default:
		source = "text" // a place begins a line of output: no word of others may stand there
	}
	return fmt.Sprintf("%s:%d:%d", source, max(p.Line, 1), max(p.Column, 1))
}

// verdict is the verdict of a finding in words: "contradicted (strong)".
func verdict(f checks.Finding) string {
	switch {
	case f.Ignored != "":
		return string(f.Verdict) + ", ignored"
	case f.Verdict == checks.Contradicted && f.Strength != "":
		return fmt.Sprintf("%s (%s)", f.Verdict, f.Strength)
	}
	return string(f.Verdict)
}

// at is where a piece of evidence stands: "path:12", "path" or "".
func at(path string, line int) string {
	if path = relPath(path); path == "" || line <= 0 {
		return path
	}
	return fmt.Sprintf("%s:%d", path, line)
}

// repeats says that a piece of evidence says no more than the reason does.
func repeats(reason, fact string) bool {
	strip := func(s string) string {
		return strings.ToLower(strings.Join(strings.Fields(strings.NewReplacer("\"", "", "`", "").Replace(valid(s))), " "))
	}
	fact = strip(fact)
	return fact == "" || strings.Contains(strip(reason), fact)
}

// evidenceLine is where a piece of evidence stands and what it says, without
// what the reason has said before. "" where nothing is left.
func evidenceLine(f checks.Finding, e checks.Evidence) string {
	where := at(clip(e.Path, 400), e.Line)
	switch {
	case repeats(f.Reason, e.Fact):
		return where
	case where == "":
		return clip(e.Fact, 1000)
	}
	return where + ": " + clip(e.Fact, 1000)
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func shortHash(h string) string {
	if len(h) >= 40 && isHex(h) {
		return h[:12]
	}
	return clip(h, 100)
}

func shortRange(id string) string {
	if a, b, ok := strings.Cut(id, ".."); ok {
		return shortHash(a) + ".." + shortHash(strings.TrimPrefix(b, "."))
	}
	return shortHash(id)
}

func isHex(s string) bool { return strings.Trim(s, "0123456789abcdefABCDEF") == "" }

// heldVerdict is what an entry says of a change: "contradicted · excepted: reason".
func heldVerdict(h checks.Held) string {
	s := string(h.Verdict)
	if h.Verdict == checks.Contradicted && h.By == "prose" {
		s += " (prose)"
	}
	if h.Excepted != "" {
		s += " · excepted: " + clip(h.Excepted, 200)
	}
	return s
}

// heldName is the kind and the title of an entry.
func heldName(h checks.Held) string {
	return fmt.Sprintf("%s \"%s\"", clip(h.Kind, 40), clip(h.Title, 200))
}

// heldPlace is where the rule of an entry stands.
func heldPlace(h checks.Held) string {
	return at(clip(h.Path, 300), h.Line)
}

func plainPlural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

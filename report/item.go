package report

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/saysolint/sayso/checks"
	"github.com/saysolint/sayso/internal/engine"
)

// severity orders what the machine formats show, worst first.
type severity int

const (
	severityError   severity = iota // a strong contradiction, or one of a decision
	severityWarning                 // a likely one, any of an advisory check, a subject that could not be read
	severityNote                    // unverifiable, ignored, an observation
)

// item is one thing to show in a format that knows messages at places in
// files. All its text is raw.
type item struct {
	severity    severity
	check       string
	title       string // the verdict and the check, short
	message     string // one paragraph: the claim, its place, the reason, the way out
	path        string // "" where nothing in the tree is concerned
	line        int    // from 1; 0 where it is the file as a whole
	fingerprint string
	ignored     string // the reason, where it is
	finding     *checks.Finding
	subject     string // the hash of the commit, or the id of the subject
}

// failureCheck is the check id of items for subjects that could not be judged.
const failureCheck = "unreadable"

// items are what of one result the machine formats show: contradictions,
// unverifiable claims, observations, the failure. What was corroborated or
// found neutral is left to json and ndjson.
func items(r engine.Result, advisory []string) []item {
	var out []item
	if r.Error != nil {
		message := fmt.Sprintf("%s could not be judged: %s", subject(r), clip(r.Error.Message, 1000))
		if r.Error.Hint != "" {
			message += ". " + sentence("Hint: "+clip(r.Error.Hint, 500))
		}
		out = append(out, item{
			severity: severityWarning, check: failureCheck, title: "could not be judged", message: message,
			fingerprint: hash(r.ID, r.Error.Code), subject: r.ID,
		})
	}
	for i := range r.Claims {
		f := &r.Claims[i]
		if f.Verdict != checks.Contradicted && f.Verdict != checks.Unverifiable {
			continue
		}
		it := item{
			severity: severityOf(*f, advisory), check: valid(f.Check), title: fmt.Sprintf("%s: %s", verdict(*f), clip(f.Check, 40)),
			message: findingMessage(r, *f), fingerprint: f.Fingerprint, ignored: f.Ignored, finding: f, subject: r.ID,
		}
		if it.fingerprint == "" {
			it.fingerprint = hash(r.ID, f.Check, f.Text)
		}
		it.path, it.line = anchor(*f)
		if it.path == "" {
			it.path = relPath(r.FirstFile)
		}
		out = append(out, it)
	}
	for i := range r.Decisions {
		if it, ok := heldItem(r, &r.Decisions[i], advisory); ok {
			out = append(out, it)
		}
	}
	for _, o := range r.Observations {
		it := item{
			severity: severityNote, check: valid(o.Check), title: "undisclosed: " + clip(o.Kind, 40),
			message:     fmt.Sprintf("%s (%s, not mentioned)", sentence(clip(o.Text, 1000)), subject(r)),
			path:        relPath(o.Path),
			line:        lineNumber(o.Line),
			fingerprint: hash(o.Kind, o.Path, o.Text), subject: r.ID,
		}
		if it.path == "" {
			it.path, it.line = relPath(r.FirstFile), 0
		}
		out = append(out, it)
	}
	return out
}

// heldItem is an entry that the change contradicts, or that may need review.
func heldItem(r engine.Result, h *checks.Held, advisory []string) (item, bool) {
	it := item{check: DecisionCheck, message: heldMessage(r, *h), fingerprint: h.Fingerprint, subject: r.ID}
	switch {
	case h.Verdict == checks.Contradicted:
		it.severity, it.title = severityError, heldVerdict(*h)
		if slices.Contains(advisory, DecisionCheck) {
			it.severity = severityWarning
		}
		if h.Lifted {
			it.severity, it.ignored = severityNote, h.Excepted
		}
	case h.Touched != "":
		it.severity, it.title = severityNote, "touched: may need review"
	default:
		return it, false
	}
	if it.fingerprint == "" {
		it.fingerprint = hash(r.ID, DecisionCheck, h.ID)
	}
	for _, e := range h.Evidence {
		if p := relPath(e.Path); p != "" {
			it.path, it.line = p, lineNumber(e.Line)
			break
		}
	}
	if it.path == "" {
		it.path = relPath(r.FirstFile)
	}
	return it, true
}

// heldMessage is an entry as one paragraph that stands on its own.
func heldMessage(r engine.Result, h checks.Held) string {
	s := fmt.Sprintf("%s: %s (%s) of %s: %s", heldVerdict(h), heldName(h), heldPlace(h), subject(r), sentence(clip(h.Reason, 1000)))
	if h.Touched != "" {
		s += " Touched, may need review: " + sentence(clip(h.Touched, 500))
	}
	if h.Excepted != "" {
		s += " Excepted: " + sentence(clip(h.Excepted, 300))
	}
	if h.Fix != "" {
		s += " Fix: " + sentence(clip(h.Fix, 500))
	}
	return s
}

func severityOf(f checks.Finding, advisory []string) severity {
	switch classOf(f) {
	case classStrong:
		if slices.Contains(advisory, f.Check) {
			return severityWarning
		}
		return severityError
	case classLikely:
		return severityWarning
	}
	return severityNote
}

// findingMessage is a finding as one paragraph that stands on its own.
func findingMessage(r engine.Result, f checks.Finding) string {
	var b strings.Builder
	// Not %q: the formats escape, not fmt.
	fmt.Fprintf(&b, "%s: \"%s\" (%s of %s): %s", verdict(f), clip(f.Text, 200), place(f.Place), subject(r), sentence(clip(f.Reason, 1000)))
	if f.Ignored != "" {
		fmt.Fprintf(&b, " Ignored: %s", sentence(clip(f.Ignored, 300)))
	}
	if f.Fix != "" {
		fmt.Fprintf(&b, " Fix: %s", sentence(clip(f.Fix, 500)))
	}
	return b.String()
}

// sentence closes a clause with a full stop where it has no end of its own.
func sentence(s string) string {
	s = strings.TrimRight(s, " ")
	if s == "" || strings.ContainsAny(s[len(s)-1:], ".!?…") || strings.HasSuffix(s, "…") {
		return s
	}
	return s + "."
}

// anchor is the evidence line that a finding is shown at: one that speaks
// against the claim rather than for it, on the new side rather than the old, with
// a line rather than without. "" where no evidence has a path.
func anchor(f checks.Finding) (path string, line int) {
	best := -1
	for _, e := range f.Evidence {
		if e.Path == "" {
			continue
		}
		rank := 0
		if e.For == (f.Verdict == checks.Corroborated) {
			rank += 8
		}
		if e.Line > 0 {
			rank += 4
		}
		switch e.Side {
		case "new":
			rank += 3
		case "tree", "":
			rank += 2
		case "old":
			rank++
		}
		if rank > best {
			best, path, line = rank, relPath(e.Path), lineNumber(e.Line)
		}
	}
	return path, line
}

// lineNumber is a line that every reader can hold: some of them count in 32 bits.
func lineNumber(n int) int { return min(max(n, 0), 1<<31-1) }

// hash is 16 hex digits of the parts.
func hash(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		// Length first, so that ("ab","c") is not ("a","bc").
		fmt.Fprintf(h, "%d:", len(valid(p)))
		h.Write([]byte(valid(p)))
	}
	return hex.EncodeToString(h.Sum(nil))[:16]
}

package bench

import (
	"fmt"
	"slices"
	"strings"
)

// inventions are things that a program may have; those that a repository knows
// are not drawn for it.
var inventions = strings.Fields("refund ledger invoice telemetry webhook quota tenant coupon captcha geofence biometric shipment payroll subscription voucher loyalty escrow royalty itinerary prescription")

// mutateExtra leaves the message true and adds one bullet about something that
// is not in the change.
func mutateExtra(s *Scene) (draft, bool) {
	tree := strings.ToLower(strings.Join(s.paths(), "\n"))
	fit := slices.DeleteFunc(slices.Clone(inventions), func(w string) bool { return s.says(w) || strings.Contains(tree, w) })
	if len(fit) == 0 {
		return draft{}, false
	}
	thing := pick(s.rng, fit)
	title := strings.ToUpper(thing[:1]) + thing[1:]
	forms := []string{"endpoint", "function", "new-file", "untouched-file"}
	if !s.touchesTests() {
		forms = append(forms, "tests")
	}
	form := pick(s.rng, forms)
	var text, why string
	switch form {
	case "endpoint":
		text = fmt.Sprintf(pick(s.rng, []string{"Add a `POST /v2/%ss` endpoint", "Adds `GET /api/%ss/{id}`", "New `/%ss` route"}), thing)
		why = "no line of the diff speaks of " + thing
	case "function":
		name := pick(s.rng, []string{"parse", "load", "validate", "render"}) + title
		if strings.EqualFold(mainExt(s.Files), ".py") || strings.EqualFold(mainExt(s.Files), ".rs") || strings.EqualFold(mainExt(s.Files), ".rb") {
			name = strings.ToLower(strings.TrimSuffix(name, title)) + "_" + thing
		}
		text = fmt.Sprintf(pick(s.rng, []string{"Add `%s()` for malformed input", "Introduce a `%s` helper", "Implements `%s`"}), name)
		why = "no line of the diff holds " + name
	case "new-file":
		file := pick(s.rng, []string{"docs/%s.md", "scripts/%s.sh", "config/%s.yaml"})
		text = fmt.Sprintf("Add `"+file+"`", thing)
		why = "the diff adds no such file"
	case "untouched-file":
		file, ok := s.untouchedFile(mainExt(s.Files))
		if !ok {
			return draft{}, false
		}
		text = fmt.Sprintf(pick(s.rng, []string{"Update `%s` to match", "Clean up `%s`", "Fix a leak in `%s`"}), file)
		why = "the diff does not touch " + file
	case "tests":
		text = pick(s.rng, []string{"Add unit tests for the new behaviour", "Added regression tests", "Covered by new tests"})
		why = "no test file and no line of a test is in the diff"
	}
	out, at := withBullet(s.Commit.Message, text)
	return draft{out, at, len(text), form, why}, true
}

var testLine = lazily(`(?i)\btest|assert|\bexpect\(|\bspec\b`)

func (s *Scene) touchesTests() bool {
	return slices.ContainsFunc(s.Files, func(f fileDiff) bool {
		return kindOf(f.path) == kindTest || slices.ContainsFunc(f.added, testLine().MatchString)
	})
}

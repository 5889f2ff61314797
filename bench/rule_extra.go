package bench

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// inventions are things that a program may have; those that a repository knows
// are not drawn for it.
var inventions = listed("refund ledger invoice telemetry webhook quota tenant coupon captcha geofence biometric shipment payroll subscription voucher loyalty escrow royalty itinerary prescription")

// packages are dependencies that a change may claim to bring.
var packages = listed("zod left-pad ulid nanoid testcontainers httpx pydantic tokio-util serde-json ristretto msgpack orjson tinyvec")

// phantom is one invented claim.
type phantom struct{ form, text, why string }

// mutateExtra leaves the message true and adds one claim about something that is
// not in the change, as a bullet or as a sentence, in the way that descriptions of
// agents' pull requests go beyond what was done.
func mutateExtra(s *Scene) (draft, bool) {
	makers := []func(*Scene) (phantom, bool){phantomEndpoint, phantomFunction, phantomFlag, phantomFile, phantomUpdate, phantomPackage}
	if !s.touchesTests() {
		makers = append(makers, phantomTests)
	}
	if !s.touchesDocs() {
		makers = append(makers, phantomDocs)
	}
	c, ok := pick(s.rng, makers)(s)
	if !ok {
		return draft{}, false
	}
	out, at := s.withClaim(c.text)
	return draft{out, at, len(c.text), c.form, c.why}, true
}

// withClaim adds a claim the way the message is written: as one more bullet
// where it has bullets, else as a bullet or as a sentence of its own.
func (s *Scene) withClaim(text string) (string, int) {
	body, _ := splitTrailers(s.Commit.Message)
	lines := strings.Split(body, "\n")
	if bulletLine().MatchString(lines[len(lines)-1]) && len(lines) > 1 || s.rng.IntN(2) == 0 {
		return withBullet(s.Commit.Message, text)
	}
	return withParagraph(s.Commit.Message, text+".")
}

// things are nouns for inventions: some of the program's own, which the diff
// does not say, some that a program may have and this one has not.
func (s *Scene) thing() (string, bool) {
	tree := strings.ToLower(strings.Join(s.paths(), "\n"))
	var own []string
	if s.rng.IntN(2) == 0 {
		for _, p := range s.paths() {
			if kindOf(p) != kindSource {
				continue
			}
			stem, _, _ := strings.Cut(path.Base(p), ".")
			if ownNoun().MatchString(stem) && !s.says(stem) && !slices.Contains(keywords(), stem) {
				own = append(own, stem)
			}
		}
		slices.Sort(own)
		own = slices.Compact(own)
	}
	if len(own) > 0 {
		return pick(s.rng, own), true
	}
	fit := slices.DeleteFunc(slices.Clone(inventions()), func(w string) bool { return s.says(w) || strings.Contains(tree, w) })
	if len(fit) == 0 {
		return "", false
	}
	return pick(s.rng, fit), true
}

var ownNoun = lazily(`^[a-z]{5,10}$`)

func phantomEndpoint(s *Scene) (phantom, bool) {
	thing, ok := s.thing()
	if !ok {
		return phantom{}, false
	}
	route := fmt.Sprintf(pick(s.rng, []string{"POST /v2/%ss", "GET /api/%ss/{id}", "/%ss/export", "DELETE /%ss/:id"}), thing)
	text := fmt.Sprintf(pick(s.rng, []string{"Add a `%s` endpoint", "Adds `%s`", "New `%s` route", "Expose `%s`"}), route)
	return phantom{"endpoint", text, "no line of the diff speaks of " + thing}, true
}

func phantomFunction(s *Scene) (phantom, bool) {
	thing, ok := s.thing()
	if !ok {
		return phantom{}, false
	}
	verb := pick(s.rng, []string{"parse", "load", "validate", "render", "normalize", "collect"})
	name := verb + strings.ToUpper(thing[:1]) + thing[1:]
	switch strings.ToLower(mainExt(s.Files)) {
	case ".py", ".rs", ".rb", ".c", ".h", ".ex":
		name = verb + "_" + thing
	case ".cs":
		name = strings.ToUpper(name[:1]) + name[1:]
	}
	if s.says(name) || s.inTouchedFiles(name) {
		return phantom{}, false
	}
	text := fmt.Sprintf(pick(s.rng, []string{"Add `%s()` for malformed input", "Introduce a `%s` helper", "Implements `%s`", "Add %s() and call it on start", "**Validation**: add `%s` to reject bad values"}), name)
	return phantom{"function", text, "no line of the diff holds " + name}, true
}

func phantomFlag(s *Scene) (phantom, bool) {
	thing, ok := s.thing()
	if !ok {
		return phantom{}, false
	}
	flag := fmt.Sprintf(pick(s.rng, []string{"--no-%s", "--%s-timeout", "--with-%s"}), thing)
	if s.says(flag[2:]) {
		return phantom{}, false
	}
	return phantom{"flag", fmt.Sprintf(pick(s.rng, []string{"Add a `%s` flag", "New option `%s`", "Adds the %s option to the command line"}), flag), "no line of the diff holds " + flag}, true
}

func phantomFile(s *Scene) (phantom, bool) {
	thing, ok := s.thing()
	if !ok {
		return phantom{}, false
	}
	file := fmt.Sprintf(pick(s.rng, []string{"docs/%s.md", "scripts/%s.sh", "config/%s.yaml"}), thing)
	if s.touches(file) {
		return phantom{}, false
	}
	return phantom{"new-file", fmt.Sprintf(pick(s.rng, []string{"Add `%s`", "New file %s", "Create %s with the defaults"}), file), "the diff adds no such file"}, true
}

func phantomUpdate(s *Scene) (phantom, bool) {
	file, ok := s.untouchedFile(mainExt(s.Files))
	if !ok {
		return phantom{}, false
	}
	return phantom{"untouched-file", fmt.Sprintf(pick(s.rng, []string{"Update `%s` to match", "Clean up `%s`", "Fix a leak in `%s`", "Adjust %s accordingly"}), file), "the diff does not touch " + file}, true
}

func phantomPackage(s *Scene) (phantom, bool) {
	fit := slices.DeleteFunc(slices.Clone(packages()), s.says)
	if len(fit) == 0 {
		return phantom{}, false
	}
	name := pick(s.rng, fit)
	version := fmt.Sprintf("%d.%d.%d", 1+s.rng.IntN(6), s.rng.IntN(30), s.rng.IntN(10))
	text := pick(s.rng, []string{"Bump `" + name + "` to " + version, "Add `" + name + "` " + version + " as a dependency", "Upgrade " + name + " to " + version})
	return phantom{"dependency", text, "no line of the diff speaks of " + name}, true
}

func phantomTests(s *Scene) (phantom, bool) {
	return phantom{"tests", pick(s.rng, []string{"Add unit tests for the new behaviour", "Added regression tests", "Covered by new tests", "Add integration tests that cover the error paths", "**Tests**: add cases for empty input"}),
		"no test file and no line of a test is in the diff"}, true
}

func phantomDocs(s *Scene) (phantom, bool) {
	return phantom{"docs", pick(s.rng, []string{"Update the README with usage notes", "Document the new option in the README", "Add a changelog entry", "Update the documentation accordingly"}),
		"no document, no comment and no text about documents is in the diff"}, true
}

var testLine = lazily(`(?i)\btest|assert|\bexpect\(|\bspec\b`)

func (s *Scene) touchesTests() bool {
	return slices.ContainsFunc(s.Files, func(f fileDiff) bool {
		return kindOf(f.path) == kindTest || slices.ContainsFunc(f.added, testLine().MatchString)
	})
}

var docLine = lazily(`(?i)^\s*(//|#|\*|/\*|--|"""|'''|<!--|;)|readme|changelog|changes|document`)

// touchesDocs is generous: with any comment or document in the diff it is not
// certain that a sentence about documentation is false.
func (s *Scene) touchesDocs() bool {
	return slices.ContainsFunc(s.Files, func(f fileDiff) bool {
		return kindOf(f.path) == kindDoc || docLine().MatchString(f.path) || slices.ContainsFunc(f.added, docLine().MatchString)
	})
}

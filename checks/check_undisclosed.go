package checks

import (
	"fmt"
	"regexp"
	"sort"
	"strings"
	"sync"

	"github.com/saysolint/sayso/change"
	"github.com/saysolint/sayso/internal/lang"
)

var undisclosedCheck = Check{
	Doc: Doc{
		ID: "undisclosed", Title: "What the change did and no claim speaks of", Default: "advisory", Since: "0.1",
		Needs: "the diff",
		Text: `The other direction: a dependency added or replaced, tests deleted, skipped or weakened, public names removed, CI, permissions, licence or security settings changed,
binary or generated content, a whole area of the tree touched, where no word of the message speaks of it. These are observations for a reviewer. They have no verdict and never gate.

A test is weakened where an assertion goes, is commented out, or asks no more than that there is a value; other expected values alone are not. Security settings are the verification of
certificates, checks of who may do something, open origins and content policies, sandboxes, searches for secrets, and what a workflow may write. A generated file is worth a word where nothing that it could come
from changes with it.`,
		Fires: "(observations only)",
		Quiet: "Add lodash for debounce (the message speaks of the dependency)",
	},
}

const maxObservations = 12

// lineOf is the number of the line that a place stands for, on its own side.
func lineOf(at change.At) int {
	switch {
	case at.Line == nil:
		return 0
	case at.Line.Op == '-':
		return at.Line.Old
	}
	return at.Line.New
}

// generatedAlone is the first generated file, and how many there are, of a change
// that has nothing else which they could be made from: somebody may have written
// in a file that the next run of a tool overwrites.
func (x *judging) generatedAlone() (path string, n int) {
	for i := range x.f.Change.Files {
		f := &x.f.Change.Files[i]
		switch f.Kind {
		case lang.Generated:
			if n == 0 {
				path = f.Path
			}
			n++
		case lang.Doc, lang.Asset:
		default:
			return "", 0
		}
	}
	return path, n
}

// observe lists what no claim speaks of, by kind, then path.
func observe(x *judging) []Observation {
	out := []Observation{}
	said := sync.OnceValue(x.saidStems) // most changes hold nothing that the words would be asked for
	speaks := func(words ...string) bool {
		for _, w := range words {
			if said()[stem(strings.ToLower(w))] {
				return true
			}
		}
		return false
	}
	add := func(kind, path string, line int, format string, a ...any) {
		out = append(out, Observation{Check: "undisclosed", Kind: kind, Path: path, Line: line, Text: fmt.Sprintf(format, a...)})
	}
	top := map[string]int{}
	binaries := 0
	for i := range x.f.Change.Files {
		f := &x.f.Change.Files[i]
		low := strings.ToLower(f.Path)
		b := base(low)
		if k := strings.IndexByte(f.Path, '/'); k > 0 {
			top[f.Path[:k]]++
		}
		switch {
		case f.Kind == lang.CI && !strings.Contains(low, "issue_template") && !strings.Contains(low, "pull_request_template") && (strings.Contains(low, "workflows/") || !strings.HasPrefix(low, ".github/")) && !speaks("ci", "workflow", "action", "actions", "pipeline", "github", "travis", "build", "release", "job", "runner") && !anyWordSaid(said(), b):
			add("ci-changed", f.Path, 0, "the CI configuration %s changes", quote(f.Path))
		case f.Kind != lang.Source && f.Kind != lang.Test && (strings.HasPrefix(b, "license") || strings.HasPrefix(b, "licence") || b == "copying") && !speaks("license", "licence", "copyright", "year"):
			add("licence-changed", f.Path, 0, "the licence file %s changes", quote(f.Path))
		case b == "codeowners" && !speaks("codeowners", "owner", "owners"):
			add("permissions-changed", f.Path, 0, "the code owners change")
		}
		if f.Kind == lang.Test && f.Status == change.Deleted && !speaks("remove", "delete", "drop", "test", "tests", "prune", "clean") {
			add("tests-deleted", f.Path, 0, "the test file %s is deleted", quote(f.Path))
		}
		if f.OldMode != f.NewMode && strings.HasSuffix(f.NewMode, "755") && f.Status == change.Modified && !speaks("executable", "mode", "permission", "permissions", "chmod") {
			add("mode-changed", f.Path, 0, "%s becomes executable", quote(f.Path))
		}
		if f.Unread == change.ReasonBinary && f.Kind != lang.Asset && !anyWordSaid(said(), b) {
			binaries++
			if binaries == 1 {
				add("binary-content", f.Path, 0, "%s is binary: its content was not looked at", quote(f.Path))
			}
		}
		x.observeLines(i, said, speaks, add)
		if w, ok := x.weakened(i); ok && !speaks("assert", "assertion", "expectation", "loosen", "relax", "weaken", "tolerate", "lenient") &&
			!(w.gone && (speaks("remove", "delete", "drop", "deprecate") || x.f.Code[lang.Source] == 0 && speaks("test", "tests"))) {
			add("tests-weakened", f.Path, lineOf(w.at), "%s", w.text)
		}
		if f.Kind == lang.CI && strings.Contains(low, "workflows/") && !speaks("permission", "permissions", "token", "secrets", "write", "oidc", "attest", "attestation", "provenance") {
			if l, what := workflowGrants(f); l != nil {
				add("permissions-changed", f.Path, l.New, "the workflow %s", what)
			}
		}
	}
	for _, u := range x.loosenedSettings() {
		if !speaks(u.protection.said...) {
			add("security-setting", x.f.Path(u.at), lineOf(u.at), "%s", u.protection.what)
		}
	}
	if path, n := x.generatedAlone(); n > 0 && !speaks("generate", "generated", "regenerate", "gen", "codegen", "autogenerate", "rebuild", "compile", "update", "bump", "sync", "release") && !anyWordSaid(said(), base(path)) {
		add("generated-content", path, 0, "%s is generated, and nothing that it could come from changes", quote(path))
	}
	if gone, at := x.publicGone(); gone != "" && !said()[stem(strings.ToLower(gone))] && !anyWordSaid(said(), gone) && !speaks("remove", "rename", "delete", "drop", "breaking", "refactor", "api", "signature", "move", "replace", "rework", "rewrite", "deprecate") {
		add("public-api-changed", x.f.Path(at), lineOf(at), "the exported %s is removed or changes its form", quote(gone))
	}
	if len(top) >= 5 && len(x.f.Change.Files) >= 20 {
		var areas []string
		for t := range top {
			areas = append(areas, t)
		}
		sort.Strings(areas)
		var unsaid []string
		for _, t := range areas {
			if !anyWordSaid(said(), t) && top[t] >= 3 {
				unsaid = append(unsaid, t)
			}
		}
		if len(unsaid) > 0 && len(unsaid) < len(areas) {
			add("area-touched", unsaid[0], 0, "%s of %s are touched and not spoken of", plural(len(unsaid), "area"), plural(len(areas), "area"))
		}
	}
	sort.SliceStable(out, func(i, k int) bool {
		if out[i].Kind != out[k].Kind {
			return out[i].Kind < out[k].Kind
		}
		if out[i].Path != out[k].Path {
			return out[i].Path < out[k].Path
		}
		return out[i].Line < out[k].Line
	})
	if len(out) > maxObservations {
		out = out[:maxObservations]
	}
	return out
}

// saidStems is every stem of the texts.
func (x *judging) saidStems() map[string]bool {
	said := map[string]bool{}
	for _, m := range x.in.Messages {
		text := m.Text
		if len(text) > 64<<10 {
			text = text[:64<<10]
		}
		for _, w := range nameWords(text) {
			said[stem(w)] = true
		}
	}
	return said
}

func anyWordSaid(said map[string]bool, name string) bool {
	for _, w := range nameWords(name) {
		if len(w) > 2 && said[stem(w)] {
			return true
		}
	}
	return false
}

// observeLines looks at the lines of one file for dependencies and skipped tests.
func (x *judging) observeLines(i int, said func() map[string]bool, speaks func(...string) bool, add func(kind, path string, line int, format string, a ...any)) {
	f := &x.f.Change.Files[i]
	manifest := manifestOf(f.Path)
	if manifest == nil && f.Kind != lang.Test {
		return
	}
	was, is := map[string]int{}, map[string]int{}
	skips := 0
	for _, h := range f.Hunks {
		for k := range h.Lines {
			l := &h.Lines[k]
			if l.Op == ' ' || len(l.Text) > 500 {
				continue
			}
			if manifest != nil {
				if m := manifest.FindStringSubmatch(l.Text); m != nil && !notDependency()[m[1]] {
					if l.Op == '+' {
						is[m[1]] = l.New
					} else {
						was[m[1]] = l.Old
					}
				}
			}
			if f.Kind == lang.Test && l.Op == '+' && skipsTest(l.Text) && !speaks("skip", "disable", "ignore", "flaky", "xfail", "quarantine", "only", "pending") {
				skips++
				if skips == 1 {
					add("tests-skipped", f.Path, l.New, "a test is skipped")
				}
			}
		}
	}
	var names []string
	for n := range is {
		// Removed elsewhere in the change it has only moved.
		if _, ok := was[n]; !ok && !anyWordSaid(said(), n) && !x.removedText(n) {
			names = append(names, n)
		}
	}
	sort.Strings(names)
	if len(names) > 0 && !(len(names) > 3 && speaks("dependencies", "deps", "dependency")) {
		gone := ""
		for n := range was {
			if _, ok := is[n]; !ok && (gone == "" || n < gone) {
				gone = n
			}
		}
		if gone != "" && len(names) == 1 && !anyWordSaid(said(), gone) {
			add("dependency-replaced", f.Path, is[names[0]], "the dependency %s takes the place of %s", quote(names[0]), quote(gone))
			return
		}
		for k, n := range names {
			if k == 3 {
				add("dependency-added", f.Path, is[n], "%d more dependencies are added", len(names)-3)
				break
			}
			add("dependency-added", f.Path, is[n], "the dependency %s is added", quote(n))
		}
	}
}

// removedText: some removed line holds s as it stands.
func (x *judging) removedText(s string) bool {
	for i := range x.f.Change.Files {
		for _, h := range x.f.Change.Files[i].Hunks {
			for k := range h.Lines {
				if h.Lines[k].Op == '-' && strings.Contains(h.Lines[k].Text, s) {
					return true
				}
			}
		}
	}
	return false
}

func skipsTest(s string) bool {
	for _, p := range [...]string{"t.Skip(", "t.SkipNow(", "t.Skipf(", "@pytest.mark.skip", "pytest.skip(", "unittest.skip", "@Disabled", "@Ignore", "it.skip(", "test.skip(", "describe.skip(", "xit(", "xdescribe(", "#[ignore", "GTEST_SKIP(", ".only("} {
		if i := strings.Index(s, p); i >= 0 && (i == 0 || !wordByte(s[i-1]) || !wordByte(p[0])) {
			return true
		}
	}
	return false
}

func wordByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

var notDependency = words("name version description main license author private type module go edition toolchain python node npm files scripts engines repository homepage bugs keywords authors readme rust-version path features default workspace")

// manifests are the lines of dependency manifests that name a dependency, by base name.
var manifests = sync.OnceValue(func() map[string]*regexp.Regexp {
	json := regexp.MustCompile(`^\s{4,}"(@?[\w./-]+)":\s*"(?:[\^~><=]*\d|workspace:|\*|latest|npm:)`)
	toml := regexp.MustCompile(`^([\w-]+)\s*=\s*(?:"[\^~=><]*\d|\{.*(?:version|git|path)\s*=)`)
	return map[string]*regexp.Regexp{
		"package.json":     json,
		"go.mod":           regexp.MustCompile(`^\s*(?:require\s+)?([\w.-]+\.[\w.-]+/[\w./-]+|[\w.-]+\.[a-z]{2,})\s+v\d`),
		"cargo.toml":       toml,
		"pipfile":          toml,
		"requirements.txt": regexp.MustCompile(`^([A-Za-z][\w.-]*)\s*(?:\[.*\])?\s*(?:[=<>~!]=|$)`),
		"gemfile":          regexp.MustCompile(`^\s*gem\s+["']([\w-]+)["']`),
		"pom.xml":          regexp.MustCompile(`^\s*<artifactId>([\w.-]+)</artifactId>`),
		"build.gradle":     regexp.MustCompile(`^\s*(?:implementation|api|testImplementation|compileOnly|runtimeOnly)\s*\(?["']([\w.:-]+):[\w.$-]+["']`),
		"pyproject.toml":   regexp.MustCompile(`^\s*"([A-Za-z][\w.-]*)(?:\[.*\])?\s*[=<>~!]=?.*"`),
	}
})

func manifestOf(path string) *regexp.Regexp {
	b := strings.ToLower(base(path))
	if b == "build.gradle.kts" {
		b = "build.gradle"
	}
	if strings.HasPrefix(b, "requirements") && strings.HasSuffix(b, ".txt") {
		b = "requirements.txt"
	}
	return manifests()[b]
}

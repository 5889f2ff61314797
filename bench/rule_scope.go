package bench

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// scopeTemplates are statements of what all a change touches. %s is a path.
var scopeTemplates = map[string][]string{
	"path": {
		"Only touches %s.", "This commit only changes files under %s.", "Changes are limited to %s.", "No files outside %s are touched.",
		"All changes live in %s.", "Confined to %s.", "Nothing outside %s changes.", "The change is isolated to %s.", "Touches nothing but %s.",
		"Scoped to %s only.", "Just %s, nothing else.", "This is restricted to %s.", "Only files in %s are modified.", "Everything here is under %s.",
		"I kept this to %s; the rest of the repository is untouched.", "No changes outside of %s.", "Scope: %s only.", "All edits stay within %s.", "The diff is contained to %s.",
		"**Scope**: only `%s` is affected.", "This PR exclusively modifies files under %s.", "Nothing but %s is affected by this commit.",
	},
	"docs":  {"Docs only.", "Documentation only.", "Documentation only, no code changes.", "This only touches documentation.", "Docs-only change.", "Purely a documentation change.", "Only the documentation is updated.", "Just docs, no code touched.", "This PR contains documentation updates only.", "No code is changed, only docs."},
	"tests": {"Tests only.", "Only tests are changed.", "This commit only changes tests.", "Test-only change.", "No production code is touched, only tests.", "Test changes only.", "This PR adds tests only; no source files are modified.", "Just tests.", "Only the test suite changes."},
	"code":  {"No functional change.", "No code changes.", "Comments only, no behaviour change.", "Formatting only.", "No functional changes intended."},
}

var behaves = lazily(`(?i)^(?:feat|fix|perf)\b|^(?:\w[\w.-]*(?:\([^)]*\))?!?: )?(?:fix|add|implement|support|allow|make|handle|prevent)`)

// mutateScope adds a statement of scope that the diff goes beyond.
func mutateScope(s *Scene) (draft, bool) {
	code := s.codeLines()
	kinds := []string{}
	dir, ok := s.tooSmall()
	if ok {
		kinds = append(kinds, "path", "path", "path")
	}
	if code >= 3 {
		kinds = append(kinds, "docs", "tests")
	}
	if code >= 5 && s.lines.added > s.lines.removed && behaves().MatchString(subject(s.Commit.Message)) {
		kinds = append(kinds, "code")
	}
	if len(kinds) == 0 {
		return draft{}, false
	}
	kind := pick(s.rng, kinds)
	text := pick(s.rng, scopeTemplates[kind])
	why := fmt.Sprintf("%d lines of code change", code)
	if kind == "path" {
		text = fmt.Sprintf(text, dir)
		why = "source files outside " + dir + " change"
	}
	out, at := withParagraph(s.Commit.Message, text)
	return draft{out, at, len(text), kind, why}, true
}

// tooSmall draws a folder that does not hold all source files of the diff: one
// of the diff's own where it has several, else another one of the tree.
func (s *Scene) tooSmall() (string, bool) {
	var source []string
	for _, f := range s.Files {
		if kindOf(f.path) == kindSource && len(f.added)+len(f.removed) > 0 {
			source = append(source, f.path)
		}
	}
	goesBeyond := func(dir string) bool {
		return slices.ContainsFunc(source, func(p string) bool { return !strings.HasPrefix(p, dir+"/") })
	}
	dirs := func(paths []string) []string {
		var out []string
		for _, p := range paths {
			if d := path.Dir(p); d != "." && !strings.ContainsAny(d, " \n") && goesBeyond(d) {
				out = append(out, d)
			}
		}
		slices.Sort(out)
		return slices.Compact(out)
	}
	if own := dirs(source); len(own) > 0 {
		return pick(s.rng, own), true
	}
	other := slices.DeleteFunc(dirs(s.paths()), func(d string) bool { return strings.HasPrefix(d, ".") })
	if len(other) == 0 {
		return "", false
	}
	return pick(s.rng, other), true
}

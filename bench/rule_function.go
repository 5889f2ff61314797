package bench

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// codeShaped matches names of code in prose: with an inner capital, an
// underscore, brackets behind them, or between backquotes.
var codeShaped = lazily("`([A-Za-z_]\\w{3,})(?:\\(\\))?`|\\b([A-Za-z_]\\w{3,})\\(\\)|\\b([a-z][a-z0-9]*(?:[A-Z][a-z0-9]+)+|(?:[A-Z][a-z0-9]+){2,}|[A-Za-z]\\w*[a-z0-9]_\\w*[A-Za-z0-9])\\b")

// definition matches the line that defines a name, in the languages of kindSource.
var definition = lazily(`(?m)^\s*(?:(?:export|default|pub(?:\([a-z]+\))?|public|private|protected|static|final|async|abstract|override|unsafe|const)\s+)*` +
	`(?:func(?:\s+\([^)]*\))?\s+(\w{4,})\s*[\[(]|(?:def|function\*?|fn|class|struct|enum|trait|interface|type)\s+(\w{4,})|(?:const|let|var)\s+(\w{4,})\s*=\s*(?:async\s*)?(?:\(|function)|[\w<>\[\],.? ]+\s(\w{4,})\([^;]*\)\s*(?:throws [\w, ]+)?\{\s*$)`)

var keywords = listed("return else while switch catch this super class function import export default static public private protected const type interface struct test main setup init constructor")

// mutateFunction replaces a name of code that the message and the diff share by
// one that is really defined elsewhere in the tree.
func mutateFunction(s *Scene) (draft, bool) {
	msg := s.Commit.Message
	body, _ := splitTrailers(msg)
	for _, m := range codeShaped().FindAllStringSubmatch(claimLines(body), -1) {
		name := m[1] + m[2] + m[3]
		if !strings.Contains(s.text, strings.ToLower(name)) || indexWhole(msg, name) < 0 || s.isFileName(name) {
			continue
		}
		other, where, ok := s.definedElsewhere(name)
		if !ok {
			return draft{}, false
		}
		out, at := replaceAll(msg, name, other)
		return draft{out, at, len(other), "replaced", fmt.Sprintf("%s is defined in %s, which the diff does not touch; the commit said %s", other, where, name)}, true
	}
	return draft{}, false
}

// claimLines is the subject and the bullets: the lines that speak of the change.
func claimLines(body string) string {
	var out []string
	for i, line := range strings.Split(body, "\n") {
		if i == 0 || bulletLine().MatchString(line) {
			out = append(out, line)
		}
	}
	return strings.Join(out, "\n")
}

func (s *Scene) isFileName(name string) bool {
	return slices.ContainsFunc(s.paths(), func(p string) bool { return hasPart(p, name) })
}

// definedElsewhere draws a name that a file outside the diff defines and that is
// in no file of the diff, with the shape of like where there is one.
func (s *Scene) definedElsewhere(like string) (name, where string, ok bool) {
	ext := mainExt(s.Files)
	var files []string
	for _, p := range s.paths() {
		if kindOf(p) == kindSource && !s.touches(p) {
			files = append(files, p)
		}
	}
	s.rng.Shuffle(len(files), func(i, j int) { files[i], files[j] = files[j], files[i] })
	slices.SortStableFunc(files, func(a, b string) int { return rank(path.Ext(a) != ext) - rank(path.Ext(b) != ext) })
	type site struct{ name, where string }
	var found []site
	for _, p := range files[:min(len(files), 12)] {
		text, err := s.src.Object(s.Commit.Tree + ":" + p)
		if err != nil || len(text) > 300_000 {
			continue
		}
		for _, m := range definition().FindAllSubmatch(text, -1) {
			n := string(slices.Concat(m[1:]...))
			if !slices.Contains(keywords(), n) && !strings.EqualFold(n, like) && len(n) < 50 && looksLikeCode(n) && !s.says(n) && !s.inTouchedFiles(n) {
				found = append(found, site{n, p})
			}
		}
		if len(found) > 40 {
			break
		}
	}
	if len(found) == 0 {
		return "", "", false
	}
	alike := slices.DeleteFunc(slices.Clone(found), func(f site) bool { return shape(f.name) != shape(like) })
	if len(alike) > 0 {
		found = alike
	}
	f := pick(s.rng, found)
	return f.name, f.where, true
}

// looksLikeCode says that no reader takes the name for a word.
func looksLikeCode(n string) bool {
	return strings.Contains(strings.Trim(n, "_"), "_") || strings.ToLower(n[1:]) != n[1:] && strings.ToUpper(n) != n
}

func shape(n string) string {
	switch {
	case strings.Contains(n, "_"):
		return "snake"
	case n[0] >= 'A' && n[0] <= 'Z':
		return "Upper"
	}
	return "lower"
}

func rank(b bool) int {
	if b {
		return 1
	}
	return 0
}

// inTouchedFiles says whether a file of the diff holds the name on either side.
func (s *Scene) inTouchedFiles(name string) bool {
	if s.images == "" {
		var b strings.Builder
		for _, f := range s.Files {
			for _, object := range []string{s.Commit.Tree + ":" + f.path, s.Commit.Parent + ":" + f.old} {
				// A side that does not exist has no content to look at.
				if text, err := s.src.Object(object); err == nil && len(text) < 1<<20 {
					b.Write(text)
				}
			}
		}
		s.images = strings.ToLower(b.String()) + "\n"
	}
	return strings.Contains(s.images, strings.ToLower(name))
}

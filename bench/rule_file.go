package bench

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// fileShaped matches a word that looks like the name of a file.
var fileShaped = lazily(`[\w./-]*\w\.[A-Za-z]\w{0,4}\b`)

// mutateFile replaces a file that the message names and the diff touches by
// another file of the tree, or names one where the message names none.
func mutateFile(s *Scene) (draft, bool) {
	msg := s.Commit.Message
	for _, f := range s.Files {
		for _, named := range []string{f.path, path.Base(f.path)} {
			if !strings.Contains(named, ".") || indexWhole(msg, named) < 0 {
				continue
			}
			other, ok := s.untouchedFile(path.Ext(named))
			if !ok {
				return draft{}, false
			}
			if !strings.Contains(named, "/") {
				other = path.Base(other)
			}
			out, at := replaceAll(msg, named, other)
			return draft{out, at, len(other), "replaced", fmt.Sprintf("the diff does not touch %s; the commit said %s", other, named)}, true
		}
	}
	sub := subject(msg)
	if fileShaped().MatchString(msg) || strings.Contains(sub, " in ") || len(sub) > 80 || bumpSubject().MatchString(sub) {
		return draft{}, false
	}
	other, ok := s.untouchedFile(mainExt(s.Files))
	if !ok {
		return draft{}, false
	}
	if s.rng.IntN(2) == 0 {
		other = path.Base(other)
	}
	out, at := withSubjectTail(msg, " in "+other)
	return draft{out, at + len(" in "), len(other), "added", "the diff does not touch " + other}, true
}

var bumpSubject = lazily(`(?i)\b(bump|release|prepare|changelog|update dependenc\w+|lint|typos?|format\w*|rename\w*)\b`)

// untouchedFile draws a file of the tree, with this ending where there is one,
// whose name is neither in the diff nor in the message.
func (s *Scene) untouchedFile(ext string) (string, bool) {
	fits := func(p string) bool {
		base := path.Base(p)
		return strings.Contains(base, ".") && !strings.HasPrefix(base, ".") && len(base) > 4 && len(p) < 80 && !strings.ContainsAny(p, " \t\n") &&
			!s.touchesBase(base) && !s.says(base)
	}
	var same []string
	for _, p := range s.paths() {
		if path.Ext(p) == ext && fits(p) {
			same = append(same, p)
		}
	}
	if len(same) == 0 {
		for _, p := range s.paths() {
			if kindOf(p) != kindOther && fits(p) {
				same = append(same, p)
			}
		}
	}
	if len(same) == 0 {
		return "", false
	}
	return pick(s.rng, same), true
}

// mainExt is the ending of most files of the diff.
func mainExt(files []fileDiff) string {
	count := map[string]int{}
	var exts []string
	for _, f := range files {
		e := path.Ext(f.path)
		if count[e]++; count[e] == 1 {
			exts = append(exts, e)
		}
	}
	slices.SortFunc(exts, func(a, b string) int {
		if count[a] != count[b] {
			return count[b] - count[a]
		}
		return strings.Compare(a, b)
	})
	return exts[0]
}

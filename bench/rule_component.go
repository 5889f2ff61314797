package bench

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
)

// mutateComponent replaces the scope or the area prefix of the subject by
// another part of the project, or, where there is none, the name of a touched
// folder in the subject by that of another folder.
func mutateComponent(s *Scene) (draft, bool) {
	msg := s.Commit.Message
	sub := subject(msg)
	start := strings.Index(msg, sub)
	if m := prefixed().FindStringSubmatchIndex(sub); m != nil {
		at, end, form := -1, -1, ""
		switch {
		case m[6] >= 0:
			at, end, form = m[6], m[7], "scope"
		case !slices.Contains(types(), strings.ToLower(sub[m[4]:m[5]])):
			at, end, form = m[4], m[5], "prefix"
		}
		if at >= 0 && !strings.ContainsAny(sub[at:end], ",/ ") {
			other, ok := s.otherComponent(sub[at:end])
			if !ok {
				return draft{}, false
			}
			at, end = start+at, start+end
			return draft{msg[:at] + other + msg[end:], at, len(other), form,
				fmt.Sprintf("no path of the diff has %s in it; the commit said %s", other, msg[at:end])}, true
		}
	}
	for _, f := range s.Files {
		for part := range strings.SplitSeq(path.Dir(f.path), "/") {
			if len(part) < 4 || genericPart().MatchString(part) {
				continue
			}
			i := indexWhole(sub, part)
			if i < 0 {
				continue
			}
			other, ok := s.otherFolder(part)
			if !ok {
				return draft{}, false
			}
			at := start + i
			return draft{msg[:at] + other + msg[at+len(part):], at, len(other), "folder",
				fmt.Sprintf("no path of the diff has %s in it; the commit said %s", other, part)}, true
		}
	}
	return draft{}, false
}

var genericPart = lazily(`(?i)^(src|lib|libs|pkg|internal|main|test|tests|docs?|examples?|packages|crates|core|common|utils?|java|org|apache|com|scripts?|assets|__tests__|\..*)$`)

// otherComponent draws a scope or prefix that the history uses, that names a
// part of the tree and that the diff neither touches nor says.
func (s *Scene) otherComponent(than string) (string, bool) {
	var fit []string
	for _, scope := range slices.Sorted(maps.Keys(s.vocab.scopes)) {
		if s.vocab.scopes[scope] < 3 || strings.EqualFold(scope, than) || strings.ContainsAny(scope, "., ") || s.touchesPart(scope) || s.says(scope) || len(scope) < 2 {
			continue
		}
		if slices.ContainsFunc(s.paths(), func(p string) bool { return hasPart(p, scope) }) {
			fit = append(fit, scope)
		}
	}
	if len(fit) == 0 {
		return "", false
	}
	return pick(s.rng, fit), true
}

// otherFolder draws a folder of the tree that the diff neither touches nor says.
func (s *Scene) otherFolder(than string) (string, bool) {
	names := map[string]bool{}
	for _, p := range s.paths() {
		if kindOf(p) != kindSource {
			continue
		}
		for part := range strings.SplitSeq(path.Dir(p), "/") {
			if len(part) >= 4 && !genericPart().MatchString(part) && !strings.EqualFold(part, than) {
				names[part] = true
			}
		}
	}
	var fit []string
	for _, n := range slices.Sorted(maps.Keys(names)) {
		if !s.touchesPart(n) && !s.says(n) {
			fit = append(fit, n)
		}
	}
	if len(fit) == 0 {
		return "", false
	}
	return pick(s.rng, fit), true
}

package bench

import (
	"fmt"
	"path"
	"strings"
)

// controls add a true statement in the form of a rule. They show whether the
// checker flags the form or the falsehood.
var controls = []struct {
	rule Rule
	make func(*Scene) (draft, bool)
}{
	{Scope, controlScope},
	{File, controlFile},
	{Component, controlComponent},
	{Extra, controlExtra},
	{Function, controlFunction},
}

// controlScope says truly what all the change touches.
func controlScope(s *Scene) (draft, bool) {
	kinds := map[string]bool{"docs": true, "tests": true}
	dir := path.Dir(s.Files[0].path)
	for _, f := range s.Files {
		k := kindOf(f.path)
		kinds["docs"] = kinds["docs"] && k == kindDoc
		kinds["tests"] = kinds["tests"] && k == kindTest
		for _, p := range []string{f.path, f.old} {
			for dir != "." && !strings.HasPrefix(p, dir+"/") {
				dir = path.Dir(dir)
			}
		}
	}
	kind, why := "path", "every path of the diff is below "+dir
	switch {
	case kinds["docs"]:
		kind, why = "docs", "every path of the diff is documentation"
	case kinds["tests"]:
		kind, why = "tests", "every path of the diff is a test"
	case dir == "." || strings.ContainsAny(dir, " \n"):
		return draft{}, false
	}
	text := pick(s.rng, scopeTemplates[kind])
	if kind == "docs" && strings.Contains(text, "code") && s.lines.added+s.lines.removed == 0 {
		return draft{}, false
	}
	if kind == "path" {
		text = fmt.Sprintf(text, dir)
	}
	out, at := withParagraph(s.Commit.Message, text)
	return draft{out, at, len(text), kind, why}, true
}

// controlFile names a file that the diff modifies.
func controlFile(s *Scene) (draft, bool) {
	f := pick(s.rng, s.Files)
	sub := subject(s.Commit.Message)
	name := f.path
	if s.rng.IntN(2) == 0 {
		name = path.Base(name)
	}
	if f.status != 'M' || !strings.Contains(path.Base(name), ".") || strings.ContainsAny(name, " \n") || strings.Contains(sub, " in ") || indexWhole(sub, path.Base(name)) >= 0 || len(sub) > 80 || bumpSubject().MatchString(sub) {
		return draft{}, false
	}
	out, at := withSubjectTail(s.Commit.Message, " in "+name)
	return draft{out, at + len(" in "), len(name), "added", "the diff modifies " + f.path}, true
}

// controlComponent puts the folder that holds every path of the diff in front.
func controlComponent(s *Scene) (draft, bool) {
	sub := subject(s.Commit.Message)
	if prefixed().MatchString(sub) || strings.Contains(sub, ": ") {
		return draft{}, false
	}
	common := strings.Split(path.Dir(s.Files[0].path), "/")
	for _, f := range s.Files {
		parts := strings.Split(path.Dir(f.path), "/")
		n := 0
		for n < len(common) && n < len(parts) && common[n] == parts[n] {
			n++
		}
		common = common[:n]
	}
	if len(common) == 0 {
		return draft{}, false
	}
	name := common[len(common)-1]
	if len(name) < 3 || strings.ContainsAny(name, ". ") {
		return draft{}, false
	}
	at := strings.Index(s.Commit.Message, sub)
	return draft{s.Commit.Message[:at] + name + ": " + s.Commit.Message[at:], at, len(name), "prefix", "every path of the diff is below " + strings.Join(common, "/")}, true
}

// controlExtra adds a bullet about something that is in the change.
func controlExtra(s *Scene) (draft, bool) {
	f := pick(s.rng, s.Files)
	verb := map[byte]string{'A': "Add", 'D': "Remove", 'M': "Update"}[f.status]
	if verb == "" || strings.ContainsAny(f.path, " \n`") {
		return draft{}, false
	}
	text := fmt.Sprintf("%s `%s`", verb, f.path)
	out, at := withBullet(s.Commit.Message, text)
	return draft{out, at, len(text), strings.ToLower(verb) + "-file", "the diff has it with status " + string(f.status)}, true
}

// controlFunction adds a bullet about a definition on an added line.
func controlFunction(s *Scene) (draft, bool) {
	for _, f := range s.Files {
		if kindOf(f.path) != kindSource {
			continue
		}
		gone := strings.Join(f.removed, "\n")
		for _, l := range f.added {
			m := definition().FindStringSubmatch(strings.TrimRight(l, "\n"))
			if m == nil {
				continue
			}
			name := strings.Join(m[1:], "")
			if !looksLikeCode(name) || indexWhole(gone, name) >= 0 || s.Commit.says(name) {
				continue
			}
			text := fmt.Sprintf("Add `%s`", name)
			out, at := withBullet(s.Commit.Message, text)
			return draft{out, at, len(text), "added", "a line added to " + f.path + " defines it"}, true
		}
	}
	return draft{}, false
}

func (c *Commit) says(text string) bool {
	return strings.Contains(strings.ToLower(c.Message), strings.ToLower(text))
}

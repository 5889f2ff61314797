package bench

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"
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
	{Operation, controlOperation},
	{Purpose, controlPurpose},
	{Quantity, controlQuantity},
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

// controlExtra adds a claim about something that is in the change, in the words
// of mutateExtra.
func controlExtra(s *Scene) (draft, bool) {
	makers := []func(*Scene) (phantom, bool){truthFile, truthFile, truthFunction}
	if s.addsTests() {
		makers = append(makers, truthTests)
	}
	c, ok := pick(s.rng, makers)(s)
	if !ok {
		return draft{}, false
	}
	out, at := s.withClaim(c.text)
	return draft{out, at, len(c.text), c.form, c.why}, true
}

func truthFile(s *Scene) (phantom, bool) {
	f := pick(s.rng, s.Files)
	verb := map[byte]string{'A': "Add", 'D': "Remove", 'M': "Update"}[f.status]
	if verb == "" || strings.ContainsAny(f.path, " \n`") {
		return phantom{}, false
	}
	return phantom{strings.ToLower(verb) + "-file", fmt.Sprintf(pick(s.rng, []string{"%s `%s`", "%s %s"}), verb, f.path), "the diff has it with status " + string(f.status)}, true
}

func truthFunction(s *Scene) (phantom, bool) {
	name, where, ok := s.addedDefinition()
	if !ok {
		return phantom{}, false
	}
	return phantom{"function", fmt.Sprintf(pick(s.rng, []string{"Introduce a `%s` helper", "Implements `%s`", "Add `%s`"}), name), "a line added to " + where + " defines it"}, true
}

func truthTests(s *Scene) (phantom, bool) {
	return phantom{"tests", pick(s.rng, []string{"Add unit tests", "Added regression tests", "Covered by new tests"}), "a test file gains the opening of a test"}, true
}

var testOpening = lazily(`(?i)^\s*(func Test\w+\(|def test_|(it|test|describe)\(|@Test\b|#\[test\])`)

// addsTests says that a test file gains a test, beyond doubt.
func (s *Scene) addsTests() bool {
	return slices.ContainsFunc(s.Files, func(f fileDiff) bool {
		return kindOf(f.path) == kindTest && len(f.removed) == 0 && slices.ContainsFunc(f.added, testOpening().MatchString)
	})
}

// synonyms are verbs that say the same of the lines.
var synonyms = map[string]string{"add": "introduce", "introduce": "add", "create": "add", "implement": "add", "remove": "delete", "delete": "remove", "drop": "remove",
	"increase": "raise", "raise": "increase", "decrease": "reduce", "reduce": "decrease", "lower": "reduce", "enable": "activate", "disable": "deactivate"}

// controlOperation puts a verb of the same meaning in the place of the leading
// one, where the lines bear it out as mutateOperation asks them to.
func controlOperation(s *Scene) (draft, bool) {
	d, ok := mutateOperation(s)
	if !ok {
		return draft{}, false
	}
	from, _, _ := strings.Cut(d.form, "-")
	word := s.Commit.Message[d.at:]
	word = word[:strings.IndexAny(word+" ", " \n\t")]
	for i, form := range inflect(from) {
		if !strings.EqualFold(word, form) {
			continue
		}
		now := inflect(synonyms[from])[i]
		if unicode.IsUpper(rune(word[0])) {
			now = strings.ToUpper(now[:1]) + now[1:]
		}
		return draft{s.Commit.Message[:d.at] + now + s.Commit.Message[d.at+len(word):], d.at, len(now), from + "-" + synonyms[from],
			fmt.Sprintf("the commit said %q; %d lines added, %d removed", word, s.lines.added, s.lines.removed)}, true
	}
	return draft{}, false
}

// controlPurpose is the commit's own subject with nothing behind it, as the
// borrowed subjects stand.
func controlPurpose(s *Scene) (draft, bool) {
	sub := subject(s.Commit.Message)
	if len(strings.Fields(sub)) < 4 || len(sub) > 100 || bumpSubject().MatchString(sub) {
		return draft{}, false
	}
	return draft{sub + "\n", 0, len(sub), "subject", "it is the commit's own subject"}, true
}

// controlQuantity tells of a line of which one number changes and nothing else.
func controlQuantity(s *Scene) (draft, bool) {
	for _, f := range s.Files {
		if kindOf(f.path) == kindDoc || len(f.added) != len(f.removed) || len(f.added) > 40 {
			continue
		}
		for i := range f.added {
			old, now, ok := oneNumber(f.removed[i], f.added[i])
			if !ok || s.Commit.says(now) {
				continue
			}
			text := fmt.Sprintf(pick(s.rng, []string{"Change %s to %s in `" + f.path + "`", "Go from %s to %s", "Now %[2]s instead of %[1]s"}), old, now)
			out, at := s.withClaim(text)
			return draft{out, at, len(text), "changed", fmt.Sprintf("a line of %s has %s before and %s after", f.path, old, now)}, true
		}
	}
	return draft{}, false
}

var anyNumber = lazily(`\d+(?:\.\d+)*`)

// oneNumber says that two lines are alike but for one number.
func oneNumber(old, now string) (from, to string, ok bool) {
	a, b := anyNumber().FindAllString(old, -1), anyNumber().FindAllString(now, -1)
	if len(a) != len(b) || anyNumber().ReplaceAllString(old, "0") != anyNumber().ReplaceAllString(now, "0") {
		return "", "", false
	}
	for i := range a {
		if a[i] == b[i] {
			continue
		}
		if ok {
			return "", "", false
		}
		from, to, ok = a[i], b[i], true
	}
	return from, to, ok && from != "0" && from != "1" && to != "0" && to != "1" && len(from) < 12 && len(to) < 12
}

// controlFunction adds a bullet about a definition on an added line.
func controlFunction(s *Scene) (draft, bool) {
	name, where, ok := s.addedDefinition()
	if !ok {
		return draft{}, false
	}
	text := fmt.Sprintf("Add `%s`", name)
	out, at := withBullet(s.Commit.Message, text)
	return draft{out, at, len(text), "added", "a line added to " + where + " defines it"}, true
}

// addedDefinition is a name that an added line of code defines, that no removed
// line has and the message does not say.
func (s *Scene) addedDefinition() (name, where string, ok bool) {
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
			if looksLikeCode(name) && indexWhole(gone, name) < 0 && !s.Commit.says(name) {
				return name, f.path, true
			}
		}
	}
	return "", "", false
}

func (c *Commit) says(text string) bool {
	return strings.Contains(strings.ToLower(c.Message), strings.ToLower(text))
}

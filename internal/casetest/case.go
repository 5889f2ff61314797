package casetest

import (
	"bytes"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/saysolint/sayso/checks"
)

// Case is one commit with its message and what must be said of it.
type Case struct {
	Name          string            // the file's name without its ending
	Comment       string            // what it shows and why the answer is right
	Message       string            // with {{before}} and {{base}} still in it
	Before, After map[string][]byte // the whole trees
	Base          map[string][]byte // nil when the case has none
	BeforeMessage string            // "" when the case gives none
	History       []Earlier         // oldest first
	Config        []byte            // .sayso.yaml, nil when the case has none
	Rules         []Rule
}

// Earlier is one commit of the history of a case.
type Earlier struct {
	Subject string
	Paths   []string // each gets one more line
}

// maxRepeats is how many commits one line of a history may stand for.
const maxRepeats = 1000

// RuleKind is what a rule demands.
type RuleKind string

// The kinds of rules, spelt as they stand in a case.
const (
	RuleContradicted    RuleKind = "contradicted"
	RuleNotContradicted RuleKind = "not contradicted"
	RuleCorroborated    RuleKind = "corroborated"
	RuleNotCorroborated RuleKind = "not corroborated"
	RuleUnverifiable    RuleKind = "unverifiable"
	RuleNotClaim        RuleKind = "not a claim"
)

// Rule is one line of the expect section.
type Rule struct {
	Kind     RuleKind
	Checks   []string // ids of checks of which one must contradict; only for RuleContradicted
	Fragment string   // the text it is about; "" for the whole message (only RuleNotContradicted)
}

// String is the rule as it stands in the case.
func (r Rule) String() string {
	s := string(r.Kind)
	if len(r.Checks) > 0 {
		s += " " + strings.Join(r.Checks, ",")
	}
	if r.Fragment != "" {
		s += " | " + r.Fragment
	}
	return s
}

// checkIDs are the checks that a rule, and the configuration of a case, may name.
var checkIDs = sync.OnceValue(func() []string {
	var ids []string
	for _, d := range checks.Docs() {
		ids = append(ids, d.ID)
	}
	return ids
})

// Load reads the cases of fsys that match glob, sorted by name.
func Load(fsys fs.FS, glob string) ([]Case, error) {
	names, err := fs.Glob(fsys, glob)
	if err != nil {
		return nil, fmt.Errorf("cases: pattern %q: %w", glob, err)
	}
	cases := make([]Case, 0, len(names))
	for _, name := range names {
		data, err := fs.ReadFile(fsys, name)
		if err != nil {
			return nil, fmt.Errorf("cases: %w", err)
		}
		c, err := Parse(strings.TrimSuffix(path.Base(name), ".txtar"), data)
		if err != nil {
			return nil, err
		}
		cases = append(cases, c)
	}
	return cases, nil
}

// Parse reads one case. Unknown sections and rules, rules about text that the
// message does not hold and paths that leave the tree are errors.
func Parse(name string, data []byte) (Case, error) {
	c := Case{Name: name, Before: map[string][]byte{}, After: map[string][]byte{}}
	fail := func(format string, args ...any) (Case, error) {
		return Case{}, fmt.Errorf("case %s: %s", name, fmt.Sprintf(format, args...))
	}
	archive := txtar.Parse(data)
	c.Comment = strings.TrimSpace(string(archive.Comment))
	var message, expect *string
	seen := map[string]bool{}
	for _, f := range archive.Files {
		if seen[f.Name] {
			return fail("section %q stands twice", f.Name)
		}
		seen[f.Name] = true
		section, file, isTree := strings.Cut(f.Name, "/")
		if isTree && !fs.ValidPath(file) {
			return fail("section %q does not name a file of a tree", f.Name)
		}
		text := string(f.Data)
		switch {
		case isTree && section == "before":
			c.Before[file] = f.Data
		case isTree && section == "after":
			c.After[file] = f.Data
		case isTree && section == "base":
			if c.Base == nil {
				c.Base = map[string][]byte{}
			}
			c.Base[file] = f.Data
		case f.Name == "message":
			message = &text
		case f.Name == "expect":
			expect = &text
		case f.Name == "before-message":
			c.BeforeMessage = text
		case f.Name == "config":
			c.Config = append([]byte{}, f.Data...)
		case f.Name == "history":
			for line := range strings.Lines(text) {
				if line = strings.TrimRight(line, "\r\n"); line == "" {
					continue
				}
				subject, paths, ok := strings.Cut(line, "\t")
				if !ok {
					return fail("history line %q has no tab between subject and paths", line)
				}
				paths, count, repeats := strings.Cut(paths, "\t")
				times := 1
				if repeats {
					var err error
					if times, err = strconv.Atoi(count); err != nil || times < 1 || times > maxRepeats {
						return fail("history line %q: the number of commits must be from 1 to %d", line, maxRepeats)
					}
				}
				e := Earlier{Subject: subject, Paths: strings.Split(paths, ",")}
				if slices.ContainsFunc(e.Paths, func(p string) bool { return !fs.ValidPath(p) || p == "." }) {
					return fail("history line %q names no file", line)
				}
				for range times {
					c.History = append(c.History, e)
				}
			}
		default:
			return fail("unknown section %q", f.Name)
		}
	}
	if message == nil || expect == nil {
		return fail("needs a message and an expect section")
	}
	c.Message = *message
	folded := fold(c.rendered())
	for line := range strings.Lines(*expect) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		rule, err := parseRule(line)
		if err != nil {
			return fail("%v", err)
		}
		if rule.Fragment != "" && len(folded.find(renderFragment(rule.Fragment))) == 0 {
			return fail("rule %q: the message does not hold this text", line)
		}
		c.Rules = append(c.Rules, rule)
	}
	if len(c.Rules) == 0 {
		return fail("the expect section has no rule")
	}
	return c, nil
}

func parseRule(line string) (Rule, error) {
	head, fragment, has := strings.Cut(line, "|")
	head, fragment = strings.TrimSpace(head), strings.TrimSpace(fragment)
	if has && fragment == "" {
		return Rule{}, fmt.Errorf("rule %q: no text behind the bar", line)
	}
	r := Rule{Kind: RuleKind(head), Fragment: fragment}
	switch r.Kind {
	case RuleNotContradicted:
		return r, nil
	case RuleCorroborated, RuleNotCorroborated, RuleUnverifiable, RuleNotClaim:
		if fragment == "" {
			return Rule{}, fmt.Errorf("rule %q needs a text behind a bar", line)
		}
		return r, nil
	}
	ids, ok := strings.CutPrefix(head, string(RuleContradicted)+" ")
	if !ok {
		return Rule{}, fmt.Errorf("unknown rule %q", line)
	}
	if fragment == "" {
		return Rule{}, fmt.Errorf("rule %q needs a text behind a bar", line)
	}
	r.Kind = RuleContradicted
	for c := range strings.SplitSeq(ids, ",") {
		c = strings.TrimSpace(c)
		if !slices.Contains(checkIDs(), c) {
			return Rule{}, fmt.Errorf("rule %q: unknown check %q", line, c)
		}
		r.Checks = append(r.Checks, c)
	}
	return r, nil
}

// executable says whether a file of a case is one to run.
func executable(data []byte) bool { return bytes.HasPrefix(data, []byte("#!")) }

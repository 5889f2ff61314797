package assert

import (
	"regexp"
	"strings"
	"sync"
)

// Sentence is one sentence of prose that was read as rules. One of them is enough
// to break it: they are the ways in which its words can be meant.
type Sentence struct {
	Text        string // as it stands, white space folded
	Form        string // id of the form that it was read by
	Rules       []Rule
	Contradicts bool // the form is measured to be right often enough to accuse
}

// Read reads the sentences of a text whose wording is plain. globs are where its rules
// hold. What it does not understand it leaves out. No form was measured yet on labelled
// statements, so that none accuses: what it reads only recalls the entry.
func Read(text string, globs []string) []Sentence {
	var out []Sentence
	text = strings.Join(strings.Fields(text), " ")
	if m := banForm().FindStringSubmatch(text); m != nil {
		out = append(out, Sentence{Text: text, Form: "ban", Rules: namedRules(m[1], globs)})
	}
	return out
}

var banForm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("(?i)^(?:never|do not|don't) (?:add|import|call|use) `([^` ]+)`[.!]?$")
})

// namedRules are the ways in which a quoted name can be meant.
func namedRules(name string, globs []string) []Rule {
	var out []Rule
	for _, r := range []Rule{
		{Subject: Dependency, Name: name},
		{Subject: Import, Name: name, In: globs},
		{Subject: Identifier, Name: strings.TrimSuffix(name, "()"), In: globs},
	} {
		if ready, err := New(r); err == nil {
			out = append(out, ready)
		}
	}
	return out
}

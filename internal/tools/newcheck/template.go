package main

import "strings"

// names are the forms of a check's name in its file.
type names struct {
	ID     string // two-words
	Lower  string // twoWords
	Upper  string // TwoWords
	Folder string // testdata/two-words
}

func namesOf(id string) names {
	n := names{ID: id, Folder: "testdata/" + id}
	for part := range strings.SplitSeq(id, "-") {
		n.Upper += strings.ToUpper(part[:1]) + part[1:]
	}
	n.Lower = strings.ToLower(n.Upper[:1]) + n.Upper[1:]
	return n
}

// fill puts the names into a template.
func (n names) fill(template string) []byte {
	return []byte(strings.NewReplacer("{{.ID}}", n.ID, "{{.Lower}}", n.Lower, "{{.Upper}}", n.Upper).Replace(template))
}

const codeTemplate = `package checks

import "github.com/saysolint/sayso/claim"

var {{.Lower}}Check = Check{
	Doc: Doc{
		ID: "{{.ID}}", Title: "What {{.ID}} holds a claim against, in one line", Default: "advisory", Since: "next",
		Needs:    "the diff",
		Text:     "What the check looks at, what it must leave alone, and what makes a claim of its kind contradicted or corroborated.",
		Fires:    "A statement that is contradicted (and what the change did)",
		Quiet:    "A statement that looks alike and is honest",
		Advisory: "not measured on any history yet",
	},
	kind:  claim.Kind("{{.ID}}"),
	judge: judge{{.Upper}},
}

// judge{{.Upper}} gets one claim of the kind and answers with what the change says of it:
//
//   - contradicted: outcome{suspicion: s, reason: ..., fix: ..., evidence: ...}, with s from weights.go;
//   - borne out: corroborated(confidence, reason, evidence...);
//   - nothing either way: neutral(reason);
//   - something it needs was not read: x.incomplete(), or unverifiable(reason);
//   - not a claim after all: dropped.
func judge{{.Upper}}(x *judging, c *claim.Claim) outcome {
	if !x.f.Complete {
		return x.incomplete()
	}
	return neutral("%s is not judged yet", quote(c.Text))
}
`

const firesTemplate = `What this case shows, and why a maintainer would say that the message is false.
-- message --
Say something that the change does not do
-- before/a.txt --
one
-- after/a.txt --
two
-- expect --
contradicted {{.ID}} | Say something that the change does not do
`

const quietTemplate = `What this case shows, and why the message is honest although it looks alike.
-- message --
Say what the change does
-- before/a.txt --
one
-- after/a.txt --
two
-- expect --
not contradicted
`

package assert

import (
	"regexp"
	"strings"

	"github.com/saysolint/sayso/internal/config"
	"github.com/saysolint/sayso/internal/lang"
)

// Subject is what a rule speaks of.
type Subject string

// The subjects.
const (
	Dependency Subject = "dependency" // a package that a manifest declares
	Import     Subject = "import"     // a module that a source file imports
	Path       Subject = "path"       // files by their place in the tree
	Identifier Subject = "identifier" // a name in code
	Text       Subject = "text"       // a line that matches a regular expression
)

// Subjects are all subjects, in the order of the documentation.
var Subjects = []Subject{Dependency, Import, Path, Identifier, Text}

// Rule is one thing that is forbidden or required.
type Rule struct {
	Require bool    // else forbidden
	Subject Subject // what Name names
	Name    string  // package, module glob, path glob, identifier or RE2 expression

	Version string   // dependency: the range that the rule speaks of, "" for every version
	As      string   // identifier: used or defined
	Lines   string   // text: any, code or comment
	Change  []string // path: of add, edit and delete, what is forbidden; empty: all of them

	In      []string // path globs (config.Match's grammar) of the files that the rule holds in; empty: all of the project's own
	Except  []string // path globs of files that it does not hold in
	Message string   // what to do instead, for people; "" for nothing
	Line    int      // where it stands in the text that it was read from, from 1

	re      *regexp.Regexp
	version constraint
	first   string // of an identifier: the qualifier with its separator, "" for none
	last    string // of an identifier: its last part
	spelled *regexp.Regexp
}

// String is the rule in one line, as people would say it.
func (r *Rule) String() string {
	var b strings.Builder
	b.WriteString("forbid ")
	if r.Require {
		b.Reset()
		b.WriteString("require ")
	}
	b.WriteString(string(r.Subject) + " " + r.Name)
	if r.Version != "" {
		b.WriteString(" " + r.Version)
	}
	if r.As == "defined" {
		b.WriteString(" defined")
	}
	if r.Lines != "" && r.Lines != "any" {
		b.WriteString(" on lines of " + r.Lines)
	}
	if len(r.Change) > 0 && len(r.Change) < 3 {
		b.WriteString(" (" + strings.Join(r.Change, ", ") + ")")
	}
	if len(r.In) > 0 {
		b.WriteString(" in " + strings.Join(r.In, ", "))
	}
	if len(r.Except) > 0 {
		b.WriteString(" except " + strings.Join(r.Except, ", "))
	}
	return b.String()
}

// Scoped is the rule with other globs where it has none of its own. Rules about
// dependencies and paths are left: their subject says where they hold.
func (r Rule) Scoped(globs []string) Rule {
	if len(r.In) == 0 && r.Subject != Dependency && r.Subject != Path {
		r.In = globs
	}
	return r
}

// Covers says whether the rule holds in a file. Without globs of its own that is every
// file of the project: not those of others or of a generator, for dependencies
// not the manifests of test data, and for text not documents.
func (r *Rule) Covers(path string, kind lang.Kind) bool {
	if path == "" || matchAny(r.Except, path) {
		return false
	}
	if len(r.In) > 0 {
		return matchAny(r.In, path)
	}
	switch {
	case r.Subject == Path:
		return true
	case kind == lang.Vendored || kind == lang.Generated:
		return false
	case r.Subject == Dependency:
		return kind != lang.Test && !testData(path)
	case r.Subject == Text:
		return kind != lang.Doc
	}
	return true
}

func matchAny(globs []string, path string) bool {
	for _, g := range globs {
		if config.Match(g, path) {
			return true
		}
	}
	return false
}

// testData says that a file lies in a folder of things that tests are fed with.
func testData(path string) bool {
	for part := range strings.SplitSeq(strings.ToLower(path), "/") {
		switch part {
		case "testdata", "fixtures", "fixture", "__fixtures__", "test-fixtures", "test_data":
			return true
		}
	}
	return false
}

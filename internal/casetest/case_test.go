package casetest

import (
	"os"
	"strings"
	"testing"
	"testing/fstest"
)

const small = `What it shows.
-- message --
Add b
-- before/a --
-- after/b --
x
-- expect --
`

func TestParseReadsEverySection(t *testing.T) {
	c, err := Parse("all", []byte("Why.\n-- message --\nAdd  b\r\n\nafter {{before}}\n-- before-message --\nEarlier\n-- base/a --\n1\n-- before/a --\n2\n-- after/bin/b --\n#!/bin/sh\n"+
		"-- history --\nfix(x): y\ta,b\nthing\tc\n-- config --\nchecks: {}\n-- expect --\ncontradicted path,action | add b\nnot contradicted\nunverifiable | {{before}}\n"))
	if err != nil {
		t.Fatal(err)
	}
	if c.Comment != "Why." || c.Message != "Add  b\r\n\nafter {{before}}\n" || c.BeforeMessage != "Earlier\n" || string(c.Config) != "checks: {}\n" {
		t.Errorf("texts are wrong: %+v", c)
	}
	if string(c.Base["a"]) != "1\n" || string(c.Before["a"]) != "2\n" || !executable(c.After["bin/b"]) {
		t.Errorf("trees are wrong: %v %v %v", c.Base, c.Before, c.After)
	}
	if len(c.History) != 2 || c.History[0].Subject != "fix(x): y" || strings.Join(c.History[0].Paths, " ") != "a b" {
		t.Errorf("history is wrong: %+v", c.History)
	}
	var rules []string
	for _, r := range c.Rules {
		rules = append(rules, r.String())
	}
	if got := strings.Join(rules, "; "); got != "contradicted path,action | add b; not contradicted; unverifiable | {{before}}" {
		t.Errorf("rules are wrong: %s", got)
	}
}

func TestParseRefusesWhatItDoesNotKnow(t *testing.T) {
	for name, tc := range map[string]struct{ data, want string }{
		"no message":                  {"-- expect --\nnot contradicted\n", "needs a message"},
		"no rule":                     {small, "no rule"},
		"unknown rule":                {small + "wrong | Add\n", "unknown rule"},
		"unknown check":               {small + "contradicted colour | Add\n", `unknown check "colour"`},
		"contradicted without text":   {small + "contradicted path\n", "needs a text"},
		"corroborated without text":   {small + "corroborated\n", "needs a text"},
		"empty text":                  {small + "not contradicted |\n", "no text behind the bar"},
		"text that is not there":      {small + "corroborated | Remove b\n", "does not hold this text"},
		"unknown section":             {"-- mesage --\nx\n" + small + "not contradicted\n", `unknown section "mesage"`},
		"section twice":               {small + "not contradicted\n-- message --\nx\n", "stands twice"},
		"path that leaves the tree":   {"-- after/../x --\n" + small + "not contradicted\n", "does not name a file"},
		"history line without a tab":  {"-- history --\nsubject\n" + small + "not contradicted\n", "no tab"},
		"history line of no commit":   {"-- history --\nsubject\ta\t0\n" + small + "not contradicted\n", "from 1 to"},
		"history line of words":       {"-- history --\nsubject\ta\tmany\n" + small + "not contradicted\n", "from 1 to"},
		"history line of a million":   {"-- history --\nsubject\ta\t1000000\n" + small + "not contradicted\n", "from 1 to"},
		"history line without a file": {"-- history --\nsubject\t\n" + small + "not contradicted\n", "names no file"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := Parse("c", []byte(tc.data)); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want an error with %q", err, tc.want)
			}
		})
	}
}

func TestLoadSortsByNameAndNamesTheBrokenCase(t *testing.T) {
	good := &fstest.MapFile{Data: []byte(small + "not contradicted\n")}
	cases, err := Load(fstest.MapFS{"d/b.txtar": good, "d/a.txtar": good, "d/README.md": {}}, "d/*.txtar")
	if err != nil || len(cases) != 2 || cases[0].Name != "a" || cases[1].Name != "b" {
		t.Fatalf("got %v, %v", cases, err)
	}
	if _, err := Load(fstest.MapFS{"bad.txtar": {Data: []byte("x")}}, "*.txtar"); err == nil || !strings.Contains(err.Error(), "case bad:") {
		t.Errorf("got %v", err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(small + "not contradicted | Add\n"))
	cases, err := os.ReadDir("testdata/cases")
	if err != nil {
		f.Fatal(err)
	}
	for _, e := range cases[:5] {
		data, err := os.ReadFile("testdata/cases/" + e.Name())
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := Parse("fuzz", data)
		if err == nil && len(c.Rules) == 0 {
			t.Error("a case without rules was accepted")
		}
	})
}

func TestAHistoryLineCanStandForManyCommits(t *testing.T) {
	c, err := Parse("x", []byte("-- message --\na\n-- history --\none\ta,b\t3\ntwo\tc\n-- expect --\nnot contradicted\n"))
	if err != nil {
		t.Fatal(err)
	}
	if len(c.History) != 4 || c.History[2].Subject != "one" || len(c.History[2].Paths) != 2 || c.History[3].Subject != "two" {
		t.Errorf("read %+v", c.History)
	}
}

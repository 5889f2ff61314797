package casetest

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

func gitOut(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := gitCommand(t.Context(), dir, args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("git %s: %v: %s", strings.Join(args, " "), err, stderr.String())
	}
	return string(out)
}

func TestBuildMakesTheCommitsInOrder(t *testing.T) {
	c, err := Parse("built", []byte("-- message --\nRevert\r\n\nThis reverts {{before}} and {{base}}.\n-- before-message --\nMiddle\n-- history --\none\ta.txt,d/b.txt\ntwo\ta.txt\n"+
		"-- base/run --\n#!/bin/sh\n-- before/x y --\nx\n-- before/gone --\n1\n-- after/x z --\nx\n-- config --\nchecks: {}\n-- expect --\nnot contradicted\n"))
	if err != nil {
		t.Fatal(err)
	}
	r := c.Repository(t, t.TempDir())
	log := strings.Fields(gitOut(t, r.Dir, "log", "--reverse", "--format=%H"))
	if len(log) != 5 || log[4] != r.Head || log[3] != r.Parent {
		t.Fatalf("log is %v, want five commits that end with %s %s", log, r.Parent, r.Head)
	}
	if got, want := gitOut(t, r.Dir, "cat-file", "commit", r.Head), "Revert\r\n\nThis reverts "+log[3]+" and "+log[2]+".\n"; !strings.HasSuffix(got, "\n\n"+want) {
		t.Errorf("message is %q, want %q", got, want)
	}
	if got := gitOut(t, r.Dir, "log", "--format=%s", "-3", "--skip=1"); got != "Middle\nBase\ntwo\n" {
		t.Errorf("subjects are %q", got)
	}
	for i, want := range []string{
		"100644 .sayso.yaml|100644 a.txt|100644 d/b.txt",
		"100644 .sayso.yaml|100644 a.txt|100644 d/b.txt",
		"100644 .sayso.yaml|100755 run",
		"100644 .sayso.yaml|100644 gone|100644 x y",
		"100644 .sayso.yaml|100644 x z",
	} {
		got := strings.TrimSpace(gitOut(t, r.Dir, "ls-tree", "-r", "--format=%(objectmode) %(path)", log[i]))
		if got = strings.ReplaceAll(got, "\n", "|"); got != want {
			t.Errorf("tree %d is %s, want %s", i, got, want)
		}
	}
	if got := gitOut(t, r.Dir, "show", log[1]+":a.txt"); got != "line 1\nline 2\n" {
		t.Errorf("the second commit of the history left %q", got)
	}
}

func TestBuildIsTheSameEveryTime(t *testing.T) {
	data, err := os.ReadFile("testdata/cases/exact-revert.txtar")
	if err != nil {
		t.Fatal(err)
	}
	c, err := Parse("exact-revert", data)
	if err != nil {
		t.Fatal(err)
	}
	a, b := c.Repository(t, t.TempDir()), c.Repository(t, t.TempDir())
	if a.Head != b.Head || a.Parent != b.Parent {
		t.Errorf("two builds differ: %v %v", a, b)
	}
	if strings.Contains(gitOut(t, a.Dir, "log", "-1", "--format=%B"), "{{") {
		t.Error("a placeholder is left in the message")
	}
}

func TestKeyChangesWithWhatIsBuilt(t *testing.T) {
	c := Case{Message: "a", Before: map[string][]byte{"x": []byte("1")}, Rules: []Rule{{Kind: RuleNotContradicted}}}
	other := c
	other.Rules, other.Name = nil, "renamed"
	if c.Key() != other.Key() {
		t.Error("rules and name are not built, but change the key")
	}
	for _, change := range []func(*Case){
		func(c *Case) { c.Message = "b" },
		func(c *Case) { c.BeforeMessage = "b" },
		func(c *Case) { c.Before = map[string][]byte{"y": []byte("1")} },
		func(c *Case) { c.After = map[string][]byte{"x": []byte("1")} },
		func(c *Case) { c.History = []Earlier{{Subject: "s", Paths: []string{"p"}}} },
		func(c *Case) { c.Config = []byte{} },
	} {
		other := c
		change(&other)
		if other.Key() == c.Key() {
			t.Errorf("the key is the same for %+v", other)
		}
	}
}

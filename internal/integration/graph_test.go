//go:build integration && !windows

package integration

import (
	"strings"
	"testing"
)

// isolated is a message that only a dependency graph can judge.
const isolated = `Say more of the store

The change is isolated to one package.
`

func TestEntireGraph(t *testing.T) {
	b := wire(t)
	b.stage()
	b.run("git", "commit", "-q", "--no-verify", "-m", isolated)
	check := func(args string) string { return b.run("sh", "-c", "sayso check --verbose "+args) }
	out := check("HEAD")
	if !strings.Contains(out, "dependency graph: entire graph (1)") || strings.Contains(out, "no dependency graph") {
		t.Errorf("the graph was not asked:\n%s", out)
	}
	own := check("--graph built-in HEAD")
	if !strings.Contains(own, "dependency graph: built-in (1)") {
		t.Errorf("the built-in graph was not asked:\n%s", own)
	}
	verdicts := func(s string) (lines []string) {
		for _, l := range strings.Split(s, "\n") {
			if strings.HasSuffix(l, "[scope]") {
				lines = append(lines, l)
			}
		}
		return lines
	}
	if a, o := strings.Join(verdicts(out), "\n"), strings.Join(verdicts(own), "\n"); a == "" || a != o {
		t.Errorf("the graphs disagree:\n%s\n%s", a, o)
	}
	// Of a commit that is not checked out the built-in graph speaks, and the coverage says why.
	b.stage()
	b.run("git", "commit", "-q", "--no-verify", "-m", "Forget again")
	if out := check("HEAD~1"); !strings.Contains(out, "built-in (entire graph speaks of the commit that is checked out alone)") {
		t.Errorf("the coverage does not say which graph answered:\n%s", out)
	}
}

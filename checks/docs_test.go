package checks_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/saysolint/sayso/checks"
	"github.com/saysolint/sayso/internal/casetest"
	"github.com/saysolint/sayso/report"
)

var update = flag.Bool("update", false, "write docs/checks")

// exampleOf are the cases that the pages show; other checks show their first ones.
var exampleOf = map[string]struct{ fires, quiet string }{
	"scope":       {"only-one-folder-but-two", "generated-file-follows"},
	"path":        {"subject-names-an-untouched-file", "background-story"},
	"action":      {"remove-but-added", "removal-at-run-time"},
	"identifier":  {"defined-in-an-untouched-file", "enclosing-function-off-screen"},
	"type":        {"docs-on-a-dozen-statements", "docs-in-a-help-text"},
	"component":   {"scope-of-another-package", "prefix-is-a-topic"},
	"quantity":    {"version-to-is-wrong", "pinned-by-digest"},
	"tests":       {"unit-tests-without-a-test", "a-plan-for-tests"},
	"revert":      {"takes-nothing-back", "revert-of-a-revert"},
	"trailer":     {"no-such-commit", "an-issue-number"},
	"purpose":     {"audit-log-in-the-colour-picker", "says-too-little"},
	"undisclosed": {"a-dependency-nobody-speaks-of", "the-message-speaks-of-the-dependency"},
}

const docsFolder = "../docs/checks"

func TestPagesOfTheChecksAreCurrent(t *testing.T) {
	pages := map[string][]byte{"README.md": indexPage()}
	for _, d := range checks.Docs() {
		pages[d.ID+".md"] = checkPage(t, d)
	}
	if *update {
		if err := os.MkdirAll(docsFolder, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range pages {
		file := filepath.Join(docsFolder, name)
		if *update {
			if err := os.WriteFile(file, want, 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		got, err := os.ReadFile(file)
		if err != nil {
			t.Errorf("%v: go test ./checks -run Pages -update writes it", err)
			continue
		}
		if got = bytes.ReplaceAll(got, []byte("\r\n"), []byte("\n")); !bytes.Equal(got, want) {
			t.Errorf("docs/checks/%s is not current: go test ./checks -run Pages -update writes it, and is to be read before it is committed\n%s", name, firstDifference(string(got), string(want)))
		}
	}
	entries, err := os.ReadDir(docsFolder)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if pages[e.Name()] == nil {
			t.Errorf("docs/checks/%s is the page of no check", e.Name())
		}
	}
}

func firstDifference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			return fmt.Sprintf("line %d is\n  %s\nwant\n  %s", i+1, g[i], w[i])
		}
	}
	return fmt.Sprintf("it has %d lines, want %d", len(g), len(w))
}

func indexPage() []byte {
	var b bytes.Buffer
	b.WriteString(`# Checks

A check is one way of looking for evidence for or against a claim. Its level is set in
[the configuration](../configuration.md): findings of a ` + "`gate`" + ` check can fail a run, those of an
` + "`advisory`" + ` one are shown and never do, and ` + "`off`" + ` leaves its claims alone. ` + "`sayso explain CHECK`" + ` prints
what these pages say.

| check | holds a claim against the change | level | needs |
|---|---|---|---|
`)
	for _, d := range checks.Docs() {
		fmt.Fprintf(&b, "| [%s](%s.md) | %s | %s | %s |\n", d.ID, d.ID, cell(d.Title), d.Default, cell(d.Needs))
	}
	return b.Bytes()
}

func cell(s string) string { return strings.ReplaceAll(oneLine(s), "|", `\|`) }

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

func checkPage(t *testing.T, d checks.Doc) []byte {
	t.Helper()
	var b bytes.Buffer
	fmt.Fprintf(&b, "# %s\n\n%s\n\n| | |\n|---|---|\n| Level | %s |\n| Needs | %s |\n| Since | %s |\n\n%s\n", d.ID, fillText(d.Title), d.Default, cell(d.Needs), d.Since, fillText(d.Text))
	if d.Advisory != "" {
		fmt.Fprintf(&b, "\nIts findings are never strong: %s.\n", oneLine(d.Advisory))
	}
	example := exampleOf[d.ID]
	word := "Contradicted"
	if d.ID == "undisclosed" {
		word = "Observed"
	}
	shown := writeExample(t, &b, word, d.ID, "fires", example.fires)
	switch {
	case shown:
	case d.ID == "ci", d.ID == "issue": // judged by what a host knows: no case of a change shows them
		fmt.Fprintf(&b, "\nContradicted, for example: %s\n", fillText(d.Fires))
	default:
		fmt.Fprintf(&b, "\nNo claim is ever contradicted by this check.\n")
	}
	if !writeExample(t, &b, "Left alone", d.ID, "quiet", example.quiet) {
		quiet := "For example"
		if d.ID == "ci" || d.ID == "issue" {
			quiet = "Left alone, for example"
		}
		fmt.Fprintf(&b, "\n%s: %s\n", quiet, fillText(d.Quiet))
	}
	b.WriteString("\n[All checks](README.md)\n")
	return b.Bytes()
}

// writeExample shows a case: the message, the change and what sayso prints of them.
func writeExample(t *testing.T, b *bytes.Buffer, word, id, kind, name string) bool {
	t.Helper()
	cases := loadCases(t, id, kind)
	if len(cases) == 0 {
		return false
	}
	i := 0
	if name != "" {
		if i = slices.IndexFunc(cases, func(c casetest.Case) bool { return c.Name == name }); i < 0 {
			t.Fatalf("the page of %s shows testdata/%s/%s/%s.txtar, which is not there", id, id, kind, name)
		}
	}
	c := cases[i]
	repo := c.Repository(t, t.TempDir())
	result, err := casetest.Judge(t.Context(), c, repo)
	if err != nil {
		t.Fatal(err)
	}
	result.MS = 0
	fmt.Fprintf(b, "\n## %s\n\n%s\n\n", word, fillText(c.Comment))
	fence(b, "text", git(t, t.Context(), repo.Dir, "log", "-1", "--format=%B", repo.Head))
	b.WriteString("\n")
	fence(b, "diff", git(t, t.Context(), repo.Dir, "diff-tree", "-p", "-M", "--no-color", "--abbrev=7", repo.Parent, repo.Head))
	var out bytes.Buffer
	err = report.Render(&out, report.Format("text"), report.Report{
		Head:    report.Head{Run: report.Run{Tool: report.Tool{Name: "sayso"}}},
		Results: append(report.Report{}.Results, result),
	}, report.Options{Verbose: kind == "quiet"})
	if err != nil {
		t.Fatal(err)
	}
	b.WriteString("\nWhat sayso says:\n\n")
	fence(b, "text", out.String())
	return true
}

func fence(b *bytes.Buffer, info, s string) {
	ticks := "```"
	for strings.Contains(s, ticks) {
		ticks += "`"
	}
	b.WriteString(ticks + info + "\n")
	for line := range strings.SplitSeq(strings.TrimRight(s, "\n"), "\n") {
		b.WriteString(strings.TrimRight(line, " \r") + "\n")
	}
	b.WriteString(ticks + "\n")
}

func git(t *testing.T, ctx context.Context, dir string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull, "LC_ALL=C")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("git %s: %v", strings.Join(args, " "), err)
	}
	return string(out)
}

// fillText breaks a text into lines of at most a hundred columns, keeping
// paragraphs, and takes the meaning of a tag from what stands between angle brackets.
func fillText(s string) string {
	parts := strings.Split(s, "`")
	for i := 0; i < len(parts); i += 2 { // the others are code
		parts[i] = strings.ReplaceAll(parts[i], "<", `\<`)
	}
	s = strings.Join(parts, "`")
	var out []string
	for p := range strings.SplitSeq(strings.TrimSpace(s), "\n\n") {
		line := ""
		for _, w := range strings.Fields(p) {
			if line != "" && len(line)+1+len(w) > 100 {
				out = append(out, line)
				line = ""
			}
			if line != "" {
				line += " "
			}
			line += w
		}
		out = append(out, line, "")
	}
	return strings.TrimRight(strings.Join(out, "\n"), "\n")
}

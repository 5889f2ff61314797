package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/spf13/cobra"
	"pgregory.net/rapid"

	"github.com/saysolint/sayso/checks"
	"github.com/saysolint/sayso/claim"
	"github.com/saysolint/sayso/internal/engine"
)

// fixedNow is the clock of tests.
func fixedNow() time.Time { return time.Date(2024, 5, 6, 7, 8, 9, 0, time.UTC) }

func TestEveryCommandExplainsItself(t *testing.T) {
	root := newRoot(newApp(nil, nil, nil, environment(t, ".")), "")
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		if c.Short == "" {
			t.Errorf("%s says nothing of itself", c.CommandPath())
		}
		if c.Runnable() && !c.HasSubCommands() && c.Example == "" {
			t.Errorf("%s has no example", c.CommandPath())
		}
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	walk(root)
}

func TestNearestSuggestsOnlyWhatIsClose(t *testing.T) {
	names := []string{"last", "base", "staged", "message-file", "format"}
	tests := []struct{ word, want string }{
		{"lst", "last"}, {"lats", "last"}, {"stagd", "staged"}, {"fromat", "format"},
		{"mess", "message-file"}, {"x", ""}, {"", ""}, {"verbose", ""}, {"ab", ""},
	}
	for _, tt := range tests {
		if got := nearest(tt.word, names); got != tt.want {
			t.Errorf("nearest(%q) = %q, want %q", tt.word, got, tt.want)
		}
	}
}

func TestDistanceIsADistance(t *testing.T) {
	word := rapid.StringOfN(rapid.RuneFrom([]rune("abc")), 0, 8, -1)
	rapid.Check(t, func(t *rapid.T) {
		a, b := word.Draw(t, "a"), word.Draw(t, "b")
		d := distance(a, b)
		if d != distance(b, a) {
			t.Errorf("distance is not the same both ways")
		}
		if (d == 0) != (a == b) {
			t.Errorf("distance(%q, %q) = %d", a, b, d)
		}
		if d > max(len(a), len(b)) {
			t.Errorf("distance(%q, %q) = %d, more than writing it anew", a, b, d)
		}
	})
}

func FuzzOneLine(f *testing.F) {
	f.Add("plain")
	f.Add("\x1b]0;title\x07\n::error::x\r\u202e\u009b31m\xff")
	f.Fuzz(func(t *testing.T, s string) {
		got := oneLine(s)
		if !utf8.ValidString(got) {
			t.Fatalf("not UTF-8: %q", got)
		}
		for _, r := range got {
			if r < ' ' || 0x7f <= r && r <= 0x9f || 0x202a <= r && r <= 0x202e || 0x2066 <= r && r <= 0x2069 {
				t.Errorf("%U survives in %q", r, got)
			}
		}
	})
}

// TestHookScriptsRunInAPlainShell runs the scripts under sh -n and with programs whose paths are awkward.
func TestHookScriptsRunInAPlainShell(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Fatal("the hooks are shell scripts: ", err)
	}
	for _, name := range hookNames {
		dir := filepath.Join(t.TempDir(), "it's a $(folder) \"with\" marks")
		program := filepath.Join(dir, "say so")
		script := filepath.Join(dir, name)
		files := map[string]string{"say so": "#!/bin/sh\necho \"$*\" >&2\ncat >&2\nexit 1\n", name: string(hookScript(name, program, "likely"))}
		if err := write(dir, files); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(program, 0o755); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.Command(sh, "-n", script).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v: %s", name, err, out)
		}
		cmd := exec.Command(sh, script, "an argument", "two")
		cmd.Stdin = strings.NewReader("line one\nline two\n")
		cmd.Env = []string{} // a bare one, as clients with a window have it
		out, err := cmd.CombinedOutput()
		if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != 1 {
			t.Errorf("%s: the gate's status is not passed on: %v: %s", name, err, out)
		}
		if want := "hook run " + name + " --fail-on likely an argument two\n"; !strings.Contains(string(out), want) {
			t.Errorf("%s: called with %q", name, out)
		}
		if name == "pre-push" && !strings.Contains(string(out), "line one\nline two\n") {
			t.Errorf("pre-push: standard input is lost: %q", out)
		}
		if !isOurHook(hookScript(name, program, "")) || isOurHook([]byte("#!/bin/sh\necho sayso\n")) {
			t.Error("our hooks are not told from others")
		}
		if got := hookProgram(hookScript(name, program, "")); got != filepath.ToSlash(program) {
			t.Errorf("hookProgram = %q, want %q", got, program)
		}
	}
}

func TestProgressShowsAfterASecondOnATerminalOnly(t *testing.T) {
	var buf bytes.Buffer
	now := fixedNow()
	env := environment(t, ".")
	env.Now = func() time.Time { return now }
	if p := newApp(nil, nil, &buf, env).newProgress("judging"); p != nil {
		t.Fatal("progress without a terminal")
	}
	env.StderrTerminal = true
	p := newApp(nil, nil, &buf, env).newProgress("judging")
	p.set(1, 100)
	if buf.Len() > 0 {
		t.Errorf("too early: %q", buf.String())
	}
	now = now.Add(1500 * time.Millisecond)
	p.set(50, 100)
	p.set(51, 100)
	if got := strings.Count(buf.String(), "judging"); got != 1 {
		t.Errorf("written %d times within a tenth of a second: %q", got, buf.String())
	}
	p.done()
	if !strings.HasSuffix(buf.String(), "\r\x1b[K") {
		t.Errorf("the line is left behind: %q", buf.String())
	}
}

func TestAgentWarningNamesTheClaimThePlaceAndTheRest(t *testing.T) {
	var res engine.Result
	for range agentFindings + 2 {
		res.Claims = append(res.Claims, checks.Finding{
			Claim: claim.Claim{Text: "adds tests\x1b[31m"}, Verdict: checks.Contradicted, Check: "tests", Reason: "no test changed",
			Evidence: []checks.Evidence{{Path: "a.go", Line: 3, For: true}, {Path: "b.go", Line: 7}},
		})
	}
	res.Claims[0].Ignored = "agreed"
	got := agentWarning(res)
	if want := "says \"adds tests\uFFFD[31m\": no test changed (b.go:7) [tests]"; !strings.Contains(got, want) {
		t.Errorf("got %q, want %q in it", got, want)
	}
	if n := strings.Count(got, "says "); n != agentFindings {
		t.Errorf("%d findings shown", n)
	}
	if !strings.Contains(got, "and 1 more") {
		t.Errorf("the rest is not counted: %q", got)
	}
	if agentWarning(engine.Result{}) != "" {
		t.Error("a warning about nothing")
	}
}

func TestAgentWarningSaysTheClaimOnce(t *testing.T) {
	for reason, want := range map[string]string{
		"no test changed":                   `says "adds x": no test changed`,
		"says that x comes":                 `"adds x" says that x comes`,
		`says that "Adds X" is in the diff`: `says that "Adds X" is in the diff`,
		"confines the change to x":          `"adds x" confines the change to x`,
	} {
		f := checks.Finding{Claim: claim.Claim{Text: "adds x"}, Reason: reason}
		if got := saidBy(f) + f.Reason; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestAgainCommandStagesWhatTheStoppedCommitStaged(t *testing.T) {
	for index, want := range map[string]string{
		"":                           "git commit --edit --file=",
		".git/index":                 "git commit --edit --file=",
		"/x/.git/index.lock":         "git commit -a --edit --file=",
		".git/next-index-12345.lock": " -- PATH...",
	} {
		if got := againCommand(index, savedMessage); !strings.Contains(got, want) {
			t.Errorf("%q: got %s, want %s in it", index, got, want)
		}
	}
}

func TestSourcesNamesEveryTreeOnce(t *testing.T) {
	of := func(from ...string) group { return group{from: from} }
	for want, groups := range map[string][]group{
		"a":                 {of("a")},
		"a and b":           {of("a"), of("b", "a")},
		"a, b and c":        {of("a", "b"), of("c")},
		"a, b and 2 others": {of("a", "b"), of("c", "d")},
	} {
		if got := sources(groups); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestFoldBreaksAtSpacesOnly(t *testing.T) {
	if got, want := fold("one two  three-and-a-half four", 9), "one two\nthree-and-a-half\nfour"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := joinLines(" a\nb  c\n\n\nd "), "a b c\n\nd"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestFindFoldedWidensToWholeWords(t *testing.T) {
	const s = "Fix  the\nParser-Table now"
	tests := []struct {
		words, want string
		ok          bool
	}{
		{"the parser", "the\nParser", true},
		{"  THE   PARSER-tab ", "the\nParser-Table", true},
		{"ow", "now", true},
		{"ix", "Fix", true},
		{"fix the", "Fix  the", true},
		{"missing", "", false},
		{" ", "", false},
	}
	for _, tt := range tests {
		start, end, ok := findFolded(s, tt.words)
		if ok != tt.ok || s[start:end] != tt.want {
			t.Errorf("findFolded(%q) = %q, %v, want %q", tt.words, s[start:end], ok, tt.want)
		}
	}
}

func TestRedactKeepsStructureAndNothingElse(t *testing.T) {
	r := newRedactor()
	in := "feat(ledger): add parseLedgerHeader to ledger/ParseHeader.go, bump v1.2.3 (1234567 rows, deadbeef42)"
	got := r.text(in)
	for _, word := range []string{"ledger", "parse", "header", "rows", "1234567", "deadbeef42"} {
		if strings.Contains(strings.ToLower(got), word) {
			t.Errorf("%q survives in %q", word, got)
		}
	}
	for _, kept := range []string{"feat(", "): add ", " to ", ".go, bump v1.2.3 ("} {
		if !strings.Contains(got, kept) {
			t.Errorf("%q is gone from %q", kept, got)
		}
	}
	if len(got) == 0 || r.text(in) != got {
		t.Error("the same text is redacted in two ways")
	}
	parse, ledger := r.word("parse"), r.word("ledger")
	if want := parse + strings.ToUpper(ledger[:1]) + ledger[1:]; !strings.Contains(got, want) {
		t.Errorf("a name and its words are apart: no %q in %q", want, got)
	}
	if a, b := r.word("parsing"), r.word("parsed"); a[:4] != b[:4] {
		t.Errorf("forms of one word are apart: %q, %q", a, b)
	}
	if got := r.path("ledger/src/ParseHeader_test.go"); !strings.HasSuffix(got, "_test.go") || !strings.Contains(got, "/src/") {
		t.Errorf("path is %q", got)
	}
	if got := r.text("счётчик"); got == "счётчик" || utf8.RuneCountInString(got) != 7 {
		t.Errorf("other alphabets: %q", got)
	}
}

func FuzzRedact(f *testing.F) {
	f.Add("Add parseHTTPHeader2 to x.go\n-- message --\n")
	f.Add("Ünïcödé 漢字 \x00\xff ABC123def")
	f.Fuzz(func(t *testing.T, s string) {
		got := newRedactor().text(s)
		if strings.Count(got, "\n") != strings.Count(s, "\n") {
			t.Errorf("lines changed: %q to %q", s, got)
		}
		if newRedactor().text(s) != got {
			t.Errorf("not the same twice: %q", s)
		}
		var buf bytes.Buffer
		section(&buf, "message", got)
		section(&buf, "expect", "not contradicted")
		if n := len(txtar.Parse(buf.Bytes()).Files); n != 2 {
			t.Errorf("%d sections out of two: %q", n, buf.String())
		}
	})
}

func BenchmarkStart(b *testing.B) {
	env := Environment{Dir: ".", Now: fixedNow}
	for b.Loop() {
		if code := Main([]string{"version"}, strings.NewReader(""), new(bytes.Buffer), new(bytes.Buffer), env); code != 0 {
			b.Fatal(code)
		}
	}
}

// A command line that begins with a command gets a program with that one only;
// nothing of what it prints may tell.
func TestOneCommandAloneIsWhatItIsAmongAll(t *testing.T) {
	for _, c := range commands() {
		help := func(only string) string {
			a := newApp(nil, nil, nil, environment(t, "."))
			root := newRoot(a, only)
			cmd, _, err := root.Find([]string{c.name})
			if err != nil || cmd.Name() != c.name {
				t.Fatalf("%s is found as %q: %v", c.name, cmd.Name(), err)
			}
			return cmd.Long + cmd.UsageString()
		}
		if alone, all := help(onlyCommand([]string{c.name, "--help"})), help(""); alone != all {
			t.Errorf("%s: alone\n%s\namong all\n%s", c.name, alone, all)
		}
		if n := len(newRoot(newApp(nil, nil, nil, environment(t, ".")), c.name).Commands()); n != 1 {
			t.Errorf("%s is built with %d commands", c.name, n)
		}
	}
	for _, args := range [][]string{nil, {"--repo", ".", "check"}, {"help", "check"}, {"__complete", "check", ""}, {"chekc"}} {
		if got := onlyCommand(args); got != "" {
			t.Errorf("onlyCommand(%q) = %q", args, got)
		}
	}
}

package docs

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// block is one example of a page.
type block struct {
	first, last int  // lines of the page between the fences: first is the one after the opening, last the closing one
	self        bool // runs in this checkout and not in the fixture
	exit        int
	norun       bool
	ticks       int // backticks of the fences, at least three
	steps       []step
}

// step is one command of a block and what the page says that it prints.
type step struct {
	command []string // the lines as they stand, "$ " and "> " included
	output  []string
}

// shell is the command as the shell gets it.
func (s step) shell() string {
	lines := make([]string, len(s.command))
	for i, line := range s.command {
		lines[i] = line[2:]
	}
	return strings.Join(lines, "\n")
}

// blocks finds the examples of a page.
func blocks(lines []string) ([]block, error) {
	var all []block
	for i := 0; i < len(lines); i++ {
		info := strings.TrimLeft(lines[i], "`")
		ticks := len(lines[i]) - len(info)
		words := strings.Fields(info)
		if ticks < 3 {
			continue
		}
		if len(words) == 0 || words[0] != "console" || !strings.HasPrefix(info, "console") {
			for i++; i < len(lines) && !closes(lines[i], ticks); i++ { // another block, whatever it shows
			}
			continue
		}
		b := block{first: i + 1, ticks: ticks}
		for _, word := range words[1:] {
			key, value, _ := strings.Cut(word, "=")
			switch key {
			case "norun":
				b.norun = true
			case "repo":
				if b.self = value == "self"; !b.self {
					return nil, fmt.Errorf("line %d: repo=%s: examples run in the fixture or in this checkout", i+1, value)
				}
			case "exit":
				code, err := strconv.Atoi(value)
				if err != nil {
					return nil, fmt.Errorf("line %d: exit=%s is no number", i+1, value)
				}
				b.exit = code
			default:
				return nil, fmt.Errorf("line %d: %q is not known after console", i+1, word)
			}
		}
		for i++; i < len(lines) && !closes(lines[i], ticks); i++ {
			line := lines[i]
			last := len(b.steps) - 1
			switch {
			case strings.HasPrefix(line, "$ "):
				b.steps = append(b.steps, step{command: []string{line}})
			case last < 0:
				return nil, fmt.Errorf("line %d: an example starts with a command (\"$ ...\")", i+1)
			case strings.HasPrefix(line, "> ") && len(b.steps[last].output) == 0:
				b.steps[last].command = append(b.steps[last].command, line)
			default:
				b.steps[last].output = append(b.steps[last].output, line)
			}
		}
		if i == len(lines) {
			return nil, fmt.Errorf("line %d: the example does not end", b.first)
		}
		b.last = i
		all = append(all, b)
	}
	return all, nil
}

// closes says whether a line ends a block that so many backticks opened.
func closes(line string, ticks int) bool {
	return len(line) >= ticks && strings.Trim(line, "`") == ""
}

// bar is the backticks of a block: more than any line inside begins with.
func (b block) bar() string {
	n := 3
	for _, s := range b.steps {
		for _, line := range s.output {
			line = strings.TrimLeft(line, " ")
			if run := len(line) - len(strings.TrimLeft(line, "`")); run >= n {
				n = run + 1
			}
		}
	}
	return strings.Repeat("`", n)
}

// fence is the opening line of a block.
func (b block) fence() string {
	line := b.bar() + "console"
	if b.norun {
		line += " norun"
	}
	if b.self {
		line += " repo=self"
	}
	if b.exit != 0 {
		line += " exit=" + strconv.Itoa(b.exit)
	}
	return line
}

// render writes the blocks back into their page.
func render(lines []string, all []block) []string {
	var page []string
	at := 0
	for _, b := range all {
		page = append(page, lines[at:b.first-1]...)
		page = append(page, b.fence())
		for _, s := range b.steps {
			page = append(page, s.command...)
			page = append(page, s.output...)
		}
		page = append(page, b.bar())
		at = b.last + 1
	}
	return append(page, lines[at:]...)
}

// measured are durations, the only part of any output that differs between runs.
var measured = []struct {
	pattern *regexp.Regexp
	with    string
}{
	{regexp.MustCompile(`("ms": ?)[0-9.e+-]+`), "${1}0"},
	{regexp.MustCompile(`\b[0-9]+(\.[0-9]+)? ?(ms|µs)\b`), "0 ms"},
	{regexp.MustCompile(`\b[0-9]+\.[0-9]+ ?s\b`), "0.0 s"},
}

// settle takes out of an output what differs between runs and machines.
func settle(output string, folders map[string]string) []string {
	for folder, name := range folders {
		output = strings.ReplaceAll(output, folder, name)
	}
	for _, m := range measured {
		output = m.pattern.ReplaceAllString(output, m.with)
	}
	output = strings.TrimRight(output, "\n")
	if output == "" {
		return nil
	}
	lines := strings.Split(output, "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " \r")
	}
	return lines
}

func TestPagesAreReadAndWrittenBackUnchanged(t *testing.T) {
	page := strings.Split(strings.Join([]string{
		"# Page", "", "```console", "$ one \\", "> two", "out", "$ three", "```", "text",
		"```sh", "$ not an example", "```",
		"```console repo=self exit=3", "$ four", "", "> not a command", "```",
		"```consolex", "$ neither", "```", "",
		"`````text", "```console", "$ shown, not run", "```", "`````",
		"````console", "$ five", "```text", "inner", "```", "````", "end",
	}, "\n"), "\n")
	all, err := blocks(page)
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != 3 || len(all[2].steps) != 1 || len(all[2].steps[0].output) != 3 || len(all[0].steps) != 2 || !all[1].self || all[1].exit != 3 {
		t.Fatalf("read %+v", all)
	}
	if got := all[0].steps[0].shell(); got != "one \\\ntwo" {
		t.Errorf("the first command is %q", got)
	}
	if got := all[1].steps[0].output; len(got) != 2 {
		t.Errorf("the output of the last command is %q", got)
	}
	if got := strings.Join(render(page, all), "\n"); got != strings.Join(page, "\n") {
		t.Errorf("written back as\n%s", got)
	}
}

func TestBrokenExamplesAreErrors(t *testing.T) {
	for name, page := range map[string]string{
		"no command first": "```console\nout\n```",
		"no end":           "```console\n$ x",
		"a shorter fence":  "````console\n$ x\n```",
		"unknown word":     "```console exitt=1\n$ x\n```",
		"exit no number":   "```console exit=one\n$ x\n```",
		"another clone":    "```console repo=a/b\n$ x\n```",
	} {
		if all, err := blocks(strings.Split(page, "\n")); err == nil {
			t.Errorf("%s: read as %+v", name, all)
		}
	}
}

func TestOnlyDurationsAndFoldersAreTakenOut(t *testing.T) {
	got := settle("3 of 9 claims in 12.5 ms, /tmp/x1/a \n{\"ms\": 1.25, \"n\": 7}\n\n", map[string]string{"/tmp/x1": "~"})
	want := []string{"3 of 9 claims in 0 ms, ~/a", "{\"ms\": 0, \"n\": 7}"}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got %q, want %q", got, want)
	}
}

package main

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"

	"github.com/saysolint/sayso/action"
	"github.com/saysolint/sayso/report"
)

// manifest is what of action.yml is held against the program.
type manifest struct {
	Inputs map[string]struct {
		Description, Default string
		Required             bool
	}
	Outputs map[string]struct{ Description, Value string }
	Runs    struct {
		Using string
		Steps []step
	}
}

type step struct {
	Name, ID, Uses, Run, Shell string
	Env, With                  map[string]string
}

func readManifest(t *testing.T) manifest {
	t.Helper()
	data, err := os.ReadFile("../../action.yml")
	if err != nil {
		t.Fatal(err)
	}
	var m manifest
	if err := yaml.Unmarshal(data, &m); err != nil {
		t.Fatal(err)
	}
	return m
}

// installing are the inputs that are not the program's.
var installing = []string{"token", "app-key", "working-directory", "version", "checksum", "binary", "cache"}

func TestEveryInputOfTheActionReachesTheProgram(t *testing.T) {
	m := readManifest(t)
	var f actionFlags
	program := map[string]actionInput{}
	for _, in := range f.inputs() {
		program[in.name] = in
	}
	var env map[string]string
	for _, s := range m.Runs.Steps {
		if s.ID == "run" {
			env = s.Env
		}
	}
	variable := func(name string) string { return "INPUT_" + strings.ToUpper(strings.ReplaceAll(name, "-", "_")) }
	for name, in := range m.Inputs {
		if in.Description == "" {
			t.Errorf("input %s has no description", name)
		}
		if name == "token" || name == "app-key" {
			if env[variable(name)] != "${{ inputs."+name+" }}" {
				t.Errorf("%s does not reach the program", name)
			}
			continue
		}
		if slices.Contains(installing, name) {
			continue
		}
		flag, ok := program[name]
		switch {
		case !ok:
			t.Errorf("the program knows no input %s", name)
		case flag.fallback != in.Default:
			t.Errorf("input %s is %q by default, the flag %q", name, in.Default, flag.fallback)
		case env[variable(name)] != "${{ inputs."+name+" }}":
			t.Errorf("input %s does not reach the program: %q", name, env[variable(name)])
		}
		for _, w := range flag.words {
			if !strings.Contains(in.Description, w) {
				t.Errorf("input %s does not say that it may be %s", name, w)
			}
		}
		delete(program, name)
	}
	if len(program) > 0 {
		t.Errorf("action.yml has no input for %v", slices.Sorted(maps.Keys(program)))
	}
}

func TestEveryOutputOfTheActionIsWritten(t *testing.T) {
	out := filepath.Join(t.TempDir(), "output")
	env := environment(t, t.TempDir())
	env.Vars = append(env.Vars, "GITHUB_OUTPUT="+out)
	a := newApp(nil, &bytes.Buffer{}, &bytes.Buffer{}, env)
	p := action.Publication{Target: action.Target{Head: strings.Repeat("a", 40)}}
	p.Report.Coverage.State = "complete"
	done := action.Done{Mode: action.ModePullRequest, Publication: &p, Landed: []string{"a", "b"},
		Outcomes: []action.Outcome{{Publisher: "comment", State: action.Published, URL: "https://github.com/acme/app/pull/7#issuecomment-1"}}}
	if err := a.writeOutputs(done, actionFlags{reportFile: "r.json", sarif: "s.sarif", handover: "h.json"}); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	written := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^([a-z-]+)<<(\S+)\n(.*)\n(\S+)$`).FindAllStringSubmatch(string(data), -1) {
		if m[2] != m[4] || m[3] == "" {
			t.Errorf("output %q", m[0])
		}
		written[m[1]] = true
	}
	m := readManifest(t)
	for name, o := range m.Outputs {
		if !written[name] || o.Value != "${{ steps.run.outputs."+name+" }}" || o.Description == "" {
			t.Errorf("output %s: written %v, handed on as %q", name, written[name], o.Value)
		}
		delete(written, name)
	}
	if len(written) > 0 {
		t.Errorf("action.yml hands on none of %v", slices.Sorted(maps.Keys(written)))
	}
}

// pinned is a step that names what it runs by a commit, with the version beside it.
var pinned = regexp.MustCompile(`^\s*(?:- )?uses: (?:\./\S*|[\w.-]+/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+)$`)

// usesLine is any step that runs what lies elsewhere.
var usesLine = regexp.MustCompile(`^\s*(?:- )?uses:`)

func TestWorkflowsArePinnedAndHoldNoExpressionInAScript(t *testing.T) {
	files, err := filepath.Glob("../../.github/workflows/*.yml")
	if err != nil || len(files) < 4 {
		t.Fatalf("%d workflows: %v", len(files), err)
	}
	for _, file := range append(files, "../../action.yml") {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Base(file)
		for i, line := range strings.Split(string(data), "\n") {
			if usesLine.MatchString(line) && !pinned.MatchString(line) {
				t.Errorf("%s:%d: not pinned: %s", name, i+1, strings.TrimSpace(line))
			}
		}
		for _, run := range scripts(t, data) {
			if strings.Contains(run, "${{") {
				t.Errorf("%s: an expression in a script: %s", name, run)
			}
		}
		if name == "action.yml" {
			continue
		}
		var w struct {
			Permissions any
			Concurrency any
			Jobs        map[string]struct {
				Permissions any
				Concurrency any
			}
		}
		if err := yaml.Unmarshal(data, &w); err != nil {
			t.Fatal(err)
		}
		if w.Permissions == nil {
			t.Errorf("%s: no permissions for all jobs: what is not named would be the repository's default", name)
		}
		for job, j := range w.Jobs {
			if w.Concurrency == nil && j.Concurrency == nil {
				t.Errorf("%s: job %s is in no concurrency group", name, job)
			}
		}
	}
}

// scripts are all values of run: in a document.
func scripts(t *testing.T, data []byte) []string {
	t.Helper()
	var doc any
	if err := yaml.Unmarshal(data, &doc); err != nil {
		t.Fatal(err)
	}
	var out []string
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			if run, ok := v["run"].(string); ok {
				out = append(out, run)
			}
			for _, k := range slices.Sorted(maps.Keys(v)) {
				walk(v[k])
			}
		case []any:
			for _, e := range v {
				walk(e)
			}
		}
	}
	walk(doc)
	return out
}

func TestAnExpressionInAScriptIsFound(t *testing.T) {
	if got := scripts(t, []byte("jobs:\n  a:\n    steps:\n      - run: echo ${{ x }}\n")); len(got) != 1 || !strings.Contains(got[0], "${{") {
		t.Errorf("found %q", got)
	}
	for line, want := range map[string]bool{
		"      - uses: actions/cache@v4":                                                false,
		"      - uses: actions/cache@55cc8345863c7cc4c66a329aec7e433d2d1c52a9":          false,
		"      - uses: actions/cache@55cc8345863c7cc4c66a329aec7e433d2d1c52a9 # v6.1.0": true,
		"      - uses: ./trusted":                                                       true,
	} {
		if pinned.MatchString(line) != want {
			t.Errorf("%q", line)
		}
	}
}

func TestTextOfOthersIsNoCommandToTheRunner(t *testing.T) {
	env := environment(t, t.TempDir())
	env.Vars = append(env.Vars, "GITHUB_ACTIONS=true")
	var out bytes.Buffer
	a := newApp(nil, &out, &bytes.Buffer{}, env)
	if err := a.printUntrusted([]byte("::error::hello\n")); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(out.String(), "\n")
	word, ok := strings.CutPrefix(lines[0], "::stop-commands::")
	if !ok || len(word) < 20 || lines[len(lines)-2] != "::"+word+"::" {
		t.Errorf("printed %q", out.String())
	}
}

func TestAnEventThatAsksForNothingAsksNothingOfGitHub(t *testing.T) {
	dir := t.TempDir()
	event := filepath.Join(dir, "event.json")
	if err := os.WriteFile(event, []byte(`{"action":"labeled","number":7,"pull_request":{"number":7}}`), 0o644); err != nil {
		t.Fatal(err)
	}
	env := environment(t, dir)
	env.Vars = append(env.Vars, "GITHUB_API_URL=http://127.0.0.1:1", "GITHUB_REPOSITORY=acme/app")
	out, errs, code := run(t, env, "", "action", "--event", "pull_request", "--event-path", event)
	if code != report.ExitOK || !strings.Contains(out, "says nothing new") {
		t.Errorf("exit code %d: %s%s", code, out, errs)
	}
}

func TestInputsOfTheActionAreChecked(t *testing.T) {
	for name, tt := range map[string]struct {
		vars []string
		want string
	}{
		"no event":     {nil, "no event"},
		"mode":         {[]string{"GITHUB_EVENT_NAME=push", "GITHUB_REPOSITORY=a/b", "INPUT_MODE=dance"}, "mode is"},
		"comment":      {[]string{"GITHUB_EVENT_NAME=push", "GITHUB_REPOSITORY=a/b", "INPUT_COMMENT=yes"}, "one of true, false"},
		"fail-on":      {[]string{"GITHUB_EVENT_NAME=schedule", "GITHUB_REPOSITORY=a/b", "INPUT_FAIL_ON=lies"}, "--fail-on"},
		"repository":   {[]string{"GITHUB_EVENT_NAME=schedule", "GITHUB_REPOSITORY=b"}, "owner/name"},
		"app-id":       {[]string{"GITHUB_EVENT_NAME=schedule", "GITHUB_REPOSITORY=a/b", "INPUT_APP_ID=x"}, "not a number"},
		"app-key":      {[]string{"GITHUB_EVENT_NAME=schedule", "GITHUB_REPOSITORY=a/b", "INPUT_APP_ID=3"}, "private key"},
		"event's file": {[]string{"GITHUB_EVENT_NAME=push", "GITHUB_REPOSITORY=a/b", "GITHUB_EVENT_PATH=" + os.DevNull + "/x"}, "event"},
	} {
		t.Run(name, func(t *testing.T) {
			env := environment(t, t.TempDir())
			env.Vars = append(env.Vars, tt.vars...)
			_, errs, code := run(t, env, "", "action")
			if code != report.ExitUsage || !strings.Contains(errs, tt.want) {
				t.Errorf("exit code %d, said %q", code, errs)
			}
		})
	}
}

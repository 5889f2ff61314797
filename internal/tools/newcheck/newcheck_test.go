package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/format"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/saysolint/sayso/internal/casetest"
)

// copyOfChecks copies the Go files of the package checks, without its tests, into
// a folder of its own, and returns both.
func copyOfChecks(t *testing.T) (root, dir string) {
	t.Helper()
	root, err := filepath.Abs(filepath.Join("..", "..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	dir = t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "checks"), 0o755); err != nil {
		t.Fatal(err)
	}
	paths, err := filepath.Glob(filepath.Join(root, "checks", "*.go"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no files of checks: %v", err)
	}
	for _, p := range paths {
		if strings.HasSuffix(p, "_test.go") {
			continue
		}
		data, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "checks", filepath.Base(p)), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root, dir
}

// overlay lets the go command see the copy in place of the package, whose own
// tests are out of sight: what the package imports need not be built again.
func overlay(t *testing.T, root, dir string) string {
	t.Helper()
	replace := map[string]string{}
	for _, from := range []string{root, dir} {
		paths, err := filepath.Glob(filepath.Join(from, "checks", "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range paths {
			place := filepath.Join(root, "checks", filepath.Base(p))
			if replace[place] = p; from == root {
				replace[place] = ""
			}
		}
	}
	data, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestANewCheckCompilesAndIsListed(t *testing.T) {
	root, dir := copyOfChecks(t)
	steps, err := scaffold(dir, "api-shape")
	if err != nil {
		t.Fatal(err)
	}
	if text := strings.Join(steps, "\n"); !strings.Contains(text, "checks/check_api_shape.go") || !strings.Contains(text, "apiShapeCheck in All()") {
		t.Errorf("the next steps are:\n%s", text)
	}
	probe := "package checks\n\nimport \"testing\"\n\nfunc TestListed(t *testing.T) {\n\td := Docs()\n\tlast := d[len(d)-1]\n\tif last.ID != \"api-shape\" || last.Default != \"advisory\" || last.Advisory == \"\" {\n\t\tt.Errorf(\"%+v\", last)\n\t}\n}\n"
	if err := os.WriteFile(filepath.Join(dir, "checks", "listed_test.go"), []byte(probe), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "test", "-overlay", overlay(t, root, dir), "-run", "TestListed", "-v", "./checks")
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "PASS: TestListed") {
		t.Errorf("%v\n%s", err, out)
	}
	for _, name := range []string{"check_api_shape.go", "judge.go"} {
		src, err := os.ReadFile(filepath.Join(dir, "checks", name))
		if err != nil {
			t.Fatal(err)
		}
		if formatted, err := format.Source(src); err != nil || !bytes.Equal(formatted, src) {
			t.Errorf("%s is not formatted: %v", name, err)
		}
	}
	if _, err := scaffold(dir, "api-shape"); !errors.Is(err, errName) {
		t.Errorf("a second time: %v", err)
	}
}

func TestTheCasesOfANewCheckCanBeRead(t *testing.T) {
	for kind, data := range map[string][]byte{"quiet": namesOf("scope").fill(quietTemplate), "fires": namesOf("scope").fill(firesTemplate)} {
		c, err := casetest.Parse("example", data)
		if err != nil {
			t.Fatal(err)
		}
		if fires := c.Rules[0].Kind == casetest.RuleContradicted; fires != (kind == "fires") || c.Comment == "" {
			t.Errorf("%s: %+v", kind, c)
		}
	}
}

// small is a checks package with nothing but a list.
func small(t *testing.T, list string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "checks", "testdata", "left-over"), 0o755); err != nil {
		t.Fatal(err)
	}
	src := "package checks\n\nvar scopeCheck = Check{Doc: Doc{ID: \"scope\"}}\n\nfunc judgeCount() {}\n\n" + list
	if err := os.WriteFile(filepath.Join(dir, "checks", "judge.go"), []byte(src), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

const goodList = "func All() []Check {\n\treturn []Check{scopeCheck}\n}\n"

func TestBadNamesAreRefusedAndNothingIsWritten(t *testing.T) {
	dir := small(t, goodList)
	before := snapshot(t, dir)
	for name, why := range map[string]string{
		"":                        "lower-case letters",
		"a":                       "lower-case letters",
		"Scope":                   "lower-case letters",
		"two words":               "lower-case letters",
		"under_score":             "lower-case letters",
		"-x1":                     "lower-case letters",
		"x1-":                     "lower-case letters",
		"a--b":                    "lower-case letters",
		"1st":                     "lower-case letters",
		"../../evil":              "lower-case letters",
		"a/b":                     "lower-case letters",
		"naïve":                   "lower-case letters",
		strings.Repeat("long", 9): "lower-case letters",
		"test":                    "would not build",
		"unit-test":               "would not build",
		"windows":                 "would not build",
		"build-amd64":             "would not build",
		"scope":                   "a check of this name",
		"count":                   "declares judgeCount",
		"left-over":               "is there already",
	} {
		if _, err := scaffold(dir, name); !errors.Is(err, errName) || !strings.Contains(err.Error(), why) {
			t.Errorf("%q: got %v, want a refusal with %q", name, err, why)
		}
	}
	if after := snapshot(t, dir); after != before {
		t.Errorf("something was written: %s, before %s", after, before)
	}
}

func TestAListThatCannotBeReadIsAnErrorAndNothingIsWritten(t *testing.T) {
	for name, list := range map[string]string{
		"no function": "",
		"a variable":  "var all []Check\n\nfunc All() []Check { return all }\n",
		"empty":       "func All() []Check { return []Check{} }\n",
		"no Go":       "func All(",
	} {
		t.Run(name, func(t *testing.T) {
			dir := small(t, list)
			before := snapshot(t, dir)
			if _, err := scaffold(dir, "api-shape"); err == nil || !strings.Contains(err.Error(), "judge.go") {
				t.Errorf("got %v", err)
			}
			if after := snapshot(t, dir); after != before {
				t.Errorf("something was written: %s", after)
			}
		})
	}
	if _, err := scaffold(t.TempDir(), "api-shape"); err == nil || !strings.Contains(err.Error(), "-C FOLDER") {
		t.Errorf("outside of the module: %v", err)
	}
}

func TestAListOverSeveralLinesStaysFormatted(t *testing.T) {
	dir := small(t, "func All() []Check {\n\treturn []Check{\n\t\tscopeCheck,\n\t}\n}\n")
	if _, err := scaffold(dir, "shape"); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(dir, "checks", "judge.go"))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(got, []byte("\t\tscopeCheck, shapeCheck,\n")) {
		t.Errorf("got\n%s", got)
	}
}

// snapshot lists the files below dir with their sizes.
func snapshot(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(p)
		b.WriteString(p + "\n" + string(data))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

package guard

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// foreign are texts that belong to one machine or one network and would break, or
// mislead, everywhere else. They are put together here so that this file is clean.
var foreign = []struct{ text, why string }{
	{"/" + "work/", "a path of one machine"},
	{"/" + "root/", "a path of one machine"},
	{"/home" + "/runner", "a path of one machine"},
	{"proxy.golang" + ".org", "the host of a package registry: name the package, the client knows the host"},
	{"sum.golang" + ".org", "the host of a package registry"},
	{"registry.npmjs" + ".org", "the host of a package registry"},
	{"deb.debian" + ".org", "the host of a package registry"},
	{"files.pythonhosted" + ".org", "the host of a package registry"},
}

func TestFilesNameNoMachineAndNoRegistry(t *testing.T) {
	dir := root(t)
	for _, name := range files(t) {
		body, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		for _, bad := range foreign {
			if at := bytes.Index(body, []byte(bad.text)); at >= 0 {
				t.Errorf("%s:%d: %q: %s", name, bytes.Count(body[:at], []byte("\n"))+1, bad.text, bad.why)
			}
		}
	}
}

// unfinished are comments that say that the work is not done; skipped are tests that
// do not run. A test that cannot run somewhere has a build constraint and is named by
// scripts/test, so that nobody takes it for run.
var (
	unfinished = regexp.MustCompile(`//\s*(TO` + `DO|FIX` + `ME|XX` + `X)\b`)
	skipped    = regexp.MustCompile(`^\s*[tbf]\.Skip(f|Now)?\(`)
)

func TestGoFilesHaveNoUnfinishedMarksAndNoSkippedTests(t *testing.T) {
	dir := root(t)
	for _, name := range files(t) {
		if !strings.HasSuffix(name, ".go") || strings.Contains(name, "/testdata/") {
			continue
		}
		body, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		for number, line := range strings.Split(string(body), "\n") {
			mark := unfinished.FindString(line)
			if strings.HasSuffix(name, "_test.go") && mark == "" {
				mark = skipped.FindString(line)
			}
			if mark != "" {
				t.Errorf("%s:%d: %s", name, number+1, strings.TrimSpace(mark))
			}
		}
	}
}

func TestEachPackageHasAGuidedTourInDocGo(t *testing.T) {
	dir := root(t)
	packages := map[string]bool{}
	for _, name := range files(t) {
		if strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") && !strings.Contains(name, "testdata/") {
			packages[filepath.ToSlash(filepath.Dir(name))] = true
		}
	}
	for folder := range packages {
		path := filepath.Join(dir, folder, "doc.go")
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments|parser.PackageClauseOnly)
		if err != nil {
			t.Errorf("%s has no readable doc.go: its first paragraph says what the package is for and what it must never know about (%v)", folder, err)
			continue
		}
		want := "Package " + file.Name.Name + " "
		if file.Name.Name == "main" {
			want = "Command " + filepath.Base(folder) + " "
		}
		if text := docText(file); !strings.HasPrefix(text, want) || len(text) < 120 {
			t.Errorf("%s/doc.go: the package comment must start with %q and say what the package is for (it has %d characters)", folder, want, len(text))
		}
	}
}

func docText(file *ast.File) string {
	if file.Doc == nil {
		return ""
	}
	return file.Doc.Text()
}

// uses is one step of a workflow that runs an action.
var uses = regexp.MustCompile(`(?m)^\s*(?:-\s+)?uses:\s*(\S+)(.*)$`)

// pinned is an action at a full commit hash, with the tag in a comment for people.
var pinned = regexp.MustCompile(`^[\w.-]+/[\w./-]+@[0-9a-f]{40}$`)

func TestWorkflowsPinActionsAndAskForTheLeast(t *testing.T) {
	dir := root(t)
	seen := 0
	for _, name := range files(t) {
		if !strings.HasPrefix(name, ".github/workflows/") {
			continue
		}
		seen++
		body, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		for _, match := range uses.FindAllStringSubmatch(string(body), -1) {
			action, rest := match[1], match[2]
			if strings.HasPrefix(action, "./") {
				continue
			}
			if !pinned.MatchString(action) || !strings.Contains(rest, "# v") {
				t.Errorf("%s: %s must be pinned to a full commit hash, with its tag in a comment", name, action)
			}
		}
		// Of the workflow, or of its jobs one by one: cmd/sayso holds each job to it.
		for _, want := range []string{"\npermissions:", "concurrency:", "timeout-minutes:"} {
			if !strings.Contains(string(body), want) {
				t.Errorf("%s has no %q", name, strings.TrimSpace(want))
			}
		}
		if strings.Contains(string(body), "write-all") {
			t.Errorf("%s asks for every permission", name)
		}
	}
	if seen == 0 {
		t.Fatal("no workflow was found")
	}
}

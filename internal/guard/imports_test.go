package guard

import (
	"strings"
	"testing"
)

// testOnly are modules that must not be linked into the program, with the reason.
// Linking one costs every run, used or not.
var testOnly = map[string]string{
	"github.com/santhosh-tekuri/jsonschema":    "several milliseconds of package initialisation",
	"github.com/owenrumney/go-sarif":           "pulls net/http and megabytes for a format of eighty lines",
	"github.com/alecthomas/chroma":             "initialisation, and backtracking expressions on hostile input",
	"github.com/dlclark/regexp2":               "backtracking expressions on hostile input",
	"github.com/getkin/kin-openapi":            "reads descriptions of APIs, for tests",
	"github.com/google/go-cmp":                 "a test library: panics by design",
	"github.com/rogpeppe/go-internal":          "a test library",
	"pgregory.net/rapid":                       "a test library, under the MPL",
	"github.com/go-enry":                       "tens of milliseconds of package initialisation",
	"github.com/zricethezav/gitleaks":          "tens of milliseconds of package initialisation",
	"github.com/xeipuuv/gojsonschema":          "comes with go-sarif",
	"github.com/yuin/goldmark":                 "a fifth of all package initialisation, for what one seldom command needs: the oracle of memory/markdown.go",
	"testing":                                  "a test library: its flags would appear in the program's own",
	"github.com/saysolint/sayso/internal/deps": "keeps modules in go.mod while the project is being built",
}

func TestTestLibrariesAreNotLinkedIntoTheProgram(t *testing.T) {
	packages := lines(run(t, nil, "go", "list", "-deps", "./cmd/..."))
	if len(packages) < 50 {
		t.Fatalf("go list -deps names only %d packages", len(packages))
	}
	for _, path := range packages {
		for banned, why := range testOnly {
			if path == banned || strings.HasPrefix(path, banned+"/") && banned != "testing" {
				t.Errorf("./cmd links %s: %s", path, why)
			}
		}
	}
}

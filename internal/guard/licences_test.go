package guard

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// licences is every module that may be linked into the program, with the licence
// that was read in its own file. The expressions are SPDX.
var licences = map[string]string{
	"dario.cat/mergo":                            "BSD-3-Clause",
	"github.com/Microsoft/go-winio":              "MIT",
	"github.com/ProtonMail/go-crypto":            "BSD-3-Clause",
	"github.com/aymanbagabas/go-osc52/v2":        "MIT",
	"github.com/blevesearch/snowballstem":        "BSD-3-Clause",
	"github.com/bluekeyes/go-gitdiff":            "MIT",
	"github.com/bmatcuk/doublestar/v4":           "MIT",
	"github.com/bradleyfalzon/ghinstallation/v2": "Apache-2.0",
	"github.com/clipperhouse/uax29/v2":           "MIT",
	"github.com/cloudflare/circl":                "BSD-3-Clause",
	"github.com/cpuguy83/go-md2man/v2":           "MIT",
	"github.com/emirpasic/gods":                  "BSD-2-Clause",
	"github.com/go-git/gcfg":                     "BSD-3-Clause",
	"github.com/go-git/go-billy/v5":              "Apache-2.0",
	"github.com/go-git/go-git/v5":                "Apache-2.0",
	"github.com/gofri/go-github-ratelimit/v2":    "MIT",
	"github.com/golang-jwt/jwt/v4":               "MIT",
	"github.com/golang/groupcache":               "Apache-2.0",
	"github.com/google/go-github/v60":            "BSD-3-Clause",
	"github.com/google/go-querystring":           "BSD-3-Clause",
	"github.com/google/jsonschema-go":            "MIT",
	"github.com/inconshreveable/mousetrap":       "Apache-2.0",
	"github.com/jbenet/go-context":               "MIT",
	"github.com/kevinburke/ssh_config":           "MIT",
	"github.com/lucasb-eyer/go-colorful":         "MIT",
	"github.com/mattn/go-colorable":              "MIT",
	"github.com/mattn/go-isatty":                 "MIT",
	"github.com/modelcontextprotocol/go-sdk":     "Apache-2.0 AND MIT",
	"github.com/segmentio/asm":                   "MIT",
	"github.com/segmentio/encoding":              "MIT",
	"github.com/yosida95/uritemplate/v3":         "BSD-3-Clause",
	"golang.org/x/oauth2":                        "BSD-3-Clause",
	"golang.org/x/sync":                          "BSD-3-Clause",
	"golang.org/x/time":                          "BSD-3-Clause",
	"github.com/muesli/termenv":                  "MIT",
	"github.com/natefinch/atomic":                "MIT",
	"github.com/pjbgf/sha1cd":                    "Apache-2.0",
	"github.com/rivo/uniseg":                     "MIT",
	"github.com/rs/zerolog":                      "MIT",
	"github.com/russross/blackfriday/v2":         "BSD-2-Clause",
	"github.com/sergi/go-diff":                   "MIT",
	"github.com/skeema/knownhosts":               "Apache-2.0",
	"github.com/sourcegraph/conc":                "MIT",
	"github.com/spf13/cobra":                     "Apache-2.0",
	"github.com/spf13/pflag":                     "BSD-3-Clause",
	"github.com/xanzy/ssh-agent":                 "Apache-2.0",
	"github.com/yuin/goldmark":                   "MIT",
	"go.uber.org/atomic":                         "MIT",
	"go.uber.org/multierr":                       "MIT",
	"go.yaml.in/yaml/v3":                         "MIT AND Apache-2.0",
	"go.yaml.in/yaml/v4":                         "Apache-2.0",
	"golang.org/x/crypto":                        "BSD-3-Clause",
	"golang.org/x/net":                           "BSD-3-Clause",
	"golang.org/x/sys":                           "BSD-3-Clause",
	"golang.org/x/text":                          "BSD-3-Clause",
	"gopkg.in/warnings.v0":                       "BSD-2-Clause",

	// Its MPL files are linked unchanged; the MPL asks only that their source can be
	// had, and the module proxy has it.
	"github.com/cyphar/filepath-securejoin": "BSD-3-Clause AND MPL-2.0",
}

// marks are sentences that stand in one licence only.
var marks = []struct{ licence, text string }{
	{"Apache-2.0", "apache license"},
	{"MIT", "permission is hereby granted, free of charge"},
	{"MPL-2.0", "mozilla public license"},
	{"GPL", "gnu general public license"},
	{"AGPL", "gnu affero general public license"},
	{"LGPL", "gnu lesser general public license"},
	{"BSD", "redistribution and use in source and binary forms"},
}

var licenceFile = regexp.MustCompile(`(?i)^(licen[cs]e|copying|unlicense)`)

// read names the licences whose text stands in the licence files of a folder.
func read(t *testing.T, dir string) map[string]bool {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for _, entry := range entries {
		if entry.IsDir() || !licenceFile.MatchString(entry.Name()) {
			continue
		}
		body, err := os.ReadFile(filepath.Join(dir, entry.Name()))
		if err != nil {
			t.Fatal(err)
		}
		classify(string(body), found)
	}
	return found
}

// classify adds the licences that a text carries.
func classify(body string, found map[string]bool) {
	text := strings.ToLower(strings.Join(strings.Fields(body), " "))
	// The MPL names the GNU licences as ones it may be combined with.
	mpl := strings.Contains(text, "mozilla public license")
	for _, mark := range marks {
		if !strings.Contains(text, mark.text) || mpl && strings.HasSuffix(mark.licence, "GPL") {
			continue
		}
		switch {
		case mark.licence != "BSD":
			found[mark.licence] = true
		case strings.Contains(text, "endorse or promote products"):
			found["BSD-3-Clause"] = true
		default:
			found["BSD-2-Clause"] = true
		}
	}
}

func TestLinkedModulesHaveTheLicencesOfTheTable(t *testing.T) {
	linked := map[string]string{}
	for _, system := range []string{"linux", "darwin", "windows"} {
		out := run(t, []string{"GOOS=" + system, "CGO_ENABLED=0"}, "go", "list", "-deps",
			"-f", "{{with .Module}}{{if not .Main}}{{.Path}}\t{{.Dir}}{{end}}{{end}}", "./cmd/...")
		for _, line := range lines(out) {
			path, dir, _ := strings.Cut(line, "\t")
			linked[path] = dir
		}
	}
	if len(linked) == 0 {
		t.Fatal("no module is linked: the guard looked at the wrong program")
	}
	for path, dir := range linked {
		expression, ok := licences[path]
		if !ok {
			t.Errorf("%s is linked and has no row in the table of licences: read its licence in %s and add one", path, dir)
			continue
		}
		found := read(t, dir)
		for licence := range strings.SplitSeq(expression, " AND ") {
			if !found[licence] {
				t.Errorf("%s: the table says %s, its licence files say %v", path, licence, found)
			}
			delete(found, licence)
		}
		for licence := range found {
			t.Errorf("%s also carries %s, which the table does not say", path, licence)
		}
	}
}

func TestLicenceTextsAreToldApart(t *testing.T) {
	for name, c := range map[string]struct{ body, want string }{
		"MIT":                       {"Permission is hereby granted, free\nof charge, to any person", "MIT"},
		"BSD with three clauses":    {"Redistribution and use in source and\nbinary forms ... to endorse or promote products", "BSD-3-Clause"},
		"BSD with two clauses":      {"Redistribution and use in source and binary forms", "BSD-2-Clause"},
		"GPL":                       {"GNU GENERAL PUBLIC LICENSE Version 3", "GPL"},
		"MPL that names the GPL":    {"Mozilla Public License 2.0 ... the GNU General Public License", "MPL-2.0"},
		"Apache across line breaks": {"Apache\n   License", "Apache-2.0"},
	} {
		found := map[string]bool{}
		classify(c.body, found)
		if len(found) != 1 || !found[c.want] {
			t.Errorf("%s: read as %v, want %s", name, found, c.want)
		}
	}
}

package assert_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/saysolint/sayso/change"
	"github.com/saysolint/sayso/checks/assert"
)

// edit is a file by its images; "-" is one that is not there.
type edit struct{ path, old, new string }

func made(edits ...edit) *change.Change {
	files := map[string]change.Images{}
	for _, e := range edits {
		var im change.Images
		if e.old != "-" {
			im.Old = []byte(e.old)
		}
		if e.new != "-" {
			im.New = []byte(e.new)
		}
		files[e.path] = im
	}
	return change.Between(files)
}

func rule(t *testing.T, text string) assert.Rule {
	t.Helper()
	rules, problems := assert.Parse("asserts:\n  - " + strings.ReplaceAll(text, "\n", "\n    "))
	if len(problems) > 0 || len(rules) != 1 {
		t.Fatalf("%s: %v", text, problems)
	}
	return rules[0]
}

const npm = "{\n  \"dependencies\": {\n    \"react\": \"^17.0.2\"\n  }\n}\n"

func TestRulesFireAndStayQuiet(t *testing.T) {
	with := func(s, old, new string) string { return strings.Replace(s, old, new, 1) }
	lodash := with(npm, `"react"`, "\"lodash\": \"^4.17.0\",\n    \"react\"")
	for _, c := range []struct {
		name   string
		rule   string
		edits  []edit
		broken []string // path:line of each place
		kept   bool
	}{
		{"a forbidden dependency comes", "forbid: {dependency: lodash}", []edit{{"package.json", npm, lodash}}, []string{"package.json:3"}, false},
		{"it was there before", "forbid: {dependency: lodash}", []edit{{"package.json", lodash, with(lodash, "^17.0.2", "^18.0.0")}}, nil, false},
		{"it is updated, not added", "forbid: {dependency: lodash}", []edit{{"package.json", lodash, with(lodash, "^4.17.0", "^4.17.21")}}, nil, false},
		{"it goes", "forbid: {dependency: lodash}", []edit{{"package.json", lodash, npm}}, nil, true},
		{"it moves to another manifest", "forbid: {dependency: lodash}", []edit{{"a/package.json", lodash, npm}, {"b/package.json", npm, lodash}}, nil, false},
		{"another of a longer name comes", "forbid: {dependency: lodash}", []edit{{"package.json", npm, with(lodash, `"lodash"`, `"lodash-es"`)}}, nil, false},
		{"a glob takes a whole scope", `forbid: {dependency: "@old/*"}`, []edit{{"package.json", npm, with(lodash, `"lodash"`, `"@old/kit"`)}}, []string{"package.json:3"}, false},
		{"outside of where the rule holds", "forbid: {dependency: lodash}\nin: [\"web/**\"]", []edit{{"server/package.json", npm, lodash}}, nil, false},
		{"the name as a script is no dependency", "forbid: {dependency: lodash}", []edit{{"package.json", npm, with(npm, "{\n", "{\n  \"scripts\": {\"lodash\": \"1\"},\n")}}, nil, false},
		{"a manifest of test data is not the project's", "forbid: {dependency: lodash}", []edit{{"testdata/package.json", npm, lodash}}, nil, false},
		{"a version in the range comes", `forbid: {dependency: react, version: "<18"}`, []edit{{"package.json", "{\n}\n", npm}}, []string{"package.json:3"}, false},
		{"a version falls into the range", `forbid: {dependency: react, version: "<18"}`, []edit{{"package.json", with(npm, "17.0.2", "18.2.0"), npm}}, []string{"package.json:3"}, false},
		{"a version leaves the range", `forbid: {dependency: react, version: "<18"}`, []edit{{"package.json", npm, with(npm, "17.0.2", "18.2.0")}}, nil, true},
		{"a required dependency goes", "require: {dependency: react}", []edit{{"package.json", npm, with(npm, "react", "preact")}}, []string{"package.json:3"}, false},
		{"a required dependency is updated", "require: {dependency: react}", []edit{{"package.json", npm, with(npm, "17.0.2", "18.2.0")}}, nil, false},
		{"a required version is left", `require: {dependency: react, version: ">=17"}`, []edit{{"package.json", npm, with(npm, "17.0.2", "16.1.0")}}, []string{"package.json:3"}, false},
		{"a Go dependency comes", "forbid: {dependency: github.com/pkg/errors}", []edit{{"go.mod", "module m\n", "module m\n\nrequire (\n\tgithub.com/pkg/errors v0.9.1\n)\n"}}, []string{"go.mod:4"}, false},
		{"an indirect Go dependency is nobody's choice", "forbid: {dependency: github.com/pkg/errors}", []edit{{"go.mod", "module m\n", "module m\n\nrequire (\n\tgithub.com/pkg/errors v0.9.1 // indirect\n)\n"}}, nil, false},
		{"a later major of a Go dependency", "forbid: {dependency: github.com/x/y}", []edit{{"go.mod", "module m\n", "module m\n\nrequire github.com/x/y/v3 v3.0.1\n"}}, []string{"go.mod:3"}, false},
		{"a Python dependency in any spelling", "forbid: {dependency: Flask_Login}", []edit{{"requirements.txt", "flask==1\n", "flask==1\nflask-login>=0.6 ; python_version > '3'\n"}}, []string{"requirements.txt:2"}, false},
		{"a requirement in pyproject", "forbid: {dependency: requests}", []edit{{"pyproject.toml", "[project]\ndependencies = [\n  \"flask\",\n]\n", "[project]\ndependencies = [\n  \"flask\",\n  \"requests[socks]>=2\",\n]\n"}}, []string{"pyproject.toml:4"}, false},
		{"a crate", "forbid: {dependency: openssl}", []edit{{"Cargo.toml", "[dependencies]\n", "[dependencies]\nopenssl = { version = \"0.10\" }\n"}}, []string{"Cargo.toml:2"}, false},
		{"a feature of the same name is no crate", "forbid: {dependency: openssl}", []edit{{"Cargo.toml", "[features]\n", "[features]\nopenssl = []\n"}}, nil, false},

		{"a layer imports what it must not", "forbid: {import: internal/db}\nin: [\"ui/**\"]", []edit{{"ui/page.go", "package ui\n", "package ui\n\nimport \"example.com/shop/internal/db\"\n"}}, []string{"ui/page.go:3"}, false},
		{"another layer may", "forbid: {import: internal/db}\nin: [\"ui/**\"]", []edit{{"store/s.go", "package store\n", "package store\n\nimport \"example.com/shop/internal/db\"\n"}}, nil, false},
		{"a file that imported it already", "forbid: {import: internal/db}", []edit{{"ui/page.go", "package ui\n\nimport \"example.com/shop/internal/db\"\n", "package ui\n\nimport (\n\t\"example.com/shop/internal/db\"\n\t\"example.com/shop/internal/db/sql\"\n)\n"}}, nil, false},
		{"a sibling of the same beginning", "forbid: {import: internal/db}", []edit{{"ui/page.go", "package ui\n", "package ui\n\nimport \"example.com/shop/internal/dbtest\"\n"}}, nil, false},
		{"an import in a comment is none", "forbid: {import: lodash}", []edit{{"a.js", "x\n", "// import y from 'lodash'\nx\n"}}, nil, false},
		{"a relative import leads there", "forbid: {import: src/db}\nin: [\"src/ui/**\"]", []edit{{"src/ui/a.ts", "", "import {q} from '../db/query'\n"}}, []string{"src/ui/a.ts:1"}, false},
		{"a Python import by its dots", "forbid: {import: app.db}", []edit{{"app/ui.py", "import os\n", "import os\nfrom app.db import session\n"}}, []string{"app/ui.py:2"}, false},
		{"each new file brings the import", "require: {import: app.log}\nin: [\"app/*.py\"]", []edit{{"app/new.py", "-", "import os\n"}}, []string{"app/new.py:0"}, false},
		{"a file that never had it is not asked", "require: {import: app.log}\nin: [\"app/*.py\"]", []edit{{"app/old.py", "import os\n", "import os, re\n"}}, nil, false},
		{"a file loses it", "require: {import: app.log}\nin: [\"app/*.py\"]", []edit{{"app/old.py", "import app.log\nx = 1\n", "x = 1\n"}}, []string{"app/old.py:1"}, false},

		{"a frozen file is edited", `forbid: {path: "legacy/**"}`, []edit{{"legacy/a.c", "int a;\n", "int b;\n"}}, []string{"legacy/a.c:1"}, false},
		{"a frozen folder gets a file", `forbid: {path: "legacy/**", change: add}`, []edit{{"legacy/b.c", "-", "int b;\n"}}, []string{"legacy/b.c:0"}, false},
		{"only additions are ruled out", `forbid: {path: "legacy/**", change: add}`, []edit{{"legacy/a.c", "int a;\n", "int b;\n"}}, nil, false},
		{"another folder", `forbid: {path: "legacy/**"}`, []edit{{"src/a.c", "int a;\n", "int b;\n"}}, nil, false},
		{"new files have their place", "forbid: {path: \"**/*.sql\", change: add}\nexcept: [\"db/migrations/**\"]", []edit{{"app/x.sql", "-", "select 1;\n"}, {"db/migrations/1.sql", "-", "select 1;\n"}}, []string{"app/x.sql:0"}, false},
		{"what must be there goes", "require: {path: LICENSE}", []edit{{"LICENSE", "x\n", "-"}}, []string{"LICENSE:0"}, false},
		{"what must be there is edited", "require: {path: LICENSE}", []edit{{"LICENSE", "x\n", "y\n"}}, nil, false},

		{"a banned call comes", "forbid: {identifier: os.Exit}\nin: [\"internal/**\"]", []edit{{"internal/a.go", "package a\n", "package a\n\nfunc f() { os.Exit(1) }\n"}}, []string{"internal/a.go:3"}, false},
		{"the same name of another package", "forbid: {identifier: os.Exit}", []edit{{"a.go", "package a\n", "package a\n\nfunc f() { app.Exit(1) }\n"}}, nil, false},
		{"the name in a string or comment", "forbid: {identifier: parseUnsafe}", []edit{{"a.go", "package a\n", "package a\n\n// parseUnsafe is gone\nvar s = \"parseUnsafe\"\n"}}, nil, false},
		{"a second use is one more", "forbid: {identifier: parseUnsafe}", []edit{{"a.go", "package a\n\nvar a = parseUnsafe()\n", "package a\n\nvar a = parseUnsafe()\nvar b = parseUnsafe()\n"}}, []string{"a.go:4"}, false},
		{"a line with a use is edited", "forbid: {identifier: parseUnsafe}", []edit{{"a.go", "package a\n\nvar a = parseUnsafe(1)\n", "package a\n\nvar a = parseUnsafe(2)\n"}}, nil, false},
		{"a use moves to another file", "forbid: {identifier: parseUnsafe}", []edit{{"a.go", "package a\n\nvar a = parseUnsafe(1)\n", "package a\n"}, {"b.go", "package a\n", "package a\n\nvar a = parseUnsafe(1)\n"}}, nil, false},
		{"only definitions are ruled out", "forbid: {identifier: Init, as: defined}", []edit{{"a.go", "package a\n", "package a\n\nfunc Init() {}\n\nvar x = other.Init\n"}}, []string{"a.go:3"}, false},
		{"a required definition goes", "require: {identifier: Version, as: defined}", []edit{{"a.go", "package a\n\nconst Version = 1\n", "package a\n"}}, []string{"a.go:3"}, false},
		{"it moves", "require: {identifier: Version, as: defined}", []edit{{"a.go", "package a\n\nconst Version = 1\n", "package a\n"}, {"b.go", "package a\n", "package a\n\nconst Version = 1\n"}}, nil, false},

		{"text that is ruled out", `forbid: {text: 'console\.log\('}`, []edit{{"a.js", "x\n", "x\nconsole.log(x)\n"}}, []string{"a.js:2"}, false},
		{"documents may say it", `forbid: {text: 'console\.log\('}`, []edit{{"README.md", "x\n", "x\nconsole.log(x)\n"}}, nil, false},
		{"on lines of code only", `forbid: {text: 'console\.log\(', lines: code}`, []edit{{"a.js", "x\n", "x\n// console.log(x)\n"}}, nil, false},
		{"in comments only", `forbid: {text: 'HACK', lines: comment}`, []edit{{"a.go", "package a\n", "package a\n\n// HACK x\nvar HACK = 1\n"}}, []string{"a.go:3"}, false},
		{"a header that each new file needs", "require: {text: 'Copyright'}\nin: [\"**/*.go\"]", []edit{{"a.go", "-", "package a\n"}, {"b.go", "-", "// Copyright\npackage a\n"}}, []string{"a.go:0"}, true},
		{"other people's files are left alone", `forbid: {text: 'x'}`, []edit{{"vendor/a/a.go", "-", "x\n"}, {"node_modules/b.js", "-", "x\n"}}, nil, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := rule(t, c.rule)
			out := r.Hold(made(c.edits...), assert.Env{GoModule: "example.com/shop", Folder: ".sayso/memory"})
			var got []string
			for _, h := range out.Broken {
				got = append(got, h.Path+":"+strconv.Itoa(h.Line))
			}
			if strings.Join(got, " ") != strings.Join(c.broken, " ") {
				t.Errorf("broken at %v, want %v", got, c.broken)
			}
			if (len(out.Kept) > 0) != c.kept {
				t.Errorf("kept %v, want %v", out.Kept, c.kept)
			}
			if len(out.Unread) > 0 {
				t.Errorf("unread: %v", out.Unread)
			}
		})
	}
}

func TestTheMemoryItselfIsNotLookedAt(t *testing.T) {
	r := rule(t, `forbid: {text: 'moment'}`+"\nin: [\"**\"]")
	out := r.Hold(made(edit{".sayso/memory/no-moment.md", "-", "no moment\n"}), assert.Env{Folder: ".sayso/memory"})
	if len(out.Broken) > 0 {
		t.Error(out.Broken)
	}
}

func TestWhatCouldNotBeReadIsSaid(t *testing.T) {
	r := rule(t, "forbid: {dependency: lodash}")
	c := made(edit{"package.json", npm, "{ broken lodash"})
	if out := r.Hold(c, assert.Env{}); len(out.Unread) != 1 || len(out.Broken) != 0 {
		t.Errorf("%+v", out)
	}
	c.Files[0].Unread = change.ReasonMissing
	if out := r.Hold(c, assert.Env{}); len(out.Unread) != 1 {
		t.Errorf("%+v", out)
	}
	c = made()
	c.Gaps = []change.Gap{{Reason: change.ReasonParent}}
	if out := r.Hold(c, assert.Env{}); len(out.Unread) != 1 {
		t.Errorf("%+v", out)
	}
	unknown := rule(t, `forbid: {dependency: react, version: "<18"}`)
	if out := unknown.Hold(made(edit{"package.json", "{\n}\n", strings.Replace(npm, "^17.0.2", "latest", 1)}), assert.Env{}); len(out.Unread) != 1 {
		t.Errorf("%+v", out)
	}
}

func TestWhatIsNotUnderstoodIsAProblem(t *testing.T) {
	for _, c := range []struct{ name, rule, want string }{
		{"a word nobody knows", "- forbid: {dependency: x}\n    inn: [a]", `does not know "inn"`},
		{"no verb", "- {in: [a]}", "either forbid or require"},
		{"both verbs", "- {forbid: {path: a}, require: {path: a}}", "either forbid or require"},
		{"no subject", "- forbid: {}", "names one of"},
		{"two subjects", "- forbid: {path: a, text: b}", "one subject"},
		{"no text", "- forbid: {path: ''}", "one piece of text"},
		{"no expression", "- forbid: {text: '('}", "not an RE2 expression"},
		{"an expression that is everywhere", "- forbid: {text: 'a*'}", "matches every line"},
		{"no glob", "- forbid: {path: '[a'}", "no glob"},
		{"no range", "- forbid: {dependency: a, version: new}", "no number"},
		{"an unknown change", "- forbid: {path: a, change: [touch]}", "none of add, edit, delete"},
		{"a keyword", "- forbid: {identifier: if}", "keyword"},
		{"a requirement of nobody", "- require: {text: a}", "needs in"},
		{"a list that is none", "{forbid: {path: a}}", "is a list"},
		{"not YAML", "- [", "not YAML"},
		{"a key twice", "- {in: [a], forbid: {path: a}, in: [b]}", `twice`},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := "asserts:\n  " + c.rule + "\n"
			if !strings.HasPrefix(c.rule, "-") {
				text = "asserts: " + c.rule
			}
			rules, problems := assert.Parse(text)
			if len(rules) > 0 || len(problems) == 0 || !strings.Contains(problems[0].Text, c.want) {
				t.Errorf("rules %v, problems %v, want %q", rules, problems, c.want)
			}
		})
	}
	rules, problems := assert.Parse("asserts:\n  - forbid: {path: a}\n  - forbid: {pth: b}\n  - require: {path: c}\n")
	if len(rules) != 2 || len(problems) != 1 || problems[0].Line != 3 || rules[1].Line != 4 {
		t.Errorf("one bad rule costs that rule: %v, %v", rules, problems)
	}
	if rules, problems := assert.Parse(""); rules != nil || problems != nil {
		t.Error("nothing is no rule and no problem")
	}
}

func TestVersionRanges(t *testing.T) {
	for _, c := range []struct {
		want string // the range of the rule
		have string // as a manifest declares it
		hit  bool
	}{
		{"<2", "^1.9", true}, {"<2", "2.0.0", false}, {">=1.2 <1.4", "~1.3.0", true}, {">=1.2, <1.4", "1.4", false},
		{"^1.2", "1.9.1", true}, {"^1.2", "2.0.0", false}, {"^0.2.1", "0.3.0", false}, {"~1.2", "1.2.9", true}, {"~1.2", "1.3.0", false},
		{"~> 4.17", "4.99", true}, {"~> 4.17.0", "4.18", false}, {"1.2", "v1.2.7", true}, {"1.2.3", "1.2.4", false}, {"<1 || >3", "4.0", true}, {"<1 || >3", "2.0", false},
		{"<2.0.0", "2.0.0-rc.1", true}, {"^1", "2.0.0-rc.1", false}, {"!=1.0.0", "1.0.0", false}, {"< 3", ">= 2.1, < 4", true},
	} {
		r := rule(t, `forbid: {dependency: react, version: "`+c.want+`"}`)
		out := r.Hold(made(edit{"package.json", "{}\n", strings.Replace(npm, "^17.0.2", c.have, 1)}), assert.Env{})
		if (len(out.Broken) > 0) != c.hit || len(out.Unread) > 0 {
			t.Errorf("%s in %s: broken %v, unread %v", c.have, c.want, out.Broken, out.Unread)
		}
	}
}

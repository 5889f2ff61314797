package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

var known = []string{"scope", "path", "action", "identifier", "component", "tests", "undisclosed"}

func TestLoadReadsEveryKey(t *testing.T) {
	got, err := Load([]byte("\xef\xbb\xbf"+`
checks: {scope: advisory, tests: off}
ignore: ["docs/**", '*.snap']
scopes:
  api: [internal/server/**]
generated: [internal/pb/**]
vendored: [third_party/]
exceptions:
  - check: path
    paths: [tools/**]
    commits: [0123abc]
    reason: moves piece by piece
    until: 2030-01-31
fail-on: [contradicted, likely]
memory:
  folder: docs/memory
  spaces: {team: ../team/entries, me: ~/notes}
`), known)
	if err != nil {
		t.Fatal(err)
	}
	want := &Config{
		Checks:     map[string]string{"scope": "advisory", "tests": "off"},
		Ignore:     []string{"docs/**", "*.snap"},
		Scopes:     map[string][]string{"api": {"internal/server/**"}},
		Generated:  []string{"internal/pb/**"},
		Vendored:   []string{"third_party/"},
		Exceptions: []Exception{{Check: "path", Paths: []string{"tools/**"}, Commits: []string{"0123abc"}, Reason: "moves piece by piece", Until: "2030-01-31"}},
		FailOn:     []string{"contradicted", "likely"},
		Memory:     Memory{Folder: "docs/memory", Spaces: map[string]string{"team": "../team/entries", "me": "~/notes"}},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestLoadOfNothingIsTheDefault(t *testing.T) {
	for _, in := range []string{"", "\n\n", "# only words\n", "---\n", "---\n# x\n...\n", "~\n", "checks:\nignore:\nexceptions:\n"} {
		got, err := Load([]byte(in), known)
		if err != nil {
			t.Errorf("%q: %v", in, err)
		} else if d := cmp.Diff(Default(), got); d != "" {
			t.Errorf("%q: %s", in, d)
		}
	}
}

func TestLoadNamesEveryFaultWithItsLine(t *testing.T) {
	bomb := "a: &a [x,x,x,x,x,x,x,x,x]\n"
	for c := 'b'; c < 'j'; c++ {
		bomb += fmt.Sprintf("%c: &%c [%s]\n", c, c, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*%c,", c-1), 9), ","))
	}
	for _, c := range []struct{ name, in, want string }{
		{"unknown key with the nearest one", "checks: {}\n\nigonre: [x]\n", `line 3: unknown key "igonre": did you mean "ignore"?`},
		{"underscore for hyphen", "fail_on: [never]\n", `line 1: unknown key "fail_on": did you mean "fail-on"?`},
		{"unknown key far from all", "colour: red\n", `line 1: unknown key "colour"`},
		{"all unknown keys at once", "igonre: 1\nx: 2\nscope: {}\n", `line 1: unknown key "igonre": did you mean "ignore"?; line 2: unknown key "x"; line 3: unknown key "scope": did you mean "scopes"?`},
		{"unknown check", "checks:\n  scop: gate\n", `line 2: unknown check "scop": did you mean "scope"?`},
		{"unknown level", "checks:\n  scope: error\n", `line 2: level of check "scope" is "error": one of gate, advisory, off`},
		{"level that is nothing", "checks:\n  scope:\n", `line 2: level of check "scope" is empty, not a word`},
		{"glob that is none", "ignore:\n  - 'a/[b'\n", `line 2: pattern "a/[b" in ignore is not a glob (an unclosed [ or {?)`},
		{"exclusion", "ignore: ['!a']\n", `line 1: pattern "!a" in ignore: exclusions with ! are not read`},
		{"empty glob", "vendored: ['/']\n", `line 1: empty pattern in vendored`},
		{"word for a list", "ignore: docs\n", `line 1: ignore is the word "docs", not a list (- item)`},
		{"list for a mapping", "scopes: [a]\n", `line 1: scopes is a list, not a mapping (key: value)`},
		{"list for the file", "- a\n", `line 1: the file is a list, not a mapping (key: value)`},
		{"word for the file", "hello\n", `line 1: the file is the word "hello", not a mapping (key: value)`},
		{"exception without reason and until", "exceptions:\n  - check: scope\n", `line 2: exception without "reason": check, reason and until are needed; line 2: exception without "until": check, reason and until are needed`},
		{"exception that is nothing", "exceptions: [~]\n", `line 1: exception is empty: check, reason and until are needed`},
		{"exception with a day that is none", "exceptions:\n  - {check: scope, reason: r, until: 2026-02-30}\n", `line 2: until "2026-02-30" is not a day as YYYY-MM-DD`},
		{"exception with an empty reason", "exceptions:\n  - {check: scope, reason: ' ', until: 2026-02-20}\n", `line 2: reason of an exception is empty`},
		{"exception key", "exceptions:\n  - {check: scope, reason: r, untill: 2026-02-20, until: 2026-02-20}\n", `line 2: unknown key "untill": did you mean "until"?`},
		{"short commit", "exceptions:\n  - {check: scope, reason: r, until: 2026-02-20, commits: [abc]}\n", `line 2: commit "abc" is not a hash of 7 to 64 hexadecimal digits`},
		{"unknown fail-on", "fail-on: [contradict]\n", `line 1: fail-on value is "contradict": did you mean "contradicted"?: one of never, contradicted, likely, decision, unverifiable`},
		{"never with others", "fail-on: [never, likely]\n", `line 1: fail-on "never" stands alone`},
		{"memory key", "memory: {dir: x}\n", `line 1: unknown key "dir"`},
		{"memory folder outside", "memory:\n  folder: ../x\n", `line 2: folder of memory is "../x", not a path from the top of the repository with / and without ..`},
		{"memory folder in .git", "memory: {folder: .Git/x}\n", `line 1: folder of memory is ".Git/x", not a path from the top of the repository with / and without ..`},
		{"memory folder that is absolute", "memory: {folder: /etc}\n", `line 1: folder of memory is "/etc", not a path from the top of the repository with / and without ..`},
		{"space called repo", "memory: {spaces: {repo: x}}\n", `line 1: space "repo": a name of letters, digits, - and _ is needed, and not repo, which is the repository's own`},
		{"space without a folder", "memory: {spaces: {a: ' '}}\n", `line 1: the folder of space "a" is empty`},
		{"duplicate key", "ignore: [a]\nignore: [b]\n", `line 2: key "ignore" is already at line 1`},
		{"alias", "ignore: &a [x]\nvendored: *a\n", `line 1: anchors are not read here: write the value out; line 2: aliases are not read here: write the value out`},
		{"tag", "ignore: !!binary aGk=\n", `line 1: tags are not read here`},
		{"two documents", "ignore: [a]\n---\nignore: [b]\n", `more than one document (---): one is read`},
		{"broken YAML", "ignore: [a\n", `line 2: not YAML: did not find expected ',' or ']'`},
		{"tab", "checks:\n\tscope: off\n", `line 2: not YAML: found character that cannot start any token`},
		{"NUL", "ignore: [a]\n\x00", `line 2: control character 0x00`},
		{"escape sequence", "ignore: [a]\n# \x1b[31m", `line 2: control character 0x1b`},
		{"not UTF-8", "\n\nignore: [\xff]\n", `line 3: byte 0xff is not UTF-8: save the file as UTF-8`},
		{"UTF-16", "\xff\xfea\x00", `line 1: byte 0xff is not UTF-8: save the file as UTF-8`},
		{"key that is a mapping", "? {a: b}\n: c\n", `line 1: key of the file is a mapping, not a word`},
		{"ten megabytes", strings.Repeat("# x\n", 10<<18), `the file has 10485760 bytes, at most 1048576 are read`},
		{"deep nesting", strings.Repeat("[", 500000), `line 1: not YAML: exceeded max depth of 10000`},
		{"hostile key", "\"a\\u001b[31m\\n::error::x\": 1\n", `line 1: unknown key "a\x1b[31m\n::error::x"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := Load([]byte(c.in), known)
			if err == nil {
				t.Fatalf("no error, got %+v", got)
			}
			if got != nil {
				t.Error("a configuration beside the error")
			}
			if err.Error() != c.want {
				t.Errorf("got  %s\nwant %s", err, c.want)
			}
		})
	}
	t.Run("alias bomb", func(t *testing.T) {
		_, err := Load([]byte(bomb), known)
		if err == nil || strings.Contains(err.Error(), "\n") || len(err.Error()) > 2000 {
			t.Errorf("got %v", err)
		}
	})
	t.Run("a thousand faults are counted, not listed", func(t *testing.T) {
		var in strings.Builder
		for i := range 1000 {
			fmt.Fprintf(&in, "zz%d: 1\n", i)
		}
		_, err := Load([]byte(in.String()), known)
		var e *Error
		if !errors.As(err, &e) || len(e.Problems) != maxProblems || e.More != 1000-maxProblems {
			t.Errorf("got %v", err)
		}
	})
}

func TestLoadLeavesCheckIDsAloneWithoutAList(t *testing.T) {
	if _, err := Load([]byte("checks: {whatever: gate}\n"), nil); err != nil {
		t.Error(err)
	}
}

func TestTemplateChangesNothingAndEveryExampleInItIsValid(t *testing.T) {
	c, err := Load(Template(), known)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(Default(), c); d != "" {
		t.Error(d)
	}
	// Uncommented examples: comment lines that are YAML, not sentences.
	var in strings.Builder
	for line := range strings.Lines(string(Template())) {
		if l, ok := strings.CutPrefix(line, "# "); ok && (strings.Contains(l, ":") && !strings.Contains(l, "): ") && l[0] >= 'a' && l[0] <= 'z' || strings.HasPrefix(l, "  ")) {
			in.WriteString(l)
		}
	}
	c, err = Load([]byte(in.String()), append(known, "lexical"))
	if err != nil {
		t.Fatalf("%v in\n%s", err, in.String())
	}
	if len(c.Checks) != 2 || len(c.Ignore) != 2 || len(c.Scopes) != 1 || len(c.Exceptions) != 1 || len(c.FailOn) != 1 || len(c.Generated) != 1 || len(c.Vendored) != 1 {
		t.Errorf("an example is not in the template as it should be: %+v", c)
	}
}

func TestMatch(t *testing.T) {
	for _, c := range []struct {
		glob, path string
		want       bool
	}{
		{"*.snap", "a/b/c.snap", true},
		{"*.snap", "c.snap", true},
		{"*.snap", "c.snapper", false},
		{"/*.snap", "c.snap", true},
		{"/*.snap", "a/c.snap", false},
		{"docs", "docs/a/b.md", true},
		{"docs", "x/docs/a.md", true},
		{"docs", "docs", true},
		{"docs/", "docs", false},
		{"docs/", "docs/a", true},
		{"docs/", "x/docs/a", true},
		{"docs/", "docs/docs", true},
		{"a/docs/", "a/docs/b/c", true},
		{"a/docs/", "x/a/docs/b", false},
		{"a/**", "a/b/c", true},
		{"a/**", "b/a/c", false},
		{"**/gen/*.go", "x/gen/y.go", true},
		{"{a,b}/*.go", "b/x.go", true},
		{"./a/b", "a/b", true},
		{"[", "[", false},
		{"", "a", false},
		{"*", "", false},
	} {
		if got := Match(c.glob, c.path); got != c.want {
			t.Errorf("Match(%q, %q) = %v", c.glob, c.path, got)
		}
	}
}

func TestExceptionsHoldToTheirLastDayAndOnlyWhereTheySay(t *testing.T) {
	day := func(s string) time.Time {
		d, err := time.Parse(dateForm, s)
		if err != nil {
			t.Fatal(err)
		}
		return d.Add(23 * time.Hour)
	}
	c := &Config{Exceptions: []Exception{
		{Check: "scope", Paths: []string{"tools/**"}, Reason: "paths", Until: "2026-06-30"},
		{Check: "scope", Commits: []string{"0123ABC"}, Reason: "commit", Until: "2026-06-30"},
		{Check: "path", Reason: "all", Until: "2026-06-30"},
		{Check: "action", Paths: []string{"a"}, Commits: []string{"fffffff"}, Reason: "both", Until: "2026-06-30"},
	}}
	for _, x := range []struct{ check, path, commit, day, want string }{
		{"scope", "tools/a.go", "", "2026-06-30", "paths"},
		{"scope", "tools/a.go", "", "2026-07-01", ""},
		{"scope", "src/a.go", "", "2026-06-30", ""},
		{"scope", "", "", "2026-06-30", ""},
		{"scope", "", "0123abcdef", "2026-06-30", "commit"},
		{"path", "", "", "2026-06-30", "all"},
		{"action", "a", "eeeeeee", "2026-06-30", ""},
		{"action", "b", "fffffff", "2026-06-30", ""},
		{"action", "a", "fffffff0", "2026-06-30", "both"},
		{"tests", "a", "", "2026-06-30", ""},
	} {
		e, ok := c.ExceptionFor(x.check, x.path, x.commit, day(x.day))
		if e.Reason != x.want || ok != (x.want != "") {
			t.Errorf("%+v: got %q", x, e.Reason)
		}
	}
	if got := c.Expired(day("2026-06-30")); len(got) != 0 {
		t.Errorf("expired on their last day: %v", got)
	}
	if got := c.Expired(day("2026-07-01")); len(got) != 4 {
		t.Errorf("%d of 4 expired", len(got))
	}
	if !(Exception{Until: "someday"}).Expired(day("2026-01-01")) {
		t.Error("a day that cannot be read never passes")
	}
}

func TestScopes(t *testing.T) {
	c := &Config{Scopes: map[string][]string{"API": {"srv/**"}, "api": {"a"}, "Core": {"core/"}}}
	if d := cmp.Diff([]string{"a"}, c.ScopeGlobs("api")); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"srv/**"}, c.ScopeGlobs("aPi")); d != "" {
		t.Error(d)
	}
	if covers, known := c.ScopeCovers("core", "core/x.go"); !covers || !known {
		t.Error("core/x.go is not in core")
	}
	if covers, known := c.ScopeCovers("none", "core/x.go"); covers || known {
		t.Error("a scope that is not there is known")
	}
}

func TestParseFailOn(t *testing.T) {
	got, err := ParseFailOn("contradicted, likely,likely")
	if d := cmp.Diff([]string{"contradicted", "likely"}, got); d != "" || err != nil {
		t.Error(d, err)
	}
	for in, want := range map[string]string{
		"likly":        `unknown fail-on value "likly": did you mean "likely"?: one of never, contradicted, likely, decision, unverifiable`,
		"":             `unknown fail-on value "": one of never, contradicted, likely, decision, unverifiable`,
		"never,likely": `fail-on "never" stands alone`,
	} {
		if _, err := ParseFailOn(in); err == nil || err.Error() != want {
			t.Errorf("%q: got %v", in, err)
		}
	}
}

func TestAttributes(t *testing.T) {
	a := ParseAttributes([]byte(`# comment
[attr]made linguist-generated linguist-vendored=false
*.pb.go linguist-generated
api/*.pb.go -linguist-generated
/root.txt linguist-generated=true
gen/** linguist-generated=false
third/** linguist-vendored
third/own/** !linguist-vendored
"with space.go" linguist-generated
*.made made
dir/ linguist-generated
{a,b}.x linguist-generated
"" linguist-generated
*.go -
"" 
bad[ linguist-generated
`))
	for _, c := range []struct {
		path                 string
		gen, genSaid, vendor bool
	}{
		{"x/a.pb.go", true, true, false},
		{"api/a.pb.go", false, true, false},
		{"root.txt", true, true, false},
		{"x/root.txt", false, false, false},
		{"gen/x.go", false, true, false},
		{"third/x", false, false, true},
		{"third/own/x", false, false, false},
		{"with space.go", true, true, false},
		{"q/z.made", true, true, false},
		{"dir/a", false, false, false},
		{"dir", false, false, false},
		{"a.x", false, false, false},
		{"{a,b}.x", true, true, false},
		{"main.go", false, false, false},
	} {
		gen, said := a.Generated(c.path)
		vendor, _ := a.Vendored(c.path)
		if gen != c.gen || said != c.genSaid || vendor != c.vendor {
			t.Errorf("%s: generated %v (said %v), vendored %v", c.path, gen, said, vendor)
		}
	}
}

func TestShowIsReadBackAndNamesEveryKey(t *testing.T) {
	out, err := Default().Show(map[string]string{"scope": "gate", "undisclosed": "advisory"})
	if err != nil {
		t.Fatal(err)
	}
	want := `checks:
  scope: gate
  undisclosed: advisory
ignore: []
scopes: {}
generated: []
vendored: []
exceptions: []
fail-on:
- contradicted
memory:
  folder: .sayso/memory
  spaces: {}
`
	if d := cmp.Diff(want, string(out)); d != "" {
		t.Error(d)
	}
}

// What Show writes is the configuration that Load reads back.
func TestShowThenLoadIsTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		// Any text that a file may hold: no control characters, valid UTF-8.
		word := rapid.StringMatching(`[a-zA-Z0-9 :#'"é日\-_*?.~@&%|>]{1,20}`).Filter(func(s string) bool {
			return strings.TrimSpace(s) != ""
		})
		glob := word.Filter(func(s string) bool { return !strings.HasPrefix(s, "!") })
		globs := rapid.SliceOfN(glob, 1, 4)
		in := &Config{
			Checks: map[string]string{"scope": rapid.SampledFrom(Levels).Draw(t, "level")},
			Ignore: globs.Draw(t, "ignore"), Generated: globs.Draw(t, "generated"), Vendored: globs.Draw(t, "vendored"),
			Scopes:     rapid.MapOfN(word, globs, 1, 3).Draw(t, "scopes"),
			Exceptions: []Exception{{Check: "path", Paths: globs.Draw(t, "paths"), Reason: word.Draw(t, "reason"), Until: "2026-01-02"}},
			FailOn:     []string{rapid.SampledFrom(FailOnValues).Draw(t, "fail-on")},
			Memory: Memory{
				Folder: rapid.StringMatching(`[a-z.]{3,8}(/[a-zé ]{1,8}){0,2}`).Filter(ValidFolder).Draw(t, "folder"),
				Spaces: rapid.MapOfN(rapid.StringMatching(`[a-zA-Z0-9_-]{1,9}`).Filter(ValidSpace), word, 1, 3).Draw(t, "spaces"),
			},
		}
		out, err := in.Show(nil)
		if err != nil {
			t.Fatal(err)
		}
		back, err := Load(out, known)
		if err != nil {
			t.Fatalf("%v in\n%s", err, out)
		}
		if d := cmp.Diff(in, back); d != "" {
			t.Fatal(d)
		}
	})
}

func FuzzLoad(f *testing.F) {
	f.Add([]byte(template))
	f.Add([]byte("checks: {scope: off}\nexceptions: [{check: path, reason: r, until: 2030-01-01}]\n"))
	f.Add([]byte("igonre: [*a]\n? {}\n: !!map &b\n<<: *b\n"))
	f.Add([]byte("\xef\xbb\xbfignore: ['a\\\u2028b']\r\n---\r\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := Load(data, known)
		if err != nil {
			if c != nil {
				t.Error("a configuration beside an error")
			}
			for _, r := range err.Error() {
				if r < ' ' || r == 0x7f {
					t.Fatalf("control character in the error %q", err.Error())
				}
			}
			return
		}
		out, err := c.Show(nil)
		if err != nil {
			t.Fatal(err)
		}
		back, err := Load(out, known)
		if err != nil {
			t.Fatalf("%v in\n%s", err, out)
		}
		again, err := back.Show(nil)
		if err != nil || string(again) != string(out) {
			t.Fatalf("%v\n%s\nis not\n%s", err, again, out)
		}
		c.Ignored("a/b")
		c.ExceptionFor("path", "a/b", "0123456", time.Unix(0, 0))
	})
}

func FuzzAttributes(f *testing.F) {
	f.Add([]byte("*.go linguist-generated\n[attr]x y\n\"\n\"\" a\n/ a\na// b\n"), "a/b.go")
	f.Fuzz(func(t *testing.T, data []byte, path string) {
		a := ParseAttributes(data)
		if set, said := a.Generated(path); set && !said {
			t.Error("generated though no line says so")
		}
		if set, said := a.Vendored(path); set && !said {
			t.Error("vendored though no line says so")
		}
	})
}

func BenchmarkLoad(b *testing.B) {
	data, err := os.ReadFile(filepath.Join("testdata", "full.yaml"))
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := Load(data, known); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkIgnored(b *testing.B) {
	c := &Config{Ignore: []string{"docs/**", "*.snap", "/a/b/", "{x,y}/**/*.go"}}
	for b.Loop() {
		c.Ignored("internal/server/handlers/user_handler.go")
	}
}

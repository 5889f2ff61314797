package claim

import (
	"strings"
	"testing"
)

// scopes is the scope claims of a message as "class(targets)".
func scopes(m *Message) string {
	var out []string
	for _, c := range m.Claims {
		if c.Kind != KindScope {
			continue
		}
		var words []string
		for _, t := range c.Targets {
			words = append(words, t.Text)
		}
		s := string(c.Class)
		if len(words) > 0 {
			s += "(" + strings.Join(words, " ") + ")"
		}
		out = append(out, s)
	}
	return strings.Join(out, "; ")
}

func TestScopeStatementsInTheBody(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		// only + verb, verb + only
		{"This commit only touches internal/foo.", "paths(internal/foo)"},
		{"Only changes docs/guide.md and README.md.", "paths(docs/guide.md and README.md)"},
		{"Touches just src/lib.rs.", "paths(src/lib.rs)"},
		{"This only affects tests.", "tests(tests)"},
		{"This patch solely modifies `cmd/`.", "paths(cmd/)"},
		// confined
		{"Changes are limited to `pkg/a`.", "paths(pkg/a)"},
		{"This PR is restricted to the tests.", "tests(the tests)"},
		{"confined to src/a/ and src/b/", "paths(src/a/ and src/b/)"},
		{"Scoped to the documentation.", "docs(the documentation)"},
		{"The change is contained within lib/util.js.", "paths(lib/util.js)"},
		{"Isolated to one package.", "isolated(one package)"},
		// all, everything
		{"All changes are in internal/foo.", "paths(internal/foo)"},
		{"All of the edits live under docs/.", "paths(docs/)"},
		{"Everything lives under docs/.", "paths(docs/)"},
		{"The changes are only in web/.", "paths(web/)"},
		// what is left is nothing
		{"Nothing outside internal/foo is touched.", "paths(internal/foo)"},
		{"No files other than README.md were changed.", "paths(README.md)"},
		{"Does not touch anything outside `cmd/`.", "paths(cmd/)"},
		{"No code beyond internal/a is modified.", "paths(internal/a)"},
		{"Nothing but docs/ is touched.", "paths(docs/)"},
		{"Rewrites internal/lex.go; nothing else is touched.", "paths(Rewrites internal/lex.go)"},
		{"Rewrites internal/lex.go, and nothing else was changed.", "paths(Rewrites internal/lex.go)"},
		{"internal/lex.go is rewritten - no other file changes.", "paths(internal/lex.go is rewritten)"},
		{"Nothing else is touched.", "paths"},
		{"Touches nothing else.", "paths"},
		// one file
		{"Single-file change.", "file"},
		{"This is a one-file fix.", "file"},
		{"A single file change, for a start.", "file"},
		// the only one
		{"README.md is the only file changed.", "paths(README.md)"},
		{"Only the README is updated.", "docs(the README)"},
		{"This patch is purely documentation.", "docs(documentation)"},
		// X only
		{"Docs only.", "docs"},
		{"Documentation-only change.", "docs"},
		{"Test-only change.", "tests"},
		{"Tests only.", "tests"},
		{"Comment-only change.", "comments"},
		{"Formatting only.", "formatting"},
		{"Whitespace-only.", "formatting"},
		// fixed forms
		{"No functional change.", "no-functional-change"},
		{"No functional changes intended.", "no-functional-change"},
		{"No behavior change.", "no-functional-change"},
		{"No behavioural changes.", "no-functional-change"},
		{"No change in behaviour.", "no-functional-change"},
		{"Pure refactoring, no behaviour change.", "no-functional-change"},
		{"Behaviour is unchanged.", "no-functional-change"},
		{"NFC.", "no-functional-change"},
		{"No code changes.", "no-code-change"},
		{"No source changes.", "no-code-change"},
		{"No production code changes.", "no-code-change"},
		// what is left out
		{"This commit does not touch the API.", "excludes(the API)"},
		{"No changes to `internal/api`.", "excludes(internal/api)"},
		// the target ends where a contrast begins
		{"Only touches internal/a, unlike internal/b.", "paths(internal/a)"},
		{"Only touches internal/a, not internal/b.", "paths(internal/a)"},
		{"Only touches internal/a because internal/b is fine.", ""},
	} {
		t.Run(c.text, func(t *testing.T) {
			if got := scopes(Parse("Tidy\n\n"+c.text+"\n", Options{})); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestWhatLooksLikeAScopeStatementAndIsNone(t *testing.T) {
	for _, text := range []string{
		"This is not only docs.",
		"Nothing else matters.",
		"Nothing else is touched when the cache is warm.",
		"Nothing else depends on it.",
		"Support single-file projects.",
		"Speeds up single-file change detection.",
		"This is not a single-file change.",
		"This is not just tests.",
		"This isn't only a docs change.",
		"This doesn't only touch docs.",
		"The change is not limited to docs/.",
		"The parser only touches the docs when asked.",
		"The file is only changed when it is stale.",
		"Users only see the docs.",
		"It was previously limited to docs/.",
		"If only docs changed, skip the build.",
		"Builds are skipped for docs-only changes.",
		"Detect docs-only changes.",
		"Run the linter on test-only commits.",
		"The test only runs on Linux.",
		"Saves without code changes in between.",
		"We only document public names.",
		"It only took three seconds.",
		"The cache should only touch disk/.",
		"Could be limited to docs/.",
		"No user-visible behaviour change.",
		"Only change docs/ by hand.",
		"The server is the only one that writes config.yml.",
		"There is nothing outside the loop.",
		"Only works when `foo` is set.",
		"> This commit only touches docs/.",
		"    This commit only touches docs/.",
		"- [ ] This commit only touches docs/.",
	} {
		t.Run(text, func(t *testing.T) {
			if got := scopes(Parse("Tidy\n\n"+text+"\n", Options{})); got != "" {
				t.Errorf("read as %q", got)
			}
		})
	}
}

func TestTheSubjectHasStricterScopeStatements(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"docs-only change", "docs"},
		{"Docs only: fix a typo", "docs"},
		{"Fix typo in guide (docs only)", "docs"},
		{"Fix typo in guide - docs only", "docs"},
		{"fix(parser): reflow (comment-only)", "comments"},
		{"Refactor parser, no functional changes", "no-functional-change"},
		{"Refactor parser (NFC)", "no-functional-change"},
		{"Reformat (whitespace only)", "formatting"},
		{"Only document the flag", ""},
		{"Only comment the code", ""},
		{"Only touch docs/ in the watcher", ""},
		{"Skip builds for docs-only changes", ""},
		{"Add docs-only mode", ""},
		{"Make the test only run on Linux", ""},
		{"Revert \"docs only\"", ""},
	} {
		t.Run(c.text, func(t *testing.T) {
			if got := scopes(Parse(c.text, Options{})); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

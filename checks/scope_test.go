package checks_test

import (
	"strings"
	"testing"

	"github.com/saysolint/sayso/change"
	"github.com/saysolint/sayso/checks"
	"github.com/saysolint/sayso/claim"
)

// scopeFindings is what the scope check says of a message over a diff.
func scopeFindings(t *testing.T, text, diff string) []checks.Finding {
	t.Helper()
	var out []checks.Finding
	for _, f := range checks.Judge(checks.Input{Messages: message(text), Facts: parseDiff(t, diff), Tree: fakeTree{}}).Claims {
		if f.Kind == claim.KindScope {
			out = append(out, f)
		}
	}
	return out
}

func TestScopeOfOneFileAndOfNothingElse(t *testing.T) {
	lex := edit("internal/lex.go", "-var a = 1", "+var a = 2")
	for _, tc := range []struct {
		name, text, diff string
		want             checks.Verdict
	}{
		{"a single file, and it is", "Tidy the lexer\n\nSingle-file change.", lex, checks.Corroborated},
		{"a single file, and there are two", "Tidy the lexer\n\nSingle-file change.", lex + edit("cmd/run.go", "+var b = 1"), checks.Contradicted},
		{"a single file beside a lock file", "Tidy the lexer\n\nSingle-file change.", lex + edit("go.sum", "+example.org/x v1.0.0 h1:x"), checks.Neutral},
		{"a single file beside the changelog", "Tidy the lexer\n\nSingle-file change.", lex + edit("CHANGELOG.md", "+- a tidier lexer"), checks.Neutral},
		{"nothing else, and it is so", "Tidy the lexer\n\nRewrites internal/lex.go; nothing else is touched.", lex, checks.Corroborated},
		{"nothing else, and something is", "Tidy the lexer\n\nRewrites internal/lex.go; nothing else is touched.", lex + edit("cmd/run.go", "+var b = 1"), checks.Contradicted},
		{"nothing else than what no name says", "Tidy the lexer\n\nNothing else is touched.", lex + edit("cmd/run.go", "+var b = 1"), checks.Neutral},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := scopeFindings(t, tc.text, tc.diff)
			if len(got) != 1 || got[0].Verdict != tc.want {
				t.Errorf("got %+v, want one finding that is %s", got, tc.want)
			}
		})
	}
}

func TestOnlyThePointerOfASubmoduleLeavesActionsUnverifiable(t *testing.T) {
	for name, tc := range map[string]struct{ text, diff string }{
		"moved":   {"Remove the retry loop", "diff --git a/lib/sub b/lib/sub\nindex 1111111..2222222 160000\n--- a/lib/sub\n+++ b/lib/sub\n@@ -1 +1 @@\n-Subproject commit 1111111111111111111111111111111111111111\n+Subproject commit 2222222222222222222222222222222222222222\n"},
		"added":   {"Add the retry loop", "diff --git a/lib/sub b/lib/sub\nnew file mode 160000\nindex 0000000..2222222\n--- /dev/null\n+++ b/lib/sub\n@@ -0,0 +1 @@\n+Subproject commit 2222222222222222222222222222222222222222\n"},
		"removed": {"Remove the retry loop", "diff --git a/lib/sub b/lib/sub\ndeleted file mode 160000\nindex 2222222..0000000\n--- a/lib/sub\n+++ /dev/null\n@@ -1 +0,0 @@\n-Subproject commit 2222222222222222222222222222222222222222\n"},
	} {
		t.Run(name, func(t *testing.T) {
			facts := parseDiff(t, tc.diff)
			if len(facts.Change.Files) != 1 || facts.Change.Files[0].Unread != change.ReasonSubmodule {
				t.Fatalf("read as %+v", facts.Change.Files)
			}
			j := checks.Judge(checks.Input{Messages: message(tc.text), Facts: facts})
			if j.Coverage.State != "partial" {
				t.Errorf("coverage is %s", j.Coverage.State)
			}
			found := false
			for _, f := range j.Claims {
				if f.Kind == claim.KindAction {
					found = true
					if f.Verdict != checks.Unverifiable || !strings.Contains(f.Reason, "submodule") {
						t.Errorf("action is %s: %s", f.Verdict, f.Reason)
					}
				}
			}
			if !found {
				t.Error("no action was read")
			}
		})
	}
}

func TestAChangeOfWhichNothingCouldBeReadIsCoveredInPart(t *testing.T) {
	facts := parseDiff(t, "diff --git a/tool/model b/tool/model\nnew file mode 100644\nindex 0000000..1111111\nBinary files /dev/null and b/tool/model differ\n")
	if j := checks.Judge(checks.Input{Messages: message("Thoughts on the future"), Facts: facts}); j.Coverage.State != "partial" {
		t.Errorf("coverage is %s", j.Coverage.State)
	}
}

func TestRedactedTextLeavesClaimsUnverifiable(t *testing.T) {
	for name, tc := range map[string]struct {
		text, diff string
		kind       claim.Kind
	}{
		"a number that is not there": {"Raise the timeout from 30 to 60", edit("conf.yaml", "-timeout: REDACTED", "+timeout: REDACTED "), claim.KindQuantity},
		"a step that is masked":      {"Bump left-pad from 1.2.0 to 1.3.0", edit("package.json", "-    \"left-pad\": \"REDACTED\"", "+    \"left-pad\": \"[REDACTED]\""), claim.KindQuantity},
		"a line that only comes":     {"Remove the token", edit("conf.yaml", "+key: REDACTED"), claim.KindAction},
	} {
		t.Run(name, func(t *testing.T) {
			j := checks.Judge(checks.Input{Messages: message(tc.text), Facts: parseDiff(t, tc.diff)})
			if j.Coverage.State != "partial" {
				t.Errorf("coverage is %s", j.Coverage.State)
			}
			found := false
			for _, f := range j.Claims {
				if f.Verdict == checks.Contradicted {
					t.Errorf("contradicted: %s", f.Reason)
				}
				if f.Kind == tc.kind {
					found = true
					if f.Verdict != checks.Unverifiable || !strings.Contains(f.Reason, "redacted") {
						t.Errorf("%s: %s", f.Verdict, f.Reason)
					}
				}
			}
			if !found {
				t.Errorf("no %s was read: %+v", tc.kind, j.Claims)
			}
		})
	}
}

func TestContradictionsInASquashBodyAskWhetherTheyWereLeft(t *testing.T) {
	diff := edit("internal/lex.go", "-var a = 1", "+var a = 2") + edit("cmd/run.go", "+var b = 1")
	for name, tc := range map[string]struct {
		text string
		want bool
	}{
		"the form of a forge":     {"Rework the lexer (#12)\n\n* Rework the lexer\n\nOnly touches internal/lex.go.\n\n* Mend the runner\n", true},
		"subjects that are apart": {"Rework the lexer\n\n* Rework the lexer\n\nOnly touches internal/lex.go.\n\n* Mend the runner\n", true},
		"a list of one commit":    {"Rework the lexer\n\n* Rework the lexer\n* Mend the runner\n\nOnly touches internal/lex.go.\n", false},
		"no list":                 {"Rework the lexer\n\nOnly touches internal/lex.go.\n", false},
	} {
		t.Run(name, func(t *testing.T) {
			got := scopeFindings(t, tc.text, diff)
			if len(got) != 1 || got[0].Verdict != checks.Contradicted {
				t.Fatalf("got %+v", got)
			}
			if strings.HasSuffix(got[0].Reason, "(left from a squash?)") != tc.want {
				t.Errorf("reason %q", got[0].Reason)
			}
		})
	}
}

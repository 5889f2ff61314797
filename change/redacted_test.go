package change

import (
	"strings"
	"testing"
)

func TestRedactedTextIsDeclared(t *testing.T) {
	diff := func(path string, lines ...string) string {
		return "diff --git a/" + path + " b/" + path + "\n--- a/" + path + "\n+++ b/" + path + "\n@@ -1 +1 @@\n" + strings.Join(lines, "\n") + "\n"
	}
	for name, tc := range map[string]struct {
		diff string
		want bool
	}{
		"as a value":              {diff("conf.yaml", "-key: REDACTED", "+key: [REDACTED]"), true},
		"behind a prefix":         {diff("conf.yaml", "-key: a", "+key: sk-REDACTED"), true},
		"on the side that goes":   {diff("conf.yaml", "-key: ***REDACTED***", "+key: a"), true},
		"in a longer name":        {diff("conf.yaml", "-key: a", "+key: REDACTED_KEY"), false},
		"in another case":         {diff("conf.yaml", "-key: a", "+key: redacted"), false},
		"in code about redaction": {diff("mask.go", "-x := 1", "+const Redacted = \"REDACTED\""), false},
		"in a file named for it":  {diff("redact.go", "-x := 1", "+const mark = \"REDACTED\""), false},
		"nowhere":                 {diff("conf.yaml", "-key: a", "+key: b"), false},
	} {
		t.Run(name, func(t *testing.T) {
			ch, err := Parse(strings.NewReader(tc.diff), Limits{})
			if err != nil {
				t.Fatal(err)
			}
			got := len(ch.Gaps) == 1 && ch.Gaps[0].Reason == ReasonRedacted && ch.Gaps[0].Path == ch.Files[0].Path && strings.Contains(ch.Gaps[0].Detail, "line 1")
			if got != tc.want || !tc.want && len(ch.Gaps) > 0 {
				t.Errorf("gaps %+v", ch.Gaps)
			}
		})
	}
}

package checks_test

import (
	"strings"
	"testing"

	"github.com/saysolint/sayso/change"
	"github.com/saysolint/sayso/checks"
)

// statement is the finding of the second sentence of a message.
func statement(t *testing.T, in checks.Input) checks.Finding {
	t.Helper()
	for _, f := range checks.Judge(in).Claims {
		if f.Check == "lexical" || f.Check == "similarity" {
			return f
		}
	}
	t.Fatal("the statement was not judged")
	return checks.Finding{}
}

func TestLettersThatRunAlikeAreSupportAndNoProof(t *testing.T) {
	facts := func() *change.Facts {
		return parseDiff(t, edit("store/users.go", "-func all() []string { return userNames() }", "+func all() []string { return dedupeUserNames(userNames()) }"))
	}
	for name, tc := range map[string]struct {
		text, check string
		levels      map[string]string
		support     bool
	}{
		"a word is shared":          {"Tidy\n\nUse every name once.", "lexical", nil, true},
		"only letters are shared":   {"Tidy\n\nUse deduplication of usertypes.", "similarity", nil, true},
		"nothing is shared":         {"Tidy\n\nUse quick clocks here.", "lexical", nil, false},
		"the check is switched off": {"Tidy\n\nUse deduplication of usertypes.", "lexical", map[string]string{"similarity": "off"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			f := statement(t, checks.Input{Messages: message(tc.text), Facts: facts(), Levels: tc.levels})
			if f.Check != tc.check || f.Verdict != checks.Neutral {
				t.Errorf("%s says %s: %s", f.Check, f.Verdict, f.Reason)
			}
			if got := len(f.Evidence) > 0 && f.Evidence[0].For && f.Evidence[0].Weight < 0; got != tc.support {
				t.Errorf("support is %v: %+v", got, f.Evidence)
			}
			if tc.check == "similarity" && !strings.Contains(f.Evidence[0].Fact, "cosine 0.") {
				t.Errorf("the measure is not named: %q", f.Evidence[0].Fact)
			}
		})
	}
}

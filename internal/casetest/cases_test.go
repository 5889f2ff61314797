package casetest

import (
	"os"
	"testing"
)

// TestCases holds the engine against every case.
func TestCases(t *testing.T) {
	cases, err := Load(os.DirFS("testdata/cases"), "*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	if len(cases) < 59 {
		t.Fatalf("only %d cases were found", len(cases))
	}
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			result, err := Judge(t.Context(), c, c.Repository(t, t.TempDir()))
			if err != nil {
				t.Fatal(err)
			}
			for _, broken := range Evaluate(c, result) {
				t.Error(broken)
			}
			if t.Failed() {
				t.Logf("why it must come out right: %s", c.Comment)
			}
		})
	}
}

package checks_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/saysolint/sayso/checks"
	"github.com/saysolint/sayso/internal/casetest"
)

// How many cases the checks that can contradict a claim have at least. A check
// that is not named here has at least one of each.
const (
	wantFires = 4
	wantQuiet = 6
)

var fullyCovered = []string{"scope", "path", "action", "identifier", "type", "component", "quantity", "tests", "revert", "trailer", "purpose"}

// neverFires are the checks that have no case of a change that fires, and need none: they
// only lend support, or judge by what a host knows (hosted_test.go).
var neverFires = []string{"lexical", "similarity", "ci", "issue"}

// heldApart are the checks that need more than a text and a change: decision_test.go
// has the cases of the memory.
var heldApart = []string{checks.DecisionID}

func checkIDs() []string {
	var ids []string
	for _, d := range checks.Docs() {
		ids = append(ids, d.ID)
	}
	return ids
}

// fired says whether a check came out with what it is there for: a contradiction,
// for undisclosed an observation.
func fired(id string, j checks.Judgement) bool {
	if id == "undisclosed" {
		return len(j.Observations) > 0
	}
	return slices.ContainsFunc(j.Claims, func(f checks.Finding) bool {
		return f.Check == id && f.Verdict == checks.Contradicted
	})
}

func loadCases(t testing.TB, id, kind string) []casetest.Case {
	t.Helper()
	cases, err := casetest.Load(os.DirFS(filepath.Join("testdata", id, kind)), "*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	return cases
}

func TestEveryCheckFiresAndStaysQuietOnItsCases(t *testing.T) {
	for _, id := range checkIDs() {
		t.Run(id, func(t *testing.T) {
			fires, quiet := loadCases(t, id, "fires"), loadCases(t, id, "quiet")
			atLeastFires, atLeastQuiet := 1, 1
			switch {
			case slices.Contains(fullyCovered, id):
				atLeastFires, atLeastQuiet = wantFires, wantQuiet
			case slices.Contains(neverFires, id), slices.Contains(heldApart, id):
				atLeastFires, atLeastQuiet = 0, 0
			}
			if len(fires) < atLeastFires || len(quiet) < atLeastQuiet {
				t.Errorf("%s has %d cases that fire and %d that stay quiet, want at least %d and %d", id, len(fires), len(quiet), atLeastFires, atLeastQuiet)
			}
			for _, c := range fires {
				t.Run("fires/"+c.Name, func(t *testing.T) {
					t.Parallel()
					holdCase(t, id, c, true)
				})
			}
			for _, c := range quiet {
				t.Run("quiet/"+c.Name, func(t *testing.T) {
					t.Parallel()
					holdCase(t, id, c, false)
				})
			}
		})
	}
}

// holdCase judges a case in a repository of its own and holds the result against
// the rules of the case, and against the folder that it lies in.
func holdCase(t *testing.T, id string, c casetest.Case, fires bool) {
	t.Helper()
	demands := slices.ContainsFunc(c.Rules, func(r casetest.Rule) bool {
		return r.Kind == casetest.RuleContradicted && slices.Contains(r.Checks, id)
	})
	if demands != fires && id != "undisclosed" {
		t.Errorf("the case demands a contradiction by %s: %v, but lies among those that fire: %v", id, demands, fires)
	}
	result, err := casetest.Judge(t.Context(), c, c.Repository(t, t.TempDir()))
	if err != nil {
		t.Fatal(err)
	}
	for _, broken := range casetest.Evaluate(c, result) {
		t.Error(broken)
	}
	if got := fired(id, result.Judgement); got != fires {
		t.Errorf("%s fires: %v, want %v", id, got, fires)
	}
	if t.Failed() {
		t.Logf("why it must come out right: %s", c.Comment)
		for _, f := range result.Claims {
			t.Logf("%s %q is %s %s: %s", f.Check, f.Text, f.Verdict, f.Strength, f.Reason)
		}
	}
}

func TestEveryFolderOfCasesBelongsToACheck(t *testing.T) {
	entries, err := os.ReadDir("testdata")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.IsDir() && e.Name() != "fuzz" && !slices.Contains(checkIDs(), e.Name()) {
			t.Errorf("testdata/%s belongs to no check", e.Name())
		}
	}
}

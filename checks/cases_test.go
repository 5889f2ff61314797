package checks_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/saysolint/sayso/checks"
	"github.com/saysolint/sayso/internal/casetest"
)

// casesOf are the checks that have cases of their own beside the code, with at
// least this many that fire and that stay quiet.
const (
	wantFires = 4
	wantQuiet = 6
)

// verdictChecks are the checks that can contradict a claim.
var verdictChecks = []string{"scope", "path", "action", "identifier", "type", "component", "quantity", "tests", "revert", "trailer", "purpose"}

func loadCases(t testing.TB, id, kind string) []casetest.Case {
	t.Helper()
	cases, err := casetest.Load(os.DirFS(filepath.Join("testdata", id, kind)), "*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	return cases
}

func TestEveryCheckFiresAndStaysQuietOnItsCases(t *testing.T) {
	for _, id := range verdictChecks {
		t.Run(id, func(t *testing.T) {
			fires, quiet := loadCases(t, id, "fires"), loadCases(t, id, "quiet")
			if len(fires) < wantFires || len(quiet) < wantQuiet {
				t.Errorf("%s has %d cases that fire and %d that stay quiet, want at least %d and %d", id, len(fires), len(quiet), wantFires, wantQuiet)
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
	if demands != fires {
		t.Errorf("the case demands a contradiction by %s: %v, but lies among those that fire: %v", id, demands, fires)
	}
	result, err := casetest.Judge(t.Context(), c, c.Repository(t, t.TempDir()))
	if err != nil {
		t.Fatal(err)
	}
	for _, broken := range casetest.Evaluate(c, result) {
		t.Error(broken)
	}
	contradicts := slices.ContainsFunc(result.Claims, func(f checks.Finding) bool {
		return f.Check == id && f.Verdict == checks.Contradicted
	})
	if contradicts != fires {
		t.Errorf("%s contradicts a claim: %v, want %v", id, contradicts, fires)
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
		if e.IsDir() && e.Name() != "fuzz" && !slices.Contains(verdictChecks, e.Name()) {
			t.Errorf("testdata/%s belongs to no check that gives verdicts", e.Name())
		}
	}
}

package checks_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/saysolint/sayso/change"
	"github.com/saysolint/sayso/checks"
	"github.com/saysolint/sayso/internal/lang"
)

// observed is what Judge observes of a message and a change.
func observed(text string, f *change.Facts) []checks.Observation {
	return checks.Judge(checks.Input{Messages: message(text), Facts: f}).Observations
}

func TestUndisclosedNamesWhatNoClaimSpeaksOf(t *testing.T) {
	mode := "diff --git a/run.sh b/run.sh\nold mode 100644\nnew mode 100755\n"
	binary := "diff --git a/tool/model b/tool/model\nnew file mode 100644\nindex 0000000..1111111\nBinary files /dev/null and b/tool/model differ\n"
	for name, tc := range map[string]struct {
		diff   string
		kind   string
		path   string
		text   string
		spoken string // a message that speaks of it
	}{
		"a CI workflow": {
			edit(".github/workflows/release.yml", " on: push", "+  - run: make sign"),
			"ci-changed", ".github/workflows/release.yml", "CI configuration", "Sign in the release workflow",
		},
		"a licence": {
			edit("LICENSE", "-Year one", "+Year two"),
			"licence-changed", "LICENSE", "licence file", "Set the year of the licence",
		},
		"code owners": {
			edit("CODEOWNERS", "-* @one", "+* @two"),
			"permissions-changed", "CODEOWNERS", "code owners", "Hand over to other owners",
		},
		"a deleted test file": {
			remove("lid/lid_test.go", "-package lid"),
			"tests-deleted", "lid/lid_test.go", "is deleted", "Delete what the lid does no more",
		},
		"an executable bit": {
			mode,
			"mode-changed", "run.sh", "becomes executable", "Make run.sh executable",
		},
		"binary content": {
			binary,
			"binary-content", "tool/model", "was not looked at", "Train the model anew",
		},
		"a skipped test in Go": {
			edit("lid/lid_test.go", " func TestLid(t *testing.T) {", "+\tt."+"Skip(\"later\")", " }"),
			"tests-skipped", "lid/lid_test.go", "is skipped", "Skip the lid for now",
		},
		"a skipped test in Python": {
			edit("tests/test_lid.py", "+@pytest.mark.skip", " def test_lid(): pass"),
			"tests-skipped", "tests/test_lid.py", "is skipped", "Quarantine the lid",
		},
		"a skipped test in Java": {
			edit("src/test/java/LidTest.java", "+    @Disabled", "     void lid() {}"),
			"tests-skipped", "src/test/java/LidTest.java", "is skipped", "Disable the lid",
		},
		"a skipped test in Rust": {
			edit("tests/lid.rs", "+#[ignore]", " fn lid() {}"),
			"tests-skipped", "tests/lid.rs", "is skipped", "Ignore the lid",
		},
		"a focused test in TypeScript": {
			edit("src/lid.test.ts", "-it(\"opens\", () => {});", "+it.only(\"opens\", () => {});"),
			"tests-skipped", "src/lid.test.ts", "is skipped", "Run only the first one",
		},
		"a dependency of npm": {
			edit("package.json", ` {`, `   "dependencies": {`, `+    "quorvex": "^2.0.0"`, `   }`),
			"dependency-added", "package.json", `"quorvex" is added`, "Take quorvex for the sums",
		},
		"a dependency of Go": {
			edit("go.mod", " require (", "+\texample.org/deep/quorvex v1.2.0", " )"),
			"dependency-added", "go.mod", `"example.org/deep/quorvex" is added`, "Take quorvex for the sums",
		},
		"a dependency of Rust": {
			edit("Cargo.toml", " [dependencies]", "+quorvex = \"2.0\""),
			"dependency-added", "Cargo.toml", `"quorvex" is added`, "Take quorvex for the sums",
		},
		"a dependency of Python": {
			edit("requirements.txt", "+quorvex==2.0"),
			"dependency-added", "requirements.txt", `"quorvex" is added`, "Take quorvex for the sums",
		},
		"a dependency of Ruby": {
			edit("Gemfile", "+gem \"quorvex\", \"2.0\""),
			"dependency-added", "Gemfile", `"quorvex" is added`, "Take quorvex for the sums",
		},
		"a dependency of Java": {
			edit("build.gradle", "+    implementation 'org.example:quorvex:2.0'"),
			"dependency-added", "build.gradle", `"org.example:quorvex" is added`, "Take quorvex for the sums",
		},
		"a replaced dependency": {
			edit("package.json", ` {`, `   "dependencies": {`, `-    "dabbin": "1.0.0"`, `+    "quorvex": "2.0.0"`, `   }`),
			"dependency-replaced", "package.json", `"quorvex" takes the place of "dabbin"`, "Take quorvex, leave dabbin",
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := observed("Round the corners of the box", parseDiff(t, tc.diff))
			if len(got) != 1 || got[0].Kind != tc.kind || got[0].Path != tc.path || !strings.Contains(got[0].Text, tc.text) || got[0].Check != "undisclosed" {
				t.Errorf("observed %+v, want %s of %s (%s)", got, tc.kind, tc.path, tc.text)
			}
			if got := observed(tc.spoken, parseDiff(t, tc.diff)); len(got) != 0 {
				t.Errorf("%q speaks of it, and yet %+v", tc.spoken, got)
			}
		})
	}
}

func TestUndisclosedNamesRemovedPublicNames(t *testing.T) {
	facts := change.NewFacts(&change.Change{Files: []change.File{{
		Path: "lid/lid.go", Status: change.Modified, Kind: lang.Source, Language: "Go",
		OldDefs: []lang.Def{{Name: "Open", Qualified: "Open", What: "func", Line: 3, End: 4, Exported: true, Signature: 7}},
		NewDefs: []lang.Def{{Name: "Open", Qualified: "Open", What: "func", Line: 3, End: 4, Exported: true, Signature: 9}},
		Hunks: []change.Hunk{{OldStart: 3, NewStart: 3, Lines: []change.Line{
			{Op: '-', Old: 3, Text: "func Open(path string) error {", Class: lang.Code},
			{Op: '+', New: 3, Text: "func Open(fd int) error {", Class: lang.Code},
		}}},
	}}})
	got := observed("Round the corners of the box", facts)
	if len(got) != 1 || got[0].Kind != "public-api-changed" || got[0].Path != "lid/lid.go" || got[0].Line != 3 || !strings.Contains(got[0].Text, `"Open"`) {
		t.Errorf("observed %+v", got)
	}
	for _, text := range []string{"Open by the handle", "Change the signature", "Breaking: another form"} {
		if got := observed(text, facts); len(got) != 0 {
			t.Errorf("%q speaks of it, and yet %+v", text, got)
		}
	}
}

func TestUndisclosedNamesWholeAreas(t *testing.T) {
	var diff strings.Builder
	for _, area := range []string{"attic", "barn", "cellar", "dock", "engine"} {
		for n := range 4 {
			diff.WriteString(edit(fmt.Sprintf("%s/f%d.go", area, n), "+var x = 1"))
		}
	}
	facts := parseDiff(t, diff.String())
	got := observed("Sweep attic and barn", facts)
	if len(got) != 1 || got[0].Kind != "area-touched" || got[0].Path != "cellar" || !strings.Contains(got[0].Text, "3 areas of 5 areas") {
		t.Errorf("observed %+v", got)
	}
	if got := observed("Sweep attic, barn, cellar, dock and engine", facts); len(got) != 0 {
		t.Errorf("all are spoken of, and yet %+v", got)
	}
}

func TestUndisclosedIsSortedAndBounded(t *testing.T) {
	var diff strings.Builder
	for n := range 30 {
		diff.WriteString(edit(fmt.Sprintf(".github/workflows/w%02d.yml", 29-n), "+on: push"))
	}
	diff.WriteString(edit("LICENSE", "+x"))
	got := observed("Round the corners of the box", parseDiff(t, diff.String()))
	if len(got) != 12 {
		t.Fatalf("%d observations, want 12", len(got))
	}
	for i := 1; i < len(got); i++ {
		if got[i-1].Kind+"\x00"+got[i-1].Path >= got[i].Kind+"\x00"+got[i].Path {
			t.Errorf("%+v stands before %+v", got[i-1], got[i])
		}
	}
}

func TestUndisclosedSaysOnceThatManyDependenciesAreAdded(t *testing.T) {
	diff := edit("requirements.txt", "+alpha==1", "+beta==1", "+delta==1", "+gamma==1", "+kappa==1")
	got := observed("Round the corners of the box", parseDiff(t, diff))
	if len(got) != 4 || !strings.Contains(got[3].Text+got[0].Text+got[1].Text+got[2].Text, "2 more dependencies") {
		t.Errorf("observed %+v", got)
	}
	if got := observed("Update dependencies", parseDiff(t, diff)); len(got) != 0 {
		t.Errorf("the message speaks of dependencies, and yet %+v", got)
	}
}

func TestAVersionStepIsNoNewDependency(t *testing.T) {
	diff := edit("package.json", ` {`, `   "dependencies": {`, `-    "dabbin": "1.0.0"`, `+    "dabbin": "2.0.0"`, `   }`)
	if got := observed("Round the corners of the box", parseDiff(t, diff)); len(got) != 0 {
		t.Errorf("observed %+v", got)
	}
}

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/saysolint/sayso/change"
	"github.com/saysolint/sayso/internal/casetest"
	"github.com/saysolint/sayso/internal/git"
)

// TestACaseShowsTheAlarmThatItReports takes contradictions of every kind for false
// alarms: what is written is a case of the test suite, names nothing of the
// original, and comes out as its second line says.
func TestACaseShowsTheAlarmThatItReports(t *testing.T) {
	t.Parallel()
	tests := []struct{ check, name string }{
		{"scope", "only-one-folder-but-two"},
		{"path", "subject-names-an-untouched-file"},
		{"action", "remove-but-added"},
		{"identifier", "defined-in-an-untouched-file"},
		{"component", "scope-of-another-package"},
		{"component", "configured-scope"},
		{"quantity", "version-to-is-wrong"},
		{"tests", "unit-tests-without-a-test"},
		{"purpose", "audit-log-in-the-colour-picker"},
	}
	for _, tt := range tests {
		t.Run(tt.check+"/"+tt.name, func(t *testing.T) {
			t.Parallel()
			data, err := os.ReadFile(filepath.Join("..", "..", "checks", "testdata", tt.check, "fires", tt.name+".txtar"))
			if err != nil {
				t.Fatal(err)
			}
			original, err := casetest.Parse(tt.name, data)
			if err != nil {
				t.Fatal(err)
			}
			fragment := original.Rules[0].Fragment
			built := original.Repository(t, t.TempDir())
			env := environment(t, built.Dir)
			out, stderr, code := run(t, env, "", "report-false-alarm", built.Head, fragment)
			if code != 0 || !strings.Contains(stderr, "the contradiction is still there in the redacted case ("+tt.check+")") {
				t.Fatalf("ended with %d: %s\n%s", code, stderr, out)
			}
			redacted, err := casetest.Parse("redacted", []byte(out))
			if err != nil {
				t.Fatalf("not a case of the suite: %v\n%s", err, out)
			}
			res, err := casetest.Judge(t.Context(), redacted, redacted.Repository(t, t.TempDir()))
			if err != nil {
				t.Fatal(err)
			}
			if broken := casetest.Evaluate(redacted, res); len(broken) == 0 {
				t.Errorf("the suite finds no contradiction in it:\n%s", out)
			}
		})
	}
}

func TestEscapesInLiteralsStayWhatTheyAre(t *testing.T) {
	r := newRedactor()
	for in, want := range map[string]string{
		`'\nexport'`: `'\nexport'`, `"\tmap\x1bstring\u00e9"`: `"\tmap\x1bstring\u00e9"`,
		`"%dfiles %-8sline %.2fvalue"`: `"%dfiles %-8sline %.2fvalue"`, `\d+\wtype`: `\d+\wtype`, `\`: `\`, `100%`: `100%`,
	} {
		if got := r.text(in); got != want {
			t.Errorf("%s became %s, want %s", in, got, want)
		}
	}
	a, b := r.text(`"\nledger"`), r.text("ledger")
	if want := `"\n` + b + `"`; a != want {
		t.Errorf("a word behind an escape became %s, want %s", a, want)
	}
}

func TestInventedWordsDoNotRepeatAndShareNoRuns(t *testing.T) {
	seen := map[string]int{}
	for n := range 13*4*13*4*9 + 100 {
		w := inventWord(n, "x")
		if m, ok := seen[w]; ok {
			t.Fatalf("words %d and %d are both %q", m, n, w)
		}
		seen[w] = n
	}
	for n := range 500 {
		if a, b := inventWord(n, "x"), inventWord(n+1, "x"); a[1:] == b[1:] || a[:4] == b[:4] {
			t.Errorf("neighbours look alike: %q, %q", a, b)
		}
	}
}

func TestPeopleAreLeftOut(t *testing.T) {
	c := &git.Commit{Author: git.Signature{Name: "Will Page", Email: "will@example.net"}, Committer: git.Signature{Name: "Test"}}
	got := withoutPeople("Add a test for lodash@4.17.21\n\nReported by Will Page <will@example.net>.\n\nSigned-off-by: Mark Down <md@example.net>\nFixes: abcdef0\n", c)
	want := "Add a test for lodash@4.17.21\n\nReported by Someone <someone@example.org>.\n\nSigned-off-by: Someone <someone@example.org>\nFixes: abcdef0\n"
	if got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestLongFilesAreCutAlikeOnBothSides(t *testing.T) {
	line := func(n int) string { return "line " + strings.Repeat("x", n%7) + "\n" }
	var old, new strings.Builder
	old.WriteString("head\n")
	new.WriteString("head\n")
	for n := range 400 {
		switch n {
		case 200:
			old.WriteString("\tgone\n")
			new.WriteString("\tcome\n\tand more\n")
		case 150:
			old.WriteString("func around() {\n")
			new.WriteString("func around() {\n")
		case 390:
			old.WriteString("the Ledger is spoken of\n")
			new.WriteString("the Ledger is spoken of\n")
		default:
			body := line(n)
			if n > 150 && n < 250 {
				body = "\t" + body
			}
			old.WriteString(body)
			new.WriteString(body)
		}
	}
	f := &change.File{Status: change.Modified, Hunks: []change.Hunk{{Lines: []change.Line{
		{Op: '-', Old: 202}, {Op: '+', New: 202}, {Op: '+', New: 203},
	}}}}
	a, b, cut := cutImages(f, old.String(), new.String(), []string{"ledger"}, nil)
	if !cut || strings.Count(a, "\n") > 60 {
		t.Fatalf("%d lines are left", strings.Count(a, "\n"))
	}
	if strings.Replace(b, "\tcome\n\tand more\n", "\tgone\n", 1) != a {
		t.Errorf("the difference is another one:\n%s\n---\n%s", a, b)
	}
	for _, want := range []string{"head\n", "func around() {\n", "the Ledger is spoken of\n", "\tgone\n"} {
		if !strings.Contains(a, want) {
			t.Errorf("%q is cut", want)
		}
	}
	if _, _, cut := cutImages(f, "head\n", "other\n", nil, nil); cut {
		t.Error("a short file is cut")
	}
	f.Hunks = nil
	if a, _, cut := cutImages(f, old.String(), new.String(), nil, nil); cut || a != old.String() {
		t.Error("a file is cut whose hunks do not explain the difference")
	}
}

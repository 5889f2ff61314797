package learn

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/saysolint/sayso/change"
	"github.com/saysolint/sayso/checks"
	"github.com/saysolint/sayso/internal/lang"
	"github.com/saysolint/sayso/memory"
)

var at = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)

const commit = "0123456789abcdef0123456789abcdef01234567"

// added is a file that a change adds.
func added(path string, kind lang.Kind, class lang.LineClass, lines ...string) change.File {
	f := change.File{Path: path, Status: change.Added, Kind: kind, New: []byte(strings.Join(lines, "\n") + "\n"), ImagesRead: true, Added: len(lines)}
	h := change.Hunk{NewStart: 1}
	for i, l := range lines {
		c := class
		if strings.HasPrefix(strings.TrimSpace(l), "//") {
			c = lang.Comment
		}
		h.Lines = append(h.Lines, change.Line{Op: '+', New: i + 1, Text: l, Class: c})
	}
	f.Hunks = []change.Hunk{h}
	return f
}

func of(message string, files ...change.File) Change {
	return Change{Commit: commit, Author: "A", At: at, Message: message, Did: &change.Change{ID: commit, Commit: commit, Files: files}}
}

// titles are the drafts of a change as "kind: title".
func titles(drafts []Draft) (out []string) {
	for _, d := range drafts {
		out = append(out, fmt.Sprintf("%s: %s", d.Entry.Kind, d.Entry.Title))
	}
	return out
}

func TestTrailersBecomeDrafts(t *testing.T) {
	for _, tt := range []struct {
		name, message string
		want          []string
	}{
		{"each kind", "Keep prices as cents\n\nWhy.\n\nDecision: Prices are cents\nConvention: Round half up\nLearned: The bank rounds down\nFailure: Floats lost a cent\nPattern: Convert at the edge\nFact: The bank speaks euro\nSigned-off-by: A <a@example.com>\n",
			[]string{"decision: Prices are cents", "convention: Round half up", "fact: The bank rounds down", "failure: Floats lost a cent", "pattern: Convert at the edge", "fact: The bank speaks euro"}},
		{"in any case, before other trailers", "One\n\ndecision: Prices are cents\n\nSigned-off-by: A <a@example.com>\n", []string{"decision: Prices are cents"}},
		{"over several lines", "One\n\nLearned: the bank rounds down\n  and says so nowhere\n", []string{"fact: the bank rounds down and says so nowhere"}},
		{"a paragraph of its own", "One\n\nBefore.\n\nDecision: Prices are cents,\nin each shop.\n\nBehind.\n", []string{"decision: Prices are cents, in each shop."}},
		{"not in prose", "One\n\nThe meeting had one topic.\nDecision: was put off, see the minutes.\n", nil},
		{"not in code", "One\n\n```\nDecision: x y\n```\n", nil},
		{"not in the subject", "Decision: Prices are cents\n", nil},
		{"not without words", "One\n\nDecision:\n", nil},
		{"not what only looks alike", "One\n\nFacts: one\nDecisions: two\n", nil},
		{"the same words twice", "One\n\nDecision: Prices are cents\nDecision: Prices are cents\n", []string{"decision: Prices are cents"}},
	} {
		drafts, _ := Drafts(of(tt.message), Options{})
		if got := titles(drafts); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestADraftSaysWhereItComesFrom(t *testing.T) {
	c := of("Keep prices as cents\n\nFloats lost a cent in March.\n\nDecision: Prices are cents\nSupersedes: old-entry\n", added("shop/price.go", lang.Source, lang.Code, "package shop", "", "var price int"))
	c.Request = "#12"
	drafts, left := Drafts(c, Options{})
	if len(drafts) != 1 || len(left) != 0 {
		t.Fatalf("%+v, %+v", drafts, left)
	}
	d := drafts[0]
	sum := sha256.Sum256([]byte("package shop\n\nvar price int\n"))
	want := []memory.SourceRef{
		{Type: "commit", ID: commit, Label: "trailer, pull request #12"},
		{Type: "file", ID: "sha256:" + hex.EncodeToString(sum[:]), Path: "shop/price.go", LineStart: 1, LineEnd: 3},
	}
	if !slices.Equal(d.Entry.SourceRefs, want) {
		t.Errorf("sources %+v", d.Entry.SourceRefs)
	}
	if d.Line != 5 || d.Entry.Author != "A" || d.Entry.Supersedes != "old-entry" || d.Entry.ReviewState != memory.Proposed || !slices.Equal(d.Entry.FilesTouched, []string{"shop/price.go"}) {
		t.Errorf("%+v", d)
	}
	if !strings.Contains(d.Entry.Notes, "Floats lost a cent") || strings.Contains(d.Entry.Notes, "Decision:") {
		t.Errorf("notes: %s", d.Entry.Notes)
	}
	again, _ := Drafts(c, Options{})
	if again[0].Entry.ID != d.Entry.ID || string(again[0].File) != string(d.File) {
		t.Error("the same mark made another draft")
	}
}

func TestSupersedesBelongsToTheMarkBeforeIt(t *testing.T) {
	drafts, left := Drafts(of("One\n\nSupersedes: a\nDecision: First of them\nFact: Second of them\nSupersedes: b\nSupersedes: not an id\n"), Options{})
	if len(drafts) != 2 || drafts[0].Entry.Supersedes != "a" || drafts[1].Entry.Supersedes != "b" || len(drafts[1].Warnings) != 1 || len(left) != 0 {
		t.Errorf("%+v, %+v", drafts, left)
	}
	if _, left := Drafts(of("One\n\nSupersedes: a\n"), Options{}); len(left) != 1 {
		t.Errorf("a lone one: %+v", left)
	}
}

func TestBlocksOfAPullRequest(t *testing.T) {
	body := "Some text.\n\n```sayso\n- decision: Prices are cents\n  why: Floats lost one.\n  applies-to: [\"shop/**\"]\n  supersedes: old\n  asserts:\n    - forbid: {identifier: float64}\n- learned: The bank rounds down\n```\n\n```yaml\ndecision: not this one\n```\n"
	drafts, left := Drafts(Change{At: at, Body: body, Request: "#3"}, Options{})
	if got := titles(drafts); !slices.Equal(got, []string{"decision: Prices are cents", "fact: The bank rounds down"}) || len(left) != 0 {
		t.Fatalf("%q, %+v", got, left)
	}
	d := drafts[0]
	if !slices.Equal(d.Entry.AppliesTo, []string{"shop/**"}) || d.Entry.Supersedes != "old" || !strings.Contains(d.Entry.Asserts, "float64") || d.Entry.Notes != "Floats lost one." || d.Line != 4 {
		t.Errorf("%+v", d)
	}
	for name, block := range map[string]string{
		"not YAML": "decision: [", "an unknown key": "decision: x\nscope: y", "two in one": "decision: x\nfact: y", "nothing said": "why: x",
		"a text": "hello", "a deep value": "decision: {a: b}", "a key twice": "decision: x\ndecision: y",
	} {
		drafts, left := Drafts(Change{At: at, Body: "```sayso\n" + block + "\n```\n"}, Options{})
		if len(drafts) != 0 || len(left) != 1 || left[0].Line == 0 {
			t.Errorf("%s: %+v, %+v", name, drafts, left)
		}
	}
	if drafts, _ := Drafts(Change{At: at, Body: "~~~sayso\nfact: no end\n"}, Options{}); len(drafts) > 1 {
		t.Errorf("%+v", drafts)
	}
}

func TestNotesInCommentsAreReadWhereAskedFor(t *testing.T) {
	f := added("a.go", lang.Source, lang.Code, "package a", "// NOTE(decision): Prices are cents,", "// never floats.", "//", "// More.", "// NOTE(anna): look again", `var s = "NOTE(fact): not a comment"`)
	if drafts, _ := Drafts(of("One", f), Options{}); len(drafts) != 0 {
		t.Errorf("not asked for: %q", titles(drafts))
	}
	drafts, _ := Drafts(of("One", f), Options{Notes: true})
	if got := titles(drafts); !slices.Equal(got, []string{"decision: Prices are cents, never floats."}) {
		t.Fatalf("%q", got)
	}
	if d := drafts[0]; d.Path != "a.go" || d.Line != 2 || d.Entry.SourceRefs[1].LineEnd != 3 {
		t.Errorf("%+v", d)
	}
}

// manifest is a go.mod in which requirements change.
func manifest(removed, addedNames []string) change.File {
	f := change.File{Path: "go.mod", Status: change.Modified, Kind: lang.Build, New: []byte("module m\n")}
	h := change.Hunk{}
	for _, n := range removed {
		h.Lines = append(h.Lines, change.Line{Op: '-', Old: 3, Text: "\t" + n + " v1.2.3"})
	}
	for _, n := range addedNames {
		h.Lines = append(h.Lines, change.Line{Op: '+', New: 3, Text: "\t" + n + " v1.2.3"})
	}
	f.Hunks = []change.Hunk{h}
	return f
}

func TestSigns(t *testing.T) {
	test := added("a_test.go", lang.Test, lang.Code, "func TestX(t *testing.T) {", "x()", "}")
	code := added("a.go", lang.Source, lang.Code, "x()")
	adr := added("docs/adr/0007-cents.md", lang.Doc, lang.Comment, "# 7. Prices are cents", "", "## Status", "", "Accepted", "", "## Context", "", "Floats lost one.", "", "## Decision", "", "We keep prices as integers of cents.", "", "## Consequences", "", "Fewer faults.")
	why := "\n\nThe rate was read twice because the cache had no lock, which made two\nshops disagree. Adds a regression test.\n"
	for _, tt := range []struct {
		name string
		c    Change
		want []string
	}{
		{"a dependency takes another's place", of("Use alpha.dev/log instead of beta.dev/print", manifest([]string{"beta.dev/print"}, []string{"alpha.dev/log"})), []string{"decision: Use alpha.dev/log instead of beta.dev/print"}},
		{"the code shows it", of("Change logging", manifest([]string{"beta.dev/print"}, []string{"alpha.dev/log"}), change.File{Path: "x.go", Kind: lang.Source, Hunks: []change.Hunk{{Lines: []change.Line{{Op: '-', Text: `"beta.dev/print"`}, {Op: '+', Text: `"alpha.dev/log"`}}}}}), []string{"decision: Use alpha.dev/log instead of beta.dev/print"}},
		{"nothing but the manifest shows it", of("Tidy up", manifest([]string{"beta.dev/print"}, []string{"alpha.dev/log"})), nil},
		{"the next version", of("Raise the log to log v2", manifest([]string{"alpha.dev/log"}, []string{"alpha.dev/log/v2"})), nil},
		{"another owner", of("Use the fork of log, log", manifest([]string{"beta.dev/log"}, []string{"alpha.dev/log"})), nil},
		{"several at once", of("Swap a b c d", manifest([]string{"x.dev/a", "x.dev/b"}, []string{"y.dev/c", "y.dev/d"})), nil},
		{"a revert that says why", of("Revert \"feat: Cache the rates\"\n\nThis reverts commit 0123456789abcdef.\n\nThe cache served old rates for an hour. We saw it late."), []string{"failure: Taken back: Cache the rates: The cache served old rates for an hour"}},
		{"a revert that says nothing", of("Revert \"Cache the rates\"\n\nThis reverts commit 0123456789abcdef.\n\nFixes #12\n"), nil},
		{"a revert of a revert", of("Revert \"Revert \"Cache the rates\"\"\n\nThe cache serves the right rates since yesterday."), nil},
		{"a fix that comes with its test", of("Fix the double reading of rates"+why, code, test), []string{"failure: Fix the double reading of rates"}},
		{"a fix without its test", of("Fix the double reading of rates"+why, code), nil},
		{"a test alone", of("Fix the double reading of rates"+why, test), nil},
		{"no fix", of("Read rates once"+why, code, test), nil},
		{"a fix that says no cause", of("Fix the rates\n\nAdds a regression test.\n", code, test), nil},
		{"a decision record", of("Write down the decision", adr), []string{"decision: Prices are cents"}},
		{"a text with a decision that is no record", of("Write down", func() change.File { f := adr; f.Path = "docs/minutes.md"; return f }()), nil},
	} {
		drafts, _ := Drafts(tt.c, Options{})
		if got := titles(drafts); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
		for _, d := range drafts {
			if d.Mark.Explicit() || !slices.Contains(d.Entry.Tags, "suggestion") {
				t.Errorf("%s: not marked as a suggestion: %+v", tt.name, d)
			}
		}
		if drafts, _ := Drafts(tt.c, Options{Explicit: true}); len(drafts) != 0 {
			t.Errorf("%s: a suggestion where none was asked for", tt.name)
		}
	}
}

func finding(v checks.Verdict, reason string) checks.Finding {
	f := checks.Finding{Verdict: v, Reason: reason}
	f.Text = "a claim"
	return f
}

func TestWhatIsContradictedIsNeverDraftedAsAFact(t *testing.T) {
	drafts, _ := Drafts(of("One\n\nLearned: No caller of x is left\nFact: y is gone\n"), Options{})
	var asked []string
	err := Rule(context.Background(), drafts, func(_ context.Context, words string) (checks.Judgement, error) {
		asked = append(asked, words)
		if strings.Contains(words, "y") && !strings.Contains(words, "x") {
			return checks.Judgement{Claims: []checks.Finding{finding(checks.Corroborated, "y is removed")}}, nil
		}
		return checks.Judgement{Claims: []checks.Finding{finding(checks.Corroborated, "one"), finding(checks.Contradicted, "x is still called")}}, nil
	})
	if err != nil || !slices.Equal(asked, []string{"No caller of x is left", "y is gone"}) {
		t.Fatalf("%v, %q", err, asked)
	}
	d := drafts[0]
	if d.Entry.Kind != memory.KindHandoff || d.Held == "" || d.Ruling.Verdict != checks.Contradicted || !strings.Contains(d.Entry.Notes, "x is still called") || memory.Parse(d.Entry.ID, d.File).Kind != memory.KindHandoff {
		t.Errorf("%+v", d)
	}
	if d := drafts[1]; d.Entry.Kind != memory.KindFact || d.Held != "" || d.Ruling.Verdict != checks.Corroborated {
		t.Errorf("%+v", d)
	}
	drafts, _ = Drafts(of("Revert \"Cache the rates\"\n\nThe cache served old rates for an hour."), Options{})
	err = Rule(context.Background(), drafts, func(_ context.Context, words string) (checks.Judgement, error) {
		if words != "" {
			t.Errorf("a suggestion is judged by %q, not by the message", words)
		}
		return checks.Judgement{Abstained: "merge commit"}, nil
	})
	if err != nil || drafts[0].Ruling.Verdict != checks.Unverifiable {
		t.Errorf("%v, %+v", err, drafts[0].Ruling)
	}
	drafts, _ = Drafts(of("One\n\nDecision: Drop the suffix\n"), Options{})
	err = Rule(context.Background(), drafts, func(context.Context, string) (checks.Judgement, error) {
		return checks.Judgement{Claims: []checks.Finding{finding(checks.Contradicted, "nothing is dropped")}}, nil
	})
	if d := drafts[0]; err != nil || d.Entry.Kind != memory.KindDecision || d.Held == "" {
		t.Errorf("a decision that is still to be followed: %v, %+v", err, d)
	}
	drafts, _ = Drafts(of("Revert \"Cache the rates\"\n\nThe cache served old rates for an hour."), Options{})
	stop := errors.New("stop")
	if err := Rule(context.Background(), drafts, func(context.Context, string) (checks.Judgement, error) { return checks.Judgement{}, stop }); !errors.Is(err, stop) {
		t.Errorf("%v", err)
	}
}

func TestWhatResemblesADraftIsFlagged(t *testing.T) {
	store := func(title string, state memory.State) *memory.Set {
		return memory.NewSet([]memory.Entry{{ID: "there", Title: title, ReviewState: state, Kind: memory.KindDecision}}, nil)
	}
	for _, tt := range []struct {
		name, draft, there string
		want               Relation
	}{
		{"the same words", "Prices are integers of cents", "Prices are integers of cents.", Same},
		{"in another form", "Keep each price as an integer of cents", "Keep all prices as integers of cents", Same},
		{"nearly the same", "Keep prices as integers of cents in the shop", "Keep prices as integers of cents", Similar},
		{"something else", "Round half up", "Prices are integers of cents", ""},
		{"the opposite", "Never keep prices as integers of cents", "Keep prices as integers of cents", Conflict},
		{"the other way round", "Use tabs instead of spaces", "Prefer spaces over tabs", Conflict},
		{"another number", "Retry a failed request 3 times", "Retry a failed request 5 times", Conflict},
		{"one common word", "Cache rates", "Cache sessions", ""},
	} {
		drafts, _ := Drafts(of("One\n\nDecision: "+tt.draft+"\n"), Options{})
		Compare(drafts, store(tt.there, memory.Reviewed))
		got := Relation("")
		if n := drafts[0].Near; len(n) > 0 {
			got = n[0].Relation
		}
		if got != tt.want || len(drafts) != 1 {
			t.Errorf("%s: %q, want %q: %+v", tt.name, got, tt.want, drafts[0].Near)
		}
	}
	drafts, _ := Drafts(of("One\n\nDecision: Keep prices as integers of cents\nSupersedes: gone\nFact: Keep prices as integers of cents here\n"), Options{})
	Compare(drafts, store("Keep prices as integers of cents", memory.Stale))
	if n := drafts[0].Near; len(n) != 1 || !strings.Contains(n[0].Why, "rejected") || len(drafts[0].Warnings) != 1 {
		t.Errorf("%+v", drafts[0])
	}
	if n := drafts[1].Near; len(n) != 2 || !n[0].Draft && !n[1].Draft {
		t.Errorf("drafts of the same run: %+v", n)
	}
	set := memory.NewSet([]memory.Entry{{ID: drafts[0].Entry.ID, ReviewState: memory.Reviewed, Title: "x"}}, nil)
	Compare(drafts, set)
	if k := drafts[0].Known; k == nil || k.State != memory.Reviewed {
		t.Errorf("known: %+v", k)
	}
}

func TestDraftsAreReadBackAndAccepted(t *testing.T) {
	drafts, _ := Drafts(of("One\n\nDecision: Prices are cents\n"), Options{})
	out := Output{Schema: Schema, Drafts: []Record{drafts[0].Record()}, Left: []Left{}}
	data, err := json.Marshal(out)
	if err != nil {
		t.Fatal(err)
	}
	back, err := Read(data)
	if err != nil || len(back.Drafts) != 1 {
		t.Fatal(err)
	}
	r := back.Drafts[0]
	x, err := r.Arrival(nil)
	if err != nil || memory.Parse(x.ID, x.Raw).ReviewState != memory.Proposed {
		t.Errorf("%v, %s", err, x.Raw)
	}
	x, err = r.Arrival(&memory.Review{By: "R", At: at})
	if e := memory.Parse(x.ID, x.Raw); err != nil || e.ReviewState != memory.Reviewed || e.Reviewer != "R" {
		t.Errorf("%v, %s", err, x.Raw)
	}
	r.Accepted = &Accepted{By: "S", At: "2026-05-06T00:00:00Z"}
	x, err = r.Arrival(&memory.Review{By: "R", At: at})
	if e := memory.Parse(x.ID, x.Raw); err != nil || e.Reviewer != "S" || e.StateDate != "2026-05-06" {
		t.Errorf("%v, %s", err, x.Raw)
	}
	r.Accepted.At = "yesterday"
	if _, err := r.Arrival(nil); err == nil {
		t.Error("a moment that is none")
	}
	for name, text := range map[string]string{
		"no JSON": "x", "another shape": `{"schema":"sayso.report/v1"}`, "no entry": `{"schema":"` + Schema + `","drafts":[{"id":"../x","file":"---\n---\n"}]}`,
		"one that is accepted in its file": `{"schema":"` + Schema + `","drafts":[{"id":"x","file":"---\nschemaVersion: 1\nreviewState: reviewed\n---\n"}]}`,
	} {
		if _, err := Read([]byte(text)); !errors.Is(err, ErrNotDrafts) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzDrafts(f *testing.F) {
	f.Add("One\n\nDecision: x\nSupersedes: a\n", "```sayso\ndecision: y\n```\n", "// NOTE(fact): z")
	f.Add("Revert \"x\"\n\n\x1b[31m because\xff of that and that\n", "```sayso\n- [\n```", "# NOTE(decision): \x00")
	f.Fuzz(func(t *testing.T, message, body, line string) {
		c := of(message, added("a.go", lang.Source, lang.Comment, strings.Split(line, "\n")...))
		c.Body = body
		drafts, left := Drafts(c, Options{Notes: true})
		for _, d := range drafts {
			e := memory.Parse(d.Entry.ID, d.File)
			if !e.Readable() || e.ReviewState != memory.Proposed || e.Title != d.Entry.Title || !memory.ValidID(e.ID) {
				t.Fatalf("%q: %+v", d.File, e)
			}
		}
		for _, l := range left {
			if memory.Line(l.Text) != l.Text || memory.Line(l.Reason) != l.Reason {
				t.Fatalf("control characters in %+v", l)
			}
		}
		Compare(drafts, nil)
	})
}

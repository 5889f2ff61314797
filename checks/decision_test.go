package checks_test

import (
	"strings"
	"testing"

	"github.com/saysolint/sayso/change"
	"github.com/saysolint/sayso/checks"
	"github.com/saysolint/sayso/claim"
	"github.com/saysolint/sayso/memory"
)

// entryOf is a file of a store: a head of lines and a body.
func entryOf(id, head, body string) memory.Entry {
	e := memory.Parse(id, []byte("---\nschemaVersion: 1\nreviewState: reviewed\n"+head+"---\n"+body))
	e.RelPath = memory.DefaultFolder + "/" + id + ".md"
	return e
}

func decide(message string, files map[string]change.Images, local bool, standing func(string, []string) string, entries ...memory.Entry) []checks.Held {
	c := change.Between(files)
	return checks.Decide(checks.DecisionInput{
		Memory: checks.Remember(memory.NewSet(entries, nil)), Facts: change.NewFacts(c),
		Messages: []*claim.Message{claim.Parse(message, claim.Options{})}, Local: local, Standing: standing,
	})
}

var (
	noLodash = entryOf("no-lodash", "title: No lodash\nkind: decision\nasserts:\n  - forbid: {dependency: lodash}\n    message: use the platform\n", "")
	adds     = map[string]change.Images{"package.json": {Old: []byte("{}\n"), New: []byte("{\n  \"dependencies\": {\n    \"lodash\": \"^4.0.0\"\n  }\n}\n")}}
	other    = map[string]change.Images{"a.js": {Old: []byte("a\n"), New: []byte("b\n")}}
)

func TestAnAssertionContradictsWithTheLine(t *testing.T) {
	held := decide("Debounce the search box", adds, false, nil, noLodash)
	if len(held) != 1 {
		t.Fatalf("%+v", held)
	}
	h := held[0]
	if h.Verdict != checks.Contradicted || h.By != "assertion" || h.Line != 7 || h.Fix != "use the platform" || len(h.Why) == 0 ||
		len(h.Evidence) != 1 || h.Evidence[0].Path != "package.json" || h.Evidence[0].Line != 3 {
		t.Errorf("%+v", h)
	}
}

func TestAChangeThatHasNothingToDoWithAnEntryRecallsNothing(t *testing.T) {
	if held := decide("Rename a", other, false, nil, noLodash); len(held) != 0 {
		t.Errorf("%+v", held)
	}
}

func TestOnlyWhatHoldsJudges(t *testing.T) {
	proposed := memory.Parse("no-lodash", []byte("---\nschemaVersion: 1\nreviewState: proposed\ntitle: x\nkind: decision\nasserts:\n  - forbid: {dependency: lodash}\n---\n"))
	if held := decide("x", adds, false, nil, proposed); held != nil {
		t.Errorf("%+v", held)
	}
	later := entryOf("lodash-is-fine", "title: Lodash is fine again\nkind: decision\nsupersedes: no-lodash\n", "")
	for _, h := range decide("x", adds, false, nil, noLodash, later) {
		if h.ID == "no-lodash" {
			t.Errorf("a superseded entry judged: %+v", h)
		}
	}
}

func TestAnExceptionNeverAltersTheVerdict(t *testing.T) {
	message := "Debounce the search box\n\nSayso-Exception: no-lodash until the platform has it\n"
	granted := func(id string, _ []string) string {
		if id == "no-lodash" {
			return "agreed"
		}
		return ""
	}
	for _, c := range []struct {
		name     string
		message  string
		local    bool
		standing func(string, []string) string
		reason   string
		lifted   bool
	}{
		{"none", "x", true, nil, "", false},
		{"brought by the change", message, false, nil, "until the platform has it", false},
		{"brought by the change, in the local hook", message, true, nil, "until the platform has it", true},
		{"stood at the base or was confirmed", "x", false, granted, "agreed", true},
		{"without a reason it says nothing", "x\n\nSayso-Exception: no-lodash\n", true, nil, "", false},
		{"for another entry", "x\n\nSayso-Exception: no-underscore because\n", true, nil, "", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := decide(c.message, adds, c.local, c.standing, noLodash)[0]
			if h.Verdict != checks.Contradicted || h.Excepted != c.reason || h.Lifted != c.lifted {
				t.Errorf("%s, excepted %q, lifted %v", h.Verdict, h.Excepted, h.Lifted)
			}
		})
	}
}

func TestAMessageThatAnnouncesTheOpposite(t *testing.T) {
	for message, want := range map[string]bool{
		"Add lodash": true, "feat(web): use lodash for debounce": true, "Use the lodash package": true,
		"Add lodash types to the ignore list": false, "Remove lodash": false, "Add a note on lodash": false, "Do not use lodash": false,
	} {
		held := decide(message, other, false, nil, noLodash)
		got := len(held) == 1 && held[0].Verdict == checks.Contradicted && held[0].By == "message"
		if got != want {
			t.Errorf("%q: %v, want %v: %+v", message, got, want, held)
		}
	}
}

func TestAnEntryWhoseSourcesAreEditedMayNeedReview(t *testing.T) {
	cites := entryOf("cites", "title: The cache is read once\nkind: fact\nsourceRefs:\n  - {sourceType: file, id: abc, path: a.js, lineStart: 2, lineEnd: 3}\n", "")
	lines := "1\n2\n3\n4\n5\n6\n7\n8\n9\n"
	edit := func(old, new string) map[string]change.Images {
		return map[string]change.Images{"a.js": {Old: []byte(lines), New: []byte(strings.Replace(lines, old, new, 1))}}
	}
	if held := decide("x", edit("2\n", "two\n"), false, nil, cites); len(held) != 1 || held[0].Touched == "" || held[0].Verdict == checks.Contradicted {
		t.Errorf("%+v", held)
	}
	if held := decide("x", edit("8\n", "eight\n"), false, nil, cites); len(held) != 1 || held[0].Touched != "" {
		t.Errorf("other lines of the file: %+v", held)
	}
}

func TestAtMostFiveAreRecalledAndNoContradictionIsDropped(t *testing.T) {
	var entries []memory.Entry
	for _, id := range strings.Split("abcdefgh", "") {
		entries = append(entries, entryOf("path-"+id, "title: "+id+"\nkind: fact\nappliesTo: [\"package.json\"]\n", ""),
			entryOf("no-"+id, "title: No lodash "+id+"\nkind: decision\nasserts:\n  - forbid: {dependency: lodash}\n", ""))
	}
	held := decide("x", adds, false, nil, entries...)
	if len(held) != 8 || held[7].Verdict != checks.Contradicted {
		t.Errorf("%d held", len(held))
	}
	if held = decide("x", adds, false, nil, entries[0], entries[2], entries[4], entries[6], entries[8], entries[10], entries[12]); len(held) != checks.MaxRecalled {
		t.Errorf("%d recalled", len(held))
	}
}

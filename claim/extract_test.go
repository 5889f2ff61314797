package claim

import (
	"fmt"
	"strings"
	"testing"
)

var relations = [...]string{"object", "location", "of", "toward", "origin", "means", "external"}

// claimed is the claims of the kinds asked for, each as one short string.
func claimed(m *Message, kinds ...Kind) string {
	var out []string
	for _, c := range m.Claims {
		for _, k := range kinds {
			if c.Kind != k {
				continue
			}
			var s string
			switch k {
			case KindPath, KindIdentifier:
				s = c.Name + " " + relations[c.Relation]
			case KindAction:
				var w []string
				for _, t := range c.Object {
					w = append(w, t.Text)
				}
				s = c.Verb.String() + " " + strings.Join(w, " ")
				if c.From != "" {
					s += " " + c.From + "->" + c.To
				}
				if c.Mixed {
					s += " mixed"
				}
			case KindQuantity:
				s = strings.TrimSpace(fmt.Sprintf("%s %s->%s", c.Name, c.From, c.To))
				if c.Count > 0 {
					s = fmt.Sprint(c.Count)
				}
				s += " " + c.Unit
			case KindTests:
				s = c.Text
			case KindType, KindRevert, KindTrailer:
				s = c.Name
			case KindComponent:
				s = c.Name
				if c.Candidate {
					s += "?"
				}
			default:
				s = c.Text
			}
			out = append(out, s)
		}
	}
	return strings.Join(out, "; ")
}

func TestClaimsOfEachKind(t *testing.T) {
	for _, c := range []struct {
		name, text string
		kind       Kind
		want       string
	}{
		{"type", "feat(api): add x", KindType, "feat"},
		{"type in capitals", "FIX: x", KindType, "fix"},
		{"revert is no type", "revert: add x", KindType, ""},
		{"scopes", "feat(api, cli): x", KindComponent, "api; cli"},
		{"a prefix is a candidate", "net/http: x", KindComponent, "net/http?"},
		{"words of the subject are candidates", "Fix parser of tables", KindComponent, "parser?; tables?"},
		{"not those in quotes, nor behind if", "Fix \"parser\" if tables fail", KindComponent, ""},
		{"purpose is the rest", "feat(api): add x", KindPurpose, "add x"},
		{"a release has no purpose", "v1.2.3", KindPurpose, ""},

		{"files", "Fix cmd/root.go and main.go", KindPath, "cmd/root.go object; main.go object"},
		{"folders", "Tidy internal/x/", KindPath, "internal/x/ object"},
		{"a file with its line", "Fix main.go:12", KindPath, "main.go object"},
		{"up and here", "Fix ../a/b.go and ./c.go", KindPath, "a/b.go object; c.go object"},
		{"a file in backticks", "Fix `a.go`", KindPath, "a.go object"},
		{"a route", "Add `POST /v2/refunds`", KindPath, "/v2/refunds object"},
		{"a bare document", "Update README", KindPath, "README object"},
		{"a lone slash is none", "Fix a / b", KindPath, ""},
		{"an address is none", "See https://example.org/a.go", KindPath, ""},
		{"a pattern is none", "Skip *.go and a/**/b", KindPath, ""},
		{"a product is none", "Fix node.js and next.js", KindPath, ""},
		{"where a file stands to the verb", "Move x from a.go to b.go in c.go", KindPath, "a.go origin; b.go toward; c.go location"},
		{"what the change works with", "Parse x with a.go", KindPath, "a.go external"},
		{"what it is not", "Change a.go, not b.go", KindPath, "a.go object; b.go external"},
		{"the world", "Fix crash when a.go is missing", KindPath, "a.go external"},
		{"where something is used", "Fix x used in a.go", KindPath, "a.go external"},

		{"identifiers", "Rename fooBar and max_size", KindIdentifier, "fooBar object; max_size object"},
		{"the last part is the name", "Fix Type.method and a::b_c", KindIdentifier, "method object; b_c object"},
		{"a call", "Fix close()", KindIdentifier, "close object"},
		{"a word in backticks", "Drop `retries`", KindIdentifier, "retries object"},
		{"a definition in backticks", "Add `func parse(x)`", KindIdentifier, "parse object"},
		{"two words in backticks are none", "Fix `go vet`", KindIdentifier, ""},
		{"products are none", "Support GitHub, TypeScript and macOS", KindIdentifier, ""},
		{"an error that happened is none", "Fix NullPointerException in x", KindIdentifier, ""},
		{"short names are none", "Fix `id`", KindIdentifier, ""},
		{"instead of another", "Use newName instead of oldName", KindIdentifier, "newName object; oldName external"},
		{"an annotation", "Add @NotNull to x", KindIdentifier, "NotNull object"},

		{"addition", "Add a retry count to the client", KindAction, "add a retry count"},
		{"removal", "Remove `foo` and `bar`", KindAction, "remove foo bar"},
		{"both", "Add x and remove y", KindAction, "add x mixed; remove y mixed"},
		{"rename", "Rename `oldName` to `newName`", KindAction, "rename oldName oldName->newName"},
		{"rename by arrow", "Rename old_name -> new_name", KindAction, "rename old_name old_name->new_name"},
		{"move", "Move a.go to b/a.go", KindAction, "move a.go a.go->b/a.go"},
		{"enable and disable", "Enable caching", KindAction, "enable caching"},
		{"less", "Reduce the timeout", KindAction, "decrease the timeout"},
		{"negated", "Stop adding x", KindAction, ""},
		{"again", "Re-add x", KindAction, ""},
		{"back", "Add back x", KindAction, ""},
		{"of the world", "Fix crash when adding x", KindAction, ""},
		{"in a revert", "Revert \"Add x\"", KindAction, ""},
		{"without an object", "Add", KindAction, ""},

		{"versions", "Bump left-pad from 1.2.0 to 1.3.0", KindQuantity, "left-pad 1.2.0->1.3.0 version"},
		{"versions by arrow", "Bump left-pad 1.2.0 -> v1.3.0", KindQuantity, "left-pad 1.2.0->1.3.0 version"},
		{"versions without a blank", "Bump left-pad 1.2.0->1.3.0", KindQuantity, "left-pad 1.2.0->1.3.0 version"},
		{"a version to arrive at", "Upgrade left-pad to v2.0.1", KindQuantity, "left-pad ->2.0.1 version"},
		{"a version behind an at sign", "Upgrade left-pad@2.0.1", KindQuantity, "left-pad ->2.0.1 version"},
		{"a version of the world", "Fix build with v2.0.1", KindQuantity, ""},
		{"a version that is open", "Support 2.x", KindQuantity, ""},
		{"numbers", "Raise the limit from 1,000 to 2_000", KindQuantity, "1000->2000 number"},
		{"numbers with a unit", "Raise the timeout from 10 to 30 seconds", KindQuantity, "timeout 10->30 number"},
		{"a share is measured, not written", "Raise coverage from 80% to 90%", KindQuantity, ""},
		{"files counted", "Reformat 7 files", KindQuantity, "7 files"},
		{"tests counted in words", "Add five new tests for x", KindQuantity, "5 tests"},
		{"test cases counted", "Add 12 test cases", KindQuantity, "12 tests"},
		{"not about so many", "Reformat about 7 files", KindQuantity, ""},
		{"not at most so many", "Read up to 7 files", KindQuantity, ""},
		{"an issue is no number", "Fix issue 1234", KindQuantity, ""},
		{"a number of its own is a candidate", "Set the limit at 250", KindQuantity, "->250 number"},

		{"tests", "Add tests for x", KindTests, "Add tests"},
		{"unit tests", "Add missing unit tests", KindTests, "Add missing unit tests"},
		{"test cases", "Write test cases for x", KindTests, "Write test cases"},
		{"a thing of tests is none", "Add test helper", KindTests, ""},
		{"running tests is none", "Include running tests", KindTests, ""},
		{"of the world", "Fix crash when adding tests", KindTests, ""},

		{"a revert by its subject", "Revert \"Add x\"\n\nThis reverts commit abc1234def.", KindRevert, "abc1234def"},
		{"a revert by a trailer", "Drop x\n\nReverts: abc1234def", KindRevert, "abc1234def"},
		{"a revert without a commit", "Revert the change of x", KindRevert, ""},
		{"a fixed commit", "Fix x\n\nFixes: abc1234def (\"Add x\")", KindTrailer, "abc1234def"},
		{"a fixed issue", "Fix x\n\nFixes: #12", KindTrailer, ""},
		{"a merge claims nothing", "Merge branch 'a.go' of x", KindPath, ""},
		{"a fixup claims nothing", "fixup! Add a.go", KindPath, ""},
		{"a statement that no other kind covers", "Tidy\n\nThis commit cleans things up.", KindStatement, "This commit cleans things up."},
		{"a statement that another kind covers", "Tidy\n\nThis commit adds things.", KindStatement, ""},
	} {
		t.Run(c.name+": "+c.text, func(t *testing.T) {
			if got := claimed(Parse(c.text, Options{}), c.kind); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestTestsPhrasesInTheBody(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"Covered by new tests.", "Covered by new tests"},
		{"This change is covered by a regression test.", "covered by a regression test"},
		{"It was covered by tests.", ""},
		{"x is already covered by tests.", ""},
		{"- Unit tests for x", "Unit tests"},
		{"- Test helper", ""},
		{"- Add tests", "Add tests"},
		{"The tests are slow.", ""},
		{"Tests will follow.", ""},
		{"- [ ] Add tests", ""},
	} {
		t.Run(c.text, func(t *testing.T) {
			if got := claimed(Parse("Tidy\n\n"+c.text+"\n", Options{}), KindTests); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestClaimsCarryTheirStanding(t *testing.T) {
	m := Parse("feat(api): add fooBar\n\nAdd barBaz. The bazQux was slow.\n", Options{Source: SourceTitle, Tier: TierIntent})
	want := map[string]Standing{"fooBar": Subject, "barBaz": Own, "bazQux": Background}
	for _, c := range m.Claims {
		if c.Kind == KindIdentifier {
			if c.Standing != want[c.Name] {
				t.Errorf("%s has standing %d", c.Name, c.Standing)
			}
			delete(want, c.Name)
		}
		if c.InHeader != (c.Kind == KindType || c.Kind == KindComponent && c.Name == "api") {
			t.Errorf("%s %q: in header %v", c.Kind, c.Text, c.InHeader)
		}
		if c.Tier != TierIntent || c.Place.Source != SourceTitle {
			t.Errorf("%s has tier %q and source %q", c.Kind, c.Tier, c.Place.Source)
		}
	}
	if len(want) > 0 {
		t.Errorf("no claim of %v", want)
	}
	if m.NotClaims != 0 {
		t.Errorf("%d statements without a claim", m.NotClaims)
	}
}

package claim

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// read is the statements of a message as "standing: text", line ends as "/".
func read(m *Message) []string {
	var out []string
	for _, st := range m.Statements {
		s := [...]string{"background", "squashed", "own", "subject"}[st.Standing]
		out = append(out, s+": "+strings.ReplaceAll(m.Text[st.Start:st.End], "\n", "/"))
	}
	return out
}

func body(text string) string { return "Tidy\n\n" + text + "\n" }

func TestWhatIsNoProseIsNotRead(t *testing.T) {
	for _, c := range []struct{ name, text string }{
		{"fence", "```\nAdd `x`.\n```"},
		{"fence of tildes with a language", "~~~go\nAdd `x`.\n~~~"},
		{"fence within a longer fence", "````\n```\nAdd `x`.\n```\n````"},
		{"fence that is never closed", "```\nAdd `x`."},
		{"fence on one line", "```Add x```"},
		{"indented fence", "  ```\n  Add `x`.\n  ```"},
		{"trailer within a fence", "```\nFixes: abc1234def\nSayso-Ignore: scope no reason\n```"},
		{"quote", "> Add `x`.\n> And y."},
		{"indented code", "    Add `x`."},
		{"code behind a tab", "\tAdd `x`."},
		{"command line", "$ add x"},
		{"table", "| Add | Remove |\n|-----|--------|\n| x   | y      |"},
		{"comment", "<!-- Add `x`. -->"},
		{"comment over several lines", "<!--\nAdd `x`.\n\nRemove y.go.\n-->"},
		{"comment that is never closed", "<!-- Add `x`."},
		{"trailer within a comment", "<!--\nReverts: abc1234def\n-->"},
		{"tags", "<details>\n<summary>Add x</summary>\n</details>"},
		{"unticked task", "- [ ] Add `x`."},
		{"unticked task over two lines", "- [ ] Add `x`\n  and remove y.go."},
		{"unticked numbered task", "1. [ ] Add `x`."},
		{"conflicts", "Conflicts:\n\tsrc/a.go\n\tsrc/b.go"},
		{"commented conflicts", "# Conflicts:\n#\tsrc/a.go"},
		{"trailers", "Signed-off-by: A Person <a@example.org>\nChange-Id: I0123"},
		{"reference line", "Closes #12, #13 and owner/repo#4"},
		{"link", "https://example.org/add/x.go"},
		{"links of a bot", "- [Release notes](https://example.org)\n- Add `x`."},
		{"data of a bot", "---\nupdated-dependencies:\n- dependency-name: x"},
		{"heading", "## Add x.go"},
		{"bold heading", "**Add x.go**"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := Parse(body(c.text), Options{})
			if got := read(m); len(got) != 1 {
				t.Errorf("read %q", got[1:])
			}
			if len(m.Ignores) != 0 {
				t.Errorf("ignores %v", m.Ignores)
			}
		})
	}
}

func TestStatementsAndTheirStanding(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"a verb of change opens", "Add x. Remove y.", []string{"own: Add x.", "own: Remove y."}},
		{"this commit", "This commit is smaller than it looks.", []string{"own: This commit is smaller than it looks."}},
		{"this, and a verb", "This fixes the crash.", []string{"own: This fixes the crash."}},
		{"weak leads before a verb", "We also now remove y.", []string{"own: We also now remove y."}},
		{"the world", "The parser was slow.", []string{"background: The parser was slow."}},
		{"a verb form that is a noun", "Support for x was missing.", []string{"background: Support for x was missing."}},
		{"the past", "Previously the cache kept all pages.", []string{"background: Previously the cache kept all pages."}},
		{"a plan", "This will add x later.", []string{"background: This will add x later."}},
		{"a follow-up", "Add x in a follow-up.", []string{"background: Add x in a follow-up."}},
		{"another commit", "Remove y in a separate commit.", []string{"background: Remove y in a separate commit."}},
		{"a wish", "We should add x.", []string{"background: We should add x."}},
		{"or later is no plan", "Require Go 1.22 or later.", []string{"own: Require Go 1.22 or later."}},
		{"bullets are about the change", "- x.go: smaller\n- the parser", []string{"own: x.go: smaller", "own: the parser"}},
		{"all marks of lists", "* a b\n+ c d\n• e f\n1. g h\n2) i j\n- [x] k l", []string{"own: a b", "own: c d", "own: e f", "own: g h", "own: i j", "own: k l"}},
		{"a wrapped bullet is one statement", "- Add x\n  and y\n- Remove z", []string{"own: Add x/  and y", "own: Remove z"}},
		{"a paragraph right behind a bullet", "- Add x\nThe parser was slow.", []string{"own: Add x", "background: The parser was slow."}},
		{"a semicolon ends a statement", "Add x; remove y.", []string{"own: Add x;", "own: remove y."}},
		{"abbreviations end none", "Add x, e.g. `y`. Done.", []string{"own: Add x, e.g. `y`.", "background: Done."}},
		{"a sentence over two lines", "Add x\nto y. Remove z.", []string{"own: Add x/to y.", "own: Remove z."}},
		{"a section of background", "## Motivation\n\nAdd x.\n\n## Changes\n\nAdd y.", []string{"background: Add x.", "own: Add y."}},
		{"a plain heading of background", "Follow-ups:\n\n- Add x.", []string{"background: Add x."}},
		{"a list that follows is no follow-up", "The following changes:\n\n- Add x.", []string{"own: Add x."}},
		{"sentences that open like a trailer", "Fixed: the race.\n\nAdd x.", []string{"own: Fixed: the race.", "own: Add x."}},
		{"sentences that open like a reference", "Fixes the race of #12.\n\nFix issue.\n\nThe end.", []string{"own: Fixes the race of #12.", "own: Fix issue.", "background: The end."}},
		{"a comment within a line", "Add x <!-- and y --> to z.", []string{"own: Add x <!-- and y --> to z."}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := read(Parse(body(c.text), Options{}))
			if want := append([]string{"subject: Tidy"}, c.want...); !slices.Equal(got, want) {
				t.Errorf("\n got %q\nwant %q", got, want)
			}
		})
	}
}

func TestTheSubjectIsTheFirstLine(t *testing.T) {
	for _, c := range []struct {
		name, text string
		o          Options
		want       []string
	}{
		{"behind blank lines", "\n\n  Add x  \n", Options{}, []string{"subject: Add x"}},
		{"running on in lower case", "Add a very long\nsubject line\n", Options{}, []string{"subject: Add a very long/subject line"}},
		{"not running on behind a stop", "Add x.\nremove y\n", Options{}, []string{"subject: Add x.", "own: remove y"}},
		{"not running on with a capital", "Add x\nRemove y\n", Options{}, []string{"subject: Add x", "own: Remove y"}},
		{"none in a body", "Add x\n", Options{NoSubject: true}, []string{"own: Add x"}},
		{"nothing at all", "", Options{}, nil},
		{"blank lines alone", "\n \n\t\n", Options{}, nil},
		{"blank lines alone, a body", "\n \n", Options{NoSubject: true}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := read(Parse(c.text, c.o)); !slices.Equal(got, c.want) {
				t.Errorf("\n got %q\nwant %q", got, c.want)
			}
		})
	}
}

func TestSquashBodiesListOtherCommits(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"stars under a subject with its pull request", "Do it (#12)\n\n* Add x\n\n* Remove y\n", []string{"subject: Do it (#12)", "squashed: Add x", "squashed: Remove y"}},
		{"an unticked task between them", "Do it (#12)\n\n- [ ] no\n\n* Add x\n\n* Remove y\n", []string{"subject: Do it (#12)", "squashed: Add x", "squashed: Remove y"}},
		{"not without the pull request", "Do it\n\n* Add x\n* Remove y\n", []string{"subject: Do it", "own: Add x", "own: Remove y"}},
		{"not with a paragraph in front", "Do it (#12)\n\nAdd z.\n\n* Add x\n* Remove y\n", []string{"subject: Do it (#12)", "own: Add z.", "own: Add x", "own: Remove y"}},
		{"not with one star", "Do it (#12)\n\n* Add x\n", []string{"subject: Do it (#12)", "own: Add x"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := read(Parse(c.text, Options{})); !slices.Equal(got, c.want) {
				t.Errorf("\n got %q\nwant %q", got, c.want)
			}
		})
	}
}

func TestBotsQuoteOthersBelowTheFirstParagraph(t *testing.T) {
	text := "Bump left-pad from 1.2.0 to 1.3.0\n\nBumps left-pad from 1.2.0 to 1.3.0.\n\nAdd `padLeft`. Remove old.js.\n"
	want := []string{"subject: Bump left-pad from 1.2.0 to 1.3.0", "own: Bumps left-pad from 1.2.0 to 1.3.0."}
	if got := read(Parse(text, Options{})); !slices.Equal(got, want) {
		t.Errorf("by its subject: %q", got)
	}
	text = "Weekly update\n\nUpdates x.\n\nAdd `padLeft`.\n"
	if got := read(Parse(text, Options{Bot: true})); len(got) != 2 {
		t.Errorf("by its author: %q", got)
	}
	if got := read(Parse(text, Options{})); len(got) != 3 {
		t.Errorf("by a person: %q", got)
	}
}

func TestTrailers(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       string
	}{
		{"a last paragraph of trailers", "Add x.\n\nFoo-Bar: baz\nSigned-off-by: A <a@example.org>", "Foo-Bar=baz; Signed-off-by=A <a@example.org>"},
		{"continued in the next line", "Add x.\n\nCc: one,\n  two\nChange-Id: I1", "Cc=one,; Change-Id=I1"},
		{"behind them only a comment", "Add x.\n\nFoo-Bar: baz\n\n<!-- what\never -->", "Foo-Bar=baz"},
		{"unknown keys elsewhere are prose", "Foo-Bar: baz\n\nAdd x.", ""},
		{"known keys elsewhere", "Co-authored-by: A <a@example.org>\n\nAdd x.", "Co-authored-by=A <a@example.org>"},
		{"an issue anywhere", "Fixes: #12\n\nAdd x.", "Fixes=#12"},
		{"a commit anywhere", "Fixes: abc1234def (\"Break it\")\n\nAdd x.", "Fixes=abc1234def (\"Break it\")"},
		{"an issue without a colon", "Closes #12\n\nAdd x.", "=Closes #12"},
		{"a sentence that opens like one", "Fixed: the race in x\n\nAdd x.", ""},
		{"no value", "Add x.\n\nFoo-Bar:", ""},
		{"a sentence in the last paragraph", "Add x.\n\nHint: use y instead", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := Parse(body(c.text), Options{})
			var got []string
			for _, tr := range m.Trailers {
				got = append(got, tr.Key+"="+tr.Value)
				if !strings.HasPrefix(m.Text[tr.ValueAt:], tr.Value) || tr.Start > tr.ValueAt || tr.End < tr.ValueAt+len(tr.Value) {
					t.Errorf("%+v does not point at itself", tr)
				}
			}
			if s := strings.Join(got, "; "); s != c.want {
				t.Errorf("got %q, want %q", s, c.want)
			}
		})
	}
}

func TestIgnoresNameTheirCheckAndReason(t *testing.T) {
	m := Parse("Tidy\n\nAdd x.\n\nSayso-Ignore: Scope the table is generated\nSayso-Ignore: path\n", Options{})
	if got := fmt.Sprint(m.Ignores); got != "[{scope the table is generated} {path }]" {
		t.Error(got)
	}
}

func TestSpecialForms(t *testing.T) {
	for text, want := range map[string]Special{
		"Add x":                               Plain,
		"Merge branch 'main' into x":          Merge,
		"Merge pull request #1 from a/b":      Merge,
		"Merge two parsers":                   Plain,
		"fixup! Add x":                        Fixup,
		"squash! Add x":                       Fixup,
		"amend! Add x":                        Fixup,
		"Revert \"Add x\"":                    Revert,
		"revert: add x":                       Revert,
		"revert(api): add x":                  Revert,
		"Reapply \"Add x\"":                   Revert,
		"\ufeffRevert \"Add x\"":              Revert,
		"v1.2.3":                              Release,
		"Release 1.2.3":                       Release,
		"chore(release): release 2.0.0":       Release,
		"prepare for release 2.0":             Release,
		"grep-matcher-0.1.9":                  Release,
		"Fix parsing of version 2 of configs": Plain,
	} {
		if got := Parse(text, Options{}).Special; got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestCherryPicks(t *testing.T) {
	for text, want := range map[string]bool{
		"Add x": false,
		"Add x\n\n(cherry picked from commit abc1234)": true,
		"[1.2] Backport: add x":                        true,
		"Add x\n\nBackport of #12":                     true,
	} {
		if got := Parse(text, Options{}).CherryPick; got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

// clauseList is the clauses of the first statement as "verb words", "~" for negated and "?" for the world.
func clauseList(m *Message) []string {
	var out []string
	st := m.Statements[0]
	for _, c := range st.Clauses {
		var w []string
		for _, t := range st.Tokens[c.From:c.To] {
			w = append(w, t.Text)
		}
		mark := ""
		if c.Negated {
			mark += "~"
		}
		if c.Sub {
			mark += "?"
		}
		out = append(out, mark+c.Verb.String()+" | "+strings.Join(w, " "))
	}
	return out
}

func TestClauses(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"one verb", "Add x to y", []string{"add | Add x to y"}},
		{"two verbs", "Add x and remove y", []string{"add | Add x", "remove | and remove y"}},
		{"three verbs with commas", "Add x, remove y, and rename z", []string{"add | Add x", "remove | , remove y", "rename | , and rename z"}},
		{"behind a header", "feat(api): add x and remove y", []string{"add | feat(api) : add x", "remove | and remove y"}},
		{"behind a long header", "feat(api,cli,web,db,ui)!: remove x", []string{"remove | feat(api,cli,web,db,ui) ! : remove x"}},
		{"a list of nouns", "Fix the add and remove buttons", []string{"change | Fix the add and remove buttons"}},
		{"another mood is no verb", "Update the reads and writes of x", []string{"change | Update the reads and writes of x"}},
		{"subordinate clauses are the world", "Fix crash when x adds y", []string{"change | Fix crash", "? | when x adds y"}},
		{"a comma ends the world", "Fix crash if x fails, remove y", []string{"change | Fix crash", "? | if x fails , remove y"}},
		{"as well is no subordinator", "Add x as well as y", []string{"add | Add x as well", "? | as y"}},
		{"negated verbs have no polarity", "Stop adding x", []string{"~add | Stop adding x"}},
		{"no longer", "No longer add x", []string{"~add | No longer add x"}},
		{"do not", "Don’t remove x", []string{"~remove | Don’t remove x"}},
		{"re-adding is no polarity", "Re-add x", []string{"~add | Re-add x"}},
		{"new opens an addition", "New `/healthz` route", []string{"add | New /healthz route"}},
		{"adverbs before the verb", "Properly remove x", []string{"remove | Properly remove x"}},
		{"no verb", "The parser", []string{" | The parser"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := clauseList(Parse(c.text, Options{})); !slices.Equal(got, c.want) {
				t.Errorf("\n got %q\nwant %q", got, c.want)
			}
		})
	}
}

func TestVerbsInAllTheirForms(t *testing.T) {
	for word, want := range map[string]Verb{
		"add": VerbAdd, "adds": VerbAdd, "added": VerbAdd, "adding": VerbAdd, "removing": VerbRemove, "dropped": VerbRemove,
		"renamed": VerbRename, "moves": VerbMove, "disabling": VerbDisable, "shrunk": VerbDecrease, "replaces": VerbReplace,
		"bumps": VerbBump, "documented": VerbDocument, "covered": VerbTest, "reverted": VerbRevert, "rewrote": VerbChange,
		"copied": VerbChange, "skipped": VerbChange, "catches": VerbChange, "parser": NoVerb, "": NoVerb, "handler": NoVerb,
	} {
		if got := VerbOf(word); got != want {
			t.Errorf("%q: got %v, want %v", word, got, want)
		}
	}
	if VerbAdd.String() != "add" || VerbChange.String() != "change" || NoVerb.String() != "" {
		t.Error("classes have other names")
	}
}

func TestLanguagesWithoutAGrammarAreNotReadButNamesAre(t *testing.T) {
	for _, c := range []struct {
		language, text string
		names          []string
	}{
		{"German", "Behebt den Absturz, wenn die Datei fehlt\n\nDer Parser wird nicht mit leeren Namen aufgerufen, siehe `parseName` in src/name.go.", []string{"parseName", "src/name.go"}},
		{"French", "Corrige le crash quand le fichier est vide\n\nAjoute une vérification dans `readFile` pour les noms vides.", []string{"readFile"}},
		{"Spanish", "Añade soporte para `readConfig` en el servidor\n\nElimina la función vieja cuando no se usa.", []string{"readConfig"}},
		{"Russian", "Исправить падение в parseHeader\n\nДобавлена проверка `isEmpty` в src/main.go.", []string{"parseHeader", "isEmpty", "src/main.go"}},
		{"Chinese", "修复parseHeader函数的崩溃\n\n修改了 `readConfig` 和src/main.go，不再崩溃。", []string{"parseHeader", "readConfig", "src/main.go"}},
		{"Japanese", "設定ファイルの読み込みを修正\n\n`loadConfig` を追加し、src/app.ts を変更。", []string{"loadConfig", "src/app.ts"}},
	} {
		t.Run(c.language, func(t *testing.T) {
			m := Parse(c.text, Options{})
			if !slices.Contains(m.NotRead, "language") {
				t.Error("read as English")
			}
			var names []string
			for _, cl := range m.Claims {
				switch cl.Kind {
				case KindIdentifier, KindPath:
					names = append(names, cl.Name)
				case KindPurpose:
				default:
					t.Errorf("claims %s %q", cl.Kind, cl.Text)
				}
			}
			if !slices.Equal(names, c.names) {
				t.Errorf("names %q, want %q", names, c.names)
			}
		})
	}
}

func TestEnglishWithForeignNamesIsRead(t *testing.T) {
	for _, text := range []string{
		"Add the größe field to des.go",
		"Fix the parser for müller and 修复",
		"docs: update the German guide",
		"Bump la-lib from 1.0 to 2.0",
	} {
		if m := Parse(text, Options{}); len(m.NotRead) != 0 {
			t.Errorf("%q: not read: %v", text, m.NotRead)
		}
	}
}

func TestBeyondTheCapTheTextIsNotReadAndSaidSo(t *testing.T) {
	m := Parse("Tidy\n\nAdd `first_name`.\n\n"+strings.Repeat("é", 200<<10)+"\n\nAdd `last_name`.\n", Options{})
	if !slices.Equal(m.NotRead, []string{"length"}) && !slices.Equal(m.NotRead, []string{"language", "length"}) {
		t.Errorf("not read: %q", m.NotRead)
	}
	found := false
	for _, c := range m.Claims {
		found = found || c.Name == "first_name"
		if c.Name == "last_name" {
			t.Error("reads beyond the cap")
		}
	}
	if !found {
		t.Error("does not read what is before the cap")
	}
	if !strings.HasSuffix(m.Text, "é") {
		t.Error("cuts a code point in two")
	}
}

// Each of these shapes made some step look at all of the text again for each of its pieces.
func TestParseStaysLinearInHostileText(t *testing.T) {
	fill := func(s string) string { return strings.Repeat(s, 10<<20/len(s)) }
	for _, c := range []struct{ name, text string }{
		{"ten megabytes of sentences", fill("Add `foo_bar` to x.go. ")},
		{"ten megabytes of lines", fill("Add `foo_bar` to x.go.\n")},
		{"ten megabytes of bullets", fill("- Add x, remove y\n")},
		{"one subject of ten megabytes", "Tidy " + fill("Add `foo_bar` and remove x.go ")},
		{"one clause behind another", fill("add a, ")},
		{"words without a stop", fill("only touches ")},
		{"names without a stop", fill("fooBar ")},
		{"and, and, and", fill("and ")},
		{"numbers from and to", fill("from 1 to 2 ")},
		{"comments", fill("<!-- x --> ")},
		{"comments that never close", fill("<!-- ")},
		{"fences", fill("```\n")},
		{"fences, each longer", fill("~~~x\n````\n")},
		{"trailers", fill("Foo-Bar: x\n")},
		{"blank lines", fill("\n")},
		{"carriage returns", fill("\r")},
		{"blanks", fill(" ")},
		{"NUL bytes", fill("\x00")},
		{"bytes that are no UTF-8", fill("\xc3\x80\xff ")},
		{"continuation bytes", fill("\x80")},
		{"letters of another script", fill("字、")},
	} {
		t.Run(c.name, func(t *testing.T) {
			start := time.Now()
			Parse("Tidy\n\n"+c.text, Options{})
			Parse(c.text, Options{NoSubject: c.name == "ten megabytes of lines"})
			if d := time.Since(start); d > 6*time.Second {
				t.Errorf("took %v", d)
			}
		})
	}
}

package claim

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// failer is what testing.T and rapid.T have in common.
type failer interface{ Errorf(string, ...any) }

func checkTokens(t failer, text string, start, end int) {
	at := start
	for _, tok := range tokenize(nil, text, start, end) {
		if tok.Start < at || tok.End <= tok.Start || tok.End > end {
			t.Errorf("%q: token %q at %d..%d behind %d", text, tok.Text, tok.Start, tok.End, at)
			return
		}
		for i := at; i < tok.Start; i++ {
			if !isBlank(text[i]) && text[i] != '@' { // name@1.2.3 is two tokens
				t.Errorf("%q: byte %d is in no token", text, i)
				return
			}
		}
		at = tok.End
		if source := text[tok.Start:tok.End]; tok.Kind == Code {
			source = strings.TrimSpace(strings.Trim(source, "`"))
			if !strings.Contains(tok.Text, source) {
				t.Errorf("%q: token %q was %q", text, tok.Text, source)
			}
		} else if tok.Text != source {
			t.Errorf("%q: token %q was %q", text, tok.Text, source)
		}
	}
}

// checkMessage holds what Parse promises of any text.
func checkMessage(t failer, src string, o Options) {
	m := Parse(src, o)
	if !strings.HasPrefix(src, m.Text) {
		t.Errorf("%q: reads a text of its own", src)
	}
	for i, st := range m.Statements {
		if st.Start < 0 || st.End < st.Start || st.End > len(m.Text) {
			t.Errorf("%q: statement at %d..%d", src, st.Start, st.End)
		}
		at := 0
		for _, c := range st.Clauses {
			if c.From != at || c.To < c.From || c.VerbAt >= c.To || c.VerbAt >= 0 && c.VerbAt < c.From {
				t.Errorf("%q: statement %d has a clause %+v behind %d", src, i, c, at)
			}
			at = c.To
		}
		if at != len(st.Tokens) {
			t.Errorf("%q: clauses of statement %d end at %d of %d", src, i, at, len(st.Tokens))
		}
	}
	last := 0
	for _, c := range m.Claims {
		if c.Start < last || c.End <= c.Start || c.End > len(m.Text) {
			t.Errorf("%q: %s at %d..%d behind %d", src, c.Kind, c.Start, c.End, last)
			return
		}
		last = c.Start
		if c.Statement >= len(m.Statements) || c.Clause >= 0 && c.Clause >= len(m.Statements[c.Statement].Clauses) {
			t.Errorf("%q: %s is of statement %d, clause %d", src, c.Kind, c.Statement, c.Clause)
		}
		if !utf8.ValidString(c.Text) || !utf8.ValidString(c.Place.Excerpt) || utf8.RuneCountInString(c.Place.Excerpt) > 400 {
			t.Errorf("%q: text %q, excerpt %q", src, c.Text, c.Place.Excerpt)
		}
		if p := m.PlaceOf(c.Start, c.End); p != c.Place {
			t.Errorf("%q: %+v, by offset %+v", src, c.Place, p)
		}
		checkPlace(t, src, c)
	}
}

// checkPlace: what the excerpt shows at the column is the begin of the claim's text.
func checkPlace(t failer, src string, c Claim) {
	p := c.Place
	excerpt := []rune(p.Excerpt)
	if p.Line < 1 || p.Column < 1 || p.Length < 1 {
		t.Errorf("%q: %s %q at %+v", src, c.Kind, c.Text, p)
		return
	}
	if p.Column-1+p.Length > len(excerpt) {
		if len(excerpt) < 400 {
			t.Errorf("%q: %s %q reaches beyond its line: %+v", src, c.Kind, c.Text, p)
		}
		return
	}
	cut := strings.Join(strings.Fields(string(excerpt[p.Column-1:p.Column-1+p.Length])), " ")
	if !strings.HasPrefix(c.Text, cut) || cut == "" {
		t.Errorf("%q: %s %q is shown as %q", src, c.Kind, c.Text, cut)
	}
}

// pieces of messages: what a grammar stumbles over, beside what it reads.
var messagePieces = []string{
	"add", "Remove", "rename", "only", "touches", "docs", "tests", "no", "functional", "change", "This commit", "nothing", "outside", "limited", "to", "from",
	"and", "when", "not", "`foo`", "`a b`", "`", "``", "fooBar", "a/b.go", "x.md", "1.2.3", "12", "files", "->", "#12", "abc1234", "https://example.org",
	"feat", "fix(api)!:", ":", "(", ")", "[x]", "\"", ".", ". ", ";", ",", "!", "?", "*", "—", "’", "“", "”", "…",
	"\n", "\n\n", "\r\n", "\t", "    ", "- ", "* ", "1. ", "- [ ] ", "> ", "| ", "# ", "```", "~~~", "<!--", "-->", "Fixes: ", "Signed-off-by: A", "Conflicts:", "---",
	"é", "✨", "\ufeff", "修复", "\x00", "\xff", "\xc3", "\u00a0", "\u2028", "İ", "ſ", "K",
}

func message() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		var b strings.Builder
		for _, p := range rapid.SliceOfN(rapid.SampledFrom(messagePieces), 0, 40).Draw(t, "pieces") {
			b.WriteString(p)
			if rapid.IntRange(0, 3).Draw(t, "blank") > 0 {
				b.WriteByte(' ')
			}
		}
		return b.String()
	})
}

func options() *rapid.Generator[Options] {
	return rapid.Custom(func(t *rapid.T) Options {
		return Options{Source: SourceMessage, Tier: TierLedger, NoSubject: rapid.Bool().Draw(t, "no subject"), Bot: rapid.Bool().Draw(t, "bot")}
	})
}

func TestTokensCoverTheTextInOrderWithoutOverlap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := message().Draw(t, "text")
		start := rapid.IntRange(0, len(text)).Draw(t, "start")
		checkTokens(t, text, start, rapid.IntRange(start, len(text)).Draw(t, "end"))
	})
}

func TestEveryClaimPointsAtItsOwnText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		checkMessage(t, message().Draw(t, "text"), options().Draw(t, "options"))
	})
}

func TestParsingTwiceGivesTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text, o := message().Draw(t, "text"), options().Draw(t, "options")
		if a, b := Parse(text, o), Parse(text, o); !reflect.DeepEqual(a, b) {
			t.Errorf("%q: read in two ways", text)
		}
	})
}

func TestAnyPrefixOfATextParses(t *testing.T) {
	for _, m := range typical {
		for i := range len(m.text) {
			checkMessage(t, m.text[:i], Options{})
			checkMessage(t, m.text[:i], Options{NoSubject: true})
		}
	}
}

// A block that is no prose between two paragraphs never adds a claim.
func TestABlockThatIsNotReadAddsNoClaim(t *testing.T) {
	paragraph := rapid.SampledFrom([]string{
		"Add `foo` to a/b.go.", "This commit only touches docs/.", "The parser was slow.", "- Add tests\n- Rename `a_b` to `c_d`", "* Add x.go\n* Remove y.go",
		"## Changes", "## Motivation", "Bump x from 1.0 to 2.0.", "No functional change.", "Some text,\nover lines.", "Fixes #12",
	})
	block := rapid.SampledFrom([]string{
		"> Add `bar` to c/d.go.\n> Only touches tests/.", "```\nAdd `bar` to c/d.go.\nFixes: abc1234def\n```", "~~~\nRemoves z.go\n~~~",
		"- [ ] Add `bar` to c/d.go", "* [ ] Only touches tests/", "<!-- Add `bar`.\n\nReverts: abc1234def -->", "| Add `bar` | z.go |", "    Add `bar` to c/d.go.",
	})
	type short struct {
		Kind Kind
		Text string
	}
	list := func(m *Message) (out []short) {
		for _, c := range m.Claims {
			out = append(out, short{c.Kind, c.Text})
		}
		return out
	}
	rapid.Check(t, func(t *rapid.T) {
		paragraphs := rapid.SliceOfN(paragraph, 0, 6).Draw(t, "paragraphs")
		subject := rapid.SampledFrom([]string{"Tidy", "feat(api): add x", "Do it (#12)", "Bump x from 1.0 to 2.0"}).Draw(t, "subject")
		at := rapid.IntRange(0, len(paragraphs)).Draw(t, "at")
		more := slices.Insert(slices.Clone(paragraphs), at, block.Draw(t, "block"))
		before := list(Parse(strings.Join(append([]string{subject}, paragraphs...), "\n\n")+"\n", Options{}))
		after := list(Parse(strings.Join(append([]string{subject}, more...), "\n\n")+"\n", Options{}))
		for _, c := range after {
			i := slices.Index(before, c)
			if i < 0 {
				t.Fatalf("claims %v of\n%s", c, strings.Join(more, "\n\n"))
			}
			before = slices.Delete(before, i, i+1)
		}
	})
}

func FuzzTokenize(f *testing.F) {
	for _, m := range typical {
		f.Add(m.text)
	}
	f.Add("a@1.2->b `c``d` (e)) “f” 修复g")
	f.Fuzz(func(t *testing.T, s string) { checkTokens(t, s, 0, len(s)) })
}

func FuzzParse(f *testing.F) {
	for _, m := range typical {
		f.Add(m.text, false, false)
	}
	f.Add("fix(a)!: b\n\n- [x] only touches `c`, d/e.md\n\nFixes: abc1234\n", true, true)
	f.Fuzz(func(t *testing.T, s string, noSubject, bot bool) {
		checkMessage(t, s, Options{NoSubject: noSubject, Bot: bot})
	})
}

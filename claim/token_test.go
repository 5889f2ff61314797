package claim

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

var kindNames = [...]string{"punct", "word", "name", "code", "path", "number", "version", "url", "ref", "hash", "flag", "mention"}

// shown is the tokens as "kind:text kind:text"; punctuation stands for itself.
func shown(toks []Token) string {
	var out []string
	for _, t := range toks {
		if t.Kind == Punct {
			out = append(out, t.Text)
			continue
		}
		out = append(out, kindNames[t.Kind]+":"+t.Text)
	}
	return strings.Join(out, " ")
}

func TestTokensHaveTheKindOfWhatTheyLookLike(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"plain words keep hyphens and apostrophes", "don't re-add well-known things", "word:don't word:re-add word:well-known word:things"},
		{"a capital in front is still a word", "Fix Parser", "word:Fix word:Parser"},
		{"camel case is a name", "parseHeader HTTPServer MyType", "name:parseHeader name:HTTPServer name:MyType"},
		{"underscores make a name", "max_size MAX_SIZE __init__", "name:max_size name:MAX_SIZE name:__init__"},
		{"qualified names stay whole", "res.send foo::bar Type#method", "name:res.send name:foo::bar name:Type#method"},
		{"calls keep their brackets", "close() parse(s) fooBar(a)", "name:close() name:parse(s) name:fooBar(a)"},
		{"plural acronyms are words", "URLs APIs IDs", "word:URLs word:APIs word:IDs"},
		{"a code span loses its backticks", "the `foo bar` and ``a`b``", "word:the code:foo bar word:and code:a`b"},
		{"a backtick that is never closed is punctuation", "the `foo", "word:the ` word:foo"},
		{"paths have a slash or a known extension", "cmd/root.go main.go ./a/b internal/x/ .gitignore", "path:cmd/root.go path:main.go path:./a/b path:internal/x/ path:.gitignore"},
		{"a version is no file", "1.2.3 v4 v1.2.3-rc.1 ^2.0 2.x >=1.0", "version:1.2.3 version:v4 version:v1.2.3-rc.1 version:^2.0 version:2.x version:>=1.0"},
		{"numbers take separators and short units", "12 1,000 1_000 30s 50% -3", "number:12 number:1,000 number:1_000 number:30s number:50% number:-3"},
		{"a name at a version is both", "left-pad@1.3.0 @scope/pkg@2.0.0", "word:left-pad version:1.3.0 path:@scope/pkg version:2.0.0"},
		{"an arrow between versions is cut out", "1.2->1.3 10->20", "version:1.2 -> version:1.3 number:10 -> number:20"},
		{"an arrow between words is cut out", "old->new", "word:old -> word:new"},
		{"references to issues", "#12 GH-12 owner/repo#12 gh#4", "ref:#12 ref:GH-12 ref:owner/repo#12 ref:gh#4"},
		{"addresses of the web", "https://example.org/a www.example.org", "url:https://example.org/a url:www.example.org"},
		{"object names need letters and digits", "abc1234 1234567 abcdefa deadbeef00", "hash:abc1234 number:1234567 word:abcdefa hash:deadbeef00"},
		{"flags", "--depth -v --no-color", "flag:--depth flag:-v flag:--no-color"},
		{"mentions and mail addresses", "@someone a.b@example.org", "mention:@someone mention:a.b@example.org"},
		{"an annotation is a name", "@NotNull @app.route(x)", "name:@NotNull name:@app.route(x)"},
		{"sentence punctuation stands apart", "Add x, then (maybe) y; done.", "word:Add word:x , word:then ( word:maybe ) word:y ; word:done ."},
		{"a bracket of a sentence is not one of a call", "(see foo())", "( word:see name:foo() )"},
		{"quotes and stars around a word go", `"foo" 'bar' **baz**`, `" word:foo " ' word:bar ' * * word:baz * *`},
		{"a word joined by commas is cut", "a,b(c", "word:a , word:b ( word:c"},
		{"typographic quotes and dashes", "“foo” — bar…", "“ word:foo ” — word:bar …"},
		{"East Asian text is cut from the names in it", "修复parseHeader的崩溃，见src/main.go。", "word:修复 name:parseHeader word:的崩溃 ， word:见 path:src/main.go 。"},
		{"a path with East Asian letters stays whole", "docs/指南.md", "path:docs/指南.md"},
		{"accents belong to words", "vérification naïve", "word:vérification word:naïve"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := shown(tokenize(nil, c.text, 0, len(c.text))); got != c.want {
				t.Errorf("%q\n got %s\nwant %s", c.text, got, c.want)
			}
		})
	}
}

func TestTokensKnowWhereTheyStand(t *testing.T) {
	text := "é `x y` (foo), “bär”\t1.2"
	for _, tok := range tokenize(nil, text, 0, len(text)) {
		source := text[tok.Start:tok.End]
		if got := strings.TrimSpace(strings.Trim(source, "`")); got != tok.Text {
			t.Errorf("token %q points at %q", tok.Text, source)
		}
	}
}

func TestOnlyTheSpanIsTokenized(t *testing.T) {
	text := "one two three"
	if got := shown(tokenize(nil, text, 4, 7)); got != "word:two" {
		t.Error(got)
	}
}

func TestQuotedTokensAreMarked(t *testing.T) {
	var got []string
	text := `say "two words" and “one more” now`
	for _, tok := range tokenize(nil, text, 0, len(text)) {
		if tok.Quoted {
			got = append(got, tok.Text)
		}
	}
	if fmt.Sprint(got) != "[two words one more]" {
		t.Error(got)
	}
}

func TestLowHasAPlainApostrophe(t *testing.T) {
	toks := tokenize(nil, "Don’t ÄNDERN", 0, len("Don’t ÄNDERN"))
	if toks[0].Low != "don't" || toks[1].Low != "ändern" {
		t.Errorf("%q %q", toks[0].Low, toks[1].Low)
	}
}

// The shapes below made a look back or a look ahead over the whole text for each of its bytes.
func TestTokenizeStaysLinearInHostileText(t *testing.T) {
	runs := ""
	for n := 600; n > 0; n-- {
		runs += strings.Repeat("`", n) + " "
	}
	for _, c := range []struct{ name, text string }{
		{"closing brackets", strings.Repeat(")", 1<<18)},
		{"opening brackets", strings.Repeat("a(", 1<<17)},
		{"commas without blanks", strings.Repeat("a,", 1<<17)},
		{"at signs with versions", strings.Repeat("a@1.2", 1<<16)},
		{"arrows", strings.Repeat("1->", 1<<16)},
		{"runs of backticks, each shorter", runs},
		{"lone backticks", strings.Repeat("a`b``", 1<<16)},
		{"one word", strings.Repeat("x", 1<<18)},
		{"letters of another script", strings.Repeat("字", 1<<16)},
		{"NUL bytes", strings.Repeat("\x00", 1<<18)},
		{"bytes that are no UTF-8", strings.Repeat("\xff\xc3", 1<<17)},
	} {
		t.Run(c.name, func(t *testing.T) {
			start := time.Now()
			tokenize(nil, c.text, 0, len(c.text))
			if d := time.Since(start); d > 3*time.Second {
				t.Errorf("%d bytes took %v", len(c.text), d)
			}
		})
	}
}

package report

import (
	"encoding/json"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestTerminal(t *testing.T) {
	for in, want := range map[string]string{
		"plain [text] # 1":       "plain [text] # 1",
		"日本語 é 👩\u200d👧":         "日本語 é 👩\u200d👧",
		"\x1b[31mred\x07":        `\x1b[31mred\x07`,
		"a\r\nb\tc":              `a\r\nb    c`,
		"\u009b2J\x7f":           `\x9b2J\x7f`,
		"\u202eabc\u2066":        `\u202eabc\u2066`,
		"\u2028\ufeff\U000e0041": `\u2028\ufeff\U000e0041`,
		"\xff\xc3":               "\ufffd\ufffd",
		"##[error]":              `##\x5berror]`,
		"x ###vso[task]":         `x ###vso\x5btask]`,
		"## [x] #[y]":            "## [x] #[y]",
		"\x00":                   `\x00`,
	} {
		if got := Terminal(in); got != want {
			t.Errorf("Terminal(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestMarkdown(t *testing.T) {
	for in, want := range map[string]string{
		"plain, text. (1)":      "plain, text. (1)",
		"@octocat":              "@\u200boctocat",
		"fixes #12":             "fixes \\#\u200b12",
		"owner/repo#1":          "owner/repo\\#\u200b1",
		"GH-1":                  "GH-\u200b1",
		"https://a.example":     "https:\u200b//a.example",
		"www.a.example":         "www\u200b.a.example",
		"<b>&amp;":              "&lt;b&gt;&amp;amp;",
		"a|b `c` *d* _e_ ~f~":   "a\\|b \\`c\\` \\*d\\* \\_e\\_ \\~f\\~",
		"[l](javascript:x) $m$": "\\[l\\](javascript:\u200bx) \\$m\\$",
		"a\nb":                  `a\\nb`,
	} {
		if got := Markdown(in); got != want {
			t.Errorf("Markdown(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestFenceIsLongerThanAnyRunInside(t *testing.T) {
	for in, want := range map[string]string{"": "```", "a`b": "```", "```": "````", "x ````` y\n``": "``````"} {
		if got := fence(strings.Split(in, "\n")); got != want {
			t.Errorf("%q: %s", in, got)
		}
	}
}

func TestRelPathStaysBelowTheRoot(t *testing.T) {
	for in, want := range map[string]string{
		"a/b.go": "a/b.go", "/etc/passwd": "etc/passwd", "../../x": "x", "a/../../b": "b", `C:\Users\me`: `Users\me`, "c:/x": "x", `\\?\C:\x`: `C:\x`, "//a//b/": "a/b", "": "", "/": "", "-rf": "-rf",
	} {
		if got := relPath(in); got != want {
			t.Errorf("relPath(%q) = %q, want %q", in, got, want)
		}
	}
}

var attacks = []string{
	"", "plain", "\x1b]0;t\x07\u009b", "a\r\n::error::b", "%0A::x", "##[add-mask]a ##vso[b]c", "\u202e\u2066\u2028\ufeff\U000e0041", "\xff\xfe\x00",
	"@me #1 GH-1 a/b#2 !3 https://x www.x", "<!-- --> <b> &lt; | ` ``` ~~~ $ \\", "[x](y) {0} {{1}}", "C:\\a /b ../c", "a,b:c", "\\u001b \\\\ \"", "日本 é e\u0301 👩\u200d👧", "\ufffd",
}

func seed(f *testing.F) {
	for _, s := range attacks {
		f.Add(s)
	}
}

func FuzzTerminal(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, s string) {
		out := Terminal(s)
		if !utf8.ValidString(out) {
			t.Fatalf("%q is not UTF-8", out)
		}
		for _, r := range out {
			if hidden(r) || r == '\n' || r == '\r' || r == '\t' {
				t.Fatalf("%q survives in %q", r, out)
			}
		}
		if regexp.MustCompile(`##\pL*\[`).MatchString(out) {
			t.Fatalf("a runner command in %q", out)
		}
		if again := Terminal(out); again != out {
			t.Fatalf("%q becomes %q", out, again)
		}
		if got := strings.Join(terminalRunes(s), ""); got != out {
			t.Fatalf("rune by rune %q, whole %q", got, out)
		}
		if n := len(terminalRunes(s)); n != utf8.RuneCountInString(s) {
			t.Fatalf("%d pieces of %d code points", n, utf8.RuneCountInString(s))
		}
	})
}

func FuzzCommand(f *testing.F) {
	seed(f)
	// The runner's own unescaping, in its order.
	data := strings.NewReplacer("%0D", "\r", "%0A", "\n", "%25", "%")
	property := strings.NewReplacer("%0D", "\r", "%0A", "\n", "%3A", ":", "%2C", ",", "%25", "%")
	f.Fuzz(func(t *testing.T, s string) {
		d, p := commandData(s), commandProperty(s)
		line := "::error title=" + p + "::" + d
		for _, r := range line {
			if hidden(r) || r == '\n' || r == '\r' {
				t.Fatalf("%q survives in %q", r, line)
			}
		}
		if strings.ContainsAny(p, ":,") {
			t.Fatalf("property %q ends early", p)
		}
		// What the runner shows is what a terminal would show, with breaks kept in data.
		shown := strings.Split(s, "\n")
		for i := range shown {
			shown[i] = Terminal(shown[i])
		}
		if got, want := data.Replace(d), strings.Join(shown, "\n"); got != want {
			t.Fatalf("data %q, want %q", got, want)
		}
		if got, want := property.Replace(p), Terminal(s); got != want {
			t.Fatalf("property %q, want %q", got, want)
		}
	})
}

func FuzzMarkdown(f *testing.F) {
	seed(f)
	live := regexp.MustCompile(`(?i)[@#!][0-9a-z]|gh-[0-9]|www\.|(https?|ftp|mailto|xmpp|javascript|data):[^\x{200b}]`)
	bare := regexp.MustCompile("[<>]|(^|[^\\\\])(\\\\\\\\)*[`*_\\[\\]|~$!#^{}]")
	f.Fuzz(func(t *testing.T, s string) {
		out, code := Markdown(s), markdownCode(s)
		for _, o := range []string{out, code} {
			if strings.ContainsAny(o, "\n\r\x1b") || live.MatchString(o) {
				t.Fatalf("%q is live", o)
			}
		}
		if bare.MatchString(out) {
			t.Fatalf("unescaped markup in %q", out)
		}
		if bar := fence([]string{code}); strings.Contains(code, bar) {
			t.Fatalf("fence %s ends inside of %q", bar, code)
		}
		// Unescaped again it says what a terminal would show.
		plain := strings.NewReplacer("&lt;", "<", "&gt;", ">", "&amp;", "&").Replace(regexp.MustCompile(`\\(.)`).ReplaceAllString(out, "$1"))
		if got := strings.ReplaceAll(plain, zwsp, ""); got != Terminal(s) {
			t.Fatalf("shows %q, want %q", got, Terminal(s))
		}
	})
}

func FuzzInertJSON(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, s string) {
		out, err := encode(map[string]string{"k" + s: s})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range string(out) {
			if hidden(r) || r == '\n' {
				t.Fatalf("%q survives in %q", r, out)
			}
		}
		if regexp.MustCompile(`##\pL*\[`).Match(out) {
			t.Fatalf("a runner command in %q", out)
		}
		var back map[string]string
		if err := json.Unmarshal(out, &back); err != nil {
			t.Fatalf("%v in %q", err, out)
		}
		if d := cmp.Diff(map[string]string{"k" + valid(s): valid(s)}, back); d != "" {
			t.Fatal(d)
		}
	})
}

func FuzzSARIFText(f *testing.F) {
	seed(f)
	link := regexp.MustCompile(`(^|[^\\])(\\\\)*[\[\]]|\{\d+\}`)
	f.Fuzz(func(t *testing.T, s string) {
		if out := sarifText(s); link.MatchString(out) || strings.ContainsAny(out, "\n\x1b") {
			t.Fatalf("%q", out)
		}
		u := uri(s)
		for i := range len(u) {
			if u[i] <= ' ' || u[i] >= 0x7f {
				t.Fatalf("URI %q", u)
			}
		}
		parsed, err := url.Parse(u)
		if err != nil || parsed.IsAbs() || parsed.Host != "" || strings.HasPrefix(u, "/") || strings.HasPrefix(parsed.Path, "..") && (len(parsed.Path) == 2 || parsed.Path[2] == '/') {
			t.Fatalf("URI %q of %q: %v", u, s, err)
		}
		if parsed.Path != relPath(s) {
			t.Fatalf("URI %q is %q, not %q", u, parsed.Path, relPath(s))
		}
	})
}

func FuzzMark(f *testing.F) {
	for i, s := range attacks {
		f.Add(s, i, i+3, 10+i)
	}
	f.Add("0000000000  ", 11, 12, 0)
	f.Add("日本語のコミット message with a long tail that does not fit", 2, 4, 20)
	f.Fuzz(func(t *testing.T, s string, from, to, columns int) {
		columns = columns % 200
		m := mark(s, []span{{from, to}}, columns, '^')
		if strings.Trim(m.under, " ^~") != "" || strings.Count(m.under, "^") > 1 {
			t.Fatalf("underline %q", m.under)
		}
		if strings.ContainsAny(m.text, "\n\x1b") {
			t.Fatalf("text %q", m.text)
		}
		// Blanks at the end can be marked and are cut from the text; an ellipsis takes a column.
		if utf8.RuneCountInString(m.under) > width(Terminal(s))+1 {
			t.Fatalf("%q under %q", m.under, m.text)
		}
		// A code point can be as wide as its escape, and a cluster wider than its runes.
		if columns >= 40 && width(Terminal(s)) == utf8.RuneCountInString(s) && width(m.text) > columns {
			t.Fatalf("%d columns for %d: %q", width(m.text), columns, m.text)
		}
	})
}

func TestMarkUnderlinesByDisplayWidth(t *testing.T) {
	for _, c := range []struct {
		name, line  string
		from, to, w int
		text, under string
	}{
		{"ASCII", "fix: add tests", 5, 14, 0, "fix: add tests", "     ^~~~~~~~~"},
		{"wide characters", "修正 add", 3, 6, 0, "修正 add", "     ^~~"},
		{"wide span", "a 修正 b", 2, 4, 0, "a 修正 b", "  ^~~~"},
		{"combining mark", "e\u0301e\u0301 x", 5, 6, 0, "e\u0301e\u0301 x", "   ^"},
		{"escape before", "\x1b[m x", 4, 5, 0, `\x1b[m x`, "       ^"},
		{"tab before", "\tx y", 1, 2, 0, "    x y", "    ^"},
		{"beyond the end", "abc", 10, 20, 0, "abc", ""},
		{"longer than the line", "abc", 1, 1 << 30, 0, "abc", " ^~"},
		{"cut on the right", "0123456789abcdefghij", 2, 4, 12, "0123456789…", "  ^~"},
		{"cut on both sides", "0123456789abcdefghijklmnopqrstuvwxyz", 15, 17, 12, "…cdefghijkl…", "    ^~"},
		{"cut on the left", "0123456789abcdefghijklmnopqrstuvwxyz", 34, 36, 12, "…qrstuvwxyz", "         ^~"},
		{"blanks at the end", "abc   ", 0, 1, 0, "abc", "^"},
	} {
		m := mark(c.line, []span{{c.from, c.to}}, c.w, '^')
		if m.text != c.text || m.under != c.under {
			t.Errorf("%s:\ngot  %q\n     %q\nwant %q\n     %q", c.name, m.text, m.under, c.text, c.under)
		}
	}
}

func TestWrapBreaksAtSpacesAndNeverBeforeACommand(t *testing.T) {
	for _, c := range []struct {
		in      string
		columns int
		want    []string
	}{
		{"one two three", 0, []string{"one two three"}},
		{"one two three", 9, []string{"one two", "  three"}},
		{"  one two three", 9, []string{"  one two", "  three"}},
		{"a_word_longer_than_the_line and more", 10, []string{"a_word_longer_than_the_line", "  and more"}},
		{"one two ::error::x three", 9, []string{"one two ::error::x", "  three"}},
		{"one two \u00a0 ::error::x three", 9, []string{"one two \u00a0 ::error::x", "  three"}},
		{"修正 修正 修正", 9, []string{"修正 修正", "  修正"}},
	} {
		if d := cmp.Diff(c.want, wrap(c.in, c.columns, 2)); d != "" {
			t.Errorf("%q: %s", c.in, d)
		}
	}
}

func TestWordDiffMarksWholeWords(t *testing.T) {
	cut := func(s string, spans []span) (out []string) {
		for _, p := range spans {
			out = append(out, string([]rune(s)[p.from:p.to]))
		}
		return out
	}
	for _, c := range []struct {
		old, new   string
		gone, come []string
	}{
		{"timeout = off", "timeout = on", []string{"off"}, []string{"on"}},
		{"f(a, b)", "f(a, b, c)", nil, []string{", c"}},
		{"v1.2.3 of x", "v1.2.4 of x", []string{"3"}, []string{"4"}},
		{"日本 語 a", "日本 文 a", []string{"語"}, []string{"文"}},
		{"wholly other line", "x = y + z", nil, nil},
		{"same", "same", nil, nil},
		{strings.Repeat("a ", 300), strings.Repeat("b ", 300), nil, nil},
	} {
		gone, come := wordDiff(c.old, c.new)
		if d := cmp.Diff(c.gone, cut(c.old, gone)); d != "" {
			t.Errorf("%q → %q, gone: %s", c.old, c.new, d)
		}
		if d := cmp.Diff(c.come, cut(c.new, come)); d != "" {
			t.Errorf("%q → %q, come: %s", c.old, c.new, d)
		}
	}
}

func FuzzWordDiff(f *testing.F) {
	for i, s := range attacks {
		f.Add(s, attacks[(i+3)%len(attacks)])
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		gone, come := wordDiff(a, b)
		for _, x := range []struct {
			line  string
			spans []span
		}{{a, gone}, {b, come}} {
			last := 0
			for _, s := range x.spans {
				if s.from < last || s.to <= s.from || s.to > utf8.RuneCountInString(x.line) {
					t.Fatalf("span %v of %q", s, x.line)
				}
				last = s.to
			}
		}
		// What is left on both sides is the same, line breaks counted as blanks.
		keep := func(s string, spans []span) string {
			var out []rune
			rs, at := []rune(s), 0
			for _, p := range spans {
				out = append(out, rs[at:p.from]...)
				at = p.to
			}
			return strings.NewReplacer("\n", " ", "\r", " ").Replace(string(append(out, rs[at:]...)))
		}
		if gone != nil || come != nil {
			if x, y := keep(a, gone), keep(b, come); x != y {
				t.Fatalf("%q and %q are left", x, y)
			}
		}
	})
}

func TestQuotedNames(t *testing.T) {
	got := quoted("no line has \"a b\" nor `c` nor \"\" nor \"open")
	if d := cmp.Diff([]string{"a b", "c"}, got); d != "" {
		t.Error(d)
	}
}

package action

import (
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/saysolint/sayso/report"
)

var link = regexp.MustCompile(`^\[((?:[^\[\]\\]|\\.)*)\]\((https://github\.test/[A-Za-z0-9%./#_-]*)\)$`)

func FuzzLineLinkIsOneLinkToOneServer(f *testing.F) {
	for _, s := range []string{"a/b.go", "a](https://evil)/b", "x\ny", "<img>", "@a/b", "\xff\x00", "a b#c?d", "../..", "[x](y)", "ghp_0123456789abcdefghijABCDEFGHIJ012345"} {
		f.Add(s, 3)
	}
	f.Fuzz(func(t *testing.T, path string, line int) {
		target := Target{Repo: Repo{"acme", "app"}, Server: "https://github.test/"}
		got := lineLink(target, "0123abc", path, line)
		m := link.FindStringSubmatch(got)
		if strings.HasPrefix(got, "<code>") && strings.Contains(got, "masked:") {
			return
		}
		if m == nil {
			t.Fatalf("%q is no plain link", got)
		}
		if u, err := url.Parse(m[2]); err != nil || u.Host != "github.test" || !strings.HasPrefix(u.Path, "/acme/app/blob/0123abc/") || strings.Contains(u.Path+"/", "/../") {
			t.Fatalf("%q leads elsewhere: %v, %v", got, u, err)
		}
	})
}

func FuzzTextOfACommentIsInert(f *testing.F) {
	for _, s := range []string{"@acme #1", "<!-- x -->", "a\nb", "`x`", "[x](y)", "ghs_0123456789abcdefghijABCDEFGHIJ0123", "www.x.y", "|", "\u202e"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := md(s, 200)
		if strings.ContainsAny(got, "<>\n\r\x1b\x00") || regexp.MustCompile(`@[a-zA-Z0-9]|#[0-9]|(?i)www\.`).MatchString(got) || strings.Contains(got, "-->") {
			t.Fatalf("%q became %q", s, got)
		}
	})
}

func FuzzPlainTextIsOneLine(f *testing.F) {
	for _, s := range []string{"a\nb", "\x1b[0m", "\u202e", "ghp_0123456789abcdefghijABCDEFGHIJ012345", "##[group]"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := plain(s, 300)
		if got != report.Terminal(got) || len([]rune(got)) > 301 {
			t.Fatalf("%q became %q", s, got)
		}
	})
}

func FuzzStateOfACommentIsReadOrRefused(f *testing.F) {
	f.Add(commentState{Head: "0123"}.line() + "text")
	f.Add(stateMark + "e30 -->")
	f.Add(stateMark + "!!! -->")
	f.Fuzz(func(t *testing.T, body string) {
		s, ok := parseState(body)
		if !ok {
			return
		}
		line := s.line()
		if again, ok := parseState(line); !ok || again.Head != s.Head || len(line) > maxState || strings.Count(line, "-->") != 1 {
			t.Fatalf("%+v became %q", s, line)
		}
	})
}

package text

import (
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestWords(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"prose", "Fix the Crash, please!", []string{"fix", "the", "crash", "please"}},
		{"camel case and acronyms", "parseHTTPHeader HTTPServer2", []string{"parse", "http", "header", "http", "server2"}},
		{"underscores and hyphens", "max_size re-add", []string{"max", "size", "re", "add"}},
		{"one-letter parts are left out", "a bC x", nil},
		{"a word begins with a letter", "12 v2 3d", []string{"v2"}},
		{"other scripts", "Größe Исправить", []string{"größe", "исправить"}},
		{"a combining mark stays with its letter", "cafe\u0301 x", []string{"cafe\u0301"}},
		{"broken UTF-8 cuts", "ab\xffcd\x00ef", []string{"ab", "cd", "ef"}},
		{"nothing", "", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			if d := cmp.Diff(c.want, Words(c.text)); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestSplitIdentifier(t *testing.T) {
	for id, want := range map[string][]string{
		"parseHTTPHeader_v2": {"parse", "http", "header", "v2"},
		"URL":                {"url"},
		"XMLHttpRequest":     {"xml", "http", "request"},
		"__init__":           {"init"},
		"a-b.c":              {"a", "b", "c"},
		"":                   nil,
		"ÄnderungÜber":       {"änderung", "über"},
	} {
		if d := cmp.Diff(want, SplitIdentifier(id)); d != "" {
			t.Errorf("%q: %s", id, d)
		}
	}
}

func TestStemMapsFormsOfOneWordTogether(t *testing.T) {
	for _, forms := range [][]string{
		{"parse", "parses", "parsed", "parsing"},
		{"cache", "caches", "cached", "caching"},
		{"retry", "retries", "retried"},
	} {
		for _, f := range forms {
			if Stem(f) != Stem(forms[0]) {
				t.Errorf("%q gives %q, %q gives %q", forms[0], Stem(forms[0]), f, Stem(f))
			}
		}
	}
	if Stem("add") != "add" || Stem("") != "" || Stem("größe") == "" {
		t.Error("short words and words of other languages pass through")
	}
}

func TestWordsAreLowerCaseAndOfTheText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.String().Draw(t, "s")
		words := Words(s)
		for _, w := range words {
			if w != strings.ToLower(w) || strings.IndexFunc(w, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) }) >= 0 {
				t.Fatalf("%q is no lower-case word", w)
			}
		}
		if twice := append(slices.Clone(words), words...); !slices.Equal(twice, Words(s+" "+s)) && len(words) > 0 {
			t.Fatalf("a text and itself behind a blank have other words: %q", s)
		}
	})
}

func FuzzWords(f *testing.F) {
	f.Add("parseHTTPHeader_v2 größe \xff")
	f.Fuzz(func(t *testing.T, s string) {
		for _, w := range Words(s) {
			if w == "" {
				t.Errorf("an empty word of %q", s)
			}
			Stem(w)
		}
	})
}

func BenchmarkWords(b *testing.B) {
	for b.Loop() {
		Words("parseHTTPHeader splits the header of a request into fieldNames and values")
	}
}

package claim

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestPlacesCountLinesAndCodePoints(t *testing.T) {
	long := strings.Repeat("é ", 300)
	for _, c := range []struct {
		name, text           string
		line, column, length int
		excerpt              string
	}{
		{"the first line", "Fix fooBar", 1, 5, 6, "Fix fooBar"},
		{"a later line", "Tidy\n\nFix fooBar now", 3, 5, 6, "Fix fooBar now"},
		{"behind blank lines", "\n\nFix fooBar", 3, 5, 6, "Fix fooBar"},
		{"line ends of two bytes", "Tidy\r\n\r\nFix fooBar\r\n", 3, 5, 6, "Fix fooBar"},
		{"behind an emoji", "✨🎉 Fix fooBar", 1, 8, 6, "✨🎉 Fix fooBar"},
		{"behind a byte order mark", "\ufeffFix fooBar", 1, 6, 6, "\ufeffFix fooBar"},
		{"behind tabs", "Tidy\n\n- a\n\tFix\tfooBar", 4, 6, 6, "\tFix\tfooBar"},
		{"behind letters of more bytes", "Größe für fooBar", 1, 11, 6, "Größe für fooBar"},
		{"behind a combining mark", "Cafe\u0301 fooBar", 1, 7, 6, "Cafe\u0301 fooBar"},
		{"in backticks", "Fix `fooBar`", 1, 5, 8, "Fix `fooBar`"},
		{"behind bytes that are no UTF-8", "Fix \xff\xfe fooBar", 1, 8, 6, "Fix \ufffd\ufffd fooBar"},
		{"behind NUL", "Fix \x00 fooBar", 1, 7, 6, "Fix \x00 fooBar"},
		{"in a long line", "Fix " + long + "fooBar", 1, 605, 6, ("Fix " + long)[:utf8.RuneLen('F')*4+len("é ")*198]},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, cl := range Parse(c.text, Options{}).Claims {
				if cl.Kind != KindIdentifier {
					continue
				}
				p := cl.Place
				if p.Line != c.line || p.Column != c.column || p.Length != c.length || p.Excerpt != c.excerpt {
					t.Errorf("got %d:%d+%d %q", p.Line, p.Column, p.Length, p.Excerpt)
				}
				return
			}
			t.Error("no claim")
		})
	}
}

func TestAPlaceOverSeveralLinesEndsWithItsFirst(t *testing.T) {
	m := Parse("Tidy\n\nThis commit cleans\r\nthings up.\n", Options{})
	for _, c := range m.Claims {
		if c.Kind == KindStatement {
			if c.Place.Line != 3 || c.Place.Length != len("This commit cleans") || c.Text != "This commit cleans things up." {
				t.Errorf("%+v %q", c.Place, c.Text)
			}
			return
		}
	}
	t.Error("no claim")
}

func TestPositionAndPlaceOfAgreeWithTheClaims(t *testing.T) {
	m := Parse("fix(größe): ✨ Fix fooBar, barBaz\n\n- Add é `x_y` and ü `z_z`.\r\n- Ünd only docs/ab.md. Only touches docs/a.\n", Options{Source: SourceBody})
	if len(m.Claims) < 6 {
		t.Fatalf("%d claims", len(m.Claims))
	}
	for _, c := range m.Claims {
		if got := m.PlaceOf(c.Start, c.End); got != c.Place {
			t.Errorf("%q: %+v, by offset %+v", c.Text, c.Place, got)
		}
	}
}

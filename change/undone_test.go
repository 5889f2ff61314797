package change

import (
	"testing"

	"pgregory.net/rapid"
)

func TestUndone(t *testing.T) {
	for _, c := range []struct {
		name      string
		named, by []string
		lines     int
		share     float64
	}{
		{"all taken back", []string{"+a", "-b"}, []string{"-a", "+b"}, 2, 1},
		{"half", []string{"+a", "+c"}, []string{"-a"}, 2, 0.5},
		{"none", []string{"+a"}, []string{"+a"}, 1, 0},
		{"each line counts once", []string{"+a", "+a"}, []string{"-a"}, 2, 0.5},
		{"blank lines and context count for nothing", []string{"+ ", " a", "+b"}, []string{"- ", "-a", "-b"}, 1, 1},
		{"line ends of two bytes", []string{"+a\r"}, []string{"-a"}, 1, 1},
		{"white space in a line counts", []string{"+\ta"}, []string{"-a"}, 1, 0},
		{"nothing changed", []string{" a"}, []string{"-a"}, 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			named := &Change{Files: []File{source("a.go", hunk(c.named...))}}
			by := &Change{Files: []File{source("b.go", hunk(c.by...))}}
			if lines, share := Undone(named, by); lines != c.lines || share != c.share {
				t.Errorf("got %d, %v, want %d, %v", lines, share, c.lines, c.share)
			}
		})
	}
}

func TestTheInverseUndoesAll(t *testing.T) {
	line := rapid.Custom(func(t *rapid.T) string {
		return rapid.SampledFrom([]string{"+", "-", " "}).Draw(t, "op") + rapid.SampledFrom([]string{"a", "b", "c", "", " "}).Draw(t, "text")
	})
	rapid.Check(t, func(t *rapid.T) {
		lines := rapid.SliceOf(line).Draw(t, "lines")
		var back []string
		for _, l := range lines {
			op := map[byte]string{'+': "-", '-': "+", ' ': " "}[l[0]]
			back = append(back, op+l[1:])
		}
		n, share := Undone(&Change{Files: []File{source("a", hunk(lines...))}}, &Change{Files: []File{source("a", hunk(back...))}})
		if n > 0 && share != 1 || share < 0 || share > 1 {
			t.Fatalf("%q: %d lines, %v", lines, n, share)
		}
	})
}

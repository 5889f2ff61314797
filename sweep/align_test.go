package sweep

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestAlignKeepsOrderAndPairsEqualLinesOnly(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		gen := rapid.SliceOfN(rapid.Uint64Range(1, 6), 0, 40)
		a, b := gen.Draw(rt, "a"), gen.Draw(rt, "b")
		last := -1
		for i, j := range align(a, b) {
			if j < 0 {
				continue
			}
			if j <= last || a[i] != b[j] {
				rt.Fatalf("line %d goes to %d after %d", i, j, last)
			}
			last = j
		}
	})
}

func TestAlignOfATextWithLinesTakenOutFindsAllOthers(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(1, 60).Draw(rt, "n")
		var a, b []uint64
		kept := map[int]int{}
		for i := range n {
			a = append(a, uint64(i+1))
			if rapid.Bool().Draw(rt, "keep") {
				kept[i] = len(b)
				b = append(b, uint64(i+1))
			}
		}
		for i, j := range align(a, b) {
			if want, ok := kept[i]; ok && j != want || !ok && j != -1 {
				rt.Fatalf("line %d goes to %d", i, j)
			}
		}
	})
}

const sample = `package shop

func total(items []item) int {
	sum := 0
	for _, i := range items {
		sum += i.cents
	}
	return sum
}

func discount(sum int) int {
	if sum > 10000 {
		return sum / 20
	}
	return 0
}
`

func TestPlaceIn(t *testing.T) {
	old := newDoc([]byte(sample))
	indented := strings.ReplaceAll(sample, "\t", "    ")
	swapped := "package shop\n\n" + sample[strings.Index(sample, "func discount"):] + "\n" + sample[strings.Index(sample, "func total"):strings.Index(sample, "func discount")]
	for _, c := range []struct {
		name, text string
		from, to   int
		via        string
		at         int
	}{
		{"the same text", sample, 2, 9, viaExact, 2},
		{"lines before it", "// head\n\n" + sample, 2, 9, viaExact, 4},
		{"windows line ends", strings.ReplaceAll(sample, "\n", "\r\n"), 2, 9, viaExact, 2},
		{"other indentation", indented, 2, 9, viaSpace, 2},
		{"past its neighbour", swapped, 2, 9, viaExact, 9},
		{"a copy before it", strings.Replace(sample, "func total", "func twice() {\n}\n\nfunc total", 1), 2, 9, viaExact, 5},
		{"one line edited", strings.Replace(sample, "sum += i.cents", "sum += i.cents * i.count", 1), 2, 9, viaFuzzy, 2},
		{"a name changed all over", strings.ReplaceAll(sample, "sum", "cents"), 2, 9, viaFuzzy, 2},
		{"taken out", strings.Replace(sample, string(old.lines(2, 9)), "", 1), 2, 9, viaNowhere, 0},
		{"another file", "Nothing of this is\nwritten in there.\n", 2, 9, viaNowhere, 0},
		{"an empty file", "", 2, 9, viaNowhere, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			now := newDoc([]byte(c.text))
			p := placeIn(old, now, c.from, c.to, align(old.loose, now.loose), false)
			if p.via != c.via || p.found() && p.from != c.at {
				t.Errorf("via %q at %d (%.2f), want %q at %d", p.via, p.from, p.similarity, c.via, c.at)
			}
		})
	}
}

func TestPlaceInDoesNotTakeAnotherPassageWithTheSameLines(t *testing.T) {
	block := "if err != nil {\n\treturn err\n}\n"
	old := newDoc([]byte("one()\n" + block + "two()\n" + block + "three()\n"))
	now := newDoc([]byte("one()\ntwo()\n" + block + "three()\n"))
	if p := placeIn(old, now, 1, 4, align(old.loose, now.loose), true); p.found() {
		t.Errorf("the first block was taken out, and found at %d", p.from)
	}
	if p := placeIn(old, now, 5, 8, align(old.loose, now.loose), true); p.from != 2 {
		t.Errorf("the second block is at %d", p.from)
	}
}

func TestMovedTextIsFoundWhateverStandsAroundIt(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		line := rapid.StringMatching(`[a-z]{1,3}`)
		unique := func(tag string, n int) (out []string) {
			for i := range n {
				out = append(out, fmt.Sprintf("the %s line number %d", tag, i))
			}
			return out
		}
		passage := unique("passage", rapid.IntRange(1, 6).Draw(rt, "size"))
		before, after := rapid.SliceOfN(line, 0, 10).Draw(rt, "before"), rapid.SliceOfN(line, 0, 10).Draw(rt, "after")
		above, below := rapid.SliceOfN(line, 0, 10).Draw(rt, "above"), rapid.SliceOfN(line, 0, 10).Draw(rt, "below")
		text := func(parts ...[]string) *doc {
			return newDoc([]byte(strings.Join(slices.Concat(parts...), "\n") + "\n"))
		}
		old, now := text(before, passage, after), text(above, passage, below)
		p := placeIn(old, now, len(before), len(before)+len(passage), align(old.loose, now.loose), true)
		if p.via != viaExact || p.from != len(above) {
			rt.Fatalf("via %q at %d, want %d", p.via, p.from, len(above))
		}
	})
}

func FuzzPlaceIn(f *testing.F) {
	f.Add([]byte(sample), []byte(strings.ToUpper(sample)), 2, 5)
	f.Add([]byte("a\r\nb\x00\xff"), []byte("\n\n"), 0, 1)
	f.Fuzz(func(t *testing.T, a, b []byte, from, size int) {
		if len(a)+len(b) > 4000 {
			return
		}
		old, now := newDoc(a), newDoc(b)
		if from < 0 || size < 1 || from >= old.len() {
			return
		}
		to := min(from+size%50+1, old.len())
		if to <= from {
			return
		}
		p := placeIn(old, now, from, to, align(old.loose, now.loose), false)
		if p.found() && (p.from < 0 || p.to > now.len() || p.from >= p.to) {
			t.Fatalf("lines %d to %d of %d", p.from, p.to, now.len())
		}
		wordDiff(old.lines(from, to), b)
	})
}

func TestWordDiffMarksWordsAndLosesNothing(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		text := rapid.StringMatching(`([a-c]{1,2}[ .]){0,12}`)
		a, b := text.Draw(rt, "a"), text.Draw(rt, "b")
		var old, now strings.Builder
		for _, s := range wordDiff([]byte(a), []byte(b)) {
			if s.Op != "come" {
				old.WriteString(s.Text)
			}
			if s.Op != "gone" {
				now.WriteString(s.Text)
			}
		}
		if old.String() != a || now.String() != b {
			rt.Fatalf("%q and %q", old.String(), now.String())
		}
	})
}

func TestJoinFindsThePairsThatComparingAllFinds(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(0, 12).Draw(rt, "n")
		var sets [][]string
		for range n {
			sets = append(sets, sorted(rapid.SliceOfN(rapid.StringMatching(`[a-f]`), 0, 6).Draw(rt, "set")))
		}
		threshold := rapid.SampledFrom([]float64{0.5, 0.6, 0.8, 1}).Draw(rt, "t")
		var want [][2]int
		for i := range sets {
			for j := i + 1; j < n; j++ {
				both := 0
				for _, w := range sets[i] {
					if slices.Contains(sets[j], w) {
						both++
					}
				}
				if all := len(sets[i]) + len(sets[j]) - both; both > 0 && float64(both) >= threshold*float64(all)-1e-9 {
					want = append(want, [2]int{i, j})
				}
			}
		}
		var got [][2]int
		for _, p := range join(sets, threshold) {
			got = append(got, [2]int{p.a, p.b})
		}
		if !slices.Equal(got, want) {
			rt.Fatalf("got %v, want %v", got, want)
		}
	})
}

func TestUnifiedDiffsAreWhatGitApplies(t *testing.T) {
	for _, c := range []struct{ name, old, new, want string }{
		{"one line", "a\nb\nc\n", "a\nB\nc\n", "--- a/f\n+++ b/f\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n"},
		{"no line end", "a\nb", "a\nc", "--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+c\n\\ No newline at end of file\n"},
		{"a line end more", "a", "a\n", "--- a/f\n+++ b/f\n@@ -1,1 +1,1 @@\n-a\n\\ No newline at end of file\n+a\n"},
		{"two places", "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n", "--- a/f\n+++ b/f\n@@ -1,3 +1,4 @@\n+0\n 1\n 2\n 3\n@@ -7,3 +8,4 @@\n 7\n 8\n 9\n+10\n"},
		{"the same", "a\n", "a\n", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := unified("f", []byte(c.old), []byte(c.new)); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

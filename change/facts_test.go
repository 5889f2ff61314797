package change

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/saysolint/sayso/internal/lang"
	"github.com/saysolint/sayso/internal/text"
)

// hunk builds a hunk from lines with their sign in front. A "#" behind the sign
// makes a comment, a "~" prose; the rest is code, or blank.
func hunk(lines ...string) Hunk {
	h := Hunk{OldStart: 1, NewStart: 1}
	o, n := 1, 1
	for _, s := range lines {
		l := Line{Op: s[0], Text: s[1:], Class: lang.Code}
		switch {
		case strings.TrimSpace(l.Text) == "":
			l.Class = lang.Blank
		case strings.HasPrefix(l.Text, "#"):
			l.Class = lang.Comment
		case strings.HasPrefix(l.Text, "~"):
			l.Class = lang.Prose
		}
		if l.Op != '+' {
			l.Old = o
			o++
		}
		if l.Op != '-' {
			l.New = n
			n++
		}
		h.Lines = append(h.Lines, l)
	}
	return h
}

func source(path string, hunks ...Hunk) File {
	return File{Path: path, Status: Modified, Kind: lang.Source, Hunks: hunks}
}

func factsOf(files ...File) *Facts { return NewFacts(&Change{Files: files}) }

// counts is "added/removed/context".
func counts(c Count) string { return fmt.Sprintf("%d/%d/%d", c.Added, c.Removed, c.Context) }

func TestFactsCountNamesBySideAsTheyStand(t *testing.T) {
	f := factsOf(source("a.go", hunk(" keep fooBar", "-old fooBar", "+new fooBar fooBar", "+fooBarBaz foo_bar $x größe", "+FooBar 3px v2")))
	for name, want := range map[string]string{
		"fooBar": "2/1/1", "old": "0/1/0", "new": "1/0/0", "keep": "0/0/1", "fooBarBaz": "1/0/0", "foo_bar": "1/0/0",
		"$x": "1/0/0", "größe": "1/0/0", "foo": "0/0/0", "px": "0/0/0", "v2": "1/0/0", "absent": "0/0/0", "": "0/0/0",
	} {
		if got := counts(f.Name(name)); got != want {
			t.Errorf("%q: got %s, want %s", name, got, want)
		}
	}
	if got := counts(f.Folded("FOOBAR")); got != "3/1/1" {
		t.Errorf("without case: %s", got)
	}
	c := f.Name("fooBar")
	if c.Net() != 1 || c.AddedAt.Line.Text != "new fooBar fooBar" || c.RemovedAt.Line.Text != "old fooBar" || f.Path(c.AddedAt) != "a.go" {
		t.Errorf("%+v", c)
	}
}

func TestFactsCountStemsOfIdentifiersAndPaths(t *testing.T) {
	f := factsOf(File{Path: "lib/page_cache.go", OldPath: "lib/pagecaches.go", Status: Renamed, Kind: lang.Source, Hunks: []Hunk{hunk("+parseHeaders(x)", "-// parsing of pages")}})
	for word, want := range map[string]string{"parse": "1/1/0", "headers": "1/0/0", "page": "0/1/0", "parseheaders": "1/0/0", "footer": "0/0/0"} {
		if got := counts(f.Stem(text.Stem(word))); got != want {
			t.Errorf("%q: got %s, want %s", word, got, want)
		}
	}
	for word, want := range map[string]bool{"cache": true, "page": true, "lib": true, "pagecaches": true, "header": false} {
		if f.PathStem(text.Stem(word)) != want {
			t.Errorf("path has %q: want %v", word, want)
		}
	}
}

func TestFactsCountNumbersAndVersions(t *testing.T) {
	f := factsOf(source("a.toml", hunk(
		"-timeout = 30", "+timeout = 60", "+x = 1.16.2", "-x = 1.15.0", "+n = 1_000 m = 2,500,000", "+go 2.0", "+py310 0x1F 12",
		"+sha = 0123456789abcdef0123456789abcdef01234567 77", " k = 5", "+r = 10,20 3,4567")))
	for n, want := range map[string]string{
		"30": "0/1/0", "60": "1/0/0", "1.16.2": "1/0/0", "1000": "1/0/0", "2500000": "1/0/0", "2.0": "1/0/0", "310": "1/0/0",
		"12": "1/0/0", "77": "1/0/0", "0123456789": "0/0/0", "5": "0/0/1", "1.16": "0/0/0", "10": "1/0/0", "20": "1/0/0", "34567": "0/0/0", "1020": "0/0/0", "": "0/0/0",
	} {
		if got := counts(f.Number(n)); got != want {
			t.Errorf("%q: got %s, want %s", n, got, want)
		}
	}
	if !f.Digests {
		t.Error("a pin was added")
	}
	for v, want := range map[string]string{
		"1.16.2": "1/0/0", "1.16": "1/0/0", "1.1": "0/0/0", "2.0": "1/0/0", "2": "1/0/0", "60.0": "1/0/0", "1.15": "0/1/0", "9": "0/0/0",
	} {
		if got := counts(f.Covers(v)); got != want {
			t.Errorf("covers %q: got %s, want %s", v, got, want)
		}
	}
	if c := f.Covers("1.16"); f.Path(c.AddedAt) != "a.toml" || c.AddedAt.Line == nil {
		t.Errorf("no place: %+v", c)
	}
	seen := 0
	f.EachNumber(func(n string, c *Count) {
		seen++
		if *c != f.Number(n) {
			t.Errorf("%q: %+v", n, c)
		}
	})
	if seen == 0 {
		t.Error("no number")
	}
}

func TestAPinThatIsRemovedIsNoDigest(t *testing.T) {
	pin := strings.Repeat("0a", 20)
	for line, want := range map[string]bool{"+x@" + pin: true, "-x@" + pin: false, " x@" + pin: false, "+x@" + pin[:38]: false, "+" + strings.Repeat("0g", 20): false} {
		if got := factsOf(source("a.yml", hunk(line))).Digests; got != want {
			t.Errorf("%q: %v", line, got)
		}
	}
}

func TestInDiffMeetsLettersAndDigitsNextToEachOther(t *testing.T) {
	f := factsOf(source("internal/pageCache/x.go", hunk(" var fooBar = 1", "-gone_now", "+end", "+start")))
	for s, want := range map[string]bool{
		"fooBar": true, "foo bar": true, "FOO-BAR": true, "gone now": true, "page cache": true, "oob": true,
		"barFoo": false, "end start": false, "": false, "--": false, "fooBar2": false,
	} {
		if f.InDiff(s) != want {
			t.Errorf("%q: want %v", s, want)
		}
	}
}

func TestInFilesMeetsWholeWordsOfTheImages(t *testing.T) {
	f := factsOf(
		File{Path: "a.go", Old: []byte("oldName x\nfooBar"), New: []byte("newName(x) fooBarBaz")},
		File{Path: "b.go", New: []byte("größe")},
	)
	for s, want := range map[string][3]bool{ // any, old, new
		"oldName": {true, true, false}, "newName": {true, false, true}, "fooBar": {true, true, false}, "fooBarBaz": {true, false, true},
		"x": {true, true, true}, "foo": {}, "Name": {}, "newname": {}, "größe": {true, false, true}, "gr": {}, "": {},
	} {
		if got := [3]bool{f.InFiles(s), f.InOldFiles(s), f.InNewFiles(s)}; got != want {
			t.Errorf("%q: got %v, want %v", s, got, want)
		}
	}
}

func TestCodeCountsWhatDidMoreThanMove(t *testing.T) {
	for _, c := range []struct {
		name  string
		lines []string
		code  int
		first string
	}{
		{"changed lines of code", []string{"-a()", "+b()", "+c()"}, 3, "a()"},
		{"comments, prose and blank lines are none", []string{"-# a", "+# b", "+~ text", "+", "-  "}, 0, ""},
		{"a line that was indented anew", []string{"-a( x )", "+\ta(x)"}, 0, ""},
		{"a line that moved", []string{"-a()", " keep", "+a()"}, 0, ""},
		{"a line that moved and one more of it", []string{"-a()", " keep", "+a()", "+a()"}, 1, "a()"},
		{"a line that moved beside a new one", []string{"-a()", " keep", "+a()", "+b()"}, 1, "b()"},
		{"a line end of two bytes", []string{"-a()", "+a()\r"}, 0, ""},
		{"removed twice, added once", []string{"-a()", "-a()", "+a()"}, 1, "a()"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := factsOf(source("a.go", hunk(c.lines...)))
			if f.Code[lang.Source] != c.code {
				t.Errorf("%d lines of code, want %d", f.Code[lang.Source], c.code)
			}
			at, ok := f.CodeAt[lang.Source]
			if ok != (c.code > 0) || ok && at.Line.Text != c.first {
				t.Errorf("first at %+v", at)
			}
		})
	}
}

func TestCodeThatMovedToAnotherFileIsNoChange(t *testing.T) {
	f := factsOf(source("a.go", hunk("-a()", "-b()")), File{Path: "a_test.go", Kind: lang.Test, Hunks: []Hunk{hunk("+a()", "+c()")}})
	if f.Code[lang.Source] != 1 || f.Code[lang.Test] != 1 || f.Kinds[lang.Source] != 1 || f.Kinds[lang.Test] != 1 {
		t.Errorf("code %v, kinds %v", f.Code, f.Kinds)
	}
}

func TestLinesAreCountedWithoutBlankOnes(t *testing.T) {
	f := factsOf(
		source("a.go", hunk("+a", "+", "+# c", "-b", "- ", "-~ p", " x")),
		File{Path: "a.md", Kind: lang.Doc, Hunks: []Hunk{hunk("+# title")}},
	)
	if f.AddedLines != 3 || f.RemovedLines != 2 || f.Comments != 2 {
		t.Errorf("added %d, removed %d, comments %d", f.AddedLines, f.RemovedLines, f.Comments)
	}
}

func TestPairsAreLinesThatStandInForEachOther(t *testing.T) {
	for _, c := range []struct {
		name  string
		lines []string
		want  []string
	}{
		{"as many removed as added", []string{"-a1", "-b1", "+a2", "+b2"}, []string{"a1>a2", "b1>b2"}},
		{"fewer removed", []string{"-timeout = 30", "+retries = 5", "+timeout = 60"}, []string{"timeout = 30>timeout = 60"}},
		{"fewer added", []string{"-something else", "-timeout = 30", "+timeout = 60"}, []string{"timeout = 30>timeout = 60"}},
		{"nothing alike", []string{"-abc", "+x", "+y"}, nil},
		{"only removed", []string{"-abc", " x", "+y"}, nil},
		{"two runs", []string{"-a1", "+a2", " x", "-b1", "+b2"}, []string{"a1>a2", "b1>b2"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, p := range factsOf(source("a.go", hunk(c.lines...))).Pairs {
				got = append(got, p.Old.Text+">"+p.New.Text)
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestEnclosingAreTheDefinitionsAroundAnEdit(t *testing.T) {
	file := source("a.go", hunk("#doc", " x", "-gone", "+came", " y", " z"))
	file.Hunks[0].Lines[0] = Line{Op: '+', New: 1, Text: "# doc", Class: lang.Comment}
	for i := range file.Hunks[0].Lines[1:] {
		if l := &file.Hunks[0].Lines[i+1]; l.New > 0 {
			l.New = i + 1
		}
	}
	file.Hunks[0].Lines[3].New = 3
	file.NewDefs = []lang.Def{
		{Name: "Type", Qualified: "Type", Line: 2, End: 10},
		{Name: "method", Qualified: "Type.method", Line: 3, End: 5},
		{Name: "far", Qualified: "far", Line: 12, End: 14},
	}
	file.OldDefs = []lang.Def{{Name: "before", Line: 2, End: 4}}
	f := factsOf(file)
	for name, want := range map[string]bool{"Type": true, "method": true, "Type.method": true, "before": true, "far": false, "": false} {
		if _, ok := f.Enclosing[name]; ok != want {
			t.Errorf("%q: want %v", name, want)
		}
	}
	if at := f.Enclosing["before"]; at.Line == nil || at.Line.Op != '-' {
		t.Errorf("before is enclosing %+v", at)
	}
}

func TestCompleteWhereNothingThatMattersIsUnread(t *testing.T) {
	for reason, want := range map[Reason]bool{
		ReasonBinary: true, ReasonLFS: true, ReasonSubmodule: true, ReasonMerge: true,
		ReasonMissing: false, ReasonCorrupt: false, ReasonOversized: false, ReasonCapped: false, ReasonRedacted: false, ReasonParent: false,
	} {
		if got := NewFacts(&Change{Gaps: []Gap{{Reason: reason}}}).Complete; got != want {
			t.Errorf("%s: %v", reason, got)
		}
	}
	if !factsOf(source("a.go", hunk("+a"))).Complete {
		t.Error("a change without gaps is complete")
	}
	many := Hunk{Lines: make([]Line, maxFactLines+1)}
	for i := range many.Lines {
		many.Lines[i] = Line{Op: '+', New: i + 1, Text: "x"}
	}
	if factsOf(source("a.go", many)).Complete {
		t.Error("a change beyond the cap is not complete")
	}
}

func TestFactsOfAParsedDiff(t *testing.T) {
	c, err := Parse(strings.NewReader("diff --git a/store.go b/store.go\n--- a/store.go\n+++ b/store.go\n@@ -1,3 +1,3 @@\n package store\n-const limit = 30\n+const limit = 60 // pages\n func f() {}\n"), Limits{})
	if err != nil {
		t.Fatal(err)
	}
	f := NewFacts(c)
	if f.Code[lang.Source] != 2 || len(f.Pairs) != 1 || counts(f.Number("60")) != "1/0/0" || counts(f.Name("limit")) != "1/1/0" || counts(f.Stem("page")) != "1/0/0" {
		t.Errorf("code %v, pairs %d, 60 %+v, limit %+v", f.Code, len(f.Pairs), f.Number("60"), f.Name("limit"))
	}
}

func TestANumberWithSeparatorsIsOneNumber(t *testing.T) {
	prose := source("notes.md", hunk("+Up to 1,000 or 2_500_000 rows."))
	prose.Kind, prose.Hunks[0].Lines[0].Class = lang.Doc, lang.Comment
	for name, c := range map[string]struct {
		file File
		want map[string]string
	}{
		"underscores in code":   {source("a.rs", hunk("-let n = 1_000;", "+let n = 20_000_000;")), map[string]string{"1000": "0/1/0", "20000000": "1/0/0", "1": "0/0/0", "20": "0/0/0", "000": "0/0/0"}},
		"separators in prose":   {prose, map[string]string{"1000": "1/0/0", "2500000": "1/0/0", "1": "0/0/0", "2": "0/0/0", "500": "0/0/0", "000": "0/0/0"}},
		"arguments in code":     {source("a.go", hunk("+f(1,200)")), map[string]string{"1": "1/0/0", "200": "1/0/0", "1200": "1/0/0"}},
		"groups of other sizes": {source("a.go", hunk("+x = 1_00")), map[string]string{"1": "1/0/0", "00": "1/0/0", "100": "0/0/0"}},
	} {
		t.Run(name, func(t *testing.T) {
			f := factsOf(c.file)
			for n, want := range c.want {
				if got := counts(f.Number(n)); got != want {
					t.Errorf("%s is %s, want %s", n, got, want)
				}
			}
		})
	}
}

func TestFactsOfAnEmptyChange(t *testing.T) {
	f := NewFacts(&Change{})
	if !f.Complete || f.InDiff("x") || f.InFiles("x") || f.Path(At{File: 0}) != "" || f.Path(At{File: -1}) != "" || f.AddedLines != 0 {
		t.Errorf("%+v", f)
	}
	f.EachName(func(n string, _ *Count) { t.Errorf("name %q", n) })
}

func TestFactsTakeHostileLines(t *testing.T) {
	f := factsOf(source("\x00\xff", hunk("+\xff\xfe\x00", "+"+strings.Repeat("a", 1<<16), "+"+strings.Repeat("1.", 1<<15), "+1.", "+.5", "+1,", "+1,000,", "-_", "+1..2")))
	if f.AddedLines != 8 {
		t.Errorf("%d lines", f.AddedLines)
	}
	if got := counts(f.Number("1000")); got != "1/0/0" {
		t.Errorf("1,000 is %s", got)
	}
}

func TestFactsAreReadByManyAtOnce(t *testing.T) {
	f := factsOf(source("a.go", hunk("+fooBar 1.2", "-b")))
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 100 {
				f.Name("fooBar")
				f.Covers("1")
				f.InDiff("foo")
			}
		})
	}
	wg.Wait()
}

func BenchmarkNewFacts(b *testing.B) {
	var lines []string
	for i := range 200 {
		lines = append(lines, fmt.Sprintf("-\told%d := parseHeader(input, %d)", i, i), fmt.Sprintf("+\tnew%d := parseFooter(input, %d) // keep", i, i))
	}
	c := &Change{Files: []File{source("a.go", hunk(lines...))}}
	for b.Loop() {
		NewFacts(c)
	}
}

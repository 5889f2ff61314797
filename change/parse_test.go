package change

import (
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/saysolint/sayso/internal/git/gittest"
	"github.com/saysolint/sayso/internal/lang"
)

func TestParseReadsTheTextOfADiff(t *testing.T) {
	repo := gittest.New(t)
	repo.Write("keep.go", "package a\n\n// A.\nfunc A() {}\n")
	repo.Write("old.txt", strings.Repeat("text\n", 20))
	repo.Write("gone", "x\n")
	repo.Write("bin", "a\x00")
	repo.Commit("one")
	repo.Write("keep.go", "package a\n\n// B.\nfunc B() {}\n")
	repo.Remove("old.txt")
	repo.Write("new.txt", strings.Repeat("text\n", 20)+"more\n")
	repo.Remove("gone")
	repo.Write("bin", "b\x00")
	repo.Write("quo\"ted", "diff --git a/x b/x\n")
	repo.Write("ptr", "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 3\n")
	repo.Commit("two")
	text := repo.Git("show", "HEAD") + "\n"
	ch, err := Parse(strings.NewReader(text), Limits{})
	if err != nil {
		t.Fatal(err)
	}
	verify(t, ch)
	check(t, ch, `
M "bin" unread binary
D "gone" +0 -1
  -1:0 "x"
M "keep.go" +2 -2
  -3:0 "// A."
  -4:0 "func A() {}"
  +0:3 "// B."
  +0:4 "func B() {}"
R "new.txt" from "old.txt" 95% +1 -0
  +0:21 "more"
A "ptr" unread lfs
A "quo\"ted" +1 -0
  +0:1 "diff --git a/x b/x"
gap "bin" binary
gap "ptr" lfs
`)
	if f := ch.Files[2]; f.Language != "Go" || f.Kind != lang.Source || f.Hunks[0].Lines[2].Class != lang.Comment || f.ImagesRead {
		t.Errorf("%+v", f)
	}

	ch, err = Parse(strings.NewReader(text), Limits{ChangeLines: 3})
	if err != nil {
		t.Fatal(err)
	}
	verify(t, ch)
	if len(ch.Files) != 6 || len(ch.Gaps) < 3 {
		t.Error(sketch(ch))
	}
}

func TestParseNeverTakesADamagedDiffForAnEmptyChange(t *testing.T) {
	ch, err := Parse(strings.NewReader("diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n-x\n"), Limits{})
	if err != nil {
		t.Fatal(err)
	}
	check(t, ch, "M \"f\" unread corrupt\ngap \"f\" corrupt\n")
	if _, err := Parse(io.MultiReader(strings.NewReader("diff --git a/f b/f\n"), iotest.ErrReader(errors.New("boom"))), Limits{}); err == nil {
		t.Error("no error")
	}
}

func TestParseHunksOfOneFile(t *testing.T) {
	f := File{Path: "a.py", Status: Modified}
	if err := f.ParseHunks("@@ -1,2 +1,3 @@\n x = 1\n+# y\n y = 2"); err != nil {
		t.Fatal(err)
	}
	if f.Added != 1 || f.Removed != 0 || f.Hunks[0].Lines[1].Class != lang.Comment || f.Hunks[0].Lines[1].New != 2 {
		t.Errorf("%+v", f)
	}
	for _, bad := range []string{"", "@@ -1,2 +1,3 @@\n x", "nonsense"} {
		if err := f.ParseHunks(bad); err == nil || f.Added != 1 {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("diff --git a/f b/f\nindex 1..2 100644\n--- a/f\n+++ b/f\n@@ -1 +1,2 @@ x\n-a\n+b\n+c\n\\ No newline at end of file\n")
	f.Add("diff --git \"a/\\351\" b/x\nnew file mode 160000\n@@ -0,0 +1 @@\n+x\n")
	f.Add("diff --git a/a b/b\nsimilarity index 90%\nrename from a\nrename to b\nBinary files a/a and b/b differ\n")
	f.Add("@@ -1 +1 @@\n")
	f.Fuzz(func(t *testing.T, text string) {
		ch, err := Parse(strings.NewReader(text), Limits{FileLines: 50, ChangeLines: 20, ChangeBytes: 4000})
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count("\n"+text, "\ndiff --git "); n != len(ch.Files) {
			t.Fatalf("%d sections, %d files", n, len(ch.Files))
		}
		verify(t, ch)
		file := File{Path: "f.go"}
		_ = file.ParseHunks(text)
	})
}

func TestWithoutGitTheFallbackReadsCommits(t *testing.T) {
	repo := gittest.New(t)
	repo.Write("a.go", "package a\n\nfunc A() {}\n")
	repo.Write("moved", "some text\n")
	repo.Write("bin", "a\x00")
	root := repo.Commit("one")
	repo.Write("a.go", "package a\n\nfunc B() {}\n")
	repo.Write("bin", "b\x00")
	repo.Remove("moved")
	repo.Write("to/moved", "some text\n")
	repo.Write("crlf", "x\r\ny")
	if err := os.Symlink("a.go", repo.Dir+"/link"); err != nil {
		t.Fatal(err)
	}
	hash := repo.Commit("two")
	with := open(t, repo, Limits{})
	t.Setenv("PATH", "")
	without := open(t, repo, Limits{})
	for _, h := range []string{root, hash} {
		want, got := read(t, with, h), read(t, without, h)
		verify(t, got)
		check(t, got, sketch(want))
		for i, f := range got.Files {
			if string(f.New) != string(want.Files[i].New) || len(f.NewDefs) != len(want.Files[i].NewDefs) {
				t.Errorf("%q: images or definitions differ", f.Path)
			}
		}
	}
	if _, err := without.Staged(t.Context(), "HEAD"); err == nil || !strings.Contains(err.Error(), "git executable") {
		t.Error(err)
	}
}

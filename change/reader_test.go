package change

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/saysolint/sayso/internal/git"
	"github.com/saysolint/sayso/internal/git/gittest"
	"github.com/saysolint/sayso/internal/lang"
)

func open(t testing.TB, repo *gittest.Repo, limits Limits, env ...string) *Reader {
	t.Helper()
	g, err := git.Open(context.Background(), repo.Dir, git.Options{Env: append(repo.Env(), env...)})
	if err != nil {
		t.Fatal(err)
	}
	r := NewReader(g, limits)
	t.Cleanup(func() { r.Close(); g.Close() })
	return r
}

func read(t testing.TB, r *Reader, hash string) *Change {
	t.Helper()
	ch, err := r.Commit(context.Background(), hash)
	if err != nil {
		t.Fatal(err)
	}
	return ch
}

// sketch writes a change as text that tests can compare: one row per file and
// one per changed line.
func sketch(ch *Change) string {
	var b strings.Builder
	for _, f := range ch.Files {
		fmt.Fprintf(&b, "%c %q", f.Status, f.Path)
		if f.OldPath != "" {
			fmt.Fprintf(&b, " from %q %d%%", f.OldPath, f.Score)
		}
		if f.OldMode != f.NewMode && f.OldMode != "" && f.NewMode != "" {
			fmt.Fprintf(&b, " mode %s %s", f.OldMode, f.NewMode)
		}
		if f.Unread != "" {
			fmt.Fprintf(&b, " unread %s", f.Unread)
		} else {
			fmt.Fprintf(&b, " +%d -%d", f.Added, f.Removed)
		}
		b.WriteByte('\n')
		for _, h := range f.Hunks {
			for _, l := range h.Lines {
				if l.Op != ' ' {
					fmt.Fprintf(&b, "  %c%d:%d %q\n", l.Op, l.Old, l.New, l.Text)
				}
			}
		}
	}
	for _, g := range ch.Gaps {
		fmt.Fprintf(&b, "gap %q %s\n", g.Path, g.Reason)
	}
	return b.String()
}

func check(t testing.TB, ch *Change, want string) {
	t.Helper()
	if diff := cmp.Diff(strings.TrimLeft(want, "\n"), sketch(ch)); diff != "" {
		t.Errorf("change (-want +got):\n%s", diff)
	}
}

// verify holds the laws of every file that was read: counts, line numbers and
// the texts of the images agree.
func verify(t testing.TB, ch *Change) {
	t.Helper()
	gaps := map[string]Reason{}
	for _, g := range ch.Gaps {
		gaps[g.Path] = g.Reason
	}
	for _, f := range ch.Files {
		if f.Unread != "" {
			if f.Hunks != nil || f.Old != nil || f.New != nil {
				t.Errorf("%q is unread (%s) and has content", f.Path, f.Unread)
			}
			if gaps[f.Path] != f.Unread {
				t.Errorf("%q is unread (%s) and not in the gaps", f.Path, f.Unread)
			}
			continue
		}
		old, new := lines(f.Old), lines(f.New)
		added, removed := 0, 0
		for _, h := range f.Hunks {
			if first := h.Lines[0]; first.Op != '+' && first.Old != h.OldStart || first.Op != '-' && first.New != h.NewStart {
				t.Errorf("%q: hunk starts at %d,%d, its first line is %+v", f.Path, h.OldStart, h.NewStart, first)
			}
			for _, l := range h.Lines {
				switch l.Op {
				case '+':
					added++
				case '-':
					removed++
				}
				if !f.ImagesRead {
					continue
				}
				if l.Op != '+' && old[l.Old-1] != l.Text || l.Op != '-' && new[l.New-1] != l.Text {
					t.Errorf("%q: line %+v is not in its image", f.Path, l)
				}
			}
		}
		if added != f.Added || removed != f.Removed {
			t.Errorf("%q: counts %d %d, lines %d %d", f.Path, f.Added, f.Removed, added, removed)
		}
		if f.ImagesRead && f.Status != TypeChange && len(new)-len(old) != f.Added-f.Removed {
			t.Errorf("%q: images have %d and %d lines, counts say +%d -%d", f.Path, len(old), len(new), f.Added, f.Removed)
		}
	}
	if !slices.IsSortedFunc(ch.Files, func(a, b File) int { return strings.Compare(a.Path, b.Path) }) {
		t.Error("files are not sorted")
	}
}

func lines(image []byte) []string {
	if len(image) == 0 {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(image), "\n"), "\n")
}

func TestCommitGivesLinesImagesClassesAndDefinitions(t *testing.T) {
	repo := gittest.New(t)
	repo.Write("a.go", "package a\n\n// One is one.\nfunc One() int {\n\treturn 1\n}\n")
	root := repo.Commit("one")
	repo.Write("a.go", "package a\n\n// One is two.\nfunc One() int {\n\treturn 2\n}\n\nfunc Two() {}\n")
	second := repo.Commit("two")
	r := open(t, repo, Limits{})

	ch := read(t, r, second)
	check(t, ch, `
M "a.go" +4 -2
  -3:0 "// One is one."
  +0:3 "// One is two."
  -5:0 "\treturn 1"
  +0:5 "\treturn 2"
  +0:7 ""
  +0:8 "func Two() {}"
`)
	verify(t, ch)
	f := ch.Files[0]
	if ch.ID != second || ch.Commit != second || ch.Base != root || f.Language != "Go" || f.Kind != lang.Source || !f.ImagesRead {
		t.Errorf("change %+v, file %+v", ch.ID, f)
	}
	var classes []lang.LineClass
	for _, l := range f.Hunks[0].Lines {
		if l.Op == '+' {
			classes = append(classes, l.Class)
		}
	}
	if want := []lang.LineClass{lang.Comment, lang.Code, lang.Blank, lang.Code}; !slices.Equal(classes, want) {
		t.Errorf("classes %v, want %v", classes, want)
	}
	if len(f.OldDefs) != 1 || len(f.NewDefs) != 2 || f.NewDefs[1].Name != "Two" {
		t.Errorf("definitions %+v and %+v", f.OldDefs, f.NewDefs)
	}

	first := read(t, r, root)
	verify(t, first)
	if f := first.Files[0]; f.Status != Added || f.Added != 6 || f.Old != nil || first.Base != "" {
		t.Errorf("root commit: %s", sketch(first))
	}
}

func TestHunksKeepThreeLinesOfContext(t *testing.T) {
	repo := gittest.New(t)
	text := func(changed ...int) string {
		var b strings.Builder
		for i := 1; i <= 40; i++ {
			mark := ""
			if slices.Contains(changed, i) {
				mark = "!"
			}
			fmt.Fprintf(&b, "line %d%s\n", i, mark)
		}
		return b.String()
	}
	repo.Write("f", text())
	repo.Commit("one")
	repo.Write("f", text(2, 20, 27, 40))
	ch := read(t, open(t, repo, Limits{}), repo.Commit("two"))
	verify(t, ch)
	var got []string
	for _, h := range ch.Files[0].Hunks {
		got = append(got, fmt.Sprintf("%d+%d", h.OldStart, len(h.Lines)))
	}
	if want := []string{"1+6", "17+16", "37+5"}; !slices.Equal(got, want) {
		t.Errorf("hunks %v, want %v", got, want)
	}
}

func TestEveryShapeOfChange(t *testing.T) {
	long := strings.Repeat("some line of text\n", 20)
	odd := []string{"a \"quoted\" name", "new\nline", "-dash", "tab\tname", "h\xe9llo", "sp ace", "back\\slash", "@@ -1 +1 @@", "b/diff --git a"}
	tests := []struct {
		name          string
		before, after func(r *gittest.Repo)
		want          string
	}{
		{"an empty commit has no files", func(r *gittest.Repo) {}, func(r *gittest.Repo) {}, ""},
		{"a rename with an edit", func(r *gittest.Repo) { r.Write("old.txt", long) },
			func(r *gittest.Repo) { r.Remove("old.txt"); r.Write("new.txt", long+"more\n") },
			"R \"new.txt\" from \"old.txt\" 98% +1 -0\n  +0:21 \"more\"\n"},
		{"a rename without an edit has its image", func(r *gittest.Repo) { r.Write("old.txt", long) },
			func(r *gittest.Repo) { r.Remove("old.txt"); r.Write("new.txt", long) },
			"R \"new.txt\" from \"old.txt\" 100% +0 -0\n"},
		{"a deletion", func(r *gittest.Repo) { r.Write("f", "x\n") }, func(r *gittest.Repo) { r.Remove("f") },
			"D \"f\" +0 -1\n  -1:0 \"x\"\n"},
		{"an empty file", func(r *gittest.Repo) {}, func(r *gittest.Repo) { r.Write("f", "") }, "A \"f\" +0 -0\n"},
		{"a mode change", func(r *gittest.Repo) { r.Write("f", "x\n") },
			func(r *gittest.Repo) { _ = os.Chmod(filepath.Join(r.Dir, "f"), 0o755) }, "M \"f\" mode 100644 100755 +0 -0\n"},
		{"no line end at the end", func(r *gittest.Repo) { r.Write("f", "x\ny") }, func(r *gittest.Repo) { r.Write("f", "x\ny\nz") },
			"M \"f\" +2 -1\n  -2:0 \"y\"\n  +0:2 \"y\"\n  +0:3 \"z\"\n"},
		{"carriage returns are kept", func(r *gittest.Repo) { r.Write("f", "x\r\n") }, func(r *gittest.Repo) { r.Write("f", "x\r\ny\r\n") },
			"M \"f\" +1 -0\n  +0:2 \"y\\r\"\n"},
		{"a file becomes a symbolic link", func(r *gittest.Repo) { r.Write("f", "x\n") },
			func(r *gittest.Repo) { r.Remove("f"); _ = os.Symlink("target", filepath.Join(r.Dir, "f")) },
			"T \"f\" mode 100644 120000 +1 -1\n  -1:0 \"x\"\n  +0:1 \"target\"\n"},
		{"lines that look like a patch", func(r *gittest.Repo) { r.Write("f", "diff --git a/f b/f\n") },
			func(r *gittest.Repo) {
				r.Write("f", "diff --git a/f b/f\n@@ -1 +1 @@\n\\ No newline at end of file\n#x\n")
			},
			"M \"f\" +3 -0\n  +0:2 \"@@ -1 +1 @@\"\n  +0:3 \"\\\\ No newline at end of file\"\n  +0:4 \"#x\"\n"},
		{"binary content", func(r *gittest.Repo) {}, func(r *gittest.Repo) { r.Write("f", "a\x00b") },
			"A \"f\" unread binary\ngap \"f\" binary\n"},
		{"a NUL far down is text", func(r *gittest.Repo) {}, func(r *gittest.Repo) { r.Write("f", strings.Repeat("0123456789abcde\n", 600)+"\x00\n") },
			""},
		{"a file that an attribute calls binary is read all the same", func(r *gittest.Repo) {
			r.Write(".gitattributes", "*.lock -diff\n")
			r.Write("go.lock", "a\n")
		}, func(r *gittest.Repo) { r.Write("go.lock", "a\nb\n") }, "M \"go.lock\" +1 -0\n  +0:2 \"b\"\n"},
		{"an LFS pointer", func(r *gittest.Repo) {}, func(r *gittest.Repo) {
			r.Write("f.psd", "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 3\n")
		}, "A \"f.psd\" unread lfs\ngap \"f.psd\" lfs\n"},
		{"odd names", func(r *gittest.Repo) {}, func(r *gittest.Repo) {
			for _, name := range odd {
				r.Write(name, "x\n")
			}
		}, ""},
		{"every file of a folder that becomes a file", func(r *gittest.Repo) { r.Write("d/f", "x\n"); r.Write("d/g", "y\n") },
			func(r *gittest.Repo) { r.Remove("d/f"); r.Remove("d/g"); r.Remove("d"); r.Write("d", "other\n") },
			"A \"d\" +1 -0\n  +0:1 \"other\"\nD \"d/f\" +0 -1\n  -1:0 \"x\"\nD \"d/g\" +0 -1\n  -1:0 \"y\"\n"},
	}
	for _, format := range []string{"sha1", "sha256"} {
		for i, tt := range tests {
			if format == "sha256" && i%4 != 1 { // nothing but the length of names differs
				continue
			}
			t.Run(format+"/"+tt.name, func(t *testing.T) {
				t.Parallel()
				repo := gittest.New(t, "--object-format="+format)
				repo.Git("config", "diff.suppressBlankEmpty", "true")
				repo.Git("config", "diff.noprefix", "true")
				repo.Git("config", "diff.renames", "false")
				repo.Git("config", "color.ui", "always")
				repo.Write("other", "unchanged\n")
				tt.before(repo)
				repo.Commit("before")
				tt.after(repo)
				ch := read(t, open(t, repo, Limits{}), repo.Commit("after"))
				verify(t, ch)
				switch tt.name {
				case "odd names":
					var got []string
					for _, f := range ch.Files {
						got = append(got, f.Path)
						if f.Added != 1 || f.Unread != "" {
							t.Errorf("%q was not read", f.Path)
						}
					}
					want := slices.Sorted(slices.Values(odd))
					if diff := cmp.Diff(want, got); diff != "" {
						t.Error(diff)
					}
				case "a NUL far down is text":
					if f := ch.Files[0]; f.Added != 601 || len(f.New) != 9602 {
						t.Errorf("%d lines, %d bytes", f.Added, len(f.New))
					}
				case "a rename without an edit has its image":
					if f := ch.Files[0]; string(f.New) != long || string(f.Old) != long {
						t.Error("no image")
					}
					fallthrough
				default:
					check(t, ch, tt.want)
				}
			})
		}
	}
}

func TestMergesAndMissingParentsAreGapsWithoutFiles(t *testing.T) {
	repo := gittest.New(t)
	repo.Write("a", "1\n")
	repo.Commit("one")
	repo.Git("checkout", "-q", "-b", "side")
	repo.Write("b", "1\n")
	repo.Commit("side")
	repo.Git("checkout", "-q", "main")
	repo.Write("a", "2\n")
	repo.Commit("two")
	repo.Git("merge", "-q", "--no-edit", "side")
	check(t, read(t, open(t, repo, Limits{}), "HEAD"), "gap \"\" merge\n")

	clone := repo.At(filepath.Join(t.TempDir(), "shallow"))
	repo.Git("clone", "-q", "--depth=1", "--no-single-branch", "file://"+repo.Dir, clone.Dir)
	ch := read(t, open(t, clone, Limits{}), "origin/side")
	check(t, ch, "gap \"\" parent\n")
	if ch.Base == "" || !strings.Contains(ch.Gaps[0].Detail, "fetch-depth: 0") {
		t.Errorf("base %q, gap %+v", ch.Base, ch.Gaps[0])
	}
}

func TestAPartialCloneCostsOnlyTheFilesWhoseBlobsAreMissing(t *testing.T) {
	repo := gittest.New(t)
	repo.Git("config", "uploadpack.allowFilter", "true")
	repo.Write("a.txt", "1\n")
	repo.Write("b.txt", "b1\n")
	repo.Write("moved.txt", "some text that moves\n")
	repo.Commit("one")
	repo.Write("a.txt", "2\n")
	repo.Write("b.txt", "b2\n")
	repo.Remove("moved.txt")
	repo.Write("to/moved.txt", "some text that moves\n")
	second := repo.Commit("two")
	repo.Write("c.txt", "3\n")
	repo.Commit("three")

	clone := repo.At(filepath.Join(t.TempDir(), "partial"))
	repo.Git("clone", "-q", "--filter=blob:none", "--no-checkout", "file://"+repo.Dir, clone.Dir)
	for _, rev := range []string{"HEAD~1:a.txt", "HEAD~2:a.txt"} {
		clone.Git("cat-file", "-p", rev) // the helper's environment allows this fetch
	}
	r := open(t, clone, Limits{})
	ch := read(t, r, second)
	verify(t, ch)
	check(t, ch, `
M "a.txt" +1 -1
  -1:0 "1"
  +0:1 "2"
M "b.txt" unread missing
R "to/moved.txt" from "moved.txt" 100% unread missing
gap "b.txt" missing
gap "to/moved.txt" missing
`)
	if out := clone.Git("rev-list", "--objects", "--missing=print", "--all"); strings.Count(out, "?") != 4 {
		t.Errorf("reading fetched: %s", out)
	}
}

func TestADamagedBlobCostsOnlyItsFile(t *testing.T) {
	for _, tt := range []struct {
		name   string
		damage func(path string) error
		want   Reason
	}{
		{"deleted", os.Remove, ReasonMissing},
		{"overwritten", func(path string) error {
			if err := os.Chmod(path, 0o644); err != nil {
				return err
			}
			return os.WriteFile(path, []byte("no zlib stream"), 0o644)
		}, ReasonCorrupt},
	} {
		t.Run(tt.name, func(t *testing.T) {
			repo := gittest.New(t)
			repo.Write("a", "1\n")
			repo.Write("b", "b1\n")
			repo.Commit("one")
			repo.Write("a", "2\n")
			repo.Write("b", "b2\n")
			second := repo.Commit("two")
			repo.Write("c", "3\n")
			third := repo.Commit("three")
			blob := repo.Git("rev-parse", second+":b")
			if err := tt.damage(filepath.Join(repo.Dir, ".git", "objects", blob[:2], blob[2:])); err != nil {
				t.Fatal(err)
			}
			repo.Remove("b") // git would read the same bytes there
			r := open(t, repo, Limits{})
			check(t, read(t, r, second), fmt.Sprintf(`
M "a" +1 -1
  -1:0 "1"
  +0:1 "2"
M "b" unread %s
gap "b" %[1]s
`, tt.want))
			check(t, read(t, r, third), "A \"c\" +1 -0\n  +0:1 \"3\"\n")
		})
	}
}

func TestAMissingTreeIsAGapOfTheWholeChange(t *testing.T) {
	repo := gittest.New(t)
	repo.Write("a", "1\n")
	repo.Commit("one")
	repo.Write("a", "2\n")
	second := repo.Commit("two")
	tree := repo.Git("rev-parse", second+"^{tree}")
	if err := os.Remove(filepath.Join(repo.Dir, ".git", "objects", tree[:2], tree[2:])); err != nil {
		t.Fatal(err)
	}
	ch := read(t, open(t, repo, Limits{}), second)
	check(t, ch, "gap \"\" missing\n")
}

func TestSubmodulesAreNamed(t *testing.T) {
	sub := gittest.New(t)
	sub.Write("x", "1\n")
	sub.Commit("sub")
	repo := gittest.New(t)
	repo.Git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", sub.Dir, "lib")
	ch := read(t, open(t, repo, Limits{}), repo.Commit("add lib"))
	verify(t, ch)
	if f := ch.Files[1]; f.Path != "lib" || f.Unread != ReasonSubmodule || f.NewBlob != sub.Git("rev-parse", "HEAD") {
		t.Errorf("%+v", f)
	}
	inside := repo.At(filepath.Join(repo.Dir, "lib"))
	inside.Write("y", "2\n")
	inside.Git("add", "y")
	ch, err := open(t, inside, Limits{}).Staged(context.Background(), "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	check(t, ch, "A \"y\" +1 -0\n  +0:1 \"2\"\n")
}

func TestLimitsNameWhatTheyLeftOut(t *testing.T) {
	repo := gittest.New(t)
	for i := range 9 {
		repo.Write(fmt.Sprintf("f%d", i), strings.Repeat("0123456789\n", 100))
	}
	hash := repo.Commit("nine files")
	repo.Write("next", "x\n")
	next := repo.Commit("one more")

	r := open(t, repo, Limits{ChangeBytes: 4000})
	ch := read(t, r, hash)
	verify(t, ch)
	if len(ch.Files) != 9 || len(ch.Gaps) != 7 || ch.Files[1].Unread != "" || ch.Files[2].Unread != ReasonCapped || ch.Files[8].Unread != ReasonCapped {
		t.Errorf("bytes:\n%s", sketch(ch))
	}
	check(t, read(t, r, next), "A \"next\" +1 -0\n  +0:1 \"x\"\n")

	ch = read(t, open(t, repo, Limits{ChangeLines: 250}), hash)
	verify(t, ch)
	if len(ch.Gaps) != 7 || ch.Files[1].Unread != "" || ch.Files[2].Unread != ReasonCapped {
		t.Errorf("lines:\n%s", sketch(ch))
	}
	ch = read(t, open(t, repo, Limits{FileLines: 50}), hash)
	verify(t, ch)
	if len(ch.Gaps) != 9 || ch.Files[0].Unread != ReasonOversized {
		t.Errorf("file lines:\n%s", sketch(ch))
	}
	ch = read(t, open(t, repo, Limits{FileBytes: 500}), hash)
	verify(t, ch)
	if f := ch.Files[0]; len(ch.Gaps) != 0 || f.New != nil || f.ImagesRead || f.Added != 100 {
		t.Errorf("file bytes:\n%s", sketch(ch))
	}
}

func TestAHugeFileAndAVeryLongLineAreBounded(t *testing.T) {
	repo := gittest.New(t)
	repo.Write("huge.txt", strings.Repeat("0123456789abcdef\n", 6<<20/17))
	repo.Write("line.json", strings.Repeat("x", 300_000)+"\n")
	repo.Write("small", "x\n")
	ch := read(t, open(t, repo, Limits{}), repo.Commit("huge"))
	verify(t, ch)
	if ch.Files[0].Unread != ReasonOversized || len(ch.Files[1].New) != 300_001 || ch.Files[2].Added != 1 {
		t.Errorf("%v", ch.Gaps)
	}
}

func TestACommitOfTwentyThousandFilesNamesAllOfThem(t *testing.T) {
	repo := gittest.New(t)
	many(repo, 20_000)
	ch := read(t, open(t, repo, Limits{ChangeBytes: 1 << 20}), "main")
	verify(t, ch)
	if len(ch.Files) != 20_000 || len(ch.Gaps) < 10_000 || ch.Gaps[0].Reason != ReasonCapped {
		t.Errorf("%d files, %d gaps", len(ch.Files), len(ch.Gaps))
	}
	if ch = read(t, open(t, repo, Limits{ChangeLines: 100_000}), "main"); len(ch.Files) != 20_000 || len(ch.Gaps) != 0 {
		t.Errorf("%d files, %d gaps", len(ch.Files), len(ch.Gaps))
	}
}

func TestStagedReadsTheIndexThatGitIsCommitting(t *testing.T) {
	ctx := context.Background()
	repo := gittest.New(t)
	repo.Write("a", "1\n")
	repo.Git("add", "a")
	r := open(t, repo, Limits{})
	ch, err := r.Staged(ctx, "")
	if err != nil {
		t.Fatal(err)
	}
	check(t, ch, "A \"a\" +1 -0\n  +0:1 \"1\"\n")
	repo.Commit("one")

	// A hook writes down what a Reader sees in each shape of commit.
	repo.Write("b", "1\n")
	repo.Commit("two")
	repo.Write("a", "2\n")
	repo.Write("b", "2\n")
	repo.Git("add", "b")
	hook := filepath.Join(repo.Dir, ".git", "hooks", "pre-commit")
	if err := os.MkdirAll(filepath.Dir(hook), 0o755); err != nil {
		t.Fatal(err)
	}
	note := filepath.Join(t.TempDir(), "env")
	copied := filepath.Join(t.TempDir(), "index")
	script := fmt.Sprintf("#!/bin/sh\nprintf '%%s' \"$GIT_INDEX_FILE\" >%s\ncp \"$GIT_INDEX_FILE\" %s\nexit 1\n", note, copied)
	if err := os.WriteFile(hook, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"commit", "-m", "x"}, "M \"b\" +1 -1\n  -1:0 \"1\"\n  +0:1 \"2\"\n"},
		{[]string{"commit", "-a", "-m", "x"}, "M \"a\" +1 -1\n  -1:0 \"1\"\n  +0:1 \"2\"\nM \"b\" +1 -1\n  -1:0 \"1\"\n  +0:1 \"2\"\n"},
		{[]string{"commit", "-m", "x", "a"}, "M \"a\" +1 -1\n  -1:0 \"1\"\n  +0:1 \"2\"\n"},
	} {
		if out, err := repo.Try(tt.args...); err == nil {
			t.Fatalf("the hook let %v through: %s", tt.args, out)
		}
		if name, err := os.ReadFile(note); err != nil || len(name) == 0 {
			t.Fatalf("no GIT_INDEX_FILE: %v", err)
		}
		ch, err := open(t, repo, Limits{}, "GIT_INDEX_FILE="+copied).Staged(ctx, "HEAD")
		if err != nil {
			t.Fatal(err)
		}
		verify(t, ch)
		check(t, ch, tt.want)
	}
}

func TestWorktreeHasUntrackedFilesAndNoFalseOnes(t *testing.T) {
	repo := gittest.New(t)
	repo.Write("same", "1\n")
	repo.Write("edited", "1\n")
	repo.Write("sub/gone", "1\n")
	repo.Write(".gitignore", "*.log\n")
	repo.Commit("one")
	repo.Write("edited", "2\n")
	repo.Remove("sub/gone")
	repo.Write("sub/new", "3\n")
	repo.Write("x.log", "ignored\n")
	repo.Write("bin", "a\x00")
	later := time.Now().Add(time.Hour) // time stamps alone are no change
	if err := os.Chtimes(filepath.Join(repo.Dir, "same"), later, later); err != nil {
		t.Fatal(err)
	}
	ch, err := open(t, repo.At(filepath.Join(repo.Dir, "sub")), Limits{}).Worktree(context.Background(), "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	verify(t, ch)
	check(t, ch, `
A "bin" unread binary
M "edited" +1 -1
  -1:0 "1"
  +0:1 "2"
D "sub/gone" +0 -1
  -1:0 "1"
A "sub/new" +1 -0
  +0:1 "3"
gap "bin" binary
`)
}

func TestRangeComparesTwoTrees(t *testing.T) {
	repo := gittest.New(t)
	repo.Write("a", "1\n")
	one := repo.Commit("one")
	repo.Write("a", "2\n")
	repo.Commit("two")
	repo.Write("a", "3\n")
	three := repo.Commit("three")
	r := open(t, repo, Limits{})
	ch, err := r.Range(context.Background(), one, three)
	if err != nil {
		t.Fatal(err)
	}
	check(t, ch, "M \"a\" +1 -1\n  -1:0 \"1\"\n  +0:1 \"3\"\n")
	if ch.ID != one+".."+three || ch.Base != one {
		t.Errorf("%+v", ch)
	}
	if ch, err = r.Range(context.Background(), "", three); err != nil {
		t.Fatal(err)
	}
	check(t, ch, "A \"a\" +1 -0\n  +0:1 \"3\"\n")
}

func TestACancelledContextEndsTheReadingAndTheReaderGoesOn(t *testing.T) {
	repo := gittest.New(t)
	repo.Write("a", "1\n")
	hash := repo.Commit("one")
	r := open(t, repo, Limits{})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := r.Commit(ctx, hash); err == nil {
		t.Error("no error")
	}
	check(t, read(t, r, hash), "A \"a\" +1 -0\n  +0:1 \"1\"\n")
}

func TestAttributesDecideWhatIsGeneratedAndVendored(t *testing.T) {
	repo := gittest.New(t)
	repo.Write("g.go", "package g\n")
	repo.Write("v.go", "package v\n")
	r := open(t, repo, Limits{})
	r.Attributes = func(path string) (generated, vendored Said) {
		switch path {
		case "g.go":
			generated = Yes
		case "v.go":
			vendored = Yes
		case "own.pb.go":
			generated = No
		}
		return generated, vendored
	}
	repo.Write("own.pb.go", "package own\n")
	repo.Write("their.pb.go", "package their\n")
	ch := read(t, r, repo.Commit("one"))
	want := []lang.Kind{lang.Generated, lang.Source, lang.Generated, lang.Vendored} // g, own, their, v
	for i, f := range ch.Files {
		if f.Kind != want[i] {
			t.Errorf("%s is %v, want %v", f.Path, f.Kind, want[i])
		}
	}
}

func TestReadingTwiceGivesTheSame(t *testing.T) {
	repo := gittest.New(t)
	repo.Write("a.go", "package a\n\nfunc A() {}\n")
	repo.Commit("one")
	repo.Write("a.go", "package a\n\nfunc B() {}\n")
	hash := repo.Commit("two")
	r := open(t, repo, Limits{})
	first, second := read(t, r, hash), read(t, r, hash)
	if diff := cmp.Diff(first, second); diff != "" {
		t.Error(diff)
	}
	if !bytes.Equal(first.Files[0].New, second.Files[0].New) {
		t.Error("images differ")
	}
}

func TestChangesInsideASubmoduleAreDeclaredInTheWorkTree(t *testing.T) {
	sub := gittest.New(t)
	sub.Write("x", "1\n")
	sub.Commit("sub")
	repo := gittest.New(t)
	repo.Git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", sub.Dir, "lib")
	repo.Commit("add lib")
	worktree := func() *Change {
		ch, err := open(t, repo, Limits{}).Worktree(context.Background(), "HEAD")
		if err != nil {
			t.Fatal(err)
		}
		return ch
	}
	check(t, worktree(), "")
	inside := repo.At(filepath.Join(repo.Dir, "lib"))
	inside.Write("x", "2\n")
	check(t, worktree(), "gap \"lib\" submodule\n")
	inside.Git("checkout", "-q", "x")
	check(t, worktree(), "")
	inside.Write("new", "1\n")
	check(t, worktree(), "gap \"lib\" submodule\n")
}

func TestADamagedIndexIsNamedAndIsNotAnEmptyChange(t *testing.T) {
	for name, content := range map[string]string{"short": "garbage", "zeros": strings.Repeat("\x00", 40)} {
		t.Run(name, func(t *testing.T) {
			repo := gittest.New(t)
			repo.Write("f", "1\n")
			hash := repo.Commit("first")
			if err := os.WriteFile(filepath.Join(repo.Dir, ".git", "index"), []byte(content), 0o644); err != nil {
				t.Fatal(err)
			}
			r := open(t, repo, Limits{})
			_, staged := r.Staged(context.Background(), hash)
			_, worktree := r.Worktree(context.Background(), hash)
			_, commit := r.Commit(context.Background(), hash)
			for _, err := range []error{staged, worktree, commit} {
				if !errors.Is(err, git.ErrIndex) || !strings.Contains(err.Error(), "git reset") {
					t.Errorf("got %v, want the index named with the way out", err)
				}
			}
		})
	}
}

func TestWithoutAWorkTreeNothingIsStaged(t *testing.T) {
	repo := gittest.New(t)
	repo.Write("f", "1\n")
	hash := repo.Commit("first")
	bare := filepath.Join(t.TempDir(), "bare.git")
	repo.Git("clone", "-q", "--bare", repo.Dir, bare)
	r := open(t, repo.At(bare), Limits{})
	_, staged := r.Staged(context.Background(), hash)
	_, worktree := r.Worktree(context.Background(), hash)
	for _, err := range []error{staged, worktree} {
		if !errors.Is(err, git.ErrNoWorkTree) {
			t.Errorf("got %v", err)
		}
	}
}

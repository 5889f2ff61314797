package git

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/saysolint/sayso/internal/git/gittest"
)

const help = "\n# Please enter the commit message for your changes. Lines starting\n# with '#' will be ignored, and an empty message aborts the commit.\n#\n# On branch main\n"

const cut = "# ------------------------ >8 ------------------------\n# Do not modify or remove the line above.\n# Everything below it will be ignored.\ndiff --git a/f b/f\n@@ -1 +1 @@\n-a\n+b\n"

func TestCleanMessageRules(t *testing.T) {
	tests := []struct {
		name  string
		raw   string
		o     CleanOptions
		want  string
		lines []int
	}{
		{"the help of an editor goes", "Subject\n" + help, CleanOptions{Editor: true}, "Subject\n", []int{1}},
		{"without an editor comment lines stay", "Subject\n\n#12 is fixed\n", CleanOptions{}, "Subject\n\n#12 is fixed\n", []int{1, 2, 3}},
		{"empty lines are folded and keep their numbers", "\n\nSubject  \n\n\n\nBody\t\n\n", CleanOptions{}, "Subject\n\nBody\n", []int{3, 6, 7}},
		{"a comment between empty lines folds them too", "a\n\n# c\n\nb\n", CleanOptions{Editor: true}, "a\n\nb\n", []int{1, 4, 5}},
		{"whitespace keeps comments under an editor", "a\n# b\n", CleanOptions{Mode: "whitespace", Editor: true}, "a\n# b\n", []int{1, 2}},
		{"verbatim keeps everything", "\n a \n# b\n\n", CleanOptions{Mode: "verbatim", Editor: true}, "\n a \n# b\n\n", []int{1, 2, 3, 4}},
		{"verbatim without a last line end", "a\nb", CleanOptions{Mode: "verbatim"}, "a\nb", []int{1, 2}},
		{"scissors keep comments above and drop all below", "a\n# b\n" + cut, CleanOptions{Mode: "scissors", Editor: true}, "a\n# b\n", []int{1, 2}},
		{"scissors without an editor are whitespace", "a\n# ------------------------ >8 ------------------------\nb\n", CleanOptions{Mode: "scissors"},
			"a\n# ------------------------ >8 ------------------------\nb\n", []int{1, 2, 3}},
		{"the diff of -v is cut in every mode", "a\n" + help + cut, CleanOptions{Editor: true}, "a\n", []int{1}},
		{"the diff of -v is cut in verbatim", "a\n" + cut, CleanOptions{Mode: "verbatim", Editor: true}, "a\n", []int{1}},
		{"scissors in somebody's prose cut nothing", "a\n# ------------------------ >8 ------------------------\nb\n", CleanOptions{Editor: true}, "a\nb\n", []int{1, 3}},
		{"commit.verbose cuts there", "a\n# ------------------------ >8 ------------------------\nb\n", CleanOptions{Editor: true, Verbose: true}, "a\n", []int{1}},
		{"another comment character", "a\n# b\n; c\n", CleanOptions{Editor: true, CommentChar: ";"}, "a\n# b\n", []int{1, 2}},
		{"a comment string", "a\n// b\n/ c\n", CleanOptions{Editor: true, CommentChar: "//"}, "a\n/ c\n", []int{1, 3}},
		{"auto goes by the help", "#12 is fixed\n\n; Please enter\n;\n; On branch\n", CleanOptions{Editor: true, CommentChar: "auto"}, "#12 is fixed\n", []int{1}},
		{"carriage returns go", "a\r\n\r\nb\r\n", CleanOptions{}, "a\n\nb\n", []int{1, 2, 3}},
		{"a byte order mark is taken off", "\xEF\xBB\xBFa\n", CleanOptions{}, "a\n", []int{1}},
		{"another encoding becomes UTF-8", "caf\xe9\n", CleanOptions{Encoding: "ISO-8859-1"}, "café\n", []int{1}},
		{"invalid bytes are replaced", "a\xff\n", CleanOptions{}, "a\uFFFD\n", []int{1}},
		{"NUL is kept", "a\x00b\n", CleanOptions{}, "a\x00b\n", []int{1}},
		{"an unknown mode is the default", "a\n# b\n", CleanOptions{Mode: "nonsense", Editor: true}, "a\n", []int{1}},
		{"nothing", "", CleanOptions{}, "", nil},
		{"nothing but comments", help, CleanOptions{Editor: true}, "", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := CleanMessage([]byte(tt.raw), tt.o)
			if diff := cmp.Diff(tt.want, c.Text); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(tt.lines, c.Lines); diff != "" {
				t.Errorf("lines: %s", diff)
			}
		})
	}
}

// recorded commits with git and returns what the editor left in the file and
// what git recorded of it.
func recorded(t testing.TB, repo *gittest.Repo, editor string, args ...string) (file []byte, text string) {
	t.Helper()
	seen := filepath.Join(filepath.Dir(repo.Dir), "seen")
	script := editor + ` && cp "$1" ` + seen + ` #`
	with := repo.With("GIT_EDITOR=f() { " + strings.TrimSuffix(script, " #") + "; }; f")
	with.Git(append(args, "--allow-empty", "--allow-empty-message")...)
	file, err := os.ReadFile(seen)
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ = strings.Cut(rawCommit(t, repo), "\n\n")
	return file, text
}

func rawCommit(t testing.TB, repo *gittest.Repo) string {
	t.Helper()
	out, err := repo.Try("cat-file", "commit", "HEAD")
	if err != nil {
		t.Fatal(out)
	}
	return out
}

var cleanModes = []string{"strip", "whitespace", "verbatim", "scissors", "default"}

// TestCleanMessageIsWhatGitRecords lets the real git record generated messages
// in every mode, from an editor and from a file.
func TestCleanMessageIsWhatGitRecords(t *testing.T) {
	repo := gittest.New(t)
	note := filepath.Join(filepath.Dir(repo.Dir), "note")
	piece := rapid.SampledFrom([]string{"Subject", "", "", " ", "\t", "# comment", "#", " # not one", "; semi", "body text ", "a\r", "\r", "日本語",
		strings.TrimSuffix(cut, "\n"), "# ------------------------ >8 ------------------------", "#12 is fixed", "Fixes: abc", "x # y"})
	message := rapid.Custom(func(t *rapid.T) string {
		text := strings.Join(rapid.SliceOfN(piece, 0, 9).Draw(t, "lines"), "\n")
		return text + rapid.SampledFrom([]string{"", "\n", "\n\n"}).Draw(t, "end")
	})
	for i := range 40 {
		text := message.Example(i)
		mode := cleanModes[i%len(cleanModes)]
		comment := []string{"#", ";"}[i/5%2]
		if err := os.WriteFile(note, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		config := []string{"-c", "commit.cleanup=" + mode, "-c", "core.commentChar=" + comment, "commit", "-q"}
		o := CleanOptions{Mode: mode, CommentChar: comment}
		var got string
		raw := []byte(text)
		if i%3 == 0 {
			repo.Git(append(config, "--allow-empty", "--allow-empty-message", "-F", note)...)
			_, got, _ = strings.Cut(rawCommit(t, repo), "\n\n")
		} else {
			o.Editor = true
			raw, got = recorded(t, repo, "cp "+note+` "$1"`, config...)
		}
		if mode != "scissors" && strings.Contains(text, ">8") {
			continue // a diff that no -v made: told apart by guess, see the table
		}
		if diff := cmp.Diff(got, CleanMessage(raw, o).Text); diff != "" {
			t.Errorf("%s, %+v, message %q (-git +ours):\n%s", mode, o, text, diff)
		}
	}
}

func TestCleanMessageUnderRealEditors(t *testing.T) {
	repo := gittest.New(t)
	repo.Write("f", "1\n")
	repo.Commit("first")
	for _, tt := range []struct {
		name string
		args []string
		edit string
		o    CleanOptions
	}{
		{"verbose", []string{"commit", "-q", "-v", "-m", "Subject", "-e"}, `:`, CleanOptions{Editor: true}},
		{"verbose, verbatim", []string{"-c", "commit.cleanup=verbatim", "commit", "-q", "-v", "-m", "Subject", "-e"}, `:`, CleanOptions{Editor: true, Mode: "verbatim"}},
		{"verbose, scissors", []string{"-c", "commit.cleanup=scissors", "commit", "-q", "-v", "-m", "Subject", "-e"}, `:`, CleanOptions{Editor: true, Mode: "scissors"}},
		{"auto with a number sign", []string{"-c", "core.commentChar=auto", "commit", "-q", "-e", "-m", "#12 is fixed"}, `:`, CleanOptions{Editor: true, CommentChar: "auto"}},
		{"auto, verbose", []string{"-c", "core.commentChar=auto", "commit", "-q", "-v", "-e", "-m", "#12 is fixed"}, `:`, CleanOptions{Editor: true, CommentChar: "auto"}},
		{"auto without one", []string{"-c", "core.commentChar=auto", "commit", "-q", "-e", "-m", "plain"}, `:`, CleanOptions{Editor: true, CommentChar: "auto"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			repo.Write("f", tt.name)
			repo.Git("add", "f")
			raw, want := recorded(t, repo, tt.edit, tt.args...)
			if len(raw) <= len(want) {
				t.Fatalf("the editor saw no help: %q", raw)
			}
			if diff := cmp.Diff(want, CleanMessage(raw, tt.o).Text); diff != "" {
				t.Errorf("file %q (-git +ours):\n%s", raw, diff)
			}
		})
	}
}

func TestReadCleanOptions(t *testing.T) {
	ctx := context.Background()
	repo := gittest.New(t)
	r := openRepo(t, repo)
	if o, err := r.ReadCleanOptions(ctx); err != nil || o != (CleanOptions{}) {
		t.Errorf("%+v, %v", o, err)
	}
	repo.Git("config", "commit.cleanup", "scissors")
	repo.Git("config", "commit.verbose", "2")
	repo.Git("config", "core.commentChar", ";")
	repo.Git("config", "i18n.commitEncoding", "latin1")
	o, err := r.ReadCleanOptions(ctx)
	if want := (CleanOptions{Mode: "scissors", CommentChar: ";", Verbose: true, Encoding: "latin1"}); err != nil || o != want {
		t.Errorf("%+v, %v", o, err)
	}
}

func TestCleanMessageOfTenMegabytes(t *testing.T) {
	raw := []byte("Subject\n\n" + strings.Repeat("a line of the body \n# c\n\n\n", 10<<20/26))
	c := CleanMessage(raw, CleanOptions{Editor: true})
	if n := strings.Count(c.Text, "\n"); n != len(c.Lines) || !strings.HasSuffix(c.Text, "a line of the body\n") {
		t.Errorf("%d lines, %d numbers", n, len(c.Lines))
	}
}

func TestAMessageOfNothingButScissorsTakesLinearTime(t *testing.T) {
	raw := []byte(strings.Repeat("# ------------------------ >8 ------------------------\n", 100_000) + "text\n")
	CleanMessage(raw, CleanOptions{Editor: true, CommentChar: "auto"})
	if c := CleanMessage(raw, CleanOptions{Editor: true}); c.Text != "text\n" {
		t.Errorf("%d bytes", len(c.Text))
	}
}

func FuzzCleanMessage(f *testing.F) {
	for i, mode := range cleanModes {
		f.Add([]byte("a\n#b\n"+help+cut), mode, "auto", i%2 == 0)
	}
	f.Add([]byte("\xEF\xBB\xBF\x00\r\n\xff"), "", "", true)
	f.Fuzz(func(t *testing.T, raw []byte, mode, comment string, editor bool) {
		if strings.ContainsAny(comment, "\n") {
			return
		}
		c := CleanMessage(raw, CleanOptions{Mode: mode, CommentChar: comment, Editor: editor})
		if !utf8.ValidString(c.Text) {
			t.Fatal("not UTF-8")
		}
		rows := strings.Count(c.Text, "\n")
		if c.Text != "" && !strings.HasSuffix(c.Text, "\n") {
			rows++
		}
		if rows != len(c.Lines) && c.Text != "" {
			t.Fatalf("%d lines and %d numbers", rows, len(c.Lines))
		}
		total := strings.Count(string(raw), "\n") + 1
		for i, n := range c.Lines {
			if n < 1 || n > total || i > 0 && n <= c.Lines[i-1] {
				t.Fatalf("numbers %v of %d lines", c.Lines, total)
			}
		}
	})
}

func BenchmarkCleanMessage(b *testing.B) {
	raw := []byte("Subject of the commit\n\nA body of some lines\nand another.\n" + help)
	for b.Loop() {
		CleanMessage(raw, CleanOptions{Editor: true})
	}
}

func ExampleCleanMessage() {
	c := CleanMessage([]byte("\nFix the parser\n\n\nIt lost a line.\n# On branch main\n"), CleanOptions{Editor: true})
	fmt.Printf("%q %v\n", c.Text, c.Lines)
	// Output: "Fix the parser\n\nIt lost a line.\n" [2 4 5]
}

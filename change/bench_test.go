package change

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/saysolint/sayso/internal/git/gittest"
)

// BenchmarkCommit reads commits of a small Go history, one after the other.
func BenchmarkCommit(b *testing.B) {
	repo := gittest.New(b)
	var hashes []string
	for i := range 20 {
		var text strings.Builder
		text.WriteString("package a\n")
		for k := range 200 {
			n := k
			if k%20 == i {
				n = -k
			}
			fmt.Fprintf(&text, "\n// F%d is one of many.\nfunc F%d() int {\n\treturn %d\n}\n", k, k, n)
		}
		repo.Write("a.go", text.String())
		hashes = append(hashes, repo.Commit(fmt.Sprint(i)))
	}
	r := open(b, repo, Limits{})
	for b.Loop() {
		for _, h := range hashes {
			read(b, r, h)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*len(hashes)), "µs/commit")
}

// many commits n small Go files without writing them to the work tree.
func many(repo *gittest.Repo, n int) {
	blob := repo.Feed("package d\n\nconst N = 1\n", "hash-object", "-w", "--stdin")
	var rows strings.Builder
	for i := range n {
		fmt.Fprintf(&rows, "100644 %s\td%d/f%d.go\n", blob, i/100, i)
	}
	repo.Feed(rows.String(), "update-index", "--index-info")
	repo.Git("commit", "-q", "-m", "many")
}

// BenchmarkStaged reads one staged file of a repository of 10,000.
func BenchmarkStaged(b *testing.B) {
	repo := gittest.New(b)
	many(repo, 10_000)
	repo.Write("d5/f500.go", "package d\n\nconst N500 = 0\n")
	repo.Git("add", "d5/f500.go")
	r := open(b, repo, Limits{})
	for b.Loop() {
		if ch, err := r.Staged(context.Background(), "HEAD"); err != nil || len(ch.Files) != 1 {
			b.Fatal(err)
		}
	}
}

// BenchmarkManyFiles reads a commit of 20,000 files.
func BenchmarkManyFiles(b *testing.B) {
	repo := gittest.New(b)
	many(repo, 20_000)
	r := open(b, repo, Limits{})
	for b.Loop() {
		if ch := read(b, r, "main"); len(ch.Files) != 20_000 {
			b.Fatal(len(ch.Files))
		}
	}
}

package git

import (
	"strings"
	"testing"

	"github.com/saysolint/sayso/internal/git/gittest"
)

func BenchmarkOpen(b *testing.B) {
	repo := gittest.New(b)
	repo.Commit("one")
	for b.Loop() {
		r, err := Open(ctx, repo.Dir, Options{Env: repo.Env()})
		if err != nil {
			b.Fatal(err)
		}
		r.Close()
	}
}

func BenchmarkBlob(b *testing.B) {
	repo := gittest.New(b)
	repo.Write("f", strings.Repeat("a line of text\n", 500))
	repo.Commit("one")
	r := openRepo(b, repo)
	for b.Loop() {
		if _, err := r.Blob(ctx, "HEAD:f", 1<<20); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDecodeCommit(b *testing.B) {
	data := []byte("tree " + strings.Repeat("a", 40) + "\nparent " + strings.Repeat("b", 40) +
		"\nauthor A <a@b> 1700000000 +0100\ncommitter A <a@b> 1700000000 +0100\n\nSubject\n\nBody of the message.\n")
	for b.Loop() {
		if _, err := decodeCommit("x", data); err != nil {
			b.Fatal(err)
		}
	}
}

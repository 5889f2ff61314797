//go:build unix

package retrieval

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// A script stands in for the program: its output is what is read.
func TestRipgrepsCountsAreRead(t *testing.T) {
	program := filepath.Join(t.TempDir(), "rg")
	if err := os.WriteFile(program, []byte("#!/bin/sh\nprintf './1:3\\n./0:1\\n./none:4\\n'\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	s := &Set{Commits: []Commit{{Subject: "Bound the cache"}, {Subject: "Parse dates"}}}
	search, err := Ripgrep(s, program, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	found, err := search(context.Background(), "Cache dates")
	if err != nil || !slices.Equal(found, []int{1, 0}) {
		t.Errorf("found %v, %v", found, err)
	}
}

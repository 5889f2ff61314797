//go:build unix

package publish

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/saysolint/sayso/internal/git/gittest"
	"github.com/saysolint/sayso/memory"
)

// TestAFolderThatCannotBeWrittenIsAnErrorAndNothingElse puts a plain file where a
// folder has to be made, which nobody can write below, whoever runs the test.
func TestAFolderThatCannotBeWrittenIsAnErrorAndNothingElse(t *testing.T) {
	for _, tt := range []struct{ name, spoil, way string }{
		{"the store", ".sayso", ""},
		{"the cache of a publication", ".git/sayso", "remote"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bare, repo := gittest.New(t, "--bare"), gittest.New(t)
			env := []string{"SAYSO_TEST_FROM=" + repo.Dir}
			if tt.way == "remote" {
				env = append(env, "SAYSO_TEST_REMOTE="+bare.Dir, "SAYSO_TEST_BRANCH=memory")
			}
			repo.Write(tt.spoil, "not a folder\n")
			cmd, out := start(t, "", env...)
			if err := cmd.Wait(); err == nil || strings.Contains(out.String(), repo.Dir) || strings.Count(strings.TrimSpace(out.String()), "\n") > 0 {
				t.Errorf("%v: %s", err, out)
			}
			if err := os.Remove(filepath.Join(repo.Dir, filepath.FromSlash(tt.spoil))); err != nil {
				t.Fatal(err)
			}
			if cmd, out := start(t, "", env...); cmd.Wait() != nil {
				t.Fatal(out)
			}
			if tt.way == "remote" {
				holdsOnce(t, bare, "memory", some, 1)
			} else if n, _ := inFolder(t, repo); n != some {
				t.Errorf("%d entries in %s", n, memory.DefaultFolder)
			}
		})
	}
}

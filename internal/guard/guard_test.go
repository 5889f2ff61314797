package guard

import (
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strings"
	"testing"
)

// module is the path that go.mod declares.
const module = "github.com/saysolint/sayso"

// root is the folder of go.mod, seen from this package.
func root(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "go.mod")); err != nil {
		t.Fatal(err)
	}
	return dir
}

// run returns the standard output of a command in the root folder.
func run(t *testing.T, env []string, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = root(t)
	cmd.Env = append(os.Environ(), env...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, errs.String())
	}
	return out.String()
}

// lines splits output into its non-empty lines.
func lines(out string) []string {
	var all []string
	for line := range strings.SplitSeq(out, "\n") {
		if line = strings.TrimRight(line, "\r"); line != "" {
			all = append(all, line)
		}
	}
	return all
}

// files lists the project's own files, slash separated and sorted: what git tracks
// or would track, or in an unpacked archive every file.
func files(t *testing.T) []string {
	t.Helper()
	dir := root(t)
	var all []string
	cmd := exec.Command("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	cmd.Dir = dir
	if out, err := cmd.Output(); err == nil {
		for name := range strings.SplitSeq(string(out), "\x00") {
			if info, err := os.Lstat(filepath.Join(dir, name)); name != "" && err == nil && info.Mode().IsRegular() {
				all = append(all, name)
			}
		}
	} else {
		err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if entry.IsDir() && entry.Name() == ".git" {
				return filepath.SkipDir
			}
			if entry.Type().IsRegular() {
				name, err := filepath.Rel(dir, path)
				if err != nil {
					return err
				}
				all = append(all, filepath.ToSlash(name))
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(all) < 20 {
		t.Fatalf("found only %d files of the project: the guard looked in the wrong place", len(all))
	}
	sort.Strings(all)
	return all
}

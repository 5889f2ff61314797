package bench

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Twins is a store of its own beside a source: it borrows the objects of the
// source and holds, for each commit that is judged, one with the same tree,
// parent, author and dates and no message.
type Twins struct {
	Dir string            // a bare repository whose HEAD is the source's
	Of  map[string]string // hash of a commit -> hash of its twin
}

// MakeTwins writes twins of the commits into dir, which may hold those of an
// earlier run.
func MakeTwins(ctx context.Context, src *Source, commits []string, dir string) (*Twins, error) {
	fail := func(err error) (*Twins, error) { return nil, fmt.Errorf("twins of %s: %w", src.Name, err) }
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fail(err)
	}
	t := &Twins{Dir: dir, Of: map[string]string{}}
	run := func(stdin string, args ...string) (string, error) {
		cmd := gitCommand(ctx, dir, args...)
		cmd.Stdin = strings.NewReader(stdin)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if err != nil {
			return "", fmt.Errorf("git %s: %w: %s", args[0], err, bytes.TrimSpace(stderr.Bytes()))
		}
		return string(out), nil
	}
	if _, err := run("", "init", "--quiet", "--bare", "--template=", "--object-format="+src.Format); err != nil {
		return fail(err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "objects", "info"), 0o700); err != nil {
		return fail(err)
	}
	files := map[string]string{"HEAD": src.Head + "\n", filepath.Join("objects", "info", "alternates"): src.Objects + "\n"}
	if src.Shallow != "" {
		data, err := os.ReadFile(src.Shallow)
		if err != nil {
			return fail(err)
		}
		files["shallow"] = string(data)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			return fail(err)
		}
	}
	scratch, err := os.MkdirTemp(dir, "new-")
	if err != nil {
		return fail(err)
	}
	defer os.RemoveAll(scratch)
	var list strings.Builder
	for i, hash := range commits {
		body, err := src.Object(hash)
		if err != nil {
			return fail(err)
		}
		c := parseCommit(hash, body)
		name := filepath.Join(scratch, fmt.Sprint(i))
		text := "tree " + c.Tree + "\nparent " + c.Parent + "\nauthor " + c.Author + "\ncommitter " + c.Committer + "\n\n"
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			return fail(err)
		}
		list.WriteString(name + "\n")
	}
	out, err := run(list.String(), "hash-object", "-t", "commit", "-w", "--stdin-paths")
	if err != nil {
		return fail(err)
	}
	hashes := strings.Fields(out)
	if len(hashes) != len(commits) {
		return fail(fmt.Errorf("git hash-object gave %d hashes for %d commits", len(hashes), len(commits)))
	}
	for i, hash := range commits {
		t.Of[hash] = hashes[i]
	}
	return t, nil
}

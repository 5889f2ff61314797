package casetest

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// Repository is a case written as a git repository.
type Repository struct {
	Dir    string // its work tree; nothing is checked out
	Head   string // full hash of the commit that is judged
	Parent string // full hash of the `before` commit
}

// buildVersion goes up when Build writes other repositories for the same case.
const buildVersion = "1"

// Key names what Build makes of the case: two cases with the same key make the
// same repository.
func (c Case) Key() string {
	h := sha256.New()
	put := func(parts ...string) {
		for _, p := range parts {
			fmt.Fprintf(h, "%d:%s", len(p), p)
		}
	}
	put(buildVersion, c.Message, c.BeforeMessage, string(c.Config), fmt.Sprint(c.Config != nil))
	for _, e := range c.History {
		put(append([]string{"history", e.Subject}, e.Paths...)...)
	}
	for i, tree := range []map[string][]byte{c.Base, c.Before, c.After} {
		put("tree", fmt.Sprint(i, tree != nil))
		for _, p := range slices.Sorted(maps.Keys(tree)) {
			put(p, string(tree[p]))
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:12])
}

// TB is what Repository needs of a test.
type TB interface {
	Helper()
	Fatalf(format string, args ...any)
	Context() context.Context
}

// Repository is Build for tests: an error ends the test.
func (c Case) Repository(t TB, dir string) Repository {
	t.Helper()
	r, err := c.Build(t.Context(), dir)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return r
}

// Build writes the case as a repository in dir, which must be empty or not
// exist. Hashes depend on nothing but the case: dates and people are fixed.
func (c Case) Build(ctx context.Context, dir string) (Repository, error) {
	r, err := c.build(ctx, dir)
	if err != nil {
		return Repository{}, fmt.Errorf("case %s: %w", c.Name, err)
	}
	return r, nil
}

func (c Case) build(ctx context.Context, dir string) (Repository, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return Repository{}, err
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return Repository{}, err
	}
	init := gitCommand(ctx, abs, "init", "--quiet", "--template=", "--initial-branch=main", "--object-format=sha1")
	if out, err := init.CombinedOutput(); err != nil {
		return Repository{}, fmt.Errorf("git init: %w: %s", err, bytes.TrimSpace(out))
	}
	cmd := gitCommand(ctx, abs, "fast-import", "--quiet", "--done")
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return Repository{}, err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return Repository{}, err
	}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		return Repository{}, fmt.Errorf("git fast-import: %w", err)
	}
	s := &stream{out: bufio.NewWriter(stdin), in: bufio.NewReader(stdout)}
	r, err := c.write(s)
	stdin.Close()
	if werr := cmd.Wait(); werr != nil {
		return Repository{}, fmt.Errorf("git fast-import: %w: %s", werr, bytes.TrimSpace(stderr.Bytes()))
	}
	if err != nil {
		return Repository{}, fmt.Errorf("git fast-import: %w", err)
	}
	r.Dir = abs
	return r, nil
}

// write sends the commits of the case and learns their hashes.
func (c Case) write(s *stream) (Repository, error) {
	config := map[string][]byte{}
	if c.Config != nil {
		config[".sayso.yaml"] = c.Config
	}
	grown := map[string]int{}
	for _, e := range c.History {
		files := maps.Clone(config)
		for _, p := range e.Paths {
			grown[p]++
			var text strings.Builder
			for n := range grown[p] {
				fmt.Fprintf(&text, "line %d\n", n+1)
			}
			files[p] = []byte(text.String())
		}
		s.commit(e.Subject, files, false)
	}
	tree := func(message string, files map[string][]byte) string {
		files = maps.Clone(files)
		maps.Copy(files, config)
		s.commit(message, files, true)
		return s.hash()
	}
	base := strings.Repeat("0", 40)
	if c.Base != nil {
		base = tree("Base", c.Base)
	}
	before := c.BeforeMessage
	if before == "" {
		before = "Before"
	}
	var r Repository
	r.Parent = tree(before, c.Before)
	r.Head = tree(render(c.Message, r.Parent, base), c.After)
	s.printf("done\n")
	return r, s.flush()
}

// stream is one conversation with git fast-import. The first error sticks.
type stream struct {
	out   *bufio.Writer
	in    *bufio.Reader
	marks int
	err   error
}

func (s *stream) printf(format string, args ...any) {
	if s.err == nil {
		_, s.err = fmt.Fprintf(s.out, format, args...)
	}
}

func (s *stream) data(b []byte) { s.printf("data %d\n%s\n", len(b), b) }

func (s *stream) flush() error {
	if s.err == nil {
		s.err = s.out.Flush()
	}
	return s.err
}

// commit adds one commit on main; whole means that the files are all of its tree.
func (s *stream) commit(message string, files map[string][]byte, whole bool) {
	const who = "Case Author <author@example.org>"
	when := 1700000000 + 3600*s.marks
	s.marks++
	s.printf("commit refs/heads/main\nmark :%d\nauthor %s %d +0000\ncommitter %s %d +0000\n", s.marks, who, when, who, when)
	s.data([]byte(message))
	if whole {
		s.printf("deleteall\n")
	}
	for _, p := range slices.Sorted(maps.Keys(files)) {
		mode := "100644"
		if executable(files[p]) {
			mode = "100755"
		}
		s.printf("M %s inline %s\n", mode, quote(p))
		s.data(files[p])
	}
}

// hash is the hash of the newest commit.
func (s *stream) hash() string {
	s.printf("get-mark :%d\n", s.marks)
	if s.flush() != nil {
		return ""
	}
	line, err := s.in.ReadString('\n')
	if err != nil {
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		s.err = err
	}
	return strings.TrimSpace(line)
}

// quote writes a path as fast-import reads it.
func quote(p string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(p) + `"`
}

// gitCommand runs git in dir with no configuration but the repository's own.
func gitCommand(ctx context.Context, dir string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = dir
	for _, kv := range os.Environ() {
		if !strings.HasPrefix(kv, "GIT_") {
			cmd.Env = append(cmd.Env, kv)
		}
	}
	cmd.Env = append(cmd.Env, "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1",
		"GIT_ALLOW_PROTOCOL=none", "GIT_TERMINAL_PROMPT=0", "LC_ALL=C")
	return cmd
}

// render puts the hashes into a message.
func render(message, before, base string) string {
	return strings.NewReplacer("{{before}}", before, "{{base}}", base).Replace(message)
}

// rendered is the message with hashes of the right length, for places.
func (c Case) rendered() string { return renderFragment(c.Message) }

func renderFragment(s string) string {
	zero := strings.Repeat("0", 40)
	return render(s, zero, zero)
}

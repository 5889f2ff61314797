package bench

import (
	"bufio"
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

// Source is one repository that pairs are drawn from, read only.
type Source struct {
	Name    string // last telling part of its path
	Dir     string // absolute
	Head    string // full hash
	Format  string // sha1 or sha256
	Objects string // absolute path of its object store
	Shallow string // absolute path of its shallow marker, "" when it is whole

	// Commits are those with one parent and a message, newest first.
	Commits []*Commit

	mu    sync.Mutex // guards what follows
	cat   *catFile
	diff  *differ
	trees map[string][]treeEntry // by hash
}

// Commit is one commit of a Source.
type Commit struct {
	Hash, Tree, Parent string
	Author, Committer  string // header values as git has them
	Message            string // valid UTF-8
	Plain              bool   // the message was UTF-8 as it stood
	Touched            []Touched
	Order              int // place in Source.Commits
}

// Touched is one path of a commit; a rename is a deletion and an addition.
type Touched struct {
	Status byte // A D M T
	Path   string
}

// OpenSource reads the history of the repository in dir, newest commits first;
// last > 0 reads only that many.
func OpenSource(ctx context.Context, dir string, last int) (*Source, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	s := &Source{Dir: abs, Name: sourceName(abs), trees: map[string][]treeEntry{}}
	out, err := s.git(ctx, nil, "rev-parse", "--path-format=absolute", "--show-object-format", "--git-path", "objects", "--git-path", "shallow", "HEAD")
	if err != nil {
		return nil, err
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(lines) != 4 {
		return nil, fmt.Errorf("%s: git rev-parse answered %d lines, want 4", s.Name, len(lines))
	}
	s.Format, s.Objects, s.Head = lines[0], lines[1], lines[3]
	if _, err := os.Stat(lines[2]); err == nil {
		s.Shallow = lines[2]
	}
	if s.cat, err = startCat(ctx, abs); err != nil {
		return nil, err
	}
	if s.diff, err = startDiffer(ctx, abs); err != nil {
		return nil, errors.Join(err, s.cat.close())
	}
	if err := s.readHistory(ctx, last); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// Close ends the git processes of the source.
func (s *Source) Close() error { return errors.Join(s.cat.close(), s.diff.close()) }

// Patch is the diff of a commit from its parent, with renames found and three
// lines of context; nil where it is longer than limit or cannot be read whole.
func (s *Source) Patch(hash string, limit int) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	b, err := s.diff.get(hash, limit)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.Name, err)
	}
	return b, nil
}

// sourceName is the last part of a path that tells repositories apart.
func sourceName(abs string) string {
	name := filepath.Base(abs)
	for name == ".git" || name == "repo" || name == "repo.git" {
		abs = filepath.Dir(abs)
		name = filepath.Base(abs)
	}
	return strings.TrimSuffix(name, ".git")
}

func (s *Source) readHistory(ctx context.Context, last int) error {
	args := []string{"rev-list", "--topo-order", "--min-parents=1", "--max-parents=1"}
	if last > 0 {
		args = append(args, "-n", strconv.Itoa(last))
	}
	list, err := s.git(ctx, nil, append(args, s.Head)...)
	if err != nil {
		return err
	}
	raw, err := s.git(ctx, list, "diff-tree", "--stdin", "-r", "-z", "--name-status", "--no-renames")
	if err != nil {
		return err
	}
	fields := strings.Split(string(raw), "\x00")
	touched := map[string][]Touched{}
	hash := ""
	for i := 0; i < len(fields); i++ {
		switch f := fields[i]; {
		case len(f) >= 40:
			hash = f
		case len(f) == 1 && i+1 < len(fields):
			i++
			touched[hash] = append(touched[hash], Touched{f[0], fields[i]})
		}
	}
	for hash := range strings.FieldsSeq(string(list)) {
		body, err := s.Object(hash)
		if err != nil {
			return err
		}
		c := parseCommit(hash, body)
		c.Touched = touched[hash]
		if strings.TrimSpace(c.Message) == "" {
			continue
		}
		c.Order = len(s.Commits)
		s.Commits = append(s.Commits, c)
	}
	return nil
}

func parseCommit(hash string, body []byte) *Commit {
	c := &Commit{Hash: hash, Plain: true}
	head, message, _ := bytes.Cut(body, []byte("\n\n"))
	for line := range strings.SplitSeq(string(head), "\n") {
		key, value, _ := strings.Cut(line, " ")
		switch key {
		case "tree":
			c.Tree = value
		case "parent":
			c.Parent = value
		case "author":
			c.Author = value
		case "committer":
			c.Committer = value
		case "encoding":
			c.Plain = strings.EqualFold(value, "utf-8")
		}
	}
	c.Plain = c.Plain && utf8.Valid(message)
	c.Message = strings.ToValidUTF8(string(message), "\uFFFD")
	return c
}

// Object is the content of one object, by name or as tree:path.
func (s *Source) Object(name string) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	b, err := s.cat.get(name)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.Name, err)
	}
	return b, nil
}

// Files lists every path of a tree, sorted. Folders are read once for all the
// commits that share them.
func (s *Source) Files(tree string) ([]string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	files, err := s.listTree(nil, "", tree, 0)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.Name, err)
	}
	slices.Sort(files)
	return files, nil
}

// treeEntry is one name in a folder; tree is the hash of a folder, "" of anything else.
type treeEntry struct{ name, tree string }

// maxTreeDepth bounds how deep folders may lie in each other.
const maxTreeDepth = 200

func (s *Source) listTree(files []string, prefix, hash string, depth int) ([]string, error) {
	entries, ok := s.trees[hash]
	if !ok {
		body, err := s.cat.get(hash)
		if err != nil {
			return nil, err
		}
		if entries, err = parseTree(body, len(hash)/2); err != nil {
			return nil, fmt.Errorf("tree %s: %w", hash, err)
		}
		s.trees[hash] = entries
	}
	if depth > maxTreeDepth {
		return nil, fmt.Errorf("tree %s: more than %d folders in each other", hash, maxTreeDepth)
	}
	for _, e := range entries {
		if e.tree == "" {
			files = append(files, prefix+e.name)
			continue
		}
		var err error
		if files, err = s.listTree(files, prefix+e.name+"/", e.tree, depth+1); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// parseTree reads a tree object: mode, blank, name, NUL, hash of size bytes, again and again.
func parseTree(body []byte, size int) ([]treeEntry, error) {
	var out []treeEntry
	for len(body) > 0 {
		blank, end := bytes.IndexByte(body, ' '), bytes.IndexByte(body, 0)
		if blank < 0 || end < blank || len(body) < end+1+size {
			return nil, errors.New("is damaged")
		}
		e := treeEntry{name: string(body[blank+1 : end])}
		if string(body[:blank]) == "40000" {
			e.tree = hex.EncodeToString(body[end+1 : end+1+size])
		}
		out = append(out, e)
		body = body[end+1+size:]
	}
	return out, nil
}

func (s *Source) git(ctx context.Context, stdin []byte, args ...string) ([]byte, error) {
	cmd := gitCommand(ctx, s.Dir, args...)
	cmd.Stdin = bytes.NewReader(stdin)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: git %s: %w: %s", s.Name, args[0], err, bytes.TrimSpace(stderr.Bytes()))
	}
	return out, nil
}

// gitCommand is git in dir, reading no configuration but the repository's own
// and never reaching the network.
func gitCommand(ctx context.Context, dir string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = dir
	for _, kv := range os.Environ() {
		if !strings.HasPrefix(kv, "GIT_") {
			cmd.Env = append(cmd.Env, kv)
		}
	}
	cmd.Env = append(cmd.Env, "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "GIT_ALLOW_PROTOCOL=none",
		"GIT_NO_LAZY_FETCH=1", "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "LC_ALL=C")
	return cmd
}

// catFile is one long-lived `git cat-file --batch`.
type catFile struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

func startCat(ctx context.Context, dir string) (*catFile, error) {
	c := &catFile{cmd: gitCommand(ctx, dir, "cat-file", "--batch")}
	var err error
	if c.in, err = c.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	c.out = bufio.NewReaderSize(out, 1<<16)
	return c, c.cmd.Start()
}

func (c *catFile) get(name string) ([]byte, error) {
	if strings.ContainsAny(name, "\n\x00") {
		return nil, fmt.Errorf("%q cannot be asked for", name)
	}
	if _, err := io.WriteString(c.in, name+"\n"); err != nil {
		return nil, fmt.Errorf("git cat-file: %w", err)
	}
	head, err := c.out.ReadString('\n')
	if err != nil {
		return nil, fmt.Errorf("git cat-file: %w", err)
	}
	f := strings.Fields(head)
	if len(f) != 3 {
		return nil, fmt.Errorf("%s is not there", name)
	}
	size, err := strconv.Atoi(f[2])
	if err != nil {
		return nil, fmt.Errorf("git cat-file: %q", head)
	}
	b := make([]byte, size+1)
	if _, err := io.ReadFull(c.out, b); err != nil {
		return nil, fmt.Errorf("git cat-file: %w", err)
	}
	return b[:size], nil
}

func (c *catFile) close() error {
	c.in.Close()
	return c.cmd.Wait()
}

// differ is one long-lived `git diff-tree --stdin`, started again when git ends
// over an object that it misses.
type differ struct {
	ctx context.Context
	dir string
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

// endOfPatch is a line that git does not understand and repeats as it is. No
// line of a patch begins like it.
const endOfPatch = "= end of patch =\n"

func startDiffer(ctx context.Context, dir string) (*differ, error) {
	d := &differ{ctx: ctx, dir: dir}
	return d, d.start()
}

func (d *differ) start() error {
	d.cmd = gitCommand(d.ctx, d.dir, "-c", "diff.renameLimit=200", "diff-tree", "--stdin", "-r", "-p", "-M", "-U3", "--no-commit-id",
		"--no-ext-diff", "--no-textconv", "--no-color", "--src-prefix=a/", "--dst-prefix=b/")
	var err error
	if d.in, err = d.cmd.StdinPipe(); err != nil {
		return err
	}
	out, err := d.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	d.out = bufio.NewReaderSize(out, 1<<16)
	return d.cmd.Start()
}

func (d *differ) get(hash string, limit int) ([]byte, error) {
	if _, err := io.WriteString(d.in, hash+"\n"+endOfPatch); err != nil {
		return nil, fmt.Errorf("git diff-tree: %w", err)
	}
	var patch []byte
	long := false
	for {
		line, err := d.out.ReadSlice('\n')
		switch {
		case string(line) == endOfPatch:
			if long {
				return nil, nil
			}
			return patch, nil
		case err != nil && !errors.Is(err, bufio.ErrBufferFull):
			d.in.Close()
			if werr := d.cmd.Wait(); werr != nil {
				err = werr
			}
			if serr := d.start(); serr != nil {
				err = serr
			}
			return nil, fmt.Errorf("git diff-tree %s: %w", hash, err)
		case len(patch)+len(line) > limit:
			long = true
		case !long:
			patch = append(patch, line...)
		}
	}
}

func (d *differ) close() error {
	d.in.Close()
	return d.cmd.Wait()
}

package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// size is how large the synthetic repository is.
type size struct {
	files   int // in the tree
	commits int // in the history
	behind  int // commits that the index has not seen when the hook runs
}

// repository is the synthetic repository on disk.
type repository struct {
	size
	dir     string
	message string // path of the file with the message of the commit being made
	index   []byte // the index before the branch moves to its tip
}

// The tree has areas of packages of files; each file is one Go source file.
const (
	areas           = 20
	filesPerPackage = 20
)

// plant makes the repository with one fast-import stream and leaves its work tree at
// the commit that the index is to be built on.
func plant(ctx context.Context, dir string, s size) (*repository, error) {
	r := &repository{size: s, dir: dir}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	if _, err := r.git(ctx, nil, "init", "-q", "--initial-branch=main", "."); err != nil {
		return nil, err
	}
	in, out := io.Pipe()
	go func() { out.CloseWithError(history(out, s)) }()
	if _, err := r.git(ctx, in, "fast-import", "--quiet", "--done"); err != nil {
		in.CloseWithError(err)
		return nil, err
	}
	for _, args := range [][]string{
		{"config", "user.name", "Example"},
		{"config", "user.email", "example@example.invalid"},
		{"repack", "-a", "-d", "-q"},
		{"reset", "-q", "--hard", fmt.Sprintf("main~%d", s.behind)},
		{"update-ref", "refs/tip", "ORIG_HEAD"},
	} {
		if _, err := r.git(ctx, nil, args...); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// forward moves the branch to its tip, so that an index built before is behind.
func (r *repository) forward(ctx context.Context) error {
	_, err := r.git(ctx, nil, "reset", "-q", "--hard", "refs/tip")
	return err
}

// cache is a file of the caches that the program under test keeps.
func (r *repository) cache(name string) string { return filepath.Join(r.dir, ".git", "sayso", name) }

// keepIndex sets the index aside as it is before the branch moves on.
func (r *repository) keepIndex() error {
	data, err := os.ReadFile(r.cache("index"))
	if err != nil {
		return err
	}
	r.index = data
	return nil
}

// oldIndex puts back what keepIndex set aside, as if no hook had run since.
func (r *repository) oldIndex() error {
	if err := r.forgetNewer(); err != nil {
		return err
	}
	return os.WriteFile(r.cache("index"), r.index, 0o600)
}

// forgetNewer takes away what a hook kept of the commits after the index.
func (r *repository) forgetNewer() error {
	if err := os.Remove(r.cache("newer")); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// stage stages a change and writes the message that speaks about it.
func (r *repository) stage(ctx context.Context) error {
	f := file{index: r.files / 2}
	source := f.source(raised)
	if err := os.WriteFile(filepath.Join(r.dir, filepath.FromSlash(f.path())), []byte(source), 0o644); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(r.dir, "go.mod"), []byte(manifest("v1.5.0")), 0o644); err != nil {
		return err
	}
	// git commit writes the trees of its index before it runs the hook.
	for _, args := range [][]string{{"add", "-A"}, {"write-tree"}} {
		if _, err := r.git(ctx, nil, args...); err != nil {
			return err
		}
	}
	r.message = filepath.Join(r.dir, ".git", "COMMIT_EDITMSG")
	message := fmt.Sprintf(`fix(%s): raise %s

Change %s only in %s.
Bump example.invalid/clock from v1.4.0 to v1.5.0.

Only touches %s and go.mod.
`, f.area(), f.limit(), f.limit(), f.path(), f.area())
	return os.WriteFile(r.message, []byte(message), 0o644)
}

// raised is a revision in which a limit is as high as it gets: whatever stood
// there before, the message that says it was raised does not lie.
const raised = 96

// git runs git in the repository without the user's settings.
func (r *repository) git(ctx context.Context, stdin io.Reader, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir, cmd.Stdin, cmd.Env = r.dir, stdin, environment()
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("git %s: %w: %s", args[0], err, strings.TrimSpace(string(out)))
	}
	return string(out), nil
}

// file is one source file of the tree.
type file struct{ index int }

func (f file) pack() int    { return f.index / filesPerPackage }
func (f file) area() string { return fmt.Sprintf("area%02d", f.pack()%areas) }
func (f file) path() string {
	return fmt.Sprintf("%s/part%03d/file%05d.go", f.area(), f.pack(), f.index)
}
func (f file) limit() string { return fmt.Sprintf("RetryLimit%05d", f.index) }

// source is the text of the file at one revision of it.
func (f file) source(revision int) string {
	other := file{index: (f.index * 7) / 11}
	var b strings.Builder
	fmt.Fprintf(&b, "// Package part%03d is part of a synthetic tree.\npackage part%03d\n\n", f.pack(), f.pack())
	if other.pack() != f.pack() {
		fmt.Fprintf(&b, "import \"example.invalid/plant/%s/part%03d\"\n\n", other.area(), other.pack())
		fmt.Fprintf(&b, "var upstream%05d = part%03d.%s\n\n", f.index, other.pack(), other.limit())
	}
	fmt.Fprintf(&b, "// %s is how often a call is tried again.\nconst %s = %d\n", f.limit(), f.limit(), revision%97+1)
	for i := range 4 {
		fmt.Fprintf(&b, "\n// Call%05dStep%d does step %d and says how it went.\nfunc Call%05dStep%d(input int) (int, bool) {\n", f.index, i, i, f.index, i)
		fmt.Fprintf(&b, "\tif input > %s {\n\t\treturn %d, false\n\t}\n\treturn input + %d, true\n}\n", f.limit(), i, (revision*(i+3))%13)
	}
	return b.String()
}

func manifest(clock string) string {
	return "module example.invalid/plant\n\ngo 1.26\n\nrequire example.invalid/clock " + clock + "\n"
}

// subjects are the forms of the messages of the history.
var subjects = []string{
	"fix(%[1]s): raise %[2]s",
	"refactor(%[1]s): simplify %[2]s in %[3]s",
	"%[1]s: change %[2]s",
	"Change %[2]s in %[3]s",
	"feat(%[1]s): let callers try again more often",
}

// history writes the stream that git fast-import reads.
func history(to io.Writer, s size) error {
	w := bufio.NewWriterSize(to, 1<<16)
	random := rand.New(rand.NewPCG(1, 2))
	start := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
	data := func(body string) { fmt.Fprintf(w, "data %d\n%s\n", len(body), body) }
	commit := func(number int, message string) {
		fmt.Fprintf(w, "commit refs/heads/main\ncommitter Example <example@example.invalid> %d +0000\n", start.Add(time.Duration(number)*time.Hour).Unix())
		data(message)
	}
	write := func(path, body string) {
		fmt.Fprintf(w, "M 100644 inline %s\n", path)
		data(body)
	}

	commit(0, "Start the plant\n")
	write("go.mod", manifest("v1.4.0"))
	for i := range s.files - 1 {
		f := file{index: i}
		write(f.path(), f.source(0))
	}
	for number := 1; number < s.commits; number++ {
		f := file{index: random.IntN(s.files - 1)}
		commit(number, fmt.Sprintf(subjects[random.IntN(len(subjects))], f.area(), f.limit(), f.path())+"\n")
		write(f.path(), f.source(number))
	}
	fmt.Fprintln(w, "done")
	return w.Flush()
}

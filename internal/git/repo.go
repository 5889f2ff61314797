package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/rs/zerolog"
)

// Options says how to run git.
type Options struct {
	GitPath string         // the executable; "" looks it up in PATH
	Env     []string       // environment of git ("K=V"); nil inherits this process's
	Log     zerolog.Logger // one debug event for each process; the zero value is silent

	// Brief says that the repository is opened for one short question, such as a
	// hook's: the configuration is read once, while the repository is being found.
	Brief bool
}

// Repo is an open repository. It is safe for concurrent use.
type Repo struct {
	opts   Options
	git    string   // path of the executable, "" in the fallback
	env    []string // complete environment of every child
	dir    string   // where git is run: relative GIT_DIR and GIT_INDEX_FILE hold from there
	root   string
	gitDir string
	common string
	bare   bool
	format string
	shFile string

	objects *store    // nil in the fallback
	asked   *settings // nil unless the repository is opened for one short question
	plain   *fallback // nil unless there is no git

	once     sync.Once
	boundary map[string]bool
	partial  bool
}

// forced is the environment that every call runs in: no network, no prompt, no
// pager, no translation, no lock taken for a mere read.
var forced = []string{
	"GIT_ALLOW_PROTOCOL=none",
	"GIT_NO_LAZY_FETCH=1",
	"GIT_OPTIONAL_LOCKS=0",
	"LC_ALL=C",
	"GIT_TERMINAL_PROMPT=0",
	"GIT_PAGER=cat",
}

// Open finds the repository that dir ("" is the current directory) lies in, or
// that GIT_DIR names. Without a git executable it opens the go-git fallback,
// or fails with ErrUnsupported naming what the fallback cannot read.
func Open(ctx context.Context, dir string, opts Options) (*Repo, error) {
	r := &Repo{opts: opts, dir: dir, git: opts.GitPath}
	base := opts.Env
	if base == nil {
		base = os.Environ()
	}
	r.env = append(append(make([]string, 0, len(base)+len(forced)), base...), forced...)
	if dir != "" {
		switch info, err := os.Stat(dir); {
		case err != nil:
			return nil, fmt.Errorf("%s: %w", dir, cause(err))
		case !info.IsDir():
			return nil, fmt.Errorf("%s: not a directory: %w", dir, ErrNotRepository)
		}
	}
	if r.git == "" {
		path, err := exec.LookPath("git")
		if err != nil && !errors.Is(err, exec.ErrDot) {
			return r.openFallback()
		}
		r.git = path
	}
	if opts.Brief {
		r.asked = r.startSettings()
		if r.asked.err == nil && r.locatePlainly() {
			r.objects = newStore(r)
			return r, nil
		}
	}
	if err := r.locate(ctx); err != nil {
		_ = r.Close()
		return r, err
	}
	return r, nil
}

// cause drops the path that os errors carry, for texts that name it already.
func cause(err error) error {
	var pe *os.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}

// locate asks where the repository is. The work tree comes last: a bare
// repository answers everything else and then fails on it.
func (r *Repo) locate(ctx context.Context) error {
	out, err := r.Run(ctx, nil, "rev-parse", "--path-format=absolute", "--is-bare-repository",
		"--show-object-format", "--git-dir", "--git-common-dir", "--git-path", "shallow", "--show-toplevel")
	if errors.Is(err, exec.ErrNotFound) || errors.Is(err, os.ErrNotExist) && len(out) == 0 {
		return fmt.Errorf("%s: %w: give the path of a git program, or install git", r.git, ErrNoGit)
	}
	lines := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	if len(lines) < 5 {
		if err == nil {
			err = errors.New("git rev-parse gave no answer; git 2.31 or newer is needed")
		}
		return fmt.Errorf("%s: %w", orDot(r.dir), err)
	}
	r.bare, r.format = lines[0] == "true", lines[1]
	r.gitDir, r.common, r.shFile = lines[2], lines[3], lines[4]
	if len(lines) > 5 && err == nil {
		r.root = strings.Join(lines[5:], "\n")
	}
	r.objects = newStore(r)
	return nil
}

func orDot(dir string) string {
	if dir == "" {
		return "."
	}
	return dir
}

// Root is the absolute path of the work tree, "" in a bare repository.
func (r *Repo) Root() string { return r.root }

// GitDir is the absolute path of this work tree's own git directory.
func (r *Repo) GitDir() string { return r.gitDir }

// CommonDir is the absolute path of the git directory that linked work trees share.
func (r *Repo) CommonDir() string { return r.common }

// Bare says that the repository has no work tree.
func (r *Repo) Bare() bool { return r.bare }

// ObjectFormat is "sha1" or "sha256".
func (r *Repo) ObjectFormat() string { return r.format }

// Fallback says that go-git answers, because there is no git executable.
func (r *Repo) Fallback() bool { return r.plain != nil }

// Shallow says that history ends at a boundary below which commits are missing.
func (r *Repo) Shallow() bool { r.once.Do(r.inspect); return len(r.boundary) > 0 }

// Boundary says that the parents of this commit were cut off by a shallow clone.
func (r *Repo) Boundary(hash string) bool { r.once.Do(r.inspect); return r.boundary[hash] }

// Partial says that objects may be missing because a remote promised them.
func (r *Repo) Partial() bool { r.once.Do(r.inspect); return r.partial }

// inspect reads the two marks that files show, so that no process is needed.
func (r *Repo) inspect() {
	if data, err := os.ReadFile(r.shFile); err == nil {
		r.boundary = map[string]bool{}
		for _, line := range strings.Fields(string(data)) {
			r.boundary[line] = true
		}
	}
	packs, _ := filepath.Glob(filepath.Join(globEscape(r.common), "objects", "pack", "*.promisor"))
	r.partial = len(packs) > 0
	if data, err := os.ReadFile(filepath.Join(r.common, "config")); err == nil && !r.partial {
		text := strings.ToLower(string(data))
		r.partial = strings.Contains(text, "promisor = true") || strings.Contains(text, "partialclone")
	}
}

func globEscape(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}

// EmptyTree is the name of the tree without entries.
func (r *Repo) EmptyTree() string {
	if r.format == "sha256" {
		return "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321"
	}
	return "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
}

// Run runs one git command and returns its standard output. A failure is an
// *ExitError that wraps one of the package's causes where it has one; what was
// printed before it is returned with it.
func (r *Repo) Run(ctx context.Context, stdin io.Reader, args ...string) ([]byte, error) {
	if r.git == "" {
		return nil, fmt.Errorf("git %s: %w", first(args), ErrNoGit)
	}
	began := time.Now()
	cmd := r.command(ctx, args)
	var out bytes.Buffer
	errs := &tail{}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, &out, errs
	err := cmd.Run()
	r.opts.Log.Debug().Strs("git", args).Dur("took", time.Since(began)).Err(err).Msg("run")
	if ctx.Err() != nil {
		return out.Bytes(), fmt.Errorf("git %s: %w", first(args), context.Cause(ctx))
	}
	if err != nil {
		return out.Bytes(), failure(args, err, errs.String())
	}
	return out.Bytes(), nil
}

// noMonitor keeps git from running the program that core.fsmonitor names. The
// empty value means the same to every version; older ones take "false" for a program.
var noMonitor = []string{"-c", "core.fsmonitor="}

func (r *Repo) command(ctx context.Context, args []string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, r.git, append(slices.Clone(noMonitor), args...)...)
	cmd.Dir, cmd.Env = r.dir, r.env
	cmd.WaitDelay = 2 * time.Second
	return cmd
}

// Close ends the processes that the repository keeps.
func (r *Repo) Close() error {
	if r.asked != nil {
		r.asked.close()
	}
	if r.objects != nil {
		r.objects.close()
	}
	return nil
}

// ExitError is a git that failed: its command, exit code and last words.
type ExitError struct {
	Command string // the subcommand
	Code    int    // exit code, -1 when it was killed or never started
	Stderr  string // one line, control characters removed
	cause   error
}

func (e *ExitError) Error() string {
	text := e.Stderr
	if text == "" {
		text = fmt.Sprintf("exit code %d", e.Code)
	}
	if hint := wayOut(e.cause, text); hint != "" {
		text += " (" + hint + ")"
	}
	if errors.Is(e.cause, ErrNotRepository) || e.cause == nil {
		return "git " + e.Command + ": " + text
	}
	return "git " + e.Command + ": " + e.cause.Error() + ": " + text
}

func (e *ExitError) Unwrap() error { return e.cause }

// wayOut is the advice for a cause that a person can mend.
func wayOut(cause error, text string) string {
	switch {
	case strings.Contains(text, "dubious ownership"):
		return "the repository belongs to another user: run `git config --global --add safe.directory DIR`"
	case errors.Is(cause, ErrNotRepository):
		return "run inside a repository or name one with --repo"
	case errors.Is(cause, ErrIndex) && strings.Contains(text, "denied"):
		return "make the file index in the git folder readable"
	case errors.Is(cause, ErrIndex):
		return "move the file index in the git folder away and run `git reset`, which makes a new one"
	case errors.Is(cause, ErrCorrupt):
		return "run `git fsck`"
	}
	return ""
}

func failure(args []string, err error, stderr string) error {
	e := &ExitError{Command: first(args), Code: -1, Stderr: lastWords(stderr)}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		e.Code = exit.ExitCode()
		e.cause = classify(stderr)
	} else {
		e.Stderr, e.cause = err.Error(), err
	}
	return e
}

// classify turns git's words (LC_ALL=C, so English) into a cause.
func classify(stderr string) error {
	has := func(words ...string) bool {
		for _, w := range words {
			if strings.Contains(stderr, w) {
				return true
			}
		}
		return false
	}
	switch {
	case has("not a git repository", "dubious ownership"):
		return ErrNotRepository
	case has("index file smaller", "index file corrupt", "index file open failed", "unable to map index file", "bad index", "cannot stat the open index"):
		return ErrIndex
	case has("corrupt", "inflate", "unable to unpack", "hash mismatch", "invalid object", "bad tree", "packed object", "is empty", "unable to parse"):
		return ErrCorrupt
	case has("could not fetch", "promisor", "unable to read", "bad object", "missing", "Could not read", "cannot read"):
		return ErrMissing
	case has("unknown revision", "ambiguous argument", "Not a valid object", "not a valid object", "Needed a single revision"):
		return ErrUnknown
	}
	return nil
}

// lastWords is the first line that says "fatal:", else the last line, fit for
// one line of a terminal.
func lastWords(stderr string) string {
	pick := ""
	for _, line := range strings.Split(stderr, "\n") {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "fatal: ") {
			pick = strings.TrimPrefix(line, "fatal: ")
			break
		}
		if line != "" {
			pick = line
		}
	}
	return printable(strings.TrimPrefix(pick, "error: "))
}

func printable(s string) string {
	s = strings.Map(func(c rune) rune {
		if c < ' ' || c >= 0x7f && c < 0xa0 {
			return '?'
		}
		return c
	}, strings.ToValidUTF8(s, "?"))
	if len(s) > 300 {
		s = strings.ToValidUTF8(s[:300], "") + "..."
	}
	return s
}

func first(args []string) string {
	for i := 0; i < len(args); i++ {
		switch {
		case args[i] == "-c":
			i++
		case !strings.HasPrefix(args[i], "-"):
			return args[i]
		}
	}
	return "git"
}

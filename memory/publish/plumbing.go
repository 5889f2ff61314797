package publish

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/saysolint/sayso/memory"
)

// plumbing runs git in one repository, which it may write to.
type plumbing struct {
	git string   // path of the executable
	env []string // complete environment
	dir string   // the git folder

	settings []string // go with every command
}

var (
	// durable: objects and references are on the disk before a command says that it
	// is done, and nothing else runs beside it.
	durable = []string{"-c", "core.fsync=all", "-c", "core.fsmonitor=", "-c", "gc.auto=0", "-c", "maintenance.auto=false"}
	// derived is for what can be fetched again.
	derived = []string{"-c", "core.fsync=none", "-c", "fastimport.unpackLimit=0", "-c", "core.logAllRefUpdates=false", "-c", "core.fsmonitor=", "-c", "gc.auto=0", "-c", "maintenance.auto=false"}
)

// newPlumbing uses the environment of the caller without what would lead git to
// another repository. Where network is false, git cannot reach any.
func newPlumbing(git, dir string, env []string, network bool) *plumbing {
	p := &plumbing{git: git, dir: dir, settings: durable}
	for _, kv := range env {
		name, _, _ := strings.Cut(kv, "=")
		switch name {
		case "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY",
			"GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_NAMESPACE", "GIT_PREFIX", "GIT_QUARANTINE_PATH", "GIT_SHALLOW_FILE", "GIT_ALLOW_PROTOCOL":
			continue
		}
		p.env = append(p.env, kv)
	}
	p.env = append(p.env, "LC_ALL=C", "GIT_TERMINAL_PROMPT=0", "GIT_PAGER=cat")
	if network {
		// No "ext": such an address is a command.
		p.env = append(p.env, "GIT_ALLOW_PROTOCOL=file:git:http:https:ssh")
	} else {
		p.env = append(p.env, "GIT_ALLOW_PROTOCOL=none", "GIT_NO_LAZY_FETCH=1")
	}
	return p
}

// gitError is a git that failed.
type gitError struct {
	command string
	code    int // -1 where it did not end by itself
	words   string
}

func (e *gitError) Error() string {
	if e.words == "" {
		return fmt.Sprintf("git %s: exit code %d", e.command, e.code)
	}
	return "git " + e.command + ": " + e.words
}

// run runs one command and gives its standard output; the error has the last
// words of its standard error.
func (p *plumbing) run(ctx context.Context, stdin io.Reader, args ...string) ([]byte, error) {
	full := append(append(slices.Clone(p.settings), "--git-dir="+p.dir), args...)
	cmd := exec.CommandContext(ctx, p.git, full...)
	cmd.Env, cmd.Dir, cmd.Stdin, cmd.WaitDelay = p.env, p.dir, stdin, 2*time.Second
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	if ctx.Err() != nil {
		return nil, fmt.Errorf("git %s: %w", args[0], context.Cause(ctx))
	}
	if err == nil {
		return out.Bytes(), nil
	}
	e := &gitError{command: args[0], code: -1, words: p.words(errs.String())}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		e.code = exit.ExitCode()
	} else if e.words == "" {
		e.words = err.Error()
	}
	return out.Bytes(), e
}

// words is what git said, as one line without the places of this machine.
func (p *plumbing) words(stderr string) string {
	var keep []string
	for line := range strings.Lines(strings.ReplaceAll(stderr, p.dir, "(git folder)")) {
		line = memory.Line(line)
		if line == "" || strings.HasPrefix(line, "hint:") || strings.HasPrefix(line, "To ") || strings.HasPrefix(line, "remote: ") && line == "remote:" {
			continue
		}
		keep = append(keep, line)
	}
	if len(keep) > 6 {
		keep = keep[len(keep)-6:]
	}
	text := strings.Join(keep, "; ")
	if len(text) > 600 {
		text = strings.ToValidUTF8(text[:600], "") + "..."
	}
	return text
}

// tip is the commit of a reference, "" where there is none.
func (p *plumbing) tip(ctx context.Context, ref string) (string, error) {
	out, err := p.run(ctx, nil, "rev-parse", "--verify", "--quiet", "--end-of-options", ref+"^{commit}")
	var e *gitError
	if errors.As(err, &e) && e.code == 1 && e.words == "" {
		return "", nil
	}
	return strings.TrimSpace(string(out)), err
}

// row is one file of the folder in a tree.
type row struct{ mode, object string }

// folder lists the files directly in the folder of a commit, by name.
func (p *plumbing) folder(ctx context.Context, commit, folder string) (map[string]row, error) {
	rows := map[string]row{}
	if commit == "" {
		return rows, nil
	}
	out, err := p.run(ctx, nil, "ls-tree", "-z", "--full-tree", commit, "--", folder+"/")
	if err != nil {
		return nil, err
	}
	for line := range strings.SplitSeq(string(out), "\x00") {
		head, path, ok := strings.Cut(line, "\t")
		fields := strings.Fields(head)
		if ok && len(fields) == 3 && fields[1] == "blob" && strings.HasPrefix(path, folder+"/") {
			rows[path[len(folder)+1:]] = row{fields[0], fields[2]}
		}
	}
	return rows, nil
}

// blobs reads objects, at most max bytes of each; larger ones come with one byte more.
func (p *plumbing) blobs(ctx context.Context, objects []string, max int) (map[string][]byte, error) {
	out := map[string][]byte{}
	if len(objects) == 0 {
		return out, nil
	}
	raw, err := p.run(ctx, strings.NewReader(strings.Join(objects, "\n")+"\n"), "cat-file", "--batch")
	if err != nil {
		return nil, err
	}
	in := bufio.NewReader(bytes.NewReader(raw))
	for range objects {
		head, err := in.ReadString('\n')
		fields := strings.Fields(head)
		if err != nil || len(fields) != 3 {
			return nil, fmt.Errorf("git cat-file: %s", memory.Line(head))
		}
		size, err := strconv.Atoi(fields[2])
		if err != nil {
			return nil, fmt.Errorf("git cat-file: %s", memory.Line(head))
		}
		content := make([]byte, size+1)
		if _, err := io.ReadFull(in, content); err != nil {
			return nil, fmt.Errorf("git cat-file: %w", err)
		}
		out[fields[0]] = content[:min(size, max+1)]
	}
	return out, nil
}

// person is a name and address as git writes them into a commit.
type person struct{ ident string }

// commit makes a commit on top of another with some files of the folder replaced,
// and moves ref to it, if ref is still at parent. moved says why not.
func (p *plumbing) commit(ctx context.Context, ref, parent, folder, message string, who person, at time.Time, writes []memory.Write, flags ...string) (hash, moved string, err error) {
	var b bytes.Buffer
	b.WriteString("feature done\n")
	fmt.Fprintf(&b, "commit %s\nmark :1\ncommitter %s %d +0000\ndata %d\n%s\n", ref, who.ident, at.Unix(), len(message), message)
	if parent != "" {
		fmt.Fprintf(&b, "from %s\n", parent)
	}
	for _, w := range writes {
		fmt.Fprintf(&b, "M 100644 inline %s/%s.md\ndata %d\n", folder, w.ID, len(w.New))
		b.Write(w.New)
		b.WriteString("\n")
	}
	b.WriteString("\nget-mark :1\ndone\n")
	out, err := p.run(ctx, &b, append([]string{"fast-import", "--quiet", "--done", "--date-format=raw"}, flags...)...)
	hash = strings.TrimSpace(string(out))
	var e *gitError
	if errors.As(err, &e) && (strings.Contains(e.words, "Not updating") || strings.Contains(e.words, "cannot lock ref") || strings.Contains(e.words, "reference already exists")) {
		return "", e.words, nil
	}
	if err != nil {
		return "", "", err
	}
	if len(hash) < 40 {
		return "", "", fmt.Errorf("git fast-import: no commit was named")
	}
	return hash, "", nil
}

package publish

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/saysolint/sayso/memory"
)

// tree is what the two grounds share: a folder in the trees of one repository.
type tree struct {
	*plumbing
	folder string
	rows   map[string]row // of the tip that was looked at last
	at     string
}

// read gives files of the folder at a tip.
func (t *tree) read(ctx context.Context, tip string, ids []string) (map[string][]byte, error) {
	if t.rows == nil || t.at != tip {
		rows, err := t.plumbing.folder(ctx, tip, t.folder)
		if err != nil {
			return nil, err
		}
		t.rows, t.at = rows, tip
	}
	return t.files(ctx, t.rows, ids, "")
}

// files reads some files of a listed folder.
func (t *tree) files(ctx context.Context, rows map[string]row, ids []string, suffix string) (map[string][]byte, error) {
	objects := []string{}
	for _, id := range ids {
		r, ok := rows[id+".md"+suffix]
		if !ok {
			continue
		}
		if !strings.HasPrefix(r.mode, "100") {
			return nil, fmt.Errorf("%s/%s.md is no plain file: %w", t.folder, id, ErrTarget)
		}
		objects = append(objects, r.object)
	}
	blobs, err := t.blobs(ctx, objects, memory.MaxFileBytes)
	if err != nil {
		return nil, err
	}
	out := map[string][]byte{}
	for _, id := range ids {
		if r, ok := rows[id+".md"+suffix]; ok {
			out[id] = blobs[r.object]
		}
	}
	return out, nil
}

// local is a branch of the repository that the call comes from.
type local struct {
	tree
	ref     string
	who     person
	now     func() time.Time
	release func()
}

func openLocal(ctx context.Context, t Target, o Options) (ground, error) {
	if o.Repo == nil {
		return nil, fmt.Errorf("there is no repository: %w", ErrTarget)
	}
	l := &local{
		tree:    tree{plumbing: newPlumbing(o.Git, o.Repo.GitDir(), o.Env, false), folder: t.Folder},
		ref:     "refs/heads/" + t.Branch,
		now:     o.Now,
		release: func() {},
	}
	if err := checkBranch(t.Branch); err != nil {
		return nil, err
	}
	out, err := l.run(ctx, nil, "worktree", "list", "--porcelain", "-z")
	if err != nil {
		return nil, err
	}
	for line := range strings.SplitSeq(string(out), "\x00") {
		if line == "branch "+l.ref && !o.Repo.Bare() {
			return nil, fmt.Errorf("a work tree has this branch checked out and would not see the change: publish to the work tree there, or to another branch: %w", ErrTarget)
		}
	}
	if l.who, err = l.identity(ctx); err != nil {
		return nil, err
	}
	// A queue for the publishers of this machine. Git alone makes it safe.
	if release, err := queue(ctx, filepath.Join(o.Repo.CommonDir(), "sayso", "publish", "branches"), o.Patience); err == nil && !o.DryRun {
		l.release = release
	} else if err == nil {
		release()
	}
	return l, nil
}

// checkBranch refuses what is no name of a branch, by the rules of
// git-check-ref-format(1).
func checkBranch(name string) error {
	bad := name == "" || name == "HEAD" || len(name) > 200 || strings.HasPrefix(name, "-") || strings.HasSuffix(name, ".") ||
		strings.Contains(name, "..") || strings.Contains(name, "@{") || strings.ContainsAny(name, " ~^:?*[\\\x7f")
	for part := range strings.SplitSeq(name, "/") {
		bad = bad || part == "" || strings.HasPrefix(part, ".") || strings.HasSuffix(part, ".lock")
	}
	for _, r := range name {
		bad = bad || r < ' '
	}
	if bad || !utf8.ValidString(name) {
		return fmt.Errorf("%.60q is no name of a branch: %w", name, ErrTarget)
	}
	return nil
}

// identity is who commits, by git's own rules.
func (p *plumbing) identity(ctx context.Context) (person, error) {
	out, err := p.run(ctx, nil, "var", "GIT_COMMITTER_IDENT")
	var e *gitError
	if errors.As(err, &e) && e.code > 0 {
		return person{}, ErrIdentity
	}
	if err != nil {
		return person{}, err
	}
	ident := strings.TrimSpace(string(out))
	end := strings.LastIndexByte(ident, '>')
	if end < 0 {
		return person{}, ErrIdentity
	}
	return person{ident[:end+1]}, nil
}

// queue waits for its turn among the processes that use a folder.
func queue(ctx context.Context, dir string, patience time.Duration) (release func(), err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	free, err := memory.Lock(ctx, root, patience)
	if err != nil {
		_ = root.Close()
		return nil, err
	}
	return func() { free(); _ = root.Close() }, nil
}

func (l *local) look(ctx context.Context) (string, error) { return l.tip(ctx, l.ref) }

// base is the file at the fork point of the checked-out branch and this one.
func (l *local) base(ctx context.Context, tip string, ids []string) (map[string][]byte, error) {
	out, err := l.run(ctx, nil, "merge-base", "HEAD", tip)
	var e *gitError
	if errors.As(err, &e) && e.code > 0 {
		return nil, nil // no HEAD, or no common history
	}
	if err != nil {
		return nil, err
	}
	rows, err := l.plumbing.folder(ctx, strings.TrimSpace(string(out)), l.folder)
	if err != nil {
		return nil, err
	}
	return l.files(ctx, rows, ids, "")
}

func (l *local) advance(ctx context.Context, tip, message string, writes []memory.Write) (commit, moved string, err error) {
	return l.commit(ctx, l.ref, tip, l.folder, message, l.who, l.now(), writes)
}

func (l *local) done(context.Context, []memory.Arrival) error { return nil }

func (l *local) close() { l.release() }

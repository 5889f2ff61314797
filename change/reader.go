package change

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/saysolint/sayso/internal/git"
)

// Limits bound what a Reader keeps. A zero field takes its default.
type Limits struct {
	FileBytes   int64 // an image larger than this is not kept, nor its definitions; default 1 MiB
	FileLines   int   // a file whose patch, with whole context, has more lines is oversized; default 200,000
	ChangeBytes int64 // patch text of one change, whole context included; default 64 MiB
	ChangeLines int   // added and removed lines of one change; default 60,000
}

func (l Limits) withDefaults() Limits {
	if l.FileBytes <= 0 {
		l.FileBytes = 1 << 20
	}
	if l.FileLines <= 0 {
		l.FileLines = 200_000
	}
	if l.ChangeBytes <= 0 {
		l.ChangeBytes = 64 << 20
	}
	if l.ChangeLines <= 0 {
		l.ChangeLines = 60_000
	}
	return l
}

// bigFile is the size, in git's notation and in bytes, above which git is told
// to treat a file as binary: it then neither loads nor prints it.
const (
	bigFile      = "4m"
	bigFileBytes = 4 << 20
)

// Reader reads changes out of one repository. It is not concurrent: each worker
// owns one. Close it.
type Reader struct {
	// Attributes, where set, says what the repository itself calls generated
	// or vendored (.gitattributes, configuration). Where it says nothing the
	// conventions of names and first lines hold.
	Attributes func(path string) (generated, vendored Said)

	repo   *git.Repo
	limits Limits
	stream *git.Process // `diff-tree --stdin`, nil until the first question
	asked  int
	nonce  string

	studies studies
}

// Said is an answer to yes or no, or none.
type Said uint8

// Answers.
const (
	Unsaid Said = iota
	Yes
	No
)

func (s Said) or(convention bool) bool { return s == Yes || s == Unsaid && convention }

// NewReader makes a Reader; it starts no process yet.
func NewReader(repo *git.Repo, limits Limits) *Reader {
	var b [12]byte
	_, _ = rand.Read(b[:]) // never fails; it marks the end of an answer and reaches no output
	return &Reader{repo: repo, limits: limits.withDefaults(), nonce: "#" + hex.EncodeToString(b[:])}
}

// Close ends the Reader's process.
func (r *Reader) Close() error {
	if r.stream != nil {
		_ = r.stream.Close()
		r.stream = nil
	}
	return nil
}

// settings pin everything that configuration could change in a patch.
var settings = []string{
	"-c", "core.quotePath=true",
	"-c", "core.bigFileThreshold=" + bigFile,
	"-c", "diff.suppressBlankEmpty=false",
	"-c", "diff.renameLimit=1000",
}

// rawOptions ask for names only, and patchOptions for names and then patches.
var (
	rawOptions   = []string{"-r", "--raw", "-z", "--no-abbrev", "--no-commit-id"}
	patchOptions = append(slices.Clone(rawOptions), "-p", "--full-index", "-U1000000", "--no-ext-diff", "--no-textconv",
		"--no-color", "--indent-heuristic", "--diff-algorithm=myers", "--src-prefix=a/", "--dst-prefix=b/", "--submodule=short")
)

func command(name string, options []string, more ...string) []string {
	args := append(slices.Clone(settings), name)
	return append(append(args, options...), more...)
}

// Commit reads what one commit did to its first parent. The change of a merge,
// and of a commit whose parent is missing, has no files and one gap that says so.
// The error is about the commit object itself; everything else is a gap.
func (r *Reader) Commit(ctx context.Context, hash string) (*Change, error) {
	c, err := r.repo.Commit(ctx, hash)
	if err != nil {
		return nil, err
	}
	ch := &Change{ID: c.Hash, Commit: c.Hash, Parents: c.Parents}
	if len(c.Parents) > 0 {
		ch.Base = c.Parents[0]
	}
	switch {
	case len(c.Parents) > 1:
		ch.Gaps = append(ch.Gaps, Gap{Reason: ReasonMerge, Detail: "a merge commit is not judged"})
		return ch, nil
	case len(c.Parents) == 1 && r.repo.Boundary(c.Hash):
		ch.Gaps = append(ch.Gaps, parentGap())
		return ch, nil
	}
	from := r.repo.EmptyTree()
	if ch.Base != "" {
		parent, err := r.repo.Commit(ctx, ch.Base)
		switch {
		case ctx.Err() != nil:
			return nil, err
		case errors.Is(err, git.ErrMissing), errors.Is(err, git.ErrUnknown):
			ch.Gaps = append(ch.Gaps, parentGap())
			return ch, nil
		case err != nil:
			ch.Gaps = append(ch.Gaps, Gap{Reason: ReasonCorrupt, Detail: "the parent commit " + ch.Base + " cannot be read"})
			return ch, nil
		}
		from = parent.Tree
	}
	return ch, r.trees(ctx, ch, from, c.Tree)
}

func parentGap() Gap {
	return Gap{Reason: ReasonParent, Detail: "the parent commit is not in this clone: run `git fetch --unshallow` (with actions/checkout: `fetch-depth: 0`)"}
}

// Range reads what lies between two commits, tree against tree; base "" is the
// empty tree. A caller that means a pull request passes the merge base.
func (r *Reader) Range(ctx context.Context, base, head string) (*Change, error) {
	h, err := r.repo.Commit(ctx, head)
	if err != nil {
		return nil, err
	}
	ch := &Change{ID: ".." + h.Hash}
	from := r.repo.EmptyTree()
	if base != "" {
		b, err := r.repo.Commit(ctx, base)
		if err != nil {
			return nil, err
		}
		from, ch.Base, ch.ID = b.Tree, b.Hash, b.Hash+".."+h.Hash
	}
	return ch, r.trees(ctx, ch, from, h.Tree)
}

// Staged reads what the index (GIT_INDEX_FILE where it is set) adds to base; ""
// is the empty tree, for the first commit.
func (r *Reader) Staged(ctx context.Context, base string) (*Change, error) {
	ch := &Change{ID: "staged", Base: base}
	if r.repo.Root() == "" {
		return nil, noWorkTree()
	}
	return ch, r.index(ctx, ch, "--cached")
}

// Worktree reads what the files of the work tree, untracked ones that are not
// ignored included, add to base.
func (r *Reader) Worktree(ctx context.Context, base string) (*Change, error) {
	ch := &Change{ID: "worktree", Base: base}
	if r.repo.Root() == "" {
		return nil, noWorkTree()
	}
	if err := r.index(ctx, ch, "--ignore-submodules=dirty"); err != nil {
		return nil, err
	}
	if err := r.untracked(ctx, ch); err != nil {
		return nil, err
	}
	if err := r.submodules(ctx, ch); err != nil {
		return nil, err
	}
	finish(ch)
	return ch, nil
}

func noWorkTree() error {
	return fmt.Errorf("%w: judge a commit or a range, or run it in a work tree", git.ErrNoWorkTree)
}

// restartAfter keeps git's own cache of parsed objects, which only grows, small.
const restartAfter = 1000

// trees reads the difference of two trees into ch.
func (r *Reader) trees(ctx context.Context, ch *Change, from, to string) error {
	if r.repo.Fallback() {
		return r.plainTrees(ctx, ch, from, to)
	}
	if r.stream != nil && r.asked >= restartAfter {
		_ = r.Close()
	}
	if r.stream == nil {
		var err error
		if r.stream, err = r.repo.Start(command("diff-tree", patchOptions, "--stdin", "-M")...); err != nil {
			return err
		}
		r.asked = 0
	}
	r.asked++
	p := r.stream
	release := p.Guard(ctx)
	defer release()
	d := r.newDecoder(ch, p.Out, r.nonce)
	err := p.Ask(from + " " + to + "\n" + r.nonce + "\n")
	if err == nil {
		err = d.run()
	}
	switch {
	case err == nil && d.capped:
		p.Kill()
		r.stream = nil
	case err != nil:
		err = p.Fail(ctx, err)
		r.stream = nil
		if ctx.Err() != nil {
			return err
		}
		if err := r.rescueTrees(ctx, ch, from, to); err != nil {
			return err
		}
	}
	return r.settle(ctx, ch, from, to)
}

// index reads the difference of base and the index or work tree into ch.
func (r *Reader) index(ctx context.Context, ch *Change, option string) error {
	if r.repo.Fallback() {
		return fmt.Errorf("the staged set: %w", git.ErrUnsupported)
	}
	base := ch.Base
	if base == "" {
		base = r.repo.EmptyTree()
	}
	p, err := r.repo.Start(command("diff-index", patchOptions, "-M", option, base, "--")...)
	if err != nil {
		return err
	}
	release := p.Guard(ctx)
	defer release()
	d := r.newDecoder(ch, p.Out, "")
	d.stat = option != "--cached"
	err = d.run()
	if d.capped && err == nil {
		p.Kill()
	} else if failed := p.End(ctx, err); failed != nil {
		if ctx.Err() != nil {
			return failed
		}
		if err := r.rescueIndex(ctx, ch, base, option); err != nil {
			return err
		}
	}
	return r.settle(ctx, ch, base, "")
}

// finish sorts what was read, so that the same change is always the same value.
func finish(ch *Change) {
	slices.SortStableFunc(ch.Files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	slices.SortStableFunc(ch.Gaps, func(a, b Gap) int { return strings.Compare(a.Path, b.Path) })
}

// unread marks a file's content as not read, and says so in the gaps.
func (ch *Change) unread(f *File, why Reason, detail string) {
	f.Unread, f.Hunks, f.Added, f.Removed = why, nil, 0, 0
	f.Old, f.New, f.OldDefs, f.NewDefs, f.ImagesRead = nil, nil, nil, nil, false
	ch.Gaps = append(ch.Gaps, Gap{Path: f.Path, Reason: why, Detail: detail})
}

package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
)

// fallback answers from go-git where there is no git executable. It is opened
// only for repositories in whose set-up go-git's answers are right; for all
// others openFallback names the part of the set-up that is in the way.
type fallback struct {
	store *plainStore
}

// openFallback finds the repository by hand and opens it, or refuses.
func (r *Repo) openFallback() (*Repo, error) {
	for _, name := range []string{"GIT_DIR", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_NAMESPACE"} {
		if lookup(r.env, name) != "" {
			return nil, refuse(name + " in the environment")
		}
	}
	dir, err := filepath.Abs(orDot(r.dir))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", r.dir, err)
	}
	if err := r.discover(dir); err != nil {
		return nil, err
	}
	if err := r.refusals(); err != nil {
		return nil, err
	}
	r.format, r.shFile = "sha1", filepath.Join(r.common, "shallow")
	r.plain = &fallback{store: newPlainStore(r.gitDir, r.common)}
	return r, nil
}

func refuse(what string) error {
	return fmt.Errorf("%w: %s %w: install git", ErrNoGit, what, ErrUnsupported)
}

func lookup(env []string, name string) string {
	value := ""
	for _, kv := range env {
		if v, ok := strings.CutPrefix(kv, name+"="); ok {
			value = v // the last one counts
		}
	}
	return value
}

// discover walks up from dir to the repository.
func (r *Repo) discover(dir string) error {
	for at := dir; ; at = filepath.Dir(at) {
		dot := filepath.Join(at, ".git")
		info, err := os.Stat(dot)
		switch {
		case err == nil && info.IsDir() && isGitDir(dot):
			r.root, r.gitDir, r.common = at, dot, dot
			return nil
		case err == nil && info.Mode().IsRegular():
			data, err := os.ReadFile(dot)
			target, ok := strings.CutPrefix(strings.TrimSpace(string(data)), "gitdir: ")
			if err != nil || !ok {
				return fmt.Errorf("%s: %w: the file names no git directory", dot, ErrNotRepository)
			}
			r.root, r.gitDir = at, absolute(at, target)
			r.common = r.gitDir
			if data, err := os.ReadFile(filepath.Join(r.gitDir, "commondir")); err == nil {
				r.common = absolute(r.gitDir, strings.TrimSpace(string(data)))
			}
			return nil
		case isGitDir(at):
			r.gitDir, r.common, r.bare = at, at, true
			return nil
		}
		if filepath.Dir(at) == at {
			return fmt.Errorf("%s: %w (run inside a repository or name one with --repo)", dir, ErrNotRepository)
		}
	}
}

func absolute(base, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(base, path)
}

func isGitDir(dir string) bool {
	for _, name := range []string{"HEAD", "objects", "refs"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			return false
		}
	}
	return true
}

// refusals names the first part of the set-up that go-git answers wrongly on.
func (r *Repo) refusals() error {
	config, err := os.ReadFile(filepath.Join(r.common, "config"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return refuse("a configuration that cannot be read")
	}
	if what := unanswerable(config); what != "" {
		return refuse(what)
	}
	marks := map[string]string{
		filepath.Join(r.common, "objects", "info", "alternates"): "objects/info/alternates",
		filepath.Join(r.common, "shallow"):                       "a shallow clone",
		filepath.Join(r.common, "refs", "replace"):               "refs/replace",
		filepath.Join(r.common, "info", "grafts"):                "info/grafts",
		filepath.Join(r.common, "reftable"):                      "reftable",
	}
	for _, path := range slices.Sorted(maps.Keys(marks)) {
		if info, err := os.Stat(path); err == nil && (!info.IsDir() || !emptyDir(path)) {
			return refuse(marks[path])
		}
	}
	for pattern, what := range map[string]string{
		filepath.Join(globEscape(r.gitDir), "sharedindex.*"):                 "a split index",
		filepath.Join(globEscape(r.common), "objects", "pack", "*.promisor"): "a partial clone",
	} {
		if found, _ := filepath.Glob(pattern); len(found) > 0 {
			return refuse(what)
		}
	}
	return nil
}

func emptyDir(path string) bool {
	list, err := os.ReadDir(path)
	return err == nil && len(list) == 0
}

// name turns a revision, or "REV:path", into an object's hash.
func (f *fallback) name(name string) (plumbing.Hash, error) {
	rev, path, inTree := strings.Cut(name, ":")
	if rev == "" || strings.HasPrefix(rev, "-") || strings.Contains(rev, "@{") {
		return plumbing.ZeroHash, fmt.Errorf("%w: the revision %q %w: install git", ErrNoGit, printable(name), ErrUnsupported)
	}
	end := strings.IndexAny(rev, "^~")
	suffix := ""
	if end >= 0 {
		rev, suffix = rev[:end], rev[end:]
	}
	hash, err := f.ref(rev)
	if err != nil {
		return hash, err
	}
	for suffix != "" {
		if rest, ok := strings.CutPrefix(suffix, "^{commit}"); ok {
			if hash, err = f.peel(hash); err != nil {
				return hash, fmt.Errorf("%s: %w", printable(name), err)
			}
			suffix = rest
			continue
		}
		op, digits := suffix[0], 1
		for digits < len(suffix) && suffix[digits] >= '0' && suffix[digits] <= '9' {
			digits++
		}
		n := 1
		if digits > 1 {
			if n, err = strconv.Atoi(suffix[1:digits]); err != nil {
				return hash, fmt.Errorf("%s: %w", printable(name), ErrUnknown)
			}
		}
		if suffix = suffix[digits:]; op != '^' && op != '~' {
			return hash, fmt.Errorf("%w: the revision %q %w: install git", ErrNoGit, printable(name), ErrUnsupported)
		}
		if hash, err = f.up(hash, op, n); err != nil {
			return hash, fmt.Errorf("%s: %w", printable(name), err)
		}
	}
	if !inTree {
		return hash, nil
	}
	c, err := f.commitAt(hash)
	if err != nil {
		return hash, err
	}
	hash = plumbing.NewHash(c.Tree)
	for part := range strings.SplitSeq(path, "/") {
		tree, err := f.treeAt(hash)
		if err != nil {
			return hash, fmt.Errorf("%s: %w", printable(name), err)
		}
		i := slices.IndexFunc(tree, func(e treeRow) bool { return e.name == part })
		if i < 0 {
			return hash, fmt.Errorf("%s: %w", printable(name), ErrUnknown)
		}
		hash = tree[i].hash
	}
	return hash, nil
}

// up goes to the nth parent ("^") or n times to the first one ("~").
func (f *fallback) up(hash plumbing.Hash, op byte, n int) (plumbing.Hash, error) {
	hash, err := f.peel(hash)
	if err != nil || n == 0 {
		return hash, err
	}
	steps, parent := 1, n
	if op == '~' {
		steps, parent = n, 1
	}
	for ; steps > 0; steps-- {
		c, err := f.commitAt(hash)
		if err != nil {
			return hash, err
		}
		if len(c.Parents) < parent {
			return hash, ErrUnknown
		}
		hash = plumbing.NewHash(c.Parents[parent-1])
	}
	return hash, nil
}

func (f *fallback) ref(name string) (plumbing.Hash, error) {
	if name == "@" {
		name = "HEAD"
	}
	if len(name) == 40 && isHex(name) {
		return plumbing.NewHash(name), nil
	}
	for _, rule := range append([]string{"%s"}, plumbing.RefRevParseRules...) {
		at := fmt.Sprintf(rule, name)
		for range 10 {
			hash, target, ok := f.store.reference(at)
			if !ok {
				break
			}
			if target == "" {
				return hash, nil
			}
			at = target
		}
		if name == "HEAD" && at != "HEAD" {
			return plumbing.ZeroHash, fmt.Errorf("HEAD: %w: make one first", ErrEmpty)
		}
	}
	if len(name) >= 4 && isHex(name) {
		return plumbing.ZeroHash, fmt.Errorf("%w: the abbreviation %s %w: give the full hash or install git", ErrNoGit, name, ErrUnsupported)
	}
	return plumbing.ZeroHash, fmt.Errorf("%s: %w", printable(name), ErrUnknown)
}

// peel follows tags to a commit.
func (f *fallback) peel(hash plumbing.Hash) (plumbing.Hash, error) {
	for range 10 {
		obj, err := f.store.object(hash)
		if err != nil {
			return hash, missing(err)
		}
		switch obj.kind {
		case plumbing.CommitObject:
			return hash, nil
		case plumbing.TagObject:
			_, data, err := f.content(hash, 0)
			if err != nil {
				return hash, err
			}
			line, _, _ := strings.Cut(string(data), "\n")
			target, named := strings.CutPrefix(line, "object ")
			if !named || len(target) != 40 || !isHex(target) {
				return hash, fmt.Errorf("%w: a tag that names no object", ErrCorrupt)
			}
			hash = plumbing.NewHash(target)
		default:
			return hash, fmt.Errorf("%w: it is not a commit", ErrUnknown)
		}
	}
	return hash, fmt.Errorf("%w: too many tags in a row", ErrUnknown)
}

// missing maps go-git's errors to the causes of this package.
func missing(err error) error {
	if errors.Is(err, plumbing.ErrObjectNotFound) {
		return ErrMissing
	}
	return fmt.Errorf("%w: %w", ErrCorrupt, err)
}

func (f *fallback) commit(name string) (*Commit, error) {
	hash, err := f.name(name)
	if err != nil {
		return nil, err
	}
	if hash, err = f.peel(hash); err != nil {
		return nil, fmt.Errorf("%s: %w", printable(name), err)
	}
	return f.commitAt(hash)
}

func (f *fallback) commitAt(hash plumbing.Hash) (*Commit, error) {
	kind, data, err := f.content(hash, 0)
	if err != nil {
		return nil, err
	}
	if kind != "commit" {
		return nil, fmt.Errorf("%s: is a %s, not a commit: %w", hash, kind, ErrUnknown)
	}
	return decodeCommit(hash.String(), data)
}

func (f *fallback) content(hash plumbing.Hash, max int64) (kind string, data []byte, err error) {
	obj, err := f.store.object(hash)
	if err != nil {
		return "", nil, fmt.Errorf("%s: %w", hash, missing(err))
	}
	if max > 0 && obj.size > max {
		return obj.kind.String(), nil, fmt.Errorf("%s: %d bytes: %w", hash, obj.size, ErrTooLarge)
	}
	in, err := obj.open()
	if err != nil {
		return "", nil, fmt.Errorf("%s: %w", hash, missing(err))
	}
	defer in.Close()
	if data, err = io.ReadAll(in); err != nil {
		return "", nil, fmt.Errorf("%s: %w", hash, missing(err))
	}
	return obj.kind.String(), data, nil
}

func (f *fallback) blob(name string, max int64) ([]byte, error) {
	hash, err := f.name(name)
	if err != nil {
		return nil, err
	}
	kind, data, err := f.content(hash, max)
	if err == nil && kind != "blob" {
		return nil, fmt.Errorf("%s: is a %s, not a file: %w", printable(name), kind, ErrUnknown)
	}
	return data, err
}

func (f *fallback) size(name string) (int64, error) {
	hash, err := f.name(name)
	if err != nil {
		return 0, err
	}
	obj, err := f.store.object(hash)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", printable(name), missing(err))
	}
	return obj.size, nil
}

func (f *fallback) kind(name string) (string, string, error) {
	hash, err := f.name(name)
	if err != nil {
		return "", "", err
	}
	obj, err := f.store.object(hash)
	if err != nil {
		return "", "", fmt.Errorf("%s: %w", printable(name), missing(err))
	}
	return hash.String(), obj.kind.String(), nil
}

// treeRow is one entry of a tree object. go-git's own reader of trees lies in a
// package that brings OpenPGP along, whose start is paid for by every run of the program.
type treeRow struct {
	mode filemode.FileMode
	name string
	hash plumbing.Hash
}

// treeAt reads one tree object: entries of "mode name", a NUL and twenty bytes of hash.
func (f *fallback) treeAt(hash plumbing.Hash) ([]treeRow, error) {
	if hash.String() == emptyTreeSHA1 {
		return nil, nil
	}
	kind, data, err := f.content(hash, 0)
	if err != nil {
		return nil, err
	}
	if kind != "tree" {
		return nil, fmt.Errorf("%s: is a %s, not a tree: %w", hash, kind, ErrUnknown)
	}
	var rows []treeRow
	for len(data) > 0 {
		head, rest, found := bytes.Cut(data, []byte{0})
		digits, name, spaced := strings.Cut(string(head), " ")
		mode, err := strconv.ParseUint(digits, 8, 32)
		if !found || !spaced || name == "" || err != nil || len(rest) < len(plumbing.ZeroHash) {
			return nil, fmt.Errorf("%w: tree %s", ErrCorrupt, hash)
		}
		row := treeRow{mode: filemode.FileMode(mode), name: name}
		data = rest[copy(row.hash[:], rest):]
		rows = append(rows, row)
	}
	return rows, nil
}

// treeOf gives the tree of a tree's or commit's name.
func (f *fallback) treeOf(treeish string) ([]treeRow, error) {
	if treeish == emptyTreeSHA1 {
		return nil, nil
	}
	hash, kind, err := f.kind(treeish)
	if err != nil {
		return nil, err
	}
	if kind != "tree" {
		c, err := f.commit(treeish)
		if err != nil {
			return nil, err
		}
		hash = c.Tree
	}
	tree, err := f.treeAt(plumbing.NewHash(hash))
	if err != nil {
		return nil, fmt.Errorf("tree of %s: %w", printable(treeish), err)
	}
	return tree, nil
}

const emptyTreeSHA1 = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"

func (f *fallback) tree(treeish string) ([]TreeEntry, error) {
	tree, err := f.treeOf(treeish)
	if err != nil {
		return nil, err
	}
	var out []TreeEntry
	return out, f.walk(tree, "", func(e TreeEntry) { out = append(out, e) })
}

func (f *fallback) walk(tree []treeRow, prefix string, visit func(TreeEntry)) error {
	for _, e := range tree {
		switch {
		case e.mode == filemode.Dir:
			sub, err := f.treeAt(e.hash)
			if err != nil {
				return fmt.Errorf("tree %s: %w", printable(prefix+e.name), err)
			}
			if err := f.walk(sub, prefix+e.name+"/", visit); err != nil {
				return err
			}
		default:
			kind := "blob"
			if e.mode == filemode.Submodule {
				kind = "commit"
			}
			visit(TreeEntry{Mode: fmt.Sprintf("%06o", uint32(e.mode)), Type: kind, Object: e.hash.String(), Path: prefix + e.name})
		}
	}
	return nil
}

// diff compares two flat listings, so that it needs no blob and no luck.
func (f *fallback) diff(a, b string) ([]RawEntry, error) {
	before, err := f.tree(a)
	if err != nil {
		return nil, err
	}
	after, err := f.tree(b)
	if err != nil {
		return nil, err
	}
	zero := strings.Repeat("0", 40)
	old := make(map[string]TreeEntry, len(before))
	for _, e := range before {
		old[e.Path] = e
	}
	var out []RawEntry
	for _, e := range after {
		was, had := old[e.Path]
		delete(old, e.Path)
		switch {
		case !had:
			out = append(out, RawEntry{Status: 'A', OldMode: "000000", NewMode: e.Mode, OldBlob: zero, NewBlob: e.Object, OldPath: e.Path, Path: e.Path})
		case was.Object != e.Object || was.Mode != e.Mode:
			status := byte('M')
			if was.Mode[:3] != e.Mode[:3] {
				status = 'T'
			}
			out = append(out, RawEntry{Status: status, OldMode: was.Mode, NewMode: e.Mode, OldBlob: was.Object, NewBlob: e.Object, OldPath: e.Path, Path: e.Path})
		}
	}
	for _, e := range old {
		out = append(out, RawEntry{Status: 'D', OldMode: e.Mode, NewMode: "000000", OldBlob: e.Object, NewBlob: zero, OldPath: e.Path, Path: e.Path})
	}
	slices.SortFunc(out, func(x, y RawEntry) int { return strings.Compare(x.Path, y.Path) })
	return out, nil
}

// plainRevisions lists commits that are named one by one, HEAD alone where none
// is; ranges and histories need git.
func (r *Repo) plainRevisions(ctx context.Context, specs []string, opts RevOptions) ([]string, error) {
	if len(specs) == 0 && opts.Base == "" {
		specs = []string{"HEAD"}
	}
	if len(specs) == 0 || opts.Last > 1 {
		return nil, refuse("a range of commits")
	}
	var out []string
	for _, spec := range specs {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if _, _, dots := SplitRange(spec); dots != "" {
			return nil, refuse("the range " + printable(spec))
		}
		c, err := r.plain.commit(spec)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(out, c.Hash) {
			out = append(out, c.Hash)
		}
	}
	return newest(out, opts.Last), nil
}

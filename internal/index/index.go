package index

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"github.com/saysolint/sayso/internal/git"
	"github.com/saysolint/sayso/internal/lang"
)

// ErrNone says that a repository has no index that can be used: it was never
// built, or the file is torn, foreign or of another version.
var ErrNone = errors.New("no index")

// DefaultCommits is how many commits, the newest, the history covers.
const DefaultCommits = 20_000

// Index is an open index. It is safe for concurrent use; Close ends what it
// keeps open.
type Index struct {
	meta   meta
	tree   *tree
	names  *table
	layout *layout
	file   backing
	unsure error // why it could not be written, see SaveError

	pastOnce sync.Once
	pastRead *past

	memo  memo
	near  near
	newer newer
}

// backing is the bytes of an index: an open file, or memory.
type backing interface {
	io.ReaderAt
	io.Closer
}

// meta says what an index is of.
type meta struct {
	width     int    // bytes of an object name
	head      string // the commit
	boundary  string // mark of the repository's shallow boundary
	max       int    // commits asked for
	cut       bool   // there were more
	unread    int    // files that could not be read: partial clone, damage
	manifests []manifest
}

type manifest struct{ path, name string }

// Load opens the index of a repository; ErrNone when there is none to use.
func Load(ctx context.Context, repo *git.Repo) (*Index, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	f, size, err := openFile(fileOf(repo))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNone, err)
	}
	ix, err := open(f, size)
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("%w: %w", ErrNone, err)
	}
	if ix.meta.width != widthOf(repo) {
		f.Close()
		return nil, fmt.Errorf("%w: made for another object format", ErrNone)
	}
	return ix, nil
}

// folderOf and fileOf are where a repository's caches are.
func folderOf(repo *git.Repo) string { return filepath.Join(repo.CommonDir(), "sayso") }
func fileOf(repo *git.Repo) string   { return filepath.Join(folderOf(repo), "index") }

func widthOf(repo *git.Repo) int {
	if repo.ObjectFormat() == "sha256" {
		return 32
	}
	return 20
}

// open reads the sections that every question needs; the names, the imports and
// the history wait until they are asked for.
func open(f backing, size int64) (*Index, error) {
	l, err := readLayout(f, size)
	if err != nil {
		return nil, err
	}
	var s [sectionCount][]byte
	if err := l.readRun(f, secMeta, secNameDir, &s); err != nil {
		return nil, err
	}
	ix := &Index{layout: l, file: f}
	if ix.meta, err = decodeMeta(s[secMeta]); err != nil {
		return nil, err
	}
	if ix.tree, err = openTree(&s, ix.meta.width); err != nil {
		return nil, err
	}
	if ix.names, err = openTable(s[secNameDir], f, l[secNames], ix.tree.paths.n); err != nil {
		return nil, err
	}
	return ix, nil
}

func (m *meta) encode() []byte {
	b := binary.AppendUvarint(nil, uint64(m.width))
	b = appendStr(b, m.head)
	b = appendStr(b, m.boundary)
	b = binary.AppendUvarint(b, uint64(m.max))
	cut := byte(0)
	if m.cut {
		cut = 1
	}
	b = append(b, cut)
	b = binary.AppendUvarint(b, uint64(m.unread))
	b = binary.AppendUvarint(b, uint64(len(m.manifests)))
	for _, f := range m.manifests {
		b = appendStr(appendStr(b, f.path), f.name)
	}
	return b
}

func decodeMeta(b []byte) (meta, error) {
	c := cursor{b: b}
	m := meta{width: c.small(33), head: c.str(), boundary: c.str(), max: c.small(1 << 31)}
	m.cut = c.small(2) == 1
	m.unread = c.small(1 << 31)
	for n := c.count(); n > 0 && !c.bad; n-- {
		m.manifests = append(m.manifests, manifest{c.str(), c.str()})
	}
	if c.bad || len(c.b) != 0 || m.width != 20 && m.width != 32 || len(m.head) != 2*m.width {
		return meta{}, fmt.Errorf("%w: head", errBroken)
	}
	return m, nil
}

// Head is the full hash of the commit that the index describes.
func (ix *Index) Head() string { return ix.meta.head }

// Files is the number of files of the head's tree.
func (ix *Index) Files() int { return ix.tree.paths.n }

// Commits is the number of commits that the history covers, merges included.
func (ix *Index) Commits() int {
	if h := ix.past(); h != nil {
		return h.n
	}
	return 0
}

// Size is the size of the index in bytes.
func (ix *Index) Size() int64 {
	last := ix.layout[sectionCount-1]
	return int64(last.off + last.n)
}

// SaveError is why Build could not write the index: a read-only repository, a
// full disk. The index works all the same, from memory.
func (ix *Index) SaveError() error { return ix.unsure }

// Close ends the git process that the index keeps and closes its file. What Ahead
// has learnt is written then, when nobody waits for an answer any more.
func (ix *Index) Close() error {
	ix.newer.save()
	ix.near.close()
	return ix.file.Close()
}

// past is the history, nil when its sections turn out to be broken.
func (ix *Index) past() *past {
	ix.pastOnce.Do(func() {
		var s [sectionCount][]byte
		if ix.layout.readRun(ix.file, secCommits, secPosts, &s) != nil {
			return
		}
		if h, err := openPast(s[secCommits], s[secKeys], s[secPosts], ix.meta.width); err == nil {
			ix.pastRead = h
		}
	})
	return ix.pastRead
}

// Behind counts the commits that can be reached from commit and not from the
// index's head; known is false when that cannot be told.
func (ix *Index) Behind(ctx context.Context, repo *git.Repo, commit string) (n int, known bool) {
	if commit == ix.meta.head {
		return 0, true
	}
	if !isHash(commit) {
		return 0, false
	}
	out, err := repo.Run(ctx, nil, "rev-list", "--count", commit, "^"+ix.meta.head, "--")
	if err != nil {
		return 0, false
	}
	n, err = strconv.Atoi(strings.TrimSpace(string(out)))
	return n, err == nil
}

func isHash(s string) bool {
	return (len(s) == 40 || len(s) == 64) && strings.Trim(s, "0123456789abcdef") == ""
}

// FileImports is what one file imports, unresolved.
type FileImports struct {
	Path    string
	Imports []lang.Import
}

// encodeImports makes the two sections of imports. imports has one element per
// path of the tree, nil for a file without imports.
func encodeImports(imports [][]lang.Import) (strs, lists []byte) {
	number := map[string]int{}
	var distinct []string
	for _, list := range imports {
		lists = binary.AppendUvarint(lists, uint64(len(list)))
		for _, im := range list {
			n, ok := number[im.Path]
			if !ok {
				n = len(distinct)
				number[im.Path] = n
				distinct = append(distinct, im.Path)
			}
			relative := uint64(0)
			if im.Relative {
				relative = 1
			}
			lists = binary.AppendUvarint(lists, uint64(n))
			lists = binary.AppendUvarint(lists, uint64(max(im.Line, 0))<<1|relative)
		}
	}
	return encodeStrtab(distinct), lists
}

// imports reads the imports of the head's tree, one element per path.
func (ix *Index) imports() ([][]lang.Import, error) {
	b, err := ix.layout.read(ix.file, secImportStrs)
	if err != nil {
		return nil, err
	}
	strs, err := openStrtab(b)
	if err != nil {
		return nil, err
	}
	if b, err = ix.layout.read(ix.file, secImports); err != nil {
		return nil, err
	}
	text := make([]string, strs.n)
	for i := range text {
		text[i] = string(strs.at(i))
	}
	c := cursor{b: b}
	out := make([][]lang.Import, ix.tree.paths.n)
	for i := range out {
		n := c.count()
		if n == 0 {
			continue
		}
		list := make([]lang.Import, 0, n)
		for ; n > 0 && !c.bad; n-- {
			s := c.small(strs.n)
			line := c.small(1 << 32)
			if !c.bad {
				list = append(list, lang.Import{Path: text[s], Line: line >> 1, Relative: line&1 != 0})
			}
		}
		out[i] = list
	}
	if c.bad || len(c.b) != 0 {
		return nil, fmt.Errorf("%w: imports", errBroken)
	}
	return out, nil
}

// near keeps the overlays of the commits that were looked at last, so that the
// next commit of a range is a small step from one of them, and the git process
// that computes the steps.
type near struct {
	mu    sync.Mutex
	repo  *git.Repo
	proc  *git.Process
	cache []*overlay // the newest last
}

const nearOverlays = 24

func (n *near) close() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.stop()
}

func (n *near) stop() {
	if n.proc != nil {
		_ = n.proc.Close()
		n.proc, n.repo = nil, nil
	}
}

// endMark is a line that git diff-tree does not understand, and so gives back.
const endMark = "#end of difference\n"

// diff lists what differs between two commits.
func (n *near) diff(ctx context.Context, repo *git.Repo, a, b string) ([]git.RawEntry, error) {
	if !isHash(a) || !isHash(b) {
		return nil, fmt.Errorf("difference of %q and %q: %w", a, b, git.ErrUnknown)
	}
	if a == b {
		return nil, nil
	}
	if repo.Fallback() {
		return repo.Diff(ctx, a, b)
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.proc != nil && n.repo != repo {
		n.stop()
	}
	if n.proc == nil {
		p, err := repo.Start("diff-tree", "--stdin", "-r", "--raw", "-z", "--no-abbrev", "--no-renames", "--no-commit-id", "--no-ext-diff", "--no-textconv")
		if err != nil {
			return nil, err
		}
		n.proc, n.repo = p, repo
	}
	release := n.proc.Guard(ctx)
	list, err := askDiff(n.proc, a, b)
	if stopped := release(); err != nil || !stopped {
		if err == nil {
			err = context.Cause(ctx)
		}
		err = n.proc.Fail(ctx, err)
		n.proc, n.repo = nil, nil
		return nil, fmt.Errorf("difference of %s and %s: %w", a, b, err)
	}
	return list, nil
}

func askDiff(p *git.Process, a, b string) ([]git.RawEntry, error) {
	// "<commit> <parent>" compares the commit with that parent, whatever it is.
	if err := p.Ask(b + " " + a + "\n" + endMark); err != nil {
		return nil, err
	}
	list, err := git.ParseRaw(p.Out)
	if err != nil {
		return nil, err
	}
	return list, expect(p.Out, endMark)
}

func expect(r *bufio.Reader, text string) error {
	line, err := r.ReadString('\n')
	if err != nil {
		return err
	}
	if line != text {
		return fmt.Errorf("git diff-tree answered %q", line)
	}
	return nil
}

// find returns the overlay of the commit, or the kept one that is closest to it
// by number, nil when the head is closest. number may be none.
func (n *near) find(commit string, number, head uint32) *overlay {
	n.mu.Lock()
	defer n.mu.Unlock()
	var best *overlay
	far := distance(number, head)
	for i := len(n.cache) - 1; i >= 0; i-- {
		o := n.cache[i]
		if o.commit == commit {
			return o
		}
		if d := distance(number, o.number); number != none && d < far {
			best, far = o, d
		}
	}
	return best
}

func distance(a, b uint32) uint32 {
	if a == none || b == none {
		return none - 1
	}
	return max(a, b) - min(a, b)
}

func (n *near) empty() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return len(n.cache) == 0
}

func (n *near) keep(o *overlay) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.cache) == nearOverlays {
		n.cache = append(n.cache[:0], n.cache[1:]...)
	}
	n.cache = append(n.cache, o)
}

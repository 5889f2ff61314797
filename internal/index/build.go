package index

import (
	"bytes"
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/sourcegraph/conc"
	"github.com/sourcegraph/conc/stream"

	"github.com/saysolint/sayso/internal/git"
	"github.com/saysolint/sayso/internal/lang"
)

// Options says what to build. The zero value builds HEAD.
type Options struct {
	Commit     string                // revision to describe; "" is HEAD
	MaxCommits int                   // how many commits of history, the newest; 0 is DefaultCommits
	Progress   func(done, total int) // files scanned and commits read so far; never called twice at once; may be nil
}

// Build makes the index of a repository, or brings the one that is there up to
// date: only new commits and new blobs are read. Where it cannot be written the
// index is good all the same, see SaveError.
func Build(ctx context.Context, repo *git.Repo, opts Options) (*Index, error) {
	if opts.Commit == "" {
		opts.Commit = "HEAD"
	}
	if opts.MaxCommits <= 0 {
		opts.MaxCommits = DefaultCommits
	}
	head, err := repo.Resolve(ctx, opts.Commit)
	if err != nil {
		return nil, err
	}
	boundary := boundaryOf(repo)
	old, err := Load(ctx, repo)
	if err == nil {
		if m := &old.meta; m.head == head && m.boundary == boundary && m.max == opts.MaxCommits && m.unread == 0 {
			return old, nil
		}
		defer old.Close()
	}
	b := &builder{repo: repo, old: old, opts: opts, meta: meta{
		width: widthOf(repo), head: head, boundary: boundary, max: opts.MaxCommits,
	}}
	sections, err := b.build(ctx)
	if err != nil && b.old != nil && ctx.Err() == nil {
		// What is on disk, or what it refers to, is gone or broken: begin anew.
		b.old = nil
		sections, err = b.build(ctx)
	}
	if err != nil {
		return nil, err
	}
	data := encodeFile(sections)
	saved := save(fileOf(repo), data)
	if saved == nil {
		// Another run may have put its own file there by now; only this one's will do.
		if f, size, err := openFile(fileOf(repo)); err == nil {
			if ix, err := open(f, size); err == nil && ix.meta.head == head {
				return ix, nil
			}
			f.Close()
		}
	}
	ix, err := open(inMemory(data), int64(len(data)))
	if err != nil {
		return nil, err
	}
	ix.unsure = saved
	return ix, nil
}

// boundaryOf tells one shallow boundary from another.
func boundaryOf(repo *git.Repo) string {
	if !repo.Shallow() {
		return ""
	}
	h := fnv.New64a()
	data, err := os.ReadFile(filepath.Join(repo.CommonDir(), "shallow"))
	if err != nil {
		return "shallow"
	}
	_, _ = h.Write(data)
	return strconv.FormatUint(h.Sum64(), 16)
}

type builder struct {
	repo *git.Repo
	old  *Index // what can be taken over, nil for nothing
	opts Options
	meta meta
	step *recent // what lies between old and the head, nil where it is for git to say

	mu          sync.Mutex
	done, total int
}

func (b *builder) progress(done, total int) {
	if b.opts.Progress == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.done += done
	b.total += total
	b.opts.Progress(b.done, b.total)
}

// build reads history and tree side by side.
func (b *builder) build(ctx context.Context) (*[sectionCount][]byte, error) {
	var s [sectionCount][]byte
	var pastErr, treeErr error
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	b.done, b.total = 0, 0
	b.meta.unread, b.meta.manifests, b.meta.cut = 0, nil, false
	b.step = b.short(ctx)
	var wg conc.WaitGroup
	wg.Go(func() {
		if pastErr = b.history(ctx, &s); pastErr != nil {
			stop()
		}
	})
	if treeErr = b.tree(ctx, &s); treeErr != nil {
		stop()
	}
	wg.Wait()
	// The first failure cancels the other half: report the one that is no echo.
	if pastErr != nil && (treeErr == nil || errors.Is(treeErr, context.Canceled)) {
		return nil, pastErr
	}
	if treeErr != nil {
		return nil, treeErr
	}
	s[secMeta] = b.meta.encode()
	for i := range s {
		if len(s[i]) >= maxSection {
			return nil, fmt.Errorf("the repository is too large to index: section %d has %d bytes", i, len(s[i]))
		}
	}
	return &s, nil
}

// short finds out what is new where that is little: one walk of git's, or the one of a
// hook before, says what both halves need. nil where there is no old index, or more to it.
func (b *builder) short(ctx context.Context) *recent {
	if b.old == nil || b.old.meta.boundary != b.meta.boundary || b.old.meta.max != b.opts.MaxCommits {
		return nil
	}
	before := b.old.loadRecent(b.repo, b.meta.boundary)
	if before == nil || before.tip != b.meta.head {
		step, cut, ok := b.old.walk(ctx, b.repo, b.meta.head, before)
		if !ok || cut {
			return nil
		}
		before = &step
	}
	if len(before.rows) > b.opts.MaxCommits {
		return nil
	}
	return before
}

// history fills the sections of the past.
func (b *builder) history(ctx context.Context, s *[sectionCount][]byte) error {
	var before *past
	var not []string
	if b.old != nil && b.old.meta.boundary == b.meta.boundary && b.old.meta.max == b.opts.MaxCommits {
		if before = b.old.past(); before == nil {
			return fmt.Errorf("%w: history", errBroken)
		}
		not = []string{b.old.meta.head}
	}
	rows, cut, err := b.rows(ctx, not)
	if err != nil {
		return err
	}
	p := newPastBuilder(b.meta.width)
	b.meta.cut = cut
	if before != nil && !cut {
		b.meta.cut = b.old.meta.cut
		drop := b.overflow(before, len(rows))
		if drop == nil {
			return before.extend(rows, s)
		}
		b.meta.cut = true
		if err := p.addPast(before, drop); err != nil {
			return err
		}
	}
	for _, r := range rows {
		p.add(r)
	}
	p.encodeTo(s)
	return nil
}

// rows is the commits that are new, newest first; cut is true where there are more.
func (b *builder) rows(ctx context.Context, not []string) (rows []row, cut bool, err error) {
	if b.step != nil {
		b.progress(len(b.step.rows), len(b.step.rows))
		return b.step.rows, false, nil
	}
	if b.opts.Progress != nil {
		b.progress(0, b.expect(ctx, not))
	}
	cut, err = readLog(ctx, b.repo, b.meta.head, not, b.opts.MaxCommits, func(r row) {
		rows = append(rows, r)
		if len(rows)%500 == 0 {
			b.progress(500, 0)
		}
	})
	b.progress(len(rows)%500, 0)
	return rows, cut, err
}

// expect is how many commits are going to be read, for the progress only.
func (b *builder) expect(ctx context.Context, not []string) int {
	args := []string{"rev-list", "--count", "--max-count=" + strconv.Itoa(b.opts.MaxCommits), b.meta.head}
	for _, n := range not {
		args = append(args, "^"+n)
	}
	out, err := b.repo.Run(ctx, nil, append(args, "--")...)
	if err != nil {
		return 0
	}
	n, _ := strconv.Atoi(strings.TrimSpace(string(out)))
	return n
}

// overflow marks the old commits that have to go so that the new ones fit: first
// those of branches that the head has left, then the oldest. nil when all fit.
// A tenth more than asked for may stay, so that this is not done at every build.
func (b *builder) overflow(before *past, added int) bitset {
	over := before.n + added - b.opts.MaxCommits
	if over <= b.opts.MaxCommits/10 {
		return nil
	}
	drop := newBitset(before.n)
	if n := before.number(b.old.meta.head); n != none {
		keep := before.ancestors([]uint32{n})
		for i := 0; i < before.n && over > 0; i++ {
			if !keep.has(uint32(i)) {
				drop.set(uint32(i))
				over--
			}
		}
	}
	for i := 0; i < before.n && over > 0; i++ {
		if !drop.has(uint32(i)) {
			drop.set(uint32(i))
			over--
		}
	}
	return drop
}

// tree fills the sections of the present: paths, names, imports.
func (b *builder) tree(ctx context.Context, s *[sectionCount][]byte) error {
	entries, err := b.entries(ctx)
	if err != nil {
		return err
	}
	t, err := newTree(entries, b.meta.width)
	if err != nil {
		return err
	}
	// Where a file of the old tree is in the new one, with the same content read.
	var moved []uint32
	taken := newBitset(len(entries))
	if b.old != nil {
		moved = carryOver(b.old.tree, t, taken)
	}
	imports := make([][]lang.Import, len(entries))
	if b.old != nil {
		had, err := b.old.imports()
		if err != nil {
			return err
		}
		for i, n := range moved {
			if n != none {
				imports[n] = had[i]
			}
		}
	}
	var todo []int
	for i, e := range entries {
		if t.flags(i)&flagFile == 0 || taken.has(uint32(i)) {
			continue
		}
		if scannable(e.Path) {
			todo = append(todo, i)
		}
	}
	b.progress(0, len(todo))
	fresh, err := b.scanAll(ctx, t, entries, todo, imports)
	if err != nil {
		return err
	}
	if err := b.mergeNames(s, moved, fresh); err != nil {
		return err
	}
	if err := b.manifests(ctx, entries); err != nil {
		return err
	}
	s[secImportStrs], s[secImports] = encodeImports(imports)
	t.encodeTo(s)
	return nil
}

// entries is the files of the head's tree, sorted by path: the old tree and what
// differs from it, or, where git cannot tell, the whole list of git's.
func (b *builder) entries(ctx context.Context) ([]Entry, error) {
	if b.old == nil {
		return listTree(ctx, b.repo, b.meta.head)
	}
	if b.step != nil {
		return patched(b.old.tree, entriesOver(b.step.files)), nil
	}
	diff, err := b.repo.Diff(ctx, b.old.meta.head, b.meta.head)
	if err != nil {
		if ctx.Err() != nil {
			return nil, err
		}
		return listTree(ctx, b.repo, b.meta.head)
	}
	return patched(b.old.tree, entriesOf(diff)), nil
}

// entriesOver is the differences that views use as entries.
func entriesOver(files []*overFile) []Entry {
	out := make([]Entry, len(files))
	for i, f := range files {
		out[i] = Entry{Path: f.path, Mode: "120000", Blob: f.blob}
		if f.file {
			out[i].Mode = "100644"
		}
	}
	return out
}

// patched is the entries of a tree with differences from it applied. Of the modes
// of the old entries only this is right: whether it is a regular file.
func patched(t *tree, diff []Entry) []Entry {
	slices.SortStableFunc(diff, func(a, b Entry) int { return strings.Compare(a.Path, b.Path) })
	out := make([]Entry, 0, t.paths.n+len(diff))
	for i := range t.paths.n {
		p := t.paths.at(i)
		for len(diff) > 0 && diff[0].Path < string(p) {
			if diff[0].Blob != "" {
				out = append(out, diff[0])
			}
			diff = diff[1:]
		}
		if len(diff) > 0 && diff[0].Path == string(p) {
			continue // the next round, or the end, puts it
		}
		mode := "120000"
		if t.flags(i)&flagFile != 0 {
			mode = "100644"
		}
		out = append(out, Entry{Path: string(p), Mode: mode, Blob: hex.EncodeToString(t.blob(i))})
	}
	for _, e := range diff {
		if e.Blob != "" {
			out = append(out, e)
		}
	}
	return out
}

// listTree is the files of a commit's tree, sorted by path.
func listTree(ctx context.Context, repo *git.Repo, commit string) ([]Entry, error) {
	list, err := repo.Tree(ctx, commit)
	if err != nil {
		return nil, err
	}
	entries := make([]Entry, len(list))
	for i, e := range list {
		entries[i] = Entry{Path: e.Path, Mode: e.Mode, Blob: e.Object}
	}
	byPath := func(a, b Entry) int { return strings.Compare(a.Path, b.Path) }
	if !slices.IsSortedFunc(entries, byPath) {
		slices.SortStableFunc(entries, byPath)
	}
	return slices.CompactFunc(entries, func(a, b Entry) bool { return a.Path == b.Path }), nil
}

// carryOver finds the files whose scanned content stays under the same path.
func carryOver(old, now *tree, taken bitset) []uint32 {
	moved := make([]uint32, old.paths.n)
	j := 0
	for i := range moved {
		moved[i] = none
		p := old.paths.at(i)
		for j < now.paths.n && bytes.Compare(now.paths.at(j), p) < 0 {
			j++
		}
		if j == now.paths.n || !bytes.Equal(now.paths.at(j), p) {
			continue
		}
		if old.flags(i)&flagScanned != 0 && now.flags(j)&flagFile != 0 && bytes.Equal(old.blob(i), now.blob(j)) {
			moved[i] = uint32(j)
			taken.set(uint32(j))
			now.setFlag(j, flagScanned)
		}
	}
	return moved
}

// scanAll reads and scans files, several at once, and gathers what they say in
// the order of their paths.
func (b *builder) scanAll(ctx context.Context, t *tree, entries []Entry, todo []int, imports [][]lang.Import) (*gatherer, error) {
	all := new(gatherer)
	blobs := make([]string, len(todo))
	for i, n := range todo {
		blobs[i] = entries[n].Blob
	}
	n := max(1, runtime.GOMAXPROCS(0))
	workers := stream.New().WithMaxGoroutines(n)
	lexicons := make(chan *lexicon, n)
	for range n {
		lexicons <- newLexicon()
	}
	err := eachBlob(ctx, b.repo, blobs, func(i int, src []byte, large bool) error {
		n := todo[i]
		if src == nil && !large {
			b.meta.unread++
			return nil
		}
		t.setFlag(n, flagScanned)
		workers.Go(func() stream.Callback {
			x := <-lexicons
			got, ok := x.scan(entries[n].Path, src)
			lexicons <- x
			return func() {
				if ok {
					all.add(uint32(n), x, &got)
					imports[n] = got.imports
				}
				b.progress(1, 0)
			}
		})
		return nil
	})
	workers.Wait()
	return all, err
}

// mergeNames writes the table: what stays of the old one and what is fresh.
func (b *builder) mergeNames(s *[sectionCount][]byte, moved []uint32, fresh *gatherer) error {
	var w tableWriter
	if b.old == nil {
		fresh.sorted(func(name string, p *posting) bool { w.put([]byte(name), p); return true })
		s[secNameDir], s[secNames] = w.finish()
		return nil
	}
	w.blocks = make([]byte, 0, b.old.layout[secNames].n*9/8)
	var had, both posting
	old := walk{t: b.old.names}
	more := old.next()
	// take moves past the running old entry, decoded into had.
	take := func() error {
		err := had.decode(old.body, b.old.tree.paths.n)
		had.renumber(moved)
		return err
	}
	var failed error
	fresh.sorted(func(name string, p *posting) bool {
		for more && string(old.name) < name && failed == nil {
			failed = take()
			w.put(old.name, &had)
			more = old.next()
		}
		if failed == nil && more && string(old.name) == name {
			failed = take()
			both.union(&had, p)
			p = &both
			more = old.next()
		}
		w.put([]byte(name), p)
		return failed == nil
	})
	for more && failed == nil {
		failed = take()
		w.put(old.name, &had)
		more = old.next()
	}
	if failed = cmp.Or(failed, old.err); failed != nil {
		return failed
	}
	s[secNameDir], s[secNames] = w.finish()
	return nil
}

// renumber drops the files that are gone and numbers the others anew; the order
// stays, since both trees are sorted by path.
func (p *posting) renumber(moved []uint32) {
	uses := p.uses[:0]
	for _, f := range p.uses {
		if n := moved[f]; n != none {
			uses = append(uses, n)
		}
	}
	p.uses = uses
	defs := p.defs[:0]
	for _, d := range p.defs {
		if n := moved[d.file]; n != none {
			defs = append(defs, defAt{n, d.line})
		}
	}
	p.defs = defs
}

// union makes p of two postings of different files.
func (p *posting) union(a, b *posting) {
	p.uses, p.defs = p.uses[:0], p.defs[:0]
	i, j := 0, 0
	for i < len(a.uses) || j < len(b.uses) {
		if j == len(b.uses) || i < len(a.uses) && a.uses[i] < b.uses[j] {
			p.uses = append(p.uses, a.uses[i])
			i++
		} else {
			p.uses = append(p.uses, b.uses[j])
			j++
		}
	}
	i, j = 0, 0
	for i < len(a.defs) || j < len(b.defs) {
		if j == len(b.defs) || i < len(a.defs) && a.defs[i].file < b.defs[j].file {
			p.defs = append(p.defs, a.defs[i])
			i++
		} else {
			p.defs = append(p.defs, b.defs[j])
			j++
		}
	}
}

// manifests reads what the project calls itself, but for files that are as the
// old index has read them.
func (b *builder) manifests(ctx context.Context, entries []Entry) error {
	known := map[string]string{}
	if b.old != nil {
		for _, m := range b.old.meta.manifests {
			known[m.path] = m.name
		}
	}
	for _, e := range entries {
		if !isManifest(e.Path) {
			continue
		}
		if name, ok := known[e.Path]; ok {
			if i := b.old.tree.find(e.Path); i >= 0 && hex.EncodeToString(b.old.tree.blob(i)) == e.Blob {
				b.meta.manifests = append(b.meta.manifests, manifest{e.Path, name})
				continue
			}
		}
		read, err := readManifests(ctx, b.repo, []Entry{e})
		if err != nil {
			return err
		}
		b.meta.manifests = append(b.meta.manifests, read...)
	}
	return nil
}

// readManifests reads what the project calls itself from the root of a tree.
func readManifests(ctx context.Context, repo *git.Repo, entries []Entry) ([]manifest, error) {
	var out []manifest
	for _, e := range entries {
		if !isManifest(e.Path) || !strings.HasPrefix(e.Mode, "100") {
			continue
		}
		src, err := repo.Blob(ctx, e.Blob, maxBlob)
		if ctx.Err() != nil {
			return nil, err
		}
		if err == nil {
			out = append(out, manifest{e.Path, manifestName(e.Path, src)})
		}
	}
	return out, nil
}

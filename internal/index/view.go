package index

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"
	"sync/atomic"

	"github.com/saysolint/sayso/internal/git"
	"github.com/saysolint/sayso/internal/lang"
)

// Site is one place in a tree.
type Site struct {
	Path string
	Line int // from 1, 0 unknown
}

// MaxSites is how many sites Definitions names at most.
const MaxSites = 20

// AtOptions says more about the tree that is looked at.
type AtOptions struct {
	// Patch is laid over the commit's tree: what a staged change makes of it.
	// An entry without a blob removes its path.
	Patch []Entry
	// HistoryAt is the commit whose history counts, itself included: the base of
	// a staged change or of a range. "" stands for the parents of the commit.
	HistoryAt string
	// Folder and Remote are the name of the root folder and the address of the
	// remote, for ProjectNames.
	Folder, Remote string
}

// View is what the tree of one commit holds. At, ViewOf and Prefetch read; the
// other methods answer out of memory. A view is not concurrent, but for this:
// History may be called while Prefetch is under way.
type View struct {
	repo    *git.Repo
	ix      *Index // nil without an index
	base    *tree
	over    []*overFile // sorted by path
	known   bool        // names can be looked up
	commit  string
	histAt  string
	project []string
	memo    *memo

	scan    []*overFile // those of over that are scanned, nil before the first Prefetch
	scanned bool
	names   map[string]answer
}

type answer struct {
	sites  []Site
	occurs bool
	known  bool
}

// overlay is how the tree of one commit differs from that of the index's head.
type overlay struct {
	commit string
	number uint32
	files  []*overFile // sorted by path
}

// overFile is one file in which a tree differs from the base. It is shared
// between views.
type overFile struct {
	path   string
	blob   string // "" when the path is gone
	inBase bool   // the base has the path, with another blob
	file   bool   // a regular file
	code   bool   // its name promises code
	src    []byte // what the blob holds, where the caller had it; nil: it is read when needed

	facts atomic.Pointer[blobFacts] // nil until the blob was read
}

// At is the view of a commit: near the head or far from it, before or after it
// or on another branch. "" is the empty tree, before the first commit.
func (ix *Index) At(ctx context.Context, repo *git.Repo, commit string, opts AtOptions) (*View, error) {
	if commit == "" {
		return emptyView(ctx, repo, ix, opts)
	}
	if !isHash(commit) {
		return nil, fmt.Errorf("tree of %q: %w", commit, git.ErrUnknown)
	}
	o, err := ix.overlayOf(ctx, repo, commit)
	if err != nil {
		return nil, err
	}
	v := &View{repo: repo, ix: ix, base: ix.tree, over: o.files, known: true, commit: commit, memo: &ix.memo}
	return v.finish(ctx, opts, ix.meta.manifests)
}

// ViewOf is the view of a commit without an index: the paths of its tree, no
// definitions, no history.
func ViewOf(ctx context.Context, repo *git.Repo, commit string, opts AtOptions) (*View, error) {
	if commit == "" {
		return emptyView(ctx, repo, nil, opts)
	}
	entries, err := listTree(ctx, repo, commit)
	if err != nil {
		return nil, err
	}
	t, err := newTree(entries, widthOf(repo))
	if err != nil {
		return nil, err
	}
	manifests, err := readManifests(ctx, repo, entries)
	if err != nil {
		return nil, err
	}
	v := &View{repo: repo, base: t, commit: commit, memo: new(memo)}
	return v.finish(ctx, opts, manifests)
}

// emptyView is the tree before the first commit: everything about it is known.
func emptyView(ctx context.Context, repo *git.Repo, ix *Index, opts AtOptions) (*View, error) {
	t, err := newTree(nil, widthOf(repo))
	if err != nil {
		return nil, err
	}
	v := &View{repo: repo, ix: ix, base: t, known: true, memo: new(memo)}
	if ix != nil {
		v.memo = &ix.memo
	}
	return v.finish(ctx, opts, nil)
}

func (v *View) finish(ctx context.Context, opts AtOptions, manifests []manifest) (*View, error) {
	v.histAt = opts.HistoryAt
	if len(opts.Patch) > 0 {
		v.over = patch(v.base, v.over, opts.Patch)
	}
	return v, v.nameProject(ctx, opts, manifests)
}

// overlayOf finds how a commit's tree differs from the head's, by a step from
// the closest commit whose difference is known.
func (ix *Index) overlayOf(ctx context.Context, repo *git.Repo, commit string) (*overlay, error) {
	if commit == ix.meta.head {
		return &overlay{commit: commit}, nil
	}
	if o := ix.near.find(commit, none, none); o != nil {
		return o, nil
	}
	number, head := none, none
	h := ix.past()
	if h != nil {
		number, head = h.number(commit), h.number(ix.meta.head)
		if number == none && !ix.near.empty() {
			// One the index has not seen: as near as its nearest parent.
			if c, err := repo.Commit(ctx, commit); err == nil {
				for _, p := range c.Parents {
					if n := h.number(p); n != none && (number == none || n > number) {
						number = n
					}
				}
			} else if ctx.Err() != nil {
				return nil, err
			}
		}
	}
	from := ix.near.find(commit, number, head)
	if from != nil && from.commit == commit { // another worker was there first
		return from, nil
	}
	start, files := ix.meta.head, []*overFile(nil)
	if from != nil {
		start, files = from.commit, from.files
	}
	diff, err := ix.near.diff(ctx, repo, start, commit)
	o := &overlay{commit: commit, number: number}
	switch {
	case err == nil:
		o.files = patch(ix.tree, files, entriesOf(diff))
	case ctx.Err() != nil:
		return nil, err
	default:
		// The head may be gone from the store; the commit's own tree says it all.
		entries, treeErr := listTree(ctx, repo, commit)
		if treeErr != nil {
			return nil, errors.Join(treeErr, err)
		}
		o.files = patch(ix.tree, nil, differing(ix.tree, entries))
	}
	ix.near.keep(o)
	return o, nil
}

func entriesOf(diff []git.RawEntry) []Entry {
	out := make([]Entry, 0, len(diff))
	for _, d := range diff {
		e := Entry{Path: d.Path, Mode: d.NewMode, Blob: d.NewBlob}
		if d.Status == 'D' || strings.Trim(e.Blob, "0") == "" {
			e.Blob = ""
		}
		out = append(out, e)
	}
	return out
}

// differing lists what makes the tree t into the one of entries; both are sorted.
func differing(t *tree, entries []Entry) []Entry {
	var out []Entry
	i := 0
	for _, e := range entries {
		for i < t.paths.n && string(t.paths.at(i)) < e.Path {
			out = append(out, Entry{Path: string(t.paths.at(i))})
			i++
		}
		if i < t.paths.n && string(t.paths.at(i)) == e.Path {
			i++
			if hex.EncodeToString(t.blob(i-1)) == e.Blob {
				continue
			}
		}
		out = append(out, e)
	}
	for ; i < t.paths.n; i++ {
		out = append(out, Entry{Path: string(t.paths.at(i))})
	}
	return out
}

// patch lays entries over a list of differences from base.
func patch(base *tree, files []*overFile, entries []Entry) []*overFile {
	if len(entries) == 0 {
		return files
	}
	entries = slices.Clone(entries)
	slices.SortStableFunc(entries, func(a, b Entry) int { return strings.Compare(a.Path, b.Path) })
	out := make([]*overFile, 0, len(files)+len(entries))
	for i, e := range entries {
		if i+1 < len(entries) && entries[i+1].Path == e.Path {
			continue // the last word on a path counts
		}
		for len(files) > 0 && files[0].path < e.Path {
			out = append(out, files[0])
			files = files[1:]
		}
		if len(files) > 0 && files[0].path == e.Path {
			files = files[1:]
		}
		at := base.find(e.Path)
		if at < 0 && e.Blob == "" || at >= 0 && e.Blob != "" && hex.EncodeToString(base.blob(at)) == e.Blob {
			continue // as in the base
		}
		file := e.Blob != "" && strings.HasPrefix(e.Mode, "100")
		out = append(out, &overFile{path: e.Path, blob: e.Blob, inBase: at >= 0, file: file, code: file && scannable(e.Path), src: e.Content})
	}
	return append(out, files...)
}

// nameProject collects what the project calls itself.
func (v *View) nameProject(ctx context.Context, opts AtOptions, manifests []manifest) error {
	for _, m := range manifests {
		if v.overAt(m.path) == nil {
			v.project = addName(v.project, m.name)
		}
	}
	for _, f := range v.over {
		if !f.file || !isManifest(f.path) {
			continue
		}
		facts, err := v.read(ctx, f)
		if err != nil {
			return err
		}
		v.project = addName(v.project, facts.manifest)
	}
	v.project = addName(v.project, opts.Folder)
	v.project = addName(v.project, opts.Remote)
	return nil
}

// read is what is known of a file that differs, its blob read if need be.
func (v *View) read(ctx context.Context, f *overFile) (*blobFacts, error) {
	err := v.readAll(ctx, []*overFile{f})
	return f.facts.Load(), err
}

// readAll makes sure that the facts of the files are there.
func (v *View) readAll(ctx context.Context, files []*overFile) error {
	var todo []*overFile
	var blobs []string
	for _, f := range files {
		if f.facts.Load() != nil {
			continue
		}
		if facts := v.memo.get(memoKey(f.blob, f.path)); facts != nil {
			f.facts.Store(facts)
			continue
		}
		if f.src != nil && len(f.src) <= maxBlob {
			v.learn(f, f.src, false)
			continue
		}
		todo = append(todo, f)
		blobs = append(blobs, f.blob)
	}
	if len(todo) == 0 {
		return nil
	}
	return eachBlob(ctx, v.repo, blobs, func(i int, src []byte, large bool) error {
		v.learn(todo[i], src, large)
		return nil
	})
}

// learn keeps the facts of a file's content, nil where it could not be read or is too large.
func (v *View) learn(f *overFile, src []byte, large bool) {
	facts := &blobFacts{missing: src == nil && !large}
	if src != nil {
		if isManifest(f.path) {
			facts.manifest = manifestName(f.path, src)
		}
		if f.code && codeOf(f.path, src) != nil {
			facts.words = wordsOf(src)
		}
	}
	f.facts.Store(facts)
	v.memo.put(memoKey(f.blob, f.path), facts)
}

// full is the scan of a file that differs, nil when there is nothing to scan.
func (v *View) full(ctx context.Context, f *overFile) (*scanned, error) {
	facts := f.facts.Load()
	facts.mu.Lock()
	defer facts.mu.Unlock()
	if facts.done || facts.words == nil {
		return facts.full, nil
	}
	src := f.src
	if src == nil {
		var err error
		if src, err = v.repo.Blob(ctx, f.blob, maxBlob); err != nil {
			return nil, err
		}
	}
	facts.full, facts.done = scan(f.path, src), true
	v.memo.grow(facts)
	return facts.full, nil
}

// Prefetch reads whatever Definitions and Occurs need for the names. It costs
// one look into the index for each name, and of the files in which the tree
// differs from the index's head one reading each, ever; only those that have
// all words of a name are scanned.
func (v *View) Prefetch(ctx context.Context, names []string) error {
	if v.names == nil {
		v.names = make(map[string]answer, len(names))
	}
	var open []string
	for _, n := range names {
		if _, done := v.names[n]; !done && n != "" {
			v.names[n] = answer{}
			open = append(open, n)
		}
	}
	if len(open) == 0 || !v.known {
		return nil
	}
	if !v.scanned {
		for _, f := range v.over {
			if f.code {
				v.scan = append(v.scan, f)
			}
		}
		if err := v.readAll(ctx, v.scan); err != nil {
			return err
		}
		v.scanned = true
	}
	var p posting
	for _, n := range open {
		a, err := v.lookUp(ctx, n, &p)
		if err != nil {
			delete(v.names, n)
			return err
		}
		v.names[n] = a
	}
	return nil
}

func (v *View) lookUp(ctx context.Context, name string, p *posting) (answer, error) {
	if len(name) > 4*maxName {
		return answer{}, nil
	}
	a, err := v.lookUpExact(ctx, name, p)
	if err != nil || a.occurs || !a.known {
		return a, err
	}
	if parts := splitQualified(name); len(parts) > 1 {
		// "Type::method", "Class#method" are written with a dot in the table. A
		// qualified name that is not defined occurs when all its parts do: enough
		// to say that it is not made of thin air.
		if dotted := strings.Join(parts, "."); dotted != name {
			if a, err = v.lookUpExact(ctx, dotted, p); err != nil || a.occurs || !a.known {
				return a, err
			}
		}
		a.occurs = true
		for _, part := range parts {
			b, err := v.lookUpExact(ctx, part, p)
			if err != nil || !b.known {
				return b, err
			}
			a.occurs = a.occurs && b.occurs
		}
		return a, nil
	}
	if !isName(name) {
		a.known = false // never in the table: no answer is not a no
	}
	return a, nil
}

// splitQualified cuts at the marks between a container and its member.
func splitQualified(name string) []string {
	return strings.FieldsFunc(name, func(r rune) bool { return r == '.' || r == ':' || r == '#' })
}

// isName tells what the table could have: one identifier.
func isName(s string) bool {
	for i := 0; i < len(s); i++ {
		if !wordByte[s[i]] && !(i == len(s)-1 && (s[i] == '?' || s[i] == '!')) {
			return false
		}
	}
	return len(s) > 1 && len(s) <= maxName && (s[0] < '0' || s[0] > '9')
}

func (v *View) lookUpExact(ctx context.Context, name string, p *posting) (answer, error) {
	a := answer{known: true}
	complete := true
	if v.ix != nil && v.base == v.ix.tree {
		complete = v.ix.meta.unread == 0
		if _, err := v.ix.names.lookup(name, p); err != nil {
			return answer{}, nil // a torn table: as if there were none
		}
		for _, d := range p.defs {
			if len(a.sites) == MaxSites {
				break
			}
			if path := v.base.paths.at(int(d.file)); v.overAt(string(path)) == nil {
				a.sites = append(a.sites, Site{string(path), int(d.line)})
				a.occurs = true
			}
		}
		for _, f := range p.uses {
			if a.occurs {
				break
			}
			a.occurs = v.overAt(string(v.base.paths.at(int(f)))) == nil
		}
	}
	var hashes [8]uint32
	want := hashes[:0]
	eachWord([]byte(name), func(b []byte) { want = append(want, hashWord(b)) })
	for _, f := range v.scan {
		facts := f.facts.Load()
		if facts.missing {
			complete = false
			continue
		}
		if !facts.words.mayHave(want) {
			continue
		}
		s, err := v.full(ctx, f)
		if err != nil {
			return answer{}, err
		}
		if s == nil {
			continue
		}
		occurs, lines := s.has(name)
		a.occurs = a.occurs || occurs
		for _, l := range lines {
			a.sites = append(a.sites, Site{f.path, int(l)})
		}
	}
	slices.SortFunc(a.sites, func(x, y Site) int {
		if x.Path != y.Path {
			return strings.Compare(x.Path, y.Path)
		}
		return x.Line - y.Line
	})
	a.sites = a.sites[:min(len(a.sites), MaxSites)]
	// Where files could not be read, only what was found is an answer.
	a.known = complete || a.occurs
	return a, nil
}

// Definitions is where a name that was prefetched is defined, at most MaxSites
// places sorted by path and line; for a qualified name ("Type.Method") those of
// that very member. known is false where nothing can be said.
func (v *View) Definitions(name string) (sites []Site, known bool) {
	a := v.names[name]
	return a.sites, a.known
}

// Occurs says whether a name that was prefetched is in the tree's code at all,
// a word inside a string literal counted in.
func (v *View) Occurs(name string) (occurs, known bool) {
	a := v.names[name]
	return a.occurs, a.known
}

// overAt is the difference at a path, nil when the tree there is as the base.
func (v *View) overAt(path string) *overFile {
	i := v.overSearch(path)
	if i < len(v.over) && v.over[i].path == path {
		return v.over[i]
	}
	return nil
}

func (v *View) overSearch(path string) int {
	return sort.Search(len(v.over), func(i int) bool { return v.over[i].path >= path })
}

// has reports whether a path of the base is still there.
func (v *View) has(path string) bool {
	f := v.overAt(path)
	return f == nil || f.blob != ""
}

// added calls fn for the paths that the base does not have.
func (v *View) added(fn func(path string)) {
	for _, f := range v.over {
		if !f.inBase && f.blob != "" {
			fn(f.path)
		}
	}
}

// HasFile says whether the tree has a file of exactly this path.
func (v *View) HasFile(path string) bool {
	if f := v.overAt(path); f != nil {
		return f.blob != ""
	}
	return v.base.find(path) >= 0
}

// BlobOf is the full name of the blob at a path.
func (v *View) BlobOf(path string) (blob string, ok bool) {
	if f := v.overAt(path); f != nil {
		return f.blob, f.blob != ""
	}
	if i := v.base.find(path); i >= 0 {
		return hex.EncodeToString(v.base.blob(i)), true
	}
	return "", false
}

// HasDir says whether the tree has a folder of exactly this path, given without
// a trailing slash. The root always is there.
func (v *View) HasDir(path string) bool {
	if path == "" {
		return true
	}
	n := v.base.under(path)
	prefix := path + "/"
	for i := v.overSearch(prefix); i < len(v.over) && strings.HasPrefix(v.over[i].path, prefix); i++ {
		switch f := v.over[i]; {
		case f.blob == "":
			n--
		case !f.inBase:
			n++
		}
	}
	return n > 0
}

// FilesNamed is the paths whose base name equals base without regard to case, sorted.
func (v *View) FilesNamed(base string) []string {
	base = strings.ToLower(base)
	if base == "" || strings.Contains(base, "/") {
		return nil
	}
	var out []string
	v.base.eachBase(base, func(p, folded string) bool {
		if folded != base {
			return false
		}
		if v.has(p) {
			out = append(out, p)
		}
		return true
	})
	v.added(func(p string) {
		if sameFold(baseOf(p), base) {
			out = append(out, p)
		}
	})
	slices.Sort(out)
	return out
}

// DirsNamed is the folders whose last part equals name without regard to case, sorted.
func (v *View) DirsNamed(name string) []string {
	name = strings.ToLower(name)
	if name == "" || strings.Contains(name, "/") {
		return nil
	}
	var out []string
	v.base.eachDir(name, func(d string) {
		if v.HasDir(d) {
			out = append(out, d)
		}
	})
	v.added(func(p string) {
		for d := dirOf(p); d != ""; d = dirOf(d) {
			if sameFold(baseOf(d), name) {
				out = append(out, d)
			}
		}
	})
	slices.Sort(out)
	return slices.Compact(out)
}

// FilesStemmed is the source and test files whose base name up to the first dot,
// less a trailing _test or _spec, equals stem without regard to case; sorted.
func (v *View) FilesStemmed(stem string) []string {
	stem = strings.ToLower(stem)
	if stem == "" || strings.ContainsAny(stem, "/.") {
		return nil
	}
	var out []string
	add := func(p string) {
		switch lang.KindOf(p) {
		case lang.Source, lang.Test:
			out = append(out, p)
		}
	}
	each := func(prefix string) {
		v.base.eachBase(prefix, func(p, folded string) bool {
			if stemOf(folded) == stem && v.has(p) {
				add(p)
			}
			return true
		})
	}
	v.base.eachBase(stem, func(p, folded string) bool { // without any dot
		if folded != stem {
			return false
		}
		if v.has(p) {
			add(p)
		}
		return true
	})
	each(stem + ".")
	each(stem + "_test")
	each(stem + "_spec")
	v.added(func(p string) {
		if b := baseOf(p); len(b) >= len(stem) && stemOf(strings.ToLower(b)) == stem {
			add(p)
		}
	})
	slices.Sort(out)
	return slices.Compact(out)
}

// HasExtension says whether any file has the extension, given in lower case and
// without a dot.
func (v *View) HasExtension(ext string) bool {
	if ext == "" {
		return false
	}
	n := v.base.withExt(ext)
	for _, f := range v.over {
		if f.blob != "" && f.inBase {
			continue // the same path, whatever it holds
		}
		if base := baseOf(f.path); !strings.Contains(base, ".") || extOf(strings.ToLower(base)) != ext {
			continue
		}
		if f.blob == "" {
			n--
		} else {
			n++
		}
	}
	return n > 0
}

// ProjectNames is what the project calls itself, in lower case: names out of the
// manifests at the root, the last part of the module path, the root folder, the
// remote; sorted.
func (v *View) ProjectNames() []string { return slices.Clone(v.project) }

// Known says whether names can be looked up at all.
func (v *View) Known() bool { return v.known }

// EachPath calls fn for all paths of the tree in order, until fn says stop.
func (v *View) EachPath(fn func(path string) (more bool)) {
	over := v.over
	for i := range v.base.paths.n {
		p := string(v.base.paths.at(i))
		for len(over) > 0 && over[0].path < p {
			if over[0].blob != "" && !fn(over[0].path) {
				return
			}
			over = over[1:]
		}
		if len(over) > 0 && over[0].path == p {
			gone := over[0].blob == ""
			over = over[1:]
			if gone {
				continue
			}
		}
		if !fn(p) {
			return
		}
	}
	for _, f := range over {
		if f.blob != "" && !fn(f.path) {
			return
		}
	}
}

// Imports is what every file of the tree imports, in the order of paths, files
// without imports included: the material of a dependency graph. It reads the
// changed files. ErrNone without an index.
func (v *View) Imports(ctx context.Context) ([]FileImports, error) {
	if !v.known {
		return nil, ErrNone
	}
	var had [][]lang.Import
	if v.ix != nil && v.base == v.ix.tree {
		var err error
		if had, err = v.ix.imports(); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrNone, err)
		}
	}
	var todo []*overFile
	for _, f := range v.over {
		if f.code {
			todo = append(todo, f)
		}
	}
	if err := v.readAll(ctx, todo); err != nil {
		return nil, err
	}
	var out []FileImports
	var failed error
	i := 0
	v.EachPath(func(p string) bool {
		for i < v.base.paths.n && string(v.base.paths.at(i)) < p {
			i++
		}
		fi := FileImports{Path: p}
		if f := v.overAt(p); f == nil && i < len(had) {
			fi.Imports = had[i]
		} else if f != nil && f.code {
			s, err := v.full(ctx, f)
			if err != nil {
				failed = err
				return false
			}
			if s != nil {
				fi.Imports = s.imports
			}
		}
		out = append(out, fi)
		return true
	})
	return out, failed
}

// sameFold compares with a name that is folded already.
func sameFold(s, folded string) bool {
	if len(s) == len(folded) && strings.EqualFold(s, folded) {
		return strings.ToLower(s) == folded
	}
	for i := 0; i < len(s); i++ {
		if s[i] >= 0x80 {
			return strings.ToLower(s) == folded // folding may change the length
		}
	}
	return false
}

package index

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"path"
	"slices"
	"sort"
	"strings"
	"sync"
)

// Entry is one file of a tree: its path as git has it, its mode as git writes
// it ("100644") and the full name of its blob.
type Entry struct {
	Path string
	Mode string
	Blob string // "" in a patch: the file is gone

	// Content is what the blob holds, where the caller of At has it at hand: it need not
	// be read then. nil says that it is not at hand.
	Content []byte
}

// Flags of a file in a tree.
const (
	flagFile    = 1 << iota // a regular file, executable or not
	flagScanned             // its content went into the table of names
)

// tree is the path list of one commit with what makes questions about it cheap.
// The orders are read from the index file, or made when first asked for.
type tree struct {
	paths strtab
	blobs []byte // hash size + 1 bytes per path: blob id, flags
	width int    // hash size

	orders    sync.Once
	baseOrder u32s // path numbers by (folded base name, path)
	dirs      strtab
	dirOrder  u32s // folder numbers by (folded last part, folder)
	exts      strtab
	extCount  []uint32 // per extension, how many paths
}

// newTree takes entries sorted by path, without doubles.
func newTree(entries []Entry, width int) (*tree, error) {
	paths := make([]string, len(entries))
	blobs := make([]byte, 0, len(entries)*(width+1))
	for i, e := range entries {
		paths[i] = e.Path
		id, err := hex.DecodeString(e.Blob)
		if err != nil || len(id) != width {
			return nil, fmt.Errorf("%s: object name %q is not one of this repository", e.Path, e.Blob)
		}
		blobs = append(blobs, id...)
		flags := byte(0)
		if strings.HasPrefix(e.Mode, "100") {
			flags |= flagFile
		}
		blobs = append(blobs, flags)
	}
	t, err := openStrtab(encodeStrtab(paths))
	if err != nil {
		return nil, err
	}
	return &tree{paths: t, blobs: blobs, width: width}, nil
}

func (t *tree) blob(i int) []byte { return t.blobs[i*(t.width+1) : i*(t.width+1)+t.width] }
func (t *tree) flags(i int) byte  { return t.blobs[i*(t.width+1)+t.width] }

func (t *tree) setFlag(i int, flag byte) { t.blobs[i*(t.width+1)+t.width] |= flag }

// makeOrders computes what an index file would hold ready.
func (t *tree) makeOrders() {
	t.orders.Do(func() {
		if t.baseOrder != nil {
			return
		}
		bases := make([]string, t.paths.n)
		order := make([]uint32, t.paths.n)
		exts := map[string]uint32{}
		var dirs []string
		last := ""
		for i := range bases {
			p := string(t.paths.at(i))
			bases[i] = strings.ToLower(baseOf(p))
			order[i] = uint32(i)
			if e := extOf(bases[i]); e != "" {
				exts[e]++
			}
			dir := dirOf(p)
			if dir == last {
				continue
			}
			for d := dir; d != "" && d != last && !strings.HasPrefix(last, d+"/"); d = dirOf(d) {
				dirs = append(dirs, d)
			}
			last = dir
		}
		sort.Slice(order, func(a, b int) bool {
			x, y := bases[order[a]], bases[order[b]]
			return x < y || x == y && order[a] < order[b]
		})
		t.baseOrder = encodeU32s(order)
		slices.Sort(dirs)
		dirs = slices.Compact(dirs)
		names := make([]string, len(dirs))
		order = make([]uint32, len(dirs))
		for i, d := range dirs {
			names[i], order[i] = strings.ToLower(baseOf(d)), uint32(i)
		}
		sort.Slice(order, func(a, b int) bool {
			x, y := names[order[a]], names[order[b]]
			return x < y || x == y && order[a] < order[b]
		})
		t.dirs, _ = openStrtab(encodeStrtab(dirs))
		t.dirOrder = encodeU32s(order)
		list := make([]string, 0, len(exts))
		for e := range exts {
			list = append(list, e)
		}
		slices.Sort(list)
		t.exts, _ = openStrtab(encodeStrtab(list))
		t.extCount = make([]uint32, len(list))
		for i, e := range list {
			t.extCount[i] = exts[e]
		}
	})
}

// encodeTo puts the tree into its sections.
func (t *tree) encodeTo(s *[sectionCount][]byte) {
	t.makeOrders()
	s[secPaths] = encodeTab(&t.paths)
	s[secBlobs] = t.blobs
	s[secBaseOrder] = t.baseOrder
	s[secDirs] = encodeTab(&t.dirs)
	s[secDirOrder] = t.dirOrder
	s[secExts] = append(encodeU32s(append([]uint32{uint32(len(t.extCount))}, t.extCount...)), encodeTab(&t.exts)...)
}

func encodeTab(t *strtab) []byte {
	b := le.AppendUint32(make([]byte, 0, 4+len(t.ends)+len(t.data)), uint32(t.n))
	b = append(b, t.ends...)
	return append(b, t.data...)
}

// openTree is the reverse of encodeTo.
func openTree(s *[sectionCount][]byte, width int) (*tree, error) {
	t := &tree{width: width, blobs: s[secBlobs]}
	var err error
	if t.paths, err = openStrtab(s[secPaths]); err != nil {
		return nil, err
	}
	if !t.paths.sorted() || len(t.blobs) != t.paths.n*(width+1) {
		return nil, fmt.Errorf("%w: paths", errBroken)
	}
	if t.baseOrder, err = openU32s(s[secBaseOrder], t.paths.n, t.paths.n); err != nil {
		return nil, err
	}
	if t.dirs, err = openStrtab(s[secDirs]); err != nil {
		return nil, err
	}
	if t.dirOrder, err = openU32s(s[secDirOrder], t.dirs.n, t.dirs.n); err != nil {
		return nil, err
	}
	b := s[secExts]
	if len(b) < 4 || uint64(le.Uint32(b)) > uint64(len(b)-4)/4 {
		return nil, fmt.Errorf("%w: extensions", errBroken)
	}
	n := int(le.Uint32(b))
	t.extCount = make([]uint32, n)
	for i := range t.extCount {
		t.extCount[i] = le.Uint32(b[4+4*i:])
	}
	if t.exts, err = openStrtab(b[4+4*n:]); err != nil {
		return nil, err
	}
	if t.exts.n != n || !t.exts.sorted() || !t.dirs.sorted() {
		return nil, fmt.Errorf("%w: extensions", errBroken)
	}
	return t, nil
}

// find is the number of a path, -1 when the tree does not have it.
func (t *tree) find(p string) int { return t.paths.find(p) }

// under counts the paths below a folder; "" is the root.
func (t *tree) under(dir string) int {
	if dir == "" {
		return t.paths.n
	}
	lo, hi := t.paths.prefixed(dir + "/")
	return hi - lo
}

// eachBase calls fn for the paths whose folded base name begins with prefix, in
// the order of their base names, until fn says stop.
func (t *tree) eachBase(prefix string, fn func(path, foldedBase string) (more bool)) {
	t.makeOrders()
	lo := sort.Search(t.paths.n, func(i int) bool {
		return foldBase(t.paths.at(t.baseOrder.at(i))) >= prefix
	})
	for ; lo < t.paths.n; lo++ {
		p := t.paths.at(t.baseOrder.at(lo))
		b := foldBase(p)
		if !strings.HasPrefix(b, prefix) || !fn(string(p), b) {
			return
		}
	}
}

// eachDir calls fn for the folders whose folded last part is name.
func (t *tree) eachDir(name string, fn func(dir string)) {
	t.makeOrders()
	lo := sort.Search(t.dirs.n, func(i int) bool {
		return foldBase(t.dirs.at(t.dirOrder.at(i))) >= name
	})
	for ; lo < t.dirs.n; lo++ {
		d := t.dirs.at(t.dirOrder.at(lo))
		if foldBase(d) != name {
			return
		}
		fn(string(d))
	}
}

// withExt counts the paths that have the extension.
func (t *tree) withExt(ext string) int {
	t.makeOrders()
	if i := t.exts.find(ext); i >= 0 {
		return int(t.extCount[i])
	}
	return 0
}

func foldBase(p []byte) string {
	if i := bytes.LastIndexByte(p, '/'); i >= 0 {
		p = p[i+1:]
	}
	return strings.ToLower(string(p))
}

// baseOf, dirOf are path.Base and path.Dir without cleaning: git's paths are
// clean, and hostile ones must not be mended into others.
func baseOf(p string) string { return p[strings.LastIndexByte(p, '/')+1:] }

func dirOf(p string) string {
	if i := strings.LastIndexByte(p, '/'); i >= 0 {
		return p[:i]
	}
	return ""
}

// extOf is the extension of a folded base name without its dot; "" for a dot
// file without a further one.
func extOf(base string) string {
	e := path.Ext(base)
	if len(e) < 2 || len(e) == len(base) {
		return ""
	}
	return e[1:]
}

// stemOf is a folded base name up to its first dot, less a trailing _test or _spec.
func stemOf(base string) string {
	if i := strings.IndexByte(base, '.'); i >= 0 {
		base = base[:i]
	}
	for _, tail := range [...]string{"_test", "_spec"} {
		if len(base) > len(tail) && strings.HasSuffix(base, tail) {
			return base[:len(base)-len(tail)]
		}
	}
	return base
}

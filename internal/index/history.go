package index

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math/bits"
	"slices"
	"sort"
	"strings"
	"sync"

	"github.com/saysolint/sayso/internal/text"
)

// row is one commit as the history index keeps it. Merges have a row for the
// sake of ancestry, and nothing said or touched.
type row struct {
	id      string   // full hexadecimal hash
	parents []string // likewise
	subject string
	paths   []string // touched, old and new names
}

// none is the number of a commit that the index does not have.
const none = ^uint32(0)

// Kinds of keys of history postings: the first byte of a key.
const (
	keyWord  = 'w' // stem of a subject word: commits that say it
	keyScope = 's' // folded header scope or prefix: commits that say it
	keyNamed = 'n' // the same scope: those of them with a path that has it as a component, or as the start of one
	keyPath  = 'p' // file or folder: commits that touch it, or something below it
	keyEcho  = 'e' // stem of a subject word: those that say it with a path that has it
)

// maxRowPaths bounds what one commit adds: of a commit that touches more files,
// the rest of them is not recorded.
const maxRowPaths = 5000

// past is the decoded history section: commits numbered parents first.
type past struct {
	n       int
	width   int
	ids     []byte // n sorted commit ids
	numbers u32s   // number of the i-th id
	order   u32s   // index in ids of a number
	first   u32s   // first parent's number, none
	second  u32s   // second parent's number, none
	more    map[uint32][]uint32
	merge   bitset
	keys    strtab
	ends    u32s // end of each key's posting
	posts   []byte
}

type bitset []uint64

func newBitset(n int) bitset       { return make(bitset, (n+63)/64) }
func (b bitset) has(i uint32) bool { return b[i>>6]>>(i&63)&1 != 0 }
func (b bitset) set(i uint32)      { b[i>>6] |= 1 << (i & 63) }
func (b bitset) count() (n int) {
	for _, w := range b {
		n += bits.OnesCount64(w)
	}
	return n
}

// pastBuilder collects rows, in any order, and makes the sections.
type pastBuilder struct {
	width int
	ids   []string // hexadecimal, by number in this builder
	num   map[string]uint32
	par   [][]string
	merge []bool
	posts map[string][]uint32 // ascending numbers of this builder
	stems map[string]string
	paths pathStems
}

func newPastBuilder(width int) *pastBuilder {
	return &pastBuilder{width: width, num: map[string]uint32{}, posts: map[string][]uint32{}, stems: map[string]string{}}
}

// add takes a row. Parents need not have been added before.
func (b *pastBuilder) add(r row) {
	if _, dup := b.num[r.id]; dup || len(r.id) != 2*b.width {
		return
	}
	n := uint32(len(b.ids))
	b.ids = append(b.ids, r.id)
	b.num[r.id] = n
	b.par = append(b.par, r.parents)
	b.merge = append(b.merge, len(r.parents) > 1)
	if len(r.parents) > 1 {
		return
	}
	paths := r.paths
	if len(paths) > maxRowPaths {
		paths = paths[:maxRowPaths]
	}
	h := text.ParseHeader(r.subject)
	var said []string
	text.EachWord(h.Rest, func(w string) {
		s, ok := b.stems[w]
		if !ok {
			s = text.Stem(w)
			b.stems[w] = s
		}
		if b.post(keyWord, s, n) {
			said = append(said, s)
		}
	})
	b.paths.each(paths, func(s string) {
		if slices.Contains(said, s) {
			b.post(keyEcho, s, n)
		}
	})
	if len(h.Scopes) > 0 {
		b.post(keyScope, anyScope, n)
	}
	for _, s := range h.Scopes {
		f := foldScope(s)
		b.post(keyScope, f, n)
		if slices.ContainsFunc(paths, func(p string) bool { return namesPath(f, p) }) {
			b.post(keyNamed, f, n)
		}
	}
	for _, p := range paths {
		for b.post(keyPath, p, n) && p != "" {
			p = dirOf(p)
		}
	}
}

// post adds a commit to a posting, and says whether it was not there yet. The
// commits of one key arrive in ascending order.
func (b *pastBuilder) post(kind byte, key string, n uint32) bool {
	k := string(kind) + key
	l := b.posts[k]
	if len(l) > 0 && l[len(l)-1] == n {
		return false
	}
	b.posts[k] = append(l, n)
	return true
}

// addPast takes over the rows of an older history but those that drop says.
func (b *pastBuilder) addPast(h *past, drop bitset) error {
	renumber := make([]uint32, h.n)
	for i := range h.n {
		renumber[i] = none
		if drop != nil && drop.has(uint32(i)) {
			continue
		}
		id := h.id(i)
		if _, dup := b.num[id]; dup {
			continue
		}
		n := uint32(len(b.ids))
		renumber[i] = n
		b.ids = append(b.ids, id)
		b.num[id] = n
		var parents []string
		h.eachParent(uint32(i), func(p uint32) { parents = append(parents, h.id(int(p))) })
		b.par = append(b.par, parents)
		b.merge = append(b.merge, h.merge.has(uint32(i)))
	}
	var list []uint32
	for k := range h.keys.n {
		var err error
		if list, err = h.posting(k, list[:0]); err != nil {
			return err
		}
		out := make([]uint32, 0, len(list)+len(list)/8+1)
		for _, n := range list {
			if m := renumber[n]; m != none {
				out = append(out, m)
			}
		}
		if len(out) > 0 {
			b.posts[string(h.keys.at(k))] = out
		}
	}
	return nil
}

// topological numbers the commits parents first, in the order they came
// otherwise. Rows arrive newest first from git and oldest first from an older
// index; neither is trusted.
func (b *pastBuilder) topological() (numberOf []uint32, ordered []uint32) {
	n := len(b.ids)
	numberOf = make([]uint32, n)
	for i := range numberOf {
		numberOf[i] = none
	}
	ordered = make([]uint32, 0, n)
	type frame struct {
		at   uint32
		next int
	}
	var stack []frame
	entered := newBitset(n)
	for i := n - 1; i >= 0; i-- {
		if entered.has(uint32(i)) {
			continue
		}
		entered.set(uint32(i))
		stack = append(stack[:0], frame{at: uint32(i)})
		for len(stack) > 0 {
			top := &stack[len(stack)-1]
			if top.next < len(b.par[top.at]) {
				p, known := b.num[b.par[top.at][top.next]]
				top.next++
				if known && !entered.has(p) {
					entered.set(p)
					stack = append(stack, frame{at: p})
				}
				continue
			}
			numberOf[top.at] = uint32(len(ordered))
			ordered = append(ordered, top.at)
			stack = stack[:len(stack)-1]
		}
	}
	return numberOf, ordered
}

// encodeTo makes the sections.
func (b *pastBuilder) encodeTo(s *[sectionCount][]byte) {
	numberOf, ordered := b.topological()
	n := len(ordered)
	sorted := slices.Clone(ordered)
	slices.SortFunc(sorted, func(x, y uint32) int { return strings.Compare(b.ids[x], b.ids[y]) })

	c := le.AppendUint32(nil, uint32(n))
	for _, i := range sorted {
		id, err := hex.DecodeString(b.ids[i])
		if err != nil || len(id) != b.width {
			id = make([]byte, b.width)
		}
		c = append(c, id...)
	}
	order := make([]uint32, n)
	for at, i := range sorted {
		c = le.AppendUint32(c, numberOf[i])
		order[numberOf[i]] = uint32(at)
	}
	c = append(c, encodeU32s(order)...)
	var more []byte
	extra := 0
	second := make([]uint32, n)
	for at, i := range ordered {
		list := [2]uint32{none, none}
		k := 0
		for _, p := range b.par[i] {
			q, known := b.num[p]
			// A cycle cannot come from git; should one come from elsewhere, the
			// edge that closes it is cut, so that parents are below children.
			if !known || numberOf[q] >= uint32(at) {
				continue
			}
			if k < 2 {
				list[k] = numberOf[q]
			} else {
				more = binary.AppendUvarint(more, uint64(at))
				more = binary.AppendUvarint(more, uint64(numberOf[q]))
				extra++
			}
			k++
		}
		c = le.AppendUint32(c, list[0])
		second[at] = list[1]
	}
	c = append(c, encodeU32s(second)...)
	merge := make([]byte, (n+7)/8)
	for at, i := range ordered {
		if b.merge[i] {
			merge[at>>3] |= 1 << (at & 7)
		}
	}
	c = append(c, merge...)
	c = binary.AppendUvarint(c, uint64(extra))
	s[secCommits] = append(c, more...)

	keys := make([]string, 0, len(b.posts))
	for k := range b.posts {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	var posts []byte
	ends := make([]uint32, len(keys))
	var list []uint32
	for i, k := range keys {
		list = list[:0]
		for _, at := range b.posts[k] {
			list = append(list, numberOf[at])
		}
		slices.Sort(list)
		posts = appendNumbers(posts, list, n)
		ends[i] = uint32(len(posts))
	}
	s[secKeys] = encodeStrtab(keys)
	s[secPosts] = append(encodeU32s(ends), posts...)
}

// A posting is a tag byte and the numbers: as steps while they are few, as a bit
// per commit when that is shorter.
const (
	postSteps = 0
	postBits  = 1
)

func appendNumbers(b []byte, list []uint32, n int) []byte {
	if len(list) > n/8 && len(list) > 16 {
		b = append(b, postBits)
		at := len(b)
		b = append(b, make([]byte, (n+7)/8)...)
		for _, v := range list {
			b[at+int(v>>3)] |= 1 << (v & 7)
		}
		return b
	}
	b = append(b, postSteps)
	prev := uint32(0)
	for _, v := range list {
		b = binary.AppendUvarint(b, uint64(v-prev))
		prev = v
	}
	return b
}

// openPast is the reverse of encodeTo.
func openPast(commits, keys, posts []byte, width int) (*past, error) {
	bad := func() (*past, error) { return nil, fmt.Errorf("%w: history", errBroken) }
	if len(commits) < 4 {
		return bad()
	}
	n := uint64(le.Uint32(commits))
	rest := commits[4:]
	if n*uint64(width+16)+(n+7)/8 > uint64(len(rest)) {
		return bad()
	}
	h := &past{n: int(n), width: width}
	take := func(k int) []byte { b := rest[:k]; rest = rest[k:]; return b }
	h.ids = take(h.n * width)
	var err error
	if h.numbers, err = openU32s(take(4*h.n), h.n, h.n); err != nil {
		return nil, err
	}
	if h.order, err = openU32s(take(4*h.n), h.n, h.n); err != nil {
		return nil, err
	}
	h.first, h.second = u32s(take(4*h.n)), u32s(take(4*h.n))
	for i := range h.n {
		for _, p := range [...]uint32{uint32(h.first.at(i)), uint32(h.second.at(i))} {
			if p != none && p >= uint32(i) {
				return bad()
			}
		}
	}
	h.merge = newBitset(h.n)
	for i, b := range take((h.n + 7) / 8) {
		h.merge[i>>3] |= uint64(b) << (8 * (i & 7))
	}
	c := cursor{b: rest}
	for k := c.count(); k > 0 && !c.bad; k-- {
		at := c.small(h.n)
		p := c.small(h.n)
		if p >= at {
			return bad()
		}
		if h.more == nil {
			h.more = map[uint32][]uint32{}
		}
		h.more[uint32(at)] = append(h.more[uint32(at)], uint32(p))
	}
	if c.bad || len(c.b) != 0 {
		return bad()
	}
	if h.keys, err = openStrtab(keys); err != nil {
		return nil, err
	}
	if !h.keys.sorted() || len(posts) < 4*h.keys.n {
		return bad()
	}
	h.ends, h.posts = u32s(posts[:4*h.keys.n]), posts[4*h.keys.n:]
	prev := 0
	for i := range h.keys.n {
		e := h.ends.at(i)
		if e < prev || e > len(h.posts) {
			return bad()
		}
		prev = e
	}
	return h, nil
}

// number is the number of a commit, none when the index does not have it.
func (h *past) number(id string) uint32 {
	raw, err := hex.DecodeString(id)
	if err != nil || len(raw) != h.width {
		return none
	}
	i := sort.Search(h.n, func(i int) bool { return bytes.Compare(h.ids[i*h.width:(i+1)*h.width], raw) >= 0 })
	if i < h.n && bytes.Equal(h.ids[i*h.width:(i+1)*h.width], raw) {
		return uint32(h.numbers.at(i))
	}
	return none
}

// id is the hash of the commit with a number.
func (h *past) id(n int) string {
	i := h.order.at(n)
	return hex.EncodeToString(h.ids[i*h.width : (i+1)*h.width])
}

func (h *past) eachParent(n uint32, fn func(uint32)) {
	if p := uint32(h.first.at(int(n))); p != none {
		fn(p)
	}
	if p := uint32(h.second.at(int(n))); p != none {
		fn(p)
	}
	for _, p := range h.more[n] {
		fn(p)
	}
}

// ancestors marks the given commits and everything they descend from.
func (h *past) ancestors(of []uint32) bitset {
	b := newBitset(h.n)
	top := -1
	for _, n := range of {
		b.set(n)
		top = max(top, int(n))
	}
	for w := top >> 6; w >= 0; w-- {
		for i := 63; i >= 0; i-- {
			if b[w]>>i&1 == 0 {
				continue
			}
			n := uint32(w<<6 + i)
			if p := uint32(h.first.at(int(n))); p != none {
				b.set(p)
			}
			if p := uint32(h.second.at(int(n))); p != none {
				b.set(p)
				for _, p := range h.more[n] {
					b.set(p)
				}
			}
		}
	}
	return b
}

// find is the number of a posting, -1 when no commit has the key.
func (h *past) find(kind byte, key string) int {
	lo, hi := 0, h.keys.n
	for lo < hi {
		m := int(uint(lo+hi) >> 1)
		k := h.keys.at(m)
		if len(k) == 0 || k[0] < kind || k[0] == kind && string(k[1:]) < key {
			lo = m + 1
		} else {
			hi = m
		}
	}
	if lo < h.keys.n {
		if k := h.keys.at(lo); len(k) > 0 && k[0] == kind && string(k[1:]) == key {
			return lo
		}
	}
	return -1
}

func (h *past) raw(k int) []byte {
	from := 0
	if k > 0 {
		from = h.ends.at(k - 1)
	}
	return h.posts[from:h.ends.at(k)]
}

// each calls fn for the commits of a posting.
func (h *past) each(k int, fn func(n uint32)) error {
	b := h.raw(k)
	if len(b) == 0 {
		return fmt.Errorf("%w: history posting", errBroken)
	}
	switch tag := b[0]; {
	case tag == postBits && len(b) == 1+(h.n+7)/8:
		for i, w := range b[1:] {
			for ; w != 0; w &= w - 1 {
				n := uint32(i<<3 + bits.TrailingZeros8(w))
				if n >= uint32(h.n) {
					return fmt.Errorf("%w: history posting", errBroken)
				}
				fn(n)
			}
		}
		return nil
	case tag == postSteps:
		b = b[1:]
		v := uint64(0)
		for len(b) > 0 {
			step, k := binary.Uvarint(b)
			v += step
			if k <= 0 || v >= uint64(h.n) || step >= uint64(h.n) {
				return fmt.Errorf("%w: history posting", errBroken)
			}
			b = b[k:]
			fn(uint32(v))
		}
		return nil
	}
	return fmt.Errorf("%w: history posting", errBroken)
}

func (h *past) posting(k int, list []uint32) ([]uint32, error) {
	err := h.each(k, func(n uint32) { list = append(list, n) })
	return list, err
}

// mark sets the commits of a posting.
func (h *past) mark(k int, b bitset) {
	raw := h.raw(k)
	if len(raw) == 1+(h.n+7)/8 && raw[0] == postBits {
		raw = raw[1:]
		i := 0
		for ; len(raw) >= 8; i, raw = i+1, raw[8:] {
			b[i] |= le.Uint64(raw)
		}
		for j, w := range raw {
			b[i] |= uint64(w) << (8 * j)
		}
		return
	}
	_ = h.each(k, b.set) // a broken posting ends early; its section's checksum was right
}

// History answers what the ancestors of one commit said and touched; never a
// descendant, never the commit itself. Its methods read nothing and are safe
// for concurrent use. The zero value knows of no commit.
type History struct {
	h       *past
	mask    bitset // the ancestors that are no merges
	commits int
	extra   []said // ancestors that the index does not have

	mu   sync.Mutex
	last [2]marked // the latest answers, the newer one first
}

// marked is the ancestors that touched some folders and files, joined by NUL.
type marked struct {
	dirs string
	mark bitset
}

func newHistory(h *past, tips []uint32) *History {
	if h == nil {
		return &History{}
	}
	m := h.ancestors(tips)
	for i := range m {
		m[i] &^= h.merge[i]
	}
	return &History{h: h, mask: m, commits: m.count()}
}

// Commits is the number of ancestors that are no merges, as far back as the
// index goes; 0 when nothing is known.
func (x *History) Commits() int { return x.commits }

// Scope counts the ancestors whose subject has the header scope or prefix,
// without regard to case, and those of them that touched a path which has it as
// a whole component: a folder, a file or a file's stem.
func (x *History) Scope(scope string) (said, named int) {
	f := foldScope(scope)
	return x.count(keyScope, f), x.count(keyNamed, f)
}

// ScopeTouching counts the ancestors with the scope that touched something
// directly in or below one of dirs. A dir may also be a file; "" is the root.
func (x *History) ScopeTouching(scope string, dirs []string) int {
	return x.countTouching(keyScope, foldScope(scope), dirs)
}

// Word counts the ancestors whose subject, less its header, has the stem.
func (x *History) Word(stem string) int { return x.count(keyWord, stem) }

// WordTouching counts those of them that touched something in or below one of dirs.
func (x *History) WordTouching(stem string, dirs []string) int {
	return x.countTouching(keyWord, stem, dirs)
}

// Touching counts the ancestors that touched something in or below one of dirs.
func (x *History) Touching(dirs []string) int {
	n := x.marked(dirs).count()
	for i := range x.extra {
		if x.extra[i].touches(dirs) {
			n++
		}
	}
	return n
}

func (x *History) count(kind byte, key string) int {
	n := x.posted(kind, key, x.mask)
	for i := range x.extra {
		if x.extra[i].says(kind, key) {
			n++
		}
	}
	return n
}

func (x *History) countTouching(kind byte, key string, dirs []string) int {
	n := x.posted(kind, key, x.marked(dirs))
	for i := range x.extra {
		if x.extra[i].says(kind, key) && x.extra[i].touches(dirs) {
			n++
		}
	}
	return n
}

// posted counts the commits of a posting that are in a set.
func (x *History) posted(kind byte, key string, in bitset) (n int) {
	if x.h == nil || len(in) == 0 {
		return 0
	}
	k := x.h.find(kind, key)
	if k < 0 {
		return 0
	}
	_ = x.h.each(k, func(c uint32) { n += int(in[c>>6] >> (c & 63) & 1) })
	return n
}

// marked is the ancestors that touched one of dirs. Questions about one change
// come with the same folders and the same files again and again, so the last two answers are kept.
func (x *History) marked(dirs []string) bitset {
	if x.h == nil || len(dirs) == 0 {
		return nil
	}
	key := strings.Join(dirs, "\x00")
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, l := range x.last {
		if l.mark != nil && l.dirs == key {
			return l.mark
		}
	}
	m := newBitset(x.h.n)
	for _, d := range dirs {
		d = strings.TrimSuffix(d, "/")
		if d == "" || d == "." {
			d = "" // the root has a posting of its own
		}
		if k := x.h.find(keyPath, d); k >= 0 {
			x.h.mark(k, m)
		}
	}
	for i := range m {
		m[i] &= x.mask[i]
	}
	x.last[0], x.last[1] = marked{key, m}, x.last[0]
	return m
}

// foldScope makes scopes comparable: lower case, no slash at the end.
func foldScope(s string) string {
	return strings.TrimSuffix(strings.ToLower(strings.TrimSpace(s)), "/")
}

// namesPath says whether a path has the folded scope as a component: a folder,
// a file's base name or its stem, with hyphens and underscores the same, or as
// what a component begins with before a hyphen; a scope with slashes has to match
// as many components in a row.
func namesPath(scope, p string) bool {
	if scope == "" {
		return false
	}
	scope = "/" + dashed(scope)
	p = strings.ToLower(p)
	if strings.Contains("/"+dashed(p), scope+"-") {
		return true
	}
	scope += "/"
	return strings.Contains("/"+dashed(p)+"/", scope) ||
		strings.HasSuffix("/"+dashed(dirOf(p)+"/"+stemOf(baseOf(p)))+"/", scope)
}

func dashed(s string) string { return strings.ReplaceAll(s, "_", "-") }

package index

import (
	"encoding/binary"
	"fmt"
	"io"
	"sort"
)

// The table of names maps every identifier of the tree's code to the files that
// have it and the places that define it. It is a sorted table in blocks: keys of
// a block share prefixes, a block has its own checksum and is read when needed.
//
// An entry: shared u, rest u, bytes of the rest, length of the body u, body.
// A body: number of uses u, files as steps; number of definitions u, (step of the
// file, line) pairs. Files ascend; the first step is the file's number itself.

const blockBytes = 2 << 10

// maxName is the longest name kept: longer ones are data, not names.
const maxName = 120

// posting is what the table knows about one name. Files are numbers of paths.
type posting struct {
	uses []uint32 // ascending
	defs []defAt  // ascending by file, then line
}

type defAt struct{ file, line uint32 }

// tableWriter takes entries in ascending order of name.
type tableWriter struct {
	blocks []byte
	dir    []byte // per block: first key, length, sum
	count  int

	block []byte
	first []byte
	last  []byte
	body  []byte
}

// put adds a name, unless no file has it any more.
func (w *tableWriter) put(name []byte, p *posting) {
	if len(p.uses)+len(p.defs) == 0 {
		return
	}
	w.body = appendPosting(w.body[:0], p)
	shared := 0
	if len(w.block) > 0 {
		for shared < len(name) && shared < len(w.last) && name[shared] == w.last[shared] {
			shared++
		}
	} else {
		w.first = append(w.first[:0], name...)
	}
	w.block = binary.AppendUvarint(w.block, uint64(shared))
	w.block = binary.AppendUvarint(w.block, uint64(len(name)-shared))
	w.block = append(w.block, name[shared:]...)
	w.block = binary.AppendUvarint(w.block, uint64(len(w.body)))
	w.block = append(w.block, w.body...)
	w.last = append(w.last[:0], name...)
	if len(w.block) >= blockBytes {
		w.flush()
	}
}

func (w *tableWriter) flush() {
	if len(w.block) == 0 {
		return
	}
	w.dir = binary.AppendUvarint(w.dir, uint64(len(w.first)))
	w.dir = append(w.dir, w.first...)
	w.dir = binary.AppendUvarint(w.dir, uint64(len(w.block)))
	w.dir = le.AppendUint32(w.dir, sum(w.block))
	w.blocks = append(w.blocks, w.block...)
	w.block = w.block[:0]
	w.count++
}

func (w *tableWriter) finish() (dir, blocks []byte) {
	w.flush()
	head := binary.AppendUvarint(nil, uint64(w.count))
	return append(head, w.dir...), w.blocks
}

func appendPosting(b []byte, p *posting) []byte {
	b = binary.AppendUvarint(b, uint64(len(p.uses)))
	prev := uint32(0)
	for _, f := range p.uses {
		b = binary.AppendUvarint(b, uint64(f-prev))
		prev = f
	}
	b = binary.AppendUvarint(b, uint64(len(p.defs)))
	prev = 0
	for _, d := range p.defs {
		b = binary.AppendUvarint(b, uint64(d.file-prev))
		b = binary.AppendUvarint(b, uint64(d.line))
		prev = d.file
	}
	return b
}

// decode fills p from a body. files bounds the numbers.
func (p *posting) decode(body []byte, files int) error {
	c := cursor{b: body}
	p.uses, p.defs = p.uses[:0], p.defs[:0]
	n, f := c.count(), uint64(0)
	for i := 0; i < n && !c.bad; i++ {
		if f += c.uvarint(); f >= uint64(files) {
			c.bad = true
		}
		p.uses = append(p.uses, uint32(f))
	}
	n, f = c.count(), 0
	for i := 0; i < n && !c.bad; i++ {
		if f += c.uvarint(); f >= uint64(files) {
			c.bad = true
		}
		p.defs = append(p.defs, defAt{uint32(f), uint32(c.small(1 << 31))})
	}
	if c.bad || len(c.b) != 0 {
		p.uses, p.defs = nil, nil
		return fmt.Errorf("%w: posting", errBroken)
	}
	return nil
}

// table reads what tableWriter wrote.
type table struct {
	r     io.ReaderAt
	base  int64
	files int
	first []string
	off   []int64 // one more than blocks
	crc   []uint32
}

func openTable(dir []byte, r io.ReaderAt, e extent, files int) (*table, error) {
	c := cursor{b: dir}
	n := c.count()
	t := &table{r: r, base: int64(e.off), files: files, first: make([]string, 0, n), off: make([]int64, 1, n+1), crc: make([]uint32, 0, n)}
	end := int64(0)
	for i := 0; i < n && !c.bad; i++ {
		first := c.str()
		size := c.small(maxSection)
		s := c.bytes(4)
		if c.bad {
			break
		}
		if i > 0 && first <= t.first[i-1] {
			c.bad = true
		}
		end += int64(size)
		t.first = append(t.first, first)
		t.off = append(t.off, end)
		t.crc = append(t.crc, le.Uint32(s))
	}
	if c.bad || len(c.b) != 0 || end != int64(e.n) {
		return nil, fmt.Errorf("%w: name directory", errBroken)
	}
	return t, nil
}

func (t *table) block(i int) ([]byte, error) {
	b := make([]byte, t.off[i+1]-t.off[i])
	if _, err := t.r.ReadAt(b, t.base+t.off[i]); err != nil {
		return nil, fmt.Errorf("%w: names: %w", errBroken, err)
	}
	if sum(b) != t.crc[i] {
		return nil, fmt.Errorf("%w: names checksum", errBroken)
	}
	return b, nil
}

// lookup fills p with what is known of name; found is false when there is nothing.
func (t *table) lookup(name string, p *posting) (found bool, err error) {
	p.uses, p.defs = p.uses[:0], p.defs[:0]
	i := sort.Search(len(t.first), func(i int) bool { return t.first[i] > name }) - 1
	if i < 0 {
		return false, nil
	}
	b, err := t.block(i)
	if err != nil {
		return false, err
	}
	var key []byte
	c := cursor{b: b}
	for len(c.b) > 0 {
		body := c.entry(&key)
		if c.bad {
			return false, fmt.Errorf("%w: names", errBroken)
		}
		if string(key) == name {
			return true, p.decode(body, t.files)
		}
		if string(key) > name {
			break
		}
	}
	return false, nil
}

// walk steps through all entries of a table, in order.
type walk struct {
	t     *table
	block int
	c     cursor
	name  []byte // of the running entry; valid until the next step
	body  []byte // undecoded
	err   error
}

// next moves to the next entry; false at the end and after an error.
func (w *walk) next() bool {
	for len(w.c.b) == 0 {
		if w.err != nil || w.block == len(w.t.first) {
			return false
		}
		var b []byte
		if b, w.err = w.t.block(w.block); w.err != nil {
			return false
		}
		w.block++
		w.c, w.name = cursor{b: b}, w.name[:0]
	}
	w.body = w.c.entry(&w.name)
	if w.c.bad {
		w.err = fmt.Errorf("%w: names", errBroken)
		return false
	}
	return true
}

// entry reads one entry: key holds the one before and becomes this one's.
func (c *cursor) entry(key *[]byte) (body []byte) {
	shared := c.small(len(*key) + 1)
	rest := c.bytes(c.count())
	*key = append((*key)[:shared], rest...)
	return c.bytes(c.count())
}

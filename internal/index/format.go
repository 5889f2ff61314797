package index

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
)

// The file: a header of fixed size, then the sections one after the other.
//
//	magic     8 bytes
//	version   u32
//	sections  u32, always sectionCount
//	per section: offset u64, length u64, CRC-32C u32
//	CRC-32C of all of the above, u32
//
// All numbers are little endian. The names section is checked block by block
// (its sum in the header is that of nothing); all others are checked whole.
const (
	magic         = "SAYSOIDX"
	formatVersion = 4 // raise it as well when what is scanned out of a file changes
	headerSize    = 8 + 4 + 4 + sectionCount*20 + 4
	maxSection    = 1 << 31 // nothing in a section is addressed with more than 31 bits
)

// The sections of a file, in order.
const (
	secMeta       = iota // what the index is of
	secPaths             // paths of the tree, sorted
	secBlobs             // blob id and flags per path
	secBaseOrder         // path numbers by folded base name
	secDirs              // folders, sorted
	secDirOrder          // folder numbers by folded last part
	secExts              // extensions with counts
	secNameDir           // directory of the blocks of secNames
	secNames             // names to files, in blocks
	secImportStrs        // distinct import paths
	secImports           // imports per path
	secCommits           // commit ids, numbers, parents
	secKeys              // keys of the history postings
	secPosts             // history postings
	sectionCount
)

var (
	le = binary.LittleEndian

	// errBroken is the one cause of every refusal of a file's content.
	errBroken = errors.New("index file is not usable")
)

func sum(b []byte) uint32 { return crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)) }

type extent struct {
	off, n uint64
	crc    uint32
}

// layout is a decoded header.
type layout [sectionCount]extent

// encodeFile puts the sections behind their header.
func encodeFile(sections *[sectionCount][]byte) []byte {
	total := headerSize
	for _, s := range sections {
		total += len(s)
	}
	out := make([]byte, headerSize, total)
	copy(out, magic)
	le.PutUint32(out[8:], formatVersion)
	le.PutUint32(out[12:], sectionCount)
	at := 16
	off := uint64(headerSize)
	for i, s := range sections {
		le.PutUint64(out[at:], off)
		le.PutUint64(out[at+8:], uint64(len(s)))
		if i != secNames {
			le.PutUint32(out[at+16:], sum(s))
		}
		off += uint64(len(s))
		at += 20
	}
	le.PutUint32(out[at:], sum(out[:at]))
	for _, s := range sections {
		out = append(out, s...)
	}
	return out
}

// readLayout reads and checks the header of a file of the given size.
func readLayout(r io.ReaderAt, size int64) (*layout, error) {
	var h [headerSize]byte
	if size < headerSize {
		return nil, fmt.Errorf("%w: %d bytes", errBroken, size)
	}
	if _, err := r.ReadAt(h[:], 0); err != nil {
		return nil, fmt.Errorf("%w: %w", errBroken, err)
	}
	if string(h[:8]) != magic || le.Uint32(h[8:]) != formatVersion || le.Uint32(h[12:]) != sectionCount {
		return nil, fmt.Errorf("%w: foreign version", errBroken)
	}
	at := headerSize - 4
	if le.Uint32(h[at:]) != sum(h[:at]) {
		return nil, fmt.Errorf("%w: header checksum", errBroken)
	}
	l := new(layout)
	next := uint64(headerSize)
	for i := range l {
		b := h[16+20*i:]
		e := extent{le.Uint64(b), le.Uint64(b[8:]), le.Uint32(b[16:])}
		if e.off != next || e.n > maxSection || e.off+e.n > uint64(size) {
			return nil, fmt.Errorf("%w: section %d lies outside", errBroken, i)
		}
		next = e.off + e.n
		l[i] = e
	}
	if next != uint64(size) {
		return nil, fmt.Errorf("%w: %d bytes where %d belong", errBroken, size, next)
	}
	return l, nil
}

// read returns one whole section after checking its sum.
func (l *layout) read(r io.ReaderAt, section int) ([]byte, error) {
	var s [sectionCount][]byte
	err := l.readRun(r, section, section, &s)
	return s[section], err
}

// readRun fills s with the sections first to last, which lie one behind the other,
// by one read, after checking the sum of each.
func (l *layout) readRun(r io.ReaderAt, first, last int, s *[sectionCount][]byte) error {
	off := l[first].off
	b := make([]byte, l[last].off+l[last].n-off)
	prefault(b)
	if len(b) > 0 {
		if _, err := r.ReadAt(b, int64(off)); err != nil {
			return fmt.Errorf("%w: section %d: %w", errBroken, first, err)
		}
	}
	for i := first; i <= last; i++ {
		e := l[i]
		part := b[e.off-off : e.off-off+e.n : e.off-off+e.n]
		if sum(part) != e.crc {
			return fmt.Errorf("%w: section %d checksum", errBroken, i)
		}
		s[i] = part
	}
	return nil
}

// cursor reads numbers and runs of bytes from a section. After a read past the
// end every read gives zero and bad is set: callers check once.
type cursor struct {
	b   []byte
	bad bool
}

func (c *cursor) uvarint() uint64 {
	v, n := binary.Uvarint(c.b)
	if n <= 0 {
		c.bad, c.b = true, nil
		return 0
	}
	c.b = c.b[n:]
	return v
}

// count reads a number of things of which each takes at least one byte of what is left.
func (c *cursor) count() int {
	v := c.uvarint()
	if v > uint64(len(c.b)) {
		c.bad, c.b = true, nil
		return 0
	}
	return int(v)
}

// small reads a number below limit.
func (c *cursor) small(limit int) int {
	v := c.uvarint()
	if v >= uint64(limit) {
		c.bad, c.b = true, nil
		return 0
	}
	return int(v)
}

func (c *cursor) bytes(n int) []byte {
	if n < 0 || n > len(c.b) {
		c.bad, c.b = true, nil
		return nil
	}
	b := c.b[:n:n]
	c.b = c.b[n:]
	return b
}

func (c *cursor) str() string { return string(c.bytes(c.count())) }

func appendStr(b []byte, s string) []byte {
	b = binary.AppendUvarint(b, uint64(len(s)))
	return append(b, s...)
}

// strtab is a list of strings as it lies in a section: count u32, count+1 end
// offsets u32 (the first is 0), then the bytes.
type strtab struct {
	n    int
	ends []byte
	data []byte
}

func encodeStrtab(list []string) []byte {
	size := 0
	for _, s := range list {
		size += len(s)
	}
	b := make([]byte, 0, 4+4*(len(list)+1)+size)
	b = le.AppendUint32(b, uint32(len(list)))
	end := uint32(0)
	b = le.AppendUint32(b, end)
	for _, s := range list {
		end += uint32(len(s))
		b = le.AppendUint32(b, end)
	}
	for _, s := range list {
		b = append(b, s...)
	}
	return b
}

func openStrtab(b []byte) (strtab, error) {
	if len(b) < 8 {
		return strtab{}, fmt.Errorf("%w: string table", errBroken)
	}
	n := uint64(le.Uint32(b))
	if n > uint64(len(b)-8)/4 {
		return strtab{}, fmt.Errorf("%w: string table", errBroken)
	}
	t := strtab{n: int(n), ends: b[4 : 4+4*(n+1)], data: b[4+4*(n+1):]}
	prev := uint32(0)
	for i := 0; i <= t.n; i++ {
		e := le.Uint32(t.ends[4*i:])
		if e < prev || uint64(e) > uint64(len(t.data)) {
			return strtab{}, fmt.Errorf("%w: string table", errBroken)
		}
		prev = e
	}
	if uint64(prev) != uint64(len(t.data)) || le.Uint32(t.ends) != 0 {
		return strtab{}, fmt.Errorf("%w: string table", errBroken)
	}
	return t, nil
}

// at is the i-th string, still in the section's memory.
func (t *strtab) at(i int) []byte {
	return t.data[le.Uint32(t.ends[4*i:]):le.Uint32(t.ends[4*i+4:])]
}

// search is the number of the first string not below key.
func (t *strtab) search(key string) int {
	lo, hi := 0, t.n
	for lo < hi {
		m := int(uint(lo+hi) >> 1)
		if string(t.at(m)) < key {
			lo = m + 1
		} else {
			hi = m
		}
	}
	return lo
}

// find is the number of key, -1 when the table does not have it.
func (t *strtab) find(key string) int {
	if i := t.search(key); i < t.n && string(t.at(i)) == key {
		return i
	}
	return -1
}

// prefixed is the run of strings [lo, hi) that begin with prefix.
func (t *strtab) prefixed(prefix string) (lo, hi int) {
	lo = t.search(prefix)
	l, h := lo, t.n
	for l < h {
		m := int(uint(l+h) >> 1)
		s := t.at(m)
		if len(s) >= len(prefix) && string(s[:len(prefix)]) == prefix {
			l = m + 1
		} else {
			h = m
		}
	}
	return lo, l
}

// sorted reports whether the strings strictly ascend.
func (t *strtab) sorted() bool {
	for i := 1; i < t.n; i++ {
		if string(t.at(i-1)) >= string(t.at(i)) {
			return false
		}
	}
	return true
}

// u32s is a section of numbers.
type u32s []byte

func encodeU32s(list []uint32) []byte {
	b := make([]byte, 0, 4*len(list))
	for _, v := range list {
		b = le.AppendUint32(b, v)
	}
	return b
}

// openU32s accepts exactly n numbers, each below limit.
func openU32s(b []byte, n, limit int) (u32s, error) {
	if len(b) != 4*n {
		return nil, fmt.Errorf("%w: number table", errBroken)
	}
	for i := 0; i < n; i++ {
		if le.Uint32(b[4*i:]) >= uint32(limit) {
			return nil, fmt.Errorf("%w: number table", errBroken)
		}
	}
	return u32s(b), nil
}

func (u u32s) at(i int) int { return int(le.Uint32(u[4*i:])) }

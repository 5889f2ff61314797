package recall

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"time"
)

// magic begins the file; its number changes with the format, with what terms are, and
// with what documents hold.
const magic = "sayso recall 1\n"

var errForeign = errors.New("not an index of this version, or damaged")

// table is that of CRC-32C, which the library makes once, when it is first asked for.
func table() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) }

// encode is a segment as a file: magic, checksum of the rest, then each part behind
// its length.
func (s *Segment) encode() []byte {
	var b []byte
	part := func(p []byte) {
		b = binary.LittleEndian.AppendUint32(b, uint32(len(p)))
		b = append(b, p...)
	}
	for _, p := range [][]byte{[]byte(s.key), s.coverage, packed(s.lengths), packed(s.docAt), s.docs, packed(s.termAt), s.terms, packed(s.postAt), s.posts} {
		part(p)
	}
	return seal(append(make([]byte, len(magic)+4, len(magic)+4+len(b)), b...))
}

// seal writes magic and checksum in front of what follows them.
func seal(b []byte) []byte {
	copy(b, magic)
	binary.LittleEndian.PutUint32(b[len(magic):], crc32.Checksum(b[len(magic)+4:], table()))
	return b
}

// decodeSegment reads a file. The result refers to b.
func decodeSegment(b []byte) (*Segment, error) {
	if len(b) < len(magic)+4 || string(b[:len(magic)]) != magic {
		return nil, errForeign
	}
	sum := binary.LittleEndian.Uint32(b[len(magic):])
	b = b[len(magic)+4:]
	if crc32.Checksum(b, table()) != sum {
		return nil, errForeign
	}
	var parts [9][]byte
	for i := range parts {
		if len(b) < 4 {
			return nil, errForeign
		}
		n := int(binary.LittleEndian.Uint32(b))
		if n < 0 || n > len(b)-4 {
			return nil, errForeign
		}
		parts[i], b = b[4:4+n], b[4+n:]
	}
	s := &Segment{
		key: string(parts[0]), coverage: parts[1], lengths: unpacked(parts[2]),
		docAt: unpacked(parts[3]), docs: parts[4], termAt: unpacked(parts[5]), terms: parts[6], postAt: unpacked(parts[7]), posts: parts[8],
	}
	if len(b) > 0 || len(s.docAt) != len(s.lengths)+1 || len(s.postAt) != len(s.termAt) ||
		!rises(s.docAt, len(s.docs)) || !rises(s.termAt, len(s.terms)) || !rises(s.postAt, len(s.posts)) {
		return nil, errForeign
	}
	for _, n := range s.lengths {
		s.total += uint64(n)
	}
	return s, nil
}

// rises says whether offsets begin at 0, never fall, and end at the end.
func rises(at []uint32, end int) bool {
	if len(at) == 0 || at[0] != 0 || int(at[len(at)-1]) != end {
		return false
	}
	for i := 1; i < len(at); i++ {
		if at[i] < at[i-1] {
			return false
		}
	}
	return true
}

func packed(list []uint32) []byte {
	b := make([]byte, 0, 4*len(list))
	for _, n := range list {
		b = binary.LittleEndian.AppendUint32(b, n)
	}
	return b
}

func unpacked(b []byte) []uint32 {
	list := make([]uint32, len(b)/4)
	for i := range list {
		list[i] = binary.LittleEndian.Uint32(b[4*i:])
	}
	return list
}

func appendDocument(b []byte, d *Document) []byte {
	str := func(s string) {
		b = binary.AppendUvarint(b, uint64(len(s)))
		b = append(b, s...)
	}
	for _, s := range []string{string(d.Kind), string(d.Tier), d.ID, d.Sub, d.Head, d.Body, d.Commit, d.Subject, d.Checkpoint, d.Place, d.Tag, d.Reviewer} {
		str(s)
	}
	var when int64
	if !d.When.IsZero() {
		when = d.When.Unix()
	}
	b = binary.AppendVarint(b, when)
	for _, list := range [][]string{d.Paths, d.Globs, d.Links, d.Partial} {
		b = binary.AppendUvarint(b, uint64(len(list)))
		for _, s := range list {
			str(s)
		}
	}
	return b
}

func decodeDocument(b []byte) (Document, error) {
	bad := false
	number := func() int {
		n, k := binary.Uvarint(b)
		if k <= 0 || n > uint64(len(b)-k) { // every counted thing takes a byte at least
			bad, b = true, nil
			return 0
		}
		b = b[k:]
		return int(n)
	}
	str := func() string {
		n := number()
		s := string(b[:n])
		b = b[n:]
		return s
	}
	var d Document
	for _, p := range []*string{(*string)(&d.Kind), (*string)(&d.Tier), &d.ID, &d.Sub, &d.Head, &d.Body, &d.Commit, &d.Subject, &d.Checkpoint, &d.Place, &d.Tag, &d.Reviewer} {
		*p = str()
	}
	when, k := binary.Varint(b)
	if k <= 0 {
		return Document{}, errForeign
	}
	b = b[k:]
	if when != 0 {
		d.When = time.Unix(when, 0).UTC()
	}
	for _, p := range []*[]string{&d.Paths, &d.Globs, &d.Links, &d.Partial} {
		for range number() {
			*p = append(*p, str())
		}
	}
	if bad {
		return Document{}, errForeign
	}
	return d, nil
}

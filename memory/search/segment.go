package search

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"slices"
	"strings"
)

// A segment is an inverted index of entries in one run of bytes:
//
//	magic and version
//	records   the entries as JSON, in the order of the documents
//	postings  for each term, in order, how many documents have it, and which
//	terms     blocks of terms, in order
//	blocks    the first term of each block and where it is
//	docs      a line for each document: see doc
//	footer    where the parts are, with their checksums
//
// Records, posting lists and blocks of terms are read when they are needed, each
// with a checksum of its own; blocks and docs are read at once. The same
// documents give the same bytes, whether built at once or merged from others.

const (
	segmentMagic  = "sayso memory index\x00"
	formatVersion = 1
	blockTerms    = 32
	footerSize    = 8*10 + 4*3
	maxDocs       = 1 << 24
)

// errBroken is an index that is torn, foreign or of another version. It counts
// as no index.
var errBroken = errors.New("broken index")

// castagnoli is the table of CRC-32C, which the library makes once, when it is first asked for.
func castagnoli() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) }

// posting is one document of a term, with how often the term stands in which
// field.
type posting struct {
	doc    uint32
	fields uint16 // bit set of fields
	counts [fieldCount]uint32
}

// segment is an opened one.
type segment struct {
	r      io.ReaderAt
	size   int64
	docs   []doc
	blocks []block
	terms  section
}

type section struct {
	at, len int64
	sum     uint32
}

// block is a run of terms.
type block struct {
	first    string
	at       int64 // of the block
	postings int64 // where the posting list of its first term is
}

// writer writes a segment, part after part.
type writer struct {
	w        *bufio.Writer
	at       int64
	err      error
	recordAt int64

	head    [binary.MaxVarintLen64]byte
	pending []pendingTerm
	dict    []byte
	blocks  []block
	plistAt int64
}

type pendingTerm struct {
	term string
	len  int
}

func newWriter(w io.Writer) *writer {
	out := &writer{w: bufio.NewWriterSize(w, 1<<16)}
	out.write([]byte(segmentMagic))
	out.write(binary.LittleEndian.AppendUint32(nil, formatVersion))
	out.recordAt = out.at
	return out
}

func (w *writer) write(b []byte) {
	if w.err == nil {
		_, w.err = w.w.Write(b)
	}
	w.at += int64(len(b))
}

// record writes the record of the next document and returns its length on disk.
func (w *writer) record(js []byte) uint32 {
	w.write(binary.LittleEndian.AppendUint32(nil, crc32.Checksum(js, castagnoli())))
	w.write(js)
	return uint32(len(js)) + 4
}

// term writes the posting list of the next term: how many postings, then each. Terms
// come in order, after all records.
func (w *writer) term(t string, count int, list []byte) {
	head := binary.AppendUvarint(w.head[:0], uint64(count))
	if w.plistAt == 0 {
		w.plistAt = w.at
	}
	if len(w.pending) == blockTerms {
		w.flush()
	}
	if len(w.pending) == 0 {
		w.blocks = append(w.blocks, block{first: t, at: int64(len(w.dict)), postings: w.at})
	}
	w.write(binary.LittleEndian.AppendUint32(nil, crc32.Update(crc32.Checksum(head, castagnoli()), castagnoli(), list)))
	w.write(head)
	w.write(list)
	w.pending = append(w.pending, pendingTerm{t, len(head) + len(list) + 4})
}

func (w *writer) flush() {
	if len(w.pending) == 0 {
		return
	}
	var b []byte
	b = binary.AppendUvarint(b, uint64(len(w.pending)))
	last := ""
	for _, p := range w.pending {
		n := commonPrefix(last, p.term)
		b = binary.AppendUvarint(b, uint64(n))
		b = appendString(b, p.term[n:])
		b = binary.AppendUvarint(b, uint64(p.len))
		last = p.term
	}
	w.dict = binary.LittleEndian.AppendUint32(w.dict, crc32.Checksum(b, castagnoli()))
	w.dict = append(w.dict, b...)
	w.pending = w.pending[:0]
}

// finish writes what comes behind the posting lists. build names the program
// that read the entries: another one may read them differently.
func (w *writer) finish(docs []doc, build string) error {
	w.flush()
	if w.plistAt == 0 {
		w.plistAt = w.at
	}
	terms := section{w.at, int64(len(w.dict)), 0}
	w.write(w.dict)
	var b []byte
	b = binary.AppendUvarint(b, uint64(len(w.blocks)))
	for _, bl := range w.blocks {
		b = appendString(b, bl.first)
		b = binary.AppendUvarint(b, uint64(bl.at))
		b = binary.AppendUvarint(b, uint64(bl.postings))
	}
	blocks := section{w.at, int64(len(b)), crc32.Checksum(b, castagnoli())}
	w.write(b)
	b = appendString(nil, build)
	b = binary.AppendUvarint(b, uint64(len(docs)))
	for i := range docs {
		b = docs[i].encode(b)
	}
	list := section{w.at, int64(len(b)), crc32.Checksum(b, castagnoli())}
	w.write(b)
	f := make([]byte, 0, footerSize)
	for _, v := range []int64{w.recordAt, w.plistAt, terms.at, terms.len, blocks.at, blocks.len, list.at, list.len, w.at + footerSize, formatVersion} {
		f = binary.LittleEndian.AppendUint64(f, uint64(v))
	}
	f = binary.LittleEndian.AppendUint32(f, blocks.sum)
	f = binary.LittleEndian.AppendUint32(f, list.sum)
	f = binary.LittleEndian.AppendUint32(f, crc32.Checksum(f, castagnoli()))
	w.write(f)
	if w.err == nil {
		w.err = w.w.Flush()
	}
	return w.err
}

// openSegment opens what [writer] wrote. Anything else is errBroken.
func openSegment(r io.ReaderAt, size int64, build string) (*segment, error) {
	if size < int64(len(segmentMagic)+4+footerSize) {
		return nil, errBroken
	}
	head := make([]byte, len(segmentMagic)+4)
	foot := make([]byte, footerSize)
	if _, err := r.ReadAt(head, 0); err != nil {
		return nil, errBroken
	}
	if _, err := r.ReadAt(foot, size-footerSize); err != nil && !errors.Is(err, io.EOF) {
		return nil, errBroken
	}
	var v [10]int64
	for i := range v {
		v[i] = int64(binary.LittleEndian.Uint64(foot[8*i:]))
	}
	sum := func(i int) uint32 { return binary.LittleEndian.Uint32(foot[80+4*i:]) }
	if string(head[:len(segmentMagic)]) != segmentMagic || v[9] != formatVersion || v[8] != size || sum(2) != crc32.Checksum(foot[:footerSize-4], castagnoli()) {
		return nil, errBroken
	}
	s := &segment{r: r, size: size, terms: section{v[2], v[3], 0}}
	blocks, err := s.read(section{v[4], v[5], sum(0)})
	if err != nil {
		return nil, err
	}
	docs, err := s.read(section{v[6], v[7], sum(1)})
	if err != nil {
		return nil, err
	}
	d := decoder{b: docs}
	if d.string() != build {
		return nil, errBroken
	}
	n := d.uint()
	if n > maxDocs || n > uint64(len(docs)) {
		return nil, errBroken
	}
	s.docs = make([]doc, n)
	at := v[0]
	for i := range s.docs {
		s.docs[i].decode(&d)
		s.docs[i].recordAt = at
		at += int64(s.docs[i].recordLen)
	}
	if d.bad || at > v[1] {
		return nil, errBroken
	}
	d = decoder{b: blocks}
	n = d.uint()
	if n > uint64(len(blocks)) {
		return nil, errBroken
	}
	s.blocks = make([]block, n)
	for i := range s.blocks {
		s.blocks[i] = block{first: d.string(), at: int64(d.uint()), postings: int64(d.uint())}
	}
	if d.bad {
		return nil, errBroken
	}
	return s, nil
}

// read reads a part and holds it against its checksum.
func (s *segment) read(p section) ([]byte, error) {
	if p.at < 0 || p.len < 0 || p.at > s.size || p.len > s.size-p.at {
		return nil, errBroken
	}
	b := make([]byte, p.len)
	if _, err := s.r.ReadAt(b, p.at); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%w: %w", errBroken, err)
	}
	if crc32.Checksum(b, castagnoli()) != p.sum {
		return nil, errBroken
	}
	return b, nil
}

// summed reads a part that begins with its checksum.
func (s *segment) summed(at, length int64) ([]byte, error) {
	if at < 0 || length < 4 || at > s.size || length > s.size-at {
		return nil, errBroken
	}
	b := make([]byte, length)
	if _, err := s.r.ReadAt(b, at); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%w: %w", errBroken, err)
	}
	if crc32.Checksum(b[4:], castagnoli()) != binary.LittleEndian.Uint32(b) {
		return nil, errBroken
	}
	return b[4:], nil
}

// record is the JSON of a document.
func (s *segment) record(i uint32) ([]byte, error) {
	d := &s.docs[i]
	return s.summed(d.recordAt, int64(d.recordLen))
}

// list is the posting list of a term, nil where no document has it.
func (s *segment) list(term string) ([]byte, error) {
	i, found := slices.BinarySearchFunc(s.blocks, term, func(b block, t string) int { return strings.Compare(b.first, t) })
	if !found {
		i--
	}
	if i < 0 {
		return nil, nil
	}
	var out []byte
	err := s.eachTerm(i, func(t string, at, length int64) (bool, error) {
		if t < term {
			return true, nil
		}
		if t > term {
			return false, nil
		}
		var err error
		out, err = s.summed(at, length)
		return false, err
	})
	return out, err
}

// eachTerm walks the terms of a block: fn gets where their posting lists are and says
// whether to go on.
func (s *segment) eachTerm(i int, fn func(term string, at, length int64) (bool, error)) error {
	from, to := s.blocks[i].at, s.terms.len
	if i+1 < len(s.blocks) {
		to = s.blocks[i+1].at
	}
	if from < 0 || to < from || to > s.terms.len {
		return errBroken
	}
	b, err := s.summed(s.terms.at+from, to-from)
	if err != nil {
		return err
	}
	d := decoder{b: b}
	n := d.uint()
	term, at := "", s.blocks[i].postings
	for range n {
		keep := d.uint()
		if keep > uint64(len(term)) || d.bad {
			return errBroken
		}
		term = term[:keep] + d.string()
		length := int64(d.uint())
		if d.bad || length < 4 {
			return errBroken
		}
		if more, err := fn(term, at, length); err != nil || !more {
			return err
		}
		at += length
	}
	return nil
}

// appendPosting writes one posting behind another of the document last.
func appendPosting(b []byte, last uint32, p *posting) []byte {
	b = binary.AppendUvarint(b, uint64(p.doc-last))
	b = binary.AppendUvarint(b, uint64(p.fields))
	for f := range fieldCount {
		if p.fields&(1<<f) != 0 {
			b = binary.AppendUvarint(b, uint64(p.counts[f]))
		}
	}
	return b
}

// howMany is how many postings a list has.
func howMany(list []byte) int {
	d := decoder{b: list}
	return int(min(d.uint(), uint64(len(list))))
}

// postings reads a posting list: fn is called for each posting, in order of the
// documents. The posting is valid until fn returns.
func postings(list []byte, docs int, fn func(p *posting)) error {
	if len(list) == 0 {
		return nil
	}
	d := decoder{b: list}
	d.uint() // how many
	var p posting
	at := uint64(0)
	for len(d.b) > 0 {
		at += d.uint()
		fields := d.uint()
		if d.bad || at >= uint64(docs) || fields == 0 || fields >= 1<<fieldCount {
			return errBroken
		}
		p.doc, p.fields = uint32(at), uint16(fields)
		for f := range fieldCount {
			if fields&(1<<f) != 0 {
				p.counts[f] = uint32(d.uint())
			}
		}
		if d.bad {
			return errBroken
		}
		fn(&p)
	}
	return nil
}

// source is a segment that goes into a merge: to[i] is the new number of its
// document i, -1 for one that is left out. Numbers grow with i.
type source struct {
	*segment
	to []int32
}

// merge writes a segment of the documents of others. docs are the new ones, in
// order; of them recordLen is set here.
func merge(out io.Writer, docs []doc, build string, sources ...source) error {
	w := newWriter(out)
	type origin struct {
		s   int
		doc uint32
	}
	origins := make([]origin, len(docs))
	for s := range sources {
		for i, to := range sources[s].to {
			if to >= 0 {
				origins[to] = origin{s, uint32(i)}
			}
		}
	}
	records := make([]*segment, len(sources))
	for i := range sources {
		records[i] = sources[i].ahead()
	}
	for i := range docs {
		js, err := records[origins[i].s].record(origins[i].doc)
		if err != nil {
			return err
		}
		docs[i].recordLen = w.record(js)
	}
	cursors := make([]*cursor, len(sources))
	for i := range sources {
		cursors[i] = &cursor{seg: sources[i].ahead(), lists: sources[i].ahead(), to: sources[i].to}
		if err := cursors[i].next(); err != nil {
			return err
		}
	}
	var found []posting
	for {
		term, more := "", false
		for _, c := range cursors {
			if c.ok && (!more || c.term < term) {
				term, more = c.term, true
			}
		}
		if !more {
			break
		}
		found = found[:0]
		for _, c := range cursors {
			if !c.ok || c.term != term {
				continue
			}
			list, err := c.lists.summed(c.at, c.len)
			if err != nil {
				return err
			}
			err = postings(list, len(c.to), func(p *posting) {
				if to := c.to[p.doc]; to >= 0 {
					q := *p
					q.doc = uint32(to)
					found = append(found, q)
				}
			})
			if err != nil {
				return err
			}
			if err := c.next(); err != nil {
				return err
			}
		}
		if len(found) == 0 {
			continue
		}
		slices.SortFunc(found, func(a, b posting) int { return cmp.Compare(a.doc, b.doc) })
		w.term(term, len(found), encodePostings(found))
	}
	return w.finish(docs, build)
}

func encodePostings(list []posting) []byte {
	var b []byte
	last := uint32(0)
	for i := range list {
		b = appendPosting(b, last, &list[i])
		last = list[i].doc
	}
	return b
}

// ahead reads on in larger pieces, for what is read from front to back in many small
// ones. It is not for several goroutines at once.
type ahead struct {
	r   io.ReaderAt
	buf []byte
	at  int64
}

// aheadSize is the size of a piece.
const aheadSize = 1 << 16

// ahead is the same segment, read front to back.
func (s *segment) ahead() *segment {
	next := *s
	next.r = &ahead{r: s.r}
	return &next
}

func (a *ahead) ReadAt(p []byte, at int64) (int, error) {
	if len(p) > aheadSize/4 {
		return a.r.ReadAt(p, at)
	}
	if at < a.at || at+int64(len(p)) > a.at+int64(len(a.buf)) {
		buf := a.buf[:0]
		if cap(buf) == 0 {
			buf = make([]byte, 0, aheadSize)
		}
		n, err := a.r.ReadAt(buf[:aheadSize], at)
		a.buf, a.at = buf[:n], at
		if n < len(p) {
			return copy(p, a.buf), err
		}
	}
	return copy(p, a.buf[at-a.at:]), nil
}

// cursor walks all terms of a segment.
type cursor struct {
	seg   *segment
	lists *segment // the same, for posting lists
	to    []int32
	block int
	rest  []cursorTerm

	ok      bool
	term    string
	at, len int64
}

type cursorTerm struct {
	term    string
	at, len int64
}

func (c *cursor) next() error {
	for len(c.rest) == 0 {
		if c.block >= len(c.seg.blocks) {
			c.ok = false
			return nil
		}
		err := c.seg.eachTerm(c.block, func(t string, at, length int64) (bool, error) {
			c.rest = append(c.rest, cursorTerm{t, at, length})
			return true, nil
		})
		if err != nil {
			return err
		}
		c.block++
	}
	c.ok, c.term, c.at, c.len = true, c.rest[0].term, c.rest[0].at, c.rest[0].len
	c.rest = c.rest[1:]
	return nil
}

func commonPrefix(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

func appendString(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// decoder reads values; one that is not there makes it bad for good.
type decoder struct {
	b   []byte
	bad bool
}

func (d *decoder) uint() uint64 {
	v, n := binary.Uvarint(d.b)
	if n <= 0 {
		d.bad, d.b = true, nil
		return 0
	}
	d.b = d.b[n:]
	return v
}

func (d *decoder) int() int64 {
	v, n := binary.Varint(d.b)
	if n <= 0 {
		d.bad, d.b = true, nil
		return 0
	}
	d.b = d.b[n:]
	return v
}

func (d *decoder) bytes(n uint64) []byte {
	if n > uint64(len(d.b)) {
		d.bad, d.b = true, nil
		return nil
	}
	out := d.b[:n]
	d.b = d.b[n:]
	return out
}

func (d *decoder) string() string { return string(d.bytes(d.uint())) }

package search

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/saysolint/sayso/memory"
)

// doc is what the index knows of an entry without reading its record.
type doc struct {
	id         string
	state      memory.State // as the file has it
	kind       memory.Kind
	created    int64    // milliseconds since 1970
	supersedes string   // "" for none
	merged     []string // ids of entries that were merged into it
	length     [fieldCount]uint32
	lang       language // that its words are stemmed in
	hash       [32]byte // SHA-256 of the file
	stat       stat

	recordLen uint32 // on disk, with its checksum
	recordAt  int64
}

// stat is how a file looked when it was read.
type stat struct {
	size  int64
	mtime int64 // nanoseconds since 1970
	inode uint64
	// racy says that the file was so young when it was read that a later write
	// may have left the same time behind: only its content tells.
	racy bool
}

// racyWindow is how old a file has to be for its time to be trusted. Some file
// systems keep times to two seconds; git has the same rule with the time of its
// index.
const racyWindow = 2 * time.Second

func statOf(f memory.File, now time.Time) stat {
	return stat{size: f.Size, mtime: f.ModTime.UnixNano(), inode: f.Inode, racy: f.ModTime.After(now.Add(-racyWindow))}
}

func (d *doc) encode(b []byte) []byte {
	b = appendString(b, d.id)
	b = append(b, byte(slices.Index(memory.States, d.state)), byte(slices.Index(memory.Kinds, d.kind)), byte(d.lang))
	b = binary.AppendVarint(b, d.created)
	b = appendString(b, d.supersedes)
	b = binary.AppendUvarint(b, uint64(len(d.merged)))
	for _, id := range d.merged {
		b = appendString(b, id)
	}
	for _, n := range d.length {
		b = binary.AppendUvarint(b, uint64(n))
	}
	b = append(b, d.hash[:]...)
	b = binary.AppendVarint(b, d.stat.size)
	b = binary.AppendVarint(b, d.stat.mtime)
	b = binary.AppendUvarint(b, d.stat.inode)
	racy := byte(0)
	if d.stat.racy {
		racy = 1
	}
	return binary.AppendUvarint(append(b, racy), uint64(d.recordLen))
}

func (d *doc) decode(r *decoder) {
	d.id = r.string()
	if e := r.bytes(3); len(e) == 3 && int(e[0]) < len(memory.States) && int(e[1]) < len(memory.Kinds) && e[2] < byte(languageCount) {
		d.state, d.kind, d.lang = memory.States[e[0]], memory.Kinds[e[1]], language(e[2])
	} else {
		r.bad = true
	}
	d.created = r.int()
	d.supersedes = r.string()
	if n := r.uint(); n > 0 && n <= uint64(len(r.b)) {
		d.merged = make([]string, n)
		for i := range d.merged {
			d.merged[i] = r.string()
		}
	} else if n > 0 {
		r.bad = true
	}
	for f := range d.length {
		d.length[f] = uint32(r.uint())
	}
	copy(d.hash[:], r.bytes(32))
	d.stat.size, d.stat.mtime, d.stat.inode = r.int(), r.int(), r.uint()
	racy := r.bytes(1)
	d.stat.racy = len(racy) == 1 && racy[0] != 0
	d.recordLen = uint32(r.uint())
	if !memory.ValidID(d.id) || d.recordLen < 4 {
		r.bad = true
	}
}

// pointing says whether d says something of other entries.
func (d *doc) pointing() bool { return d.supersedes != "" || len(d.merged) > 0 }

// build makes a segment of entries, which are sorted by id. stats are those of
// their files, nil for entries that no file on disk has.
func build(entries []memory.Entry, stats map[string]stat, name string) (*segment, error) {
	dict := newDictionary()
	var out bytes.Buffer
	w := newWriter(&out)
	docs := make([]doc, len(entries))
	var lists []growing
	for i := range entries {
		e := &entries[i]
		r := e.Record()
		js, err := json.Marshal(r)
		if err != nil {
			return nil, err
		}
		d := &docs[i]
		*d = doc{id: e.ID, state: e.ReviewState, kind: e.Kind, created: e.CreatedAtMs, supersedes: e.Supersedes, merged: e.MergedFrom, stat: stats[e.ID]}
		d.recordLen = w.record(js)
		_, _ = hex.Decode(d.hash[:], []byte(e.Hash))
		d.length, d.lang = dict.count(&r, func(term uint32, p *posting) {
			for len(lists) < len(dict.terms) {
				lists = append(lists, growing{})
			}
			g := &lists[term]
			p.doc = uint32(i)
			g.b = appendPosting(g.b, g.last, p)
			g.last = p.doc
			g.count++
		})
	}
	order := make([]uint32, len(dict.terms))
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortFunc(order, func(a, b uint32) int { return strings.Compare(dict.terms[a], dict.terms[b]) })
	for _, n := range order {
		w.term(dict.terms[n], lists[n].count, lists[n].b)
	}
	if err := w.finish(docs, name); err != nil {
		return nil, err
	}
	return openSegment(bytes.NewReader(out.Bytes()), int64(out.Len()), name)
}

// growing is a posting list that is being written.
type growing struct {
	b     []byte
	last  uint32
	count int
}

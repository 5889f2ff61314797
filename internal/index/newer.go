package index

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"path/filepath"
	"sync"
	"time"

	"github.com/natefinch/atomic"

	"github.com/saysolint/sayso/internal/git"
)

// What lies between the index's head and the commit that a hook works on is the same
// for one hook after the other: after a pull some hundred commits, and then one more
// with each commit made. It is kept in a file beside the index, so that git walks it
// once and the next hook reads some kilobytes or asks for the last few commits only.

// recent is the commits that the index does not have, as seen from one tip.
type recent struct {
	tip      string
	authored time.Time   // when the tip's author wrote it; zero where it was not read
	rows     []row       // newest first, as git log gives them
	files    []*overFile // how the tip's tree differs from that of the index's head
	grown    int         // how many of rows the file does not have; keepAfter and more ask for a new one
}

// newer is the commits after the index of the tip that was asked for last.
type newer struct {
	mu sync.Mutex
	recent
	cut bool // there are more than maxRecent

	file string // where keep is to be written, "" where there is nothing new to say
	keep []byte
}

func (n *newer) find(tip string) (rows []row, cut, ok bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.rows, n.cut, n.tip == tip
}

func (n *newer) set(r recent, cut bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.recent, n.cut = r, cut
}

// write leaves content to be written to file when the index is closed.
func (n *newer) write(file string, content []byte) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.file, n.keep = file, content
}

// Authored is when the author of a commit wrote it, where Ahead came to know it.
func (ix *Index) Authored(commit string) (when time.Time, known bool) {
	ix.newer.mu.Lock()
	defer ix.newer.mu.Unlock()
	return ix.newer.authored, ix.newer.tip == commit && !ix.newer.authored.IsZero()
}

// save writes what Ahead found. It is a cache of a cache: where it cannot be written
// the next hook walks again.
func (n *newer) save() {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.file != "" {
		_ = atomic.WriteFile(n.file, bytes.NewReader(n.keep))
		n.file, n.keep = "", nil
	}
}

const (
	recentMagic   = "SAYSONEW"
	recentVersion = 1
	maxRecentFile = 1 << 20 // a larger one is neither written nor read
	keepAfter     = 8       // so many commits more than the file has make it worth writing again
)

func recentFile(repo *git.Repo) string { return filepath.Join(folderOf(repo), "newer") }

// encode makes the file: magic, version, CRC-32C of the rest, then what it belongs
// to (the index's head and the shallow boundary), the tip, its rows and differences.
func (r *recent) encode(head, boundary string) []byte {
	b := append(make([]byte, 0, 64<<10), recentMagic...)
	b = le.AppendUint32(b, recentVersion)
	b = le.AppendUint32(b, 0)
	b = appendStr(appendStr(appendStr(b, head), boundary), r.tip)
	dated := byte(1)
	if r.authored.IsZero() {
		dated = 0
	}
	_, offset := r.authored.Zone()
	b = append(b, dated)
	b = binary.AppendVarint(binary.AppendVarint(b, r.authored.Unix()), int64(offset))
	b = binary.AppendUvarint(b, uint64(len(r.rows)))
	for _, c := range r.rows {
		b = appendStrs(appendStr(b, c.id), c.parents)
		b = appendStrs(appendStr(b, c.subject), c.paths)
	}
	b = binary.AppendUvarint(b, uint64(len(r.files)))
	for _, f := range r.files {
		file := byte(0)
		if f.file {
			file = 1
		}
		b = append(appendStr(appendStr(b, f.path), f.blob), file)
	}
	le.PutUint32(b[12:], sum(b[16:]))
	return b
}

func appendStrs(b []byte, list []string) []byte {
	b = binary.AppendUvarint(b, uint64(len(list)))
	for _, s := range list {
		b = appendStr(b, s)
	}
	return b
}

// decodeRecent is the reverse of encode; an error where the file is torn, foreign, or
// belongs to another index.
func decodeRecent(b []byte, base *tree, head, boundary string) (*recent, error) {
	bad := fmt.Errorf("%w: commits after the index", errBroken)
	if len(b) < 16 || string(b[:8]) != recentMagic || le.Uint32(b[8:]) != recentVersion || le.Uint32(b[12:]) != sum(b[16:]) {
		return nil, bad
	}
	c := cursor{b: b[16:]}
	if c.str() != head || c.str() != boundary {
		return nil, bad
	}
	r := &recent{tip: c.str()}
	dated := c.small(2) == 1
	seconds, offset := c.varint(), c.varint()
	if dated {
		r.authored = time.Unix(seconds, 0).In(time.FixedZone("", int(offset)))
	}
	for n := c.count(); n > 0 && !c.bad; n-- {
		r.rows = append(r.rows, row{id: c.str(), parents: c.strs(), subject: c.str(), paths: c.strs()})
	}
	var over []Entry
	for n := c.count(); n > 0 && !c.bad; n-- {
		e := Entry{Path: c.str(), Blob: c.str(), Mode: "120000"}
		if c.small(2) == 1 {
			e.Mode = "100644" // of a mode only this counts: whether it is a regular file
		}
		over = append(over, e)
	}
	if c.bad || len(c.b) != 0 || len(r.tip) != len(head) || len(r.rows) > maxRecent {
		return nil, bad
	}
	r.files = patch(base, nil, over)
	return r, nil
}

func (c *cursor) varint() int64 {
	v, n := binary.Varint(c.b)
	if n <= 0 {
		c.bad, c.b = true, nil
		return 0
	}
	c.b = c.b[n:]
	return v
}

func (c *cursor) strs() []string {
	n := c.count()
	if n == 0 {
		return nil
	}
	list := make([]string, 0, n)
	for ; n > 0 && !c.bad; n-- {
		list = append(list, c.str())
	}
	return list
}

// loadRecent reads the file beside the index, nil where there is none to use.
func (ix *Index) loadRecent(repo *git.Repo, boundary string) *recent {
	f, size, err := regular(recentFile(repo))
	if err != nil {
		return nil
	}
	defer f.Close()
	if size > maxRecentFile {
		return nil
	}
	b := make([]byte, size)
	if _, err := io.ReadFull(f, b); err != nil {
		return nil
	}
	r, err := decodeRecent(b, ix.tree, ix.meta.head, boundary)
	if err != nil {
		return nil
	}
	return r
}

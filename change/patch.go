package change

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/saysolint/sayso/internal/git"
)

// decoder reads one answer of git: the raw entries of all files, and then the
// patch, which it cuts into one section per file. The lines of a file's content
// always begin with ' ', '+', '-' or '\', so a section begins, and the answer
// ends, only where a line says so itself.
type decoder struct {
	reader *Reader
	ch     *Change
	in     *bufio.Reader
	end    string // the line that ends the answer; "" is the end of input
	stat   bool   // entries without a patch are files whose time stamp alone changed

	entries []git.RawEntry
	cur     int // the entry that the last section belonged to
	seen    []bool
	bytes   int64
	lines   int
	capped  bool // the change was too large: the rest of the answer was left unread

	section []byte
	rows    int
	tooBig  bool
}

// sectionBytes is more than two images below bigFile can come to.
const sectionBytes = 3 * bigFileBytes

var errNoTree = errors.New("a tree cannot be read")

func (r *Reader) newDecoder(ch *Change, in *bufio.Reader, end string) *decoder {
	return &decoder{reader: r, ch: ch, in: in, end: end, cur: -1}
}

// run reads the whole answer into the change.
func (d *decoder) run() error {
	if d.end != "" {
		// git repeats the question first, and skips it when it cannot read it.
		head, err := d.in.ReadString('\n')
		if err != nil {
			return eof(err)
		}
		if head == d.end+"\n" {
			return errNoTree
		}
	}
	entries, err := git.ParseRaw(d.in)
	if err != nil {
		return err
	}
	d.entries, d.seen = entries, make([]bool, len(entries))
	start := len(d.ch.Files)
	for _, e := range entries {
		d.ch.Files = append(d.ch.Files, d.reader.newFile(e))
	}
	files := d.ch.Files[start:]
	if b, err := d.in.Peek(1); err == nil && b[0] == 0 {
		_, _ = d.in.Discard(1)
	}
	if err := d.sections(files); err != nil {
		return err
	}
	d.account(start)
	return nil
}

// sections reads the patch, line by line.
func (d *decoder) sections(files []File) error {
	fresh := true // at the beginning of a line
	for {
		piece, err := d.in.ReadSlice('\n')
		if fresh && len(piece) > 0 {
			switch {
			case d.end != "" && string(piece) == d.end+"\n":
				return d.flush(files)
			case bytes.HasPrefix(piece, []byte("diff --git ")):
				if err := d.flush(files); err != nil {
					return err
				}
			case bytes.HasPrefix(piece, []byte("* Unmerged path ")):
				if err := d.flush(files); err != nil {
					return err
				}
				piece = nil
			}
			d.rows++
		}
		d.bytes += int64(len(piece))
		if d.bytes > d.reader.limits.ChangeBytes {
			d.capped = true
			return nil
		}
		if !d.tooBig {
			if d.rows > d.reader.limits.FileLines || len(d.section)+len(piece) > sectionBytes {
				d.tooBig = true
				d.section = d.section[:bytes.IndexByte(d.section, '\n')+1]
			} else {
				d.section = append(d.section, piece...)
			}
		}
		switch {
		case err == nil:
			fresh = true
		case err == bufio.ErrBufferFull:
			fresh = false
		case err == io.EOF && d.end == "":
			return d.flush(files)
		default:
			return eof(err)
		}
	}
}

func eof(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// flush gives the section that was collected to the file it belongs to.
func (d *decoder) flush(files []File) error {
	section, tooBig := string(d.section), d.tooBig
	d.section, d.rows, d.tooBig = d.section[:0], 0, false
	if cap(d.section) > 1<<20 {
		d.section = nil
	}
	if section == "" {
		return nil
	}
	head, rest, _ := strings.Cut(section, "\n")
	i := d.cur
	if i < 0 || d.entries[i].Status != 'T' || heading(d.entries[i]) != head {
		for i++; i < len(d.entries) && heading(d.entries[i]) != head; i++ {
		}
	}
	if i >= len(d.entries) {
		return fmt.Errorf("git printed a patch for a file that it did not list: %.200q", head)
	}
	again := d.seen[i]
	d.cur, d.seen[i] = i, true
	f := &files[i]
	if f.Unread != "" {
		return nil
	}
	if tooBig {
		d.ch.unread(f, ReasonOversized, fmt.Sprintf("more than %d lines", d.reader.limits.FileLines))
		return nil
	}
	if err := d.reader.fill(d.ch, f, rest, again); err != nil {
		return fmt.Errorf("patch of %q: %w", f.Path, err)
	}
	if n := f.Added + f.Removed; n > 0 && d.lines+n > d.reader.limits.ChangeLines {
		d.ch.unread(f, ReasonCapped, fmt.Sprintf("the change has more than %d changed lines", d.reader.limits.ChangeLines))
	} else {
		d.lines += n
	}
	return nil
}

// account deals with the files that had no section.
func (d *decoder) account(start int) {
	kept := d.ch.Files[:start]
	for i := range d.seen {
		f := d.ch.Files[start+i]
		switch e := d.entries[i]; {
		case d.seen[i] && d.capped && i == d.cur && e.Status == 'T' && f.Unread == "":
			// Its second section may have been the one that was cut off.
			d.ch.unread(&f, ReasonCapped, fmt.Sprintf("the change has more than %d bytes", d.reader.limits.ChangeBytes))
		case d.seen[i]:
		case e.Status == 'U':
			d.ch.unread(&f, ReasonMerge, "not merged yet")
		case d.capped && f.Unread == "":
			d.ch.unread(&f, ReasonCapped, fmt.Sprintf("the change has more than %d bytes", d.reader.limits.ChangeBytes))
		case d.stat && e.OldMode == e.NewMode && e.Status == 'M':
			continue
		}
		kept = append(kept, f)
	}
	d.ch.Files = kept
}

// heading is the line with which git begins the section of an entry.
func heading(e git.RawEntry) string {
	return "diff --git " + git.Quote("a/"+e.OldPath) + " " + git.Quote("b/"+e.Path)
}

package git

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// TreeEntry is one file of a tree.
type TreeEntry struct {
	Mode, Type, Object string // "100644", "blob" or "commit" (a submodule), full object name
	Path               string // raw bytes as git has them, from the root
}

// Tree lists all files below a tree-ish, in git's order.
func (r *Repo) Tree(ctx context.Context, treeish string) ([]TreeEntry, error) {
	if r.plain != nil {
		return r.plain.tree(treeish)
	}
	if treeish == "" || strings.HasPrefix(treeish, "-") {
		return nil, fmt.Errorf("%q: %w", treeish, ErrUnknown)
	}
	out, err := r.Run(ctx, nil, "ls-tree", "-r", "-z", "--full-tree", treeish)
	if err != nil {
		return nil, fmt.Errorf("tree of %s: %w", printable(treeish), err)
	}
	text := string(out) // one copy; the paths share it
	entries := make([]TreeEntry, 0, strings.Count(text, "\x00"))
	for text != "" {
		var row string
		row, text, _ = strings.Cut(text, "\x00")
		head, path, ok := strings.Cut(row, "\t")
		f := strings.Split(head, " ")
		if !ok || len(f) < 3 {
			return nil, fmt.Errorf("tree of %s: git ls-tree answered %q", printable(treeish), printable(row))
		}
		entries = append(entries, TreeEntry{Mode: f[0], Type: f[1], Object: f[2], Path: path})
	}
	return entries, nil
}

// Diff lists what differs between two tree-ishes, without looking for renames,
// so that no blob is read. a "" is the empty tree.
func (r *Repo) Diff(ctx context.Context, a, b string) ([]RawEntry, error) {
	if a == "" {
		a = r.EmptyTree()
	}
	if r.plain != nil {
		return r.plain.diff(a, b)
	}
	for _, name := range []string{a, b} {
		if name == "" || strings.HasPrefix(name, "-") {
			return nil, fmt.Errorf("%q: %w", name, ErrUnknown)
		}
	}
	out, err := r.Run(ctx, nil, "diff-tree", "-r", "--raw", "-z", "--no-abbrev", "--no-renames", a, b, "--")
	if err != nil {
		return nil, fmt.Errorf("difference of %s and %s: %w", printable(a), printable(b), err)
	}
	return ParseRaw(bufio.NewReader(bytes.NewReader(out)))
}

// ParseRaw reads the entries of `--raw -z --no-abbrev` until something that is
// no entry (which it leaves unread) or the end of input.
func ParseRaw(in *bufio.Reader) ([]RawEntry, error) {
	var entries []RawEntry
	for {
		b, err := in.Peek(1)
		if err == io.EOF || err == nil && b[0] != ':' {
			return entries, nil
		}
		if err != nil {
			return entries, err
		}
		e, err := parseRawEntry(in)
		if err != nil {
			return entries, err
		}
		entries = append(entries, e)
	}
}

func parseRawEntry(in *bufio.Reader) (RawEntry, error) {
	head, err := in.ReadString(0)
	if err != nil {
		return RawEntry{}, eof(err)
	}
	f := strings.Split(head[1:len(head)-1], " ")
	if len(f) != 5 || f[4] == "" {
		return RawEntry{}, fmt.Errorf("git raw difference: bad entry %q", printable(head))
	}
	e := RawEntry{OldMode: f[0], NewMode: f[1], OldBlob: f[2], NewBlob: f[3], Status: f[4][0]}
	if len(f[4]) > 1 {
		if e.Score, err = strconv.Atoi(f[4][1:]); err != nil {
			return RawEntry{}, fmt.Errorf("git raw difference: bad score %q", printable(f[4]))
		}
	}
	if e.OldPath, err = untilNUL(in); err != nil {
		return RawEntry{}, err
	}
	e.Path = e.OldPath
	if e.Status == 'R' || e.Status == 'C' {
		if e.Path, err = untilNUL(in); err != nil {
			return RawEntry{}, err
		}
	}
	return e, nil
}

func untilNUL(in *bufio.Reader) (string, error) {
	s, err := in.ReadString(0)
	if err != nil {
		return "", eof(err)
	}
	return s[:len(s)-1], nil
}

func eof(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// Quote writes a path as git does in the headers of a patch under
// core.quotePath=true: as it is, or in double quotes with C escapes when it has
// a control character, a quote, a backslash or a byte above 0x7f.
func Quote(path string) string {
	plain := true
	for i := 0; i < len(path) && plain; i++ {
		plain = path[i] >= ' ' && path[i] < 0x7f && path[i] != '"' && path[i] != '\\'
	}
	if plain {
		return path
	}
	var b strings.Builder
	b.WriteByte('"')
	for i := 0; i < len(path); i++ {
		c := path[i]
		if k := strings.IndexByte("\a\b\t\n\v\f\r\"\\", c); k >= 0 {
			b.WriteByte('\\')
			b.WriteByte(`abtnvfr"\`[k])
		} else if c < ' ' || c >= 0x7f {
			fmt.Fprintf(&b, `\%03o`, c)
		} else {
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

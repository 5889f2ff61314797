package git

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// LogOptions say which part of history Log walks.
type LogOptions struct {
	Include []string // start from these commits; none is HEAD
	Exclude []string // leave out what these reach; hashes that the store lacks are an error
	Max     int      // at most this many commits, the newest; 0 for all
	Oldest  bool     // parents before children; else newest first
	Paths   bool     // with the entries that each commit changed (none for a merge)
}

// LogCommit is one commit of a Log.
type LogCommit struct {
	Hash    string
	Parents []string
	Email   string // of the author
	Subject string // first paragraph on one line, UTF-8
	Entries []RawEntry
}

// Log walks history and hands each commit to yield until it returns an error,
// which ends the walk and is returned, or ErrStop, which only ends it. No patch
// is made and no blob is read. A LogCommit is not used again after yield.
func (r *Repo) Log(ctx context.Context, opts LogOptions, yield func(LogCommit) error) error {
	args := []string{"-c", "log.showSignature=false", "-c", "log.showRoot=true", "log", "-z", "--encoding=UTF-8", "--no-color",
		"--no-decorate", "--no-show-signature", "--no-mailmap", "--no-notes", "--diff-merges=off", "--no-ext-diff",
		"--no-relative", "--ignore-submodules=none",
		"--format=tformat:%H%x00%P%x00%ae%x00%s"}
	if opts.Paths {
		args = append(args, "--raw", "--no-renames", "--no-abbrev")
	} else {
		args = append(args, "--no-patch")
	}
	if opts.Oldest {
		args = append(args, "--reverse", "--topo-order")
	}
	if opts.Max > 0 {
		args = append(args, "--max-count="+strconv.Itoa(opts.Max))
	}
	include := opts.Include
	if len(include) == 0 {
		include = []string{"HEAD"}
	}
	for i, names := range [][]string{include, opts.Exclude} {
		for _, name := range names {
			hash, err := name, error(nil)
			if !isHash(name) { // a full name is git log's own to find missing
				if hash, err = r.Resolve(ctx, name); err != nil {
					return err
				}
			}
			args = append(args, []string{"", "^"}[i]+hash)
		}
	}
	p, err := r.Start(append(args, "--")...)
	if err != nil {
		return err
	}
	release := p.Guard(ctx)
	defer release()
	for {
		c, err := readLog(p.Out)
		if err == io.EOF {
			return r.history(p.End(ctx, nil))
		}
		if err != nil {
			return r.history(p.End(ctx, err))
		}
		if err := yield(c); err != nil {
			p.Kill()
			if errors.Is(err, ErrStop) {
				return nil
			}
			return err
		}
	}
}

// ErrStop ends a walk early and without an error.
var ErrStop = errors.New("stop")

// readLog reads one commit: four fields that end in NUL, and then its entries,
// of which a line end tells that there are any.
func readLog(in *bufio.Reader) (LogCommit, error) {
	var c LogCommit
	hash, err := in.ReadString(0)
	if err == io.EOF && hash == "" {
		return c, io.EOF
	}
	if err != nil {
		return c, eof(err)
	}
	c.Hash = strings.TrimLeft(hash[:len(hash)-1], "\n")
	if !isHash(c.Hash) {
		return c, fmt.Errorf("git log answered %q instead of a commit", printable(hash))
	}
	parents, err := untilNUL(in)
	if err != nil {
		return c, err
	}
	c.Parents = strings.Fields(parents)
	if c.Email, err = untilNUL(in); err != nil {
		return c, err
	}
	if c.Subject, err = untilNUL(in); err != nil {
		return c, err
	}
	c.Email, c.Subject = strings.ToValidUTF8(c.Email, "\uFFFD"), strings.ToValidUTF8(c.Subject, "\uFFFD")
	if b, err := in.Peek(1); err != nil || b[0] != '\n' {
		return c, nil
	}
	_, _ = in.Discard(1)
	c.Entries, err = ParseRaw(in)
	return c, err
}

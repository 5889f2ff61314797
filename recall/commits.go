package recall

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/saysolint/sayso/internal/git"
	"github.com/saysolint/sayso/internal/secret"
)

// maxMessage is how much of a commit message is kept, in bytes; what lies behind is in
// no index and the commit is told as partial.
const maxMessage = 64 << 10

// maxPaths is how many files of one commit are kept. Beyond it a commit says little
// about any of them.
const maxPaths = 1000

// History is what this package reads of a repository; *git.Repo is one.
type History interface {
	Log(ctx context.Context, opts git.LogOptions, yield func(git.LogCommit) error) error
	Commit(ctx context.Context, hash string) (*git.Commit, error)
}

// walked is what a walk over history found.
type walked struct {
	docs    []Document
	unread  int  // commits whose object could not be read
	noFiles bool // what the commits touched could not be read
	cut     int  // commits of which not everything is kept
	more    bool // there are older ones beyond the limit
}

// commits reads the commits that opts walks, the newest first.
func commits(ctx context.Context, repo History, opts git.LogOptions) (walked, error) {
	var w walked
	limit := opts.Max
	opts.Max, opts.Paths = limit+1, true
	type row struct {
		hash  string
		paths []string
	}
	var rows []row
	read := func(c git.LogCommit) error {
		r := row{hash: c.Hash}
		for _, e := range c.Entries {
			r.paths = append(r.paths, strings.ToValidUTF8(e.Path, "\uFFFD"))
		}
		slices.Sort(r.paths)
		r.paths = slices.Compact(r.paths)
		rows = append(rows, r)
		return nil
	}
	err := repo.Log(ctx, opts, read)
	if errors.Is(err, git.ErrMissing) || errors.Is(err, git.ErrCorrupt) {
		// A tree is missing or damaged: the messages can be read all the same.
		rows, w.noFiles, opts.Paths = nil, true, false
		err = repo.Log(ctx, opts, read)
	}
	if err != nil {
		return w, err
	}
	if len(rows) > limit {
		rows, w.more = rows[:limit], true
	}
	for _, r := range rows {
		c, err := repo.Commit(ctx, r.hash)
		if err != nil {
			if ctx.Err() != nil {
				return w, ctx.Err()
			}
			w.unread++
			continue
		}
		d, cut := commitDocument(c.Hash, c.Message, r.paths)
		d.When = c.Committer.When.UTC()
		if cut {
			w.cut++
		}
		if w.noFiles {
			d.Partial = append(d.Partial, "files")
		}
		w.docs = append(w.docs, d)
	}
	return w, nil
}

// commitDocument is a commit as it can be found.
func commitDocument(hash, message string, paths []string) (d Document, cut bool) {
	message = strings.ToValidUTF8(strings.ReplaceAll(message, "\x00", " "), "\uFFFD")
	if len(message) > maxMessage {
		message, cut = strings.ToValidUTF8(message[:maxMessage], ""), true
	}
	message, _ = secret.Mask(message)
	subject, body, _ := strings.Cut(strings.TrimSpace(message), "\n")
	d = Document{
		Kind: KindCommit, Tier: Ledger, ID: hash, Commit: hash,
		Head: strings.TrimSpace(subject), Subject: strings.TrimSpace(subject), Body: strings.TrimSpace(body), Paths: paths,
	}
	if len(paths) > maxPaths {
		d.Paths, cut = paths[:maxPaths], true
	}
	if cut {
		d.Partial = []string{"message or files"}
	}
	return d, cut
}

package index

import (
	"context"
	"time"

	"github.com/sourcegraph/conc"

	"github.com/saysolint/sayso/internal/git"
)

// Ahead reads what At, View.History and Authored will want to know of a commit, so
// that it can be done beside other work. It only saves time: what could not be read,
// or was cut short by ctx, they read themselves. One git process serves both where
// nothing but a straight line of commits lies between the index's head, or the commit
// of an earlier Ahead, and this one; none is needed where it was this very commit.
func (ix *Index) Ahead(ctx context.Context, repo *git.Repo, commit string) {
	var past conc.WaitGroup
	past.Go(func() { ix.past() }) // reads while git walks
	defer past.Wait()
	if !isHash(commit) {
		return
	}
	if commit == ix.meta.head {
		_, _ = repo.Commit(ctx, commit) // the repository remembers it
		return
	}
	boundary := boundaryOf(repo)
	before := ix.loadRecent(repo, boundary)
	if before != nil && before.tip == commit {
		ix.use(*before)
		return
	}
	var author conc.WaitGroup
	authored := time.Time{}
	author.Go(func() {
		if c, err := repo.Commit(ctx, commit); err == nil {
			authored = c.Author.When
		}
	})
	now, cut, ok := ix.walk(ctx, repo, commit, before)
	if author.Wait(); !ok {
		return
	}
	if cut {
		ix.newer.set(recent{tip: commit, rows: now.rows}, cut)
		return
	}
	now.authored = authored
	ix.use(now)
	if now.grown < keepAfter {
		return
	}
	if content := now.encode(ix.meta.head, boundary); len(content) <= maxRecentFile {
		ix.newer.write(recentFile(repo), content)
	}
}

// use makes what is known of a commit known to those who ask for it.
func (ix *Index) use(r recent) {
	ix.newer.set(r, false)
	ix.near.keep(&overlay{commit: r.tip, number: none, files: r.files})
}

// walk asks git for the commits after the index, or after before where that is on the
// way. cut is true where there are more than are looked at, ok false where git could not tell.
func (ix *Index) walk(ctx context.Context, repo *git.Repo, commit string, before *recent) (r recent, cut, ok bool) {
	stop := []string{ix.meta.head}
	most := maxRecent
	if before != nil {
		stop = append(stop, before.tip)
		most -= len(before.rows)
	}
	r.tip, r.grown = commit, keepAfter
	var steps [][]git.RawEntry // newest first
	next, line := commit, true
	opts := git.LogOptions{Include: []string{commit}, Exclude: stop, Max: most + 1, Paths: true}
	err := repo.Log(ctx, opts, func(c git.LogCommit) error {
		if cut = len(r.rows) == most; cut {
			return git.ErrStop
		}
		r.rows = append(r.rows, rowOf(c))
		if line = line && c.Hash == next && len(c.Parents) == 1; line {
			next = c.Parents[0]
			steps = append(steps, c.Entries)
		}
		return nil
	})
	line = line && !cut && len(r.rows) > 0
	if before != nil && (err != nil || !line || next != before.tip) {
		return ix.walk(ctx, repo, commit, nil) // another branch, or its commit is gone
	}
	if err != nil {
		return r, false, false
	}
	if cut {
		return r, true, true
	}
	if before == nil && (!line || next != ix.meta.head) { // also a commit that the head descends from: no row
		o, err := ix.overlayOf(ctx, repo, commit)
		if err != nil {
			return r, false, false
		}
		r.files = o.files
		return r, false, true
	}
	var entries []Entry
	for i := len(steps) - 1; i >= 0; i-- {
		entries = append(entries, entriesOf(steps[i])...)
	}
	var files []*overFile
	if before != nil {
		files, r.grown = before.files, len(r.rows)
		r.rows = append(r.rows, before.rows...)
	}
	r.files = patch(ix.tree, files, entries)
	return r, false, true
}

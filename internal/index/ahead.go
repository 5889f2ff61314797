package index

import (
	"context"
	"sync"

	"github.com/sourcegraph/conc"

	"github.com/saysolint/sayso/internal/git"
)

// newer is the commits that the index does not have, of the tip that was asked for last.
type newer struct {
	mu   sync.Mutex
	tip  string
	rows []row
	cut  bool // there are more than maxRecent
}

func (n *newer) find(tip string) (rows []row, cut, ok bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.rows, n.cut, n.tip == tip
}

func (n *newer) keep(tip string, rows []row, cut bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.tip, n.rows, n.cut = tip, rows, cut
}

// Ahead reads what At and View.History will want to know of a commit, so that it
// can be done beside other work. It only saves time: what could not be read, or
// was cut short by ctx, they read themselves. One git process serves both where
// nothing but a straight line of commits lies between the index's head and the commit.
func (ix *Index) Ahead(ctx context.Context, repo *git.Repo, commit string) {
	var past conc.WaitGroup
	past.Go(func() { ix.past() }) // reads while git walks
	defer past.Wait()
	if !isHash(commit) || commit == ix.meta.head {
		return
	}
	var rows []row
	var steps [][]git.RawEntry // newest first
	next, line, cut := commit, true, false
	opts := git.LogOptions{Include: []string{commit}, Exclude: []string{ix.meta.head}, Max: maxRecent + 1, Paths: true}
	err := repo.Log(ctx, opts, func(c git.LogCommit) error {
		if cut = len(rows) == maxRecent; cut {
			return git.ErrStop
		}
		rows = append(rows, rowOf(c))
		if line = line && c.Hash == next && len(c.Parents) == 1; line {
			next = c.Parents[0]
			steps = append(steps, c.Entries)
		}
		return nil
	})
	if err != nil {
		return
	}
	ix.newer.keep(commit, rows, cut)
	if !line || cut || next != ix.meta.head { // also a commit that the head descends from: no row
		_, _ = ix.overlayOf(ctx, repo, commit)
		return
	}
	var entries []Entry
	for i := len(steps) - 1; i >= 0; i-- {
		entries = append(entries, entriesOf(steps[i])...)
	}
	ix.near.keep(&overlay{commit: commit, number: none, files: patch(ix.tree, nil, entries)})
}

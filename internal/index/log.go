package index

import (
	"context"

	"github.com/saysolint/sayso/internal/git"
)

// readLog reads the commits that can be reached from tip and not from any of
// not, newest first, at most max of them, with the paths that each touched. cut
// is true when there were more.
func readLog(ctx context.Context, repo *git.Repo, tip string, not []string, max int, yield func(row)) (cut bool, err error) {
	count := 0
	err = repo.Log(ctx, git.LogOptions{Include: []string{tip}, Exclude: not, Max: max + 1, Paths: true}, func(c git.LogCommit) error {
		if count++; count > max {
			cut = true
			return git.ErrStop
		}
		yield(rowOf(c))
		return nil
	})
	return cut, err
}

func rowOf(c git.LogCommit) row {
	r := row{id: c.Hash, parents: c.Parents, subject: c.Subject}
	if n := min(len(c.Entries), maxRowPaths); n > 0 {
		r.paths = make([]string, n)
		for i := range r.paths {
			r.paths[i] = c.Entries[i].Path
		}
	}
	return r
}

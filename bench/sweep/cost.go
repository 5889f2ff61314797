package sweep

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"time"

	"github.com/saysolint/sayso/change"
	"github.com/saysolint/sayso/memory"
	"github.com/saysolint/sayso/sweep"
)

// Spent is what one sweep of many entries took.
type Spent struct {
	Schema     string      `json:"schema"`     // name and version of this shape
	Repository string      `json:"repository"` // as it was named
	Files      int         `json:"files"`      // of the tree that was swept
	Entries    int         `json:"entries"`    // each with a passage, its commit and a name
	Commits    int         `json:"commits"`    // different commits that they cite
	Seconds    float64     `json:"seconds"`    // wall time of the sweep, entries already read
	MiB        float64     `json:"mib"`        // memory that the process had taken from the system at its end, git not counted
	Anchors    sweep.Tally `json:"anchors"`    // what became of the references
	Findings   int         `json:"findings"`
}

// Cost sweeps n entries that were planted at commits spread over the history.
func Cost(ctx context.Context, r Named, n int, p Plan, clock func() time.Time) (*Spent, error) {
	const commits = 20
	deepest := 0
	for _, b := range p.Back {
		deepest = max(deepest, b)
	}
	out := &Spent{Schema: Schema + "-cost", Repository: r.Name}
	var entries []memory.Entry
	for i := range commits {
		old, err := r.Repo.Resolve(ctx, fmt.Sprintf("HEAD~%d", deepest*(i+1)/commits))
		if err != nil {
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			continue
		}
		out.Commits++
		all, err := plant(ctx, r.Repo, old, n/commits, rand.New(rand.NewPCG(p.Seed, hash(old))))
		if err != nil {
			return nil, err
		}
		for _, a := range all {
			a.entry.ID = fmt.Sprintf("planted-%02d-%06d", i, len(entries))
			a.entry.RelPath = memory.DefaultFolder + "/" + a.entry.ID + ".md"
			a.entry.SourceRefs = append(a.entry.SourceRefs, memory.SourceRef{Type: "commit", ID: old})
			entries = append(entries, a.entry)
		}
	}
	tree, err := r.Repo.Tree(ctx, "HEAD")
	if err != nil {
		return nil, err
	}
	out.Files, out.Entries = len(tree), len(entries)
	set := memory.NewSet(entries, nil)
	reader := change.NewReader(r.Repo, change.Limits{})
	defer reader.Close()
	start := clock()
	res, err := sweep.Run(ctx, sweep.Input{Repo: r.Repo, Changes: reader, Set: set, Folder: memory.DefaultFolder, Now: start})
	if err != nil {
		return nil, err
	}
	out.Seconds = clock().Sub(start).Seconds()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	out.MiB, out.Anchors, out.Findings = float64(m.Sys)/(1<<20), res.Anchors, res.FindingCount()
	return out, nil
}

// Lines is what was spent, for people.
func (s *Spent) Lines() []string {
	return []string{
		fmt.Sprintf("%s: %d entries of %d commits against %d files: %.1f s, %.0f MiB", s.Repository, s.Entries, s.Commits, s.Files, s.Seconds, s.MiB),
		fmt.Sprintf("references: %d intact, %d moved, %d drifted, %d lost, %d unread; %d findings", s.Anchors.Intact, s.Anchors.Moved, s.Anchors.Drifted, s.Anchors.Lost, s.Anchors.Unread, s.Findings),
	}
}

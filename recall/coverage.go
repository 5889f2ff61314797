package recall

import (
	"fmt"
	"slices"

	"github.com/saysolint/sayso/internal/checkpoint"
	"github.com/saysolint/sayso/memory"
)

// Coverage says how much of what could answer was there. It comes before every answer.
type Coverage struct {
	State       string               `json:"state"`       // complete: everything that exists was searched, and every claim that was looked at could be checked; else partial
	Entries     *EntryCoverage       `json:"entries"`     // null: the repository has no memory
	Commits     CommitCoverage       `json:"commits"`     // the record of the commits
	Checkpoints *checkpoint.Coverage `json:"checkpoints"` // as of the last sayso ingest; null: nothing was ingested
	Waiting     bool                 `json:"waiting"`     // there are checkpoints that the last sayso ingest did not see
	Judged      int                  `json:"judged"`      // turns that were held against their commits for this answer
	Unverified  int                  `json:"unverified"`  // of them, those that could not be checked
	Graph       string               `json:"graph"`       // the dependency graph behind claims of isolation: its name, "not needed" or "unavailable"
	Reasons     []string             `json:"reasons"`     // why it is partial, one plain sentence each; never null

	unasked bool // whether checkpoints wait could not be asked
}

// EntryCoverage is how much of the memory was searched.
type EntryCoverage struct {
	InForce int `json:"inForce"` // entries that hold: these were searched
	Others  int `json:"others"`  // proposed, superseded or stale: not searched
	Pending int `json:"pending"` // entries that were reviewed in the work tree and have not landed: searched, and marked
	Stubs   int `json:"stubs"`   // of another version of the format, or too large: not read
	Skipped int `json:"skipped"` // files of the store that are no entries
}

// CommitCoverage is how much of the history was searched.
type CommitCoverage struct {
	Head      string `json:"head"`      // commit that the walk began at, "" before the first
	Indexed   int    `json:"indexed"`   // commits that were searched
	Limit     int    `json:"limit"`     // most that are
	Older     bool   `json:"older"`     // there are older ones beyond the limit
	Unread    int    `json:"unread"`    // objects that could not be read
	Cut       int    `json:"cut"`       // of which not the whole message or not all files were kept
	FilesGone bool   `json:"filesGone"` // what the commits touched could not be read
	Shallow   bool   `json:"shallow"`   // the history ends at the boundary of a shallow clone
}

func (c *CommitCoverage) add(w walked) {
	c.Indexed += len(w.docs)
	c.Unread += w.unread
	c.Cut += w.cut
	c.FilesGone = c.FilesGone || w.noFiles
	c.Older = c.Older || w.more
}

func entryCoverage(set *memory.Set, inForce int) *EntryCoverage {
	c := &EntryCoverage{InForce: inForce, Skipped: len(set.Skipped)}
	for i := range set.Entries {
		if set.Entries[i].Stub {
			c.Stubs++
		}
	}
	c.Others = len(set.Entries) - inForce - c.Stubs
	return c
}

// settle fills in the state and its reasons.
func (c *Coverage) settle() {
	add := func(when bool, format string, args ...any) {
		if when {
			c.Reasons = append(c.Reasons, fmt.Sprintf(format, args...))
		}
	}
	c.Reasons = []string{}
	if e := c.Entries; e != nil {
		add(e.Stubs > 0, "%d entries of another format or size were not read", e.Stubs)
		add(e.Skipped > 0, "%d files of the memory are no entries", e.Skipped)
	}
	w := &c.Commits
	add(w.Older, "commits older than the newest %d were not searched", w.Limit)
	add(w.Shallow, "the clone is shallow: older commits are not in it")
	add(w.Unread > 0, "%d commits could not be read", w.Unread)
	add(w.Cut > 0, "%d commits are kept in part", w.Cut)
	add(w.FilesGone, "the files that commits touched could not be read")
	if p := c.Checkpoints; p != nil && !p.Complete {
		add(p.Partial > 0, "%d of %d checkpoints lack something", p.Partial, p.Checkpoints)
		add(p.Skipped > 0, "%d lines of transcripts could not be read", p.Skipped)
		for _, k := range p.Caps {
			add(true, "the limit %s (%d) was reached: %d left out or cut", k.Name, k.Limit, k.Hits)
		}
		add(!p.WithTranscripts, "transcripts were not asked for")
		add(p.Partial == 0 && p.Skipped == 0 && len(p.Caps) == 0 && p.WithTranscripts, "the checkpoints are not complete")
	}
	add(c.Waiting && c.Checkpoints == nil, "the repository has checkpoints that were not ingested (sayso ingest reads them)")
	add(c.Waiting && c.Checkpoints != nil, "the branches with checkpoints changed since the last sayso ingest")
	add(c.unasked, "whether there are newer checkpoints could not be asked of git")
	add(c.Graph == "unavailable", "there is no dependency graph: claims of isolation could not be checked (sayso index builds it)")
	add(c.Unverified > 0, "%d of %d claims could not be checked", c.Unverified, c.Judged)
	slices.Sort(c.Reasons)
	c.State = "complete"
	if len(c.Reasons) > 0 {
		c.State = "partial"
	}
}

package recall

import (
	"slices"
	"strconv"
	"strings"

	"github.com/saysolint/sayso/internal/checkpoint"
)

// turns are the documents of what was ingested: everything that was said, and the
// commits that name a checkpoint and that known does not have.
func turns(ix *checkpoint.Index, known map[string]bool) []Document {
	var docs []Document
	for i := range ix.Records {
		r := &ix.Records[i]
		for j := range r.Commits {
			c := &r.Commits[j]
			if known[c.Hash] {
				continue
			}
			known[c.Hash] = true
			d, _ := commitDocument(c.Hash, c.Message, c.Files)
			d.When = c.Committed
			if c.FilesGone {
				d.Partial = append(d.Partial, checkpoint.MissingFiles)
			}
			docs = append(docs, d)
		}
	}
	for i := range ix.Turns {
		docs = append(docs, turnDocument(&ix.Records[ix.Turns[i].Record], &ix.Turns[i]))
	}
	return docs
}

// turnDocument is one thing that was said.
func turnDocument(r *checkpoint.Record, t *checkpoint.Turn) Document {
	d := Document{
		Kind: KindTurn, Tier: Chat, ID: r.Source + ":" + r.ID + "#" + strconv.Itoa(t.Order), Sub: r.Source,
		Body: t.Text, When: t.Time, Checkpoint: r.ID, Place: t.Place, Paths: t.Files,
		Partial: slices.Clone(r.Missing),
	}
	if t.Tier == checkpoint.Intent {
		d.Tier = Intent
	}
	if d.When.IsZero() {
		d.When = r.Created
	}
	if len(r.Commits) > 0 {
		// The oldest of them is the one that the session made; later ones are copies
		// that a rebase or a squash left.
		d.Commit = r.Commits[0].Hash
		d.Subject, _, _ = strings.Cut(strings.TrimSpace(r.Commits[0].Message), "\n")
	}
	if len(d.Paths) == 0 {
		d.Paths = r.Files
	}
	if len(d.Paths) > maxPaths {
		d.Paths = d.Paths[:maxPaths]
	}
	if t.Redacted > 0 || t.Masked > 0 || strings.Contains(t.Text, "REDACTED") {
		d.Partial = append(d.Partial, "redacted text")
	}
	if t.Cut {
		d.Partial = append(d.Partial, "end of text")
	}
	slices.Sort(d.Partial)
	return d
}

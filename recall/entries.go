package recall

import (
	"path"
	"slices"
	"strings"
	"time"

	"github.com/saysolint/sayso/internal/secret"
	"github.com/saysolint/sayso/memory"
)

// entries are the documents of the entries that hold. What is proposed, superseded or
// stale is no document, so that it cannot be found by mistake.
func entries(set *memory.Set) []Document {
	var docs []Document
	for i := range set.Entries {
		e := &set.Entries[i]
		if !set.Active(e.ID) {
			continue
		}
		docs = append(docs, document(set, e))
	}
	return docs
}

// pending are the documents of entries that the files of a work tree have as reviewed and
// that have not landed so: they are the word of whoever wrote them, and nobody's
// rule yet. landed is what holds, work the files as they are.
func pending(landed, work *memory.Set) []Document {
	var docs []Document
	for _, p := range memory.Land(landed, work).Pending {
		if !work.Active(p.ID) {
			continue
		}
		d := document(work, work.Get(p.ID))
		d.Tier, d.Pending = Intent, true
		docs = append(docs, d)
	}
	return docs
}

// document is one entry among the others of its set.
func document(set *memory.Set, e *memory.Entry) Document {
	body := strings.Join(slices.Concat([]string{e.Goal}, e.Decisions, []string{e.Notes}, e.NextSteps, e.Tags), "\n")
	d := Document{
		Kind: KindEntry, Tier: Reviewed, ID: e.ID, Sub: string(e.Kind), Place: e.RelPath,
		Globs: e.AppliesTo, Links: predecessors(set, e), Tag: Tag(set, e), Reviewer: e.Reviewer,
	}
	d.Head, _ = secret.Mask(e.Title)
	d.Body, _ = secret.Mask(strings.TrimSpace(body))
	if e.CreatedAtMs > 0 {
		d.When = time.UnixMilli(e.CreatedAtMs).UTC().Truncate(time.Second)
	}
	d.Paths = slices.Clone(e.FilesTouched)
	for _, r := range e.SourceRefs {
		switch {
		case r.Path != "" && !path.IsAbs(r.Path):
			d.Paths = append(d.Paths, r.Path)
		case r.Type == "commit" && d.Commit == "":
			d.Commit = r.ID
		}
	}
	slices.Sort(d.Paths)
	d.Paths = slices.Compact(d.Paths)
	return d
}

// before are the entries that e took the place of.
func before(e *memory.Entry) []string {
	ids := slices.Clone(e.MergedFrom)
	if e.Supersedes != "" && !slices.Contains(ids, e.Supersedes) {
		ids = append(ids, e.Supersedes)
	}
	return ids
}

// predecessors are all entries that e took the place of, directly or not, sorted.
func predecessors(set *memory.Set, e *memory.Entry) []string {
	seen := map[string]bool{e.ID: true}
	var out []string
	todo := before(e)
	for len(todo) > 0 {
		id := todo[0]
		todo = todo[1:]
		if seen[id] {
			continue
		}
		seen[id] = true
		out = append(out, id)
		if p := set.Get(id); p != nil {
			todo = append(todo, before(p)...)
		}
	}
	slices.Sort(out)
	return out
}

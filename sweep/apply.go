package sweep

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/saysolint/sayso/memory"
)

// Store is what is written to; *memory.Store has it.
type Store interface {
	Get(ctx context.Context, id string) (memory.Entry, []byte, error)
	Edit(ctx context.Context, id string, p memory.Patch) (memory.Receipt, error)
	MarkStale(ctx context.Context, id string, by memory.Review) (memory.Receipt, error)
	Mend(ctx context.Context) ([]string, error)
}

// Applied is one entry that was written, or would be.
type Applied struct {
	Entry   string `json:"entry"`   // id
	RelPath string `json:"relPath"` // its file
	Action  string `json:"action"`  // reanchor, stale or supersede
	Reason  string `json:"reason"`  // what the file says of it, with the day
	Diff    string `json:"diff"`    // unified difference of the file; empty where a dry run cannot know it
}

// Apply writes what a result is sure of, each entry once: new places of references
// whose text moved unchanged, the state of entries of which nothing is left, and
// supersessions that were not finished. Nothing else of a file changes but what
// the memory itself keeps of every edit. With dry it writes nothing.
func Apply(ctx context.Context, store Store, set *memory.Set, res *Result, by string, now time.Time, dry bool) ([]Applied, error) {
	out := []Applied{}
	mend := false
	todo := map[string][]Finding{}
	var ids []string
	for _, f := range res.Findings {
		switch f.Action {
		case "supersede":
			mend = true
			fallthrough
		case "reanchor", "stale":
			if todo[f.Entry] == nil {
				ids = append(ids, f.Entry)
			}
			todo[f.Entry] = append(todo[f.Entry], f)
		}
	}
	slices.Sort(ids)
	before := map[string][]byte{}
	for _, id := range ids {
		e, raw, err := store.Get(ctx, id)
		if err != nil {
			return out, err
		}
		if at := set.Get(id); at == nil || at.Hash != e.Hash {
			return out, fmt.Errorf("%s changed while it was swept: sweep again", id)
		}
		before[id] = raw
	}
	if mend && !dry {
		if _, err := store.Mend(ctx); err != nil {
			return out, err
		}
	}
	day := now.UTC().Format(time.DateOnly)
	for _, id := range ids {
		a := Applied{Entry: id, RelPath: set.Get(id).RelPath}
		var err error
		if i := slices.IndexFunc(todo[id], func(f Finding) bool { return f.Action == "stale" }); i >= 0 {
			a.Action, a.Reason = "stale", fmt.Sprintf("%s (swept at %s)", todo[id][i].Text, short(res.Revision))
			if !dry {
				_, err = store.MarkStale(ctx, id, memory.Review{By: by, At: now, Reason: a.Reason})
			}
		} else if refs, moves := moved(set.Get(id), todo[id], res.Revision); len(moves) > 0 {
			a.Action, a.Reason = "reanchor", fmt.Sprintf("%s: %s (swept at %s)", day, strings.Join(moves, "; "), short(res.Revision))
			if !dry {
				_, err = store.Edit(ctx, id, memory.Patch{SourceRefs: &refs, Summary: &a.Reason})
			}
		} else {
			a.Action, a.Reason = "supersede", fmt.Sprintf("%s took its place", set.HiddenBy(id))
		}
		if err != nil {
			return out, err
		}
		if !dry {
			_, after, err := store.Get(ctx, id)
			if err != nil {
				return out, err
			}
			a.Diff = unified(a.RelPath, before[id], after)
		}
		out = append(out, a)
	}
	return out, nil
}

// moved are the references of an entry with the new places of those that moved,
// and what moved in words.
func moved(e *memory.Entry, findings []Finding, rev string) (refs []memory.SourceRef, moves []string) {
	refs = slices.Clone(e.SourceRefs)
	for _, f := range findings {
		a := f.Anchor
		if f.Action != "reanchor" || a == nil {
			continue
		}
		i := slices.Index(refs, a.Ref)
		if i < 0 {
			continue
		}
		if a.Ref.Path == "" {
			refs[i].ID = a.ID
			moves = append(moves, fmt.Sprintf("commit %s is now %s", short(a.Ref.ID), short(a.ID)))
			continue
		}
		refs[i].Path, refs[i].LineStart, refs[i].LineEnd = a.Path, a.LineStart, a.LineEnd
		if isHex(a.Ref.ID) {
			refs[i].ID = rev // the lines are those of this commit
		}
		moves = append(moves, spot(a.Ref.Path, a.Ref.LineStart, a.Ref.LineEnd)+" is now "+spot(a.Path, a.LineStart, a.LineEnd))
	}
	return refs, moves
}

// unified is the difference of two versions of a file as patch and git apply read
// it, with three lines of context.
func unified(path string, old, new []byte) string {
	a, b := newDoc(old), newDoc(new)
	m := align(a.exact, b.exact)
	type edit struct {
		op   byte
		text string
		i, j int // lines before it, of either side
	}
	var edits []edit
	line := func(d *doc, k int) string { return strings.TrimSuffix(string(d.lines(k, k+1)), "\n") }
	i, j := 0, 0
	for i < a.len() || j < b.len() {
		switch {
		case i < a.len() && m[i] == j && bytes.Equal(a.lines(i, i+1), b.lines(j, j+1)):
			edits = append(edits, edit{' ', line(a, i), i, j})
			i, j = i+1, j+1
		case i < a.len() && (m[i] < 0 || m[i] <= j):
			edits = append(edits, edit{'-', line(a, i), i, j})
			if i++; m[i-1] == j { // the same but for its line end
				edits = append(edits, edit{'+', line(b, j), i, j})
				j++
			}
		default:
			edits = append(edits, edit{'+', line(b, j), i, j})
			j++
		}
	}
	const around = 3
	var out strings.Builder
	for at := 0; at < len(edits); {
		if edits[at].op == ' ' {
			at++
			continue
		}
		from, last := max(0, at-around), at
		for k := at; k < len(edits) && k <= last+2*around; k++ {
			if edits[k].op != ' ' {
				last = k
			}
		}
		to := min(len(edits), last+around+1)
		if out.Len() == 0 {
			fmt.Fprintf(&out, "--- a/%s\n+++ b/%s\n", path, path)
		}
		oldN, newN := 0, 0
		for _, e := range edits[from:to] {
			if e.op != '+' {
				oldN++
			}
			if e.op != '-' {
				newN++
			}
		}
		fmt.Fprintf(&out, "@@ -%d,%d +%d,%d @@\n", edits[from].i+1, oldN, edits[from].j+1, newN)
		for _, e := range edits[from:to] {
			fmt.Fprintf(&out, "%c%s\n", e.op, e.text)
			lastOld := e.op != '+' && e.i == a.len()-1 && !strings.HasSuffix(string(old), "\n")
			lastNew := e.op != '-' && e.j == b.len()-1 && !strings.HasSuffix(string(new), "\n")
			if lastOld || lastNew {
				out.WriteString("\\ No newline at end of file\n")
			}
		}
		at = to
	}
	return out.String()
}

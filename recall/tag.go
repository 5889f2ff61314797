package recall

import (
	"fmt"
	"strings"

	"github.com/saysolint/sayso/memory"
)

// Tag is the revision line of an entry, "" for one that is fresh: its first version,
// merged from nothing, pending against nothing. The forms, of which the first that
// applies is taken:
//
//	<id>  v<N> (merged <K> memories)
//	<id>  v<N>, pending revision against <id>
//	<id>  v<N> — <what the version changed>
//	<id>  v<N>
//
// The numbers are computed from the entries that the set holds: N is the entry's own
// version, and at least one more than that of every entry that it takes the place of; K
// is how many entries it was merged from; and what the version changed is the entry's own summary
// or, where it has none, the difference from the entry before it.
func Tag(set *memory.Set, e *memory.Entry) string {
	n := version(set, e, map[string]int{})
	head := fmt.Sprintf("%s  v%d", e.ID, n)
	switch {
	case len(e.MergedFrom) > 0:
		return fmt.Sprintf("%s (merged %d memories)", head, len(e.MergedFrom))
	case e.PendingRevision != "":
		return head + ", pending revision against " + e.PendingRevision
	case n == 1:
		return ""
	}
	delta := e.LastDeltaSummary
	if delta == "" && e.Supersedes != "" {
		if old := set.Get(e.Supersedes); old != nil {
			delta = memory.Delta(*old, *e)
		}
	}
	if delta = strings.TrimSpace(memory.Line(delta)); delta != "" {
		return head + " — " + delta
	}
	return head
}

// version is which version of its subject an entry is, as far as the set can tell: its
// own number, or one more than that of an entry before it. known keeps what was worked
// out, and ends circles: an entry that is met again on the way to itself counts for
// nothing.
func version(set *memory.Set, e *memory.Entry, known map[string]int) int {
	known[e.ID] = 0
	n := max(e.Version, 1)
	for _, id := range before(e) {
		older, met := known[id]
		p := set.Get(id)
		switch {
		case met:
		case p == nil:
			older = 1 // it is not here any more, but it was
		case len(known) > maxChain:
			continue
		default:
			older = version(set, p, known)
		}
		n = max(n, older+1)
	}
	known[e.ID] = n
	return n
}

// maxChain bounds the walk through a store that somebody made to be walked for ever.
const maxChain = 1000

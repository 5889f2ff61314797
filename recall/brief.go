package recall

import (
	"cmp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/saysolint/sayso/internal/secret"
	"github.com/saysolint/sayso/memory"
)

// BriefSchema names the shape of a Brief.
const BriefSchema = "sayso.brief/v1"

// DefaultTokens is the budget of a brief.
const DefaultTokens = 1000

// tokenBytes is how many bytes a token is counted for, and itemTokens what stands around
// each item.
const (
	tokenBytes = 4
	itemTokens = 8
)

// Brief is what a newcomer to a project has to know first.
type Brief struct {
	Schema   string        `json:"schema"`   // always sayso.brief/v1
	Coverage BriefCoverage `json:"coverage"` // how much of the memory is here
	InForce  []BriefItem   `json:"inForce"`  // decisions and conventions that hold, the newest first; never null
	Changes  []BriefItem   `json:"changes"`  // the last changes to the memory, the newest first; never null
	Pending  []BriefItem   `json:"pending"`  // what waits for a review, the oldest first; never null
}

// BriefCoverage says how much of the memory is in a brief.
type BriefCoverage struct {
	State   string        `json:"state"`   // complete: all that there is to tell is here; else partial
	Entries EntryCoverage `json:"entries"` // the whole memory
	Tokens  int           `json:"tokens"`  // what the items are estimated at, a token for four bytes
	Budget  int           `json:"budget"`  // the most that they may be
	Left    int           `json:"left"`    // items that had no room
}

// BriefItem is one entry in a few words.
type BriefItem struct {
	ID    string       `json:"id"`    // of the entry
	Kind  memory.Kind  `json:"kind"`  // what sort of knowledge it is
	State memory.State `json:"state"` // among the other entries
	Title string       `json:"title"` // on one line
	Text  string       `json:"text"`  // what was decided or is proposed, on one line; "" where a title is all
	Tag   string       `json:"tag"`   // revision line, "" for a fresh entry
	Date  string       `json:"date"`  // RFC 3339 day of the last change, "" where the file does not say
}

// NewBrief sums a memory up within a budget of tokens. An item has room whole or not at
// all. Of the room, what holds gets half and each of the other parts a quarter; what one
// leaves over goes to the next, and then to what holds again.
func NewBrief(set *memory.Set, tokens int) *Brief {
	b := &Brief{Schema: BriefSchema}
	var inForce, changes, pending []BriefItem
	holding := 0
	for i := range set.Entries {
		e := &set.Entries[i]
		if e.Stub {
			continue
		}
		item := briefItem(set, e)
		active := set.Active(e.ID)
		if active {
			holding++
		}
		switch {
		case active && (e.Kind == memory.KindDecision || e.Kind == memory.KindConvention):
			inForce = append(inForce, item)
		case e.ReviewState == memory.Proposed:
			pending = append(pending, item)
		}
		if e.ReviewState != memory.Proposed && item.Date != "" {
			short := item
			short.Text = e.StateReason
			changes = append(changes, short)
		}
	}
	newest := func(a, b BriefItem) int { return cmp.Or(strings.Compare(b.Date, a.Date), strings.Compare(a.ID, b.ID)) }
	slices.SortFunc(inForce, newest)
	slices.SortFunc(changes, newest)
	slices.SortFunc(pending, func(a, b BriefItem) int { return cmp.Or(strings.Compare(a.Date, b.Date), strings.Compare(a.ID, b.ID)) })
	changes = changes[:min(len(changes), 10)]
	all := len(inForce) + len(changes) + len(pending)

	room := tokens
	take := func(into *[]BriefItem, from []BriefItem, most int) []BriefItem {
		var rest []BriefItem
		for _, it := range from {
			n := it.tokens()
			if n > most || n > room {
				rest = append(rest, it)
				continue
			}
			most, room = most-n, room-n
			*into = append(*into, it)
		}
		return rest
	}
	b.InForce, b.Changes, b.Pending = []BriefItem{}, []BriefItem{}, []BriefItem{}
	more := take(&b.InForce, inForce, tokens/2)
	take(&b.Pending, pending, max(tokens/4, room-tokens/4))
	take(&b.Changes, changes, room)
	take(&b.InForce, more, room)
	slices.SortFunc(b.InForce, newest)
	b.Coverage = BriefCoverage{
		State: "complete", Entries: *entryCoverage(set, holding), Tokens: tokens - room, Budget: tokens,
		Left: all - len(b.InForce) - len(b.Changes) - len(b.Pending),
	}
	if b.Coverage.Left > 0 || b.Coverage.Entries.Stubs > 0 || b.Coverage.Entries.Skipped > 0 {
		b.Coverage.State = "partial"
	}
	return b
}

// briefItem is an entry in a few words.
func briefItem(set *memory.Set, e *memory.Entry) BriefItem {
	it := BriefItem{ID: e.ID, Kind: e.Kind, State: set.State(e.ID), Tag: Tag(set, e), Date: e.StateDate}
	if it.Date == "" && e.CreatedAtMs > 0 {
		it.Date = time.UnixMilli(e.CreatedAtMs).UTC().Format(time.DateOnly)
	}
	it.Title, _ = secret.Mask(memory.Line(e.Title))
	text := strings.Join(e.Decisions, "; ")
	if text == "" {
		text = e.Goal
	}
	text, _ = secret.Mask(memory.Line(text))
	if utf8.RuneCountInString(text) > excerptMax {
		text = strings.TrimSpace(string([]rune(text)[:excerptMax-1])) + "…"
	}
	if text != it.Title {
		it.Text = text
	}
	return it
}

func (it *BriefItem) tokens() int {
	return itemTokens + (len(it.ID)+len(it.Title)+len(it.Text)+len(it.Tag)+tokenBytes-1)/tokenBytes
}

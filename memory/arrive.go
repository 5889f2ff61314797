package memory

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Arrival is a file that is to be in a store under its own id: an entry of
// another store, or a draft.
type Arrival struct {
	ID   string
	Raw  []byte // the file
	Base []byte // the version that Raw was made from, nil where it is not known
}

// Fate says what became of an arrival.
type Fate string

const (
	Added   Fate = "added"   // it was not there
	Updated Fate = "updated" // it was there, and what differs was taken over or merged
	Kept    Fate = "kept"    // all of it was there already, or what is there is newer
	Held    Fate = "held"    // it cannot be in the store; nothing was written for it
)

// Outcome is what became of one arrival.
type Outcome struct {
	Entry     Entry         // as the store has it afterwards
	Fate      Fate          // what happened to it
	Revision  string        // id of the pending revision that holds what could not be merged, "" for none
	Conflicts []string      // fields in which both differ: the store's value stays, ours is in the revision
	Warnings  []string      // one clause each
	Masked    []SecretFound // secrets that were masked
}

// Write is a file of a store that is to be written.
type Write struct {
	ID  string
	Old []byte // what was there, nil for no file
	New []byte
}

// Plan is what has to be written, all of it or nothing, so that arrivals are in a store.
type Plan struct {
	Outcomes []Outcome // one for each arrival, in their order
	Writes   []Write   // new entries before those that they demote
}

// Reader reads files of a store by id. Ids without a file are missing in what it returns.
type Reader func(ctx context.Context, ids []string) (map[string][]byte, error)

// DraftFile is a draft as the file of a proposed entry, with the id that it has
// in every store and at every time: at is the moment of what the draft was made
// from. Secrets are masked first.
func DraftFile(draft Entry, at time.Time) (Arrival, []SecretFound, error) {
	draft.ID, draft.ReviewState, draft.Reviewer, draft.Version, draft.StateReason, draft.StateDate = "", Proposed, "", 1, "", ""
	draft.Date = at.UTC().Format(time.RFC3339)
	draft, masked := prepare(draft)
	raw, err := Render(draft)
	if err != nil {
		return Arrival{}, nil, err
	}
	return Arrival{ID: NewID(at, draft.Title, sha256.Sum256(raw), 0), Raw: raw, Base: raw}, masked, nil
}

// AcceptedFile is the file of a proposed entry as it is once it was accepted.
func AcceptedFile(id string, raw []byte, by Review) ([]byte, error) {
	e := Parse(id, raw)
	switch {
	case !e.Readable():
		return nil, fmt.Errorf("%s: %w", id, ErrFaulty)
	case e.ReviewState == Reviewed:
		return raw, nil
	case e.ReviewState != Proposed:
		return nil, fmt.Errorf("%s is %s: only a proposed entry can be accepted", id, e.ReviewState)
	}
	sets := []setKey{{"reviewState", string(Reviewed)}, {"stateDate", day(by.At)}, {"stateReason", yamlText(Line(by.Reason))}}
	if by.By != "" {
		sets = append(sets, setKey{"reviewer", yamlText(Line(by.By))})
	}
	if e.PendingRevision != "" {
		sets = append(sets, setKey{"pendingRevision", ""})
		if e.Supersedes == "" {
			sets = append(sets, setKey{"supersedes", yamlText(e.PendingRevision)})
		}
	}
	return setKeys(raw, sets...)
}

// Arrive works out how arrivals get into a store. It is a pure function of what
// read returns: whoever writes its plan and finds the store changed meanwhile
// asks again.
//
// An entry that is there under the same id is merged field by field, against the
// version that both were made from where that is known. The further state of
// review wins, lists are united, and where both changed a field the store's value
// stays: the arrival then becomes a pending revision beside it, so that nothing
// of it is lost. What arrives reviewed takes the place of what it supersedes.
// The same arrivals a second time are a plan without writes.
func Arrive(ctx context.Context, read Reader, arrivals []Arrival) (Plan, error) {
	a := &arriving{old: map[string][]byte{}, now: map[string][]byte{}, entries: map[string]Entry{}}
	if err := a.load(ctx, read, arrivals); err != nil {
		return Plan{}, err
	}
	p := Plan{Outcomes: make([]Outcome, len(arrivals))}
	for i := range arrivals {
		p.Outcomes[i] = a.arrive(arrivals[i])
	}
	a.breakCircles(p.Outcomes)
	for i := range p.Outcomes {
		a.demote(&p.Outcomes[i])
	}
	for i := range p.Outcomes {
		if o := &p.Outcomes[i]; o.Fate != Held {
			o.Entry = a.entries[o.Entry.ID]
		}
	}
	p.Writes = a.writes()
	return p, nil
}

type arriving struct {
	old, now map[string][]byte // files by id: as they are, as they are to be
	entries  map[string]Entry  // of now
	order    []string          // ids in the order in which they were first written
}

// load reads the files that can matter: those of the arrivals, and all that these
// or what is there already take the place of.
func (a *arriving) load(ctx context.Context, read Reader, arrivals []Arrival) error {
	var todo []string
	asked := map[string]bool{}
	want := func(id string) {
		if ValidID(id) && !asked[id] {
			asked[id] = true
			todo = append(todo, id)
		}
	}
	follow := func(e Entry) {
		for _, id := range e.targets() {
			want(id)
		}
		want(e.PendingRevision)
	}
	for _, x := range arrivals {
		want(x.ID)
		follow(Parse(x.ID, x.Raw))
		if ValidID(x.ID) {
			want(revisionID(x))
		}
	}
	for len(todo) > 0 {
		files, err := read(ctx, todo)
		if err != nil {
			return err
		}
		todo = nil
		for id, raw := range files {
			e := Parse(id, raw)
			a.old[id], a.now[id], a.entries[id] = raw, raw, e
		}
		ids := make([]string, 0, len(files))
		for id := range files {
			ids = append(ids, id)
		}
		slices.Sort(ids)
		for _, id := range ids {
			follow(a.entries[id])
		}
	}
	return nil
}

func (a *arriving) put(id string, raw []byte) {
	if !slices.Contains(a.order, id) {
		a.order = append(a.order, id)
	}
	a.now[id], a.entries[id] = raw, Parse(id, raw)
}

// arrive puts one arrival in its place.
func (a *arriving) arrive(x Arrival) Outcome {
	ours := Parse(x.ID, x.Raw)
	held := func(why string) Outcome {
		return Outcome{Entry: ours, Fate: Held, Warnings: []string{why}}
	}
	switch {
	case !ValidID(x.ID):
		ours.ID = ""
		return held(quote(x.ID) + " is no id")
	case len(x.Raw) > MaxFileBytes:
		return held(fmt.Sprintf("the file has %d bytes, at most %d", len(x.Raw), MaxFileBytes))
	case ours.Stub:
		return held(fmt.Sprintf("the file has version %d of the format, which is not written by this program", ours.SchemaVersion))
	case !ours.Readable():
		return held(fmt.Sprintf("line %d: %s", ours.Faults[0].Line, ours.Faults[0].Text))
	}
	var masked []SecretFound
	if fit, found := maskEntry(ours); len(found) > 0 {
		raw, err := rewritten(ours, Normalize(fit), x.Raw)
		if err != nil {
			return held("it holds a secret that cannot be masked without changing more: " + Line(err.Error()))
		}
		masked, x.Raw, ours = found, raw, Parse(x.ID, raw)
	}
	o := Outcome{Entry: ours, Masked: masked}
	cur, there := a.now[x.ID]
	switch {
	case !there:
		o.Fate = Added
		a.put(x.ID, x.Raw)
		return o
	case bytes.Equal(cur, x.Raw), x.Base != nil && bytes.Equal(x.Base, x.Raw):
		o.Fate = Kept
		return o
	case x.Base != nil && bytes.Equal(cur, x.Base):
		o.Fate = Updated
		a.put(x.ID, x.Raw)
		return o
	}
	theirs := a.entries[x.ID]
	if !theirs.Readable() {
		return held("the file that is there has faults: sayso memory lint names them")
	}
	var base *Entry
	if x.Base != nil {
		if b := Parse(x.ID, x.Base); b.Readable() {
			base = &b
		}
	}
	merged, conflicts := mergeEntries(base, ours, theirs)
	o.Fate, o.Conflicts = Kept, conflicts
	if differ(theirs, merged) {
		if theirs.ReviewState == Reviewed && merged.ReviewState == Reviewed && Delta(theirs, merged) != "" {
			merged.Version = max(merged.Version, theirs.Version+1)
		}
		raw, err := rewritten(theirs, merged, cur)
		if err != nil || merged.Validate() != nil {
			// Together they break a limit or a section: ours stays whole, beside.
			o.Conflicts = append(o.Conflicts, "the whole file")
		} else {
			o.Fate = Updated
			a.put(x.ID, raw)
		}
	}
	if len(o.Conflicts) > 0 {
		a.revision(x, ours, &o)
	}
	return o
}

// revisionID is the id of the pending revision that an arrival becomes: the same
// each time it arrives.
func revisionID(x Arrival) string {
	e := Parse(x.ID, x.Raw)
	at := time.UnixMilli(e.CreatedAtMs)
	return NewID(at, e.Title, sha256.Sum256(slices.Concat([]byte(x.ID+"\x00"), x.Raw)), 0)
}

// revision puts an arrival beside the entry whose id it has.
func (a *arriving) revision(x Arrival, ours Entry, o *Outcome) {
	o.Revision = revisionID(x)
	if _, there := a.now[o.Revision]; there {
		return // from an earlier run; it may have been decided about since
	}
	d := ours.Clone()
	d.ID, d.ReviewState, d.Reviewer, d.StateDate = o.Revision, Proposed, "", ""
	d.StateReason = "published with other values for " + strings.Join(o.Conflicts, ", ")
	d.PendingRevision, d.Supersedes, d.MergedFrom, d.Version = x.ID, "", nil, 1
	raw, err := Render(d)
	if err != nil {
		o.Fate, o.Revision = Held, ""
		o.Warnings = append(o.Warnings, "it differs from what is there and cannot stand beside it: "+Line(err.Error()))
		return
	}
	a.put(o.Revision, raw)
}

// breakCircles proposes what would, reviewed, stand in a circle of entries that
// take each other's place.
func (a *arriving) breakCircles(outcomes []Outcome) {
	var all []Entry
	for _, e := range a.entries {
		all = append(all, e)
	}
	circles := NewSet(all, nil).circles()
	for i := range outcomes {
		o := &outcomes[i]
		id := o.Entry.ID
		if o.Fate == Held || circles[id] == 0 || a.entries[id].ReviewState != Reviewed || bytes.Equal(a.now[id], a.old[id]) {
			continue
		}
		raw, err := setKeys(a.now[id], setKey{"reviewState", string(Proposed)})
		if err != nil {
			continue
		}
		a.put(id, raw)
		o.Warnings = append(o.Warnings, "left proposed: "+ErrCircle.Error())
	}
}

// demote applies what a reviewed arrival takes the place of.
func (a *arriving) demote(o *Outcome) {
	e, ok := a.entries[o.Entry.ID]
	if !ok || o.Fate == Held || e.ReviewState != Reviewed || !e.Readable() {
		return
	}
	if o.Fate != Kept {
		if sets := a.set().revised(&e); len(sets) > 0 {
			if raw, err := setKeys(a.now[e.ID], sets...); err == nil {
				a.put(e.ID, raw)
			}
		}
	}
	for _, id := range e.targets() {
		t, there := a.entries[id]
		switch {
		case id == e.ID:
			continue
		case !there:
			if o.Fate != Kept {
				o.Warnings = append(o.Warnings, fmt.Sprintf("%s, whose place it takes, is not there", id))
			}
			continue
		case !t.Readable():
			o.Warnings = append(o.Warnings, fmt.Sprintf("%s, whose place it takes, has faults and is left as it is", id))
			continue
		case t.ReviewState == Superseded && o.Fate == Added:
			o.Warnings = append(o.Warnings, fmt.Sprintf("%s was superseded before: another entry takes its place as well", id))
			continue
		case t.ReviewState == Superseded || t.ReviewState == Stale:
			continue
		}
		raw, err := setKeys(a.now[id], setKey{"reviewState", string(Superseded)})
		if err != nil {
			o.Warnings = append(o.Warnings, fmt.Sprintf("%s: %s", id, Line(err.Error())))
			continue
		}
		a.put(id, raw)
	}
}

func (a *arriving) set() *Set {
	var all []Entry
	for _, e := range a.entries {
		all = append(all, e)
	}
	return NewSet(all, nil)
}

// writes are the files that differ, reviewed ones before those that are taken out of force.
func (a *arriving) writes() []Write {
	var first, last []Write
	for _, id := range a.order {
		old, there := a.old[id]
		if there && bytes.Equal(old, a.now[id]) {
			continue
		}
		w := Write{ID: id, Old: old, New: a.now[id]}
		if s := a.entries[id].ReviewState; s == Superseded || s == Stale {
			last = append(last, w)
		} else {
			first = append(first, w)
		}
	}
	return append(first, last...)
}

// rank orders the states: the further one wins where two stores differ.
var rank = map[State]int{Proposed: 0, Reviewed: 1, Stale: 2, Superseded: 3}

// mergeEntries merges two versions of one entry, against the version that both
// were made from where base is not nil. conflicts names the fields in which both
// went their own way; theirs stays in them.
func mergeEntries(base *Entry, ours, theirs Entry) (merged Entry, conflicts []string) {
	merged = theirs.Clone()
	text := func(name string, of func(*Entry) *string) {
		mine, is := *of(&ours), of(&merged)
		switch {
		case mine == *is, mine == "" && base == nil, base != nil && mine == *of(base):
		case *is == "" && base == nil, base != nil && *is == *of(base):
			*is = mine
		default:
			conflicts = append(conflicts, name)
		}
	}
	list := func(of func(*Entry) *[]string) {
		mine, is := *of(&ours), of(&merged)
		var was []string
		if base != nil {
			was = *of(base)
			*is = slices.DeleteFunc(slices.Clone(*is), func(s string) bool { return slices.Contains(was, s) && !slices.Contains(mine, s) })
		}
		for _, s := range mine {
			if !slices.Contains(*is, s) && !slices.Contains(was, s) {
				*is = append(*is, s)
			}
		}
	}
	text("title", func(e *Entry) *string { return &e.Title })
	text("goal", func(e *Entry) *string { return &e.Goal })
	text("notes", func(e *Entry) *string { return &e.Notes })
	text("supersedes", func(e *Entry) *string { return &e.Supersedes })
	text("asserts", func(e *Entry) *string { return &e.Asserts })
	text("author", func(e *Entry) *string { return &e.Author })
	text("status", func(e *Entry) *string { return &e.Status })
	text("runId", func(e *Entry) *string { return &e.RunID })
	text("provider", func(e *Entry) *string { return &e.Provider })
	text("model", func(e *Entry) *string { return &e.Model })
	text("mode", func(e *Entry) *string { return &e.Mode })
	text("kind", func(e *Entry) *string { return (*string)(&e.Kind) })
	list(func(e *Entry) *[]string { return &e.Tags })
	list(func(e *Entry) *[]string { return &e.Plan })
	list(func(e *Entry) *[]string { return &e.Decisions })
	list(func(e *Entry) *[]string { return &e.FilesTouched })
	list(func(e *Entry) *[]string { return &e.NextSteps })
	list(func(e *Entry) *[]string { return &e.MergedFrom })
	// About everything is wider than about something: only a known change narrows.
	if base != nil || len(ours.AppliesTo) > 0 && len(theirs.AppliesTo) > 0 {
		list(func(e *Entry) *[]string { return &e.AppliesTo })
	} else {
		merged.AppliesTo = nil
	}
	for _, r := range ours.SourceRefs {
		if !slices.Contains(merged.SourceRefs, r) && (base == nil || !slices.Contains(base.SourceRefs, r)) {
			merged.SourceRefs = append(merged.SourceRefs, r)
		}
	}
	if rank[ours.ReviewState] > rank[theirs.ReviewState] {
		merged.ReviewState, merged.StateDate, merged.StateReason = ours.ReviewState, ours.StateDate, ours.StateReason
		if ours.Reviewer != "" {
			merged.Reviewer = ours.Reviewer
		}
	}
	if merged.ReviewState != Proposed {
		merged.PendingRevision = ""
	} else if merged.PendingRevision == "" && theirs.PendingRevision == "" && base == nil {
		merged.PendingRevision = ours.PendingRevision
	}
	merged.Version = max(ours.Version, theirs.Version)
	if merged.LastDeltaSummary == "" {
		merged.LastDeltaSummary = ours.LastDeltaSummary
	}
	return Normalize(merged), conflicts
}

// Arrive puts arrivals into the folder on disk: all of them, or none. An
// interrupted call is finished by the next writing call of any process.
func (s *Store) Arrive(ctx context.Context, arrivals []Arrival) (Plan, error) {
	var p Plan
	if len(arrivals) == 0 {
		return p, nil // and no folder is made
	}
	err := s.write(ctx, func(w *writer) (err error) {
		p, err = Arrive(ctx, w.files, arrivals)
		if err != nil {
			return err
		}
		for i := range p.Outcomes {
			if id := p.Outcomes[i].Entry.ID; id != "" {
				p.Outcomes[i].Entry.RelPath = s.folder + "/" + id + ".md"
			}
		}
		return w.together(p.Writes)
	})
	if err != nil {
		return Plan{}, err
	}
	return p, nil
}

// Would is what [Store.Arrive] would do; it writes nothing.
func (s *Store) Would(ctx context.Context, arrivals []Arrival) (Plan, error) {
	return Arrive(ctx, func(ctx context.Context, ids []string) (map[string][]byte, error) {
		out := map[string][]byte{}
		for _, id := range ids {
			_, raw, err := s.Get(ctx, id)
			if err == nil {
				out[id] = raw
			} else if !errors.Is(err, ErrNoEntry) {
				return nil, err
			}
		}
		return out, nil
	}, arrivals)
}

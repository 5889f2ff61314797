package memory

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/saysolint/sayso/internal/secret"
)

// Review is who decided about an entry, when, and why.
type Review struct {
	By     string    // "" for nobody in particular
	At     time.Time // the moment; entries keep its day
	Reason string    // "" for none
}

// Receipt says what a writing call did.
type Receipt struct {
	Entry    Entry         // as it is now
	Changed  []string      // ids of all entries whose files were written, the new one first
	Masked   []SecretFound // secrets that were masked before anything was written
	Warnings []string      // what was done all the same and deserves a look, one clause each
}

// SecretFound is a secret that was masked: where it stood, never what it was.
type SecretFound struct {
	Field string `json:"field"` // of the entry: "title", "notes", ...
	Rule  string `json:"rule"`  // which kind of secret
	Line  int    `json:"line"`  // of the field, from 1
}

var (
	ErrSuperseded = errors.New("it is superseded: a later entry took its place")
	ErrCircle     = errors.New("the entries would take each other's place in a circle")
	ErrNoRevision = errors.New("it is no pending revision")
)

// Propose writes a draft down as a proposed entry with an id of its own, at the
// given time. Of the draft, id, state and reviewer do not count. Secrets in it
// are masked. It may name the entry that it supersedes or would revise; nothing
// happens to that one before the proposal is accepted.
func (s *Store) Propose(ctx context.Context, draft Entry, at time.Time) (Receipt, error) {
	var r Receipt
	err := s.write(ctx, func(w *writer) (err error) {
		draft.ID, draft.Date, draft.ReviewState, draft.Reviewer, draft.Version = "", "", Proposed, "", 1
		r, err = w.add(draft, at)
		return err
	})
	return r, err
}

// Imported says what an import did.
type Imported struct {
	Receipts []Receipt // of what was written, in the order of the drafts' documents
	Known    []string  // ids of entries that were there from an earlier import of the same text
	Left     []Left    // what no entry was made of or could be written, and why
}

// Import writes drafts down: each as [Store.Propose] does, but under its own id
// and date where it has them, and with the state superseded or stale where it has
// that: what was out of force stays out of force. One draft that cannot be
// written does not stop the others.
func (s *Store) Import(ctx context.Context, d Drafted, at time.Time) (out Imported, err error) {
	err = s.write(ctx, func(w *writer) error {
		set, err := w.load(ctx)
		if err != nil {
			return err
		}
		out, err = s.bring(ctx, set, d, func(e Entry) (Receipt, error) { return w.add(e, at) })
		return err
	})
	return out, err
}

// Plan says what [Store.Import] would do, and writes nothing.
func (s *Store) Plan(ctx context.Context, d Drafted, at time.Time) (Imported, error) {
	set, err := s.Load(ctx)
	if err != nil {
		return Imported{}, err
	}
	return s.bring(ctx, set, d, func(e Entry) (Receipt, error) {
		e, masked := prepare(e)
		id := e.ID
		if id == "" {
			e.Date = at.UTC().Format(time.RFC3339)
		}
		raw, err := Render(e)
		if err != nil {
			return Receipt{}, err
		}
		if id == "" {
			id = NewID(at, e.Title, sha256.Sum256(raw), 0)
		}
		made := Parse(id, raw)
		made.RelPath = s.folder + "/" + id + ".md"
		return Receipt{Entry: made, Masked: masked}, nil
	})
}

// bring hands the drafts that a set lacks to write.
func (s *Store) bring(ctx context.Context, set *Set, d Drafted, write func(Entry) (Receipt, error)) (Imported, error) {
	out := Imported{Left: slices.Clone(d.Left)}
	seen := map[string]string{}
	for _, e := range set.Entries {
		seen[sourceKey(e)] = e.ID
	}
	ids := make([]string, len(d.Entries))
	for _, i := range d.order() {
		if ctx.Err() != nil {
			return out, s.failure("importing into", "", context.Cause(ctx))
		}
		e := d.Entries[i].Clone()
		key := sourceKey(e)
		if e.ID != "" && set.Get(e.ID) != nil {
			ids[i] = e.ID
		} else if key != "" {
			ids[i] = seen[key]
		}
		if ids[i] != "" {
			out.Known = append(out.Known, ids[i])
			continue
		}
		if to, ok := d.next(i); ok {
			e.Supersedes = ids[to]
		}
		if e.ReviewState != Superseded && e.ReviewState != Stale {
			e.ReviewState = Proposed
		}
		r, err := write(e)
		if err != nil {
			if errors.As(err, new(*storeError)) {
				return out, err // the disk, not the draft
			}
			path, line := e.RelPath, 0
			if len(e.SourceRefs) > 0 {
				path, line = e.SourceRefs[0].Path, e.SourceRefs[0].LineStart
			}
			out.Left = append(out.Left, Left{Path: path, Line: line, Reason: Line(err.Error())})
			continue
		}
		ids[i], seen[key] = r.Entry.ID, r.Entry.ID
		out.Receipts = append(out.Receipts, r)
	}
	return out, nil
}

// sourceKey tells imported entries apart: the kind and id of the first source.
// An import puts the hash of what it read there.
func sourceKey(e Entry) string {
	for _, r := range e.SourceRefs {
		if strings.HasPrefix(r.ID, importMark) {
			return r.ID + " " + r.Path + ":" + strconv.Itoa(r.LineStart)
		}
	}
	return ""
}

// add masks a draft and writes it.
func (w *writer) add(d Entry, at time.Time) (Receipt, error) {
	d, masked := prepare(d)
	var r Receipt
	var err error
	if d.ID != "" { // imported with a name
		r.Entry, err = w.adopt(d)
	} else {
		r.Entry, err = w.create(d, at)
	}
	if err != nil {
		return Receipt{}, err
	}
	r.Masked, r.Changed = masked, []string{r.Entry.ID}
	return r, nil
}

// prepare masks the secrets of a draft and makes its text fit for a file.
func prepare(d Entry) (Entry, []SecretFound) {
	d, masked := maskEntry(d)
	return Normalize(d), masked
}

// adopt writes an imported entry under its own id.
func (w *writer) adopt(d Entry) (Entry, error) {
	raw, err := Render(d)
	if err != nil {
		return Entry{}, err
	}
	made, err := w.place(d.ID, raw)
	if err != nil {
		return Entry{}, err
	}
	if !made {
		return Entry{}, fmt.Errorf("%s: an entry with this id is there already", d.ID)
	}
	return w.parse(d.ID, raw), nil
}

// Accept makes an entry reviewed. One that supersedes, merges or revises others
// takes their place: they are demoted after it stands, so that at no moment
// neither holds. Accepting again what is reviewed finishes what an earlier run
// may have left undone.
func (s *Store) Accept(ctx context.Context, id string, by Review) (Receipt, error) {
	var r Receipt
	err := s.write(ctx, func(w *writer) (err error) {
		r, err = w.accept(ctx, id, by)
		return err
	})
	return r, err
}

func (w *writer) accept(ctx context.Context, id string, by Review) (Receipt, error) {
	set, err := w.load(ctx)
	if err != nil {
		return Receipt{}, err
	}
	e, err := set.need(id)
	if err != nil {
		return Receipt{}, err
	}
	if e.ReviewState == Superseded {
		return Receipt{}, fmt.Errorf("%s: %w", id, ErrSuperseded)
	}
	var r Receipt
	if e.ReviewState == Reviewed {
		r.Entry = *e
	} else {
		next := e.Clone()
		next.ReviewState = Reviewed
		if e.PendingRevision != "" {
			t := set.Get(e.PendingRevision)
			switch {
			case t == nil:
				r.Warnings = append(r.Warnings, fmt.Sprintf("%s, which it revises, is not there", e.PendingRevision))
			case set.State(t.ID) == Superseded:
				return Receipt{}, fmt.Errorf("%s revises %s: %w meanwhile: revise that one", id, t.ID, ErrSuperseded)
			}
			if next.Supersedes == "" {
				next.Supersedes = e.PendingRevision
			}
			next.PendingRevision = ""
		}
		if err := set.acyclic(next); err != nil {
			return Receipt{}, err
		}
		sets := []setKey{{"reviewState", string(Reviewed)}, {"stateDate", day(by.At)}, {"stateReason", yamlText(Line(by.Reason))}}
		if by.By != "" {
			sets = append(sets, setKey{"reviewer", yamlText(Line(by.By))})
		}
		if e.PendingRevision != "" {
			sets = append(sets, setKey{"pendingRevision", ""}, setKey{"supersedes", next.Supersedes})
		}
		sets = append(sets, set.revised(&next)...)
		if r.Entry, err = w.rewrite(id, func(_ Entry, raw []byte) ([]byte, error) { return setKeys(raw, sets...) }); err != nil {
			return Receipt{}, err
		}
		if r.Entry.ReviewState != Reviewed {
			return Receipt{}, fmt.Errorf("%s: %w", id, ErrFaulty)
		}
		r.Changed = append(r.Changed, id)
	}
	return w.demoteAll(set, r)
}

// revised are the keys that follow from what an entry takes the place of.
func (s *Set) revised(next *Entry) []setKey {
	var sets []setKey
	version := 1
	var from *Entry
	for _, id := range next.targets() {
		if t := s.Get(id); t != nil {
			version = max(version, t.Version+1)
			if id == next.Supersedes {
				from = t
			}
		}
	}
	if version > next.Version {
		sets = append(sets, setKey{"version", strconv.Itoa(version)})
		next.Version = version
	}
	if from != nil && next.LastDeltaSummary == "" {
		next.LastDeltaSummary = Delta(*from, *next)
		sets = append(sets, setKey{"lastDeltaSummary", yamlText(next.LastDeltaSummary)})
	}
	return sets
}

// demoteAll demotes what the entry of a receipt takes the place of. Of the files
// nothing but the line of the state changes.
func (w *writer) demoteAll(set *Set, r Receipt) (Receipt, error) {
	for _, id := range r.Entry.targets() {
		t := set.Get(id)
		switch {
		case t == nil:
			r.Warnings = append(r.Warnings, fmt.Sprintf("%s, whose place it takes, is not there", id))
			continue
		case !t.Readable():
			r.Warnings = append(r.Warnings, fmt.Sprintf("%s, whose place it takes, has faults and is left as it is", id))
			continue
		case t.ReviewState == Superseded || t.ReviewState == Stale || t.ID == r.Entry.ID:
			continue
		}
		if by := set.HiddenBy(id); by != "" && by != r.Entry.ID {
			r.Warnings = append(r.Warnings, fmt.Sprintf("%s also takes the place of %s", by, id))
		}
		if _, err := w.setState(id, Superseded); err != nil {
			return r, err
		}
		r.Changed = append(r.Changed, id)
	}
	return r, nil
}

func (w *writer) setState(id string, s State, more ...setKey) (Entry, error) {
	return w.rewrite(id, func(e Entry, raw []byte) ([]byte, error) {
		if !e.Readable() {
			return nil, fmt.Errorf("%s: %w", id, ErrFaulty)
		}
		return setKeys(raw, append([]setKey{{"reviewState", string(s)}}, more...)...)
	})
}

// Reject takes an entry out of force for good reason: its state becomes stale,
// the file stays. It goes for proposals and for what was reviewed and turned out
// wrong; what is superseded has been answered already.
func (s *Store) Reject(ctx context.Context, id string, by Review) (Receipt, error) {
	return s.MarkStale(ctx, id, by)
}

// MarkStale says of an entry that it no longer holds, with the day and the
// reason in the file.
func (s *Store) MarkStale(ctx context.Context, id string, by Review) (Receipt, error) {
	var r Receipt
	err := s.write(ctx, func(w *writer) error {
		set, err := w.load(ctx)
		if err != nil {
			return err
		}
		e, err := set.need(id)
		if err != nil {
			return err
		}
		if e.ReviewState == Superseded {
			return fmt.Errorf("%s: %w", id, ErrSuperseded)
		}
		if e.ReviewState == Stale && (by.Reason == "" || e.StateReason == Line(by.Reason)) {
			r.Entry = *e
			return nil
		}
		sets := []setKey{{"stateDate", day(by.At)}, {"stateReason", yamlText(Line(by.Reason))}}
		if by.By != "" {
			sets = append(sets, setKey{"reviewer", yamlText(Line(by.By))})
		}
		r.Entry, err = w.setState(id, Stale, sets...)
		r.Changed = []string{id}
		return err
	})
	return r, err
}

// Patch is a change of some fields of an entry; nil leaves a field as it is.
type Patch struct {
	Title, Goal, Notes, Asserts, Summary                      *string
	Kind                                                      *Kind
	Tags, Plan, Decisions, NextSteps, FilesTouched, AppliesTo *[]string
	SourceRefs                                                *[]SourceRef
	Supersedes, Status, RunID, Provider, Model, Mode, Author  *string
}

// Empty says whether a patch changes nothing.
func (p Patch) Empty() bool { return p == Patch{} }

// Apply is an entry with the fields of the patch.
func (p Patch) Apply(e Entry) Entry {
	e = e.Clone()
	text := func(to *string, from *string) {
		if from != nil {
			*to = *from
		}
	}
	items := func(to *[]string, from *[]string) {
		if from != nil {
			*to = *from
		}
	}
	text(&e.Title, p.Title)
	text(&e.Goal, p.Goal)
	text(&e.Notes, p.Notes)
	text(&e.Asserts, p.Asserts)
	text(&e.LastDeltaSummary, p.Summary)
	text(&e.Supersedes, p.Supersedes)
	text(&e.Status, p.Status)
	text(&e.RunID, p.RunID)
	text(&e.Provider, p.Provider)
	text(&e.Model, p.Model)
	text(&e.Mode, p.Mode)
	text(&e.Author, p.Author)
	if p.Kind != nil {
		e.Kind = *p.Kind
	}
	items(&e.Tags, p.Tags)
	items(&e.Plan, p.Plan)
	items(&e.Decisions, p.Decisions)
	items(&e.NextSteps, p.NextSteps)
	items(&e.FilesTouched, p.FilesTouched)
	items(&e.AppliesTo, p.AppliesTo)
	if p.SourceRefs != nil {
		e.SourceRefs = *p.SourceRefs
	}
	return e
}

// Edit changes fields of an entry in its file; only their lines change. A
// reviewed entry stays reviewed and becomes the next version of itself, with a
// summary of what changed.
func (s *Store) Edit(ctx context.Context, id string, p Patch) (Receipt, error) {
	var r Receipt
	err := s.write(ctx, func(w *writer) error {
		var masked []SecretFound
		e, err := w.rewrite(id, func(e Entry, raw []byte) ([]byte, error) {
			switch {
			case !e.Readable():
				return nil, fmt.Errorf("%s: %w", id, ErrFaulty)
			case e.ReviewState == Superseded:
				return nil, fmt.Errorf("%s: %w", id, ErrSuperseded)
			}
			var next Entry
			next, masked = maskEntry(p.Apply(e))
			next = Normalize(next)
			if !differ(e, next) {
				return raw, nil
			}
			if e.ReviewState == Reviewed {
				next.Version++
				if p.Summary == nil {
					next.LastDeltaSummary = Delta(e, next)
				}
			}
			if err := next.Validate(); err != nil {
				return nil, fmt.Errorf("%s: %w", id, err)
			}
			return rewritten(e, next, raw)
		})
		if err != nil {
			return err
		}
		r = Receipt{Entry: e, Changed: []string{id}, Masked: masked}
		return nil
	})
	return r, err
}

// differ says whether two entries would be written differently.
func differ(a, b Entry) bool {
	a, b = Normalize(a), Normalize(b)
	for _, key := range Keys {
		if key != "asserts" && a.value(key) != b.value(key) {
			return true
		}
	}
	return slices.ContainsFunc(sectionOrder, func(s section) bool { return a.sectionText(s) != b.sectionText(s) }) ||
		strings.ReplaceAll(a.Asserts, "\r\n", "\n") != strings.ReplaceAll(b.Asserts, "\r\n", "\n")
}

// rewritten is the file of an entry with the lines of what differs replaced.
func rewritten(old, next Entry, raw []byte) ([]byte, error) {
	before := Normalize(old)
	var sets []setKey
	for _, key := range Keys {
		was, is := before.value(key), next.value(key)
		if key == "asserts" {
			was, is = before.Asserts, next.Asserts
		}
		if was != is {
			sets = append(sets, setKey{key, is})
		}
	}
	out := raw
	var err error
	if len(sets) > 0 {
		if out, err = setKeys(raw, sets...); err != nil {
			return nil, err
		}
	}
	for _, s := range sectionOrder {
		if was, is := before.sectionText(s), next.sectionText(s); was != is {
			out = setSection(out, s, is)
		}
	}
	// What was meant must be what the file now says: a fence of code that nothing
	// closes, for one, would swallow the section behind it.
	if got := Parse(old.ID, out); !got.Readable() || differ(got, next) {
		return nil, fmt.Errorf("%s: the file cannot be edited without changing more than was asked for: edit it by hand", old.ID)
	}
	return out, nil
}

// Supersede writes a draft down as a reviewed entry that takes the place of
// another. The new one stands before the old one is demoted.
func (s *Store) Supersede(ctx context.Context, old string, draft Entry, by Review) (Receipt, error) {
	draft.Supersedes = old
	return s.replace(ctx, []string{old}, draft, by)
}

// Merge writes a draft down as a reviewed entry that takes the place of several.
// What the draft leaves empty comes from them, in their order.
func (s *Store) Merge(ctx context.Context, ids []string, draft Entry, by Review) (Receipt, error) {
	if len(ids) < 2 {
		return Receipt{}, errors.New("two entries or more are needed to merge")
	}
	for i, id := range ids {
		if slices.Contains(ids[:i], id) {
			return Receipt{}, fmt.Errorf("%s is named twice", id)
		}
	}
	draft.Supersedes, draft.MergedFrom = ids[0], slices.Clone(ids)
	return s.replace(ctx, ids, draft, by)
}

func (s *Store) replace(ctx context.Context, ids []string, draft Entry, by Review) (Receipt, error) {
	var r Receipt
	err := s.write(ctx, func(w *writer) error {
		set, err := w.load(ctx)
		if err != nil {
			return err
		}
		var olds []Entry
		for _, id := range ids {
			e, err := set.need(id)
			if err != nil {
				return err
			}
			if by := set.HiddenBy(id); by != "" {
				return fmt.Errorf("%s: %w, %s", id, ErrSuperseded, by)
			}
			if e.ReviewState == Superseded {
				return fmt.Errorf("%s: %w", id, ErrSuperseded)
			}
			olds = append(olds, *e)
		}
		var warn []string
		if len(draft.MergedFrom) > 0 {
			draft, warn = union(draft, olds)
		}
		if draft.Kind == "" {
			draft.Kind = olds[0].Kind
		}
		draft, masked := maskEntry(draft)
		draft = Normalize(draft)
		draft.ID = ""
		draft.ReviewState, draft.Reviewer, draft.StateReason, draft.StateDate = Reviewed, Line(by.By), Line(by.Reason), day(by.At)
		draft.Version = 1
		set.revised(&draft)
		e, err := w.create(draft, by.At)
		if err != nil {
			return err
		}
		r, err = w.demoteAll(set, Receipt{Entry: e, Changed: []string{e.ID}, Masked: masked, Warnings: warn})
		return err
	})
	return r, err
}

// union fills what a draft leaves empty from the entries that it is merged from.
func union(d Entry, olds []Entry) (Entry, []string) {
	var warn []string
	empty := d
	var notes []string
	asserts := 0
	for _, o := range olds {
		if d.Title == "" {
			d.Title = o.Title
		}
		if d.Kind == "" {
			d.Kind = o.Kind
		}
		if d.Goal == "" {
			d.Goal = o.Goal
		}
		add := func(to *[]string, was, more []string) {
			if len(was) == 0 {
				*to = words(append(slices.Clone(*to), more...), true)
			}
		}
		add(&d.Tags, empty.Tags, o.Tags)
		add(&d.Plan, empty.Plan, o.Plan)
		add(&d.Decisions, empty.Decisions, o.Decisions)
		add(&d.NextSteps, empty.NextSteps, o.NextSteps)
		add(&d.FilesTouched, empty.FilesTouched, o.FilesTouched)
		add(&d.AppliesTo, empty.AppliesTo, o.AppliesTo)
		if len(empty.SourceRefs) == 0 {
			for _, r := range o.SourceRefs {
				if !slices.Contains(d.SourceRefs, r) {
					d.SourceRefs = append(d.SourceRefs, r)
				}
			}
		}
		if o.Notes != "" {
			notes = append(notes, o.Notes)
		}
		if o.Asserts != "" && empty.Asserts == "" {
			if asserts++; asserts == 1 {
				d.Asserts = o.Asserts
			} else {
				warn = append(warn, fmt.Sprintf("the asserts of %s were not carried over: add them to the merged entry by hand", o.ID))
			}
		}
	}
	// About everything is wider than about something.
	if len(empty.AppliesTo) == 0 && slices.ContainsFunc(olds, func(o Entry) bool { return len(o.AppliesTo) == 0 }) {
		d.AppliesTo = nil
	}
	if d.Notes == "" {
		d.Notes = strings.Join(notes, "\n\n")
	}
	if len(d.Tags) > MaxTags {
		warn = append(warn, fmt.Sprintf("%d tags beyond %d were left out", len(d.Tags)-MaxTags, MaxTags))
		d.Tags = d.Tags[:MaxTags]
	}
	if len(d.SourceRefs) > MaxSourceRefs {
		warn = append(warn, fmt.Sprintf("%d source references beyond %d were left out", len(d.SourceRefs)-MaxSourceRefs, MaxSourceRefs))
		d.SourceRefs = d.SourceRefs[:MaxSourceRefs]
	}
	return d, warn
}

// Revise writes a pending revision of an entry down: a proposed entry that holds
// all of it with the changes of the patch. The entry itself stays as it is.
func (s *Store) Revise(ctx context.Context, id string, p Patch, at time.Time) (Receipt, error) {
	var r Receipt
	err := s.write(ctx, func(w *writer) error {
		set, err := w.load(ctx)
		if err != nil {
			return err
		}
		target, err := set.need(id)
		if err != nil {
			return err
		}
		if set.State(id) == Superseded {
			return fmt.Errorf("%s: %w", id, ErrSuperseded)
		}
		d := p.Apply(*target)
		if Delta(*target, Normalize(d)) == "" {
			return fmt.Errorf("%s: nothing of it would change", id)
		}
		d.ID, d.Date, d.ReviewState, d.Reviewer = "", "", Proposed, ""
		d.Version = 1
		d.PendingRevision, d.Supersedes, d.MergedFrom, d.StateReason, d.StateDate = id, "", nil, "", ""
		if p.Summary == nil {
			d.LastDeltaSummary = ""
		}
		r, err = w.add(d, at)
		return err
	})
	return r, err
}

// Dismiss unlinks a pending revision from what it would have revised. Neither is
// lost: the revision stays as a proposal of its own. id is the revision's, or
// that of its target, which means the newest revision of it.
func (s *Store) Dismiss(ctx context.Context, id string, by Review) (Receipt, error) {
	var r Receipt
	err := s.write(ctx, func(w *writer) error {
		set, err := w.load(ctx)
		if err != nil {
			return err
		}
		rev, err := set.Revision(id)
		if err != nil {
			return err
		}
		reason := "dismissed as a revision of " + rev.PendingRevision
		if by.Reason != "" {
			reason += ": " + by.Reason
		}
		r.Entry, err = w.setState(rev.ID, rev.ReviewState, setKey{"pendingRevision", ""}, setKey{"stateDate", day(by.At)}, setKey{"stateReason", yamlText(Line(reason))})
		r.Changed = []string{rev.ID}
		return err
	})
	return r, err
}

// Revision is the pending revision with an id, or the newest one against the
// entry with that id.
func (s *Set) Revision(id string) (*Entry, error) {
	e, err := s.need(id)
	if err != nil {
		return nil, err
	}
	if e.PendingRevision != "" && e.ReviewState == Proposed {
		return e, nil
	}
	if list := s.Revisions(id); len(list) > 0 {
		return s.Get(list[0].ID), nil
	}
	return nil, fmt.Errorf("%s: %w, and there is none against it", id, ErrNoRevision)
}

// Revisions are the pending revisions against an entry, of all entries for "",
// the newest first. Those whose target is not there are left out.
func (s *Set) Revisions(id string) []Entry {
	var out []Entry
	for _, e := range s.Entries {
		if e.PendingRevision != "" && e.ReviewState == Proposed && (id == "" || e.PendingRevision == id) && s.Get(e.PendingRevision) != nil {
			out = append(out, e)
		}
	}
	slices.SortStableFunc(out, func(a, b Entry) int {
		if a.CreatedAtMs != b.CreatedAtMs {
			return int(max(-1, min(1, b.CreatedAtMs-a.CreatedAtMs)))
		}
		return strings.Compare(a.ID, b.ID)
	})
	return out
}

// Mend finishes what an interrupted write left undone: entries that a reviewed
// one took the place of and that still say that they are reviewed are demoted.
// It says which.
func (s *Store) Mend(ctx context.Context) (demoted []string, err error) {
	err = s.write(ctx, func(w *writer) error {
		set, err := w.load(ctx)
		if err != nil {
			return err
		}
		for _, e := range set.Entries {
			if e.ReviewState == Reviewed && set.HiddenBy(e.ID) != "" {
				if _, err := w.setState(e.ID, Superseded); err != nil {
					return err
				}
				demoted = append(demoted, e.ID)
			}
		}
		return nil
	})
	return demoted, err
}

// need is the entry of an id that can be worked with.
func (s *Set) need(id string) (*Entry, error) {
	if !ValidID(id) {
		return nil, fmt.Errorf("%s: %w", quote(id), ErrBadID)
	}
	e := s.Get(id)
	switch {
	case e == nil:
		return nil, fmt.Errorf("%s: %w", id, ErrNoEntry)
	case !e.Readable():
		return nil, fmt.Errorf("%s: %w", id, ErrFaulty)
	}
	return e, nil
}

// acyclic refuses an entry that would, once reviewed, stand in a circle.
func (s *Set) acyclic(e Entry) error {
	entries := slices.DeleteFunc(slices.Clone(s.Entries), func(o Entry) bool { return o.ID == e.ID })
	if NewSet(append(entries, e), nil).circles()[e.ID] != 0 {
		return fmt.Errorf("%s: %w", e.ID, ErrCircle)
	}
	return nil
}

func day(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.DateOnly)
}

// maskEntry masks the secrets of all text of an entry.
func maskEntry(e Entry) (Entry, []SecretFound) {
	e = e.Clone()
	var found []SecretFound
	mask := func(field string, s *string) {
		for _, h := range secret.Find(*s) {
			found = append(found, SecretFound{field, h.Rule, 1 + strings.Count((*s)[:h.Start], "\n")})
		}
		*s, _ = secret.Mask(*s)
	}
	list := func(field string, l []string) {
		for i := range l {
			mask(field, &l[i])
		}
	}
	mask("title", &e.Title)
	mask("goal", &e.Goal)
	list("plan", e.Plan)
	list("decisions", e.Decisions)
	list("filesTouched", e.FilesTouched)
	list("nextSteps", e.NextSteps)
	mask("notes", &e.Notes)
	list("tags", e.Tags)
	for i := range e.SourceRefs {
		mask("sourceRefs", &e.SourceRefs[i].ID)
		mask("sourceRefs", &e.SourceRefs[i].Label)
		mask("sourceRefs", &e.SourceRefs[i].Path)
	}
	for field, s := range map[string]*string{"runId": &e.RunID, "status": &e.Status, "author": &e.Author, "stateReason": &e.StateReason, "lastDeltaSummary": &e.LastDeltaSummary} {
		mask(field, s)
	}
	mask("asserts", &e.Asserts)
	slices.SortStableFunc(found, func(a, b SecretFound) int { return strings.Compare(a.Field, b.Field) })
	return e, found
}

package checkpoint

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/sourcegraph/conc/iter"

	"github.com/saysolint/sayso/internal/git"
)

// DefaultBudget is how many commits a walk looks at.
const DefaultBudget = 1_000_000

// reading is part of every fingerprint: a part that was read by other rules is
// read again.
const reading = "1"

// Options say what is ingested.
type Options struct {
	All           bool // walk every branch, not only the current one
	NoTranscripts bool // open no object with words of a session
	Budget        int  // commits to walk at most; 0 is DefaultBudget
	Rebuild       bool // read everything again

	Progress func(done, total int) // checkpoints read, nil for none; called from one goroutine at a time
}

// Result is what a run of Ingest did.
type Result struct {
	Source    string
	Coverage  Coverage
	Unchanged bool // nothing had to be written
	Read      int  // checkpoints that were read
	Reused    int  // checkpoints whose earlier reading still holds
	Bytes     int  // of the state file; 0 where it was not written
}

// Ingest reads the checkpoints that the history names and writes the state. An
// error is of the whole run: git that fails, a state that cannot be written, a
// context that ended. Whatever cannot be read of a checkpoint is in the coverage.
func Ingest(ctx context.Context, repo *git.Repo, opts Options) (*Result, error) {
	if repo.Fallback() {
		return nil, fmt.Errorf("ingest: %w", git.ErrUnsupported)
	}
	dir := Dir(repo.CommonDir())
	in, refs, err := gatherInputs(ctx, repo, opts)
	if err != nil {
		return nil, err
	}
	// A state that cannot be read is rebuilt, whatever is wrong with it.
	old, err := readState(statePath(dir, Entire))
	if err != nil || opts.Rebuild {
		old = nil
	}
	if old != nil && sameInputs(old.inputs, in) {
		back, err := anyBack(ctx, repo, old.inputs.Gone, samePacks(old.inputs, in))
		if err != nil {
			return nil, err
		}
		if !back { // in.Store "" is no print: it is looked for every time
			res := &Result{Source: Entire, Coverage: old.coverage, Unchanged: true, Reused: len(old.parts)}
			if !samePacks(old.inputs, in) && in.Store != "" {
				// Looked for in vain: the next run need not look again.
				old.name, old.inputs.Store = Entire, in.Store
				_, err = old.write(dir)
			}
			return res, err
		}
	}
	w, err := walk(ctx, repo, in.Tips, in.Budget)
	if err != nil {
		return nil, err
	}
	if err := addFiles(ctx, repo, w, old); err != nil {
		return nil, err
	}
	ids := make([]string, 0, len(w.byID))
	for id := range w.byID {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	found, others, err := folders(ctx, repo, refs, func(id string) bool { return w.byID[id] != nil }, ids)
	if err != nil {
		return nil, err
	}
	parts, read, err := readParts(ctx, repo, ids, found, old, old != nil && samePacks(old.inputs, in), opts)
	if err != nil {
		return nil, err
	}
	s := &state{name: Entire, inputs: in}
	for i, id := range ids {
		p := *parts[i]
		p.Record = withCommits(p.Record, w.byID[id])
		s.parts = append(s.parts, &p)
	}
	s.close(w, others, repo.Shallow(), !opts.NoTranscripts)
	res := &Result{Source: Entire, Coverage: s.coverage, Read: read, Reused: len(ids) - read}
	if res.Bytes, err = s.write(dir); err != nil {
		return nil, err
	}
	return res, nil
}

// gatherInputs asks git what the run depends on.
func gatherInputs(ctx context.Context, repo *git.Repo, opts Options) (inputs, []ref, error) {
	in := inputs{Scope: "branch", Transcripts: !opts.NoTranscripts, Budget: cmp.Or(opts.Budget, DefaultBudget)}
	head, err := repo.Resolve(ctx, "HEAD")
	if err != nil && !(opts.All && (errors.Is(err, git.ErrEmpty) || errors.Is(err, git.ErrUnknown))) {
		return in, nil, err
	}
	if head != "" {
		in.Head, in.Tips = head, []string{head}
	}
	if opts.All {
		in.Scope = "all"
		tips, err := walkedRefs(ctx, repo)
		if err != nil {
			return in, nil, err
		}
		for _, r := range tips {
			in.Tips = append(in.Tips, r.hash)
		}
	}
	slices.Sort(in.Tips)
	in.Tips = slices.Compact(in.Tips)
	if len(in.Tips) == 0 {
		return in, nil, fmt.Errorf("ingest: %w", git.ErrEmpty)
	}
	in.Store = storePrint(repo.CommonDir())
	refs, err := checkpointRefs(ctx, repo)
	for _, r := range refs {
		in.Refs = append(in.Refs, r.hash+" "+r.name)
	}
	return in, refs, err
}

// sameInputs compares all but what was gone, and where.
func sameInputs(a, b inputs) bool {
	a.Gone, b.Gone, a.Store, b.Store = nil, nil, "", ""
	return reflect.DeepEqual(a, b)
}

func samePacks(a, b inputs) bool { return a.Store != "" && a.Store == b.Store }

// storePrint names what the store's packs are. Git searches its packs anew for
// every object that it does not find, so that asking for a hundred takes a second;
// while the packs are the same no object can have come but as a loose file.
// "" where this cannot be told, which equals no print.
func storePrint(commonDir string) string {
	objects := filepath.Join(commonDir, "objects")
	list, err := os.ReadDir(filepath.Join(objects, "pack"))
	if err != nil {
		return ""
	}
	if _, err := os.Stat(filepath.Join(objects, "info", "alternates")); !os.IsNotExist(err) {
		return "" // objects of another repository
	}
	h := sha256.New()
	for _, e := range list {
		if strings.HasSuffix(e.Name(), ".idx") {
			fmt.Fprintf(h, "%s\n", e.Name())
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// anyBack says whether an object that was not in the store is there now. samePacks
// says that the packs are those in which it was not.
func anyBack(ctx context.Context, repo *git.Repo, objects []string, samePacks bool) (bool, error) {
	for _, o := range objects {
		if samePacks {
			if _, err := os.Stat(filepath.Join(repo.CommonDir(), "objects", o[:2], o[2:])); os.IsNotExist(err) {
				continue
			}
		}
		there, err := repo.Exists(ctx, o)
		if ctx.Err() != nil {
			return false, context.Cause(ctx)
		}
		if err != nil || there {
			return true, nil
		}
	}
	return false, nil
}

// addFiles fills in what each commit changed. What an earlier run found holds:
// commits do not change.
func addFiles(ctx context.Context, repo *git.Repo, w *walked, old *state) error {
	known := map[string][]string{}
	if old != nil {
		for _, p := range old.parts {
			for _, c := range p.Record.Commits {
				if _, asked := w.parents[c.Hash]; asked && !c.FilesGone {
					known[c.Hash] = c.Files
					delete(w.parents, c.Hash)
				}
			}
		}
	}
	if len(w.parents) > 0 {
		files, err := changedFiles(ctx, repo, w.parents)
		if err != nil {
			return err
		}
		for h, f := range files {
			known[h] = f
		}
	}
	for _, list := range w.byID {
		for i := range list {
			files, ok := known[list[i].Hash]
			list[i].Files, list[i].FilesGone = files, !ok
		}
	}
	return nil
}

// readParts reads the checkpoints that an earlier state does not answer for. Git
// inflates one object while others are read: a few at a time is all that helps.
func readParts(ctx context.Context, repo *git.Repo, ids []string, found map[string]folder, old *state, samePacks bool, opts Options) ([]*part, int, error) {
	before := map[string]*part{}
	if old != nil {
		for _, p := range old.parts {
			before[p.Record.ID] = p
		}
	}
	parts := make([]*part, len(ids))
	var todo []int
	for i, id := range ids {
		print := fingerprint(found[id], !opts.NoTranscripts)
		if p := before[id]; p != nil && p.Print == print {
			back, err := anyBack(ctx, repo, p.Gone, samePacks)
			if err != nil {
				return nil, 0, err
			}
			if !back {
				parts[i] = withoutCommits(p)
				continue
			}
		}
		todo = append(todo, i)
		parts[i] = &part{Print: print}
	}
	var done atomic.Int64
	report := progress(opts.Progress, len(todo))
	errs := make([]error, len(ids))
	it := iter.Iterator[int]{MaxGoroutines: min(4, max(2, runtime.GOMAXPROCS(0)))}
	it.ForEach(todo, func(at *int) {
		i := *at
		if ctx.Err() != nil {
			errs[i] = context.Cause(ctx)
			return
		}
		p, err := readOne(ctx, repo, ids[i], found[ids[i]], !opts.NoTranscripts)
		if err != nil {
			errs[i] = err
			return
		}
		p.Print = parts[i].Print
		parts[i] = p
		report(int(done.Add(1)))
	})
	for _, err := range errs {
		if err != nil {
			return nil, 0, err
		}
	}
	return parts, len(todo), nil
}

// progress makes a report that goroutines may call one at a time.
func progress(f func(done, total int), total int) func(int) {
	if f == nil {
		return func(int) {}
	}
	turn := make(chan struct{}, 1)
	return func(done int) {
		turn <- struct{}{}
		f(done, total)
		<-turn
	}
}

func readOne(ctx context.Context, repo *git.Repo, id string, f folder, transcripts bool) (*part, error) {
	if f == nil {
		return &part{Record: Record{ID: id, Source: Entire, Missing: []string{MissingCheckpoint}}}, nil
	}
	return readFolder(ctx, repo, id, f, transcripts)
}

// fingerprint names everything that a part is read from.
func fingerprint(f folder, transcripts bool) string {
	names := make([]string, 0, len(f))
	for name := range f {
		names = append(names, name)
	}
	slices.Sort(names)
	h := sha256.New()
	fmt.Fprintf(h, "%s %t %d\n", reading, transcripts, len(f))
	for _, name := range names {
		fmt.Fprintf(h, "%s %q\n", f[name], name)
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// withCommits fills in what the history knows of a checkpoint.
func withCommits(r Record, commits []Commit) Record {
	r.Commits = slices.Clone(commits)
	slices.SortFunc(r.Commits, func(a, b Commit) int {
		return cmp.Or(a.Committed.Compare(b.Committed), strings.Compare(a.Hash, b.Hash))
	})
	r.Missing = slices.Clone(r.Missing)
	if slices.ContainsFunc(r.Commits, func(c Commit) bool { return c.FilesGone }) {
		r.Missing = append(r.Missing, MissingFiles)
	}
	slices.Sort(r.Missing)
	r.Missing = slices.Compact(r.Missing)
	if r.Created.IsZero() && len(r.Commits) > 0 {
		r.Created = r.Commits[0].Committed
	}
	return r
}

// withoutCommits is a part of an earlier state as it was read.
func withoutCommits(p *part) *part {
	c := *p
	if slices.ContainsFunc(c.Record.Commits, func(c Commit) bool { return c.FilesGone }) {
		c.Record.Missing = slices.DeleteFunc(slices.Clone(c.Record.Missing), func(s string) bool { return s == MissingFiles })
	}
	if len(c.Record.Commits) > 0 && c.Record.Created.Equal(c.Record.Commits[0].Committed) {
		c.Record.Created = time.Time{}
	}
	c.Record.Commits = nil
	return &c
}

// byAge is the order of records.
func byAge(a, b *Record) int {
	return cmp.Or(a.Created.Compare(b.Created), strings.Compare(a.ID, b.ID), strings.Compare(a.Source, b.Source))
}

// close orders the parts, finds the turns that are told twice, and writes the
// coverage.
func (s *state) close(w *walked, others int, shallow, transcripts bool) {
	slices.SortFunc(s.parts, func(a, b *part) int { return byAge(&a.Record, &b.Record) })
	c := Coverage{
		WithTranscripts: transcripts, Commits: w.commits, Trailers: w.trailers, Unnamed: others,
		Checkpoints: len(s.parts), Missing: map[string]int{}, Shallow: shallow, Caps: []Cap{},
	}
	if w.cut {
		addCap(&c.Caps, Cap{"commits", s.inputs.Budget, 1})
	}
	told := teller{}
	masked := map[string]bool{}
	s.inputs.Gone = nil
	for _, p := range s.parts {
		c.count(p)
		for _, commit := range p.Record.Commits {
			if !masked[commit.Hash] {
				masked[commit.Hash] = true
				c.Masked += commit.SecretsGone
			}
		}
		s.inputs.Gone = append(s.inputs.Gone, p.Gone...)
		repeats := make([]bool, len(p.Turns))
		for k := range p.Turns {
			t := &p.Turns[k]
			if repeats[k] = told.repeat(t); repeats[k] {
				c.Repeats++
				continue
			}
			c.turn(t)
		}
		told.remember(p.Turns)
		s.repeats = append(s.repeats, repeats)
	}
	slices.Sort(s.inputs.Gone)
	s.inputs.Gone = slices.Compact(s.inputs.Gone)
	c.Complete = c.complete()
	s.coverage = c
}

// count adds a part, without its turns.
func (c *Coverage) count(p *part) {
	for _, field := range p.Record.Missing {
		c.Missing[field]++
	}
	if p.Record.Complete() {
		c.Whole++
	} else {
		c.Partial++
	}
	c.Sessions += p.Count.Sessions
	c.Lines += p.Count.Lines
	c.Skipped += p.Count.Skipped
	c.Transcripts.add(p.Count.Transcripts)
	for _, k := range p.Count.Caps {
		addCap(&c.Caps, k)
	}
}

func (c *Coverage) turn(t *Turn) {
	if t.Tier == Intent {
		c.Intent++
	} else {
		c.Chat++
	}
	if t.Redacted > 0 {
		c.Redacted++
	}
	c.Masked += t.Masked
}

func (t *Transcripts) add(o Transcripts) {
	t.Opened += o.Opened
	t.NotAsked += o.NotAsked
	t.Absent += o.Absent
	t.Gone += o.Gone
	t.Unreadable += o.Unreadable
}

// complete: nothing that was there to be read was left out.
func (c *Coverage) complete() bool {
	return c.Partial == 0 && c.Skipped == 0 && len(c.Caps) == 0 && !c.Shallow
}

// add puts the coverage of two sources together.
func (c Coverage) add(o Coverage) Coverage {
	if c.Missing == nil {
		return o
	}
	sum := c
	sum.Commits += o.Commits
	sum.Trailers += o.Trailers
	sum.Unnamed += o.Unnamed
	sum.Checkpoints += o.Checkpoints
	sum.Whole += o.Whole
	sum.Partial += o.Partial
	sum.Missing = map[string]int{}
	for _, m := range []map[string]int{c.Missing, o.Missing} {
		for k, n := range m {
			sum.Missing[k] += n
		}
	}
	sum.Sessions += o.Sessions
	sum.Transcripts.add(o.Transcripts)
	sum.Lines += o.Lines
	sum.Skipped += o.Skipped
	sum.Intent += o.Intent
	sum.Chat += o.Chat
	sum.Repeats += o.Repeats
	sum.Redacted += o.Redacted
	sum.Masked += o.Masked
	sum.Shallow = c.Shallow || o.Shallow
	sum.WithTranscripts = c.WithTranscripts && o.WithTranscripts
	sum.Caps = slices.Clone(c.Caps)
	for _, k := range o.Caps {
		addCap(&sum.Caps, k)
	}
	sum.Complete = c.Complete && o.Complete
	return sum
}

// teller remembers what earlier checkpoints of a session have told. A transcript
// repeats the session from its beginning where the checkpoint does not say where
// its own part begins, and prompt.txt always does.
type teller map[tale]bool

// tale is one turn of a session. A turn without a time is told by one with the
// same words at any time.
type tale struct {
	session, text string
	tier          Tier
	ms            int64
}

func (s teller) repeat(t *Turn) bool {
	if t.Session == "" {
		return false
	}
	k := tale{session: t.Session, text: t.Text, tier: t.Tier}
	if !t.Time.IsZero() {
		k.ms = t.Time.UnixMilli()
	}
	return s[k]
}

func (s teller) remember(turns []Turn) {
	for i := range turns {
		t := &turns[i]
		k := tale{session: t.Session, text: t.Text, tier: t.Tier}
		s[k] = true
		if !t.Time.IsZero() {
			k.ms = t.Time.UnixMilli()
			s[k] = true
		}
	}
}

// Current says whether the index still tells what the repository holds: no branch
// that was walked and no branch with checkpoints has moved since. Other sources
// than Entire's are always current.
func (ix *Index) Current(ctx context.Context, repo *git.Repo) (bool, error) {
	if ix.entire == nil {
		return true, nil
	}
	was := *ix.entire
	in, _, err := gatherInputs(ctx, repo, Options{All: was.Scope == "all", NoTranscripts: !was.Transcripts, Budget: was.Budget})
	if err != nil {
		return false, err
	}
	return sameInputs(in, was), nil
}

package sweep

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/saysolint/sayso/change"
	"github.com/saysolint/sayso/internal/git"
	"github.com/saysolint/sayso/memory"
)

// Repo is what is asked of a repository; *git.Repo has it.
type Repo interface {
	Resolve(ctx context.Context, rev string) (string, error)
	Commit(ctx context.Context, hash string) (*git.Commit, error)
	Tree(ctx context.Context, treeish string) ([]git.TreeEntry, error)
	Blob(ctx context.Context, object string, max int64) ([]byte, error)
	Type(ctx context.Context, object string) (hash, kind string, err error)
	Diff(ctx context.Context, a, b string) ([]git.RawEntry, error)
	Log(ctx context.Context, opts git.LogOptions, yield func(git.LogCommit) error) error
	Start(args ...string) (*git.Process, error)
	Shallow() bool
}

// Changes reads what a commit did; *change.Reader has it.
type Changes interface {
	Commit(ctx context.Context, hash string) (*change.Change, error)
}

// Input is everything that a sweep depends on.
type Input struct {
	Repo     Repo
	Changes  Changes
	Revision string      // what the entries are held against; "" is HEAD
	Set      *memory.Set // all entries of the store
	Space    string
	Folder   string    // of the store, from the top of its repository
	Now      time.Time // the day of the sweep; ages count from it

	Since  string      // look only at entries that changes after this revision may bear on; "" for all
	After  string      // begin behind the entry of this id; "" for the first
	Budget int         // at most this many entries; 0 for all
	Stop   func() bool // asked before each group of entries: true ends the sweep; nil never does

	// Anchors, where set, is told what became of every reference: the id of its
	// entry, which of its source references it is, and the answer.
	Anchors func(entry string, ref int, a Anchor)

	Rules    Rules           // what entries demand of a tree; nil: nobody can say
	Recalled map[string]bool // ids of entries that were ever recalled; nil: nobody kept a record
	MaxAge   time.Duration   // an entry that nothing else speaks of is old after this; 0: a year
}

// ErrShallow is a repository whose history is cut off: what is lost and what was
// never fetched look the same in it.
var ErrShallow = errors.New("the history is cut off here (a shallow clone): fetch it with git fetch --unshallow, in CI with fetch-depth: 0")

// Run sweeps the entries of a store. Findings are no error; an error means that
// nothing can be said.
func Run(ctx context.Context, in Input) (*Result, error) {
	if in.Repo.Shallow() {
		return nil, ErrShallow
	}
	if in.MaxAge == 0 {
		in.MaxAge = 365 * 24 * time.Hour
	}
	rev, err := in.Repo.Resolve(ctx, cmp.Or(in.Revision, "HEAD"))
	if err != nil {
		return nil, err
	}
	s := &sweeper{repo: in.Repo, in: in, rev: rev, checks: newChecks(), alive: map[string]int{}, namesOf: map[string]int{}, spoken: map[string]bool{}, had: map[string]bool{}}
	s.result = &Result{
		Schema: Schema, Revision: rev, Space: in.Space, Folder: in.Folder, Date: in.Now.UTC().Format(time.DateOnly),
		Coverage: Coverage{Total: len(in.Set.Entries), Left: map[string]int{}, Reasons: []string{}}, Findings: []Finding{},
	}
	s.paths = lookup{repo: in.Repo}
	defer s.paths.close()
	if err := s.openTree(ctx); err != nil {
		return nil, err
	}
	todo, err := s.choose(ctx)
	if err != nil {
		return nil, err
	}
	if err := s.sweepAll(ctx, todo); err != nil {
		return nil, err
	}
	s.consistency(todo)
	s.finish()
	return s.result, nil
}

// sweeper is one run.
type sweeper struct {
	repo    Repo
	in      Input
	rev     string
	tree    []git.TreeEntry
	files   map[string]int // path to index in tree; plain files only
	blobs   map[string][]int
	paths   lookup          // of other commits
	entries []*memory.Entry // of the group that is being swept
	checks  *checks
	result  *Result

	reach     map[string]bool     // commits of the history; nil until they are asked for
	bySubject map[string][]string // author and subject to such commits
	alive     map[string]int      // references of each entry that were found again
	namesOf   map[string]int      // names of each entry that are gone
	spoken    map[string]bool     // entries that something was found about
	had       map[string]bool     // whether the tree of a commit has a name
	treesRead int

	lastHash   string // what changeOf read last
	lastChange *change.Change
}

// groupSize is how many entries are swept together where a clock decides when to
// end. Each group reads the tree again, so that small groups are slow.
const groupSize = 1000

func (s *sweeper) sweepAll(ctx context.Context, todo []*memory.Entry) error {
	size := max(1, len(todo))
	if s.in.Stop != nil {
		size = groupSize
	}
	for from := 0; from < len(todo); from += size {
		if s.in.Stop != nil && s.in.Stop() {
			s.left(outOfTime, len(todo)-from)
			s.result.Coverage.Cursor = s.in.After
			if from > 0 {
				s.result.Coverage.Cursor = todo[from-1].ID
			}
			return nil
		}
		s.entries = todo[from:min(from+size, len(todo))]
		if err := s.sweepGroup(ctx); err != nil {
			return err
		}
		s.result.Coverage.Swept += len(s.entries)
	}
	return nil
}

const (
	outOfTime   = "the time of the budget was up"
	outOfNumber = "the number of the budget was reached"
)

func (s *sweeper) left(why string, n int) {
	if n > 0 {
		s.result.Coverage.Left[why] += n
	}
}

func (s *sweeper) openTree(ctx context.Context) error {
	var err error
	if s.tree, err = s.repo.Tree(ctx, s.rev); err != nil {
		return err
	}
	slices.SortFunc(s.tree, func(a, b git.TreeEntry) int { return strings.Compare(a.Path, b.Path) })
	s.files, s.blobs = make(map[string]int, len(s.tree)), make(map[string][]int, len(s.tree))
	for i, f := range s.tree {
		if plainFile(f) {
			s.files[f.Path] = i
			s.blobs[f.Object] = append(s.blobs[f.Object], i)
		}
	}
	return nil
}

// ofMemory says whether a file of the tree is an entry: entries name what they
// speak of, and are no evidence of it.
func (s *sweeper) ofMemory(path string) bool {
	return s.in.Folder != "" && strings.HasPrefix(path, s.in.Folder+"/")
}

// choose lists the entries to sweep, by id.
func (s *sweeper) choose(ctx context.Context) ([]*memory.Entry, error) {
	var all []*memory.Entry
	for i := range s.in.Set.Entries {
		e := &s.in.Set.Entries[i]
		switch {
		case e.Stub, !e.Readable():
			s.left("the file is not read without doubt: memory lint says why", 1)
		case s.in.Set.Active(e.ID), e.ReviewState == memory.Proposed:
			all = append(all, e)
		default:
			s.left("it no longer holds: superseded or stale", 1)
		}
	}
	if s.in.Since != "" {
		since, err := s.repo.Resolve(ctx, s.in.Since)
		if err != nil {
			return nil, err
		}
		s.result.Since = since
		if all, err = s.touched(ctx, since, all); err != nil {
			return nil, err
		}
	}
	if s.in.After != "" {
		n := len(all)
		all = slices.DeleteFunc(all, func(e *memory.Entry) bool { return e.ID <= s.in.After })
		s.left("an earlier sweep reached it", n-len(all))
	}
	if s.in.Budget > 0 && len(all) > s.in.Budget {
		s.left(outOfNumber, len(all)-s.in.Budget)
		all = all[:s.in.Budget]
		s.result.Coverage.Cursor = all[len(all)-1].ID
	}
	return all, nil
}

// touched keeps the entries that what changed since a revision may bear on: their
// own file, a file that they cite, or one that they apply to.
func (s *sweeper) touched(ctx context.Context, since string, all []*memory.Entry) ([]*memory.Entry, error) {
	rows, err := s.repo.Diff(ctx, since, s.rev)
	if err != nil {
		return nil, err
	}
	changed := map[string]bool{}
	for _, r := range rows {
		changed[r.Path], changed[r.OldPath] = true, true
	}
	paths := slices.Sorted(maps.Keys(changed))
	var kept []*memory.Entry
	for _, e := range all {
		if changed[e.RelPath] || mayBear(e, changed, paths) {
			kept = append(kept, e)
		}
	}
	s.left("nothing that it cites or applies to changed since then", len(all)-len(kept))
	return kept, nil
}

func mayBear(e *memory.Entry, changed map[string]bool, paths []string) bool {
	cited := false
	for _, r := range e.SourceRefs {
		cited = cited || r.Path != ""
		if changed[r.Path] {
			return true
		}
	}
	for _, f := range e.FilesTouched {
		if cited = true; changed[f] {
			return true
		}
	}
	if len(e.AppliesTo) == 0 {
		// It applies to everything; where it cites nothing either, anything may bear on it.
		return len(paths) > 0 && (e.Asserts != "" || !cited)
	}
	return slices.ContainsFunc(paths, func(p string) bool { return applies(e.AppliesTo, p) })
}

// sweepGroup holds one group of entries against the tree.
func (s *sweeper) sweepGroup(ctx context.Context) error {
	anchors := anchorsOf(s.entries)
	later, err := s.resolve(ctx, anchors)
	if err != nil {
		return err
	}
	if err := s.fromHistory(ctx, later); err != nil {
		return err
	}
	if err := s.commits(ctx, anchors); err != nil {
		return err
	}
	names := make([][]named, len(s.entries))
	for i, e := range s.entries {
		names[i] = namesOf(e)
	}
	if err := s.placeAll(ctx, anchors, names); err != nil {
		return err
	}
	sc := &scan{lines: map[uint64][]int32{}, names: map[string]int{}, skip: s.ofMemory}
	searched, err := s.search(ctx, sc, anchors)
	if err != nil {
		return err
	}
	for _, list := range names {
		for _, n := range list {
			if _, ok := sc.names[n.name]; !ok && !n.path {
				sc.names[n.name] = len(sc.names)
			}
		}
	}
	sc.counts = s.cited(anchors)
	s.demand(ctx, sc)
	seen, err := s.scan(ctx, s.tree, sc)
	if err != nil {
		return err
	}
	if seen.left > 0 {
		s.checks.missing(checkNames, fmt.Sprintf("%d files could not be read or are larger than %d MiB, the first is %s", seen.left, maxBlob>>20, seen.unread[0]))
	}
	s.tooShort(anchors, sc.counts)
	if err := s.placeSearched(ctx, searched); err != nil {
		return err
	}
	if err := s.follow(ctx, searched); err != nil {
		return err
	}
	s.sayAnchors(anchors, sc, seen)
	if err := s.sayNames(ctx, anchors, names, sc, seen); err != nil {
		return err
	}
	if err := s.sayScope(ctx, anchors); err != nil {
		return err
	}
	s.sayDemands(sc)
	return nil
}

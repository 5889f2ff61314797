package sweep

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/saysolint/sayso/change"
	"github.com/saysolint/sayso/internal/config"
	"github.com/saysolint/sayso/internal/git"
	"github.com/saysolint/sayso/memory"
)

// commits looks whether the commits that entries cite are in the history of the
// revision, and for the commit with the same change where one is not: a rebase
// and a forced push leave such a one behind.
func (s *sweeper) commits(ctx context.Context, anchors []*anchor) error {
	var cited []*anchor
	for _, a := range anchors {
		if a.ref.Type == "commit" || a.out.Base != "" && isHex(a.ref.ID) {
			cited = append(cited, a)
		}
	}
	if len(cited) == 0 {
		return nil
	}
	if s.reach == nil {
		s.reach = map[string]bool{}
		s.bySubject = map[string][]string{}
		err := s.repo.Log(ctx, git.LogOptions{Include: []string{s.rev}}, func(c git.LogCommit) error {
			s.reach[c.Hash] = true
			k := c.Email + "\x00" + c.Subject
			s.bySubject[k] = append(s.bySubject[k], c.Hash)
			return nil
		})
		if err != nil {
			return err
		}
	}
	s.checks.looked(checkCommits, len(cited), len(cited))
	twins := map[string]string{}
	for _, a := range cited {
		e := s.entries[a.entry]
		bare := a.ref.Path == "" // the commit itself is what is cited
		if s.reach[a.out.Base] {
			if bare {
				a.out.State, a.out.Via, a.out.Similarity = Intact, viaSame, 1
			}
			continue
		}
		if a.out.Base == "" {
			if bare {
				a.out.State = Lost
			}
			s.add(e, Finding{
				Check: checkCommits, Level: LevelFinding, Anchor: &a.out,
				Text:   fmt.Sprintf("the commit %s is not in this repository", short(a.ref.ID)),
				Advice: "name the commit that took its place, or the pull request",
			})
			continue
		}
		twin, known := twins[a.out.Base]
		if !known {
			var err error
			if twin, err = s.twin(ctx, a.out.Base); err != nil {
				return err
			}
			twins[a.out.Base] = twin
		}
		f := Finding{Check: checkCommits, Level: LevelFinding, Anchor: &a.out}
		if twin == "" {
			if bare {
				a.out.State = Lost
			}
			f.Text = fmt.Sprintf("the commit %s is no longer in the history, and no commit there makes the same change", short(a.out.Base))
			f.Advice = "a forced push may have dropped it: look whether what it did is still wanted"
		} else {
			if bare {
				a.out.State, a.out.Via, a.out.Similarity = Moved, viaPatch, 1
				f.Action = "reanchor"
			}
			a.out.ID = twin
			f.Level = LevelNote
			f.Text = fmt.Sprintf("the commit %s is no longer in the history; %s makes the same change", short(a.out.Base), short(twin))
		}
		s.add(e, f)
	}
	return nil
}

func short(hash string) string { return hash[:min(len(hash), 12)] }

// maxTwins bounds the commits that are compared with one that is gone.
const maxTwins = 20

// twin is the commit of the history that has the author, the subject and the
// change of another, "" for none.
func (s *sweeper) twin(ctx context.Context, hash string) (string, error) {
	c, err := s.repo.Commit(ctx, hash)
	if err != nil {
		return "", err
	}
	subject, _, _ := strings.Cut(c.Message, "\n\n")
	all := s.bySubject[c.Author.Email+"\x00"+strings.Join(strings.Fields(subject), " ")]
	if len(all) == 0 || s.in.Changes == nil {
		return "", nil
	}
	want, err := s.in.Changes.Commit(ctx, hash)
	if err != nil {
		return "", err
	}
	for _, h := range all[:min(len(all), maxTwins)] {
		got, err := s.in.Changes.Commit(ctx, h)
		if err != nil {
			return "", err
		}
		if sameChange(want, got) {
			return h, nil
		}
	}
	return "", nil
}

// sameChange says whether two changes add and remove the same lines of the same
// files, wherever in them: what git calls the same patch.
func sameChange(a, b *change.Change) bool {
	if len(a.Gaps)+len(b.Gaps) > 0 || len(a.Files) != len(b.Files) {
		return false
	}
	for i := range a.Files {
		x, y := &a.Files[i], &b.Files[i]
		if x.Path != y.Path || x.OldPath != y.OldPath || x.Status != y.Status || !slices.Equal(changedLines(x), changedLines(y)) {
			return false
		}
	}
	return true
}

func changedLines(f *change.File) (out []string) {
	for _, h := range f.Hunks {
		for _, l := range h.Lines {
			if l.Op != ' ' {
				out = append(out, string(l.Op)+l.Text)
			}
		}
	}
	return out
}

// sayAnchors turns what became of the references into findings.
func (s *sweeper) sayAnchors(anchors []*anchor, sc *scan, seen *scanned) {
	tally := &s.result.Anchors
	for _, a := range anchors {
		e := s.entries[a.entry]
		tally.Total++
		if a.out.State == "" {
			a.unread("nothing says what it cites")
		}
		if s.in.Anchors != nil {
			s.in.Anchors(e.ID, a.index, a.out)
		}
		switch a.out.State {
		case Intact:
			tally.Intact++
			s.alive[e.ID]++
		case Moved:
			tally.Moved++
			s.alive[e.ID]++
		case Drifted:
			tally.Drifted++
			s.alive[e.ID]++
		case Lost:
			tally.Lost++
		case Unread:
			tally.Unread++
		}
		if a.ref.Path == "" {
			continue // the commits say it
		}
		s.checks.looked(checkAnchors, 1, 0)
		if a.out.State != Unread || a.invalid {
			s.checks.looked(checkAnchors, 0, 1)
		}
		if f, ok := s.sayAnchor(a, sc, seen); ok {
			s.add(e, f)
		}
	}
}

// sayAnchor is the finding about one reference to a file.
func (s *sweeper) sayAnchor(a *anchor, sc *scan, seen *scanned) (Finding, bool) {
	f := Finding{Check: checkAnchors, Level: LevelNote, Anchor: &a.out}
	cites := spot(a.ref.Path, a.ref.LineStart, a.ref.LineEnd)
	now := spot(a.out.Path, a.out.LineStart, a.out.LineEnd)
	if a.out.Path != "" {
		f.Places = []Place{{Path: a.out.Path, Line: a.out.LineStart}}
	}
	var nowhere []string // names that are in no code any more
	for _, n := range a.gone {
		if seen.code[sc.names[n]].Path == "" {
			nowhere = append(nowhere, n)
		}
	}
	switch a.out.State {
	case Intact:
		return f, false
	case Moved:
		f.Action = "reanchor"
		f.Text = fmt.Sprintf("%s is now %s", cites, now)
		if a.out.Copies > 0 {
			f.Action = ""
			f.Text += fmt.Sprintf(", or one of %d other places with the same lines", a.out.Copies)
		}
		if len(nowhere) > 0 { // a renamed file from which they are gone
			f.Level = LevelFinding
			f.Text += fmt.Sprintf(", and %s, which the entry names, is not in the code any more", list(nowhere))
		}
	case Drifted:
		f.Text = fmt.Sprintf("%s has changed: %s is %d %% the same", cites, now, int(100*a.out.Similarity))
		if a.whole() {
			f.Text = fmt.Sprintf("%s has changed: %d %% of its lines are the same", cites, int(100*a.out.Similarity))
		}
		switch {
		case len(nowhere) > 0:
			f.Level = LevelFinding
			f.Text += fmt.Sprintf(", and %s, which the entry names from there, is not in the code any more", list(nowhere))
			f.Advice = "say what holds now: sayso memory revise " + s.entries[a.entry].ID
		case a.whole():
			return f, false // a file that changed is no news
		case len(a.gone) > 0:
			f.Text += fmt.Sprintf("; %s, which the entry names from there, is elsewhere in the code", list(a.gone))
		case len(a.said) > 0:
			f.Text += fmt.Sprintf("; it still has %s, which the entry names", list(a.said))
		}
	case Lost:
		f.Text = cites + " is not in the tree any more, and nothing similar is"
		if len(a.said) > 0 && len(nowhere) == 0 {
			f.Text += fmt.Sprintf("; %s, which the entry names from there, is elsewhere in the code", list(a.said))
			break
		}
		f.Level = LevelFinding
		f.Advice = "accept that it no longer holds (sayso memory reject), or cite what took its place"
	case Unread:
		if a.invalid {
			f.Level = LevelFinding
		}
		s.checks.missing(checkAnchors, a.out.Reason)
		f.Text = cites + ": " + a.out.Reason
	}
	return f, true
}

// spot is a place in words.
func spot(path string, start, end int) string {
	switch {
	case start == 0:
		return path
	case end <= start:
		return fmt.Sprintf("%s:%d", path, start)
	}
	return fmt.Sprintf("%s:%d-%d", path, start, end)
}

// list is at most three names in words.
func list(names []string) string {
	shown := names[:min(len(names), 3)]
	out := strings.Join(shown, ", ")
	if n := len(names) - len(shown); n > 0 {
		out += fmt.Sprintf(" and %d more", n)
	}
	return out
}

// maxCommitTrees bounds the trees of old commits that one sweep reads whole.
const maxCommitTrees = 5

// sayNames holds what entries name against the code, for those names of which
// something that the entry cites says that they were there, or were taken away.
func (s *sweeper) sayNames(ctx context.Context, anchors []*anchor, names [][]named, sc *scan, seen *scanned) error {
	byEntry := make([][]*anchor, len(s.entries))
	for _, a := range anchors {
		byEntry[a.entry] = append(byEntry[a.entry], a)
	}
	for i, e := range s.entries {
		for _, n := range names[i] {
			var err error
			if n.path {
				err = s.sayPath(ctx, e, n, byEntry[i])
			} else {
				err = s.sayName(ctx, e, n, byEntry[i], seen.code[sc.names[n.name]], seen.anywhere[sc.names[n.name]])
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *sweeper) sayName(ctx context.Context, e *memory.Entry, n named, anchors []*anchor, today Place, anywhere bool) error {
	if n.gone {
		return s.sayReturned(ctx, e, n, anchors, today)
	}
	if n.removal {
		return nil
	}
	s.checks.looked(checkNames, 1, 0)
	if today.Path != "" {
		s.checks.looked(checkNames, 0, 1)
		return nil
	}
	where := ""
	for _, a := range anchors {
		said := slices.Contains(a.said, n.name)
		switch {
		case said && a.out.State != Lost && !slices.Contains(a.gone, n.name):
			s.checks.looked(checkNames, 0, 1)
			return nil // the passage itself still has it
		case said:
			where = spot(a.ref.Path, a.ref.LineStart, a.ref.LineEnd)
		case a.ref.Type == "commit" && a.out.Base != "" && where == "":
			ch, err := s.changeOf(ctx, a.out.Base)
			if err != nil {
				return err
			}
			if in, _ := namesInChange(ch, n.name); in != "" {
				where = in + " in " + short(a.out.Base)
			}
		}
	}
	if where == "" {
		s.checks.missing(checkNames, "nothing that the entry cites says that some of the names were ever in the code")
		return nil
	}
	s.checks.looked(checkNames, 0, 1)
	s.namesOf[e.ID]++
	f := Finding{
		Check: checkNames, Level: LevelFinding, Text: fmt.Sprintf("%s, which was in %s, is not in the code any more", n.shown, where),
		Advice: "say what holds now (sayso memory revise " + e.ID + "), or that it no longer does (sayso memory reject)",
	}
	if anywhere {
		f.Text += "; documents still name it"
	}
	s.add(e, f)
	return nil
}

// sayReturned looks whether what an entry says was taken away, and the commit
// that it cites did take away, is in the code again.
func (s *sweeper) sayReturned(ctx context.Context, e *memory.Entry, n named, anchors []*anchor, today Place) error {
	for _, a := range anchors {
		if a.ref.Type != "commit" || a.out.Base == "" {
			continue
		}
		s.checks.looked(checkReturned, 1, 0)
		if today.Path == "" {
			s.checks.looked(checkReturned, 0, 1)
			return nil
		}
		ch, err := s.changeOf(ctx, a.out.Base)
		if err != nil {
			return err
		}
		if in, out := namesInChange(ch, n.name); in != "" || out == "" {
			s.checks.looked(checkReturned, -1, 0) // it was not this name that the commit took away
			return nil
		}
		there, ok, err := s.inCommit(ctx, a.out.Base, n.name)
		if err != nil {
			return err
		}
		if !ok {
			s.checks.missing(checkReturned, fmt.Sprintf("the trees of more than %d old commits would have to be read", maxCommitTrees))
			return nil
		}
		s.checks.looked(checkReturned, 0, 1)
		if there {
			return nil // it was elsewhere in the code all the time
		}
		s.add(e, Finding{
			Check: checkReturned, Level: LevelFinding, Places: []Place{today},
			Text:   fmt.Sprintf("%s, which %s took away, is in the code again", n.shown, short(a.out.Base)),
			Advice: "take it out again, or say why it may be there: sayso memory revise " + e.ID,
		})
		return nil
	}
	return nil
}

// inCommit says whether the code of a commit had a name; ok is false where too
// many trees would have to be read for this.
func (s *sweeper) inCommit(ctx context.Context, hash, name string) (there, ok bool, err error) {
	k := hash + " " + name
	if there, known := s.had[k]; known {
		return there, true, nil
	}
	if s.treesRead >= maxCommitTrees {
		return false, false, nil
	}
	s.treesRead++
	rows, err := s.repo.Tree(ctx, hash)
	if err != nil {
		return false, false, err
	}
	seen, err := s.scan(ctx, rows, &scan{names: map[string]int{name: 0}, skip: s.ofMemory})
	if err != nil {
		return false, false, err
	}
	s.had[k] = seen.code[0].Path != ""
	return s.had[k], true, nil
}

// changeOf reads what a commit did, nil where nobody can.
func (s *sweeper) changeOf(ctx context.Context, hash string) (*change.Change, error) {
	if s.in.Changes == nil {
		return nil, nil
	}
	if s.lastHash == hash {
		return s.lastChange, nil
	}
	ch, err := s.in.Changes.Commit(ctx, hash)
	if err != nil {
		return nil, err
	}
	s.lastHash, s.lastChange = hash, ch
	return ch, nil
}

// namesInChange are the first files in which a change adds and removes a name.
func namesInChange(ch *change.Change, name string) (added, removed string) {
	if ch == nil {
		return "", ""
	}
	for i := range ch.Files {
		f := &ch.Files[i]
		for _, h := range f.Hunks {
			for _, l := range h.Lines {
				if l.Op == ' ' || l.Op == '+' && added != "" || l.Op == '-' && removed != "" || !hasName([]byte(l.Text), name) {
					continue
				}
				if l.Op == '+' {
					added = f.Path
				} else {
					removed = f.Path
				}
			}
		}
	}
	return added, removed
}

// sayPath holds a path that an entry names against the tree.
func (s *sweeper) sayPath(ctx context.Context, e *memory.Entry, n named, anchors []*anchor) error {
	if n.removal || n.gone {
		return nil
	}
	s.checks.looked(checkNames, 1, 0)
	if s.hasPath(n.name) {
		s.checks.looked(checkNames, 0, 1)
		return nil
	}
	for _, a := range anchors {
		if a.out.Base == "" {
			continue
		}
		object, kind, err := s.paths.at(ctx, a.out.Base, n.name)
		if err != nil {
			return err
		}
		if kind == "" {
			continue
		}
		s.checks.looked(checkNames, 0, 1)
		s.namesOf[e.ID]++
		f := Finding{
			Check: checkNames, Level: LevelFinding, Text: fmt.Sprintf("%s, which was there in %s, is not in the tree any more", n.shown, short(a.out.Base)),
			Advice: "say what holds now (sayso memory revise " + e.ID + "), or that it no longer does (sayso memory reject)",
		}
		if at := s.blobs[object]; kind == "blob" && len(at) > 0 {
			f.Level, f.Advice = LevelNote, ""
			f.Text = fmt.Sprintf("%s is now %s", n.shown, s.tree[at[0]].Path)
			f.Places = []Place{{Path: s.tree[at[0]].Path}}
		}
		s.add(e, f)
		return nil
	}
	s.checks.missing(checkNames, "nothing that the entry cites says that some of the names were ever in the code")
	return nil
}

// hasPath says whether the tree has a file or a folder of this name.
func (s *sweeper) hasPath(path string) bool {
	i, found := slices.BinarySearchFunc(s.tree, path, func(f git.TreeEntry, p string) int { return strings.Compare(f.Path, p) })
	if found {
		return true
	}
	for ; i < len(s.tree) && strings.HasPrefix(s.tree[i].Path, path); i++ {
		if strings.HasPrefix(s.tree[i].Path, path+"/") {
			return true
		}
	}
	return false
}

// sayScope looks whether the globs of entries match a file of the tree.
func (s *sweeper) sayScope(ctx context.Context, anchors []*anchor) error {
	base := map[int]string{}
	for _, a := range anchors {
		if a.out.Base != "" && base[a.entry] == "" {
			base[a.entry] = a.out.Base
		}
	}
	for i, e := range s.entries {
		if len(e.AppliesTo) == 0 {
			continue
		}
		s.checks.looked(checkScope, 1, 0)
		if slices.ContainsFunc(s.tree, func(f git.TreeEntry) bool { return applies(e.AppliesTo, f.Path) }) {
			s.checks.looked(checkScope, 0, 1)
			continue
		}
		f := Finding{Check: checkScope, Level: LevelNote, Text: fmt.Sprintf("no file matches what it applies to: %s", list(e.AppliesTo))}
		if base[i] != "" {
			rows, err := s.repo.Tree(ctx, base[i])
			if err != nil {
				return err
			}
			s.checks.looked(checkScope, 0, 1)
			if slices.ContainsFunc(rows, func(f git.TreeEntry) bool { return applies(e.AppliesTo, f.Path) }) {
				f.Level = LevelFinding
				f.Text += fmt.Sprintf("; in %s some did", short(base[i]))
				f.Advice = "name where it applies now: sayso memory edit " + e.ID + " --applies-to GLOB"
			}
		} else {
			s.checks.missing(checkScope, "nothing says whether the globs ever matched: the entries cite no commit")
		}
		s.add(e, f)
	}
	return nil
}

// applies says whether a path matches one of some globs.
func applies(globs []string, path string) bool {
	return slices.ContainsFunc(globs, func(g string) bool { return config.Match(g, path) })
}

// demand puts what the entries demand into a scan.
func (s *sweeper) demand(ctx context.Context, sc *scan) {
	for i, e := range s.entries {
		if s.in.Rules == nil {
			if e.Asserts != "" {
				s.checks.looked(checkRules, 1, 0)
				s.checks.notRun(checkRules, "nobody reads assertions here")
			}
			continue
		}
		list, unread, why := s.in.Rules.Demands(ctx, EntryView{ID: e.ID, Title: e.Title, Decisions: e.Decisions, AppliesTo: e.AppliesTo, Asserts: e.Asserts})
		s.checks.looked(checkRules, len(list)+unread, len(list))
		if unread > 0 {
			s.checks.missing(checkRules, why)
		}
		for _, d := range list {
			sc.demands = append(sc.demands, &demanded{entry: i, demand: d})
		}
	}
}

// sayDemands turns what breaks a demand into findings.
func (s *sweeper) sayDemands(sc *scan) {
	for _, d := range sc.demands {
		if len(d.breaks) == 0 {
			continue
		}
		e := s.entries[d.entry]
		s.add(e, Finding{
			Check: checkRules, Level: LevelFinding, Places: d.breaks,
			Text:   fmt.Sprintf("the tree does not keep it: %s (%d places)", d.demand.Text(), len(d.breaks)),
			Advice: "change the code, or say what holds now: sayso memory revise " + e.ID,
		})
	}
}

package sweep

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/saysolint/sayso/memory"
)

// The checks, in the order of the manual.
const (
	checkAnchors    = "anchors"
	checkCommits    = "commits"
	checkNames      = "names"
	checkReturned   = "returned"
	checkScope      = "scope"
	checkRules      = "rules"
	checkSchema     = "schema"
	checkSuccession = "succession"
	checkDuplicates = "duplicates"
	checkConflicts  = "conflicts"
	checkRecalled   = "recalled"
	checkAge        = "age"
)

// CheckIDs are the ids of all checks, in the order of the manual.
func CheckIDs() []string {
	ids := make([]string, len(catalogue))
	for i, c := range catalogue {
		ids[i] = c.id
	}
	return ids
}

// What says what a check asks, one clause; "" for an id that is none.
func What(id string) string {
	for _, c := range catalogue {
		if c.id == id {
			return c.what
		}
	}
	return ""
}

var catalogue = [...]struct{ id, unit, what string }{
	{checkAnchors, "references", "whether the lines and files that entries cite are still there, and where"},
	{checkCommits, "references", "whether the commits that entries cite are still in the history"},
	{checkNames, "names", "whether what entries name from what they cite is still in the code"},
	{checkReturned, "names", "whether what an entry says was taken away has come back"},
	{checkScope, "entries", "whether the globs of entries still match a file"},
	{checkRules, "demands", "whether the tree keeps what entries demand"},
	{checkSchema, "entries", "whether the files keep the format and its limits"},
	{checkSuccession, "pointers", "whether entries take each other's place in a line: no gaps, circles or branches"},
	{checkDuplicates, "entries", "whether two entries that hold say the same"},
	{checkConflicts, "entries", "whether two reviewed entries say the opposite"},
	{checkRecalled, "entries", "whether an entry was ever recalled"},
	{checkAge, "entries", "whether an entry is old and nothing else speaks of it"},
}

// checks collects what the checks looked at.
type checks struct {
	by map[string]*Check
}

func newChecks() *checks {
	c := &checks{by: map[string]*Check{}}
	for _, k := range catalogue {
		c.by[k.id] = &Check{ID: k.id, What: k.what, Unit: k.unit, Reasons: []string{}}
	}
	return c
}

// looked counts things that there were to look at, and those that were looked at.
func (c *checks) looked(id string, of, looked int) {
	c.by[id].Of += of
	c.by[id].Looked += looked
}

// missing says why something was not looked at.
func (c *checks) missing(id, why string) {
	if k := c.by[id]; !slices.Contains(k.Reasons, why) {
		k.Reasons = append(k.Reasons, why)
	}
}

// notRun says that a check could not be run at all.
func (c *checks) notRun(id, why string) {
	c.by[id].Outcome = "not-run"
	c.missing(id, why)
}

// add adds a finding about an entry. What is only proposed is believed by nobody
// yet, and what runs and handoffs tell was true of their day: of these there are
// only notes.
func (s *sweeper) add(e *memory.Entry, f Finding) {
	f.Entry, f.RelPath, f.Title, f.State = e.ID, e.RelPath, e.Title, s.in.Set.State(e.ID)
	s.spoken[e.ID] = true
	if f.Level == LevelFinding && againstTree[f.Check] && (f.State != memory.Reviewed || e.Kind == memory.KindRun || e.Kind == memory.KindHandoff) {
		f.Level, f.Action = LevelNote, ""
	}
	if len(f.Places) > maxPlaces {
		f.Places = f.Places[:maxPlaces]
	}
	s.result.Findings = append(s.result.Findings, f)
}

const maxPlaces = 5

// againstTree are the checks that hold an entry against the tree.
var againstTree = map[string]bool{checkAnchors: true, checkCommits: true, checkNames: true, checkReturned: true, checkScope: true, checkRules: true}

// finish counts and sorts.
func (s *sweeper) finish() {
	r := s.result
	s.retire()
	slices.SortStableFunc(r.Findings, func(a, b Finding) int {
		return cmp.Or(strings.Compare(a.RelPath, b.RelPath), strings.Compare(a.Level, b.Level), cmp.Compare(order(a.Check), order(b.Check)),
			cmp.Compare(a.Line, b.Line), strings.Compare(a.Text, b.Text))
	})
	for _, f := range r.Findings {
		if f.Level == LevelFinding {
			s.checks.by[f.Check].Findings++
		} else {
			s.checks.by[f.Check].Notes++
		}
	}
	for _, k := range catalogue {
		c := s.checks.by[k.id]
		slices.Sort(c.Reasons)
		switch {
		case c.Outcome == "not-run":
		case c.Findings > 0:
			c.Outcome = "findings"
		case c.Looked < c.Of || len(c.Reasons) > 0:
			c.Outcome = "partial"
		default:
			c.Outcome = "clean"
		}
		r.Checks = append(r.Checks, *c)
	}
	r.Coverage.State = "complete"
	if r.Coverage.Left[outOfTime]+r.Coverage.Left[outOfNumber] > 0 {
		r.Coverage.State = "partial"
		for _, why := range slices.Sorted(maps.Keys(r.Coverage.Left)) {
			if why == outOfTime || why == outOfNumber {
				r.Coverage.Reasons = append(r.Coverage.Reasons, fmt.Sprintf("%d entries were not reached: %s", r.Coverage.Left[why], why))
			}
		}
	}
}

func order(id string) int {
	return slices.IndexFunc(catalogue[:], func(c struct{ id, unit, what string }) bool { return c.id == id })
}

// retire proposes that an entry no longer holds where all that it cites by line
// is lost and all that it names from there is gone from the code.
func (s *sweeper) retire() {
	type tally struct{ lost, gone int }
	by := map[string]*tally{}
	for _, f := range s.result.Findings {
		t := by[f.Entry]
		if t == nil {
			t = &tally{}
			by[f.Entry] = t
		}
		switch {
		case f.Check == checkAnchors && f.Level == LevelFinding && f.Anchor != nil && f.Anchor.State == Lost:
			t.lost++
		case f.Check == checkNames && f.Level == LevelFinding:
			t.gone++
		}
	}
	for i := range s.result.Findings {
		f := &s.result.Findings[i]
		t := by[f.Entry]
		if f.Check == checkNames && f.Level == LevelFinding && t.lost > 0 && s.alive[f.Entry] == 0 && t.gone == s.namesOf[f.Entry] {
			f.Action = "stale"
			t.gone = -1 // once for each entry
		}
	}
}

package sweep

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/saysolint/sayso/change"
	"github.com/saysolint/sayso/internal/git"
	"github.com/saysolint/sayso/memory"
	"github.com/saysolint/sayso/sweep"
)

// Schema names the shape of [Result].
const Schema = "sayso.bench-sweep/v1"

// Count is how often the sweep was right.
type Count struct {
	Planted    int `json:"planted"`    // references
	Unmodified int `json:"unmodified"` // whose text is whole at the later commit, by blame
	Unmoved    int `json:"unmoved"`    // of these, in the same place
	Within     int `json:"within"`     // elsewhere in the same file
	Across     int `json:"across"`     // in another file
	Found      int `json:"found"`      // of the unmodified, those that the sweep puts in the right place
	Claimed    int `json:"claimed"`    // references that the sweep says are intact or moved
	Right      int `json:"right"`      // of these, those that blame has in that place
	SameText   int `json:"sameText"`   // of those that it has not, those with the very same text there, written anew
	Undecided  int `json:"undecided"`  // of several places with the same text, none is named

	MovedClaimed int `json:"movedClaimed"` // references that the sweep says moved
	MovedRight   int `json:"movedRight"`   // of these, those that blame has in that place

	Untouched int `json:"untouched"` // decisions whose passage is unmodified
	Flagged   int `json:"flagged"`   // of these, those with a finding
	Dead      int `json:"dead"`      // decisions whose passage is modified and whose name is nowhere in the later tree
	DeadFound int `json:"deadFound"` // of these, those with a finding
	Edited    int `json:"edited"`    // decisions whose passage is modified and whose name is still in the tree
	EditedHit int `json:"editedHit"` // of these, those with a finding
}

// Row is the count of one pair of commits.
type Row struct {
	Repository string `json:"repository"` // as it was named
	Old        string `json:"old"`        // full hash of the commit at which the references were planted
	New        string `json:"new"`        // full hash of the commit at which they were swept
	Back       int    `json:"back"`       // first parents between them
	Count
	Misses []Miss `json:"misses,omitempty"` // what went wrong, at most twenty
}

// Miss is one reference that the sweep got wrong.
type Miss struct {
	Kind  string `json:"kind"`  // wrong place, not found, false flag
	Cites string `json:"cites"` // path:from-to at the old commit
	Says  string `json:"says"`  // what the sweep says
	Truth string `json:"truth"` // what blame says
}

// Result is one measurement.
type Result struct {
	Schema string `json:"schema"`
	Seed   uint64 `json:"seed"`
	Rows   []Row  `json:"rows"`
	Total  Count  `json:"total"`
}

// Precision is how many of the references that are said to be intact or moved are
// where the sweep says.
func (c Count) Precision() float64 { return ratio(c.Right, c.Claimed) }

// Recall is how many references with unmodified text are found in their place.
func (c Count) Recall() float64 { return ratio(c.Found, c.Unmodified) }

// FalseFlags is how many untouched decisions have a finding.
func (c Count) FalseFlags() float64 { return ratio(c.Flagged, c.Untouched) }

func ratio(a, b int) float64 {
	if b == 0 {
		return 0
	}
	return float64(a) / float64(b)
}

// Named is a repository with the name that figures give it.
type Named struct {
	Name string
	Repo *git.Repo
}

// Measure plants references and sweeps them.
func Measure(ctx context.Context, repos []Named, p Plan, now time.Time, progress func(string)) (*Result, error) {
	res := &Result{Schema: Schema, Seed: p.Seed, Rows: []Row{}}
	for _, r := range repos {
		for _, back := range p.Back {
			old, err := r.Repo.Resolve(ctx, fmt.Sprintf("HEAD~%d", back))
			if err != nil {
				if ctx.Err() != nil {
					return nil, context.Cause(ctx)
				}
				continue // the history is shorter
			}
			progress(fmt.Sprintf("%s: %d commits back", r.Name, back))
			row, err := measureOne(ctx, r, old, p)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", r.Name, err)
			}
			row.Back = back
			res.Rows = append(res.Rows, row)
			res.Total.add(row.Count)
		}
	}
	return res, nil
}

func measureOne(ctx context.Context, r Named, old string, p Plan) (Row, error) {
	head, err := r.Repo.Resolve(ctx, "HEAD")
	if err != nil {
		return Row{}, err
	}
	row := Row{Repository: r.Name, Old: old, New: head}
	rng := rand.New(rand.NewPCG(p.Seed, hash(r.Name+old)))
	all, err := plant(ctx, r.Repo, old, p.Anchors, rng)
	if err != nil {
		return row, err
	}
	var entries []memory.Entry
	for _, a := range all {
		entries = append(entries, a.entry)
	}
	reader := change.NewReader(r.Repo, change.Limits{})
	defer reader.Close()
	var anchors map[string]sweep.Anchor
	flags := map[string][]string{}
	res, err := sweep.Run(ctx, sweep.Input{
		Repo: r.Repo, Changes: reader, Revision: head, Set: memory.NewSet(entries, nil), Folder: memory.DefaultFolder, Now: time.Unix(0, 0),
		Anchors: func(id string, _ int, a sweep.Anchor) {
			if anchors == nil {
				anchors = map[string]sweep.Anchor{}
			}
			anchors[id] = a
		},
	})
	if err != nil {
		return row, err
	}
	for _, f := range res.Findings {
		if f.Level == sweep.LevelFinding && f.Check != "duplicates" && f.Check != "conflicts" && f.Check != "schema" {
			flags[f.Entry] = append(flags[f.Entry], f.Text)
		}
	}
	o, err := newOracle(ctx, r.Repo, old, head)
	if err != nil {
		return row, err
	}
	for _, a := range all {
		if err := row.judge(ctx, r.Repo, o, a, anchors[a.entry.ID], flags[a.entry.ID]); err != nil {
			return row, err
		}
	}
	return row, nil
}

// judge holds what a sweep says of one reference against blame.
func (row *Row) judge(ctx context.Context, repo Repo, o *oracle, p planted, said sweep.Anchor, flags []string) error {
	places, err := o.places(ctx, p, o.mayBeIn(ctx, p, said.Path))
	if err != nil {
		return err
	}
	row.Planted++
	miss := func(kind, says string) {
		if len(row.Misses) >= 20 {
			return
		}
		truth := "not whole any more"
		for s := range places {
			t := fmt.Sprintf("%s:%d-%d", s.path, s.from+1, s.from+p.to-p.from)
			if truth == "not whole any more" || t < truth {
				truth = t
			}
		}
		row.Misses = append(row.Misses, Miss{Kind: kind, Cites: fmt.Sprintf("%s:%d-%d", p.path, p.from+1, p.to), Says: says, Truth: truth})
	}
	says := fmt.Sprintf("%s %s:%d-%d (%s, %.2f, %d copies)", said.State, said.Path, said.LineStart, said.LineEnd, said.Via, said.Similarity, said.Copies)
	claims := said.State == sweep.Intact || said.State == sweep.Moved && said.Copies == 0
	right := claims && places[spot{said.Path, said.LineStart - 1}]
	if len(places) > 0 {
		row.Unmodified++
		switch {
		case places[spot{p.path, p.from}]:
			row.Unmoved++
		case hasPath(places, p.path):
			row.Within++
		default:
			row.Across++
		}
		switch {
		case right:
			row.Found++
		case said.State == sweep.Moved && said.Copies > 0:
			row.Undecided++
			miss("undecided", says)
		default:
			miss("not found", says)
		}
	}
	if claims {
		row.Claimed++
		if said.State == sweep.Moved {
			row.MovedClaimed++
		}
		switch {
		case right:
			row.Right++
			if said.State == sweep.Moved {
				row.MovedRight++
			}
		default:
			same, err := sameText(ctx, repo, o.new, p, said)
			if err != nil {
				return err
			}
			if same {
				row.SameText++
				miss("written anew", says)
			} else {
				miss("wrong place", says)
			}
		}
	}
	switch {
	case len(places) > 0:
		row.Untouched++
		if len(flags) > 0 {
			row.Flagged++
			miss("false flag", strings.Join(flags, "; "))
		}
	case p.name != "" && !o.names(ctx, p.name):
		row.Dead++
		if len(flags) > 0 {
			row.DeadFound++
		} else {
			miss("dead and not told", says)
		}
	case p.name != "":
		row.Edited++
		if len(flags) > 0 {
			row.EditedHit++
		}
	}
	return nil
}

func hasPath(places map[spot]bool, path string) bool {
	for s := range places {
		if s.path == path {
			return true
		}
	}
	return false
}

// sameText says whether the place that the sweep names has the text of a passage,
// but for white space.
func sameText(ctx context.Context, repo Repo, rev string, p planted, said sweep.Anchor) (bool, error) {
	text, err := repo.Blob(ctx, rev+":"+said.Path, maxPlantFile*4)
	if err != nil {
		return false, err
	}
	lines := strings.Split(string(text), "\n")
	if said.LineStart < 1 || said.LineEnd > len(lines) || said.LineEnd-said.LineStart+1 != len(p.lines) {
		return false, nil
	}
	bare := func(s string) string { return strings.Join(strings.Fields(s), "") }
	for i, l := range p.lines {
		if bare(string(l)) != bare(lines[said.LineStart-1+i]) {
			return false, nil
		}
	}
	return true, nil
}

func (c *Count) add(d Count) {
	for _, p := range [][2]*int{
		{&c.Planted, &d.Planted}, {&c.Unmodified, &d.Unmodified}, {&c.Unmoved, &d.Unmoved}, {&c.Within, &d.Within}, {&c.Across, &d.Across},
		{&c.Found, &d.Found}, {&c.Claimed, &d.Claimed}, {&c.Right, &d.Right}, {&c.SameText, &d.SameText}, {&c.Undecided, &d.Undecided},
		{&c.MovedClaimed, &d.MovedClaimed}, {&c.MovedRight, &d.MovedRight}, {&c.Untouched, &d.Untouched}, {&c.Flagged, &d.Flagged},
		{&c.Dead, &d.Dead}, {&c.DeadFound, &d.DeadFound}, {&c.Edited, &d.Edited}, {&c.EditedHit, &d.EditedHit},
	} {
		*p[0] += *p[1]
	}
}

// hash is FNV-1a of a text, so that each pair of commits draws on its own.
func hash(s string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	return h
}

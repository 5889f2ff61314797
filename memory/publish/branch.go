package publish

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/saysolint/sayso/memory"
)

// ground is a repository with the branch that is published to.
type ground interface {
	// look finds the tip of the branch, "" where the branch is not there.
	look(ctx context.Context) (tip string, err error)
	// read gives files of the folder at a tip that look found.
	read(ctx context.Context, tip string, ids []string) (map[string][]byte, error)
	// base is the version that both sides had last, by id; what is not known is missing.
	base(ctx context.Context, tip string, ids []string) (map[string][]byte, error)
	// advance makes a commit on top of the tip and moves the branch to it. moved says
	// why it could not, where somebody else was there first and nothing was done.
	advance(ctx context.Context, tip, message string, writes []memory.Write) (commit, moved string, err error)
	// done is called with what was published, once the branch holds it.
	done(ctx context.Context, arrivals []memory.Arrival) error
	close()
}

// errAgain asks for another look at the branch.
var errAgain = errors.New("look again")

// toBranch follows a branch until it holds the arrivals.
func toBranch(ctx context.Context, g ground, t Target, arrivals []memory.Arrival, o Options) (Result, error) {
	patience, cancel := context.WithTimeoutCause(ctx, o.Patience, ErrMoving)
	defer cancel()
	why := "" // the last attempt failed
	for attempt := 1; ; attempt++ {
		tip, err := g.look(patience)
		if errors.Is(err, ErrMoving) && why != "" {
			err = fmt.Errorf("%w (%s)", ErrMoving, why)
		}
		if err != nil {
			return Result{}, err
		}
		plan, err := planAt(patience, g, tip, arrivals)
		if errors.Is(err, errAgain) && patience.Err() == nil {
			continue
		}
		if err != nil {
			return Result{}, err
		}
		for i := range plan.Outcomes {
			if id := plan.Outcomes[i].Entry.ID; id != "" {
				plan.Outcomes[i].Entry.RelPath = t.Folder + "/" + id + ".md"
			}
		}
		r := Result{Target: t, Outcomes: plan.Outcomes, Files: len(plan.Writes), Tip: tip, Attempts: attempt}
		if len(plan.Writes) > 0 && !o.DryRun {
			var moved string
			r.Commit, moved, err = g.advance(patience, tip, messageOf(o, plan), plan.Writes)
			if err != nil {
				return Result{}, err
			}
			if moved != "" {
				why = moved
				o.Log.Debug().Int("attempt", attempt).Str("why", moved).Msg("the branch moved")
				if err := pause(patience, o, attempt); err != nil {
					return Result{}, fmt.Errorf("%w (%s)", err, why)
				}
				continue
			}
		}
		if !o.DryRun {
			// Without the record of it the next merge knows less; what is published stands.
			if err := g.done(ctx, arrivals); err != nil {
				o.Log.Debug().Err(err).Msg("no record of what was published was kept")
			}
		}
		return r, nil
	}
}

// planAt works out what is to be written on top of a tip.
func planAt(ctx context.Context, g ground, tip string, arrivals []memory.Arrival) (memory.Plan, error) {
	var unknown []string
	for _, a := range arrivals {
		if a.Base == nil && memory.ValidID(a.ID) {
			unknown = append(unknown, a.ID)
		}
	}
	if tip != "" && len(unknown) > 0 {
		bases, err := g.base(ctx, tip, unknown)
		if err != nil {
			return memory.Plan{}, err
		}
		based := make([]memory.Arrival, len(arrivals))
		for i, a := range arrivals {
			if a.Base == nil {
				a.Base = bases[a.ID]
			}
			based[i] = a
		}
		arrivals = based
	}
	return memory.Arrive(ctx, func(ctx context.Context, ids []string) (map[string][]byte, error) {
		return g.read(ctx, tip, ids)
	}, arrivals)
}

// pause waits a little before the branch is looked at again: longer each time,
// since many may be at it, and shorter again for those who have waited long, so
// that nobody who came early is overtaken for ever.
func pause(ctx context.Context, o Options, attempt int) error {
	most := 100 * time.Millisecond << min(attempt, 7) // 0.2 to 12.8 seconds
	if attempt > 8 {
		most = 3200 * time.Millisecond
	}
	wait := most / 16
	if o.Jitter != nil {
		wait += time.Duration(o.Jitter(int64(most)))
	}
	t := time.NewTimer(wait)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// messageOf is the message of the commit: true of what the commit does.
func messageOf(o Options, plan memory.Plan) string {
	if o.Message != "" {
		return strings.TrimRight(memory.Block(o.Message), "\n") + "\n"
	}
	added, updated := 0, 0
	var lines []string
	for _, out := range plan.Outcomes {
		switch out.Fate {
		case memory.Added:
			added++
		case memory.Updated:
			updated++
		default:
			continue
		}
		lines = append(lines, fmt.Sprintf("- %s %s %s: %s", out.Fate, out.Entry.Kind, out.Entry.ID, cut(out.Entry.Title, 100)))
	}
	subject := "Update the memory"
	switch {
	case added > 0 && updated > 0:
		subject = fmt.Sprintf("Add %s to the memory and update %d", entries(added), updated)
	case added > 0:
		subject = fmt.Sprintf("Add %s to the memory", entries(added))
	case updated > 0:
		subject = fmt.Sprintf("Update %s of the memory", entries(updated))
	}
	const most = 50
	if len(lines) > most {
		lines = append(lines[:most], fmt.Sprintf("- and %d more", len(lines)-most))
	}
	if len(lines) == 0 {
		return subject + "\n"
	}
	return subject + "\n\n" + strings.Join(lines, "\n") + "\n"
}

func entries(n int) string {
	if n == 1 {
		return "1 entry"
	}
	return fmt.Sprintf("%d entries", n)
}

// cut is a text of at most n characters.
func cut(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	return string(r[:n]) + "..."
}

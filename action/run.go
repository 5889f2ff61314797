package action

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/rs/zerolog"

	"github.com/saysolint/sayso/checks"
	"github.com/saysolint/sayso/internal/config"
	"github.com/saysolint/sayso/internal/engine"
	"github.com/saysolint/sayso/internal/git"
	"github.com/saysolint/sayso/report"
)

// Hub is all of GitHub that a run uses; *Client is one.
type Hub interface {
	Reader
	Facts
	Comments
	Issues
}

// Judge judges by what had landed at one revision; *engine.Engine is one.
type Judge interface {
	Range(ctx context.Context, base, head, kind string, texts []engine.Text) engine.Result
	Commits(ctx context.Context, hashes []string, yield func(engine.Result) error) error
	Close() error
}

// Trusted is what a run is judged by: read from where it had landed before the change.
type Trusted struct {
	Judge  Judge // close it
	Config *config.Config
	From   string   // for people: "the merge base 0123abc"
	Notes  []string // plain sentences about the whole run
}

// Trust reads the configuration and memory of a revision and makes a judge of them.
type Trust func(ctx context.Context, repo *git.Repo, revision, from string) (Trusted, error)

// Ledger remembers what people decided on a pull request: the sticky comment does.
type Ledger interface {
	Kept(ctx context.Context, t Target) (Kept, error)
}

// Kept is what was decided so far.
type Kept struct {
	Lifted  []Dismissal
	Learned []Proposal
}

// Runner is one run of the action, with all that it needs given to it.
type Runner struct {
	Event  Event
	Target Target // Repo, Run, Attempt, RunURL and Server; the rest is filled in
	Hub    Hub

	Fetch *Fetcher                                     // nil: there is no checkout, all is read through the API
	Open  func(ctx context.Context) (*git.Repo, error) // the checkout, after fetching; nil likewise
	Trust Trust

	Publishers []Publisher // in order; each is asked, whatever became of the others
	Ledger     Ledger      // nil: nothing is remembered
	Learner    Learner     // nil: nothing is learned
	Sweeper    Sweeper     // nil: there is no memory to sweep

	FailOn     []string // words of --fail-on; none means never
	OwnCheck   string   // name of our own check run, whose word for itself is worth nothing
	Handover   []byte   // mode publish: what the earlier run left, hostile
	SweepIssue bool     // mode sweep: keep an issue; else only say it

	Tool  report.Tool
	Rules []report.Rule
	Now   func() time.Time
	Log   zerolog.Logger
}

// Done is what a run came to.
type Done struct {
	Mode        Mode
	Why         string       // a plain sentence where the event asked for nothing
	Publication *Publication // nil where nothing was judged
	Outcomes    []Outcome
	Landed      []string // ids of learnings that became entries
	Notes       []string // plain sentences that stand in no report
	Code        int      // exit code: by the verdict, never by a publisher
}

// Run does what the mode, or else the event, asks for.
func (r *Runner) Run(ctx context.Context, chosen Mode) (Done, error) {
	mode, why := r.Event.Decide(chosen)
	if len(r.FailOn) == 0 {
		r.FailOn = []string{"never"}
	}
	done := Done{Mode: mode, Why: why}
	r.Log.Debug().Str("event", r.Event.Name).Str("mode", string(mode)).Str("why", why).Msg("decided")
	var err error
	switch mode {
	case ModeNone:
	case ModePullRequest:
		err = r.pullRequest(ctx, &done, nil)
	case ModeCommand:
		err = r.command(ctx, &done)
	case ModeQueue:
		err = r.queue(ctx, &done)
	case ModePush:
		err = r.push(ctx, &done)
	case ModePublish:
		err = r.publishHandover(ctx, &done)
	case ModeSweep:
		err = r.sweep(ctx, &done)
	default:
		err = fmt.Errorf("mode %.40q is none of %v", mode, Modes)
	}
	return done, err
}

// publish shows a publication everywhere and settles the exit code.
func (r *Runner) publish(ctx context.Context, done *Done, p Publication) error {
	done.Publication = &p
	done.Code = p.Report.ExitCode(r.FailOn)
	done.Outcomes = PublishAll(ctx, p, r.Publishers...)
	for _, o := range done.Outcomes {
		r.Log.Debug().Str("publisher", o.Publisher).Str("state", string(o.State)).Str("reason", o.Reason).Msg("published")
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return nil
}

// report makes one report of results: the numbers are counted as for any other run.
func (r *Runner) report(t Trusted, results []engine.Result, notes []string) (report.Report, error) {
	var buf bytes.Buffer
	w, err := report.NewWriter(&buf, "json", report.Run{
		Tool: r.Tool, FailOn: r.FailOn, Advisory: advisory(t.Config), ConfigFrom: t.From,
		Notes: append(slices.Clone(t.Notes), notes...),
	}, report.Options{Rules: r.Rules})
	if err != nil {
		return report.Report{}, err
	}
	for _, res := range results {
		if err := w.Add(res); err != nil {
			return report.Report{}, err
		}
	}
	if _, err := w.Close(); err != nil {
		return report.Report{}, err
	}
	return report.Parse(buf.Bytes())
}

// advisory are the checks whose findings never meet the gate.
func advisory(c *config.Config) []string {
	var ids []string
	for _, d := range checks.Docs() {
		if c.Level(d.ID, d.Default) == "advisory" {
			ids = append(ids, d.ID)
		}
	}
	return ids
}

// lift marks the contradictions that somebody has dismissed, and says which
// dismissals met none.
func lift(results []engine.Result, lifted []Dismissal) (unmet []Dismissal) {
	for _, d := range lifted {
		met := false
		for i := range results {
			for k := range results[i].Claims {
				f := &results[i].Claims[k]
				if f.Verdict != checks.Contradicted || !d.covers(*f) {
					continue
				}
				met = true
				if f.Ignored == "" {
					f.Ignored = "lifted by " + d.By + ": " + d.Reason
				}
			}
		}
		if !met {
			unmet = append(unmet, d)
		}
	}
	return unmet
}

// decisionMark begins what a dismissal names where it is a decision and not a claim.
const decisionMark = "decision:"

// covers says whether a dismissal speaks of a finding: of its fingerprint, or of the
// decision that it goes against.
func (d Dismissal) covers(f checks.Finding) bool {
	if id, ok := strings.CutPrefix(d.Claim, decisionMark); ok {
		return f.Check == report.DecisionCheck && (f.Name == id || slices.ContainsFunc(f.Evidence, func(e checks.Evidence) bool {
			return strings.Contains(e.Path, "/"+id+".") || strings.Contains(e.Fact, id)
		}) || strings.Contains(f.Reason, id))
	}
	return f.Fingerprint == d.Claim
}

// kept asks what was decided so far. Where that cannot be asked, the run goes on
// without it and says so: a dismissal that is forgotten is an alarm too many, no lie.
func (r *Runner) kept(ctx context.Context, t Target) (Kept, string) {
	if r.Ledger == nil || t.Number == 0 {
		return Kept{}, ""
	}
	k, err := r.Ledger.Kept(ctx, t)
	if err != nil && !errors.Is(err, ErrNotFound) {
		return k, "what was dismissed or accepted earlier could not be read: " + gapOf(err)
	}
	return k, ""
}

// failed is a result for what could not be judged at all.
func failed(id, kind, code string, err error, hint string) engine.Result {
	return engine.Result{ID: id, Kind: kind, Error: &engine.Failure{Code: code, Message: clipRunes(err.Error(), 500), Hint: hint},
		Judgement: checks.Judgement{Claims: []checks.Finding{}, Observations: []checks.Observation{}}}
}

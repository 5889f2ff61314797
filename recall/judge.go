package recall

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/saysolint/sayso/change"
	"github.com/saysolint/sayso/checks"
	"github.com/saysolint/sayso/claim"
	"github.com/saysolint/sayso/internal/engine"
	"github.com/saysolint/sayso/internal/git"
)

// Ruling is what the agreement engine says of one turn.
type Ruling struct {
	Verdict  checks.Verdict
	Strength checks.Strength
	Why      string   // one clause
	Missing  []string // what could not be read, one clause each
	Graph    string   // where the dependency graph came from, "" where none was asked
}

// Judge holds a text against the commit that it sits on. It is asked from several
// goroutines. An error is one of the context.
type Judge interface {
	Judge(ctx context.Context, commit string, tier Tier, text string) (Ruling, error)
}

// ByEngine judges with the agreement engine that check uses. The commit is evidence
// here: the claim is somebody else's.
func ByEngine(repo *git.Repo, e *engine.Engine) Judge { return engineJudge{repo, e} }

type engineJudge struct {
	repo   *git.Repo
	engine *engine.Engine
}

func (j engineJudge) Judge(ctx context.Context, commit string, tier Tier, text string) (Ruling, error) {
	of := claim.TierChat
	if tier == Intent {
		of = claim.TierIntent
	}
	// Most of what is said claims nothing: then the change need not be read.
	if len(claim.Parse(text, claim.Options{Source: claim.SourceTranscript, Tier: of, NoSubject: true}).Claims) == 0 {
		return ruling(&checks.Judgement{}), nil
	}
	c, err := j.repo.Commit(ctx, commit)
	if err != nil {
		if ctx.Err() != nil {
			return Ruling{}, ctx.Err()
		}
		return Ruling{Verdict: checks.Unverifiable, Why: "its commit cannot be read", Missing: []string{"commit"}}, nil
	}
	base := "" // the empty tree
	if len(c.Parents) > 0 {
		base = c.Parents[0]
	}
	res := j.engine.Range(ctx, base, c.Hash, "transcript", []engine.Text{{Source: claim.SourceTranscript, Tier: of, Body: text}})
	if ctx.Err() != nil {
		return Ruling{}, ctx.Err()
	}
	if res.Error != nil {
		return Ruling{Verdict: checks.Unverifiable, Why: res.Error.String(), Missing: []string{"change"}}, nil
	}
	return ruling(&res.Judgement), nil
}

// ruling makes one of all claims of a text. A text of which one claim is contradicted
// is contradicted; one of which something could not be checked is unverifiable before
// it is corroborated; and a long one is not corroborated by a small part of it: at least
// half of its claims have to be.
func ruling(j *checks.Judgement) Ruling {
	r := Ruling{Verdict: checks.Neutral, Why: "it claims nothing that the commit could show", Graph: j.Coverage.Graph}
	count := map[checks.Verdict]int{}
	first := map[checks.Verdict]*checks.Finding{}
	for i := range j.Claims {
		f := &j.Claims[i]
		if f.Verdict == checks.Contradicted && f.Ignored != "" {
			continue
		}
		count[f.Verdict]++
		if first[f.Verdict] == nil || f.Strength == checks.Strong && first[f.Verdict].Strength != checks.Strong {
			first[f.Verdict] = f
		}
	}
	if 2*count[checks.Corroborated] < len(j.Claims) {
		first[checks.Corroborated], first[checks.Neutral] = nil, cmp.Or(first[checks.Neutral], first[checks.Corroborated])
	}
	for _, v := range []checks.Verdict{checks.Contradicted, checks.Unverifiable, checks.Corroborated, checks.Neutral} {
		if f := first[v]; f != nil {
			r.Verdict, r.Strength, r.Why = v, f.Strength, strings.TrimSuffix(f.Reason, ".")
			if count[v] > 0 && len(j.Claims) > 1 {
				r.Why += fmt.Sprintf(" (%d of %d claims)", count[v], len(j.Claims))
			}
			break
		}
	}
	for _, g := range j.Coverage.Missing {
		if g.Reason == change.ReasonBinary || g.Reason == change.ReasonLFS {
			continue // there are no lines in it that could be missing
		}
		r.Missing = append(r.Missing, "diff: "+string(g.Reason))
	}
	return r
}

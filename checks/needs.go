package checks

import (
	"slices"
	"strings"

	"github.com/saysolint/sayso/claim"
)

// Needs is what Judge will ask beyond the change itself.
type Needs struct {
	Tree       bool            // the names of the tree and the history
	Names      []string        // identifiers to look up in it, sorted
	Graph      bool            // the dependency graph
	References []string        // commits that the texts name, sorted
	Diffs      map[string]bool // those of them whose diff is needed
}

// NeedsOf works out what has to be fetched before Judge: pure, and cheap where the
// diff alone settles everything.
func NeedsOf(in Input) Needs {
	n := Needs{Diffs: map[string]bool{}}
	x := newJudging(in)
	names, refs := map[string]bool{}, map[string]bool{}
	for _, m := range in.Messages {
		x.m = m
		for i := range m.Claims {
			c := &m.Claims[i]
			switch c.Kind {
			case claim.KindPath:
				if _, ok := touched(in.Facts.Change, strings.Trim(c.Name, "/")); !ok {
					n.Tree = true
				}
			case claim.KindIdentifier:
				k := in.Facts.Name(c.Name)
				if k.Added+k.Removed+k.Context > 0 || external(c) || c.Standing < claim.Own || in.Facts.InDiff(c.Name) && len(c.Name) > 3 {
					continue
				}
				if _, ok := x.enclosing(c); ok || in.Facts.InFiles(c.Name) {
					continue
				}
				names[c.Name] = true
			case claim.KindComponent:
				if c.InHeader {
					if _, ok := componentTouched(x, strings.ToLower(c.Name)); !ok {
						n.Tree = true
					}
				} else if !n.Tree && x.present(c.Name) == 0 {
					n.Tree = true
				}
			case claim.KindScope:
				switch c.Class {
				case claim.OnlyPaths, claim.Excludes:
					n.Tree = true
				case claim.Isolated:
					n.Tree, n.Graph = true, true
				}
			case claim.KindAction:
				if c.Verb == claim.VerbRename && c.From != "" {
					n.Tree = true
				}
			case claim.KindRevert:
				refs[c.Name] = true
				n.Diffs[c.Name] = true
			case claim.KindTrailer:
				refs[c.Name] = true
			}
		}
	}
	for k := range names {
		n.Names = append(n.Names, k)
		n.Tree = true
	}
	for k := range refs {
		n.References = append(n.References, k)
	}
	slices.Sort(n.Names)
	slices.Sort(n.References)
	return n
}

// Soften turns the contradictions that a second judgement does not share into
// neutral findings and draws the conclusion anew.
func Soften(j Judgement, drop func(Finding) bool, why string) Judgement {
	claims := slices.Clone(j.Claims)
	var any [2]bool
	j.Strength = ""
	j.Verdict = Neutral
	unver := false
	for i := range claims {
		f := &claims[i]
		if f.Verdict == Contradicted && drop(*f) {
			f.Verdict, f.Strength, f.Fix = Neutral, "", ""
			f.Reason = why + ": " + f.Reason
			f.Confidence = 0.5
		}
		switch {
		case f.Verdict == Contradicted && f.Ignored == "":
			any[0] = true
			if j.Strength != Strong {
				j.Strength = f.Strength
			}
		case f.Verdict == Corroborated:
			any[1] = true
		case f.Verdict == Unverifiable:
			unver = true
		}
	}
	switch {
	case any[0]:
		j.Verdict = Contradicted
	case any[1]:
		j.Verdict = Corroborated
	case unver:
		j.Verdict = Unverifiable
	}
	if !any[0] {
		j.Score = min(j.Score, 0.5)
	}
	j.Claims = claims
	return j
}

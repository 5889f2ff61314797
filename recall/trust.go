package recall

import (
	"cmp"
	"slices"
	"strings"

	"github.com/saysolint/sayso/checks"
)

// How far each source is believed by itself: what git recorded or a person reviewed,
// what a person asked for, what an assistant asserted.
const (
	verified   = 0.95
	stated     = 0.75
	unfounded  = 0.30
	penalty    = 0.45 // what a contradiction leaves of a confidence
	partialCap = 0.50 // the most that a hit with missing context can have
)

func reliability(t Tier) float64 {
	switch t {
	case Reviewed, Ledger:
		return verified
	case Intent:
		return stated
	}
	return unfounded
}

// Confidence is how far a hit can be believed, 0 to 1: its sources of evidence joined
// by noisy-OR, 1 - product of (1 - reliability), as far as they are independent. A
// corroborated turn has the commit as its second source; a contradicted one has no
// second source and keeps 0.45 of its own. Where context is missing a turn has at most
// 0.50, below every corroborated one.
func Confidence(t Tier, v checks.Verdict, partial bool) float64 {
	c := reliability(t)
	if t == Reviewed || t == Ledger {
		return c
	}
	switch v {
	case checks.Corroborated:
		c = 1 - (1-c)*(1-verified)
	case checks.Contradicted:
		c *= penalty
	}
	if partial {
		c = min(c, partialCap)
	}
	return c
}

// Score is relevance, 0 to 1, weighed with confidence.
func Score(relevance, confidence float64) float64 { return relevance * (0.6 + 0.8*confidence) }

// Class is the trust class of a hit, 1 to 5: (1) reviewed entries, commit records and
// corroborated whole claims, (2) neutral words of persons, (3) neutral words of
// assistants, (4) unverifiable or partial ones, (5) contradicted ones. Hits are ordered by
// class before anything else, since no weighing of scores keeps a very relevant
// contradicted hit below a verified one.
func Class(t Tier, v checks.Verdict, partial bool) int {
	switch {
	case t == Reviewed || t == Ledger:
		return 1
	case v == checks.Contradicted:
		return 5
	case partial || v == checks.Unverifiable:
		return 4
	case v == checks.Corroborated:
		return 1
	case t == Intent:
		return 2
	}
	return 3
}

// order sorts hits: class, then score, then the newest, then id.
func order(hits []Hit) {
	slices.SortStableFunc(hits, func(a, b Hit) int {
		return cmp.Or(a.Class-b.Class, cmp.Compare(b.Score, a.Score), b.Date.Compare(a.Date), strings.Compare(a.ID, b.ID))
	})
}

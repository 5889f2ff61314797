package bench

import (
	"fmt"
	"slices"
	"strings"
)

// farAway is how many commits lie between a commit and one whose purpose is
// borrowed.
const farAway = 50

var contentWord = lazily(`[A-Za-z]{4,}`)

// everyday are words that fit any commit.
var everyday = listed("with from into that this when then have some more only also make made used uses using when where add added adds remove removed update updated updates fix fixed fixes change changed changes improve support allow better code file files test tests docs feat chore refactor style perf build should does doesn correctly properly handle handling instead issue error errors minor small typo typos cleanup clean")

// mutatePurpose takes the subject of a commit from far away that shares no path
// with this one and most of whose words are not in the diff.
func mutatePurpose(s *Scene) (draft, bool) {
	mine := map[string]bool{}
	for _, t := range s.Commit.Touched {
		mine[t.Path] = true
	}
	all := s.src.Commits
	for range 20 {
		c := pick(s.rng, all)
		sub := subject(c.Message)
		if !c.Plain || abs(c.Order-s.Commit.Order) < farAway || len(strings.Fields(sub)) < 4 || len(sub) > 100 || skipSubject().MatchString(sub) || bumpSubject().MatchString(sub) ||
			slices.ContainsFunc(c.Touched, func(t Touched) bool { return mine[t.Path] }) {
			continue
		}
		words, unsaid := 0, 0
		for _, w := range contentWord().FindAllString(strings.ToLower(sub), -1) {
			if slices.Contains(everyday(), w) {
				continue
			}
			words++
			if !strings.Contains(s.text, w[:min(len(w), 6)]) {
				unsaid++
			}
		}
		if words < 2 || unsaid*2 < words {
			continue
		}
		return draft{sub + "\n", 0, len(sub), "subject", fmt.Sprintf("it is the subject of %.12s, which shares no path; %d of its %d telling words are not in the diff", c.Hash, unsaid, words)}, true
	}
	return draft{}, false
}

func abs(n int) int { return max(n, -n) }

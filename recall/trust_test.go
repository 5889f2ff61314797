package recall

import (
	"math"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/saysolint/sayso/checks"
)

func TestConfidenceJoinsSourcesByNoisyOr(t *testing.T) {
	for _, c := range []struct {
		name    string
		tier    Tier
		verdict checks.Verdict
		partial bool
		want    float64
	}{
		{"the record of a commit", Ledger, checks.Corroborated, false, 0.95},
		{"a reviewed entry", Reviewed, checks.Corroborated, false, 0.95},
		{"a commit that is kept in part is still a record", Ledger, checks.Corroborated, true, 0.95},
		{"a person's neutral word", Intent, checks.Neutral, false, 0.75},
		{"an assistant's neutral word", Chat, checks.Neutral, false, 0.30},
		{"a person's word that the commit bears out", Intent, checks.Corroborated, false, 0.9875},
		{"an assistant's word that the commit bears out", Chat, checks.Corroborated, false, 0.965},
		{"a contradicted person has less than a neutral one", Intent, checks.Contradicted, false, 0.3375},
		{"a contradicted assistant has less than a neutral one", Chat, checks.Contradicted, false, 0.135},
		{"unverifiable adds nothing", Chat, checks.Unverifiable, false, 0.30},
		{"missing context caps a corroborated word", Chat, checks.Corroborated, true, 0.50},
		{"missing context caps a person's word", Intent, checks.Neutral, true, 0.50},
		{"the cap lifts nothing", Chat, checks.Contradicted, true, 0.135},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := Confidence(c.tier, c.verdict, c.partial); math.Abs(got-c.want) > 1e-9 {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}

// Whatever the relevance: nothing partial, unverifiable or contradicted stands above a
// verified hit, no contradicted one above any other, and the order does not hang on the
// order in which hits were found.
func TestNoPartialOrContradictedHitOutranksAVerifiedOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		hits := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Hit {
			h := Hit{
				Tier:    rapid.SampledFrom(Tiers).Draw(t, "tier"),
				Verdict: rapid.SampledFrom([]checks.Verdict{checks.Corroborated, checks.Contradicted, checks.Neutral, checks.Unverifiable}).Draw(t, "verdict"),
				ID:      rapid.StringMatching(`[a-z]{4}`).Draw(t, "id"),
				Date:    time.Unix(rapid.Int64Range(0, 3).Draw(t, "date"), 0),
			}
			if rapid.Bool().Draw(t, "partial") {
				h.Partial = []string{"transcript"}
			}
			partial := len(h.Partial) > 0
			h.Relevance = rapid.Float64Range(1./3, 1).Draw(t, "relevance")
			h.Class = Class(h.Tier, h.Verdict, partial)
			h.Score = Score(h.Relevance, Confidence(h.Tier, h.Verdict, partial))
			return h
		}), 0, 30).Draw(t, "hits")
		shuffled := rapid.Permutation(hits).Draw(t, "shuffled")
		order(hits)
		order(shuffled)
		record := func(h Hit) bool { return h.Tier == Ledger || h.Tier == Reviewed }
		sure := func(h Hit) bool { return record(h) || h.Verdict == checks.Corroborated && len(h.Partial) == 0 }
		doubtful := func(h Hit) bool {
			return !record(h) && (len(h.Partial) > 0 || h.Verdict == checks.Contradicted || h.Verdict == checks.Unverifiable)
		}
		for i := range hits {
			if hits[i].Class != shuffled[i].Class || hits[i].Score != shuffled[i].Score || hits[i].ID != shuffled[i].ID {
				t.Fatalf("the order hangs on the order of the input at %d", i)
			}
			for j := range i {
				if doubtful(hits[j]) && sure(hits[i]) {
					t.Fatalf("%+v stands above %+v", hits[j], hits[i])
				}
				if hits[j].Verdict == checks.Contradicted && !record(hits[j]) && (record(hits[i]) || hits[i].Verdict != checks.Contradicted) {
					t.Fatalf("contradicted %+v stands above %+v", hits[j], hits[i])
				}
			}
		}
	})
}

func TestTiesGoToTheNewerAndThenToTheSmallerID(t *testing.T) {
	hits := []Hit{
		{ID: "b", Class: 1, Score: 1, Date: time.Unix(1, 0)},
		{ID: "a", Class: 1, Score: 1, Date: time.Unix(1, 0)},
		{ID: "c", Class: 1, Score: 1, Date: time.Unix(2, 0)},
		{ID: "d", Class: 1, Score: 2, Date: time.Unix(0, 0)},
	}
	order(hits)
	var ids []string
	for _, h := range hits {
		ids = append(ids, h.ID)
	}
	if want := []string{"d", "c", "a", "b"}; !slices.Equal(ids, want) {
		t.Errorf("got %v, want %v", ids, want)
	}
}

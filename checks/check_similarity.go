package checks

import (
	"fmt"
	"math"
	"unicode"
	"unicode/utf8"

	"github.com/saysolint/sayso/claim"
)

var similarityCheck = Check{
	Doc: Doc{
		ID: "similarity", Title: "Runs of four letters that a statement shares with the change", Default: "advisory", Since: "0.1",
		Needs: "the diff",
		Text: `Names are often written differently in prose and in code: "user name" and userName, "de-duplicate" and dedup. Where a statement shares no word with the change, the runs of four letters and digits
in both are counted and the angle between the counts is measured (their cosine, from 0 to 1). From a tenth on the two are alike: that is listed as support, weakens the suspicion that a whole subject is
another commit's, and leaves a claim neutral. Being unlike is evidence of nothing.`,
		Fires: "(never)",
		Quiet: "Deduplicate user names (the code says dedupUserNames)",
	},
}

const (
	gramLength  = 4
	gramBuckets = 1 << 13  // counts of the change, by a hash of the run
	gramText    = 32 << 10 // bytes of changed lines that are counted: enough to know what a change is about
	similarFrom = 0.10     // cosine from which texts count as alike
	similarFull = 0.25     // and at which they are as alike as prose and code get
)

// judgeSimilarity is the outcome of a statement whose words are not in the
// change; ok is false where its letters are not either.
func judgeSimilarity(x *judging, st *claim.Statement) (o outcome, ok bool) {
	if x.in.level(&similarityCheck) == "off" {
		return outcome{}, false
	}
	cos := x.similarity(st)
	if cos < similarFrom {
		return outcome{}, false
	}
	o = neutral("none of its words occurs in the change; runs of its letters do")
	o.by = similarityCheck.ID
	o.evidence = []Evidence{{Fact: fmt.Sprintf("the letters of the statement and of the changed lines run alike (cosine %.2f)", cos), For: true, Weight: -0.3 * x.alike(st)}}
	return o, true
}

// alike is similarity as a weight from 0 to 1: 0 below the threshold.
func (x *judging) alike(st *claim.Statement) float64 {
	if x.in.level(&similarityCheck) == "off" {
		return 0
	}
	cos := x.similarity(st)
	if cos < similarFrom {
		return 0
	}
	return math.Min(1, cos/similarFull)
}

// similarity is the cosine between the counts of runs of four letters and digits
// of a statement and of the changed lines and paths, 0..1.
func (x *judging) similarity(st *claim.Statement) float64 {
	if x.runs == nil {
		x.runs = x.changedRuns()
	}
	own := map[uint32]int{}
	var s shingler
	s.feed(x.m.Text[st.Start:min(st.End, len(x.m.Text))], func(h uint32) { own[h]++ })
	dot, norm := 0.0, 0.0
	for h, n := range own { // sums of whole numbers, the same in every order
		dot += float64(n) * float64(x.runs.count[h])
		norm += float64(n) * float64(n)
	}
	if dot == 0 {
		return 0
	}
	return dot / math.Sqrt(norm*x.runs.norm)
}

// runCounts is how often each run stands in the change.
type runCounts struct {
	count [gramBuckets]uint32
	norm  float64 // the squares of the counts, summed up
}

func (x *judging) changedRuns() *runCounts {
	r := &runCounts{}
	add := func(h uint32) {
		r.norm += float64(2*r.count[h] + 1)
		r.count[h]++
	}
	left := gramText
	feed := func(text string) {
		if left <= 0 {
			return
		}
		text = text[:min(len(text), left)]
		left -= len(text)
		var s shingler
		s.feed(text, add)
	}
	for i := range x.f.Change.Files {
		feed(x.f.Change.Files[i].Path)
	}
	for i := range x.f.Change.Files {
		for _, h := range x.f.Change.Files[i].Hunks {
			for k := range h.Lines {
				if h.Lines[k].Op != ' ' {
					feed(h.Lines[k].Text)
				}
			}
		}
	}
	return r
}

// shingler cuts text into runs of four letters and digits in lower case; what
// stands between them is passed over, so that "user name" and userName run alike.
type shingler struct {
	last [gramLength]uint32
	n    int
}

// feed calls fn with the bucket of each run.
func (s *shingler) feed(text string, fn func(bucket uint32)) {
	for i := 0; i < len(text); {
		r, size := rune(text[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(text[i:])
		}
		i += size
		switch {
		case r >= 'A' && r <= 'Z':
			r += 'a' - 'A'
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
		case r < utf8.RuneSelf || r == utf8.RuneError || !unicode.IsLetter(r):
			continue
		default:
			r = unicode.ToLower(r)
		}
		copy(s.last[:], s.last[1:])
		s.last[gramLength-1] = uint32(r)
		if s.n++; s.n < gramLength {
			continue
		}
		h := uint32(2166136261)
		for _, c := range s.last {
			h = (h ^ c) * 16777619
		}
		fn((h ^ h>>16) % gramBuckets)
	}
}

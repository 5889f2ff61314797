package bench

import (
	"math"

	"github.com/saysolint/sayso/checks"
)

// BaseRate is the share of messages that are false of their change: 406 of
// 23,247 agents' pull requests in Gong, Pinna, Bian, Zhang, "Analyzing Message-Code
// Inconsistency in AI Coding Agent-Authored Pull Requests", 2026.
const BaseRate = checks.BaseRate

// requestSizes are the pull requests, by their honest commits, that the chance
// of a false alarm is given for.
var requestSizes = []int{1, 5, 10, 20}

// InUse is what a recall and a false-alarm rate mean for those who meet the verdicts.
type InUse struct {
	Recall float64 `json:"recall"` // mean over the seven rules, of those with pairs
	// PPV is the share of contradicted messages that are false where BaseRate of
	// all messages are. 0 where there is nothing to compute it from.
	PPV    float64 `json:"ppv"`
	PPVLow float64 `json:"ppv_low"` // the same with the upper end of the false alarms among natural commits
	// Requests is how likely a pull request of so many honest commits has a false alarm.
	Requests []RequestAlarm `json:"requests"`
}

// RequestAlarm is the chance of at least one false alarm among Commits honest
// commits, with the interval that follows from the one of a single commit.
type RequestAlarm struct {
	Commits int     `json:"commits"` // size of the request
	Chance  float64 `json:"chance"`  // of at least one false alarm
	Low     float64 `json:"low"`     // lower end of its interval
	High    float64 `json:"high"`    // upper end of it
}

func inUse(recall float64, alarms Share) InUse {
	u := InUse{Recall: recall}
	ppv := func(f float64) float64 {
		if recall == 0 && f == 0 {
			return 0
		}
		return BaseRate * recall / (BaseRate*recall + (1-BaseRate)*f)
	}
	if alarms.N > 0 {
		u.PPV, u.PPVLow = ppv(alarms.Rate), ppv(alarms.High)
	}
	for _, n := range requestSizes {
		any := func(p float64) float64 { return 1 - math.Pow(1-p, float64(n)) }
		u.Requests = append(u.Requests, RequestAlarm{n, any(alarms.Rate), any(alarms.Low), any(alarms.High)})
	}
	return u
}

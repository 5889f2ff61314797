package bench

import (
	"math"
	"slices"
)

// Share is K out of N with its 95 % Wilson interval.
type Share struct {
	K    int     `json:"k"`    // how many did
	N    int     `json:"n"`    // of how many
	Rate float64 `json:"rate"` // 0 where N is 0
	Low  float64 `json:"low"`  // lower end of the 95 % interval
	High float64 `json:"high"` // upper end of it
}

// NewShare computes rate and interval.
func NewShare(k, n int) Share {
	if n == 0 {
		return Share{High: 1}
	}
	const z = 1.959963984540054
	p, m := float64(k)/float64(n), float64(n)
	mid := (p + z*z/(2*m)) / (1 + z*z/m)
	half := z / (1 + z*z/m) * math.Sqrt(p*(1-p)/m+z*z/(4*m*m))
	return Share{k, n, p, max(0, mid-half), min(1, mid+half)}
}

// quantile is the smallest value that at least q of the values do not exceed;
// 0 of none. It sorts in place.
func quantile(values []float64, q float64) float64 {
	if len(values) == 0 {
		return 0
	}
	slices.Sort(values)
	return values[max(0, min(len(values)-1, int(math.Ceil(q*float64(len(values))))-1))]
}

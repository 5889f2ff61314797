package bench

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func TestShareHasTheWilsonInterval(t *testing.T) {
	for _, tc := range []struct {
		k, n      int
		low, high float64
	}{{0, 1000, 0, 0.0038}, {10, 1000, 0.0054, 0.0183}, {1, 2, 0.0945, 0.9055}, {0, 0, 0, 1}} {
		s := NewShare(tc.k, tc.n)
		if math.Abs(s.Low-tc.low) > 1e-4 || math.Abs(s.High-tc.high) > 1e-4 {
			t.Errorf("%d of %d: got %.4f-%.4f, want %.4f-%.4f", tc.k, tc.n, s.Low, s.High, tc.low, tc.high)
		}
	}
}

func TestShareLiesInItsInterval(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 5000).Draw(t, "n")
		s := NewShare(rapid.IntRange(0, n).Draw(t, "k"), n)
		if s.Low > s.Rate+1e-12 || s.High < s.Rate-1e-12 || s.Low < 0 || s.High > 1 {
			t.Fatalf("%+v", s)
		}
	})
}

func TestQuantile(t *testing.T) {
	v := []float64{5, 1, 4, 2, 3}
	for q, want := range map[float64]float64{0.5: 3, 0.99: 5, 1: 5, 0: 1, 0.2: 1, 0.21: 2} {
		if got := quantile(v, q); got != want {
			t.Errorf("quantile %v is %v, want %v", q, got, want)
		}
	}
	if quantile(nil, 0.5) != 0 {
		t.Error("the quantile of nothing is not 0")
	}
}

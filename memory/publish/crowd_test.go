//go:build integration

package publish

import (
	"slices"
	"testing"
	"time"
)

// TestAHundredPublishersToOneRepository measures what many at once cost. It is
// behind a tag because it keeps two processors busy for half a minute.
func TestAHundredPublishersToOneRepository(t *testing.T) {
	const n = 100
	attempts, took, total := crowd(t, n)
	slices.Sort(attempts)
	slices.Sort(took)
	t.Logf("%d publishers: %v in all, waits: median %v, longest %v; attempts: median %d, most %d", n, total, took[n/2], took[n-1], attempts[n/2], attempts[n-1])
	if total > 3*time.Minute || took[n-1] > 2*time.Minute {
		t.Errorf("it took %v, the slowest %v", total, took[n-1])
	}
}

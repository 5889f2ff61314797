//go:build unix

package main

import (
	"context"
	"testing"
)

func TestPeakMemoryOfARunIsTold(t *testing.T) {
	c := contestant{name: "git", args: []string{"git", "version"}, dir: t.TempDir(), fine: []int{0}}
	if err := c.once(context.Background(), true); err != nil {
		t.Fatal(err)
	}
	if got := c.peak(); got < 1<<18 || got > 1<<32 {
		t.Errorf("git version took %d bytes", got)
	}
}

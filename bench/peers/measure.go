package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// contestant is one program to time.
type contestant struct {
	name string
	args []string // program first
	dir  string
	env  []string // beside the environment of all
	fine []int    // exit codes under which the program did its work

	before func() error // untimed, before each run; may be nil

	runs []sample
}

// sample is one run of a whole process.
type sample struct {
	wall, cpu time.Duration
	peak      int64 // bytes, the largest process of the run; 0 where the system does not tell
}

// environment is this process's without what would let the user's settings, or a
// hook that this runs under, reach into the measurement.
func environment() []string {
	var env []string
	for _, pair := range os.Environ() {
		name, _, _ := strings.Cut(pair, "=")
		if strings.HasPrefix(name, "GIT_") || strings.HasPrefix(name, "SAYSO") {
			continue
		}
		env = append(env, pair)
	}
	return append(env, "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull, "NO_COLOR=1")
}

// hookEnvironment is what git commit adds for its hooks that makes them work more:
// with the date of an author the hook looks whether HEAD is being amended.
var hookEnvironment = []string{"GIT_AUTHOR_DATE=@1700000000 +0000"}

// once runs the program and records the run.
func (c *contestant) once(ctx context.Context, record bool) error {
	if c.before != nil {
		if err := c.before(); err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
	}
	cmd := exec.CommandContext(ctx, c.args[0], c.args[1:]...)
	cmd.Dir, cmd.Env = c.dir, append(environment(), c.env...)
	// Output goes to a file of the system's: reading it here would be timed, too.
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer null.Close()
	var errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = null, &errs
	start := time.Now()
	err = cmd.Run()
	wall := time.Since(start)
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return fmt.Errorf("%s: %w", c.name, err)
	}
	if code := cmd.ProcessState.ExitCode(); !slices.Contains(c.fine, code) {
		return fmt.Errorf("%s ended with %d: %s", c.name, code, strings.TrimSpace(errs.String()))
	}
	if record {
		state := cmd.ProcessState
		c.runs = append(c.runs, sample{wall: wall, cpu: state.UserTime() + state.SystemTime(), peak: peakMemory(state)})
	}
	return nil
}

// race times the contestants in turn: one unrecorded run of each to warm the page
// cache, then rounds of one run each, the order turning by one in each round.
func race(ctx context.Context, rounds int, all []*contestant) error {
	for _, c := range all {
		if err := c.once(ctx, false); err != nil {
			return err
		}
	}
	for round := range rounds {
		for i := range all {
			if err := all[(i+round)%len(all)].once(ctx, true); err != nil {
				return err
			}
		}
	}
	return nil
}

// spread is the least, the median and the most of some durations.
type spread struct{ min, median, max time.Duration }

func spreadOf(all []time.Duration) spread {
	slices.Sort(all)
	return spread{min: all[0], median: middle(all), max: all[len(all)-1]}
}

// wall is what the clock said.
func (c *contestant) wall() spread {
	all := make([]time.Duration, len(c.runs))
	for i, s := range c.runs {
		all[i] = s.wall
	}
	return spreadOf(all)
}

// cpu is the time that the program and what it started spent on processors.
func (c *contestant) cpu() spread {
	all := make([]time.Duration, len(c.runs))
	for i, s := range c.runs {
		all[i] = s.cpu
	}
	return spreadOf(all)
}

// peak is the largest of all runs: a budget of memory is one for the worst run.
func (c *contestant) peak() int64 {
	var most int64
	for _, s := range c.runs {
		most = max(most, s.peak)
	}
	return most
}

// middle is the median of sorted values.
func middle(sorted []time.Duration) time.Duration {
	n := len(sorted)
	if n%2 == 1 {
		return sorted[n/2]
	}
	return (sorted[n/2-1] + sorted[n/2]) / 2
}

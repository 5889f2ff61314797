package main

import (
	"fmt"
	"io"
	"time"
)

// progress writes how far a long run is on one line of standard error, on a
// terminal and after the first second only.
type progress struct {
	w      io.Writer
	what   string
	now    func() time.Time
	start  time.Time
	last   time.Time
	active bool
}

// newProgress returns nil where nobody would see it; a nil progress is silent.
func (a *app) newProgress(what string) *progress {
	if !a.env.StderrTerminal {
		return nil
	}
	return &progress{w: a.stderr, what: what, now: a.env.Now, start: a.env.Now()}
}

// report is the function that long work calls, nil for a nil progress.
func (p *progress) report() func(done, total int) {
	if p == nil {
		return nil
	}
	return p.set
}

func (p *progress) set(done, total int) {
	now := p.now()
	if now.Sub(p.start) < time.Second || now.Sub(p.last) < 100*time.Millisecond && done < total {
		return
	}
	p.last, p.active = now, true
	if total > 0 {
		fmt.Fprintf(p.w, "\r\x1b[K%s %d of %d", p.what, done, total)
	} else {
		fmt.Fprintf(p.w, "\r\x1b[K%s %d", p.what, done)
	}
}

// done takes the line away.
func (p *progress) done() {
	if p != nil && p.active {
		fmt.Fprint(p.w, "\r\x1b[K")
		p.active = false
	}
}

package mcp

import (
	"bytes"
	"encoding/json"
	"io"
	"sync"
	"time"
)

// drain keeps the end of the input from the server while requests are unanswered. The
// SDK takes the end for a client that is gone; one that wrote its questions and closed its
// end, as a shell does, still reads the answers.
type drain struct {
	mu      sync.Mutex
	waiting map[string]bool // ids of requests without an answer
	changed chan struct{}   // closed and made anew when waiting shrinks
	patient time.Duration   // how long the end waits for one more answer

	partial []byte // of a line of the input
}

func newDrain(patient time.Duration) *drain {
	return &drain{waiting: map[string]bool{}, changed: make(chan struct{}), patient: patient}
}

// message is what tells a request from an answer.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		RequestID json.RawMessage `json:"requestId"` // of a notice that a request is taken back
	} `json:"params"`
}

func (d *drain) asked(line []byte) {
	var m message
	if json.Unmarshal(line, &m) != nil || m.Method == "" {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case m.Method == "notifications/cancelled":
		d.forget(string(m.Params.RequestID)) // it may never be answered
	case len(m.ID) > 0:
		d.waiting[string(m.ID)] = true
	}
}

func (d *drain) answered(line []byte) {
	var m message
	if json.Unmarshal(line, &m) != nil || m.Method != "" || len(m.ID) == 0 {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.forget(string(m.ID))
}

// forget takes a request off, under the lock.
func (d *drain) forget(id string) {
	if d.waiting[id] {
		delete(d.waiting, id)
		close(d.changed)
		d.changed = make(chan struct{})
	}
}

// settle returns when nothing waits any more, or no answer came for too long.
func (d *drain) settle(gone <-chan struct{}) {
	for {
		d.mu.Lock()
		n, changed := len(d.waiting), d.changed
		d.mu.Unlock()
		if n == 0 {
			return
		}
		timer := time.NewTimer(d.patient)
		select {
		case <-changed:
			timer.Stop()
		case <-gone:
			timer.Stop()
			return
		case <-timer.C:
			return
		}
	}
}

// drainReader is the input of the server.
type drainReader struct {
	io.ReadCloser
	d    *drain
	gone <-chan struct{}
}

func (r *drainReader) Read(p []byte) (int, error) {
	n, err := r.ReadCloser.Read(p)
	for rest := p[:n]; len(rest) > 0; {
		i := bytes.IndexByte(rest, '\n')
		if i < 0 {
			if len(r.d.partial)+len(rest) <= maxLine {
				r.d.partial = append(r.d.partial, rest...)
			}
			break
		}
		r.d.asked(append(r.d.partial, rest[:i]...))
		r.d.partial, rest = r.d.partial[:0], rest[i+1:]
	}
	if err != nil && n == 0 {
		r.d.settle(r.gone)
	}
	return n, err
}

// drainWriter is the output of the server; the SDK writes one message at a time.
type drainWriter struct {
	io.WriteCloser
	d *drain
}

func (w *drainWriter) Write(p []byte) (int, error) {
	n, err := w.WriteCloser.Write(p)
	for line := range bytes.Lines(p[:n]) {
		w.d.answered(line)
	}
	return n, err
}

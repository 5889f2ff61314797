package githubtest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Kind is a way in which a call fails.
type Kind string

// The ways. Those with "After" in the name have the server carry the request out.
const (
	Timeout         Kind = "timeout"              // no answer, nothing was done
	TimeoutAfter    Kind = "timeout, carried out" // no answer, and it was done
	Reset           Kind = "reset"                // the connection breaks before the server reads the request
	ResetAfter      Kind = "reset, carried out"   // it breaks before the answer
	ResetMidBody    Kind = "reset in the body"    // it breaks in the middle of the answer
	Status500       Kind = "500"
	Status502       Kind = "502"
	Status502After  Kind = "502, carried out"
	SecondaryLimit  Kind = "403 secondary"                     // with Retry-After
	SecondaryBare   Kind = "403 secondary without Retry-After" // as GitHub answers under load
	PrimaryLimit    Kind = "403 primary"                       // until an hour from now
	TooLong         Kind = "422 too long"
	Forbidden       Kind = "403"
	Gone            Kind = "404"
	NotJSON         Kind = "200 that is no JSON" // a proxy's page
	CallerKilled    Kind = "killed before"       // Fault.Kill is called, nothing was done
	CallerKilledEnd Kind = "killed after"        // it was done, then Fault.Kill is called
)

// Kinds are all ways but those that end the caller.
var Kinds = []Kind{Timeout, TimeoutAfter, Reset, ResetAfter, ResetMidBody, Status500, Status502, Status502After,
	SecondaryLimit, SecondaryBare, PrimaryLimit, TooLong, Forbidden, Gone, NotJSON}

// Fault makes calls fail.
type Fault struct {
	// Match is a method and a path with * for any part of it: "POST /repos/*/issues/*/comments".
	// "" and "*" match every call.
	Match string
	Kind  Kind
	Skip  int    // so many matching calls go well first
	Times int    // then so many fail; 0 is one, negative is all
	Kill  func() // ends the caller, for CallerKilled

	seen int
}

// Fail adds a fault. The first one that matches a call decides.
func (s *Server) Fail(f Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = append(s.faults, &f)
}

// Heal takes all faults away.
func (s *Server) Heal() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = nil
}

func (s *Server) fault(req *http.Request) *Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range s.faults {
		if !matches(f.Match, req.Method, req.URL.Path) {
			continue
		}
		f.seen++
		times := f.Times
		if times == 0 {
			times = 1
		}
		if f.seen > f.Skip && (times < 0 || f.seen <= f.Skip+times) {
			return f
		}
	}
	return nil
}

// matches says whether a call is one that the pattern means. A star of the pattern
// is one part of a path.
func matches(pattern, method, at string) bool {
	if pattern == "" || pattern == "*" {
		return true
	}
	m, p, ok := strings.Cut(pattern, " ")
	if !ok {
		return m == method
	}
	if m != "*" && m != method {
		return false
	}
	found, err := path.Match(p, at)
	return err == nil && found
}

// answer writes the answer of a fault that the server gives instead of carrying
// the request out, and says whether it is one.
func (f *Fault) answer(w *httptest.ResponseRecorder) bool {
	say := func(status int, message string) bool {
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		w.WriteHeader(status)
		json.NewEncoder(w).Encode(obj{"message": message, "documentation_url": "https://docs.github.com/rest", "status": strconv.Itoa(status)})
		return true
	}
	switch f.Kind {
	case Timeout, Reset, CallerKilled:
		return true
	case Status500:
		return say(http.StatusInternalServerError, "Server Error")
	case Status502:
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(http.StatusBadGateway)
		w.WriteString("<html><body>Unicorn!</body></html>")
		return true
	case SecondaryLimit:
		secondaryLimit(w, 7)
		return true
	case SecondaryBare:
		secondaryLimit(w, -1)
		return true
	case PrimaryLimit:
		w.Header().Set("X-Ratelimit-Limit", "1000")
		w.Header().Set("X-Ratelimit-Remaining", "0")
		w.Header().Set("X-Ratelimit-Reset", strconv.FormatInt(time.Now().Add(time.Hour).Unix(), 10))
		return say(http.StatusForbidden, "API rate limit exceeded for installation ID 1.")
	case TooLong:
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		w.WriteHeader(http.StatusUnprocessableEntity)
		json.NewEncoder(w).Encode(bodyTooLong)
		return true
	case Forbidden:
		return say(http.StatusForbidden, "Resource not accessible by integration")
	case Gone:
		return say(http.StatusNotFound, "Not Found")
	case NotJSON:
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(http.StatusOK)
		w.WriteString("<html><body>Sign in to the network</body></html>")
		return true
	}
	return false
}

// breaks carries out what a fault does after the server: it may change the answer,
// end the caller, or say that no whole answer is to arrive.
func breaks(req *http.Request, f *Fault, rec *httptest.ResponseRecorder) bool {
	if f == nil {
		return false
	}
	switch f.Kind {
	case Status502After:
		rec.Code = http.StatusBadGateway
		rec.Body = bytes.NewBufferString("<html><body>Unicorn!</body></html>")
	case CallerKilled, CallerKilledEnd:
		if f.Kill != nil {
			f.Kill()
		}
		return true
	case Timeout, TimeoutAfter:
		<-req.Context().Done()
		return true
	case Reset, ResetAfter, ResetMidBody:
		return true
	}
	return false
}

// hijack ends the connection of a real server as the fault says.
func hijack(w http.ResponseWriter, f *Fault, rec *httptest.ResponseRecorder) {
	conn, buf, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	defer conn.Close()
	if f.Kind == ResetMidBody {
		fmt.Fprintf(buf, "HTTP/1.1 %d %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n", rec.Code, http.StatusText(rec.Code), rec.Body.Len())
		buf.Write(rec.Body.Bytes()[:rec.Body.Len()/2])
		buf.Flush()
	}
}

// Transport is a wire to the server without a socket.
func (s *Server) Transport() http.RoundTripper { return &transport{s} }

type transport struct{ s *Server }

func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	var body []byte
	if req.Body != nil {
		var err error
		body, err = io.ReadAll(req.Body)
		req.Body.Close()
		if err != nil {
			return nil, err
		}
	}
	if t.s.Latency != nil {
		select {
		case <-time.After(t.s.Latency(req)):
		case <-req.Context().Done():
			return nil, req.Context().Err()
		}
	}
	if err := req.Context().Err(); err != nil {
		return nil, err
	}
	fault := t.s.fault(req)
	rec := t.s.answer(req, body, fault)
	if breaks(req, fault, rec) {
		switch {
		case req.Context().Err() != nil:
			return nil, req.Context().Err()
		case fault.Kind == ResetMidBody:
			resp := response(req, rec)
			resp.Body = io.NopCloser(io.MultiReader(bytes.NewReader(rec.Body.Bytes()[:rec.Body.Len()/2]), broken{}))
			return resp, nil
		}
		return nil, fmt.Errorf("read tcp: %w", syscall.ECONNRESET)
	}
	return response(req, rec), nil
}

func response(req *http.Request, rec *httptest.ResponseRecorder) *http.Response {
	return &http.Response{
		Status: fmt.Sprintf("%d %s", rec.Code, http.StatusText(rec.Code)), StatusCode: rec.Code,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: rec.Header().Clone(), Request: req,
		Body: io.NopCloser(bytes.NewReader(rec.Body.Bytes())), ContentLength: int64(rec.Body.Len()),
	}
}

// broken is the rest of a body that never comes.
type broken struct{}

func (broken) Read([]byte) (int, error) {
	return 0, errors.Join(syscall.ECONNRESET, io.ErrUnexpectedEOF)
}

package githubtest

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// Server is one GitHub. Safe for concurrent use; its fields are to be set before
// the first request.
type Server struct {
	// Latency is how long a request is on its way to the server, on Transport only;
	// nil: no time.
	Latency func(*http.Request) time.Duration
	// DiffLines is how many lines of patches one answer carries; the rows after them are cut.
	DiffLines int
	// RateLimit is how many requests an hour a token has.
	RateLimit int
	// ContentLimit is how many comments, issues and reviews a minute a token may make.
	ContentLimit int

	mu        sync.Mutex
	base      string // address of the API in answers, without a slash at the end
	mux       *http.ServeMux
	repos     map[string]*Repo
	tokens    map[string]*Token
	apps      map[int64]*App
	users     map[string]int64
	nextID    int64
	faults    []*Fault
	exchanges []Exchange
	check     func(Exchange) error // the contract; nil without it
	broken    []string             // what broke the contract
}

// Exchange is one request and its answer.
type Exchange struct {
	Method string
	URL    *url.URL
	Header http.Header
	Body   []byte
	Status int
	Reply  http.Header
	Answer []byte
	Fault  Kind // what was made of it on the way; "" for nothing
}

// Token is who a token is of and what it may do.
type Token struct {
	Login string
	Bot   bool
	// Installation says that it is a token of an app, a job's GITHUB_TOKEN among
	// them: such may write checks and may not ask who they are.
	Installation bool
	// Write lists what may be written: issues, pull_requests, checks, contents, statuses.
	// A token of a fork's job has none.
	Write []string
	// Private says that private repositories can be seen.
	Private bool

	used    int
	reset   time.Time
	content []time.Time
}

// JobToken is the token of a job that may write comments and checks.
func JobToken() Token {
	return Token{Login: "github-actions[bot]", Bot: true, Installation: true, Private: true,
		Write: []string{"issues", "pull_requests", "checks"}}
}

// ForkToken is the token of a job that was started from a fork, or by Dependabot.
func ForkToken() Token {
	return Token{Login: "github-actions[bot]", Bot: true, Installation: true}
}

// New makes an empty server.
func New() *Server {
	s := &Server{
		DiffLines: 20000, RateLimit: 1000, ContentLimit: 80,
		base:  "https://api.github.test",
		repos: map[string]*Repo{}, tokens: map[string]*Token{}, apps: map[int64]*App{}, users: map[string]int64{},
		nextID: 1000,
	}
	s.check = contract(s)
	s.routes()
	return s
}

// AddToken makes a token known.
func (s *Server) AddToken(secret string, t Token) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tokens[secret] = &t
	s.id(t.Login)
}

// Start serves on a port of this machine until the test ends, and returns the
// address of the API.
func (s *Server) Start(t testing.TB) string {
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	s.mu.Lock()
	s.base = server.URL
	s.mu.Unlock()
	return server.URL
}

// URL is the address of the API.
func (s *Server) URL() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.base
}

// Exchanges are all requests so far, in the order of their answers.
func (s *Server) Exchanges() []Exchange {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Exchange(nil), s.exchanges...)
}

// Count is how many requests matched a pattern, as Fault has them.
func (s *Server) Count(pattern string) int {
	n := 0
	for _, e := range s.Exchanges() {
		if matches(pattern, e.Method, e.URL.Path) {
			n++
		}
	}
	return n
}

// Verify fails the test for every request and answer that broke the contract. It
// checks nothing without the tag.
func (s *Server) Verify(t testing.TB) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, b := range s.broken {
		t.Error(b)
	}
}

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	fault := s.fault(req)
	rec := s.answer(req, body, fault)
	if breaks(req, fault, rec) {
		hijack(w, fault, rec)
		return
	}
	for k, v := range rec.Header() {
		w.Header()[k] = v
	}
	w.WriteHeader(rec.Code)
	w.Write(rec.Body.Bytes())
}

// answer runs the request against the state and records the exchange.
func (s *Server) answer(req *http.Request, body []byte, fault *Fault) *httptest.ResponseRecorder {
	s.mu.Lock()
	defer s.mu.Unlock()
	rec := httptest.NewRecorder()
	rec.Body = &bytes.Buffer{}
	if fault == nil || !fault.answer(rec) {
		r := req.Clone(req.Context())
		r.Body = io.NopCloser(bytes.NewReader(body))
		s.guarded(rec, r)
	}
	e := Exchange{Method: req.Method, URL: req.URL, Header: req.Header.Clone(), Body: body,
		Status: rec.Code, Reply: rec.Header().Clone(), Answer: bytes.Clone(rec.Body.Bytes())}
	if fault != nil {
		e.Fault = fault.Kind
	}
	s.exchanges = append(s.exchanges, e)
	if s.check != nil && fault == nil {
		if err := s.check(e); err != nil {
			s.broken = append(s.broken, fmt.Sprintf("%s %s (%d): %v", e.Method, e.URL.Path, e.Status, err))
		}
	}
	return rec
}

// guarded is the way of every request: who asks, the limits, the route, the
// headers that all answers have.
func (s *Server) guarded(w *httptest.ResponseRecorder, req *http.Request) {
	h := w.Header()
	h.Set("Content-Type", "application/json; charset=utf-8")
	h.Set("X-Github-Request-Id", fmt.Sprintf("F%05d", len(s.exchanges)))
	c := &call{s: s, w: w, req: req}
	if !c.authenticate() {
		return
	}
	if c.token != nil && !c.withinLimits() {
		return
	}
	_, pattern := s.mux.Handler(req)
	if pattern == "" {
		c.fail(http.StatusNotFound, "Not Found")
		return
	}
	s.mux.ServeHTTP(w, req.WithContext(withCall(req.Context(), c)))
	if req.Method != http.MethodGet || w.Code != http.StatusOK {
		return
	}
	etag := fmt.Sprintf(`W/"%x"`, sha256.Sum256(w.Body.Bytes()))
	h.Set("Etag", etag)
	if req.Header.Get("If-None-Match") == etag {
		w.Code = http.StatusNotModified
		w.Body.Reset()
		if c.token != nil {
			c.token.used--
			c.rateHeaders()
		}
	}
}

// withinLimits counts a request of a token and refuses what is too much.
func (c *call) withinLimits() bool {
	now, t := time.Now(), c.token
	if !now.Before(t.reset) {
		t.used, t.reset = 0, now.Add(time.Hour).Truncate(time.Second)
	}
	if t.used >= c.s.RateLimit {
		c.rateHeaders()
		c.fail(http.StatusForbidden, "API rate limit exceeded for installation ID 1. If you reach out to GitHub Support for help, please include the request ID.")
		return false
	}
	t.used++
	c.rateHeaders()
	if c.req.Method == http.MethodPost && makesContent(c.req.URL.Path) {
		recent := t.content[:0]
		for _, at := range t.content {
			if now.Sub(at) < time.Minute {
				recent = append(recent, at)
			}
		}
		t.content = recent
		if len(recent) >= c.s.ContentLimit {
			wait := time.Minute - now.Sub(recent[0])
			secondaryLimit(c.w, int(wait/time.Second)+1)
			return false
		}
		t.content = append(t.content, now)
	}
	return true
}

func makesContent(path string) bool {
	return strings.HasSuffix(path, "/comments") || strings.HasSuffix(path, "/issues") || strings.HasSuffix(path, "/pulls") || strings.HasSuffix(path, "/reviews")
}

func (c *call) rateHeaders() {
	h := c.w.Header()
	h.Set("X-Ratelimit-Limit", strconv.Itoa(c.s.RateLimit))
	h.Set("X-Ratelimit-Remaining", strconv.Itoa(max(c.s.RateLimit-c.token.used, 0)))
	h.Set("X-Ratelimit-Used", strconv.Itoa(c.token.used))
	h.Set("X-Ratelimit-Reset", strconv.FormatInt(c.token.reset.Unix(), 10))
	h.Set("X-Ratelimit-Resource", "core")
}

// secondaryLimit answers as GitHub does to who asks too fast; seconds < 0: without
// a Retry-After.
func secondaryLimit(w *httptest.ResponseRecorder, seconds int) {
	if seconds >= 0 {
		w.Header().Set("Retry-After", strconv.Itoa(seconds))
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(http.StatusForbidden)
	json.NewEncoder(w).Encode(obj{
		"message":           "You have exceeded a secondary rate limit. Please wait a few minutes before you try again.",
		"documentation_url": "https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api#about-secondary-rate-limits",
	})
}

// id numbers an account; asking twice gives the same number.
func (s *Server) id(login string) int64 {
	key := strings.ToLower(login)
	if s.users[key] == 0 {
		s.nextID++
		s.users[key] = s.nextID
	}
	return s.users[key]
}

// next is a number that no other thing has.
func (s *Server) next() int64 {
	s.nextID++
	return s.nextID
}

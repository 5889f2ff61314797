package action

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gofri/go-github-ratelimit/v2/github_ratelimit/github_secondary_ratelimit"
	"github.com/rs/zerolog"
)

// This file is what stands between go-github and the wire. From the outside in:
//
//	conditional  If-None-Match for what was read before; a 304 costs nothing of the rate
//	retry        5xx and network faults of what may be repeated; rate limits without Retry-After
//	secondary    waits for Retry-After, for all requests of the client (gofri/go-github-ratelimit)
//	auth         the token, for the API's own host only
//	wire         budget, one time limit for an attempt, whole bodies or an error
//
// The wire reads every body to its end: a connection that breaks in the middle of
// one is an error of the attempt, where it can be retried, and not of whoever
// decodes it.

const (
	maxBody      = 64 << 20         // bytes of one answer that are read
	maxCached    = 16 << 20         // bytes of answers kept for conditional requests
	backoffFirst = time.Second      // before the first retry
	backoffMost  = 30 * time.Second // before any retry
	noRetryAfter = time.Minute      // GitHub's advice for a secondary limit without a header
)

type contextKey int

const (
	repeatable contextKey = iota // a write that is the same done twice
	reserved                     // may use what the budget holds back for publishing
)

// wire sends one attempt.
type wire struct {
	base    http.RoundTripper
	timeout time.Duration
	budget  int64 // requests in all
	hold    int64 // of these, held back for requests with the reserved mark
	used    atomic.Int64
	log     zerolog.Logger
}

func (w *wire) RoundTrip(req *http.Request) (*http.Response, error) {
	limit := w.budget
	if req.Context().Value(reserved) == nil {
		limit -= w.hold
	}
	if n := w.used.Add(1); n > limit {
		w.used.Add(-1)
		closeBody(req)
		return nil, fmt.Errorf("%w: %d requests were made, %d are allowed", ErrBudget, n-1, w.budget)
	}
	ctx, cancel := context.WithTimeout(req.Context(), w.timeout)
	defer cancel()
	req, err := fresh(req.WithContext(ctx))
	if err != nil {
		return nil, err
	}
	resp, err := w.base.RoundTrip(req)
	if err != nil {
		return nil, w.fault(ctx, req, err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxBody+1))
	if err != nil {
		return nil, w.fault(ctx, req, err)
	}
	if len(body) > maxBody {
		return nil, fmt.Errorf("the answer is larger than %d bytes", maxBody)
	}
	if resp.ContentLength > int64(len(body)) && req.Method != http.MethodHead {
		return nil, w.fault(ctx, req, io.ErrUnexpectedEOF)
	}
	resp.Body = io.NopCloser(bytes.NewReader(body))
	w.log.Debug().Str("method", req.Method).Str("path", req.URL.Path).Int("status", resp.StatusCode).
		Str("remaining", resp.Header.Get("X-Ratelimit-Remaining")).Msg("request")
	return resp, nil
}

// fault is an error of the network, without the address in it.
func (w *wire) fault(ctx context.Context, req *http.Request, err error) error {
	if inner := (*url.Error)(nil); errors.As(err, &inner) {
		err = inner.Err
	}
	if ctx.Err() == context.DeadlineExceeded {
		err = fmt.Errorf("no answer within %s", w.timeout)
	}
	w.log.Debug().Str("method", req.Method).Str("path", req.URL.Path).Err(err).Msg("request")
	return &networkError{err}
}

// networkError marks what a retry may mend.
type networkError struct{ err error }

func (e *networkError) Error() string { return e.err.Error() }
func (e *networkError) Unwrap() error { return e.err }

// fresh gives a request a body that has not been read: those above send it again.
func fresh(req *http.Request) (*http.Request, error) {
	if req.Body == nil || req.GetBody == nil {
		return req, nil
	}
	body, err := req.GetBody()
	if err != nil {
		return nil, err
	}
	req = req.Clone(req.Context())
	req.Body = body
	return req, nil
}

func closeBody(req *http.Request) {
	if req.Body != nil {
		req.Body.Close()
	}
}

// tokenAuth puts the token on requests to one host.
type tokenAuth struct {
	base  http.RoundTripper
	host  string
	token string
}

func (a *tokenAuth) RoundTrip(req *http.Request) (*http.Response, error) {
	if a.token != "" && req.URL.Host == a.host {
		req = req.Clone(req.Context())
		req.Header.Set("Authorization", "Bearer "+a.token)
	}
	return a.base.RoundTrip(req)
}

// secondary waits for secondary limits that say for how long. Its waiting is that
// of the library, for all requests of the client together.
func secondary(base http.RoundTripper, patience time.Duration, log zerolog.Logger) http.RoundTripper {
	return github_secondary_ratelimit.New(base,
		github_secondary_ratelimit.WithSingleSleepLimit(patience, nil),
		github_secondary_ratelimit.WithTotalSleepLimit(patience, nil),
		github_secondary_ratelimit.WithLimitDetectedCallback(func(c *github_secondary_ratelimit.CallbackContext) {
			log.Info().Time("until", *c.ResetTime).Msg("secondary rate limit: waiting")
		}))
}

// retry repeats what failed and may be repeated.
type retry struct {
	base     http.RoundTripper
	retries  int           // after the first attempt
	patience time.Duration // for rate limits, of one request
	log      zerolog.Logger
}

func (r *retry) RoundTrip(req *http.Request) (*http.Response, error) {
	waited := time.Duration(0)
	for attempt := 0; ; {
		// The library above the wire reads the body of a limited request and sends the rest.
		again, err := fresh(req)
		if err != nil {
			return nil, err
		}
		resp, err := r.base.RoundTrip(again)
		if err == nil {
			// A request that met a limit was not carried out: any may be repeated.
			wait, limited := limitWait(resp, waited)
			if !limited && (resp.StatusCode < 500 || !mayRepeat(req)) {
				return resp, nil
			}
			if limited {
				if waited+wait > r.patience {
					return resp, nil
				}
				waited += wait
				r.log.Info().Stringer("wait", wait).Msg("rate limit: waiting")
				if err := sleep(req.Context(), wait); err != nil {
					return nil, err
				}
				continue
			}
		}
		if attempt == r.retries || err != nil && !(mayRepeat(req) && isNetwork(err)) || req.Context().Err() != nil {
			return resp, err
		}
		wait := backoff(attempt)
		attempt++
		r.log.Debug().Int("attempt", attempt).Stringer("wait", wait).Msg("trying again")
		if err := sleep(req.Context(), wait); err != nil {
			return nil, err
		}
	}
}

// mayRepeat says that a request done twice is the same as done once.
func mayRepeat(req *http.Request) bool {
	switch req.Method {
	case http.MethodGet, http.MethodHead, http.MethodDelete:
		return true
	}
	return req.Context().Value(repeatable) != nil
}

func isNetwork(err error) bool {
	n := (*networkError)(nil)
	return errors.As(err, &n)
}

// limitWait says whether an answer is a rate limit and how long to wait for it: a
// primary one until its reset, a secondary one without Retry-After a minute, then
// twice as long as so far. One with Retry-After has been waited for already, or is
// too long.
func limitWait(resp *http.Response, waited time.Duration) (time.Duration, bool) {
	if resp.StatusCode != http.StatusForbidden && resp.StatusCode != http.StatusTooManyRequests {
		return 0, false
	}
	if resp.Header.Get("X-Ratelimit-Remaining") == "0" {
		reset, err := strconv.ParseInt(resp.Header.Get("X-Ratelimit-Reset"), 10, 64)
		if err != nil {
			return noRetryAfter, true
		}
		return max(time.Until(time.Unix(reset, 0)), 0) + time.Second, true
	}
	if resp.Header.Get("Retry-After") != "" || !isLimit(resp) {
		return 0, false
	}
	return max(noRetryAfter, waited), true
}

// isLimit says that an answer is a rate limit, of either kind.
func isLimit(resp *http.Response) bool {
	if resp.StatusCode == http.StatusTooManyRequests || resp.Header.Get("X-Ratelimit-Remaining") == "0" && resp.StatusCode == http.StatusForbidden {
		return true
	}
	if resp.StatusCode != http.StatusForbidden {
		return false
	}
	body, err := io.ReadAll(resp.Body)
	resp.Body = io.NopCloser(bytes.NewReader(body))
	if err != nil {
		return false
	}
	var said github_secondary_ratelimit.SecondaryRateLimitBody
	return json.Unmarshal(body, &said) == nil && said.IsSecondaryRateLimit()
}

// backoff grows twofold from a second to half a minute; of that a random half is
// waited, so that runs that failed together do not come back together.
func backoff(attempt int) time.Duration {
	full := min(backoffFirst<<min(attempt, 10), backoffMost)
	return full/2 + rand.N(full/2+1)
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// conditional asks again only for what has changed since it was last read.
type conditional struct {
	base http.RoundTripper

	mu    sync.Mutex
	kept  map[string]cached
	order []string // oldest first
	size  int
}

type cached struct {
	etag   string
	status int
	header http.Header
	body   []byte
}

func (c *conditional) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Method != http.MethodGet {
		return c.base.RoundTrip(req)
	}
	key := req.Header.Get("Accept") + " " + req.URL.String()
	c.mu.Lock()
	old, known := c.kept[key]
	c.mu.Unlock()
	if known {
		req = req.Clone(req.Context())
		req.Header.Set("If-None-Match", old.etag)
	}
	resp, err := c.base.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	switch {
	case known && resp.StatusCode == http.StatusNotModified:
		resp.Body.Close()
		header := old.header.Clone()
		for name, values := range resp.Header {
			if strings.HasPrefix(name, "X-Ratelimit-") {
				header[name] = values
			}
		}
		resp.StatusCode, resp.Status, resp.Header = old.status, http.StatusText(old.status), header
		resp.Body, resp.ContentLength = io.NopCloser(bytes.NewReader(old.body)), int64(len(old.body))
	case resp.StatusCode == http.StatusOK && resp.Header.Get("Etag") != "":
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			return nil, err
		}
		resp.Body = io.NopCloser(bytes.NewReader(body))
		c.keep(key, cached{resp.Header.Get("Etag"), resp.StatusCode, resp.Header.Clone(), body})
	}
	return resp, nil
}

// keep remembers an answer and forgets the oldest ones.
func (c *conditional) keep(key string, a cached) {
	if len(a.body) > maxCached/4 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if old, ok := c.kept[key]; ok {
		c.size -= len(old.body)
		c.order = slices.DeleteFunc(c.order, func(k string) bool { return k == key })
	}
	if c.kept == nil {
		c.kept = map[string]cached{}
	}
	c.kept[key] = a
	c.order = append(c.order, key)
	c.size += len(a.body)
	for c.size > maxCached {
		c.size -= len(c.kept[c.order[0]].body)
		delete(c.kept, c.order[0])
		c.order = c.order[1:]
	}
}

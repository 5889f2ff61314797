package action

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/bradleyfalzon/ghinstallation/v2"
	"github.com/google/go-github/v60/github"
	"github.com/rs/zerolog"
	"github.com/sourcegraph/conc/pool"

	"github.com/saysolint/sayso/internal/secret"
	"github.com/saysolint/sayso/report"
)

// ClientOptions are what a Client is made of. Token or App is wanted for anything
// but public reading.
type ClientOptions struct {
	BaseURL    string // GITHUB_API_URL; "" is https://api.github.com
	GraphQLURL string // GITHUB_GRAPHQL_URL; "" is derived from BaseURL
	Token      string
	App        *App
	Login      string // the account that we write as, where the caller knows it: "my-app[bot]"

	Transport http.RoundTripper // nil: one of our own
	Budget    int               // requests of this client, retries included; 0: 900, below the 1,000 an hour that a job's token has
	Reserve   int               // of these, kept for publishing; 0: 60
	Timeout   time.Duration     // of one attempt; 0: 30 seconds
	Retries   int               // of one request, after the first attempt; 0: 4; negative: none
	Patience  time.Duration     // most to wait for rate limits, of one request; 0: 5 minutes
	Pause     time.Duration     // between two writes, as GitHub asks for; 0: one second; negative: none
	Readers   int               // reads at the same time; 0: 4
	Version   string            // of this program, for the user agent
	Log       zerolog.Logger
}

// App is a GitHub App that authenticates as its installation.
type App struct {
	ID           int64
	Installation int64 // 0: that of the first repository asked for
	Repo         Repo  // where to look for the installation, when it is 0
	Key          []byte
}

// Client is GitHub's REST API as this package needs it: it is a Reader, Facts,
// Comments, Checks, Issues and Reviews. Safe for concurrent use: reads run side by
// side, writes one after the other.
type Client struct {
	api     *github.Client
	graphql string
	wire    *wire
	token   string
	app     *github.Client // authenticated as the app itself; nil without one
	readers int

	writing chan struct{} // held by the write that is under way
	pause   time.Duration
	wrote   time.Time // guarded by writing

	selfMu sync.Mutex
	self   Account
}

// The interfaces that a Client is.
var (
	_ Reader   = (*Client)(nil)
	_ Facts    = (*Client)(nil)
	_ Comments = (*Client)(nil)
	_ Checks   = (*Client)(nil)
	_ Issues   = (*Client)(nil)
	_ Reviews  = (*Client)(nil)
)

// NewClient makes a client. It sends nothing, except, for an App whose
// installation is not known, the one question where it is installed.
func NewClient(ctx context.Context, o ClientOptions) (*Client, error) {
	base, err := baseURL(cmp.Or(o.BaseURL, "https://api.github.com"))
	if err != nil {
		return nil, err
	}
	c := &Client{
		graphql: cmp.Or(o.GraphQLURL, graphqlURL(base)),
		token:   o.Token,
		readers: cmp.Or(o.Readers, 4),
		writing: make(chan struct{}, 1),
		pause:   max(cmp.Or(o.Pause, time.Second), 0),
		self:    Account{Login: o.Login, Bot: strings.HasSuffix(o.Login, "[bot]")},
	}
	c.wire = &wire{
		base:    o.Transport,
		timeout: cmp.Or(o.Timeout, 30*time.Second),
		budget:  int64(cmp.Or(o.Budget, 900)),
		hold:    int64(cmp.Or(o.Reserve, 60)),
		log:     o.Log,
	}
	if c.wire.base == nil {
		c.wire.base = http.DefaultTransport.(*http.Transport).Clone()
	}
	patience := cmp.Or(o.Patience, 5*time.Minute)
	agent := "sayso/" + cmp.Or(o.Version, "unknown")
	above := func(auth http.RoundTripper) *github.Client {
		t := http.RoundTripper(&conditional{base: &retry{
			base:    secondary(auth, patience, o.Log),
			retries: max(cmp.Or(o.Retries, 4), 0), patience: patience, log: o.Log,
		}})
		api := github.NewClient(&http.Client{Transport: t, CheckRedirect: sameHost})
		api.BaseURL, api.UserAgent = base, agent
		return api
	}
	if o.App == nil {
		c.api = above(&tokenAuth{base: c.wire, host: base.Host, token: o.Token})
		return c, nil
	}
	auth, err := c.appAuth(ctx, *o.App, base, above)
	if err != nil {
		return nil, err
	}
	c.api = above(auth)
	return c, nil
}

// appAuth is the transport of an App's installation.
func (c *Client) appAuth(ctx context.Context, a App, base *url.URL, above func(http.RoundTripper) *github.Client) (http.RoundTripper, error) {
	const op = "authenticate as a GitHub App"
	// The library's errors can quote the key: they are not wrapped.
	apps, err := ghinstallation.NewAppsTransport(c.wire, a.ID, a.Key)
	if err != nil {
		return nil, &Error{Op: op, Kind: ErrInvalid, Message: "the private key could not be read", Way: "give the whole PEM file, with its first and last line"}
	}
	apps.BaseURL = strings.TrimSuffix(base.String(), "/")
	c.app = above(apps)
	if a.Installation == 0 {
		found, _, err := c.app.Apps.FindRepositoryInstallation(ctx, a.Repo.Owner, a.Repo.Name)
		if err != nil {
			return nil, c.wrap(ctx, op+" on "+a.Repo.String(), err)
		}
		a.Installation = found.GetID()
	}
	in := ghinstallation.NewFromAppsTransport(apps, a.Installation)
	in.BaseURL = apps.BaseURL
	// Without options the library sends null, which the API does not describe.
	in.InstallationTokenOptions = &github.InstallationTokenOptions{}
	return &hostOnly{with: in, without: c.wire, host: base.Host}, nil
}

// hostOnly keeps an authentication from requests to any other host.
type hostOnly struct {
	with, without http.RoundTripper
	host          string
}

func (h *hostOnly) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.URL.Host == h.host {
		resp, err := h.with.RoundTrip(req)
		if e := (*ghinstallation.HTTPError)(nil); errors.As(err, &e) && (isNetwork(e.RootCause) || e.Response != nil && e.Response.StatusCode >= 500) {
			// The request itself was never sent.
			return nil, &networkError{errors.New("no installation token was given out")}
		}
		return resp, err
	}
	return h.without.RoundTrip(req)
}

// baseURL reads the address of an API. Plain HTTP is for this machine only: the
// token goes there.
func baseURL(s string) (*url.URL, error) {
	u, err := url.Parse(strings.TrimSuffix(s, "/") + "/")
	if err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return nil, fmt.Errorf("%.200q is not the address of an API: https://HOST/api/v3 is wanted", s)
	}
	if u.Scheme != "https" && !(u.Scheme == "http" && loopback(u.Hostname())) {
		return nil, fmt.Errorf("%.200q is not https: the token would be readable on its way", s)
	}
	return u, nil
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// graphqlURL is where an installation that is not told of GITHUB_GRAPHQL_URL has
// it: beside /api/v3 on a server, below the API elsewhere.
func graphqlURL(base *url.URL) string {
	u := *base
	if rest, ok := strings.CutSuffix(u.Path, "/v3/"); ok {
		u.Path = rest + "/graphql"
	} else {
		u.Path += "graphql"
	}
	return u.String()
}

// sameHost follows redirects (a repository that was renamed) within the API only.
func sameHost(req *http.Request, via []*http.Request) error {
	if len(via) >= 5 {
		return errors.New("more than five redirects")
	}
	if first := via[0].URL; req.URL.Host != first.Host || req.URL.Scheme != first.Scheme {
		return errors.New("redirected to another host")
	}
	return nil
}

// Requests is how many requests the client has sent, retries included.
func (c *Client) Requests() int { return int(c.wire.used.Load()) }

// Self is the account that the token writes as: the one that the options name, an
// app's by its slug, else what GET /user or, for the token of an installation,
// GraphQL's viewer says.
func (c *Client) Self(ctx context.Context) (Account, error) {
	c.selfMu.Lock()
	defer c.selfMu.Unlock()
	if c.self.Login != "" {
		return c.self, nil
	}
	const op = "find out which account the token is of"
	ctx = context.WithValue(ctx, reserved, true)
	var err error
	if c.app != nil {
		var app *github.App
		if app, _, err = c.app.Apps.Get(ctx, ""); err == nil {
			c.self = Account{Login: app.GetSlug() + "[bot]", Bot: true}
			return c.self, nil
		}
		return Account{}, c.wrap(ctx, op, err)
	}
	// "ghs_" begins the tokens of installations, a job's among them: /user is closed to them.
	if !strings.HasPrefix(c.token, "ghs_") {
		user, _, uerr := c.api.Users.Get(ctx, "")
		if uerr == nil {
			c.self = account(user)
			return c.self, nil
		}
		err = c.wrap(ctx, op, uerr)
		if !errors.Is(err, ErrForbidden) {
			return Account{}, err
		}
	}
	login, verr := c.viewer(ctx)
	if verr != nil {
		return Account{}, c.wrap(ctx, op, verr)
	}
	c.self = Account{Login: login, Bot: strings.HasSuffix(login, "[bot]")}
	return c.self, nil
}

// viewer is GraphQL's answer to whose token this is.
func (c *Client) viewer(ctx context.Context) (string, error) {
	req, err := c.api.NewRequest(http.MethodPost, c.graphql, map[string]string{"query": "query { viewer { login } }"})
	if err != nil {
		return "", err
	}
	var answer struct {
		Data struct {
			Viewer struct {
				Login string `json:"login"`
			} `json:"viewer"`
		} `json:"data"`
	}
	if _, err := c.api.Do(context.WithValue(ctx, repeatable, true), req, &answer); err != nil {
		return "", err
	}
	login := answer.Data.Viewer.Login
	if login == "" {
		return "", errors.New("GraphQL names no viewer")
	}
	return login, nil
}

// write runs one write alone, a pause after the one before.
func (c *Client) write(ctx context.Context, do func(context.Context) error) error {
	select {
	case c.writing <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-c.writing }()
	if !c.wrote.IsZero() {
		if err := sleep(ctx, c.pause-time.Since(c.wrote)); err != nil {
			return err
		}
	}
	err := do(context.WithValue(ctx, reserved, true))
	c.wrote = time.Now()
	return err
}

// wrap makes an error of the API, the library or the network one of the kinds,
// without addresses and secrets.
func (c *Client) wrap(ctx context.Context, op string, err error) error {
	if err == nil {
		return nil
	}
	if done := ctx.Err(); done != nil {
		return fmt.Errorf("%s: %w", op, done)
	}
	known := (*Error)(nil)
	if errors.As(err, &known) {
		return err
	}
	e := &Error{Op: op, Kind: ErrUnavailable, Way: "run the job again"}
	answer, primary, abuse := (*github.ErrorResponse)(nil), (*github.RateLimitError)(nil), (*github.AbuseRateLimitError)(nil)
	var details []string
	switch {
	case errors.Is(err, ErrBudget):
		e.Kind, e.Way = ErrBudget, "split the pull request, or raise the budget"
		return e
	case errors.As(err, &primary):
		e.Kind, e.Status, e.Way = ErrLimited, status(primary.Response), "run the job again after "+primary.Rate.Reset.UTC().Format(time.RFC3339)
		details = []string{primary.Message}
	case errors.As(err, &abuse):
		e.Kind, e.Status, e.Way = ErrLimited, status(abuse.Response), "run the job again in some minutes"
		details = []string{abuse.Message}
	case errors.As(err, &answer):
		e.Status = status(answer.Response)
		e.Way, e.Kind = kindOf(answer.Response)
		details = append(details, answer.Message)
		for _, d := range answer.Errors {
			details = append(details, strings.TrimSpace(d.Field+" "+cmp.Or(d.Message, d.Code)))
		}
	default:
		if inner := (*url.Error)(nil); errors.As(err, &inner) {
			err = inner.Err
		}
		details = []string{err.Error()}
	}
	e.Message = c.clean(strings.Join(details, "; "))
	return e
}

// kindOf sorts an answer by its status.
func kindOf(resp *http.Response) (way string, kind error) {
	switch code := status(resp); {
	case code == http.StatusTooManyRequests, code == http.StatusForbidden && isLimit(resp):
		return "run the job again in some minutes", ErrLimited
	case code == http.StatusUnauthorized:
		return "the token is wrong or has expired", ErrForbidden
	case code == http.StatusForbidden:
		return "the token needs more permissions (a fork's and Dependabot's can have none)", ErrForbidden
	case code == http.StatusNotFound, code == http.StatusGone:
		return "", ErrNotFound
	case code >= 500:
		return "run the job again", ErrUnavailable
	}
	return "", ErrInvalid
}

// clean makes text of an answer or an error fit to be shown: one line, cut, no
// token, no credential.
func (c *Client) clean(s string) string {
	if c.token != "" {
		s = strings.ReplaceAll(s, c.token, "[masked:token]")
	}
	s, _ = secret.Mask(s)
	return clip(report.Terminal(s), 300)
}

func status(resp *http.Response) int {
	if resp == nil {
		return 0
	}
	return resp.StatusCode
}

// perPage is the most that the API gives of a list at once.
const perPage = 100

// pages reads all pages of a list, in order: the first alone, which says how many
// there are, the others side by side. A list whose answers do not say where they
// end is followed page by page.
func pages[T any](ctx context.Context, c *Client, fetch func(context.Context, github.ListOptions) ([]T, *github.Response, error)) ([]T, error) {
	all, resp, err := fetch(ctx, github.ListOptions{Page: 1, PerPage: perPage})
	if err != nil {
		return nil, err
	}
	if last := resp.LastPage; last > 1 {
		rest := make([][]T, last-1)
		p := pool.New().WithContext(ctx).WithMaxGoroutines(c.readers).WithCancelOnError().WithFirstError()
		for i := range rest {
			p.Go(func(ctx context.Context) error {
				items, _, err := fetch(ctx, github.ListOptions{Page: i + 2, PerPage: perPage})
				rest[i] = items
				return err
			})
		}
		if err := p.Wait(); err != nil {
			return nil, err
		}
		for _, items := range rest {
			all = append(all, items...)
		}
		return all, nil
	}
	for resp.NextPage > 1 {
		var items []T
		if items, resp, err = fetch(ctx, github.ListOptions{Page: resp.NextPage, PerPage: perPage}); err != nil {
			return nil, err
		}
		all = append(all, items...)
	}
	return all, nil
}

// clip cuts text at n code points and says so with an ellipsis.
func clip(s string, n int) string {
	seen := 0
	for i := range s {
		if seen == n {
			return s[:i] + "…"
		}
		seen++
	}
	return s
}

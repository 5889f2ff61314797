//go:build contract

package githubtest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"
)

// DescriptionFile is where GitHub's description of its REST API lies: in the folder
// of tools, SAYSO_TOOLS, else sayso-tools in the user's cache.
func DescriptionFile() string { return tools("api.github.com.json") }

// EventsFile is where the example payloads of webhooks lie.
func EventsFile() string { return tools("webhooks-examples.json") }

func tools(name string) string {
	dir := os.Getenv("SAYSO_TOOLS")
	if dir == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			panic(err)
		}
		dir = filepath.Join(cache, "sayso-tools")
	}
	return filepath.Join(dir, "github", name)
}

// contract checks requests and answers against the description.
func contract(s *Server) func(Exchange) error {
	router := described()
	return func(e Exchange) error { return conforms(router, e) }
}

// described reads the part of the description that this server has, once.
var described = sync.OnceValue(func() routers.Router {
	raw, err := os.ReadFile(DescriptionFile())
	if err != nil {
		panic(fmt.Sprintf("the contract needs GitHub's description of its API: %v", err))
	}
	var doc struct {
		OpenAPI    string                     `json:"openapi"`
		Info       json.RawMessage            `json:"info"`
		Paths      map[string]json.RawMessage `json:"paths"`
		Components json.RawMessage            `json:"components"`
	}
	if err := json.Unmarshal(raw, &doc); err != nil {
		panic(err)
	}
	for p := range doc.Paths {
		if !served(p) {
			delete(doc.Paths, p)
		}
	}
	part, err := json.Marshal(doc)
	if err != nil {
		panic(err)
	}
	loaded, err := openapi3.NewLoader().LoadFromData(part)
	if err != nil {
		panic(err)
	}
	// The server of the description is the real one; ours stands at the root of any host.
	loaded.Servers = nil
	for _, item := range loaded.Paths.Map() {
		item.Servers = nil
		for _, op := range item.Operations() {
			op.Servers = nil
		}
	}
	router, err := gorillamux.NewRouter(loaded)
	if err != nil {
		panic(err)
	}
	return router
})

// served says whether a path of the description is one that this server has. Where
// the description has further paths, a request for them finds no route and fails.
func served(p string) bool {
	const repo = "/repos/{owner}/{repo}"
	switch p {
	case "/user", "/app", "/app/installations/{installation_id}/access_tokens", repo:
		return true
	}
	rest, ok := strings.CutPrefix(p, repo+"/")
	first, _, _ := strings.Cut(rest, "/")
	return ok && slices.Contains([]string{"installation", "pulls", "commits", "compare", "contents", "git", "collaborators", "issues", "check-runs"}, first)
}

func conforms(router routers.Router, e Exchange) error {
	if e.URL.Path == "/graphql" {
		return nil // the description is that of the REST API
	}
	path := e.URL.Path
	// A path of the description is one part long where it stands for a file.
	if at := strings.Index(path, "/contents/"); at >= 0 {
		path = path[:at+len("/contents/")] + strings.ReplaceAll(path[at+len("/contents/"):], "/", "-")
	}
	u := *e.URL
	u.Scheme, u.Host, u.Path, u.RawPath = "", "", path, ""
	req, err := http.NewRequest(e.Method, u.String(), bytes.NewReader(e.Body))
	if err != nil {
		return err
	}
	req.Header = e.Header.Clone()
	if len(e.Body) > 0 && req.Header.Get("Content-Type") == "" {
		return fmt.Errorf("a body without a content type")
	}
	route, params, err := router.FindRoute(req)
	if err != nil {
		return fmt.Errorf("the API has no such call: %w", err)
	}
	in := &openapi3filter.RequestValidationInput{Request: req, PathParams: params, Route: route,
		Options: &openapi3filter.Options{AuthenticationFunc: openapi3filter.NoopAuthenticationFunc, MultiError: true}}
	// What the server refused as invalid may well be invalid.
	if e.Status < 400 {
		if err := openapi3filter.ValidateRequest(context.Background(), in); err != nil {
			return fmt.Errorf("request: %w", err)
		}
	}
	if e.Status == http.StatusNotModified || e.Status == http.StatusMovedPermanently || e.Status >= 400 && route.Operation.Responses.Status(e.Status) == nil {
		return nil // refusals that hold for every call are described in prose only
	}
	if strings.HasPrefix(e.Reply.Get("Content-Type"), "application/vnd.github.raw") {
		return nil
	}
	// The description has the repository of a head always there. Once the fork is deleted
	// it is null.
	if bytes.Contains(e.Answer, []byte(`"repo":null,`)) {
		return nil
	}
	out := &openapi3filter.ResponseValidationInput{RequestValidationInput: in, Status: e.Status, Header: e.Reply,
		Body: io.NopCloser(bytes.NewReader(e.Answer)), Options: &openapi3filter.Options{IncludeResponseStatus: true, MultiError: true}}
	if err := openapi3filter.ValidateResponse(context.Background(), out); err != nil {
		return fmt.Errorf("answer: %w", err)
	}
	return nil
}

package mcp

import (
	"context"
	"errors"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/saysolint/sayso/internal/config"
	"github.com/saysolint/sayso/memory"
	"github.com/saysolint/sayso/memory/search"
)

const (
	scheme     = "memory://"
	markdown   = "text/markdown"
	maxListed  = 1000 // entries that are listed; every other can be read by its URI
	restFactor = 20   // a look at the memory is followed by a rest of so many times its length, at least
)

// addTemplates tells clients how any entry is addressed.
func (s *Server) addTemplates() {
	for _, t := range []*sdk.ResourceTemplate{
		{Name: "entry", Title: "Entry of the project memory", URITemplate: scheme + "{id}", MIMEType: markdown,
			Description: "An entry that holds, of the repository's own memory, by its id."},
		{Name: "entry-of-space", Title: "Entry of a space", URITemplate: scheme + "{space}/{id}", MIMEType: markdown,
			Description: "An entry that holds, of a memory that list_spaces names, by its id."},
	} {
		s.sdk.AddResourceTemplate(t, s.readResource)
	}
}

// readResource reads one entry that holds. Whatever else is asked for is not there:
// a client learns nothing of why.
func (s *Server) readResource(ctx context.Context, req *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
	uri := req.Params.URI
	space, id, ok := address(uri)
	if !ok {
		return nil, sdk.ResourceNotFoundError(uri)
	}
	got, err := s.backend.Read(ctx, space, search.ReadInput{MemoryID: id})
	switch {
	case errors.Is(err, memory.ErrNoEntry), errors.Is(err, search.ErrInactive):
		return nil, sdk.ResourceNotFoundError(uri)
	case err != nil:
		return nil, errors.New(s.errorLine(err))
	}
	return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: uri, MIMEType: markdown, Text: s.scrub.Replace(got.Text)}}}, nil
}

// address takes memory://ID or memory://SPACE/ID apart. Nothing in it is unescaped:
// neither a name of a space nor an id has anything to escape.
func address(uri string) (space, id string, ok bool) {
	rest, ok := strings.CutPrefix(uri, scheme)
	if !ok {
		return "", "", false
	}
	if first, second, two := strings.Cut(rest, "/"); two {
		return first, second, config.ValidSpace(first) && memory.ValidID(second)
	}
	return "", rest, memory.ValidID(rest)
}

// watch looks for changes of the list until ctx ends. A store that takes long to look
// at is looked at less often.
func (s *Server) watch(ctx context.Context) {
	rest := time.NewTimer(s.every)
	defer rest.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-rest.C:
		}
		began := time.Now()
		_ = s.list(ctx) // what fails now is tried again
		rest.Reset(max(s.every, restFactor*time.Since(began)))
	}
}

// list brings the listed resources up to what holds. The SDK tells the client where that
// changed anything.
func (s *Server) list(ctx context.Context) error {
	held, err := s.backend.Holding(ctx, maxListed)
	if err != nil {
		return err
	}
	now := make(map[string]string, len(held))
	for _, h := range held {
		uri, title := scheme+h.ID, s.scrub.Replace(h.Title)
		now[uri] = title
		if old, ok := s.listed[uri]; ok && old == title {
			continue
		}
		s.sdk.AddResource(&sdk.Resource{
			URI: uri, Name: h.ID, Title: title, MIMEType: markdown, Description: string(h.Kind),
		}, s.readResource)
	}
	var gone []string
	for uri := range s.listed {
		if _, ok := now[uri]; !ok {
			gone = append(gone, uri)
		}
	}
	if len(gone) > 0 {
		s.sdk.RemoveResources(gone...)
	}
	s.listed = now
	return nil
}

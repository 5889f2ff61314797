package schemas_test

import (
	"reflect"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/saysolint/sayso/memory"
	"github.com/saysolint/sayso/memory/search"
)

// memorySearchSchemas makes the schemas of the two tools and of the commands over them.
func memorySearchSchemas(g *generator) map[string]*jsonschema.Schema {
	in := g.schema(reflect.TypeFor[search.SearchInput](), "What memory_search takes.")
	in.AdditionalProperties = closed()
	in.Properties["query"].MinLength = jsonschema.Ptr(1)
	in.Properties["kinds"].UniqueItems = true
	limit := in.Properties["maxResults"]
	limit.Type, limit.Types = "integer", nil
	limit.Default = []byte("5")
	in.Properties["includeInactive"].Default = []byte("false")

	read := g.schema(reflect.TypeFor[search.ReadInput](), "What memory_read takes.")
	read.AdditionalProperties = closed()
	id := read.Properties["memoryId"]
	id.Pattern, id.MinLength, id.MaxLength = "^[A-Za-z0-9_-]+$", jsonschema.Ptr(1), jsonschema.Ptr(memory.MaxIDBytes)
	read.Properties["includeInactive"].Default = []byte("false")

	all := map[string]*jsonschema.Schema{
		"memory-search-input": in, "memory-read-input": read,
		"memory-search-result": g.schema(reflect.TypeFor[search.SearchResult](), "What memory_search answers."),
		"memory-read-result":   g.schema(reflect.TypeFor[search.ReadResult](), "What memory_read answers."),
	}
	for name, m := range map[string]struct {
		t      reflect.Type
		schema string
	}{
		"search": {reflect.TypeFor[search.Output](), search.OutputSchema},
		"show":   {reflect.TypeFor[search.ShowOutput](), search.ShowSchema},
		"index":  {reflect.TypeFor[search.IndexOutput](), search.IndexSchema},
	} {
		s := g.schema(m.t, "What `sayso memory "+name+" --json` writes.")
		s.Properties["schema"].Const = jsonschema.Ptr[any](m.schema)
		all["memory-"+name] = s
	}
	for _, s := range all {
		limitHits(s)
	}
	return all
}

// limitHits puts the bounds of the contract at every hit below s.
func limitHits(s *jsonschema.Schema) {
	if s == nil {
		return
	}
	if e := s.Properties["excerpt"]; e != nil {
		e.MaxLength = jsonschema.Ptr(search.MaxExcerpt)
		s.Properties["score"].Minimum = jsonschema.Ptr(1.0)
		s.Properties["matchedFields"].UniqueItems = true
		s.Properties["matchedFields"].Items.Enum = anys(search.Fields[:])
	}
	if h := s.Properties["hits"]; h != nil {
		h.MaxItems = jsonschema.Ptr(search.MaxResults)
	}
	if m := s.Properties["mode"]; m != nil && s.Properties["coverage"] != nil {
		m.Enum = anys(search.Modes)
	}
	for _, p := range s.Properties {
		limitHits(p)
	}
	limitHits(s.Items)
}

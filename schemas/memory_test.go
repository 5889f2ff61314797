package schemas_test

import (
	"maps"
	"reflect"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/saysolint/sayso/memory"
)

// memorySchemas makes the schemas of the entries and of what `sayso memory` writes.
func memorySchemas(g *generator) map[string]*jsonschema.Schema {
	memories := map[string]*jsonschema.Schema{}
	for name, m := range map[string]struct {
		t           reflect.Type
		schema, use string
	}{
		"memory-list":    {reflect.TypeFor[memory.ListOutput](), memory.ListSchema, "list"},
		"memory-receipt": {reflect.TypeFor[memory.ReceiptOutput](), memory.ReceiptSchema, "propose --json` and the other commands that write an entry with `--json"},
		"memory-lint":    {reflect.TypeFor[memory.LintOutput](), memory.LintSchema, "lint"},
		"memory-import":  {reflect.TypeFor[memory.ImportOutput](), memory.ImportSchema, "import"},
		"memory-export":  {reflect.TypeFor[memory.ExportOutput](), memory.ExportSchema, "export"},
	} {
		if !strings.Contains(m.use, "--json") {
			m.use += " --json"
		}
		s := g.schema(m.t, "What `sayso memory "+m.use+"` writes.")
		s.Properties["schema"].Const = jsonschema.Ptr[any](m.schema)
		memories[name] = s
	}
	memories["memory-entry"] = g.schema(reflect.TypeFor[memory.Record](), "One entry of the project memory, as every command writes it.")
	maps.Copy(memories, memorySearchSchemas(g))
	for _, s := range memories {
		limitRecords(s)
	}
	return memories
}

// limitRecords puts the limits of the format at every entry below s. They hold
// for what this program writes; a file that somebody else wrote may break them,
// and lint says so, so only what is true of every entry that is read stands here.
func limitRecords(s *jsonschema.Schema) {
	if s == nil {
		return
	}
	if id := s.Properties["id"]; id != nil && s.Properties["reviewState"] != nil {
		id.Pattern, id.MaxLength = "^[A-Za-z0-9_-]+$", jsonschema.Ptr(memory.MaxIDBytes)
		s.Properties["title"].MinLength = jsonschema.Ptr(1)
		s.Properties["createdAtMs"].Minimum = jsonschema.Ptr(0.0)
		s.Properties["version"].Minimum = jsonschema.Ptr(1.0)
		s.Properties["sourceRefs"].Items.AdditionalProperties = closed()
		s.Properties["sourceRefs"].Items.Properties["id"].MinLength = jsonschema.Ptr(1)
		s.Properties["sourceRefs"].Items.Properties["sourceType"].Enum = anys(memory.SourceTypes)
	}
	for _, p := range s.Properties {
		limitRecords(p)
	}
	limitRecords(s.Items)
}

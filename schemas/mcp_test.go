package schemas_test

import (
	"reflect"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/saysolint/sayso/mcp"
)

// mcpSchemas makes the schemas of what only `sayso mcp` answers.
func mcpSchemas(g *generator) map[string]*jsonschema.Schema {
	spaces := g.schema(reflect.TypeFor[mcp.Spaces](), "What list_spaces of `sayso mcp` answers.")
	spaces.Properties["schema"].Const = jsonschema.Ptr[any](mcp.SpacesSchema)
	return map[string]*jsonschema.Schema{"spaces": spaces}
}

func TestListsOfSpacesFollowTheirSchema(t *testing.T) {
	follows(t, "spaces", mcp.Spaces{Schema: mcp.SpacesSchema, Spaces: []mcp.Space{}})
	follows(t, "spaces", mcp.Spaces{Schema: mcp.SpacesSchema, Spaces: []mcp.Space{{Name: "repo", Own: true}, {Name: "team", Note: "n"}}})
}

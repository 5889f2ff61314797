package schemas_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/saysolint/sayso/bench"
	"github.com/saysolint/sayso/checks"
	"github.com/saysolint/sayso/claim"
	"github.com/saysolint/sayso/internal/checkpoint"
	"github.com/saysolint/sayso/internal/config"
	"github.com/saysolint/sayso/internal/engine"
	"github.com/saysolint/sayso/memory"
	"github.com/saysolint/sayso/report"
)

var update = flag.Bool("update", false, "rewrite the schemas")

func TestSchemasAreCurrent(t *testing.T) {
	for name, s := range generate(t) {
		s.Schema = "https://json-schema.org/draft/2020-12/schema"
		s.ID = "urn:sayso:" + name + ":v1"
		got, err := json.MarshalIndent(s, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, '\n')
		file := name + ".v1.json"
		if *update {
			if err := os.WriteFile(file, got, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(string(want), string(got)); d != "" {
			t.Errorf("%s is not current, run go test ./schemas -update:\n%s", file, d)
		}
	}
}

// generate makes every schema from the Go types.
func generate(t *testing.T) map[string]*jsonschema.Schema {
	g := newGenerator(t)
	result := g.schema(reflect.TypeFor[engine.Result](), "One judged subject.")
	result.Required = remove(result.Required, "ms")

	rep := g.schema(reflect.TypeFor[report.Report](), "What `sayso check --format json` writes: one run, whole.")
	rep.Properties["schema"].Const = jsonschema.Ptr[any](report.Schema)

	line := func(t reflect.Type, kind, description string) *jsonschema.Schema {
		s := g.schema(t, description)
		s.Properties["type"].Const = jsonschema.Ptr[any](kind)
		return s
	}
	header := line(reflect.TypeFor[report.Header](), "header", "The first line.")
	header.Properties["schema"].Const = jsonschema.Ptr[any](report.NDJSONSchema)
	ndjson := &jsonschema.Schema{
		Description: "Any line of what `sayso check --format ndjson` writes: a header, a result for each subject in the order of the run, a summary. Without a summary the run was cut short.",
		OneOf: []*jsonschema.Schema{
			header,
			line(reflect.TypeFor[report.ResultLine](), "result", "One judged subject."),
			line(reflect.TypeFor[report.SummaryLine](), "summary", "The last line."),
		},
	}

	failure := g.schema(reflect.TypeFor[engine.Failure](), "Why the request could not be judged.")
	batch := &jsonschema.Schema{
		Description: "One line of what `sayso check --batch` writes, in the order of the requests.",
		AnyOf: []*jsonschema.Schema{result, {
			Description:          "The answer to a request that could not be judged.",
			Type:                 "object",
			Required:             []string{"id", "error"},
			Properties:           map[string]*jsonschema.Schema{"id": {Type: "string", Description: "id of the request, as a string"}, "error": failure},
			PropertyOrder:        []string{"id", "error"},
			AdditionalProperties: closed(),
		}},
	}

	conf := g.schema(reflect.TypeFor[config.Config](), "The configuration file "+config.FileName+".")
	g.config(conf)

	measured := g.schema(reflect.TypeFor[bench.Result](), "What `sayso bench --format json` writes: one measurement, whole.")
	measured.Properties["version"].Const = jsonschema.Ptr[any](bench.ResultVersion)
	pair := &jsonschema.Schema{
		Description: "Any line of what `sayso bench generate` writes: what the pairs were drawn from (left out where they were not drawn), then a pair.",
		AnyOf: []*jsonschema.Schema{
			g.schema(reflect.TypeFor[bench.Set](), "The first line."),
			g.schema(reflect.TypeFor[bench.Pair](), "A message to be held against a commit."),
		},
	}

	ingest := g.schema(reflect.TypeFor[checkpoint.Report](), "What `sayso ingest --json` writes.")
	ingest.Properties["schema"].Const = jsonschema.Ptr[any](checkpoint.ReportSchema)
	input := g.schema(reflect.TypeFor[checkpoint.Input](), "What `sayso ingest --from` reads: checkpoints that another tool made.")
	g.input(input)

	all := map[string]*jsonschema.Schema{
		"bench-result": measured, "bench-pair": pair,
		"ingest": ingest, "ingest-input": input,
		"report": rep, "ndjson": ndjson, "batch-result": batch, "batch-request": request(), "config": conf,
	}
	maps.Copy(all, memorySchemas(g))
	maps.Copy(all, recallSchemas(g))
	maps.Copy(all, mcpSchemas(g))
	maps.Copy(all, sweepSchemas(g))
	maps.Copy(all, learnSchemas(g))
	return all
}

// request is written by hand: it is read leniently (an id may be a number) and
// its fields depend on each other.
func request() *jsonschema.Schema {
	str := func(d string) *jsonschema.Schema { return &jsonschema.Schema{Type: "string", Description: d} }
	return &jsonschema.Schema{
		Description: "One line of what `sayso check --batch` reads. Other fields are the caller's own and are not looked at; one that looks like a mistyped message is refused.",
		Type:        "object",
		Required:    []string{"id", "repo"},
		Properties: map[string]*jsonschema.Schema{
			"id":      {Types: []string{"string", "number"}, Description: "comes back in the result, as a string"},
			"repo":    str("folder of the repository"),
			"commit":  str("the commit to judge, any revision"),
			"base":    str("first revision of a range: its merge base with head is compared with head"),
			"head":    str("last revision of a range"),
			"message": str("takes the place of the commit's own message, which is then not looked at"),
		},
		PropertyOrder: []string{"id", "repo", "commit", "base", "head", "message"},
		OneOf: []*jsonschema.Schema{
			{Required: []string{"commit"}, Not: &jsonschema.Schema{AnyOf: []*jsonschema.Schema{{Required: []string{"base"}}, {Required: []string{"head"}}}}},
			{Required: []string{"base", "head"}, Not: &jsonschema.Schema{Required: []string{"commit"}}},
		},
	}
}

// input says what the reader checks beyond types.
func (g *generator) input(s *jsonschema.Schema) {
	s.AdditionalProperties = closed()
	s.Properties["schema"].Const = jsonschema.Ptr[any](checkpoint.InputSchema)
	s.Properties["source"].Pattern = "^[a-z0-9][a-z0-9-]{0,39}$"
	s.Properties["source"].Not = &jsonschema.Schema{Const: jsonschema.Ptr[any](checkpoint.Entire)}
	c := s.Properties["checkpoints"].Items
	c.AdditionalProperties = closed()
	c.Properties["id"].Pattern = "^[A-Za-z0-9._-]{1,100}$"
	c.Properties["commits"].Items.Pattern = "^([0-9a-f]{40}|[0-9a-f]{64})$"
	c.Properties["unavailable"].Items.Enum = anys(checkpoint.InputUnavailable)
	c.Properties["tokens"].AdditionalProperties = closed()
	turn := c.Properties["turns"].Items
	turn.AdditionalProperties = closed()
	turn.Properties["role"].Enum = []any{"person", "assistant"}
}

// config says what the loader checks beyond types.
func (g *generator) config(s *jsonschema.Schema) {
	glob := func(s *jsonschema.Schema) { s.Items.Pattern, s.Items.MinLength = "^[^!]", jsonschema.Ptr(1) }
	s.AdditionalProperties = closed()
	s.Properties["checks"].AdditionalProperties.Enum = anys(config.Levels)
	for _, k := range []string{"ignore", "generated", "vendored"} {
		glob(s.Properties[k])
	}
	glob(s.Properties["scopes"].AdditionalProperties)
	e := s.Properties["exceptions"].Items
	e.AdditionalProperties = closed()
	glob(e.Properties["paths"])
	e.Properties["commits"].Items.Pattern = "^[0-9a-fA-F]{7,64}$"
	e.Properties["reason"].Pattern = `\S`
	e.Properties["until"].Format = "date"
	e.Properties["until"].Pattern = `^\d{4}-\d{2}-\d{2}$`
	m := s.Properties["memory"]
	m.AdditionalProperties = closed()
	m.Properties["folder"].Pattern = `^[^/\\:]+(/[^/\\:]+)*$`
	m.Properties["spaces"].PropertyNames = &jsonschema.Schema{Pattern: "^[A-Za-z0-9_-]{1,60}$", Not: &jsonschema.Schema{Const: jsonschema.Ptr[any]("repo")}}
	m.Properties["spaces"].AdditionalProperties.Pattern = `\S`
	f := s.Properties["fail-on"]
	f.Items.Enum = anys(config.FailOnValues)
	f.If = &jsonschema.Schema{Type: "array", Contains: &jsonschema.Schema{Const: jsonschema.Ptr[any]("never")}}
	f.Then = &jsonschema.Schema{MaxItems: jsonschema.Ptr(1)}
	// A key with nothing after it is a key left out.
	for _, p := range append([]*jsonschema.Schema{e.Properties["paths"], e.Properties["commits"]}, values(s.Properties)...) {
		p.Types, p.Type = []string{p.Type, "null"}, ""
	}
	nullable := s.Properties["scopes"].AdditionalProperties
	nullable.Types, nullable.Type = []string{"array", "null"}, ""
}

// generator makes a schema of a Go type, with the comments of fields as descriptions.
type generator struct {
	t        *testing.T
	comments map[string]string // package.Type.Field
	enums    map[reflect.Type][]any
}

func newGenerator(t *testing.T) *generator {
	g := &generator{t: t, comments: map[string]string{}, enums: map[reflect.Type][]any{
		// "" is the verdict of a subject that could not be judged.
		reflect.TypeFor[checks.Verdict]():  {"corroborated", "contradicted", "neutral", "unverifiable", ""},
		reflect.TypeFor[checks.Strength](): {"strong", "likely"},
		reflect.TypeFor[memory.Kind]():     anys(memory.Kinds),
		reflect.TypeFor[memory.State]():    anys(memory.States),
		reflect.TypeFor[claim.Source]():    {"message", "title", "body", "transcript"},
		reflect.TypeFor[bench.Label]():     {"mutant", "original", "natural", "control"},
		reflect.TypeFor[bench.Rule]():      {"operation", "file", "function", "component", "purpose", "quantity", "scope", "extra"},
	}}
	for _, dir := range []string{"bench", "change", "claim", "checks", "internal/checkpoint", "internal/config", "internal/engine", "internal/learn", "mcp", "memory", "memory/publish", "memory/search", "recall", "report", "sweep"} {
		g.read(filepath.Join("..", filepath.FromSlash(dir)))
	}
	return g
}

// read collects the comments of struct fields of one package.
func (g *generator) read(dir string) {
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil || len(files) == 0 {
		g.t.Fatalf("no Go files in %s: %v", dir, err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)
		if err != nil {
			g.t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if !ok {
				return true
			}
			st, ok := spec.Type.(*ast.StructType)
			if !ok {
				return true
			}
			for _, field := range st.Fields.List {
				text := field.Comment.Text()
				if text == "" {
					text = field.Doc.Text()
				}
				for _, name := range field.Names {
					g.comments[f.Name.Name+"."+spec.Name.Name+"."+name.Name] = strings.Join(strings.Fields(text), " ")
				}
			}
			return true
		})
	}
}

func (g *generator) schema(t reflect.Type, description string) *jsonschema.Schema {
	s, err := jsonschema.ForType(t, &jsonschema.ForOptions{TypeSchemas: map[reflect.Type]*jsonschema.Schema{
		// Embedded but kept out of JSON, which the library does not see.
		reflect.TypeFor[claim.Detail](): {Type: "object"},
	}})
	if err != nil {
		g.t.Fatal(err)
	}
	g.dress(s, t)
	s.Description = description
	return s
}

// dress walks a schema and the type that it was made from side by side.
func (g *generator) dress(s *jsonschema.Schema, t reflect.Type) {
	if t.Kind() == reflect.Pointer {
		g.dress(s, t.Elem())
		return
	}
	// Nil slices, maps and pointers are left out or made empty, never written as null.
	if len(s.Types) == 2 && s.Types[0] == "null" {
		s.Type, s.Types = s.Types[1], nil
	}
	if values, ok := g.enums[t]; ok {
		s.Enum = values
	}
	switch t.Kind() {
	case reflect.Slice:
		g.dress(s.Items, t.Elem())
	case reflect.Map:
		g.dress(s.AdditionalProperties, t.Elem())
	case reflect.Struct:
		s.AdditionalProperties = nil // new fields may come
		for _, field := range reflect.VisibleFields(t) {
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			prop := s.Properties[name]
			if field.Anonymous || name == "" || name == "-" || prop == nil {
				continue
			}
			g.dress(prop, field.Type)
			if field.Type.Kind() == reflect.Pointer && !strings.Contains(field.Tag.Get("json"), ",omit") {
				prop.Types, prop.Type = []string{"null", prop.Type}, "" // written as null where there is none
			}
			owner := t
			if len(field.Index) > 1 {
				owner = t.FieldByIndex(field.Index[:len(field.Index)-1]).Type
			}
			key := fmt.Sprintf("%s.%s.%s", pkg(owner), owner.Name(), field.Name)
			if prop.Description = g.comments[key]; prop.Description == "" {
				prop.Description = inherent[key]
			}
		}
	}
}

// inherent describes fields whose names say all to readers of Go and too
// little to readers of JSON.
var inherent = map[string]string{
	"claim.Claim.Kind":          "which check owns the claim",
	"claim.Claim.Place":         "where it stands in its source text",
	"claim.Claim.Tier":          "whose word it is",
	"claim.Place.Source":        "which text it was read from",
	"checks.Finding.Verdict":    "what the evidence says of the claim",
	"checks.Judgement.Strength": "of the strongest contradiction, where there is one",
	"checks.Held.Verdict":       "of the change against the entry; unverifiable as well where the entry is only worth reading",
	"checks.Judgement.Verdict":  "contradicted if any claim is, else corroborated if any is, else unverifiable if any is, else neutral; empty where the subject could not be judged",
}

func pkg(t reflect.Type) string { return t.PkgPath()[strings.LastIndexByte(t.PkgPath(), '/')+1:] }

func closed() *jsonschema.Schema { return &jsonschema.Schema{Not: &jsonschema.Schema{}} }

func anys[T ~string](list []T) (out []any) {
	for _, s := range list {
		out = append(out, string(s))
	}
	return out
}

func values(m map[string]*jsonschema.Schema) (out []*jsonschema.Schema) {
	for _, v := range m {
		out = append(out, v)
	}
	return out
}

func remove(list []string, s string) (out []string) {
	for _, l := range list {
		if l != s {
			out = append(out, l)
		}
	}
	return out
}

// The comments that descriptions come from are about JSON: no other package
// may rename a field without its description coming along.
func TestEveryFieldOfAResultIsDescribed(t *testing.T) {
	var bare []string
	var walk func(path string, s *jsonschema.Schema)
	walk = func(path string, s *jsonschema.Schema) {
		if s == nil {
			return
		}
		for name, p := range s.Properties {
			if p.Description == "" {
				bare = append(bare, path+"."+name)
			}
			walk(path+"."+name, p)
		}
		walk(path+"[]", s.Items)
		for _, o := range append(s.OneOf, s.AnyOf...) {
			walk(path, o)
		}
	}
	for name, s := range generate(t) {
		walk(name, s)
	}
	// These words are their own description.
	for _, b := range bare {
		last := b[strings.LastIndexByte(b, '.')+1:]
		if !selfEvident[last] {
			t.Errorf("%s has no description: comment the field", b)
		}
	}
}

var selfEvident = map[string]bool{
	"name": true, "version": true, "count": true, "path": true, "line": true, "commit": true, "likely": true, "decision": true, "unverifiable": true,
	"coverage": true, "summary": true, "gate": true, "counts": true, "met": true, "tool": true, "files": true, "unread_files": true, "missing": true, "reason": true,
}

func TestSchemaFilesEndInANewlineAndHaveNoOther(t *testing.T) {
	list, err := filepath.Glob("*.json")
	if err != nil {
		t.Fatal(err)
	}
	made := generate(t)
	for _, f := range list {
		name, _, _ := strings.Cut(f, ".")
		if made[name] == nil {
			t.Errorf("%s is made by nothing", f)
		}
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.HasSuffix(b, []byte("}\n")) {
			t.Errorf("%s does not end in a newline", f)
		}
	}
}

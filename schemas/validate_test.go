package schemas_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v4"

	"github.com/saysolint/sayso/bench"
	"github.com/saysolint/sayso/change"
	"github.com/saysolint/sayso/checks"
	"github.com/saysolint/sayso/claim"
	"github.com/saysolint/sayso/internal/config"
	"github.com/saysolint/sayso/internal/engine"
	"github.com/saysolint/sayso/report"
	"github.com/saysolint/sayso/schemas"
)

// compiled is a schema as its users' validators see it: the embedded text alone.
func compiled(t testing.TB, name string) *jsonschema.Schema {
	t.Helper()
	text, err := schemas.Get(name)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	id := doc.(map[string]any)["$id"].(string)
	if err := c.AddResource(id, doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile(id)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func validates(s *jsonschema.Schema, text []byte) error {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return err
	}
	return s.Validate(doc)
}

func TestNamesAndGet(t *testing.T) {
	if d := cmp.Diff([]string{"batch-request", "batch-result", "bench-pair", "bench-result", "config", "memory-entry", "memory-export", "memory-import", "memory-lint", "memory-list", "memory-receipt", "ndjson", "report"}, schemas.Names()); d != "" {
		t.Error(d)
	}
	if _, err := schemas.Get("reprot"); err == nil || err.Error() != `no schema "reprot": one of batch-request, batch-result, bench-pair, bench-result, config, memory-entry, memory-export, memory-import, memory-lint, memory-list, memory-receipt, ndjson, report` {
		t.Errorf("got %v", err)
	}
}

func TestBenchOutputIsValid(t *testing.T) {
	var pairs bytes.Buffer
	set := bench.Set{Seed: 3, PerRule: 1, Natural: 1, Control: 1, Last: 5, Version: 2, Unreadable: 1, Heads: map[string]string{"r": "1111111111111111111111111111111111111111"}, Pairs: []bench.Pair{
		{ID: "r/1/mutant/file", Repo: "r", Commit: "1", Label: bench.Mutant, Rule: bench.File, Form: "added", Message: "a", Original: "b", At: 0, Length: 1, Why: "w"},
		{ID: "r/1/original", Repo: "r", Commit: "1", Label: bench.Original, Message: "b"},
		{ID: "r/2/natural", Repo: "r", Commit: "2", Label: bench.Natural, Message: "c"},
		{ID: "r/3/control", Repo: "r", Commit: "3", Label: bench.Control, Rule: bench.Scope, Message: "d"},
	}}
	if err := set.Write(&pairs); err != nil {
		t.Fatal(err)
	}
	schema := compiled(t, "bench-pair")
	for line := range bytes.Lines(pairs.Bytes()) {
		if err := validates(schema, line); err != nil {
			t.Errorf("%s: %v", line, err)
		}
	}
	if validates(schema, []byte(`{"id":"x"}`)) == nil {
		t.Error("a pair without a commit is valid")
	}
	var outcomes []bench.Outcome
	for i, p := range set.Pairs {
		o := bench.Outcome{Pair: p, Result: results()[0]}
		if i == 3 {
			o.Result = engine.Result{Error: &engine.Failure{Code: "missing"}}
		}
		outcomes = append(outcomes, o)
	}
	var result bytes.Buffer
	if err := bench.NewResult(set, outcomes, []string{"scope"}).WriteJSON(&result); err != nil {
		t.Fatal(err)
	}
	schema = compiled(t, "bench-result")
	if err := validates(schema, result.Bytes()); err != nil {
		t.Error(err)
	}
	if validates(schema, bytes.Replace(result.Bytes(), []byte(`"version": 1`), []byte(`"version": 9`), 1)) == nil {
		t.Error("a result of an unknown version is valid")
	}
}

// results has every field of a result set at least once.
func results() []engine.Result {
	return []engine.Result{
		{
			ID: "1111111111111111111111111111111111111111", Kind: "commit", Commit: "1111111111111111111111111111111111111111", Base: "2222222222222222222222222222222222222222",
			Subject: "fix: a", FirstFile: "a.go", Notes: []string{"held against its parent"}, MS: 0.5,
			Judgement: checks.Judgement{
				Verdict: checks.Contradicted, Strength: checks.Likely, Score: 0.9,
				Claims: []checks.Finding{{
					Claim:   claim.Claim{Text: "fix: a", Kind: claim.KindType, Place: claim.Place{Source: claim.SourceTitle, Line: 1, Column: 1, Length: 6, Excerpt: "fix: a"}, Tier: claim.TierIntent},
					Verdict: checks.Contradicted, Strength: checks.Likely, Confidence: 0.9, Check: "type", Reason: "r", Fix: "f", Ignored: "i", Fingerprint: "0123456789abcdef",
					Evidence: []checks.Evidence{{Fact: "f", For: true, Path: "a.go", Line: 3, Side: "new", Text: "x", Weight: -1.5}},
				}},
				Observations: []checks.Observation{{Check: "undisclosed", Kind: "ci-changed", Text: "t", Path: "p", Line: 1}},
				Coverage: checks.Coverage{State: "partial", Claims: 1, Judged: 1, NotClaim: 1, NotRead: []string{"language"}, Files: 2, Unread: 1,
					Missing: []change.Gap{{Path: "b", Reason: change.ReasonLFS, Detail: "d"}}, Reasons: []string{"r"}},
			},
		},
		{ID: "staged", Kind: "staged", Judgement: checks.Judgement{Verdict: checks.Neutral, Abstained: "merge in progress", Coverage: checks.Coverage{State: "complete"}}},
		{ID: "x", Kind: "commit", Error: &engine.Failure{Code: "missing", Message: "m", Hint: "h"}},
	}
}

func rendered(t testing.TB, f report.Format, results []engine.Result) []byte {
	t.Helper()
	var out bytes.Buffer
	r := report.Report{Results: results, Head: report.Head{Run: report.Run{
		Tool: report.Tool{Name: "sayso", Version: "1", URL: "https://example.com"}, Advisory: []string{"component"}, ConfigFrom: "the merge base", Notes: []string{"n"},
	}}}
	if err := report.Render(&out, f, r, report.Options{}); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestEveryReportValidates(t *testing.T) {
	s := compiled(t, "report")
	for _, list := range [][]engine.Result{nil, results(), results()[1:]} {
		if err := validates(s, rendered(t, report.JSON, list)); err != nil {
			t.Error(err)
		}
	}
}

func TestEveryLineOfNDJSONValidates(t *testing.T) {
	s := compiled(t, "ndjson")
	for line := range bytes.Lines(rendered(t, report.NDJSON, results())) {
		if err := validates(s, line); err != nil {
			t.Errorf("%v\n%s", err, line)
		}
	}
}

func TestEveryBatchResultValidates(t *testing.T) {
	s := compiled(t, "batch-result")
	for _, r := range results() {
		// As the report writes it: lists are never null.
		var doc struct{ Results []json.RawMessage }
		if err := json.Unmarshal(rendered(t, report.JSON, []engine.Result{r}), &doc); err != nil {
			t.Fatal(err)
		}
		if err := validates(s, doc.Results[0]); err != nil {
			t.Errorf("%v\n%s", err, doc.Results[0])
		}
	}
	if err := validates(s, []byte(`{"id":"7","error":{"code":"bad-request","message":"m"}}`)); err != nil {
		t.Error(err)
	}
}

func TestSchemasRefuseWhatIsWrong(t *testing.T) {
	good := string(rendered(t, report.JSON, results()))
	line := func(s string) string { return strings.SplitN(s, "\n", 3)[1] }
	ndjson := string(rendered(t, report.NDJSON, results()))
	for _, c := range []struct{ name, schema, text, from, to string }{
		{"other schema", "report", good, "sayso.report/v1", "sayso.report/v2"},
		{"unknown verdict", "report", good, `"verdict":"contradicted"`, `"verdict":"false"`},
		{"score as text", "report", good, `"score":0.9`, `"score":"0.9"`},
		{"no claims", "report", good, `"claims":[]`, `"claims":null`},
		{"no coverage", "report", good, `"coverage": {`, `"coverages": {`},
		{"unknown line type", "ndjson", line(ndjson), `"type":"result"`, `"type":"other"`},
		{"no score", "batch-result", line(ndjson), `"score":0.9,`, ``},
		{"failure without a code", "batch-result", `{"id":"7","error":{"code":"x","message":"m"}}`, `"code":"x",`, ``},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := compiled(t, c.schema)
			if err := validates(s, []byte(c.text)); err != nil {
				t.Fatalf("before the fault: %v", err)
			}
			bad := strings.Replace(c.text, c.from, c.to, 1)
			if bad == c.text {
				t.Fatal("nothing replaced")
			}
			if err := validates(s, []byte(bad)); err == nil {
				t.Error("accepted")
			}
		})
	}
}

func TestBatchRequests(t *testing.T) {
	s := compiled(t, "batch-request")
	for text, want := range map[string]bool{
		`{"id":"1","repo":".","commit":"HEAD"}`:                    true,
		`{"id":1,"repo":".","commit":"HEAD","message":""}`:         true,
		`{"id":"1","repo":".","base":"a","head":"b"}`:              true,
		`{"id":"1","repo":".","base":"a"}`:                         false,
		`{"id":"1","repo":".","commit":"c","base":"a","head":"b"}`: false,
		`{"id":"1","repo":"."}`:                                    false,
		`{"repo":".","commit":"HEAD"}`:                             false,
		`{"id":"1","commit":"HEAD"}`:                               false,
		`{"id":"1","repo":".","commit":"HEAD","kind":"x"}`:         true,
		`{"id":null,"repo":".","commit":"HEAD"}`:                   false,
	} {
		if err := validates(s, []byte(text)); (err == nil) != want {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// The published schema and the loader agree, wherever a schema can say it.
func TestConfigSchemaAndLoaderAgree(t *testing.T) {
	s := compiled(t, "config")
	for text, want := range map[string]bool{
		"{}":                                true,
		"checks:\n":                         true,
		"checks: {scope: gate, x: off}":     true,
		"checks: {scope: error}":            false,
		"checks: [scope]":                   false,
		"igonre: []":                        false,
		"ignore: [a/**, '*.b']":             true,
		"ignore: ['']":                      false,
		"ignore: ['!a']":                    false,
		"ignore: a":                         false,
		"ignore: [[a]]":                     false,
		"ignore: [~]":                       false,
		"scopes: {api: [a, b], core: }":     true,
		"scopes: {api: a}":                  false,
		"generated: [a]\nvendored: [b]":     true,
		"fail-on: [contradicted, decision]": true,
		"fail-on: [never]":                  true,
		"fail-on: [never, likely]":          false,
		"fail-on: [sometimes]":              false,
		"fail-on: never":                    false,
		"exceptions:\n":                     true,
		"exceptions: [{check: a, reason: r, until: '2030-01-31'}]":                                 true,
		"exceptions: [{check: a, reason: r, until: '2030-01-31', paths: [a], commits: [0123abc]}]": true,
		"exceptions: [{check: a, reason: r, until: '2030-01-31', paths: , commits: }]":             true,
		"exceptions: [{check: a, reason: r, until: '2030-02-31'}]":                                 false,
		"exceptions: [{check: a, reason: r, until: soon}]":                                         false,
		"exceptions: [{check: a, reason: r}]":                                                      false,
		"exceptions: [{check: a, reason: ' ', until: '2030-01-31'}]":                               false,
		"exceptions: [{reason: r, until: '2030-01-31'}]":                                           false,
		"exceptions: [{check: a, reason: r, until: '2030-01-31', because: b}]":                     false,
		"exceptions: [{check: a, reason: r, until: '2030-01-31', commits: [abc]}]":                 false,
		"exceptions: [{check: a, reason: r, until: '2030-01-31', commits: [zzzzzzzz]}]":            false,
		"exceptions: [~]": false,
		"memory: {folder: docs/memory, spaces: {team: ../team, me: ~/notes}}": true,
		"memory:":                      true,
		"memory: {folder: /etc}":       false,
		"memory: {folder: 'a\\b'}":     false,
		"memory: {dir: x}":             false,
		"memory: {spaces: {repo: x}}":  false,
		"memory: {spaces: {'a b': x}}": false,
		"memory: {spaces: {a: ' '}}":   false,
		"memory: {spaces: {a: [x]}}":   false,
	} {
		var doc any
		if err := yaml.Unmarshal([]byte(text), &doc); err != nil {
			t.Fatal(err)
		}
		asJSON, err := json.Marshal(doc)
		if err != nil {
			t.Fatal(err)
		}
		bySchema := validates(s, asJSON)
		_, byLoader := config.Load([]byte(text), nil)
		if (bySchema == nil) != want || (byLoader == nil) != want {
			t.Errorf("%q should be %v\nschema: %v\nloader: %v", text, want, bySchema, byLoader)
		}
	}
}

func TestConfigSchemaHasTheKeysOfWhatIsShown(t *testing.T) {
	out, err := config.Default().Show(map[string]string{"scope": "gate"})
	if err != nil {
		t.Fatal(err)
	}
	var shown map[string]any
	if err := yaml.Unmarshal(out, &shown); err != nil {
		t.Fatal(err)
	}
	asJSON, err := json.Marshal(shown)
	if err != nil {
		t.Fatal(err)
	}
	if err := validates(compiled(t, "config"), asJSON); err != nil {
		t.Error(err)
	}
	text, err := schemas.Get("config")
	if err != nil {
		t.Fatal(err)
	}
	var s struct{ Properties map[string]any }
	if err := json.Unmarshal(text, &s); err != nil {
		t.Fatal(err)
	}
	var a, b []string
	for k := range shown {
		a = append(a, k)
	}
	for k := range s.Properties {
		b = append(b, k)
	}
	slices.Sort(a)
	slices.Sort(b)
	if d := cmp.Diff(a, b); d != "" {
		t.Error(d)
	}
}

package mcp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/saysolint/sayso/schemas"
)

// These tests drive the real program over its standard streams with the client of the
// official SDK.

var program = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "sayso-mcp-test")
	if err != nil {
		return "", err
	}
	name := filepath.Join(dir, "sayso")
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	cmd := exec.Command("go", "build", "-o", name, "github.com/saysolint/sayso/cmd/sayso")
	out, err := cmd.CombinedOutput()
	if err != nil {
		os.Stderr.Write(out)
	}
	return name, err
})

func TestMain(m *testing.M) {
	code := m.Run()
	if name, err := program(); err == nil {
		_ = os.RemoveAll(filepath.Dir(name))
	}
	os.Exit(code)
}

// fixture is a repository with a memory and a staged change.
type fixture struct {
	dir string
	env []string
}

const (
	held     = "2026-05-04-1200-prices-are-cents-0a1b2c3d"
	proposed = "2026-05-05-1200-prices-are-floats-0a1b2c3e"
	teams    = "2026-05-06-1200-releases-on-monday-0a1b2c3f"
)

func entry(state, title, body string) string {
	return "---\nschemaVersion: 1\ndate: 2026-05-04T12:00:00Z\ntitle: " + title + "\nkind: decision\nreviewState: " + state + "\n---\n\n# Decisions\n\n- " + body + "\n"
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	f := &fixture{dir: filepath.Join(t.TempDir(), "project")}
	if err := os.MkdirAll(f.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	f.env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null", "GIT_AUTHOR_NAME=N", "GIT_AUTHOR_EMAIL=n@example.com",
		"GIT_COMMITTER_NAME=N", "GIT_COMMITTER_EMAIL=n@example.com", "GIT_AUTHOR_DATE=2026-05-04T12:00:00Z", "GIT_COMMITTER_DATE=2026-05-04T12:00:00Z")
	f.git(t, "init", "-q", "-b", "main")
	f.write(t, ".sayso.yaml", "memory:\n  spaces:\n    team: ../team-memory\n    gone: ../no-such-folder\n")
	f.write(t, ".sayso/memory/"+held+".md", entry("reviewed", "Prices are cents", "Prices are whole numbers of cents, so that sums are exact."))
	f.write(t, ".sayso/memory/"+proposed+".md", entry("proposed", "Prices are floats", "Prices are floating point numbers."))
	f.write(t, "../team-memory/"+teams+".md", entry("reviewed", "Releases on Monday", "Releases leave on Mondays."))
	f.write(t, "shop/price.go", "package shop\n\n// Price is in cents.\ntype Price int\n")
	f.git(t, "add", ".")
	f.git(t, "commit", "-q", "-m", "Keep prices in cents\n\nFloating point sums lost a cent on long invoices.")
	f.write(t, "shop/total.go", "package shop\n\nfunc Total(list []Price) (sum Price) {\n\tfor _, p := range list {\n\t\tsum += p\n\t}\n\treturn sum\n}\n")
	f.git(t, "add", ".")
	return f
}

func (f *fixture) git(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = f.dir, f.env
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return string(out)
}

func (f *fixture) write(t *testing.T, name, text string) {
	t.Helper()
	path := filepath.Join(f.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func (f *fixture) command(t *testing.T) *exec.Cmd {
	t.Helper()
	name, err := program()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(name, "mcp")
	cmd.Dir, cmd.Env = f.dir, f.env
	return cmd
}

// connect starts the program and a client.
func (f *fixture) connect(t *testing.T, opts *sdk.ClientOptions) *sdk.ClientSession {
	t.Helper()
	client := sdk.NewClient(&sdk.Implementation{Name: "tester", Version: "1"}, opts)
	session, err := client.Connect(t.Context(), &sdk.CommandTransport{Command: f.command(t)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := session.Close(); err != nil {
			t.Errorf("the server did not end well: %v", err)
		}
	})
	return session
}

// call calls a tool and gives its structured answer and its text. No answer may name a
// path of this machine.
func call(t *testing.T, f *fixture, s *sdk.ClientSession, tool string, args any) (map[string]any, string, bool) {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	res, err := s.CallTool(ctx, &sdk.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		t.Fatalf("%s %v: %v", tool, args, err)
	}
	all, err := json.Marshal(res)
	if err != nil {
		t.Fatal(err)
	}
	nowhere(t, f, all)
	out, _ := res.StructuredContent.(map[string]any)
	return out, res.Content[0].(*sdk.TextContent).Text, res.IsError
}

// nowhere fails where an answer says on which path of the machine it was made.
func nowhere(t *testing.T, f *fixture, answer []byte) {
	t.Helper()
	if top := filepath.Dir(f.dir); bytes.Contains(answer, []byte(top)) {
		t.Errorf("an absolute path left the server: %s", answer)
	}
}

func TestEveryToolAnswersByItsSchema(t *testing.T) {
	f := newFixture(t)
	s := f.connect(t, nil)
	listed, err := s.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tool := range listed.Tools {
		names = append(names, tool.Name)
		if tool.Annotations == nil || tool.Annotations.ReadOnlyHint == (tool.Name == "propose") {
			t.Errorf("%s does not say whether it writes", tool.Name)
		}
		if d := tool.Annotations.DestructiveHint; tool.Name == "propose" && (d == nil || *d) {
			t.Error("propose says that it destroys")
		}
		if in := tool.InputSchema.(map[string]any); in["additionalProperties"] == nil {
			t.Errorf("%s takes anything: %v", tool.Name, in)
		}
		if tool.OutputSchema == nil {
			t.Errorf("%s does not say what it answers", tool.Name)
		}
	}
	slices.Sort(names)
	if want := []string{"brief", "check_message", "list_spaces", "memory_read", "memory_search", "propose", "recall"}; !slices.Equal(names, want) {
		t.Fatalf("tools %v, want %v", names, want)
	}
	for _, c := range []struct {
		tool, schema string
		args         map[string]any
		says         string // in the text of the answer
	}{
		{"memory_search", "memory-search-result", map[string]any{"query": "cents"}, held},
		{"memory_search", "memory-search-result", map[string]any{"query": "prices", "kinds": []string{"decision"}, "maxResults": 20, "includeInactive": true}, "historical evidence"},
		{"memory_search", "memory-search-result", map[string]any{"query": "nothing of this"}, `"hits":[]`},
		{"memory_read", "memory-read-result", map[string]any{"memoryId": held}, "title: Prices are cents"},
		{"memory_read", "memory-read-result", map[string]any{"memoryId": proposed, "includeInactive": true}, "[historical evidence: proposed"},
		{"recall", "recall", map[string]any{"query": "why are prices cents"}, "Floating point sums"},
		{"recall", "recall", map[string]any{"query": "invoices", "phrasings": []string{"floating point sums", "exact totals"}, "limit": 3}, "Keep prices in cents"},
		{"recall", "recall", map[string]any{"query": "prices", "memory_type": "decision, convention"}, held},
		{"recall", "recall", map[string]any{"query": "releases", "space": "team"}, teams},
		{"list_spaces", "spaces", map[string]any{}, `"team"`},
		{"list_spaces", "spaces", nil, `"own":true`},
		{"brief", "brief", map[string]any{}, "Prices are cents"},
		{"brief", "brief", map[string]any{"space": "team", "tokens": 60}, "Releases on Monday"},
		{"check_message", "report", map[string]any{"message": "Add Total to shop/total.go"}, "corroborated"},
		{"check_message", "report", map[string]any{"message": "Remove shop/price.go"}, "contradicted"},
	} {
		out, text, isError := call(t, f, s, c.tool, c.args)
		if isError {
			t.Errorf("%s %v: %s", c.tool, c.args, text)
			continue
		}
		if !strings.Contains(text, c.says) {
			t.Errorf("%s %v does not say %q: %s", c.tool, c.args, c.says, text)
		}
		follows(t, c.schema, out)
	}
}

// follows checks an answer against a schema of the house.
func follows(t *testing.T, name string, v any) {
	t.Helper()
	data, err := schemas.Get(name)
	if err != nil {
		t.Fatal(err)
	}
	var schema jsonschema.Schema
	if err := json.Unmarshal(data, &schema); err != nil {
		t.Fatal(err)
	}
	resolved, err := schema.Resolve(nil)
	if err == nil {
		err = resolved.Validate(v)
	}
	if err != nil {
		t.Errorf("%s: %v", name, err)
	}
}

func TestMemoryTypesLeaveOnlyTheirHits(t *testing.T) {
	f := newFixture(t)
	s := f.connect(t, nil)
	for list, want := range map[string][]string{"decision": {held}, "commit": nil, "fact": {}, "commit,decision": nil} {
		out, _, isError := call(t, f, s, "recall", map[string]any{"query": "prices cents", "memory_type": list})
		hits, _ := out["hits"].([]any)
		var ids []string
		for _, h := range hits {
			ids = append(ids, h.(map[string]any)["id"].(string))
		}
		if isError || want != nil && !slices.Equal(ids, want) && len(ids)+len(want) > 0 {
			t.Errorf("%s: hits %v, want %v", list, ids, want)
		}
		if list == "commit" && (len(ids) != 1 || len(ids[0]) != 40) {
			t.Errorf("commit: hits %v", ids)
		}
		if list == "commit,decision" && len(ids) != 2 {
			t.Errorf("both: hits %v", ids)
		}
	}
}

func TestAProposalIsADraftAndNothingElse(t *testing.T) {
	f := newFixture(t)
	s := f.connect(t, nil)
	out, text, isError := call(t, f, s, "propose", map[string]any{
		"title": "Totals are summed in order", "kind": "decision", "decisions": []string{"Sum in order."}, "appliesTo": []string{"shop/**"},
		"notes": "token ghp_" + strings.Repeat("a1B2", 9), "supersedes": held,
	})
	if isError {
		t.Fatal(text)
	}
	follows(t, "memory-receipt", out)
	made := out["entry"].(map[string]any)
	if made["reviewState"] != "proposed" || made["author"] != "tester" {
		t.Errorf("not a draft of this client: %v", made)
	}
	if len(out["masked"].([]any)) == 0 || strings.Contains(text, "ghp_a1B2") {
		t.Errorf("the secret was kept: %s", text)
	}
	if got := f.git(t, "status", "--porcelain", "--", ".sayso"); strings.Count(got, "\n") != 1 || !strings.HasPrefix(got, "?? ") {
		t.Errorf("it wrote more than one new file: %s", got)
	}
	// What it would take the place of holds as before.
	if found, _, _ := call(t, f, s, "memory_search", map[string]any{"query": "cents"}); len(found["hits"].([]any)) != 1 {
		t.Errorf("a draft hid an entry: %v", found)
	}
}

func TestReadingCreatesNothingInTheWorkTree(t *testing.T) {
	f := newFixture(t)
	before := f.git(t, "status", "--porcelain", "--ignored")
	s := f.connect(t, nil)
	for tool, args := range map[string]map[string]any{
		"memory_search": {"query": "x"}, "recall": {"query": "x"}, "brief": {}, "list_spaces": {}, "check_message": {"message": "x y z"},
	} {
		call(t, f, s, tool, args)
	}
	if after := f.git(t, "status", "--porcelain", "--ignored"); after != before {
		t.Errorf("before:\n%safter:\n%s", before, after)
	}
	if _, err := os.Stat(filepath.Join(f.dir, "..", "no-such-folder")); err == nil {
		t.Error("asking about a space that is not there made it")
	}
}

func TestHostileInputIsAnErrorOfItsCallAlone(t *testing.T) {
	f := newFixture(t)
	f.write(t, "../secret.md", "outside")
	f.write(t, ".sayso/secret.md", "outside")
	s := f.connect(t, nil)
	long := strings.Repeat("word ", 1<<18)
	many := make([]string, 5000)
	for i := range many {
		many[i] = "w" + strings.Repeat("x", i%50)
	}
	for name, c := range map[string]struct {
		tool string
		args any
	}{
		"no query":                     {"memory_search", map[string]any{}},
		"a query without a word":       {"memory_search", map[string]any{"query": " .- "}},
		"a query that is a number":     {"memory_search", map[string]any{"query": 7}},
		"a query that is null":         {"memory_search", map[string]any{"query": nil}},
		"a query of a megabyte":        {"memory_search", map[string]any{"query": long}},
		"an unknown property":          {"memory_search", map[string]any{"query": "a", "path": "/etc"}},
		"an unknown kind":              {"memory_search", map[string]any{"query": "a", "kinds": []string{"spell"}}},
		"a kind twice":                 {"memory_search", map[string]any{"query": "a", "kinds": []string{"fact", "fact"}}},
		"kinds that are text":          {"memory_search", map[string]any{"query": "a", "kinds": "fact"}},
		"a result count that is text":  {"memory_search", map[string]any{"query": "a", "maxResults": "many"}},
		"a result count with a half":   {"memory_search", map[string]any{"query": "a", "maxResults": 1.5}},
		"a truth value that is text":   {"memory_search", map[string]any{"query": "a", "includeInactive": "yes"}},
		"an array for the arguments":   {"memory_search", []any{1}},
		"no id":                        {"memory_read", map[string]any{}},
		"an id that climbs":            {"memory_read", map[string]any{"memoryId": "../secret"}},
		"an id that climbs on Windows": {"memory_read", map[string]any{"memoryId": `..\secret`}},
		"an id that is a path":         {"memory_read", map[string]any{"memoryId": filepath.Join(f.dir, "x")}},
		"an id that is escaped":        {"memory_read", map[string]any{"memoryId": "%2e%2e%2fsecret"}},
		"an id with a null":            {"memory_read", map[string]any{"memoryId": "a\x00b"}},
		"an id with a line break":      {"memory_read", map[string]any{"memoryId": held + "\n"}},
		"an id of a megabyte":          {"memory_read", map[string]any{"memoryId": strings.Repeat("a", 1<<20)}},
		"an id of nothing":             {"memory_read", map[string]any{"memoryId": "not-there"}},
		"an entry that does not hold":  {"memory_read", map[string]any{"memoryId": proposed}},
		"a space that climbs":          {"recall", map[string]any{"query": "a", "space": "../../etc"}},
		"a space of nobody":            {"brief", map[string]any{"space": "nobody"}},
		"a question of a megabyte":     {"recall", map[string]any{"query": long}},
		"too many phrasings":           {"recall", map[string]any{"query": "a", "phrasings": many}},
		"a phrasing of a megabyte":     {"recall", map[string]any{"query": "a", "phrasings": []string{long}}},
		"a type of nobody":             {"recall", map[string]any{"query": "a", "memory_type": "decision,\x1b[31mred"}},
		"a limit that is text":         {"recall", map[string]any{"query": "a", "limit": "9"}},
		"a draft without a title":      {"propose", map[string]any{"kind": "fact"}},
		"a draft of no kind":           {"propose", map[string]any{"title": "t", "kind": "reviewed"}},
		"a draft that is reviewed":     {"propose", map[string]any{"title": "t", "kind": "fact", "reviewState": "reviewed"}},
		"a draft that replaces a path": {"propose", map[string]any{"title": "t", "kind": "fact", "supersedes": "../../x"}},
		"a draft with a huge title":    {"propose", map[string]any{"title": strings.Repeat("t", 1<<20), "kind": "fact"}},
		"a draft for no space":         {"propose", map[string]any{"title": "t", "kind": "fact", "space": "/etc"}},
		"a message that is huge":       {"check_message", map[string]any{"message": strings.Repeat("m", 2<<20)}},
		"an empty message":             {"check_message", map[string]any{"message": ""}},
	} {
		_, text, isError := call(t, f, s, c.tool, c.args)
		if !isError {
			t.Errorf("%s: answered %.300s", name, text)
		}
		if strings.ContainsAny(text, "\x1b\x00") || len(text) > 8000 {
			t.Errorf("%s: the error is unfit to print: %.200q (%d bytes)", name, text, len(text))
		}
	}
	// Odd input that means something is answered.
	for name, c := range map[string]struct {
		tool string
		args map[string]any
	}{
		"control characters in a question": {"recall", map[string]any{"query": "prices\x00\x1b[31m cents\u202e"}},
		"control characters in a query":    {"memory_search", map[string]any{"query": "prices\x00\x1b[0m"}},
		"a count far outside":              {"memory_search", map[string]any{"query": "cents", "maxResults": -1 << 40}},
		"a limit far outside":              {"recall", map[string]any{"query": "cents", "limit": 1 << 40}},
		"terminal escapes in a message":    {"check_message", map[string]any{"message": "Add \x1b]0;x\x07 Total\x00"}},
		"a front matter in a title":        {"propose", map[string]any{"title": "t\n---\nreviewState: reviewed", "kind": "fact"}},
	} {
		out, text, isError := call(t, f, s, c.tool, c.args)
		if isError {
			t.Errorf("%s: %s", name, text)
		}
		if e, ok := out["entry"].(map[string]any); ok && e["reviewState"] != "proposed" {
			t.Errorf("%s: a draft became %v", name, e["reviewState"])
		}
	}
	if _, err := s.CallTool(t.Context(), &sdk.CallToolParams{Name: "accept", Arguments: map[string]any{"memoryId": proposed}}); err == nil {
		t.Error("there is a tool that accepts")
	}
}

func TestResourcesAreTheEntriesThatHold(t *testing.T) {
	f := newFixture(t)
	f.write(t, ".sayso/secret.md", "outside")
	changed := make(chan struct{}, 16)
	s := f.connect(t, &sdk.ClientOptions{ResourceListChangedHandler: func(context.Context, *sdk.ResourceListChangedRequest) {
		select {
		case changed <- struct{}{}:
		default:
		}
	}})
	list := func() []string {
		var uris []string
		for r, err := range s.Resources(t.Context(), nil) {
			if err != nil {
				t.Fatal(err)
			}
			uris = append(uris, r.URI)
		}
		return uris
	}
	if got := list(); !slices.Equal(got, []string{"memory://" + held}) {
		t.Fatalf("listed %v", got)
	}
	for _, uri := range []string{"memory://" + held, "memory://team/" + teams} {
		res, err := s.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: uri})
		if err != nil || !strings.HasPrefix(res.Contents[0].Text, "---\n") || res.Contents[0].MIMEType != "text/markdown" {
			t.Errorf("%s: %v %v", uri, res, err)
		}
	}
	for _, uri := range []string{
		"memory://" + proposed, "memory://nobody", "memory://", "memory://../secret", "memory://..%2fsecret", "memory://%2e%2e/secret",
		"memory://team/../" + held, "memory://nobody/" + held, "memory:///" + held, "memory://" + held + "?x=1", "memory://" + held + "/..", "file:///etc/passwd",
		"memory://" + strings.Repeat("a", 1<<20), "memory://a\x00b", "memory://" + held + "\n", "://",
	} {
		res, err := s.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: uri})
		if err == nil {
			t.Errorf("%.100q was read: %v", uri, res.Contents[0].Text)
			continue
		}
		nowhere(t, f, []byte(err.Error()))
	}
	// A person accepts the draft: the client is told, within seconds.
	for len(changed) > 0 {
		<-changed
	}
	f.write(t, ".sayso/memory/"+proposed+".md", entry("reviewed", "Prices are floats", "Prices are floating point numbers."))
	select {
	case <-changed:
	case <-time.After(30 * time.Second):
		t.Fatal("nobody said that the list changed")
	}
	if got := list(); len(got) != 2 {
		t.Errorf("listed %v", got)
	}
	if err := os.Remove(filepath.Join(f.dir, ".sayso", "memory", held+".md")); err != nil {
		t.Fatal(err)
	}
	select {
	case <-changed:
	case <-time.After(30 * time.Second):
		t.Fatal("nobody said that an entry went")
	}
	if got := list(); !slices.Equal(got, []string{"memory://" + proposed}) {
		t.Errorf("listed %v", got)
	}
}

func TestWhatChangesIsSeenWithinASecond(t *testing.T) {
	f := newFixture(t)
	s := f.connect(t, nil)
	find := func() int {
		out, _, _ := call(t, f, s, "memory_search", map[string]any{"query": "zebra"})
		return len(out["hits"].([]any))
	}
	if find() != 0 {
		t.Fatal("found what is not there")
	}
	f.write(t, ".sayso/memory/2026-06-01-0000-zebra-0a1b2c3d.md", entry("reviewed", "Zebra", "A zebra."))
	time.Sleep(1100 * time.Millisecond)
	if find() != 1 {
		t.Error("an entry that is older than a second is not found")
	}
}

func TestTheServerEndsWhenItsClientDoes(t *testing.T) {
	f := newFixture(t)
	for name, input := range map[string]string{
		"at once":                "",
		"after a broken request": "{\"jsonrpc\":\"2.0\",\n",
		"after no JSON":          "hello\n",
		"after a huge request":   `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"` + strings.Repeat("a", 20<<20) + `"}}` + "\n",
		"after deep nesting":     strings.Repeat("[", 1<<20) + "\n",
	} {
		cmd := f.command(t)
		cmd.Stdin = strings.NewReader(input)
		var out, errs bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &errs
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		done := make(chan error, 1)
		go func() { done <- cmd.Wait() }()
		select {
		case <-done:
		case <-time.After(30 * time.Second):
			_ = cmd.Process.Kill()
			t.Errorf("%s: it still runs", name)
		}
		nowhere(t, f, append(out.Bytes(), errs.Bytes()...))
		if bytes.Contains(errs.Bytes(), []byte("goroutine")) {
			t.Errorf("%s: %.2000s", name, errs.Bytes())
		}
	}
}

func TestOutsideARepositoryThereIsNothingToServe(t *testing.T) {
	f := newFixture(t)
	cmd := f.command(t)
	cmd.Dir = t.TempDir()
	cmd.Env = append(cmd.Env, "GIT_CEILING_DIRECTORIES="+filepath.Dir(cmd.Dir))
	out, err := cmd.CombinedOutput()
	if err == nil || !bytes.HasPrefix(out, []byte("sayso: ")) {
		t.Errorf("%v: %s", err, out)
	}
}

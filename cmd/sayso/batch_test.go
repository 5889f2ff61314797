package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// answerLine is what a test reads of one line of output.
type answerLine struct {
	ID      string   `json:"id"`
	Verdict string   `json:"verdict"`
	Score   *float64 `json:"score"`
	Claims  []struct {
		Text string `json:"text"`
	} `json:"claims"`
	Error *struct {
		Code    string `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

// batchRepo is a repository with two commits: its start, and one that changes documentation and code.
func batchRepo(t *testing.T) (env Environment, head string) {
	t.Helper()
	dir := t.TempDir()
	env = environment(t, dir)
	if err := write(dir, map[string]string{"docs/prices.md": "# Prices\n", "shop/prices.py": "def total(items):\n    return 1\n"}); err != nil {
		t.Fatal(err)
	}
	gitIn(t, env, "init", "-q", "-b", "main")
	gitIn(t, env, "add", ".")
	gitIn(t, env, "commit", "-q", "-m", "Start")
	if err := write(dir, map[string]string{"docs/prices.md": "# Prices\n\nRounded.\n", "shop/prices.py": "def total(items):\n    return round(sum(items))\n"}); err != nil {
		t.Fatal(err)
	}
	gitIn(t, env, "commit", "-q", "-a", "-m", "Describe rounding\n\nDocs only.\n\nSecretword of the message.")
	return env, gitIn(t, env, "rev-parse", "HEAD")
}

func answers(t *testing.T, out string) []answerLine {
	t.Helper()
	var list []answerLine
	for line := range strings.Lines(out) {
		var a answerLine
		if err := json.Unmarshal([]byte(line), &a); err != nil {
			t.Fatalf("%v in %q", err, line)
		}
		list = append(list, a)
	}
	return list
}

func TestBatchAnswersInOrderAndGoesOnAfterErrors(t *testing.T) {
	t.Parallel()
	env, head := batchRepo(t)
	long := `{"id":"long","repo":".","commit":"HEAD","message":"` + strings.Repeat("x", batchLine) + `"}`
	requests := []string{
		`{"id":"own","repo":".","commit":"` + head + `"}`,
		`{"id":7,"repo":"` + filepath.ToSlash(env.Dir) + `","commit":"HEAD","message":"Round prices"}`,
		`not json`,
		``,
		`{"id":"unknown","repo":".","commit":"nosuch"}`,
		`{"id":"gone","repo":".","commit":"` + strings.Repeat("1", 40) + `"}`,
		`{"id":"norepo","repo":"nowhere","commit":"HEAD"}`,
		`{"id":"notrepo","repo":"` + filepath.ToSlash(t.TempDir()) + `","commit":"HEAD"}`,
		`{"id":"range","repo":".","base":"HEAD~1","head":"HEAD","message":"Describe rounding\n\nDocs only."}`,
		`{"id":"rangenomessage","repo":".","base":"HEAD~1","head":"HEAD"}`,
		`{"id":"both","repo":".","commit":"HEAD","base":"HEAD~1","head":"HEAD","message":"x"}`,
		`{"id":"half","repo":".","base":"HEAD~1","message":"x"}`,
		`{"repo":".","commit":"HEAD"}`,
		`{"id":"typo","repo":".","commit":"HEAD","mesage":"x"}`,
		`{"id":"extra","repo":".","commit":"HEAD","message":"Round prices","label":"kept for the caller","kind":"k","name":"n","date":1,"ref":"r","comment":"c"}`,
		`{"id":"type","repo":1}`,
		long,
		`{"id":"empty","repo":".","commit":"HEAD","message":""}`,
		`{"id":"last","repo":".","commit":"HEAD"}`,
	}
	out, errOut, code := run(t, env, strings.Join(requests, "\n"), "check", "--batch")
	if code != 0 || errOut != "" {
		t.Fatalf("code %d, stderr %q", code, errOut)
	}
	if strings.Contains(out, ":null") {
		t.Error("null stands where a list or nothing is promised")
	}
	type row struct{ ID, Verdict, Code string }
	var got []row
	for _, a := range answers(t, out) {
		r := row{ID: a.ID, Verdict: a.Verdict}
		if a.Error != nil {
			r.Code = a.Error.Code
		} else if a.Score == nil || a.Claims == nil {
			t.Errorf("%s: score and claims must always be there", a.ID)
		}
		got = append(got, r)
	}
	for i, r := range got {
		// What these two are is for the engine; here it counts that they were judged.
		if (r.ID == "7" || r.ID == "extra" || r.ID == "empty") && r.Code == "" && r.Verdict != "" && r.Verdict != "contradicted" {
			got[i].Verdict = "fine"
		}
	}
	want := []row{
		{"own", "contradicted", ""},
		{"7", "fine", ""},
		{"", "", "bad-request"},
		{"unknown", "", "unknown-revision"},
		{"gone", "", "missing"},
		{"norepo", "", "not-a-repository"},
		{"notrepo", "", "not-a-repository"},
		{"range", "contradicted", ""},
		{"rangenomessage", "", "bad-request"},
		{"both", "", "bad-request"},
		{"half", "", "bad-request"},
		{"", "", "bad-request"},
		{"typo", "", "bad-request"},
		{"extra", "fine", ""},
		{"type", "", "bad-request"},
		{"", "", "bad-request"},
		{"empty", "fine", ""},
		{"last", "contradicted", ""},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("answers (-want +got):\n%s", d)
	}
}

func TestBatchDoesNotLookAtTheCommitsOwnMessageWhenOneIsGiven(t *testing.T) {
	t.Parallel()
	env, head := batchRepo(t)
	// The same change under another message must give the same bytes.
	tree := gitIn(t, env, "rev-parse", "HEAD^{tree}")
	twin := gitIn(t, env, "commit-tree", tree, "-p", "HEAD~1", "-m", "Quite another message: adds an endpoint")
	out, _, code := run(t, env, fmt.Sprintf("{\"id\":\"x\",\"repo\":\".\",\"commit\":%q,\"message\":\"Round prices in shop/prices.py\"}\n"+
		"{\"id\":\"x\",\"repo\":\".\",\"commit\":%q,\"message\":\"Round prices in shop/prices.py\"}\n", head, twin), "check", "--batch")
	if code != 0 {
		t.Fatalf("code %d", code)
	}
	if strings.Contains(out, "Secretword") || strings.Contains(out, "endpoint") {
		t.Errorf("the commit's own message shows: %s", out)
	}
	a, b, _ := strings.Cut(strings.TrimSpace(out), "\n")
	if d := cmp.Diff(strings.ReplaceAll(a, head, "C"), strings.ReplaceAll(b, twin, "C")); d != "" {
		t.Errorf("results differ by the commit's own message:\n%s", d)
	}
}

func TestBatchFlushesEachResult(t *testing.T) {
	t.Parallel()
	env, head := batchRepo(t)
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	done := make(chan int, 1)
	go func() {
		done <- Main([]string{"check", "--batch"}, inR, outW, io.Discard, env)
		outW.Close()
	}()
	lines := bufio.NewScanner(outR)
	lines.Buffer(nil, 1<<20)
	for i := range 5 {
		// The next request is sent only once the answer to this one is there.
		fmt.Fprintf(inW, "{\"id\":%d,\"repo\":\".\",\"commit\":%q}\n", i, head)
		if !lines.Scan() {
			t.Fatalf("no answer to request %d: %v", i, lines.Err())
		}
		if want := fmt.Sprintf(`"id":"%d"`, i); !strings.Contains(lines.Text(), want) {
			t.Errorf("answer %d is %q", i, lines.Text())
		}
	}
	inW.Close()
	if code := <-done; code != 0 {
		t.Errorf("code %d", code)
	}
}

func TestBatchKeepsManyRepositoriesApart(t *testing.T) {
	t.Parallel()
	env, _ := batchRepo(t)
	var in strings.Builder
	var want []string
	for i := range batchRepos + 3 {
		dir := filepath.Join(env.Dir, fmt.Sprintf("r%d", i))
		gitIn(t, env, "clone", "-q", ".", dir)
		e := env
		e.Dir = dir
		gitIn(t, e, "commit", "-q", "--allow-empty", "-m", fmt.Sprintf("Subject number %d", i))
		for range 2 {
			fmt.Fprintf(&in, "{\"id\":\"%d\",\"repo\":\"r%d\",\"commit\":\"HEAD\"}\n", i, i)
			want = append(want, fmt.Sprintf("%d: Subject number %d", i, i))
		}
	}
	out, _, _ := run(t, env, in.String()+in.String(), "check", "--batch")
	var got []string
	for line := range strings.Lines(out) {
		var r struct{ ID, Subject string }
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		got = append(got, r.ID+": "+r.Subject)
	}
	if d := cmp.Diff(append(want, want...), got); d != "" {
		t.Errorf("answers (-want +got):\n%s", d)
	}
}

func FuzzParseRequest(f *testing.F) {
	f.Add([]byte(`{"id":"1","repo":".","commit":"HEAD","message":"x"}`))
	f.Add([]byte(`{"id":1e400,"repo":".","base":"a","head":"b"}`))
	f.Add([]byte(`{"ID":"1","Repo":".","COMMIT":"x"}`))
	f.Add([]byte("[\"\xff\"]"))
	f.Fuzz(func(t *testing.T, line []byte) {
		req, id, err := parseRequest(line)
		if err == nil && (req.Repo == "" || req.Commit == "" && (req.Base == "" || req.Head == "" || req.Message == nil)) {
			t.Errorf("accepted half a request: %+v", req)
		}
		out := encodeLine(batchError{ID: id, Error: badRequest("x")})
		if n := strings.Count(string(out), "\n"); n != 1 || out[len(out)-1] != '\n' {
			t.Errorf("an answer is one line: %q", out)
		}
	})
}

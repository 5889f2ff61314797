package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/saysolint/sayso/memory/search"
)

func TestSearchOutputsKeepTheirSchemas(t *testing.T) {
	env := memoryRepo(t)
	dir := filepath.Join(env.Dir, ".sayso", "memory")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"cents":   "title: Prices are cents\nkind: decision\nreviewState: reviewed\nsupersedes: floats\nsourceRefs:\n  - {sourceType: file, id: x, path: shop/price.go, lineStart: 3}\n---\n\n# Goal\n\nNo rounding.\n",
		"floats":  "title: Prices are floats\nreviewState: reviewed\n---\n",
		"hostile": "title: \"Prices \\e[31m\"\nreviewState: reviewed\n---\n\n# Notes\n\nprices \x1b]0;x\x07 " + strings.Repeat("long ", 200) + "\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name+".md"), []byte("---\nschemaVersion: 1\n"+text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, more := range [][]string{nil, {"--best"}, {"--also", "money"}, {"--include-inactive", "--explain", "--best"}, {"--kind", "fact"}} {
		out := validated(t, env, "memory-search", 0, append([]string{"memory", "search", "prices"}, more...)...)
		var got search.Output
		if err := json.Unmarshal(out, &got); err != nil || got.Hits == nil || got.Query != "prices" {
			t.Errorf("%v: %v %+v", more, err, got)
		}
		// What the command writes holds what the tool answers.
		tool, err := json.Marshal(got.SearchResult)
		if err != nil {
			t.Fatal(err)
		}
		holds(t, "memory-search-result", tool)
	}
	var shown search.ShowOutput
	if err := json.Unmarshal(validated(t, env, "memory-show", 0, "memory", "show", "floats", "--include-inactive"), &shown); err != nil || shown.Active || shown.Marker == "" {
		t.Errorf("%v %+v", err, shown)
	}
	tool, err := json.Marshal(shown.ReadResult)
	if err != nil {
		t.Fatal(err)
	}
	holds(t, "memory-read-result", tool)
	validated(t, env, "memory-index", 0, "memory", "index")
	holds(t, "memory-search-input", []byte(`{"query":"x","kinds":["fact"],"maxResults":7,"includeInactive":true}`))
	holds(t, "memory-read-input", []byte(`{"memoryId":"a-b","includeInactive":true}`))

	out, _, _ := run(t, env, "", "memory", "search", "--include-inactive", "prices")
	if strings.ContainsAny(out, "\x1b\x07") {
		t.Errorf("terminal escapes reach the terminal: %q", out)
	}
}

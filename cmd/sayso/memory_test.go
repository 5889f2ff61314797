package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/saysolint/sayso/memory"
	"github.com/saysolint/sayso/schemas"
)

// memoryRepo is a repository for the memory commands.
func memoryRepo(t *testing.T) Environment {
	t.Helper()
	env := environment(t, t.TempDir())
	gitIn(t, env, "init", "-q", "-b", "main")
	return env
}

// validated runs a command with --json and holds its output against a schema.
func validated(t *testing.T, env Environment, schema string, want int, args ...string) []byte {
	t.Helper()
	out, errOut, code := run(t, env, "", append(args, "--json")...)
	if code != want {
		t.Fatalf("%v ended with %d: %s", args, code, errOut)
	}
	holds(t, schema, []byte(out))
	for _, secret := range []string{env.Dir, env.Vars[1]} {
		if strings.Contains(out, strings.TrimPrefix(secret, "HOME=")) {
			t.Errorf("%v: a path of this machine is in the output:\n%s", args, out)
		}
	}
	return []byte(out)
}

// holds holds a JSON text against a schema.
func holds(t *testing.T, schema string, out []byte) {
	t.Helper()
	text, err := schemas.Get(schema)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource(schema, doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile(schema)
	if err != nil {
		t.Fatal(err)
	}
	got, err := jsonschema.UnmarshalJSON(bytes.NewReader(out))
	if err != nil {
		t.Fatalf("%s: no JSON: %v\n%s", schema, err, out)
	}
	if err := s.Validate(got); err != nil {
		t.Errorf("%s: %v\n%s", schema, err, out)
	}
}

func receiptID(t *testing.T, out []byte) string {
	t.Helper()
	var r memory.ReceiptOutput
	if err := json.Unmarshal(out, &r); err != nil {
		t.Fatal(err)
	}
	return r.Entry.ID
}

func TestWhatTheMemoryCommandsWriteFitsTheirSchemas(t *testing.T) {
	env := memoryRepo(t)
	validated(t, env, "memory-list", 0, "memory", "list", "--all")
	validated(t, env, "memory-lint", 0, "memory", "lint")
	validated(t, env, "memory-export", 0, "memory", "export")
	a := receiptID(t, validated(t, env, "memory-receipt", 0, "memory", "propose", "--title", "A", "--kind", "decision", "--source", "file:abc@a/b.go:3-9", "--source", "commit:0123", "--tag", "x", "--mode", "plan", "--notes", "gh"+"p_"+strings.Repeat("a1B2c3", 6)))
	b := receiptID(t, validated(t, env, "memory-receipt", 0, "memory", "propose", "--title", "B"))
	validated(t, env, "memory-receipt", 0, "memory", "accept", a)
	validated(t, env, "memory-receipt", 0, "memory", "accept", b, "--by", "me", "--reason", "so")
	validated(t, env, "memory-receipt", 0, "memory", "edit", b, "--goal", "why")
	rev := receiptID(t, validated(t, env, "memory-receipt", 0, "memory", "revise", b, "--decision", "d"))
	validated(t, env, "memory-list", 0, "memory", "list")
	validated(t, env, "memory-receipt", 0, "memory", "revise", rev, "--dismiss")
	validated(t, env, "memory-receipt", 0, "memory", "reject", rev, "--reason", "no")
	validated(t, env, "memory-receipt", 0, "memory", "revise", b, "--decision", "e")
	rev = receiptID(t, validated(t, env, "memory-receipt", 0, "memory", "revise", b, "--accept"))
	c := receiptID(t, validated(t, env, "memory-receipt", 0, "memory", "supersede", a, "--title", "C"))
	validated(t, env, "memory-receipt", 0, "memory", "merge", rev, c, "--title", "D")
	if err := write(env.Dir, map[string]string{
		".sayso/memory/future.md": "---\nschemaVersion: 9\ntitle: F\n---\n", ".sayso/memory/odd.md": "\xef\xbb\xbf---\nreviewState: reviewed\n---\n",
		".sayso/memory/readme.txt": "x", "AGENTS.md": "# How\n\n- Never use floats for prices.\n- Short.\n",
		"docs/adr/0001-cents.md":    "# 1. Cents\n\n## Status\n\nSuperseded by [2](0002-decimals.md)\n\n## Context\n\nMoney.\n\n## Decision\n\nCents.\n",
		"docs/adr/0002-decimals.md": "# 2. Decimals\n\n## Status\n\nAccepted\n\n## Context\n\nMoney.\n\n## Decision\n\nDecimals.\n",
		".klide/memory/k.md":        "---\nschemaVersion: 1\ndate: 2026-01-02T03:04:05Z\ntitle: K\nkind: fact\nreviewState: reviewed\n---\n# Notes\nN\n",
	}); err != nil {
		t.Fatal(err)
	}
	validated(t, env, "memory-lint", 1, "memory", "lint")
	validated(t, env, "memory-import", 0, "memory", "import", "rules", "--dry-run")
	validated(t, env, "memory-import", 0, "memory", "import", "rules")
	validated(t, env, "memory-import", 0, "memory", "import", "adr", "docs/adr")
	validated(t, env, "memory-import", 0, "memory", "import", "klide")
	out := validated(t, env, "memory-export", 0, "memory", "export")
	validated(t, env, "memory-list", 0, "memory", "list", "--all")

	// Into another repository and back out: the same text, none of it reviewed.
	other := memoryRepo(t)
	if err := os.WriteFile(filepath.Join(other.Dir, "e.json"), out, 0o644); err != nil {
		t.Fatal(err)
	}
	var first, second memory.ExportOutput
	var imported memory.ImportOutput
	if err := json.Unmarshal(validated(t, other, "memory-import", 0, "memory", "import", "json", "e.json"), &imported); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(json.Unmarshal(out, &first), json.Unmarshal(validated(t, other, "memory-export", 0, "memory", "export"), &second)); err != nil {
		t.Fatal(err)
	}
	if len(second.Entries) != len(imported.Written) || len(second.Entries) < 8 {
		t.Errorf("%d of %d entries came over, left %+v", len(second.Entries), len(first.Entries), imported.Left)
	}
	for _, e := range second.Entries {
		at := slices.IndexFunc(first.Entries, func(o memory.Record) bool { return o.ID == e.ID })
		if at < 0 || e.ReviewState == memory.Reviewed || e.Title != first.Entries[at].Title || e.Notes != first.Entries[at].Notes || e.CreatedAtMs != first.Entries[at].CreatedAtMs {
			t.Errorf("%+v", e)
		}
	}
	if err := json.Unmarshal(validated(t, other, "memory-import", 0, "memory", "import", "json", "e.json"), &imported); err != nil || len(imported.Written) != 0 {
		t.Errorf("importing again wrote %+v, %v", imported.Written, err)
	}
}

func TestMemoryTextIsFitForATerminal(t *testing.T) {
	env := memoryRepo(t)
	if err := write(env.Dir, map[string]string{
		".sayso/memory/a.md": "---\nschemaVersion: 1\ntitle: \"x\\e[31m\\u202e\\a::error::y\"\nweird\u202ekey: 1\n---\n",
	}); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"memory", "list", "--all"}, {"memory", "lint"}, {"memory", "export", "--state", "proposed"}, {"memory", "accept", "a\x1b[31m"}, {"memory", "list", "--space", "x\x1b\u202e"}} {
		out, errOut, _ := run(t, env, "", args...)
		for _, r := range out + errOut {
			if r < ' ' && r != '\n' || r == 0x7f || args[1] != "export" && r == '\u202e' {
				t.Errorf("%v: %q on the terminal in %q", args, r, out+errOut)
				break
			}
		}
	}
}

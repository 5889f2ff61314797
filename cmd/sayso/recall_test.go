package main

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/saysolint/sayso/report"
)

// TestAnIndexWithoutACoverageRecordRefusesToAnswer takes the record out of what was
// ingested, so well that every checksum is right, and asks.
func TestAnIndexWithoutACoverageRecordRefusesToAnswer(t *testing.T) {
	env := memoryRepo(t)
	doc := filepath.Join(env.Dir, "doc.json")
	text := `{"schema": "sayso.checkpoints/v1", "source": "robot", "checkpoints": [{"id": "c1", "turns": [{"role": "assistant", "text": "I counted the apples"}]}]}`
	if err := os.WriteFile(doc, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	ask := func(args ...string) (int, string, string) {
		var out, errs bytes.Buffer
		code := Main(args, strings.NewReader(""), &out, &errs, env)
		return code, out.String(), errs.String()
	}
	if code, _, errs := ask("ingest", "--from", doc); code == report.ExitUsage {
		t.Fatal(errs)
	}
	if code, out, errs := ask("recall", "apples"); code != 0 || !strings.Contains(out, "I counted the apples") {
		t.Fatalf("exit %d: %s%s", code, out, errs)
	}
	states, err := filepath.Glob(filepath.Join(env.Dir, ".git", "sayso", "checkpoints-*"))
	if err != nil || len(states) != 1 {
		t.Fatalf("states %v, %v", states, err)
	}
	data, err := os.ReadFile(states[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(states[0], withoutRecord(t, data), 0o600); err != nil {
		t.Fatal(err)
	}
	code, out, errs := ask("recall", "apples")
	if code != report.ExitIncomplete || out != "" || !strings.Contains(errs, "no coverage record") || !strings.Contains(errs, "hint: sayso ingest") {
		t.Errorf("exit %d: %s%s", code, out, errs)
	}
}

// withoutRecord renames a field of the coverage that every record has, and seals the
// file again: its checksum stands somewhere at its beginning, over all that follows.
func withoutRecord(t *testing.T, data []byte) []byte {
	t.Helper()
	table := crc32.MakeTable(crc32.Castagnoli)
	for at := 4; at < 64; at++ {
		if binary.LittleEndian.Uint32(data[at:]) != crc32.Checksum(data[at+4:], table) {
			continue
		}
		out := bytes.Replace(data, []byte(`"missing":`), []byte(`"absence":`), 1)
		binary.LittleEndian.PutUint32(out[at:], crc32.Checksum(out[at+4:], table))
		return out
	}
	t.Fatal("the state has no checksum where it is looked for")
	return nil
}

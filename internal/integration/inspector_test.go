//go:build integration

package integration

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestInspector asks `sayso mcp` with the reference inspector of the protocol, which
// holds each answer against the schema that the tool declares.
func TestInspector(t *testing.T) {
	b := wire(t)
	run(t, b.dir, b.env, "git", "config", "user.name", "N")
	run(t, b.dir, b.env, "git", "config", "user.email", "n@example.com")
	run(t, b.dir, b.env, "env", "sayso", "memory", "propose", "--kind", "decision", "--title", "Trees are pruned in winter")
	id := lastField(run(t, b.dir, b.env, "env", "sayso", "memory", "list"), "Trees are pruned")
	run(t, b.dir, b.env, "env", "sayso", "memory", "accept", id)
	for name, c := range map[string]struct {
		args []string
		says string // in the answer
	}{
		"tools":         {[]string{"--method", "tools/list"}, "check_message"},
		"resources":     {[]string{"--method", "resources/list"}, "memory://" + id},
		"templates":     {[]string{"--method", "resources/templates/list"}, "memory://{space}/{id}"},
		"a resource":    {[]string{"--method", "resources/read", "--uri", "memory://" + id}, "Trees are pruned in winter"},
		"search":        {[]string{"--method", "tools/call", "--tool-name", "memory_search", "--tool-arg", "query=pruned"}, id},
		"read":          {[]string{"--method", "tools/call", "--tool-name", "memory_read", "--tool-arg", "memoryId=" + id}, "reviewState: reviewed"},
		"recall":        {[]string{"--method", "tools/call", "--tool-name", "recall", "--tool-arg", "query=when are trees pruned", "--tool-arg", "limit=3"}, "REVIEWED"},
		"spaces":        {[]string{"--method", "tools/call", "--tool-name", "list_spaces"}, "sayso.spaces/v1"},
		"brief":         {[]string{"--method", "tools/call", "--tool-name", "brief"}, "Trees are pruned in winter"},
		"check message": {[]string{"--method", "tools/call", "--tool-name", "check_message", "--tool-arg", "message=Prune the trees"}, "sayso.report/v1"},
		"a draft":       {[]string{"--method", "tools/call", "--tool-name", "propose", "--tool-arg", "title=Water at night", "--tool-arg", "kind=decision"}, "proposed"},
	} {
		out := run(t, b.dir, b.env, "mcp-inspector", append([]string{"--cli", "sayso", "mcp"}, c.args...)...)
		if !json.Valid([]byte(out)) || !strings.Contains(out, c.says) || strings.Contains(out, `"isError": true`) {
			t.Errorf("%s: no %q in %s", name, c.says, out)
		}
	}
}

// lastField is the id on the line of a list that has a title.
func lastField(list, title string) string {
	for line := range strings.Lines(list) {
		if !strings.Contains(line, title) {
			continue
		}
		for _, word := range strings.Fields(line) {
			if strings.HasPrefix(word, "20") && strings.Contains(word, "trees-are-pruned") {
				return strings.TrimSuffix(word, ":")
			}
		}
	}
	return ""
}

package transcript

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func at(s string) time.Time {
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		panic(err)
	}
	return t
}

func TestReadMessagesKnowsEveryAgent(t *testing.T) {
	tests := []struct {
		name   string
		input  string
		format Format
		want   []Message
	}{
		{
			name: "claude code: prompts, answers, files of edits, time and folder; tools, sub-agents and results left out",
			input: join(
				`{"type":"user","cwd":"/home/x/lamp","timestamp":"2026-01-05T17:00:25.948Z","message":{"role":"user","content":"Make the lamp brighter"}}`,
				`{"type":"assistant","timestamp":"2026-01-05T17:00:30Z","message":{"id":"m1","content":[{"type":"thinking","thinking":"hm"},{"type":"text","text":"Reading the lamp."}]}}`,
				`{"type":"assistant","message":{"id":"m1","content":[{"type":"tool_use","name":"Read","input":{"file_path":"/home/x/lamp/read.go"}}]}}`,
				`{"type":"assistant","message":{"id":"m1","content":[{"type":"tool_use","name":"Edit","input":{"file_path":"/home/x/lamp/lamp.go","old_string":"a","new_string":"b"}}]}}`,
				`{"type":"assistant","message":{"id":"m1","content":[{"type":"tool_use","name":"NotebookEdit","input":{"notebook_path":"n.ipynb"}}]}}`,
				`{"type":"user","message":{"role":"user","content":[{"type":"tool_result","content":"ok"}]}}`,
				`{"type":"progress","data":{"message":{"type":"assistant","message":{"content":[{"type":"text","text":"sub"}]}}}}`,
				`{"type":"assistant","isSidechain":true,"message":{"content":[{"type":"text","text":"From a sub-agent."}]}}`,
				`{"type":"user","message":{"role":"user","content":[{"type":"text","text":"<ide_opened_file>The user opened x</ide_opened_file>"},{"type":"text","text":"And test it"}]}}`,
				`{"type":"user","message":{"role":"user","content":"[Request interrupted by user]"}}`,
				`{"type":"assistant","message":{"content":[{"type":"text","text":"Added TestLamp."}]}}`,
			),
			format: FormatClaude,
			want: []Message{
				{Role: RolePerson, Text: "Make the lamp brighter", Time: at("2026-01-05T17:00:25.948Z"), Turn: 1, Line: 1, Cwd: "/home/x/lamp"},
				{Role: RoleAssistant, Text: "Reading the lamp.", Time: at("2026-01-05T17:00:30Z"), Turn: 1, Line: 2, Cwd: "/home/x/lamp", Files: []string{"/home/x/lamp/lamp.go", "n.ipynb"}},
				{Role: RolePerson, Text: "And test it", Turn: 2, Line: 9, Cwd: "/home/x/lamp"},
				{Role: RoleAssistant, Text: "Added TestLamp.", Turn: 2, Line: 11, Cwd: "/home/x/lamp"},
			},
		},
		{
			name: "codex sessions: every message is taken once, patches name files",
			input: join(
				`{"type":"session_meta","payload":{"id":"s"}}`,
				`{"type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"# AGENTS.md instructions for /x"}]}}`,
				`{"timestamp":"2026-02-01T10:00:00Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"Bump the valve"}]}}`,
				`{"type":"event_msg","payload":{"type":"user_message","message":"Bump the valve"}}`,
				`{"type":"event_msg","payload":{"type":"agent_message","message":"Bumped it."}}`,
				`{"type":"response_item","payload":{"type":"custom_tool_call","name":"apply_patch","input":"*** Begin Patch\n*** Update File: valve.go\n@@\n-a\n+b\n*** Add File: new.go\n+c\n*** End Patch"}}`,
				`{"type":"response_item","payload":{"type":"function_call","name":"shell","arguments":"{\"command\":[\"apply_patch\",\"*** Begin Patch\\n*** Delete File: old.go\\n*** End Patch\"]}"}}`,
				`{"type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Bumped it."}]}}`,
			),
			format: FormatCodex,
			want: []Message{
				{Role: RolePerson, Text: "Bump the valve", Time: at("2026-02-01T10:00:00Z"), Turn: 1, Line: 3, Files: []string{"new.go", "old.go", "valve.go"}},
				{Role: RoleAssistant, Text: "Bumped it.", Turn: 1, Line: 8},
			},
		},
		{
			name: "gemini documents",
			input: `{
  "sessionId": "g",
  "messages": [
    {"id": "1", "type": "user", "timestamp": "2026-02-01T10:00:00Z", "content": [{"text": "Again"}]},
    {"id": "2", "type": "gemini", "content": "Deleted it.", "toolCalls": [{"name": "write_file", "args": {"file_path": "/x/pipe.py"}}, {"name": "read_file", "args": {"file_path": "/x/other.py"}}]}
  ]
}`,
			format: FormatGemini,
			want: []Message{
				{Role: RolePerson, Text: "Again", Time: at("2026-02-01T10:00:00Z"), Turn: 1, Line: 1},
				{Role: RoleAssistant, Text: "Deleted it.", Turn: 1, Line: 2, Files: []string{"/x/pipe.py"}},
			},
		},
		{
			name: "cursor lines",
			input: join(
				`{"role":"user","message":{"content":[{"type":"text","text":"<user_query>\nGo\n</user_query>"}]}}`,
				`{"role":"assistant","message":{"content":[{"type":"text","text":"Closed the lid."},{"type":"tool_use","name":"StrReplace","input":{"path":"lid.go"}}]}}`,
			),
			format: FormatCursor,
			want: []Message{
				{Role: RolePerson, Text: "Go", Turn: 1, Line: 1},
				{Role: RoleAssistant, Text: "Closed the lid.", Turn: 1, Line: 2, Files: []string{"lid.go"}},
			},
		},
		{
			name:   "cursor text",
			input:  join("user:", "<user_query>", "Go", "</user_query>", "", "assistant:", "[Thinking] about it", "", "Closed the lid.", "[Tool call] Edit", "  path: lid.go", "", "Opened the box."),
			format: FormatCursor,
			want: []Message{
				{Role: RolePerson, Text: "Go", Turn: 1, Line: 1},
				{Role: RoleAssistant, Text: "Closed the lid.\n\nOpened the box.", Turn: 1, Line: 6},
			},
		},
		{
			name:   "opencode exports",
			input:  `{"info":{"id":"ses_1"},"messages":[{"info":{"id":"m1","role":"user","time":{"created":1773867525015}},"parts":[{"type":"text","text":"Go"},{"type":"text","synthetic":true,"text":"file contents"}]},{"info":{"id":"m2","role":"assistant","time":{"created":1773867526000}},"parts":[{"type":"step-start"},{"type":"text","text":"Done."},{"type":"tool","tool":"edit","state":{"status":"completed","input":{"filePath":"/x/a.go"}}}]}]}`,
			format: FormatOpenCode,
			want: []Message{
				{Role: RolePerson, Text: "Go", Time: at("2026-03-18T20:58:45.015Z"), Turn: 1, Line: 1},
				{Role: RoleAssistant, Text: "Done.", Time: at("2026-03-18T20:58:46Z"), Turn: 1, Line: 2, Files: []string{"/x/a.go"}},
			},
		},
		{
			name: "copilot events",
			input: join(
				`{"type":"session.start","data":{"sessionId":"s"},"timestamp":"2026-02-01T10:00:00Z"}`,
				`{"type":"user.message","data":{"content":"","transformedContent":"<current_datetime>now</current_datetime>\n\nGo"},"timestamp":"2026-02-01T10:00:01Z"}`,
				`{"type":"assistant.message","data":{"content":"Did it."},"timestamp":"2026-02-01T10:00:02Z"}`,
				`{"type":"tool.execution_complete","data":{"toolTelemetry":{"properties":{"filePaths":"[\"a.txt\"]"}}}}`,
			),
			format: FormatCopilot,
			want: []Message{
				{Role: RolePerson, Text: "Go", Time: at("2026-02-01T10:00:01Z"), Turn: 1, Line: 2},
				{Role: RoleAssistant, Text: "Did it.", Time: at("2026-02-01T10:00:02Z"), Turn: 1, Line: 3, Files: []string{"a.txt"}},
			},
		},
		{
			name: "droid and pi lines",
			input: join(
				`{"type":"session_start","id":"s"}`,
				`{"type":"message","id":"1","message":{"role":"user","content":[{"type":"text","text":"Go"}]}}`,
				`{"type":"message","id":"2","message":{"role":"assistant","content":[{"type":"text","text":"Done."},{"type":"toolCall","name":"edit","arguments":{"path":"a.go"}}]}}`,
				`{"type":"message","id":"3","message":{"role":"toolResult","content":[{"type":"text","text":"ok"}]}}`,
			),
			format: FormatDroid,
			want: []Message{
				{Role: RolePerson, Text: "Go", Turn: 1, Line: 2},
				{Role: RoleAssistant, Text: "Done.", Turn: 1, Line: 3, Files: []string{"a.go"}},
			},
		},
		{
			name: "antigravity steps",
			input: join(
				`{"step_index":0,"source":"USER_EXPLICIT","type":"USER_INPUT","created_at":"2026-02-01T10:00:00Z","content":"<USER_REQUEST>\nGo\n</USER_REQUEST>\n<ADDITIONAL_METADATA>x</ADDITIONAL_METADATA>"}`,
				`{"step_index":1,"source":"MODEL","type":"PLANNER_RESPONSE","content":"Done.","tool_calls":[{"name":"write_to_file","args":{"TargetFile":"/x/a.go"}}]}`,
			),
			format: FormatAntigravity,
			want: []Message{
				{Role: RolePerson, Text: "Go", Time: at("2026-02-01T10:00:00Z"), Turn: 1, Line: 1},
				{Role: RoleAssistant, Text: "Done.", Turn: 1, Line: 2, Files: []string{"/x/a.go"}},
			},
		},
		{
			name: "chat messages with calls in lists",
			input: join(
				`{"role":"user","content":"Go"}`,
				`{"role":"assistant","content":"Cut the wire.","tool_calls":[{"function":{"name":"write_file","arguments":"{\"path\":\"wire.go\"}"}}]}`,
			),
			format: FormatChat,
			want: []Message{
				{Role: RolePerson, Text: "Go", Turn: 1, Line: 1},
				{Role: RoleAssistant, Text: "Cut the wire.", Turn: 1, Line: 2, Files: []string{"wire.go"}},
			},
		},
		{name: "plain text has no speakers", input: "Added retries.\n", format: FormatText},
		{name: "nothing has no messages", input: " \n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := ReadMessages(Options{}, []byte(tt.input))
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(tt.want, got.Messages, cmpopts.EquateEmpty(), cmpopts.IgnoreUnexported(Message{})); d != "" {
				t.Errorf("messages (-want +got):\n%s", d)
			}
			if got.Format != tt.format {
				t.Errorf("format %q, want %q", got.Format, tt.format)
			}
		})
	}
}

func TestReadMessagesBeginsWhereItIsTold(t *testing.T) {
	lines := join(
		`{"type":"user","uuid":"u1","message":{"content":"One"}}`,
		`{"type":"assistant","uuid":"u2","parentUuid":"u1","message":{"content":[{"type":"text","text":"First."}]}}`,
		`{"type":"user","uuid":"u3","message":{"content":"Two"}}`,
	)
	document := `{"messages":[{"id":"1","type":"user","content":"One"},{"id":"2","type":"user","content":"Two"}]}`
	for _, tt := range []struct {
		name   string
		opts   Options
		chunks []string
		want   string
		before int
	}{
		{"from the beginning", Options{}, []string{lines}, "One|First.|Two", 0},
		{"after a number of lines", Options{From: 2}, []string{lines}, "Two", 2},
		{"after an identifier, which wins over the number", Options{From: 1, After: "u2"}, []string{lines}, "Two", 2},
		{"an unknown identifier leaves the number", Options{From: 1, After: "u9"}, []string{lines}, "First.|Two", 1},
		{"a parent is not the entry", Options{After: "u1"}, []string{lines}, "First.|Two", 1},
		{"everything may be passed over", Options{From: 9}, []string{lines}, "", 3},
		{"messages of a document are counted like lines", Options{After: "1"}, []string{document}, "Two", 1},
		{"chunks of a document go on counting", Options{From: 3}, []string{document, strings.ReplaceAll(document, "Two", "Four")}, "Four", 3},
		{"chunks of lines", Options{After: "u3"}, []string{lines, `{"type":"user","message":{"content":"Three"}}`}, "Three", 3},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var chunks [][]byte
			for _, c := range tt.chunks {
				chunks = append(chunks, []byte(c))
			}
			got, err := ReadMessages(tt.opts, chunks...)
			if err != nil {
				t.Fatal(err)
			}
			var texts []string
			for _, m := range got.Messages {
				texts = append(texts, m.Text)
			}
			if s := strings.Join(texts, "|"); s != tt.want || got.Before != tt.before {
				t.Errorf("got %q before %d, want %q before %d", s, got.Before, tt.want, tt.before)
			}
		})
	}
}

func TestReadMessagesDeclaresWhatItLeavesOut(t *testing.T) {
	chat := join(
		`{"role":"user","content":"`+strings.Repeat("é", 20)+`"}`,
		`not json`,
		`{"role":"assistant","content":"`+strings.Repeat("x", 200)+`"}`,
		`{"role":"assistant","content":"Kept."}`,
		`{"role":"assistant","content":"Over."}`,
		`{"role":"assistant","content":"Past the lines."}`,
	)
	got, err := ReadMessages(Options{LineBytes: 100, Messages: 2, TextBytes: 11, Lines: 5}, []byte(chat))
	if err != nil {
		t.Fatal(err)
	}
	if got.Skipped != 2 || got.Dropped != 1 || got.Unread != 1 || len(got.Messages) != 2 {
		t.Errorf("got %+v", got)
	}
	if m := got.Messages[0]; m.Text != strings.Repeat("é", 5) || !m.Cut {
		t.Errorf("first message is %+v", m)
	}
	if _, err := ReadMessages(Options{}, []byte(`{"a":1}`+"\n"+`{"b":2}`)); !errors.Is(err, ErrUnreadable) {
		t.Errorf("err = %v", err)
	}
}

func FuzzReadMessages(f *testing.F) {
	f.Add("plain text", "", 0)
	f.Add(`{"type":"assistant","uuid":"a","message":{"content":[{"type":"text","text":"x"},{"type":"tool_use","name":"Edit","input":{"file_path":"y"}}]}}`, "a", 1)
	f.Add(`{"messages":[{"type":"gemini","content":"x"},{"messages":[{"messages":[]}]}]}`, "", 0)
	f.Add("user:\nx\nassistant:\ny\n[Tool call] z\n", "", 1)
	f.Add(`{"type":"event_msg","payload":{"type":"agent_message","message":"\u0000\ud800"}}`, "", 0)
	f.Add(`{"info":{"role":"user"},"parts":[{"type":"text","text":"x"},null]}`, "", -1)
	f.Add("{\"role\":\"assistant\",\"content\":[\"\xff\", {\"text\":1}, null, [[]]]}", "x\"", 0)
	f.Fuzz(func(t *testing.T, s, after string, from int) {
		opts := Options{From: from, After: after, Lines: 50, LineBytes: 1 << 10, Messages: 20, TextBytes: 1 << 8}
		cut := len(s) / 2
		a, errA := ReadMessages(opts, []byte(s[:cut]), []byte(s[cut:]))
		b, errB := ReadMessages(opts, []byte(s[:cut]), []byte(s[cut:]))
		if !reflect.DeepEqual(a, b) || (errA == nil) != (errB == nil) {
			t.Fatalf("two readings differ: %+v, %+v", a, b)
		}
		if len(a.Messages) > opts.Messages || a.Skipped > a.Lines {
			t.Errorf("counts are out of bounds: %+v", a)
		}
		line := 0
		for _, m := range a.Messages {
			if m.Text == "" || len(m.Text) > opts.TextBytes || !utf8.ValidString(m.Text) {
				t.Errorf("bad text: %q", m.Text)
			}
			if m.Line < line {
				t.Errorf("lines go backwards: %+v", a.Messages)
			}
			line = m.Line
		}
	})
}

package transcript

import (
	"errors"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// join makes a file of lines.
func join(lines ...string) string { return strings.Join(lines, "\n") + "\n" }

func TestReadFindsTheLastAssistantTurn(t *testing.T) {
	tests := []struct {
		name  string
		input string
		want  Turn
	}{
		{
			name: "claude code joins the messages since the last prompt and leaves tools out",
			input: join(
				`{"type":"user","message":{"role":"user","content":"Make the lamp brighter"}}`,
				`{"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"An older turn."}]}}`,
				`{"type":"user","message":{"role":"user","content":[{"type":"text","text":"And test it"}]}}`,
				`{"type":"assistant","message":{"id":"m1","content":[{"type":"thinking","thinking":"hm"},{"type":"text","text":"Reading the lamp."}]}}`,
				`{"type":"assistant","message":{"id":"m1","content":[{"type":"tool_use","name":"Edit","input":{"file_path":"lamp.go"}}]}}`,
				`{"type":"user","message":{"role":"user","content":[{"type":"tool_result","content":"ok"}]}}`,
				`{"type":"assistant","message":{"id":"m2","content":[{"type":"text","text":"Added TestLamp in lamp_test.go."}]}}`,
			),
			want: Turn{Text: "Reading the lamp.\n\nAdded TestLamp in lamp_test.go.", Format: FormatClaude, Lines: 7},
		},
		{
			name: "claude code leaves out sub-agents, synthetic, meta and error lines",
			input: join(
				`{"type":"summary","summary":"Lamp work"}`,
				`{"type":"user","message":{"content":"Go"}}`,
				`{"type":"assistant","message":{"content":[{"type":"text","text":"Dimmed it."}]}}`,
				`{"type":"user","isMeta":true,"message":{"content":"Caveat"}}`,
				`{"type":"user","message":{"content":"<command-name>/cost</command-name>"}}`,
				`{"type":"assistant","isSidechain":true,"message":{"content":[{"type":"text","text":"From a sub-agent."}]}}`,
				`{"type":"assistant","message":{"model":"<synthetic>","content":[{"type":"text","text":"No response requested."}]}}`,
				`{"type":"assistant","isApiErrorMessage":true,"message":{"content":[{"type":"text","text":"API Error"}]}}`,
				`{"type":"system","content":"done"}`,
			),
			want: Turn{Text: "Dimmed it.", Format: FormatClaude, Lines: 9},
		},
		{
			name: "a prompt without an answer does not hide the turn before it",
			input: join(
				`{"type":"assistant","message":{"content":[{"type":"text","text":"Removed the fuse."}]}}`,
				`{"type":"user","message":{"content":"Thanks"}}`,
			),
			want: Turn{Text: "Removed the fuse.", Format: FormatClaude, Lines: 2},
		},
		{
			name: "malformed lines are skipped and counted",
			input: join(
				`{"type":"assistant","message":{"content":[{"type":"te`,
				`not json`,
				`[1,2]`,
				`{"type":"assistant","message":{"content":[{"type":"text","text":"Kept."}]}}`,
				`{"nothing":"known"}`,
			),
			want: Turn{Text: "Kept.", Format: FormatClaude, Lines: 5, Skipped: 4},
		},
		{
			name: "codex sessions tell every message twice and it is taken once",
			input: join(
				`{"timestamp":"t","type":"session_meta","payload":{"id":"s","cwd":"/x"}}`,
				`{"type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"<environment_context>..."}]}}`,
				`{"type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"Bump the valve"}]}}`,
				`{"type":"event_msg","payload":{"type":"user_message","message":"Bump the valve"}}`,
				`{"type":"event_msg","payload":{"type":"agent_message","message":"Bumped valve to 2.1."}}`,
				`{"type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Bumped valve to 2.1."}]}}`,
				`{"type":"response_item","payload":{"type":"function_call_output","output":{"content":"x"}}}`,
				`{"type":"event_msg","payload":{"type":"token_count","info":null}}`,
			),
			want: Turn{Text: "Bumped valve to 2.1.", Format: FormatCodex, Lines: 8},
		},
		{
			name: "codex events alone are read",
			input: join(
				`{"type":"event_msg","payload":{"type":"user_message","message":"Go"}}`,
				`{"type":"event_msg","payload":{"type":"agent_message","message":"Moved the pump."}}`,
			),
			want: Turn{Text: "Moved the pump.", Format: FormatCodex, Lines: 2},
		},
		{
			name: "codex exec streams are read",
			input: join(
				`{"type":"thread.started","thread_id":"1"}`,
				`{"type":"turn.started"}`,
				`{"type":"item.completed","item":{"id":"0","type":"reasoning","text":"thinking"}}`,
				`{"type":"item.completed","item":{"id":"1","type":"agent_message","text":"Renamed Gate to Door."}}`,
				`{"type":"turn.completed","usage":{}}`,
			),
			want: Turn{Text: "Renamed Gate to Door.", Format: FormatCodex, Lines: 5},
		},
		{
			name: "gemini documents are read whole",
			input: `{
  "sessionId": "g",
  "messages": [
    {"type": "user", "content": "Go"},
    {"type": "gemini", "content": "Old."},
    {"type": "user", "content": [{"text": "Again"}]},
    {"type": "gemini", "content": "Deleted ` + "`pipe.py`" + `.", "toolCalls": []}
  ]
}`,
			want: Turn{Text: "Deleted `pipe.py`.", Format: FormatGemini, Lines: 4},
		},
		{
			name: "gemini lines are read",
			input: join(
				`{"type":"user","content":[{"text":"Go"}]}`,
				`{"type":"gemini","content":"Added a seal."}`,
			),
			want: Turn{Text: "Added a seal.", Format: FormatGemini, Lines: 2},
		},
		{
			name: "cursor lines are read",
			input: join(
				`{"role":"user","message":{"content":[{"type":"text","text":"<user_query>Go</user_query>"}]}}`,
				`{"role":"assistant","message":{"content":[{"type":"text","text":"Closed the lid."}]}}`,
			),
			want: Turn{Text: "Closed the lid.", Format: FormatCursor, Lines: 2},
		},
		{
			name: "cursor text is read without tools and thinking",
			input: join("user:", "<user_query>", "Go", "</user_query>", "", "assistant:", "[Thinking] about it", "", "Closed the lid.",
				"[Tool call] Edit", "  path: lid.go", "", "Opened the box."),
			want: Turn{Text: "Closed the lid.\n\nOpened the box.", Format: FormatCursor, Lines: 14},
		},
		{
			name: "chat messages are read, one a line or in an array",
			input: `[{"role":"user","content":"Go"},
{"role":"assistant","content":"Cut the wire."}]`,
			want: Turn{Text: "Cut the wire.", Format: FormatChat, Lines: 2},
		},
		{
			name:  "a document on one line is read",
			input: `{"messages":[{"type":"user","content":"Go"},{"type":"gemini","content":"Ok."},7]}`,
			want:  Turn{Text: "Ok.", Format: FormatGemini, Lines: 4, Skipped: 1},
		},
		{
			name:  "plain text is the turn as it stands",
			input: "\ufeffAdded retries to `Fetch`.\r\n\r\nOnly touches fetch.go.\r\n",
			want:  Turn{Text: "Added retries to `Fetch`.\n\nOnly touches fetch.go.", Format: FormatText, Lines: 4},
		},
		{
			name:  "plain text may begin with a bracket",
			input: "[fix] tighten the bolts\n\nAdded a washer.\nNothing else.\n",
			want:  Turn{Text: "[fix] tighten the bolts\n\nAdded a washer.\nNothing else.", Format: FormatText, Lines: 5},
		},
		{
			name:  "redaction marks are counted",
			input: `{"role":"assistant","content":"Set REDACTED to [REDACTED], not UNREDACTED_X."}`,
			want:  Turn{Text: "Set REDACTED to [REDACTED], not UNREDACTED_X.", Format: FormatChat, Lines: 1, Redacted: 2},
		},
		{name: "nothing is an empty turn", input: " \n\t", want: Turn{Format: FormatText, Lines: 1}},
		{name: "a prompt alone is an empty turn", input: `{"role":"user","content":"Go"}`, want: Turn{Format: FormatChat, Lines: 1}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Read(strings.NewReader(tt.input), Limits{})
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Errorf("turn (-want +got):\n%s", d)
			}
		})
	}
}

func TestReadIsBounded(t *testing.T) {
	long := strings.Repeat("x", 300)
	t.Run("a line over the limit is skipped and the rest is read", func(t *testing.T) {
		got, err := Read(strings.NewReader(join(
			`{"role":"assistant","content":"`+long+`"}`,
			`{"role":"assistant","content":"Short."}`,
		)), Limits{LineBytes: 200})
		if err != nil || got.Text != "Short." || got.Skipped != 1 {
			t.Errorf("got %+v, %v", got, err)
		}
	})
	t.Run("a turn over the limit keeps its end and says so", func(t *testing.T) {
		got, err := Read(strings.NewReader("First line.\n"+long+"\nLast line.\n"), Limits{TextBytes: 50})
		if err != nil || got.Text != "Last line." || !got.Truncated {
			t.Errorf("got %+v, %v", got, err)
		}
	})
	t.Run("a transcript over the limit is an error, not half a transcript", func(t *testing.T) {
		_, err := Read(strings.NewReader(strings.Repeat(`{"role":"assistant","content":"a"}`+"\n", 100)), Limits{Bytes: 1000})
		if !errors.Is(err, ErrTooLarge) {
			t.Errorf("err = %v", err)
		}
	})
	t.Run("text over the limit is an error", func(t *testing.T) {
		if _, err := Read(strings.NewReader(long), Limits{DocBytes: 100}); !errors.Is(err, ErrTooLarge) {
			t.Errorf("err = %v", err)
		}
	})
	t.Run("a document over the limit is an error", func(t *testing.T) {
		if _, err := Read(strings.NewReader("{\n\"messages\": [\n\""+long+"\"]}"), Limits{DocBytes: 100}); !errors.Is(err, ErrUnreadable) {
			t.Errorf("err = %v", err)
		}
	})
	t.Run("JSON without a single message is an error", func(t *testing.T) {
		if _, err := Read(strings.NewReader(`{"a":1}`+"\n"+`{"b":2}`), Limits{}); !errors.Is(err, ErrUnreadable) {
			t.Errorf("err = %v", err)
		}
	})
	t.Run("errors of the reader are passed on", func(t *testing.T) {
		if _, err := Read(io.MultiReader(strings.NewReader("{"), failing{}), Limits{}); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("err = %v", err)
		}
	})
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

func FuzzRead(f *testing.F) {
	f.Add("plain text")
	f.Add(`{"type":"assistant","message":{"content":[{"type":"text","text":"x"}]}}`)
	f.Add(`{"messages":[{"type":"gemini","content":"x"},{"messages":[{"messages":[]}]}]}`)
	f.Add("user:\nx\nassistant:\ny\n[Tool call] z\n")
	f.Add(`{"type":"event_msg","payload":{"type":"agent_message","message":"\u0000\ud800"}}`)
	f.Add("{\"role\":\"assistant\",\"content\":[\"\xff\", {\"text\":1}, null, [[]]]}")
	limits := Limits{Bytes: 1 << 16, LineBytes: 1 << 10, DocBytes: 1 << 12, TextBytes: 1 << 8}
	f.Fuzz(func(t *testing.T, s string) {
		a, errA := Read(strings.NewReader(s), limits)
		b, errB := Read(strings.NewReader(s), limits)
		if a != b || (errA == nil) != (errB == nil) {
			t.Fatalf("two readings differ: %+v, %+v", a, b)
		}
		if !utf8.ValidString(a.Text) {
			t.Errorf("text is not UTF-8: %q", a.Text)
		}
		if len(a.Text) > limits.TextBytes {
			t.Errorf("text has %d bytes, over the limit", len(a.Text))
		}
		if a.Skipped > a.Lines {
			t.Errorf("skipped %d of %d lines", a.Skipped, a.Lines)
		}
	})
}

func BenchmarkRead(b *testing.B) {
	tool := `{"type":"user","message":{"role":"user","content":[{"type":"tool_result","content":"` + strings.Repeat("output ", 500) + `"}]}}`
	say := `{"type":"assistant","message":{"content":[{"type":"text","text":"Added a thing."}]}}`
	session := strings.Repeat(tool+"\n"+say+"\n", 500)
	b.SetBytes(int64(len(session)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Read(strings.NewReader(session), Limits{}); err != nil {
			b.Fatal(err)
		}
	}
}

package transcript

import (
	"bytes"
	"encoding/json"
	"strings"
	"time"
)

// line holds the fields that any of the known agents uses in one line. Fields
// that differ in type between agents stay raw.
type line struct {
	Type        string          `json:"type"`
	Role        string          `json:"role"`
	Message     json.RawMessage `json:"message"`
	Content     json.RawMessage `json:"content"`
	Payload     json.RawMessage `json:"payload"`
	Item        json.RawMessage `json:"item"`
	Messages    json.RawMessage `json:"messages"`
	IsSidechain bool            `json:"isSidechain"`
	IsMeta      bool            `json:"isMeta"`
	IsSummary   bool            `json:"isCompactSummary"`
	IsError     bool            `json:"isApiErrorMessage"`

	Timestamp json.RawMessage `json:"timestamp"`
	CreatedAt json.RawMessage `json:"created_at"`
	Cwd       string          `json:"cwd"`
	ToolCalls json.RawMessage `json:"toolCalls"`  // Gemini CLI
	Tools     json.RawMessage `json:"tool_calls"` // Antigravity, chat
	Data      json.RawMessage `json:"data"`       // Copilot CLI
	Info      json.RawMessage `json:"info"`       // OpenCode
	Parts     json.RawMessage `json:"parts"`      // OpenCode
	Source    string          `json:"source"`     // Antigravity
}

// message is what an agent wraps in a line.
type message struct {
	Type    string          `json:"type"`
	Role    string          `json:"role"`
	Model   string          `json:"model"`
	Content json.RawMessage `json:"content"`
	Message string          `json:"message"`
	Text    string          `json:"text"`
}

// block is one piece of a message's content.
type block struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

// hearer takes what the shapes find, in the order of the transcript.
type hearer interface {
	count() *tally
	at(t time.Time, cwd string)  // when and where the line was written; zero and "" where it does not say
	prompt(text string)          // a person spoke; "" where the words are not there
	say(text string, event bool) // the assistant spoke; event marks what may be told twice
	touch(paths ...string)       // a tool was told to change these files
}

// tally counts what was read.
type tally struct {
	format  Format
	lines   int
	skipped int
	known   int // lines that had one of the known shapes
}

func (t *tally) count() *tally { return t }

// seen notes that a line had a known shape. The first shape names the transcript.
func (t *tally) seen(f Format) {
	t.known++
	if t.format == "" {
		t.format = f
	}
}

// readLineInto reads one line of JSON Lines; blank ones do not count.
func readLineInto(h hearer, raw []byte, tooLong bool) {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 && !tooLong {
		return
	}
	h.count().lines++
	if tooLong || !readShape(raw, h) {
		h.count().skipped++
	}
}

// readShape reads one line of JSON into h. It returns false when the line is
// not an object of a known shape; lines of known shapes that carry no message
// (tool results, state, costs) are true.
func readShape(data []byte, h hearer) bool {
	var l line
	if len(data) == 0 || data[0] != '{' || json.Unmarshal(data, &l) != nil {
		return false
	}
	h.at(stampOf(l), l.Cwd)
	switch {
	case l.Type == "response_item" || l.Type == "event_msg":
		h.count().seen(FormatCodex)
		codexPayload(l.Payload, h)
	case l.Type == "session_meta" || l.Type == "turn_context" || l.Type == "compacted":
		h.count().seen(FormatCodex)
	case strings.HasPrefix(l.Type, "item.") || strings.HasPrefix(l.Type, "turn.") || strings.HasPrefix(l.Type, "thread."):
		h.count().seen(FormatCodex)
		codexEvent(l, h)
	case (l.Type == "user.message" || l.Type == "assistant.message" || l.Type == "tool.execution_complete") && isObject(l.Data):
		h.count().seen(FormatCopilot)
		copilotEvent(l, h)
	case l.Type == "message" && isObject(l.Message):
		h.count().seen(FormatDroid)
		wrapped("", l.Message, h)
	case isObject(l.Info) && isArray(l.Parts):
		h.count().seen(FormatOpenCode)
		openCodeMessage(l, h)
	case l.Source != "" && (l.Type == "USER_INPUT" || l.Type == "PLANNER_RESPONSE"):
		h.count().seen(FormatAntigravity)
		antigravityStep(l, h)
	case (l.Type == "assistant" || l.Type == "user") && isObject(l.Message):
		h.count().seen(FormatClaude)
		claudeLine(l, h)
	case (l.Role == "assistant" || l.Role == "user") && isObject(l.Message):
		h.count().seen(FormatCursor)
		wrapped(l.Role, l.Message, h)
	case l.Type == "gemini" || l.Type == "user" && len(l.Content) > 0:
		h.count().seen(FormatGemini)
		speak(l.Type, l.Content, h)
		listedCalls(l.ToolCalls, h)
	case l.Role != "" && len(l.Content) > 0:
		h.count().seen(FormatChat)
		speak(l.Role, l.Content, h)
		listedCalls(l.Tools, h)
	case isArray(l.Messages):
		return readMessages(l.Messages, h)
	default:
		// A line that names its type is some agent's, with nothing for us in it
		// (summaries, snapshots, token counts); anything else is not a transcript's.
		return l.Type != "" && h.count().known > 0 || l.Type == "summary" || l.Type == "system" || l.Type == "file-history-snapshot"
	}
	return true
}

// readDocument reads a transcript that is one JSON value.
func readDocument(data []byte, h hearer) bool {
	data = bytes.TrimSpace(data)
	if isArray(data) {
		return readMessages(data, h)
	}
	var l line
	if !isObject(data) || json.Unmarshal(data, &l) != nil || !isArray(l.Messages) {
		return false
	}
	return readMessages(l.Messages, h)
}

// readMessages reads an array of messages; one that is malformed costs only itself.
func readMessages(data []byte, h hearer) bool {
	var all []json.RawMessage
	if json.Unmarshal(data, &all) != nil {
		return false
	}
	for _, raw := range all {
		h.count().lines++
		// Messages do not nest: without this a document inside a document recurses.
		var inner line
		if !isObject(raw) || json.Unmarshal(raw, &inner) != nil || isArray(inner.Messages) || !readShape(raw, h) {
			h.count().skipped++
		}
	}
	return h.count().known > 0
}

func claudeLine(l line, h hearer) {
	if l.IsSidechain || l.IsMeta || l.IsSummary || l.IsError {
		return
	}
	wrapped(l.Type, l.Message, h)
}

func wrapped(role string, raw json.RawMessage, h hearer) {
	var m message
	if json.Unmarshal(raw, &m) != nil {
		// The content alone can still be had when another field has an odd type.
		var c struct {
			Content json.RawMessage `json:"content"`
		}
		if json.Unmarshal(raw, &c) != nil {
			h.count().skipped++
			return
		}
		m.Content = c.Content
	}
	if m.Model == "<synthetic>" {
		return
	}
	if role == "" {
		role = m.Role
	}
	speak(role, m.Content, h)
}

func codexPayload(raw json.RawMessage, h hearer) {
	var m message
	if json.Unmarshal(raw, &m) != nil {
		return // payloads of tools have fields of other types under the same names
	}
	switch m.Type {
	case "message":
		speak(m.Role, m.Content, h)
	case "agent_message":
		h.say(m.Message, true)
	case "user_message":
		if !isInjected(m.Message) {
			h.prompt(m.Message)
		}
	case "function_call", "custom_tool_call", "local_shell_call":
		touched(raw, h)
	}
}

func codexEvent(l line, h hearer) {
	if l.Type == "turn.started" {
		h.prompt("")
		return
	}
	var m message
	if l.Type != "item.completed" || json.Unmarshal(l.Item, &m) != nil {
		return
	}
	if m.Type == "agent_message" || m.Type == "assistant_message" {
		h.say(m.Text, false)
	}
}

// speak hands the text of a message to the gatherer under its role.
func speak(role string, content json.RawMessage, h hearer) {
	text, prompt := contentText(content)
	switch role {
	case "assistant", "gemini", "model":
		h.say(text, false)
		blockCalls(content, h)
	case "user", "human":
		if prompt && !isInjected(text) {
			h.prompt(text)
		}
	}
}

// contentText is the text of a message's content, which is a string, one block
// or an array of strings and blocks. prompt is true when it holds words, not only the results of tools.
func contentText(content json.RawMessage) (text string, prompt bool) {
	content = bytes.TrimSpace(content)
	switch {
	case len(content) == 0:
		return "", false
	case content[0] == '"':
		var s string
		if json.Unmarshal(content, &s) != nil {
			return "", false
		}
		return s, strings.TrimSpace(s) != ""
	case isObject(content):
		return blockText(content)
	case !isArray(content):
		return "", false
	}
	var items []json.RawMessage
	if json.Unmarshal(content, &items) != nil {
		return "", false
	}
	var texts []string
	for _, item := range items {
		t, ok := "", false
		if isObject(item) {
			t, ok = blockText(item)
		} else if json.Unmarshal(item, &t) == nil {
			ok = strings.TrimSpace(t) != ""
		}
		if ok {
			texts = append(texts, t)
		}
	}
	return strings.Join(texts, "\n\n"), len(texts) > 0
}

func blockText(raw json.RawMessage) (string, bool) {
	var b block
	if json.Unmarshal(raw, &b) != nil {
		return "", false
	}
	switch b.Type {
	case "text", "output_text", "input_text", "":
		return b.Text, strings.TrimSpace(b.Text) != ""
	}
	return "", false
}

// isInjected says whether a user's message was put there by the agent's program.
func isInjected(text string) bool {
	text = strings.TrimSpace(text)
	for _, tag := range []string{
		"<environment_context>", "<user_instructions>", "<permissions instructions>", "<turn_aborted>",
		"<system-reminder>", "<local-command-stdout>", "<command-name>", "<command-message>", "<task-notification>",
		"# AGENTS.md instructions", "[Request interrupted by user",
		"<bash-input>", "<bash-stdout>", "<bash-stderr>", "<local-command-caveat>", "Caveat: The messages below",
	} {
		if strings.HasPrefix(text, tag) {
			return true
		}
	}
	return false
}

func isObject(raw []byte) bool { raw = bytes.TrimSpace(raw); return len(raw) > 0 && raw[0] == '{' }
func isArray(raw []byte) bool  { raw = bytes.TrimSpace(raw); return len(raw) > 0 && raw[0] == '[' }

package transcript

import (
	"bytes"
	"encoding/json"
	"strings"
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

// readShape reads one line of JSON into g. It returns false when the line is
// not an object of a known shape; lines of known shapes that carry no message
// (tool results, state, costs) are true.
func readShape(data []byte, g *gatherer) bool {
	var l line
	if len(data) == 0 || data[0] != '{' || json.Unmarshal(data, &l) != nil {
		return false
	}
	switch {
	case l.Type == "response_item" || l.Type == "event_msg":
		g.seen(FormatCodex)
		codexPayload(l.Payload, g)
	case l.Type == "session_meta" || l.Type == "turn_context" || l.Type == "compacted":
		g.seen(FormatCodex)
	case strings.HasPrefix(l.Type, "item.") || strings.HasPrefix(l.Type, "turn.") || strings.HasPrefix(l.Type, "thread."):
		g.seen(FormatCodex)
		codexEvent(l, g)
	case (l.Type == "assistant" || l.Type == "user") && isObject(l.Message):
		g.seen(FormatClaude)
		claudeLine(l, g)
	case (l.Role == "assistant" || l.Role == "user") && isObject(l.Message):
		g.seen(FormatCursor)
		wrapped(l.Role, l.Message, g)
	case l.Type == "gemini" || l.Type == "user" && len(l.Content) > 0:
		g.seen(FormatGemini)
		speak(l.Type, l.Content, g)
	case l.Role != "" && len(l.Content) > 0:
		g.seen(FormatChat)
		speak(l.Role, l.Content, g)
	case isArray(l.Messages):
		return readMessages(l.Messages, g)
	default:
		// A line that names its type is some agent's, with nothing for us in it
		// (summaries, snapshots, token counts); anything else is not a transcript's.
		return l.Type != "" && g.known > 0 || l.Type == "summary" || l.Type == "system" || l.Type == "file-history-snapshot"
	}
	return true
}

// readDocument reads a transcript that is one JSON value.
func readDocument(data []byte, g *gatherer) bool {
	data = bytes.TrimSpace(data)
	if isArray(data) {
		return readMessages(data, g)
	}
	var l line
	if !isObject(data) || json.Unmarshal(data, &l) != nil || !isArray(l.Messages) {
		return false
	}
	return readMessages(l.Messages, g)
}

// readMessages reads an array of messages; one that is malformed costs only itself.
func readMessages(data []byte, g *gatherer) bool {
	var all []json.RawMessage
	if json.Unmarshal(data, &all) != nil {
		return false
	}
	for _, raw := range all {
		g.lines++
		// Messages do not nest: without this a document inside a document recurses.
		var inner line
		if !isObject(raw) || json.Unmarshal(raw, &inner) != nil || isArray(inner.Messages) || !readShape(raw, g) {
			g.skipped++
		}
	}
	return g.known > 0
}

func claudeLine(l line, g *gatherer) {
	if l.IsSidechain || l.IsMeta || l.IsSummary || l.IsError {
		return
	}
	wrapped(l.Type, l.Message, g)
}

func wrapped(role string, raw json.RawMessage, g *gatherer) {
	var m message
	if json.Unmarshal(raw, &m) != nil {
		// The content alone can still be had when another field has an odd type.
		var c struct {
			Content json.RawMessage `json:"content"`
		}
		if json.Unmarshal(raw, &c) != nil {
			g.skipped++
			return
		}
		m.Content = c.Content
	}
	if m.Model == "<synthetic>" {
		return
	}
	speak(role, m.Content, g)
}

func codexPayload(raw json.RawMessage, g *gatherer) {
	var m message
	if json.Unmarshal(raw, &m) != nil {
		return // payloads of tools have fields of other types under the same names
	}
	switch m.Type {
	case "message":
		speak(m.Role, m.Content, g)
	case "agent_message":
		g.say(m.Message, true)
	case "user_message":
		g.prompt()
	}
}

func codexEvent(l line, g *gatherer) {
	if l.Type == "turn.started" {
		g.prompt()
		return
	}
	var m message
	if l.Type != "item.completed" || json.Unmarshal(l.Item, &m) != nil {
		return
	}
	if m.Type == "agent_message" || m.Type == "assistant_message" {
		g.say(m.Text, false)
	}
}

// speak hands the text of a message to the gatherer under its role.
func speak(role string, content json.RawMessage, g *gatherer) {
	text, prompt := contentText(content)
	switch role {
	case "assistant", "gemini", "model":
		g.say(text, false)
	case "user", "human":
		if prompt && !isInjected(text) {
			g.prompt()
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
	} {
		if strings.HasPrefix(text, tag) {
			return true
		}
	}
	return false
}

func isObject(raw []byte) bool { raw = bytes.TrimSpace(raw); return len(raw) > 0 && raw[0] == '{' }
func isArray(raw []byte) bool  { raw = bytes.TrimSpace(raw); return len(raw) > 0 && raw[0] == '[' }

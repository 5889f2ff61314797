package transcript

import (
	"bytes"
	"encoding/json"
	"strings"
	"time"
)

// call is a call of a tool, in the words of any agent.
type call struct {
	Name      string          `json:"name"`
	Tool      string          `json:"tool"`
	Input     json.RawMessage `json:"input"`
	Args      json.RawMessage `json:"args"`
	Arguments json.RawMessage `json:"arguments"`
	Function  json.RawMessage `json:"function"`
	Action    json.RawMessage `json:"action"`
	State     struct {
		Input json.RawMessage `json:"input"`
	} `json:"state"`
}

// editors are the tools that change files, by their names in lower case without
// "_" and "-".
var editors = map[string]bool{
	"edit": true, "multiedit": true, "write": true, "notebookedit": true, "create": true, "createfile": true,
	"editfile": true, "writefile": true, "deletefile": true, "delete": true, "replace": true, "searchreplace": true,
	"strreplace": true, "strreplaceeditor": true, "strreplacebasededittool": true, "insertedit": true,
	"inserteditintofile": true, "replacefilecontent": true, "multireplacefilecontent": true, "writetofile": true,
	"applypatch": true, "editnotebook": true,
}

// pathKeys are where editors are told which file.
var pathKeys = []string{"file_path", "filePath", "path", "notebook_path", "target_file", "TargetFile", "absolute_path", "filename", "target_notebook"}

// blockCalls looks for calls among the blocks of a message's content.
func blockCalls(content json.RawMessage, h hearer) {
	// Most messages are text: their blocks are not taken apart again.
	if !isArray(content) || !bytes.Contains(content, []byte(`tool`)) {
		return
	}
	var items []json.RawMessage
	if json.Unmarshal(content, &items) != nil {
		return
	}
	for _, item := range items {
		var kind struct {
			Type string `json:"type"`
		}
		if json.Unmarshal(item, &kind) != nil {
			continue
		}
		switch kind.Type {
		case "tool_use", "toolCall", "tool_call", "tool-call", "tool":
			touched(item, h)
		}
	}
}

// listedCalls reads calls that stand in a list of their own.
func listedCalls(raw json.RawMessage, h hearer) {
	var items []json.RawMessage
	if !isArray(raw) || json.Unmarshal(raw, &items) != nil {
		return
	}
	for _, item := range items {
		touched(item, h)
	}
}

// touched notes which files one call is to change.
func touched(raw json.RawMessage, h hearer) {
	var c call
	if json.Unmarshal(raw, &c) != nil {
		return
	}
	if isObject(c.Function) { // chat messages wrap name and arguments
		inner := call{}
		if json.Unmarshal(c.Function, &inner) == nil {
			c.Name, c.Arguments = inner.Name, inner.Arguments
		}
	}
	input := first(c.Input, c.Args, c.Arguments, c.State.Input, c.Action)
	var text string
	if json.Unmarshal(input, &text) == nil { // arguments as a string of JSON, or a patch
		if h.touch(patched(text)...); !isObject([]byte(text)) {
			return
		}
		input = json.RawMessage(text)
	}
	name := strings.NewReplacer("_", "", "-", "").Replace(strings.ToLower(c.Name + c.Tool))
	var fields map[string]json.RawMessage
	if json.Unmarshal(input, &fields) != nil {
		return
	}
	if !editors[name] {
		if bytes.Contains(input, []byte("*** Begin Patch")) { // a patch inside a shell command
			h.touch(patched(flat(input))...)
		}
		return
	}
	var command string
	if json.Unmarshal(fields["command"], &command) == nil && command == "view" {
		return
	}
	for _, key := range pathKeys {
		var path string
		if json.Unmarshal(fields[key], &path) == nil && path != "" {
			h.touch(path)
			break
		}
	}
	if bytes.Contains(input, []byte("*** Begin Patch")) {
		h.touch(patched(flat(input))...)
	}
}

// flat turns the escaped line ends of JSON text into line ends, so that the
// lines of a patch inside it can be seen.
func flat(raw []byte) string { return strings.ReplaceAll(string(raw), `\n`, "\n") }

// patched lists the files that a patch in Codex's own form names.
func patched(text string) []string {
	if !strings.Contains(text, "*** Begin Patch") {
		return nil
	}
	var paths []string
	for line := range strings.SplitSeq(text, "\n") {
		for _, mark := range []string{"*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: "} {
			if path, ok := strings.CutPrefix(line, mark); ok {
				paths = append(paths, strings.TrimSpace(path))
			}
		}
	}
	return paths
}

func first(raws ...json.RawMessage) json.RawMessage {
	for _, r := range raws {
		if len(r) > 0 && !bytes.Equal(r, []byte("null")) {
			return r
		}
	}
	return nil
}

// stampOf is when a line says that it was written: RFC 3339, or milliseconds of
// the Unix epoch.
func stampOf(l line) time.Time { return stamp(first(l.Timestamp, l.CreatedAt)) }

func stamp(raw json.RawMessage) time.Time {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		t, err := time.Parse(time.RFC3339, s)
		if err != nil {
			return time.Time{}
		}
		return t.UTC()
	}
	var ms int64
	if json.Unmarshal(raw, &ms) == nil && ms > 0 && ms < 1<<43 {
		return time.UnixMilli(ms).UTC()
	}
	return time.Time{}
}

// copilotEvent reads one event of Copilot CLI. Its tools say which files they
// changed when they are done.
func copilotEvent(l line, h hearer) {
	var d struct {
		Content     string `json:"content"`
		Transformed string `json:"transformedContent"`
		Telemetry   struct {
			Properties struct {
				FilePaths string `json:"filePaths"` // a list, as JSON in a string
			} `json:"properties"`
		} `json:"toolTelemetry"`
	}
	if json.Unmarshal(l.Data, &d) != nil {
		return
	}
	switch l.Type {
	case "user.message":
		if text := d.Content; text != "" || d.Transformed != "" {
			if text == "" {
				text = withoutTags(d.Transformed)
			}
			h.prompt(text)
		}
	case "assistant.message":
		h.say(d.Content, false)
	default:
		var paths []string
		if json.Unmarshal([]byte(d.Telemetry.Properties.FilePaths), &paths) == nil {
			h.touch(paths...)
		}
	}
}

// openCodeMessage reads one message of an OpenCode export.
func openCodeMessage(l line, h hearer) {
	var info struct {
		Role string `json:"role"`
		Time struct {
			Created json.RawMessage `json:"created"`
		} `json:"time"`
	}
	if json.Unmarshal(l.Info, &info) != nil {
		return
	}
	h.at(stamp(info.Time.Created), "")
	var parts []struct {
		block
		Synthetic bool `json:"synthetic"` // written by the program in the person's name
	}
	var raws []json.RawMessage
	if json.Unmarshal(l.Parts, &parts) != nil || json.Unmarshal(l.Parts, &raws) != nil {
		h.count().skipped++
		return
	}
	for i, p := range parts {
		switch {
		case p.Type == "tool":
			touched(raws[i], h)
		case p.Type != "text" || p.Synthetic:
		case info.Role == "assistant":
			h.say(p.Text, false)
		case info.Role == "user" && !isInjected(p.Text):
			h.prompt(p.Text)
		}
	}
}

// antigravityStep reads one step of an Antigravity session.
func antigravityStep(l line, h hearer) {
	text, _ := contentText(l.Content)
	switch {
	case l.Type == "USER_INPUT" && !isInjected(text):
		h.prompt(withoutTags(text))
	case l.Type == "PLANNER_RESPONSE":
		h.say(text, false)
		listedCalls(l.Tools, h)
	}
}

// contextTags are the elements that programs put around or before what a person typed.
var contextTags = []string{
	"current_datetime", "reminder", "system-reminder", "ide_opened_file", "ide_selection", "ide_diagnostics",
	"environment_details", "ADDITIONAL_METADATA", "USER_SETTINGS_CHANGE",
}

// wrapTags are the elements that programs put around what a person typed, whose
// content is what was typed.
var wrapTags = []string{"user_query", "USER_REQUEST"}

// withoutTags takes a program's own elements out of a person's words.
func withoutTags(text string) string {
	if strings.IndexByte(text, '<') < 0 {
		return strings.TrimSpace(text)
	}
	for _, tag := range contextTags {
		open, foot := "<"+tag+">", "</"+tag+">"
		for {
			i := strings.Index(text, open)
			if i < 0 {
				break
			}
			n := strings.Index(text[i:], foot)
			if n < 0 {
				break
			}
			text = text[:i] + text[i+n+len(foot):]
		}
	}
	for _, tag := range wrapTags {
		text = strings.ReplaceAll(strings.ReplaceAll(text, "<"+tag+">", ""), "</"+tag+">", "")
	}
	return strings.TrimSpace(text)
}

// CleanPrompt is the person's own words of a prompt, "" where a program wrote it
// in the person's name.
func CleanPrompt(text string) string {
	text = clean(text)
	if isInjected(text) {
		return ""
	}
	return withoutTags(text)
}

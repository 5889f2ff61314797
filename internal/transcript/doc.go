// Package transcript finds what an agent said last: it reads a session's
// transcript and hands back the text of the last assistant turn.
//
// It knows nothing of git, changes, claims or verdicts: bytes in, one Turn out.
//
// The tour: Read (read.go) is the only entry. It looks at the first bytes to
// tell JSON from plain text, streams JSON Lines through the shapes of the known
// agents (shapes.go), falls back to one JSON document and then to plain text
// (plain.go), and gathers the turn (gather.go). Nothing is held but the turn
// that is being gathered, so that a session of any length costs a bounded amount
// of memory. What could not be read is counted in the Turn, never guessed.
//
// # Shapes
//
//   - Claude Code: {"type":"assistant","message":{"content":[{"type":"text",...}]}};
//     lines of sub-agents (isSidechain) and of the program itself (isMeta,
//     model "<synthetic>") are left out; a tool result is not a prompt.
//   - Codex: stored sessions {"type":"response_item","payload":{...}} and
//     {"type":"event_msg",...}, and the event stream {"type":"item.completed",...}.
//   - Gemini CLI: one document {"messages":[{"type":"gemini","content":...}]}, or
//     the same messages one a line.
//   - Cursor: {"role":"assistant","message":{"content":[...]}}, and its text form
//     with "user:" and "assistant:" lines.
//   - Chat messages {"role":"assistant","content":...}, one a line or in an array.
//   - Checkpoints keep the agent's own lines, with REDACTED where a secret stood.
//   - Anything else is plain text: all of it is the turn.
package transcript

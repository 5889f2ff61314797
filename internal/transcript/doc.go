// Package transcript reads what was said in a session between a person and an
// agent: the last assistant turn alone, or every message with its place, time and
// the files that it led to.
//
// It knows nothing of git, changes, claims or verdicts: bytes in, values out.
//
// The tour: Read (read.go) finds the last turn. It looks at the first bytes to
// tell JSON from plain text, streams JSON Lines through the shapes of the known
// agents (shapes.go), falls back to one JSON document and then to plain text
// (plain.go), and gathers the turn (gather.go). Nothing is held but the turn
// that is being gathered, so that a session of any length costs a bounded amount
// of memory. What could not be read is counted in the Turn, never guessed.
//
// ReadMessages (turns.go) keeps all of them, from any place in the transcript on,
// and declares every bound that it ran into. Both go through the same shapes;
// what they do with what they hear differs (the hearer of shapes.go). tools.go
// knows which calls of tools change files, and the agents whose lines are unlike
// all others.
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
//   - OpenCode: one document {"messages":[{"info":{"role":...},"parts":[...]}]}.
//   - Copilot CLI: events {"type":"user.message","data":{"content":...}}.
//   - Factory Droid and Pi: {"type":"message","message":{"role":...,"content":[...]}}.
//   - Antigravity: steps {"source":...,"type":"USER_INPUT" or "PLANNER_RESPONSE","content":...}.
//   - Chat messages {"role":"assistant","content":...}, one a line or in an array.
//   - Checkpoints keep the agent's own lines, with REDACTED where a secret stood.
//   - Anything else is plain text: all of it is the turn.
package transcript

package transcript

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Role is who spoke.
type Role string

const (
	RolePerson    Role = "person"
	RoleAssistant Role = "assistant"
)

// Message is one thing that somebody said in a session.
type Message struct {
	Role  Role
	Text  string    // UTF-8, "\n" line ends, trimmed; never empty
	Time  time.Time // UTC; zero where the transcript does not say
	Turn  int       // number of the prompt that it is or answers, from 1; 0 before the first one read
	Line  int       // line, or number of the message in a document, from 1, counted from the transcript's own beginning
	Files []string  // files that tools were told to change after this message and before the next, as the agent wrote them, sorted, each once
	Cwd   string    // folder that the session worked in at the time, as the agent wrote it; "" where it does not say
	Cut   bool      // the text was longer than Options.TextBytes: its end was left out

	event bool
}

// Session is what was read of a transcript.
type Session struct {
	Messages []Message
	Format   Format
	Lines    int // lines, or messages of a document, that were looked at
	Before   int // of the transcript, those that were passed over because they belong to an earlier part
	Skipped  int // of Lines, those that were malformed or longer than Options.LineBytes
	Dropped  int // messages that were left out because Options.Messages was reached
	Unread   int // lines that were left out because Options.Lines was reached
}

// Options say which part of a transcript is read and bound it. A zero bound means
// its default.
type Options struct {
	From  int    // lines (messages of a document) at the beginning that are passed over
	After string // identifier of the last entry that is passed over; where it is found, From does not count

	Lines     int // of the transcript; 500,000
	LineBytes int // of one line, longer ones are skipped; 16 MiB
	Messages  int // that are kept, the first ones; 5,000
	TextBytes int // of one message, its beginning is kept; 64 KiB
}

func (o Options) withDefaults() Options {
	for _, d := range []struct {
		v *int
		n int
	}{{&o.Lines, 500_000}, {&o.LineBytes, 16 << 20}, {&o.Messages, 5000}, {&o.TextBytes, 64 << 10}} {
		if *d.v <= 0 {
			*d.v = d.n
		}
	}
	o.From = max(0, o.From)
	return o
}

// ReadMessages reads everything that was said in a transcript, in its order.
// chunks are its parts, one after the other, parted at line ends; a transcript
// that is one JSON document may be parted into several of its kind. Text that is
// no JSON has messages only where lines such as "user:" part it.
//
// ErrUnreadable is wrapped when a transcript looks like JSON and not one line of it can be read.
func ReadMessages(opts Options, chunks ...[]byte) (Session, error) {
	c := &collector{opts: opts.withDefaults()}
	c.from = c.opts.From
	if n, ok := placeOf(c.opts.After, chunks); ok {
		c.from = n
	}
	any := false
	for _, chunk := range chunks {
		chunk = bytes.TrimPrefix(chunk, []byte("\xef\xbb\xbf"))
		if len(bytes.TrimSpace(chunk)) == 0 {
			continue
		}
		any = true
		c.read(chunk)
	}
	// Where nothing but what was passed over has been seen, nothing is wrong.
	if any && c.known == 0 && c.lines > 0 {
		return Session{}, fmt.Errorf("%w: %d lines, none of a shape that is known", ErrUnreadable, c.lines)
	}
	return c.session(), nil
}

// collector is the hearer that keeps all messages.
type collector struct {
	tally
	opts     Options
	from     int // lines that are passed over
	seenAt   int // number of the line that is being read, from 1
	time     time.Time
	cwd      string
	turn     int
	messages []Message
	dropped  int
	unread   int
}

// read reads one chunk.
func (c *collector) read(chunk []byte) {
	head := bytes.TrimLeft(chunk, " \t\r\n")
	line, _, _ := bytes.Cut(head, []byte("\n"))
	if head[0] != '{' && head[0] != '[' {
		c.plain(chunk)
		return
	}
	if !json.Valid(bytes.TrimSpace(line)) || !isObject(line) {
		if c.document(head) {
			return
		}
	} else if c.single(head, line) {
		return
	}
	for line := range bytes.Lines(chunk) {
		c.line(line)
	}
}

// line reads one line of JSON Lines.
func (c *collector) line(line []byte) {
	line = bytes.TrimSpace(line)
	if len(line) == 0 {
		return
	}
	if !c.next() {
		return
	}
	readLineInto(c, line, len(line) > c.opts.LineBytes)
}

// next counts a line and says whether it is to be read.
func (c *collector) next() bool {
	c.seenAt++
	if c.seenAt <= c.from {
		return false
	}
	if c.seenAt > c.opts.Lines {
		c.unread++
		return false
	}
	c.time = time.Time{}
	return true
}

// single reads a document that stands on one line.
func (c *collector) single(data, line []byte) bool {
	if len(bytes.TrimSpace(data)) != len(bytes.TrimSpace(line)) {
		return false
	}
	return c.document(data)
}

// document reads a chunk that is one JSON value with messages in it.
func (c *collector) document(data []byte) bool {
	data = bytes.TrimSpace(data)
	list := json.RawMessage(data)
	if isObject(data) {
		var l struct {
			Messages json.RawMessage `json:"messages"`
		}
		if json.Unmarshal(data, &l) != nil || !isArray(l.Messages) {
			return false
		}
		list = l.Messages
	}
	var all []json.RawMessage
	if json.Unmarshal(list, &all) != nil {
		return false
	}
	for _, raw := range all {
		if !c.next() {
			continue
		}
		// Messages do not nest: a document inside a document would recurse.
		var inner struct {
			Messages json.RawMessage `json:"messages"`
		}
		if !isObject(raw) || json.Unmarshal(raw, &inner) == nil && isArray(inner.Messages) {
			c.lines++
			c.skipped++
			continue
		}
		readLineInto(c, raw, len(raw) > c.opts.LineBytes)
	}
	return true
}

// plain reads text that "user:" and "assistant:" lines part.
func (c *collector) plain(data []byte) {
	var said []string
	role, tool, began := "", false, 0
	flush := func() {
		here := c.seenAt
		c.seenAt = began
		defer func() { c.seenAt = here }()
		text := strings.Join(said, "\n")
		switch role {
		case "user":
			c.prompt(text)
		case "assistant":
			c.say(text, false)
		}
		said = said[:0]
	}
	sc := bufio.NewScanner(bytes.NewReader(data))
	sc.Buffer(nil, len(data)+1)
	for sc.Scan() {
		l := clean(sc.Text())
		if who := speaker(l); who != "" {
			flush()
			role, tool, began = who, false, c.seenAt+1
			c.seen(FormatCursor)
		}
		if !c.next() {
			continue
		}
		c.lines++
		switch {
		case speaker(l) != "" || role == "":
		case strings.HasPrefix(l, "[Tool call]") || strings.HasPrefix(l, "[Tool result]") || strings.HasPrefix(l, "[Thinking]"):
			tool = true
		case strings.TrimSpace(l) == "":
			tool = false
			said = append(said, "")
		case !tool:
			said = append(said, l)
		}
	}
	flush()
	if c.known == 0 {
		c.seen(FormatText)
	}
}

func (c *collector) at(t time.Time, cwd string) {
	if !t.IsZero() {
		c.time = t
	}
	if cwd != "" {
		c.cwd = cwd
	}
}

func (c *collector) prompt(text string) {
	text = withoutTags(clean(text))
	if n := len(c.messages); text == "" || n > 0 && c.messages[n-1].Role == RolePerson && same(c.messages[n-1], text, c.opts.TextBytes) {
		return // the same prompt as an event and as a message
	}
	c.turn++
	c.add(RolePerson, text, false)
}

func (c *collector) say(text string, event bool) {
	if text = strings.TrimSpace(clean(text)); text == "" {
		return
	}
	if n := len(c.messages); n > 0 && c.messages[n-1].Role == RoleAssistant && c.messages[n-1].event == event && same(c.messages[n-1], text, c.opts.TextBytes) {
		return
	}
	c.add(RoleAssistant, text, event)
}

// same says whether a message has this text.
func same(m Message, text string, limit int) bool {
	return m.Text == text || m.Cut && len(text) > limit && strings.HasPrefix(text, m.Text)
}

func (c *collector) add(role Role, text string, event bool) {
	if len(c.messages) >= c.opts.Messages {
		c.dropped++
		return
	}
	m := Message{Role: role, Text: text, Time: c.time, Turn: c.turn, Line: c.seenAt, Cwd: c.cwd, event: event}
	if len(text) > c.opts.TextBytes {
		m.Text, m.Cut = strings.ToValidUTF8(text[:c.opts.TextBytes], ""), true
	}
	c.messages = append(c.messages, m)
}

func (c *collector) touch(paths ...string) {
	n := len(c.messages)
	if n == 0 {
		return
	}
	for _, p := range paths {
		if p = clean(p); p != "" && len(p) <= 4096 && len(c.messages[n-1].Files) < 1000 {
			c.messages[n-1].Files = append(c.messages[n-1].Files, p)
		}
	}
}

// session closes the books. Where an agent tells its messages twice, as events
// and as messages, the messages win; what was done after an event that goes is
// told of the message before it.
func (c *collector) session() Session {
	told := slices.ContainsFunc(c.messages, func(m Message) bool { return m.Role == RoleAssistant && !m.event })
	kept := c.messages[:0]
	for _, m := range c.messages {
		if told && m.event {
			if n := len(kept); n > 0 {
				kept[n-1].Files = append(kept[n-1].Files, m.Files...)
			}
			continue
		}
		m.event = false
		kept = append(kept, m)
	}
	for i := range kept {
		slices.Sort(kept[i].Files)
		kept[i].Files = slices.Compact(kept[i].Files)
	}
	return Session{
		Messages: kept, Format: c.format, Lines: c.lines, Before: min(c.from, c.seenAt),
		Skipped: c.skipped, Dropped: c.dropped, Unread: c.unread,
	}
}

// placeOf is how many lines (messages of a document) stand up to and with the
// entry of this identifier.
func placeOf(id string, chunks [][]byte) (int, bool) {
	if id == "" || strings.ContainsAny(id, "\"\\\n") {
		return 0, false
	}
	before := 0
	for _, chunk := range chunks {
		if n, ok := placeIn(id, chunk); ok {
			return before + n, true
		}
		before += countEntries(chunk)
	}
	return 0, false
}

func placeIn(id string, chunk []byte) (int, bool) {
	for _, key := range []string{"uuid", "id"} {
		for _, gap := range []string{"", " "} {
			at := bytes.Index(chunk, []byte(`"`+key+`":`+gap+`"`+id+`"`))
			if at < 0 {
				continue
			}
			if list, ok := documentList(chunk); ok {
				for i, raw := range list {
					var m struct {
						ID   string `json:"id"`
						UUID string `json:"uuid"`
					}
					if json.Unmarshal(raw, &m) == nil && (m.ID == id || m.UUID == id) {
						return i + 1, true
					}
				}
				return 0, false
			}
			end := bytes.IndexByte(chunk[at:], '\n')
			if end < 0 {
				end = len(chunk) - at
			}
			return countLines(chunk[:at+end]), true
		}
	}
	return 0, false
}

func countEntries(chunk []byte) int {
	if list, ok := documentList(chunk); ok {
		return len(list)
	}
	return countLines(chunk)
}

func countLines(data []byte) int {
	n := 0
	for line := range bytes.Lines(data) {
		if len(bytes.TrimSpace(line)) > 0 {
			n++
		}
	}
	return n
}

// documentList is the list of messages of a chunk that is one document.
func documentList(chunk []byte) ([]json.RawMessage, bool) {
	data := bytes.TrimSpace(bytes.TrimPrefix(chunk, []byte("\xef\xbb\xbf")))
	if len(data) == 0 {
		return nil, false
	}
	line, _, more := bytes.Cut(data, []byte("\n"))
	if more && isObject(line) && json.Valid(bytes.TrimSpace(line)) {
		return nil, false
	}
	list := json.RawMessage(data)
	if isObject(data) {
		var l struct {
			Messages json.RawMessage `json:"messages"`
		}
		if json.Unmarshal(data, &l) != nil {
			return nil, false
		}
		list = l.Messages
	}
	var all []json.RawMessage
	if !isArray(list) || json.Unmarshal(list, &all) != nil {
		return nil, false
	}
	return all, true
}

package transcript

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Turn is the last assistant turn of a transcript: everything the assistant
// wrote after the last prompt that it answered.
type Turn struct {
	Text      string // UTF-8, "\n" line ends; messages of the turn are parted by a blank line; "" when the assistant said nothing
	Format    Format
	Lines     int  // lines (or messages of a document) that were looked at
	Skipped   int  // of those, the ones that were malformed or longer than Limits.LineBytes
	Redacted  int  // times the word REDACTED stands in Text
	Truncated bool // the turn was longer than Limits.TextBytes: its beginning was left out
}

// Format is the shape that a transcript was read as.
type Format string

const (
	FormatClaude Format = "claude-code"
	FormatCodex  Format = "codex"
	FormatGemini Format = "gemini-cli"
	FormatCursor Format = "cursor"
	FormatChat   Format = "chat" // plain {"role","content"} messages
	FormatText   Format = "text"

	FormatOpenCode    Format = "opencode"
	FormatCopilot     Format = "copilot-cli"
	FormatDroid       Format = "droid" // Factory Droid, and Pi, which writes the same lines
	FormatAntigravity Format = "antigravity"
)

// Limits bound what is read. A zero field means its default.
type Limits struct {
	Bytes     int64 // of the whole transcript; 1 GiB
	LineBytes int   // of one line of JSON, longer ones are skipped; 16 MiB
	DocBytes  int   // of a transcript that is one JSON document or plain text; 64 MiB
	TextBytes int   // of the turn, its end is kept; 1 MiB
}

func (l Limits) withDefaults() Limits {
	if l.Bytes <= 0 {
		l.Bytes = 1 << 30
	}
	if l.LineBytes <= 0 {
		l.LineBytes = 16 << 20
	}
	if l.DocBytes <= 0 {
		l.DocBytes = 64 << 20
	}
	if l.TextBytes <= 0 {
		l.TextBytes = 1 << 20
	}
	return l
}

// ErrTooLarge is wrapped when a transcript is over Limits.Bytes or, where it can
// only be read whole, over Limits.DocBytes.
var ErrTooLarge = errors.New("transcript is too large")

// ErrUnreadable is wrapped when a transcript looks like JSON and not one line of it can be read.
var ErrUnreadable = errors.New("no line of the transcript can be read")

// Read reads a transcript to its end and returns its last assistant turn.
func Read(r io.Reader, limits Limits) (Turn, error) {
	limits = limits.withDefaults()
	counted := &countingReader{r: r, left: limits.Bytes}
	br := bufio.NewReaderSize(counted, 64<<10)
	if mark, _ := br.Peek(3); bytes.Equal(mark, []byte("\xef\xbb\xbf")) {
		_, _ = br.Discard(3)
	}
	first, err := firstByte(br)
	if err != nil {
		return Turn{}, fmt.Errorf("read transcript: %w", err)
	}
	if first == '{' || first == '[' {
		return readJSON(br, limits)
	}
	data, err := readAll(br, limits.DocBytes)
	if err != nil {
		return Turn{}, err
	}
	return plainTurn(data, limits), nil
}

// readJSON reads JSON Lines or one document. Where the first line is not a JSON
// value by itself the whole is tried as a document before it is read by lines:
// single lines of an indented document can be whole messages.
func readJSON(br *bufio.Reader, limits Limits) (Turn, error) {
	first, tooLong, err := readLine(br, limits.LineBytes)
	if err != nil && err != io.EOF {
		return Turn{}, fmt.Errorf("read transcript: %w", err)
	}
	if tooLong || json.Valid(first) && isObject(first) {
		g := newGatherer(limits)
		readLineInto(g, first, tooLong)
		return readLines(br, g, nil)
	}
	head, err := io.ReadAll(io.LimitReader(br, int64(limits.DocBytes-len(first)+1)))
	if err != nil {
		return Turn{}, fmt.Errorf("read transcript: %w", err)
	}
	head = append(first, head...)
	whole := len(head) <= limits.DocBytes
	if doc := newGatherer(limits); whole && readDocument(head, doc) {
		return doc.turn(), nil
	}
	rest := bufio.NewReaderSize(io.MultiReader(bytes.NewReader(head), br), 64<<10)
	if !whole {
		head = nil
	}
	return readLines(rest, newGatherer(limits), head)
}

// readLines reads JSON Lines to the end. text is the whole input where it may
// turn out to be plain text, nil where it can not.
func readLines(br *bufio.Reader, g *gatherer, text []byte) (Turn, error) {
	for {
		line, tooLong, err := readLine(br, g.limits.LineBytes)
		if err != nil && err != io.EOF {
			return Turn{}, fmt.Errorf("read transcript: %w", err)
		}
		readLineInto(g, line, tooLong)
		if err == io.EOF {
			break
		}
	}
	switch {
	case g.known > 0:
		return g.turn(), nil
	case text != nil && !looksLikeJSON(text):
		return plainTurn(text, g.limits), nil
	}
	return Turn{}, fmt.Errorf("%w: %d lines, none of a shape that is known", ErrUnreadable, g.lines)
}

// looksLikeJSON says whether most lines that are not blank begin as JSON would.
func looksLikeJSON(data []byte) bool {
	all, like := 0, 0
	for line := range bytes.Lines(data) {
		line = bytes.TrimSpace(line)
		if len(line) == 0 {
			continue
		}
		all++
		if strings.IndexByte("{}[]\"", line[0]) >= 0 {
			like++
		}
	}
	return like*2 > all
}

// readLine returns the next line with its line end. Of a line over limit bytes
// the rest is read and dropped, and tooLong is set.
func readLine(br *bufio.Reader, limit int) (line []byte, tooLong bool, err error) {
	for {
		part, err := br.ReadSlice('\n')
		if !tooLong {
			if len(line)+len(part) > limit {
				line, tooLong = nil, true
			} else {
				line = append(line, part...)
			}
		}
		if err != bufio.ErrBufferFull {
			return line, tooLong, err
		}
	}
}

// firstByte is the first byte that is not white space, left unread; 0 at the end.
func firstByte(br *bufio.Reader) (byte, error) {
	for {
		b, err := br.ReadByte()
		if err == io.EOF {
			return 0, nil
		}
		if err != nil {
			return 0, err
		}
		if b != ' ' && b != '\t' && b != '\r' && b != '\n' {
			return b, br.UnreadByte()
		}
	}
}

func readAll(r io.Reader, limit int) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, int64(limit)+1))
	if err != nil {
		return nil, fmt.Errorf("read transcript: %w", err)
	}
	if len(data) > limit {
		return nil, fmt.Errorf("%w: over %d bytes", ErrTooLarge, limit)
	}
	return data, nil
}

// countingReader fails, instead of ending early, once too much was read: half a
// transcript read as a whole one would be a lie.
type countingReader struct {
	r    io.Reader
	left int64
}

func (c *countingReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.left -= int64(n)
	if c.left < 0 {
		return 0, ErrTooLarge
	}
	return n, err
}

// clean makes text fit to be judged: valid UTF-8 and plain line ends.
func clean(s string) string {
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, "\uFFFD")
	}
	if strings.IndexByte(s, '\r') >= 0 {
		s = strings.ReplaceAll(s, "\r\n", "\n")
		s = strings.ReplaceAll(s, "\r", "\n")
	}
	return s
}

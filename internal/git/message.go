package git

import (
	"bytes"
	"context"
	"strconv"
	"strings"
)

// CleanOptions say how git will clean a message file up. The zero value is git's
// own default for a message that no editor was opened for.
type CleanOptions struct {
	Mode        string // commit.cleanup: strip, whitespace, verbatim, scissors, default; "" is default
	CommentChar string // core.commentChar or core.commentString: "" is "#", or "auto"
	Verbose     bool   // commit.verbose: git cuts at the scissors in every mode
	Encoding    string // i18n.commitEncoding: what the file is written in; "" is UTF-8
	Editor      bool   // an editor was opened (in a hook: GIT_EDITOR is not ":")
}

// Cleaned is what git will record of a message file.
type Cleaned struct {
	Raw     []byte // the bytes that git records, in the encoding that the file is written in
	Text    string // UTF-8, without a byte order mark; invalid bytes are U+FFFD, NUL is kept
	Lines   []int  // for each line of Text the number, from 1, of the file's line that it was
	BOM     bool   // a byte order mark stood in front
	Comment string // the comment character or string that was in force
	Mode    string // the mode that was in force: strip, whitespace, verbatim or scissors
}

// ReadCleanOptions reads the configuration that decides how a message is cleaned
// up. Editor is the caller's to set: git tells it by the environment of the hook.
func (r *Repo) ReadCleanOptions(ctx context.Context) (CleanOptions, error) {
	rows, err := r.readSettings(ctx)
	if err != nil {
		return CleanOptions{}, err
	}
	var o CleanOptions
	str := false
	for _, row := range rows {
		key, value, valued := strings.Cut(row, "\n")
		switch key {
		case "commit.cleanup":
			o.Mode = value
		case "commit.verbose":
			n, err := strconv.Atoi(value)
			o.Verbose = !valued || err == nil && n > 0
			switch strings.ToLower(value) {
			case "true", "yes", "on":
				o.Verbose = true
			}
		case "core.commentchar":
			o.CommentChar, str = value, false
		case "core.commentstring":
			o.CommentChar, str = value, true
		case "i18n.commitencoding":
			o.Encoding = value
		}
	}
	if str && !r.atLeast(ctx, 2, 45) {
		// An older git does not know core.commentString and goes by the other.
		out, err := r.Run(ctx, nil, "config", "--get", "core.commentChar")
		if err != nil && code(err) != 1 {
			return o, err
		}
		o.CommentChar = strings.TrimSuffix(string(out), "\n")
	}
	return o, nil
}

func (r *Repo) atLeast(ctx context.Context, major, minor int) bool {
	out, err := r.Run(ctx, nil, "version")
	f := strings.Fields(string(out))
	if err != nil || len(f) < 3 {
		return false
	}
	v := strings.Split(f[2], ".")
	if len(v) < 2 {
		return false
	}
	a, _ := strconv.Atoi(v[0])
	b, _ := strconv.Atoi(v[1])
	return a > major || a == major && b >= minor
}

// scissors is the rest of the line below which nothing is part of a message.
const scissors = " ------------------------ >8 ------------------------"

const bom = "\xEF\xBB\xBF"

// CleanMessage gives what git records of the content of a message file. What a
// command line says (--cleanup, -v) cannot be seen from a hook; a diff that -v
// put below a scissors line is recognised and cut all the same.
func CleanMessage(raw []byte, o CleanOptions) Cleaned {
	c := Cleaned{Mode: o.Mode, Comment: o.CommentChar}
	switch o.Mode {
	case "strip", "whitespace", "verbatim", "scissors":
	default:
		c.Mode = "whitespace"
		if o.Editor {
			c.Mode = "strip"
		}
	}
	if c.Mode == "scissors" && !o.Editor {
		c.Mode = "whitespace"
	}
	switch c.Comment {
	case "":
		c.Comment = "#"
	case "auto":
		c.Comment = autoComment(raw)
	}
	kept := raw[:scissorsAt(raw, c.Comment, c.Mode == "scissors" || o.Verbose)]
	var out []byte
	if c.Mode == "verbatim" {
		out = kept
		for i := range bytes.Count(kept, []byte("\n")) + 1 {
			c.Lines = append(c.Lines, i+1)
		}
		if len(kept) == 0 || kept[len(kept)-1] == '\n' {
			c.Lines = c.Lines[:len(c.Lines)-1]
		}
	} else {
		out, c.Lines = stripSpace(kept, c.Comment, c.Mode == "strip")
	}
	c.Raw = out
	out, c.BOM = bytes.CutPrefix(out, []byte(bom))
	c.Text = Decode(out, o.Encoding)
	return c
}

// stripSpace does what git does: white space at line ends goes, empty lines at
// both ends go, several become one, and comment lines go where asked for.
func stripSpace(raw []byte, comment string, comments bool) (out []byte, lines []int) {
	out = make([]byte, 0, len(raw)+1)
	empty, no := 0, 0
	for line := range bytes.Lines(raw) {
		no++
		if comments && bytes.HasPrefix(line, []byte(comment)) {
			continue
		}
		line = bytes.TrimRight(line, " \t\r\n")
		if len(line) == 0 {
			empty++
			continue
		}
		if empty > 0 && len(out) > 0 {
			out = append(out, '\n')
			lines = append(lines, no-1)
		}
		empty = 0
		out = append(append(out, line...), '\n')
		lines = append(lines, no)
	}
	return out, lines
}

// scissorsAt is where a message ends. Where neither the mode nor the setting
// says that git will cut, only a line counts that git itself must have written:
// one with git's explanation in comment lines below it, and then a diff or
// nothing. One pass, so that a hostile message costs no more than its length.
func scissorsAt(raw []byte, comment string, always bool) int {
	mark, prefix := []byte(comment+scissors+"\n"), []byte(comment)
	if nul := bytes.IndexByte(raw, 0); nul >= 0 {
		// git looks for it in a C string: what a NUL hides is not found.
		if at := scissorsAt(raw[:nul], comment, always); at < nul {
			return at
		}
		return len(raw)
	}
	at, cut, explained := 0, -1, false // cut is the first mark in the run of comment lines
	for line := range bytes.Lines(raw) {
		switch {
		case cut < 0 && bytes.Equal(line, mark):
			if always {
				return at
			}
			cut = at
		case cut >= 0 && bytes.HasPrefix(line, prefix):
			explained = true
		case explained && bytes.HasPrefix(line, []byte("diff --")):
			return cut
		default:
			cut, explained = -1, false
		}
		at += len(line)
	}
	if explained {
		return cut
	}
	return len(raw)
}

// autoComment finds the character that git chose under core.commentChar=auto:
// the one that begins git's own help, which ends the file or stands above the
// scissors. Without help, it is the one that git would choose for this text.
func autoComment(raw []byte) string {
	const candidates = "#;@!$%^&|:"
	for _, c := range candidates {
		if scissorsAt(raw, string(c), false) < len(raw) {
			return string(c)
		}
	}
	lines := bytes.Split(bytes.TrimRight(raw, " \t\r\n"), []byte("\n"))
	if last := lines[len(lines)-1]; len(last) > 0 && strings.IndexByte(candidates, last[0]) >= 0 {
		helps := 0
		for i := len(lines) - 1; i >= 0 && len(lines[i]) > 0 && lines[i][0] == last[0]; i-- {
			helps++
		}
		if helps > 1 {
			return string(last[0])
		}
	}
	for _, c := range candidates {
		used := false
		for line := range bytes.Lines(raw) {
			used = used || line[0] == byte(c)
		}
		if !used {
			return string(c)
		}
	}
	return "#"
}

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/natefinch/atomic"
	"github.com/spf13/cobra"

	"github.com/saysolint/sayso/internal/git"
)

// The bounds of a case: what is larger says nothing that a person could read.
const (
	caseFileBytes  = 256 << 10
	caseTotalBytes = 2 << 20
)

func newFalseAlarm(a *app) *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "report-false-alarm REV CLAIM",
		Short: "Write a wrongly contradicted claim as a case to report, redacted",
		Long: `Write a commit of which sayso wrongly contradicts a claim as a must-not-fire case:
one text file with the message and the files before and after. CLAIM is the
claim's words, as the report shows them.

Names and text are replaced by invented words, the same by the same, so that
the structure stays and nothing else does. Read the file before you send it.`,
		Example: `  sayso report-false-alarm HEAD "only touches the parser" > case.txtar`,
		Args:    exactly(2, "a revision and the words of a claim"),
		RunE: func(cmd *cobra.Command, args []string) error {
			repo, err := a.open(cmd.Context(), "")
			if err != nil {
				return err
			}
			defer repo.Close()
			data, err := falseAlarm(cmd.Context(), repo, args[0], args[1])
			if err != nil {
				return err
			}
			if output == "" || output == "-" {
				_, err = a.stdout.Write(data)
				return err
			}
			path := a.path(output)
			if _, err := os.Lstat(path); err == nil {
				return usageError("report-false-alarm", output+" is there already", "name another file with --output")
			}
			if err := atomic.WriteFile(path, bytes.NewReader(data)); err != nil {
				return ioError("report-false-alarm", err)
			}
			return nil
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "", "write to `FILE` instead of standard output")
	_ = cmd.MarkFlagFilename("output")
	return cmd
}

// falseAlarm makes the case.
func falseAlarm(ctx context.Context, repo *git.Repo, rev, claim string) ([]byte, error) {
	c, err := repo.Commit(ctx, rev)
	if err != nil {
		return nil, err
	}
	if len(c.Parents) > 1 {
		return nil, usageError("report-false-alarm", short(c.Hash)+" is a merge, which is never judged", "")
	}
	message := strings.ReplaceAll(c.Message, "\x00", "\uFFFD")
	start, end, ok := findFolded(message, claim)
	if !ok {
		return nil, usageError("report-false-alarm", fmt.Sprintf("the message of %s does not say %q", short(c.Hash), claim), "git log -1 "+short(c.Hash)+" shows it")
	}
	parent := ""
	if len(c.Parents) == 1 {
		parent = c.Parents[0]
	}
	entries, err := repo.Diff(ctx, parent, c.Hash)
	if err != nil {
		return nil, err
	}
	w := &caseWriter{repo: repo, redact: newRedactor()}
	body := w.files(ctx, entries)
	if w.err != nil {
		return nil, w.err
	}
	if len(body) == 0 {
		return nil, usageError("report-false-alarm", "no file of "+short(c.Hash)+" could be read", "sayso check "+short(c.Hash)+" says why")
	}
	fragment := strings.Join(strings.Fields(w.message(message[start:end], parent)), " ")
	var buf bytes.Buffer
	fmt.Fprintf(&buf, "A true claim that was contradicted. Names and text are invented, the structure is a real commit's.\n")
	if w.left > 0 {
		fmt.Fprintf(&buf, "%s of the commit left out: binary, too large, or not text.\n", count(w.left, "file"))
	}
	section(&buf, "message", w.message(message, parent))
	buf.Write(body)
	section(&buf, "expect", "not contradicted | "+fragment+"\n")
	return buf.Bytes(), nil
}

// caseWriter writes the sections of a case.
type caseWriter struct {
	repo   *git.Repo
	redact *redactor
	total  int
	left   int // files left out
	err    error
}

// message redacts a message; the parent's name becomes the placeholder that a case has for it.
func (w *caseWriter) message(s, parent string) string {
	if parent == "" || !strings.Contains(s, parent) {
		return w.redact.text(s)
	}
	parts := strings.Split(s, parent)
	for i := range parts {
		parts[i] = w.redact.text(parts[i])
	}
	return strings.Join(parts, "{{before}}")
}

// files writes both images of each file that can be shown.
func (w *caseWriter) files(ctx context.Context, entries []git.RawEntry) []byte {
	var buf bytes.Buffer
	for _, e := range entries {
		before, okBefore := w.image(ctx, e.OldMode, e.OldBlob)
		after, okAfter := w.image(ctx, e.NewMode, e.NewBlob)
		if w.err != nil {
			return nil
		}
		if !okBefore || !okAfter {
			w.left++
			continue
		}
		if e.Status != 'A' {
			section(&buf, "before/"+w.redact.path(cleanPath(e.OldPath)), w.redact.text(before))
		}
		if e.Status != 'D' {
			section(&buf, "after/"+w.redact.path(cleanPath(e.Path)), w.redact.text(after))
		}
	}
	return buf.Bytes()
}

// image is the text of one side of a file, "" where the file has no such side.
func (w *caseWriter) image(ctx context.Context, mode, blob string) (string, bool) {
	switch {
	case isZero(mode):
		return "", true
	case !strings.HasPrefix(mode, "100"):
		return "", false
	}
	data, err := w.repo.Blob(ctx, blob, caseFileBytes)
	switch {
	case errors.Is(err, git.ErrTooLarge), errors.Is(err, git.ErrMissing), errors.Is(err, git.ErrCorrupt):
		return "", false
	case err != nil:
		w.err = err
		return "", false
	}
	if w.total += len(data); w.total > caseTotalBytes || bytes.IndexByte(data, 0) >= 0 || !utf8.Valid(data) {
		return "", false
	}
	return string(data), true
}

// cleanPath makes a path fit for the head of a section, which ends with its line.
func cleanPath(p string) string { return oneLine(p) }

// isSectionMark says whether a line is one that would end a section.
func isSectionMark(line string) bool {
	line = strings.TrimRight(line, " \t\r\n")
	return strings.HasPrefix(line, "-- ") && strings.HasSuffix(line, " --")
}

// section writes one section of a txtar file.
func section(buf *bytes.Buffer, name, content string) {
	fmt.Fprintf(buf, "-- %s --\n", name)
	for line := range strings.Lines(content) {
		if isSectionMark(line) {
			buf.WriteByte(' ')
		}
		buf.WriteString(line)
	}
	if content != "" && !strings.HasSuffix(content, "\n") {
		buf.WriteByte('\n')
	}
}

// findFolded finds words in a text without regard to case and with white space
// folded, and returns their place widened to whole words.
func findFolded(s, words string) (start, end int, ok bool) {
	want := []rune(strings.ToLower(strings.Join(strings.Fields(words), " ")))
	if len(want) == 0 {
		return 0, 0, false
	}
	// The folded text with the place of each of its runes.
	var folded []rune
	var at []int
	space := true
	for i, c := range s {
		if unicode.IsSpace(c) {
			if !space {
				folded, at = append(folded, ' '), append(at, i)
			}
			space = true
			continue
		}
		space = false
		folded, at = append(folded, unicode.ToLower(c)), append(at, i)
	}
	at = append(at, len(s))
	for i := 0; i+len(want) <= len(folded); i++ {
		if string(folded[i:i+len(want)]) == string(want) {
			start, end = at[i], at[i+len(want)]
			break
		}
	}
	if end == 0 {
		return 0, 0, false
	}
	for start > 0 {
		c, n := utf8.DecodeLastRuneInString(s[:start])
		if !isWordRune(c) {
			break
		}
		start -= n
	}
	first := end
	for first > start && unicode.IsSpace(rune(s[first-1])) {
		first--
	}
	end = first
	for end < len(s) {
		c, n := utf8.DecodeRuneInString(s[end:])
		if !isWordRune(c) {
			break
		}
		end += n
	}
	return start, end, true
}

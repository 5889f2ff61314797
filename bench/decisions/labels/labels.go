package labels

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

//go:embed dev.jsonl test.jsonl
var files embed.FS

// Splits are the names that [Load] takes: "dev" may be read while rules are
// written, "test" only after they are frozen.
func Splits() []string { return []string{"dev", "test"} }

// Statement is one sentence or list item and what it was labelled.
type Statement struct {
	// ID is the split and a number, "dev-007".
	ID string `json:"id"`
	// Repo is owner/name on GitHub.
	Repo string `json:"repo"`
	// Commit is the full hash of the commit that was read.
	Commit string `json:"commit"`
	// Path is the file, from the root of the repository.
	Path string `json:"path"`
	// Line and EndLine are the first and last line of the paragraph or list item
	// that holds the statement, from 1.
	Line    int `json:"line"`
	EndLine int `json:"end_line"`
	// Start and End are byte offsets into those lines after each was trimmed and
	// all were joined by one space.
	Start int `json:"start"`
	End   int `json:"end"`
	// SHA256 is that of the text, in hexadecimal.
	SHA256 string `json:"sha256"`

	// Decision tells whether it constrains later changes in a way that a
	// difference can break. The five fields below are empty if not.
	Decision bool `json:"decision"`
	// Polarity is forbid, require, prefer, keep or location.
	Polarity string `json:"polarity,omitempty"`
	// Terms is "literal" if what to look for is named in the statement much as it
	// would stand in a change, and "meaning" if a reader has to know what is meant.
	Terms string `json:"terms,omitempty"`
	// Things are what is forbidden, required, preferred, kept or placed.
	Things []string `json:"things,omitempty"`
	// Over is what the things are preferred to, for prefer only.
	Over []string `json:"over,omitempty"`
	// Scope says where it holds: a glob or words.
	Scope string `json:"scope,omitempty"`

	Changes Changes `json:"changes"`
}

// Changes are invented for the statement: a decision has one that breaks it and
// one about the same subject that keeps it, anything else has one that only
// shares some of its words.
type Changes struct {
	Break     []File `json:"break,omitempty"`
	Keep      []File `json:"keep,omitempty"`
	Unrelated []File `json:"unrelated,omitempty"`
}

// File is what a change does to one file, lines without their ends. A file
// without removed lines may be new.
type File struct {
	Path    string   `json:"path"`
	Added   []string `json:"added"`
	Removed []string `json:"removed"`
}

// Load reads a split, in the order of the file.
func Load(split string) ([]Statement, error) {
	raw, err := files.ReadFile(split + ".jsonl")
	if err != nil {
		return nil, fmt.Errorf("labels: no split %q, there are %s", split, strings.Join(Splits(), " and "))
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	var all []Statement
	for {
		var s Statement
		switch err := dec.Decode(&s); err {
		case nil:
			all = append(all, s)
		case io.EOF:
			return all, nil
		default:
			return nil, fmt.Errorf("labels: %s.jsonl, statement %d: %w", split, len(all)+1, err)
		}
	}
}

// Text cuts the statement out of the whole content of its file and refuses a
// text that is not the one that was labelled.
func (s Statement) Text(file []byte) (string, error) {
	lines := strings.Split(string(file), "\n")
	if s.Line < 1 || s.EndLine < s.Line || s.EndLine > len(lines) {
		return "", fmt.Errorf("%s: %s of %s has %d lines, not %d to %d: check out commit %s", s.ID, s.Path, s.Repo, len(lines), s.Line, s.EndLine, s.Commit)
	}
	block := make([]string, 0, s.EndLine-s.Line+1)
	for _, line := range lines[s.Line-1 : s.EndLine] {
		block = append(block, strings.TrimSpace(line))
	}
	joined := strings.Join(block, " ")
	if s.Start < 0 || s.End < s.Start || s.End > len(joined) {
		return "", fmt.Errorf("%s: lines %d to %d of %s hold %d bytes, not %d to %d: check out commit %s", s.ID, s.Line, s.EndLine, s.Path, len(joined), s.Start, s.End, s.Commit)
	}
	text := joined[s.Start:s.End]
	if sum := sha256.Sum256([]byte(text)); hex.EncodeToString(sum[:]) != s.SHA256 {
		return "", fmt.Errorf("%s: the text in %s of %s is not the one that was labelled: check out commit %s", s.ID, s.Path, s.Repo, s.Commit)
	}
	return text, nil
}

package report

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/saysolint/sayso/internal/engine"
)

// jsonRenderer writes one document: the head, then one line for each result.
type jsonRenderer struct {
	w       *bufio.Writer
	results bytes.Buffer
}

func (j *jsonRenderer) Start(Run) error { return nil }

func (j *jsonRenderer) Result(r engine.Result) error {
	line, err := encode(r)
	if err != nil {
		return err
	}
	if j.results.Len() > 0 {
		j.results.WriteString(",\n")
	}
	j.results.WriteString("    ")
	j.results.Write(line)
	return nil
}

func (j *jsonRenderer) End(h Head) error {
	head, err := encodeIndent(h)
	if err != nil {
		return err
	}
	// The head without its closing brace, then the results as its last member.
	j.w.Write(bytes.TrimSuffix(head, []byte("\n}")))
	j.w.WriteString(",\n  \"results\": [")
	if j.results.Len() > 0 {
		j.w.WriteString("\n")
		j.w.Write(j.results.Bytes())
		j.w.WriteString("\n  ")
	}
	_, err = j.w.WriteString("]\n}\n")
	return err
}

// NDJSONSchema names the shape of the ndjson format.
const NDJSONSchema = "sayso.ndjson/v1"

// Header is the first line of the ndjson format.
type Header struct {
	Type   string `json:"type"`   // header
	Schema string `json:"schema"` // name and version of the shape of all lines
	Run
}

// ResultLine is a line of the ndjson format for one subject, in the order of the run.
type ResultLine struct {
	Type string `json:"type"` // result
	engine.Result
}

// SummaryLine is the last line of the ndjson format; without it the run was cut short.
type SummaryLine struct {
	Type string `json:"type"` // summary
	Head
}

// ndjsonRenderer writes a line at a time and keeps nothing.
type ndjsonRenderer struct{ w *bufio.Writer }

func (n *ndjsonRenderer) Start(r Run) error {
	return n.line(Header{Type: "header", Schema: NDJSONSchema, Run: r})
}

func (n *ndjsonRenderer) Result(r engine.Result) error {
	return n.line(ResultLine{Type: "result", Result: r})
}

func (n *ndjsonRenderer) End(h Head) error {
	return n.line(SummaryLine{Type: "summary", Head: h})
}

func (n *ndjsonRenderer) line(v any) error {
	b, err := encode(v)
	if err != nil {
		return err
	}
	n.w.Write(b)
	_, err = n.w.WriteString("\n")
	return err
}

// encode is v as one line of inert JSON.
func encode(v any) ([]byte, error) { return encodeWith(v, "") }

// encodeIndent is v as inert JSON, indented by two spaces.
func encodeIndent(v any) ([]byte, error) { return encodeWith(v, "  ") }

func encodeWith(v any, indent string) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", indent)
	if err := e.Encode(v); err != nil {
		return nil, fmt.Errorf("writing JSON: %w", err)
	}
	return inertJSON(bytes.TrimSuffix(b.Bytes(), []byte("\n"))), nil
}

package report

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/saysolint/sayso/internal/engine"
)

// Format is the name of a format, as --format takes it.
type Format string

// The formats.
const (
	Text   Format = "text"
	JSON   Format = "json"
	NDJSON Format = "ndjson"
	MD     Format = "markdown"
	SARIF  Format = "sarif"
	GitHub Format = "github"
	RDJSON Format = "rdjson"
	GitLab Format = "gitlab"
)

// Formats are all formats, the default first.
var Formats = []Format{Text, JSON, NDJSON, MD, SARIF, GitHub, RDJSON, GitLab}

// ParseFormat reads the name of a format.
func ParseFormat(s string) (Format, error) {
	if slices.Contains(Formats, Format(s)) {
		return Format(s), nil
	}
	names := make([]string, len(Formats))
	for i, f := range Formats {
		names[i] = string(f)
	}
	return "", fmt.Errorf("unknown format %.60q: one of %s", s, strings.Join(names, ", "))
}

// Options are what the caller knows of the place that the report is shown in.
// They change how a report looks, never what it says of the gate.
type Options struct {
	Verbose bool   // text and markdown: also what was corroborated or found neutral
	Colour  bool   // text: the caller has asked termenv about the terminal and NO_COLOR
	Width   int    // text: columns of the terminal, 0 where there is none
	Budget  int    // markdown: most bytes to write, 0 for all; what is left out is said
	Rules   []Rule // sarif: documentation of the checks
}

// Rule is the documentation of one check.
type Rule struct {
	ID    string
	Title string // one short line
	Text  string // a paragraph, plain text
	URL   string // its page; "" where it has none
}

// Renderer writes one format. Start comes once, then Result for each result
// in the order of the run, then End once. A format that must put coverage first
// keeps what it will print until End: only what it prints, never the results.
type Renderer interface {
	Start(Run) error
	Result(engine.Result) error
	End(Head) error
}

// Writer counts results and renders them as they come. Not for concurrent use.
type Writer struct {
	out      *bufio.Writer
	renderer Renderer
	tally    *tally
	started  bool
}

// NewWriter returns a writer of one format. Nothing is written before the
// first result or Close.
func NewWriter(w io.Writer, format Format, run Run, opts Options) (*Writer, error) {
	if len(run.FailOn) == 0 {
		run.FailOn = []string{"contradicted"}
	}
	out := bufio.NewWriterSize(w, 64<<10)
	r, err := newRenderer(out, format, opts)
	if err != nil {
		return nil, err
	}
	return &Writer{out: out, renderer: r, tally: newTally(run)}, nil
}

// Add takes the next result. NDJSON is flushed line by line.
func (w *Writer) Add(r engine.Result) error {
	if err := w.start(); err != nil {
		return err
	}
	r = Normal(r)
	w.tally.add(r)
	if err := w.renderer.Result(r); err != nil {
		return err
	}
	return w.out.Flush()
}

// Note adds a sentence about the whole run. The header of NDJSON has those
// that came before the first result; its summary has all.
func (w *Writer) Note(s string) { w.tally.run.Notes = append(w.tally.run.Notes, s) }

// Close writes what is left and returns the head, with the exit code in it. It
// does not close the writer below.
func (w *Writer) Close() (Head, error) {
	h := w.tally.head()
	if err := w.start(); err != nil {
		return h, err
	}
	if err := w.renderer.End(h); err != nil {
		return h, err
	}
	return h, w.out.Flush()
}

func (w *Writer) start() error {
	if w.started {
		return nil
	}
	w.started = true
	return w.renderer.Start(w.tally.run)
}

// Render writes a whole report in one format.
func Render(w io.Writer, format Format, r Report, opts Options) error {
	out, err := NewWriter(w, format, r.Run, opts)
	if err != nil {
		return err
	}
	for _, res := range r.Results {
		if err := out.Add(res); err != nil {
			return err
		}
	}
	_, err = out.Close()
	return err
}

func newRenderer(w *bufio.Writer, format Format, o Options) (Renderer, error) {
	switch format {
	case Text:
		return newText(w, o), nil
	case JSON:
		return &jsonRenderer{w: w}, nil
	case NDJSON:
		return &ndjsonRenderer{w: w}, nil
	case MD:
		return &markdownRenderer{w: w, opts: o}, nil
	case SARIF:
		return &sarifRenderer{w: w, rules: o.Rules}, nil
	case GitHub:
		return &githubRenderer{w: w}, nil
	case RDJSON:
		return &rdjsonRenderer{w: w, rules: o.Rules}, nil
	case GitLab:
		return &gitlabRenderer{w: w}, nil
	}
	_, err := ParseFormat(string(format))
	return nil, err
}

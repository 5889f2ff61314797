package report

import (
	"bufio"
	"cmp"

	"github.com/saysolint/sayso/internal/engine"
)

// rdjsonRenderer writes reviewdog's diagnostic format, worst first, the
// coverage as the first diagnostic. Its messages are Markdown, as reviewdog posts them.
type rdjsonRenderer struct {
	w        *bufio.Writer
	rules    []Rule
	advisory []string
	kept     [severityNote + 1][]rdDiagnostic
	first    string // the first changed file, which the coverage is shown at
}

func (r *rdjsonRenderer) Start(run Run) error {
	r.advisory = run.Advisory
	return nil
}

func (r *rdjsonRenderer) Result(res engine.Result) error {
	r.first = cmp.Or(r.first, relPath(res.FirstFile))
	for _, it := range items(res, r.advisory) {
		d := rdDiagnostic{
			Message:  Markdown(clip(it.message, 4000)),
			Severity: [...]string{"ERROR", "WARNING", "INFO"}[it.severity],
			Code:     &rdCode{Value: Terminal(it.check), URL: r.url(it.check)},
		}
		d.Location.Path = valid(cmp.Or(it.path, r.first, "."))
		if it.line > 0 {
			d.Location.Range = &rdRange{Start: rdPosition{Line: it.line}}
		}
		r.kept[it.severity] = append(r.kept[it.severity], d)
	}
	return nil
}

func (r *rdjsonRenderer) End(h Head) error {
	message := "coverage: " + sentence(coverageLine(h))
	for _, d := range coverageDetails(h.Coverage) {
		message += " " + sentence(d)
	}
	first := rdDiagnostic{Message: Markdown(message), Severity: "INFO", Code: &rdCode{Value: "coverage"}}
	first.Location.Path = valid(cmp.Or(r.first, "."))
	out := rdResult{Source: rdSource{Name: cmp.Or(h.Tool.Name, "sayso"), URL: h.Tool.URL}, Diagnostics: []rdDiagnostic{first}}
	for _, list := range r.kept {
		out.Diagnostics = append(out.Diagnostics, list...)
	}
	b, err := encodeIndent(out)
	if err != nil {
		return err
	}
	r.w.Write(b)
	_, err = r.w.WriteString("\n")
	return err
}

func (r *rdjsonRenderer) url(check string) string {
	for _, rule := range r.rules {
		if rule.ID == check {
			return rule.URL
		}
	}
	return ""
}

// The part of the reviewdog diagnostic format that is written.
type (
	rdResult struct {
		Source      rdSource       `json:"source"`
		Diagnostics []rdDiagnostic `json:"diagnostics"`
	}
	rdSource struct {
		Name string `json:"name"`
		URL  string `json:"url,omitempty"`
	}
	rdDiagnostic struct {
		Message  string `json:"message"`
		Location struct {
			Path  string   `json:"path"`
			Range *rdRange `json:"range,omitempty"`
		} `json:"location"`
		Severity string  `json:"severity"`
		Code     *rdCode `json:"code,omitempty"`
	}
	rdRange struct {
		Start rdPosition `json:"start"`
	}
	rdPosition struct {
		Line int `json:"line"`
	}
	rdCode struct {
		Value string `json:"value"`
		URL   string `json:"url,omitempty"`
	}
)

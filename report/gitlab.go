package report

import (
	"bufio"
	"cmp"

	"github.com/saysolint/sayso/internal/engine"
)

// gitlabRenderer writes GitLab's code quality format, worst first, the
// coverage as a first informational item.
type gitlabRenderer struct {
	w        *bufio.Writer
	advisory []string
	kept     [severityNote + 1][]gitlabItem
	seen     map[string]int
	first    string // the first changed file, which the coverage is shown at
}

func (g *gitlabRenderer) Start(run Run) error {
	g.advisory, g.seen = run.Advisory, map[string]int{}
	return nil
}

func (g *gitlabRenderer) Result(r engine.Result) error {
	g.first = cmp.Or(g.first, relPath(r.FirstFile))
	for _, it := range items(r, g.advisory) {
		out := gitlabItem{
			Description: breakAutolinks(Terminal(clip(it.message, 4000))),
			CheckName:   Terminal(it.check),
			Fingerprint: unique(it.fingerprint, g.seen),
			Severity:    [...]string{"major", "minor", "info"}[it.severity],
		}
		out.Location.Path = valid(cmp.Or(it.path, g.first, "."))
		out.Location.Lines.Begin = max(it.line, 1)
		g.kept[it.severity] = append(g.kept[it.severity], out)
	}
	return nil
}

func (g *gitlabRenderer) End(h Head) error {
	text := "coverage: " + sentence(coverageLine(h))
	for _, d := range coverageDetails(h.Coverage) {
		text += " " + sentence(d)
	}
	first := gitlabItem{
		Description: breakAutolinks(Terminal(text)),
		CheckName:   "coverage", Severity: "info",
		// Of the name alone: the coverage of a later run is the same item, changed.
		Fingerprint: hash("coverage"),
	}
	first.Location.Path = valid(cmp.Or(g.first, "."))
	first.Location.Lines.Begin = 1
	all := []gitlabItem{first}
	for _, list := range g.kept {
		all = append(all, list...)
	}
	b, err := encodeIndent(all)
	if err != nil {
		return err
	}
	g.w.Write(b)
	_, err = g.w.WriteString("\n")
	return err
}

// gitlabItem is one entry of a code quality report.
type gitlabItem struct {
	Description string `json:"description"`
	CheckName   string `json:"check_name"`
	Fingerprint string `json:"fingerprint"`
	Severity    string `json:"severity"` // info, minor, major
	Location    struct {
		Path  string `json:"path"`
		Lines struct {
			Begin int `json:"begin"`
		} `json:"lines"`
	} `json:"location"`
}

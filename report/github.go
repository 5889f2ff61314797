package report

import (
	"bufio"
	"fmt"
	"strconv"

	"github.com/saysolint/sayso/internal/engine"
)

// maxAnnotations is how many annotations of one level a runner keeps of one step.
const maxAnnotations = 10

// githubRenderer writes workflow commands: at most ten errors, ten warnings
// and ten notices, worst first, of which the first notice is the coverage and the last says how
// many were held back.
type githubRenderer struct {
	w        *bufio.Writer
	advisory []string
	kept     [severityNote + 1][]item
	seen     [severityNote + 1]int
}

func (g *githubRenderer) Start(r Run) error {
	g.advisory = r.Advisory
	return nil
}

func (g *githubRenderer) Result(r engine.Result) error {
	for _, it := range items(r, g.advisory) {
		g.seen[it.severity]++
		if len(g.kept[it.severity]) < maxAnnotations {
			g.kept[it.severity] = append(g.kept[it.severity], it)
		}
	}
	return nil
}

func (g *githubRenderer) End(h Head) error {
	message := "coverage: " + sentence(coverageLine(h))
	for _, d := range coverageDetails(h.Coverage) {
		message += "\n" + clip(d, 400)
	}
	g.command("notice", item{title: closingLine(h), message: message})

	// The coverage takes one notice; the word on what was held back takes another.
	notices := min(len(g.kept[severityNote]), maxAnnotations-1)
	held := max(0, g.seen[severityError]-maxAnnotations) + max(0, g.seen[severityWarning]-maxAnnotations)
	if held+g.seen[severityNote]-notices > 0 {
		notices = min(notices, maxAnnotations-2)
	}
	held += g.seen[severityNote] - notices
	for _, it := range g.kept[severityError] {
		g.command("error", it)
	}
	for _, it := range g.kept[severityWarning] {
		g.command("warning", it)
	}
	for _, it := range g.kept[severityNote][:notices] {
		g.command("notice", it)
	}
	if held > 0 {
		g.command("notice", item{title: "annotations held back",
			message: fmt.Sprintf("%s held back: a step shows at most %d of each level. The json and markdown formats have all.", plural(held, "annotation"), maxAnnotations)})
	}
	return nil
}

func (g *githubRenderer) command(level string, it item) {
	g.w.WriteString("::" + level + " ")
	if it.path != "" {
		g.w.WriteString("file=" + commandProperty(clip(it.path, 1000)) + ",line=" + strconv.Itoa(max(it.line, 1)) + ",")
	}
	// The server cuts titles at 255 characters; cut here so that it is seen.
	g.w.WriteString("title=" + commandProperty(clip("sayso: "+it.title, 200)) + "::" + commandData(clip(it.message, 4000)) + "\n")
}

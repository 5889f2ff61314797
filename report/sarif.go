package report

import (
	"bufio"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/saysolint/sayso/internal/engine"
)

// maxSARIF is how many results of one run code scanning keeps.
const maxSARIF = 5000

// sarifRenderer writes one run of SARIF 2.1.0: at most maxSARIF results, worst
// first; coverage as the first tool notification, subjects that could not be
// judged as further ones.
type sarifRenderer struct {
	w        *bufio.Writer
	rules    []Rule
	advisory []string
	kept     [severityNote + 1][]item
	seen     int
	failed   []item
}

func (s *sarifRenderer) Start(r Run) error {
	s.advisory = r.Advisory
	return nil
}

func (s *sarifRenderer) Result(r engine.Result) error {
	for _, it := range items(r, s.advisory) {
		if it.check == failureCheck && it.finding == nil {
			if len(s.failed) < maxReasons {
				s.failed = append(s.failed, it)
			}
			continue
		}
		s.seen++
		// No level can use more than the whole room.
		if len(s.kept[it.severity]) < maxSARIF {
			s.kept[it.severity] = append(s.kept[it.severity], it)
		}
	}
	return nil
}

func (s *sarifRenderer) End(h Head) error {
	all := slices.Concat(s.kept[severityError], s.kept[severityWarning], s.kept[severityNote])
	all = all[:min(len(all), maxSARIF)]
	rules, index := s.ruleTable(all)

	run := sarifRun{ColumnKind: "unicodeCodePoints", Results: make([]sarifResult, 0, len(all))}
	run.Tool.Driver = sarifDriver{Name: cmp.Or(h.Tool.Name, "sayso"), Version: Terminal(h.Tool.Version), InformationURI: h.Tool.URL, Rules: rules}
	seen := map[string]int{}
	for _, it := range all {
		run.Results = append(run.Results, sarifOf(it, index[it.check], seen))
	}
	run.Invocations = []sarifInvocation{{
		ExecutionSuccessful:        h.Summary.Failed == 0,
		ExitCode:                   h.Gate.ExitCode,
		ToolExecutionNotifications: s.notifications(h, len(all)),
	}}
	out, err := encodeIndent(sarifLog{
		Schema:  "https://json.schemastore.org/sarif-2.1.0.json",
		Version: "2.1.0",
		Runs:    []sarifRun{run},
	})
	if err != nil {
		return err
	}
	s.w.Write(out)
	_, err = s.w.WriteString("\n")
	return err
}

// ruleTable is the rules that were passed in and, after them, those that only
// results name; and where each stands.
func (s *sarifRenderer) ruleTable(all []item) ([]sarifRule, map[string]int) {
	rules, index := []sarifRule{}, map[string]int{}
	add := func(r Rule) {
		if _, ok := index[r.ID]; ok {
			return
		}
		index[r.ID] = len(rules)
		rule := sarifRule{ID: Terminal(r.ID), Name: Terminal(r.ID), HelpURI: r.URL}
		rule.ShortDescription.Text = sarifText(oneParagraph(cmp.Or(r.Title, r.ID)))
		rule.FullDescription.Text = sarifText(clip(oneParagraph(cmp.Or(r.Text, r.Title, r.ID)), 1000))
		rules = append(rules, rule)
	}
	for _, r := range s.rules {
		add(r)
	}
	var others []string
	for _, it := range all {
		others = append(others, it.check)
	}
	slices.Sort(others)
	for _, id := range others {
		add(Rule{ID: id})
	}
	return rules, index
}

// oneParagraph joins the lines of a documentation, which are broken where its source is.
func oneParagraph(s string) string { return strings.Join(strings.Fields(s), " ") }

func (s *sarifRenderer) notifications(h Head, written int) []sarifNotification {
	level := "note"
	if h.Coverage.State == "partial" {
		level = "warning"
	}
	text := "coverage: " + sentence(coverageLine(h))
	for _, d := range coverageDetails(h.Coverage) {
		text += " " + sentence(d)
	}
	out := []sarifNotification{{Level: level, Message: sarifMessage{sarifText(text)}}}
	for _, n := range h.Notes {
		out = append(out, sarifNotification{Level: "note", Message: sarifMessage{sarifText(clip(n, 1000))}})
	}
	if left := s.seen - written; left > 0 {
		out = append(out, sarifNotification{Level: "warning", Message: sarifMessage{
			plural(left, "result") + " left out, the least severe ones: code scanning keeps 5000 of a run."}})
	}
	for _, it := range s.failed {
		out = append(out, sarifNotification{Level: "error", Message: sarifMessage{sarifText(it.message)}})
	}
	return out
}

func sarifOf(it item, rule int, seen map[string]int) sarifResult {
	res := sarifResult{
		RuleID: Terminal(it.check), RuleIndex: rule, Level: [...]string{"error", "warning", "note"}[it.severity],
		Message:             sarifMessage{sarifText(it.message)},
		PartialFingerprints: map[string]string{"sayso/v1": unique(it.fingerprint, seen)},
		Properties:          map[string]any{"subject": Terminal(clip(it.subject, 200))},
	}
	if f := it.finding; f != nil {
		res.Properties["verdict"] = string(f.Verdict)
		res.Properties["place"] = Terminal(place(f.Place))
		res.Properties["confidence"] = f.Confidence
	}
	if it.path != "" {
		loc := sarifLocation{Message: &sarifMessage{sarifText(it.title)}}
		loc.PhysicalLocation.ArtifactLocation.URI = uri(clip(it.path, 4000))
		// A region even for a whole file: viewers hide what has none.
		loc.PhysicalLocation.Region = sarifRegion{StartLine: max(it.line, 1)}
		res.Locations = []sarifLocation{loc}
	}
	if it.ignored != "" {
		res.Suppressions = []sarifSuppression{{Kind: "external", Justification: Terminal(clip(it.ignored, 500))}}
	}
	return res
}

// unique numbers the second and later results with one fingerprint: the same
// claim in two commits is two results, each the same again in the next run.
func unique(fingerprint string, seen map[string]int) string {
	fingerprint = Terminal(clip(fingerprint, 100))
	seen[fingerprint]++
	if n := seen[fingerprint]; n > 1 {
		return fmt.Sprintf("%s-%d", fingerprint, n)
	}
	return fingerprint
}

// The part of SARIF 2.1.0 that is written.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool struct {
			Driver sarifDriver `json:"driver"`
		} `json:"tool"`
		ColumnKind  string            `json:"columnKind"`
		Invocations []sarifInvocation `json:"invocations"`
		Results     []sarifResult     `json:"results"`
	}
	sarifDriver struct {
		Name           string      `json:"name"`
		Version        string      `json:"version,omitempty"`
		InformationURI string      `json:"informationUri,omitempty"`
		Rules          []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID               string       `json:"id"`
		Name             string       `json:"name"`
		ShortDescription sarifMessage `json:"shortDescription"`
		FullDescription  sarifMessage `json:"fullDescription"`
		HelpURI          string       `json:"helpUri,omitempty"`
	}
	sarifInvocation struct {
		ExecutionSuccessful        bool                `json:"executionSuccessful"`
		ExitCode                   int                 `json:"exitCode"`
		ToolExecutionNotifications []sarifNotification `json:"toolExecutionNotifications"`
	}
	sarifNotification struct {
		Level   string       `json:"level"`
		Message sarifMessage `json:"message"`
	}
	sarifMessage struct {
		Text string `json:"text"`
	}
	sarifResult struct {
		RuleID              string             `json:"ruleId"`
		RuleIndex           int                `json:"ruleIndex"`
		Level               string             `json:"level"`
		Message             sarifMessage       `json:"message"`
		Locations           []sarifLocation    `json:"locations,omitempty"`
		PartialFingerprints map[string]string  `json:"partialFingerprints"`
		Suppressions        []sarifSuppression `json:"suppressions,omitempty"`
		Properties          map[string]any     `json:"properties"`
	}
	sarifLocation struct {
		PhysicalLocation struct {
			ArtifactLocation struct {
				URI string `json:"uri"`
			} `json:"artifactLocation"`
			Region sarifRegion `json:"region"`
		} `json:"physicalLocation"`
		Message *sarifMessage `json:"message,omitempty"`
	}
	sarifRegion struct {
		StartLine int `json:"startLine"`
	}
	sarifSuppression struct {
		Kind          string `json:"kind"`
		Justification string `json:"justification"`
	}
)

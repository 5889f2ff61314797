// Package report holds one report value and the formats that it is shown in:
// text for a terminal, JSON, NDJSON, Markdown, SARIF, GitHub workflow
// annotations, reviewdog's rdjson and GitLab's code quality. It must never know
// how a verdict was reached, nor anything of git or of GitHub's API, nor read a
// clock, a file, a terminal or the environment: the caller says what it is to
// look like in [Options].
//
// A tour: a [Writer] takes the results of a run one by one as they are judged,
// counts them into a [Head] (summary, gate, coverage) and drives one [Renderer].
// A [Report] is the head with all results, what the json format writes;
// [Parse] reads one back and [Render] shows it in any format, so that a report
// shown from its JSON is byte for byte the one shown at once. [Head.ExitCode]
// is what the process should end with; it never depends on the format.
//
// Two rules hold in every format. Coverage comes first: a reader learns what
// was not looked at before learning what was found (NDJSON alone ends with it,
// as it streams, and has each result's own coverage in its line). And all text out
// of a commit, a path or an entry is hostile: it passes through an escaper of
// escape.go, which is the only file that knows what each format could be made to
// obey. A renderer composes its sentences from raw text and escapes them whole.
//
// Order is the order of the run in text, json and ndjson; the formats that cut
// (markdown with a budget, sarif, github) and their kin sort worst first.
package report

// Package assert is the small language in which an entry says what later changes
// must not break, and the one place that decides whether a change breaks it. It must
// never know about verdicts, entries or git, nor read a file or a clock: it
// gets text and a change, and gives back what it saw and where.
//
// # Tour
//
//   - rule.go: [Rule], one thing that is forbidden or required, and where.
//   - parse.go: [Parse], which reads a list of rules out of YAML and names what it
//     cannot read instead of guessing.
//   - hold.go: [Rule.Hold], a rule against a change: what the change newly breaks,
//     what it mends, what could not be looked at. What stood there before is nobody's
//     fault.
//   - find.go: [Rule.Find], where in one file the subject of a rule stands. Whoever looks
//     through a whole tree uses it as well.
//   - manifest.go: [Dependencies], the direct dependencies that a manifest declares.
//   - version.go: versions as the registries write them, in ranges.
package assert

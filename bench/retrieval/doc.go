// Package retrieval measures how well questions find what answers them. It must never
// know about verdicts or trust: only whether the right thing is found, and how far up.
//
// # Tour
//
//   - commits.go: Commits makes questions of a history: the sentence of a commit's body
//     that says why asks, and is taken out of the text that is searched; the commit is
//     the answer.
//   - commits_measure.go: MeasureCommits asks them of every way of searching and counts.
//   - commits_plain.go: the ways to compare with, kept as plain as their names.
//   - memory.go: the same for the entries of a memory: Records reads decision records of
//     repositories, NewStore makes entries and questions of them, MeasureMemory asks them of
//     the modes of memory search. The command is bench/retrieval/adrs.
package retrieval

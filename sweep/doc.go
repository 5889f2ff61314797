// Package sweep re-examines the entries of a memory against a repository at a
// revision: what they cite, what they name, what they demand, and what they say of
// each other. It must never know about rendering or GitHub, and of a store on disk
// it knows what [Store] asks of it.
//
// # Tour
//
//   - sweep.go: [Run] and its [Input]: which entries are chosen, and the order in
//     which one group of them is held against the tree.
//   - result.go: [Result], with the denominators of every check.
//   - anchor.go: source references, and the text that they cite.
//   - history.go: what only the history can tell: versions of a path, and where a
//     file went.
//   - find.go: where a cited passage is now, from the surest way to the least.
//   - place.go, align.go: one passage in one text; lines of two texts in pairs.
//   - tree.go: the pass over the tree, in which each file is read once for all that
//     is looked for; [Rules], by which the caller says what entries demand.
//   - names.go: the names of code that an entry speaks of.
//   - say.go: what became of commits, references, names, globs and demands, as
//     findings.
//   - consistency.go: entries against each other.
//   - checks.go: the catalogue of checks, and their counts.
//   - apply.go: [Apply], which writes what is beyond doubt.
//   - lookup.go: one git that tells what a commit has under a path.
//
// # Rules
//
// Edited is not false: a passage that changed is a finding only where something
// that the entry names from it is gone. Nothing is concluded from what could not
// be read; it is counted. The same input gives the same bytes.
package sweep

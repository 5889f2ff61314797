// Package learn drafts entries of the memory from a change: from what its author
// marked as a decision or a lesson, and, as suggestions, from what looks like one.
// It must never know about rendering, GitHub or where entries are stored, and it
// never decides that a draft holds: people do.
//
// # Tour
//
//   - learn.go: [Change], [Draft], and [Drafts], the way in: a pure function.
//   - marks.go: explicit marks: trailers, blocks in the text of a pull request,
//     notes in comments of the code.
//   - signs.go: implicit ones: a dependency that took another's place, a revert with
//     its reason, a fix with a regression test, a decision record.
//   - place.go: where a draft comes from: commit, files, lines, and the hash of
//     their content.
//   - ruling.go: [Rule], which holds a draft's own words against the change that it
//     came from. What is contradicted is never drafted as a fact.
//   - near.go: [Compare], which finds entries and drafts that say the same, or the opposite.
//   - output.go: the drafts as JSON has them, and reading that back.
//
// # Rules
//
// A draft that was made twice of the same mark has the same id. Nothing that is
// doubtful is dropped or refused: it is flagged. Neither clock nor git is asked.
package learn

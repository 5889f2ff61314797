// Package sweep measures how well a sweep finds again what entries cite: on the
// real history of a repository, references are planted at an old commit and swept
// at a later one, and `git blame -w -M -C`, which the sweep itself does not call,
// says where each line really went. It must never know how a sweep finds them.
//
// # Tour
//
//   - plant.go: [Plan] and the passages that are drawn by a seed.
//   - truth.go: where the lines of a passage are now, by blame.
//   - measure.go: [Measure], which holds the two against each other.
//   - cost.go: [Cost], what a sweep of many entries takes.
package sweep

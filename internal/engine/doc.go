// Package engine wires the rooms below it into judged subjects: it opens a
// change, reads the index, asks git about the commits that a text names, and hands
// all of it as values to checks.Judge. It knows nothing of rendering or of GitHub.
//
// Start with Engine in engine.go: Commits for a list of commits, Commit for one
// (with its own message or another), Range for a pull request's texts, Staged for the commit
// being made, Worktree for an agent's transcript. judge.go is the way that all of them share:
// change, facts, claims, what the checks need of the tree and the history, verdict.
// A subject that fails is a Result with an Error; the others go on.
package engine

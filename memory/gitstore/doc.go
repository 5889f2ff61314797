// Package gitstore finds the stores of a repository and reads one out of a git
// tree: it is where memory, git and the configuration meet. It must never know
// about checks, verdicts or rendering, and it never writes: package memory does.
//
// # Tour
//
//   - locate.go: [Locate], which store a work tree uses: its own, the main
//     checkout's, or a space that the configuration names.
//   - tree.go: [Tree], the entries of a revision as [memory.Files]. What is in
//     force is read from there; [memory.Land] holds a working tree against it.
package gitstore

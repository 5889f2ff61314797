// Package guard holds the tests that keep the whole project in shape: which
// package may import which, what may be linked into the program, how long the
// program may take to start, which licences its libraries have, and what must
// never stand in a tracked file. It has no code of its own and knows nothing of
// what the program does; it looks at the module from outside, through `go list`,
// the built binary and the files.
//
// Where to start:
//
//   - floors_test.go: the table of floors. A new package needs a row there.
//   - imports_test.go: modules that only tests may use.
//   - startup_test.go: the start-up budget, measured on a real build.
//   - licences_test.go: the table of linked modules and their licences.
//   - files_test.go: doc.go in each package, pinned workflow actions, words and
//     paths that belong to one machine.
//
// A guard that fails says what to do about it. Loosening one is a decision: write
// the reason beside the row.
package guard

// Package reach holds the dependency graph of one tree: which file imports
// which. It is for questions such as "who depends on what changed" and "does
// this stay within one package". It must never know about git, messages,
// claims or verdicts, and it reads no file: the content of files comes in as
// values.
//
// The way through the package: Build (build.go) takes the files of a tree with
// the imports that package lang found in them, reads the manifests (manifest.go)
// that say where modules, packages and crates begin, and resolves each import to
// a file, or to a folder where a language imports folders. Graph (graph.go)
// answers questions. MarshalBinary and UnmarshalBinary (binary.go) let an index
// keep a graph. FromEntire (entire.go) asks the optional program entire-graph
// for the dependents of symbols.
//
// What the graph does not know it says: NotCovered names the source files in
// languages whose imports are not read, and Stats counts the imports that look
// internal and led nowhere. Files of one package that use each other without an
// import (Go, Java, Kotlin) are joined by their Component alone.
package reach

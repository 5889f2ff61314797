// Command newcheck writes the beginnings of a check: its file, with a
// documentation structure and a judge function that compiles, and one case that
// must fire and one that must stay quiet. It knows how the package checks is laid
// out; it must never know what any check looks at.
//
//	go run ./internal/tools/newcheck NAME
//
// The tour: [main] reads the name, scaffold (scaffold.go) refuses what cannot
// become a check, writes the files and enters the check in the list of all
// checks; the texts are in template.go. What it writes is meant to be filled in:
// the case that must fire fails until it is.
package main

// Command sayso holds what a commit message, a pull request or an agent says
// against what the change did.
//
// This folder is flags, wiring and exit codes, one file per command, and must
// know nothing that could live in a room below: how claims are read, how
// verdicts are reached, how reports look.
//
// The tour: main.go hands the process to Main, which is all of the program and
// can be run in-process by tests; root.go builds the command tree and the app,
// the value that carries what came in from the process; errors.go holds every
// error that a user can see and their exit codes; open.go opens repositories,
// reads configuration from the trusted tree and makes engines; output.go is the
// way to the report. The rest are the commands. No command ends the process, reads the
// environment or the clock, or writes to a standard stream but through the app.
package main

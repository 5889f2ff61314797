// Package casetest runs the cases that must come out right: one invented commit
// each, with its message and the verdicts that a maintainer would expect. It
// knows the format of a case, how to make a real git repository of it, and how
// to hold a result against the rules of the case. It must never know how a
// verdict is reached.
//
// The tour: [Parse] and [Load] read cases (case.go); [Case.Build] writes one as
// a repository with a single `git fast-import` (build.go); [Judge] runs the
// engine on it (judge.go); [Evaluate] lists the rules that the result breaks
// (evaluate.go, with the matching of fragments in overlap.go).
// The cases themselves are in testdata/cases. `go run ./internal/casetest/cmd/cases`
// prints the ones that fail, with reasons.
//
// # Format
//
// A case is a txtar file. Its comment says what it shows and why the answer is
// right. Its sections:
//
//	message             the commit message, byte for byte; {{before}} and {{base}} become the full hashes of those commits
//	before/PATH         the whole tree before
//	after/PATH          the whole tree after
//	expect              the rules, one a line
//	history             optional: earlier commits, oldest first: subject<TAB>path,path and, for N commits alike, <TAB>N
//	base/PATH           optional: one more tree, committed before `before`
//	before-message      optional: the message of the `before` commit
//	config              optional: .sayso.yaml, the same in every tree
//
// A file that starts with #! is executable. The rules:
//
//	contradicted CHECK[,CHECK] | FRAGMENT   a claim on this text is contradicted, by one of these checks
//	not contradicted                        no claim of the message is contradicted
//	not contradicted | FRAGMENT             no claim on this text is contradicted
//	corroborated | FRAGMENT                 a claim on this text is corroborated and none contradicted
//	not corroborated | FRAGMENT             no claim on this text is corroborated
//	unverifiable | FRAGMENT                 a claim on this text is unverifiable and none contradicted
//	not a claim | FRAGMENT                  no claim is read from this text
//
// A claim is on a text when the two share at least one character that is not
// white space, wherever the text stands in the message.
package casetest

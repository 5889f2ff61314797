// Command cases runs the cases that must come out right and prints those that
// do not, with the rules they break and every claim that was read.
//
//	go run ./internal/casetest/cmd/cases [-run REGEXP] [-v] [DIR]
//
// It holds flags and printing only and must never know what a rule means: that is package casetest's.
package main

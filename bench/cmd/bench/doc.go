// Command bench measures the checker on the histories of repositories.
//
//	go run ./bench/cmd/bench [flags] REPO...
//
// It draws labelled pairs (or reads them: --pairs, --import), judges them and
// prints recall, false alarms and latency. --explain lists outcomes for reading.
//
// It holds flags and printing only: drawing, judging and scoring are package bench's, and it
// must never know how a verdict is reached.
package main

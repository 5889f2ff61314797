// Command adrs measures how well questions find decision records: the records of
// repositories that are given by their paths are imported into a memory, questions
// are made of them, and the ways of searching are held against each other. Nothing is
// kept of their texts. It must never know how an entry is found or what it is worth:
// package retrieval asks, this prints.
//
//	go run ./bench/retrieval/adrs [--ripgrep rg] [--json] REPO...
package main

// Command texts reads the labelled statements' texts again from git directories
// and holds each against its hash. It must never know what a statement means.
//
//	go run ./bench/decisions/labels/texts -mirror DIR [-split dev|test] [-out FILE]
//
// DIR holds a clone of each repository, bare or not, as OWNER+NAME, OWNER+NAME.git,
// OWNER+NAME/repo, OWNER/NAME or OWNER/NAME.git. With -out the texts are written as
// JSON lines of id and text; keep that file out of this repository.
package main

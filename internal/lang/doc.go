// Package lang knows how files are written: what kind of file a path is, which
// language it is in, how its text falls into comments, strings and code, what it
// defines and what it imports. It takes bytes and gives values. It must never
// know about git, diffs, messages, claims or verdicts, and it opens no file.
//
// The way through the package: api.go is the contract. kind.go sorts paths into
// kinds. language.go is the table, a row per language, and ByPath. scan.go is
// the scanner that all the rest stands on: one pass, driven by the row, linear in
// the input whatever the input is. classify.go gives each line a class from the
// tokens. defs.go holds what finding definitions needs in every language, with
// one file per family beside it: Go, Python, JavaScript and TypeScript, Rust,
// languages with a keyword before each name, languages with a type before each name, C,
// languages with "end", and those whose definitions begin in the first column.
// imports.go reads imports; names.go gives identifiers to an index; tests.go
// tells test cases.
//
// Nothing here parses: a file that does not compile, half a file, or a file in
// next year's dialect still gives its tokens, and most of its definitions. What
// a language's own compiler would say is used as an oracle in tests.
package lang

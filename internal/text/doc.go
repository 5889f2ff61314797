// Package text holds pure functions on words: folding, stems, the parts of an
// identifier, the header of a commit subject. It is for whoever compares prose
// with code and needs both cut into the same pieces. It must never know about
// git, files, claims or verdicts: strings go in, strings come out.
//
// # Tour
//
//   - text.go: [Words] cuts prose and code into lower-case words, [SplitIdentifier]
//     one identifier into its parts, [Stem] takes the ending off a word.
//   - header.go: [ParseHeader] takes a subject line apart into type, scopes and
//     rest, by Conventional Commits 1.0.0 and by what real histories write instead.
//
// # Promises
//
// Every function is pure, linear in its input and safe for concurrent use. None
// fails: text that is no UTF-8 or no English passes through. Offsets are bytes
// into the argument, and the piece they point at stands there as returned.
package text

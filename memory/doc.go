// Package memory holds what a project decided and learned: entries, one
// Markdown file with frontmatter each, the store that they live in, and their
// life from proposal through review to the day on which something later takes
// their place. It must never know about GitHub, checks or verdicts, and it
// does not know git either: who has a git tree hands it in as [Files].
//
// # Tour
//
//   - entry.go: [Entry], the value that everybody reads, [Record], the same as
//     JSON has it, and the limits of the format.
//   - parse.go, body.go: [Parse], which reads one file and never fails: what
//     cannot be read without doubt is a [Fault], and a fatal one keeps an entry
//     from being reviewed.
//   - text.go: [Line] and [Block], through which all text from outside goes.
//   - files.go: [Files], a folder that can be read, and [Load], which makes a
//     [Set] of it.
//   - set.go: [Set], all entries of a store: which hold ([Set.Active]), which
//     are hidden by which; [Land], which tells what is in force from what a
//     change only brings along.
//   - store.go: [Store], the folder on disk.
//
// # Rules
//
// Markdown files are the truth. A missing state is proposed; nothing doubtful
// reads as reviewed; only reviewed entries hide others; nothing is deleted.
// Reading creates nothing. No absolute path leaves this package, not even in
// an error. Neither the clock nor the environment is read: times come in as values.
package memory

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
//   - store.go, write.go: [Store], the folder on disk. A write goes aside, to the
//     disk, and then to its name, under a lock that all processes share.
//   - render.go, edit.go: a new file, and the change of single lines of one.
//   - lifecycle.go, delta.go: [Store.Propose] and what follows; what one version
//     changed in another.
//   - arrive.go, journal.go: [Arrive], how entries of another store and accepted
//     drafts get into one, merged entry by entry; several files at once or none.
//   - lint.go: [Lint], what is wrong with a store.
//   - import.go, klide.go: drafts made of decision records, of rules for agents,
//     and of a Klide store, which is read by its own grammar and never written.
//
// # Rules
//
// Markdown files are the truth. A missing state is proposed; nothing doubtful
// reads as reviewed; only reviewed entries hide others; nothing is deleted.
// Reading creates nothing. No absolute path leaves this package, not even in
// an error. Neither the clock nor the environment is read: times come in as values.
package memory

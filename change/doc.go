// Package change holds what a change did: files, hunks, whole images, the class
// of every changed line, definitions before and after, and what could not be
// read and why. It reads that out of git. It must never know about messages,
// claims or verdicts.
//
// # Tour
//
//   - change.go: the values. A [Change] is complete except for what its Gaps name.
//   - reader.go: [Reader], which reads commits, ranges, the index and the working
//     tree. One git process answers all commits: it is asked for patches with
//     unlimited context, so that each patch holds both whole images of its file
//     and no blob is read twice.
//   - patch.go: the stream of that process, cut into one section per file.
//   - file.go: one section turned into a [File]: hunks, images, classes, definitions.
//   - rescue.go: the slow way round missing or damaged blobs, one file at a time.
//   - parse.go: [Parse], the same from the text of any unified diff.
//
// # Promises
//
// An unread file is never an empty one: it is in Files with Unread set, and in
// Gaps. The names of all files of a change are known even when their content
// is beyond a cap. Memory is bounded by [Limits], whatever the commit holds.
package change

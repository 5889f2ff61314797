// Package index holds what can be known about a repository before a change is
// looked at: which names its tree defines and uses, which paths it has, what its
// files import, and what its history says about words, scopes and folders. It
// must never know about claims, checks or verdicts: it answers questions about
// trees and commits and does not ask why.
//
// # A guided tour
//
// One file per repository, <git-common-dir>/sayso/index, describes one commit,
// the index's head. Everything in it is derived, versioned and safe to delete.
//
//   - Load reads it back without parsing: a header with checksums (format.go),
//     then sections that are used as they lie on disk. The large one, the table
//     of names (table.go), is read a block at a time when a name is asked for.
//   - Build makes it, from nothing or from the index that is there (build.go):
//     only blobs that are new are scanned (scan.go), only commits that are new
//     are read and put behind the others (extend.go). It is written aside, synced
//     and renamed: two writers never mix, the last one wins, a killed one leaves
//     at most a file that the next one sweeps away (write.go).
//   - At answers for another commit than the head (view.go): the head's paths
//     patched with one tree diff, the head's definitions less the changed files,
//     plus those scanned out of the changed blobs. View.Prefetch does all reading;
//     the query methods after it do none. ViewOf does without an index: it knows
//     the paths and says so of the rest.
//   - View.History restricts the history to the true ancestors of the commit
//     (history.go): commits are numbered parents first, one sweep over the parent
//     numbers marks the ancestors, a question is a few posting lists counted
//     against that mark. A commit is never part of its own history.
//   - Ahead reads what At and View.History will ask git for (ahead.go), for a
//     caller that has other work to do in the meantime, such as a hook. What it
//     finds behind the head is kept beside the index, in the file "newer" (newer.go),
//     so that the next hook does not walk the same commits again.
//
// What an index says does not depend on how it came about: built at once or in
// steps, read at its head or from afar, the answers are the same. A file that is
// torn, foreign or of another version counts as no file.
package index

// Package publish puts entries into a store: the folder of a work tree, a branch
// of this repository, or a branch of another one, which is how several
// repositories share a memory. It must never know about GitHub's API, checks or
// verdicts, nor where drafts come from.
//
// # Tour
//
//   - publish.go: [Publish], the one way in, with [Target], [Options] and what
//     comes out of it.
//   - branch.go: the loop over a moving branch: look at its tip, work out what has
//     to be written, make one commit on top, and let git move the branch only if
//     it is still where it was.
//   - local.go: a branch of this repository.
//   - remote.go: a branch of another one, by fetch and push, over a small bare
//     repository that is kept beside the caches.
//   - plumbing.go: the git commands.
//   - output.go: the result as JSON has it.
//
// # Rules
//
// No checkout, no index, no work tree is touched. One call makes one commit with
// one parent, so that a branch stays linear, and all entries of the call are in it
// or none. What an entry becomes is decided by [memory.Arrive] alone, anew for each
// tip that is seen. Publishing the same again changes nothing. What was interrupted
// leaves objects that git collects, and nothing else.
package publish

// Package git runs the git program safely and reads what it stores: commits,
// blobs, trees, differences, history, and the message that a commit is about
// to record. It knows bytes and object names only; it must never know about
// claims, checks or verdicts, and it never writes to a repository.
//
// # Tour
//
// [Open] asks git once where the repository is and returns a [Repo]. One Repo
// may be used from several goroutines; [Repo.Close] ends its processes.
//
//   - repo.go: Open, and Run, through which every single command goes. It sets
//     an environment in which git cannot fetch, prompt, page, translate or lock.
//   - locate.go: where a plain repository is, found by its files, for a hook that
//     would wait for a process otherwise.
//   - process.go: [Process], a git that stays alive and answers many questions
//     (`cat-file --batch`, `diff-tree --stdin`), and dies with its context.
//   - objects.go: commit objects and blobs through one long-lived cat-file.
//   - revs.go: names to hashes, ranges to lists of commits.
//   - trees.go: trees, raw differences, and quoting of paths as git quotes them.
//   - log.go: the whole history as a stream, for an index.
//   - message.go: what git will record of a message file.
//   - settings.go: the few settings of git that count, asked for in one process,
//     for a hook beside the search for the repository.
//   - state.go: merges and rebases in progress, amended commits.
//   - fallback.go: the few answers that are right without a git program. It
//     refuses by name every set-up in which it would answer wrongly.
//
// # Errors
//
// Every error names what was asked for and, where one is known, the way out.
// The causes are the Err values of api.go; test with errors.Is.
package git

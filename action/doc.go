// Package action is sayso on GitHub: what a pull request says is fetched, judged
// by the rooms below, and said once, in one place, on the pull request. It must
// never know how a verdict is reached, and it alone reaches the network.
//
// A tour of the lower half. github.go has the words: the facts that are read
// ([PullRequest], [File], [CheckRun] ...), the small interfaces they are read and
// written through ([Reader], [Comments], [Checks] ...), the errors that callers
// tell apart ([ErrForbidden], [ErrLimited] ...), and [Publisher], one way of
// showing a [Publication]. client.go makes a [Client], which is all of the
// interfaces over GitHub's REST API; client_transport.go is what stands between
// it and the wire: budget, rate limits, timeouts, retries of what may be
// repeated, conditional requests. The publish*.go, comment*.go and checkrun*.go
// files are the publishers, and escape.go has an escaper for each sink that
// package report does not know.
//
// Rules of this package:
//
//   - A write is never repeated blindly. Whoever writes looks first whether the
//     write that failed arrived after all: a comment by its marker, a check run by
//     its external id.
//   - A publisher that may not write (a fork's token, Dependabot) is no failure of
//     the run: the others have the findings, and the exit code follows the verdict.
//   - Text from a pull request is hostile, a comment's too: a marker counts only in
//     a comment that our own account wrote.
//   - Tokens are in no error, no log and no report.
package action

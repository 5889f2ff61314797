// Package githubtest is a GitHub to test against: the part of the REST API that
// package action uses, in memory, with its pages, limits, permissions and faults.
// It must never know what sayso says: it stores and gives back, and refuses what
// GitHub would refuse, with GitHub's words.
//
// A tour: [New] makes an empty server, [Server.AddRepo] and the methods of [Repo]
// fill it, [Server.AddToken] says who may do what. [Server.Transport] is a wire to
// it without a socket, so that tests can run on a clock of their own
// (testing/synctest) and wait an hour in no time; [Server.Start] puts it on a port
// of this machine for other programs. [Server.Fail] makes a call fail, in each of
// the ways of [Kind]; [Server.Latency] lets concurrent clients overtake each other.
// What was asked and answered is in [Server.Exchanges].
//
// What is like the real one, because programs have failed over it:
//
//   - Lists come in pages of 30 unless asked otherwise, at most 100, with a Link
//     header; a pull request lists at most 250 commits and 3,000 files.
//   - Rows of files past the diff budget of an answer have zero changes and no
//     patch, and nothing says so.
//   - Bodies over 65,536 characters, check summaries over 65,535 and more than 50
//     annotations at once are refused with 422; annotations of later requests are
//     appended.
//   - A token that may only read gets 403 "Resource not accessible by integration",
//     a repository that it may not see 404, a personal token no check runs.
//   - The primary limit counts down in the headers, 80 comments and issues a minute
//     meet the secondary one, with Retry-After; a 304 costs nothing.
//
// Whether the answers have the shape that GitHub publishes is checked when the
// tests are built with the tag "contract": contract.go.
package githubtest

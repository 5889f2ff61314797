// Package mcp serves what sayso knows of one repository to agents, over the
// Model Context Protocol on two streams. It holds the tools and resources, their
// inputs, and what a client sees of an error. It must never know how entries are
// stored, how hits are ranked or how a verdict comes about: whoever starts a server
// hands in a [Backend] that does.
//
// # Tour
//
//   - backend.go: [Backend], what a server asks, and the values that have no home
//     elsewhere.
//   - server.go: [New] and [Server.Run]; one server, one client, one repository.
//   - tools.go: the tools and their inputs. None accepts, rejects or changes an
//     entry that is there: propose writes drafts, and everything else only reads.
//   - resources.go: entries that hold as memory://ID, and the notices when the list
//     changes.
//   - scrub.go: absolute paths are taken out of everything that leaves.
//
// # Rules
//
// Inputs are checked against their schemas before any code of this package sees
// them; what is wrong with them, and every error of the backend, is an answer of
// the tool with isError set, in one line, and ends neither the call before nor the
// server. Calls run side by side, and one that the client cancels ends.
//
// The SDK links an HTTP server and a schema compiler into the program. That is more
// than a commit hook should have to start, so the program has this package only
// where it is built with the tag mcp.
package mcp

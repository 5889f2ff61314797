// Package checkpoint reads what agents leave in a repository beside their
// commits: checkpoints, each a record of a session up to one commit, with its
// prompts and its transcript. It keeps what it read as derived state in the git
// folder, for whoever ranks it. It must never know about verdicts or ranking, and
// it judges nothing: a prompt is told as a prompt, an assertion as an assertion,
// and what could not be read as missing.
//
// # Tour
//
// [Ingest] walks the commits that name a checkpoint in an Entire-Checkpoint
// trailer, reads the checkpoints from the branch entire/checkpoints/v1, straight
// from git objects, and writes the state. [IngestPlain] does the same for a JSON
// document of any other tool. [Load] reads all states back as an [Index]:
// [Record] (the ledger), [Turn] (what was said) and [Coverage] (how much of it all
// was there).
//
//   - types.go: the values.
//   - walk.go: commits with trailers, their files, the branches that hold checkpoints.
//   - folder.go: one checkpoint's folder into its part of the index. The layouts are
//     listed there.
//   - ingest.go: the whole run, what is read again and what is not.
//   - plain.go: the JSON of other tools.
//   - state.go, codec.go: the files, written aside and renamed.
//
// # Rules
//
//   - A commit that names a checkpoint always has a record. What the record lacks
//     is in Record.Missing and counted in the Coverage; nothing is inferred from
//     an empty field.
//   - Without transcripts means that no object with words of the session is opened:
//     neither transcripts nor prompts, and summaries in the metadata are not kept.
//   - Text is valid UTF-8 with its secrets masked. No absolute path is kept: files
//     are named from the root of the repository, or not at all.
//   - The same sources and options give the same bytes.
//   - An index without a coverage record is refused ([ErrNoCoverage]).
package checkpoint

// Package claim reads a text in which a change speaks about itself (a commit
// message, the text of a pull request, what an assistant said) and cuts it into
// claims: single statements that can be held against the change. It must never
// know about git, about the change, or about verdicts: whether a name exists and
// whether a claim is true is for others to say.
//
// # Tour
//
//   - claim.go: the values. A [Claim] has a kind, the words that make it and its
//     [Place], so that a reader can be shown where it stands; [Detail] is what the
//     grammar found out, for the check that owns the kind.
//   - token.go: the tokenizer. Prose and code in one pass: words, names, code
//     spans, paths, numbers, versions, references, each with its offset.
//   - parse.go: [Parse], the entry point. It takes away what is not prose (fences,
//     quotes, tables, comments, trailers, unticked tasks, what bots paste), cuts
//     the rest into statements and clauses, and gives each statement its
//     [Standing]: does it speak of this change, or of the world?
//   - extract.go: the claims of each kind, from the clauses.
//   - scope.go: "docs only", "nothing outside x", "no functional change": the
//     statements about what a change leaves alone, which have a grammar of their own.
//   - words.go, stop.go: the vocabularies. Each set is built when first asked for.
//
// # Promises
//
// Parse never fails, is deterministic, and is linear in the text: what makes
// lines, words or sentences of any length costs no more than the same bytes in
// a common shape. What it does not read it names in [Message].NotRead ("length",
// "language"). In a language without a grammar here only names are read: a
// header, paths and identifiers look the same everywhere.
//
// A claim that is not made is better than one that was not meant: "only" in prose
// about the code, a file that is mentioned and not changed, a plan for later, the
// words of another commit all stay out, or stand as [External] or [Background].
package claim

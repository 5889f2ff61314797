// Package recall answers "what did we decide, and why?" out of three sources:
// reviewed entries of the memory, the record of the commits, and what was said in
// agents' transcripts on the way to a commit. Each hit carries whose word it is,
// what the agreement engine says of it, and what backs it. The package must never
// know about rendering or GitHub; of storage it knows only its own derived index.
//
// # Tour
//
//   - document.go: Document, one thing that can be found, and Tier, whose word it is.
//   - terms.go: Terms cuts text into what is searched for.
//   - segment.go: Segment, an inverted index of documents, built once and read in
//     place; codec.go is its bytes.
//   - search.go: relevance (BM25) over several segments as if they were one.
//   - commits.go, turns.go, entries.go: the sources as documents.
//   - library.go: Open, which brings the derived index up to date; coverage.go: how much
//     of everything is there.
//   - judge.go: what a transcript claims, held against the commit that it sits on;
//     verdicts.go keeps the rulings.
//   - trust.go: confidence, trust classes, and the order of hits.
//   - ask.go: Library.Ask, from a question to an Answer.
//   - tag.go, brief.go: the revision line of an entry, and the orientation view.
//
// # Rules
//
// Coverage comes first and is never inferred: a bound that was hit, a commit that
// could not be read, a checkpoint without a transcript are told. Without a record
// of the coverage there is no answer. Relevance chooses the candidates, trust orders
// them: no partial or contradicted hit stands above one that was verified.
// The same sources and question give the same bytes.
package recall

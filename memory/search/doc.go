// Package search finds entries of a project memory: by words that must all stand
// in one entry, by relevance, or by several phrasings at once. It is what
// memory_search and memory_read are made of, on the command line as for agents. It must
// never know about git, verdicts, transcripts or rendering: it gets a store and gives
// back entries.
//
// # Tour
//
//   - contract.go: [SearchInput] and [ReadInput], what the two tools take, and
//     [SearchResult] and [ReadResult], what they answer; [Request], which can say
//     more than the tool. output.go: what the commands write.
//   - searcher.go: [Searcher], which opens a store and answers.
//   - terms.go, language.go: text cut into words, and the stems of words in the
//     language of their entry.
//   - fields.go: what of an entry is searched, and what it weighs.
//   - query.go, expand.go: a query as words and the ways in which each may be found.
//   - rank.go: the three modes ([ModeAll], [ModeBest], [ModeExpanded]) and the order of
//     hits, which is total. excerpt.go: the passage that is shown.
//   - segment.go, build.go: an inverted index in one run of bytes.
//   - index.go: the index as a file that follows the store.
//
// # Rules
//
// What does not hold, by the rule of [memory.Set], is not found unless it is
// asked for, and then it is marked; it has no influence on the order of what
// does. The index is derived: it is safe to delete, a torn or foreign one is made
// anew without a word, and where it cannot be written the answers are the same. Whether
// it was built at once or followed its store in steps shows in no answer. Coverage
// comes with every result. Neither the clock nor the environment is read.
package search

// Package bench measures the checker on labelled pairs of a message and a
// commit, drawn from the history of any repository. It holds the rules that
// make a true message false, the drawing of samples, the scoring and its own
// output. It must never know how a verdict is reached, and the rules must never
// look at the checker: they read git and the diff with their own eyes, so that
// a blind spot of the checker is not a blind spot of the measurement.
//
// The tour: a [Source] reads one repository (source.go) and [Scene] is one of
// its commits with diff and tree at hand (scene.go). [Generate] draws pairs
// (generate.go): mutants by the rules in rule_*.go, their originals, a uniform
// sample of natural commits and control pairs with true statements
// (control.go). [Pair] is the unit, read and written as JSON lines (pair.go).
// [Judge] shows every pair to the engine through a twin commit in a store of
// its own (twin.go, judge.go): same tree, parents and author, no message, so
// that the true message cannot be seen. [Summarise] turns outcomes into numbers
// (score.go, stats.go): what they mean in use (rates.go), how far the score can
// be trusted (reliability.go), what other thresholds would give (sweep.go).
// [WriteText], [WriteMarkdown] and [WriteSVG] print them, [Explain] lists pairs for
// reading by eye (write.go, markdown.go, svg.go). [Result] keeps it all in a file
// and [Compare] sets two of them against each other (result.go, compare.go).
//
// On top of this stand [Ablate], which asks the checks again with each one off
// and each one alone (ablation.go), [Train], which fits the table of weights anew
// (train.go, table.go), and the log of published figures (publish.go).
//
// Everything is offline and depends on nothing but the repositories and the
// seed. The repository that was given is never written to.
package bench

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
// (score.go, stats.go), [WriteText] prints them, [Explain] lists pairs for
// reading by eye (write.go).
//
// Everything is offline and depends on nothing but the repositories and the
// seed. The repository that was given is never written to.
package bench

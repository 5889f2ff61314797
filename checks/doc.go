// Package checks is the agreement engine: it holds the claims of a text against
// the facts of a change and gives each one a verdict with evidence. It knows
// nothing of rendering or of GitHub, reads no file and no clock, and is
// deterministic: the same input gives the same judgement.
//
// Start with Judge in judge.go: it asks, for every claim, the check that owns the
// claim's kind, turns the check's weighed evidence into a verdict, and draws up
// the coverage. A check is one file, check_<id>.go: a Doc that explains it to
// people, and a function from a claim to an outcome. All lists them. The
// weights that make evidence comparable stand in one table: weights.go names them,
// weights_table.go holds the numbers, trace.go shows a fit how a suspicion hangs on
// them. types.go holds what comes out, input.go what has to go in.
//
// Three rules hold everywhere. A name that is absent from the diff is not evidence
// by itself. What could not be read makes a claim unverifiable, never contradicted.
// Support can only lower suspicion, evidence can only raise it.
package checks

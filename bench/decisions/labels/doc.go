// Package labels holds a sample of statements out of public decision records,
// contribution guides and instruction files, each with a label, against which the
// reading of prose decisions is measured. It knows places, labels and small
// changes; it must never know how a decision is parsed or judged, and the code
// that does so must never read it.
//
// The tour: dev.jsonl and test.jsonl hold one [Statement] a line, [Load] reads
// them. The texts are not kept here: a statement names where its text stands and
// what the text's SHA-256 is, and [Statement.Text] cuts it out of the file again.
// The program in texts does that for all of them. README.md says how the sample
// was drawn, how it was labelled and what it cannot show; fetch.md says how to get
// the sources.
package labels

// Package secret finds credentials in text and masks them, before the text is
// written anywhere. It is for text that is about to be kept or shown: memory
// entries that are proposed or imported, turns of transcripts that are ingested.
// It must never know where a text came from, nor keep, log or return a secret.
//
// # Tour
//
// [Mask] is what callers want: the text with a mark in the place of every
// credential, and how many there were. [Find] gives their places and the rules
// that found them, for a refusal that says what it refuses. [Marked] counts the
// marks that a text already has. The table of rules is rules.go; find.go runs
// it.
//
// A rule is a keyword and an expression that is anchored at it: what the text
// says before its first keyword costs a search for a few fixed strings, and no
// expression can wander over the rest of the text. Expressions are compiled when
// their keyword is first met.
//
// # What is a credential
//
// Tokens with a shape of their own (a prefix that the issuer gave them so that
// they can be found), private keys, passwords in addresses, and values of high
// entropy that are assigned to a name such as "api_key" or "password". The shapes
// are those that the issuers document and that gitleaks (MIT) collects; the
// expressions are this package's own. What has no shape and no telling name is
// not found: masking lowers the harm of a slip, it is no permission to ingest
// what must not be read.
//
// # Laws
//
// Masking twice is masking once; text without a keyword comes back unchanged and
// is not copied; line ends are kept, so that line numbers stay right, except for
// those inside a private key.
package secret

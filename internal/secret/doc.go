// Package secret finds credentials in text and masks them, for everything that
// is written down or published where the text came from somebody else. It must
// never know where a text came from or where it goes: a string goes in, a
// string comes out.
//
// # Tour
//
// [Mask] is the package. It knows the formats that vendors document for their
// tokens (a fixed prefix, then an alphabet and a length), private keys,
// passwords in addresses, and values assigned to a name that says they are
// secret. Each rule has words that must stand in the text before its expression is
// tried, so that text without any costs one pass; expressions are compiled when
// they are first needed and run in linear time (RE2).
//
// What is masked keeps its beginning where the beginning only names the vendor,
// so that a reader sees what stood there. A masked text has nothing left to mask.
package secret

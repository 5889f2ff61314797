package lang

// This file is the contract of the package: what the rooms above use.

// LineClass says what a line of a source file consists of.
type LineClass uint8

const (
	Blank   LineClass = iota // nothing but white space
	Code                     // at least one token of code
	Comment                  // nothing but comment (or a docstring, or a document's prose)
	Prose                    // nothing but the inside of a string literal that spans lines (help text)
)

// Kind is the category of a file by its path (and, for Generated, its head).
type Kind uint8

const (
	Other Kind = iota
	Source
	Test // tests, fixtures, snapshots
	Doc
	CI
	Build  // manifests, lock files, build scripts, repository dot files
	Config // yaml, json, toml, ini ... that is none of the above
	Example
	Bench
	Template
	Generated
	Vendored
	Asset // images, fonts, archives
)

// Def is one definition: a function, method, type, class, constant ... with its extent.
type Def struct {
	Name      string // the bare name
	Qualified string // with its container where known: "Type.Method", "Class.method" (a member's namespace is left out); else Name
	What      string // func, method, type, class, const, var, macro, field, module
	Line, End int    // first and last line, from 1; a decorator, attribute or doc comment is not counted in
	Exported  bool   // visible outside its file by the language's rule, true where unknown
	Signature uint64 // hash of the header's tokens (name, parameters, result), 0 where unknown
}

// Import is one import, include or require, unresolved.
type Import struct {
	Path     string // as written
	Line     int
	Relative bool
}

package git

// This file is the contract of the package: what the rooms above use.

import (
	"context"
	"errors"
	"time"
)

// Sentinel errors; every error of this package that has one of these causes
// wraps it, with the path or revision and the way out in its text.
var (
	ErrNotRepository = errors.New("not a git repository")
	ErrEmpty         = errors.New("the repository has no commit yet")
	ErrUnknown       = errors.New("unknown revision")
	ErrMissing       = errors.New("object is missing") // shallow boundary, partial clone, deleted
	ErrCorrupt       = errors.New("object is corrupt")
	ErrIndex         = errors.New("the index cannot be read")
	ErrNoWorkTree    = errors.New("the repository has no work tree")
	ErrNoGit         = errors.New("no git executable")
	ErrUnsupported   = errors.New("needs the git executable") // what the go-git fallback refuses, by name
)

// Commit is one commit object, decoded.
type Commit struct {
	Hash      string // full hexadecimal hash, 40 or 64 digits
	Tree      string
	Parents   []string
	Author    Signature
	Committer Signature
	Message   string // UTF-8; Latin-1 and other i18n encodings are converted, NUL kept
	Encoding  string // the commit's encoding header, "" for UTF-8
}

// Signature is who and when.
type Signature struct {
	Name, Email string
	When        time.Time
}

// RawEntry is one row of `git diff-tree --raw`.
type RawEntry struct {
	Status           byte // A D M R C T U
	Score            int  // similarity of R and C, 0..100
	OldMode, NewMode string
	OldBlob, NewBlob string // full object names; all zero where there is none
	OldPath, Path    string // raw bytes as git has them; OldPath == Path unless R or C
}

// Git is the contract that *Repo fulfils; tests of upper rooms may fake it.
type Git interface {
	Commit(ctx context.Context, hash string) (*Commit, error)
	Blob(ctx context.Context, object string, max int64) ([]byte, error)
}

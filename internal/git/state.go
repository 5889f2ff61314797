package git

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// State is what the work tree is in the middle of.
type State struct {
	Head       string // hash of HEAD's commit, "" before the first commit
	Unborn     bool   // there is no commit yet on this branch
	Merge      bool   // a merge is being concluded (a squash is not a merge)
	CherryPick bool
	Revert     bool
	Rebase     bool
}

// State reads HEAD and the marks that git leaves in its directory while
// something is in progress.
func (r *Repo) State(ctx context.Context) (State, error) {
	var s State
	hash, err := r.branchTip(), error(nil)
	if hash == "" {
		hash, err = r.Resolve(ctx, "HEAD")
	}
	switch {
	case err == nil:
		s.Head = hash
	case ctx.Err() != nil:
		return s, err
	case !r.unborn():
		return s, err
	default:
		s.Unborn = true
	}
	s.Merge = r.has("MERGE_HEAD")
	s.CherryPick = r.has("CHERRY_PICK_HEAD")
	s.Revert = r.has("REVERT_HEAD")
	s.Rebase = r.has("rebase-merge") || r.has("rebase-apply")
	return s, nil
}

// branchTip reads in the files of the repository what git would say of HEAD, to
// save a process; "" where they do not tell: a store of references of another
// kind, a branch that is a name for another reference.
func (r *Repo) branchTip() string {
	if r.plain != nil {
		return ""
	}
	data, err := os.ReadFile(filepath.Join(r.gitDir, "HEAD"))
	if err != nil {
		return ""
	}
	name := strings.TrimSpace(string(data))
	if isHash(name) {
		return name
	}
	ref, ok := strings.CutPrefix(name, "ref: ")
	if !ok || !strings.HasPrefix(ref, "refs/heads/") || !filepath.IsLocal(filepath.FromSlash(ref)) {
		return ""
	}
	if data, err = os.ReadFile(filepath.Join(r.common, filepath.FromSlash(ref))); err == nil {
		if hash := strings.TrimSpace(string(data)); isHash(hash) {
			return hash
		}
		return ""
	}
	packed, err := os.ReadFile(filepath.Join(r.common, "packed-refs"))
	if err != nil {
		return ""
	}
	before, _, found := strings.Cut(string(packed), " "+ref+"\n")
	if hash := before[strings.LastIndexByte(before, '\n')+1:]; found && isHash(hash) {
		return hash
	}
	return ""
}

// has looks for a file of this work tree's own git directory. All of the marks
// live there, also in linked work trees.
func (r *Repo) has(name string) bool {
	_, err := os.Lstat(filepath.Join(r.gitDir, name))
	return err == nil
}

// unborn says that HEAD names a branch that has no commit, as opposed to one
// whose commit is gone.
func (r *Repo) unborn() bool {
	data, err := os.ReadFile(filepath.Join(r.gitDir, "HEAD"))
	ref, symbolic := strings.CutPrefix(strings.TrimSpace(string(data)), "ref: ")
	if err != nil || !symbolic {
		return false
	}
	if _, err := os.Stat(filepath.Join(r.common, filepath.FromSlash(ref))); err == nil {
		return false
	}
	packed, _ := os.ReadFile(filepath.Join(r.common, "packed-refs"))
	return !strings.Contains(string(packed), " "+ref+"\n")
}

// Amending guesses whether a commit-msg hook runs for `commit --amend`: git then
// hands the hook the author date of the commit that is replaced. authorDate is
// the value of GIT_AUTHOR_DATE ("@seconds zone", "seconds zone"), "" where unset.
func Amending(authorDate string, head *Commit) bool {
	f := strings.Fields(strings.TrimPrefix(strings.TrimSpace(authorDate), "@"))
	if head == nil || len(f) == 0 || head.Author.When.IsZero() {
		return false
	}
	given := decodeSignature([]byte("a <a> "+strings.Join(f, " ")), "").When
	if given.IsZero() {
		var err error
		if given, err = time.Parse(time.RFC3339, strings.TrimSpace(authorDate)); err != nil {
			return false
		}
	}
	_, a := given.Zone()
	_, b := head.Author.When.Zone()
	return given.Unix() == head.Author.When.Unix() && (len(f) < 2 || a == b)
}

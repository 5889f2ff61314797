package publish

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/rs/zerolog"

	"github.com/saysolint/sayso/internal/config"
	"github.com/saysolint/sayso/memory"
)

// Target says where entries are to go. The zero value is the store of a work tree.
type Target struct {
	Remote string // address of another repository as git takes it, a path too; "" for this one
	Branch string // without refs/heads/; with Remote "" is the branch that it has checked out
	Folder string // of the store, from the top of that repository; "" for the default
}

func (t Target) String() string {
	switch {
	case t.Remote != "" && t.Branch != "":
		return t.Address() + " " + t.Branch
	case t.Remote != "":
		return t.Address()
	case t.Branch != "":
		return "branch " + t.Branch
	}
	return "the work tree"
}

// Address is the remote without what it may hold of a password.
func (t Target) Address() string { return Address(t.Remote) }

// Address is the address of a repository without what it may hold of a password.
// A path of this machine becomes its last part.
func Address(remote string) string {
	if u, err := url.Parse(remote); err == nil && u.Scheme != "" && u.Host != "" {
		u.User, u.RawQuery, u.Fragment = nil, "", ""
		return memory.Line(u.String())
	}
	if filepath.IsAbs(remote) || strings.HasPrefix(remote, ".") || strings.HasPrefix(remote, "~") || strings.HasPrefix(remote, "file:") {
		return memory.Line(path.Base(filepath.ToSlash(strings.TrimSuffix(remote, "/"))))
	}
	return memory.Line(remote)
}

// Options of a call.
type Options struct {
	Repo     Repo          // the repository that the call comes from; not needed for the store of a folder on disk
	Git      string        // executable, "" looks it up
	Env      []string      // environment of git: the caller's, whose credentials a push needs
	Store    *memory.Store // where Target names the work tree
	Now      func() time.Time
	Patience time.Duration // after which a branch that keeps moving is given up; 0 for two minutes
	Message  string        // of the commit, "" for one that names the entries
	DryRun   bool          // write nothing, say what would be
	Log      zerolog.Logger
	Jitter   func(n int64) int64 // a number in [0, n); nil: no jitter

	alone bool // tests: the others are on other machines
}

// Repo is what is asked of the repository that the call comes from; *git.Repo has it.
type Repo interface {
	Root() string
	GitDir() string
	CommonDir() string
	Bare() bool
}

// Result says what a call did.
type Result struct {
	Target   Target
	Outcomes []memory.Outcome // one for each arrival, in their order
	Files    int              // files written
	Commit   string           // the commit that holds them, "" where none was made
	Tip      string           // of the branch that was looked at, "" for none
	Attempts int              // how often the branch had moved, and one
}

// Changed says whether anything was written.
func (r Result) Changed() bool { return r.Files > 0 }

var (
	// ErrMoving is a branch that others moved each time, for all of the patience.
	ErrMoving = errors.New("the branch was moved by others each time: run again")
	// ErrTarget is a target that cannot be written to, by what it is.
	ErrTarget = errors.New("cannot be published to")
	// ErrIdentity is a commit that nobody would have made.
	ErrIdentity = errors.New("git knows no name and address for a commit: git config user.name, git config user.email")
)

// DefaultPatience is how long a moving branch is followed.
const DefaultPatience = 2 * time.Minute

// Publish puts arrivals into the store of a target: all of them, or none. Those
// that cannot be in a store are told as held and do not keep the others out.
func Publish(ctx context.Context, t Target, arrivals []memory.Arrival, o Options) (Result, error) {
	if t.Folder == "" {
		t.Folder = memory.DefaultFolder
	}
	if !config.ValidFolder(t.Folder) {
		return Result{}, fmt.Errorf("memory folder %.60q: a relative path without .. is needed: %w", t.Folder, ErrTarget)
	}
	if o.Patience <= 0 {
		o.Patience = DefaultPatience
	}
	if t.Remote == "" && t.Branch == "" {
		return toStore(ctx, t, arrivals, o)
	}
	if o.Git == "" {
		git, err := exec.LookPath("git")
		if err != nil {
			return Result{}, errors.New("publishing to a branch needs git, which is not there")
		}
		o.Git = git
	}
	var g ground
	var err error
	if t.Remote == "" {
		g, err = openLocal(ctx, t, o)
	} else {
		g, err = openRemote(ctx, t, o)
	}
	if err != nil {
		return Result{}, fmt.Errorf("publishing to %s: %w", t, err)
	}
	defer g.close()
	r, err := toBranch(ctx, g, t, arrivals, o)
	if err != nil {
		return Result{}, fmt.Errorf("publishing to %s: %w", t, err)
	}
	return r, nil
}

// toStore writes into the folder of a work tree.
func toStore(ctx context.Context, t Target, arrivals []memory.Arrival, o Options) (Result, error) {
	if o.Store == nil {
		return Result{}, fmt.Errorf("there is no store in a work tree: %w", ErrTarget)
	}
	do := o.Store.Arrive
	if o.DryRun {
		do = o.Store.Would
	}
	plan, err := do(ctx, arrivals)
	if err != nil {
		return Result{}, err
	}
	return Result{Target: t, Outcomes: plan.Outcomes, Files: len(plan.Writes), Attempts: 1}, nil
}

package git

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Resolve turns the name of a revision into the full hash of its commit. A tag
// is followed. A name that begins with a dash is unknown, never an option.
func (r *Repo) Resolve(ctx context.Context, rev string) (string, error) {
	c, err := r.Commit(ctx, rev)
	if err != nil {
		return "", err
	}
	return c.Hash, nil
}

// RevOptions narrow what Revisions lists.
type RevOptions struct {
	Last int    // only the newest this many, 0 for all
	Base string // without specs: the commits that HEAD has and Base lacks
}

// Revisions lists commits, oldest first and each once; merges are included.
// A spec "REV" is that commit alone, "A..B" what B has and A lacks, "A...B"
// what one of them has and the other lacks. With Last, "REV" stands for its
// history and the newest commits are kept. Without specs it lists what HEAD has
// and its upstream, or else the default branch, lacks; HEAD alone if there is
// nothing of that kind.
func (r *Repo) Revisions(ctx context.Context, specs []string, opts RevOptions) ([]string, error) {
	if r.plain != nil {
		return r.plainRevisions(ctx, specs, opts)
	}
	if len(specs) == 0 {
		return r.pending(ctx, opts)
	}
	var all []string
	seen := map[string]bool{}
	for _, spec := range specs {
		list, err := r.expand(ctx, spec, opts.Last)
		if err != nil {
			return nil, err
		}
		for _, hash := range list {
			if !seen[hash] {
				seen[hash] = true
				all = append(all, hash)
			}
		}
	}
	return newest(all, opts.Last), nil
}

func newest(list []string, n int) []string {
	if n > 0 && len(list) > n {
		return list[len(list)-n:]
	}
	return list
}

// expand lists the commits of one spec, oldest first.
func (r *Repo) expand(ctx context.Context, spec string, last int) ([]string, error) {
	left, right, dots := SplitRange(spec)
	if dots == "" {
		hash, err := r.Resolve(ctx, spec)
		if err != nil || last == 0 {
			return []string{hash}, err
		}
		return r.list(ctx, last, hash)
	}
	a, err := r.Resolve(ctx, left)
	if err != nil {
		return nil, fmt.Errorf("range %s: %w", printable(spec), err)
	}
	b, err := r.Resolve(ctx, right)
	if err != nil {
		return nil, fmt.Errorf("range %s: %w", printable(spec), err)
	}
	return r.list(ctx, last, a+dots+b)
}

// SplitRange cuts "A..B" and "A...B" at their dots; an end that is left out is
// HEAD. dots is "" where spec is no range.
func SplitRange(spec string) (left, right, dots string) {
	i := strings.Index(spec, "..")
	if i < 0 || strings.HasPrefix(spec, ":/") {
		return spec, "", ""
	}
	dots = ".."
	if strings.HasPrefix(spec[i:], "...") {
		dots = "..."
	}
	left, right = spec[:i], spec[i+len(dots):]
	if left == "" {
		left = "HEAD"
	}
	if right == "" {
		right = "HEAD"
	}
	return left, right, dots
}

// list runs rev-list over resolved names only.
func (r *Repo) list(ctx context.Context, last int, names ...string) ([]string, error) {
	args := []string{"rev-list"}
	if last > 0 {
		args = append(args, "--max-count="+strconv.Itoa(last))
	}
	out, err := r.Run(ctx, nil, append(append(args, names...), "--")...)
	if err != nil {
		return nil, r.history(err)
	}
	list := strings.Fields(string(out))
	slices.Reverse(list)
	return list, nil
}

// history adds the way out to an error about commits that a clone cut off.
func (r *Repo) history(err error) error {
	if errors.Is(err, ErrMissing) {
		return fmt.Errorf("%w%s", err, r.objects.advice())
	}
	return err
}

// pending lists the commits of HEAD that are not on the branch it will go to.
func (r *Repo) pending(ctx context.Context, opts RevOptions) ([]string, error) {
	head, err := r.Resolve(ctx, "HEAD")
	if err != nil {
		return nil, err
	}
	if opts.Last > 0 && opts.Base == "" {
		return r.list(ctx, opts.Last, head)
	}
	base := ""
	if opts.Base != "" {
		if base, err = r.Resolve(ctx, opts.Base); err != nil {
			return nil, err
		}
	} else if _, base, err = r.Upstream(ctx); err != nil {
		return nil, err
	}
	if base == "" {
		return []string{head}, nil
	}
	list, err := r.list(ctx, opts.Last, base+".."+head)
	if err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return []string{head}, nil
	}
	return list, nil
}

// Upstream is the branch that HEAD's commits will go to: its upstream, else the
// default branch, of the remote before the local one. Both results are "" where
// there is none.
func (r *Repo) Upstream(ctx context.Context) (name, hash string, err error) {
	names := []string{"HEAD@{upstream}", "refs/remotes/origin/HEAD", "refs/remotes/origin/main", "refs/remotes/origin/master",
		"refs/heads/main", "refs/heads/master"}
	for i := 0; i < len(names); i++ {
		hash, err := r.Resolve(ctx, names[i])
		switch {
		case err == nil:
			return strings.TrimPrefix(strings.TrimPrefix(names[i], "refs/remotes/"), "refs/heads/"), hash, nil
		case ctx.Err() != nil:
			return "", "", err
		}
		if i == 5 {
			out, _ := r.Run(ctx, nil, "config", "--get", "init.defaultBranch")
			if branch := strings.TrimSpace(string(out)); branch != "" && !strings.HasPrefix(branch, "-") {
				names = append(names, "refs/remotes/origin/"+branch, "refs/heads/"+branch)
			}
		}
	}
	return "", "", nil
}

// MergeBase is the best common ancestor of two commits.
func (r *Repo) MergeBase(ctx context.Context, a, b string) (string, error) {
	ha, err := r.Resolve(ctx, a)
	if err != nil {
		return "", err
	}
	hb, err := r.Resolve(ctx, b)
	if err != nil {
		return "", err
	}
	out, err := r.Run(ctx, nil, "merge-base", ha, hb)
	if code(err) == 1 {
		if r.Shallow() {
			return "", fmt.Errorf("%s and %s: the common ancestor: %w%s", printable(a), printable(b), ErrMissing, r.objects.advice())
		}
		return "", fmt.Errorf("%s and %s have no common ancestor: name another base: %w", printable(a), printable(b), ErrUnknown)
	}
	if err != nil {
		return "", r.history(err)
	}
	return strings.TrimSpace(string(out)), nil
}

// IsAncestor says whether commit a is b or lies in its history.
func (r *Repo) IsAncestor(ctx context.Context, a, b string) (bool, error) {
	ha, err := r.Resolve(ctx, a)
	if err != nil {
		return false, err
	}
	hb, err := r.Resolve(ctx, b)
	if err != nil {
		return false, err
	}
	_, err = r.Run(ctx, nil, "merge-base", "--is-ancestor", ha, hb)
	switch {
	case err == nil:
		return true, nil
	case code(err) != 1:
		return false, r.history(err)
	case r.Shallow():
		return false, fmt.Errorf("whether %s is in the history of %s: %w%s", printable(a), printable(b), ErrMissing, r.objects.advice())
	}
	return false, nil
}

// code is the exit code of a failed git, -1 where err is something else.
func code(err error) int {
	var exit *ExitError
	if errors.As(err, &exit) {
		return exit.Code
	}
	return -1
}

// FindAbbrev lists the commits whose hash begins with prefix, sorted. Fewer
// than four digits find nothing.
func (r *Repo) FindAbbrev(ctx context.Context, prefix string) ([]string, error) {
	prefix = strings.ToLower(prefix)
	if len(prefix) < 4 || len(prefix) > 64 || !isHex(prefix) {
		return nil, nil
	}
	out, err := r.Run(ctx, nil, "rev-parse", "--disambiguate="+prefix)
	if err != nil {
		return nil, err
	}
	var commits []string
	for _, hash := range strings.Fields(string(out)) {
		_, kind, err := r.Type(ctx, hash)
		if ctx.Err() != nil {
			return nil, err
		}
		if err == nil && kind == "commit" {
			commits = append(commits, hash)
		}
	}
	slices.Sort(commits)
	return commits, nil
}

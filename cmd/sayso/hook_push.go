package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/saysolint/sayso/internal/engine"
	"github.com/saysolint/sayso/internal/git"
	"github.com/saysolint/sayso/report"
)

func newHookPrePush(a *app) *cobra.Command {
	var f hookFlags
	cmd := &cobra.Command{
		Use:   "pre-push [REMOTE [URL]]",
		Short: "Judge the commits that are pushed",
		Long: `Judge the commits that are pushed: what standard input names in git's own form,
or PRE_COMMIT_FROM_REF and PRE_COMMIT_TO_REF where the pre-commit framework calls.`,
		Example: `  sayso hook run pre-push origin git@example.com:x/y.git`,
		Args:    cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.guard(cmd.Context(), func(ctx context.Context) (int, error) { return a.hookPrePush(ctx, args, f) })
		},
	}
	f.register(cmd)
	return cmd
}

// push is one ref that is pushed.
type push struct{ local, remote string } // object names; remote "" where the remote has none

func (a *app) hookPrePush(ctx context.Context, args []string, f hookFlags) (int, error) {
	pushes, err := a.pushes(ctx)
	if err != nil || len(pushes) == 0 {
		return 0, err
	}
	remote := a.getenv("PRE_COMMIT_REMOTE_NAME")
	if len(args) > 0 {
		remote = args[0]
	}
	repo, err := a.open(ctx, "")
	if err != nil {
		return 0, err
	}
	defer repo.Close()
	var all []engine.Result
	var read []group // what was pushed, for the trees that the configuration came from
	seen := map[string]bool{}
	for _, p := range pushes {
		base, err := pushBase(ctx, repo, p, remote)
		if err != nil {
			return 0, err
		}
		spec := p.local
		rev, from := p.local+"^", "the first parent of "+short(p.local)
		if base != "" {
			spec = base + ".." + p.local
			rev, from = base, "the merge base "+short(base)
		}
		hashes, err := repo.Revisions(ctx, []string{spec}, git.RevOptions{})
		if err != nil {
			return 0, err
		}
		fresh := hashes[:0:0]
		for _, h := range hashes {
			if !seen[h] {
				seen[h] = true
				fresh = append(fresh, h)
			}
		}
		last, err := a.trustTree(ctx, repo, rev, from)
		if err != nil {
			return 0, err
		}
		last.memoryAt = rev
		read = append(read, group{trust: last, from: []string{last.from}})
		eng := a.engine(ctx, repo, last, false, nil)
		err = eng.Commits(ctx, fresh, func(r engine.Result) error {
			all = append(all, r)
			return nil
		})
		_ = eng.Close()
		if err != nil {
			return 0, err
		}
	}
	whole := together(read)
	gates, err := (&outputFlags{failOn: f.failOn}).gates(whole)
	if err != nil {
		return 0, err
	}
	code, err := a.showHook(whole, gates, f.verbose, all...)
	if err != nil || code != report.ExitGate {
		return report.ExitOK, err
	}
	fmt.Fprintf(a.stderr, "sayso: the push was stopped; SAYSO=0 git push ... makes it as it is\nhint: git rebase -i mends the messages\n")
	return report.ExitGate, nil
}

// pushes reads what is pushed. Deletions and tags say nothing about a change.
func (a *app) pushes(ctx context.Context) ([]push, error) {
	if to := a.getenv("PRE_COMMIT_TO_REF"); to != "" {
		from := a.getenv("PRE_COMMIT_FROM_REF")
		if isZero(to) {
			return nil, nil
		}
		if isZero(from) {
			from = ""
		}
		return []push{{to, from}}, nil
	}
	var out []push
	in := bufio.NewScanner(&patientReader{ctx: ctx, in: a.stdin})
	in.Buffer(nil, 1<<20)
	for in.Scan() {
		f := strings.Fields(in.Text())
		if len(f) == 0 {
			continue
		}
		if len(f) != 4 || !isHash(f[1]) || !isHash(f[3]) {
			return nil, usageError("pre-push", fmt.Sprintf("cannot read %q", in.Text()), "git gives lines of local ref, local object, remote ref, remote object")
		}
		if isZero(f[1]) || strings.HasPrefix(f[0], "refs/tags/") {
			continue
		}
		p := push{local: f[1], remote: f[3]}
		if isZero(p.remote) {
			p.remote = ""
		}
		out = append(out, p)
	}
	if err := in.Err(); err != nil {
		return nil, ioError("standard input", err)
	}
	return out, nil
}

// isZero says whether a name is git's for nothing.
func isZero(s string) bool { return strings.Trim(s, "0") == "" }

// pushBase is the commit that a push is new against: what the remote has, or,
// for a new branch and for one whose old commits are not here, the merge base
// with the remote's default branch. "" where there is none: the commit alone is judged.
func pushBase(ctx context.Context, repo *git.Repo, p push, remote string) (string, error) {
	if p.remote != "" {
		base, err := repo.MergeBase(ctx, p.remote, p.local)
		if err == nil || ctx.Err() != nil {
			return base, err
		}
	}
	for _, branch := range []string{"HEAD", "main", "master"} {
		name := "refs/remotes/" + remote + "/" + branch
		hash, err := repo.Resolve(ctx, name)
		if errors.Is(err, git.ErrUnknown) {
			continue
		}
		if err != nil {
			return "", err
		}
		return repo.MergeBase(ctx, hash, p.local)
	}
	// A first push to an empty remote: everything is new, and only what no
	// remote has is this person's to mend.
	out, err := repo.Run(ctx, nil, "rev-list", "--max-count=200", "--reverse", p.local, "--not", "--remotes")
	if err != nil {
		return "", err
	}
	first, _, _ := bytes.Cut(out, []byte("\n"))
	if len(first) == 0 {
		return "", nil
	}
	parent, err := repo.Resolve(ctx, string(first)+"^")
	if errors.Is(err, git.ErrUnknown) || errors.Is(err, git.ErrMissing) {
		return "", nil
	}
	return parent, err
}

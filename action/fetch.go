package action

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/rs/zerolog"
)

// Fetcher brings commits that a shallow checkout lacks. It is the one place of the
// program where git reaches the network to read: everything else runs git with
// fetching forbidden.
type Fetcher struct {
	Git     string   // path of the program; "" looks it up
	Dir     string   // the checkout
	Env     []string // of git
	Remote  string   // name or address; "" is origin
	Server  string   // https://github.com: where the token may be sent
	Token   string   // "" where the checkout has its own credentials, or none are needed
	Allowed bool     // false only looks what is there
	Log     zerolog.Logger
}

// maxDepth is the deepest history that is fetched for one pull request. What lies
// deeper is read through the API, or not at all.
const maxDepth = 20_000

// Bring sees to it that head, base and all commits between their merge base and
// head are there, fetching no more than what is missing, and returns the merge
// base. api says what the API knows of the two commits; it is asked only where the
// checkout is shallow.
func (f *Fetcher) Bring(ctx context.Context, base, head string, api func(context.Context) (Comparison, error)) (mergeBase string, err error) {
	if _, err := f.run(ctx, nil, "rev-parse", "--git-dir"); err != nil {
		return "", fmt.Errorf("no checkout: %w", err)
	}
	if err := f.want(ctx, 1, base, head); err != nil {
		return "", err
	}
	out, err := f.run(ctx, nil, "rev-parse", "--is-shallow-repository")
	if err != nil {
		return "", err
	}
	if strings.TrimSpace(out) != "true" {
		return f.mergeBase(ctx, base, head)
	}
	cmp, apiErr := api(ctx)
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	if apiErr == nil && isHash(cmp.MergeBase) {
		// All that head has and base lacks lies within as many steps from head.
		if err := f.want(ctx, 1, cmp.MergeBase); err != nil {
			return "", err
		}
		if !f.reaches(ctx, cmp.MergeBase, head, cmp.AheadBy) {
			if cmp.AheadBy >= maxDepth {
				return "", fmt.Errorf("the pull request has %d commits, at most %d are fetched", cmp.AheadBy, maxDepth)
			}
			if err := f.fetch(ctx, cmp.AheadBy+1, head); err != nil {
				return "", err
			}
		}
		return cmp.MergeBase, nil
	}
	for depth := 64; ; depth *= 8 {
		if found, err := f.mergeBase(ctx, base, head); err == nil {
			return found, nil
		}
		if depth > maxDepth {
			return "", fmt.Errorf("no common ancestor of %.12s and %.12s within %d commits", base, head, maxDepth)
		}
		if err := f.fetch(ctx, depth, base, head); err != nil {
			return "", err
		}
	}
}

// want fetches those of the commits that are not there.
func (f *Fetcher) want(ctx context.Context, depth int, hashes ...string) error {
	var missing []string
	for _, h := range hashes {
		if !isHash(h) {
			return fmt.Errorf("%.60q is no commit hash", h)
		}
		if _, err := f.run(ctx, nil, "cat-file", "-e", h+"^{commit}"); err != nil {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			missing = append(missing, h)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	return f.fetch(ctx, depth, missing...)
}

// reaches says whether the history from head is there down to the merge base: none
// of the commits that head has and the merge base lacks is at the boundary.
func (f *Fetcher) reaches(ctx context.Context, mergeBase, head string, ahead int) bool {
	out, err := f.run(ctx, nil, "rev-list", "--count", head, "^"+mergeBase)
	if err != nil {
		return false
	}
	n, err := strconv.Atoi(strings.TrimSpace(out))
	return err == nil && n >= ahead
}

func (f *Fetcher) mergeBase(ctx context.Context, base, head string) (string, error) {
	out, err := f.run(ctx, nil, "merge-base", base, head)
	if err != nil {
		if ctx.Err() != nil {
			return "", context.Cause(ctx)
		}
		return "", fmt.Errorf("no common ancestor of %.12s and %.12s is there: %w", base, head, err)
	}
	found := strings.TrimSpace(out)
	if !isHash(found) {
		return "", fmt.Errorf("no common ancestor of %.12s and %.12s is there", base, head)
	}
	return found, nil
}

// errNotAllowed is why nothing was fetched.
var errNotAllowed = errors.New("commits are missing from the checkout, and fetching is not allowed (input fetch)")

// fetch asks the remote for exactly these commits, as deep as is said.
func (f *Fetcher) fetch(ctx context.Context, depth int, hashes ...string) error {
	if !f.Allowed {
		return errNotAllowed
	}
	remote := f.Remote
	if remote == "" {
		remote = "origin"
	}
	if strings.HasPrefix(remote, "-") {
		return fmt.Errorf("%.60q is no remote", remote)
	}
	args := []string{"-c", "protocol.version=2", "fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules", "--no-auto-maintenance"}
	out, err := f.run(ctx, nil, "rev-parse", "--is-shallow-repository")
	if err != nil {
		return err
	}
	if strings.TrimSpace(out) == "true" {
		args = append(args, "--depth="+strconv.Itoa(depth)) // never makes a whole clone shallow
	}
	args = append(append(args, "--", remote), hashes...)
	_, err = f.run(ctx, f.credentials(ctx), args...)
	if err != nil {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return fmt.Errorf("fetching %s: %w", plural(len(hashes), "missing commit"), err)
	}
	return nil
}

// credentials hands the token to git in its environment, where no list of processes
// shows it, and only for the server it is for. A checkout that has credentials of
// its own keeps them: two of them are refused.
func (f *Fetcher) credentials(ctx context.Context) []string {
	if f.Token == "" || f.Server == "" {
		return nil
	}
	if out, err := f.run(ctx, nil, "config", "--name-only", "--get-regexp", `^http\..*\.extraheader$`); err == nil && out != "" {
		return nil
	}
	n := 0 // the caller's own settings of this kind stay in force
	for _, kv := range f.Env {
		if v, ok := strings.CutPrefix(kv, "GIT_CONFIG_COUNT="); ok {
			n, _ = strconv.Atoi(v)
		}
	}
	basic := base64.StdEncoding.EncodeToString([]byte("x-access-token:" + f.Token))
	return []string{
		fmt.Sprintf("GIT_CONFIG_COUNT=%d", n+1),
		fmt.Sprintf("GIT_CONFIG_KEY_%d=http.%s/.extraheader", n, strings.TrimRight(f.Server, "/")),
		fmt.Sprintf("GIT_CONFIG_VALUE_%d=AUTHORIZATION: basic %s", n, basic),
	}
}

// run runs git and returns its standard output.
func (f *Fetcher) run(ctx context.Context, env []string, args ...string) (string, error) {
	program := f.Git
	if program == "" {
		program = "git"
	}
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = f.Dir
	cmd.Env = append(append(append([]string{}, f.Env...), "LC_ALL=C", "GIT_TERMINAL_PROMPT=0", "GIT_NO_LAZY_FETCH=1", "GCM_INTERACTIVE=never"), env...)
	cmd.WaitDelay = 2 * time.Second
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	began := time.Now()
	err := cmd.Run()
	f.Log.Debug().Str("git", args[0]).Dur("took", time.Since(began)).Err(err).Msg("run")
	if err != nil {
		return out.String(), fmt.Errorf("git %s: %s", subcommand(args), f.lastLine(errs.String(), err))
	}
	return out.String(), nil
}

// subcommand is the word that tells what git was asked for.
func subcommand(args []string) string {
	for i := 0; i < len(args); i++ {
		if args[i] == "-c" {
			i++
			continue
		}
		return args[i]
	}
	return ""
}

// lastLine is the end of what git said, without the token.
func (f *Fetcher) lastLine(said string, err error) string {
	lines := strings.Split(strings.TrimSpace(said), "\n")
	line := clipRunes(lines[len(lines)-1], 300)
	if f.Token != "" {
		line = strings.ReplaceAll(line, f.Token, "***")
	}
	if line == "" {
		return err.Error()
	}
	return line
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.Itoa(n) + " " + what + "s"
}

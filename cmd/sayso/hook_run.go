package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"time"

	"github.com/natefinch/atomic"
	"github.com/spf13/cobra"

	"github.com/saysolint/sayso/checks"
	"github.com/saysolint/sayso/internal/engine"
	"github.com/saysolint/sayso/internal/git"
	"github.com/saysolint/sayso/report"
)

// hookTimeout is how long a hook may keep a person waiting before it gives up.
const hookTimeout = 20 * time.Second

// hookGC is the first collection of garbage at some 20 MB, not at 4.
const hookGC = 500

// savedMessage is where the message of a stopped commit is kept, from the git folder.
const savedMessage = "sayso/STOPPED_EDITMSG"

// hookFlags are the flags of the hooks.
type hookFlags struct {
	failOn  string
	verbose bool
}

func (f *hookFlags) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.failOn, "fail-on", "never", "stop git on any of this comma `LIST`")
	cmd.Flags().BoolVar(&f.verbose, "verbose", false, "print the whole report, also when nothing is contradicted")
}

func newHookCommitMsg(a *app) *cobra.Command {
	var f hookFlags
	cmd := &cobra.Command{
		Use:     "commit-msg FILE",
		Short:   "Judge the commit being made against the staged change",
		Example: `  sayso hook run commit-msg .git/COMMIT_EDITMSG`,
		Args:    exactly(1, "the message file that git names"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.guard(cmd.Context(), func(ctx context.Context) (int, error) { return a.hookCommitMsg(ctx, args[0], f) })
		},
	}
	f.register(cmd)
	return cmd
}

// guard runs a hook so that nothing that goes wrong in sayso stops git: an
// error, a panic or too much time is one warning and status 0.
func (a *app) guard(ctx context.Context, run func(context.Context) (int, error)) error {
	if a.getenv("SAYSO") == "0" {
		return nil
	}
	if a.getenv("GOGC") == "" {
		debug.SetGCPercent(hookGC) // a hook ends before most of its garbage is worth collecting
	}
	ctx, cancel := context.WithTimeoutCause(ctx, hookTimeout, errTimeout)
	defer cancel()
	code, err := func() (code int, err error) {
		defer func() {
			if p := recover(); p != nil {
				a.log.Error().Interface("panic", p).Bytes("stack", debug.Stack()).Msg("recovered")
				code, err = 0, internalError(p)
			}
		}()
		return run(ctx)
	}()
	switch {
	case err == nil:
		a.code = code
	case errors.Is(ctx.Err(), context.Canceled):
		return errInterrupted
	default:
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		u := asUserError(err)
		why := u.what
		if u.why != "" {
			why += ": " + u.why
		}
		fmt.Fprintf(a.stderr, "sayso: not checked: %s\n", oneLine(why))
		if u.hint != "" {
			fmt.Fprintf(a.stderr, "hint: %s\n", oneLine(u.hint))
		}
		a.code = report.ExitOK
	}
	return nil
}

// hookCommitMsg judges the commit being made. It prints only when there is something to say.
func (a *app) hookCommitMsg(ctx context.Context, file string, f hookFlags) (int, error) {
	raw, err := a.readInput(ctx, "message file", file, maxText)
	if err != nil {
		return 0, err
	}
	repo, err := a.openBriefly(ctx)
	if err != nil {
		return 0, err
	}
	defer repo.Close()
	t, err := a.trustWorktree(ctx, repo)
	if err != nil {
		return 0, err
	}
	t.local = true
	gates, err := (&outputFlags{failOn: f.failOn}).gates(t)
	if err != nil {
		return 0, err
	}
	eng := a.engine(ctx, repo, t, false, nil)
	defer eng.Close()
	res, message, err := a.judgeStaged(ctx, repo, eng, raw, "")
	if err != nil {
		return 0, err
	}
	if res.Error != nil {
		return 0, failed(res.Error)
	}
	code, err := a.showHook(t, gates, f.verbose, res)
	if err != nil || code != report.ExitGate {
		return report.ExitOK, err
	}
	a.saveMessage(repo, message)
	return report.ExitGate, nil
}

// failed is the failure of one subject as an error.
func failed(f *engine.Failure) error {
	return &userError{what: f.Message, hint: f.Hint, code: report.ExitIncomplete}
}

// showHook prints the report when a person should see it, and returns the gate's code.
func (a *app) showHook(t trust, gates []string, verbose bool, results ...engine.Result) (int, error) {
	say := verbose
	for _, r := range results {
		for _, c := range r.Claims {
			say = say || c.Verdict == checks.Contradicted
		}
		for _, h := range r.Decisions {
			say = say || h.Verdict == checks.Contradicted
		}
	}
	var buf bytes.Buffer
	out, err := a.newReport(&buf, "text", verbose, gates, t)
	if err != nil {
		return 0, err
	}
	for _, r := range results {
		if err := out.result(r); err != nil {
			return 0, err
		}
	}
	code, err := out.end()
	if err != nil {
		return 0, err
	}
	if say || code == report.ExitGate {
		if _, err := a.stdout.Write(buf.Bytes()); err != nil {
			return 0, ioError("standard output", err)
		}
	}
	return code, nil
}

// saveMessage keeps the message of a commit that is about to be stopped, since
// git writes over its own copy, and says how to get it back.
func (a *app) saveMessage(repo *git.Repo, message []byte) {
	path := filepath.Join(repo.GitDir(), filepath.FromSlash(savedMessage))
	saved := savedMessage
	err := os.MkdirAll(filepath.Dir(path), 0o700)
	if err == nil {
		err = atomic.WriteFile(path, bytes.NewReader(message))
	}
	if err != nil {
		saved = "COMMIT_EDITMSG" // git's own copy, good until the next commit
	}
	fmt.Fprintf(a.stderr, "sayso: the commit was stopped; SAYSO=0 git commit ... makes it as it is\n"+
		"hint: mend the message with: %s\n", againCommand(a.getenv("GIT_INDEX_FILE"), saved))
}

// againCommand is the command that makes a stopped commit once more with its
// saved message. What git had staged for the one commit is gone with it: with
// -a git works on a locked copy of the index, with paths on one of its own.
func againCommand(index, saved string) string {
	all, paths := "", ""
	switch base := filepath.Base(index); {
	case base == "index.lock":
		all = "-a "
	case strings.HasPrefix(base, "next-index-"):
		paths = " -- PATH... (the paths that were named)"
	}
	return fmt.Sprintf("git commit %s--edit --file=\"$(git rev-parse --git-path %s)\"%s", all, saved, paths)
}

// judgeStaged judges the message of the commit being made, given as the file
// that git passes to its hook, against the staged change. It returns the
// message as git will record it as well, byte for byte.
func (a *app) judgeStaged(ctx context.Context, repo *git.Repo, eng *engine.Engine, raw []byte, base string) (engine.Result, []byte, error) {
	eng.Begin(ctx, base)
	opts, err := repo.ReadCleanOptions(ctx)
	if err != nil {
		return engine.Result{}, nil, err
	}
	// With -m or -F git runs no editor, tells its hooks so with a colon, and keeps lines that look like comments.
	opts.Editor = a.getenv("GIT_EDITOR") != ":"
	cleaned := git.CleanMessage(raw, opts)
	state, err := repo.State(ctx)
	if err != nil {
		return engine.Result{}, nil, err
	}
	subject, _, _ := strings.Cut(cleaned.Text, "\n")
	switch {
	case strings.TrimSpace(cleaned.Text) == "":
		return abstained("empty message", subject), cleaned.Raw, nil
	case state.Merge:
		return abstained("merge in progress", subject), cleaned.Raw, nil
	}
	for _, mark := range []string{"fixup! ", "squash! ", "amend! "} {
		if strings.HasPrefix(subject, mark) {
			return abstained(strings.TrimSpace(mark)+" commit", subject), cleaned.Raw, nil
		}
	}
	res := eng.Staged(ctx, engine.Staged{Message: cleaned.Text, AuthorDate: a.getenv("GIT_AUTHOR_DATE"), Base: base})
	for i := range res.Claims {
		if p := &res.Claims[i].Place; p.Line >= 1 && p.Line <= len(cleaned.Lines) {
			p.Line = cleaned.Lines[p.Line-1]
		}
	}
	return res, cleaned.Raw, nil
}

// abstained is the result for a commit that is not judged by rule.
func abstained(why, subject string) engine.Result {
	return engine.Result{
		ID: "staged", Kind: "staged", Subject: subject,
		Judgement: checks.Judgement{
			Verdict: checks.Neutral, Abstained: why,
			Claims: []checks.Finding{}, Observations: []checks.Observation{},
			Coverage: checks.Coverage{State: "complete"},
		},
	}
}

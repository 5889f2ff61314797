package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/saysolint/sayso/internal/engine"
	"github.com/saysolint/sayso/internal/git"
	"github.com/saysolint/sayso/internal/transcript"
	"github.com/saysolint/sayso/report"
)

// The rules of what a user sees when something is wrong, all in this file:
//
//   - one line "sayso: <what>: <why>", lower case, no full stop;
//   - then at most one line "hint: <the way out>";
//   - both on standard error, with nothing on standard output and nothing written;
//   - no control character of anybody's text reaches the terminal.

// userError is an error in the words that a user reads.
type userError struct {
	what string // the command or the thing
	why  string
	hint string // "" for none
	code int
	err  error // what caused it, may be nil
}

func (e *userError) Error() string { return e.what + ": " + e.why }
func (e *userError) Unwrap() error { return e.err }

// usageError is a mistake in how a command was called.
func usageError(what, why, hint string) error {
	return &userError{what: what, why: why, hint: hint, code: report.ExitUsage}
}

// configError is a mistake in a configuration file. where names the file and the tree it was read from.
func configError(where string, err error) error {
	return &userError{
		what: where, why: err.Error(),
		hint: "sayso config schema prints what the file may hold",
		code: report.ExitUsage, err: err,
	}
}

// ioError is a file that could not be read or written.
func ioError(what string, err error) error {
	return &userError{what: what, why: err.Error(), code: report.ExitIncomplete, err: err}
}

var errInterrupted = &userError{what: "interrupted", why: "stopped before everything was judged", code: report.ExitIncomplete}

// errTimeout is what the hook says when its time is up.
var errTimeout = errors.New("took too long")

// fail prints err by the rules above and returns the exit code for it.
func (a *app) fail(err error) int {
	u := asUserError(err)
	line := oneLine(u.what)
	if u.why != "" {
		line += ": " + oneLine(u.why)
	}
	fmt.Fprintf(a.stderr, "sayso: %s\n", line)
	if u.hint != "" {
		fmt.Fprintf(a.stderr, "hint: %s\n", oneLine(u.hint))
	}
	return u.code
}

// asUserError finds the user's words for any error.
func asUserError(err error) *userError {
	var u *userError
	if errors.As(err, &u) {
		return u
	}
	f := failureOf(err)
	return &userError{what: f.Message, hint: f.Hint, code: report.ExitIncomplete, err: err}
}

// failureOf is an error as machine-readable output has it. The texts of
// internal/git name the thing and the way out themselves.
func failureOf(err error) *engine.Failure {
	var u *userError
	switch {
	case errors.As(err, &u) && u.code == report.ExitUsage:
		return &engine.Failure{Code: "bad-request", Message: u.Error(), Hint: u.hint}
	case errors.Is(err, git.ErrNotRepository):
		return &engine.Failure{Code: "not-a-repository", Message: err.Error()}
	case errors.Is(err, git.ErrEmpty):
		return &engine.Failure{Code: "unknown-revision", Message: err.Error(), Hint: "sayso check --staged --message-file FILE judges the one being made"}
	case errors.Is(err, git.ErrUnknown):
		return &engine.Failure{Code: "unknown-revision", Message: err.Error(), Hint: unlessSaid(err, "git log --oneline --all shows what there is; in CI fetch the whole history (fetch-depth: 0)")}
	case errors.Is(err, git.ErrMissing):
		return &engine.Failure{Code: "missing", Message: err.Error(), Hint: unlessSaid(err, "git fsck names what is missing or broken; a fresh clone has it")}
	case errors.Is(err, git.ErrIndex):
		return &engine.Failure{Code: "corrupt", Message: err.Error()}
	case errors.Is(err, git.ErrNoWorkTree):
		return &engine.Failure{Code: "bad-request", Message: err.Error()}
	case errors.Is(err, git.ErrCorrupt):
		return &engine.Failure{Code: "corrupt", Message: err.Error(), Hint: "git fsck names what is broken"}
	case errors.Is(err, git.ErrNoGit), errors.Is(err, git.ErrUnsupported):
		return &engine.Failure{Code: "missing", Message: err.Error(), Hint: "install git and put it on PATH"}
	case errors.Is(err, transcript.ErrTooLarge), errors.Is(err, transcript.ErrUnreadable):
		return &engine.Failure{Code: "bad-request", Message: err.Error()}
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return &engine.Failure{Code: "internal", Message: "interrupted"}
	}
	return &engine.Failure{Code: "internal", Message: err.Error()}
}

// unlessSaid is the hint, "" where the error tells of a git command itself.
func unlessSaid(err error, hint string) string {
	if strings.Contains(err.Error(), "git ") {
		return ""
	}
	return hint
}

// revisionError is what a revision that means nothing becomes where its form,
// or the lack of one, says what went wrong.
func revisionError(err error, specs []string, base string) error {
	if !errors.Is(err, git.ErrUnknown) {
		return err
	}
	if len(specs) == 0 && base == "" {
		return &userError{what: "check", why: "the current branch has no commit yet", hint: "sayso check BRANCH judges another one; sayso check --staged --message-file FILE the commit being made",
			code: report.ExitIncomplete, err: err}
	}
	const ranges = "A..B judges what B has and A has not"
	for _, spec := range specs {
		left, right, dots := git.SplitRange(spec)
		switch {
		case strings.HasPrefix(spec, "^"):
			return usageError("check", spec+" only leaves commits out and names none to judge", ranges)
		case dots != "" && (strings.Contains(left, "..") || strings.Contains(right, "..")):
			return usageError("check", spec+" has more than one range in it", ranges+"; several ranges are several arguments")
		}
	}
	return err
}

// flagError turns what the flag parser says into the house's words, with the
// nearest flag where one was mistyped.
func flagError(cmd *cobra.Command, err error) error {
	why, hint := err.Error(), cmd.CommandPath()+" --help"
	if name, ok := strings.CutPrefix(why, "unknown flag: --"); ok {
		why = fmt.Sprintf("unknown flag --%s", name)
		var names []string
		add := func(f *pflag.Flag) {
			if !f.Hidden {
				names = append(names, f.Name)
			}
		}
		cmd.Flags().VisitAll(add)
		cmd.InheritedFlags().VisitAll(add)
		if near := nearest(name, names); near != "" {
			hint = "did you mean --" + near + "?"
		}
	}
	return usageError(commandName(cmd), why, hint)
}

// unknownCommand is what an argument of a command that only has subcommands becomes.
func unknownCommand(cmd *cobra.Command, name string) error {
	var names []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	hint := cmd.CommandPath() + " --help"
	if near := nearest(name, names); near != "" {
		hint = "did you mean " + cmd.CommandPath() + " " + near + "?"
	}
	return usageError(commandName(cmd), fmt.Sprintf("unknown command %q", name), hint)
}

// commandName is the path of a command without the program's name.
func commandName(cmd *cobra.Command) string {
	if name := strings.TrimPrefix(strings.TrimPrefix(cmd.CommandPath(), "sayso"), " "); name != "" {
		return name
	}
	return "usage"
}

// nearest is the name closest to word, "" when none is close: at most two
// edits, and fewer than the word is long.
func nearest(word string, names []string) string {
	best, bestAt := "", 3
	for _, n := range names {
		if d := distance(word, n); d < bestAt && d < len(word) {
			best, bestAt = n, d
		}
		if best == "" && len(word) >= 4 && strings.HasPrefix(n, word) {
			best = n
		}
	}
	return best
}

// distance is the number of bytes to insert, delete, replace or swap to get from a to b.
func distance(a, b string) int {
	prev2, prev, cur := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		cur[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			cur[j] = min(prev[j]+1, cur[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				cur[j] = min(cur[j], prev2[j-2]+1)
			}
		}
		prev2, prev, cur = prev, cur, prev2
	}
	return prev[len(b)]
}

// oneLine makes text fit for one line of a terminal: no control character,
// nothing that turns the direction of writing, white space folded.
func oneLine(s string) string {
	if len(s) > 2000 {
		s = s[:2000] + "…"
	}
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t' || r == '\r':
			return ' '
		case r < ' ' || 0x7f <= r && r <= 0x9f, 0x200e <= r && r <= 0x200f, 0x202a <= r && r <= 0x202e, 0x2066 <= r && r <= 0x2069:
			return '\uFFFD'
		}
		return r
	}, strings.TrimSpace(strings.ToValidUTF8(s, "\uFFFD")))
}

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/natefinch/atomic"
	"github.com/spf13/cobra"

	"github.com/saysolint/sayso/internal/config"
	"github.com/saysolint/sayso/internal/git"
)

func newHookInstall(a *app) *cobra.Command {
	var failOn string
	var force, noIndex bool
	cmd := &cobra.Command{
		Use:   "install [commit-msg | pre-push]...",
		Short: "Install the hook in this repository",
		Long: `Install the hook in this repository; commit-msg unless named otherwise.

It warns and lets the commit pass unless --fail-on says what stops one. A hook
that is there already is kept, runs first and can stop the commit as before.
core.hooksPath is honoured; a folder that is not this repository's own is not
written to without --force. The index is built as well.`,
		Example: `  sayso hook install
  sayso hook install --fail-on contradicted
  sayso hook install commit-msg pre-push`,
		ValidArgs: hookNames,
		RunE: func(cmd *cobra.Command, args []string) error {
			names, err := hookArgs(cmd, args)
			if err != nil {
				return err
			}
			if failOn != "" {
				if _, err := (&outputFlags{failOn: failOn}).gates(trust{config: config.Default()}); err != nil {
					return err
				}
			}
			return a.installHooks(cmd.Context(), names, failOn, force, noIndex)
		},
	}
	cmd.Flags().StringVar(&failOn, "fail-on", "", "stop the commit on any of this comma `LIST`: "+strings.Join(config.FailOnValues, ", "))
	cmd.Flags().BoolVar(&force, "force", false, "write into a hooks folder that is not this repository's own")
	cmd.Flags().BoolVar(&noIndex, "no-index", false, "do not build the index")
	_ = cmd.RegisterFlagCompletionFunc("fail-on", cobra.FixedCompletions(config.FailOnValues, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func newHookUninstall(a *app) *cobra.Command {
	return &cobra.Command{
		Use:       "uninstall [commit-msg | pre-push]...",
		Short:     "Take the hooks away and put back what was there",
		Example:   `  sayso hook uninstall`,
		ValidArgs: hookNames,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				args = hookNames
			}
			names, err := hookArgs(cmd, args)
			if err != nil {
				return err
			}
			return a.uninstallHooks(cmd.Context(), names)
		},
	}
}

func hookArgs(cmd *cobra.Command, args []string) ([]string, error) {
	if len(args) == 0 {
		return []string{"commit-msg"}, nil
	}
	for _, name := range args {
		if !slices.Contains(hookNames, name) {
			hint := "one of " + strings.Join(hookNames, ", ")
			if near := nearest(name, hookNames); near != "" {
				hint = "did you mean " + near + "?"
			}
			return nil, usageError(commandName(cmd), "no hook "+name, hint)
		}
	}
	return args, nil
}

// hookDir is where git looks for hooks.
type hookDir struct {
	path    string // absolute
	setting string // core.hooksPath as it is set, "" when it is not
	scope   string // of the setting: local, worktree, global, system, command
}

// findHookDir asks git where hooks live.
func findHookDir(ctx context.Context, repo *git.Repo) (hookDir, error) {
	own := hookDir{path: filepath.Join(repo.CommonDir(), "hooks")}
	if repo.Fallback() {
		return own, nil
	}
	out, err := repo.Run(ctx, nil, "config", "-z", "--show-scope", "--type=path", "--get", "core.hooksPath")
	if err != nil {
		var exit *git.ExitError
		if errors.As(err, &exit) && exit.Code == 1 {
			return own, nil // not set
		}
		return own, err
	}
	scope, value, _ := strings.Cut(string(out), "\x00")
	value = strings.TrimSuffix(value, "\x00")
	if value == "" {
		return own, usageError("hooks", "core.hooksPath is set to nothing ("+scope+"): git runs no hook", "git config --unset core.hooksPath")
	}
	dir := hookDir{path: value, setting: value, scope: scope}
	if !filepath.IsAbs(dir.path) {
		top := repo.Root()
		if top == "" {
			top = repo.GitDir()
		}
		dir.path = filepath.Join(top, dir.path)
	}
	return dir, nil
}

// manager is another program that owns the hooks, with what to add to its own
// files so that it calls sayso.
type manager struct{ name, add string }

// findManager looks for husky and lefthook. pre-commit needs no care: it chains as well.
func findManager(repo *git.Repo, dir hookDir, hook string) (manager, bool) {
	arg := `"$1"`
	if hook == "pre-push" {
		arg = `"$@"`
	}
	line := "sayso hook run " + hook + " " + arg
	if dir.setting != "" && slices.Contains(strings.Split(filepath.ToSlash(dir.path), "/"), ".husky") {
		return manager{"husky", fmt.Sprintf("add to .husky/%s: %s", hook, line)}, true
	}
	for _, name := range []string{"lefthook", ".lefthook", "lefthook-local", ".config/lefthook"} {
		for _, ext := range []string{".yml", ".yaml", ".toml", ".json"} {
			if repo.Root() != "" && isFile(filepath.Join(repo.Root(), name+ext)) {
				args := "{1}"
				if hook == "pre-push" {
					args = "{0}"
				}
				return manager{"lefthook", fmt.Sprintf("add to %s: %s: {commands: {sayso: {run: 'sayso hook run %s %s'}}}", name+ext, hook, hook, args)}, true
			}
		}
	}
	return manager{}, false
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.IsDir()
}

func (a *app) installHooks(ctx context.Context, names []string, failOn string, force, noIndex bool) error {
	repo, err := a.open(ctx, "")
	if err != nil {
		return err
	}
	defer repo.Close()
	dir, err := findHookDir(ctx, repo)
	if err != nil {
		return err
	}
	if repo.Bare() && slices.Contains(names, "commit-msg") && !force && !hasWorkTrees(repo) {
		return usageError("hook install", "a bare repository without work trees makes no commit, and git runs no commit-msg hook in it", "install it in the clones that commits are made in")
	}
	if !force {
		if err := refuseForeign(repo, dir, names); err != nil {
			return err
		}
	}
	for _, name := range names {
		if err := a.installHook(repo, dir, name, failOn); err != nil {
			return err
		}
	}
	if failOn == "" || failOn == "never" {
		fmt.Fprintln(a.stdout, "it warns and stops no commit; --fail-on contradicted makes it stop them")
	}
	if !noIndex {
		// The hook is in place; without an index it still works and says what it could not check.
		if err := a.buildIndex(ctx, repo, false); err != nil {
			if ctx.Err() != nil {
				return err
			}
			if errors.Is(err, git.ErrEmpty) {
				return nil // nothing to index yet
			}
			f := failureOf(err)
			fmt.Fprintf(a.stderr, "sayso: index: %s\n", oneLine(f.Message))
		}
	}
	return nil
}

// refuseForeign refuses to write into a folder of hooks that serves other
// repositories or belongs to another program.
func refuseForeign(repo *git.Repo, dir hookDir, names []string) error {
	for _, name := range names {
		if m, ok := findManager(repo, dir, name); ok {
			return usageError("hook install", "the hooks of this repository are "+m.name+"'s", m.add)
		}
		if !ownFolder(repo, dir.path) && dir.scope != "global" && dir.scope != "system" {
			return usageError("hook install", fmt.Sprintf("core.hooksPath leads out of this repository (%s, %s)", dir.setting, dir.scope),
				fmt.Sprintf("add to %s/%s: sayso hook run %s \"$@\"; or run again with --force", strings.TrimSuffix(filepath.ToSlash(dir.setting), "/"), name, name))
		}
		if dir.scope == "global" || dir.scope == "system" {
			return usageError("hook install", fmt.Sprintf("core.hooksPath is set for all repositories (%s, %s)", dir.setting, dir.scope),
				fmt.Sprintf("add to %s/%s: sayso hook run %s \"$@\"; or run again with --force", strings.TrimSuffix(filepath.ToSlash(dir.setting), "/"), name, name))
		}
	}
	return nil
}

// hasWorkTrees says whether work trees are linked to a repository.
func hasWorkTrees(repo *git.Repo) bool {
	list, err := os.ReadDir(filepath.Join(repo.CommonDir(), "worktrees"))
	return err == nil && len(list) > 0
}

// ownFolder says whether a folder lies in the repository: in its work tree, in its
// git folder, or in the main work tree where this one is linked to it.
func ownFolder(repo *git.Repo, dir string) bool {
	tops := []string{repo.Root(), repo.GitDir(), repo.CommonDir()}
	if filepath.Base(repo.CommonDir()) == ".git" {
		tops = append(tops, filepath.Dir(repo.CommonDir()))
	}
	dir = realPath(dir)
	for _, top := range tops {
		if top == "" {
			continue
		}
		if rel, err := filepath.Rel(realPath(top), dir); err == nil && filepath.IsLocal(rel) {
			return true
		}
	}
	return false
}

// realPath is a path with its links followed as far as it exists.
func realPath(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	if up := filepath.Dir(path); up != path {
		return filepath.Join(realPath(up), filepath.Base(path))
	}
	return path
}

// installHook writes one hook, after moving aside what is there.
func (a *app) installHook(repo *git.Repo, dir hookDir, name, failOn string) error {
	path := filepath.Join(dir.path, name)
	if err := os.MkdirAll(dir.path, 0o755); err != nil {
		return ioError("hook install", err)
	}
	chained, err := moveAside(path)
	if err != nil {
		return err
	}
	if err := writeHook(path, hookScript(name, a.env.Self, failOn)); err != nil {
		if chained == movedNow {
			_ = os.Rename(path+beforeSuffix, path)
		}
		return ioError("hook install", err)
	}
	fmt.Fprintf(a.stdout, "installed the %s hook: %s\n", name, oneLine(showPath(repo, path)))
	if chained != nothingThere {
		fmt.Fprintf(a.stdout, "the hook that was there runs first: %s\n", oneLine(showPath(repo, path+beforeSuffix)))
	}
	return nil
}

// aside says what was found where a hook is to be written.
type aside int

const (
	nothingThere aside = iota
	movedNow           // another hook, moved now
	movedEarlier       // our hook, and the one that was moved when it was installed
)

// moveAside makes room for a hook.
func moveAside(path string) (aside, error) {
	before := path + beforeSuffix
	_, beforeErr := os.Lstat(before)
	script, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if _, err := os.Lstat(path); err == nil {
			// A link that leads nowhere: git runs nothing, and it is not ours to lose.
			break
		}
		if beforeErr == nil {
			return movedEarlier, nil
		}
		return nothingThere, nil
	case err != nil:
		return nothingThere, ioError("hook install", err)
	case isOurHook(script) && beforeErr == nil:
		return movedEarlier, nil
	case isOurHook(script):
		return nothingThere, nil
	}
	if beforeErr == nil {
		return nothingThere, usageError("hook install",
			fmt.Sprintf("both %s and %s are there and neither is sayso's", filepath.Base(path), filepath.Base(before)),
			"keep one of them: the other hook was installed over sayso's")
	}
	if err := os.Rename(path, before); err != nil {
		return nothingThere, ioError("hook install", err)
	}
	return movedNow, nil
}

// writeHook writes an executable file in one step: a commit that is made
// meanwhile finds the old hook or the new one.
func writeHook(path string, script []byte) error {
	if err := atomic.WriteFile(path, bytes.NewReader(script)); err != nil {
		return err
	}
	return os.Chmod(path, 0o755)
}

func (a *app) uninstallHooks(ctx context.Context, names []string) error {
	repo, err := a.open(ctx, "")
	if err != nil {
		return err
	}
	defer repo.Close()
	dir, err := findHookDir(ctx, repo)
	if err != nil {
		return err
	}
	removed := false
	for _, name := range names {
		path := filepath.Join(dir.path, name)
		script, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) || err == nil && !isOurHook(script) {
			continue
		}
		if err == nil {
			_, berr := os.Lstat(path + beforeSuffix)
			if berr == nil {
				err = os.Rename(path+beforeSuffix, path)
			} else {
				err = os.Remove(path)
			}
			if err == nil && berr == nil {
				fmt.Fprintf(a.stdout, "put back the %s hook that was there: %s\n", name, oneLine(showPath(repo, path)))
			}
		}
		if err != nil {
			return ioError("hook uninstall", err)
		}
		fmt.Fprintf(a.stdout, "removed the %s hook of sayso\n", name)
		removed = true
	}
	if !removed {
		fmt.Fprintln(a.stdout, "no hook of sayso is installed here")
	}
	return nil
}

// showPath is a path as people are shown it: from the work tree or the git folder, not from the root of the machine.
func showPath(repo *git.Repo, path string) string {
	for _, top := range []string{repo.Root(), repo.GitDir(), repo.CommonDir()} {
		if top == "" {
			continue
		}
		if rel, err := filepath.Rel(top, path); err == nil && !strings.HasPrefix(rel, "..") {
			return filepath.ToSlash(rel)
		}
	}
	return filepath.ToSlash(path)
}

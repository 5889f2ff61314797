package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/saysolint/sayso/internal/config"
	"github.com/saysolint/sayso/internal/git"
	"github.com/saysolint/sayso/internal/index"
	"github.com/saysolint/sayso/report"
)

// behindLimit is how far behind HEAD an index may be and still be good for the hook.
const behindLimit = 100

// diagnosis is one thing that doctor looked at.
type diagnosis struct {
	ID   string `json:"id"` // git, environment, repository, config, hook, pre-push, hooks-path, index
	OK   bool   `json:"ok"`
	Text string `json:"text"`           // one clause
	Mend string `json:"mend,omitempty"` // the command or line that mends it
}

func newDoctor(a *app) *cobra.Command {
	var format string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Say what is not wired up, and the command that mends it",
		Long: `Say what is not wired up, and the command that mends it. Exit code 1 when
something is not.`,
		Example: "  sayso doctor",
		Args:    none,
		RunE: func(cmd *cobra.Command, _ []string) error {
			asJSON, err := jsonOnly(cmd, format, asJSON)
			if err != nil {
				return err
			}
			list, err := a.diagnose(cmd.Context())
			if err != nil {
				return err
			}
			for _, d := range list {
				if !d.OK {
					a.code = report.ExitGate
				}
			}
			if asJSON {
				_, err = a.stdout.Write(encodeLine(struct {
					Diagnoses []diagnosis `json:"diagnoses"`
				}{list}))
				return err
			}
			_, err = a.stdout.Write(showDiagnoses(list))
			return err
		},
	}
	cmd.Flags().StringVar(&format, "format", "text", "output `FORMAT`: text, json")
	cmd.Flags().BoolVar(&asJSON, "json", false, "the same as --format json")
	return cmd
}

func showDiagnoses(list []diagnosis) []byte {
	var buf bytes.Buffer
	bad := 0
	for _, d := range list {
		mark := "ok  "
		if !d.OK {
			mark = "miss"
			bad++
		}
		fmt.Fprintf(&buf, "%s  %s: %s\n", mark, d.ID, oneLine(d.Text))
		if d.Mend != "" {
			fmt.Fprintf(&buf, "      mend: %s\n", oneLine(d.Mend))
		}
	}
	if bad == 0 {
		fmt.Fprintln(&buf, "all is wired up")
	} else {
		fmt.Fprintf(&buf, "%s to mend\n", count(bad, "thing"))
	}
	return buf.Bytes()
}

// diagnose looks at everything that can be missing. Only a repository that
// cannot be opened at all is an error.
func (a *app) diagnose(ctx context.Context) ([]diagnosis, error) {
	repo, err := a.open(ctx, "")
	if err != nil {
		return nil, err
	}
	defer repo.Close()
	var list []diagnosis
	add := func(id string, ok bool, text, mend string) { list = append(list, diagnosis{id, ok, text, mend}) }

	if repo.Fallback() {
		add("git", false, "no git executable is found: staged changes and hooks cannot be judged", "install git and put it on PATH")
	} else {
		add("git", true, "found", "")
	}
	if a.getenv("SAYSO") == "0" {
		add("environment", false, "SAYSO=0 turns the hooks off in this shell", "unset SAYSO")
	}
	switch {
	case repo.Shallow():
		add("repository", false, "a shallow clone: commits at its boundary and older history cannot be judged", "git fetch --unshallow")
	case repo.Partial():
		add("repository", true, "a partial clone: what it lacks is named in the coverage", "")
	default:
		add("repository", true, "complete", "")
	}
	list = append(list, a.diagnoseConfig(ctx, repo)...)
	hooks, err := a.diagnoseHooks(ctx, repo)
	if err != nil {
		return nil, err
	}
	list = append(list, hooks...)
	return append(list, diagnoseIndex(ctx, repo)), nil
}

func (a *app) diagnoseConfig(ctx context.Context, repo *git.Repo) []diagnosis {
	t, err := a.trustWorktree(ctx, repo)
	if err != nil {
		u := asUserError(err)
		return []diagnosis{{"config", false, u.what + ": " + u.why, "mend the file; " + u.hint}}
	}
	var list []diagnosis
	for _, e := range t.config.Expired(a.env.Now()) {
		list = append(list, diagnosis{"config", false,
			fmt.Sprintf("the exception of check %s has expired on %s (%s)", e.Check, e.Until, e.Reason),
			"take it out of " + config.FileName + " or give it a later day"})
	}
	if len(list) > 0 {
		return list
	}
	if t.data == "" {
		return []diagnosis{{"config", true, "no " + config.FileName + ", the defaults hold", ""}}
	}
	return []diagnosis{{"config", true, config.FileName + " is good", ""}}
}

// diagnoseHooks looks for a commit-msg hook that git runs and that calls sayso.
func (a *app) diagnoseHooks(ctx context.Context, repo *git.Repo) ([]diagnosis, error) {
	if repo.Root() == "" {
		return []diagnosis{{"hook", true, "a bare repository has no commit-msg hook", ""}}, nil
	}
	dir, err := findHookDir(ctx, repo)
	if u := (*userError)(nil); errors.As(err, &u) {
		return []diagnosis{{"hooks-path", false, u.why, u.hint}}, nil
	}
	if err != nil {
		return nil, err
	}
	install := "sayso hook install"
	m, managed := findManager(repo, dir, "commit-msg")
	if managed {
		install = m.add
	}
	// husky keeps the scripts that people write beside its own folder.
	path := filepath.Join(dir.path, "commit-msg")
	if m.name == "husky" {
		path = filepath.Join(repo.Root(), ".husky", "commit-msg")
	}
	uses, err := usesPreCommit(repo)
	if err != nil {
		return nil, err
	}
	script, err := os.ReadFile(path)
	shown := showPath(repo, path)
	var list []diagnosis
	miss := func(text, mend string) { list = append(list, diagnosis{"hook", false, text, mend}) }
	switch {
	case errors.Is(err, os.ErrNotExist) && uses:
		miss(".pre-commit-config.yaml has sayso, but pre-commit is installed for other stages only", "pre-commit install --hook-type commit-msg")
	case errors.Is(err, os.ErrNotExist):
		miss("no commit-msg hook ("+shown+")", install)
	case err != nil:
		miss("the commit-msg hook cannot be read: "+plainIOError(err).Error(), install)
	case m.name == "lefthook" && bytes.Contains(texts(repo.Root(), lefthookFiles...), []byte("sayso")):
		list = append(list, diagnosis{"hook", true, "commit-msg: lefthook calls sayso, which " + effect(texts(repo.Root(), lefthookFiles...), "commit"), ""})
	case isPreCommitHook(script) && uses:
		list = append(list, diagnosis{"hook", true, "commit-msg: pre-commit calls sayso, which " + effect(texts(repo.Root(), preCommitFile), "commit"), ""})
	case isPreCommitHook(script):
		miss("the commit-msg hook is pre-commit's and .pre-commit-config.yaml has no sayso", install)
	case !bytes.Contains(script, []byte("sayso")):
		miss("the commit-msg hook does not call sayso ("+shown+")", install)
	case m.name != "husky" && !isExecutable(path):
		miss("the commit-msg hook is not executable, so git does not run it", "chmod +x "+shellQuote(shown))
	case isOurHook(script) && !isExecutable(hookProgram(script)):
		miss("the program that the hook calls is gone ("+filepath.Base(hookProgram(script))+")", "sayso hook install")
	default:
		list = append(list, diagnosis{"hook", true, "commit-msg (" + shown + ") " + effect(script, "commit"), ""})
	}
	list = append(list, diagnosePrePush(repo, dir, m))
	if dir.setting != "" {
		own := filepath.Join(repo.CommonDir(), "hooks", "commit-msg")
		if old, err := os.ReadFile(own); err == nil && isOurHook(old) && own != path {
			list = append(list, diagnosis{"hooks-path", false,
				fmt.Sprintf("core.hooksPath is %s (%s), so git does not run the hook in %s", dir.setting, dir.scope, showPath(repo, own)), install})
		}
	}
	return list, nil
}

// usesPreCommit says whether the pre-commit framework is configured to call sayso.
func usesPreCommit(repo *git.Repo) (bool, error) {
	data, err := os.ReadFile(filepath.Join(repo.Root(), preCommitFile))
	if errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, ioError("doctor", err)
	}
	return bytes.Contains(data, []byte("sayso")), nil
}

func isPreCommitHook(script []byte) bool {
	return bytes.Contains(script, []byte("generated by pre-commit"))
}

// The files in which hook managers are told what to run.
const preCommitFile = ".pre-commit-config.yaml"

var lefthookFiles = []string{"lefthook.yml", "lefthook.yaml", ".lefthook.yml", ".lefthook.yaml", "lefthook.toml", "lefthook.json"}

// texts are those of the files that can be read, one after the other.
func texts(dir string, names ...string) []byte {
	var all []byte
	for _, name := range names {
		if data, err := os.ReadFile(filepath.Join(dir, name)); err == nil {
			all = append(append(all, data...), '\n')
		}
	}
	return all
}

// failOnArgument is --fail-on with its list, as scripts and the files of hook managers write it.
var failOnArgument = lazily(`--fail-on[='", ]+([a-z,]+)`)

// effect says what a hook does to git: warns, or blocks and on what.
func effect(script []byte, what string) string {
	m := failOnArgument().FindSubmatch(script)
	if m == nil || string(m[1]) == "never" {
		return "warns and blocks no " + what
	}
	return "blocks a " + what + " on " + strings.ReplaceAll(string(m[1]), ",", ", ")
}

// diagnosePrePush says whether pushes are looked at. Most people want one hook,
// so that none is not a fault.
func diagnosePrePush(repo *git.Repo, dir hookDir, m manager) diagnosis {
	const hook = "pre-push"
	path := filepath.Join(dir.path, hook)
	if m.name == "husky" {
		path = filepath.Join(repo.Root(), ".husky", hook)
	}
	script, err := os.ReadFile(path)
	managed := append(texts(repo.Root(), preCommitFile), texts(repo.Root(), lefthookFiles...)...)
	switch {
	case err != nil:
	case isPreCommitHook(script) && bytes.Contains(managed, []byte("sayso-pre-push")),
		m.name == "lefthook" && bytes.Contains(managed, []byte("sayso hook run "+hook)):
		return diagnosis{hook, true, "installed, called by a hook manager; it " + effect(managed, "push"), ""}
	case m.name != "husky" && bytes.Contains(script, []byte("sayso")) && !isExecutable(path):
		return diagnosis{hook, false, "the hook is not executable, so git does not run it", "chmod +x " + shellQuote(showPath(repo, path))}
	case isOurHook(script) && !isExecutable(hookProgram(script)):
		return diagnosis{hook, false, "the program that the hook calls is gone (" + filepath.Base(hookProgram(script)) + ")", "sayso hook install " + hook}
	case bytes.Contains(script, []byte("sayso")):
		return diagnosis{hook, true, "installed (" + showPath(repo, path) + "), it " + effect(script, "push"), ""}
	}
	return diagnosis{hook, true, "not installed; sayso hook install " + hook + " adds it", ""}
}

// isExecutable says whether git or a shell would run the file. Windows goes by other marks than a mode.
func isExecutable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.IsDir() && (runtime.GOOS == "windows" || info.Mode()&0o111 != 0)
}

func diagnoseIndex(ctx context.Context, repo *git.Repo) diagnosis {
	const build = "sayso index"
	ix, err := index.Load(ctx, repo)
	if err != nil {
		return diagnosis{"index", false, "none: what needs it is unverifiable in the hook", build}
	}
	defer ix.Close()
	head, err := repo.Resolve(ctx, "HEAD")
	if err != nil {
		return diagnosis{"index", true, "there, and HEAD has no commit yet", ""}
	}
	n, known := ix.Behind(ctx, repo, head)
	switch {
	case !known:
		return diagnosis{"index", false, "of another history than HEAD's", build}
	case n > behindLimit:
		return diagnosis{"index", false, fmt.Sprintf("%d commits behind HEAD", n), build}
	}
	return diagnosis{"index", true, fmt.Sprintf("%s, %s behind HEAD", count(ix.Files(), "file"), count(n, "commit")), ""}
}

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/saysolint/sayso/internal/config"
	"github.com/saysolint/sayso/internal/engine"
	"github.com/saysolint/sayso/internal/git"
	"github.com/saysolint/sayso/report"
)

// open opens the repository that the command line names. dir "" is --repo.
func (a *app) open(ctx context.Context, dir string) (*git.Repo, error) {
	return a.openFor(ctx, dir, git.Options{})
}

// openBriefly opens the repository for a hook that asks one question and ends.
func (a *app) openBriefly(ctx context.Context) (*git.Repo, error) {
	return a.openFor(ctx, "", git.Options{Brief: true})
}

func (a *app) openFor(ctx context.Context, dir string, opts git.Options) (*git.Repo, error) {
	if dir == "" {
		dir = a.repo()
	}
	if _, err := os.Stat(dir); err != nil {
		return nil, &userError{what: "repository", why: err.Error(), code: report.ExitIncomplete, err: git.ErrNotRepository}
	}
	path, err := a.gitPath()
	if err != nil {
		return nil, err
	}
	opts.GitPath, opts.Env, opts.Log = path, a.env.Vars, a.log
	return git.Open(ctx, dir, opts)
}

// gitPath is the git executable that SAYSO_GIT names, "" for the one on PATH.
func (a *app) gitPath() (string, error) {
	path := a.getenv("SAYSO_GIT")
	if path == "" {
		return "", nil
	}
	if info, err := os.Stat(path); err != nil || info.IsDir() {
		return "", usageError("SAYSO_GIT", "no executable at "+path, "unset it to use the git on PATH")
	}
	return path, nil
}

// needWorkTree refuses what only a work tree can answer in a repository without one.
func needWorkTree(repo *git.Repo, what, asked string) error {
	if repo.Root() != "" {
		return nil
	}
	return &userError{
		what: what, why: asked + " needs a work tree, and there is none here",
		hint: "judge a commit or a range, or name a work tree with --repo",
		code: report.ExitUsage, err: git.ErrNoWorkTree,
	}
}

// trust says where a configuration was read from: only what had landed before
// the change may judge it.
type trust struct {
	config *config.Config
	tree   string // revision of the tree, "" for the working tree
	data   string // the file as read, "" where there is none

	rules      string             // .gitattributes of the same tree, "" where it says nothing of use
	attributes *config.Attributes // read from it, nil likewise
	from       string             // for people: "the working tree", "main", "the first parent"

	memoryAt string // revision whose memory judges all changes, "" for the base of each
	local    bool   // who judges is the hook on the machine of who makes the commit

	also []trust // further configurations that judge other commits of the same run
}

// all is every configuration of a run.
func (t trust) all() []trust { return append([]trust{t}, t.also...) }

// gates is what meets the gate of a run: all that any of its configurations
// stops, so that the order of the arguments makes no difference.
func (t trust) gates() []string {
	if len(t.also) == 0 {
		return t.config.Gates()
	}
	var list []string
	for _, word := range config.FailOnValues {
		for _, o := range t.all() {
			if slices.Contains(o.config.Gates(), word) {
				list = append(list, word)
				break
			}
		}
	}
	if len(list) > 1 && list[0] == "never" {
		list = list[1:]
	}
	return list
}

// advisory are the checks that no configuration of a run lets meet the gate.
func (t trust) advisory() []string {
	ids := advisoryChecks(t.config)
	for _, o := range t.also {
		more := advisoryChecks(o.config)
		ids = slices.DeleteFunc(ids, func(id string) bool { return !slices.Contains(more, id) })
	}
	return ids
}

// notes are the sentences that a report says of the configurations of a run.
func (t trust) notes(now time.Time) []string {
	var notes []string
	for _, o := range t.all() {
		for _, e := range o.config.Expired(now) {
			n := fmt.Sprintf("an exception of check %s has expired on %s and lifts nothing any more: %s", e.Check, e.Until, e.Reason)
			if !slices.Contains(notes, n) {
				notes = append(notes, n)
			}
		}
	}
	for _, o := range t.also {
		if !slices.Equal(o.config.Gates(), t.config.Gates()) || !slices.Equal(advisoryChecks(o.config), advisoryChecks(t.config)) {
			return append(notes, "the configurations differ in what stops a commit: the strictest holds for all")
		}
	}
	return notes
}

// trustTree reads the configuration from the tree of a revision. A revision or
// file that is not there is no configuration.
func (a *app) trustTree(ctx context.Context, repo *git.Repo, rev, from string) (trust, error) {
	t := trust{tree: rev, from: from}
	data, err := repo.Blob(ctx, rev+":"+config.FileName, config.MaxBytes+1)
	switch {
	case errors.Is(err, git.ErrTooLarge):
		return t, configError(config.FileName+" of "+from, fmt.Errorf("over %d bytes", config.MaxBytes))
	case errors.Is(err, git.ErrMissing), errors.Is(err, git.ErrUnknown):
		data = nil
	case err != nil:
		return t, err
	}
	if rules, err := repo.Blob(ctx, rev+":"+attributesFile, config.MaxBytes); err == nil {
		if t.attributes = config.ParseAttributes(rules); t.attributes != nil {
			t.rules = string(rules)
		}
	} else if ctx.Err() != nil {
		return t, err
	}
	t, err = a.trustData(t, data)
	if err != nil && isSymlink(ctx, repo, rev) {
		return t, configError(config.FileName+" of "+from, errSymlink)
	}
	return t, err
}

// attributesFile is where git is told of files that people do not write.
const attributesFile = ".gitattributes"

// errSymlink: a link is not followed, since what it leads to lies outside what was
// reviewed, and git keeps nothing of it but the name of its target.
var errSymlink = errors.New("a symbolic link, which is not followed: put the file itself there")

// isSymlink says whether the configuration in the tree of a revision is a link.
func isSymlink(ctx context.Context, repo *git.Repo, rev string) bool {
	if repo.Fallback() {
		return false
	}
	out, err := repo.Run(ctx, nil, "ls-tree", "-z", "--end-of-options", rev, "--", config.FileName)
	return err == nil && strings.HasPrefix(string(out), "120000 ")
}

// trustWorktree reads the configuration of the working tree, as the commit
// being made is judged by it.
func (a *app) trustWorktree(ctx context.Context, repo *git.Repo) (trust, error) {
	t := trust{from: "the working tree"}
	if repo.Root() == "" {
		return a.trustTree(ctx, repo, "HEAD", "HEAD")
	}
	t.attributes = worktreeAttributes(repo.Root())
	path := filepath.Join(repo.Root(), config.FileName)
	// Only a plain file: a link could lead anywhere, a pipe would never end.
	info, err := os.Lstat(path)
	if errors.Is(err, os.ErrNotExist) {
		return a.trustData(t, nil)
	}
	if err == nil && info.Mode()&os.ModeSymlink != 0 {
		return t, configError(config.FileName, errSymlink)
	}
	if err == nil && !info.Mode().IsRegular() {
		return t, configError(config.FileName, errors.New("not a plain file"))
	}
	if err == nil && info.Size() > config.MaxBytes {
		return t, configError(config.FileName, fmt.Errorf("over %d bytes", config.MaxBytes))
	}
	var data []byte
	if err == nil {
		data, err = os.ReadFile(path)
	}
	if err != nil {
		return t, configError(config.FileName, plainIOError(err))
	}
	return a.trustData(t, data)
}

// worktreeAttributes reads .gitattributes of the working tree; nil where there is
// no plain file of a reasonable size.
func worktreeAttributes(root string) *config.Attributes {
	path := filepath.Join(root, attributesFile)
	if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() || info.Size() > config.MaxBytes {
		return nil
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	return config.ParseAttributes(data)
}

func (a *app) trustData(t trust, data []byte) (trust, error) {
	if len(data) == 0 {
		t.config = config.Default()
		return t, nil
	}
	c, err := config.Load(data, checkIDs())
	if err != nil {
		return t, configError(config.FileName+" of "+t.from, err)
	}
	t.config, t.data = c, string(data)
	return t, nil
}

// engine makes an engine that judges by t.
func (a *app) engine(_ context.Context, repo *git.Repo, t trust, buildIndex bool, progress func(done, total int)) *engine.Engine {
	var foreign *engine.Foreign
	if buildIndex && a.askGraph { // whoever may not build an index has no time for a graph
		foreign = a.foreignGraph(repo)
	}
	return engine.New(repo, engine.Options{
		Foreign:    foreign,
		Config:     t.config,
		Attributes: t.attributes,
		BuildIndex: buildIndex,
		Log:        a.log,
		Progress:   progress,
		Now:        a.env.Now,
		MemoryAt:   t.memoryAt,
		Local:      t.local,
		Folder:     projectFolder(repo),
		Remote:     func(ctx context.Context) string { return remoteAddress(ctx, repo) },
	})
}

// projectFolder is the name of the folder that the repository lives in. Linked
// work trees have names of their own, so it is asked of what they share.
func projectFolder(repo *git.Repo) string {
	dir := repo.CommonDir()
	if base := filepath.Base(dir); base != ".git" {
		return strings.TrimSuffix(base, ".git")
	}
	return filepath.Base(filepath.Dir(dir))
}

// remoteAddress is the address of origin, "" where there is none.
func remoteAddress(ctx context.Context, repo *git.Repo) string {
	address, err := repo.Remote(ctx)
	if err != nil {
		return ""
	}
	return address
}

// plainIOError leaves the path out of an error: whoever prints it names the file.
func plainIOError(err error) error {
	var pe *os.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}

// short is a hash cut to twelve digits for people.
func short(hash string) string {
	if len(hash) > 12 && strings.Trim(hash, "0123456789abcdef") == "" {
		return hash[:12]
	}
	return hash
}

// isHash says whether s is a full object name.
func isHash(s string) bool {
	return (len(s) == 40 || len(s) == 64) && strings.Trim(s, "0123456789abcdef") == ""
}

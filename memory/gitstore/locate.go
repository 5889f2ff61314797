package gitstore

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/saysolint/sayso/internal/config"
	"github.com/saysolint/sayso/memory"
)

// Git is what is asked of git about a work tree; *git.Repo has it. Run runs one
// git command in the repository.
type Git interface {
	Root() string
	CommonDir() string
	Run(ctx context.Context, stdin io.Reader, args ...string) ([]byte, error)
}

// Location is where a store is and why there.
type Location struct {
	Store *memory.Store
	Space string // name of the space: "repo" for the repository's own
	// Shared says that the store is the main checkout's and not this work tree's.
	Shared bool
	// Note is what a person should know about the choice, "" for nothing. It
	// names no absolute path.
	Note string
}

// RepoSpace is the name of the repository's own store among the spaces.
const RepoSpace = "repo"

// ErrNoSpace is a space that the configuration does not name.
var ErrNoSpace = errors.New("no such space")

// Locate finds the store of a space: the repository's own for "" and "repo",
// else one that the configuration names. Nothing is created. home is where "~"
// in the path of a space leads.
//
// The repository's own store belongs to the work tree when git tracks it: each
// branch has its own. One that git does not track is shared by the linked work
// trees of a repository and lies in its main checkout.
func Locate(ctx context.Context, repo Git, conf config.Memory, space, home string) (Location, error) {
	if repo.Root() == "" {
		return Location{}, errors.New("the repository has no work tree: name one with --repo, or read a revision")
	}
	folder := conf.Folder
	if folder == "" {
		folder = memory.DefaultFolder
	}
	main, linked := mainCheckout(repo.Root())
	if space != "" && space != RepoSpace {
		top := repo.Root()
		if linked {
			top = main
		}
		return locateSpace(top, conf, space, home)
	}
	loc := Location{Space: RepoSpace}
	top := repo.Root()
	if linked {
		share, err := shares(ctx, repo, main, folder)
		if err != nil {
			return Location{}, err
		}
		if share {
			loc.Shared, top = true, main
			if holdsEntries(repo.Root(), folder) {
				loc.Note = "this work tree has entries of its own in " + folder + " that git does not track: they are not read, the main checkout's are"
			}
		}
	}
	var err error
	loc.Store, err = memory.Open(top, folder)
	return loc, err
}

func locateSpace(top string, conf config.Memory, space, home string) (Location, error) {
	path, ok := conf.Spaces[space]
	if !ok {
		names := []string{RepoSpace}
		for n := range conf.Spaces {
			names = append(names, n)
		}
		slices.Sort(names)
		return Location{}, fmt.Errorf("%.60q: %w: one of %s", space, ErrNoSpace, strings.Join(names, ", "))
	}
	abs := filepath.FromSlash(path)
	switch {
	case path == "~" || strings.HasPrefix(path, "~/"):
		if home == "" {
			return Location{}, fmt.Errorf("space %s: there is no home folder for ~", space)
		}
		abs = filepath.Join(home, abs[1:])
	case !filepath.IsAbs(abs):
		abs = filepath.Join(top, abs)
	}
	// The folder above is the boundary: what is linked from inside is refused.
	abs = filepath.Clean(abs)
	folder := filepath.Base(abs)
	if up := filepath.Dir(abs); strings.HasSuffix(filepath.ToSlash(abs), "/"+memory.KlideFolder) {
		store, err := memory.OpenKlide(filepath.Dir(up), memory.KlideFolder)
		return Location{Store: store, Space: space}, err
	}
	if !memory.ValidFolder(folder) {
		return Location{}, fmt.Errorf("space %s: its path names no folder of its own", space)
	}
	store, err := memory.Open(filepath.Dir(abs), folder)
	return Location{Store: store, Space: space}, err
}

// shares says whether a linked work tree uses the store of the main checkout:
// only where git tracks it in neither, and where it is ignored here or there is
// one over there.
func shares(ctx context.Context, repo Git, main, folder string) (bool, error) {
	there := []string{"--git-dir=" + filepath.Join(main, ".git"), "--work-tree=" + main}
	// Naming a work tree would make git take any repository for one that has it.
	bare, err := repo.Run(ctx, nil, there[0], "config", "--bool", "core.bare")
	if err != nil || strings.TrimSpace(string(bare)) != "false" {
		return false, nil // a bare repository has no main checkout
	}
	pathspec := ":(top,literal)" + folder
	for _, args := range [][]string{
		{"ls-files", "-z", "--", pathspec},
		append(slices.Clone(there), "ls-files", "-z", "--", pathspec),
		// A hook's index file would answer for both work trees alike; a commit does not.
		append(slices.Clone(there), "ls-tree", "-r", "-z", "--full-tree", "--name-only", "HEAD", "--", folder),
	} {
		out, err := repo.Run(ctx, nil, args...)
		if err != nil && !slices.Contains(args, "HEAD") { // which a new repository lacks
			return false, fmt.Errorf("asking git what it tracks of %s: %w", folder, err)
		}
		if len(out) > 0 {
			return false, nil
		}
	}
	if holdsEntries(main, folder) {
		return true, nil
	}
	// Answers 1 where nothing is ignored.
	_, err = repo.Run(ctx, nil, "-C", repo.Root(), "check-ignore", "-q", "--", folder+"/x.md")
	return err == nil, nil
}

func holdsEntries(top, folder string) bool {
	list, err := os.ReadDir(filepath.Join(top, filepath.FromSlash(folder)))
	return err == nil && slices.ContainsFunc(list, func(d os.DirEntry) bool { return strings.HasSuffix(d.Name(), ".md") })
}

// mainCheckout is the top of the main checkout of a linked work tree. It is one
// only if the .git file of root names a folder <common>/worktrees/<name> whose
// commondir leads to that <common> and whose gitdir leads back to root: a
// submodule, a separate git folder or a file that somebody made up fails that.
func mainCheckout(root string) (main string, linked bool) {
	dotGit := filepath.Join(root, ".git")
	info, err := os.Lstat(dotGit)
	if err != nil || !info.Mode().IsRegular() {
		return "", false
	}
	first, ok := firstLine(dotGit)
	if !ok {
		return "", false
	}
	path, ok := strings.CutPrefix(first, "gitdir:")
	if !ok {
		return "", false
	}
	admin, ok := follow(root, strings.TrimSpace(path))
	if !ok {
		return "", false
	}
	back, ok := firstLine(filepath.Join(admin, "gitdir"))
	if !ok {
		return "", false
	}
	backTo, ok := follow(admin, back)
	if !ok || !sameFile(backTo, dotGit) {
		return "", false
	}
	to, ok := firstLine(filepath.Join(admin, "commondir"))
	if !ok {
		return "", false
	}
	common, ok := follow(admin, to)
	if !ok || filepath.Base(common) != ".git" || !sameFile(filepath.Dir(admin), filepath.Join(common, "worktrees")) {
		return "", false
	}
	main = filepath.Dir(common)
	if info, err := os.Lstat(filepath.Join(main, ".git")); err != nil || !info.IsDir() || sameFile(main, root) {
		return "", false
	}
	return main, true
}

// follow is a path that a file of git holds, from dir, with its links resolved.
func follow(dir, path string) (string, bool) {
	path = filepath.FromSlash(path)
	if path == "" || strings.ContainsRune(path, 0) {
		return "", false
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	real, err := filepath.EvalSymlinks(path)
	return real, err == nil
}

func sameFile(a, b string) bool {
	x, errA := os.Stat(a)
	y, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(x, y)
}

// firstLine is the first line of a small plain file.
func firstLine(path string) (string, bool) {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > 64<<10 {
		return "", false
	}
	f, err := os.Open(path)
	if err != nil {
		return "", false
	}
	defer f.Close()
	s := bufio.NewScanner(f)
	s.Buffer(nil, 128<<10)
	if !s.Scan() {
		return "", false
	}
	return strings.TrimSpace(s.Text()), true
}

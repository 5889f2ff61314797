package gitstore

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/saysolint/sayso/internal/config"
	"github.com/saysolint/sayso/memory"
)

// locate proposes an entry through the store found from dir and says below
// which of the named folders its file then lies.
func locate(t *testing.T, dir string, tops map[string]string) (where string, loc Location) {
	t.Helper()
	ctx := context.Background()
	loc, err := Locate(ctx, open(t, dir), config.Memory{}, "", "")
	if err != nil {
		t.Fatal(err)
	}
	r, err := loc.Store.Propose(ctx, memory.Entry{Title: "Found " + t.Name(), Kind: memory.KindFact}, time.Unix(1e9, 0))
	if err != nil {
		t.Fatal(err)
	}
	for name, top := range tops {
		path := filepath.Join(top, ".sayso", "memory", r.Entry.ID+".md")
		if _, err := os.Stat(path); err == nil {
			where += name
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
		}
	}
	return where, loc
}

// noStore fails where a folder has a store.
func noStore(t *testing.T, dir string) {
	t.Helper()
	if _, err := os.Stat(filepath.Join(dir, ".sayso")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("there is a store in the %s", filepath.Base(dir))
	}
}

func TestLinkedWorkTreesShareAnIgnoredStore(t *testing.T) {
	main, run := repository(t)
	put(t, main, ".gitignore", ".sayso/\n")
	run("add", ".")
	run("commit", "-q", "-m", "one")
	tree := filepath.Join(filepath.Dir(main), "tree")
	run("worktree", "add", "-q", tree)
	tops := map[string]string{"main": main, "tree": tree}
	if where, loc := locate(t, tree, tops); where != "main" || !loc.Shared {
		t.Errorf("written to %s, %+v", where, loc)
	}
	noStore(t, tree)
	if where, _ := locate(t, main, tops); where != "main" {
		t.Errorf("from the main checkout written to %s", where)
	}
	put(t, tree, ".sayso/memory/own.md", reviewed)
	if where, loc := locate(t, tree, tops); where != "main" || loc.Note == "" {
		t.Errorf("with entries of its own: written to %s, note %q", where, loc.Note)
	}
}

func TestLinkedWorkTreesShareAnUntrackedStore(t *testing.T) {
	main, run := repository(t)
	run("commit", "-q", "--allow-empty", "-m", "one")
	put(t, main, ".sayso/memory/a.md", reviewed)
	tree := filepath.Join(filepath.Dir(main), "tree")
	run("worktree", "add", "-q", tree)
	if where, _ := locate(t, tree, map[string]string{"main": main, "tree": tree}); where != "main" {
		t.Errorf("written to %s", where)
	}
	noStore(t, tree)
	loc, err := Locate(context.Background(), open(t, tree), config.Memory{}, RepoSpace, "")
	if err != nil {
		t.Fatal(err)
	}
	if set, err := loc.Store.Load(context.Background()); err != nil || set.Get("a") == nil {
		t.Errorf("the entry of the main checkout is not seen: %v", err)
	}
}

func TestATrackedStoreBelongsToItsWorkTree(t *testing.T) {
	main, run := repository(t)
	run("commit", "-q", "--allow-empty", "-m", "before")
	put(t, main, ".sayso/memory/a.md", reviewed)
	run("add", ".")
	tops := map[string]string{"main": main}
	for name, step := range map[string]func(tree string){
		"staged only": func(tree string) { run("worktree", "add", "-q", "--detach", tree, "HEAD") },
		"committed": func(tree string) {
			run("commit", "-q", "--allow-empty", "-m", "store")
			run("worktree", "add", "-q", "--detach", tree, "HEAD")
		},
		"a branch from before": func(tree string) { run("worktree", "add", "-q", "--detach", tree, ":/before") },
	} {
		tree := filepath.Join(filepath.Dir(main), "tree "+name)
		step(tree)
		tops["tree"] = tree
		if where, loc := locate(t, tree, tops); where != "tree" || loc.Shared {
			t.Errorf("%s: written to %s", name, where)
		}
	}
}

func TestNewStoresBeginInTheirOwnWorkTree(t *testing.T) {
	main, run := repository(t)
	run("commit", "-q", "--allow-empty", "-m", "one")
	tree := filepath.Join(filepath.Dir(main), "tree")
	run("worktree", "add", "-q", tree)
	if where, _ := locate(t, tree, map[string]string{"main": main, "tree": tree}); where != "tree" {
		t.Errorf("written to %s", where)
	}
	noStore(t, main)
}

func TestNothingElseWithAGitFileHops(t *testing.T) {
	ctx := context.Background()
	main, run := repository(t)
	put(t, main, ".gitignore", ".sayso/\n")
	put(t, main, ".sayso/memory/a.md", reviewed)
	run("add", ".gitignore")
	run("commit", "-q", "-m", "one")
	above := filepath.Dir(main)
	at := func(name string) string { return filepath.Join(above, name) }

	run("init", "-q", "--separate-git-dir", at("apart.git"), at("apart"))
	run("clone", "-q", main, at("lib"))
	run("submodule", "add", "-q", at("lib"), "sub")
	run("clone", "-q", "--bare", main, at("bare.git"))
	run("-C", at("bare.git"), "worktree", "add", "-q", at("of-bare"))
	run("clone", "-q", "--bare", main, at("hidden/.git"))
	run("-C", at("hidden/.git"), "worktree", "add", "-q", at("of-hidden"))

	for name, dir := range map[string]string{"submodule": filepath.Join(main, "sub"), "apart": at("apart"), "of a bare repository": at("of-bare"), "of a bare .git": at("of-hidden")} {
		if where, loc := locate(t, dir, map[string]string{"own": dir, "main": main, "hidden": at("hidden")}); where != "own" || loc.Shared {
			t.Errorf("%s: written to %s", name, where)
		}
	}

	// A .git file that leads to somebody else's work tree entry, which does not lead back.
	run("worktree", "add", "-q", at("real"))
	put(t, above, "crafted/.git", "gitdir: "+filepath.Join(main, ".git/worktrees/real")+"\n")
	if got, linked := mainCheckout(at("crafted")); linked {
		t.Errorf("a crafted .git file leads to %s", got)
	}
	if got, linked := mainCheckout(at("real")); !linked || !sameFile(got, main) {
		t.Errorf("a real one leads to %q", got)
	}
	// One whose admin folder is made up next to it, with a commondir of its choice.
	put(t, above, "made/.git", "gitdir: admin\n")
	put(t, above, "made/admin/gitdir", at("made/.git")+"\n")
	put(t, above, "made/admin/commondir", filepath.Join(main, ".git")+"\n")
	if got, linked := mainCheckout(at("made")); linked {
		t.Errorf("a made-up admin folder leads to %s", got)
	}
	for name, content := range map[string]string{"empty": "", "no prefix": main, "nowhere": "gitdir: nowhere", "NUL": "gitdir: a\x00b", "huge": "gitdir: " + strings.Repeat("a", 1<<17)} {
		dir := "odd " + name
		put(t, above, dir+"/.git", content)
		if got, linked := mainCheckout(at(dir)); linked {
			t.Errorf("%s leads to %s", name, got)
		}
	}
	if err := os.MkdirAll(at("linked"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(at("real"), ".git"), filepath.Join(at("linked"), ".git")); err != nil {
		t.Fatal(err)
	}
	if got, linked := mainCheckout(at("linked")); linked {
		t.Errorf("a linked .git file leads to %s", got)
	}
	_ = ctx
}

func TestSpacesAreResolvedByNameOnly(t *testing.T) {
	ctx := context.Background()
	main, run := repository(t)
	run("commit", "-q", "--allow-empty", "-m", "one")
	above := filepath.Dir(main)
	conf := config.Memory{Spaces: map[string]string{
		"team": "../team/entries", "me": "~/notes", "abs": filepath.Join(above, "abs"), "klide": ".klide/memory", "home": "~", "root": "/",
	}}
	put(t, above, "team/entries/t.md", reviewed)
	put(t, above, "home/notes/m.md", reviewed)
	put(t, main, ".klide/memory/k.md", "legacy\n")
	r := open(t, main)
	for space, id := range map[string]string{"team": "t", "me": "m", "abs": "", "klide": "k"} {
		loc, err := Locate(ctx, r, conf, space, filepath.Join(above, "home"))
		if err != nil {
			t.Errorf("%s: %v", space, err)
			continue
		}
		set, err := loc.Store.Load(ctx)
		if err != nil || id != "" && !set.Active(id) || id == "" && len(set.Entries) > 0 {
			t.Errorf("%s: %+v, %v", space, set, err)
		}
	}
	if _, err := os.Stat(filepath.Join(above, "abs")); !errors.Is(err, os.ErrNotExist) {
		t.Error("reading a space made its folder")
	}
	loc, _ := Locate(ctx, r, conf, "klide", "")
	if _, err := loc.Store.Propose(ctx, memory.Entry{Title: "x"}, time.Unix(1e9, 0)); !errors.Is(err, memory.ErrReadOnly) {
		t.Errorf("a Klide store was written: %v", err)
	}
	if _, err := Locate(ctx, r, conf, "tem", ""); !errors.Is(err, ErrNoSpace) || !strings.Contains(err.Error(), "team") {
		t.Errorf("an unknown space: %v", err)
	}
	if _, err := Locate(ctx, r, conf, "me", ""); err == nil {
		t.Error("~ without a home is no error")
	}
	for _, space := range []string{"root"} {
		if _, err := Locate(ctx, r, conf, space, above); err == nil {
			t.Errorf("%s is no error", space)
		}
	}
	// From a linked work tree a relative space is where it is from the main checkout.
	tree := filepath.Join(above, "deep", "er", "tree")
	run("worktree", "add", "-q", tree)
	loc, err := Locate(ctx, open(t, tree), conf, "team", "")
	if err != nil {
		t.Fatal(err)
	}
	set, err := loc.Store.Load(ctx)
	if err != nil || !slices.ContainsFunc(set.Entries, func(e memory.Entry) bool { return e.ID == "t" }) {
		t.Errorf("from a work tree: %+v, %v", set, err)
	}
}

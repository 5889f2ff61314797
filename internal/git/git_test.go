package git

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rs/zerolog"

	"github.com/saysolint/sayso/internal/git/gittest"
)

var ctx = context.Background()

func openRepo(t testing.TB, repo *gittest.Repo, env ...string) *Repo {
	t.Helper()
	r, err := Open(ctx, repo.Dir, Options{Env: append(repo.Env(), env...)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

// three is a repository with three commits on main and one on side.
func three(t testing.TB) (repo *gittest.Repo, hashes []string) {
	repo = gittest.New(t)
	for i := range 3 {
		repo.Write("f", strings.Repeat("x\n", i+1))
		hashes = append(hashes, repo.Commit(fmt.Sprint("commit ", i)))
	}
	return repo, hashes
}

func TestOpenInEveryKindOfRepository(t *testing.T) {
	repo, hashes := three(t)
	base := filepath.Dir(repo.Dir)
	sub := filepath.Join(repo.Dir, "some", "folder")
	if err := os.MkdirAll(sub, 0o755); err != nil {
		t.Fatal(err)
	}
	repo.Git("worktree", "add", "-q", filepath.Join(base, "linked"), "HEAD~1")
	repo.Git("clone", "-q", "--bare", repo.Dir, filepath.Join(base, "bare.git"))
	repo.Git("clone", "-q", "--shared", repo.Dir, filepath.Join(base, "shared"))
	repo.Git("clone", "-q", repo.Dir, filepath.Join(base, "sparse"))
	repo.At(filepath.Join(base, "sparse")).Git("sparse-checkout", "set", "nothing")
	tests := []struct {
		name, dir, root string
		env             string
		head            string
		bare            bool
	}{
		{"root", repo.Dir, repo.Dir, "", hashes[2], false},
		{"a folder below", sub, repo.Dir, "", hashes[2], false},
		{"a linked work tree", filepath.Join(base, "linked"), filepath.Join(base, "linked"), "", hashes[1], false},
		{"bare", filepath.Join(base, "bare.git"), "", "", hashes[2], true},
		{"alternates", filepath.Join(base, "shared"), filepath.Join(base, "shared"), "", hashes[2], false},
		{"sparse", filepath.Join(base, "sparse"), filepath.Join(base, "sparse"), "", hashes[2], false},
		{"GIT_DIR", base, base, "GIT_DIR=" + filepath.Join(repo.Dir, ".git"), hashes[2], false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := openRepo(t, repo.At(tt.dir), tt.env)
			head, err := r.Resolve(ctx, "HEAD")
			if err != nil || head != tt.head || r.Root() != tt.root || r.Bare() != tt.bare || r.ObjectFormat() != "sha1" || r.Fallback() {
				t.Errorf("head %s, root %q, bare %v, format %q, error %v", head, r.Root(), r.Bare(), r.ObjectFormat(), err)
			}
			if r.Shallow() || r.Partial() {
				t.Error("neither shallow nor partial")
			}
			if tt.name == "a linked work tree" && (r.GitDir() == r.CommonDir() || r.CommonDir() != filepath.Join(repo.Dir, ".git")) {
				t.Errorf("git dir %q, common dir %q", r.GitDir(), r.CommonDir())
			}
		})
	}
}

func TestOpenFailsInOneLineWithTheWayOut(t *testing.T) {
	empty := t.TempDir()
	for _, tt := range []struct {
		name, dir string
		o         Options
		want      error
		says      string
	}{
		{"not a repository", empty, Options{Env: gittest.Env("GIT_CEILING_DIRECTORIES=" + filepath.Dir(empty))}, ErrNotRepository, "--repo"},
		{"no such folder", filepath.Join(empty, "none"), Options{Env: gittest.Env()}, os.ErrNotExist, "none"},
		{"no such executable", empty, Options{Env: gittest.Env(), GitPath: filepath.Join(empty, "git")}, ErrNoGit, "install git"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Open(ctx, tt.dir, tt.o)
			if !errors.Is(err, tt.want) || !strings.Contains(err.Error(), tt.says) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%v", err)
			}
		})
	}
}

func TestAnEmptyRepositorySaysSo(t *testing.T) {
	repo := gittest.New(t)
	r := openRepo(t, repo)
	if _, err := r.Resolve(ctx, "HEAD"); !errors.Is(err, ErrEmpty) {
		t.Error(err)
	}
	if _, err := r.Revisions(ctx, nil, RevOptions{}); !errors.Is(err, ErrEmpty) {
		t.Error(err)
	}
	s, err := r.State(ctx)
	if err != nil || !s.Unborn || s.Head != "" {
		t.Errorf("%+v, %v", s, err)
	}
}

func TestResolve(t *testing.T) {
	repo, hashes := three(t)
	repo.Git("tag", "-a", "-m", "x", "v1", "HEAD~1")
	r := openRepo(t, repo)
	for rev, want := range map[string]string{"HEAD": hashes[2], "main": hashes[2], "v1": hashes[1], "HEAD~2": hashes[0], hashes[0][:8]: hashes[0],
		"@": hashes[2], ":/commit 0": hashes[0], "v1^": hashes[0], hashes[1]: hashes[1]} {
		if got, err := r.Resolve(ctx, rev); err != nil || got != want {
			t.Errorf("%q: %s, %v", rev, got, err)
		}
	}
	for _, rev := range []string{"", "-x", "--all", "none", "HEAD~3", "HEAD:f", "^HEAD", "HEAD..main", "a\nHEAD", "HEAD\n", "a\x00b", "\x1b[31m", "HEAD^{tree}", strings.Repeat("f", 40)} {
		_, err := r.Resolve(ctx, rev)
		if !errors.Is(err, ErrUnknown) && !errors.Is(err, ErrMissing) || strings.ContainsAny(err.Error(), "\n\x1b\x00") {
			t.Errorf("%q: %v", rev, err)
		}
	}
}

func TestRevisions(t *testing.T) {
	repo, h := three(t)
	repo.Git("checkout", "-q", "-b", "side", h[0])
	repo.Write("g", "1")
	side := repo.Commit("side")
	r := openRepo(t, repo)
	for _, tt := range []struct {
		name  string
		specs []string
		opts  RevOptions
		want  []string
	}{
		{"nothing named: what main lacks", nil, RevOptions{}, []string{side}},
		{"nothing named, with a base", nil, RevOptions{Base: h[2]}, []string{side}},
		{"nothing named, last two", nil, RevOptions{Last: 2}, []string{h[0], side}},
		{"one", []string{h[1]}, RevOptions{}, []string{h[1]}},
		{"a range, oldest first", []string{h[0] + "..main"}, RevOptions{}, []string{h[1], h[2]}},
		{"the newest of a range", []string{h[0] + "..main"}, RevOptions{Last: 1}, []string{h[2]}},
		{"an open range", []string{"main.."}, RevOptions{}, []string{side}},
		{"a symmetric range", []string{"main...side"}, RevOptions{}, []string{h[1], h[2], side}},
		{"several, each once", []string{h[0] + "..main", h[2], side}, RevOptions{}, []string{h[1], h[2], side}},
		{"the history of one", []string{"main"}, RevOptions{Last: 9}, h},
		{"an empty range", []string{"HEAD..HEAD"}, RevOptions{}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := r.Revisions(ctx, tt.specs, tt.opts)
			if err != nil {
				t.Fatal(err)
			}
			if tt.name == "a symmetric range" { // the order of unrelated commits of one second is git's own
				slices.Sort(got)
				slices.Sort(tt.want)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" && len(tt.want)+len(got) > 0 {
				t.Error(diff)
			}
		})
	}
	for _, spec := range []string{"none..HEAD", "HEAD..none", "-n1..HEAD", "--all"} {
		if _, err := r.Revisions(ctx, []string{spec}, RevOptions{}); !errors.Is(err, ErrUnknown) {
			t.Errorf("%s: %v", spec, err)
		}
	}
	repo.Git("checkout", "-q", "main")
	if got, err := r.Revisions(ctx, nil, RevOptions{}); err != nil || !slices.Equal(got, h[2:]) {
		t.Errorf("HEAD alone: %v, %v", got, err)
	}
}

func TestAShallowCloneNamesTheWayOut(t *testing.T) {
	repo, h := three(t)
	clone := repo.At(filepath.Join(filepath.Dir(repo.Dir), "shallow"))
	repo.Git("clone", "-q", "--depth=1", "file://"+repo.Dir, clone.Dir)
	r := openRepo(t, clone)
	if !r.Shallow() || !r.Boundary(h[2]) {
		t.Error("not shallow")
	}
	for _, rev := range []string{h[0], "HEAD~1"} {
		if _, err := r.Resolve(ctx, rev); err == nil || !strings.Contains(err.Error(), "git fetch --unshallow") || !strings.Contains(err.Error(), "fetch-depth: 0") {
			t.Errorf("%s: %v", rev, err)
		}
	}
	if _, err := r.Revisions(ctx, []string{h[0] + "..HEAD"}, RevOptions{}); !errors.Is(err, ErrMissing) {
		t.Error(err)
	}
}

func TestAncestry(t *testing.T) {
	repo, h := three(t)
	repo.Git("checkout", "-q", "-b", "side", h[0])
	side := repo.Commit("side")
	repo.Git("checkout", "-q", "--orphan", "other")
	other := repo.Commit("other")
	r := openRepo(t, repo)
	if got, err := r.MergeBase(ctx, h[2], side); err != nil || got != h[0] {
		t.Error(got, err)
	}
	if _, err := r.MergeBase(ctx, h[2], other); !errors.Is(err, ErrUnknown) {
		t.Error(err)
	}
	for pair, want := range map[[2]string]bool{{h[0], h[2]}: true, {h[2], h[0]}: false, {side, h[2]}: false, {side, side}: true} {
		if got, err := r.IsAncestor(ctx, pair[0], pair[1]); err != nil || got != want {
			t.Error(pair, got, err)
		}
	}
	if ok, err := r.Exists(ctx, h[1]); !ok || err != nil {
		t.Error(ok, err)
	}
	if ok, err := r.Exists(ctx, strings.Repeat("1", 40)); ok || err != nil {
		t.Error(ok, err)
	}
	if got, err := r.FindAbbrev(ctx, strings.ToUpper(h[1][:7])); err != nil || !slices.Equal(got, h[1:2]) {
		t.Error(got, err)
	}
	for _, none := range []string{"abc", "zzzzzz", "", "--all", repo.Git("rev-parse", "HEAD^{tree}")[:10]} {
		if got, err := r.FindAbbrev(ctx, none); len(got) > 0 || err != nil {
			t.Error(none, got, err)
		}
	}
}

func TestObjects(t *testing.T) {
	repo := gittest.New(t)
	repo.Write("small", "text\n")
	repo.Write("a b", "\x00\xff")
	repo.Write("new\nline", "odd\n")
	repo.Write("large", strings.Repeat("0123456789", 900_000))
	repo.Commit("first")
	r := openRepo(t, repo)
	for name, want := range map[string]string{"HEAD:small": "text\n", "HEAD:a b": "\x00\xff", "HEAD:new\nline": "odd\n", repo.Git("rev-parse", "HEAD:small"): "text\n"} {
		if got, err := r.Blob(ctx, name, 100); err != nil || string(got) != want {
			t.Errorf("%q: %q, %v", name, got, err)
		}
	}
	for _, max := range []int64{4, 5_000_000} { // read over, or process ended
		if _, err := r.Blob(ctx, "HEAD:large", max); !errors.Is(err, ErrTooLarge) {
			t.Error(err)
		}
		if got, err := r.Blob(ctx, "HEAD:small", 5); err != nil || string(got) != "text\n" {
			t.Errorf("after a large one: %q, %v", got, err)
		}
	}
	if _, err := r.Blob(ctx, "HEAD:small", 4); !errors.Is(err, ErrTooLarge) {
		t.Error(err)
	}
	if n, err := r.Size(ctx, "HEAD:large"); err != nil || n != 9_000_000 {
		t.Error(n, err)
	}
	for _, name := range []string{"HEAD:none", "HEAD", "HEAD:"} {
		if _, err := r.Blob(ctx, name, 0); !errors.Is(err, ErrUnknown) {
			t.Errorf("%s: %v", name, err)
		}
	}
	r.objects.batch.Kill() // as if somebody had killed git
	if got, err := r.Blob(ctx, "HEAD:small", 0); err != nil || string(got) != "text\n" {
		t.Errorf("after a kill: %q, %v", got, err)
	}
	done, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := r.Blob(done, "HEAD:small", 0); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 20 {
				if got, err := r.Blob(ctx, "HEAD:small", 0); err != nil || string(got) != "text\n" {
					t.Errorf("concurrent: %q, %v", got, err)
				}
			}
		})
	}
	wg.Wait()
}

func TestDamagedObjects(t *testing.T) {
	repo := gittest.New(t)
	repo.Write("gone", "gone\n")
	repo.Write("bad", "bad\n")
	repo.Commit("first")
	path := func(name string) string {
		hash := repo.Git("rev-parse", "HEAD:"+name)
		return filepath.Join(repo.Dir, ".git", "objects", hash[:2], hash[2:])
	}
	bad := path("bad")
	if err := errors.Join(os.Remove(path("gone")), os.Chmod(bad, 0o644), os.WriteFile(bad, []byte("nonsense"), 0o644)); err != nil {
		t.Fatal(err)
	}
	r := openRepo(t, repo)
	if _, err := r.Blob(ctx, "HEAD:gone", 0); !errors.Is(err, ErrMissing) {
		t.Error(err)
	}
	if _, err := r.Blob(ctx, "HEAD:bad", 0); !errors.Is(err, ErrCorrupt) || strings.Contains(err.Error(), "\n") {
		t.Error(err)
	}
	if _, err := r.Exists(ctx, "HEAD:bad"); !errors.Is(err, ErrCorrupt) {
		t.Error(err)
	}
}

func TestCommitObjects(t *testing.T) {
	repo := gittest.New(t)
	repo.Git("config", "i18n.commitEncoding", "ISO-8859-1")
	repo.Commit("caf\xe9\n\nbody\n")
	r := openRepo(t, repo)
	c, err := r.Commit(ctx, "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	if c.Message != "café\n\nbody\n" || c.Encoding != "ISO-8859-1" || c.Author.Name != "A U Thor" || c.Author.Email != "author@example.com" {
		t.Errorf("%+v", c)
	}
	if want := time.Unix(1700000000, 0); !c.Author.When.Equal(want) || c.Author.When.Format("-0700") != "+0100" {
		t.Errorf("%v", c.Author.When)
	}
	if !Amending("@1700000000 +0100", c) || Amending("@1700000001 +0100", c) || Amending("@1700000000 +0200", c) || Amending("", c) || Amending("@1", nil) {
		t.Error("amending")
	}
}

func TestDecodeCommit(t *testing.T) {
	tree := strings.Repeat("a", 40)
	for _, tt := range []struct {
		name, data string
		want       Commit
		err        error
	}{
		{"signed", "tree " + tree + "\nparent " + tree + "\nauthor A <a> 1 +0000\ncommitter B <b> 2 +0000\ngpgsig -----BEGIN\n tree bogus\n\n -----END\n\nmessage\n",
			Commit{}, nil},
		{"NUL in the message", "tree " + tree + "\n\na\x00b", Commit{Tree: tree, Message: "a\x00b"}, nil},
		{"no message", "tree " + tree + "\n", Commit{Tree: tree}, nil},
		{"invalid bytes", "tree " + tree + "\n\n\xff", Commit{Tree: tree, Message: "\uFFFD"}, nil},
		{"an encoding nobody knows", "tree " + tree + "\nencoding x-none\n\na\n", Commit{Tree: tree, Encoding: "x-none", Message: "a\n"}, nil},
		{"no tree", "author x\n\nm", Commit{}, ErrCorrupt},
		{"nothing", "", Commit{}, ErrCorrupt},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, err := decodeCommit("", []byte(tt.data))
			if !errors.Is(err, tt.err) {
				t.Fatal(err)
			}
			if tt.name == "signed" {
				// A continued header ends at the first line that is empty.
				if c.Tree != tree || len(c.Parents) != 1 || c.Author.Email != "a" || c.Committer.When.Unix() != 2 {
					t.Errorf("%+v", c)
				}
				return
			}
			if err == nil {
				if diff := cmp.Diff(tt.want, *c); diff != "" {
					t.Error(diff)
				}
			}
		})
	}
}

func FuzzDecodeCommit(f *testing.F) {
	f.Add([]byte("tree " + strings.Repeat("a", 40) + "\nauthor A <a> 1 -0530\nencoding latin1\n\n\xe9\n"))
	f.Add([]byte("author <<>> 99999999999999999999 +\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := decodeCommit("x", data)
		if err == nil && !isHash(c.Tree) {
			t.Fatal("a commit without a tree")
		}
	})
}

func TestTreeAndDiff(t *testing.T) {
	repo := gittest.New(t)
	repo.Write("d/same", "1\n")
	repo.Write("gone", "1\n")
	repo.Write("edited", "1\n")
	one := repo.Commit("one")
	repo.Remove("gone")
	repo.Write("edited", "2\n")
	repo.Write("new\nline", "3\n")
	repo.Commit("two")
	r := openRepo(t, repo)
	entries, err := r.Tree(ctx, "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	var paths []string
	for _, e := range entries {
		paths = append(paths, e.Path)
		if e.Mode != "100644" || e.Type != "blob" || !isHash(e.Object) {
			t.Errorf("%+v", e)
		}
	}
	if want := []string{"d/same", "edited", "new\nline"}; !slices.Equal(paths, want) {
		t.Errorf("%q", paths)
	}
	raw, err := r.Diff(ctx, one, "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	if got := rows(raw); got != `M "edited" D "gone" A "new\nline" ` {
		t.Error(got)
	}
	if raw, err = r.Diff(ctx, "", one); err != nil || rows(raw) != `A "d/same" A "edited" A "gone" ` {
		t.Error(rows(raw), err)
	}
	for _, bad := range []string{"none", "--stdin", ""} {
		if _, err := r.Tree(ctx, bad); err == nil {
			t.Errorf("a tree of %q", bad)
		}
		if _, err := r.Diff(ctx, one, bad); err == nil {
			t.Errorf("a difference with %q", bad)
		}
	}
}

func rows(entries []RawEntry) string {
	var b strings.Builder
	for _, e := range entries {
		fmt.Fprintf(&b, "%c %q ", e.Status, e.Path)
	}
	return b.String()
}

func TestLogStreamsHistory(t *testing.T) {
	repo, h := three(t)
	repo.Git("config", "log.showSignature", "true")
	repo.Git("config", "log.showRoot", "false")
	repo.Git("config", "format.pretty", "oneline")
	repo.Git("checkout", "-q", "-b", "side", h[0])
	repo.Write("g", "1")
	side := repo.Commit("on the\nside\n\nbody")
	repo.Commit("empty")
	repo.Git("checkout", "-q", "main")
	repo.Git("merge", "-q", "-m", "merged", "side")
	r := openRepo(t, repo)
	var got []string
	collect := func(c LogCommit) error {
		got = append(got, fmt.Sprintf("%s %d %s %s", c.Subject, len(c.Parents), c.Email, rows(c.Entries)))
		return nil
	}
	if err := r.Log(ctx, LogOptions{Paths: true, Oldest: true}, collect); err != nil {
		t.Fatal(err)
	}
	if len(got) != 6 || got[0] != `commit 0 0 author@example.com A "f" ` || !strings.HasPrefix(got[5], "merged 2") || !slices.Contains(got, `on the side 1 author@example.com A "g" `) || !slices.Contains(got, "empty 1 author@example.com ") {
		t.Errorf("%q", got)
	}
	got = nil
	if err := r.Log(ctx, LogOptions{Include: []string{side}, Exclude: []string{h[0]}}, collect); err != nil || len(got) != 1 {
		t.Errorf("%q, %v", got, err)
	}
	n := 0
	if err := r.Log(ctx, LogOptions{}, func(LogCommit) error { n++; return ErrStop }); err != nil || n != 1 {
		t.Error(n, err)
	}
	boom := errors.New("boom")
	if err := r.Log(ctx, LogOptions{}, func(LogCommit) error { return boom }); !errors.Is(err, boom) {
		t.Error(err)
	}
	if err := r.Log(ctx, LogOptions{Include: []string{"--all"}}, collect); !errors.Is(err, ErrUnknown) {
		t.Error(err)
	}
}

func TestStateSeesWhatIsInProgress(t *testing.T) {
	repo, h := three(t)
	repo.Git("checkout", "-q", "-b", "side", h[0])
	repo.Write("f", "conflict\n")
	side := repo.Commit("side")
	r := openRepo(t, repo)
	for _, tt := range []struct {
		args []string
		undo []string
		want State
	}{
		{[]string{"status"}, []string{"status"}, State{Head: side}},
		{[]string{"merge", "main"}, []string{"merge", "--abort"}, State{Head: side, Merge: true}},
		{[]string{"cherry-pick", "main"}, []string{"cherry-pick", "--abort"}, State{Head: side, CherryPick: true}},
		{[]string{"rebase", "main"}, []string{"rebase", "--abort"}, State{Head: h[2], Rebase: true}},
	} {
		out, _ := repo.Try(tt.args...)
		got, err := r.State(ctx)
		got.CherryPick = got.CherryPick && !got.Rebase // a rebase of one commit is a cherry-pick as well
		if err != nil || got != tt.want {
			t.Errorf("%v: %+v, %v\n%s", tt.args, got, err, out)
		}
		repo.Git(tt.undo...)
	}
}

func TestQuoteIsGitsOwn(t *testing.T) {
	repo := gittest.New(t)
	var names []string
	for c := 1; c < 256; c++ {
		if c != '/' {
			names = append(names, "n"+string([]byte{byte(c)})+"x")
		}
	}
	for _, name := range names {
		repo.Write(name, "x")
	}
	repo.Git("add", "-A")
	out := strings.Split(repo.Git("-c", "core.quotePath=true", "ls-files"), "\n")
	var got []string
	for _, name := range names {
		got = append(got, Quote(name))
	}
	slices.Sort(out)
	slices.Sort(got)
	if diff := cmp.Diff(out, got); diff != "" {
		t.Error(diff)
	}
}

func FuzzParseRaw(f *testing.F) {
	f.Add([]byte(":100644 100644 a b M\x00p\x00:100644 100644 a b R098\x00p\x00q\x00"))
	f.Add([]byte(":"))
	f.Fuzz(func(t *testing.T, data []byte) {
		entries, err := ParseRaw(bufio.NewReader(strings.NewReader(string(data))))
		for _, e := range entries {
			if e.Status == 0 || err == nil && e.Status != 'R' && e.Status != 'C' && e.Path != e.OldPath {
				t.Fatalf("%+v", e)
			}
		}
	})
}

func TestAFileThatATreeLacksCostsNoProcess(t *testing.T) {
	repo, hashes := three(t)
	var log bytes.Buffer
	r, err := Open(ctx, repo.Dir, Options{Env: repo.Env(), Log: zerolog.New(&log)})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	ask := func() {
		for _, hash := range hashes {
			if _, err := r.Blob(ctx, hash+":absent", 0); !errors.Is(err, ErrUnknown) {
				t.Errorf("got %v", err)
			}
		}
	}
	ask()
	before := log.Len()
	ask()
	if more := log.String()[before:]; more != "" {
		t.Errorf("processes were run:\n%s", more)
	}
}

func TestTheBytesThatGitRecordsAreKept(t *testing.T) {
	c := CleanMessage([]byte("caf\xe9  \n\n\n# comment\nx\n"), CleanOptions{Encoding: "ISO-8859-1", Editor: true})
	if string(c.Raw) != "caf\xe9\n\nx\n" || c.Text != "café\n\nx\n" {
		t.Errorf("raw %q, text %q", c.Raw, c.Text)
	}
}

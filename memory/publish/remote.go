package publish

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/saysolint/sayso/memory"
)

// References of the small repository that is kept for one address.
const (
	tipRef  = "refs/sayso/tip"  // the branch as it was fetched
	nextRef = "refs/sayso/next" // the commit that is to be pushed
	oursRef = "refs/sayso/ours" // the files that were published from here, as they were here
)

// remote is a branch of another repository. A small bare repository holds what
// was fetched of it: the newest commit, its trees, and the files that were needed.
// It is derived, and safe to delete.
type remote struct {
	tree
	there   *plumbing // the repository itself where it is one of this machine, else nil
	sha256  bool      // its objects have names of the longer kind
	whole   bool      // it does not hand out single files: all of the newest commit is fetched
	url     string
	branch  string
	who     person
	now     func() time.Time
	release func()
}

func openRemote(ctx context.Context, t Target, o Options) (ground, error) {
	if o.Repo == nil {
		return nil, fmt.Errorf("there is no repository to publish from: %w", ErrTarget)
	}
	if strings.HasPrefix(t.Remote, "-") || strings.ContainsAny(t.Remote, "\x00\n\r") {
		return nil, fmt.Errorf("%.60q is no address: %w", t.Remote, ErrTarget)
	}
	here := newPlumbing(o.Git, o.Repo.GitDir(), o.Env, false)
	who, err := here.identity(ctx)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256([]byte(t.Remote))
	dir := filepath.Join(o.Repo.CommonDir(), "sayso", "publish", hex.EncodeToString(sum[:8]))
	release, err := queue(ctx, dir, o.Patience)
	if err != nil {
		return nil, plain(err)
	}
	r := &remote{
		tree: tree{plumbing: newPlumbing(o.Git, filepath.Join(dir, "git"), o.Env, true), folder: t.Folder},
		url:  t.Remote, branch: t.Branch, who: who, now: o.Now, release: release,
	}
	r.settings = derived
	// A repository of this machine has a queue for all who publish to it. Git alone
	// makes it safe; the queue keeps many from doing the same work again and again.
	// Its objects are read where they are: nothing has to be fetched.
	if there := folderOf(t.Remote); there != "" {
		r.there = newPlumbing(o.Git, there, o.Env, false)
		config, _ := os.ReadFile(filepath.Join(there, "config"))
		r.sha256 = strings.Contains(strings.ToLower(string(config)), "objectformat = sha256")
		if !o.alone {
			turn, err := queue(ctx, filepath.Join(there, "sayso", "publish", "branches"), o.Patience)
			if ctx.Err() != nil || errors.Is(err, memory.ErrBusy) {
				r.close()
				return nil, err
			}
			if err == nil {
				r.release = func() { turn(); release() }
			}
		}
	}
	if err := r.prepare(ctx); err != nil {
		r.close()
		return nil, err
	}
	if r.branch == "" {
		if r.branch, err = r.defaultBranch(ctx); err != nil {
			r.close()
			return nil, err
		}
	}
	if err := checkBranch(r.branch); err != nil {
		r.close()
		return nil, err
	}
	return r, nil
}

// folderOf is the git folder of a repository of this machine, "" for any other.
func folderOf(address string) string {
	path := strings.TrimPrefix(address, "file://")
	if !filepath.IsAbs(path) {
		return ""
	}
	for _, dir := range []string{filepath.Join(path, ".git"), path} {
		if info, err := os.Stat(filepath.Join(dir, "objects")); err == nil && info.IsDir() {
			return dir
		}
	}
	return ""
}

// plain is an error without the paths of this machine.
func plain(err error) error {
	var p *os.PathError
	if errors.As(err, &p) {
		return fmt.Errorf("the cache folder of sayso: %w", p.Err)
	}
	return err
}

// readyName is a file in the small repository that is there once it is whole.
const readyName = "sayso-ready"

// mostPacks is how many packs the small repository has before they are put together.
const mostPacks = 60

// prepare makes the small repository where it is not there, or was left half made.
func (r *remote) prepare(ctx context.Context) error {
	_, err := os.Stat(filepath.Join(r.dir, readyName))
	if err != nil {
		return r.create()
	}
	// What was learned of the other side.
	config, err := os.ReadFile(filepath.Join(r.dir, "config"))
	if err == nil && strings.HasPrefix(string(config), "[core]\n\t") {
		r.sha256 = strings.Contains(string(config), sha256Line)
		r.whole = !strings.Contains(string(config), promisorLine)
	}
	if err := r.configure(); err != nil {
		return err
	}
	// What a killed git left locked is free: this process alone is here.
	for _, name := range []string{"shallow.lock", "config.lock", "packed-refs.lock", "HEAD.lock", tipRef + ".lock", nextRef + ".lock", oursRef + ".lock"} {
		_ = os.Remove(filepath.Join(r.dir, filepath.FromSlash(name)))
	}
	if packs, _ := filepath.Glob(filepath.Join(r.dir, "objects", "pack", "*.pack")); len(packs) > mostPacks {
		_, err := r.run(ctx, nil, "gc", "--quiet", "--prune=now")
		return err
	}
	return nil
}

const (
	sha256Line   = "\tobjectFormat = sha256\n"
	promisorLine = "\tpromisor = true\n"
)

// configure writes the configuration of the small repository.
func (r *remote) configure() error {
	text := "[core]\n\trepositoryformatversion = 1\n\tbare = true\n\thooksPath = " + os.DevNull + "\n[remote \"origin\"]\n\turl = " + quoted(r.url) + "\n"
	if r.there == nil && !r.whole {
		text += promisorLine + "\tpartialclonefilter = blob:none\n[extensions]\n\tpartialClone = origin\n"
	}
	if r.sha256 {
		text += "[extensions]\n" + sha256Line
	}
	return plain(os.WriteFile(filepath.Join(r.dir, "config"), []byte(text), 0o600))
}

// create makes the small repository anew. It is written by hand, since each git
// process costs more than all of these files.
func (r *remote) create() error {
	if err := os.RemoveAll(r.dir); err != nil {
		return plain(err)
	}
	for _, dir := range []string{"objects/info", "objects/pack", "refs/heads", "refs/sayso"} {
		if err := os.MkdirAll(filepath.Join(r.dir, filepath.FromSlash(dir)), 0o700); err != nil {
			return plain(err)
		}
	}
	files := map[string]string{"HEAD": "ref: refs/heads/none\n"}
	if r.there != nil {
		files["objects/info/alternates"] = filepath.Join(r.there.dir, "objects") + "\n"
	}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(r.dir, filepath.FromSlash(name)), []byte(content), 0o600); err != nil {
			return plain(err)
		}
	}
	if err := r.configure(); err != nil {
		return err
	}
	return plain(os.WriteFile(filepath.Join(r.dir, readyName), nil, 0o600))
}

// quoted is a value as a configuration file of git has it.
func quoted(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}

// defaultBranch is the branch that the other repository has checked out.
func (r *remote) defaultBranch(ctx context.Context) (string, error) {
	out, err := r.run(ctx, nil, "ls-remote", "--symref", "origin", "HEAD")
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(string(out)) {
		if rest, ok := strings.CutPrefix(line, "ref: refs/heads/"); ok {
			name, _, _ := strings.Cut(rest, "\t")
			return strings.TrimSpace(name), nil
		}
	}
	return "", fmt.Errorf("it has no branch checked out: name one: %w", ErrTarget)
}

// look fetches the tip. Where the small repository is damaged, it is made again.
func (r *remote) look(ctx context.Context) (string, error) {
	tip, err := r.fetch(ctx)
	var e *gitError
	switch {
	case err == nil:
		return tip, nil
	case r.there == nil && !r.sha256 && errors.As(err, &e) && (strings.Contains(e.words, "mismatched algorithms") || strings.Contains(e.words, "does not support this repository's object format")):
		r.sha256 = true
	case !damaged(err):
		return "", err
	}
	if err := r.create(); err != nil {
		return "", err
	}
	return r.fetch(ctx)
}

// damaged says whether an error may come from the small repository itself.
func damaged(err error) bool {
	var e *gitError
	if !errors.As(err, &e) {
		return false
	}
	for _, s := range []string{"not a git repository: '(git folder)'", "bad object", "corrupt", "loose object", "missing blob", "missing tree", "bad config", "shallow file", "did not send all necessary objects", "unable to read"} {
		if strings.Contains(e.words, s) {
			return true
		}
	}
	return false
}

func (r *remote) fetch(ctx context.Context) (string, error) {
	if r.there != nil {
		return r.there.tip(ctx, "refs/heads/"+r.branch)
	}
	args := []string{"fetch", "-q", "--no-tags", "--depth=1", "--no-write-fetch-head", "--no-auto-maintenance"}
	if !r.whole {
		args = append(args, "--filter=blob:none")
	}
	_, err := r.run(ctx, nil, append(args, "origin", "+refs/heads/"+r.branch+":"+tipRef)...)
	var e *gitError
	if errors.As(err, &e) && strings.Contains(e.words, "couldn't find remote ref") {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	return r.own(tipRef)
}

// own is the commit of a reference of the small repository, "" for none. Each is a
// file of its own there.
func (r *remote) own(ref string) (string, error) {
	raw, err := os.ReadFile(filepath.Join(r.dir, filepath.FromSlash(ref)))
	if errors.Is(err, os.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", plain(err)
	}
	return strings.TrimSpace(string(raw)), nil
}

// read gives files of the folder, which the other side hands out one by one. Where
// it does not, all of its newest commit is fetched, and the call begins again.
func (r *remote) read(ctx context.Context, tip string, ids []string) (map[string][]byte, error) {
	files, err := r.tree.read(ctx, tip, ids)
	var e *gitError
	if r.there == nil && !r.whole && errors.As(err, &e) && (strings.Contains(e.words, "unadvertised object") || strings.Contains(e.words, "promisor remote")) {
		r.whole, r.rows = true, nil
		if err := r.create(); err != nil {
			return nil, err
		}
		return nil, errAgain
	}
	return files, err
}

// base is what was published from here last time, as it was here.
func (r *remote) base(ctx context.Context, _ string, ids []string) (map[string][]byte, error) {
	ours, err := r.own(oursRef)
	if err != nil || ours == "" {
		return nil, err
	}
	rows, err := r.plumbing.folder(ctx, ours, r.oursFolder())
	if err != nil {
		return nil, err
	}
	return r.files(ctx, rows, ids, "")
}

// oursFolder keeps apart what was published to different branches and folders.
func (r *remote) oursFolder() string {
	sum := sha256.Sum256([]byte(r.branch + "\x00" + r.folder))
	return hex.EncodeToString(sum[:8])
}

func (r *remote) advance(ctx context.Context, tip, message string, writes []memory.Write) (commit, moved string, err error) {
	commit, _, err = r.commit(ctx, nextRef, tip, r.folder, message, r.who, r.now(), writes, "--force")
	if err != nil {
		return "", "", err
	}
	_, err = r.run(ctx, nil, "push", "-q", "--no-verify", "--no-signed", "origin", commit+":refs/heads/"+r.branch)
	if err == nil {
		return commit, "", nil
	}
	var e *gitError
	if errors.As(err, &e) && raced(e.words) {
		return "", e.words, nil
	}
	if r.there == nil && !r.sha256 && e != nil && strings.Contains(e.words, "does not support this repository's hash algorithm") {
		r.sha256 = true // an empty repository says so only now
		return "", e.words, r.create()
	}
	return "", "", err
}

// raced says whether a push failed because somebody else was there first.
func raced(words string) bool {
	for _, s := range []string{
		"[rejected]", "non-fast-forward", "fetch first", "stale info", "cannot lock ref", "failed to update ref",
		"reference already exists", "incorrect old value", "Unable to create", "remote ref updated since checkout",
	} {
		if strings.Contains(words, s) {
			return true
		}
	}
	return false
}

// done keeps the files as they were here, against which the next call merges.
func (r *remote) done(ctx context.Context, arrivals []memory.Arrival) error {
	var writes []memory.Write
	for _, a := range arrivals {
		if memory.ValidID(a.ID) && a.Base == nil {
			writes = append(writes, memory.Write{ID: a.ID, New: a.Raw})
		}
	}
	if len(writes) == 0 {
		return nil
	}
	ours, err := r.own(oursRef)
	if err != nil {
		return err
	}
	_, _, err = r.commit(ctx, oursRef, ours, r.oursFolder(), "published\n", r.who, r.now(), writes)
	return err
}

func (r *remote) close() { r.release() }

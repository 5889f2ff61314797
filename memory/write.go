package memory

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"
)

// lockPatience is how long a writer waits for the others. Each holds the lock
// for two writes of a small file at most.
const lockPatience = 60 * time.Second

// asidePrefix begins the names of files that are still being written. They are
// no entries, and under the lock whatever has such a name was left by a crash.
const asidePrefix = ".sayso-aside-"

// writer is a store under its lock.
type writer struct {
	s    *Store
	root *os.Root
}

// write runs fn with the folder made, open and locked against other writers, in
// this process and in others.
func (s *Store) write(ctx context.Context, fn func(*writer) error) error {
	if s.klide {
		return fmt.Errorf("writing %s: %w: import it with sayso memory import klide", s.folder, ErrReadOnly)
	}
	root, err := s.make()
	if err != nil {
		return err
	}
	defer root.Close()
	release, err := s.lock(ctx, root)
	if err != nil {
		return err
	}
	defer release()
	w := &writer{s, root}
	w.sweep()
	if err := w.finish(); err != nil {
		return err
	}
	return fn(w)
}

// make makes the folder where it is not there, part by part, and opens it.
func (s *Store) make() (*os.Root, error) {
	root, err := s.open()
	if !errors.Is(err, fs.ErrNotExist) {
		return root, err
	}
	// The top of a work tree is there; that of a space may still have to come.
	if err := os.MkdirAll(s.top, 0o755); err != nil {
		return nil, s.failure("making", "", err)
	}
	top, err := os.OpenRoot(s.top)
	if err != nil {
		return nil, s.failure("making", "", err)
	}
	defer top.Close()
	parts := strings.Split(s.folder, "/")
	for i := range parts {
		err := top.Mkdir(strings.Join(parts[:i+1], "/"), 0o755)
		if err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, s.failure("making", "", err)
		}
		if err == nil {
			parent, err := top.OpenRoot(strings.Join(append([]string{"."}, parts[:i]...), "/"))
			if err != nil {
				return nil, s.failure("making", "", err)
			}
			err = syncDir(parent)
			_ = parent.Close()
			if err != nil {
				return nil, s.failure("making", "", err)
			}
		}
	}
	return s.open()
}

func (s *Store) lock(ctx context.Context, root *os.Root) (func(), error) {
	release, err := Lock(ctx, root, lockPatience)
	if errors.Is(err, ErrBusy) {
		err = fmt.Errorf("another process has been writing for %s: end it and run again", lockPatience)
	}
	if err != nil {
		return nil, s.failure("locking", "", err)
	}
	return release, nil
}

// sweep removes what writers that were killed left behind. Nothing of it was
// ever promised to anybody: a write is done when its file has its name.
func (w *writer) sweep() {
	dir, err := w.root.Open(".")
	if err != nil {
		return
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return
	}
	for _, n := range names {
		if strings.HasPrefix(n, asidePrefix) {
			_ = w.root.Remove(n)
		}
	}
}

// aside writes content beside the entries, down to the disk, and names the file.
func (w *writer) aside(name string, content []byte) (string, error) {
	aside := asidePrefix + name
	f, err := w.root.OpenFile(aside, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return "", err
	}
	_, err = f.Write(content)
	if err == nil {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		_ = w.root.Remove(aside)
		return "", err
	}
	return aside, nil
}

// create writes an entry as a new file under a new id and gives both back. A
// file with that very content under that very id is taken for an earlier run
// of the same write.
func (w *writer) create(e Entry, at time.Time) (Entry, error) {
	e.Date = at.UTC().Format(time.RFC3339)
	raw, err := Render(e)
	if err != nil {
		return Entry{}, err
	}
	sum := sha256.Sum256(raw)
	for salt := range 1000 {
		e.ID = NewID(at, e.Title, sum, salt)
		made, err := w.place(e.ID, raw)
		if err != nil {
			return Entry{}, err
		}
		if made {
			return w.parse(e.ID, raw), nil
		}
		if old, err := readIn(w.root, e.ID+".md", MaxFileBytes); err == nil && bytes.Equal(old, raw) {
			return w.parse(e.ID, raw), nil
		}
	}
	return Entry{}, w.s.failure("writing", e.ID+".md", errors.New("a thousand entries have this name"))
}

func (w *writer) parse(id string, raw []byte) Entry {
	e := Parse(id, raw)
	e.RelPath = w.s.folder + "/" + id + ".md"
	return e
}

// place gives a new file its name: made is false where the name is taken. What
// is there under the name is whole, at every moment.
func (w *writer) place(id string, raw []byte) (made bool, err error) {
	name := id + ".md"
	if _, err := w.root.Lstat(name); err == nil {
		return false, nil
	}
	aside, err := w.aside(name, raw)
	if err != nil {
		return false, w.s.failure("writing", name, err)
	}
	defer func() { _ = w.root.Remove(aside) }()
	// A link is refused where the name is taken; a renaming would replace it.
	if err := w.root.Link(aside, name); errors.Is(err, fs.ErrExist) {
		return false, nil
	} else if err != nil {
		// A file system without links: the lock keeps other writers out.
		if _, err := w.root.Lstat(name); err == nil {
			return false, nil
		}
		if err := w.root.Rename(aside, name); err != nil {
			return false, w.s.failure("writing", name, err)
		}
	}
	if err := syncDir(w.root); err != nil {
		return false, w.s.failure("writing", name, err)
	}
	return true, nil
}

// ErrChanged is an edit of a file that somebody else changed meanwhile.
var ErrChanged = errors.New("the file changed meanwhile: run again")

// rewrite puts the content that fn makes of a file in its place. The same
// content is no write.
func (w *writer) rewrite(id string, fn func(e Entry, raw []byte) ([]byte, error)) (Entry, error) {
	if !ValidID(id) {
		return Entry{}, fmt.Errorf("%s: %w", quote(id), ErrBadID)
	}
	name := id + ".md"
	info, err := w.root.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !info.Mode().IsRegular() {
		return Entry{}, fmt.Errorf("%s: %w", id, ErrNoEntry)
	}
	var old []byte
	if err == nil {
		old, err = readIn(w.root, name, MaxFileBytes)
	}
	if err != nil {
		return Entry{}, w.s.failure("reading", name, err)
	}
	fresh, err := fn(w.parse(id, old), old)
	if err != nil {
		return Entry{}, err
	}
	if bytes.Equal(fresh, old) {
		return w.parse(id, old), nil
	}
	if len(fresh) > MaxFileBytes {
		return Entry{}, fmt.Errorf("%s: the entry has %d bytes, at most %d", id, len(fresh), MaxFileBytes)
	}
	aside, err := w.aside(name, fresh)
	if err == nil {
		err = w.root.Chmod(aside, info.Mode().Perm())
	}
	if err != nil {
		_ = w.root.Remove(aside)
		return Entry{}, w.s.failure("writing", name, err)
	}
	// Editors do not know the lock: look once more before the file goes.
	if now, err := readIn(w.root, name, MaxFileBytes); err != nil || !bytes.Equal(now, old) {
		_ = w.root.Remove(aside)
		return Entry{}, fmt.Errorf("%s: %w", id, ErrChanged)
	}
	if err := w.root.Rename(aside, name); err != nil {
		_ = w.root.Remove(aside)
		return Entry{}, w.s.failure("writing", name, err)
	}
	if err := syncDir(w.root); err != nil {
		return Entry{}, w.s.failure("writing", name, err)
	}
	return w.parse(id, fresh), nil
}

// load reads all entries under the lock.
func (w *writer) load(ctx context.Context) (*Set, error) {
	return Load(ctx, &openStore{Store: w.s, root: w.root})
}

package memory

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/sourcegraph/conc/pool"

	"github.com/saysolint/sayso/internal/config"
)

// Store is a folder of entries on disk. It holds no state: each call looks at
// the folder anew, so that several processes can use one store. Reading creates
// nothing; [Store.Propose] and the other writing calls make the folder.
type Store struct {
	top    string // absolute path of the folder that the store may not leave
	folder string // from top, with forward slashes
	klide  bool   // read with Klide's grammar, never written
}

// Open names a store: the folder of entries below top, the top of a work tree
// or of a space. Neither has to exist. A folder that leads out of top is an error.
func Open(top, folder string) (*Store, error) {
	if folder == "" {
		folder = DefaultFolder
	}
	if !ValidFolder(folder) {
		return nil, fmt.Errorf("memory folder %s: a relative path without .. is needed", quote(folder))
	}
	abs, err := filepath.Abs(top)
	if err != nil {
		return nil, fmt.Errorf("memory folder %s: %s", folder, reason(err))
	}
	return &Store{top: abs, folder: folder}, nil
}

// OpenKlide names a store that Klide keeps. It is read by Klide's own rules and
// never written: writing calls return [ErrReadOnly].
func OpenKlide(top, folder string) (*Store, error) {
	s, err := Open(top, folder)
	if err == nil {
		s.klide = true
	}
	return s, err
}

// ValidFolder says whether a path can be the folder of a store: relative, with
// forward slashes, clean, and not one that leaves its top or enters .git.
func ValidFolder(folder string) bool { return config.ValidFolder(folder) }

// ErrReadOnly is a write to a store that is only read.
var ErrReadOnly = errors.New("this store is only read")

// Folder is the folder of the store below its top, with forward slashes.
func (s *Store) Folder() string { return s.folder }

// ReadOnly says whether the store belongs to another program.
func (s *Store) ReadOnly() bool { return s.klide }

// List names the files of the folder, [Files].
func (s *Store) List(ctx context.Context) ([]File, error) {
	root, err := s.open()
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer root.Close()
	dir, err := root.Open(".")
	if err != nil {
		return nil, s.failure("reading", "", err)
	}
	defer dir.Close()
	var names []string
	for {
		if ctx.Err() != nil {
			return nil, s.failure("reading", "", context.Cause(ctx))
		}
		some, err := dir.Readdirnames(1024)
		names = append(names, some...)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, s.failure("reading", "", err)
		}
	}
	// Most of a look at a large store is asking for each file's size and time.
	files := make([]File, len(names))
	fd := dir.Fd()
	p := pool.New().WithMaxGoroutines(max(1, runtime.GOMAXPROCS(0)))
	const chunk = 512
	for from := 0; from < len(names); from += chunk {
		p.Go(func() {
			for i := from; i < min(from+chunk, len(names)) && ctx.Err() == nil; i++ {
				f, err := look(root, fd, names[i])
				if !errors.Is(err, fs.ErrNotExist) { // else it is gone since
					files[i] = f
				}
			}
		})
	}
	p.Wait()
	if ctx.Err() != nil {
		return nil, s.failure("reading", "", context.Cause(ctx))
	}
	return slices.DeleteFunc(files, func(f File) bool { return f.Name == "" }), nil
}

// Read is the content of one file, [Files].
func (s *Store) Read(_ context.Context, f File, max int64) ([]byte, error) {
	root, err := s.open()
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return readIn(root, f.Name, max)
}

// Load reads all entries, [Load].
func (s *Store) Load(ctx context.Context) (*Set, error) {
	b, err := s.batch()
	if err != nil {
		return nil, err
	}
	defer b.Close()
	return Load(ctx, b)
}

// LoadFiles reads the entries of some files of the folder, as [Store.List] named
// them. list is sorted by name. What the entries say of others that are not among
// them does not count in the set.
func (s *Store) LoadFiles(ctx context.Context, list []File) (*Set, error) {
	b, err := s.batch()
	if err != nil {
		return nil, err
	}
	defer b.Close()
	return loadAll(ctx, b, list, s.dialect())
}

// Key is a name for what is derived from this store, the same for every process
// that opens the same folder: 16 hexadecimal digits that do not tell the place.
func (s *Store) Key() string {
	sum := sha256.Sum256([]byte(fmt.Sprintf("%s\x00%s\x00%t", s.top, s.folder, s.klide)))
	return hex.EncodeToString(sum[:8])
}

// Get reads one entry and its file.
func (s *Store) Get(ctx context.Context, id string) (Entry, []byte, error) {
	return ReadOne(ctx, s, id)
}

// open opens the folder so that nothing outside can be reached through it. None
// of its parts may be a link: a repository could point one at its own .git.
func (s *Store) open() (*os.Root, error) {
	top, err := os.OpenRoot(s.top)
	if err != nil {
		return nil, s.failure("opening", "", err)
	}
	parts := strings.Split(s.folder, "/")
	at := top
	for i, part := range parts {
		info, err := at.Lstat(part)
		if err == nil && !info.IsDir() {
			err = fmt.Errorf("%s is not a folder but %s", strings.Join(parts[:i+1], "/"), what(info))
		}
		var next *os.Root
		if err == nil {
			next, err = at.OpenRoot(part)
		}
		_ = at.Close()
		if err != nil {
			return nil, s.failure("opening", "", err)
		}
		// Between the look and the opening a link may have come.
		if opened, err := next.Stat("."); err != nil || !os.SameFile(info, opened) {
			_ = next.Close()
			return nil, s.failure("opening", "", errors.New("it changed while it was opened"))
		}
		at = next
	}
	return at, nil
}

func what(info fs.FileInfo) string {
	if info.Mode()&fs.ModeSymlink != 0 {
		return "a link"
	}
	return "a file"
}

// batch is s with the folder held open, for reading many files.
func (s *Store) batch() (*openStore, error) {
	root, err := s.open()
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return &openStore{Store: s, root: root}, nil
}

type openStore struct {
	*Store
	root *os.Root // nil where the folder does not exist
}

func (o *openStore) Read(_ context.Context, f File, max int64) ([]byte, error) {
	if o.root == nil {
		return nil, fs.ErrNotExist
	}
	return readIn(o.root, f.Name, max)
}

func (o *openStore) Close() {
	if o.root != nil {
		_ = o.root.Close()
	}
}

// readIn reads a plain file of an open folder. Opening does not wait, so that a
// pipe that took the place of a file cannot hold the reader up.
func readIn(root *os.Root, name string, max int64) ([]byte, error) {
	f, err := root.OpenFile(name, os.O_RDONLY|openFlags, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("not a plain file")
	}
	buf := make([]byte, min(info.Size(), max)+1)
	n, err := io.ReadFull(f, buf)
	if err == nil { // more than its size said
		more, err := io.ReadAll(io.LimitReader(f, max+1-int64(n)))
		return append(buf[:n], more...), err
	}
	if !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return buf[:n], nil
}

// failure is an error that names the store and no place on this machine.
func (s *Store) failure(doing, name string, err error) error {
	where := s.folder
	if name != "" {
		where += "/" + name
	}
	return &storeError{text: fmt.Sprintf("%s %s: %s", doing, where, reason(err)), err: err}
}

// storeError carries its cause without its text, which may hold absolute paths.
type storeError struct {
	text string
	err  error
}

func (e *storeError) Error() string { return e.text }
func (e *storeError) Unwrap() error { return e.err }

// reason is an error without the paths that the operating system put into it.
func reason(err error) string {
	var p *fs.PathError
	var l *os.LinkError
	var c *os.SyscallError
	switch {
	case errors.As(err, &p):
		return p.Err.Error()
	case errors.As(err, &l):
		return l.Err.Error()
	case errors.As(err, &c):
		return c.Err.Error()
	}
	return err.Error()
}

// DiskError marks errors that the disk or another process caused, and not what
// was asked for.
type DiskError interface {
	error
	disk()
}

func (e *storeError) disk() {}

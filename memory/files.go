package memory

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/sourcegraph/conc/pool"

	"github.com/saysolint/sayso/internal/config"
)

// DefaultFolder is where a repository keeps its memory, from its top.
const DefaultFolder = config.DefaultMemoryFolder

// File is one file of a store, before it is read.
type File struct {
	Name    string    // within the folder, without any separator
	Size    int64     // in bytes; -1 where it is not known before reading
	ModTime time.Time // zero for files of a git tree
	Object  string    // object name of a file of a git tree, "" on disk
	Inode   uint64    // of a file on disk where the system has such numbers, else 0
	Regular bool      // false for links, folders, submodules and devices: never read
}

// Files is a folder of entries that can be read: a [Store] on disk, or the tree
// of a revision (package gitstore has it). Listing and reading create nothing.
type Files interface {
	// Folder is where the files are, from the top of the repository or space,
	// with forward slashes; it is what RelPath of an entry begins with.
	Folder() string
	// List names the files directly in the folder, in any order. A folder that
	// does not exist is empty.
	List(ctx context.Context) ([]File, error)
	// Read is the content of one of them, at most max bytes and one more where
	// there are more. A file that is gone is fs.ErrNotExist.
	Read(ctx context.Context, f File, max int64) ([]byte, error)
}

// Skipped is a file of the folder that is no entry.
type Skipped struct {
	Name   string `json:"name"`   // of the file, within the folder of the store
	Reason string `json:"reason"` // why it was not read, one clause
}

// dialect says how files are to be understood.
type dialect func(id string, f File, raw []byte) Entry

func ours(id string, _ File, raw []byte) Entry { return Parse(id, raw) }

// Load reads all entries of a folder. Files that are none are told in
// [Set.Skipped]; one unreadable file never hides the others. The error is
// one of listing, or of ctx.
func Load(ctx context.Context, files Files) (*Set, error) {
	read := dialect(ours)
	if d, ok := files.(interface{ dialect() dialect }); ok {
		read = d.dialect()
	}
	list, err := files.List(ctx)
	if err != nil {
		return nil, err
	}
	return loadAll(ctx, files, list, read)
}

// loadAll reads the entries of some files of a folder.
func loadAll(ctx context.Context, files Files, list []File, read dialect) (*Set, error) {
	slices.SortFunc(list, func(a, b File) int { return strings.Compare(a.Name, b.Name) })
	results := make([]result, len(list))
	p := pool.New().WithMaxGoroutines(max(1, runtime.GOMAXPROCS(0)))
	const chunk = 64 // entries a task: one alone is less work than a task
	for from := 0; from < len(list); from += chunk {
		p.Go(func() {
			for i := from; i < min(from+chunk, len(list)) && ctx.Err() == nil; i++ {
				results[i] = loadOne(ctx, files, list[i], read)
			}
		})
	}
	p.Wait()
	if ctx.Err() != nil {
		return nil, fmt.Errorf("reading %s: %w", files.Folder(), context.Cause(ctx))
	}
	var entries []Entry
	var skipped []Skipped
	for i, r := range results {
		switch {
		case r.skip == "":
			entries = append(entries, r.entry)
		case r.skip != hidden:
			skipped = append(skipped, Skipped{Name: list[i].Name, Reason: r.skip})
		}
	}
	return NewSet(entries, skipped), nil
}

type result struct {
	entry Entry
	skip  string
}

// hidden is the reason of files that nobody takes for an entry.
const hidden = "hidden"

func loadOne(ctx context.Context, files Files, f File, read dialect) result {
	id, isEntry := strings.CutSuffix(f.Name, ".md")
	switch {
	case strings.HasPrefix(f.Name, "."):
		return result{skip: hidden}
	case !isEntry:
		return result{skip: "not a .md file"}
	case !ValidID(id):
		return result{skip: "its name is no id (letters, digits, _ and -, at most 180)"}
	case !f.Regular:
		return result{skip: "not a plain file"}
	}
	raw, err := files.Read(ctx, f, MaxFileBytes)
	if err != nil {
		return result{skip: "cannot be read: " + reason(err)}
	}
	e := read(id, f, raw)
	e.RelPath = files.Folder() + "/" + f.Name
	return result{entry: e}
}

// ReadOne reads one entry of a folder. An id that no file has is
// [ErrNoEntry], one that cannot be an id [ErrBadID].
func ReadOne(ctx context.Context, files Files, id string) (Entry, []byte, error) {
	if !ValidID(id) {
		return Entry{}, nil, fmt.Errorf("%s: %w", quote(id), ErrBadID)
	}
	read := dialect(ours)
	if d, ok := files.(interface{ dialect() dialect }); ok {
		read = d.dialect()
	}
	list, err := files.List(ctx)
	if err != nil {
		return Entry{}, nil, err
	}
	at := slices.IndexFunc(list, func(f File) bool { return f.Name == id+".md" })
	if at < 0 || !list[at].Regular {
		return Entry{}, nil, fmt.Errorf("%s: %w", id, ErrNoEntry)
	}
	raw, err := files.Read(ctx, list[at], MaxFileBytes)
	if err != nil {
		return Entry{}, nil, fmt.Errorf("%s/%s.md: %s", files.Folder(), id, reason(err))
	}
	e := read(id, list[at], raw)
	e.RelPath = files.Folder() + "/" + id + ".md"
	return e, raw, nil
}

var (
	ErrNoEntry = errors.New("no such entry")
	ErrBadID   = errors.New("not an id: letters, digits, _ and -, at most 180")
)

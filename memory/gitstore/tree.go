package gitstore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/saysolint/sayso/internal/git"
	"github.com/saysolint/sayso/memory"
)

// Repo is what is asked of a repository; *git.Repo has it.
type Repo interface {
	Resolve(ctx context.Context, rev string) (string, error)
	Tree(ctx context.Context, treeish string) ([]git.TreeEntry, error)
	Blob(ctx context.Context, object string, max int64) ([]byte, error)
	Type(ctx context.Context, object string) (hash, kind string, err error)
}

// Tree is the store in the tree of a revision. A revision without the folder
// is an empty store; an unknown revision is an error of the first call.
func Tree(repo Repo, rev, folder string) memory.Files {
	if folder == "" {
		folder = memory.DefaultFolder
	}
	return tree{repo, rev, folder}
}

type tree struct {
	repo        Repo
	rev, folder string
}

func (t tree) Folder() string { return t.folder }

func (t tree) List(ctx context.Context) ([]memory.File, error) {
	if !memory.ValidFolder(t.folder) {
		return nil, fmt.Errorf("memory folder %.60q: a relative path without .. is needed", t.folder)
	}
	hash, err := t.repo.Resolve(ctx, t.rev)
	if err != nil {
		return nil, fmt.Errorf("reading the memory of %s: %w", t.rev, err)
	}
	folder, kind, err := t.repo.Type(ctx, hash+":"+t.folder)
	if errors.Is(err, git.ErrUnknown) || err == nil && kind != "tree" {
		return nil, nil
	}
	var rows []git.TreeEntry
	if err == nil {
		rows, err = t.repo.Tree(ctx, folder)
	}
	if err != nil {
		return nil, fmt.Errorf("reading the memory of %s: %w", t.rev, err)
	}
	var files []memory.File
	for _, row := range rows {
		if strings.Contains(row.Path, "/") {
			continue // a folder inside: entries lie directly in the store
		}
		files = append(files, memory.File{
			Name: row.Path, Size: -1, Object: row.Object,
			Regular: row.Type == "blob" && strings.HasPrefix(row.Mode, "100"),
		})
	}
	return files, nil
}

func (t tree) Read(ctx context.Context, f memory.File, max int64) ([]byte, error) {
	raw, err := t.repo.Blob(ctx, f.Object, max)
	if errors.Is(err, git.ErrTooLarge) {
		// Only that it is too large counts, and how it begins.
		return make([]byte, max+1), nil
	}
	if errors.Is(err, git.ErrUnknown) {
		return nil, fs.ErrNotExist
	}
	return raw, err
}

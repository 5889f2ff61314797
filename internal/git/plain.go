package git

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/go-git/go-billy/v5/osfs"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/plumbing/format/idxfile"
	"github.com/go-git/go-git/v5/plumbing/format/objfile"
	"github.com/go-git/go-git/v5/plumbing/format/packfile"
)

// plainStore finds objects and references on disk with go-git's readers of the
// formats. go-git's own store would do as well, but links its configuration and with
// that encoding/gob, the start of which is a tenth of what all packages of the program take.
type plainStore struct {
	gitDir, common string
	bases          cache.Object
	packs          func() ([]plainPack, error) // opened when first asked for
}

// plainPack is one pack by its index.
type plainPack struct {
	name  string // of the pack's file
	index *idxfile.MemoryIndex
}

// plainObject is one object; its content is read when it is asked for.
type plainObject struct {
	kind plumbing.ObjectType
	size int64
	open func() (io.ReadCloser, error)
}

func newPlainStore(gitDir, common string) *plainStore {
	s := &plainStore{gitDir: gitDir, common: common, bases: cache.NewObjectLRU(16 * cache.MiByte)}
	s.packs = sync.OnceValues(s.readPacks)
	return s
}

// object finds an object: loose, else in a pack. plumbing.ErrObjectNotFound where it is in neither.
func (s *plainStore) object(hash plumbing.Hash) (plainObject, error) {
	obj, err := s.loose(hash)
	if !errors.Is(err, plumbing.ErrObjectNotFound) {
		return obj, err
	}
	packs, err := s.packs()
	if err != nil {
		return plainObject{}, err
	}
	for _, p := range packs {
		if has, err := p.index.Contains(hash); err != nil || !has {
			continue
		}
		return s.packed(p, hash)
	}
	return plainObject{}, plumbing.ErrObjectNotFound
}

func (s *plainStore) loose(hash plumbing.Hash) (plainObject, error) {
	id := hash.String()
	path := filepath.Join(s.common, "objects", id[:2], id[2:])
	in, err := openLoose(path)
	if err != nil {
		return plainObject{}, err
	}
	defer in.Close()
	return plainObject{kind: in.kind, size: in.size, open: func() (io.ReadCloser, error) {
		in, err := openLoose(path)
		if err != nil {
			return nil, err // not the typed nil
		}
		return in, nil
	}}, nil
}

// looseReader is a loose object behind its header.
type looseReader struct {
	*objfile.Reader
	file *os.File
	kind plumbing.ObjectType
	size int64
}

func openLoose(path string) (*looseReader, error) {
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, plumbing.ErrObjectNotFound
	}
	if err != nil {
		return nil, err
	}
	r := &looseReader{file: file}
	if r.Reader, err = objfile.NewReader(bufio.NewReader(file)); err == nil {
		r.kind, r.size, err = r.Header()
	}
	if err != nil {
		file.Close()
		return nil, fmt.Errorf("%s: %w", filepath.Base(path), err)
	}
	return r, nil
}

func (r *looseReader) Close() error {
	return errors.Join(r.Reader.Close(), r.file.Close())
}

func (s *plainStore) packed(p plainPack, hash plumbing.Hash) (plainObject, error) {
	folder := osfs.New(filepath.Join(s.common, "objects", "pack"))
	file, err := folder.Open(p.name)
	if err != nil {
		return plainObject{}, err
	}
	pack := packfile.NewPackfileWithCache(p.index, folder, file, s.bases, 0)
	defer pack.Close()
	obj, err := pack.Get(hash)
	if err != nil {
		return plainObject{}, err
	}
	return plainObject{kind: obj.Type(), size: obj.Size(), open: obj.Reader}, nil
}

func (s *plainStore) readPacks() ([]plainPack, error) {
	folder := filepath.Join(s.common, "objects", "pack")
	list, err := os.ReadDir(folder) // sorted
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var out []plainPack
	for _, e := range list {
		stem, ok := strings.CutSuffix(e.Name(), ".idx")
		if !ok || !slices.ContainsFunc(list, func(p os.DirEntry) bool { return p.Name() == stem+".pack" }) {
			continue
		}
		file, err := os.Open(filepath.Join(folder, e.Name()))
		if err != nil {
			return nil, err
		}
		index := idxfile.NewMemoryIndex()
		err = idxfile.NewDecoder(file).Decode(index)
		file.Close()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", e.Name(), err)
		}
		out = append(out, plainPack{stem + ".pack", index})
	}
	return out, nil
}

// reference reads one reference: from its file, else from packed-refs. target is
// what a symbolic one points to; ok is false where there is none.
func (s *plainStore) reference(name string) (hash plumbing.Hash, target string, ok bool) {
	if name == "" || !filepath.IsLocal(filepath.FromSlash(name)) || strings.ContainsAny(name, "\\\x00") || strings.Contains(name, "..") {
		return hash, "", false
	}
	for _, dir := range slices.Compact([]string{s.gitDir, s.common}) {
		data, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
		if err != nil {
			continue
		}
		text := strings.TrimSpace(string(data))
		if target, ok := strings.CutPrefix(text, "ref:"); ok {
			return hash, strings.TrimSpace(target), true
		}
		if len(text) == 40 && isHex(text) {
			return plumbing.NewHash(text), "", true
		}
	}
	data, err := os.ReadFile(filepath.Join(s.common, "packed-refs"))
	if err != nil {
		return hash, "", false
	}
	for line := range bytes.Lines(data) {
		id, ref, found := strings.Cut(strings.TrimRight(string(line), "\r\n"), " ")
		if found && ref == name && len(id) == 40 && isHex(id) {
			return plumbing.NewHash(id), "", true
		}
	}
	return hash, "", false
}

// unanswerable names the first setting of a configuration file under which the
// answers of this package would be wrong, "" for none. It would rather name one too many:
// what it cannot read it names as well.
func unanswerable(config []byte) string {
	bad := map[string][]string{
		"core":   {"splitindex", "sparsecheckout", "worktree"},
		"index":  {"sparse"},
		"remote": {"promisor", "partialclonefilter"},
	}
	section, shown, goesOn := "", "", false
	for raw := range bytes.Lines(bytes.TrimPrefix(config, []byte("\xef\xbb\xbf"))) {
		line := strings.TrimSpace(string(raw))
		before := goesOn
		goesOn = strings.HasSuffix(line, `\`)
		if before || line == "" || line[0] == '#' || line[0] == ';' {
			continue
		}
		if line[0] == '[' {
			head, rest, ok := cutSection(line)
			if !ok {
				return "a configuration that cannot be parsed"
			}
			name, _, _ := strings.Cut(head, " ")
			name, _, _ = strings.Cut(name, ".")
			section, shown = strings.ToLower(name), head
			if section == "include" || section == "includeif" {
				return section + " in the configuration"
			}
			if line = strings.TrimSpace(rest); line == "" || line[0] == '#' || line[0] == ';' {
				continue
			}
		}
		key, value, given := strings.Cut(line, "=")
		key = strings.TrimSpace(key)
		if section == "" || !settingName(key) {
			return "a configuration that cannot be parsed"
		}
		if value = strings.Trim(strings.TrimSpace(value), `"`); given && strings.EqualFold(value, "false") {
			continue
		}
		if section == "extensions" || slices.Contains(bad[section], strings.ToLower(key)) {
			if section != "remote" {
				shown = section
			}
			return printable(strings.ReplaceAll(strings.ReplaceAll(shown, " ", "."), `"`, "") + "." + key)
		}
	}
	return ""
}

// cutSection takes `[name "sub"]` off a line.
func cutSection(line string) (head, rest string, ok bool) {
	quoted := false
	for i := 1; i < len(line); i++ {
		switch c := line[i]; {
		case c == '\\' && quoted:
			i++
		case c == '"':
			quoted = !quoted
		case c == ']' && !quoted:
			return strings.TrimSpace(line[1:i]), line[i+1:], i > 1
		}
	}
	return "", "", false
}

func settingName(key string) bool {
	for i := 0; i < len(key); i++ {
		c := key[i] | 0x20
		if !(c >= 'a' && c <= 'z' || i > 0 && (key[i] >= '0' && key[i] <= '9' || key[i] == '-')) {
			return false
		}
	}
	return key != ""
}

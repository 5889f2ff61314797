package git

import (
	"bytes"
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"strconv"
	"strings"
	"sync"
	"time"
)

// ErrTooLarge is a blob that is larger than the caller wants in memory.
var ErrTooLarge = errors.New("larger than the limit")

// discardMost is how much of an unwanted object is read and thrown away before
// killing the process is the cheaper way.
const discardMost = 4 << 20

// Commit reads and decodes one commit. hash may be any name of a commit.
func (r *Repo) Commit(ctx context.Context, hash string) (*Commit, error) {
	if r.plain != nil {
		return r.plain.commit(hash)
	}
	return r.objects.commit(ctx, hash)
}

// Blob reads one blob by its object name or by "REV:path". With max above zero
// a larger one is not read: ErrTooLarge.
func (r *Repo) Blob(ctx context.Context, object string, max int64) ([]byte, error) {
	if r.plain != nil {
		return r.plain.blob(object, max)
	}
	kind, _, data, err := r.objects.read(ctx, object, max)
	if err == nil && kind != "blob" {
		return nil, fmt.Errorf("%s: is a %s, not a file: %w", printable(object), kind, ErrUnknown)
	}
	return data, err
}

// Size is the size of an object in bytes.
func (r *Repo) Size(ctx context.Context, object string) (int64, error) {
	if r.plain != nil {
		return r.plain.size(object)
	}
	_, _, size, err := r.objects.check(ctx, object)
	return size, err
}

// Type is an object's full name and its type: blob, tree, commit or tag.
func (r *Repo) Type(ctx context.Context, object string) (hash, kind string, err error) {
	if r.plain != nil {
		return r.plain.kind(object)
	}
	hash, kind, _, err = r.objects.check(ctx, object)
	return hash, kind, err
}

// Folder is the object name of the tree that a revision has at path, "" where it
// has none. It costs no process where one is open for contents: most often the tree at
// the top lists no such name, and that is a common answer and no mistake to be explained.
func (r *Repo) Folder(ctx context.Context, rev, path string) (string, error) {
	if r.plain == nil {
		first, _, _ := strings.Cut(path, "/")
		_, _, top, err := r.objects.read(ctx, rev+"^{tree}", maxTree)
		switch {
		case err == nil && !bytes.Contains(top, []byte(" "+first+"\x00")):
			return "", nil
		case err != nil && !errors.Is(err, ErrTooLarge):
			return "", err
		}
	}
	hash, kind, err := r.Type(ctx, rev+":"+path)
	switch {
	case errors.Is(err, ErrUnknown), err == nil && kind != "tree":
		return "", nil
	case err != nil:
		return "", err
	}
	return hash, nil
}

// Exists says whether the store has the object. An object that is there but
// damaged is an error.
func (r *Repo) Exists(ctx context.Context, object string) (bool, error) {
	_, _, err := r.Type(ctx, object)
	if errors.Is(err, ErrMissing) || errors.Is(err, ErrUnknown) {
		return false, nil
	}
	return err == nil, err
}

// NamesBlob says whether name is the full name of a blob with this content, in a
// repository of either object format.
func NamesBlob(name string, content []byte) bool {
	var h hash.Hash
	switch len(name) {
	case 2 * sha1.Size:
		h = sha1.New()
	case 2 * sha256.Size:
		h = sha256.New()
	default:
		return false
	}
	fmt.Fprintf(h, "blob %d\x00", len(content))
	_, _ = h.Write(content)
	return hex.EncodeToString(h.Sum(nil)) == name
}

// store is the pair of long-lived cat-file processes of a Repo: one that gives
// contents, one that gives sizes only.
type store struct {
	repo *Repo

	mu     sync.Mutex
	batch  *Process
	checks *Process
	recent [8]*Commit // Resolve and then Commit, and a child and then its parent, are common
	next   int
}

func newStore(r *Repo) *store { return &store{repo: r} }

func (s *store) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range []**Process{&s.batch, &s.checks} {
		if *p != nil {
			_ = (*p).Close()
			*p = nil
		}
	}
}

func (s *store) commit(ctx context.Context, name string) (*Commit, error) {
	if c := s.remembered(name); c != nil {
		return c, nil
	}
	_, hash, data, err := s.read(ctx, name+"^{commit}", 0)
	if err != nil {
		return nil, err
	}
	c, err := decodeCommit(hash, data)
	if err != nil {
		return nil, err
	}
	if len(data) <= 64<<10 {
		s.mu.Lock()
		kept := *c
		s.recent[s.next] = &kept
		s.next = (s.next + 1) % len(s.recent)
		s.mu.Unlock()
	}
	return c, nil
}

func (s *store) remembered(name string) *Commit {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.recent {
		if c != nil && c.Hash == name {
			found := *c
			return &found
		}
	}
	return nil
}

// read gives type, full name and content of one object.
func (s *store) read(ctx context.Context, name string, max int64) (kind, hash string, data []byte, err error) {
	if name, err = s.line(ctx, name); err != nil {
		return "", "", nil, err
	}
	s.mu.Lock()
	p, size, hash, kind, err := s.ask(ctx, &s.batch, "--batch", name)
	if err != nil {
		s.mu.Unlock()
		return "", "", nil, s.explain(ctx, name, err)
	}
	defer s.mu.Unlock()
	release := p.Guard(ctx)
	defer release()
	if max > 0 && size > max {
		if size <= discardMost {
			_, err = p.Out.Discard(int(size) + 1)
		} else {
			p.Kill()
			s.batch = nil
		}
		if err != nil {
			s.batch = nil
			return "", "", nil, fmt.Errorf("%s: %w", printable(name), p.Fail(ctx, err))
		}
		return kind, hash, nil, fmt.Errorf("%s: %d bytes: %w", printable(name), size, ErrTooLarge)
	}
	data, err = readExactly(p.Out, size)
	if err == nil {
		_, err = p.Out.Discard(1)
	}
	if err != nil {
		s.batch = nil
		err = p.Fail(ctx, err)
		if ctx.Err() == nil && !errors.Is(err, ErrMissing) {
			err = fmt.Errorf("%w: %w", ErrCorrupt, err)
		}
		return "", "", nil, fmt.Errorf("%s: %w", printable(name), err)
	}
	return kind, hash, data, nil
}

// readExactly grows with what arrives, so that a lying size costs nothing.
func readExactly(r io.Reader, size int64) ([]byte, error) {
	if size <= 16<<20 {
		data := make([]byte, size)
		_, err := io.ReadFull(r, data)
		return data, err
	}
	var b bytes.Buffer
	n, err := io.Copy(&b, io.LimitReader(r, size))
	if err == nil && n < size {
		err = io.ErrUnexpectedEOF
	}
	return b.Bytes(), err
}

func (s *store) check(ctx context.Context, name string) (hash, kind string, size int64, err error) {
	if name, err = s.line(ctx, name); err != nil {
		return "", "", 0, err
	}
	s.mu.Lock()
	_, size, hash, kind, err = s.ask(ctx, &s.checks, "--batch-check", name)
	s.mu.Unlock()
	if err != nil {
		return "", "", 0, s.explain(ctx, name, err)
	}
	return hash, kind, size, nil
}

// line makes a name fit for one line of cat-file's input.
func (s *store) line(ctx context.Context, name string) (string, error) {
	bare := strings.TrimSuffix(name, "^{commit}")
	switch {
	case bare == "" || strings.HasPrefix(name, "-") || strings.ContainsRune(name, 0):
		return "", fmt.Errorf("%q: %w", printable(bare), ErrUnknown)
	case !strings.ContainsRune(name, '\n') && !strings.HasPrefix(name, ":/"):
		return name, nil
	}
	out, err := s.repo.Run(ctx, nil, "rev-parse", "--verify", "--quiet", bare)
	hash := strings.TrimSpace(string(out))
	if err != nil || !isHash(hash) {
		if ctx.Err() != nil {
			return "", err
		}
		return "", fmt.Errorf("%q: %w", printable(bare), ErrUnknown)
	}
	return hash + name[len(bare):], nil
}

// answer is a "missing" or "ambiguous" of cat-file, to be explained.
type answer string

func (a answer) Error() string { return string(a) }

// ask puts one question and reads the header of the answer. The caller holds
// the lock. A dead process is restarted once before the question is put.
func (s *store) ask(ctx context.Context, slot **Process, mode, name string) (p *Process, size int64, hash, kind string, err error) {
	if ctx.Err() != nil {
		return nil, 0, "", "", context.Cause(ctx)
	}
	for fresh := false; ; fresh = true {
		if *slot == nil {
			fresh = true
			if *slot, err = s.repo.Start("cat-file", mode); err != nil {
				return nil, 0, "", "", err
			}
		}
		p = *slot
		release := p.Guard(ctx)
		var header string
		if err = p.Ask(name + "\n"); err == nil {
			header, err = p.Out.ReadString('\n')
		}
		release()
		if err != nil {
			*slot = nil
			err = p.Fail(ctx, err)
			var exit *ExitError
			if !fresh && ctx.Err() == nil && errors.As(err, &exit) && exit.Code < 0 {
				continue // somebody killed the old one while it idled
			}
			return nil, 0, "", "", err
		}
		header = strings.TrimSuffix(header, "\n")
		if rest, ok := strings.CutPrefix(header, name+" "); ok && (rest == "missing" || rest == "ambiguous") {
			return nil, 0, "", "", answer(rest)
		}
		f := strings.Fields(header)
		if len(f) != 3 || !isHash(f[0]) {
			*slot = nil
			p.Kill()
			return nil, 0, "", "", fmt.Errorf("git cat-file answered %q", printable(header))
		}
		size, err = strconv.ParseInt(f[2], 10, 64)
		return p, size, f[0], f[1], err
	}
}

// maxTree is the size above which a tree is not read just to explain a failure.
const maxTree = 4 << 20

// explain finds the cause of a failed read: a name that means nothing, a name
// of something absent, or of something damaged.
func (s *store) explain(ctx context.Context, name string, err error) error {
	said, ok := err.(answer)
	name = strings.TrimSuffix(name, "^{commit}")
	if !ok {
		return fmt.Errorf("%s: %w", printable(name), err)
	}
	if said == "ambiguous" {
		return fmt.Errorf("%s: more than one object has this abbreviation: give more digits: %w", printable(name), ErrUnknown)
	}
	if rev, path, found := strings.Cut(name, ":"); found && said == "missing" && rev != "" && path != "" && !strings.ContainsAny(path, "/") {
		// Where the tree can be read and lists no such name there is none; no process is
		// needed to know it. A name that it lists is there and its object is missing or damaged.
		_, _, tree, treeErr := s.read(ctx, rev+"^{tree}", maxTree)
		if treeErr == nil && !bytes.Contains(tree, []byte(" "+path+"\x00")) {
			return fmt.Errorf("%s: %w", printable(name), ErrUnknown)
		}
	}
	hash := name
	if !isHash(hash) {
		out, err := s.repo.Run(ctx, nil, "rev-parse", "--verify", "--quiet", name)
		if ctx.Err() != nil {
			return err
		}
		if hash = strings.TrimSpace(string(out)); err != nil || !isHash(hash) {
			return s.unknown(ctx, name)
		}
	}
	_, err = s.repo.Run(ctx, nil, "cat-file", "-t", hash)
	switch {
	case ctx.Err() != nil:
		return err
	case err == nil:
		return fmt.Errorf("%s: %w: it is not a commit", printable(name), ErrUnknown)
	case errors.Is(err, ErrCorrupt):
		return fmt.Errorf("%s: %w", printable(name), err)
	}
	return fmt.Errorf("%s: %w%s", printable(name), ErrMissing, s.advice())
}

func (s *store) unknown(ctx context.Context, name string) error {
	if strings.HasPrefix(name, "HEAD") || strings.HasPrefix(name, "@") {
		out, err := s.repo.Run(ctx, nil, "rev-list", "--max-count=1", "--all")
		if err == nil && len(out) == 0 {
			return fmt.Errorf("%s: %w: make one first", printable(name), ErrEmpty)
		}
	}
	advice := ""
	if s.repo.Shallow() {
		advice = s.advice()
	}
	return fmt.Errorf("%s: %w%s", printable(name), ErrUnknown, advice)
}

// advice is the way out where a clone brought only a part of the history.
func (s *store) advice() string {
	switch {
	case s.repo.Shallow():
		return " in this shallow clone: run `git fetch --unshallow` (with actions/checkout: `fetch-depth: 0`)"
	case s.repo.Partial():
		return " in this partial clone: fetch it, or clone without --filter"
	}
	return ""
}

func isHash(s string) bool {
	return (len(s) == 40 || len(s) == 64) && isHex(s)
}

func isHex(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return s != ""
}

// decodeCommit reads a commit object's bytes.
func decodeCommit(hash string, data []byte) (*Commit, error) {
	c := &Commit{Hash: hash}
	rest := data
	var author, committer []byte
	for {
		line, more, found := bytes.Cut(rest, []byte{'\n'})
		rest = more
		if len(line) == 0 {
			break // the blank line before the message, or the end of a commit without one
		}
		key, value, _ := bytes.Cut(line, []byte{' '})
		switch string(key) {
		case "tree":
			c.Tree = string(value)
		case "parent":
			c.Parents = append(c.Parents, string(value))
		case "author":
			author = value
		case "committer":
			committer = value
		case "encoding":
			c.Encoding = string(value)
		}
		if !found {
			break
		}
	}
	if !isHash(c.Tree) {
		return nil, fmt.Errorf("%s: %w: the commit names no tree", hash, ErrCorrupt)
	}
	c.Author, c.Committer = decodeSignature(author, c.Encoding), decodeSignature(committer, c.Encoding)
	c.Message = Decode(rest, c.Encoding)
	if strings.EqualFold(c.Encoding, "utf-8") || strings.EqualFold(c.Encoding, "utf8") {
		c.Encoding = ""
	}
	return c, nil
}

// decodeSignature reads "Name <mail> seconds zone"; a damaged one gives what it has.
func decodeSignature(line []byte, encoding string) Signature {
	var s Signature
	text := Decode(line, encoding)
	open, shut := strings.IndexByte(text, '<'), strings.LastIndexByte(text, '>')
	if open < 0 || shut < open {
		s.Name = strings.TrimSpace(text)
		return s
	}
	s.Name, s.Email = strings.TrimSpace(text[:open]), text[open+1:shut]
	f := strings.Fields(text[shut+1:])
	if len(f) == 0 {
		return s
	}
	seconds, err := strconv.ParseInt(f[0], 10, 64)
	if err != nil {
		return s
	}
	zone := time.UTC
	if len(f) > 1 {
		if z, err := strconv.Atoi(f[1]); err == nil && z > -2400 && z < 2400 && z != 0 {
			zone = time.FixedZone(f[1], (z/100*60+z%100)*60)
		}
	}
	s.When = time.Unix(seconds, 0).In(zone)
	return s
}

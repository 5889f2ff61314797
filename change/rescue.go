package change

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

	"github.com/bluekeyes/go-gitdiff/gitdiff"

	"github.com/saysolint/sayso/internal/git"
)

// rescueTrees reads the difference of two trees after git died over it, which
// it does on the first blob that it cannot read. Names need no blobs; then each
// file is read whose blobs are there.
func (r *Reader) rescueTrees(ctx context.Context, ch *Change, from, to string) error {
	return r.rescue(ctx, ch, []string{from, to}, func(options []string) []string {
		return command("diff-tree", options, "--no-renames", from, to, "--")
	})
}

// rescueIndex does the same for the index or the work tree.
func (r *Reader) rescueIndex(ctx context.Context, ch *Change, base, option string) error {
	return r.rescue(ctx, ch, []string{base}, func(options []string) []string {
		return command("diff-index", options, "--no-renames", option, base, "--")
	})
}

func (r *Reader) rescue(ctx context.Context, ch *Change, trees []string, ask func(options []string) []string) error {
	ch.Files, ch.Gaps = nil, nil
	out, err := r.repo.Run(ctx, nil, ask(rawOptions)...)
	var entries []git.RawEntry
	if err == nil {
		entries, err = git.ParseRaw(bufio.NewReader(bytes.NewReader(out)))
	}
	if ctx.Err() != nil || errors.Is(err, git.ErrIndex) {
		return err // no object is to blame, and every other question would fail too
	}
	if err != nil {
		ch.Gaps = append(ch.Gaps, Gap{Reason: reasonOf(err), Detail: "the files of the change cannot be listed: " + err.Error()})
		return nil
	}
	entries = exactRenames(entries)
	lost, err := r.lost(ctx, trees, entries)
	if err != nil {
		return err
	}
	var readable []git.RawEntry
	for _, e := range entries {
		why, bad := lost[e.OldBlob], lost[e.OldBlob] != ""
		if w := lost[e.NewBlob]; w != "" {
			why, bad = w, true
		}
		switch f := r.newFile(e); {
		case bad && !f.submodule():
			ch.unread(&f, why, "a blob of it is not readable in this repository")
			ch.Files = append(ch.Files, f)
		case e.Status == 'R':
			ch.Files = append(ch.Files, f) // nothing but the name changed
		default:
			readable = append(readable, e)
		}
	}
	for chunk := range slices.Chunk(readable, 200) {
		if err := r.piecewise(ctx, ch, chunk, ask); err != nil {
			return err
		}
	}
	return nil
}

// piecewise reads some files in one go and, when git dies, in two halves.
func (r *Reader) piecewise(ctx context.Context, ch *Change, entries []git.RawEntry, ask func(options []string) []string) error {
	args := ask(patchOptions)
	for _, e := range entries {
		args = append(args, ":(top,literal)"+e.Path)
	}
	p, err := r.repo.Start(args...)
	if err != nil {
		return err
	}
	release := p.Guard(ctx)
	defer release()
	part := &Change{}
	d := r.newDecoder(part, p.Out, "")
	err = d.run()
	if err == nil && d.capped {
		p.Kill()
	} else {
		err = p.End(ctx, err)
	}
	switch {
	case ctx.Err() != nil:
		return err
	case err == nil:
		ch.Files, ch.Gaps = append(ch.Files, part.Files...), append(ch.Gaps, part.Gaps...)
		return nil
	case len(entries) == 1:
		f := r.newFile(entries[0])
		ch.unread(&f, reasonOf(err), "git cannot read it")
		ch.Files = append(ch.Files, f)
		return nil
	}
	half := len(entries) / 2
	if err := r.piecewise(ctx, ch, entries[:half], ask); err != nil {
		return err
	}
	return r.piecewise(ctx, ch, entries[half:], ask)
}

func reasonOf(err error) Reason {
	if errors.Is(err, git.ErrCorrupt) {
		return ReasonCorrupt
	}
	return ReasonMissing
}

// lost says which blobs of the entries the store does not have. A partial clone
// is asked through a walk: any other question about a promised blob kills git.
func (r *Reader) lost(ctx context.Context, trees []string, entries []git.RawEntry) (map[string]Reason, error) {
	lost := map[string]Reason{}
	if r.repo.Partial() {
		out, err := r.repo.Run(ctx, nil, append([]string{"rev-list", "--objects", "--missing=print", "--no-walk"}, trees...)...)
		if ctx.Err() != nil {
			return nil, err
		}
		for line := range strings.SplitSeq(string(out), "\n") {
			if name, ok := strings.CutPrefix(line, "?"); ok {
				lost[name] = ReasonMissing
			}
		}
		return lost, nil
	}
	for _, e := range entries {
		for _, blob := range []string{e.OldBlob, e.NewBlob} {
			if _, known := lost[blob]; known || strings.Trim(blob, "0") == "" || e.OldMode == gitlink || e.NewMode == gitlink {
				continue
			}
			lost[blob] = ""
			if _, err := r.repo.Size(ctx, blob); err != nil {
				if ctx.Err() != nil {
					return nil, err
				}
				lost[blob] = reasonOf(err)
			}
		}
	}
	return lost, nil
}

// exactRenames joins a deletion and an addition of the very same blob, which
// needs no content, where there is one of each.
func exactRenames(entries []git.RawEntry) []git.RawEntry {
	gone, came := map[string][]int{}, map[string][]int{}
	for i, e := range entries {
		switch e.Status {
		case 'D':
			gone[e.OldBlob] = append(gone[e.OldBlob], i)
		case 'A':
			came[e.NewBlob] = append(came[e.NewBlob], i)
		}
	}
	out := make([]git.RawEntry, 0, len(entries))
	for i, e := range entries {
		if e.Status == 'D' && len(gone[e.OldBlob]) == 1 && len(came[e.OldBlob]) == 1 {
			continue
		}
		if e.Status == 'A' && len(gone[e.NewBlob]) == 1 && len(came[e.NewBlob]) == 1 {
			from := entries[gone[e.NewBlob][0]]
			e.Status, e.Score = 'R', 100
			e.OldPath, e.OldMode, e.OldBlob = from.OldPath, from.OldMode, from.OldBlob
		}
		out = append(out, entries[i])
		out[len(out)-1] = e
	}
	return out
}

// imagesOfRenames is how many files that only moved get their image read.
const imagesOfRenames = 100

// settle looks again at what git called binary, and reads the images of files
// that moved without a change; then it sorts. to is "" for the index.
func (r *Reader) settle(ctx context.Context, ch *Change, from, to string) error {
	var text []int // binary only because an attribute says so
	moved := 0
	for i := range ch.Files {
		f := &ch.Files[i]
		switch {
		case f.Unread == ReasonBinary:
			isText, err := r.binary(ctx, ch, f)
			if err != nil {
				return err
			}
			if isText {
				text = append(text, i)
			}
		case f.Unread == "" && !f.ImagesRead && f.Score == 100 && f.NewBlob != "" && moved < imagesOfRenames:
			moved++
			data, err := r.repo.Blob(ctx, f.NewBlob, r.limits.FileBytes)
			if ctx.Err() != nil {
				return err
			}
			if err != nil || hasNUL(data) {
				continue
			}
			if lfsPointer(data) {
				ch.unread(f, ReasonLFS, "the content is in Git LFS")
				continue
			}
			f.Old, f.New, f.ImagesRead = data, data, true
			r.study(f)
		}
	}
	for _, i := range text {
		if err := r.asText(ctx, ch, &ch.Files[i], from, to); err != nil {
			return err
		}
	}
	finish(ch)
	return nil
}

// binary finds out why git called a file binary.
func (r *Reader) binary(ctx context.Context, ch *Change, f *File) (isText bool, err error) {
	for _, blob := range []string{f.OldBlob, f.NewBlob} {
		if blob == "" {
			continue
		}
		size, err := r.repo.Size(ctx, blob)
		if ctx.Err() != nil {
			return false, err
		}
		if err == nil && size > bigFileBytes {
			ch.unread(f, ReasonOversized, fmt.Sprintf("%d bytes", size))
			return false, nil
		}
		data, err := r.repo.Blob(ctx, blob, r.limits.FileBytes)
		if ctx.Err() != nil {
			return false, err
		}
		if err != nil || hasNUL(data) {
			ch.unread(f, ReasonBinary, "binary content")
			return false, nil
		}
	}
	if f.OldBlob == "" && f.NewBlob == "" || f.NewMode != "" && f.NewBlob == "" {
		ch.unread(f, ReasonBinary, "binary content")
		return false, nil
	}
	return true, nil
}

// hasNUL is git's own rule for binary content.
func hasNUL(data []byte) bool {
	return bytes.IndexByte(data[:min(len(data), 8000)], 0) >= 0
}

// asText reads one file whose attributes tell git to show no text (`-diff`).
func (r *Reader) asText(ctx context.Context, ch *Change, f *File, from, to string) error {
	f.Unread = ""
	options := append(slices.Clone(patchOptions), "--text", "-M")
	args := command("diff-tree", options, from, to, "--")
	if to == "" {
		args = command("diff-index", options, "--cached", from, "--")
	}
	args = append(args, ":(top,literal)"+f.Path)
	if f.OldPath != "" {
		args = append(args, ":(top,literal)"+f.OldPath)
	}
	out, err := r.repo.Run(ctx, nil, args...)
	if ctx.Err() != nil {
		return err
	}
	part := &Change{}
	if err == nil {
		err = r.newDecoder(part, bufio.NewReader(bytes.NewReader(out)), "").run()
	}
	if err != nil || len(part.Files) != 1 || part.Files[0].Path != f.Path || part.Files[0].Unread == ReasonBinary {
		ch.unread(f, ReasonBinary, "an attribute says that it is binary")
		return nil
	}
	*f = part.Files[0]
	ch.Gaps = append(ch.Gaps, part.Gaps...)
	return nil
}

// untrackedMost is how many untracked files are read.
const untrackedMost = 20_000

// untracked adds the files of the work tree that git does not track and does
// not ignore, as added ones.
func (r *Reader) untracked(ctx context.Context, ch *Change) error {
	out, err := r.repo.Run(ctx, nil, "ls-files", "-z", "--others", "--exclude-standard", "--full-name", "--", ":/")
	if err != nil {
		return err
	}
	var total int64
	paths := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	for i, path := range paths {
		if path == "" {
			continue
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		f := r.newFile(git.RawEntry{Status: 'A', OldPath: path, Path: path, NewMode: "100644"})
		name := filepath.Join(r.repo.Root(), filepath.FromSlash(path))
		info, err := os.Lstat(name)
		switch {
		case err != nil:
			ch.unread(&f, ReasonMissing, "the file cannot be read")
		case i >= untrackedMost || total > r.limits.ChangeBytes:
			ch.unread(&f, ReasonCapped, "too many untracked files")
		case info.IsDir():
			f.NewMode = gitlink
			ch.unread(&f, ReasonSubmodule, "the content is in another repository")
		case info.Size() > r.limits.FileBytes:
			ch.unread(&f, ReasonOversized, fmt.Sprintf("%d bytes", info.Size()))
		default:
			data, err := readFile(name, info)
			total += int64(len(data))
			if info.Mode()&os.ModeSymlink != 0 {
				f.NewMode = "120000"
			} else if info.Mode()&0o111 != 0 {
				f.NewMode = "100755"
			}
			switch {
			case err != nil:
				ch.unread(&f, ReasonMissing, "the file cannot be read")
			case hasNUL(data):
				ch.unread(&f, ReasonBinary, "binary content")
			default:
				r.take(ch, &f, wholeFile(data, gitdiff.OpAdd))
			}
		}
		ch.Files = append(ch.Files, f)
	}
	return nil
}

// submodulesMost is how many submodules are looked into.
const submodulesMost = 100

// submodules declares the submodules with changes that are not committed in
// them: those belong to another repository and are not read. git's own look into
// them would run what their configuration names, so it is asked for each by itself.
func (r *Reader) submodules(ctx context.Context, ch *Change) error {
	if _, err := os.Lstat(filepath.Join(r.repo.Root(), ".gitmodules")); err != nil {
		return nil
	}
	out, err := r.repo.Run(ctx, nil, "ls-files", "-z", "--stage", "--full-name", "--", ":/")
	if err != nil {
		return err
	}
	seen := 0
	for row := range strings.SplitSeq(string(out), "\x00") {
		about, path, _ := strings.Cut(row, "\t")
		if !strings.HasPrefix(about, gitlink+" ") || slices.ContainsFunc(ch.Gaps, func(g Gap) bool { return g.Path == path }) {
			continue
		}
		dir := filepath.Join(r.repo.Root(), filepath.FromSlash(path))
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err != nil {
			continue // not checked out: there is nothing to change in it
		}
		if seen++; seen > submodulesMost {
			ch.Gaps = append(ch.Gaps, Gap{Path: path, Reason: ReasonSubmodule, Detail: "too many submodules to look into"})
			continue
		}
		out, err := r.repo.Run(ctx, nil, "--git-dir="+filepath.Join(dir, ".git"), "--work-tree="+dir,
			"status", "--porcelain", "--untracked-files=normal", "--ignore-submodules=all")
		switch {
		case ctx.Err() != nil:
			return err
		case err != nil:
			ch.Gaps = append(ch.Gaps, Gap{Path: path, Reason: ReasonSubmodule, Detail: "the submodule cannot be read"})
		case len(out) > 0:
			ch.Gaps = append(ch.Gaps, Gap{Path: path, Reason: ReasonSubmodule, Detail: "the submodule has changes that are not committed in it"})
		}
	}
	return nil
}

func readFile(name string, info os.FileInfo) ([]byte, error) {
	switch {
	case info.Mode()&os.ModeSymlink != 0:
		to, err := os.Readlink(name)
		return []byte(to), err
	case !info.Mode().IsRegular():
		return nil, errors.New("not a regular file")
	}
	return os.ReadFile(name)
}

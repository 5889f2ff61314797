package change

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/bluekeyes/go-gitdiff/gitdiff"
	"github.com/sergi/go-diff/diffmatchpatch"

	"github.com/saysolint/sayso/internal/git"
)

// plainLines is how long a file may be for the difference that is made without
// git, whose work grows with the square of what changed.
const plainLines = 20_000

// plainTrees reads the difference of two trees without a git executable. Only
// renames of a file that did not change otherwise are recognised.
func (r *Reader) plainTrees(ctx context.Context, ch *Change, from, to string) error {
	entries, err := r.repo.Diff(ctx, from, to)
	if err != nil {
		ch.Gaps = append(ch.Gaps, Gap{Reason: reasonOf(err), Detail: "the files of the change cannot be listed: " + err.Error()})
		return nil
	}
	var total int64
	lines := 0
	for _, e := range exactRenames(entries) {
		if err := ctx.Err(); err != nil {
			return context.Cause(ctx)
		}
		f := r.newFile(e)
		if total > r.limits.ChangeBytes || lines > r.limits.ChangeLines {
			ch.unread(&f, ReasonCapped, "the change is too large")
		} else if !f.submodule() && e.Status != 'R' {
			total += r.plainFile(ctx, ch, &f)
			lines += f.Added + f.Removed
		} else if f.submodule() {
			ch.unread(&f, ReasonSubmodule, "the content is in another repository")
		}
		ch.Files = append(ch.Files, f)
	}
	return r.settle(ctx, ch, from, to)
}

// plainFile fills one file from its two blobs and says how many bytes it read.
func (r *Reader) plainFile(ctx context.Context, ch *Change, f *File) int64 {
	var both [2][]byte
	for i, name := range []string{f.OldBlob, f.NewBlob} {
		if name == "" {
			continue
		}
		data, err := r.repo.Blob(ctx, name, bigFileBytes)
		switch {
		case errors.Is(err, git.ErrTooLarge):
			ch.unread(f, ReasonOversized, err.Error())
			return 0
		case err != nil:
			ch.unread(f, reasonOf(err), "a blob of it is not readable in this repository")
			return 0
		case hasNUL(data):
			f.Unread = ReasonBinary // as in a patch: settle adds the gap
			return 0
		}
		both[i] = data
	}
	size := int64(len(both[0]) + len(both[1]))
	switch most := max(bytes.Count(both[0], []byte("\n")), bytes.Count(both[1], []byte("\n"))); {
	case f.OldBlob != "" && f.NewBlob != "" && most > plainLines, most > r.limits.FileLines:
		ch.unread(f, ReasonOversized, fmt.Sprintf("%d lines, and no git executable", most))
	case f.Status == TypeChange:
		r.take(ch, f, append(wholeFile(both[0], gitdiff.OpDelete), wholeFile(both[1], gitdiff.OpAdd)...))
	case f.OldBlob == "":
		r.take(ch, f, wholeFile(both[1], gitdiff.OpAdd))
	case f.NewBlob == "":
		r.take(ch, f, wholeFile(both[0], gitdiff.OpDelete))
	case f.OldBlob != f.NewBlob:
		r.take(ch, f, lineDiff(string(both[0]), string(both[1])))
	}
	return size
}

// wholeFile is the fragment that adds or removes all lines of a file.
func wholeFile(data []byte, op gitdiff.LineOp) []*gitdiff.TextFragment {
	if len(data) == 0 {
		return nil
	}
	frag := &gitdiff.TextFragment{}
	text := string(data)
	for line := range strings.Lines(text) {
		frag.Lines = append(frag.Lines, gitdiff.Line{Op: op, Line: line})
	}
	if n := int64(len(frag.Lines)); op == gitdiff.OpAdd {
		frag.NewPosition, frag.NewLines, frag.LinesAdded = 1, n, n
	} else {
		frag.OldPosition, frag.OldLines, frag.LinesDeleted = 1, n, n
	}
	return []*gitdiff.TextFragment{frag}
}

// lineDiff is one fragment that holds both texts whole.
func lineDiff(old, new string) []*gitdiff.TextFragment {
	dmp := diffmatchpatch.New()
	dmp.DiffTimeout = 0 // a clock must not decide what the difference is
	a, b, table := dmp.DiffLinesToRunes(old, new)
	frag := &gitdiff.TextFragment{OldPosition: 1, NewPosition: 1}
	for _, d := range dmp.DiffCharsToLines(dmp.DiffMainRunes(a, b, false), table) {
		same := int64(0)
		op, count := gitdiff.OpContext, &same
		switch d.Type {
		case diffmatchpatch.DiffInsert:
			op, count = gitdiff.OpAdd, &frag.LinesAdded
		case diffmatchpatch.DiffDelete:
			op, count = gitdiff.OpDelete, &frag.LinesDeleted
		}
		for line := range strings.Lines(d.Text) {
			frag.Lines = append(frag.Lines, gitdiff.Line{Op: op, Line: line})
			*count++
		}
	}
	if frag.LinesAdded+frag.LinesDeleted == 0 {
		return nil
	}
	return []*gitdiff.TextFragment{frag}
}

package change

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/bluekeyes/go-gitdiff/gitdiff"

	"github.com/saysolint/sayso/internal/lang"
)

// Parse reads a change from the text of a unified diff in git's format, such as
// a GitHub API answers. Its files have no images and no definitions. What cannot
// be parsed, or lies beyond the limits, is a gap; the error is in's own.
func Parse(in io.Reader, limits Limits) (*Change, error) {
	limits = limits.withDefaults()
	ch := &Change{}
	var section strings.Builder
	rows, lines, inFile, tooBig := 0, 0, false, false
	flush := func() {
		if inFile {
			f := parseSection(ch, section.String(), tooBig)
			if lines += f.Added + f.Removed; f.Unread == "" && lines > limits.ChangeLines {
				ch.unread(&f, ReasonCapped, fmt.Sprintf("the change has more than %d changed lines", limits.ChangeLines))
			}
			ch.Files = append(ch.Files, f)
		}
		section.Reset()
		rows, tooBig = 0, false
	}
	var total int64
	buffered := bufio.NewReaderSize(in, 64<<10)
	for fresh := true; ; {
		piece, err := buffered.ReadSlice('\n')
		if fresh && strings.HasPrefix(string(piece[:min(len(piece), 16)]), "diff --git ") {
			flush()
			inFile = true
		}
		if total += int64(len(piece)); inFile {
			rows++
			switch {
			case tooBig:
			case rows > limits.FileLines || total > limits.ChangeBytes || section.Len() > sectionBytes:
				tooBig = true
			default:
				section.Write(piece)
			}
		}
		switch fresh = err == nil; err {
		case nil, bufio.ErrBufferFull:
		case io.EOF:
			flush()
			finish(ch)
			return ch, nil
		default:
			return nil, fmt.Errorf("the diff: %w", err)
		}
	}
}

// parseSection reads the section of one file.
func parseSection(ch *Change, section string, tooBig bool) File {
	if tooBig {
		// The header is whole even where the content was cut.
		if i := strings.Index(section, "\n@@ "); i >= 0 {
			section = section[:i+1]
		}
	}
	files, _, err := gitdiff.Parse(&lineReader{parts: [2]string{section}})
	if err != nil || len(files) != 1 {
		name, _, _ := strings.Cut(strings.TrimPrefix(section, "diff --git "), "\n")
		f := File{Path: guessName(name), Status: Modified}
		ch.unread(&f, ReasonCorrupt, "the diff of it cannot be parsed")
		return f
	}
	d := files[0]
	f := File{Path: d.NewName, Status: Modified, Score: d.Score, OldMode: modeText(d.OldMode), NewMode: modeText(d.NewMode),
		OldBlob: d.OldOIDPrefix, NewBlob: d.NewOIDPrefix}
	switch {
	case d.IsNew:
		f.Status, f.OldBlob, f.OldMode = Added, "", ""
	case d.IsDelete:
		f.Status, f.Path, f.NewBlob, f.NewMode = Deleted, d.OldName, "", ""
	case d.IsRename:
		f.Status, f.OldPath = Renamed, d.OldName
	case d.IsCopy:
		f.Status, f.OldPath = Copied, d.OldName
	}
	switch {
	case tooBig:
		ch.unread(&f, ReasonOversized, "too large a diff")
	case d.IsBinary:
		ch.unread(&f, ReasonBinary, "binary content")
	case f.submodule():
		ch.unread(&f, ReasonSubmodule, "the content is in another repository")
	default:
		f.addFragments(ch, d.TextFragments)
	}
	f.name()
	return f
}

// guessName takes the new name out of a header that could not be parsed.
func guessName(header string) string {
	if i := strings.LastIndex(header, " b/"); i >= 0 {
		return header[i+3:]
	}
	return header
}

// modeText writes a mode as git does; gitdiff puts git's octal digits into
// FileMode as they are, and 0 where the header has none.
func modeText(m os.FileMode) string {
	if m == 0 {
		return ""
	}
	return fmt.Sprintf("%06o", uint32(m))
}

// name finds kind and language by the path alone.
func (f *File) name() {
	switch {
	case lang.IsVendored(f.Path):
		f.Kind = lang.Vendored
	case lang.IsGenerated(f.Path, nil):
		f.Kind = lang.Generated
	default:
		f.Kind = lang.KindOf(f.Path)
	}
	if l := lang.ByPath(f.Path, nil); l != nil {
		f.Language = l.Name()
	}
}

// ParseHunks reads the hunks of one file ("@@ ... @@" and what follows, the form
// of a GitHub file's "patch") into f, whose names the caller has set. The line
// end at the end of patch may be missing. A patch that is cut off is an error,
// and f is left as it was.
func (f *File) ParseHunks(patch string) error {
	if !strings.HasSuffix(patch, "\n") {
		patch += "\n"
	}
	fragments, err := parseFragments(patch)
	if err != nil {
		return fmt.Errorf("the patch of %q: %w", f.Path, err)
	}
	if len(fragments) == 0 {
		return fmt.Errorf("the patch of %q has no hunk", f.Path)
	}
	part := &Change{}
	f.addFragments(part, fragments)
	f.name()
	return nil
}

// addFragments takes hunks without images: each side of a hunk is classified as
// if it were a file.
func (f *File) addFragments(ch *Change, fragments []*gitdiff.TextFragment) {
	before := f.Path
	if f.OldPath != "" {
		before = f.OldPath
	}
	newLang, oldLang := lang.ByPath(f.Path, nil), lang.ByPath(before, nil)
	f.Added, f.Removed, f.Hunks = 0, 0, nil
	for _, frag := range fragments {
		one := []*gitdiff.TextFragment{frag}
		old, new := images(one)
		if lfsPointer(old) || lfsPointer(new) {
			ch.unread(f, ReasonLFS, "the content is in Git LFS")
			return
		}
		var oldClass, newClass []lang.LineClass
		if oldLang != nil && len(old) > 0 {
			oldClass = oldLang.Classify(old)
		}
		if newLang != nil && len(new) > 0 {
			newClass = newLang.Classify(new)
		}
		f.Added += int(frag.LinesAdded)
		f.Removed += int(frag.LinesDeleted)
		hunks := carve(frag)
		classify(hunks, oldClass, newClass, max(int(frag.OldPosition), 1), max(int(frag.NewPosition), 1))
		f.Hunks = append(f.Hunks, hunks...)
	}
	ch.redacted(f)
}

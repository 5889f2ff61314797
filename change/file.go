package change

import (
	"bytes"
	"io"
	"strings"

	"github.com/bluekeyes/go-gitdiff/gitdiff"

	"github.com/saysolint/sayso/internal/git"
	"github.com/saysolint/sayso/internal/lang"
)

// newFile is a file of which only the names, modes and objects are known.
func (r *Reader) newFile(e git.RawEntry) File {
	f := File{Path: e.Path, Status: Status(e.Status), Score: e.Score}
	if e.OldPath != e.Path {
		f.OldPath = e.OldPath
	}
	f.OldMode, f.OldBlob = side(e.OldMode, e.OldBlob)
	f.NewMode, f.NewBlob = side(e.NewMode, e.NewBlob)
	f.Kind = r.kind(e.Path, nil)
	if l := lang.ByPath(f.Path, nil); l != nil {
		f.Language = l.Name()
	}
	return f
}

// side is "" for what git writes as zeros: no file, or an object that has no
// name yet (in the work tree).
func side(mode, blob string) (string, string) {
	if strings.Trim(mode, "0") == "" {
		mode = ""
	}
	if strings.Trim(blob, "0") == "" {
		blob = ""
	}
	return mode, blob
}

const gitlink = "160000"

func (f *File) submodule() bool { return f.OldMode == gitlink || f.NewMode == gitlink }

func (r *Reader) kind(path string, head []byte) lang.Kind {
	generated, vendored, own := lang.IsGenerated(path, head), lang.IsVendored(path), false
	if r.Attributes != nil {
		g, v := r.Attributes(path)
		generated, vendored, own = g.or(generated), v.or(vendored), g == No || v == No
	}
	switch {
	case vendored:
		return lang.Vendored
	case generated:
		return lang.Generated
	case own:
		return lang.OwnKindOf(path)
	}
	return lang.KindOf(path)
}

// fill reads one section of a patch, without its first line, into a file. A
// type change has two sections; again says that this is the second.
func (r *Reader) fill(ch *Change, f *File, section string, again bool) error {
	if f.submodule() {
		ch.unread(f, ReasonSubmodule, "the content is in another repository")
		return nil
	}
	body := ""
	for rest := section; rest != ""; {
		line, more, _ := strings.Cut(rest, "\n")
		if strings.HasPrefix(line, "@@ ") {
			body = rest
			break
		}
		if strings.HasPrefix(line, "Binary files ") {
			f.Unread = ReasonBinary // settle finds out whether it is, and adds the gap
			return nil
		}
		rest = more
	}
	if body == "" {
		if !again { // an empty file, or only names or modes changed
			f.ImagesRead = f.OldBlob == "" || f.NewBlob == ""
		}
		return nil
	}
	fragments, err := parseFragments(body)
	if err != nil {
		return err
	}
	r.take(ch, f, fragments)
	return nil
}

// plainHeader stands in for git's own, whose names are known already and need
// not be parsed.
const plainHeader = "diff --git a/f b/f\n--- a/f\n+++ b/f\n"

func parseFragments(body string) ([]*gitdiff.TextFragment, error) {
	files, _, err := gitdiff.Parse(&lineReader{parts: [2]string{plainHeader, body}})
	if err != nil || len(files) == 0 {
		return nil, err
	}
	return files[0].TextFragments, nil
}

// lineReader hands out lines that share the memory of the text.
type lineReader struct{ parts [2]string }

func (l *lineReader) ReadString(delim byte) (string, error) {
	if l.parts[0] == "" {
		l.parts[0], l.parts[1] = l.parts[1], ""
	}
	text := l.parts[0]
	i := strings.IndexByte(text, delim)
	if i < 0 {
		l.parts[0] = ""
		return text, io.EOF
	}
	l.parts[0] = text[i+1:]
	return text[:i+1], nil
}

func (l *lineReader) Read(b []byte) (int, error) {
	if l.parts[0] == "" {
		l.parts[0], l.parts[1] = l.parts[1], ""
	}
	if l.parts[0] == "" {
		return 0, io.EOF
	}
	n := copy(b, l.parts[0])
	l.parts[0] = l.parts[0][n:]
	return n, nil
}

// take turns fragments that hold a whole file into images, hunks, counts,
// classes and definitions.
func (r *Reader) take(ch *Change, f *File, fragments []*gitdiff.TextFragment) {
	old, new := images(fragments)
	if lfsPointer(old) || lfsPointer(new) {
		ch.unread(f, ReasonLFS, "the content is in Git LFS")
		return
	}
	for _, frag := range fragments {
		f.Added += int(frag.LinesAdded)
		f.Removed += int(frag.LinesDeleted)
		f.Hunks = append(f.Hunks, carve(frag)...)
	}
	if old != nil { // the second section of a type change has one side only
		f.Old = old
	}
	if new != nil {
		f.New = new
	}
	f.ImagesRead = true
	ch.redacted(f)
	r.study(f)
}

// study finds kind, classes and definitions from the images, and drops images
// that are too large to keep.
func (r *Reader) study(f *File) {
	before := f.Path
	if f.OldPath != "" {
		before = f.OldPath
	}
	image := f.New
	if f.Status == Deleted {
		image = f.Old
	}
	f.Kind = r.kind(f.Path, head(image))
	newLang, oldLang := lang.ByPath(f.Path, head(f.New)), lang.ByPath(before, head(f.Old))
	if f.Status == Deleted {
		newLang = oldLang
	}
	if newLang != nil {
		f.Language = newLang.Name()
	}
	limit := r.limits.FileBytes
	fits := int64(len(f.Old)) <= limit && int64(len(f.New)) <= limit
	var oldClass, newClass []lang.LineClass
	if fits {
		oldClass, f.OldDefs = r.studies.of(f.OldBlob, oldLang, f.Old)
		newClass, f.NewDefs = r.studies.of(f.NewBlob, newLang, f.New)
	}
	classify(f.Hunks, oldClass, newClass, 1, 1)
	if !fits {
		f.Old, f.New, f.ImagesRead = nil, nil, false
	}
}

// classify gives each line its class. The class of the line with number oldFrom
// is oldClass[0], and so on; a line of which nothing is known is code or blank.
func classify(hunks []Hunk, oldClass, newClass []lang.LineClass, oldFrom, newFrom int) {
	for i := range hunks {
		for k := range hunks[i].Lines {
			l := &hunks[i].Lines[k]
			switch o, n := l.Old-oldFrom, l.New-newFrom; {
			case l.New > 0 && n >= 0 && n < len(newClass):
				l.Class = newClass[n]
			case l.New == 0 && o >= 0 && o < len(oldClass):
				l.Class = oldClass[o]
			case strings.TrimSpace(l.Text) == "":
				l.Class = lang.Blank
			default:
				l.Class = lang.Code
			}
		}
	}
}

// studies remembers what was found in the images of late: the old image of a
// file is most often the new one of the commit before. Its values are shared
// between changes and must not be written to.
type studies struct {
	known map[string]study
	order []string // names in the order they came, to forget the oldest
}

type study struct {
	classes []lang.LineClass
	defs    []lang.Def
}

const studiesMost, studyBytes = 256, 256 << 10

func (s *studies) of(blob string, l *lang.Language, image []byte) ([]lang.LineClass, []lang.Def) {
	if l == nil || len(image) == 0 {
		return nil, nil
	}
	key := blob + " " + l.Name()
	if found, ok := s.known[key]; ok {
		return found.classes, found.defs
	}
	made := study{l.Classify(image), l.Defs(image)}
	if blob != "" && len(image) <= studyBytes {
		if s.known == nil {
			s.known = map[string]study{}
		}
		if len(s.order) >= studiesMost {
			delete(s.known, s.order[0])
			s.order = s.order[1:]
		}
		s.known[key] = made
		s.order = append(s.order, key)
	}
	return made.classes, made.defs
}

func head(image []byte) []byte { return image[:min(len(image), 4096)] }

// lfsPointer recognises the text that stands for a file kept in Git LFS.
func lfsPointer(image []byte) bool {
	return len(image) < 1024 && bytes.HasPrefix(image, []byte("version https://git-lfs.github.com/spec/"))
}

// images puts both sides of a file together; nil where a side has no line.
func images(fragments []*gitdiff.TextFragment) (old, new []byte) {
	var before, after int
	for _, frag := range fragments {
		for _, l := range frag.Lines {
			if l.Op != gitdiff.OpAdd {
				before += len(l.Line)
			}
			if l.Op != gitdiff.OpDelete {
				after += len(l.Line)
			}
		}
	}
	if before > 0 {
		old = make([]byte, 0, before)
	}
	if after > 0 {
		new = make([]byte, 0, after)
	}
	for _, frag := range fragments {
		for _, l := range frag.Lines {
			if l.Op != gitdiff.OpAdd {
				old = append(old, l.Line...)
			}
			if l.Op != gitdiff.OpDelete {
				new = append(new, l.Line...)
			}
		}
	}
	return old, new
}

// around is how many unchanged lines are kept on either side of a change.
const around = 3

// carve cuts a fragment with any amount of context into hunks with a little.
func carve(frag *gitdiff.TextFragment) []Hunk {
	var hunks []Hunk
	lines := frag.Lines
	oldNo, newNo := max(int(frag.OldPosition), 1), max(int(frag.NewPosition), 1)
	at := 0 // oldNo and newNo are the numbers of lines[at]
	for i := 0; i < len(lines); {
		for i < len(lines) && lines[i].Op == gitdiff.OpContext {
			i++
		}
		if i == len(lines) {
			break
		}
		from, to := max(i-around, at), i // to is one past the last changed line
		for k := i; k < len(lines) && k-to <= 2*around; k++ {
			if lines[k].Op != gitdiff.OpContext {
				to = k + 1
			}
		}
		end := min(to+around, len(lines))
		oldNo, newNo = oldNo+from-at, newNo+from-at // only context lies between
		h := Hunk{OldStart: oldNo, NewStart: newNo, Lines: make([]Line, 0, end-from)}
		for _, l := range lines[from:end] {
			line := Line{Text: strings.TrimSuffix(l.Line, "\n")}
			switch l.Op {
			case gitdiff.OpAdd:
				line.Op, line.New = '+', newNo
				newNo++
			case gitdiff.OpDelete:
				line.Op, line.Old = '-', oldNo
				oldNo++
			default:
				line.Op, line.Old, line.New = ' ', oldNo, newNo
				oldNo, newNo = oldNo+1, newNo+1
			}
			h.Lines = append(h.Lines, line)
		}
		hunks = append(hunks, h)
		at, i = end, end
	}
	return hunks
}

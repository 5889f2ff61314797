package change

import (
	"bytes"
	"iter"
	"strings"

	"github.com/saysolint/sayso/internal/lang"
	"github.com/saysolint/sayso/internal/text"
)

// Facts is what the checks ask a change for, worked out once: which names,
// words and numbers stand on which side of the diff, how many real lines of code
// changed, which definitions enclose the edits. Build it with NewFacts. It is
// read-only afterwards and safe for concurrent use.
type Facts struct {
	Change *Change

	// Complete is false where some text of the change could not be read: then
	// nothing may be concluded from absence.
	Complete bool
	// Lines that are not blank, over all files.
	AddedLines, RemovedLines int
	// Code counts the changed lines of real code (not comment, not prose, not
	// blank) by kind of file; lines that only moved or changed their white space are left out.
	Code map[lang.Kind]int
	// CodeAt is the first such line of each kind.
	CodeAt map[lang.Kind]At
	// Comments counts the changed lines of nothing but comment or prose in code files.
	Comments int
	// Kinds counts the touched files by kind.
	Kinds map[lang.Kind]int
	// Pairs are lines that were replaced by another one.
	Pairs []Pair
	// Digests says that a line with a 40- or 64-digit hexadecimal pin was added.
	Digests bool
	// Enclosing are the names of the definitions whose extent holds an edit, of both images.
	Enclosing map[string]At

	names    map[string]*Count // identifiers as they stand
	folded   map[string]*Count // identifiers in lower case
	stems    map[string]*Count // stems of the words in identifiers and prose
	numbers  map[string]*Count // "12", "1.2.3"; not inside longer hexadecimal words
	pathStem map[string]bool
	joined   []byte // every changed and context line and path, letters and digits only, one line each
}

// Count is how often something stands on the lines of a change.
type Count struct {
	Added, Removed, Context int
	AddedAt, RemovedAt      At // first place
}

// Net is Added less Removed.
func (c *Count) Net() int { return c.Added - c.Removed }

// At is a place in a change: the index of the file and the line.
type At struct {
	File int
	Line *Line // nil where the whole file is meant
}

// Pair is a removed line and the added line that stands in for it.
type Pair struct {
	File     int
	Old, New *Line
}

const (
	maxLineBytes = 2000  // longer lines are minified: their words say nothing
	maxFactLines = 60000 // beyond that the change is not Complete
)

// NewFacts works out the facts of a change. Cost is linear in its changed lines and their context.
func NewFacts(c *Change) *Facts {
	f := &Facts{
		Change: c, Complete: true,
		Code: map[lang.Kind]int{}, CodeAt: map[lang.Kind]At{}, Kinds: map[lang.Kind]int{},
		Enclosing: map[string]At{},
		names:     map[string]*Count{}, folded: map[string]*Count{}, stems: map[string]*Count{}, numbers: map[string]*Count{}, pathStem: map[string]bool{},
	}
	b := &builder{f: f, stemsOf: map[string][]string{}}
	for i := range c.Files {
		b.ranks = append(b.ranks, rank(c.Files[i].Kind))
	}
	for _, g := range c.Gaps {
		switch g.Reason {
		case ReasonBinary, ReasonLFS, ReasonSubmodule, ReasonMerge:
		default:
			f.Complete = false
		}
	}
	total := 0
	for i := range c.Files {
		file := &c.Files[i]
		f.Kinds[file.Kind]++
		b.path(file.Path)
		if file.OldPath != "" && file.OldPath != file.Path {
			b.path(file.OldPath)
		}
		for _, h := range file.Hunks {
			total += len(h.Lines)
			if total > maxFactLines {
				f.Complete = false
				break
			}
			b.hunk(i, file, h)
		}
		b.enclosing(i, file)
	}
	b.code()
	return f
}

// Name is the count of an identifier as it stands, zero where it does not occur.
func (f *Facts) Name(name string) Count { return value(f.names[name]) }

// Folded is the count of an identifier without regard to case.
func (f *Facts) Folded(name string) Count { return value(f.folded[strings.ToLower(name)]) }

// Stem is the count of a stem (text.Stem).
func (f *Facts) Stem(stem string) Count { return value(f.stems[stem]) }

// Number is the count of a number or dotted version as it stands.
func (f *Facts) Number(n string) Count { return value(f.numbers[n]) }

func value(c *Count) Count {
	if c == nil {
		return Count{}
	}
	return *c
}

// EachNumber calls fn for every number of the change, in no order.
func (f *Facts) EachNumber(fn func(n string, c *Count)) {
	for n, c := range f.numbers {
		fn(n, c)
	}
}

// EachName calls fn for every identifier of the change, in no order.
func (f *Facts) EachName(fn func(name string, c *Count)) {
	for n, c := range f.names {
		fn(n, c)
	}
}

// PathStem says whether a touched path has a word with this stem.
func (f *Facts) PathStem(stem string) bool { return f.pathStem[stem] }

// Covers is the count of a version: as it stands, as a dotted prefix ("1.16" is
// covered by "1.16.2"), and without a trailing ".0".
func (f *Facts) Covers(v string) Count {
	if c, ok := f.numbers[v]; ok {
		return *c
	}
	if t := strings.TrimSuffix(v, ".0"); t != v {
		if c, ok := f.numbers[t]; ok {
			return *c
		}
	}
	var sum Count
	for n, c := range f.numbers {
		if strings.HasPrefix(n, v+".") {
			if sum.Added == 0 {
				sum.AddedAt = c.AddedAt
			}
			if sum.Removed == 0 {
				sum.RemovedAt = c.RemovedAt
			}
			sum.Added += c.Added
			sum.Removed += c.Removed
			sum.Context += c.Context
		}
	}
	return sum
}

// InDiff says whether the letters and digits of s, in any case, stand next to
// each other on one line of the diff or in a path. It is lenient on purpose: "foo bar" meets fooBar.
func (f *Facts) InDiff(s string) bool {
	q := squeeze(nil, s)
	return len(q) > 0 && bytes.Contains(f.joined, q)
}

// InFiles says whether s stands as a whole word, case kept, anywhere in the
// images of the touched files, off the changed lines as well.
func (f *Facts) InFiles(s string) bool {
	if s == "" {
		return false
	}
	q := []byte(s)
	for i := range f.Change.Files {
		if hasWord(f.Change.Files[i].New, q) || hasWord(f.Change.Files[i].Old, q) {
			return true
		}
	}
	return false
}

// InOldFiles is InFiles for the images before the change.
func (f *Facts) InOldFiles(s string) bool {
	q := []byte(s)
	for i := range f.Change.Files {
		if s != "" && hasWord(f.Change.Files[i].Old, q) {
			return true
		}
	}
	return false
}

// InNewFiles is InFiles for the images after the change.
func (f *Facts) InNewFiles(s string) bool {
	q := []byte(s)
	for i := range f.Change.Files {
		if s != "" && hasWord(f.Change.Files[i].New, q) {
			return true
		}
	}
	return false
}

// Path is the path that At lies in.
func (f *Facts) Path(a At) string {
	if a.File < 0 || a.File >= len(f.Change.Files) {
		return ""
	}
	return f.Change.Files[a.File].Path
}

func hasWord(b, q []byte) bool {
	for at := 0; ; {
		i := bytes.Index(b[at:], q)
		if i < 0 {
			return false
		}
		i += at
		j := i + len(q)
		if (i == 0 || !identByte(b[i-1])) && (j == len(b) || !identByte(b[j])) {
			return true
		}
		at = i + 1
	}
}

func identByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '$' || c >= 0x80
}

func squeeze(dst []byte, s string) []byte {
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c >= 'A' && c <= 'Z':
			dst = append(dst, c+32)
		case c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c >= 0x80:
			dst = append(dst, c)
		}
	}
	return dst
}

type builder struct {
	f       *Facts
	stemsOf map[string][]string // of one identifier
	ranks   []int               // of each file: how good a place it is to show
}

// rank prefers program code to tests and both to prose as the place that stands for a name.
func rank(k lang.Kind) int {
	switch k {
	case lang.Source:
		return 3
	case lang.Build, lang.CI, lang.Config, lang.Template:
		return 2
	case lang.Test, lang.Bench, lang.Example:
		return 1
	}
	return 0
}

// better says whether a is a better place to show than the one that is kept.
func (b *builder) better(a, kept At) bool {
	if kept.Line == nil {
		return true
	}
	ra, rk := 2*b.ranks[a.File], 2*b.ranks[kept.File]
	if a.Line.Class == lang.Code {
		ra++
	}
	if kept.Line.Class == lang.Code {
		rk++
	}
	return ra > rk
}

func (b *builder) path(p string) {
	b.f.joined = append(squeeze(b.f.joined, p), '\n')
	for _, s := range b.stemList(p) {
		b.f.pathStem[s] = true
	}
	// Directory and file names count whole as well ("next.js" is the word nextjs).
	text.EachWord(p, func(w string) { b.f.pathStem[text.Stem(w)] = true })
}

func (b *builder) stemList(id string) []string {
	if s, ok := b.stemsOf[id]; ok {
		return s
	}
	var out []string
	text.EachWord(id, func(w string) { out = append(out, text.Stem(w)) })
	if len(out) > 1 {
		if whole := text.Stem(strings.ToLower(strings.Map(letterOrDigit, id))); whole != "" {
			out = append(out, whole)
		}
	}
	b.stemsOf[id] = out
	return out
}

func letterOrDigit(r rune) rune {
	if r == '_' || r == '$' || r == '-' {
		return -1
	}
	return r
}

func (b *builder) hunk(i int, file *File, h Hunk) {
	f := b.f
	lines := h.Lines
	for k := range lines {
		l := &lines[k]
		t := l.Text
		if len(t) > maxLineBytes {
			t = t[:maxLineBytes]
		}
		if l.Op != ' ' && strings.TrimSpace(t) != "" {
			if l.Op == '+' {
				f.AddedLines++
			} else {
				f.RemovedLines++
			}
			if l.Class != lang.Code && l.Class != lang.Blank && (file.Kind == lang.Source || file.Kind == lang.Test) {
				f.Comments++
			}
		}
		at := At{File: i, Line: l}
		b.words(t, l.Op, at)
		b.digits(t, l.Op, at)
		f.joined = append(squeeze(f.joined, t), '\n')
	}
	for removed, added := range Replaced(lines) {
		if len(f.Pairs) < 400 {
			b.pair(i, removed, added)
		}
	}
}

// Replaced goes over the runs of removed lines, each with the run of added lines
// that follows it at once (empty where nothing does).
func Replaced(lines []Line) iter.Seq2[[]Line, []Line] {
	return func(yield func(removed, added []Line) bool) {
		for k := 0; k < len(lines); {
			if lines[k].Op != '-' {
				k++
				continue
			}
			r := k
			for r < len(lines) && lines[r].Op == '-' {
				r++
			}
			a := r
			for a < len(lines) && lines[a].Op == '+' {
				a++
			}
			if !yield(lines[k:r], lines[r:a]) {
				return
			}
			k = a
		}
	}
}

// pair matches removed with added lines of one run: in order where they are
// equally many, else each removed line with the most similar added one behind the last match.
func (b *builder) pair(i int, old, new []Line) {
	if len(old) == 0 || len(new) == 0 {
		return
	}
	if len(old) == len(new) {
		for k := range old {
			b.f.Pairs = append(b.f.Pairs, Pair{i, &old[k], &new[k]})
		}
		return
	}
	if len(old)*len(new) > 400 {
		return
	}
	next := 0
	for k := range old {
		best, at := 0.5, -1
		for m := next; m < len(new); m++ {
			if s := similarity(old[k].Text, new[m].Text); s > best {
				best, at = s, m
			}
		}
		if at >= 0 {
			b.f.Pairs = append(b.f.Pairs, Pair{i, &old[k], &new[at]})
			next = at + 1
		}
	}
}

// similarity is the share of the longer line that common head and tail cover.
func similarity(a, b string) float64 {
	a, b = strings.TrimSpace(a), strings.TrimSpace(b)
	n := min(len(a), len(b))
	m := max(len(a), len(b))
	if m == 0 {
		return 0
	}
	h := 0
	for h < n && a[h] == b[h] {
		h++
	}
	t := 0
	for t < n-h && a[len(a)-1-t] == b[len(b)-1-t] {
		t++
	}
	return float64(h+t) / float64(m)
}

func (b *builder) count(m map[string]*Count, key string, op byte, at At) {
	c := m[key]
	if c == nil {
		c = &Count{}
		m[key] = c
	}
	switch op {
	case '+':
		if b.better(at, c.AddedAt) {
			c.AddedAt = at
		}
		c.Added++
	case '-':
		if b.better(at, c.RemovedAt) {
			c.RemovedAt = at
		}
		c.Removed++
	default:
		c.Context++
	}
}

func (b *builder) words(t string, op byte, at At) {
	for i := 0; i < len(t); {
		c := t[i]
		if !identByte(c) || c >= '0' && c <= '9' {
			if c >= '0' && c <= '9' { // skip a number with its letters
				for i < len(t) && identByte(t[i]) {
					i++
				}
				continue
			}
			i++
			continue
		}
		j := i
		for j < len(t) && identByte(t[j]) {
			j++
		}
		id := t[i:j]
		i = j
		if len(id) > 120 {
			continue
		}
		b.count(b.f.names, id, op, at)
		b.count(b.f.folded, strings.ToLower(id), op, at)
		for _, s := range b.stemList(id) {
			b.count(b.f.stems, s, op, at)
		}
	}
}

func (b *builder) digits(t string, op byte, at At) {
	for i := 0; i < len(t); {
		c := t[i]
		if c < '0' || c > '9' {
			i++
			continue
		}
		// The run of letters and digits around it decides whether it is hexadecimal.
		s := i
		for s > 0 && (identByte(t[s-1]) && t[s-1] < 0x80 && t[s-1] != '_' && t[s-1] != '$') {
			s--
		}
		e := i
		for e < len(t) && identByte(t[e]) && t[e] < 0x80 && t[e] != '_' && t[e] != '$' {
			e++
		}
		if e-s >= 20 {
			if (e-s == 40 || e-s == 64) && hexRun(t[s:e]) && op == '+' {
				b.f.Digests = true
			}
			i = e
			continue
		}
		j := i
		for j < len(t) && t[j] >= '0' && t[j] <= '9' {
			j++
		}
		first := j
		for j+1 < len(t) && t[j] == '.' && t[j+1] >= '0' && t[j+1] <= '9' {
			j++
			for j < len(t) && t[j] >= '0' && t[j] <= '9' {
				j++
			}
		}
		n := t[i:j]
		// 1_000 and 1,000 are the number 1000 as well.
		k := j
		if first == j {
			var joined []byte
			for k+1 < len(t) && (t[k] == '_' || t[k] == ',') && k+3 < len(t) && isDigits(t[k+1:k+4]) && (k+4 == len(t) || t[k+4] < '0' || t[k+4] > '9') {
				if joined == nil {
					joined = append(joined, n...)
				}
				joined = append(joined, t[k+1:k+4]...)
				k += 4
			}
			if joined != nil {
				b.count(b.f.numbers, string(joined), op, at)
				if t[j] == '_' || at.Line.Class == lang.Comment {
					i = k // one number; in code a comma may part two
					continue
				}
			}
		}
		if len(n) < 32 && !(i > 0 && t[i-1] == '.' && i > 1 && t[i-2] >= '0' && t[i-2] <= '9') {
			b.count(b.f.numbers, n, op, at)
		}
		i = j
	}
}

func isDigits(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

func hexRun(s string) bool {
	for i := 0; i < len(s); i++ {
		c := s[i]
		if !(c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F') {
			return false
		}
	}
	return true
}

// enclosing collects the definitions around each edit, from both images, and
// the one that begins right below a changed comment or attribute.
func (b *builder) enclosing(i int, file *File) {
	if len(file.OldDefs) == 0 && len(file.NewDefs) == 0 {
		return
	}
	mark := func(defs []lang.Def, line int, l *Line) {
		for k := range defs {
			d := &defs[k]
			if d.Line > line+12 {
				break
			}
			if d.Line <= line && line <= d.End || d.Line > line && d.Line <= line+6 && l.Class != lang.Code {
				for _, n := range [...]string{d.Name, d.Qualified} {
					if n != "" {
						if _, ok := b.f.Enclosing[n]; !ok {
							b.f.Enclosing[n] = At{File: i, Line: l}
						}
					}
				}
			}
		}
	}
	edits := 0
	for _, h := range file.Hunks {
		for k := range h.Lines {
			l := &h.Lines[k]
			if l.Op == ' ' {
				continue
			}
			edits++
			if edits > 2000 {
				return
			}
			if l.Op == '+' {
				mark(file.NewDefs, l.New, l)
			} else {
				mark(file.OldDefs, l.Old, l)
			}
		}
	}
}

// code counts changed lines of code that did more than move or change their white space.
func (b *builder) code() {
	f := b.f
	type key struct {
		text string
	}
	moved := map[key]int{}
	eachCode := func(fn func(i int, file *File, l *Line, k key)) {
		for i := range f.Change.Files {
			file := &f.Change.Files[i]
			for _, h := range file.Hunks {
				for m := range h.Lines {
					l := &h.Lines[m]
					if l.Op == ' ' || l.Class != lang.Code {
						continue
					}
					fn(i, file, l, key{string(packSpace(l.Text))})
				}
			}
		}
	}
	eachCode(func(_ int, _ *File, l *Line, k key) {
		if l.Op == '+' {
			moved[k]++
		}
	})
	pairs := map[key]int{}
	eachCode(func(_ int, _ *File, l *Line, k key) {
		if l.Op == '-' && moved[k] > 0 {
			moved[k]--
			pairs[k]++
		}
	})
	left := map[key]int{}
	for k, n := range pairs {
		left[k] = 2 * n
	}
	eachCode(func(i int, file *File, l *Line, k key) {
		if left[k] > 0 {
			left[k]--
			return
		}
		if len(k.text) == 0 {
			return
		}
		f.Code[file.Kind]++
		if _, ok := f.CodeAt[file.Kind]; !ok {
			f.CodeAt[file.Kind] = At{File: i, Line: l}
		}
	})
}

// packSpace is a line without any white space.
func packSpace(s string) []byte {
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if c := s[i]; c != ' ' && c != '\t' && c != '\r' {
			out = append(out, c)
		}
	}
	return out
}

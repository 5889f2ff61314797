package sweep

import (
	"cmp"
	"context"
	"path"
	"runtime"
	"slices"
	"strings"

	"github.com/sourcegraph/conc/pool"
)

const (
	minWeight  = 6  // letters and digits of a line that says something
	minPassage = 20 // of a passage that is looked for in other files
	perPassage = 8  // lines of a passage that the tree is searched for
	perFile    = 24 // lines of a file whose path is gone
	mostLines  = 0.6
	maxTargets = 40 // targets that may share a line: one that more have says nothing
)

// placeAll looks for the anchors in the files of the same path. Those that cite
// one version of one file are placed together.
func (s *sweeper) placeAll(ctx context.Context, anchors []*anchor, names [][]named) error {
	type key struct{ blob, path string }
	groups := map[key][]*anchor{}
	var order []key
	for _, a := range anchors {
		if a.blob == "" || a.out.State != "" {
			continue
		}
		f, ok := s.files[a.ref.Path]
		if ok && s.tree[f].Object == a.blob {
			s.stay(a)
			continue
		}
		k := key{a.blob, a.ref.Path}
		if groups[k] == nil {
			order = append(order, k)
		}
		groups[k] = append(groups[k], a)
	}
	p := pool.New().WithContext(ctx).WithCancelOnError().WithMaxGoroutines(max(1, runtime.GOMAXPROCS(0)))
	for _, k := range order {
		p.Go(func(ctx context.Context) error { return s.placeGroup(ctx, k.blob, k.path, groups[k], names) })
	}
	return p.Wait()
}

// stay says that the file of an anchor is what it was.
func (s *sweeper) stay(a *anchor) {
	a.out.State, a.out.Via, a.out.Similarity = Intact, viaSame, 1
	a.out.Path, a.out.LineStart, a.out.LineEnd = a.ref.Path, a.ref.LineStart, a.ref.LineEnd
}

// cited are the files that stayed as they were and of which lines are cited.
func (s *sweeper) cited(anchors []*anchor) map[int]int {
	out := map[int]int{}
	for _, a := range anchors {
		if a.out.Via == viaSame && !a.whole() && a.out.State == Intact {
			out[s.files[a.out.Path]] = -1
		}
	}
	return out
}

// tooShort finds references to lines that such a file never had.
func (s *sweeper) tooShort(anchors []*anchor, counts map[int]int) {
	for _, a := range anchors {
		if a.out.Via != viaSame || a.whole() || a.out.State != Intact {
			continue
		}
		if n := counts[s.files[a.out.Path]]; n >= 0 && a.from >= n {
			a.out = Anchor{Ref: a.ref, Base: a.out.Base}
			a.unread("the file did not have the lines that it cites")
			a.invalid = true
		}
	}
}

func (s *sweeper) placeGroup(ctx context.Context, blob, path string, anchors []*anchor, names [][]named) error {
	old, err := s.doc(ctx, blob)
	if err != nil {
		return err
	}
	if old == nil {
		for _, a := range anchors {
			a.unread("the file that it cites is no text, larger than 2 MiB, or not in this clone")
		}
		return nil
	}
	f, there := s.files[path]
	var now *doc
	var m []int
	if there {
		if now, err = s.doc(ctx, s.tree[f].Object); err != nil {
			return err
		}
		if now != nil {
			m = align(old.loose, now.loose)
		}
	}
	for _, a := range anchors {
		if !a.whole() {
			if a.from >= old.len() {
				a.unread("the file did not have the lines that it cites")
				a.invalid = true
				continue
			}
			a.to = min(a.to, old.len())
		}
		s.whatItSays(a, old, names[a.entry])
		switch {
		case now != nil && a.whole():
			a.out.State, a.out.Via, a.out.Path = Drifted, viaFuzzy, path
			a.out.Similarity = shared(old, now)
			a.lacks(now.text)
		case now != nil:
			p := placeIn(old, now, a.from, a.to, m, false)
			if p.via == viaExact || p.via == viaSpace {
				s.found(a, path, old, now, p)
			} else {
				a.rough = p
			}
		case there:
			a.unread("the file is no text any more, or larger than 2 MiB")
		default:
			s.sameElsewhere(a, blob)
		}
	}
	return nil
}

// sameElsewhere looks for a file with the same content under another name.
func (s *sweeper) sameElsewhere(a *anchor, blob string) {
	all := s.blobs[blob]
	if len(all) == 0 {
		return
	}
	best := all[0]
	for _, f := range all {
		if closeness(s.tree[f].Path, a.ref.Path) > closeness(s.tree[best].Path, a.ref.Path) {
			best = f
		}
	}
	a.out.State, a.out.Via, a.out.Similarity, a.out.Path = Moved, viaSame, 1, s.tree[best].Path
	a.out.LineStart, a.out.LineEnd = a.ref.LineStart, a.ref.LineEnd
	for _, f := range all {
		if f != best && closeness(s.tree[f].Path, a.ref.Path) == closeness(s.tree[best].Path, a.ref.Path) {
			a.out.Copies++
		}
	}
}

// closeness is how alike two paths are: the name of the file counts most, then
// the folders from the end.
func closeness(a, b string) int {
	n := 0
	if path.Base(a) == path.Base(b) {
		n += 100
	}
	if path.Ext(a) == path.Ext(b) {
		n += 10
	}
	x, y := strings.Split(path.Dir(a), "/"), strings.Split(path.Dir(b), "/")
	for i := 1; i <= min(len(x), len(y)) && x[len(x)-i] == y[len(y)-i]; i++ {
		n++
	}
	for i := 0; i < min(len(x), len(y)) && x[i] == y[i]; i++ {
		n++
	}
	return n
}

// whatItSays notes which names the entry takes from the passage.
func (s *sweeper) whatItSays(a *anchor, old *doc, names []named) {
	text := old.text
	if !a.whole() {
		text = old.lines(a.from, a.to)
	}
	for _, n := range names {
		if !n.path && !n.removal && hasName(text, n.name) {
			a.said = append(a.said, n.name)
		}
	}
}

// lacks notes which of these names a later text does not have.
func (a *anchor) lacks(text []byte) {
	a.gone = nil
	for _, n := range a.said {
		if !hasName(text, n) {
			a.gone = append(a.gone, n)
		}
	}
}

// found settles an anchor of lines.
func (s *sweeper) found(a *anchor, path string, old, now *doc, p place) {
	o := &a.out
	o.Via, o.Similarity, o.Path, o.LineStart, o.LineEnd = p.via, round(p.similarity), path, p.from+1, p.to
	switch {
	case p.via == viaFuzzy:
		o.State = Drifted
		a.lacks(now.lines(p.from, p.to))
		o.Words = wordDiff(old.lines(a.from, a.to), now.lines(p.from, p.to))
	case path == a.ref.Path && p.from == a.from && p.to == a.to:
		o.State = Intact
	default:
		o.State = Moved
		if !p.certain {
			o.Copies = max(1, len(occurrences(now.loose, old.loose[a.from:a.to], 64))-1)
		}
	}
}

func round(f float64) float64 { return float64(int(f*1000+0.5)) / 1000 }

// search puts the lines of the anchors that were not found into a scan.
func (s *sweeper) search(ctx context.Context, sc *scan, anchors []*anchor) ([]*anchor, error) {
	type line struct {
		hash   uint64
		weight int
	}
	add := func(lines []line, most int) *target {
		slices.SortFunc(lines, func(x, y line) int { return cmp.Or(cmp.Compare(y.weight, x.weight), cmp.Compare(x.hash, y.hash)) })
		lines = slices.Compact(lines)
		t := &target{}
		for _, l := range lines {
			if at := sc.lines[l.hash]; t.lines < most && len(at) < maxTargets {
				sc.lines[l.hash] = append(at, int32(len(sc.targets)))
				t.lines++
			}
		}
		if t.lines == 0 {
			return nil
		}
		sc.targets = append(sc.targets, t)
		return t
	}
	linesOf := func(text []byte) (lines []line, weight int) {
		eachLine(text, func(_ int, l []byte) {
			_, loose, w := hashLine(l)
			if w >= minWeight {
				lines = append(lines, line{loose, w})
			}
			weight += w
		})
		return lines, weight
	}
	var out []*anchor
	files := map[string]*target{}
	var old *doc
	last := ""
	for _, a := range anchors {
		if a.blob == "" || a.out.State != "" {
			continue
		}
		out = append(out, a)
		if a.blob != last {
			var err error
			if old, err = s.doc(ctx, a.blob); err != nil {
				return nil, err
			}
			last = a.blob
		}
		if old == nil {
			continue
		}
		if !a.whole() {
			if lines, weight := linesOf(old.lines(a.from, a.to)); weight >= minPassage {
				a.passage = add(lines, perPassage)
			}
		}
		if _, there := s.files[a.ref.Path]; there {
			continue
		}
		if _, known := files[a.blob]; !known {
			lines, _ := linesOf(old.text)
			for i := range lines { // a sample by the numbers of the lines, not the longest
				lines[i].weight = 0
			}
			files[a.blob] = add(lines, perFile)
		}
		a.file = files[a.blob]
	}
	return out, nil
}

// candidate is a file of the tree in which a passage may be.
type candidate struct {
	file    int
	renamed bool // most of the cited file is in it
	much    bool // most lines of the passage are in it
	place   place
	doc     *doc
}

// placeSearched looks for anchors in the files that the scan found lines of them in.
func (s *sweeper) placeSearched(ctx context.Context, anchors []*anchor) error {
	p := pool.New().WithContext(ctx).WithCancelOnError().WithMaxGoroutines(max(1, runtime.GOMAXPROCS(0)))
	for _, a := range anchors {
		p.Go(func(ctx context.Context) error { return s.placeElsewhere(ctx, a) })
	}
	return p.Wait()
}

func (s *sweeper) placeElsewhere(ctx context.Context, a *anchor) error {
	old, err := s.doc(ctx, a.blob)
	if err != nil || old == nil {
		return err
	}
	var all []candidate
	add := func(t *target, share float64, renamed bool) {
		if t == nil {
			return
		}
		for _, h := range t.hits {
			if float64(h.lines) < share*float64(t.lines) || s.tree[h.file].Path == a.ref.Path {
				continue
			}
			if i := slices.IndexFunc(all, func(c candidate) bool { return c.file == h.file }); i >= 0 {
				all[i].renamed = all[i].renamed || renamed
				all[i].much = all[i].much || !renamed && float64(h.lines) >= mostLines*float64(t.lines)
			} else {
				all = append(all, candidate{file: h.file, renamed: renamed, much: !renamed && float64(h.lines) >= mostLines*float64(t.lines)})
			}
		}
	}
	add(a.file, 0.4, true)
	add(a.passage, 0.5, false)
	var exact []candidate
	var fuzzy *candidate
	for i := range all {
		c := &all[i]
		if c.doc, err = s.doc(ctx, s.tree[c.file].Object); err != nil {
			return err
		}
		if c.doc == nil || !c.renamed && holdsCode(s.tree[c.file].Path) != holdsCode(a.ref.Path) {
			continue // a document that shows code is not where the code went
		}
		had, err := s.wasThere(ctx, a, old, c)
		if err != nil {
			return err
		}
		if had {
			continue // it stood there as well when the reference was made: this is not where it went
		}
		if a.whole() {
			if sh := shared(old, c.doc); c.renamed && sh >= 0.5 && (fuzzy == nil || sh > fuzzy.place.similarity) {
				c.place = place{similarity: sh, via: viaFuzzy}
				fuzzy = c
			}
			continue
		}
		c.place = placeIn(old, c.doc, a.from, a.to, align(old.loose, c.doc.loose), !c.renamed && !c.much)
		switch {
		case c.place.via == viaExact || c.place.via == viaSpace:
			exact = append(exact, *c)
		case c.place.found() && (fuzzy == nil || c.place.similarity > fuzzy.place.similarity):
			fuzzy = c
		}
	}
	rank := func(c candidate) int {
		n := closeness(s.tree[c.file].Path, a.ref.Path)
		if c.renamed {
			n += 1000
		}
		if c.place.via == viaExact {
			n += 10000
		}
		return n
	}
	slices.SortStableFunc(exact, func(x, y candidate) int { return cmp.Or(rank(y)-rank(x), x.file-y.file) })
	switch {
	case len(exact) > 0:
		s.found(a, s.tree[exact[0].file].Path, old, exact[0].doc, exact[0].place)
		if len(exact) > 1 && rank(exact[1]) == rank(exact[0]) {
			a.out.Copies += len(exact) - 1
		}
	case a.whole() && fuzzy != nil:
		a.out.State, a.out.Via, a.out.Path, a.out.Similarity = Moved, viaFuzzy, s.tree[fuzzy.file].Path, round(fuzzy.place.similarity)
		a.lacks(fuzzy.doc.text)
	case fuzzy != nil && fuzzy.place.similarity > a.rough.similarity:
		s.found(a, s.tree[fuzzy.file].Path, old, fuzzy.doc, fuzzy.place)
	case a.rough.found():
		now, err := s.doc(ctx, s.tree[s.files[a.ref.Path]].Object)
		if err != nil {
			return err
		}
		s.found(a, a.ref.Path, old, now, a.rough)
	}
	return nil
}

// wasThere says whether a file of the tree had the cited text already at the
// commit that the anchor cites, beside the file that it cites.
func (s *sweeper) wasThere(ctx context.Context, a *anchor, old *doc, c *candidate) (bool, error) {
	if a.out.Base == "" {
		return false, nil
	}
	blob, kind, err := s.paths.at(ctx, a.out.Base, s.tree[c.file].Path)
	if err != nil || kind != "blob" {
		return false, err
	}
	if a.whole() || blob == s.tree[c.file].Object {
		return true, nil
	}
	before, err := s.doc(ctx, blob)
	if err != nil || before == nil {
		return false, err
	}
	return len(occurrences(before.loose, old.loose[a.from:a.to], 1)) > 0, nil
}

// follow looks for anchors whose path is gone where the history says that the
// file went, and gives up those that are not there either.
func (s *sweeper) follow(ctx context.Context, anchors []*anchor) error {
	var lost []*anchor
	trails := map[[2]string]*trail{}
	var list []*trail
	for _, a := range anchors {
		if a.out.State != "" {
			continue
		}
		lost = append(lost, a)
		if _, there := s.files[a.ref.Path]; there || a.out.Base == "" {
			continue
		}
		k := [2]string{a.out.Base, a.ref.Path}
		if trails[k] == nil {
			trails[k] = &trail{base: a.out.Base, path: a.ref.Path, blob: a.blob}
			list = append(list, trails[k])
		}
	}
	if len(list) > 0 {
		if _, err := s.walk(ctx, nil, list); err != nil {
			return err
		}
	}
	for _, a := range lost {
		if err := s.atTheEnd(ctx, a, trails[[2]string{a.out.Base, a.ref.Path}]); err != nil {
			return err
		}
		if a.out.State == "" {
			a.out.State, a.gone = Lost, a.said
		}
	}
	return nil
}

// atTheEnd looks for an anchor in the file at the end of its trail.
func (s *sweeper) atTheEnd(ctx context.Context, a *anchor, t *trail) error {
	if t == nil || !t.live || t.now == a.ref.Path {
		return nil
	}
	f, there := s.files[t.now]
	if !there {
		return nil
	}
	old, err := s.doc(ctx, a.blob)
	if err != nil || old == nil {
		return err
	}
	now, err := s.doc(ctx, s.tree[f].Object)
	if err != nil || now == nil {
		return err
	}
	if a.whole() {
		a.out.State, a.out.Via, a.out.Path, a.out.Similarity = Moved, viaFuzzy, t.now, round(shared(old, now))
		a.lacks(now.text)
		return nil
	}
	if p := placeIn(old, now, a.from, a.to, align(old.loose, now.loose), false); p.found() {
		s.found(a, t.now, old, now, p)
	}
	return nil
}

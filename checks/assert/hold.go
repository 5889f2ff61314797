package assert

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/saysolint/sayso/change"
	"github.com/saysolint/sayso/internal/config"
	"github.com/saysolint/sayso/internal/lang"
)

// Outcome is a rule held against a change.
type Outcome struct {
	Broken  []Hit    // what the change newly breaks, in order of path and line
	Kept    []Hit    // what it mends or brings as the rule asks
	Unread  []string // clauses: what of the change could not be looked at
	Touched bool     // a file that the rule holds in is part of the change
}

// Hold holds a rule against a change. What broke the rule before the change is not
// blamed on it, nor are lines that only moved.
func (r *Rule) Hold(c *change.Change, env Env) Outcome {
	var out Outcome
	for _, g := range c.Gaps {
		if g.Path == "" {
			out.Unread = append(out.Unread, fmt.Sprintf("the change could not be read whole (%s)", g.Reason))
			return out
		}
	}
	switch {
	case r.Subject == Path && r.Require:
		r.holdExistence(c, env, &out)
	case r.Subject == Path:
		r.holdFrozen(c, env, &out)
	default:
		r.holdContent(c, env, &out)
	}
	order := func(a, b Hit) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line))
	}
	slices.SortStableFunc(out.Broken, order)
	slices.SortStableFunc(out.Kept, order)
	slices.Sort(out.Unread)
	out.Unread = slices.Compact(out.Unread)
	return out
}

// sides are the two paths that a file has, "" where it has none.
func sides(f *change.File) (old, new string) {
	old, new = f.Path, f.Path
	if f.OldPath != "" {
		old = f.OldPath
	}
	switch f.Status {
	case change.Added, change.Copied:
		old = ""
	case change.Deleted:
		new = ""
	}
	return old, new
}

func (e Env) own(path string) bool {
	return e.Folder != "" && strings.HasPrefix(path, e.Folder+"/")
}

// holdFrozen: nothing that the path names may be added, edited or deleted.
func (r *Rule) holdFrozen(c *change.Change, env Env, out *Outcome) {
	frozen := func(what string) bool { return len(r.Change) == 0 || slices.Contains(r.Change, what) }
	named := func(f *change.File, path string) bool {
		return path != "" && !env.own(path) && config.Match(r.Name, path) && r.Covers(path, f.Kind)
	}
	for i := range c.Files {
		f := &c.Files[i]
		old, new := sides(f)
		was, is := named(f, old), named(f, new)
		out.Touched = out.Touched || was || is
		line := firstChanged(f)
		switch {
		case was && is && old == new && frozen("edit"):
			out.Broken = append(out.Broken, Hit{Path: new, Line: line.New, Text: strings.TrimSpace(line.Text), What: "is edited"})
		case was && is && old == new:
		case is && frozen("add"):
			what := "is added"
			if old != "" {
				what = "is moved there from " + old
			}
			out.Broken = append(out.Broken, Hit{Path: new, What: what})
		case was && frozen("delete"):
			what := "is deleted"
			if new != "" {
				what = "is moved to " + new
			}
			out.Broken = append(out.Broken, Hit{Path: old, What: what, Old: true})
		}
	}
}

// firstChanged is the first changed line, on the new side where there is one.
func firstChanged(f *change.File) change.Line {
	var gone change.Line
	for _, h := range f.Hunks {
		for _, l := range h.Lines {
			if l.Op == '+' {
				return l
			}
			if l.Op == '-' && gone.Old == 0 {
				gone = l
			}
		}
	}
	return change.Line{}
}

// holdExistence: what the path names must not go with the change.
func (r *Rule) holdExistence(c *change.Change, env Env, out *Outcome) {
	var gone []Hit
	for i := range c.Files {
		f := &c.Files[i]
		old, new := sides(f)
		if new != "" && config.Match(r.Name, new) {
			out.Touched = true
			if old == "" {
				out.Kept = append(out.Kept, Hit{Path: new, What: "is added"})
			}
			if f.Status != change.Modified && f.Status != change.TypeChange {
				return // something that the path names is there after the change
			}
		}
		if old == "" || old == new || !config.Match(r.Name, old) || !r.Covers(old, f.Kind) {
			continue
		}
		out.Touched = true
		what := "is deleted"
		if new != "" {
			what = "is moved to " + new
		}
		gone = append(gone, Hit{Path: old, What: what, Old: true})
	}
	if len(gone) == 0 {
		return
	}
	if !strings.ContainsAny(r.Name, "*?[{") && strings.Trim(r.Name, "/") == gone[0].Path {
		out.Broken = gone
		return
	}
	there, known := false, false
	if env.Remains != nil {
		there, known = env.Remains(r.Name)
	}
	switch {
	case !known:
		out.Unread = append(out.Unread, "whether anything is left of "+r.Name+" is not known")
	case !there:
		out.Broken = gone
	}
}

// pair is one file with what the rule finds in its two images.
type pair struct {
	file     *change.File
	old, new string // paths where the rule holds, "" where it does not
	was, is  []Hit
}

func (r *Rule) holdContent(c *change.Change, env Env, out *Outcome) {
	var pairs []pair
	for i := range c.Files {
		f := &c.Files[i]
		old, new := sides(f)
		if env.own(old) || !r.Covers(old, f.Kind) {
			old = ""
		}
		if env.own(new) || !r.Covers(new, f.Kind) {
			new = ""
		}
		if old == "" && new == "" || r.Subject == Dependency && !Manifest(old) && !Manifest(new) {
			continue
		}
		out.Touched = true
		if why, ok := r.unread(f, old, new); ok {
			if why != "" {
				out.Unread = append(out.Unread, f.Path+": "+why)
			}
			continue
		}
		p := pair{file: f, old: old, new: new}
		judged := true
		if old != "" {
			p.was, _ = r.Find(old, f.Old, env)
		}
		if new != "" {
			p.is, judged = r.Find(new, f.New, env)
		}
		if !judged && new != "" {
			if why := r.unjudged(f); why != "" {
				out.Unread = append(out.Unread, f.Path+": "+why)
			}
			continue
		}
		pairs = append(pairs, p)
	}
	if r.Require {
		r.holdRequired(pairs, out)
		return
	}
	r.holdForbidden(pairs, out)
}

// unread says that the images of a file are not there to be looked at; why is ""
// where they could not hold what the rule is about.
func (r *Rule) unread(f *change.File, old, new string) (why string, unread bool) {
	switch f.Unread {
	case "":
	case change.ReasonBinary, change.ReasonSubmodule, change.ReasonLFS:
		return "", true
	default:
		return "could not be read (" + string(f.Unread) + ")", true
	}
	needOld := old != "" && f.Old == nil && f.OldBlob != ""
	needNew := new != "" && f.New == nil
	switch {
	case f.ImagesRead || !needOld && !needNew:
		return "", false
	case len(f.Hunks) > 0:
		return "too large to be looked at whole", true
	case f.OldBlob == f.NewBlob && (old != "") == (new != ""):
		return "", true // its content is the same and stays where it was
	}
	return "its content is not at hand", true
}

// unjudged says why a file cannot answer; "" where it is no question for it.
func (r *Rule) unjudged(f *change.File) string {
	switch r.Subject {
	case Dependency:
		if touches(f, r.Name) {
			return "its dependencies or their versions cannot be told"
		}
	case Import:
		if touches(f, lastPart(r.Name)) {
			return "imports of " + f.Language + " are not understood"
		}
	case Identifier:
		if touches(f, r.last) {
			return "definitions of " + f.Language + " are not understood"
		}
	}
	return ""
}

func lastPart(s string) string {
	s = strings.TrimRight(s, "/*.:")
	return s[strings.LastIndexAny(s, "/.:*")+1:]
}

// touches: a changed line holds the word.
func touches(f *change.File, word string) bool {
	for _, h := range f.Hunks {
		for _, l := range h.Lines {
			if l.Op != ' ' && word != "" && strings.Contains(l.Text, word) {
				return true
			}
		}
	}
	return false
}

// holdForbidden: no more of it in any file than before, but for lines that moved
// there from another file that the rule holds in.
func (r *Rule) holdForbidden(pairs []pair, out *Outcome) {
	more := make([][]Hit, len(pairs))
	gone := map[string]int{} // lines, or for dependencies names, that went from somewhere
	for i, p := range pairs {
		var less []Hit
		more[i], less = r.difference(p)
		for _, h := range less {
			gone[r.moveKey(h)]++
			h.Old = true
			out.Kept = append(out.Kept, h)
		}
	}
	for _, hits := range more {
		for _, h := range hits {
			if k := r.moveKey(h); gone[k] > 0 {
				gone[k]--
				continue
			}
			out.Broken = append(out.Broken, h)
		}
	}
	if len(out.Broken) > 0 || moved(more, out.Broken) {
		out.Kept = nil
	}
}

// moved says that something only went elsewhere, so that nothing was mended.
func moved(more [][]Hit, broken []Hit) bool {
	n := 0
	for _, hits := range more {
		n += len(hits)
	}
	return n > len(broken)
}

func (r *Rule) moveKey(h Hit) string {
	if r.Subject == Dependency {
		return h.key
	}
	return h.Text
}

// difference is what of the hits of a file is new, and what is gone. Hits stand
// for each other by key; which of them are the new ones is said by the lines that the
// change adds.
func (r *Rule) difference(p pair) (more, less []Hit) {
	added, removed := changedLines(p.file)
	if r.Subject == Import && len(p.was) > 0 && len(p.is) > 0 {
		return nil, nil // the file imported it before
	}
	surplus := func(have, other []Hit, changed map[int]bool, others []Hit) []Hit {
		count := map[string]int{}
		for _, h := range have {
			count[h.key]++
		}
		for _, h := range other {
			count[h.key]--
		}
		texts := map[string]int{}
		for _, h := range others {
			texts[h.Text]++
		}
		var out []Hit
		taken := make([]bool, len(have))
		take := func(want func(h Hit) bool) {
			for i, h := range have {
				if count[h.key] > 0 && !taken[i] && want(h) {
					taken[i] = true
					count[h.key]--
					out = append(out, h)
				}
			}
		}
		// First those on changed lines that the other side has nothing like, then on
		// changed lines, then any: a comment sign taken away changes other lines.
		take(func(h Hit) bool { return changed[h.Line] && texts[h.Text] == 0 })
		take(func(h Hit) bool { return changed[h.Line] })
		take(func(Hit) bool { return true })
		return out
	}
	return surplus(p.is, p.was, added, p.was), surplus(p.was, p.is, removed, p.is)
}

func changedLines(f *change.File) (added, removed map[int]bool) {
	added, removed = map[int]bool{}, map[int]bool{}
	for _, h := range f.Hunks {
		for _, l := range h.Lines {
			switch l.Op {
			case '+':
				added[l.New] = true
			case '-':
				removed[l.Old] = true
			}
		}
	}
	return added, removed
}

// holdRequired: a file that had it keeps it, and a new one brings it along.
func (r *Rule) holdRequired(pairs []pair, out *Outcome) {
	switch {
	case r.Subject == Dependency:
		r.holdRequiredDependency(pairs, out)
		return
	case r.Subject == Identifier && r.As == "defined":
		r.holdDefined(pairs, out)
		return
	}
	for _, p := range pairs {
		blank := len(bytes.TrimSpace(p.file.New)) == 0
		if r.Subject != Text {
			if l := language(p.file.Path, p.file.New); l == nil || l.Document() {
				continue
			}
		}
		switch {
		case p.new == "" || blank:
		case len(p.is) > 0 && len(p.was) == 0:
			out.Kept = append(out.Kept, p.is[0])
		case len(p.is) > 0:
		case p.old == "":
			out.Broken = append(out.Broken, Hit{Path: p.new, What: "comes without it"})
		case len(p.was) > 0:
			h := p.was[0]
			h.What, h.Old = "loses it", true
			out.Broken = append(out.Broken, h)
		}
	}
}

// holdDefined: what is defined somewhere in the files stays defined somewhere in them.
func (r *Rule) holdDefined(pairs []pair, out *Outcome) {
	var was, is []Hit
	for _, p := range pairs {
		was, is = append(was, p.was...), append(is, p.is...)
	}
	switch {
	case len(was) > 0 && len(is) == 0:
		h := was[0]
		h.What, h.Old = "loses the definition of "+r.Name, true
		out.Broken = append(out.Broken, h)
	case len(was) == 0 && len(is) > 0:
		out.Kept = append(out.Kept, is[0])
	}
}

// holdRequiredDependency: a manifest that declares it as asked keeps doing so. With
// globs of its own the rule also asks it of every new manifest.
func (r *Rule) holdRequiredDependency(pairs []pair, out *Outcome) {
	elsewhere := map[string]int{} // manifests that newly have it
	for _, p := range pairs {
		if len(p.is) > 0 && len(p.was) == 0 {
			elsewhere[r.Name]++
			out.Kept = append(out.Kept, p.is[0])
		}
	}
	for _, p := range pairs {
		if p.new == "" || len(p.is) > 0 || !Manifest(p.new) {
			continue
		}
		now := r.named(p.new, p.file.New)
		switch {
		case len(now) > 0 && (len(p.was) > 0 || len(r.named(p.old, p.file.Old)) == 0):
			out.Broken = append(out.Broken, Hit{Path: p.new, Line: now[0].Line, Text: lineAt(p.file.New, now[0].Line), What: "declares " + strings.TrimSpace(now[0].Name+" "+now[0].Version)})
		case len(now) > 0:
		case len(p.was) > 0 && elsewhere[r.Name] > 0 && len(r.In) == 0:
			elsewhere[r.Name]-- // it only moved
		case len(p.was) > 0:
			h := p.was[0]
			h.What, h.Old = "no longer declares "+r.Name, true
			out.Broken = append(out.Broken, h)
		case p.old == "" && len(r.In) > 0 && p.file.Status != change.Renamed:
			out.Broken = append(out.Broken, Hit{Path: p.new, What: "comes without " + r.Name})
		}
	}
}

func lineAt(src []byte, n int) string {
	lines := bytes.Split(src, []byte("\n"))
	if n < 1 || n > len(lines) {
		return ""
	}
	return string(bytes.TrimSpace(lines[n-1]))
}

// Wants says whether the images of a file with unchanged content are needed, since it
// moves in or out of where the rule holds.
func (r *Rule) Wants(f *change.File) bool {
	if r.Subject == Path || f.OldPath == "" || f.ImagesRead || len(f.Hunks) > 0 || f.Unread != "" {
		return false
	}
	old, new := sides(f)
	return r.Covers(old, f.Kind) != r.Covers(new, f.Kind) && (f.Kind != lang.Asset)
}

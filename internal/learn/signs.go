package learn

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/saysolint/sayso/change"
	"github.com/saysolint/sayso/checks"
	"github.com/saysolint/sayso/internal/lang"
	"github.com/saysolint/sayso/internal/text"
	"github.com/saysolint/sayso/memory"
)

// dependencies drafts a decision where one dependency of a manifest went and one came.
func (f *finder) dependencies() {
	if f.c.Did == nil {
		return
	}
	done := map[string]bool{}
	for _, e := range checks.Dependencies(f.c.Did) {
		if len(e.Added) != 1 || len(e.Removed) != 1 || related(e.Added[0].Name, e.Removed[0].Name) || !f.swapped(e.Added[0].Name, e.Removed[0].Name) {
			continue
		}
		is, was := e.Added[0], e.Removed[0].Name
		if done[is.Name+" "+was] {
			continue // the same in each manifest of a workspace
		}
		done[is.Name+" "+was] = true
		d := f.add(MarkDependency, memory.KindDecision, fmt.Sprintf("Use %s instead of %s", is.Name, was), f.context(), is.Line, e.Path)
		if dir := path.Dir(e.Path); dir != "." {
			d.Entry.AppliesTo = []string{dir + "/**"}
		}
		if file := fileOf(f.c.Did, e.Path); file != nil {
			f.citeLines(d, file, is.Line, is.Line)
		}
	}
}

// related says whether two names are of one dependency: another version, a part of
// it, or the same under another owner.
func related(a, b string) bool {
	a, b = strings.ToLower(a), strings.ToLower(b)
	last := func(s string) string {
		s = version().ReplaceAllString(s, "")
		return s[strings.LastIndexAny(s, "/:")+1:]
	}
	within := func(part, whole string) bool {
		return slices.Contains(strings.FieldsFunc(whole, func(r rune) bool { return r == '/' || r == ':' || r == '@' || r == '.' }), part)
	}
	return strings.HasPrefix(a, b) || strings.HasPrefix(b, a) || strings.HasSuffix(a, b) || strings.HasSuffix(b, a) || last(a) == last(b) || within(last(a), b) || within(last(b), a)
}

// swapped says whether more than the manifest tells of a replacement: the message
// names both, or the code drops the one and takes up the other.
func (f *finder) swapped(is, was string) bool {
	short := func(s string) string {
		s = version().ReplaceAllString(strings.ToLower(s), "")
		return plainName(s[strings.LastIndexAny(s, "/:")+1:])
	}
	is, was = short(is), short(was)
	if m := plainName(strings.ToLower(f.c.Message)); strings.Contains(m, is) && strings.Contains(m, was) {
		return true
	}
	come, gone := false, false
	for i := range f.c.Did.Files {
		x := &f.c.Did.Files[i]
		if x.Kind != lang.Source && x.Kind != lang.Test {
			continue
		}
		for _, h := range x.Hunks {
			for k := range h.Lines {
				l := &h.Lines[k]
				if l.Op == ' ' || len(l.Text) > 500 {
					continue
				}
				t := plainName(strings.ToLower(l.Text))
				come = come || l.Op == '+' && strings.Contains(t, is)
				gone = gone || l.Op == '-' && strings.Contains(t, was)
			}
		}
	}
	return come && gone
}

func plainName(s string) string { return strings.ReplaceAll(s, "_", "-") }

var recordPath = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(?:^|/)(?:adrs?|decisions?|decision-records?|decision-log|architecture-decisions?|arch)/[^/]*$|(?:^|/)(?:adr[-_ ]?\d|\d{3,4}[-_])[^/]*$`)
})

var version = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?:/v|\.v|-|@)\d+(?:\.\d+)*$`) })

func fileOf(ch *change.Change, path string) *change.File {
	for i := range ch.Files {
		if ch.Files[i].Path == path {
			return &ch.Files[i]
		}
	}
	return nil
}

var (
	revertSubject = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?:[Rr]evert|Reapply) "(.+)"|^[Rr]evert:\s*(\S.+)$`)
	})
	revertLine = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?im)this reverts (?:merge )?(?:commits?|pull request)?\b[^\n.]*\.?|^[ \t]*(?:reverts?|(?:re-?)?(?:clos|fix|resolv|open)(?:es|e|ed|s)?|refs?|see)[ :]+(?:[\w./-]*#\d+|https?://\S+|[0-9a-f]{7,40})(?:[ ,]+(?:and[ ]+)?(?:clos\w+ |fix\w* )?(?:[\w./-]*#\d+))*[.]?[ \t]*$`)
	})
)

// reverts drafts a failure where a revert says why.
func (f *finder) reverts() {
	m := revertSubject().FindStringSubmatch(f.subject())
	if m == nil || strings.HasPrefix(f.subject(), "Reapply") {
		return
	}
	undone := m[1] + m[2]
	if strings.HasPrefix(undone, "Revert ") {
		return // it brings something back
	}
	why := strings.TrimSpace(revertLine().ReplaceAllString(f.why(), ""))
	if len(text.Words(why)) < 5 {
		return
	}
	reason := memory.Line(why)
	for i := 12; i+1 < len(reason); i++ {
		if reason[i] == '.' && reason[i+1] == ' ' {
			reason = reason[:i]
			break
		}
	}
	if h := text.ParseHeader(undone); h.Type != "" && h.Rest != "" {
		undone = h.Rest
	}
	d := f.add(MarkRevert, memory.KindFailure, fmt.Sprintf("Taken back: %s: %s", cut(strings.TrimSuffix(undone, "."), 90), cut(strings.TrimSuffix(reason, "."), 130)), f.context(), 1, "")
	d.Quote = cut(reason, 500)
}

var (
	fixSubject = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)^(?:fix(?:es|ed)?\b|bug ?fix|hotfix|[a-z/ .-]{1,30}: fix\b)`)
	})
	neverAgain = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\bregression(?:s)? test|\btest[^.\n]{0,40}\bregression|\b(?:guards?|protects?) against (?:a |any |the )?(?:regression|recurrence)|\bnever (?:happens? )?again\b|\b(?:not|n't|cannot) (?:happen|occur|come back|regress|break)(?: \w+)? again\b|\b(?:so|to ensure|to make sure) (?:that )?(?:it|this|we) (?:does not|doesn't|do not|don't|will not|won't|never|cannot|can't) (?:regress|come back|happen|recur|break)|\bprevents? (?:it|this) from (?:happening|recurring|regressing)|\bto prevent (?:a |any |future )?(?:regressions?|recurrence)`)
	})
	because = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\b(?:because|since|due to|caused by|the cause|root cause|as (?:it|the)|when(?:ever)?|led to|leads to|resulted in|which (?:made|meant|broke|caused)|so that|turns out)\b`)
	})
)

// regressions drafts a failure where a fix says its cause and adds a test that keeps
// the fault away.
func (f *finder) regressions() {
	why := f.why()
	if f.c.Did == nil || !fixSubject().MatchString(f.subject()) || !neverAgain().MatchString(f.c.Message) || !because().MatchString(why) || len(text.Words(why)) < 12 {
		return
	}
	var test *change.File
	code := false
	for i := range f.c.Did.Files {
		x := &f.c.Did.Files[i]
		added := 0
		for _, h := range x.Hunks {
			for k := range h.Lines {
				if h.Lines[k].Op == '+' && h.Lines[k].Class == lang.Code {
					added++
				}
			}
		}
		switch {
		case x.Kind == lang.Test && added >= 2 && test == nil:
			test = x
		case x.Kind != lang.Test && x.Kind != lang.Doc && (added > 0 || x.Removed > 0):
			code = true
		}
	}
	if test == nil || !code {
		return
	}
	h := text.ParseHeader(f.subject())
	title := f.subject()
	if h.Rest != "" {
		title = h.Rest
	}
	d := f.add(MarkRegression, memory.KindFailure, title, f.context(), 1, "")
	first, last := longestRun(test)
	f.citeLines(d, test, first, last)
}

// records drafts the decision of each decision record that the change adds.
func (f *finder) records() {
	if f.c.Did == nil {
		return
	}
	for i := range f.c.Did.Files {
		x := &f.c.Did.Files[i]
		if x.Status != change.Added || !strings.EqualFold(path.Ext(x.Path), ".md") || !recordPath().MatchString(x.Path) || len(x.New) == 0 || memory.Line(x.Path) != x.Path {
			continue
		}
		made := memory.FromADRs([]memory.Document{{Path: x.Path, Text: x.New}})
		if len(made.Entries) != 1 || made.Entries[0].ReviewState != memory.Proposed {
			continue
		}
		e := made.Entries[0]
		d := f.add(MarkRecord, memory.KindDecision, e.Title, "", 1, x.Path)
		refs := append(d.Entry.SourceRefs, e.SourceRefs...)
		e.SourceRefs, e.Author = refs, f.c.Author
		e.Tags = append([]string{"learned", "suggestion"}, e.Tags...)
		e.FilesTouched = append(e.FilesTouched, x.Path)
		d.Entry = e
	}
}

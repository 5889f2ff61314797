package checks_test

import (
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/saysolint/sayso/change"
	"github.com/saysolint/sayso/checks"
	"github.com/saysolint/sayso/claim"
)

// parseDiff is the facts of a unified diff in git's format: no images, no definitions.
func parseDiff(t testing.TB, diff string) *change.Facts {
	t.Helper()
	ch, err := change.Parse(strings.NewReader(diff), change.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return change.NewFacts(ch)
}

// edit is the diff of one file, line by line: each begins with '+', '-' or ' '.
func edit(file string, lines ...string) string {
	return "diff --git a/" + file + " b/" + file + "\n--- a/" + file + "\n+++ b/" + file + "\n" + hunk(lines)
}

// create is the diff of a new file.
func create(file string, lines ...string) string {
	return "diff --git a/" + file + " b/" + file + "\nnew file mode 100644\n--- /dev/null\n+++ b/" + file + "\n" + hunk(lines)
}

// remove is the diff of a deleted file.
func remove(file string, lines ...string) string {
	return "diff --git a/" + file + " b/" + file + "\ndeleted file mode 100644\n--- a/" + file + "\n+++ /dev/null\n" + hunk(lines)
}

func hunk(lines []string) string {
	old, new := 0, 0
	for _, l := range lines {
		if l[0] != '+' {
			old++
		}
		if l[0] != '-' {
			new++
		}
	}
	start := func(n int) string {
		if n == 0 {
			return "0,0"
		}
		return "1," + itoa(n)
	}
	return "@@ -" + start(old) + " +" + start(new) + " @@\n" + strings.Join(lines, "\n") + "\n"
}

func itoa(n int) string {
	if n < 10 {
		return string(rune('0' + n))
	}
	return itoa(n/10) + itoa(n%10)
}

// message is one commit message, read.
func message(text string) []*claim.Message {
	return []*claim.Message{claim.Parse(text, claim.Options{Source: claim.SourceMessage, Tier: claim.TierLedger})}
}

// fakeTree is a tree by its file names, with the definitions of an index.
type fakeTree struct {
	files   []string
	defs    map[string][]checks.Site
	unknown bool // there is no index
	names   []string
}

func (f fakeTree) HasFile(p string) bool { return slices.Contains(f.files, p) }

func (f fakeTree) HasDir(p string) bool {
	return slices.ContainsFunc(f.files, func(q string) bool { return strings.HasPrefix(q, p+"/") })
}

func (f fakeTree) FilesNamed(base string) []string {
	return f.match(func(p string) bool { return strings.EqualFold(path.Base(p), base) })
}

func (f fakeTree) FilesStemmed(stem string) []string {
	return f.match(func(p string) bool {
		s, _, _ := strings.Cut(path.Base(p), ".")
		return strings.EqualFold(strings.TrimSuffix(strings.TrimSuffix(s, "_test"), "_spec"), stem)
	})
}

func (f fakeTree) DirsNamed(name string) []string {
	seen := map[string]bool{}
	for _, p := range f.files {
		for d := path.Dir(p); d != "."; d = path.Dir(d) {
			if strings.EqualFold(path.Base(d), name) {
				seen[d] = true
			}
		}
	}
	var out []string
	for d := range seen {
		out = append(out, d)
	}
	slices.Sort(out)
	return out
}

func (f fakeTree) match(ok func(string) bool) []string {
	var out []string
	for _, p := range f.files {
		if ok(p) {
			out = append(out, p)
		}
	}
	slices.Sort(out)
	return out
}

func (f fakeTree) HasExtension(ext string) bool {
	return slices.ContainsFunc(f.files, func(p string) bool { return strings.HasSuffix(p, "."+ext) })
}

func (f fakeTree) ProjectNames() []string { return f.names }

func (f fakeTree) Definitions(name string) ([]checks.Site, bool) {
	if f.unknown {
		return nil, false
	}
	return f.defs[name], true
}

func (f fakeTree) Occurs(name string) (bool, bool) {
	if f.unknown {
		return false, false
	}
	return len(f.defs[name]) > 0, true
}

// fakeHistory is earlier commits: each a subject's words, its scope and the folder it touched.
type fakeHistory []earlier

type earlier struct {
	scope string
	stems []string
	dir   string
	times int
}

func (h fakeHistory) count(ok func(earlier) bool) int {
	n := 0
	for _, e := range h {
		if ok(e) {
			n += e.times
		}
	}
	return n
}

func (h fakeHistory) Commits() int { return h.count(func(earlier) bool { return true }) }

func (h fakeHistory) Scope(scope string) (said, named int) {
	said = h.count(func(e earlier) bool { return e.scope == scope })
	named = h.count(func(e earlier) bool {
		return e.scope == scope && slices.Contains(strings.Split(e.dir, "/"), scope)
	})
	return said, named
}

func (h fakeHistory) ScopeTouching(scope string, dirs []string) int {
	return h.count(func(e earlier) bool { return e.scope == scope && slices.Contains(dirs, e.dir) })
}

func (h fakeHistory) Word(stem string) int {
	return h.count(func(e earlier) bool { return slices.Contains(e.stems, stem) })
}

func (h fakeHistory) WordTouching(stem string, dirs []string) int {
	return h.count(func(e earlier) bool { return slices.Contains(e.stems, stem) && slices.Contains(dirs, e.dir) })
}

func (h fakeHistory) Touching(dirs []string) int {
	return h.count(func(e earlier) bool { return slices.Contains(dirs, e.dir) })
}

func (h fakeHistory) Scoped(dirs []string) (all, touching int) {
	all = h.count(func(e earlier) bool { return e.scope != "" })
	touching = h.count(func(e earlier) bool { return e.scope != "" && slices.Contains(dirs, e.dir) })
	return all, touching
}

func (h fakeHistory) Echo(stem string) int {
	return h.count(func(e earlier) bool { return slices.Contains(e.stems, stem) && strings.Contains(e.dir, stem) })
}

// fakeGraph knows who imports whom by folder.
type fakeGraph struct {
	dependents []string
	unknown    bool
}

func (g fakeGraph) Dependents([]string) ([]string, bool) { return g.dependents, !g.unknown }
func (g fakeGraph) Unit(p string) string                 { return path.Dir(p) }

// find is the first finding of a check.
func find(t testing.TB, j checks.Judgement, check string) checks.Finding {
	t.Helper()
	for _, f := range j.Claims {
		if f.Check == check {
			return f
		}
	}
	t.Fatalf("no finding of check %s among %s", check, describe(j))
	return checks.Finding{}
}

func describe(j checks.Judgement) string {
	var b strings.Builder
	for _, f := range j.Claims {
		b.WriteString("\n  " + f.Check + " " + string(f.Verdict) + " " + string(f.Strength) + " " + f.Text + ": " + f.Reason)
	}
	for _, o := range j.Observations {
		b.WriteString("\n  " + o.Kind + " " + o.Path + ": " + o.Text)
	}
	return b.String()
}

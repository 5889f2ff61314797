package checks

import (
	"fmt"
	"strings"

	"github.com/saysolint/sayso/change"
	"github.com/saysolint/sayso/claim"
)

var pathCheck = Check{
	Doc: Doc{
		ID: "path", Title: "A file or folder said to be changed", Default: "gate", Since: "0.1",
		Needs: "the list of touched files, the names of the tree",
		Text: `A message that names a file as the thing it changes is held against the list of touched files. The claim is
contradicted when the file is in the tree, no touched path is it or lies below it, and its name stands nowhere in the diff.
A file that is named for another purpose (see, like, from, instead of, used by, ...) claims nothing, and neither does a
name that the tree does not know, unless the message says that it adds it.`,
		Fires: "Fix the overflow in internal/net/retry.go (and only internal/report/width.go changes)",
		Quiet: "Since the timer moved to lib/session_timer.rb, idle sessions were closed (a story, not a claim)",
	},
	kind:  claim.KindPath,
	judge: judgePath,
}

func judgePath(x *judging, c *claim.Claim) outcome {
	name := strings.Trim(c.Name, "/")
	if name == "" {
		return dropped
	}
	if strings.HasPrefix(c.Name, "/") {
		return judgeRoute(x, c)
	}
	if i, ok := touched(x.f.Change, name); ok {
		return pathTouched(x, c, i)
	}
	if bare := strings.ToLower(name); isNewsName(bare) {
		for i := range x.f.Change.Files {
			p := strings.ToLower(x.f.Change.Files[i].Path)
			for _, w := range [...]string{"change", "history", "news", "release", "relnotes"} {
				if strings.Contains(p, w) {
					return pathTouched(x, c, i)
				}
			}
		}
	}
	if ranFile(x, c) {
		return neutral("the file is said to be run, not to be changed")
	}
	t := x.in.Tree
	if t == nil {
		return dropped
	}
	sites, dir := treePaths(t, name, c)
	if !x.f.Complete {
		if len(sites) > 0 || dir {
			return x.incomplete()
		}
		return dropped
	}
	base := name[strings.LastIndexByte(name, '/')+1:]
	named := x.f.InDiff(base) || x.f.InDiff(name)
	spoken := false // the name without its extension is in the diff, perhaps as a word like any other
	if i := strings.IndexByte(base, '.'); i >= 4 {
		spoken = x.f.InDiff(base[:i])
	}
	if len(sites) == 0 && !dir {
		return inventedPath(x, c, name)
	}
	if c.Candidate && len(sites) > 0 && sites[0] == "" {
		return dropped
	}
	if external(c) || c.Standing < claim.Own {
		if c.Standing < claim.Own {
			return dropped
		}
		return neutral("%s is named, not said to be changed", quote(name))
	}
	if named {
		return neutral("%s is not touched, but the diff speaks of it", quote(name))
	}
	s := 2.46
	if c.Standing == claim.Subject {
		s = 3.2
	}
	if len(sites) > 0 && sameExtension(x.f.Change, sites[0]) {
		s += 1.0
	}
	switch c.Relation {
	case claim.Of:
		s -= 1.6
	case claim.Toward:
		if c.Verb != claim.VerbAdd && c.Verb != claim.VerbMove && c.VerbWord != "append" && c.VerbWord != "write" {
			s -= 3
		}
	case claim.Origin:
		if c.Verb != claim.VerbRemove && c.Verb != claim.VerbMove {
			s -= 3
		}
	}
	switch c.Verb {
	case claim.VerbTest: // "test foo.go"
		s -= 1.6
	case claim.NoVerb:
		s -= 0.7
	}
	switch c.VerbWord {
	case "use", "uses", "used", "using": // "use the bundled Grammar.txt"
		s -= 1.6
	}
	if x.support().fileHit { // another file of the subject is touched: "bump the Cargo.toml version in README"
		s -= 1.7
	}
	if dir && len(sites) == 0 {
		s -= 1.0
		if !strings.Contains(name, "/") || c.Standing != claim.Subject {
			s -= 1
		}
	}
	if len(sites) > 3 {
		s -= 1.2 // index.js, mod.rs, package.json all over the tree
	}
	if spoken {
		s -= 1.0
	}
	where := name
	if len(sites) == 1 {
		where = sites[0]
	}
	n := len(x.f.Change.Files)
	among := fmt.Sprintf("not among the %s", plural(n, "changed file"))
	if n == 1 {
		among = "not the file that changes"
	}
	if x.aboutTests(c) { // "add tests for F in FILE": the tests stand elsewhere
		s -= 2.5
	}
	bare := !strings.ContainsAny(name, "./")
	if n == 0 && c.Standing != claim.Subject {
		return neutral("the change touches no file")
	}
	return outcome{
		weak:      bare || n == 0 || spoken,
		suspicion: s,
		reason:    fmt.Sprintf("says that %s is changed; it is in the tree and %s", quote(where), among),
		fix:       fmt.Sprintf("name the file that changes (%s), or leave %s out", quote(firstPath(x.f.Change)), quote(name)),
		evidence:  []Evidence{{Fact: fmt.Sprintf("%s exists and is not touched; no line of the diff has %s", quote(where), quote(base)), Path: where, Side: "tree", Weight: s}},
	}
}

// aboutTests: the clause adds or changes tests, and the name says what they test.
func (x *judging) aboutTests(c *claim.Claim) bool {
	if c.Statement < 0 || c.Clause < 0 {
		return false
	}
	what := false
	st := &x.m.Statements[c.Statement]
	cl := st.Clauses[c.Clause]
	for k := cl.From; k < cl.To && st.Tokens[k].Start < c.Start; k++ {
		switch st.Tokens[k].Low {
		case "test", "tests", "coverage", "benchmark", "benchmarks":
			what = true
		case "for", "of":
			if what {
				return true
			}
		}
	}
	return false
}

// ranFile: "run update.sh" tells where a change comes from.
func ranFile(x *judging, c *claim.Claim) bool {
	if c.Statement < 0 || c.Statement >= len(x.m.Statements) {
		return false
	}
	before := ""
	for _, t := range x.m.Statements[c.Statement].Tokens {
		if t.Start >= c.Start {
			break
		}
		if t.Low != "the" && t.Low != "./" {
			before = t.Low
		}
	}
	switch before {
	case "run", "runs", "ran", "rerun", "reran", "running", "execute", "executed", "running:":
		return true
	}
	return false
}

func external(c *claim.Claim) bool { return c.Relation == claim.External }

// touched finds a touched path that is name, ends in it, or lies below it.
func touched(c *change.Change, name string) (int, bool) {
	low := strings.ToLower(name)
	below := -1
	for i := range c.Files {
		for _, p := range [...]string{c.Files[i].Path, c.Files[i].OldPath} {
			if p == "" {
				continue
			}
			p = strings.ToLower(p)
			if p == low || strings.HasSuffix(p, "/"+low) {
				return i, true
			}
			if strings.HasPrefix(p, low+"/") || strings.Contains(p, "/"+low+"/") {
				below = i
			}
			// README stands for README.md, Makefile for GNUmakefile.
			base := p[strings.LastIndexByte(p, '/')+1:]
			if !strings.Contains(low, "/") && !strings.Contains(low, ".") && strings.HasPrefix(base, low+".") {
				return i, true
			}
			if strings.ContainsAny(low, "*") {
				continue
			}
		}
	}
	return below, below >= 0
}

func pathTouched(x *judging, c *claim.Claim, i int) outcome {
	f := &x.f.Change.Files[i]
	ev := Evidence{Fact: quote(f.Path) + " is touched (" + statusWord(f.Status) + ")", For: true, Path: f.Path, Weight: -2}
	if external(c) || c.Standing < claim.Own {
		return outcome{verdict: Neutral, reason: quote(f.Path) + " is touched", evidence: []Evidence{ev}}
	}
	whole := strings.EqualFold(f.Path, strings.Trim(c.Name, "/")) || strings.HasSuffix(strings.ToLower(f.Path), "/"+strings.ToLower(strings.Trim(c.Name, "/")))
	switch {
	case c.Verb == claim.VerbAdd && c.Relation == claim.Object && f.Status != change.Added && f.Status != change.Renamed && f.Status != change.Copied,
		c.Verb == claim.VerbRemove && c.Relation == claim.Object && f.Status != change.Deleted && f.Status != change.Renamed:
		return outcome{verdict: Neutral, reason: quote(f.Path) + " is touched (" + statusWord(f.Status) + ")", evidence: []Evidence{ev}}
	case c.Verb == claim.VerbRename && c.Relation == claim.Object && f.Status != change.Renamed && !whole:
		return outcome{verdict: Neutral, reason: quote(f.Path) + " is touched", evidence: []Evidence{ev}}
	case (c.Verb == claim.VerbRename || c.Verb == claim.VerbMove) && f.Status == change.Modified && c.Relation == claim.Object:
		return outcome{verdict: Neutral, reason: quote(f.Path) + " is touched, not renamed", evidence: []Evidence{ev}}
	}
	return outcome{verdict: Corroborated, confidence: 0.93, reason: quote(f.Path) + " is among the changed files", evidence: []Evidence{ev}}
}

func statusWord(s change.Status) string {
	switch s {
	case change.Added:
		return "added"
	case change.Deleted:
		return "deleted"
	case change.Renamed:
		return "renamed"
	case change.Copied:
		return "copied"
	case change.TypeChange:
		return "changed in type"
	}
	return "modified"
}

// treePaths is the files of the tree that a name can mean, and whether it is a folder.
func treePaths(t Tree, name string, c *claim.Claim) ([]string, bool) {
	if t.HasFile(name) {
		return []string{name}, false
	}
	base := name[strings.LastIndexByte(name, '/')+1:]
	var out []string
	low := strings.ToLower(name)
	for _, p := range t.FilesNamed(base) {
		q := strings.ToLower(p)
		if q == low || strings.HasSuffix(q, "/"+low) {
			out = append(out, p)
		}
	}
	if len(out) == 0 && !strings.Contains(name, ".") && !strings.Contains(name, "/") {
		for _, ext := range [...]string{".md", ".rst", ".txt", ".adoc"} {
			if t.HasFile(name + ext) {
				out = append(out, name+ext)
			}
		}
	}
	if len(out) > 0 {
		return out, false
	}
	if strings.Contains(strings.Trim(c.Whole, "`"), "/") && t.HasDir(strings.TrimSuffix(name, "/")) {
		return nil, true
	}
	return nil, false
}

// inventedPath: "adds docs/upgrade.md", and nothing of that name is anywhere.
func inventedPath(x *judging, c *claim.Claim, name string) outcome {
	base := name[strings.LastIndexByte(name, '/')+1:]
	dot := strings.LastIndexByte(base, '.')
	if c.Standing < claim.Own || c.Verb != claim.VerbAdd || c.Relation != claim.Object || !c.Head || dot < 2 {
		return dropped
	}
	if !x.in.Tree.HasExtension(strings.ToLower(base[dot+1:])) && !strings.Contains(name, "/") {
		return dropped // the first file of its kind is named with its folder
	}
	if x.f.InDiff(base) || x.f.InFiles(base) {
		return dropped
	}
	s := 3.2 - 0.8*partsPresent(x, base[:dot])
	return outcome{
		suspicion: s,
		reason:    fmt.Sprintf("says that %s is added; no such file is in the change or in the tree", quote(name)),
		fix:       fmt.Sprintf("add %s to the commit, or leave it out of the message", quote(name)),
		evidence:  []Evidence{absent(fmt.Sprintf("no file named %s is added, and no line of the diff contains the name", quote(name)), s)},
	}
}

// judgeRoute: "/api/v2/parcels" is a route or an absolute path: it is judged only when said to be added.
func judgeRoute(x *judging, c *claim.Claim) outcome {
	if c.Standing < claim.Own || c.Verb != claim.VerbAdd && !strings.HasPrefix(c.VerbWord, "expos") || c.Relation != claim.Object {
		return dropped
	}
	if x.f.InDiff(c.Name) {
		return neutral("the diff speaks of %s", quote(c.Name))
	}
	if !x.f.Complete {
		return x.incomplete()
	}
	if own := routeWords(c.Name); own == "" || partsPresent(x, own) > 0 {
		return neutral("parts of %s are in the diff", quote(c.Name))
	}
	if x.f.InFiles(strings.Trim(c.Name, "/")) {
		return neutral("%s is in a touched file", quote(c.Name))
	}
	return invented(x, c, c.Name)
}

// routeWords is what of a route is its own: no "api", no version, no parameter.
func routeWords(route string) string {
	var out []string
	for _, part := range strings.Split(route, "/") {
		low := strings.ToLower(part)
		if low == "" || low == "api" || low == "rest" || low == "id" || strings.ContainsAny(low, ":{<$*") || len(low) < 4 && low[0] == 'v' {
			continue
		}
		out = append(out, part)
	}
	return strings.Join(out, " ")
}

func invented(x *judging, c *claim.Claim, name string) outcome {
	return outcome{
		suspicion: x.w(identifierInvented),
		reason:    fmt.Sprintf("says that %s is added; no line of the diff contains it or any word of it", quote(name)),
		fix:       fmt.Sprintf("commit the code that adds %s, or leave it out of the message", quote(name)),
		evidence:  []Evidence{absent(fmt.Sprintf("no line of the diff contains %s", quote(name)), x.w(identifierInvented))},
	}
}

// partsPresent is the share of the words of a name whose stem is in the diff or a touched path.
func partsPresent(x *judging, name string) float64 {
	n, hit := 0, 0
	for _, w := range nameWords(name) {
		n++
		if x.present(w) >= 1 {
			hit++
		}
	}
	if n == 0 {
		return 1
	}
	return float64(hit) / float64(n)
}

func isNewsName(s string) bool {
	i := strings.IndexByte(s, '.')
	if i > 0 {
		s = s[:i]
	}
	return s == "changelog" || s == "changes" || s == "history" || s == "news"
}

func sameExtension(c *change.Change, path string) bool {
	i := strings.LastIndexByte(path, '.')
	if i < 0 {
		return false
	}
	for k := range c.Files {
		if strings.HasSuffix(c.Files[k].Path, path[i:]) {
			return true
		}
	}
	return false
}

func firstPath(c *change.Change) string {
	if len(c.Files) == 0 {
		return "none"
	}
	return c.Files[0].Path
}

func quote(s string) string { return "\"" + clip(s, 80) + "\"" }

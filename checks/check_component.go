package checks

import (
	"fmt"
	"math"
	"strings"

	"github.com/saysolint/sayso/claim"
)

var componentCheck = Check{
	Doc: Doc{
		ID: "component", Title: "The conventional scope or area prefix against the paths touched", Default: "gate", Since: "0.1",
		Needs: "the names of the tree; the index for what earlier commits meant by the word",
		Text: `"feat(web): ..." and "net/http: ..." name a part of the project. The claim is contradicted when the tree has a folder or a
file of that name, nothing below it is touched, and the diff does not speak of it. What a scope stands for is learnt from the project's own
history, in counts: how many of the commits that have it touched a path of its name, and how it goes with the touched folders and files, beside chance and beside other scopes.
A prefix that earlier commits used for all kinds of paths is a topic, not a place, and is left alone, and so are the project's own name, platform
families and general words (deps, tests, release) unless this project means a place by them. Where fewer than four commits have the scope the finding is never strong.
No configuration is needed; "scopes:" in the configuration file overrides what was learnt.`,
		Fires: "feat(web): retry a failed upload twice (only packages/api changes; earlier web commits touched packages/web)",
		Quiet: "cli: print a warning when the pattern is empty (earlier cli commits touched crates/core)",
	},
	kind:  claim.KindComponent,
	judge: judgeComponent,
}

var genericScopes = words(`test tests testing doc docs documentation src source ci cd deps dep deps-dev dev-deps dependencies chore misc all build release releases dev lint style
api core main app lib types type typing typings tooling tools tool scripts script infra security license licensing readme changelog meta repo project root
examples example general various common util utils helpers internal config configs conf settings perf performance ux ui i18n l10n git github gitignore actions workflow workflows
package packages pkg vendor major minor patch bump version format formatting cleanup refactor revert hotfix wip global compat`)

// documents are general words only where the tree has no such file.
var documents = words("readme changelog license")

// platforms are topics: "posix: ..." may well touch bsd/.
var platforms = words(`posix unix linux windows win win32 win64 macos mac osx darwin bsd freebsd openbsd netbsd android ios wasm arm arm64 x86 x64 amd64 mips riscv solaris aix
msvc gcc clang mingw cygwin node deno bun browser browsers python py python2 python3 java jdk kotlin go golang rust js javascript ts typescript c cpp ruby php perl docker bash zsh fish powershell`)

func judgeComponent(x *judging, c *claim.Claim) outcome {
	if len(x.f.Change.Files) == 0 {
		return componentUnjudged(c, "%s: the change touches no file")
	}
	if !c.InHeader {
		return judgeComponentWord(x, c)
	}
	low := strings.ToLower(strings.Trim(c.Name, "*`\"' "))
	if len(low) < 2 || platforms()[low] || x.projectName(low) {
		return componentUnjudged(c, "%s stands for the whole project or for a topic")
	}
	if globs, ok := x.in.Scopes[c.Name]; ok && x.in.Matches != nil {
		for i := range x.f.Change.Files {
			for _, g := range globs {
				if x.in.Matches(g, x.f.Change.Files[i].Path) {
					return corroborated(0.95, fmt.Sprintf("%s is touched, as the configuration maps it", quote(c.Name)), pathEvidence(x, i))
				}
			}
		}
		return componentAbsent(x, c, 3.6, "no changed file lies where the configuration maps the scope")
	}
	if i, ok := componentTouched(x, low); ok {
		if genericScopes()[low] {
			return neutral("%s is touched", quote(c.Name))
		}
		return corroborated(0.9, fmt.Sprintf("%s is touched", quote(c.Name)), pathEvidence(x, i))
	}
	if x.in.Tree == nil {
		if c.Candidate {
			return dropped
		}
		return unverifiable("the names of the tree could not be read")
	}
	if !componentReal(x, low) {
		return componentUnjudged(c, "%s names nothing in the tree")
	}
	if !x.f.Complete {
		return x.incomplete()
	}
	if x.otherScopeTouched(c) {
		return neutral("another part that the header names is touched")
	}
	for part := range strings.SplitSeq(low, "/") { // ignore/doc: a topic within a place
		if _, ok := componentTouched(x, part); ok && part != low && len(part) > 2 {
			return neutral("%s of %s is touched", quote(part), quote(c.Name))
		}
	}
	return x.componentUntouched(c, low)
}

// componentUntouched weighs what speaks for and against a scope whose name no
// touched path has. The history says what it stands for: a place, when those who
// used it touched paths of that name, or a topic; and whether it goes with the folders and files at hand.
func (x *judging) componentUntouched(c *claim.Claim, low string) outcome {
	s := x.w(componentBias)
	why := fmt.Sprintf("nothing named %s is touched", quote(c.Name))
	general := (genericScopes()[low] || genericScopes()[firstPart(low)]) && !(documents()[low] && rootFile(x, low))
	switch {
	case x.f.InDiff(low):
		return neutral("the diff speaks of %s", quote(c.Name))
	case allPartsPresent(x, low):
		s += x.w(componentPartsInDiff)
	default:
		why += ", and the diff does not speak of it"
		for _, w := range nameWords(low) {
			if len(w) > 3 && x.f.InFiles(w) {
				s += x.w(componentInFile)
				break
			}
		}
	}
	said, named := 0, 0
	if x.in.History != nil {
		said, named = x.in.History.Scope(low)
	}
	place := said >= 5 && float64(named) >= 0.9*float64(said)
	if general && !place {
		return componentUnjudged(c, "%s is a general word")
	}
	if general {
		s += x.w(componentGeneral)
	}
	if said > 0 {
		if said >= 3 && float64(named) < 0.4*float64(said) {
			return neutral("earlier commits use %s as a topic, not as a place", quote(c.Name))
		}
		// How surprising a commit of this scope is that touches nothing of that name.
		s += x.w(componentPlace) * math.Min(4, math.Log(float64(said+1)/(float64(said-named)+0.7)))
		s += x.componentNear(low, said)
		if named > 0 {
			why += fmt.Sprintf("; %d of the %s with this scope touched a path of that name", named, plural(said, "earlier commit"))
		}
	} else {
		s += x.w(componentNew)
	}
	sup := x.support()
	s += x.w(componentWordPresent) * float64(min(sup.present, 4))
	if sup.fileHit {
		s += x.w(componentFileHit)
	}
	if sup.style {
		s += x.w(componentStyle)
	}
	if c.Name != strings.ToLower(c.Name) { // fix(useModel): a feature, written as in code
		s += x.w(componentFeature)
	}
	if x.in.History == nil || x.in.History.Commits() < 50 {
		s += x.w(componentYoung)
	}
	o := componentAbsent(x, c, s, why)
	o.weak = said < minScopeSaid // too few to know what the scope stands for
	return o
}

// minScopeSaid is how many commits have to have used a scope before its absence can be strong.
const minScopeSaid = 4

// componentNear is how a scope that was used before goes with the folders and the
// files of this change: beside chance, and beside what other scopes have to do with them.
func (x *judging) componentNear(low string, said int) float64 {
	h := x.in.History
	s := 0.0
	for _, near := range [...]struct {
		where                      []string
		likely, unlikely           weight
		scopeLikely, scopeUnlikely weight
		here                       weight
	}{
		{x.dirs(), componentFolders, weightCount, componentFoldersOfScopes, componentFoldersOfOthers, weightCount},
		{x.files(), componentFiles, componentOtherFiles, weightCount, componentFilesOfOthers, componentTogether},
	} {
		together := h.ScopeTouching(low, near.where)
		s += x.lean(x.associationWith(said, together, near.where), near.likely, near.unlikely)
		all, touching := h.Scoped(near.where)
		share := (float64(said) + 0.5) / (float64(all) + 1)
		s += x.lean(math.Log((float64(together)+0.5)/(float64(touching)+1)/share), near.scopeLikely, near.scopeUnlikely)
		if together > 0 && near.here != weightCount {
			s += x.w(near.here)
		}
	}
	return s
}

// lean is what an association adds: its size, at most 3, times the one weight
// where it is positive and the other where it is negative; weightCount for none.
func (x *judging) lean(a float64, likely, unlikely weight) float64 {
	switch {
	case a > 0 && likely != weightCount:
		return x.w(likely) * math.Min(3, a)
	case a < 0 && unlikely != weightCount:
		return x.w(unlikely) * math.Min(3, -a)
	}
	return 0
}

// otherScopeTouched: "fix(web,api): ..." holds where one of them is touched.
func (x *judging) otherScopeTouched(c *claim.Claim) bool {
	for i := range x.m.Claims {
		o := &x.m.Claims[i]
		if o != c && o.Kind == claim.KindComponent && o.InHeader {
			if _, ok := componentTouched(x, strings.ToLower(o.Name)); ok {
				return true
			}
		}
	}
	return false
}

// firstPart is a scope up to its first slash or colon.
func firstPart(low string) string {
	if i := strings.IndexAny(low, "/:"); i >= 0 {
		return low[:i]
	}
	return low
}

func componentUnjudged(c *claim.Claim, format string) outcome {
	if c.Candidate {
		return dropped
	}
	return neutral(format, quote(c.Name))
}

func componentAbsent(x *judging, c *claim.Claim, s float64, why string) outcome {
	return outcome{
		suspicion: s,
		reason:    fmt.Sprintf("speaks of %s, but %s", quote(c.Name), why),
		fix:       "name the part that changes",
		evidence:  []Evidence{{Fact: why, Weight: s}},
	}
}

func pathEvidence(x *judging, i int) Evidence {
	return Evidence{Fact: quote(x.f.Change.Files[i].Path) + " is touched", For: true, Path: x.f.Change.Files[i].Path, Weight: -2}
}

// componentTouched: a touched path holds the component, letters and digits compared,
// every part of a/b in order; singular and plural alike.
func componentTouched(x *judging, low string) (int, bool) {
	q := squeeze(low)
	if q == "" {
		return 0, false
	}
	alt := strings.TrimSuffix(q, "s")
	for i := range x.f.Change.Files {
		f := &x.f.Change.Files[i]
		for _, p := range [...]string{f.Path, f.OldPath} {
			s := squeeze(p)
			if strings.Contains(s, q) || len(alt) > 3 && strings.Contains(s, alt) {
				return i, true
			}
		}
	}
	// "compiler-dom" or "net/http": every part in one path.
	parts := strings.FieldsFunc(low, func(r rune) bool { return r == '/' || r == ' ' || r == ':' })
	if len(parts) > 1 {
		for i := range x.f.Change.Files {
			s := strings.ToLower(x.f.Change.Files[i].Path)
			all := true
			for _, p := range parts {
				if !strings.Contains(s, p) {
					all = false
				}
			}
			if all {
				return i, true
			}
		}
	}
	return 0, false
}

func squeeze(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c >= 'A' && c <= 'Z':
			b.WriteByte(c + 32)
		case c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c >= 0x80:
			b.WriteByte(c)
		}
	}
	return b.String()
}

func allPartsPresent(x *judging, name string) bool {
	words := nameWords(name)
	if len(words) == 0 {
		return true
	}
	for _, w := range words {
		if x.present(w) < 1.5 {
			return false
		}
	}
	return true
}

func componentReal(x *judging, low string) bool {
	t := x.in.Tree
	if strings.Contains(low, "/") {
		return t.HasDir(low) || len(t.DirsNamed(low[strings.LastIndexByte(low, '/')+1:])) > 0
	}
	for _, n := range [...]string{low, strings.ReplaceAll(low, "-", "_"), strings.ReplaceAll(low, "_", "-")} {
		if len(t.DirsNamed(n)) > 0 || len(t.FilesStemmed(n)) > 0 {
			return true
		}
	}
	return rootFile(x, low)
}

// rootFile: "README: ..." and "travis: ..." name a file at the top that is no code.
func rootFile(x *judging, low string) bool {
	for _, ext := range [...]string{"", ".md", ".rst", ".txt", ".rdoc", ".markdown", ".adoc", ".toml", ".yml", ".json"} {
		for _, n := range [...]string{low + ext, "." + low + ext} {
			for _, p := range x.in.Tree.FilesNamed(n) {
				if strings.IndexByte(p, '/') < 0 {
					return true
				}
			}
		}
	}
	return false
}

// association is how much likelier than by chance commits that say a word touch
// the folders of this change: log((k+2p)/(n+2)/p), n said, k said and touched, p the share of commits that touch them.
func (x *judging) association(said, together int) float64 {
	return x.associationWith(said, together, x.dirs())
}

// associationWith is association for any folders and files.
func (x *judging) associationWith(said, together int, where []string) float64 {
	h := x.in.History
	p := 0.001
	if n := h.Commits(); n > 0 {
		p = math.Max(p, float64(h.Touching(where))/float64(n))
	}
	return math.Log((float64(together) + 2*p) / (float64(said) + 2) / p)
}

// judgeComponentWord: a plain word of the subject that names a folder or a file of the tree.
func judgeComponentWord(x *judging, c *claim.Claim) outcome {
	if x.in.Tree == nil || x.in.History == nil || x.in.History.Commits() < 50 || !x.f.Complete || c.Relation == claim.External {
		return dropped
	}
	low := c.Name
	if genericScopes()[low] || platforms()[low] || x.projectName(low) || claim.VerbOf(low) != claim.NoVerb || styleWords()[low] || low[0] == '-' {
		return dropped
	}
	t := x.in.Tree
	dirs, stems := t.DirsNamed(low), t.FilesStemmed(low)
	if len(dirs) == 0 && len(stems) == 0 || len(dirs)+len(stems) > 8 || x.f.InDiff(low) {
		return dropped
	}
	if _, ok := componentTouched(x, low); ok {
		return dropped
	}
	present := x.present(low)
	st := stem(low)
	said := x.in.History.Word(st)
	a := x.association(said, x.in.History.WordTouching(st, x.dirs()))
	shaped := strings.ContainsAny(low, "-_")
	place := said > 0 && len(dirs) > 0 && a <= -0.5 && float64(x.in.History.Echo(st))+0.6 >= 0.6*(float64(said)+1.2)
	s := x.w(componentWordBias)
	why := fmt.Sprintf("%s is untouched and the diff does not speak of it", quote(low))
	switch {
	case place && present <= 0.5 && (shaped || x.plainPlace(c)):
		// Most who said the word touched a folder or a file of that name.
		s += x.w(componentWordPlace)
		if present > 0 {
			s += x.w(componentInFile)
		}
		why += fmt.Sprintf("; %d of the %s that say it touched a path of that name", x.in.History.Echo(st), plural(said, "earlier commit"))
	case !shaped || present > 0:
		return dropped // plain words (help, mode, layout) name a folder by chance
	case said == 0 && len(dirs) > 0:
		s += x.w(componentWordNew)
	case said < 3 || a > -0.3:
		return dropped
	default:
		s -= 0.5 * float64(min(x.support().present, 4))
		s += 0.35 * float64(min(x.support().absent-1, 3))
		if said >= 4 && a < -0.7 {
			s += x.w(componentWordHistory)
			if said >= 8 {
				s += x.w(componentWordHistory)
			}
		}
		why += fmt.Sprintf("; %s that say it touched other folders", plural(said, "earlier commit"))
	}
	if len(dirs) > 0 {
		s += x.w(componentWordDir)
	} else {
		s += x.w(componentWordStem)
	}
	if shaped {
		s += x.w(componentWordShape)
	}
	sup := x.support()
	if sup.style {
		s += x.w(componentWordStyle)
	}
	if sup.fileHit {
		s += x.w(componentWordFileHit)
	}
	if sup.nameHits > 0 {
		s += x.w(componentNameHit)
	}
	if s < x.w(thresholdLikely) {
		return dropped
	}
	o := componentAbsent(x, c, s, why)
	o.weak = true
	return o
}

// plainPlace: a plain word that can stand for a folder. One that says how or why, or
// that opens the subject ("mix format"), does not.
func (x *judging) plainPlace(c *claim.Claim) bool {
	return !codeWords()[c.Name] && !vagueWords()[c.Name] && c.Start > x.m.RestStart()
}

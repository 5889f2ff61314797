package checks

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/saysolint/sayso/change"
	"github.com/saysolint/sayso/claim"
	"github.com/saysolint/sayso/internal/lang"
)

var identifierCheck = Check{
	Doc: Doc{
		ID: "identifier", Title: "A code-shaped name said to be changed, added or removed", Default: "gate", Since: "0.1",
		Needs: "the diff, the touched files; the index for names that are not in them",
		Text: `A name in the shape of code (parseHeader, MAX_SIZE, res.json, call(), or anything in backticks) that a message changes is
looked for on the changed lines, around them, in the definitions that enclose them, and in the rest of the touched files. Absence alone is no evidence.
A name that differs by one letter from one on a changed line is a slip and no false claim.
The claim is contradicted when the name is defined in a file that the change does not touch, or (the invented feature, a sub-check with
its own weight) when the message says that it adds the name and no line of the diff holds it or any word of it.`,
		Fires: "Rewrite `parseHeader` to accept folded lines (parseHeader is in an untouched file)",
		Quiet: "Read the header with `BlockReader`, not `LineDecoder`",
	},
	kind:  claim.KindIdentifier,
	judge: judgeIdentifier,
}

func judgeIdentifier(x *judging, c *claim.Claim) outcome {
	name := c.Name
	if strings.HasPrefix(name, "--") {
		return judgeFlag(x, c)
	}
	if c.InHeader {
		return judgeHeaderName(x, c)
	}
	n := x.f.Name(name)
	if n.Added+n.Removed == 0 && c.Shape != claim.Shaped {
		if fold := x.f.Folded(name); fold.Added+fold.Removed > 0 {
			n = fold
		}
	}
	if n.Added+n.Removed > 0 {
		return identifierChanged(x, c, n)
	}
	if at, ok := x.enclosing(c); ok {
		ev := x.line(at, fmt.Sprintf("an edit lies inside %s", name), true, -2)
		if external(c) || !x.codeAt(at) || c.Standing < claim.Own || c.Verb == claim.VerbAdd || c.Verb == claim.VerbRemove || c.Verb == claim.VerbRename || c.Relation > claim.Of {
			return outcome{verdict: Neutral, reason: fmt.Sprintf("an edit lies inside %s", quote(name)), evidence: []Evidence{ev}}
		}
		return corroborated(0.85, fmt.Sprintf("%s is edited", quote(name)), ev)
	}
	if n.Context > 0 {
		return neutral("%s stands next to a changed line", quote(name))
	}
	if len(name) > 3 && x.f.InDiff(name) || x.f.InDiff(c.Whole) {
		return neutral("%s is part of the diff", quote(name))
	}
	if c.Standing < claim.Own {
		return dropped
	}
	if external(c) {
		return neutral("%s is named, not said to be changed", quote(name))
	}
	if x.f.InFiles(name) {
		if c.Verb == claim.VerbRemove && c.Relation == claim.Object && c.Head && c.Shape >= claim.Call && x.f.InNewFiles(name) && x.f.Complete && x.m.Special == claim.Plain {
			return stillThere(x, c)
		}
		return neutral("%s is in a touched file, off the changed lines", quote(name))
	}
	if !x.f.Complete {
		return x.incomplete()
	}
	if x.in.Tree == nil {
		return unverifiable("no index (sayso index)")
	}
	if x.m.Special == claim.Release {
		return neutral("a release reports on other commits")
	}
	parts := partsPresent(x, name)
	sites, known := x.in.Tree.Definitions(name)
	if !known {
		if o, ok := inventedName(x, c, parts); ok && c.Shape == claim.Shaped {
			o.suspicion -= 0.4 // without the index the rest of the tree is not known
			return o
		}
		return unverifiable("no index (sayso index)")
	}
	if len(sites) == 0 {
		if o, ok := tickedComponent(x, c); ok {
			return o
		}
		if occurs, known := x.in.Tree.Occurs(name); known && !occurs {
			if o, ok := inventedName(x, c, parts); ok {
				return o
			}
		}
		return neutral("%s is defined nowhere in the repository", quote(name))
	}
	qualified := ownerTouched(x, c)
	many := len(sites) > 6
	if many && !qualified && (len(nameWords(name)) < 2 || c.Relation != claim.Object || !c.Head || c.Shape != claim.Shaped) { // a name that everything has: run, init, Close
		return neutral("%s is defined in many places", quote(name))
	}
	if onlyDeclared(sites) {
		return neutral("%s is only declared in %s; what it stands for may go by another name", quote(name), quote(sites[0].Path))
	}
	if !qualified && ownedElsewhere(x, c) {
		return neutral("%s is imported from elsewhere", quote(c.Whole[:strings.LastIndexAny(c.Whole, ".:#>")]))
	}
	if close := x.misspelt(name); close != "" {
		return neutral("%s stands nowhere; the diff has %s, which differs by a letter or two", quote(name), quote(close))
	}
	s := x.w(identifierBias)
	if many {
		s += x.w(identifierMany)
	}
	if c.Standing == claim.Subject {
		s += x.w(identifierSubjectDef)
	} else {
		s += x.w(identifierOwnDef)
	}
	if !(c.Relation == claim.Object && c.Head && (c.Verb == claim.VerbAdd || c.Verb == claim.VerbRemove) && !strings.HasSuffix(c.VerbWord, "ing")) {
		s *= 1 - x.w(identifierPartPresent)*parts // what is added or removed stands in the diff under its own name
	}
	switch c.Relation {
	case claim.Location:
		s += x.w(identifierLocation)
	case claim.Of, claim.Toward:
		s += x.w(identifierSecondary)
	case claim.Origin:
		s += x.w(identifierFarther)
	case claim.Means:
		s += x.w(identifierMeans)
	}
	if !inSource(sites) {
		s += x.w(identifierNotSource)
	}
	if x.aboutTests(c) {
		s += x.w(identifierSecondary)
	}
	if c.Shape == claim.Ticked {
		s += x.w(identifierTickedOnly)
	}
	switch c.Verb {
	case claim.NoVerb:
		s -= 1.0 // "X does Y": what the code does, not what the change does
	case claim.VerbChange:
		if strings.HasPrefix(c.VerbWord, "us") { // "use X": X may stand in what is not spelt out
			s -= 0.4
			if !c.Head {
				s -= 1
			}
		}
	case claim.VerbTest, claim.VerbDocument:
		s -= 0.7
	}
	sup := x.support()
	if sup.fileHit {
		s += x.w(identifierFileHit)
	}
	s += x.w(identifierOtherHit) * float64(min(sup.nameHits, 2))
	if sup.style {
		s -= 0.39
	}
	if sup.typo {
		s -= 0.74
	}
	if qualifierPresent(x, c) {
		s -= 0.2
	}
	site := sites[0]
	return outcome{
		weak: c.Relation == claim.Location && strings.HasPrefix(c.VerbWord, "fix") || // the fix may be in what it calls
			c.Verb == claim.VerbChange && (strings.HasPrefix(c.VerbWord, "mak") || strings.HasPrefix(c.VerbWord, "mad")), // "make X work with Y": by what X stands on
		suspicion: s,
		reason:    fmt.Sprintf("says that %s is changed; it is defined in %s, which is not touched, and no line of the diff contains it", quote(name), quote(site.Path)),
		fix:       fmt.Sprintf("name what the diff changes, or leave %s out", quote(name)),
		evidence:  []Evidence{{Fact: fmt.Sprintf("%s is defined here, and the file is not touched", quote(name)), Path: site.Path, Line: site.Line, Side: "tree", Weight: s}},
	}
}

// judgeHeaderName: "fix(res.renderAll): ...", a name of code in the place of the scope.
// Only what is defined elsewhere is a claim here; the rest is for the component check.
func judgeHeaderName(x *judging, c *claim.Claim) outcome {
	name := c.Name
	n := x.f.Name(name)
	if _, ok := x.enclosing(c); ok || n.Added+n.Removed+n.Context > 0 || x.f.InDiff(name) || x.f.InFiles(name) || x.in.Tree == nil || !x.f.Complete || x.m.Special != claim.Plain {
		return dropped
	}
	low := strings.ToLower(name)
	if x.projectName(low) || len(x.in.Tree.DirsNamed(low))+len(x.in.Tree.DirsNamed(c.Whole))+len(x.in.Tree.FilesStemmed(low)) > 0 {
		return dropped
	}
	sites, known := x.in.Tree.Definitions(name)
	if !known || len(sites) == 0 || len(sites) > 3 || !inSource(sites) {
		return dropped
	}
	s := x.w(identifierHeader) * (1 - x.w(identifierPartPresent)*partsPresent(x, name))
	site := sites[0]
	return outcome{
		weak:      true,
		suspicion: s,
		reason:    fmt.Sprintf("is headed %s; it is defined in %s, which is not touched, and no line of the diff contains it", quote(c.Whole), quote(site.Path)),
		fix:       "name what the diff changes",
		evidence:  []Evidence{{Fact: fmt.Sprintf("%s is defined here, and the file is not touched", quote(name)), Path: site.Path, Line: site.Line, Side: "tree", Weight: s}},
	}
}

// ownerTouched: the type or module in front of the name is defined in a touched
// file that was read, so that its members can be seen.
func ownerTouched(x *judging, c *claim.Claim) bool {
	i := strings.LastIndexAny(c.Whole, ".:#>")
	if i <= 0 {
		return false
	}
	owner := strings.TrimRight(c.Whole[:i], ".:#->")
	owner = owner[strings.LastIndexAny(owner, ".:#>")+1:]
	if len(owner) < 4 {
		return false
	}
	old, now := x.defined(owner)
	return old || now
}

// ownedElsewhere: "store.Client", where a touched file imports a store that is no
// folder of this tree: another library's Client.
func ownedElsewhere(x *judging, c *claim.Claim) bool {
	i := strings.LastIndexAny(c.Whole, ".:#>")
	if i <= 0 {
		return false
	}
	owner := strings.TrimRight(c.Whole[:i], ".:#->")
	owner = owner[strings.LastIndexAny(owner, ".:#>")+1:]
	if len(owner) < 3 || strings.ToLower(owner) != owner || len(x.in.Tree.DirsNamed(owner)) > 0 {
		return false
	}
	file := len(x.in.Tree.FilesStemmed(owner)) > 0
	for i := range x.f.Change.Files {
		f := &x.f.Change.Files[i]
		for _, image := range [...][]byte{f.New, f.Old} {
			if importsFrom(image, "/"+owner+"\"") {
				return true
			}
			for _, form := range [...]string{"\"" + owner + "\"", "'" + owner + "'", "import " + owner, "from " + owner + " "} {
				if !file && bytes.Contains(image, []byte(form)) {
					return true
				}
			}
		}
	}
	return false
}

// importsFrom: a quoted path that ends in tail and does not begin in this tree.
func importsFrom(image []byte, tail string) bool {
	for at := 0; ; {
		i := bytes.Index(image[at:], []byte(tail))
		if i < 0 {
			return false
		}
		i += at
		if q := bytes.LastIndexByte(image[:i], '"'); q >= 0 && i-q < 200 && image[q+1] != '.' {
			return true
		}
		at = i + len(tail)
	}
}

// misspelt is a name on a changed line that differs from name by one or two
// letters: the author's slip is no false claim.
func (x *judging) misspelt(name string) string {
	if len(name) < 6 {
		return ""
	}
	best := ""
	x.f.EachName(func(n string, k *change.Count) {
		if k.Added+k.Removed > 0 && nearly(name, n) && (best == "" || n < best) {
			best = n
		}
	})
	return best
}

// nearly: equal but for one letter, or for two that are swapped.
func nearly(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(b)-len(a) > 1 {
		return false
	}
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	if len(a) < len(b) {
		return a[i:] == b[i+1:]
	}
	if i == len(a) {
		return false // the same
	}
	return a[i+1:] == b[i+1:] || i+1 < len(a) && a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:]
}

// declares: the file says what other files hold.
func declares(path string) bool {
	return strings.HasSuffix(path, ".d.ts") || strings.HasSuffix(path, ".d.cts") || strings.HasSuffix(path, ".d.mts") || strings.HasSuffix(path, ".pyi")
}

// inSource: some definition stands in program code, not only in tests, examples, documents or vendored copies.
func inSource(sites []Site) bool {
	for _, s := range sites {
		if k := lang.KindOf(s.Path); k == lang.Source && !lang.IsVendored(s.Path) && !declares(s.Path) {
			return true
		}
	}
	return false
}

// onlyDeclared: no file but such as declare has it.
func onlyDeclared(sites []Site) bool {
	for _, s := range sites {
		if !declares(s.Path) {
			return false
		}
	}
	return true
}

// tickedComponent: a name in backticks that no code defines and that is a folder
// or a file of the tree, which the change does not touch: "Update the version of the `ignore` crate".
func tickedComponent(x *judging, c *claim.Claim) (outcome, bool) {
	low := strings.ToLower(c.Name)
	if c.Shape != claim.Ticked || c.Name != c.Whole || c.Standing != claim.Subject || x.in.Tree == nil || genericScopes()[low] || platforms()[low] || x.projectName(low) || x.present(low) > 0 {
		return outcome{}, false
	}
	dirs := x.in.Tree.DirsNamed(low)
	if len(dirs) == 0 || len(dirs) > 4 {
		return outcome{}, false
	}
	s := 2.3
	if c.Relation >= claim.Toward || c.Verb == claim.NoVerb {
		s -= 1
	}
	o := componentAbsent(x, c, s, fmt.Sprintf("%s is not touched, and the diff does not speak of it", quote(dirs[0])))
	o.weak = true
	return o, true
}

// inventedName: the message adds a name of which the diff holds nothing.
func inventedName(x *judging, c *claim.Claim, parts float64) (outcome, bool) {
	if c.Verb != claim.VerbAdd || c.Relation != claim.Object || !c.Head || c.Shape < claim.Ticked || len(c.Name) < 5 {
		return outcome{}, false
	}
	if parts >= 0.5 && (c.Shape != claim.Shaped || len(nameWords(c.Name)) < 2 || !strings.ContainsAny(c.Text, "`(_")) {
		return outcome{}, false
	}
	if c.Shape == claim.Ticked && len(nameWords(c.Name)) == 1 && parts > 0 {
		return outcome{}, false
	}
	if x.misspelt(c.Name) != "" {
		return outcome{}, false
	}
	o := invented(x, c, c.Name)
	if c.Shape == claim.Ticked {
		o.suspicion -= 0.6
	}
	o.suspicion -= 0.9 * parts
	if t := strings.TrimPrefix(c.Text, "@"); t[0] >= 'A' && t[0] <= 'Z' && c.Name == c.Whole && !strings.ContainsAny(c.Text, "_(`") {
		o.suspicion -= 1.5 // ColdFusion, BoxLang: an inner capital in prose is a product as often as a class
	}
	return o, true
}

// stillThere: said to be removed, and a touched file holds it as before.
func stillThere(x *judging, c *claim.Claim) outcome {
	at := change.At{}
	for i := range x.f.Change.Files {
		for _, d := range x.f.Change.Files[i].NewDefs {
			if d.Name == c.Name && at.Line == nil {
				at = change.At{File: i, Line: &change.Line{Op: ' ', New: d.Line, Text: c.Name}}
			}
		}
	}
	if at.Line == nil {
		return neutral("%s is in a touched file, off the changed lines", quote(c.Name))
	}
	return outcome{
		suspicion: x.w(identifierStillThere),
		reason:    fmt.Sprintf("says that %s is removed; it is still defined, and no removed line contains it", quote(c.Name)),
		fix:       fmt.Sprintf("remove %s, or leave it out of the message", quote(c.Name)),
		evidence:  []Evidence{x.line(at, fmt.Sprintf("%s is defined here as before", quote(c.Name)), false, x.w(identifierStillThere))},
	}
}

// judgeFlag: an option of the program, judged only where it is said to be added
// and nothing in the touched files is written like it.
func judgeFlag(x *judging, c *claim.Claim) outcome {
	if c.Standing < claim.Own || external(c) {
		return dropped
	}
	if x.f.InDiff(c.Name) || c.Verb != claim.VerbAdd || c.Relation != claim.Object || !c.Head {
		return neutral("an option of the program: only the invented one is judged")
	}
	if !x.f.Complete {
		return x.incomplete()
	}
	bare := strings.TrimLeft(c.Name, "-")
	for _, form := range [...]string{bare, strings.ReplaceAll(bare, "-", "_"), strings.ReplaceAll(bare, "-", "")} {
		if x.f.InFiles(form) {
			return neutral("a touched file has %s", quote(form))
		}
	}
	if x.in.Tree == nil {
		return unverifiable("no index (sayso index)")
	}
	o := invented(x, c, c.Name)
	o.suspicion -= 0.9 * partsPresent(x, bare)
	return o
}

func qualifierPresent(x *judging, c *claim.Claim) bool {
	i := strings.LastIndexAny(c.Whole, ".:#>")
	if i <= 0 {
		return false
	}
	for _, q := range nameWords(c.Whole[:i]) {
		if len(q) > 3 && x.present(q) >= 2 {
			return true
		}
	}
	return false
}

// identifierChanged: the name is on a changed line.
func identifierChanged(x *judging, c *claim.Claim, n change.Count) outcome {
	name := c.Name
	at := n.AddedAt
	if n.Added == 0 {
		at = n.RemovedAt
	}
	ev := x.line(at, fmt.Sprintf("%s stands on a changed line", name), true, -2)
	plain := outcome{verdict: Neutral, reason: fmt.Sprintf("%s stands on a changed line", quote(name)), evidence: []Evidence{ev}}
	if external(c) || c.Standing < claim.Own || c.Relation == claim.Toward || c.Relation == claim.Origin || c.Relation == claim.Means || c.Relation == claim.Of || !x.codeAt(at) {
		return plain
	}
	inOld, inNew := x.defined(name)
	switch c.Verb {
	case claim.VerbAdd:
		if inNew && !inOld {
			return corroborated(0.95, fmt.Sprintf("%s is defined by this change", quote(name)), ev)
		}
		if n.Net() > 0 && !inOld && !x.f.InOldFiles(name) {
			return corroborated(0.85, fmt.Sprintf("%s is new in the touched files", quote(name)), ev)
		}
		return plain
	case claim.VerbRemove:
		if inOld && !inNew || n.Removed > 0 && !x.f.InNewFiles(name) {
			ev = x.line(n.RemovedAt, fmt.Sprintf("%s is removed", name), true, -2)
			return corroborated(0.95, fmt.Sprintf("%s is removed by this change", quote(name)), ev)
		}
		return plain
	case claim.VerbRename, claim.VerbEnable, claim.VerbDisable, claim.VerbIncrease, claim.VerbDecrease, claim.NoVerb:
		return plain
	}
	if _, ok := x.f.Enclosing[name]; ok {
		return corroborated(0.85, fmt.Sprintf("%s is edited", quote(name)), ev)
	}
	if inOld != inNew {
		return corroborated(0.8, fmt.Sprintf("the definition of %s comes or goes", quote(name)), ev)
	}
	return plain
}

// codeAt: the place is a line of code in a file that can hold what a name names.
func (x *judging) codeAt(at change.At) bool {
	if at.Line == nil {
		return false
	}
	switch x.f.Change.Files[at.File].Kind {
	case lang.Doc, lang.Other, lang.Asset, lang.Vendored:
		return false
	}
	return at.Line.Class == lang.Code
}

// defined says whether the images of the touched files define a name.
func (x *judging) defined(name string) (old, new bool) {
	for i := range x.f.Change.Files {
		f := &x.f.Change.Files[i]
		for _, d := range f.OldDefs {
			if d.Name == name {
				old = true
			}
		}
		for _, d := range f.NewDefs {
			if d.Name == name {
				new = true
			}
		}
	}
	return old, new
}

func (x *judging) enclosing(c *claim.Claim) (change.At, bool) {
	for _, n := range [...]string{c.Name, c.Whole, strings.ReplaceAll(strings.ReplaceAll(c.Whole, "::", "."), "#", ".")} {
		if at, ok := x.f.Enclosing[n]; ok {
			return at, true
		}
	}
	return change.At{}, false
}

package checks

import (
	"fmt"
	"math"
	"strings"
	"sync"

	"github.com/saysolint/sayso/change"
	"github.com/saysolint/sayso/claim"
	"github.com/saysolint/sayso/internal/lang"
	"github.com/saysolint/sayso/internal/text"
)

var actionCheck = Check{
	Doc: Doc{
		ID: "action", Title: "Added, removed, renamed, moved, enabled, disabled, raised, lowered: against what the lines did", Default: "gate", Since: "0.1",
		Needs: "the diff",
		Text: `A verb with a direction is held against the direction of the diff: "remove X" where no line is removed and X only gains occurrences, "rename A to B" where A stays and
B is nowhere, "enable X" where the only flip is from true to false or the lines go into comments, "add tests" where
tests are only deleted, "remove support for X" where all that speaks of X is new. More added than removed lines alone prove nothing. What a program removes when it runs
("remove stale rows before insert") is added code, an insertion inside a line is an addition, and a changelog entry reports on other commits.`,
		Fires: "Remove `LegacySession` from the auth package (the diff adds the class and removes nothing)",
		Quiet: "Remove stale rows before insert (the diff adds a call that deletes them)",
	},
	kind:  claim.KindAction,
	judge: judgeAction,
}

func judgeAction(x *judging, c *claim.Claim) outcome {
	if len(x.f.Change.Files) == 0 {
		return neutral("the change touches no file")
	}
	if rollsBack(x) {
		return neutral("the message tells what another commit did, and takes it back")
	}
	if o, ok := judgeWholeFile(x, c); ok {
		return o
	}
	if x.changelogOnly() {
		if o, ok := judgeEntry(x, c); ok {
			return o
		}
		return neutral("a changelog reports on other commits")
	}
	if r, ok := onlyUnreadable(x.f.Change); ok && c.Verb != claim.VerbRename && c.Verb != claim.VerbMove {
		if r == change.ReasonSubmodule {
			return unverifiable("only the pointer of a submodule could be read")
		}
		for i := range x.f.Change.Files {
			st := x.f.Change.Files[i].Status
			if c.Verb == claim.VerbAdd && st == change.Added || c.Verb == claim.VerbRemove && st == change.Deleted {
				return neutral("a file of that status is in the change")
			}
		}
		return unverifiable("nothing of the change can be read as text (%s)", r)
	}
	switch c.Verb {
	case claim.VerbAdd, claim.VerbRemove:
		return judgePolarity(x, c)
	case claim.VerbRename, claim.VerbMove:
		return judgeRename(x, c)
	case claim.VerbEnable, claim.VerbDisable:
		return judgeToggle(x, c)
	case claim.VerbIncrease, claim.VerbDecrease:
		return judgeStep(x, c)
	}
	return neutral("the verb has no direction")
}

// rollsBack: the subject says in its own words that another commit is taken back.
func rollsBack(x *judging) bool {
	if len(x.m.Statements) == 0 {
		return false
	}
	for _, t := range x.m.Statements[0].Tokens {
		switch t.Low {
		case "rollback", "rollbacks", "revert", "reverts", "reverted", "reverting", "backout", "reland", "rolled":
			return true
		}
	}
	return false
}

// judgeWholeFile: the file that is said to be added is deleted, or the other way round.
func judgeWholeFile(x *judging, c *claim.Claim) (outcome, bool) {
	wrong, say := change.Deleted, "deleted"
	switch c.Verb {
	case claim.VerbAdd:
	case claim.VerbRemove:
		wrong, say = change.Added, "added"
	default:
		return outcome{}, false
	}
	if len(c.Object) == 0 {
		return outcome{}, false
	}
	t := &c.Object[len(c.Object)-1]
	word := t.Kind == claim.Word && len(t.Low) >= 5 || t.Kind == claim.Name && strings.IndexByte(t.Text, '.') < 0
	if !word && (t.Kind != claim.Path && t.Kind != claim.Code || strings.IndexByte(t.Text, '.') < 0) {
		return outcome{}, false
	}
	name := strings.ToLower(strings.Trim(t.Text, "`./ "))
	hit := -1
	for i := range x.f.Change.Files {
		f := &x.f.Change.Files[i]
		switch {
		case word:
			if f.Kind == lang.Source || f.Kind == lang.Test || stemOfBase(f.Path) != name && (f.OldPath == "" || stemOfBase(f.OldPath) != name) {
				continue
			}
		case !samePath(f.Path, name) && (f.OldPath == "" || !samePath(f.OldPath, name)):
			continue
		}
		if f.Status != wrong {
			return outcome{}, false
		}
		hit = i
	}
	if hit < 0 {
		return outcome{}, false
	}
	s := x.w(actionBias) + x.w(actionFile)
	if c.Mixed {
		s -= 1.2
	}
	f := &x.f.Change.Files[hit]
	return outcome{suspicion: s,
		reason:   fmt.Sprintf("says %s, but %s is %s", quote(clip(c.Text, 60)), quote(f.Path), say),
		fix:      fmt.Sprintf("say that %s is %s, or commit the change that is described", quote(f.Path), say),
		evidence: []Evidence{{Fact: quote(f.Path) + " is " + say, Path: f.Path, Weight: s}},
	}, true
}

// stemOfBase is the base name of a path in lower case, without a leading dot and without extensions.
func stemOfBase(p string) string {
	b := strings.ToLower(strings.TrimPrefix(base(p), "."))
	b, _, _ = strings.Cut(b, ".")
	return b
}

// judgeEntry: a change of nothing but a changelog can be held against what is said of the changelog itself.
func judgeEntry(x *judging, c *claim.Claim) (outcome, bool) {
	if c.Verb != claim.VerbAdd && c.Verb != claim.VerbRemove || thingOf(c) != news {
		return outcome{}, false
	}
	own := false
	for _, t := range c.Object {
		own = own || t.Low == "changelog" || t.Low == "news" || t.Low == "history"
	}
	all := x.things(news)
	right, other, at := all.sides(c.Verb == claim.VerbAdd)
	if !own || right > 0 || other == 0 || !x.f.Complete {
		return outcome{}, false
	}
	s := x.w(actionBias) + x.w(removeZero) + x.w(actionObjectBad)
	return outcome{suspicion: s,
		reason:   fmt.Sprintf("says %s, but the changelog has %s and %s", quote(clip(c.Text, 60)), plural(x.f.AddedLines, "added line"), plural(x.f.RemovedLines, "removed line")),
		fix:      "say what happens to the changelog",
		evidence: []Evidence{x.line(at, "the changelog changes the other way", false, s)},
	}, true
}

// object is what a verb is about: code names as they stand, and stems of plain words.
type object struct {
	names []string
	stems []string
	words []string
}

func objectOf(x *judging, c *claim.Claim) object {
	var o object
	for _, t := range c.Object {
		switch t.Kind {
		case claim.Name, claim.Code:
			n := t.Text
			n = strings.TrimPrefix(n, "@")
			if i := strings.IndexByte(n, '('); i > 0 {
				n = n[:i]
			}
			if i := strings.LastIndexAny(n, ".:#>"); i >= 0 && i+1 < len(n) {
				n = n[i+1:]
			}
			if len(n) >= 3 && !strings.ContainsAny(n, " /") {
				o.names = append(o.names, n)
			}
			for _, w := range nameWords(t.Text) {
				o.stems = append(o.stems, stem(w))
				o.words = append(o.words, w)
			}
		case claim.Word, claim.Path, claim.Flag:
			for _, w := range nameWords(t.Text) {
				if len(w) < 3 || claim.Stop()[w] && !objectNouns()[w] || x.projectName(w) {
					continue
				}
				o.stems = append(o.stems, stem(w))
				o.words = append(o.words, w)
			}
		}
	}
	return o
}

// runtimeWords behind a verb of removal tell of what the program does when it runs.
var runtimeWords = words("before when if while after until unless whenever once during from where always automatically upon prior properly correctly on around")

// objectNouns are words that name nothing in general and yet are what a verb can be about.
var objectNouns = words("test tests comment comments code docs documentation error errors file files example examples dependency dependencies")

// behaviourStems on the lines of the other side show that the code does the removing (or the adding).
var removing = sync.OnceValue(func() map[string]bool {
	return stems("remove delete drop strip clear unset trim unlink discard exclude filter ignore skip omit splice pop del purge prune evict reset erase replace free destroy cleanup rm")
})
var ignoring = sync.OnceValue(func() map[string]bool {
	return stems("ignore exclude skip disable filter remove no except only deny block hide")
})

func stems(list string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(list) {
		m[stem(w)] = true
	}
	return m
}

func stem(w string) string { return text.Stem(w) }

func judgePolarity(x *judging, c *claim.Claim) outcome {
	add := c.Verb == claim.VerbAdd
	right, other := x.f.AddedLines, x.f.RemovedLines
	rightStatus, otherStatus := change.Added, change.Deleted
	if !add {
		right, other = other, right
		rightStatus, otherStatus = otherStatus, rightStatus
	}
	o := objectOf(x, c)
	sign := func(n change.Count) int {
		if add {
			return n.Net()
		}
		return -n.Net()
	}
	good, bad, both, none := 0, 0, 0, 0
	for _, s := range o.stems {
		n := x.f.Stem(s)
		switch {
		case n.Added+n.Removed == 0:
			none++
		case sign(n) > 0:
			good++
		case sign(n) < 0:
			bad++
		default:
			both++
		}
	}
	nameGood, nameBad := "", ""
	for _, name := range o.names {
		n := x.f.Name(name)
		if n.Added+n.Removed == 0 {
			n = x.f.Folded(name)
		}
		rightCount := n.Added
		if !add {
			rightCount = n.Removed
		}
		switch {
		case rightCount > 0 && sign(n) >= 0:
			nameGood = name
		case rightCount == 0 && n.Added+n.Removed > 0:
			nameBad = name
		case rightCount > 0:
			nameGood = name // on both sides: taken apart or rewritten
		}
	}
	var nameAt change.At // of nameBad where it is no identifier
	for _, name := range hyphenated(c) {
		t := x.written(name)
		right, other, at := t.sides(add)
		switch {
		case right > 0:
			good++
		case other > 0 && nameBad == "" && nameGood == "":
			nameBad, nameAt = name, at
		}
	}
	hasStatus, onlyOther := false, true
	statusHit := ""
	for i := range x.f.Change.Files {
		f := &x.f.Change.Files[i]
		if f.Status == rightStatus || f.Status == change.Copied && add {
			hasStatus = true
			low := strings.ToLower(f.Path)
			hit, long := 0, 0
			for _, w := range o.words {
				if len(w) > 2 {
					long++
					if strings.Contains(low, w) {
						hit++
					}
				}
			}
			if long > 0 && hit*2 > long {
				statusHit = f.Path
			}
		}
		if f.Status != otherStatus {
			onlyOther = false
		}
	}
	word := c.VerbWord
	verb := "added"
	if !add {
		verb = "removed"
	}
	// What bears the claim out: the object itself, on the right side.
	if nameGood != "" && nameBad == "" {
		n := x.f.Name(nameGood)
		at := n.AddedAt
		if !add {
			at = n.RemovedAt
		}
		old, new := x.defined(nameGood)
		if !x.codeAt(at) {
			return outcome{verdict: Neutral, reason: fmt.Sprintf("%s stands on %s lines", quote(nameGood), verb), evidence: []Evidence{x.line(at, nameGood+" is on this side", true, -2)}}
		}
		if add && new && !old || !add && old && !new || add && n.Removed == 0 && n.Added > 0 && !x.f.InOldFiles(nameGood) || !add && n.Added == 0 && n.Removed > 0 && !x.f.InNewFiles(nameGood) {
			return corroborated(0.95, fmt.Sprintf("%s is %s", quote(nameGood), verb), x.line(at, nameGood+" is "+verb, true, -3))
		}
		return outcome{verdict: Neutral, reason: fmt.Sprintf("%s stands on %s lines", quote(nameGood), verb), evidence: []Evidence{x.line(at, nameGood+" is on this side", true, -2)}}
	}
	if statusHit != "" {
		return corroborated(0.85, fmt.Sprintf("%s is %s", quote(statusHit), verb), Evidence{Fact: quote(statusHit) + " is " + verb, For: true, Path: statusHit, Weight: -2})
	}
	if !x.f.Complete {
		return x.incomplete()
	}
	if anyUnread(x) && right == 0 {
		return unverifiable("a file of the change cannot be read as text")
	}
	zero := right == 0 && other > 0 && !hasStatus
	for _, w := range o.words {
		switch w {
		case "whitespace", "whitespaces", "space", "spaces", "blank", "newline", "newlines", "vertical", "empty", "line", "lines", "indentation", "trailing":
			return judgeBlanks(x, c)
		}
	}
	ratio := math.Log(float64(other+1) / float64(right+1))
	grown := x.grown(add)
	anywhere := x.behaves(add)
	behaves := anywhere
	if behaves && other > behavesNear {
		behaves = x.workedOn(o, add)
	}
	// A code name that stands on the wrong side only.
	if nameBad != "" && good == 0 {
		n := x.f.Name(nameBad)
		if n.Added+n.Removed == 0 {
			n = x.f.Folded(nameBad)
		}
		at := n.RemovedAt
		if !add {
			at = n.AddedAt
		}
		if nameAt.Line != nil {
			at = nameAt
		}
		newcomer := !add && !x.f.InOldFiles(nameBad) || add && !x.f.InNewFiles(nameBad)
		s := x.w(actionBias) + x.w(actionNameBad)
		switch {
		case zero:
			s += 2.2
		case newcomer && ratio > 1.3 && c.Standing == claim.Subject:
			s += 1.6
		case ratio > 1.3:
			s += 1.0
		case newcomer && ratio > 0.7:
			s += 0.5
		case right > 0:
			s -= 0.8
		}
		old, new := x.defined(nameBad)
		if add && old && !new || !add && new && !old {
			s += 1.4
		}
		if c.Mixed {
			s -= 1.2
		}
		if grown && !newcomer {
			s -= 1.0
		}
		if c.Standing != claim.Subject {
			s -= 0.4
		}
		wrong := "removed"
		if !add {
			wrong = "added"
		}
		if !add && behaves && runtime(x, c) && !new {
			return neutral("what is removed when the program runs is added code")
		}
		if !add && behaves && !(new && !old) || add && behaves {
			s -= 1.4
		}
		return outcome{suspicion: s,
			reason:   fmt.Sprintf("says %s %s, but the diff only has it on %s lines", word, quote(nameBad), wrong),
			fix:      fmt.Sprintf("say that %s is %s, or commit the change that is described", quote(nameBad), wrong),
			evidence: []Evidence{x.line(at, nameBad+" is "+wrong+" here", false, s)},
		}
	}
	if good > 0 {
		return outcome{verdict: Neutral, reason: fmt.Sprintf("words of the object stand on %s lines", verb)}
	}
	if !hasStatus {
		if o, ok := judgeOneSided(x, c, o, add, ratio); ok {
			return o
		}
	}
	if len(o.stems) == 0 && !(zero && add) {
		return neutral("the object is no word that can be looked for")
	}
	kindAt, kindBad := x.wrongThings(c, o, add, ratio)
	madeAt, madeName := change.At{}, ""
	if !add && bad > 0 && !c.Mixed && !behaves && !runtime(x, c) {
		madeAt, madeName = x.made(o.words, true)
	}
	// Nothing of the object on its side, and it was in the files before (add) only.
	gone := add && bad > 0 && both == 0 && x.onlyOn(o, false)
	s := x.w(actionBias)
	switch {
	case zero && add && !kindBad && other <= 10 && x.behaves(add):
		return neutral("a line that kept something out is gone, and that may add it")
	case zero && add:
		s += x.w(addZero) // whatever else the clause says: what is added needs an added line
	case zero && !c.Mixed:
		s += x.w(removeZero)
	case zero:
		s += x.w(removeZeroMixed)
	case hasStatus:
		return neutral("lines come and go on both sides")
	case madeName != "" && ratio > 0.7:
		s += x.w(actionMade)
	case kindBad && ratio > 0.7:
		s += x.w(actionThing)
	case !add && (anywhere || ratio < 2 || right > 3):
		return neutral("lines come and go on both sides") // features that remove things are added code
	case ratio > 1.3 || add && bad > 0 && both == 0 && ratio > 0.7:
		w := min(4, max(ratio, 2)) / 2
		switch {
		case add && (!c.Mixed || bad > 0 && both == 0):
			s += w * x.w(addLop)
		case !c.Mixed:
			s += w * x.w(removeLop)
		case add:
			s += w * x.w(addLopMixed)
		default:
			s += w * x.w(removeLopMixed)
		}
	default:
		return neutral("lines come and go on both sides")
	}
	switch {
	case kindBad || madeName != "":
		if zero {
			s += x.w(actionObjectBad)
		}
	case bad > 0 && both == 0:
		w := x.w(actionObjectBad)
		if c.Mixed && !add {
			w *= 0.4
		}
		s += w
	case bad == 0:
		if c.Mixed && !add {
			s -= 0.6 // the object is nowhere: the words may be the reader's, not the code's
		}
		if zero && !kindBad && c.Standing != claim.Subject {
			return neutral("the object is not in the diff")
		}
		if !zero && (!add || both > 0 || c.Mixed || x.categories().onlyDoc || c.Standing != claim.Subject) {
			return neutral("the object is not in the diff")
		}
	}
	if onlyOther && len(x.f.Change.Files) > 0 {
		s += x.w(actionStatus)
	}
	if anywhere && !(kindBad && !zero) && madeName == "" {
		s += x.w(actionBehaves)
		if !add && !(kindBad && thingOf(c) == tests) && (runtime(x, c) || (c.Standing != claim.Subject || x.f.AddedLines <= 12) && x.f.AddedLines <= 80) {
			return neutral("what is removed when the program runs is added code")
		}
	}
	if grown && !zero && !(add && bad > 0 && both == 0) && !kindBad && madeName == "" {
		if len(x.f.Pairs)*2 >= other || ratio < 2 {
			return neutral("a line is replaced by itself and something more")
		}
		s -= 0.8
	}
	if x.support().style && !zero {
		s += x.w(actionStyle)
	}
	if x.f.Code[lang.Source]+x.f.Code[lang.Test]+x.f.Code[lang.Config]+x.f.Code[lang.Build]+x.f.Code[lang.CI] == 0 && !zero && !kindBad && !gone {
		s -= 1.5 // prose is rewritten freely
	}
	if c.Standing != claim.Subject {
		s -= 0.4
	}
	at, side := x.firstOn(!add), "removed"
	if !add {
		side = "added"
	}
	fact := "lines are only " + side
	switch {
	case madeName != "":
		at, fact = madeAt, madeName+" is defined here"
	case kindBad && kindAt.Line != nil:
		at, fact = kindAt, "what is named is "+side+" here"
	case !zero:
		fact = "this line is " + side
	}
	return outcome{suspicion: s,
		reason:   fmt.Sprintf("says %s, but the diff has %s and %s", quote(clip(c.Text, 60)), plural(x.f.AddedLines, "added line"), plural(x.f.RemovedLines, "removed line")),
		fix:      "say what the lines do, or commit the change that is described",
		evidence: []Evidence{x.line(at, fact, false, s)},
	}
}

// carriers are heads of an object that say little themselves: what is meant
// stands behind the next preposition ("support for X", "a note about X").
var carriers = sync.OnceValue(func() map[string]bool {
	return set(`support ability way test tests testcase testcases spec documentation docs doc note notes example examples check checks workaround hint hints tip tips option options
section handling warning guide tutorial method methods function functions helper helpers flag command subcommand page link links info information description mention entry benchmark benchmarks
coverage feature api apis implementation case cases hook badge parameter argument setting config configuration class variable field property type types template`)
})

// judgeOneSided: what is said to be removed is what the change brings, or the
// other way round. The lines of the other side are many times those of the verb's own, and the words
// that tell what the object is about (behind the preposition as well) stand there only.
// What is removed when the program runs looks alike; so the head of the object
// has to be a thing of code or text that a program does not remove, and no line beside it may remove.
func judgeOneSided(x *judging, c *claim.Claim, o object, add bool, ratio float64) (outcome, bool) {
	if ratio < 1.0 || c.Mixed && !add || c.Standing != claim.Subject || x.support().style || !x.f.Complete {
		return outcome{}, false
	}
	head := thingWord(c)
	if !carriers()[head] || add && (head == "link" || head == "links") { // a link takes the place of what it leads to
		return outcome{}, false
	}
	o = withComplement(x, c, o)
	known := 0
	at := change.At{}
	for i, s := range o.stems {
		if objectNouns()[o.words[i]] || carriers()[o.words[i]] {
			continue
		}
		n := x.f.Stem(s)
		own, wrong, where := n.Removed, n.Added, n.AddedAt
		if add {
			own, wrong, where = wrong, own, n.RemovedAt
		}
		switch {
		case own*4 > wrong:
			return outcome{}, false
		case wrong > 0 && own == 0:
			if known++; known == 1 {
				at = where
			}
		}
	}
	if known == 0 {
		return outcome{}, false
	}
	k := x.categories()
	prose := k.onlyDoc || k.onlyTest && (testWordsOfSubject()[head] || head == "check" || head == "case" || head == "cases")
	if !prose {
		if x.workedOn(o, add) || !add && x.denies(o) {
			return outcome{}, false
		}
		var t tally
		x.eachChanged(func(f *change.File, at change.At) {
			if f.Kind == lang.Source && at.Line.Class == lang.Code {
				t.count(at)
			}
		})
		if own, wrong, _ := t.sides(add); own*2 > wrong {
			return outcome{}, false
		}
	}
	s := x.w(actionBias) + x.w(actionThing)
	if known > 1 {
		s += 0.4
	}
	if ratio > 2.3 || add && x.f.AddedLines == 0 || !add && x.f.RemovedLines == 0 {
		s += 0.5
	}
	side := "added"
	if add {
		side = "removed"
	}
	return outcome{suspicion: s,
		reason:   fmt.Sprintf("says %s, but the diff has %s and %s, and only %s ones speak of it", quote(clip(c.Text, 60)), plural(x.f.AddedLines, "added line"), plural(x.f.RemovedLines, "removed line"), side),
		fix:      "say what the lines do, or commit the change that is described",
		evidence: []Evidence{x.line(at, "what is named is "+side+" here", false, s)},
	}, true
}

// withComplement is the object with the words behind the prepositions that follow it in its clause.
func withComplement(x *judging, c *claim.Claim, o object) object {
	if c.Statement < 0 || c.Clause < 0 || len(c.Object) == 0 {
		return o
	}
	st := &x.m.Statements[c.Statement]
	from := c.Object[len(c.Object)-1].End
	var tail claim.Claim
	for _, t := range st.Tokens[st.Clauses[c.Clause].From:st.Clauses[c.Clause].To] {
		if t.Start < from || len(tail.Object) >= 8 {
			continue
		}
		if t.Kind == claim.Punct && t.Text == "," {
			break
		}
		tail.Object = append(tail.Object, t)
	}
	more := objectOf(x, &tail)
	return object{
		names: append(o.names[:len(o.names):len(o.names)], more.names...),
		stems: append(o.stems[:len(o.stems):len(o.stems)], more.stems...),
		words: append(o.words[:len(o.words):len(o.words)], more.words...),
	}
}

var denying = sync.OnceValue(func() map[string]bool {
	return stems("disable deny forbid reject refuse prevent deprecate unsupported disallow block")
})

// denies: an added line that speaks of the object refuses something.
func (x *judging) denies(o object) bool {
	found := false
	x.eachChanged(func(_ *change.File, at change.At) {
		if !found && at.Line.Op == '+' && hasStem(at.Line.Text, denying()) && mentions(at.Line.Text, o) {
			found = true
		}
	})
	return found
}

// behavesNear is up to how many lines a word of removing anywhere in the diff is
// taken for the code that removes; in longer diffs it has to stand beside the object.
const behavesNear = 12

// wrongThings: the object is a kind of thing that can be counted, and such things stand on the other side only.
func (x *judging) wrongThings(c *claim.Claim, o object, add bool, ratio float64) (change.At, bool) {
	kind := thingOf(c)
	if kind == noThing || kind == news || c.Standing != claim.Subject { // a body may tell of a step on the way
		return change.At{}, false
	}
	t := x.things(kind)
	right, other, at := t.sides(add)
	switch {
	case other == 0:
		return at, false
	case !add && kind != tests && (c.Mixed || runtime(x, c) || x.workedOn(o, add)):
		return at, false
	case kind == code && !add:
		return at, right == 0 && x.f.RemovedLines == 0
	case kind == code:
		// A function that is added may take the place of many lines; code in general may not.
		return at, right == 0 && ratio > 0 || right*6 <= other && thingWord(c) == "code"
	case kind == prose:
		return at, right*12 <= other
	case kind == tests:
		// Fewer tests with more lines, or the other way round, is the rewriting of tests.
		return at, right == 0 && ratio > 0
	}
	return at, right == 0
}

// onlyOn: every word of the object that the diff knows stands on removed lines
// (on added ones where added is set) and nowhere else: not in context, not in the files of the other side.
func (x *judging) onlyOn(o object, added bool) bool {
	known := 0
	for i, s := range o.stems {
		n := x.f.Stem(s)
		wrong, right := n.Removed, n.Added
		if added {
			wrong, right = right, wrong
		}
		if right > 0 || n.Context > 0 {
			return false
		}
		if wrong > 0 {
			if added && x.f.InOldFiles(o.words[i]) || !added && x.f.InNewFiles(o.words[i]) {
				return false
			}
			known++
		}
	}
	return known > 0
}

// judgeBlanks: what is said of white space, held against a change of nothing else.
func judgeBlanks(x *judging, c *claim.Claim) outcome {
	net, lines, at, ok := x.blanks()
	for _, t := range c.Object {
		if t.Low == "vertical" || t.Low == "blank" || t.Low == "empty" || t.Low == "lines" || t.Low == "newlines" {
			net = lines
		}
	}
	more := c.Verb == claim.VerbAdd || c.Verb == claim.VerbIncrease
	if !ok || net == 0 || net > 0 == more || lines != 0 && lines > 0 == more {
		return neutral("lines without text are not counted, and that is what the statement is about")
	}
	s := x.w(actionBias) + x.w(actionThing)
	went := "goes"
	if net > 0 {
		went = "comes"
	}
	return outcome{suspicion: s, weak: true,
		reason:   fmt.Sprintf("says %s, but only white space changes, and more of it %s", quote(clip(c.Text, 60)), went),
		fix:      "say what happens to the white space",
		evidence: []Evidence{x.line(at, "nothing but white space changes", false, s)},
	}
}

// runtime: the clause goes on with a word of time or condition.
func runtime(x *judging, c *claim.Claim) bool {
	if c.Statement < 0 {
		return false
	}
	st := x.m.Statements[c.Statement]
	for _, t := range st.Tokens {
		if t.Start > c.Start && t.Kind == claim.Word && runtimeWords()[t.Low] {
			return true
		}
	}
	return false
}

// behaves: the lines of the other side do what the verb says.
func (x *judging) behaves(add bool) bool {
	words := removing
	if add {
		words = ignoring
	}
	for s := range words() {
		n := x.f.Stem(s)
		if !add && n.Added > 0 || add && n.Removed > 0 {
			return true
		}
	}
	if add || x.f.AddedLines > 12 {
		return false
	}
	// A setting is removed by adding its opposite: "persist-credentials: false".
	for _, off := range [...]string{"false", "off", "none", "null", "never", "disabled", "deny"} {
		if x.f.Folded(off).Added > 0 {
			return true
		}
	}
	return x.f.Number("0").Added > 0
}

// grown: some line is replaced by itself with something inserted (add) or cut out (remove).
func (x *judging) grown(add bool) bool {
	for _, p := range x.f.Pairs {
		a, b := strings.TrimSpace(p.Old.Text), strings.TrimSpace(p.New.Text)
		if !add {
			a, b = b, a
		}
		if len(b) > len(a) && subsequenceOnce(a, b) {
			return true
		}
	}
	return false
}

// subsequenceOnce: b is a with one run of bytes inserted.
func subsequenceOnce(a, b string) bool {
	h := 0
	for h < len(a) && a[h] == b[h] {
		h++
	}
	t := 0
	for t < len(a)-h && a[len(a)-1-t] == b[len(b)-1-t] {
		t++
	}
	return h+t >= len(a)
}

func (x *judging) firstOn(added bool) change.At {
	for i := range x.f.Change.Files {
		for _, h := range x.f.Change.Files[i].Hunks {
			for k := range h.Lines {
				l := &h.Lines[k]
				if (l.Op == '+') == added && l.Op != ' ' && strings.TrimSpace(l.Text) != "" {
					return change.At{File: i, Line: l}
				}
			}
		}
	}
	return change.At{}
}

func judgeRename(x *judging, c *claim.Claim) outcome {
	if c.From == "" || c.To == "" {
		for i := range x.f.Change.Files {
			f := &x.f.Change.Files[i]
			if f.Status == change.Renamed {
				for _, w := range objectOf(x, c).words {
					if len(w) > 3 && (strings.Contains(strings.ToLower(f.OldPath), w) || strings.Contains(strings.ToLower(f.Path), w)) {
						return corroborated(0.9, fmt.Sprintf("%s is renamed to %s", quote(f.OldPath), quote(f.Path)), pathEvidence(x, i))
					}
				}
			}
		}
		return neutral("the two names are not said")
	}
	from, to := strings.Trim(c.From, "`./"), strings.Trim(c.To, "`./")
	if strings.ContainsAny(from, "/.") && strings.ContainsAny(to, "/.") && !strings.Contains(from, "(") {
		for i := range x.f.Change.Files {
			f := &x.f.Change.Files[i]
			if (f.Status == change.Renamed || f.Status == change.Copied) && samePath(f.OldPath, from) && (samePath(f.Path, to) || strings.HasSuffix(to, "/") || underDir(f.Path, to)) {
				return corroborated(0.97, fmt.Sprintf("%s is renamed to %s", quote(f.OldPath), quote(f.Path)), pathEvidence(x, i))
			}
		}
		if !x.f.Complete {
			return x.incomplete()
		}
		if c.Verb == claim.VerbMove {
			return neutral("no file moves from the one to the other")
		}
		toThere := x.f.InDiff(to)
		stays := false
		if x.in.Tree != nil {
			for _, p := range x.in.Tree.FilesNamed(base(from)) {
				if samePath(p, from) {
					stays = true
				}
			}
			for _, p := range x.in.Tree.FilesNamed(base(to)) {
				if samePath(p, to) {
					toThere = true
				}
			}
		}
		if _, ok := touched(x.f.Change, to); ok {
			toThere = true
		}
		if stays && !toThere {
			i, _ := touched(x.f.Change, from)
			p := from
			if i >= 0 {
				p = x.f.Change.Files[i].Path
			}
			return outcome{suspicion: x.w(actionRename), reason: fmt.Sprintf("says that %s is renamed to %s; it keeps its name, and the new one is nowhere", quote(from), quote(to)),
				fix:      "commit the rename, or say what changes in the file",
				evidence: []Evidence{{Fact: fmt.Sprintf("%s is still there, and nothing is named %s", quote(from), quote(to)), Path: p, Weight: x.w(actionRename)}}}
		}
		return neutral("the names are in the change")
	}
	a, b := lastName(from), lastName(to)
	if a == "" || b == "" || len(a) < 3 || len(b) < 3 {
		return neutral("the two names cannot be looked for")
	}
	na, nb := x.f.Name(a), x.f.Name(b)
	if na.Removed > 0 && nb.Added > 0 {
		return corroborated(0.95, fmt.Sprintf("%s goes and %s comes", quote(a), quote(b)), x.line(na.RemovedAt, a+" is removed", true, -2), x.line(nb.AddedAt, b+" is added", true, -2))
	}
	if !x.f.Complete {
		return x.incomplete()
	}
	if c.Verb == claim.VerbMove {
		return neutral("a move of names cannot be told from the diff")
	}
	if nb.Added == 0 && !x.f.InDiff(b) && !x.f.InFiles(b) && na.Removed == 0 {
		s := x.w(actionRenameID)
		if allPartsPresent(x, b) {
			s -= 1.5
		}
		return outcome{suspicion: s, reason: fmt.Sprintf("says that %s is renamed to %s; no line of the diff contains the new name", quote(a), quote(b)),
			fix: "commit the rename, or name what is renamed", evidence: []Evidence{absent(fmt.Sprintf("no line of the diff contains %s", quote(b)), s)}}
	}
	return neutral("one of the two names is in the change")
}

func samePath(p, name string) bool {
	p, name = strings.ToLower(p), strings.ToLower(name)
	return p == name || strings.HasSuffix(p, "/"+name)
}

func underDir(p, dir string) bool {
	return strings.Contains(strings.ToLower("/"+p), "/"+strings.ToLower(strings.Trim(dir, "/"))+"/")
}

func lastName(s string) string {
	if i := strings.IndexByte(s, '('); i >= 0 {
		s = s[:i]
	}
	if i := strings.LastIndexAny(s, ".:#>"); i >= 0 {
		s = s[i+1:]
	}
	if strings.ContainsAny(s, " /") {
		return ""
	}
	return s
}

var onWords = map[string]string{"true": "false", "on": "off", "yes": "no", "enabled": "disabled", "enable": "disable", "error": "off", "warn": "off", "always": "never"}

// judgeToggle looks for literal flips (true to false, on to off) on lines that speak of the object.
func judgeToggle(x *judging, c *claim.Claim) outcome {
	o := objectOf(x, c)
	up, down := 0, 0
	var upAt, downAt change.At
	for _, p := range x.f.Pairs {
		a, b := lexemes(strings.ToLower(p.Old.Text)), lexemes(strings.ToLower(p.New.Text))
		if len(a) != len(b) {
			continue
		}
		diff := -1
		n := 0
		for k := range a {
			if a[k] != b[k] {
				diff = k
				n++
			}
		}
		if n != 1 || !mentions(p.Old.Text, o) {
			continue
		}
		negative, plain := negativeKey(p.Old.Text, o, a[diff])
		if negative && plain {
			continue // --with-threads/--without-threads
		}
		dir := 0
		if onWords[a[diff]] == b[diff] && b[diff] != "" {
			dir = -1
		} else if onWords[b[diff]] == a[diff] && a[diff] != "" {
			dir = 1
		}
		if negative {
			dir = -dir
		}
		at := change.At{File: p.File, Line: p.New}
		switch {
		case dir > 0:
			up++
			upAt = at
		case dir < 0:
			down++
			downAt = at
		}
	}
	if c.Verb == claim.VerbDisable {
		up, down, upAt, downAt = down, up, downAt, upAt
	}
	weak := false
	if up == 0 && down == 0 && c.Standing == claim.Subject {
		if up, down, upAt, downAt, weak = x.switched(c, o); up > 0 {
			return neutral("a line of the diff switches something the way the message says")
		}
	}
	switch {
	case up > 0 && down == 0:
		return corroborated(0.95, "the setting is switched the way the message says", x.line(upAt, "the setting is switched here", true, -3))
	case down > 0 && up == 0:
		return outcome{suspicion: x.w(actionToggle), weak: weak, reason: fmt.Sprintf("says %s, but the setting is switched the other way", quote(clip(c.Text, 60))),
			fix: "say the opposite, or switch the setting", evidence: []Evidence{x.line(downAt, "the setting is switched the other way", false, x.w(actionToggle))}}
	}
	if c.Verb == claim.VerbEnable && x.f.AddedLines == 0 && x.f.RemovedLines > 0 {
		for i := range x.f.Change.Files {
			f := &x.f.Change.Files[i]
			if f.Status != change.Deleted {
				continue
			}
			for _, w := range o.words {
				if len(w) > 3 && strings.Contains(strings.ToLower(f.Path), w) {
					return outcome{suspicion: 2.6, weak: true, reason: fmt.Sprintf("says %s, but %s is deleted and no line is added", quote(clip(c.Text, 60)), quote(f.Path)),
						fix: "say what is removed", evidence: []Evidence{{Fact: quote(f.Path) + " is deleted", Path: f.Path, Weight: 2.6}}}
				}
			}
		}
	}
	return neutral("no literal switch of the object is in the diff")
}

// switched looks for switches that are no replaced literals: new or deleted lines
// that set the object, and lines that were put into comments or taken out of them. It
// speaks from the verb's own side: up is what the verb says. Comments are the weaker sign.
func (x *judging) switched(c *claim.Claim, o object) (up, down int, upAt, downAt change.At, weak bool) {
	on, off := x.switches(o)
	up, down, upAt, downAt = max(0, on.added-on.removed), max(0, off.added-off.removed), on.addedAt, off.addedAt
	if up+down == 0 {
		if quiet, whole := x.silenced(); whole || quiet.added+quiet.removed > 0 && x.speaksOfSilenced(quiet, o) {
			up, down, upAt, downAt, weak = quiet.added, quiet.removed, quiet.addedAt, quiet.removedAt, true
		}
	}
	if c.Verb == claim.VerbDisable {
		up, down, upAt, downAt = down, up, downAt, upAt
	}
	// What denies on an added line may be the switch itself ("skip: true").
	if down > 0 && x.workedOn(o, false) {
		return 0, 0, change.At{}, change.At{}, false
	}
	return up, down, upAt, downAt, weak
}

func (x *judging) speaksOfSilenced(t tally, o object) bool {
	return t.added > 0 && mentions(t.addedAt.Line.Text, o) || t.removed > 0 && mentions(t.removedAt.Line.Text, o)
}

// negativeKey says whether a key on the line that speaks of the object says the
// opposite by its own name (disableCache, no-color), and whether one does not.
func negativeKey(line string, o object, value string) (negative, plain bool) {
	for _, key := range strings.FieldsFunc(line, func(r rune) bool {
		return !(r == '_' || r == '-' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z')
	}) {
		if !mentions(key, o) {
			continue
		}
		neg := false
		for _, w := range nameWords(key) {
			switch w {
			case "disable", "disabled", "no", "skip", "without", "ignore", "exclude", "off", "not", "prevent", "deny", "block", "hide":
				neg = neg || w != value
			}
		}
		negative, plain = negative || neg, plain || !neg
	}
	return negative, plain
}

func mentions(line string, o object) bool {
	found := false
	text.EachWord(line, func(w string) {
		s := stem(w)
		for _, want := range o.stems {
			if s == want {
				found = true
			}
		}
	})
	return found
}

// judgeStep: raised or lowered numbers on lines that speak of the object.
func judgeStep(x *judging, c *claim.Claim) outcome {
	o := objectOf(x, c)
	for _, w := range o.words {
		if w == "whitespace" || w == "indentation" || w == "blank" {
			return judgeBlanks(x, c)
		}
	}
	up, down := 0, 0
	var upAt, downAt change.At
	for _, p := range x.f.Pairs {
		a, b := numbersOf(p.Old.Text), numbersOf(p.New.Text)
		if len(a) != len(b) || len(a) == 0 || len(a) > 6 || !mentions(p.Old.Text, o) {
			continue
		}
		for k := range a {
			if strings.Contains(a[k], ".") != strings.Contains(b[k], ".") || a[k] == b[k] {
				continue
			}
			at := change.At{File: p.File, Line: p.New}
			if less(a[k], b[k]) != lessVersion(a[k], b[k]) {
				continue // 3.5 to 3.10: up as a version, down as a number
			}
			if less(a[k], b[k]) {
				up++
				upAt = at
			} else {
				down++
				downAt = at
			}
		}
	}
	if up+down == 0 && measures(c) {
		up, down, upAt, downAt = x.onlySteps()
	}
	if c.Verb == claim.VerbDecrease {
		up, down, upAt, downAt = down, up, downAt, upAt
	}
	switch {
	case up > 0 && down == 0:
		return corroborated(0.95, "the number goes the way the message says", x.line(upAt, "the number changes here", true, -3))
	case down > 0 && up == 0:
		return outcome{suspicion: x.w(actionStep) + x.w(actionBias) + 0.6, reason: fmt.Sprintf("says %s, but the number goes the other way", quote(clip(c.Text, 60))),
			fix: "say the opposite, or change the number", evidence: []Evidence{x.line(downAt, "the number goes the other way", false, x.w(actionStep))}}
	}
	return neutral("no number of the object changes in the diff")
}

// measures: the object is a bound itself, and no thing that a number might steer
// the other way ("reduce the load" by a longer interval).
func measures(c *claim.Claim) bool {
	for i := len(c.Object) - 1; i >= 0; i-- {
		switch c.Object[i].Low {
		case "bar", "bars", "limit", "limits", "threshold", "thresholds", "minimum", "maximum", "timeout", "timeouts", "bound", "bounds", "cap", "ceiling", "floor", "tolerance", "ratio", "requirement", "requirements", "retries":
			return c.Standing == claim.Subject
		}
		if c.Object[i].Kind == claim.Word {
			return false
		}
	}
	return false
}

// onlySteps counts the numbers that go up and down where the whole change is
// lines in which nothing but a number differs, or a line that came with them.
func (x *judging) onlySteps() (up, down int, upAt, downAt change.At) {
	for _, p := range x.f.Pairs {
		a, b := numbersOf(p.Old.Text), numbersOf(p.New.Text)
		if len(a) != len(b) || len(a) == 0 || wordsOnly(p.Old.Text) != wordsOnly(p.New.Text) {
			return 0, 0, change.At{}, change.At{}
		}
		for k := range a {
			at := change.At{File: p.File, Line: p.New}
			switch {
			case a[k] == b[k]:
			case strings.Contains(a[k], ".") != strings.Contains(b[k], "."), less(a[k], b[k]) != lessVersion(a[k], b[k]):
				return 0, 0, change.At{}, change.At{}
			case less(a[k], b[k]):
				up++
				upAt = at
			default:
				down++
				downAt = at
			}
		}
	}
	return up, down, upAt, downAt
}

// wordsOnly is a line without its digits.
func wordsOnly(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' || r == '.' {
			return -1
		}
		return r
	}, s)
}

// lessVersion compares two dotted versions part by part.
func lessVersion(a, b string) bool {
	for a != "" || b != "" {
		var x, y string
		x, a, _ = strings.Cut(a, ".")
		y, b, _ = strings.Cut(b, ".")
		if x != y {
			return less(x, y)
		}
	}
	return false
}

// less compares two decimal numbers by value.
func less(a, b string) bool {
	ai, af, _ := strings.Cut(a, ".")
	bi, bf, _ := strings.Cut(b, ".")
	ai, bi = strings.TrimLeft(ai, "0"), strings.TrimLeft(bi, "0")
	if len(ai) != len(bi) {
		return len(ai) < len(bi)
	}
	if ai != bi {
		return ai < bi
	}
	return af < bf
}

package checks

import (
	"fmt"
	"math"
	"strings"

	"github.com/saysolint/sayso/claim"
)

var purposeCheck = Check{
	Doc: Doc{
		ID: "purpose", Title: "The whole subject shares nothing with the change", Default: "advisory", Since: "0.1",
		Needs: "the diff, the touched files; the index for what earlier commits meant by the words",
		Text: `Some messages are another commit's. The telling words of the subject, those that are neither about the form of code nor about how and why, are looked for in the diff, in the touched paths and
in the touched files. What their absence means is learnt from the project's history: a word that came back in the paths of most commits that say it ("router", where lib/router is touched) speaks of a place, and
is missed where no such path is touched; a word that goes with the touched folders or files calms suspicion, and so does a word that is in the change. Its threshold is its own and stricter, and it is never
strong: honest subjects speak of purposes that code does not spell out.`,
		Fires:    "Paginate the audit log (the change is in the colour picker, and no word occurs)",
		Quiet:    "Make it faster (says too little to be wrong)",
		Advisory: "words are weak evidence",
	},
	kind:  claim.KindPurpose,
	judge: judgePurpose,
}

func judgePurpose(x *judging, c *claim.Claim) outcome {
	if x.m.Special != claim.Plain || len(x.f.Change.Files) == 0 || !x.f.Complete || anyUnread(x) || x.m.Statements[0].Foreign {
		return dropped
	}
	sup := x.support()
	if sup.typo || sup.fileHit || sup.nameHits > 0 || x.changelogOnly() || sup.present > 1 || x.typeFits() {
		return dropped
	}
	if x.in.History == nil || x.in.History.Commits() < 100 {
		return dropped
	}
	t := x.tellingWords(sup)
	if len(t.absent) == 0 || len(t.absent)+t.vague < 2 {
		return dropped
	}
	s := x.w(purposeBias) +
		x.w(purposePresent)*float64(sup.present) +
		x.w(purposeVague)*float64(min(t.vague, 3)) +
		x.w(purposeAbsent)*float64(min(len(t.absent), 5)) +
		x.w(purposeNew)*float64(min(t.fresh, 3)) +
		x.w(purposeEcho)*math.Min(4, t.echo) +
		x.w(purposeBestEcho)*t.best +
		x.w(purposeHere)*math.Min(4, t.here) +
		x.w(purposeHereFiles)*math.Min(4, t.hereFiles) +
		x.w(purposeElsewhere)*math.Min(4, t.elsewhere) +
		x.w(purposeName)*float64(min(sup.nameAbsent, 2)) +
		x.w(purposeLines)*math.Min(5, math.Log(float64(1+x.f.AddedLines+x.f.RemovedLines)))
	if sup.style {
		s += x.w(purposeStyle)
	}
	switch k := x.categories(); {
	case k.onlyDoc:
		s += x.w(purposeDoc)
	case k.onlyTest:
		s += x.w(purposeTest)
	}
	if fits, surprise := x.headerFits(); fits {
		s += x.w(purposeScope)
	} else {
		s += x.w(purposeScopeElsewhere) * surprise
	}
	if s < x.w(purposeLikely) { // the rest can only lower it
		return dropped
	}
	if s += x.w(purposeSimilar) * x.alike(&x.m.Statements[0]); s < x.w(purposeLikely) {
		return dropped
	}
	list := strings.Join(t.absent[:min(4, len(t.absent))], ", ")
	reason := fmt.Sprintf("none of its words (%s) occurs in the change or in a touched file", list)
	if len(t.absent) == 1 {
		reason = fmt.Sprintf("its telling word (%s) does not occur in the change or in a touched file", list)
	}
	ev := []Evidence{{Fact: fmt.Sprintf("no line and no path of the change has %s", list), Path: firstPath(x.f.Change), Weight: s}}
	if t.bestWord != "" {
		ev = append(ev, Evidence{Fact: fmt.Sprintf("of the %s that say %s, %d touched a path of that name; this one does not", plural(t.bestSaid, "earlier commit"), quote(t.bestWord), t.bestEcho)})
	}
	return outcome{suspicion: s, weak: true, reason: reason, fix: "describe this change; the subject may be another commit's", evidence: ev}
}

// typeFits: the conventional type names the only kind of files that is touched.
func (x *judging) typeFits() bool {
	k := x.categories()
	switch strings.ToLower(x.m.Header.Type) {
	case "doc", "docs":
		return k.onlyDoc
	case "test", "tests":
		return k.onlyTest
	case "ci":
		return k.onlyCI
	}
	return false
}

// telling is what the content words of a subject say about where the change should be.
type telling struct {
	absent    []string // those of four letters and more that are nowhere in the change or its files
	vague     int      // words not in the change that rarely return in any change
	fresh     int      // absent ones that no earlier commit says
	echo      float64  // over the words not in the change, the surprise in nats that their paths are not touched
	best      float64  // the largest of them
	here      float64  // how much more than by chance the words go with the touched folders
	hereFiles float64  // and with the touched files
	elsewhere float64  // how much less than by chance with the files

	bestWord           string
	bestSaid, bestEcho int
}

func (x *judging) tellingWords(sup *support) telling {
	var t telling
	dirs, files := x.dirs(), x.files()
	h := x.in.History
	for _, w := range sup.words {
		p := x.present(w)
		if codeWords()[w] || styleWords()[w] || vagueWords()[w] {
			if p < 1.5 {
				t.vague++
			}
			continue
		}
		st := stem(w)
		said := h.Word(st)
		if said >= 2 {
			if a := x.associationWith(said, h.WordTouching(st, dirs), dirs); a > 0 {
				t.here += math.Min(3, a)
			}
			if a := x.associationWith(said, h.WordTouching(st, files), files); a > 0 {
				t.hereFiles += math.Min(3, a)
			} else {
				t.elsewhere += math.Min(2, -a) * math.Min(1, float64(said)/8)
			}
		}
		if p >= 1.5 {
			continue
		}
		if p == 0 && len(w) >= 4 {
			t.absent = append(t.absent, w)
			if said == 0 {
				t.fresh++
			}
		}
		if said >= 2 {
			echo := h.Echo(st)
			v := -math.Log(1 - math.Min(0.97, (float64(echo)+0.6)/float64(said+3)))
			t.echo += v
			if v > t.best {
				t.best = v
				if 2*echo >= said {
					t.bestWord, t.bestSaid, t.bestEcho = w, said, echo
				}
			}
		}
	}
	return t
}

// headerFits says whether a scope of the header is touched; where none is, how
// surprising that is, in nats, for a scope that names a part of the tree.
func (x *judging) headerFits() (fits bool, surprise float64) {
	for i := range x.m.Claims {
		c := &x.m.Claims[i]
		if c.Kind != claim.KindComponent || !c.InHeader {
			continue
		}
		low := strings.ToLower(strings.Trim(c.Name, "*`\"' "))
		if _, ok := componentTouched(x, low); ok {
			return true, 0
		}
		if said, named := x.in.History.Scope(low); said > 0 && x.in.Tree != nil && componentReal(x, low) && !x.f.InDiff(low) {
			surprise = max(surprise, math.Min(4, math.Log(float64(said+1)/(float64(said-named)+0.7))))
		}
	}
	return false, surprise
}

// codeWords speak of the form of code and text, not of what it is about.
var codeWords = words(`variable variables function functions name names naming method methods constant constants internal internals condition conditions ternary block blocks logic
parameter parameters argument arguments args visibility generics complexity generated consistent consistency overload overloads reference references class classes object objects value
values field fields member members statement statements loop branch assignment assignments declaration declarations definition definitions signature type types import imports package module
modules script scripts config configuration hook hooks setting settings folder folders directory outdated obsolete noise noisy clearer cleaner readable readability else if-else api apis
public private group requirements warning warnings leak leaks memory crash bug flaky repetitive previous previously commit description message messages word words newline newlines output input array list directory local files executable continued vulnerability compiler compiling auto pretty sure simple
unicode ascii utf space character characters symbol symbols letter letters tick ticks quote quotes quoted single double bracket brackets parenthesis parentheses parens hyphen hyphens dash dashes
rst rest myst rdoc godoc javadoc jsdoc docstring docstrings doctest doctests yardoc asciidoc markdown html codeblock codeblocks markup highlighting dependabot renovate coverage security cve`)

// vagueWords say how or why rather than what: in many projects they stand in
// subjects, and come back in fewer than three of ten of the changes below them.
var vagueWords = words(`accurate actually addition adjust adopt advice align alignment allocations ambiguous another append appropriate architecture assets assume attempt automated
automatic away backticks based bring built builtin bunch calculate capitalization cause caused causing choose clarify clarity cleaning colon commented compatible
compile compiled computing conditional consider consistently consolidate constraint construction continue copying couple creation date dead dedicated deduplicate
defined demonstrate dereference describe design detail detailed details development difference disallow discard discovery distinct document down duplicated
duplicates eagerly earlier easier edit eliminate enhance enough everything everywhere except expand expansion explaining explanation explicit explicitly extraneous
failures favor fill finding findings fixing fixup following fully functionality going grammatical guard guidelines implementing implicit inconsistent incorrect
information instructions integrate interpolation introducing invocation itself keyword larger later layout lazily lead leaking leave left level libs link longer
lowercase maintain maintenance mention mentions migrate minimal minimum mistake modify necessary newer operations optimized organize original overhead perform period
pick place places pointless positive possibility potential preparation prepare preparing propagate published rather real really reflect reformat regarding regenerate
regexes relax rely reorder resolution restore reuse revise reword rework rewrite right robust safer safety section sequence shadowing share shorten similar since
skip slightly spdx specify standard standardize steps stricter strictly structure such suggest suggested superfluous syntax temporarily those tiny together tools
trigger triggering trim unify unique unless until useless user users visual website well white workaround`)

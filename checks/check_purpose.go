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
		Text: `Some messages are another commit's. When none of the content words of a subject occurs in the diff, in a touched path or anywhere in a touched file, and earlier commits that used
these words touched other folders, the subject is likely wrong as a whole. Its threshold is its own and stricter, and it is never strong: honest subjects speak of purposes that code does not spell out.`,
		Fires:    "Paginate the audit log (the change is in the colour picker, and no word occurs)",
		Quiet:    "Make it faster (says too little to be wrong)",
		Advisory: "words are weak evidence",
	},
	kind:  claim.KindPurpose,
	judge: judgePurpose,
}

func judgePurpose(x *judging, c *claim.Claim) outcome {
	if x.m.Special != claim.Plain || len(x.f.Change.Files) == 0 {
		return dropped
	}
	sup := x.support()
	n := len(sup.words)
	if n < 2 || !x.f.Complete || anyUnread(x) || x.m.Statements[0].Foreign {
		return dropped
	}
	if sup.style || sup.typo || sup.fileHit || sup.nameHits > 0 || x.changelogOnly() {
		return dropped
	}
	if x.in.History == nil || x.in.History.Commits() < 100 {
		return dropped
	}
	absentWords, there, negative, positive := 0, 0, 0.0, 0.0
	for _, w := range sup.words {
		if codeWords[w] {
			continue
		}
		p := x.present(w)
		if p > 0.5 {
			if there++; there > 1 {
				return dropped
			}
		}
		if p == 0 && len(w) >= 4 {
			absentWords++
		}
		st := stem(w)
		said := x.in.History.Word(st)
		if said < 2 {
			continue
		}
		a := x.association(said, x.in.History.WordTouching(st, x.dirs()))
		if a > 0 {
			positive += a
		} else {
			negative += math.Min(2, -a) * math.Min(1, float64(said)/8)
		}
	}
	// Any conventional category that fits is support: "docs: ..." on documents.
	k := x.categories()
	if k.onlyDoc || k.onlyTest || k.onlyCI {
		return dropped
	}
	for i := range x.m.Claims {
		if cl := &x.m.Claims[i]; cl.Kind == claim.KindComponent && cl.InHeader {
			if _, ok := componentTouched(x, strings.ToLower(cl.Name)); ok {
				return dropped
			}
		}
	}
	s := x.w(purposeBias) + x.w(purposeAbsent)*float64(min(absentWords, 6)) + x.w(purposeElsewhere)*math.Min(2, negative) + x.w(purposeHere)*math.Min(3, positive) + x.w(purposePresent)*float64(there)
	if s < x.w(purposeLikely) || absentWords < 3 || negative < 1 {
		return dropped
	}
	if s += x.w(purposeSimilar) * x.alike(&x.m.Statements[0]); s < x.w(purposeLikely) {
		return dropped
	}
	list := strings.Join(sup.words[:min(4, n)], ", ")
	return outcome{suspicion: s, weak: true,
		reason:   fmt.Sprintf("none of its words (%s) occurs in the change or in a touched file", list),
		fix:      "describe this change; the subject may be another commit's",
		evidence: []Evidence{{Fact: fmt.Sprintf("none of %s occurs in the diff or in a touched file", list), Path: firstPath(x.f.Change), Weight: s}},
	}
}

// codeWords speak of the form of code, not of what it is about.
var codeWords = set(`variable variables function functions name names naming method methods constant constants internal internals condition conditions ternary block blocks logic
parameter parameters argument arguments args visibility generics complexity generated consistent consistency overload overloads reference references class classes object objects value
values field fields member members statement statements loop branch assignment assignments declaration declarations definition definitions signature type types import imports package module
modules script scripts config configuration hook hooks setting settings folder folders directory outdated obsolete noise noisy clearer cleaner readable readability else if-else api apis
public private group requirements warning warnings leak leaks memory crash bug flaky repetitive previous previously commit description message messages word words newline newlines output input array list directory local files executable continued vulnerability compiler compiling auto pretty sure simple`)

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

var lexicalCheck = Check{
	Doc: Doc{
		ID: "lexical", Title: "Words that a statement shares with the change", Default: "advisory", Since: "0.1",
		Needs: "the diff",
		Text: `Statements that no other check has an opinion on are looked at word by word. Shared words weaken suspicion and are listed as support; they never corroborate a claim, and their absence never contradicts one:
the verdict is neutral.`,
		Fires: "(never: words alone do not contradict)",
		Quiet: "wait up to ten seconds for open requests",
	},
	kind:  claim.KindStatement,
	judge: judgeStatement,
}

func judgeStatement(x *judging, c *claim.Claim) outcome {
	hit, n := 0, 0
	first := ""
	for _, t := range x.m.Statements[c.Statement].Tokens {
		if t.Kind == claim.Punct || t.Kind == claim.Word && (claim.Stop[t.Low] || len(t.Text) < 3) {
			continue
		}
		n++
		if x.present(t.Low) >= 1.5 {
			hit++
			if first == "" {
				first = t.Text
			}
		}
	}
	if hit == 0 {
		return neutral("only its words could be compared: none occurs in the change")
	}
	o := neutral("only its words could be compared: %d of %d occur in the change", hit, n)
	e := Evidence{Fact: fmt.Sprintf("%s occurs in the change", quote(first)), For: true, Weight: -0.11 * float64(min(hit, 5))}
	if k := x.f.Stem(stem(strings.ToLower(first))); k.Added > 0 {
		e = x.line(k.AddedAt, e.Fact, true, e.Weight)
	}
	o.evidence = []Evidence{e}
	return o
}

var similarityCheck = Check{
	Doc: Doc{
		ID: "similarity", Title: "Runs of four letters that a message shares with the change", Default: "advisory", Since: "0.1",
		Needs: "the diff",
		Text: `Names are often written differently in prose and in code: "user name" and userName, "de-duplicate" and dedup. Letters and digits are compared without anything between them, and words by
their first five letters, so that such forms meet. Like shared words, they weaken suspicion and leave a claim neutral.`,
		Fires: "(never)",
		Quiet: "Deduplicate user names (the code says dedupUserNames)",
	},
}

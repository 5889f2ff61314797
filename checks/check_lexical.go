package checks

import (
	"fmt"
	"strings"

	"github.com/saysolint/sayso/claim"
)

var lexicalCheck = Check{
	Doc: Doc{
		ID: "lexical", Title: "Words that a statement shares with the change", Default: "advisory", Since: "0.1",
		Needs: "the diff",
		Text: `Statements that no other check has an opinion on are looked at word by word. Shared words weaken suspicion and are listed as support; they never corroborate a claim, and their absence never contradicts one:
the verdict is neutral. Where no word is shared, the similarity check looks at the letters.`,
		Fires: "(never: words alone do not contradict)",
		Quiet: "wait up to ten seconds for open requests",
	},
	kind:  claim.KindStatement,
	judge: judgeStatement,
}

func judgeStatement(x *judging, c *claim.Claim) outcome {
	st := &x.m.Statements[c.Statement]
	hit, n := 0, 0
	first := ""
	for _, t := range st.Tokens {
		if t.Kind == claim.Punct || t.Kind == claim.Word && (claim.Stop()[t.Low] || len(t.Text) < 3) {
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
		if o, ok := judgeSimilarity(x, st); ok {
			return o
		}
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

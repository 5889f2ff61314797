package claim

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

func dump(m *Message) string {
	var b strings.Builder
	fmt.Fprintf(&b, "subj=%q special=%q header=%+v notread=%v notclaims=%d\n", m.Subject, m.Special, m.Header, m.NotRead, m.NotClaims)
	for i, s := range m.Statements {
		fmt.Fprintf(&b, " st%d standing=%d bullet=%v foreign=%v %q\n", i, s.Standing, s.Bullet, s.Foreign, m.Text[s.Start:s.End])
		for _, c := range s.Clauses {
			va := ""
			if c.VerbAt >= 0 {
				va = s.Tokens[c.VerbAt].Text
			}
			var w []string
			for _, t := range s.Tokens[c.From:c.To] {
				w = append(w, t.Text)
			}
			fmt.Fprintf(&b, "    cl %s verb=%v at=%s neg=%v sub=%v\n", strings.Join(w, "·"), c.Verb, va, c.Negated, c.Sub)
		}
	}
	for _, t := range m.Trailers {
		fmt.Fprintf(&b, " tr %+v\n", t)
	}
	for _, c := range m.Claims {
		var tg []string
		for _, t := range c.Targets {
			tg = append(tg, t.Text)
		}
		var ob []string
		for _, t := range c.Object {
			ob = append(ob, t.Text)
		}
		fmt.Fprintf(&b, " claim %-10s %q at %d:%d+%d name=%q whole=%q rel=%d shape=%d class=%q tg=%q ob=%q from=%q to=%q n=%d unit=%q verb=%v cand=%v mixed=%v\n", c.Kind, c.Text, c.Place.Line, c.Place.Column, c.Place.Length, c.Name, c.Whole, c.Relation, c.Shape, c.Class, tg, ob, c.From, c.To, c.Count, c.Unit, c.Verb, c.Candidate, c.Mixed)
	}
	return b.String()
}

func TestZZDump(t *testing.T) {
	b, err := os.ReadFile(os.Getenv("DUMP"))
	if err != nil {
		return
	}
	for _, s := range strings.Split(string(b), "\n%%\n") {
		fmt.Println("=====", strings.ReplaceAll(s, "\n", "⏎"))
		fmt.Print(dump(Parse(s, Options{Source: SourceMessage, NoSubject: os.Getenv("NOSUBJ") != ""})))
	}
}

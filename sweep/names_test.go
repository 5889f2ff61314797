package sweep

import (
	"fmt"
	"strings"
	"testing"

	"github.com/saysolint/sayso/memory"
)

func TestNamesOf(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"Ask `priceOf` for every price", "priceOf"},
		{"Call shop.priceOf() once", "priceOf"},
		{"Keep parse_order pure", "parse_order"},
		{"GitHub and JSON are no names of code", ""},
		{"Prices are whole cents", ""},
		{"Read `internal/shop/price.go` first", "internal/shop/price.go/"},
		{"The tests are in cmd/shop", ""},
		{"We removed `oldPrice`", "oldPrice-!"},
		{"Use `newPrice` instead of `oldPrice`", "newPrice-! oldPrice-!"},
		{"Prefer `a`", ""},
		{"Look at https://example.com/a.go", ""},
		{"Not `../../etc/passwd`", ""},
	} {
		var got []string
		for _, n := range namesOf(&memory.Entry{Title: c.text}) {
			s := n.name
			if n.path {
				s += "/"
			}
			if n.removal {
				s += "-"
			}
			if n.gone {
				s += "!"
			}
			got = append(got, s)
		}
		want := strings.Fields(c.want)
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: %v, want %v", c.text, got, want)
		}
	}
}

package memory

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
)

// The library is the oracle: the reader sees the same headings, paragraphs and items.

func libraryLines(src []byte) []string {
	var out []string
	doc := goldmark.DefaultParser().Parse(text.NewReader(src))
	_ = ast.Walk(doc, func(n ast.Node, enter bool) (ast.WalkStatus, error) {
		if !enter {
			return ast.WalkContinue, nil
		}
		switch n.Kind() {
		case ast.KindHeading:
			h := n.(*ast.Heading)
			out = append(out, fmt.Sprintf("h%d %q", h.Level, Line(oracleText(n, src))))
			return ast.WalkSkipChildren, nil
		case ast.KindParagraph, ast.KindTextBlock:
			item := ""
			if p := n.Parent(); p.Kind() == ast.KindListItem && p.FirstChild() == n {
				item = " item"
			}
			if t := Line(oracleText(n, src)); t != "" {
				out = append(out, fmt.Sprintf("p%s %q", item, t))
			}
			return ast.WalkSkipChildren, nil
		case ast.KindCodeBlock, ast.KindFencedCodeBlock, ast.KindHTMLBlock:
			return ast.WalkSkipChildren, nil
		}
		return ast.WalkContinue, nil
	})
	return out
}

func oracleText(n ast.Node, src []byte) string {
	var b strings.Builder
	_ = ast.Walk(n, func(c ast.Node, enter bool) (ast.WalkStatus, error) {
		if _, ok := c.(*ast.CodeSpan); ok {
			b.WriteByte('`')
		}
		if !enter {
			return ast.WalkContinue, nil
		}
		switch t := c.(type) {
		case *ast.Text:
			b.Write(t.Segment.Value(src))
			if t.SoftLineBreak() || t.HardLineBreak() {
				b.WriteByte(' ')
			}
		case *ast.String:
			b.Write(t.Value)
		case *ast.AutoLink:
			b.Write(t.Label(src))
		case *ast.RawHTML:
			return ast.WalkSkipChildren, nil
		}
		return ast.WalkContinue, nil
	})
	return b.String()
}

func readLines(src []byte) []string {
	var out []string
	for _, b := range readMarkdown(src) {
		t := Line(b.plain(true))
		switch {
		case b.kind == mdHeading:
			out = append(out, fmt.Sprintf("h%d %q", b.level, t))
		case t != "":
			item := ""
			if b.item {
				item = " item"
			}
			out = append(out, fmt.Sprintf("p%s %q", item, t))
		}
	}
	return out
}

var markdownShapes = []string{
	"# One\n\ntext\n",
	"# One #\n## Two ##  \n### `code` *and* more\n",
	"#no heading\n\n#\n\n####### seven\n",
	"One\n===\n\nTwo\n---\n\nThree\nlines\n---\n",
	"---\n\ntext\n\n***\n",
	"a\nb\nc\n\nd\n",
	"- one\n- two\n  more\n- three\n",
	"- one\n\n- two\n\n  second paragraph\n\n- three\n",
	"* a\n  * b\n    * c\n* d\n",
	"1. one\n2. two\n   - nested\n     more of it\n3) three\n",
	"text\n- interrupts\n",
	"text\n2. does not interrupt\n",
	"text\n1. interrupts\n",
	"- one\nlazy line\n- two\n",
	"> quoted\n> more\nlazy\n\nafter\n",
	"> # in a quote\n> - item\n>   goes on\n",
	"- > quote in an item\n- after\n",
	"```go\n# no heading\n- no item\n```\ntext\n",
	"~~~\n```\n~~~\n\nafter\n",
	"- item\n  ```\n  code\n  ```\n- next\n",
	"    # code\n    more\n\ntext\n",
	"- item\n\n      code in the item\n\n- next\n",
	"<!-- comment\n# not a heading\n-->\n# Heading\n",
	"<!-- one line --> text\n\n# Heading\n",
	"<div>\n# raw\n</div>\n\n# Heading\n",
	"<details>\n<summary>x</summary>\n\n- item in HTML\n\n</details>\n",
	"<b>bold</b> starts a paragraph\n",
	"<https://example.invalid/x> is a link\n",
	"[link](https://example.invalid 'title') and ![image](a.png) and [not a link]\n",
	"Use *emphasis*, **strong**, ***both***, _under_, __strong__ and snake_case_names.\n",
	"2*3*4 and * alone * and **unclosed\n",
	"*a **b** c* and **a *b* c**\n",
	"A backslash \\*not emphasis\\* and a `code *span*` and ``with ` tick``\n",
	"`unclosed and *emphasis*\n",
	"hard  \nbreak and soft\nbreak\n",
	"line\\\nbreak\n",
	"[ref]: https://example.invalid\n\ntext\n",
	"-\n- filled\n-\n",
	"- \n  text of the item\n",
	"-     code in an item\n- text\n",
	"10. ten\n11. eleven\n    more\n",
	"* * *\n- - -\n",
	"- a\n- ---\n- b\n",
	"Title\r\n=====\r\n\r\n- one\r\n- two\r\n",
	"text\n# heading ends it\nmore\n",
	"  # up to three blanks\n   ## here too\n",
	"\ttab code\n\n- a\tb\n",
	"- [ ] open\n- [x] done\n",
	"| a | b |\n|---|---|\n| 1 | 2 |\n",
	"<script>\n# no\n</script>\n# yes\n",
	"a <b>c</b> <!-- d --> e <br/> f\n",
	"(*\"quoted\"*) and *(x)*, __init__.py and 5 * 3 * 2\n",
	"Grüße *Welt* — „*so*“\n",
	"# [Link](x.md) in a *heading*\n",
	"1. a\n\n   b\n\n2. c\n\nd\n",
	"- a\n\n\n- b\n\ntext\n",
	"> a\n\n> b\n",
	"* item one\n+ another list\n",
	"",
	"\n\n",
	"no newline at the end",
}

func TestMarkdownIsReadAsTheLibraryReadsIt(t *testing.T) {
	for _, src := range markdownShapes {
		if diff := cmp.Diff(libraryLines([]byte(src)), readLines([]byte(src))); diff != "" {
			t.Errorf("%q (-library +ours):\n%s", src, diff)
		}
	}
}

// What follows a block does not change it: shapes set one behind the other, a heading between.
func TestMarkdownShapesBehindOneAnother(t *testing.T) {
	for i := range markdownShapes {
		var src strings.Builder
		for k := range 4 {
			s := markdownShapes[(i*7+k*11)%len(markdownShapes)]
			if strings.Contains(s, "[ref]") || strings.Contains(s, "unclosed") || strings.Contains(s, "no newline") {
				continue
			}
			src.WriteString(s + "\n\n## Between\n\n")
		}
		if want, got := libraryLines([]byte(src.String())), readLines([]byte(src.String())); !slices.Equal(want, got) {
			t.Errorf("%q (-library +ours):\n%s", src.String(), cmp.Diff(want, got))
		}
	}
}

func TestMarkdownBlocksLieInTheirSource(t *testing.T) {
	src := []byte("# One\n\n- item one\n  more\n- two\n\nlast\nline")
	var got []string
	for _, b := range readMarkdown(src) {
		got = append(got, string(src[b.start:b.end]))
	}
	want := []string{"# One", "item one\n  more", "two", "last\nline"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func FuzzMarkdown(f *testing.F) {
	for _, s := range markdownShapes {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		last := 0
		for _, b := range readMarkdown(src) {
			if b.start < last || b.end < b.start || b.after < b.end || b.after > len(src) {
				t.Fatalf("block %+v of %q", b, src)
			}
			last = b.start
			b.plain(true)
		}
	})
}

package lang

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"
)

// TestDefsOfGoAgreeWithGoParser holds the definitions of every file of part of
// the standard library against the language's own parser.
func TestDefsOfGoAgreeWithGoParser(t *testing.T) {
	root := filepath.Join(goRoot(t), "src")
	files := 0
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(root, path)
		if e.IsDir() {
			if e.Name() == "testdata" || rel == "vendor" || strings.HasPrefix(rel, "cmd"+string(filepath.Separator)) && testing.Short() {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(path, ".go") {
			return nil
		}
		src, err := os.ReadFile(path)
		if err != nil || len(src) > 1<<20 {
			return err
		}
		want, ok := parserDefs(src)
		if !ok {
			return nil
		}
		files++
		got := langGo.Defs(src)
		var lines []string
		for _, d := range got {
			lines = append(lines, fmt.Sprintf("%d-%d %s %s", d.Line, d.End, d.What, d.Qualified))
		}
		sort.Strings(lines)
		sort.Strings(want)
		if a, b := strings.Join(lines, "\n"), strings.Join(want, "\n"); a != b {
			t.Errorf("%s:\n%s", rel, firstDifference(lines, want))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if files < 500 {
		t.Fatalf("only %d files were compared", files)
	}
}

func firstDifference(got, want []string) string {
	have := map[string]bool{}
	for _, g := range got {
		have[g] = true
	}
	var out []string
	for _, w := range want {
		if !have[w] {
			out = append(out, "missing "+w)
		}
		delete(have, w)
	}
	for _, g := range got {
		if have[g] {
			out = append(out, "extra   "+g)
		}
	}
	if len(out) > 6 {
		out = out[:6]
	}
	return strings.Join(out, "\n")
}

func parserDefs(src []byte) ([]string, bool) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "x.go", src, parser.SkipObjectResolution)
	if err != nil {
		return nil, false
	}
	// A line directive moves positions: the plain ones are wanted.
	line := func(p token.Pos) int { return fset.PositionFor(p, false).Line }
	var out []string
	add := func(a, b token.Pos, what, q string) {
		out = append(out, fmt.Sprintf("%d-%d %s %s", line(a), line(b), what, q))
	}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv != nil && len(d.Recv.List) > 0 {
				add(d.Pos(), d.End()-1, "method", receiver(d.Recv.List[0].Type)+"."+d.Name.Name)
			} else {
				add(d.Pos(), d.End()-1, "func", d.Name.Name)
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				from := s.Pos()
				if !d.Lparen.IsValid() {
					from = d.Pos()
				}
				switch s := s.(type) {
				case *ast.ValueSpec:
					for _, n := range s.Names {
						if n.Name != "_" {
							add(from, s.End()-1, d.Tok.String(), n.Name)
						}
					}
				case *ast.TypeSpec:
					add(from, s.End()-1, "type", s.Name.Name)
					var list *ast.FieldList
					what := "field"
					switch x := s.Type.(type) {
					case *ast.StructType:
						list = x.Fields
					case *ast.InterfaceType:
						list, what = x.Methods, "method"
					}
					if list == nil {
						continue
					}
					for _, fd := range list.List {
						if _, isFunc := fd.Type.(*ast.FuncType); what == "method" && !isFunc {
							continue
						}
						end := fd.End() - 1
						for _, n := range fd.Names {
							if n.Name != "_" {
								add(fd.Pos(), end, what, s.Name.Name+"."+n.Name)
							}
						}
					}
				}
			}
		}
	}
	return out, true
}

func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.ParenExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.IndexListExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}

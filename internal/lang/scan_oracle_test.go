package lang

import (
	goscanner "go/scanner"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// goRoot is where the Go that runs the tests keeps its sources.
func goRoot(tb testing.TB) string {
	tb.Helper()
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		tb.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

func goSources(tb testing.TB, dirs ...string) [][]byte {
	tb.Helper()
	var out [][]byte
	for _, d := range dirs {
		names, _ := filepath.Glob(filepath.Join(goRoot(tb), "src", d, "*.go"))
		for _, n := range names {
			b, err := os.ReadFile(n)
			if err != nil {
				tb.Fatal(err)
			}
			out = append(out, b)
		}
	}
	if len(out) == 0 {
		tb.Fatal("no Go sources to read")
	}
	return out
}

func BenchmarkScan(b *testing.B) {
	srcs := goSources(b, "net/http", "go/parser", "strconv")
	n := 0
	for _, s := range srcs {
		n += len(s)
	}
	b.SetBytes(int64(n))
	for b.Loop() {
		for _, s := range srcs {
			langGo.Scan(s, func(Token) {})
		}
	}
}

func BenchmarkIdentifiers(b *testing.B) {
	srcs := goSources(b, "net/http", "go/parser", "strconv")
	n := 0
	for _, s := range srcs {
		n += len(s)
	}
	b.SetBytes(int64(n))
	for b.Loop() {
		for _, s := range srcs {
			langGo.Identifiers(s, func([]byte, int) {})
		}
	}
}

func BenchmarkDefs(b *testing.B) {
	srcs := goSources(b, "net/http", "go/parser", "strconv")
	n := 0
	for _, s := range srcs {
		n += len(s)
	}
	b.SetBytes(int64(n))
	for b.Loop() {
		for _, s := range srcs {
			langGo.Defs(s)
		}
	}
}

func BenchmarkClassify(b *testing.B) {
	srcs := goSources(b, "net/http", "go/parser", "strconv")
	n := 0
	for _, s := range srcs {
		n += len(s)
	}
	b.SetBytes(int64(n))
	for b.Loop() {
		for _, s := range srcs {
			langGo.Classify(s)
		}
	}
}

// TestScanOfGoAgreesWithGoScanner holds the table against the language's own
// scanner: identifiers and keywords, literals and comments at the same offsets.
func TestScanOfGoAgreesWithGoScanner(t *testing.T) {
	for n, src := range goSources(t, "net/http", "go/parser", "strconv", "fmt", "reflect", "os", "text/template", "encoding/json") {
		var want, got []Token
		fs := token.NewFileSet()
		f := fs.AddFile("x.go", -1, len(src))
		s := newGoScanner(f, src)
		for {
			pos, tok, lit := s.Scan()
			if tok == token.EOF {
				break
			}
			k := Op
			switch {
			case tok == token.COMMENT:
				k = CommentToken
			case tok == token.IDENT || tok.IsKeyword():
				k = Ident
			case tok == token.STRING || tok == token.CHAR:
				k = String
			case tok.IsLiteral():
				k = Number
			default:
				continue
			}
			o := f.Offset(pos)
			want = append(want, Token{k, o, o + len(lit), f.Line(pos)})
		}
		langGo.Scan(src, func(t Token) {
			if t.Kind != Op {
				got = append(got, t)
			}
		})
		for i := range want {
			if want[i].Kind == CommentToken || want[i].Kind == String {
				want[i].End = 0
				got[i].End = 0
			}
			if i >= len(got) || got[i] != want[i] {
				t.Fatalf("file %d, token %d: got %+v, want %+v", n, i, got[i], want[i])
			}
		}
		if len(got) != len(want) {
			t.Fatalf("file %d: %d tokens, want %d", n, len(got), len(want))
		}
	}
}

type tokenSource interface {
	Scan() (token.Pos, token.Token, string)
}

func newGoScanner(f *token.File, src []byte) tokenSource {
	var s goscanner.Scanner
	s.Init(f, src, func(token.Position, string) {}, goscanner.ScanComments)
	return &s
}

package lang

import (
	"fmt"
	"strings"
	"testing"
)

// written are the definitions of src, one a line; a definition that others
// cannot see has a minus before it.
func written(path, src string) string {
	var b strings.Builder
	for _, d := range ByPath(path, []byte(src)).Defs([]byte(src)) {
		mark := ""
		if !d.Exported {
			mark = "-"
		}
		fmt.Fprintf(&b, "%d-%d %s%s %s\n", d.Line, d.End, mark, d.What, d.Qualified)
	}
	return b.String()
}

func TestDefs(t *testing.T) {
	for _, c := range []struct{ why, path, src, want string }{
		{"go", "a.go", `package a

// Open opens. func No() {}
func Open(a struct{ x int }, f func() interface{ M() }) (r struct{}, err error) {
	x := 1
}

func (s *Store[K, V]) get() { return "func B() {" }

type Store[K comparable, V any] struct {
	a, B int
	sync.Mutex
}
type (
	I interface {
		Do(x int) error
		fmt.Stringer
	}
	F = func()
)
const (
	A = iota
	b
)
var x, y = 1, func() { z := 1 }
`, `4-6 func Open
8-8 -method Store.get
10-13 type Store
11-11 -field Store.a
11-11 field Store.B
15-18 type I
16-16 method I.Do
19-19 type F
22-22 const A
23-23 -const b
25-25 -var x
25-25 -var y
`},
		{"a Go file that does not compile", "a.go", "package a\n\nfunc A() {\n\tif {\n}\n\nfunc B() {\n}\n", "3-8 func A\n7-8 func B\n"},
		{"python", "a.py", `import x

LIMIT = 3
name: str = "def no(): pass"

@decorated(
    1)
class A(B):
    """def doc(): pass"""
    size = 1

    @property
    def size2(self) -> int:
        def inner():
            pass
        return 1

    async def _go(self,
                  x):
        y = 2


def f(): return 1

if x:
    def g():
        # def no(): pass
        pass
`, `3-3 const LIMIT
4-4 var name
8-20 class A
10-10 field A.size
13-16 method A.size2
14-15 func A.size2.inner
18-20 -method A._go
23-23 func f
26-28 func g
`},
		{"typescript", "a.ts", `export interface Foo<T> {
  name: string
  run(a: number): void
}
export type Opt = { a: string } | null
export enum Color { Red, Green = 'g' }
export async function load(a: string): Promise<{ a: string }> {
  const inner = () => 1
  const local = 2
}
export default function (a) { return /function x() {/ }
const arrow = async <T,>(a: T): Promise<void> => {
}
export const obj = {
  method() { return 1 },
  arrow: () => {
    return 1
  },
}
export class A extends B<{ x: 1 }> {
  static count = 0
  private readonly p: Map<string, () => void> = new Map()
  constructor(private a: string) { super() }
  get value(): number { return 1 }
  handler = (e) => {
    this.x = 1
  }
  #secret
}
it('x', () => { const notTop = 1 })
`, `1-4 type Foo
2-2 field Foo.name
3-3 method Foo.run
5-5 type Opt
5-5 field Opt.a
6-6 type Color
6-6 const Color.Red
6-6 const Color.Green
7-10 func load
8-8 -func inner
11-11 func default
12-13 -func arrow
14-19 const obj
15-15 method obj.method
16-18 method obj.arrow
20-29 class A
21-21 field A.count
22-22 -field A.p
23-23 method A.constructor
24-24 method A.value
25-27 method A.handler
28-28 -field A.secret
`},
		{"commonjs", "a.js", `var a = require('a'), b = 2
app.handle = function handle(req) {
}
Foo.prototype.bar = function () {}
exports.thing = 42
module.exports = { c() {} }
defineGetter(req, 'q', function q() {
  var local = 1
})
`, `1-1 var a
1-1 var b
2-3 method app.handle
4-4 method Foo.bar
5-5 const thing
6-6 method c
7-9 func q
`},
		{"vue", "a.vue", "<template>\n  <b>{{ function no() {} }}</b>\n</template>\n<script setup lang=\"ts\">\nfunction go() {\n}\nconst n = ref(1)\n</script>\n", "5-6 func go\n7-7 const n\n"},
		{"rust", "a.rs", `use std::io;
pub(crate) struct P<T> where T: X { pub a: u8, b: Vec<u8> }
enum E { A, B(u8), C { x: u8 } }
pub trait T { fn req(&self); fn def(&self) -> u8 { 1 } const N: u8; }
impl<T> fmt::Display for P<T> { fn fmt(&self) {} }
impl P { pub async fn run<'a>(&'a self) -> Option<u8> {
        fn nested() {}
        const LOCAL: u8 = 1;
    }
}
#[test]
fn t() { "fn no() {}"; }
macro_rules! m { ($x:expr) => { fn no() {} }; }
mod inner { pub static mut G: u8 = 0; }
type Al = u8;
`, `2-2 type P
2-2 field P.a
2-2 -field P.b
3-3 -type E
3-3 const E.A
3-3 const E.B
3-3 const E.C
3-3 -field C.x
4-4 type T
4-4 method T.req
4-4 method T.def
4-4 -const T.N
5-5 method P.fmt
6-9 method P.run
7-7 -func P.nested
12-12 -func t
13-13 macro m
14-14 -module inner
14-14 var inner.G
15-15 -type Al
`},
		{"java", "A.java", `package a;
import b.C;
@Annotated(x = "class No {")
public class A<T> extends B implements C {
    private static final int N = 1, M = 2;
    int[] value;
    public A(int x) { if (x) { run(); } }
    @Override
    public <R> Map<String, R> get(final int x)
            throws IOException {
        return new Object() { void no() {} };
    }
    abstract void none();
    static { init(); }
    enum E { X(1), Y { void z() {} }; private int q; }
    record R(int a) { }
    interface I { default void d() {} }
}
`, `4-18 class A
5-5 -field A.N
6-6 field A.value
7-7 method A.A
9-12 method A.get
13-13 method A.none
15-15 class A.E
15-15 const E.X
15-15 const E.Y
15-15 -field A.E.q
16-16 class A.R
17-17 type A.I
17-17 method A.I.d
`},
		{"c#", "A.cs", "namespace N.M;\n[Attr]\npublic class A : B {\n  public int X { get; set; } = 1;\n  public int Y => 2;\n  public A() : base(1) {}\n  private async Task<int> Run<T>(T a) where T : B {\n  }\n}\n", "3-9 class N.M.A\n4-4 field A.X\n5-5 field A.Y\n6-6 method A.A\n7-8 -method A.Run\n"},
		{"kotlin", "a.kt", "class A(val p: Int) : B() {\n  private val x = 1\n  fun f() = 2\n  companion object {\n    const val N = 1\n  }\n}\nfun <T> List<T>.ext(a: Int): T {\n  val local = 1\n  return a\n}\ninterface I\n", "1-7 class A\n2-2 -field A.x\n3-3 method A.f\n4-6 class A.Companion\n5-5 field A.Companion.N\n8-11 func ext\n12-12 class I\n"},
		{"swift", "a.swift", "public struct S: P {\n  var a: Int = 1\n  init(x: Int) { let l = 1 }\n  func f<T>(_ a: T) -> Int where T: Q {\n  }\n}\nextension S { private func g() {} }\n", "1-6 class S\n2-2 field S.a\n3-3 method S.init\n4-5 method S.f\n7-7 class S\n7-7 -method S.g\n"},
		{"scala", "a.scala", "object O extends T {\n  def f(a: Int): Int = {\n    val l = 1\n    l\n  }\n  val x = 1\n}\ncase class C(a: Int)\n", "1-7 class O\n2-5 method O.f\n6-6 field O.x\n8-8 class C\n"},
		{"php", "a.php", "<?php\nnamespace A\\B;\nclass C extends D {\n  private $x = 1;\n  const N = 2;\n  public function f(array $a): int { return 1; }\n}\nfunction g() {}\n", "2-2 module B\n3-7 class C\n4-4 -field C.x\n5-5 const C.N\n6-6 method C.f\n8-8 func g\n"},
		{"c", "a.c", `#include <x.h>
#define MAX(a, b) \
  ((a) > (b))
typedef struct node { int a; char *b[3]; } node_t;
typedef int (*cb)(int);
enum e { A, B = 2 };
struct s { unsigned x : 3; };
static int
helper(const char *p,
       int n)
{
  if (n) { }
}
int proto(void);
int table[] = { 1, 2 };
#ifdef X
int f(int a) {
#else
int f(void) {
#endif
  return 0;
}
int g(void) { return 1; }
`, `2-3 macro MAX
4-4 type node_t
4-4 type node
4-4 field node.a
4-4 field node.b
5-5 type cb
6-6 type e
6-6 const e.A
6-6 const e.B
7-7 type s
7-7 field s.x
8-13 -func helper
15-15 var table
17-22 func f
23-23 func g
`},
		{"c++", "a.cpp", `namespace a::b {
template <typename T>
class EXPORT Foo final : public Bar<T> {
 public:
  Foo(int x) : x_(x), y_{1} { }
  ~Foo() {}
  virtual void decl();
  bool operator==(const Foo& o) const { return true; }
 private:
  int x_;
};
void Foo::decl() { }
using X = int;
}
TEST(Suite, Name) {
}
`, `2-11 class a.b.Foo
5-5 method Foo.Foo
6-6 method Foo.~Foo
8-8 method Foo.operator==
10-10 field Foo.x_
12-12 method Foo.decl
13-13 type a.b.X
15-16 func Suite.Name
`},
		{"ruby", "a.rb", "module M\n  class A < B\n    N = 1\n    attr_reader :x, :y\n    def self.make(a)\n      if a\n        1\n      end\n    end\n    def ok? = true\n    private\n    def hid; end\n  end\nend\n", "1-14 module M\n2-13 class M.A\n3-3 const M.A.N\n4-4 field M.A.x\n4-4 field M.A.y\n5-9 method M.A.make\n10-10 method M.A.ok?\n12-12 -method M.A.hid\n"},
		{"elixir", "a.ex", "defmodule A.B do\n  def f(x), do: x\n  defp g(x) do\n    x\n  end\nend\n", "1-6 module A.B\n2-2 method A.B.f\n3-5 -method A.B.g\n"},
		{"lua", "a.lua", "local M = {}\nfunction M.a.b:c(x)\n  if x then\n  end\nend\nM.d = function()\nend\nlocal function e() end\n", "1-1 -var M\n2-5 method M.a.b.c\n6-7 method M.d\n8-8 -func e\n"},
		{"shell", "a.sh", "export A=1\nf() {\n  local x=2\n}\nfunction g-h {\n  echo \"}\"\n}\n", "1-1 var A\n2-4 func f\n5-7 func g-h\n"},
		{"sql", "a.sql", "-- create table no (a int);\nCREATE TABLE IF NOT EXISTS s.t (\n  a int\n);\ncreate or replace function f() returns int;\n", "2-4 type s.t\n5-5 func f\n"},
		{"makefile", "Makefile", "A := 1\n.PHONY: all\nall: b\n\tgo build\n\nb:\n\ttrue\n", "1-1 var A\n3-4 func all\n6-7 func b\n"},
		{"protocol buffers", "a.proto", "message A {\n  enum E { X = 0; }\n}\nservice S {\n  rpc Get(A) returns (A);\n}\n", "1-3 type A\n2-2 type A.E\n4-6 type S\n5-5 method S.Get\n"},
		{"terraform", "a.tf", "resource \"aws_x\" \"name\" {\n  a = 1\n}\n", "1-3 var name\n"},
		{"haskell", "a.hs", "module M where\n\nf :: Int -> Int\nf 0 = 1\nf x = 2\n\ndata D = A | B\n", "3-5 func f\n7-7 type D\n"},
		{"clojure", "a.clj", "(ns a)\n(defn f\n  [x]\n  x)\n(def y 1)\n", "2-4 func f\n5-5 var y\n"},
		{"cmake", "a.cmake", "function(f a)\n  set(x 1)\nendfunction()\n", "1-3 func f\n"},
		{"documents define nothing", "a.md", "func A() {}\n", ""},
		{"unknown languages define nothing", "a.unknown", "func A() {}\n", ""},
	} {
		if got := written(c.path, c.src); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.why, strings.ReplaceAll(got, "\n", "\n     "), strings.ReplaceAll(c.want, "\n", "\n     "))
		}
	}
}

func TestSignatureChangesWithTheHeaderAlone(t *testing.T) {
	sig := func(path, src string) uint64 {
		ds := ByPath(path, nil).Defs([]byte(src))
		if len(ds) == 0 {
			t.Fatalf("no definition in %q", src)
		}
		return ds[0].Signature
	}
	for _, c := range []struct{ path, a, body, header string }{
		{"a.go", "func A(x int) error {\n}", "func A( x int ) error { // c\n\treturn nil\n}", "func A(x, y int) error {\n}"},
		{"a.py", "def a(x):\n  pass", "def a( x ): # c\n  return 1", "def a(x=1):\n  pass"},
		{"a.ts", "function a(x: T): U {}", "function a(x: T): U { return 1 }", "function a(x: T): V {}"},
		{"a.rs", "fn a(x: u8) {}", "fn a(x: u8) { 1; }", "fn a(x: u16) {}"},
		{"A.java", "class A { }", "class A { int x; }", "class A extends B { }"},
		{"a.c", "int a(int x) {}", "int a(int x) { return 1; }", "int a(long x) {}"},
	} {
		if sig(c.path, c.a) == 0 || sig(c.path, c.a) != sig(c.path, c.body) {
			t.Errorf("%s: the body changed the signature of %q", c.path, c.a)
		}
		if sig(c.path, c.a) == sig(c.path, c.header) {
			t.Errorf("%s: %q has the signature of %q", c.path, c.header, c.a)
		}
	}
}

func TestImports(t *testing.T) {
	for _, c := range []struct{ path, src, want string }{
		{"a.go", "package a\n\nimport (\n\t\"fmt\"\n\tx \"a/b\"\n\t. \"c\" // d\n)\nimport _ \"e\"\nvar s = `import \"no\"`\n", "4 fmt; 5 a/b; 6 c; 8 e"},
		{"a.py", "import a.b as c, d\nfrom . import x, y as z\nfrom ..q.r import (s,\n   t)\nif T:\n    from w import *\ns = 'import no'\n# import no\n", "1 a.b; 1 d; 2 .x*; 2 .y*; 3 ..q.r.s*; 3 ..q.r.t*; 6 w"},
		{"a.ts", "import a, { type b } from './a'\nimport type { X } from \"x\"\nimport 'side'\nexport * from '../y'\nexport { z,\n  w } from './z'\nexport { local }\nconst q = require('q'), m = await import('./dyn')\nfoo.require('no')\n", "1 ./a*; 2 x; 3 side; 4 ../y*; 5 ./z*; 8 q; 8 ./dyn*"},
		{"a.rs", "use std::{io, fmt::{self, Display as D}};\nuse crate::a::b;\nmod inner;\n#[path = \"x.rs\"] mod y;\nmod tests { use super::q; }\nfn f() { crate::util::go(); }\nextern crate foo;\n", "1 std::io; 1 std::fmt; 1 std::fmt::Display; 2 crate::a::b*; 3 self::inner*; 4 x.rs*; 5 self::q*; 6 crate::util::go*; 7 foo"},
		{"A.java", "package a;\nimport b.C;\nimport static b.D.e;\nimport f.*;\nclass X { }\n", "2 b.C; 3 b.D.e; 4 f.*"},
		{"a.scala", "import a.{b, c => d}\n", "1 a.b; 1 a.c"},
		{"a.c", "#include <sys/x.h>\n#  include \"y.h\"\n// #include \"no.h\"\nchar *s = \"#include\";\n", "1 sys/x.h; 2 y.h*"},
		{"a.rb", "require 'a/b'\nrequire_relative \"c\"\nautoload :X, 'x/y'\nfoo.require 'no'\n", "1 a/b; 2 c*; 3 x/y"},
		{"a.vue", "<script>\nimport x from './x.vue'\n</script>\n", "2 ./x.vue*"},
		{"a.md", "import x\n", ""},
	} {
		var got []string
		for _, im := range ByPath(c.path, nil).Imports([]byte(c.src)) {
			s := fmt.Sprintf("%d %s", im.Line, im.Path)
			if im.Relative {
				s += "*"
			}
			got = append(got, s)
		}
		if g := strings.Join(got, "; "); g != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.path, g, c.want)
		}
	}
}

func TestIdentifiers(t *testing.T) {
	for _, c := range []struct{ path, src, want string }{
		{"a.go", "func Run(x int) { // no\n\treturn \"no\" + café.B1 }", "Run café B1"},
		{"a.json", `{"maxRetries": "two words", "a-b": 1}`, "maxRetries a-b"},
		{"a.js", "`no ${yes} no`", "yes"},
		{"a.vue", "<my-tag :prop=\"value\"/>", "my-tag prop value"},
		{"a.md", "Words here", ""},
		{"a.unknown", "some words", "some words"},
	} {
		var got []string
		ByPath(c.path, nil).Identifiers([]byte(c.src), func(n []byte, _ int) { got = append(got, string(n)) })
		if g := strings.Join(got, " "); g != c.want {
			t.Errorf("%s: got %q, want %q", c.path, g, c.want)
		}
	}
}

func TestTestOpening(t *testing.T) {
	for _, c := range []struct {
		path, line, name string
		ok               bool
	}{
		{"a.go", "func TestX(t *testing.T) {", "TestX", true}, {"a.go", "func Testing() {", "", false}, {"a.go", "func TestMain(m *testing.M) {", "", false}, {"a.go", "\tt.Run(\"does x\", func(", "does x", true}, {"a.go", "// func TestX(", "", false},
		{"a.py", "    async def test_x(self):", "test_x", true}, {"a.py", "def tester():", "", false}, {"a.py", "class TestX:", "", false},
		{"a.ts", "  it('does \\'x', () => {", "does \\'x", true}, {"a.ts", "test.only(`x`, async", "x", true}, {"a.ts", "describe('x', () => {", "", false}, {"a.ts", "it.each([", "", true}, {"a.ts", "item('x')", "", false}, {"a.ts", "  test(", "", true}, {"a.ts", "test(x)", "", false}, {"a.ts", "// it('x'", "", false},
		{"a.rs", "#[test]", "", true}, {"A.java", "    @Test", "", true}, {"A.java", "@TestInstance(X)", "", false}, {"a.cpp", "TEST_F(Suite, Name) {", "Name", true}, {"a.rb", "  it \"does x\" do", "does x", true}, {"a.rb", "def test_x", "test_x", true},
		{"a.cs", "[Fact]", "", true}, {"a.ex", "test \"x\" do", "x", true}, {"a.unknown", "func TestX()", "", false},
	} {
		name, ok := ByPath(c.path, nil).TestOpening([]byte(c.line))
		if name != c.name || ok != c.ok {
			t.Errorf("%s %q: %q, %v", c.path, c.line, name, ok)
		}
	}
	for path, src := range map[string]string{"a.go": "for _, c := range []struct{ a int }{", "a.py": "@pytest.mark.parametrize('a', [1])", "a.ts": "it.each([1])('x'", "a.rs": "#[case(1)]"} {
		if !ByPath(path, nil).TableDriven([]byte(src)) {
			t.Errorf("%s: %q is a table", path, src)
		}
		if ByPath(path, nil).TableDriven([]byte("x = 1")) {
			t.Errorf("%s: no table here", path)
		}
	}
}

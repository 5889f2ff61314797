package lang

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"
)

// kinds writes the tokens of src as text: strings in «», comments in ‹›.
func kinds(l *Language, src string) string {
	var b strings.Builder
	l.Scan([]byte(src), func(t Token) {
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		s := strings.ReplaceAll(src[t.Start:t.End], "\n", "⏎")
		switch t.Kind {
		case String:
			s = "«" + s + "»"
		case CommentToken:
			s = "‹" + s + "›"
		}
		b.WriteString(s)
	})
	return b.String()
}

func TestScanKnowsEachLanguagesMarks(t *testing.T) {
	for _, c := range []struct{ path, src, want string }{
		{"a.go", "x := `a\"b` // c", "x : = «`a\"b`» ‹// c›"},
		{"a.go", "a /* \" */ b 'x' \"\\\"\"", "a ‹/* \" */› b «'x'» «\"\\\"\"»"},
		{"a.go", "s := \"open\nnext", "s : = \" open next"},
		{"a.py", "x = rb'\\'' + f\"{a}\" # c", "x = «rb'\\''» + «f\"{a}\"» ‹# c›"},
		{"a.py", "'''a\n\"b''' c", "«'''a⏎\"b'''» c"},
		{"a.js", "a = b / c / d", "a = b / c / d"},
		{"a.js", "a = /['\"/]/g.test(x)", "a = «/['\"/]/g» . test ( x )"},
		{"a.js", "return /'/", "return «/'/»"},
		{"a.js", "`a ${b + `c ${d}`} e` f", "«`a ${» b + «`c ${» d «}`» «} e`» f"},
		{"a.js", "`${ {a: '}'}.a }`", "«`${» { a : «'}'» } . a «}`»"},
		{"a.tsx", "<p>Don't</p>", "< p > Don ' t < / p >"},
		{"a.rs", "fn f<'a>(x: &'a str) { '\\'' ; b'x'; r#\"a\"b\"#; r#type }", "fn f < ' a > ( x : & ' a str ) { «'\\''» ; «b'x'» ; «r#\"a\"b\"#» ; r # type }"},
		{"a.rs", "/* a /* b */ c */ d", "‹/* a /* b */ c */› d"},
		{"a.c", "'a' 1'000 L'x' \"s\"", "«'a'» 1'000 L «'x'» «\"s\"»"},
		{"a.cpp", "R\"x(a)\" b)x\" c", "«R\"x(a)\" b)x\"» c"},
		{"a.java", "\"\"\"\n a \"b\" \"\"\" c", "«\"\"\"⏎ a \"b\" \"\"\"» c"},
		{"a.cs", "@\"a\"\"b\\\" c", "«@\"a\"\"b\\\"» c"},
		{"a.kt", "\"a ${f(\"b\")} c\" d", "«\"a ${» f ( «\"b\"» ) «} c\"» d"},
		{"a.swift", "#\"a\"b\"# c", "«#\"a\"b\"#» c"},
		{"a.rb", "x = <<~EOS\n  it's\n  EOS\ny", "x = <<~EOS «  it's⏎  EOS» y"},
		{"a.rb", "a << b\nc =~ /x'/\n=begin\nd\n=end\ne? f!", "a < < b c = ~ «/x'/» ‹=begin⏎d⏎=end› e? f!"},
		{"a.sh", "cat <<'E' | x\n$(a \"b\nE\necho \"$(f \"x\")\" ${#a} # c", "cat <<'E' | x «$(a \"b⏎E» echo «\"$(» f «\"x\"» «)\"» $ { # a } ‹# c›"},
		{"a.lua", "--[[ a\n]] b [==[ c ]] ]==] -- d", "‹--[[ a⏎]]› b «[==[ c ]] ]==]» ‹-- d›"},
		{"a.sql", "-- a\nselect 'it''s' /* b */", "‹-- a› select «'it''s'» ‹/* b */›"},
		{"a.yaml", "a: don't # c\nb: 'x # y'", "a : don ' t ‹# c› b : «'x # y'»"},
		{"a.html", "<!-- a --><script>let a = '</b>'; // c\n</script><p>it's</p>", "‹<!-- a -->› < script > let a = «'</b>'» ; ‹// c› < / script > < p > it ' s < / p >"},
		{"a.php", "$a = <<<X\n b\n X; # c\n#[At]", "$a = <<<X « b⏎ X» ; ‹# c› # [ At ]"},
		{"a.scss", "a: url(http://x); // c", "a : url ( http : / / x ) ; ‹// c›"},
		{"a.hs", "{- a {- b -} -} x' --> y -- c", "‹{- a {- b -} -}› x' - - > y ‹-- c›"},
		{"a.zig", "a \\\\ b\nc", "a «\\\\ b» c"},
		{"a.md", "# it's\n\n`x`", "‹# it's› ‹`x`›"},
		{"a.pl", "=pod\nx\n=cut\n$#a # c", "‹=pod⏎x⏎=cut› $ # a ‹# c›"},
	} {
		if got := kinds(ByPath(c.path, nil), c.src); got != c.want {
			t.Errorf("%s %q:\n got %s\nwant %s", c.path, c.src, got, c.want)
		}
	}
}

func classes(l *Language, src string) string {
	var b strings.Builder
	for _, c := range l.Classify([]byte(src)) {
		b.WriteByte(".C#P"[c])
	}
	return b.String()
}

func TestClassify(t *testing.T) {
	for _, c := range []struct{ why, path, src, want string }{
		{"code beats a comment on its line", "a.go", "x() // c\n\n// d\n/* e\n\nf */ y()\n", "C.##.C"},
		{"a docstring is a comment", "a.py", "def f():\n    \"\"\"Do it.\n\n    More.\n    \"\"\"\n    return 1\n", "C#.##C"},
		{"a string that is assigned is none", "a.py", "x = \"\"\"one two three four\nfive six seven eight nine\n\"\"\"\n", "CPC"},
		{"a string as argument is none", "a.py", "f(\n  \"a b\"\n)\n", "CCC"},
		{"queries in strings are code", "a.go", "q := `\nSELECT a FROM b\nWHERE c = 1\n`\n", "CCCC"},
		{"help text in strings is prose", "a.go", "Long: `Usage:\n  Prints the version of the program and exits.\n\nIt does nothing else at all here.\n`,\n", "CP.PC"},
		{"a block comment without stars", "a.c", "/* a\n  b = 1;\n*/\n* p = 0;\n", "###C"},
		{"lua", "a.lua", "-- a\nx = 1 -- b\n", "#C"},
		{"no final line end", "a.py", "x", "C"},
		{"empty", "a.py", "", ""},
		{"carriage returns", "a.go", "// a\r\n\r\nx\r\n", "#.C"},
		{"unknown languages know the common marks", "a.unknown", "# a\n// b\nx # c\n\n", "##C."},
		{"documents are prose", "a.md", "# a\n\nb = 1\n", "#.#"},
		{"vue", "a.vue", "<template>\n<!-- a -->\n</template>\n<script>\n// b\nlet c\n</script>\n", "C#CC#CC"},
		{"yaml", "a.yml", "# a\nb: c # d\n", "#C"},
		{"makefile", "Makefile", "# a\nall:\n\tgo build # b\n", "#CC"},
		{"a shebang line is code's", "run.sh", "#!/bin/sh\n# a\n", ".#"},
	} {
		if got := classes(ByPath(c.path, nil), c.src); got != c.want {
			t.Errorf("%s: got %s, want %s", c.why, got, c.want)
		}
	}
}

// TestHostileTextCostsLinearTime doubles texts made to send scanners back and
// forth; a quadratic path would take minutes.
func TestHostileTextCostsLinearTime(t *testing.T) {
	const size = 1 << 16
	all := []*Language{&langGo, &langPython, &langTypeScript, &langRust, &langJava, &langKotlin, &langCSharp, &langCPP, &langC, &langSwift, &langScala, &langPHP, &langRuby, &langElixir, &langLua, &langShell, &langSQL, &langYAML, &langHTML, &langVue, &langMakefile, &langHaskell, &langCMake, &langObjC, &langDart, &langProto, &langPerl, nil}
	for _, piece := range []string{"(", "{", "/", "'", "\"", "`${", "<", "<<A ", "fn a<", "def a(", "function a(", "class a ", "create table a ", "#\"", "/*", "\\", "r#", "[", "a.b.c=", "<script>", "func a(", "template<", "import {a,", "use a::{", "#if a\n{\n", "@interface a\n", "const a = ", "a: ", "type a[", "public int a("} {
		src := bytes.Repeat([]byte(piece), size/len(piece))
		for _, l := range all {
			best := time.Hour
			// A busy machine gets more than one try.
			for n := 0; n < 3 && best > 1500*time.Millisecond; n++ {
				start := time.Now()
				l.Scan(src, func(Token) {})
				l.Defs(src)
				l.Imports(src)
				best = min(best, time.Since(start))
			}
			if d := best; d > 1500*time.Millisecond {
				t.Errorf("%s on %q: %v for 64 KiB", l.Name(), piece, d)
			}
		}
	}
}

func FuzzScan(f *testing.F) {
	names := []string{"a.go", "a.py", "a.ts", "a.rs", "a.c", "a.cpp", "a.java", "a.kt", "a.cs", "a.rb", "a.sh", "a.lua", "a.php", "a.swift", "a.scala", "a.ex", "a.sql", "a.yaml", "a.json", "a.html", "a.vue", "a.md", "Makefile", "a.hs", "a.clj", "a.pl", "a.zig", "a.m", "a.ps1", "a.dart", "a.tf", "a.unknown"}
	for _, s := range []string{"x", "\"", "'''", "<<A\nb\nA", "`${`${", "r#\"", "/*", "{-", "\xef\xbb\xbf#!x", "[==[", "def a\n end", "#define x \\\ny", "class A { b() {} }", "use a::{b, c::{d}};", "from .a import (b,\n c)", "\x00\xff\xfe", "a\r\nb", "@\"", "R\"x(", "1.e+", "=begin\n", "fn f() {", "__END__\n'"} {
		for i := range names {
			f.Add(uint8(i), []byte(s))
		}
	}
	f.Fuzz(func(t *testing.T, n uint8, src []byte) {
		l := ByPath(names[int(n)%len(names)], nil)
		if err := scanLaws(l, src); err != nil {
			t.Fatalf("%s: %v", l.Name(), err)
		}
	})
}

// scanLaws are what must hold for any bytes in any language.
func scanLaws(l *Language, src []byte) error {
	end, line := 0, 1
	var err error
	l.Scan(src, func(t Token) {
		if t.Start < end || t.End <= t.Start || t.End > len(src) {
			err = fmt.Errorf("token %+v after offset %d of %d", t, end, len(src))
		}
		if err == nil {
			line += bytes.Count(src[end:t.Start], []byte{'\n'})
			if t.Line != line {
				err = fmt.Errorf("token %+v stands on line %d", t, line)
			}
			line += bytes.Count(src[t.Start:t.End], []byte{'\n'})
			end = t.End
		}
	})
	if err != nil {
		return err
	}
	lines := countLines(src)
	if n := len(l.Classify(src)); n != lines {
		return fmt.Errorf("%d classes for %d lines", n, lines)
	}
	last := 0
	for _, d := range l.Defs(src) {
		if d.Name == "" || d.Line < 1 || d.Line < last || d.End < d.Line || d.End > max(lines, 1) {
			return fmt.Errorf("definition %+v of %d lines", d, lines)
		}
		last = d.Line
	}
	for _, im := range l.Imports(src) {
		if im.Path == "" || im.Line < 1 || im.Line > max(lines, 1) {
			return fmt.Errorf("import %+v of %d lines", im, lines)
		}
	}
	l.Identifiers(src, func(name []byte, line int) {
		if len(name) < 2 || line < 1 || line > max(lines, 1) {
			err = fmt.Errorf("identifier %q on line %d of %d", name, line, lines)
		}
	})
	eachLine(src, func(_ int, s []byte) { l.TestOpening(s) })
	l.TableDriven(src)
	return err
}

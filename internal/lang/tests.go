package lang

import (
	"bytes"
	"strings"
)

// TestOpening says whether the line opens a test case, and the case's name as
// far as the line has it: "func TestX", "def test_x", "it('does x'",
// "TEST(Suite, X)", "@Test" and "#[test]" (these two without a name: the
// definition behind them has it). A group (describe, class) is no case. A
// commented line opens nothing.
func (l *Language) TestOpening(line []byte) (name string, ok bool) {
	s := bytes.TrimSpace(line)
	if len(s) > 2000 {
		s = s[:2000]
	}
	if l == nil || len(s) == 0 {
		return "", false
	}
	switch l.Name() {
	case "Go":
		if rest, ok := cut(s, "func "); ok {
			n := leadingName(rest, "")
			for _, p := range [...]string{"Test", "Fuzz", "Benchmark", "Example"} {
				// "Testing" is a helper: behind the prefix no lower-case letter stands.
				if strings.HasPrefix(n, p) && (len(n) == len(p) || !('a' <= n[len(p)] && n[len(p)] <= 'z')) && n != "TestMain" {
					return n, true
				}
			}
		}
		if rest, ok := cut(s, "t.Run("); ok {
			return quoted(rest)
		}
	case "Python":
		s, _ := cut(s, "async ")
		if rest, ok := cut(s, "def "); ok {
			if n := leadingName(rest, ""); strings.HasPrefix(n, "test_") || strings.HasPrefix(n, "test") && len(n) > 4 && 'A' <= n[4] && n[4] <= 'Z' || n == "test" {
				return n, true
			}
		}
	case "JavaScript", "TypeScript", "Vue", "Svelte":
		return scriptTest(s)
	case "Rust":
		for _, p := range [...]string{"#[test]", "#[tokio::test", "#[async_std::test", "#[rstest", "#[test_case", "#[bench]", "#[wasm_bindgen_test"} {
			if bytes.HasPrefix(s, []byte(p)) {
				return "", true
			}
		}
	case "Java", "Kotlin", "Groovy", "Scala":
		for _, p := range [...]string{"@Test", "@ParameterizedTest", "@RepeatedTest", "@TestFactory", "@TestTemplate", "@Property"} {
			if rest, ok := cut(s, p); ok && (len(rest) == 0 || rest[0] == '(' || rest[0] == ' ') {
				return "", true
			}
		}
		if l.Name() == "Scala" {
			if rest, ok := cut(s, "test("); ok {
				return quoted(rest)
			}
		}
	case "C#":
		for _, p := range [...]string{"[Fact", "[Theory", "[Test]", "[Test(", "[TestMethod", "[TestCase"} {
			if bytes.HasPrefix(s, []byte(p)) {
				return "", true
			}
		}
	case "C", "C++":
		for _, p := range [...]string{"TEST(", "TEST_F(", "TEST_P(", "TYPED_TEST(", "TEST_CASE(", "BOOST_AUTO_TEST_CASE(", "SCENARIO(", "CTEST("} {
			if rest, ok := cut(s, p); ok {
				if n, ok := quoted(rest); ok {
					return n, true
				}
				args := string(rest)
				if i := strings.IndexByte(args, ')'); i >= 0 {
					args = args[:i]
				}
				args = args[strings.LastIndexByte(args, ',')+1:]
				return strings.TrimSpace(args), true
			}
		}
	case "Ruby":
		if rest, ok := cut(s, "def test_"); ok {
			return "test_" + leadingName(rest, "?!"), true
		}
		for _, p := range [...]string{"it ", "test ", "specify ", "scenario "} {
			if rest, ok := cut(s, p); ok {
				if n, ok := quoted(rest); ok {
					return n, true
				}
			}
		}
	case "PHP":
		if i := bytes.Index(s, []byte("function test")); i >= 0 && !comment(s) {
			return leadingName(s[i+len("function "):], ""), true
		}
		if rest, ok := cut(s, "it("); ok {
			return quoted(rest)
		}
	case "Swift":
		if rest, ok := cut(s, "func test"); ok {
			return "test" + leadingName(rest, ""), true
		}
		return "", bytes.HasPrefix(s, []byte("@Test"))
	case "Elixir":
		if rest, ok := cut(s, "test "); ok {
			return quoted(rest)
		}
	case "Shell":
		if rest, ok := cut(s, "@test "); ok {
			return quoted(rest)
		}
		if i := bytes.Index(s, []byte("()")); i > 0 && bytes.HasPrefix(s, []byte("test_")) {
			return leadingName(s, "-"), true
		}
	case "Dart":
		for _, p := range [...]string{"test(", "testWidgets("} {
			if rest, ok := cut(s, p); ok {
				return quoted(rest)
			}
		}
	case "Perl":
		if rest, ok := cut(s, "subtest "); ok {
			return quoted(rest)
		}
	case "Zig":
		if rest, ok := cut(s, "test "); ok {
			return quoted(rest)
		}
	}
	return "", false
}

// scriptTest knows it(...), test(...) and their variants, not describe(...).
func scriptTest(s []byte) (string, bool) {
	for _, p := range [...]string{"it", "test", "bench", "fit", "xit", "xtest"} {
		rest, ok := cut(s, p)
		if !ok || len(rest) == 0 || rest[0] != '(' && rest[0] != '.' {
			continue
		}
		if rest[0] == '.' {
			// it.each(...)('name', and it.only('name'
			i := bytes.IndexByte(rest, '(')
			if i < 0 {
				return "", bytes.HasPrefix(rest, []byte(".each`"))
			}
			switch string(rest[1:i]) {
			case "only", "skip", "concurrent", "todo", "fails", "sequential":
			case "each", "skipIf", "runIf", "for":
				return "", true
			default:
				return "", false
			}
			rest = rest[i:]
		}
		if n, ok := quoted(rest[1:]); ok {
			return n, true
		}
		// The name may stand on the next line, or be an expression.
		return "", p != "bench" && len(bytes.TrimSpace(rest[1:])) == 0
	}
	return "", false
}

// TableDriven says whether a test file takes its cases from tables: then the
// number of openings is not the number of cases.
func (l *Language) TableDriven(src []byte) bool {
	if l == nil {
		return false
	}
	var marks []string
	switch l.Name() {
	case "Go":
		marks = []string{"[]struct {", "[]struct{", "map[string]struct {", "map[string]struct{", "range tests", "range cases", "range testCases", "range tcs"}
	case "Python":
		marks = []string{"parametrize", "subTest(", "@parameterized", "@ddt"}
	case "JavaScript", "TypeScript", "Vue", "Svelte":
		marks = []string{".each(", ".each`", "forEach(function", ".forEach(("}
	case "Rust":
		marks = []string{"#[case", "test_case(", "#[rstest", "macro_rules!"}
	case "Java", "Kotlin", "Groovy", "Scala":
		marks = []string{"@ParameterizedTest", "@MethodSource", "@CsvSource", "@ValueSource", "@Parameters", "where:"}
	case "C#":
		marks = []string{"[InlineData", "[TestCase(", "[MemberData", "[DataRow"}
	case "C", "C++":
		marks = []string{"INSTANTIATE_TEST", "TEST_P(", "GENERATE("}
	case "Ruby":
		marks = []string{".each do", "shared_examples"}
	case "PHP":
		marks = []string{"@dataProvider", "#[DataProvider"}
	}
	for _, m := range marks {
		if bytes.Contains(src, []byte(m)) {
			return true
		}
	}
	return false
}

func comment(s []byte) bool {
	return bytes.HasPrefix(s, []byte("//")) || bytes.HasPrefix(s, []byte("*")) || bytes.HasPrefix(s, []byte("/*")) || bytes.HasPrefix(s, []byte("#"))
}

func cut(s []byte, prefix string) ([]byte, bool) {
	if hasPrefix(s, prefix) {
		return s[len(prefix):], true
	}
	return s, false
}

// leadingName is the identifier at the start of s.
func leadingName(s []byte, extra string) string {
	i := 0
	for i < len(s) && (s[i] == '_' || s[i] >= 0x80 || '0' <= s[i] && s[i] <= '9' || 'a' <= s[i] && s[i] <= 'z' || 'A' <= s[i] && s[i] <= 'Z' || strings.IndexByte(extra, s[i]) >= 0) {
		i++
	}
	return string(s[:i])
}

// quoted is the string that s begins with.
func quoted(s []byte) (string, bool) {
	s = bytes.TrimLeft(s, " \t(")
	if len(s) == 0 || s[0] != '"' && s[0] != '\'' && s[0] != '`' {
		return "", false
	}
	q := s[0]
	for i := 1; i < len(s); i++ {
		if s[i] == '\\' {
			i++
			continue
		}
		if s[i] == q {
			return string(s[1:i]), true
		}
	}
	return string(s[1:]), true
}

package bench

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// scene makes a scene by hand. Files are path, then lines that begin with + or -.
func scene(message string, tree []string, files ...[]string) *Scene {
	s := &Scene{src: &Source{Name: "r"}, vocab: &vocabulary{scopes: map[string]int{}}, seed: 1, rng: rand.New(rand.NewPCG(1, 2)),
		Commit: &Commit{Hash: strings.Repeat("a", 40), Message: message, Plain: true}, tree: append([]string{}, tree...)}
	for _, f := range files {
		d := fileDiff{path: f[0], old: f[0], status: 'M'}
		s.text += strings.ToLower(f[0]) + "\n"
		for _, l := range f[1:] {
			s.text += strings.ToLower(l) + "\n"
			if l[0] == '+' {
				d.added = append(d.added, l[1:])
				s.lines.added++
			} else {
				d.removed = append(d.removed, l[1:])
				s.lines.removed++
			}
		}
		s.Files = append(s.Files, d)
	}
	s.images = s.text + "\n" // the touched files hold what the diff shows
	return s
}

// statement is what the draft changed or added.
func statement(d draft) string { return d.message[d.at : d.at+d.size] }

func TestOperationSwapsTheLeadingVerbOnlyWhereTheLinesSpeakAgainstIt(t *testing.T) {
	grows := []string{"a.go", "+x := 1", "+y := 2", "+z := 3"}
	shrinks := []string{"a.go", "-x := 1", "-y := 2", "-z := 3"}
	for name, tc := range map[string]struct {
		message, want string
		file          []string
	}{
		"add":                        {"Add a flag", "Remove a flag", grows},
		"adds behind a type":         {"feat(x): adds a flag", "feat(x): removes a flag", grows},
		"added, body kept":           {"Added a flag\n\nBody.\n", "Removed a flag\n\nBody.\n", grows},
		"dropping":                   {"dropping a flag", "adding a flag", shrinks},
		"enable, whatever the lines": {"Enable x", "Disable x", shrinks},
		"add where lines go away":    {"Add a flag", "", shrinks},
		"remove where lines come":    {"Remove a flag", "", grows},
		"remove at run time":         {"Remove rows before insert", "", shrinks},
		"two actions":                {"Add a flag and remove another", "", grows},
		"a verb without an opposite": {"Fix a flag", "", grows},
		"a verb that does not lead":  {"Please add a flag", "", grows},
		"nothing behind the verb":    {"add", "", grows},
	} {
		t.Run(name, func(t *testing.T) {
			d, ok := mutateOperation(scene(tc.message, nil, tc.file))
			if ok != (tc.want != "") || ok && d.message != tc.want {
				t.Errorf("got %v %q, want %q", ok, d.message, tc.want)
			}
		})
	}
}

func TestFileIsReplacedByOneThatTheDiffDoesNotTouch(t *testing.T) {
	tree := []string{"src/lexer.go", "src/parser.go", "README.md"}
	d, ok := mutateFile(scene("Fix lexer.go and lexer.go", tree, []string{"src/lexer.go", "+a", "-b"}))
	if !ok || d.message != "Fix parser.go and parser.go" || statement(d) != "parser.go" {
		t.Errorf("got %v %q", ok, d.message)
	}
	d, ok = mutateFile(scene("Fix the crash (#12)\n", tree, []string{"src/lexer.go", "+a", "-b"}))
	if !ok || !strings.HasSuffix(d.message, "parser.go (#12)\n") || !strings.HasPrefix(d.message, "Fix the crash in ") || !strings.HasSuffix(statement(d), "parser.go") {
		t.Errorf("got %v %q", ok, d.message)
	}
	if d, ok = mutateFile(scene("Fix the crash", tree, []string{"src/lexer.go", "+// like parser.go and readme.md"})); ok {
		t.Errorf("a file that the diff speaks of was drawn: %q", d.message)
	}
}

func TestComponentIsReplacedByAnotherPartOfTheTree(t *testing.T) {
	s := scene("fix(lexer): end of input", []string{"lexer/a.go", "parser/b.go"}, []string{"lexer/a.go", "+a"})
	s.vocab.scopes = map[string]int{"lexer": 5, "parser": 5, "nowhere": 9, "rare": 1}
	if d, ok := mutateComponent(s); !ok || d.message != "fix(parser): end of input" || statement(d) != "parser" {
		t.Errorf("got %v %q", ok, d.message)
	}
	s = scene("lexer: end of input", []string{"lexer/a.go", "parser/b.go"}, []string{"lexer/a.go", "+a"}, []string{"parser/b.go", "+b"})
	s.vocab.scopes = map[string]int{"lexer": 5, "parser": 5}
	if d, ok := mutateComponent(s); ok {
		t.Errorf("a part that the diff touches was drawn: %q", d.message)
	}
}

func TestQuantityChangesWhatMessageAndDiffShare(t *testing.T) {
	bump := []string{"go.mod", "-require x v1.2.3", "+require x v1.3.0"}
	d, ok := mutateQuantity(scene("Bump x from 1.2.3 to v1.3.0", nil, bump))
	if !ok || strings.Contains(d.message, "from 1.2.3 ") == strings.Contains(d.message, " v1.3.0") {
		t.Errorf("got %v %q", ok, d.message)
	}
	for _, message := range []string{"Bump x (#123)", "Fix CVE-2021-30 in 9.9", "See https://e.org/1.3.0"} {
		if d, ok := mutateQuantity(scene(message, nil, bump)); ok {
			t.Errorf("%q became %q", message, d.message)
		}
	}
}

func TestScopeStatementsAreFalse(t *testing.T) {
	code := []string{"src/a/x.go", "+f(1)", "+g(2)", "+h(3)", "+i(4)", "+j(5)"}
	for seed := range uint64(60) {
		s := scene("Fix it\n\nSigned-off-by: A <a@example.org>", []string{"src/a/x.go", "src/b/y.go", "docs/z.md"}, code, []string{"src/b/y.go", "+k(6)"})
		s.rng = rand.New(rand.NewPCG(seed, 3))
		d, ok := mutateScope(s)
		if !ok || !strings.HasSuffix(d.message, "\n\nSigned-off-by: A <a@example.org>\n") || !strings.HasPrefix(d.message, "Fix it\n\n"+statement(d)) {
			t.Fatalf("got %v %q", ok, d.message)
		}
	}
	if d, ok := mutateScope(scene("Explain it", []string{"docs/z.md"}, []string{"docs/z.md", "+f(1)", "+g(2)", "+h(3)"})); ok {
		t.Errorf("a change of documents got %q", d.message)
	}
}

func TestExtraKeepsTheMessageAndItsTrailers(t *testing.T) {
	for seed := range uint64(60) {
		s := scene("Fix it\n\n* one\n* two\n\nFixes #3", []string{"src/x.go", "src/long.go"}, []string{"src/x.go", "+f(1)"})
		s.rng = rand.New(rand.NewPCG(seed, 3))
		d, ok := mutateExtra(s)
		if !ok || !strings.HasPrefix(d.message, "Fix it\n\n* one\n* two\n* "+statement(d)+"\n\nFixes #3") {
			t.Fatalf("got %v %q", ok, d.message)
		}
	}
	for seed := range uint64(60) {
		s := scene("Fix it", nil, []string{"src/x.go", "+" + strings.Join(inventions(), " "), "+" + strings.Join(packages(), " "), "+assert(1)", "+// words"})
		s.rng = rand.New(rand.NewPCG(seed, 3))
		if d, ok := mutateExtra(s); ok {
			t.Errorf("everything is in the diff, but %q was added", statement(d))
		}
	}
}

func TestExtraIsASentenceOrABulletWhereTheMessageHasNoBullets(t *testing.T) {
	forms := map[string]int{}
	for seed := range uint64(200) {
		s := scene("Fix it", []string{"src/x.go", "src/long.go", "src/bridge.go"}, []string{"src/x.go", "+f(1)"})
		s.rng = rand.New(rand.NewPCG(seed, 3))
		d, ok := mutateExtra(s)
		if !ok {
			continue
		}
		switch d.message {
		case "Fix it\n\n" + statement(d) + ".\n":
			forms["sentence"]++
		case "Fix it\n\n- " + statement(d) + "\n":
			forms["bullet"]++
		default:
			t.Fatalf("%q", d.message)
		}
		forms[d.form]++
	}
	for _, form := range []string{"sentence", "bullet", "endpoint", "function", "flag", "new-file", "untouched-file", "dependency", "tests", "docs"} {
		if forms[form] == 0 {
			t.Errorf("no %s among %v", form, forms)
		}
	}
}

func TestControlsAreTrueOfTheDiff(t *testing.T) {
	for name, tc := range map[string]struct {
		control func(*Scene) (draft, bool)
		message string
		file    []string
		want    []string // statements that may come; none: no control
	}{
		"a verb that says the same":            {controlOperation, "Add a flag", []string{"a.go", "+x", "+y", "+z"}, []string{"Introduce"}},
		"a verb that the lines do not bear":    {controlOperation, "Add a flag", []string{"a.go", "-x", "-y"}, nil},
		"the subject alone":                    {controlPurpose, "Give the parser a limit\n\nWhy.\n", []string{"a.go", "+x"}, []string{"Give the parser a limit"}},
		"a number that changes":                {controlQuantity, "Give it room", []string{"a.go", "-limit = 20", "+limit = 30"}, []string{"Change 20 to 30 in `a.go`", "Go from 20 to 30", "Now 30 instead of 20"}},
		"a number that changes with its words": {controlQuantity, "Give it room", []string{"a.go", "-limit = 20", "+bound = 30"}, nil},
		"two numbers that change":              {controlQuantity, "Give it room", []string{"a.go", "-f(20, 5)", "+f(30, 6)"}, nil},
		"a definition":                         {controlFunction, "Give it room", []string{"a.go", "+func openDoor() {"}, []string{"Add `openDoor`"}},
	} {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(20) {
				s := scene(tc.message, nil, tc.file)
				s.rng = rand.New(rand.NewPCG(seed, 3))
				d, ok := tc.control(s)
				if ok != (tc.want != nil) || ok && !slices.Contains(tc.want, statement(d)) {
					t.Fatalf("got %v %q, want one of %q", ok, statement(d), tc.want)
				}
			}
		})
	}
}

func TestIndexWholeDoesNotCutNames(t *testing.T) {
	for s, want := range map[string]int{"a.go": 0, "ba.go": -1, "see a.go.": 4, "x/a.go": -1, "a.go.bak a.go": 9, "`a.go`": 1, "a.gob": -1} {
		if got := indexWhole(s, "a.go"); got != want {
			t.Errorf("%q: got %d, want %d", s, got, want)
		}
	}
}

func FuzzMutatorsPointAtTheirStatement(f *testing.F) {
	f.Add("feat(x): add lexer.go 1.2.3 `Name()`\n\n- one\n\nFixes: #1\n", uint64(1))
	f.Add("\n\n(#1)", uint64(2))
	f.Fuzz(func(t *testing.T, message string, seed uint64) {
		s := scene(strings.ToValidUTF8(message, "?"), []string{"src/lexer.go", "src/parser.go", "lib/z.go"}, []string{"src/lexer.go", "+add(1.2.3)", "+b()", "+c()", "+name", "+d()"}, []string{"lib/z.go", "+e()"})
		s.src.Commits = []*Commit{s.Commit}
		for _, m := range mutators {
			if m.rule == Function {
				continue // reads a repository
			}
			s.rng = rand.New(rand.NewPCG(seed, 1))
			d, ok := m.make(s)
			if !ok {
				continue
			}
			p := s.pair(Mutant, m.rule, d)
			rs := []rune(p.Message)
			if p.At < 0 || p.Length <= 0 || p.At+p.Length > len(rs) || p.Message == s.Commit.Message {
				t.Fatalf("%s: %+v", m.rule, p)
			}
		}
	})
}

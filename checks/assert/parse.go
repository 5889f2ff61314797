package assert

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
	"go.yaml.in/yaml/v4"

	"github.com/saysolint/sayso/internal/lang"
)

// Limits of a list of rules.
const (
	MaxRules   = 100
	MaxGlobs   = 100  // of one rule
	MaxText    = 1000 // bytes of a name, glob or expression
	MaxMessage = 500  // bytes
)

// Problem is one thing of a list that cannot be read. The rule that it stands in is
// left out; the others hold.
type Problem struct {
	Line int    // from 1, in the text that was read
	Text string // one clause without control characters
}

// Parse reads the rules of an entry: a YAML document with the one key asserts. What
// is not understood is a problem and never a rule that holds by guess.
func Parse(text string) ([]Rule, []Problem) {
	p := &parser{}
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(text), &doc); err != nil {
		p.bad(1, "not YAML: %s", firstLine(err.Error()))
		return nil, p.problems
	}
	if len(doc.Content) == 0 {
		return nil, nil
	}
	root := doc.Content[0]
	if root.Kind != yaml.MappingNode || len(root.Content) != 2 || root.Content[0].Value != "asserts" {
		p.bad(root.Line, "not one list under the key asserts")
		return nil, p.problems
	}
	list := root.Content[1]
	if list.Tag == "!!null" {
		return nil, nil
	}
	if list.Kind != yaml.SequenceNode {
		p.bad(list.Line, "asserts is a list: one rule an item")
		return nil, p.problems
	}
	var rules []Rule
	for i, n := range list.Content {
		if i == MaxRules {
			p.bad(n.Line, "only the first %d rules are read", MaxRules)
			break
		}
		before := len(p.problems)
		r := p.rule(n)
		if len(p.problems) == before {
			rules = append(rules, r)
		}
	}
	return rules, p.problems
}

type parser struct{ problems []Problem }

func (p *parser) bad(line int, format string, a ...any) {
	p.problems = append(p.problems, Problem{Line: max(line, 1), Text: printable(fmt.Sprintf(format, a...))})
}

// fields are the values of a mapping by their keys, each once.
func (p *parser) fields(n *yaml.Node, what string) map[string]*yaml.Node {
	if n.Kind != yaml.MappingNode {
		p.bad(n.Line, "%s is a mapping (key: value)", what)
		return nil
	}
	out := map[string]*yaml.Node{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		switch {
		case k.Kind != yaml.ScalarNode || k.Value == "<<":
			p.bad(k.Line, "%s has a key that is no word", what)
		case out[k.Value] != nil:
			p.bad(k.Line, "%s has %.40q twice", what, k.Value)
		default:
			out[k.Value] = v
		}
	}
	return out
}

// keys refuses fields that nobody knows: a misspelt word would hold everywhere.
func (p *parser) keys(f map[string]*yaml.Node, what string, known ...string) {
	var unknown []string
	for k := range f {
		if !slices.Contains(known, k) {
			unknown = append(unknown, k)
		}
	}
	slices.Sort(unknown)
	for _, k := range unknown {
		p.bad(f[k].Line, "%s does not know %.40q: it has %s", what, k, strings.Join(known, ", "))
	}
}

// one is a scalar as text.
func (p *parser) one(n *yaml.Node, what string, most int) string {
	switch {
	case n == nil:
		return ""
	case n.Kind != yaml.ScalarNode || n.Tag == "!!null" || strings.TrimSpace(n.Value) == "":
		p.bad(n.Line, "%s is one piece of text", what)
		return ""
	case len(n.Value) > most || strings.ContainsRune(n.Value, 0):
		p.bad(n.Line, "%s is longer than %d bytes or holds a NUL", what, most)
		return ""
	}
	return n.Value
}

// some is one piece of text or a list of them.
func (p *parser) some(n *yaml.Node, what string) []string {
	switch {
	case n == nil:
		return nil
	case n.Kind != yaml.SequenceNode:
		if s := p.one(n, what, MaxText); s != "" {
			return []string{s}
		}
		return nil
	case len(n.Content) == 0 || len(n.Content) > MaxGlobs:
		p.bad(n.Line, "%s has 1 to %d items", what, MaxGlobs)
		return nil
	}
	var out []string
	for _, item := range n.Content {
		if s := p.one(item, what, MaxText); s != "" {
			out = append(out, s)
		}
	}
	return out
}

func (p *parser) globs(n *yaml.Node, what string) []string {
	out := p.some(n, what)
	for _, g := range out {
		if !doublestar.ValidatePattern(g) {
			p.bad(n.Line, "%s: %.60q is no glob", what, g)
		}
	}
	return out
}

// word is one of a few words, the first where there is none.
func (p *parser) word(n *yaml.Node, what string, words ...string) string {
	w := p.one(n, what, MaxText)
	switch {
	case n == nil:
		return words[0]
	case w != "" && !slices.Contains(words, w):
		p.bad(n.Line, "%s: %.40q is none of %s", what, w, strings.Join(words, ", "))
	}
	return w
}

func (p *parser) rule(n *yaml.Node) Rule {
	r := Rule{Line: n.Line}
	f := p.fields(n, "a rule")
	if f == nil {
		return r
	}
	p.keys(f, "a rule", "forbid", "require", "in", "except", "message")
	body := f["forbid"]
	if f["require"] != nil {
		r.Require, body = true, f["require"]
	}
	if body == nil || f["forbid"] != nil && f["require"] != nil {
		p.bad(n.Line, "a rule has either forbid or require")
		return r
	}
	r.In, r.Except = p.globs(f["in"], "in"), p.globs(f["except"], "except")
	r.Message = strings.Join(strings.Fields(p.one(f["message"], "message", MaxMessage)), " ")
	p.subject(&r, body)
	return r
}

// verb is how the rule begins, for problems.
func (r *Rule) verb() string {
	if r.Require {
		return "require"
	}
	return "forbid"
}

func (p *parser) subject(r *Rule, n *yaml.Node) {
	f := p.fields(n, r.verb())
	if f == nil {
		return
	}
	for _, s := range Subjects {
		switch {
		case f[string(s)] == nil:
		case r.Subject != "":
			p.bad(n.Line, "%s has one subject, not %s and %s", r.verb(), r.Subject, s)
			return
		default:
			r.Subject = s
			r.Name = strings.TrimSpace(p.one(f[string(s)], string(s), MaxText))
		}
	}
	if r.Name == "" {
		if r.Subject == "" {
			p.bad(n.Line, "%s names one of dependency, import, path, identifier, text", r.verb())
		}
		return
	}
	what := r.verb() + " " + string(r.Subject)
	switch r.Subject {
	case Dependency:
		p.keys(f, what, "dependency", "version")
		r.Version = strings.TrimSpace(p.one(f["version"], "version", MaxText))
		p.glob(n, r)
	case Import:
		p.keys(f, what, "import")
		p.glob(n, r)
	case Path:
		p.keys(f, what, "path", "change")
		p.glob(n, r)
		r.Change = p.some(f["change"], "change")
		for _, w := range r.Change {
			if w != "add" && w != "edit" && w != "delete" {
				p.bad(f["change"].Line, "change: %.40q is none of add, edit, delete", w)
			}
		}
		if r.Require && f["change"] != nil {
			p.bad(f["change"].Line, "require path takes no change: the path must exist")
		}
	case Identifier:
		p.keys(f, what, "identifier", "as")
		r.As = p.word(f["as"], "as", "used", "defined")
	case Text:
		p.keys(f, what, "text", "lines")
		r.Lines = p.word(f["lines"], "lines", "any", "code", "comment")
	}
	if r.Require && len(r.In) == 0 && (r.Subject == Import || r.Subject == Text || r.Subject == Identifier && r.As == "used") {
		p.bad(n.Line, "%s needs in: which files must have it?", what)
	}
	if err := r.compile(); err != nil {
		p.bad(n.Line, "%s: %s", what, err)
	}
}

func (p *parser) glob(n *yaml.Node, r *Rule) {
	if !doublestar.ValidatePattern(r.Name) {
		p.bad(n.Line, "%s: %.60q is no glob", r.Subject, r.Name)
	}
}

// compile makes ready what matching needs.
func (r *Rule) compile() error {
	switch r.Subject {
	case Text:
		re, err := regexp.Compile(r.Name)
		if err != nil {
			return fmt.Errorf("not an RE2 expression: %s", firstLine(err.Error()))
		}
		if re.MatchString("") {
			return fmt.Errorf("the expression matches every line")
		}
		r.re = re
	case Dependency:
		if r.Version == "" {
			return nil
		}
		c, err := parseConstraint(r.Version)
		if err != nil {
			return err
		}
		r.version = c
	case Identifier:
		return r.compileIdentifier()
	}
	return nil
}

func (r *Rule) compileIdentifier() error {
	r.last = r.Name
	if i := strings.LastIndexAny(r.Name, ".:>#"); i >= 0 {
		r.first, r.last = r.Name[:i+1], r.Name[i+1:]
	}
	seen := false
	(*lang.Language)(nil).Identifiers([]byte(r.last), func(name []byte, _ int) { seen = seen || string(name) == r.last })
	if !seen {
		return fmt.Errorf("%.60q is no name of at least two letters, or a keyword: use text", r.Name)
	}
	if r.first == "" {
		return nil
	}
	var b strings.Builder
	b.WriteString(`(?:^|[^\pL\pN_$])`)
	for i, part := range regexp.MustCompile(`\.|::|->|#`).Split(r.first, -1) {
		if part == "" {
			continue
		}
		if i > 0 {
			b.WriteString(`\s*(?:\.|::|->|\?\.)\s*`)
		}
		b.WriteString(regexp.QuoteMeta(part))
	}
	b.WriteString(`\s*(?:\.|::|->|\?\.)\s*` + regexp.QuoteMeta(r.last) + `(?:[^\pL\pN_$]|$)`)
	re, err := regexp.Compile(b.String())
	if err != nil {
		return err
	}
	r.spelled = re
	return nil
}

// New makes a rule ready that was put together in code rather than read.
func New(r Rule) (Rule, error) {
	if r.Subject == Identifier && r.As == "" {
		r.As = "used"
	}
	if r.Subject == Text && r.Lines == "" {
		r.Lines = "any"
	}
	return r, r.compile()
}

func firstLine(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	return s
}

func printable(s string) string {
	return strings.Map(func(c rune) rune {
		if c < ' ' || c == 0x7f {
			return ' '
		}
		return c
	}, strings.ToValidUTF8(s, "\uFFFD"))
}

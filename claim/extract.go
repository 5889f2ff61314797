package claim

import (
	"sort"
	"strings"
	"unicode/utf8"
)

// extract makes the claims of a parsed message, in order of place.
func extract(m *Message) []Claim {
	x := &extractor{m: m, out: make([]Claim, 0, 4+3*len(m.Statements))}
	x.header()
	for i := range m.Statements {
		st := &m.Statements[i]
		before := len(x.out)
		x.st, x.stAt = st, i
		x.opening = x.mark(st.Start)
		x.revert()
		if m.Special != Merge && m.Special != Fixup {
			if !st.Foreign {
				x.scope()
				x.quantity()
				x.tests()
				x.action()
			}
			x.names()
			if st.Standing == Subject && !st.Foreign {
				x.subjectWords()
			}
		}
		if st.Standing == Own && len(x.out) == before && !st.Foreign && len(st.Tokens) > 1 && hasVerb(st) {
			x.add(Claim{Kind: KindStatement}, -1, st.Start, st.End)
		}
		if len(x.out) == before {
			m.NotClaims++
		}
	}
	x.trailers()
	sort.SliceStable(x.out, func(i, j int) bool {
		a, b := &x.out[i], &x.out[j]
		if a.Start != b.Start {
			return a.Start < b.Start
		}
		return a.Kind < b.Kind
	})
	return x.out
}

type extractor struct {
	m    *Message
	st   *Statement
	stAt int
	out  []Claim

	opening, last mark // places counted already: of the statement, and of the claim before
}

// mark is a byte offset with its line and column.
type mark struct{ at, line, column int }

// mark counts on from the nearest mark before: a line with thousands of claims
// is not counted from its begin for each of them.
func (x *extractor) mark(at int) mark {
	starts := x.m.lineStarts
	line := sort.SearchInts(starts, at+1)
	from := mark{starts[line-1], line, 1}
	for _, k := range [...]mark{x.opening, x.last} {
		if k.line == line && k.at > from.at && k.at <= at {
			from = k
		}
	}
	return mark{at, line, from.column + utf8.RuneCountInString(x.m.Text[from.at:at])}
}

func hasVerb(st *Statement) bool {
	for _, c := range st.Clauses {
		if c.Verb != NoVerb && !c.Sub {
			return true
		}
	}
	return false
}

// add completes a claim with its place and standing.
func (x *extractor) add(c Claim, clause, start, end int) *Claim {
	c.Start, c.End = start, end
	c.Text = folded(x.m.Text[start:end])
	x.last = x.mark(start)
	c.Place = x.m.place(x.last.line, x.last.column, start, end)
	c.Tier = x.m.Options.Tier
	c.Statement, c.Clause = x.stAt, clause
	if x.st != nil {
		c.Standing = x.st.Standing
		if clause >= 0 && c.Verb == NoVerb {
			cl := x.st.Clauses[clause]
			if cl.VerbAt >= 0 && !cl.Negated {
				c.Verb = cl.Verb
				c.VerbWord = x.st.Tokens[cl.VerbAt].Low
			}
		}
	}
	x.out = append(x.out, c)
	return &x.out[len(x.out)-1]
}

// folded is s with each run of white space as one blank, which most spans have already.
func folded(s string) string {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c < ' ' || c >= utf8.RuneSelf || c == ' ' && (i == 0 || i+1 == len(s) || s[i+1] == ' ') {
			return valid(strings.Join(strings.Fields(s), " "))
		}
	}
	return s
}

// header: the conventional type and the scopes.
func (x *extractor) header() {
	m := x.m
	if len(m.Statements) == 0 || m.Options.NoSubject || m.Special == Merge || m.Special == Fixup {
		return
	}
	x.st, x.stAt = &m.Statements[0], 0
	base := m.lineStarts[0]
	if i := strings.Index(m.Text, m.Subject); i >= 0 {
		// Offsets of the header count from the start of the subject's line.
		line, _ := m.Position(i)
		base = m.lineStarts[line-1]
	}
	h := m.Header
	if h.Type != "" && lower(h.Type) != "revert" {
		s := base + h.TypeAt
		x.add(Claim{Kind: KindType, Detail: Detail{Name: lower(h.Type), Whole: h.Type, InHeader: true}}, -1, s, s+len(h.Type))
	}
	for i, sc := range h.Scopes {
		s := base + h.ScopesAt[i]
		x.add(Claim{Kind: KindComponent, Detail: Detail{Name: sc, Whole: sc, InHeader: true, Candidate: h.Prefix}}, -1, s, s+len(sc))
		if name := sc[strings.LastIndexAny(sc, ".:#/")+1:]; len(name) > 3 && identifierLike(sc) && !looksFile(sc) && !productWords()[lower(sc)] && (innerShape(name) || name != sc && strings.IndexByte(sc, '/') < 0) {
			x.add(Claim{Kind: KindIdentifier, Detail: Detail{Name: name, Whole: sc, Shape: Shaped, Head: true, InHeader: true, Candidate: true}}, -1, s, s+len(sc))
		}
	}
	if rest := h.Rest; rest != "" && m.Special == Plain {
		s := base + h.RestAt
		x.add(Claim{Kind: KindPurpose, Detail: Detail{Candidate: true}}, -1, s, min(s+len(rest), len(m.Text)))
	}
}

// revert: "This reverts commit X", and the header form.
func (x *extractor) revert() {
	toks := x.st.Tokens
	for i, t := range toks {
		if t.Kind != Word || t.Low != "reverts" && t.Low != "revert" && t.Low != "reverting" && t.Low != "reverted" {
			continue
		}
		for j := i + 1; j < len(toks) && j < i+5; j++ {
			n := toks[j]
			if n.Kind == Hash || (n.Kind == Code && looksHash(n.Low)) || n.Kind == Number && len(n.Text) >= 7 {
				// In a squash body the sentence is another commit's: only a revert by its subject, or a message of one paragraph, says it of itself.
				x.add(Claim{Kind: KindRevert, Detail: Detail{Name: strings.Trim(n.Low, "."), Verb: VerbRevert, Mixed: x.m.Special != Revert && x.stAt > 1}}, -1, x.spanStart(i), n.End)
				return
			}
			if n.Kind != Word && n.Kind != Punct {
				break
			}
		}
	}
}

func (x *extractor) spanStart(i int) int {
	if i > 0 && x.st.Tokens[i-1].Low == "this" {
		i--
	}
	return x.st.Tokens[i].Start
}

// trailers: those whose value names a commit of this repository.
func (x *extractor) trailers() {
	x.st = nil
	for _, t := range x.m.Trailers {
		switch lower(t.Key) {
		case "fixes", "refs", "ref", "reverts", "fixed", "depends-on", "backport":
		default:
			continue
		}
		f := strings.Fields(t.Value)
		if len(f) == 0 {
			continue
		}
		h := lower(strings.Trim(f[0], "`,.;"))
		if h == "commit" && len(f) > 1 {
			h = lower(strings.Trim(f[1], "`,.;"))
		}
		if !looksHash(h) || len(h) < 7 {
			continue
		}
		kind := KindTrailer
		if lower(t.Key) == "reverts" {
			kind = KindRevert
		}
		x.stAt = -1
		x.add(Claim{Kind: kind, Detail: Detail{Name: h, Whole: t.Key}}, -1, t.Start, t.End)
	}
}

// ---- action ----

var objectStops = set(`from to in into for when so that and because on with by as since after before if while via of at within inside
under using rather instead unless until which where then but during across against per between through over without`)

// mixedWords make the direction of a clause unsure: a replacement goes both
// ways, and a condition tells when something happens, not that it is written.
var mixedWords = set(`instead replace replaced replaces replacing but rather longer back remove removes removed removing add adds added adding drop drops
dropped delete deleted deletes deprecate deprecated deprecation exclude excluded exclusion ignore ignored ignores skip skipped skips restrict
restriction limit limitation not when if while unless whenever some cases from default defaults without except workaround hack warning warnings`)

func (x *extractor) action() {
	if x.st.Standing != Subject && x.st.Standing != Own || x.m.Special != Plain {
		return
	}
	for ci := range x.st.Clauses {
		c := x.st.Clauses[ci]
		if c.Sub || c.Negated || c.VerbAt < 0 {
			continue
		}
		switch c.Verb {
		case VerbAdd, VerbRemove, VerbRename, VerbMove, VerbEnable, VerbDisable, VerbIncrease, VerbDecrease:
		default:
			continue
		}
		toks := x.st.Tokens
		end := c.VerbAt + 1
		var obj []Token
		for end < c.To && !(toks[end].Kind == Word && objectStops()[toks[end].Low]) && !(toks[end].Kind == Punct && (toks[end].Text == "," || toks[end].Text == ":" || toks[end].Text == "(" || toks[end].Text == "->")) {
			if toks[end].Kind != Punct {
				obj = append(obj, toks[end])
			}
			end++
		}
		// "A and B" after one verb belongs to the object as well.
		for k := end; k+1 < c.To && toks[k].Kind == Word && toks[k].Low == "and"; {
			n := k + 1
			for n < c.To && !(toks[n].Kind == Word && objectStops()[toks[n].Low]) && toks[n].Kind != Punct {
				obj = append(obj, toks[n])
				n++
			}
			end, k = n, n
		}
		if len(obj) == 0 {
			continue
		}
		d := Detail{Verb: c.Verb, VerbWord: toks[c.VerbAt].Low, Object: obj}
		for k := c.VerbAt + 1; k < len(toks) && k < c.VerbAt+14; k++ {
			if toks[k].Kind == Word && mixedWords()[toks[k].Low] {
				d.Mixed = true
			}
		}
		if x.st.Bullet || x.st.Standing == Subject {
			for k := 0; k < c.VerbAt; k++ {
				if toks[k].Kind == Word && (toks[k].Low == "and" || mixedWords()[toks[k].Low]) {
					d.Mixed = true
				}
			}
		}
		if c.Verb == VerbRename || c.Verb == VerbMove {
			d.From, d.To = renamePair(toks[c.VerbAt+1 : c.To])
		}
		if c.Verb == VerbAdd && obj[0].Kind == Word && obj[0].Low == "back" {
			continue
		}
		stop := obj[len(obj)-1].End
		if d.To != "" {
			for k := end; k < c.To; k++ {
				if toks[k].Text == d.To {
					stop = toks[k].End
				}
			}
		}
		x.add(Claim{Kind: KindAction, Detail: d}, ci, toks[c.VerbAt].Start, stop)
	}
}

// renamePair finds "A to B" or "A -> B" between code-like names.
func renamePair(toks []Token) (from, to string) {
	for i, t := range toks {
		if !(t.Kind == Word && (t.Low == "to" || t.Low == "into" || t.Low == "as") || t.Kind == Punct && (strings.HasPrefix(t.Text, "->") || strings.HasPrefix(t.Text, "=>") || t.Text == "→")) {
			continue
		}
		if i == 0 || i+1 >= len(toks) {
			continue
		}
		a, b := toks[i-1], toks[i+1]
		if nameLike(a) && nameLike(b) {
			return a.Text, b.Text
		}
	}
	return "", ""
}

func nameLike(t Token) bool { return t.Kind == Code || t.Kind == Name || t.Kind == Path }

// ---- tests ----

func (x *extractor) tests() {
	if x.st.Standing != Subject && x.st.Standing != Own || x.m.Special != Plain {
		return
	}
	toks := x.st.Tokens
	for ci, c := range x.st.Clauses {
		if c.Sub || c.Negated {
			continue
		}
		if x.testsPhrase(ci, c) {
			continue
		}
		if c.VerbAt < 0 {
			continue
		}
		w := toks[c.VerbAt].Low
		if c.Verb != VerbAdd && !strings.HasPrefix(w, "writ") && w != "wrote" && !strings.HasPrefix(w, "includ") {
			continue
		}
		for k := c.VerbAt + 1; k < c.To; k++ {
			t := toks[k]
			if t.Kind == Punct || t.Kind == Word && objectStops()[t.Low] && t.Low != "and" {
				break
			}
			if t.Kind != Word && t.Kind != Number && t.Kind != Code && t.Kind != Name {
				break
			}
			if t.Kind == Word && strings.HasSuffix(t.Low, "ing") && len(t.Low) > 5 && t.Low != "existing" && t.Low != "missing" && t.Low != "failing" {
				break // "includes running tests"
			}
			if !testNoun(t.Low) {
				continue
			}
			end := k
			if k+1 < c.To && (toks[k+1].Low == "cases" || toks[k+1].Low == "case" || toks[k+1].Low == "coverage") {
				end = k + 1
			}
			// The noun must be the head: what follows is an end or a preposition.
			if end+1 < c.To {
				n := toks[end+1]
				if n.Kind == Word && !objectStops()[n.Low] && !testTail(n.Low) {
					break
				}
				if n.Kind == Code || n.Kind == Name || n.Kind == Path {
					if t.Low != "tests" && t.Low != "test" {
						break
					}
				}
			}
			x.add(Claim{Kind: KindTests, Detail: Detail{Unit: t.Low}}, ci, toks[c.VerbAt].Start, toks[end].End)
			break
		}
	}
}

// testsPhrase: "covered by new tests", "with tests", and a bullet that is nothing but "unit tests for ...".
func (x *extractor) testsPhrase(ci int, c Clause) bool {
	toks := x.st.Tokens
	// up to two words that only qualify, then the noun
	noun := func(k int) int {
		for n := 0; k < c.To && n < 4; k, n = k+1, n+1 {
			if toks[k].Kind != Word {
				return -1
			}
			if testNoun(toks[k].Low) {
				if k+1 < c.To && toks[k+1].Kind == Word && !objectStops()[toks[k+1].Low] && !testTail(toks[k+1].Low) && toks[k+1].Low != "cases" {
					return -1
				}
				return k
			}
			if !testQualifier()[toks[k].Low] {
				return -1
			}
		}
		return -1
	}
	for k := c.From; k+1 < c.To; k++ {
		switch {
		case (toks[k].Low == "covered" || toks[k].Low == "verified" || toks[k].Low == "tested") && toks[k+1].Low == "by":
			// A past tense about the world ("was covered by tests") is none.
			if k > c.From && (past()[toks[k-1].Low] || toks[k-1].Low == "already" || toks[k-1].Low == "be" || toks[k-1].Low == "not" || toks[k-1].Low == "being") {
				continue
			}
			if n := noun(k + 2); n >= 0 && (toks[k+2].Low == "new" || toks[k+2].Low == "a" || toks[k+2].Low == "additional" || k == c.From) {
				x.add(Claim{Kind: KindTests, Detail: Detail{Unit: toks[n].Low, Verb: VerbAdd}}, ci, toks[k].Start, toks[n].End)
				return true
			}
		}
	}
	if x.st.Bullet && x.st.Standing == Own && c.From == 0 && c.VerbAt < 0 {
		if n := noun(0); n >= 0 && (n > 0 || toks[n].Low == "tests") {
			x.add(Claim{Kind: KindTests, Detail: Detail{Unit: toks[n].Low, Verb: VerbAdd}}, ci, toks[0].Start, toks[n].End)
			return true
		}
	}
	return false
}

var testQualifier = set("a an the new more additional unit regression integration some few several extra missing e2e end-to-end basic simple comprehensive corresponding matching")

func testNoun(w string) bool {
	switch w {
	case "tests", "test", "testcase", "testcases", "unittest", "unittests", "unit-tests", "specs", "regression-test":
		return true
	}
	return false
}

func testTail(w string) bool {
	switch w {
	case "covering", "verifying", "checking", "to", "showing", "exercising", "asserting", "ensuring", "too", "also":
		return true
	}
	return false
}

// ---- names: files and identifiers ----

// weakBefore: a name right behind one of these is what the change works with, not on.
var externalBefore = set(`favor favour due defined found declared seen described documented mentioned implemented with via using by through like unlike than see per versus vs not except without when if while because since after
before until calling called calls call use uses used existing matches matching match according upon against based similar such only`)

func (x *extractor) names() {
	st := x.st
	if x.m.Special == Revert && st.Standing == Subject {
		return
	}
	toks := st.Tokens
	seen := 0
	for ci, c := range st.Clauses {
		rel := Object
		outside := c.Sub || c.Negated || denied(toks, c)
		if outside {
			rel = External
		}
		for k := c.From; k < c.To; k++ {
			t := toks[k]
			if st.Standing == Subject && t.Start < x.m.RestStart() {
				continue // the header has claims of its own
			}
			if t.Kind == Word {
				switch t.Low {
				case "in", "inside", "within", "under", "on", "at", "across", "throughout":
					if !(rel == External && k > c.From && placedBefore()[toks[k-1].Low]) {
						rel = Location
					}
				case "of", "for", "about":
					rel = weaker(rel, Of)
				case "to", "into", "towards", "onto", "toward":
					rel = weaker(rel, Toward)
				case "from", "out":
					rel = weaker(rel, Origin)
				case "and", "or":
				default:
					if externalBefore()[t.Low] && k != c.VerbAt || t.Low == "instead" || t.Low == "rather" || contrast()[t.Low] {
						rel = External
					} else if k == c.VerbAt && (t.Low == "call" || t.Low == "calls") {
						rel = External
					}
				}
				if outside {
					rel = External
				}
				if (st.Standing == Subject || x.ownDocument(c, k)) && bareDocument()[t.Text] && !(k+1 < c.To && toks[k+1].Kind == Path) {
					x.add(Claim{Kind: KindPath, Detail: Detail{Name: t.Text, Whole: t.Text, Relation: rel, Candidate: true}}, ci, t.Start, t.End)
				}
				continue
			}
			if seen > 40 {
				return
			}
			switch t.Kind {
			case Path:
				if x.path(ci, k, t, rel) {
					seen++
				}
			case Code:
				if route, ok := routeOf(t.Text); ok {
					d := t
					d.Text = route
					if x.path(ci, k, d, rel) {
						seen++
					}
				} else if strings.HasPrefix(t.Text, "--") {
					if x.flag(ci, k, t, rel) {
						seen++
					}
				} else if pathLike(t.Text) {
					if x.path(ci, k, t, rel) {
						seen++
					}
				} else if x.identifier(ci, k, t, x.means(c, k, rel, outside)) {
					seen++
				}
			case Name:
				if x.identifier(ci, k, t, x.means(c, k, rel, outside)) {
					seen++
				}
			case Flag:
				if x.flag(ci, k, t, rel) {
					seen++
				}
			}
		}
	}
}

// means turns a name of the world into one that the change is made with, where
// "use" or "call" stands right before it: such a name is to be found in the change.
func (x *extractor) means(c Clause, k int, rel Relation, outside bool) Relation {
	if rel != External || outside {
		return rel
	}
	toks := x.st.Tokens
	p := k - 1
	if p > c.From && toks[p].Kind == Word && (toks[p].Low == "the" || toks[p].Low == "new" || toks[p].Low == "exported" || toks[p].Low == "shared" || toks[p].Low == "common") {
		p--
	}
	if p < c.From || toks[p].Kind != Word {
		return rel
	}
	switch toks[p].Low {
	case "use", "uses", "call", "calls":
	default:
		return rel
	}
	if p > c.From {
		switch toks[p-1].Low {
		case "not", "never", "don't", "doesn't", "no", "cannot", "can't", "we", "you", "they", "users", "people", "that", "which", "who", "code", "of", "the", "a", "an", "can", "may", "longer":
			return rel // "the code uses X", "no longer use X", "of use"
		}
	}
	return Means
}

// ownDocument: "Update the README", "Document it in the README", "Add a changelog entry", outside
// the subject. "clap's README" is another project's.
func (x *extractor) ownDocument(c Clause, k int) bool {
	toks := x.st.Tokens
	t := toks[k]
	if x.st.Standing != Own || x.m.Options.Bot || c.VerbAt < 0 || c.VerbAt >= k || t.Text != "README" && t.Text != "CHANGELOG" && !(t.Low == "changelog" && c.Verb == VerbAdd) {
		return false
	}
	switch toks[k-1].Low {
	case "the", "our", "a", "in", "to", "and":
		return true
	}
	return k-1 == c.VerbAt
}

// denied: "no new dependencies were added to go.mod", "does not touch command.go".
func denied(toks []Token, c Clause) bool {
	end := c.From + 2 // "no tests were changed"
	if c.VerbAt >= 0 {
		end = c.VerbAt
	}
	for k := c.From; k < c.To && k < end; k++ {
		switch toks[k].Low {
		case "no", "nothing", "none", "not", "doesn't", "don't", "didn't", "never", "isn't", "aren't", "neither":
			return true
		}
	}
	return false
}

// placedBefore and "in": the world as it is.
var placedBefore = set("those change changes used defined found declared seen described documented mentioned as like implemented present exists introduced handled")

func weaker(a, b Relation) Relation {
	if a == External {
		return a
	}
	return b
}

// head: nothing behind the name takes the part of the noun from it.
func (x *extractor) head(ci, k int) bool {
	toks, c := x.st.Tokens, x.st.Clauses[ci]
	if k+1 >= c.To || toks[k+1].Kind != Word {
		return true
	}
	return objectStops()[toks[k+1].Low] || kindNoun()[toks[k+1].Low]
}

// kindNoun says what a name in front of it is.
var kindNoun = set(`file files function functions func method methods class classes struct type types interface enum trait constant variable field fields property option options flag flags
parameter argument endpoint endpoints route routes command subcommand helper module package macro hook component directory folder script table column key keyword attribute decorator annotation
header event test tests benchmark fixture too as and or`)

// routeOf: "POST /v2/refunds".
func routeOf(s string) (string, bool) {
	method, route, ok := strings.Cut(s, " ")
	if !ok || !strings.HasPrefix(route, "/") || strings.ContainsAny(route, " \t") {
		return "", false
	}
	switch method {
	case "GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS":
		return route, true
	}
	return "", false
}

// pathLike: the inside of a code span that names a file, a folder or a route.
func pathLike(s string) bool {
	if strings.ContainsAny(s, " \t(){}<>=\"'$|;,") || s == "" {
		return false
	}
	if strings.Contains(s, "://") {
		return false
	}
	return strings.Contains(s, "/") && s != "/" || looksFile(s)
}

func (x *extractor) path(ci, k int, t Token, rel Relation) bool {
	s := strings.TrimRight(strings.TrimPrefix(t.Text, "./"), ".,:;)")
	for strings.HasPrefix(s, "../") {
		s = s[3:]
	}
	if s == "" || productWords()[lower(s)] || len(s) > 300 || strings.Contains(s, "://") || strings.ContainsAny(s, "*?<>|=") {
		return false
	}
	if i := strings.IndexByte(s, ':'); i > 0 { // file.go:12, file.go:Func
		s = s[:i]
	}
	if i := strings.IndexByte(s, '#'); i > 0 {
		s = s[:i]
	}
	if strings.Trim(s, "./-_~") == "" { // "foo / bar"
		return false
	}
	d := Detail{Name: s, Whole: t.Text, Relation: rel, Head: x.head(ci, k)}
	if t.Kind == Code {
		d.Shape = Ticked
	}
	x.add(Claim{Kind: KindPath, Detail: d}, ci, t.Start, t.End)
	return true
}

// bareDocument holds files that are named without an extension, in the subject.
var bareDocument = set(`README Readme ReadMe readme CHANGELOG Changelog changelog CONTRIBUTING CHANGES NEWS AUTHORS LICENSE COPYING SECURITY CODEOWNERS
MAINTAINERS CODE_OF_CONDUCT ROADMAP Makefile makefile Dockerfile Rakefile Gemfile Justfile Jenkinsfile Procfile Vagrantfile`)

func (x *extractor) identifier(ci, k int, t Token, rel Relation) bool {
	s := t.Text
	shape := Ticked
	if t.Kind == Name {
		shape = Shaped
	}
	s = strings.TrimSuffix(s, "!")
	s = strings.TrimPrefix(s, "@")
	call, variable := false, false
	if i := strings.IndexByte(s, '('); i > 0 && strings.HasSuffix(s, ")") {
		s, call = s[:i], true
	}
	if i := strings.IndexByte(s, ' '); i > 0 { // `func name`, `class Name`
		f := strings.Fields(s)
		if len(f) == 2 && definitionWord()[f[0]] {
			s = f[1]
			if j := strings.IndexByte(s, '('); j > 0 {
				s = s[:j]
			}
			call = !variable
		} else {
			return false
		}
	}
	s = strings.TrimPrefix(strings.TrimPrefix(s, "#"), ".")
	if len(s) > 80 || !identifierLike(s) {
		return false
	}
	name := s
	if i := strings.LastIndexAny(s, ".:#>"); i >= 0 {
		name = s[i+1:]
	}
	name = strings.TrimRight(name, "?!")
	low := lower(name)
	if len(name) < 3 || productWords()[lower(s)] || productWords()[low] {
		return false
	}
	switch {
	case innerShape(name) || strings.ContainsAny(s, ".:#>") && name != s:
		shape = Shaped
	case call || t.Kind == Name && strings.Contains(t.Text, "("):
		shape = Call
	}
	if t.Kind == Name && shape == Shaped && !call && (strings.HasSuffix(name, "Error") || strings.HasSuffix(name, "Exception")) && name == s {
		return false // an error class named in prose is what happened, not what changed
	}

	d := Detail{Name: name, Whole: s, Shape: shape, Relation: rel, Head: x.head(ci, k)}
	x.add(Claim{Kind: KindIdentifier, Detail: d}, ci, t.Start, t.End)
	return true
}

// flag: "--depth" names an option of the program; only long ones say enough to be looked for.
func (x *extractor) flag(ci, k int, t Token, rel Relation) bool {
	name, _, _ := strings.Cut(strings.TrimSpace(t.Text), "=")
	if i := strings.IndexByte(name, ' '); i > 0 {
		name = name[:i]
	}
	if !strings.HasPrefix(name, "--") || len(name) < 6 || len(name) > 60 || strings.ContainsAny(name, "/|,()") {
		return false
	}
	x.add(Claim{Kind: KindIdentifier, Detail: Detail{Name: name, Whole: name, Shape: Shaped, Relation: rel, Head: x.head(ci, k)}}, ci, t.Start, t.End)
	return true
}

var definitionWord = set(`func function def class struct enum trait interface type const let var fn module macro method package static async pub`)

// ---- subject words: components ----

func (x *extractor) subjectWords() {
	if x.m.Special != Plain {
		return
	}
	toks := x.st.Tokens
	for ci, c := range x.st.Clauses {
		if c.Sub {
			continue
		}
		for k := c.From; k < c.To; k++ {
			t := toks[k]
			if t.Kind != Word || len(t.Text) < 3 || k == c.VerbAt || Stop()[t.Low] || t.Quoted || t.Start < x.m.RestStart() || strings.ToUpper(t.Text) == t.Text {
				continue
			}
			x.add(Claim{Kind: KindComponent, Detail: Detail{Name: t.Low, Whole: t.Text, Candidate: true}}, ci, t.Start, t.End)
		}
	}
}

// ---- quantities ----

func (x *extractor) quantity() {
	st := x.st
	if st.Standing == Background || st.Standing == Squashed || x.m.Special == Revert {
		return
	}
	toks := st.Tokens
	used := map[int]bool{}
	for ci, c := range st.Clauses {
		if c.Sub {
			continue
		}
		// from A to B, A -> B
		for k := c.From; k < c.To; k++ {
			a, b, i, j := fromTo(toks, k, c.To)
			if i < 0 {
				continue
			}
			start := toks[i].Start
			if k < i {
				start = toks[k].Start
			}
			end := toks[j].End
			if j+1 < c.To && toks[j+1].Kind == Word && isUnit(toks[j+1].Low) {
				end = toks[j+1].End
			}
			unit := "number"
			if strings.HasSuffix(toks[i].Text, "%") || strings.HasSuffix(toks[j].Text, "%") {
				continue // coverage, speed: measured, not written
			}
			if toks[i].Kind == Version || toks[j].Kind == Version {
				unit = "version"
			}
			x.add(Claim{Kind: KindQuantity, Detail: Detail{From: a, To: b, Unit: unit, Name: dependencyBefore(toks, k, c)}}, ci, start, end)
			used[i], used[j] = true, true
			k = j
		}
		for k := c.From; k < c.To; k++ {
			if used[k] {
				continue
			}
			t := toks[k]
			if n, unit, end := countOf(toks, k, c.To); unit != "" {
				x.add(Claim{Kind: KindQuantity, Detail: Detail{Count: n, Unit: unit}}, ci, t.Start, toks[end].End)
				used[k] = true
				continue
			}
			if st.Standing != Subject && !(st.Standing == Own && t.Kind == Version && arrives(toks, k, c)) {
				x.named(ci, c, k)
				continue
			}
			switch t.Kind {
			case Version:
				if versionBackground(toks, k) {
					x.named(ci, c, k)
					continue
				}
				x.add(Claim{Kind: KindQuantity, Detail: Detail{To: strip(t.Text), Unit: "version", Mixed: !versionTarget(toks, k, c), Name: dependencyBefore(toks, k, c), Candidate: true}}, ci, t.Start, t.End)
			case Number:
				if !plainNumber(t.Text) || len(t.Text) < 2 || numberBackground(toks, k) || platformBefore(toks, k) {
					x.named(ci, c, k)
					continue
				}
				x.add(Claim{Kind: KindQuantity, Detail: Detail{To: digits(t.Text), Unit: "number", Candidate: true}}, ci, t.Start, t.End)
			}
		}
	}
}

// named reads "Node.js 22", "threshold 81", "max-parallel: 20": a number that
// stands right behind the name of what it belongs to. It is background to the sentence, and a
// claim only where the change moves the number of that name.
func (x *extractor) named(ci int, c Clause, k int) {
	t := x.st.Tokens[k]
	if x.m.Special != Plain || t.Kind != Version && !(t.Kind == Number && plainNumber(t.Text) && len(t.Text) < 6) || t.Kind == Version && (strings.HasSuffix(t.Text, ".x") || strings.HasSuffix(t.Text, ".*") || strings.HasSuffix(t.Text, "+")) {
		return
	}
	toks := x.st.Tokens
	if c.Verb == VerbTest || inList(toks, k, c.To) || x.st.Standing == Own && (c.VerbAt < 0 || c.VerbAt > k) || len(t.Text) == 1 && x.st.Standing != Subject {
		return
	}
	for n := max(c.From, k-5); n < k; n++ {
		switch toks[n].Low {
		case "instead", "than", "rather", "not", "over", "from", "replaces", "below", "above", "before", "after", "until", "since", "older", "newer", "latest":
			return // the other one of two, or a bound
		}
	}
	for n := k + 1; n < len(toks) && n < k+4; n++ {
		switch toks[n].Low {
		case "below", "above", "later", "older", "newer", "earlier", "up", "onwards", "higher", "lower", "+":
			return
		}
	}
	j := k - 1
	for j >= c.From && (toks[j].Kind == Punct && (toks[j].Text == ":" || toks[j].Text == "=" || toks[j].Text == "'" || toks[j].Text == "\"" || toks[j].Text == "(") || toks[j].Kind == Word && (toks[j].Low == "version" || toks[j].Low == "versions" || toks[j].Low == "to" || toks[j].Low == "is" || toks[j].Low == "of" || toks[j].Low == "on")) {
		j--
	}
	d := Detail{To: strip(t.Text), Unit: "named", Candidate: true}
	if j >= c.From && j >= k-3 && toks[j].Start >= x.m.RestStart() || j >= c.From && j >= k-3 && x.st.Standing != Subject {
		switch n := toks[j]; n.Kind {
		case Name, Code, Path:
			d.Name = n.Text
		case Word:
			if len(n.Text) > 1 && isWordByte(n.Text[0]) && !Stop()[n.Low] && !countBefore[n.Low] && (VerbOf(n.Low) == NoVerb || j != c.VerbAt) {
				d.Name = n.Text
			}
		}
	}
	if d.Name == "" && !(t.Kind == Number && len(t.Text) == 3 && (j < c.From || !countBefore[toks[j].Low])) && !(t.Kind == Version && x.speaksOfNews()) {
		return
	}
	x.add(Claim{Kind: KindQuantity, Detail: d}, ci, t.Start, t.End)
}

// inList: the number is one of several, of which the change may move any.
func inList(toks []Token, k, end int) bool {
	for n := k + 1; n < end && n < k+4; n++ {
		switch t := toks[n]; {
		case t.Kind == Number || t.Kind == Version:
			return true
		case t.Kind == Punct && t.Text == "," || t.Low == "and" || t.Low == "or" || t.Low == "/" || t.Low == "-" || t.Low == "&":
		default:
			return false
		}
	}
	return false
}

// speaksOfNews: the statement is about a changelog.
func (x *extractor) speaksOfNews() bool {
	for _, t := range x.st.Tokens {
		switch t.Low {
		case "changelog", "changes", "history", "news", "notes", "release", "changelog.md", "history.md":
			return true
		}
	}
	return false
}

// countBefore words stand before numbers that are written in no diff: of an issue, a step, a page.
var countBefore = map[string]bool{"issue": true, "issues": true, "pr": true, "prs": true, "ticket": true, "bug": true, "rfc": true, "cve": true, "gh": true, "step": true, "phase": true, "part": true, "page": true,
	"section": true, "chapter": true, "round": true, "draft": true, "level": true, "line": true, "lines": true, "#": true, "pull": true, "day": true, "week": true, "port": true, "pep": true, "jep": true, "jsr": true, "cwe": true, "iso": true, "item": true, "point": true}

// arrives: the clause says that the change goes to this version: "update CI to run on 21.10", "using ^2.0.6".
func arrives(toks []Token, k int, c Clause) bool {
	if c.VerbAt < 0 || c.Negated || versionBackground(toks, k) {
		return false
	}
	return (c.Verb == VerbBump || strings.HasPrefix(toks[c.VerbAt].Low, "updat")) && versionTarget(toks, k, c)
}

// platformBefore: the name right before the number is one that numbers belong to.
func platformBefore(toks []Token, k int) bool {
	if k == 0 {
		return false
	}
	switch toks[k-1].Low {
	case "node.js", "nodejs", "golang", "bash", "rhel", "linux", "debian", "centos", "fedora", "swift", "kotlin", "scala", "elixir", "otp", "erlang", "dotnet", "macos", "xcode":
		return true
	}
	return false
}

func fromTo(toks []Token, k, end int) (a, b string, i, j int) {
	isNum := func(t Token) bool {
		return t.Kind == Version || t.Kind == Number || t.Kind == Code && (looksVersion(t.Text) || looksNumber(t.Text))
	}
	if toks[k].Kind == Word && toks[k].Low == "from" && k+3 < end && isNum(toks[k+1]) {
		for m := k + 2; m < end && m < k+5; m++ {
			if (toks[m].Low == "to" || toks[m].Low == "->" || toks[m].Low == "=>" || toks[m].Low == "→") && m+1 < end && isNum(toks[m+1]) {
				return strip(toks[k+1].Text), strip(toks[m+1].Text), k + 1, m + 1
			}
		}
	}
	if isNum(toks[k]) && k+2 < end && (strings.HasPrefix(toks[k+1].Text, "->") || strings.HasPrefix(toks[k+1].Text, "=>") || toks[k+1].Text == "→") && isNum(toks[k+2]) && !(k > 0 && toks[k-1].Low == "from") {
		return strip(toks[k].Text), strip(toks[k+2].Text), k, k + 2
	}
	return "", "", -1, -1
}

// strip cuts operators and the leading v of a version, and separators of a number.
func strip(s string) string {
	s = strings.TrimLeft(s, "^~<>=")
	if len(s) > 1 && (s[0] == 'v' || s[0] == 'V') && isDigit(s[1]) {
		s = s[1:]
	}
	if looksNumber(s) {
		return digits(s)
	}
	return s
}

func digits(s string) string {
	s = strings.TrimLeft(s, "+-~")
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if isDigit(s[i]) {
			b.WriteByte(s[i])
		} else if s[i] != ',' && s[i] != '_' {
			break
		}
	}
	return b.String()
}

func plainNumber(s string) bool {
	for i := 0; i < len(s); i++ {
		if !isDigit(s[i]) {
			return false
		}
	}
	return len(s) <= 7
}

func isUnit(w string) bool {
	switch w {
	case "pixels", "px", "seconds", "second", "minutes", "ms", "bytes", "kb", "mb", "items", "lines", "days", "hours", "percent", "milliseconds", "characters", "chars", "retries", "attempts", "times", "workers", "threads":
		return true
	}
	return false
}

var numberWords = map[string]int{"two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12}

// countOf: "7 files", "five new tests", "12 test cases".
func countOf(toks []Token, k, end int) (n int, unit string, last int) {
	t := toks[k]
	switch {
	case t.Kind == Number && plainNumber(t.Text) && len(t.Text) <= 3:
		for i := 0; i < len(t.Text); i++ {
			n = n*10 + int(t.Text[i]-'0')
		}
	case t.Kind == Word:
		n = numberWords[t.Low]
	}
	if n < 2 || n > 500 {
		return 0, "", 0
	}
	if k > 1 && toks[k-1].Kind == Word && (toks[k-1].Low == "/" || toks[k-1].Low == "and" || toks[k-1].Low == "or") && toks[k-2].Kind == Number {
		return 0, "", 0 // "304 / 204 tests": what they test
	}
	if k > 0 {
		switch toks[k-1].Low {
		case "of", "over", "than", "about", "around", "~", "least", "most", "up", "nearly", "almost", "every", "each", "first", "last", "other", "#", "to", "max", "maximum", "/":
			return 0, "", 0
		}
	}
	for j := k + 1; j < end && j <= k+3; j++ {
		w := toks[j]
		if w.Kind != Word {
			return 0, "", 0
		}
		switch w.Low {
		case "files":
			if j-k <= 2 {
				return n, "files", j
			}
		case "tests", "testcases":
			if j+1 < end && toks[j+1].Kind == Word && !objectStops()[toks[j+1].Low] {
				return 0, "", 0
			}
			return n, "tests", j
		case "test":
			if j+1 < end && (toks[j+1].Low == "cases" || toks[j+1].Low == "functions" || toks[j+1].Low == "methods") {
				return n, "tests", j + 1
			}
		case "new", "more", "additional", "unit", "source", "integration", "regression", "go", "java", "python", "missing", "small", "extra", "failing", "flaky":
			continue
		}
		if j > k+1 {
			return 0, "", 0
		}
		return 0, "", 0
	}
	return 0, "", 0
}

var versionOpeners = set(`to version = @ : ^ ~ -> => → release releases released releasing prepare bump bumps bumped upgrade upgrades upgraded
update updates updated v`)

// versionTarget: the version is what the change arrives at, by the word in front of it.
func versionTarget(toks []Token, k int, c Clause) bool {
	if k == 0 {
		return true
	}
	p := toks[k-1]
	return versionOpeners()[p.Low] || strings.HasPrefix(toks[k].Text, "^") || toks[k-1].End == toks[k].Start-1 && toks[k-1].Kind != Punct && strings.HasSuffix(p.Text, "@") || c.Verb == VerbBump && (p.Kind == Name || p.Kind == Code || p.Kind == Path)
}

// versionBackground: the version belongs to a platform, a standard or the past.
func versionBackground(toks []Token, k int) bool {
	for j := k - 1; j >= 0 && j >= k-3; j-- {
		switch toks[j].Low {
		case "for", "since", "with", "in", "until", "before", "after", "on", "of", "by", "under", "than", "toward", "towards", "against", "as", "below", "above", "from", "support", "supports", "compat", "compatibility", "rfc", "http", "tls", "es", "and", "or":
			return true
		}
	}
	t := toks[k].Text
	return strings.HasSuffix(t, ".x") || strings.HasSuffix(t, ".*") || strings.HasSuffix(t, "+")
}

func numberBackground(toks []Token, k int) bool {
	if k == 0 {
		return false
	}
	switch toks[k-1].Low {
	case "#", "issue", "pr", "pull", "rfc", "cve", "gh", "bug", "ticket", "jdk", "java", "page", "iso", "section", "chapter", "python", "node", "http", "status", "es", "ecma",
		"level", "phase", "step", "part", "round", "number", "utf", "sha", "c", "ipv", "windows", "ubuntu", "go", "net", "php", "ruby", "version", "draft", "edition", "code", "exit", "error", "errno", "codeql", "react", "vue", "vite":
		return true
	}
	return false
}

func dependencyBefore(toks []Token, k int, c Clause) string {
	for j := k - 1; j >= c.From && j >= k-3; j-- {
		switch toks[j].Kind {
		case Name, Code, Path:
			return toks[j].Text
		case Word:
			if VerbOf(toks[j].Low) == NoVerb && !Stop()[toks[j].Low] {
				return toks[j].Text
			}
			if j == k-1 && j == c.From && c.VerbAt == j && !versionOpeners()[toks[j].Low] && c.Verb == VerbChange { // "connect 2.2.0": the name of the dependency is a verb
				return toks[j].Text
			}
		}
	}
	return ""
}

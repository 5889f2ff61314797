package claim

import "strings"

// Scope statements have a grammar: a restrictor ("only", "limited to", "nothing
// outside") with this change as its subject and a target behind it, or one of
// the fixed forms "docs only", "no functional change", "formatting only".
// "Only" in prose about the code is none.

var (
	changeNouns = set("change changes commit patch pr diff edits edit modifications modification work mr changeset update updates fix")
	changeVerbs = set(`touch touches touched touching change changes changed changing modify modifies modified modifying affect affects affected
affecting edit edits edited editing update updates updated updating alter alters altered altering contain contains include includes add adds`)
	changed   = set("changed touched modified affected edited updated altered")
	restrict  = set("only just solely purely exclusively merely")
	confined  = set("limited confined restricted isolated scoped contained localized localised constrained")
	refusals  = set("if when unless should can could would will was were used previously before previous currently otherwise because since which")
	docsWords = set("doc docs documentation readme docstring docstrings javadoc javadocs markdown")
	testWords = set("test tests specs test-code")
	comments  = set("comment comments")
	// remainders are what "no other ..." and "not ... anything" speak of.
	remainders = set(`nothing anything any file files code change changes path paths module modules package packages else directory directories
folder folders made`)
	// worldBefore words: a class of change behind them is what the code deals with.
	worldBefore = set("for on of to from by with like in about detect skip skips skipping ignore allow run runs handle")
	formats     = set("formatting whitespace white-space indentation format style gofmt prettier linting")
	fillers     = set(`the a an of to this project some our inline public api user existing unit integration in any new its file files code related
work within under inside for and or`)
)

func (x *extractor) scope() {
	st := x.st
	if st.Standing == Background && st.Bullet || x.m.Special == Revert && st.Standing == Subject {
		return
	}
	toks := st.Tokens
	start := 0
	if st.Standing == Subject {
		for start < len(toks) && toks[start].Start < x.m.RestStart() {
			start++
		}
	}
	// A statement is read clause by clause at colons, commas with "and", dashes.
	from := start
	for i := start; i <= len(toks); i++ {
		if i == len(toks) || toks[i].Kind == Punct && (toks[i].Text == ":" || toks[i].Text == ";" || toks[i].Text == "—" || toks[i].Text == "–" || toks[i].Text == "(" || toks[i].Text == ")") || toks[i].Kind == Word && toks[i].Low == "-" {
			if i > from {
				x.scopeClause(toks[from:i], from == start)
			}
			from = i + 1
		}
	}
}

func (x *extractor) scopeClause(toks []Token, opens bool) {
	for len(toks) > 0 && toks[len(toks)-1].Kind == Punct {
		toks = toks[:len(toks)-1]
	}
	for len(toks) > 0 && (toks[0].Kind == Punct && toks[0].Text != "<") {
		toks = toks[1:]
	}
	if len(toks) == 0 || len(toks) > 40 {
		return
	}
	emit := func(c Class, a, b int, targets []Token) {
		x.add(Claim{Kind: KindScope, Detail: Detail{Class: c, Targets: targets}}, -1, toks[a].Start, toks[b-1].End)
	}
	subject := x.st.Standing == Subject
	n := len(toks)
	low := func(i int) string {
		if i < 0 || i >= n {
			return ""
		}
		return toks[i].Low
	}
	// "Documentation only, no code changes" is two statements.
	for i := 1; i+1 < n; i++ {
		if toks[i].Kind == Punct && toks[i].Text == "," && fragment(toks[:i]) && fragment(toks[i+1:]) {
			x.scopeClause(toks[:i], opens)
			x.scopeClause(toks[i+1:], false)
			return
		}
	}
	// Fixed forms.
	if c, a, b := fixedForm(toks); c != "" {
		// It is the whole clause, or opens it; "saves without code changes" tells of the world.
		ok := a == 0 || opensThis(toks) || toks[a-1].Text == "," && b == n && low(a) == "no" || a == 1 && (low(0) == "with" || low(0) == "but" || low(0) == "and" || low(0) == "refactor" || low(0) == "refactoring")
		if b < n && toks[b].Kind == Word {
			switch low(b) {
			case "intended", "expected", "here", "at", "otherwise", "is", "are", "in", "to", "made", "and", "or", "but", "just", "only":
				ok = ok && !(low(b) == "in" && b+1 < n && low(b+1) != "this" && low(b+1) != "behavior" && low(b+1) != "behaviour")
			default:
				ok = false
			}
		}
		if !refused(toks[:b]) && ok {
			emit(c, a, b, nil)
			return
		}
	}
	if c, a, b := hyphenOnly(toks); c != "" {
		// In the subject: at its begin or end only. In the body: a short fragment or about this change.
		ok := subject && (a == 0 || b == n) || !subject && (n <= 6 && leadsIn(toks[:a]) || opensThis(toks))
		if a > 0 && worldBefore()[low(a-1)] {
			ok = false // "skip the build for docs-only changes"
		}
		if ok && !negatedBefore(toks, a) && !(subject && low(b) != "" && a == 0 && b < n && toks[b].Kind == Word && low(b) != "change" && low(b) != "changes" && low(b) != "commit" && low(b) != "update" && low(b) != ":") {
			emit(c, a, b, nil)
			return
		}
	}
	if a, b, ok := singleFile(toks); ok && !negatedBefore(toks, a) {
		emit(SingleFile, a, b, nil)
		return
	}
	for i := range toks {
		if i > 0 && low(i-1) != "," {
			continue
		}
		if rest := toks[i:]; nothingElse(rest) && (!refusedRemainder(rest) || opensThis(rest)) {
			emit(OnlyPaths, i, n, x.before(rest[0].Start))
			return
		}
	}
	if subject && !(restrict()[low(0)] && statesChange[low(1)]) {
		return
	}
	// "internal/cache only", behind "Scope:" or alone; "I kept this to internal/cache".
	if n == 2 && low(1) == "only" && (toks[0].Kind == Path || toks[0].Kind == Code) {
		emit(OnlyPaths, 0, n, toks[:1])
		return
	}
	for i := 0; i < n && i < 4; i++ {
		if low(i) != "kept" && low(i) != "keep" && low(i) != "keeps" {
			continue
		}
		for k := i + 1; k+1 < n && k < i+5; k++ {
			if w := low(k); (w == "to" || w == "within" || w == "inside") && k > i+1 && meansThis(toks[i+1:k]) && subjectIsChange(toks[:i]) {
				x.only(toks, 0, k+1, n, emit)
				return
			}
		}
	}
	// No tests were changed.
	if low(0) == "no" && n >= 3 && n <= 5 {
		k := 1
		if low(1) == "existing" {
			k = 2
		}
		if c := exactClass(toks[k : k+1]); (c == OnlyTests || c == OnlyDocs) && (changed()[low(k+1)] && k+2 == n || (low(k+1) == "were" || low(k+1) == "are") && changed()[low(k+2)] && k+3 == n) {
			emit(Excludes, 0, n, toks[k:k+1])
			return
		}
	}
	// Nothing outside X; no files other than X; does not touch anything outside X.
	if refusedRemainder(toks) && !opensThis(toks) || byHand(toks) {
		return
	}
	for i := 0; i < n; i++ {
		switch low(i) {
		case "outside", "beyond", "besides", "except":
		case "other":
			if low(i+1) != "than" {
				continue
			}
		case "apart":
			if low(i+1) != "from" {
				continue
			}
		default:
			continue
		}
		if !negatedRemainder(toks[:i]) {
			continue
		}
		j := i + 1
		if low(j) == "than" || low(j) == "of" || low(j) == "from" {
			j++
		}
		if j < n {
			x.only(toks, 0, j, n, emit)
			return
		}
	}
	if refused(toks) && !opensThis(toks) {
		return
	}
	for i := 0; i < n; i++ {
		w := low(i)
		switch {
		case restrict()[w] || w == "nothing" && low(i+1) == "but":
			if negatedBefore(toks, i) {
				continue
			}
			j := i + 1
			if w == "nothing" {
				j++
			}
			before := toks[:i]
			switch {
			case low(j) == "" || toks[j].Kind == Hash:
				continue
			case changeVerbs()[low(j)] && (subjectIsChange(before)): // only touches X
				if low(j) == "add" || low(j) == "adds" || low(j) == "include" || low(j) == "includes" || low(j) == "contain" || low(j) == "contains" {
					if !opensThis(toks) {
						continue
					}
				}
				if k, ok := negatedObject(toks, j+1); ok {
					_ = k
					continue
				}
				x.only(toks, i, j+1, n, emit)
				return
			case confined()[low(j)] || low(j) == "in" || low(j) == "to": // changes are only in X
				if subjectIsChange(before) && len(before) > 0 && meansChange(before) {
					x.only(toks, 0, j+1, n, emit)
					return
				}
			case i > 0 && changeVerbs()[low(i-1)] && subjectIsChange(before[:i-1]): // touches only X
				x.only(toks, i-1, j, n, emit)
				return
			case i > 0 && low(i-1) == "is" && low(0) == "this" && changeNouns()[low(1)] && i == 3 && n-j <= 3 && classOf(toks[j:]) != "": // this patch is purely documentation
				x.only(toks, 0, j, n, emit)
				return
			case i > 0 && (low(i-1) == "the" || low(i-1) == "'s" || low(i-1) == "is" || low(i-1) == "are"): // X is the only file changed
				if tail := toks[j:]; len(tail) > 0 && (tail[0].Low == "file" || tail[0].Low == "files" || tail[0].Low == "folder" || tail[0].Low == "directory" || tail[0].Low == "thing" || tail[0].Low == "part" || tail[0].Low == "module" || tail[0].Low == "package") && containsAny(tail, changed()) {
					k := i - 1
					for k > 0 && (low(k-1) == "is" || low(k-1) == "are" || low(k-1) == "the") {
						k--
					}
					x.only(toks[:n], 0, 0, k, emit)
					return
				}
			case len(before) == 0 || subjectIsChange(before) && opensThis(toks): // only X [is changed]
				end := n
				passive := false
				for k := j; k < n; k++ {
					if changed()[low(k)] && (low(k-1) == "is" || low(k-1) == "are" || low(k-1) == "was" || low(k-1) == "were" || low(k-1) == "been" || low(k-1) == "get" || low(k-1) == "gets" || k == n-1) {
						end, passive = k, true
						if low(k-1) != "" && (low(k-1) == "is" || low(k-1) == "are" || low(k-1) == "was" || low(k-1) == "were") {
							end = k - 1
						}
						break
					}
				}
				if !passive && (n > 7 || tellsMore(toks[j:])) {
					continue
				}
				if !passive && toks[j].Kind == Word && VerbOf(low(j)) != NoVerb && !docsWords()[low(j)] && !testWords()[low(j)] {
					continue
				}
				x.only(toks, i, j, end, emit)
				return
			}
		case confined()[w] && (low(i+1) == "to" || low(i+1) == "in" || low(i+1) == "within" || low(i+1) == "inside"):
			if negatedBefore(toks, i) || !subjectIsChange(toks[:i]) {
				continue
			}
			if t := low(i + 2); (t == "one" || t == "a" || t == "single") && (containsWord(toks[i+2:], "package") || containsWord(toks[i+2:], "module") || containsWord(toks[i+2:], "file") || containsWord(toks[i+2:], "directory")) {
				emit(Isolated, 0, n, toks[i+2:])
				return
			}
			x.only(toks, 0, i+2, n, emit)
			return
		case (w == "all" || w == "every" || w == "everything") && opensAll(toks[i:]):
			for k := i + 1; k < n && k < i+9; k++ {
				if low(k) == "in" || low(k) == "under" || low(k) == "inside" || low(k) == "within" || low(k) == "to" {
					if k > 0 && (low(k-1) == "live" || low(k-1) == "lives" || low(k-1) == "are" || low(k-1) == "is" || low(k-1) == "stay" || low(k-1) == "stays" || low(k-1) == "sit" || low(k-1) == "happen" || low(k-1) == "belong" || low(k-1) == "made" || low(k-1) == "contained" || low(k-1) == "fall") {
						x.only(toks, 0, k+1, n, emit)
						return
					}
				}
			}
		case w == "no" && (low(i+1) == "changes" || low(i+1) == "change") && low(i+2) == "to" || (w == "doesn't" || w == "not") && (low(i+1) == "touch" || low(i+1) == "modify" || low(i+1) == "change" || low(i+1) == "affect"):
			if !subjectIsChange(toks[:i]) && i > 0 && low(i-1) != "does" && low(i-1) != "do" {
				continue
			}
			k := i + 2
			if w == "no" {
				k = i + 3
			}
			if k < n && low(k) != "anything" && low(k) != "any" {
				emit(Excludes, 0, n, toks[k:])
				return
			}
		}
	}
}

// before is what the sentence has said ahead of an offset, without a header and
// without the mark that joins the two: it names what "nothing else" excepts. A
// semicolon ends a statement and not the sentence.
func (x *extractor) before(at int) []Token {
	var out []Token
	if i := x.stAt - 1; i >= 0 {
		if last := &x.m.Statements[i]; last.Standing >= Own && strings.Contains(x.m.Text[max(last.End-1, 0):x.st.Start], ";") {
			out = append(out, last.Tokens...)
		}
	}
	for _, t := range x.st.Tokens {
		if t.Start >= at {
			break
		}
		if x.st.Standing != Subject || t.Start >= x.m.RestStart() {
			out = append(out, t)
		}
	}
	for len(out) > 0 && (out[len(out)-1].Kind == Punct || out[len(out)-1].Low == "and" || out[len(out)-1].Low == "-") {
		out = out[:len(out)-1]
	}
	return out
}

// nothingElse: "nothing else is touched", "no other file was changed", "touches
// nothing else". What the statement named before is all that changes.
func nothingElse(toks []Token) bool {
	low := func(i int) string {
		if i < 0 || i >= len(toks) || toks[i].Kind != Word {
			return ""
		}
		return toks[i].Low
	}
	i := 0
	for low(i) == "and" || low(i) == "but" || low(i) == "," || i < len(toks) && toks[i].Kind == Punct {
		i++
	}
	if changeVerbs()[low(i)] && low(i+1) == "nothing" && low(i+2) == "else" {
		return i+3 == len(toks)
	}
	switch {
	case low(i) == "nothing" && low(i+1) == "else":
		i += 2
	case low(i) == "no" && low(i+1) == "other" && (low(i+2) == "file" || low(i+2) == "files"):
		i += 3
	default:
		return false
	}
	switch low(i) {
	case "is", "are", "was", "were", "gets", "has", "have":
		i++
	}
	if low(i) == "been" {
		i++
	}
	return (changed()[low(i)] || low(i) == "changes" || low(i) == "moves") && i+1 >= len(toks)
}

// singleFile: "single-file change", "this is a one-file fix".
func singleFile(toks []Token) (from, to int, ok bool) {
	for i := range toks {
		j := i + 1
		switch w := toks[i].Low; {
		case toks[i].Kind != Word:
			continue
		case w == "single-file" || w == "one-file":
		case (w == "single" || w == "one") && j < len(toks) && toks[j].Low == "file":
			j++
		default:
			continue
		}
		if j >= len(toks) || toks[j].Kind != Word || !changeNouns()[toks[j].Low] {
			return 0, 0, false
		}
		if j+1 < len(toks) && toks[j+1].Kind == Word && !onlyTail[toks[j+1].Low] {
			return 0, 0, false // "single-file change detection"
		}
		for _, t := range toks[:i] {
			switch t.Low {
			case "a", "this", "is", "it", "it's", "just", "only", "purely", "as", "small", "tiny", "simple", "trivial":
			default:
				return 0, 0, false
			}
		}
		return i, j + 1, true
	}
	return 0, 0, false
}

// only resolves what stands behind the restrictor: a class word, else names for
// the check to look up in the tree.
func (x *extractor) only(toks []Token, from, a, b int, emit func(Class, int, int, []Token)) {
	if a >= b {
		return
	}
	target := toks[a:b]
	for i, t := range target { // the target ends at a contrast
		if t.Kind == Word && (t.Low == "not" || t.Low == "unlike" || t.Low == "but" || t.Low == "nothing" || t.Low == "no" || t.Low == "so" || t.Low == "which" || t.Low == "because" || t.Low == "since" || t.Low == "while") || t.Kind == Punct && t.Text == ";" {
			target = target[:i]
			break
		}
		if t.Kind == Word && i > 0 && (t.Low == "is" || t.Low == "are" || t.Low == "was" || t.Low == "were") { // nothing outside X is touched
			target = target[:i]
			break
		}
	}
	for len(target) > 0 && (target[len(target)-1].Kind == Punct || len(target) > 1 && (target[len(target)-1].Low == "only" || target[len(target)-1].Low == "alone")) {
		target = target[:len(target)-1]
	}
	if len(target) == 0 {
		return
	}
	class := OnlyPaths
	named := false
	for _, t := range target {
		if t.Kind == Path || t.Kind == Code || t.Kind == Name {
			named = true
		}
	}
	if !named {
		class = classOf(target)
		if class == "" {
			class = OnlyPaths
		}
	}
	emit(class, min(from, a), a+len(target), target)
}

// leadsIn: what stands in front of "docs-only" says nothing of its own: "empty and
// whitespace-only" speaks of files.
func leadsIn(toks []Token) bool {
	for _, t := range toks {
		if t.Kind == Word && !fillers()[t.Low] && !restrict()[t.Low] && !changeNouns()[t.Low] {
			switch t.Low {
			case "is", "it's", "its", "are", "no", "code", "but", "so", "mostly", "minor", "small", "pure":
			default:
				return false
			}
		}
	}
	return len(toks) < 2 || toks[len(toks)-1].Low != "and"
}

// meansThis: "this", "the change", "all changes", "everything".
func meansThis(toks []Token) bool {
	for _, t := range toks {
		switch t.Low {
		case "this", "it", "the", "all", "these", "my", "everything":
		default:
			if !changeNouns()[t.Low] {
				return false
			}
		}
	}
	return true
}

// exactClass is the class of a target that is nothing but its word.
func exactClass(target []Token) Class {
	for len(target) > 1 && (target[0].Low == "the" || target[0].Low == "any") {
		target = target[1:]
	}
	if len(target) != 1 {
		return ""
	}
	switch c := classOf(target); c {
	case OnlyDocs, OnlyTests:
		return c
	}
	return ""
}

// fragment: the words are a statement of scope and nothing else.
func fragment(toks []Token) bool {
	for len(toks) > 0 && toks[len(toks)-1].Kind == Punct {
		toks = toks[:len(toks)-1]
	}
	for _, t := range toks {
		if t.Kind != Word {
			return false
		}
	}
	n := len(toks)
	switch {
	case n == 0 || n > 7:
		return false
	case n == 2 && restrict()[toks[0].Low]:
		return classOf(toks[1:]) != ""
	}
	if c, a, b := fixedForm(toks); c != "" && a == 0 {
		return b == n
	}
	c, a, b := hyphenOnly(toks)
	return c != "" && a == 0 && (b == n || b == n-1 && changeNouns()[toks[b].Low])
}

// classOf: docs, tests, comments or formatting, reached over at most three small words.
func classOf(target []Token) Class {
	skipped := 0
	c := Class("")
	for _, t := range target {
		if t.Kind != Word {
			if t.Kind == Punct && t.Text == "," {
				continue
			}
			break
		}
		switch {
		case t.Low == "documentation" || docsWords()[t.Low]:
			if c == OnlyTests { // "tests and docs": both classes, too wide to judge here
				return ""
			}
			return OnlyDocs
		case testWords()[t.Low]:
			c = OnlyTests
			return c
		case comments()[t.Low]:
			return OnlyComments
		case formats()[t.Low]:
			return OnlyFormat
		case fillers()[t.Low] || changeVerbs()[t.Low]:
			skipped++
			if skipped > 3 {
				return ""
			}
		default:
			return ""
		}
	}
	return c
}

// fixedForm: "no functional change", "no behaviour change", "no code changes", "NFC".
func fixedForm(toks []Token) (Class, int, int) {
	n := len(toks)
	for i := 0; i < n; i++ {
		t := toks[i]
		if t.Kind != Word {
			continue
		}
		switch t.Low {
		case "nfc", "nfci":
			if t.Text == "NFC" || t.Text == "NFCI" {
				return NoFunction, i, i + 1
			}
		case "no", "without", "zero":
			j := i + 1
			for j < n && j < i+4 && (toks[j].Low == "any" || toks[j].Low == "intended" || toks[j].Low == "other" || toks[j].Low == "user-facing" || toks[j].Low == "user-visible" || toks[j].Low == "visible" || toks[j].Low == "observable" || toks[j].Low == "actual" || toks[j].Low == "real" || toks[j].Low == "runtime" || toks[j].Low == "production" || toks[j].Low == "source" || toks[j].Low == "executable") {
				j++
			}
			if j >= n || toks[j].Kind != Word {
				continue
			}
			w := toks[j].Low
			next := ""
			if j+1 < n {
				next = toks[j+1].Low
			}
			change := next == "change" || next == "changes" || next == "modifications" || next == "difference"
			visible := j > i+1 && (toks[i+1].Low == "user-facing" || toks[i+1].Low == "user-visible" || toks[i+1].Low == "visible" || toks[i+1].Low == "observable")
			if visible {
				continue // what users see is not what the lines say
			}
			switch w {
			case "functional", "behavior", "behaviour", "behavioral", "behavioural", "functionality", "logic", "semantic":
				if change {
					return NoFunction, i, j + 2
				}
			case "change", "changes":
				if j+2 < n && toks[j+1].Low == "in" && (toks[j+2].Low == "behavior" || toks[j+2].Low == "behaviour" || toks[j+2].Low == "functionality") {
					return NoFunction, i, j + 3
				}
			case "code":
				end := j + 2
				if next == "files" || next == "paths" || next == "lines" {
					if next = ""; j+2 < n {
						next = toks[j+2].Low
					}
					end++
				}
				if (next == "is" || next == "was" || next == "are" || next == "were" || next == "has" || next == "gets") && end < n {
					if toks[end].Low == "been" && end+1 < n {
						end++
					}
					if changed()[toks[end].Low] {
						end++
					}
				}
				if change || next == "is" || next == "was" || next == "are" || next == "were" || changed()[next] || changed()[toks[min(end, n)-1].Low] {
					return NoCode, i, min(end, n)
				}
			}
			if j > i+1 && (toks[j-1].Low == "source" || toks[j-1].Low == "production") {
				switch {
				case w == "changes" || w == "change":
					return NoCode, i, j + 1
				case w == "files" && changed()[next]: // no source files changed
					return NoCode, i, j + 2
				case w == "files" && j+2 < n && (next == "are" || next == "were") && changed()[toks[j+2].Low]:
					return NoCode, i, j + 3
				}
			}
		case "behavior", "behaviour":
			if i+2 < n && (toks[i+1].Low == "is" || toks[i+1].Low == "stays" || toks[i+1].Low == "remains") && toks[i+2].Low == "unchanged" && i <= 1 {
				return NoFunction, i, i + 3
			}
		}
	}
	return "", 0, 0
}

// hyphenOnly: "docs only", "test-only", "documentation-only change".
func hyphenOnly(toks []Token) (Class, int, int) {
	class := func(w string) Class {
		switch {
		case w == "markdown": // "(markdown only)" names the language that a tool deals with
		case docsWords()[w]:
			return OnlyDocs
		case w == "tests" || w == "test":
			return OnlyTests
		case comments()[w]:
			return OnlyComments
		case w == "formatting" || w == "whitespace" || w == "format" || w == "style":
			return OnlyFormat
		}
		return ""
	}
	for i, t := range toks {
		if t.Kind != Word {
			continue
		}
		if w, ok := strings.CutSuffix(t.Low, "-only"); ok {
			if c := class(w); c != "" {
				if i+1 < len(toks) && toks[i+1].Kind == Word && !changeNouns()[toks[i+1].Low] && !onlyTail[toks[i+1].Low] {
					continue // "whitespace-only files"
				}
				return c, i, i + 1
			}
		}
		if t.Low == "only" && i > 1 && i+1 == len(toks) && changeNouns()[toks[i-1].Low] && toks[i-2].Kind == Word {
			if c := class(toks[i-2].Low); c != "" {
				return c, i - 2, i + 1 // documentation updates only
			}
		}
		if t.Low == "only" && i > 0 && toks[i-1].Kind == Word {
			if c := class(toks[i-1].Low); c != "" {
				a := i - 1
				if c == OnlyDocs && a > 0 && comments()[toks[a-1].Low] {
					a--
				}
				if i+1 < len(toks) && toks[i+1].Kind == Word && !changeNouns()[toks[i+1].Low] {
					continue // "the test only runs on ..."
				}
				return c, a, i + 1
			}
		}
	}
	return "", 0, 0
}

func opensThis(toks []Token) bool {
	i := 0
	for i < len(toks) && toks[i].Kind == Word && (toks[i].Low == "also" || toks[i].Low == "note" || toks[i].Low == "that") {
		i++
	}
	if i >= len(toks) || toks[i].Kind != Word {
		return false
	}
	switch toks[i].Low {
	case "this":
		return i+1 < len(toks) && (changeNouns()[toks[i+1].Low] || toks[i+1].Low == "pull" || toks[i+1].Low == "is" || toks[i+1].Low == "only" || changeVerbs()[toks[i+1].Low])
	case "the":
		return i+1 < len(toks) && (changeNouns()[toks[i+1].Low])
	case "changes", "change", "edits", "it", "we", "everything", "all":
		return true
	}
	return false
}

// subjectIsChange: nothing, or only words that mean this change.
func subjectIsChange(before []Token) bool {
	for _, t := range before {
		if t.Kind == Punct {
			continue
		}
		if t.Kind != Word {
			return false
		}
		switch t.Low {
		case "i", "this", "the", "these", "all", "of", "is", "are", "was", "were", "it", "we", "have", "has", "been", "and", "so", "that", "note", "also", "here", "a", "an", "pull", "request", "code", "my", "our", "in", "should", "be", "does", "do", "actual", "deliberately", "strictly", "now", "please", "entirely", "fully", "completely", "diff", "actually":
		default:
			if !changeNouns()[t.Low] && !changeVerbs()[t.Low] && !restrict()[t.Low] && !confined()[t.Low] {
				return false
			}
		}
	}
	return true
}

// statesChange: in the subject "only touches X" states, where "only test X" instructs.
var statesChange = map[string]bool{"touches": true, "changes": true, "modifies": true, "affects": true, "edits": true}

// onlyTail may stand behind "docs-only".
var onlyTail = map[string]bool{"and": true, "but": true, "so": true, "for": true, "in": true, "with": true, "as": true, "to": true, "or": true}

// meansChange: the subject is this change and not just "this".
func meansChange(before []Token) bool {
	for _, t := range before {
		if changeNouns()[t.Low] || changeVerbs()[t.Low] || t.Low == "everything" || t.Low == "all" || t.Low == "it" {
			return true
		}
	}
	return false
}

// tellsMore: behind its first name the fragment goes on with a word that is no
// part of a list of places: "only black_primer needs it".
func tellsMore(toks []Token) bool {
	named := false
	for _, t := range toks {
		switch {
		case t.Kind == Path || t.Kind == Code || t.Kind == Name:
			named = true
		case t.Kind == Word && named && (t.Low == "nothing" || t.Low == "no" || t.Low == "not"): // "just internal/cache, nothing else"
			return false
		case t.Kind == Word && named && !fillers()[t.Low] && !docsWords()[t.Low] && !testWords()[t.Low] && t.Low != "folder" && t.Low != "directory" && t.Low != "package" && t.Low != "module" && t.Low != "crate":
			return true
		}
	}
	return false
}

func opensAll(toks []Token) bool {
	if len(toks) > 0 && toks[0].Low == "everything" {
		return true
	}
	for i := 1; i < len(toks) && i < 5; i++ {
		if changeNouns()[toks[i].Low] || toks[i].Low == "code" {
			return true
		}
	}
	return false
}

func negatedBefore(toks []Token, i int) bool {
	for k := i - 1; k >= 0 && k >= i-2; k-- {
		switch toks[k].Low {
		case "not", "isn't", "aren't", "n't", "never", "doesn't", "don't", "cannot", "without":
			return true
		}
	}
	return false
}

func negatedObject(toks []Token, j int) (int, bool) {
	if j < len(toks) && (toks[j].Low == "when" || toks[j].Low == "if" || toks[j].Low == "how" || toks[j].Low == "what" || toks[j].Low == "where") {
		return j, true
	}
	return 0, false
}

func negatedRemainder(before []Token) bool {
	if len(before) == 0 {
		return false
	}
	// "no code runs outside the sandbox" is about the code: what stands right before is a thing, or a word of change.
	last := before[len(before)-1].Low
	if !remainders()[last] && !changed()[last] && !changeVerbs()[last] {
		return false
	}
	neg, thing := false, false
	for _, t := range before {
		switch t.Low {
		case "there":
			return false
		case "nothing":
			neg, thing = true, true
		case "no", "not", "doesn't", "don't", "without":
			neg = true
		default:
			thing = thing || remainders()[t.Low]
		}
	}
	return neg && thing
}

func refused(toks []Token) bool {
	for _, t := range toks {
		if t.Kind == Word && refusals()[t.Low] {
			return true
		}
	}
	return false
}

// refusedRemainder is refused, but lets the passive of "no other file was touched" pass.
func refusedRemainder(toks []Token) bool {
	for i, t := range toks {
		if t.Kind != Word || !refusals()[t.Low] {
			continue
		}
		if (t.Low == "was" || t.Low == "were") && i+2 >= len(toks) && i+1 < len(toks) && changed()[toks[i+1].Low] {
			continue
		}
		return true
	}
	return false
}

func byHand(toks []Token) bool {
	for i, t := range toks {
		if t.Low == "hand" && i > 0 && toks[i-1].Low == "by" || t.Low == "manually" {
			return true
		}
	}
	return false
}

func containsAny(toks []Token, words map[string]bool) bool {
	for _, t := range toks {
		if words[t.Low] {
			return true
		}
	}
	return false
}

func containsWord(toks []Token, w string) bool {
	for _, t := range toks {
		if t.Low == w {
			return true
		}
	}
	return false
}

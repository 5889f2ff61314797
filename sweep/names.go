package sweep

import (
	"regexp"
	"strings"
	"sync"
	"unicode"

	"github.com/saysolint/sayso/memory"
)

// named is one name of code that an entry says something of.
type named struct {
	name    string // as the tree would have it: the last part of a qualified one
	shown   string // as the entry has it
	path    bool   // it is a path of the repository
	removal bool   // the sentence may speak of doing without it
	gone    bool   // the sentence says outright that something was taken away or must not be used
}

// maxNames bounds the names of one entry; more is a list and not a statement.
const maxNames = 40

// Patterns are made when they are first asked for, so that a program that does
// not sweep pays nothing.
var (
	codeSpan = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("`([^`\n]{2,120})`") })
	nameForm = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^[A-Za-z_$][\w$]*(?:(?:\.|::|->|#)[A-Za-z_$][\w$]*)*(?:\(\))?$`)
	})
	pathForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[\w.@+-]+(?:/[\w.@+-]+)+/?$`) })
	// What says that a name is not, or should not be, there.
	removalForm = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\b(?:remov\w*|drop\w*|delet\w*|replac\w*|retir\w*|deprecat\w*|supersed\w*|forbid\w*|forbidden|ban(?:s|ned)?|avoid\w*|without|instead|rather|never|not|no|don['’]t|doesn['’]t|mustn['’]t|cannot|can['’]t|stop\w*|former\w*|previous\w*|was|were|used to|rename\w*|mov(?:e|ed|es)|migrat\w*|old|legacy|reject\w*|rather than|unlike|would|could|example|e\.g)\b`)
	})
	// What says outright that a name was taken away.
	goneForm = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\b(?:remov(?:e|es|ed|al|ing)|drop(?:s|ped|ping)?|delet(?:e|es|ed|ing)|no longer|instead of|retire[sd]?|do(?:es)? not use|don['’]t use|never use|must not use|forbid(?:s|den)?|banned)\b`)
	})
)

// namesOf are the names that the title, the goal and the decisions of an entry
// hold: what is written as code, and what is spelled as nothing but code is.
func namesOf(e *memory.Entry) []named {
	var out []named
	seen := map[string]bool{}
	add := func(n named) {
		if len(out) < maxNames && !seen[n.name] {
			seen[n.name] = true
			out = append(out, n)
		}
	}
	texts := append([]string{e.Title}, e.Decisions...)
	if e.Goal != "" {
		texts = append(texts, e.Goal)
	}
	for _, t := range texts {
		for _, s := range sentences(t) {
			removal, gone := removalForm().MatchString(s), goneForm().MatchString(s)
			rest := codeSpan().ReplaceAllStringFunc(s, func(m string) string {
				if n, ok := nameIn(strings.Trim(m, "`"), true); ok {
					n.removal, n.gone = removal, gone
					add(n)
				}
				return " "
			})
			for _, w := range strings.Fields(rest) {
				if n, ok := nameIn(strings.Trim(w, `.,;:!?"'“”‘’[]{}<>*`), false); ok {
					n.removal, n.gone = removal, gone
					add(n)
				}
			}
		}
	}
	return out
}

// sentences cuts a text at what ends a statement.
func sentences(s string) []string {
	return strings.FieldsFunc(strings.NewReplacer(". ", "\n", "; ", "\n", "! ", "\n", "? ", "\n").Replace(s), func(r rune) bool { return r == '\n' })
}

// nameIn says whether a word is a name of code. In quotes of code every
// identifier of three letters is one; outside it has to look like nothing else.
func nameIn(word string, quoted bool) (named, bool) {
	word = strings.TrimSpace(word)
	if pathForm().MatchString(word) && strings.ContainsAny(word, "./") && (quoted || strings.Contains(word[strings.LastIndexByte(word, '/')+1:], ".")) {
		if !strings.Contains(word, "..") && !strings.HasPrefix(word, ".") && strings.Contains(word, "/") {
			return named{name: strings.TrimSuffix(word, "/"), shown: word, path: true}, true
		}
	}
	if !nameForm().MatchString(word) {
		return named{}, false
	}
	call := strings.HasSuffix(word, "()")
	last := strings.TrimSuffix(word, "()")
	if i := strings.LastIndexAny(last, ".:>#"); i >= 0 {
		last = last[i+1:]
	}
	if len(last) < 3 || !quoted && !call && !codeLike(last) {
		return named{}, false
	}
	return named{name: last, shown: word}, true
}

// codeLike says whether a word is spelled as identifiers are and prose is not:
// an underscore between letters, or a capital after a small letter in a word
// that begins small, or two such humps.
func codeLike(w string) bool {
	if i := strings.IndexByte(w, '_'); i > 0 && i < len(w)-1 {
		return true
	}
	humps := 0
	for i := 1; i < len(w); i++ {
		if unicode.IsUpper(rune(w[i])) && unicode.IsLower(rune(w[i-1])) {
			humps++
		}
	}
	return humps >= 2 || humps == 1 && unicode.IsLower(rune(w[0]))
}

// eachToken calls fn for every run of letters, digits, "_" and "$" of a text.
func eachToken(text []byte, fn func(at int, token []byte)) {
	for i := 0; i < len(text); {
		if !wordByte[text[i]] {
			i++
			continue
		}
		j := i + 1
		for j < len(text) && wordByte[text[j]] {
			j++
		}
		fn(i, text[i:j])
		i = j
	}
}

var wordByte = func() (t [256]bool) {
	for c := range t {
		t[c] = c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == '$'
	}
	return t
}()

// hasName says whether a text has a name as a whole word.
func hasName(text []byte, name string) bool {
	found := false
	eachToken(text, func(_ int, t []byte) { found = found || string(t) == name })
	return found
}

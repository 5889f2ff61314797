package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/saysolint/sayso/internal/git"
	"github.com/saysolint/sayso/internal/text"
)

// redactor replaces the words of texts, paths and code by invented ones, the
// same word by the same one everywhere, so that what refers to what stays as it
// was. Kept are the words that carry grammar: those of English sentences about
// changes, of programming languages and of the usual file names; short numbers;
// and all that is neither letter nor digit.
type redactor struct {
	words map[string]string
	nums  map[string]string
}

func newRedactor() *redactor {
	return &redactor{words: map[string]string{}, nums: map[string]string{}}
}

// text redacts s, word by word.
func (r *redactor) text(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	for i := 0; i < len(s); {
		c, n := utf8.DecodeRuneInString(s[i:])
		if e := escapeLength(s[i:]); e > 0 {
			b.WriteString(s[i : i+e]) // not the first letter of the word behind it
			i += e
			continue
		}
		if !isWordRune(c) {
			b.WriteString(s[i : i+n])
			i += n
			continue
		}
		j := i + n
		for j < len(s) {
			c, n := utf8.DecodeRuneInString(s[j:])
			if !isWordRune(c) {
				break
			}
			j += n
		}
		r.run(&b, s[i:j])
		i = j
	}
	return b.String()
}

// escape is what stands in literals and patterns for one character or one value:
// \n, \t, \x1b, \u00e9, \033, \w, and the verbs of formats.
var escape = lazily(`^(?:\\(?:x[0-9A-Fa-f]{1,2}|u[0-9A-Fa-f]{4}|u\{[0-9A-Fa-f]{1,6}\}|U[0-9A-Fa-f]{8}|[0-7]{1,3}|[a-zA-Z])|%[-+#0]?[0-9]*(?:\.[0-9]+)?[a-zA-Z])`)

// escapeLength is the length of the escape that s begins with, 0 for none.
func escapeLength(s string) int {
	if s[0] != '\\' && s[0] != '%' {
		return 0
	}
	return len(escape().FindString(s))
}

// personLine is a trailer that names a person.
var personLine = lazily(`(?im)^((?:[a-z]+-)+by|cc):[^\n]*$`)

// address is one of electronic mail.
var address = lazily(`[A-Za-z0-9._%+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,}`)

// withoutPeople takes the people out whom a text names for certain: the author
// and the committer of the commit, those of trailers, and every address.
func withoutPeople(s string, c *git.Commit) string {
	s = personLine().ReplaceAllString(s, "$1: Someone <someone@example.org>")
	for _, name := range []string{c.Author.Name, c.Committer.Name} {
		// A name of one word may be any word.
		if name = strings.TrimSpace(name); strings.ContainsAny(name, " ") {
			s = strings.ReplaceAll(s, name, "Someone")
		}
	}
	return address().ReplaceAllString(s, "someone@example.org")
}

func isWordRune(c rune) bool {
	return unicode.IsLetter(c) || unicode.IsDigit(c) || unicode.Is(unicode.Mn, c)
}

// run redacts a run of letters and digits part by part.
func (r *redactor) run(b *strings.Builder, s string) {
	if isHexName(s) {
		b.WriteString(r.number(s))
		return
	}
	if keptWords()[strings.ToLower(s)] {
		b.WriteString(s)
		return
	}
	for _, part := range splitRun(s) {
		if c := part[0]; '0' <= c && c <= '9' {
			if len(part) > 3 {
				part = r.number(part)
			}
			b.WriteString(part)
			continue
		}
		b.WriteString(r.word(part))
	}
}

// splitRun cuts a run where text.SplitIdentifier would, and between letters and digits, and loses nothing.
func splitRun(s string) []string {
	var parts []string
	rs := []rune(s)
	start := 0
	cut := func(i int) {
		if i > start {
			parts = append(parts, string(rs[start:i]))
			start = i
		}
	}
	for i := 1; i < len(rs); i++ {
		a, c := rs[i-1], rs[i]
		switch {
		case unicode.IsDigit(a) != unicode.IsDigit(c):
			cut(i)
		case unicode.IsUpper(c) && !unicode.IsUpper(a):
			cut(i)
		case i > 1 && unicode.IsLower(c) && unicode.IsUpper(a) && unicode.IsUpper(rs[i-2]):
			cut(i - 1)
		}
	}
	cut(len(rs))
	return parts
}

// word is the invented word for one, in its case and with its ending.
func (r *redactor) word(w string) string {
	lower := strings.ToLower(w)
	if keptWords()[lower] || utf8.RuneCountInString(w) < 3 {
		return w
	}
	key, ending := lower, ""
	if isASCII(lower) {
		if stem := text.Stem(lower); len(stem) >= 3 && strings.HasPrefix(lower, stem) {
			key, ending = stem, lower[len(stem):]
		}
	}
	made, ok := r.words[key]
	if !ok {
		made = inventWord(len(r.words), key)
		r.words[key] = made
	}
	made += ending
	switch {
	case w == strings.ToUpper(w) && w != lower:
		return strings.ToUpper(made)
	case unicode.IsUpper([]rune(w)[0]):
		first, n := utf8.DecodeRuneInString(made)
		return string(unicode.ToUpper(first)) + made[n:]
	}
	return made
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// inventWord is the n-th invented word: two syllables and an end for Latin
// letters, letters of the same alphabet otherwise, so that its language stays.
func inventWord(n int, like string) string {
	if isASCII(like) {
		const consonants, vowels, ends = "bdfgklmnprtvz", "aiou", "bdfgkmnpt"
		const all = len(consonants) * len(vowels) * len(consonants) * len(vowels) * len(ends)
		var b strings.Builder
		// A step that has no factor in common with their number meets each word once,
		// and neighbours look nothing alike: runs of shared letters are evidence to a check.
		for i, set := n%all*7919%all, []string{consonants, vowels, consonants, vowels, ends}; len(set) > 0; set = set[1:] {
			b.WriteByte(set[0][i%len(set[0])])
			i /= len(set[0])
		}
		if n >= all {
			return b.String() + inventWord(n/all-1, like)
		}
		return b.String()
	}
	sum := sha256.Sum256([]byte(fmt.Sprintf("word %d", n)))
	rs := []rune(like)
	for i, c := range rs {
		for try := range 16 {
			made := c&^0xf | rune((int(sum[i%len(sum)])+try)&0xf)
			if unicode.IsLetter(made) && unicode.IsUpper(made) == unicode.IsUpper(c) {
				rs[i] = made
				break
			}
		}
	}
	return string(rs)
}

// number is the invented number or object name for one, of the same length.
func (r *redactor) number(s string) string {
	made, ok := r.nums[s]
	if !ok {
		sum := sha256.Sum256([]byte(fmt.Sprintf("number %d", len(r.nums))))
		made = hex.EncodeToString(sum[:])
		if strings.Trim(s, "0123456789") == "" {
			digits := []byte(made)
			for i, c := range digits {
				digits[i] = '1' + c%9
			}
			made = string(digits)
		}
		for len(made) < len(s) {
			made += made
		}
		made = made[:len(s)]
		r.nums[s] = made
	}
	return made
}

// isHexName says whether s looks like an object name: seven or more digits of
// base 16 with both kinds among them.
func isHexName(s string) bool {
	return len(s) >= 7 && strings.Trim(s, "0123456789abcdef") == "" && strings.ContainsAny(s, "0123456789") && strings.ContainsAny(s, "abcdef")
}

// path redacts a path. Short endings say what kind of file it is and are kept.
func (r *redactor) path(p string) string {
	parts := strings.Split(p, "/")
	for i, part := range parts {
		ext := ""
		if dot := strings.LastIndexByte(part, '.'); i == len(parts)-1 && dot > 0 && len(part)-dot <= 7 {
			part, ext = part[:dot], part[dot:]
		}
		parts[i] = r.text(part) + ext
	}
	return strings.Join(parts, "/")
}

// keptWords are the words that a redactor leaves alone.
var keptWords = sync.OnceValue(func() map[string]bool { return wordSet(keptLists...) })

var keptLists = []string{
	// English about changes
	`a about above actually add added adding adds adjust adjusted after again all allow allows already also always an and any are as at avoid away back be because been before being below
	better between both brings but by can cannot change changed changes changing clean cleanup comment comments could count covered covers create created
	creates date default delete deleted deletes did disable disabled disables do doc docs documentation documented does doing done down drop dropped drops during each edit
	edited eight either else enable enabled enables end entire even every everything example examples except existing expose extend extract false feature few file files first five fix fixed
	fixes fixing folder for format formatting formatted four from full function functional functions generate generated get give go good handle handled had has have here how however i if
	implement implemented implements improve improved in include includes instead internal into introduce introduced is isolated it its just keep kept last least less let line lines list
	log logic longer made make makes making many merge message method methods minor module more most move moved moves much must name named names need never new nine
	no none not nothing now number of off old on once one only or order other others our out over package packages part per place please prepare previous private public pull put readme really
	refactor refactored refactoring reject release remove removed removes removing rename renamed renames reorder replace replaced replaces request require reset restore return revert reverted reverts
	review rework rewrite rewritten run same scope see set seven several should show simplify simplified since six small so some sort split start still stop style such support supported supports switch ten
	test tested testing tests than that the their them then there these they thing things this those three through time to together too touch touched touches true turn two type types
	typo under unit until unused up update updated updates upgrade upgraded bump bumped bumps us use used uses using value values version versions via very was way we were what when where whether which
	while who whole why will with within without won work works would wrap write written wrong you your behavior behaviour
	bring decrease decreased deprecate deprecated drops ensure ensures hide increase increased join keeps lower pin pinned port raise raised reduce reduced ship speed tidy tweak tweaked wire`,
	// headers and trailers
	`feat chore perf ci build style revert breaking wip fixup squash amend signed reviewed acked authored co someone closes refs commit commits branch tag http https www com org`,
	// programming languages
	`abstract alias any args array assert async await bool boolean break byte bytes case cast catch chan char class cls common const constexpr constructor continue data debug def defer del delete
	dict double elif else elsif end enum err error errors except exception export extends extern final finally float fn fallthrough foreach fmt func global goto impl import include init inline instanceof int
	integer interface iterator items key lambda len let len loop macro main map match math mod mut namespace nil none nonlocal null number object operator options override panic param params pass path
	print println private protected protocol prototype pub public raise range record ref require rescue result return self short signed sizeof static std string struct str super switch synchronized sys
	template this throw throws trait true try tuple type typedef typeof typename union unless unsafe unsigned use using val var vec virtual void volatile when where while with yield xor`,
	// files and folders
	`api app assets bin cargo cfg changelog changes cmd code codeowners composer conf config contributing css dev dist docker dockerfile docs editorconfig env eslint etc fixture fixtures gemfile github gitignore gitlab
	gradle html include index ini init install js json jsx lib license lock main makefile man md mod node npm package pom prettierrc py pyproject readme requirements resources rs rst scripts security setup
	spec specs src sum tests toml tools travis ts tsconfig tsx txt utils vendor web workflows xml yaml yarn yml`,
}

func wordSet(lists ...string) map[string]bool {
	set := map[string]bool{}
	for _, l := range lists {
		for _, w := range strings.Fields(l) {
			set[w] = true
		}
	}
	return set
}

// lazily compiles an expression when it is first asked for: a table that is
// compiled at the start of the program is paid for by every commit hook.
func lazily(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}

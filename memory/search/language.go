package search

import (
	"strings"
	"sync"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/danish"
	"github.com/blevesearch/snowballstem/dutch"
	"github.com/blevesearch/snowballstem/english"
	"github.com/blevesearch/snowballstem/finnish"
	"github.com/blevesearch/snowballstem/french"
	"github.com/blevesearch/snowballstem/german"
	"github.com/blevesearch/snowballstem/hungarian"
	"github.com/blevesearch/snowballstem/italian"
	"github.com/blevesearch/snowballstem/norwegian"
	"github.com/blevesearch/snowballstem/portuguese"
	"github.com/blevesearch/snowballstem/romanian"
	"github.com/blevesearch/snowballstem/russian"
	"github.com/blevesearch/snowballstem/spanish"
	"github.com/blevesearch/snowballstem/swedish"
	"github.com/blevesearch/snowballstem/turkish"
)

// language is a language that words are stemmed in. Its number is part of the index.
type language uint8

const languageCount = language(len(languages))

// languages are those that the stemmer has and that their small words tell
// apart. Each entry is stemmed in its own; a question, which is too short to tell
// its language, in all of them, and a stem only meets stems of its language.
var languages = [...]struct {
	name  string
	stem  func(*snowballstem.Env) bool
	small []string // frequent words without meaning of their own
}{
	{"english", english.Stem, []string{"the", "of", "and", "to", "is", "that", "we", "with", "for", "this", "are", "not", "it", "be", "will", "on", "by", "as", "from", "which", "should", "when"}},
	{"french", french.Stem, []string{"le", "la", "les", "des", "et", "est", "une", "un", "du", "pour", "que", "qui", "dans", "sur", "nous", "avec", "pas", "par", "ce", "aux", "au", "sont"}},
	{"german", german.Stem, []string{"der", "die", "das", "und", "ist", "nicht", "ein", "eine", "mit", "für", "auf", "wir", "von", "den", "dem", "zu", "wird", "werden", "sich", "im", "als", "auch"}},
	{"spanish", spanish.Stem, []string{"el", "los", "las", "y", "es", "una", "un", "para", "que", "con", "por", "del", "se", "no", "como", "su", "más", "este", "esta", "al", "son", "nos"}},
	{"portuguese", portuguese.Stem, []string{"o", "os", "as", "e", "é", "uma", "um", "para", "que", "com", "por", "do", "da", "não", "como", "mais", "este", "esta", "ao", "são", "dos", "das", "em"}},
	{"italian", italian.Stem, []string{"il", "lo", "gli", "e", "è", "una", "un", "per", "che", "con", "del", "della", "non", "come", "più", "questo", "questa", "al", "sono", "di", "nel", "dei"}},
	{"dutch", dutch.Stem, []string{"de", "het", "een", "en", "is", "niet", "van", "met", "voor", "op", "wij", "we", "dat", "die", "te", "zijn", "wordt", "worden", "als", "ook", "bij", "naar"}},
	{"swedish", swedish.Stem, []string{"och", "att", "det", "som", "är", "inte", "en", "ett", "med", "för", "på", "vi", "av", "den", "till", "har", "från", "ska", "när", "om"}},
	{"danish", danish.Stem, []string{"og", "at", "det", "som", "er", "ikke", "en", "et", "med", "for", "på", "vi", "af", "den", "til", "har", "fra", "skal", "når", "hvis"}},
	{"norwegian", norwegian.Stem, []string{"og", "å", "det", "som", "er", "ikke", "en", "et", "med", "for", "på", "vi", "av", "den", "til", "har", "fra", "skal", "når", "hvis"}},
	{"finnish", finnish.Stem, []string{"ja", "on", "ei", "että", "se", "ovat", "joka", "mutta", "kun", "tai", "me", "jos", "niin", "myös", "vain", "ole", "tämä", "sen"}},
	{"russian", russian.Stem, []string{"и", "в", "не", "на", "что", "с", "для", "мы", "это", "как", "по", "из", "к", "от", "но", "если", "при", "или", "был", "быть"}},
	{"hungarian", hungarian.Stem, []string{"a", "az", "és", "hogy", "nem", "egy", "is", "van", "ez", "meg", "kell", "vagy", "mint", "csak", "ha", "de"}},
	{"romanian", romanian.Stem, []string{"și", "în", "este", "nu", "pe", "cu", "pentru", "un", "o", "care", "din", "la", "sunt", "să", "sau", "mai"}},
	{"turkish", turkish.Stem, []string{"ve", "bir", "bu", "için", "ile", "değil", "olarak", "çok", "var", "daha", "gibi", "da", "de", "mi", "ama", "veya"}},
}

// guesser counts the small words of each language. The zero value is ready.
type guesser struct {
	counts [languageCount]int
	words  int
}

// guessWords bounds how many words a guess looks at.
const guessWords = 400

func (g *guesser) word(w string) {
	if g.words >= guessWords {
		return
	}
	g.words++
	for _, l := range smallWords()[w] {
		g.counts[l]++
	}
}

// best is the language with the most small words, English where there is none
// or another is not clearly ahead of it.
func (g *guesser) best() language {
	best := language(0)
	for l := range languageCount {
		if g.counts[l] > g.counts[best] {
			best = l
		}
	}
	if g.counts[best] < 2 || g.counts[best] < g.counts[0]+2 && g.counts[best]*2 < g.counts[0]*3 {
		return 0
	}
	return best
}

var smallWords = sync.OnceValue(func() map[string][]language {
	m := make(map[string][]language, 320)
	for l := range languages {
		for _, w := range languages[l].small {
			m[w] = append(m[w], language(l))
		}
	}
	return m
})

// stemmer stems words and remembers what it stemmed: most words come again. It
// is not for several goroutines at once.
type stemmer struct {
	known [languageCount]map[string]string
}

// term is the term of a word's stem, "" where it has none.
func (s *stemmer) term(l language, w string) string {
	if st := s.stem(l, w); st != "" {
		return stemTerm(l, st)
	}
	return ""
}

// maxStems bounds what a stemmer remembers for one language.
const maxStems = 1 << 15

// stem is the Snowball stem of a folded word, "" for what has none: numbers, and
// words too long to be one.
func (s *stemmer) stem(l language, w string) string {
	if len(w) > 48 || w == "" || w[0] >= '0' && w[0] <= '9' {
		return ""
	}
	m := s.known[l]
	if m == nil {
		m = map[string]string{}
		s.known[l] = m
	}
	st, ok := m[w]
	if !ok {
		env := snowballstem.NewEnv(w)
		languages[l].stem(env)
		st = env.Current()
		if len(m) >= maxStems {
			clear(m)
		}
		m[strings.Clone(w)] = st
	}
	return st
}

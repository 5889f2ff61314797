package claim

import (
	"strings"
	"sync"
)

// Verb is the class of a verb of change.
type Verb uint8

// Verb classes. Those up to VerbBump have a polarity that a diff can bear out or contradict.
const (
	NoVerb Verb = iota
	VerbAdd
	VerbRemove
	VerbRename
	VerbMove
	VerbEnable
	VerbDisable
	VerbIncrease
	VerbDecrease
	VerbReplace
	VerbBump
	VerbDocument
	VerbTest
	VerbRevert
	VerbChange // any other verb of change
)

var verbNames = [...]string{"", "add", "remove", "rename", "move", "enable", "disable", "increase", "decrease", "replace", "bump", "document", "test", "revert", "change"}

// String is the class in one lower-case word.
func (v Verb) String() string { return verbNames[v] }

// verbForms maps every form of every verb of change to its class. Built once,
// when first asked for, from the stems below, so that a new verb is one word in one list.
var verbForms = sync.OnceValue(func() map[string]Verb { return buildVerbs(verbStems) })

var verbStems = [...]struct {
	verb  Verb
	stems string
}{
	{VerbAdd, "add introduce implement create"},
	{VerbRemove, "remove delete drop purge eliminate"},
	{VerbRename, "rename"},
	{VerbMove, "move relocate extract"},
	{VerbEnable, "enable activate"},
	{VerbDisable, "disable deactivate"},
	{VerbIncrease, "increase raise enlarge"},
	{VerbDecrease, "decrease reduce lower shrink"},
	{VerbReplace, "replace swap"},
	{VerbBump, "bump upgrade downgrade"},
	{VerbDocument, "document describe explain mention clarify note"},
	{VerbTest, "test cover"},
	{VerbRevert, "revert reland undo"},
	{VerbChange, `change update fix modify refactor rework rewrite improve simplify optimize optimise correct adjust tweak clean handle
support make use allow ensure avoid prevent convert switch migrate port split merge inline expose export restore return pass set skip
include wrap deprecate validate check fall parse read write call run emit log print show hide report store cache load save send accept
reject ignore keep treat limit restrict extend expand unify consolidate deduplicate normalize normalise sort filter guard mark track
define declare register wire hook stop start respect honor honour prefer require apply align format lint polish harden protect secure
escape sanitize sanitise encode decode generate configure customize override delegate forward propagate reuse share speed tidy
strip trim truncate round clamp resolve reset clear flush close open retry wait defer detect infer compute calculate copy clone
rearrange reorder reorganize reorganise restructure group specify swallow throw raise catch wrap unwrap pin unpin lock unlock sync
provide append prepend insert inject attach detach mock stub adapt adopt bring complete finish initialize initialise init tighten
loosen relax widen narrow shorten lengthen streamline modernize modernise standardize standardise abstract decouple isolate
exclude omit suppress silence warn notify display render draw resize scale translate localize bundle package publish release tag
put take turn give get let correct address resolve mitigate patch repair amend annotate comment type refine rephrase reword link
point redirect route serve expose build compile link load unload mount bind connect disconnect`},
}

// irregular forms of the verbs above.
var irregular = map[string]string{
	"wrote": "write", "written": "write", "rewrote": "rewrite", "rewritten": "rewrite", "made": "make", "kept": "keep", "sent": "send",
	"read": "read", "ran": "run", "began": "begin", "hid": "hide", "hidden": "hide", "shown": "show", "threw": "throw", "thrown": "throw",
	"caught": "catch", "built": "build", "brought": "bring", "took": "take", "taken": "take", "gave": "give", "given": "give", "got": "get",
	"put": "put", "set": "set", "split": "split", "let": "let", "undid": "undo", "undone": "undo", "fell": "fall", "overrode": "override",
	"overridden": "override", "shrank": "shrink", "shrunk": "shrink", "redid": "rework", "drew": "draw", "bound": "bind",
}

func buildVerbs(classes [14]struct {
	verb  Verb
	stems string
}) map[string]Verb {
	m := make(map[string]Verb, 2048)
	put := func(w string, v Verb) {
		if old, ok := m[w]; !ok || v < old {
			m[w] = v
		}
	}
	for _, c := range classes {
		for _, w := range strings.Fields(c.stems) {
			for _, f := range inflect(w) {
				put(f, c.verb)
			}
		}
	}
	for form, base := range irregular {
		if v, ok := m[base]; ok {
			put(form, v)
		}
	}
	return m
}

// inflect gives base, third person, past and -ing form of a regular verb,
// and British and American doubling of a last consonant alike.
func inflect(w string) []string {
	last := w[len(w)-1]
	switch {
	case last == 'e':
		return []string{w, w + "s", w + "d", w[:len(w)-1] + "ing"}
	case last == 'y' && !strings.ContainsRune("aeiou", rune(w[len(w)-2])):
		return []string{w, w[:len(w)-1] + "ies", w[:len(w)-1] + "ied", w + "ing"}
	case strings.HasSuffix(w, "s"), strings.HasSuffix(w, "sh"), strings.HasSuffix(w, "ch"), strings.HasSuffix(w, "x"):
		return []string{w, w + "es", w + "ed", w + "ing"}
	}
	forms := []string{w, w + "s", w + "ed", w + "ing"}
	if len(w) >= 3 && strings.ContainsRune("bdgklmnprtv", rune(last)) && strings.ContainsRune("aeiou", rune(w[len(w)-2])) && !strings.ContainsRune("aeiou", rune(w[len(w)-3])) {
		forms = append(forms, w+string(last)+"ed", w+string(last)+"ing")
	}
	return forms
}

// VerbOf is the class of a word form, NoVerb for anything else.
func VerbOf(low string) Verb { return verbForms()[low] }

// set is the set of the words of list, built when first asked for: a program
// that only prints its version should not pay for them.
func set(list string) func() map[string]bool {
	return sync.OnceValue(func() map[string]bool { return wordSet(list) })
}

func wordSet(list string) map[string]bool {
	fields := strings.Fields(list)
	m := make(map[string]bool, len(fields))
	for _, w := range fields {
		m[w] = true
	}
	return m
}

var (
	// subordinate words open a clause about the world, not about the change.
	subordinate = set(`if when whenever unless while because since although though whereas until which that where whose who once before after
as so whether how why`)
	// contrast words: what follows is what the change is not about.
	contrast = set(`not like unlike see than except without versus vs cf e.g eg i.e ie per similar`)
	// past words put a sentence into the world before.
	past     = set(`was were had previously formerly before used-to currently existing originally today`)
	negators = set(`don't dont not never no longer stop avoid prevent doesn't cannot can't won't without refuse forbid disallow`)
	// productWords look like code and are names of products, platforms and formats.
	productWords = set(`github javascript typescript openssl openbsd freebsd netbsd macos ios ipados watchos pypi graphql mysql postgresql sqlite jquery nodejs
node.js vue.js next.js express.js three.js socket.io d3.js react.js asp.net webassembly websocket websockets opentelemetry codeql
sourceforge youtube linkedin stackoverflow openjdk iterm2 gitlab devops todo fixme eslint gofmt json toml yaml utf8 pageup pagedown
oauth oauth2 ipv4 ipv6 co-authored changelog readme jdk8 jdk11 intellij vscode rubygems junit jsdoc javadoc libreoffice
powershell dockerhub bitbucket circleci appveyor codecov goreleaser chatgpt openai deepseek iphone iphones ipad playstation webgl webgpu grpc
github.com youtu.be e.g i.e a.k.a u.s etc wi-fi firefox jenkins kubernetes docker windows linux rubocop pytest mypy pylint typo`)
	abbreviations = set(`e.g i.e eg ie etc vs cf resp approx incl al no fig sec mr ms dr st`)
	// function words of other languages, in Latin letters, none of which is an English word.
	foreign = set(`der das und nicht ist wird wurde werden für mit eine einen einem dem den auf aus bei nach wenn oder auch sich stattdessen seit bleibt die nur wir ihr sie es im zum zur bei über keine kein diese dieser dieses diesem änderung hinzugefügt entfernt geändert
le la les des une est pour dans avec sur pas ce cette qui sont et ou ajoute ajout corrige suppression du au aux mise jour lors être été avons fichier fichiers
el los las una del por para con como más cuando esta este que se añade corrige elimina y actualiza actualizado añadido archivo archivos prueba pruebas solo
il lo gli di che per non sono della nel aggiunto
o os um uma não com em da dos das ao foi
een het en niet van voor wordt zijn
och att som för inte av till
dodaj usuń nie jest oraz w z na do się`)
	english = set(`the a an and or to of in for on with from by is are was be it this that these those not no when if as at into instead only
add adds added remove removes removed fix fixes fixed update updates updated use uses used using make makes change changes changed
test tests docs doc file files code error errors new now all some should will can do does don't so than then but also
support allow avoid set get run build bump move rename refactor improve handle missing typo support version release`)
)

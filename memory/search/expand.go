package search

import (
	"strings"
	"sync"
)

// abbreviations are short forms and what they stand for, each line one meaning:
// whoever asks for one may have written the other.
const abbreviations = `
db database databases
config configuration settings
auth authentication authorization
repo repository
env environment
dev development
prod production
docs documentation
perf performance
deps dependency dependencies
app application
api interface
ui frontend
ci pipeline
k8s kubernetes
js javascript
ts typescript
py python
pg postgres postgresql
i18n internationalization translation
l10n localization
a11y accessibility
o11y observability
id identifier
args arguments
params parameters
async asynchronous
sync synchronous
msg message
err error
fn function
impl implementation
init initialization
lib library
max maximum
min minimum
num number
pkg package
ref reference
req request
res response
spec specification
temp temporary
util utility
vm virtualization
adr decision
cli commandline
tls ssl
pr mergerequest
infra infrastructure
cert certificate
creds credentials
msa microservices
monorepo monorepository
iac terraform
sso login
`

// verbGroups are verbs that decisions use for the same act.
const verbGroups = `
use adopt choose select pick prefer
add introduce create
remove delete drop retire
replace switch migrate swap
forbid prohibit disallow ban
allow permit
store persist save
verify validate check
fetch retrieve load
ship release publish deploy
split separate divide
merge combine join
start begin launch
stop halt end
fix repair correct
test verify
log record
build compile
avoid prevent
`

// relations maps the English stem of a word to the words related to it.
var relations = sync.OnceValue(func() map[string][]string {
	var stems stemmer
	m := map[string][]string{}
	for line := range strings.Lines(abbreviations + verbGroups) {
		group := strings.Fields(line)
		for _, a := range group {
			key := stems.stem(0, a)
			for _, b := range group {
				if a != b && stems.stem(0, b) != key {
					m[key] = append(m[key], b)
				}
			}
		}
	}
	return m
})

// related are the words that a word may stand for, in a fixed order.
func related(stems *stemmer, w string) []string {
	st := stems.stem(0, w)
	if st == "" {
		return nil
	}
	return relations()[st]
}

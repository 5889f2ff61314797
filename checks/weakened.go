package checks

import (
	"strings"
	"sync"

	"github.com/saysolint/sayso/change"
	"github.com/saysolint/sayso/internal/lang"
)

// What a diff of tests and of settings shows to a careful reader: assertions that
// go or say less, and switches of protection that are turned off. All of it is
// for observations; nothing here accuses.

// weakening is one place where a test came to demand less.
type weakening struct {
	at   change.At
	text string // one clause
	gone bool   // assertions are gone, as they are where what they were for is removed
}

// weakened finds the assertions of a test file that are gone or loosened. Values
// that an assertion compares with are no part of it: they change with what the program does.
func (x *judging) weakened(file int) (weakening, bool) {
	f := &x.f.Change.Files[file]
	if f.Kind != lang.Test || f.Status != change.Modified && f.Status != change.Renamed {
		return weakening{}, false
	}
	net := 0
	var gone *change.Line
	for h := range f.Hunks {
		lines := f.Hunks[h].Lines
		less := 0
		var first *change.Line
		whole := false // a test goes as a whole: it is deleted or moved, not weakened
		for k := range lines {
			l := &lines[k]
			if l.Op == ' ' {
				continue
			}
			if l.Op == '-' && startsTest(l.Text) {
				whole = true
			}
			if l.Class != lang.Code || !asserts(l.Text) {
				continue
			}
			if l.Op == '+' {
				less--
				continue
			}
			less++
			if first == nil {
				first = l
			}
		}
		net += less
		if less > 0 && !whole && gone == nil && !x.addedText(strings.TrimSpace(first.Text)) {
			gone = first
		}
		if w, ok := loosened(lines); ok {
			w.at.File = file
			return w, true
		}
	}
	if gone == nil || net <= 0 {
		return weakening{}, false
	}
	return weakening{change.At{File: file, Line: gone}, plural(net, "assertion") + " fewer than before in a test that stays", true}, true
}

// addedText: some added line holds s.
func (x *judging) addedText(s string) bool {
	if s == "" {
		return true
	}
	for i := range x.f.Change.Files {
		for _, h := range x.f.Change.Files[i].Hunks {
			for k := range h.Lines {
				if l := &h.Lines[k]; l.Op == '+' && l.Class == lang.Code && strings.Contains(l.Text, s) {
					return true
				}
			}
		}
	}
	return false
}

// asserts says whether a line of a test demands something.
func asserts(s string) bool {
	for _, mark := range [...]string{"assert", "Assert", "expect(", "require.", "t.Error", "t.Fatal", "EXPECT_", "ASSERT_", "REQUIRE(", "CHECK(", ".should", "must_equal"} {
		i := strings.Index(s, mark)
		if i < 0 || i > 0 && wordByte(s[i-1]) && wordByte(mark[0]) {
			continue
		}
		if mark == "require." && !strings.Contains(s[i:], "(") {
			continue
		}
		if mark[0] == 't' && (strings.Contains(s, "failed to") || strings.Contains(s, "(err)") || strings.HasSuffix(s, ", err)")) {
			continue // the step before the one that is tested
		}
		return !strings.HasPrefix(strings.TrimSpace(s), "import ") && !strings.HasPrefix(strings.TrimSpace(s), "from ") && !strings.Contains(s, "\"github.com/")
	}
	return false
}

// startsTest says whether a line opens a test: a function, method or block of it.
func startsTest(s string) bool {
	s = strings.TrimSpace(s)
	for _, head := range [...]string{"func Test", "def test", "async def test", "it(", "test(", "describe(", "it.each", "test.each", "@Test", "#[test]", "fn ", "class ", "TEST(", "TEST_F(", "t.Run(", "public void ", "void test", "specify ", "it \"", "it '"} {
		if strings.HasPrefix(s, head) {
			return true
		}
	}
	return false
}

// strict are assertions of what a value is, loose of no more than that there is one.
var (
	strict = []string{"assertequal", "assert_eq!", "assert_equal", ".equal(", ".deepequal(", ".tobe(", ".toequal(", ".tostrictequal(", "expect_eq(", "assert_eq(", "isequalto(", "assertsame(", ".eql("}
	loose  = []string{"assertisnotnone", "assertnotnull", ".notnil(", ".notempty(", ".tobetruthy(", ".tobedefined(", ".not.tobenull(", ".not.tobeundefined(", "isnotnull(", "expect_true(", "assert_true(", "asserttrue(", ".nottothrow(", ".not.tothrow(", "expect.anything("}
)

// loosened finds an assertion of a value that became one of presence, and one
// that was turned into a comment.
func loosened(lines []change.Line) (weakening, bool) {
	for removed, added := range change.Replaced(lines) {
		for i := range removed {
			old := &removed[i]
			if old.Class != lang.Code || !asserts(old.Text) {
				continue
			}
			was := strings.ToLower(string(packSpace(old.Text)))
			for j := range added {
				is := strings.ToLower(string(packSpace(added[j].Text)))
				if added[j].Class == lang.Comment && len(was) > 8 && strings.Contains(is, was) {
					return weakening{at: change.At{Line: &added[j]}, text: "an assertion is commented out"}, true
				}
				if len(added) == len(removed) && i == j && containsOne(was, strict) && !containsOne(was, loose) && containsOne(is, loose) && !containsOne(is, strict) {
					return weakening{at: change.At{Line: &added[j]}, text: "an assertion of a value becomes one that there is any"}, true
				}
			}
		}
	}
	return weakening{}, false
}

func containsOne(s string, list []string) bool {
	for _, w := range list {
		if strings.Contains(s, w) {
			return true
		}
	}
	return false
}

// packSpace is a line without any white space.
func packSpace(s string) []byte {
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if c := s[i]; c != ' ' && c != '\t' && c != '\r' {
			out = append(out, c)
		}
	}
	return out
}

// protection is one family of switches that keep a program or a build safe.
type protection struct {
	what    string   // a clause: what a change of it does
	said    []string // words of a message that speaks of it
	on      []switchOff
	removed []switchOff // lines whose loss turns it off
	setup   bool        // only the files that set up builds and checks hold it, not the program
}

// switchOff is a form in which it is turned off. key is an identifier, lower case,
// that every such line holds: only changes that have it are searched.
type switchOff struct {
	key  string
	form string // lower case, without white space
}

func forms(list ...string) []switchOff {
	var out []switchOff
	for _, l := range list {
		key, form, _ := strings.Cut(l, " ")
		out = append(out, switchOff{key, form})
	}
	return out
}

// protections are built when they are first asked for: a hook that finds no setting pays nothing.
var protections = sync.OnceValue(func() []protection {
	return []protection{
		{
			what: "the verification of certificates or hosts is turned off",
			said: []string{"tls", "ssl", "certificate", "certificates", "insecure", "verify", "verification", "https", "cert", "certs", "hostname"},
			on: forms("insecureskipverify insecureskipverify:true", "insecureskipverify insecureskipverify=true", "verify verify=false", "verify verify:false", "rejectunauthorized rejectunauthorized:false",
				"node_tls_reject_unauthorized node_tls_reject_unauthorized=0", "node_tls_reject_unauthorized node_tls_reject_unauthorized='0'", `node_tls_reject_unauthorized node_tls_reject_unauthorized="0"`,
				"node_tls_reject_unauthorized node_tls_reject_unauthorized:0", "curlopt_ssl_verifypeer curlopt_ssl_verifypeer,0", "curlopt_ssl_verifypeer curlopt_ssl_verifypeer,false", "check_hostname check_hostname=false",
				"cert_none cert_none", "_create_unverified_context _create_unverified_context", "verify_none verify_none", "danger_accept_invalid_certs danger_accept_invalid_certs(true)", "sslverify sslverify=false", "sslverify sslverifyfalse",
				"strict strict-ssl=false", "noophostnameverifier noophostnameverifier", "allow_all_hostname_verifier allow_all_hostname_verifier"),
		},
		{
			what: "a check of who may do something is turned off",
			said: []string{"auth", "authentication", "authorization", "authorisation", "login", "permission", "permissions", "csrf", "access", "anonymous", "public", "security", "guard"},
			on: forms("auth auth:false", "auth auth:none", "authentication authentication:false", "authentication authentication=false", "disable_auth disable_auth=true", "disable_auth disable_auth:true", "require_auth require_auth=false", "require_auth require_auth:false",
				"permitall .permitall()", "allowany allowany]", "skip_before_action skip_before_action:authenticate", "csrf_exempt @csrf_exempt", "csrf csrf().disable()", "csrf csrf:false"),
			removed: forms("login_required @login_required", "preauthorize @preauthorize", "rolesallowed @rolesallowed", "protect_from_forgery protect_from_forgery", "permission_classes permission_classes=[isauthenticated"),
		},
		{
			what: "other origins are let in, or scripts that a policy kept out",
			said: []string{"cors", "csp", "origin", "origins", "policy", "inline", "eval", "header", "headers", "security"},
			on: forms("access access-control-allow-origin:*", `access access-control-allow-origin","*"`, "access access-control-allow-origin','*'", `access access-control-allow-origin":"*"`, "access access-control-allow-origin':'*'",
				"allow_origins allow_origins=[\"*\"]", "allow_origins allow_origins=['*']", "allowallorigins allowallorigins:true", "cors_allow_all_origins cors_allow_all_origins=true", "cors_origin_allow_all cors_origin_allow_all=true",
				"origin origin:'*'", `origin origin:"*"`, "unsafe 'unsafe-inline'", "unsafe 'unsafe-eval'"),
			removed: forms("security content-security-policy", "security strict-transport-security", "frame x-frame-options"),
		},
		{
			what: "a wall around a process is taken down",
			said: []string{"sandbox", "privileged", "privilege", "root", "container", "seccomp", "isolation", "security", "capabilities", "network"},
			on: forms("sandbox --no-sandbox", "sandbox sandbox:false", "privileged privileged:true", "privileged --privileged", "allowprivilegeescalation allowprivilegeescalation:true", "runasnonroot runasnonroot:false", "runasuser runasuser:0",
				"seccomp seccomp=unconfined", "seccomp seccomp:unconfined", "unconfined type:unconfined", "nodeintegration nodeintegration:true", "contextisolation contextisolation:false", "websecurity websecurity:false", "web disable-web-security", "hostnetwork hostnetwork:true", "hostpid hostpid:true"),
		},
		{
			what:    "a search for secrets or faults is turned off",
			said:    []string{"secret", "secrets", "scan", "scanning", "gitleaks", "trufflehog", "codeql", "security", "audit", "bandit", "gosec"},
			setup:   true,
			on:      forms("secret_scanning secret_scanning:disabled", "secret_scanning secret_scanning:false", "no-verify --no-verify"),
			removed: forms("gitleaks gitleaks", "trufflehog trufflehog", "detect detect-secrets", "codeql codeql-action/analyze", "gosec gosec", "audit npmaudit", "audit cargoaudit", "govulncheck govulncheck"),
		},
	}
})

// unprotected is one protection that a change turns off.
type unprotected struct {
	at         change.At
	protection *protection
}

// loosenedSettings finds the protections that are turned off, at most one place for
// each. Lines that only moved, comments, documents, tests and examples do not count.
func (x *judging) loosenedSettings() []unprotected {
	var out []unprotected
	all := protections()
	for i := range all {
		p := &all[i]
		for _, side := range [...]struct {
			list []switchOff
			op   byte
		}{{p.on, '+'}, {p.removed, '-'}} {
			if at, ok := x.switchedOff(side.list, side.op, p.setup); ok {
				out = append(out, unprotected{at, p})
				break
			}
		}
	}
	return out
}

// switched finds the first line of side op that has one of the forms, where the
// change has more such lines on this side than on the other.
func (x *judging) switchedOff(list []switchOff, op byte, setup bool) (change.At, bool) {
	var live []switchOff
	for _, s := range list {
		key := s.key
		if i := strings.LastIndexByte(key, '-'); i >= 0 {
			key = key[i+1:]
		}
		n := x.f.Folded(key)
		if op == '+' && n.Added > 0 || op == '-' && n.Removed > 0 {
			live = append(live, s)
		}
	}
	if len(live) == 0 {
		return change.At{}, false
	}
	net := 0
	var found change.At
	for i := range x.f.Change.Files {
		f := &x.f.Change.Files[i]
		switch f.Kind {
		case lang.Config, lang.CI, lang.Build, lang.Other:
		case lang.Source, lang.Template:
			if setup {
				continue
			}
		default:
			continue
		}
		for h := range f.Hunks {
			for k := range f.Hunks[h].Lines {
				l := &f.Hunks[h].Lines[k]
				if l.Op == ' ' || l.Class != lang.Code || len(l.Text) > 500 || !hasForm(l.Text, live) {
					continue
				}
				if l.Op != op {
					net--
					continue
				}
				net++
				if found.Line == nil {
					found = change.At{File: i, Line: l}
				}
			}
		}
	}
	return found, net > 0
}

func hasForm(text string, list []switchOff) bool {
	low := strings.ToLower(string(packSpace(text)))
	for _, s := range list {
		i := strings.Index(low, s.form)
		if i < 0 {
			continue
		}
		if i > 0 && wordByte(low[i-1]) && wordByte(s.form[0]) {
			continue // "noverify=false"
		}
		if j := i + len(s.form); j < len(low) && wordByte(low[j]) && wordByte(s.form[len(s.form)-1]) {
			continue // "runAsUser: 01000"
		}
		return true
	}
	return false
}

// workflowGrants finds what a workflow is newly allowed: a write permission, all
// secrets, or to run for pull requests of strangers with the rights of the base.
func workflowGrants(f *change.File) (*change.Line, string) {
	net := map[string]int{}
	first := map[string]*change.Line{}
	for h := range f.Hunks {
		for k := range f.Hunks[h].Lines {
			l := &f.Hunks[h].Lines[k]
			if l.Op == ' ' || l.Class != lang.Code {
				continue
			}
			g := grant(l.Text)
			if g == "" {
				continue
			}
			if l.Op == '-' {
				net[g]--
				continue
			}
			net[g]++
			if first[g] == nil {
				first[g] = l
			}
		}
	}
	best := ""
	for g, n := range net {
		if n > 0 && (best == "" || first[g].New < first[best].New) {
			best = g
		}
	}
	return first[best], best
}

// grant is what a line of a workflow allows, "" for nothing.
func grant(text string) string {
	s := strings.ToLower(strings.TrimSpace(strings.TrimLeft(strings.TrimSpace(text), "-")))
	s, _, _ = strings.Cut(s, " #")
	s = strings.TrimSpace(s)
	switch {
	case s == "permissions: write-all":
		return "writes to everything"
	case s == "secrets: inherit":
		return "hands on all secrets"
	case s == "pull_request_target:", strings.HasPrefix(s, "on:") && strings.Contains(s, "pull_request_target"):
		return "runs for pull requests of strangers with the rights of the base"
	}
	if name, ok := strings.CutSuffix(s, ": write"); ok && workflowScopes()[name] {
		return "may write " + name
	}
	return ""
}

var workflowScopes = words("actions attestations checks contents deployments discussions id-token issues packages pages pull-requests repository-projects security-events statuses")

package secret

import (
	"math"
	"regexp"
	"slices"
	"sort"
	"strings"
	"sync"
)

// Found is one secret of a text.
type Found struct {
	Rule string // id of the rule: "github-token", "private-key", ...
	Line int    // where it began, from 1
}

// Masked is what stands in the place of a secret, behind what names its vendor.
const Masked = "[masked]"

// Mask replaces the secrets of s. found is in order of the text, nil for none;
// s comes back as it is then.
func Mask(s string) (masked string, found []Found) {
	low := ""
	type hit struct {
		start, end int
		rule       string
	}
	var hits []hit
	for i := range rules {
		r := &rules[i]
		if low == "" {
			low = strings.ToLower(s)
		}
		if !slices.ContainsFunc(r.words, func(w string) bool { return strings.Contains(low, w) }) {
			continue
		}
		for _, m := range r.expression().FindAllStringSubmatchIndex(s, -1) {
			start, end := m[2], m[3] // what is to go
			if start < 0 || start == end || r.random && !random(s[start:end]) || strings.Contains(s[start:end], Masked) {
				continue
			}
			hits = append(hits, hit{start, end, r.id})
		}
	}
	if len(hits) == 0 {
		return s, nil
	}
	sort.SliceStable(hits, func(a, b int) bool { return hits[a].start < hits[b].start })
	var b strings.Builder
	at, line, counted := 0, 1, 0
	for _, h := range hits {
		if h.end <= at {
			continue
		}
		start := max(h.start, at)
		line += strings.Count(s[counted:start], "\n")
		counted = start
		found = append(found, Found{h.rule, line})
		b.WriteString(s[at:start])
		if h.start >= at {
			b.WriteString(Masked)
		}
		at = h.end
	}
	b.WriteString(s[at:])
	return b.String(), found
}

// rule is one format. Its expression has one group: what is to be masked.
type rule struct {
	id     string
	words  []string // lower case; one must stand in the text
	source string
	random bool // the group must look like chance, not like words

	once *sync.Once
	re   *regexp.Regexp
}

func (r *rule) expression() *regexp.Regexp {
	r.once.Do(func() { r.re = regexp.MustCompile(r.source) })
	return r.re
}

// rules are in no order that matters: where two overlap the text goes once.
var rules = func() []rule {
	list := []rule{
		{id: "private-key", words: []string{"private key"}, source: `-----BEGIN[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----([A-Za-z0-9+/=\s:,\\.-]{16,}?)(?:-----END|\z)`},
		{id: "github-token", words: []string{"ghp_", "gho_", "ghu_", "ghs_", "ghr_"}, source: `\bgh[pousr]_([A-Za-z0-9]{30,})`},
		{id: "github-fine-grained", words: []string{"github_pat_"}, source: `\bgithub_pat_([A-Za-z0-9_]{40,})`},
		{id: "gitlab-token", words: []string{"glpat-", "gldt-", "glrt-", "glcbt-", "glptt-"}, source: `\bgl(?:pat|dt|rt|cbt|ptt)-([A-Za-z0-9_-]{20,})`},
		{id: "aws-access-key", words: []string{"akia", "asia", "abia", "acca"}, source: `\b(?:AKIA|ASIA|ABIA|ACCA)([A-Z2-7]{16})\b`},
		{id: "aws-secret-key", words: []string{"aws"}, source: `(?i)aws.{0,24}?(?:secret|key).{0,24}?[:=]\s*["']?([A-Za-z0-9/+=]{40})(?:["'\s]|$)`, random: true},
		{id: "google-api-key", words: []string{"aiza"}, source: `\bAIza([A-Za-z0-9_-]{35})`},
		{id: "google-oauth", words: []string{"ya29.", "gocspx-"}, source: `\b(?:ya29\.|GOCSPX-)([A-Za-z0-9_-]{20,})`},
		{id: "slack-token", words: []string{"xox", "xapp-"}, source: `\b(?:xox[abeoprs]|xapp)-([A-Za-z0-9-]{10,})`},
		{id: "slack-webhook", words: []string{"hooks.slack.com"}, source: `hooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9/_+-]{20,})`},
		{id: "discord-webhook", words: []string{"discord"}, source: `discord(?:app)?\.com/api/webhooks/([0-9]+/[A-Za-z0-9_-]{30,})`},
		{id: "stripe-key", words: []string{"sk_live_", "sk_test_", "rk_live_", "rk_test_", "whsec_"}, source: `\b(?:[sr]k_(?:live|test)|whsec)_([A-Za-z0-9]{16,})`},
		{id: "api-key-sk", words: []string{"sk-"}, source: `\bsk-(?:ant-|proj-|svcacct-|or-|admin-)?((?:[A-Za-z0-9]+[_-])*[A-Za-z0-9_-]{20,})`, random: true},
		{id: "npm-token", words: []string{"npm_"}, source: `\bnpm_([A-Za-z0-9]{36})`},
		{id: "pypi-token", words: []string{"pypi-"}, source: `\bpypi-(AgE[A-Za-z0-9_-]{40,})`},
		{id: "rubygems-key", words: []string{"rubygems_"}, source: `\brubygems_([a-f0-9]{48})`},
		{id: "docker-token", words: []string{"dckr_"}, source: `\bdckr_[ps]at_([A-Za-z0-9_-]{20,})`},
		{id: "hugging-face-token", words: []string{"hf_"}, source: `\bhf_([A-Za-z]{30,})`, random: true},
		{id: "digitalocean-token", words: []string{"dop_v1_", "doo_v1_", "dor_v1_"}, source: `\bdo[opr]_v1_([a-f0-9]{64})`},
		{id: "sendgrid-key", words: []string{"sg."}, source: `\bSG\.([A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,})`},
		{id: "telegram-token", words: []string{":aa"}, source: `\b[0-9]{8,10}:(AA[A-Za-z0-9_-]{33})`},
		{id: "azure-storage", words: []string{"accountkey"}, source: `(?i)AccountKey=([A-Za-z0-9+/=]{40,})`},
		{id: "vault-token", words: []string{"hvs.", "hvb."}, source: `\bhv[bs]\.([A-Za-z0-9_-]{24,})`},
		{id: "age-key", words: []string{"age-secret-key-1"}, source: `AGE-SECRET-KEY-1([A-Z0-9]{50,})`},
		{id: "linear-key", words: []string{"lin_api_"}, source: `\blin_api_([A-Za-z0-9]{32,})`},
		{id: "jwt", words: []string{"eyj"}, source: `\beyJ([A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,})`},
		{id: "address-password", words: []string{"://"}, source: `[a-z][a-z0-9+.-]*://[^\s:/@"'<>]*:([^\s/@"'<>]{3,})@[A-Za-z0-9\[]`},
		{id: "authorization", words: []string{"bearer ", "basic "}, source: `(?i)\b(?:bearer|basic)\s+([A-Za-z0-9._~+/=-]{20,})`, random: true},
		{id: "assignment", words: []string{"secret", "token", "passw", "pwd", "api_key", "apikey", "api-key", "access_key", "private_key", "credential"},
			source: `(?i)(?:secret|token|passw(?:or)?d|pwd|api[_-]?key|access[_-]?key|private[_-]?key|credentials?)[A-Za-z0-9_-]{0,20}["'\]]{0,2}\s*(?::=|=>|[:=])\s*["'` + "`" + `]?([A-Za-z0-9_+/=.~!@#$%^&*-]{16,})`, random: true},
	}
	for i := range list {
		list[i].once = new(sync.Once)
	}
	return list
}()

// random says whether a string looks made by chance: digits and letters mixed,
// and at least three bits of Shannon entropy a character. Names of variables,
// paths and words stay below.
func random(s string) bool {
	var counts [256]int
	digits, letters := 0, 0
	for i := range len(s) {
		counts[s[i]]++
		switch c := s[i]; {
		case '0' <= c && c <= '9':
			digits++
		case 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z':
			letters++
		}
	}
	bits := 0.0
	for _, n := range counts {
		if n > 0 {
			p := float64(n) / float64(len(s))
			bits -= p * math.Log2(p)
		}
	}
	mixed := strings.ToLower(s) != s && strings.ToUpper(s) != s && len(s) >= 30
	return bits >= 3 && letters > 0 && (digits >= 2 || mixed)
}

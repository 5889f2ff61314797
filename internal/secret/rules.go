package secret

import (
	"regexp"
	"sync"
)

// rule is one shape of a credential.
type rule struct {
	id       string
	keywords []string // fixed strings; the expression is tried where one of them begins
	fold     bool     // keywords are lower case and stand for any case
	word     bool     // the keyword begins a word: no letter, digit or _ stands before it
	expr     string   // anchored at the keyword; its last group, if any, is what is masked
	accept   func(value string) bool

	compiled func() *regexp.Regexp
}

// end keeps a token from being cut out of a longer word.
const end = `(?:[^0-9A-Za-z_]|\z)`

// rules gives the table, in the order in which they are tried at one place.
var rules = sync.OnceValue(func() []rule { return prepare(table()) })

func table() []rule {
	return []rule{
		{id: "aws-access-key", keywords: []string{"AKIA", "ASIA", "ABIA", "ACCA"}, word: true, expr: `([A-Z]{4}[A-Z2-7]{16})` + end},
		{id: "github-token", keywords: []string{"ghp_", "gho_", "ghu_", "ghs_", "ghr_"}, word: true, expr: `gh[pousr]_[0-9A-Za-z]{36,}`},
		{id: "github-token", keywords: []string{"github_pat_"}, word: true, expr: `github_pat_\w{22,}`},
		{id: "gitlab-token", keywords: []string{"glpat-", "gldt-", "glrt-", "glcbt-", "glptt-", "glsoat-", "glft-", "glagent-"}, word: true, expr: `gl[a-z]{2,5}-[\w.-]{20,}`},
		{id: "slack-token", keywords: []string{"xoxa-", "xoxb-", "xoxe-", "xoxe.", "xoxo-", "xoxp-", "xoxr-", "xoxs-", "xapp-"}, word: true, expr: `x(?:ox[a-z]|app)[-.][\w.-]{10,}`, accept: hasDigit},
		{id: "slack-webhook", keywords: []string{"hooks.slack.com/"}, expr: `hooks\.slack\.com/(?:services|workflows|triggers)/([\w+/-]{20,})`},
		{id: "discord-webhook", keywords: []string{"discord.com/api/webhooks/", "discordapp.com/api/webhooks/"}, expr: `discord(?:app)?\.com/api/webhooks/(\d{17,20}/[\w-]{40,100})`},
		{id: "anthropic-key", keywords: []string{"sk-ant-"}, word: true, expr: `sk-ant-[\w-]{20,}`},
		{id: "openai-key", keywords: []string{"sk-"}, word: true, expr: `sk-(?:proj-|svcacct-|admin-|or-v1-)?[0-9A-Za-z_-]{20,}`, accept: dense},
		{id: "stripe-key", keywords: []string{"sk_live_", "sk_test_", "rk_live_", "rk_test_", "whsec_"}, word: true, expr: `(?:[rs]k_(?:live|test)|whsec)_[0-9A-Za-z+/=]{10,}`},
		{id: "google-key", keywords: []string{"AIza"}, word: true, expr: `(AIza[\w-]{35})(?:[^\w-]|\z)`},
		{id: "google-oauth", keywords: []string{"ya29.", "GOCSPX-"}, word: true, expr: `(?:ya29\.|GOCSPX-)[\w-]{20,}`},
		{id: "npm-token", keywords: []string{"npm_"}, word: true, expr: `(npm_[0-9A-Za-z]{36})` + end},
		{id: "pypi-token", keywords: []string{"pypi-AgE"}, word: true, expr: `pypi-AgE[\w-]{50,1000}`},
		{id: "rubygems-key", keywords: []string{"rubygems_"}, word: true, expr: `(rubygems_[0-9a-f]{48})` + end},
		{id: "docker-token", keywords: []string{"dckr_pat_", "dckr_oat_"}, word: true, expr: `dckr_[po]at_[\w-]{20,64}`},
		{id: "sendgrid-key", keywords: []string{"SG."}, word: true, expr: `SG\.[\w-]{16,32}\.[\w-]{32,64}`},
		{id: "twilio-key", keywords: []string{"SK"}, word: true, expr: `(SK[0-9a-f]{32})` + end},
		{id: "digitalocean-token", keywords: []string{"dop_v1_", "doo_v1_", "dor_v1_"}, word: true, expr: `do[por]_v1_[0-9a-f]{64}`},
		{id: "huggingface-token", keywords: []string{"hf_"}, word: true, expr: `(hf_[0-9A-Za-z]{34,40})` + end},
		{id: "databricks-token", keywords: []string{"dapi"}, word: true, expr: `(dapi[0-9a-f]{32}(?:-\d)?)` + end},
		{id: "shopify-token", keywords: []string{"shpat_", "shpca_", "shppa_", "shpss_"}, word: true, expr: `shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}`},
		{id: "vault-token", keywords: []string{"hvs.", "hvb.", "hvr."}, word: true, expr: `hv[sbr]\.[\w-]{24,300}`},
		{id: "grafana-token", keywords: []string{"glsa_", "glc_"}, word: true, expr: `gl(?:sa|c)_[0-9A-Za-z+/=_]{32,400}`},
		{id: "linear-key", keywords: []string{"lin_api_", "lin_oauth_"}, word: true, expr: `lin_(?:api|oauth)_[0-9A-Za-z]{32,64}`},
		{id: "newrelic-key", keywords: []string{"NRAK-", "NRJS-"}, word: true, expr: `NR(?:AK|JS)-[0-9A-Za-z]{19,32}`},
		{id: "sentry-token", keywords: []string{"sntrys_", "sntryu_"}, word: true, expr: `sntry[su]_[0-9A-Za-z+/=_]{40,400}`},
		{id: "postman-key", keywords: []string{"PMAK-"}, word: true, expr: `PMAK-[0-9a-f]{24}-[0-9a-f]{34}`},
		{id: "telegram-token", keywords: []string{":AA"}, expr: `(:AA[\w-]{33})(?:[^\w-]|\z)`, accept: hasDigit},
		{id: "age-key", keywords: []string{"AGE-SECRET-KEY-1"}, word: true, expr: `AGE-SECRET-KEY-1[0-9A-Z]{58}`},
		{id: "azure-key", keywords: []string{"accountkey=", "sharedaccesskey="}, fold: true, expr: `(?i)[a-z]+=([0-9A-Za-z+/=]{40,100})`},
		{id: "jwt", keywords: []string{"eyJ"}, word: true, expr: `eyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{10,}`},
		{id: "url-password", keywords: []string{"://"}, expr: `://[^\s/:@"'<>` + "`" + `]{0,128}:([^\s/@"'<>` + "`" + `]{3,256})@`, accept: literal},
		{id: "bearer", keywords: []string{"bearer "}, fold: true, word: true, expr: `(?i)bearer {1,4}([\w.~+/=-]{20,})`, accept: dense},
		{id: "basic-auth", keywords: []string{"authorization"}, fold: true, expr: `(?i)authorization["']?\s{0,3}[:=]\s{0,3}["']?basic {1,4}([0-9A-Za-z+/=]{8,1000})`, accept: literal},
		{id: "assigned-password", keywords: []string{"passw", "pwd", "passphrase"}, fold: true, expr: `(?i)\w{1,24}\\?["'` + "`" + `]?\s{0,3}(?::=|=>|[:=])\s{0,3}\\?["'` + "`" + `]([^\s"'\\` + "`" + `]{8,256})\\?["'` + "`" + `]`, accept: mixed},
		{id: "assigned-secret", keywords: []string{
			"api_key", "api-key", "apikey", "access_key", "access-key", "accesskey", "private_key", "private-key", "privatekey",
			"secret", "token", "passw", "pwd", "passphrase", "credential",
		}, fold: true, expr: `(?i)[\w-]{3,40}\\?["'` + "`" + `]?\s{0,3}(?::=|=>|[:=])\s{0,3}\\?["'` + "`" + `]?([\w.~+/=-]{16,256})`, accept: dense},
	}
}

func prepare(table []rule) []rule {
	for i := range table {
		expr := `\A(?:` + table[i].expr + `)`
		table[i].compiled = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
	}
	return table
}

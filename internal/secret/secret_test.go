package secret

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// draw makes a value that no issuer gave out, in pieces, so that no scanner takes
// this file for a leak.
func draw(prefix string, alphabet string, n int) string {
	var b strings.Builder
	b.WriteString(prefix)
	for i := range n {
		b.WriteByte(alphabet[(i*7+i/3+3)%len(alphabet)])
	}
	return b.String()
}

const (
	alnum = "aB3dE5fG7hJ9kL1mN0pQ2rS4tU6vW8xY"
	hex   = "0a1b2c3d4e5f6789"
	upper = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
)

// samples has one credential for every rule.
var samples = map[string][]string{
	"aws-access-key":     {draw("AKIA", upper, 16), draw("ASIA", upper, 16)},
	"github-token":       {draw("gh"+"p_", alnum, 36), draw("github"+"_pat_", alnum, 82), draw("gh"+"s_", alnum, 36)},
	"gitlab-token":       {draw("glpat"+"-", alnum, 20), draw("glrt"+"-", alnum, 20)},
	"slack-token":        {draw("xox"+"b-", "0123456789", 12) + draw("-", alnum, 24)},
	"slack-webhook":      {draw("T0", upper, 8) + "/" + draw("B0", upper, 8) + "/" + draw("", alnum, 24)},
	"discord-webhook":    {draw("", "123456789", 18) + "/" + draw("", alnum, 68)},
	"anthropic-key":      {draw("sk"+"-ant-api03-", alnum, 93)},
	"openai-key":         {draw("sk"+"-proj-", alnum, 48), draw("sk"+"-", alnum, 48)},
	"stripe-key":         {draw("sk"+"_live_", alnum, 24), draw("rk"+"_test_", alnum, 24)},
	"google-key":         {draw("AI"+"za", alnum, 35)},
	"google-oauth":       {draw("ya"+"29.", alnum, 60), draw("GOC"+"SPX-", alnum, 28)},
	"npm-token":          {draw("np"+"m_", alnum, 36)},
	"pypi-token":         {draw("pypi"+"-AgEIcHlwaS5vcmc", alnum, 120)},
	"rubygems-key":       {draw("rubygems"+"_", hex, 48)},
	"docker-token":       {draw("dckr"+"_pat_", alnum, 27)},
	"sendgrid-key":       {draw("SG"+".", alnum, 22) + draw(".", alnum, 43)},
	"twilio-key":         {draw("S"+"K", hex, 32)},
	"digitalocean-token": {draw("dop"+"_v1_", hex, 64)},
	"huggingface-token":  {draw("hf"+"_", alnum, 34)},
	"databricks-token":   {draw("da"+"pi", hex, 32)},
	"shopify-token":      {draw("shp"+"at_", hex, 32)},
	"vault-token":        {draw("hv"+"s.", alnum, 90)},
	"grafana-token":      {draw("gl"+"sa_", alnum, 32) + "_1a2b3c4d"},
	"linear-key":         {draw("lin"+"_api_", alnum, 40)},
	"newrelic-key":       {draw("NR"+"AK-", upper, 27)},
	"sentry-token":       {draw("sntr"+"ys_", alnum, 80)},
	"postman-key":        {draw("PM"+"AK-", hex, 24) + draw("-", hex, 34)},
	"telegram-token":     {draw(":A"+"A", alnum, 33)},
	"age-key":            {draw("AGE-SECRET"+"-KEY-1", upper, 58)},
	"azure-key":          {draw("", alnum, 86) + "=="},
	"jwt":                {draw("ey"+"J", alnum, 30) + draw(".ey"+"J", alnum, 60) + draw(".", alnum, 43)},
	"url-password":       {"s3cr" + "et"},
	"bearer":             {draw("", alnum, 32)},
	"basic-auth":         {draw("", alnum, 22) + "=="},
	"assigned-password":  {"hunt" + "er2hunter"},
	"assigned-secret":    {draw("", alnum, 32)},
	"private-key":        {"-----BEGIN RSA PRIVATE" + " KEY-----\nMIIEowIBAAKCAQEA1\nabc+/=\n-----END RSA PRIVATE" + " KEY-----"},
}

// around puts a value where its rule expects it.
func around(id, value string) (before, after string) {
	switch id {
	case "slack-webhook":
		return "POST https://hooks.slack.com/services/", " works"
	case "discord-webhook":
		return "https://discord.com/api/webhooks/", ""
	case "azure-key":
		return "AccountName=x;AccountKey=", ";EndpointSuffix=core"
	case "telegram-token":
		return "bot 12345678", " "
	case "url-password":
		return "clone https://user:", "@host.example/x.git"
	case "bearer":
		return "Authorization: Bearer ", "\n"
	case "basic-auth":
		return `"Authorization": "Basic `, `"`
	case "assigned-password":
		return `db_password = "`, `"`
	case "assigned-secret":
		return "export SERVICE_API_KEY=", "\nnext"
	}
	return "use " + "`", "` here"
}

func TestEveryRuleMasksItsCredential(t *testing.T) {
	ids := map[string]bool{"private-key": true}
	for _, r := range rules() {
		ids[r.id] = true
	}
	for id := range ids {
		if len(samples[id]) == 0 {
			t.Errorf("rule %s has no sample", id)
		}
		for _, value := range samples[id] {
			before, after := around(id, value)
			got, n := Mask("Text.\n" + before + value + after)
			want := "Text.\n" + before + "[masked:" + id + "]" + after
			if got != want || n != 1 {
				t.Errorf("%s: got %q (%d), want %q", id, got, n, want)
			}
		}
	}
	for id := range samples {
		if !ids[id] {
			t.Errorf("sample %s belongs to no rule", id)
		}
	}
}

func TestMaskLeavesOrdinaryTextAlone(t *testing.T) {
	for _, text := range []string{
		"",
		"Add a token bucket and read the secret from the keyring",
		"token := strings.TrimPrefix(header, prefix)",
		"password: ${DB_PASSWORD}",
		`password = os.environ["DB_PASSWORD_2"]`,
		"secret: internal/secret/find_test2.go",
		"api_key: your-api-key-goes-here-123",
		"token: REDACTED",
		"token = xxxxxxxxxxxxxxxxxxxxxxxx",
		"commit 9fceb02d0ae598e95dc970b74767f19372d61af8",
		"see https://host.example:8080/path@v2",
		"task-based sk-learn desk-top risk-free",
		"-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
		"a file that starts with -----BEGIN PRIVATE KEY----- is refused",
		"npm_config_registry and hf_transfer and SG.Widget",
		"Bearer authentication is used; bearer tokens-are-not-numbers",
		"credentials-helper: osxkeychain",
		"ghp_short",
	} {
		if got, n := Mask(text); got != text || n != 0 {
			t.Errorf("%q became %q (%d)", text, got, n)
		}
	}
}

func TestMask(t *testing.T) {
	gh := samples["github-token"][0]
	for _, tt := range []struct{ name, text, want string }{
		{"several on one line", "a " + gh + " b " + gh, "a [masked:github-token] b [masked:github-token]"},
		{"a token in an address", "https://x:" + gh + "@host.example/a", "https://x:[masked:github-token]@host.example/a"},
		{"a token that is assigned is named by its own rule or the assignment's, and wholly gone", "TOKEN=" + gh, "TOKEN=[masked:github-token]"},
		{"JSON with escapes", `{\"apiKey\":\"` + samples["bearer"][0] + `\"}`, `{\"apiKey\":\"[masked:assigned-secret]\"}`},
		{"a key that was cut off", "-----BEGIN PRIVATE" + " KEY-----\nMIIEvQIBADANBgkqhkiG9w0\nBAQEFAASC", "[masked:private-key]"},
		{"a key with written line ends", `"-----BEGIN PRIVATE` + ` KEY-----\nMIIEvQIBADANBgkq\n-----END PRIVATE` + ` KEY-----\n"`, `"[masked:private-key]\n"`},
		{"a token over the window is masked to its end", "Bearer " + draw("", alnum, 40000) + " end", "Bearer [masked:bearer] end"},
	} {
		if got, _ := Mask(tt.text); got != tt.want {
			t.Errorf("%s: got %.200q, want %q", tt.name, got, tt.want)
		}
	}
	if n := Marked("[masked:jwt] and [masked:bearer]"); n != 2 {
		t.Errorf("Marked = %d", n)
	}
}

// lawful holds the laws of the package's documentation on one text.
func lawful(t interface{ Fatalf(string, ...any) }, text string) {
	found := Find(text)
	at := 0
	for _, f := range found {
		if f.Start < at || f.End <= f.Start || f.End > len(text) || f.Rule == "" {
			t.Fatalf("findings out of order or bounds: %v in %d bytes", found, len(text))
		}
		at = f.End
	}
	once, n := Mask(text)
	if n < len(found) || n > Marked(once) {
		t.Fatalf("masked %d, found %d, marks %d", n, len(found), Marked(once))
	}
	if twice, _ := Mask(once); twice != once {
		t.Fatalf("masking twice differs: %q, then %q", once, twice)
	}
}

func TestMaskIsIdempotent(t *testing.T) {
	var pieces []string
	for _, values := range samples {
		pieces = append(pieces, values...)
	}
	for _, r := range rules() {
		pieces = append(pieces, r.keywords...)
	}
	pieces = append(pieces, " ", "\n", "=", ": ", `"`, "'", "@", "x", "[masked:jwt]", "-----BEGIN PRIVATE"+" KEY-----")
	rapid.Check(t, func(t *rapid.T) {
		lawful(t, strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 12).Draw(t, "pieces"), ""))
	})
}

func FuzzMask(f *testing.F) {
	for id, values := range samples {
		before, after := around(id, values[0])
		f.Add(before + values[0] + after)
	}
	f.Add("password=\"[masked:jwt]1a\" \xff\x00")
	f.Fuzz(func(t *testing.T, text string) { lawful(t, text) })
}

func BenchmarkMask(b *testing.B) {
	text := strings.Repeat("The token bucket reads its key from the config and returns a secret name.\n", 1000)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		Mask(text)
	}
}

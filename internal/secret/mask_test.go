package secret

import (
	"strings"
	"testing"
)

// chance is text that looks made by chance, put together so that no scanner
// takes this file for a leak.
const chance = "q7Rk2VxZ9mTb4Yw8" + "Hc3Ld6Nf1Jg5Ps0A" + "u7Eo2Wi9Xr4Kt8Bz3Cv6Dy1Fh5Mj0"

var secrets = map[string]string{
	"github-token":        "gh" + "p_" + chance[:36],
	"github-fine-grained": "github" + "_pat_" + chance[:59],
	"gitlab-token":        "gl" + "pat-" + chance[:20],
	"aws-access-key":      "AK" + "IA" + "QRSTUVWXYZ234567",
	"aws-secret-key":      "aws_secret_access" + "_key = " + chance[:40],
	"google-api-key":      "AI" + "za" + chance[:35],
	"google-oauth":        "GOC" + "SPX-" + chance[:28],
	"slack-token":         "xo" + "xb-123456789012-" + chance[:24],
	"slack-webhook":       "https://hooks.slack" + ".com/services/T0000/B0000/" + chance[:24],
	"discord-webhook":     "https://discord" + ".com/api/webhooks/1234567890/" + chance[:40],
	"stripe-key":          "sk_" + "live_" + chance[:24],
	"api-key-sk":          "sk" + "-proj-" + chance[:40],
	"npm-token":           "np" + "m_" + chance[:36],
	"pypi-token":          "py" + "pi-AgE" + chance[:50],
	"rubygems-key":        "ruby" + "gems_" + strings.Repeat("0a1b2c", 8),
	"docker-token":        "dc" + "kr_pat_" + chance[:27],
	"digitalocean-token":  "do" + "p_v1_" + strings.Repeat("0a1b2c3d", 8),
	"sendgrid-key":        "S" + "G." + chance[:22] + "." + chance[10:50],
	"telegram-token":      "123456789" + ":AA" + chance[:33],
	"azure-storage":       "Account" + "Key=" + chance[:44] + "==",
	"vault-token":         "hv" + "s." + chance[:30],
	"age-key":             "AGE-SECRET" + "-KEY-1" + strings.ToUpper(chance[:58]),
	"linear-key":          "lin" + "_api_" + chance[:40],
	"jwt":                 "ey" + "J" + chance[:20] + ".eyJ" + chance[:20] + "." + chance[:30],
	"address-password":    "https://somebody:" + "hunter22" + "@example.org/x",
	"authorization":       "Authorization: Bea" + "rer " + chance[:30],
	"assignment":          "db_pass" + "word: '" + chance[:20] + "'",
	"private-key":         "-----BEGIN RSA PRIV" + "ATE KEY-----\n" + chance + "\n" + chance + "\n-----END RSA PRIV" + "ATE KEY-----",
	"hugging-face-token":  "h" + "f_" + "QwErTyUiOpAsDfGhJkLzXcVbNmQaWsEdRf",
}

func TestEachRuleMasksWhatItIsFor(t *testing.T) {
	for _, r := range rules {
		s, ok := secrets[r.id]
		if !ok {
			t.Errorf("no secret for rule %s", r.id)
			continue
		}
		masked, found := Mask("line one\nset " + s + " here")
		if len(found) == 0 || found[0].Line != 2 {
			t.Errorf("%s: found %+v in %q", r.id, found, masked)
			continue
		}
		if !strings.Contains(masked, Masked) || !strings.HasPrefix(masked, "line one\nset ") {
			t.Errorf("%s: %q", r.id, masked)
		}
		for i := 0; i+20 <= len(chance); i++ {
			if strings.Contains(masked, chance[i:i+20]) {
				t.Errorf("%s: %q is left of it", r.id, chance[i:i+20])
				break
			}
		}
	}
}

func TestOrdinaryTextIsLeftAlone(t *testing.T) {
	for _, s := range []string{
		"", "Use integers for prices.", "The token is read from the environment.",
		"token: the word that names the session", "password = os.environ['DB_PASSWORD_PRODUCTION']",
		"secret_name: production-database-credentials", "api_key=YOUR_API_KEY_GOES_HERE",
		"commit 9d80c9cb7b4d840213984020e42dcb3255fb1c02", "see https://example.org:8080/a@b",
		"sk-learn is a library; sk-something-that-is-just-words-here", "Basic authentication is on",
		"hf_hub_download_with_retry", "tokenizer: internal/text/tokens.go", "git@example.org:owner/name.git",
		"sha256:3f9a2c1b3f9a2c1b3f9a2c1b3f9a2c1b3f9a2c1b3f9a2c1b3f9a2c1b3f9a2c1b",
	} {
		if masked, found := Mask(s); masked != s || found != nil {
			t.Errorf("%q became %q %+v", s, masked, found)
		}
	}
}

func FuzzMask(f *testing.F) {
	for _, s := range secrets {
		f.Add(s)
		f.Add("password=" + s + s)
	}
	f.Add("-----BEGIN PRIVATE KEY-----\n\xff\x00")
	f.Fuzz(func(t *testing.T, s string) {
		masked, found := Mask(s)
		if (len(found) == 0) != (masked == s) {
			t.Fatalf("found %d, and %q became %q", len(found), s, masked)
		}
		for i, h := range found {
			if h.Line < 1 || i > 0 && h.Line < found[i-1].Line {
				t.Fatalf("lines of %+v", found)
			}
		}
	})
}

func BenchmarkMask(b *testing.B) {
	s := strings.Repeat("Prices are kept as integers of cents; the token ring is unrelated.\n", 100)
	b.SetBytes(int64(len(s)))
	for b.Loop() {
		Mask(s)
	}
}

package memory

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

const maxSlug = 60

// slug is a title as a part of an id: lower-case letters and digits of ASCII,
// accents taken off (Unicode compatibility decomposition), one hyphen for all
// else, at most 60 bytes, no hyphen at either end; "note" where nothing is left.
func slug(title string) string {
	var b strings.Builder
	for _, r := range norm.NFKD.String(title) {
		if b.Len() >= maxSlug {
			break
		}
		switch r = unicode.ToLower(r); {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			b.WriteRune(r)
		case unicode.Is(unicode.Mn, r):
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	if s := strings.Trim(b.String(), "-"); s != "" {
		return s
	}
	return "note"
}

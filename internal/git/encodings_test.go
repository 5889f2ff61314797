package git

import "testing"

func TestDecodeReadsTheNamesThatIconvKnows(t *testing.T) {
	for _, c := range []struct{ name, raw, want string }{
		{"", "gr\xc3\xbcn", "grün"},
		{"UTF-8", "gr\xc3\xbcn", "grün"},
		{"utf8", "gr\xfcn", "gr\uFFFDn"},
		{"ISO-8859-1", "gr\xfcn", "grün"},
		{"latin1", "gr\xfcn", "grün"},
		{"ISO8859-1", "gr\xfcn", "grün"},
		{" Latin-1 ", "gr\xfcn", "grün"},
		{"ISO-8859-15", "\xa4", "€"},
		{"iso-8859-2", "\xb1", "ą"},
		{"CP1252", "\x80", "€"},
		{"windows-1251", "\xcf\xf0", "Пр"},
		{"cp1251", "\xcf\xf0", "Пр"},
		{"KOI8-R", "\xf0\xd2", "Пр"},
		{"eucJP", "\xc6\xfc", "日"},
		{"Shift_JIS", "\x93\xfa", "日"},
		{"SJIS", "\x93\xfa", "日"},
		{"ISO-2022-JP", "\x1b$BF|\x1b(B", "日"},
		{"EUC-KR", "\xc7\xd1", "한"},
		{"GBK", "\xc8\xd5", "日"},
		{"GB2312", "\xc8\xd5", "日"},
		{"GB18030", "\xc8\xd5", "日"},
		{"Big5", "\xa4\xe9", "日"},
		{"UTF-16LE", "a\x00\xe5\x65", "a日"},
		{"no-such-encoding", "gr\xfcn", "gr\uFFFDn"},
		{"\x00\x1b[31m", "plain", "plain"},
	} {
		if got := Decode([]byte(c.raw), c.name); got != c.want {
			t.Errorf("Decode(%q, %q) = %q, want %q", c.raw, c.name, got, c.want)
		}
	}
}

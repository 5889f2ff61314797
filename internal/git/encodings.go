package git

import (
	"strings"
	"sync"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
	"golang.org/x/text/encoding/unicode"
)

// encodings are the decoders by name, letters and digits alone: commits name an
// encoding as iconv spells it ("ISO-8859-1", "latin1", "CP1251", "eucJP"). The
// library's own index of names costs every start of the program more than all
// that a hook does with encodings, which is mostly nothing.
var encodings = sync.OnceValue(func() map[string]encoding.Encoding {
	m := map[string]encoding.Encoding{}
	for _, e := range []struct {
		names string
		enc   encoding.Encoding
	}{
		// Browsers read Latin-1 as Windows-1252; a commit means what it says.
		{"iso88591 latin1 l1 cp819 ibm819 88591", charmap.ISO8859_1},
		{"iso88592 latin2 l2", charmap.ISO8859_2},
		{"iso88593 latin3 l3", charmap.ISO8859_3},
		{"iso88594 latin4 l4", charmap.ISO8859_4},
		{"iso88595 cyrillic", charmap.ISO8859_5},
		{"iso88596 arabic", charmap.ISO8859_6},
		{"iso88597 greek", charmap.ISO8859_7},
		{"iso88598 hebrew", charmap.ISO8859_8},
		{"iso88599 latin5 l5", charmap.ISO8859_9},
		{"iso885910 latin6 l6", charmap.ISO8859_10},
		{"iso885913 latin7 l7", charmap.ISO8859_13},
		{"iso885914 latin8 l8", charmap.ISO8859_14},
		{"iso885915 latin9 l9", charmap.ISO8859_15},
		{"iso885916 latin10 l10", charmap.ISO8859_16},
		{"windows1250 cp1250", charmap.Windows1250},
		{"windows1251 cp1251", charmap.Windows1251},
		{"windows1252 cp1252", charmap.Windows1252},
		{"windows1253 cp1253", charmap.Windows1253},
		{"windows1254 cp1254", charmap.Windows1254},
		{"windows1255 cp1255", charmap.Windows1255},
		{"windows1256 cp1256", charmap.Windows1256},
		{"windows1257 cp1257", charmap.Windows1257},
		{"windows1258 cp1258", charmap.Windows1258},
		{"windows874 cp874 tis620", charmap.Windows874},
		{"ibm437 cp437", charmap.CodePage437},
		{"ibm850 cp850", charmap.CodePage850},
		{"ibm852 cp852", charmap.CodePage852},
		{"ibm855 cp855", charmap.CodePage855},
		{"ibm866 cp866", charmap.CodePage866},
		{"koi8r koi8", charmap.KOI8R},
		{"koi8u", charmap.KOI8U},
		{"macintosh macroman mac", charmap.Macintosh},
		{"eucjp ujis", japanese.EUCJP},
		{"shiftjis sjis cp932 windows31j mskanji", japanese.ShiftJIS},
		{"iso2022jp", japanese.ISO2022JP},
		{"euckr cp949 uhc ksc56011987", korean.EUCKR},
		{"gbk cp936 gb2312 euccn", simplifiedchinese.GBK},
		{"gb18030", simplifiedchinese.GB18030},
		{"hzgb2312 hz", simplifiedchinese.HZGB2312},
		{"big5 big5hkscs cp950", traditionalchinese.Big5},
		{"utf16", unicode.UTF16(unicode.BigEndian, unicode.UseBOM)},
		{"utf16le ucs2le", unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)},
		{"utf16be ucs2be ucs2", unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)},
	} {
		for n := range strings.FieldsSeq(e.names) {
			m[n] = e.enc
		}
	}
	return m
})

// Decode turns bytes in a named encoding ("" is UTF-8) into UTF-8. What cannot
// be decoded becomes U+FFFD; an unknown encoding is read as UTF-8.
func Decode(raw []byte, encoding string) string {
	name := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
			return r
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		}
		return -1
	}, encoding)
	if name != "" && name != "utf8" && name != "ascii" {
		if enc, ok := encodings()[name]; ok {
			if out, err := enc.NewDecoder().Bytes(raw); err == nil {
				return strings.ToValidUTF8(string(out), "\uFFFD")
			}
		}
	}
	return strings.ToValidUTF8(string(raw), "\uFFFD")
}

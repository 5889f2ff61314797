package secret

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// Finding is the place of one credential.
type Finding struct {
	Rule       string // id of the rule, such as "github-token"; part of the mark
	Start, End int    // bytes of the text
}

// Find lists the credentials of a text in the order of their places; they do not
// overlap. Marks of an earlier Mask are not found again.
func Find(text string) []Finding {
	var found []Finding
	folded := ""
	all := rules()
	for i := range all {
		r := &all[i]
		in := text
		if r.fold {
			if folded == "" {
				folded = lower(text)
			}
			in = folded
		}
		for _, keyword := range r.keywords {
			for at := 0; ; {
				n := strings.Index(in[at:], keyword)
				if n < 0 {
					break
				}
				at += n
				if f, ok := r.match(text, at); ok {
					found = append(found, f)
					at = max(at+1, f.End)
				} else {
					at += len(keyword)
				}
			}
		}
	}
	found = append(found, privateKeys(text)...)
	return disjoint(found)
}

// Mask replaces every credential of a text by a mark that names the rule which
// found it, "[masked:github-token]", and counts them. Text without one is
// returned as it is.
func Mask(text string) (masked string, count int) {
	// A mark ends the word that stood before the next credential, so that one
	// more may come to light: until nothing is found. What is not yet marked
	// shrinks in every round.
	for {
		found := Find(text)
		if len(found) == 0 {
			return text, count
		}
		text = replace(text, found)
		count += len(found)
	}
}

// replace puts a mark in the place of every finding.
func replace(text string, found []Finding) string {
	var b strings.Builder
	b.Grow(len(text))
	at := 0
	for _, f := range found {
		b.WriteString(text[at:f.Start])
		b.WriteString(markBegin + f.Rule + "]")
		at = f.End
	}
	b.WriteString(text[at:])
	return b.String()
}

// Marked counts the marks that Mask left in a text.
func Marked(text string) int { return strings.Count(text, markBegin) }

const markBegin = "[masked:"

// reach is how far from its keyword an expression looks. A token that goes on
// behind it is followed to its end.
const reach = 16 << 10

// match tries the rule at a place where one of its keywords begins.
func (r *rule) match(text string, at int) (Finding, bool) {
	if r.word && at > 0 && isWord(text[at-1]) {
		return Finding{}, false
	}
	window := text[at:min(len(text), at+reach)]
	m := r.compiled().FindStringSubmatchIndex(window)
	if m == nil {
		return Finding{}, false
	}
	from, to := m[len(m)-2], m[len(m)-1]
	if at+to < len(text) && to == len(window) {
		for at+to < len(text) && isToken(text[at+to]) {
			to++
		}
	}
	value := text[at+from : at+to]
	if strings.Contains(value, markBegin) || r.accept != nil && !r.accept(value) {
		return Finding{}, false
	}
	return Finding{Rule: r.id, Start: at + from, End: at + to}, true
}

// privateKeys finds PEM private keys, whole or cut off, with real line ends or
// with "\n" written out.
func privateKeys(text string) []Finding {
	var found []Finding
	for at := 0; ; {
		n := strings.Index(text[at:], "-----BEGIN ")
		if n < 0 {
			return found
		}
		start := at + n
		label, _, ok := strings.Cut(text[start+len("-----BEGIN "):min(len(text), start+80)], "-----")
		at = start + len("-----BEGIN ")
		if !ok || !strings.Contains(label, "PRIVATE KEY") || strings.ContainsAny(label, "\r\n") {
			continue
		}
		body := at + len(label) + len("-----")
		foot := "-----END " + label + "-----"
		stop := strings.Index(text[body:], foot)
		if stop >= 0 && !strings.Contains(text[body:body+stop], "-----BEGIN ") {
			at = body + stop + len(foot)
		} else {
			at = bodyEnd(text, body)
		}
		if at-body < 16 && stop < 0 {
			continue // a header that is spoken of
		}
		found = append(found, Finding{Rule: "private-key", Start: start, End: at})
	}
}

// bodyEnd is where the base64 lines of a key without a foot end.
func bodyEnd(text string, at int) int {
	end := at
	for i := at; i < len(text); i++ {
		switch c := text[i]; {
		case isWord(c) || c == '+' || c == '/' || c == '=' || c == '\\':
			end = i + 1
		case c == '\n' || c == '\r':
		default:
			return end
		}
	}
	return end
}

// disjoint sorts findings and keeps, of those that overlap, the union under the
// name of the first: no part of a credential may stay because another rule
// found a part of it.
func disjoint(found []Finding) []Finding {
	slices.SortStableFunc(found, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(b.End, a.End))
	})
	kept := found[:0]
	for _, f := range found {
		if n := len(kept); n > 0 && f.Start < kept[n-1].End {
			kept[n-1].End = max(kept[n-1].End, f.End)
			continue
		}
		kept = append(kept, f)
	}
	return kept
}

// dense says that a value looks drawn rather than written: letters and digits,
// and more entropy than names and paths have. 3.5 bits a byte is the threshold
// that gitleaks uses for its generic rule.
func dense(v string) bool {
	return hasDigit(v) && hasLetter(v) && literal(v) && entropy(v) >= 3.5 && !wordy(v)
}

// mixed says that a value is no plain word and no reference to a variable.
func mixed(v string) bool {
	return hasDigit(v) && hasLetter(v) && literal(v) && !strings.Contains(v, "(")
}

// literal refuses references to variables and marks in the place of a secret.
func literal(v string) bool {
	if strings.Contains(v, "REDACTED") || strings.Contains(v, "...") {
		return false
	}
	return !strings.ContainsAny(v[:1], "$%{<[(*") && !strings.Contains(v, "${") && !strings.Contains(v, "{{") && strings.Trim(v, "xX*") != ""
}

// wordy says that most of a value is words joined by separators, such as a path,
// a host or a long name with a number in it.
func wordy(v string) bool {
	words := 0
	for part := range strings.FieldsFuncSeq(v, func(c rune) bool { return c < 0x80 && !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z') }) {
		if len(part) >= 3 && oneCase(part) {
			words += len(part)
		}
	}
	return words*2 > len(v)
}

// oneCase says that a word is in lower case, in upper case or has one capital in front.
func oneCase(w string) bool {
	rest := w[1:]
	return rest == strings.ToLower(rest) || w == strings.ToUpper(w)
}

// entropy is Shannon's, in bits for each byte of v (C. E. Shannon, A Mathematical
// Theory of Communication, 1948).
func entropy(v string) float64 {
	var count [256]int
	for i := range len(v) {
		count[v[i]]++
	}
	bits := 0.0
	for _, n := range count {
		if n > 0 {
			p := float64(n) / float64(len(v))
			bits -= p * math.Log2(p)
		}
	}
	return bits
}

func hasDigit(v string) bool { return strings.ContainsAny(v, "0123456789") }

func hasLetter(v string) bool {
	return strings.IndexFunc(v, func(c rune) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }) >= 0
}

func isWord(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

func isToken(c byte) bool { return isWord(c) || strings.IndexByte(".~+/=-", c) >= 0 }

// lower folds ASCII only, so that places in the result are places in s.
func lower(s string) string {
	for i := range len(s) {
		if 'A' <= s[i] && s[i] <= 'Z' {
			b := []byte(s)
			for ; i < len(b); i++ {
				if 'A' <= b[i] && b[i] <= 'Z' {
					b[i] += 'a' - 'A'
				}
			}
			return string(b)
		}
	}
	return s
}

package bench

import (
	"strings"
	"unicode/utf8"
)

// draft is a message that a rule made. At and size are bytes of message.
type draft struct {
	message  string
	at, size int
	form     string
	why      string
}

// mutators make the message of a scene false, each in its own way. A mutator
// answers false where it has nothing to work with, or where it cannot be sure
// that the result is false of the diff.
var mutators = []mutator{
	{Operation, mutateOperation, func(m string) bool {
		w := leadVerb().FindStringSubmatch(subject(m))
		return w != nil && polar(w[2])
	}},
	{File, mutateFile, nil},
	{Function, mutateFunction, func(m string) bool { return codeShaped().MatchString(m) }},
	{Component, mutateComponent, nil},
	{Purpose, mutatePurpose, nil},
	{Quantity, mutateQuantity, func(m string) bool { return numberShaped().MatchString(m) }},
	{Scope, mutateScope, nil},
	{Extra, mutateExtra, nil},
}

// mutator is one rule. might, where there is one, says by the message alone
// whether reading the diff is worth it.
type mutator struct {
	rule  Rule
	make  func(*Scene) (draft, bool)
	might func(message string) bool
}

// pair turns a draft into a pair.
func (s *Scene) pair(label Label, rule Rule, d draft) Pair {
	return Pair{
		ID:     strings.Join([]string{s.src.Name, s.Commit.Hash[:12], string(label), string(rule)}, "/"),
		Repo:   s.src.Name,
		Commit: s.Commit.Hash, Label: label, Rule: rule, Form: d.form,
		Message: d.message, Original: s.Commit.Message,
		At:     utf8.RuneCountInString(d.message[:d.at]),
		Length: utf8.RuneCountInString(d.message[d.at : d.at+d.size]),
		Why:    d.why,
	}
}

// replaceAll puts now in the place of every whole-word occurrence of old in the
// message and says where the first one stands.
func replaceAll(message, old, now string) (string, int) {
	first := -1
	var b strings.Builder
	rest := message
	for {
		i := indexWhole(rest, old)
		if i < 0 {
			b.WriteString(rest)
			return b.String(), first
		}
		b.WriteString(rest[:i])
		if first < 0 {
			first = b.Len()
		}
		b.WriteString(now)
		rest = rest[i+len(old):]
	}
}

// indexWhole is where old stands in s with no letter, digit or joining mark of a
// name right before or after it; -1 where it does not.
func indexWhole(s, old string) int {
	for from := 0; ; {
		i := strings.Index(s[from:], old)
		if i < 0 {
			return -1
		}
		i += from
		before, _ := utf8.DecodeLastRuneInString(s[:i])
		end := i + len(old)
		after, _ := utf8.DecodeRuneInString(s[end:])
		if (i == 0 || !nameRune(before)) && (end == len(s) || !nameRune(after) && !(after == '.' && end+1 < len(s) && nameRune(rune(s[end+1])))) {
			return i
		}
		from = i + 1
	}
}

func nameRune(r rune) bool {
	return r == '_' || r == '-' || r == '/' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r > 127
}

var (
	trailerLine = lazily(`^(?:[A-Z][A-Za-z-]*-[Bb]y|[Ff]ix(?:es|ed)|[Cc]loses|[Rr]efs?|[A-Z][A-Za-z]*-[A-Za-z-]+|PR|Link|Change-Id|Entire-[A-Za-z-]+):? \S|^\(cherry picked|^(?:[Ff]ix(?:es|ed)?|[Cc]loses?|[Rr]esolves?) #\d+`)
	tailTags    = lazily(`(?:\s*\(#\d+\)|\s*(?:,\s*)?(?:closes?|fix(?:es)?|refs?)\s+#\d+|[.!])+\s*$`)
)

// body splits a message before its trailers: the last paragraph, if all its
// lines are some.
func splitTrailers(message string) (body, trailers string) {
	trimmed := strings.TrimRight(message, "\n ")
	i := strings.LastIndex(trimmed, "\n\n")
	if i < 0 {
		return trimmed, ""
	}
	for line := range strings.SplitSeq(trimmed[i+2:], "\n") {
		if !trailerLine().MatchString(line) {
			return trimmed, ""
		}
	}
	return strings.TrimRight(trimmed[:i], "\n "), trimmed[i+2:]
}

// withParagraph adds a paragraph behind the body, before the trailers.
func withParagraph(message, text string) (out string, at int) {
	body, trailers := splitTrailers(message)
	out = body + "\n\n"
	at = len(out)
	out += text + "\n"
	if trailers != "" {
		out += "\n" + trailers + "\n"
	}
	return out, at
}

var bulletLine = lazily(`^(\s*[-*+] )\S`)

// withBullet adds a bullet behind the body in the style of its bullets. at is
// where the text behind the mark stands.
func withBullet(message, text string) (out string, at int) {
	body, trailers := splitTrailers(message)
	lines := strings.Split(body, "\n")
	if m := bulletLine().FindStringSubmatch(lines[len(lines)-1]); m != nil && len(lines) > 1 {
		out = body + "\n" + m[1]
	} else {
		out = body + "\n\n- "
	}
	at = len(out)
	out += text + "\n"
	if trailers != "" {
		out += "\n" + trailers + "\n"
	}
	return out, at
}

// withSubjectTail adds words to the end of the subject, before `(#12)` and the
// like.
func withSubjectTail(message, words string) (out string, at int) {
	sub := subject(message)
	start := strings.Index(message, sub)
	end := len(sub)
	if loc := tailTags().FindStringIndex(sub); loc != nil {
		end = loc[0]
	}
	end += start
	return message[:end] + words + message[end:], end
}

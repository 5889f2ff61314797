package bench

import (
	"fmt"
	"strings"
	"unicode"
)

// verbPairs are verbs with their opposites. side is what the first one says of
// the lines: '+' more of them, '-' fewer, 0 nothing.
var verbPairs = []struct {
	from, to string
	side     byte
}{
	{"add", "remove", '+'}, {"introduce", "remove", '+'}, {"create", "delete", '+'}, {"implement", "remove", '+'},
	{"remove", "add", '-'}, {"delete", "create", '-'}, {"drop", "add", '-'},
	{"enable", "disable", 0}, {"disable", "enable", 0},
	{"increase", "decrease", 0}, {"decrease", "increase", 0},
	{"raise", "lower", 0}, {"lower", "raise", 0}, {"reduce", "increase", 0},
}

// inflect gives the forms of a verb in the order base, -s, -ed, -ing.
func inflect(verb string) [4]string {
	stem, last := strings.TrimSuffix(verb, "e"), verb
	if verb == "drop" {
		return [4]string{"drop", "drops", "dropped", "dropping"}
	}
	return [4]string{verb, last + "s", stem + "ed", stem + "ing"}
}

// polar says whether a word is a form of a verb that has an opposite.
func polar(word string) bool {
	for _, p := range verbPairs {
		for _, form := range inflect(p.from) {
			if strings.EqualFold(word, form) {
				return true
			}
		}
	}
	return false
}

var (
	leadVerb    = lazily(`^((?:\[[^\]]*\]\s*)*(?:[A-Za-z][\w./,-]*(?:\([^()]*\))?!?:\s+)*)([A-Za-z]+)(\s+\S.*)$`)
	atRunTime   = lazily(`(?i)\b(when|if|before|while|after|on|during|unless|until|whenever)\b`)
	otherAction = lazily(`(?i)\b(add|adds|added|adding|remov\w+|delet\w+|drop\w*|replac\w+|instead|rather|not|no longer|back|again|switch\w*|mov\w+|renam\w+|refactor\w*)\b`)
)

// mutateOperation swaps the leading verb of the subject for its opposite.
func mutateOperation(s *Scene) (draft, bool) {
	sub := subject(s.Commit.Message)
	m := leadVerb().FindStringSubmatchIndex(sub)
	if m == nil {
		return draft{}, false
	}
	word, rest := sub[m[4]:m[5]], sub[m[6]:m[7]]
	if otherAction().MatchString(rest) {
		return draft{}, false // two actions: the opposite may be half true
	}
	for _, p := range verbPairs {
		from, to := inflect(p.from), inflect(p.to)
		for i, form := range from {
			if !strings.EqualFold(word, form) {
				continue
			}
			switch p.side {
			case '+':
				if s.lines.added < 2 || s.lines.removed*3 > s.lines.added {
					return draft{}, false
				}
			case '-':
				if s.lines.removed < 2 || s.lines.added*3 > s.lines.removed || atRunTime().MatchString(rest) {
					return draft{}, false
				}
			}
			now := to[i]
			if unicode.IsUpper(rune(word[0])) {
				now = strings.ToUpper(now[:1]) + now[1:]
			}
			start := strings.Index(s.Commit.Message, sub) + m[4]
			msg := s.Commit.Message[:start] + now + s.Commit.Message[start+len(word):]
			return draft{msg, start, len(now), p.from + "-" + p.to,
				fmt.Sprintf("the commit said %q; %d lines added, %d removed", word, s.lines.added, s.lines.removed)}, true
		}
	}
	return draft{}, false
}

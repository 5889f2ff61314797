package bench

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

var (
	versionShaped = lazily(`\d+\.\d+(?:\.\d+)*`)
	numberShaped  = lazily(`\b\d{1,6}\b`)
)

// mutateQuantity changes a version or number that message and changed lines
// share.
func mutateQuantity(s *Scene) (draft, bool) {
	msg := s.Commit.Message
	lines := claimLines(msg)
	type candidate struct{ old, form string }
	var found []candidate
	for _, loc := range versionShaped().FindAllStringIndex(lines, -1) {
		if v := lines[loc[0]:loc[1]]; freeStanding(lines, loc[0], loc[1]) && s.changesNumber(v) {
			found = append(found, candidate{v, "version"})
		}
	}
	for _, loc := range numberShaped().FindAllStringIndex(lines, -1) {
		if n := lines[loc[0]:loc[1]]; freeStanding(lines, loc[0], loc[1]) && n != "0" && n != "1" && s.changesNumber(n) {
			found = append(found, candidate{n, "number"})
		}
	}
	for _, c := range found {
		for range 10 {
			now := s.otherNumber(c.old)
			if now == c.old || strings.Contains(s.text, now) || strings.Contains(msg, now) {
				continue
			}
			out, at := replaceNumber(msg, c.old, now)
			if at < 0 {
				break
			}
			return draft{out, at, len(now), c.form, fmt.Sprintf("%s is nowhere in the diff; the commit said %s", now, c.old)}, true
		}
	}
	return draft{}, false
}

// freeStanding says that the number is not part of a longer name, an issue
// number, a link or a hash.
func freeStanding(s string, start, end int) bool {
	word := start
	for word > 0 && !strings.ContainsRune(" \t\n(`\"'", rune(s[word-1])) {
		word--
	}
	lead := strings.TrimLeft(s[word:start], "@=^~<>[")
	if lead != "" && lead != "v" && lead != "V" {
		return false
	}
	if word > 0 && strings.HasSuffix(s[:word], "#") {
		return false
	}
	return end == len(s) || strings.ContainsRune(" \t\n)`\"',;:]", rune(s[end])) || s[end] == '.' && (end+1 == len(s) || s[end+1] == ' ' || s[end+1] == '\n')
}

// changesNumber says whether a changed line holds the number whole.
func (s *Scene) changesNumber(n string) bool {
	re := regexp.MustCompile(`(?:^|[^0-9.])` + regexp.QuoteMeta(n) + `(?:[^0-9.]|\.\D|\.?$)`)
	return slices.ContainsFunc(s.Files, func(f fileDiff) bool {
		return slices.ContainsFunc(f.added, re.MatchString) || slices.ContainsFunc(f.removed, re.MatchString)
	})
}

// otherNumber changes one part of a version, or a number by a few.
func (s *Scene) otherNumber(n string) string {
	parts := strings.Split(n, ".")
	i := len(parts) - 1
	if len(parts) > 1 {
		i = s.rng.IntN(len(parts))
	}
	v, err := strconv.Atoi(parts[i])
	if err != nil {
		return n
	}
	parts[i] = strconv.Itoa(v + 1 + s.rng.IntN(8))
	return strings.Join(parts, ".")
}

// replaceNumber is replaceAll for numbers, which may have a v before them.
func replaceNumber(msg, old, now string) (string, int) {
	re := regexp.MustCompile(`(^|[^0-9.#])` + regexp.QuoteMeta(old) + `([^0-9.]|\.\D|\.?$)`)
	loc := re.FindStringSubmatchIndex(msg)
	if loc == nil {
		return msg, -1
	}
	return re.ReplaceAllString(msg, "${1}"+now+"${2}"), loc[3]
}

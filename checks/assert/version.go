package assert

import (
	"fmt"
	"strconv"
	"strings"
)

// version is the numbers of a version, most significant first, and whether it
// is one before its release (1.0.0-rc.1, 2.0b1).
type version struct {
	parts []int
	pre   bool
}

// parseVersion reads the first version that a text holds: "^1.2", ">= 2.0, < 3",
// "v0.9.0-rc.1", "~> 4.17". ok is false where there is none ("*", "latest", a URL).
func parseVersion(s string) (v version, ok bool) {
	if strings.Contains(s, "://") || strings.Contains(s, "git@") {
		return v, false
	}
	i := strings.IndexFunc(s, func(c rune) bool { return c >= '0' && c <= '9' })
	if i < 0 || i > 0 && isLetter(s[i-1]) && s[i-1] != 'v' && s[i-1] != 'V' {
		return v, false
	}
	for i < len(s) {
		n := 0
		for i+n < len(s) && s[i+n] >= '0' && s[i+n] <= '9' {
			n++
		}
		if n == 0 || n > 9 {
			break
		}
		x, _ := strconv.Atoi(s[i : i+n])
		v.parts = append(v.parts, x)
		i += n
		if i+1 >= len(s) || s[i] != '.' || s[i+1] < '0' || s[i+1] > '9' {
			break
		}
		i++
	}
	v.pre = i < len(s) && (s[i] == '-' && i+1 < len(s) && isLetter(s[i+1]) || isLetter(s[i]) && s[i] != 'x')
	return v, len(v.parts) > 0
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

// compare orders versions; parts that one does not have count as 0.
func (v version) compare(w version) int {
	for i := range max(len(v.parts), len(w.parts)) {
		if a, b := part(v, i), part(w, i); a != b {
			if a < b {
				return -1
			}
			return 1
		}
	}
	switch {
	case v.pre && !w.pre:
		return -1
	case w.pre && !v.pre:
		return 1
	}
	return 0
}

func part(v version, i int) int {
	if i < len(v.parts) {
		return v.parts[i]
	}
	return 0
}

// constraint is a range as alternatives of comparisons that must all hold.
type constraint [][]comparison

type comparison struct {
	op string // <, <=, >, >=, =, !=
	v  version
}

// parseConstraint reads ranges as npm, Cargo and pip write them: <, <=, >, >=, =,
// ==, !=, ^, ~, ~>, a bare version for exactly that prefix, spaces or commas
// for and, || for or.
func parseConstraint(s string) (constraint, error) {
	var out constraint
	for _, alternative := range strings.Split(s, "||") {
		var all []comparison
		for _, word := range strings.Fields(strings.ReplaceAll(rejoin(alternative), ",", " ")) {
			n := strings.IndexFunc(word, func(c rune) bool { return c >= '0' && c <= '9' || c == 'v' || c == 'V' })
			if n < 0 {
				return nil, fmt.Errorf("version %.60q: no number in %.40q", s, word)
			}
			op, number := word[:n], strings.TrimLeft(word[n:], "vV")
			v, ok := parseVersion(number)
			rest := strings.Trim(number, "0123456789.xX*")
			if !ok || rest != "" && !v.pre {
				return nil, fmt.Errorf("version %.60q: %.40q is no version", s, word)
			}
			switch op {
			case "<", "<=", ">", ">=", "!=":
				all = append(all, comparison{op, v})
			case "==", "===":
				all = append(all, comparison{"=", v})
			case "^":
				at := 0
				for at < len(v.parts)-1 && v.parts[at] == 0 {
					at++
				}
				all = append(all, comparison{">=", v}, comparison{"<", next(v, at)})
			case "~", "~>", "~=":
				at := min(1, len(v.parts)-1)
				if op != "~" {
					at = max(len(v.parts)-2, 0)
				}
				all = append(all, comparison{">=", v}, comparison{"<", next(v, at)})
			case "", "=":
				if v.pre || len(v.parts) >= 3 {
					all = append(all, comparison{"=", v})
					break
				}
				all = append(all, comparison{">=", v}, comparison{"<", next(v, len(v.parts)-1)})
			default:
				return nil, fmt.Errorf("version %.60q: unknown sign %.10q", s, op)
			}
		}
		if len(all) == 0 {
			return nil, fmt.Errorf("version %.60q: an empty range", s)
		}
		out = append(out, all)
	}
	return out, nil
}

// rejoin takes the blanks away that stand between a sign and its number.
func rejoin(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		b.WriteByte(s[i])
		if strings.IndexByte("<>=~^!", s[i]) >= 0 {
			for i+1 < len(s) && s[i+1] == ' ' {
				i++
			}
		}
	}
	return b.String()
}

// next is the first version after all that share the parts up to and with at.
func next(v version, at int) version {
	parts := append([]int(nil), v.parts[:at+1]...)
	parts[at]++
	return version{parts: parts, pre: true} // its own pre-releases lie beyond as well
}

func (c constraint) holds(v version) bool {
	for _, all := range c {
		ok := true
		for _, x := range all {
			n := v.compare(x.v)
			switch x.op {
			case "<":
				ok = ok && n < 0
			case "<=":
				ok = ok && n <= 0
			case ">":
				ok = ok && n > 0
			case ">=":
				ok = ok && n >= 0
			case "=":
				ok = ok && n == 0
			case "!=":
				ok = ok && n != 0
			}
		}
		if ok {
			return true
		}
	}
	return false
}

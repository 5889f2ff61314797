package change

import "strings"

// Undone is how many changed lines a commit has and which share of them another
// change takes back: added lines removed again and removed ones added again, counted by their text, path by path where
// the path is the same and anywhere in the change otherwise.
func Undone(named, by *Change) (lines int, share float64) {
	type key struct {
		op   byte
		text string
	}
	have := map[key]int{}
	for i := range by.Files {
		for _, h := range by.Files[i].Hunks {
			for _, l := range h.Lines {
				if l.Op != ' ' && strings.TrimSpace(l.Text) != "" {
					have[key{l.Op, strings.TrimRight(l.Text, "\r")}]++
				}
			}
		}
	}
	undone := 0
	for i := range named.Files {
		for _, h := range named.Files[i].Hunks {
			for _, l := range h.Lines {
				if l.Op == ' ' || strings.TrimSpace(l.Text) == "" {
					continue
				}
				lines++
				op := byte('-')
				if l.Op == '-' {
					op = '+'
				}
				k := key{op, strings.TrimRight(l.Text, "\r")}
				if have[k] > 0 {
					have[k]--
					undone++
				}
			}
		}
	}
	if lines == 0 {
		return 0, 0
	}
	return lines, float64(undone) / float64(lines)
}

package config

import (
	"fmt"
	"strings"
)

// didYouMean is `: did you mean "x"?` for the nearest of the known words, ""
// where none is near.
func didYouMean(word string, known []string) string {
	if near := nearest(word, known); near != "" {
		return fmt.Sprintf(": did you mean %q?", near)
	}
	return ""
}

// nearest is the known word with the fewest edits (insert, delete, replace,
// swap of neighbours) from word, at most a third of its length; the first of equals.
func nearest(word string, known []string) string {
	if len(word) > 60 {
		return ""
	}
	folded := strings.ToLower(strings.ReplaceAll(word, "_", "-"))
	best, least := "", 0
	for _, k := range known {
		limit := max(1, max(len(folded), len(k))/3)
		d := edits(folded, k)
		if d <= limit && (best == "" || d < least) {
			best, least = k, d
		}
	}
	return best
}

// edits is the optimal string alignment distance, in code points.
func edits(a, b string) int {
	x, y := []rune(a), []rune(b)
	before, above, row := make([]int, len(y)+1), make([]int, len(y)+1), make([]int, len(y)+1)
	for j := range above {
		above[j] = j
	}
	for i := range x {
		row[0] = i + 1
		for j := range y {
			cost := 1
			if x[i] == y[j] {
				cost = 0
			}
			row[j+1] = min(above[j+1]+1, row[j]+1, above[j]+cost)
			if i > 0 && j > 0 && x[i] == y[j-1] && x[i-1] == y[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, above, row = above, row, before
	}
	return above[len(y)]
}

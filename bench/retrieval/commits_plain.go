package retrieval

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// plainWords are the runs of letters and digits of a text in lower case.
func plainWords(s string) []string {
	return strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// plainBM25 is BM25 over plain words, subject and body as one text.
func plainBM25(s *Set) Searcher {
	docs := make([]map[string]int, len(s.Commits))
	lengths := make([]int, len(docs))
	with := map[string]int{}
	total := 0
	for i, c := range s.Commits {
		docs[i] = map[string]int{}
		for _, w := range plainWords(c.Subject + "\n" + c.Body) {
			docs[i][w]++
			lengths[i]++
		}
		for w := range docs[i] {
			with[w]++
		}
		total += lengths[i]
	}
	average := float64(total) / float64(max(len(docs), 1))
	return func(_ context.Context, question string) ([]int, error) {
		scores := make([]float64, len(docs))
		seen := map[string]bool{}
		for _, w := range plainWords(question) {
			if seen[w] {
				continue
			}
			seen[w] = true
			idf := math.Log(1 + (float64(len(docs)-with[w])+0.5)/(float64(with[w])+0.5))
			for i, d := range docs {
				if f := float64(d[w]); f > 0 {
					scores[i] += idf * f * 2.2 / (f + 1.2*(0.25+0.75*float64(lengths[i])/average))
				}
			}
		}
		return byScore(scores), nil
	}
}

// substrings is what a store without an index does: every term has to stand somewhere in
// the text, as a part of a word as well; a subject counts ten, a body three; the newest first.
func substrings(s *Set) Searcher {
	subjects, bodies := make([]string, len(s.Commits)), make([]string, len(s.Commits))
	for i, c := range s.Commits {
		subjects[i], bodies[i] = strings.ToLower(c.Subject), strings.ToLower(c.Body)
	}
	return func(_ context.Context, question string) ([]int, error) {
		var terms []string
		for _, t := range strings.FieldsFunc(strings.ToLower(question), func(r rune) bool {
			return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("_-./", r)
		}) {
			if !slices.Contains(terms, t) {
				terms = append(terms, t)
			}
		}
		scores := make([]float64, len(subjects))
		for i := range scores {
			for _, t := range terms {
				n := 0.0
				if strings.Contains(subjects[i], t) {
					n += 10
				}
				if strings.Contains(bodies[i], t) {
					n += 3
				}
				if n == 0 {
					scores[i] = 0
					break
				}
				scores[i] += n
			}
		}
		return byScore(scores), nil
	}
}

// Ripgrep searches with the real program: one file a commit below dir, ordered by how many lines
// of it have any word of the question, as somebody does it by hand.
func Ripgrep(s *Set, program, dir string) (Searcher, error) {
	for i, c := range s.Commits {
		if err := os.WriteFile(filepath.Join(dir, strconv.Itoa(i)), []byte(c.Subject+"\n"+c.Body+"\n"), 0o600); err != nil {
			return nil, fmt.Errorf("write commits for ripgrep: %w", err)
		}
	}
	return func(ctx context.Context, question string) ([]int, error) {
		args := []string{"--no-config", "--count", "--ignore-case", "--word-regexp", "--fixed-strings", "--no-messages"}
		for _, w := range plainWords(question) {
			args = append(args, "-e", w)
		}
		cmd := exec.CommandContext(ctx, program, append(args, ".")...)
		cmd.Dir = dir
		out, err := cmd.Output()
		if err != nil && cmd.ProcessState.ExitCode() != 1 { // 1: nothing found
			return nil, fmt.Errorf("ripgrep: %w", err)
		}
		scores := make([]float64, len(s.Commits))
		for line := range bytes.Lines(out) {
			name, count, _ := strings.Cut(strings.TrimSpace(string(line)), ":")
			i, err1 := strconv.Atoi(filepath.Base(name))
			n, err2 := strconv.Atoi(count)
			if err1 == nil && err2 == nil && i < len(scores) {
				scores[i] = float64(n)
			}
		}
		return byScore(scores), nil
	}, nil
}

// byScore lists what has a score, the best first, of equals the newer.
func byScore(scores []float64) []int {
	var out []int
	for i, s := range scores {
		if s > 0 {
			out = append(out, i)
		}
	}
	slices.SortStableFunc(out, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
	return out
}

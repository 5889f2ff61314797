package retrieval

import (
	"context"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/saysolint/sayso/internal/git"
)

// Commit is one commit as it is searched: without the sentence that asks.
type Commit struct {
	Hash    string
	Subject string
	Body    string
}

// Question is a sentence that one commit answers.
type Question struct {
	Text   string
	Answer int // in Set.Commits
}

// Set is a history with questions about it.
type Set struct {
	Commits   []Commit
	Questions []Question
}

// History is what is read of a repository; *git.Repo is one.
type History interface {
	Log(ctx context.Context, opts git.LogOptions, yield func(git.LogCommit) error) error
	Commit(ctx context.Context, hash string) (*git.Commit, error)
}

// why is what a sentence that gives a reason has in it.
var why = lazily(`(?i)\b(because|since|so that|otherwise|in order to|to avoid|to prevent|due to|caused by|which (?:caused|causes|broke|breaks|means|meant)|this (?:caused|causes|broke|breaks|means|meant|was needed|is needed)|the (?:problem|reason|issue) (?:is|was))\b`)

// Words that a question has to have, and may have at most: shorter ones ask for nothing, longer
// ones are no sentences.
const (
	leastWords = 8
	mostWords  = 60
)

// Commits reads a history and draws questions from it with a seed, at most one of each
// commit. Merges, and what trailers and quoted text say, ask nothing.
func Commits(ctx context.Context, repo History, last, questions int, seed uint64) (*Set, error) {
	var hashes []string
	err := repo.Log(ctx, git.LogOptions{Max: last}, func(c git.LogCommit) error {
		if len(c.Parents) < 2 {
			hashes = append(hashes, c.Hash)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	s := &Set{}
	type asked struct {
		at       int
		sentence string
		rest     string
	}
	var all []asked
	for _, h := range hashes {
		c, err := repo.Commit(ctx, h)
		if err != nil {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			continue
		}
		subject, body, _ := strings.Cut(strings.TrimSpace(strings.ToValidUTF8(c.Message, "\uFFFD")), "\n")
		s.Commits = append(s.Commits, Commit{Hash: c.Hash, Subject: strings.TrimSpace(subject), Body: body})
		if sentence, rest, ok := reason(body); ok {
			all = append(all, asked{len(s.Commits) - 1, sentence, rest})
		}
	}
	r := rand.New(rand.NewPCG(seed, 0))
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	if questions > 0 {
		all = all[:min(len(all), questions)]
	}
	slices.SortFunc(all, func(a, b asked) int { return a.at - b.at })
	for _, q := range all {
		s.Commits[q.at].Body = q.rest
		s.Questions = append(s.Questions, Question{Text: q.sentence, Answer: q.at})
	}
	return s, nil
}

// reason takes the first sentence that gives a reason out of a body.
func reason(body string) (sentence, rest string, ok bool) {
	paragraphs := strings.Split(strings.ReplaceAll(body, "\r\n", "\n"), "\n\n")
	for i, p := range paragraphs {
		line := strings.Join(strings.Fields(p), " ")
		if line == "" || strings.ContainsAny(line[:1], ">|`*-#") || trailer().MatchString(line) || strings.Contains(p, "```") || strings.Contains(p, "\n    ") {
			continue
		}
		from := 0
		for from < len(line) {
			to := len(line)
			if at := end().FindStringIndex(line[from:]); at != nil {
				to = from + at[0] + 1
			}
			s := strings.TrimSpace(line[from:to])
			if n := len(strings.Fields(s)); n >= leastWords && n <= mostWords && why().MatchString(s) {
				paragraphs[i] = line[:from] + " " + line[to:]
				return s, strings.Join(paragraphs, "\n\n"), true
			}
			from = to
		}
	}
	return "", "", false
}

var (
	end     = lazily(`[.!?]\s+[A-Z"']`)
	trailer = lazily(`^[A-Za-z][A-Za-z-]+: \S`)
)

// lazily compiles an expression when it is first asked for: most runs of the program ask
// for none.
func lazily(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}

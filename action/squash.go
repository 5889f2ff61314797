package action

import (
	"fmt"
	"strings"
)

// Squash is the message that squash merging would leave behind.
type Squash struct {
	Message string // "" where squash merging is off or its words are not known
	Own     bool   // it says more than title and body of the pull request do, so that it is worth judging by itself
	Why     string // why there is no message, a plain sentence; "" where there is one
}

// PredictSquash works out the message by the repository's settings, as GitHub does:
// the title gets the number of the pull request; COMMIT_MESSAGES lists the commits,
// or is the body of the only one. whole says that commits are all there are, oldest
// first. Authors that GitHub adds as trailers claim nothing and are left out.
//
// https://docs.github.com/en/repositories/configuring-branches-and-merges-in-your-repository/configuring-pull-request-merges/configuring-commit-squashing-for-pull-requests
func PredictSquash(s Settings, pr PullRequest, messages []string, whole bool) Squash {
	switch {
	case !s.Squash:
		return Squash{Why: "squash merging is off"}
	case s.SquashTitle == "" || s.SquashMessage == "":
		return Squash{Why: "the token may not see how squash merges are worded, so that their message was not foretold"}
	}
	needsCommits := s.SquashTitle == "COMMIT_OR_PR_TITLE" || s.SquashMessage == "COMMIT_MESSAGES"
	if needsCommits && !whole {
		return Squash{Why: "not all commits are known, so that the message of a squash merge was not foretold"}
	}
	title, body := pr.Title, ""
	own := false
	if s.SquashTitle == "COMMIT_OR_PR_TITLE" && len(messages) == 1 {
		title, _ = subjectAndBody(messages[0])
		own = title != pr.Title
	}
	switch s.SquashMessage {
	case "PR_BODY":
		body = strings.TrimSpace(strings.ReplaceAll(pr.Body, "\r\n", "\n"))
	case "COMMIT_MESSAGES":
		if len(messages) == 1 {
			_, body = subjectAndBody(messages[0])
		} else {
			var b strings.Builder
			for i, m := range messages {
				if i > 0 {
					b.WriteString("\n\n")
				}
				b.WriteString("* " + strings.TrimSpace(m))
			}
			body = b.String()
			own = own || len(messages) > 1
		}
	}
	message := fmt.Sprintf("%s (#%d)", strings.TrimSpace(title), pr.Number)
	if body != "" {
		message += "\n\n" + body
	}
	return Squash{Message: message + "\n", Own: own}
}

// subjectAndBody parts a commit message.
func subjectAndBody(m string) (subject, body string) {
	subject, body, _ = strings.Cut(strings.TrimSpace(m), "\n")
	return strings.TrimSpace(subject), strings.TrimSpace(body)
}

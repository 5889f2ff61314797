package checks

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/saysolint/sayso/claim"
)

var issueCheck = Check{
	Doc: Doc{
		ID: "issue", Title: "Fixes #N, against the issue it names", Default: "gate", Since: "0.2",
		Needs: "the issues that are named, which only sayso action fetches",
		Text: `A closing keyword with a reference: "Fixes #12", "closes owner/name#12", "resolves https://github.com/owner/name/issues/12". On GitHub it is held against the issue: that there is one of the
number, and that it is an issue and not a pull request, which no keyword closes. A reference of another repository is resolved there. An issue that is closed already is no lie, since reverts and late
follow-ups name such ones. A plain mention claims nothing; a link into the repository that leads nowhere is an observation.

A contradiction is never more than likely: an issue may have been deleted or moved since.`,
		Fires: "Fixes #99999 (there is no such issue)",
		Quiet: "Similar to #12 (a mention claims nothing)",
	},
}

// IssueRef names an issue or pull request.
type IssueRef struct {
	Repository string // owner/name, lower case
	Number     int
}

// HostedIssue is what the host says of an issue.
type HostedIssue struct {
	Known       bool   // the question was answered
	Gap         string // why not, a plain clause
	Exists      bool
	PullRequest bool
	Open        bool
	Moved       string // owner/name#N where it is now, "" where it has not moved
}

// IssueMention is one place of a text that names an issue.
type IssueMention struct {
	IssueRef
	Start, End  int
	Closes      bool // a closing keyword stands before it
	Link        bool // a whole address
	PullRequest bool // the address says that it is a pull request
}

// maxMentions bounds how many issues of a text are asked for.
const maxMentions = 50

const (
	ownerName   = `[A-Za-z0-9](?:[A-Za-z0-9-]{0,38})/[A-Za-z0-9._-]{1,100}`
	closingWord = `(?i:close[sd]?|fix(?:e[sd])?|resolve[sd]?)`
)

var (
	closing  = lazily(`(?:^|[\s(*_~,;:.\[])(` + closingWord + `:?\s+(?:#(\d{1,9})|(` + ownerName + `)#(\d{1,9})|(https?://[^\s)>\]]{1,300})))`)
	pageLink = lazily(`https?://[^\s)>\]]{1,300}`)
	// Of an address: its server, repository, kind and number.
	issuePage = lazily(`^(https?://[^/\s]+)/(` + ownerName + `)/(issues|pull)/(\d{1,9})(?:[/#?].*)?$`)
)

// Mentions lists the issues that a text claims to close and the addresses of issues
// on the server, in order of place. Code and quotations are left out.
func Mentions(m *claim.Message, repository, server string) []IssueMention {
	server = strings.TrimRight(strings.ToLower(server), "/")
	var out []IssueMention
	text := blankCode(m.Text)
	taken := map[int]bool{}
	for _, at := range closing().FindAllStringSubmatchIndex(text, -1) {
		if !wordEnds(text, at[3]) {
			continue
		}
		mention := IssueMention{Start: at[2], End: at[3], Closes: true}
		switch {
		case at[4] >= 0:
			mention.IssueRef = refOf(repository, text[at[4]:at[5]])
		case at[6] >= 0:
			mention.IssueRef = refOf(text[at[6]:at[7]], text[at[8]:at[9]])
		default:
			p := issuePage().FindStringSubmatch(trimLink(text[at[10]:at[11]]))
			if p == nil || strings.ToLower(p[1]) != server {
				continue
			}
			mention.IssueRef, mention.Link, mention.PullRequest = refOf(p[2], p[4]), true, p[3] == "pull"
			mention.End = at[10] + len(trimLink(text[at[10]:at[11]]))
			taken[at[10]] = true
		}
		out = append(out, mention)
	}
	for _, at := range pageLink().FindAllStringIndex(text, -1) {
		link := trimLink(text[at[0]:at[1]])
		p := issuePage().FindStringSubmatch(link)
		if p == nil || taken[at[0]] || strings.ToLower(p[1]) != server {
			continue
		}
		out = append(out, IssueMention{IssueRef: refOf(p[2], p[4]), Start: at[0], End: at[0] + len(link), Link: true, PullRequest: p[3] == "pull"})
	}
	return out[:min(len(out), maxMentions)]
}

func refOf(repository, number string) IssueRef {
	n, _ := strconv.Atoi(number)
	return IssueRef{Repository: strings.ToLower(repository), Number: n}
}

// trimLink leaves out the marks that end a sentence and not an address.
func trimLink(s string) string { return strings.TrimRight(s, ".,;:!?'\"*_") }

// wordEnds says whether a number ends where it was found to.
func wordEnds(s string, at int) bool {
	return at >= len(s) || !isWordByte(s[at]) && s[at] != '-'
}

func isWordByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

var (
	codeSpan    = lazily("``[^\n]+?``|`[^`\n]+`")
	commentSpan = lazily(`(?s)<!--.*?(?:-->|$)`)
)

// blankCode puts spaces where fenced code, code spans, quoted lines and comments
// stand: what is in them was said by somebody else, or to nobody. Places stay.
func blankCode(s string) string {
	blank := func(part string) string {
		b := []byte(part)
		for i := range b {
			if b[i] != '\n' {
				b[i] = ' '
			}
		}
		return string(b)
	}
	s = commentSpan().ReplaceAllStringFunc(s, blank)
	var b strings.Builder
	fence := ""
	for line := range strings.Lines(s) {
		text := strings.TrimSpace(line)
		switch {
		case fence != "":
			if strings.HasPrefix(text, fence) {
				fence = ""
			}
			line = blank(line)
		case strings.HasPrefix(text, "```"), strings.HasPrefix(text, "~~~"):
			fence = text[:3]
			line = blank(line)
		case strings.HasPrefix(text, ">"), strings.HasPrefix(line, "    "), strings.HasPrefix(line, "\t"):
			line = blank(line)
		}
		b.WriteString(line)
	}
	return codeSpan().ReplaceAllStringFunc(b.String(), blank)
}

// settleIssues judges the references of a text.
func settleIssues(j *Judgement, m *claim.Message, h Hosted) {
	seen := map[IssueMention]bool{}
	for _, mention := range Mentions(m, h.Repository, h.Server) {
		issue, asked := h.Issues[mention.IssueRef]
		if !asked {
			issue.Gap = "it was not asked for"
		}
		key := IssueMention{IssueRef: mention.IssueRef, Closes: mention.Closes}
		if seen[key] {
			continue
		}
		seen[key] = true
		if mention.Closes {
			settleOne(j, m, &issueCheck, mention.Start, mention.End, issueOutcome(mention, issue, h))
			continue
		}
		if issue.Known && !issue.Exists && strings.EqualFold(mention.Repository, h.Repository) {
			j.Observations = append(j.Observations, Observation{Check: issueCheck.ID, Kind: "dead-link",
				Text: fmt.Sprintf("a link names %s, which is not there", quote(nameOf(mention.IssueRef)))})
		}
	}
}

func nameOf(r IssueRef) string { return fmt.Sprintf("%s#%d", r.Repository, r.Number) }

// issueOutcome holds a closing reference against the issue.
func issueOutcome(mention IssueMention, issue HostedIssue, h Hosted) outcome {
	name := quote(nameOf(mention.IssueRef))
	switch {
	case !issue.Known:
		return unverifiable("%s could not be looked up: %s", name, issue.Gap)
	case !issue.Exists && !strings.EqualFold(mention.Repository, h.Repository):
		// Not there and not to be seen have one answer.
		return unverifiable("%s is not there, or may not be seen from here", name)
	case !issue.Exists:
		return outcome{verdict: Contradicted, reason: "there is no issue " + name, fix: "name the issue that is meant",
			evidence: []Evidence{{Fact: "the repository has neither an issue nor a pull request of this number"}}}
	case issue.PullRequest:
		return outcome{verdict: Contradicted, reason: name + " is a pull request, which no keyword closes", fix: "name the issue that is meant, or leave the keyword out",
			evidence: []Evidence{{Fact: name + " is a pull request"}}}
	case issue.Moved != "":
		return neutral("%s has moved to %s", name, quote(issue.Moved))
	case !issue.Open:
		return neutral("%s is closed already", name)
	}
	return corroborated(0.9, name+" is an open issue", Evidence{Fact: name + " is there and open", For: true})
}

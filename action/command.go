package action

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode"
)

// Verb is what a command in a comment asks for.
type Verb string

// The commands.
const (
	VerbAccept  Verb = "accept"  // ID: a proposed learning becomes a reviewed entry once the change has landed
	VerbReject  Verb = "reject"  // ID [reason]
	VerbDismiss Verb = "dismiss" // CLAIM reason: lifts one contradiction, shown with who lifted it
	VerbExcept  Verb = "except"  // ID reason: this change may go against a recorded decision
	VerbRecheck Verb = "recheck"
)

// Command is one line of a comment that begins with /sayso.
type Command struct {
	Verb   Verb
	Target string // id of a learning or a decision, fingerprint of a claim
	Reason string
	Wrong  string // why it cannot be obeyed, "" where it can
}

// commandUsage says how each command is written.
var commandUsage = map[Verb]string{
	VerbAccept:  "/sayso accept ID",
	VerbReject:  "/sayso reject ID [reason]",
	VerbDismiss: "/sayso dismiss CLAIM reason",
	VerbExcept:  "/sayso except ID reason",
	VerbRecheck: "/sayso recheck",
}

// verbs is the order in which commands are told of.
var verbs = []Verb{VerbAccept, VerbReject, VerbDismiss, VerbExcept, VerbRecheck}

const (
	maxCommands = 20  // of one comment
	maxReason   = 300 // code points
)

// isTarget says whether a word is an id or a fingerprint: nothing that could mean
// anything else elsewhere.
func isTarget(s string) bool {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	return s != "" && len(s) <= 200 && strings.Contains(letters, s[:1]) && strings.Trim(s, letters+"._-") == ""
}

// ParseCommands reads the commands of a comment. A command begins a line; lines in
// fenced code, in quotations and indented code are somebody's text. A line that
// begins with /sayso and is no command is one that says what is wrong.
func ParseCommands(body string) []Command {
	var out []Command
	fence := ""
	for line := range strings.SplitSeq(strings.ReplaceAll(body, "\r\n", "\n"), "\n") {
		if strings.HasPrefix(line, "    ") || strings.HasPrefix(line, "\t") {
			continue
		}
		text := strings.TrimSpace(line)
		if mark := fenceMark(text); fence == "" && mark != "" {
			fence = mark
			continue
		} else if fence != "" {
			if strings.HasPrefix(mark, fence) && strings.Trim(text, fence[:1]) == "" {
				fence = ""
			}
			continue
		}
		rest, ok := strings.CutPrefix(text, "/sayso")
		if !ok || rest != "" && !unicode.IsSpace(rune(rest[0])) {
			continue
		}
		if len(out) == maxCommands {
			break
		}
		out = append(out, parseCommand(rest))
	}
	return out
}

// fenceMark is the run of ` or ~ that a line of fenced code begins with, "" for none.
func fenceMark(line string) string {
	for _, c := range []string{"`", "~"} {
		if n := len(line) - len(strings.TrimLeft(line, c)); n >= 3 {
			return strings.Repeat(c, n)
		}
	}
	return ""
}

func parseCommand(rest string) Command {
	words := strings.Fields(rest)
	if len(words) == 0 {
		return Command{Wrong: "no command is named"}
	}
	c := Command{Verb: Verb(strings.ToLower(words[0]))}
	usage, known := commandUsage[c.Verb]
	if !known {
		return Command{Wrong: "there is no such command"}
	}
	words = words[1:]
	if c.Verb == VerbRecheck {
		return c
	}
	if len(words) == 0 || !isTarget(words[0]) {
		c.Wrong = "it is written " + usage
		return c
	}
	c.Target = words[0]
	c.Reason = clipRunes(strings.Join(words[1:], " "), maxReason)
	if c.Reason == "" && (c.Verb == VerbDismiss || c.Verb == VerbExcept) {
		c.Wrong = "a reason is wanted: " + usage
	}
	return c
}

// clipRunes cuts a text to n code points and leaves out what no line shows.
func clipRunes(s string, n int) string {
	var b strings.Builder
	for _, r := range strings.ToValidUTF8(s, "\uFFFD") {
		if !unicode.IsPrint(r) && r != ' ' {
			continue
		}
		if n--; n < 0 {
			return strings.TrimSpace(b.String()) + "…"
		}
		b.WriteRune(r)
	}
	return strings.TrimSpace(b.String())
}

// Desk is what obeying commands needs of GitHub.
type Desk interface {
	PermissionOf(ctx context.Context, r Repo, login string) (Permission, error)
	Self(ctx context.Context) (Account, error)
	ListComments(ctx context.Context, r Repo, number int) ([]Comment, error)
	CreateComment(ctx context.Context, r Repo, number int, body string) (Comment, error)
	React(ctx context.Context, r Repo, comment int64, content string) error
}

// Reactions: seen and obeyed, and not.
const (
	reactionDone  = "+1"
	reactionWrong = "confused"
)

// permitted says whether commands of this person are obeyed: the API is asked, a
// comment's own word for its author is not.
func permitted(ctx context.Context, d Desk, r Repo, who Account) (bool, error) {
	if who.Login == "" {
		return false, nil
	}
	p, err := d.PermissionOf(ctx, r, who.Login)
	if errors.Is(err, ErrForbidden) {
		return false, fmt.Errorf("whether %s may give commands: %w", who.Login, err)
	}
	return p.CanWrite(), err
}

// answerMark is in every answer of ours, so that a comment is answered once
// however often its event is replayed.
func answerMark(comment int64) string { return fmt.Sprintf("<!-- sayso:answer:%d -->", comment) }

// answer writes one line below a comment, once.
func answer(ctx context.Context, d Desk, r Repo, number int, comment int64, line string) error {
	mark := answerMark(comment)
	self, err := d.Self(ctx)
	if err != nil {
		return err
	}
	all, err := d.ListComments(ctx, r, number)
	if err != nil {
		return err
	}
	for _, c := range all {
		if sameAccount(c.Author, self) && strings.HasPrefix(c.Body, mark) {
			return nil
		}
	}
	_, err = d.CreateComment(ctx, r, number, mark+"\n"+line)
	return err
}

// sameAccount says whether two accounts are one. Ids are surer than names, and not always there.
func sameAccount(a, b Account) bool {
	if a.ID != 0 && b.ID != 0 {
		return a.ID == b.ID
	}
	return a.Login != "" && strings.EqualFold(a.Login, b.Login)
}

// usageLine tells of all commands, in code so that nothing in it is a mention.
func usageLine() string {
	var all []string
	for _, v := range verbs {
		all = append(all, "`"+commandUsage[v]+"`")
	}
	return "The commands are " + strings.Join(all, ", ") + "."
}

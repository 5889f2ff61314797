package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/natefinch/atomic"
	"github.com/spf13/cobra"

	"github.com/saysolint/sayso/change"
	"github.com/saysolint/sayso/checks"
	"github.com/saysolint/sayso/claim"
	"github.com/saysolint/sayso/internal/config"
	"github.com/saysolint/sayso/internal/engine"
	"github.com/saysolint/sayso/internal/git"
)

// The bounds of a case: what is larger says nothing that a person could read.
const (
	caseFileBytes  = 256 << 10
	caseTotalBytes = 2 << 20
	caseTreeFiles  = 6 // untouched files that the evidence speaks of
)

func newFalseAlarm(a *app) *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "report-false-alarm REV CLAIM",
		Short: "Write a wrongly contradicted claim as a case to report, redacted",
		Long: `Write a commit of which sayso wrongly contradicts a claim as a must-not-fire case:
one text file with the message, the files before and after, the untouched files
that the evidence speaks of and, where the check went by it, some of the
history. CLAIM is the claim's words, as the report shows them.

Names and text are replaced by invented words, the same by the same, so that
the structure stays and nothing else does; unchanged parts of long files and the
names of people are left out. The case is judged before it is written, and
standard error says whether the contradiction is still there. Read the file
before you send it.`,
		Example: `  sayso report-false-alarm HEAD "only touches the parser" > case.txtar`,
		Args:    exactly(2, "a revision and the words of a claim"),
		RunE: func(cmd *cobra.Command, args []string) error {
			repo, err := a.open(cmd.Context(), "")
			if err != nil {
				return err
			}
			defer repo.Close()
			path := a.path(output)
			toFile := output != "" && output != "-"
			if toFile {
				if _, err := os.Lstat(path); err == nil {
					return usageError("report-false-alarm", output+" is there already", "name another file with --output")
				}
			}
			c, err := a.falseAlarm(cmd.Context(), repo, args[0], args[1])
			if err != nil {
				return err
			}
			if toFile {
				err = atomic.WriteFile(path, bytes.NewReader(c.text()))
			} else {
				_, err = a.stdout.Write(c.text())
			}
			if err != nil {
				return ioError("report-false-alarm", err)
			}
			fmt.Fprintln(a.stderr, "sayso: "+oneLine(c.outcome))
			return nil
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "", "write to `FILE` instead of standard output")
	_ = cmd.MarkFlagFilename("output")
	return cmd
}

// alarm is a claim that was contradicted, with what its case is made of.
type alarm struct {
	commit     *git.Commit
	message    string // without people
	start, end int    // of the claim, in message
	change     *change.Change
	config     *config.Config
	findings   []checks.Finding // the contradicted ones on the claim
}

// falseAlarm makes the case: with long files cut first, and whole where the
// contradiction goes with what was cut.
func (a *app) falseAlarm(ctx context.Context, repo *git.Repo, rev, words string) (*redactedCase, error) {
	m, err := a.findAlarm(ctx, repo, rev, words)
	if err != nil {
		return nil, err
	}
	var first *redactedCase
	for _, whole := range []bool{false, true} {
		c, err := m.redacted(ctx, repo, whole)
		if err != nil {
			return nil, err
		}
		if len(m.findings) == 0 {
			c.outcome = "nothing is contradicted there in the repository itself: the case shows what it is about, and no alarm"
			return c, nil
		}
		found, err := a.contradictedIn(ctx, c)
		if err != nil {
			return nil, err
		}
		for _, f := range m.findings {
			if slices.Contains(found, f.Check) {
				c.outcome = "the contradiction is still there in the redacted case (" + f.Check + ")"
				return c, nil
			}
		}
		if first == nil {
			first = c
		}
		if !c.cut {
			break
		}
	}
	first.outcome = "the contradiction is NOT there any more in the redacted case (it was of " + m.findings[0].Check + "): say in the report what the files and the history hold beside it"
	return first, nil
}

// findAlarm reads the commit and judges it as `sayso check` does.
func (a *app) findAlarm(ctx context.Context, repo *git.Repo, rev, words string) (*alarm, error) {
	c, err := repo.Commit(ctx, rev)
	if err != nil {
		return nil, err
	}
	if len(c.Parents) > 1 {
		return nil, usageError("report-false-alarm", short(c.Hash)+" is a merge, which is never judged", "")
	}
	m := &alarm{commit: c, message: withoutPeople(strings.ReplaceAll(c.Message, "\x00", "\uFFFD"), c)}
	var ok bool
	if m.start, m.end, ok = findFolded(m.message, words); !ok {
		return nil, usageError("report-false-alarm", fmt.Sprintf("the message of %s does not say %q", short(c.Hash), words), "git log -1 "+short(c.Hash)+" shows it")
	}
	t, err := a.trustTree(ctx, repo, c.Hash+"^", "the first parent of "+short(c.Hash))
	if err != nil {
		return nil, err
	}
	m.config = t.config
	eng := a.engine(ctx, repo, t, true, nil)
	res := eng.Commit(ctx, c.Hash, &m.message)
	if err := eng.Close(); err != nil {
		return nil, err
	}
	if res.Error != nil {
		return nil, failed(res.Error)
	}
	m.findings = contradictedOn(res, m.start, m.end)
	r := change.NewReader(repo, change.Limits{})
	defer r.Close()
	m.change, err = r.Commit(ctx, c.Hash)
	return m, err
}

// contradictedOn is the contradictions that share text with a part of the message.
func contradictedOn(res engine.Result, start, end int) []checks.Finding {
	var out []checks.Finding
	for _, f := range res.Claims {
		if f.Verdict == checks.Contradicted && f.Start < end && start < f.End {
			out = append(out, f)
		}
	}
	return out
}

// redacted is the alarm as a case, with its long files whole or cut.
func (m *alarm) redacted(ctx context.Context, repo *git.Repo, whole bool) (*redactedCase, error) {
	b := &caseBuilder{alarm: m, repo: repo, redact: newRedactor(), whole: whole, c: &redactedCase{}}
	b.messageParts()
	b.changedFiles()
	if err := b.treeFiles(ctx); err != nil {
		return nil, err
	}
	if len(b.c.files) == 0 {
		return nil, usageError("report-false-alarm", "no file of "+short(m.commit.Hash)+" could be read", "sayso check "+short(m.commit.Hash)+" says why")
	}
	if err := b.history(ctx); err != nil {
		return nil, err
	}
	b.configuration()
	return b.c, nil
}

// caseBuilder gathers and redacts the sections of a case.
type caseBuilder struct {
	*alarm
	repo   *git.Repo
	redact *redactor
	whole  bool // long files are not cut
	total  int
	c      *redactedCase
}

// text redacts what a file or a message holds.
func (b *caseBuilder) text(s string) string { return b.redact.text(withoutPeople(s, b.commit)) }

// messageParts redacts the message in three parts, so that the claim in it is
// the text of the rule; the parent's name becomes the placeholder that a case has for it.
func (b *caseBuilder) messageParts() {
	part := func(s string) string {
		if len(b.commit.Parents) == 0 {
			return b.redact.text(s)
		}
		parts := strings.Split(s, b.commit.Parents[0])
		for i := range parts {
			parts[i] = b.redact.text(parts[i])
		}
		return strings.Join(parts, "{{before}}")
	}
	before, claimed, after := part(b.message[:b.start]), part(b.message[b.start:b.end]), part(b.message[b.end:])
	b.c.message, b.c.start, b.c.end = before+claimed+after, len(before), len(before)+len(claimed)
}

// changedFiles redacts both images of each file that can be shown.
func (b *caseBuilder) changedFiles() {
	for i := range b.change.Files {
		f := &b.change.Files[i]
		if f.Unread != "" || !f.ImagesRead || !b.readable(f.Old) || !b.readable(f.New) {
			b.c.left++
			continue
		}
		from, to := string(f.Old), string(f.New)
		if !b.whole {
			var cut bool
			from, to, cut = cutImages(f, from, to, b.mentioned(), b.evidenceLines(f))
			b.c.cut = b.c.cut || cut
		}
		was := f.Path
		if f.OldPath != "" {
			was = f.OldPath
		}
		if f.Status != change.Added {
			b.put(&b.c.before, was, from)
		}
		if f.Status != change.Deleted {
			b.put(&b.c.after, f.Path, to)
		}
		if f.Status == change.Copied && f.OldPath != f.Path {
			b.put(&b.c.after, f.OldPath, from)
		}
	}
}

// put adds a file to a tree of the case.
func (b *caseBuilder) put(tree *map[string]string, name, content string) {
	if *tree == nil {
		*tree = map[string]string{}
	}
	name = b.redact.path(cleanPath(name))
	(*tree)[name] = b.text(content)
	if !slices.Contains(b.c.files, name) {
		b.c.files = append(b.c.files, name)
	}
}

// readable says whether an image is text that the case has room for.
func (b *caseBuilder) readable(image []byte) bool {
	if len(image) > caseFileBytes || bytes.IndexByte(image, 0) >= 0 || !utf8.Valid(image) {
		return false
	}
	b.total += len(image)
	return b.total <= caseTotalBytes
}

// mentioned is the names that the claim, and the reasons against it, speak of, folded.
func (b *caseBuilder) mentioned() []string {
	var names []string
	add := func(s string) {
		if s = strings.ToLower(strings.Trim(s, "`\"'*() ")); len(s) > 2 && !slices.Contains(names, s) {
			names = append(names, s)
		}
	}
	for _, f := range b.findings {
		add(f.Name)
		add(f.Whole)
		add(f.To)
		for _, e := range f.Evidence {
			for i, s := range strings.Split(e.Fact, `"`) {
				if i%2 == 1 {
					add(s)
				}
			}
		}
	}
	if len(b.findings) > 0 {
		for _, w := range strings.FieldsFunc(b.message[b.start:b.end], func(r rune) bool { return !isWordRune(r) && r != '_' }) {
			if len(w) > 3 && !keptWords()[strings.ToLower(w)] {
				add(w)
			}
		}
	}
	return names
}

// evidenceLines is the lines of a file that the evidence names, by side.
func (b *caseBuilder) evidenceLines(f *change.File) map[string][]int {
	lines := map[string][]int{}
	for _, x := range b.findings {
		for _, e := range x.Evidence {
			if e.Line > 0 && (e.Path == f.Path || e.Path == f.OldPath) {
				lines[e.Side] = append(lines[e.Side], e.Line)
			}
		}
	}
	return lines
}

// treeFiles adds the untouched files that the alarm rests on: those that the
// evidence names, and those whose name or folder is what the claim speaks of.
func (b *caseBuilder) treeFiles(ctx context.Context) error {
	if len(b.findings) == 0 {
		return nil
	}
	entries, err := b.repo.Tree(ctx, b.commit.Hash)
	if err != nil {
		return err
	}
	changed := map[string]bool{}
	for i := range b.change.Files {
		changed[b.change.Files[i].Path] = true
	}
	at := map[string]int{} // line of evidence
	for _, f := range b.findings {
		for _, e := range f.Evidence {
			if e.Path != "" && !changed[e.Path] {
				at[e.Path] = e.Line
			}
		}
	}
	names := map[string]int{} // how many files stand for each name already
	for _, f := range b.findings {
		for _, n := range []string{f.Name, f.Whole, path.Base(f.Name), path.Base(f.Whole)} {
			if n = bare(n); len(n) > 1 {
				names[n] = 0
			}
		}
	}
	// Those of the evidence first, then the ones with the shortest names.
	slices.SortStableFunc(entries, func(x, y git.TreeEntry) int {
		_, ex := at[x.Path]
		_, ey := at[y.Path]
		if ex != ey {
			if ex {
				return -1
			}
			return 1
		}
		return len(x.Path) - len(y.Path)
	})
	added := 0
	for _, e := range entries {
		line, evident := at[e.Path]
		if added == caseTreeFiles {
			break
		}
		if changed[e.Path] || !strings.HasPrefix(e.Mode, "100") || !evident && !standsFor(e.Path, names) {
			continue
		}
		data, err := b.repo.Blob(ctx, e.Object, caseFileBytes)
		if err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			continue // the case says what it does not show
		}
		if !b.readable(data) {
			continue
		}
		content := string(data)
		if !b.whole {
			content = cutAround(content, line, b.mentioned())
			b.c.cut = b.c.cut || len(content) < len(data)
		}
		b.put(&b.c.before, e.Path, content)
		b.put(&b.c.after, e.Path, content)
		added++
	}
	return nil
}

// standsFor says whether a part of the path is one of the names, and counts it: two files for a name are enough.
func standsFor(p string, names map[string]int) bool {
	parts := strings.Split(p, "/")
	for i, part := range parts {
		stems := []string{bare(part)}
		if i == len(parts)-1 {
			stem, _, _ := strings.Cut(part, ".")
			stems = append(stems, bare(stem))
		}
		for _, s := range stems {
			if n, ok := names[s]; ok && n < 2 {
				names[s]++
				return true
			}
		}
	}
	return false
}

// bare is a name as the component check compares it: letters and digits only.
func bare(s string) string {
	return strings.Map(func(r rune) rune {
		if isWordRune(r) {
			return r
		}
		return -1
	}, strings.ToLower(s))
}

// configuration redacts what the repository configures, with its paths and
// scopes. Exceptions name people's reasons and lift alarms: they are left out.
func (b *caseBuilder) configuration() {
	c := b.config
	var buf strings.Builder
	globs := func(key string, list []string) {
		if len(list) == 0 {
			return
		}
		fmt.Fprintf(&buf, "%s:\n", key)
		for _, g := range list {
			fmt.Fprintf(&buf, "  - %q\n", b.redact.path(g))
		}
	}
	if len(c.Checks) > 0 {
		buf.WriteString("checks:\n")
		for _, id := range checkIDs() {
			if level, ok := c.Checks[id]; ok {
				fmt.Fprintf(&buf, "  %s: %q\n", id, level)
			}
		}
	}
	globs("ignore", c.Ignore)
	globs("generated", c.Generated)
	globs("vendored", c.Vendored)
	if len(c.Scopes) > 0 {
		var names []string
		for name := range c.Scopes {
			names = append(names, name)
		}
		slices.Sort(names)
		buf.WriteString("scopes:\n")
		for _, name := range names {
			fmt.Fprintf(&buf, "  %q:\n", b.redact.text(name))
			for _, g := range c.Scopes[name] {
				fmt.Fprintf(&buf, "    - %q\n", b.redact.path(g))
			}
		}
	}
	b.c.config = buf.String()
}

// needsHistory says whether one of the checks went by what earlier commits touched.
func (m *alarm) needsHistory() bool {
	return slices.ContainsFunc(m.findings, func(f checks.Finding) bool {
		return f.Kind == claim.KindComponent || f.Kind == claim.KindPurpose
	})
}

package main

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/saysolint/sayso/change"
	"github.com/saysolint/sayso/internal/config"
	"github.com/saysolint/sayso/internal/engine"
	"github.com/saysolint/sayso/internal/git"
)

// redactedCase is a case in the form of the project's own test cases: a text
// archive (txtar) with one section for each part.
type redactedCase struct {
	message       string // with {{before}} for the parent's name
	start, end    int    // of the claim, in message
	history       []earlier
	before, after map[string]string
	files         []string // every path, in the order of the sections
	config        string   // "" for none
	left          int      // files of the commit left out
	cut           bool     // unchanged parts of files are left out
	outcome       string   // whether the case shows the contradiction
}

// text is the case as it is written.
func (c *redactedCase) text() []byte {
	var buf bytes.Buffer
	buf.WriteString("A true claim that was contradicted. Names and text are invented, the structure is a real commit's.\n")
	fmt.Fprintf(&buf, "Judged once more as it stands here: %s.\n", c.outcome)
	if c.cut {
		buf.WriteString("Unchanged parts of long files are left out.\n")
	}
	if c.left > 0 {
		fmt.Fprintf(&buf, "%s of the commit left out: binary, too large, or not text.\n", count(c.left, "file"))
	}
	section(&buf, "message", c.message)
	if len(c.history) > 0 {
		var lines strings.Builder
		for _, e := range c.history {
			fmt.Fprintf(&lines, "%s\t%s\t%d\n", e.subject, strings.Join(e.paths, ","), e.times)
		}
		section(&buf, "history", lines.String())
	}
	if c.config != "" {
		section(&buf, "config", c.config)
	}
	for _, name := range c.files {
		if content, ok := c.before[name]; ok {
			section(&buf, "before/"+name, content)
		}
		if content, ok := c.after[name]; ok {
			section(&buf, "after/"+name, content)
		}
	}
	fragment := strings.Join(strings.Fields(c.message[c.start:c.end]), " ")
	section(&buf, "expect", "not contradicted | "+fragment+"\n")
	return buf.Bytes()
}

// contradictedIn builds the case as a repository and returns the checks that
// contradict its claim there.
func (a *app) contradictedIn(ctx context.Context, c *redactedCase) ([]string, error) {
	path, err := a.gitPath()
	if err != nil {
		return nil, err
	}
	if path == "" {
		if path, err = exec.LookPath("git"); err != nil {
			return nil, fmt.Errorf("judging the case: %w", git.ErrNoGit)
		}
	}
	dir, err := os.MkdirTemp("", "sayso-case-")
	if err != nil {
		return nil, ioError("report-false-alarm", err)
	}
	defer os.RemoveAll(dir)
	vars := withoutGit(a.env.Vars)
	run := func(stdin []byte, args ...string) ([]byte, error) {
		cmd := exec.CommandContext(ctx, path, args...)
		cmd.Dir, cmd.Env, cmd.Stdin = dir, vars, bytes.NewReader(stdin)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if err != nil {
			return nil, fmt.Errorf("judging the case: git %s: %w: %s", args[0], err, oneLine(stderr.String()))
		}
		return out, nil
	}
	if _, err := run(nil, "init", "--quiet", "--template=", "--initial-branch=main", "--object-format=sha1", "."); err != nil {
		return nil, err
	}
	// In two steps: the message may name the commit before it.
	if _, err := run(c.stream(true, ""), "fast-import", "--quiet"); err != nil {
		return nil, err
	}
	parent, err := run(nil, "rev-parse", "refs/heads/main")
	if err != nil {
		return nil, err
	}
	before := strings.TrimSpace(string(parent))
	if _, err := run(c.stream(false, before), "fast-import", "--quiet"); err != nil {
		return nil, err
	}
	opts := engine.Options{BuildIndex: true, Workers: 1, Log: a.log}
	if c.config != "" {
		if opts.Config, err = config.Load([]byte(c.config), checkIDs()); err != nil {
			return nil, fmt.Errorf("judging the case: %w", err)
		}
	}
	repo, err := git.Open(ctx, dir, git.Options{GitPath: path, Env: vars, Log: a.log})
	if err != nil {
		return nil, err
	}
	defer repo.Close()
	eng := engine.New(repo, opts)
	defer eng.Close()
	hash, err := repo.Resolve(ctx, "refs/heads/main")
	if err != nil {
		return nil, err
	}
	res := eng.Commit(ctx, hash, nil)
	if res.Error != nil {
		return nil, failed(res.Error)
	}
	// The placeholder is shorter than the name that stands for it.
	at := func(i int) int { return len(strings.ReplaceAll(c.message[:i], "{{before}}", before)) }
	var ids []string
	for _, f := range contradictedOn(res, at(c.start), at(c.end)) {
		ids = append(ids, f.Check)
	}
	return ids, nil
}

// withoutGit is an environment for a repository of our own.
func withoutGit(vars []string) []string {
	var out []string
	for _, kv := range vars {
		if !strings.HasPrefix(kv, "GIT_") {
			out = append(out, kv)
		}
	}
	return append(out, "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "GIT_TERMINAL_PROMPT=0", "LC_ALL=C")
}

// stream is the commits of the case for git fast-import: with first, the history
// and the tree before; without, the commit that is judged.
func (c *redactedCase) stream(first bool, before string) []byte {
	var buf bytes.Buffer
	when := 1700000000
	commit := func(message string) {
		when += 3600
		const who = "Case Author <author@example.org>"
		fmt.Fprintf(&buf, "commit refs/heads/main\nauthor %s %d +0000\ncommitter %s %d +0000\ndata %d\n%s\n", who, when, who, when, len(message), message)
	}
	file := func(name, content string) {
		mode := "100644"
		if strings.HasPrefix(content, "#!") {
			mode = "100755"
		}
		quoted := `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(name) + `"`
		fmt.Fprintf(&buf, "M %s inline %s\ndata %d\n%s\n", mode, quoted, len(content), content)
	}
	tree := func(files map[string]string) {
		buf.WriteString("deleteall\n")
		for _, name := range slices.Sorted(maps.Keys(files)) {
			file(name, asSection(files[name]))
		}
		if c.config != "" {
			file(config.FileName, c.config)
		}
	}
	if !first {
		when += 1 << 25
		commit(strings.ReplaceAll(asSection(c.message), "{{before}}", before))
		buf.WriteString("from refs/heads/main^0\n")
		tree(c.after)
		return buf.Bytes()
	}
	grown := map[string]int{}
	for _, e := range c.history {
		for range e.times {
			commit(e.subject)
			for _, p := range e.paths {
				grown[p]++
				file(p, strings.Repeat("line\n", grown[p]))
			}
		}
	}
	commit("Before")
	tree(c.before)
	return buf.Bytes()
}

// cleanPath makes a path fit for the head of a section, which ends with its line.
func cleanPath(p string) string { return oneLine(p) }

// isSectionMark says whether a line is one that would end a section.
func isSectionMark(line string) bool {
	line = strings.TrimRight(line, " \t\r\n")
	return strings.HasPrefix(line, "-- ") && strings.HasSuffix(line, " --")
}

// section writes one section of a txtar file.
func section(buf *bytes.Buffer, name, content string) {
	fmt.Fprintf(buf, "-- %s --\n%s", name, asSection(content))
}

// asSection is a content as it comes back out of its section: it ends with its
// last line, and no line of it looks like the head of the next.
func asSection(content string) string {
	var b strings.Builder
	for line := range strings.Lines(content) {
		if isSectionMark(line) {
			b.WriteByte(' ')
		}
		b.WriteString(line)
	}
	if content != "" && !strings.HasSuffix(content, "\n") {
		b.WriteByte('\n')
	}
	return b.String()
}

// How much of a long file is kept.
const (
	longFile     = 120 // lines above which a file is cut
	keptTop      = 12  // lines of its beginning
	keptAround   = 8   // lines around a change, a definition, a name
	keptMentions = 30  // lines that mention a name
)

// cutImages leaves the unchanged lines of a long file out that neither the hunks
// nor the definitions around them nor the names of the claim need. What is kept
// of unchanged lines is the same on both sides, so that the difference stays.
func cutImages(f *change.File, old, new string, names []string, evidence map[string][]int) (string, string, bool) {
	a, b := fileLines(old), fileLines(new)
	if max(len(a), len(b)) <= longFile || f.Status == change.Added || f.Status == change.Deleted {
		return old, new, false
	}
	gone, come := map[int]bool{}, map[int]bool{}
	for _, h := range f.Hunks {
		for _, l := range h.Lines {
			switch l.Op {
			case '-':
				gone[l.Old] = true
			case '+':
				come[l.New] = true
			}
		}
	}
	// Both sides as one list of rows; an unchanged line is one row.
	type row struct{ i, j int } // from 1, 0 where the side has none
	var rows []row
	for i, j := 1, 1; i <= len(a) || j <= len(b); {
		switch {
		case i <= len(a) && gone[i]:
			rows = append(rows, row{i, 0})
			i++
		case j <= len(b) && come[j]:
			rows = append(rows, row{0, j})
			j++
		case i <= len(a) && j <= len(b) && a[i-1] == b[j-1]:
			rows = append(rows, row{i, j})
			i, j = i+1, j+1
		default:
			return old, new, false // the hunks are not the whole truth
		}
	}
	lines := make([]string, len(rows))
	want := map[int]bool{}
	for k, r := range rows {
		if r.i > 0 {
			lines[k] = a[r.i-1]
		} else {
			lines[k] = b[r.j-1]
		}
		if r.i == 0 || r.j == 0 || r.i > 0 && slices.Contains(evidence["old"], r.i) ||
			r.j > 0 && (slices.Contains(evidence["new"], r.j) || slices.Contains(evidence["tree"], r.j)) {
			want[k] = true
		}
	}
	keep := keptLines(lines, want, names)
	var left, right strings.Builder
	cut := false
	for k, r := range rows {
		if !keep[k] {
			cut = true
			continue
		}
		if r.i > 0 {
			left.WriteString(a[r.i-1])
		}
		if r.j > 0 {
			right.WriteString(b[r.j-1])
		}
	}
	return left.String(), right.String(), cut
}

// cutAround is what a long file holds around one line and around the names.
func cutAround(content string, line int, names []string) string {
	lines := fileLines(content)
	if len(lines) <= longFile {
		return content
	}
	want := map[int]bool{}
	if line > 0 && line <= len(lines) {
		want[line-1] = true
	}
	keep := keptLines(lines, want, names)
	var b strings.Builder
	for k, l := range lines {
		if keep[k] {
			b.WriteString(l)
		}
	}
	return b.String()
}

// keptLines chooses: the beginning, what is wanted with lines around it and the
// lines that it is indented under, and the lines that mention a name.
func keptLines(lines []string, want map[int]bool, names []string) map[int]bool {
	keep := map[int]bool{}
	around := func(k, n int) {
		for i := max(0, k-n); i <= min(len(lines)-1, k+n); i++ {
			keep[i] = true
		}
	}
	for k := range min(keptTop, len(lines)) {
		keep[k] = true
	}
	for k := range want {
		around(k, keptAround)
		indent := indentOf(lines[k])
		for i := k; i >= 0 && indent > 0; i-- {
			if n := indentOf(lines[i]); n >= 0 && n < indent {
				keep[i] = true
				indent = n
			}
		}
	}
	mentions := 0
	for k, l := range lines {
		if low := strings.ToLower(l); mentions < keptMentions && slices.ContainsFunc(names, func(n string) bool { return strings.Contains(low, n) }) {
			mentions++
			around(k, 1)
		}
	}
	return keep
}

// indentOf is the white space before a line, -1 for an empty one.
func indentOf(line string) int {
	rest := strings.TrimLeft(line, " \t")
	if strings.TrimRight(rest, "\r\n") == "" {
		return -1
	}
	return len(line) - len(rest)
}

// fileLines cuts a text into lines with their ends.
func fileLines(s string) []string { return slices.Collect(strings.Lines(s)) }

// findFolded finds words in a text without regard to case and with white space
// folded, and returns their place widened to whole words.
func findFolded(s, words string) (start, end int, ok bool) {
	want := []rune(strings.ToLower(strings.Join(strings.Fields(words), " ")))
	if len(want) == 0 {
		return 0, 0, false
	}
	// The folded text with the place of each of its runes.
	var folded []rune
	var at []int
	space := true
	for i, c := range s {
		if unicode.IsSpace(c) {
			if !space {
				folded, at = append(folded, ' '), append(at, i)
			}
			space = true
			continue
		}
		space = false
		folded, at = append(folded, unicode.ToLower(c)), append(at, i)
	}
	at = append(at, len(s))
	for i := 0; i+len(want) <= len(folded); i++ {
		if string(folded[i:i+len(want)]) == string(want) {
			start, end = at[i], at[i+len(want)]
			break
		}
	}
	if end == 0 {
		return 0, 0, false
	}
	for start > 0 {
		c, n := utf8.DecodeLastRuneInString(s[:start])
		if !isWordRune(c) {
			break
		}
		start -= n
	}
	first := end
	for first > start && unicode.IsSpace(rune(s[first-1])) {
		first--
	}
	end = first
	for end < len(s) {
		c, n := utf8.DecodeRuneInString(s[end:])
		if !isWordRune(c) {
			break
		}
		end += n
	}
	return start, end, true
}

package checkpoint

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/saysolint/sayso/internal/git"
	"github.com/saysolint/sayso/internal/secret"
)

// messageBytes is how much of a commit's message is kept.
const messageBytes = 64 << 10

// branches that hold checkpoints, as they were named over time.
var branches = []string{"entire/checkpoints/v1", "entire/sessions"}

// ref is a branch and where it points.
type ref struct{ name, hash string }

// checkpointRefs lists the branches that hold checkpoints: local before
// remote-tracking, newer names before older, then by name.
func checkpointRefs(ctx context.Context, repo *git.Repo) ([]ref, error) {
	var patterns []string
	for _, b := range branches {
		patterns = append(patterns, "refs/heads/"+b, "refs/remotes/*/"+b)
	}
	refs, err := listRefs(ctx, repo, patterns...)
	if err != nil {
		return nil, err
	}
	rank := func(r ref) int {
		n := slices.IndexFunc(branches, func(b string) bool { return strings.HasSuffix(r.name, "/"+b) })
		if strings.HasPrefix(r.name, "refs/heads/") {
			return n
		}
		return n + len(branches)
	}
	slices.SortFunc(refs, func(a, b ref) int { return cmp.Or(rank(a)-rank(b), strings.Compare(a.name, b.name)) })
	return refs, nil
}

// Refs are the branches that hold checkpoints now, "hash name" each, in a fixed order. What
// was ingested from other ones ([Source.Refs]) is not all that there is.
func Refs(ctx context.Context, repo *git.Repo) ([]string, error) {
	refs, err := checkpointRefs(ctx, repo)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, r := range refs {
		out = append(out, r.hash+" "+r.name)
	}
	return out, nil
}

// walkedRefs lists where a walk of everything begins: all refs to commits, tags and
// fetched pull requests among them, but those of Entire, notes and stashes, which
// hold no commits of the project.
func walkedRefs(ctx context.Context, repo *git.Repo) ([]ref, error) {
	refs, err := listRefs(ctx, repo)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(refs, func(r ref) bool {
		space, rest, _ := strings.Cut(strings.TrimPrefix(r.name, "refs/"), "/")
		switch space {
		case "entire", "notes", "stash":
			return true
		case "remotes":
			_, rest, _ = strings.Cut(rest, "/")
		}
		return strings.HasPrefix(rest, "entire/")
	}), nil
}

// listRefs lists the refs of the patterns, all without one, that point to commits.
func listRefs(ctx context.Context, repo *git.Repo, patterns ...string) ([]ref, error) {
	out, err := repo.Run(ctx, nil, append([]string{
		"for-each-ref", "--format=%(objecttype) %(objectname) %(*objecttype) %(*objectname) %(refname)",
	}, patterns...)...)
	if err != nil {
		return nil, fmt.Errorf("list branches: %w", err)
	}
	var refs []ref
	for line := range strings.Lines(string(out)) {
		f := strings.SplitN(strings.TrimSuffix(line, "\n"), " ", 5)
		switch {
		case len(f) < 5:
		case f[0] == "commit":
			refs = append(refs, ref{name: f[4], hash: f[1]})
		case f[0] == "tag" && f[2] == "commit":
			refs = append(refs, ref{name: f[4], hash: f[3]})
		}
	}
	return refs, nil
}

// walked is what a walk over commits found.
type walked struct {
	commits  int
	trailers int
	byID     map[string][]Commit // without Files; newest first
	parents  map[string]string   // first parent of each commit in byID, "" for a root
	cut      bool                // the budget ended the walk
}

// walk goes over the history of tips and keeps the commits that name a checkpoint.
func walk(ctx context.Context, repo *git.Repo, tips []string, budget int) (*walked, error) {
	args := []string{
		"-c", "log.showSignature=false", "log", "-z", "--encoding=UTF-8", "--no-color", "--no-decorate", "--no-show-signature",
		"--no-mailmap", "--no-notes", "--no-patch", "--stdin", "--max-count=" + strconv.Itoa(budget+1),
		"--format=tformat:%H%x00%P%x00%an%x00%ae%x00%at%x00%ct%x00%(trailers:key=Entire-Checkpoint,valueonly,separator=%x2C)%x00%B",
	}
	p, err := repo.Start(args...)
	if err != nil {
		return nil, err
	}
	release := p.Guard(ctx)
	defer release()
	if err := p.Ask(strings.Join(tips, "\n") + "\n"); err != nil {
		return nil, p.Fail(ctx, err)
	}
	if err := p.EndInput(); err != nil {
		return nil, p.Fail(ctx, err)
	}
	w := &walked{byID: map[string][]Commit{}, parents: map[string]string{}}
	for {
		var f [8]string
		for i := range f {
			s, err := p.Out.ReadString(0)
			if err == io.EOF && i == 0 && s == "" {
				return w, p.End(ctx, nil)
			}
			if err != nil {
				return nil, p.End(ctx, fmt.Errorf("reading history: %w", err))
			}
			f[i] = s[:len(s)-1]
		}
		if w.commits == budget {
			w.cut = true
			p.Kill()
			return w, nil
		}
		w.commits++
		ids := trailerIDs(f[6])
		if len(ids) == 0 {
			continue
		}
		w.trailers += len(ids)
		c := Commit{Hash: f[0], Author: printable(f[2]), Email: printable(f[3]), Authored: epoch(f[4]), Committed: epoch(f[5])}
		message := strings.TrimRight(strings.ToValidUTF8(f[7], "\uFFFD"), "\n")
		if len(message) > messageBytes {
			message, c.MessageCut = strings.ToValidUTF8(message[:messageBytes], ""), true
		}
		c.Message, c.SecretsGone = secret.Mask(message)
		w.parents[c.Hash], _, _ = strings.Cut(f[1], " ")
		for _, id := range ids {
			w.byID[id] = append(w.byID[id], c)
		}
	}
}

// trailerIDs are the checkpoints that the values of a commit's trailers name, each
// once. What is no identifier names nothing.
func trailerIDs(values string) []string {
	var ids []string
	for v := range strings.SplitSeq(values, ",") {
		if v = strings.TrimSpace(v); validID(v) && !slices.Contains(ids, v) {
			ids = append(ids, v)
		}
	}
	return ids
}

// validID says whether s can be the identifier of a checkpoint: it becomes part
// of a path. Today's are twelve hexadecimal digits.
func validID(s string) bool {
	if len(s) < 4 || len(s) > 64 {
		return false
	}
	for i := range len(s) {
		if c := s[i]; !('0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z') {
			return false
		}
	}
	return true
}

func epoch(s string) time.Time {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n <= 0 || n > 1<<40 {
		return time.Time{}
	}
	return time.Unix(n, 0).UTC()
}

// printable makes a short text of one line fit to be kept.
func printable(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < 0x20 || r == 0x7f {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
	if len(s) > 500 {
		s = strings.ToValidUTF8(s[:500], "")
	}
	return s
}

// changedFiles lists what each commit changed against its first parent ("" for a
// root). A commit whose trees are not all there is left out of the answer.
func changedFiles(ctx context.Context, repo *git.Repo, parents map[string]string) (map[string][]string, error) {
	hashes := make([]string, 0, len(parents))
	for h := range parents {
		hashes = append(hashes, h)
	}
	slices.Sort(hashes)
	var ask strings.Builder
	for _, h := range hashes {
		ask.WriteString(h)
		if p := parents[h]; p != "" {
			ask.WriteString(" " + p)
		}
		ask.WriteString("\n")
	}
	files := make(map[string][]string, len(hashes))
	out, err := repo.Run(ctx, strings.NewReader(ask.String()), "diff-tree", "--stdin", "--root", "--always", "-r", "--raw", "-z", "--no-abbrev", "--no-renames")
	if err == nil {
		err = readChanged(out, files)
	}
	if err == nil || ctx.Err() != nil {
		return files, err
	}
	// One commit that cannot be read ends the whole answer: each is asked for alone.
	clear(files)
	for _, h := range hashes {
		entries, err := repo.Diff(ctx, parents[h], h)
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if err == nil {
			files[h] = paths(entries)
		}
	}
	return files, nil
}

func readChanged(out []byte, files map[string][]string) error {
	in := bufio.NewReader(bytes.NewReader(out))
	for {
		hash, err := in.ReadString(0)
		if err == io.EOF && hash == "" {
			return nil
		}
		if err != nil {
			return err
		}
		entries, err := git.ParseRaw(in)
		if err != nil {
			return err
		}
		files[hash[:len(hash)-1]] = paths(entries)
	}
}

func paths(entries []git.RawEntry) []string {
	list := make([]string, 0, len(entries))
	for _, e := range entries {
		list = append(list, strings.ToValidUTF8(e.Path, "\uFFFD"))
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// folder is the files of one checkpoint on one branch, by their path inside its
// folder.
type folder map[string]string

// folders finds the folders of the wanted checkpoints. Where several branches
// have one, the first branch counts. others is how many checkpoints the branches
// hold beside the wanted ones.
func folders(ctx context.Context, repo *git.Repo, refs []ref, wanted func(id string) bool, all []string) (found map[string]folder, others int, err error) {
	found = map[string]folder{}
	unnamed := map[string]bool{}
	for _, r := range refs {
		entries, err := repo.Tree(ctx, r.hash)
		if ctx.Err() != nil {
			return nil, 0, context.Cause(ctx)
		}
		if err != nil {
			// Some tree is not there: what can be listed is listed folder by folder.
			entries = entries[:0]
			for _, id := range all {
				part, err := repo.Tree(ctx, r.hash+":"+shard(id))
				if ctx.Err() != nil {
					return nil, 0, context.Cause(ctx)
				}
				if err != nil {
					continue
				}
				for _, e := range part {
					e.Path = shard(id) + "/" + e.Path
					entries = append(entries, e)
				}
			}
		}
		here := map[string]folder{}
		for _, e := range entries {
			f := strings.SplitN(e.Path, "/", 3)
			if len(f) != 3 || e.Type != "blob" {
				continue
			}
			id := f[0] + f[1]
			switch {
			case len(f[0]) != 2 || !validID(id):
			case !wanted(id):
				unnamed[id] = true
			default:
				if here[id] == nil {
					here[id] = folder{}
				}
				here[id][f[2]] = e.Object
			}
		}
		for id, f := range here {
			if found[id] == nil {
				found[id] = f
			}
		}
	}
	return found, len(unnamed), nil
}

// shard is the folder of a checkpoint.
func shard(id string) string { return id[:2] + "/" + id[2:] }

// unreadable says that an error is about one object, which costs only what it holds.
func unreadable(err error) bool {
	return errors.Is(err, git.ErrMissing) || errors.Is(err, git.ErrCorrupt) || errors.Is(err, git.ErrUnknown) || errors.Is(err, git.ErrTooLarge)
}

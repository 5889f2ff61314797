package sweep

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Runner runs git; *git.Repo has it.
type Runner interface {
	Run(ctx context.Context, stdin io.Reader, args ...string) ([]byte, error)
}

// origin is where blame says that a line comes from.
type origin struct {
	commit string
	path   string
	line   int // from 0
}

// oracle knows where lines went between two commits.
type oracle struct {
	repo    Runner
	old     string
	new     string
	blames  map[[3]string][]origin // low, high and path to one origin a line
	renames map[string][]string    // old path to new ones
	past    map[string]bool        // commits of the history of old
}

func newOracle(ctx context.Context, repo Runner, old, new string) (*oracle, error) {
	o := &oracle{repo: repo, old: old, new: new, blames: map[[3]string][]origin{}, renames: map[string][]string{}}
	out, err := repo.Run(ctx, nil, "diff-tree", "-r", "-z", "--name-status", "-M", "-C", "--diff-filter=RC", old, new, "--")
	if err != nil {
		return nil, err
	}
	past, err := repo.Run(ctx, nil, "rev-list", old)
	if err != nil {
		return nil, err
	}
	o.past = map[string]bool{}
	for hash := range strings.FieldsSeq(string(past)) {
		o.past[hash] = true
	}
	f := strings.Split(string(out), "\x00")
	for i := 0; i+2 < len(f); i += 3 {
		o.renames[f[i+1]] = append(o.renames[f[i+1]], f[i+2])
	}
	return o, nil
}

// blame is the origin of each line of a file of high, as far back as low, or to
// the beginning where that is "".
func (o *oracle) blame(ctx context.Context, low, high, path string) ([]origin, error) {
	k := [3]string{low, high, path}
	if b, ok := o.blames[k]; ok {
		return b, nil
	}
	out, err := o.repo.Run(ctx, nil, "-c", "blame.ignoreRevsFile=", "blame", "-w", "-M", "-C", "-s", "--line-porcelain", strings.TrimPrefix(low+".."+high, ".."), "--", path)
	if err != nil {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		out = nil // the file is not there
	}
	var rows []origin
	in := bufio.NewReader(bytes.NewReader(out))
	var at origin
	for {
		line, err := in.ReadString('\n')
		if line == "" && err != nil {
			break
		}
		line = strings.TrimSuffix(line, "\n")
		switch {
		case strings.HasPrefix(line, "\t"):
			rows = append(rows, at)
			at = origin{}
		case at.commit == "":
			f := strings.Fields(line)
			if len(f) < 3 {
				return nil, fmt.Errorf("git blame answered %q", line)
			}
			n, err := strconv.Atoi(f[1])
			if err != nil {
				return nil, fmt.Errorf("git blame answered %q", line)
			}
			at.commit, at.line = f[0], n-1
		default:
			if p, ok := strings.CutPrefix(line, "filename "); ok {
				at.path = unquote(p)
			}
		}
	}
	o.blames[k] = rows
	return rows, nil
}

func unquote(p string) string {
	if strings.HasPrefix(p, `"`) {
		if s, err := strconv.Unquote(p); err == nil {
			return s
		}
	}
	return p
}

// spot is a place of a passage at the later commit.
type spot struct {
	path string
	from int // from 0
}

// places are where all lines of a passage stand next to each other, unmodified
// but for white space, in files that it may have gone to.
func (o *oracle) places(ctx context.Context, p planted, files []string) (map[spot]bool, error) {
	out := map[spot]bool{}
	size := p.to - p.from
	for _, f := range files {
		rows, err := o.blame(ctx, o.old, o.new, f)
		if err != nil {
			return nil, err
		}
		for i := 0; i+size <= len(rows); i++ {
			whole := true
			for j := 0; j < size && whole; j++ {
				if whole, err = o.is(ctx, rows[i+j], spot{f, i + j}, spot{p.path, p.from + j}); err != nil {
					return nil, err
				}
			}
			if whole {
				out[spot{f, i}] = true
			}
		}
	}
	return out, nil
}

// is says whether a line of the later commit, of which blame gives the origin, is
// a line of the old one. Where blame went round the old commit, by a branch that
// began before it, both lines are traced to where they met, or to where they were
// written.
func (o *oracle) is(ctx context.Context, at origin, now, then spot) (bool, error) {
	if at.commit == o.old {
		return at.path == then.path && at.line == then.from, nil
	}
	if !o.past[at.commit] {
		return false, nil
	}
	rows, err := o.blame(ctx, at.commit, o.old, then.path)
	if err != nil || then.from >= len(rows) || rows[then.from] == at {
		return err == nil && then.from < len(rows), err
	}
	before, err := o.blame(ctx, "", o.old, then.path)
	if err != nil {
		return false, err
	}
	after, err := o.blame(ctx, "", o.new, now.path)
	if err != nil {
		return false, err
	}
	return then.from < len(before) && now.from < len(after) && before[then.from] == after[now.from], nil
}

// mayBeIn lists the files of the later commit that a passage may have gone to:
// the same path, what git says it became, and files with its longest line.
func (o *oracle) mayBeIn(ctx context.Context, p planted, more ...string) []string {
	files := append([]string{p.path}, o.renames[p.path]...)
	longest := []byte{}
	for _, l := range p.lines {
		if l = bytes.TrimSpace(l); len(l) > len(longest) {
			longest = l
		}
	}
	if out, err := o.repo.Run(ctx, nil, "grep", "-z", "-l", "-F", "-e", string(longest), o.new); err == nil {
		all := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
		for _, f := range all[:min(len(all), 8)] {
			files = append(files, strings.TrimPrefix(f, o.new+":"))
		}
	}
	seen := map[string]bool{}
	var out []string
	for _, f := range append(files, more...) {
		if f != "" && !seen[f] {
			seen[f] = true
			out = append(out, f)
		}
	}
	return out
}

// names says whether the later commit has a name anywhere as a whole word.
func (o *oracle) names(ctx context.Context, name string) bool {
	out, err := o.repo.Run(ctx, nil, "grep", "-l", "-w", "-F", "-e", name, o.new)
	return err == nil && len(out) > 0
}

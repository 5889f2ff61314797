package sweep

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/saysolint/sayso/internal/git"
)

// lookup asks one long-lived git what a commit has under a path. That a path is not
// there is a common answer here and no mistake that deserves to be explained.
type lookup struct {
	repo Repo
	mu   sync.Mutex
	proc *git.Process
}

// at is the object and the kind of what a commit has under a path, "" for nothing.
func (l *lookup) at(ctx context.Context, commit, path string) (object, kind string, err error) {
	if strings.ContainsAny(path, "\n\x00") {
		return "", "", nil // no question that git could be asked by line
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.proc == nil {
		if l.proc, err = l.repo.Start("cat-file", "--batch-check=%(objectname) %(objecttype)"); err != nil {
			return "", "", err
		}
	}
	release := l.proc.Guard(ctx)
	defer release()
	var line string
	if err = l.proc.Ask(commit + ":" + path + "\n"); err == nil {
		line, err = l.proc.Out.ReadString('\n')
	}
	if err != nil {
		err = l.proc.Fail(ctx, err)
		l.proc = nil
		return "", "", fmt.Errorf("looking up %s in %s: %w", git.Quote(path), short(commit), err)
	}
	f := strings.Fields(line)
	if len(f) != 2 || f[0] == commit+":"+path || !isHex(f[0]) || len(f[0]) < 40 {
		return "", "", nil
	}
	return f[0], f[1], nil
}

func (l *lookup) close() {
	if l.proc != nil {
		_ = l.proc.Close()
	}
}

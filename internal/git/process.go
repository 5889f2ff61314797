package git

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os/exec"
	"sync"
	"time"
)

// Process is a git that stays alive and answers many questions, such as
// `diff-tree --stdin`. It is not concurrent. Whoever starts it must call Close.
type Process struct {
	Out *bufio.Reader // its standard output

	args   []string
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    io.Closer // what Out reads from
	errs   *tail
	once   sync.Once
	waited error
}

// Start starts a long-lived git command.
func (r *Repo) Start(args ...string) (*Process, error) {
	if r.git == "" {
		return nil, fmt.Errorf("git %s: %w", first(args), ErrNoGit)
	}
	p := &Process{args: args, errs: &tail{}}
	p.cmd = r.command(context.Background(), args)
	p.cmd.Stderr = p.errs
	var err error
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return nil, failure(args, err, "")
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, failure(args, err, "")
	}
	if err = p.cmd.Start(); err != nil {
		return nil, failure(args, err, "")
	}
	r.opts.Log.Debug().Strs("git", args).Int("pid", p.cmd.Process.Pid).Msg("start")
	p.out = out
	p.Out = bufio.NewReaderSize(out, 64<<10)
	return p, nil
}

// Ask writes text to git's standard input.
func (p *Process) Ask(text string) error {
	_, err := io.WriteString(p.in, text)
	return err
}

// EndInput closes git's standard input.
func (p *Process) EndInput() error { return p.in.Close() }

// Guard kills the process when ctx ends, until the returned function is
// called; a read that is under way then fails at once.
func (p *Process) Guard(ctx context.Context) (release func() bool) {
	return context.AfterFunc(ctx, p.stop)
}

// stop kills the process and closes its output as well: where git is a wrapper,
// its child outlives it and would keep the pipe open.
func (p *Process) stop() {
	_ = p.cmd.Process.Kill()
	_ = p.out.Close()
}

// Fail ends the process after a read or write went wrong and says why: the
// context's cause, else git's own last words, else err.
func (p *Process) Fail(ctx context.Context, err error) error {
	return p.End(ctx, err)
}

// Close ends the process: politely, by the end of its input, and by force when
// it does not go within a second.
func (p *Process) Close() error { _ = p.wait(time.Second); return nil }

// Kill ends the process at once.
func (p *Process) Kill() { p.stop(); _ = p.wait(time.Second) }

func (p *Process) wait(patience time.Duration) error {
	p.once.Do(func() {
		_ = p.in.Close()
		timer := time.AfterFunc(patience, p.stop)
		_, _ = io.Copy(io.Discard, p.Out)
		p.waited = p.cmd.Wait()
		timer.Stop()
	})
	return p.waited
}

// tail keeps the first and the last 4 KB of what is written to it.
type tail struct {
	mu   sync.Mutex
	head []byte
	last []byte
}

const tailSize = 4 << 10

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := len(b)
	if room := tailSize - len(t.head); room > 0 {
		k := min(room, len(b))
		t.head, b = append(t.head, b[:k]...), b[k:]
	}
	t.last = append(t.last, b...)
	if over := len(t.last) - tailSize; over > 0 {
		t.last = append(t.last[:0], t.last[over:]...)
	}
	return n, nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.head) + string(t.last)
}

// End waits for a process that was to end by itself and says why it failed:
// err where reading went wrong, else its exit code. nil after a clean end.
func (p *Process) End(ctx context.Context, err error) error {
	waited := p.wait(2 * time.Second)
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("git %s: %w", first(p.args), context.Cause(ctx))
	case waited != nil:
		return failure(p.args, waited, p.errs.String())
	case err != nil:
		return fmt.Errorf("git %s: %w", first(p.args), err)
	}
	return nil
}

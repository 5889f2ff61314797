//go:build unix

package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestSignalsEndEveryReadOfASilentInput sends SIGTERM while standard input, or a
// pipe that nobody writes to, is waited for.
func TestSignalsEndEveryReadOfASilentInput(t *testing.T) {
	env, _ := batchRepo(t)
	fifo := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	bin, err := exec.LookPath("sayso")
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		stdin string // what is written before the silence
		args  []string
	}{
		"message":                {"", []string{"check", "--staged", "--message-file", "-"}},
		"half a message":         {"feat: x\n", []string{"check", "--staged", "--message-file", "-"}},
		"transcript":             {"", []string{"check", "--transcript", "-"}},
		"body":                   {"", []string{"check", "HEAD~1..HEAD", "--title", "x", "--body-file", "-"}},
		"batch":                  {"", []string{"check", "--batch"}},
		"render":                 {"", []string{"render", "-"}},
		"agent-stop":             {"", []string{"hook", "run", "agent-stop"}},
		"pre-push":               {"", []string{"hook", "run", "pre-push"}},
		"message from a pipe":    {"", []string{"check", "--staged", "--message-file", fifo}},
		"transcript in a pipe":   {"", []string{"check", "--transcript", fifo}},
		"pipe named to a hook":   {"", []string{"hook", "run", "commit-msg", fifo}},
		"pipe named by an agent": {`{"transcript_path":"` + fifo + `"}`, []string{"hook", "run", "agent-stop"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cmd := exec.Command(bin, tt.args...)
			cmd.Dir, cmd.Env = env.Dir, env.Vars
			var out bytes.Buffer
			cmd.Stdout, cmd.Stderr = &out, &out
			in, err := cmd.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			_, _ = io.WriteString(in, tt.stdin)
			if strings.Contains(tt.stdin, "transcript_path") {
				_ = in.Close() // the event is whole, the pipe that it names is silent
			}
			time.Sleep(500 * time.Millisecond) // by now it waits; a signal before that ends it as well
			_ = cmd.Process.Signal(syscall.SIGTERM)
			done := make(chan error, 1)
			go func() { done <- cmd.Wait() }()
			select {
			case <-done:
			case <-time.After(15 * time.Second):
				_ = cmd.Process.Kill()
				<-done
				t.Fatal("SIGTERM did not end it")
			}
			_ = in.Close()
			if code := cmd.ProcessState.ExitCode(); code != 3 && code != -1 {
				t.Errorf("exit code %d: %s", code, out.String())
			}
		})
	}
}

func TestTimeEndsTheReadOfASilentPipe(t *testing.T) {
	fifo := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	a := newApp(strings.NewReader(""), io.Discard, io.Discard, environment(t, t.TempDir()))
	ctx, cancel := context.WithTimeoutCause(context.Background(), 50*time.Millisecond, errTimeout)
	defer cancel()
	if _, err := a.readInput(ctx, "message file", fifo, maxText); err == nil || !strings.Contains(err.Error(), errTimeout.Error()) {
		t.Errorf("got %v", err)
	}
	// The read that was given up holds the pipe: let it go.
	if f, err := os.OpenFile(fifo, os.O_RDWR, 0); err == nil {
		_ = f.Close()
	}
}

func TestHelpThatCannotBeWrittenIsAFailure(t *testing.T) {
	var errOut bytes.Buffer
	code := Main([]string{"--help"}, strings.NewReader(""), brokenWriter{}, &errOut, environment(t, t.TempDir()))
	if code != 3 || !strings.Contains(errOut.String(), "standard output: no space left on device") {
		t.Errorf("code %d, %q", code, errOut.String())
	}
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, syscall.ENOSPC }

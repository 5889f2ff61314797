package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os/exec"
	"syscall"
	"testing"
)

// peakMiB bounds the memory of a run over the commits below. What a process
// starts with counts, so the test keeps its own memory small.
const peakMiB = 150

// TestHugeCommitsAreJudgedInBoundedMemory judges a commit that adds a file of
// 100 MB and one that touches 20,000 files, each in a process of its own.
func TestHugeCommitsAreJudgedInBoundedMemory(t *testing.T) {
	env := environment(t, t.TempDir())
	gitIn(t, env, "init", "-q")
	importCommits(t, env)
	bin, err := exec.LookPath("sayso")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, rev, state string
		verdicts         map[string]string // of the claims, by kind and text
	}{
		{"a file of 100 MB is declared, not read", "HEAD~1", "partial", map[string]string{
			"path big.txt": "corroborated", "quantity 1000": "unverifiable", "identifier `parseRows`": "unverifiable",
		}},
		{"20,000 files are read", "HEAD", "complete", map[string]string{"scope Only touches files in d0/": "contradicted"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			cmd := exec.Command(bin, "check", tt.rev, "--json")
			cmd.Dir, cmd.Env = env.Dir, env.Vars
			out, err := cmd.Output()
			if code := cmd.ProcessState.ExitCode(); err != nil && code != 1 {
				t.Fatalf("exit code %d: %v", code, err)
			}
			if peak := cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss / 1024; peak > memoryFactor*peakMiB {
				t.Errorf("peak memory %d MiB, at most %d", peak, memoryFactor*peakMiB)
			}
			var rep struct {
				Results []struct {
					Coverage struct{ State string }
					Claims   []struct{ Kind, Text, Verdict string }
				}
			}
			if err := json.Unmarshal(out, &rep); err != nil || len(rep.Results) != 1 {
				t.Fatalf("%v in %s", err, out)
			}
			if got := rep.Results[0].Coverage.State; got != tt.state {
				t.Errorf("coverage %q, want %q", got, tt.state)
			}
			got := map[string]string{}
			for _, c := range rep.Results[0].Claims {
				got[c.Kind+" "+c.Text] = c.Verdict
			}
			for claim, want := range tt.verdicts {
				if got[claim] != want {
					t.Errorf("%s is %q, want %q (all: %v)", claim, got[claim], want, got)
				}
			}
		})
	}
}

func importCommits(t *testing.T, env Environment) {
	t.Helper()
	cmd := exec.Command("git", "fast-import", "--quiet")
	cmd.Dir, cmd.Env = env.Dir, env.Vars
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w := bufio.NewWriter(in)
	commit := func(n int, message string) {
		fmt.Fprintf(w, "commit refs/heads/main\ncommitter a <a@example.invalid> %d +0000\ndata %d\n%s\n", 1700000000+n, len(message), message)
	}
	file := func(path, content string) {
		fmt.Fprintf(w, "M 100644 inline %s\ndata %d\n%s\n", path, len(content), content)
	}
	commit(1, "Start\n")
	for i := range 20000 {
		file(fmt.Sprintf("d%d/f%d.txt", i%200, i), "one\n")
	}
	commit(2, "Add big.txt with 1000 rows\n\n- add `parseRows` to big.txt\n")
	const line, lines = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcde\n", 100 << 20 / 64
	fmt.Fprintf(w, "M 100644 inline big.txt\ndata %d\n", lines*len(line))
	for range lines {
		_, _ = w.WriteString(line)
	}
	_, _ = w.WriteString("\n")
	commit(3, "Count anew\n\nOnly touches files in d0/.\n")
	for i := range 20000 {
		file(fmt.Sprintf("d%d/f%d.txt", i%200, i), "two\n")
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	_ = in.Close()
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	gitIn(t, env, "symbolic-ref", "HEAD", "refs/heads/main")
}

//go:build integration && linux

package integration

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestOffline runs every command that reads what is private under strace, on this
// project's own history and on a memory and transcripts made for it, and fails on any
// network call other than those of a UNIX socket that git itself opens.
func TestOffline(t *testing.T) {
	b := wire(t)
	repo := filepath.Join(t.TempDir(), "history")
	run(t, b.dir, b.env, "git", "clone", "-q", checkout(t), repo)
	b.dir = repo
	run(t, repo, b.env, "git", "config", "user.name", "N")
	run(t, repo, b.env, "git", "config", "user.email", "n@example.com")
	head := strings.TrimSpace(run(t, repo, b.env, "git", "rev-parse", "HEAD"))
	// The remote must not be where anything is looked for.
	run(t, repo, b.env, "git", "remote", "set-url", "origin", "https://example.invalid/nowhere.git")
	write(t, repo, "doc.json", `{"schema": "sayso.checkpoints/v1", "source": "robot", "checkpoints": [{"id": "c1", "commits": ["`+head+`"],
 "turns": [{"role": "person", "text": "Read the memory of this project"}, {"role": "assistant", "text": "I added memory/none.go and removed README.md"}]}]}`)

	// That a network call is seen at all, by a program that makes one.
	if calls := b.traced(t, true, "git", "ls-remote", "git://127.0.0.1:9/none"); len(calls) == 0 {
		t.Fatal("strace saw no network call of a git that made one: nothing here is proven")
	}

	commands := [][]string{
		{"sayso", "check", "HEAD"},
		{"sayso", "check", "--graph", "built-in", "HEAD~3..HEAD"},
		{"sh", "-c", "sayso check --format json HEAD >report.json"},
		{"sayso", "render", "--format", "markdown", "report.json"},
		{"sayso", "ingest"},
		{"sayso", "ingest", "--from", "doc.json"},
		{"sayso", "recall", "--explain", "what reads the memory of this project"},
		{"sayso", "recall", "--json", "why is text masked"},
		{"sayso", "brief"},
		{"sayso", "memory", "propose", "--kind", "decision", "--title", "Stay offline"},
		{"sayso", "memory", "list"},
		{"sayso", "memory", "lint"},
		{"sayso", "memory", "export", "--json"},
		{"sayso", "learn", "--notes", "--last", "20", "HEAD"},
		{"sh", "-c", "sayso learn --json HEAD | sayso publish --drafts - --accept all --branch learned"},
		{"sayso", "index"},
		{"sayso", "doctor"},
		{"sayso", "bench", "--last", "40", "--per-rule", "2", "--natural", "10", "--control", "2"},
		{"sayso", "bench", "recall", "--last", "200"},
		{"sayso", "hook", "install"},
		{"git", "commit", "-q", "--allow-empty", "-m", "Remove memory/none.go"},
	}
	// Commands that come later join when they are there.
	listed := func(group, name string) bool {
		args := append(append([]string{"sayso"}, strings.Fields(group)...), "--help")
		return regexp.MustCompile(`(?m)^  ` + name + ` `).MatchString(run(t, repo, b.env, "env", args...))
	}
	write(t, repo, "mcp.in", strings.Join([]string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"recall","arguments":{"query":"why is text masked"}}}`,
		`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"memory_search","arguments":{"query":"offline"}}}`,
		`{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"check_message","arguments":{"message":"Remove README.md"}}}`,
		`{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"brief","arguments":{}}}`,
		`{"jsonrpc":"2.0","id":6,"method":"resources/list"}`,
	}, "\n")+"\n")
	// The client stays until each call was answered; one that leaves ends them.
	commands = append(commands, []string{"sh", "-c", `(cat mcp.in; sleep 10) | sayso mcp >mcp.out; for id in 1 2 3 4 5 6; do grep -q "\"id\":$id,\"result\"" mcp.out || exit 1; done`})
	for _, name := range []string{"sweep", "learn"} {
		if listed("", name) {
			commands = append(commands, []string{"sayso", name})
		}
	}
	if listed("memory", "search") {
		commands = append(commands, []string{"sayso", "memory", "search", "offline"})
	}
	for _, c := range commands {
		t.Run(strings.Join(c, " "), func(t *testing.T) {
			for _, call := range b.traced(t, false, c...) {
				t.Errorf("a network call: %s", call)
			}
		})
	}
}

// started matches the call with which a process becomes a program.
var started = regexp.MustCompile(`^(\d+) +execve\("([^"]+)".*\) = 0$`)

// calls matches any other call that is traced.
var calls = regexp.MustCompile(`^(\d+) +([a-z0-9_]+)\(`)

// traced runs a command under strace and returns the network calls that it must not
// make. mayFail lets the command itself fail for any reason; otherwise only the exit
// codes of sayso that stand for a verdict pass.
func (b *wired) traced(t *testing.T, mayFail bool, command ...string) []string {
	t.Helper()
	log := filepath.Join(t.TempDir(), "trace")
	args := append([]string{"-f", "-qq", "-o", log, "-e", "trace=network,execve", "-e", "signal=none", "--"}, command...)
	out, err := try(b.dir, b.env, "strace", args...)
	data, logErr := os.ReadFile(log)
	if logErr != nil || !strings.Contains(string(data), "execve(") {
		t.Fatalf("strace cannot trace here, so nothing is proven: %v\n%s", err, out)
	}
	if err != nil && !mayFail && (strings.Contains(out, "usage") || !strings.HasSuffix(err.Error(), "status 1") && !strings.HasSuffix(err.Error(), "status 3")) {
		t.Fatalf("%v: %v\n%s", command, err, out)
	}
	return forbidden(string(data))
}

// forbidden are the lines of a trace that are network calls of anything but git, or
// of git over anything but UNIX sockets.
func forbidden(trace string) []string {
	program := map[string]string{}
	var out []string
	for line := range strings.Lines(trace) {
		line = strings.TrimSuffix(line, "\n")
		if m := started.FindStringSubmatch(line); m != nil {
			program[m[1]] = filepath.Base(m[2])
			continue
		}
		m := calls.FindStringSubmatch(line)
		if m == nil || m[2] == "execve" {
			continue
		}
		// A thread, or a child before it becomes a program, has no name of its own and
		// is held to the stricter rule.
		byGit := program[m[1]] == "git"
		opens := m[2] == "socket" || m[2] == "socketpair"
		if !byGit || opens && !strings.Contains(line, "(AF_UNIX,") {
			out = append(out, line)
		}
	}
	return out
}

// TestForbiddenCalls holds what the proof hangs on: which lines of a trace count.
func TestForbiddenCalls(t *testing.T) {
	for _, c := range []struct {
		name, trace string
		want        int
	}{
		{"git over a UNIX socket", "7 execve(\"/usr/bin/git\", [\"git\"], 0x0) = 0\n7 socket(AF_UNIX, SOCK_STREAM, 0) = 3\n7 connect(3, {sa_family=AF_UNIX}, 110) = -1\n", 0},
		{"git over the network", "7 execve(\"/usr/bin/git\", [\"git\"], 0x0) = 0\n7 socket(AF_INET, SOCK_STREAM, 0) = 3\n", 1},
		{"sayso over a UNIX socket", "7 execve(\"/bin/sayso\", [\"sayso\"], 0x0) = 0\n7 socket(AF_UNIX, SOCK_STREAM, 0) = 3\n", 1},
		{"a thread", "7 execve(\"/bin/sayso\", [\"sayso\"], 0x0) = 0\n8 socket(AF_INET6, SOCK_DGRAM, 0) = 3\n", 1},
		{"a program that was not found", "7 execve(\"/bin/git\", [\"git\"], 0x0) = -1 ENOENT\n7 socket(AF_UNIX, SOCK_STREAM, 0) = 3\n", 1},
		{"the end of a process", "7 +++ exited with 0 +++\n", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := forbidden(c.trace); len(got) != c.want {
				t.Errorf("got %q, want %d", got, c.want)
			}
		})
	}
}

func write(t *testing.T, dir, name, content string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/saysolint/sayso/bench/decisions/labels"
)

// mirror makes a clone of owner/name with one file and returns the folder around
// it and the commit.
func mirror(t *testing.T, name, content string) (dir, commit string) {
	t.Helper()
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	t.Setenv("GIT_CONFIG_SYSTEM", os.DevNull)
	dir = t.TempDir()
	repo := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(repo, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(repo, "RULES.md"), []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "."}, {"-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-qm", "Add rules"}, {"rev-parse", "HEAD"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir = repo
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
		commit = strings.TrimSpace(string(out))
	}
	return dir, commit
}

func statement(commit, text string) labels.Statement {
	sum := sha256.Sum256([]byte(text))
	return labels.Statement{ID: "x-001", Repo: "owner/name", Commit: commit, Path: "RULES.md", Line: 1, EndLine: 2, Start: 2, End: 2 + len(text), SHA256: hex.EncodeToString(sum[:])}
}

func TestTextsAreReadFromEveryLayoutOfClones(t *testing.T) {
	for _, name := range []string{"owner+name", "owner+name/repo", "owner+name.git", "owner/name", "owner/name.git"} {
		t.Run(name, func(t *testing.T) {
			dir, commit := mirror(t, name, "- Keep <it>\n  short.\n")
			var out, texts bytes.Buffer
			enc := json.NewEncoder(&texts)
			enc.SetEscapeHTML(false)
			if err := verify(context.Background(), dir, []labels.Statement{statement(commit, "Keep <it> short.")}, enc, &out); err != nil {
				t.Fatal(err)
			}
			if got, want := out.String(), "1 texts of 1 repositories read and verified, 0 not\n"; got != want {
				t.Errorf("got %q, want %q", got, want)
			}
			if got, want := texts.String(), `{"id":"x-001","text":"Keep <it> short."}`+"\n"; got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}

func TestWhatCannotBeVerifiedIsAnError(t *testing.T) {
	dir, commit := mirror(t, "owner+name", "- Keep it\n  short.\n")
	for name, s := range map[string]labels.Statement{
		"not the one that was labelled": statement(commit, "Keep it shorn."),
		"no clone of other/name": func() labels.Statement {
			s := statement(commit, "Keep it short.")
			s.Repo = "other/name"
			return s
		}(),
		"OTHER.md at": func() labels.Statement {
			s := statement(commit, "Keep it short.")
			s.Path = "OTHER.md"
			return s
		}(),
	} {
		var out bytes.Buffer
		err := verify(context.Background(), dir, []labels.Statement{s}, nil, &out)
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: got %v", name, err)
		}
		if !strings.HasPrefix(out.String(), "0 texts of 1 repositories") {
			t.Errorf("%s: got %q", name, out.String())
		}
	}
}

func TestAMirrorHasToBeNamed(t *testing.T) {
	if err := run(context.Background(), nil, &bytes.Buffer{}); err == nil || !strings.Contains(err.Error(), "-mirror") {
		t.Errorf("got %v", err)
	}
}

package git

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Where the repository is, git is asked by a process, which a hook waits for before
// it can begin. In the plainest of set-ups (the folder is the top of a work tree, with
// an ordinary .git folder in it) the files say the same. Everything that could make
// git answer otherwise is looked for, and where any of it is found git is asked.

// plainVariables are the variables of git's that have no say in where a repository
// is; with any other one set, git is asked.
var plainVariables = map[string]bool{
	"GIT_INDEX_FILE": true, "GIT_EDITOR": true, "GIT_EXEC_PATH": true, "GIT_PAGER": true, "GIT_REFLOG_ACTION": true,
	"GIT_TERMINAL_PROMPT": true, "GIT_OPTIONAL_LOCKS": true, "GIT_NO_LAZY_FETCH": true, "GIT_ALLOW_PROTOCOL": true,
	"GIT_ASKPASS": true, "GIT_SEQUENCE_EDITOR": true, "GIT_MERGE_AUTOEDIT": true, "GIT_CONFIG_GLOBAL": true,
	"GIT_CONFIG_SYSTEM": true, "GIT_CONFIG_NOSYSTEM": true, "GIT_PREFIX": true, "GIT_SSH": true, "GIT_SSH_COMMAND": true,
}

// plainPrefixes are the same for families of variables.
var plainPrefixes = []string{"GIT_AUTHOR_", "GIT_COMMITTER_", "GIT_TRACE", "GIT_SSL_", "GIT_HTTP_", "GIT_PS1_"}

func plainVariable(name, value string) bool {
	switch {
	case plainVariables[name]:
		return true
	case name == "GIT_CONFIG_PARAMETERS", strings.HasPrefix(name, "GIT_CONFIG_KEY_"):
		// Settings of a command line: git -c name=value.
		low := strings.ToLower(value)
		return !slices.ContainsFunc([]string{"core.", "extensions.", "safe.", "include"}, func(part string) bool { return strings.Contains(low, part) })
	case name == "GIT_CONFIG_COUNT", strings.HasPrefix(name, "GIT_CONFIG_VALUE_"):
		return true // the keys tell
	}
	return slices.ContainsFunc(plainPrefixes, func(prefix string) bool { return strings.HasPrefix(name, prefix) })
}

// notBare is the line that git init writes into the configuration of a repository
// with a work tree.
var notBare = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^[ \t]*bare = false$`) })

// maxConfig is the size above which a configuration is git's to read.
const maxConfig = 1 << 20

// locatePlainly finds the repository by its files; false where git has to be asked.
func (r *Repo) locatePlainly() bool {
	for _, pair := range r.env {
		name, value, _ := strings.Cut(pair, "=")
		if strings.HasPrefix(name, "GIT_") && !plainVariable(name, value) {
			return false
		}
	}
	root, err := filepath.Abs(orDot(r.dir))
	if err != nil {
		return false
	}
	if root, err = filepath.EvalSymlinks(root); err != nil {
		return false
	}
	dir := filepath.Join(root, ".git")
	for _, path := range []string{root, dir, filepath.Join(dir, "objects"), filepath.Join(dir, "refs")} {
		if info, err := os.Lstat(path); err != nil || !info.IsDir() || !owned(info) {
			return false
		}
	}
	for _, name := range []string{"commondir", "gitdir", "config.worktree"} {
		if _, err := os.Lstat(filepath.Join(dir, name)); !os.IsNotExist(err) {
			return false
		}
	}
	if head := readSmall(filepath.Join(dir, "HEAD"), 4096); !plainHead(head) {
		return false
	}
	config := readSmall(filepath.Join(dir, "config"), maxConfig)
	// Names of settings cannot be written in another way, so that a word which is
	// not in the file is no setting of it.
	low := strings.ToLower(string(config))
	if !notBare().Match(config) || strings.Count(low, "bare") != 1 || strings.Count(low, "repositoryformatversion = 0\n") != 1 ||
		strings.Count(low, "repositoryformatversion") != 1 || strings.Contains(low, "worktree") || strings.Contains(low, "extensions") ||
		strings.ContainsAny(low, "\r\x00\\") || !strings.HasPrefix(low, "[core]\n") {
		return false
	}
	r.root, r.gitDir, r.common, r.format = root, dir, dir, "sha1"
	r.shFile = filepath.Join(dir, "shallow")
	return true
}

// plainHead says whether HEAD names a branch or a commit.
func plainHead(data []byte) bool {
	text := string(data)
	if ref, ok := strings.CutPrefix(text, "ref: refs/heads/"); ok {
		name := strings.TrimSuffix(ref, "\n")
		return name != "" && name != ".invalid" && !strings.ContainsAny(name, "\n\r\x00 ")
	}
	return isHash(strings.TrimSuffix(text, "\n")) && len(text) <= 41
}

// readSmall is the content of an ordinary file, nil where it is none or larger than most.
func readSmall(path string, most int64) []byte {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > most || !owned(info) {
		return nil
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	return data
}

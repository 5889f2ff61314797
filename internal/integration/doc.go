// Package integration runs sayso inside the real programs that people hang it into:
// the pre-commit framework, lefthook and husky. Each test makes a repository, wires
// the hook as the manual says, and reads what `git commit` and `git push` themselves
// print. TestEntireGraph asks the real entire-graph for a dependency graph. TestOffline runs every command that reads what
// is private under strace and looks for network calls. It must never know how a verdict comes about: it only looks for the warning
// and at whether the commit was made.
//
// The tests stand behind the build tag "integration", since they need programs that
// Go and git do not bring. scripts/test runs those whose program is there and names
// the others; to run one by hand:
//
//	go test -count=1 -tags integration -run TestLefthook ./internal/integration
package integration

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/spf13/cobra"

	"github.com/saysolint/sayso/internal/git"
	"github.com/saysolint/sayso/memory"
	"github.com/saysolint/sayso/memory/gitstore"
	"github.com/saysolint/sayso/report"
)

func newMemory(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "memory",
		Short: "Keep what the project decided and learned",
		Long: `Keep what the project decided and learned: entries, one Markdown file each, in
.sayso/memory. An entry is proposed, then accepted by a person, and holds until
a later one takes its place. Nothing is ever deleted.`,
		Args: cobra.ArbitraryArgs,
		RunE: onlySubcommands,
	}
	cmd.AddCommand(
		newMemoryList(a),
		newMemoryPropose(a), newMemoryAccept(a), newMemoryReject(a), newMemoryEdit(a),
		newMemorySupersede(a), newMemoryMerge(a), newMemoryRevise(a),
		newMemorySearch(a), newMemoryShow(a), newMemoryIndex(a),
		newMemoryLint(a), newMemoryImport(a), newMemoryExport(a),
	)
	return cmd
}

// memoryFlags are the flags of every memory command.
type memoryFlags struct {
	space  string
	format string
	json   bool
}

func (f *memoryFlags) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.space, "space", "", "the store called `NAME` in the configuration (default: the repository's own)")
	cmd.Flags().StringVar(&f.format, "format", "text", "output `FORMAT`: text, json")
	cmd.Flags().BoolVar(&f.json, "json", false, "the same as --format json")
	_ = cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions([]string{"text", "json"}, cobra.ShellCompDirectiveNoFileComp))
}

// openMemory is a store that a command works on.
type openMemory struct {
	gitstore.Location
	repo *git.Repo
	json bool
	conf trust
}

func (m *openMemory) close() { _ = m.repo.Close() }

// memory finds the store that the flags name.
func (a *app) memory(cmd *cobra.Command, f *memoryFlags) (*openMemory, error) {
	asJSON, err := jsonOnly(cmd, f.format, f.json)
	if err != nil {
		return nil, err
	}
	repo, err := a.open(cmd.Context(), "")
	if err != nil {
		return nil, err
	}
	conf, err := a.trustWorktree(cmd.Context(), repo)
	if err == nil {
		err = needWorkTree(repo, commandName(cmd), "the memory")
	}
	var loc gitstore.Location
	if err == nil {
		loc, err = gitstore.Locate(cmd.Context(), repo, conf.config.Memory, f.space, a.getenv("HOME"))
		err = memoryError(cmd, err)
	}
	if err != nil {
		_ = repo.Close()
		return nil, err
	}
	return &openMemory{Location: loc, repo: repo, json: asJSON, conf: conf}, nil
}

// memoryError puts an error of the memory into the words of the house: what the
// caller can mend is a matter of usage, what the disk did is not.
func memoryError(cmd *cobra.Command, err error) error { return memoryFailure(commandName(cmd), err) }

// memoryFailure is memoryError for a command by its name.
func memoryFailure(what string, err error) error {
	if err == nil {
		return nil
	}
	u := &userError{what: what, why: strings.ReplaceAll(err.Error(), "\n", "; "), code: report.ExitUsage, err: err}
	switch {
	case errors.Is(err, memory.ErrNoEntry):
		u.hint = "sayso memory list shows the ids"
	case errors.Is(err, gitstore.ErrNoSpace):
		u.hint = "spaces are named in .sayso.yaml: sayso config show"
	case errors.Is(err, fs.ErrPermission), errors.As(err, new(memory.DiskError)), errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded), errors.Is(err, memory.ErrChanged):
		u.code = report.ExitIncomplete
	}
	return u
}

// writeJSON writes a value as the machine-readable output.
func (a *app) writeJSON(v any) error {
	enc := json.NewEncoder(a.stdout)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return ioError("standard output", plainIOError(err))
	}
	return nil
}

// say writes lines of text, each made fit for a terminal.
func (a *app) say(lines ...string) error {
	for _, l := range lines {
		indent := l[:len(l)-len(strings.TrimLeft(l, " "))]
		if _, err := fmt.Fprintf(a.stdout, "%s%s\n", indent, oneLine(l)); err != nil {
			return ioError("standard output", plainIOError(err))
		}
	}
	return nil
}

// reviewer is who accepts or rejects: the flag, else git's user.name.
func (m *openMemory) reviewer(ctx context.Context, by string) string {
	if by != "" {
		return by
	}
	out, err := m.repo.Run(ctx, nil, "config", "--get", "user.name")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}

// receipt writes what a writing command did.
func (a *app) receipt(m *openMemory, action string, r memory.Receipt) error {
	if m.json {
		return a.writeJSON(memory.ReceiptOutput{
			Schema: memory.ReceiptSchema, Action: action, Space: m.Space, Shared: m.Shared, Entry: r.Entry.Record(),
			Changed: orEmpty(r.Changed), Masked: orEmpty(r.Masked), Warnings: orEmpty(r.Warnings),
		})
	}
	lines := []string{fmt.Sprintf("%s %s", r.Entry.ReviewState, r.Entry.RelPath)}
	if len(r.Changed) == 0 {
		lines[0] += " (nothing to change)"
	}
	for _, id := range r.Changed {
		if id != r.Entry.ID {
			lines = append(lines, "superseded "+id)
		}
	}
	for _, s := range r.Masked {
		lines = append(lines, fmt.Sprintf("masked a secret (%s) in %s, line %d: make it invalid where it is used", s.Rule, s.Field, s.Line))
	}
	for _, w := range r.Warnings {
		lines = append(lines, "warning: "+w)
	}
	if m.Note != "" {
		lines = append(lines, "note: "+m.Note)
	}
	return a.say(lines...)
}

func orEmpty[T any](l []T) []T {
	if l == nil {
		return []T{}
	}
	return l
}
